/*
 * guest/lib/tool_schema.c: see tool_schema.h.
 */
#include "tool_schema.h"

#include <stdlib.h>
#include <string.h>

/* How far references and alternatives are followed: real schemas need two or three. */
#define DEPTH_MAX 12
/* Choices named in a usage line. */
#define CHOICES_SHOWN 8
/* Bytes of the name of a value. */
#define NAME_SIZE 240

struct tool_schema tool_schema_resolve(struct tool_schema schema) {
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        yyjson_val *ref = yyjson_obj_get(schema.node, "$ref");
        const char *path = yyjson_get_str(ref);
        if (path == NULL) return schema;
        if (path[0] != '#') break;
        schema.node = path[1] == '\0'
                          ? schema.root
                          : yyjson_ptr_getn(schema.root, path + 1, yyjson_get_len(ref) - 1);
        if (schema.node == NULL) return schema;
    }
    schema.node = NULL;
    return schema;
}

enum tool_type tool_schema_named_type(yyjson_val *name) {
    static const struct {
        const char *name;
        enum tool_type type;
    } types[] = {
        {"null", TOOL_NULL},     {"boolean", TOOL_BOOLEAN}, {"integer", TOOL_INTEGER},
        {"number", TOOL_NUMBER}, {"string", TOOL_STRING},   {"array", TOOL_ARRAY},
        {"object", TOOL_OBJECT},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (yyjson_equals_str(name, types[i].name)) return types[i].type;
    return 0;
}

static unsigned type_of_value(yyjson_val *value) {
    switch (yyjson_get_type(value)) {
    case YYJSON_TYPE_NULL: return TOOL_NULL;
    case YYJSON_TYPE_BOOL: return TOOL_BOOLEAN;
    case YYJSON_TYPE_RAW:
    case YYJSON_TYPE_NUM: return TOOL_NUMBER;
    case YYJSON_TYPE_STR: return TOOL_STRING;
    case YYJSON_TYPE_ARR: return TOOL_ARRAY;
    default: return TOOL_OBJECT;
    }
}

static yyjson_val *alternatives(yyjson_val *node) {
    yyjson_val *list = yyjson_obj_get(node, "anyOf");
    if (list == NULL) list = yyjson_obj_get(node, "oneOf");
    return yyjson_is_arr(list) ? list : NULL;
}

static unsigned types_of(struct tool_schema schema, int depth) {
    schema = tool_schema_resolve(schema);
    if (depth == 0 || !yyjson_is_obj(schema.node)) return 0;
    unsigned types = 0;
    size_t i, count;
    yyjson_val *item, *type = yyjson_obj_get(schema.node, "type");
    if (yyjson_is_str(type)) return tool_schema_named_type(type);
    yyjson_arr_foreach(type, i, count, item) types |= (unsigned)tool_schema_named_type(item);
    if (types != 0) return types;
    yyjson_arr_foreach(alternatives(schema.node), i, count, item) {
        unsigned more = types_of((struct tool_schema){schema.root, item}, depth - 1);
        if (more == 0) return 0;
        types |= more;
    }
    yyjson_arr_foreach(yyjson_obj_get(schema.node, "allOf"), i, count, item) {
        if (types == 0) types = types_of((struct tool_schema){schema.root, item}, depth - 1);
    }
    if (types != 0) return types;
    yyjson_arr_foreach(yyjson_obj_get(schema.node, "enum"), i, count, item) types |=
        type_of_value(item);
    if (types == 0 && yyjson_obj_get(schema.node, "const") != NULL)
        types = type_of_value(yyjson_obj_get(schema.node, "const"));
    if (types == 0 && yyjson_is_obj(yyjson_obj_get(schema.node, "properties"))) types = TOOL_OBJECT;
    if (types == 0 && yyjson_obj_get(schema.node, "items") != NULL) types = TOOL_ARRAY;
    return types;
}

unsigned tool_schema_types(struct tool_schema schema) {
    return types_of(schema, DEPTH_MAX);
}

/* Calls `visit` with the schema and all that it is made of, until one answers true. */
static bool each_part(struct tool_schema schema, int depth,
                      bool (*visit)(struct tool_schema part, void *user), void *user) {
    static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
    schema = tool_schema_resolve(schema);
    if (depth == 0 || !yyjson_is_obj(schema.node)) return false;
    if (visit(schema, user)) return true;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        size_t i, count;
        yyjson_val *item;
        yyjson_arr_foreach(yyjson_obj_get(schema.node, lists[k]), i, count, item) {
            if (each_part((struct tool_schema){schema.root, item}, depth - 1, visit, user))
                return true;
        }
    }
    return false;
}

