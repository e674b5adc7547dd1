/*
 * host/http/request.c: may this request be made, and what exactly is it?
 */
#include "engine.h"

#include "host/base/base64.h"
#include "host/base/error.h"
#include "host/base/json_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARENA_MAX   ((size_t)256 << 20)
#define RULES_SHOWN 12
#define HEADERS_MAX 200u

struct request {
    const struct http_engine *engine;
    struct base_buf *out;
    pf_error *error;
    struct http_url url;
    const char *method;
    size_t body_len; /* SIZE_MAX: not known, none was given */
    size_t headers;  /* so far */
    bool secret;     /* one was put into a header */
};

static pf_status bad(struct request *r, const char *what) {
    return base_error(r->error, PF_INVALID, "http/request: %s", what);
}

/* ---- method and URL */

static bool is_token(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c)) return false;
    }
    return len > 0;
}

static pf_status read_method(struct request *r, yyjson_val *value) {
    r->method = value ? yyjson_get_str(value) : "GET";
    if (!r->method || !is_token(r->method, value ? yyjson_get_len(value) : 3) ||
        strlen(r->method) > 40)
        return bad(r, "the method is not one of HTTP's");
    static const char *const refused[] = {"CONNECT", "TRACE", "TRACK"};
    for (size_t i = 0; i < 3; i++)
        if (strcasecmp(r->method, refused[i]) == 0)
            return base_error(r->error, PF_DENIED, "http/request is denied: the method %s is never"
                              " allowed", refused[i]);
    return PF_OK;
}

static pf_status deny(struct request *r) {
    char message[sizeof r->error->message];
    struct base_text text;
    base_text_init(&text, message, sizeof message);
    size_t shown = r->url.host.at + r->url.host.len;
    base_text_addf(&text, "http/request is denied: no rule allows %s ", r->method);
    base_text_add(&text, r->url.text, r->url.len < 160 ? r->url.len : shown);
    base_text_addz(&text, r->engine->rule_count ? "; allowed:" : "; nothing is allowed");
    for (size_t i = 0; i < r->engine->rule_count && i < RULES_SHOWN; i++)
        base_text_addf(&text, "%s %s", i ? "," : "", r->engine->rules[i].text);
    if (r->engine->rule_count > RULES_SHOWN)
        base_text_addf(&text, " and %zu more", r->engine->rule_count - RULES_SHOWN);
    return base_error(r->error, PF_DENIED, "%s", message);
}

static pf_status read_url(struct request *r, yyjson_val *value) {
    const char *why, *text = yyjson_get_str(value);
    if (!text) return bad(r, "url: needs a text");
    if (!http_url_read(&r->url, text, yyjson_get_len(value), &why))
        return base_error(r->error, PF_INVALID, "http/request: the URL is not valid: %s", why);
    if (http_secret_mentioned(text, yyjson_get_len(value)))
        return base_error(r->error, PF_DENIED,
                          "http/request is denied: a secret does not belong in a URL");
    for (size_t i = 0; i < r->engine->rule_count; i++)
        if (http_rule_matches(&r->engine->rules[i], r->method, &r->url)) return PF_OK;
    return deny(r);
}

/* ---- body */

static pf_status read_body(struct request *r, yyjson_val *body, yyjson_val *base64) {
    r->body_len = SIZE_MAX;
    if (body && base64) return bad(r, "body and body_base64 exclude each other");
    if (!body && !base64) return PF_OK;
    yyjson_val *given = body ? body : base64;
    if (!yyjson_is_str(given)) return bad(r, "the body is a text");
    struct base_buf decoded;
    base_buf_init(&decoded, SIZE_MAX);
    const char *data = yyjson_get_str(given);
    size_t len = yyjson_get_len(given);
    bool good = true;
    if (base64) {
        good = base_base64_read(&decoded, data, len);
        data = decoded.data ? decoded.data : "";
        len = decoded.len;
    }
    bool mentioned = http_secret_mentioned(data, len);
    bool failed = decoded.failed;
    base_buf_free(&decoded);
    r->body_len = len;
    if (failed) return base_no_memory(r->error);
    if (!good) return bad(r, "body_base64 is not Base64");
    if (mentioned)
        return base_error(
            r->error, PF_DENIED,
            "http/request is denied: a secret does not belong in a body; it is sent in "
            "the headers that it names only");
    return PF_OK;
}

