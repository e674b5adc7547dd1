/*
 * mount_table.h: which file systems there are, and where.
 */
#ifndef MOUNT_TABLE_H
#define MOUNT_TABLE_H

#include <stddef.h>

typedef struct {
    char *source, *target, *type, *options;
} mount_entry;

/* All of them, as the kernel lists them; in fresh memory. */
mount_entry *mount_table(size_t *count);
/* Which of them a path lies in; NULL with errno when there is no such path. */
const mount_entry *mount_of_path(const mount_entry *table, size_t count, const char *path);

#endif
