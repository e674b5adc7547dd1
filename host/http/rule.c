/*
 * host/http/rule.c: see rule.h.
 */
#include "rule.h"

#include "host/base/error.h"
#include "lib/hex/hex.h"

#include <string.h>

static pf_status bad(const char *text, size_t len, pf_error *error, const char *what) {
    int shown = len < 200 ? (int)len : 200;
    return base_error(error, PF_INVALID,
                      "the rule \"%.*s\" %s; rules are like GET https://*.example.com/v1/**", shown,
                      text, what);
}

/* ---- reading */

static bool is_upper(char c) {
    return (c >= 'A' && c <= 'Z') || c == '-';
}

/* Methods and blanks in front; *at is where the address begins. */
static bool read_methods(struct http_rule *rule, struct base_arena *arena, const char *text,
                         size_t len, size_t *at) {
    const char *blank = memchr(text, ' ', len);
    if (!blank) return true;
    size_t n = (size_t)(blank - text);
    bool good = n > 0 && n < 100;
    for (size_t i = 0; i < n; i++) {
        bool comma = text[i] == ',';
        good = good && (is_upper(text[i]) || (comma && i > 0 && i + 1 < n && text[i - 1] != ','));
    }
    if (!good) {
        if (n == 1 && text[0] == '*') good = true;
    } else {
        rule->methods = base_arena_copy(arena, text, n);
    }
    for (*at = n; *at < len && text[*at] == ' ';) ++*at;
    return good;
}

static bool read_scheme(struct http_rule *rule, const char *text, size_t len, size_t *at) {
    static const struct {
        const char *text;
        bool http, https;
    } schemes[] = {{"https://", false, true}, {"http://", true, false}, {"*://", true, true}};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(schemes[i].text);
        if (len < n || memcmp(text, schemes[i].text, n) != 0) continue;
        rule->http = schemes[i].http;
        rule->https = schemes[i].https;
        *at = n;
        return true;
    }
    return false;
}

static bool read_port(struct http_rule *rule, const char *text, size_t len) {
    if (len == 1 && text[0] == '*') return rule->any_port = true;
    if (len == 0 || len > 5) return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        rule->port = rule->port * 10 + (unsigned)(text[i] - '0');
    }
    return rule->port > 0 && rule->port <= 65535;
}

/* A host with stars: labels of ASCII; without, what every address's host is. */
static bool read_host(struct http_rule *rule, struct base_arena *arena, const char *text,
                      size_t len) {
    char host[HTTP_HOST_MAX + 1];
    uint8_t address[16];
    enum http_host_kind kind;
    const char *why;
    size_t n = len;
    rule->literal = memchr(text, '*', len) == NULL;
    if (rule->literal) {
        if (!http_host_read(host, &n, &kind, address, text, len, &why)) return false;
        return (rule->host = base_arena_copy(arena, host, n)) != NULL;
    }
    if (len > HTTP_HOST_MAX) return false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("-_.*", c);
        if (!good || (c == '.' && (i == 0 || text[i - 1] == '.' || i + 1 == len))) return false;
        host[i] = c;
    }
    const char *star = memmem(host, len, "**", 2);
    for (; star; star = memmem(star + 1, len - (size_t)(star + 1 - host), "**", 2)) {
        size_t i = (size_t)(star - host); /* ** is a label of its own */
        if ((i > 0 && host[i - 1] != '.') || (i + 2 < len && host[i + 2] != '.')) return false;
    }
    return (rule->host = base_arena_copy(arena, host, len)) != NULL;
}

/* As an address has it, so that a rule with a blank or a letter beyond ASCII means what it says. */
static const char *read_path(struct base_arena *arena, const char *text, size_t len) {
    static const char front[] = "http://x";
    struct http_url *url = base_arena_alloc(arena, sizeof *url);
    char *whole = base_arena_alloc(arena, len + sizeof front);
    const char *why;
    if (!url || !whole) return NULL;
    memcpy(whole, front, sizeof front - 1);
    memcpy(whole + sizeof front - 1, text, len);
    if (!http_url_read(url, whole, len + sizeof front - 1, &why)) return NULL;
    return base_arena_copy(arena, url->text + url->path.at, url->path.len);
}

