/*
 * text.h: growing text, whole files, JSON strings: what the parts of the program share.
 *
 * Memory that runs out ends the program: there is nothing to go on with.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The status for failures of pinfold itself, so that a script's own statuses stay apart. */
#define CLI_FAILURE 125

/* Always NUL-terminated once something was added. Start with {0}; free data with free(). */
struct text {
    char *data;
    size_t len, size;
};

void text_add(struct text *text, const char *data, size_t len);
void text_puts(struct text *text, const char *string);
/* As a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void text_json(struct text *text, const char *data, size_t len);

/* Reads all of a file ("-": standard input), or its first `most` bytes. False with errno set. */
bool text_read_file(struct text *text, const char *path);
bool text_read_file_up_to(struct text *text, const char *path, size_t most);

/* Makes a file, or replaces one, its links and mode as they were: when that fails, what was there
 * stays as it was. A pipe or device is written to, and a file whose directory takes no other. False
 * with errno set. save.c */
bool text_write_file(const char *path, const char *data, size_t len);

/* Writes "pinfold: …" and a newline to standard error, and ends the program with CLI_FAILURE. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
