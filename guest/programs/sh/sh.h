/*
 * sh.h: the shell's state and every interface between its files, grouped by implementing file.
 *
 * Control flow never jumps: what a command does to the commands around it (break, return, exit, an
 * error that abandons the line) is left in `shell.flow`, and everyone who runs or expands something
 * looks at it and returns. Strings inside the shell hold no NUL, as in bash.
 */
#ifndef SH_H
#define SH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/types.h>

#include "arena.h"
#include "tree.h"
#include "options.h"

#define SH_VERSION "5.2.15(1)-release"

enum flow {
    FLOW_NONE,
    FLOW_BREAK,    /* flow_levels loops are to be left */
    FLOW_CONTINUE, /* the flow_levels-th loop is to go on */
    FLOW_RETURN,   /* from a function or a sourced file; status is set */
    FLOW_DISCARD,  /* an error gave up the complete command; status is set */
    FLOW_ABANDON, /* an error gave up every text that runs, but for a script's own; status is set */
    FLOW_EXIT,    /* the shell is to end with status */
    FLOW_INTERRUPT /* SIGINT: the run is to end, the session stays */
};

enum limits {
    FUNCTION_DEPTH_MAX = 1000, /* nested function calls, unless FUNCNEST is smaller */
    ARITH_DEPTH_MAX = 256,     /* nested parentheses and variables whose values are expressions */
    EXPAND_DEPTH_MAX = 200,    /* ${a:-${b:-…}} */
    EVAL_DEPTH_MAX = 200,      /* eval and source within each other */
    NAMEREF_DEPTH_MAX = 8,
    GLOB_DEPTH_MAX = 400,      /* extended patterns within each other, and directories */
};

struct shell;
struct var;
struct func;
struct job;
struct jobs;

/* A list of strings in an arena. */
struct strings {
    char **v;
    int n, cap;
};

/* One level of function call or sourced file, as FUNCNAME and its companions show it. */
struct frame {
    struct frame *up;
    const char *name;   /* of the function; "source" for a file; "main" */
    const char *file;   /* where its commands come from */
    int line;           /* where it was called */
    bool is_function;
    char **args;        /* positional parameters, [0] is the first */
    int nargs;
    int level;          /* scope of its local variables */
    bool *saved_options; /* of `local -`, or NULL */
    char **owned;       /* what set -- allocated for args, or NULL */
};

/* What `cmd > file` changed, to be undone. */
struct redir_undo {
    struct redir_undo *next;
    int fd, saved; /* saved: a copy of the old fd; -1: it was closed */
};

struct shell {
    /* Who it is. */
    const char *name;         /* $0 */
    pid_t pid;                /* $$ */
    int subshell;             /* depth of forked subshells */
    bool in_parens;           /* one of them is of ( … ) */
    bool interactive, login, restricted, posix, session;
    const char *command_string; /* -c */
    bool reads_stdin;         /* commands come from standard input */

    char *stack_base;         /* address near the top of the C stack, and how much may be used */
    size_t stack_limit;

    /* What the running command did. */
    int status;               /* $? */
    enum flow flow;
    int flow_levels;
    int loop_depth;
    int function_depth;
    int eval_depth;
    int trace_depth;          /* command substitutions around this one, for set -x */
    int line;                 /* of the command being executed */
    bool syntax_failed;       /* the text that run_text() ran last ended in a syntax error */
    bool misused;             /* the last builtin failed as in POSIX mode ends the shell */
    bool redirs_kept;         /* exec without a command: the redirections around it stay */
    int line_shift;           /* in a $( ): from its lines to those that bash counts */
    bool fatal;               /* FLOW_EXIT comes from an unset variable or ${x?} */
    int error_line;           /* >0: messages name this line instead (parsing) */
    int ignore_errors;        /* >0: in a condition; set -e and ERR do not apply */
    int steps;                /* until the next pf_yield */
    const char *builtin;      /* the builtin being run, for its messages */
    struct arg_assigns { /* compound assignments among a builtin's arguments */
        char **argv;
        struct compound **v;
        int count;
        struct strings refs; /* arguments written as name[subscript]: expanded once and for all */
    } arg_assigns;
    const struct node *command; /* for BASH_COMMAND; NULL when its tree is gone: */
    char *command_text;
    int *pipe_status;         /* PIPESTATUS */
    int pipe_count;
    int last_cmdsub_status;   /* of the last $( ) of the command being expanded; -1 none */

    /* Memory. */
    arena tmp;                /* scratch: marks nest with execution */
    sb out;                   /* what a builtin prints, written when it ends */
    bool out_failed;
    sb *capture;              /* of a builtin that runs in place of a process; NULL: it is written */

    /* Parameters, functions, aliases. */
    struct frame *frame;      /* innermost; the last one is the script itself */
    struct frame main_frame;
    struct table *vars, *funcs, *aliases, *hash, *completions;
    int level;                /* scope of new local variables; 0 is global */
    struct var *locals;       /* innermost first, chained by next_local */
    char **environ_cache;     /* for exec; NULL when stale */
    uint8_t ifs_class[256];   /* 1 white space, 2 other, 3 may begin a longer character of ifs */
    char *ifs;                /* its characters, when some are longer than a byte; else NULL */
    char ifs_first[8];        /* first character of IFS, "" when IFS is empty */
    bool ifs_null;
    struct getopts_state { int index, offset; } getopts;
    uint32_t random;          /* state of RANDOM */
    int64_t seconds_base;     /* SECONDS counts from here */
    int64_t start_time;       /* seconds */
    sb dirs;                  /* pushd's stack: NUL-separated, top first */

    struct history { /* of `set -o history`, oldest first */
        char **v;
        int n, cap;
        int base;    /* how many were dropped at the front */
        int unsaved; /* at the end: not yet written by history -a */
        char *searched, *searched_word; /* of the last !?text?, or NULL */
        char *old, *new;                /* of the last :s, or NULL */
        bool reads_edited;              /* what runs are the lines that fc had edited */
        int64_t *times;                 /* of each; 0 where HISTTIMEFORMAT was not set */
        bool line_added;                /* by the command that runs, and not yet taken out */
        bool loaded;                    /* HISTFILE was read */
    } history;