pf_status http_rule_read(struct http_rule *out, struct base_arena *arena, const char *text,
                         size_t len, bool method, pf_error *error) {
    size_t at = 0, step;
    *out = (struct http_rule){0};
    out->text = base_arena_copy(arena, text, len);
    if (!out->text) return base_no_memory(error);
    if (memchr(text, '\0', len) || len > 2000)
        return bad(text, len, error, "is not a text of one line");
    if (method && !read_methods(out, arena, text, len, &at))
        return bad(text, len, error, "begins with something that is no method (in capitals)");
    out->url = out->text + at;
    if (!read_scheme(out, text + at, len - at, &step))
        return bad(text, len, error, "has no http://, https:// or *:// in front of the host");
    at += step;
    if (memchr(text, '?', len) || memchr(text, '#', len))
        return bad(text, len, error,
                   "is about more than a path: for a query take Param(\"url.query\")");
    if (memchr(text + at, '@', len - at) || memchr(text + at, ' ', len - at))
        return bad(text, len, error, "has a user name or a blank in it");
    const char *slash = memchr(text + at, '/', len - at);
    size_t path = slash ? (size_t)(slash - text) : len, end = at;
    for (bool inside = false; end < path && (inside || text[end] != ':'); end++)
        inside = text[end] == '[' || (inside && text[end] != ']');
    if (!read_host(out, arena, text + at, end - at))
        return bad(text, len, error, "has a host that no address can have");
    if (end < path && !read_port(out, text + end + 1, path - end - 1))
        return bad(text, len, error, "has a port that is neither a number nor *");
    if (slash && !(out->path = read_path(arena, slash, len - path)))
        return bad(text, len, error, "has a path that no address can have");
    return PF_OK;
}

/* ---- comparing */

/* Characters, with * for any number of them. */
static bool glob(const char *p, size_t p_len, const char *t, size_t t_len) {
    size_t i = 0, k = 0, star = SIZE_MAX, mark = 0;
    while (k < t_len) {
        if (i < p_len && p[i] == '*') {
            star = i++;
            mark = k;
        } else if (i < p_len && p[i] == t[k]) {
            i++;
            k++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            k = ++mark;
        } else {
            return false;
        }
    }
    while (i < p_len && p[i] == '*') i++;
    return i == p_len;
}

static size_t piece(const char *text, size_t len, char between) {
    const char *end = memchr(text, between, len);
    return end ? (size_t)(end - text) : len;
}

/*
 * Pieces between `between`, with ** for `least` or more of them. As glob() above, a mismatch goes
 * back to the last ** only: linear in each, and enough.
 */
static bool pieces(const char *p, size_t p_len, const char *t, size_t t_len, char between,
                   size_t least) {
    size_t i = 0, k = 0, star = SIZE_MAX, mark = 0;
    /* One past the end stands behind the last piece. */
    while (k <= t_len) {
        size_t n = i <= p_len ? piece(p + i, p_len - i, between) : 0;
        size_t m = piece(t + k, t_len - k, between);
        if (i <= p_len && n == 2 && memcmp(p + i, "**", 2) == 0) {
            star = i + 3;
            i = star;
            for (size_t taken = 0; taken < least; taken++) {
                if (k > t_len) return false;
                k += piece(t + k, t_len - k, between) + 1;
            }
            mark = k;
        } else if (i <= p_len && (n != 1 || p[i] != '*' || m > 0) && glob(p + i, n, t + k, m)) {
            i += n + 1;
            k += m + 1;
        } else if (star != SIZE_MAX) {
            i = star;
            mark += piece(t + mark, t_len - mark, between) + 1;
            k = mark;
        } else {
            return false;
        }
    }
    while (i <= p_len && piece(p + i, p_len - i, between) == 2 && memcmp(p + i, "**", 2) == 0 &&
           !least)
        i += 3;
    return i > p_len;
}

