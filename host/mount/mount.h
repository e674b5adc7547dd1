/*
 * host/mount/mount.h: host directories in a sandbox.
 *
 * A mount is copied in when the sandbox is made: regular files, directories and symbolic links (as
 * links, never followed) below the directory, found by openat2() so that nothing leads out. From
 * then on the sandbox knows the host no more; what it changes stays inside until the embedder takes
 * it out. A read-only mount belongs to root, a copy-on-write one to the sandbox's user.
 *
 * The machine remembers what came in (struct machine_mount), so that changes can be told, also
 * after a snapshot.
 *
 * Files: host_tree.c (reading the host) enter.c (into the sandbox) guest_tree.c (walking what is
 * there now) changes.c export.c (out again, as a directory) tar.c.
 */
#ifndef PF_MOUNT_H
#define PF_MOUNT_H

#include "host/machine/machine.h"

/* One file of a tree on its way in or out. Pointers live until the callback returns. */
struct mount_file {
    const char *path; /* below the root of the tree, without a leading slash; "" is the root */
    char kind;        /* 'd', 'f', 'l' or '?' for others, which only a sandbox has */
    uint32_t mode;    /* permission bits */
    int64_t mtime_ns;
    const char *data; /* 'f': contents; 'l': target */
    size_t len;
};
typedef pf_status (*mount_fn)(void *user, const struct mount_file *file, pf_error *error);

/* Calls `function` for everything below a host directory: a directory before its files, and again
 * after them (`len` 1), so that its times can be set. Files that would exceed `max` bytes in all
 * are an error. */
pf_status mount_walk_host(const char *directory, uint64_t max, mount_fn function, void *user,
                          pf_error *error);
/* The same for a directory of a sandbox, without the second call. Must not be entered. */
pf_status mount_walk_guest(pf_sandbox *sandbox, const char *directory, mount_fn function,
                           void *user, pf_error *error);

void mount_digest(const struct mount_file *file, uint8_t digest[MOUNT_DIGEST]);
/* The mount at a guest path, or NULL with the error filled. */
const struct machine_mount *mount_find(const pf_sandbox *sandbox, const char *guest,
                                       pf_error *error);
/* What one file of the tree now is, against the mount: 'A' added, 'M' modified, '=' equal. */
char mount_compare(const struct machine_mount *mount, const struct mount_file *file);

#endif
