/*
 * lib/regex/classes.c: the alphabet of one pattern.
 *
 * All symbols (characters and invalid bytes) fall into a few classes whose members no set of the
 * pattern tells apart; everything after this file sees classes only. ASCII is looked up by byte; a
 * character beyond it is decoded and found by bisection, with a small cache before it.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

/* ------------------------------------------------------------------ division */

/* Merges the sorted runs a[0 .. mid) and a[mid .. count). */
static void merge(const uint32_t *a, uint32_t mid, uint32_t count, uint32_t *out) {
    uint32_t left = 0, right = mid;
    for (uint32_t i = 0; i < count; i++)
        out[i] = right == count || (left < mid && a[left] <= a[right]) ? a[left++] : a[right++];
}

/* Sorts and makes unique: merges the runs that are there, which are few, as sets are sorted. */
static uint32_t sort_unique(uint32_t *a, uint32_t *work, uint32_t count) {
    for (bool sorted = false; !sorted;) {
        sorted = true;
        for (uint32_t begin = 0; begin < count;) {
            uint32_t mid = begin + 1;
            while (mid < count && a[mid - 1] <= a[mid]) mid++;
            uint32_t end = mid < count ? mid + 1 : mid;
            while (end < count && a[end - 1] <= a[end]) end++;
            if (mid < count) {
                merge(a + begin, mid - begin, end - begin, work);
                memcpy(a + begin, work, (end - begin) * sizeof *a);
                sorted = sorted && begin == 0 && end == count;
            }
            begin = end;
        }
    }
    uint32_t out = 0;
    for (uint32_t i = 0; i < count; i++)
        if (out == 0 || a[out - 1] != a[i]) a[out++] = a[i];
    return out;
}

static uint32_t interval_of(const struct re_classes *classes, uint32_t symbol) {
    uint32_t low = 0, high = classes->intervals;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (classes->starts[mid] <= symbol)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Every place where some set begins or ends, and where characters end. */
static int make_intervals(pf_regex *re) {
    struct re_classes *classes = &re->classes;
    uint32_t count = 0, cap = 0, need = 3;
    for (uint32_t i = 0; i < re->set_count; i++) need += 2 * re->sets[i].count;
    if (!re_grow(re, &classes->starts, &cap, need, sizeof *classes->starts)) return PF_RE_NOMEM;
    uint32_t *work = re_realloc(re, NULL, need * sizeof *work);
    if (work == NULL) return PF_RE_NOMEM;
    classes->starts[count++] = 0;
    for (uint32_t i = 0; i < re->set_count; i++) {
        const struct re_set *set = &re->sets[i];
        for (uint32_t k = 0; k < set->count; k++) {
            classes->starts[count++] = set->ranges[k].first;
            if (set->ranges[k].last < RE_SYMBOL_MAX)
                classes->starts[count++] = set->ranges[k].last + 1;
        }
    }
    classes->starts[count++] = RE_INVALID_BYTE(0);
    classes->intervals = sort_unique(classes->starts, work, count);
    re_free(re, work);
    classes->of_interval = re_realloc(re, NULL, classes->intervals * sizeof *classes->of_interval);
    if (classes->of_interval == NULL) return PF_RE_NOMEM;
    memset(classes->of_interval, 0, classes->intervals * sizeof *classes->of_interval);
    classes->count = 1;
    return PF_RE_OK;
}

/* Work memory of refining: for each class how many intervals it has, and has in this set. */
struct refine {
    uint32_t *size, *inside, *split;
};

/* Splits every class that the set cuts through. */
static int refine_by(pf_regex *re, struct refine *work, const struct re_set *set) {
    struct re_classes *classes = &re->classes;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t i = interval_of(classes, set->ranges[k].first);
            for (; i < classes->intervals && classes->starts[i] <= set->ranges[k].last; i++) {
                uint32_t class = classes->of_interval[i];
                if (pass == 0) {
                    work->inside[class]++;
                    continue;
                }
                if (work->inside[class] == work->size[class]) continue;
                if (work->split[class] == 0) {
                    if (classes->count >= RE_MAX_CLASSES) return PF_RE_NOMEM;
                    work->size[classes->count] = 0;
                    work->split[class] = classes->count++;
                }
                classes->of_interval[i] = (uint16_t)work->split[class];
                work->size[work->split[class]]++;
            }
        }
    }
    for (uint32_t class = 0; class < classes->count; class ++) {
        if (work->split[class] != 0) work->size[class] -= work->inside[class];
        work->inside[class] = work->split[class] = 0;
    }
    return PF_RE_OK;
}

