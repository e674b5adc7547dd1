/*
 * tar_header.c: members' headers: ustar, GNU's long names, POSIX's extended headers.
 *
 * A header is one block: fixed fields of text, numbers in octal or, when they do not fit, in base
 * 256 (GNU). Names over 100 bytes stand in front, as a member of type 'L' (GNU) or in an extended
 * header 'x' with lines "LENGTH KEY=VALUE" (POSIX).
 */
#include "tar.h"
#include "g_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Offsets and sizes of the fields. */
enum {
    NAME = 0,
    MODE = 100,
    UID = 108,
    GID = 116,
    SIZE = 124,
    MTIME = 136,
    CHECKSUM = 148,
    TYPE = 156,
    LINK = 157,
    MAGIC = 257,
    USER = 265,
    GROUP = 297,
    MAJOR = 329,
    MINOR = 337,
    PREFIX = 345
};
enum { EXTENDED_MAX = 1 << 20 };

static int64_t number(const unsigned char *field, size_t len) {
    if (field[0] & 0x80) { /* base 256, two's complement */
        int64_t value = field[0] & 0x40 ? -1 : 0;
        value = (int64_t)((uint64_t)value << 6 | (field[0] & 0x3f));
        for (size_t i = 1; i < len; i++) value = (int64_t)((uint64_t)value << 8 | field[i]);
        return value;
    }
    size_t i = 0;
    int64_t value = 0;
    while (i < len && field[i] == ' ') i++;
    for (; i < len && field[i] >= '0' && field[i] <= '7'; i++) value = value * 8 + (field[i] - '0');
    return value;
}

static bool is_zero(const unsigned char *block) {
    for (int i = 0; i < TAR_BLOCK; i++)
        if (block[i]) return false;
    return true;
}

static bool checksum_fits(const unsigned char *block) {
    int64_t plain = 0, with_sign = 0;
    for (int i = 0; i < TAR_BLOCK; i++) {
        bool blank = i >= CHECKSUM && i < CHECKSUM + 8;
        plain += blank ? ' ' : block[i];
        with_sign += blank ? ' ' : (signed char)block[i];
    }
    int64_t want = number(block + CHECKSUM, 8);
    return want == plain || want == with_sign;
}

static char *text(const unsigned char *field, size_t max) {
    return g_copy_bytes((const char *)field, strnlen((const char *)field, max));
}

/* What an extended header says; the rest of the member's header gives way. */
typedef struct {
    char *path, *link, *user, *group;
    int64_t size, mtime, uid, gid;
    int mtime_ns;
    bool has_size, has_mtime, has_uid, has_gid;
} extended;

static void read_time(const char *s, int64_t *seconds, int *ns) {
    char *end;
    *seconds = strtoll(s, &end, 10);
    *ns = 0;
    if (*end != '.') return;
    int scale = 100000000;
    for (end++; *end >= '0' && *end <= '9' && scale > 0; end++, scale /= 10)
        *ns += (*end - '0') * scale;
}

static void read_extended(extended *x, char *s, size_t len) {
    for (char *p = s, *end = s + len; p < end;) {
        char *space;
        long long record = strtoll(p, &space, 10);
        if (record <= 0 || record > end - p || *space != ' ' || space - p >= record) return;
        char *key = space + 1, *stop = p + record - 1,
             *equals = memchr(key, '=', (size_t)(stop > key ? stop - key : 0));
        if (!equals) return;
        *equals = *stop = '\0';
        char *value = equals + 1;
        size_t n = (size_t)(stop - value);
        char **target = strcmp(key, "path") == 0       ? &x->path
                        : strcmp(key, "linkpath") == 0 ? &x->link
                        : strcmp(key, "uname") == 0    ? &x->user
                        : strcmp(key, "gname") == 0    ? &x->group
                                                       : NULL;
        if (target) {
            free(*target);
            *target = g_copy_bytes(value, n);
        } else if (strcmp(key, "size") == 0) {
            x->size = strtoll(value, NULL, 10);
            x->has_size = true;
        } else if (strcmp(key, "mtime") == 0) {
            read_time(value, &x->mtime, &x->mtime_ns);
            x->has_mtime = true;
        } else if (strcmp(key, "uid") == 0) {
            x->uid = strtoll(value, NULL, 10);
            x->has_uid = true;
        } else if (strcmp(key, "gid") == 0) {
            x->gid = strtoll(value, NULL, 10);
            x->has_gid = true;
        }
        p += record;
    }
}

/* The contents of a member that describes the next one, NUL-terminated. */
static char *read_data(tar_archive *a, int64_t size) {
    if (size < 0 || size > EXTENDED_MAX)
        tar_fatal(0, "Extended header of %lld bytes is too large (at most %d)", (long long)size,
                  EXTENDED_MAX);
    char *data = g_zalloc((size_t)size + TAR_BLOCK + 1);
    for (int64_t at = 0; at < size; at += TAR_BLOCK)
        if (!tar_read_block(a, (unsigned char *)data + at)) {
            g_warn("Unexpected EOF in archive");
            tar_fatal(0, "Error is not recoverable: exiting now");
        }
    data[size] = '\0';
    return data;
}

