/*
 * host/machine/tooldocs.h: the declared tools as text, for /tools. See tooldocs.c.
 */
#ifndef PF_TOOLDOCS_H
#define PF_TOOLDOCS_H

#include "host/base/buf.h"
#include "host/base/json.h"
#include "host/capability/gate.h"
#include "host/capability/names.h"
#include "host/capability/reserved.h"

/* All tools as TypeScript declarations. False: no memory. */
bool machine_tool_types(struct base_buf *out, const cap_gate *gate);
/* All tools as a stub of Python's module tools. False: no memory. toolstubs.c */
bool machine_tool_stubs(struct base_buf *out, const cap_gate *gate);
/* The TypeScript type of what a tool gives; `any` when that is not known. False: no memory. */
bool machine_tool_returns(struct base_buf *out, const struct cap_tool *tool);
/* What `tool --help` says of parameters beside their descriptions, as a JSON object: limits, and
 * the TypeScript types of those that are no plain values. False: no memory. */
bool machine_tool_shapes(struct base_buf *out, const struct cap_tool *tool);
/* What a type of TypeScript does not say of a value: "1 to 99", "matches ^[a-z]+$". */
void machine_tool_limits(struct base_buf *out, yyjson_val *schema);
/* What a parameter, or a member of one, means, and what else holds of it; "" when there is nothing
 * to say. */
void machine_tool_meaning(struct base_buf *out, yyjson_val *schema, bool with_default);
/* The TypeScript type of a part of the schema `root`, of what is given to a tool or, `given`, by
 * one. */
void machine_tool_type(struct base_buf *out, yyjson_val *root, yyjson_val *schema, bool given);
/* One tool as a page of Markdown: what it does, its parameters, how to call it. */
bool machine_tool_page(struct base_buf *out, const struct cap_tool *tool);

#endif
