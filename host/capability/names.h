/*
 * host/capability/names.h: the rules for names of tools and methods, and their one canonical
 * spelling.
 *
 * Called for tool names, for patterns and for the names that guests write. `stripe.charges.create`,
 * `stripe/charges/create` and `mcp:stripe.charges.create` have the same canonical id,
 * `stripe/charges/create`: one leading `mcp:` is dropped, `.` and `/` separate segments. Ids are
 * compared byte for byte: there is no other way for two spellings to be the same.
 */
#ifndef CAP_NAMES_H
#define CAP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an id; its flat form must be a file name. */
#define CAP_NAME_MAX     255u
#define CAP_SEGMENTS_MAX 63u

struct cap_segment {
    const char *text;
    size_t len;
};

/* An id and its segments, which point into `text`. */
struct cap_name {
    char text[CAP_NAME_MAX + 1];
    size_t len, count;
    uint64_t hash; /* of the text; a shortcut for telling ids apart */
    struct cap_segment segments[CAP_SEGMENTS_MAX];
};

/* Reads a name as written. On failure *why is a constant text ("has an empty segment"). With
 * `wildcards`, a segment may be `*` or `**`: the name is a pattern. */
bool cap_name_read(struct cap_name *out, const char *name, size_t len, bool wildcards,
                   const char **why);
/* The flat form, of the same length: every byte that no identifier has becomes `_`. out has room
 * for CAP_NAME_MAX + 1. */
void cap_name_flat(const char *id, char *out);
/* ASCII letters, digits and `_`, and does not start with a digit. */
bool cap_name_is_identifier(const char *text, size_t len);
/* How unlike two names are: edits (insert, delete, replace, swap) from one to the other, at most
 * `max`
 * + 1; `.`, `/`, `_` and `-` are the same here, and so are upper and lower case. */
size_t cap_name_distance(const char *a, const char *b, size_t max);

#endif
