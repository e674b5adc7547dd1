/*
 * host/capability/pattern.h: which methods a capability is about.
 *
 * A pattern is a method id in which a segment may be `*` (exactly one segment) or `**` (any number,
 * also none). Called by the policy and by attenuation. Everything here is exact, except where it
 * says that it may answer no too often.
 */
#ifndef CAP_PATTERN_H
#define CAP_PATTERN_H

#include "host/base/arena.h"
#include "host/base/error.h"
#include "names.h"

enum cap_segment_kind { CAP_SEGMENT_LITERAL, CAP_SEGMENT_ONE, CAP_SEGMENT_ANY };

struct cap_pattern {
    const char *text; /* canonical; in the arena it was read into */
    size_t len, count;
    uint64_t hash; /* as that of a name */
    bool literal;  /* no wildcard: it matches one method */
    struct {
        enum cap_segment_kind kind;
        struct cap_segment segment;
    } *segments;
};

/* PF_INVALID: the message starts with the pattern as written and says what is wrong with it. */
pf_status cap_pattern_read(struct cap_pattern *out, struct base_arena *arena, const char *text,
                           size_t len, pf_error *error);
/* False for most that do not match; for loops over many patterns. */
static inline bool cap_pattern_may_match(const struct cap_pattern *p, const struct cap_name *m) {
    return !p->literal || p->hash == m->hash;
}
/* Does the pattern cover the whole name? */
bool cap_pattern_matches(const struct cap_pattern *pattern, const struct cap_name *method);
/* Does every method that `child` matches match `parent`? Exact for all but absurd patterns, for
 * which it says no. */
bool cap_pattern_is_subset(const struct cap_pattern *child, const struct cap_pattern *parent);
/* Is there a method that both match? */
bool cap_pattern_overlaps(const struct cap_pattern *a, const struct cap_pattern *b);

#endif
