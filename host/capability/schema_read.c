/*
 * host/capability/schema_read.c: from JSON to schema nodes. See schema.h.
 */
#include "schema_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_BYTES_MAX ((size_t)64 << 20) /* of memory for one schema */

pf_status schema_bad(struct schema_reader *r, const char *format, ...) {
    char what[600];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const char *where = r->where.len ? r->where.data : "at its root";
    return base_error(r->error, PF_INVALID, "the schema is not usable: %s: %s", where, what);
}

int schema_order(const char *a, size_t a_len, const char *b, size_t b_len) {
    if (a_len != b_len) return a_len < b_len ? -1 : 1;
    return memcmp(a, b, a_len);
}

/* What takes more than one keyword to know. */
static pf_status finish(struct schema_reader *r, struct schema_node *n, yyjson_val *object) {
    if (yyjson_is_true(yyjson_obj_get(object, "nullable"))) {
        if (!n->types) return schema_bad(r, "nullable goes with type");
        n->types |= 1u << CAP_TYPE_INDEX_NULL;
    }
    if (yyjson_is_arr(yyjson_obj_get(object, "items")) && yyjson_obj_get(object, "prefixItems"))
        return schema_bad(r, "a list of items and prefixItems are the same thing");
    if (n->types & 1u << CAP_TYPE_INDEX_NUMBER) n->types |= 1u << CAP_TYPE_INDEX_INTEGER;
    return PF_OK;
}

pf_status schema_read(struct schema_node **out, struct schema_reader *r, yyjson_val *value) {
    struct schema_node **known = &r->known[value - r->root];
    *out = *known;
    if (*known) return PF_OK; /* a reference was here before */
    if (!yyjson_is_obj(value) && !yyjson_is_bool(value))
        return schema_bad(r, "a schema is an object, true or false, not %s", base_json_type(value));
    struct schema_node *n = base_arena_zalloc(&r->schema->arena, sizeof *n);
    if (!n) return base_no_memory(r->error);
    *out = *known = n;
    n->next = r->schema->nodes;
    r->schema->nodes = n;
    if (value == r->root) r->schema->root = n;
    n->never = yyjson_is_false(value);
    yyjson_obj_iter iter = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        pf_status status = schema_keyword(r, n, key, yyjson_obj_iter_get_val(key));
        if (status != PF_OK) return status;
    }
    return yyjson_is_obj(value) ? finish(r, n, value) : PF_OK;
}

static pf_status read_document(struct cap_schema *schema, const char *json, size_t len,
                               pf_error *error) {
    char place[300];
    pf_error inner;
    struct schema_reader r = {.schema = schema, .error = error};
    base_text_init(&r.where, place, sizeof place);
    pf_status status = base_json_read(&schema->arena, json, len, BASE_JSON_DEPTH, &r.root, &inner);
    if (status != PF_OK)
        return base_error(error, status, "the schema is not usable: %s", inner.message);
    /* Values lie one behind the other in memory: the place of one is its number. */
    size_t count = (size_t)(unsafe_yyjson_get_next(r.root) - r.root);
    r.known = base_arena_array(&schema->arena, count, sizeof *r.known);
    if (!r.known) return base_no_memory(error);
    struct schema_node *root;
    status = schema_read(&root, &r, r.root);
    if (status == PF_OK) status = schema_link(&r);
    const unsigned object = 1u << CAP_TYPE_INDEX_OBJECT;
    if (status == PF_OK && (root->never || (root->types && !(root->types & object))))
        return schema_bad(&r, "the argument of a tool is an object: type must be \"object\"");
    return status;
}

pf_status cap_schema_new(struct cap_schema **out, const char *json, size_t len, pf_error *error) {
    *out = NULL;
    struct cap_schema *schema = calloc(1, sizeof *schema);
    if (!schema) return base_no_memory(error);
    base_arena_init(&schema->arena, SCHEMA_BYTES_MAX);
    pf_status status = read_document(schema, json, len, error);
    if (status == PF_OK)
        *out = schema;
    else
        cap_schema_free(schema);
    return status;
}

void cap_schema_free(struct cap_schema *schema) {
    if (!schema) return;
    cap_regexes_free(schema->regexes);
    base_arena_free(&schema->arena);
    free(schema);
}
