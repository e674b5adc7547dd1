/*
 * host/machine/tooldocs.h: the declared tools as text, for /tools. See tooldocs.c.
 */
#ifndef PF_TOOLDOCS_H
#define PF_TOOLDOCS_H

#include "host/base/buf.h"
#include "host/capability/gate.h"
#include "host/capability/names.h"
#include "host/capability/reserved.h"

/* All tools as TypeScript declarations. False: no memory. */
bool machine_tool_types(struct base_buf *out, const cap_gate *gate);
/* All tools as a stub of Python's module tools. False: no memory. toolstubs.c */
bool machine_tool_stubs(struct base_buf *out, const cap_gate *gate);
/* The TypeScript type of what a tool gives; `any` when that is not known. False: no memory. */
bool machine_tool_returns(struct base_buf *out, const struct cap_tool *tool);
/* One tool as a page of Markdown: what it does, its parameters, how to call it. */
bool machine_tool_page(struct base_buf *out, const struct cap_tool *tool);

#endif
