/*
 * rsync_update.c: makes one file of the destination like its source.
 *
 * A file is written under another name first, which then takes its place: whoever reads the old one
 * keeps it, and hard links to it are left alone.
 */
#include "g_file.h"
#include "g_in.h"
#include "g_out.h"
#include "g_time.h"
#include "rsync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Places in the eleven characters that say what changes. */
enum { WHAT, KIND, CONTENT, SIZE, TIME, PERMS, OWNER, GROUP, CHANGE_LEN = 11 };

char *rsync_target(const rsync_work *w, const char *name) {
    if (w->single || strcmp(name, ".") == 0) return g_copy_string(w->target);
    return g_join(w->target, name);
}

static char kind_letter(mode_t mode) {
    return S_ISDIR(mode)                      ? 'd'
           : S_ISLNK(mode)                    ? 'L'
           : S_ISREG(mode)                    ? 'f'
           : S_ISFIFO(mode) || S_ISSOCK(mode) ? 'S'
                                              : 'D';
}

static bool keeps_time(const rsync_work *w, mode_t mode) {
    return w->o.times && !(S_ISDIR(mode) && w->o.omit_dir_times);
}

static bool may_give_away(void) {
    return geteuid() == 0;
}

/* What differs besides the contents. */
static bool compare(const rsync_work *w, const rsync_item *item, const struct stat *old,
                    char change[CHANGE_LEN + 1]) {
    const struct stat *new = &item->st;
    memset(change, '.', CHANGE_LEN);
    change[CHANGE_LEN] = '\0';
    change[KIND] = kind_letter(new->st_mode);
    if (S_ISREG(new->st_mode) && new->st_size != old->st_size) change[SIZE] = 's';
    if (keeps_time(w, new->st_mode) && new->st_mtime != old->st_mtime) change[TIME] = 't';
    if (w->o.perms && !S_ISLNK(new->st_mode) && (new->st_mode ^ old->st_mode) & 07777)
        change[PERMS] = 'p';
    if (w->o.owner && may_give_away() && new->st_uid != old->st_uid) change[OWNER] = 'o';
    if (w->o.group && may_give_away() && new->st_gid != old->st_gid) change[GROUP] = 'g';
    return strspn(change + CONTENT, ".") < CHANGE_LEN - CONTENT;
}

static void mark_new(const rsync_item *item, char what, char change[CHANGE_LEN + 1]) {
    memset(change, '+', CHANGE_LEN);
    change[CHANGE_LEN] = '\0';
    change[WHAT] = what;
    change[KIND] = kind_letter(item->st.st_mode);
}

static void set_times(rsync_work *w, const rsync_item *item, const char *path) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, item->st.st_mtim};
    if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0)
        rsync_failed(w, errno, "failed to set times on", path);
}

/* Owner, mode and times. `old` is what was there, NULL for a new file. */
static void set_attributes(rsync_work *w, const rsync_item *item, const char *path,
                           const struct stat *old) {
    mode_t mode = item->st.st_mode;
    struct stat now;
    if (lstat(path, &now) != 0) return;
    uid_t owner = w->o.owner && may_give_away() ? item->st.st_uid : now.st_uid;
    gid_t group = w->o.group && may_give_away() ? item->st.st_gid : now.st_gid;
    if ((owner != now.st_uid || group != now.st_gid) && lchown(path, owner, group) != 0)
        rsync_failed(w, errno, "chown", path);
    if (!S_ISLNK(mode)) {
        mode_t wanted = w->o.perms ? mode & 07777
                        : old      ? old->st_mode & 07777
                                   : mode & 0777 & ~w->umask;
        if (((now.st_mode ^ wanted) & 07777) && chmod(path, wanted) != 0)
            rsync_failed(w, errno, "failed to set permissions on", path);
    }
    if (!S_ISDIR(mode) && keeps_time(w, mode)) set_times(w, item, path);
}

