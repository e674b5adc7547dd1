/*
 * host/mount/inodes.c: which files a walk has met, by number. See mount.h.
 */
#include "mount.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of all paths together; a walk that needs more has been lied to. */
#define NAMES_MAX ((size_t)256 << 20)

void mount_inodes_init(struct mount_inodes *inodes) {
    *inodes = (struct mount_inodes){0};
    base_buf_init(&inodes->names, NAMES_MAX);
}

void mount_inodes_free(struct mount_inodes *inodes) {
    free(inodes->slots);
    base_buf_free(&inodes->names);
    *inodes = (struct mount_inodes){0};
}

/* The slot of a number, or the free one where it belongs. */
static struct mount_inode *slot_of(struct mount_inode *slots, size_t capacity, uint64_t number) {
    assert(capacity && (capacity & (capacity - 1)) == 0); /* and never full: grow() */
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
    while (slots[at].name && slots[at].number != number) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow(struct mount_inodes *inodes) {
    size_t capacity = inodes->capacity ? 2 * inodes->capacity : 64;
    struct mount_inode *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < inodes->capacity; i++)
        if (inodes->slots[i].name)
            *slot_of(slots, capacity, inodes->slots[i].number) = inodes->slots[i];
    free(inodes->slots);
    inodes->slots = slots;
    inodes->capacity = capacity;
    return true;
}

bool mount_inodes_meet(struct mount_inodes *inodes, uint64_t number, const char *path,
                       const char **before) {
    *before = NULL;
    if (2 * inodes->count >= inodes->capacity && !grow(inodes)) return false;
    struct mount_inode *slot = slot_of(inodes->slots, inodes->capacity, number);
    if (slot->name) {
        assert(slot->name <= inodes->names.len);
        *before = inodes->names.data + slot->name - 1;
        return true;
    }
    size_t at = inodes->names.len;
    if (!base_buf_add(&inodes->names, path, strlen(path) + 1)) return false;
    *slot = (struct mount_inode){.number = number, .name = at + 1};
    inodes->count++;
    assert(2 * inodes->count <= inodes->capacity + 1);
    return true;
}
