/*
 * curl_write.c: -w: what there is to say about a transfer.
 */
#include "curl.h"

#include "yyjson.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static double seconds(const struct transfer *t) {
    return (double)(t->ended - t->began) / 1e9;
}

enum what {
    CODE, SIZE_DOWN, SIZE_UP, SIZE_HEAD, SIZE_REQUEST, TYPE, EFFECTIVE, URL, URLNUM, REDIRECTS, REDIRECT, TIME,
    ZERO_TIME, METHOD, SCHEME, VERSION, CONNECTS, NUM_HEADERS, FILENAME, EXITCODE, ERROR, SPEED_DOWN, SPEED_UP,
    ZERO, EMPTY, JSON, HEADER_JSON, REFERER, TO_STDOUT, TO_STDERR, ON_ERROR,
};

static const struct {
    const char *name;
    enum what what;
} variables[] = {
    {"http_code", CODE}, {"response_code", CODE}, {"http_connect", ZERO}, {"size_download", SIZE_DOWN},
    {"size_upload", SIZE_UP}, {"size_header", SIZE_HEAD}, {"size_request", SIZE_REQUEST},
    {"content_type", TYPE}, {"url_effective", EFFECTIVE}, {"url", URL}, {"urlnum", URLNUM},
    {"num_redirects", REDIRECTS}, {"redirect_url", REDIRECT}, {"time_total", TIME},
    {"time_namelookup", ZERO_TIME}, {"time_connect", ZERO_TIME}, {"time_appconnect", ZERO_TIME},
    {"time_pretransfer", ZERO_TIME}, {"time_redirect", ZERO_TIME}, {"time_starttransfer", TIME},
    {"method", METHOD}, {"scheme", SCHEME}, {"http_version", VERSION}, {"num_connects", CONNECTS},
    {"num_headers", NUM_HEADERS}, {"filename_effective", FILENAME}, {"exitcode", EXITCODE},
    {"errormsg", ERROR}, {"speed_download", SPEED_DOWN}, {"speed_upload", SPEED_UP},
    {"ssl_verify_result", ZERO}, {"proxy_ssl_verify_result", ZERO}, {"remote_ip", EMPTY},
    {"remote_port", ZERO}, {"local_ip", EMPTY}, {"local_port", ZERO}, {"ftp_entry_path", EMPTY},
    {"certs", EMPTY}, {"num_certs", ZERO}, {"json", JSON}, {"header_json", HEADER_JSON}, {"referer", REFERER},
    {"stdout", TO_STDOUT}, {"stderr", TO_STDERR}, {"onerror", ON_ERROR},
};

static void write_header_json(FILE *out, const struct transfer *t) {
    const struct headers *h = &t->response.headers;
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, root);
    for (size_t i = 0; i < h->count; i++) {
        char *name = yyjson_mut_get_str(yyjson_mut_strcpy(doc, h->items[i].name)) ? strdup(h->items[i].name) : NULL;
        for (char *p = name; p && *p; p++) *p = (char)tolower((unsigned char)*p);
        yyjson_mut_val *list = yyjson_mut_obj_get(root, name);
        if (!list) {
            list = yyjson_mut_arr(doc);
            yyjson_mut_obj_add(root, yyjson_mut_strcpy(doc, name), list);
        }
        yyjson_mut_arr_append(list, yyjson_mut_strcpy(doc, h->items[i].value));
        free(name);
    }
    char *text = yyjson_mut_write(doc, 0, NULL);
    fputs(text ? text : "{}", out);
    free(text);
    yyjson_mut_doc_free(doc);
}

static const char *type_of(const struct transfer *t) {
    const char *type = t->response.failure ? NULL : headers_get(&t->response.headers, "Content-Type");
    return type ? type : "";
}

static void write_json(FILE *out, const struct transfer *t) {
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, root);
    char scheme[16];
    url_scheme(t->url, scheme);
    for (char *p = scheme; *p; p++) *p = (char)toupper((unsigned char)*p);
    yyjson_mut_obj_add_str(doc, root, "content_type", type_of(t));
    if (t->error[0]) yyjson_mut_obj_add_str(doc, root, "errormsg", t->error);
    else yyjson_mut_obj_add_null(doc, root, "errormsg");
    yyjson_mut_obj_add_int(doc, root, "exitcode", t->status);
    yyjson_mut_obj_add_int(doc, root, "http_code", t->response.status);
    yyjson_mut_obj_add_str(doc, root, "http_version", "1.1");
    yyjson_mut_obj_add_str(doc, root, "method", t->method ? t->method : "GET");
    yyjson_mut_obj_add_int(doc, root, "num_headers", (int64_t)t->response.headers.count);
    yyjson_mut_obj_add_int(doc, root, "num_redirects", t->redirects);
    if (t->redirect_url) yyjson_mut_obj_add_str(doc, root, "redirect_url", t->redirect_url);
    else yyjson_mut_obj_add_null(doc, root, "redirect_url");
    yyjson_mut_obj_add_int(doc, root, "response_code", t->response.status);
    yyjson_mut_obj_add_str(doc, root, "scheme", scheme);
    yyjson_mut_obj_add_int(doc, root, "size_download", (int64_t)t->downloaded);
    yyjson_mut_obj_add_int(doc, root, "size_header", (int64_t)t->header_bytes);
    yyjson_mut_obj_add_int(doc, root, "size_upload", (int64_t)t->uploaded);
    yyjson_mut_obj_add_real(doc, root, "time_total", seconds(t));
    yyjson_mut_obj_add_str(doc, root, "url", t->given_url);
    yyjson_mut_obj_add_str(doc, root, "url_effective", t->url);
    yyjson_mut_obj_add_int(doc, root, "urlnum", (int64_t)t->number);
    char *text = yyjson_mut_write(doc, 0, NULL);
    fputs(text ? text : "{}", out);
    free(text);
    yyjson_mut_doc_free(doc);
}

