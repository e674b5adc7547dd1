/*
 * copy_tree.c: copying files and whole directories; cp, install and mv between file systems use it.
 *
 * A tree is walked once; each entry's destination is the destination root plus the rest of its
 * path. Directories get their final mode and times when the walk leaves them.
 */
#include "copy_tree.h"
#include "g_file.h"
#include "g_mode.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    dev_t dev;
    ino_t ino;
    char *path; /* where it went; NULL: only made by this command */
} remembered;

struct copy_memory {
    remembered *slots; /* open addressing; a power of two */
    size_t count, size;
};

copy_memory *copy_memory_new(void) { return g_zalloc(sizeof(copy_memory)); }

void copy_memory_free(copy_memory *m) {
    for (size_t i = 0; i < m->size; i++) free(m->slots[i].path);
    free(m->slots);
    free(m);
}

static remembered *slot_of(copy_memory *m, dev_t dev, ino_t ino) {
    size_t i = ((size_t)ino * 2654435761u + (size_t)dev) & (m->size - 1);
    while (m->slots[i].path && (m->slots[i].ino != ino || m->slots[i].dev != dev))
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

static const char *recall(copy_memory *m, const struct stat *st) {
    return m->size ? slot_of(m, st->st_dev, st->st_ino)->path : NULL;
}

static void remember(copy_memory *m, const struct stat *st, const char *path) {
    if (m->count * 2 >= m->size) {
        copy_memory bigger = {.size = m->size ? m->size * 2 : 64};
        bigger.slots = g_zalloc(bigger.size * sizeof *bigger.slots);
        for (size_t i = 0; i < m->size; i++) {
            if (m->slots[i].path)
                *slot_of(&bigger, m->slots[i].dev, m->slots[i].ino) = m->slots[i];
        }
        free(m->slots);
        m->slots = bigger.slots;
        m->size = bigger.size;
    }
    remembered *r = slot_of(m, st->st_dev, st->st_ino);
    if (r->path) return;
    *r = (remembered){st->st_dev, st->st_ino, g_copy_string(path)};
    m->count++;
}

static bool same(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

bool copy_may_overwrite(const copy_options *o, const char *to, const struct stat *there) {
    g_out_flush();
    if (o->moving ? access(to, W_OK) < 0 && !S_ISLNK(there->st_mode) : access(to, W_OK) < 0) {
        char text[11];
        g_mode_string(there->st_mode, text);
        fprintf(stderr, o->moving || o->force ? "%s: replace %s, overriding mode %04lo (%s)? "
                                              : "%s: unwritable %s (mode %04lo, %s); try anyway? ",
                g_name(), g_quoteaf(to), (unsigned long)(there->st_mode & 07777), text + 1);
    } else {
        fprintf(stderr, "%s: overwrite %s? ", g_name(), g_quoteaf(to));
    }
    return g_yes();
}

static void show(const copy_options *o, const char *from, const char *to, const char *kept) {
    if (!o->verbose) return;
    g_outf("%s -> %s", g_quoteaf(from), g_quoteaf(to));
    if (kept) g_outf(" (backup: %s)", g_quoteaf(kept));
    g_outc('\n');
}

/* Mode, owner and times of what was copied. `fd` -1: by path. */
static int keep_attributes(const copy_options *o, int fd, const char *to, const struct stat *st) {
    int status = 0;
    bool link = S_ISLNK(st->st_mode);
    if (o->keep_times) {
        struct timespec times[2] = {st->st_atim, st->st_mtim};
        int failed = fd >= 0 ? futimens(fd, times)
                             : utimensat(AT_FDCWD, to, times, link ? AT_SYMLINK_NOFOLLOW : 0);
        if (failed < 0) {
            g_warn_errno(errno, "preserving times for %s", g_quoteaf(to));
            status = 1;
        }
    }
    mode_t mode = st->st_mode & 07777;
    if (o->keep_owner) {
        int failed = link ? lchown(to, st->st_uid, st->st_gid) : chown(to, st->st_uid, st->st_gid);
        if (failed < 0) mode &= 01777; /* set-id bits of somebody else's file are not kept */
        if (failed < 0 && errno != EPERM && errno != EINVAL && errno != ENOSYS) {
            g_warn_errno(errno, "failed to preserve ownership for %s", g_quoteaf(to));
            status = 1;
        }
    }
    if (o->keep_mode && !link && (fd >= 0 ? fchmod(fd, mode) : chmod(to, mode)) < 0) {
        g_warn_errno(errno, "preserving permissions for %s", g_quoteaf(to));
        status = 1;
    }
    return status;
}

static int copy_regular(const copy_options *o, const char *from, const char *to,
                        const struct stat *st, const struct stat *there) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(from));
        return 1;
    }
    int out = -1, status = 0;
    bool made = !there;
    if (there) {
        out = open(to, O_WRONLY | O_CLOEXEC | (o->attributes_only ? 0 : O_TRUNC));
        if (out < 0 && o->force) {
            if (unlink(to) < 0 && errno != ENOENT) {
                g_warn_errno(errno, "cannot remove %s", g_quoteaf(to));
                close(in);
                return 1;
            }
            if (o->verbose) g_outf("removed %s\n", g_quoteaf(to));
            made = true;
        }
    }
    if (out < 0 && (!there || made)) {
        mode_t mode = o->no_mode ? 0666 : st->st_mode & 0777;
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                   mode & ~(mode_t)(o->keep_owner ? 077 : 0));
    }
    if (out < 0) {
        int error = errno;
        struct stat link;
        bool dangling = made && error == EEXIST && lstat(to, &link) == 0 && S_ISLNK(link.st_mode);
        if (dangling) {
            g_warn("not writing through dangling symlink %s", g_quoteaf(to));
        } else {
            size_t len = strlen(to);
            if (made && error == EISDIR && len && to[len - 1] == '/') error = ENOTDIR;
            g_warn_errno(error, "cannot create regular file %s", g_quoteaf(to));
        }
        close(in);
        return 1;
    }
    if (!o->attributes_only) {
        bool reading = false;
        int error = g_copy_data(in, out, &reading);
        if (error) {
            g_warn_errno(error, reading ? "error reading %s" : "error writing %s",
                         g_quoteaf(reading ? from : to));
            status = 1;
        }
    }
    status |= keep_attributes(o, out, to, st);
    if (made && o->keep_owner && !o->keep_mode)
        fchmod(out, st->st_mode & 0777 & ~o->mask);
    close(in);
    if (close(out) < 0) {
        g_warn_errno(errno, "failed to close %s", g_quoteaf(to));
        status = 1;
    }
    return status;
}

