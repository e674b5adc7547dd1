/*
 * host/machine/tooldocs.c: the tools as text to read: one page for each, and TypeScript types of
 * all.
 *
 * For the programs inside and the models that write them; nothing here is checked against, the
 * gate's schema is. Text comes from the embedder; only its syntax has to be kept apart from ours.
 */
#include "tooldocs.h"

#include "host/base/json_out.h"
#include "host/base/number.h"

#include <string.h>

#define ARENA_MAX ((size_t)64 << 20)
#define DEPTH_MAX 12
#define TYPE_LEN_MAX ((size_t)16 << 10) /* where the text of one type begins to be cut */
#define JS_INTEGER_MAX ((INT64_C(1) << 53) - 1) /* the largest that a Number holds safely */

/* ------------------------------------------------------------------ types */

/* A reference that is being followed, and the one around it. */
struct followed {
    yyjson_val *target;
    const struct followed *outer;
};

/* Where in a schema a type is written. */
struct at {
    yyjson_val *root; /* of the document, which references start from */
    size_t begin;     /* of this type in the text */
    int depth;
    bool tight;   /* what stands here is joined with more */
    bool outside; /* what the members of the whole mean is told elsewhere */
    bool given;   /* by a tool: defaults are not told */
    const struct followed *followed;
};

static void type_of(struct base_buf *out, yyjson_val *schema, struct at at);

/* Is what was written from `begin` on, after a separator, what a join from `first` on began
 * with? */
static bool is_repeated(const struct base_buf *out, size_t first, size_t begin, size_t between) {
    size_t len = out->len - begin;
    return !out->failed && begin > first && begin - first == len - between &&
           memcmp(out->data + first, out->data + begin + between, len - between) == 0;
}

static void join(struct base_buf *out, yyjson_val *list, const char *between, struct at at) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    bool enclosed = at.tight && yyjson_arr_size(list) > 1;
    at.tight = true;
    if (enclosed) base_buf_addz(out, "(");
    size_t first = out->len;
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        size_t begin = out->len;
        if (iter.idx > 1) base_buf_addz(out, between);
        type_of(out, item, at);
        if (is_repeated(out, first, begin, strlen(between))) out->data[out->len = begin] = '\0';
    }
    if (enclosed) base_buf_addz(out, ")");
}

static bool is_identifier(yyjson_val *key) {
    return cap_name_is_identifier(yyjson_get_str(key), yyjson_get_len(key));
}

static bool is_required(yyjson_val *schema, yyjson_val *key) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(schema, "required"));
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        if (yyjson_equals(item, key)) return true;
    return false;
}

/* The same in a comment on one line, which it must not end. */
static void note(struct base_buf *out, yyjson_val *schema, struct at at) {
    struct base_buf text;
    base_buf_init(&text, ARENA_MAX);
    machine_tool_meaning(&text, schema, !at.given);
    if (text.len && out->len - at.begin <= TYPE_LEN_MAX) {
        base_buf_addz(out, " /* ");
        for (const char *p = text.data; *p; p++)
            base_buf_add(out,
                         *p == '\n'                                     ? " "
                         : p[0] == '/' && p > text.data && p[-1] == '*' ? "\\"
                                                                        : p,
                         1);
        base_buf_addz(out, " */");
    }
    if (text.failed) out->failed = true;
    base_buf_free(&text);
}

static void object_type(struct base_buf *out, yyjson_val *schema, struct at at) {
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    yyjson_val *more = yyjson_obj_get(schema, "additionalProperties");
    bool noted = at.depth > 1 || !at.outside;
    at.tight = false;
    if (yyjson_obj_size(properties) == 0) {
        bool none = yyjson_is_false(more);
        base_buf_addz(out, none ? "{}" : "Record<string, ");
        if (!none) type_of(out, yyjson_is_obj(more) ? more : NULL, at);
        if (!none) base_buf_addz(out, ">");
        return;
    }
    yyjson_obj_iter iter = yyjson_obj_iter_with(properties);
    base_buf_addz(out, "{ ");
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        if (iter.idx > 1) base_buf_addz(out, "; ");
        if (is_identifier(key))
            base_buf_add(out, yyjson_get_str(key), yyjson_get_len(key));
        else
            base_json_out(out, key);
        base_buf_addz(out, is_required(schema, key) ? ": " : "?: ");
        type_of(out, yyjson_obj_iter_get_val(key), at);
        if (noted) note(out, yyjson_obj_iter_get_val(key), at);
    }
    base_buf_addz(out, " }");
}

