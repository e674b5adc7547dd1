/*
 * make_message.c: what make says about itself, in GNU make's words.
 *
 * Messages that point at a makefile begin with "FILE:LINE: ", others with "make: ", or "make[2]: "
 * in a make that another one started.
 */
#include "make.h"
#include "g_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

place now_at;

static void add_origin(g_text *text, const place *p) {
    if (p && p->file)
        g_text_addf(text, "%s:%u: ", p->file, p->line);
    else if (make_level)
        g_text_addf(text, "%s[%u]: ", g_name(), make_level);
    else
        g_text_addf(text, "%s: ", g_name());
}

static void add_formatted(g_text *text, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    g_text_reserve(text, (size_t)len + 1);
    vsnprintf(text->s + text->len, (size_t)len + 1, format, args);
    text->len += (size_t)len;
}

static void to_stderr(g_text *text) {
    g_text_addc(text, '\n');
    g_out_flush();
    for (size_t at = 0; at < text->len;) {
        ssize_t n = write(STDERR_FILENO, text->s + at, text->len - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    g_text_free(text);
}

void make_message(const char *format, ...) {
    g_text text = {0};
    va_list args;
    va_start(args, format);
    add_origin(&text, NULL);
    add_formatted(&text, format, args);
    va_end(args);
    g_text_addc(&text, '\n');
    g_out(text.s, text.len);
    g_out_flush();
    g_text_free(&text);
}

void make_error(const place *p, const char *format, ...) {
    g_text text = {0};
    va_list args;
    va_start(args, format);
    add_origin(&text, p);
    add_formatted(&text, format, args);
    va_end(args);
    to_stderr(&text);
}

void make_warning(const place *p, const char *format, ...) {
    g_text text = {0};
    va_list args;
    va_start(args, format);
    add_origin(&text, p);
    g_text_adds(&text, "warning: ");
    add_formatted(&text, format, args);
    va_end(args);
    to_stderr(&text);
}

void make_fatal(const place *p, const char *format, ...) {
    g_text text = {0};
    va_list args;
    va_start(args, format);
    add_origin(&text, p);
    g_text_adds(&text, "*** ");
    add_formatted(&text, format, args);
    va_end(args);
    g_text_adds(&text, ".  Stop.");
    to_stderr(&text);
    make_end(2);
}

void make_entering(bool entering) {
    static bool is_in;
    if (!opt.print_directory || entering == is_in) return;
    is_in = entering;
    char *folder = getcwd(NULL, 0);
    make_message("%s directory '%s'", entering ? "Entering" : "Leaving", folder ? folder : "?");
    free(folder);
}
