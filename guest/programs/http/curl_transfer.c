/*
 * curl_transfer.c: one address: the request that the options make of it, its redirects and retries, and where
 * the answer goes.
 */
#include "curl.h"

#include "g_file.h"
#include "g_program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int failed(struct transfer *t, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int failed(struct transfer *t, int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->error, sizeof t->error, format, args);
    va_end(args);
    t->status = status;
    if (!t->options->silent || t->options->show_error)
        fprintf(stderr, "curl: (%d) %s\n", status, t->error);
    return status;
}

/* ---- the request */

static bool given(const struct curl *o, const char *name) {
    size_t len = strlen(name);
    for (size_t i = 0; i < o->header_count; i++)
        if (strncasecmp(o->headers[i], name, len) == 0 && strchr(":;", o->headers[i][len]) &&
            o->headers[i][len])
            return true;
    return false;
}

static void add_default(struct request *r, const struct curl *o, const char *name, const char *value) {
    if (!given(o, name)) headers_add(&r->headers, name, value);
}

/* "Name: value" as it is; "Name;" is an empty one; "Name:" is none at all. */
static void add_custom(struct request *r, const struct curl *o, bool elsewhere) {
    for (size_t i = 0; i < o->header_count; i++) {
        const char *text = o->headers[i], *colon = strchr(text, ':');
        size_t len = strlen(text);
        bool empty = !colon && len > 1 && text[len - 1] == ';';
        if (!colon && !empty) continue;
        char *name = g_copy_bytes(text, empty ? len - 1 : (size_t)(colon - text));
        const char *value = empty ? "" : colon + 1 + strspn(colon + 1, " \t");
        bool secret = strcasecmp(name, "Authorization") == 0 || strcasecmp(name, "Cookie") == 0;
        bool dropped = elsewhere && secret && !o->trusted;
        if ((empty || *value) && !dropped) headers_add(&r->headers, name, value);
        free(name);
    }
}

static void add_credentials(struct request *r, const struct curl *o, const char *user) {
    struct text value = {0};
    if (o->bearer) {
        text_addf(&value, "Bearer %s", o->bearer);
    } else if (user) {
        struct text both = {0};
        text_addf(&both, "%s%s", user, strchr(user, ':') ? "" : ":");
        char *coded = base64(both.data, both.len);
        text_addf(&value, "Basic %s", coded);
        free(coded);
        text_free(&both);
    }
    if (value.len) add_default(r, o, "Authorization", value.data);
    text_free(&value);
}

static void add_cookies(struct request *r, const struct curl *o, bool elsewhere) {
    struct text all = {0};
    jar_give(&o->jar, r->url, &all);
    if (o->cookie_text && !elsewhere)
        text_addf(&all, "%s%s", all.len ? "; " : "", o->cookie_text);
    if (all.len) add_default(r, o, "Cookie", all.data);
    text_free(&all);
}

/* What is sent, with its type; false: a file is not there. */
static bool make_body(struct transfer *t, struct request *r) {
    const struct curl *o = t->options;
    struct text type = {0};
    char *missing = NULL;
    bool good = true;
    if (o->form) {
        r->has_body = true;
        good = curl_write_form(o, &r->body, &type, &missing);
        if (!good) failed(t, 26, "Failed to open/read local data from file/application");
        if (good) add_default(r, o, "Content-Type", type.data);
    } else if (o->upload) {
        r->has_body = true;
        if (!curl_read_file(o->upload, &r->body)) {
            fprintf(stderr, "curl: Can't open '%s'!\n", o->upload);
            fputs("curl: try 'curl --help' or 'curl --manual' for more information\n", stderr);
            failed(t, 26, "Failed to open/read local data from file/application");
            good = false;
        }
    } else if (o->has_data && !o->get) {
        r->has_body = true;
        text_add(&r->body, text_get(&o->data), o->data.len);
        if (!o->json) add_default(r, o, "Content-Type", "application/x-www-form-urlencoded");
    }
    text_free(&type);
    return good;
}

static const char *first_method(const struct curl *o) {
    if (o->method) return o->method;
    if (o->head) return "HEAD";
    if (o->upload) return "PUT";
    if (o->form || (o->has_data && !o->get)) return "POST";
    return "GET";
}

