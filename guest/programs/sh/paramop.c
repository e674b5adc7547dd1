/*
 * paramop.c: the operators of ${…} that make a new value: # % / ^ , : @.
 */
#include "expandpriv.h"

#include <wctype.h>

char *op_trim(struct shell *sh, const struct param *pm, const char *pattern, const char *value) {
    size_t n = strlen(value);
    unsigned flags = pattern_flags(sh, false);
    bool longest = pm->op == OP_PREFIX_LONG || pm->op == OP_SUFFIX_LONG;
    if (pm->op == OP_PREFIX || pm->op == OP_PREFIX_LONG) {
        ptrdiff_t len = pattern_prefix(pattern, value, n, longest, flags);
        return len > 0 ? arena_strndup(&sh->tmp, value + len, n - (size_t)len) : (char *)value;
    }
    ptrdiff_t at = pattern_suffix(pattern, value, n, longest, flags);
    return at >= 0 ? arena_strndup(&sh->tmp, value, (size_t)at) : (char *)value;
}

/* Appends the replacement; its \1 bytes stand for the matched text. */
static void put_replacement(sb *out, const char *replacement, const char *match, size_t n) {
    for (; *replacement; replacement++) {
        if (*replacement == '\1') sb_put(out, match, n);
        else sb_putc(out, *replacement);
    }
}

char *op_replace(struct shell *sh, const struct param *pm, const char *pattern,
                 const char *replacement, const char *value) {
    size_t n = strlen(value), from = 0, len = 0;
    unsigned flags = pattern_flags(sh, sh->shopt[SHOPT_NOCASEMATCH]);
    sb out = sb_in(&sh->tmp);
    if (pm->mode == '#') {
        ptrdiff_t got = pattern_prefix(pattern, value, n, true, flags);
        if (got < 0) return (char *)value;
        put_replacement(&out, replacement, value, (size_t)got);
        sb_put(&out, value + got, n - (size_t)got);
        return sb_str(&out);
    }
    if (pm->mode == '%') {
        ptrdiff_t at = pattern_suffix(pattern, value, n, true, flags);
        if (at < 0) return (char *)value;
        sb_put(&out, value, (size_t)at);
        put_replacement(&out, replacement, value + at, n - (size_t)at);
        return sb_str(&out);
    }
    if (!*pattern) return (char *)value;
    for (int round = 0; from <= n; round++) {
        if (round % 256 == 255) exec_step(sh);
        ptrdiff_t at = pattern_find(pattern, value, n, from, &len, flags);
        if (at < 0) break;
        if (len == 0 && n > 0) { /* an empty match: only where nothing else is */
            if ((size_t)at >= n) break;
            sb_put(&out, value + from, (size_t)at - from);
            put_replacement(&out, replacement, value + at, 0);
            int step = u8_len(value + at, n - (size_t)at);
            sb_put(&out, value + at, (size_t)step);
            from = (size_t)at + (size_t)step;
        } else {
            sb_put(&out, value + from, (size_t)at - from);
            put_replacement(&out, replacement, value + at, len);
            from = (size_t)at + len;
        }
        if (!pm->all || n == 0 || from >= n) break;
    }
    if (from < n) sb_put(&out, value + from, n - from);
    return sb_str(&out);
}

static uint32_t other_case(uint32_t c, char mode) {
    uint32_t upper = (uint32_t)towupper((wint_t)c), lower = (uint32_t)towlower((wint_t)c);
    switch (mode) {
    case '^': return upper;
    case ',': return lower;
    default: return c == lower ? upper : lower;
    }
}

char *op_case(struct shell *sh, const struct param *pm, const char *pattern, const char *value) {
    size_t n = strlen(value);
    unsigned flags = pattern_flags(sh, false);
    sb out = sb_in(&sh->tmp);
    /* A quoted pattern that is empty matches nothing; none at all matches every character. */
    if (!*pattern && pm->arg && (pm->arg->flags & W_QUOTED)) return (char *)value;
    for (size_t i = 0; i < n;) {
        int len;
        uint32_t c = u8_decode(value + i, n - i, &len);
        bool hit = (pm->all || i == 0) && (len > 1 || c < 0x80) &&
                   (!*pattern || pattern_match(pattern, value + i, (size_t)len, flags));
        if (hit) {
            char text[6];
            sb_put(&out, text, (size_t)u8_encode(other_case(c, pm->mode), text));
        } else {
            sb_put(&out, value + i, (size_t)len);
        }
        i += (size_t)len;
    }
    return sb_str(&out);
}

