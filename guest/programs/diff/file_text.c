/*
 * file_text.c: kinds of text: encoding, line ends, and what language it seems to be.
 */
#include "file.h"
#include "lib/utf8/utf8.h"

#include <ctype.h>
#include <stdio.h>

enum encoding { ASCII, UTF8, UTF8_BOM, LATIN1, EXTENDED, UTF16_LE, UTF16_BE, NOT_TEXT };

/* Control characters that texts have. */
static bool is_text_byte(unsigned char c) {
    return c >= ' ' ? c != 0x7f : (c >= 7 && c <= 13) || c == 27;
}

static enum encoding encoding_of(const unsigned char *b, size_t len, bool whole) {
    if (len >= 2 && b[0] == 0xff && b[1] == 0xfe) return UTF16_LE;
    if (len >= 2 && b[0] == 0xfe && b[1] == 0xff) return UTF16_BE;
    bool bom = len >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0, high = false, utf8 = true;
    for (size_t i = 0; i < len; i++) {
        if (b[i] < 0x80) {
            if (!is_text_byte(b[i])) return NOT_TEXT;
            continue;
        }
        high = true;
        uint32_t code;
        int n = utf8 ? pf_utf8_decode((const char *)b + i, len - i, &code) : 0;
        if (utf8 && n == 0 && !(len - i < 4 && !whole)) utf8 = false;
        if (n > 1) i += (size_t)n - 1;
    }
    if (!high) return ASCII;
    if (utf8) return bom ? UTF8_BOM : UTF8;
    for (size_t i = 0; i < len; i++)
        if (b[i] >= 0x80 && b[i] < 0xa0 && b[i] != 0x85) return EXTENDED;
    return LATIN1;
}

/* JSON: one value from beginning to end, an object or an array. */
typedef struct {
    const unsigned char *p, *end;
    int depth;
} json;

static void blanks(json *j) {
    while (j->p < j->end && strchr(" \t\r\n", *j->p) && *j->p) j->p++;
}

static bool json_string(json *j) {
    for (j->p++; j->p < j->end && *j->p != '"'; j->p++)
        if (*j->p == '\\') j->p++;
    return j->p < j->end && *j->p++ == '"';
}

static bool json_value(json *j) {
    blanks(j);
    if (j->p >= j->end || j->depth > 100) return false;
    if (*j->p == '"') return json_string(j);
    if (*j->p == '{' || *j->p == '[') {
        bool object = *j->p++ == '{';
        unsigned char close = object ? '}' : ']';
        j->depth++;
        blanks(j);
        if (j->p < j->end && *j->p == close) {
            j->p++;
            j->depth--;
            return true;
        }
        for (;;) {
            blanks(j);
            if (object) {
                if (j->p >= j->end || *j->p != '"' || !json_string(j)) return false;
                blanks(j);
                if (j->p >= j->end || *j->p++ != ':') return false;
            }
            if (!json_value(j)) return false;
            blanks(j);
            if (j->p >= j->end) return false;
            if (*j->p == ',') {
                j->p++;
                continue;
            }
            j->depth--;
            return *j->p++ == close;
        }
    }
    const unsigned char *start = j->p;
    while (j->p < j->end && (isalnum(*j->p) || strchr("+-.", *j->p))) j->p++;
    size_t n = (size_t)(j->p - start);
    bool word = (n == 4 && (memcmp(start, "true", 4) == 0 || memcmp(start, "null", 4) == 0)) ||
                (n == 5 && memcmp(start, "false", 5) == 0);
    return word || (n > 0 && (isdigit(*start) || *start == '-'));
}

static bool is_json(const unsigned char *b, size_t len) {
    json j = {b, b + len, 0};
    blanks(&j);
    if (j.p >= j.end || (*j.p != '{' && *j.p != '[') || !json_value(&j)) return false;
    blanks(&j);
    return j.p == j.end;
}

/* CSV: at least three lines with equally many commas. */
static bool is_csv(const unsigned char *b, size_t len) {
    size_t lines = 0, commas = 0, first = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (b[i] == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (b[i] == ',')
            commas++;
        else if (b[i] == '\n') {
            if (lines++ == 0) first = commas;
            if (commas != first || first == 0) return false;
            commas = 0;
            if (lines == 10) return true;
        }
    }
    return lines >= 3;
}

static bool has(const unsigned char *b, size_t len, const char *what) {
    return memmem(b, len, what, strlen(what)) != NULL;
}

static bool starts(const unsigned char *b, size_t len, const char *with) {
    size_t n = strlen(with);
    return len >= n && memcmp(b, with, n) == 0;
}

