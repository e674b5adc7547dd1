/*
 * lib/regex/set.c: sets of symbols as ranges. A finished set is sorted and disjoint.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

bool re_set_add(pf_regex *re, struct re_set *set, uint32_t first, uint32_t last) {
    if (!re_grow(re, &set->ranges, &set->cap, set->count + 1, sizeof *set->ranges)) return false;
    set->ranges[set->count++] = (struct re_range){first, last};
    return true;
}

/* Heap sort: class tables arrive sorted, but the union of two of them does not. */
static void sift(struct re_range *a, uint32_t root, uint32_t count) {
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && a[child + 1].first > a[child].first) child++;
        if (a[root].first >= a[child].first) return;
        struct re_range swap = a[root];
        a[root] = a[child];
        a[child] = swap;
        root = child;
    }
}

static void sort(struct re_range *a, uint32_t count) {
    uint32_t ordered = 1;
    while (ordered < count && a[ordered - 1].first <= a[ordered].first) ordered++;
    if (ordered >= count) return;
    for (uint32_t i = count / 2; i-- > 0;) sift(a, i, count);
    for (uint32_t end = count; end-- > 1;) {
        struct re_range swap = a[0];
        a[0] = a[end];
        a[end] = swap;
        sift(a, 0, end);
    }
}

void re_set_finish(struct re_set *set) {
    if (set->count < 2) return;
    sort(set->ranges, set->count);
    uint32_t out = 0;
    for (uint32_t i = 1; i < set->count; i++) {
        struct re_range *last = &set->ranges[out];
        if (set->ranges[i].first <= last->last + 1) {
            if (set->ranges[i].last > last->last) last->last = set->ranges[i].last;
        } else {
            set->ranges[++out] = set->ranges[i];
        }
    }
    set->count = out + 1;
}

/* Complements within the characters; invalid bytes are in no complement. */
bool re_set_negate(pf_regex *re, struct re_set *set) {
    re_set_finish(set);
    struct re_set out = {.number = UINT32_MAX};
    uint32_t top = re->utf8 ? PF_UNI_MAX : 0xff, next = 0;
    for (uint32_t i = 0; i < set->count && next <= top; i++) {
        struct re_range range = set->ranges[i];
        if (range.first > next &&
            !re_set_add(re, &out, next, range.first - 1 < top ? range.first - 1 : top)) {
            re_set_free(re, &out);
            return false;
        }
        next = range.last + 1;
    }
    if (next <= top && !re_set_add(re, &out, next, top)) {
        re_set_free(re, &out);
        return false;
    }
    re_set_free(re, set);
    *set = out;
    return true;
}

bool re_set_remove(pf_regex *re, struct re_set *set, uint32_t symbol) {
    re_set_finish(set);
    for (uint32_t i = 0; i < set->count; i++) {
        struct re_range *range = &set->ranges[i];
        if (symbol < range->first || symbol > range->last) continue;
        struct re_range upper = {symbol + 1, range->last};
        bool keep_lower = range->first < symbol, keep_upper = symbol < range->last;
        if (keep_lower) range->last = symbol - 1;
        if (keep_lower && keep_upper) {
            if (!re_set_add(re, set, upper.first, upper.last)) return false;
            re_set_finish(set);
        } else if (keep_upper) {
            *range = upper;
        } else if (!keep_lower) {
            memmove(range, range + 1, (set->count - i - 1) * sizeof *range);
            set->count--;
        }
        break;
    }
    return true;
}

bool re_set_has(const struct re_set *set, uint32_t symbol) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (symbol > set->ranges[mid].last)
            low = mid + 1;
        else
            high = mid;
    }
    return low < set->count && symbol >= set->ranges[low].first;
}

/* ------------------------------------------------------------------ named classes */

static bool add_runs(pf_regex *re, struct re_set *set, enum pf_uni_class class) {
    uint32_t first, last, top = re->utf8 ? PF_UNI_MAX : 0x7f;
    for (size_t i = 0; pf_uni_run(class, i, &first, &last) && first <= top; i++)
        if (!re_set_add(re, set, first, last < top ? last : top)) return false;
    return true;
}

/* Adds what is in `of` and not in `without`. */
static bool add_difference(pf_regex *re, struct re_set *set, struct re_set *of,
                           struct re_set *without) {
    re_set_finish(of);
    re_set_finish(without);
    uint32_t w = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        uint32_t next = of->ranges[i].first, last = of->ranges[i].last;
        while (w < without->count && without->ranges[w].last < next) w++;
        for (uint32_t k = w; next <= last; k++) {
            bool cut = k < without->count && without->ranges[k].first <= last;
            uint32_t stop = cut ? without->ranges[k].first : last + 1;
            if (stop > next && !re_set_add(re, set, next, stop - 1)) return false;
            if (!cut) break;
            next = without->ranges[k].last + 1;
        }
    }
    return true;
}

