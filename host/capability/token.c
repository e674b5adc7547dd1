/*
 * host/capability/token.c: see token.h.
 */
#include "token.h"

#include "cbor.h"
#include "policy.h"

#include "monocypher-ed25519.h"
#include "monocypher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define KEY  PF_KEY_BYTES
#define SIGN PF_SIGNATURE_BYTES

/* What a signature is about goes into what is signed, so that none can be used for the other. */
static const char block_purpose[] = "pinfold token block 1";
static const char seal_purpose[] = "pinfold token seal 1";

struct block {
    const uint8_t *payload, *signature;
    size_t payload_len;
    const char *policy;
    size_t policy_len;
    uint64_t expires;
    const uint8_t *next, *issuer;
};

struct token {
    struct block blocks[CAP_TOKEN_BLOCKS];
    size_t count;
    const uint8_t *end;
    size_t end_len;
};

/* ------------------------------------------------------------------ reading */

static bool read_payload(struct block *block, bool first) {
    struct cbor_reader r = {.at = block->payload, .end = block->payload + block->payload_len};
    size_t next_len, issuer_len;
    if (cbor_get(&r, CBOR_ARRAY) != 4) return false;
    block->policy = (const char *)cbor_get_data(&r, CBOR_TEXT, &block->policy_len);
    block->expires = cbor_get(&r, CBOR_UINT);
    block->next = cbor_get_data(&r, CBOR_BYTES, &next_len);
    block->issuer = cbor_get_data(&r, CBOR_BYTES, &issuer_len);
    return !r.bad && r.at == r.end && next_len == KEY && issuer_len == (first ? KEY : 0) &&
           block->expires <= INT64_MAX;
}

static bool read_token(struct token *token, const char *data, size_t len) {
    struct cbor_reader r = {.at = (const uint8_t *)data, .end = (const uint8_t *)data + len};
    if (len > CAP_TOKEN_BYTES || cbor_get(&r, CBOR_ARRAY) != 3 || cbor_get(&r, CBOR_UINT) != 1)
        return false;
    uint64_t count = cbor_get(&r, CBOR_ARRAY);
    if (count < 1 || count > CAP_TOKEN_BLOCKS) return false; /* 0 when it cannot be read */
    for (token->count = 0; token->count < count; token->count++) {
        struct block *block = &token->blocks[token->count];
        size_t signature_len;
        if (cbor_get(&r, CBOR_ARRAY) != 2) return false;
        block->payload = cbor_get_data(&r, CBOR_BYTES, &block->payload_len);
        block->signature = cbor_get_data(&r, CBOR_BYTES, &signature_len);
        if (signature_len != SIGN || !read_payload(block, token->count == 0)) return false;
    }
    token->end = cbor_get_data(&r, CBOR_BYTES, &token->end_len);
    return r.at == r.end && (token->end_len == KEY || token->end_len == SIGN);
}

/* ------------------------------------------------------------------ signing */

/* What the signature of a block covers; `before` is NULL for the first. */
static bool add_signed(struct base_buf *out, const struct block *before, const void *payload,
                       size_t len) {
    return base_buf_add(out, block_purpose, sizeof block_purpose) &&
           (!before || base_buf_add(out, before->signature, SIGN)) &&
           base_buf_add(out, payload, len);
}

static bool good_signature(const struct block *block, const struct block *before) {
    struct base_buf text;
    base_buf_init(&text, CAP_TOKEN_BYTES * 2);
    bool good = add_signed(&text, before, block->payload, block->payload_len) &&
                crypto_ed25519_check(block->signature, before ? before->next : block->issuer,
                                     (const uint8_t *)text.data, text.len) == 0;
    base_buf_free(&text);
    return good;
}

static void seal_text(uint8_t out[sizeof seal_purpose + SIGN], const struct block *last) {
    memcpy(out, seal_purpose, sizeof seal_purpose);
    memcpy(out + sizeof seal_purpose, last->signature, SIGN);
}

/* Does whoever made the end hold the key that the last block names? */
static bool good_end(const struct token *token) {
    const struct block *last = &token->blocks[token->count - 1];
    if (token->end_len == KEY) {
        uint8_t key[KEY];
        cap_key_public(token->end, key);
        return crypto_verify32(key, last->next) == 0;
    }
    uint8_t text[sizeof seal_purpose + SIGN];
    seal_text(text, last);
    return crypto_ed25519_check(token->end, last->next, text, sizeof text) == 0;
}

