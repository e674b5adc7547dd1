/*
 * test.c: conditions about files, texts and numbers.
 *
 * The shell has its own test; this is the one that find, xargs and env run. Up to four arguments
 * are read as POSIX prescribes, more by precedence: ! before -a before -o.
 *
 * help test [:
 *   Usage: test EXPRESSION
 *     or:  test
 *     or:  [ EXPRESSION ]
 *     or:  [ ]
 *   Exit with the status determined by EXPRESSION.
 *
 *     ( EXPR )  ! EXPR  EXPR1 -a EXPR2  EXPR1 -o EXPR2
 *     -n STRING, STRING       the length of STRING is nonzero
 *     -z STRING               the length of STRING is zero
 *     S1 = S2, S1 != S2, S1 < S2, S1 > S2
 *     N1 -eq N2, -ge, -gt, -le, -lt, -ne
 *     F1 -ef F2   same device and inode numbers
 *     F1 -nt F2   F1 is newer (modification date) than F2;  -ot: older
 *     -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x FILE,  -t FD
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 200

typedef struct {
    char **args;
    int at, count;
    int depth;
} tester;

static bool expression(tester *t);

_Noreturn static void beyond(const tester *t) {
    g_die(2, "missing argument after %s", g_quote(t->args[t->count - 1]));
}

static const char *take(tester *t) {
    if (t->at >= t->count) beyond(t);
    return t->args[t->at++];
}

/* Digits with an optional sign, of any length; the value's text without zeros at the front. */
static const char *integer(const char *text, bool *negative) {
    const char *p = text;
    while (isspace((unsigned char)*p)) p++;
    *negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *digits = p;
    while (isdigit((unsigned char)*p)) p++;
    const char *end = p;
    while (isspace((unsigned char)*p)) p++;
    if (*p || end == digits) g_die(2, "invalid integer %s", g_quote(text));
    while (*digits == '0' && digits + 1 < end) digits++;
    if (*digits == '0') *negative = false;
    return digits;
}

static int compare_integers(const char *a, const char *b) {
    bool a_negative, b_negative;
    const char *x = integer(a, &a_negative), *y = integer(b, &b_negative);
    if (a_negative != b_negative) return a_negative ? -1 : 1;
    size_t xl = strspn(x, "0123456789"), yl = strspn(y, "0123456789");
    int order = xl != yl ? (xl < yl ? -1 : 1) : strncmp(x, y, xl);
    return a_negative ? -order : order;
}

