/*
 * arith.c: $((…)), ((…)), let, subscripts: 64-bit integers, C's operators, bash's messages.
 *
 * Text is read and computed in one go. In a branch that is not taken (`skip`) it is only read.
 * Nesting of parentheses, operators and of variables that hold expressions is bounded.
 */
#include "sh.h"

enum token {
    A_END, A_NUMBER, A_NAME, A_OP, /* A_OP: see op */
};

struct arith {
    struct shell *sh;
    const char *who;
    const char *text;  /* whole expression, leading blanks removed */
    const char *p;     /* next byte */
    const char *last;  /* start of the current token, for messages */
    enum token token;
    int op;            /* an operator: its bytes, e.g. '+' or '<' << 8 | '<' */
    int64_t number;
    const char *name;  /* A_NAME: text of name or name[sub] */
    size_t name_n;
    int depth;
    int skip;
    bool failed;
};

#define OP2(a, b) ((a) << 8 | (b))
#define OP3(a, b, c) ((a) << 16 | (b) << 8 | (c))

static int64_t comma(struct arith *a);
static int64_t assignment(struct arith *a);
static bool eval_depth(struct shell *sh, const char *text, int64_t *out, const char *who,
                       int depth);

static void fail(struct arith *a, const char *at, const char *message) {
    if (a->failed) return;
    a->failed = true;
    while (at && (*at == ' ' || *at == '\t' || *at == '\n')) at++;
    const char *who = a->who ? a->who : a->sh->builtin;
    sh_error(a->sh, "%s%s%s: %s (error token is \"%s\")", who ? who : "", who && *who ? ": " : "",
             a->text, message, at ? at : "");
}

size_t arith_digits(char text[ARITH_DIGITS], int64_t n) {
    char digits[ARITH_DIGITS];
    size_t count = 0, len = 0;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do digits[count++] = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0) text[len++] = '-';
    while (count) text[len++] = digits[--count];
    text[len] = '\0';
    return len;
}

/* ------------------------------------------------------------------ tokens */

static int digit_value(int c, int base) {
    int d;
    if (c >= '0' && c <= '9') d = c - '0';
    else if (c >= 'a' && c <= 'z') d = c - 'a' + 10;
    else if (c >= 'A' && c <= 'Z') d = base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
    else if (c == '@') d = 62;
    else if (c == '_') d = 63;
    else return -1;
    return d;
}

/* A number that is none: the expression ends with it as far as the message goes. */
static void bad_number(struct arith *a, const char *end, const char *message) {
    if (a->failed) return;
    size_t before = (size_t)(a->p - a->text);
    char *text = arena_strndup(&a->sh->tmp, a->text, (size_t)(end - a->text));
    a->last = a->text = text;
    fail(a, text + before, message);
}

static bool digit_char(int c) { return digit_value(c, 64) >= 0; }

static void read_number(struct arith *a) {
    const char *s = a->p;
    int base = 10;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    } else if (s[0] == '0' && s[1]) {
        base = 8;
        s++;
    }
    uint64_t value = 0;
    bool based = false;
    const char *digits = s, *end = s;
    while (digit_char((unsigned char)*end) || *end == '#') end++;
    for (;; s++) {
        if (*s == '#' && (based || base != 10)) {
            bad_number(a, end, "invalid number");
            return;
        }
        if (*s == '#' && !based && base == 10 && s > a->p) {
            if (value < 2 || value > 64) {
                bad_number(a, end, "invalid arithmetic base");
                return;
            }
            base = (int)value;
            value = 0;
            based = true;
            digits = s + 1;
            continue;
        }
        if (!digit_char((unsigned char)*s)) break;
        int d = digit_value((unsigned char)*s, base);
        if (d >= base) {
            bad_number(a, end, "value too great for base");
            return;
        }
        value = value * (uint64_t)base + (uint64_t)d;
    }
    if (s == digits && based) {
        bad_number(a, end, "invalid integer constant");
        return;
    }
    a->p = s;
    a->token = A_NUMBER;
    a->number = (int64_t)value;
}

static void read_name(struct arith *a) {
    const char *s = a->p;
    s += name_len(s);
    if (*s == '[') {
        size_t n = subscript_end(s);
        if (n == 0) {
            fail(a, a->p, "bad array subscript");
            return;
        }
        s += n;
    }
    a->token = A_NAME;
    a->name = a->p;
    a->name_n = (size_t)(s - a->p);
    a->p = s;
}

