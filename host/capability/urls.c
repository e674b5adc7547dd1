/*
 * host/capability/urls.c: arguments that are addresses of the web, before anything is compared.
 *
 * A property of a tool's arguments with the format http-url is read once, by the rules that
 * everybody follows who sends it (host/http/url.h), and written out anew: constraints, the handler
 * and the log see one spelling of it. A text that cannot be read so is no address.
 */
#include "schema_node.h"

#include "host/http/url.h"

static bool put_text(struct base_arena *arena, yyjson_val *value, const char *text, size_t len) {
    char *copy = base_arena_copy(arena, text, len);
    if (copy) unsafe_yyjson_set_strn(value, copy, len);
    return copy != NULL;
}

enum cap_verdict cap_schema_urls(const struct cap_schema *schema, yyjson_val *params,
                                 struct base_arena *arena, struct base_text *why) {
    const struct schema_object *object = schema->root->object;
    for (size_t i = 0; object && i < object->property_count; i++) {
        const struct schema_property *p = &object->properties[i];
        if (!p->node->url) continue;
        yyjson_val *value = yyjson_obj_getn(params, p->key, p->len);
        if (!yyjson_is_str(value)) continue;
        struct http_url url;
        const char *problem;
        if (http_url_read(&url, yyjson_get_str(value), yyjson_get_len(value), &problem)) {
            if (!put_text(arena, value, url.text, url.len)) return CAP_NO_VERDICT;
            continue;
        }
        base_text_add(why, p->key, p->len);
        base_text_addf(why, " is not the URL of a page: %s", problem);
        return CAP_NOT_VALID;
    }
    return CAP_VALID;
}
