/*
 * A byte of flags, a pattern, a NUL, and a text. Where it matches does not depend on whether groups
 * are asked for, what matches as a whole is found, and for patterns that every implementation reads
 * alike the match is glibc's.
 */
#include "fuzz.h"
#include "lib/regex/regex.h"

#include <regex.h>
#include <stdbool.h>
#include <string.h>

enum { GROUPS = 10, TEXT_MAX = 60, PATTERN_MAX = 40 };

/* Letters, groups, alternatives, sets of letters and simple repetitions, none of them empty or
 * doubled: elsewhere glibc has readings or faults of its own. */
static bool is_plain(const char *p) {
    int depth = 0;
    bool atom = false; /* is there something to repeat? */
    for (; *p; p++) {
        if (*p == '(') {
            depth++;
            atom = false;
        } else if (*p == ')') {
            if (!atom || depth-- == 0) return false;
        } else if (*p == '|') {
            if (!atom) return false;
            atom = false;
        } else if (strchr("*+?", *p)) {
            if (!atom || strchr("*+?", p[1])) return false;
        } else if ((*p >= 'a' && *p <= 'z') || *p == '.') {
            atom = true;
        } else {
            return false;
        }
    }
    return atom && depth == 0;
}

static void compare(const char *pattern, const char *text, size_t len, int got, pf_range found) {
    regex_t theirs;
    regmatch_t match;
    if (!is_plain(pattern) || strlen(pattern) > PATTERN_MAX || len > TEXT_MAX ||
        memchr(text, '\0', len))
        return;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] >= 0x80) return;
    MUST(regcomp(&theirs, pattern, REG_EXTENDED) == 0);
    char *copy = strndup(text, len);
    int want = regexec(&theirs, copy, 1, &match, 0);
    MUST((want == 0) == (got == PF_RE_OK));
    if (want == 0) MUST(match.rm_so == found.start && match.rm_eo == found.end);
    free(copy);
    regfree(&theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 4096) return 0;
    const uint8_t *end = memchr(data + 1, '\0', size - 1);
    if (!end) return 0;
    const char *pattern = (const char *)data + 1, *text = (const char *)end + 1, *message = NULL;
    size_t pattern_len = (size_t)(end - data) - 1, len = size - (size_t)(end - data) - 1;
    unsigned flags = data[0] & (PF_RE_EXTENDED | PF_RE_ICASE | PF_RE_NEWLINE | PF_RE_BYTES |
                                PF_RE_LITERAL | PF_RE_AWK | PF_RE_STRICT);
    pf_regex *re = NULL, *lean = NULL;
    int status = pf_regex_compile(&re, pattern, pattern_len, flags, NULL, &message);
    MUST((status == PF_RE_OK) == (re != NULL));
    MUST(status == PF_RE_OK || message);
    if (!re) return 0;
    pf_range with[GROUPS], without = {-1, -1};
    int got = pf_regex_search(re, text, len, 0, 0, with, GROUPS);
    int plain = pf_regex_search(re, text, len, 0, 0, NULL, 0);
    if (got <= PF_RE_NOMATCH && plain <= PF_RE_NOMATCH) MUST(got == plain);
    MUST(pf_regex_compile(&lean, pattern, pattern_len, flags | PF_RE_NOSUB, NULL, &message) ==
         PF_RE_OK);
    int alone = pf_regex_search(lean, text, len, 0, 0, &without, 1);
    if (got == PF_RE_OK) {
        MUST(0 <= with[0].start && with[0].start <= with[0].end && (size_t)with[0].end <= len);
        for (int i = 1; i < GROUPS; i++)
            MUST(
                (with[i].start == -1 && with[i].end == -1) ||
                (0 <= with[i].start && with[i].start <= with[i].end && (size_t)with[i].end <= len));
        if (alone <= PF_RE_NOMATCH)
            MUST(alone == PF_RE_OK && without.start == with[0].start && without.end == with[0].end);
    }
    int whole = pf_regex_fullmatch(re, text, len);
    if (got <= PF_RE_NOMATCH && whole == PF_RE_OK)
        MUST(got == PF_RE_OK && with[0].start == 0 && (size_t)with[0].end == len);
    if (flags == PF_RE_EXTENDED && strlen(pattern) == pattern_len)
        compare(pattern, text, len, got, with[0]);
    pf_regex_free(re);
    pf_regex_free(lean);
    return 0;
}