static bool is_assign_pair(int c) { return strchr("*/%+-&^|", c) != NULL; }

static void next(struct arith *a) {
    while (*a->p == ' ' || *a->p == '\t' || *a->p == '\n') a->p++;
    const char *s = a->p;
    int c = (unsigned char)*s;
    if (c == 0) {
        a->token = A_END;
        return; /* `last` stays on the token before */
    }
    a->last = s;
    if (c >= '0' && c <= '9') {
        read_number(a);
        return;
    }
    if (name_len(s) > 0) {
        read_name(a);
        return;
    }
    if (!strchr("=><+-*/%!()&|^~?:,", c)) {
        bool after_operand = a->token == A_NUMBER || a->token == A_NAME || (a->token == A_OP && a->op == ')');
        a->token = A_OP;
        a->op = c;
        fail(a, s, after_operand ? "syntax error: invalid arithmetic operator"
                                 : "syntax error: operand expected");
        return;
    }
    bool steps = a->token != A_NAME && (c == '+' || c == '-') && s[1] == c; /* ++ of what? */
    a->token = A_OP;
    if (steps && name_len(s + 2 + strspn(s + 2, " \t\n")) == 0) { /* of nothing: two signs */
        a->op = c;
        a->p++;
        return;
    }
    int d = (unsigned char)s[1], e = d ? (unsigned char)s[2] : 0;
    if ((c == '<' || c == '>') && d == c && e == '=') a->op = OP3(c, d, e);
    else if ((c == '<' || c == '>' || c == '&' || c == '|' || c == '*' || c == '+' || c == '-' ||
              c == '=') && d == c)
        a->op = OP2(c, d);
    else if ((c == '<' || c == '>' || c == '!' || is_assign_pair(c)) && d == '=') a->op = OP2(c, d);
    else a->op = c;
    a->p += a->op > 0xffff ? 3 : a->op > 0xff ? 2 : 1;
}

static bool at_op(const struct arith *a, int op) { return a->token == A_OP && a->op == op; }

/* ------------------------------------------------------------------ variables */

struct place { /* what an assignment changes */
    char *name;
    char *sub; /* NULL, or the subscript's text */
    bool none; /* a[@] a[*] a[] of an indexed array: no element, which is said when it is used */
};

static bool enter(struct arith *a) {
    if (++a->depth <= ARITH_DEPTH_MAX && !sh_deep(a->sh)) return true;
    if (!a->failed && a->sh->flow == FLOW_NONE) fail(a, a->last, "expression recursion level exceeded");
    a->failed = true;
    return false;
}

static struct place place_of(struct arith *a) {
    arena *mem = &a->sh->tmp;
    size_t n = name_len(a->name);
    struct place at = {arena_strndup(mem, a->name, n), NULL, false};
    if (n < a->name_n) at.sub = arena_strndup(mem, a->name + n + 1, a->name_n - n - 2);
    return at;
}

/* The subscript is computed once: a[i++] += 2. */
static bool settle_place(struct arith *a, struct place *at) {
    struct shell *sh = a->sh;
    const char *target = var_nameref_target(sh, at->name);
    if (target && strcmp(target, at->name) != 0 && !at->sub) {
        char *base, *sub;
        if (assign_split_ref(sh, target, &base, &sub)) {
            at->name = base;
            at->sub = sub;
        }
    }
    if (!at->sub) return true;
    struct var *v = var_find(sh, at->name);
    if (v && (v->flags & V_ASSOC)) {
        char *key = expand_subscript(sh, v, at->sub);
        if (key && !*key) sh_error(sh, "%s[%s]: bad array subscript", at->name, at->sub);
        at->sub = key;
        return key && *key;
    }
    int64_t i;
    at->none = !*at->sub || ((*at->sub == '@' || *at->sub == '*') && !at->sub[1]);
    if (at->none) return true;
    const char *text = expand_subscript(sh, v, at->sub);
    if (!text || !eval_depth(sh, text, &i, "", a->depth + 1)) {
        if (sh->flow == FLOW_NONE) sh_abandon(sh, 1); /* as wherever a subscript is wrong */
        return false;
    }
    at->sub = arena_printf(&sh->tmp, "%" PRId64, i);
    return true;
}

