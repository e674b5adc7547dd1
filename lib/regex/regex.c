/*
 * lib/regex/regex.c: the public face: compiling, and choosing how to search.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

/* ------------------------------------------------------------------ memory and turns */

static void *malloc_realloc(void *user, void *old, size_t size) {
    (void)user;
    if (size > 0) return realloc(old, size);
    free(old);
    return NULL;
}

static const pf_regex_host default_host = {malloc_realloc, NULL, NULL};

void *re_realloc(pf_regex *re, void *old, size_t size) {
    return re->host->realloc(re->host->user, old, size > 0 ? size : 1);
}

void re_free(pf_regex *re, void *memory) {
    if (memory != NULL) re->host->realloc(re->host->user, memory, 0);
}

bool re_grow(pf_regex *re, void *array_pointer, uint32_t *cap, uint32_t need, size_t element) {
    if (need <= *cap) return true;
    uint32_t wanted = *cap < 8 ? 8 : *cap + *cap / 2;
    if (wanted < need) wanted = need;
    if (wanted > SIZE_MAX / 2 / element) return false;
    void *old, *memory;
    memcpy(&old, array_pointer, sizeof old);
    memory = re_realloc(re, old, wanted * element);
    if (memory == NULL) return false;
    memcpy(array_pointer, &memory, sizeof memory);
    *cap = wanted;
    return true;
}

void re_step(pf_regex *re, uint32_t steps) {
    re->steps += steps;
    if (re->steps < RE_YIELD_STEPS) return;
    re->steps = 0;
    if (re->host->yield != NULL) re->host->yield();
}

/* ------------------------------------------------------------------ compiling */

/* Whether every match begins at the start of the text. */
static bool begins_with_text(const pf_regex *re, uint32_t index) {
    const struct re_node *node = &re->nodes[index];
    switch (node->kind) {
    case RE_NODE_ASSERT:
        return node->a == RE_TEXT_START ||
               (node->a == RE_LINE_START && !(re->flags & PF_RE_NEWLINE));
    case RE_NODE_GROUP: return begins_with_text(re, node->first);
    case RE_NODE_CAT: return node->first != RE_NONE && begins_with_text(re, node->first);
    case RE_NODE_REPEAT: return node->a > 0 && begins_with_text(re, node->first);
    case RE_NODE_ALT:
        for (uint32_t child = node->first; child != RE_NONE; child = re->nodes[child].next)
            if (!begins_with_text(re, child)) return false;
        return true;
    default: return false;
    }
}

static size_t symbol_bytes(const pf_regex *re, uint32_t symbol) {
    char bytes[PF_UTF8_MAX];
    if (!re->utf8 || symbol > PF_UNI_MAX) return 1;
    int n = pf_utf8_encode(symbol, bytes);
    return n > 0 ? (size_t)n : RE_DIFFERENT;
}

/* The number of bytes that every match of the node has. */
size_t re_fixed_bytes(const pf_regex *re, uint32_t index) {
    const struct re_node *node = &re->nodes[index];
    size_t sum = 0, part;
    switch (node->kind) {
    case RE_NODE_EMPTY:
    case RE_NODE_ASSERT: return 0;
    case RE_NODE_SET: {
        const struct re_set *set = &re->sets[node->a];
        if (set->count == 0) return 0;
        size_t least = symbol_bytes(re, set->ranges[0].first);
        size_t most = symbol_bytes(re, set->ranges[set->count - 1].last);
        return least == most ? least : RE_DIFFERENT;
    }
    case RE_NODE_GROUP: return re_fixed_bytes(re, node->first);
    case RE_NODE_CAT:
        for (uint32_t child = node->first; child != RE_NONE; child = re->nodes[child].next) {
            part = re_fixed_bytes(re, child);
            if (part == RE_DIFFERENT || (sum += part) > (1u << 24)) return RE_DIFFERENT;
        }
        return sum;
    case RE_NODE_ALT:
        sum = re_fixed_bytes(re, node->first);
        for (uint32_t child = re->nodes[node->first].next; child != RE_NONE;
             child = re->nodes[child].next)
            if (re_fixed_bytes(re, child) != sum) return RE_DIFFERENT;
        return sum;
    case RE_NODE_REPEAT:
        part = re_fixed_bytes(re, node->first);
        if (node->a != node->b || part == RE_DIFFERENT || part > (1u << 24) / (node->a + 1))
            return RE_DIFFERENT;
        return part * node->a;
    default: return RE_DIFFERENT;
    }
}

