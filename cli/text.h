/*
 * text.h: growing text, whole files, JSON strings: shared by the parts of the program.
 *
 * Memory that runs out ends the program: there is nothing to go on with.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The status for failures of pinfold itself, so that a script's own statuses stay apart. */
#define CLI_FAILURE 125

/* Always NUL-terminated once something was added. Start with {0}; free data with free(). */
struct text {
    char *data;
    size_t len, size;
};

void text_add(struct text *text, const char *data, size_t len); /* Appends bytes. */
void text_puts(struct text *text, const char *string); /* Appends a string. */
/* What a script may have chosen, as it may be shown: see pf_printable(). JSON stays JSON. */
void text_printable(struct text *text, const char *data, size_t len);
/* As a JSON string with its quotes, nothing in which acts on a terminal; bytes that are not UTF-8
 * become U+FFFD. */
void text_json(struct text *text, const char *data, size_t len);

/* Reads all of a file ("-": standard input), or its first `most` bytes. False with errno set. */
bool text_read_file(struct text *text, const char *path);
bool text_read_file_up_to(struct text *text, const char *path, size_t most);

/* Makes a file, or replaces one, its links and mode as they were: when that fails, what was there
 * stays as it was. A pipe or device is written to, and a file whose directory takes no other. False
 * with errno set. save.c */
bool text_write_file(const char *path, const char *data, size_t len);

/* Is there nothing in it that text_printable() would change? */
bool text_is_printable(const char *data, size_t len);
/* Prints one line, made printable, and its end: for everything that a script may have chosen. */
void show(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with "pinfold: " before it, to standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and ends the program with CLI_FAILURE. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
