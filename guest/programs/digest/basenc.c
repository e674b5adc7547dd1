/*
 * basenc.c: base64, base32 and basenc: bytes as text and back.
 *
 * help base64 base32:
 *   Usage: @NAME@ [OPTION]... [FILE]
 *   @NAME@ encode or decode FILE, or standard input, to standard output.
 *
 *     -d, --decode          decode data
 *     -i, --ignore-garbage  when decoding, ignore non-alphabet characters
 *     -w, --wrap=COLS       wrap encoded lines after COLS characters (default 76); 0 does not wrap
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 * help basenc:
 *   Usage: basenc [OPTION]... [FILE]
 *   basenc encode or decode FILE, or standard input, to standard output.
 *
 *         --base64          same as 'base64' program
 *         --base64url       file- and url-safe base64
 *         --base32          same as 'base32' program
 *         --base32hex       extended hex alphabet base32
 *         --base16          hex encoding
 *         --base2msbf       bit string with most significant bit first
 *         --base2lsbf       bit string with least significant bit first
 *         --z85             ascii85-like encoding of ZeroMQ; lengths are multiples of 4
 *     -d, --decode          decode data
 *     -i, --ignore-garbage  when decoding, ignore non-alphabet characters
 *     -w, --wrap=COLS       wrap encoded lines after COLS characters (default 76); 0 does not wrap
 *         --help            display this help and exit
 *         --version         output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* `bits` a character; `group` characters stand for `bytes` bytes, filled up with = when `padded`.
 */
typedef struct {
    const char *alphabet;
    int bits, group, bytes;
    bool padded, low_first;
} encoding;

enum {
    BASE64,
    BASE64URL,
    BASE32,
    BASE32HEX,
    BASE16,
    BASE2MSBF,
    BASE2LSBF,
    ENCODINGS,
    Z85 = ENCODINGS
};
static const encoding encodings[ENCODINGS] = {
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4, 3, true, false},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 4, 3, true, false},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, 5, true, false},
    {"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, 5, true, false},
    {"0123456789ABCDEF", 4, 2, 1, false, false},
    {"01", 1, 8, 1, false, false},
    {"01", 1, 8, 1, false, true},
};

typedef struct {
    const encoding *e;
    uint64_t wrap, column;
} writer;

static void put(writer *w, char c) {
    if (w->wrap && w->column == w->wrap) {
        g_outc('\n');
        w->column = 0;
    }
    g_outc(c);
    w->column++;
}

/* `n` bytes, at most a group's, as characters. */
static void encode_group(writer *w, const unsigned char *p, int n) {
    const encoding *e = w->e;
    uint64_t value = 0;
    for (int i = 0; i < e->bytes; i++) value = value << 8 | (i < n ? p[i] : 0);
    int used = (n * 8 + e->bits - 1) / e->bits;
    for (int i = 0; i < e->group; i++) {
        int shift = e->low_first ? i : (e->group - 1 - i) * e->bits;
        if (i < used)
            put(w, e->alphabet[value >> shift & ((1u << e->bits) - 1)]);
        else if (e->padded)
            put(w, '=');
    }
}

/* ---- whole groups, where a character has more than one bit: two characters at a time */

static char pairs[1 << 12][2];
#define WORTH_PAIRS 2048 /* bytes: fewer are encoded sooner than the table is made */

static bool has_groups(const encoding *e) {
    return e->bits > 1;
}

static void make_pairs(const encoding *e) {
    for (int i = 0; i < 1 << 2 * e->bits; i++) {
        pairs[i][0] = e->alphabet[i >> e->bits];
        pairs[i][1] = e->alphabet[i & ((1 << e->bits) - 1)];
    }
}

/* Groups as characters at `to`; the sizes are constants for the compiler. */
static inline void encode_sized(char *to, const unsigned char *p, size_t groups, int bits,
                                int group, int bytes) {
    for (; groups > 0; groups--, p += bytes) {
        uint64_t value = 0;
        for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
        for (int left = group - 2; left >= 0; left -= 2, to += 2)
            memcpy(to, pairs[value >> left * bits & ((1u << 2 * bits) - 1)], 2);
    }
}

static void put_run(writer *w, const char *s, size_t len) {
    while (len > 0) {
        if (w->wrap && w->column == w->wrap) {
            g_outc('\n');
            w->column = 0;
        }
        size_t n = w->wrap && w->wrap - w->column < len ? (size_t)(w->wrap - w->column) : len;
        g_out(s, n);
        w->column += n;
        s += n;
        len -= n;
    }
}

/* All whole groups; returns how many bytes they were. */
static size_t encode_groups(writer *w, const unsigned char *p, size_t len) {
    char text[4096];
    const encoding *e = w->e;
    size_t bytes = (size_t)e->bytes, group = (size_t)e->group, at = 0;
    while (len - at >= bytes) {
        size_t groups = (len - at) / bytes;
        if (groups > sizeof text / group) groups = sizeof text / group;
        switch (e->bits) {
        case 6: encode_sized(text, p + at, groups, 6, 4, 3); break;
        case 5: encode_sized(text, p + at, groups, 5, 8, 5); break;
        default: encode_sized(text, p + at, groups, 4, 2, 1); break;
        }
        put_run(w, text, groups * group);
        at += groups * bytes;
    }
    return at;
}

