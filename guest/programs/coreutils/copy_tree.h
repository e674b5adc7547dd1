/*
 * copy_tree.h: copying files and whole directories; cp, install and mv between file systems use it.
 */
#ifndef COPY_TREE_H
#define COPY_TREE_H

#include "backup.h"

#include <sys/stat.h>

enum copy_links { COPY_NO_FOLLOW, COPY_FOLLOW_OPERANDS, COPY_FOLLOW_ALL };
enum copy_overwrite { COPY_OVERWRITE, COPY_ASK, COPY_NEVER };

typedef struct {
    bool recursive, force, update, verbose, hard_link, symbolic_link, remove_first, same_device;
    bool attributes_only, content_special; /* copy what special files hold (--copy-contents) */
    bool keep_mode, keep_owner, keep_times, keep_links, no_mode;
    bool require_owner; /* -p: a failure to keep the owner is reported when root */
    bool moving;        /* messages of mv */
    enum copy_links links;
    enum copy_overwrite overwrite;
    backup_options backup;
    mode_t mask; /* the process's umask */
} copy_options;

/* Files already copied in this command: hard links are kept, nothing is overwritten twice. */
typedef struct copy_memory copy_memory;
copy_memory *copy_memory_new(void);
void copy_memory_free(copy_memory *memory);

/* Copies what `from` names to the path `to`. 0, or 1 after messages. */
int copy_path(const copy_options *o, copy_memory *memory, const char *from, const char *to);

/* "cp: overwrite 'x'? " and the answer. */
bool copy_may_overwrite(const copy_options *o, const char *to, const struct stat *there);

#endif
