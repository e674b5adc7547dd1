/*
 * wordparam.c: reads what starts with a dollar sign: $x ${…} $(…) $((…)) $[…].
 *
 * A malformed ${…} is no syntax error: it becomes PART_BAD, and complains when it is expanded, as
 * in bash.
 */
#include "wordscan.h"

enum outcome { GOOD, BAD, FAILED };

static bool name_start(int c) {
    return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}
static bool digit(int c) {
    return c >= '0' && c <= '9';
}
static bool name_char(int c) {
    return name_start(c) || digit(c);
}
static bool special_char(int c) {
    return c > 0 && strchr("@*#?-$!", c) != NULL;
}

static struct part *part_new(struct parser *p, enum part_kind kind) {
    struct part *part = arena_zalloc(p->mem, sizeof *part);
    part->kind = (uint8_t)kind;
    return part;
}

/* Variables whose value depends on the process that looks at them. */
static bool process_dependent(const char *name) {
    return strncmp(name, "BASH", 4) == 0 || strcmp(name, "RANDOM") == 0 ||
           strcmp(name, "SRANDOM") == 0;
}

static struct part *plain_param(struct parser *p, size_t n, uint16_t *flags) {
    struct part *part = part_new(p, PART_PARAM);
    struct param *pm = arena_zalloc(p->mem, sizeof *pm);
    pm->name = arena_strndup(p->mem, p->buf + p->pos + 1, n);
    pm->source = arena_strndup(p->mem, p->buf + p->pos, n + 1);
    pm->plain = true;
    part->param = pm;
    p->pos += n + 1;
    if (process_dependent(pm->name)) *flags &= (uint16_t)~W_PURE;
    return part;
}

/* ------------------------------------------------------------------ ${…} */

/* Reads the parameter itself: a name, digits, or a special character. */
static bool read_name(struct parser *p, struct param *pm) {
    int c = lex_next(p, 0);
    size_t n = 0;
    if (name_start(c)) {
        while (name_char(lex_next(p, n))) n++;
    } else if (digit(c)) {
        while (digit(lex_next(p, n))) n++;
    } else if (special_char(c)) {
        n = 1;
    } else {
        return false;
    }
    pm->name = arena_strndup(p->mem, p->buf + p->pos, n);
    p->pos += n;
    return true;
}

static enum outcome read_subscript(struct parser *p, struct param *pm) {
    if (lex_at(p, 0) != '[' || !name_start((unsigned char)pm->name[0])) return GOOD;
    int line = p->line;
    int c = lex_next(p, 1);
    if ((c == '@' || c == '*') && lex_next(p, 2) == ']') {
        pm->sub_all = (char)c;
        p->pos += 3;
        return GOOD;
    }
    ptrdiff_t close = word_skip(p, p->pos + 1, '[', ']');
    if (close < 0) return BAD;
    size_t n = (size_t)close - p->pos - 1;
    if (n == 0) return BAD;
    pm->sub = word_of_text(p, p->buf + p->pos + 1, n, WM_SUBSCRIPT, line);
    if (!pm->sub) return FAILED;
    for (size_t i = p->pos; i < (size_t)close; i++)
        if (p->buf[i] == '\n') p->line++;
    p->pos = (size_t)close + 1;
    return GOOD;
}

static enum outcome read_arg(struct parser *p, struct word **out, enum word_mode mode, bool dq) {
    *out = word_parts(p, mode, dq);
    return *out ? GOOD : FAILED;
}

static enum outcome read_replace(struct parser *p, struct param *pm) {
    pm->op = OP_REPLACE;
    p->pos++;
    int c = lex_next(p, 0);
    if (c == '/') {
        pm->all = true;
        p->pos++;
    } else if ((c == '#' || c == '%')) {
        pm->mode = (char)c;
        p->pos++;
        /* an anchor alone is the pattern itself: ${x/#} */
        if (lex_at(p, 0) == '}') {
            pm->mode = 0;
            p->pos--;
        }
    }
    if (pm->mode && lex_at(p, 0) == '/')
        pm->arg = NULL; /* ${x/#/r} */
    else if (read_arg(p, &pm->arg, WM_PATTERN, false) == FAILED)
        return FAILED;
    if (lex_at(p, 0) != '/') return GOOD;
    p->pos++;
    return read_arg(p, &pm->arg2, WM_BRACE, false);
}

