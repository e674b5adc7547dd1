/*
 * hexdump.c: hexdump, hd: dumps files after formats (util-linux).
 *
 * help hexdump hd:
 *   Usage:
 *    @NAME@ [options] <file>...
 *
 *   Display file contents in hexadecimal, decimal, octal, or ascii.
 *
 *   Options:
 *    -b, --one-byte-octal      one-byte octal display
 *    -c, --one-byte-char       one-byte character display
 *    -C, --canonical           canonical hex+ASCII display
 *    -d, --two-bytes-decimal   two-byte decimal display
 *    -o, --two-bytes-octal     two-byte octal display
 *    -x, --two-bytes-hex       two-byte hexadecimal display
 *    -e, --format <format>     format string to be used for displaying data
 *    -f, --format-file <file>  file that contains format strings
 *    -n, --length <length>     interpret only length bytes of input
 *    -s, --skip <offset>       skip offset bytes from the beginning
 *    -v, --no-squeezing        output identical lines
 *        --help                display this help
 *        --version             display version
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A conversion with the text around it: "text %08x text"; kind 0 is text alone. */
typedef struct {
    char *before;
    char
        kind; /* d i o u x X c s e f g, p _p, C _c, U _u, a _a (offset), A _A (offset at the end) */
    char base; /* of _a: d o x */
    char flags[24];
    int width, precision;
    int bytes;
    char *after;
} conversion;

/* "repeat/bytes format" */
typedef struct {
    unsigned repeat;
    int bytes; /* 0: what the conversions want */
    conversion *parts;
    size_t count, cap;
    bool explicit_repeat;
} unit;

typedef struct {
    unit *units;
    size_t count, cap;
    size_t block; /* bytes it takes */
} format;

typedef struct {
    format *formats;
    size_t count, cap, block;
    bool duplicates, has_limit;
    uint64_t skip, limit;
    char **files;
    int file_count, next, fd;
    bool opened, failed, skipping;
    unsigned char *buffer;
    size_t buffer_at, buffer_len; /* what is not taken yet */
} dumper;

enum { BUFFER = 65536 };

/* Formats */

static char *unescape(const char *s, size_t len) {
    g_text out = {0};
    g_text_add(&out, "", 0);
    for (size_t i = 0; i < len; i++) {
        static const char letters[] = "abfnrtv0", bytes[] = "\a\b\f\n\r\t\v";
        const char *known = s[i] == '\\' && i + 1 < len ? strchr(letters, s[i + 1]) : NULL;
        if (s[i] == '\\' && i + 1 < len) i++;
        g_text_addc(&out, known ? bytes[known - letters] : s[i]);
    }
    return out.s;
}

static _Noreturn void bad_format(const char *text) {
    g_die(1, "bad format {%s}", text);
}

static size_t read_conversion(conversion *c, const char *s, size_t len, int bytes) {
    size_t at = 1;
    char *flag = c->flags;
    while (at < len && strchr("-+ #0", s[at]) && flag < c->flags + 8) *flag++ = s[at++];
    while (at < len && isdigit((unsigned char)s[at])) c->width = c->width * 10 + (s[at++] - '0');
    c->precision = -1;
    if (at < len && s[at] == '.') {
        c->precision = 0;
        for (at++; at < len && isdigit((unsigned char)s[at]); at++)
            c->precision = c->precision * 10 + (s[at] - '0');
    }
    if (at >= len) bad_format(s);
    c->kind = s[at++];
    if (c->kind == '_') {
        if (at >= len) bad_format(s);
        char name = s[at++];
        if (name == 'a' || name == 'A') {
            c->kind = name;
            if (at >= len || !strchr("dox", s[at]))
                g_die(1, "bad conversion character %%_%c", name);
            c->base = s[at++];
            return at;
        }
        if (name != 'c' && name != 'p' && name != 'u')
            g_die(1, "bad conversion character %%_%c", name);
        c->kind = (char)(name == 'p' ? 'p' : toupper((unsigned char)name));
        c->bytes = 1;
        return at;
    }
    if (!strchr("diouxXcsEefGg", c->kind)) g_die(1, "bad conversion character %%%c", c->kind);
    if (c->kind == 'c')
        c->bytes = 1;
    else if (c->kind == 's')
        c->bytes = bytes ? bytes : c->precision > 0 ? c->precision : -1;
    else if (strchr("EefGg", c->kind))
        c->bytes = bytes ? bytes : 8;
    else
        c->bytes = bytes ? bytes : 4;
    return at;
}