static void array_type(struct base_buf *out, yyjson_val *schema, struct at at) {
    yyjson_val *first = yyjson_obj_get(schema, "prefixItems");
    at.tight = false;
    if (first) {
        yyjson_arr_iter iter = yyjson_arr_iter_with(first);
        base_buf_addz(out, "[");
        for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
            if (iter.idx > 1) base_buf_addz(out, ", ");
            type_of(out, item, at);
        }
        base_buf_addz(out, "]");
        return;
    }
    base_buf_addz(out, "Array<");
    type_of(out, yyjson_obj_get(schema, "items"), at);
    base_buf_addz(out, ">");
}

static void named_type(struct base_buf *out, yyjson_val *schema, const char *name, struct at at) {
    if (!name)
        base_buf_addz(out, "any");
    else if (strcmp(name, "object") == 0)
        object_type(out, schema, at);
    else if (strcmp(name, "array") == 0)
        array_type(out, schema, at);
    else
        base_buf_addz(out, strcmp(name, "integer") == 0 ? "number" : name);
}

static void plain_type(struct base_buf *out, yyjson_val *schema, struct at at) {
    yyjson_val *type = yyjson_obj_get(schema, "type");
    if (!yyjson_is_arr(type)) {
        bool object = !type && yyjson_obj_get(schema, "properties");
        named_type(out, schema, object ? "object" : yyjson_get_str(type), at);
        return;
    }
    yyjson_arr_iter iter = yyjson_arr_iter_with(type);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_buf_addz(out, " | ");
        named_type(out, schema, yyjson_get_str(item), at);
    }
}

/* Is it an integer, written as one, that a Number of JavaScript does not hold safely? */
static bool is_large_integer(yyjson_val *value) {
    struct base_number n, most, least;
    char most_text[BASE_NUMBER_TEXT], least_text[BASE_NUMBER_TEXT];
    if (!yyjson_is_raw(value)) return false;
    const char *text = yyjson_get_raw(value);
    size_t len = yyjson_get_len(value);
    for (size_t i = 0; i < len; i++)
        if (text[i] != '-' && (text[i] < '0' || text[i] > '9')) return false;
    base_number_of(&most, JS_INTEGER_MAX, most_text);
    base_number_of(&least, -JS_INTEGER_MAX, least_text);
    return base_number_read(&n, text, len) &&
           (base_number_compare(&n, &most) > 0 || base_number_compare(&n, &least) < 0);
}

/* A value as TypeScript has it. */
static void value_type(struct base_buf *out, yyjson_val *value) {
    base_json_out(out, value);
    if (is_large_integer(value)) base_buf_addz(out, "n");
}

static void values_type(struct base_buf *out, yyjson_val *values) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(values);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (iter.idx > 1) base_buf_addz(out, " | ");
        if (yyjson_is_obj(item) || yyjson_is_arr(item))
            base_buf_addz(out, "any");
        else
            value_type(out, item);
    }
}

/* A type by its reference; `any` for one that contains itself. */
static void referred_type(struct base_buf *out, const char *reference, struct at at) {
    yyjson_val *target =
        reference && *reference == '#' ? yyjson_ptr_get(at.root, reference + 1) : NULL;
    for (const struct followed *f = at.followed; f; f = f->outer)
        if (f->target == target) target = NULL;
    struct followed followed = {target, at.followed};
    at.followed = &followed;
    type_of(out, target, at);
}

/* What a schema cannot be expressed as is `any`: a type that is too wide does not mislead. */
static void type_of(struct base_buf *out, yyjson_val *schema, struct at at) {
    yyjson_val *part;
    if (++at.depth > DEPTH_MAX || out->len - at.begin > TYPE_LEN_MAX || !yyjson_is_obj(schema))
        base_buf_addz(out, "any");
    else if ((part = yyjson_obj_get(schema, "$ref")))
        referred_type(out, yyjson_get_str(part), at);
    else if ((part = yyjson_obj_get(schema, "enum")))
        values_type(out, part);
    else if ((part = yyjson_obj_get(schema, "const")) && !yyjson_is_ctn(part))
        value_type(out, part);
    else if ((part = yyjson_obj_get(schema, "anyOf")) || (part = yyjson_obj_get(schema, "oneOf")))
        join(out, part, " | ", at);
    else if ((part = yyjson_obj_get(schema, "allOf")))
        join(out, part, " & ", at);
    else
        plain_type(out, schema, at);
    if (yyjson_is_true(yyjson_obj_get(schema, "nullable"))) base_buf_addz(out, " | null");
}

void machine_tool_type(struct base_buf *out, yyjson_val *root, yyjson_val *schema, bool given) {
    type_of(out, schema, (struct at){.root = root, .begin = out->len, .given = given});
}

