/*
 * make.c: brings files up to date. This file reads the options; see make.h for the parts.
 *
 * Deviations: no archives' members, `load`, Guile, RCS and SCCS; no -d, --debug, -O and -l (-l is
 * accepted: there is no load to look at); -p prints less.
 *
 * help make:
 *   Usage: make [options] [target] ...
 *   Options:
 *     -b, -m                      Ignored for compatibility.
 *     -B, --always-make           Unconditionally make all targets.
 *     -C DIRECTORY, --directory=DIRECTORY
 *                                 Change to DIRECTORY before doing anything.
 *     -e, --environment-overrides
 *                                 Environment variables override makefiles.
 *     -E STRING, --eval=STRING    Evaluate STRING as a makefile statement.
 *     -f FILE, --file=FILE, --makefile=FILE
 *                                 Read FILE as a makefile.
 *     -h, --help                  Print this message and exit.
 *     -i, --ignore-errors         Ignore errors from recipes.
 *     -I DIRECTORY, --include-dir=DIRECTORY
 *                                 Search DIRECTORY for included makefiles.
 *     -j [N], --jobs[=N]          Allow N jobs at once; infinite jobs with no arg.
 *     -k, --keep-going            Keep going when some targets can't be made.
 *     -l [N], --load-average[=N]  Accepted; there is no load to look at.
 *     -L, --check-symlink-times   Use the latest mtime between symlinks and target.
 *     -n, --just-print, --dry-run, --recon
 *                                 Don't actually run any recipe; just print them.
 *     -o FILE, --old-file=FILE, --assume-old=FILE
 *                                 Consider FILE to be very old and don't remake it.
 *     -p, --print-data-base       Print make's internal database.
 *     -q, --question              Run no recipe; exit status says if up to date.
 *     -r, --no-builtin-rules      Disable the built-in implicit rules.
 *     -R, --no-builtin-variables  Disable the built-in variable settings.
 *     -s, --silent, --quiet       Don't echo recipes.
 *         --no-silent             Echo recipes (disable --silent mode).
 *     -S, --no-keep-going, --stop
 *                                 Turns off -k.
 *     -t, --touch                 Touch targets instead of remaking them.
 *         --trace                 Print tracing information.
 *     -v, --version               Print the version number of make and exit.
 *     -w, --print-directory       Print the current directory.
 *         --no-print-directory    Turn off -w, even if it was turned on implicitly.
 *     -W FILE, --what-if=FILE, --new-file=FILE, --assume-new=FILE
 *                                 Consider FILE to be infinitely new.
 *         --warn-undefined-variables
 *                                 Warn when an undefined variable is referenced.
 */
#include "make.h"
#include "make_flags.h"
#include "g_in.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

make_options opt;
unsigned make_level;
char **include_folders;
size_t include_count;

static struct missing {
    struct missing *next;
    char *name;
    place where;
    bool required;
    int error;
} *missing;
static target **makefiles;
static size_t makefile_count, makefile_cap;

void makefile_read(const char *name) {
    if (strcmp(name, "-") == 0) return;
    target *t = target_get(name, strlen(name));
    if (makefile_count == makefile_cap)
        makefiles = g_more(makefiles, &makefile_cap, sizeof *makefiles);
    makefiles[makefile_count++] = t;
    t->is_makefile = true;
}

void makefile_missing(const char *name, place where, bool required, int error) {
    struct missing *m = g_zalloc(sizeof *m), **end = &missing;
    *m = (struct missing){
        .name = g_copy_string(name), .where = where, .required = required, .error = error};
    while (*end) end = &(*end)->next;
    *end = m;
    makefile_read(name);
}

/* Intermediate files that this run has made. */
static void remove_intermediates(void) {
    entry **all = table_sorted(&targets);
    bool any = false;
    for (size_t i = 0; i < targets.count; i++) {
        target *t = (target *)all[i];
        if (!t->intermediate || t->not_intermediate || target_is_precious(t) || opt.secondary_all ||
            !t->ran)
            continue;
        if (!opt.dry_run && unlink(t->path) != 0) continue;
        if (!opt.silent) g_outf("%s%s", any ? " " : "rm ", t->path);
        any = true;
    }
    if (any && !opt.silent) g_outc('\n');
    free(all);
}

