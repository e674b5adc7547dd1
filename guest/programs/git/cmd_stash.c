/*
 * cmd_stash.c: git stash: local changes put aside, and taken back.
 */
#include "checkout.h"
#include "commit.h"
#include "merge.h"
#include "revs.h"

#define FLAG(letter, name, field, text) {OPT_FLAG, letter, name, &field, NULL, text, 0, NULL, NULL, 0}
#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}
static const char usage[] = "git stash list [<log-options>]\ngit stash show [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]\n"
                            "git stash drop [-q | --quiet] [<stash>]\ngit stash pop [--index] [-q | --quiet] [<stash>]\n"
                            "git stash apply [--index] [-q | --quiet] [<stash>]\ngit stash branch <branchname> [<stash>]\n"
                            "git stash [push [-k | --[no-]keep-index] [-u | --include-untracked] [-a | --all] [-q | --quiet] [(-m | --message) <message>]]\n"
                            "git stash clear";
static int quiet, keep_index, untracked, all, index_, patch, staged;
static const char *message;
static const option push_table[] = {
    FLAG('k', "keep-index", keep_index, "keep index"), FLAG('p', "patch", patch, "stash in patch mode"), FLAG('S', "staged", staged, "stash staged changes only"),
    FLAG('q', "quiet", quiet, "quiet mode"), FLAG('u', "include-untracked", untracked, "include untracked files in stash"),
    FLAG('a', "all", all, "include ignore files"), {OPT_STRING, 'm', "message", &message, "message", "stash message", 0, NULL, NULL, 0}, END};
static const option take_table[] = {FLAG('q', "quiet", quiet, "be quiet, only report errors"), FLAG(0, "index", index_, "attempt to recreate the index"), END};

/* The place of stash@{2}, of 2, or of the last one. */
static size_t place(int n, char **argv) {
    const char *name = n ? argv[0] : "0";
    char *end;
    if (strncmp(name, "stash@{", 7) == 0) name += 7;
    unsigned long at = strtoul(name, &end, 10);
    git_reflog *log;
    if (end == name || (*end && strcmp(end, "}") != 0)) die_status(1, "error: '%s' is not a stash-like commit", argv[0]);
    if (git_reflog_read(&log, repo, "refs/stash") < 0 || !git_reflog_entrycount(log)) {
        note(n ? "error: %s is not a valid reference" : "No stash entries found.", n ? argv[0] : "");
        g_exit(1);
    }
    if (at >= git_reflog_entrycount(log)) die_status(1, "error: stash@{%lu} is not a valid reference", at);
    return at;
}

static git_commit *stash_commit(size_t at) {
    git_reflog *log;
    check(git_reflog_read(&log, repo, "refs/stash"));
    return commit_of(git_reflog_entry_id_new(git_reflog_entry_byindex(log, at)));
}

static int push(int argc, char **argv) {
    int n = options(argc, argv, push_table, usage, 0);
    git_oid id;
    if (patch || staged) die("--%s is not there: stash paths instead", patch ? "patch" : "staged");
    if (n) die("stashing single paths is not there: commit or restore them instead");
    if (!head_commit()) {
        note("You do not have the initial commit yet");
        return 1;
    }
    if (git_index_has_conflicts(index_of_repo())) {
        git_index_conflict_iterator *at;
        const git_index_entry *a, *b, *c;
        check(git_index_conflict_iterator_new(&at, index_of_repo()));
        while (git_index_conflict_next(&a, &b, &c, at) == 0) g_outf("%s: needs merge\n", a ? a->path : b ? b->path : c->path);
        error("could not write index");
        return 1;
    }
    git_stash_save_options o = GIT_STASH_SAVE_OPTIONS_INIT;
    git_signature *who = committer_for_log();
    o.flags = (keep_index ? GIT_STASH_KEEP_INDEX : 0) | (untracked || all ? GIT_STASH_INCLUDE_UNTRACKED : 0) | (all ? GIT_STASH_INCLUDE_IGNORED : 0);
    o.stasher = who;
    o.message = message;
    int rc = git_stash_save_with_opts(&id, repo, &o);
    if (rc == GIT_ENOTFOUND) {
        if (!quiet) g_outs("No local changes to save\n");
        return 0;
    }
    check(rc);
    char *text = subject_of(git_commit_message(commit_of(&id)));
    if (!quiet) g_outf("Saved working directory and index state %s\n", text);
    return 0;
}

static void drop_at(size_t at, const char *name) {
    git_oid id = *git_commit_id(stash_commit(at));
    check(git_stash_drop(repo, at));
    if (quiet) return;
    if (name) g_outf("Dropped %s (%s)\n", name, full_id(&id));
    else g_outf("Dropped refs/stash@{%zu} (%s)\n", at, full_id(&id));
}

