/*
 * bc_lex.c: the words of a bc program.
 */
#include "bc.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "auto", "break", "continue", "define", "else", "for",  "halt",  "if",     "length",   "print",
    "quit", "read",  "return",   "scale",  "sqrt", "void", "while", "limits", "warranty", "random"};

static void skip_blanks(bc_parser *p) {
    while (p->s < p->end) {
        if (*p->s == ' ' || *p->s == '\t' || *p->s == '\r') {
            p->s++;
        } else if (*p->s == '\\' && p->s + 1 < p->end && p->s[1] == '\n') {
            p->s += 2;
            p->line++;
        } else if (*p->s == '#') {
            while (p->s < p->end && *p->s != '\n') p->s++;
        } else if (*p->s == '/' && p->s + 1 < p->end && p->s[1] == '*') {
            p->s += 2;
            while (p->s + 1 < p->end && !(p->s[0] == '*' && p->s[1] == '/'))
                p->line += *p->s++ == '\n';
            p->s = p->s + 2 < p->end ? p->s + 2 : p->end;
        } else {
            return;
        }
    }
}

static void read_number(bc_parser *p) {
    bool point = false;
    p->token = T_NUMBER;
    for (; p->s < p->end; p->s++) {
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
    if (p->s >= p->end) {
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
        for (p->s++; p->s < p->end && *p->s != '"'; p->s++) {
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
