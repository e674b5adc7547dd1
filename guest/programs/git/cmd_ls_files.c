/*
 * cmd_ls_files.c: git ls-files.
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
