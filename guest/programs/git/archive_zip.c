/*
 * archive_zip.c: ZIP archives (APPNOTE.TXT 6.3), with Unix modes and times.
 *
 * Sizes are written in front of the data, so that a reader needs no seeking; archives and members of 4 GiB and more
 * are refused.
 */
#include "archive.h"

#include <time.h>
#include <zlib.h>

enum { LOCAL = 0x04034b50, CENTRAL = 0x02014b50, LAST = 0x06054b50, STORED = 0, DEFLATED = 8, UTF8_NAME = 0x800 };

static archive_facts facts;
static g_text directory;
static uint32_t offset, count, dos_time;

static void put(g_text *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) g_text_addc(out, (char)(value >> (8 * i)));
}

static void emit(const void *bytes, size_t len) {
    if (len > UINT32_MAX - offset) die("zip archive too large");
    archive_write(bytes, len);
    offset += (uint32_t)len;
}

static void begin(const archive_facts *given) {
    facts = *given;
    time_t when = (time_t)facts.time;
    const struct tm *t = localtime(&when);
    if (!t || t->tm_year < 80 || t->tm_year > 80 + 127) die("timestamp too large for this system: %lld", (long long)when);
    dos_time = (uint32_t)((t->tm_year - 80) << 25 | (t->tm_mon + 1) << 21 | t->tm_mday << 16 | t->tm_hour << 11 |
                          t->tm_min << 5 | t->tm_sec / 2);
}

/* Smaller than it was, or nothing. */
static bool pack(const archive_entry *e, g_text *out) {
    z_stream z = {0};
    if (deflateInit2(&z, facts.level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) die("deflateInit2: %s", z.msg);
    g_text_reserve(out, deflateBound(&z, (uLong)e->len) + 1);
    z.next_in = (Bytef *)(uintptr_t)e->data;
    z.avail_in = (uInt)e->len;
    z.next_out = (Bytef *)out->s;
    z.avail_out = (uInt)out->cap;
    int rc = deflate(&z, Z_FINISH);
    out->len = z.total_out;
    deflateEnd(&z);
    return rc == Z_STREAM_END && out->len < e->len;
}

/* What both headers of an entry say alike: from the version needed to the length of the extra field. */
static void put_facts(g_text *out, const archive_entry *e, bool packed, size_t size, size_t name) {
    bool ascii = true;
    for (const char *p = e->path; *p; p++) ascii &= (unsigned char)*p < 128;
    put(out, 10, 2);
    put(out, ascii ? 0 : UTF8_NAME, 2);
    put(out, packed ? DEFLATED : STORED, 2);
    put(out, dos_time, 4);
    put(out, e->len ? (uint32_t)crc32(0, (const Bytef *)e->data, (uInt)e->len) : 0, 4);
    put(out, (uint32_t)size, 4);
    put(out, (uint32_t)e->len, 4);
    put(out, (uint32_t)name, 2);
    put(out, 9, 2);
}

/* "extended timestamp": the time of the last change in UTC. */
static void put_time(g_text *out) {
    put(out, 0x5455, 2);
    put(out, 5, 2);
    put(out, 1, 1);
    put(out, (uint32_t)facts.time, 4);
}

static void entry(const archive_entry *e) {
    g_text head = {0}, packed = {0};
    size_t name = strlen(e->path);
    bool folder = e->path[name - 1] == '/', link = (e->mode & 0170000) == GIT_FILEMODE_LINK;
    if (e->len > UINT32_MAX || name > UINT16_MAX) die("zip archives have no member as large as '%s'", e->path);
    if (count == UINT16_MAX) die("zip archives have no more than %d members", UINT16_MAX);
    bool smaller = !folder && !link && e->len && facts.level && pack(e, &packed);
    size_t size = smaller ? packed.len : e->len;
    uint32_t at = offset;
    put(&head, LOCAL, 4);
    put_facts(&head, e, smaller, size, name);
    g_text_add(&head, e->path, name);
    put_time(&head);
    emit(head.s, head.len);
    if (size) emit(smaller ? packed.s : e->data, size);
    unsigned mode = link ? e->mode | 0777 : e->mode & 0100 ? 0100755 : 0;
    put(&directory, CENTRAL, 4);
    put(&directory, mode ? 0x0317 : 0, 2); /* made by Unix where the mode says something */
    put_facts(&directory, e, smaller, size, name);
    put(&directory, 0, 4);
    put(&directory, !folder && !memchr(e->len ? e->data : "", 0, e->len < 8000 ? e->len : 8000), 2); /* text */
    put(&directory, mode << 16 | (folder ? 16 : 0), 4);
    put(&directory, at, 4);
    g_text_add(&directory, e->path, name);
    put_time(&directory);
    count++;
    g_text_free(&head);
    g_text_free(&packed);
}

static void end(void) {
    g_text last = {0};
    size_t comment = facts.commit ? strlen(facts.commit) : 0;
    uint32_t at = offset;
    if (directory.len) emit(directory.s, directory.len);
    put(&last, LAST, 4);
    put(&last, 0, 4);
    put(&last, count, 2);
    put(&last, count, 2);
    put(&last, (uint32_t)directory.len, 4);
    put(&last, at, 4);
    put(&last, (uint32_t)comment, 2);
    if (comment) g_text_add(&last, facts.commit, comment);
    emit(last.s, last.len);
    g_text_free(&last);
}

const archive_format archive_zip = {begin, entry, end};
