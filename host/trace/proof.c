/*
 * host/trace/proof.c: signed statements about recordings that can be checked by running them again.
 *
 *     pinfold-proof 1 BUILD BEFORE INPUTS AFTER KEY SIGNATURE
 *     the trace
 *
 * The first line is text, in hexadecimal. BUILD is that of snapshots and traces. BEFORE and AFTER
 * are BLAKE2b-256 of the contents of a snapshot (docs/snapshot.md) of the trace's replay, before
 * its first act and behind its last; INPUTS is that of the trace. KEY signs a name of the format
 * and these four.
 *
 * A replay is what is hashed, never the sandbox that was recorded: what only the clock of a run
 * knows is in no replay, so that all of them come to the same bytes.
 */
#include "replay.h"

#include "host/snapshot/frame.h"
#include "host/snapshot/memory.h"

#include <monocypher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGEST PF_PROOF_DIGEST_BYTES
_Static_assert(DIGEST == SNAPSHOT_DIGEST, "a build is named by as many bytes");

static const char title[] = "pinfold-proof 1 ";
#define FIELDS 6
static const size_t field_bytes[FIELDS] = {DIGEST, DIGEST,       DIGEST,
                                           DIGEST, PF_KEY_BYTES, PF_SIGNATURE_BYTES};

/* The first line: so many digits, a blank or the line's end behind each field. */
#define HEAD_BYTES                                                                                 \
    (sizeof title - 1 + 2 * (4 * DIGEST + PF_KEY_BYTES + PF_SIGNATURE_BYTES) + FIELDS)

/* What the moment of a last line is that was added to a trace whose sandbox goes on: none comes
 * later. */
#define AT_THE_END "9007199254740991"

static void hash(uint8_t out[DIGEST], const char *data, size_t len) {
    crypto_blake2b(out, DIGEST, (const uint8_t *)data, len);
}

struct statement {
    uint8_t build[DIGEST], before[DIGEST], inputs[DIGEST], after[DIGEST];
};

static void message_of(const struct statement *s, uint8_t out[sizeof title + sizeof *s]) {
    memcpy(out, title, sizeof title); /* with its NUL */
    memcpy(out + sizeof title, s, sizeof *s);
}

/* The state of a replay. PF_STATE names a program that is parked. */
static pf_status state_of(pf_replay *r, uint8_t out[DIGEST], pf_error *error) {
    char *data, *contents = NULL;
    size_t len, contents_len;
    pf_status status = pf_sandbox_snapshot(r->sandbox, &data, &len, error);
    if (status != PF_OK) return status;
    struct frame_terms terms = {.trusted = true, .max = FRAME_CONTENTS_MAX};
    status = frame_open(data, len, &terms, &contents, &contents_len, error);
    if (status == PF_OK) hash(out, contents, contents_len);
    free(contents);
    pf_free(data);
    return status;
}

/* Runs a whole trace again. */
static pf_status run(const char *trace, size_t len, const pf_replay_bounds *bounds,
                     struct statement *out, pf_error *error) {
    pf_replay *r = NULL;
    pf_status status = pf_replay_open_within(trace, len, false, bounds, &r, error);
    if (status != PF_OK) return status;
    snapshot_build(machine_boot(error), out->build);
    hash(out->inputs, trace, len);
    status = state_of(r, out->before, error);
    while (status == PF_OK) status = pf_replay_next(r, error);
    if (status == PF_DONE) status = state_of(r, out->after, error);
    pf_replay_free(r);
    return status;
}

/* ---- making one */

/* The trace of a sandbox that goes on, ended here: "so far" is all that there is. */
static pf_status end_trace(const char *trace, const struct trace_lines *lines, struct base_buf *out,
                           pf_error *error) {
    struct trace_chain chain = {{0}};
    char sum[TRACE_SUM + 1], last[96];
    for (size_t i = 0; i < lines->count; i++)
        trace_chain_add(&chain, lines->items[i].text, lines->items[i].len, sum);
    const struct trace_line *end = &lines->items[lines->count - 1];
    const char *stop = memchr(end->text + end->len, '\n', 64); /* trace_split() has seen it */
    int len =
        snprintf(last, sizeof last, "{\"n\":%zu,\"at\":" AT_THE_END ",\"end\":true", lines->count);
    trace_chain_add(&chain, last, (size_t)len, sum);
    if (base_buf_add(out, trace, (size_t)(stop + 1 - trace)) &&
        base_buf_add(out, last, (size_t)len) && base_buf_addf(out, ",\"sum\":\"%s\"}\n", sum))
        return PF_OK;
    return base_no_memory(error);
}

static pf_status whole_trace(const char *trace, size_t len, struct base_buf *out, pf_error *error) {
    struct trace_lines lines;
    pf_status status = trace_split(trace, len, &lines, error);
    if (status == PF_OK && lines.full) status = trace_whole(&lines, error);
    if (status == PF_OK && !lines.complete)
        status = end_trace(trace, &lines, out, error);
    else if (status == PF_OK && !base_buf_add(out, trace, len))
        status = base_no_memory(error);
    free(lines.items);
    return status;
}