/* Appends [payload, signature] of a new block; the seed of its `next` goes into next_seed. */
static bool add_block(struct base_buf *out, const uint8_t seed[KEY], const struct block *before,
                      const char *policy, size_t len, uint64_t expires, uint8_t next_seed[KEY]) {
    struct base_buf payload, text;
    uint8_t issuer[KEY], next[KEY], signature[SIGN];
    base_buf_init(&payload, CAP_TOKEN_BYTES);
    base_buf_init(&text, CAP_TOKEN_BYTES * 2);
    bool ok = getrandom(next_seed, KEY, 0) == KEY;
    cap_key_public(seed, issuer);
    if (ok) cap_key_public(next_seed, next);
    ok = ok && cbor_put(&payload, CBOR_ARRAY, 4) &&
         cbor_put_data(&payload, CBOR_TEXT, policy, len) &&
         cbor_put(&payload, CBOR_UINT, expires) && cbor_put_data(&payload, CBOR_BYTES, next, KEY) &&
         cbor_put_data(&payload, CBOR_BYTES, issuer, before ? 0 : KEY) &&
         add_signed(&text, before, payload.data, payload.len);
    if (ok) {
        cap_key_sign(seed, text.data, text.len, signature);
        ok = cbor_put(out, CBOR_ARRAY, 2) &&
             cbor_put_data(out, CBOR_BYTES, payload.data, payload.len) &&
             cbor_put_data(out, CBOR_BYTES, signature, SIGN);
    }
    out->over |= payload.over;
    base_buf_free(&payload);
    base_buf_free(&text);
    return ok;
}

static bool add_head(struct base_buf *out, size_t blocks) {
    return cbor_put(out, CBOR_ARRAY, 3) && cbor_put(out, CBOR_UINT, 1) &&
           cbor_put(out, CBOR_ARRAY, blocks);
}

static bool add_old_blocks(struct base_buf *out, const struct token *token) {
    bool ok = true;
    for (size_t i = 0; ok && i < token->count; i++) {
        const struct block *block = &token->blocks[i];
        ok = cbor_put(out, CBOR_ARRAY, 2) &&
             cbor_put_data(out, CBOR_BYTES, block->payload, block->payload_len) &&
             cbor_put_data(out, CBOR_BYTES, block->signature, SIGN);
    }
    return ok;
}

/* ------------------------------------------------------------------ checking */

static pf_status malformed(pf_error *error) {
    return base_error(error, PF_INVALID, "the token cannot be read: it is cut short or altered");
}

/* Is the block's authority within that of the one before it? */
static pf_status check_narrower(const struct block *block, const struct block *before,
                                pf_error *error) {
    bool subset = false;
    char *why = NULL;
    if (block->expires > before->expires)
        return base_error(error, PF_INVALID, "the token is widened: it would expire later");
    pf_status status = cap_policy_is_subset(block->policy, block->policy_len, before->policy,
                                            before->policy_len, &subset, &why, error);
    if (status == PF_OK && !subset)
        status = base_error(error, PF_INVALID, "the token is widened: %s", why);
    free(why);
    return status;
}

/* Everything but who the issuer is and what time it is. */
static pf_status check_token(const struct token *token, pf_error *error) {
    for (size_t i = 0; i < token->count; i++) {
        const struct block *before = i ? &token->blocks[i - 1] : NULL;
        if (!good_signature(&token->blocks[i], before))
            return base_error(error, PF_INVALID, "a signature of the token is wrong");
        pf_status status = before ? check_narrower(&token->blocks[i], before, error) : PF_OK;
        if (status != PF_OK) return status;
    }
    if (!good_end(token))
        return base_error(error, PF_INVALID,
                          "the token does not end in the key that its last part names");
    return PF_OK;
}

static pf_status check_new(const char *policy, size_t len, int64_t expires, pf_error *error) {
    if (expires < 0) return base_error(error, PF_INVALID, "a token expires after 1970");
    return cap_policy_check(policy, len, error);
}

/* ------------------------------------------------------------------ the functions */

static pf_status give(struct base_buf *built, bool ok, char **out, size_t *len, pf_error *error) {
    bool over = built->over;
    if (ok) *out = base_buf_take(built, len);
    base_buf_free(built);
    if (ok) return PF_OK;
    return over ? base_error(error, PF_INVALID, "the token would be larger than %zu bytes",
                             CAP_TOKEN_BYTES)
                : base_no_memory(error);
}