static bool line_starts(const unsigned char *b, size_t len, const char *with) {
    size_t n = strlen(with);
    for (const unsigned char *p = b, *end = b + len; p && p < end;
         p = memchr(p, '\n', (size_t)(end - p)), p = p ? p + 1 : NULL)
        if ((size_t)(end - p) >= n && memcmp(p, with, n) == 0) return true;
    return false;
}

static bool any_case(const unsigned char *b, size_t len, const char *what) {
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= len && i < 4096; i++) {
        size_t k = 0;
        while (k < n && tolower(b[i + k]) == what[k]) k++;
        if (k == n) return true;
    }
    return false;
}

/* What kind of text, in front of the encoding: its words or NULL. */
static const char *language(const unsigned char *b, size_t len, const char **mime) {
    const unsigned char *p = b;
    size_t n = len;
    while (n > 0 && isspace(*p)) p++, n--;
    if (starts(p, n, "<?xml")) {
        *mime = "text/xml";
        if (any_case(p, n, "<svg")) {
            *mime = "image/svg+xml";
            return "SVG Scalable Vector Graphics image";
        }
        return "XML 1.0 document";
    }
    if (starts(p, n, "<svg")) {
        *mime = "image/svg+xml";
        return "SVG Scalable Vector Graphics image";
    }
    if (starts(p, n, "<?php")) {
        *mime = "text/x-php";
        return "PHP script";
    }
    if (*p == '<' && n > 0 &&
        (any_case(p, n, "<!doctype html") || any_case(p, n, "<html") || any_case(p, n, "<head") ||
         any_case(p, n, "<title"))) {
        *mime = "text/html";
        return "HTML document";
    }
    if (starts(b, len, "diff ") || (line_starts(b, len, "--- ") && line_starts(b, len, "+++ ") &&
                                    line_starts(b, len, "@@ "))) {
        *mime = "text/x-diff";
        return starts(b, len, "diff ") ? "diff output" : "unified diff output";
    }
    if (line_starts(b, len, "#include") || line_starts(b, len, "package main")) {
        *mime = "text/x-c";
        if (has(b, len, "std::") || has(b, len, "using namespace") || has(b, len, "template <") ||
            has(b, len, "template<")) {
            *mime = "text/x-c++";
            return "C++ source";
        }
        return "C source";
    }
    if (line_starts(b, len, "public class ") || line_starts(b, len, "import java")) {
        *mime = "text/x-java";
        return "Java source";
    }
    if (line_starts(b, len, "class ") && has(b, len, "{")) {
        *mime = "text/x-c++";
        return "C++ source";
    }
    if (starts(b, len, "%!PS")) {
        *mime = "application/postscript";
        return "PostScript document text";
    }
    return NULL;
}

static bool is_python(const unsigned char *b, size_t len) {
    bool def = false;
    for (const unsigned char *p = b, *end = b + len; p && p < end;
         p = memchr(p, '\n', (size_t)(end - p)), p = p ? p + 1 : NULL) {
        size_t left = (size_t)(end - p);
        const unsigned char *stop = memchr(p, '\n', left);
        size_t n = stop ? (size_t)(stop - p) : left;
        if (n > 6 && memcmp(p, "def ", 4) == 0 && p[n - 1] == ':' && memchr(p, '(', n)) def = true;
        if (n > 12 && memcmp(p, "from ", 5) == 0 && memmem(p, n, " import ", 8)) def = true;
    }
    return def;
}

const char *file_script(const unsigned char *b, size_t len, const char **mime, bool *before,
                        char *room, size_t size) {
    static const struct {
        const char *name, *words, *mime;
    } known[] = {{"bash", "Bourne-Again shell script", "text/x-shellscript"},
                 {"sh", "POSIX shell script", "text/x-shellscript"},
                 {"dash", "POSIX shell script", "text/x-shellscript"},
                 {"zsh", "Paul Falstad's zsh script", "text/x-shellscript"},
                 {"ksh", "Korn shell script", "text/x-shellscript"},
                 {"python", "Python script", "text/x-script.python"},
                 {"perl", "Perl script", "text/x-perl"},
                 {"ruby", "Ruby script", "text/x-ruby"},
                 {"awk", "awk script", "text/x-awk"},
                 {"gawk", "GNU awk script", "text/x-gawk"},
                 {"node", "Node.js script", "application/javascript"},
                 {"php", "PHP script", "text/x-php"}};
    *before = false;
    if (!starts(b, len, "#!")) return NULL;
    const unsigned char *end = memchr(b, '\n', len), *p = b + 2;
    if (!end) end = b + len;
    while (p < end && isspace(*p)) p++;
    const unsigned char *whole = p, *stop = p;
    while (stop < end && !isspace(*stop)) stop++;
    const unsigned char *name = stop;
    while (name > p && name[-1] != '/') name--;
    if (stop - name == 3 && memcmp(name, "env", 3) == 0) {
        for (name = stop; name < end && isspace(*name);) name++;
        for (stop = name; stop < end && !isspace(*stop);) stop++;
    }
    while (stop > name && (isdigit(stop[-1]) || stop[-1] == '.')) stop--;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != (size_t)(stop - name) ||
            memcmp(known[i].name, name, (size_t)(stop - name)) != 0)
            continue;
        *mime = known[i].mime;
        *before = strcmp(known[i].name, "node") == 0;
        return known[i].words;
    }
    snprintf(room, size, "a %.*s script", (int)(end - whole), (const char *)whole);
    *mime = "text/plain";
    return room;
}

