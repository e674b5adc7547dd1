/*
 * lib/regex/internal.h: declarations that the files of lib/regex share.
 *
 * The way of a pattern: parse.c (with bracket.c, set.c) makes a tree; classes.c divides all
 * characters into classes that the pattern cannot tell apart; nfa.c makes instructions of the
 * tree; dfa.c finds where a match begins and ends, building its states as the text needs them;
 * backtrack.c or pike.c then finds the groups inside that match; regex.c is the public face and
 * chooses. Everything a pattern can make large is bounded by the RE_MAX_ constants below.
 */
#ifndef PF_REGEX_INTERNAL_H
#define PF_REGEX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regex.h"

#define RE_MAX_DEPTH   250u        /* nested groups: the parser and nfa.c recurse */
#define RE_MAX_GROUPS  10000u      /* parenthesised groups */
#define RE_MAX_REPEAT  32767u      /* RE_DUP_MAX: largest count in an interval */
#define RE_MAX_INSTS   (1u << 17)  /* instructions of one program */
#define RE_MAX_CLASSES 60000u      /* character classes: fits uint16_t with the end symbols */
#define RE_MAX_CACHE   (1u << 20)  /* bytes of one DFA before it is emptied and begun anew */
#define RE_MAX_STEPS   20000000u   /* of one search with back-references */
#define RE_MAX_VISITED (1u << 18)  /* bits of backtrack.c's and walk.c's memory; larger: pike.c */
#define RE_YIELD_BYTES (64u << 10) /* of text between two yields */
#define RE_YIELD_STEPS (1u << 14)  /* of slower work between two yields */

/* Symbols beyond Unicode: a byte (80 .. ff) that is part of no valid character. */
#define RE_INVALID_BYTE(byte) (0x110000u + (byte))
#define RE_SYMBOL_MAX         0x1100ffu

/* ------------------------------------------------------------------ set.c: sets of symbols */

struct re_range {
    uint32_t first, last;
};

/* Ascending and disjoint once re_set_finish() ran; any order while being built. */
struct re_set {
    struct re_range *ranges;
    uint32_t count, cap;
    uint32_t number; /* its bitmap in the class table, UINT32_MAX before there is one */
};

/* Adds first .. last. All that give bool: false is no memory. */
bool re_set_add(pf_regex *re, struct re_set *set, uint32_t first, uint32_t last);
/* Adds a class (enum pf_uni_class), or all characters that are not in it. */
bool re_set_add_class(pf_regex *re, struct re_set *set, int uni_class, bool negated);
/* \w: letters, digits and the underscore; or all others. */
bool re_set_add_word(pf_regex *re, struct re_set *set, bool negated);
/* Adds the other cases of what is in it; it is finished before. */
bool re_set_fold_case(pf_regex *re, struct re_set *set);
/* Complements within the characters; invalid bytes are in no complement. */
bool re_set_negate(pf_regex *re, struct re_set *set);
/* Takes one symbol out; the set is finished. */
bool re_set_remove(pf_regex *re, struct re_set *set, uint32_t symbol);
void re_set_finish(struct re_set *set); /* Sorts and joins the ranges. */
bool re_set_has(const struct re_set *set, uint32_t symbol); /* Of a finished set. */
/* The number of an equal set among the regex's sets, taking over this one; UINT32_MAX: no memory.
 */
uint32_t re_set_intern(pf_regex *re, struct re_set *set);
void re_set_free(pf_regex *re, struct re_set *set); /* Frees the ranges; empty afterwards. */

/* ------------------------------------------------------------------ parse.c: the tree */

enum re_node_kind {
    RE_NODE_EMPTY,
    RE_NODE_SET,     /* one symbol of sets[a] */
    RE_NODE_ASSERT,  /* a: enum re_assert */
    RE_NODE_CAT,     /* children in order */
    RE_NODE_ALT,     /* children are the alternatives, in order */
    RE_NODE_REPEAT,  /* one child, a .. b times; b RE_ENDLESS */
    RE_NODE_GROUP,   /* one child, group number a (from 1) */
    RE_NODE_BACKREF, /* group number a */
};
#define RE_ENDLESS UINT32_MAX
#define RE_NONE    UINT32_MAX

enum re_assert {
    RE_LINE_START,  /* ^ */
    RE_LINE_END,    /* $ */
    RE_TEXT_START,  /* \` */
    RE_TEXT_END,    /* \' */
    RE_WORD_EDGE,   /* \b */
    RE_WORD_INSIDE, /* \B */
    RE_WORD_START,  /* \< */
    RE_WORD_END,    /* \> */
};

struct re_node {
    uint8_t kind;
    bool nullable; /* may match the empty text */
    uint32_t a, b;
    uint32_t first, last; /* children */
    uint32_t next, prev;  /* siblings */
};

/* Fills re->nodes and re->root. PF_RE_OK, PF_RE_BAD or PF_RE_NOMEM with *message. */
int re_parse(pf_regex *re, const char *pattern, size_t len, const char **message);

