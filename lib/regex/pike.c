/*
 * lib/regex/pike.c: groups of a match too long for backtrack.c's memory.
 *
 * All ways are followed at once, one symbol at a time, each with its own slots; of two ways that
 * meet the preferred one lives on. Memory depends on the pattern alone.
 */
#include <string.h>

#include "internal.h"

struct job {
    uint32_t pc; /* or RESTORE | slot */
    ptrdiff_t value;
};
#define RESTORE 0x80000000u

/* Threads in the order of preference; slots of the one at pc begin at slots + pc * count. */
struct threads {
    uint32_t *dense, *index, count;
    ptrdiff_t *slots;
};

struct re_pike {
    struct threads now, next;
    struct job *jobs;
    uint32_t *indexes;
    ptrdiff_t *slots, *work;
};

void re_pike_free(pf_regex *re) {
    if (re->pike == NULL) return;
    re_free(re, re->pike->jobs);
    re_free(re, re->pike->indexes);
    re_free(re, re->pike->slots);
    re_free(re, re->pike);
}

static struct re_pike *get_memory(pf_regex *re) {
    if (re->pike != NULL) return re->pike;
    const struct re_program *program = &re->capture;
    size_t n = program->count, slots = program->slots;
    struct re_pike *pike = re_realloc(re, NULL, sizeof *pike);
    if (pike == NULL) return NULL;
    *pike = (struct re_pike){0};
    re->pike = pike;
    pike->jobs = re_realloc(re, NULL, (3 * n + 2) * sizeof *pike->jobs);
    pike->indexes = re_realloc(re, NULL, 4 * n * sizeof *pike->indexes);
    pike->slots = re_realloc(re, NULL, (2 * n + 1) * slots * sizeof *pike->slots);
    if (pike->jobs == NULL || pike->indexes == NULL || pike->slots == NULL) {
        re_pike_free(re);
        re->pike = NULL;
        return NULL;
    }
    memset(pike->indexes, 0, 4 * n * sizeof *pike->indexes);
    pike->now = (struct threads){pike->indexes, pike->indexes + n, 0, pike->slots};
    pike->next =
        (struct threads){pike->indexes + 2 * n, pike->indexes + 3 * n, 0, pike->slots + n * slots};
    pike->work = pike->slots + 2 * n * slots;
    return pike;
}

struct place {
    pf_regex *re;
    const char *text;
    size_t len, at;
    unsigned flags;
};

static bool holds(const struct place *place, uint32_t kind) {
    return re_assert_holds(
        kind, re_context_left(place->re, place->text, place->at, place->flags),
        re_context_right(place->re, place->text, place->len, place->at, place->flags));
}

/* The next instruction of one that takes no symbol, RE_NONE when the way ends; sets slots. */
static uint32_t pass(struct re_pike *pike, const struct place *place, uint32_t pc,
                     uint32_t *depth) {
    const struct re_inst *inst = &place->re->capture.insts[pc];
    ptrdiff_t *slots = pike->work, at = (ptrdiff_t)place->at, value = at;
    switch (inst->op) {
    case RE_JUMP: return inst->x;
    case RE_SPLIT: pike->jobs[(*depth)++] = (struct job){inst->y, 0}; return inst->x;
    case RE_ASSERT: return holds(place, inst->x) ? pc + 1 : RE_NONE;
    case RE_LOOP_TEST:
        if (slots[inst->x] >> 1 != at) return pc + 1;
        return slots[inst->x] & 1 ? RE_NONE : inst->y;
    case RE_LOOP_FIRST: value = at * 2; break;
    case RE_LOOP_NEXT: value = at * 2 + 1; break;
    case RE_SAVE: break;
    default: return RE_NONE;
    }
    pike->jobs[(*depth)++] = (struct job){RESTORE | inst->x, slots[inst->x]};
    slots[inst->x] = value;
    return pc + 1;
}

static bool is_leaf(const struct re_inst *inst) {
    return inst->op == RE_CLASS || inst->op == RE_BITMAP || inst->op == RE_ANY ||
           inst->op == RE_MATCH;
}

/* Adds the threads that pike->work's thread becomes at pc. */
static void add(struct re_pike *pike, struct threads *list, const struct place *place,
                uint32_t pc) {
    const struct re_program *program = &place->re->capture;
    uint32_t depth = 0;
    for (;;) {
        bool seen =
            pc != RE_NONE && list->index[pc] < list->count && list->dense[list->index[pc]] == pc;
        if (pc == RE_NONE || seen) {
            do {
                if (depth == 0) return;
                struct job job = pike->jobs[--depth];
                pc = job.pc;
                if (pc & RESTORE) pike->work[pc & ~RESTORE] = job.value;
            } while (pc & RESTORE);
            continue;
        }
        list->index[pc] = list->count;
        list->dense[list->count++] = pc;
        if (is_leaf(&program->insts[pc])) {
            memcpy(list->slots + (size_t)pc * program->slots, pike->work,
                   program->slots * sizeof *pike->work);
            pc = RE_NONE;
        } else {
            pc = pass(pike, place, pc, &depth);
        }
    }
}

/* Moves every thread of `now` over the symbol at place->at, which is of `class`. */
static void move(struct re_pike *pike, struct place *place, uint32_t class, size_t symbol_len) {
    const struct re_program *program = &place->re->capture;
    place->at += symbol_len;
    pike->next.count = 0;
    for (uint32_t i = 0; i < pike->now.count; i++) {
        uint32_t pc = pike->now.dense[i];
        const struct re_inst *inst = &program->insts[pc];
        if (!is_leaf(inst) || inst->op == RE_MATCH ||
            !re_inst_takes(&place->re->classes, inst, class))
            continue;
        memcpy(pike->work, pike->now.slots + (size_t)pc * program->slots,
               program->slots * sizeof *pike->work);
        add(pike, &pike->next, place, pc + 1);
    }
    struct threads swap = pike->now;
    pike->now = pike->next;
    pike->next = swap;
}

int re_pike_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                   unsigned flags, ptrdiff_t *slots) {
    struct re_pike *pike = get_memory(re);
    if (pike == NULL) return PF_RE_NOMEM;
    const struct re_program *program = &re->capture;
    struct place place = {re, text, len, start, flags};
    for (uint32_t i = 0; i < program->slots; i++) pike->work[i] = -1;
    pike->now.count = 0;
    add(pike, &pike->now, &place, 0);
    while (place.at < end) {
        size_t n;
        uint32_t class = re_class_at(re, text, len, place.at, &n);
        move(pike, &place, class, n);
        re_step(re, pike->now.count + 1);
    }
    for (uint32_t i = 0; i < pike->now.count; i++) {
        uint32_t pc = pike->now.dense[i];
        if (program->insts[pc].op != RE_MATCH) continue;
        memcpy(slots, pike->now.slots + (size_t)pc * program->slots,
               program->slots * sizeof *slots);
        return PF_RE_OK;
    }
    return PF_RE_NOMATCH;
}
