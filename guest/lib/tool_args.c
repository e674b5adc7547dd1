/*
 * guest/lib/tool_args.c: see tool_args.h.
 *
 * Numbers keep the digits they were written with, so that no integer is rounded on its way.
 */
#include "tool_args.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8/utf8.h"

/* Options in one call whose repetition is noticed, and levels of --a.b.c. */
#define OPTIONS_MAX 256
#define LEVELS_MAX  32
#define TYPES_DEPTH 8

struct parse {
    struct tool_args *args;
    struct tool_schema schema;
    yyjson_mut_doc *doc;
    yyjson_mut_val *object;
    const char *seen[OPTIONS_MAX]; /* names of options given so far, up to the = */
    size_t seen_len[OPTIONS_MAX];
    int seen_count;
    bool any; /* a parameter was given */
    enum tool_args_outcome outcome;
};

/* The error, unless memory is out, which makes good input look bad. */
__attribute__((format(printf, 2, 3))) static bool fail(struct parse *p, const char *format, ...) {
    if (p->outcome == TOOL_ARGS_NO_MEMORY) return false;
    va_list list;
    va_start(list, format);
    vsnprintf(p->args->error, sizeof p->args->error, format, list);
    va_end(list);
    p->outcome = TOOL_ARGS_BAD;
    return false;
}

static bool no_memory(struct parse *p) {
    p->outcome = TOOL_ARGS_NO_MEMORY;
    return false;
}

/* ------------------------------------------------------------------ one value */

static bool is_number(const char *text, bool integer) {
    const char *s = text + (*text == '-');
    if (*s == '0' && s[1] >= '0' && s[1] <= '9') return false;
    size_t digits = strspn(s, "0123456789");
    s += digits;
    if (digits == 0) return false;
    if (integer) return *s == '\0';
    if (*s == '.') {
        digits = strspn(++s, "0123456789");
        if (digits == 0) return false;
        s += digits;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        digits = strspn(s, "0123456789");
        if (digits == 0) return false;
        s += digits;
    }
    return *s == '\0';
}

/* JSON text as a value; NULL when it is none, or memory is out. */
static yyjson_mut_val *from_json(struct parse *p, const char *text, size_t len) {
    yyjson_read_flag flags = YYJSON_READ_NUMBER_AS_RAW;
    yyjson_read_err error;
    yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)text, len, flags, NULL, &error);
    if (doc == NULL && error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) no_memory(p);
    if (doc == NULL) return NULL;
    yyjson_mut_val *value = yyjson_val_mut_copy(p->doc, yyjson_doc_get_root(doc));
    if (value == NULL) no_memory(p);
    yyjson_doc_free(doc);
    return value;
}

static yyjson_mut_val *from_json_of(struct parse *p, const char *text, bool object) {
    text += strspn(text, " \t\r\n");
    if (*text != (object ? '{' : '[')) return NULL;
    return from_json(p, text, strlen(text));
}

/* The text as a value of exactly this type; NULL when it is none. */
static yyjson_mut_val *as_type(struct parse *p, unsigned type, const char *text) {
    switch (type) {
    case TOOL_NULL: return strcmp(text, "null") == 0 ? yyjson_mut_null(p->doc) : NULL;
    case TOOL_BOOLEAN:
        if (strcmp(text, "true") == 0) return yyjson_mut_true(p->doc);
        return strcmp(text, "false") == 0 ? yyjson_mut_false(p->doc) : NULL;
    case TOOL_INTEGER:
        if (is_number(text, true)) return yyjson_mut_rawcpy(p->doc, text);
        break;
    case TOOL_NUMBER:
        if (is_number(text, false)) return yyjson_mut_rawcpy(p->doc, text);
        break;
    case TOOL_ARRAY: return from_json_of(p, text, false);
    case TOOL_OBJECT: return from_json_of(p, text, true);
    case TOOL_STRING:
        if (pf_utf8_valid_len(text, strlen(text)) == strlen(text))
            return yyjson_mut_strcpy(p->doc, text);
        break;
    default: break;
    }
    return NULL;
}

