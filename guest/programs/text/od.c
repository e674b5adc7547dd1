/*
 * od.c: dumps files in octal and other formats.
 *
 * Deviation: no long double (-t fL).
 *
 * help od:
 *   Usage: od [OPTION]... [FILE]...
 *     or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
 *   Write an unambiguous representation, octal bytes by default, of FILE to standard output.
 *
 *     -A, --address-radix=RADIX   output format for file offsets: d, o, x or n for none
 *         --endian={big|little}   swap input bytes according the specified order
 *     -j, --skip-bytes=BYTES      skip BYTES input bytes first
 *     -N, --read-bytes=BYTES      limit dump to BYTES input bytes
 *     -S BYTES, --strings[=BYTES]  show only NUL terminated strings of at least BYTES (3)
 *                                 printable characters
 *     -t, --format=TYPE           select output format or formats
 *     -v, --output-duplicates     do not use @*@ to mark line suppression
 *     -w[BYTES], --width[=BYTES]  output BYTES bytes per output line; 32 without BYTES
 *         --help                  display this help and exit
 *         --version               output version information and exit
 *
 *   Traditional format specifications may be intermixed; they accumulate:
 *     -a   same as -t a,  select named characters, ignoring high-order bit
 *     -b   same as -t o1, select octal bytes
 *     -c   same as -t c,  select printable characters or backslash escapes
 *     -d   same as -t u2, select unsigned decimal 2-byte units
 *     -f   same as -t fF, select floats
 *     -i   same as -t dI, select decimal ints
 *     -l   same as -t dL, select decimal longs
 *     -o   same as -t o2, select octal 2-byte units
 *     -s   same as -t d2, select decimal 2-byte units
 *     -x   same as -t x2, select hexadecimal 2-byte units
 *
 *   TYPE is made up of one or more of these: a named character, c printable character or
 *   backslash escape, d[SIZE] signed decimal, f[SIZE] floating point, o[SIZE] octal, u[SIZE]
 *   unsigned decimal, x[SIZE] hexadecimal; SIZE bytes per integer. A z suffix displays printable
 *   characters at the end of each output line.
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 65536 };

typedef struct {
    char type; /* a c d f o u x */
    int size;  /* bytes of a unit */
    int width; /* columns of a field without the pad in front */
    int pad;   /* blanks of all fields of a block together */
    bool text; /* z: the characters behind the line */
} spec;

typedef struct {
    spec *specs;
    size_t spec_count, spec_cap;
    char radix; /* o d x n */
    bool duplicates, swap;
    bool has_limit, has_width, pseudo;
    uint64_t skip, limit, block, string_min, pseudo_start;
    bool strings;
    char **files;
    int file_count, next;
    int fd;
    int status;
    uint64_t taken; /* bytes read under the limit */
    bool skipping;  /* which no limit is for */
    unsigned char *buffer;
    size_t buffer_at, buffer_len; /* what is not taken yet */
} dumper;

/* Input: the files one behind the other */

static bool next_file(dumper *d) {
    while (d->next < d->file_count) {
        d->fd = g_open_input(d->files[d->next++]);
        if (d->fd >= 0) return true;
        d->status = 1;
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

/* Up to `want` bytes; less only at the end of everything. */
static size_t read_input(dumper *d, unsigned char *to, size_t want) {
    size_t have = 0;
    bool limited = d->has_limit && !d->skipping;
    if (limited && want > d->limit - d->taken) want = (size_t)(d->limit - d->taken);
    while (have < want && (d->fd >= 0 || next_file(d))) {
        ssize_t n = read_file(d, to + have, want - have);
        if (n > 0) {
            have += (size_t)n;
            continue;
        }
        if (n < 0) {
            g_warn_errno(errno, "%s", g_quotef(d->files[d->next - 1]));
            d->status = 1;
        }
        g_close_input(d->fd);
        d->fd = -1;
    }
    d->taken += have;
    return have;
}

static void skip_input(dumper *d) {
    static unsigned char waste[4096];
    uint64_t left = d->skip;
    d->skipping = true;
    while (left > 0) {
        size_t n = read_input(d, waste, left < sizeof waste ? (size_t)left : sizeof waste);
        if (n == 0) g_die(1, "cannot skip past end of combined input");
        left -= n;
    }
    d->skipping = false;
    d->taken = 0;
}

/* Output */

/* Digits of a number, filled up in front to `digits` with zeroes and to `width` with blanks. */
static void put_digits(uint64_t value, unsigned base, int digits, int width, bool negative) {
    char text[80];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[base == 16  ? value & 15
                                        : base == 8 ? value & 7
                                                    : value % 10];
        value = base == 16 ? value >> 4 : base == 8 ? value >> 3 : value / 10;
    } while (value);
    while ((int)(sizeof text - at) < digits) text[--at] = '0';
    if (negative) text[--at] = '-';
    if (width > (int)sizeof text) {
        g_out_fill(' ', (size_t)width - sizeof text);
        width = (int)sizeof text;
    }
    while ((int)(sizeof text - at) < width) text[--at] = ' ';
    g_out(text + at, sizeof text - at);
}

static void put_address(const dumper *d, uint64_t offset, char end) {
    unsigned base = d->radix == 'd' ? 10 : d->radix == 'x' ? 16 : 8;
    int digits = d->radix == 'x' ? 6 : 7;
    if (d->radix != 'n') put_digits(offset, base, digits, 0, false);
    if (d->pseudo) {
        g_outs(" (");
        put_digits(offset - d->skip + d->pseudo_start, base, digits, 0, false);
        g_outc(')');
    }
    if (end) g_outc(end);
}

static uint64_t unit_at(const dumper *d, const unsigned char *p, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)p[d->swap ? size - 1 - i : i] << 8 * i;
    return value;
}

