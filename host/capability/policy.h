/*
 * host/capability/policy.h: a list of capabilities, as docs/policy.md describes them.
 *
 * The upper half is what a gate works with. The lower half works on JSON texts and patterns alone:
 * it is what include/pinfold.h and the bindings offer under the name pf_policy_*.
 */
#ifndef CAP_POLICY_H
#define CAP_POLICY_H

#include "constraint.h"
#include "pattern.h"

#include <stdatomic.h>

#define CAP_UNLIMITED (-1)

struct cap_capability {
    struct cap_pattern pattern;
    struct cap_node *constraints; /* a CAP_ALL, maybe of nothing */
    int64_t max_calls;            /* or CAP_UNLIMITED */
    bool ask;                     /* the embedder has to approve each call */
};

/* Never changes once it is read; shared by gates on any thread. */
struct cap_policy {
    atomic_size_t owners;
    size_t count;
    struct cap_capability *capabilities;
    struct base_arena arena;
    struct cap_regexes *regexes;
};

/* The caller owns *out: cap_policy_drop(). */
pf_status cap_policy_read(struct cap_policy **out, const char *json, size_t len, pf_error *error);
struct cap_policy *cap_policy_share(struct cap_policy *policy); /* another owner; NULL stays NULL */
/* Drops one owner's hold; the last frees it. From any thread; NULL is allowed. */
void cap_policy_drop(struct cap_policy *policy);
/* The same policy with canonical patterns and long constraints. False: no memory. */
bool cap_policy_write(struct base_buf *out, const struct cap_policy *policy);

/* Would the parent allow every call that the child allows, in any order, with fresh counters?
 * Sound: when in doubt, no, and *why says what is not covered. */
bool cap_policy_covers(const struct cap_policy *parent, const struct cap_policy *child,
                       struct base_text *why);

/* ---- on texts; policy_text.c. Strings that are returned are freed with free() */

/* PF_OK, or PF_INVALID with the place. */
pf_status cap_policy_check(const char *json, size_t len, pf_error *error);
/* *subset: is the child at most as permissive as the parent? If not, *why (may be NULL) says why.
 */
pf_status cap_policy_is_subset(const char *child, size_t child_len, const char *parent,
                               size_t parent_len, bool *subset, char **why, pf_error *error);
/* The policy in its canonical form. */
pf_status cap_policy_normalize(const char *json, size_t len, char **out, size_t *out_len,
                               pf_error *error);
/* Does a pattern match a method? A method that cannot exist matches nothing. */
pf_status cap_policy_pattern_matches(const char *pattern, const char *method, bool *matches,
                                     pf_error *error);
/* Does the parent match everything that the child matches? */
pf_status cap_policy_pattern_is_subset(const char *child, const char *parent, bool *subset,
                                       pf_error *error);

#endif