    /* Options. */
    bool opt[OPT_COUNT];      /* set -o */
    bool shopt[SHOPT_COUNT];

    bool hash_kept;           /* who looks for a command is a process of its own: hash hides it */

    uint32_t builtin_off[4];  /* enable -n: a bit per entry of the table */

    /* Processes. */
    struct jobs *jobs;
    pid_t last_background;    /* $! */
    pid_t last_procsub;       /* of the last <( ) or >( ) */
    int stdin_given;          /* >0: a pipe or a redirection around is standard input: & keeps it */
    bool can_exec;            /* nothing follows in this process: exec instead of fork */
    struct procsub *procsubs; /* <( ) of the commands being run */
    int tty;
    int trace_fd;             /* what BASH_XTRACEFD named when it was assigned; 2 without */

    /* Traps. */
    char *traps[68];          /* commands by signal; 0 EXIT, then DEBUG ERR RETURN at 65 66 67 */
    bool trap_set[68];
    int in_trap;
    int read_signal;          /* which ended the last read */
    int trap_status;          /* $? that a trap's exit without argument gives */
    bool exit_signals;        /* signals that would end the shell run the EXIT trap first */
    bool trap_inherited;      /* in a subshell: traps are the parent's, only listed */
    uint8_t ignored_at_start[65];
    bool in_debug_trap, in_err_trap, in_return_trap;
    bool specials_made; /* special_init() is over */
    int subshell_shift; /* BASH_SUBSHELL is so much more than `subshell` */
    bool debug_done;    /* the DEBUG trap ran before the process for this command was made */
    int body_line;      /* of the function that was defined last, and begins with a brace */
    int status_before_return; /* $? as a RETURN trap sees it, where `return` ended the function */

    bool subscript_final;     /* the text at hand was expanded: a key is taken as it is */
    bool regex_failed;        /* the last =~ had a malformed pattern: status 2 */
};

