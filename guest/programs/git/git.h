/*
 * git.h: what the commands of git share: the repository in use, messages, names of objects and paths.
 *
 * One file per command, `cmd_NAME(argc, argv)`, listed in commands.def; argv[0] is the command's name
 * and the result is the exit status. What cannot go on ends the program in git's words: die() with
 * 128, usage with 129. Memory of a command is given back by its end.
 */
#ifndef GIT_H
#define GIT_H

#include "git2.h"

#include "g_out.h"
#include "g_program.h"
#include "g_text.h"
#include "option.h"
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OID_HEX GIT_OID_SHA1_HEXSIZE

/* ---- main.c: the repository that this process is in; NULL for commands that need none. */
extern git_repository *repo;
extern const char *prefix; /* from the top of the working tree to here: "" or "dir/" */
extern const char *command; /* the command's name, e.g. "status" */
void add_settings(void); /* -c name=value, for a repository that was just opened */
void put_settings(git_config *config); /* the same, for a configuration without repository */
/* Runs another command in this process; its exit status. */
int run_command(const char *name, int argc, char **argv);

/* ---- message.c: messages on stderr, in git's form, after what is buffered for stdout. */
extern bool errors_muted; /* of what is tried first, and then in another way */
extern int fatal_status; /* 128; of die() */
_Noreturn void die(const char *format, ...) G_PRINTF(1, 2);     /* "fatal: …", status 128 */
_Noreturn void die_status(int status, const char *format, ...) G_PRINTF(2, 3); /* as it is */
int error(const char *format, ...) G_PRINTF(1, 2);              /* "error: …"; returns -1 */
void warning(const char *format, ...) G_PRINTF(1, 2); /* "warning: …" */
void note(const char *format, ...) G_PRINTF(1, 2);              /* as it is */
void hint(const char *format, ...) G_PRINTF(1, 2); /* "hint: …", unless advice.* forbids it */
/* Ends the program with libgit2's message when rc < 0; returns rc otherwise. */
int check(int rc);
const char *git_message(void); /* libgit2's last message */

/* ---- repo.c: objects by name, configuration, files below .git */
git_object *object_named(const char *name);             /* NULL when there is none */
git_commit *commit_named(const char *name);             /* peeled; NULL when there is none */
git_tree *tree_named(const char *name); /* Peeled; NULL when there is none. */
git_commit *head_commit(void);                          /* NULL on an unborn branch */
git_tree *head_tree(void); /* NULL on an unborn branch. */
git_commit *commit_of(const git_oid *id);               /* it must exist */
git_tree *tree_of(git_commit *commit); /* The tree of a commit. */
/* "fatal: bad revision" and its relatives for a name that means nothing. */
_Noreturn void die_unknown_revision(const char *name);
const char *short_id(const git_oid *id); /* abbreviated as git would; static ring of 8 */
const char *abbreviated(const git_oid *id, int length);   /* at least so long, unique */
const char *full_id(const git_oid *id);  /* static ring of 8 */
bool config_bool(const char *name, bool otherwise); /* `otherwise` when it is unset. */
int config_int(const char *name, int otherwise); /* The same of a number, with k, m or g. */
char *config_string(const char *name); /* NULL when unset; fresh memory */
char *git_file(const char *name);      /* path of a file of the repository; fresh memory */
char *read_git_file(const char *name); /* its text, or NULL */
/* Replaces its text; dies when it cannot. */
void write_git_file(const char *name, const char *text);
void remove_git_file(const char *name); /* It may be gone already. */
bool git_file_exists(const char *name); /* Of any kind. */
const char *workdir(void); /* with a slash behind it; dies in a bare repository */
char *in_workdir(const char *path); /* A path from the top as one to open; fresh memory. */
git_index *index_of_repo(void); /* read anew where the file changed */
/* "main" of refs/heads/main, HEAD's branch; NULL when detached. Fresh memory. */
char *current_branch(void);
char *head_target(void); /* the ref that HEAD names, also unborn; NULL when detached */
/* First line of a message, as `%s` shows it: lines up to an empty one, joined. Fresh memory. */
char *subject_of(const char *message);
const char *body_of(const char *message); /* what is behind the first paragraph; borrowed */
void read_stdin_within(g_text *text); /* read_stdin() where the stack is not prepared to wait: waits.h */
bool file_exists(const char *path); /* Of any kind, links not followed. */
char *read_file(const char *path, size_t *len); /* NULL with errno */
/* Replaces what is there; dies when it cannot. */
void write_file(const char *path, const char *text, size_t len);
bool remove_tree(const char *path); /* with all that is in it; whether it went */

