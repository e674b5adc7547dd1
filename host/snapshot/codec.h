/*
 * host/snapshot/codec.h: writing and reading the fields of a snapshot. Little endian, no padding.
 *
 * The reader treats its input as hostile: after the first field that does not fit, `bad` is set and
 * every further field reads as zero or empty, so a decoder checks once at the end of a group.
 */
#ifndef PF_SNAPSHOT_CODEC_H
#define PF_SNAPSHOT_CODEC_H

#include "host/machine/machine.h"

struct writer {
    struct base_buf out;
    bool failed; /* out of memory */
};
void put_u32(struct writer *w, uint32_t value); /* Little endian, as all numbers here. */
void put_u64(struct writer *w, uint64_t value); /* Eight bytes. */
/* A length, then the bytes. */
void put_bytes(struct writer *w, const void *data, size_t len);
void put_raw(struct writer *w, const void *data, size_t len); /* The bytes alone. */

struct reader {
    const uint8_t *data;
    size_t len, at;
    bool bad;
};
uint32_t get_u32(struct reader *r); /* 0 with r->bad set when the input ends before. */
uint64_t get_u64(struct reader *r); /* The same of eight bytes. */
/* A view into the input, valid as long as it is; at most `max` bytes. */
const char *get_bytes(struct reader *r, size_t max, size_t *len);
/* A view of `len` bytes of the input; when fewer are left, r->bad is set: zeros for at most 8, else
 * NULL. */
const uint8_t *get_raw(struct reader *r, size_t len);
/* A copy with a NUL behind it, owned by the caller; NULL sets bad. Contains no other NUL. */
char *get_string(struct reader *r, size_t max);

#endif
