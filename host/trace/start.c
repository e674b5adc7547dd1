/*
 * host/trace/start.c: a run of a trace, started again.
 */
#include "replay.h"

#include <string.h>

/* The variables of a run, as pf_run has them; NULL: no memory, or they are malformed. */
static const char *const *variables(struct base_arena *arena, const char *text, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++) count += !text[i];
    const char **list = base_arena_array(arena, count + 1, sizeof *list);
    if (!list || (len && text[len - 1])) return NULL;
    for (size_t i = 0; i < count; i++, text += strlen(text) + 1) list[i] = text;
    return list;
}

static pf_status read_place(struct pf_replay *r, yyjson_val *act, pf_run *run, pf_error *error) {
    const char *text;
    size_t len;
    if (trace_bytes(&r->act_arena, act, "cwd", &text, &len) &&
        (strlen(text) != len || !(run->cwd = text)))
        return replay_malformed(r, error);
    if (trace_bytes(&r->act_arena, act, "env", &text, &len) &&
        !(run->env = variables(&r->act_arena, text, len)))
        return replay_malformed(r, error);
    return PF_OK;
}

static pf_status start(struct pf_replay *r, pf_run *run, yyjson_val *limits, pf_error *error) {
    if (!limits) return pf_sandbox_start(r->sandbox, run, error);
    pf_options *own = pf_options_new();
    if (!own) return base_no_memory(error);
    own->limits = r->sandbox->own_limits;
    pf_status status = replay_read_limits(r, limits, own, error);
    run->limits = own;
    if (status == PF_OK) status = pf_sandbox_start(r->sandbox, run, error);
    pf_options_free(own);
    return status;
}

pf_status replay_start(struct pf_replay *r, yyjson_val *act, pf_error *error) {
    pf_run run = {.size = sizeof run,
                  .language = yyjson_get_str(yyjson_obj_get(act, "language")),
                  .isolated = replay_flag(act, "isolated"),
                  .end_options = replay_flag(act, "end_options")};
    if (!trace_bytes(&r->act_arena, act, "code", &run.code, &run.code_len))
        return replay_malformed(r, error);
    trace_bytes(&r->act_arena, act, "stdin", &run.stdin_data, &run.stdin_len);
    pf_status status = read_place(r, act, &run, error);
    if (status == PF_OK) status = start(r, &run, yyjson_obj_get(act, "limits"), error);
    /* A cwd that was not there was not there then, too. */
    bool place = run.cwd && (status == PF_NOT_FOUND || status == PF_GUEST);
    return place ? PF_OK : status;
}
