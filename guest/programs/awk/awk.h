/*
 * awk.h: awk's internal interface, grouped by the file that implements it.
 *
 * The way of a program: lex.c reads words, parse*.c makes the tree of tree.h, compile*.c turns that
 * into the code of code.h, run.c executes it. Below lie values (text.c, number.c, value.c,
 * array.c), the current record (record.c, field.c, split.c), input and output (input.c, stream.c),
 * regular expressions (pattern.c) and the functions (call_*.c, format.c).
 *
 * One process runs one program, so the state of the machine is global: `awk`.
 */
#ifndef AWK_H
#define AWK_H

#include "g_out.h"
#include "g_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Limits. Recursion of the parser is native recursion; that of functions is not. */
#define AWK_PARSE_DEPTH 400        /* nesting of the program text */
#define AWK_STACK_MAX   (4u << 20) /* values on the machine's stack */
#define AWK_CALLS_MAX   (1u << 19) /* function calls within each other */
#define AWK_FIELD_MAX   (1 << 27)  /* largest field number that can be assigned */

/* Text: counted bytes with a NUL behind them, shared by reference, never changed while shared. */
typedef struct {
    uint32_t refs, len, cap;
    uint8_t shape; /* enum text_shape */
    char s[];
} awk_text;
enum text_shape { SHAPE_UNKNOWN, SHAPE_BYTES /* a character is a byte */, SHAPE_WIDE };

typedef struct awk_array awk_array;
typedef struct awk_regex awk_regex;
typedef struct awk_cursor awk_cursor;
struct outer; /* machine.h */

enum kind {
    ABSENT, /* no such element; never seen by a program */
    UNSET,  /* never assigned: "" and 0 */
    NUMBER,
    STRING,
    INPUT,  /* text from outside, not yet looked at: becomes STRNUM or STRING */
    STRNUM, /* text from outside that looks like a number: both */
    REGEX,  /* @/…/ or a constant handed to a function; lives as long as the program */
    ARRAY,
    OUTER,  /* in a parameter: an unset variable of the caller that may yet become an array */
    CURSOR, /* a for-in loop under way, on the stack only */
};

typedef struct {
    double num; /* NUMBER, STRNUM */
    union {
        awk_text *text; /* STRING, INPUT, STRNUM */
        awk_regex *regex;
        awk_array *array;
        awk_cursor *cursor;
        struct outer *outer;
    };
    uint8_t kind;
} value;

/* Variables that the machine itself reads or writes; the first globals, in this order. */
enum special {
    V_NF,
    V_NR,
    V_FNR,
    V_FS,
    V_OFS,
    V_ORS,
    V_RS,
    V_CONVFMT,
    V_OFMT,
    V_SUBSEP,
    V_IGNORECASE,
    V_FIELDWIDTHS,
    V_FPAT,
    V_BINMODE,
    V_LINT,
    V_TEXTDOMAIN, /* up to here a change has effects */
    V_RSTART,
    V_RLENGTH,
    V_FILENAME,
    V_ENVIRON,
    V_ARGC,
    V_ARGV,
    V_ARGIND,
    V_ERRNO,
    V_RT,
    V_PROCINFO,
    V_SYMTAB,
    V_FUNCTAB,
    V_SPECIALS
};
#define V_LAST_WATCHED V_TEXTDOMAIN

/* The machine's state that several files share. */
extern struct awk_state {
    value *globals;
    size_t global_count;
    awk_text *convfmt, *ofmt, *subsep, *ofs, *ors; /* of the variables, as text */
    bool ignore_case;
    bool bytes;       /* a character is a byte: -b, or a locale without UTF-8 */
    bool posix;       /* --posix, --traditional */
    bool sandbox;     /* --sandbox: no system(), no redirections */
    bool non_decimal; /* --non-decimal-data */
    bool inplace;     /* -i inplace; its variable inplace::suffix */
    const char *inplace_suffix;
    int64_t nr, fnr;
    int exit_status;
    bool exiting; /* exit was executed; END and the closing of files are still to come */
} awk;

/* inplace.c: from here to the end what is printed becomes the file `name`, open as fd. */
void inplace_begin(const char *name, int fd);
/* Puts what was printed in place of the file, and keeps the old one under inplace::suffix; nothing
 * when none is open. */
