/*
 * http_transport.c: git's smart protocol through the tool http/request: each half of a conversation is one
 * call, judged like any other. Credentials are headers: those of the URL, and http.extraHeader.
 */
#include "remote_link.h"
#include "../http/call.h"

#include "git2/sys/errors.h"
#include "git2/sys/transport.h"

#include "abi/types.h"
#include "pf.h"

#include <stdarg.h>
#include <strings.h>

char *http_problem;
static struct headers credentials;
static bool strayed;    /* a redirect led to another host: nothing secret goes there */
static char *base_url; /* where the first answer came from, when it was a redirect */

typedef struct {
    git_smart_subtransport parent;
} http_link;

typedef struct {
    git_smart_subtransport_stream parent;
    char *url;
    git_smart_service_t service;
    struct text body;
    struct response response;
    size_t given;
    bool sent;
} http_stream;

bool http_is_there(void) { return file_exists("/tools/schema/http_request.json"); }

char *http_take_credentials(const char *url) {
    char *plain = g_copy_string(url), *user = url_take_user(plain);
    headers_free(&credentials);
    if (!user) return plain;
    struct text value = {0};
    url_decode(user);
    text_addz(&value, user);
    if (!strchr(user, ':')) text_addz(&value, ":");
    char *coded = base64(value.data, value.len);
    char *header = g_alloc(strlen(coded) + 7);
    sprintf(header, "Basic %s", coded);
    headers_add(&credentials, "Authorization", header);
    return plain;
}

static int fail(const char *format, ...) G_PRINTF(1, 2);
static int fail(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&http_problem, format, ap) < 0) abort();
    va_end(ap);
    git_error_set_str(GIT_ERROR_NET, http_problem);
    return -1;
}

/* http.extraHeader, and http.URL.extraHeader of addresses that this one begins with. */
static int add_extra(const git_config_entry *entry, void *payload) {
    struct request *request = payload;
    const char *url = entry->name + 5, *end = strrchr(entry->name, '.');
    if (!end || strcasecmp(end, ".extraheader") != 0) return 0;
    size_t len = end > url ? (size_t)(end - url) : 0;
    if (len && strncasecmp(request->url, url, len) != 0) return 0;
    const char *colon = strchr(entry->value ? entry->value : "", ':');
    if (!colon) return 0;
    char *name = g_copy_bytes(entry->value, (size_t)(colon - entry->value));
    colon++;
    while (*colon == ' ') colon++;
    if (!strayed || strcasecmp(name, "Authorization") != 0) headers_add(&request->headers, name, colon);
    free(name);
    return 0;
}

static void add_headers(struct request *r, const http_stream *s, const char *service) {
    git_config *config = NULL;
    char type[100];
    headers_add(&r->headers, "User-Agent", "git/2.39.5");
    snprintf(type, sizeof type, "application/x-git-%s-result", service);
    headers_add(&r->headers, "Accept", r->has_body ? type : "*/*");
    snprintf(type, sizeof type, "application/x-git-%s-request", service);
    if (r->has_body) headers_add(&r->headers, "Content-Type", type);
    for (size_t i = 0; i < credentials.count; i++)
        headers_add(&r->headers, credentials.items[i].name, credentials.items[i].value);
    if (git_repository_config_snapshot(&config, repo) == 0) {
        git_config_foreach_match(config, "^http\\.", add_extra, r);
        git_config_free(config);
    }
    (void)s;
}

static int judge(http_stream *s, const char *shown) {
    struct response *r = &s->response;
    if (r->failure) return fail("unable to access '%s/': %s", shown, r->message);
    if (r->status == 401)
        return headers_get(&credentials, "Authorization")
                   ? fail("Authentication failed for '%s/'", shown)
                   : fail("could not read Username for '%s': terminal prompts disabled\n"
                          "hint: Put the token into the URL (https://$TOKEN@host/path), or into a header:\n"
                          "hint: git -c http.extraHeader=\"Authorization: Bearer $TOKEN\" …", url_origin(shown));
    if (r->status == 404) return fail("repository '%s/' not found", shown);
    if (r->status >= 300) return fail("unable to access '%s/': The requested URL returned error: %d", shown, r->status);
    return 0;
}

