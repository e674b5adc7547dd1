/*
 * tests/unit/test_capability_token.c: what a holder can do who does not use cap_token_narrow(), but
 * writes blocks of his own. Includes token.c to write them; the rest is in
 * python/tests/test_tokens.py.
 */
#include <sys/random.h>

static int no_random;
static ssize_t some_random(void *to, size_t len, unsigned flags) {
    return no_random ? -1 : getrandom(to, len, flags);
}
#define getrandom some_random
#include "host/capability/token.c"
#undef getrandom

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
        {"\x1c" "0123456789abcdef", 17, CBOR_UINT, false},
        {"\x43" "ab", 3, CBOR_BYTES, false},
        {"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", 9, CBOR_BYTES, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cbor_reader r = {.at = (const uint8_t *)cases[i].data,
                                .end = (const uint8_t *)cases[i].data + cases[i].len};
        size_t len;
        const uint8_t *at = r.at;
        if (cases[i].kind == CBOR_BYTES)
            CHECK(!cbor_get_data(&r, CBOR_BYTES, &len) && len == 0 && r.at <= r.end && r.at > at);
        else
            cbor_get(&r, cases[i].kind);
        CHECK_EQ(!r.bad, cases[i].good);
        static const uint8_t five[] = {5};
        r = (struct cbor_reader){five, five + 1, !cases[i].good};
        CHECK_EQ(cbor_get(&r, CBOR_UINT), cases[i].good ? 5 : 0); /* once bad, always */
    }
    static const uint64_t numbers[] = {0,     1,     23,         24,         255,       256,
                                       65535, 65536, UINT32_MAX, 1ull << 32, UINT64_MAX};
    static const size_t lengths[] = {1, 1, 1, 2, 2, 3, 3, 5, 5, 9, 9};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct base_buf out;
        base_buf_init(&out, 100);
        CHECK(cbor_put(&out, CBOR_UINT, numbers[i]) && out.len == lengths[i]);
        struct cbor_reader r = {.at = (const uint8_t *)out.data,
                                .end = (const uint8_t *)out.data + out.len};
        CHECK(cbor_get(&r, CBOR_UINT) == numbers[i] && !r.bad && r.at == r.end);
        base_buf_free(&out);
    }
}

/* ---- what is signed as it should be, but is no token */

struct payload {
    const char *policy;
    uint64_t expires;
    size_t next, issuer; /* bytes of the keys; issuer 99: none at all */
    size_t behind;       /* bytes behind them */
};

/* A token of these blocks, each signed by hand: what its signature is about is spelt here. */
static char *spelt(const struct payload *blocks, uint64_t count, uint64_t said,
                   size_t signature_len, size_t end_len, size_t behind, size_t *len) {
    static const char purpose[] = "pinfold token block 1";
    struct base_buf whole;
    uint8_t seed[KEY], next_seed[KEY] = {9, 9}, keys[KEY + 1] = {0}, signature[SIGN + 1] = {0};
    memcpy(seed, issuer_seed, KEY);
    base_buf_init(&whole, 2 << 20);
    CHECK(cbor_put(&whole, CBOR_ARRAY, 3) && cbor_put(&whole, CBOR_UINT, 1) &&
          cbor_put(&whole, CBOR_ARRAY, said));
    for (size_t i = 0; i < count; i++) {
        struct base_buf payload, text;
        base_buf_init(&payload, 2 << 20);
        base_buf_init(&text, 2 << 20);
        next_seed[0]++;
        CHECK(cbor_put(&payload, CBOR_ARRAY, 4) &&
              cbor_put_data(&payload, CBOR_TEXT, blocks[i].policy, strlen(blocks[i].policy)) &&
              cbor_put(&payload, CBOR_UINT, blocks[i].expires));
        cap_key_public(next_seed, keys);
        CHECK(cbor_put_data(&payload, CBOR_BYTES, keys, blocks[i].next));
        cap_key_public(seed, keys);
        if (blocks[i].issuer != 99)
            CHECK(cbor_put_data(&payload, CBOR_BYTES, keys, blocks[i].issuer));
        CHECK(base_buf_add(&payload, "more", blocks[i].behind));
        CHECK(base_buf_add(&text, purpose, sizeof purpose));
        if (i) CHECK(base_buf_add(&text, signature, SIGN));
        CHECK(base_buf_add(&text, payload.data, payload.len));
        cap_key_sign(seed, text.data, text.len, signature);
        CHECK(cbor_put(&whole, CBOR_ARRAY, 2) &&
              cbor_put_data(&whole, CBOR_BYTES, payload.data, payload.len) &&
              cbor_put_data(&whole, CBOR_BYTES, signature, signature_len));
        memcpy(seed, next_seed, KEY);
        base_buf_free(&payload);
        base_buf_free(&text);
    }
    uint8_t end[SIGN + 1] = {0};
    memcpy(end, seed, KEY);
    if (end_len >= SIGN) {
        static const char seal[] = "pinfold token seal 1";
        uint8_t sealed[sizeof seal + SIGN];
        memcpy(sealed, seal, sizeof seal);
        memcpy(sealed + sizeof seal, signature, SIGN);
        cap_key_sign(seed, sealed, sizeof sealed, end);
    }
    CHECK(cbor_put_data(&whole, CBOR_BYTES, end, end_len) &&
          base_buf_add(&whole, "more", behind));
    return base_buf_take(&whole, len);
}

