/*
 * g_quote.h: names in messages, quoted as GNU tools quote them.
 *
 * Each function returns a string that stays valid for the next three calls of any of them.
 */
#ifndef G_QUOTE_H
#define G_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* For "cat: NAME: reason": quoted for the shell, only when it must be (a ':' counts). */
const char *g_quotef(const char *name);
/* For "cannot remove 'NAME'": always quoted for the shell. */
const char *g_quoteaf(const char *name);
/* For option values: ‘x’ in UTF-8 locales, 'x' otherwise. */
const char *g_quote(const char *text);
/* The same of bytes that may hold a NUL. */
const char *g_quote_bytes(const char *text, size_t len);

/* The shell quoting itself. `always`: also when not needed; `colon`: ':' needs it. malloc'ed. */
char *g_shell_quote(const char *s, size_t len, bool always, bool colon, size_t *out_len);

#endif
