/*
 * host/capability/path.c: see path.h.
 */
#include "path.h"

#include <string.h>

struct reader {
    struct base_arena *arena;
    const char *text; /* ends in a NUL */
    size_t len, at;
    struct cap_path *path;
    pf_error *error;
};

static pf_status bad(struct reader *r, const char *what) {
    char buffer[300];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show_string(&text, r->text, r->len, 100);
    return base_error(r->error, PF_INVALID, "the parameter path %s %s", buffer, what);
}

static pf_status add(struct reader *r, struct cap_step step) {
    if (r->path->count == CAP_PATH_STEPS) return bad(r, "has more than 32 steps");
    if (r->path->count == 0 && step.kind != CAP_STEP_MEMBER)
        return bad(r, "must start with the name of a parameter");
    r->path->steps[r->path->count++] = step;
    r->path->each = r->path->each || step.kind == CAP_STEP_EACH;
    return PF_OK;
}

static pf_status read_member(struct reader *r) {
    size_t start = r->at;
    r->at += strcspn(r->text + r->at, ".[]");
    if (r->text[r->at] == ']') return bad(r, "has a ] without a [");
    if (r->at == start) return bad(r, "has an empty step");
    char *key = base_arena_copy(r->arena, r->text + start, r->at - start);
    if (!key) return base_no_memory(r->error);
    return add(r, (struct cap_step){.kind = CAP_STEP_MEMBER, .key = key, .len = r->at - start});
}

/* ["…"]: the string ends at the first quote that no backslash hides. */
static pf_status read_quoted(struct reader *r) {
    size_t start = r->at++;
    for (bool hidden = false; r->text[r->at] && (hidden || r->text[r->at] != '"'); r->at++)
        hidden = !hidden && r->text[r->at] == '\\';
    if (!r->text[r->at++]) return bad(r, "has a string without an end");
    yyjson_val *value;
    pf_status status =
        base_json_read(r->arena, r->text + start, r->at - start, 1, &value, r->error);
    if (status != PF_OK)
        return status == PF_INVALID ? bad(r, "has a string that is not valid JSON") : status;
    return add(r, (struct cap_step){.kind = CAP_STEP_MEMBER,
                                    .key = yyjson_get_str(value),
                                    .len = yyjson_get_len(value)});
}

static pf_status read_index(struct reader *r) {
    size_t start = r->at, index = 0;
    while (r->text[r->at] >= '0' && r->text[r->at] <= '9') {
        if (r->at - start == 9) return bad(r, "has an index that is too large");
        index = index * 10 + (size_t)(r->text[r->at++] - '0');
    }
    if (r->at == start) return bad(r, "has a [ that is not followed by a number, * or \"name\"");
    if (r->text[start] == '0' && r->at > start + 1)
        return bad(r, "has an index that starts with 0");
    return add(r, (struct cap_step){.kind = CAP_STEP_ELEMENT, .index = index});
}

static pf_status read_bracket(struct reader *r) {
    pf_status status;
    r->at++;
    if (r->text[r->at] == '"') {
        status = read_quoted(r);
    } else if (r->text[r->at] == '*') {
        r->at++;
        status = add(r, (struct cap_step){.kind = CAP_STEP_EACH});
    } else {
        status = read_index(r);
    }
    if (status != PF_OK) return status;
    if (r->text[r->at] != ']') return bad(r, "has a [ without its ]");
    r->at++;
    return PF_OK;
}

pf_status cap_path_read(struct cap_path *out, struct base_arena *arena, const char *text,
                        size_t len, pf_error *error) {
    *out = (struct cap_path){.len = len};
    struct reader r = {.arena = arena, .text = text, .len = len, .path = out, .error = error};
    if (len == 0 || len > CAP_PATH_MAX) return bad(&r, len ? "is too long" : "is empty");
    if (memchr(text, '\0', len)) return bad(&r, "has a NUL character");
    out->text = base_arena_copy(arena, text, len);
    out->steps = base_arena_array(arena, CAP_PATH_STEPS, sizeof *out->steps);
    if (!out->text || !out->steps) return base_no_memory(error);
    r.text = out->text;
    pf_status status = text[0] == '[' ? read_bracket(&r) : read_member(&r);
    while (status == PF_OK && r.at < len) {
        if (text[r.at] == '[') {
            status = read_bracket(&r);
        } else if (text[r.at] == '.') {
            r.at++;
            status = read_member(&r);
        } else {
            status = bad(&r, "needs a . or [ after a ]");
        }
    }
    return status;
}

static bool same_step(const struct cap_step *a, const struct cap_step *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == CAP_STEP_MEMBER) return a->len == b->len && memcmp(a->key, b->key, a->len) == 0;
    return a->index == b->index;
}

bool cap_path_starts_with(const struct cap_path *path, const struct cap_path *prefix) {
    if (prefix->count > path->count) return false;
    for (size_t i = 0; i < prefix->count; i++)
        if (!same_step(&path->steps[i], &prefix->steps[i])) return false;
    return true;
}

bool cap_path_same(const struct cap_path *a, const struct cap_path *b) {
    return a->count == b->count && cap_path_starts_with(a, b);
}

enum cap_found cap_step_take(const struct cap_step *step, yyjson_val *value, yyjson_val **out) {
    if (step->kind == CAP_STEP_MEMBER) {
        if (!yyjson_is_obj(value)) return CAP_ASTRAY;
        *out = yyjson_obj_getn(value, step->key, step->len);
    } else {
        if (!yyjson_is_arr(value)) return CAP_ASTRAY;
        *out = yyjson_arr_get(value, step->index);
    }
    return *out ? CAP_FOUND : CAP_MISSING;
}

static void show_member(struct base_text *text, const struct cap_step *step, bool first) {
    bool plain = step->len > 0;
    for (size_t i = 0; i < step->len; i++)
        if ((unsigned char)step->key[i] <= ' ' || strchr(".[]\"", step->key[i])) plain = false;
    if (plain) {
        if (!first) base_text_addz(text, ".");
        base_text_add(text, step->key, step->len);
    } else {
        base_text_addz(text, "[");
        base_json_show_string(text, step->key, step->len, 200);
        base_text_addz(text, "]");
    }
}

void cap_path_show(struct base_text *text, const struct cap_path *path, const size_t *indexes,
                   size_t count) {
    for (size_t i = 0; i < path->count; i++) {
        const struct cap_step *step = &path->steps[i];
        if (step->kind == CAP_STEP_MEMBER)
            show_member(text, step, i == 0);
        else if (step->kind == CAP_STEP_ELEMENT)
            base_text_addf(text, "[%zu]", step->index);
        else if (count && count--)
            base_text_addf(text, "[%zu]", *indexes++);
        else
            base_text_addz(text, "[*]");
    }
}