/* False: nothing more is written. */
static bool write_variable(FILE **out, const struct transfer *t, enum what what) {
    double took = seconds(t) > 0 ? seconds(t) : 1e-6;
    bool ended = t->response.failure == 0;
    char scheme[16];
    switch (what) {
    case CODE: fprintf(*out, "%03d", ended ? t->response.status : 0); break;
    case SIZE_DOWN: fprintf(*out, "%zu", t->downloaded); break;
    case SIZE_UP: fprintf(*out, "%zu", t->uploaded); break;
    case SIZE_HEAD:
    case SIZE_REQUEST: fprintf(*out, "%zu", t->header_bytes); break;
    case TYPE: fputs(type_of(t), *out); break;
    case EFFECTIVE: {
        const char *authority = strstr(t->url, "://");
        bool bare = authority && !strpbrk(authority + 3, "/?#");
        fprintf(*out, "%s%s", t->url, bare ? "/" : "");
        break;
    }
    case URL: fputs(t->given_url, *out); break;
    case URLNUM: fprintf(*out, "%zu", t->number); break;
    case REDIRECTS: fprintf(*out, "%ld", t->redirects); break;
    case REDIRECT: fputs(t->redirect_url ? t->redirect_url : "", *out); break;
    case TIME: fprintf(*out, "%.6f", seconds(t)); break;
    case ZERO_TIME: fputs("0.000000", *out); break;
    case METHOD: fputs(t->method ? t->method : "GET", *out); break;
    case SCHEME:
        url_scheme(t->url, scheme);
        for (char *p = scheme; *p; p++) *p = (char)toupper((unsigned char)*p);
        fputs(scheme, *out);
        break;
    case VERSION: fputs(ended ? "1.1" : "0", *out); break;
    case CONNECTS: fprintf(*out, "%d", t->requests > 0 && ended); break;
    case NUM_HEADERS: fprintf(*out, "%zu", t->response.headers.count); break;
    case FILENAME: fputs(t->filename ? t->filename : "", *out); break;
    case EXITCODE: fprintf(*out, "%d", t->status); break;
    case ERROR: fputs(t->error, *out); break;
    case SPEED_DOWN: fprintf(*out, "%.0f", (double)t->downloaded / took); break;
    case SPEED_UP: fprintf(*out, "%.0f", (double)t->uploaded / took); break;
    case ZERO: fputs("0", *out); break;
    case EMPTY: break;
    case JSON: write_json(*out, t); break;
    case HEADER_JSON: write_header_json(*out, t); break;
    case REFERER: fputs(t->options->referer ? t->options->referer : "", *out); break;
    case TO_STDOUT: *out = stdout; break;
    case TO_STDERR: *out = stderr; break;
    case ON_ERROR: return t->status != 0;
    }
    return true;
}

static const char *write_named(FILE **out, const struct transfer *t, const char *p, bool *go_on) {
    const char *end = strchr(p, '}');
    if (!end) {
        fputs("%{", *out);
        return p;
    }
    size_t len = (size_t)(end - p);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (strlen(variables[i].name) == len && memcmp(variables[i].name, p, len) == 0) {
            *go_on = write_variable(out, t, variables[i].what);
            return end + 1;
        }
    fprintf(stderr, "curl: unknown --write-out variable: '%.*s'\n", (int)len, p);
    return end + 1;
}

/* %header{name} */
static const char *write_header(FILE *out, const struct transfer *t, const char *p) {
    const char *end = strchr(p, '}');
    if (!end) return p;
    char name[200];
    snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
    const char *value = headers_get(&t->response.headers, name);
    fputs(value ? value : "", out);
    return end + 1;
}

void curl_write_out(const struct transfer *t) {
    FILE *out = stdout;
    bool go_on = true;
    for (const char *p = t->options->write_out; *p && go_on;) {
        if (strncmp(p, "%{", 2) == 0) p = write_named(&out, t, p + 2, &go_on);
        else if (strncmp(p, "%header{", 8) == 0) p = write_header(out, t, p + 8);
        else if (strncmp(p, "%%", 2) == 0) fputc('%', out), p += 2;
        else if (*p == '\\' && p[1] && strchr("nrt", p[1]))
            fputc(p[1] == 'n' ? '\n' : p[1] == 'r' ? '\r' : '\t', out), p += 2;
        else fputc(*p++, out);
    }
    fflush(out);
}