static int copy_link(const char *from, const char *to) {
    char *target = g_read_link(from);
    if (!target) {
        g_warn_errno(errno, "cannot read symbolic link %s", g_quoteaf(from));
        return 1;
    }
    int failed = symlink(target, to), error = errno;
    free(target);
    if (failed < 0) g_warn_errno(error, "cannot create symbolic link %s", g_quoteaf(to));
    return failed < 0;
}

static bool newer_or_same(const struct stat *there, const struct stat *st) {
    if (there->st_mtim.tv_sec != st->st_mtim.tv_sec)
        return there->st_mtim.tv_sec > st->st_mtim.tv_sec;
    return there->st_mtim.tv_nsec >= st->st_mtim.tv_nsec;
}

enum way { WAY_CLEAR, WAY_SKIP, WAY_FAILED };

/* Whether the source is still there when what is at `to` was renamed. */
static bool backup_keeps(const copy_options *o, const char *from, const char *to,
                         const struct stat *there) {
    struct stat source;
    if (lstat(from, &source) < 0) return false;
    if (same(&source, there)) return !g_same_entry(from, to);
    return o->links == COPY_NO_FOLLOW || !S_ISLNK(source.st_mode) || S_ISLNK(there->st_mode);
}

/*
 * Decides what happens with what is already at `to` and removes it if it must go. *there is then
 * NULL when nothing is left. *kept gets the name of a backup.
 */