void inplace_end(void);

/* awk.c: messages. Where the program stands is put in front, as gawk does. */
_Noreturn void awk_fatal(const char *format, ...) G_PRINTF(1, 2);
void awk_warn(const char *format, ...) G_PRINTF(1, 2); /* The message; the program goes on. */

/* text.c: making texts. A function that returns a text gives the caller a reference. */
awk_text *text_new(size_t len); /* contents to be filled in; s[len] is NUL */
awk_text *text_of(const char *bytes, size_t len); /* A copy of some bytes. */
awk_text *text_ofs(const char *s); /* A copy of a string. */
awk_text *text_empty(void); /* One text, shared by all who ask. */
void text_destroy(awk_text *t); /* For text_drop(): the last reference is gone. */
/* A text with `more` bytes behind t, which is consumed and reused when nobody else has it. */
awk_text *text_append(awk_text *t, const char *more, size_t len);
size_t text_chars(awk_text *t);  /* its length in characters */
bool text_is_bytes(awk_text *t); /* whether characters are single bytes */
/* Offset of the character number `index` (from 0), or len when there are fewer. */
size_t text_offset(awk_text *t, size_t index);
/* Characters in the first `bytes` bytes. */
size_t text_index(awk_text *t, size_t bytes);
awk_text *text_case(awk_text *t, bool upper); /* tolower() or toupper(); t stays the caller's. */
/* Below, at or above 0; IGNORECASE counts. */
int text_compare(const awk_text *a, const awk_text *b);
bool text_equal(const awk_text *a, const awk_text *b); /* The same question without an order. */
/* As gawk has it, since the order of subscripts shows it. */
uint32_t text_hash(const char *s, size_t len);
static inline awk_text *text_keep(awk_text *t) {
    t->refs++;
    return t;
}
static inline void text_drop(awk_text *t) {
    if (--t->refs == 0) text_destroy(t);
}

/* number.c: numbers and their texts. */
enum { NUMBER_TEXT_MAX = 400 };
/* The number at the start of the text, 0 when there is none; *end is set behind it. s[len] is
 * not looked at. */
double number_read(const char *s, size_t len, size_t *end);
/* Whether all of the text, but for blanks around it, is a number. */
bool number_looks(const char *s, size_t len, double *out);
/* Writes an integral value's digits (any size): its length. */
size_t number_put_integer(double n, char out[NUMBER_TEXT_MAX]);
/* The text of a number by a format such as CONVFMT; integral values as integers. */
size_t number_put(double n, const awk_text *format, char out[NUMBER_TEXT_MAX]);
awk_text *number_text(double n, const awk_text *format); /* The same as a text. */
/* printf("%.*f") and "%.*g" for common cases, exactly rounded; 0 when it cannot tell. */
size_t number_put_fixed(double n, int precision, char out[NUMBER_TEXT_MAX]);
/* strtonum(): also hexadecimal and octal digits. */
double number_strtonum(const char *s, size_t len);
/* "+nan", "-inf" … */
const char *number_special(double n);
static inline bool number_is_integral(double n) { /* and an int64_t */
    return n >= -0x1p63 && n < 0x1p63 && n == (double)(int64_t)n;
}

/* value.c: values. */
void value_destroy(value *v);
void outer_drop(struct outer *outer); /* place.c */
static inline void value_drop(value *v) {
    if (v->kind >= STRING) value_destroy(v);
}
static inline value value_copy(const value *v) {
    if (v->kind >= STRING && v->kind <= STRNUM) v->text->refs++;
    return *v;
}
static inline value value_number(double n) {
    return (value){.num = n, .kind = NUMBER};
}
static inline value value_text(awk_text *t) {
    return (value){.text = t, .kind = STRING};
}
static inline value value_input(awk_text *t) {
    return (value){.text = t, .kind = INPUT};
}
static inline value value_unset(void) {
    return (value){.kind = UNSET};
}
double value_to_number(value *v); /* also settles what INPUT is */
/* A reference for the caller; `format` is CONVFMT or OFMT. */
awk_text *value_to_text(value *v, const awk_text *format);
void value_settle(value *v); /* Decides whether INPUT is a number: STRNUM or STRING. */
bool value_is_true(value *v); /* As a condition. */
int value_compare(value *a, value *b); /* as <, == and > do */
/* The bytes of a value without a reference: `room` serves numbers. */
const char *value_bytes(value *v, const awk_text *format, char room[NUMBER_TEXT_MAX], size_t *len);
void value_assign(value *to, value from); /* takes over `from` */