static int divide(pf_regex *re) {
    struct re_classes *classes = &re->classes;
    struct refine work;
    size_t bytes = (classes->intervals + 1) * sizeof(uint32_t);
    work.size = re_realloc(re, NULL, 3 * bytes);
    if (work.size == NULL) return PF_RE_NOMEM;
    memset(work.size, 0, 3 * bytes);
    work.inside = work.size + classes->intervals + 1;
    work.split = work.inside + classes->intervals + 1;
    work.size[0] = classes->intervals;
    int status = PF_RE_OK;
    for (uint32_t i = 0; i < re->set_count && status == PF_RE_OK; i++)
        status = refine_by(re, &work, &re->sets[i]);
    re_free(re, work.size);
    return status;
}

/* ------------------------------------------------------------------ what sets are in classes */

static int make_bitmaps(pf_regex *re) {
    struct re_classes *classes = &re->classes;
    classes->words = (classes->count + 31) / 32;
    uint32_t count = 0;
    for (uint32_t i = 0; i < re->set_count; i++) re->sets[i].number = count++;
    size_t bytes = ((size_t)count * classes->words + 1) * sizeof *classes->bitmaps;
    if (bytes > (64u << 20)) return PF_RE_NOMEM;
    classes->bitmaps = re_realloc(re, NULL, bytes);
    if (classes->bitmaps == NULL) return PF_RE_NOMEM;
    memset(classes->bitmaps, 0, bytes);
    for (uint32_t s = 0; s < re->set_count; s++) {
        const struct re_set *set = &re->sets[s];
        uint32_t *bitmap = classes->bitmaps + (size_t)set->number * classes->words;
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t i = interval_of(classes, set->ranges[k].first);
            for (; i < classes->intervals && classes->starts[i] <= set->ranges[k].last; i++) {
                uint32_t class = classes->of_interval[i];
                bitmap[class / 32] |= 1u << (class % 32);
            }
        }
    }
    return PF_RE_OK;
}

static bool is_word(pf_regex *re, uint32_t symbol) {
    if (symbol < 0x80 || !re->utf8)
        return symbol == '_' || (symbol >= '0' && symbol <= '9') ||
               ((symbol | 0x20) >= 'a' && (symbol | 0x20) <= 'z');
    return symbol <= PF_UNI_MAX && pf_uni_is(symbol, PF_UNI_ALNUM);
}

static int make_contexts(pf_regex *re) {
    struct re_classes *classes = &re->classes;
    classes->context = re_realloc(re, NULL, classes->count);
    if (classes->context == NULL) return PF_RE_NOMEM;
    memset(classes->context, 0, classes->count);
    for (uint32_t i = 0; i < classes->intervals; i++) {
        uint32_t symbol = classes->starts[i], context = 0;
        if (re->has_word_assert && is_word(re, symbol)) context |= RE_CTX_WORD;
        if ((re->flags & PF_RE_NEWLINE) && symbol == '\n') context |= RE_CTX_LINE;
        classes->context[classes->of_interval[i]] = (uint8_t)context;
    }
    return PF_RE_OK;
}

/*
 * Bytes over 7f need decoding unless nothing in the pattern can tell what they are: then they are
 * of the class of all other characters, whatever they belong to.
 */
static bool must_decode(const pf_regex *re) {
    const struct re_classes *classes = &re->classes;
    if (re->has_word_assert) return true;
    uint32_t class = classes->of_interval[classes->intervals - 1];
    for (uint32_t i = interval_of(classes, 0x80); i < classes->intervals; i++)
        if (classes->of_interval[i] != class) return true;
    return false;
}

static void map_bytes(pf_regex *re) {
    struct re_classes *classes = &re->classes;
    bool decode = re->utf8 && must_decode(re);
    for (uint32_t byte = 0, i = 0; byte < 256; byte++) {
        while (i + 1 < classes->intervals && classes->starts[i + 1] <= byte) i++;
        classes->of_byte[byte] =
            decode && byte >= 0x80 ? (uint16_t)RE_COLUMN_DECODE(classes) : classes->of_interval[i];
    }
    memset(classes->cached_symbol, 0xff, sizeof classes->cached_symbol);
}

