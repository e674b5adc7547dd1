/*
 * bc.h: the calculator's numbers, its programs and what its parts share.
 *
 * bc_number.c calculates, bc_lex.c and bc_parse.c make trees of a program's text, bc_compile.c
 * makes code of the trees, bc_run.c executes it, bc_print.c writes numbers, bc_math.c holds the
 * library of -l. Errors of a running program are reported where they happen and end what is
 * executed now through bc_state.flow.
 */
#ifndef BC_H
#define BC_H

#include "g_in.h"
#include "g_text.h"

/* Decimal, most significant digit first: `len` digits (at least one) before the point, `scale`
 * behind. */
typedef struct {
    bool negative;
    size_t len, scale;
    uint8_t *digits;
} bc_num;

/* A whole number. Results are fresh, here and below; bc_free() each. */
bc_num bc_from(int64_t value);
bc_num bc_copy(const bc_num *a); /* Digits of its own. */
void bc_free(bc_num *a); /* Frees the digits; not to be used afterwards. */
bool bc_is_zero(const bc_num *a); /* 0 and -0 alike. */
/* Below, at or above 0 as `a` is below, equal to or above `b`. */
int bc_compare(const bc_num *a, const bc_num *b);
bc_num bc_add(const bc_num *a, const bc_num *b, bool subtract); /* a + b, or a - b. */
/* a * b, cut to bc's scale of products. */
bc_num bc_multiply(const bc_num *a, const bc_num *b, size_t scale);
/* b is not zero. */
bc_num bc_divide(const bc_num *a, const bc_num *b, size_t scale);
/* a - (a / b) * b, where the quotient has this scale. `b` is not zero. */
bc_num bc_modulo(const bc_num *a, const bc_num *b, size_t scale);
/* a is not negative. */
bc_num bc_sqrt(const bc_num *a, size_t scale);
/* Digits behind the point cut to `scale`, or filled up. */
void bc_rescale(bc_num *a, size_t scale);
/* The whole part; INT64_MAX or INT64_MIN when it does not fit. */
int64_t bc_to_int(const bc_num *a);

enum bc_token { T_END, T_NEWLINE, T_NUMBER, T_NAME, T_STRING, T_OPERATOR, T_KEYWORD };

/* Trees. Kinds of statements and expressions together. */
enum bc_kind {
    N_BLOCK,
    N_EXPRESSION,
    N_STRING,
    N_PRINT,
    N_IF,
    N_WHILE,
    N_FOR,
    N_BREAK,
    N_CONTINUE,
    N_RETURN,
    N_HALT,
    N_NOTHING,
    N_NUMBER,
    N_VARIABLE,
    N_ELEMENT,
    N_ARRAY,
    N_CALL,
    N_ASSIGN,
    N_BINARY,
    N_NEGATE,
    N_NOT,
    N_AND,
    N_OR,
    N_STEP,
    N_LENGTH,
    N_SCALE,
    N_SQRT,
    N_READ
};

typedef struct bc_node {
    enum bc_kind kind;
    char *text;          /* name, string, digits of a number */
    char op;             /* + - * / % ^ = < > and l (<=), g (>=), n (!=) */
    bool before, parens; /* ++x; (a = b) in parentheses is printed */
    size_t line;
    struct bc_node **kids; /* NULL where a part is left out */
    size_t count, cap;
} bc_node;

typedef struct bc_code bc_code;

typedef struct bc_function {
    char *name;
    char **parameters, **autos; /* "x", or "x[" for an array */
    size_t parameter_count, auto_count, parameter_cap, auto_cap;
    bool no_value; /* void */
    bc_node *body;
    bc_code *code;
    struct bc_function *next;
} bc_function;

typedef struct bc_array {
    bc_num *items;
    size_t count;
} bc_array;

typedef struct bc_variable {
    char *name; /* arrays: with a '[' behind it */
    bc_num value;
    bc_array *array;
    bool borrowed;                    /* the array of a caller */
    struct bc_variable *next, *saved; /* saved: what a call hides */
} bc_variable;

enum bc_flow { F_NEXT, F_HALT, F_ERROR };

typedef struct {
    size_t scale;
    int64_t ibase, obase;
    bc_num last, result;
    bc_variable *variables[64];
    bc_function *functions;
    enum bc_flow flow;
    int reads;                  /* read() that are being executed */
    size_t column, line_length; /* of the line that is written */
    const char *file;
    bool quit;
} bc_state;

/* A text that is being read, at `s` of start .. end. From `in`, if there is one, it grows by a line
 * (in `lines`) when the parser comes to its end; what it holds may then move. */
typedef struct {
    bc_state *st;
    const char *start, *s, *end;
    g_reader *in;
    g_text lines;
    size_t line;
    enum bc_token token;
    g_text word; /* of the token */
    bool failed;
    int depth;
    bool in_function;
    size_t loops;
} bc_parser;

void bc_next_token(bc_parser *p); /* Reads the next token into p->token and p->word. */
/* Reads and executes a whole text; false after quit. */
bool bc_interpret(bc_state *st, const char *text, size_t len, const char *file);
/* The same with what comes from a descriptor: each line is executed as soon as it is there. */
bool bc_interpret_input(bc_state *st, int fd, const char *file);
bc_node *bc_parse_expression(bc_parser *p); /* NULL after a syntax error, which was said. */
void bc_syntax_error(bc_parser *p); /* Says so once, with the line, and sets p->failed. */

/* The tree has to stay as long as the code; bc_free_code() frees it. */
bc_code *bc_compile(const bc_node *n);
void bc_free_code(bc_code *code); /* Frees the code, not the tree. NULL is allowed. */
/* The value of an expression's code, 0 of statements and after an error. */
bc_num bc_run(bc_state *st, const bc_code *code);
void bc_free_node(bc_node *n); /* Frees a tree. NULL is allowed. */
/* A number in base 2 .. 16, with a point or without. */
bc_num bc_read_number(const char *text, int64_t base);

/* In the base of `obase`, broken into lines as BC_LINE_LENGTH wants. */
void bc_print_number(bc_state *st, const bc_num *a);
/* `escapes`: \n and others mean what print gives them. */
void bc_print_text(bc_state *st, const char *text, bool escapes);
/* Says it once; what runs ends with F_ERROR. */
void bc_runtime_error(bc_state *st, const char *message);
extern const char bc_math_library[];

#endif
