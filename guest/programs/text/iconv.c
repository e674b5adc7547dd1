/*
 * iconv.c: converts between character encodings: UTF-8, UTF-16, UTF-32, UCS-2, UCS-4, ASCII,
 * ISO-8859-1 and -15, Windows-1252.
 *
 * help iconv:
 *   Usage: iconv [OPTION...] [FILE...]
 *   Convert encoding of given files from one encoding to another.
 *
 *     -f, --from-code=NAME   encoding of original text
 *     -t, --to-code=NAME     encoding for output; //TRANSLIT and //IGNORE may follow the name
 *     -l, --list             list all known coded character sets
 *     -c                     omit invalid characters from output
 *     -o, --output=FILE      output file
 *     -s, --silent           suppress warnings
 *         --verbose          (ignored)
 *         --help             give this help list
 *         --version          print program version
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum encoding {
    UTF8,
    UTF16,
    UTF16LE,
    UTF16BE,
    UTF32,
    UTF32LE,
    UTF32BE,
    UCS2,
    UCS2LE,
    UCS2BE,
    ASCII,
    LATIN1,
    LATIN9,
    CP1252,
    UNKNOWN
};

static const struct {
    const char *name;
    enum encoding encoding;
} names[] = {
    {"UTF-8", UTF8},
    {"UTF8", UTF8},
    {"UTF-16", UTF16},
    {"UTF16", UTF16},
    {"UTF-16LE", UTF16LE},
    {"UTF16LE", UTF16LE},
    {"UTF-16BE", UTF16BE},
    {"UTF16BE", UTF16BE},
    {"UTF-32", UTF32},
    {"UTF32", UTF32},
    {"UTF-32LE", UTF32LE},
    {"UTF32LE", UTF32LE},
    {"UTF-32BE", UTF32BE},
    {"UTF32BE", UTF32BE},
    {"UCS-2", UCS2},
    {"UCS2", UCS2},
    {"UCS-2LE", UCS2LE},
    {"UCS-2BE", UCS2BE},
    {"UCS-4", UTF32BE},
    {"UCS4", UTF32BE},
    {"UCS-4LE", UTF32LE},
    {"UCS-4BE", UTF32BE},
    {"ASCII", ASCII},
    {"US-ASCII", ASCII},
    {"ANSI_X3.4-1968", ASCII},
    {"646", ASCII},
    {"US", ASCII},
    {"ISO-8859-1", LATIN1},
    {"ISO8859-1", LATIN1},
    {"ISO_8859-1", LATIN1},
    {"8859_1", LATIN1},
    {"ISO88591", LATIN1},
    {"LATIN1", LATIN1},
    {"L1", LATIN1},
    {"ISO-8859-15", LATIN9},
    {"ISO8859-15", LATIN9},
    {"ISO_8859-15", LATIN9},
    {"LATIN-9", LATIN9},
    {"CP1252", CP1252},
    {"WINDOWS-1252", CP1252},
    {"MS-ANSI", CP1252},
};

/* Characters of Windows-1252 from 0x80; 0: none. */
static const uint16_t cp1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};
static const struct {
    uint8_t byte;
    uint16_t code;
} latin9[] = {{0xa4, 0x20ac}, {0xa6, 0x160}, {0xa8, 0x161}, {0xb4, 0x17d},
              {0xb8, 0x17e},  {0xbc, 0x152}, {0xbd, 0x153}, {0xbe, 0x178}};

/* What //TRANSLIT writes for characters that the target lacks. */
static const struct {
    uint32_t code;
    const char *text;
} substitutes[] = {
    {0xa0, " "},     {0xa9, "(C)"},    {0xab, "<<"},    {0xad, "-"},     {0xae, "(R)"},
    {0xb5, "u"},     {0xb8, ","},      {0xbb, ">>"},    {0xbc, " 1/4 "}, {0xbd, " 1/2 "},
    {0xbe, " 3/4 "}, {0xc4, "A"},      {0xc6, "AE"},    {0xd6, "O"},     {0xd7, "x"},
    {0xd8, "O"},     {0xdc, "U"},      {0xdf, "ss"},    {0xe4, "a"},     {0xe6, "ae"},
    {0xf6, "o"},     {0xf8, "o"},      {0xfc, "u"},     {0x131, "i"},    {0x152, "OE"},
    {0x153, "oe"},   {0x192, "f"},     {0x2010, "-"},   {0x2011, "-"},   {0x2012, "-"},
    {0x2013, "-"},   {0x2014, "--"},   {0x2015, "--"},  {0x2018, "'"},   {0x2019, "'"},
    {0x201a, ","},   {0x201b, "'"},    {0x201c, "\""},  {0x201d, "\""},  {0x201e, ",,"},
    {0x2020, "+"},   {0x2022, "o"},    {0x2026, "..."}, {0x2039, "<"},   {0x203a, ">"},
    {0x20ac, "EUR"}, {0x2122, "(TM)"}, {0x2190, "<-"},  {0x2192, "->"},  {0x2212, "-"},
    {0x2500, "-"},   {0x2502, "|"},    {0x250c, "+"},   {0x2510, "+"},   {0x2514, "+"},
    {0x2518, "+"},   {0x251c, "+"},    {0x2524, "+"},   {0x252c, "+"},   {0x2534, "+"},
    {0x253c, "+"},   {0xfb01, "fi"},   {0xfb02, "fl"},  {0xfeff, ""},    {0x3000, " "},
    {0x2002, " "},   {0x2003, " "},    {0x2009, " "},   {0x202f, " "},   {0x2028, "\n"},
};
/* Letters with marks from U+00C0 and U+0100, without them; blank: none. */
static const char plain_latin1[] =
    "AAAAAA CEEEEIIII NOOOOO OUUUUY  aaaaaa ceeeeiiii nooooo ouuuuy y";
