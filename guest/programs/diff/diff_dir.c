/*
 * diff_dir.c: operands of every kind, and the files of two directories in pairs.
 */
#include "diff.h"
#include "g_file.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { DEPTH_MAX = 250 };

static int compare_entries(const diff_options *o, const char *path0, const char *path1, int depth);

static const char *type_name(const struct stat *st) {
    switch (st->st_mode & S_IFMT) {
    case S_IFREG: return st->st_size == 0 ? "regular empty file" : "regular file";
    case S_IFDIR: return "directory";
    case S_IFBLK: return "block special file";
    case S_IFCHR: return "character special file";
    case S_IFIFO: return "fifo";
    case S_IFLNK: return "symbolic link";
    case S_IFSOCK: return "socket";
    }
    return "weird file";
}

/* 0 or an errno value; a missing file is no error where it may count as empty. */
static int look_at(const diff_options *o, diff_side *side, const char *name) {
    side->name = name;
    side->is_stdin = strcmp(name, "-") == 0;
    int failed = side->is_stdin      ? fstat(STDIN_FILENO, &side->st)
                 : o->no_dereference ? lstat(name, &side->st)
                                     : stat(name, &side->st);
    return failed ? errno : 0;
}

/* Directories */

typedef struct {
    char **names;
    size_t count;
} listing;

static bool ignore_case; /* for the sort's comparison */

static int by_name(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    int order = ignore_case ? strcasecmp(*x, *y) : 0;
    return order ? order : strcmp(*x, *y);
}

static int pair_order(const char *a, const char *b) {
    return ignore_case ? strcasecmp(a, b) : strcmp(a, b);
}

static bool excluded(const diff_options *o, const char *name) {
    for (size_t at = 0; at < o->exclude.len; at += strlen(o->exclude.s + at) + 1)
        if (fnmatch(o->exclude.s + at, name, 0) == 0) return true;
    return false;
}

static bool list(const diff_options *o, const diff_side *side, bool top, listing *l) {
    *l = (listing){0};
    if (side->absent) return true;
    DIR *dir = opendir(side->name);
    if (!dir) {
        g_warn_errno(errno, "%s", side->name);
        return false;
    }
    size_t cap = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || excluded(o, e->d_name))
            continue;
        if (top && o->starting_file && strcmp(e->d_name, o->starting_file) < 0) continue;
        if (l->count == cap) l->names = g_more(l->names, &cap, sizeof *l->names);
        l->names[l->count++] = g_copy_string(e->d_name);
    }
    closedir(dir);
    ignore_case = o->ignore_name_case;
    qsort(l->names, l->count, sizeof *l->names, by_name);
    return true;
}

static void list_free(listing *l) {
    for (size_t i = 0; i < l->count; i++) free(l->names[i]);
    free(l->names);
}

static void only_in(const char *dir, const char *name) {
    g_outf("Only in %s: %s\n", dir, name);
}

static int compare_in(const diff_options *o, const diff_side *a, const diff_side *b,
                      const char *name0, const char *name1, int depth) {
    /* Absent names are compared under the name that is there. */
    if (!name0 && !o->new_file && !o->new_second_only) {
        only_in(b->name, name1);
        return 1;
    }
    if (!name1 && !o->new_file) {
        only_in(a->name, name0);
        return 1;
    }
    char *path0 = g_join(a->name, name0 ? name0 : name1),
         *path1 = g_join(b->name, name1 ? name1 : name0);
    int status = compare_entries(o, path0, path1, depth + 1);
    free(path0);
    free(path1);
    return status;
}

static int compare_directories(const diff_options *o, const diff_side *a, const diff_side *b,
                               int depth) {
    listing l, m;
    if (!list(o, a, depth == 0, &l)) return 2;
    if (!list(o, b, depth == 0, &m)) {
        list_free(&l);
        return 2;
    }
    int status = 0;
    for (size_t i = 0, j = 0; i < l.count || j < m.count;) {
        int order = i == l.count ? 1 : j == m.count ? -1 : pair_order(l.names[i], m.names[j]);
        const char *name0 = order <= 0 ? l.names[i++] : NULL,
                   *name1 = order >= 0 ? m.names[j++] : NULL;
        int one = compare_in(o, a, b, name0, name1, depth);
        if (one > status) status = one;
        pf_yield();
    }
    list_free(&l);
    list_free(&m);
    return status;
}

/* Pairs */

