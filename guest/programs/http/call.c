/*
 * call.c: see call.h.
 */
#include "call.h"

#include "g_program.h"
#include "pf.h"
#include "yyjson.h"

#include "abi/limits.h"
#include "abi/types.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- texts and headers */

void text_add(struct text *t, const void *data, size_t len) {
    if (t->cap - t->len <= len) {
        t->cap = (t->cap + len + 64) * 3 / 2;
        t->data = g_realloc(t->data, t->cap);
    }
    if (len) memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
}

void text_addz(struct text *t, const char *string) {
    text_add(t, string, strlen(string));
}

void text_addf(struct text *t, const char *format, ...) {
    va_list args;
    char buffer[512];
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    if (n < (int)sizeof buffer) {
        text_add(t, buffer, (size_t)n);
        return;
    }
    char *large = g_alloc((size_t)n + 1);
    va_start(args, format);
    vsnprintf(large, (size_t)n + 1, format, args);
    va_end(args);
    text_add(t, large, (size_t)n);
    free(large);
}

void text_free(struct text *t) {
    free(t->data);
    *t = (struct text){0};
}

const char *text_get(const struct text *t) {
    return t->data ? t->data : "";
}

void headers_add(struct headers *h, const char *name, const char *value) {
    if (h->count == h->cap) h->items = g_more(h->items, &h->cap, sizeof *h->items);
    h->items[h->count++] = (struct header){g_copy_string(name), g_copy_string(value)};
}

const char *headers_get(const struct headers *h, const char *name) {
    for (size_t i = h->count; i-- > 0;)
        if (strcasecmp(h->items[i].name, name) == 0) return h->items[i].value;
    return NULL;
}

void headers_remove(struct headers *h, const char *name) {
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++) {
        if (strcasecmp(h->items[i].name, name) != 0) {
            h->items[kept++] = h->items[i];
            continue;
        }
        free(h->items[i].name);
        free(h->items[i].value);
    }
    h->count = kept;
}

void headers_free(struct headers *h) {
    for (size_t i = 0; i < h->count; i++) {
        free(h->items[i].name);
        free(h->items[i].value);
    }
    free(h->items);
    *h = (struct headers){0};
}

void response_free(struct response *r) {
    free(r->message);
    free(r->reason);
    headers_free(&r->headers);
    text_free(&r->body);
    *r = (struct response){0};
}

/* ---- the call */

/* A JSON string of bytes, each of which is taken for a character when they are no UTF-8: what HTTP has in
 * headers. */
static yyjson_mut_val *string(yyjson_mut_doc *doc, const char *text) {
    yyjson_doc *probe = NULL;
    yyjson_mut_val *value = yyjson_mut_strcpy(doc, text);
    size_t len = strlen(text);
    bool high = false;
    for (size_t i = 0; i < len; i++) high = high || (unsigned char)text[i] >= 0x80;
    if (!high) return value;
    char *json = yyjson_mut_val_write(value, 0, NULL); /* NULL: it is not UTF-8 */
    yyjson_doc_free(probe);
    if (json) {
        free(json);
        return value;
    }
    struct text wide = {0};
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        char two[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
        if (c < 0x80) text_add(&wide, &text[i], 1);
        else text_add(&wide, two, 2);
    }
    value = yyjson_mut_strncpy(doc, text_get(&wide), wide.len);
    text_free(&wide);
    return value;
}

static bool is_text(const char *data, size_t len) {
    if (memchr(data, '\0', len)) return false;
    yyjson_mut_val value = {0};
    unsafe_yyjson_set_strn(&value, data, len);
    char *json = yyjson_mut_val_write(&value, 0, NULL);
    free(json);
    return json != NULL;
}

static void add_body(yyjson_mut_doc *doc, yyjson_mut_val *params, const struct text *body) {
    const char *data = text_get(body);
    if (is_text(data, body->len)) {
        yyjson_mut_obj_add(params, yyjson_mut_str(doc, "body"),
                           yyjson_mut_strncpy(doc, data, body->len));
        return;
    }
    char *coded = base64(data, body->len);
    yyjson_mut_obj_add(params, yyjson_mut_str(doc, "body_base64"), yyjson_mut_strcpy(doc, coded));
    free(coded);
}

static yyjson_mut_val *headers_of(yyjson_mut_doc *doc, const struct headers *headers) {
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    for (size_t i = 0; i < headers->count; i++) {
        const struct header *h = &headers->items[i];
        bool first = true, last = true;
        for (size_t k = 0; k < i; k++) first = first && strcasecmp(headers->items[k].name, h->name);
        if (!first) continue;
        for (size_t k = i + 1; k < headers->count; k++)
            last = last && strcasecmp(headers->items[k].name, h->name);
        yyjson_mut_val *value = last ? string(doc, h->value) : yyjson_mut_arr(doc);
        for (size_t k = i; !last && k < headers->count; k++)
            if (strcasecmp(headers->items[k].name, h->name) == 0)
                yyjson_mut_arr_append(value, string(doc, headers->items[k].value));
        yyjson_mut_obj_add(object, string(doc, h->name), value);
    }
    return object;
}

