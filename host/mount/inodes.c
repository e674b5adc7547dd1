/*
 * host/mount/inodes.c: which files a walk has met, by number. See mount.h.
 */
#include "mount.h"

#include <assert.h>
#include <string.h>

/* Of all paths together; a walk that needs more has been lied to. */
#define NAMES_MAX ((size_t)256 << 20)

void mount_inodes_init(struct mount_inodes *inodes) {
    *inodes = (struct mount_inodes){0};
    base_buf_init(&inodes->names, NAMES_MAX);
}

void mount_inodes_free(struct mount_inodes *inodes) {
    base_map_free(&inodes->places);
    base_buf_free(&inodes->names);
}

bool mount_inodes_meet(struct mount_inodes *inodes, uint64_t number, const char *path,
                       const char **before) {
    *before = NULL;
    uint64_t *place = base_map_at(&inodes->places, number);
    if (!place) return false;
    if (*place) {
        assert(*place <= inodes->names.len);
        *before = inodes->names.data + *place - 1;
        return true;
    }
    size_t at = inodes->names.len;
    if (!base_buf_add(&inodes->names, path, strlen(path) + 1)) return false;
    *place = at + 1;
    return true;
}
