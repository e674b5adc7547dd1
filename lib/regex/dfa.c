/*
 * lib/regex/dfa.c: a deterministic automaton, built as the text asks for it.
 *
 * A state is a list of instructions that take a symbol (or are the match, or wait for what comes
 * next), plus the context on its left when an assertion in it still needs that. Whether a match
 * ends before a symbol is known when the symbol is: it is a flag on the transition.
 *
 * RE_DFA_LONGEST wants the end of the leftmost match, so its lists are divided by RE_MARK into
 * blocks in the order of where their threads began. Once a block matches, later ones are cut off
 * and no thread begins any more ("closed"): the last match reported is then the right one.
 *
 * A table over RE_MAX_CACHE is emptied and begun anew: memory stays bounded, time linear.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

/* A transition: the offset of the target's row, with these flags above. */
#define RE_T_MATCH   0x80000000u /* a match ends before this symbol */
#define RE_T_DEAD    0x40000000u /* nothing can match any more */
#define RE_T_UNKNOWN 0x20000000u
#define RE_T_DECODE  0x10000000u /* the byte alone does not say */
#define RE_T_FRESH   0x08000000u /* the target has only threads that begin there */
#define RE_T_OFFSET  0x07ffffffu
#define RE_T_SPECIAL 0x08000000u /* anything from here on has a flag */

#define RE_MARK UINT32_MAX

struct state {
    uint32_t insts, count; /* in the pool */
    uint32_t next;         /* in its hash chain */
    uint32_t hash;
    uint8_t context;
    bool closed, pending; /* no thread begins any more; some assertion waits */
};

/* Instructions in the order of insertion, each once. */
struct sparse {
    uint32_t *dense, *index, count;
};

struct re_dfa {
    const struct re_program *program;
    bool blocks, unanchored;
    bool skips; /* forward only: a fresh state may go on at the next place of the literal */
    uint32_t columns;
    uint32_t *trans, trans_cap;
    struct state *states;
    uint32_t state_count, state_cap;
    uint32_t *pool, pool_count, pool_cap;
    uint32_t *buckets, bucket_count;
    uint32_t start[8]; /* rows of the start states by context, RE_T_UNKNOWN before they are made */
    struct sparse ready, after; /* the current threads past their assertions; the next ones */
    uint32_t *stack, stack_cap; /* of the closure */
    uint32_t *list, list_cap;   /* the state that is being made, or a copy of the current one */
};

void re_dfa_free(pf_regex *re, struct re_dfa *dfa) {
    if (dfa == NULL) return;
    re_free(re, dfa->trans);
    re_free(re, dfa->states);
    re_free(re, dfa->pool);
    re_free(re, dfa->buckets);
    re_free(re, dfa->ready.dense);
    re_free(re, dfa->stack);
    re_free(re, dfa->list);
    re_free(re, dfa);
}

static void forget_states(struct re_dfa *dfa) {
    dfa->state_count = dfa->pool_count = 0;
    memset(dfa->buckets, 0xff, dfa->bucket_count * sizeof *dfa->buckets);
    for (int i = 0; i < 8; i++) dfa->start[i] = RE_T_UNKNOWN;
}

static struct re_dfa *dfa_new(pf_regex *re, enum re_dfa_mode mode) {
    struct re_dfa *dfa = re_realloc(re, NULL, sizeof *dfa);
    if (dfa == NULL) return NULL;
    *dfa = (struct re_dfa){
        .program = mode == RE_DFA_BACK ? &re->backward : &re->forward,
        .blocks = mode == RE_DFA_LONGEST,
        .unanchored = mode <= RE_DFA_LONGEST && !re->text_anchored,
        .skips = mode <= RE_DFA_LONGEST && !re->text_anchored && re->literal.len > 0,
        .columns = RE_COLUMNS(&re->classes),
        .bucket_count = 64,
    };
    uint32_t n = dfa->program->count;
    dfa->buckets = re_realloc(re, NULL, dfa->bucket_count * sizeof *dfa->buckets);
    uint32_t *memory = re_realloc(re, NULL, 4 * n * sizeof *memory);
    dfa->ready.dense = memory;
    bool ok = dfa->buckets != NULL && memory != NULL &&
              re_grow(re, &dfa->stack, &dfa->stack_cap, 2 * n + 2, sizeof *dfa->stack) &&
              re_grow(re, &dfa->list, &dfa->list_cap, 2 * n + 2, sizeof *dfa->list);
    if (!ok) {
        re_dfa_free(re, dfa);
        return NULL;
    }
    memset(memory, 0, 4 * n * sizeof *memory);
    dfa->ready.index = memory + n;
    dfa->after.dense = memory + 2 * n;
    dfa->after.index = memory + 3 * n;
    forget_states(dfa);
    return dfa;
}

