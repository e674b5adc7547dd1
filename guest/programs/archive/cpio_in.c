/*
 * cpio_in.c: cpio -i and -t: what is in an archive.
 */
#include "cpio.h"
#include "g_mode.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_time.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    cpio_options *o;
    cpio_stream s;
    enum cpio_format format; /* of the last header */
    cpio_member *waiting;    /* names of files whose data are still to come */
    size_t waiting_count, waiting_cap;
    int64_t now;
    bool told_of_slash;
} input;

static bool wanted(const cpio_options *o, const char *name) {
    if (o->pattern_count == 0) return true;
    for (size_t i = 0; i < o->pattern_count; i++)
        if (fnmatch(o->patterns[i], name, 0) == 0) return !o->nonmatching;
    return o->nonmatching;
}

/* The name without what leads out of the directory, if that is asked for. */
static const char *safe_name(input *in, const char *name) {
    if (!in->o->relative_names) return name;
    const char *s = name;
    for (const char *p = name; *p; p++)
        if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2]) && (p == name || p[-1] == '/'))
            s = p + 2;
    while (*s == '/') s++;
    if (s > name && !in->told_of_slash) {
        in->told_of_slash = true;
        g_warn("Removing leading `%.*s' from member names", (int)(s - name), name);
    }
    return *s ? s : ".";
}

/* ------------------------------------------------------------------ -t */

static void owner_text(const input *in, uint32_t uid, uint32_t gid, char user[32], char group[32]) {
    struct passwd *p = in->o->numeric ? NULL : getpwuid(uid);
    snprintf(user, 32, p ? "%s" : "%.0s%u", p ? p->pw_name : "", uid);
    struct group *g = in->o->numeric ? NULL : getgrgid(gid);
    snprintf(group, 32, g ? "%s" : "%.0s%u", g ? g->gr_name : "", gid);
}

static void list_long(const input *in, const cpio_member *m, const char *name, const char *target) {
    char mode[11], user[32], group[32];
    g_mode_string(m->mode, mode);
    owner_text(in, m->uid, m->gid, user, group);
    g_outf("%s %3u %-8s %-8s ", mode, m->nlink, user, group);
    if (S_ISCHR(m->mode) || S_ISBLK(m->mode))
        g_outf("%3u, %3u ", m->rdev_major, m->rdev_minor);
    else
        g_outf("%8llu ", (unsigned long long)m->size);
    g_civil civil;
    g_civil_local((int64_t)m->mtime, &civil);
    int64_t age = in->now - (int64_t)m->mtime;
    bool old = age > 6 * 30 * 24 * 3600L || age < -3600;
    size_t len;
    char *when = g_strftime(old ? "%b %e  %Y" : "%b %e %H:%M", &civil, (int64_t)m->mtime, 0, &len);
    g_outf("%s %s", when, name);
    if (target) g_outf(" -> %s", target);
    g_outc('\n');
    free(when);
}

static char *read_target(input *in, const cpio_member *m) {
    if (m->size > 1 << 20) g_die(2, "premature end of file");
    char *target = g_alloc((size_t)m->size + 1);
    cpio_read(&in->s, target, (size_t)m->size);
    target[m->size] = '\0';
    return target;
}

static void list(input *in, const cpio_member *m, const char *name) {
    char *target = in->o->verbose && S_ISLNK(m->mode) ? read_target(in, m) : NULL;
    if (in->o->dots) cpio_show(in->o, name);
    if (in->o->verbose)
        list_long(in, m, name, target);
    else
        g_outf("%s%c", name, in->o->null_names ? '\0' : '\n');
    if (!target) cpio_skip(&in->s, m->size);
    free(target);
}

/* ------------------------------------------------------------------ -i */

static void copy_data(input *in, const cpio_member *m, const char *name, int fd) {
    char block[4096];
    uint32_t sum = 0;
    bool failed = false;
    for (uint64_t left = m->size; left > 0;) {
        size_t n = left < sizeof block ? (size_t)left : sizeof block;
        cpio_read(&in->s, block, n);
        for (size_t i = 0; i < n && in->format == CPIO_CRC; i++) sum += (unsigned char)block[i];
        for (size_t done = 0; done < n && !failed;) {
            ssize_t put = write(fd, block + done, n - done);
            if (put < 0 && errno == EINTR) continue;
            if (put < 0)
                failed = true;
            else
                done += (size_t)put;
        }
        left -= n;
    }
    if (failed) cpio_error(in->o, errno, "%s: Cannot write", g_quotef(name));
    if (in->format == CPIO_CRC && sum != m->check)
        g_warn("%s: checksum error (0x%x, should be 0x%x)", g_quotef(name), sum, m->check);
}

