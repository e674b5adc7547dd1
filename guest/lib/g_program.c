/*
 * g_program.c: a command's identity, its error messages and its end.
 *
 * Called by every command. Never writes anywhere but to the standard streams.
 */
#include "g_program.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name = "";
static const char *help_text = "";
static const char *usage_line = "";
static const char *hint;
static int failure = 1;
static struct {
    int status; /* 0: the failure status */
    const char *words;
    void (*say)(int error);
} write_error = {.words = "write error: %s"};

/* A file that is opened while a standard stream is closed would become that stream, and messages
 * would go into it. What takes the place instead cannot be used either, and no child has it. */
static void occupy_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

void g_begin(const char *program, const char *help) {
    occupy_standard_streams();
    name = program;
    help_text = help ? help : "";
}

const char *g_name(void) {
    return name;
}
const char *g_help(void) {
    return help_text;
}
void g_set_failure(int status) {
    failure = status;
}
void g_set_hint(const char *text) {
    hint = text;
}
void g_set_usage_line(const char *line) {
    usage_line = line;
}
int g_failure(void) {
    return failure;
}
void g_on_write_error(void (*say)(int error)) {
    write_error.say = say;
}

void g_set_write_error(int status, const char *words) {
    write_error.status = status;
    write_error.words = words;
}

static void write_all(const char *s, size_t len) {
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, s, len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        s += n;
        len -= (size_t)n;
    }
}

/* One write per message, so that messages of several processes do not mix. */
static void message(int error, const char *format, va_list args) {
    char small[1024];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const char *reason = error ? strerror(error) : "";
    size_t need = strlen(name) + (length > 0 ? (size_t)length : 0) + strlen(reason) + 8;
    char *text = need <= sizeof small ? small : malloc(need);
    if (!text) {
        text = small;
        need = sizeof small;
    }
    g_out_flush();
    size_t at = (size_t)snprintf(text, need, "%s: ", name);
    if (at < need) at += (size_t)vsnprintf(text + at, need - at, format, args);
    if (at < need) {
        at += (size_t)snprintf(text + at, need - at, error ? ": %s\n" : "\n%s", reason);
    }
    if (at >= need) at = need - 1;
    write_all(text, at);
    if (text != small) free(text);
}

void g_warn(const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(0, format, args);
    va_end(args);
}

void g_warn_errno(int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(error, format, args);
    va_end(args);
}

void g_die(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(0, format, args);
    va_end(args);
    _exit(status);
}

void g_die_errno(int status, int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    message(error, format, args);
    va_end(args);
    _exit(status);
}

void g_try_help(int status) {
    g_out_flush();
    write_all(usage_line, strlen(usage_line));
    if (hint) {
        write_all(hint, strlen(hint));
        write_all("\n", 1);
        _exit(status);
    }
    write_all("Try '", 5);
    write_all(name, strlen(name));
    write_all(" --help' for more information.\n", 31);
    _exit(status);
}

void g_usage(const char *format, ...) {
    if (format) {
        va_list args;
        va_start(args, format);
        message(0, format, args);
        va_end(args);
    }
    g_try_help(failure);
}

/* Words without the reason are those of commands that had GNU's library write each line: it
 * forgets the reason, unless there is no standard output at all. */
void g_write_error(int error) {
    if (write_error.say) write_error.say(error);
    const char *words = write_error.words, *mark = strstr(words, "%s");
    int status = write_error.status ? write_error.status : failure;
    if (!mark && error == EBADF) g_die_errno(status, error, "%s", words);
    if (!mark) g_die(status, "%s", words);
    g_die(status, "%.*s%s%s", (int)(mark - words), words, strerror(error), mark + 2);
}

void g_exit(int status) {
    g_out_flush();
    _exit(status);
}

void *g_alloc(size_t size) {
    void *p = malloc(size ? size : 1);
    if (!p) g_die(failure, "memory exhausted");
    return p;
}

void *g_zalloc(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p) g_die(failure, "memory exhausted");
    return p;
}

void *g_realloc(void *old, size_t size) {
    void *p = realloc(old, size ? size : 1);
    if (!p) g_die(failure, "memory exhausted");
    return p;
}

void *g_resize(void *old, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) g_die(failure, "memory exhausted");
    return g_realloc(old, count * size);
}

char *g_copy_bytes(const char *s, size_t len) {
    char *copy = g_alloc(len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *g_copy_string(const char *s) {
    return g_copy_bytes(s, strlen(s));
}

void *g_more(void *old, size_t *cap, size_t size) {
    size_t count = *cap + *cap / 2 + 16;
    if (count < *cap) g_die(failure, "memory exhausted");
    *cap = count;
    return g_resize(old, count, size);
}

bool g_utf8_locale(void) {
    static signed char known = -1; /* the environment of a command does not change */
    if (known >= 0) return known;
    const char *value = getenv("LC_ALL");
    if (!value || !*value) value = getenv("LC_CTYPE");
    if (!value || !*value) value = getenv("LANG");
    known = !value || !*value || strstr(value, "UTF-8") || strstr(value, "utf8") ||
            strstr(value, "utf-8") || strstr(value, "UTF8");
    return known;
}