struct search {
    const char *name;
    size_t len;
    struct tool_schema found;
};

static bool visit_member(struct tool_schema part, void *user) {
    struct search *search = user;
    yyjson_val *members = yyjson_obj_get(part.node, "properties");
    yyjson_val *member = yyjson_obj_getn(members, search->name, search->len);
    if (member == NULL) return false;
    search->found = (struct tool_schema){part.root, member};
    return true;
}

bool tool_schema_member(struct tool_schema schema, const char *name, size_t len,
                        struct tool_schema *member) {
    struct search search = {.name = name, .len = len};
    if (!each_part(schema, DEPTH_MAX, visit_member, &search)) return false;
    *member = search.found;
    return true;
}

static bool visit_has_members(struct tool_schema part, void *user) {
    (void)user;
    return yyjson_obj_size(yyjson_obj_get(part.node, "properties")) > 0;
}

bool tool_schema_has_members(struct tool_schema schema) {
    return each_part(schema, DEPTH_MAX, visit_has_members, NULL);
}

bool tool_schema_is_open(struct tool_schema schema) {
    schema = tool_schema_resolve(schema);
    if (!yyjson_is_obj(schema.node)) return true;
    yyjson_val *more = yyjson_obj_get(schema.node, "additionalProperties");
    if (more != NULL) return !yyjson_is_false(more);
    return !tool_schema_has_members(schema);
}

struct tool_schema tool_schema_items(struct tool_schema schema) {
    schema = tool_schema_resolve(schema);
    struct tool_schema items = {schema.root, yyjson_obj_get(schema.node, "items")};
    if (items.node != NULL) return items;
    size_t i, count;
    yyjson_val *item;
    yyjson_arr_foreach(alternatives(schema.node), i, count, item) {
        struct tool_schema part = tool_schema_resolve((struct tool_schema){schema.root, item});
        items.node = yyjson_obj_get(part.node, "items");
        if (items.node != NULL) return items;
    }
    return items;
}

yyjson_val *tool_schema_choices(struct tool_schema schema) {
    yyjson_val *list = yyjson_obj_get(tool_schema_resolve(schema).node, "enum");
    return yyjson_is_arr(list) ? list : NULL;
}

const char *tool_schema_required(struct tool_schema schema, size_t index) {
    schema = tool_schema_resolve(schema);
    return yyjson_get_str(yyjson_arr_get(yyjson_obj_get(schema.node, "required"), index));
}

bool tool_schema_requires(struct tool_schema schema, const char *name) {
    const char *required;
    for (size_t i = 0; (required = tool_schema_required(schema, i)) != NULL; i++)
        if (strcmp(required, name) == 0) return true;
    return false;
}

/* ------------------------------------------------------------------ for people */

/* A value as a user would write it; the caller frees it. */
static char *choice_text(yyjson_val *value) {
    if (yyjson_is_str(value)) return strdup(yyjson_get_str(value));
    return yyjson_val_write(value, 0, NULL);
}

static const char *type_name(unsigned types) {
    switch (types & ~(unsigned)TOOL_NULL) {
    case TOOL_BOOLEAN: return "true|false";
    case TOOL_INTEGER: return "INTEGER";
    case TOOL_NUMBER:
    case TOOL_NUMBER | TOOL_INTEGER: return "NUMBER";
    case TOOL_STRING: return "STRING";
    case 0: return types ? "null" : "VALUE";
    default: return types & (TOOL_ARRAY | TOOL_OBJECT) ? "JSON" : "VALUE";
    }
}

static void choice_names(yyjson_val *choices, char *buf, size_t size) {
    size_t i, count, at = 0;
    yyjson_val *choice;
    yyjson_arr_foreach(choices, i, count, choice) {
        char *text = i < CHOICES_SHOWN ? choice_text(choice) : strdup("...");
        int n = snprintf(buf + at, size - at, "%s%s", i > 0 ? "|" : "", text != NULL ? text : "?");
        free(text);
        at += (size_t)n;
        if (i == CHOICES_SHOWN || at >= size) return;
    }
}

