/*
 * host/capability/path.h: which value inside the arguments a constraint is about.
 *
 *     amount          a member of the arguments
 *     customer.name   a member of a member
 *     items[0]        an element
 *     items[*].price  every element's member
 *     ["a.b"].c       a member whose name has special characters, as a JSON string
 *
 * Called by constraints; knows nothing of operators.
 */
#ifndef CAP_PATH_H
#define CAP_PATH_H

#include "host/base/json.h"

#define CAP_PATH_STEPS 32u
#define CAP_PATH_MAX   1000u

enum cap_step_kind { CAP_STEP_MEMBER, CAP_STEP_ELEMENT, CAP_STEP_EACH };

struct cap_step {
    enum cap_step_kind kind;
    const char *key; /* CAP_STEP_MEMBER */
    size_t len;
    size_t index; /* CAP_STEP_ELEMENT */
};

struct cap_path {
    const char *text; /* as written; in the arena */
    size_t len;
    size_t count; /* > 0; the first step is a member */
    struct cap_step *steps;
    bool each; /* one of them is [*] */
};

/* PF_INVALID: the message says what is wrong with the path. */
pf_status cap_path_read(struct cap_path *out, struct base_arena *arena, const char *text,
                        size_t len, pf_error *error);
/* Do both have the same steps? */
bool cap_path_same(const struct cap_path *a, const struct cap_path *b);
/* Does `path` start with all steps of `prefix`? */
bool cap_path_starts_with(const struct cap_path *path, const struct cap_path *prefix);

enum cap_found { CAP_FOUND, CAP_MISSING, CAP_ASTRAY };
/* One step from `value` (not CAP_STEP_EACH). CAP_ASTRAY: `value` is not the object or array that
 * the step needs, which is another thing than a missing member. */
enum cap_found cap_step_take(const struct cap_step *step, yyjson_val *value, yyjson_val **out);

/* The path for a message, with indexes[i] in place of the first `count` [*]. */
void cap_path_show(struct base_text *text, const struct cap_path *path, const size_t *indexes,
                   size_t count);

#endif
