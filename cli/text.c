/* text.c: see text.h. */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pinfold.h"

static void show_line(FILE *stream, const char *prefix, const char *format, va_list args) {
    char *line = NULL;
    int len = vasprintf(&line, format, args);
    struct text out = {0};
    text_puts(&out, prefix);
    if (len >= 0)
        text_printable(&out, line, (size_t)len);
    else
        text_puts(&out, format);
    text_puts(&out, "\n");
    fwrite(out.data, 1, out.len, stream);
    free(out.data);
    free(line);
}

void show(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    show_line(stream, "", format, args);
    va_end(args);
}

void complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    show_line(stderr, "pinfold: ", format, args);
    va_end(args);
}

void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    show_line(stderr, "pinfold: ", format, args);
    va_end(args);
    exit(CLI_FAILURE);
}

static void reserve(struct text *text, size_t more) {
    if (text->size - text->len > more) return;
    size_t size = text->size ? text->size : 256;
    while (size - text->len <= more) size *= 2;
    char *data = realloc(text->data, size);
    if (!data) {
        fputs("pinfold: out of memory\n", stderr); /* die() would come here again */
        exit(CLI_FAILURE);
    }
    text->data = data;
    text->size = size;
}

void text_add(struct text *text, const char *data, size_t len) {
    reserve(text, len);
    if (len) memcpy(text->data + text->len, data, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void text_puts(struct text *text, const char *string) {
    text_add(text, string, strlen(string));
}

static bool read_up_to(struct text *text, int fd, size_t most) {
    for (;;) {
        size_t room = most < 65536 ? most : 65536;
        reserve(text, room);
        ssize_t count = read(fd, text->data + text->len, room);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        text->len += (size_t)count;
        text->data[text->len] = '\0';
        most -= (size_t)count;
        if (count == 0) return true;
    }
}

bool text_read_file(struct text *text, const char *path) {
    return text_read_file_up_to(text, path, SIZE_MAX);
}

bool text_read_file_up_to(struct text *text, const char *path, size_t most) {
    if (strcmp(path, "-") == 0) return read_up_to(text, STDIN_FILENO, most);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool ok = read_up_to(text, fd, most);
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

/* Bytes of the UTF-8 character at `data`, 0 when it is not one. */
static size_t character(const unsigned char *data, size_t len) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = data[0];
    size_t count = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (count == 1 || count == 0) return count;
    if (count > len || first > 0xF4) return 0;
    unsigned code = first & (0x7Fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((data[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (data[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < least[count] || surrogate || code > 0x10FFFF ? 0 : count;
}

void text_printable(struct text *text, const char *data, size_t len) {
    size_t needed = pf_printable(NULL, 0, data, len);
    reserve(text, needed);
    pf_printable(text->data + text->len, needed + 1, data, len);
    text->len += needed;
}

bool text_is_printable(const char *data, size_t len) {
    return pf_printable(NULL, 0, data, len) == len; /* an escape is longer than what it is of */
}

void text_json(struct text *text, const char *string, size_t len) {
    const unsigned char *data = (const unsigned char *)string;
    text_puts(text, "\"");
    for (size_t i = 0; i < len;) {
        size_t count = character(data + i, len - i);
        if (count == 0) {
            text_puts(text, "\\ufffd");
            count = 1;
        } else if (data[i] == '"' || data[i] == '\\') {
            text_add(text, (char[]){'\\', (char)data[i]}, 2);
        } else {
            text_printable(text, string + i, count);
        }
        i += count;
    }
    text_puts(text, "\"");
}
