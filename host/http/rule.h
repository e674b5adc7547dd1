/*
 * host/http/rule.h: which requests a rule is about.
 *
 *     METHODS SCHEME://HOST:PORT/PATH
 *
 * `*` stands for any characters within one label of the host or one segment of the path, and alone
 * for a whole one; `**` alone for one or more labels, or for any number of segments. Methods are
 * one, or some with commas; without them it is every method. Without a port it is the scheme's,
 * `:*` is any. Without a path it is every path. A rule says nothing about the part behind ?. The
 * scheme is http, https, or * for both.
 *
 * A path is compared as it is sent. One that a server might read as another, since something like
 * %2f..%2f or ..;/ is in it, matches only rules without a path or with the path / **.
 */
#ifndef HTTP_RULE_H
#define HTTP_RULE_H

#include "url.h"

#include "host/base/arena.h"
#include "pinfold.h"

struct http_rule {
    const char *text;    /* as it was written; in the arena */
    const char *methods; /* "GET,HEAD"; NULL: any */
    const char *url;     /* the rest of the text */
    const char *host;    /* its pattern: ASCII, in lower case */
    const char *path;    /* begins with /; NULL: any */
    bool http, https;
    bool any_port;
    unsigned port; /* 0: the scheme's */
    bool literal;  /* the host is written out: a name without *, or a number */
};

/* PF_INVALID says what is wrong with the rule, and repeats it. The text is copied. With `method`,
 * it may begin with methods. */
pf_status http_rule_read(struct http_rule *out, struct base_arena *arena, const char *text,
                         size_t len, bool method, pf_error *error);
/* Scheme, host and port only. */
bool http_rule_matches_origin(const struct http_rule *rule, const struct http_url *url);
/* Origin and path, whatever the method. */
bool http_rule_matches_url(const struct http_rule *rule, const struct http_url *url);
/* Method, origin and path; a rule without methods allows each. */
bool http_rule_matches(const struct http_rule *rule, const char *method,
                       const struct http_url *url);

#endif