static int compile(pf_regex *re, const char *pattern, size_t len, const char **message) {
    int status = re_parse(re, pattern, len, message);
    if (status != PF_RE_OK) return status;
    *message = "Memory exhausted";
    re->text_anchored = begins_with_text(re, re->root);
    re->fixed_len = re_fixed_bytes(re, re->root);
    status = re_literal_make(re);
    if (status == PF_RE_OK) status = re_classes_make(re);
    if (status != PF_RE_OK) return status;
    if (re->literal.whole) return PF_RE_OK;
    status = re_program_make(re, &re->forward, false, false);
    if (status != PF_RE_OK) *message = "Regular expression too big";
    return status;
}

int pf_regex_compile(pf_regex **out, const char *pattern, size_t len, unsigned flags,
                     const pf_regex_host *host, const char **message) {
    const char *unused;
    if (message == NULL) message = &unused;
    if (host == NULL) host = &default_host;
    *out = NULL;
    *message = "Memory exhausted";
    if (len > UINT32_MAX / 8) return PF_RE_NOMEM;
    pf_regex *re = host->realloc(host->user, NULL, sizeof *re);
    if (re == NULL) return PF_RE_NOMEM;
    *re = (pf_regex){.host = host, .flags = flags, .utf8 = !(flags & PF_RE_BYTES)};
    int status = compile(re, pattern, len, message);
    if (status != PF_RE_OK) {
        pf_regex_free(re);
        return status;
    }
    *message = NULL;
    *out = re;
    return PF_RE_OK;
}

void pf_regex_free(pf_regex *re) {
    if (re == NULL) return;
    for (int mode = 0; mode < RE_DFA_MODES; mode++) re_dfa_free(re, re->dfa[mode]);
    re_backtrack_free(re);
    re_pike_free(re);
    re_walk_free(re);
    re_program_free(re, &re->forward);
    re_program_free(re, &re->backward);
    re_program_free(re, &re->capture);
    re_classes_free(re);
    for (uint32_t i = 0; i < re->set_count; i++) re_set_free(re, &re->sets[i]);
    re_free(re, re->sets);
    re_free(re, re->nodes);
    re_free(re, re->literal.bytes);
    re_free(re, re);
}

int pf_regex_groups(const pf_regex *re) {
    return (int)re->groups;
}

/* ------------------------------------------------------------------ searching */

static int ensure(pf_regex *re, struct re_program *program, bool reverse, bool captures) {
    return program->count > 0 ? PF_RE_OK : re_program_make(re, program, reverse, captures);
}

static void fill(pf_range *ranges, size_t count, const ptrdiff_t *slots, size_t groups) {
    for (size_t i = 0; i < count; i++) {
        bool set = i <= groups && slots[2 * i] >= 0 && slots[2 * i + 1] >= 0;
        ranges[i] = set ? (pf_range){slots[2 * i], slots[2 * i + 1]} : (pf_range){-1, -1};
    }
}

/* The start of the leftmost match, whose end is known. */
static int find_start(pf_regex *re, const char *text, size_t len, size_t floor, size_t end,
                      unsigned flags, size_t *start) {
    if (re->fixed_len != RE_DIFFERENT && re->fixed_len <= end) {
        *start = end - re->fixed_len;
        return PF_RE_OK;
    }
    if (re->text_anchored) {
        *start = floor;
        return PF_RE_OK;
    }
    int status = ensure(re, &re->backward, true, false);
    return status == PF_RE_OK ? re_dfa_backward(re, text, len, floor, end, flags, start) : status;
}

/* slots for a search: the caller's stack for few groups. */
#define FEW_SLOTS 40

