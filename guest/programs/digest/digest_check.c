/*
 * digest_check.c: -c: reads lists of digests and compares the files they name.
 *
 * Lines are "HEX  NAME", "HEX *NAME" or "NAME-OF-DIGEST (NAME) = HEX"; one that begins with a
 * backslash has \n, \r and \\ in its name.
 */
#include "digest.h"
#include "g_in.h"
#include "g_out.h"
#include "g_quote.h"
#include "lib/hex/hex.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    enum digest_kind kind;
    uint8_t bytes[DIGEST_MAX];
    size_t size;
    char *name; /* inside the line */
} entry;

static size_t size_of(enum digest_kind kind) {
    static const uint8_t sizes[] = {16, 20, 28, 32, 48, 64, 32, 64, 0, 0, 0};
    return sizes[kind];
}

/* The hexadecimal digits at s; whether their number fits the digest. */
static bool read_hex(const digest_check *c, entry *e, const char *s, size_t digits) {
    bool any_size = e->kind == DIGEST_BLAKE2B && !c->fixed_size;
    if (any_size ? digits < 2 || digits % 2 || digits > 2 * DIGEST_MAX : digits != 2 * e->size)
        return false;
    e->size = digits / 2;
    for (size_t i = 0; i < e->size; i++)
        e->bytes[i] = (uint8_t)(pf_hex(s[2 * i]) << 4 | pf_hex(s[2 * i + 1]));
    return true;
}

static size_t count_hex(const char *s) {
    size_t n = 0;
    while (pf_hex(s[n]) >= 0) n++;
    return n;
}

/* Undoes \n, \r and \\; false when there is another escape. */
static bool unescape(char *name) {
    char *to = name;
    for (const char *s = name; *s; s++) {
        if (*s != '\\') {
            *to++ = *s;
            continue;
        }
        s++;
        if (*s == 'n')
            *to++ = '\n';
        else if (*s == 'r')
            *to++ = '\r';
        else if (*s == '\\')
            *to++ = '\\';
        else
            return false;
    }
    *to = '\0';
    return true;
}

/* "SHA256 (name) = hex", also "BLAKE2b-256 (name) = hex". */
static bool read_tagged(const digest_check *c, entry *e, char *line, bool escaped) {
    size_t len = 0;
    bool found = false;
    for (int kind = DIGEST_MD5; kind <= DIGEST_BLAKE2B && !found; kind++) {
        if (!c->any_kind && kind != (int)c->kind) continue;
        len = strlen(digest_name((enum digest_kind)kind));
        if (strncmp(line, digest_name((enum digest_kind)kind), len) != 0) continue;
        if (line[len] != ' ' && line[len] != '(' && line[len] != '-') continue;
        e->kind = (enum digest_kind)kind;
        found = true;
    }
    if (!found) return false;
    e->size = e->kind == DIGEST_BLAKE2B && c->fixed_size ? c->size : size_of(e->kind);
    char *s = line + len;
    if (*s == '-') {
        if (e->kind != DIGEST_BLAKE2B) return false;
        unsigned long bits = strtoul(s + 1, &s, 10);
        if (bits == 0 || bits % 8 || bits > 8 * DIGEST_MAX) return false;
        e->size = bits / 8;
    }
    if (*s == ' ') s++;
    if (*s != '(') return false;
    char *close = strrchr(++s, ')');
    if (!close) return false;
    e->name = s;
    char *hex = close + 1;
    while (isblank((unsigned char)*hex)) hex++;
    if (*hex++ != '=') return false;
    while (isblank((unsigned char)*hex)) hex++;
    *close = '\0';
    size_t digits = count_hex(hex);
    if (hex[digits] || digits != 2 * e->size) return false;
    return read_hex(c, e, hex, digits) && (!escaped || unescape(e->name));
}

