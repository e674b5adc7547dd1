/*
 * expand.c: from words to fields: tilde, parameters, commands, arithmetic, splitting, globbing.
 *
 * Parts are walked once, left to right; what they give is appended to the current field, which ends
 * where IFS or "$@" says. A parallel mask remembers quoted bytes for the glob at the field's end.
 */
#include "expandpriv.h"

void strings_add(struct shell *sh, struct strings *list, char *s) {
    if (list->n + 1 >= list->cap) {
        int cap = list->cap ? list->cap * 2 : 8;
        list->v = arena_extend(&sh->tmp, list->v, (size_t)list->cap * sizeof(char *),
                               (size_t)cap * sizeof(char *));
        list->cap = cap;
    }
    list->v[list->n++] = s;
    list->v[list->n] = NULL;
}

/* ------------------------------------------------------------------ the current field */

void xp_text(struct expander *x, const char *s, size_t n, bool quoted) {
    if (n == 0) {
        if (quoted) x->content = true;
        return;
    }
    sb_put(&x->text, s, n);
    x->content = true;
    if (!(x->flags & X_MASK)) return;
    if (x->mask.n + n > x->mask.cap) sb_grow(&x->mask, n);
    memset(x->mask.s + x->mask.n, quoted, n);
    x->mask.n += n;
}

/* The current field as a pattern: quoted bytes that mean something are escaped. */
static char *field_pattern(struct expander *x) {
    sb out = sb_in(&x->sh->tmp);
    for (size_t i = 0; i < x->text.n; i++) {
        char c = x->text.s[i];
        if (x->mask.s[i] && strchr("*?[]\\!-^+@()|", c)) sb_putc(&out, '\\');
        sb_putc(&out, c);
    }
    return sb_str(&out);
}

static bool field_globs(struct expander *x) {
    if (!(x->flags & X_GLOB) || x->sh->opt[OPT_NOGLOB]) return false;
    for (size_t i = 0; i < x->text.n; i++) {
        if (x->mask.s[i]) continue;
        char c = x->text.s[i];
        if (c == '*' || c == '?' || c == '[' || c == '\\') return true;
        if ((c == '+' || c == '@' || c == '!') && i + 1 < x->text.n && x->text.s[i + 1] == '(')
            return true;
    }
    return false;
}

static void field_end(struct expander *x) {
    struct shell *sh = x->sh;
    bool globbed = false;
    if (x->text.n > 0 && field_globs(x)) {
        char *pattern = field_pattern(x);
        if (pattern_special(pattern, pattern_flags(sh, false))) {
            globbed = glob_expand(sh, pattern, x->out) > 0;
            if (!globbed && sh->shopt[SHOPT_FAILGLOB]) {
                sh_expand_error(sh, "no match: %s", sb_str(&x->text));
                globbed = true;
            } else if (!globbed && sh->shopt[SHOPT_NULLGLOB]) {
                globbed = true;
            }
        }
    }
    if (!globbed) strings_add(sh, x->out, arena_strndup(&sh->tmp, x->text.s, x->text.n));
    x->text.n = x->mask.n = 0;
    x->content = false;
}

void xp_break(struct expander *x) {
    if (x->flags & X_SPLIT) field_end(x);
}

int ifs_class_at(const struct shell *sh, const char *s, size_t n, size_t *len) {
    int class = sh->ifs_class[(unsigned char)*s];
    *len = 1;
    if (class != 3) return class;
    *len = (size_t)u8_len(s, n);
    for (const char *p = sh->ifs; *p; p += u8_len(p, strlen(p)))
        if (strncmp(p, s, *len) == 0) return 2;
    return 0;
}