static bool make_request(struct transfer *t, struct request *r, const char *method, const char *url,
                         const char *user, const char *from, bool with_body) {
    const struct curl *o = t->options;
    char *origin = url_origin(url), *first = url_origin(t->given_url);
    bool elsewhere = strcmp(origin, first) != 0;
    free(origin);
    free(first);
    *r = (struct request){.method = method, .url = url, .timeout = o->max_time};
    if (!elsewhere || o->trusted) add_credentials(r, o, user);
    if (o->range) {
        struct text range = {0};
        text_addf(&range, "bytes=%s", o->range);
        add_default(r, o, "Range", range.data);
        text_free(&range);
    } else if (o->resumes && o->resume > 0) {
        struct text range = {0};
        text_addf(&range, "bytes=%ld-", o->resume);
        add_default(r, o, "Range", range.data);
        text_free(&range);
    }
    if (!o->agent || *o->agent) add_default(r, o, "User-Agent", o->agent ? o->agent : "curl/7.88.1");
    if (o->json && with_body && !o->get) add_default(r, o, "Content-Type", "application/json");
    add_default(r, o, "Accept", o->json ? "application/json" : "*/*");
    if (o->compressed) add_default(r, o, "Accept-Encoding", "deflate, gzip");
    if (from) add_default(r, o, "Referer", from);
    else if (o->referer && *o->referer) add_default(r, o, "Referer", o->referer);
    add_cookies(r, o, elsewhere);
    add_custom(r, o, elsewhere);
    return !with_body || make_body(t, r);
}

/* ---- -v */

static void show_sent(const struct curl *o, const struct request *r) {
    if (!o->verbose) return;
    char *host = url_host(r->url), *origin = url_origin(r->url);
    const char *target = r->url + strlen(origin);
    const char *slash = strstr(r->url, "://");
    target = slash ? slash + 3 + strcspn(slash + 3, "/?#") : r->url;
    fprintf(stderr, "> %s %s%.*s HTTP/1.1\n> Host: %.*s\n", r->method, *target == '/' ? "" : "/",
            (int)strcspn(target, "#"), target, slash ? (int)strcspn(slash + 3, "/?#") : 0,
            slash ? slash + 3 : "");
    for (size_t i = 0; i < r->headers.count; i++)
        fprintf(stderr, "> %s: %s\n", r->headers.items[i].name, r->headers.items[i].value);
    if (r->has_body) fprintf(stderr, "> Content-Length: %zu\n", r->body.len);
    fputs("> \n", stderr);
    free(host);
    free(origin);
}

static void head_of(const struct response *r, struct text *out) {
    text_addf(out, "HTTP/1.1 %d %s\r\n", r->status, r->reason);
    for (size_t i = 0; i < r->headers.count; i++)
        text_addf(out, "%s: %s\r\n", r->headers.items[i].name, r->headers.items[i].value);
    text_addz(out, "\r\n");
}

static void show_received(const struct curl *o, const struct response *r) {
    if (!o->verbose) return;
    fprintf(stderr, "< HTTP/1.1 %d %s\n", r->status, r->reason);
    for (size_t i = 0; i < r->headers.count; i++)
        fprintf(stderr, "< %s: %s\n", r->headers.items[i].name, r->headers.items[i].value);
    fputs("< \n", stderr);
}

/* ---- redirects */

/* The method that a redirect leaves, and whether the body goes with it. */
static const char *next_method(const struct curl *o, int status, const char *method, bool *body) {
    bool post = o->form || (o->has_data && !o->get); /* whatever -X calls it */
    bool changes = (status == 301 && post && !o->post301) || (status == 302 && post && !o->post302) ||
                   (status == 303 && !(post && o->post303) && strcmp(method, "HEAD") != 0);
    if (!changes) return method;
    *body = false;
    return o->method ? o->method : o->head ? "HEAD" : "GET";
}

static bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static int time_left(struct transfer *t, struct request *r) {
    if (t->options->max_time <= 0) return 0;
    double spent = (double)(now() - t->began) / 1e9;
    if (spent < t->options->max_time) {
        r->timeout = t->options->max_time - spent;
        return 0;
    }
    return failed(t, CALL_TIMEOUT, "Operation timed out after %d milliseconds with 0 bytes received",
                  (int)(spent * 1000));
}

static int failed_call(struct transfer *t) {
    struct response *r = &t->response;
    const char *more = r->failure == CALL_TIMEOUT ? " with 0 bytes received" : "";
    int status = failed(t, r->failure, "%s%s", r->message, more);
    if (r->failure == CALL_CERTIFICATE && (!t->options->silent || t->options->show_error))
        fputs("More details here: https://curl.se/docs/sslcerts.html\n\n"
              "curl failed to verify the legitimacy of the server and therefore could not\n"
              "establish a secure connection to it. To learn more about this situation and\n"
              "how to fix it, please visit the web page mentioned above.\n",
              stderr);
    return status;
}