pf_status cap_token_issue(const uint8_t seed[PF_KEY_BYTES], const char *policy, size_t policy_len,
                          int64_t expires, char **out, size_t *len, pf_error *error) {
    *out = NULL;
    pf_status status = check_new(policy, policy_len, expires, error);
    if (status != PF_OK) return status;
    struct base_buf built;
    uint8_t next_seed[KEY];
    base_buf_init(&built, CAP_TOKEN_BYTES);
    bool ok = add_head(&built, 1) &&
              add_block(&built, seed, NULL, policy, policy_len, (uint64_t)expires, next_seed) &&
              cbor_put_data(&built, CBOR_BYTES, next_seed, KEY);
    crypto_wipe(next_seed, sizeof next_seed);
    return give(&built, ok, out, len, error);
}

pf_status cap_token_narrow(const char *data, size_t data_len, const char *policy, size_t policy_len,
                           int64_t expires, char **out, size_t *len, pf_error *error) {
    *out = NULL;
    struct token token;
    if (!read_token(&token, data, data_len)) return malformed(error);
    const struct block *last = &token.blocks[token.count - 1];
    if (expires == -1) expires = (int64_t)last->expires;
    pf_status status = check_new(policy, policy_len, expires, error);
    if (status == PF_OK) status = check_token(&token, error);
    if (status != PF_OK) return status;
    if (token.end_len == SIGN)
        return base_error(error, PF_INVALID, "the token is sealed: it cannot be narrowed");
    if (token.count == CAP_TOKEN_BLOCKS)
        return base_error(error, PF_INVALID, "the token was narrowed %d times already",
                          CAP_TOKEN_BLOCKS - 1);
    struct block next = {.policy = policy, .policy_len = policy_len, .expires = (uint64_t)expires};
    status = check_narrower(&next, last, error);
    if (status != PF_OK) return status;
    struct base_buf built;
    uint8_t next_seed[KEY];
    base_buf_init(&built, CAP_TOKEN_BYTES);
    bool ok = add_head(&built, token.count + 1) && add_old_blocks(&built, &token) &&
              add_block(&built, token.end, last, policy, policy_len, next.expires, next_seed) &&
              cbor_put_data(&built, CBOR_BYTES, next_seed, KEY);
    crypto_wipe(next_seed, sizeof next_seed);
    return give(&built, ok, out, len, error);
}

pf_status cap_token_seal(const char *data, size_t data_len, char **out, size_t *len,
                         pf_error *error) {
    *out = NULL;
    struct token token;
    if (!read_token(&token, data, data_len)) return malformed(error);
    pf_status status = check_token(&token, error);
    if (status != PF_OK) return status;
    uint8_t text[sizeof seal_purpose + SIGN], signature[SIGN];
    seal_text(text, &token.blocks[token.count - 1]);
    if (token.end_len == KEY)
        cap_key_sign(token.end, text, sizeof text, signature);
    else
        memcpy(signature, token.end, SIGN);
    struct base_buf built;
    base_buf_init(&built, CAP_TOKEN_BYTES);
    bool ok = add_head(&built, token.count) && add_old_blocks(&built, &token) &&
              cbor_put_data(&built, CBOR_BYTES, signature, SIGN);
    return give(&built, ok, out, len, error);
}

static bool is_trusted(const uint8_t *issuer, const uint8_t *trusted, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(issuer, trusted + i * KEY, KEY) == 0) return true;
    return false;
}

pf_status cap_token_verify(const char *data, size_t data_len, const uint8_t *trusted, size_t count,
                           int64_t now, char **policy, size_t *policy_len, int64_t *expires,
                           pf_error *error) {
    *policy = NULL;
    struct token token;
    if (!read_token(&token, data, data_len)) return malformed(error);
    if (!is_trusted(token.blocks[0].issuer, trusted, count))
        return base_error(error, PF_INVALID, "the token was not issued by a trusted key");
    pf_status status = check_token(&token, error);
    if (status != PF_OK) return status;
    const struct block *last = &token.blocks[token.count - 1];
    if (now >= (int64_t)last->expires)
        return base_error(error, PF_INVALID, "the token is expired, since %lld s",
                          (long long)(now - (int64_t)last->expires));
    *expires = (int64_t)last->expires;
    return cap_policy_normalize(last->policy, last->policy_len, policy, policy_len, error);
}
