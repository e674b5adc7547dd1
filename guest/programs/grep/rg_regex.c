/*
 * rg_regex.c: matching, by PCRE2, whose syntax covers what Rust's regex has.
 *
 * What ripgrep itself refuses (look-around, back-references) is refused here too, with its words,
 * so that a pattern means the same in both.
 */
#include "rg.h"
#include "pf.h"

#include <stdio.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include "include/pcre2.h"

enum { STEPS_MAX = 10000000, HEAP_MAX = 65536 };

static pcre2_code *code;
static pcre2_match_data *data;
static pcre2_match_context *context;
static bool perl;

static _Noreturn void refuse(const char *pattern, size_t at, size_t width, const char *why) {
    fprintf(stderr, "regex parse error:\n    %s\n    %*s", pattern, (int)at, "");
    for (size_t i = 0; i < width; i++) fputc('^', stderr);
    fprintf(stderr, "\nerror: %s\n", why);
    g_exit(2);
}

/* What Rust's regex does not have, and the mistakes it reports in other words than PCRE2. */
static void check(const char *p) {
    size_t groups[256], depth = 0;
    for (size_t i = 0; p[i]; i++) {
        bool start = i == 0 || p[i - 1] == '(' || p[i - 1] == '|';
        if (p[i] == '\\') {
            if (p[i + 1] >= '1' && p[i + 1] <= '9') {
                refuse(p, i, 2,
                       "backreferences are not supported\n\nConsider enabling PCRE2 with the "
                       "--pcre2 flag, which can handle backreferences\nand look-around.");
            }
            if (p[i + 1] && strchr("kKGRXgcCehHijJlLmMNoOqQTuVyYZ", p[i + 1]) &&
                !strchr("u", p[i + 1]))
                refuse(p, i, 2, "unrecognized escape sequence");
            if (p[i + 1]) i++;
        } else if (p[i] == '[') {
            size_t open = i;
            i += 1 + (p[i + 1] == '^');
            if (p[i] == ']') i++;
            for (; p[i] && p[i] != ']'; i++) {
                if (p[i] == '\\' && p[i + 1])
                    i++;
                else if (p[i] == '[' && p[i + 1] == ':') {
                    const char *end = strstr(p + i, ":]");
                    if (end) i = (size_t)(end + 1 - p);
                }
            }
            if (!p[i]) refuse(p, open, 1, "unclosed character class");
        } else if (p[i] == '(') {
            if (p[i + 1] == '?' && (p[i + 2] == '=' || p[i + 2] == '!' ||
                                    (p[i + 2] == '<' && (p[i + 3] == '=' || p[i + 3] == '!'))))
                refuse(p, i, p[i + 2] == '<' ? 4 : 3,
                       "look-around, including look-ahead and look-behind, is not "
                       "supported\n\nConsider enabling PCRE2 with the --pcre2 flag, which can "
                       "handle backreferences\nand look-around.");
            if (depth < 256) groups[depth] = i;
            depth++;
        } else if (p[i] == ')') {
            if (depth == 0) refuse(p, i, 1, "unopened group");
            depth--;
        } else if (start &&
                   (p[i] == '*' || p[i] == '+' || (p[i] == '?' && !(i > 0 && p[i - 1] == '(')))) {
            refuse(p, i, 1, "repetition operator missing expression");
        }
    }
    if (depth > 0) refuse(p, groups[depth <= 256 ? depth - 1 : 255], 1, "unclosed group");
}

/* Smart case: capital letters that are not part of an escape such as \W. */
static bool has_capital(const char *p) {
    for (; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p >= 'A' && *p <= 'Z')
            return true;
    }
    return false;
}

static void add_literal(g_text *to, const char *s, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\.+*?()|[]{}^$#&-~ ", s[i]) && s[i]) g_text_addc(to, '\\');
        g_text_addc(to, s[i]);
    }
}

void rg_regex_init(const rg_options *o, bool perl_syntax) {
    perl = perl_syntax;
    /* o->pattern holds one pattern a line. */
    g_text whole = {0};
    const char *s = o->pattern.s ? o->pattern.s : "";
    bool several = strchr(s, '\n') != NULL, any_capital = false;
    g_text_adds(&whole, o->whole_line ? "^(?:" : o->whole_word ? "(?<!\\w)(?:" : "(?:");
    for (const char *p = s;; p++) {
        size_t len = strcspn(p, "\n");
        char *one = g_copy_bytes(p, len);
        if (!o->fixed) {
            if (!perl) check(one);
            if (!o->multiline && strstr(one, "\\n")) {
                fprintf(stderr,
                        "the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling "
                        "multiline mode with the --multiline flag (or -U for short).\n"
                        "When multiline mode is enabled, new line characters can be matched.\n");
                g_exit(2);
            }
        }
        any_capital |= has_capital(one);
        if (several) g_text_adds(&whole, "(?:");
        if (o->fixed)
            add_literal(&whole, p, len);
        else
            g_text_add(&whole, p, len);
        if (several) g_text_addc(&whole, ')');
        p += len;
        if (!*p) break;
        g_text_addc(&whole, '|');
    }
    g_text_adds(&whole, o->whole_line ? ")$" : o->whole_word ? ")(?!\\w)" : ")");
    uint32_t flags = PCRE2_MULTILINE | PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
    if (o->ignore_case || (o->smart_case && !any_capital)) flags |= PCRE2_CASELESS;
    if (o->dot_all) flags |= PCRE2_DOTALL;
    int error;
    PCRE2_SIZE at;
    /* [[:alpha:]] is for ASCII only, \\w for all letters. */
    pcre2_compile_context *how = pcre2_compile_context_create(NULL);
    if (!how) g_die(2, "memory exhausted");
    pcre2_set_compile_extra_options(how, PCRE2_EXTRA_ASCII_POSIX);
    code = pcre2_compile((PCRE2_SPTR)whole.s, whole.len, flags, &error, &at, how);
    pcre2_compile_context_free(how);
    if (!code) {
        char message[256];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
        refuse(s, 0, 1, message);
    }
    data = pcre2_match_data_create(RG_GROUPS, NULL);
    context = pcre2_match_context_create(NULL);
    if (!data || !context) g_die(2, "memory exhausted");
    pcre2_set_match_limit(context, STEPS_MAX);
    pcre2_set_heap_limit(context, HEAP_MAX);
    g_text_free(&whole);
}

bool rg_regex_search(const char *s, size_t len, size_t from, pf_range groups[RG_GROUPS],
                     size_t *count) {
    pf_yield();
    int result = pcre2_match(code, (PCRE2_SPTR)s, len, from, 0, data, context);
    if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_HEAPLIMIT)
        g_die(2, "the pattern backtracks too much on this text");
    if (result < 0 && result != PCRE2_ERROR_NOMATCH) g_die(2, "internal PCRE error: %d", result);
    if (result < 0) return false;
    const PCRE2_SIZE *range = pcre2_get_ovector_pointer(data);
    *count = result == 0 ? RG_GROUPS : (size_t)result;
    for (size_t i = 0; i < *count; i++)
        groups[i] = range[i * 2] == PCRE2_UNSET
                        ? (pf_range){-1, -1}
                        : (pf_range){(ptrdiff_t)range[i * 2], (ptrdiff_t)range[i * 2 + 1]};
    return true;
}

int rg_regex_group(const char *name, size_t len) {
    char *copy = g_copy_bytes(name, len);
    int number = pcre2_substring_number_from_name(code, (PCRE2_SPTR)copy);
    return number < 0 ? -1 : number;
}
