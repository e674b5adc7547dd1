/*
 * cmd_apply.c: git apply: a patch to files, to the index, or to both.
 */
#include "patch.h"

#include <errno.h>
#include <unistd.h>

#include "g_in.h"

static int stat, numstat, summary, apply_ = -1, null, plain, fake;
static int strip = -1, context = -1;
static const char *ancestor;

static void take_limit(const option *o, const char *argument, bool unset) {
    g_text text = {0};
    (void)unset;
    g_text_addf(&text, "%c%s", o->number, argument);
    list_add(&patching.limits, text.s);
    g_text_free(&text);
}

static void take_white(const option *o, const char *argument, bool unset) {
    (void)o;
    patching.squelch = 5;
    if (unset || strcmp(argument, "nowarn") == 0) patching.white = WHITE_NOWARN;
    else if (strcmp(argument, "warn") == 0) patching.white = WHITE_WARN;
    else if (strcmp(argument, "fix") == 0 || strcmp(argument, "strip") == 0) patching.white = WHITE_FIX;
    else if (strncmp(argument, "error", 5) == 0) patching.white = WHITE_ERROR, patching.squelch = argument[5] ? 0 : 5;
    else die_status(129, "error: unrecognized whitespace option '%s'", argument);
}

static void take_strip(const option *o, const char *argument, bool unset) {
    char *end;
    (void)o, (void)unset;
    strip = (int)strtol(argument, &end, 10);
    if (*end || end == argument) die("bad value for -p: %s", argument);
}

static void take_directory(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    patching.directory = argument;
}

