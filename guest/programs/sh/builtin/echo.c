/*
 * builtin/echo.c: echo.
 */
#include "builtin.h"

/* -n, -e, -E and clusters of them; anything else is text. */
static bool echo_option(const char *arg, bool *newline, bool *escapes) {
    if (arg[0] != '-' || !arg[1] || arg[1 + strspn(arg + 1, "neE")]) return false;
    for (const char *p = arg + 1; *p; p++) {
        if (*p == 'n') *newline = false;
        else *escapes = *p == 'e';
    }
    return true;
}

BUILTIN(echo) {
    bool newline = true, escapes = sh->shopt[SHOPT_XPG_ECHO];
    int i = 1;
    if (!(sh->posix && sh->shopt[SHOPT_XPG_ECHO]))
        while (i < argc && echo_option(argv[i], &newline, &escapes)) i++;
    for (int first = i; i < argc; i++) {
        if (i > first) out_putc(sh, ' ');
        if (!escapes || !strchr(argv[i], '\\')) {
            out_puts(sh, argv[i]);
            continue;
        }
        sb text = {0};
        bool stop = quote_unescape(&text, argv[i], strlen(argv[i]), 'e');
        out_put(sh, text.s ? text.s : "", text.n);
        sb_free(&text);
        if (stop) return 0;
    }
    if (newline) out_putc(sh, '\n');
    return 0;
}