static void read_fields(const unsigned char *b, tar_member *m) {
    bool posix = memcmp(b + MAGIC, "ustar\0", 6) == 0, gnu = memcmp(b + MAGIC, "ustar  ", 7) == 0;
    *m = (tar_member){.type = b[TYPE] ? (char)b[TYPE] : '0'};
    m->link = text(b + LINK, 100);
    m->name = text(b + NAME, 100);
    if (posix && b[PREFIX]) {
        char *rest = m->name, *prefix = text(b + PREFIX, 155);
        m->name = g_alloc(strlen(prefix) + strlen(rest) + 2);
        sprintf(m->name, "%s/%s", prefix, rest);
        free(prefix);
        free(rest);
    }
    m->mode = (mode_t)(number(b + MODE, 8) & 07777);
    m->uid = number(b + UID, 8);
    m->gid = number(b + GID, 8);
    m->size = number(b + SIZE, 12);
    m->mtime = number(b + MTIME, 12);
    if (posix || gnu) {
        snprintf(m->user, sizeof m->user, "%.32s", b + USER);
        snprintf(m->group, sizeof m->group, "%.32s", b + GROUP);
        m->major = (unsigned)number(b + MAJOR, 8);
        m->minor = (unsigned)number(b + MINOR, 8);
    }
    size_t len = strlen(m->name);
    if (m->type == '0' && len > 0 && m->name[len - 1] == '/') m->type = '5';
    if (m->type == '7') m->type = '0';
    if (m->type != '0' && m->type != 'x' && m->type != 'g' && m->type != 'L' && m->type != 'K' &&
        m->type != 'S' && m->type != 'D')
        m->size = 0;
    if (m->size < 0) m->size = 0;
}

static void take(char **to, char **from) {
    if (!*from) return;
    free(*to);
    *to = *from;
    *from = NULL;
}

static void apply(tar_member *m, extended *x) {
    take(&m->name, &x->path);
    take(&m->link, &x->link);
    if (x->user) snprintf(m->user, sizeof m->user, "%s", x->user);
    if (x->group) snprintf(m->group, sizeof m->group, "%s", x->group);
    if (x->has_size && m->type == '0') m->size = x->size > 0 ? x->size : 0;
    if (x->has_mtime) {
        m->mtime = x->mtime;
        m->mtime_ns = x->mtime_ns;
    }
    if (x->has_uid) m->uid = x->uid;
    if (x->has_gid) m->gid = x->gid;
    size_t len = strlen(m->name);
    if (m->type == '0' && len > 0 && m->name[len - 1] == '/') m->type = '5';
}

static void free_extended(extended *x) {
    free(x->path);
    free(x->link);
    free(x->user);
    free(x->group);
}

bool tar_next(tar_archive *a, tar_options *o, tar_member *m) {
    unsigned char b[TAR_BLOCK];
    extended x = {0};
    bool skipping = false;
    for (;;) {
        if (!tar_read_block(a, b)) {
            free_extended(&x);
            return false;
        }
        if (is_zero(b)) {
            bool second = tar_read_block(a, b);
            if (second && !is_zero(b))
                g_warn("A lone zero block at %llu", (unsigned long long)a->blocks - 1);
            free_extended(&x);
            return false;
        }
        if (!checksum_fits(b)) {
            if (!skipping) {
                if (a->blocks == 1) tar_error(o, 0, "This does not look like a tar archive");
                tar_error(o, 0, "Skipping to next header");
            }
            skipping = true;
            continue;
        }
        skipping = false;
        read_fields(b, m);
        if (m->type == 'L' || m->type == 'K' || m->type == 'x' || m->type == 'g') {
            char *data = read_data(a, m->size);
            if (m->type == 'L')
                take(&x.path, &data);
            else if (m->type == 'K')
                take(&x.link, &data);
            else if (m->type == 'x')
                read_extended(&x, data, (size_t)m->size);
            free(data);
            tar_member_free(m);
            continue;
        }
        apply(m, &x);
        free_extended(&x);
        return true;
    }
}

void tar_member_free(tar_member *m) {
    free(m->name);
    free(m->link);
}

/* Writing */

static void put_number(unsigned char *field, size_t len, int64_t value) {
    int64_t max = 1;
    for (size_t i = 1; i < len; i++) max *= 8;
    if (value >= 0 && value < max) {
        char digits[24];
        snprintf(digits, sizeof digits, "%0*llo", (int)len - 1, (unsigned long long)value);
        memcpy(field, digits, len);
        return;
    }
    for (size_t i = len; i-- > 1;) {
        field[i] = (unsigned char)value;
        value >>= 8;
    }
    field[0] = value < 0 ? 0xff : 0x80;
}

