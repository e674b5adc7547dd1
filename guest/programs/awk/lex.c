/*
 * lex.c: the words of a program's text.
 */
#include "lex.h"
#include "code.h"
#include "lib/hex/hex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *word;
    int token;
} keywords[] = {{"BEGIN", T_BEGIN},
                {"BEGINFILE", T_BEGINFILE},
                {"END", T_END_RULE},
                {"ENDFILE", T_ENDFILE},
                {"break", T_BREAK},
                {"case", T_CASE},
                {"continue", T_CONTINUE},
                {"default", T_DEFAULT},
                {"delete", T_DELETE},
                {"do", T_DO},
                {"else", T_ELSE},
                {"exit", T_EXIT},
                {"for", T_FOR},
                {"func", T_FUNCTION},
                {"function", T_FUNCTION},
                {"getline", T_GETLINE},
                {"if", T_IF},
                {"in", T_IN},
                {"next", T_NEXT},
                {"nextfile", T_NEXTFILE},
                {"print", T_PRINT},
                {"printf", T_PRINTF},
                {"return", T_RETURN},
                {"switch", T_SWITCH},
                {"while", T_WHILE}};

void lex_begin(lexer *lx, const lex_source *source) {
    memset(lx, 0, sizeof *lx);
    lx->source = source;
    lx->line = 1;
    if (source->name && source->len > 2 && source->text[0] == '#' && source->text[1] == '!')
        while (lx->at < source->len && source->text[lx->at] != '\n') lx->at++;
}

void lex_where(const lex_source *source, uint32_t line, char *out, size_t size) {
    if (source->name)
        snprintf(out, size, "%s:%u", source->name, (unsigned)line);
    else
        snprintf(out, size, "cmd. line:%u", (unsigned)line);
}

_Noreturn void lex_fail(const lexer *lx, const char *message) {
    const char *text = lx->source->text;
    size_t start = lx->start, end;
    uint32_t line = lx->token_line + (lx->token == T_NEWLINE);
    if (lx->token == T_NEWLINE || lx->token == T_END)
        message = "unexpected newline or end of string";
    while (start > 0 && text[start - 1] != '\n') start--;
    for (end = lx->start; end < lx->source->len && text[end] != '\n';) end++;
    char where[300];
    lex_where(lx->source, line, where, sizeof where);
    g_warn("%s: %.*s", where, (int)(end - start), text + start);
    g_text mark = {0};
    for (size_t i = start; i < lx->start; i++) g_text_addc(&mark, text[i] == '\t' ? '\t' : ' ');
    g_die(1, "%s: %s^ %s", where, mark.s ? mark.s : "", message);
}

static void complain(const lexer *lx, const char *kind, const char *format, va_list args) {
    char where[300], text[600];
    lex_where(lx->source, lx->token_line, where, sizeof where);
    vsnprintf(text, sizeof text, format, args);
    g_warn("%s: %s%s", where, kind, text);
}

_Noreturn void lex_say(const lexer *lx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    complain(lx, "", format, args);
    va_end(args);
    g_exit(1);
}

_Noreturn void lex_fatal(const lexer *lx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    complain(lx, "fatal: ", format, args);
    va_end(args);
    g_exit(2);
}

_Noreturn void lex_error(const lexer *lx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    complain(lx, "error: ", format, args);
    va_end(args);
    g_exit(1);
}

void lex_warn(const lexer *lx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    complain(lx, "warning: ", format, args);
    va_end(args);
}

awk_text *lex_unescape(const char *s, size_t len, const lexer *for_warnings) {
    g_text out = {0};
    for (size_t at = 0; at < len;) {
        char c = s[at++];
        if (c != '\\' || at == len) {
            g_text_addc(&out, c);
            continue;
        }
        static const char letters[] = "abfnrtv\\\"", meanings[] = "\a\b\f\n\r\t\v\\\"";
        c = s[at++];
        const char *known = c ? strchr(letters, c) : NULL;
        if (known) {
            g_text_addc(&out, meanings[known - letters]);
        } else if (c == '\n') {
            /* the line goes on */
        } else if (c >= '0' && c <= '7') {
            int n = c - '0';
            for (int i = 0; i < 2 && at < len && s[at] >= '0' && s[at] <= '7'; i++)
                n = n * 8 + s[at++] - '0';
            g_text_addc(&out, (char)n);
        } else if (c == 'x' && at < len && pf_hex(s[at]) >= 0) {
            int n = pf_hex(s[at++]);
            if (at < len && pf_hex(s[at]) >= 0) n = n * 16 + pf_hex(s[at++]);
            g_text_addc(&out, (char)n);
        } else {
            if (for_warnings)
                lex_warn(for_warnings, "escape sequence `\\%c' treated as plain `%c'", c, c);
            else
                awk_warn("escape sequence `\\%c' treated as plain `%c'", c, c);
            g_text_addc(&out, c);
        }
    }
    awk_text *text = text_of(out.s ? out.s : "", out.len);
    g_text_free(&out);
    return text;
}