/* array.c: arrays. Subscripts come in the order in which gawk yields them. */
awk_array *array_new(void);
void array_keep(awk_array *a); /* One reference more. */
void array_drop(awk_array *a); /* One less; the last frees it. */
size_t array_count(const awk_array *a); /* The number of elements. */
value *array_at(awk_array *a, value *subscript); /* made UNSET when it is not there */
value *array_at_int(awk_array *a, int32_t subscript); /* The same of a number. */
value *array_at_text(awk_array *a, const char *s, size_t len); /* The same of some bytes. */
value *array_find(awk_array *a, value *subscript); /* or NULL */
value *array_find_text(awk_array *a, const char *s, size_t len); /* The same of some bytes. */
/* Nothing happens when there is no such element. */
void array_delete(awk_array *a, value *subscript);
void array_clear(awk_array *a); /* No elements afterwards. */
/* All subscripts, count of them, as STRNUM or STRING values: g_alloc'ed, owned by the caller. */
value *array_subscripts(const awk_array *a, size_t *count);

/* array_sort.c: the orders of PROCINFO["sorted_in"] and of asort(). */
typedef struct {
    value subscript;
    value *element; /* NULL once it is gone */
} sort_item;
/* Sorts by the name of an order (@ind_str_asc …) or of a function. */
void sort_items(sort_item *items, size_t count, const char *how, size_t how_len);
/* asort() and asorti(); the number of elements. */
double sort_array(awk_array *from, awk_array *to, value *how, bool subscripts);

/* pattern.c: regular expressions. */
awk_regex *regex_constant(const char *source, size_t len); /* compiled at first use */
/* What is wrong with an expression in the program's text; NULL: nothing. */
const char *regex_mistake(const awk_text *source);
awk_regex *regex_of(value *v);                             /* a constant's, or of a text: cached */
const awk_text *regex_source(const awk_regex *re); /* Not a reference. */
void regex_free(awk_regex *re); /* Frees one of regex_constant(). */
typedef struct {
    ptrdiff_t start, end;
} range;
enum { RANGES_MAX = 128 };
/* The first match from `from` on; fills `count` ranges, that of the match and of its groups.
 * `not_bol`: s is no start of a line. */
bool regex_search(awk_regex *re, const char *s, size_t len, size_t from, bool not_bol, range *out,
                  size_t count);
bool regex_test(awk_regex *re, const char *s, size_t len); /* Is there a match? */
size_t regex_groups(awk_regex *re); /* How many groups it has. */

/* record.c: $0 and the fields. */
void record_begin(void);
/* Sets $0 to bytes that stay where they are until record_own() or the next record. */
void record_set_borrowed(const char *s, size_t len);
void record_set(awk_text *text); /* takes the reference */
void record_own(void);           /* copies what is borrowed */
/* $0, put together when a field has changed; valid until then. */
const char *record_bytes(size_t *len);
value *record_field(int64_t n); /* n >= 0; a cell to read, valid until a field changes */
double record_field_number(int64_t n); /* $n as a number, without making a text of it. */
void record_assign(int64_t n, value v); /* takes over v */
int64_t record_nf(void); /* Splits the record for it. */
void record_set_nf(double n); /* Drops fields or makes empty ones; a bad number ends the program. */
void record_split_all(void); /* before FS changes */

/* split.c: how text is cut into fields. */
enum split_kind {
    SPLIT_BLANKS,
    SPLIT_CHAR,
    SPLIT_REGEX,
    SPLIT_CHARS,
    SPLIT_FPAT,
    SPLIT_WIDTHS,
    SPLIT_NONE
};
typedef struct {
    uint8_t kind;
    unsigned char separator; /* SPLIT_CHAR */
    bool newline;            /* RS = "": a newline separates as well */
    awk_regex *regex;        /* SPLIT_REGEX, SPLIT_FPAT */
    struct split_width *widths;
    size_t width_count;
} splitter;
struct split_width {
    int64_t skip, width; /* characters; width -1: the rest */
};
/* Finds the next field in s[*at .. len): its range, and that of the separator behind it. False when
 * there is none; `first` for the first call. *at moves on. */
