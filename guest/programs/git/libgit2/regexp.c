/*
 * regexp.c: libgit2's regular expressions, by lib/regex instead of the libraries that it knows.
 *
 * A git_regexp is a regex_t (git2_features.h); only its first bytes are used, for a pointer.
 */
#include "git2_util.h"
#include "regexp.h"

#include "g_regex.h"

static pf_regex *regex_of(const git_regexp *r) {
    pf_regex *re;
    memcpy(&re, r, sizeof re);
    return re;
}

int git_regexp_compile(git_regexp *r, const char *pattern, int flags) {
    pf_regex *re = NULL;
    const char *message = NULL;
    unsigned how = PF_RE_EXTENDED | (flags & GIT_REGEXP_ICASE ? PF_RE_ICASE : 0);
    memset(r, 0, sizeof *r);
    if (pf_regex_compile(&re, pattern, strlen(pattern), how, &g_regex_host, &message) != PF_RE_OK) {
        git_error_set_str(GIT_ERROR_REGEX, message ? message : "out of memory");
        return GIT_EINVALIDSPEC;
    }
    memcpy(r, &re, sizeof re);
    return 0;
}

void git_regexp_dispose(git_regexp *r) {
    pf_regex *re = regex_of(r);
    if (re) pf_regex_free(re);
    memset(r, 0, sizeof *r);
}

int git_regexp_match(const git_regexp *r, const char *string) {
    return git_regexp_search(r, string, 0, NULL);
}

int git_regexp_search(const git_regexp *r, const char *string, size_t nmatches,
                      git_regmatch *matches) {
    pf_range ranges[16];
    size_t count = nmatches < 16 ? nmatches : 16;
    int found = pf_regex_search(regex_of(r), string, strlen(string), 0, 0, ranges, count);
    if (found == PF_RE_NOMATCH) return GIT_ENOTFOUND;
    if (found != PF_RE_OK) return GIT_EINVALIDSPEC;
    for (size_t i = 0; i < nmatches; i++) {
        matches[i].start = i < count ? ranges[i].start : -1;
        matches[i].end = i < count ? ranges[i].end : -1;
    }
    return 0;
}