static char *write_call(const struct request *r, size_t *len) {
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc), *params = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_add_str(doc, root, "tool", "http/request");
    yyjson_mut_obj_add_val(doc, root, "params", params);
    yyjson_mut_obj_add_str(doc, params, "method", r->method);
    yyjson_mut_obj_add(params, yyjson_mut_str(doc, "url"), string(doc, r->url));
    if (r->headers.count)
        yyjson_mut_obj_add_val(doc, params, "headers", headers_of(doc, &r->headers));
    if (r->has_body) add_body(doc, params, &r->body);
    if (r->timeout > 0) yyjson_mut_obj_add_real(doc, params, "timeout", r->timeout);
    char *text = yyjson_mut_write(doc, 0, len);
    yyjson_mut_doc_free(doc);
    return text;
}

static void fail(struct response *out, int failure, const char *message) {
    out->failure = failure;
    out->message = g_copy_string(message);
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The host's failures are in curl's words (pinfold/transport.py). */
static int status_of(const char *message) {
    static const struct {
        const char *text;
        int status;
    } known[] = {
        {"Could not resolve host", CALL_RESOLVE},
        {"Failed to connect", CALL_CONNECT},
        {"SSL certificate problem", CALL_CERTIFICATE},
        {"SSL ", CALL_TLS},
        {"Operation timed out", CALL_TIMEOUT},
        {"Maximum file size", CALL_TOO_LARGE},
        {"transfer closed", CALL_PARTIAL},
        {"Empty reply", CALL_EMPTY},
        {"Unrecognized content encoding", CALL_ENCODING},
        {"Error while processing content", CALL_ENCODING},
        {"Received HTTP/0.9", CALL_WEIRD},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(message, known[i].text)) return known[i].status;
    return CALL_RECEIVE;
}

static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode(struct text *out, const char *text, size_t len) {
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < len; i++) {
        int value = digit(text[i]);
        if (value < 0) break;
        bits = bits << 6 | (unsigned)value;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        char byte = (char)(bits >> have);
        text_add(out, &byte, 1);
    }
}

static void read_answer(struct response *out, const char *reply, size_t len) {
    yyjson_doc *doc = yyjson_read(reply, len, 0);
    yyjson_val *root = yyjson_doc_get_root(doc), *headers = yyjson_obj_get(root, "headers");
    yyjson_val *body = yyjson_obj_get(root, "body"), *coded = yyjson_obj_get(root, "body_base64");
    yyjson_val *reason = yyjson_obj_get(root, "reason");
    if (!yyjson_is_int(yyjson_obj_get(root, "status"))) {
        fail(out, CALL_RECEIVE, "http/request gave no answer of HTTP");
        yyjson_doc_free(doc);
        return;
    }
    out->status = yyjson_get_int(yyjson_obj_get(root, "status"));
    out->reason = g_copy_string(yyjson_is_str(reason) ? yyjson_get_str(reason) : "");
    size_t i, count;
    yyjson_val *pair;
    yyjson_arr_foreach(headers, i, count, pair) {
        yyjson_val *name = yyjson_arr_get(pair, 0), *value = yyjson_arr_get(pair, 1);
        if (yyjson_is_str(name) && yyjson_is_str(value))
            headers_add(&out->headers, yyjson_get_str(name), yyjson_get_str(value));
    }
    if (yyjson_is_str(body)) text_add(&out->body, yyjson_get_str(body), yyjson_get_len(body));
    else if (yyjson_is_str(coded)) decode(&out->body, yyjson_get_str(coded), yyjson_get_len(coded));
    yyjson_doc_free(doc);
}

void call_take(int op, struct response *out) {
    size_t len;
    int outcome;
    char *reply = pf_tool_take(op, &outcome, &len);
    if (!reply) {
        fail(out, CALL_RECEIVE, strerror(errno));
    } else if (outcome == PF_OP_OK) {
        read_answer(out, reply, len);
    } else if (outcome == PF_OP_DENIED || outcome == PF_OP_LIMIT || outcome == PF_OP_UNKNOWN) {
        out->denied = true;
        fail(out, CALL_CONNECT, len ? reply : "denied");
    } else if (outcome == PF_OP_INVALID && strstr(reply, "url")) {
        fail(out, CALL_BAD_URL, reply);
    } else {
        fail(out, outcome == PF_OP_TIMEOUT ? CALL_TIMEOUT : status_of(reply), reply);
    }
    free(reply);
}

int call_start(const struct request *request, struct response *out) {
    size_t len;
    *out = (struct response){0};
    char *text = write_call(request, &len);
    if (!text) {
        fail(out, CALL_BAD_URL, "the request is not valid text");
        return -1;
    }
    int op = pf_tool_start(text, len);
    free(text);
    if (op < 0) {
        char message[120];
        snprintf(message, sizeof message, "the request has %zu bytes, the limit is %u", len,
                 PF_MESSAGE_IN_MAX);
        fail(out, CALL_CONNECT, errno == E2BIG ? message : strerror(errno));
    }
    return op;
}

void call_make(const struct request *request, struct response *out) {
    int op = call_start(request, out);
    if (op < 0) return;
    while (pf_tool_wait(op) < 0)
        if (errno != EINTR) {
            fail(out, CALL_RECEIVE, strerror(errno));
            pf_tool_close(op);
            return;
        }
    call_take(op, out);
}
