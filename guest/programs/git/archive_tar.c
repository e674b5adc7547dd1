/*
 * archive_tar.c: POSIX tar archives (ustar, with extended headers for what does not fit: POSIX pax), byte
 * for byte as git writes them.
 */
#include "archive.h"

enum { RECORD = 512, BLOCK = 20 * RECORD, NAME = 100, PREFIX = 155 };

typedef struct {
    char name[NAME], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[NAME];
    char magic[6], version[2], owner[32], group[32], major[8], minor[8], prefix[PREFIX], rest[12];
} header;
_Static_assert(sizeof(header) == RECORD, "a header is one record");

static archive_facts facts;
static size_t written;
static unsigned mask;

static void write_padded(const void *bytes, size_t len) {
    static const char zeros[RECORD];
    archive_write(bytes, len);
    written += len;
    if (len % RECORD) {
        archive_write(zeros, RECORD - len % RECORD);
        written += RECORD - len % RECORD;
    }
}

static void write_header(header *h, char type, unsigned mode, size_t size) {
    unsigned sum = 0;
    h->type = type;
    snprintf(h->mode, sizeof h->mode, "%07o", mode & 07777);
    snprintf(h->size, sizeof h->size, "%011llo", size < (1ULL << 33) ? (unsigned long long)size : 0);
    snprintf(h->mtime, sizeof h->mtime, "%011llo", (unsigned long long)facts.time);
    snprintf(h->uid, sizeof h->uid, "%07o", 0);
    snprintf(h->gid, sizeof h->gid, "%07o", 0);
    snprintf(h->owner, sizeof h->owner, "root");
    snprintf(h->group, sizeof h->group, "root");
    snprintf(h->major, sizeof h->major, "%07d", 0);
    snprintf(h->minor, sizeof h->minor, "%07d", 0);
    memcpy(h->magic, "ustar", 6);
    memcpy(h->version, "00", 2);
    memset(h->checksum, ' ', sizeof h->checksum);
    for (size_t i = 0; i < sizeof *h; i++) sum += ((unsigned char *)h)[i];
    snprintf(h->checksum, sizeof h->checksum, "%07o", sum);
    write_padded(h, sizeof *h);
}

/* "LEN key=value\n", where LEN counts itself. */
static void add_record(g_text *out, const char *key, const char *value, size_t len) {
    size_t size = 1 + strlen(key) + 1 + len + 1, digits = 1;
    for (size_t ten = 10; size + digits >= ten; ten *= 10) digits++;
    g_text_addf(out, "%zu %s=", size + digits, key);
    g_text_add(out, value, len);
    g_text_addc(out, '\n');
}

static void begin(const archive_facts *given) {
    g_text text = {0};
    header h = {.name = "pax_global_header"};
    char *umask_ = config_string("tar.umask");
    facts = *given;
    mask = umask_ ? (unsigned)strtoul(umask_, NULL, 8) : 002;
    if (!facts.commit) return;
    add_record(&text, "comment", facts.commit, strlen(facts.commit));
    write_header(&h, 'g', 0666, text.len);
    write_padded(text.s, text.len);
    g_text_free(&text);
}

/* Where a path is cut into prefix and name; 0: nowhere. */
static size_t prefix_length(const char *path, size_t len) {
    size_t i = len;
    if (i > 1 && path[i - 1] == '/') i--;
    if (i > PREFIX) i = PREFIX;
    do i--;
    while (i > 0 && path[i] != '/');
    return i;
}

static void set_name(header *h, g_text *extended, const char *path, const char *id) {
    size_t len = strlen(path), cut = len > NAME ? prefix_length(path, len) : 0;
    if (len <= NAME) {
        memcpy(h->name, path, len);
    } else if (cut && len - cut - 1 <= NAME) {
        memcpy(h->prefix, path, cut);
        memcpy(h->name, path + cut + 1, len - cut - 1);
    } else {
        snprintf(h->name, sizeof h->name, "%s.data", id);
        add_record(extended, "path", path, len);
    }
}

static void entry(const archive_entry *e) {
    header h = {0};
    g_text extended = {0};
    bool link = (e->mode & 0170000) == GIT_FILEMODE_LINK;
    bool folder = e->path[strlen(e->path) - 1] == '/';
    unsigned mode = link ? 0777 : folder ? 0777 & ~mask : (e->mode & 0100 ? 0777 : 0666) & ~mask;
    set_name(&h, &extended, e->path, full_id(&e->id));
    if (link && e->len > sizeof h.link) {
        snprintf(h.link, sizeof h.link, "see %s.paxheader", full_id(&e->id));
        add_record(&extended, "linkpath", e->data, e->len);
    } else if (link) {
        memcpy(h.link, e->data, e->len);
    }
    if (extended.len) {
        header more = {0};
        snprintf(more.name, sizeof more.name, "%s.paxheader", full_id(&e->id));
        write_header(&more, 'x', 0666, extended.len);
        write_padded(extended.s, extended.len);
    }
    write_header(&h, link ? '2' : folder ? '5' : '0', mode, link || folder ? 0 : e->len);
    if (!link && !folder) write_padded(e->data, e->len);
    g_text_free(&extended);
}

/* Two empty records, and whole blocks. */
static void end(void) {
    static const char zeros[RECORD];
    size_t left = BLOCK - written % BLOCK;
    if (left < 2 * RECORD) left += BLOCK;
    for (; left; left -= RECORD) archive_write(zeros, RECORD);
}

const archive_format archive_tar = {begin, entry, end};
