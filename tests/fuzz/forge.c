/*
 * tests/fuzz/forge.c: see forge.h.
 */
#include "forge.h"

#include "fuzz.h"
#include "host/snapshot/codec.h"
#include "host/snapshot/frame.h"

#include <string.h>

#define PAGE_BYTES 4096

struct forge_text forge_of(const char *text) {
    return (struct forge_text){text, strlen(text)};
}

static struct forge_text get_text(struct reader *r) {
    struct forge_text t;
    t.data = get_bytes(r, SIZE_MAX / 2, &t.len);
    return t;
}

static void get_state(struct reader *r, struct forge *f) {
    f->clock_flags = get_u32(r);
    f->monotonic_ns = (int64_t)get_u64(r);
    f->realtime_base = (int64_t)get_u64(r);
    f->deadline_ns = (int64_t)get_u64(r);
    f->alive = get_u32(r);
    f->next_call = get_u64(r);
    f->forks = get_u64(r);
    f->run_flags = get_u32(r);
    f->stage = get_u32(r);
    f->limit = get_u32(r);
    f->ticks = get_u32(r);
    f->wall_ns = get_u64(r);
    f->cpu_ns = get_u64(r);
    f->tool_calls = get_u64(r);
    f->asked = get_u64(r);
    f->input = get_text(r);
    f->output[0] = get_text(r);
    f->output[1] = get_text(r);
    f->value = get_text(r);
}

void forge_open(struct forge *f, const char *snapshot, size_t len) {
    *f = (struct forge){0};
    struct frame_terms terms = {.max = 1 << 30};
    MUST(frame_open(snapshot, len, &terms, &f->contents, &f->contents_len, NULL) == PF_OK);
    struct reader r = {.data = (const uint8_t *)f->contents, .len = f->contents_len};
    get_state(&r, f);
    f->count = f->written = get_u32(&r);
    MUST(f->count <= FORGE_CALLS);
    for (uint32_t i = 0; i < f->count; i++) {
        struct forge_call *c = &f->calls[i];
        c->id = get_u64(&r);
        c->op = get_u32(&r);
        c->handed_out = get_u32(&r);
        c->capability = get_u32(&r);
        c->method = get_text(&r);
        c->name = get_text(&r);
        c->params = get_text(&r);
    }
    f->counters = get_text(&r);
    MUST(!r.bad);
    f->rest = (struct forge_text){f->contents + r.at, r.len - r.at};
}

static void put_text(struct writer *w, struct forge_text t) {
    put_bytes(w, t.data, t.len);
}

static void put_state(struct writer *w, const struct forge *f) {
    put_u32(w, f->clock_flags);
    put_u64(w, (uint64_t)f->monotonic_ns);
    put_u64(w, (uint64_t)f->realtime_base);
    put_u64(w, (uint64_t)f->deadline_ns);
    put_u32(w, f->alive);
    put_u64(w, f->next_call);
    put_u64(w, f->forks);
    put_u32(w, f->run_flags);
    put_u32(w, f->stage);
    put_u32(w, f->limit);
    put_u32(w, f->ticks);
    put_u64(w, f->wall_ns);
    put_u64(w, f->cpu_ns);
    put_u64(w, f->tool_calls);
    put_u64(w, f->asked);
    put_text(w, f->input);
    put_text(w, f->output[0]);
    put_text(w, f->output[1]);
    put_text(w, f->value);
}

/* As pf_options_key() makes it. */
static const uint8_t *hashed(const char *key) {
    static uint8_t out[MACHINE_KEY];
    pf_options *o = key ? pf_options_new() : NULL;
    if (!o) return NULL;
    MUST(pf_options_key(o, key, strlen(key), NULL) == PF_OK);
    memcpy(out, o->key, sizeof out);
    pf_options_free(o);
    return out;
}

void forge_close(const struct forge *f, const char *key, uint64_t counter, char **data,
                 size_t *len) {
    struct writer w = {0};
    base_buf_init(&w.out, SIZE_MAX);
    put_state(&w, f);
    put_u32(&w, f->count);
    for (uint32_t i = 0; i < f->written; i++) {
        const struct forge_call *c = &f->calls[i];
        put_u64(&w, c->id);
        put_u32(&w, c->op);
        put_u32(&w, c->handed_out);
        put_u32(&w, c->capability);
        put_text(&w, c->method);
        put_text(&w, c->name);
        put_text(&w, c->params);
    }
    put_text(&w, f->counters);
    put_raw(&w, f->rest.data, f->rest.len);
    MUST(!w.failed);
    MUST(frame_wrap(FRAME_EXACT, w.out.data, w.out.len, hashed(key), counter, data, len, NULL) == PF_OK);
    base_buf_free(&w.out);
}

void forge_free(struct forge *f) {
    free(f->contents);
}

size_t forge_pages(const struct forge *f, size_t *offsets, size_t max) {
    size_t count = 0, at = 12; /* memory size, stack pointer, waiting */
    uint32_t address;
    for (; at + 4 + PAGE_BYTES <= f->rest.len && count < max; at += 4 + PAGE_BYTES) {
        memcpy(&address, f->rest.data + at, 4);
        if (address == UINT32_MAX) break;
        offsets[count++] = at + 4;
    }
    return count;
}
