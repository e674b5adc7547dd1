/*
 * cmd_reset.c: git reset: HEAD, the index, and with --hard the working tree.
 */
#include "checkout.h"
#include "commit.h"
#include "diff.h"

enum { MIXED, SOFT, HARD, MERGE, KEEP };
static int mode = -1, quiet, no_refresh, patch, intent;
static const option table[] = {
    {OPT_FLAG, 'q', "quiet", &quiet, NULL, "be quiet, only report errors", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "no-refresh", &no_refresh, NULL, "skip refreshing the index after reset", 0, NULL, NULL, 0},
    {OPT_SET, 0, "mixed", &mode, NULL, "reset HEAD and index", MIXED, NULL, NULL, 1},
    {OPT_SET, 0, "soft", &mode, NULL, "reset only HEAD", SOFT, NULL, NULL, 1},
    {OPT_SET, 0, "hard", &mode, NULL, "reset HEAD, index and working tree", HARD, NULL, NULL, 1},
    {OPT_SET, 0, "merge", &mode, NULL, "reset HEAD, index and working tree", MERGE, NULL, NULL, 1},
    {OPT_SET, 0, "keep", &mode, NULL, "reset HEAD but keep local changes", KEEP, NULL, NULL, 1},
    {OPT_FLAG, 'p', "patch", &patch, NULL, "select hunks interactively", 0, NULL, NULL, 0},
    {OPT_FLAG, 'N', "intent-to-add", &intent, NULL, "record only the fact that removed paths will be added later", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]\n"
                            "git reset [-q] [<tree-ish>] [--] <pathspec>...\n"
                            "git reset [-q] [--pathspec-from-file [--pathspec-file-nul]] [<tree-ish>]\n"
                            "git reset --patch [<tree-ish>] [--] [<pathspec>...]";

static git_tree *empty_tree(void) {
    git_treebuilder *builder;
    git_oid id;
    git_tree *tree;
    check(git_treebuilder_new(&builder, repo, NULL));
    check(git_treebuilder_write(&id, builder));
    check(git_tree_lookup(&tree, repo, &id));
    return tree;
}

/* The index as the tree, within the paths. What is the same keeps what it knows of its file. */
static void reset_index(git_tree *tree, pathspec *paths) {
    git_index *index = index_of_repo(), *to;
    string_list gone = {0};
    check(git_index_new(&to));
    check(git_index_read_tree(to, tree));
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!pathspec_match(paths, e->path)) continue;
        if (GIT_INDEX_ENTRY_STAGE(e) || !git_index_get_bypath(to, e->path, 0)) list_add(&gone, e->path);
    }
    for (int i = 0; i < gone.count; i++) git_index_remove_bypath(index, gone.items[i]);
    for (size_t i = 0; i < git_index_entrycount(to); i++) {
        const git_index_entry *e = git_index_get_byindex(to, i), *have = git_index_get_bypath(index, e->path, 0);
        if (!pathspec_match(paths, e->path)) continue;
        if (!have || !git_oid_equal(&have->id, &e->id) || have->mode != e->mode) check(git_index_add(index, e));
    }
    check(git_index_write(index));
    git_index_free(to);
}

static void list_unstaged(void) {
    bool first = true;
    if (quiet || !git_repository_workdir(repo)) return;
    diff_defaults();
    diffs.renames = 0;
    git_diff *diff = diff_index_workdir();
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (diff_skip(diff, i)) continue;
        if (first) g_outs("Unstaged changes after reset:\n");
        first = false;
        g_outf("%c\t%s\n", diff_letter(d), d->old_file.path);
    }
}

static void move_head(git_commit *commit, const char *name) {
    git_commit *old = head_commit();
    char log[1000];
    char *branch = head_target();
    snprintf(log, sizeof log, "reset: moving to %s", name);
    if (old) {
        g_text text = {0};
        g_text_addf(&text, "%s\n", full_id(git_commit_id(old)));
        write_git_file("ORIG_HEAD", text.s);
    }
    if (branch) update_ref(branch, git_commit_id(commit), log);
    else set_head_detached(git_commit_id(commit), log);
}

static int reset_paths(const char *name, int count, char **argv) {
    pathspec paths;
    git_tree *tree = tree_named(name);
    pathspec_parse(&paths, count, argv);
    if (mode > MIXED) die("Cannot do %s reset with paths.", mode == SOFT ? "soft" : mode == HARD ? "hard" : mode == MERGE ? "merge" : "keep");
    if (mode == MIXED) warning("--mixed with paths is deprecated; use 'git reset -- <paths>' instead.");
    reset_index(tree ? tree : empty_tree(), &paths);
    list_unstaged();
    return 0;
}

int cmd_reset(int argc, char **argv) {
    int n = options(argc, argv, table, usage, KEEP_DASHDASH), at = 0;
    const char *name = "HEAD";
    if (patch) die("--patch needs a terminal, and there is none: use 'git apply --cached'");
    if (n && strcmp(argv[0], "--") != 0) {
        bool is_rev = object_named(argv[0]) != NULL;
        if (is_rev) name = argv[at++];
        else if (n > 1 && strcmp(argv[1], "--") == 0) die("bad revision '%s'", argv[0]);
        else if (!file_exists(argv[0]) && !git_index_get_bypath(index_of_repo(), repo_path(argv[0]), 0)) die_unknown_revision(argv[0]);
    }
    bool dashes = at < n && strcmp(argv[at], "--") == 0;
    at += dashes;
    if (at < n) return reset_paths(name, n - at, argv + at);
    if (mode < 0) mode = MIXED;
    git_commit *commit = commit_named(name);
    git_tree *tree = commit ? tree_of(commit) : NULL;
    pathspec none = {0};
    if (!commit && object_named(name)) die("Could not parse object '%s'.", name);
    if (!tree) tree = empty_tree();
    if (mode == SOFT && git_index_has_conflicts(index_of_repo())) die("Cannot do a soft reset in the middle of a merge.");
    if (mode == HARD) checkout_forced(tree);
    else if (mode == MIXED) reset_index(tree, &none);
    else if (mode == MERGE || mode == KEEP) {
        if (mode == MERGE && git_index_has_conflicts(index_of_repo())) checkout_forced(tree);
        else if (!checkout_safely(tree, "reset")) die("Could not reset index file to revision '%s'.", name);
    }
    if (mode == KEEP) reset_index(tree, &none);
    if (commit) move_head(commit, name);
    if (mode == HARD && commit && !quiet)
        g_outf("HEAD is now at %s %s\n", short_id(git_commit_id(commit)), subject_of(git_commit_message(commit)));
    if (mode != SOFT) forget_operation();
    if (mode == MIXED) list_unstaged();
    return 0;
}