static void put_hex(struct base_buf *out, const uint8_t *bytes, size_t len, char end) {
    base_buf_add_hex(out, bytes, len);
    base_buf_add(out, &end, 1);
}

pf_status pf_proof_new(const char *trace, size_t len, const pf_replay_bounds *bounds,
                       const uint8_t seed[PF_KEY_BYTES], char **proof, size_t *proof_len,
                       pf_error *error) {
    struct base_buf whole, out;
    struct statement s;
    uint8_t message[sizeof title + sizeof s], key[PF_KEY_BYTES], signature[PF_SIGNATURE_BYTES];
    *proof = NULL;
    *proof_len = 0;
    base_buf_init(&whole, SIZE_MAX);
    base_buf_init(&out, SIZE_MAX);
    pf_status status = whole_trace(trace, len, &whole, error);
    if (status == PF_OK) status = run(whole.data, whole.len, bounds, &s, error);
    if (status == PF_OK) {
        message_of(&s, message);
        pf_key_public(seed, key);
        pf_key_sign(seed, message, sizeof message, signature);
        const uint8_t *const fields[FIELDS] = {s.build, s.before, s.inputs,
                                               s.after, key,      signature};
        base_buf_addz(&out, title);
        for (int i = 0; i < FIELDS; i++)
            put_hex(&out, fields[i], field_bytes[i], i == FIELDS - 1 ? '\n' : ' ');
        if (base_buf_add(&out, whole.data, whole.len)) {
            *proof = out.data;
            *proof_len = out.len;
        } else
            status = base_no_memory(error);
    }
    base_buf_free(&whole);
    if (status != PF_OK) base_buf_free(&out);
    return status;
}

/* ---- checking one */

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(const char **at, uint8_t *out, size_t len, char end) {
    for (size_t i = 0; i < len; i++, *at += 2) {
        int high = digit((*at)[0]), low = digit((*at)[1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return *(*at)++ == end;
}

pf_status pf_proof_info(const char *data, size_t len, pf_proof_facts *out, pf_error *error) {
    struct statement s;
    uint8_t message[sizeof title + sizeof s], signature[PF_SIGNATURE_BYTES], inputs[DIGEST];
    *out = (pf_proof_facts){0};
    if (len < HEAD_BYTES || memcmp(data, title, sizeof title - 1) != 0)
        return base_error(error, PF_INVALID, "this is no proof: its first line is another one");
    const char *at = data + sizeof title - 1;
    uint8_t *const fields[FIELDS] = {s.build,         s.before, s.inputs, s.after,
                                     out->public_key, signature};
    for (int i = 0; i < FIELDS; i++)
        if (!take_hex(&at, fields[i], field_bytes[i], i == FIELDS - 1 ? '\n' : ' '))
            return base_error(error, PF_INVALID, "the first line of the proof is damaged");
    out->trace = at;
    out->trace_len = len - HEAD_BYTES;
    memcpy(out->before, s.before, DIGEST);
    memcpy(out->inputs, s.inputs, DIGEST);
    memcpy(out->after, s.after, DIGEST);
    base_hex(out->build, s.build, DIGEST);
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[DIGEST];
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    out->this_build = memcmp(build, s.build, DIGEST) == 0;
    message_of(&s, message);
    if (!pf_key_verify(out->public_key, message, sizeof message, signature))
        return base_error(error, PF_FORMAT,
                          "the proof was altered: its key has not signed what it says");
    hash(inputs, out->trace, out->trace_len);
    if (memcmp(inputs, s.inputs, DIGEST) != 0)
        return base_error(error, PF_FORMAT,
                          "the trace in the proof is not the one that was signed");
    return PF_OK;
}

pf_status pf_proof_verify(const char *data, size_t len, const pf_replay_bounds *bounds,
                          pf_proof_facts *out, pf_error *error) {
    pf_proof_facts local;
    struct statement s;
    if (!out) out = &local;
    pf_status status = pf_proof_info(data, len, out, error);
    if (status != PF_OK) return status;
    if (!out->this_build)
        return base_error(
            error, PF_UNSUPPORTED,
            "the proof is of another build of pinfold (%.16s…): check it with that one",
            out->build);
    status = run(out->trace, out->trace_len, bounds, &s, error);
    if (status != PF_OK) return status;
    const char *wrong = memcmp(s.before, out->before, DIGEST) != 0   ? "begins in"
                        : memcmp(s.after, out->after, DIGEST) != 0 ? "comes to"
                                                                   : NULL;
    if (!wrong) return PF_OK;
    return base_error(error, PF_DIVERGED,
                      "what the proof says is not so: the recording %s another state", wrong);
}
