/*
 * host/http/secret.c: see secret.h.
 */
#include "secret.h"

#include "host/base/base64.h"
#include "lib/hex/hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char mark[] = "pfsecret_";
#define MARK_LEN (sizeof mark - 1)

/* ---- placeholders */

static const char *find_mark(const char *text, size_t len) {
    for (size_t i = 0; len >= MARK_LEN && i <= len - MARK_LEN; i++)
        if ((text[i] | 32) == 'p' && strncasecmp(text + i, mark, MARK_LEN) == 0) return text + i;
    return NULL;
}

bool http_secret_mentioned(const char *text, size_t len) {
    if (find_mark(text, len)) return true;
    if (!memchr(text, '%', len)) return false;
    struct base_buf decoded;
    base_buf_init(&decoded, SIZE_MAX);
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '%' && len - i >= 3 && pf_hex(text[i + 1]) >= 0 && pf_hex(text[i + 2]) >= 0) {
            c = (char)(pf_hex(text[i + 1]) * 16 + pf_hex(text[i + 2]));
            i += 2;
        }
        base_buf_add(&decoded, &c, 1);
    }
    bool found = decoded.failed || (decoded.data && find_mark(decoded.data, decoded.len));
    base_buf_free(&decoded);
    return found;
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The secret whose placeholder the text begins with, and its length; NULL: none. */
static const struct http_secret *placeholder(const struct http_secrets *secrets, const char *text,
                                             size_t len, size_t *used) {
    for (size_t i = 0; i < secrets->count; i++) {
        const struct http_secret *s = &secrets->items[i];
        size_t n = strlen(s->name), whole = MARK_LEN + n + 1 + HTTP_SECRET_DIGITS;
        if (len < whole || memcmp(text, mark, MARK_LEN) != 0 ||
            memcmp(text + MARK_LEN, s->name, n) != 0 || text[MARK_LEN + n] != '_')
            continue;
        bool good = len == whole || !is_word(text[whole]);
        for (size_t k = whole - HTTP_SECRET_DIGITS; k < whole; k++)
            good = good && pf_hex(text[k]) >= 0;
        if (!good) continue;
        *used = whole;
        return s;
    }
    return NULL;
}

static bool may_use(const struct http_secret *s, const char *header, const struct http_url *url,
                    struct base_text *why) {
    bool host = false, named = false;
    for (size_t i = 0; i < s->host_count; i++)
        host = host || http_rule_matches_url(&s->hosts[i], url);
    for (size_t i = 0; i < s->header_count; i++)
        named = named || strcasecmp(s->headers[i], header) == 0;
    if (host && named) return true;
    base_text_addf(why, "the secret %s may be sent only to", s->name);
    for (size_t i = 0; i < s->host_count; i++)
        base_text_addf(why, "%s %s", i ? "," : "", s->hosts[i].text);
    base_text_addz(why, ", in the header");
    for (size_t i = 0; i < s->header_count; i++)
        base_text_addf(why, "%s %s", i ? "," : "", s->headers[i]);
    return false;
}

static enum http_exchange exchange(const struct http_secrets *secrets, struct base_buf *out,
                                   const char *header, const char *text, size_t len,
                                   const struct http_url *url, struct base_text *why) {
    enum http_exchange result = HTTP_NOT_EXCHANGED;
    while (len) {
        const char *at = find_mark(text, len);
        if (!at) break;
        size_t before = (size_t)(at - text), used;
        const struct http_secret *s = placeholder(secrets, at, len - before, &used);
        if (!s) {
            base_text_addf(why, "there is no secret for the placeholder in the header %s", header);
            return HTTP_REFUSED;
        }
        if (!may_use(s, header, url, why)) return HTTP_REFUSED;
        base_buf_add(out, text, before);
        base_buf_add(out, s->value, s->value_len);
        text = at + used;
        len -= before + used;
        result = HTTP_EXCHANGED;
    }
    base_buf_add(out, text, len);
    return result;
}