static enum outcome read_slice(struct parser *p, struct param *pm) {
    pm->op = OP_SLICE;
    if (read_arg(p, &pm->arg, WM_OFFSET, false) == FAILED) return FAILED;
    if (lex_at(p, 0) != ':') return pm->arg->len || lex_at(p, 0) < 0 ? GOOD : BAD;
    p->pos++;
    return read_arg(p, &pm->arg2, WM_LENGTH, false);
}

static enum param_op value_op(int c) {
    switch (c) {
    case '-': return OP_DEFAULT;
    case '=': return OP_ASSIGN;
    case '?': return OP_ERROR;
    case '+': return OP_ALTERNATE;
    default: return OP_NONE;
    }
}

static enum outcome read_operator(struct parser *p, struct param *pm, bool dq) {
    int c = lex_next(p, 0), d;
    if (c == '}') return GOOD;
    if (c == ':' && value_op(lex_next(p, 1)) != OP_NONE) {
        pm->colon = true;
        p->pos++;
        c = lex_at(p, 0);
    }
    if (value_op(c) != OP_NONE) {
        pm->op = (uint8_t)value_op(c);
        p->pos++;
        return read_arg(p, &pm->arg, WM_BRACE, dq && pm->op != OP_ERROR);
    }
    switch (c) {
    case ':': p->pos++; return read_slice(p, pm);
    case '#':
    case '%':
        d = lex_next(p, 1);
        pm->op = c == '#' ? (d == '#' ? OP_PREFIX_LONG : OP_PREFIX)
                          : (d == '%' ? OP_SUFFIX_LONG : OP_SUFFIX);
        p->pos += d == c ? 2 : 1;
        return read_arg(p, &pm->arg, WM_BRACE, false);
    case '/': return read_replace(p, pm);
    case '^':
    case ',':
    case '~':
        if (strchr("?-#", pm->name[0])) return BAD;
        pm->op = OP_CASE;
        pm->mode = (char)c;
        pm->all = lex_next(p, 1) == c;
        p->pos += pm->all ? 2 : 1;
        return read_arg(p, &pm->arg, WM_BRACE, false);
    case '@':
        d = lex_next(p, 1);
        if (d == '}') { /* an error, unless there is no value */
            pm->op = OP_TRANSFORM;
            p->pos++;
            return GOOD;
        }
        if (((d | 32) >= 'a' && (d | 32) <= 'z') && lex_next(p, 2) == '}') {
            pm->op = OP_TRANSFORM;
            pm->mode = (char)d;
            p->pos += 2;
            return GOOD;
        }
        return BAD;
    default: return BAD;
    }
}

/* ${#x}: is this # the length operator? */
static bool is_length(struct parser *p) {
    int c = lex_next(p, 1), d = lex_next(p, 2);
    if (name_start(c) || digit(c)) return true;
    return special_char(c) && d == '}';
}

/* ${!x}: is this ! the indirection? */
static bool is_indirect(struct parser *p) {
    int c = lex_next(p, 1);
    if (name_start(c) || digit(c)) return true;
    return c > 0 && strchr("@*#?", c) && lex_next(p, 2) == '}';
}

static enum outcome read_param(struct parser *p, struct param *pm, bool dq) {
    int c = lex_next(p, 0);
    if (c == '#' && is_length(p)) {
        pm->length = true;
        p->pos++;
    } else if (c == '!' && is_indirect(p)) {
        pm->indirect = true;
        p->pos++;
    }
    if (!read_name(p, pm)) return BAD;
    enum outcome o = read_subscript(p, pm);
    if (o != GOOD) return o;
    if (pm->length) return lex_at(p, 0) == '}' ? GOOD : BAD;
    if (pm->indirect) { /* ${!prefix*} */
        c = lex_at(p, 0);
        if ((c == '*' || c == '@') && lex_next(p, 1) == '}' && !pm->sub && !pm->sub_all) {
            pm->names = (char)c;
            p->pos++;
            return GOOD;
        }
    }
    return read_operator(p, pm, dq);
}

static void param_flags(struct parser *p, const struct param *pm, uint16_t *flags) {
    (void)p;
    bool pure = pm->op != OP_ASSIGN && pm->op != OP_ERROR && pm->op != OP_SLICE && !pm->sub &&
                !pm->indirect && !process_dependent(pm->name);
    if (pm->arg && !(pm->arg->flags & W_PURE)) pure = false;
    if (pm->arg2 && !(pm->arg2->flags & W_PURE)) pure = false;
    if (!pure) *flags &= (uint16_t)~W_PURE;
}

