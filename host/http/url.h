/*
 * host/http/url.h: an address of the web, read once, by the rules of the WHATWG's URL standard.
 *
 * Called where requests are judged: by constraints (host/capability) and by pf_http (host/http.c).
 * An address that was read is written out anew, and only that text is compared, resolved and sent:
 * two spellings of one address are one text. Only http and https exist. A user name or a password
 * inside is refused, and a fragment is dropped, for neither is sent.
 *
 * IDNA: names with letters beyond ASCII are mapped and normalised with the Unicode tables of
 * QuickJS-ng, and written as Punycode. Only letters, marks, digits and symbols are taken.
 */
#ifndef HTTP_URL_H
#define HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_URL_MAX  8192u /* bytes of an address as it is written out */
#define HTTP_HOST_MAX 255u

enum http_host_kind { HTTP_HOST_NAME, HTTP_HOST_IPV4, HTTP_HOST_IPV6 };

struct http_part {
    uint16_t at, len; /* in http_url.text */
};

struct http_url {
    char text[HTTP_URL_MAX + 1]; /* https://host:port/path?query, in ASCII, with a NUL */
    size_t len;
    struct http_part scheme, host, path, query; /* host with [] of IPv6; query without its ? */
    bool has_query, https;
    unsigned port; /* also when the text leaves it out */
    enum http_host_kind kind;
    uint8_t address[16]; /* of IPv4 the first four */
};

/* False: *why says what is wrong, in words that repeat nothing of the text. */
bool http_url_read(struct http_url *out, const char *text, size_t len, const char **why);

/* One part by the name that constraints have for it (scheme, host, port, path, query): its text,
 * which is in `url` or, for the port, in `number`. NULL: there is no such part, or this address has
 * none. */
const char *http_url_part(const struct http_url *url, const char *name, size_t name_len,
                          size_t *len, char number[8]);
/* Is that the name of a part? */
bool http_url_has_part(const char *name, size_t len);

/* A host as it stands in an address, percent-encoded or not: into out, ASCII and in lower case,
 * with
 * []. host.c */
bool http_host_read(char out[HTTP_HOST_MAX + 1], size_t *out_len, enum http_host_kind *kind,
                    uint8_t address[16], const char *text, size_t len, const char **why);

/* A name with bytes beyond ASCII as ASCII; false: it has characters that no name has. idna.c */
bool http_idna(char out[HTTP_HOST_MAX + 1], size_t *out_len, const char *text, size_t len);

#endif
