/*
 * message.c: messages on stderr in git's form. What is buffered for stdout stays there until the end,
 * as it does in git when its output is no terminal.
 */
#include "git.h"

#include <stdarg.h>

int fatal_status = 128;

bool errors_muted;

static void say(const char *before, const char *format, va_list ap) {
    g_text text = {0};
    char *message = NULL;
    if (errors_muted) return;
    if (vasprintf(&message, format, ap) < 0) abort();
    g_text_adds(&text, before);
    g_text_adds(&text, message);
    g_text_addc(&text, '\n');
    fwrite(text.s, 1, text.len, stderr);
    fflush(stderr);
    free(message);
    g_text_free(&text);
}

#define SAY(before)                                                                                \
    do {                                                                                           \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        say(before, format, ap);                                                                   \
        va_end(ap);                                                                                \
    } while (0)

void die(const char *format, ...) {
    SAY("fatal: ");
    g_exit(fatal_status);
}

void die_status(int status, const char *format, ...) {
    SAY("");
    g_exit(status);
}

int error(const char *format, ...) {
    SAY("error: ");
    return -1;
}

void warning(const char *format, ...) { SAY("warning: "); }

void note(const char *format, ...) { SAY(""); }

void hint(const char *format, ...) {
    va_list ap;
    char *message = NULL;
    va_start(ap, format);
    if (vasprintf(&message, format, ap) < 0) abort();
    va_end(ap);
    for (char *line = message, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        fprintf(stderr, "hint: %s\n", line);
    }
    free(message);
}

const char *git_message(void) {
    const git_error *e = git_error_last();
    return e && e->message ? e->message : "unknown error";
}

int check(int rc) {
    if (rc < 0) die("%s", git_message());
    return rc;
}
