/*
 * lib/regex/backtrack.c: trying ways in order of preference, with an explicit stack.
 *
 * For groups it remembers at which splits of the program it was at which position, so that each is
 * tried once: linear. With back-references nothing can be remembered, so steps are counted and
 * RE_MAX_STEPS ends the search with PF_RE_LIMIT.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

/* A way not tried yet, or (pc RESTORE | slot) a slot to put back when the ways above are done. */
struct job {
    uint32_t pc;
    ptrdiff_t at;
};
#define RESTORE 0x80000000u

struct re_backtrack {
    struct job *jobs;
    uint32_t job_cap;
    uint32_t *visited, visited_cap;
    ptrdiff_t *best;
    uint32_t best_cap;
};

enum outcome { OUTCOME_MATCH, OUTCOME_NONE, OUTCOME_STACK_FULL, OUTCOME_PAUSE };

struct run {
    pf_regex *re;
    const struct re_program *program;
    const char *text;
    size_t len, start, limit; /* the match lies in start .. limit */
    unsigned flags;
    bool whole;              /* it must end at limit; otherwise the longest is wanted */
    ptrdiff_t *slots, *best; /* best[1] is the longest end so far */
    uint32_t *visited;       /* NULL: not kept */
    struct job *jobs;
    uint32_t job_count, job_cap;
    uint32_t pc;
    size_t at;
    uint32_t steps; /* until OUTCOME_PAUSE */
};

static uint32_t fold(const pf_regex *re, uint32_t code) {
    if (!re->utf8 && code >= 0x80) return code;
    return pf_uni_lower(pf_uni_upper(code));
}

static uint32_t symbol_at(const pf_regex *re, const char *text, size_t len, size_t *n) {
    uint32_t code = (unsigned char)text[0];
    int bytes = re->utf8 ? pf_utf8_decode(text, len, &code) : 1;
    *n = bytes == 0 ? 1 : (size_t)bytes;
    return bytes == 0 ? RE_INVALID_BYTE((unsigned char)text[0]) : code;
}

/* Whether the text of the group stands at run->at; moves behind it. */
static bool again(struct run *run, uint32_t group) {
    ptrdiff_t from = run->slots[2 * group], to = run->slots[2 * group + 1];
    if (from < 0 || to < from) return false;
    size_t n = (size_t)(to - from);
    if (!(run->re->flags & PF_RE_ICASE)) {
        if (run->limit - run->at < n || memcmp(run->text + from, run->text + run->at, n) != 0)
            return false;
        run->at += n;
        return true;
    }
    size_t left = (size_t)from, right = run->at, a, b;
    while (left < (size_t)to) {
        if (right >= run->limit) return false;
        uint32_t one = symbol_at(run->re, run->text + left, (size_t)to - left, &a);
        uint32_t two = symbol_at(run->re, run->text + right, run->limit - right, &b);
        if (fold(run->re, one) != fold(run->re, two)) return false;
        left += a;
        right += b;
    }
    run->at = right;
    return true;
}

static bool was_here(struct run *run, uint32_t split) {
    if (run->visited == NULL) return false;
    size_t bit = split * (run->limit - run->start + 1) + (run->at - run->start);
    uint32_t mask = 1u << (bit % 32);
    if (run->visited[bit / 32] & mask) return true;
    run->visited[bit / 32] |= mask;
    return false;
}

static void set_slot(struct run *run, uint32_t slot, ptrdiff_t value) {
    run->jobs[run->job_count++] = (struct job){RESTORE | slot, run->slots[slot]};
    run->slots[slot] = value;
}

/* Back to the last way not tried; false when there is none. */
static bool next_way(struct run *run) {
    while (run->job_count > 0) {
        struct job job = run->jobs[--run->job_count];
        if (job.pc & RESTORE) {
            run->slots[job.pc & ~RESTORE] = job.at;
            continue;
        }
        run->pc = job.pc;
        run->at = (size_t)job.at;
        return true;
    }
    return false;
}

/* One instruction; false: this way fails. At least one free job is there. */
static bool advance(struct run *run) {
    const struct re_inst *inst = &run->program->insts[run->pc];
    size_t n;
    switch (inst->op) {
    case RE_CLASS:
    case RE_BITMAP:
    case RE_ANY: {
        if (run->at >= run->limit) return false;
        uint32_t class = re_class_at(run->re, run->text, run->len, run->at, &n);
        if (!re_inst_takes(&run->re->classes, inst, class)) return false;
        run->at += n;
        break;
    }
    case RE_ASSERT: {
        uint32_t left = re_context_left(run->re, run->text, run->at, run->flags);
        uint32_t right = re_context_right(run->re, run->text, run->len, run->at, run->flags);
        if (!re_assert_holds(inst->x, left, right)) return false;
        break;
    }
    case RE_SPLIT:
        if (was_here(run, inst->number)) return false;
        run->jobs[run->job_count++] = (struct job){inst->y, (ptrdiff_t)run->at};
        run->pc = inst->x;
        return true;
    case RE_JUMP: run->pc = inst->x; return true;
    case RE_SAVE: set_slot(run, inst->x, (ptrdiff_t)run->at); break;
    case RE_LOOP_FIRST: set_slot(run, inst->x, (ptrdiff_t)run->at * 2); break;
    case RE_LOOP_NEXT: set_slot(run, inst->x, (ptrdiff_t)run->at * 2 + 1); break;
    case RE_LOOP_TEST: {
        ptrdiff_t mark = run->slots[inst->x];
        if ((size_t)(mark >> 1) != run->at) break;
        if (mark & 1) return false;
        run->pc = inst->y;
        return true;
    }
    case RE_BACKREF:
        if (!again(run, inst->x)) return false;
        break;
    default: return false;
    }
    run->pc++;
    return true;
}