static void split_value(struct expander *x, const char *s, size_t n) {
    const uint8_t *classes = x->sh->ifs_class;
    size_t i = 0, len;
    while (i < n) {
        size_t start = i;
        int class = 0;
        while (i < n) {
            if (classes[(unsigned char)s[i]] && (class = ifs_class_at(x->sh, s + i, n - i, &len)))
                break;
            i++;
        }
        if (i > start) {
            xp_text(x, s + start, i - start, false);
            x->after_space = false;
        }
        if (i == n) break;
        if (class == 1) {
            if (x->content) {
                field_end(x);
                x->after_space = true;
            }
        } else if (x->after_space && !x->content) {
            x->after_space = false;
        } else {
            field_end(x);
            x->after_space = false;
        }
        i += len;
    }
}

void xp_value(struct expander *x, const char *s, size_t n, bool quoted) {
    if (quoted || !(x->flags & X_SPLIT)) xp_text(x, s, n, quoted);
    else if (n > 0) split_value(x, s, n);
}

char *xp_join(struct expander *x, char **v, int n, bool star) {
    sb out = sb_in(&x->sh->tmp);
    for (int i = 0; i < n; i++) {
        if (i > 0) sb_puts(&out, star ? x->sh->ifs_first : " ");
        sb_puts(&out, v[i]);
    }
    return sb_str(&out);
}

static void unquoted_list(struct expander *x, char **v, int n) {
    struct shell *sh = x->sh;
    /* $@ too is joined when IFS begins with no white space, and the splitting takes it apart. */
    if (sh->ifs_first[0] && sh->ifs_class[(unsigned char)sh->ifs_first[0]] >= 2) {
        char *all = xp_join(x, v, n, true);
        xp_value(x, all, strlen(all), false);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (i > 0 && x->content) {
            field_end(x);
            x->after_space = true;
        }
        xp_value(x, v[i], strlen(v[i]), false);
    }
}

void xp_list(struct expander *x, char **v, int n, bool quoted, bool star) {
    if (!(x->flags & X_SPLIT)) { /* one string, whatever it is */
        char *all = xp_join(x, v, n, star);
        xp_text(x, all, strlen(all), quoted);
        if (n == 0) x->empty_list = true;
        return;
    }
    if (!quoted) {
        unquoted_list(x, v, n);
    } else if (star) {
        char *all = xp_join(x, v, n, true);
        xp_text(x, all, strlen(all), true);
    } else {
        if (n == 0) x->empty_list = true;
        for (int i = 0; i < n; i++) {
            if (i > 0) field_end(x);
            xp_text(x, v[i], strlen(v[i]), true);
        }
    }
}

/* ------------------------------------------------------------------ parts */

static bool part_dq(struct expander *x, const struct part *part) {
    if (!part->inner) {
        xp_text(x, "", 0, true);
        return true;
    }
    bool before = x->empty_list;
    x->empty_list = false;
    bool ok = xp_parts(x, part->inner, false);
    if (!x->empty_list) x->content = true; /* "$@" of nothing is nothing, "$x" is a field */
    x->empty_list = before;
    return ok;
}

static bool part_tilde(struct expander *x, const struct part *part) {
    const char *home = tilde_home(x->sh, part->s, part->n);
    if (home) {
        xp_text(x, home, strlen(home), true);
    } else {
        xp_text(x, "~", 1, true);
        xp_text(x, part->s, part->n, false);
    }
    return true;
}

static bool part_command(struct expander *x, const struct part *part, bool quoted) {
    struct shell *sh = x->sh;
    sb out = sb_in(&sh->tmp);
    bool ok = part->kind == PART_CMD
                  ? subst_command(sh, part->cmd, &out)
                  : subst_backquote(sh, part->s, part->n, sh->line, &out);
    if (ok) xp_value(x, out.s ? out.s : "", out.n, quoted);
    return ok;
}

static bool part_arith(struct expander *x, const struct part *part, bool quoted) {
    int64_t n;
    if (!expand_arith(x->sh, part->expr, &n, NULL)) return false;
    char text[ARITH_DIGITS];
    xp_value(x, text, arith_digits(text, n), quoted);
    return true;
}

