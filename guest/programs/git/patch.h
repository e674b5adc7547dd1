/*
 * patch.h: patches as text, for apply and am.
 *
 * patch_read.c takes them apart, patch_hunk.c applies hunks to a text, patch_apply.c checks them against
 * files and the index and writes what they make, patch_list.c shows what they change.
 */
#ifndef PATCH_H
#define PATCH_H

#include "git.h"

typedef struct {
    long long old_at, old_count, new_at, new_count;
    long long leading, trailing; /* lines of context at its ends */
    int line;               /* of the input, where it begins */
    const char *text;       /* its header and its lines */
    size_t len;
    bool rejected;
} hunk;

typedef struct {
    char *data; /* as it was before it was packed */
    size_t len;
    bool delta;
} binary_hunk;

typedef struct {
    char *old_name, *new_name, *def_name;
    unsigned old_mode, new_mode;
    int is_new, is_delete; /* -1: not said */
    bool is_rename, is_copy, is_binary, from_top, rejected, recount;
    int score;
    long long added, deleted;
    char old_id[OID_HEX + 1], new_id[OID_HEX + 1];
    hunk *hunks;
    size_t count, cap;
    binary_hunk forward, backward; /* of a binary patch; data NULL: not there */
    /* what patch_apply.c found out */
    g_text result;
    bool conflicted, direct;
    git_oid stages[3];
} file_patch;

typedef struct {
    file_patch *items;
    size_t count, cap;
    int skipped; /* not asked for */
} patch_list;

enum white { WHITE_NOWARN, WHITE_WARN, WHITE_FIX, WHITE_ERROR };

/* How apply and am want it. */
typedef struct {
    int strip; /* -p */
    bool strip_given;
    const char *directory;
    int reverse, check, index, cached, three_way, reject, recount, zero_context, no_add, overlap, quiet;
    int verbose, apply, binary, allow_empty, unsafe, inaccurate_eof;
    int context; /* -C; -1: all */
    enum white white;
    int ignore_space;
    int squelch;
    string_list limits; /* "+pattern" to include, "-pattern" to exclude */
    const char *input;  /* its name in messages */
    /* what came of it */
    int white_errors, fixed;
} patch_opts;
extern patch_opts patching;

/* Reads all patches of a text. 0, or -1 after a message. */
int patch_read(patch_list *list, const char *text, size_t len);
/* Between patch_read.c and patch_binary.c: what is being read. */
extern int patch_line_number;
/* Bytes up to `end` of the line at `at`, with its line end. */
size_t patch_line_length(const char *at, const char *end);
/* Does what is at `at` begin with this? */
bool patch_begins(const char *at, const char *end, const char *with);
/* What stands instead of hunks when a file is binary; NULL after a message. */
const char *patch_read_binary(file_patch *p, const char *at, const char *end);
/* All hunks of a patch, in order; false after a message (with --reject they are marked). */
bool patch_apply_hunks(g_text *text, file_patch *p);
/* Checks and, unless only a check was asked for, writes. Exit status. */
int patch_apply(patch_list *list);
/* The paths that the last patch_apply() left in conflict; borrowed. */
void patch_names_of_conflicts(string_list *names);

void patch_reverse(file_patch *p); /* -R: exchanges old and new. */
bool patch_wanted(file_patch *p); /* by its path */
void patch_stat(const patch_list *list); /* --stat */
void patch_numstat(const patch_list *list, bool null); /* --numstat; `null`: -z. */
void patch_summary(const patch_list *list); /* --summary */
/* Notes what is wrong with the white space of a line that is added; fixes it in `fixed` if not NULL. */
void patch_check_white(const char *line, size_t len, int number);
/* Appends a line without what is wrong with its white space; the bytes appended. */
size_t patch_fix_white(g_text *out, const char *line, size_t len);
/* Name for messages: "a" or "a => b". */
char *patch_name(const file_patch *p);

#endif
