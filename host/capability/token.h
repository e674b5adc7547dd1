/*
 * host/capability/token.h: policies that are signed, can be narrowed by whoever holds them, and by
 * nobody widened. include/pinfold.h offers these functions as pf_token_*, and says what they do.
 *
 * A token is CBOR, [1, [block, …], end]:
 *
 *   block    [payload, signature]: two byte strings
 *   payload  [policy, expires, next, issuer]: the policy's text, seconds since 1970, and two public
 *            keys; the issuer's is empty but in the first block
 *   end      32 bytes: the secret seed whose public key is the last block's `next`; or 64: a
 *            signature by it, when the token is sealed
 *
 * The issuer signs the first block; each further one is signed by the key that the block before it
 * names as `next`, over that block's signature and its own payload. The holder of a token knows
 * only the last seed: so blocks can be added, but neither changed nor taken away.
 */
#ifndef CAP_TOKEN_H
#define CAP_TOKEN_H

#include "pinfold.h"

#define CAP_TOKEN_BLOCKS 16
#define CAP_TOKEN_BYTES  ((size_t)1 << 20)

/* As pf_key_… and pf_token_… in include/pinfold.h. keys.c, token.c */
void cap_key_public(const uint8_t seed[PF_KEY_BYTES], uint8_t public_key[PF_KEY_BYTES]);
/* Signs with a secret seed. */
void cap_key_sign(const uint8_t seed[PF_KEY_BYTES], const void *data, size_t len,
                  uint8_t signature[PF_SIGNATURE_BYTES]);
/* False: not this key's signature of these bytes. */
bool cap_key_verify(const uint8_t public_key[PF_KEY_BYTES], const void *data, size_t len,
                    const uint8_t signature[PF_SIGNATURE_BYTES]);
/* A token of one block; *token is the caller's to free(). */
pf_status cap_token_issue(const uint8_t seed[PF_KEY_BYTES], const char *policy, size_t policy_len,
                          int64_t expires, char **token, size_t *len, pf_error *error);
/* The token with one more block; `expires` -1 keeps the time. */
pf_status cap_token_narrow(const char *token, size_t token_len, const char *policy,
                           size_t policy_len, int64_t expires, char **narrower, size_t *len,
                           pf_error *error);
/* The token without its last seed: nobody can add to it. */
pf_status cap_token_seal(const char *token, size_t token_len, char **sealed, size_t *len,
                         pf_error *error);
/* Checks every signature; *policy is what all blocks together grant. `now` and *expires are in
 * seconds. */
pf_status cap_token_verify(const char *token, size_t token_len, const uint8_t *trusted,
                           size_t count, int64_t now, char **policy, size_t *policy_len,
                           int64_t *expires, pf_error *error);

#endif
