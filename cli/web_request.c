/*
 * web_request.c: one request, by libcurl, which is loaded when it is needed: a system on which no
 * requests are granted need not have it.
 *
 * pf_http decides about the request and about each address that libcurl is about to connect to; so a name
 * is resolved once, and what was judged is what is connected to.
 */
#include "web.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of curl/curl.h, whose numbers never change: what this needs of it. */
enum {
    OPT_WRITEDATA = 10001, OPT_URL = 10002, OPT_PROXY = 10004, OPT_ERRORBUFFER = 10010,
    OPT_POSTFIELDS = 10015, OPT_HTTPHEADER = 10023, OPT_HEADERDATA = 10029, OPT_CUSTOMREQUEST = 10036,
    OPT_NOBODY = 44, OPT_NETRC = 51, OPT_CAINFO = 10065, OPT_NOSIGNAL = 99,
    OPT_TIMEOUT_MS = 155, OPT_PROTOCOLS = 181, OPT_PATH_AS_IS = 234, OPT_HTTP09 = 285, OPT_HTTP_VERSION = 84,
    OPT_WRITEFUNCTION = 20011, OPT_HEADERFUNCTION = 20079, OPT_OPENSOCKET = 20163,
    OPT_OPENSOCKETDATA = 10164, OPT_POSTFIELDSIZE_LARGE = 30120, OPT_POST = 47,
    INFO_RESPONSE_CODE = 0x200002,
    CURL_OK = 0, CURL_COULDNT_RESOLVE = 6, CURL_COULDNT_CONNECT = 7, CURL_PARTIAL = 18,
    CURL_TIMEDOUT = 28, CURL_TLS = 35, CURL_NOTHING = 52, CURL_CERTIFICATE = 60,
    CURL_UNSUPPORTED = 1,
};

static struct {
    void *(*init)(void);
    int (*setopt)(void *, int, ...);
    int (*perform)(void *);
    int (*getinfo)(void *, int, ...);
    void *(*append)(void *, const char *);
} curl;

/* As struct curl_sockaddr. */
struct address {
    int family, type, protocol;
    unsigned len;
    struct sockaddr_storage any;
};

#define BODY_MAX (7u << 20)
#define HEAD_MAX (256u << 10)
#define SECONDS  30.0

struct exchange {
    const pf_http *http;
    const char *url;
    struct text head, body;
    char refused[1100]; /* why the address was */
    bool too_large, head_too_large;
    bool answered; /* the head of the answer is whole: what follows it is no head */
};

/* ---- the answer to whoever started this process */

static _Noreturn void say(char kind, const char *text, size_t len) {
    fwrite(&kind, 1, 1, stdout);
    fwrite(text, 1, len, stdout);
    exit(fflush(stdout) != 0);
}

/* Without secrets: some of these texts are libcurl's, or a server's. */
static _Noreturn void refuse(const pf_http *http, char kind, const char *text) {
    char *clean;
    size_t len;
    pf_error error;
    if (pf_http_clean(http, text, strlen(text), &clean, &len, &error) != PF_OK)
        say('F', "out of memory", 13);
    say(kind, clean, len);
}

/* ---- libcurl */