/* A parameter as messages name it: x, or a[i] as written. */
const char *param_shown(struct shell *sh, const struct param *pm) {
    if (pm->sub) return arena_printf(&sh->tmp, "%s[%s]", pm->name, pm->sub->text);
    if (pm->sub_all) return arena_printf(&sh->tmp, "%s[%c]", pm->name, pm->sub_all);
    return pm->indirect ? arena_printf(&sh->tmp, "!%s", pm->name) : pm->name;
}

/* ------------------------------------------------------------------ slices */

static bool slice_numbers(struct shell *sh, const struct param *pm, int64_t *offset,
                          int64_t *length, bool *has_length) {
    *has_length = pm->arg2 != NULL;
    *length = 0;
    if (!expand_arith(sh, pm->arg, offset, param_shown(sh, pm))) return false;
    return !pm->arg2 || expand_arith(sh, pm->arg2, length, param_shown(sh, pm));
}

static bool negative_length(struct shell *sh, const struct param *pm, int64_t length) {
    if (pm->arg2 && pm->arg2->len)
        sh_expand_error(sh, "%s: substring expression < 0", pm->arg2->text);
    else sh_expand_error(sh, "%" PRId64 ": substring expression < 0", length);
    return false;
}

static bool slice_string(struct shell *sh, const struct param *pm, struct pvalue *v) {
    int64_t offset, length;
    bool has_length;
    if (!slice_numbers(sh, pm, &offset, &length, &has_length)) return false;
    if (!v->s) return true;
    size_t bytes = strlen(v->s);
    int64_t n = (int64_t)u8_count(v->s, bytes);
    if (offset < 0) offset += n;
    if (offset < 0 || offset > n) {
        v->s = "";
        return true;
    }
    int64_t end = n;
    if (has_length && length < 0) {
        end = n + length;
        if (end < offset) return negative_length(sh, pm, length);
    } else if (has_length && length < n - offset) {
        end = offset + length;
    }
    size_t from = u8_offset(v->s, bytes, (size_t)offset);
    size_t take = u8_offset(v->s + from, bytes - from, (size_t)(end - offset));
    v->s = arena_strndup(&sh->tmp, v->s + from, take);
    return true;
}

/* Positional parameters count from 1, and 0 is the shell's name. */
static bool slice_positional(struct shell *sh, const struct param *pm, struct pvalue *v) {
    int64_t offset, length;
    bool has_length;
    if (!slice_numbers(sh, pm, &offset, &length, &has_length)) return false;
    struct strings all = {0}, out = {0};
    strings_add(sh, &all, (char *)sh->name);
    for (int i = 0; i < v->count; i++) strings_add(sh, &all, v->v[i]);
    if (has_length && length < 0) return negative_length(sh, pm, length);
    if (offset < 0) offset += all.n;
    for (int64_t i = offset; i >= 0 && i < all.n; i++) {
        if (has_length && i - offset >= length) break;
        strings_add(sh, &out, all.v[i]);
    }
    v->v = out.v;
    v->count = out.n;
    return true;
}

/* Elements of a sparse array: the offset is an index, the length a number of elements. */
static bool slice_array(struct shell *sh, const struct param *pm, struct pvalue *v) {
    int64_t offset, length;
    bool has_length;
    if (!slice_numbers(sh, pm, &offset, &length, &has_length)) return false;
    if (has_length && length < 0) return negative_length(sh, pm, length);
    bool indexed = v->var && (v->var->flags & V_ARRAY);
    bool assoc = v->var && (v->var->flags & V_ASSOC); /* bash counts them from 1 */
    int64_t end = indexed ? array_next_index(var_array(v->var)) : v->count + assoc;
    if (offset < 0) offset += end;
    struct strings out = {0};
    int count = indexed ? array_count(var_array(v->var)) : v->count;
    for (int i = 0; offset >= 0 && i < count; i++) {
        int64_t index = i + assoc;
        const char *value = indexed ? array_at(var_array(v->var), i, &index) : v->v[i];
        if (index < offset) continue;
        if (has_length && out.n >= length) break;
        strings_add(sh, &out, (char *)value);
    }
    v->v = out.v;
    v->count = out.n;
    return true;
}

bool op_slice(struct shell *sh, const struct param *pm, struct pvalue *v) {
    if (!v->list) return slice_string(sh, pm, v);
    if (name_len(v->name) == 0) return slice_positional(sh, pm, v);
    return slice_array(sh, pm, v);
}

/* ------------------------------------------------------------------ ${x@Q} */

static void put_flags(struct shell *sh, const struct pvalue *v, char **out) {
    char letters[16] = "";
    if (v->var) var_attributes(v->var, letters);
    *out = arena_strdup(&sh->tmp, letters);
}

