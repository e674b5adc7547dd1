/*
 * host/trace/copy.c: a replay's copy, what goes on from it, and the results that it is given.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

pf_status pf_replay_answer(pf_replay *r, uint64_t id, const char *json, size_t len,
                           pf_error *error) {
    pf_status status = cap_json_check(json, len, error);
    if (status != PF_OK) return status;
    struct answer *a = calloc(1, sizeof *a);
    char *copy = malloc(len + 1);
    if (!a || !copy) {
        free(a);
        free(copy);
        return base_no_memory(error);
    }
    memcpy(copy, json, len);
    *a = (struct answer){.next = r->answers, .id = id, .json = copy, .len = len};
    r->answers = a;
    return PF_OK;
}

/* Why a replay that is over goes no further. */
static pf_status why_over(const struct pf_replay *r, pf_error *error) {
    if (error) *error = r->why;
    return r->why.status;
}

static bool copy_answers(const struct pf_replay *from, struct pf_replay *to) {
    for (const struct answer *a = from->answers; a; a = a->next)
        if (pf_replay_answer(to, a->id, a->json, a->len, NULL) != PF_OK) return false;
    return true;
}

pf_status pf_replay_fork(pf_replay *from, pf_replay **out, pf_error *error) {
    *out = NULL;
    if (from->over) return why_over(from, error);
    struct pf_replay *r = calloc(1, sizeof *r);
    if (!r) return base_no_memory(error);
    replay_set_tape(r);
    r->tape.ended = from->tape.ended;
    r->text = from->text;
    atomic_fetch_add(&r->text->references, 1);
    r->lines = from->lines;
    r->results = from->results;
    r->next = from->next;
    r->until = from->until;
    r->most = from->most;
    r->left_ns = from->left_ns;
    r->resting = from->resting;
    r->seconds = from->seconds;
    pf_status status = copy_answers(from, r) ? machine_twin(from->sandbox, &r->sandbox, error)
                                             : base_no_memory(error);
    if (status != PF_OK) {
        pf_replay_free(r);
        return status;
    }
    r->sandbox->tape = &r->tape;
    machine_expect_interrupt(r->sandbox);
    *out = r;
    return PF_OK;
}

pf_status pf_replay_branch(pf_replay *replay, const pf_options *options, pf_sandbox **out,
                           pf_error *error) {
    *out = NULL;
    if (replay->over) return why_over(replay, error);
    char *data;
    size_t len;
    pf_status status = pf_sandbox_snapshot(replay->sandbox, &data, &len, error);
    if (status != PF_OK) return status;
    pf_options how = *options;
    how.trusted = true;
    how.min_counter = 0;
    how.same_random = true;
    status = pf_sandbox_restore(&how, data, len, out, error);
    pf_free(data);
    return status;
}