static int find_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                       unsigned flags, pf_range *ranges, size_t count) {
    int status = ensure(re, &re->capture, false, true);
    if (status != PF_RE_OK) return status;
    ptrdiff_t few[FEW_SLOTS], *slots = few;
    if (re->capture.slots > FEW_SLOTS)
        slots = re_realloc(re, NULL, re->capture.slots * sizeof *slots);
    if (slots == NULL) return PF_RE_NOMEM;
    size_t places = end - start + 1, most = RE_MAX_VISITED / places;
    bool walk = re->capture.needs_walk && re->capture.count + 32 <= most;
    status = walk ? re_walk_groups(re, text, len, start, end, flags, slots) : PF_RE_NOMATCH;
    if (status == PF_RE_NOMATCH)
        status = (re->capture.splits < most ? re_backtrack_groups : re_pike_groups)(
            re, text, len, start, end, flags, slots);
    slots[0] = (ptrdiff_t)start;
    slots[1] = (ptrdiff_t)end;
    if (status == PF_RE_OK) fill(ranges, count, slots, re->groups);
    if (slots != few) re_free(re, slots);
    return status;
}

static int search_literal(pf_regex *re, const char *text, size_t len, size_t from, pf_range *ranges,
                          size_t count) {
    size_t at = re_literal_find(&re->literal, text, len, from);
    if (at == len) return PF_RE_NOMATCH;
    ptrdiff_t slots[2] = {(ptrdiff_t)at, (ptrdiff_t)(at + re->literal.len)};
    fill(ranges, count, slots, 0);
    return PF_RE_OK;
}

static int search_backref(pf_regex *re, const char *text, size_t len, size_t from, unsigned flags,
                          pf_range *ranges, size_t count) {
    /* The DFA lets anything pass for a back-reference: a text that it refuses is not tried. */
    size_t floor, end;
    int status = re_dfa_forward(re, RE_DFA_ANY, text, len, from, flags, &floor, &end);
    if (status == PF_RE_OK) status = ensure(re, &re->capture, false, true);
    if (status != PF_RE_OK) return status;
    ptrdiff_t *slots = re_realloc(re, NULL, re->capture.slots * sizeof *slots);
    if (slots == NULL) return PF_RE_NOMEM;
    status = re_backtrack_search(re, text, len, from, flags, slots);
    if (status == PF_RE_OK) fill(ranges, count, slots, re->groups);
    re_free(re, slots);
    return status;
}

int pf_regex_search(pf_regex *re, const char *text, size_t len, size_t from, unsigned flags,
                    pf_range *ranges, size_t count) {
    if (from > len) return PF_RE_NOMATCH;
    if (re->literal.whole) return search_literal(re, text, len, from, ranges, count);
    if (re->text_anchored && from > 0) return PF_RE_NOMATCH;
    if (re->has_backref) return search_backref(re, text, len, from, flags, ranges, count);
    enum re_dfa_mode mode = count == 0 ? RE_DFA_ANY : RE_DFA_LONGEST;
    size_t floor, start, end;
    int status = re_dfa_forward(re, mode, text, len, from, flags, &floor, &end);
    if (status != PF_RE_OK || count == 0) return status;
    status = find_start(re, text, len, floor, end, flags, &start);
    if (status != PF_RE_OK) return status;
    if (count > 1 && re->groups > 0 && !(re->flags & PF_RE_NOSUB))
        return find_groups(re, text, len, start, end, flags, ranges, count);
    ptrdiff_t slots[2] = {(ptrdiff_t)start, (ptrdiff_t)end};
    fill(ranges, count, slots, 0);
    return PF_RE_OK;
}

int pf_regex_fullmatch(pf_regex *re, const char *text, size_t len) {
    if (re->literal.whole) {
        bool equal = len == re->literal.len && re_literal_at(&re->literal, text);
        return equal ? PF_RE_OK : PF_RE_NOMATCH;
    }
    size_t floor, end;
    int status = re_dfa_forward(re, RE_DFA_WHOLE, text, len, 0, 0, &floor, &end);
    if (status != PF_RE_OK || !re->has_backref) return status;
    pf_range range;
    status = search_backref(re, text, len, 0, 0, &range, 1);
    if (status != PF_RE_OK) return status;
    return range.start == 0 && (size_t)range.end == len ? PF_RE_OK : PF_RE_NOMATCH;
}
