/*
 * diff.h: differences, as diff, log, show, stash and format-patch show them.
 *
 * libgit2 finds what differs; renames are measured and everything is written as git does it, here.
 * diff_options.c reads the options, diff_make.c makes differences, diff_show.c writes them with
 * diff_patch.c and diff_stat.c.
 */
#ifndef DIFF_H
#define DIFF_H

#include "git.h"

enum diff_format {
    DIFF_PATCH = 1,
    DIFF_RAW = 2,
    DIFF_NUMSTAT = 4,
    DIFF_STAT = 8,
    DIFF_SHORTSTAT = 16,
    DIFF_SUMMARY = 32,
    DIFF_NAME_ONLY = 64,
    DIFF_NAME_STATUS = 128,
    DIFF_CHECK = 256,
    DIFF_NONE = 512,
    DIFF_COMPACT = 1024,
    DIFF_DIRSTAT = 2048,
};

enum { WORDS_PLAIN = 1, WORDS_PORCELAIN, WORDS_COLOR };
enum { MERGES_EACH = 1, MERGES_COMBINED, MERGES_DENSE, MERGES_FIRST };

enum { DIRSTAT_CHANGES, DIRSTAT_LINES, DIRSTAT_FILES };

typedef struct {
    int format; /* 0: the command's own */
    int context, interhunk;
    int renames; /* 0 none, 1 renames, 2 copies, 3 copies from anything */
    int rename_score;
    unsigned flags; /* libgit2's, for white space and algorithms */
    int text, binary, full_index, abbrev;
    int reverse, exit_code, quiet, null;
    int stat_width, stat_name_width, stat_count, stat_graph_width;
    int no_prefix, relative;
    int words; /* --word-diff */
    const char *word_regex;
    int no_textconv, ignore_submodules, break_;
    int color; /* COLOR_… of color.h */
    int color_moved;
    unsigned white_lines; /* of which parts of diff_color.h wrong white space is shown */
    int merges; /* of a merge: 1 each parent (-m), MERGES_COMBINED, MERGES_DENSE */
    const char *only;        /* this path alone, of a file that is followed */
    const char *find_object; /* differences that have it on a side */
    git_oid object;
    int functions; /* hunks are whole functions */
    int raw_full; /* raw lines have whole names */
    int stage;  /* in a conflict: 1 the base, 2 ours, 3 theirs; 0 ours, a patch has both */
    const char *src, *dst;
    const char *filter;
    const char *pickaxe; /* -S or -G */
    int pickaxe_lines, pickaxe_regex, pickaxe_all;
    const char *line_prefix;
    const char *order_file, *rotate_to, *skip_to;
    bool rotate_strictly; /* that path must be there */
    int dirstat, dirstat_cumulative;
    unsigned long dirstat_permille; /* directories with less are left out */
    int no_deleted; /* --irreversible-delete: of what is deleted only the name */
    pathspec paths;
} diff_opts;

extern diff_opts diffs; /* what the options of the command set */
extern const option diff_option_table[];
void diff_defaults(void); /* from the configuration; before options are read */

/* Differences, limited to diffs.paths, renames found. Sides may be NULL: an empty tree. */
git_diff *diff_trees(git_tree *old, git_tree *new_);
git_diff *diff_tree_index(git_tree *old); /* From a tree to the index. */
/* From the index to the files; paths in conflict go to diff_conflicts. */
git_diff *diff_index_workdir(void);
/* Of the last diff_index_workdir(): each file in conflict beside diffs.stage; NULL without any. */
extern git_diff *diff_conflicts;
/* Of a path in conflict its place there; SIZE_MAX for others, and for what is not shown. */
size_t diff_beside_stage(const git_diff_delta *delta);
git_diff *diff_tree_workdir(git_tree *old); /* From a tree to the files. */
git_diff *diff_blobs(const char *old_name, const char *new_name); /* two blobs, by name */
/* Whether anything is left after filters and pickaxe. */
bool diff_any(git_diff *diff);
/* What of several formats is written: lists of names leave out all else. */
int diff_names_alone(int format);
/* Puts `before` (--line-prefix) before each line from `from` on. */
void diff_prefix_lines(g_text *out, size_t from, const char *before);
/* Writes it in the formats that `format` says. */
void diff_write(g_text *out, git_diff *diff, int format);
/* One in a list of names (raw, name-only, name-status). */
void diff_write_delta(g_text *out, const git_diff_delta *delta, int format);
/* What diff_patch.c and diff_stat.c do for one. */
void diff_write_patch(g_text *out, git_diff *diff, size_t i);
void diff_write_functions(g_text *out, git_patch *patch); /* --function-context */
void diff_write_words(g_text *out, git_patch *patch, size_t hunk, size_t lines); /* a hunk's lines */
/* --stat, --numstat and --shortstat, as `format` says. */
void diff_write_stat(g_text *out, git_diff *diff, int format);
/* --summary: what is new, gone, renamed, or of another mode. */
void diff_write_summary(g_text *out, git_diff *diff);
void diff_write_dirstat(g_text *out, git_diff *diff); /* --dirstat */
void diff_dirstat_how(const char *text); /* "lines,10,cumulative"; dies for others */
void diff_arrange(git_diff *diff); /* in the order that was asked for */
/* Of an old content, how many bytes the new one has from it, and how many of its own. */
void diff_copied(const char *old, size_t old_len, const char *new_, size_t new_len, size_t *kept, size_t *added);
bool diff_skip(git_diff *diff, size_t i); /* filtered out */
void diff_write_name(g_text *out, const char *path, char end); /* as it is when end is NUL */
/* Lines of file i that were added and deleted; a binary file has none. */
void diff_counts(git_diff *diff, size_t i, size_t *added, size_t *deleted, bool *binary);
char *diff_rename_name(const char *from, const char *to); /* "dir/{a => b}" */
char diff_letter(const git_diff_delta *delta); /* M, A, D, R … */
int diff_similarity(const git_diff_delta *delta); /* Of a rename or copy, in percent. */
/* Appends what a side of a difference holds; nothing when it is not there. */
void diff_content(g_text *out, const git_diff_file *file, bool there);
/* Lines that a commit must not bring (diff --check); whether there are any. */
bool diff_check(g_text *out, git_diff *diff);
extern git_diff_similarity_metric diff_metric;

#endif
