/*
 * make.h: what the parts of make share.
 *
 * A makefile is read whole (make_read.c, make_line.c); that leaves variables (make_variable.c) and
 * targets with rules (make_target.c, make_rule.c). Then goals are brought up to date
 * (make_update.c) by recipes that run as processes (make_job.c). Text is expanded by make_expand.c
 * and the functions of make_function*.c. Memory is kept until the end, for make ends when its work
 * does.
 */
#ifndef MAKE_H
#define MAKE_H

#include "g_text.h"

#include <sys/types.h>

/* Where a message points: a makefile and a line; file NULL when there is none. */
typedef struct {
    const char *file;
    unsigned line;
} place;

/* make_table.c: names to things; `entry` is the first member of what is kept. */
typedef struct entry {
    struct entry *next;
    char *name;
} entry;
typedef struct {
    entry **buckets;
    size_t bucket_count, count;
} table;
/* The entry whose name these bytes are, or NULL. */
entry *table_find(const table *t, const char *name, size_t len);
/* An entry that is not there yet; it stays the caller's memory. */
void table_add(table *t, entry *e);
/* All entries, sorted by name, in fresh memory; t->count of them. */
entry **table_sorted(const table *t);

/* make_variable.c */
enum origin {
    FROM_DEFAULT,
    FROM_ENVIRONMENT,
    FROM_FILE,
    FROM_ENVIRONMENT_OVERRIDE,
    FROM_COMMAND_LINE,
    FROM_OVERRIDE,
    FROM_AUTOMATIC,
};
enum exporting { EXPORT_DEFAULT, EXPORT_YES, EXPORT_NO };
typedef struct variable {
    entry entry;
    char *value;
    enum origin origin;
    enum exporting exporting;
    bool recursive;
    bool appended;   /* of a target: comes behind what the scope outside says */
    bool is_private; /* of a target: prerequisites do not see it */
    bool expanding;  /* a reference to it now would never end */
    place where;
} variable;
typedef struct scope {
    table table;
    struct scope *parent; /* looked into for what is not here; NULL for the global one */
    const void *owner;    /* the target whose private variables are here */
} scope;
extern scope global_scope;
extern scope *current_scope;
extern bool export_all;
extern char recipe_prefix; /* what a recipe's line begins with: .RECIPEPREFIX */

/* In the scope that is current, or above it; NULL: there is none. */
variable *variable_find(const char *name, size_t len);
/* From `from` outwards, private variables of others left out; *found is where it was. */
variable *variable_find_in(scope *from, const char *name, size_t len, scope **found);
/* Sets it in `into`, unless what is there has a stronger origin. NULL then. */
variable *variable_set(scope *into, const char *name, size_t len, const char *value,
                       enum origin origin, bool recursive);
/* An assignment as makefiles write it: `op` is one of "=", ":=", "+=", "?=", "!=". */
variable *variable_assign(scope *into, const char *name, const char *op, const char *value,
                          enum origin origin);
/* Unless its origin is stronger than this one. */
void variable_undefine(const char *name, enum origin origin);
const char *origin_name(const variable *v); /* As $(origin) says it. */
/* name=value of everything that programs are to see, for a recipe in the current scope. Fresh
 * memory. */
char **variable_environment(void);
/* Takes the environment's; with -e they are stronger than a makefile's. */
void variables_begin(bool environment_overrides);

/* make_expand.c */
/* What a message about the text that is expanded now points at: its variable's line, or now_at. */
const place *expansion_place(void);
/* Appends a text with its references replaced. */
void expand(g_text *out, const char *s, size_t len);
/* The same as a string in fresh memory. */
char *expanded(const char *s);
/* The value of a variable, expanded. */
void expand_variable(g_text *out, const char *name, size_t len);
char *variable_value(const char *name); /* Expanded, in fresh memory; "" when there is none. */
/* In s[0 .. len), behind an opening bracket: its closing one, or NULL. */
const char *closing_bracket(const char *s, const char *end, char open, char close);
/* The first byte of `stops` that is outside $(…) and ${…}; NULL when there is none. */
char *find_outside(const char *s, const char *stops);

/* make_function.c and its parts: whether `s` begins a call, which is then done. `end` is its ')'.
 */
bool function_call(g_text *out, const char *s, const char *end, char open, char close);
typedef void make_function(g_text *out, char **args, int count);
make_function call_addprefix, call_addsuffix, call_basename, call_dir, call_filter, call_filter_out,
    call_findstring, call_firstword, call_join, call_lastword, call_notdir, call_patsubst,
    call_sort, call_strip, call_subst, call_suffix, call_word, call_wordlist, call_words;
make_function call_abspath, call_error, call_file, call_info, call_realpath, call_shell,
    call_warning, call_wildcard;
