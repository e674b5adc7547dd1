/*
 * cmd_ls_files.c: git ls-files and check-ignore.
 */
#include "git.h"

#include <ctype.h>
#include <sys/stat.h>

static int cached, deleted, modified, others, ignored, stage, unmerged, killed, null, tags, directory;
static int error_unmatch, full_name, exclude_standard, lower;
static string_list excludes, exclude_files;
static const option table[] = {
    FLAG('z', NULL, null, "separate paths with the NUL character"),
    FLAG('t', NULL, tags, "identify the file status with tags"),
    FLAG('v', NULL, lower, "use lowercase letters for 'assume unchanged' files"),
    FLAG('c', "cached", cached, "show cached files in the output (default)"),
    FLAG('d', "deleted", deleted, "show deleted files in the output"),
    FLAG('m', "modified", modified, "show modified files in the output"),
    FLAG('o', "others", others, "show other files in the output"),
    FLAG('i', "ignored", ignored, "show ignored files in the output"),
    FLAG('s', "stage", stage, "show staged contents' object name in the output"),
    FLAG('k', "killed", killed, "show files on the filesystem that need to be removed"),
    FLAG(0, "directory", directory, "show 'other' directories' names only"),
    FLAG('u', "unmerged", unmerged, "show unmerged files in the output"),
    {OPT_LIST, 'x', "exclude", &excludes, "pattern", "skip files matching pattern", 0, NULL, NULL, 0},
    {OPT_LIST, 'X', "exclude-from", &exclude_files, "file", "read exclude patterns from <file>", 0, NULL, NULL, 0},
    FLAG(0, "exclude-standard", exclude_standard, "add the standard git exclusions"),
    FLAG(0, "full-name", full_name, "make the output relative to the project top directory"),
    FLAG(0, "error-unmatch", error_unmatch, "if any <file> is not in the index, treat this as an error"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static void show(const char *path, const char *tag, const git_index_entry *e) {
    char end = null ? '\0' : '\n';
    char letter = e && (e->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) && *tag == 'H' ? 'S' : *tag;
    if (lower && e && (e->flags & GIT_INDEX_ENTRY_VALID)) letter = (char)tolower((unsigned char)letter);
    if (tags || lower) g_outf("%c ", letter);
    if (e && (stage || unmerged)) g_outf("%06o %s %d\t", e->mode, full_id(&e->id), GIT_INDEX_ENTRY_STAGE(e));
    out_path(full_name ? path : relative(path), end);
}

static bool differs(git_diff *diff, const char *path, bool only_deleted) {
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (strcmp(d->old_file.path, path) == 0) return !only_deleted || d->status == GIT_DELTA_DELETED;
    }
    return false;
}

int cmd_ls_files(int argc, char **argv) {
    int n = options(argc, argv, table, "git ls-files [<options>] [<file>...]", 0);
    git_index *index = index_of_repo();
    git_diff *diff = NULL;
    pathspec paths;
    pathspec_parse(&paths, n, argv);
    if (!n && *prefix) pathspec_parse(&paths, 1, (char *[]){"."});
    if (ignored && !others && !cached) die("ls-files -i must be used with either -o or -c");
    if (!deleted && !modified && !others && !stage && !unmerged && !ignored && !killed) cached = 1;
    if (others || deleted || modified) {
        git_diff_options o = GIT_DIFF_OPTIONS_INIT;
        o.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
        if (others) o.flags |= GIT_DIFF_INCLUDE_UNTRACKED | (directory ? 0 : GIT_DIFF_RECURSE_UNTRACKED_DIRS);
        if (others && (!exclude_standard || ignored)) o.flags |= GIT_DIFF_INCLUDE_IGNORED | (directory ? 0 : GIT_DIFF_RECURSE_IGNORED_DIRS);
        check(git_diff_index_to_workdir(&diff, repo, index, &o));
    }
    for (int i = 0; i < excludes.count; i++) git_ignore_add_rule(repo, excludes.items[i]);
    for (size_t i = 0; others && i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        bool hidden = d->status == GIT_DELTA_IGNORED;
        if (d->status != GIT_DELTA_UNTRACKED && !hidden) continue;
        if (ignored && !hidden) continue;
        if (pathspec_match(&paths, d->new_file.path)) show(d->new_file.path, "?", NULL);
    }
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        int s = GIT_INDEX_ENTRY_STAGE(e), hidden = 0;
        if (!pathspec_match(&paths, e->path)) continue;
        if (ignored) {
            git_ignore_path_is_ignored(&hidden, repo, e->path);
            if (!hidden) continue;
        }
        if ((cached || stage) && !(unmerged && !s)) show(e->path, s ? "M" : "H", e);
        else if (unmerged && s) show(e->path, "M", e);
        if (deleted && differs(diff, e->path, true)) show(e->path, "R", e);
        if (modified && differs(diff, e->path, false)) show(e->path, "C", e);
    }
    if (error_unmatch && pathspec_unmatched(&paths)) {
        note("Did you forget to 'git add'?");
        return 1;
    }
    return 0;
}

int cmd_check_ignore(int argc, char **argv) {
    static int quiet, verbose, input, no_index, zero, non_matching;
    static const option ignore_table[] = {
        FLAG('q', "quiet", quiet, "suppress progress reporting"), FLAG('v', "verbose", verbose, "be verbose"),
        FLAG(0, "stdin", input, "read file names from stdin"), FLAG('z', NULL, zero, "terminate input and output records by a NUL character"),
        FLAG('n', "non-matching", non_matching, "show non-matching input paths"),
        FLAG(0, "no-index", no_index, "ignore index when checking"), {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}};
    int n = options(argc, argv, ignore_table, "git check-ignore [<options>] <pathname>...\ngit check-ignore [<options>] --stdin", 0), found = 0;
    string_list names = {0};
    g_text text = {0};
    if (verbose) die("--verbose is not there: the rule that matched is not known");
    if (input) {
        read_stdin(&text);
        for (char *line = text.s; line && *line; line = strchr(line, '\0') + 1) {
            char *end = strchr(line, '\n');
            if (end) *end = '\0';
            list_add(&names, line);
            if (!end) break;
        }
    }
    for (int i = 0; i < n; i++) list_add(&names, argv[i]);
    if (!names.count && !input) die("no path specified");
    for (int i = 0; i < names.count; i++) {
        int is_ignored = 0;
        char *path = repo_path(names.items[i]);
        struct stat st;
        if (!no_index && git_index_get_bypath(index_of_repo(), path, 0)) continue;
        bool slash = names.items[i][strlen(names.items[i]) - 1] == '/';
        if (!slash && lstat(in_workdir(path), &st) == 0 && S_ISDIR(st.st_mode)) {
            g_text dir = {0};
            g_text_addf(&dir, "%s/", path);
            path = dir.s;
        }
        git_ignore_path_is_ignored(&is_ignored, repo, path);
        if (!is_ignored) continue;
        found = 1;
        if (!quiet) out_path(names.items[i], zero ? '\0' : '\n');
    }
    return !found;
}
