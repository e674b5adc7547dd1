/*
 * tar_create.c: -c, -r and -u.
 */
#include "tar.h"
#include "g_file.h"
#include "g_in.h"
#include "g_mode.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Files with several links: the first name under which each was archived. */
typedef struct {
    uint64_t dev, ino;
    char *name;
} linked;

/* -u: what the archive has, and how new. */
typedef struct {
    char *name;
    int64_t mtime;
} archived;

static linked *links;
static size_t link_count, link_cap;
static archived *olds;
static size_t old_count, old_cap;
static struct stat archive_stat;
static bool archive_known;

static void remember(const tar_member *m) {
    if (old_count == old_cap) olds = g_more(olds, &old_cap, sizeof *olds);
    olds[old_count++] = (archived){g_copy_string(m->name), m->mtime};
}

static bool is_archived(const char *name, int64_t mtime) {
    for (size_t i = old_count; i-- > 0;)
        if (strcmp(olds[i].name, name) == 0) return olds[i].mtime >= mtime;
    return false;
}

static const char *first_link(const struct stat *st, const char *name) {
    for (size_t i = 0; i < link_count; i++)
        if (links[i].ino == (uint64_t)st->st_ino && links[i].dev == (uint64_t)st->st_dev)
            return links[i].name;
    if (link_count == link_cap) links = g_more(links, &link_cap, sizeof *links);
    links[link_count++] = (linked){(uint64_t)st->st_dev, (uint64_t)st->st_ino, g_copy_string(name)};
    return NULL;
}

static void set_owner(const tar_options *o, tar_member *m, const struct stat *st) {
    m->uid = o->owner_id >= 0 ? o->owner_id : (int64_t)st->st_uid;
    m->gid = o->group_id >= 0 ? o->group_id : (int64_t)st->st_gid;
    if (o->numeric_owner) return;
    struct passwd *user = o->owner && *o->owner ? NULL : getpwuid((uid_t)m->uid);
    struct group *group = o->group && *o->group ? NULL : getgrgid((gid_t)m->gid);
    snprintf(m->user, sizeof m->user, "%s",
             o->owner && *o->owner ? o->owner
             : user                ? user->pw_name
                                   : "");
    snprintf(m->group, sizeof m->group, "%s",
             o->group && *o->group ? o->group
             : group               ? group->gr_name
                                   : "");
}

static void put_contents(tar_archive *a, tar_options *o, int fd, const char *path, int64_t size) {
    static char block[65536];
    int64_t left = size;
    while (left > 0) {
        ssize_t n = g_read(fd, block, left < (int64_t)sizeof block ? (size_t)left : sizeof block);
        if (n < 0) {
            tar_error(o, errno, "%s: Read error at byte %lld, while reading %lld bytes", path,
                      (long long)(size - left), (long long)left);
            n = 0;
        }
        if (n == 0) {
            if (left > 0) {
                g_warn("%s: File shrank by %lld bytes; padding with zeros", path, (long long)left);
                o->failed = true;
            }
            memset(block, 0, sizeof block);
            for (size_t m; left > 0; left -= (int64_t)m)
                tar_write(a, block, m = left < (int64_t)sizeof block ? (size_t)left : sizeof block);
            break;
        }
        tar_write(a, block, (size_t)n);
        left -= n;
    }
    tar_pad(a);
}

static char type_of(const struct stat *st) {
    switch (st->st_mode & S_IFMT) {
    case S_IFREG: return '0';
    case S_IFDIR: return '5';
    case S_IFLNK: return '2';
    case S_IFCHR: return '3';
    case S_IFBLK: return '4';
    case S_IFIFO: return '6';
    }
    return 0;
}

/* One file, directory or whatever it is; what is below a directory comes by itself, unless this is
 * false: the name does not fit. */