static const char *place_text(struct arith *a, const struct place *at) {
    struct shell *sh = a->sh;
    struct var *v = var_find(sh, at->name);
    if (!v) return NULL;
    if (!at->sub) return var_get(sh, at->name);
    var_refresh(sh, v);
    if (v->flags & V_ASSOC) return assoc_get(var_assoc(v), at->sub);
    int64_t i = strtoll(at->sub, NULL, 10);
    if (!(v->flags & V_ARRAY)) return i == 0 || i == -1 ? var_str(sh, v) : NULL;
    if (i < 0) i += array_next_index(var_array(v));
    if (i < 0) {
        sh_error(sh, "%s: bad array subscript", at->name);
        return NULL;
    }
    return array_get(var_array(v), i);
}

static void no_element(struct arith *a, const struct place *at) {
    sh_error(a->sh, "%s[%s]: bad array subscript", at->name, at->sub);
}

static int64_t value_of(struct arith *a, const struct place *at) {
    if (at->none) {
        no_element(a, at);
        if (!*at->sub) no_element(a, at); /* bash looks twice */
        return 0;
    }
    const char *s = place_text(a, at);
    if (!s) {
        if (a->sh->opt[OPT_NOUNSET]) {
            sh_fatal_expand_error(a->sh, "%s: unbound variable", at->name);
            a->failed = true;
        }
        return 0;
    }
    const char *digits = *s == '-' ? s + 1 : s;
    size_t n = strspn(digits, "0123456789");
    if (n > 0 && n < 18 && digits[n] == 0 && (*digits != '0' || n == 1))
        return strtoll(s, NULL, 10);
    int64_t value = 0;
    s = arena_strdup(&a->sh->tmp, s); /* what it computes may change the variable that holds it */
    if (!eval_depth(a->sh, s, &value, a->who, a->depth + 1)) a->failed = true;
    return value;
}

static void store(struct arith *a, const struct place *at, int64_t value) {
    struct shell *sh = a->sh;
    char text[ARITH_DIGITS];
    arith_digits(text, value);
    if (at->none) {
        no_element(a, at);
        return;
    }
    bool ok;
    if (at->sub) {
        struct var *v = var_make(sh, at->name);
        if (v->flags & V_ASSOC) {
            ok = var_assign_key(sh, v, at->sub, text, false);
        } else {
            int64_t i;
            ok = assign_index(sh, v, at->name, at->sub, &i);
            if (ok && i < 0) {
                sh_error(sh, "%s[%s]: bad array subscript", at->name, at->sub);
                ok = false;
            }
            ok = ok && var_assign_index(sh, v, i, text, false);
        }
    } else {
        ok = var_set(sh, at->name, text);
    }
    if (!ok) a->failed = true;
}

/* ------------------------------------------------------------------ operators */

static int64_t power(struct arith *a, int64_t base, int64_t exponent, const char *at) {
    if (exponent < 0) {
        fail(a, at, "exponent less than 0");
        return 0;
    }
    uint64_t result = 1, b = (uint64_t)base;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result *= b;
        b *= b;
    }
    return (int64_t)result;
}

static int64_t apply(struct arith *a, int op, int64_t x, int64_t y, const char *at) {
    switch (op) {
    case '*': return (int64_t)((uint64_t)x * (uint64_t)y);
    case '/':
    case '%':
        if (y == 0) {
            if (!a->skip) fail(a, at, "division by 0");
            return 0;
        }
        if (y == -1) return op == '/' ? (int64_t)(0 - (uint64_t)x) : 0;
        return op == '/' ? x / y : x % y;
    case '+': return (int64_t)((uint64_t)x + (uint64_t)y);
    case '-': return (int64_t)((uint64_t)x - (uint64_t)y);
    case OP2('<', '<'): return (int64_t)((uint64_t)x << (y & 63));
    case OP2('>', '>'): return x >> (y & 63);
    case '<': return x < y;
    case '>': return x > y;
    case OP2('<', '='): return x <= y;
    case OP2('>', '='): return x >= y;
    case OP2('=', '='): return x == y;
    case OP2('!', '='): return x != y;
    case '&': return x & y;
    case '^': return x ^ y;
    case '|': return x | y;
    default: return y;
    }
}

