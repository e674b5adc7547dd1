/*
 * host/capability/constraint_write.c: a tree of constraints as JSON, in the long form.
 *
 * What is read back is the same tree. Negations appear only where no operator says the contrary.
 */
#include "constraint.h"

#include "host/base/buf.h"
#include "host/base/json_out.h"

static bool write_leaf(struct base_buf *out, const struct cap_leaf *leaf) {
    if (leaf->negated) base_buf_addz(out, "{\"not\":");
    base_buf_addz(out, "{\"param\":");
    base_json_out_string(out, leaf->path.text, leaf->path.len);
    if (leaf->length) base_buf_addz(out, ",\"of\":\"length\"");
    base_buf_addf(out, ",\"op\":\"%s\"", cap_operator_names[leaf->op]);
    if (leaf->value) {
        base_buf_addz(out, ",\"value\":");
        base_json_out(out, leaf->value);
    }
    if (leaf->optional) base_buf_addz(out, ",\"optional\":true");
    return base_buf_addz(out, leaf->negated ? "}}" : "}");
}

bool cap_node_write(struct base_buf *out, const struct cap_node *node) {
    if (node->kind == CAP_LEAF) return write_leaf(out, node->leaf);
    base_buf_addz(out, node->kind == CAP_ALL ? "{\"all\":[" : "{\"any\":[");
    for (size_t i = 0; i < node->count; i++) {
        if (i) base_buf_addz(out, ",");
        if (!cap_node_write(out, node->items[i])) return false;
    }
    return base_buf_addz(out, "]}");
}