int re_classes_make(pf_regex *re) {
    /* Contexts must be told apart too. */
    struct re_set word = {.number = UINT32_MAX}, line = {.number = UINT32_MAX};
    if (re->has_word_assert) {
        if (!re_set_add_word(re, &word, false)) {
            re_set_free(re, &word);
            return PF_RE_NOMEM;
        }
        re_set_finish(&word);
        if (re_set_intern(re, &word) == UINT32_MAX) return PF_RE_NOMEM;
    }
    if ((re->flags & PF_RE_NEWLINE) && re->has_line_assert) {
        if (!re_set_add(re, &line, '\n', '\n') || re_set_intern(re, &line) == UINT32_MAX)
            return PF_RE_NOMEM;
    }
    int status = make_intervals(re);
    if (status == PF_RE_OK) status = divide(re);
    if (status == PF_RE_OK) status = make_bitmaps(re);
    if (status == PF_RE_OK) status = make_contexts(re);
    if (status == PF_RE_OK) map_bytes(re);
    return status;
}

void re_classes_free(pf_regex *re) {
    re_free(re, re->classes.starts);
    re_free(re, re->classes.of_interval);
    re_free(re, re->classes.context);
    re_free(re, re->classes.bitmaps);
}

/* ------------------------------------------------------------------ looking up */

uint32_t re_class_of(struct re_classes *classes, uint32_t symbol) {
    uint32_t slot = symbol % (sizeof classes->cached_symbol / sizeof *classes->cached_symbol);
    if (classes->cached_symbol[slot] == symbol) return classes->cached_class[slot];
    uint16_t class = classes->of_interval[interval_of(classes, symbol)];
    classes->cached_symbol[slot] = symbol;
    classes->cached_class[slot] = class;
    return class;
}

uint32_t re_class_at(pf_regex *re, const char *text, size_t len, size_t at, size_t *symbol_len) {
    unsigned char byte = (unsigned char)text[at];
    uint32_t class = re->classes.of_byte[byte], code;
    *symbol_len = 1;
    if (class != RE_COLUMN_DECODE(&re->classes)) return class;
    int n = pf_utf8_decode(text + at, len - at, &code);
    if (n == 0) return re_class_of(&re->classes, RE_INVALID_BYTE(byte));
    *symbol_len = (size_t)n;
    return re_class_of(&re->classes, code);
}

uint32_t re_class_before(pf_regex *re, const char *text, size_t at, size_t *symbol_len) {
    unsigned char byte = (unsigned char)text[at - 1];
    uint32_t class = re->classes.of_byte[byte], code;
    *symbol_len = 1;
    if (class != RE_COLUMN_DECODE(&re->classes)) return class;
    int n = pf_utf8_decode_last(text, at, &code);
    if (n == 0) return re_class_of(&re->classes, RE_INVALID_BYTE(byte));
    *symbol_len = (size_t)n;
    return re_class_of(&re->classes, code);
}

uint32_t re_context_left(pf_regex *re, const char *text, size_t at, unsigned flags) {
    if (at == 0) return RE_CTX_EDGE | (flags & PF_RE_NOTBOL ? 0 : RE_CTX_LINE);
    size_t n;
    return re->classes.context[re_class_before(re, text, at, &n)];
}

uint32_t re_context_right(pf_regex *re, const char *text, size_t len, size_t at, unsigned flags) {
    if (at == len) return RE_CTX_EDGE | (flags & PF_RE_NOTEOL ? 0 : RE_CTX_LINE);
    size_t n;
    return re->classes.context[re_class_at(re, text, len, at, &n)];
}

bool re_assert_holds(uint32_t kind, uint32_t left, uint32_t right) {
    bool left_word = left & RE_CTX_WORD, right_word = right & RE_CTX_WORD;
    switch (kind) {
    case RE_LINE_START: return left & RE_CTX_LINE;
    case RE_LINE_END: return right & RE_CTX_LINE;
    case RE_TEXT_START: return left & RE_CTX_EDGE;
    case RE_TEXT_END: return right & RE_CTX_EDGE;
    case RE_WORD_EDGE: return left_word != right_word;
    case RE_WORD_INSIDE: return left_word == right_word;
    case RE_WORD_START: return !left_word && right_word;
    default: return left_word && !right_word;
    }
}