static bool load_curl(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
    void *library = NULL;
    for (size_t i = 0; i < 3 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    *(void **)&curl.init = dlsym(library, "curl_easy_init");
    *(void **)&curl.setopt = dlsym(library, "curl_easy_setopt");
    *(void **)&curl.perform = dlsym(library, "curl_easy_perform");
    *(void **)&curl.getinfo = dlsym(library, "curl_easy_getinfo");
    *(void **)&curl.append = dlsym(library, "curl_slist_append");
    return curl.init && curl.setopt && curl.perform && curl.getinfo && curl.append;
}

static size_t take(struct text *text, size_t most, bool *over, const char *data, size_t len) {
    if (text->len + len > most) {
        *over = true;
        return 0;
    }
    text_add(text, data, len);
    return len;
}

static size_t on_body(char *data, size_t size, size_t count, void *user) {
    struct exchange *e = user;
    return take(&e->body, BODY_MAX, &e->too_large, data, size * count);
}

/* 100, 103 and their like, behind which another head comes. */
static bool is_interim(const struct text *head) {
    const char *status = memchr(head->data, ' ', head->len);
    return status && status + 1 < head->data + head->len && status[1] == '1';
}

/* A line of a head; another status line (100, 103) begins a new one. */
static size_t on_header(char *data, size_t size, size_t count, void *user) {
    struct exchange *e = user;
    size_t len = size * count;
    if (e->answered) return len; /* a trailer */
    if (len > 5 && strncmp(data, "HTTP/", 5) == 0) e->head.len = 0;
    if (len <= 2 && e->head.data && !is_interim(&e->head)) e->answered = true;
    return take(&e->head, HEAD_MAX, &e->head_too_large, data, len);
}

static int open_socket(void *user, int purpose, struct address *address) {
    struct exchange *e = user;
    char text[INET6_ADDRSTRLEN] = "";
    pf_error error;
    (void)purpose;
    const void *bytes = address->family == AF_INET
                            ? (const void *)&((struct sockaddr_in *)&address->any)->sin_addr
                            : (const void *)&((struct sockaddr_in6 *)&address->any)->sin6_addr;
    inet_ntop(address->family, bytes, text, sizeof text);
    if (pf_http_address(e->http, e->url, text, &error) == PF_OK)
        return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
    snprintf(e->refused, sizeof e->refused, "http/request is denied: %s", error.message);
    return -1;
}

static void set_body(void *handle, const pf_http_plan *plan) {
    bool head = strcmp(plan->method, "HEAD") == 0;
    if (plan->body || strcmp(plan->method, "POST") == 0) {
        curl.setopt(handle, OPT_POST, 1L);
        curl.setopt(handle, OPT_POSTFIELDSIZE_LARGE, (long long)plan->body_len);
        curl.setopt(handle, OPT_POSTFIELDS, plan->body ? plan->body : "");
    }
    if (head) curl.setopt(handle, OPT_NOBODY, 1L);
    curl.setopt(handle, OPT_CUSTOMREQUEST, plan->method);
}

/* What libcurl adds of its own is taken away: the guest says what is sent. */
static void set_headers(void *handle, const pf_http_plan *plan) {
    static const char *const own[] = {"Accept", "Content-Type", "Expect", "User-Agent"};
    void *list = NULL;
    for (size_t i = 0; i < plan->header_count; i++) {
        size_t name = strcspn(plan->headers[i], ":"), len = strlen(plan->headers[i]);
        char *line = malloc(len + 2);
        if (!line) exit(1);
        strcpy(line, plan->headers[i]);
        if (len == name + 2) strcpy(line + name, ";"); /* an empty one, in libcurl's words */
        list = curl.append(list, line);
        free(line);
    }
    for (size_t k = 0; k < 4; k++) {
        bool given = false;
        char none[32];
        snprintf(none, sizeof none, "%s:", own[k]);
        for (size_t i = 0; i < plan->header_count; i++)
            given = given || strncasecmp(plan->headers[i], none, strlen(none)) == 0;
        if (!given) list = curl.append(list, none);
    }
    curl.setopt(handle, OPT_HTTPHEADER, list);
}

static void set_limits(void *handle, const pf_http_plan *plan) {
    double seconds = plan->timeout > 0 && plan->timeout < SECONDS ? plan->timeout : SECONDS;
    const char *ca = getenv("SSL_CERT_FILE"); /* of the host, as OpenSSL's own programs have it */
    curl.setopt(handle, OPT_TIMEOUT_MS, (long)(seconds * 1000) + 1);
    curl.setopt(handle, OPT_NOSIGNAL, 1L);
    curl.setopt(handle, OPT_PROXY, "");
    curl.setopt(handle, OPT_NETRC, 0L);
    curl.setopt(handle, OPT_PROTOCOLS, 3L); /* http and https */
    curl.setopt(handle, OPT_PATH_AS_IS, 1L);
    curl.setopt(handle, OPT_HTTP09, 0L);
    curl.setopt(handle, OPT_HTTP_VERSION, 2L); /* 1.1 */
    if (ca) curl.setopt(handle, OPT_CAINFO, ca);
}

static _Noreturn void fail(const struct exchange *e, const pf_http_plan *plan, int code,
                           const char *detail) {
    char text[900];
    if (e->refused[0]) refuse(e->http, 'D', e->refused);
    if (e->head_too_large) refuse(e->http, 'F', "Failure when receiving data from the peer: the headers are too large");
    if (e->too_large) refuse(e->http, 'F', "Maximum file size exceeded: an answer has at most 7 MiB");
    switch (code) {
    case CURL_COULDNT_RESOLVE:
        snprintf(text, sizeof text, "Could not resolve host: %s", plan->host);
        break;
    case CURL_COULDNT_CONNECT:
        snprintf(text, sizeof text, "Failed to connect to %s port %u: Couldn't connect to server",
                 plan->host, plan->port);
        break;
    case CURL_PARTIAL:
        snprintf(text, sizeof text, "transfer closed with outstanding read data remaining");
        break;
    case CURL_TIMEDOUT: /* what follows the time, the program that waits says itself */
        snprintf(text, sizeof text, "%.*s", (int)(strstr(detail, " with ") ? strstr(detail, " with ") - detail : 200),
                 detail);
        refuse(e->http, 'T', text);
    case CURL_TLS: snprintf(text, sizeof text, "SSL connect error: %s", detail); break;
    case CURL_NOTHING: snprintf(text, sizeof text, "Empty reply from server"); break;
    case CURL_CERTIFICATE:
        snprintf(text, sizeof text, "%s%s", strncmp(detail, "SSL", 3) ? "SSL certificate problem: " : "",
                 detail);
        break;
    case CURL_UNSUPPORTED: snprintf(text, sizeof text, "Received HTTP/0.9 when not allowed"); break;
    default:
        if (!*detail) detail = "it is no answer of HTTP, or too large a head";
        snprintf(text, sizeof text, "Failure when receiving data from the peer: %s", detail);
    }
    refuse(e->http, 'F', text);
}

/* ---- the result as JSON */

static void add_clean(const pf_http *http, struct text *out, const char *data, size_t len) {
    char *clean;
    size_t clean_len;
    pf_error error;
    if (pf_http_clean(http, data, len, &clean, &clean_len, &error) != PF_OK) exit(1);
    text_json(out, clean, clean_len);
    pf_free(clean);
}

static bool is_name(const char *name, const char *end) {
    const char *at = name;
    while (at < end && (unsigned char)*at > ' ' && *at != 127) at++;
    return at > name && at == end;
}

/* The value between two places, as one line: blanks at its ends go, and one takes the place of what
 * controls and of ends of lines within it. */
static char *settle(char *at, const char **stop) {
    char *end = (char *)*stop, *out = at, *value;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    value = out = at;
    for (; at < end; at++) {
        bool control = (unsigned char)*at < ' ' && *at != '\t';
        if (control && out > value && out[-1] == ' ') continue;
        if (*at == ' ' && out > value && out[-1] == ' ' && at[-1] < ' ') continue;
        *out++ = control ? ' ' : *at;
    }
    *stop = out;
    return value;
}

static void add_headers(const struct exchange *e, struct text *out) {
    const char *line = memchr(e->head.data, '\n', e->head.len), *end = e->head.data + e->head.len;
    bool first = true;
    while (line && ++line < end && *line != '\r' && *line != '\n') {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        const char *stop = next ? next : end, *colon = memchr(line, ':', (size_t)(stop - line));
        while (next && next + 1 < end && (next[1] == ' ' || next[1] == '\t')) { /* it goes on in the next line */
            next = memchr(next + 1, '\n', (size_t)(end - next - 1));
            stop = next ? next : end;
        }
        while (stop > line && (stop[-1] == '\r' || stop[-1] == ' ')) stop--;
        if (colon && colon < stop && is_name(line, colon)) {
            char *value = settle((char *)colon + 1, &stop);
            text_puts(out, first ? "[" : ",[");
            add_clean(e->http, out, line, (size_t)(colon - line));
            text_puts(out, ",");
            add_clean(e->http, out, value, (size_t)(stop - value));
            text_puts(out, "]");
            first = false;
        }
        line = next;
    }
}

static bool is_coded(const struct exchange *e) {
    static const char name[] = "content-encoding:";
    for (const char *p = e->head.data; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strncasecmp(p, name, sizeof name - 1) == 0) return true;
    return false;
}

static void add_base64(struct text *out, const unsigned char *p, size_t len) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        unsigned bits = (unsigned)p[i] << 16 | (i + 1 < len ? (unsigned)p[i + 1] << 8 : 0) |
                        (i + 2 < len ? p[i + 2] : 0);
        char four[4] = {letters[bits >> 18], letters[bits >> 12 & 63],
                        i + 1 < len ? letters[bits >> 6 & 63] : '=', i + 2 < len ? letters[bits & 63] : '='};
        text_add(out, four, 4);
    }
}

