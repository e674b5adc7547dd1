/*
 * lib/regex/nfa.c: the tree to instructions.
 *
 * Two kinds of program: for the DFA, forward or reversed, where only the language matters; and with
 * captures, where the order of RE_SPLIT's two ways is the order of preference and a loop whose body
 * may be empty is guarded. Intervals are written out, so the number of instructions is what bounds
 * a pattern.
 */
#include <string.h>

#include "internal.h"

struct emitter {
    pf_regex *re;
    struct re_program *program;
    bool failed;
};

static uint32_t emit(struct emitter *e, enum re_op op, uint32_t x, uint32_t y) {
    struct re_program *program = e->program;
    /* What only captures add is bounded by the work. */
    uint32_t bound = program->captures ? 12 * RE_MAX_INSTS : RE_MAX_INSTS;
    if (program->count >= bound || !re_grow(e->re, &program->insts, &program->cap,
                                            program->count + 1, sizeof *program->insts)) {
        e->failed = true;
        return 0;
    }
    uint32_t number = op == RE_SPLIT ? program->splits++ : 0;
    program->insts[program->count] = (struct re_inst){op & 0xff, number & 0xffffff, x, y};
    return program->count++;
}

static uint32_t here(const struct emitter *e) {
    return e->program->count;
}

static void gen(struct emitter *e, uint32_t index);

static void gen_set(struct emitter *e, uint32_t set) {
    const struct re_classes *classes = &e->re->classes;
    uint32_t number = e->re->sets[set].number, found = 0, class = 0;
    const uint32_t *bitmap = classes->bitmaps + (size_t)number * classes->words;
    for (uint32_t w = 0; w < classes->words && found < 2; w++) {
        if (bitmap[w] == 0) continue;
        found += (bitmap[w] & (bitmap[w] - 1)) == 0 ? 1 : 2;
        class = w * 32 + (uint32_t)__builtin_ctz(bitmap[w]);
    }
    if (found == 1)
        emit(e, RE_CLASS, class, 0);
    else
        emit(e, RE_BITMAP, number, 0);
}

/*
 * All splits come first, nested to the left as GNU nests them: ((a|b)|c). The order of preference
 * is that of the alternatives.
 */
static void gen_alternatives(struct emitter *e, const struct re_node *alt) {
    uint32_t first = here(e), count = 0, jumps = RE_NONE, child = alt->first;
    for (uint32_t k = child; k != RE_NONE; k = e->re->nodes[k].next) count++;
    for (uint32_t k = 1; k < count; k++) emit(e, RE_SPLIT, here(e) + 1, 0);
    for (uint32_t k = 0; k < count && !e->failed; k++, child = e->re->nodes[child].next) {
        if (k > 0) e->program->insts[first + count - 1 - k].y = here(e);
        gen(e, child);
        /* The jumps to the end are chained through x until the end is known. */
        if (k + 1 < count) jumps = emit(e, RE_JUMP, jumps, 0);
    }
    while (jumps != RE_NONE && !e->failed) {
        uint32_t before = e->program->insts[jumps].x;
        e->program->insts[jumps].x = here(e);
        jumps = before;
    }
}

/*
 * One writing of a repeated body. GNU treats an empty round of a group that may be left out in a
 * way of its own (walk.c), but forgets so in all but the first writing of a tree.
 */
static void gen_copy(struct emitter *e, uint32_t body, bool first, bool optional) {
    struct re_program *program = e->program;
    bool rewritten = program->rewritten;
    const struct re_node *node = &e->re->nodes[body];
    bool group = node->kind == RE_NODE_GROUP && optional && !rewritten;
    if (optional && node->nullable) program->needs_walk = true;
    program->optional_group = group ? node->a : 0;
    program->rewritten = rewritten || !first;
    gen(e, body);
    program->rewritten = rewritten;
}

/* body, again and again; at least once when `once`, for programs that keep no groups. */
static void gen_loop(struct emitter *e, uint32_t body, bool once) {
    uint32_t enter = once ? 0 : emit(e, RE_SPLIT, here(e) + 1, 0), round = here(e);
    gen(e, body);
    emit(e, RE_SPLIT, round, here(e) + 1);
    if (!e->failed && !once) e->program->insts[enter].y = here(e);
}

/* The same with groups, as GNU has it (`first`: the body was not written before): one split, to
 * which every round comes back. */
static void gen_star(struct emitter *e, uint32_t body, bool first) {
    uint32_t split = emit(e, RE_SPLIT, here(e) + 1, 0);
    gen_copy(e, body, first, true);
    emit(e, RE_JUMP, split, 0);
    if (!e->failed) e->program->insts[split].y = here(e);
}

/*
 * The same where backtracking remembers nothing: an empty round leaves (the first) or fails.
 * FIRST; jump over NEXT; NEXT; body; TEST; split back to NEXT
 */
