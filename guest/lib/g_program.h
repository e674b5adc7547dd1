/*
 * g_program.h: a command's identity, its error messages and its end.
 *
 * Every command begins with g_begin() and ends by returning from its main (the multicall main then
 * calls g_exit()) or through one of the functions below that do not return. All of them send
 * buffered output first, so that messages and output keep their order, as GNU's error() does.
 */
#ifndef G_PROGRAM_H
#define G_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define G_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define G_PRINTF(text, args)
#endif

/* `name` stands in front of every message; `help` is what --help prints. Both are kept. */
void g_begin(const char *name, const char *help);
const char *g_name(void); /* What g_begin() was told. */
const char *g_help(void); /* The same of the help. */

/* The status of wrong usage and of failed output: 1 unless the command says otherwise. */
void g_set_failure(int status);
int g_failure(void); /* The status as set. */
/* What is said when standard output cannot be written, where that is not "write error: REASON":
 * a %s in `words` is the reason. Kept. And the status then. */
void g_set_write_error(int status, const char *words);
/* Asks `say` to say it and to end the command; when it returns, the usual words do. */
void g_on_write_error(void (*say)(int error));
_Noreturn void g_write_error(int error); /* Says so, and ends the command. */

/* "NAME: text", and the same with ": " and the text of `error` (an errno value) behind it. */
void g_warn(const char *format, ...) G_PRINTF(1, 2);
/* With the text of `error`. */
void g_warn_errno(int error, const char *format, ...) G_PRINTF(2, 3);
/* The message of g_warn(), then the end with `status`. */
_Noreturn void g_die(int status, const char *format, ...) G_PRINTF(2, 3);
/* The message of g_warn_errno(), then the end. */
_Noreturn void g_die_errno(int status, int error, const char *format, ...) G_PRINTF(3, 4);

/* The text (when not NULL), then "Try 'NAME --help' for more information.", then the end. */
_Noreturn void g_usage(const char *format, ...) G_PRINTF(1, 2);
/* Some commands (grep) show a line of usage in front of the hint. Kept. */
void g_set_usage_line(const char *line);
/* Commands whose hint has other words than "Try 'NAME --help' for more information."; without the
 * line end. Kept. */
void g_set_hint(const char *hint);
/* The same hint with another name and another status. */
_Noreturn void g_try_help(int status);

/* Sends what is buffered; a failure to write turns into a message and the failure status. */
_Noreturn void g_exit(int status);

/* Memory that is there or the command ends with "memory exhausted". Sizes are checked. */
void *g_alloc(size_t size);
void *g_zalloc(size_t size);                          /* Zeroed. */
void *g_realloc(void *old, size_t size);              /* As realloc(). */
void *g_resize(void *old, size_t count, size_t size); /* As realloc() to count * size bytes. */
char *g_copy_string(const char *s);                   /* A copy, to be freed. */
char *g_copy_bytes(const char *s, size_t len);        /* with a NUL behind it */
/* Makes room for at least one element more: cap grows by half. */
void *g_more(void *old, size_t *cap, size_t size);

/* Whether the environment asks for UTF-8 (LC_ALL, LC_CTYPE, LANG; none of them: yes). */
bool g_utf8_locale(void);

#endif
