/*
 * bc_lex.c: the words of a bc program.
 */
#include "bc.h"
#include "g_out.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "auto", "break", "continue", "define", "else", "for",  "halt",  "if",     "length",   "print",
    "quit", "read",  "return",   "scale",  "sqrt", "void", "while", "limits", "warranty", "random"};

/* Whether there is a byte at p->s; may read the next line. Who wrote this one may wait for its
 * result. */
static bool more(bc_parser *p) {
    if (p->s < p->end) return true;
    if (!p->in) return false;
    size_t unread = p->in->len - p->in->start;
    if (unread == 0 || !memchr(p->in->buf + p->in->start, '\n', unread)) g_out_flush();
    g_line line;
    if (!g_read_line(p->in, &line)) return false;
    size_t at = p->lines.len;
    g_text_add(&p->lines, line.s, line.len);
    if (line.terminated) g_text_addc(&p->lines, '\n');
    p->start = p->lines.s;
    p->s = p->start + at;
    p->end = p->start + p->lines.len;
    return true;
}

static void skip_comment(bc_parser *p) {
    for (p->s += 2; more(p); p->s++) {
        if (*p->s == '*' && p->s + 1 < p->end && p->s[1] == '/') {
            p->s += 2;
            return;
        }
        p->line += *p->s == '\n';
    }
}

static void skip_blanks(bc_parser *p) {
    while (more(p)) {
        if (*p->s == ' ' || *p->s == '\t' || *p->s == '\r') {
            p->s++;
        } else if (*p->s == '\\' && p->s + 1 < p->end && p->s[1] == '\n') {
            p->s += 2;
            p->line++;
        } else if (*p->s == '#') {
            while (p->s < p->end && *p->s != '\n') p->s++;
        } else if (*p->s == '/' && p->s + 1 < p->end && p->s[1] == '*') {
            skip_comment(p);
        } else {
            return;
        }
    }
}

static void read_number(bc_parser *p) {
    bool point = false;
    p->token = T_NUMBER;
    for (; more(p); p->s++) {
        if (*p->s == '\\' && p->s + 1 < p->end && p->s[1] == '\n') {
            p->s++;
            p->line++;
            continue;
        }
        if (*p->s == '.' && !point)
            point = true;
        else if (!isdigit((unsigned char)*p->s) && !(*p->s >= 'A' && *p->s <= 'F'))
            break;
        g_text_addc(&p->word, *p->s);
    }
    if (strcmp(p->word.s, ".") == 0) { /* a point alone is the last value */
        p->word.len = 0;
        g_text_adds(&p->word, "last");
        p->token = T_NAME;
    }
}

static void read_operator(bc_parser *p) {
    static const char *const longer[] = {
        "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "&&", "||"};
    p->token = T_OPERATOR;
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        if (p->end - p->s < 2 || strncmp(p->s, longer[i], 2) != 0) continue;
        g_text_add(&p->word, p->s, 2);
        p->s += 2;
        return;
    }
    g_text_addc(&p->word, *p->s++);
}

void bc_next_token(bc_parser *p) {
    skip_blanks(p);
    p->word.len = 0;
    g_text_add(&p->word, "", 0);
    if (!more(p)) {
        p->token = T_END;
        return;
    }
    char c = *p->s;
    if (c == '\n') {
        p->s++;
        p->line++;
        p->token = T_NEWLINE;
    } else if (c == '"') {
        p->token = T_STRING;
        for (p->s++; more(p) && *p->s != '"'; p->s++) {
            p->line += *p->s == '\n';
            g_text_addc(&p->word, *p->s);
        }
        if (p->s < p->end) p->s++;
    } else if (isdigit((unsigned char)c) || c == '.' || (c >= 'A' && c <= 'F')) {
        read_number(p);
    } else if (islower((unsigned char)c)) {
        p->token = T_NAME;
        while (p->s < p->end &&
               (islower((unsigned char)*p->s) || isdigit((unsigned char)*p->s) || *p->s == '_'))
            g_text_addc(&p->word, *p->s++);
        for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
            if (strcmp(p->word.s, keywords[i]) == 0) p->token = T_KEYWORD;
    } else {
        read_operator(p);
    }
}
