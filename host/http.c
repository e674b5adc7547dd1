/*
 * host/http.c: pf_http of include/pinfold.h, by host/http.
 */
#include "http/engine.h"

#include "host/base/error.h"

#include <stdlib.h>
#include <string.h>

struct pf_http {
    struct http_engine engine;
};

pf_status pf_http_new(const char *config, size_t len, pf_http **out, pf_error *error) {
    pf_http *http = calloc(1, sizeof *http);
    if (!http) return base_no_memory(error);
    pf_status status = http_engine_read(&http->engine, config, len, error);
    if (status != PF_OK) {
        free(http);
        http = NULL;
    }
    *out = http;
    return status;
}

void pf_http_free(pf_http *http) {
    if (!http) return;
    http_engine_free(&http->engine);
    free(http);
}

pf_status pf_http_request(const pf_http *http, const char *params, size_t len, char **out,
                          size_t *out_len, pf_error *error) {
    struct base_buf buf;
    base_buf_init(&buf, SIZE_MAX);
    *out = NULL;
    pf_status status = http_engine_request(&http->engine, &buf, params, len, error);
    if (status == PF_OK) *out = base_buf_take(&buf, out_len);
    base_buf_free(&buf);
    return status;
}

pf_status pf_http_address(const pf_http *http, const char *url, const char *address, pf_error *error) {
    return http_engine_address(&http->engine, url, address, error);
}

pf_status pf_http_clean(const pf_http *http, const char *data, size_t len, char **out, size_t *out_len,
                        pf_error *error) {
    struct base_buf buf;
    base_buf_init(&buf, SIZE_MAX);
    http_secret_scrub(&http->engine.secrets, &buf, data, len);
    bool failed = buf.failed;
    *out_len = 0;
    *out = failed ? NULL : base_buf_take(&buf, out_len);
    base_buf_free(&buf);
    if (!failed && !*out) *out = calloc(1, 1);
    return *out ? PF_OK : base_no_memory(error);
}