/* A statement that makes the variable anew: x='…', declare -a x=(…), set -- 'a' 'b'; its words. */
static bool assignment_words(struct shell *sh, const struct pvalue *v, struct strings *out) {
    if (!v->var) {
        if (v->count == 0) return false;
        strings_add(sh, out, (char *)"set");
        strings_add(sh, out, (char *)"--");
        for (int i = 0; i < v->count; i++) strings_add(sh, out, transform_value(sh, v->v[i], 'Q'));
        return true;
    }
    char letters[16];
    var_attributes(v->var, letters);
    bool whole = v->list && (v->var->flags & (V_ARRAY | V_ASSOC));
    const char *value = v->list && !whole ? (v->count ? v->v[0] : NULL) : v->s;
    if (letters[0]) {
        strings_add(sh, out, (char *)"declare");
        strings_add(sh, out, arena_printf(&sh->tmp, "-%s", letters));
    } else if (!whole && !value) {
        return false;
    }
    sb last = sb_in(&sh->tmp);
    sb_puts(&last, v->name);
    if (whole && (v->var->flags & V_SET)) {
        var_print_value(sh, v->var, &last);
    } else if (value) {
        sb_putc(&last, '=');
        sb_puts(&last, transform_value(sh, value, 'Q'));
    }
    strings_add(sh, out, sb_str(&last));
    return true;
}

/* ${x@A}: one text; of all elements separate words. */
static void op_assignment(struct shell *sh, struct pvalue *v) {
    struct strings words = {0};
    bool separate = v->list && (!v->var || (v->var->flags & (V_ARRAY | V_ASSOC)));
    bool any = (v->var || v->list) && assignment_words(sh, v, &words);
    v->v = words.v;
    v->count = words.n;
    if (separate) return;
    struct expander join = {.sh = sh};
    v->s = any ? xp_join(&join, words.v, words.n, false) : NULL;
    v->list = false;
}

/* ${a[@]@K}: one string of keys and values; @k: separate words. */
static bool key_pairs(struct shell *sh, struct pvalue *v, char mode) {
    struct strings out = {0};
    struct var *var = v->var;
    char **keys = NULL, **values;
    if (var && (var->flags & V_ASSOC)) assoc_list(var_assoc(var), &sh->tmp, &keys, &values);
    sb text = sb_in(&sh->tmp);
    for (int i = 0; i < v->count; i++) {
        int64_t index = i;
        if (var && (var->flags & V_ARRAY)) array_at(var_array(var), i, &index);
        char *key = keys ? keys[i] : arena_printf(&sh->tmp, "%" PRId64, index);
        strings_add(sh, &out, key);
        strings_add(sh, &out, v->v[i]);
        if (i) sb_putc(&text, ' ');
        if (keys) var_print_key(&text, key);
        else sb_puts(&text, key);
        sb_putc(&text, ' ');
        quote_double(&text, v->v[i]);
        if (keys && i == v->count - 1) sb_putc(&text, ' ');
    }
    if (mode == 'k' || v->count == 0) {
        v->v = out.v;
        v->count = out.n;
    } else {
        v->list = false;
        v->s = sb_str(&text);
    }
    return true;
}

bool op_transform(struct shell *sh, const struct param *pm, struct pvalue *v) {
    char mode = pm->mode;
    if (!mode || !strchr(TRANSFORMATIONS, mode)) {
        if (!v->set) return true;
        sh_fatal_expand_error(sh, "%s: bad substitution", pm->source);
        return false;
    }
    if (mode == 'A') {
        op_assignment(sh, v);
        return true;
    }
    if (mode == 'a') {
        char *letters;
        put_flags(sh, v, &letters);
        if (v->list) {
            char **all = arena_alloc(&sh->tmp, ((size_t)v->count + 1) * sizeof(char *));
            for (int i = 0; i < v->count; i++) all[i] = letters;
            all[v->count] = NULL;
            v->v = all;
        } else {
            v->s = v->var ? letters : NULL;
        }
        return true;
    }
    if ((mode == 'K' || mode == 'k') && v->list && v->var && (v->var->flags & (V_ARRAY | V_ASSOC)))
        return key_pairs(sh, v, mode);
    if (mode == 'K' || mode == 'k') mode = 'Q';
    if (v->list) {
        char **all = arena_alloc(&sh->tmp, ((size_t)v->count + 1) * sizeof(char *));
        for (int i = 0; i < v->count; i++)
            if (!(all[i] = transform_value(sh, v->v[i], mode))) return false;
        all[v->count] = NULL;
        v->v = all;
        return true;
    }
    if (v->s) v->s = transform_value(sh, v->s, mode);
    return !v->set || v->s;
}
