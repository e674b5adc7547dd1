/*
 * library.h: the embedded library, written by bake.c at build time and read by library.c.
 *
 * Every byte of an image's data is copied into each process, so the files lie packed, and those
 * that the template loads while it boots lie together, in memory that is zeroed after use: pages of
 * zeros are not copied.
 *
 * Packed bytes are a sequence of runs. A byte b below 128 is followed by b + 1 bytes as they are;
 * above, it is followed by a distance of two bytes, low first, from which (b & 127) + 4 bytes are
 * copied that were unpacked before.
 */
#ifndef JS_LIBRARY_H
#define JS_LIBRARY_H

#include <stdint.h>

struct library_file {
    const char *name;              /* "fs", "internal/inspect" */
    uint32_t offset, packed, size; /* in library_bytes; bytes there; bytes of bytecode */
};
extern const struct library_file library_files[]; /* sorted by name */
extern const uint32_t library_count;
extern uint8_t library_bytes[];

#endif
