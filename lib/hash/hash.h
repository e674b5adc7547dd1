/*
 * lib/hash/hash.h: MD5, SHA-1 and SHA-2.
 *
 * Used by the digest commands and by JavaScript's crypto. A hash in progress is a plain struct, so
 * that copying one is copying bytes. No allocation, no state elsewhere, no failure; a caller with
 * much data hands it over in pieces and yields between them.
 */
#ifndef PF_HASH_H
#define PF_HASH_H

#include <stddef.h>
#include <stdint.h>

enum pf_hash_kind {
    PF_HASH_MD5,
    PF_HASH_SHA1,
    PF_HASH_SHA224,
    PF_HASH_SHA256,
    PF_HASH_SHA384,
    PF_HASH_SHA512,
    PF_HASH_KINDS
};

enum { PF_HASH_MAX = 64 }; /* bytes of the longest digest */

extern const struct pf_hash_kind_info {
    const char *name;    /* "sha256" */
    uint8_t size, block; /* bytes of the digest, of one block */
} pf_hash_kinds[PF_HASH_KINDS];

typedef struct {
    uint32_t kind;
    uint32_t used;  /* bytes in block */
    uint64_t total; /* bytes so far */
    union {
        uint32_t w[8];
        uint64_t q[8];
    } state;
    uint8_t block[128];
} pf_hash;

/* Begins a hash of this kind; it needs no memory. */
void pf_hash_init(pf_hash *h, enum pf_hash_kind kind);
/* Adds bytes, in pieces of any size. */
void pf_hash_update(pf_hash *h, const void *bytes, size_t len);
/* Writes pf_hash_kinds[h->kind].size bytes; the hash is used up. */
void pf_hash_final(pf_hash *h, uint8_t *out);

#endif