void tool_schema_value_name(struct tool_schema schema, char *buf, size_t size) {
    /* The name of a list is that of its items, unless these are lists again. */
    unsigned types = tool_schema_types(schema);
    if (tool_schema_choices(schema) == NULL && (types & ~(unsigned)TOOL_NULL) == TOOL_ARRAY) {
        schema = tool_schema_items(schema);
        types = tool_schema_types(schema);
    }
    yyjson_val *choices = tool_schema_choices(schema);
    snprintf(buf, size, "%s", type_name(types));
    if (choices != NULL) choice_names(choices, buf, size);
}

static bool is_array(struct tool_schema schema) {
    return (tool_schema_types(schema) & ~(unsigned)TOOL_NULL) == TOOL_ARRAY;
}

static void print_option(FILE *out, const char *name, struct tool_schema schema) {
    fprintf(out, "--%s", name);
    if ((tool_schema_types(schema) & ~(unsigned)TOOL_NULL) == TOOL_BOOLEAN) return;
    char value[NAME_SIZE];
    tool_schema_value_name(schema, value, sizeof value);
    fprintf(out, " %s", value);
}

struct printing {
    FILE *out;
    struct tool_schema whole;
    bool required; /* of a usage line: first the required ones, then the others */
    yyjson_val *shapes; /* of options: what is known of those that are lists and objects */
};

static bool visit_usage(struct tool_schema part, void *user) {
    struct printing *printing = user;
    size_t i, count;
    yyjson_val *name, *member;
    yyjson_obj_foreach(yyjson_obj_get(part.node, "properties"), i, count, name, member) {
        struct tool_schema schema = {part.root, member};
        if (tool_schema_requires(printing->whole, yyjson_get_str(name)) != printing->required)
            continue;
        fputs(printing->required ? " " : " [", printing->out);
        print_option(printing->out, yyjson_get_str(name), schema);
        if (!printing->required) putc(']', printing->out);
        if (is_array(schema)) fputs("...", printing->out);
    }
    return false;
}

void tool_schema_usage(FILE *out, const char *name, struct tool_schema schema) {
    struct printing printing = {.out = out, .whole = schema, .required = true};
    fprintf(out, "usage: %s", name);
    each_part(schema, DEPTH_MAX, visit_usage, &printing);
    printing.required = false;
    each_part(schema, DEPTH_MAX, visit_usage, &printing);
    if (tool_schema_is_open(schema)) fputs(" [--NAME VALUE]...", out);
    putc('\n', out);
}

static bool visit_option(struct tool_schema part, void *user) {
    struct printing *printing = user;
    FILE *out = printing->out;
    size_t i, count;
    yyjson_val *name, *member;
    yyjson_obj_foreach(yyjson_obj_get(part.node, "properties"), i, count, name, member) {
        struct tool_schema schema = {part.root, member}, real = tool_schema_resolve(schema);
        fputs("  ", out);
        print_option(out, yyjson_get_str(name), schema);
        if (tool_schema_requires(printing->whole, yyjson_get_str(name))) fputs("  (required)", out);
        if (is_array(schema)) fputs("  (may be repeated)", out);
        yyjson_val *value = yyjson_obj_get(member, "default");
        if (value != NULL) {
            char *text = choice_text(value);
            fprintf(out, "  (default: %s)", text == NULL ? "?" : *text != '\0' ? text : "\"\"");
            free(text);
        }
        putc('\n', out);
        const char *what = yyjson_get_str(yyjson_obj_get(member, "description"));
        if (what == NULL) what = yyjson_get_str(yyjson_obj_get(real.node, "description"));
        if (what != NULL) fprintf(out, "        %s\n", what);
        const char *shape = yyjson_get_str(yyjson_obj_get(printing->shapes, yyjson_get_str(name)));
        if (shape != NULL) fprintf(out, "        %s\n", shape);
    }
    return false;
}

void tool_schema_options(FILE *out, struct tool_schema schema, yyjson_val *shapes) {
    struct printing printing = {.out = out, .whole = schema, .shapes = shapes};
    each_part(schema, DEPTH_MAX, visit_option, &printing);
}