static bool read_entry(const digest_check *c, entry *e, char *line) {
    while (isblank((unsigned char)*line)) line++;
    bool escaped = *line == '\\';
    if (escaped) line++;
    if (read_tagged(c, e, line, escaped)) return true;
    if (c->any_kind) return false;
    e->kind = c->kind;
    e->size = c->kind == DIGEST_BLAKE2B ? c->size : size_of(c->kind);
    size_t digits = count_hex(line);
    if (line[digits] != ' ' && line[digits] != '\t') return false;
    if (!read_hex(c, e, line, digits)) return false;
    char *name = line + digits + 1;
    /* One blank is the old form of BSD, two or " *" the usual one. */
    if ((*name == ' ' || *name == '*') && name[1]) name++;
    if (!*name) return false;
    e->name = name;
    return !escaped || unescape(name);
}

typedef struct {
    uint64_t proper, bad_format, bad_digest, unreadable, matched;
} counts;

static void say(const char *name, const char *verdict) {
    bool escaped;
    char *shown = digest_escape_name(name, &escaped);
    if (escaped && strchr(name, '\n'))
        g_outc('\\');
    else
        shown = (free(shown), g_copy_string(name));
    g_outf("%s: %s\n", shown, verdict);
    free(shown);
}

static void verify(const digest_check *c, const entry *e, counts *n) {
    bool standard = strcmp(e->name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(e->name, O_RDONLY | O_CLOEXEC);
    digest d;
    int error = fd < 0 ? errno : digest_read(fd, e->kind, e->size, &d);
    if (fd >= 0) g_close_input(fd);
    if (error == ENOENT && c->ignore_missing) return;
    if (error) {
        g_warn_errno(error, "%s", g_quotef(e->name));
        n->unreadable++;
        if (!c->status_only) say(e->name, "FAILED open or read");
        return;
    }
    bool equal = d.size == e->size && memcmp(d.bytes, e->bytes, d.size) == 0;
    if (equal)
        n->matched++;
    else
        n->bad_digest++;
    if (c->status_only || (equal && c->quiet)) return;
    say(e->name, equal ? "OK" : "FAILED");
}

static void warn_count(uint64_t n, const char *one, const char *many) {
    if (n == 0) return;
    g_warn("WARNING: %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

bool digest_check_list(const digest_check *c, const char *list) {
    bool standard = strcmp(list, "-") == 0;
    const char *shown = g_quotef(standard ? "standard input" : list);
    int fd = g_open_input(list);
    if (fd < 0) return false;
    g_reader in;
    g_line line;
    counts n = {0};
    uint64_t number = 0;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        number++;
        if (line.len > 0 && line.s[line.len - 1] == '\r') line.len--;
        if (line.len == 0 || *line.s == '#') continue;
        char *text = g_copy_bytes(line.s, line.len);
        entry e;
        if (read_entry(c, &e, text)) {
            n.proper++;
            verify(c, &e, &n);
        } else {
            n.bad_format++;
            if (c->warn)
                g_warn("%s: %llu: improperly formatted %s checksum line", shown,
                       (unsigned long long)number, c->any_kind ? "CRC" : digest_name(c->kind));
        }
        free(text);
    }
    int error = in.error;
    g_reader_free(&in);
    g_close_input(fd);
    if (error) {
        g_warn_errno(error, "%s", shown);
        return false;
    }
    if (n.proper == 0) {
        g_warn("%s: no properly formatted checksum lines found", shown);
        return false;
    }
    if (!c->status_only) {
        warn_count(n.bad_format, "line is improperly formatted", "lines are improperly formatted");
        warn_count(n.unreadable, "listed file could not be read", "listed files could not be read");
        warn_count(n.bad_digest, "computed checksum did NOT match",
                   "computed checksums did NOT match");
        if (c->ignore_missing && n.matched == 0) g_warn("%s: no file was verified", shown);
    }
    return n.matched > 0 && n.bad_digest == 0 && n.unreadable == 0 &&
           (!c->strict || n.bad_format == 0);
}

void digest_check_unused(const digest_check *c) {
    const char *option = c->ignore_missing ? "ignore-missing"
                         : c->status_only  ? "status"
                         : c->warn         ? "warn"
                         : c->quiet        ? "quiet"
                         : c->strict       ? "strict"
                                           : NULL;
    if (option) g_usage("the --%s option is meaningful only when verifying checksums", option);
}
