/*
 * host/http/engine.c: see engine.h: reading what was granted, and judging addresses.
 */
#include "engine.h"

#include "host/base/error.h"
#include "host/base/json.h"

#include <string.h>

#define CONFIG_MAX ((size_t)8 << 20)

static pf_status read_rules(struct http_engine *e, yyjson_val *list, pf_error *error) {
    if (!yyjson_is_arr(list))
        return base_error(error, PF_INVALID, "\"allow\" is a list of rules");
    e->rules = base_arena_array(&e->arena, yyjson_arr_size(list), sizeof *e->rules);
    if (!e->rules) return base_no_memory(error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        if (!yyjson_is_str(item)) return base_error(error, PF_INVALID, "a rule is a text");
        pf_status status = http_rule_read(&e->rules[e->rule_count], &e->arena, yyjson_get_str(item),
                                          yyjson_get_len(item), true, error);
        if (status != PF_OK) return status;
        e->rule_count++;
    }
    return PF_OK;
}

static pf_status read_addresses(struct http_engine *e, yyjson_val *list, pf_error *error) {
    if (!list) return PF_OK;
    if (!yyjson_is_arr(list))
        return base_error(error, PF_INVALID, "\"addresses\" is a list of networks");
    e->granted = base_arena_array(&e->arena, yyjson_arr_size(list), sizeof *e->granted);
    if (!e->granted) return base_no_memory(error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        const char *text = yyjson_is_str(item) ? yyjson_get_str(item) : "";
        if (!http_network_read(&e->granted[e->granted_count], text, strlen(text)))
            return base_error(
                error, PF_INVALID,
                "\"%.60s\" is no network: they are like 10.0.0.0/8, or one of "
                "loopback, private, link-local, metadata, shared, multicast, reserved",
                text);
        e->granted_count++;
    }
    return PF_OK;
}

/* ---- secrets */

static bool name_is_good(const char *name, size_t len) {
    for (size_t i = 0; i < len; i++) {
        char c = name[i], low = (char)(c | 32);
        if (!(low >= 'a' && low <= 'z') && c != '_' && !(i && c >= '0' && c <= '9')) return false;
    }
    return len > 0 && len <= 40;
}

/* A value that can stand in a header. */
static bool value_is_good(const char *value, size_t len) {
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 0x7f) return false;
    return len >= HTTP_SECRET_MIN && len <= HTTP_SECRET_MAX;
}

static pf_status read_hosts(struct http_engine *e, struct http_secret *s, yyjson_val *list,
                            pf_error *error) {
    struct http_rule *hosts = base_arena_array(&e->arena, yyjson_arr_size(list), sizeof *hosts);
    if (!hosts) return base_no_memory(error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        char rule[HTTP_HOST_MAX + 32];
        struct base_text text;
        base_text_init(&text, rule, sizeof rule);
        const char *host = yyjson_is_str(item) ? yyjson_get_str(item) : "";
        base_text_addf(&text, "%s%s", strstr(host, "://") ? "" : "https://", host);
        struct http_rule *made = &hosts[s->host_count++];
        pf_status status = http_rule_read(made, &e->arena, rule, text.len, false, error);
        if (status == PF_OK && (made->path || strcmp(made->host, "**") == 0))
            status = base_error(error, PF_INVALID,
                                "the secret %s names hosts, like api.example.com: not \"%.100s\"",
                                s->name, host);
        if (status != PF_OK) return status;
    }
    s->hosts = hosts;
    return PF_OK;
}

static pf_status read_headers(struct http_engine *e, struct http_secret *s, yyjson_val *list,
                              pf_error *error) {
    const char **headers = base_arena_array(&e->arena, yyjson_arr_size(list), sizeof *headers);
    if (!headers) return base_no_memory(error);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&iter));) {
        headers[s->header_count] =
            base_arena_copy(&e->arena, yyjson_get_str(item), yyjson_get_len(item));
        if (!yyjson_is_str(item) || !headers[s->header_count++] || yyjson_get_len(item) == 0)
            return base_error(error, PF_INVALID, "the secret %s names headers as texts", s->name);
    }
    s->headers = headers;
    return PF_OK;
}