/* ------------------------------------------------------------------ closures */

static bool sparse_has(const struct sparse *set, uint32_t pc) {
    return set->index[pc] < set->count && set->dense[set->index[pc]] == pc;
}

static void sparse_add(struct sparse *set, uint32_t pc) {
    set->index[pc] = set->count;
    set->dense[set->count++] = pc;
}

/* What is known around the position: the side already passed, and maybe the one ahead. */
struct around {
    uint32_t behind, ahead;
    bool ahead_known;
};

enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_WAIT };

static enum verdict judge(const struct re_dfa *dfa, uint32_t kind, const struct around *around) {
    bool reverse = dfa->program->reverse;
    bool looks_left = kind == RE_LINE_START || kind == RE_TEXT_START;
    bool looks_right = kind == RE_LINE_END || kind == RE_TEXT_END;
    bool behind_decides = reverse ? looks_right : looks_left;
    if (!around->ahead_known && !behind_decides) return VERDICT_WAIT;
    uint32_t left = reverse ? around->ahead : around->behind;
    uint32_t right = reverse ? around->behind : around->ahead;
    return re_assert_holds(kind, left, right) ? VERDICT_YES : VERDICT_NO;
}

/*
 * Adds to `set` what can be reached from pc without a symbol. Instructions that lead on are members
 * too, so that each is followed once; only_leaves() drops them.
 */
static void close_over(struct re_dfa *dfa, struct sparse *set, uint32_t pc,
                       const struct around *around) {
    uint32_t depth = 0;
    dfa->stack[depth++] = pc;
    while (depth > 0) {
        pc = dfa->stack[--depth];
        if (sparse_has(set, pc)) continue;
        sparse_add(set, pc);
        const struct re_inst *inst = &dfa->program->insts[pc];
        switch (inst->op) {
        case RE_JUMP: dfa->stack[depth++] = inst->x; break;
        case RE_SPLIT:
            dfa->stack[depth++] = inst->y;
            dfa->stack[depth++] = inst->x;
            break;
        case RE_ASSERT:
            if (judge(dfa, inst->x, around) == VERDICT_YES) dfa->stack[depth++] = pc + 1;
            break;
        default: break;
        }
    }
}

static bool is_leaf(const struct re_dfa *dfa, uint32_t pc, const struct around *around,
                    bool *pending) {
    const struct re_inst *inst = &dfa->program->insts[pc];
    if (inst->op == RE_JUMP || inst->op == RE_SPLIT) return false;
    if (inst->op != RE_ASSERT) return true;
    if (judge(dfa, inst->x, around) != VERDICT_WAIT) return false;
    *pending = true;
    return true;
}

/* Ascending order makes equal sets equal lists. */
static void sort_block(uint32_t *block, uint32_t count) {
    static const uint32_t gaps[] = {57313, 19100, 6367, 2122, 707, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        uint32_t gap = gaps[g];
        for (uint32_t i = gap; i < count; i++) {
            uint32_t value = block[i], k = i;
            for (; k >= gap && block[k - gap] > value; k -= gap) block[k] = block[k - gap];
            block[k] = value;
        }
    }
}

/* Appends the members of `set` from `from` on to the list as a block; its new length. */
static uint32_t add_block(struct re_dfa *dfa, const struct sparse *set, uint32_t from,
                          uint32_t length, const struct around *around, bool *pending) {
    uint32_t begin = length;
    for (uint32_t i = from; i < set->count; i++)
        if (is_leaf(dfa, set->dense[i], around, pending)) dfa->list[length++] = set->dense[i];
    sort_block(dfa->list + begin, length - begin);
    if (dfa->blocks && length > begin) dfa->list[length++] = RE_MARK;
    return length;
}

/* ------------------------------------------------------------------ states */

