/*
 * tests/fuzz/forge.h: a snapshot taken apart and put together again, as somebody who can make
 * checksums (or has the key) would do it. docs/snapshot.md is the format. For tests and fuzzers.
 */
#ifndef FORGE_H
#define FORGE_H

#include "pinfold.h"

#include <stddef.h>
#include <stdint.h>

#define FORGE_CALLS 16

struct forge_text {
    const char *data;
    size_t len;
};

struct forge_call {
    uint64_t id;
    uint32_t op, handed_out, capability;
    struct forge_text method, name, params;
};

/* Points into `contents`; texts may be replaced by others that live as long. */
struct forge {
    char *contents; /* owned */
    size_t contents_len;
    uint32_t clock_flags;
    int64_t monotonic_ns, realtime_base, deadline_ns;
    uint32_t alive;
    uint64_t next_call, forks;
    uint32_t run_flags, stage, limit, ticks;
    uint64_t wall_ns, cpu_ns, tool_calls, asked;
    struct forge_text input, output[2], value;
    uint32_t count; /* of calls; may be more than there are, as a lie */
    uint32_t written;
    struct forge_call calls[FORGE_CALLS];
    struct forge_text counters;
    struct forge_text rest; /* kernel, processes, mounts: see forge_pages() */
};

/* Takes apart a snapshot without a key that this build made; aborts when that is none. */
void forge_open(struct forge *forge, const char *snapshot, size_t len);
/* Puts it together, with a key (as for pf_options_key()) or NULL; free *data with free(). */
void forge_close(const struct forge *forge, const char *key, uint64_t counter, char **data,
                 size_t *len);
void forge_free(struct forge *forge);
/* Where the pages of the kernel's memory are in `rest`, each 4096 bytes behind its address: how many;
 * fills up to `max` offsets. */
size_t forge_pages(const struct forge *forge, size_t *offsets, size_t max);
struct forge_text forge_of(const char *text); /* up to its NUL */

#endif
