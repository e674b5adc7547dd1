/*
 * remove_tree.c: removing files and whole directories; rm and mv between file systems use it.
 *
 * Never follows a symbolic link, never removes "/", "." or "..".
 */
#include "remove_tree.h"
#include "g_file.h"
#include "g_mode.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ask(const char *question, const char *kind, const char *path) {
    g_out_flush();
    char *quoted = g_shell_quote(path, strlen(path), true, false, NULL);
    fprintf(stderr, "%s: %s%s%s? ", g_name(), question, kind, quoted);
    free(quoted);
    return g_yes();
}

static bool protected(const remove_options *o, const g_entry *e) {
    return o->ask_protected && !o->force && !S_ISLNK(e->st.st_mode) &&
           faccessat(e->dir, e->at, W_OK, 0) < 0 && errno == EACCES;
}

static bool may_remove(const remove_options *o, const g_entry *e) {
    bool guarded = protected(o, e);
    if (!o->ask && !guarded) return true;
    char kind[64];
    snprintf(kind, sizeof kind, "%s%s ", guarded ? "write-protected " : "", g_type_name(&e->st));
    return ask("remove ", kind, e->path);
}

static bool is_dot(const char *path) {
    char *copy = g_copy_string(path);
    g_strip_slashes(copy);
    const char *last = g_last_part(copy);
    bool dot = strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
    free(copy);
    return dot;
}

static int failed(int error, const char *path) {
    g_warn_errno(error, "cannot remove %s", g_quoteaf(path));
    return 1;
}

static int remove_file(const remove_options *o, const g_entry *e) {
    if (!may_remove(o, e)) return 0;
    if (unlinkat(e->dir, e->at, 0) < 0) {
        if (o->force && (errno == ENOENT || errno == ENOTDIR)) return 0;
        return failed(errno, e->path);
    }
    if (o->verbose) g_outf("removed %s\n", g_quoteaf(e->path));
    return 0;
}

static int remove_directory(const remove_options *o, const g_entry *e) {
    if (!may_remove(o, e)) return 0;
    if (unlinkat(e->dir, e->at, AT_REMOVEDIR) < 0) return failed(errno, e->path);
    if (o->verbose) g_outf("removed directory %s\n", g_quoteaf(e->path));
    return 0;
}

/* Of an empty directory only is asked whether to remove it. */
static bool is_empty(const g_entry *e) {
    int fd = openat(e->dir, e->at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0) close(fd);
        return false;
    }
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(dir));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(dir);
    return empty;
}

/* Decides about a directory before it is entered. Returns 1 to say "leave it", 2 after an error. */
static int enter_directory(const remove_options *o, g_walk *walk, const g_entry *e) {
    struct stat root;
    if (!o->recursive) {
        g_walk_skip(walk);
        if (!o->directories) {
            failed(EISDIR, e->path);
            return 2;
        }
        return remove_directory(o, e) ? 2 : 1;
    }
    if (e->depth == 0 && !o->allow_root && stat("/", &root) == 0 && root.st_ino == e->st.st_ino &&
        root.st_dev == e->st.st_dev) {
        if (strcmp(e->path, "/") == 0)
            g_warn("it is dangerous to operate recursively on %s", g_quoteaf("/"));
        else
            g_warn("it is dangerous to operate recursively on %s (same as %s)",
                   g_quoteaf(e->path), g_quoteaf("/"));
        g_warn("use --no-preserve-root to override this failsafe");
        g_walk_skip(walk);
        return 2;
    }
    bool guarded = protected(o, e);
    if ((o->ask || guarded) && !is_empty(e)) {
        if (!ask("descend into ", guarded ? "write-protected directory " : "directory ", e->path)) {
            g_walk_skip(walk);
            return 1;
        }
    }
    return 0;
}

int remove_path(const remove_options *o, const char *path) {
    int status = 0;
    if (o->recursive && is_dot(path)) {
        g_warn("refusing to remove %s or %s directory: skipping %s", g_quoteaf("."),
               g_quoteaf(".."), g_quoteaf(path));
        return 1;
    }
    int kept = -1; /* directories up to this depth hold something that stays */
    g_walk *walk = g_walk_start(path, o->same_device ? G_WALK_SAME_DEVICE : 0);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        int result = 0;
        switch (e->kind) {
        case G_WALK_FILE: result = remove_file(o, e); break;
        case G_WALK_DIR:
            result = enter_directory(o, walk, e);
            if (result && e->depth > kept) kept = e->depth - 1;
            result = result == 2;
            break;
        case G_WALK_DIR_END:
            if (e->depth > kept) {
                result = remove_directory(o, e);
                break;
            }
            kept = e->depth - 1;
            continue; /* nobody is asked, as it could not be removed */
        case G_WALK_DIR_ERROR: result = failed(e->error, e->path); break;
        case G_WALK_CYCLE: break;
        case G_WALK_STAT_ERROR:
            if (o->force && (e->error == ENOENT || e->error == ENOTDIR)) break;
            result = failed(e->error, e->path);
            break;
        }
        if (result && e->depth > kept) kept = e->depth - 1;
        status |= result;
    }
    g_walk_end(walk);
    return status;
}