static int compare_times(const char *a, const char *b) {
    struct stat x, y;
    bool has_x = stat(a, &x) == 0, has_y = stat(b, &y) == 0;
    if (!has_x || !has_y) return has_x - has_y;
    if (x.st_mtim.tv_sec != y.st_mtim.tv_sec) return x.st_mtim.tv_sec < y.st_mtim.tv_sec ? -1 : 1;
    if (x.st_mtim.tv_nsec != y.st_mtim.tv_nsec)
        return x.st_mtim.tv_nsec < y.st_mtim.tv_nsec ? -1 : 1;
    return 0;
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static bool is_binary(const char *op) {
    static const char *const ops[] = {"=",   "!=",  "==",  "-eq", "-ne", "-lt", "-le",
                                      "-gt", "-ge", "-nt", "-ot", "-ef", NULL};
    for (int i = 0; ops[i]; i++)
        if (strcmp(op, ops[i]) == 0) return true;
    return false;
}

static bool binary(const char *a, const char *op, const char *b) {
    if (strcmp(op, "=") == 0 || strcmp(op, "==") == 0) return strcmp(a, b) == 0;
    if (strcmp(op, "!=") == 0) return strcmp(a, b) != 0;
    if (strcmp(op, "-nt") == 0) return compare_times(a, b) > 0;
    if (strcmp(op, "-ot") == 0) return compare_times(a, b) < 0;
    if (strcmp(op, "-ef") == 0) return same_file(a, b);
    int order = compare_integers(a, b);
    if (strcmp(op, "-eq") == 0) return order == 0;
    if (strcmp(op, "-ne") == 0) return order != 0;
    if (strcmp(op, "-lt") == 0) return order < 0;
    if (strcmp(op, "-le") == 0) return order <= 0;
    if (strcmp(op, "-gt") == 0) return order > 0;
    return order >= 0;
}

static bool is_unary(const char *op) {
    return op[0] == '-' && op[1] && !op[2] && strchr("nzbcdefgGhkLNOprsSutwx", op[1]);
}

static bool unary(char op, const char *arg) {
    struct stat st;
    switch (op) {
    case 'n': return *arg != '\0';
    case 'z': return *arg == '\0';
    case 'r': return access(arg, R_OK) == 0;
    case 'w': return access(arg, W_OK) == 0;
    case 'x': return access(arg, X_OK) == 0;
    case 'h': case 'L': return lstat(arg, &st) == 0 && S_ISLNK(st.st_mode);
    case 't': {
        bool negative;
        const char *digits = integer(arg, &negative);
        return !negative && strlen(digits) < 9 && isatty(atoi(digits));
    }
    }
    if (stat(arg, &st) < 0) return false;
    switch (op) {
    case 'b': return S_ISBLK(st.st_mode);
    case 'c': return S_ISCHR(st.st_mode);
    case 'd': return S_ISDIR(st.st_mode);
    case 'f': return S_ISREG(st.st_mode);
    case 'p': return S_ISFIFO(st.st_mode);
    case 'S': return S_ISSOCK(st.st_mode);
    case 'g': return (st.st_mode & S_ISGID) != 0;
    case 'u': return (st.st_mode & S_ISUID) != 0;
    case 'k': return (st.st_mode & S_ISVTX) != 0;
    case 's': return st.st_size > 0;
    case 'O': return st.st_uid == geteuid();
    case 'G': return st.st_gid == getegid();
    case 'N':
        return st.st_mtim.tv_sec != st.st_atim.tv_sec ? st.st_mtim.tv_sec > st.st_atim.tv_sec
                                                      : st.st_mtim.tv_nsec > st.st_atim.tv_nsec;
    default: return true; /* -e */
    }
}

static char *length_of(const char *text) {
    char *digits = g_alloc(24);
    snprintf(digits, 24, "%zu", strlen(text));
    return digits;
}

/* What stands at an operator, the left side before it; the right side may be -l STRING as well. */
static bool binary_at(tester *t, const char *left) {
    const char *op = take(t), *right = take(t);
    if (strcmp(right, "-l") == 0 && strlen(op) == 3 && t->at < t->count) right = length_of(take(t));
    return binary(left, op, right);
}

/* A primary, after any number of "!". */
static bool term(tester *t) {
    bool negate = false, value;
    while (t->at < t->count && strcmp(t->args[t->at], "!") == 0) {
        t->at++;
        negate = !negate;
    }
    if (t->at >= t->count) beyond(t);
    const char *first = t->args[t->at];
    int left = t->count - t->at;
    if (left >= 4 && strcmp(first, "-l") == 0 && is_binary(t->args[t->at + 2])) {
        t->at += 2; /* -l STRING: its length, in decimal */
        value = binary_at(t, length_of(t->args[t->at - 1]));
    } else if (left >= 3 && is_binary(t->args[t->at + 1])) {
        value = binary_at(t, take(t));
    } else if (strcmp(first, "(") == 0) {
        if (++t->depth > DEPTH_MAX) g_die(2, "parentheses nested too deeply");
        t->at++;
        value = expression(t);
        t->depth--;
        if (t->at >= t->count) g_die(2, "%s expected", g_quote(")"));
        if (strcmp(t->args[t->at], ")") != 0)
            g_die(2, "%s expected, found %s", g_quote(")"), t->args[t->at]);
        t->at++;
    } else if (first[0] == '-' && first[1] && !first[2]) {
        if (!is_unary(first)) g_die(2, "%s: unary operator expected", g_quote(first));
        t->at++;
        value = unary(first[1], take(t));
    } else {
        value = *take(t) != '\0';
    }
    return value != negate;
}

static bool conjunction(tester *t) {
    bool value = term(t);
    while (t->at < t->count && strcmp(t->args[t->at], "-a") == 0) {
        t->at++;
        bool right = term(t);
        value = value && right;
    }
    return value;
}

static bool expression(tester *t) {
    bool value = conjunction(t);
    while (t->at < t->count && strcmp(t->args[t->at], "-o") == 0) {
        t->at++;
        bool right = conjunction(t);
        value = value || right;
    }
    return value;
}

static bool two(tester *t, int at) {
    char **a = t->args + at;
    if (strcmp(a[0], "!") == 0) return *a[1] == '\0';
    if (!is_unary(a[0])) {
        if (a[0][0] == '-' && a[0][1] && !a[0][2])
            g_die(2, "%s: unary operator expected", g_quote(a[0]));
        beyond(t);
    }
    return unary(a[0][1], a[1]);
}

static bool three(tester *t, int at) {
    char **a = t->args + at;
    if (is_binary(a[1])) return binary(a[0], a[1], a[2]);
    if (strcmp(a[0], "!") == 0) return !two(t, at + 1);
    if (strcmp(a[0], "(") == 0 && strcmp(a[2], ")") == 0) return *a[1] != '\0';
    if (strcmp(a[1], "-a") == 0 || strcmp(a[1], "-o") == 0) {
        t->at = at;
        bool value = expression(t);
        if (t->at < t->count) g_die(2, "extra argument %s", g_quote(t->args[t->at]));
        return value;
    }
    g_die(2, "%s: binary operator expected", g_quote(a[1]));
}

int test_main(int argc, char **argv) {
    g_set_failure(2);
    const char *called = strrchr(g_name(), '/');
    called = called ? called + 1 : g_name();
    if (strcmp(called, "[") == 0) {
        g_standard_option(argc, argv);
        if (argc < 2 || strcmp(argv[argc - 1], "]") != 0) g_die(2, "missing %s", g_quote("]"));
        argc--;
    }
    tester t = {.args = argv + 1, .count = argc - 1};
    char **a = t.args;
    switch (t.count) {
    case 0: return 1;
    case 1: return *a[0] == '\0';
    case 2: return !two(&t, 0);
    case 3: return !three(&t, 0);
    case 4:
        if (strcmp(a[0], "!") == 0) return three(&t, 1);
        if (strcmp(a[0], "(") == 0 && strcmp(a[3], ")") == 0) return !two(&t, 1);
        break;
    }
    bool value = expression(&t);
    if (t.at < t.count) g_die(2, "extra argument %s", g_quote(t.args[t.at]));
    return !value;
}