static const char plain_extended[] =
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi  JjKkqLlLlLl  Ll"
    "NnNnNn   OoOoOo  RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZz";

typedef struct {
    enum encoding from, to;
    bool translit, ignore, drop, begun, failed; /* drop: -c, which says nothing */
    int order; /* of UTF-16, UTF-32 that tell: 0 not seen, 1 little, 2 big */
} converter;

static enum encoding encoding_named(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == len && strncasecmp(names[i].name, name, len) == 0)
            return names[i].encoding;
    return UNKNOWN;
}

static uint32_t unit(const unsigned char *p, int size, bool little) {
    uint32_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint32_t)p[little ? i : size - 1 - i] << 8 * i;
    return value;
}

static bool is_wide(enum encoding e) {
    return e >= UTF16 && e <= UCS2BE;
}
static int unit_size(enum encoding e) {
    return e >= UTF32 && e <= UTF32BE ? 4 : 2;
}

/* Result of decoding: bytes taken, 0: wrong there, -1: cut off at the end. */
static int decode(converter *c, const unsigned char *p, size_t left, uint32_t *code) {
    enum encoding e = c->from;
    if (e == UTF8) {
        int n = pf_utf8_decode((const char *)p, left, code);
        if (n == 0 && pf_utf8_is_cut((const char *)p, left)) return -1;
        return n;
    }
    if (!is_wide(e)) {
        *code = *p;
        if (e == ASCII) return *p < 0x80;
        if (e == CP1252 && *p >= 0x80 && *p < 0xa0) {
            *code = cp1252[*p - 0x80];
            return *code != 0;
        }
        for (size_t i = 0; e == LATIN9 && i < sizeof latin9 / sizeof *latin9; i++)
            if (latin9[i].byte == *p) *code = latin9[i].code;
        return 1;
    }
    int size = unit_size(e);
    if (left < (size_t)size) return -1;
    bool little = e == UTF16LE || e == UTF32LE || e == UCS2LE ||
                  ((e == UTF16 || e == UTF32 || e == UCS2) && c->order != 2);
    *code = unit(p, size, little);
    if (size == 4) return *code <= PF_UNI_MAX && (*code < 0xd800 || *code > 0xdfff) ? 4 : 0;
    if (*code < 0xd800 || *code > 0xdfff) return 2;
    if (*code > 0xdbff || e >= UCS2) return 0;
    if (left < 4) return -1;
    uint32_t low = unit(p + 2, 2, little);
    if (low < 0xdc00 || low > 0xdfff) return 0;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return 4;
}

static void put_unit(uint32_t value, int size, bool little) {
    for (int i = 0; i < size; i++) g_outc((char)(value >> 8 * (little ? i : size - 1 - i)));
}

/* False when the target has no such character. */
static bool encode(const converter *c, uint32_t code) {
    enum encoding e = c->to;
    char bytes[PF_UTF8_MAX];
    if (e == UTF8) {
        g_out(bytes, (size_t)pf_utf8_encode(code, bytes));
        return true;
    }
    if (is_wide(e)) {
        bool little = e != UTF16BE && e != UTF32BE && e != UCS2BE;
        if (unit_size(e) == 4 || code < 0x10000) {
            put_unit(code, unit_size(e), little);
            return true;
        }
        if (e >= UCS2) return false;
        put_unit(0xd800 + ((code - 0x10000) >> 10), 2, little);
        put_unit(0xdc00 + (code & 0x3ff), 2, little);
        return true;
    }
    uint32_t byte = code;
    bool known = e == ASCII ? code < 0x80 : code < 0x100;
    if (e == CP1252) {
        known = code < 0x80 || (code >= 0xa0 && code < 0x100);
        for (uint32_t i = 0; i < 32 && !known; i++) {
            known = cp1252[i] == code;
            byte = known ? 0x80 + i : code;
        }
    }
    for (size_t i = 0; e == LATIN9 && i < sizeof latin9 / sizeof *latin9; i++) {
        if (latin9[i].byte == code) known = false;
        if (latin9[i].code != code) continue;
        known = true;
        byte = latin9[i].byte;
        break;
    }
    if (known) g_outc((char)byte);
    return known;
}

