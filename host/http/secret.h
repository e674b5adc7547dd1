/*
 * host/http/secret.h: secrets, which a sandbox may use and never sees.
 *
 * A script has a placeholder, pfsecret_NAME_ and 32 hexadecimal digits. It is exchanged for the
 * value on the way out, in the headers and for the hosts that the secret names; and on the way back
 * the value, however a server spells it, is exchanged for a placeholder.
 */
#ifndef HTTP_SECRET_H
#define HTTP_SECRET_H

#include "rule.h"

#include "host/base/buf.h"
#include "host/base/text.h"

#define HTTP_SECRET_MIN    8u /* bytes of a value: shorter ones are in every answer by chance */
#define HTTP_SECRET_MAX    8192u
#define HTTP_SECRET_DIGITS 32u

struct http_needle {
    const char *text;
    size_t len;
};

struct http_secret {
    const char *name, *value;
    size_t value_len;
    const struct http_rule *hosts;
    size_t host_count;
    const char *const *headers;
    size_t header_count;
    struct http_needle base64[6]; /* what any Base64 that has the value in it has in it, too */
    char shown[80];               /* takes the value's place in an answer */
};

struct http_secrets {
    struct http_secret *items;
    size_t count;
};

/* The needles of a secret whose value is set. False: no memory. */
bool http_secret_prepare(struct http_secret *secret, struct base_arena *arena);

/* Is there anything like a placeholder in the text, whosever it is? */
bool http_secret_mentioned(const char *text, size_t len);

enum http_exchange { HTTP_EXCHANGED, HTTP_NOT_EXCHANGED, HTTP_REFUSED };
/*
 * Adds a header's value to `out`, with placeholders exchanged, also those in Basic credentials.
 * HTTP_REFUSED: *why says which rule a placeholder breaks. `out` must be looked at for failure.
 */
enum http_exchange http_secret_exchange(const struct http_secrets *secrets, struct base_buf *out,
                                        const char *header, const char *value, size_t len,
                                        const struct http_url *url, struct base_text *why);

/* Adds the text to `out` with every value, as it is or in a usual encoding, replaced. */
void http_secret_scrub(const struct http_secrets *secrets, struct base_buf *out, const char *text,
                       size_t len);

#endif