/* Without an order of its own: what the text looks like. */
static yyjson_mut_val *as_any_of(struct parse *p, unsigned types, const char *text) {
    static const enum tool_type order[] = {TOOL_INTEGER, TOOL_NUMBER, TOOL_BOOLEAN, TOOL_NULL,
                                           TOOL_ARRAY,   TOOL_OBJECT, TOOL_STRING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        yyjson_mut_val *value = types & order[i] ? as_type(p, order[i], text) : NULL;
        if (value != NULL) return value;
    }
    return NULL;
}

/* One of the schema's choices, written as a string or as its JSON. */
static yyjson_mut_val *as_choice(struct parse *p, yyjson_val *choices, const char *text) {
    size_t i, count;
    yyjson_val *choice;
    yyjson_arr_foreach(choices, i, count, choice) {
        if (yyjson_equals_str(choice, text)) return yyjson_val_mut_copy(p->doc, choice);
    }
    yyjson_arr_foreach(choices, i, count, choice) {
        char *written = yyjson_is_str(choice) ? NULL : yyjson_val_write(choice, 0, NULL);
        bool same = written != NULL && strcmp(written, text) == 0;
        free(written);
        if (same) return yyjson_val_mut_copy(p->doc, choice);
    }
    return NULL;
}

/*
 * The text as the schema wants it, NULL when it cannot be that. Alternatives (a list of types,
 * anyOf) are tried in the order in which they are written, as a string would take everything.
 */
static yyjson_mut_val *as_schema(struct parse *p, struct tool_schema schema, const char *text,
                                 int depth) {
    static const char *const lists[] = {"anyOf", "oneOf"};
    schema = tool_schema_resolve(schema);
    yyjson_val *choices = tool_schema_choices(schema), *type = yyjson_obj_get(schema.node, "type");
    if (choices != NULL) return as_choice(p, choices, text);
    if (yyjson_is_str(type)) return as_type(p, tool_schema_named_type(type), text);
    size_t i, count;
    yyjson_val *item;
    yyjson_mut_val *value = NULL;
    yyjson_arr_foreach(type, i, count, item) {
        value = as_type(p, tool_schema_named_type(item), text);
        if (value != NULL) return value;
    }
    for (size_t k = 0; k < 2 && depth > 0 && type == NULL; k++) {
        yyjson_val *list = yyjson_obj_get(schema.node, lists[k]);
        yyjson_arr_foreach(list, i, count, item) {
            value = as_schema(p, (struct tool_schema){schema.root, item}, text, depth - 1);
            if (value != NULL) return value;
        }
        if (list != NULL) return NULL;
    }
    unsigned types = tool_schema_types(schema);
    return type != NULL ? NULL : as_any_of(p, types != 0 ? types : ~0u, text);
}

/* Says in `p` what the option's value should have been. */
static bool fail_value(struct parse *p, const char *option, struct tool_schema schema,
                       const char *text) {
    char name[200];
    tool_schema_value_name(schema, name, sizeof name);
    if (pf_utf8_valid_len(text, strlen(text)) < strlen(text))
        return fail(p, "%.80s: the value is not UTF-8", option);
    return fail(p, "%.80s takes %s, not '%.80s'", option, name, text);
}

/* ------------------------------------------------------------------ one option */

/* The option's place among those given before, or a new one; -1 when there are too many. */
static int seen_before(struct parse *p, const char *name, size_t len, bool *again) {
    for (int i = 0; i < p->seen_count; i++) {
        *again = p->seen_len[i] == len && memcmp(p->seen[i], name, len) == 0;
        if (*again) return i;
    }
    *again = false;
    if (p->seen_count == OPTIONS_MAX) return -1;
    p->seen[p->seen_count] = name;
    p->seen_len[p->seen_count] = len;
    return p->seen_count++;
}

/* Where --a.b.c leads: the object that holds the last member, its name, and its schema. */
struct place {
    yyjson_mut_val *object;
    const char *name;
    size_t len;
    struct tool_schema schema;
    bool known;
};