/* The text between quotes: conversions with what stands around them. */
static void read_parts(unit *u, const char *s, size_t len) {
    size_t from = 0;
    for (size_t at = 0; at < len;) {
        if (s[at] != '%') {
            at++;
            continue;
        }
        if (at + 1 < len && s[at + 1] == '%') {
            at += 2;
            continue;
        }
        if (u->count == u->cap) u->parts = g_more(u->parts, &u->cap, sizeof *u->parts);
        conversion *c = &u->parts[u->count++];
        *c = (conversion){.before = unescape(s + from, at - from), .after = NULL};
        at += read_conversion(c, s + at, len - at, u->bytes);
        from = at;
    }
    if (from == len && u->count) return;
    if (u->count) {
        u->parts[u->count - 1].after = unescape(s + from, len - from);
        return;
    }
    u->parts = g_more(u->parts, &u->cap, sizeof *u->parts);
    u->parts[u->count++] = (conversion){.before = unescape(s, len)};
}

static size_t unit_bytes(const unit *u) {
    size_t total = 0;
    for (size_t i = 0; i < u->count; i++) total += (size_t)u->parts[i].bytes;
    return total;
}

static void add_format(dumper *d, const char *text) {
    if (d->count == d->cap) d->formats = g_more(d->formats, &d->cap, sizeof *d->formats);
    format *f = &d->formats[d->count++];
    *f = (format){0};
    for (const char *s = text + strspn(text, " \t\n"); *s; s += strspn(s, " \t\n")) {
        if (f->count == f->cap) f->units = g_more(f->units, &f->cap, sizeof *f->units);
        unit *u = &f->units[f->count++];
        *u = (unit){.repeat = 1};
        if (isdigit((unsigned char)*s)) {
            u->repeat = (unsigned)strtoul(s, (char **)(uintptr_t)&s, 10);
            u->explicit_repeat = true;
            s += strspn(s, " \t\n");
        }
        if (*s == '/') {
            s++;
            s += strspn(s, " \t\n");
            u->bytes = (int)strtol(s, (char **)(uintptr_t)&s, 10);
            s += strspn(s, " \t\n");
        }
        if (*s != '"') bad_format(text);
        const char *end = ++s;
        while (*end && *end != '"') end += 1 + (*end == '\\' && end[1]);
        if (!*end) bad_format(text);
        read_parts(u, s, (size_t)(end - s));
        s = end + 1;
    }
    for (size_t i = 0; i < f->count; i++) f->block += unit_bytes(&f->units[i]) * f->units[i].repeat;
}

/* The last unit of a format without a count fills the rest of the block. */
static void lay_out(dumper *d) {
    for (size_t i = 0; i < d->count; i++)
        if (d->formats[i].block > d->block) d->block = d->formats[i].block;
    for (size_t i = 0; i < d->count; i++) {
        format *f = &d->formats[i];
        unit *last = f->count ? &f->units[f->count - 1] : NULL;
        size_t bytes = last ? unit_bytes(last) : 0;
        if (!last || f->block >= d->block || last->explicit_repeat || bytes == 0) continue;
        last->repeat += (unsigned)((d->block - f->block) / bytes);
    }
}

/* Input */

static bool next_file(dumper *d) {
    static char *only_stdin[] = {"-"};
    if (d->file_count == 0) {
        d->files = only_stdin;
        d->file_count = 1;
    }
    while (d->next < d->file_count) {
        const char *name = d->files[d->next++];
        d->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
        if (d->fd >= 0) return d->opened = true;
        g_warn_errno(errno, "%s", name);
        d->failed = true;
    }
    return false;
}