struct re_parser {
    pf_regex *re;
    const char *at, *start, *end;
    const char *message; /* set on failure */
    int error;
    uint32_t depth;
    uint32_t group_base;   /* groups before this alternative of a list of patterns */
    uint8_t closed[1 + 9]; /* which of \1 .. \9 are complete */
};
/* The next character or invalid byte of the pattern as a symbol; at < end. */
uint32_t re_parser_symbol(struct re_parser *parser);
/* Keeps the first error; false. `message` NULL: no memory. */
bool re_parser_fail(struct re_parser *parser, int error, const char *message);
/* bracket.c: after `[`; makes a finished set. */
bool re_parse_bracket(struct re_parser *parser, struct re_set *set);
/* One awk escape after its backslash inside or outside brackets; false when it is none. */
bool re_parse_awk_escape(struct re_parser *parser, uint32_t *symbol);

/* ------------------------------------------------------------------ classes.c: the alphabet */

/* What is on one side of a position. */
#define RE_CTX_EDGE 1u /* the text begins or ends here */
#define RE_CTX_LINE 2u /* a line begins or ends here */
#define RE_CTX_WORD 4u /* a word character */

struct re_classes {
    uint32_t count;
    uint16_t of_byte[256]; /* in UTF-8 mode RE_DECODE(classes) for bytes over 7f */
    uint32_t *starts;      /* interval i of all symbols begins here … */
    uint16_t *of_interval; /* … and is of this class */
    uint32_t intervals;
    uint8_t *context;  /* RE_CTX_WORD, RE_CTX_LINE of each class */
    uint32_t *bitmaps; /* of the sets that are more than one class */
    uint32_t words;    /* of 32 bits in one bitmap */
    uint32_t cached_symbol[32];
    uint16_t cached_class[32];
};
/* Columns of a DFA's table beyond the classes. */
#define RE_COLUMN_EDGE(classes)   ((classes)->count)      /* the text ends, its line does not */
#define RE_COLUMN_END(classes)    ((classes)->count + 1u) /* the text and its line end */
#define RE_COLUMN_DECODE(classes) ((classes)->count + 2u) /* look at the whole character */
#define RE_COLUMNS(classes)       ((classes)->count + 3u)

/* Divides all symbols into classes that no set tells apart. PF_RE_OK or PF_RE_NOMEM. */
int re_classes_make(pf_regex *re);
void re_classes_free(pf_regex *re); /* Frees the tables. */
/* The class of a symbol; remembers some. */
uint32_t re_class_of(struct re_classes *classes, uint32_t symbol);
/* The class of the symbol at text[at], and its length; at < len. */
uint32_t re_class_at(pf_regex *re, const char *text, size_t len, size_t at, size_t *symbol_len);
/* … of the symbol that ends at text[at]; at > 0. Bytes before `from` are looked at too. */
uint32_t re_class_before(pf_regex *re, const char *text, size_t at, size_t *symbol_len);
/* The context left and right of text[at]. */
uint32_t re_context_left(pf_regex *re, const char *text, size_t at, unsigned flags);
/* `flags`: PF_RE_NOTEOL. */
uint32_t re_context_right(pf_regex *re, const char *text, size_t len, size_t at, unsigned flags);
/* Does an enum re_assert hold between these two contexts? */
bool re_assert_holds(uint32_t kind, uint32_t left, uint32_t right);

/* ------------------------------------------------------------------ nfa.c: instructions */

enum re_op {
    RE_CLASS,      /* one symbol of class x */
    RE_BITMAP,     /* one symbol of a class in bitmap x */
    RE_ANY,        /* one symbol, also an invalid byte */
    RE_ASSERT,     /* x: enum re_assert */
    RE_SPLIT,      /* go on at x, else at y */
    RE_JUMP,       /* go on at x */
    RE_SAVE,       /* the position into slot x; y: the end of a group that may be left out */
    RE_LOOP_FIRST, /* the position into slot x: the first round of a loop that may be empty */
    RE_LOOP_NEXT,  /* … a later round */
    RE_LOOP_TEST,  /* an empty round: the first one leaves to y, a later one fails */
    RE_BACKREF,    /* the text of group x again */
    RE_MATCH,
};
struct re_inst {
    uint32_t op : 8, number : 24; /* RE_SPLIT: its place among the splits */
    uint32_t x, y;
};
struct re_program {
    struct re_inst *insts;
    uint32_t count, cap;
    uint32_t slots;  /* positions a thread keeps: two for each group and one for each loop */
    uint32_t splits; /* RE_SPLIT instructions */
    bool reverse, captures;
    bool needs_walk; /* a part that may be left out or repeated may also be empty: see walk.c */
    uint32_t work;   /* while generating: bounds it */
    uint32_t optional_group; /* while generating: the next node may be left out; it is this group */
    bool rewritten;          /* while generating: inside a second writing of a repeated body */
};
/* Compiles the tree: reversed to be run from the end of the text, or with groups. */
int re_program_make(pf_regex *re, struct re_program *program, bool reverse, bool captures);
/* Frees the instructions; empty afterwards. */
void re_program_free(pf_regex *re, struct re_program *program);
static inline bool re_inst_takes(const struct re_classes *classes, const struct re_inst *inst,
                                 uint32_t class) {
    if (inst->op == RE_CLASS) return inst->x == class;
    if (inst->op == RE_ANY) return true;
    return classes->bitmaps[inst->x * classes->words + class / 32] >> (class % 32) & 1;
}