static int encode(int fd, const encoding *e, uint64_t wrap) {
    writer w = {e, wrap, 0};
    g_reader in;
    char *bytes;
    unsigned char rest[8];
    int kept = 0;
    bool made = false;
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;) {
        size_t i = 0;
        while (kept > 0 && kept < e->bytes && i < n) rest[kept++] = (unsigned char)bytes[i++];
        if (kept == e->bytes) {
            encode_group(&w, rest, kept);
            kept = 0;
        }
        if (kept > 0) continue;
        if (!made && has_groups(e) && n >= WORTH_PAIRS) {
            make_pairs(e);
            made = true;
        }
        if (made) i += encode_groups(&w, (const unsigned char *)bytes + i, n - i);
        for (; i + (size_t)e->bytes <= n; i += (size_t)e->bytes)
            encode_group(&w, (const unsigned char *)bytes + i, e->bytes);
        while (i < n) rest[kept++] = (unsigned char)bytes[i++];
    }
    if (kept > 0) encode_group(&w, rest, kept);
    if (wrap && w.column > 0) g_outc('\n');
    return in.error;
}

typedef struct {
    const encoding *e;
    signed char value[256]; /* -1: not in the alphabet */
    uint64_t bits;
    int count;   /* characters of the group so far, without = */
    int padding; /* = of the group so far */
} reader;

static void put_group(const reader *r) {
    int bytes = r->count * r->e->bits / 8;
    uint64_t value = r->bits << (r->e->group - r->count) * r->e->bits;
    for (int i = 0; i < bytes; i++) g_outc((char)(value >> (r->e->bytes - 1 - i) * 8));
}

/* Whether a group of that many characters can be filled up with =. */
static bool may_be_short(const encoding *e, int count) {
    return e->padded && count * e->bits / 8 > 0 && count * e->bits % 8 < e->bits;
}

static _Noreturn void invalid(const reader *r) {
    if (r->count > 0 && r->e->bits != 5) put_group(r); /* GNU's base32 drops it */
    g_out_flush();
    g_die(1, "invalid input");
}

static void take(reader *r, unsigned char c, bool ignore_garbage) {
    const encoding *e = r->e;
    if (c == '\n') return;
    if (c == '=' && e->padded) {
        if (r->padding == 0 && !may_be_short(e, r->count)) invalid(r);
        r->padding++;
        if (r->count + r->padding < e->group) return;
        put_group(r);
        r->bits = 0;
        r->count = r->padding = 0;
        return;
    }
    int value = r->value[c];
    if (value < 0 && ignore_garbage) return;
    if (value < 0 || r->padding > 0) invalid(r);
    r->bits =
        e->low_first ? r->bits | (uint64_t)value << r->count : r->bits << e->bits | (uint64_t)value;
    if (++r->count < e->group) return;
    put_group(r);
    r->bits = 0;
    r->count = 0;
}

/* ---- whole groups: what each character is in each place of its group */

#define NO_VALUE (UINT64_C(1) << 63)
static uint64_t values[8][256];

static void make_values(const reader *r) {
    const encoding *e = r->e;
    for (int place = 0; place < e->group; place++)
        for (int c = 0; c < 256; c++)
            values[place][c] = r->value[c] < 0
                                   ? NO_VALUE
                                   : (uint64_t)r->value[c] << (e->group - 1 - place) * e->bits;
}

/* Whole groups up to the first that has another character, with line ends between them; returns how
 * many characters that were. The sizes are constants for the compiler. */
static inline size_t decode_sized(const unsigned char *p, size_t len, size_t group, int bytes) {
    char out[3000];
    size_t at = 0, used = 0;
    for (;;) {
        uint64_t value = NO_VALUE;
        if (len - at >= group) {
            value = 0;
            for (size_t i = 0; i < group; i++) value |= values[i][p[at + i]];
        }
        if (value < NO_VALUE) {
            for (int i = bytes - 1; i >= 0; i--) out[used++] = (char)(value >> 8 * i);
            at += group;
            if (used < sizeof out) continue;
            g_out(out, used);
            used = 0;
        } else if (at < len && p[at] == '\n') {
            at++;
        } else {
            break;
        }
    }
    g_out(out, used);
    return at;
}

static size_t decode_groups(const encoding *e, const unsigned char *p, size_t len) {
    switch (e->bits) {
    case 6: return decode_sized(p, len, 4, 3);
    case 5: return decode_sized(p, len, 8, 5);
    default: return decode_sized(p, len, 2, 1);
    }
}