/* The operator of an assignment like += ; '=' for the plain one; 0 for none. */
static int assign_op(const struct arith *a) {
    if (a->token != A_OP) return 0;
    if (a->op == '=') return '=';
    if (a->op == OP3('<', '<', '=')) return OP2('<', '<');
    if (a->op == OP3('>', '>', '=')) return OP2('>', '>');
    if (a->op > 0xff && a->op <= 0xffff && (a->op & 0xff) == '=' && is_assign_pair(a->op >> 8))
        return a->op >> 8;
    return 0;
}

static int64_t name_operand(struct arith *a) {
    struct place at = place_of(a);
    next(a);
    int step = at_op(a, OP2('+', '+')) ? 1 : at_op(a, OP2('-', '-')) ? -1 : 0;
    if (a->skip) {
        if (step) next(a);
        return 0;
    }
    if (!settle_place(a, &at)) {
        a->failed = true;
        return 0;
    }
    int64_t value = value_of(a, &at);
    if (step && !a->failed) {
        store(a, &at, (int64_t)((uint64_t)value + (uint64_t)(int64_t)step));
        next(a);
    }
    return value;
}

static int64_t primary(struct arith *a) {
    int64_t value = 0;
    if (a->failed) return 0;
    if (at_op(a, '(')) {
        if (!enter(a)) return 0;
        next(a);
        value = comma(a);
        a->depth--;
        if (!at_op(a, ')')) fail(a, a->last, "missing `)'");
        next(a);
    } else if (a->token == A_NUMBER) {
        value = a->number;
        next(a);
    } else if (a->token == A_NAME) {
        value = name_operand(a);
    } else {
        fail(a, a->last, "syntax error: operand expected");
    }
    return value;
}

/* ++x and --x, with the operator at hand and a name behind it. */
static int64_t increment(struct arith *a, int step) {
    next(a);
    if (a->failed) return 0;
    struct place at = place_of(a);
    next(a);
    if (at_op(a, OP2('+', '+')) || at_op(a, OP2('-', '-')))
        fail(a, a->last, at_op(a, OP2('+', '+')) ? "++: assignment requires lvalue"
                                                 : "--: assignment requires lvalue");
    if (a->skip || a->failed) return 0;
    if (!settle_place(a, &at)) {
        a->failed = true;
        return 0;
    }
    int64_t value = (int64_t)((uint64_t)value_of(a, &at) + (uint64_t)(int64_t)step);
    if (!a->failed) store(a, &at, value);
    return value;
}

static int64_t unary(struct arith *a) {
    if (a->failed || a->token != A_OP) return primary(a);
    int op = a->op;
    if (op == OP2('+', '+') || op == OP2('-', '-'))
        return increment(a, op == OP2('+', '+') ? 1 : -1);
    if (op != '!' && op != '~' && op != '-' && op != '+') return primary(a);
    if (!enter(a)) return 0;
    next(a);
    int64_t value = unary(a);
    a->depth--;
    switch (op) {
    case '!': return !value;
    case '~': return ~value;
    case '-': return (int64_t)(0 - (uint64_t)value);
    default: return value;
    }
}

static int64_t power_level(struct arith *a) {
    int64_t left = unary(a);
    if (!at_op(a, OP2('*', '*'))) return left;
    if (!enter(a)) return 0;
    next(a);
    int64_t right = power_level(a);
    a->depth--;
    return a->failed ? 0 : power(a, left, right, a->last);
}

static int precedence(const struct arith *a) {
    if (a->token != A_OP) return 0;
    switch (a->op) {
    case '*': case '/': case '%': return 8;
    case '+': case '-': return 7;
    case OP2('<', '<'): case OP2('>', '>'): return 6;
    case '<': case '>': case OP2('<', '='): case OP2('>', '='): return 5;
    case OP2('=', '='): case OP2('!', '='): return 4;
    case '&': return 3;
    case '^': return 2;
    case '|': return 1;
    default: return 0;
    }
}

static int64_t binary(struct arith *a, int least) {
    int64_t left = power_level(a);
    for (;;) {
        int level = precedence(a);
        if (a->failed || level == 0 || level < least) return left;
        int op = a->op;
        const char *at = a->p;
        next(a);
        int64_t right = level == 8 ? power_level(a) : binary(a, level + 1);
        if (a->failed) return 0;
        left = apply(a, op, left, right, at);
    }
}

static int64_t logical_and(struct arith *a) {
    int64_t left = binary(a, 1);
    while (at_op(a, OP2('&', '&')) && !a->failed) {
        next(a);
        a->skip += !left;
        int64_t right = binary(a, 1);
        a->skip -= !left;
        left = left && right;
    }
    return left;
}

