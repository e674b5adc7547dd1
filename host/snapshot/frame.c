/*
 * host/snapshot/frame.c: see frame.h.
 */
#include "frame.h"
#include "memory.h"

#include <monocypher.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const struct {
    char magic[8];
    uint32_t format;
} kinds[] = {
    [FRAME_EXACT] = {"PINFOLD", 5},
    [FRAME_PORTABLE] = {"PFPORTA", 1},
};
#define KEYED  1u /* the tag needs the embedder's key */
#define TAG    32
#define LEVEL  1 /* of zstd: snapshots are made often and read seldom */
#define SMALL  19 /* of one that goes where each byte counts */

struct head {
    char magic[8];
    uint32_t format, flags;
    uint8_t build[SNAPSHOT_DIGEST];
    uint64_t body_len;
    uint64_t contents_len;
    uint64_t counter; /* the embedder's; 0: none */
};
_Static_assert(sizeof(struct head) == 72, "the head of a snapshot has 72 bytes");

enum frame_kind frame_kind(const char *data, size_t len) {
    for (int i = 0; i < FRAME_NONE && len >= sizeof(struct head); i++)
        if (memcmp(data, kinds[i].magic, sizeof kinds[i].magic) == 0) return (enum frame_kind)i;
    return FRAME_NONE;
}

static void make_tag(uint8_t tag[TAG], const char *data, size_t len, const uint8_t *key) {
    assert(data && len >= sizeof(struct head));
    crypto_blake2b_keyed(tag, TAG, key, key ? MACHINE_KEY : 0, (const uint8_t *)data, len);
}

/* A head whose body_len is not known yet, and the contents as its body. */
static pf_status pack(struct head head, int level, const char *contents, const uint8_t *key,
                      char **out, size_t *out_len, pf_error *error) {
    assert(contents || head.contents_len == 0);
    size_t len = (size_t)head.contents_len, room = ZSTD_compressBound(len);
    char *data = malloc(sizeof head + room + TAG);
    size_t body = data ? ZSTD_compress(data + sizeof head, room, contents, len, level) : 0;
    if (!data || ZSTD_isError(body)) {
        free(data);
        return base_error(error, PF_NO_MEMORY, "no memory for the snapshot");
    }
    head.body_len = body;
    memcpy(data, &head, sizeof head);
    make_tag((uint8_t *)data + sizeof head + body, data, sizeof head + body, key);
    *out_len = sizeof head + body + TAG;
    char *fitting = realloc(data, *out_len);
    *out = fitting ? fitting : data;
    return PF_OK;
}

pf_status frame_wrap(enum frame_kind kind, const char *contents, size_t len, const uint8_t *key,
                     uint64_t counter, char **out, size_t *out_len, pf_error *error) {
    assert(kind < FRAME_NONE && (!counter || key));
    struct head head = {.format = kinds[kind].format,
                        .flags = key ? KEYED : 0,
                        .contents_len = len,
                        .counter = counter};
    const struct machine_boot *boot = machine_boot(error);
    if (!boot) return PF_DEAD;
    memcpy(head.magic, kinds[kind].magic, sizeof head.magic);
    snapshot_build(boot, head.build);
    return pack(head, LEVEL, contents, key, out, out_len, error);
}

static pf_status check_tag(const char *data, size_t len, const struct head *head,
                           const uint8_t *key, pf_error *error) {
    assert(len >= sizeof *head + TAG);
    uint8_t tag[TAG];
    if (key && !(head->flags & KEYED))
        return base_error(error, PF_FORMAT,
                          "the snapshot is not authenticated, but a key was given: whoever made it "
                          "did not have that key");
    if (!key && head->flags & KEYED)
        return base_error(error, PF_FORMAT,
                          "the snapshot is authenticated: give the key it was made with");
    make_tag(tag, data, len - TAG, key);
    if (crypto_verify32(tag, (const uint8_t *)data + len - TAG) == 0) return PF_OK;
    return base_error(error, PF_FORMAT, "%s",
                      key ? "the snapshot was altered, or made with another key"
                          : "the snapshot was altered: its checksum is wrong");
}

