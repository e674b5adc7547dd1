/*
 * cmd_add.c: git add: what the working tree has, into the index.
 */
#include "git.h"

#include <sys/stat.h>

static int dry, verbose, force, update, all = -1, intent, refresh, ignore_errors, ignore_missing;
static int renormalize, interactive, patch;
static const char *chmod_;

static const option table[] = {
    {OPT_FLAG, 'n', "dry-run", &dry, NULL, "dry run", 0, NULL, NULL, 0},
    {OPT_FLAG, 'v', "verbose", &verbose, NULL, "be verbose", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 'i', "interactive", &interactive, NULL, "interactive picking", 0, NULL, NULL, 0},
    {OPT_FLAG, 'p', "patch", &patch, NULL, "select hunks interactively", 0, NULL, NULL, 0},
    {OPT_FLAG, 'f', "force", &force, NULL, "allow adding otherwise ignored files", 0, NULL, NULL, 0},
    {OPT_FLAG, 'u', "update", &update, NULL, "update tracked files", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "renormalize", &renormalize, NULL, "renormalize EOL of tracked files (implies -u)", 0, NULL, NULL, 0},
    {OPT_FLAG, 'N', "intent-to-add", &intent, NULL, "record only the fact that the path will be added later", 0, NULL, NULL, 0},
    {OPT_FLAG, 'A', "all", &all, NULL, "add changes from all tracked and untracked files", 0, NULL, NULL, 0},
    {OPT_SET, 0, "ignore-removal", &all, NULL, "ignore paths removed in the working tree (same as --no-all)", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "refresh", &refresh, NULL, "don't add, only refresh the index", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "ignore-errors", &ignore_errors, NULL, "just skip files which cannot be added because of errors", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "ignore-missing", &ignore_missing, NULL, "check if - even missing - files are ignored in dry run", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "chmod", &chmod_, "(+|-)x", "override the executable bit of the listed files", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git add [<options>] [--] <pathspec>...";

static int failed;

static void say(const char *what, const char *path) {
    if (verbose || dry) g_outf("%s '%s'\n", what, path);
}

static void set_intent(git_index *index, const char *path) {
    git_index_entry entry = {0};
    git_blob *none;
    struct stat st;
    (void)none;
    if (lstat(in_workdir(path), &st) != 0) return;
    check(git_blob_create_from_buffer(&entry.id, repo, "", 0));
    entry.path = path;
    entry.mode = S_ISLNK(st.st_mode) ? 0120000 : st.st_mode & 0100 ? 0100755 : 0100644;
    entry.flags_extended = GIT_INDEX_ENTRY_INTENT_TO_ADD;
    entry.flags = GIT_INDEX_ENTRY_EXTENDED;
    check(git_index_add(index, &entry));
}

static void add_one(git_index *index, const char *path) {
    char *clean = g_copy_string(path);
    size_t len = strlen(clean);
    struct stat st;
    if (len && clean[len - 1] == '/') clean[len - 1] = '\0';
    say("add", clean);
    if (dry) return;
    if (intent) {
        set_intent(index, clean);
    } else if (git_index_add_bypath(index, clean) < 0) {
        bool missing = lstat(in_workdir(clean), &st) != 0;
        error("%s: %s", missing ? "unable to stat" : "unable to index file", missing ? clean : git_message());
        if (!ignore_errors) die("adding files failed");
        failed = 1;
    }
    free(clean);
}

static void remove_one(git_index *index, const char *path) {
    say("remove", path);
    if (!dry) git_index_remove_bypath(index, path);
}

/* Marks the pathspecs that name something which is tracked already. */
static void match_tracked(git_index *index, pathspec *paths) {
    for (size_t i = 0; paths->count && i < git_index_entrycount(index); i++)
        pathspec_match(paths, git_index_get_byindex(index, i)->path);
}

static void require_matches(pathspec *paths) {
    string_list ignored_ = {0};
    for (size_t i = 0; i < paths->count; i++) {
        pathspec_item *item = &paths->items[i];
        int ignored = 0;
        struct stat st;
        if (item->matched || item->exclude) continue;
        if (lstat(in_workdir(item->pattern), &st) == 0) {
            git_ignore_path_is_ignored(&ignored, repo, item->pattern);
            if (ignored) list_add(&ignored_, item->original);
            continue; /* an empty directory */
        }
        if (!*item->pattern || ignore_missing) continue;
        die("pathspec '%s' did not match any files", item->original);
    }
    if (!ignored_.count || force) return;
    note("The following paths are ignored by one of your .gitignore files:");
    for (int i = 0; i < ignored_.count; i++) note("%s", ignored_.items[i]);
    hint("Use -f if you really want to add them.\nTurn this message off by running\n"
         "\"git config advice.addIgnoredFile false\"");
    failed = 1;
}

static void apply_mode(git_index *index, pathspec *paths) {
    if (!chmod_) return;
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!pathspec_match(paths, e->path) || (e->mode & 0170000) != 0100000) continue;
        git_index_entry copy = *e;
        copy.mode = chmod_[0] == '+' ? 0100755 : 0100644;
        check(git_index_add(index, &copy));
    }
}

