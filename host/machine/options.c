/*
 * host/machine/options.c: takes the embedder's settings and checks each at once.
 */
#include "machine.h"

#include <monocypher.h>
#include <stdlib.h>
#include <string.h>

static const char *const default_env[] = {
    "PATH=/usr/bin:/bin:/tools/bin", "HOME=/workspace", "USER=user", "LOGNAME=user",
    "SHELL=/bin/bash", "LANG=C.UTF-8", "TZ=UTC", "HOSTNAME=pinfold",
};

static bool add_env(pf_options *o, const char *text, size_t len) {
    char *more = realloc(o->env, o->env_len + len + 1);
    if (!more) return false;
    memcpy(more + o->env_len, text, len);
    more[o->env_len + len] = '\0';
    o->env = more;
    o->env_len += len + 1;
    o->env_count++;
    return true;
}

pf_options *pf_options_new(void) {
    pf_options *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->limits = machine_default_limits;
    bool ok = cap_gate_new(&o->gate, NULL) == PF_OK;
    for (size_t i = 0; ok && i < sizeof default_env / sizeof *default_env; i++)
        ok = add_env(o, default_env[i], strlen(default_env[i]));
    if (!ok) {
        pf_options_free(o);
        return NULL;
    }
    return o;
}

void pf_options_free(pf_options *o) {
    if (!o) return;
    cap_gate_free(o->gate);
    free(o->env);
    free(o->prelude);
    free(o->policy);
    free(o->record_path);
    machine_forget_requests(o->mounts);
    free(o);
}

pf_status pf_options_limit(pf_options *o, const char *name, uint64_t value, pf_error *error) {
    uint64_t *limit = machine_limit(&o->limits, name);
    if (!limit)
        return base_error(error, PF_INVALID, "there is no limit \"%.64s\"; the limits are: %s",
                             name, machine_limit_names());
    *limit = value;
    return PF_OK;
}

uint64_t pf_options_limit_of(const pf_options *o, const char *name) {
    struct machine_limits limits = o->limits;
    const uint64_t *limit = machine_limit(&limits, name);
    return limit ? *limit : 0;
}

/* Removes NAME=… if it is there. */
static void drop_env(pf_options *o, const char *name, size_t name_len) {
    for (size_t at = 0; at < o->env_len;) {
        size_t len = strlen(o->env + at) + 1;
        if (strncmp(o->env + at, name, name_len) == 0 && o->env[at + name_len] == '=') {
            memmove(o->env + at, o->env + at + len, o->env_len - at - len);
            o->env_len -= len;
            o->env_count--;
            return;
        }
        at += len;
    }
}

pf_status pf_options_env(pf_options *o, const char *name, const char *value, pf_error *error) {
    size_t n = strlen(name), v = strlen(value);
    if (n == 0 || strchr(name, '='))
        return base_error(error, PF_INVALID,
                             "\"%.64s\" cannot be the name of an environment variable", name);
    if (n + v > PF_MESSAGE_IN_MAX / 4 || o->env_len + n + v > PF_MESSAGE_IN_MAX / 2)
        return base_error(error, PF_INVALID, "the environment is larger than %u bytes",
                             PF_MESSAGE_IN_MAX / 2);
    char *text = malloc(n + v + 2);
    if (!text) return base_no_memory(error);
    memcpy(text, name, n);
    text[n] = '=';
    memcpy(text + n + 1, value, v + 1);
    drop_env(o, name, n);
    bool ok = add_env(o, text, n + v + 1);
    free(text);
    o->env_changed = true;
    return ok ? PF_OK : base_no_memory(error);
}

pf_status pf_options_tool(pf_options *o, const char *name, const char *description,
                          const char *schema, size_t schema_len, pf_error *error) {
    return cap_gate_add_tool(o->gate, name, description ? description : "", schema ? schema : "",
                             schema ? schema_len : 0, error);
}

pf_status pf_options_policy(pf_options *o, const char *json, size_t len, pf_error *error) {
    char *copy = malloc(len + 1);
    if (!copy) return base_no_memory(error);
    pf_status status = cap_gate_set_policy(o->gate, json, len, error);
    if (status != PF_OK) {
        free(copy);
        return status;
    }
    memcpy(copy, json, len);
    copy[len] = '\0';
    free(o->policy);
    o->policy = copy;
    o->policy_len = len;
    return PF_OK;
}

void pf_options_catch_all(pf_options *o, bool on) { cap_gate_set_catch_all(o->gate, on); }

void pf_options_clock(pf_options *o, int64_t unix_ns) {
    o->clock_fixed = true;
    o->clock_ns = unix_ns;
}

void pf_options_seed(pf_options *o, uint64_t seed) {
    o->seed_fixed = true;
    o->seed = seed;
}

static pf_status hash_key(uint8_t hash[MACHINE_KEY], const void *key, size_t len, pf_error *error) {
    static const char purpose[] = "pinfold snapshot key";
    if (len < 16)
        return base_error(error, PF_INVALID,
                          "a key of %zu bytes can be guessed; it must have 16 or more", len);
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, MACHINE_KEY);
    crypto_blake2b_update(&ctx, (const uint8_t *)purpose, sizeof purpose);
    crypto_blake2b_update(&ctx, key, len);
    crypto_blake2b_final(&ctx, hash);
    return PF_OK;
}

pf_status pf_options_key(pf_options *o, const void *key, size_t len, pf_error *error) {
    pf_status status = hash_key(o->key, key, len, error);
    if (status == PF_OK) o->keyed = true;
    return status;
}

pf_status pf_sandbox_key(pf_sandbox *s, const void *key, size_t len, pf_error *error) {
    pf_status status = machine_take(s, error);
    if (status != PF_OK) return status;
    if (key) status = hash_key(s->key, key, len, error);
    if (status == PF_OK) s->keyed = key != NULL;
    machine_give(s);
    return status;
}

void pf_options_min_counter(pf_options *o, uint64_t counter) { o->min_counter = counter; }

pf_status pf_options_js_prelude(pf_options *o, const char *code, size_t len, pf_error *error) {
    char *copy = malloc(len + 1);
    if (!copy) return base_no_memory(error);
    memcpy(copy, code, len);
    copy[len] = '\0';
    free(o->prelude);
    o->prelude = copy;
    o->prelude_len = len;
    return PF_OK;
}
