/*
 * guest/lib/tool_schema.h: reading a tool's JSON Schema as a description of options.
 *
 * Nothing is checked here, that is the host's: only what an option is called, which type its value
 * has and how it reads in a usage line. A NULL schema stands for "anything".
 */
#ifndef TOOL_SCHEMA_H
#define TOOL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "yyjson.h"

/* A schema and the document its references point into. */
struct tool_schema {
    yyjson_val *root, *node;
};

enum tool_type {
    TOOL_NULL = 1,
    TOOL_BOOLEAN = 2,
    TOOL_INTEGER = 4,
    TOOL_NUMBER = 8,
    TOOL_STRING = 16,
    TOOL_ARRAY = 32,
    TOOL_OBJECT = 64,
};

/* Follows $ref; a reference that leads nowhere is "anything". */
struct tool_schema tool_schema_resolve(struct tool_schema schema);
/* The type of this name, 0 for none. */
enum tool_type tool_schema_named_type(yyjson_val *name);
/* The types that a value may have, following $ref and anyOf; 0: any. */
unsigned tool_schema_types(struct tool_schema schema);
/* The schema of one member of an object; false when the schema names no such member. */
bool tool_schema_member(struct tool_schema schema, const char *name, size_t len,
                        struct tool_schema *member);
/* Whether the object may have members that its schema does not name. */
bool tool_schema_is_open(struct tool_schema schema);
bool tool_schema_has_members(struct tool_schema schema); /* Whether its schema names any member. */
/* The schema of an array's items. */
struct tool_schema tool_schema_items(struct tool_schema schema);
/* The list of allowed values ("enum"), or NULL. */
yyjson_val *tool_schema_choices(struct tool_schema schema);
/* Whether the object must have a member of this name; the names in order, NULL after the last. */
bool tool_schema_requires(struct tool_schema schema, const char *name);
/* Owned by the schema's document. */
const char *tool_schema_required(struct tool_schema schema, size_t index);

/* "usage: NAME --city STRING [--unit celsius|fahrenheit]" */
void tool_schema_usage(FILE *out, const char *name, struct tool_schema schema);
/* What there is to say about each option. `shapes` has the types of those that are lists and
 * objects, as text. */
void tool_schema_options(FILE *out, struct tool_schema schema, yyjson_val *shapes);
/* What a value of the schema is called: STRING, celsius|fahrenheit, JSON … Cut off where buf
 * ends. */
void tool_schema_value_name(struct tool_schema schema, char *buf, size_t size);

#endif