static uint32_t hash_state(const uint32_t *list, uint32_t count, uint32_t extra) {
    uint32_t hash = 2166136261u ^ extra;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ list[i]) * 16777619u;
        hash ^= hash >> 15;
    }
    return hash;
}

static bool rehash(pf_regex *re, struct re_dfa *dfa) {
    uint32_t count = dfa->bucket_count * 4;
    uint32_t *buckets = re_realloc(re, dfa->buckets, count * sizeof *buckets);
    if (buckets == NULL) return false;
    dfa->buckets = buckets;
    dfa->bucket_count = count;
    memset(buckets, 0xff, count * sizeof *buckets);
    for (uint32_t i = 0; i < dfa->state_count; i++) {
        uint32_t *bucket = &buckets[dfa->states[i].hash & (count - 1)];
        dfa->states[i].next = *bucket;
        *bucket = i;
    }
    return true;
}

static size_t cache_size(const struct re_dfa *dfa) {
    return ((size_t)dfa->state_count * dfa->columns + dfa->pool_count) * sizeof(uint32_t) +
           dfa->state_count * sizeof *dfa->states;
}

/*
 * The row of the state that dfa->list[0 .. count) describes. *flushed: the table was emptied first.
 * RE_T_UNKNOWN: no memory.
 */
static uint32_t intern(pf_regex *re, struct re_dfa *dfa, uint32_t count, struct state want,
                       bool *flushed) {
    if (!want.pending) want.context = 0;
    want.count = count;
    want.hash = hash_state(dfa->list, count, want.context | (want.closed ? 16u : 0u));
    uint32_t id = dfa->buckets[want.hash & (dfa->bucket_count - 1)];
    for (; id != UINT32_MAX; id = dfa->states[id].next) {
        const struct state *old = &dfa->states[id];
        if (old->hash == want.hash && old->count == count && old->context == want.context &&
            old->closed == want.closed &&
            (count == 0 ||
             memcmp(dfa->pool + old->insts, dfa->list, count * sizeof *dfa->list) == 0))
            return id * dfa->columns;
    }
    size_t row = dfa->columns * sizeof(uint32_t);
    if (cache_size(dfa) + row + count * sizeof(uint32_t) > RE_MAX_CACHE + 8 * row) {
        forget_states(dfa);
        *flushed = true;
    }
    id = dfa->state_count;
    if (id >= dfa->bucket_count && !rehash(re, dfa)) return RE_T_UNKNOWN;
    if (!re_grow(re, &dfa->states, &dfa->state_cap, id + 1, sizeof *dfa->states) ||
        !re_grow(re, &dfa->trans, &dfa->trans_cap, (id + 1) * dfa->columns, sizeof *dfa->trans) ||
        !re_grow(re, &dfa->pool, &dfa->pool_cap, dfa->pool_count + count, sizeof *dfa->pool))
        return RE_T_UNKNOWN;
    if (count > 0) memcpy(dfa->pool + dfa->pool_count, dfa->list, count * sizeof *dfa->list);
    want.insts = dfa->pool_count;
    dfa->pool_count += count;
    uint32_t *bucket = &dfa->buckets[want.hash & (dfa->bucket_count - 1)];
    want.next = *bucket;
    *bucket = id;
    dfa->states[id] = want;
    dfa->state_count++;
    uint32_t *trans = dfa->trans + id * dfa->columns;
    for (uint32_t c = 0; c < dfa->columns; c++) trans[c] = RE_T_UNKNOWN;
    trans[RE_COLUMN_DECODE(&re->classes)] = RE_T_DECODE;
    return id * dfa->columns;
}

/* The row of the state in which a search begins with this context behind it. */
static uint32_t start_row(pf_regex *re, struct re_dfa *dfa, uint32_t context) {
    if (dfa->start[context] != RE_T_UNKNOWN) return dfa->start[context];
    struct around around = {.behind = context};
    struct state want = {.context = (uint8_t)context};
    bool flushed = false;
    dfa->after.count = 0;
    close_over(dfa, &dfa->after, 0, &around);
    uint32_t count = add_block(dfa, &dfa->after, 0, 0, &around, &want.pending);
    uint32_t row = intern(re, dfa, count, want, &flushed);
    dfa->start[context] = row;
    return row;
}

/* ------------------------------------------------------------------ one step */