static void add_lines(const unsigned char *b, size_t len, g_text *to) {
    size_t lf = 0, crlf = 0, cr = 0, longest = 0, start = 0;
    bool escape = memchr(b, 27, len) != NULL, backspace = memchr(b, 8, len) != NULL;
    for (size_t i = 0; i < len; i++) {
        if (b[i] == '\n' || b[i] == '\r') {
            if (i - start > longest) longest = i - start;
            start = i + 1;
        }
        if (b[i] == '\n')
            lf++;
        else if (b[i] == '\r' && i + 1 < len && b[i + 1] == '\n') {
            crlf++;
            i++;
            start = i + 1;
        } else if (b[i] == '\r')
            cr++;
    }
    if (len - start > longest) longest = len - start;
    if (longest > 300) g_text_addf(to, ", with very long lines (%zu)", longest);
    if (lf + crlf + cr == 0)
        g_text_adds(to, ", with no line terminators");
    else if (crlf || cr) {
        g_text_adds(to, ", with");
        const char *between = " ";
        if (crlf) {
            g_text_addf(to, "%sCRLF", between);
            between = ", ";
        }
        if (cr) {
            g_text_addf(to, "%sCR", between);
            between = ", ";
        }
        if (lf) g_text_addf(to, "%sLF", between);
        g_text_adds(to, " line terminators");
    }
    if (escape) g_text_adds(to, ", with escape sequences");
    if (backspace) g_text_adds(to, ", with overstriking");
}

void file_text(const unsigned char *b, size_t len, bool whole, file_kind *k) {
    static const char *const words[] = {"ASCII",
                                        "Unicode text, UTF-8",
                                        "Unicode text, UTF-8 (with BOM)",
                                        "ISO-8859",
                                        "Non-ISO extended-ASCII",
                                        "Unicode text, UTF-16, little-endian",
                                        "Unicode text, UTF-16, big-endian"};
    static const char *const encodings[] = {"us-ascii",     "utf-8",    "utf-8",   "iso-8859-1",
                                            "unknown-8bit", "utf-16le", "utf-16be"};
    enum encoding e = encoding_of(b, len, whole);
    if (e == NOT_TEXT) {
        g_text_adds(&k->words, "data");
        k->mime = "application/octet-stream";
        k->encoding = "binary";
        return;
    }
    char room[256];
    bool before;
    const char *mime = "text/plain",
               *script = file_script(b, len, &mime, &before, room, sizeof room);
    k->encoding = encodings[e];
    if (!script && is_json(b, len)) {
        g_text_adds(&k->words, "JSON text data");
        k->mime = "application/json";
        return;
    }
    if (!script && is_csv(b, len)) {
        g_text_adds(&k->words, "CSV text");
        k->mime = "text/csv";
        return;
    }
    const char *kind = script ? NULL : language(b, len, &mime);
    bool executable = script && !before;
    if (!script && !kind && is_python(b, len)) {
        script = "Python script";
        mime = "text/x-script.python";
        executable = true;
    }
    k->mime = mime;
    if (script && strcmp(script, "Perl script") == 0) {
        g_text_adds(&k->words, "Perl script text executable");
        return;
    }
    if (kind && strcmp(kind, "SVG Scalable Vector Graphics image") == 0) {
        g_text_adds(&k->words, kind);
        return;
    }
    if (script)
        g_text_addf(&k->words, "%s%s, ", script, before ? " executable" : "");
    else if (kind)
        g_text_addf(&k->words, "%s, ", kind);
    g_text_addf(&k->words, "%s text%s", words[e], executable ? " executable" : "");
    if (e == UTF16_LE || e == UTF16_BE) {
        bool end = false;
        for (size_t i = 2; i + 1 < len; i += 2) end |= (e == UTF16_LE ? b[i] : b[i + 1]) == '\n';
        if (!end) g_text_adds(&k->words, ", with no line terminators");
        return;
    }
    add_lines(b, len, &k->words);
}
