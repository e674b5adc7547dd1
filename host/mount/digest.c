/*
 * host/mount/digest.c: digests of a file's contents. See mount.h.
 *
 * The size, and a BLAKE2b over the blocks that are not zero, with their places: so that holes cost
 * nothing, and where they are makes no difference.
 */
#include "mount.h"

#include <monocypher.h>
#include <string.h>

#define BLOCK 4096u
#define SIZE_BYTES 8

static void put_number(uint8_t to[SIZE_BYTES], uint64_t number) {
    for (int i = 0; i < SIZE_BYTES; i++) to[i] = (uint8_t)(number >> (8 * i));
}

static bool all_zero(const uint8_t *data, size_t len) {
    return len == 0 || (data[0] == 0 && memcmp(data, data + 1, len - 1) == 0);
}

/* `offset` is a multiple of BLOCK. */
static void add(crypto_blake2b_ctx *ctx, uint64_t offset, const uint8_t *data, size_t len) {
    for (size_t at = 0; at < len; at += BLOCK) {
        uint8_t place[SIZE_BYTES];
        size_t piece = len - at < BLOCK ? len - at : BLOCK;
        if (all_zero(data + at, piece)) continue;
        put_number(place, offset + at);
        crypto_blake2b_update(ctx, place, sizeof place);
        crypto_blake2b_update(ctx, data + at, piece);
    }
}

void mount_digest(const void *data, size_t len, uint8_t digest[MOUNT_DIGEST]) {
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, MOUNT_DIGEST - SIZE_BYTES);
    add(&ctx, 0, data, len);
    put_number(digest, len);
    crypto_blake2b_final(&ctx, digest + SIZE_BYTES);
}

bool mount_digest_size(const uint8_t digest[MOUNT_DIGEST], int64_t size) {
    uint8_t number[SIZE_BYTES];
    put_number(number, (uint64_t)size);
    return memcmp(digest, number, sizeof number) == 0;
}

pf_status mount_digest_file(pf_sandbox *s, const char *path, struct machine_reading *r,
                            uint8_t digest[MOUNT_DIGEST], pf_error *error) {
    uint8_t chunk[PF_IO_MAX];
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, MOUNT_DIGEST - SIZE_BYTES);
    pf_status status = machine_find_segments(s, path, r, error);
    for (size_t i = 0; status == PF_OK && i < r->count; i++) {
        const struct machine_segment *segment = &r->segments[i];
        for (int64_t at = 0; status == PF_OK && at < segment->len; at += (int64_t)sizeof chunk) {
            size_t left = (size_t)(segment->len - at);
            size_t len = left < sizeof chunk ? left : sizeof chunk;
            status = machine_read_piece(s, path, r, segment->from + at, chunk, len, error);
            if (status == PF_OK) add(&ctx, (uint64_t)(segment->from + at), chunk, len);
        }
    }
    put_number(digest, (uint64_t)r->size);
    crypto_blake2b_final(&ctx, digest + SIZE_BYTES);
    return status;
}

_Static_assert(PF_DIGEST_BYTES == MOUNT_DIGEST, "one digest for all");

pf_status pf_file_digest(pf_sandbox *s, const char *path, uint8_t digest[PF_DIGEST_BYTES],
                         pf_error *error) {
    struct machine_reading r;
    pf_status status = machine_begin_reading(s, path, &r, error);
    if (status != PF_OK) return status;
    status = mount_digest_file(s, path, &r, digest, error);
    machine_end_reading(s, &r);
    return status;
}