/* As read(2). Under a limit no more is taken than is wanted: the rest is for who reads next. */
static ssize_t read_file(dumper *d, unsigned char *to, size_t want) {
    if (d->has_limit) return g_read(d->fd, to, want);
    if (d->buffer_at == d->buffer_len) {
        if (!d->buffer) d->buffer = g_alloc(BUFFER);
        ssize_t n = g_read(d->fd, d->buffer, BUFFER);
        if (n <= 0) return n;
        d->buffer_at = 0;
        d->buffer_len = (size_t)n;
    }
    size_t n = d->buffer_len - d->buffer_at < want ? d->buffer_len - d->buffer_at : want;
    memcpy(to, d->buffer + d->buffer_at, n);
    d->buffer_at += n;
    return (ssize_t)n;
}

static size_t read_input(dumper *d, unsigned char *to, size_t want) {
    size_t have = 0;
    bool limited = d->has_limit && !d->skipping;
    if (limited && want > d->limit) want = (size_t)d->limit;
    while (have < want && (d->fd >= 0 || next_file(d))) {
        ssize_t n = read_file(d, to + have, want - have);
        if (n < 0) {
            g_warn_errno(errno, "%s", d->files[d->next - 1]);
            d->failed = true;
        }
        if (n > 0) have += (size_t)n;
        if (n > 0) continue;
        g_close_input(d->fd);
        d->fd = -1;
    }
    if (limited) d->limit -= have;
    return have;
}

/* Output */

/* A number that nothing but zeroes and blanks in front are asked for: false, if there is more. */
static bool put_plain(const conversion *c, uint64_t value, char base) {
    bool zeroes = c->flags[0] == '0' && !c->flags[1];
    int width = c->width, digits = zeroes ? width : 1;
    if ((c->flags[0] && !zeroes) || width > 64) return false;
    if (c->precision >= 0) {
        if (c->precision == 0 || c->precision > 64) return false;
        digits = c->precision; /* and the flag has no meaning */
    }
    char text[72];
    size_t at = sizeof text;
    do {
        unsigned digit = base == 'x' || base == 'X' ? value & 15
                         : base == 'o'              ? value & 7
                                                    : value % 10;
        text[--at] = (base == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[digit];
        value = base == 'x' || base == 'X' ? value >> 4 : base == 'o' ? value >> 3 : value / 10;
    } while (value);
    while ((int)(sizeof text - at) < digits) text[--at] = '0';
    while ((int)(sizeof text - at) < width) text[--at] = ' ';
    g_out(text + at, sizeof text - at);
    return true;
}

static void put_offset(const conversion *c, uint64_t offset) {
    if (put_plain(c, offset, c->base)) return;
    char spec[48];
    const char *kind = c->base == 'd' ? PRId64 : c->base == 'o' ? PRIo64 : PRIx64;
    if (c->precision >= 0)
        snprintf(spec, sizeof spec, "%%%s%d.%d%s", c->flags, c->width, c->precision, kind);
    else
        snprintf(spec, sizeof spec, "%%%s%d%s", c->flags, c->width, kind);
    char text[64];
    snprintf(text, sizeof text, spec, offset);
    g_outs(text);
}

static void put_padded(const conversion *c, const char *text) {
    size_t len = strlen(text), width = (size_t)c->width;
    bool left = strchr(c->flags, '-') != NULL;
    if (!left && width > len) g_out_fill(' ', width - len);
    g_outs(text);
    if (left && width > len) g_out_fill(' ', width - len);
}

static const char *name_of(unsigned char c, char kind, char out[8]) {
    static const char names[][4] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel",
                                    "bs",  "ht",  "lf",  "vt",  "ff",  "cr",  "so",  "si",
                                    "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
                                    "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us"};
    if (kind == 'U') {
        if (c < 32) return names[c];
        if (c == 127) return "del";
        snprintf(out, 8, c < 127 ? "%c" : "%02x", c);
        return out;
    }
    static const char escapes[] = "0......abtnvfr";
    if (c == 0 || (c >= 7 && c <= 13))
        snprintf(out, 8, "\\%c", escapes[c]);
    else
        snprintf(out, 8, c >= 32 && c < 127 ? "%c" : "%03o", c);
    return out;
}