static void read_string(lexer *lx) {
    const char *s = lx->source->text;
    size_t from = lx->at;
    for (;; lx->at++) {
        if (lx->at >= lx->source->len || s[lx->at] == '\n') {
            lx->token = '"';
            lex_fail(lx, "unterminated string");
        }
        if (s[lx->at] == '"') break;
        if (s[lx->at] == '\\' && lx->at + 1 < lx->source->len && s[++lx->at] == '\n') lx->line++;
    }
    lx->text = lex_unescape(s + from, lx->at++ - from, lx);
    lx->token = T_STRING;
}

void lex_regex(lexer *lx) {
    const char *s = lx->source->text;
    size_t from = lx->start + 1, at = from, len = lx->source->len;
    bool bracket = false;
    size_t opened = 0; /* where the bracket's first member is: a ] there is a member */
    g_text out = {0};
    for (;; at++) {
        if (at >= len || s[at] == '\n') {
            lx->token = '/';
            lx->start++;
            lex_fail(lx, "unterminated regexp");
        }
        char c = s[at];
        if (c == '\\' && at + 1 < len) {
            c = s[++at];
            if (c == '\n') {
                lx->line++;
                continue;
            }
            if (isalpha((unsigned char)c) && !strchr("abfnrtvxyBsSwW", c))
                lex_warn(lx, "regexp escape sequence `\\%c' is not a known regexp operator", c);
            if (c != '/') g_text_addc(&out, '\\');
            g_text_addc(&out, c);
            continue;
        }
        if (bracket) {
            if (c == ']' && at > opened)
                bracket = false;
            else if (c == '[' && at + 1 < len &&
                     (s[at + 1] == ':' || s[at + 1] == '.' || s[at + 1] == '=')) {
                /* [:alpha:] and the like: to its own end, when it has one */
                size_t end = at + 2;
                while (end + 1 < len && s[end] != '\n' &&
                       !(s[end] == s[at + 1] && s[end + 1] == ']'))
                    end++;
                if (end + 1 < len && s[end] != '\n') {
                    g_text_add(&out, s + at, end + 2 - at);
                    at = end + 1;
                    continue;
                }
            }
        } else if (c == '[') {
            bracket = true;
            opened = at + 1;
            if (opened < len && s[opened] == '^') opened++;
        } else if (c == '/') {
            break;
        }
        g_text_addc(&out, c);
    }
    lx->at = at + 1;
    lx->text = text_of(out.s ? out.s : "", out.len);
    g_text_free(&out);
}

static void read_number(lexer *lx) {
    const char *s = lx->source->text + lx->at;
    size_t len = lx->source->len - lx->at, end = 0;
    lx->token = T_NUMBER;
    if (!awk.posix && s[0] == '0' && len > 1) {
        bool hex = len > 2 && (s[1] == 'x' || s[1] == 'X') && pf_hex(s[2]) >= 0;
        if (hex) {
            for (end = 2; end < len && pf_hex(s[end]) >= 0;) end++;
        } else {
            while (end < len && s[end] >= '0' && s[end] <= '7') end++;
            if (end < len &&
                (s[end] == '8' || s[end] == '9' || s[end] == '.' || s[end] == 'e' || s[end] == 'E'))
                end = 0;
        }
        if (end > 0) {
            lx->number = number_strtonum(s, end);
            lx->at += end;
            return;
        }
    }
    lx->number = number_read(s, len, &end);
    lx->at += end ? end : 1;
}

/* The functions that --posix and --traditional leave. */
static bool is_posix_builtin(const char *name, size_t len) {
    static const char *const names[] = {"atan2", "close", "cos",    "exp",     "fflush", "gsub",
                                        "index", "int",   "length", "log",     "match",  "rand",
                                        "sin",   "split", "sprintf", "sqrt",   "srand",  "sub",
                                        "substr", "system", "tolower", "toupper"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) return true;
    return false;
}

