/*
 * expr.c: evaluates expressions. Numbers may have any size.
 *
 * help expr:
 *   Usage: expr EXPRESSION
 *     or:  expr OPTION
 *         --help       display this help and exit
 *         --version    output version information and exit
 *
 *   Print the value of EXPRESSION to standard output. A group below has higher precedence than the
 *   one above it.
 *
 *     ARG1 | ARG2       ARG1 if it is neither null nor 0, otherwise ARG2
 *     ARG1 & ARG2       ARG1 if neither argument is null or 0, otherwise 0
 *     ARG1 < ARG2, <=, =, ==, !=, >=, >   comparisons, of numbers where both are
 *     ARG1 + ARG2, -    arithmetic sum, difference
 *     ARG1 * ARG2, /, %  arithmetic product, quotient, remainder
 *     STRING : REGEXP   anchored pattern match of REGEXP in STRING
 *     match STRING REGEXP        same as STRING : REGEXP
 *     substr STRING POS LENGTH   substring of STRING, POS counted from 1
 *     index STRING CHARS         index in STRING where any CHARS is found, or 0
 *     length STRING              length of STRING
 *     + TOKEN                    interpret TOKEN as a string, even if it is a keyword
 *     ( EXPRESSION )             value of EXPRESSION
 *
 *   Exit status is 0 if EXPRESSION is neither null nor 0, 1 if it is, 2 if it is syntactically
 *   invalid, and 3 if an error occurred.
 */
#include "g_integer.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_regex.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values are strings; whether one is a number is looked at where it matters. */
typedef struct {
    char **at;
    int depth;
} parser;

enum { DEPTH_MAX = 500 };

static char *evaluate(parser *p, bool wanted);

static char *text_of(int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    return g_copy_string(text);
}

static bool looks_like_number(const char *s) {
    if (*s == '-') s++;
    if (!*s) return false;
    for (; *s; s++)
        if (*s < '0' || *s > '9') return false;
    return true;
}

static g_integer number_of(const char *s) {
    if (!looks_like_number(s)) g_die(2, "non-integer argument");
    return g_integer_of_text(s);
}

static bool is_null(const char *s) {
    if (!*s) return true;
    if (!looks_like_number(s)) return false;
    for (; *s; s++)
        if (*s != '0' && *s != '-') return false;
    return true;
}

static bool next_is(parser *p, const char *token) {
    if (!*p->at || strcmp(*p->at, token) != 0) return false;
    p->at++;
    return true;
}

/* The argument that must stand here. */
static void require_more(const parser *p) {
    if (!*p->at) g_die(2, "syntax error: missing argument after %s", g_quote(p->at[-1]));
}

static size_t character_count(const char *s, size_t len) {
    return g_utf8_locale() ? pf_utf8_count(s, len) : len;
}

static char *match(const char *string, const char *pattern, bool wanted) {
    pf_regex *re;
    const char *message;
    if (!wanted) return g_copy_string("");
    unsigned flags = PF_RE_LENIENT | (g_utf8_locale() ? 0 : PF_RE_BYTES);
    if (pf_regex_compile(&re, pattern, strlen(pattern), flags, &g_regex_host, &message) != PF_RE_OK)
        g_die(2, "%s", message);
    pf_range ranges[2] = {{-1, -1}, {-1, -1}};
    int groups = pf_regex_groups(re);
    int status = pf_regex_search(re, string, strlen(string), 0, 0, ranges, 2);
    bool found = status == PF_RE_OK && ranges[0].start == 0;
    char *result;
    if (groups > 0) {
        bool took = found && ranges[1].start >= 0;
        result = g_copy_bytes(took ? string + ranges[1].start : "",
                              took ? (size_t)(ranges[1].end - ranges[1].start) : 0);
    } else {
        result = text_of(found ? (int64_t)character_count(string, (size_t)ranges[0].end) : 0);
    }
    pf_regex_free(re);
    return result;
}

/* Length in bytes of the character at s. */
static size_t step(const char *s) {
    uint32_t code;
    int n = g_utf8_locale() ? pf_utf8_decode(s, strlen(s), &code) : 1;
    return n > 0 ? (size_t)n : 1;
}

static int64_t index_of(const char *string, const char *characters) {
    int64_t at = 1;
    for (const char *s = string; *s; s += step(s), at++)
        for (const char *c = characters; *c; c += step(c))
            if (step(s) == step(c) && memcmp(s, c, step(s)) == 0) return at;
    return 0;
}

static char *substring(const char *string, const char *position, const char *length) {
    int64_t from, count;
    if (!looks_like_number(position) || !looks_like_number(length)) return g_copy_string("");
    if (g_parse_signed(position, "", &from, NULL) != G_NUMBER_OK) from = INT64_MAX;
    if (g_parse_signed(length, "", &count, NULL) != G_NUMBER_OK) count = INT64_MAX;
    if (from <= 0 || count <= 0) return g_copy_string("");
    const char *start = string;
    for (; from > 1 && *start; from--) start += step(start);
    const char *end = start;
    for (; count > 0 && *end; count--) end += step(end);
    return g_copy_bytes(start, (size_t)(end - start));
}

static char *primary(parser *p, bool wanted) {
    require_more(p);
    if (next_is(p, "(")) {
        if (++p->depth > DEPTH_MAX) g_die(3, "expression nested too deeply");
        char *value = evaluate(p, wanted);
        p->depth--;
        if (!*p->at) g_die(2, "syntax error: expecting ')' after %s", g_quote(p->at[-1]));
        if (!next_is(p, ")"))
            g_die(2, "syntax error: expecting ')' instead of %s", g_quote(*p->at));
        return value;
    }
    if (strcmp(*p->at, ")") == 0) g_die(2, "syntax error: unexpected ')'");
    return g_copy_string(*p->at++);
}

