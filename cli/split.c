/*
 * split.c: a command text as words, without a shell.
 *
 * Blanks separate; '…' is literal, "…" knows \" and \\, a backslash elsewhere takes the next
 * character as it is. Nothing is expanded: no variables, no globs, no operators.
 */
#include "job.h"

#include <stdlib.h>
#include <string.h>

/* One word from *at, unquoted into `out`; false when a quote has no end. */
static bool word(const char **at, char *out) {
    const char *p = *at;
    char quote = 0;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote ? *p == quote : *p == '\'' || *p == '"')
            quote = quote ? 0 : *p;
        else if (*p == '\\' && p[1] && (!quote || (quote == '"' && strchr("\"\\", p[1]))))
            *out++ = *++p;
        else
            *out++ = *p;
    }
    *out = '\0';
    *at = p;
    return !quote;
}

char **split_command(const char *command) {
    size_t len = strlen(command);
    /* Every word is followed by a blank or the end: at most len/2 + 1 of them, and the NULL. */
    char **words = malloc((len / 2 + 2) * sizeof *words + 2 * len + 2);
    if (!words) return NULL;
    char *out = (char *)(words + len / 2 + 2);
    size_t count = 0;
    for (;;) {
        command += strspn(command, " \t\n");
        if (!*command) break;
        if (!word(&command, out)) {
            free(words);
            return NULL;
        }
        words[count++] = out;
        out += strlen(out) + 1;
    }
    words[count] = NULL;
    return words;
}
