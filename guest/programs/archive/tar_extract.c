/*
 * tar_extract.c: -x.
 *
 * Nothing is written outside of the directory: names lose what leads out, and a link that does is
 * made only at the end, so that no later member goes through it. Directories get their modes and
 * times at the end, too.
 */
#include "tar.h"
#include "g_file.h"
#include "g_out.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char *name, *link; /* link: of a symbolic link to be made */
    mode_t mode;
    struct timespec mtime;
    uint64_t dev, ino; /* of what holds a link's place */
} later;

static later *directories, *pending;
static size_t directory_count, directory_cap, pending_count, pending_cap;
static mode_t mask;

static mode_t mode_of(const tar_options *o, const tar_member *m) {
    return o->same_permissions ? m->mode : m->mode & 0777 & ~mask;
}

static struct timespec time_of(const tar_member *m) {
    return (struct timespec){.tv_sec = m->mtime, .tv_nsec = m->mtime_ns};
}

static void set_time(const tar_options *o, const char *name, struct timespec mtime, int flags) {
    if (o->no_mtime) return;
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, mtime};
    utimensat(AT_FDCWD, name, times, flags);
}

/* What stands in the way of a new file: true when it may be made. */
static bool clear_way(tar_options *o, const tar_member *m, const char *name, bool directory) {
    struct stat st;
    if (lstat(name, &st) < 0) return true;
    if (o->skip_old) return false;
    if (o->keep_old) {
        tar_error(o, EEXIST,
                  m->type == '2' || m->type == '1' ? "%s: Cannot create link" : "%s: Cannot open",
                  name);
        return false;
    }
    if (o->keep_newer && (int64_t)st.st_mtim.tv_sec >= m->mtime) {
        g_warn("Current %s%s%s is newer or same age", "‘", name, "’");
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        if (directory) return true;
        if (rmdir(name) == 0) return true;
        tar_error(o, errno == ENOTEMPTY ? EEXIST : errno,
                  m->type == '0' ? "%s: Cannot open" : "%s: Cannot create", name);
        return false;
    }
    if (o->overwrite && S_ISREG(st.st_mode) && m->type == '0') return true;
    unlink(name);
    return true;
}

/* Copies a file's contents from the archive; fd -1: passes over them. */
static bool copy(tar_archive *a, int fd, int64_t size) {
    unsigned char block[TAR_BLOCK];
    g_sink sink = {.fd = fd};
    for (int64_t left = size; left > 0; left -= TAR_BLOCK) {
        if (!tar_read_block(a, block)) {
            if (fd >= 0) g_sink_flush(&sink);
            g_warn("Unexpected EOF in archive");
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
        if (fd >= 0) g_sink_put(&sink, block, left < TAR_BLOCK ? (size_t)left : TAR_BLOCK);
        if (sink.error && fd >= 0) {
            tar_skip(a, left - TAR_BLOCK);
            break;
        }
    }
    int error = fd >= 0 ? g_sink_flush(&sink) : 0;
    g_sink_free(&sink);
    errno = error;
    return error == 0;
}

static void extract_file(tar_archive *a, tar_options *o, const tar_member *m, const char *name) {
    int fd = -1;
    if (clear_way(o, m, name, false)) {
        int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (o->overwrite ? O_TRUNC : O_EXCL);
        fd = open(name, flags, 0600);
        if (fd < 0 && errno == ENOENT) {
            g_make_parents(name);
            fd = open(name, flags, 0600);
        }
        if (fd < 0) tar_error(o, errno, "%s: Cannot open", name);
    }
    bool ok = copy(a, fd, m->size);
    if (!ok) tar_error(o, errno, "%s: Cannot write", name);
    if (fd < 0) return;
    fchmod(fd, mode_of(o, m));
    close(fd);
    set_time(o, name, time_of(m), 0);
}

static void remember(later **list, size_t *count, size_t *cap, const char *name,
                     const tar_member *m, mode_t mode) {
    if (*count == *cap) *list = g_more(*list, cap, sizeof **list);
    (*list)[(*count)++] = (later){.name = g_copy_string(name),
                                  .link = m->type == '2' ? g_copy_string(m->link) : NULL,
                                  .mode = mode,
                                  .mtime = time_of(m)};
}

static void extract_directory(tar_options *o, const tar_member *m, const char *name) {
    struct stat st;
    char *path = g_copy_string(name);
    g_strip_slashes(path);
    bool made = mkdir(path, 0700) == 0;
    if (!made && errno == ENOENT) {
        g_make_parents(path);
        made = mkdir(path, 0700) == 0;
    }
    if (!made && errno == EEXIST) {
        if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode) &&
            !(S_ISLNK(st.st_mode) && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
            if (clear_way(o, m, path, true)) made = mkdir(path, 0700) == 0;
            if (!made && !o->keep_old && !o->skip_old)
                tar_error(o, errno, "%s: Cannot mkdir", path);
        } else {
            made = !o->keep_old && !o->skip_old;
        }
    } else if (!made) {
        tar_error(o, errno, "%s: Cannot mkdir", path);
    }
    if (made) {
        chmod(path, mode_of(o, m) | 0700);
        remember(&directories, &directory_count, &directory_cap, path, m, mode_of(o, m));
    }
    free(path);
}

/* Whether a symbolic link could lead out of the directory. */
static bool leads_out(const char *link) {
    return *link == '/' || g_path_climbs(link);
}

