/*
 * lib/regex/walk.c: groups of a match in whose pattern a repeated or optional part can be empty.
 *
 * What such a part captures is nowhere defined well; programs expect what glibc gives. Like glibc,
 * this first finds from the end of the match backwards where every instruction can still lead to
 * that end, then walks once from the start, always on the preferred way that can. On the walk:
 *
 *   of two ways the first is taken, unless it was passed since the last symbol already;
 *   the empty end of a group that may be left out undoes everything since the last end of a group
 *   that was not empty, if this group had one before.
 */
#include <string.h>

#include "internal.h"

struct re_walk {
    uint32_t *ways, ways_cap;     /* a row of bits, one for each instruction, for each position */
    uint32_t *passed, passed_cap; /* a row: instructions passed since the last symbol */
    ptrdiff_t *before;            /* the slots at the last end of a group that was not empty */
    uint32_t before_cap;
};

struct walk {
    pf_regex *re;
    struct re_walk *memory;
    const struct re_program *program;
    const char *text;
    size_t len, start, end, at;
    unsigned flags;
    uint32_t words; /* of a row */
    ptrdiff_t *slots;
};

void re_walk_free(pf_regex *re) {
    if (re->walk == NULL) return;
    re_free(re, re->walk->ways);
    re_free(re, re->walk->passed);
    re_free(re, re->walk->before);
    re_free(re, re->walk);
}

static bool has(const uint32_t *row, uint32_t pc) {
    return row[pc / 32] >> (pc % 32) & 1;
}
static void add(uint32_t *row, uint32_t pc) {
    row[pc / 32] |= 1u << (pc % 32);
}

static uint32_t *row_at(const struct walk *walk, size_t at) {
    return walk->memory->ways + (at - walk->start) * walk->words;
}

static bool prepare(struct walk *walk) {
    pf_regex *re = walk->re;
    if (re->walk == NULL) {
        re->walk = re_realloc(re, NULL, sizeof *re->walk);
        if (re->walk == NULL) return false;
        *re->walk = (struct re_walk){0};
    }
    walk->memory = re->walk;
    walk->words = (walk->program->count + 31) / 32;
    uint32_t total = (uint32_t)(walk->end - walk->start + 1) * walk->words;
    if (!re_grow(re, &re->walk->ways, &re->walk->ways_cap, total, sizeof(uint32_t)) ||
        !re_grow(re, &re->walk->passed, &re->walk->passed_cap, walk->words, sizeof(uint32_t)) ||
        !re_grow(re, &re->walk->before, &re->walk->before_cap, walk->program->slots,
                 sizeof(ptrdiff_t)))
        return false;
    memset(re->walk->ways, 0, total * sizeof(uint32_t));
    memset(re->walk->passed, 0, walk->words * sizeof(uint32_t));
    return true;
}

/* ------------------------------------------------------------------ backwards */

static bool holds(const struct walk *walk, uint32_t kind, size_t at) {
    return re_assert_holds(kind, re_context_left(walk->re, walk->text, at, walk->flags),
                           re_context_right(walk->re, walk->text, walk->len, at, walk->flags));
}

/* Completes the row of one position with what leads to its members without a symbol. */
static void complete(struct walk *walk, uint32_t *row, size_t at) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = walk->program->count; pc-- > 0;) {
            const struct re_inst *inst = &walk->program->insts[pc];
            bool way = false;
            switch (inst->op) {
            case RE_JUMP: way = has(row, inst->x); break;
            case RE_SPLIT: way = has(row, inst->x) || has(row, inst->y); break;
            case RE_SAVE: way = has(row, pc + 1); break;
            case RE_ASSERT: way = has(row, pc + 1) && holds(walk, inst->x, at); break;
            default: break;
            }
            if (way && !has(row, pc)) {
                add(row, pc);
                changed = true;
            }
        }
        re_step(walk->re, walk->program->count);
    }
}

