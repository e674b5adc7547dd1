/*
 * copy_data.c: the contents and attributes of one copied file.
 */
#include "copy_tree.h"
#include "g_file.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int copy_attributes(const copy_options *o, int fd, const char *to, const struct stat *st) {
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

/* A destination that does not exist, as far as the caller saw. -1 after a message. */
static int create(const copy_options *o, const copy_item *item) {
    mode_t mode = o->no_mode ? 0666 : item->st.st_mode & 0777;
    if (o->keep_owner) mode &= ~(mode_t)077;
    int out = open(item->to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (out >= 0) return out;
    int error = errno;
    struct stat link;
    if (error == EEXIST && !o->moving && lstat(item->to, &link) == 0 && S_ISLNK(link.st_mode)) {
        if (!getenv("POSIXLY_CORRECT")) {
            g_warn("not writing through dangling symlink %s", g_quoteaf(item->to));
            return -1;
        }
        out = open(item->to, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
        if (out >= 0) return out;
        error = errno;
    }
    size_t len = strlen(item->to);
    if (error == EISDIR && len && item->to[len - 1] == '/') error = ENOTDIR;
    g_warn_errno(error, "cannot create regular file %s", g_quoteaf(item->to));
    return -1;
}

/* The destination, open for writing; *made: it was not there before. -1 after a message. */
static int open_target(const copy_options *o, const copy_item *item, bool *made) {
    *made = !item->there;
    if (*made) return create(o, item);
    int out = open(item->to, O_WRONLY | O_CLOEXEC | (o->attributes_only ? 0 : O_TRUNC));
    if (out >= 0) return out;
    if (!o->force) {
        g_warn_errno(errno, "cannot create regular file %s", g_quoteaf(item->to));
        return -1;
    }
    if (unlink(item->to) < 0 && errno != ENOENT) {
        g_warn_errno(errno, "cannot remove %s", g_quoteaf(item->to));
        return -1;
    }
    if (o->verbose) g_outf("removed %s\n", g_quoteaf(item->to));
    *made = true;
    return create(o, item);
}

static int copy_contents(const copy_options *o, const copy_item *item, int in, int out) {
    if (o->attributes_only) return 0;
    if (o->need_clone && S_ISREG(item->st.st_mode)) {
        g_warn_errno(EOPNOTSUPP, "failed to clone %s from %s", g_quoteaf(item->to),
                     g_quoteaf(item->from));
        return 1;
    }
    bool reading = false;
    int error = g_copy_data(in, out, &reading);
    if (!error) return 0;
    g_warn_errno(error, reading ? "error reading %s" : "error writing %s",
                 g_quoteaf(reading ? item->from : item->to));
    return 1;
}

int copy_regular(const copy_options *o, const copy_item *item) {
    int in = open(item->from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(item->from));
        return 1;
    }
    bool made;
    int out = open_target(o, item, &made);
    if (out < 0) {
        close(in);
        return 1;
    }
    int status = copy_contents(o, item, in, out);
    if (status && o->need_clone && made) unlink(item->to);
    if (!status) status = copy_attributes(o, out, item->to, &item->st);
    if (made && o->keep_owner && !o->keep_mode)
        fchmod(out, (o->no_mode ? 0666 : item->st.st_mode & 0777) & ~o->mask);
    close(in);
    if (close(out) < 0) {
        g_warn_errno(errno, "failed to close %s", g_quoteaf(item->to));
        status = 1;
    }
    return status;
}