static bool is_utf8(const char *data, size_t len) {
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < len;) {
        unsigned c = p[i++], more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2
                                      : c >= 0xf0 && c < 0xf5 ? 3 : 9;
        if (more == 9 || more > len - i || c == 0) return false;
        unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        for (unsigned k = 0; k < more; k++, i++) {
            if (p[i] < (k ? 0x80 : low) || p[i] > (k ? 0xbf : high)) return false;
        }
    }
    return true;
}

static void add_body(const struct exchange *e, struct text *out) {
    char *clean;
    size_t len;
    pf_error error;
    const char *data = e->body.data ? e->body.data : "";
    if (pf_http_clean(e->http, data, e->body.len, &clean, &len, &error) != PF_OK) exit(1);
    if (is_utf8(clean, len)) {
        text_puts(out, ",\"body\":");
        text_json(out, clean, len);
    } else {
        text_puts(out, ",\"body_base64\":\"");
        add_base64(out, (unsigned char *)clean, len);
        text_puts(out, "\"");
    }
    pf_free(clean);
}

static _Noreturn void succeed(const struct exchange *e, const pf_http_plan *plan, long status, bool secrets) {
    struct text out = {0};
    char number[40];
    if (secrets && is_coded(e))
        refuse(e->http, 'F', "Unrecognized content encoding type: an answer that is packed cannot be looked through");
    snprintf(number, sizeof number, "{\"status\":%ld,\"reason\":", status);
    text_puts(&out, number);
    const char *line = e->head.data ? e->head.data : "", *at = strchr(line, ' ');
    at = at ? strchr(at + 1, ' ') : NULL;
    size_t len = at ? strcspn(at + 1, "\r\n") : 0;
    add_clean(e->http, &out, at ? at + 1 : "", len);
    text_puts(&out, ",\"url\":");
    text_json(&out, plan->url, strlen(plan->url));
    text_puts(&out, ",\"headers\":[");
    if (e->head.len) add_headers(e, &out);
    text_puts(&out, "]");
    add_body(e, &out);
    text_puts(&out, "}");
    say('R', out.data, out.len);
}

