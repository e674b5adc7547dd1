/*
 * grep_perl.c: -P, by PCRE2's interpreter.
 *
 * Backtracking may take for ever: PCRE2 counts its steps, and past the bound grep ends as GNU's
 * does.
 */
#include "grep_perl.h"
#include "pf.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "include/pcre2.h"

/* Steps of one search, and KiB for what it remembers to come back to. */
enum { STEPS_MAX = 10000000, HEAP_MAX = 65536 };

struct grep_perl {
    const grep_options *o;
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

grep_perl *grep_perl_new(const grep_options *o) {
    const char *pattern = o->patterns.s ? o->patterns.s : "";
    size_t len = o->patterns.len;
    if (memchr(pattern, '\n', len)) g_die(2, "the -P option only supports a single pattern");
    g_text whole = {0};
    if (o->whole_line)
        g_text_adds(&whole, "^(?:");
    else if (o->whole_word)
        g_text_adds(&whole, "(?<!\\w)(?:");
    g_text_add(&whole, pattern, len);
    if (o->whole_line)
        g_text_adds(&whole, ")$");
    else if (o->whole_word)
        g_text_adds(&whole, ")(?!\\w)");
    uint32_t flags = PCRE2_DOLLAR_ENDONLY;
    if (g_utf8_locale()) flags |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (o->ignore_case) flags |= PCRE2_CASELESS;
    int error;
    PCRE2_SIZE at;
    grep_perl *p = g_zalloc(sizeof *p);
    p->o = o;
    p->code =
        pcre2_compile((PCRE2_SPTR)(whole.s ? whole.s : ""), whole.len, flags, &error, &at, NULL);
    if (!p->code) {
        char message[256];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
        g_die(2, "%s", message);
    }
    g_text_free(&whole);
    p->data = pcre2_match_data_create(1, NULL);
    p->context = pcre2_match_context_create(NULL);
    if (!p->data || !p->context) g_die(2, "memory exhausted");
    pcre2_set_match_limit(p->context, STEPS_MAX);
    pcre2_set_heap_limit(p->context, HEAP_MAX);
    return p;
}

bool grep_perl_search(grep_perl *p, const char *line, size_t len, size_t from, pf_range *match) {
    pf_yield();
    int result = pcre2_match(p->code, (PCRE2_SPTR)line, len, from, 0, p->data, p->context);
    if (result == PCRE2_ERROR_MATCHLIMIT)
        g_die(2, "%s: exceeded PCRE's backtracking limit", p->o->file);
    if (result == PCRE2_ERROR_HEAPLIMIT) g_die(2, "%s: exceeded PCRE's heap limit", p->o->file);
    if (result == PCRE2_ERROR_NOMEMORY) g_die(2, "memory exhausted");
    if (result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_BADUTFOFFSET) return false;
    if (result < 0) g_die(2, "internal PCRE error: %d", result);
    const PCRE2_SIZE *range = pcre2_get_ovector_pointer(p->data);
    *match = (pf_range){(ptrdiff_t)range[0], (ptrdiff_t)range[1]};
    /* \K may put the beginning behind the end. */
    if (match->start > match->end) match->start = match->end;
    return true;
}
