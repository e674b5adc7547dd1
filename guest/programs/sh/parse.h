/*
 * parse.h: the parser's state, shared by source.c, lex.c, word.c, param.c and parse*.c only.
 *
 * One recursive descent over one buffer: the lexer reads words with their expansions already
 * parsed, and calls the grammar again for $( … ). Errors are printed where they are found and set
 * `failed`; every caller then returns NULL or false at once.
 */
#ifndef SH_PARSE_H
#define SH_PARSE_H

#include "sh.h"

enum token_kind {
    T_EOF,
    T_NEWLINE,
    T_WORD,
    T_IO_NUMBER,  /* 2 before < or > */
    T_IO_VAR,     /* {name} before < or > */
    T_SEMI,       /* ; */
    T_AMP,        /* & */
    T_PIPE,       /* | */
    T_PIPE_AMP,   /* |& */
    T_AND_AND,
    T_OR_OR,
    T_DSEMI,      /* ;; */
    T_SEMI_AMP,   /* ;& */
    T_DSEMI_AMP,  /* ;;& */
    T_LPAREN,
    T_RPAREN,
    T_REDIR,      /* any redirection operator: see redir */
};

struct token {
    uint8_t kind;
    uint8_t redir; /* enum redir_kind, for T_REDIR */
    bool strip;    /* <<- */
    int line;
    size_t start, end; /* in the buffer; invalid once it was refilled or spliced */
    struct word *word; /* T_WORD, T_IO_VAR (the name), T_IO_NUMBER */
};

/* How a word is to be read at this place of the grammar. */
struct lex_context {
    bool assign_ok;  /* name=( starts a compound assignment */
    bool element;    /* inside a=( ) */
    bool cond;       /* inside [[ ]] */
    bool regex;      /* right of =~ */
    bool value;      /* the value of an assignment: ~ expands after colons */
    bool pattern;    /* right of == in [[ ]]: extglob is always on */
    size_t bracket;  /* what stands before this place belongs to the word: [x y] in a=( ) */
};

struct here_pending {
    struct here_pending *next;
    struct redir *redir;
};

struct alias_use {
    struct alias_use *next;
    const char *name;
    size_t rest; /* bytes of the buffer after the alias's text */
};

struct parser {
    struct shell *sh;
    struct tree *tree;
    arena *mem;                        /* the tree's */
    char *buf;                         /* malloc'ed */
    size_t len, pos;
    bool (*more)(struct parser *p);    /* appends the next line of input; false at the end */
    struct source *source;             /* for more() */
    int line;                          /* of buf[pos] */
    size_t line_start;                 /* offset where that line begins */
    struct token tok;
    bool have;                         /* tok is valid, not yet taken */
    bool failed;
    bool comsub_error;                 /* failed inside $( ) */
    bool compound_error;               /* failed inside a=( ) */
    bool cond_error;                   /* failed inside [[ ]]: the status stays as it was */
    bool at_eof_error;                 /* failed because the input ended */
    struct lex_context ctx;
    struct here_pending *pending;
    struct alias_use *aliases;
    int aliases_off;                   /* $( ) around, whose aliases wait until it runs */
    bool alias_met;                    /* one of them was met */
    size_t alias_next;                 /* rest after an alias that ended in a blank, or NO_ALIAS */
    size_t alias_after;                /* the same of one that is being looked at for that reason */
    int depth;
    int comsubs;                       /* $( ) around */
    int quotes;                        /* "…" around, within the innermost $( ) */
    char open_quote;                   /* ' or " that the next line begins in; <: a here-document */
    char *rest;                        /* lines that are yet to be expanded (set -H), or NULL */
    size_t rest_n, rest_at;
    struct dollar_quote *dollars;      /* in the word that is being read, the last one first */
    const char *where;                 /* "-c", "eval" … put before the line in messages, or NULL */
};

#define NO_ALIAS ((size_t)-1)
enum { PARSE_DEPTH_MAX = 250 };

/* lex.c */
void lex_peek(struct parser *p);               /* makes p->tok valid */
void lex_take(struct parser *p);               /* forgets it: the next peek reads on */
bool lex_is_word(struct parser *p, const char *text); /* the next token is this unquoted word */
bool lex_alias(struct parser *p, bool command); /* replaces an alias at tok; true: peek again */
/* Takes backslash-newlines that stand at pos + ahead out of the text: not for quoted text. */
void lex_join(struct parser *p, size_t ahead);
int lex_next(struct parser *p, size_t ahead);  /* lex_at() after lex_join() */
int lex_at(struct parser *p, size_t ahead);    /* byte at pos + ahead, or -1; refills */
void lex_step_line(struct parser *p);          /* steps over a newline and counts it */
void lex_newline(struct parser *p);            /* steps over a newline, reads here-documents */
void lex_pending_at_eof(struct parser *p);     /* here-documents whose line never ended */
void lex_skip_blanks(struct parser *p); /* And backslash-newlines. */

/* word.c */
struct word *word_lex(struct parser *p);       /* the word at pos */
struct word *word_parts(struct parser *p, enum word_mode mode, bool dq); /* up to mode's end */
/* Parses another text in the same tree, as a word of that mode. */
struct word *word_of_text(struct parser *p, const char *text, size_t n, enum word_mode mode, int line);
/* For $( ) of a text that became part of another: what stood at offset `from` stands at `to`. */
void word_move_places(struct part *parts, uint32_t from, uint32_t to);
/* The offset of the `close` that ends what an `open` before `at` began; -1: there is none. */
ptrdiff_t word_skip(struct parser *p, size_t at, int open, int close);

/* wordparam.c */
/* The expansion that starts with the $ at pos. NULL without failure: the $ is itself. */
struct part *dollar_lex(struct parser *p, bool dq, uint16_t *flags);

/* parse.c */
struct node *parse_list(struct parser *p);              /* up to a token that cannot go on */
/* One command, simple or compound; NULL: there is none, or it failed. */
struct node *parse_command(struct parser *p);
/* Commands between | and |&, with ! and `time` in front. */
struct node *parse_pipeline(struct parser *p);
/* The next complete command, up to the end of its line. NULL at the end of input or on failure. */
struct node *parse_complete(struct parser *p);
struct node *parse_comsub(struct parser *p);            /* after "$(": up to and with ")" */
/* A node at the line of the next token. */
struct node *parse_new(struct parser *p, enum node_kind kind);
void parse_skip_newlines(struct parser *p); /* The next token is none afterwards. */
bool parse_deep(struct parser *p);                      /* entered one level; false: too deep */
/* Appends the redirections that come next; false: it failed. */
bool parse_redirs(struct parser *p, struct redir ***tail);
void parse_unexpected(struct parser *p);                /* syntax error at tok */
/* Prints a syntax error, the first of a text only, and sets p->failed. */
void parse_error(struct parser *p, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints that the text ended before `close` came, and sets p->at_eof_error. */
void parse_eof_error(struct parser *p, int line, int close);

/* parsecompound.c */
struct node *parse_compound(struct parser *p);          /* NULL, not failed: not at one */
struct node *parse_function_body(struct parser *p); /* The compound command behind NAME(). */
/* parsecond.c */
struct node *parse_cond_command(struct parser *p); /* [[ … ]] */

#endif
