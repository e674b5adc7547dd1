/*
 * host/machine/toolstubs.c: the tools as Python programs see them, as a stub of the module tools.
 *
 * Names with dots are classes within each other; what Python cannot name is told in a comment. As
 * in tooldocs.c, a type that cannot be said is Any, and nothing is checked against it.
 */
#include "tooldocs.h"

#include "host/base/json_out.h"

#include <string.h>

#define ARENA_MAX ((size_t)64 << 20)
#define DEPTH_MAX 6

static const char head[] =
    "\"\"\"The host's tools, as Python programs see them: from tools import NAME.\n\n"
    "tools.aio has the same functions for `await`, any number of them in flight at once.\n\"\"\"\n"
    "from typing import Any, Literal\n\n"
    "class CapabilityError(Exception):\n    \"\"\"A call that is not allowed, or one too "
    "many.\"\"\"\n"
    "    code: str\n\n"
    "class ToolError(Exception):\n    \"\"\"A call that failed.\"\"\"\n    code: str\n\n";

static bool is_keyword(const char *text, size_t len) {
    static const char *const words[] = {
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0) return true;
    return false;
}

static bool is_name(const char *text, size_t len) {
    return cap_name_is_identifier(text, len) && !is_keyword(text, len);
}

static void indent(struct base_buf *out, int depth) {
    for (int i = 0; i < depth; i++) base_buf_addz(out, "    ");
}

/* ------------------------------------------------------------------ types */

static void type_of(struct base_buf *out, yyjson_val *schema, int depth);

static void named(struct base_buf *out, yyjson_val *schema, const char *name, int depth) {
    static const char *const names[][2] = {{"string", "str"},
                                           {"integer", "int"},
                                           {"number", "float"},
                                           {"boolean", "bool"},
                                           {"null", "None"}};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0) {
            base_buf_addz(out, names[i][1]);
            return;
        }
    if (name && strcmp(name, "array") == 0) {
        base_buf_addz(out, "list[");
        type_of(out, yyjson_obj_get(schema, "items"), depth);
        base_buf_addz(out, "]");
    } else if (name && strcmp(name, "object") == 0) {
        yyjson_val *more = yyjson_obj_get(schema, "additionalProperties");
        bool same =
            yyjson_is_obj(more) && yyjson_obj_size(yyjson_obj_get(schema, "properties")) == 0;
        base_buf_addz(out, "dict[str, ");
        type_of(out, same ? more : NULL, depth);
        base_buf_addz(out, "]");
    } else {
        base_buf_addz(out, "Any");
    }
}

static void several(struct base_buf *out, yyjson_val *list, int depth) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_buf_addz(out, " | ");
        type_of(out, item, depth);
    }
    if (iter.max == 0) base_buf_addz(out, "Any");
}

/* Values that Literal can have: strings, integers, booleans and None; otherwise Any. */
static void literals(struct base_buf *out, yyjson_val *values) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(values);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (!yyjson_is_str(item)) {
            base_buf_addz(out, "Any");
            return;
        }
    iter = yyjson_arr_iter_with(values);
    base_buf_addz(out, iter.max ? "Literal[" : "Any");
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_buf_addz(out, ", ");
        base_json_out(out, item);
    }
    if (iter.max) base_buf_addz(out, "]");
}

static void type_of(struct base_buf *out, yyjson_val *schema, int depth) {
    yyjson_val *part, *type = yyjson_obj_get(schema, "type");
    if (++depth > DEPTH_MAX || !yyjson_is_obj(schema)) {
        base_buf_addz(out, "Any");
    } else if ((part = yyjson_obj_get(schema, "enum"))) {
        literals(out, part);
    } else if ((part = yyjson_obj_get(schema, "anyOf")) ||
               (part = yyjson_obj_get(schema, "oneOf"))) {
        several(out, part, depth);
    } else if (yyjson_is_arr(type)) {
        yyjson_arr_iter iter = yyjson_arr_iter_with(type);
        for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
            if (iter.idx > 1) base_buf_addz(out, " | ");
            named(out, schema, yyjson_get_str(item), depth);
        }
    } else {
        named(out, schema, yyjson_get_str(type), depth);
    }
}

/* ------------------------------------------------------------------ functions */

static bool is_required(yyjson_val *schema, yyjson_val *key) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(schema, "required"));
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (yyjson_equals(item, key)) return true;
    return false;
}

/* Those that a call must give come first, as in the function itself
 * (guest/programs/python/lib/tools.py). */
static void parameters(struct base_buf *out, yyjson_val *schema) {
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    yyjson_val *more = yyjson_obj_get(schema, "additionalProperties");
    yyjson_obj_iter iter = yyjson_obj_iter_with(properties);
    bool plain = yyjson_obj_size(properties) > 0, first = true;
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        plain = plain && is_name(yyjson_get_str(key), yyjson_get_len(key));
    for (int needed = 1; plain && needed >= 0; needed--) {
        iter = yyjson_obj_iter_with(properties);
        for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
            if (is_required(schema, key) != needed) continue;
            base_buf_addf(out, "%s%s: ", first ? "" : ", ", yyjson_get_str(key));
            type_of(out, yyjson_obj_iter_get_val(key), 0);
            if (!needed) base_buf_addz(out, " = ...");
            first = false;
        }
    }
    if (!plain || (more && !yyjson_is_false(more)))
        base_buf_addz(out, first ? "**more: Any" : ", **more: Any");
}