/* The whole way to the last answer, whose heads are in `heads`. */
static int follow(struct transfer *t, struct curl *o, const char *user, struct text *heads) {
    const char *method = first_method(o);
    char *from = NULL;
    bool body = true;
    for (;;) {
        struct request request;
        if (!make_request(t, &request, method, t->url, user, from, body)) return t->status;
        int late = time_left(t, &request);
        if (late) return late;
        response_free(&t->response);
        t->method = method;
        t->uploaded = request.body.len;
        t->requests++;
        show_sent(o, &request);
        call_make(&request, &t->response);
        headers_free(&request.headers);
        text_free(&request.body);
        struct response *r = &t->response;
        if (r->failure) return failed_call(t);
        show_received(o, r);
        size_t before = heads->len;
        head_of(r, heads);
        t->header_bytes = heads->len - before;
        if (o->cookies) jar_take(&o->jar, t->url, &r->headers);
        const char *location = headers_get(&r->headers, "Location");
        free(t->redirect_url);
        t->redirect_url = NULL;
        if (!is_redirect(r->status) || !location) return 0;
        char *next = url_resolve(t->url, location);
        char *own = url_take_user(next);
        free(own);
        if (!o->location) {
            t->redirect_url = next;
            return 0;
        }
        if (o->max_redirects >= 0 && t->redirects >= o->max_redirects) {
            t->redirect_url = next;
            return failed(t, 47, "Maximum (%ld) redirects followed", o->max_redirects);
        }
        char scheme[16];
        url_scheme(next, scheme);
        if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
            return failed(t, 1, "Protocol \"%s\" not supported or disabled in libcurl", scheme);
        t->redirects++;
        if (o->auto_referer) from = t->url;
        method = next_method(o, r->status, method, &body);
        if (!o->auto_referer) free(t->url);
        t->url = next;
    }
}

/* ---- retries */

static bool is_transient(const struct curl *o, const struct transfer *t, const char **why) {
    static const int again[] = {408, 429, 500, 502, 503, 504};
    *why = "timeout";
    if (t->status == CALL_TIMEOUT || t->status == CALL_RESOLVE) return !t->response.denied;
    *why = "connection refused";
    if (t->status == CALL_CONNECT && !t->response.denied) return o->retry_refused || o->retry_all;
    *why = "(retrying all errors)";
    if (t->status && t->status != 22) return o->retry_all && !t->response.denied;
    *why = "HTTP error";
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        if (t->response.status == again[i]) return true;
    *why = "(retrying all errors)";
    return o->retry_all && t->response.status >= 400 && (o->fail || o->fail_body);
}

static long retry_after(const struct transfer *t) {
    const char *value = t->response.failure ? NULL : headers_get(&t->response.headers, "Retry-After");
    return value && *value >= '0' && *value <= '9' ? strtol(value, NULL, 10) : 0;
}

static void wait_to_retry(const struct curl *o, const char *why, long sleep, long left) {
    curl_warn(o, "Problem : %s. Will retry in %ld seconds. %ld retries left.", why, sleep, left);
    struct timespec pause = {.tv_sec = sleep};
    nanosleep(&pause, NULL);
}

/* ---- where the answer goes */

static char *remote_name(struct transfer *t) {
    const char *disposition = headers_get(&t->response.headers, "Content-Disposition");
    const char *at = disposition && t->options->remote_header_name
                         ? strcasestr(disposition, "filename=") : NULL;
    if (at) {
        at += 9;
        size_t len = *at == '"' ? strcspn(++at, "\"") : strcspn(at, ";");
        char *name = g_copy_bytes(at, len), *slash = strrchr(name, '/');
        if (slash) memmove(name, slash + 1, strlen(slash));
        if (*name) return name;
        free(name);
    }
    char *path = url_path(t->given_url), *slash = strrchr(path, '/');
    char *name = g_copy_string(slash ? slash + 1 : path);
    free(path);
    return name;
}

static int write_file(struct transfer *t, const struct output *output, const struct text *head) {
    const struct curl *o = t->options;
    char *name = output->path ? g_copy_string(output->path) : remote_name(t);
    if (*name == '\0') {
        if (!o->silent) fputs("curl: Remote file name has no length!\n", stderr);
        return failed(t, 23, "Failed writing received data to disk/application");
    }
    t->filename = o->output_dir ? g_join(o->output_dir, name) : name;
    if (o->create_dirs) g_make_parents(t->filename);
    FILE *file = fopen(t->filename, o->resumes && o->resume ? "a" : "w");
    if (!file) {
        curl_warn(o, "Failed to open the file %s: %s", t->filename, strerror(errno));
        return failed(t, 23, "Failure writing output to destination");
    }
    bool good = !head || fwrite(text_get(head), 1, head->len, file) == head->len;
    const struct text *body = &t->response.body;
    good = good && fwrite(text_get(body), 1, body->len, file) == body->len;
    if (fclose(file) != 0 || !good)
        return failed(t, 23, "Failure writing output to destination");
    return 0;
}

