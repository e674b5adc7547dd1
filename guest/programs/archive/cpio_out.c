/*
 * cpio_out.c: cpio -o: makes an archive of the files that are named.
 *
 * In the newer formats the data of a file with several names stand with the last of them: the
 * others wait until it comes, or until the end.
 */
#include "cpio.h"
#include "g_file.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct {
    uint64_t ino;
    dev_t dev;
    uint32_t number; /* of --renumber-inodes */
} numbered;

typedef struct {
    cpio_options *o;
    cpio_stream s;
    cpio_member *waiting; /* names whose data come with another */
    size_t waiting_count, waiting_cap;
    numbered *known;
    size_t known_count, known_cap;
    uint32_t next_number;
} output;

void cpio_of_stat(const struct stat *st, cpio_member *m) {
    *m = (cpio_member){.mode = st->st_mode,
                       .uid = st->st_uid,
                       .gid = st->st_gid,
                       .nlink = (uint32_t)st->st_nlink,
                       .mtime = (uint32_t)st->st_mtime,
                       .dev_major = (uint32_t)major(st->st_dev),
                       .dev_minor = (uint32_t)minor(st->st_dev),
                       .ino = (uint64_t)st->st_ino,
                       .size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0};
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
        m->rdev_major = (uint32_t)major(st->st_rdev);
        m->rdev_minor = (uint32_t)minor(st->st_rdev);
    }
}

static uint64_t renumbered(output *out, const struct stat *st) {
    for (size_t i = 0; i < out->known_count && st->st_nlink > 1; i++)
        if (out->known[i].ino == (uint64_t)st->st_ino && out->known[i].dev == st->st_dev)
            return out->known[i].number;
    if (out->known_count == out->known_cap)
        out->known = g_more(out->known, &out->known_cap, sizeof *out->known);
    out->known[out->known_count++] = (numbered){(uint64_t)st->st_ino, st->st_dev, out->next_number};
    return out->next_number++;
}

static void pad(output *out, uint64_t len) {
    cpio_write(&out->s, "\0\0\0", cpio_padding(out->o->format, len));
}

/* Writes exactly `size` bytes, whatever the file has become meanwhile. */
static void copy_file(output *out, int fd, const cpio_member *m) {
    char block[4096];
    uint64_t left = m->size;
    while (left > 0) {
        ssize_t n = g_read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (n <= 0) {
            if (n < 0)
                cpio_error(out->o, errno, "%s: read error", g_quotef(m->name));
            else
                g_warn("File %s shrunk by %llu bytes, padding with zeros", m->name,
                       (unsigned long long)left);
            memset(block, 0, sizeof block);
            for (; left > 0; left -= left < sizeof block ? left : sizeof block)
                cpio_write(&out->s, block, left < sizeof block ? (size_t)left : sizeof block);
            break;
        }
        cpio_write(&out->s, block, (size_t)n);
        left -= (uint64_t)n;
    }
    pad(out, m->size);
}