/* Finds a member under its own name, or with - for _. The name lives as long as the document. */
static bool find_member(struct parse *p, struct tool_schema schema, const char *name, size_t len,
                        struct place *place) {
    place->name = name;
    place->len = len;
    place->schema = (struct tool_schema){NULL, NULL};
    place->known = tool_schema_member(schema, name, len, &place->schema);
    if (place->known || memchr(name, '-', len) == NULL) return true;
    char *other = malloc(len + 1);
    if (other == NULL) return no_memory(p);
    for (size_t i = 0; i < len; i++) other[i] = name[i] == '-' ? '_' : name[i];
    other[len] = '\0';
    place->known = tool_schema_member(schema, other, len, &place->schema);
    if (place->known) {
        yyjson_mut_val *kept = yyjson_mut_strncpy(p->doc, other, len);
        place->name = yyjson_mut_get_str(kept);
    }
    free(other);
    return place->name != NULL || no_memory(p);
}

static bool is_only(struct tool_schema schema, unsigned type) {
    unsigned types = tool_schema_types(schema);
    return (types & ~(unsigned)TOOL_NULL) == type;
}

static bool unknown_option(struct parse *p, const char *name, size_t len) {
    return fail(p, "unknown option '--%.*s'", len > 80 ? 80 : (int)len, name);
}

/* The object that is the member at `place`, made if it is not there; NULL: no memory. */
static yyjson_mut_val *enter(struct parse *p, const struct place *place) {
    yyjson_mut_val *inner = yyjson_mut_obj_getn(place->object, place->name, place->len);
    if (yyjson_mut_is_obj(inner)) return inner;
    yyjson_mut_val *key = yyjson_mut_strncpy(p->doc, place->name, place->len);
    inner = yyjson_mut_obj(p->doc);
    return yyjson_mut_obj_put(place->object, key, inner) ? inner : NULL;
}

static bool find_place(struct parse *p, const char *option, size_t option_len,
                       struct place *place) {
    struct tool_schema schema = p->schema;
    const char *name = option;
    size_t len = option_len;
    place->object = p->object;
    for (int level = 0;; level++) {
        if (!find_member(p, schema, name, len, place)) return false;
        const char *dot = place->known ? NULL : memchr(name, '.', len);
        size_t head = dot != NULL ? (size_t)(dot - name) : 0;
        bool nested = dot != NULL && head > 0 && head + 1 < len;
        if (nested && !find_member(p, schema, name, head, place)) return false;
        if (!place->known && !tool_schema_is_open(schema))
            return unknown_option(p, option, option_len);
        if (!nested) return true;
        unsigned types = tool_schema_types(place->schema);
        if (types != 0 && !(types & TOOL_OBJECT)) return unknown_option(p, option, option_len);
        if (level == LEVELS_MAX) return fail(p, "more than %d levels of options", LEVELS_MAX);
        place->object = enter(p, place);
        if (place->object == NULL) return no_memory(p);
        schema = place->schema;
        name = dot + 1;
        len -= head + 1;
    }
}

static bool put(struct parse *p, const struct place *place, yyjson_mut_val *value) {
    yyjson_mut_val *key = yyjson_mut_strncpy(p->doc, place->name, place->len);
    if (value == NULL || !yyjson_mut_obj_put(place->object, key, value)) return no_memory(p);
    p->any = true;
    return true;
}

/* One more item of an option that makes an array, or a whole array as JSON. */
static bool put_item(struct parse *p, const struct place *place, const char *option, bool again,
                     const char *text) {
    yyjson_mut_val *more = from_json_of(p, text, false);
    if (more == NULL) {
        struct tool_schema items = tool_schema_items(place->schema);
        yyjson_mut_val *item = as_schema(p, items, text, TYPES_DEPTH);
        if (item == NULL) return fail_value(p, option, place->schema, text);
        more = yyjson_mut_arr(p->doc);
        if (!yyjson_mut_arr_append(more, item)) return no_memory(p);
    }
    yyjson_mut_val *old = yyjson_mut_obj_getn(place->object, place->name, place->len);
    if (!again || !yyjson_mut_is_arr(old)) return put(p, place, more);
    yyjson_mut_val *item;
    while ((item = yyjson_mut_arr_remove_first(more)) != NULL)
        if (!yyjson_mut_arr_append(old, item)) return no_memory(p);
    return true;
}