static int write_stdout(struct transfer *t, const struct text *head) {
    const struct text *body = &t->response.body;
    bool good = !head || fwrite(text_get(head), 1, head->len, stdout) == head->len;
    good = good && fwrite(text_get(body), 1, body->len, stdout) == body->len;
    if (!good || fflush(stdout) != 0) return failed(t, 23, "Failure writing output to destination");
    return 0;
}

static int dump_head(struct transfer *t, const struct text *heads) {
    const char *path = t->options->dump;
    if (!path) return 0;
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, t->number ? "a" : "w");
    if (!file) {
        curl_warn(t->options, "Failed to open %s", path);
        return failed(t, 23, "Failed writing received data to disk/application");
    }
    fwrite(text_get(heads), 1, heads->len, file);
    if (file != stdout) fclose(file);
    return 0;
}

static int deliver(struct transfer *t, const struct output *output, const struct text *heads) {
    const struct curl *o = t->options;
    int status = dump_head(t, heads);
    const struct text *shown = o->include ? heads : NULL;
    bool error = t->response.status >= 400;
    if (status) return status;
    if (o->resumes && o->resume > 0 && t->response.status == 200)
        return failed(t, 33, "HTTP server doesn't seem to support byte ranges. Cannot resume.");
    if (o->max_size >= 0 && (int64_t)t->response.body.len > o->max_size)
        return failed(t, 63, "Maximum file size exceeded");
    if (error && o->fail)
        return failed(t, 22, "The requested URL returned error: %d", t->response.status);
    t->downloaded = t->response.body.len;
    bool file = output && (output->by_name || strcmp(output->path, "-") != 0);
    status = file ? write_file(t, output, shown) : write_stdout(t, shown);
    if (status) return status;
    if (error && o->fail_body)
        return failed(t, 22, "The requested URL returned error: %d", t->response.status);
    return 0;
}

/* ---- the whole */

static int check_url(struct transfer *t) {
    char scheme[16];
    url_scheme(t->url, scheme);
    if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        return failed(t, 1, "Protocol \"%s\" not supported or disabled in libcurl", scheme);
    for (const char *p = t->url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return failed(t, 3, "URL using bad/illegal format or missing URL");
    char *host = url_host(t->url);
    bool none = *host == '\0';
    free(host);
    return none ? failed(t, 3, "URL using bad/illegal format or missing URL") : 0;
}

/* -G: what -d has goes behind the ?; -T to a directory adds the file's name. */
static char *final_url(const struct curl *o, const char *url) {
    struct text made = {0};
    size_t len = strcspn(url, "#");
    text_add(&made, url, len);
    if (o->get && o->data.len) {
        const char *authority = strstr(made.data, "://");
        if (authority && !strpbrk(authority + 3, "/?")) text_addz(&made, "/");
        text_addf(&made, "%s", strchr(made.data, '?') ? "&" : "?");
        text_addz(&made, o->data.data);
    }
    if (o->upload && made.data[made.len - 1] == '/') text_addz(&made, g_last_part(o->upload));
    return made.data;
}

static int attempt(struct transfer *t, struct curl *o, const char *user, const struct output *output,
                   struct text *heads) {
    int status = follow(t, o, user, heads);
    if (status) return status;
    return deliver(t, output, heads);
}

int curl_transfer(struct curl *o, const char *url, size_t number, const struct output *output) {
    struct transfer t = {.options = o, .number = number, .began = now()};
    struct text heads = {0};
    char *complete = url_complete(url), *own = url_take_user(complete);
    const char *user = o->user ? o->user : own;
    t.given_url = final_url(o, complete);
    t.url = g_copy_string(t.given_url);
    int status = check_url(&t);
    long left = status ? 0 : o->retries, pause = o->retry_delay ? o->retry_delay : 1;
    for (bool again = status == 0; again;) {
        const char *why;
        bool silent = o->silent, show = o->show_error;
        status = attempt(&t, o, user, output, &heads);
        o->silent = silent;
        o->show_error = show;
        again = left > 0 && is_transient(o, &t, &why);
        long after = again ? retry_after(&t) : 0;
        if (again && o->retry_max_time &&
            (now() - t.began) / 1000000000 + (after ? after : pause) > o->retry_max_time)
            again = false;
        if (!again) break;
        wait_to_retry(o, why, after ? after : pause, left);
        left--;
        if (!o->retry_delay && pause < 600) pause *= 2;
        text_free(&heads);
        free(t.url);
        t.url = g_copy_string(t.given_url);
        t.redirects = 0;
        t.status = 0;
        t.error[0] = '\0';
    }
    t.ended = now();
    t.status = status;
    if (o->write_out) curl_write_out(&t);
    fflush(stdout);
    response_free(&t.response);
    text_free(&heads);
    free(complete);
    return status;
}