static bool part_subscript(struct expander *x, const struct part *part) {
    const char *text = expand_single(x->sh, part->expr);
    if (!text) return false;
    sb out = sb_in(&x->sh->tmp);
    sb_putc(&out, '[');
    for (; *text; text++) {
        if (strchr("[]$`~\\'\"", *text)) sb_putc(&out, '\\');
        sb_putc(&out, *text);
    }
    sb_putc(&out, ']');
    xp_text(x, out.s, out.n, false);
    return true;
}

static bool part_process(struct expander *x, const struct part *part) {
    char *path = subst_process(x->sh, part->cmd, part->kind == PART_PROC_OUT);
    if (!path) return false;
    xp_text(x, path, strlen(path), true);
    return true;
}

static bool part_bad(struct expander *x, const struct part *part) {
    if (part->fatal)
        sh_fatal_expand_error(x->sh, "%.*s: bad substitution", (int)part->n, part->s);
    else sh_expand_error(x->sh, "%.*s: bad substitution", (int)part->n, part->s);
    return false;
}

static bool xp_part(struct expander *x, const struct part *part, bool inner, bool quoted) {
    switch (part->kind) {
    case PART_TEXT:
        if (inner) xp_value(x, part->s, part->n, quoted);
        else xp_text(x, part->s, part->n, quoted);
        return true;
    case PART_QUOTED: xp_text(x, part->s, part->n, true); return true;
    case PART_DQ: return part_dq(x, part);
    case PART_PARAM: return xp_param(x, part->param, quoted);
    case PART_CMD:
    case PART_BACKQUOTE: return part_command(x, part, quoted);
    case PART_ARITH: return part_arith(x, part, quoted);
    case PART_PROC_IN:
    case PART_PROC_OUT: return part_process(x, part);
    case PART_TILDE: return part_tilde(x, part);
    case PART_SUBSCRIPT: return part_subscript(x, part);
    default: return part_bad(x, part);
    }
}

static bool walk_parts(struct expander *x, const struct part *parts, bool inner, bool quoted) {
    if (++x->depth > EXPAND_DEPTH_MAX || sh_deep(x->sh)) {
        sh_expand_error(x->sh, "expansion nested deeper than %d levels", EXPAND_DEPTH_MAX);
        return false;
    }
    bool ok = true;
    for (; parts && ok; parts = parts->next) ok = xp_part(x, parts, inner, quoted);
    x->depth--;
    return ok && x->sh->flow == FLOW_NONE;
}

/* Parts inside double quotes hold their text as PART_QUOTED; only expansions need to be told. */
bool xp_parts(struct expander *x, const struct part *parts, bool inner) {
    return walk_parts(x, parts, inner, !inner);
}

static struct expander xp_new(struct shell *sh, struct strings *out, unsigned flags) {
    return (struct expander){.sh = sh, .out = out, .flags = (uint8_t)flags,
                             .text = sb_in(&sh->tmp), .mask = sb_in(&sh->tmp)};
}

/* ------------------------------------------------------------------ whole words */

/* A word that is one simple expansion whose value needs no work. */
static bool word_fast(struct shell *sh, const struct word *w, struct strings *out) {
    if (w->flags & W_PLAIN) {
        strings_add(sh, out, (char *)w->text);
        return true;
    }
    return false;
}

static bool expand_fields(struct shell *sh, const struct word *w, struct strings *out) {
    struct expander x = xp_new(sh, out, X_SPLIT | X_GLOB | X_MASK);
    if (!walk_parts(&x, w->parts, false, false)) return false;
    if (x.content) field_end(&x);
    return sh->flow == FLOW_NONE;
}

