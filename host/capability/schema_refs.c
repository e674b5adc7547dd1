/*
 * host/capability/schema_refs.c: what `$ref` means, and that checking a value always ends.
 *
 * References are found after everything was read, one after the other, so a long chain of them
 * takes no stack.
 */
#include "schema_node.h"
#include "lib/hex/hex.h"

#include <stdlib.h>
#include <string.h>

#define POINTER_MAX 1000
/* Schemas that apply to one value in a chain (references, allOf in allOf …): bounds visit(). */
#define CHAIN_MAX 500

/* The JSON pointer of a reference into this document, with %XX decoded; false: it is none. */
static bool decode(const char *ref, size_t len, char out[POINTER_MAX], size_t *out_len) {
    if (len == 0 || ref[0] != '#' || len > POINTER_MAX) return false;
    size_t n = 0;
    for (size_t i = 1; i < len; i++) {
        if (ref[i] != '%') {
            out[n++] = ref[i];
            continue;
        }
        if (len - i < 3 || pf_hex(ref[i + 1]) < 0 || pf_hex(ref[i + 2]) < 0) return false;
        out[n++] = (char)(pf_hex(ref[i + 1]) * 16 + pf_hex(ref[i + 2]));
        i += 2;
    }
    *out_len = n;
    return n == 0 || out[0] == '/';
}

static pf_status resolve(struct schema_reader *r, struct schema_node *n) {
    const char *ref = yyjson_get_str(n->ref_text);
    char pointer[POINTER_MAX], shown[200];
    struct base_text text;
    base_text_init(&text, shown, sizeof shown);
    base_json_show(&text, n->ref_text, 100);
    base_text_rewind(&r->where, 0);
    base_text_addf(&r->where, "$ref %s", shown);
    size_t len;
    if (!decode(ref, yyjson_get_len(n->ref_text), pointer, &len))
        return schema_bad(r, "only references into the same schema (#/…) are supported");
    yyjson_val *target = len ? yyjson_ptr_getn(r->root, pointer, len) : r->root;
    if (!target) return schema_bad(r, "there is nothing there");
    return schema_read(&n->ref, r, target);
}

/* ---- no value is checked against the same schema for ever */

enum { UNSEEN = 0, OPEN = 1, DONE = 2 };

static pf_status visit(struct schema_reader *r, struct schema_node *n, unsigned depth);

static pf_status visit_list(struct schema_reader *r, const struct schema_list *list,
                            unsigned depth) {
    pf_status status = PF_OK;
    for (size_t i = 0; status == PF_OK && i < list->count; i++)
        status = visit(r, list->items[i], depth);
    return status;
}

static pf_status visit_logic(struct schema_reader *r, struct schema_logic *logic, unsigned depth) {
    pf_status status = visit_list(r, &logic->all, depth);
    if (status == PF_OK) status = visit_list(r, &logic->any, depth);
    if (status == PF_OK) status = visit_list(r, &logic->one, depth);
    if (status == PF_OK) status = visit(r, logic->not, depth);
    if (status == PF_OK) status = visit(r, logic->condition, depth);
    if (status == PF_OK) status = visit(r, logic->then, depth);
    if (status == PF_OK) status = visit(r, logic->otherwise, depth);
    return status;
}

static pf_status visit(struct schema_reader *r, struct schema_node *n, unsigned depth) {
    if (!n || n->mark == DONE) return PF_OK;
    base_text_rewind(&r->where, 0);
    if (n->mark == OPEN)
        return schema_bad(r, "a schema refers to itself without going down into the value");
    if (depth == 0) return schema_bad(r, "too many schemas in a chain apply to one value");
    n->mark = OPEN;
    pf_status status = visit(r, n->ref, depth - 1);
    if (status == PF_OK && n->logic) status = visit_logic(r, n->logic, depth - 1);
    for (size_t i = 0; status == PF_OK && n->object && i < n->object->dependency_count; i++)
        status = visit(r, n->object->dependencies[i].node, depth - 1);
    n->mark = DONE;
    return status;
}

pf_status schema_link(struct schema_reader *r) {
    /* Reading a target adds nodes in front: go on until there is nothing new. */
    for (struct schema_node *done = NULL, *newest; (newest = r->schema->nodes) != done;
         done = newest)
        for (struct schema_node *n = newest; n != done; n = n->next) {
            pf_status status = n->ref_text ? resolve(r, n) : PF_OK;
            if (status != PF_OK) return status;
        }
    for (struct schema_node *n = r->schema->nodes; n; n = n->next) {
        pf_status status = visit(r, n, CHAIN_MAX);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}