static bool same_file(const cpio_member *a, const cpio_member *b) {
    return a->ino == b->ino && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static void keep_waiting(input *in, const cpio_member *m, const char *name) {
    if (in->waiting_count == in->waiting_cap)
        in->waiting = g_more(in->waiting, &in->waiting_cap, sizeof *in->waiting);
    in->waiting[in->waiting_count] = *m;
    in->waiting[in->waiting_count++].name = g_copy_string(name);
}

/* Now that the data are there, the names that came before them, the last first. */
static void link_waiting(input *in, const cpio_member *m, const char *name) {
    for (size_t i = in->waiting_count; i-- > 0;) {
        cpio_member w = in->waiting[i];
        if (!same_file(&w, m)) continue;
        size_t behind = --in->waiting_count - i;
        memmove(&in->waiting[i], &in->waiting[i + 1], behind * sizeof w);
        if (strcmp(w.name, name) != 0 && !cpio_make_link(in->o, name, w.name))
            cpio_error(in->o, errno, "cannot link %s to %s", name, w.name);
        free(w.name);
    }
}

static bool is_waiting(const input *in, const cpio_member *m) {
    for (size_t i = 0; i < in->waiting_count; i++)
        if (same_file(&in->waiting[i], m)) return true;
    return false;
}

static void extract_file(input *in, const cpio_member *m, const char *name, bool asked) {
    bool newer = in->format == CPIO_NEWC || in->format == CPIO_CRC;
    if (!asked) { /* its data are those of a name that is */
        if (!newer || m->nlink < 2 || m->size == 0 || !is_waiting(in, m)) {
            cpio_skip(&in->s, m->size);
            return;
        }
        for (size_t i = 0; i < in->waiting_count; i++)
            if (same_file(&in->waiting[i], m)) name = in->waiting[i].name;
        name = g_copy_string(name);
    }
    if (asked && !cpio_clear_way(in->o, m, name)) {
        cpio_skip(&in->s, m->size);
        return;
    }
    if (newer && m->nlink > 1 && m->size == 0) {
        keep_waiting(in, m, name);
        return;
    }
    const char *first = !newer && m->nlink > 1 ? cpio_known_link(m, name) : NULL;
    if (first && cpio_make_link(in->o, first, name)) {
        cpio_skip(&in->s, m->size);
        return;
    }
    int fd = cpio_make_file(in->o, name);
    if (fd < 0) {
        cpio_skip(&in->s, m->size);
        return;
    }
    copy_data(in, m, name, fd);
    cpio_finish(in->o, m, name, fd);
    if (newer && m->nlink > 1) link_waiting(in, m, name);
}

static void extract(input *in, const cpio_member *m, const char *name, bool asked) {
    if (in->o->to_stdout) {
        g_out_flush();
        if (asked && S_ISREG(m->mode))
            copy_data(in, m, name, STDOUT_FILENO);
        else
            cpio_skip(&in->s, m->size);
    } else if (S_ISREG(m->mode)) {
        extract_file(in, m, name, asked);
    } else if (S_ISLNK(m->mode) && asked) {
        char *target = read_target(in, m);
        cpio_make_symlink(in->o, m, name, target);
        free(target);
    } else {
        cpio_skip(&in->s, m->size);
        if (asked) cpio_make_special(in->o, m, name);
    }
    if (asked) cpio_show(in->o, name);
}

/* What had no data at all was an empty file. */
static void make_empty(input *in) {
    while (in->waiting_count > 0) {
        cpio_member m = in->waiting[0];
        memmove(in->waiting, in->waiting + 1, --in->waiting_count * sizeof m);
        int fd = cpio_make_file(in->o, m.name);
        if (fd >= 0) {
            cpio_finish(in->o, &m, m.name, fd);
            link_waiting(in, &m, m.name);
        }
        free(m.name);
    }
    free(in->waiting);
}

void cpio_extract(cpio_options *o) {
    input in = {.o = o, .s = {.fd = STDIN_FILENO}, .now = g_now().seconds};
    cpio_member m;
    if (o->archive && (in.s.fd = open(o->archive, O_RDONLY | O_CLOEXEC)) < 0)
        g_die_errno(2, errno, "Cannot open %s", g_quotef(o->archive));
    if (o->directory && chdir(o->directory) < 0)
        g_die_errno(2, errno, "cannot change to directory `%s'", o->directory);
    g_reader_init(&in.s.in, in.s.fd, '\n');
    while (cpio_read_header(&in.s, &in.format, &m)) {
        const char *name = safe_name(&in, m.name);
        size_t after = cpio_padding(in.format, m.size);
        bool asked = wanted(o, m.name);
        if (o->mode == 'i')
            extract(&in, &m, name, asked);
        else if (asked)
            list(&in, &m, name);
        else
            cpio_skip(&in.s, m.size);
        cpio_skip(&in.s, after);
        free(m.name);
    }
    free(m.name);
    if (o->mode == 'i') {
        make_empty(&in);
        cpio_finish_directories(o);
    }
    g_reader_free(&in.s.in);
    if (o->archive) close(in.s.fd);
    cpio_show_blocks(o, in.s.bytes);
}