/* What a shell command prints, newlines become blanks; as $(shell) and !=. */
void shell_output(g_text *out, const char *command);

/* make_word.c: words and patterns */
bool next_word(const char **s, const char **word, size_t *len);
/* Appends a word, with a blank in front unless it is the first (*any). */
void add_word(g_text *out, bool *any, const char *word, size_t len);
/* Whether a name matches a pattern with one %; the stem is a range of it. */
bool pattern_matches(const char *pattern, const char *name, size_t len, const char **stem,
                     size_t *stem_len);
/* The pattern's unescaped % or NULL; *plain is the pattern with escapes resolved, fresh memory. */
const char *pattern_percent(const char *pattern, char **plain);
/* The words of `text` that match are replaced, as $(patsubst). */
void substitute_pattern(g_text *out, const char *pattern, const char *replacement,
                        const char *text);
/* make_glob.c: names that a file name pattern stands for, sorted; nothing when there are none. */
void glob_words(g_text *out, bool *any, const char *pattern);
bool has_wildcard(const char *s, size_t len); /* * ? or [ */

/* make_target.c */
typedef struct {
    place where;
    char **lines; /* as written, without the tab in front */
    size_t count, cap;
} recipe;
typedef struct dep {
    struct dep *next;
    struct target *target;
    bool order_only, changed, implicit;
} dep;
enum state { NOT_STARTED, WAITING, RUNNING, FINISHED };
enum outcome { OUTCOME_GOOD, OUTCOME_OUTDATED, OUTCOME_FAILED };
typedef struct target {
    entry entry;
    dep *deps;
    const char *late_deps; /* with .SECONDEXPANSION: not expanded yet */
    recipe *recipe;
    place where;
    scope *scope;             /* its own variables, or NULL */
    scope *run_scope;         /* those with automatic ones and its parents'; made when it starts */
    struct target *parent;    /* for whom it is made first */
    struct target *another;   /* the next of its double-colon rules */
    struct target **together; /* made by the same run of a pattern rule, or grouped */
    size_t together_count;
    const char *stem;
    const char *path; /* where VPATH found it, otherwise its name */
    bool is_target, double_colon, phony, precious, intermediate, not_intermediate, mentioned;
    bool silent, ignore, searched, updating, considered, ran, dropped, changed_scope, is_makefile;
    bool assumed_old, assumed_new;
    enum state state;
    enum outcome outcome;
    int64_t time; /* nanoseconds; or one of these */
} target;
enum { TIME_UNKNOWN = -2, TIME_NONE = -1 };
#define TIME_NEW INT64_MAX
#define TIME_OLD 0
extern table targets;

/* The target of that name, made when it is new; ./x is x. */
target *target_get(const char *name, size_t len);
target *target_find(const char *name); /* NULL: there is none. */
/* When its file was changed; asks once. */
int64_t target_time(target *t);
dep *dep_add(dep **list, target *t, bool order_only); /* At the end of the list. */
/* Sets $@, $< and their kin in the scope in which its recipe is expanded. */
void target_automatic(target *t);
/* The scope of a target that is about to be made. */
scope *target_scope(target *t);
/* Whether .PRECIOUS names it, or a pattern for it. */
bool target_is_precious(const target *t);
/* Where VPATH and vpath have it: fresh memory, or NULL. */
char *vpath_search(const char *name);
/* vpath PATTERN FOLDERS; folders NULL: forgets the pattern, or all. */
void vpath_add(const char *pattern, const char *folders);

/* make_rule.c: rules as they are read, and special targets */
typedef struct rule {
    struct rule *next;
    char **patterns;
    size_t pattern_count;
    char *deps, *order_only; /* words with % */
    recipe *recipe;
    place where;
    bool terminal, builtin, in_use;
} rule;
typedef struct pattern_scope {
    struct pattern_scope *next;
    char *pattern, *name, *op, *value;
    enum origin origin;
    bool is_private;
    enum exporting exporting;
} pattern_scope;
extern rule *rules;
extern pattern_scope *pattern_scopes;
typedef struct {
    char *targets, *deps; /* expanded, deps perhaps not */
    char *static_pattern; /* of a static pattern rule, or NULL */
    bool double_colon, grouped, terminal_ok, expand_late;
    place where;
} read_rule;
/* An explicit or static pattern rule; takes over the recipe. */
void rule_record(const read_rule *r, recipe *recipe);
/* A pattern rule, in place of one with the same targets and prerequisites. */
void rule_add_pattern(char **patterns, size_t count, const char *deps, const char *order_only,
                      recipe *recipe, place where, bool terminal, bool builtin);
