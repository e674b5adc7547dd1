/*
 * host/capability/schema_node.h: a schema in memory. For schema_*.c only.
 *
 * A node is one schema object. What it says about each type of value is in a part of its own, which
 * is NULL when it says nothing. Everything lies in the arena of the schema; nodes may form cycles
 * through `ref`, but never without going down into the value (schema_refs.c sees to it).
 */
#ifndef CAP_SCHEMA_NODE_H
#define CAP_SCHEMA_NODE_H

#include "constraint.h"
#include "names.h"
#include "schema.h"

struct schema_list {
    size_t count;
    struct schema_node **items;
};

struct schema_property {
    const char *key;
    size_t len;
    struct schema_node *node;
};

struct schema_pattern {
    struct cap_regex *regex;
    struct schema_node *node;
};

/* If `key` is there, these must be, too. */
struct schema_dependency {
    const char *key;
    size_t len;
    yyjson_val *required;     /* array of strings, or NULL */
    struct schema_node *node; /* or NULL */
};

struct schema_object {
    size_t property_count, pattern_count, dependency_count;
    struct schema_property *properties; /* in the order of schema_order() */
    struct schema_pattern *patterns;
    struct schema_dependency *dependencies;
    yyjson_val *required; /* array of strings, or NULL */
    struct schema_node *additional, *names;
    int64_t min, max; /* -1: none */
};

struct schema_array {
    struct schema_list prefix;
    struct schema_node *items, *contains;
    int64_t min, max, min_contains, max_contains; /* -1: none */
    bool unique;
};

struct schema_string {
    int64_t min, max;
    struct cap_regex *regex;
    yyjson_val *pattern; /* its text */
};

enum { SCHEMA_MINIMUM, SCHEMA_MAXIMUM, SCHEMA_ABOVE, SCHEMA_BELOW, SCHEMA_MULTIPLE, SCHEMA_BOUNDS };
struct schema_number {
    yyjson_val *bounds[SCHEMA_BOUNDS]; /* NULL: none */
    struct base_number numbers[SCHEMA_BOUNDS];
};

struct schema_logic {
    struct schema_list all, any, one;
    struct schema_node * not, *condition, *then, *otherwise;
};

struct schema_node {
    bool never;          /* the schema `false` */
    bool url;            /* format http-url */
    unsigned types;      /* bits as of cap_type_bit(); 0: any */
    yyjson_val *allowed; /* enum: array; or NULL */
    yyjson_val *constant;
    struct schema_object *object;
    struct schema_array *array;
    struct schema_string *string;
    struct schema_number *number;
    struct schema_logic *logic;
    struct schema_node *ref;
    yyjson_val *ref_text;     /* until schema_refs.c has found `ref` */
    struct schema_node *next; /* all nodes, newest first */
    int mark;                 /* for schema_refs.c */
};

struct cap_schema {
    struct base_arena arena;
    struct schema_node *root, *nodes;
    struct cap_regexes *regexes;
};

/* ---- schema_read.c */

struct schema_reader {
    struct cap_schema *schema;
    yyjson_val *root;
    struct schema_node **known; /* by the place of the value in the document */
    struct base_text where;
    pf_error *error;
};
/* PF_INVALID, with the place in the schema in front of the message. */
pf_status schema_bad(struct schema_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The node of a schema at `value` and of all below it, each made once; owned by the schema. */
pf_status schema_read(struct schema_node **out, struct schema_reader *r, yyjson_val *value);
/* Keys by length, then bytes. */
int schema_order(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- schema_keywords.c */

/* Reads one keyword into its node. PF_INVALID: its value is wrong, or nothing here knows it. */
pf_status schema_keyword(struct schema_reader *r, struct schema_node *n, yyjson_val *key,
                         yyjson_val *value);

/* ---- schema_refs.c */

/* Finds what every `$ref` means, and refuses those that would never end. */
pf_status schema_link(struct schema_reader *r);

#endif