/* The byte that a segment begins with, coded by % or not, in so many characters; 0 past its end. */
static unsigned first_byte(const char *segment, size_t len, size_t *step) {
    *step = 1;
    if (len == 0) return 0;
    if (segment[0] == '%' && len >= 3 && pf_hex(segment[1]) >= 0 && pf_hex(segment[2]) >= 0) {
        *step = 3;
        return (unsigned)(pf_hex(segment[1]) * 16 + pf_hex(segment[2]));
    }
    return (unsigned char)segment[0];
}

/* Does something begin here that is more than one text, or none? `byte` is what is here. */
static bool is_read_twice(unsigned byte, const char *segment, size_t len, size_t step) {
    size_t next_step;
    unsigned next = first_byte(segment + step, len - step, &next_step);
    if (byte == '%' && step == 3) return true;  /* coded twice */
    if (byte == '%') return (next | 32) == 'u'; /* %u002e, as some servers have it */
    if (byte == 0 || byte == 0xc0 || byte == 0xc1) return true;
    /* UTF-8 that is longer than it needs to be: of a dot or a slash, to who does not look. */
    return (byte == 0xe0 && next >= 0x80 && next < 0xa0) ||
           (byte == 0xf0 && next >= 0x80 && next < 0x90);
}

/* Would a server that decodes once more, or drops what follows a semicolon or a blank, see . or ..
   here? */
static bool is_astray(const char *segment, size_t len) {
    size_t dots = 0, step;
    for (size_t i = 0; i <= len; i += step) {
        unsigned byte = first_byte(segment + i, len - i, &step);
        if (i < len && is_read_twice(byte, segment + i, len - i, step)) return true;
        bool end = i == len || byte == '/' || byte == '\\' || byte == ';';
        bool blank = byte <= ' ', ends = end || blank || byte == '?' || byte == '#';
        if (ends && (dots == 1 || dots == 2)) return true;
        if (end)
            dots = 0;
        else if (blank && dots == 0)
            continue; /* in front of what may be dots */
        else
            dots = byte == '.' && dots < 3 ? dots + 1 : 3; /* 3: a name */
    }
    return false;
}

static bool path_is_plain(const char *path, size_t len) {
    for (size_t at = 0; at <= len;) {
        size_t n = piece(path + at, len - at, '/');
        if (n && is_astray(path + at, n)) return false;
        at += n + 1;
    }
    return true;
}

static bool matches_path(const struct http_rule *rule, const char *path, size_t len) {
    if (!rule->path || strcmp(rule->path, "/**") == 0) return true;
    if (!path_is_plain(path, len)) return false;
    return pieces(rule->path + 1, strlen(rule->path) - 1, path + 1, len - 1, '/', 0);
}

static bool matches_host(const struct http_rule *rule, const struct http_url *url) {
    const char *host = url->text + url->host.at;
    size_t len = url->host.len;
    if (rule->literal) return strlen(rule->host) == len && memcmp(rule->host, host, len) == 0;
    if (strcmp(rule->host, "**") == 0) return true;
    if (url->kind != HTTP_HOST_NAME) return false;
    return pieces(rule->host, strlen(rule->host), host, len, '.', 1);
}

bool http_rule_matches_origin(const struct http_rule *rule, const struct http_url *url) {
    if (!(url->https ? rule->https : rule->http)) return false;
    unsigned port = rule->port ? rule->port : url->https ? 443 : 80;
    if (!rule->any_port && url->port != port) return false;
    return matches_host(rule, url);
}

bool http_rule_matches_url(const struct http_rule *rule, const struct http_url *url) {
    return http_rule_matches_origin(rule, url) &&
           matches_path(rule, url->text + url->path.at, url->path.len);
}

bool http_rule_matches(const struct http_rule *rule, const char *method,
                       const struct http_url *url) {
    size_t n = strlen(method);
    bool found = rule->methods == NULL;
    for (const char *at = rule->methods; at && !found;) {
        size_t len = piece(at, strlen(at), ',');
        found = len == n && memcmp(at, method, n) == 0;
        at = at[len] ? at + len + 1 : NULL;
    }
    return found && http_rule_matches_url(rule, url);
}
