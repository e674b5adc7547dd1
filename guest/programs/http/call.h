/*
 * call.h: one request, as a call of the tool http/request, and its answer.
 */
#ifndef HTTP_CALL_H
#define HTTP_CALL_H

#include <stdbool.h>
#include <stddef.h>

/* Text that grows. */
struct text {
    char *data; /* NUL behind it; NULL while it is empty */
    size_t len, cap;
};
/* Appends bytes, and a NUL behind them. */
void text_add(struct text *t, const void *data, size_t len);
void text_addz(struct text *t, const char *string); /* Appends a string. */
/* Appends what printf() would write. */
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *t); /* Frees it; empty afterwards. */
const char *text_get(const struct text *t); /* "" while it is empty */

struct header {
    char *name, *value;
};
struct headers {
    struct header *items;
    size_t count, cap;
};
/* Appends a header; both texts are copied. */
void headers_add(struct headers *h, const char *name, const char *value);
const char *headers_get(const struct headers *h, const char *name); /* the last; NULL: none */
/* Removes all of this name, in any case. */
void headers_remove(struct headers *h, const char *name);
void headers_free(struct headers *h); /* Frees them; empty afterwards. */

struct request {
    const char *method, *url;
    struct headers headers;
    struct text body;
    bool has_body;
    double timeout; /* seconds; 0: the host's */
};

/* What became of it, with curl's exit statuses for failures. */
enum {
    CALL_OK = 0,
    CALL_PROTOCOL = 1,
    CALL_BAD_URL = 3,
    CALL_RESOLVE = 6,
    CALL_CONNECT = 7, /* also what is denied */
    CALL_PARTIAL = 18,
    CALL_TIMEOUT = 28,
    CALL_TLS = 35,
    CALL_EMPTY = 52,
    CALL_RECEIVE = 56,
    CALL_CERTIFICATE = 60,
    CALL_ENCODING = 61,
    CALL_TOO_LARGE = 63,
    CALL_WEIRD = 1,
};
struct response {
    int failure;   /* CALL_…; then `message` says more */
    bool denied;   /* by the capabilities */
    char *message;
    int status;
    char *reason;
    struct headers headers;
    struct text body;
};
/* Makes the request through the tool of the host and waits. *out is filled in any case; free it
 * with response_free(). */
void call_make(const struct request *request, struct response *out);
/* The same for who waits in a way of its own: the call that is under way, or -1, and then *out is filled. */
int call_start(const struct request *request, struct response *out);
void call_take(int call, struct response *out); /* what came of it, after the wait */
void response_free(struct response *response); /* Frees what a response holds. */

/* ---- url.c: what programs do with addresses before the host reads them */

/* Adds http:// when there is no scheme; malloc'ed. */
char *url_complete(const char *url);
/* The scheme, "http", in small letters; "" when there is none. */
void url_scheme(const char *url, char out[16]);
/* User and password are taken out of the address: malloc'ed text, or NULL when there are none. */
char *url_take_user(char *url);
/* A reference, as Location has it, from an address; malloc'ed. */
char *url_resolve(const char *base, const char *reference);
/* scheme://host:port, in small letters; malloc'ed. */
char *url_origin(const char *url);
char *url_host(const char *url); /* without port; malloc'ed */
/* The path without query, "/" at least; malloc'ed. */
char *url_path(const char *url);
void url_decode(char *text); /* %XX, in place */
char *url_encode(const char *data, size_t len); /* all but letters, digits and -._~; malloc'ed */
char *base64(const char *data, size_t len);     /* malloc'ed */

#endif
