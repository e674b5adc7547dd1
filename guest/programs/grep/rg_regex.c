/*
 * rg_regex.c: matching, by PCRE2, whose syntax covers what Rust's regex has.
 *
 * What ripgrep itself refuses (look-around, back-references) is refused here too, with its words,
 * so that a pattern means the same in both.
 */
#include "rg.h"
#include "pf.h"
#include "lib/utf8/utf8.h"

#include <stdio.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include "include/pcre2.h"

enum { STEPS_MAX = 10000000, HEAP_MAX = 65536 };

static pcre2_code *code;
static pcre2_match_data *data;
static pcre2_match_context *context;
static bool perl;
static bool by_line;    /* lines may be searched some at a time */
static bool whole_text; /* \A and \z: stretches of the text must not look like the text */

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
    whole_text = strstr(whole.s, "\\A") || strstr(whole.s, "\\z");
    by_line = !o->multiline && !whole_text;
    uint32_t flags = PCRE2_MULTILINE | PCRE2_UTF | PCRE2_UCP;
    if (o->ignore_case || (o->smart_case && !any_capital)) flags |= PCRE2_CASELESS;
    if (o->dot_all) flags |= PCRE2_DOTALL;
    if (whole_text) flags |= PCRE2_MATCH_INVALID_UTF;
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

/*
 * The stretch of valid UTF-8 that was looked at last. PCRE2 can pass over invalid bytes itself, but
 * then checks all the rest of a text with each search in it; here every byte is checked once.
 */
static const char *text;
static size_t text_len, valid_start, valid_end;

void rg_regex_text(const char *s, size_t len) {
    text = s;
    text_len = len;
    valid_start = 0;
    valid_end = whole_text ? len : pf_utf8_valid_len(s, len);
}

/* Makes the stretch that `from` is in, or the one before it, the current one again. */
static void go_back(size_t from) {
    const char *line = by_line && from > 0 ? memrchr(text, '\n', from) : NULL;
    valid_start = line ? (size_t)(line + 1 - text) : 0;
    valid_end = valid_start + pf_utf8_valid_len(text + valid_start, text_len - valid_start);
}

/* Goes to the next valid stretch; false when nothing but invalid bytes is left. */
static bool next_stretch(void) {
    do {
        if (valid_end == text_len) return false;
        valid_start = valid_end + 1;
        while (valid_start < text_len && ((unsigned char)text[valid_start] & 0xc0) == 0x80)
            valid_start++;
        valid_end = valid_start + pf_utf8_valid_len(text + valid_start, text_len - valid_start);
    } while (valid_end == valid_start && valid_end < text_len);
    return true;
}

bool rg_regex_search(size_t end, size_t from, pf_range groups[RG_GROUPS], size_t *count) {
    if (from < valid_start) go_back(from);
    int result = PCRE2_ERROR_NOMATCH;
    while (result == PCRE2_ERROR_NOMATCH && from <= end) {
        pf_yield();
        if (from > valid_end) {
            if (!next_stretch()) return false;
            continue;
        }
        if (from < valid_start) from = valid_start;
        if (from > end) return false;
        size_t stop = valid_end < end ? valid_end : end;
        uint32_t flags = whole_text ? 0 : PCRE2_NO_UTF_CHECK;
        if (valid_start > 0 && text[valid_start - 1] != '\n') flags |= PCRE2_NOTBOL;
        if (stop < end) flags |= PCRE2_NOTEOL;
        result = pcre2_match(code, (PCRE2_SPTR)text + valid_start, stop - valid_start,
                             from - valid_start, flags, data, context);
        if (stop == end) break;
        from = stop + 1;
    }
    if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_HEAPLIMIT)
        g_die(2, "the pattern backtracks too much on this text");
    if (result < 0 && result != PCRE2_ERROR_NOMATCH) g_die(2, "internal PCRE error: %d", result);
    if (result < 0) return false;
    const PCRE2_SIZE *range = pcre2_get_ovector_pointer(data);
    *count = result == 0 ? RG_GROUPS : (size_t)result;
    for (size_t i = 0; i < *count; i++)
        groups[i] = range[i * 2] == PCRE2_UNSET
                        ? (pf_range){-1, -1}
                        : (pf_range){(ptrdiff_t)(range[i * 2] + valid_start),
                                     (ptrdiff_t)(range[i * 2 + 1] + valid_start)};
    return true;
}

bool rg_regex_by_line(void) {
    return by_line;
}

int rg_regex_group(const char *name, size_t len) {
    char *copy = g_copy_bytes(name, len);
    int number = pcre2_substring_number_from_name(code, (PCRE2_SPTR)copy);
    return number < 0 ? -1 : number;
}