/* The parsed schema of a tool; NULL when it has none. */
static yyjson_val *schema_of(struct base_arena *arena, const struct cap_tool *tool) {
    yyjson_val *schema = NULL;
    if (tool->schema_len && base_json_read(arena, tool->schema, tool->schema_len, BASE_JSON_DEPTH,
                                           &schema, NULL) != PF_OK)
        return NULL;
    return schema;
}

static void result_type(struct base_buf *out, yyjson_val *schema) {
    yyjson_val *returns = yyjson_obj_get(schema, "x-returns");
    machine_tool_type(out, returns, returns, true);
}

bool machine_tool_returns(struct base_buf *out, const struct cap_tool *tool) {
    struct base_arena arena;
    base_arena_init(&arena, ARENA_MAX);
    result_type(out, schema_of(&arena, tool));
    base_arena_free(&arena);
    return !out->failed;
}

bool machine_tool_shapes(struct base_buf *out, const struct cap_tool *tool) {
    struct base_arena arena;
    struct base_buf type;
    base_arena_init(&arena, ARENA_MAX);
    yyjson_val *schema = schema_of(&arena, tool);
    yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    const char *between = "";
    base_buf_addz(out, "{");
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        base_buf_init(&type, ARENA_MAX);
        struct base_buf text;
        base_buf_init(&text, ARENA_MAX);
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        machine_tool_type(&type, schema, value, false);
        machine_tool_limits(&text, value);
        if (type.len && (strpbrk(type.data, "{[") || strstr(type.data, "Record<") ||
                         strstr(type.data, "<Array<")))
            base_buf_addf(&text, "%s%s", text.len ? "; " : "", type.data);
        if (text.failed) out->failed = true;
        if (text.len) {
            base_buf_addz(out, between);
            base_json_out(out, key);
            base_buf_addz(out, ":");
            base_json_out_string(out, text.data, text.len);
            between = ",";
        }
        if (type.failed) out->failed = true;
        base_buf_free(&text);
        base_buf_free(&type);
    }
    base_buf_addz(out, "}");
    base_arena_free(&arena);
    return !out->failed;
}

/* ------------------------------------------------------------------ tools.d.ts */

/* A text inside a comment, which it must not end. */
static void commented(struct base_buf *out, const char *text) {
    for (const char *p = text; *p; p++) {
        if (p[0] == '*' && p[1] == '/')
            base_buf_addz(out, "*\\");
        else if (*p == '\n')
            base_buf_addz(out, "\n   *  ");
        else
            base_buf_add(out, p, 1);
    }
}

/* One more line of a comment, which the first begins. */
static void comment_line(struct base_buf *out, size_t begin) {
    base_buf_addz(out, out->len == begin ? "  /** " : "\n   *  ");
}

static void described_parameter(struct base_buf *out, size_t begin, const char *name,
                                yyjson_val *schema) {
    struct base_buf line;
    base_buf_init(&line, ARENA_MAX);
    machine_tool_meaning(&line, schema, true);
    if (line.len) {
        comment_line(out, begin);
        base_buf_addz(out, "@param ");
        commented(out, name);
        base_buf_addz(out, " ");
        commented(out, line.data);
    }
    if (line.failed) out->failed = true;
    base_buf_free(&line);
}

/* What a tool does, what its parameters and its result mean. */
static void comment(struct base_buf *out, const struct cap_tool *tool, yyjson_val *schema) {
    size_t begin = out->len;
    if (*tool->description) comment_line(out, begin);
    commented(out, tool->description);
    yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        described_parameter(out, begin, yyjson_get_str(key), yyjson_obj_iter_get_val(key));
    const char *result =
        yyjson_get_str(yyjson_obj_get(yyjson_obj_get(schema, "x-returns"), "description"));
    if (result && *result) {
        comment_line(out, begin);
        base_buf_addz(out, "@returns ");
        commented(out, result);
    }
    if (out->len > begin) base_buf_addz(out, " */\n");
}

/* `declare namespace stripe.charges { const create: … }`, unless a segment is no identifier. */
static void dotted(struct base_buf *out, const struct cap_tool *tool) {
    const char *last = strrchr(tool->id, '/');
    if (!last || !tool->dotted_usable) return;
    struct base_buf path;
    base_buf_init(&path, CAP_NAME_MAX + 1);
    bool ok = true;
    for (const char *p = tool->id; ok; p++) {
        size_t len = strcspn(p, "/");
        ok = cap_name_is_identifier(p, len) && !cap_reserved_js(p, len);
        if (p > last) break;
        base_buf_addf(&path, "%s%.*s", path.len ? "." : "", (int)len, p);
        p += len;
    }
    if (ok)
        base_buf_addf(out, "declare namespace %s { const %s: (typeof tools)[\"%s\"]; }\n",
                      path.data, last + 1, tool->id);
    base_buf_free(&path);
}

