/*
 * patch.h: what the parts of patch share.
 *
 * patch.c reads the options and goes through the patches; patch_read.c understands the text;
 * patch_file.c finds and writes files; patch_hunk.c finds the place of a hunk and changes it there.
 */
#ifndef PATCH_H
#define PATCH_H

#include "g_text.h"

#include <sys/stat.h>

typedef struct {
    int strip; /* -p; -1: not given, only the last part of a name counts */
    bool reverse, force, batch, forward, dry_run, backup, no_mismatch_backup, remove_empty;
    bool ignore_space, silent, verbose, binary, unified_rejects, context_rejects;
    int only; /* the one kind of hunk to look for; -1: any */
    int64_t fuzz;
    const char *output, *rejects, *suffix, *prefix, *operand;
} patch_options;

enum patch_kind { PATCH_UNIFIED, PATCH_CONTEXT, PATCH_NORMAL };

typedef struct {
    char kind; /* ' ', '-' or '+' */
    const char *s;
    size_t len; /* with the line end, if it has one */
} patch_line;

typedef struct {
    /* First lines from 1 (of nothing: the line behind it), and how many. */
    int64_t old_start, old_count, new_start, new_count;
    patch_line *lines;
    size_t count, cap;
    int64_t prefix, suffix; /* lines of context at the ends */
} patch_hunk;

enum { OLD, NEW, INDEX };

/* One file's changes. */
typedef struct {
    enum patch_kind kind;
    char *names[3];        /* as in the patch, after -p; NULL: none or unusable */
    const char *header[2]; /* the lines with --- and +++ behind the mark; NULL: none */
    size_t header_len[2];
    int nonexistent[2]; /* 2: /dev/null or the epoch; 1: the hunk says so */
    char *rename_from, *rename_to;
    bool git, copy, git_binary;
    int old_mode, new_mode;      /* -1: not given */
    size_t lead_start, lead_end; /* the text in front of the hunks */
    int64_t line;                /* number of the first hunk's line */
    patch_hunk *hunks;
    size_t hunk_count, hunk_cap;
} file_patch;

/* The text of a patch, and how far it was read. */
typedef struct patch_text {
    const patch_options *o;
    const char *s;
    size_t len, at;
    int64_t line; /* of the next line, from 1 */
    bool strip_cr;
    /* Called before a malformed hunk ends the command, and when the last line has no end. */
    void (*announce)(struct patch_text *text, file_patch *p);
    file_patch *now;
    bool cut_short; /* the last line had no end, and was read */
} patch_text;

/* patch_read.c: the next file's changes; false at the end. */
bool patch_next(patch_text *text, file_patch *out);
void patch_free(file_patch *p); /* Frees what a patch of one file holds. */
/* Exchanges what is old and what is new in a hunk. */
void patch_swap(patch_hunk *hunk);

/* patch_hunk.c */
typedef struct {
    const patch_line *lines; /* of the file; kind is not used */
    int64_t count;
    int64_t frozen; /* lines that are already in the output or gone */
    int64_t in_offset, out_offset;
    g_text out;
} patch_state;
/* Where the hunk fits with that much of its context left out; 0: nowhere. From 1. */
int64_t patch_locate(patch_state *st, const patch_options *o, const patch_hunk *hunk, int64_t fuzz);
/* Writes what is before line `where`, then the hunk, to st->out. */
void patch_apply(patch_state *st, const patch_hunk *hunk, int64_t where);
void patch_copy_rest(patch_state *st); /* Writes the lines behind the last hunk. */
/* The hunk as text for a file of rejects. */
void patch_reject(g_text *out, const patch_hunk *hunk, enum patch_kind kind);

/* patch_file.c */
/* The file to change, of the names that the patch has; NULL: none will do. Fresh memory. */
char *patch_choose(const patch_options *o, const file_patch *p);
/* Notes that the file is about to change: false when it was so before. */
bool patch_first_change(const char *name);
/* Keeps a copy of a file under its backup name. */
void patch_back_up(const patch_options *o, const char *name, bool exists);
/* Writes a file with this mode; "-": standard output. Ends the command when that fails. */
void patch_write(const char *name, const g_text *content, mode_t mode);
void patch_make_parents(const char *name); /* Makes the directories above a path. */
/* Removes the file and directories that are empty now. */
void patch_remove(const char *name);

/* "patch: **** " and the text; ends with status 2. */
_Noreturn void patch_fatal(const char *format, ...) G_PRINTF(1, 2);

#endif
