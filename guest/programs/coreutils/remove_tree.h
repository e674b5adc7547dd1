/*
 * remove_tree.h: removing files and whole directories; rm and mv between file systems use it.
 */
#ifndef REMOVE_TREE_H
#define REMOVE_TREE_H

#include "g_program.h"

typedef struct {
    bool recursive, directories, force, verbose;
    bool ask;           /* before everything (-i) */
    bool ask_protected; /* before what is write-protected: standard input is a terminal */
    bool same_device, allow_root;
} remove_options;

/* 0, or 1 after messages. */
int remove_path(const remove_options *o, const char *path);

#endif