typedef struct {
    size_t at;
    size_t count; /* fields found so far */
    bool done;
} split_state;
/* False: there are no more fields. */
bool split_next(const splitter *sp, const char *s, size_t len, split_state *state, range *field,
                range *separator);
void split_by(splitter *sp, value *separator, bool is_fs); /* what a FS or split() value means */
/* What a FIELDWIDTHS value means; a wrong one ends the program. */
void split_parse_widths(splitter *sp, const char *s, size_t len);
splitter *split_current(void);      /* that of records */
void split_fs_changed(int special); /* V_FS, V_FPAT, V_FIELDWIDTHS, V_RS, V_IGNORECASE */
const char *split_mode_name(void);  /* for PROCINFO["FS"] */

/* input.c: records from files. */
typedef struct awk_reader awk_reader;
awk_reader *reader_new(int fd); /* Reads fd, which it takes over. */
void reader_free(awk_reader *r); /* Closes fd, unless it is standard input. */
/* The next record: 1, 0 at the end, -1 with errno. Bytes stay until the next call. RT is set. */
int reader_next(awk_reader *r, const char **s, size_t *len);
void input_rs_changed(void); /* After an assignment to RS. */
/* The main input: the operands of the command line. */
int input_next(const char **s, size_t *len);  /* as reader_next; runs BEGINFILE and ENDFILE */
bool input_next_record(void);                 /* into $0, NR and FNR */
void input_skip_file(void);                   /* nextfile */
void awk_assign_operand(const char *operand); /* var=value of the command line */
bool awk_is_assignment(const char *operand); /* Does an operand have the form var=value? */

/* stream.c: redirections, pipes, coprocesses. */
enum redirection {
    TO_STDOUT,
    TO_FILE,
    TO_APPEND,
    TO_PIPE,
    TO_COPROCESS,
    FROM_FILE,
    FROM_PIPE,
    FROM_COPROCESS
};
typedef struct stream stream;
stream *stream_get(enum redirection how, value *name); /* NULL with ERRNO set: cannot be opened */
/* Writes bytes to a stream for output. */
void stream_put(stream *s, const char *bytes, size_t len);
void stream_done(stream *s); /* after one print: flushes what must not wait */
/* The next record, as reader_next(). */
int stream_read(stream *s, const char **bytes, size_t *len);
/* close(): the result for the program; `how` "to" or "from" of a coprocess, else NULL. */
double stream_close(const char *name, size_t len, const char *how);
double stream_flush(value *name, bool all); /* fflush() of one name, or of all. */
void stream_begin(void); /* From here on failed output is told in awk's words. */
int stream_finish(void); /* closes all; the exit status' share */
/* system(): flushes all, waits, and gives the status as gawk does. */
double stream_system(const char *command, size_t len);
void stream_set_errno(int error); /* Sets ERRNO to the text of an errno value. */

/* format.c: printf. */
void format_values(g_text *out, value *format, value *args, size_t count);

/* call_*.c: the functions; see code.h. */

/* run.c: the machine. */
struct program;
enum { GROUP_BEGIN, GROUP_MAIN, GROUP_END, GROUP_BEGINFILE, GROUP_ENDFILE };
void run_begin(struct program *p); /* The program that runs from here on. */
void run_program(void); /* all of it; the status is in awk */
bool run_has_rules(int group); /* Has the program rules of this group? */
bool run_rules(int group);                           /* whether they said nextfile */
void run_special_changed(int special);               /* after a change of a watched variable */
void run_sync_special(int special);                  /* NF, NR, FNR into their variables */
int run_find_function(const char *name, size_t len); /* -1: there is none */
/* Calls a function of the program; takes over the values. */
double run_call(int function, value *args, int count);
void run_where(g_text *out); /* "cmd. line:1: (FILENAME=- FNR=3) ", or nothing */

/* variable.c: the variables that are there at the start. */
void variables_begin(struct program *p, int argc, char **argv, const char *name);

#endif
