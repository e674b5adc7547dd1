/* err.c: messages with the program's name before and the error after them. */
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name;

static void say(const char *format, va_list list, int error) {
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format) vfprintf(stderr, format, list);
    if (error) fprintf(stderr, "%s%s", format ? ": " : "", strerror(error));
    putc('\n', stderr);
}

void vwarn(const char *format, va_list list) { say(format, list, errno); }
void vwarnx(const char *format, va_list list) { say(format, list, 0); }
_Noreturn void verr(int status, const char *format, va_list list) {
    vwarn(format, list);
    exit(status);
}
_Noreturn void verrx(int status, const char *format, va_list list) {
    vwarnx(format, list);
    exit(status);
}
void warn(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vwarn(format, list);
    va_end(list);
}
void warnx(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vwarnx(format, list);
    va_end(list);
}
_Noreturn void err(int status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    verr(status, format, list);
}
_Noreturn void errx(int status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    verrx(status, format, list);
}
