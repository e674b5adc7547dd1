/*
 * cpio_make.c: makes the files that cpio extracts or copies.
 */
#include "cpio.h"
#include "g_file.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct {
    char *name;
    uint32_t mtime, mode;
} made_directory;

static made_directory *directories;
static size_t directory_count, directory_cap;

typedef struct {
    uint64_t ino;
    uint32_t dev_major, dev_minor;
    char *name;
} link_name;

static link_name *links;
static size_t link_count, link_cap;

const char *cpio_known_link(const cpio_member *m, const char *name) {
    for (size_t i = 0; i < link_count; i++)
        if (links[i].ino == m->ino && links[i].dev_major == m->dev_major &&
            links[i].dev_minor == m->dev_minor)
            return links[i].name;
    if (link_count == link_cap) links = g_more(links, &link_cap, sizeof *links);
    links[link_count++] = (link_name){m->ino, m->dev_major, m->dev_minor, g_copy_string(name)};
    return NULL;
}

bool cpio_clear_way(cpio_options *o, const cpio_member *m, const char *name) {
    struct stat st;
    if (lstat(name, &st) < 0) return true;
    if (S_ISDIR(st.st_mode) && S_ISDIR(m->mode)) return true;
    if (!o->unconditional && m->mtime <= (uint32_t)st.st_mtime) {
        g_warn("%s not created: newer or same age version exists", g_quotef(name));
        return false;
    }
    if (S_ISDIR(st.st_mode) ? rmdir(name) == 0 : unlink(name) == 0) return true;
    g_warn_errno(errno, "cannot remove current %s", g_quotef(name));
    return false;
}

/* Whether it is worth another try: the directories in front of the name were made. */
static bool parents(const cpio_options *o, const char *name, int error) {
    if (error != ENOENT || !o->make_directories) return false;
    g_make_parents(name);
    return true;
}

static void make_directory(cpio_options *o, const cpio_member *m, const char *name) {
    struct stat st;
    bool made = mkdir(name, 0700) == 0;
    if (!made && parents(o, name, errno)) made = mkdir(name, 0700) == 0;
    if (!made && (errno != EEXIST || stat(name, &st) < 0 || !S_ISDIR(st.st_mode))) {
        cpio_error(o, errno, "%s: Cannot mkdir", g_quotef(name));
        return;
    }
    if (!o->no_owner && chown(name, m->uid, m->gid) < 0)
        cpio_error(o, errno, "%s: Cannot change ownership to uid %u, gid %u", g_quotef(name),
                   m->uid, m->gid);
    chmod(name, (m->mode & 07777) | 0700);
    if (directory_count == directory_cap)
        directories = g_more(directories, &directory_cap, sizeof *directories);
    directories[directory_count++] =
        (made_directory){.name = g_copy_string(name), .mtime = m->mtime, .mode = m->mode};
}

static void set_time(const char *name, uint32_t mtime, int flags) {
    struct timespec times[2] = {{.tv_sec = (time_t)mtime}, {.tv_sec = (time_t)mtime}};
    utimensat(AT_FDCWD, name, times, flags);
}

void cpio_finish_directories(cpio_options *o) {
    while (directory_count-- > 0) {
        made_directory *d = &directories[directory_count];
        chmod(d->name, d->mode & 07777);
        if (o->keep_time) set_time(d->name, d->mtime, 0);
        free(d->name);
    }
    free(directories);
    for (size_t i = 0; i < link_count; i++) free(links[i].name);
    free(links);
}

void cpio_make_special(cpio_options *o, const cpio_member *m, const char *name) {
    if (!cpio_clear_way(o, m, name)) return;
    if (S_ISDIR(m->mode)) {
        make_directory(o, m, name);
        return;
    }
    dev_t device = makedev(m->rdev_major, m->rdev_minor);
    bool fifo = S_ISFIFO(m->mode) || S_ISSOCK(m->mode);
    int made = fifo ? mkfifo(name, m->mode & 0777) : mknod(name, m->mode, device);
    if (made < 0 && parents(o, name, errno))
        made = fifo ? mkfifo(name, m->mode & 0777) : mknod(name, m->mode, device);
    if (made < 0)
        cpio_error(o, errno, "%s: Cannot mknod", g_quotef(name));
    else
        cpio_finish(o, m, name, -1);
}

void cpio_make_symlink(cpio_options *o, const cpio_member *m, const char *name,
                       const char *target) {
    if (!cpio_clear_way(o, m, name)) return;
    int made = symlink(target, name);
    if (made < 0 && parents(o, name, errno)) made = symlink(target, name);
    if (made < 0) {
        cpio_error(o, errno, "%s: Cannot create symlink to %s", g_quotef(target), g_quote(name));
        return;
    }
    if (!o->no_owner && lchown(name, m->uid, m->gid) < 0)
        cpio_error(o, errno, "%s: Cannot change ownership to uid %u, gid %u", g_quotef(name),
                   m->uid, m->gid);
    if (o->keep_time) set_time(name, m->mtime, AT_SYMLINK_NOFOLLOW);
}

int cpio_make_file(cpio_options *o, const char *name) {
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = open(name, flags, 0600);
    if (fd < 0 && parents(o, name, errno)) fd = open(name, flags, 0600);
    if (fd < 0) cpio_error(o, errno, "%s: Cannot open", g_quotef(name));
    return fd;
}

void cpio_finish(cpio_options *o, const cpio_member *m, const char *name, int fd) {
    if (!o->no_owner && chown(name, m->uid, m->gid) < 0)
        cpio_error(o, errno, "%s: Cannot change ownership to uid %u, gid %u", g_quotef(name),
                   m->uid, m->gid);
    chmod(name, m->mode & 07777);
    if (fd >= 0 && close(fd) < 0) cpio_error(o, errno, "%s: Cannot close", g_quotef(name));
    if (o->keep_time) set_time(name, m->mtime, 0);
}

bool cpio_make_link(cpio_options *o, const char *target, const char *name) {
    int made = link(target, name);
    if (made < 0 && parents(o, name, errno)) made = link(target, name);
    if (made == 0 && o->verbose) g_warn("%s linked to %s", target, name);
    return made == 0;
}
