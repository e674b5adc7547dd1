/*
 * js/engine/snapshot.c: host/snapshot/frame.c as a WebAssembly module: what lies around the
 * contents of a snapshot, compression and authentication included, is written and checked by the
 * same code; and the sums of a trace's lines and of a mount's files. src/snapshot/frame.ts is the
 * other side, and loads it when a snapshot is first made or read, or something is recorded.
 */
#include "host/mount/mount.h"
#include "host/snapshot/frame.h"
#include "host/snapshot/memory.h"

#include <monocypher.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static pf_error last;
static uint8_t build[SNAPSHOT_DIGEST];
static char *answer;
static size_t answer_len;

EXPORT(pf_snapshot_new) void *snapshot_new(size_t len) { return malloc(len ? len : 1); }
EXPORT(pf_snapshot_delete) void snapshot_delete(void *data) { free(data); }
EXPORT(pf_snapshot_message) const char *snapshot_message(void) { return last.message; }
EXPORT(pf_snapshot_answer) const char *snapshot_answer(void) { return answer; }
EXPORT(pf_snapshot_answer_len) size_t snapshot_answer_len(void) { return answer_len; }

static void begin(void) {
    free(answer);
    answer = NULL;
    answer_len = 0;
    last.message[0] = '\0';
}

/* Gives back what the last call answered. */
EXPORT(pf_snapshot_end) void snapshot_end(void) { begin(); }

/* What snapshot_build() hashes, as one text: names this build from here on. */
EXPORT(pf_snapshot_build) void set_build(const uint8_t *data, size_t len) {
    crypto_blake2b(build, sizeof build, data, len);
}

/* The name, SNAPSHOT_DIGEST bytes. */
EXPORT(pf_snapshot_build_name) const uint8_t *build_name(void) { return build; }

/* As trace_chain_add() of host/trace/lines.c: takes one line into the 16 bytes at `state`. */
EXPORT(pf_snapshot_chain) void chain(uint8_t *state, const uint8_t *line, size_t len) {
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, 16);
    crypto_blake2b_update(&ctx, state, 16);
    crypto_blake2b_update(&ctx, line, len);
    crypto_blake2b_final(&ctx, state);
}

/* As the seed of a portable snapshot: 32 bytes. */
EXPORT(pf_snapshot_hash) void hash(uint8_t *out, const uint8_t *data, size_t len) {
    crypto_blake2b(out, 32, data, len);
}

/* What of a mount's file is remembered: MOUNT_DIGEST bytes. */
EXPORT(pf_snapshot_digest) void digest(uint8_t *out, const void *data, size_t len) {
    mount_digest(data, len, out);
}

/* As pf_options_key(): what a secret is hashed to, MACHINE_KEY bytes at `out`. */
EXPORT(pf_snapshot_key) void derive(uint8_t *out, const uint8_t *secret, size_t len) {
    static const char purpose[] = "pinfold snapshot key";
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, MACHINE_KEY);
    crypto_blake2b_update(&ctx, (const uint8_t *)purpose, sizeof purpose);
    crypto_blake2b_update(&ctx, secret, len);
    crypto_blake2b_final(&ctx, out);
}

/* `key`: what pf_snapshot_key() gave, or NULL. */
EXPORT(pf_snapshot_wrap) int wrap(const char *contents, size_t len, const uint8_t *key,
                                  double counter, int portable) {
    begin();
    return frame_wrap(portable ? FRAME_PORTABLE : FRAME_EXACT, contents, len, key,
                      (uint64_t)counter, &answer, &answer_len, &last);
}

EXPORT(pf_snapshot_portable) int is_portable(const char *data, size_t len) {
    return frame_kind(data, len) == FRAME_PORTABLE;
}

/* `trusted`: its tag is not looked at. */
EXPORT(pf_snapshot_open) int open_frame(const char *data, size_t len, const uint8_t *key,
                                        double min_counter, double max, int trusted) {
    bool portable = frame_kind(data, len) == FRAME_PORTABLE;
    struct frame_terms terms = {.kind = portable ? FRAME_PORTABLE : FRAME_EXACT,
                                .key = key, .trusted = trusted,
                                .min_counter = (uint64_t)min_counter,
                                .max = max < 4e9 ? (uint64_t)max : 4000000000u};
    begin();
    return frame_open(data, len, &terms, &answer, &answer_len, &last);
}

/* ---- what frame.c asks of the machine */

const struct machine_boot *machine_boot(pf_error *error) {
    static const struct machine_boot booted;
    (void)error;
    return &booted;
}

void snapshot_build(const struct machine_boot *boot, uint8_t digest[SNAPSHOT_DIGEST]) {
    (void)boot;
    memcpy(digest, build, SNAPSHOT_DIGEST);
}

const char *pf_version(void) { return PINFOLD_VERSION; }
