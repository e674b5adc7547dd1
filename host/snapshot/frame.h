/*
 * host/snapshot/frame.h: the envelope around the contents of a snapshot: format, build,
 * compression, checksum or authentication (docs/snapshot.md). Called by snapshot.c.
 *
 * Nothing of the contents is looked at, and nothing is decompressed, before everything around them
 * has been checked.
 */
#ifndef PF_SNAPSHOT_FRAME_H
#define PF_SNAPSHOT_FRAME_H

#include "host/machine/machine.h"

/* What is in it: a sandbox of this build, byte by byte, or what any version takes over. */
enum frame_kind { FRAME_EXACT, FRAME_PORTABLE, FRAME_NONE };
/* By its first bytes; FRAME_NONE: it is no snapshot. */
enum frame_kind frame_kind(const char *data, size_t len);

/* No snapshot has larger contents. */
#define FRAME_CONTENTS_MAX (16ull << 30)

/* Compresses and wraps. `key`: MACHINE_KEY bytes, or NULL for a checksum only. `counter`: the
 * embedder's, 0: none. Free *out with free(). */
pf_status frame_wrap(enum frame_kind kind, const char *contents, size_t len, const uint8_t *key,
                     uint64_t counter, char **out, size_t *out_len, pf_error *error);

/* What a frame must be to be opened. */
struct frame_terms {
    enum frame_kind kind; /* FRAME_EXACT or FRAME_PORTABLE */
    bool any_build;       /* of an exact one: it may be another build's, whose files are read */
    const uint8_t *key;   /* MACHINE_KEY bytes, or NULL */
    bool trusted; /* the tag is not looked at, because something else vouches for the data */
    uint64_t min_counter; /* 0: any; else the frame is keyed */
    uint64_t max;         /* bytes of contents */
};
/* Checks and unwraps. Free *out with free(). */
pf_status frame_open(const char *data, size_t len, const struct frame_terms *terms, char **out,
                     size_t *out_len, pf_error *error);

/* The key of tags that belongs to an embedder's secret. */
pf_status frame_key(const void *key, size_t len, uint8_t out[MACHINE_KEY], pf_error *error);

#endif