bool rsync_back_up(rsync_work *w, const char *path, const char *name) {
    g_text to = {0};
    char *below = NULL;
    if (w->o.backup_dir && *w->o.backup_dir == '/')
        below = g_join(w->o.backup_dir, name);
    else if (w->o.backup_dir)
        below = g_join(w->o.backup_dir, name);
    if (below && *below != '/') {
        char *whole = g_join(w->target, below);
        free(below);
        below = whole;
    }
    g_text_addf(&to, "%s%s", below ? below : path, w->o.suffix);
    free(below);
    g_make_parents(to.s);
    bool done = rename(path, to.s) == 0;
    if (!done) rsync_failed(w, errno, "rename", path);
    g_text_free(&to);
    return done;
}

/* Whether both files hold the same. */
static bool same_contents(rsync_work *w, const char *a, const char *b) {
    int one = open(a, O_RDONLY | O_CLOEXEC), two = open(b, O_RDONLY | O_CLOEXEC);
    bool same = one >= 0 && two >= 0;
    char *x = g_alloc(65536), *y = g_alloc(65536);
    for (ssize_t n = 1; same && n > 0;) {
        n = g_read(one, x, 65536);
        ssize_t got = 0, more = 1;
        while (n > 0 && got < n && more > 0) {
            more = g_read(two, y + got, (size_t)(n - got));
            if (more > 0) got += more;
        }
        same = n >= 0 && got == (n > 0 ? n : 0) && memcmp(x, y, (size_t)got) == 0;
    }
    if (one < 0) rsync_failed(w, errno, "open", a);
    if (one >= 0) close(one);
    if (two >= 0) close(two);
    free(x);
    free(y);
    return same;
}

/* Whether a file counts as equal without being read, or, with --checksum, after that. */
static bool up_to_date(rsync_work *w, const rsync_item *item, const char *path,
                       const struct stat *old) {
    if (!S_ISREG(old->st_mode) || old->st_size != item->st.st_size) return false;
    if (w->o.checksum) return same_contents(w, item->path, path);
    if (w->o.size_only) return true;
    return !w->o.ignore_times && old->st_mtime == item->st.st_mtime;
}

static bool copy_contents(rsync_work *w, const rsync_item *item, const char *path,
                          const struct stat *old) {
    int in = open(item->path, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        rsync_failed(w, errno, "send_files failed to open", item->path);
        return false;
    }
    g_text temporary = {0};
    const char *last = g_last_part(path);
    g_text_addf(&temporary, "%.*s.%s.XXXXXX", (int)(last - path), path, last);
    bool in_place = w->o.inplace;
    int out = in_place ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                       : mkstemp(temporary.s);
    bool reading = false;
    int error = out < 0 ? errno : g_copy_data(in, out, &reading);
    close(in);
    if (out >= 0 && close(out) != 0 && !error) error = errno;
    const char *written = in_place ? path : temporary.s;
    if (!error) set_attributes(w, item, written, old);
    if (!error && !in_place && old && w->o.backup && !rsync_back_up(w, path, item->name))
        error = -1;
    if (!error && !in_place && rename(temporary.s, path) != 0) error = errno;
    if (error > 0) rsync_failed(w, error, reading ? "read" : "write", reading ? item->path : path);
    if (error && out >= 0 && !in_place) unlink(temporary.s);
    g_text_free(&temporary);
    return !error;
}

/* The first file of those that are one, with --hard-links. */
static const rsync_item *linked_to(const rsync_work *w, const rsync_item *item) {
    if (!w->o.hard_links || item->st.st_nlink < 2) return NULL;
    for (const rsync_item *i = w->items; i < item; i++)
        if (i->st.st_ino == item->st.st_ino && i->st.st_dev == item->st.st_dev &&
            !S_ISDIR(i->st.st_mode))
            return i;
    return NULL;
}

