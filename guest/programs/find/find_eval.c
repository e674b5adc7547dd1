/*
 * find_eval.c: whether an expression is true of a file, and what it does.
 */
#include "find.h"
#include "g_file.h"
#include "g_quote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool compare(const find_node *n, int64_t value) {
    switch (n->compare) {
    case COMPARE_MORE: return value > n->number;
    case COMPARE_LESS: return value < n->number;
    default: return value == n->number;
    }
}

static bool match(const find_node *n, const char *text) {
    return fnmatch(n->text, text, n->fold ? FNM_CASEFOLD : 0) == 0;
}

static g_moment time_of(const struct stat *st, char which) {
    struct timespec t = which == 'a' ? st->st_atim : which == 'c' ? st->st_ctim : st->st_mtim;
    return (g_moment){t.tv_sec, (int)t.tv_nsec};
}

static int compare_moments(g_moment a, g_moment b) {
    if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
    return (a.nanoseconds > b.nanoseconds) - (a.nanoseconds < b.nanoseconds);
}

/* N itself means: within the unit of time that ends N units ago. */
static bool time_matches(const find_node *n, g_moment t) {
    int order = compare_moments(t, n->moment);
    if (n->compare == COMPARE_MORE) return order < 0;
    if (n->compare == COMPARE_LESS) return order > 0;
    g_moment end = {n->moment.seconds + n->unit, n->moment.nanoseconds};
    return order > 0 && compare_moments(t, end) <= 0;
}

static bool is_empty(const g_entry *e) {
    if (S_ISREG(e->st.st_mode)) return e->st.st_size == 0;
    if (!S_ISDIR(e->st.st_mode)) return false;
    int fd = openat(e->dir, e->at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        g_warn_errno(errno, "%s", g_quote(e->path));
        return false;
    }
    bool empty = true;
    for (struct dirent *d; empty && (d = readdir(dir));)
        empty = strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0;
    closedir(dir);
    return empty;
}

static bool perm_matches(const find_node *n, mode_t mode) {
    mode_t wanted = S_ISDIR(mode) ? n->mode_dir : n->mode_file;
    mode &= 07777;
    if (n->unit == '-') return (mode & wanted) == wanted;
    if (n->unit == '/') return wanted == 0 || (mode & wanted) != 0;
    return mode == wanted;
}

/* Type as -xtype sees it: what a link leads to, or with -L the link itself. */
static mode_t other_type(const find_file *file) {
    struct stat st;
    const g_entry *e = file->e;
    int failed = fstatat(e->dir, e->at, &st, file->f->follow ? AT_SYMLINK_NOFOLLOW : 0);
    if (failed && !file->f->follow && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return S_IFLNK;
    return failed ? 0 : st.st_mode & S_IFMT;
}

static bool link_matches(const find_node *n, const g_entry *e) {
    char *target = S_ISLNK(e->st.st_mode) ? g_read_link_at(e->dir, e->at) : NULL;
    bool matched = target && match(n, target);
    free(target);
    return matched;
}

static bool name_matches(const find_node *n, const g_entry *e) {
    if (e->depth > 0 || !strchr(e->name, '/')) return match(n, e->name);
    char *base = g_base(e->path);
    bool matched = match(n, base);
    free(base);
    return matched;
}

static void put(const find_node *n, const char *text, size_t len) {
    if (n->out) g_sink_put(n->out, text, len);
    else g_out(text, len);
}

static bool delete(find_file *file) {
    const g_entry *e = file->e;
    if (strcmp(e->path, ".") == 0) return true;
    g_out_flush();
    int failed = unlinkat(e->dir, e->at, S_ISDIR(e->st.st_mode) ? AT_REMOVEDIR : 0);
    if (!failed || errno == ENOENT) return true;
    g_warn_errno(errno, "cannot delete %s", g_quote(e->path));
    file->f->status = 1;
    return false;
}

static bool act(find_file *file, const find_node *n) {
    const g_entry *e = file->e;
    switch (n->op) {
    case OP_PRINT:
        put(n, e->path, e->path_len);
        put(n, "\n", 1);
        return true;
    case OP_PRINT0:
        put(n, e->path, e->path_len);
        put(n, "", 1);
        return true;
    case OP_PRINTF: find_put_format(file, n->out ? n->out : &g_stdout, n->text); return true;
    case OP_LS: find_put_ls(file, n->out ? n->out : &g_stdout); return true;
    case OP_DELETE: return delete(file);
    case OP_PRUNE:
        if (!file->f->depth_first && e->kind == G_WALK_DIR) g_walk_skip(file->walk);
        return true;
    case OP_QUIT: file->quit = true; return true;
    default: return find_exec_run(file, n->exec);
    }
}

static bool test(find_file *file, const find_node *n) {
    const g_entry *e = file->e;
    const struct stat *st = &e->st;
    switch (n->op) {
    case OP_TRUE: return true;
    case OP_FALSE: return false;
    case OP_NAME: return name_matches(n, e);
    case OP_PATH: return match(n, e->path);
    case OP_LNAME: return link_matches(n, e);
    case OP_REGEX: return pf_regex_fullmatch(n->re, e->path, e->path_len) == PF_RE_OK;
    case OP_TYPE: return n->types >> ((st->st_mode & S_IFMT) >> 12) & 1;
    case OP_XTYPE: return n->types >> (other_type(file) >> 12) & 1;
    case OP_SIZE: return compare(n, (int64_t)(st->st_size / n->unit) + (st->st_size % n->unit != 0));
    case OP_EMPTY: return is_empty(e);
    case OP_PERM: return perm_matches(n, st->st_mode);
    case OP_USER: return compare(n, st->st_uid);
    case OP_GROUP: return compare(n, st->st_gid);
    case OP_NOUSER: return !getpwuid(st->st_uid);
    case OP_NOGROUP: return !getgrgid(st->st_gid);
    case OP_LINKS: return compare(n, (int64_t)st->st_nlink);
    case OP_INUM: return compare(n, (int64_t)st->st_ino);
    case OP_SAMEFILE: return (uint64_t)st->st_ino == n->ino && (uint64_t)st->st_dev == n->dev;
    case OP_NEWER: return compare_moments(time_of(st, n->which), n->moment) > 0;
    case OP_TIME: return time_matches(n, time_of(st, n->which));
    case OP_USED: return compare(n, (st->st_atim.tv_sec - st->st_ctim.tv_sec + 86399) / 86400);
    case OP_ACCESS: return faccessat(e->dir, e->at, (int)n->unit, 0) == 0;
    case OP_FSTYPE: return strcmp(n->text, "tmpfs") == 0;
    default: return act(file, n);
    }
}

/* The depth is that of the parentheses, which the parser bounds. */
bool find_eval(find_file *file, const find_node *n) {
    bool value = true;
    switch (n->op) {
    case OP_NOT: return !find_eval(file, n->child);
    case OP_AND:
        for (const find_node *c = n->child; c && value && !file->quit; c = c->next)
            value = find_eval(file, c);
        return value;
    case OP_OR:
        value = false;
        for (const find_node *c = n->child; c && !value && !file->quit; c = c->next)
            value = find_eval(file, c);
        return value;
    case OP_COMMA:
        for (const find_node *c = n->child; c && !file->quit; c = c->next) value = find_eval(file, c);
        return value;
    default: return test(file, n);
    }
}
