/*
 * sort.h: what the parts of sort share.
 *
 * Keys are sorted by one after the other: all lines by the first, then every run of lines that are
 * equal in it by the second, and so on; GNU's last resort, the whole line, is the last key. Order
 * in a key is decided by a rank of 64 bits where it can be: rank(a) < rank(b) means that a sorts
 * before b. Only lines of equal rank are looked at further.
 */
#ifndef SORT_H
#define SORT_H

#include "g_program.h"

enum sort_kind { SORT_TEXT, SORT_NUMERIC, SORT_GENERAL, SORT_HUMAN, SORT_MONTH, SORT_VERSION,
                 SORT_RANDOM };

typedef struct {
    enum sort_kind kind;
    bool dictionary, fold, printable, reverse; /* -d -f -i -r */
    bool skip_start_blanks, skip_end_blanks;   /* b at the start, at the end */
    size_t start_field, start_char;            /* counted from 0 */
    size_t end_field, end_char;                /* SIZE_MAX: the line's end; end_char 0: its field's end */
    bool whole_line;
    bool own_options; /* otherwise the global ones hold */
    unsigned letters; /* of the orderings that were named: bits as in sort.c */
    bool obsolescent; /* given as +POS -POS */
} sort_key;

typedef struct {
    sort_key *keys;
    size_t key_count; /* with the last resort, unless -s or -u */
    bool stable, unique, reverse, debug;
    int tab; /* field separator, or -1 for blanks */
    char end;
    unsigned char salt[16];
} sort_order;

typedef struct {
    uint64_t rank;
    const char *s;
    size_t len;
} sort_line;

/*
 * sort_key.c: ranks and comparing; `index` says by which key. A key of bytes has a rank for each
 * seven of them, its parts; other keys have the one of part 0.
 */
bool sort_rank_has_parts(const sort_order *o, size_t index);
/* A number that is lower when the line's key is lower; equal ranks say nothing. */
uint64_t sort_rank(const sort_order *o, size_t index, size_t part, const char *s, size_t len);
/* Whether lines with this same rank, and the same ones in the parts before, are equal in that key. */
bool sort_rank_says_all(const sort_order *o, size_t index, uint64_t rank);
/* By one key: below, at or above 0. */
int sort_compare_key(const sort_order *o, size_t index, const sort_line *a, const sort_line *b);
/* By all keys; does not look at ranks. */
int sort_compare(const sort_order *o, const sort_line *a, const sort_line *b);
/* Whether they are equal by all keys: what -u keeps one of. */
bool sort_same(const sort_order *o, const sort_line *a, const sort_line *b);

/* Where a key is in a line. */
void sort_key_range(const sort_order *o, const sort_key *key, const sort_line *line,
                    const char **from, const char **to);

/* sort_debug.c: a line as --debug shows it, with its keys underlined. */
void sort_put_marked(const sort_order *o, const sort_line *line);
/* What is odd about the options; `given` is how many keys -k named. */
void sort_tell_keys(const sort_order *o, const sort_key *global, size_t given);

/* sort_run.c: reading, sorting and merging to `output`. Each returns the exit status. */
int sort_files(const sort_order *o, char **names, int count, const char *output);
/* -m: the files are sorted already. */
int sort_merge(const sort_order *o, char **names, int count, const char *output);
/* -c, or -C (`quiet`): 1 at the first line that is out of order. */
int sort_check(const sort_order *o, const char *name, bool quiet);

#endif