static void extract_symlink(tar_options *o, const tar_member *m, const char *name) {
    if (!clear_way(o, m, name, false)) return;
    g_make_parents(name);
    if (!o->absolute_names && leads_out(m->link)) {
        struct stat st;
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
        if (fd >= 0 && fstat(fd, &st) == 0) {
            remember(&pending, &pending_count, &pending_cap, name, m, 0);
            pending[pending_count - 1].dev = (uint64_t)st.st_dev;
            pending[pending_count - 1].ino = (uint64_t)st.st_ino;
            close(fd);
            return;
        }
    }
    if (symlink(m->link, name) < 0)
        tar_error(o, errno, "%s: Cannot create symlink to %s%s%s", name, "‘", m->link, "’");
    else
        set_time(o, name, time_of(m), AT_SYMLINK_NOFOLLOW);
}

static void extract_link(tar_options *o, const tar_member *m, const char *name) {
    char *changed = tar_transformed(o, m->link, 'h');
    const char *target = tar_stripped(o, changed);
    if (target && clear_way(o, m, name, false)) {
        g_make_parents(name);
        for (size_t i = 0; i < pending_count; i++) /* a link to a link that is still to be made */
            if (strcmp(pending[i].name, target) == 0) {
                tar_member as = *m;
                as.type = '2';
                as.link = pending[i].link;
                extract_symlink(o, &as, name);
                free(changed);
                return;
            }
        if (link(target, name) < 0)
            tar_error(o, errno, "%s: Cannot hard link to %s%s%s", name, "‘", target, "’");
    }
    free(changed);
}

static void extract_member(tar_archive *a, tar_options *o, const tar_member *m, const char *name) {
    if (m->type != '0' && m->type != 'S') tar_skip(a, m->size);
    switch (m->type) {
    case '0': extract_file(a, o, m, name); break;
    case '1': extract_link(o, m, name); break;
    case '2': extract_symlink(o, m, name); break;
    case '5':
    case 'D': extract_directory(o, m, name); break;
    case '6':
        if (!clear_way(o, m, name, false)) break;
        g_make_parents(name);
        if (mkfifo(name, mode_of(o, m)) < 0) tar_error(o, errno, "%s: Cannot mkfifo", name);
        break;
    case '3':
    case '4': tar_error(o, EPERM, "%s: Cannot mknod", name); break;
    case 'S':
        tar_error(o, 0, "%s: sparse files are not supported", name);
        tar_skip(a, m->size);
        break;
    default:
        g_warn("%s: Unknown file type '%c', extracted as normal file", name, m->type);
        extract_file(a, o, m, name);
    }
}

static void finish(const tar_options *o) {
    for (size_t i = 0; i < pending_count; i++) {
        later *l = &pending[i];
        struct stat st;
        bool ours = lstat(l->name, &st) == 0 && (uint64_t)st.st_ino == l->ino &&
                    (uint64_t)st.st_dev == l->dev;
        if (!ours) continue;
        unlink(l->name);
        if (symlink(l->link, l->name) == 0) set_time(o, l->name, l->mtime, AT_SYMLINK_NOFOLLOW);
    }
    for (size_t i = directory_count; i-- > 0;) {
        chmod(directories[i].name, directories[i].mode);
        set_time(o, directories[i].name, directories[i].mtime, 0);
    }
}

/* Where the member goes, in fresh memory; NULL: nowhere. */
static char *target_of(const tar_options *o, const tar_member *m) {
    char *changed = tar_transformed(o, m->name, 'n');
    const char *name = tar_stripped(o, tar_safe_name(o, changed, false));
    char *target = !name || !*name ? NULL
                   : o->top_level  ? g_join(o->top_level, name)
                                   : g_copy_string(name);
    free(changed);
    return target;
}

void tar_extract(tar_options *o) {
    tar_archive a;
    tar_member m;
    mask = umask(0);
    umask(mask);
    tar_open_read(&a, o);
    for (size_t i = 0; i < o->operand_count; i++)
        if (o->operands[i].directory && chdir(o->operands[i].directory) < 0) {
            g_warn("%s: Cannot open: %s", o->operands[i].directory, strerror(errno));
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
    if (o->to_stdout && o->verbose) g_stdout.fd = STDERR_FILENO;
    while (tar_next(&a, o, &m)) {
        tar_safe_link(o, &m);
        char *name = tar_wanted(o, m.name) && !tar_excluded(o, m.name) ? target_of(o, &m) : NULL;
        if (!name) {
            tar_skip(&a, m.size);
            tar_member_free(&m);
            continue;
        }
        if (!o->absolute_names && g_path_climbs(m.name)) {
            tar_error(o, 0, "%s: Member name contains '..'", m.name);
            tar_skip(&a, m.size);
            free(name);
            tar_member_free(&m);
            continue;
        }
        if (o->verbose) tar_list_member(o, &m, o->show_transformed ? name : m.name);
        if (!o->to_stdout) {
            if (o->top_level) g_make_parents(name);
            extract_member(&a, o, &m, name);
        } else if (m.type == '0') {
            g_out_flush();
            if (!copy(&a, STDOUT_FILENO, m.size)) tar_fatal(errno, "%s: Cannot write", name);
        } else {
            tar_skip(&a, m.size);
        }
        free(name);
        tar_member_free(&m);
    }
    finish(o);
    tar_close(&a);
}