/* ---- cmd_init.c */
void write_first_config(bool bare); /* the file as git writes it for a new repository */

/* ---- path.c: paths as the user writes and sees them */
char *repo_path(const char *argument); /* from the top of the tree; dies outside of it */
/* Whether an argument without -- before it may be a path: it is there, or a pattern or magic. */
bool names_path(const char *argument);
void out_quoted(const char *path);      /* in C quotes where git wants them */
char *quoted(const char *path, const char *before); /* the same as text; fresh memory */
void out_path(const char *path, char end); /* as it is when end is NUL */
char *relative(const char *path);       /* from the top -> from here, fresh memory */

/* ---- pathspec.c: the paths a command is limited to */
typedef struct {
    char *pattern; /* from the top */
    const char *original;
    size_t plain; /* bytes before the first wildcard */
    bool exclude, icase, literal, glob;
    int matched;
} pathspec_item;
typedef struct {
    pathspec_item *items;
    size_t count;
    bool only_exclude;
} pathspec;
/* Of these arguments; none: no limit. */
void pathspec_parse(pathspec *spec, int argc, char **argv);
bool pathspec_match(pathspec *spec, const char *path); /* always true without items */
bool pathspec_below(pathspec *spec, const char *dir);  /* whether something below dir may match */
/* Whether an item is this directory itself. */
bool pathspec_exact_dir(const pathspec *spec, const char *dir);
/* "error: pathspec 'x' did not match any file(s) known to git" for those; how many. */
int pathspec_unmatched(const pathspec *spec);

/* ---- ident.c: who and when */
git_signature *author_now(void);    /* from environment and config; explains and ends when unset */
git_signature *committer_now(void); /* The same of the committer. */
git_signature *committer_for_log(void); /* for reflogs: never ends */
git_signature *ident_parse(const char *text); /* "Name <mail>"; NULL when it is none */

/* ---- date.c */
enum date_mode { DATE_DEFAULT, DATE_ISO, DATE_ISO_STRICT, DATE_RFC, DATE_SHORT, DATE_RELATIVE,
                 DATE_RAW, DATE_UNIX, DATE_HUMAN, DATE_FORMAT };
typedef struct {
    enum date_mode mode;
    bool local;
    char *format;
} date_style;
date_style date_style_named(const char *name); /* "iso", "format:%Y", …; dies otherwise */
/* Appends a time in a style. */
void add_date(g_text *out, const git_time *when, const date_style *style);
bool parse_date(const char *text, git_time *when); /* exact forms, then approxidate's */
/* "now", "2.weeks.ago" …; a text that is no time is now. */
git_time_t approxidate(const char *text);

/* ---- ref.c */
/* HEAD is this commit; `log` is for its reflog. */
void set_head_detached(const git_oid *id, const char *log);
/* Makes or moves a ref; libgit2 writes its log, and HEAD's when HEAD names it. */
void update_ref(const char *name, const git_oid *id, const char *log);
/* A line of a reflog; `from` zero: it is new. */
void add_reflog(const char *name, const git_oid *from, const git_oid *to, const char *log);
char *short_ref(const char *name); /* refs/heads/x -> x, as short as is unambiguous */
bool valid_branch_name(const char *name); /* As git branch takes it. */

/* ---- intent.c: names without content in the index (git add -N) */
bool has_intents(git_index *index); /* Are there any? */
bool intended(git_index *index, const char *path); /* Is this one? */
git_index *without_intents(git_index *index); /* A copy in memory, or the index itself. */
/* Of a difference from the index to the files: such a file is new. `reversed`: as -R made it. */
void settle_intents(git_diff *diff, git_index *index, bool reversed);

/* ---- hook.c: .git/hooks as processes. Status 0 when there is none. */
/* `arguments` end with NULL; `input` is its standard input, NULL: none. */
int run_hook(const char *name, char *const arguments[], const char *input);
/* A hook that sees, and may change, an index that is not written yet; NULL: the repository's. */
int run_hook_on(git_index *index, const char *name, char *const arguments[]);

/* ---- editor.c: messages from $GIT_EDITOR */
bool has_editor(void); /* Is one named by the environment or the configuration? */
extern const char *editor_problem; /* what is said when it fails; NULL: what commit says */
char *edit_file(const char *path); /* path of the file; its text afterwards */
char *clean_message(const char *text, bool comments); /* trailing space, empty and # lines */

#endif
