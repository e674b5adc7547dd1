/*
 * lib/utf8/unicode.c: classes, case and width of a code point, from the generated tables.
 */
#include <string.h>

#include "tables.h"
#include "utf8.h"

static uint32_t run_first(uint32_t entry) {
    return entry >> 11;
}
static uint32_t run_last(uint32_t entry) {
    return (entry >> 11) + (entry & 0x7ff);
}

static bool in_runs(const uint32_t *runs, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (code > run_last(runs[mid]))
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && code >= run_first(runs[low]);
}

static const uint32_t *class_table(enum pf_uni_class class, size_t *count) {
    switch (class) {
#define TABLE(NAME, name)                                                                          \
    case PF_UNI_##NAME: *count = pf_uni_runs_##name##_count; return pf_uni_runs_##name;
        TABLE(ALPHA, alpha)
        TABLE(UPPER, upper)
        TABLE(LOWER, lower)
        TABLE(DIGIT, digit)
        TABLE(XDIGIT, xdigit)
        TABLE(SPACE, space)
        TABLE(BLANK, blank)
        TABLE(CNTRL, cntrl)
        TABLE(PRINT, print)
#undef TABLE
    default: *count = 0; return NULL;
    }
}

bool pf_uni_is(uint32_t code, enum pf_uni_class class) {
    switch (class) {
    case PF_UNI_ALNUM: return pf_uni_is(code, PF_UNI_ALPHA) || pf_uni_is(code, PF_UNI_DIGIT);
    case PF_UNI_GRAPH: return pf_uni_is(code, PF_UNI_PRINT) && !pf_uni_is(code, PF_UNI_SPACE);
    case PF_UNI_PUNCT: return pf_uni_is(code, PF_UNI_GRAPH) && !pf_uni_is(code, PF_UNI_ALNUM);
    default: break;
    }
    size_t count;
    const uint32_t *runs = class_table(class, &count);
    return in_runs(runs, count, code);
}

int pf_uni_class_named(const char *name, size_t len) {
    static const char names[PF_UNI_CLASSES][7] = {
        [PF_UNI_ALPHA] = "alpha", [PF_UNI_UPPER] = "upper",   [PF_UNI_LOWER] = "lower",
        [PF_UNI_DIGIT] = "digit", [PF_UNI_XDIGIT] = "xdigit", [PF_UNI_SPACE] = "space",
        [PF_UNI_BLANK] = "blank", [PF_UNI_CNTRL] = "cntrl",   [PF_UNI_PRINT] = "print",
        [PF_UNI_ALNUM] = "alnum", [PF_UNI_GRAPH] = "graph",   [PF_UNI_PUNCT] = "punct",
    };
    for (int i = 0; i < PF_UNI_CLASSES; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) return i;
    return -1;
}

bool pf_uni_run(enum pf_uni_class class, size_t index, uint32_t *first, uint32_t *last) {
    size_t count;
    const uint32_t *runs = class_table(class, &count);
    if (index >= count) return false;
    *first = run_first(runs[index]);
    *last = run_last(runs[index]);
    return true;
}

static uint32_t convert(const struct pf_uni_case *table, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (code > table[mid].last)
            low = mid + 1;
        else
            high = mid;
    }
    /* Two runs of stride 2 may interleave, so the neighbour is looked at too. */
    for (size_t i = low; i < count && i < low + 2; i++) {
        const struct pf_uni_case *run = &table[i];
        if (code >= run->first && code <= run->last &&
            (code - run->first) % (uint32_t)run->stride == 0)
            return code + (uint32_t)run->delta;
    }
    return code;
}

uint32_t pf_uni_lower(uint32_t code) {
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
    return convert(pf_uni_to_lower, pf_uni_to_lower_count, code);
}

uint32_t pf_uni_upper(uint32_t code) {
    if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 32 : code;
    return convert(pf_uni_to_upper, pf_uni_to_upper_count, code);
}

bool pf_uni_case_run(bool to_upper, size_t index, uint32_t *first, uint32_t *last, uint32_t *stride,
                     int32_t *delta) {
    const struct pf_uni_case *table = to_upper ? pf_uni_to_upper : pf_uni_to_lower;
    if (index >= (to_upper ? pf_uni_to_upper_count : pf_uni_to_lower_count)) return false;
    *first = table[index].first;
    *last = table[index].last;
    *stride = (uint32_t)table[index].stride;
    *delta = table[index].delta;
    return true;
}

int pf_uni_width(uint32_t code) {
    if (code >= 0x20 && code < 0x7f) return 1;
    if (code == 0) return 0;
    if (!in_runs(pf_uni_runs_print, pf_uni_runs_print_count, code)) return -1;
    if (in_runs(pf_uni_runs_zero, pf_uni_runs_zero_count, code)) return 0;
    return in_runs(pf_uni_runs_wide, pf_uni_runs_wide_count, code) ? 2 : 1;
}