/* Parses "a b | c" into the list; `stem` replaces % when it is not NULL. */
void deps_parse(dep **list, const char *text, const char *stem);
/* After everything was read: .PHONY and its kin, suffix rules. */
void rules_finish(void);
bool special_target(const char *name); /* .PHONY and its kin. */
/* make_builtin.c */
void builtin_rules(void); /* Suffix and pattern rules that make has itself; none with -r. */
void builtin_variables(void); /* CC and its kin; none with -R. */
/* make_implicit.c: looks for a pattern rule and takes over its recipe and prerequisites. */
bool implicit_search(target *t);

/* make_line.c and make_read.c */
typedef struct {
    const char *s, *end;
    place where; /* of the line that was read last */
    unsigned next_line;
} line_reader;
/* The next logical line in fresh memory, continued lines joined; recipe lines as they are. */
char *read_logical_line(line_reader *in, bool recipe_allowed);
void remove_comment(char *line); /* In place; \# stays as #. */
/* Reads a text as a makefile, such as $(eval) has. */
void make_read_text(const char *text, size_t len, place where);
/* Reads a makefile; false with errno when it cannot be. */
bool make_read_file(const char *name);
/* make_assign.c: NAME op VALUE in a line: where the parts are. */
typedef struct {
    char *name;
    const char *op, *value;
    bool is_override, is_private, is_define, is_undefine;
    enum exporting exporting;
} assignment;
/* With override, export and others in front; false: it is none. */
bool parse_assignment(const char *line, assignment *a);
/* Without those words; the name stays as it is written. */
bool parse_plain_assignment(const char *line, assignment *a);
/* Carries it out in a scope; NULL: the variable is stronger. */
variable *assign(scope *into, const assignment *a);
/* make_condition.c: whether the line is a conditional; then *skips says if lines are passed over.
 */
typedef struct conditions conditions;
conditions *conditions_new(void); /* None open. */
/* *skips is set in any case. */
bool conditional_line(conditions *c, const char *line, bool *skips);
void conditions_end(conditions *c); /* At the end of a makefile: an open one ends make. */

/* make_update.c */
extern size_t commands_started;
void target_touch(target *t); /* -t: gives its file the time that it is now */
/* Makes all of these; the status make ends with. `makefiles`: it does not say
 * that nothing is to be done. */
int update_goals(target **goals, size_t count, bool makefiles);
/* What became of it, and of those that its recipe made with it. */
void target_finish(target *t, enum outcome outcome);
/* make_job.c */
/* Starts a recipe; the target is RUNNING or FINISHED then. */
void job_start(target *t);
/* Waits for a child and goes on with its recipe; false when there is none. */
bool job_wait(void);
void jobs_begin(void); /* Catches the signals that end make. */
bool jobs_running(void); /* Is a child still there? */
extern unsigned job_slots; /* 0: any number */
/* make_run.c: processes */
/* Starts it, its output into `out` unless that is -1; -1 and a message when it cannot be. */
pid_t run_command(const char *command, char **environment, bool shell_always, int out);
/* The arguments of a simple command, or of the shell with it; fresh memory. */
char **shell_words(const char *command, bool shell_always);

/* make_message.c */
extern place now_at; /* what a message points at while text is expanded */
void make_message(const char *format, ...) G_PRINTF(1, 2); /* "make: …" to standard output */
/* "FILE:LINE: …" or "make: …" on standard error; p may be NULL. */
void make_error(const place *p, const char *format, ...) G_PRINTF(2, 3);
/* The same with " Stop." behind it, then the end with status 2. */
_Noreturn void make_fatal(const place *p, const char *format, ...) G_PRINTF(2, 3);
/* The same as make_error() with "warning: ". */
void make_warning(const place *p, const char *format, ...) G_PRINTF(2, 3);
_Noreturn void make_end(int status); /* Waits for children, then ends with this status. */
void make_entering(bool entering); /* "Entering directory" or "Leaving directory", once each. */

/* make.c: the options */
typedef struct {
    bool always, dry_run, question, touch, silent, keep_going, ignore, environment,
        no_builtin_rules, no_builtin_variables, print_directory, no_print_directory, print_database,
        trace, warn_undefined, check_symlinks, not_parallel, one_shell, delete_on_error,
        second_expansion, secondary_all, silent_all, ignore_all;
} make_options;
extern make_options opt;
extern unsigned make_level;
extern char *default_goal_name;
extern char **include_folders;
extern size_t include_count;
/* Makefiles that were wanted and are not there, for update_goals; `required` ends make. */
void makefile_missing(const char *name, place where, bool required, int error);
void makefile_read(const char *name); /* Notes one that was read, so that it can be made anew. */
/* make_database.c: -p */
void print_database(void);

#endif
