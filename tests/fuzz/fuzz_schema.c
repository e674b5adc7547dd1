/*
 * A schema, a NUL, and a value. The verdict is that of the schema inside `allOf`, and that of its
 * double negation.
 */
#include "fuzz.h"
#include "host/base/buf.h"
#include "host/capability/schema.h"

#include <string.h>

static enum cap_verdict check(const struct cap_schema *schema, yyjson_val *value, char why[400]) {
    struct base_text text;
    base_text_init(&text, why, 400);
    enum cap_verdict verdict = cap_schema_check(schema, value, &text);
    MUST((verdict == CAP_VALID) == (text.len == 0) || verdict == CAP_NO_VERDICT);
    return verdict;
}

static struct cap_schema *wrapped(const char *before, const char *schema, size_t len,
                                  const char *after) {
    struct base_buf buf;
    base_buf_init(&buf, 1 << 20);
    base_buf_addz(&buf, before);
    base_buf_add(&buf, schema, len);
    base_buf_addz(&buf, after);
    struct cap_schema *out = NULL;
    if (!buf.failed) cap_schema_new(&out, buf.data, buf.len, NULL);
    base_buf_free(&buf);
    return out;
}

static void compare(const char *text, size_t len, const struct cap_schema *schema,
                    yyjson_val *value) {
    char why[400], other[400];
    enum cap_verdict verdict = check(schema, value, why);
    if (strstr(why, "too large or too deeply")) return;
    /* References start at the root, and $id may only be there. */
    if (memmem(text, len, "$", 1) || memmem(text, len, "\\", 1)) return;
    struct cap_schema *a = wrapped("{\"allOf\":[", text, len, "]}");
    struct cap_schema *b = wrapped("{\"not\":{\"not\":", text, len, "}}");
    if (a) MUST(check(a, value, other) == verdict || strstr(other, "too large"));
    if (b) MUST(check(b, value, other) == verdict || strstr(other, "too large"));
    cap_schema_free(a);
    cap_schema_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *end = memchr(text, '\0', size);
    if (!end) return 0;
    pf_error error;
    struct cap_schema *schema;
    size_t len = (size_t)(end - text);
    pf_status status = cap_schema_new(&schema, text, len, &error);
    MUST(status == PF_OK || (status == PF_INVALID && error.message[0] && !schema));
    if (!schema) return 0;
    struct base_arena arena;
    base_arena_init(&arena, 64 << 20);
    yyjson_val *value;
    if (base_json_read(&arena, end + 1, size - len - 1, BASE_JSON_DEPTH, &value, NULL) == PF_OK)
        compare(text, len, schema, value);
    base_arena_free(&arena);
    cap_schema_free(schema);
    return 0;
}