enum http_exchange http_secret_exchange(const struct http_secrets *secrets, struct base_buf *out,
                                        const char *header, const char *value, size_t len,
                                        const struct http_url *url, struct base_text *why) {
    if (len < 6 || strncasecmp(value, "Basic ", 6) != 0)
        return exchange(secrets, out, header, value, len, url, why);
    struct base_buf plain, changed;
    base_buf_init(&plain, SIZE_MAX);
    base_buf_init(&changed, SIZE_MAX);
    enum http_exchange result = HTTP_NOT_EXCHANGED;
    if (base_base64_read(&plain, value + 6, len - 6) && plain.len)
        result = exchange(secrets, &changed, header, plain.data, plain.len, url, why);
    if (result == HTTP_EXCHANGED && changed.len) {
        base_buf_addz(out, "Basic ");
        base_base64_write(out, changed.data, changed.len, false);
        if (changed.failed) out->failed = true;
    } else if (result == HTTP_NOT_EXCHANGED) {
        result = exchange(secrets, out, header, value, len, url, why);
    }
    base_buf_free(&plain);
    base_buf_free(&changed);
    return result;
}

/* ---- scrubbing */

/* What Base64 of anything has in it that has the value at an offset of `shift` bytes (mod 3). */
static bool add_needle(struct http_secret *s, struct base_arena *arena, size_t shift, bool url) {
    static const char before[] = "\0\0";
    struct base_buf data, text;
    base_buf_init(&data, SIZE_MAX);
    base_buf_init(&text, SIZE_MAX);
    base_buf_add(&data, before, shift);
    base_buf_add(&data, s->value, s->value_len);
    base_base64_write(&text, data.data ? data.data : "", data.len, url);
    size_t from = shift ? shift + 1 : 0, to = data.len * 8 / 6;
    struct http_needle *needle = &s->base64[shift * 2 + url];
    bool ok = !data.failed && !text.failed && to > from;
    if (ok) needle->text = base_arena_copy(arena, text.data + from, to - from);
    needle->len = to - from;
    base_buf_free(&data);
    base_buf_free(&text);
    return ok && needle->text;
}

bool http_secret_prepare(struct http_secret *s, struct base_arena *arena) {
    snprintf(s->shown, sizeof s->shown, "%s%.40s_%s", mark, s->name, "hidden");
    bool ok = true;
    for (size_t shift = 0; shift < 3; shift++)
        ok = ok && add_needle(s, arena, shift, false) && add_needle(s, arena, shift, true);
    return ok;
}

static bool read_digits(const char *text, size_t len, size_t count, unsigned *out) {
    *out = 0;
    if (len < count) return false;
    for (size_t i = 0; i < count; i++) {
        if (pf_hex(text[i]) < 0) return false;
        *out = *out * 16 + (unsigned)pf_hex(text[i]);
    }
    return true;
}