int web_main(void) {
    struct text input = {0};
    pf_http *http;
    pf_http_plan *plan;
    pf_error error;
    char detail[300] = "";
    long status = 0;
    if (!text_read_file(&input, "-") || !input.data) return 1;
    char *params = strchr(input.data, '\n');
    if (!params) return 1;
    size_t config_len = (size_t)(params++ - input.data);
    if (pf_http_new(input.data, config_len, &http, &error) != PF_OK) return 1;
    pf_status judged = pf_http_plan_new(http, params, input.len - config_len - 1, &plan, &error);
    if (judged != PF_OK) refuse(http, judged == PF_DENIED ? 'D' : 'I', error.message);
    if (!load_curl())
        refuse(http, 'F', "the host makes requests by libcurl, which it does not have (apt install libcurl4)");
    struct exchange e = {.http = http, .url = plan->url};
    void *handle = curl.init();
    if (!handle) return 1;
    curl.setopt(handle, OPT_URL, plan->url);
    curl.setopt(handle, OPT_ERRORBUFFER, detail);
    curl.setopt(handle, OPT_WRITEFUNCTION, on_body);
    curl.setopt(handle, OPT_WRITEDATA, &e);
    curl.setopt(handle, OPT_HEADERFUNCTION, on_header);
    curl.setopt(handle, OPT_HEADERDATA, &e);
    curl.setopt(handle, OPT_OPENSOCKET, open_socket);
    curl.setopt(handle, OPT_OPENSOCKETDATA, &e);
    set_limits(handle, plan);
    set_headers(handle, plan);
    set_body(handle, plan);
    int code = curl.perform(handle);
    if (code != CURL_OK) fail(&e, plan, code, detail);
    curl.getinfo(handle, INFO_RESPONSE_CODE, &status);
    if (status < 200) refuse(http, 'F', "Failure when receiving data from the peer: another protocol was not asked for");
    succeed(&e, plan, status, !strstr(input.data, "\"secrets\":{}}\n"));
}