static int send_request(http_stream *s) {
    bool push = s->service == GIT_SERVICE_RECEIVEPACK_LS || s->service == GIT_SERVICE_RECEIVEPACK;
    bool list = s->service == GIT_SERVICE_RECEIVEPACK_LS || s->service == GIT_SERVICE_UPLOADPACK_LS;
    const char *service = push ? "receive-pack" : "upload-pack";
    char *base = base_url ? base_url : s->url;
    struct text url = {0}, type = {0};
    text_addf(&url, list ? "%s/info/refs?service=git-%s" : "%s/git-%s", base, service);
    for (int hop = 0;; hop++) {
        struct request request = {.method = list ? "GET" : "POST", .url = text_get(&url), .has_body = !list};
        request.body = s->body;
        add_headers(&request, s, service);
        response_free(&s->response);
        int call = call_start(&request, &s->response);
        if (call >= 0) wait_tool(call), call_take(call, &s->response);
        headers_free(&request.headers);
        const char *to = s->response.failure ? NULL : headers_get(&s->response.headers, "Location");
        if (!list || !to || s->response.status < 300 || s->response.status >= 400 || hop == 5) break;
        char *next = url_resolve(text_get(&url), to), *tail = strstr(next, "/info/refs?");
        if (strcmp(url_origin(next), url_origin(s->url)) != 0) headers_free(&credentials), strayed = true;
        text_free(&url);
        text_addz(&url, next);
        base_url = tail ? g_copy_bytes(next, (size_t)(tail - next)) : base_url;
        if (tail) note("warning: redirecting to %s/", base_url);
    }
    s->sent = true;
    if (judge(s, s->url) < 0) return -1;
    text_addf(&type, list ? "application/x-git-%s-advertisement" : "application/x-git-%s-result", service);
    const char *got = headers_get(&s->response.headers, "Content-Type");
    if (!got || strcmp(got, text_get(&type)) != 0)
        return fail("%s/info/refs not valid: is this a git repository?", s->url);
    return 0;
}

static int stream_read(git_smart_subtransport_stream *stream, char *buffer, size_t size, size_t *count) {
    http_stream *s = (http_stream *)stream;
    *count = 0;
    if (!s->sent && send_request(s) < 0) return -1;
    size_t left = s->response.body.len - s->given;
    *count = left < size ? left : size;
    if (*count) memcpy(buffer, s->response.body.data + s->given, *count);
    s->given += *count;
    return 0;
}

static int stream_write(git_smart_subtransport_stream *stream, const char *data, size_t len) {
    text_add(&((http_stream *)stream)->body, data, len);
    return 0;
}

static void stream_free(git_smart_subtransport_stream *stream) {
    http_stream *s = (http_stream *)stream;
    text_free(&s->body);
    response_free(&s->response);
    free(s->url);
    free(s);
}

static int action(git_smart_subtransport_stream **out, git_smart_subtransport *t, const char *url,
                  git_smart_service_t service) {
    http_stream *s = g_zalloc(sizeof *s);
    size_t len = strlen(url);
    while (len && url[len - 1] == '/') len--;
    s->parent = (git_smart_subtransport_stream){t, stream_read, stream_write, stream_free};
    s->url = g_copy_bytes(url, len);
    s->service = service;
    *out = &s->parent;
    return 0;
}

static int close_link(git_smart_subtransport *t) {
    (void)t;
    return 0;
}

static void free_link(git_smart_subtransport *t) { free(t); }

/* What libgit2 asks for when a URL is http:// or https:// (libgit2/network.c has the others). */
int git_smart_subtransport_http(git_smart_subtransport **out, git_transport *owner, void *param) {
    http_link *link = g_zalloc(sizeof *link);
    (void)owner, (void)param;
    link->parent = (git_smart_subtransport){action, close_link, free_link};
    *out = &link->parent;
    return 0;
}