/* One block of the current state: its threads past their assertions, in dfa->ready from `*from`. */
static uint32_t next_block(struct re_dfa *dfa, const uint32_t *insts, uint32_t count, uint32_t at,
                           bool pending, const struct around *around, uint32_t *from) {
    *from = dfa->ready.count;
    for (; at < count && insts[at] != RE_MARK; at++) {
        if (!pending) {
            sparse_add(&dfa->ready, insts[at]);
        } else if (dfa->program->insts[insts[at]].op != RE_ASSERT) {
            if (!sparse_has(&dfa->ready, insts[at])) sparse_add(&dfa->ready, insts[at]);
        } else if (!sparse_has(&dfa->ready, insts[at])) {
            close_over(dfa, &dfa->ready, insts[at], around);
        }
    }
    return at < count ? at + 1 : at;
}

static bool takes_symbol(const struct re_inst *inst) {
    return inst->op == RE_CLASS || inst->op == RE_BITMAP || inst->op == RE_ANY;
}

/*
 * Follows the symbol of `column` from the state at `row`, whose table entry it fills. At the end
 * columns only RE_T_MATCH of the answer has a meaning. RE_T_UNKNOWN: no memory.
 */
static uint32_t step(pf_regex *re, struct re_dfa *dfa, uint32_t row, uint32_t column) {
    struct re_classes *classes = &re->classes;
    const struct state current = dfa->states[row / dfa->columns];
    const uint32_t *insts = current.count == 0 ? NULL : dfa->pool + current.insts;
    bool at_end = column >= classes->count;
    uint32_t ahead = !at_end ? classes->context[column]
                             : RE_CTX_EDGE | (column == RE_COLUMN_END(classes) ? RE_CTX_LINE : 0u);
    struct around now = {current.context, ahead, true}, then = {.behind = ahead};
    struct state want = {.context = (uint8_t)ahead, .closed = current.closed};
    uint32_t matched = 0, length = 0;
    dfa->ready.count = dfa->after.count = 0;
    for (uint32_t at = 0; at < current.count && matched == 0;) {
        uint32_t from, begin = dfa->after.count;
        at = next_block(dfa, insts, current.count, at, current.pending, &now, &from);
        for (uint32_t i = from; i < dfa->ready.count; i++) {
            uint32_t pc = dfa->ready.dense[i];
            const struct re_inst *inst = &dfa->program->insts[pc];
            if (inst->op == RE_MATCH)
                matched = RE_T_MATCH;
            else if (!at_end && takes_symbol(inst) && re_inst_takes(classes, inst, column))
                close_over(dfa, &dfa->after, pc + 1, &then);
        }
        length = add_block(dfa, &dfa->after, begin, length, &then, &want.pending);
    }
    re_step(re, dfa->ready.count + dfa->after.count + 1);
    uint32_t result;
    bool flushed = false;
    if (matched != 0 && dfa->blocks) want.closed = true;
    bool fresh = length == 0 && !want.closed && dfa->skips;
    if (dfa->unanchored && !want.closed && !at_end) {
        uint32_t begin = dfa->after.count;
        close_over(dfa, &dfa->after, 0, &then);
        length = add_block(dfa, &dfa->after, begin, length, &then, &want.pending);
        if (!dfa->blocks) sort_block(dfa->list, length);
    }
    if (at_end || (length == 0 && (!dfa->unanchored || want.closed))) {
        result = matched | RE_T_DEAD;
    } else {
        result = intern(re, dfa, length, want, &flushed);
        if (result == RE_T_UNKNOWN) return result;
        result |= matched | (fresh ? RE_T_FRESH : 0);
    }
    if (!flushed) dfa->trans[row + column] = result;
    return result;
}

/* ------------------------------------------------------------------ forward */

enum stop {
    STOP_NOT,     /* go on */
    STOP_LIMIT,   /* scan->at reached scan->limit */
    STOP_UNKNOWN, /* the transition of scan->column is not in the table yet */
    STOP_FRESH,   /* only threads that begin at scan->at */
    STOP_FOUND,   /* a match, and the first is enough */
    STOP_DEAD,    /* nothing can match any more */
};

struct scan {
    const uint32_t *trans;
    struct re_classes *classes;
    const char *text;
    size_t at, limit, len;
    uint32_t row;
    uint32_t column; /* of the symbol at `at`, with STOP_UNKNOWN */
    size_t symbol_len;
    ptrdiff_t matched; /* the last end of a match, -1 */
    bool first_is_enough;
};

