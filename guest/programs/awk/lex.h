/*
 * lex.h: the words of a program's text.
 */
#ifndef AWK_LEX_H
#define AWK_LEX_H

#include "awk.h"

/* Single characters are their own tokens. */
enum token {
    T_END = 0,
    T_NEWLINE = 256,
    T_NUMBER,
    T_STRING,
    T_NAME,
    T_CALLED /* a name with ( right behind */,
    T_BUILTIN,
    T_BEGIN,
    T_END_RULE,
    T_BEGINFILE,
    T_ENDFILE,
    T_FUNCTION,
    T_IF,
    T_ELSE,
    T_WHILE,
    T_DO,
    T_FOR,
    T_IN,
    T_BREAK,
    T_CONTINUE,
    T_NEXT,
    T_NEXTFILE,
    T_EXIT,
    T_RETURN,
    T_DELETE,
    T_GETLINE,
    T_PRINT,
    T_PRINTF,
    T_SWITCH,
    T_CASE,
    T_DEFAULT,
    T_AND,
    T_OR,
    T_NO_MATCH,
    T_LE,
    T_GE,
    T_EQ,
    T_NE,
    T_APPEND,
    T_COPROCESS,
    T_INCREMENT,
    T_DECREMENT,
    T_POWER,
    T_ASSIGN_ADD,
    T_ASSIGN_SUB,
    T_ASSIGN_MUL,
    T_ASSIGN_DIV,
    T_ASSIGN_MOD,
    T_ASSIGN_POW,
};

typedef struct {
    const char *name; /* of the file, or NULL for the command line */
    const char *text;
    size_t len;
} lex_source;

typedef struct {
    const lex_source *source;
    size_t at;
    uint32_t line; /* of `at` */
    /* The current token. */
    int token;
    size_t start; /* where it begins */
    uint32_t token_line;
    double number;  /* T_NUMBER */
    awk_text *text; /* T_STRING, T_NAME, T_CALLED, a regular expression's source */
    int builtin;    /* T_BUILTIN: enum builtin */
} lexer;

/* A copy of a lexer is a place to come back to. */
void lex_begin(lexer *lx, const lex_source *source);
void lex_next(lexer *lx); /* Reads the next token. */
/* The current token is / or /=: reads the regular expression that begins there into lx->text. */
void lex_regex(lexer *lx);
/* "syntax error" with the line and a mark, and the end. */
_Noreturn void lex_fail(const lexer *lx, const char *message);
/* The same without the line: "awk: cmd. line:1: error: …". */
_Noreturn void lex_say(const lexer *lx, const char *format, ...)
    G_PRINTF(2, 3); /* without "error: " */
_Noreturn void lex_fatal(const lexer *lx, const char *format, ...) G_PRINTF(2, 3); /* status 2 */
/* With "error: "; status 1. */
_Noreturn void lex_error(const lexer *lx, const char *format, ...) G_PRINTF(2, 3);
/* With "warning: "; goes on. */
void lex_warn(const lexer *lx, const char *format, ...) G_PRINTF(2, 3);
/* "cmd. line:3" or "file.awk:3". */
void lex_where(const lex_source *source, uint32_t line, char *out, size_t size);
/* Processes backslash escapes, as in string constants; for -v and operands as well. */
awk_text *lex_unescape(const char *s, size_t len, const lexer *for_warnings);

#endif