static void gen_guarded(struct emitter *e, uint32_t body, bool once) {
    uint32_t enter = once ? 0 : emit(e, RE_SPLIT, here(e) + 1, 0), slot = e->program->slots++;
    emit(e, RE_LOOP_FIRST, slot, 0);
    emit(e, RE_JUMP, here(e) + 2, 0);
    uint32_t round = emit(e, RE_LOOP_NEXT, slot, 0);
    gen(e, body);
    uint32_t test = emit(e, RE_LOOP_TEST, slot, 0);
    emit(e, RE_SPLIT, round, here(e) + 1);
    if (e->failed) return;
    e->program->insts[test].y = here(e);
    if (!once) e->program->insts[enter].y = here(e);
}

/* Rounds up to which an interval's optional part is nested as GNU nests it. */
#define GNU_NESTING_MAX 32

/*
 * Up to `count` bodies. With captures as GNU nests it, ((x)?x)?, which prefers more rounds to
 * longer ones; the other way, (x(x)?)?, has smaller closures and is the same when all rounds are as
 * long.
 */
static void gen_optional(struct emitter *e, uint32_t body, uint32_t count, bool first) {
    bool as_gnu = e->program->captures && count > 1 && count <= GNU_NESTING_MAX &&
                  re_fixed_bytes(e->re, body) == RE_DIFFERENT;
    if (as_gnu) {
        uint32_t splits = here(e);
        for (uint32_t i = 0; i < count; i++) emit(e, RE_SPLIT, here(e) + 1, 0);
        for (uint32_t i = 0; i < count && !e->failed; i++) {
            gen_copy(e, body, first && i == 0, i == 0);
            if (!e->failed) e->program->insts[splits + count - 1 - i].y = here(e);
        }
        return;
    }
    uint32_t leave = RE_NONE;
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        leave = emit(e, RE_SPLIT, here(e) + 1, leave);
        gen_copy(e, body, first && i == 0, i == 0);
    }
    while (leave != RE_NONE && !e->failed) {
        uint32_t before = e->program->insts[leave].y;
        e->program->insts[leave].y = here(e);
        leave = before;
    }
}

static void gen_repeat(struct emitter *e, const struct re_node *repeat) {
    uint32_t body = repeat->first, min = repeat->a, max = repeat->b;
    bool endless = max == RE_ENDLESS, captures = e->program->captures;
    bool guarded = captures && e->re->has_backref && e->re->nodes[body].nullable;
    /* The last of the rounds that must be can be the loop's first. */
    bool once = endless && min > 0 && (!captures || guarded);
    for (uint32_t i = once ? 1 : 0; i < min && !e->failed; i++) gen_copy(e, body, i == 0, false);
    if (endless) {
        if (guarded)
            gen_guarded(e, body, once);
        else if (captures)
            gen_star(e, body, min == 0);
        else
            gen_loop(e, body, once);
        return;
    }
    gen_optional(e, body, max - min, min == 0);
}

static void gen(struct emitter *e, uint32_t index) {
    const struct re_node *node = &e->re->nodes[index];
    /* Repeated empty groups emit nothing: they are counted as work. */
    if (e->program->work++ > 4 * RE_MAX_INSTS) e->failed = true;
    if (e->failed) return;
    bool captures = e->program->captures, optional = e->program->optional_group == node->a;
    e->program->optional_group = 0;
    switch (node->kind) {
    case RE_NODE_SET: gen_set(e, node->a); break;
    case RE_NODE_ASSERT: emit(e, RE_ASSERT, node->a, 0); break;
    case RE_NODE_ALT: gen_alternatives(e, node); break;
    case RE_NODE_REPEAT: gen_repeat(e, node); break;
    case RE_NODE_CAT:
        for (uint32_t child = e->program->reverse ? node->last : node->first; child != RE_NONE;
             child = e->program->reverse ? e->re->nodes[child].prev : e->re->nodes[child].next)
            gen(e, child);
        break;
    case RE_NODE_GROUP:
        if (captures) emit(e, RE_SAVE, 2 * node->a, 0);
        gen(e, node->first);
        if (captures) emit(e, RE_SAVE, 2 * node->a + 1, optional);
        break;
    case RE_NODE_BACKREF:
        if (captures) {
            emit(e, RE_BACKREF, node->a, 0);
        } else {
            /* A DFA cannot know the text: it lets anything pass, and the answer is checked. */
            emit(e, RE_SPLIT, here(e) + 1, here(e) + 3);
            emit(e, RE_ANY, 0, 0);
            emit(e, RE_JUMP, here(e) - 2, 0);
        }
        break;
    default: break;
    }
}

int re_program_make(pf_regex *re, struct re_program *program, bool reverse, bool captures) {
    struct emitter e = {.re = re, .program = program};
    program->reverse = reverse;
    program->captures = captures;
    program->slots = 2 * (re->groups + 1);
    gen(&e, re->root);
    emit(&e, RE_MATCH, 0, 0);
    if (!e.failed) return PF_RE_OK;
    re_program_free(re, program);
    return PF_RE_NOMEM;
}

void re_program_free(pf_regex *re, struct re_program *program) {
    re_free(re, program->insts);
    *program = (struct re_program){0};
}