#define CALL(letter, name, argument, text, number, call) {OPT_CALL, letter, name, NULL, argument, text, number, NULL, call, 0}
static const option table[] = {
    CALL(0, "exclude", "path", "don't apply changes matching the given path", '-', take_limit),
    CALL(0, "include", "path", "apply changes matching the given path", '+', take_limit),
    CALL('p', NULL, "num", "remove <num> leading slashes from traditional diff paths", 0, take_strip),
    FLAG(0, "no-add", patching.no_add, "ignore additions made by the patch"),
    FLAG(0, "stat", stat, "instead of applying the patch, output diffstat for the input"),
    FLAG(0, "allow-binary-replacement", plain, NULL),
    FLAG(0, "binary", plain, NULL),
    FLAG(0, "numstat", numstat, "show number of added and deleted lines in decimal notation"),
    FLAG(0, "summary", summary, "instead of applying the patch, output a summary for the input"),
    FLAG(0, "check", patching.check, "instead of applying the patch, see if the patch is applicable"),
    FLAG(0, "index", patching.index, "make sure the patch is applicable to the current index"),
    FLAG('N', "intent-to-add", fake, "mark new files with `git add --intent-to-add`"),
    FLAG(0, "cached", patching.cached, "apply a patch without touching the working tree"),
    FLAG(0, "unsafe-paths", patching.unsafe, "accept a patch that touches outside the working area"),
    FLAG(0, "apply", apply_, "also apply the patch (use with --stat/--summary/--check)"),
    FLAG('3', "3way", patching.three_way, "attempt three-way merge, fall back on normal patch if that fails"),
    {OPT_STRING, 0, "build-fake-ancestor", &ancestor, "file", "build a temporary index based on embedded index information", 0, NULL, NULL, 0},
    FLAG('z', NULL, null, "paths are separated with NUL character"),
    {OPT_NUMBER, 'C', NULL, &context, "n", "ensure at least <n> lines of context match", 0, NULL, NULL, 0},
    CALL(0, "whitespace", "action", "detect new or modified lines that have whitespace errors", 0, take_white),
    FLAG(0, "ignore-space-change", patching.ignore_space, "ignore changes in whitespace when finding context"),
    FLAG(0, "ignore-whitespace", patching.ignore_space, "ignore changes in whitespace when finding context"),
    FLAG('R', "reverse", patching.reverse, "apply the patch in reverse"),
    FLAG(0, "unidiff-zero", patching.zero_context, "don't expect at least one line of context"),
    FLAG(0, "reject", patching.reject, "leave the rejected hunks in corresponding *.rej files"),
    FLAG(0, "allow-overlap", patching.overlap, "allow overlapping hunks"),
    FLAG('v', "verbose", patching.verbose, "be more verbose"),
    FLAG('q', "quiet", patching.quiet, "be more quiet"),
    FLAG(0, "inaccurate-eof", patching.inaccurate_eof, "tolerate incorrectly detected missing new-line at the end of file"),
    FLAG(0, "recount", patching.recount, "do not trust the line counts in the hunk headers"),
    CALL(0, "directory", "root", "prepend <root> to all filenames", 0, take_directory),
    FLAG(0, "allow-empty", patching.allow_empty, "don't return error for empty patches"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static void settle(void) {
    if (patching.reject && patching.three_way)
        die_status(128, "error: options '%s' and '%s' cannot be used together", "--reject", "--3way");
    if (patching.three_way && !repo) die_status(128, "error: '%s' outside a repository", "--3way");
    if (patching.three_way && !patching.cached) patching.index = 1;
    if (patching.index && !repo) die_status(128, "error: '%s' outside a repository", "--index");
    if (patching.cached && !repo) die_status(128, "error: '%s' outside a repository", "--cached");
    if (patching.reject) patching.apply = 1, patching.verbose = 1;
    else patching.apply = !(stat || numstat || summary || patching.check) || apply_ > 0;
    if (patching.index || patching.cached) patching.unsafe = 0;
    patching.strip = strip < 0 ? 1 : strip;
    patching.strip_given = strip >= 0;
    if (ancestor) die("--build-fake-ancestor is not there");
    patching.context = context;
}

static int white_summary(int status) {
    int count = patching.white_errors;
    if (!count) return status;
    if (patching.squelch && patching.squelch < count)
        warning(count - patching.squelch == 1 ? "squelched %d whitespace error" : "squelched %d whitespace errors", count - patching.squelch);
    if (patching.white == WHITE_ERROR) {
        error(count == 1 ? "%d line adds whitespace errors." : "%d lines add whitespace errors.", count);
        return 128;
    }
    if (patching.fixed && patching.apply)
        warning(patching.fixed == 1 ? "%d line applied after fixing whitespace errors." : "%d lines applied after fixing whitespace errors.", patching.fixed);
    else
        warning(count == 1 ? "%d line adds whitespace errors." : "%d lines add whitespace errors.", count);
    return status;
}

typedef struct {
    char *text;
    size_t len;
    const char *name;
} source;

static int one(const source *from) {
    patch_list list = {0};
    patching.input = from->name;
    if (patch_read(&list, from->text, from->len) < 0) return 128;
    int status = patch_apply(&list);
    if (status) return status;
    if (stat) patch_stat(&list);
    if (numstat) patch_numstat(&list, null);
    if (summary) patch_summary(&list);
    return status;
}

int cmd_apply(int argc, char **argv) {
    memset(&patching, 0, sizeof patching);
    patching.white = WHITE_WARN;
    patching.squelch = 5;
    char *white = repo ? config_string("apply.whitespace") : NULL, *ignore = repo ? config_string("apply.ignorewhitespace") : NULL;
    if (white) take_white(NULL, white, false);
    if (ignore && strcmp(ignore, "change") == 0) patching.ignore_space = 1;
    int n = options(argc, argv, table, "git apply [<options>] [<patch>...]", 0), status = 0;
    settle();
    source *sources = g_zalloc(((size_t)n + 1) * sizeof *sources);
    for (int i = 0; i < n || (!n && !i); i++) {
        bool in = !n || strcmp(argv[i], "-") == 0;
        sources[i].name = in ? "<stdin>" : argv[i];
        sources[i].text = in ? stdin_text(&sources[i].len) : read_file(argv[i], &sources[i].len);
        if (!sources[i].text) die_status(128, "error: can't open patch '%s': %s", argv[i], strerror(errno));
    }
    if (repo && git_repository_workdir(repo))
        if (chdir(git_repository_workdir(repo)) < 0) die("cannot change to '%s': %s", workdir(), strerror(errno));
    for (int i = 0; i < n || (!n && !i); i++) {
        int result = one(&sources[i]);
        if (result == 128) return 128;
        if (result) status = result;
    }
    return white_summary(status);
}