/* The shortest text that reads back as the same number. */
static void float_text(uint64_t bits, int size, char *out, size_t room) {
    if (size == 4) {
        uint32_t half = (uint32_t)bits;
        float f;
        memcpy(&f, &half, sizeof f);
        for (int digits = f < FLT_MIN && f > -FLT_MIN ? 1 : FLT_DIG;; digits++) {
            snprintf(out, room, "%.*g", digits, (double)f);
            if (digits >= 9 || strtof(out, NULL) == f) return;
        }
    }
    double f;
    memcpy(&f, &bits, sizeof f);
    for (int digits = f < DBL_MIN && f > -DBL_MIN ? 1 : DBL_DIG;; digits++) {
        snprintf(out, room, "%.*g", digits, f);
        if (digits >= 17 || strtod(out, NULL) == f) return;
    }
}

static const char *character_text(unsigned char c, char out[8]) {
    static const char escapes[] = "0......abtnvfr";
    size_t len = 0;
    if ((c >= 7 && c <= 13) || c == 0) {
        out[len++] = '\\';
        out[len++] = escapes[c];
    } else if (c >= 32 && c < 127) {
        out[len++] = (char)c;
    } else {
        for (int shift = 6; shift >= 0; shift -= 3) out[len++] = (char)('0' + (c >> shift & 7));
    }
    out[len] = '\0';
    return out;
}

static const char *named_text(unsigned char c, char out[8]) {
    static const char names[][4] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",
                                    "ht",  "nl",  "vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1",
                                    "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",  "sub",
                                    "esc", "fs",  "gs",  "rs",  "us",  "sp"};
    c &= 0x7f;
    if (c <= 32) return names[c];
    if (c == 127) return "del";
    out[0] = (char)c;
    out[1] = '\0';
    return out;
}

static void put_text(const char *text, int width) {
    size_t len = strlen(text);
    if (width > (int)len) g_out_fill(' ', (size_t)width - len);
    g_out(text, len);
}

static void put_field(const dumper *d, const spec *s, const unsigned char *p, int width) {
    char text[40];
    uint64_t value = unit_at(d, p, s->size);
    switch (s->type) {
    case 'a': put_text(named_text(*p, text), width); return;
    case 'c': put_text(character_text(*p, text), width); return;
    case 'f':
        float_text(value, s->size, text, sizeof text);
        put_text(text, width);
        return;
    case 'd': {
        int shift = 64 - 8 * s->size;
        int64_t number = (int64_t)(value << shift) >> shift;
        put_digits(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10, 0, width, number < 0);
        return;
    }
    case 'u': put_digits(value, 10, 0, width, false); return;
    case 'o': put_digits(value, 8, s->width, width, false); return;
    default: put_digits(value, 16, s->width, width, false);
    }
}

/* Bytes in hexadecimal, what od is mostly asked for, each behind one blank. */
static void put_bytes(const unsigned char *p, size_t len) {
    static const char digits[] = "0123456789abcdef";
    char text[3 * 64];
    for (size_t n; len > 0; p += n, len -= n) {
        n = len < 64 ? len : 64;
        for (size_t i = 0; i < n; i++) {
            text[3 * i] = ' ';
            text[3 * i + 1] = digits[p[i] >> 4];
            text[3 * i + 2] = digits[p[i] & 15];
        }
        g_out(text, 3 * n);
    }
}

