/*
 * quote.c: text made safe to read back, and backslash escapes made into what they stand for.
 */
#include "sh.h"

bool quote_needs_dollar(const char *s) {
    for (size_t n = strlen(s); *s;) {
        int len;
        uint32_t c = u8_decode(s, n, &len);
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && len == 1)) return true;
        s += len;
        n -= (size_t)len;
    }
    return false;
}

void quote_single(sb *out, const char *s) {
    if (s[0] == '\'' && !s[1]) { /* as bash has it */
        sb_puts(out, "\\'");
        return;
    }
    sb_putc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'') sb_puts(out, "'\\''");
        else sb_putc(out, *s);
    }
    sb_putc(out, '\'');
}

void quote_dollar(sb *out, const char *s) {
    sb_puts(out, "$'");
    for (size_t n = strlen(s); *s;) {
        int len;
        uint32_t c = u8_decode(s, n, &len);
        static const char names[] = "\a\b\t\n\v\f\r\33";
        static const char letters[] = "abtnvfrE";
        const char *at = c && c < 0x80 ? strchr(names, (int)c) : NULL;
        if (at) {
            sb_putc(out, '\\');
            sb_putc(out, letters[at - names]);
        } else if (c == '\'' || c == '\\') {
            sb_putc(out, '\\');
            sb_putc(out, (char)c);
        } else if (c < 0x20 || c == 0x7f || (len == 1 && c >= 0x80)) {
            sb_printf(out, "\\%03o", (unsigned)(unsigned char)*s);
        } else {
            sb_put(out, s, (size_t)len);
        }
        s += len;
        n -= (size_t)len;
    }
    sb_putc(out, '\'');
}

void quote_backslash(sb *out, const char *s) {
    if (!*s) {
        sb_puts(out, "''");
        return;
    }
    if (quote_needs_dollar(s)) {
        quote_dollar(out, s);
        return;
    }
    for (const char *p = s; *p; p++) {
        bool special = strchr(" \t\n'\"\\|&;()<>!{}*[]?^$`,", *p) != NULL;
        if (*p == '#' || *p == '~')
            special = p == s || (*p == '~' && (p[-1] == ':' || p[-1] == '='));
        if (special) sb_putc(out, '\\');
        sb_putc(out, *p);
    }
}

void quote_double(sb *out, const char *s) {
    if (quote_needs_dollar(s)) {
        quote_dollar(out, s);
        return;
    }
    sb_putc(out, '"');
    for (; *s; s++) {
        if (strchr("\"\\$`", *s)) sb_putc(out, '\\');
        sb_putc(out, *s);
    }
    sb_putc(out, '"');
}

/* Would the shell read these bytes as something else than themselves? */
static bool has_special(const char *s) {
    for (const char *p = s; *p; p++) {
        if (strchr(" \t\n'\"\\|&;()<>!{}*[]?^$`", *p)) return true;
        if (*p == '~' && (p == s || p[-1] == ':' || p[-1] == '=')) return true;
        if (*p == '#' && p == s) return true;
    }
    return false;
}

void quote_trace(sb *out, const char *s) {
    if (!*s) sb_puts(out, "''");
    else if (has_special(s)) quote_single(out, s);
    else if (quote_needs_dollar(s)) quote_dollar(out, s);
    else sb_puts(out, s);
}

void quote_value(sb *out, const char *s) {
    if (quote_needs_dollar(s)) quote_dollar(out, s);
    else if (has_special(s)) quote_single(out, s);
    else sb_puts(out, s);
}

/* ------------------------------------------------------------------ escapes */

static int digit_of(char c, int base) {
    int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                                                : 99;
    return d < base ? d : -1;
}

/* Up to `max` digits at s; how many there were. */
static size_t read_digits(const char *s, size_t n, size_t max, int base, uint32_t *value) {
    size_t i = 0;
    *value = 0;
    while (i < max && i < n && digit_of(s[i], base) >= 0)
        *value = *value * (uint32_t)base + (uint32_t)digit_of(s[i++], base);
    return i;
}

static size_t unescape_hex(sb *out, const char *s, size_t n, char mode) {
    uint32_t value;
    if (mode == '$' && n > 1 && s[1] == '{') {
        size_t digits = 0, i = 2;
        value = 0;
        while (i < n && digit_of(s[i], 16) >= 0) {
            value = value * 16 + (uint32_t)digit_of(s[i++], 16);
            digits++;
        }
        if (i < n && s[i] == '}') i++;
        if (digits == 0) value = 0;
        sb_putc(out, (char)value);
        return i;
    }
    size_t used = read_digits(s + 1, n - 1, 2, 16, &value);
    if (used == 0) {
        sb_puts(out, "\\x");
        return 1;
    }
    sb_putc(out, (char)value);
    return used + 1;
}

static size_t unescape_unicode(sb *out, const char *s, size_t n) {
    uint32_t value;
    size_t used = read_digits(s + 1, n - 1, *s == 'u' ? 4 : 8, 16, &value);
    if (used == 0) {
        sb_putc(out, '\\');
        sb_putc(out, *s);
        return 1;
    }
    char text[6];
    if (value > 0x7f && u8_is_bytes()) { /* the locale has no such character */
        if (value > 0xffff) sb_printf(out, "\\U%08X", (unsigned)value);
        else sb_printf(out, "\\u%04X", (unsigned)value);
    } else {
        sb_put(out, text, (size_t)u8_encode(value, text));
    }
    return used + 1;
}

/* \nnn, and \0nnn where the mode has it. */
static size_t unescape_octal(sb *out, const char *s, size_t n, char mode) {
    uint32_t value;
    size_t skip = s[0] == '0' && (mode == 'e' || mode == 'b') ? 1 : 0;
    size_t used = read_digits(s + skip, n - skip, 3, 8, &value);
    sb_putc(out, (char)value);
    return skip + used;
}

/* The escape whose letter is at s; how many bytes it takes, counted from there. */
static size_t unescape_one(sb *out, const char *s, size_t n, char mode) {
    static const char letters[] = "abefnrtv\\";
    static const char values[] = "\a\b\33\f\n\r\t\v\\";
    const char *at = strchr(letters, *s);
    if (at && *s) {
        sb_putc(out, values[at - letters]);
        return 1;
    }
    switch (*s) {
    case 'E': sb_putc(out, '\33'); return 1;
    case 'x': return unescape_hex(out, s, n, mode);
    case 'u':
    case 'U': return unescape_unicode(out, s, n);
    case '\'':
    case '"':
    case '?':
        if (mode == 'e' || mode == 'b') break;
        sb_putc(out, *s);
        return 1;
    case 'c':
        if (mode != '$' || n < 2) break;
        sb_putc(out, (char)(s[1] == '?' ? 127 : s[1] & 31));
        return s[1] == '\\' && n > 2 && s[2] == '\\' ? 3 : 2;
    default: break;
    }
    if (*s >= '0' && *s <= '7' && !(mode == 'e' && *s != '0'))
        return unescape_octal(out, s, n, mode);
    sb_putc(out, '\\');
    sb_putc(out, *s);
    return 1;
}

bool quote_unescape(sb *out, const char *s, size_t n, char mode) {
    for (size_t i = 0; i < n;) {
        if (s[i] != '\\' || i + 1 >= n) {
            sb_putc(out, s[i++]);
            continue;
        }
        if (s[i + 1] == 'c' && (mode == 'e' || mode == 'b')) return true;
        i += 1 + unescape_one(out, s + i + 1, n - i - 1, mode);
    }
    return false;
}