/* Goes on from run->pc and run->at. Calls nothing that could wait. */
static enum outcome run_ways(struct run *run) {
    for (;;) {
        if (run->job_count == run->job_cap) return OUTCOME_STACK_FULL;
        if (run->steps-- == 0) {
            run->steps = 0;
            return OUTCOME_PAUSE;
        }
        if (run->program->insts[run->pc].op == RE_MATCH) {
            if (run->whole && run->at == run->limit) return OUTCOME_MATCH;
            if (!run->whole && (ptrdiff_t)run->at > run->best[1]) {
                memcpy(run->best, run->slots, run->program->slots * sizeof *run->best);
                run->best[0] = (ptrdiff_t)run->start;
                run->best[1] = (ptrdiff_t)run->at;
                if (run->at == run->limit) return OUTCOME_MATCH;
            }
        } else if (advance(run)) {
            continue;
        }
        if (!next_way(run)) return OUTCOME_NONE;
    }
}

/* Runs to the end, with pauses; *budget is what is left of the steps. */
static int run_all(struct run *run, struct re_backtrack *memory, uint64_t *budget) {
    for (;;) {
        run->jobs = memory->jobs;
        run->job_cap = memory->job_cap;
        run->steps = RE_YIELD_STEPS;
        enum outcome outcome = run_ways(run);
        uint32_t used = RE_YIELD_STEPS - run->steps;
        re_step(run->re, used);
        switch (outcome) {
        case OUTCOME_MATCH: return PF_RE_OK;
        case OUTCOME_NONE: return PF_RE_NOMATCH;
        case OUTCOME_STACK_FULL:
            if (!re_grow(run->re, &memory->jobs, &memory->job_cap, memory->job_cap + 64,
                         sizeof *memory->jobs))
                return PF_RE_NOMEM;
            break;
        default: break;
        }
        if (*budget < used) return PF_RE_LIMIT;
        *budget -= used;
    }
}

static struct re_backtrack *get_memory(pf_regex *re) {
    if (re->backtrack == NULL) {
        re->backtrack = re_realloc(re, NULL, sizeof *re->backtrack);
        if (re->backtrack != NULL) *re->backtrack = (struct re_backtrack){0};
    }
    return re->backtrack;
}

void re_backtrack_free(pf_regex *re) {
    if (re->backtrack == NULL) return;
    re_free(re, re->backtrack->jobs);
    re_free(re, re->backtrack->visited);
    re_free(re, re->backtrack->best);
    re_free(re, re->backtrack);
}

static void clear_slots(ptrdiff_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) slots[i] = -1;
}

/* A run that begins at `start` and may go on to the end of the text. */
static struct run run_of(pf_regex *re, const char *text, size_t len, size_t start, unsigned flags,
                         ptrdiff_t *slots) {
    return (struct run){.re = re, .program = &re->capture, .text = text, .len = len, .start = start,
                        .limit = len, .flags = flags, .slots = slots, .at = start};
}

int re_backtrack_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                        unsigned flags, ptrdiff_t *slots) {
    struct re_backtrack *memory = get_memory(re);
    if (memory == NULL) return PF_RE_NOMEM;
    size_t words = (re->capture.splits * (end - start + 1) + 31) / 32;
    if (!re_grow(re, &memory->visited, &memory->visited_cap, (uint32_t)words + 1,
                 sizeof *memory->visited))
        return PF_RE_NOMEM;
    memset(memory->visited, 0, words * sizeof *memory->visited);
    clear_slots(slots, re->capture.slots);
    struct run run = run_of(re, text, len, start, flags, slots);
    run.limit = end;
    run.whole = true;
    run.visited = memory->visited;
    uint64_t budget = UINT64_MAX;
    return run_all(&run, memory, &budget);
}

int re_backtrack_search(pf_regex *re, const char *text, size_t len, size_t from, unsigned flags,
                        ptrdiff_t *slots) {
    struct re_backtrack *memory = get_memory(re);
    if (memory == NULL ||
        !re_grow(re, &memory->best, &memory->best_cap, re->capture.slots, sizeof *memory->best))
        return PF_RE_NOMEM;
    uint64_t budget = RE_MAX_STEPS;
    for (size_t start = from; start <= len;) {
        if (re->literal.len > 0) {
            start = re_literal_find(&re->literal, text, len, start);
            if (start == len) return PF_RE_NOMATCH;
        }
        clear_slots(slots, re->capture.slots);
        memory->best[1] = -1;
        struct run run = run_of(re, text, len, start, flags, slots);
        run.best = memory->best;
        int status = run_all(&run, memory, &budget);
        if (status == PF_RE_NOMEM || status == PF_RE_LIMIT) return status;
        if (memory->best[1] >= 0) {
            memcpy(slots, memory->best, re->capture.slots * sizeof *slots);
            return PF_RE_OK;
        }
        if (start == len) break;
        size_t n;
        re_class_at(re, text, len, start, &n);
        start += n;
    }
    return PF_RE_NOMATCH;
}
