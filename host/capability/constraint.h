/*
 * host/capability/constraint.h: conditions on the arguments of a call.
 *
 * A constraint is a tree of `all` and `any` whose leaves compare one parameter. It is read once,
 * from the policy (constraint_read.c, constraint_short.c), evaluated for every call
 * (constraint_eval.c), explained when it fails (constraint_text.c), compared for attenuation
 * (implies.c), and written out again (constraint_write.c). docs/policy.md is what its users read.
 *
 * TRUTH. A leaf is true, false, or unknown: the parameter is missing, or has a type that the
 * operator does not work on. Only true lets a call through. `not` turns true and false around and
 * leaves unknown, so that no negation can allow what the policy did not foresee. Reading pushes
 * every `not` down to the leaves, where it becomes the opposite operator or the flag `negated`;
 * above the leaves only true or not true matters.
 */
#ifndef CAP_CONSTRAINT_H
#define CAP_CONSTRAINT_H

#include "path.h"
#include "regex.h"

#include "host/http/rule.h"

/* X(name, its spelling in JSON) */
#define CAP_OPERATORS(X)                                                                           \
    X(LT, "<")                                                                                     \
    X(LE, "<=")                                                                                    \
    X(GT, ">")                                                                                     \
    X(GE, ">=")                                                                                    \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(IN, "in")                                                                                    \
    X(NOT_IN, "not_in")                                                                            \
    X(STARTS_WITH, "starts_with")                                                                  \
    X(ENDS_WITH, "ends_with")                                                                      \
    X(CONTAINS, "contains")                                                                        \
    X(MATCHES, "matches")                                                                          \
    X(MATCHES_URL, "matches_url")                                                                  \
    X(IS_TYPE, "is_type")                                                                          \
    X(EXISTS, "exists")                                                                            \
    X(NOT_EXISTS, "not_exists")

enum cap_operator {
#define X(name, text) CAP_##name,
    CAP_OPERATORS(X)
#undef X
};
#define CAP_OPERATOR_COUNT (CAP_NOT_EXISTS + 1)
extern const char *const cap_operator_names[CAP_OPERATOR_COUNT];

/* X(name, its spelling): bits of cap_leaf.types. An integer is a number, too. */
#define CAP_TYPES(X)                                                                               \
    X(NULL, "null")                                                                                \
    X(BOOLEAN, "boolean")                                                                          \
    X(INTEGER, "integer")                                                                          \
    X(NUMBER, "number")                                                                            \
    X(STRING, "string")                                                                            \
    X(ARRAY, "array")                                                                              \
    X(OBJECT, "object")
enum cap_type_index {
#define X(name, text) CAP_TYPE_INDEX_##name,
    CAP_TYPES(X)
#undef X
        CAP_TYPE_COUNT
};
extern const char *const cap_type_names[CAP_TYPE_COUNT];
/* The bit of a type's name; 0: there is no such type. */
unsigned cap_type_bit(const yyjson_val *name);
/* All bits of types that a value has: a whole number has two. */
unsigned cap_types_of(const yyjson_val *value);

struct cap_leaf {
    struct cap_path path;
    enum cap_operator op;
    bool length;       /* about the length of the value, not the value */
    bool optional;     /* true when the parameter is missing */
    bool negated;      /* true when what the rest says is false */
    yyjson_val *value; /* what the operator compares with; an array for IN, NOT_IN; or NULL */
    struct base_number number; /* of value, if that is a number */
    unsigned types;            /* IS_TYPE */
    struct cap_regex *regex;   /* MATCHES */
    struct http_rule *rule;    /* MATCHES_URL */
};

enum cap_node_kind { CAP_ALL, CAP_ANY, CAP_LEAF };
struct cap_node {
    enum cap_node_kind kind;
    size_t count;
    struct cap_node **items; /* of CAP_ALL and CAP_ANY */
    struct cap_leaf *leaf;   /* of CAP_LEAF */
};

/* ---- constraint_read.c */

#define CAP_NESTING 32u

/* What reading a policy needs: where the result lies, and where in the document we are. */
struct cap_reader {
    struct base_arena *arena;
    struct base_text where; /* "capabilities[0].constraints[1].op" */
    pf_error *error;
    struct cap_regexes *regexes; /* of everything that was read */
};
/* PF_INVALID with the place in front. */
pf_status cap_reader_bad(struct cap_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The value of a capability's "constraints": the long form (an array, all of which must hold) or
 * the short form (an object). Always a CAP_ALL. */
pf_status cap_constraints_read(struct cap_node **out, struct cap_reader *reader, yyjson_val *value);
/* One member of the short form: a parameter and its condition. constraint_short.c */
pf_status cap_constraint_parse(struct cap_node **out, struct cap_reader *reader, const char *param,
                               size_t param_len, yyjson_val *condition);
/* For constraint_short.c: a leaf from its parts, as from {"param", "op", "value"}. */
pf_status cap_leaf_new(struct cap_node **out, struct cap_reader *reader, const char *param,
                       size_t param_len, enum cap_operator op, yyjson_val *value);

/* ---- constraint_eval.c */

/* One question may compare so many values; then the answer is unknown. */
#define CAP_STEPS 10000000

struct cap_eval {
    int64_t steps;  /* left */
    bool no_memory; /* the answer is not known */
};
#define CAP_EVAL ((struct cap_eval){.steps = CAP_STEPS})

enum cap_truth { CAP_FALSE, CAP_TRUE, CAP_UNKNOWN };

/* Is it true of the arguments? False also when `eval` has run out of steps or memory. */
bool cap_node_holds(const struct cap_node *node, yyjson_val *params, struct cap_eval *eval);
/* What the leaf says of one value, without path, `optional` and `negated`. */
enum cap_truth cap_leaf_judge(const struct cap_leaf *leaf, yyjson_val *value,
                              struct cap_eval *eval);

/* Where and why a leaf does not hold: the first place that is not true; for a path without [*]
 * always the value. */
struct cap_fault {
    enum cap_found found;           /* CAP_FOUND: the value is there and wrong */
    yyjson_val *value;              /* the value, or the one on the way that is astray */
    size_t each;                    /* [*] of the path that were entered */
    size_t indexes[CAP_PATH_STEPS]; /* at which element */
    yyjson_val part;                /* of an address: what `value` may point to */
    struct http_url url;
    char number[8];
};
/* The truth of a leaf with its path, `optional` and `negated`. `fault` is filled when it does not
 * hold. */
enum cap_truth cap_leaf_eval(const struct cap_leaf *leaf, yyjson_val *params, struct cap_eval *eval,
                             struct cap_fault *fault);

/* ---- constraint_text.c */

/* The rule: `amount must be <= 1000`. */
void cap_node_show(struct base_text *text, const struct cap_node *node);
/* Why it does not hold: `amount must be <= 1000 (it is 5000)`. The node must not hold. */
void cap_node_explain(struct base_text *text, const struct cap_node *node, yyjson_val *params);

/* ---- implies.c */

/* Is `parent` true of all arguments that `child` is true of? Sound: when in doubt, no. Then *first
 * (may be NULL) is a part of `parent` that is not implied. */
bool cap_node_implies(const struct cap_node *child, const struct cap_node *parent,
                      const struct cap_node **first);
/* Do both mean the same by their form? Sound: when in doubt, no. */
bool cap_node_same(const struct cap_node *a, const struct cap_node *b);

/* ---- constraint_write.c */

struct base_buf;
/* The long form. False: no memory. */
bool cap_node_write(struct base_buf *out, const struct cap_node *node);

#endif
