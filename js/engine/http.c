/*
 * js/engine/http.c: what decides about HTTP requests, pf_http of include/pinfold.h, for the
 * JavaScript host: src/http/engine.ts.
 *
 * An object of it lives in an instance of the module of its own, apart from the gates of sandboxes:
 * values of secrets are in its memory.
 */
#include "engine.h"

#include "host/base/json_out.h"
#include "host/capability/pattern.h"

#include <monocypher.h>
#include <stdlib.h>
#include <string.h>

/* {"description", "schema"} of the tool. */
EXPORT(pf_engine_http_tool) int engine_http_tool(void) {
    const char *description, *schema;
    engine_begin();
    pf_http_tool(&description, &schema);
    base_buf_addz(&engine_answer, "{\"description\":");
    base_json_out_string(&engine_answer, description, strlen(description));
    base_buf_addz(&engine_answer, ",\"schema\":");
    base_buf_addz(&engine_answer, schema);
    base_buf_addz(&engine_answer, "}");
    return engine_answer.failed ? PF_NO_MEMORY : PF_OK;
}

/* NULL: the message says what is wrong with the configuration. */
EXPORT(pf_engine_http) pf_http *engine_http(const char *config, size_t len) {
    pf_http *http = NULL;
    engine_begin();
    return pf_http_new(config, len, &http, &engine_last) == PF_OK ? http : NULL;
}

/* What to send, with secrets in it: it goes nowhere else. */
EXPORT(pf_engine_http_request) int engine_http_request(const pf_http *http, const char *params,
                                                       size_t len) {
    char *out = NULL;
    size_t out_len = 0;
    engine_begin();
    pf_status status = pf_http_request(http, params, len, &out, &out_len, &engine_last);
    return engine_answer_with(status, out, out_len);
}

EXPORT(pf_engine_http_address) int engine_http_address(const pf_http *http, const char *url,
                                                       const char *address) {
    engine_begin();
    return pf_http_address(http, url, address, &engine_last);
}

EXPORT(pf_engine_http_clean) int engine_http_clean(const pf_http *http, const char *data,
                                                   size_t len) {
    char *out = NULL;
    size_t out_len = 0;
    engine_begin();
    pf_status status = pf_http_clean(http, data, len, &out, &out_len, &engine_last);
    return engine_answer_with(status, out, out_len);
}

/* 1: the pattern of a capability is about the method; 0: it is not, or it is no pattern. */
EXPORT(pf_engine_pattern) int engine_pattern(const char *pattern, const char *method) {
    struct base_arena arena;
    struct cap_pattern read;
    struct cap_name name;
    const char *why;
    engine_begin();
    base_arena_init(&arena, 1 << 20);
    bool matches = cap_name_read(&name, method, strlen(method), false, &why) &&
                   cap_pattern_read(&read, &arena, pattern, strlen(pattern), NULL) == PF_OK &&
                   cap_pattern_matches(&read, &name);
    base_arena_free(&arena);
    return matches;
}

/* BLAKE2b of a text, 16 bytes as hexadecimal digits. */
EXPORT(pf_engine_digest) int engine_digest(const char *text, size_t len) {
    uint8_t hash[16];
    engine_begin();
    crypto_blake2b(hash, sizeof hash, (const uint8_t *)text, len);
    for (size_t i = 0; i < sizeof hash; i++) base_buf_addf(&engine_answer, "%02x", hash[i]);
    return engine_answer.failed ? PF_NO_MEMORY : PF_OK;
}