bool machine_tool_types(struct base_buf *out, const cap_gate *gate) {
    size_t count = cap_gate_tool_count(gate);
    char name[CAP_NAMESPACE_SIZE];
    base_buf_addz(out,
                  "// The host's tools, as JavaScript programs see them. Integers beyond 2^53 are "
                  "BigInt, in results as in arguments.\n"
                  "declare const tools: {\n");
    for (size_t i = 0; i < count; i++) {
        const struct cap_tool *tool = cap_gate_tool(gate, i);
        struct base_arena arena;
        base_arena_init(&arena, ARENA_MAX);
        yyjson_val *schema = schema_of(&arena, tool);
        comment(out, tool, schema);
        base_buf_addf(out, "  \"%s\"(params: ", tool->id);
        if (schema)
            type_of(out, schema, (struct at){.root = schema, .begin = out->len, .outside = true});
        else
            base_buf_addz(out, "Record<string, any>");
        base_buf_addz(out, "): Promise<");
        result_type(out, schema);
        base_buf_addz(out, ">;\n");
        base_arena_free(&arena);
    }
    base_buf_addz(out, "};\n");
    for (size_t i = 0; i < count; i++) {
        const struct cap_tool *tool = cap_gate_tool(gate, i);
        if (tool->flat_usable)
            base_buf_addf(out, "declare const %s: (typeof tools)[\"%s\"];\n", tool->flat, tool->id);
        dotted(out, tool);
    }
    for (size_t i = 0; cap_gate_namespace(gate, i, name); i++)
        base_buf_addf(out, "declare const %s: any;\n", name);
    return !out->failed;
}

/* ------------------------------------------------------------------ NAME.md */

static void parameters(struct base_buf *out, yyjson_val *schema) {
    yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        struct base_buf text;
        base_buf_init(&text, ARENA_MAX);
        machine_tool_meaning(&text, value, true);
        if (iter.idx == 1) base_buf_addz(out, "\n## Parameters\n\n");
        base_buf_addf(out, "* `%s` (`", yyjson_get_str(key));
        machine_tool_type(out, schema, value, false);
        base_buf_addz(out, is_required(schema, key) ? "`, required)" : "`)");
        base_buf_addf(out, "%s%s\n", text.len ? ": " : "", text.len ? text.data : "");
        if (text.failed) out->failed = true;
        base_buf_free(&text);
    }
}

static void results(struct base_buf *out, yyjson_val *schema) {
    yyjson_val *returns = yyjson_obj_get(schema, "x-returns");
    const char *text = yyjson_get_str(yyjson_obj_get(returns, "description"));
    if (!returns) return;
    base_buf_addz(out, "\n## Result\n\n`");
    result_type(out, schema);
    base_buf_addf(out, "`%s%s\n", text ? ": " : "", text ? text : "");
}

/* How it is called, by the name that always works and by the short one if there is one. */
static void usage(struct base_buf *out, const struct cap_tool *tool, yyjson_val *schema) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(schema, "required"));
    base_buf_addz(out, "\n## Use\n\n```js\nawait ");
    if (tool->flat_usable)
        base_buf_addz(out, tool->flat);
    else
        base_buf_addf(out, "tools[\"%s\"]", tool->id);
    base_buf_addz(out, "({");
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        base_buf_addf(out, "%s%s: …", iter.idx > 1 ? ", " : "", yyjson_get_str(item));
    base_buf_addf(out, "})\n```\n\n```sh\ntool %s", tool->name);
    iter = yyjson_arr_iter_with(yyjson_obj_get(schema, "required"));
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));)
        base_buf_addf(out, " --%s …", yyjson_get_str(item));
    base_buf_addz(out, "\n```\n");
}

bool machine_tool_page(struct base_buf *out, const struct cap_tool *tool) {
    struct base_arena arena;
    base_arena_init(&arena, ARENA_MAX);
    yyjson_val *schema = schema_of(&arena, tool);
    base_buf_addf(out, "# %s\n", tool->name);
    if (*tool->description) base_buf_addf(out, "\n%s\n", tool->description);
    parameters(out, schema);
    results(out, schema);
    usage(out, tool, schema);
    base_arena_free(&arena);
    return !out->failed;
}
