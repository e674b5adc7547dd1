/*
 * url.c: addresses, as far as programs change them themselves. What they mean the host decides.
 */
#include "call.h"

#include "g_program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind ://, or NULL. */
static const char *after_scheme(const char *url) {
    const char *p = url;
    while (isalnum((unsigned char)*p) || (p > url && strchr("+-.", *p) && *p)) p++;
    return p > url && strncmp(p, "://", 3) == 0 ? p + 3 : NULL;
}

char *url_complete(const char *url) {
    struct text made = {0};
    if (!after_scheme(url)) text_addz(&made, "http://");
    text_addz(&made, url);
    return made.data;
}

void url_scheme(const char *url, char out[16]) {
    const char *rest = after_scheme(url);
    size_t len = rest ? (size_t)(rest - url - 3) : 0;
    if (len > 15) len = 15;
    for (size_t i = 0; i < len; i++) out[i] = (char)tolower((unsigned char)url[i]);
    out[len] = '\0';
}

static size_t authority_len(const char *authority) {
    return strcspn(authority, "/?#");
}

char *url_take_user(char *url) {
    char *authority = (char *)after_scheme(url), *at = NULL;
    if (!authority) return NULL;
    size_t len = authority_len(authority);
    for (size_t i = 0; i < len; i++)
        if (authority[i] == '@') at = authority + i;
    if (!at) return NULL;
    char *user = g_copy_bytes(authority, (size_t)(at - authority));
    memmove(authority, at + 1, strlen(at + 1) + 1);
    url_decode(user);
    return user;
}

char *url_origin(const char *url) {
    const char *authority = after_scheme(url);
    size_t len = authority ? (size_t)(authority - url) + authority_len(authority) : strlen(url);
    char *origin = g_copy_bytes(url, len);
    for (char *p = origin; *p; p++) *p = (char)tolower((unsigned char)*p);
    size_t n = strlen(origin);
    bool https = strncmp(origin, "https:", 6) == 0;
    if (https && n > 4 && strcmp(origin + n - 4, ":443") == 0) origin[n - 4] = '\0';
    if (!https && n > 3 && strcmp(origin + n - 3, ":80") == 0) origin[n - 3] = '\0';
    return origin;
}

char *url_host(const char *url) {
    const char *authority = after_scheme(url);
    size_t len = authority ? authority_len(authority) : 0;
    size_t end = 0;
    if (len && authority[0] == '[')
        while (end < len && authority[end++] != ']') continue;
    else
        while (end < len && authority[end] != ':') end++;
    char *host = g_copy_bytes(authority ? authority : "", end);
    for (char *p = host; *p; p++) *p = (char)tolower((unsigned char)*p);
    return host;
}

char *url_path(const char *url) {
    const char *authority = after_scheme(url), *rest = authority ? authority : url;
    rest += authority_len(rest);
    size_t len = strcspn(rest, "?#");
    return len ? g_copy_bytes(rest, len) : g_copy_string("/");
}

char *url_resolve(const char *base, const char *reference) {
    struct text made = {0};
    if (after_scheme(reference)) return g_copy_string(reference);
    const char *authority = after_scheme(base);
    if (!authority) return g_copy_string(reference);
    const char *path = authority + authority_len(authority);
    size_t keep = (size_t)(path - base);
    if (strncmp(reference, "//", 2) == 0) keep = (size_t)(authority - base) - 2;
    else if (reference[0] == '?') keep += strcspn(path, "?#");
    else if (reference[0] == '\0' || reference[0] == '#') keep += strcspn(path, "#");
    else if (reference[0] != '/') {
        size_t end = strcspn(path, "?#");
        while (end && path[end - 1] != '/') end--;
        keep += end;
    }
    text_add(&made, base, keep);
    if (reference[0] && !strchr("/?#", reference[0]) && made.data[made.len - 1] != '/')
        text_addz(&made, "/");
    text_addz(&made, reference);
    return made.data;
}

void url_decode(char *text) {
    char *out = text;
    for (const char *p = text; *p; p++) {
        unsigned value;
        char two[3] = {p[1], p[1] ? p[2] : '\0', '\0'};
        if (*p == '%' && isxdigit((unsigned char)two[0]) && isxdigit((unsigned char)two[1]) &&
            sscanf(two, "%x", &value) == 1) {
            *out++ = (char)value;
            p += 2;
        } else {
            *out++ = *p;
        }
    }
    *out = '\0';
}

char *url_encode(const char *data, size_t len) {
    struct text made = {0};
    text_add(&made, "", 0);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        if (isalnum(c) || (c && strchr("-._~", c))) text_add(&made, &data[i], 1);
        else text_addf(&made, "%%%02X", c);
    }
    return made.data;
}

char *base64(const char *data, size_t len) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = g_alloc((len + 2) / 3 * 4 + 1), *at = out;
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < len; i += 3) {
        unsigned bits = (unsigned)p[i] << 16;
        if (i + 1 < len) bits |= (unsigned)p[i + 1] << 8;
        if (i + 2 < len) bits |= p[i + 2];
        *at++ = letters[bits >> 18];
        *at++ = letters[bits >> 12 & 63];
        *at++ = i + 1 < len ? letters[bits >> 6 & 63] : '=';
        *at++ = i + 2 < len ? letters[bits & 63] : '=';
    }
    *at = '\0';
    return out;
}