/* &#38; &#x26; &amp; and their like, behind the &: the byte and the length, 0: none. */
static size_t entity(const char *text, size_t len, unsigned char *out) {
    static const struct {
        const char *name;
        char c;
    } names[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
    for (size_t i = 0; i < 5; i++) {
        size_t n = strlen(names[i].name);
        if (len < n || strncasecmp(text, names[i].name, n) != 0) continue;
        *out = (unsigned char)names[i].c;
        return n;
    }
    if (len < 3 || text[0] != '#') return 0;
    bool hexadecimal = text[1] == 'x' || text[1] == 'X';
    unsigned value = 0;
    size_t at = hexadecimal ? 2 : 1, from = at;
    for (; at < len && at < 10; at++) {
        int digit = pf_hex(text[at]);
        if (digit < 0 || (digit > 9 && !hexadecimal)) break;
        value = value * (hexadecimal ? 16 : 10) + (unsigned)digit;
    }
    if (at == from || at >= len || text[at] != ';' || value > 255) return 0;
    *out = (unsigned char)value;
    return at + 1;
}

/* %41, also encoded once more: %2541. Its length, 0: it is another byte. */
static size_t percent(const char *text, size_t len, unsigned char wanted) {
    unsigned value;
    size_t at = 1;
    if (read_digits(text + 1, len - 1, 2, &value) && value == wanted) return 3;
    while (len - at >= 4 && text[at] == '2' && text[at + 1] == '5') at += 2;
    return at > 1 && read_digits(text + at, len - at, 2, &value) && value == wanted ? at + 2 : 0;
}

/* One byte of the value as it may be spelled; its length in the text, 0: it is another. */
static size_t spelled(const char *text, size_t len, unsigned char wanted, bool escaped) {
    unsigned value;
    unsigned char byte;
    if (!escaped) return (unsigned char)text[0] == wanted ? 1 : 0;
    if (text[0] == '%') return percent(text, len, wanted);
    if (text[0] == '+' && wanted == ' ') return 1;
    if (text[0] == '\\' && len > 1) {
        if (text[1] == 'u' && read_digits(text + 2, len - 2, 4, &value))
            return value == wanted ? 6 : 0;
        if (text[1] == 'x' && read_digits(text + 2, len - 2, 2, &value))
            return value == wanted ? 4 : 0;
        return (unsigned char)text[1] == wanted ? 2 : 0;
    }
    size_t n = text[0] == '&' ? entity(text + 1, len - 1, &byte) : 0;
    return n && byte == wanted ? n + 1 : 0;
}

static size_t match_spelled(const struct http_secret *s, const char *text, size_t len) {
    size_t at = 0;
    for (size_t i = 0; i < s->value_len; i++) {
        unsigned char wanted = (unsigned char)s->value[i];
        if (at >= len) return 0;
        size_t n = spelled(text + at, len - at, wanted, false);
        if (!n) n = spelled(text + at, len - at, wanted, true);
        if (!n) return 0;
        at += n;
    }
    return at;
}

static size_t match_hex(const struct http_secret *s, const char *text, size_t len) {
    if (len < 2 * s->value_len) return 0;
    for (size_t i = 0; i < s->value_len; i++) {
        unsigned value;
        if (!read_digits(text + 2 * i, 2, 2, &value)) return 0;
        if (value != (unsigned char)s->value[i]) return 0;
    }
    return 2 * s->value_len;
}

static size_t match_reversed(const struct http_secret *s, const char *text, size_t len) {
    if (len < s->value_len) return 0;
    for (size_t i = 0; i < s->value_len; i++)
        if (text[i] != s->value[s->value_len - 1 - i]) return 0;
    return s->value_len;
}

/* The ends of lines that Base64 may have, as they are or in JSON; their length. */
static size_t line_ends(const char *text, size_t len) {
    size_t at = 0;
    for (; at < len; at++) {
        char next = text[at] == '\\' && at + 1 < len ? text[at + 1] : ' ';
        if (next == 'n' || next == 'r') at++;
        else if (text[at] != '\r' && text[at] != '\n' && text[at] != ' ' && text[at] != '\t') break;
    }
    return at;
}

static size_t match_base64(const struct http_needle *needle, const char *text, size_t len) {
    size_t at = 0;
    for (size_t i = 0; i < needle->len; i++) {
        if (at < len && text[at] != needle->text[i] && i) at += line_ends(text + at, len - at);
        if (at >= len || text[at] != needle->text[i]) return 0;
        at++;
    }
    return at;
}

/* UTF-16, of which a zero byte stays before or behind. */
static size_t match_wide(const struct http_secret *s, const char *text, size_t len) {
    if (len < 2 * s->value_len - 1) return 0;
    for (size_t i = 0; i < s->value_len; i++)
        if (text[2 * i] != s->value[i] || (i && text[2 * i - 1] != '\0')) return 0;
    return 2 * s->value_len - 1;
}

/* How many bytes at the start of the text are the value in some spelling. */
static size_t match(const struct http_secret *s, const char *text, size_t len) {
    size_t n = match_spelled(s, text, len);
    if (!n) n = match_hex(s, text, len);
    if (!n) n = match_reversed(s, text, len);
    if (!n) n = match_wide(s, text, len);
    for (size_t i = 0; i < 6 && !n; i++) n = match_base64(&s->base64[i], text, len);
    return n;
}

void http_secret_scrub(const struct http_secrets *secrets, struct base_buf *out, const char *text,
                       size_t len) {
    size_t kept = 0;
    for (size_t i = 0; i < len && secrets->count;) {
        size_t n = 0;
        for (size_t k = 0; k < secrets->count && !n; k++) {
            n = match(&secrets->items[k], text + i, len - i);
            if (!n) continue;
            base_buf_add(out, text + kept, i - kept);
            base_buf_addz(out, secrets->items[k].shown);
            kept = i + n;
        }
        i += n ? n : 1;
    }
    base_buf_add(out, text + kept, len - kept);
}
