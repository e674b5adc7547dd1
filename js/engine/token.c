/*
 * js/engine/token.c: signed policies, pf_token_* of include/pinfold.h, for the JavaScript host:
 * src/capability/token.ts.
 *
 * Times are doubles, which hold every second that a Date of JavaScript has.
 */
#include "engine.h"

#include "host/capability/token.h"

#include <stddef.h>
#include <stdint.h>

__attribute__((import_module("host"), import_name("random"))) void host_random(void *to, size_t len);

/* For getentropy() of wasi-libc. */
int32_t __imported_wasi_snapshot_preview1_random_get(int32_t to, int32_t len) {
    host_random((void *)(uintptr_t)to, (size_t)len);
    return 0;
}

EXPORT(pf_engine_key) int engine_key(const uint8_t *seed) {
    uint8_t key[PF_KEY_BYTES];
    engine_begin();
    cap_key_public(seed, key);
    base_buf_add(&engine_answer, key, sizeof key);
    return engine_answer.failed ? PF_NO_MEMORY : PF_OK;
}

EXPORT(pf_engine_token_issue) int engine_token_issue(double expires, const uint8_t *seed,
                                                     const char *policy, size_t policy_len) {
    char *token = NULL;
    size_t len = 0;
    engine_begin();
    pf_status status = cap_token_issue(seed, policy, policy_len, (int64_t)expires, &token, &len,
                                       &engine_last);
    return engine_answer_with(status, token, len);
}

EXPORT(pf_engine_token_narrow) int engine_token_narrow(double expires, const char *token,
                                                       size_t token_len, const char *policy,
                                                       size_t policy_len) {
    char *narrower = NULL;
    size_t len = 0;
    engine_begin();
    pf_status status = cap_token_narrow(token, token_len, policy, policy_len, (int64_t)expires,
                                        &narrower, &len, &engine_last);
    return engine_answer_with(status, narrower, len);
}

EXPORT(pf_engine_token_seal) int engine_token_seal(const char *token, size_t token_len) {
    char *sealed = NULL;
    size_t len = 0;
    engine_begin();
    pf_status status = cap_token_seal(token, token_len, &sealed, &len, &engine_last);
    return engine_answer_with(status, sealed, len);
}

/* The answer: seconds since 1970, a space, the policy. */
EXPORT(pf_engine_token_verify) int engine_token_verify(double now, const char *token,
                                                       size_t token_len, const uint8_t *trusted,
                                                       size_t trusted_len) {
    char *policy = NULL;
    size_t len = 0;
    int64_t expires = 0;
    engine_begin();
    pf_status status =
        cap_token_verify(token, token_len, trusted, trusted_len / PF_KEY_BYTES, (int64_t)now,
                         &policy, &len, &expires, &engine_last);
    if (status == PF_OK) base_buf_addf(&engine_answer, "%lld ", (long long)expires);
    return engine_answer_with(status, policy, len);
}
