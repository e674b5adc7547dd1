/*
 * Any bytes as a token, or a good one with bytes changed: nobody gets more out of it than its
 * issuer and its holders put in.
 *
 * First byte: 0 raw bytes; 1..6 a token (as issued, narrowed, narrowed twice; then the same sealed)
 * with changes (offset u16, xor u8)…
 */
#include "fuzz.h"
#include "host/capability/policy.h"
#include "host/capability/token.h"

#include <string.h>

enum { TOKENS = 6, EXPIRES = 2000000000 };

static const char *const policies[] = {
    "{\"capabilities\":[{\"method\":\"a/**\"},{\"method\":\"b\",\"max_calls\":5}]}",
    "{\"capabilities\":[{\"method\":\"a/x\",\"constraints\":{\"n\":\"<=10\"}}]}",
    "{\"capabilities\":[{\"method\":\"a/x\",\"constraints\":{\"n\":\"<=3\"}}]}",
};
static uint8_t seed[PF_KEY_BYTES] = {7, 1, 2, 3}, key[PF_KEY_BYTES];
static struct {
    char *data;
    size_t len;
} tokens[TOKENS];

static void set_up(void) {
    cap_key_public(seed, key);
    for (int i = 0; i < TOKENS / 2; i++) {
        const char *policy = policies[i];
        pf_status status =
            i == 0 ? cap_token_issue(seed, policy, strlen(policy), EXPIRES, &tokens[0].data,
                                     &tokens[0].len, NULL)
                   : cap_token_narrow(tokens[i - 1].data, tokens[i - 1].len, policy, strlen(policy),
                                      EXPIRES - i, &tokens[i].data, &tokens[i].len, NULL);
        MUST(status == PF_OK);
        MUST(cap_token_seal(tokens[i].data, tokens[i].len, &tokens[i + 3].data, &tokens[i + 3].len,
                            NULL) == PF_OK);
    }
}

/* What it grants is within policy `most`, if it grants anything. */
static bool grants_at_most(const char *data, size_t len, const char *most) {
    char *policy = NULL;
    size_t policy_len = 0;
    int64_t expires = 0;
    pf_error error;
    pf_status status =
        cap_token_verify(data, len, key, 1, EXPIRES - 10, &policy, &policy_len, &expires, &error);
    MUST((status == PF_OK) == (policy != NULL));
    MUST(status == PF_OK || (status == PF_INVALID && error.message[0]));
    if (status != PF_OK) return false;
    bool inside = false;
    MUST(cap_policy_is_subset(policy, policy_len, most, strlen(most), &inside, NULL, NULL) ==
         PF_OK);
    MUST(inside && expires <= EXPIRES);
    free(policy);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!tokens[0].data) set_up();
    if (size == 0) return 0;
    int which = data[0] ? (data[0] - 1) % TOKENS : -1;
    const char *most = policies[which < 0 ? 0 : which % 3];
    size_t len = which < 0 ? size - 1 : tokens[which].len;
    char *bytes = malloc(len + 1), *more;
    size_t more_len;
    MUST(bytes);
    memcpy(bytes, which < 0 ? (const char *)data + 1 : tokens[which].data, len);
    bool changed = which < 0;
    for (size_t i = 1; which >= 0 && i + 3 <= size; i += 3) {
        bytes[(size_t)(data[i] | data[i + 1] << 8) % len] ^= (char)data[i + 2];
    }
    changed = changed || memcmp(bytes, tokens[which].data, len) != 0;
    bool good = grants_at_most(bytes, len, most);
    MUST(changed || good);
    if (cap_token_narrow(bytes, len, policies[2], strlen(policies[2]), -1, &more, &more_len,
                         NULL) == PF_OK) {
        MUST(which < 0 || which < TOKENS / 2); /* a sealed one is narrowed no more */
        grants_at_most(more, more_len, policies[2]);
        free(more);
    }
    if (cap_token_seal(bytes, len, &more, &more_len, NULL) == PF_OK) {
        grants_at_most(more, more_len, most);
        free(more);
    }
    free(bytes);
    return 0;
}