/* What the stash changed, merged into what is there now. */
static int apply(size_t at) {
    git_commit *stash = stash_commit(at), *base, *saved_index, *others = NULL;
    git_index *index = index_of_repo(), *now;
    string_list conflicts = {0};
    git_oid ours_id, tree;
    git_tree *ours;
    check(git_commit_parent(&base, stash, 0));
    check(git_commit_parent(&saved_index, stash, 1));
    if (git_commit_parentcount(stash) > 2) check(git_commit_parent(&others, stash, 2));
    check(git_index_write_tree(&ours_id, index));
    check(git_tree_lookup(&ours, repo, &ours_id));
    /* checkout_safely() compares with HEAD: what is staged is kept aside for the while */
    merge_job job = {tree_of(base), ours, tree_of(stash), "Updated upstream", "Stashed changes", "merge", 0, false};
    check(git_index_new(&now));
    check(git_index_read_tree(now, ours));
    enum merge_outcome outcome = merge_trees(&job, &tree, &conflicts);
    if (outcome == MERGE_REFUSED) return 1;
    if (others) {
        git_index *files;
        check(git_index_new(&files));
        check(git_index_read_tree(files, tree_of(others)));
        for (size_t i = 0; i < git_index_entrycount(files); i++) {
            const git_index_entry *e = git_index_get_byindex(files, i);
            if (file_exists(in_workdir(e->path))) error("%s already exists, no checkout", e->path);
            else checkout_entry(e);
        }
    }
    if (outcome == MERGE_CONFLICTS) {
        if (!quiet) run_command("status", 1, (char *[]){"status", NULL});
        return 2;
    }
    /* changes are left unstaged; what was new is staged, so that it is not lost */
    index = index_of_repo();
    git_index *result;
    check(git_index_new(&result));
    check(git_index_read_tree(result, index_ ? tree_of(saved_index) : ours));
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        git_index_entry e = *git_index_get_byindex(index, i);
        const git_index_entry *was = git_index_get_bypath(result, e.path, 0);
        git_tree_entry *in_base;
        if (was && git_oid_equal(&was->id, &e.id) && was->mode == e.mode) check(git_index_add(result, &e));
        else if (!was && !index_ && git_tree_entry_bypath(&in_base, tree_of(base), e.path) < 0) check(git_index_add(result, &e));
    }
    check(git_index_clear(index));
    for (size_t i = 0; i < git_index_entrycount(result); i++) check(git_index_add(index, git_index_get_byindex(result, i)));
    check(git_index_write(index));
    if (!quiet) run_command("status", 1, (char *[]){"status", NULL});
    return 0;
}

static int show_list(void) {
    git_reflog *log;
    if (git_reflog_read(&log, repo, "refs/stash") < 0) return 0;
    for (size_t i = 0; i < git_reflog_entrycount(log); i++)
        g_outf("stash@{%zu}: %s\n", i, git_reflog_entry_message(git_reflog_entry_byindex(log, i)));
    return 0;
}

static int show(int argc, char **argv) {
    const option *table = diff_option_table;
    diff_defaults();
    int n = options(argc, argv, table, usage, 0);
    git_commit *stash = stash_commit(place(n, argv)), *base;
    g_text out = {0};
    check(git_commit_parent(&base, stash, 0));
    diff_write(&out, diff_trees(tree_of(base), tree_of(stash)), diffs.format ? diffs.format : DIFF_STAT);
    g_out(out.s ? out.s : "", out.len);
    return 0;
}

int cmd_stash(int argc, char **argv) {
    if (argc < 2 || argv[1][0] == '-') return push(argc, argv);
    const char *what = argv[1];
    argc--;
    argv++;
    if (strcmp(what, "push") == 0) return push(argc, argv);
    if (strcmp(what, "save") == 0) {
        int n = options(argc, argv, push_table, usage, 0);
        char *again[] = {"push", "-m", n ? argv[0] : NULL, NULL};
        return push(n ? 3 : 1, again);
    }
    if (strcmp(what, "list") == 0) return show_list();
    if (strcmp(what, "show") == 0) return show(argc, argv);
    if (strcmp(what, "clear") == 0) {
        git_reflog *log;
        while (git_reflog_read(&log, repo, "refs/stash") == 0 && git_reflog_entrycount(log)) check(git_stash_drop(repo, 0));
        return 0;
    }
    bool pop = strcmp(what, "pop") == 0;
    if (pop || strcmp(what, "apply") == 0) {
        int n = options(argc, argv, take_table, usage, 0);
        size_t at = place(n, argv);
        int status = apply(at);
        if (status == 2 && pop) g_outs("The stash entry is kept in case you need it again.\n");
        else if (!status && pop) drop_at(at, n ? argv[0] : NULL);
        return status != 0;
    }
    if (strcmp(what, "drop") == 0) {
        int n = options(argc, argv, take_table, usage, 0);
        drop_at(place(n, argv), n ? argv[0] : NULL);
        return 0;
    }
    if (strcmp(what, "branch") == 0) die("git stash branch is not there: use git switch -c, then git stash pop");
    die("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", what);
}