static int64_t logical_or(struct arith *a) {
    int64_t left = logical_and(a);
    while (at_op(a, OP2('|', '|')) && !a->failed) {
        next(a);
        a->skip += left != 0;
        int64_t right = logical_and(a);
        a->skip -= left != 0;
        left = left || right;
    }
    return left;
}

static int64_t conditional(struct arith *a) {
    int64_t test = logical_or(a);
    if (!at_op(a, '?') || a->failed) return test;
    if (!enter(a)) return 0;
    next(a);
    if (a->token == A_END || at_op(a, ':')) fail(a, a->last, "expression expected");
    a->skip += !test;
    int64_t yes = comma(a);
    a->skip -= !test;
    if (!at_op(a, ':')) fail(a, a->last, "`:' expected for conditional expression");
    next(a);
    if (a->token == A_END) fail(a, a->last, "expression expected");
    a->skip += test != 0;
    int64_t no = conditional(a);
    a->skip -= test != 0;
    a->depth--;
    return test ? yes : no;
}

static int64_t assignment(struct arith *a) {
    if (a->token == A_NAME) { /* look ahead: name op= … */
        struct arith before = *a;
        next(a);
        int op = assign_op(a);
        if (op && !a->failed) {
            struct arith named = before;
            struct place at = place_of(&named);
            if (!a->skip && !settle_place(a, &at)) {
                a->failed = true;
                return 0;
            }
            if (!enter(a)) return 0;
            const char *right_at = a->p;
            next(a);
            int64_t old = 0;
            if (op != '=' && !a->skip) old = value_of(a, &at);
            int64_t right = assignment(a);
            a->depth--;
            if (a->failed) return 0;
            int64_t value = op == '=' ? right : apply(a, op, old, right, right_at);
            if (!a->skip && !a->failed) store(a, &at, value);
            return value;
        }
        if (!a->failed) *a = before;
    }
    int64_t value = conditional(a);
    if (!a->failed && assign_op(a)) fail(a, a->last, "attempted assignment to non-variable");
    return value;
}

static int64_t comma(struct arith *a) {
    int64_t value = assignment(a);
    while (at_op(a, ',') && !a->failed) {
        next(a);
        value = assignment(a);
    }
    return value;
}

/* A name behind the expression has its value read before anybody sees that it is in the way. */
static void stray_name(struct arith *a) {
    struct place at = place_of(a);
    next(a);
    if (!a->failed && !assign_op(a) && settle_place(a, &at)) value_of(a, &at);
}

static bool eval_depth(struct shell *sh, const char *text, int64_t *out, const char *who,
                       int depth) {
    struct arith a = {.sh = sh, .who = who, .depth = depth};
    a.text = text + strspn(text, " \t");
    a.p = a.last = a.text;
    *out = 0;
    if (depth > ARITH_DEPTH_MAX) {
        fail(&a, a.p, "expression recursion level exceeded");
        return false;
    }
    next(&a);
    if (a.token == A_END && !a.failed) return true;
    int64_t value = comma(&a);
    if (!a.failed && a.token != A_END) {
        const char *at = a.last;
        if (a.token == A_NAME) stray_name(&a);
        if (!a.failed) fail(&a, at, "syntax error in expression");
    }
    if (a.failed) return false;
    *out = value;
    return true;
}

/* A plain decimal number, the most common text of all. */
static bool plain_number(const char *s, int64_t *out) {
    size_t n = strspn(s, "0123456789");
    if (n == 0 || n > 18 || s[n] || (*s == '0' && n > 1)) return false;
    *out = 0;
    for (size_t i = 0; i < n; i++) *out = *out * 10 + (s[i] - '0');
    return true;
}

bool arith_eval(struct shell *sh, const char *text, int64_t *out, const char *who) {
    if (plain_number(text, out)) return true;
    arena_mark mark = arena_here(&sh->tmp);
    bool ok = eval_depth(sh, text, out, who, 0);
    arena_release(&sh->tmp, mark);
    return ok;
}

void arith_error(struct shell *sh, const char *who) {
    if (sh->flow != FLOW_NONE) return;
    sh->status = 1;
    if (!who || strcmp(who, "((") != 0) sh_give_up(sh);
}
