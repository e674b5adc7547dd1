/*
 * code.h: what run.c executes: instructions for a machine with a stack of values.
 */
#ifndef AWK_CODE_H
#define AWK_CODE_H

#include "awk.h"

enum operation { OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_MODULO, OP_POWER };
enum comparison { LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL };

/* Where a value can be put. Behind it on the stack: a field's number; an array and a subscript. */
enum place { AT_NOWHERE, AT_GLOBAL, AT_SPECIAL, AT_LOCAL, AT_FIELD, AT_ELEMENT };

/* `a`, `n` and `sub` are the instruction's; "pushes" and "pops" are about the stack. */
enum opcode {
    I_STOP,
    I_CONSTANT, /* pushes constant a */
    I_REGEX,    /* pushes regular expression a, itself */
    I_GLOBAL,
    I_SPECIAL,
    I_LOCAL,        /* pushes variable a */
    I_FIELD,        /* pushes field a */
    I_FIELD_AT,     /* pops its number */
    I_FIELD_NUMBER, /* pushes field a as a number */
    I_ELEMENT,      /* pops a subscript and an array, pushes the element, which comes into being */
    I_ARRAY_GLOBAL,
    I_ARRAY_LOCAL, /* pushes the array that variable a is */
    I_SUBARRAY,    /* pops a subscript and an array, pushes the array that the element is */
    I_SUBSCRIPT,   /* pops n values, pushes them joined by SUBSEP */
    I_ARGUMENT_GLOBAL,
    I_ARGUMENT_LOCAL,   /* pushes variable a for a call: also an array or unset */
    I_ARGUMENT_ELEMENT, /* pops a subscript and an array; the same */
    /* Assignments: the value lies below the place's parts. n 1: the value is left on the stack. */
    I_STORE,   /* to place sub, number a */
    I_UPDATE,  /* operation n >> 1 on it */
    I_STEP,    /* n >> 1: enum step; no value */
    I_APPEND,  /* pops a value, appends it to variable a (place sub) */
    I_OPERATE, /* sub: enum operation */
    I_NEGATE,
    I_PLUS,
    I_NOT,
    I_COMPARE,        /* sub: enum comparison */
    I_MATCH,          /* pops a regular expression and a text; n 1: negated */
    I_MATCH_CONSTANT, /* the same with regular expression a */
    I_MATCH_RECORD,   /* $0 with regular expression a */
    I_IN,             /* pops an array and a subscript */
    I_CONCAT,         /* pops n values */
    I_JUMP,
    I_JUMP_FALSE,
    I_JUMP_TRUE,    /* to a; the latter two pop */
    I_JUMP_COMPARE, /* to a unless the comparison sub of two values popped holds */
    I_RANGE_JUMP,   /* to a when range n is on */
    I_RANGE_SET,    /* range n is sub */
    I_CASE,         /* compares the top with the value popped from above it */
    I_POP,
    I_GETLINE, /* sub: place, n: enum redirection; place's parts on top, the source below */
    I_PRINT,
    I_PRINTF, /* pops n values, and a destination below them unless sub is TO_STDOUT */
    I_PRINT_RECORD,
    I_CALL,         /* function a with n arguments */
    I_CALL_BY_NAME, /* pops n arguments and a name; variable a holds it for messages */
    I_RETURN,       /* pops the result */
    I_BUILTIN,      /* function sub with n values; pushes the result */
    I_SUBSTITUTE,   /* sub: place, n: enum builtin */
    I_LENGTH_OF,    /* of variable a: place sub */
    I_NEXT,
    I_NEXTFILE,
    I_EXIT,     /* n 1: pops the status */
    I_FOR_IN,   /* pops an array, pushes a cursor */
    I_FOR_NEXT, /* pushes the next subscript, or jumps to a */
    I_DELETE,   /* pops a subscript and an array */
    I_CLEAR,    /* pops an array */
};

typedef struct {
    uint8_t opcode, sub;
    uint16_t n;
    int32_t a;
} instruction;

/* Built-in functions, by name: see builtins[] in builtin.c. */
enum builtin {
    BUILTIN_AND,
    BUILTIN_ASORT,
    BUILTIN_ASORTI,
    BUILTIN_ATAN2,
    BUILTIN_BINDTEXTDOMAIN,
    BUILTIN_CLOSE,
    BUILTIN_COMPL,
    BUILTIN_COS,
    BUILTIN_DCGETTEXT,
    BUILTIN_DCNGETTEXT,
    BUILTIN_EXP,
    BUILTIN_FFLUSH,
    BUILTIN_GENSUB,
    BUILTIN_GSUB,
    BUILTIN_INDEX,
    BUILTIN_INT,
    BUILTIN_ISARRAY,
    BUILTIN_LENGTH,
    BUILTIN_LOG,
    BUILTIN_LSHIFT,
    BUILTIN_MATCH,
    BUILTIN_MKBOOL,
    BUILTIN_MKTIME,
    BUILTIN_OR,
    BUILTIN_PATSPLIT,
    BUILTIN_RAND,
    BUILTIN_RSHIFT,
    BUILTIN_SIN,
    BUILTIN_SPLIT,
    BUILTIN_SPRINTF,
    BUILTIN_SQRT,
    BUILTIN_SRAND,
    BUILTIN_STRFTIME,
    BUILTIN_STRTONUM,
    BUILTIN_SUB,
    BUILTIN_SUBSTR,
    BUILTIN_SYSTEM,
    BUILTIN_SYSTIME,
    BUILTIN_TOLOWER,
    BUILTIN_TOUPPER,
    BUILTIN_TYPEOF,
    BUILTIN_XOR,
    BUILTINS
};
int builtin_named(const char *name, size_t len); /* or -1 */
const char *builtin_name(int builtin); /* As messages show it. */
/* NULL when so many arguments are right, else the function's name. */
const char *builtin_check(int builtin, int count);
/* The function with values it may change but does not drop. */
value builtin_call(enum builtin which, value *args, int count);
bool builtin_takes_regex(int builtin, int argument); /* a constant there is not matched with $0 */
/* An argument that is an array, and not copied. */
bool builtin_takes_array(int builtin, int argument);

/* call_text.c, call_regex.c, call_time.c: groups of them. */
value call_text(enum builtin which, value *args, int count);
/* match(), split(), patsplit(), gensub(). */
value call_regex(enum builtin which, value *args, int count);
value call_time(enum builtin which, value *args, int count); /* strftime(), mktime(), systime(). */
/* sub() and gsub(): the number of replacements; *out is the new text when it is not 0. */
int64_t substitute(bool all, value *regex, value *replacement, value *target, awk_text **out);

double operation_apply(enum operation op, double a, double b); /* division by zero: fatal */

typedef struct {
    awk_text *name;
    uint32_t entry, size; /* instructions: the stack needs no more values than that */
    int params;
    awk_text *const *param_names;
} function_code;

typedef struct {
    uint32_t line;
    const char *source; /* NULL: the command line */
} code_line;

struct program {
    instruction *code;
    code_line *lines; /* of each instruction */
    size_t count, cap, lines_cap;
    value *constants;
    size_t constant_count, constant_cap;
    awk_regex **regexes;
    size_t regex_count, regex_cap;
    function_code *functions;
    size_t function_count;
    uint32_t entries[5]; /* by enum rule_group */
    uint32_t sizes[5];
    bool has[5];
    bool *ranges;
    uint16_t range_count;
    awk_text **global_names;
    size_t global_count;
};

#endif