static int compare_links(const diff_side *a, const diff_side *b) {
    char *to0 = g_read_link(a->name), *to1 = g_read_link(b->name);
    int status = 0;
    if (!to0 || !to1) {
        g_warn_errno(errno, "%s", to0 ? b->name : a->name);
        status = 2;
    } else if (strcmp(to0, to1) != 0) {
        g_outf("Symbolic links %s and %s differ\n", a->name, b->name);
        status = 1;
    }
    free(to0);
    free(to1);
    return status;
}

static int compare_sides(const diff_options *o, diff_side *a, diff_side *b, int depth) {
    bool dir0 = !a->absent && S_ISDIR(a->st.st_mode), dir1 = !b->absent && S_ISDIR(b->st.st_mode);
    bool missing = a->absent || b->absent;
    if ((dir0 && dir1) || (missing && (dir0 || dir1) && o->recursive)) {
        if (depth > 0 && !o->recursive) {
            g_outf("Common subdirectories: %s and %s\n", a->name, b->name);
            return 0;
        }
        if (o->style == STYLE_FORMATS) g_die(2, "-D option not supported with directories");
        if (depth >= DEPTH_MAX) {
            g_warn("%s: directories are nested too deeply (more than %d)", a->name, DEPTH_MAX);
            return 2;
        }
        if (depth == 0 && (o->style == STYLE_NONE ||
                           (a->st.st_ino == b->st.st_ino && a->st.st_dev == b->st.st_dev)))
            return 0;
        return compare_directories(o, a, b, depth);
    }
    if (missing && (dir0 || dir1)) {
        const char *path = dir0 ? a->name : b->name, *last = g_last_part(path);
        char *dir = g_copy_bytes(path, (size_t)(last - path));
        g_strip_slashes(dir);
        only_in(dir, last);
        free(dir);
        return 1;
    }
    bool links = S_ISLNK(a->st.st_mode) && S_ISLNK(b->st.st_mode) && !missing;
    if (links) return compare_links(a, b);
    bool readable0 = a->absent || S_ISREG(a->st.st_mode),
         readable1 = b->absent || S_ISREG(b->st.st_mode);
    bool kinds = depth > 0 && !(readable0 && readable1) && !missing;
    if (dir0 || dir1 || kinds ||
        (o->no_dereference && !missing && S_ISLNK(a->st.st_mode) != S_ISLNK(b->st.st_mode))) {
        g_outf("File %s is a %s while file %s is a %s\n", o->labels[0] ? o->labels[0] : a->name,
               type_name(&a->st), o->labels[1] ? o->labels[1] : b->name, type_name(&b->st));
        return 1;
    }
    if (depth == 0) return diff_files(o, a, b, NULL);
    g_text heading = {0};
    g_text_adds(&heading, "diff");
    if (o->switches.len > 0) g_text_add(&heading, o->switches.s, o->switches.len);
    g_text_addc(&heading, ' ');
    diff_add_name(&heading, o->labels[0] ? o->labels[0] : a->name);
    g_text_addc(&heading, ' ');
    diff_add_name(&heading, o->labels[1] ? o->labels[1] : b->name);
    int status = diff_files(o, a, b, heading.s);
    g_text_free(&heading);
    return status;
}

static int compare_entries(const diff_options *o, const char *path0, const char *path1, int depth) {
    diff_side a = {0}, b = {0};
    int error0 = look_at(o, &a, path0), error1 = look_at(o, &b, path1);
    a.absent = error0 == ENOENT && !error1 && (o->new_file || o->new_second_only);
    b.absent = error1 == ENOENT && !error0 && o->new_file;
    if (error0 && !a.absent) g_warn_errno(error0, "%s", path0);
    if (error1 && !b.absent) g_warn_errno(error1, "%s", path1);
    if ((error0 && !a.absent) || (error1 && !b.absent)) return 2;
    return compare_sides(o, &a, &b, depth);
}

int diff_operands(const diff_options *o, const char *name0, const char *name1) {
    diff_side a = {0}, b = {0};
    int error0 = look_at(o, &a, name0), error1 = look_at(o, &b, name1);
    bool dir0 = !error0 && S_ISDIR(a.st.st_mode), dir1 = !error1 && S_ISDIR(b.st.st_mode);
    bool mixed = !error0 && !error1 && dir0 != dir1;
    if (!mixed) return compare_entries(o, name0, name1, 0);
    const char *file = dir0 ? name1 : name0;
    if (strcmp(file, "-") == 0) g_die(2, "cannot compare '-' to a directory");
    /* The file against the one of that name in the directory. */
    char *found = g_join(dir0 ? name0 : name1, g_last_part(file));
    return dir0 ? compare_entries(o, found, name1, 0) : compare_entries(o, name0, found, 0);
}
