/*
 * host/base/buf.h: a growable byte buffer that states its maximum when it is made.
 *
 * Called for everything whose size others decide: output, JSON, files. An addition that fails
 * leaves the contents as they were and is remembered, so a series of additions needs one check at
 * its end.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_buf {
    char *data; /* NUL-terminated once something was added, else NULL */
    size_t len; /* without the NUL */
    size_t cap, max;
    bool over;   /* an addition went over `max` */
    bool failed; /* an addition failed: over, or memory was out */
};

/* No memory is taken before the first addition. */
void base_buf_init(struct base_buf *buf, size_t max);
void base_buf_free(struct base_buf *buf); /* it is then empty, as after init */
/* Appends bytes. False: an addition failed, this one or one before. */
bool base_buf_add(struct base_buf *buf, const void *data, size_t len);
bool base_buf_addz(struct base_buf *buf, const char *string); /* Appends a text without its NUL. */
/* Bytes as hexadecimal digits, two each, in lower case. */
bool base_buf_add_hex(struct base_buf *buf, const uint8_t *bytes, size_t len);
/* The same into 2 * len + 1 bytes, ended by a NUL. */
void base_hex(char *out, const uint8_t *bytes, size_t len);
/* Appends what printf() would write. */
bool base_buf_addf(struct base_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Room for `len` more bytes, to be filled by the caller who then adds to buf->len; NULL: failed. */
char *base_buf_room(struct base_buf *buf, size_t len);
/* Gives the bytes away (free with free()); the buffer is empty then. NULL: nothing was added. */
char *base_buf_take(struct base_buf *buf, size_t *len);

#endif
