/*
 * patternpart.c: the elements of shell patterns: characters, ?, [sets], and where groups end.
 */
#include "pattern.h"

#include <wctype.h>

static uint32_t fold(uint32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return (uint32_t)towlower((wint_t)c);
}

/* ------------------------------------------------------------------ [sets] */

static bool class_has(const char *name, size_t n, uint32_t c) {
    char text[16];
    if (n >= sizeof text) return false;
    memcpy(text, name, n);
    text[n] = 0;
    if (strcmp(text, "ascii") == 0) return c < 0x80;
    if (strcmp(text, "word") == 0) return c == '_' || iswalnum((wint_t)c);
    wctype_t type = wctype(text);
    return type && iswctype((wint_t)c, type);
}

const char *pattern_set_end(const char *p, const char *pe) {
    if (p < pe && (*p == '!' || *p == '^')) p++;
    if (p < pe && *p == ']') p++;
    for (; p < pe && *p != ']'; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[' && p + 1 < pe && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
            char kind = p[1];
            const char *q = p + 2;
            while (q + 1 < pe && !(q[0] == kind && q[1] == ']')) q++;
            if (q + 1 < pe) p = q + 1;
        }
    }
    return p < pe ? p : NULL;
}

/* Characters, each before a name that POSIX gives it. */
static const char *const symbol_names[] = {
    " space", "!exclamation-mark", "\"quotation-mark", "#number-sign", "$dollar-sign",
    "%percent-sign", "&ampersand", "'apostrophe", "(left-parenthesis", ")right-parenthesis",
    "*asterisk", "+plus-sign", ",comma", "-hyphen", "-hyphen-minus", "-minus", "-dash", ".period",
    ".full-stop", "/slash", "/solidus", "0zero", "1one", "2two", "3three", "4four", "5five", "6six",
    "7seven", "8eight", "9nine", ":colon", ";semicolon", "<less-than-sign", "=equals-sign",
    ">greater-than-sign", "?question-mark", "@commercial-at", "[left-square-bracket", "\\backslash",
    "\\reverse-solidus", "]right-square-bracket", "^circumflex", "^circumflex-accent",
    "_underscore", "`grave-accent", "{left-brace", "{left-curly-bracket", "|vertical-line",
    "}right-brace", "}right-curly-bracket", "~tilde", "\177DEL", "\aalert", "\bbackspace", "\ttab",
    "\nnewline", "\vvertical-tab", "\fform-feed", "\rcarriage-return",
};

enum { NO_SYMBOL = UINT32_MAX };

/* The character that a collating symbol ('.') or an equivalence class ('=') of n bytes is, or none. */
static uint32_t symbol_value(const char *name, size_t n, char kind) {
    int len;
    uint32_t c = u8_decode(name, n, &len);
    if ((size_t)len == n) return c;
    for (int i = 0; kind == '.' && i < DIM(symbol_names); i++) {
        const char *known = symbol_names[i];
        if (strlen(known + 1) == n && memcmp(known + 1, name, n) == 0)
            return (unsigned char)known[0];
    }
    return NO_SYMBOL;
}

/* One member of a set at *p: a character (also [.x.] and [=x=]), or true from *in when a class. */
static uint32_t set_member(const char **p, const char *end, uint32_t c, bool *class, bool *in) {
    const char *s = *p;
    int len;
    *class = false;
    if (*s == '[' && s + 1 < end && (s[1] == ':' || s[1] == '.' || s[1] == '=')) {
        const char *q = s + 2;
        while (q + 1 < end && !(q[0] == s[1] && q[1] == ']')) q++;
        if (q + 1 >= end && s[1] == ':') { /* no class: its bracket is no member, as in bash */
            *p = s + 1;
            *class = true;
            *in = false;
            return 0;
        }
        if (q + 1 < end) {
            *p = q + 2;
            if (s[1] == ':') {
                *class = true;
                *in = class_has(s + 2, (size_t)(q - s - 2), c);
                return 0;
            }
            return symbol_value(s + 2, (size_t)(q - s - 2), s[1]);
        }
    }
    if (*s == '\\' && s + 1 < end) s++;
    uint32_t member = u8_decode(s, (size_t)(end - s), &len);
    *p = s + len;
    return member;
}

static bool set_has(const char *p, const char *end, uint32_t c, unsigned flags) {
    bool negated = *p == '!' || *p == '^', found = false;
    if (negated) p++;
    uint32_t folded = flags & PAT_ICASE ? fold(c) : c;
    while (p < end) {
        bool class, in = false;
        uint32_t low = set_member(&p, end, c, &class, &in);
        if (class) {
            found |= in;
            if (!in && (flags & PAT_ICASE) && !found) continue;
            continue;
        }
        uint32_t high = low;
        if (p + 1 < end && *p == '-') {
            p++;
            bool ignored;
            high = set_member(&p, end, c, &class, &ignored);
        }
        if (low == NO_SYMBOL || high == NO_SYMBOL) continue;
        if (c >= low && c <= high) found = true;
        if ((flags & PAT_ICASE) &&
            ((folded >= fold(low) && folded <= fold(high)) ||
             ((uint32_t)towupper((wint_t)c) >= low && (uint32_t)towupper((wint_t)c) <= high)))
            found = true;
    }
    return found != negated;
}

/* ------------------------------------------------------------------ groups */

const char *pattern_group_end(const char *p, const char *pe) {
    int depth = 0;
    for (; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[') {
            const char *end = pattern_set_end(p + 1, pe);
            if (end) p = end;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')' && --depth == 0) {
            return p + 1;
        }
    }
    return NULL;
}

const char *pattern_alternative_end(const char *p, const char *pe) {
    int depth = 0;
    for (; p < pe; p++) {
        if (*p == '\\' && p + 1 < pe) {
            p++;
        } else if (*p == '[') {
            const char *end = pattern_set_end(p + 1, pe);
            if (end && end < pe) p = end;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')') {
            depth--;
        } else if (*p == '|' && depth == 0) {
            return p;
        }
    }
    return pe;
}

bool pattern_is_group(const char *p, const char *pe, unsigned flags) {
    return (flags & PAT_EXT) && pe - p >= 2 && p[1] == '(' &&
           (*p == '?' || *p == '*' || *p == '+' || *p == '@' || *p == '!') &&
           pattern_group_end(p + 1, pe);
}

/* ------------------------------------------------------------------ one character */

bool pattern_at_period(const struct subject *text, const char *s) {
    return (text->flags & PAT_PERIOD) && s == text->start && s < text->end && *s == '.';
}

const char *pattern_one(const struct subject *text, const char *p, const char *pe, const char *s,
                        const char **next) {
    const char *end = NULL;
    int len, plen;
    bool anything = *p == '?';
    if (anything || (*p == '[' && (end = pattern_set_end(p + 1, pe)))) {
        *next = anything ? p + 1 : end + 1;
        if (pattern_at_period(text, s) || ((text->flags & PAT_PATH) && *s == '/')) return NULL;
        uint32_t c = u8_decode(s, (size_t)(text->end - s), &len);
        return anything || set_has(p + 1, end, c, text->flags) ? s + len : NULL;
    }
    if (*p == '\\' && p + 1 < pe) p++;
    if (!(text->flags & PAT_ICASE)) {
        *next = p + 1;
        return *p == *s ? s + 1 : NULL;
    }
    uint32_t a = u8_decode(p, (size_t)(pe - p), &plen);
    uint32_t b = u8_decode(s, (size_t)(text->end - s), &len);
    *next = p + plen;
    return fold(a) == fold(b) ? s + len : NULL;
}