static enum way clear_way(const copy_options *o, copy_memory *memory, const char *from,
                          const char *to, const struct stat *st, struct stat **there,
                          char **kept) {
    struct stat *t = *there, link;
    bool is_link = lstat(to, &link) == 0 && S_ISLNK(link.st_mode);
    bool replaces = o->hard_link || o->symbolic_link || !S_ISREG(st->st_mode);
    if (same(t, st) && !(o->backup.mode && backup_keeps(o, from, to, is_link ? &link : t))) {
        if (o->hard_link) return WAY_SKIP;
        bool harmless = S_ISLNK(st->st_mode) && is_link && !same(&link, st);
        if (!harmless && !(is_link && o->remove_first) && !(o->symbolic_link && o->force && is_link)) {
            g_warn("%s and %s are the same file", g_quoteaf(from), g_quoteaf(to));
            return WAY_FAILED;
        }
    }
    if (S_ISDIR(t->st_mode) && !(is_link && replaces)) {
        g_warn("cannot overwrite directory %s with non-directory", g_quoteaf(to));
        return WAY_FAILED;
    }
    if (o->update && newer_or_same(t, st)) return WAY_SKIP;
    if (o->overwrite == COPY_NEVER) return WAY_SKIP;
    if (o->overwrite == COPY_ASK && !copy_may_overwrite(o, to, t)) return WAY_SKIP;
    const char *before = recall(memory, t);
    if (before && strcmp(before, to) == 0 && !o->backup.mode) {
        g_warn("will not overwrite just-created %s with %s", g_quoteaf(to), g_quoteaf(from));
        return WAY_FAILED;
    }
    if (o->backup.mode) {
        *kept = backup_file(&o->backup, to);
        *there = NULL;
        return WAY_CLEAR;
    }
    bool remove = o->remove_first || !S_ISREG(t->st_mode);
    if ((o->hard_link || o->symbolic_link) && (o->force || o->overwrite == COPY_ASK)) remove = true;
    if (!o->hard_link && !o->symbolic_link && !S_ISREG(st->st_mode)) remove = true;
    if (S_ISREG(st->st_mode) && !replaces && !o->remove_first && !S_ISLNK(t->st_mode) &&
        !S_ISREG(t->st_mode)) {
        remove = false; /* a device or FIFO is written to */
    }
    if (remove) {
        if (unlink(to) < 0 && errno != ENOENT) {
            g_warn_errno(errno, "cannot remove %s", g_quoteaf(to));
            return WAY_FAILED;
        }
        if (o->verbose && o->remove_first) g_outf("removed %s\n", g_quoteaf(to));
        *there = NULL;
    }
    return WAY_CLEAR;
}

static int copy_file(const copy_options *o, copy_memory *memory, const char *from, const char *to,
                     const struct stat *st) {
    struct stat existing, *there = &existing;
    bool new_link = o->hard_link || o->symbolic_link || S_ISLNK(st->st_mode);
    if ((new_link ? lstat : stat)(to, &existing) < 0) {
        there = NULL;
        if (errno == ENOTDIR) {
            g_warn_errno(errno, "cannot stat %s", g_quoteaf(to));
            return 1;
        }
        if (o->remove_first && lstat(to, &existing) == 0) there = &existing;
    }
    char *kept = NULL;
    if (there) {
        enum way way = clear_way(o, memory, from, to, st, &there, &kept);
        if (way != WAY_CLEAR) return way == WAY_SKIP ? 0 : 1;
    }
    int status = 0;
    const char *twin = o->keep_links && st->st_nlink > 1 ? recall(memory, st) : NULL;
    show(o, from, to, kept);
    free(kept);
    if (twin || o->hard_link) {
        const char *target = twin ? twin : from;
        int follow = !twin && o->links == COPY_FOLLOW_ALL ? AT_SYMLINK_FOLLOW : 0;
        if (linkat(AT_FDCWD, target, AT_FDCWD, to, follow) < 0) {
            g_warn_errno(errno, "cannot create hard link %s to %s", g_quoteaf(to),
                         g_quoteaf(target));
            return 1;
        }
        return 0;
    }
    if (o->symbolic_link) {
        if (*from != '/' && strchr(to, '/') && strncmp(to, "./", 2) != 0) {
            g_warn("%s: can make relative symbolic links only in current directory", g_quotef(to));
            return 1;
        }
        if (symlink(from, to) < 0) {
            g_warn_errno(errno, "cannot create symbolic link %s to %s", g_quoteaf(to),
                         g_quoteaf(from));
            return 1;
        }
        return 0;
    }
    if (S_ISLNK(st->st_mode)) {
        status = copy_link(from, to);
        if (!status) keep_attributes(o, -1, to, st);
    } else if (S_ISREG(st->st_mode) || o->content_special || !o->recursive) {
        status = copy_regular(o, from, to, st, there);
    } else if (S_ISFIFO(st->st_mode)) {
        status = mkfifo(to, st->st_mode & 0777) < 0;
        if (status) g_warn_errno(errno, "cannot create fifo %s", g_quoteaf(to));
        else status = keep_attributes(o, -1, to, st);
    } else {
        status = mknod(to, st->st_mode, st->st_rdev) < 0;
        if (status) g_warn_errno(errno, "cannot create special file %s", g_quoteaf(to));
    }
    if (status) return 1;
    if (o->keep_links && st->st_nlink > 1) remember(memory, st, to);
    struct stat made;
    if (lstat(to, &made) == 0) remember(memory, &made, to);
    return 0;
}