static pf_status read_secret(struct http_engine *e, yyjson_val *name, yyjson_val *value,
                             pf_error *error) {
    struct http_secret *s = &e->secrets.items[e->secrets.count++];
    yyjson_val *text = yyjson_obj_get(value, "value"), *hosts = yyjson_obj_get(value, "hosts"),
               *headers = yyjson_obj_get(value, "headers");
    if (!name_is_good(yyjson_get_str(name), yyjson_get_len(name)))
        return base_error(
            error, PF_INVALID,
            "a secret has the name of a variable, of at most 40 letters: not \"%.60s\"",
            yyjson_get_str(name));
    s->name = base_arena_copy(&e->arena, yyjson_get_str(name), yyjson_get_len(name));
    if (!yyjson_is_str(text) || !value_is_good(yyjson_get_str(text), yyjson_get_len(text)))
        return base_error(error, PF_INVALID,
                          "the value of the secret %s is not a text of %u to %u bytes on one line",
                          s->name, HTTP_SECRET_MIN, HTTP_SECRET_MAX);
    if (!yyjson_is_arr(hosts) || yyjson_arr_size(hosts) == 0 || !yyjson_is_arr(headers) ||
        yyjson_arr_size(headers) == 0)
        return base_error(error, PF_INVALID,
                          "the secret %s names no hosts or no headers: it could be sent nowhere",
                          s->name);
    s->value_len = yyjson_get_len(text);
    s->value = base_arena_copy(&e->arena, yyjson_get_str(text), s->value_len);
    if (!s->name || !s->value) return base_no_memory(error);
    pf_status status = read_hosts(e, s, hosts, error);
    if (status == PF_OK) status = read_headers(e, s, headers, error);
    if (status == PF_OK && !http_secret_prepare(s, &e->arena)) status = base_no_memory(error);
    return status;
}

static pf_status read_secrets(struct http_engine *e, yyjson_val *object, pf_error *error) {
    if (!object) return PF_OK;
    if (!yyjson_is_obj(object))
        return base_error(error, PF_INVALID, "\"secrets\" is an object, from names to secrets");
    e->secrets.items =
        base_arena_array(&e->arena, yyjson_obj_size(object), sizeof *e->secrets.items);
    if (!e->secrets.items) return base_no_memory(error);
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));) {
        pf_status status = read_secret(e, key, yyjson_obj_iter_get_val(key), error);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

/* ---- the whole */

static pf_status check_keys(yyjson_val *root, pf_error *error) {
    if (!yyjson_is_obj(root)) return base_error(error, PF_INVALID, "this is not a JSON object");
    yyjson_obj_iter iter = yyjson_obj_iter_with(root);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter));)
        if (!base_json_is(key, "allow") && !base_json_is(key, "addresses") &&
            !base_json_is(key, "secrets"))
            return base_error(error, PF_INVALID,
                              "the key \"%.60s\" is not known; there are allow, addresses, secrets",
                              yyjson_get_str(key));
    return PF_OK;
}

pf_status http_engine_read(struct http_engine *out, const char *json, size_t len, pf_error *error) {
    yyjson_val *root;
    *out = (struct http_engine){0};
    base_arena_init(&out->arena, CONFIG_MAX + len * 16);
    pf_status status = base_json_read(&out->arena, json, len, 8, &root, error);
    if (status == PF_OK) status = check_keys(root, error);
    if (status == PF_OK) status = read_rules(out, yyjson_obj_get(root, "allow"), error);
    if (status == PF_OK) status = read_addresses(out, yyjson_obj_get(root, "addresses"), error);
    if (status == PF_OK) status = read_secrets(out, yyjson_obj_get(root, "secrets"), error);
    if (status != PF_OK) http_engine_free(out);
    return status;
}

void http_engine_free(struct http_engine *engine) {
    base_arena_free(&engine->arena);
    *engine = (struct http_engine){0};
}

/* Has a rule the host written out, so that the address it stands for is meant? A number is meant as
 * it is; localhost is this machine. */
static bool is_meant(const struct http_engine *e, const struct http_url *url, const char *class) {
    const char *host = url->text + url->host.at;
    bool local = url->host.len == 9 && memcmp(host, "localhost", 9) == 0;
    if (url->kind == HTTP_HOST_NAME && !(local && strcmp(class, "loopback") == 0)) return false;
    for (size_t i = 0; i < e->rule_count; i++)
        if (e->rules[i].literal && http_rule_matches_origin(&e->rules[i], url)) return true;
    return false;
}

pf_status http_engine_address(const struct http_engine *e, const char *text,
                              const char *address_text, pf_error *error) {
    struct http_url url;
    struct http_address address;
    const char *why;
    if (!http_url_read(&url, text, strlen(text), &why))
        return base_error(error, PF_INVALID, "the URL is not valid: %s", why);
    if (!http_address_read(&address, address_text, strlen(address_text)))
        return base_error(error, PF_INVALID, "\"%.60s\" is no IP address", address_text);
    if (url.kind != HTTP_HOST_NAME) { /* nobody resolves a number to another one */
        struct http_address own;
        if (url.kind == HTTP_HOST_IPV4) own = http_address_of_ipv4(url.address);
        else memcpy(own.bytes, url.address, 16);
        if (memcmp(own.bytes, address.bytes, 16) != 0)
            return base_error(error, PF_DENIED, "%.60s is not the address in the URL",
                              address_text);
    }
    const char *class = http_address_class(&address);
    if (strcmp(class, "public") == 0 || is_meant(e, &url, class)) return PF_OK;
    for (size_t i = 0; i < e->granted_count; i++)
        if (http_network_has(&e->granted[i], &address)) return PF_OK;
    return base_error(error, PF_DENIED,
                      "%.*s is %.60s, a %s address, and those are not granted", (int)url.host.len,
                      url.text + url.host.at, address_text, class);
}