static void reads(const struct payload *blocks, uint64_t count, uint64_t said, size_t signature_len,
                  size_t end_len, size_t behind, const char *words) {
    size_t len;
    char *made = spelt(blocks, count, said, signature_len, end_len, behind, &len);
    verifies(made, len, words);
    free(made);
}

static void test_spelling(void) {
    const char *unread = "cannot be read";
    struct payload good = {wide, 20, KEY, KEY, 0}, more = {tight, 20, KEY, 0, 0};
    struct payload two[2] = {good, more}, bad;
    reads(&good, 1, 1, SIGN, KEY, 0, NULL);
    reads(&good, 1, 1, SIGN, SIGN, 0, NULL);
    reads(two, 2, 2, SIGN, KEY, 0, NULL);
    reads(two, 2, 2, SIGN, SIGN, 0, NULL);
    reads(&good, 1, 1, SIGN - 1, KEY, 0, unread);
    reads(&good, 1, 1, SIGN + 1, KEY, 0, unread);
    reads(&good, 1, 1, SIGN, KEY - 1, 0, unread);
    reads(&good, 1, 1, SIGN, KEY + 1, 0, unread);
    reads(&good, 1, 1, SIGN, SIGN + 1, 0, unread);
    reads(&good, 1, 1, SIGN, KEY, 1, unread);
    reads(&good, 0, 0, SIGN, KEY, 0, unread);
    reads(&good, 1, 2, SIGN, KEY, 0, unread);
    bad = good, bad.behind = 1, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    bad = good, bad.next = KEY - 1, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    bad = good, bad.next = KEY + 1, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    bad = good, bad.issuer = KEY - 1, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    bad = good, bad.issuer = 0, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    bad = good, bad.expires = INT64_MAX, reads(&bad, 1, 1, SIGN, KEY, 0, NULL);
    bad = good, bad.expires = 1ull << 63, reads(&bad, 1, 1, SIGN, KEY, 0, unread);
    two[1].issuer = KEY, reads(two, 2, 2, SIGN, KEY, 0, unread);
    two[1].issuer = 99, reads(two, 2, 2, SIGN, KEY, 0, unread);
    struct payload many[CAP_TOKEN_BLOCKS + 1] = {good};
    for (size_t i = 1; i <= CAP_TOKEN_BLOCKS; i++) many[i] = more;
    reads(many, CAP_TOKEN_BLOCKS, CAP_TOKEN_BLOCKS, SIGN, KEY, 0, NULL);
    reads(many, CAP_TOKEN_BLOCKS + 1, CAP_TOKEN_BLOCKS + 1, SIGN, KEY, 0, unread);
    static char longest[CAP_TOKEN_BYTES + 2];
    size_t len, most = CAP_TOKEN_BYTES;
    good.policy = longest;
    memset(longest, ' ', most - 300);
    memcpy(longest, wide, strlen(wide));
    char *made = spelt(&good, 1, 1, SIGN, KEY, 0, &len);
    free(made);
    memset(longest + strlen(longest), ' ', most - len);
    reads(&good, 1, 1, SIGN, KEY, 0, NULL);
    longest[strlen(longest)] = ' ';
    reads(&good, 1, 1, SIGN, KEY, 0, unread);
}

/* ---- what the issuer and the holder do */

static void fails(pf_status status, const pf_error *error, const char *out, const char *words) {
    CHECK_EQ(status, PF_INVALID);
    CHECK(!out);
    if (!strstr(error->message, words)) fprintf(stderr, "%s\n", error->message);
    CHECK(strstr(error->message, words) != NULL);
}

