/*
 * digest.h: every digest and checksum behind one interface.
 *
 * digest_kind.c computes them; digest_check.c reads lists of them (-c); digest.c and cksum.c are
 * the commands.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include "g_program.h"

enum digest_kind {
    DIGEST_MD5, /* these six as enum pf_hash_kind */
    DIGEST_SHA1,
    DIGEST_SHA224,
    DIGEST_SHA256,
    DIGEST_SHA384,
    DIGEST_SHA512,
    DIGEST_SM3,
    DIGEST_BLAKE2B,
    DIGEST_CRC,
    DIGEST_BSD,
    DIGEST_SYSV,
    DIGEST_KINDS
};

enum { DIGEST_MAX = 64 };

/* How the digest is called in a list: "SHA256", "BLAKE2b". */
const char *digest_name(enum digest_kind kind);

typedef struct {
    uint8_t bytes[DIGEST_MAX];
    size_t size;       /* of a digest in bytes */
    uint32_t checksum; /* of CRC, BSD and SYSV */
    uint64_t length;   /* bytes of the file */
} digest;

/* Reads fd to its end. `size` is that of BLAKE2b. 0 or an errno value. */
int digest_read(int fd, enum digest_kind kind, size_t size, digest *out);
/* Opens and reads the operand ("-": standard input); says what went wrong and returns false. */
bool digest_file(const char *name, enum digest_kind kind, size_t size, digest *out);

/* A name as lists show it: \n, \r and \ are escaped; *escaped tells whether there were any. */
char *digest_escape_name(const char *name, bool *escaped);
void digest_put_hex(const digest *d); /* Prints its bytes as hexadecimal digits. */
/* "SHA256 (NAME) = HEX", as lists with --tag have it. */
void digest_put_tagged(enum digest_kind kind, const digest *d, const char *shown);

typedef struct {
    enum digest_kind kind;
    bool any_kind;   /* cksum -c: what the lines say */
    size_t size;     /* in bytes */
    bool fixed_size; /* b2sum -l: no other size is taken */
    bool quiet, status_only, strict, warn, ignore_missing;
    char end;
} digest_check;

/* Verifies the files that the list names; false when something did not agree. */
bool digest_check_list(const digest_check *c, const char *list);
/* For a command that verifies nothing: an option that only verifying knows is wrong usage. */
void digest_check_unused(const digest_check *c);

#endif
