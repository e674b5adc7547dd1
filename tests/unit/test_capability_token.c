/*
 * tests/unit/test_capability_token.c: what a holder can do who does not use cap_token_narrow(), but
 * writes blocks of his own. Includes token.c to write them; the rest is in
 * python/tests/test_tokens.py.
 */
#include "host/capability/token.c"

#include "check.h"

#define POLICY(method) "{\"capabilities\":[{\"method\":\"" method "\",\"max_calls\":5}]}"

static const uint8_t issuer_seed[KEY] = {1, 2, 3};
static const char *const wide = POLICY("bank/**"), *const tight = POLICY("bank/pay");

/* A token with a block for each policy, each signed as it should be, whatever it says. */
static char *forge(const char *const *policies, const uint64_t *expires, size_t count,
                   size_t *len) {
    struct base_buf blocks, whole;
    struct token token = {.count = 0};
    uint8_t seed[KEY], next[KEY];
    char *made = NULL;
    memcpy(seed, issuer_seed, KEY);
    for (size_t i = 0; i < count; i++) {
        base_buf_init(&blocks, CAP_TOKEN_BYTES);
        base_buf_init(&whole, CAP_TOKEN_BYTES);
        const struct block *before = i ? &token.blocks[i - 1] : NULL;
        CHECK(add_block(&blocks, seed, before, policies[i], strlen(policies[i]), expires[i], next));
        CHECK(add_head(&whole, i + 1) && add_old_blocks(&whole, &token) &&
              base_buf_add(&whole, blocks.data, blocks.len) &&
              cbor_put_data(&whole, CBOR_BYTES, next, KEY));
        char *old = made;
        made = base_buf_take(&whole, len);
        memcpy(seed, next, KEY);
        token = (struct token){.count = 0};
        CHECK(read_token(&token, made, *len));
        free(old);
        base_buf_free(&blocks);
    }
    return made;
}

/* Verifies at time 10; `words` is NULL when it must be good. */
static void verifies(const char *data, size_t len, const char *words) {
    uint8_t key[KEY];
    char *policy;
    size_t policy_len;
    int64_t expires;
    pf_error error = {0};
    cap_key_public(issuer_seed, key);
    pf_status status =
        cap_token_verify(data, len, key, 1, 10, &policy, &policy_len, &expires, &error);
    CHECK_EQ(status, words ? PF_INVALID : PF_OK);
    bool told = !words || strstr(error.message, words);
    if (!told) fprintf(stderr, "%s\n", error.message);
    CHECK(told);
    free(policy);
}

static void test_blocks(void) {
    static const struct {
        const char *policies[3];
        uint64_t expires[3];
        size_t count;
        const char *words;
    } cases[] = {
        {{POLICY("bank/**")}, {20}, 1, NULL},
        {{POLICY("bank/**"), POLICY("bank/pay")}, {20, 20}, 2, NULL},
        {{POLICY("bank/**"), POLICY("bank/pay"), POLICY("bank/pay")}, {20, 20, 15}, 3, NULL},
        {{POLICY("bank/pay"), POLICY("bank/**")}, {20, 20}, 2, "widened"},
        {{POLICY("bank/**"), POLICY("bank/pay"), POLICY("bank/**")}, {20, 20, 20}, 3, "widened"},
        {{POLICY("bank/**"), POLICY("bank/pay")}, {20, 21}, 2, "expire later"},
        {{POLICY("bank/**"), POLICY("bank/pay"), POLICY("bank/pay")}, {30, 20, 25}, 3, "later"},
        {{POLICY("bank/**"), POLICY("bank/pay")}, {20, 10}, 2, "expired"},
        {{"{\"capabilities\":[{\"method\":\"a\",\"max\":1}]}"}, {20}, 1, "max"},
        {{POLICY("bank/**"), "nonsense"}, {20, 20}, 2, "policy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len;
        char *made = forge(cases[i].policies, cases[i].expires, cases[i].count, &len);
        verifies(made, len, cases[i].words);
        free(made);
    }
}

/* The blocks of one token do not go into another, though both are good. */
static void test_blocks_of_others(void) {
    const uint64_t expires[] = {20, 20};
    const char *const policies[] = {wide, tight};
    size_t a_len, b_len, len;
    char *a = forge(policies, expires, 2, &a_len), *b = forge(policies, expires, 2, &b_len);
    struct token first, second;
    CHECK(read_token(&first, a, a_len) && read_token(&second, b, b_len));
    first.blocks[1] = second.blocks[1];
    struct base_buf mixed;
    base_buf_init(&mixed, CAP_TOKEN_BYTES);
    CHECK(add_head(&mixed, 2) && add_old_blocks(&mixed, &first) &&
          cbor_put_data(&mixed, CBOR_BYTES, second.end, KEY));
    char *made = base_buf_take(&mixed, &len);
    verifies(made, len, "signature");
    free(made);
    free(a);
    free(b);
}

static void test_one_spelling(void) {
    static const struct {
        const char *data;
        size_t len;
        enum cbor_kind kind;
        bool good;
    } cases[] = {
        {"\x00", 1, CBOR_UINT, true},
        {"\x17", 1, CBOR_UINT, true},
        {"\x18\x18", 2, CBOR_UINT, true},
        {"\x18\x17", 2, CBOR_UINT, false},
        {"\x19\x00\xff", 3, CBOR_UINT, false},
        {"\x19\x01\x00", 3, CBOR_UINT, true},
        {"\x1a\x00\x00\xff\xff", 5, CBOR_UINT, false},
        {"\x1b\x00\x00\x00\x00\xff\xff\xff\xff", 9, CBOR_UINT, false},
        {"\x1b\x00\x00\x00\x01\x00\x00\x00\x00", 9, CBOR_UINT, true},
        {"\x1c", 1, CBOR_UINT, false},
        {"\x9f\xff", 2, CBOR_ARRAY, false},
        {"\x19\x01", 2, CBOR_UINT, false},
        {"", 0, CBOR_UINT, false},
        {"\x40", 1, CBOR_UINT, false},
        {"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", 9, CBOR_BYTES, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cbor_reader r = {.at = (const uint8_t *)cases[i].data,
                                .end = (const uint8_t *)cases[i].data + cases[i].len};
        size_t len;
        if (cases[i].kind == CBOR_BYTES)
            cbor_get_data(&r, CBOR_BYTES, &len);
        else
            cbor_get(&r, cases[i].kind);
        CHECK_EQ(!r.bad, cases[i].good);
    }
}

int main(void) {
    test_blocks();
    test_blocks_of_others();
    test_one_spelling();
    return check_report();
}