static void make_link(rsync_work *w, const rsync_item *item, const rsync_item *first,
                      const char *path, const struct stat *old) {
    char *to = rsync_target(w, first->name);
    struct stat st;
    char change[CHANGE_LEN + 1];
    bool is_there =
        old && stat(to, &st) == 0 && st.st_ino == old->st_ino && st.st_dev == old->st_dev;
    if (!is_there) {
        mark_new(item, 'h', change);
        rsync_show_item(w, item, change, true);
        if (!w->o.dry_run) {
            if (old) unlink(path);
            if (link(to, path) != 0) rsync_failed(w, errno, "link", path);
        }
    }
    free(to);
}

/* A file of --link-dest that is the same, made a link to. */
static bool linked_elsewhere(rsync_work *w, const rsync_item *item, const char *path) {
    if (!w->o.link_dest) return false;
    char *base =
        *w->o.link_dest == '/' ? g_copy_string(w->o.link_dest) : g_join(w->target, w->o.link_dest);
    char *other = g_join(base, item->name);
    struct stat st;
    char change[CHANGE_LEN + 1];
    bool done = lstat(other, &st) == 0 && S_ISREG(st.st_mode) && up_to_date(w, item, other, &st) &&
                !compare(w, item, &st, change) && (w->o.dry_run || link(other, path) == 0);
    free(base);
    free(other);
    return done;
}

static void update_file(rsync_work *w, rsync_item *item, const char *path, const struct stat *old) {
    char change[CHANGE_LEN + 1];
    const rsync_item *first = linked_to(w, item);
    if (first) {
        make_link(w, item, first, path, old);
        return;
    }
    if (!old && linked_elsewhere(w, item, path)) return;
    bool differs = old && compare(w, item, old, change);
    if (old && up_to_date(w, item, path, old)) {
        if (!differs) return;
        rsync_show_item(w, item, change, false);
        if (!w->o.dry_run) set_attributes(w, item, path, old);
        return;
    }
    if (!old) mark_new(item, '>', change);
    change[WHAT] = '>';
    if (old && !w->o.times) change[TIME] = 'T';
    if (old && w->o.checksum) change[CONTENT] = 'c';
    rsync_show_item(w, item, change, true);
    w->transferred++;
    w->transferred_size += (uint64_t)item->st.st_size;
    w->created[0] += !old;
    if (w->o.dry_run) return;
    g_moment start = g_now();
    if (!copy_contents(w, item, path, old)) return;
    w->sent += (uint64_t)item->st.st_size;
    g_moment end = g_now();
    rsync_show_progress(w, item,
                        (double)(end.seconds - start.seconds) +
                            (end.nanoseconds - start.nanoseconds) / 1e9);
    if (w->o.remove_source && unlink(item->path) != 0)
        rsync_failed(w, errno, "sender failed to remove", item->path);
}

static void update_directory(rsync_work *w, rsync_item *item, const char *path,
                             const struct stat *old) {
    char change[CHANGE_LEN + 1];
    if (old && !item->fresh) {
        if (!compare(w, item, old, change)) return;
        rsync_show_item(w, item, change, true);
        if (!w->o.dry_run) set_attributes(w, item, path, old);
        return;
    }
    mark_new(item, 'c', change);
    rsync_show_item(w, item, change, true);
    item->fresh = true;
    w->created[1]++;
    if (w->o.dry_run) return;
    if (!old && mkdir(path, 0700) != 0) {
        rsync_failed(w, errno, "recv_generator: mkdir", path);
        return;
    }
    set_attributes(w, item, path, NULL);
}