static void put_block(tar_archive *a, unsigned char *b) {
    unsigned sum = 0;
    memset(b + CHECKSUM, ' ', 8);
    for (int i = 0; i < TAR_BLOCK; i++) sum += b[i];
    snprintf((char *)b + CHECKSUM, 8, "%06o", sum);
    tar_write(a, b, TAR_BLOCK);
}

static void put_magic(const tar_archive *a, unsigned char *b) {
    if (a->o->format == TAR_V7) return;
    memcpy(b + MAGIC,
           a->o->format == TAR_GNU ? "ustar  "
                                   : "ustar\0"
                                     "00",
           8);
}

/* A member that describes the next one. */
static void put_special(tar_archive *a, char type, const char *name, const char *data, size_t len) {
    unsigned char b[TAR_BLOCK] = {0};
    snprintf((char *)b, 100, "%s", name);
    put_number(b + MODE, 8, type == 'x' ? 0644 : 0);
    put_number(b + UID, 8, 0);
    put_number(b + GID, 8, 0);
    put_number(b + SIZE, 12, (int64_t)len);
    put_number(b + MTIME, 12, 0);
    b[TYPE] = (unsigned char)type;
    put_magic(a, b);
    if (type != 'x') {
        memcpy(b + USER, "root", 4);
        memcpy(b + GROUP, "root", 4);
    }
    put_block(a, b);
    tar_write(a, data, len);
    tar_pad(a);
}

static void add_record(g_text *to, const char *key, const char *value) {
    size_t len = strlen(key) + strlen(value) + 3, total = len + 1;
    for (size_t before = 0; before != total;) { /* the length counts its own digits */
        before = total;
        char digits[24];
        total = len + (size_t)snprintf(digits, sizeof digits, "%zu", before);
    }
    g_text_addf(to, "%zu %s=%s\n", total, key, value);
}

static void put_pax(tar_archive *a, const tar_member *m) {
    g_text data = {0};
    char time[48];
    if (strlen(m->name) > 100) add_record(&data, "path", m->name);
    if (m->link && strlen(m->link) > 100) add_record(&data, "linkpath", m->link);
    if (m->size > 077777777777) {
        snprintf(time, sizeof time, "%lld", (long long)m->size);
        add_record(&data, "size", time);
    }
    if (m->mtime_ns) {
        snprintf(time, sizeof time, "%lld.%09d", (long long)m->mtime, m->mtime_ns);
        add_record(&data, "mtime", time);
    }
    const char *last = strrchr(m->name, '/');
    char name[100];
    snprintf(name, sizeof name, "./PaxHeaders/%.80s", last && last[1] ? last + 1 : m->name);
    if (data.len > 0) put_special(a, 'x', name, data.s, data.len);
    g_text_free(&data);
}

/* ustar: a long name in two parts, at a slash. */
static bool split_name(const char *name, unsigned char *b) {
    size_t len = strlen(name);
    for (size_t i = len; i-- > 1;) {
        if (name[i] != '/' || len - i - 1 > 100 || len - i - 1 == 0) continue;
        if (i > 155) continue;
        memcpy(b + PREFIX, name, i);
        memcpy(b + NAME, name + i + 1, len - i - 1);
        return true;
    }
    return false;
}

bool tar_fits(const tar_options *o, const tar_member *m) {
    unsigned char b[TAR_BLOCK];
    size_t len = strlen(m->name);
    if (o->format == TAR_V7) return len <= 100;
    return o->format != TAR_USTAR || len <= 100 || split_name(m->name, b);
}

void tar_put_header(tar_archive *a, const tar_member *m) {
    enum tar_format format = a->o->format;
    unsigned char b[TAR_BLOCK] = {0};
    size_t len = strlen(m->name), link = m->link ? strlen(m->link) : 0;
    if (format == TAR_GNU && link > 100) put_special(a, 'K', "././@LongLink", m->link, link + 1);
    if (format == TAR_GNU && len > 100) put_special(a, 'L', "././@LongLink", m->name, len + 1);
    if (format == TAR_PAX) put_pax(a, m);
    if (!(format == TAR_USTAR && len > 100 && split_name(m->name, b)))
        memcpy(b + NAME, m->name, len < 100 ? len : 100);
    if (m->link) memcpy(b + LINK, m->link, link < 100 ? link : 100);
    put_number(b + MODE, 8, m->mode);
    put_number(b + UID, 8, m->uid);
    put_number(b + GID, 8, m->gid);
    put_number(b + SIZE, 12, m->size);
    put_number(b + MTIME, 12, m->mtime);
    b[TYPE] = (unsigned char)m->type;
    put_magic(a, b);
    if (format != TAR_V7) {
        memcpy(b + USER, m->user, strnlen(m->user, 31));
        memcpy(b + GROUP, m->group, strnlen(m->group, 31));
        if (m->type == '3' || m->type == '4' || format != TAR_GNU) {
            put_number(b + MAJOR, 8, m->major);
            put_number(b + MINOR, 8, m->minor);
        }
    }
    put_block(a, b);
}