static bool expand_braces(struct shell *sh, const struct word *w, struct strings *out) {
    struct strings texts = {0};
    if (!brace_expand(sh, w->text, &texts)) return expand_fields(sh, w, out);
    struct tree *t = tree_new();
    bool ok = true;
    for (int i = 0; i < texts.n && ok; i++) {
        if (i % 256 == 255) exec_step(sh);
        const char *s = texts.v[i];
        if (s[strspn(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./:,")] == 0) {
            if (*s) strings_add(sh, out, texts.v[i]);
            continue;
        }
        struct word *piece = parse_word_text(sh, t, s, strlen(s), WM_ALL);
        ok = piece && expand_fields(sh, piece, out);
    }
    tree_drop(t);
    return ok && sh->flow == FLOW_NONE;
}

bool expand_word(struct shell *sh, const struct word *w, struct strings *out) {
    if (word_fast(sh, w, out)) return true;
    if ((w->flags & W_BRACE) && sh->opt[OPT_BRACEEXPAND]) return expand_braces(sh, w, out);
    return expand_fields(sh, w, out);
}

bool expand_words(struct shell *sh, struct word **words, int count, struct strings *out) {
    for (int i = 0; i < count; i++)
        if (!expand_word(sh, words[i], out)) return false;
    return true;
}

/* A word that is nothing but $name, and its value; NULL when it is anything else. */
static const char *single_variable(struct shell *sh, const struct word *w) {
    const struct part *part = w->parts;
    if (part && part->kind == PART_DQ && !part->next) part = part->inner;
    if (!part || part->next || part->kind != PART_PARAM || !part->param->plain) return NULL;
    const char *name = part->param->name;
    if (name_len(name) == 0) return NULL;
    return var_get(sh, name);
}

char *expand_single(struct shell *sh, const struct word *w) {
    if (!w->parts) return arena_strdup(&sh->tmp, "");
    if (w->flags & W_PLAIN) return (char *)w->parts->s;
    const char *value = single_variable(sh, w);
    if (value) return arena_strdup(&sh->tmp, value);
    struct expander x = xp_new(sh, NULL, X_ASSIGN);
    if (!walk_parts(&x, w->parts, false, false)) return NULL;
    return sb_str(&x.text);
}

char *expand_here(struct shell *sh, const struct word *w) {
    struct expander x = xp_new(sh, NULL, X_ASSIGN | X_HERE);
    return walk_parts(&x, w->parts, false, false) ? sb_str(&x.text) : NULL;
}

char *expand_pattern(struct shell *sh, const struct word *w) {
    if (w->flags & W_PLAIN) return (char *)w->text;
    struct expander x = xp_new(sh, NULL, X_ASSIGN | X_MASK);
    if (!walk_parts(&x, w->parts, false, false)) return NULL;
    return field_pattern(&x);
}

/* [ … ] of a regular expression from byte i on: quotes in it are taken away, and a quoted ] does
 * not end it. The offset behind it; i when nothing ends it. */
static size_t regex_bracket(const struct expander *x, size_t i, sb *out) {
    const char *s = x->text.s, *quoted = x->mask.s;
    size_t n = x->text.n, from = out->n, at = i + 1;
    sb_putc(out, '[');
    if (at < n && s[at] == '^') sb_putc(out, s[at++]);
    if (at < n && s[at] == ']') sb_putc(out, s[at++]);
    while (at < n && !(s[at] == ']' && !quoted[at])) {
        char kind = at + 1 < n && s[at] == '[' && !quoted[at] ? s[at + 1] : 0;
        if (kind == ':' || kind == '.' || kind == '=') { /* [:class:] */
            size_t end = at + 2;
            while (end + 1 < n && !(s[end] == kind && s[end + 1] == ']')) end++;
            if (end + 1 < n) {
                sb_put(out, s + at, end + 2 - at);
                at = end + 2;
                continue;
            }
        }
        sb_putc(out, s[at++]);
    }
    if (at < n) {
        sb_putc(out, ']');
        return at + 1;
    }
    out->n = from;
    return i;
}

char *expand_regex(struct shell *sh, const struct word *w) {
    struct expander x = xp_new(sh, NULL, X_ASSIGN | X_MASK);
    if (!walk_parts(&x, w->parts, false, false)) return NULL;
    sb out = sb_in(&sh->tmp);
    for (size_t i = 0; i < x.text.n;) {
        char c = x.text.s[i];
        if (c == '[' && !x.mask.s[i]) {
            size_t end = regex_bracket(&x, i, &out);
            if (end > i) {
                i = end;
                continue;
            }
        }
        if (!x.mask.s[i] && c == '\\' && i + 1 < x.text.n) { /* as it is, with what follows */
            sb_putc(&out, c);
            c = x.text.s[++i];
        } else if (x.mask.s[i] && strchr("\\.*+?[](){}|^$", c)) {
            sb_putc(&out, '\\');
        }
        sb_putc(&out, c);
        i++;
    }
    return sb_str(&out);
}

/* The text of ${x/p/text}: an unquoted & stands for the match: it becomes \1 (a byte that no text
 * keeps otherwise), so that quoted ones are themselves. */
char *op_replacement(struct shell *sh, const struct word *w) {
    struct expander x = xp_new(sh, NULL, X_ASSIGN | X_MASK);
    if (!w) return arena_strdup(&sh->tmp, "");
    if (!walk_parts(&x, w->parts, false, false)) return NULL;
    sb out = sb_in(&sh->tmp);
    bool active = sh->shopt[SHOPT_PATSUB_REPLACEMENT];
    for (size_t i = 0; i < x.text.n; i++) {
        char c = x.text.s[i];
        bool quoted = x.mask.s[i];
        if (active && !quoted && c == '\\' && i + 1 < x.text.n && !x.mask.s[i + 1] &&
            (x.text.s[i + 1] == '&' || x.text.s[i + 1] == '\\')) {
            c = x.text.s[++i];
            quoted = true;
        }
        sb_putc(&out, active && !quoted && c == '&' ? '\1' : c);
    }
    return sb_str(&out);
}

bool expand_redirect(struct shell *sh, const struct word *w, char **out) {
    struct strings list = {0};
    bool noglob = sh->opt[OPT_NOGLOB];
    sh->opt[OPT_NOGLOB] = noglob || (sh->posix && !sh->interactive);
    bool ok = expand_word(sh, w, &list);
    sh->opt[OPT_NOGLOB] = noglob;
    if (!ok) return false;
    if (list.n != 1) {
        sh_error(sh, "%s: ambiguous redirect", w->text);
        return false;
    }
    *out = list.v[0];
    return true;
}

char *expand_text_dq(struct shell *sh, const char *text) {
    if (!strpbrk(text, "$`\\")) return arena_strdup(&sh->tmp, text);
    struct tree *t = tree_new();
    struct word *w = parse_word_text(sh, t, text, strlen(text), WM_HERE);
    char *result = w ? expand_single(sh, w) : NULL;
    if (result) result = arena_strdup(&sh->tmp, result);
    tree_drop(t);
    return result;
}

char *expand_subscript(struct shell *sh, const struct var *v, const char *text) {
    bool assoc = v && (v->flags & V_ASSOC);
    if (!strpbrk(text, "$`\\\"'") || (assoc && sh->subscript_final))
        return arena_strdup(&sh->tmp, text);
    struct tree *t = tree_new();
    enum word_mode mode = assoc ? WM_SUBSCRIPT : WM_INDEX;
    struct word *w = parse_word_text(sh, t, text, strlen(text), mode);
    char *result = w ? expand_single(sh, w) : NULL;
    if (result) result = arena_strdup(&sh->tmp, result);
    tree_drop(t);
    return result;
}

bool expand_arith(struct shell *sh, const struct word *w, int64_t *out, const char *who) {
    char *text;
    if (!w->parts) {
        text = (char *)"";
    } else if (!w->parts->next && w->parts->kind == PART_QUOTED) {
        text = (char *)w->parts->s;
    } else if (!(text = expand_single(sh, w))) {
        return false;
    }
    if (arith_eval(sh, text, out, who)) return true;
    arith_error(sh, who);
    return false;
}
