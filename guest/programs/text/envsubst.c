/*
 * envsubst.c: puts the values of environment variables into a text.
 *
 * help envsubst:
 *   Usage: envsubst [OPTION] [SHELL-FORMAT]
 *
 *   Substitutes the values of environment variables.
 *
 *   Operation mode:
 *     -v, --variables             output the variables occurring in SHELL-FORMAT
 *
 *   Informative output:
 *     -h, --help                  display this help and exit
 *     -V, --version               output version information and exit
 *
 *   In normal operation mode, standard input is copied to standard output, with references to
 *   environment variables of the form $VARIABLE or ${VARIABLE} being replaced with the
 *   corresponding values. If a SHELL-FORMAT is given, only those environment variables that are
 *   referenced in it are substituted.
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* $NAME or ${NAME} at s: its length, 0 when it is none; the name's place in *name and *len. */
static size_t reference(const char *s, size_t left, const char **name, size_t *len) {
    size_t at = 1;
    if (left < 2 || *s != '$') return 0;
    bool braces = s[1] == '{';
    at += braces;
    *name = s + at;
    if (at >= left || !(isalpha((unsigned char)s[at]) || s[at] == '_')) return 0;
    while (at < left && (isalnum((unsigned char)s[at]) || s[at] == '_')) at++;
    *len = (size_t)(s + at - *name);
    if (!braces) return at;
    return at < left && s[at] == '}' ? at + 1 : 0;
}

static bool mentioned(const char *format, const char *name, size_t len) {
    if (!format) return true;
    for (const char *s = format, *end = format + strlen(format); s < end; s++) {
        const char *other;
        size_t other_len;
        if (reference(s, (size_t)(end - s), &other, &other_len) && other_len == len &&
            memcmp(other, name, len) == 0)
            return true;
    }
    return false;
}

static void list_variables(const char *format) {
    for (const char *s = format, *end = format + strlen(format); s < end;) {
        const char *name;
        size_t len, taken = reference(s, (size_t)(end - s), &name, &len);
        if (taken) {
            g_out(name, len);
            g_outc('\n');
        }
        s += taken ? taken : 1;
    }
}

static void substitute(const char *s, size_t left, const char *format) {
    while (left > 0) {
        const char *name, *next = memchr(s, '$', left);
        size_t len, plain = next ? (size_t)(next - s) : left;
        g_out(s, plain);
        s += plain;
        left -= plain;
        if (left == 0) return;
        size_t taken = reference(s, left, &name, &len);
        if (taken && mentioned(format, name, len)) {
            char *copy = g_copy_bytes(name, len);
            const char *value = getenv(copy);
            if (value) g_outs(value);
            free(copy);
        } else {
            taken = taken ? taken : 1;
            g_out(s, taken);
        }
        s += taken;
        left -= taken;
    }
}

static const g_long longs[] = {{"variables", 'v', G_NONE}, {0}};

int envsubst_main(int argc, char **argv) {
    bool variables = false;
    g_options o = g_options_of(argc, argv, "vhV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'v') variables = true;
        if (option == 'h') g_outs(g_help());
        if (option == 'V') g_print_version();
        if (option != 'v') return 0;
    }
    if (argc - o.at > 1) g_die(1, "too many arguments");
    const char *format = o.at < argc ? argv[o.at] : NULL;
    if (variables) {
        if (!format) g_die(1, "missing arguments");
        list_variables(format);
        return 0;
    }
    size_t len;
    char *text = g_read_all(STDIN_FILENO, &len);
    if (!text) g_die_errno(1, errno, "error while reading %s", g_quote("standard input"));
    substitute(text, len, format);
    return 0;
}