/* ---- headers */

enum kind { PASSED, DROPPED, REFUSED };

/* What the connection is made of is the host's alone. */
static enum kind kind_of(struct request *r, const char *name, const char *value, size_t len,
                         const char **why) {
    static const char *const dropped[] = {"Accept-Encoding", "Connection", "Keep-Alive",
                                          "Proxy-Connection", "Expect", NULL};
    static const char *const refused[] = {
        "Transfer-Encoding",  "TE", "Trailer", "Upgrade", "HTTP2-Settings", "Proxy-Authorization",
        "Proxy-Authenticate", NULL};
    for (size_t i = 0; dropped[i]; i++)
        if (strcasecmp(name, dropped[i]) == 0) return DROPPED;
    *why = "is the connection's, which scripts do not see";
    for (size_t i = 0; refused[i]; i++)
        if (strcasecmp(name, refused[i]) == 0) return REFUSED;
    if (strcasecmp(name, "Host") == 0) {
        const char *authority = r->url.text + r->url.host.at;
        size_t n = r->url.path.at - r->url.host.at;
        *why = "names another host than the URL";
        return len == n && strncasecmp(value, authority, n) == 0 ? DROPPED : REFUSED;
    }
    if (strcasecmp(name, "Content-Length") == 0) {
        char own[24];
        snprintf(own, sizeof own, "%zu", r->body_len == SIZE_MAX ? 0 : r->body_len);
        *why = "is not the length of the body";
        return strcmp(value, own) == 0 ? DROPPED : REFUSED;
    }
    return PASSED;
}

static pf_status check_header(struct request *r, const char *name, size_t name_len,
                              const char *value, size_t len) {
    if (!is_token(name, name_len) || name_len > 200) return bad(r, "a header's name is not valid");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return base_error(r->error, PF_INVALID,
                              "http/request: the header %s has a line end or another control "
                              "character in it", name);
    }
    if (http_secret_mentioned(name, name_len))
        return base_error(r->error, PF_DENIED,
                          "http/request is denied: a secret does not belong in a header's name");
    if (++r->headers > HEADERS_MAX) return bad(r, "there are more than 200 headers");
    return PF_OK;
}

static pf_status write_header(struct request *r, const char *name, size_t name_len,
                              const char *value, size_t len) {
    const char *why = "";
    while (len && (*value == ' ' || *value == '\t')) value++, len--;
    while (len && (value[len - 1] == ' ' || value[len - 1] == '\t')) len--;
    pf_status status = check_header(r, name, name_len, value, len);
    if (status != PF_OK) return status;
    enum kind kind = kind_of(r, name, value, len, &why);
    if (kind == DROPPED) return PF_OK;
    if (kind == REFUSED)
        return base_error(r->error, PF_DENIED, "http/request is denied: the header %s %s", name,
                          why);
    char message[600];
    struct base_text text;
    struct base_buf made;
    base_text_init(&text, message, sizeof message);
    base_buf_init(&made, SIZE_MAX);
    enum http_exchange done =
        http_secret_exchange(&r->engine->secrets, &made, name, value, len, &r->url, &text);
    r->secret = r->secret || done == HTTP_EXCHANGED;
    base_buf_addz(r->out, r->headers > 1 && r->out->data[r->out->len - 1] == ']' ? ",[" : "[");
    base_json_out_string(r->out, name, name_len);
    base_buf_addz(r->out, ",");
    base_json_out_string(r->out, made.data ? made.data : "", made.len);
    base_buf_addz(r->out, "]");
    if (made.failed) r->out->failed = true;
    base_buf_free(&made);
    if (done == HTTP_REFUSED)
        return base_error(r->error, PF_DENIED, "http/request is denied: %s", message);
    return PF_OK;
}

