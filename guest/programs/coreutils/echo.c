/*
 * echo.c: prints its arguments.
 *
 * The shell has its own echo; this is the one that env, xargs and find run. With POSIXLY_CORRECT
 * set it takes no options (but -n alone) and always interprets escapes.
 *
 * help echo:
 *   Usage: echo [SHORT-OPTION]... [STRING]...
 *     or:  echo LONG-OPTION
 *   Echo the STRING(s) to standard output.
 *
 *     -n             do not output the trailing newline
 *     -e             enable interpretation of backslash escapes
 *     -E             disable interpretation of backslash escapes (default)
 *         --help     display this help and exit
 *         --version  output version information and exit
 *
 *   With -e: \\ \a \b \c (no further output) \e \f \n \r \t \v \0NNN (octal) \xHH.
 */
#include "g_escape.h"
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>

static bool is_option(const char *arg) {
    return arg[0] == '-' && arg[1] && arg[1 + strspn(arg + 1, "neE")] == '\0';
}

/* Prints one string; false when \c ended all output. */
static bool put_escaped(const char *s) {
    g_text out = {0};
    bool stop = false;
    const char *bad = NULL;
    for (size_t len = strlen(s); len > 0 && !stop;) {
        size_t taken = *s == '\\' ? g_escape(s + 1, len - 1, G_ESCAPE_ECHO, &out, &stop, &bad) : 0;
        if (taken == 0) g_text_addc(&out, *s);
        s += taken + 1;
        len -= taken + 1;
    }
    if (out.len) g_out(out.s, out.len);
    g_text_free(&out);
    return !stop;
}

int echo_main(int argc, char **argv) {
    bool posix = getenv("POSIXLY_CORRECT") != NULL;
    bool newline = true, escapes = posix;
    if (!posix) g_standard_option(argc, argv);
    int i = 1;
    for (; i < argc && is_option(argv[i]); i++) {
        if (posix && !(i == 1 && strcmp(argv[i], "-n") == 0)) break;
        for (const char *p = argv[i] + 1; *p; p++) {
            if (*p == 'n') newline = false;
            else escapes = *p == 'e';
        }
    }
    for (; i < argc; i++) {
        if (!escapes) g_outs(argv[i]);
        else if (!put_escaped(argv[i])) return 0;
        if (i + 1 < argc) g_outc(' ');
    }
    if (newline) g_outc('\n');
    return 0;
}
