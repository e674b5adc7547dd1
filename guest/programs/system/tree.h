/*
 * tree.h: what tree.c, which reads directories, and tree_print.c share.
 */
#ifndef TREE_H
#define TREE_H

#include "g_program.h"

#include <sys/stat.h>

typedef struct tree_node {
    char *name; /* as shown: with -f the whole path */
    char *path;
    char *target;       /* of a link, or NULL */
    struct stat st;     /* of the entry itself */
    mode_t target_mode; /* of what a link leads to; 0: nowhere */
    bool is_directory;  /* a directory, or a link to one */
    bool entered;       /* its contents are shown */
    const char *note;   /* why it is not entered, or NULL */
    uint64_t total;     /* --du */
    struct tree_node **children;
    size_t count, cap;
} tree_node;

enum tree_format { TREE_LINES, TREE_JSON, TREE_XML };

typedef struct {
    bool all, directories_only, full_path, follow, one_device, prune, match_directories,
        ignore_case;
    bool classify, no_indent, no_report, quote, literal, question;
    bool inodes, device, protections, users, groups, sizes, human, si, times, du, color, ascii;
    enum tree_format format;
    int sort; /* n name, v version, t mtime, c ctime, s size, U none */
    bool reverse;
    int order; /* -1: directories first, 1: files first */
    uint64_t level, file_limit;
    const char *time_format;
    const char **include, **exclude;
    size_t include_count, exclude_count, include_cap, exclude_cap;
    struct {
        dev_t device;
        ino_t inode;
    } *entered; /* -l */
    size_t entered_count, entered_cap;
    dev_t device_id; /* -x: that of the root */
    uint64_t directory_count, file_count, byte_count;
} tree_options;

/* Prints one root that was read, in the format of the options. */
void tree_print(tree_options *o, const tree_node *root, bool last_root);
/* What stands before the first root: the opening of JSON and XML. */
void tree_begin(const tree_options *o);
/* What stands behind the last root: the report, and the closing of JSON and XML. */
void tree_end(const tree_options *o);

#endif