static void test_faces(void) {
    char *token, *narrow, *sealed, *none;
    size_t len, narrow_len, sealed_len, none_len;
    pf_error e = {0};
    pf_status s = cap_token_issue(issuer_seed, wide, strlen(wide), -1, &none, &none_len, &e);
    fails(s, &e, none, "after 1970");
    s = cap_token_issue(issuer_seed, "{}", 2, 20, &none, &none_len, &e);
    fails(s, &e, none, "capabilities");
    CHECK_EQ(cap_token_issue(issuer_seed, wide, strlen(wide), 0, &none, &none_len, &e), PF_OK);
    verifies(none, none_len, "expired");
    free(none);
    CHECK_EQ(cap_token_issue(issuer_seed, wide, strlen(wide), 20, &token, &len, &e), PF_OK);
    verifies(token, len, NULL);
    CHECK_EQ(cap_token_narrow(token, len, tight, strlen(tight), -1, &narrow, &narrow_len, &e),
             PF_OK);
    verifies(narrow, narrow_len, NULL);
    CHECK_EQ(cap_token_seal(narrow, narrow_len, &sealed, &sealed_len, &e), PF_OK);
    verifies(sealed, sealed_len, NULL);
    CHECK_EQ(cap_token_seal(sealed, sealed_len, &none, &none_len, &e), PF_OK); /* as it is */
    CHECK(none_len == sealed_len && memcmp(none, sealed, none_len) == 0);
    free(none);
    s = cap_token_narrow(token, len, tight, strlen(tight), -2, &none, &none_len, &e);
    fails(s, &e, none, "after 1970");
    s = cap_token_narrow(token, len, tight, strlen(tight), 21, &none, &none_len, &e);
    fails(s, &e, none, "expire later");
    s = cap_token_narrow(narrow, narrow_len, wide, strlen(wide), -1, &none, &none_len, &e);
    fails(s, &e, none, "widened");
    s = cap_token_narrow(token, len, "{}", 2, -1, &none, &none_len, &e);
    fails(s, &e, none, "capabilities");
    s = cap_token_narrow(sealed, sealed_len, tight, strlen(tight), -1, &none, &none_len, &e);
    fails(s, &e, none, "sealed");
    s = cap_token_narrow(token, len - 1, tight, strlen(tight), -1, &none, &none_len, &e);
    fails(s, &e, none, "cannot be read");
    s = cap_token_seal(token, len - 1, &none, &none_len, &e);
    fails(s, &e, none, "cannot be read");
    token[len - 1] ^= 1; /* another key than the one that is named */
    verifies(token, len, "does not end in the key");
    s = cap_token_narrow(token, len, tight, strlen(tight), -1, &none, &none_len, &e);
    fails(s, &e, none, "does not end in the key");
    s = cap_token_seal(token, len, &none, &none_len, &e);
    fails(s, &e, none, "does not end in the key");
    sealed[sealed_len - 1] ^= 1;
    verifies(sealed, sealed_len, "does not end in the key");
    verifies(token, len - 1, "cannot be read");
    free(token);
    free(narrow);
    free(sealed);
}

static void test_ends_of_what_can_be(void) {
    static char large[CAP_TOKEN_BYTES + 10];
    const uint8_t other[KEY] = {7};
    char *token, *out;
    size_t len, out_len;
    int64_t expires;
    pf_error e = {0};
    memset(large, ' ', sizeof large - 1);
    memcpy(large, wide, strlen(wide));
    pf_status s = cap_token_issue(issuer_seed, large, strlen(large), 20, &out, &out_len, &e);
    fails(s, &e, out, "larger than");
    CHECK_EQ(cap_token_issue(other, wide, strlen(wide), 20, &token, &len, &e), PF_OK);
    verifies(token, len, "not issued by a trusted key");
    uint8_t keys[2 * KEY];
    cap_key_public(issuer_seed, keys);
    cap_key_public(other, keys + KEY);
    CHECK_EQ(cap_token_verify(token, len, keys, 2, 19, &out, &out_len, &expires, &e), PF_OK);
    CHECK_EQ(expires, 20);
    free(out);
    s = cap_token_verify(token, len, keys, 2, 20, &out, &out_len, &expires, &e);
    fails(s, &e, out, "expired");
    for (int i = 1; i < (int)CAP_TOKEN_BLOCKS; i++) {
        CHECK_EQ(cap_token_narrow(token, len, wide, strlen(wide), -1, &out, &out_len, &e), PF_OK);
        free(token);
        token = out;
        len = out_len;
    }
    s = cap_token_narrow(token, len, wide, strlen(wide), -1, &out, &out_len, &e);
    fails(s, &e, out, "narrowed");
    free(token);
    no_random = 1; /* without chance there is no key */
    out = NULL;
    s = cap_token_issue(issuer_seed, wide, strlen(wide), 20, &out, &out_len, &e);
    CHECK(s != PF_OK && !out);
    no_random = 0;
}

int main(void) {
    test_blocks();
    test_blocks_of_others();
    test_one_spelling();
    test_spelling();
    test_faces();
    test_ends_of_what_can_be();
    return check_report();
}