_Noreturn void make_end(int status) {
    static bool ending;
    if (!ending) {
        ending = true;
        while (jobs_running()) {
            make_error(NULL, "*** Waiting for unfinished jobs....");
            while (job_wait()) {
            }
        }
        remove_intermediates();
        make_entering(false);
    }
    g_exit(status);
}

static void set(const char *name, const char *value, enum origin origin) {
    variable_set(&global_scope, name, strlen(name), value, origin, false);
}

static void begin_variables(void) {
    const char *level = getenv("MAKELEVEL");
    make_level = level ? (unsigned)strtoul(level, NULL, 10) : 0;
    variables_begin(opt.environment);
    builtin_variables();
    char number[12], *folder = getcwd(NULL, 0);
    snprintf(number, sizeof number, "%u", make_level);
    set("MAKELEVEL", number, FROM_ENVIRONMENT);
    set("MAKE_VERSION", "4.3", FROM_DEFAULT);
    set("MAKE_COMMAND", g_name(), FROM_DEFAULT);
    variable_set(&global_scope, "MAKE", 4, "$(MAKE_COMMAND)", FROM_DEFAULT, true);
    set("SHELL", "/bin/sh", FROM_DEFAULT);
    set(".SHELLFLAGS", "-c", FROM_DEFAULT);
    set("CURDIR", folder ? folder : "", FROM_FILE);
    set(".FEATURES",
        "target-specific order-only second-expansion else-if shortest-stem undefine oneshell "
        "grouped-target jobserver check-symlink",
        FROM_DEFAULT);
    set("MAKEFILE_LIST", "", FROM_FILE);
    free(folder);
}

static void read_makefiles(const make_arguments *a) {
    static const char *const usual[] = {"GNUmakefile", "makefile", "Makefile"};
    char *more = variable_value("MAKEFILES");
    const char *s = more, *word;
    size_t len;
    while (next_word(&s, &word, &len)) {
        char *name = g_copy_bytes(word, len);
        make_read_file(name);
        free(name);
    }
    for (size_t i = 0; i < a->evals.count; i++)
        make_read_text(a->evals.list[i], strlen(a->evals.list[i]), (place){0});
    for (size_t i = 0; i < a->files.count; i++) {
        if (make_read_file(a->files.list[i])) continue;
        makefile_missing(a->files.list[i], (place){0}, true, errno);
    }
    for (size_t i = 0; !a->files.count && i < 3; i++)
        if (make_read_file(usual[i])) break;
    now_at = (place){0};
}