/* ------------------------------------------------------------------ dfa.c */

struct re_dfa; /* lazily built; one for each way of searching */

enum re_dfa_mode {
    RE_DFA_ANY,     /* is there a match anywhere? */
    RE_DFA_LONGEST, /* where does the leftmost-longest match end? */
    RE_DFA_WHOLE,   /* does the whole text match? */
    RE_DFA_BACK,    /* where does the longest match that ends here begin? */
    RE_DFA_MODES
};

/*
 * Forward: searches text[from .. len), *end is where the match ends. PF_RE_OK, PF_RE_NOMATCH or
 * PF_RE_NOMEM. *start_floor: the match begins there or later.
 */
int re_dfa_forward(pf_regex *re, enum re_dfa_mode mode, const char *text, size_t len, size_t from,
                   unsigned flags, size_t *start_floor, size_t *end);
/* Backward from `end`, not beyond `floor`: the smallest start of a match that ends at `end`. */
int re_dfa_backward(pf_regex *re, const char *text, size_t len, size_t floor, size_t end,
                    unsigned flags, size_t *start);
void re_dfa_free(pf_regex *re, struct re_dfa *dfa); /* NULL is allowed. */

/* ------------------------------------------------------------------ backtrack.c, pike.c, walk.c */

/*
 * All find the groups of a match whose range is known, preferring as glibc does: the earlier
 * alternative, one more round of a loop. slots gets program->slots positions, -1 for unset.
 * walk.c alone also does what glibc does with empty rounds; PF_RE_NOMATCH: it lost its way.
 */
int re_backtrack_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                        unsigned flags, ptrdiff_t *slots);
/* All threads at once: time is bounded by text times program. */
int re_pike_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                   unsigned flags, ptrdiff_t *slots);
/* By remembering ways; see above. */
int re_walk_groups(pf_regex *re, const char *text, size_t len, size_t start, size_t end,
                   unsigned flags, ptrdiff_t *slots);
/* With back-references: the leftmost-longest match from `from` on, and its groups. */
int re_backtrack_search(pf_regex *re, const char *text, size_t len, size_t from, unsigned flags,
                        ptrdiff_t *slots);

void re_backtrack_free(pf_regex *re); /* Frees the memory kept between searches. */
void re_pike_free(pf_regex *re); /* The same of pike.c. */
void re_walk_free(pf_regex *re); /* The same of walk.c. */

/* ------------------------------------------------------------------ literal.c */

/* Bytes that every match begins with (or is); `rare` is the index of the one looked for first,
 * `second` that of the next. */
struct re_literal {
    char *bytes;
    size_t len, cap, rare, second;
    bool whole;   /* the pattern is nothing but this text */
    bool letters; /* there are ASCII letters in it … */
    bool folds;   /* … which are lower case, and stand for both cases */
};
int re_literal_make(pf_regex *re);
/* The first place at or after `from` where the literal is; len when there is none. */
size_t re_literal_find(const struct re_literal *literal, const char *text, size_t len, size_t from);
/* Whether it is at p, behind which there are bytes enough. */
bool re_literal_at(const struct re_literal *literal, const char *p);

/* ------------------------------------------------------------------ regex.c */

struct pf_regex {
    const pf_regex_host *host;
    unsigned flags;
    bool utf8; /* not PF_RE_BYTES */
    bool has_backref, has_word_assert, has_line_assert;
    bool text_anchored; /* every match begins where the text begins */
    uint32_t groups;
    size_t fixed_len; /* bytes of every match, or RE_DIFFERENT */

    struct re_node *nodes;
    uint32_t node_count, node_cap, root;
    struct re_set *sets;
    uint32_t set_count, set_cap;

    struct re_classes classes;
    struct re_literal literal;
    struct re_program forward, backward, capture; /* made when first needed; count 0 before */
    struct re_dfa *dfa[RE_DFA_MODES];
    struct re_backtrack *backtrack; /* memory kept between searches */
    struct re_pike *pike;
    struct re_walk *walk;
    uint32_t steps; /* since the last yield */
};

/* Through the caller's allocator. A grown array has room for `need` elements; false: no memory. */
void *re_realloc(pf_regex *re, void *old, size_t size);
void re_free(pf_regex *re, void *memory); /* NULL is allowed. */
/* `array_pointer` is the address of the array's pointer; *cap counts elements. */
bool re_grow(pf_regex *re, void *array_pointer, uint32_t *cap, uint32_t need, size_t element);
/* The number of bytes that every match of the node has. */
size_t re_fixed_bytes(const pf_regex *re, uint32_t node);
#define RE_DIFFERENT SIZE_MAX
/* Counts slow steps; lets others run now and then. */
void re_step(pf_regex *re, uint32_t steps);

#endif
