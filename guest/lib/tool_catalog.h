/*
 * guest/lib/tool_catalog.h: what tools there are, from the files below /tools.
 *
 *   /tools/tools.json        {"tools": [{"name", "id", "flat", "description", "parameters"}]}
 *   /tools/schema/FLAT.json  one of these objects
 *
 * A call reads only its own file; lists and searches read the whole.
 */
#ifndef TOOL_CATALOG_H
#define TOOL_CATALOG_H

#include <stdbool.h>

#include "yyjson.h"

/* One tool, with the document that holds it. doc NULL: not described, maybe known to the host. */
struct tool_entry {
    yyjson_doc *doc;
    yyjson_val *tool;
};

/* Finds a tool under any of its names. To be released, also when nothing was found. */
struct tool_entry tool_catalog_find(const char *name);
/* Ends what tool_catalog_find() began. A short document is kept for the next call, as long as its
 * file says the same. */
void tool_catalog_release(struct tool_entry *entry);
/* A member of a tool's object as text, "" when there is none. */
const char *tool_catalog_text(yyjson_val *tool, const char *member);

/* Both print a line for each tool; the number of them, -1 when the list cannot be read. */
int tool_catalog_list(const char *prefix);
int tool_catalog_search(const char *word); /* Those with `word` in a name or the description. */
/* Prints up to three names that are like this one to standard error, as the end of a line. */
void tool_catalog_suggest(const char *name);

#endif