/* Makefiles are targets, too; when one was made anew, all begins again. */
static void remake_makefiles(char **argv) {
    size_t before = commands_started;
    int64_t *times = g_resize(NULL, makefile_count + 1, sizeof *times);
    bool dry_run = opt.dry_run, question = opt.question, touch = opt.touch, changed = false;
    if (!makefile_count) return;
    for (size_t i = 0; i < makefile_count; i++) times[i] = target_time(makefiles[i]);
    opt.dry_run = opt.question = opt.touch = false;
    bool always = opt.always;
    opt.always = false;
    for (size_t i = 0; i < makefile_count; i++) {
        target *t = makefiles[i];
        if (t->phony || (t->double_colon && !t->deps)) continue; /* they would never end */
        update_goals(&t, 1, true);
    }
    opt.dry_run = dry_run, opt.question = question, opt.touch = touch, opt.always = always;
    for (size_t i = 0; i < makefile_count; i++) {
        target *t = makefiles[i];
        if (commands_started != before && t->state == FINISHED && t->recipe && t->ran &&
            t->outcome == OUTCOME_GOOD && target_time(t) != times[i] && target_time(t) != TIME_NONE)
            changed = true;
    }
    bool failed = false;
    for (struct missing *m = missing; m; m = m->next) {
        target *t = target_find(m->name);
        if (!m->required || (t && target_time(t) != TIME_NONE && (t->outcome == OUTCOME_GOOD)))
            continue;
        if (m->where.file)
            make_error(&m->where, "%s: %s", m->name, strerror(m->error));
        else
            make_error(NULL, "%s: %s", m->name, strerror(m->error));
        failed = true;
        if (t && t->outcome == OUTCOME_FAILED && t->recipe)
            make_error(NULL, "*** Failed to remake makefile '%s'.", m->name);
        else
            make_error(NULL, "*** No rule to make target '%s'.  Stop.", m->name);
        break;
    }
    if (failed) make_end(2);
    free(times);
    if (!changed) {
        for (size_t i = 0; i < makefile_count; i++) makefiles[i]->considered = false;
        return;
    }
    remove_intermediates();
    g_out_flush();
    const char *restarts = getenv("MAKE_RESTARTS");
    char number[16];
    snprintf(number, sizeof number, "%lu", restarts ? strtoul(restarts, NULL, 10) + 1 : 1UL);
    setenv("MAKE_RESTARTS", number, 1);
    if (make_level) {
        snprintf(number, sizeof number, "%u", make_level);
        setenv("MAKELEVEL", number, 1);
    }
    execvp(argv[0], argv);
    make_fatal(NULL, "%s: %s", argv[0], strerror(errno));
}

static int make_goals(const make_arguments *a) {
    target **goals = NULL;
    size_t count = 0, cap = 0;
    for (size_t i = 0; i < a->goals.count; i++) {
        if (count == cap) goals = g_more(goals, &cap, sizeof *goals);
        goals[count++] = target_get(a->goals.list[i], strlen(a->goals.list[i]));
    }
    if (!count) {
        char *names = variable_value(".DEFAULT_GOAL");
        const char *s = names, *word, *second;
        size_t len, second_len;
        if (!next_word(&s, &word, &len)) {
            if (!makefile_count) make_fatal(NULL, "No targets specified and no makefile found");
            make_fatal(NULL, "No targets");
        }
        if (next_word(&s, &second, &second_len))
            make_fatal(NULL, ".DEFAULT_GOAL contains more than one target");
        goals = g_resize(NULL, 1, sizeof *goals);
        goals[count++] = target_get(word, len);
    }
    return update_goals(goals, count, false);
}

static void mark_times(const make_arguments *a) {
    for (size_t i = 0; i < a->old_files.count; i++) {
        target *t = target_get(a->old_files.list[i], strlen(a->old_files.list[i]));
        t->assumed_old = true;
        t->state = FINISHED;
    }
    for (size_t i = 0; i < a->new_files.count; i++)
        target_get(a->new_files.list[i], strlen(a->new_files.list[i]))->assumed_new = true;
}

int make_main(int argc, char **argv) {
    make_arguments a = {0};
    g_set_failure(2);
    const char *level = getenv("MAKELEVEL");
    make_level = level ? (unsigned)strtoul(level, NULL, 10) : 0;
    flags_from_environment(&a);
    flags_from_arguments(&a, argc, argv);
    for (size_t i = 0; i < a.folders.count; i++)
        if (chdir(a.folders.list[i]) != 0)
            make_fatal(NULL, "%s: %s", a.folders.list[i], strerror(errno));
    if ((a.folders.count || make_level) && !opt.silent) opt.print_directory = true;
    if (opt.no_print_directory) opt.print_directory = false;
    make_entering(true);
    begin_variables();
    flags_variables(&a);
    builtin_rules();
    jobs_begin();
    read_makefiles(&a);
    flags_from_makefile(&a);
    rules_finish();
    mark_times(&a);
    remake_makefiles(argv);
    if (opt.print_database) {
        print_database();
        if (!a.goals.count && !*variable_value(".DEFAULT_GOAL")) make_end(0);
    }
    make_end(make_goals(&a));
}
