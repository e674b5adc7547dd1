/*
 * cookies.h: cookies of a command, and the files that keep them (Netscape's format, as curl's -b and -c and wget's
 * --load-cookies have it).
 */
#ifndef HTTP_COOKIES_H
#define HTTP_COOKIES_H

#include "call.h"

struct cookie {
    char *domain, *path, *name, *value;
    bool subdomains, secure, http_only;
    long long expires; /* 0: with the session */
};
struct jar {
    struct cookie *items;
    size_t count, cap;
};

/* Adds what a file has; false with errno. With `session`, cookies without an end are left out. */
bool jar_load(struct jar *jar, const char *path, bool session);
/* "-" is standard output; false with errno. */
bool jar_save(const struct jar *jar, const char *path);
/* Keeps what an answer from `url` sets. */
void jar_take(struct jar *jar, const char *url, const struct headers *headers);
/* Adds "a=1; b=2" to `out`, of the cookies for `url`. */
void jar_give(const struct jar *jar, const char *url, struct text *out);

#endif
