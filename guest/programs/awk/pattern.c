/*
 * pattern.c: regular expressions: constants, and those that are texts when the program runs.
 *
 * Each is compiled at first use, once with and once without regard to case (IGNORECASE). Those from
 * texts stay in a small table, which forgets the one whose place is needed.
 */
#include "awk.h"
#include "g_regex.h"
#include "pf.h"

#include <stdlib.h>

struct awk_regex {
    awk_text *source;
    pf_regex *compiled[2]; /* [1]: without regard to case */
};

enum { CACHE = 128 }; /* a power of 2 */
static awk_regex *cache[CACHE];
static awk_regex *last; /* found last */

awk_regex *regex_constant(const char *source, size_t len) {
    awk_regex *re = g_zalloc(sizeof *re);
    re->source = text_of(source, len);
    return re;
}

void regex_free(awk_regex *re) {
    text_drop(re->source);
    for (int i = 0; i < 2; i++)
        if (re->compiled[i]) pf_regex_free(re->compiled[i]);
    free(re);
}

const awk_text *regex_source(const awk_regex *re) {
    return re->source;
}

static pf_regex *compiled(awk_regex *re) {
    pf_regex **at = &re->compiled[awk.ignore_case];
    if (*at) return *at;
    unsigned flags = PF_RE_EXTENDED | PF_RE_AWK;
    if (awk.ignore_case) flags |= PF_RE_ICASE;
    if (awk.bytes) flags |= PF_RE_BYTES;
    const char *message;
    int error =
        pf_regex_compile(at, re->source->s, re->source->len, flags, &g_regex_host, &message);
    if (error) awk_fatal("invalid regexp: %s: /%s/", message, re->source->s);
    return *at;
}

const char *regex_mistake(const awk_text *source) {
    pf_regex *re;
    const char *message;
    unsigned flags = PF_RE_EXTENDED | PF_RE_AWK | (awk.bytes ? PF_RE_BYTES : 0);
    int error = pf_regex_compile(&re, source->s, source->len, flags, &g_regex_host, &message);
    if (!error) pf_regex_free(re);
    return error ? message : NULL;
}

awk_regex *regex_of(value *v) {
    if (v->kind == REGEX) return v->regex;
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *s = value_bytes(v, awk.convfmt, room, &len);
    if (last && last->source->len == len && memcmp(last->source->s, s, len) == 0) return last;
    awk_regex **slot = &cache[text_hash(s, len) & (CACHE - 1)];
    awk_regex *re = *slot;
    if (!re || re->source->len != len || memcmp(re->source->s, s, len) != 0) {
        if (re) regex_free(re);
        re = *slot = regex_constant(s, len);
    }
    last = re;
    return re;
}

bool regex_search(awk_regex *re, const char *s, size_t len, size_t from, bool not_bol, range *out,
                  size_t count) {
    pf_range ranges[RANGES_MAX];
    pf_regex *compiled_re = compiled(re);
    if (count > RANGES_MAX) count = RANGES_MAX;
    int result =
        pf_regex_search(compiled_re, s, len, from, not_bol ? PF_RE_NOTBOL : 0, ranges, count);
    if (result == PF_RE_NOMATCH) return false;
    if (result == PF_RE_NOMEM) awk_fatal("memory exhausted while matching /%s/", re->source->s);
    if (result != PF_RE_OK)
        awk_fatal("/%s/: matching takes too many steps: write it without back-references",
                  re->source->s);
    for (size_t i = 0; i < count; i++) out[i] = (range){ranges[i].start, ranges[i].end};
    return true;
}

bool regex_test(awk_regex *re, const char *s, size_t len) {
    int result = pf_regex_search(compiled(re), s, len, 0, 0, NULL, 0);
    if (result == PF_RE_NOMEM) awk_fatal("memory exhausted while matching /%s/", re->source->s);
    return result == PF_RE_OK;
}

size_t regex_groups(awk_regex *re) {
    return (size_t)pf_regex_groups(compiled(re));
}
