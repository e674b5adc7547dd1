/*
 * host/capability/keys.c: Ed25519 (RFC 8032) for tokens, by Monocypher.
 */
#include "token.h"

#include "monocypher-ed25519.h"
#include "monocypher.h"

#include <string.h>

static void expand(const uint8_t seed[PF_KEY_BYTES], uint8_t secret[64],
                   uint8_t public_key[PF_KEY_BYTES]) {
    uint8_t copy[PF_KEY_BYTES]; /* Monocypher wipes the seed it is given */
    memcpy(copy, seed, sizeof copy);
    crypto_ed25519_key_pair(secret, public_key, copy);
}

void cap_key_public(const uint8_t seed[PF_KEY_BYTES], uint8_t public_key[PF_KEY_BYTES]) {
    uint8_t secret[64];
    expand(seed, secret, public_key);
    crypto_wipe(secret, sizeof secret);
}

void cap_key_sign(const uint8_t seed[PF_KEY_BYTES], const void *data, size_t len,
                  uint8_t signature[PF_SIGNATURE_BYTES]) {
    uint8_t secret[64], public_key[PF_KEY_BYTES];
    expand(seed, secret, public_key);
    crypto_ed25519_sign(signature, secret, data, len);
    crypto_wipe(secret, sizeof secret);
}

bool cap_key_verify(const uint8_t public_key[PF_KEY_BYTES], const void *data, size_t len,
                    const uint8_t signature[PF_SIGNATURE_BYTES]) {
    return crypto_ed25519_check(signature, public_key, data, len) == 0;
}
