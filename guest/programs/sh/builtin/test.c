/*
 * builtin/test.c: test and [: POSIX's rules by the number of arguments, then -a -o ( ) !.
 */
#include "builtin.h"

struct tester {
    struct shell *sh;
    char **v;
    int n, at;
    int depth;
    bool failed; /* a message was printed */
};

static bool test_or(struct tester *t);

static bool is_unary_op(const char *s) {
    return s[0] == '-' && s[1] && !s[2] && strchr("abcdefghknoprstuvwxzGLNORS", s[1]);
}

static bool is_binary_op(const char *s) {
    static const char *const names[] = {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le",
                                        "-gt", "-ge", "-nt", "-ot", "-ef"};
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(s, names[i]) == 0) return true;
    return false;
}

static bool fail(struct tester *t, const char *format, const char *arg) {
    if (!t->failed) {
        if (arg) sh_builtin_error(t->sh, format, arg);
        else sh_builtin_error(t->sh, "%s", format);
    }
    t->failed = true;
    return false;
}

static bool unary(struct tester *t, const char *op, const char *arg) {
    if (strcmp(op, "-t") == 0) {
        int64_t fd;
        if (!parse_int64(arg, &fd)) return false;
    }
    return cond_unary(t->sh, op, arg) == 1;
}

static bool binary(struct tester *t, const char *a, const char *op, const char *b) {
    int result = cond_binary(t->sh, a, op, b, true);
    if (result == -2) t->failed = true;
    return result == 1;
}

static bool primary(struct tester *t) {
    int left = t->n - t->at;
    char **v = t->v + t->at;
    if (left <= 0) return fail(t, "argument expected", NULL);
    if (strcmp(v[0], "(") == 0) {
        if (++t->depth > 200) return fail(t, "too many nested parentheses", NULL);
        t->at++;
        bool value = test_or(t);
        t->depth--;
        if (t->failed) return false;
        if (t->at >= t->n) return fail(t, "`)' expected", NULL);
        if (strcmp(t->v[t->at], ")") != 0) return fail(t, "`)' expected, found %s", t->v[t->at]);
        t->at++;
        return value;
    }
    if (left >= 3 && is_binary_op(v[1])) {
        t->at += 3;
        return binary(t, v[0], v[1], v[2]);
    }
    if (is_unary_op(v[0])) {
        if (left < 2) {
            t->at++;
            return true; /* the text itself */
        }
        t->at += 2;
        return unary(t, v[0], v[1]);
    }
    if (left >= 2 && v[0][0] == '-' && v[0][1] && !v[0][2] && left == 2)
        return fail(t, "%s: unary operator expected", v[0]);
    t->at++;
    return v[0][0] != 0;
}

static bool test_not(struct tester *t) {
    if (t->at < t->n && strcmp(t->v[t->at], "!") == 0) {
        if (++t->depth > 200) return fail(t, "too many arguments", NULL);
        t->at++;
        bool value = !test_not(t);
        t->depth--;
        return value;
    }
    return primary(t);
}

static bool test_and(struct tester *t) {
    bool value = test_not(t);
    while (!t->failed && t->at < t->n && strcmp(t->v[t->at], "-a") == 0) {
        t->at++;
        bool right = test_not(t);
        value = value && right;
    }
    return value;
}

static bool test_or(struct tester *t) {
    bool value = test_and(t);
    while (!t->failed && t->at < t->n && strcmp(t->v[t->at], "-o") == 0) {
        t->at++;
        bool right = test_and(t);
        value = value || right;
    }
    return value;
}

static bool test_two(struct tester *t, char **v) {
    if (strcmp(v[0], "!") == 0) return v[1][0] == 0;
    if (is_unary_op(v[0])) return unary(t, v[0], v[1]);
    return fail(t, "%s: unary operator expected", v[0]);
}

static bool test_three(struct tester *t, char **v) {
    if (is_binary_op(v[1])) return binary(t, v[0], v[1], v[2]);
    if (strcmp(v[1], "-a") == 0) return v[0][0] && v[2][0];
    if (strcmp(v[1], "-o") == 0) return v[0][0] || v[2][0];
    if (strcmp(v[0], "!") == 0) return !test_two(t, v + 1);
    if (strcmp(v[0], "(") == 0 && strcmp(v[2], ")") == 0) return v[1][0] != 0;
    return fail(t, "%s: binary operator expected", v[1]);
}

static bool evaluate(struct tester *t) {
    char **v = t->v;
    switch (t->n) {
    case 0: return false;
    case 1: return v[0][0] != 0;
    case 2: return test_two(t, v);
    case 3: return test_three(t, v);
    case 4:
        if (strcmp(v[0], "!") == 0) {
            bool value = test_three(t, v + 1);
            return !value;
        }
        if (strcmp(v[0], "(") == 0 && strcmp(v[3], ")") == 0) return test_two(t, v + 1);
        break;
    default: break;
    }
    bool value = test_or(t);
    if (t->failed || t->at >= t->n) return value;
    if (t->v[t->at][0] == '-') return fail(t, "syntax error: `%s' unexpected", t->v[t->at]);
    return fail(t, "too many arguments", NULL);
}

BUILTIN(test) {
    if (strcmp(argv[0], "[") == 0) {
        if (strcmp(argv[argc - 1], "]") != 0) {
            sh_builtin_error(sh, "missing `]'");
            return 2;
        }
        argc--;
    }
    struct tester t = {.sh = sh, .v = argv + 1, .n = argc - 1};
    bool value = evaluate(&t);
    if (t.failed) return 2;
    return value ? 0 : 1;
}