/* Links and what else has no contents. */
static void update_special(rsync_work *w, rsync_item *item, const char *path,
                           const struct stat *old) {
    char change[CHANGE_LEN + 1];
    bool link = S_ISLNK(item->st.st_mode), differs = old && compare(w, item, old, change);
    char *held = old && link ? g_read_link(path) : NULL;
    bool same = old && (!link || (held && item->link && strcmp(held, item->link) == 0));
    free(held);
    if (same && !differs) return;
    if (!old) mark_new(item, 'c', change);
    if (old && !same) {
        change[WHAT] = change[CONTENT] = 'c';
        if (!w->o.times) change[TIME] = 'T';
    }
    rsync_show_item(w, item, change, !same);
    w->created[link ? 2 : 3] += !old;
    if (w->o.dry_run) return;
    if (!same) {
        if (old && w->o.backup)
            rsync_back_up(w, path, item->name);
        else if (old)
            unlink(path);
        int failed = link ? symlink(item->link ? item->link : "", path)
                          : mknod(path, item->st.st_mode, item->st.st_rdev);
        if (failed) {
            rsync_failed(w, errno, link ? "symlink" : "mknod", path);
            return;
        }
    }
    set_attributes(w, item, path, old);
    if (w->o.remove_source) unlink(item->path);
}

/* What is there of another kind has to go first. */
static bool make_way(rsync_work *w, const rsync_item *item, const char *path,
                     const struct stat *old) {
    if (S_ISDIR(old->st_mode) && !w->o.force && w->o.deletion == DELETE_NONE) {
        if (!w->o.dry_run && rmdir(path) == 0) return true;
        if (!w->o.quiet) g_outf("cannot delete non-empty directory: %s\n", item->name);
        rsync_failed(w, 0, "could not make way for new", item->name);
        return false;
    }
    if (w->o.dry_run) return true;
    if (w->o.backup && !S_ISDIR(old->st_mode)) return rsync_back_up(w, path, item->name);
    return S_ISDIR(old->st_mode) ? rsync_remove(w, path, item->name, false) : unlink(path) == 0;
}

/* Whether an item of that kind and size is copied; of the kind it is said why not. */
static bool takes(const rsync_work *w, const rsync_item *item) {
    mode_t mode = item->st.st_mode;
    uint64_t size = (uint64_t)item->st.st_size;
    if (S_ISREG(mode)) return size >= w->o.min_size && size <= w->o.max_size;
    if (S_ISDIR(mode) || (S_ISLNK(mode) ? w->o.links : w->o.devices)) return true;
    if (!w->o.quiet) g_outf("skipping non-regular file \"%s\"\n", item->name);
    return false;
}

void rsync_update(rsync_work *w, rsync_item *item) {
    char *path = rsync_target(w, item->name);
    mode_t mode = item->st.st_mode;
    struct stat st, *old = lstat(path, &st) == 0 ? &st : NULL;
    if (old && strcmp(item->name, ".") == 0) stat(path, &st); /* a link to the destination */
    if (old && item->looked) st = item->before;
    bool skip = !takes(w, item) || (old ? w->o.ignore_existing && !S_ISDIR(mode) : w->o.existing);
    if (old && w->o.update && S_ISREG(mode) && S_ISREG(st.st_mode) &&
        st.st_mtime > item->st.st_mtime)
        skip = true;
    if (!skip && old && (st.st_mode & S_IFMT) != (mode & S_IFMT)) {
        skip = !make_way(w, item, path, old);
        old = NULL;
    }
    if (skip) {
        free(path);
        return;
    }
    if (S_ISDIR(mode))
        update_directory(w, item, path, old);
    else if (S_ISREG(mode))
        update_file(w, item, path, old);
    else
        update_special(w, item, path, old);
    free(path);
}

void rsync_finish_directories(rsync_work *w) {
    if (w->o.dry_run || w->single) return;
    for (size_t i = w->count; i-- > 0;) {
        rsync_item *item = &w->items[i];
        if (!S_ISDIR(item->st.st_mode) || !keeps_time(w, item->st.st_mode)) continue;
        char *path = rsync_target(w, item->name);
        struct stat st;
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) set_times(w, item, path);
        free(path);
    }
}
