/*
 * host/http.c: pf_http of include/pinfold.h, by host/http.
 */
#include "http/engine.h"

#include "host/base/base64.h"
#include "host/base/error.h"
#include "host/base/json.h"

#include <stdlib.h>
#include <string.h>

/* The tool whose calls are requests: its one declaration. */
static const char tool_description[] =
    "Makes an HTTP request. In scripts use curl, wget, fetch() or urllib.request, which call this."
    " Redirects are not followed here: they are answers.";
static const char tool_schema[] =
    "{\"type\":\"object\",\"properties\":{\"url\":{\"type\":\"string\",\"format\":"
    "\"http-url\",\"description\":\"http:// or https://\"},\"method\":{\"type\":\"string\","
    "\"default\":\"GET\",\"minLength\":1,\"maxLength\":40},\"headers\":{\"type\":\"object\","
    "\"description\":"
    "\"names to values; a list of values for a header that is sent repeatedly\","
    "\"additionalProperties\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\""
    ":{\"type\":\"string\"}}]}},\"body\":{\"type\":\"string\"},\"body_base64\":{\"type\":"
    "\"string\",\"description\":\"a body that is not text\"},\"timeout\":{\"type\":\"number\""
    ",\"exclusiveMinimum\":0,\"description\":\"seconds\"}},\"required\":[\"url\"],"
    "\"additionalProperties\":false,\"x-returns\":{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"integer\"},\"reason\":{\"type\":\"string\"},\"url\":{\"type\":"
    "\"string\"},\"headers\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{"
    "\"type\":\"string\"}},\"description\":\"[name, value] pairs\"},\"body\":{\"type\":"
    "\"string\",\"description\":\"of text\"},\"body_base64\":{\"type\":\"string\","
    "\"description\":\"of anything else\"}},\"required\":[\"status\",\"reason\",\"url\","
    "\"headers\"]}}";

void pf_http_tool(const char **description, const char **schema) {
    *description = tool_description;
    *schema = tool_schema;
}

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

/* ---- a request as a structure */

struct plan {
    pf_http_plan shown; /* first: what the embedder has a pointer to */
    struct base_arena arena;
};

static const char *text_in(struct plan *plan, yyjson_val *value) {
    return base_arena_copy(&plan->arena, yyjson_get_str(value), yyjson_get_len(value));
}

static bool copy_headers(struct plan *plan, yyjson_val *pairs) {
    const char **lines = base_arena_array(&plan->arena, yyjson_arr_size(pairs) + 1, sizeof *lines);
    yyjson_arr_iter iter = yyjson_arr_iter_with(pairs);
    for (yyjson_val *pair; lines && (pair = yyjson_arr_iter_next(&iter));) {
        yyjson_val *name = yyjson_arr_get(pair, 0), *value = yyjson_arr_get(pair, 1);
        size_t n = yyjson_get_len(name), m = yyjson_get_len(value);
        char *line = base_arena_alloc(&plan->arena, n + m + 3);
        if (!line) return false;
        memcpy(line, yyjson_get_str(name), n);
        memcpy(line + n, ": ", 2);
        memcpy(line + n + 2, yyjson_get_str(value), m);
        line[n + 2 + m] = '\0';
        lines[plan->shown.header_count++] = line;
    }
    plan->shown.headers = lines;
    return lines != NULL;
}

static bool copy_body(struct plan *plan, yyjson_val *params) {
    yyjson_val *body = yyjson_obj_get(params, "body"),
               *coded = yyjson_obj_get(params, "body_base64");
    struct base_buf data;
    if (!body && !coded) return true;
    base_buf_init(&data, SIZE_MAX);
    if (body)
        base_buf_add(&data, yyjson_get_str(body), yyjson_get_len(body));
    else
        base_base64_read(&data, yyjson_get_str(coded), yyjson_get_len(coded));
    plan->shown.body_len = data.len;
    plan->shown.body = base_arena_copy(&plan->arena, data.data ? data.data : "", data.len);
    bool good = !data.failed && plan->shown.body;
    base_buf_free(&data);
    return good;
}

static bool fill(struct plan *plan, yyjson_val *request, yyjson_val *params) {
    pf_http_plan *p = &plan->shown;
    struct base_number number;
    p->method = text_in(plan, yyjson_obj_get(request, "method"));
    p->url = text_in(plan, yyjson_obj_get(request, "url"));
    char *host = (char *)text_in(plan, yyjson_obj_get(request, "host"));
    if (!p->method || !p->url || !host) return false;
    size_t len = strlen(host);
    if (host[0] == '[') host[len - 1] = '\0';
    p->host = host[0] == '[' ? host + 1 : host;
    base_json_number(yyjson_obj_get(request, "port"), &number);
    int64_t port = 0;
    if (base_number_int64(&number, &port)) p->port = (unsigned)port;
    yyjson_val *timeout = yyjson_obj_get(params, "timeout");
    if (timeout) p->timeout = strtod(yyjson_get_raw(timeout), NULL);
    return copy_headers(plan, yyjson_obj_get(request, "headers")) && copy_body(plan, params);
}

pf_status pf_http_plan_new(const pf_http *http, const char *params, size_t len, pf_http_plan **out,
                           pf_error *error) {
    struct base_buf text;
    yyjson_val *request, *given;
    base_buf_init(&text, SIZE_MAX);
    *out = NULL;
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return base_no_memory(error);
    base_arena_init(&plan->arena, (size_t)256 << 20);
    pf_status status = http_engine_request(&http->engine, &text, params, len, error);
    if (status == PF_OK)
        status =
            base_json_read(&plan->arena, text.data, text.len, BASE_JSON_DEPTH, &request, error);
    if (status == PF_OK)
        status = base_json_read(&plan->arena, params, len, BASE_JSON_DEPTH, &given, error);
    if (status == PF_OK && !fill(plan, request, given)) status = base_no_memory(error);
    base_buf_free(&text);
    if (status == PF_OK) *out = &plan->shown;
    else pf_http_plan_free(&plan->shown);
    return status;
}

void pf_http_plan_free(pf_http_plan *shown) {
    if (!shown) return;
    struct plan *plan = (struct plan *)shown;
    base_arena_free(&plan->arena);
    free(plan);
}

pf_status pf_http_address(const pf_http *http, const char *url, const char *address,
                          pf_error *error) {
    return http_engine_address(&http->engine, url, address, error);
}

pf_status pf_http_clean(const pf_http *http, const char *data, size_t len, char **out,
                        size_t *out_len, pf_error *error) {
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