static void put_line(const dumper *d, const spec *s, const unsigned char *p, size_t len) {
    int fields = (int)(d->block / (unsigned)s->size),
        blank = (int)((d->block - len) / (unsigned)s->size);
    int left = s->pad;
    bool bytes = s->type == 'x' && s->size == 1 && s->pad == fields;
    if (bytes) put_bytes(p, len);
    for (int i = bytes ? blank : fields; i > blank; i--, p += s->size) {
        int next = (int)((int64_t)s->pad * (i - 1) / fields);
        put_field(d, s, p, left - next + s->width);
        left = next;
    }
    if (!s->text) return;
    g_out_fill(' ', (size_t)(blank * s->width + (int)((int64_t)s->pad * blank / fields)));
}

static void put_block(const dumper *d, uint64_t offset, const unsigned char *p, size_t len) {
    for (size_t i = 0; i < d->spec_count; i++) {
        const spec *s = &d->specs[i];
        if (i == 0)
            put_address(d, offset, '\0');
        else
            g_out_fill(' ', d->radix == 'n' ? 0
                                            : (d->radix == 'x' ? 6 : 7) * (d->pseudo ? 2 : 1) +
                                                  (d->pseudo ? 3 : 0));
        put_line(d, s, p, len);
        if (s->text) {
            g_outs("  >");
            for (size_t j = 0; j < len; j++) g_outc(p[j] >= 32 && p[j] < 127 ? (char)p[j] : '.');
            g_outc('<');
        }
        g_outc('\n');
    }
}

static unsigned unit_multiple(const dumper *d) {
    unsigned most = 1; /* sizes are powers of two */
    for (size_t i = 0; i < d->spec_count; i++)
        if ((unsigned)d->specs[i].size > most) most = (unsigned)d->specs[i].size;
    return most;
}

static void dump(dumper *d) {
    size_t block = (size_t)d->block, n;
    unsigned char *now = g_zalloc(block), *before = g_zalloc(block);
    uint64_t offset = d->skip;
    bool first = true, starred = false;
    while ((n = read_input(d, now, block)) == block) {
        if (!first && !d->duplicates && memcmp(now, before, block) == 0) {
            if (!starred) g_outs("*\n");
            starred = true;
        } else {
            starred = false;
            put_block(d, offset, now, block);
        }
        first = false;
        offset += block;
        unsigned char *swapped = now;
        now = before;
        before = swapped;
    }
    if (n > 0) {
        memset(now + n, 0, block - n);
        put_block(d, offset, now, n);
    }
    if (d->radix != 'n' || d->pseudo) put_address(d, offset + n, '\n');
    free(now);
    free(before);
}

/* -S: runs of printable characters that a NUL (or the limit) ends. */
static void put_string(const dumper *d, uint64_t offset, const char *s, size_t len) {
    if (d->radix != 'n') put_address(d, offset, ' ');
    g_out(s, len);
    g_outc('\n');
}

static void dump_strings(dumper *d) {
    char *run = NULL;
    size_t len = 0, cap = 0;
    uint64_t offset = d->skip;
    unsigned char block[4096];
    for (size_t n; (n = read_input(d, block, sizeof block)) > 0;) {
        for (size_t i = 0; i < n; i++, offset++) {
            unsigned char c = block[i];
            if (c >= 32 && c < 127) {
                if (len == cap) run = g_more(run, &cap, 1);
                run[len++] = (char)c;
                continue;
            }
            if (c == 0 && len >= d->string_min) put_string(d, offset - len, run, len);
            len = 0;
        }
    }
    if (len >= d->string_min && d->has_limit && d->taken == d->limit)
        put_string(d, offset - len, run, len);
    free(run);
}

/* Types */

static void add_spec(dumper *d, char type, int size) {
    static const int widths[4][4] = {{3, 6, 11, 22}, {4, 6, 11, 20}, {3, 5, 10, 20}, {2, 4, 8, 16}};
    if (d->spec_count == d->spec_cap) d->specs = g_more(d->specs, &d->spec_cap, sizeof *d->specs);
    spec *s = &d->specs[d->spec_count++];
    int log = size == 8 ? 3 : size == 4 ? 2 : size - 1;
    *s = (spec){.type = type, .size = size};
    switch (type) {
    case 'a':
    case 'c': s->width = 3; break;
    case 'f': s->width = size == 4 ? 15 : 24; break;
    case 'o': s->width = widths[0][log]; break;
    case 'd': s->width = widths[1][log]; break;
    case 'u': s->width = widths[2][log]; break;
    default: s->width = widths[3][log]; break;
    }
}