static void put_number(const conversion *c, const unsigned char *p) {
    uint64_t value = 0;
    char spec[48], text[128];
    for (int i = 0; i < c->bytes && i < 8; i++) value |= (uint64_t)p[i] << 8 * i;
    bool natural = c->kind == 'x' || c->kind == 'X' || c->kind == 'o' || c->kind == 'u';
    if (natural && put_plain(c, value, c->kind)) return;
    char precision[16] = "";
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    if (strchr("EefGg", c->kind)) {
        double number;
        if (c->bytes == 4) {
            float small;
            memcpy(&small, p, sizeof small);
            number = small;
        } else {
            memcpy(&number, p, sizeof number);
        }
        snprintf(spec, sizeof spec, "%%%s%d%s%c", c->flags, c->width, precision, c->kind);
        snprintf(text, sizeof text, spec, number);
    } else {
        int shift = 64 - 8 * (c->bytes > 8 ? 8 : c->bytes);
        bool is_signed = c->kind == 'd' || c->kind == 'i';
        snprintf(spec, sizeof spec, "%%%s%d%sll%c", c->flags, c->width, precision, c->kind);
        snprintf(text, sizeof text, spec,
                 is_signed ? (long long)((int64_t)(value << shift) >> shift) : (long long)value);
    }
    g_outs(text);
}

static void put_conversion(const conversion *c, const unsigned char *p, uint64_t offset) {
    char text[8];
    switch (c->kind) {
    case 0: break;
    case 'a': put_offset(c, offset); break;
    case 'A': break;
    case 'p':
        text[0] = *p >= 32 && *p < 127 ? (char)*p : '.';
        text[1] = '\0';
        if (c->width <= 1) g_outc(text[0]);
        else put_padded(c, text);
        break;
    case 'C':
    case 'U': put_padded(c, name_of(*p, c->kind, text)); break;
    case 'c':
        if (c->width > 1) g_out_fill(' ', (size_t)c->width - 1);
        g_outc((char)*p);
        break;
    case 's': {
        char *s = g_copy_bytes((const char *)p, (size_t)c->bytes);
        put_padded(c, s);
        free(s);
        break;
    }
    default: put_number(c, p);
    }
}

/* Where the data has ended, a field is as wide as its format says. */
static void put_blank(const conversion *c) {
    int width = c->width > c->precision || c->kind == 's' ? c->width : c->precision;
    g_out_fill(' ', (size_t)(width > 0 ? width : 0));
}

/* The blanks at the end of a repeated text are left out the last time. */
static void put_after(const char *text, bool last_of_repeat) {
    if (!text) return;
    size_t len = strlen(text);
    while (last_of_repeat && len > 0 && isspace((unsigned char)text[len - 1])) len--;
    if (len) g_out(text, len);
}

static void put_format(const format *f, const unsigned char *p, size_t len, uint64_t offset) {
    size_t at = 0;
    for (size_t i = 0; i < f->count; i++) {
        const unit *u = &f->units[i];
        for (unsigned n = 0; n < u->repeat; n++) {
            for (size_t k = 0; k < u->count; k++) {
                const conversion *c = &u->parts[k];
                bool ended = c->bytes > 0 && at + (size_t)c->bytes > len && at >= len;
                if (c->kind == 'A') continue;
                if (*c->before) g_outs(c->before);
                if (ended)
                    put_blank(c);
                else
                    put_conversion(c, p + at, offset + at);
                at += (size_t)c->bytes;
                put_after(c->after, n + 1 == u->repeat && u->repeat > 1 && k + 1 == u->count);
            }
        }
    }
}