static void find_ways(struct walk *walk) {
    const struct re_program *program = walk->program;
    uint32_t *row = row_at(walk, walk->end);
    add(row, program->count - 1); /* RE_MATCH */
    complete(walk, row, walk->end);
    for (size_t at = walk->end; at > walk->start;) {
        size_t n;
        uint32_t class = re_class_before(walk->re, walk->text, at, &n);
        const uint32_t *next = row;
        at -= n < at - walk->start ? n : at - walk->start;
        row = row_at(walk, at);
        for (uint32_t pc = 0; pc < program->count; pc++) {
            const struct re_inst *inst = &program->insts[pc];
            bool takes = inst->op == RE_CLASS || inst->op == RE_BITMAP || inst->op == RE_ANY;
            if (takes && has(next, pc + 1) && re_inst_takes(&walk->re->classes, inst, class))
                add(row, pc);
        }
        complete(walk, row, at);
    }
}

/* ------------------------------------------------------------------ forwards */

static uint32_t past_jumps(const struct walk *walk, uint32_t pc) {
    while (walk->program->insts[pc].op == RE_JUMP) pc = walk->program->insts[pc].x;
    return pc;
}

static uint32_t choose(const struct walk *walk, const struct re_inst *split) {
    const uint32_t *row = row_at(walk, walk->at);
    uint32_t one = past_jumps(walk, split->x), two = past_jumps(walk, split->y);
    if (!has(row, one)) return two;
    return has(row, two) && has(walk->memory->passed, one) ? two : one;
}

static void save(struct walk *walk, const struct re_inst *inst) {
    ptrdiff_t at = (ptrdiff_t)walk->at, *slots = walk->slots, *before = walk->memory->before;
    size_t bytes = walk->program->slots * sizeof *slots;
    bool ends = inst->x & 1;
    if (!ends) {
        slots[inst->x] = at;
        slots[inst->x + 1] = -1;
    } else if (slots[inst->x - 1] < at) {
        slots[inst->x] = at;
        memcpy(before, slots, bytes);
    } else if (inst->y && before[inst->x - 1] >= 0) {
        memcpy(slots, before, bytes);
    } else {
        slots[inst->x] = at;
    }
}

/* One step of the walk; RE_NONE: there is no way on. */
static uint32_t advance(struct walk *walk, uint32_t pc) {
    const struct re_inst *inst = &walk->program->insts[pc];
    if (!has(row_at(walk, walk->at), pc)) return RE_NONE;
    switch (inst->op) {
    case RE_SPLIT: add(walk->memory->passed, pc); return choose(walk, inst);
    case RE_SAVE: save(walk, inst); /* fall through */
    case RE_ASSERT: add(walk->memory->passed, pc); return past_jumps(walk, pc + 1);
    default: break;
    }
    size_t n;
    re_class_at(walk->re, walk->text, walk->len, walk->at, &n);
    walk->at += n;
    memset(walk->memory->passed, 0, walk->words * sizeof(uint32_t));
    return past_jumps(walk, pc + 1);
}

int re_walk_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                   unsigned flags, ptrdiff_t *slots) {
    struct walk walk = {.re = re,
                        .program = &re->capture,
                        .text = text,
                        .len = len,
                        .start = start,
                        .end = end,
                        .at = start,
                        .flags = flags,
                        .slots = slots};
    if (!prepare(&walk)) return PF_RE_NOMEM;
    find_ways(&walk);
    for (uint32_t i = 0; i < walk.program->slots; i++) slots[i] = walk.memory->before[i] = -1;
    /* A walk that passes more instructions at one place than there are goes in a circle. */
    uint32_t pc = past_jumps(&walk, 0), here = 0;
    size_t last = start;
    while (pc != RE_NONE && (walk.program->insts[pc].op != RE_MATCH || walk.at != end)) {
        pc = advance(&walk, pc);
        here = walk.at == last ? here + 1 : 0;
        last = walk.at;
        if (here > 3 * walk.program->count) return PF_RE_NOMATCH;
        re_step(re, 1);
    }
    return pc == RE_NONE ? PF_RE_NOMATCH : PF_RE_OK;
}