static uint32_t sum_of(int fd) {
    unsigned char block[4096];
    uint32_t sum = 0;
    for (ssize_t n; (n = g_read(fd, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < n; i++) sum += block[i];
    lseek(fd, 0, SEEK_SET);
    return sum;
}

static bool put_file(output *out, cpio_member *m) {
    int fd = open(m->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        cpio_error(out->o, errno, "%s: Cannot open", g_quotef(m->name));
        return false;
    }
    if (out->o->format == CPIO_CRC) m->check = sum_of(fd);
    cpio_write_header(&out->s, out->o->format, m);
    copy_file(out, fd, m);
    close(fd);
    return true;
}

/* The names that waited for this one's data, the last first: as headers without any. */
static void put_waiting(output *out, const cpio_member *m) {
    for (size_t i = out->waiting_count; i-- > 0;) {
        cpio_member w = out->waiting[i];
        if (w.ino != m->ino || w.dev_major != m->dev_major || w.dev_minor != m->dev_minor) continue;
        size_t behind = --out->waiting_count - i;
        memmove(&out->waiting[i], &out->waiting[i + 1], behind * sizeof w);
        w.size = 0;
        cpio_write_header(&out->s, out->o->format, &w);
        free(w.name);
    }
}

static bool last_name(const output *out, const cpio_member *m) {
    uint32_t seen = 1;
    for (size_t i = 0; i < out->waiting_count; i++)
        if (out->waiting[i].ino == m->ino && out->waiting[i].dev_major == m->dev_major &&
            out->waiting[i].dev_minor == m->dev_minor)
            seen++;
    return seen >= m->nlink;
}

static void put_regular(output *out, cpio_member *m) {
    bool newer = out->o->format == CPIO_NEWC || out->o->format == CPIO_CRC;
    if (newer && m->nlink > 1) {
        if (!last_name(out, m)) {
            if (out->waiting_count == out->waiting_cap)
                out->waiting = g_more(out->waiting, &out->waiting_cap, sizeof *out->waiting);
            out->waiting[out->waiting_count] = *m;
            out->waiting[out->waiting_count++].name = g_copy_string(m->name);
            return;
        }
        put_waiting(out, m);
    }
    put_file(out, m);
}

static void put_symlink(output *out, cpio_member *m) {
    char *target = g_read_link(m->name);
    if (!target) {
        cpio_error(out->o, errno, "%s: Cannot readlink", g_quotef(m->name));
        return;
    }
    m->size = strlen(target);
    cpio_write_header(&out->s, out->o->format, m);
    cpio_write(&out->s, target, (size_t)m->size);
    pad(out, m->size);
    free(target);
}

static void put(output *out, char *name) {
    struct stat st;
    cpio_member m;
    if ((out->o->dereference ? stat : lstat)(name, &st) < 0) {
        cpio_error(out->o, errno, "%s: Cannot stat", g_quotef(name));
        return;
    }
    cpio_of_stat(&st, &m);
    m.name = name;
    if (out->o->renumber) m.ino = renumbered(out, &st);
    if (out->o->no_device) m.dev_major = m.dev_minor = 0;
    if (S_ISREG(st.st_mode))
        put_regular(out, &m);
    else if (S_ISLNK(st.st_mode))
        put_symlink(out, &m);
    else
        cpio_write_header(&out->s, out->o->format, &m);
    cpio_show(out->o, name);
}

void cpio_create(cpio_options *o) {
    output out = {.o = o, .s = {.fd = STDOUT_FILENO}};
    g_reader names;
    if (!o->format) o->format = CPIO_BIN;
    if (o->archive) {
        out.s.fd = open(o->archive, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (out.s.fd < 0) g_die_errno(2, errno, "Cannot open %s", g_quotef(o->archive));
    }
    if (o->directory && chdir(o->directory) < 0)
        g_die_errno(2, errno, "cannot change to directory `%s'", o->directory);
    g_reader_init(&names, STDIN_FILENO, o->null_names ? '\0' : '\n');
    for (char *name; (name = cpio_next_name(o, &names));) {
        put(&out, name);
        free(name);
    }
    g_reader_free(&names);
    while (out.waiting_count > 0) { /* names of files that have others elsewhere */
        cpio_member m = out.waiting[0];
        memmove(out.waiting, out.waiting + 1, --out.waiting_count * sizeof m);
        put_waiting(&out, &m);
        put_file(&out, &m);
        free(m.name);
    }
    cpio_member end = {.nlink = 1, .name = (char *)"TRAILER!!!"};
    cpio_write_header(&out.s, o->format, &end);
    while (out.s.bytes % o->block) cpio_write(&out.s, "", 1);
    cpio_flush(&out.s);
    if (o->archive && close(out.s.fd) < 0) g_die_errno(2, errno, "%s", o->archive);
    free(out.waiting);
    free(out.known);
    free(out.s.out);
    cpio_show_blocks(o, out.s.bytes);
}
