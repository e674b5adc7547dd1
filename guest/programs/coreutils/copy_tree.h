/*
 * copy_tree.h: copying files and whole directories; cp, install and mv between file systems use it.
 */
#ifndef COPY_TREE_H
#define COPY_TREE_H

#include "backup.h"
#include "copy_memory.h"
#include "g_option.h"

#include <sys/stat.h>

enum copy_links { COPY_NO_FOLLOW, COPY_FOLLOW_OPERANDS, COPY_FOLLOW_ALL };
enum copy_overwrite { COPY_UNSAID, COPY_OVERWRITE, COPY_ASK, COPY_NEVER };

typedef struct {
    bool recursive, force, update, verbose, hard_link, symbolic_link, remove_first, same_device;
    bool attributes_only, content_special; /* copy what special files hold (--copy-contents) */
    bool keep_mode, keep_owner, keep_times, keep_links, no_mode;
    bool moving;        /* mv: renames, or copies between file systems */
    bool need_clone;    /* --reflink=always: refused, no file system here shares blocks */
    bool installing;    /* install: it has no -r to speak of */
    enum copy_links links;
    enum copy_overwrite overwrite;
    backup_options backup;
    mode_t mask; /* the process's umask */
} copy_options;

/* One file or directory on its way. */
typedef struct {
    const char *from, *to;
    struct stat st;        /* the source, links followed as the options say */
    bool operand;          /* named on the command line */
    struct stat there_buf; /* behind `there` */
    struct stat *there;    /* what is at `to`; NULL: nothing, or it was moved out of the way */
    char *kept;            /* the backup's name, or NULL; to be freed */
} copy_item;

enum copy_way { COPY_GO, COPY_SKIP, COPY_FAILED };

/* Decides what happens with what is already at item->to, and removes or renames it if it must go.
 * Messages are given here. */
enum copy_way copy_prepare(const copy_options *o, const copy_memory *memory, copy_item *item);
/* The copy failed: puts a backup back. */
void copy_put_back(const copy_options *o, copy_item *item);

/* Copies what `from` names to the path `to`, both operands or made of operands. `memory` may be
 * shared by several calls. 0, or 1 after messages. */
int copy_path(const copy_options *o, copy_memory *memory, const char *from, const char *to);
/* Copies contents and attributes of a regular file (or of what is read as one). 0, or 1 after
 * messages. */
int copy_regular(const copy_options *o, const copy_item *item);
/* Mode, owner and times of what was copied. `fd` -1: by path. 0, or 1 after messages. */
int copy_attributes(const copy_options *o, int fd, const char *to, const struct stat *st);

/* What cp and mv are to do with their operands. */
typedef struct {
    char **files;
    int count;
    const char *dir; /* where each of them goes; NULL: files[0] becomes files[1] */
} copy_operands;

/* Decides it from the operands behind the options: `dir` is that of -t or NULL, `no_dir` -T, `strip`
 * --strip-trailing-slashes. Ends the command when they make no sense. Fills in options->mask. */
copy_operands copy_operands_of(copy_options *options, const g_options *o, const char *dir,
                               bool no_dir, bool strip);

#endif