static void substitute(converter *c, uint32_t code) {
    char plain = ' ';
    if (code >= 0xc0 && code < 0xc0 + sizeof plain_latin1 - 1) plain = plain_latin1[code - 0xc0];
    if (code >= 0x100 && code < 0x100 + sizeof plain_extended - 1)
        plain = plain_extended[code - 0x100];
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++) {
        if (substitutes[i].code != code) continue;
        for (const char *s = substitutes[i].text; *s; s++) encode(c, (unsigned char)*s);
        return;
    }
    encode(c, plain != ' ' ? (uint32_t)plain : '?');
}

/* The mark of the byte order, where one is read or written. */
static size_t read_mark(converter *c, const unsigned char *p, size_t len) {
    if (c->from != UTF16 && c->from != UTF32) return 0;
    size_t size = (size_t)unit_size(c->from);
    if (len < size || c->order) return 0;
    c->order = 1;
    if (unit(p, (int)size, true) == 0xfeff) return size;
    if (unit(p, (int)size, false) != 0xfeff) return 0;
    c->order = 2;
    return size;
}

static void convert(converter *c, const unsigned char *p, size_t len) {
    size_t at = read_mark(c, p, len);
    if (!c->begun && len > 0 && (c->to == UTF16 || c->to == UTF32))
        put_unit(0xfeff, unit_size(c->to), true);
    c->begun = c->begun || len > 0;
    while (at < len) {
        uint32_t code;
        int n = decode(c, p + at, len - at, &code);
        if (at % 65536 == 0) pf_yield();
        if (n > 0) {
            if (!encode(c, code)) {
                if (c->translit)
                    substitute(c, code);
                else if (c->ignore)
                    c->failed = true;
                else
                    g_die(1, "illegal input sequence at position %zu", at);
            }
            at += (size_t)n;
            continue;
        }
        if (n < 0) g_die(1, "incomplete character or shift sequence at end of buffer");
        if (!c->ignore) g_die(1, "illegal input sequence at position %zu", at);
        c->failed = true;
        at += is_wide(c->from) ? (size_t)unit_size(c->from) : 1;
    }
    if (c->failed && !c->drop) g_warn("illegal input sequence at position %zu", len);
}

static void list(void) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) g_outf("%s//\n", names[i].name);
}

enum { VERBOSE = 256 };
static const g_long longs[] = {{"from-code", 'f', G_REQUIRED},
                               {"to-code", 't', G_REQUIRED},
                               {"list", 'l', G_NONE},
                               {"output", 'o', G_REQUIRED},
                               {"silent", 's', G_NONE},
                               {"verbose", VERBOSE, G_NONE},
                               {0}};

static void choose(converter *c, const char *from, const char *to) {
    size_t from_len = strcspn(from, "/"), to_len = strcspn(to, "/");
    c->from = from_len ? encoding_named(from, from_len) : UTF8;
    c->to = to_len ? encoding_named(to, to_len) : UTF8;
    if (strcasestr(to + to_len, "TRANSLIT")) c->translit = true;
    if (strcasestr(to + to_len, "IGNORE")) c->ignore = true;
    if (c->from != UNKNOWN && c->to != UNKNOWN) return;
    if (c->from == UNKNOWN && c->to == UNKNOWN)
        g_warn("conversions from `%s' and to `%s' are not supported", from, to);
    else if (c->from == UNKNOWN)
        g_warn("conversion from `%s' is not supported", from);
    else
        g_warn("conversion to `%s' is not supported", to);
    g_try_help(1);
}

int iconv_main(int argc, char **argv) {
    converter c = {.from = UTF8, .to = UTF8};
    const char *from = "UTF-8", *to = "UTF-8", *output = NULL;
    bool drop = false;
    g_set_failure(64);
    g_options o = g_options_of(argc, argv, "f:t:lco:s", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'f': from = o.arg; break;
        case 't': to = o.arg; break;
        case 'l': list(); return 0;
        case 'c': drop = true; break;
        case 'o': output = o.arg; break;
        }
    g_set_failure(1);
    choose(&c, from, to);
    c.drop = drop;
    c.ignore = c.ignore || drop;
    if (output) {
        int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) g_die_errno(1, errno, "unable to open output file");
        dup2(fd, STDOUT_FILENO);
    }
    static char *only_stdin[] = {"-"};
    char **files = o.at < argc ? argv + o.at : only_stdin;
    int count = o.at < argc ? argc - o.at : 1, status = 0;
    for (int i = 0; i < count; i++) {
        int fd = strcmp(files[i], "-") == 0 ? STDIN_FILENO : open(files[i], O_RDONLY | O_CLOEXEC);
        size_t len;
        if (fd < 0) {
            g_warn_errno(errno, "cannot open input file `%s'", files[i]);
            status = 1;
            continue;
        }
        char *text = g_read_all(fd, &len);
        if (!text) g_die_errno(1, errno, "unable to read input");
        convert(&c, (const unsigned char *)text, len);
        free(text);
        g_close_input(fd);
    }
    return status || (c.failed && !c.drop);
}