static bool add_positive(pf_regex *re, struct re_set *set, int class) {
    if (class <= PF_UNI_PRINT) return add_runs(re, set, (enum pf_uni_class) class);
    if (class == PF_UNI_ALNUM)
        return add_runs(re, set, PF_UNI_ALPHA) && add_runs(re, set, PF_UNI_DIGIT);
    struct re_set of = {0}, without = {0};
    bool ok = add_runs(re, &of, PF_UNI_PRINT) && add_runs(re, &without, PF_UNI_SPACE);
    if (ok && class == PF_UNI_PUNCT) ok = add_positive(re, &without, PF_UNI_ALNUM);
    ok = ok && add_difference(re, set, &of, &without);
    re_set_free(re, &of);
    re_set_free(re, &without);
    return ok;
}

bool re_set_add_class(pf_regex *re, struct re_set *set, int class, bool negated) {
    if (!negated) return add_positive(re, set, class);
    struct re_set part = {0};
    bool ok = add_positive(re, &part, class) && re_set_negate(re, &part);
    for (uint32_t i = 0; ok && i < part.count; i++)
        ok = re_set_add(re, set, part.ranges[i].first, part.ranges[i].last);
    re_set_free(re, &part);
    return ok;
}

/* \w: letters, digits and the underscore. */
bool re_set_add_word(pf_regex *re, struct re_set *set, bool negated) {
    struct re_set part = {0};
    bool ok = add_positive(re, &part, PF_UNI_ALNUM) && re_set_add(re, &part, '_', '_');
    if (ok && negated) ok = re_set_negate(re, &part);
    for (uint32_t i = 0; ok && i < part.count; i++)
        ok = re_set_add(re, set, part.ranges[i].first, part.ranges[i].last);
    re_set_free(re, &part);
    return ok;
}

/* ------------------------------------------------------------------ case */

/* Adds the part of [first, last] in run [low, high] of every stride-th, shifted by delta. */
static bool add_shifted(pf_regex *re, struct re_set *set, struct re_range part, struct re_range run,
                        uint32_t stride, int32_t delta) {
    uint32_t first = part.first > run.first ? part.first : run.first;
    uint32_t last = part.last < run.last ? part.last : run.last;
    if (first > last) return true;
    if (stride == 1) return re_set_add(re, set, first + (uint32_t)delta, last + (uint32_t)delta);
    first += (stride - (first - run.first) % stride) % stride;
    for (uint32_t c = first; c <= last; c += stride)
        if (!re_set_add(re, set, c + (uint32_t)delta, c + (uint32_t)delta)) return false;
    return true;
}

static bool fold_once(pf_regex *re, struct re_set *set) {
    uint32_t count = set->count;
    for (uint32_t i = 0; i < count; i++) {
        struct re_range part = set->ranges[i];
        for (int upper = 0; upper < 2; upper++) {
            struct re_range run;
            uint32_t stride;
            int32_t delta;
            for (size_t k = 0; pf_uni_case_run(upper, k, &run.first, &run.last, &stride, &delta);
                 k++) {
                struct re_range other = {run.first + (uint32_t)delta, run.last + (uint32_t)delta};
                if (!add_shifted(re, set, part, run, stride, delta)) return false;
                if (!add_shifted(re, set, part, other, stride, -delta)) return false;
            }
        }
    }
    re_set_finish(set);
    return true;
}

/* Letters whose only other case is the ASCII one: all but i, k and s. */
static bool is_plain_letter(uint32_t c) {
    c |= 0x20;
    return c >= 'a' && c <= 'z' && c != 'i' && c != 'k' && c != 's';
}

bool re_set_fold_case(pf_regex *re, struct re_set *set) {
    re_set_finish(set);
    if (set->count == 1 && set->ranges[0].first == set->ranges[0].last) {
        uint32_t c = set->ranges[0].first;
        if (c < 0x80 &&
            (!re->utf8 || is_plain_letter(c) || ((c | 0x20) < 'a' || (c | 0x20) > 'z'))) {
            bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
            bool ok = !letter || re_set_add(re, set, c ^ 0x20, c ^ 0x20);
            re_set_finish(set);
            return ok;
        }
    }
    if (!re->utf8) {
        for (uint32_t i = 0, count = set->count; i < count; i++) {
            struct re_range part = set->ranges[i];
            if (!add_shifted(re, set, part, (struct re_range){'a', 'z'}, 1, -32)) return false;
            if (!add_shifted(re, set, part, (struct re_range){'A', 'Z'}, 1, 32)) return false;
        }
        re_set_finish(set);
        return true;
    }
    return fold_once(re, set) && fold_once(re, set);
}

/* ------------------------------------------------------------------ the regex's own sets */

uint32_t re_set_intern(pf_regex *re, struct re_set *set) {
    for (uint32_t i = 0; i < re->set_count; i++) {
        const struct re_set *old = &re->sets[i];
        if (old->count == set->count &&
            (set->count == 0 ||
             memcmp(old->ranges, set->ranges, set->count * sizeof *set->ranges) == 0)) {
            re_set_free(re, set);
            return i;
        }
    }
    if (!re_grow(re, &re->sets, &re->set_cap, re->set_count + 1, sizeof *re->sets)) {
        re_set_free(re, set);
        return UINT32_MAX;
    }
    set->number = UINT32_MAX;
    re->sets[re->set_count] = *set;
    *set = (struct re_set){0};
    return re->set_count++;
}

void re_set_free(pf_regex *re, struct re_set *set) {
    re_free(re, set->ranges);
    *set = (struct re_set){.number = UINT32_MAX};
}