static bool put_member(tar_archive *a, tar_options *o, const char *path, const struct stat *st) {
    tar_member m = {.type = type_of(st)};
    if (!m.type) {
        g_warn("%s: socket ignored", path);
        return true;
    }
    if (archive_known && st->st_ino == archive_stat.st_ino && st->st_dev == archive_stat.st_dev) {
        g_warn("%s: file is the archive; not dumped", path);
        return true;
    }
    size_t len = strlen(path);
    char *full = g_alloc(len + 2);
    sprintf(full, "%s%s", path, m.type == '5' && len > 0 && path[len - 1] != '/' ? "/" : "");
    char *changed = tar_transformed(o, full, 'n');
    const char *name = tar_safe_name(o, changed, false);
    if (m.type == '5' && name[strlen(name) - 1] != '/') name = "./";
    m.mode = st->st_mode & 07777;
    if (o->mode) m.mode = g_mode_apply(o->mode, m.mode, m.type == '5', 0);
    set_owner(o, &m, st);
    m.mtime = (int64_t)st->st_mtim.tv_sec;
    m.mtime_ns = (int)st->st_mtim.tv_nsec;
    if (o->mtime_given && !(o->clamp && m.mtime <= o->mtime)) {
        m.mtime = o->mtime;
        m.mtime_ns = 0;
    }
    int fd = -1;
    bool fits = true;
    bool skip = o->action == 'u' && is_archived(name, m.mtime);
    m.name = (char *)name;
    if (m.type == '2')
        m.link = g_read_link(path);
    else if (m.type != '5' && st->st_nlink > 1) {
        const char *first = first_link(st, name);
        if (first) {
            m.type = '1';
            m.link = g_copy_string(first);
        }
    }
    if (m.type == '2' && m.link) {
        char *to = tar_transformed(o, m.link, 's');
        free(m.link);
        m.link = to;
    }
    if (m.type == '0') {
        m.size = (int64_t)st->st_size;
        if (!skip && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
            if (o->ignore_failed)
                g_warn("%s: Warning: Cannot open: %s", path, strerror(errno));
            else
                tar_error(o, errno, "%s: Cannot open", path);
            skip = true;
        }
    }
    if (m.type == '3' || m.type == '4') {
        m.major = (unsigned)major(st->st_rdev);
        m.minor = (unsigned)minor(st->st_rdev);
    }
    if (!skip && !tar_fits(o, &m)) {
        tar_error(o, 0, "%s: file name is too long (cannot be split); not dumped", name);
        skip = true;
        fits = false;
    }
    if (!skip) {
        if (o->verbose) tar_list_member(o, &m, o->show_transformed ? name : full);
        tar_put_header(a, &m);
        if (fd >= 0) put_contents(a, o, fd, path, m.size);
    }
    if (fd >= 0) close(fd);
    if (!skip && o->remove_files && m.type != '5' && unlink(path) < 0)
        tar_error(o, errno, "%s: Cannot unlink", path);
    free(m.link);
    free(changed);
    free(full);
    return fits;
}

static void put_tree(tar_archive *a, tar_options *o, const char *root) {
    unsigned flags = (o->dereference ? G_WALK_FOLLOW : 0) | (o->sort ? G_WALK_SORTED : 0) |
                     (o->one_file_system ? G_WALK_SAME_DEVICE : 0);
    g_walk *walk = g_walk_start(root, flags);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        switch (e->kind) {
        case G_WALK_FILE:
        case G_WALK_DIR: {
            if (tar_excluded(o, e->path)) {
                if (e->kind == G_WALK_DIR) g_walk_skip(walk);
                break;
            }
            bool inside = put_member(a, o, e->path, &e->st) && !o->no_recursion;
            if (e->kind == G_WALK_DIR && !inside) g_walk_skip(walk);
            break;
        }
        case G_WALK_DIR_END:
            if (o->remove_files && rmdir(e->path) < 0)
                tar_error(o, errno, "%s: Cannot rmdir", e->path);
            break;
        case G_WALK_DIR_ERROR: tar_error(o, e->error, "%s: Cannot open", e->path); break;
        case G_WALK_STAT_ERROR: {
            char *name = g_copy_string(e->path);
            g_strip_slashes(name);
            tar_error(o, e->error, "%s: Cannot stat", name);
            free(name);
            break;
        }
        case G_WALK_CYCLE: g_warn("%s: File removed before we read it", e->path); break;
        }
    }
    g_walk_end(walk);
}

void tar_create(tar_options *o) {
    tar_archive a;
    if (o->action == 'c')
        tar_open_write(&a, o);
    else
        tar_open_append(&a, o, remember);
    archive_known = fstat(a.fd, &archive_stat) == 0 && S_ISREG(archive_stat.st_mode);
    /* Names of members go to standard error when the archive goes to standard output. */
    if (strcmp(o->archive, "-") == 0) {
        g_out_flush();
        g_stdout.fd = STDERR_FILENO;
    }
    for (size_t i = 0; i < o->operand_count; i++) {
        const tar_operand *operand = &o->operands[i];
        if (operand->directory && chdir(operand->directory) < 0) {
            g_warn("%s: Cannot open: %s", operand->directory, strerror(errno));
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
        if (operand->name) put_tree(&a, o, operand->name);
    }
    tar_close(&a);
}
