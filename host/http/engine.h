/*
 * host/http/engine.h: decides about the requests of a sandbox: rules, addresses and secrets.
 *
 * Behind pf_http of include/pinfold.h. It makes no connection: who does asks it about the request,
 * then about the address that a name turned out to have, and gives it the answer to clean.
 */
#ifndef HTTP_ENGINE_H
#define HTTP_ENGINE_H

#include "address.h"
#include "secret.h"

struct http_engine {
    struct base_arena arena;
    struct http_rule *rules;
    size_t rule_count;
    struct http_network *granted;
    size_t granted_count;
    struct http_secrets secrets;
};

/* See pf_http_new(). */
pf_status http_engine_read(struct http_engine *out, const char *json, size_t len, pf_error *error);
void http_engine_free(struct http_engine *engine); /* Frees what it read; empty afterwards. */
/* See pf_http_request(). request.c */
pf_status http_engine_request(const struct http_engine *engine, struct base_buf *out,
                              const char *json, size_t len, pf_error *error);
/* See pf_http_address(). */
pf_status http_engine_address(const struct http_engine *engine, const char *url,
                              const char *address, pf_error *error);

#endif