/* What the text from `at` to its end leaves open: a quote begun in it, or the brace. */
static char left_open(const struct parser *p, size_t at) {
    char quote = 0;
    for (; at < p->len; at++) {
        char c = p->buf[at];
        if (c == '\\' && quote != '\'')
            at++;
        else if (quote ? c == quote : c == '"' || c == '\'' || c == '`')
            quote = quote ? 0 : c;
    }
    return quote ? quote : '}';
}

/* Steps to offset `end`, counting lines. */
static void step_to(struct parser *p, size_t end) {
    for (; p->pos < end; p->pos++) {
        if (p->buf[p->pos] != '\n') continue;
        p->line++;
        p->line_start = p->pos + 1;
    }
}

static struct part *brace_param(struct parser *p, bool dq, uint16_t *flags) {
    size_t start = p->pos;
    int line = p->line;
    size_t line_start = p->line_start;
    struct dollar_quote *dollars = p->dollars;
    struct param *pm = arena_zalloc(p->mem, sizeof *pm);
    p->pos += 2;
    enum outcome o = read_param(p, pm, dq);
    if (o == GOOD && lex_at(p, 0) < 0) {
        parse_eof_error(p, line, '}');
        return NULL;
    }
    if (o == FAILED) return NULL;
    if (o == GOOD && lex_at(p, 0) == '}') {
        p->pos++;
        pm->source = arena_strndup(p->mem, p->buf + start, p->pos - start);
        struct part *part = part_new(p, PART_PARAM);
        part->param = pm;
        param_flags(p, pm, flags);
        return part;
    }
    p->pos = start;
    p->line = line;
    p->line_start = line_start;
    p->dollars = dollars;
    ptrdiff_t close = word_skip(p, start + 2, '{', '}');
    if (close < 0) {
        parse_eof_error(p, line, left_open(p, start + 2));
        return NULL;
    }
    struct part *part = part_new(p, PART_BAD);
    part->n = (uint32_t)((size_t)close + 1 - start);
    part->s = arena_strndup(p->mem, p->buf + start, part->n);
    size_t n = name_len(part->s + 2); /* a transformation that there is not ends a script */
    part->fatal = n > 0 && part->s[2 + n] == '@';
    step_to(p, (size_t)close + 1);
    *flags &= (uint16_t)~W_PURE;
    return part;
}

/* ------------------------------------------------------------------ $( ) and $(( )) */

static struct part *arith_part(struct parser *p, size_t from, size_t n, size_t end,
                               uint16_t *flags) {
    struct part *part = part_new(p, PART_ARITH);
    part->expr = word_of_text(p, p->buf + from, n, WM_ARITH, p->line);
    step_to(p, end);
    *flags &= (uint16_t)~W_PURE;
    return part->expr ? part : NULL;
}

static struct part *paren_part(struct parser *p, uint16_t *flags) {
    if (lex_next(p, 2) == '(') { /* $(( … )) if the two closing ones stand together */
        ptrdiff_t close = word_skip(p, p->pos + 3, '(', ')');
        if (close >= 0 && lex_at(p, (size_t)close + 1 - p->pos) == ')') {
            size_t from = p->pos + 3;
            return arith_part(p, from, (size_t)close - from, (size_t)close + 2, flags);
        }
        if (close < 0) {
            parse_eof_error(p, p->line, ')');
            return NULL;
        }
    }
    struct part *part = part_new(p, PART_CMD);
    p->pos += 2;
    part->cmd = parse_comsub(p);
    *flags &= (uint16_t)~W_PURE;
    return part;
}

/* The expansion that starts with the $ at pos. NULL without failure: the $ is itself. */
struct part *dollar_lex(struct parser *p, bool dq, uint16_t *flags) {
    int c = lex_next(p, 1);
    *flags &= (uint16_t)~W_PLAIN;
    if (name_start(c)) {
        size_t n = 1;
        while (name_char(lex_next(p, n + 1))) n++;
        return plain_param(p, n, flags);
    }
    if (digit(c) || special_char(c)) return plain_param(p, 1, flags);
    if (c == '{') return brace_param(p, dq, flags);
    if (c == '(') return paren_part(p, flags);
    if (c == '[') {
        ptrdiff_t close = word_skip(p, p->pos + 2, '[', ']');
        if (close >= 0) {
            size_t from = p->pos + 2;
            return arith_part(p, from, (size_t)close - from, (size_t)close + 1, flags);
        }
        parse_eof_error(p, p->line, ']');
    }
    return NULL;
}