static char *function(parser *p, bool wanted) {
    if (++p->depth > DEPTH_MAX) g_die(3, "expression nested too deeply");
    char *result;
    if (next_is(p, "+")) {
        require_more(p);
        result = g_copy_string(*p->at++);
    } else if (next_is(p, "length")) {
        char *s = function(p, wanted);
        result = text_of((int64_t)character_count(s, strlen(s)));
        free(s);
    } else if (next_is(p, "match")) {
        char *s = function(p, wanted), *pattern = function(p, wanted);
        result = match(s, pattern, wanted);
        free(s);
        free(pattern);
    } else if (next_is(p, "index")) {
        char *s = function(p, wanted), *characters = function(p, wanted);
        result = text_of(index_of(s, characters));
        free(s);
        free(characters);
    } else if (next_is(p, "substr")) {
        char *s = function(p, wanted), *from = function(p, wanted), *count = function(p, wanted);
        result = substring(s, from, count);
        free(s);
        free(from);
        free(count);
    } else {
        result = primary(p, wanted);
    }
    p->depth--;
    return result;
}

static char *matching(parser *p, bool wanted) {
    char *left = function(p, wanted);
    while (next_is(p, ":")) {
        char *pattern = function(p, wanted), *value = match(left, pattern, wanted);
        free(left);
        free(pattern);
        left = value;
    }
    return left;
}

/* `left` OP `right`, whose memory it takes. */
static char *calculate(char *left, char op, char *right) {
    g_integer a = number_of(left), b = number_of(right), value = {0}, rest = {0};
    if (op == '+') value = g_integer_add(&a, &b);
    if (op == '-') value = g_integer_subtract(&a, &b);
    if (op == '*') value = g_integer_multiply(&a, &b);
    if ((op == '/' || op == '%') && b.count == 0) g_die(2, "division by zero");
    if (op == '/' || op == '%') value = g_integer_divide(&a, &b, &rest);
    char *text = g_integer_text(op == '%' ? &rest : &value);
    g_integer_free(&a);
    g_integer_free(&b);
    g_integer_free(&value);
    g_integer_free(&rest);
    free(left);
    free(right);
    return text;
}

static char *product(parser *p, bool wanted) {
    char *left = matching(p, wanted);
    for (;;) {
        char op = next_is(p, "*") ? '*' : next_is(p, "/") ? '/' : next_is(p, "%") ? '%' : 0;
        if (!op) return left;
        char *right = matching(p, wanted);
        if (wanted) left = calculate(left, op, right);
        else free(right);
    }
}

static char *sum(parser *p, bool wanted) {
    char *left = product(p, wanted);
    for (;;) {
        char op = next_is(p, "+") ? '+' : next_is(p, "-") ? '-' : 0;
        if (!op) return left;
        char *right = product(p, wanted);
        if (wanted) left = calculate(left, op, right);
        else free(right);
    }
}

static int compare(const char *left, const char *right) {
    if (!looks_like_number(left) || !looks_like_number(right)) return strcmp(left, right);
    g_integer a = number_of(left), b = number_of(right);
    int order = g_integer_compare(&a, &b);
    g_integer_free(&a);
    g_integer_free(&b);
    return order;
}

static char *comparison(parser *p, bool wanted) {
    static const char *const operators[] = {"<", "<=", "=", "==", "!=", ">=", ">"};
    char *left = sum(p, wanted);
    for (;;) {
        int op = -1;
        for (int i = 0; i < 7 && op < 0; i++)
            if (next_is(p, operators[i])) op = i;
        if (op < 0) return left;
        char *right = sum(p, wanted);
        if (wanted) {
            int order = compare(left, right);
            bool holds = op == 0   ? order < 0
                         : op == 1 ? order <= 0
                         : op <= 3 ? order == 0
                         : op == 4 ? order != 0
                         : op == 5 ? order >= 0
                                   : order > 0;
            free(left);
            left = text_of(holds);
        }
        free(right);
    }
}

static char *conjunction(parser *p, bool wanted) {
    char *left = comparison(p, wanted);
    while (next_is(p, "&")) {
        char *right = comparison(p, wanted && !is_null(left));
        if (is_null(left) || is_null(right)) {
            free(left);
            left = text_of(0);
        }
        free(right);
    }
    return left;
}

static char *evaluate(parser *p, bool wanted) {
    char *left = conjunction(p, wanted);
    while (next_is(p, "|")) {
        char *right = conjunction(p, wanted && is_null(left));
        if (!is_null(left)) {
            free(right);
            continue;
        }
        free(left);
        left = right;
        if (is_null(left)) {
            free(left);
            left = text_of(0);
        }
    }
    return left;
}

int expr_main(int argc, char **argv) {
    enum { WRITE_FAILED = 3, WRONG_USAGE = 2 };
    g_set_failure(WRITE_FAILED);
    g_standard_option(argc, argv);
    g_set_failure(WRONG_USAGE);
    parser p = {.at = argv + 1};
    if (argc > 1 && strcmp(argv[1], "--") == 0) p.at++;
    if (!*p.at) g_usage("missing operand");
    char *value = evaluate(&p, true);
    if (*p.at) g_die(2, "syntax error: unexpected argument %s", g_quote(*p.at));
    g_set_failure(WRITE_FAILED);
    g_outs(value);
    g_outc('\n');
    return is_null(value);
}