/* SIZE behind a type letter: a number or a letter. */
static const char *read_size(const char *text, const char *s, char type, int *size) {
    static const char integers[] = "CSIL", floats[] = "FDL";
    static const int integer_sizes[] = {1, 2, 4, 8}, float_sizes[] = {4, 8, 16};
    bool real = type == 'f';
    *size = real ? 8 : 4;
    const char *known = *s ? strchr(real ? floats : integers, *s) : NULL;
    if (known) {
        *size = real ? float_sizes[known - floats] : integer_sizes[known - integers];
        s++;
    } else if (*s >= '0' && *s <= '9') {
        uint64_t value;
        if (g_parse_unsigned(s, "", &value, &s) == G_NUMBER_OVERFLOW || value > 1000000)
            g_die(1, "invalid type string %s", g_quote(text));
        *size = (int)value;
    }
    bool good = *size == 4 || *size == 8 || (!real && (*size == 1 || *size == 2));
    if (!good) {
        g_warn("invalid type string %s;\nthis system doesn't provide a %d-byte %s type",
               g_quote(text), *size, real ? "floating point" : "integral");
        g_exit(1);
    }
    return s;
}

static void add_types(dumper *d, const char *text) {
    for (const char *s = text; *s;) {
        char type = *s++;
        int size = 1;
        if (strchr("dfoux", type)) {
            s = read_size(text, s, type, &size);
        } else if (type != 'a' && type != 'c') {
            g_die(1, "invalid character '%c' in type string %s", type, g_quote(text));
        }
        add_spec(d, type, size);
        if (*s == 'z') {
            d->specs[d->spec_count - 1].text = true;
            s++;
        }
    }
}

static void lay_out(dumper *d) {
    unsigned unit = unit_multiple(d);
    if (!d->has_width) {
        d->block = unit < 16 ? unit * (16 / unit) : unit;
    } else if (d->block == 0 || d->block % unit) {
        g_warn("warning: invalid width %" PRIu64 "; using %u instead", d->block, unit);
        d->block = unit;
    }
    int widest = 0;
    for (size_t i = 0; i < d->spec_count; i++) {
        int fields = (int)(d->block / (unsigned)d->specs[i].size);
        int width = (d->specs[i].width + 1) * fields;
        if (width > widest) widest = width;
    }
    for (size_t i = 0; i < d->spec_count; i++)
        d->specs[i].pad = widest - d->specs[i].width * (int)(d->block / (unsigned)d->specs[i].size);
}

/* [+]OFFSET[b]: octal, hexadecimal with 0x; GNU's refuses the decimal point it documents. */
static bool old_offset(const char *text, uint64_t *out) {
    if (*text == '+') text++;
    size_t len = strlen(text);
    bool blocks =
        len > 0 && (text[len - 1] == 'b' || text[len - 1] == 'B') && strncmp(text, "0x", 2) != 0;
    len -= blocks;
    bool hex = len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *copy = g_copy_bytes(text + (hex ? 2 : 0), len - (hex ? 2 : 0)), *end;
    bool good = *copy && *copy != '-' && *copy != '+' && *copy != ' ';
    *out = strtoull(copy, &end, hex ? 16 : 8);
    good = good && *end == '\0';
    free(copy);
    if (blocks) *out *= 512;
    return good;
}

static uint64_t bytes_value(const char *text, const char *option, char letter) {
    uint64_t value;
    const char *digits = text;
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hex || (*digits == '0' && digits[1] >= '0' && digits[1] <= '9')) { /* as C reads them */
        char *end;
        errno = 0;
        value = strtoull(text, &end, 0);
        if (*end == '\0' && errno == 0) return value;
    }
    enum g_number_result result = g_parse_unsigned(text, "bcEGKkMmPTYZ0", &value, NULL);
    if (result == G_NUMBER_OK) return value;
    char shown[32];
    if (option)
        snprintf(shown, sizeof shown, "--%s", option);
    else
        snprintf(shown, sizeof shown, "-%c", letter);
    if (result == G_NUMBER_SUFFIX) g_die(1, "invalid suffix in %s argument '%s'", shown, text);
    if (result == G_NUMBER_OVERFLOW) g_die(1, "%s argument '%s' too large", shown, text);
    g_die(1, "invalid %s argument '%s'", shown, text);
}