static void read_word(lexer *lx) {
    const char *s = lx->source->text;
    size_t from = lx->at;
    while (lx->at < lx->source->len && (isalnum((unsigned char)s[lx->at]) || s[lx->at] == '_'))
        lx->at++;
    size_t len = lx->at - from;
    if (len == 3 && memcmp(s + from, "awk", 3) == 0 && lx->at + 2 < lx->source->len &&
        memcmp(s + lx->at, "::", 2) == 0) {
        lx->at += 2;
        read_word(lx);
        return;
    }
    if (lx->at + 1 < lx->source->len && memcmp(s + lx->at, "::", 2) == 0)
        lex_error(lx, "namespaces are not supported: %.*s", (int)len + 2, s + from);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strlen(keywords[i].word) == len && memcmp(keywords[i].word, s + from, len) == 0 &&
            !(awk.posix && strcmp(keywords[i].word, "func") == 0)) {
            lx->token = keywords[i].token;
            return;
        }
    }
    lx->builtin = awk.posix && !is_posix_builtin(s + from, len) ? -1 : builtin_named(s + from, len);
    if (lx->builtin >= 0) {
        lx->token = T_BUILTIN;
        return;
    }
    lx->text = text_of(s + from, len);
    lx->token = lx->at < lx->source->len && s[lx->at] == '(' ? T_CALLED : T_NAME;
}

static bool follows(lexer *lx, char c) {
    if (lx->at >= lx->source->len || lx->source->text[lx->at] != c) return false;
    lx->at++;
    return true;
}

/* Operators of more than one character; the first is read. */
static int read_operator(lexer *lx, char c) {
    switch (c) {
    case '&': return follows(lx, '&') ? T_AND : '&';
    case '|': return follows(lx, '|') ? T_OR : follows(lx, '&') ? T_COPROCESS : '|';
    case '!': return follows(lx, '~') ? T_NO_MATCH : follows(lx, '=') ? T_NE : '!';
    case '<': return follows(lx, '=') ? T_LE : '<';
    case '>': return follows(lx, '=') ? T_GE : follows(lx, '>') ? T_APPEND : '>';
    case '=': return follows(lx, '=') ? T_EQ : '=';
    case '+': return follows(lx, '+') ? T_INCREMENT : follows(lx, '=') ? T_ASSIGN_ADD : '+';
    case '-': return follows(lx, '-') ? T_DECREMENT : follows(lx, '=') ? T_ASSIGN_SUB : '-';
    case '*':
        if (!awk.posix && follows(lx, '*')) return follows(lx, '=') ? T_ASSIGN_POW : T_POWER;
        return follows(lx, '=') ? T_ASSIGN_MUL : '*';
    case '/': return follows(lx, '=') ? T_ASSIGN_DIV : '/';
    case '%': return follows(lx, '=') ? T_ASSIGN_MOD : '%';
    case '^': return follows(lx, '=') ? T_ASSIGN_POW : T_POWER;
    }
    return (unsigned char)c;
}

/* Blanks, comments and continued lines. */
static void skip_blanks(lexer *lx) {
    const char *s = lx->source->text;
    size_t len = lx->source->len;
    for (; lx->at < len; lx->at++) {
        char c = s[lx->at];
        if (c == ' ' || c == '\t' || c == '\r') continue;
        if (c == '\\' && lx->at + 1 < len && s[lx->at + 1] == '\n') {
            lx->at++;
            lx->line++;
        } else if (c == '\\' && lx->at + 2 < len && s[lx->at + 1] == '\r' &&
                   s[lx->at + 2] == '\n') {
            lx->at += 2;
            lx->line++;
        } else if (c == '#') {
            while (lx->at + 1 < len && s[lx->at + 1] != '\n') lx->at++;
        } else {
            return;
        }
    }
}

void lex_next(lexer *lx) {
    skip_blanks(lx);
    lx->start = lx->at;
    lx->token_line = lx->line;
    if (lx->at >= lx->source->len) {
        lx->token = T_END;
        return;
    }
    char c = lx->source->text[lx->at];
    char after = lx->at + 1 < lx->source->len ? lx->source->text[lx->at + 1] : '\0';
    if (isalpha((unsigned char)c) || c == '_') {
        read_word(lx);
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)after))) {
        read_number(lx);
    } else {
        lx->at++;
        if (c == '"') {
            read_string(lx);
        } else if (c == '\n') {
            lx->token = T_NEWLINE;
            lx->line++;
        } else {
            lx->token = read_operator(lx, c);
            if (!c || !strchr("&|!<>=+-*/%^(){}[];,?:~$@", c)) {
                char where[300];
                lex_where(lx->source, lx->token_line, where, sizeof where);
                if (c == '\'') g_warn("%s: %s", where, "^ invalid char ''' in expression");
                lex_fail(lx, "syntax error");
            }
        }
    }
}
