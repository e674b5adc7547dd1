/*
 * g_quote.c: names in messages, quoted as GNU tools quote them.
 *
 * The shell form reads back as the same name: plain when nothing is special, "it's" when a single
 * quote is the only trouble, otherwise 'a b' with $'\n' for what cannot be printed.
 */
#include "g_quote.h"
#include "g_program.h"
#include "g_text.h"
#include "lib/utf8/utf8.h"

#include <stdlib.h>
#include <string.h>

/* Length of the printable character at s, or 0 when one byte must be escaped. */
static size_t printable(const char *s, size_t len) {
    unsigned char byte = (unsigned char)*s;
    if (byte < 0x80) return byte >= 0x20 && byte != 0x7f;
    uint32_t c;
    size_t n = g_utf8_locale() ? (size_t)pf_utf8_decode(s, len, &c) : 0;
    return n && pf_uni_is(c, PF_UNI_PRINT) ? n : 0;
}

/* How many bytes at s cannot be printed and are escaped: a whole character or one byte. */
static size_t unprintable(const char *s, size_t len) {
    uint32_t c;
    bool wide = (unsigned char)*s >= 0x80 && g_utf8_locale();
    size_t n = wide ? (size_t)pf_utf8_decode(s, len, &c) : 0;
    return n ? n : 1;
}

enum trouble { PLAIN, NEEDS_QUOTES, NEEDS_SINGLE_QUOTES };

/* What a character asks for; the first one may be special where others are not. */
static enum trouble trouble_of(char c, size_t index, size_t len, bool colon) {
    switch (c) {
    case '#': case '~': return index == 0 ? NEEDS_QUOTES : PLAIN;
    case '{': case '}': return len == 1 ? NEEDS_QUOTES : PLAIN;
    case ' ': return NEEDS_QUOTES;
    case ':': return colon ? NEEDS_QUOTES : PLAIN;
    case '!': case '"': case '$': case '&': case '(': case ')': case '*': case ';': case '<':
    case '=': case '>': case '[': case '^': case '`': case '|': case '?': case '\\':
        return NEEDS_SINGLE_QUOTES;
    default: return PLAIN;
    }
}

static const char *escape_letter(unsigned char c) {
    static const char *const escapes[] = {"\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"};
    if (c < 7 || c > 13) return NULL;
    return escapes[c - 7];
}

static void add_escape(g_text *t, unsigned char c) {
    const char *known = escape_letter(c);
    if (known) {
        g_text_add(t, known, 2);
        return;
    }
    char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                     (char)('0' + (c & 7))};
    g_text_add(t, octal, 4);
}

static void add_single_quoted(g_text *t, const char *s, size_t len) {
    bool escaping = false;
    g_text_add(t, "'", 1);
    for (size_t i = 0; i < len;) {
        size_t n = printable(s + i, len - i);
        if (n == 0) {
            size_t bytes = unprintable(s + i, len - i);
            if (!escaping) g_text_add(t, "'$'", 3);
            escaping = true;
            while (bytes-- > 0) add_escape(t, (unsigned char)s[i++]);
            continue;
        }
        if (escaping) g_text_add(t, "''", 2);
        escaping = false;
        if (s[i] == '\'') g_text_add(t, "'\\''", 4);
        else g_text_add(t, s + i, n);
        i += n;
    }
    g_text_add(t, "'", 1);
}

char *g_shell_quote(const char *s, size_t len, bool always, bool colon, size_t *out_len) {
    bool single_quote = false, needs = len == 0, hard = false;
    for (size_t i = 0; i < len;) {
        size_t n = printable(s + i, len - i);
        enum trouble kind = n ? trouble_of(s[i], i, len, colon) : NEEDS_SINGLE_QUOTES;
        if (n == 1 && s[i] == '\'') single_quote = needs = true;
        if (kind != PLAIN) needs = true;
        if (kind == NEEDS_SINGLE_QUOTES) hard = true;
        i += n ? n : 1;
    }
    g_text t = {0};
    if (!needs && !always) {
        g_text_add(&t, s, len);
    } else if (single_quote && !hard) {
        g_text_add(&t, "\"", 1);
        g_text_add(&t, s, len);
        g_text_add(&t, "\"", 1);
    } else {
        add_single_quoted(&t, s, len);
    }
    if (out_len) *out_len = t.len;
    return t.s;
}

/* Keeps the last four results, so that one message can hold several. */
static const char *keep(char *s) {
    static char *kept[4];
    static unsigned next;
    free(kept[next]);
    kept[next] = s;
    const char *result = s;
    next = (next + 1) % 4;
    return result;
}

const char *g_quotef(const char *name) {
    return keep(g_shell_quote(name, strlen(name), false, true, NULL));
}

const char *g_quoteaf(const char *name) {
    return keep(g_shell_quote(name, strlen(name), true, false, NULL));
}

const char *g_quote_bytes(const char *s, size_t len) {
    bool utf8 = g_utf8_locale();
    g_text t = {0};
    g_text_add(&t, utf8 ? "\xe2\x80\x98" : "'", utf8 ? 3 : 1);
    for (size_t i = 0; i < len;) {
        size_t n = printable(s + i, len - i);
        if (n == 0) {
            size_t bytes = unprintable(s + i, len - i);
            while (bytes-- > 0) add_escape(&t, (unsigned char)s[i++]);
            continue;
        }
        if (s[i] == '\\' || (s[i] == '\'' && !utf8)) g_text_add(&t, "\\", 1);
        g_text_add(&t, s + i, n);
        i += n;
    }
    g_text_add(&t, utf8 ? "\xe2\x80\x99" : "'", utf8 ? 3 : 1);
    return keep(t.s);
}

const char *g_quote(const char *s) { return g_quote_bytes(s, strlen(s)); }