enum { ENDIAN = 256, TRADITIONAL };
static const g_long longs[] = {
    {"skip-bytes", 'j', G_REQUIRED},      {"address-radix", 'A', G_REQUIRED},
    {"read-bytes", 'N', G_REQUIRED},      {"format", 't', G_REQUIRED},
    {"output-duplicates", 'v', G_NONE},   {"strings", 'S', G_OPTIONAL},
    {"traditional", TRADITIONAL, G_NONE}, {"width", 'w', G_OPTIONAL},
    {"endian", ENDIAN, G_REQUIRED},       {0}};
static const g_word orders[] = {{"little", 0}, {"big", 1}, {0}};

/* What the letters of old times select. */
static const char *old_type(int letter) {
    switch (letter) {
    case 'a': return "a";
    case 'b': return "o1";
    case 'c': return "c";
    case 'D': return "u4";
    case 'd': return "u2";
    case 'F':
    case 'e': return "fD";
    case 'f': return "fF";
    case 'H':
    case 'X': return "x4";
    case 'i': return "dI";
    case 'I':
    case 'L':
    case 'l': return "dL";
    case 'O': return "o4";
    case 'B':
    case 'o': return "o2";
    case 's': return "d2";
    case 'h':
    case 'x': return "x2";
    }
    return NULL;
}

/* Operands that are an offset; only where no new-style option was given. */
static void take_old_operands(dumper *d, bool modern, bool traditional) {
    uint64_t first, second;
    int n = d->file_count;
    if (modern && !traditional) return;
    if (n == 1 && (traditional || d->files[0][0] == '+') && old_offset(d->files[0], &first)) {
        d->skip = first;
        d->file_count = 0;
    } else if (n == 2 &&
               (traditional || d->files[1][0] == '+' ||
                (d->files[1][0] >= '0' && d->files[1][0] <= '9')) &&
               old_offset(d->files[1], &second)) {
        if (traditional && old_offset(d->files[0], &first)) {
            d->skip = first;
            d->pseudo = true;
            d->pseudo_start = second;
            d->file_count = 0;
        } else {
            d->skip = second;
            d->file_count = 1;
        }
    } else if (n == 3 && traditional && old_offset(d->files[1], &first) &&
               old_offset(d->files[2], &second)) {
        d->skip = first;
        d->pseudo = true;
        d->pseudo_start = second;
        d->file_count = 1;
    }
}

int od_main(int argc, char **argv) {
    dumper d = {.radix = 'o', .fd = -1};
    bool modern = false, traditional = false;
    g_options o = g_options_of(argc, argv, "A:aBbcDdeFfHhIij:LlN:OoS:st:vw::Xx", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        const char *old = old_type(option);
        if (old) {
            add_types(&d, old);
            continue;
        }
        if (option != TRADITIONAL && option != 'v' && option != ENDIAN) modern = true;
        switch (option) {
        case 'A':
            if (!*o.arg || !strchr("odxn", *o.arg))
                g_die(1, "invalid output address radix '%c'; it must be one character from [doxn]",
                      *o.arg);
            d.radix = *o.arg;
            break;
        case 'j': d.skip = bytes_value(o.arg, o.name, 'j'); break;
        case 'N':
            d.limit = bytes_value(o.arg, o.name, 'N');
            d.has_limit = true;
            break;
        case 'S':
            d.strings = true;
            d.string_min = o.arg ? bytes_value(o.arg, o.name, 'S') : 3;
            break;
        case 't': add_types(&d, o.arg); break;
        case 'v': d.duplicates = true; break;
        case 'w':
            d.has_width = true;
            d.block = o.arg ? bytes_value(o.arg, o.name, 'w') : 32;
            if (d.block > 1 << 24) g_die(1, "-w argument '%s' too large", o.arg);
            break;
        case ENDIAN: d.swap = g_match_word("--endian", o.arg, orders) == 1; break;
        case TRADITIONAL: traditional = true; break;
        }
    }
    if (d.strings && d.spec_count) g_die(1, "no type may be specified when dumping strings");
    d.files = argv + o.at;
    d.file_count = argc - o.at;
    take_old_operands(&d, modern, traditional);
    static char *only_stdin[] = {"-"};
    if (d.file_count == 0) {
        d.files = only_stdin;
        d.file_count = 1;
    }
    if (traditional && !modern && d.file_count > 1) {
        g_warn("extra operand %s", g_quote(d.files[1]));
        g_usage("compatibility mode supports at most one file");
    }
    if (!d.spec_count) add_types(&d, "oS");
    lay_out(&d);
    if (!next_file(&d)) return d.status;
    skip_input(&d);
    if (d.strings)
        dump_strings(&d);
    else
        dump(&d);
    return d.status;
}