static void dump(dumper *d) {
    unsigned char *now = g_zalloc(d->block + 16), *before = g_zalloc(d->block + 16);
    uint64_t offset = 0;
    bool first = true, starred = false;
    d->skipping = true;
    for (uint64_t left = d->skip; left > 0;) {
        unsigned char waste[4096];
        size_t n = read_input(d, waste, left < sizeof waste ? (size_t)left : sizeof waste);
        if (n == 0) break;
        left -= n;
        offset += n;
    }
    d->skipping = false;
    for (size_t n; (n = read_input(d, now, d->block)) > 0; offset += n) {
        if (n < d->block) memset(now + n, 0, d->block - n);
        if (n == d->block && !first && !d->duplicates && memcmp(now, before, n) == 0) {
            if (!starred) g_outs("*\n");
            starred = true;
            continue;
        }
        starred = first = false;
        for (size_t i = 0; i < d->count; i++) put_format(&d->formats[i], now, n, offset);
        unsigned char *kept = now;
        now = before;
        before = kept;
    }
    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; k < d->formats[i].count; k++)
            for (size_t m = 0; m < d->formats[i].units[k].count; m++) {
                const conversion *c = &d->formats[i].units[k].parts[m];
                if (c->kind != 'A' || offset == 0) continue;
                g_outs(c->before);
                put_offset(c, offset);
                if (c->after) g_outs(c->after);
            }
    free(now);
    free(before);
}

static void add_known(dumper *d, char letter) {
    if (letter == 'C') {
        add_format(d, "\"%08.8_Ax\\n\"");
        add_format(d, "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \"");
        add_format(d, "\"  |\" 16/1 \"%_p\" \"|\\n\"");
        return;
    }
    add_format(d, "\"%07.7_Ax\\n\"");
    switch (letter) {
    case 'b': add_format(d, "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""); break;
    case 'c': add_format(d, "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""); break;
    case 'd': add_format(d, "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""); break;
    case 'o': add_format(d, "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""); break;
    case 'x': add_format(d, "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""); break;
    default: add_format(d, "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"");
    }
}

static void add_file(dumper *d, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) g_exit(1);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line))
        if (line.len > 0 && *line.s != '#') add_format(d, g_copy_bytes(line.s, line.len));
    g_reader_free(&in);
    g_close_input(fd);
}

static uint64_t bytes_value(const char *text) {
    char *end;
    errno = 0;
    if (text[0] == '0') {
        uint64_t value = strtoull(text, &end, 0);
        if (!*end && !errno) return value;
    }
    return g_number(text, G_SIZES, 0, INT64_MAX, "failed to parse length");
}

static const g_long longs[] = {{"one-byte-octal", 'b', G_NONE},  {"one-byte-char", 'c', G_NONE},
                               {"canonical", 'C', G_NONE},       {"two-bytes-decimal", 'd', G_NONE},
                               {"two-bytes-octal", 'o', G_NONE}, {"two-bytes-hex", 'x', G_NONE},
                               {"format", 'e', G_REQUIRED},      {"format-file", 'f', G_REQUIRED},
                               {"length", 'n', G_REQUIRED},      {"skip", 's', G_REQUIRED},
                               {"no-squeezing", 'v', G_NONE},    {0}};

int hexdump_main(int argc, char **argv) {
    dumper d = {.fd = -1};
    const char *slash = strrchr(g_name(), '/');
    g_options o = g_options_of(argc, argv, "bcCdoxe:f:n:s:vhVL::", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'e': add_format(&d, o.arg); break;
        case 'f': add_file(&d, o.arg); break;
        case 'n':
            d.limit = bytes_value(o.arg);
            d.has_limit = true;
            break;
        case 's': d.skip = bytes_value(o.arg); break;
        case 'v': d.duplicates = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        case 'L': break;
        default: add_known(&d, (char)option);
        }
    if (d.count == 0) add_known(&d, strcmp(slash ? slash + 1 : g_name(), "hd") == 0 ? 'C' : 0);
    d.files = argv + o.at;
    d.file_count = argc - o.at;
    lay_out(&d);
    if (d.block == 0) g_die(1, "the formats take no data");
    dump(&d);
    if (!d.opened && d.failed) g_die(1, "all input file arguments failed");
    return d.failed;
}
