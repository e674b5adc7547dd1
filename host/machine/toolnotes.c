/*
 * host/machine/toolnotes.c: what a type does not say of a parameter or a member: what it means, its
 * limits, its default. For who reads about the tools (tooldocs.c, toolstubs.c).
 */
#include "tooldocs.h"

#include "host/base/json_out.h"

#include <string.h>

#define TEXT_MAX ((size_t)64 << 20)

/* A number of a schema, after words. */
static bool bound(struct base_buf *out, yyjson_val *schema, const char *key, const char *before,
                  const char *after) {
    yyjson_val *value = yyjson_obj_get(schema, key);
    if (!value || yyjson_is_ctn(value)) return false;
    base_buf_addz(out, out->len ? ", " : "");
    base_buf_addz(out, before);
    base_json_out(out, value);
    base_buf_addz(out, after);
    return true;
}

static void bounds(struct base_buf *out, yyjson_val *schema, const char *least, const char *most,
                   const char *before, const char *what) {
    yyjson_val *one = yyjson_obj_get(schema, least);
    if (one && yyjson_equals(one, yyjson_obj_get(schema, most))) {
        bound(out, schema, least, before, what);
        return;
    }
    if (one && yyjson_obj_get(schema, most)) {
        bound(out, schema, least, before, " to ");
        base_json_out(out, yyjson_obj_get(schema, most));
        base_buf_addz(out, what);
        return;
    }
    bound(out, schema, least, *what ? "at least " : ">= ", what);
    bound(out, schema, most, *what ? "at most " : "<= ", what);
}

void machine_tool_limits(struct base_buf *out, yyjson_val *schema) {
    const char *format = yyjson_get_str(yyjson_obj_get(schema, "format"));
    const char *pattern = yyjson_get_str(yyjson_obj_get(schema, "pattern"));
    bounds(out, schema, "minimum", "maximum", "", "");
    bound(out, schema, "exclusiveMinimum", "> ", "");
    bound(out, schema, "exclusiveMaximum", "< ", "");
    bound(out, schema, "multipleOf", "a multiple of ", "");
    bounds(out, schema, "minLength", "maxLength", "", " characters");
    bounds(out, schema, "minItems", "maxItems", "", " items");
    if (format && strcmp(format, "http-url") != 0)
        base_buf_addf(out, "%s%s", out->len ? ", " : "", format);
    if (pattern) base_buf_addf(out, "%smatches %s", out->len ? ", " : "", pattern);
}

void machine_tool_meaning(struct base_buf *out, yyjson_val *schema, bool with_default) {
    const char *text = yyjson_get_str(yyjson_obj_get(schema, "description"));
    yyjson_val *fallback = with_default ? yyjson_obj_get(schema, "default") : NULL;
    struct base_buf limits;
    base_buf_init(&limits, TEXT_MAX);
    machine_tool_limits(&limits, schema);
    size_t len = text ? strlen(text) : 0;
    bool more = limits.len > 0 || fallback;
    if (len) base_buf_add(out, text, more && text[len - 1] == '.' ? len - 1 : len);
    if (limits.len) base_buf_addf(out, "%s%s", out->len ? "; " : "", limits.data);
    if (fallback) base_buf_addz(out, out->len ? "; default " : "default ");
    if (fallback) base_json_out(out, fallback);
    if (limits.failed) out->failed = true;
    base_buf_free(&limits);
}
