/*
 * g_escape.h: backslash escapes in texts, as echo -e, printf, tr and others read them.
 */
#ifndef G_ESCAPE_H
#define G_ESCAPE_H

#include "g_text.h"

enum g_escape_style {
    G_ESCAPE_ECHO,   /* \0ooo, \c ends everything, others stay */
    G_ESCAPE_ARGUMENT, /* what printf's %b is given: as its format, and \0ooo */
    G_ESCAPE_FORMAT, /* printf's format: \ooo, \uHHHH, \" ; \c ends everything */
};

/*
 * Reads the escape behind a backslash at s[0 .. len), adds what it stands for to `out` and returns
 * how many bytes it took (0 .. len). 0: no escape; the caller keeps the backslash. \c sets *stop.
 * "\x" and "\u" without digits set *bad to a message.
 */
size_t g_escape(const char *s, size_t len, enum g_escape_style style, g_text *out, bool *stop,
                const char **bad);

#endif
