/*
 * host/http/host.c: the host of an address: a name, or a number in any of its spellings.
 */
#include "url.h"
#include "lib/hex/hex.h"

#include <stdio.h>
#include <string.h>

/* ---- IPv4, as inet_aton() and the standard read it: 127.1, 0x7f.1, 017700000001 */

/* One of its numbers; -1: it is none. */
static int64_t read_number(const char *text, size_t len) {
    int64_t value = 0, base = 10;
    if (len == 0) return -1;
    if (len >= 2 && text[0] == '0') {
        base = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
        text += base == 16 ? 2 : 1;
        len -= base == 16 ? 2 : 1;
    }
    for (size_t i = 0; i < len; i++) {
        int digit = pf_hex(text[i]);
        if (digit < 0 || digit >= base) return -1;
        if (value < (int64_t)1 << 40) value = value * base + digit;
    }
    return value;
}

/* The last label of a name, not counting the empty one behind a last dot. */
static const char *last_label(const char *text, size_t len, size_t *label_len) {
    if (len && text[len - 1] == '.') len--;
    size_t from = len;
    while (from && text[from - 1] != '.') from--;
    *label_len = len - from;
    return text + from;
}

/* A name that ends in a number is an IPv4 address, or wrong. */
static bool ends_in_number(const char *text, size_t len) {
    size_t n;
    const char *label = last_label(text, len, &n);
    bool digits = n > 0;
    for (size_t i = 0; i < n; i++) digits = digits && label[i] >= '0' && label[i] <= '9';
    return digits || (n >= 2 && label[0] == '0' && label[1] == 'x' && read_number(label, n) >= 0);
}

static bool read_ipv4(uint8_t address[4], const char *text, size_t len) {
    int64_t parts[4], value = 0;
    int count = 0;
    if (len && text[len - 1] == '.') len--;
    for (size_t at = 0; at <= len; count++) {
        const char *dot = memchr(text + at, '.', len - at);
        size_t end = dot ? (size_t)(dot - text) : len;
        if (count == 4 || (parts[count] = read_number(text + at, end - at)) < 0) return false;
        at = end + 1;
    }
    for (int i = 0; i < count - 1; i++) {
        if (parts[i] > 255) return false;
        value |= parts[i] << (8 * (3 - i));
    }
    if (parts[count - 1] >= (int64_t)1 << (8 * (5 - count))) return false;
    value |= parts[count - 1];
    for (int i = 0; i < 4; i++) address[i] = (uint8_t)(value >> (8 * (3 - i)));
    return true;
}

/* ---- IPv6 */

static bool read_dotted(uint8_t out[4], const char *text, size_t len) {
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        int value = 0, digits = 0;
        for (; digits < 4 && at < len && text[at] >= '0' && text[at] <= '9'; at++, digits++)
            value = value * 10 + (text[at] - '0');
        bool leading = digits > 1 && text[at - (size_t)digits] == '0';
        if (digits == 0 || digits > 3 || leading || value > 255) return false;
        out[i] = (uint8_t)value;
        if (i < 3 && (at >= len || text[at++] != '.')) return false;
    }
    return at == len;
}

static bool read_ipv6(uint8_t out[16], const char *text, size_t len) {
    uint8_t bytes[16] = {0};
    size_t n = 0, at = 0;
    int gap = -1;
    if (len >= 2 && text[0] == ':' && text[1] == ':') {
        gap = 0;
        at = 2;
    }
    while (at < len) {
        size_t end = at;
        int value = 0;
        while (end < len && end - at < 4 && pf_hex(text[end]) >= 0)
            value = value * 16 + pf_hex(text[end++]);
        if (end < len && text[end] == '.') {
            if (n > 12 || !read_dotted(bytes + n, text + at, len - at)) return false;
            n += 4;
            break;
        }
        if (end == at || n > 14) return false;
        bytes[n++] = (uint8_t)(value >> 8);
        bytes[n++] = (uint8_t)value;
        if (end == len) break;
        if (text[end] != ':' || end + 1 == len) return false;
        at = end + 1;
        if (text[at] == ':') {
            if (gap >= 0) return false;
            gap = (int)n;
            at++;
        }
    }
    if (gap < 0 ? n != 16 : n == 16) return false;
    size_t head = gap < 0 ? n : (size_t)gap;
    memset(out, 0, 16);
    memcpy(out, bytes, head);
    memcpy(out + 16 - (n - head), bytes + head, n - head);
    return true;
}

/* The one text of an address: the longest run of zeros, of two groups or more, is "::". */
static size_t write_ipv6(char *out, const uint8_t a[16]) {
    int best = -1, best_len = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && a[2 * (i + n)] == 0 && a[2 * (i + n) + 1] == 0) n++;
        if (n > best_len) {
            best = i;
            best_len = n;
        }
    }
    char *at = out;
    *at++ = '[';
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            at += sprintf(at, i == 0 ? "::" : ":");
            i += best_len - 1;
            continue;
        }
        at += sprintf(at, "%x%s", (unsigned)(a[2 * i] << 8 | a[2 * i + 1]), i < 7 ? ":" : "");
    }
    *at++ = ']';
    *at = '\0';
    return (size_t)(at - out);
}

/* ---- names */

/* Percent-decoded; false: it is too long. */
static bool decode(char *out, size_t *out_len, size_t max, const char *text, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '%' && len - i >= 3 && pf_hex(text[i + 1]) >= 0 && pf_hex(text[i + 2]) >= 0) {
            c = (char)(pf_hex(text[i + 1]) * 16 + pf_hex(text[i + 2]));
            i += 2;
        }
        if (n == max) return false;
        out[n++] = c;
    }
    *out_len = n;
    return true;
}

static bool name_is_good(const char *name, size_t len) {
    size_t label = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c <= ' ' || c >= 0x7f || strchr("#/:<>?@[\\]^|%\"`{}", c)) return false;
        label = c == '.' ? 0 : label + 1;
        if (label > 63 || (c == '.' && (i == 0 || name[i - 1] == '.'))) return false;
    }
    return len > 0;
}

bool http_host_read(char out[HTTP_HOST_MAX + 1], size_t *out_len, enum http_host_kind *kind,
                    uint8_t address[16], const char *text, size_t len, const char **why) {
    char name[4 * HTTP_HOST_MAX];
    size_t n;
    memset(address, 0, 16);
    *why = "it has no host";
    if (len == 0) return false;
    *why = "its host is not valid";
    if (text[0] == '[') {
        *kind = HTTP_HOST_IPV6;
        if (len < 4 || text[len - 1] != ']' || !read_ipv6(address, text + 1, len - 2)) return false;
        *out_len = write_ipv6(out, address);
        return true;
    }
    if (!decode(name, &n, sizeof name, text, len)) return false;
    bool ascii = true;
    for (size_t i = 0; i < n; i++) ascii = ascii && (unsigned char)name[i] < 0x80;
    if (ascii) {
        if (n > HTTP_HOST_MAX) return false;
        for (size_t i = 0; i < n; i++)
            out[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
        *out_len = n;
    } else if (!http_idna(out, out_len, name, n)) {
        return false;
    }
    out[*out_len] = '\0';
    *kind = HTTP_HOST_NAME;
    if (!name_is_good(out, *out_len)) return false;
    if (!ends_in_number(out, *out_len)) return true;
    *kind = HTTP_HOST_IPV4;
    if (!read_ipv4(address, out, *out_len)) return false;
    *out_len = (size_t)sprintf(out, "%u.%u.%u.%u", address[0], address[1], address[2], address[3]);
    return true;
}
