/*
 * host/capability/regex.c: see regex.h.
 */
#include "regex.h"

#include "lib/regex/regex.h"
#include "regex_translate.h"

#include <pthread.h>
#include <stdlib.h>

/* A policy is shared by the clones of a gate, which run on any thread; a pf_regex caches work. */
struct cap_regex {
    pf_regex *compiled;
    pf_regex_host host; /* its memory */
    bool no_memory;     /* an allocation failed: tells that apart from an expression too large */
    pthread_mutex_t lock;
};

static void *reallocate(void *user, void *old, size_t size) {
    struct cap_regex *regex = user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *memory = realloc(old, size);
    if (!memory) regex->no_memory = true;
    return memory;
}

static pf_status refuse(pf_error *error, const char *pattern, size_t len, const char *why,
                        size_t at) {
    int shown = len > 100 ? 100 : (int)len;
    return base_error(error, PF_INVALID, "the regular expression \"%.*s\" %s (at byte %zu)", shown,
                      pattern, why, at);
}

static pf_status compile(struct cap_regex *regex, const char *pattern, size_t len,
                         pf_error *error) {
    struct base_buf posix;
    base_buf_init(&posix, 64 * CAP_REGEX_MAX);
    size_t at = 0;
    const char *why = cap_regex_translate(&posix, pattern, len, &at);
    pf_status status = PF_OK;
    if (why) {
        status = refuse(error, pattern, len, why, at);
    } else if (posix.failed) {
        status =
            posix.over ? refuse(error, pattern, len, "is too large", at) : base_no_memory(error);
    } else {
        const char *message = NULL;
        int result = pf_regex_compile(&regex->compiled, posix.data ? posix.data : "", posix.len,
                                      PF_RE_EXTENDED | PF_RE_NOSUB, &regex->host, &message);
        if (result != PF_RE_OK && regex->no_memory)
            status = base_no_memory(error);
        else if (result != PF_RE_OK)
            status = refuse(error, pattern, len,
                            result == PF_RE_NOMEM || !message ? "is too large" : message, at);
    }
    base_buf_free(&posix);
    return status;
}

pf_status cap_regex_new(struct cap_regex **out, const char *pattern, size_t len, pf_error *error) {
    *out = NULL;
    struct cap_regex *regex = calloc(1, sizeof *regex);
    if (!regex) return base_no_memory(error);
    regex->host = (pf_regex_host){.realloc = reallocate, .user = regex};
    pf_status status = compile(regex, pattern, len, error);
    if (status == PF_OK && pthread_mutex_init(&regex->lock, NULL) != 0) {
        pf_regex_free(regex->compiled);
        status = base_no_memory(error);
    }
    if (status == PF_OK)
        *out = regex;
    else
        free(regex);
    return status;
}

void cap_regex_free(struct cap_regex *regex) {
    if (!regex) return;
    pf_regex_free(regex->compiled);
    pthread_mutex_destroy(&regex->lock);
    free(regex);
}

pf_status cap_regexes_add(struct cap_regexes **list, struct base_arena *arena,
                          struct cap_regex **out, const char *pattern, size_t len,
                          pf_error *error) {
    struct cap_regexes *link = base_arena_alloc(arena, sizeof *link);
    if (!link) return base_no_memory(error);
    pf_status status = cap_regex_new(out, pattern, len, error);
    if (status != PF_OK) return status;
    *link = (struct cap_regexes){*list, *out};
    *list = link;
    return PF_OK;
}

void cap_regexes_free(struct cap_regexes *list) {
    for (; list; list = list->next) cap_regex_free(list->regex);
}

static enum cap_match answer(int result) {
    return result == PF_RE_OK        ? CAP_MATCH
           : result == PF_RE_NOMATCH ? CAP_NO_MATCH
                                     : CAP_MATCH_FAILED;
}

enum cap_match cap_regex_search(struct cap_regex *regex, const char *text, size_t len) {
    pf_range whole;
    pthread_mutex_lock(&regex->lock);
    int result = pf_regex_search(regex->compiled, text, len, 0, 0, &whole, 1);
    pthread_mutex_unlock(&regex->lock);
    return answer(result);
}

enum cap_match cap_regex_fullmatch(struct cap_regex *regex, const char *text, size_t len) {
    pthread_mutex_lock(&regex->lock);
    int result = pf_regex_fullmatch(regex->compiled, text, len);
    pthread_mutex_unlock(&regex->lock);
    return answer(result);
}
