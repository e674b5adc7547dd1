/*
 * regex.c: [[ text =~ regex ]] and BASH_REMATCH; the only file that knows the regex library.
 *
 * A loop often matches one pattern again and again, so the last one stays compiled.
 */
#include "sh.h"

#include "lib/regex/regex.h"

#include <pf.h>

static void *regex_realloc(void *user, void *old, size_t size) {
    (void)user;
    if (size > 0) return realloc(old, size);
    free(old);
    return NULL;
}

static const pf_regex_host host = {.realloc = regex_realloc, .yield = pf_yield};

static struct {
    pf_regex *re;
    char *pattern;
    unsigned flags;
} last;

static void set_rematch(struct shell *sh, const char *text, const pf_range *m, size_t count) {
    struct var *v = var_make_local(sh, "BASH_REMATCH", 0);
    v->flags &= (uint16_t)~V_READONLY;
    var_to_array(sh, v);
    array_clear(var_array(v));
    for (size_t i = 0; i < count; i++) {
        const char *s = m[i].start < 0 ? "" : arena_strndup(&sh->tmp, text + m[i].start,
                                                            (size_t)(m[i].end - m[i].start));
        array_set(var_array(v), (int64_t)i, s);
    }
    v->flags |= V_SET;
}

static bool compile(const char *pattern, unsigned flags) {
    const char *message;
    if (last.re && last.flags == flags && strcmp(last.pattern, pattern) == 0) return true;
    pf_regex_free(last.re);
    free(last.pattern);
    last.re = NULL;
    last.pattern = NULL;
    if (pf_regex_compile(&last.re, pattern, strlen(pattern), flags, &host, &message) != PF_RE_OK) {
        last.re = NULL;
        return false;
    }
    last.pattern = xstrdup(pattern);
    last.flags = flags;
    return true;
}

int regex_match(struct shell *sh, const char *text, const char *pattern) {
    unsigned flags = PF_RE_EXTENDED | (sh->shopt[SHOPT_NOCASEMATCH] ? PF_RE_ICASE : 0);
    if (u8_is_bytes()) flags |= PF_RE_BYTES;
    if (!compile(pattern, flags)) {
        sh->regex_failed = true;
        return -1;
    }
    size_t count = (size_t)pf_regex_groups(last.re) + 1;
    pf_range *m = arena_alloc(&sh->tmp, count * sizeof *m);
    int result = pf_regex_search(last.re, text, strlen(text), 0, 0, m, count);
    if (result == PF_RE_LIMIT || result == PF_RE_NOMEM) {
        sh_error(sh, "regular expression too complex");
        sh->regex_failed = true;
        return -1;
    }
    set_rematch(sh, text, m, result == PF_RE_OK ? count : 0);
    return result == PF_RE_OK;
}
