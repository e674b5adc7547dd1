/*
 * host/mount/mount.h: host directories in a sandbox.
 *
 * A mount is lazy: when the sandbox is made it is one directory that the kernel knows to be absent.
 * The names of a directory come when it is first looked into, the contents of a file when it is
 * first opened (fill.c), by openat2() beneath the directory's descriptor, so that nothing leads
 * out. Files that have come in stay as they were then; what the sandbox changes stays inside until
 * the embedder takes it out. A read-only mount belongs to root, a copy-on-write one to the
 * sandbox's user.
 *
 * The machine remembers what came in (struct machine_mount, entries.c), so that changes can be
 * told, also after a snapshot. What came in is an input: a tape records it, and a replay needs no
 * host.
 *
 * Files: host_dir.c (reading the host) place.c (mounts of a new or restored sandbox) fill.c (what
 * the kernel wants) entries.c (what came in) digest.c (their contents in a few bytes) guest_tree.c
 * (walking what is there now) inodes.c (which of it was met) changes.c export.c (out again, as a
 * directory) tar.c.
 */
#ifndef PF_MOUNT_H
#define PF_MOUNT_H

#include "host/base/map.h"
#include "host/machine/machine.h"

/* ---- host_dir.c: everything below is relative to a directory's descriptor and stays beneath it.
 * Results are 0 or an errno of the sandbox (PF_E*). */

/* The descriptor, or -1 with errno. */
int mount_open_root(const char *directory);
/* All names of a directory, sorted, as machine_fill_name records. */
int mount_read_names(int root, const char *path, struct base_buf *out);
/* A regular file's contents; one of more than `max` bytes is ENOSPC. */
int mount_read_file(int root, const char *path, uint64_t max, struct base_buf *out);

/* ---- entries.c */

/* The mounts of this sandbox alone, so that they can change; false: no memory. */
bool mount_own(pf_sandbox *sandbox);
/* Keeps that a name came in, with its kind and mode. False: no memory. */
bool mount_remember(struct machine_mount *mount, const char *path, char kind, uint32_t mode);
/* Keeps the digest of contents that came in. False: no memory. */
bool mount_remember_contents(struct machine_mount *mount, const char *path, const void *data,
                             size_t len);
/* What came in at a path, or NULL. */
const struct machine_mount_entry *mount_entry(const struct machine_mount *mount, const char *path);
/* The mount at a guest path, its entries in order, or NULL with the error filled. */
const struct machine_mount *mount_find(pf_sandbox *sandbox, const char *guest, pf_error *error);

/* ---- digest.c */

/* The size and a BLAKE2b of some contents. */
void mount_digest(const void *data, size_t len, uint8_t digest[MOUNT_DIGEST]);
/* The same of an open file; holes are not read. Entered. */
pf_status mount_digest_file(pf_sandbox *sandbox, const char *path, struct machine_reading *reading,
                            uint8_t digest[MOUNT_DIGEST], pf_error *error);
/* Is it one of contents of this size? */
bool mount_digest_size(const uint8_t digest[MOUNT_DIGEST], int64_t size);

/* ---- inodes.c: files by their number, each with the path where it was met first */

struct mount_inodes {
    struct base_map places; /* where in `names`, plus 1 */
    struct base_buf names;
};
void mount_inodes_init(struct mount_inodes *inodes); /* Empty; takes no memory. */
void mount_inodes_free(struct mount_inodes *inodes); /* Frees what was kept. */
/* *before: the path where it was met, until the next call; NULL: it is kept with this one. False:
 * no memory. */
bool mount_inodes_meet(struct mount_inodes *inodes, uint64_t number, const char *path,
                       const char **before);

/* ---- guest_tree.c */

/* One file of a sandbox's tree. Pointers live until the callback returns. */
struct mount_file {
    const char *path; /* below the root of the tree, without a leading slash; "" is the root */
    const char *full; /* in the sandbox */
    char kind;        /* 'd', 'f', 'l' or '?' for others, which only a sandbox has */
    bool untouched;   /* it is as it came, and was not read */
    bool absent;      /* its contents are with the host */
    uint32_t mode;    /* permission bits */
    int64_t mtime_ns;
    uint64_t number;    /* of the file: all its names have it */
    uint32_t names;     /* hard links */
    int64_t size;       /* 'f' */
    const char *target; /* 'l' */
};
typedef pf_status (*mount_fn)(void *user, const struct mount_file *file, pf_error *error);

/* Checks that a path is that of a directory, and makes it fit to be a mount's `guest`: a tree that
 * is no mount is walked as one that nothing came in with. Entered. */
pf_status mount_any(pf_sandbox *sandbox, const char *path, char guest[PF_PATH_MAX],
                    pf_error *error);
/* Calls `function` for everything that is in a mount now, a directory before its files. With
 * `changed`, what is still with the host and would be equal is told as untouched, and nothing below
 * it; otherwise everything comes in. Entered, and within the bounds of an act. */
pf_status mount_walk(pf_sandbox *sandbox, const struct machine_mount *mount, bool changed,
                     mount_fn function, void *user, pf_error *error);
/* Opens a file of kind 'f', for machine_close_file() to end. */
pf_status mount_open(pf_sandbox *sandbox, const struct mount_file *file,
                     struct machine_reading *reading, pf_error *error);

/* ---- changes.c */

/* What one file of the tree now is, against the mount: 'A' added, 'M' modified, '=' equal. */
pf_status mount_compare(pf_sandbox *sandbox, const struct machine_mount *mount,
                        const struct mount_file *file, char *what, pf_error *error);
/* What pf_mount_changes() gives. Entered. */
pf_status mount_changes(pf_sandbox *sandbox, const struct machine_mount *mount,
                        struct base_buf *out, pf_error *error);

#endif
