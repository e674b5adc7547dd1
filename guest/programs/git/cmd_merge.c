/*
 * cmd_merge.c: git merge.
 */
#include "merge.h"
#include "checkout.h"
#include "commit.h"
#include "revs.h"

static int no_stat, stat = 1, squash, no_commit, no_ff, ff_only, quiet, verbose, abort_, continue_, quit, edit = -1, signoff, no_verify, unrelated, log_;
static string_list messages;
static const char *file, *strategy;
static string_list strategy_options;

static void take_ff(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    no_ff = unset;
    if (!unset) ff_only = 0;
}
static void take_commit(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    no_commit = unset;
}

static const option table[] = {
    FLAG('n', NULL, no_stat, "do not show a diffstat at the end of the merge"), FLAG(0, "stat", stat, "show a diffstat at the end of the merge"),
    FLAG(0, "squash", squash, "create a single commit instead of doing a merge"),
    {OPT_CALL_NONE, 0, "commit", NULL, NULL, "perform a commit if the merge succeeds (default)", 0, NULL, take_commit, 0},
    FLAG('e', "edit", edit, "edit message before committing"),
    {OPT_CALL_NONE, 0, "ff", NULL, NULL, "allow fast-forward (default)", 0, NULL, take_ff, 0},
    FLAG(0, "ff-only", ff_only, "abort if fast-forward is not possible"), FLAG(0, "log", log_, NULL),
    {OPT_STRING, 's', "strategy", &strategy, "strategy", "merge strategy to use", 0, NULL, NULL, 0},
    {OPT_LIST, 'X', "strategy-option", &strategy_options, "option=value", "option for selected merge strategy", 0, NULL, NULL, 0},
    {OPT_LIST, 'm', "message", &messages, "message", "merge commit message (for a non-fast-forward merge)", 0, NULL, NULL, 0},
    {OPT_STRING, 'F', "file", &file, "path", "read message from file", 0, NULL, NULL, 0},
    FLAG('v', "verbose", verbose, "be more verbose"), FLAG('q', "quiet", quiet, "be more quiet"),
    FLAG(0, "abort", abort_, "abort the current in-progress merge"), FLAG(0, "quit", quit, "--abort but leave index and working tree alone"),
    FLAG(0, "continue", continue_, "continue the current in-progress merge"),
    FLAG(0, "allow-unrelated-histories", unrelated, "allow merging unrelated histories"),
    FLAG(0, "signoff", signoff, "add a Signed-off-by trailer"), FLAG(0, "no-verify", no_verify, "bypass pre-merge-commit and commit-msg hooks"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git merge [<options>] [<commit>...]\ngit merge --abort\ngit merge --continue";

static void show_stat(git_tree *from, git_tree *to) {
    g_text out = {0};
    if (quiet || no_stat || !stat) return;
    diff_defaults();
    git_diff *diff = diff_trees(from, to);
    diff_write(&out, diff, DIFF_STAT | DIFF_SUMMARY);
    g_out(out.s ? out.s : "", out.len);
    g_text_free(&out);
}

static void save_head(const git_oid *head) {
    g_text text = {0};
    g_text_addf(&text, "%s\n", full_id(head));
    write_git_file("ORIG_HEAD", text.s);
    g_text_free(&text);
}

static char *merge_message(const char *name) {
    g_text text = {0};
    git_reference *ref;
    const char *kind = "commit", *shown = name;
    char *branch = current_branch();
    if (messages.count) {
        for (int i = 0; i < messages.count; i++) g_text_addf(&text, "%s%s\n", i ? "\n" : "", messages.items[i]);
        return text.s;
    }
    if (file) {
        size_t len;
        char *read = read_file(file, &len);
        if (!read) die("could not read file '%s': No such file or directory", file);
        return read;
    }
    if (strcmp(name, "FETCH_HEAD") == 0) {
        /* "<id>\t\tbranch 'x' of url" */
        char *line = read_git_file("FETCH_HEAD"), *tab = line ? strchr(line, '\t') : NULL;
        if (tab && tab[1] == '\t') {
            char *what = g_copy_bytes(tab + 2, strcspn(tab + 2, "\n"));
            g_text_addf(&text, "Merge %s", what);
            if (branch && strcmp(branch, "main") != 0 && strcmp(branch, "master") != 0) g_text_addf(&text, " into %s", branch);
            g_text_addc(&text, '\n');
            return text.s;
        }
    }
    if (git_reference_dwim(&ref, repo, name) == 0) {
        if (git_reference_is_branch(ref)) kind = "branch";
        else if (git_reference_is_remote(ref)) kind = "remote-tracking branch";
        else if (git_reference_is_tag(ref)) kind = "tag";
    }
    g_text_addf(&text, "Merge %s '%s'", kind, shown);
    if (branch && strcmp(branch, "main") != 0 && strcmp(branch, "master") != 0) g_text_addf(&text, " into %s", branch);
    g_text_addc(&text, '\n');
    return text.s;
}

static int fast_forward(git_commit *head, git_commit *to, const char *name) {
    char log[1000];
    char *branch = head_target();
    const char *ignored = messages.count ? " (no commit created; -m option ignored)" : "";
    if (!quiet) g_outf("Updating %s..%s\n", short_id(git_commit_id(head)), short_id(git_commit_id(to)));
    if (!checkout_safely(tree_of(to), "merge")) return 1;
    if (!quiet) g_outf("Fast-forward%s\n", ignored);
    snprintf(log, sizeof log, "merge %s: Fast-forward%s", name, ignored);
    if (!squash) {
        if (branch) update_ref(branch, git_commit_id(to), log);
        else set_head_detached(git_commit_id(to), log);
    } else if (!quiet) {
        g_outs("Squash commit -- not updating HEAD\n");
    }
    show_stat(tree_of(head), tree_of(to));
    run_hook("post-merge", (char *[]){squash ? "1" : "0", NULL}, NULL);
    return 0;
}

static int give_up(void) {
    git_commit *head = head_commit();
    if (!git_file_exists("MERGE_HEAD")) die("There is no merge to abort (MERGE_HEAD missing).");
    checkout_forced(tree_of(head));
    forget_operation();
    return 0;
}

static int favor_of_options(void) {
    for (int i = 0; i < strategy_options.count; i++) {
        if (strcmp(strategy_options.items[i], "ours") == 0) return GIT_MERGE_FILE_FAVOR_OURS;
        if (strcmp(strategy_options.items[i], "theirs") == 0) return GIT_MERGE_FILE_FAVOR_THEIRS;
    }
    return GIT_MERGE_FILE_FAVOR_NORMAL;
}

/* What two commits have in common. Of several bases one tree is made, as they would be merged themselves. */
static git_tree *base_tree(git_commit *ours, git_commit *theirs) {
    git_oidarray bases = {0};
    check(git_merge_bases(&bases, repo, git_commit_id(ours), git_commit_id(theirs)));
    git_commit *first = commit_of(&bases.ids[0]);
    git_tree *tree = tree_of(first);
    for (size_t i = 1; i < bases.count; i++) {
        git_merge_options o = GIT_MERGE_OPTIONS_INIT;
        git_commit *next = commit_of(&bases.ids[i]);
        git_index *merged;
        git_oid id;
        bool related = git_merge_base(&id, repo, git_commit_id(first), git_commit_id(next)) == 0;
        o.flags |= GIT_MERGE_VIRTUAL_BASE; /* What is in conflict has its marks in the tree. */
        check(git_merge_trees(&merged, repo, related ? base_tree(first, next) : NULL, tree, tree_of(next), &o));
        check(git_index_write_tree_to(&id, merged, repo));
        git_index_free(merged);
        check(git_tree_lookup(&tree, repo, &id));
    }
    git_oidarray_dispose(&bases);
    return tree;
}

/* What conflicts in the style diff3 call it. */
static const char *base_name(git_commit *ours, git_commit *theirs) {
    git_oidarray bases = {0};
    if (git_merge_bases(&bases, repo, git_commit_id(ours), git_commit_id(theirs)) < 0) return "empty tree";
    const char *name = bases.count > 1 ? "merged common ancestors" : g_copy_string(short_id(&bases.ids[0]));
    git_oidarray_dispose(&bases);
    return name;
}

static const char *merged_name; /* as it was given */
static bool several_;           /* branches at once */

static int conclude_merge(git_commit *head, size_t count, const git_commit **list, const git_oid *tree, const char *message) {
    git_oid id;
    char *clean = clean_message(message, false);
    git_signature *author = author_now(), *committer = committer_now();
    g_text text = {0}, log = {0};
    g_text_addf(&text, "Merge made by the '%s' strategy.", strategy && strcmp(strategy, "ours") == 0 ? "ours" : several_ ? "octopus" : "ort");
    git_tree *result;
    check(git_tree_lookup(&result, repo, tree));
    check(git_commit_create(&id, repo, NULL, author, committer, NULL, clean, result, count, list));
    char *branch = head_target();
    const char *action = getenv("GIT_REFLOG_ACTION");
    if (action) g_text_addf(&log, "%s: %s", action, text.s);
    else g_text_addf(&log, "merge %s: %s", merged_name, text.s);
    if (branch) update_ref(branch, &id, log.s);
    else set_head_detached(&id, log.s);
    forget_operation();
    if (!quiet) g_outf("%s\n", text.s);
    show_stat(tree_of(head), result);
    run_hook("post-merge", (char *[]){"0", NULL}, NULL);
    return 0;
}

static void squash_message(git_commit *head, git_commit *theirs) {
    g_text text = {0};
    pretty_opts plain = {0};
    g_text_adds(&text, "Squashed commit of the following:\n");
    revs_defaults();
    pretty = plain;
    revs_add_id(git_commit_id(theirs), false);
    revs_add_id(git_commit_id(head), true);
    revs_start();
    for (rev *r; (r = revs_next()) != NULL;) {
        g_text_addc(&text, '\n');
        pretty_commit(&text, r, "");
    }
    write_git_file("SQUASH_MSG", text.s);
}

/* Merges several at once; false when all but one, or all, are in the others or here. */
static bool merge_several(int n, char **argv, octopus *o, int *status) {
    git_commit *head = head_commit();
    g_text names = {0}, saved = {0};
    git_oid tree;
    string_list conflicts = {0};
    if (!head) die("Can merge only exactly one commit into empty head");
    for (int i = 0; i < n; i++) {
        git_commit *theirs = commit_named(argv[i]);
        if (!theirs) die_status(1, "merge: %s - not something we can merge", argv[i]);
        o->names[o->count] = argv[i];
        o->ids[o->count++] = *git_commit_id(theirs);
        g_text_addf(&names, "%s%s", i ? " " : "", argv[i]);
    }
    octopus_reduce(git_commit_id(head), o);
    if (!o->count) o->names[0] = argv[0];
    if (o->count < 2) return false;
    if (squash) die("--squash of several branches is not there: merge them one by one");
    if (strategy && strcmp(strategy, "octopus") != 0) die("strategy '%s' of several branches is not there", strategy);
    if (strategy_options.count) die("-X with several branches is not there: merge them one by one");
    if (ff_only) die("Not possible to fast-forward, aborting.");
    several_ = true;
    merged_name = names.s;
    save_head(git_commit_id(head));
    char *message = messages.count || file ? merge_message(argv[0]) : octopus_message(o);
    enum merge_outcome outcome = octopus_merge(head, o, &tree, &conflicts);
    *status = outcome == MERGE_REFUSED ? 2 : 1;
    if (outcome == MERGE_REFUSED) return note("Merge with strategy octopus failed."), true;
    for (size_t i = 0; i < o->count; i++) g_text_addf(&saved, "%s\n", full_id(&o->ids[i]));
    if (outcome == MERGE_CONFLICTS || no_commit) {
        g_text text = {0};
        g_text_adds(&text, message);
        if (conflicts.count) add_conflicts(&text, &conflicts);
        write_git_file("MERGE_HEAD", saved.s);
        write_git_file("MERGE_MODE", no_ff ? "no-ff" : "");
        write_git_file("MERGE_MSG", text.s);
        *status = outcome == MERGE_CONFLICTS;
        if (*status) g_outs("Automatic merge failed; fix conflicts and then commit the result.\n");
        else if (!quiet) note("Automatic merge went well; stopped before committing as requested");
        return true;
    }
    const git_commit *parents[OCTOPUS_MAX + 1];
    size_t count = 0;
    if (no_ff || !octopus_holds(git_commit_id(head), o)) parents[count++] = head;
    for (size_t i = 0; i < o->count; i++) parents[count++] = commit_of(&o->ids[i]);
    *status = conclude_merge(head, count, parents, &tree, message);
    return true;
}

int cmd_merge(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    git_oid base, tree;
    string_list conflicts = {0};
    if (abort_) return give_up();
    if (quit) return forget_operation(), 0;
    if (continue_) {
        if (!git_file_exists("MERGE_HEAD")) die("There is no merge in progress (MERGE_HEAD missing).");
        char *again[] = {"commit", "--no-edit", "--cleanup=strip", NULL};
        return run_command("commit", has_editor() ? 1 : 3, again);
    }
    if (git_index_has_conflicts(index_of_repo())) {
        error("Merging is not possible because you have unmerged files.");
        hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.");
        die("Exiting because of an unresolved conflict.");
    }
    if (git_file_exists("MERGE_HEAD")) die("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.");
    if (squash && no_ff) die("options '--squash' and '--no-ff.' cannot be used together");
    if (n > OCTOPUS_MAX) die("more than %d branches at once are not there", OCTOPUS_MAX);
    if (n > 1) {
        octopus several = {.count = 0};
        int status;
        if (merge_several(n, argv, &several, &status)) return status;
        n = 1; /* all but one are in the others */
        argv[0] = (char *)(uintptr_t)several.names[0];
    }
    char *upstream = NULL;
    if (!n) {
        git_object *up = object_named("@{upstream}");
        if (!up) die("No remote for the current branch.");
        upstream = "@{upstream}";
    }
    const char *name = n ? argv[0] : upstream;
    merged_name = name;
    git_commit *theirs = commit_named(name), *head = head_commit();
    if (!theirs) die_status(1, "merge: %s - not something we can merge", name);
    if (!head) {
        checkout_forced(tree_of(theirs));
        update_ref(head_target(), git_commit_id(theirs), "initial pull");
        return 0;
    }
    bool related = git_merge_base(&base, repo, git_commit_id(head), git_commit_id(theirs)) == 0;
    if (!related && !unrelated) die("refusing to merge unrelated histories");
    save_head(git_commit_id(head));
    if (related && git_oid_equal(&base, git_commit_id(theirs))) {
        if (!quiet) g_outs("Already up to date.\n");
        return 0;
    }
    bool can = related && git_oid_equal(&base, git_commit_id(head));
    if (can && squash) squash_message(head, theirs);
    if (can && !no_ff) return fast_forward(head, theirs, name);
    if (ff_only) die("Not possible to fast-forward, aborting.");
    char *message = merge_message(name);
    merge_job job = {related ? base_tree(head, theirs) : NULL, tree_of(head), tree_of(theirs), "HEAD", name, "merge", favor_of_options(), false, false, base_name(head, theirs)};
    enum merge_outcome outcome;
    if (strategy && strcmp(strategy, "ours") == 0) {
        tree = *git_commit_tree_id(head);
        outcome = MERGE_CLEAN;
    } else {
        diff_defaults();
        if (diff_any(diff_tree_index(job.ours))) {
            g_text names = {0};
            diff_write(&names, diff_tree_index(job.ours), DIFF_NAME_ONLY);
            g_text listed = {0};
            for (char *p = names.s; p && *p; p = strchr(p, '\n') + 1) g_text_addf(&listed, "  %.*s", (int)strcspn(p, "\n"), p);
            error("Your local changes to the following files would be overwritten by merge:\n%s", listed.s);
            note("Merge with strategy ort failed.");
            return 2;
        }
        outcome = merge_trees(&job, &tree, &conflicts);
    }
    if (outcome == MERGE_REFUSED) {
        note("Merge with strategy ort failed.");
        return 2;
    }
    g_text saved = {0};
    g_text_addf(&saved, "%s\n", full_id(git_commit_id(theirs)));
    if (squash) squash_message(head, theirs);
    else if (outcome == MERGE_CONFLICTS || no_commit) write_git_file("MERGE_HEAD", saved.s), write_git_file("MERGE_MODE", no_ff ? "no-ff" : "");
    if (outcome == MERGE_CONFLICTS) {
        g_text text = {0};
        if (!squash) g_text_adds(&text, message);
        add_conflicts(&text, &conflicts);
        write_git_file("MERGE_MSG", text.s);
        if (squash) g_outs("Squash commit -- not updating HEAD\n");
        g_outs("Automatic merge failed; fix conflicts and then commit the result.\n");
        return 1;
    }
    if (squash || no_commit) {
        if (!squash) write_git_file("MERGE_MSG", message);
        if (squash) g_outs("Squash commit -- not updating HEAD\n");
        if (!quiet) note("Automatic merge went well; stopped before committing as requested");
        return 0;
    }
    if (!no_verify && run_hook("pre-merge-commit", NULL, NULL) != 0) {
        write_git_file("MERGE_HEAD", saved.s);
        write_git_file("MERGE_MODE", no_ff ? "no-ff" : "");
        write_git_file("MERGE_MSG", message);
        note("Not committing merge; use 'git commit' to complete the merge.");
        return 1;
    }
    return conclude_merge(head, 2, (const git_commit *[]){head, theirs}, &tree, message);
}
