/*
 * host/capability/tools.h: the tools that an embedder declared.
 *
 * Called by the gate. A set of tools never changes once it is shared: adding makes a new set, in
 * which the tools themselves are the same.
 */
#ifndef CAP_TOOLS_H
#define CAP_TOOLS_H

#include "gate.h"
#include "names.h"
#include "schema.h"

#include <stdatomic.h>

struct tool_entry; /* one declared tool; shared by sets */

struct cap_tools {
    atomic_size_t owners;
    size_t count;
    struct cap_tool *tools;      /* in the order of declaration */
    struct tool_entry **entries; /* the same */
    size_t *by_id, *by_flat;     /* indexes of tools, in the order of their ids and flat names */
};

/* A set with one tool more; `old` may be NULL and stays as it is. */
pf_status cap_tools_with(struct cap_tools **out, const struct cap_tools *old, const char *name,
                         const char *description, const char *schema, size_t len, pf_error *error);
struct cap_tools *cap_tools_share(struct cap_tools *tools); /* NULL stays NULL */
/* Drops one owner's hold; the last frees them. From any thread; NULL is allowed. */
void cap_tools_drop(struct cap_tools *tools);

#define CAP_NO_TOOL ((size_t)-1)
/* The tool of that canonical id. */
size_t cap_tools_find_id(const struct cap_tools *tools, const char *id);
/* The tool of that id; or, failing that, the one whose usable flat name it is. */
size_t cap_tools_find(const struct cap_tools *tools, const struct cap_name *name);
/* NULL: it accepts any object. */
const struct cap_schema *cap_tools_schema(const struct cap_tools *tools, size_t index);
/* Appends what to say instead of an unknown name: `; did you mean a or b?`, or what there is. */
void cap_tools_suggest(struct base_text *text, const struct cap_tools *tools, const char *name);

#endif