static bool put_text(struct parse *p, const struct place *place, const char *option, bool again,
                     const char *text) {
    if (is_only(place->schema, TOOL_ARRAY)) {
        if (strcmp(text, "null") == 0 && (tool_schema_types(place->schema) & TOOL_NULL))
            return put(p, place, yyjson_mut_null(p->doc));
        return put_item(p, place, option, again, text);
    }
    yyjson_mut_val *value = as_schema(p, place->schema, text, TYPES_DEPTH);
    if (value == NULL) return fail_value(p, option, place->schema, text);
    if (!again) return put(p, place, value);
    unsigned types = tool_schema_types(place->schema);
    if (types != 0 && !(types & TOOL_ARRAY))
        return fail(p, "%.80s was given twice; it takes one value", option);
    /* Where an array is possible, the second value makes one. */
    yyjson_mut_val *old = yyjson_mut_obj_getn(place->object, place->name, place->len);
    if (yyjson_mut_is_arr(old)) return yyjson_mut_arr_append(old, value) || no_memory(p);
    yyjson_mut_val *both = yyjson_mut_arr(p->doc), *first = yyjson_mut_val_mut_copy(p->doc, old);
    if (first == NULL || !yyjson_mut_arr_append(both, first) || !yyjson_mut_arr_append(both, value))
        return no_memory(p);
    return put(p, place, both);
}

/* --json: every member of the object becomes a parameter. Later options replace it. */
static bool put_object(struct parse *p, const char *text) {
    yyjson_mut_val *given = from_json(p, text, strlen(text));
    if (!yyjson_mut_is_obj(given)) return fail(p, "'%.80s' is not a JSON object", text);
    size_t i, count;
    yyjson_mut_val *key, *value;
    yyjson_mut_obj_foreach(given, i, count, key, value) {
        yyjson_mut_val *copy = yyjson_mut_val_mut_copy(p->doc, value);
        yyjson_mut_val *name = yyjson_mut_val_mut_copy(p->doc, key);
        if (copy == NULL || name == NULL || !yyjson_mut_obj_add(p->object, name, copy))
            return no_memory(p);
    }
    p->any = true;
    return true;
}

static bool is_truth(const char *text) {
    return text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
}

/*
 * Whether the word after an option is its value: what looks like an option is one, except that a
 * parameter that must have a value takes it unless the tool knows that option.
 */
static bool is_value(struct parse *p, bool wanted, const char *word) {
    struct tool_schema unused;
    if (word == NULL) return false;
    if (strncmp(word, "--", 2) != 0 || word[2] == '\0') return true;
    return wanted && !tool_schema_member(p->schema, word + 2, strcspn(word + 2, "="), &unused);
}

/* --no-FLAG for a boolean of the schema. */
static bool is_negation(struct parse *p, const char *name, size_t len, struct place *place) {
    if (len <= 3 || memcmp(name, "no-", 3) != 0) return false;
    place->object = p->object;
    return find_member(p, p->schema, name + 3, len - 3, place) && place->known &&
           is_only(place->schema, TOOL_BOOLEAN);
}