static int decode(int fd, const encoding *e, bool ignore_garbage) {
    reader r = {.e = e};
    memset(r.value, -1, sizeof r.value);
    for (int i = 0; e->alphabet[i]; i++) r.value[(unsigned char)e->alphabet[i]] = (signed char)i;
    g_reader in;
    char *bytes;
    g_reader_init(&in, fd, '\n');
    if (has_groups(e)) make_values(&r);
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (has_groups(e) && r.count == 0 && r.padding == 0)
                i += decode_groups(e, (const unsigned char *)bytes + i, n - i);
            if (i < n) take(&r, (unsigned char)bytes[i], ignore_garbage);
        }
    if (!in.error && (r.count > 0 || r.padding > 0)) invalid(&r);
    return in.error;
}

/* Z85: five characters of 85 stand for four bytes. */

static const char z85_alphabet[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static void encode_z85_bytes(writer *w, const unsigned char *p, size_t len) {
    for (; len > 0; p += 4, len -= 4) {
        uint32_t value = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        for (uint32_t part = 85 * 85 * 85 * 85; part > 0; part /= 85)
            put(w, z85_alphabet[value / part % 85]);
    }
}

/* A part whose length is wrong is not encoded at all. */
static int encode_z85(int fd, uint64_t wrap) {
    enum { PART = 30720 };
    writer w = {NULL, wrap, 0};
    unsigned char *part = g_alloc(PART);
    for (size_t have = PART; have == PART;) {
        have = 0;
        for (ssize_t n = 1; have < PART && n > 0; have += (size_t)n)
            if ((n = g_read(fd, part + have, PART - have)) < 0) return errno;
        if (have % 4) g_die(1, "invalid input (length must be multiple of 4 characters)");
        encode_z85_bytes(&w, part, have);
    }
    if (wrap && w.column > 0) g_outc('\n');
    free(part);
    return 0;
}

static int decode_z85(int fd, bool ignore_garbage) {
    g_reader in;
    char *bytes;
    uint64_t value = 0;
    int count = 0;
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (bytes[i] == '\n') continue;
            const char *known = bytes[i] ? strchr(z85_alphabet, bytes[i]) : NULL;
            if (!known && ignore_garbage) continue;
            if (!known) g_die(1, "invalid input");
            value = value * 85 + (uint64_t)(known - z85_alphabet);
            if (++count < 5) continue;
            if (value > UINT32_MAX) g_die(1, "invalid input");
            for (int shift = 24; shift >= 0; shift -= 8) g_outc((char)(value >> shift));
            value = 0;
            count = 0;
        }
    if (!in.error && count > 0) g_die(1, "invalid input");
    return in.error;
}

enum { FIRST_ENCODING = 256 };
static const g_long longs[] = {{"decode", 'd', G_NONE},
                               {"wrap", 'w', G_REQUIRED},
                               {"ignore-garbage", 'i', G_NONE},
                               {"base64", FIRST_ENCODING + BASE64, G_NONE},
                               {"base64url", FIRST_ENCODING + BASE64URL, G_NONE},
                               {"base32", FIRST_ENCODING + BASE32, G_NONE},
                               {"base32hex", FIRST_ENCODING + BASE32HEX, G_NONE},
                               {"base16", FIRST_ENCODING + BASE16, G_NONE},
                               {"base2msbf", FIRST_ENCODING + BASE2MSBF, G_NONE},
                               {"base2lsbf", FIRST_ENCODING + BASE2LSBF, G_NONE},
                               {"z85", FIRST_ENCODING + Z85, G_NONE},
                               {0}};
static const g_long plain_longs[] = {
    {"decode", 'd', G_NONE}, {"wrap", 'w', G_REQUIRED}, {"ignore-garbage", 'i', G_NONE}, {0}};

int basenc_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    int chosen = strcmp(name, "base64") == 0 ? BASE64 : strcmp(name, "base32") == 0 ? BASE32 : -1;
    bool decoding = false, ignore_garbage = false;
    uint64_t wrap = 76;
    g_options o = g_options_of(argc, argv, "diw:", chosen < 0 ? longs : plain_longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'd': decoding = true; break;
        case 'i': ignore_garbage = true; break;
        case 'w': {
            enum g_number_result result = g_parse_unsigned(o.arg, "", &wrap, NULL);
            if (result == G_NUMBER_OVERFLOW)
                wrap = 0;
            else if (result != G_NUMBER_OK)
                g_die(1, "invalid wrap size: %s", g_quote(o.arg));
            break;
        }
        default: chosen = option - FIRST_ENCODING;
        }
    }
    if (chosen < 0) g_usage("missing encoding type");
    if (argc - o.at > 1) g_extra_operand(argv[o.at + 1]);
    const char *file = o.at < argc ? argv[o.at] : "-";
    int fd = g_open_input(file);
    if (fd < 0) return 1;
    if (chosen == Z85) {
        int failed = decoding ? decode_z85(fd, ignore_garbage) : encode_z85(fd, wrap);
        if (failed) g_die_errno(1, failed, "read error");
        return 0;
    }
    int error = decoding ? decode(fd, &encodings[chosen], ignore_garbage)
                         : encode(fd, &encodings[chosen], wrap);
    if (error) g_die_errno(1, error, "read error");
    return 0;
}