static int begin_directory(const copy_options *o, copy_memory *memory, const char *from,
                           const char *to, const struct stat *st, bool *made) {
    struct stat there;
    *made = false;
    bool exists = lstat(to, &there) == 0;
    /* A link to a directory at the top of the copy stands for that directory. */
    if (exists && S_ISLNK(there.st_mode)) {
        struct stat behind;
        if (stat(to, &behind) == 0 && S_ISDIR(behind.st_mode)) there = behind;
    }
    if (exists && !S_ISDIR(there.st_mode)) {
        g_warn("cannot overwrite non-directory %s with directory %s", g_quoteaf(to),
               g_quoteaf(from));
        return 1;
    }
    if (exists) return 0;
    mode_t mode = (o->no_mode ? 0777 : st->st_mode & 0777) | 0700;
    if (mkdir(to, mode) < 0) {
        g_warn_errno(errno, "cannot create directory %s", g_quoteaf(to));
        return 1;
    }
    *made = true;
    show(o, from, to, NULL);
    if (stat(to, &there) == 0) remember(memory, &there, to);
    return 0;
}

static int end_directory(const copy_options *o, const char *to, const struct stat *st, bool made) {
    int status = keep_attributes(o, -1, to, st);
    if (made && !o->keep_mode && !o->no_mode && (st->st_mode & 0700) != 0700)
        chmod(to, st->st_mode & 0777 & ~o->mask);
    return status;
}

/* Whether the destination lies in the directory to be copied: it would grow for ever. */
static bool inside_itself(const char *from, const char *to) {
    char *a = g_canonicalize(from, G_ANY_MISSING, false);
    char *b = g_canonicalize(to, G_ANY_MISSING, false);
    size_t len = a ? strlen(a) : 0;
    bool inside = a && b && strncmp(a, b, len) == 0 && (b[len] == '/' || b[len] == '\0') &&
                  strcmp(a, "/") != 0;
    free(a);
    free(b);
    return inside;
}

int copy_path(const copy_options *o, copy_memory *memory, const char *from, const char *to) {
    unsigned flags = o->same_device ? G_WALK_SAME_DEVICE : 0;
    if (o->links == COPY_FOLLOW_ALL) flags |= G_WALK_FOLLOW;
    if (o->links == COPY_FOLLOW_OPERANDS) flags |= G_WALK_FOLLOW_ROOT;
    struct stat first;
    if ((o->links == COPY_NO_FOLLOW ? lstat : stat)(from, &first) < 0) {
        g_warn_errno(errno, "cannot stat %s", g_quoteaf(from));
        return 1;
    }
    if (S_ISDIR(first.st_mode) && !o->recursive) {
        g_warn("-r not specified; omitting directory %s", g_quoteaf(from));
        return 1;
    }
    bool loops = S_ISDIR(first.st_mode) && inside_itself(from, to);
    struct stat itself;
    if (loops && stat(to, &itself) == 0 && same(&itself, &first)) {
        g_warn("%s and %s are the same file", g_quoteaf(from), g_quoteaf(to));
        return 1;
    }
    int status = 0;
    size_t from_len = strlen(from);
    g_text path = {0};
    bool *made = NULL; /* per depth: whether that directory was made here */
    size_t made_cap = 0;
    g_walk *walk = g_walk_start(from, flags);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        path.len = 0;
        g_text_adds(&path, to);
        if (e->depth > 0) {
            if (path.s[path.len - 1] != '/') g_text_addc(&path, '/');
            const char *rest = e->path + from_len;
            g_text_adds(&path, rest + strspn(rest, "/"));
        }
        if (e->depth >= (int)made_cap) made = g_more(made, &made_cap, sizeof *made);
        switch (e->kind) {
        case G_WALK_DIR: {
            struct stat copy;
            if (loops && e->depth > 0 && stat(to, &copy) == 0 && same(&copy, &e->st)) {
                g_walk_skip(walk);
                break;
            }
            if (begin_directory(o, memory, e->path, path.s, &e->st, &made[e->depth])) {
                status = 1;
                g_walk_skip(walk);
            } else if (loops && e->depth == 0) {
                g_warn("cannot copy a directory, %s, into itself, %s", g_quoteaf(from),
                       g_quoteaf(to));
                status = 1;
            }
            break;
        }
        case G_WALK_DIR_END: status |= end_directory(o, path.s, &e->st, made[e->depth]); break;
        case G_WALK_FILE: status |= copy_file(o, memory, e->path, path.s, &e->st); break;
        case G_WALK_CYCLE:
            g_warn("cannot copy cyclic symbolic link %s", g_quoteaf(e->path));
            status = 1;
            break;
        case G_WALK_DIR_ERROR:
            g_warn_errno(e->error, "cannot access %s", g_quoteaf(e->path));
            status = 1;
            break;
        case G_WALK_STAT_ERROR:
            g_warn_errno(e->error, "cannot stat %s", g_quoteaf(e->path));
            status = 1;
            break;
        }
    }
    g_walk_end(walk);
    g_text_free(&path);
    free(made);
    return status;
}