/* Takes one transition; `entry` is known and not RE_T_DECODE. */
static inline enum stop follow(struct scan *scan, uint32_t entry, size_t symbol_len) {
    if (entry & RE_T_MATCH) {
        scan->matched = (ptrdiff_t)scan->at;
        if (scan->first_is_enough) return STOP_FOUND;
    }
    if (entry & RE_T_DEAD) return STOP_DEAD;
    scan->row = entry & RE_T_OFFSET;
    scan->at += symbol_len;
    return entry & RE_T_FRESH ? STOP_FRESH : STOP_NOT;
}

/* The class of the character at text[at] where the byte alone does not say. */
static uint32_t decode_class(struct scan *scan, size_t *symbol_len) {
    uint32_t code;
    const char *p = scan->text + scan->at;
    int n = pf_utf8_decode(p, scan->len - scan->at, &code);
    *symbol_len = n == 0 ? 1 : (size_t)n;
    return re_class_of(scan->classes, n == 0 ? RE_INVALID_BYTE((unsigned char)*p) : code);
}

/* The hot loop: follows the table from scan->at to scan->limit. Calls nothing that could wait. */
static enum stop run_table(struct scan *scan) {
    const uint32_t *trans = scan->trans;
    const uint16_t *of_byte = scan->classes->of_byte;
    const char *text = scan->text;
    while (scan->at < scan->limit) {
        size_t at = scan->at, limit = scan->limit, symbol_len = 1;
        uint32_t row = scan->row, entry = 0, column = 0;
        while (at < limit) {
            column = of_byte[(unsigned char)text[at]];
            entry = trans[row + column];
            /* Most steps lead nowhere else: what does not wait for the one before is fast. */
            while (entry == row && ++at < limit) {
                column = of_byte[(unsigned char)text[at]];
                entry = trans[row + column];
            }
            if (at >= limit || entry >= RE_T_SPECIAL) break;
            row = entry;
            at++;
        }
        scan->at = at;
        scan->row = row;
        if (at >= limit) break;
        if (entry == RE_T_DECODE) {
            column = decode_class(scan, &symbol_len);
            entry = trans[row + column];
        }
        if (entry == RE_T_UNKNOWN) {
            scan->column = column;
            scan->symbol_len = symbol_len;
            return STOP_UNKNOWN;
        }
        enum stop stop = follow(scan, entry, symbol_len);
        if (stop != STOP_NOT) return stop;
    }
    return STOP_LIMIT;
}

static struct re_dfa *dfa_get(pf_regex *re, enum re_dfa_mode mode) {
    if (re->dfa[mode] == NULL) re->dfa[mode] = dfa_new(re, mode);
    return re->dfa[mode];
}

/* Whether the step on `column` from `row` reports a match before it. */
static int match_before(pf_regex *re, struct re_dfa *dfa, uint32_t row, uint32_t column) {
    uint32_t entry = dfa->trans[row + column];
    if (entry == RE_T_UNKNOWN) entry = step(re, dfa, row, column);
    if (entry == RE_T_UNKNOWN) return PF_RE_NOMEM;
    return entry & RE_T_MATCH ? PF_RE_OK : PF_RE_NOMATCH;
}

/* Nothing has begun yet: goes to where a match can begin. STOP_DEAD: nowhere; STOP_LIMIT: memory.
 */
static enum stop begin(pf_regex *re, struct re_dfa *dfa, struct scan *scan, unsigned flags) {
    if (dfa->skips) {
        scan->at = re_literal_find(&re->literal, scan->text, scan->len, scan->at);
        if (scan->at == scan->len) return STOP_DEAD;
    }
    scan->row = start_row(re, dfa, re_context_left(re, scan->text, scan->at, flags));
    return scan->row == RE_T_UNKNOWN ? STOP_LIMIT : STOP_NOT;
}