/* argv[*i] is `--name…`; moves *i over the value that it takes. */
static bool take_option(struct parse *p, int argc, char *const *argv, int *i) {
    const char *option = argv[*i], *name = option + 2, *equals = strchr(name, '=');
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL, *text = equals ? equals + 1 : NULL;
    struct tool_schema unused;
    bool known = tool_schema_member(p->schema, name, len, &unused), again;
    if (!known && text == NULL && strcmp(name, "raw") == 0) return p->args->raw = true;
    if (!known && len == 4 && memcmp(name, "json", 4) == 0) {
        if (text == NULL && next == NULL) return fail(p, "--json takes a JSON object");
        *i += text == NULL;
        return put_object(p, text != NULL ? text : next);
    }
    struct place place;
    if (!known && text == NULL && is_negation(p, name, len, &place))
        return put(p, &place, yyjson_mut_false(p->doc));
    if (!find_place(p, name, len, &place)) return false;
    if (seen_before(p, name, len, &again) < 0)
        return fail(p, "more than %d options; use --json", OPTIONS_MAX);
    if (text == NULL && is_only(place.schema, TOOL_BOOLEAN) && !is_truth(next))
        return put(p, &place, yyjson_mut_true(p->doc));
    if (text == NULL && !is_value(p, place.known, next)) {
        if (!place.known) return put(p, &place, yyjson_mut_true(p->doc));
        return fail(p, "%.80s takes a value", option);
    }
    *i += text == NULL;
    char shown[84] = "--";
    memcpy(shown + 2, name, len > 80 ? 80 : len);
    return put_text(p, &place, shown, again, text != NULL ? text : next);
}

/* ------------------------------------------------------------------ all of them */

static bool check_required(struct parse *p) {
    const char *name;
    for (size_t i = 0; (name = tool_schema_required(p->schema, i)) != NULL; i++)
        if (yyjson_mut_obj_get(p->object, name) == NULL)
            return fail(p, "the option --%.80s is missing", name);
    return true;
}

static enum tool_args_outcome finish(struct parse *p) {
    if (p->outcome == TOOL_ARGS_OK) {
        p->args->json = yyjson_mut_val_write(p->object, 0, &p->args->len);
        if (p->args->json == NULL) p->outcome = TOOL_ARGS_NO_MEMORY;
    }
    yyjson_mut_doc_free(p->doc);
    return p->outcome;
}

static bool begin(struct parse *p, struct tool_args *args, struct tool_schema schema) {
    *p = (struct parse){.args = args, .schema = schema, .outcome = TOOL_ARGS_OK};
    args->json = NULL;
    args->error[0] = '\0';
    p->doc = yyjson_mut_doc_new(NULL);
    p->object = yyjson_mut_obj(p->doc);
    return p->object != NULL;
}

enum tool_args_outcome tool_args_parse(struct tool_args *args, struct tool_schema schema, int argc,
                                       char *const *argv) {
    struct parse p;
    args->raw = false;
    if (!begin(&p, args, schema)) return TOOL_ARGS_NO_MEMORY;
    for (int i = 0; i < argc && p.outcome == TOOL_ARGS_OK; i++) {
        struct tool_schema unused;
        bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        if (help && !tool_schema_member(schema, "help", 4, &unused)) {
            p.outcome = TOOL_ARGS_HELP;
        } else if (strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0') {
            take_option(&p, argc, argv, &i);
        } else if (argv[i][0] == '{') {
            put_object(&p, argv[i]);
        } else if (strcmp(argv[i], "--") != 0 || i + 1 < argc) {
            fail(&p, "unexpected argument '%.80s'; parameters are given as --NAME VALUE", argv[i]);
        }
    }
    if (p.outcome == TOOL_ARGS_OK && !p.any)
        p.outcome = TOOL_ARGS_EMPTY;
    else if (p.outcome == TOOL_ARGS_OK)
        check_required(&p);
    return finish(&p);
}

enum tool_args_outcome tool_args_from_text(struct tool_args *args, struct tool_schema schema,
                                           const char *text, size_t len) {
    struct parse p;
    if (!begin(&p, args, schema)) return TOOL_ARGS_NO_MEMORY;
    size_t blank = 0;
    while (blank < len && strchr(" \t\r\n", text[blank]) != NULL && text[blank] != '\0') blank++;
    if (blank < len) {
        yyjson_mut_val *given = from_json(&p, text, len);
        if (yyjson_mut_is_obj(given))
            p.object = given;
        else
            fail(&p, "standard input is not a JSON object");
    }
    if (p.outcome == TOOL_ARGS_OK) check_required(&p);
    return finish(&p);
}
