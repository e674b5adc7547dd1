/*
 * grep_tree.c: operands and directories, and which files are left out.
 */
#include "g_in.h"
#include "g_quote.h"
#include "g_walk.h"
#include "grep.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a pattern matches the name or an end of it that begins behind a slash. */
static bool matches(const char *pattern, const char *name, bool operand) {
    if (fnmatch(pattern, name, 0) == 0) return true;
    for (const char *p = name; operand && (p = strchr(p, '/')); p++)
        if (p[1] != '/' && fnmatch(pattern, p + 1, 0) == 0) return true;
    return false;
}

static bool any_matches(const g_text *patterns, const char *name, bool operand) {
    for (size_t at = 0; at < patterns->len; at += strlen(patterns->s + at) + 1)
        if (matches(patterns->s + at, name, operand)) return true;
    return false;
}

static bool left_out(const grep_options *o, const char *name, bool operand) {
    if (any_matches(&o->exclude, name, operand)) return true;
    return o->has_include && !any_matches(&o->include, name, operand);
}

static void report(grep_options *o, int error, const char *path) {
    if (!o->no_messages) g_warn_errno(error, "%s", path);
    o->failed = true;
}

/* `at` is the file from the directory `dir`. */
static bool grep_path(grep_options *o, grep_matcher *m, int dir, const char *at, const char *path) {
    int fd = openat(dir, at, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        report(o, errno, path);
        return false;
    }
    bool found = grep_file(o, m, fd, path);
    close(fd);
    return found;
}

static bool grep_tree(grep_options *o, grep_matcher *m, const char *root, bool hide_dot) {
    bool found = false;
    g_walk *walk = g_walk_start(root, o->follow ? G_WALK_FOLLOW : G_WALK_FOLLOW_ROOT);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        const char *path = e->path;
        if (hide_dot && strncmp(path, "./", 2) == 0) path += 2;
        switch (e->kind) {
        case G_WALK_DIR: {
            bool skip = e->depth > 0 ? any_matches(&o->exclude_dirs, e->name, false)
                                     : !hide_dot && any_matches(&o->exclude_dirs, e->path, true);
            if (skip) g_walk_skip(walk);
            break;
        }
        case G_WALK_FILE: {
            if (left_out(o, e->depth == 0 ? e->path : e->name, e->depth == 0)) break;
            if (S_ISLNK(e->st.st_mode) && (o->follow || e->depth == 0)) {
                struct stat st;
                report(o, fstatat(e->dir, e->at, &st, 0) < 0 ? errno : ENOENT,
                       path); /* leads nowhere */
                break;
            }
            bool device = !S_ISREG(e->st.st_mode);
            if (device && !(e->depth == 0 && !o->skip_devices) && !o->read_devices) break;
            if (grep_path(o, m, e->dir, e->at, path)) found = true;
            break;
        }
        case G_WALK_STAT_ERROR: case G_WALK_DIR_ERROR: report(o, e->error, path); break;
        case G_WALK_CYCLE:
            if (!o->no_messages) g_warn("warning: %s: recursive directory loop", path);
            break;
        case G_WALK_DIR_END: break;
        }
        if (found && o->quiet) break;
    }
    g_walk_end(walk);
    return found;
}

bool grep_operand(grep_options *o, grep_matcher *m, const char *path) {
    if (!path) return grep_tree(o, m, ".", true);
    if (strcmp(path, "-") == 0)
        return grep_file(o, m, STDIN_FILENO, o->label ? o->label : "(standard input)");
    struct stat st;
    bool known = stat(path, &st) == 0;
    if (o->recursive && known && S_ISDIR(st.st_mode)) return grep_tree(o, m, path, false);
    if (known && S_ISDIR(st.st_mode) &&
        (o->skip_directories || any_matches(&o->exclude_dirs, path, true)))
        return false;
    if (known && o->skip_devices && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return false;
    if (known && left_out(o, path, true)) return false;
    return grep_path(o, m, AT_FDCWD, path, path);
}