/* Everything that can be refused before a byte of the body is looked at. */
static pf_status check(const char *data, size_t len, const struct frame_terms *terms,
                       struct head *head, pf_error *error) {
    assert(terms->kind < FRAME_NONE);
    uint32_t format = kinds[terms->kind].format;
    if (frame_kind(data, len) != terms->kind)
        return base_error(error, PF_FORMAT, "this is not a pinfold snapshot");
    memcpy(head, data, sizeof *head);
    if (head->format != format)
        return base_error(error, PF_FORMAT,
                          "the snapshot has format %u; this pinfold (%s) reads format %u",
                          head->format, pf_version(), format);
    if (len < sizeof *head + TAG || head->body_len != len - sizeof *head - TAG)
        return base_error(error, PF_FORMAT,
                          "the snapshot is cut short or has something behind it: it has %zu bytes, "
                          "%llu of them announced",
                          len, (unsigned long long)head->body_len + sizeof *head + TAG);
    if (head->flags > KEYED)
        return base_error(error, PF_FORMAT, "the snapshot has unknown flags %#x", head->flags);
    pf_status status = terms->trusted ? PF_OK : check_tag(data, len, head, terms->key, error);
    if (status != PF_OK) return status;
    if (head->counter < terms->min_counter)
        return base_error(error, PF_FORMAT,
                          "the snapshot is older than the one that is wanted: its counter is %llu, "
                          "and %llu or more is asked for",
                          (unsigned long long)head->counter,
                          (unsigned long long)terms->min_counter);
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[SNAPSHOT_DIGEST];
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    bool ours = memcmp(build, head->build, sizeof build) == 0;
    if (terms->kind == FRAME_EXACT && !terms->any_build && !ours)
        return base_error(error, PF_FORMAT,
                          "the snapshot comes from another build of pinfold; restore it with the "
                          "version that made it, or with that version's images; its files can be "
                          "read here (pinfold snapshot show --files)");
    if (head->contents_len > terms->max && terms->any_build)
        return base_error(
            error, PF_BOUND,
            "the snapshot holds %llu bytes, more than max_bytes (%llu): raise it if that "
            "is meant",
            (unsigned long long)head->contents_len, (unsigned long long)terms->max);
    if (head->contents_len > terms->max)
        return base_error(error, PF_FORMAT,
                          "the snapshot holds %llu bytes, more than a sandbox with these limits "
                          "could have (%llu)",
                          (unsigned long long)head->contents_len,
                          (unsigned long long)terms->max);
    return PF_OK;
}

pf_status frame_open(const char *data, size_t len, const struct frame_terms *terms, char **out,
                     size_t *out_len, pf_error *error) {
    struct head head;
    pf_status status = check(data, len, terms, &head, error);
    if (status != PF_OK) return status;
    const char *body = data + sizeof head;
    size_t size = (size_t)head.contents_len;
    if (ZSTD_getFrameContentSize(body, head.body_len) != head.contents_len)
        return base_error(error, PF_FORMAT,
                          "the snapshot's contents have another size than it says");
    char *contents = malloc(size ? size : 1);
    if (!contents) return base_no_memory(error);
    if (ZSTD_decompress(contents, size, body, head.body_len) != size) {
        free(contents);
        return base_error(error, PF_FORMAT, "the snapshot's contents cannot be decompressed");
    }
    *out = contents;
    *out_len = size;
    return PF_OK;
}

bool pf_snapshot_is_portable(const char *data, size_t len) {
    return frame_kind(data, len) == FRAME_PORTABLE;
}

pf_status pf_snapshot_info(const char *data, size_t len, pf_snapshot_facts *out, pf_error *error) {
    struct head head;
    enum frame_kind kind = frame_kind(data, len);
    if (kind == FRAME_NONE)
        return base_error(error, PF_FORMAT, "this is not a pinfold snapshot");
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[SNAPSHOT_DIGEST];
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    memcpy(&head, data, sizeof head);
    *out = (pf_snapshot_facts){
        .format = head.format,
        .readable = head.format == kinds[kind].format,
        .this_build = memcmp(build, head.build, sizeof build) == 0,
        .authenticated = head.flags & KEYED,
        .contents_bytes = head.contents_len,
        .counter = head.format == kinds[kind].format ? head.counter : 0,
    };
    base_hex(out->build, head.build, sizeof head.build);
    return PF_OK;
}

pf_status frame_key(const void *key, size_t len, uint8_t out[MACHINE_KEY], pf_error *error) {
    pf_options *options = pf_options_new();
    pf_status status = options ? pf_options_key(options, key, len, error) : base_no_memory(error);
    if (status == PF_OK) memcpy(out, options->key, MACHINE_KEY);
    pf_options_free(options);
    return status;
}

pf_status pf_snapshot_shrink(const char *data, size_t len, const void *key, size_t key_len,
                             char **out, size_t *out_len, pf_error *error) {
    uint8_t secret[MACHINE_KEY];
    struct head head;
    char *contents;
    size_t contents_len;
    *out = NULL;
    *out_len = 0;
    struct frame_terms terms = {.kind = frame_kind(data, len),
                                .any_build = true,
                                .key = key ? secret : NULL,
                                .max = FRAME_CONTENTS_MAX};
    if (terms.kind == FRAME_NONE)
        return base_error(error, PF_FORMAT, "this is not a pinfold snapshot");
    pf_status status = key ? frame_key(key, key_len, secret, error) : PF_OK;
    if (status == PF_OK) status = frame_open(data, len, &terms, &contents, &contents_len, error);
    if (status != PF_OK) return status;
    memcpy(&head, data, sizeof head);
    status = pack(head, SMALL, contents, terms.key, out, out_len, error);
    free(contents);
    return status;
}