/* Runs until the end of the text, STOP_FOUND or STOP_DEAD. STOP_UNKNOWN: no memory. */
static enum stop run_forward(pf_regex *re, struct re_dfa *dfa, struct scan *scan, unsigned flags,
                             size_t *start_floor) {
    enum stop stop = STOP_FRESH;
    for (;;) {
        if (stop == STOP_FRESH) {
            stop = begin(re, dfa, scan, flags);
            if (stop == STOP_DEAD) return stop;
            if (stop == STOP_LIMIT) return STOP_UNKNOWN;
            *start_floor = scan->at;
        }
        if (scan->at >= scan->limit) {
            if (scan->limit > 0) re_step(re, RE_YIELD_STEPS);
            size_t left = scan->len - scan->at;
            scan->limit = scan->at + (left > RE_YIELD_BYTES ? RE_YIELD_BYTES : left);
        }
        scan->trans = dfa->trans;
        stop = run_table(scan);
        if (stop == STOP_UNKNOWN) {
            uint32_t entry = step(re, dfa, scan->row, scan->column);
            if (entry == RE_T_UNKNOWN) return STOP_UNKNOWN;
            stop = follow(scan, entry, scan->symbol_len);
        }
        if (stop == STOP_FOUND || stop == STOP_DEAD) return stop;
        if (scan->at == scan->len && stop != STOP_FRESH) return STOP_LIMIT;
    }
}

int re_dfa_forward(pf_regex *re, enum re_dfa_mode mode, const char *text, size_t len, size_t from,
                   unsigned flags, size_t *start_floor, size_t *end) {
    struct re_dfa *dfa = dfa_get(re, mode);
    if (dfa == NULL) return PF_RE_NOMEM;
    struct scan scan = {.classes = &re->classes,
                        .text = text,
                        .at = from,
                        .len = len,
                        .matched = -1,
                        .first_is_enough = mode == RE_DFA_ANY};
    *start_floor = from;
    enum stop stop = run_forward(re, dfa, &scan, flags, start_floor);
    if (stop == STOP_UNKNOWN) return PF_RE_NOMEM;
    if (stop == STOP_LIMIT) {
        uint32_t column =
            flags & PF_RE_NOTEOL ? RE_COLUMN_EDGE(&re->classes) : RE_COLUMN_END(&re->classes);
        int last = match_before(re, dfa, scan.row, column);
        if (mode == RE_DFA_WHOLE || last == PF_RE_NOMEM) return last;
        if (last == PF_RE_OK) scan.matched = (ptrdiff_t)len;
    }
    if (mode == RE_DFA_WHOLE || scan.matched < 0) return PF_RE_NOMATCH;
    *end = (size_t)scan.matched;
    return PF_RE_OK;
}

/* ------------------------------------------------------------------ backward */

int re_dfa_backward(pf_regex *re, const char *text, size_t len, size_t floor, size_t end,
                    unsigned flags, size_t *start) {
    struct re_dfa *dfa = dfa_get(re, RE_DFA_BACK);
    if (dfa == NULL) return PF_RE_NOMEM;
    uint32_t row = start_row(re, dfa, re_context_right(re, text, len, end, flags));
    ptrdiff_t found = -1;
    size_t at = end, since = 0;
    if (row == RE_T_UNKNOWN) return PF_RE_NOMEM;
    while (at > floor) {
        size_t n;
        uint32_t column = re_class_before(re, text, at, &n);
        uint32_t entry = dfa->trans[row + column];
        if (entry == RE_T_UNKNOWN) entry = step(re, dfa, row, column);
        if (entry == RE_T_UNKNOWN) return PF_RE_NOMEM;
        if (entry & RE_T_MATCH) found = (ptrdiff_t)at;
        if (entry & RE_T_DEAD) break;
        row = entry & RE_T_OFFSET;
        at -= n < at - floor ? n : at - floor;
        if (++since % RE_YIELD_BYTES == 0) re_step(re, RE_YIELD_STEPS);
    }
    if (at == floor) {
        /* What lies before the floor is looked at, not taken. */
        size_t n;
        uint32_t column = at > 0                 ? re_class_before(re, text, at, &n)
                          : flags & PF_RE_NOTBOL ? RE_COLUMN_EDGE(&re->classes)
                                                 : RE_COLUMN_END(&re->classes);
        int last = match_before(re, dfa, row, column);
        if (last == PF_RE_NOMEM) return last;
        if (last == PF_RE_OK) found = (ptrdiff_t)at;
    }
    if (found < 0) return PF_RE_NOMATCH;
    *start = (size_t)found;
    return PF_RE_OK;
}