static pf_status write_values(struct request *r, yyjson_val *key, yyjson_val *value) {
    const char *name = yyjson_get_str(key);
    size_t len = yyjson_get_len(key);
    if (yyjson_is_str(value))
        return write_header(r, name, len, yyjson_get_str(value), yyjson_get_len(value));
    if (!yyjson_is_arr(value)) return bad(r, "a header is a text, or a list of texts");
    yyjson_arr_iter iter = yyjson_arr_iter_with(value);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (!yyjson_is_str(item)) return bad(r, "a header is a text, or a list of texts");
        pf_status status = write_header(r, name, len, yyjson_get_str(item), yyjson_get_len(item));
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

/* A part of the text can be had again and again, each time with a piece of what is not to be
 * seen. */
static bool asks_for_part(yyjson_val *headers) {
    yyjson_obj_iter iter = yyjson_obj_iter_with(headers);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        if (strcasecmp(yyjson_get_str(key), "Range") == 0) return true;
    return false;
}

static pf_status write_headers(struct request *r, yyjson_val *headers) {
    if (headers && !yyjson_is_obj(headers)) return bad(r, "headers: needs an object");
    yyjson_obj_iter iter = yyjson_obj_iter_with(headers);
    for (yyjson_val *key; headers && (key = yyjson_obj_iter_next(&iter));) {
        pf_status status = write_values(r, key, yyjson_obj_iter_get_val(key));
        if (status != PF_OK) return status;
    }
    if (r->secret && asks_for_part(headers))
        return base_error(
            r->error, PF_DENIED,
            "http/request is denied: a request with a secret in it asks for the whole, "
            "not for a Range");
    return PF_OK;
}

/* ---- the whole */

static void add_part(struct request *r, const char *name, const char *text, size_t len) {
    base_buf_addf(r->out, "\"%s\":", name);
    base_json_out_string(r->out, text, len);
    base_buf_addz(r->out, ",");
}

static pf_status write_request(struct request *r, yyjson_val *params) {
    pf_status status = read_method(r, yyjson_obj_get(params, "method"));
    if (status == PF_OK) status = read_url(r, yyjson_obj_get(params, "url"));
    if (status == PF_OK)
        status =
            read_body(r, yyjson_obj_get(params, "body"), yyjson_obj_get(params, "body_base64"));
    if (status != PF_OK) return status;
    const struct http_url *u = &r->url;
    base_buf_addz(r->out, "{");
    add_part(r, "method", r->method, strlen(r->method));
    add_part(r, "url", u->text, u->len);
    add_part(r, "scheme", u->text + u->scheme.at, u->scheme.len);
    add_part(r, "host", u->text + u->host.at, u->host.len);
    add_part(r, "authority", u->text + u->host.at, (size_t)(u->path.at - u->host.at));
    add_part(r, "target", u->text + u->path.at, u->len - u->path.at);
    base_buf_addf(r->out, "\"port\":%u,\"headers\":[", u->port);
    status = write_headers(r, yyjson_obj_get(params, "headers"));
    base_buf_addf(r->out, "],\"secret\":%s}", r->secret ? "true" : "false");
    if (status == PF_OK && r->out->failed) return base_no_memory(r->error);
    return status;
}

pf_status http_engine_request(const struct http_engine *engine, struct base_buf *out,
                              const char *json, size_t len, pf_error *error) {
    struct base_arena arena;
    yyjson_val *params;
    struct request *r = calloc(1, sizeof *r);
    if (!r) return base_no_memory(error);
    *r = (struct request){.engine = engine, .out = out, .error = error};
    base_arena_init(&arena, ARENA_MAX);
    pf_status status = base_json_read(&arena, json, len, BASE_JSON_DEPTH, &params, error);
    if (status == PF_OK && !yyjson_is_obj(params)) status = bad(r, "takes one object");
    if (status == PF_OK) status = write_request(r, params);
    base_arena_free(&arena);
    free(r);
    return status;
}
