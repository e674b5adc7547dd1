/*
 * rsync.h: what the parts of rsync share.
 *
 * rsync.c reads the options, rsync_filter.c says what is left out, rsync_list.c collects what is to
 * be copied, rsync_update.c makes one file of the destination like its source, rsync_delete.c
 * removes what the source has not, and rsync_show.c prints what is done.
 */
#ifndef RSYNC_H
#define RSYNC_H

#include "g_text.h"

#include <sys/stat.h>

/* The statuses of rsync(1). */
enum {
    RSYNC_SYNTAX = 1,
    RSYNC_SELECT = 3,
    RSYNC_UNSUPPORTED = 4,
    RSYNC_FILES = 11,
    RSYNC_PARTIAL = 23,
    RSYNC_MAX_DELETE = 25,
    RSYNC_REMOTE = 255
};

enum rsync_deletion { DELETE_NONE, DELETE_BEFORE, DELETE_DURING, DELETE_AFTER };

typedef struct {
    int recursive, links, perms, times, owner, group, devices, hard_links, copy_links;
    bool relative, dirs, one_file_system, prune, from0;
    bool checksum, update, ignore_times, size_only, existing, ignore_existing, omit_dir_times;
    bool inplace, remove_source, dry_run, backup, make_path, delete_excluded, force;
    bool quiet, human, progress, stats, itemize, list_only;
    int verbose;
    enum rsync_deletion deletion;
    uint64_t min_size, max_size, max_delete;
    const char *suffix, *backup_dir, *files_from, *link_dest;
} rsync_options;

typedef struct {
    char *name; /* below the destination; "." is the destination itself */
    char *path; /* of the source */
    char *link; /* what a symbolic link holds */
    struct stat st;
    struct stat before; /* what its place held before anything was deleted there … */
    bool looked;        /* … if it was looked at then */
    bool contents;      /* a directory whose contents are copied as well */
    bool fresh;         /* was made here */
    bool hidden;        /* another item has its name */
    size_t order;       /* in which it was found: of two with one name the first counts */
} rsync_item;

typedef struct {
    rsync_options o;
    rsync_item *items;
    size_t count, room;
    char *target; /* the directory, or the one file, that is written to */
    bool single;  /* `target` is the name of the only file */
    mode_t umask;
    int status;       /* RSYNC_PARTIAL after the first error */
    bool read_failed; /* nothing is deleted then */
    size_t at;        /* the item that is being looked at */
    uint64_t total_size, sent, transferred_size, transferred, created[4], deleted, skipped_deletes;
} rsync_work;

/* Whatever was not copied: a message as error() prints it, and the status. */
void rsync_failed(rsync_work *w, int error, const char *what, const char *path);
/* The last line of a run that went wrong. */
_Noreturn void rsync_end(int status, const char *why);

/* rsync_filter.c */
void rsync_filter_add(bool include, const char *pattern); /* --include, --exclude */
void rsync_filter_rule(const char *rule);                 /* --filter: "- x" and "+ x" */
/* Patterns from a file, one a line. */
void rsync_filter_read(bool include, const char *file, bool from0);
bool rsync_filter_excludes(const char *name, bool directory); /* `name` as in rsync_item */

/* rsync_list.c: fills and sorts the items from the sources. */
void rsync_collect(rsync_work *w, int count, char **sources);
const rsync_item *rsync_find(const rsync_work *w, const char *name, bool directory);

/* rsync_update.c */
void rsync_update(rsync_work *w, rsync_item *item); /* Does what is needed for one item. */
void rsync_finish_directories(rsync_work *w);       /* Times, once nothing is written any more. */
char *rsync_target(const rsync_work *w, const char *name); /* Its path; fresh memory. */
/* Moves what is in the way aside, with --backup; false when it cannot. */
bool rsync_back_up(rsync_work *w, const char *path, const char *name);

/* rsync_delete.c: what is in that directory of the destination and not in the source. */
void rsync_delete_extra(rsync_work *w, const rsync_item *directory);
/* Removes a file or a whole directory, and says so; of what others take the place of only what is
 * in it (not `shown`). False when something of it stays. */
bool rsync_remove(rsync_work *w, const char *path, const char *name, bool shown);

/* rsync_show.c */
/* The line of an item, with its eleven letters under -i. What is no `local` change, such as a mode
 * alone, has a line under -i only. */
void rsync_show_item(rsync_work *w, const rsync_item *item, const char *change, bool local);
/* "deleting NAME", with a slash behind a directory. */
void rsync_show_deleted(rsync_work *w, const char *name, bool directory);
/* What --progress says when a file is there. */
void rsync_show_progress(rsync_work *w, const rsync_item *item, double seconds);
void rsync_show_list(const rsync_work *w);                /* --list-only */
void rsync_show_end(const rsync_work *w, double seconds); /* --stats, and the sums of -v. */

#endif
