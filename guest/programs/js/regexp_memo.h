/*
 * regexp_memo.h: keeps a regular expression from trying the same thing twice, so that patterns
 * such as (?:a?){30}a{30} or (a+)+b take polynomial time where plain backtracking takes
 * exponential time.
 *
 * Part of libregexp.c (adapt_regexp.py). When the engine goes back to an alternative, whether
 * that can still succeed depends on where it stands in the pattern and in the text, and on the
 * registers of the loops it is in; on the captures only if the pattern refers back to them. So
 * an alternative that was taken before, in the same state, has failed, and is passed over. The
 * order of what is tried is the same, hence also the match and its captures.
 *
 * Of a register that holds a position only matters whether it is the current one: outside of
 * lookaround the text is read forwards. Alternatives inside of lookaround are not remembered:
 * what follows them is not the rest of the pattern.
 *
 * Nothing is remembered before there were MEMO_PATIENCE steps for each character of the text:
 * ordinary patterns pay nothing.
 */

#define MEMO_COUNTERS 6 /* more are not worth their memory */
#define MEMO_PATIENCE 16
#define MEMO_BYTES    ((size_t)16 << 20) /* of the table; when it is full it begins anew */

/* counters: registers whose value matters. positions: those of which it matters whether they are
 * where the text is read. entries: keys of `words` numbers each; the first is the place in the
 * pattern, which is 0 in no key. */
struct lre_memo {
    const uint8_t *pattern, *pattern_end;
    size_t patience; /* steps to go; at its end it becomes active or is refused */
    bool active, refused;
    int depth; /* of lookaround */
    int counter_count, position_count, words;
    uint8_t counters[MEMO_COUNTERS], positions[32];
    uint32_t *entries;
    size_t size, used; /* in keys; the size is a power of two */
};

/* The bytes of the instruction at `pc`. */
static size_t memo_opcode_size(const uint8_t *pc) {
    switch (*pc) {
    case REOP_range:
    case REOP_range_i: return 3 + 4 * get_u16(pc + 1);
    case REOP_range32:
    case REOP_range32_i: return 3 + 8 * get_u16(pc + 1);
    default: return reopcode_info[*pc].size;
    }
}

/* Finds the registers in use. False: the pattern refers back to captures, or has too many of
 * them. */
static bool memo_read_pattern(struct lre_memo *memo, const uint8_t *pc, const uint8_t *end) {
    enum { COUNTER = 1, POSITION = 2 };
    uint8_t uses[256] = {0};
    for (; pc < end; pc += memo_opcode_size(pc)) {
        switch (*pc) {
        case REOP_back_reference:
        case REOP_back_reference_i:
        case REOP_backward_back_reference:
        case REOP_backward_back_reference_i: return false;
        case REOP_loop_check_adv_split_goto_first:
        case REOP_loop_check_adv_split_next_first:
            uses[(uint8_t)(pc[1] + 1)] |= POSITION; /* and its own register counts */
            uses[pc[1]] |= COUNTER;
            break;
        case REOP_set_i32:
        case REOP_loop:
        case REOP_loop_split_goto_first:
        case REOP_loop_split_next_first: uses[pc[1]] |= COUNTER; break;
        case REOP_set_char_pos:
        case REOP_check_advance: uses[pc[1]] |= POSITION; break;
        }
    }
    for (int i = 0; i < 256; i++) {
        if (uses[i] & COUNTER) {
            if (memo->counter_count == MEMO_COUNTERS) return false;
            memo->counters[memo->counter_count++] = (uint8_t)i;
        }
        if (uses[i] & POSITION) {
            if (memo->position_count == 32) return false;
            memo->positions[memo->position_count++] = (uint8_t)i;
        }
    }
    memo->words = 2 + memo->counter_count + (memo->position_count > 0);
    return true;
}

/* `steps` more were done. */
static void memo_count(struct lre_memo *memo, size_t steps) {
    if (memo->active || memo->refused) return;
    if (memo->patience > steps) {
        memo->patience -= steps;
        return;
    }
    memo->active = memo_read_pattern(memo, memo->pattern, memo->pattern_end);
    memo->refused = !memo->active;
}

static uint32_t *memo_find(const struct lre_memo *memo, const uint32_t *key) {
    uint32_t hash = 0;
    for (int i = 0; i < memo->words; i++) {
        hash = (hash ^ key[i]) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    for (size_t at = hash;; at++) {
        uint32_t *entry = memo->entries + (at & (memo->size - 1)) * (size_t)memo->words;
        if (entry[0] == 0 || !memcmp(entry, key, (size_t)memo->words * sizeof *key)) return entry;
    }
}

/* Makes room for one more key. False: there is no memory. */
static bool memo_room(struct lre_memo *memo, void *opaque) {
    if (memo->used * 4 < memo->size * 3) return true;
    size_t bytes = (size_t)memo->words * sizeof *memo->entries;
    size_t size = memo->size ? memo->size * 4 : 4096;
    if (size * bytes > MEMO_BYTES) {
        memset(memo->entries, 0, memo->size * bytes);
        memo->used = 0;
        return true;
    }
    struct lre_memo bigger = *memo;
    bigger.size = size;
    bigger.entries = lre_realloc(opaque, NULL, size * bytes);
    if (!bigger.entries) {
        quickjs_memory_failed = false; /* it goes on without */
        return false;
    }
    memset(bigger.entries, 0, size * bytes);
    for (size_t i = 0; i < memo->size; i++) {
        const uint32_t *entry = memo->entries + i * (size_t)memo->words;
        if (entry[0] != 0) memcpy(memo_find(&bigger, entry), entry, bytes);
    }
    lre_realloc(opaque, memo->entries, 0);
    *memo = bigger;
    return true;
}

/* True: the alternative at `pc` was taken before with the text at `cptr` and these registers.
 * Else it is remembered. `text`: where the text begins. */
static no_inline bool memo_seen(struct lre_memo *memo, void *opaque, const uint8_t *pc,
                                const uint8_t *cptr, const uint8_t *text, uint8_t **registers) {
    uint32_t key[2 + MEMO_COUNTERS + 1] = {(uint32_t)(pc - memo->pattern) + 1,
                                           (uint32_t)(cptr - text)};
    int words = 2;
    for (int i = 0; i < memo->counter_count; i++)
        key[words++] = (uint32_t)(uintptr_t)registers[memo->counters[i]];
    if (memo->position_count > 0) {
        for (int i = 0; i < memo->position_count; i++)
            key[words] |= (uint32_t)(registers[memo->positions[i]] == cptr) << i;
    }
    if (!memo_room(memo, opaque)) {
        memo->active = false;
        memo->refused = true;
        return false;
    }
    uint32_t *entry = memo_find(memo, key);
    if (entry[0] != 0) return true;
    memcpy(entry, key, (size_t)memo->words * sizeof *key);
    memo->used++;
    return false;
}