/* A text inside a docstring, which it must not end. */
static void quoted(struct base_buf *out, const char *text, int depth) {
    for (const char *p = text; *p; p++) {
        if (*p == '\\' || (*p == '"' && (p[1] == '"' || p[1] == '\0'))) base_buf_addz(out, "\\");
        base_buf_add(out, p, 1);
        if (*p == '\n' && p[1] != '\n') indent(out, depth);
    }
}

/* "NAME: what it means", and what an object has in it, which no type of Python's says here. */
static void told(struct base_buf *out, const char *name, yyjson_val *root, yyjson_val *schema,
                 bool given, int depth) {
    struct base_buf text, type;
    base_buf_init(&text, ARENA_MAX);
    base_buf_init(&type, ARENA_MAX);
    machine_tool_meaning(&text, schema, !given);
    machine_tool_type(&type, root, schema, given);
    const char *between = text.len == 0 ? "" : text.data[text.len - 1] == '.' ? " " : ": ";
    if (type.len && strchr(type.data, '{')) base_buf_addf(&text, "%s%s", between, type.data);
    if (text.len) {
        base_buf_addz(out, "\n");
        indent(out, depth);
        quoted(out, name, depth);
        base_buf_addz(out, ": ");
        quoted(out, text.data, depth);
    }
    if (text.failed || type.failed) out->failed = true;
    base_buf_free(&text);
    base_buf_free(&type);
}

/* The docstring: what the tool does, what its parameters and its result are. */
static void docstring(struct base_buf *out, const struct cap_tool *tool, yyjson_val *schema,
                      int depth) {
    struct base_buf more;
    base_buf_init(&more, ARENA_MAX);
    yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        told(&more, yyjson_get_str(key), schema, yyjson_obj_iter_get_val(key), false, depth);
    yyjson_val *returns = yyjson_obj_get(schema, "x-returns");
    if (returns) told(&more, "Returns", returns, returns, true, depth);
    if (*tool->description || more.len) {
        base_buf_addz(out, "\"\"\"");
        quoted(out, tool->description, depth);
        if (*tool->description && more.len) base_buf_addz(out, "\n");
        if (more.len) base_buf_addz(out, more.data);
        base_buf_addz(out, "\"\"\"\n");
    } else {
        base_buf_addz(out, "...\n");
    }
    if (more.failed) out->failed = true;
    base_buf_free(&more);
}

static void function(struct base_buf *out, const struct cap_tool *tool, const char *name,
                     size_t len, int depth) {
    struct base_arena arena;
    base_arena_init(&arena, ARENA_MAX);
    yyjson_val *schema = NULL;
    if (tool->schema_len && base_json_read(&arena, tool->schema, tool->schema_len, BASE_JSON_DEPTH,
                                           &schema, NULL) != PF_OK)
        schema = NULL;
    indent(out, depth);
    if (depth) base_buf_addz(out, "@staticmethod\n");
    if (depth) indent(out, depth);
    base_buf_addf(out, "def %.*s(", (int)len, name);
    parameters(out, schema);
    base_buf_addz(out, ") -> ");
    type_of(out, yyjson_obj_get(schema, "x-returns"), 0);
    base_buf_addz(out, ":\n");
    indent(out, depth + 1);
    docstring(out, tool, schema, depth + 1);
    base_arena_free(&arena);
}

/* Is `id` below the path whose length is `len`? */
static bool below(const char *id, const char *path, size_t len) {
    return len == 0 || (strncmp(id, path, len) == 0 && id[len] == '/');
}

/* Did a tool before this one begin with the same `len` bytes, so that it was written then? */
static bool told_before(const cap_gate *gate, size_t index, const char *id, size_t len) {
    for (size_t i = 0; i < index; i++) {
        const char *other = cap_gate_tool(gate, i)->id;
        if (strncmp(other, id, len) == 0 && (other[len] == '/' || other[len] == '\0')) return true;
    }
    return false;
}

/* What lies below a path: functions, and a class for each further segment. */
static void members(struct base_buf *out, const cap_gate *gate, const char *path, size_t len,
                    int depth) {
    size_t count = cap_gate_tool_count(gate);
    for (size_t i = 0; i < count; i++) {
        const struct cap_tool *tool = cap_gate_tool(gate, i);
        if (!below(tool->id, path, len)) continue;
        const char *name = tool->id + len + (len > 0);
        size_t n = strcspn(name, "/"), end = (size_t)(name - tool->id) + n;
        if (!is_name(name, n)) {
            indent(out, depth);
            base_buf_addf(out, "# %s: no name in Python; the shell's command tool calls it\n",
                          tool->id);
        } else if (name[n] == '\0') {
            function(out, tool, name, n, depth);
        } else if (depth < DEPTH_MAX && !told_before(gate, i, tool->id, end)) {
            indent(out, depth);
            base_buf_addf(out, "class %.*s:\n", (int)n, name);
            members(out, gate, tool->id, end, depth + 1);
        }
    }
}

bool machine_tool_stubs(struct base_buf *out, const cap_gate *gate) {
    base_buf_addz(out, head);
    members(out, gate, "", 0, 0);
    return !out->failed;
}