/* An invariant of the shell: where it does not hold, the process ends by SIGABRT. */
#define sh_check(condition) ((condition) ? (void)0 : abort())
#define DIM(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ------------------------------------------------------------------ error.c */
/* "NAME: line N: " and the text on standard error. */
void sh_error(struct shell *sh, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As sh_error with "NAME: " of the running builtin in front. */
void sh_builtin_error(struct shell *sh, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An error in an expansion: prints, sets status and FLOW_DISCARD (FLOW_EXIT when fatal). */
void sh_expand_error(struct shell *sh, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What such an error does, without a message: the line is given up, in POSIX mode the shell. */
void sh_give_up(struct shell *sh);
/* The same, and it ends a shell that is not interactive. */
void sh_fatal_expand_error(struct shell *sh, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* After an error that bash takes to its top level (a malformed subscript or integer): -c ends, a
 * script goes on with its next command, whatever eval, source or function the error was in. */
void sh_abandon(struct shell *sh, int status);
int sh_bad_option(struct shell *sh, const char *option); /* "-z: invalid option", usage; status 2 */
int sh_usage(struct shell *sh);                          /* usage of the running builtin; status 2 */
/* "WHAT: restricted" (WHAT may be NULL) for the running builtin; status 1. */
int sh_restricted(struct shell *sh, const char *what);
void sh_restrict(struct shell *sh); /* from now on the shell is restricted (bash -r) */
/* The status of a command that such an error ended: 127 where it ends a -c command, else
 * `status`. */
int sh_fatal_status(struct shell *sh, int status);
/* Prints a syntax error: `where` (may be NULL) is what is parsed, such as "eval". */
void sh_syntax_error(struct shell *sh, const char *where, int line, const char *text);
void sh_write_err(const char *s, size_t n); /* Writes to standard error as it is; keeps errno. */

/* ------------------------------------------------------------------ output.c */
/* Buffers what the shell prints; a failure to write is told by out_flush(). */
void out_put(struct shell *sh, const char *s, size_t n);
void out_puts(struct shell *sh, const char *s); /* A string. */
void out_putc(struct shell *sh, char c); /* A byte. */
/* As printf(). */
void out_printf(struct shell *sh, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_flush_lines(struct shell *sh); /* what is whole lines, before a message */
int out_flush(struct shell *sh); /* -1 with errno; what was not written is dropped */
int write_all(int fd, const char *s, size_t n); /* 0, or -1 with errno; SIGINT ends it. */

/* ------------------------------------------------------------------ quote.c */
enum quote_style { QUOTE_BACKSLASH, QUOTE_SINGLE, QUOTE_DOLLAR };
void quote_backslash(sb *out, const char *s);  /* printf %q */
void quote_single(sb *out, const char *s);     /* '…' always */
void quote_dollar(sb *out, const char *s);     /* $'…' */
void quote_double(sb *out, const char *s);     /* "…" as declare -p prints it */
void quote_trace(sb *out, const char *s);      /* as set -x shows a word: bare when harmless */
void quote_value(sb *out, const char *s);      /* as `set` shows a value */
bool quote_needs_dollar(const char *s);        /* has control characters or invalid UTF-8 */
/* Expands backslash escapes. `mode`: '$' for $'…', 'e' for echo -e, 'b' for printf %b, 'f' for a
 * printf format. true: \c was met and output is to stop. */
bool quote_unescape(sb *out, const char *s, size_t n, char mode);

/* ------------------------------------------------------------------ utf8.c */
void u8_set_locale(const char *name);          /* as LC_ALL, LC_CTYPE or LANG names it */
bool u8_is_bytes(void);                        /* in the locale C: no characters but bytes */
int u8_len(const char *s, size_t n);           /* bytes of the character at s: 1 for a bad one */
/* The character at s and its bytes; a bad byte is 0xdc00 + its value. */
uint32_t u8_decode(const char *s, size_t n, int *len);
/* Bytes written; up to 0x7fffffff, as printf '\U' has it. */
int u8_encode(uint32_t c, char out[6]);
size_t u8_count(const char *s, size_t n);      /* characters */
size_t u8_offset(const char *s, size_t n, size_t chars); /* bytes of the first `chars` */
int u8_width(const char *s, size_t n);         /* columns */

/* ------------------------------------------------------------------ table.c */
/* Entries start with these two fields; the table owns neither. */
struct entry {
    struct entry *next;
    char *key;
};
struct table *table_new(void); /* An empty table. */
/* The entry whose key is the n bytes; NULL: none. */
struct entry *table_find(const struct table *t, const char *key, size_t n);
void table_add(struct table *t, struct entry *e); /* Adds an entry whose key is not there yet. */
/* The entry whose key is the n bytes; a new one is `size` bytes of zeros behind its key. */
void *table_entry(struct table *t, const char *key, size_t n, size_t size);
/* Puts `by` at the place of `old`; NULL removes it. */
void table_swap(struct table *t, struct entry *old, struct entry *by);
int table_count(const struct table *t); /* The number of entries. */
/* All entries sorted by key, in the arena; *count of them. */
struct entry **table_sorted(const struct table *t, arena *a, int *count);

/* ------------------------------------------------------------------ var.c, array.c, special.c */
enum var_flags {
    V_SET = 1,
    V_EXPORT = 2,
    V_READONLY = 4,
    V_INTEGER = 8,
    V_LOWER = 16,
    V_UPPER = 32,
    V_NAMEREF = 64,
    V_ARRAY = 128,
    V_ASSOC = 256,
    V_TRACE = 512,
    V_TEMP = 1024,   /* of `A=1 cmd` */
    V_CAPITAL = 2048,
    V_LOCAL = 4096,
    V_IMPORTED = 8192,
    V_GIVEN = 16384,  /* a local one that was in front of the call: A=1 f */
    V_PASSED = 32768, /* one of these that outlives the call */
};
#define V_ATTRIBUTES (V_EXPORT | V_READONLY | V_INTEGER | V_LOWER | V_UPPER | V_NAMEREF | V_TRACE | V_CAPITAL)

struct array; /* sparse, sorted by index */
struct assoc; /* in bash's order */

struct var {
    struct entry entry; /* key: its name */
    uint16_t flags;
    int level;          /* scope it belongs to */
    size_t len, cap;    /* of value.text */
    union { /* which one, V_ARRAY and V_ASSOC say: only the var_…() below look at it */
        char *text;
        struct array *array;
        struct assoc *assoc;
    } value;
    struct var *outer;      /* the variable of that name that this one hides */
    struct var *next_local;
    const struct special *special;
};

/* A variable that the shell computes, or has to be told about. */
struct special {
    const char *name;
    void (*get)(struct shell *sh, struct var *v);  /* refreshes the stored value; may be NULL */
    bool (*set)(struct shell *sh, struct var *v, const char *value); /* true: taken; may be NULL */
    void (*changed)(struct shell *sh, struct var *v); /* after assignment or unset (v NULL) */
    bool hidden;      /* lists show it without a value: computing one is a side effect */
    /* after an assignment to one of its elements; may be NULL */
    void (*element)(struct shell *sh, const char *key, const char *value);
};
const struct special *special_find(const char *name); /* NULL: an ordinary variable. */
bool special_is_fixed(const char *name); /* FUNCNAME and the like: nobody else may make or assign it. */
void special_init(struct shell *sh); /* Makes the variables that the shell computes. */

bool name_ok(const char *s); /* Is all of it the name of a variable? */
bool name_ok_n(const char *s, size_t n); /* Are its first n bytes? */
size_t name_len(const char *s); /* bytes of the name that s starts with */

/* The text of a plain variable; NULL for one that is unset or an array. */
static inline const char *var_text(const struct var *v) {
    return (v->flags & (V_SET | V_ARRAY | V_ASSOC)) == V_SET ? v->value.text : NULL;
}
/* The elements; v must be an indexed or an associative array. */
static inline struct array *var_array(const struct var *v) {
    sh_check((v->flags & (V_ARRAY | V_ASSOC)) == V_ARRAY);
    return v->value.array;
}
static inline struct assoc *var_assoc(const struct var *v) {
    sh_check((v->flags & (V_ARRAY | V_ASSOC)) == V_ASSOC);
    return v->value.assoc;
}

void var_init(struct shell *sh); /* An empty table of variables. */
struct var *var_find(struct shell *sh, const char *name);      /* follows namerefs */
struct var *var_find_raw(struct shell *sh, const char *name);  /* does not */
struct var *var_make(struct shell *sh, const char *name);      /* find, or a new global; unset */
/* The one at this level, made unset if it is not there. */
struct var *var_make_local(struct shell *sh, const char *name, int level);
struct var *var_global(struct shell *sh, const char *name);    /* at level 0, or NULL */
/* Value as a string: an array's element 0. NULL when unset. Valid until the variable changes. */
const char *var_get(struct shell *sh, const char *name);
const char *var_str(struct shell *sh, struct var *v); /* The same of a variable that was found. */
void var_refresh(struct shell *sh, struct var *v);             /* computed ones */
/* Assigns, minding attributes. false: readonly or a bad value; a message was printed. */
bool var_set(struct shell *sh, const char *name, const char *value);
/* `append`: +=. */
bool var_assign(struct shell *sh, struct var *v, const char *value, bool append);
/* An element of an indexed array, which v becomes. */
bool var_assign_index(struct shell *sh, struct var *v, int64_t i, const char *value, bool append);
/* An element of an associative array, which v is. */
bool var_assign_key(struct shell *sh, struct var *v, const char *key, const char *value, bool append);
/* What an element or v with the value `old` (NULL: none) would hold after +=value, as below. */
const char *var_added(struct shell *sh, struct var *v, const char *old, const char *value);
/* What v would hold after +=value; in the scratch arena. NULL: an error was printed. */
const char *var_appended(struct shell *sh, struct var *v, const char *value);
void var_put(struct shell *sh, struct var *v, const char *value); /* no checks, no hooks */
bool var_unset(struct shell *sh, const char *name);             /* false: readonly */
void var_remove(struct shell *sh, struct var *v);               /* drops this instance */
void var_to_array(struct shell *sh, struct var *v); /* A plain value becomes element 0. */
void var_to_assoc(struct shell *sh, struct var *v); /* A plain value becomes element "0". */
/* Makes v an array without elements, whatever it was. */
struct array *var_empty_array(struct shell *sh, struct var *v);
/* The same of an associative one. */
struct assoc *var_empty_assoc(struct shell *sh, struct var *v);
void var_copy_elements(struct shell *sh, struct var *to, struct var *from); /* an array's */
void var_clear(struct shell *sh, struct var *v);                /* no value, attributes stay */
bool var_readonly_error(struct shell *sh, struct var *v);       /* prints; always false */
void var_export(struct shell *sh, struct var *v, bool on); /* Sets or clears the attribute. */
void var_show_temps(struct shell *sh, bool show); /* A=1 of `A=1 cmd <<< $A`: hidden for the <<< */
/* A function begins: var_make_local() makes its variables. */
void var_push_level(struct shell *sh);
void var_pop_level(struct shell *sh); /* It ends: its variables go. */
char *var_convert(struct shell *sh, struct var *v, const char *value); /* -i -l -u; tmp; NULL: error */
char **var_environ(struct shell *sh);                           /* valid until a variable changes */
/* The same for the program at `path`, which finds that in `_`; in the scratch arena. */
char **var_environ_of(struct shell *sh, const char *path);
/* Takes an environment over, with the functions in it. */
void var_import(struct shell *sh, char **environ);
void var_import_one(struct shell *sh, const char *name, const char *value); /* exported */
/* A global variable, put aside: it is as if it were unset, until it is put back. */
struct var_kept {
    bool there;
    uint16_t flags;
    size_t len, cap;
    void *value;
};
/* Puts the value in *out, which owns it. */
void var_keep(struct shell *sh, const char *name, struct var_kept *out);
/* Ends var_keep(); values that were assigned meanwhile are dropped. */
void var_put_back(struct shell *sh, const char *name, struct var_kept *kept);
void var_changed(struct shell *sh, struct var *v); /* After an assignment: tells who has to know. */
/* The variable that a nameref leads to by name; NULL with *target set to a name that is not there
 * yet, or to "a[1]". */
struct var *var_deref(struct shell *sh, struct var *v, const char **target);
const char *var_nameref_target(struct shell *sh, const char *name); /* final target text */

struct array *array_new(void); /* An empty array. */
void array_free(struct array *a); /* NULL is allowed. */
const char *array_get(const struct array *a, int64_t i);        /* NULL: not set */
/* `value` is copied; the index is not negative. */
void array_set(struct array *a, int64_t i, const char *value);
void array_unset(struct array *a, int64_t i); /* Nothing happens when there is no such element. */
void array_clear(struct array *a); /* No elements afterwards. */
int array_count(const struct array *a); /* Elements that are set. */
int64_t array_next_index(const struct array *a);                /* one past the last */
const char *array_at(const struct array *a, int pos, int64_t *index); /* pos-th set element */

struct assoc *assoc_new(void); /* An empty array. */
/* One of so many buckets (a power of two), which decide about its order. */
struct assoc *assoc_new_sized(uint32_t buckets);
void assoc_free(struct assoc *a); /* NULL is allowed. */
const char *assoc_get(const struct assoc *a, const char *key); /* NULL: not set. */
void assoc_set(struct assoc *a, const char *key, const char *value); /* Key and value are copied. */
void assoc_unset(struct assoc *a, const char *key); /* Nothing happens when there is no such key. */
void assoc_clear(struct assoc *a); /* No elements afterwards. */
int assoc_count(const struct assoc *a); /* Elements that are set. */
/* All pairs in bash's order: keys[i], values[i] borrowed, the lists in the arena. */
void assoc_list(const struct assoc *a, arena *mem, char ***keys, char ***values);

/* ------------------------------------------------------------------ declare text: vartext.c */
void var_print_declare(struct shell *sh, struct var *v, sb *out); /* declare -x a="…" */
void var_print_key(sb *out, const char *key); /* an associative subscript, quoted if need be */
void var_print_value(struct shell *sh, struct var *v, sb *out);   /* ="…" or =([0]="…" …) */
void var_print_bare(struct shell *sh, struct var *v, sb *out);    /* a=… and a line end, as `set` */
void var_attributes(const struct var *v, char out[16]);           /* letters, "" for none */

/* ------------------------------------------------------------------ assign.c */
/* Carries out one assignment; flags are added to a variable that it makes. false: failed. */
bool assign_one(struct shell *sh, const struct assign *as, unsigned flags);
/* Fills v (array or assoc, made so if neither) from the elements of a compound assignment. */
bool assign_compound(struct shell *sh, struct var *v, const struct assign *as);
/* The same in two steps: what is assigned, expanded as for an associative array or an indexed one
 * (in the scratch arena; NULL: flow is set), and the assignment. */
struct compound *assign_expand(struct shell *sh, const struct assign *as, bool assoc);
/* The second step. */
bool assign_expanded(struct shell *sh, struct var *v, const struct compound *c);
void assign_trace_expanded(struct shell *sh, const struct compound *c); /* set -x, of declare */
/* name, name[sub] (text as `read`, `printf -v` get it) := value. */
bool assign_text(struct shell *sh, const char *lhs, const char *value, bool append);
/* name[sub] := value, the subscript being expanded already. */
bool assign_element_of(struct shell *sh, const char *name, const char *sub, const char *value);
/* Is this argument of the running builtin one that was written as name[subscript]? */
bool assign_is_argument(const struct shell *sh, const char *ref);
/* The offset behind the bracket that closes the one at s[0], minding quotes; 0: there is none. */
size_t subscript_end(const char *s);
bool assign_valid_lhs(const char *lhs); /* a name, maybe with a subscript */
/* A subscript's text: index of an indexed array (negative ones count from the end). */
bool assign_index(struct shell *sh, struct var *v, const char *name, const char *sub, int64_t *out);
/* Splits "name[sub]" in the scratch arena; *sub NULL without. false: not of that form. */
bool assign_split_ref(struct shell *sh, const char *ref, char **name, char **sub);
/* The value of name or name[sub] given as text; NULL unset. */
const char *assign_get_text(struct shell *sh, const char *ref);

/* ------------------------------------------------------------------ source.c */
struct parser;
/* Parses and runs a text as eval, source, -c, traps do. Returns the status; flow may be set. */
int run_text(struct shell *sh, const char *text, size_t n, int line, const char *where);
int run_fd(struct shell *sh, int fd);                           /* commands from a descriptor */
int run_file(struct shell *sh, const char *path, bool must);    /* startup files */
char *read_file(struct shell *sh, int fd, size_t *n);           /* malloc'ed, NULs dropped; NULL */
/* Parses one text into a tree (a $( ) in backquotes, a saved function). NULL: error printed. */
struct tree *parse_text(struct shell *sh, const char *text, size_t n, int line, const char *where);
/* The same of its first command; *rest: more than blanks follows. */
struct tree *parse_first(struct shell *sh, const char *text, size_t n, int line, const char *where,
                         bool *rest);
/* Parses a text and gives each complete command to `take`, which must not keep it; nothing runs.
 * false: a syntax error, which was printed, ended it. */
bool parse_each(struct shell *sh, const char *text, size_t n,
                void (*take)(void *arg, const struct node *n), void *arg);
/* One word of this mode, as a part of `tree`. NULL: error printed. */
struct word *parse_word_text(struct shell *sh, struct tree *tree, const char *text, size_t n,
                             enum word_mode mode);
struct assign *parse_compound_text(struct shell *sh, struct tree *tree, const char *name,
                                   const char *text);           /* "(a b [2]=c)" */
struct tree *tree_new(void); /* An empty tree with one reference. */
struct tree *tree_ref(struct tree *t); /* One reference more. */
void tree_drop(struct tree *t); /* One reference less; the last frees it. NULL is allowed. */
/* tree_drop, after its commands ran: a trap may still ask for the last one (BASH_COMMAND). */
void tree_done(struct shell *sh, struct tree *t);

/* ------------------------------------------------------------------ print.c */
void print_command(sb *out, const struct node *n);              /* on one line, as jobs shows it */
void print_head(sb *out, const struct node *n);                 /* BASH_COMMAND: a loop's first line */
/* As declare -f prints it. */
void print_function(sb *out, const char *name, const struct node *body);
void print_exported_function(sb *out, const struct node *body); /* as in the environment */
void print_word(sb *out, const struct word *w); /* A word as it was written. */

/* ------------------------------------------------------------------ expand.c and its helpers */
/* Is s[0] an IFS character? 0 no, 1 white space, 2 other; *len its bytes. */
int ifs_class_at(const struct shell *sh, const char *s, size_t n, size_t *len);
void strings_add(struct shell *sh, struct strings *list, char *s); /* list in sh->tmp */
/* All of these work in sh->tmp. NULL or false: an error was printed and flow is set. */
bool expand_words(struct shell *sh, struct word **words, int count, struct strings *out);
/* One word into fields; expand_words() of one. */
bool expand_word(struct shell *sh, const struct word *w, struct strings *out);
char *expand_single(struct shell *sh, const struct word *w);    /* no splitting, no globbing */
char *expand_here(struct shell *sh, const struct word *w);      /* the text of a here-document */
char *expand_pattern(struct shell *sh, const struct word *w);   /* quoted characters escaped */
/* The right side of =~: quoted characters escaped for a regular expression. */
char *expand_regex(struct shell *sh, const struct word *w);
char *expand_text_dq(struct shell *sh, const char *text);       /* as if in double quotes (PS4) */
/* A subscript given as text: the key of an associative array, else the expression of an index.
 * v: the array, NULL when there is none yet. */
char *expand_subscript(struct shell *sh, const struct var *v, const char *text);
/* The value of a word that is an expression; `who` as for arith_eval(). */
bool expand_arith(struct shell *sh, const struct word *w, int64_t *out, const char *who);
bool expand_redirect(struct shell *sh, const struct word *w, char **out); /* one word or an error */

struct expander; /* expandpriv.h */

/* brace.c: text in, texts out; false when there was nothing to expand */
size_t brace_skip(const char *s, size_t i); /* the offset behind the quotes or $(…) at s[i]; 0: none */
/* Appends the texts of {a,b} and {1..3}. */
bool brace_expand(struct shell *sh, const char *text, struct strings *out);
/* tilde.c */
const char *tilde_home(struct shell *sh, const char *user, size_t n); /* NULL: leave as it is */
/* subst.c */
bool subst_command(struct shell *sh, struct node *cmd, sb *out); /* output without trailing newlines */
/* The same of `…` or a text; $(< file) is read here. */
bool subst_backquote(struct shell *sh, const char *text, size_t n, int line, sb *out);
char *subst_process(struct shell *sh, struct node *cmd, bool output); /* /dev/fd/N */
struct procsub *procsub_mark(struct shell *sh); /* What procsub_close() goes back to. */
/* Closes the pipes of <( ) and >( ) that came since the mark. */
void procsub_close(struct shell *sh, struct procsub *until);
void procsub_inherited(struct shell *sh); /* in a child that must not hold them */
/* transform.c */
/* ${value@letter}, of Q E P U u L; in the scratch arena. */
char *transform_value(struct shell *sh, const char *value, char letter);
/* PS1 and its like; in the scratch arena. */
char *prompt_expand(struct shell *sh, const char *text);

/* ------------------------------------------------------------------ pattern*.c, glob.c */
enum pattern_flags {
    PAT_EXT = 1,     /* @(…) and friends */
    PAT_ICASE = 2,
    PAT_PATH = 4,    /* * ? [ do not match / */
    PAT_PERIOD = 8,  /* nor a leading . */
    PAT_COUNTED = 16, /* pattern.c's own */
};
/* Does it match all of the n bytes? */
bool pattern_match(const char *pattern, const char *text, size_t n, unsigned flags);
bool pattern_special(const char *pattern, unsigned flags); /* has an unescaped * ? [ or ext */
size_t pattern_unescape(char *s);                          /* removes backslashes in place */
/* PAT_EXT and PAT_ICASE, as the options say. */
unsigned pattern_flags(const struct shell *sh, bool icase);
/* The length of the prefix that matches, the longest or the shortest one; -1 none. */
ptrdiff_t pattern_prefix(const char *pattern, const char *s, size_t n, bool longest, unsigned flags);
/* The start of the suffix that does; -1 none. */
ptrdiff_t pattern_suffix(const char *pattern, const char *s, size_t n, bool longest, unsigned flags);
/* Leftmost-longest match at or after `from`: its start, with *len; -1 none. */
ptrdiff_t pattern_find(const char *pattern, const char *s, size_t n, size_t from, size_t *len,
                       unsigned flags);
/* Adds the sorted path names that match; returns how many. */
int glob_expand(struct shell *sh, const char *pattern, struct strings *out);

/* ------------------------------------------------------------------ arith.c */
/* Evaluates text. An error is printed, with `who` in front ("((", "[["; NULL: the builtin that runs;
 * "": nothing), and false returned. */
bool arith_eval(struct shell *sh, const char *text, int64_t *out, const char *who);
#define ARITH_DIGITS 24
/* A number in decimal digits, with a NUL: what loops write too often for printf(). Its length. */
size_t arith_digits(char text[ARITH_DIGITS], int64_t n);
void arith_error(struct shell *sh, const char *who); /* after a failure: sets status and flow */

/* ------------------------------------------------------------------ inplace.c */
/* Runs a command without a process of its own when nothing can tell the difference, and appends
 * what it prints. False: it needs one. `may_wait`: the shell has nothing else to do while it waits
 * for the host. */
bool inplace_run(struct shell *sh, const struct node *n, bool may_wait, sb *out, int *status);

/* ------------------------------------------------------------------ regex.c */
/* 1 match, 0 no match, -1 bad pattern. Fills BASH_REMATCH. */
int regex_match(struct shell *sh, const char *text, const char *pattern);

/* ------------------------------------------------------------------ exec.c, simple.c, pipeline.c */
/* Runs one command and returns its status; so do all exec_… that answer an int. Flow may be set. */
int exec_node(struct shell *sh, struct node *n);
int exec_list(struct shell *sh, struct node *first); /* Commands in order until one sets flow. */
/* Assignments, redirections, and a builtin, function or program. */
int exec_simple(struct shell *sh, struct node *n);
/* All stages at once, each in a process; with lastpipe the last one is in this one. */
int exec_pipeline(struct shell *sh, struct node *n);
/* Starts a command that is a program with nothing to compute, with its output into `out`. -1: it needs a
 * copy of the shell. */
pid_t exec_spawn(struct shell *sh, struct node *n, int out);
int exec_background(struct shell *sh, struct node *n); /* COMMAND & */
int exec_coproc(struct shell *sh, struct node *n); /* coproc NAME COMMAND */
int exec_for(struct shell *sh, struct node *n); /* for NAME in … */
int exec_select(struct shell *sh, struct node *n); /* select NAME in … */
int exec_arith_for(struct shell *sh, struct node *n); /* for ((…; …; …)) */
int exec_while(struct shell *sh, struct node *n); /* while and until */
int exec_case(struct shell *sh, struct node *n); /* case */
int exec_time(struct shell *sh, struct node *n); /* time PIPELINE */
/* What begins a command that is no simple one: its line, a step unless it is `part` of one, the DEBUG
 * trap. False: flow is set. */
bool exec_begin(struct shell *sh, struct node *n, bool part);
/* ( … ) in a process that was forked for it already. */
_Noreturn void exec_subshell_here(struct shell *sh, struct node *n);
bool exec_loop_flow(struct shell *sh);          /* after a body: true when the loop must end */
int exec_argv(struct shell *sh, int argc, char **argv, unsigned how); /* as `command`, `builtin` */
enum exec_how { EXEC_NO_FUNCTIONS = 1, EXEC_BUILTIN_ONLY = 2, EXEC_DEFAULT_PATH = 4 };
int exec_function(struct shell *sh, struct func *f, int argc, char **argv); /* Calls a function. */
void trap_failed(struct shell *sh); /* Runs the ERR trap where $? is a failure that counts. */
void exec_failed(struct shell *sh);             /* status != 0: set -e and the ERR trap */
void exec_step(struct shell *sh);               /* counts; yields; looks for signals */
void exec_trace(struct shell *sh, const char *const *words, int n); /* set -x */
void exec_trace_text(struct shell *sh, const char *text); /* The same of a text. */
/* The redirections of a command, as redir_do(). */
bool exec_redirs(struct shell *sh, const struct node *n, struct redir_undo **undo);
/* A program by its name; `n` has its redirections, or is NULL. */
int exec_external(struct shell *sh, char **argv, const struct node *n);
int exec_program_at(struct shell *sh, const char *path, char **argv); /* found already */
const char *command_hint(const char *name); /* hint.c: what to use instead of it, or NULL */
/* PIPESTATUS; the statuses are copied. */
void exec_set_pipestatus(struct shell *sh, const int *status, int count);
/* The program takes the place of the shell, which ends when that fails. */
_Noreturn void exec_replace(struct shell *sh, const char *path, char **argv, char **envp);
int exec_script(struct shell *sh, const char *path, char **argv, char **envp); /* errno */
/* Says why a program could not be started: 126, or 127 when there is none. */
int exec_error_status(struct shell *sh, const char *name, const char *path, int error);
bool sh_deep(struct shell *sh);                 /* the C stack is nearly used up: prints, sets flow */

/* ------------------------------------------------------------------ external.c */
struct spawn_fd { int from, to; };              /* from -1: close `to` */
struct launch { /* a program to be spawned: descriptors for its 0, 1, 2 … */
    struct spawn_fd fds[16];
    int count;
    int opened[8]; /* ours, to be closed afterwards */
    int opened_count;
};
enum launch_result { LAUNCH_OK, LAUNCH_FAILED, LAUNCH_NEEDS_FORK };
bool launch_possible(const struct redir *r); /* Can a spawn carry out these redirections? */
/* Adds what these redirections mean; opens files. LAUNCH_FAILED: said. */
enum launch_result launch_redirs(struct shell *sh, const struct redir *r, struct launch *l);
void launch_add(struct launch *l, int from, int to); /* `from` becomes `to` in the program. */
void launch_close(struct launch *l); /* Closes what was opened, in the shell. */

/* ------------------------------------------------------------------ cond.c */
int exec_cond(struct shell *sh, struct node *n); /* [[ … ]] */
/* -1: no such operator. */
int cond_unary(struct shell *sh, const char *op, const char *arg);
/* 1, 0, or -1: no such operator. `in_test`: of `test`, which compares bytes. */
int cond_binary(struct shell *sh, const char *a, const char *op, const char *b, bool in_test);

/* ------------------------------------------------------------------ func.c */
struct func {
    struct entry entry; /* key: its name */
    struct node *body;
    struct tree *tree;
    char *file;
    int line;
    int body_line;      /* of the brace that the body begins with, or of the last one before it */
    bool exported, readonly, traced;
    int running;        /* calls in progress; a freed one is dropped after the last */
    bool dead;
};
struct func *func_find(struct shell *sh, const char *name); /* NULL: there is none. */
/* Defines a function whose body is part of `tree`; sets the status. */
void func_define(struct shell *sh, const struct node *n, struct tree *tree);
/* False: it is readonly, which was said. One that is not there is no error. */
bool func_unset(struct shell *sh, const char *name);
void func_drop(struct shell *sh, struct func *f); /* Frees it, or after the last of its calls. */
/* NAME=() { … } from the environment; false: it is none, which was said. */
bool func_import(struct shell *sh, const char *name, const char *text);

/* ------------------------------------------------------------------ redirect.c */
/* Performs redirections in order. With undo, remembers how to take them back. false: message
 * printed; what was done is already undone. */
bool redir_do(struct shell *sh, const struct redir *r, struct redir_undo **undo);
/* Takes back what redir_do() did, and frees the list. */
void redir_undo(struct shell *sh, struct redir_undo *undo);
void redir_keep(struct shell *sh, struct redir_undo *undo); /* exec: for good */
int redir_move_high(int fd);                    /* to 10 or above, close-on-exec; closes fd */
int redir_here(struct shell *sh, const char *text, size_t n); /* a descriptor to read it from */
char *redir_here_text(struct shell *sh, const struct redir *r, size_t *n); /* NULL: flow is set */
int redir_open(struct shell *sh, const struct redir *r, const char *path); /* -1: printed */

struct alias {
    struct entry entry;
    char *value;
};
/* An alias for the first n bytes of `name`; all is copied. */
void alias_set(struct shell *sh, const char *name, size_t n, const char *value);
bool alias_unset(struct shell *sh, const char *name); /* false: there is none */
bool alias_name_ok(const char *s, size_t n); /* May the n bytes be the name of an alias? */

/* ------------------------------------------------------------------ builtin/dirs.c */
void dirs_element(struct shell *sh, const char *key, const char *value); /* DIRSTACK[key]=value */

/* ------------------------------------------------------------------ path.c */
enum { HASH_BUCKETS = 256, ALIAS_BUCKETS = 64 }; /* of bash's tables: they decide about orders */
struct hashed {
    struct entry entry;
    char *path;
    int hits; /* -1: only the shell's own processes used it, of which `hash` does not tell */
};
/* Path of a command by PATH (and the hash table); NULL with *error set. */
const char *path_find(struct shell *sh, const char *name, int *error);
/* The nth (0 first) executable of that name along `path`; NULL: *error says why. */
const char *path_search(struct shell *sh, const char *path, const char *name, int *error, int nth);
struct hashed *path_hashed(struct shell *sh, const char *name); /* As `hash` shows it, or NULL. */
void path_hash_forget(struct shell *sh, struct hashed *h); /* Forgets one of them. */
void path_hash_clear(struct shell *sh); /* Forgets where commands are, as hash -r. */
/* Where a command was found: `hash` lists it. */
void path_hash_keep(struct shell *sh, const char *name, const char *path, int hits);
bool path_is_executable(const char *path); /* A regular file that may be run? */

/* ------------------------------------------------------------------ job.c, process.c */
enum job_state { JOB_RUNNING, JOB_STOPPED, JOB_DONE };
struct process {
    pid_t pid;
    int status; /* as waitpid gives it */
    uint8_t state;
    char *text; /* of a stage of a pipeline; NULL: the job's */
};
struct job {
    struct job *next;
    int id;
    pid_t group;
    int count;
    struct process *processes;
    char *text, *dir;        /* its command and where it began, as soon as they are asked for */
    const struct node *node; /* until then */
    char *coproc;            /* the name of its array, when it is a coprocess */
    bool coproc_gone;        /* its variables are unset */
    bool notified, nohup, job_control, waited, foreground;
    bool inherited; /* of the shell that this one forked from: only listed */
};
void job_init(struct shell *sh); /* No jobs. */
/* A job without processes; `n` has to stay until its text was asked for. */
struct job *job_new(struct shell *sh, const struct node *n, bool background);
void job_add(struct job *j, pid_t pid); /* A process more; the first one leads its group. */
void job_add_ended(struct job *j, int status); /* one that had no process */
void job_free(struct shell *sh, struct job *j); /* Takes it out of the table and frees it. */
void job_forget_all(struct shell *sh);          /* in a subshell */
void job_inherit_all(struct shell *sh);         /* in a $( ) or a stage: the parent's, only listed */
void job_forget_inherited(struct shell *sh);    /* before it waits for its own */
int job_wait_foreground(struct shell *sh, struct job *j); /* status of the last process; frees */
/* Its variables go, once nothing it wrote waits to be read (bash does not wait for that). */
void coproc_ended(struct shell *sh, struct job *j);
/* Waits for a child that is no job. With its command, says so when a signal killed it. */
int job_wait_pid(struct shell *sh, pid_t pid, const struct node *n);
/* Takes down in the job table what waitpid() said of a child. */
void job_note_child(struct shell *sh, pid_t pid, int status);
/* Running while a process of it runs; else stopped if one is. */
enum job_state job_state(const struct job *j);
int job_status(const struct shell *sh, const struct job *j); /* as $?, with pipefail */
struct job *job_find(struct shell *sh, const char *spec, bool quiet); /* %1 %+ %name */
/* The job of a process, and which one it is there (`index` may be NULL). */
struct job *job_by_pid(struct shell *sh, pid_t pid, int *index);
void job_reap(struct shell *sh);                /* notes what has ended; does not wait */
int job_wait_any(struct shell *sh);             /* waits for one change; -1 none left, -2 signal */
/* jobtext.c. Styles: 0, 'l' with process ids, 'p' only these, 'n' as 'l' without the number. */
void job_settle_text(struct shell *sh, struct job *j); /* before its node goes */
/* Appends the lines of a job. */
void job_format(struct shell *sh, struct job *j, sb *out, char style);
void job_notify(struct shell *sh);              /* interactive: prints what changed */
void job_report(struct shell *sh, struct job *j); /* says how it ended, where bash would */
/* The same of a child that is no job. */
void job_report_child(struct shell *sh, pid_t pid, int status, const struct node *n);
/* A foreground child ended: notes which background jobs did too, reports and forgets them. */
void job_settle_background(struct shell *sh);
struct job *job_list(struct shell *sh); /* The first one; each has the next. */
struct job *job_current(struct shell *sh); /* %+, or NULL. */
struct job *job_previous(struct shell *sh); /* %-, or NULL. */
void job_set_current(struct shell *sh, struct job *j); /* It becomes %+, and what that was %-. */
/* Goes on with it after a stop; `foreground`: waits, and returns its status. */
int job_continue(struct shell *sh, struct job *j, bool foreground);
int status_of_wait(int status);                 /* 0..255, 128 + signal */
void job_remember(struct shell *sh, pid_t pid, int status); /* of a child that is in no job */
bool job_recall(struct shell *sh, pid_t pid, int *status);  /* as $? */
void job_keep_status(struct shell *sh, struct job *j); /* for `wait PID` after it is gone */
struct jobs {
    struct job *first;
    int current, previous;                      /* ids */
    int pending_children;                       /* background processes not yet reaped */
};

enum fork_kind { FORK_FOREGROUND, FORK_BACKGROUND, FORK_CMDSUB };
/* fork(); in the child the shell has become a subshell. -1: message printed. */
pid_t process_fork(struct shell *sh, enum fork_kind kind, pid_t group);
_Noreturn void process_exit(struct shell *sh, int status); /* EXIT trap, then the end */
/* Starts a program with these descriptors, in `group` (0: one of its own, -1: the shell's). -1:
 * *error. */
pid_t process_spawn(struct shell *sh, const char *path, char **argv, char **envp,
                    const struct spawn_fd *fds, int nfds, pid_t group, int *error);

/* ------------------------------------------------------------------ trap.c, signal.c */
enum { TRAP_EXIT = 0, TRAP_DEBUG = 65, TRAP_ERR = 66, TRAP_RETURN = 67, TRAP_COUNT = 68 };
/* Notes what is ignored at the start, and catches what the shell has to hear of. */
void signal_init(struct shell *sh);
int signal_number(const char *name);            /* "INT", "SIGINT", "2", "EXIT"…; -1 none */
const char *signal_name(int number);            /* "INT"; NULL none */
const char *signal_text(int number);            /* "Interrupt" */
bool signal_pending(void);                      /* cheap */
int signal_first_pending(void);                 /* 0 none */
void signal_check(struct shell *sh);            /* runs traps that are due */
bool signal_gives_up(void);                     /* SIGINT came, which ends what waits */
bool signal_interrupted(void);                  /* SIGINT came and is not trapped; clears it */
void signal_child_died(struct shell *sh, int sig);  /* a foreground child: SIGINT counts for us too */
void signal_child_ended(struct shell *sh);          /* the CHLD trap becomes due */
void signal_child_defaults(struct shell *sh);   /* before exec */
/* The signals for which a spawned program gets the default back. */
void signal_spawn_set(struct shell *sh, bool defaults[65]);
void trap_set_command(struct shell *sh, int which, const char *command); /* NULL: default */
int trap_run(struct shell *sh, int which);      /* EXIT DEBUG ERR RETURN */
/* Traps are still shown, but only ERR, DEBUG and RETURN may run, as set -E and -T say. */
void trap_enter_subshell(struct shell *sh);
void trap_exit(struct shell *sh);               /* the EXIT trap, once */

/* ------------------------------------------------------------------ builtin/ */
enum builtin_flags { B_SPECIAL = 1, B_ASSIGN = 2, B_OFF = 4 };
struct builtin {
    const char *name;
    int (*run)(struct shell *sh, int argc, char **argv);
    uint8_t flags;
    const char *usage;
};
/* The builtin of that name, unless `enable -n` took it away; or NULL. */
const struct builtin *builtin_find(const struct shell *sh, const char *name);
/* The same, also of one that is disabled. `name` may be NULL. */
const struct builtin *builtin_find_any(const char *name);
const struct builtin *builtin_table(int *count); /* All builtins, sorted by name. */
bool builtin_enabled(const struct shell *sh, int index); /* By the place in that table. */
void builtin_enable(struct shell *sh, int index, bool on); /* By the place in that table. */
/* Runs it and sends what it printed; its status, or 1 when that could not be written. */
int builtin_run(struct shell *sh, const struct builtin *b, int argc, char **argv);

/* Options of a builtin, as bash's internal getopt reads them. */
struct bopt {
    int argc;
    char **argv;
    int index;        /* next argument */
    const char *rest; /* rest of the current cluster */
    const char *arg;  /* of the last option */
    const char *text;
    bool plus;        /* the cluster began with + */
};
struct bopt bopt_new(int argc, char **argv); /* Begins with argv[1]. */
/* Next option letter of `spec` (":" after a letter: takes an argument); 0 at the end; '?' wrong
 * (message printed: return its status 2). A leading '+' in spec also accepts +x: *plus tells. */
int bopt_next(struct shell *sh, struct bopt *o, const char *spec, bool *plus);

bool sh_is_keyword(const char *s);              /* builtin/type.c: if, done, {, [[ … */
bool parse_int64(const char *s, int64_t *out);  /* the whole text, blanks around it allowed */

/* main.c and session.c */
/* The loop of a session: waits for runs and executes them, until the kernel gives none; then 1. */
int session_main(struct shell *sh);
/* dump.c: --dump-tree: writes what standard input parses to, as JSON. Returns the exit status. */
int dump_main(struct shell *sh);
void shell_set_args(struct shell *sh, char **args, int n); /* copies */
void shell_init(struct shell *sh);                 /* before anything else */
/* What the environment and the clock decide; a session does this after it was cloned. */
void shell_startup(struct shell *sh, char **environ);

#endif