int cmd_add(int argc, char **argv) {
    int count = options(argc, argv, table, usage, 0);
    pathspec paths;
    git_index *index = index_of_repo();
    git_diff *diff;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    if (interactive || patch) die("%s needs a terminal, and there is none: use 'git apply --cached' with a patch", patch ? "--patch" : "--interactive");
    if (chmod_ && strcmp(chmod_, "+x") != 0 && strcmp(chmod_, "-x") != 0)
        die("--chmod param '%s' must be either -x or +x", chmod_);
    if (update && all > 0) die("options '-A' and '-u' cannot be used together");
    if (!count && all <= 0 && !update && !refresh && !renormalize) {
        note("Nothing specified, nothing added.");
        hint("Maybe you wanted to say 'git add .'?\nTurn this message off by running\n"
             "\"git config advice.addEmptyPathspec false\"");
        return 0;
    }
    pathspec_parse(&paths, count, argv);
    if (update || renormalize) all = 1;
    o.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_UPDATE_INDEX;
    if (!update && !renormalize) o.flags |= GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS;
    if (force) o.flags |= GIT_DIFF_INCLUDE_IGNORED | GIT_DIFF_RECURSE_IGNORED_DIRS;
    match_tracked(index, &paths);
    check(git_diff_index_to_workdir(&diff, repo, index, &o));
    string_list changed = {0};
    string_list fresh = {0};
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
        if (!pathspec_match(&paths, path) || d->status == GIT_DELTA_UNMODIFIED || d->status == GIT_DELTA_UNREADABLE) continue;
        bool gone = d->status == GIT_DELTA_DELETED ||
                    (d->status == GIT_DELTA_CONFLICTED && !file_exists(in_workdir(path)));
        bool is_new = d->status == GIT_DELTA_UNTRACKED || d->status == GIT_DELTA_IGNORED;
        if (intent && !is_new) continue; /* what is tracked stays as it is */
        if (gone ? all != 0 : !is_new) list_add(&changed, path);
        else if (!gone) list_add(&fresh, path);
    }
    for (size_t i = 0; i < git_index_entrycount(index) && !intent; i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        if (intended(index, path) && pathspec_match(&paths, path)) list_add(&changed, path);
    }
    if (!refresh) require_matches(&paths);
    for (int i = 0; i < changed.count && !refresh; i++) {
        if (file_exists(in_workdir(changed.items[i]))) add_one(index, changed.items[i]);
        else remove_one(index, changed.items[i]);
    }
    for (int i = 0; i < fresh.count && !refresh; i++) add_one(index, fresh.items[i]);
    if (renormalize)
        for (size_t i = 0; i < git_index_entrycount(index); i++) {
            const char *path = g_copy_string(git_index_get_byindex(index, i)->path);
            if (pathspec_match(&paths, path)) git_index_remove_bypath(index, path), git_index_add_bypath(index, path);
        }
    apply_mode(index, &paths);
    if (!dry && git_index_write(index) < 0) die("unable to write new index file");
    return failed;
}
