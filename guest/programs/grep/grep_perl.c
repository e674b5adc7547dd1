/*
 * grep_perl.c: -P, by PCRE2's interpreter.
 *
 * Backtracking may take for ever: PCRE2 counts its steps, and past the bound grep ends as GNU's
 * does.
 */
#include "grep_perl.h"
#include "g_regex.h"
#include "pf.h"

#include <ctype.h>
#include <string.h>

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

/* ---- text that every match has */

/* Behind the bracket expression at p; NULL: it does not end. */
static const char *behind_bracket(const char *p, const char *end) {
    p++;
    if (p < end && *p == '^') p++;
    if (p < end && *p == ']') p++;
    while (p < end && *p != ']') {
        if (*p == '\\') {
            p++;
        } else if (*p == '[' && p + 1 < end && strchr(":.=", p[1])) {
            const char *close = memchr(p + 2, p[1], (size_t)(end - p - 2));
            if (close && close + 1 < end && close[1] == ']') p = close + 1;
        }
        p++;
    }
    return p < end ? p + 1 : NULL;
}

/* Behind the group at p; NULL: it does not end. */
static const char *behind_group(const char *p, const char *end) {
    for (int depth = 0; p && p < end;) {
        if (*p == '[') {
            p = behind_bracket(p, end);
            continue;
        }
        if (*p == '(') depth++;
        if (*p == ')' && --depth == 0) return p + 1;
        p += 1 + (*p == '\\');
    }
    return NULL;
}

/* What the reading of a pattern has found: the longest run of characters, and the one it is in. */
typedef struct {
    g_text best, run;
} literals;

static void end_run(literals *l) {
    if (l->run.len > l->best.len) {
        g_text swapped = l->best;
        l->best = l->run;
        l->run = swapped;
    }
    l->run.len = 0;
}

/* Reads what stands outside of groups. False: there is something that this does not know. */
static bool read_literals(literals *l, const char *p, const char *end) {
    while (p < end) {
        switch (*p) {
        case '\\':
            if (p + 1 == end) return false;
            if (isalnum((unsigned char)p[1]) || (unsigned char)p[1] >= 0x80) {
                if (!strchr("dDwWsSbBAzZhHvVK", p[1])) return false;
                end_run(l);
            } else {
                g_text_addc(&l->run, p[1]);
            }
            p += 2;
            break;
        case '[':
            end_run(l);
            if (!(p = behind_bracket(p, end))) return false;
            break;
        case '(':
            end_run(l);
            if (p + 1 < end && (p[1] == '?' || p[1] == '*')) return false;
            if (!(p = behind_group(p, end))) return false;
            break;
        case '|':
        case ')': return false;
        case '{':
        case '*':
        case '?': /* the character before it need not be there */
            while (l->run.len > 0 && ((unsigned char)l->run.s[l->run.len - 1] & 0xc0) == 0x80)
                l->run.len--;
            if (l->run.len > 0) l->run.len--;
            end_run(l);
            if (*p == '{') {
                p = memchr(p, '}', (size_t)(end - p));
                if (!p) return false;
            }
            p++;
            break;
        case '+':
        case '^':
        case '$':
        case '.':
            end_run(l);
            p++;
            break;
        default: g_text_addc(&l->run, *p++);
        }
    }
    end_run(l);
    return true;
}

pf_regex *grep_perl_literal(const grep_options *o) {
    literals l = {0};
    pf_regex *re = NULL;
    const char *pattern = o->patterns.s ? o->patterns.s : "", *end = pattern + o->patterns.len;
    bool known = !o->ignore_case && !memmem(pattern, o->patterns.len, "(?", 2) &&
                 !memmem(pattern, o->patterns.len, "\\Q", 2) &&
                 !memmem(pattern, o->patterns.len, "(*", 2) && read_literals(&l, pattern, end);
    if (known && l.best.len >= 2)
        pf_regex_compile(&re, l.best.s, l.best.len, PF_RE_LITERAL | PF_RE_BYTES, &g_regex_host,
                         NULL);
    g_text_free(&l.best);
    g_text_free(&l.run);
    return re;
}
