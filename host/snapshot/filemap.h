/*
 * host/snapshot/filemap.h: the files of a sandbox as a list that any build reads: paths, what
 * stat() says, and where the contents are. docs/snapshot.md is the reference.
 *
 * A snapshot of pages means nothing to another build, but the bytes of a file lie in it as they
 * are. So its list points at them by their address in the kernel's memory, and costs some bytes for
 * each file; what does not lie there as it is, and all of a portable snapshot, stands in the list
 * itself.
 */
#ifndef PF_SNAPSHOT_FILEMAP_H
#define PF_SNAPSHOT_FILEMAP_H

#include "memory.h"

/* Behind the list of an exact snapshot: how far before the end the kernel begins, and how far the
 * list. */
#define SNAPSHOT_TRAILER 16

#define FILEMAP_INLINE UINT32_MAX /* as an address: the bytes follow */

enum { FILEMAP_UNREAD = 1 }; /* of a file: its contents, or names, are with a mount's directory */

/* One name. */
struct filemap_file {
    const char *path; /* owned by the map, NUL-terminated */
    uint32_t flags, mode, uid;
    uint64_t size;
    int64_t mtime_ns;
    uint32_t link;     /* another name of the file with this number, from 1 on; 0: it is none */
    uint32_t segments; /* how many, from `at` on in the input */
    size_t at;
};
struct filemap {
    struct filemap_file *files;
    size_t count;
};

/*
 * Writes the list, of a sandbox that is entered and within the bounds of an act; it is afterwards
 * to the byte what it was. `all`: all contents are written here, and mounts are left out.
 */
pf_status put_files(struct writer *w, pf_sandbox *sandbox, bool all, pf_error *error);

/* Reads it, trusting nothing: false with r->bad, or without memory. Free it in any case. */
bool get_files(struct reader *r, struct filemap *map);
void filemap_free(struct filemap *map); /* Frees the list, not the struct; empty afterwards. */
/* The file of a path, links of the list followed; NULL: there is none. */
const struct filemap_file *filemap_find(const struct filemap *map, const char *path);
/* The next of a file's segments; `address` FILEMAP_INLINE: its bytes are `data`. False: malformed.
 */
struct filemap_segment {
    uint64_t from, len;
    uint32_t address;
    const uint8_t *data;
};
bool filemap_segment(struct reader *r, struct filemap_segment *segment); /* Reads one from `r`. */

#endif
