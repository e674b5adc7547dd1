/*
 * host/http/url.c: see url.h.
 */
#include "url.h"

#include <stdio.h>
#include <string.h>

struct writer {
    struct http_url *url;
    bool full;
};

static void put(struct writer *w, char c) {
    if (w->url->len == HTTP_URL_MAX) {
        w->full = true;
        return;
    }
    w->url->text[w->url->len++] = c;
}

static void put_text(struct writer *w, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) put(w, text[i]);
}

/* A byte as it is, or as %XX when it is not printable ASCII or is one of `set`. */
static void put_encoded(struct writer *w, unsigned char c, const char *set) {
    static const char digits[] = "0123456789ABCDEF";
    if (c > ' ' && c < 0x7f && !strchr(set, c)) {
        put(w, (char)c);
        return;
    }
    put(w, '%');
    put(w, digits[c >> 4]);
    put(w, digits[c & 15]);
}

static struct http_part part(size_t from, size_t to) {
    return (struct http_part){(uint16_t)from, (uint16_t)(to - from)};
}

/* ---- the text, without what the standard drops */

static bool is_blank(unsigned char c) {
    return c <= ' ';
}

/* Drops blanks around the text, tabs and line ends in it, and the fragment. */
static bool clean(char out[HTTP_URL_MAX], size_t *out_len, const char *text, size_t len) {
    size_t n = 0;
    while (len && is_blank((unsigned char)text[0])) text++, len--;
    while (len && is_blank((unsigned char)text[len - 1])) len--;
    for (size_t i = 0; i < len && text[i] != '#'; i++) {
        if (text[i] == '\t' || text[i] == '\n' || text[i] == '\r') continue;
        if (n == HTTP_URL_MAX) return false;
        out[n++] = text[i];
    }
    *out_len = n;
    return true;
}

static bool starts_with(const char *text, size_t len, const char *word) {
    size_t n = strlen(word);
    if (len < n) return false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        if (c != word[i]) return false;
    }
    return true;
}

static bool is_slash(char c) {
    return c == '/' || c == '\\';
}

/* ---- its parts */

static bool read_port(struct http_url *url, const char *text, size_t len, const char **why) {
    unsigned port = 0;
    url->port = url->https ? 443 : 80;
    if (len == 0) return true;
    *why = "its port is not a number from 1 to 65535";
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        port = port * 10 + (unsigned)(text[i] - '0');
        if (port > 65535) return false;
    }
    if (port == 0) return false;
    url->port = port;
    return true;
}

/* Where the host ends and its port begins: the colon, or `len`. */
static size_t host_end(const char *text, size_t len) {
    bool inside = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '[') inside = true;
        if (text[i] == ']') inside = false;
        if (text[i] == ':' && !inside) return i;
    }
    return len;
}

static bool write_authority(struct writer *w, const char *text, size_t len, const char **why) {
    struct http_url *url = w->url;
    char host[HTTP_HOST_MAX + 1];
    size_t host_len, end = host_end(text, len);
    *why = "a user name or password does not belong in it; send an Authorization header";
    if (memchr(text, '@', len)) return false;
    if (!read_port(url, end < len ? text + end + 1 : "", end < len ? len - end - 1 : 0, why))
        return false;
    if (!http_host_read(host, &host_len, &url->kind, url->address, text, end, why)) return false;
    size_t from = url->len;
    put_text(w, host, host_len);
    url->host = part(from, url->len);
    if (url->port != (url->https ? 443u : 80u)) {
        char number[8];
        int n = snprintf(number, sizeof number, ":%u", url->port);
        put_text(w, number, (size_t)n);
    }
    return true;
}

/* "." or "..", also with %2e: how many dots; 0 for any other segment. */
static int dots(const char *segment, size_t len) {
    int count = 0;
    for (size_t i = 0; i < len;) {
        if (segment[i] == '.') i++;
        else if (len - i >= 3 && segment[i] == '%' && segment[i + 1] == '2' &&
                 (segment[i + 2] | 32) == 'e') i += 3;
        else return 0;
        count++;
    }
    return count <= 2 ? count : 0;
}

static void write_path(struct writer *w, const char *text, size_t len) {
    struct http_url *url = w->url;
    size_t start = url->len;
    size_t at = len && is_slash(text[0]) ? 1 : 0;
    for (;;) {
        size_t end = at;
        while (end < len && !is_slash(text[end])) end++;
        int up = dots(text + at, end - at);
        bool last = end >= len;
        if (up == 2)
            while (url->len > start && url->text[--url->len] != '/') continue;
        if (up == 0 || last) put(w, '/');
        if (up == 0)
            for (size_t i = at; i < end; i++)
                put_encoded(w, (unsigned char)text[i], "\"#<>?^`{}");
        if (last || w->full) break;
        at = end + 1;
    }
    url->path = part(start, url->len);
}

static bool write_url(struct writer *w, const char *text, size_t len, const char **why) {
    struct http_url *url = w->url;
    url->https = starts_with(text, len, "https:");
    *why = "it does not begin with http:// or https://";
    if (!url->https && !starts_with(text, len, "http:")) return false;
    size_t at = url->https ? 6 : 5;
    put_text(w, url->https ? "https://" : "http://", url->https ? 8 : 7);
    url->scheme = part(0, url->https ? 5 : 4);
    if (len - at < 2 || !is_slash(text[at]) || !is_slash(text[at + 1])) return false;
    while (at < len && is_slash(text[at])) at++;
    size_t end = at;
    while (end < len && !is_slash(text[end]) && text[end] != '?') end++;
    if (!write_authority(w, text + at, end - at, why)) return false;
    const char *question = memchr(text + end, '?', len - end);
    size_t path_end = question ? (size_t)(question - text) : len;
    write_path(w, text + end, path_end - end);
    url->has_query = question != NULL;
    if (question) put(w, '?');
    size_t from = url->len;
    for (size_t i = path_end + 1; question && i < len; i++)
        put_encoded(w, (unsigned char)text[i], "\"#<>'");
    url->query = part(from, url->len);
    return true;
}

bool http_url_read(struct http_url *out, const char *text, size_t len, const char **why) {
    char cleaned[HTTP_URL_MAX];
    struct writer w = {.url = out};
    out->len = 0;
    *why = "it is longer than 8192 bytes";
    if (!clean(cleaned, &len, text, len)) return false;
    if (!write_url(&w, cleaned, len, why)) return false;
    *why = "it is longer than 8192 bytes";
    out->text[out->len] = '\0';
    return !w.full;
}

/* ---- parts by name */

static const char *const part_names[] = {"scheme", "host", "port", "path", "query"};

bool http_url_has_part(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof part_names / sizeof *part_names; i++)
        if (strlen(part_names[i]) == len && memcmp(part_names[i], name, len) == 0) return true;
    return false;
}

const char *http_url_part(const struct http_url *url, const char *name, size_t name_len,
                          size_t *len, char number[8]) {
    if (!http_url_has_part(name, name_len)) return NULL;
    struct http_part p = url->scheme;
    if (name[0] == 'h') p = url->host;
    if (name[0] == 'q') p = url->query;
    if (name[0] == 'q' && !url->has_query) return NULL;
    if (name[0] == 'p' && name[1] == 'a') p = url->path;
    *len = p.len;
    if (name[0] != 'p' || name[1] == 'a') return url->text + p.at;
    *len = (size_t)snprintf(number, 8, "%u", url->port);
    return number;
}
