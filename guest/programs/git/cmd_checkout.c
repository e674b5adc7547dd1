/*
 * cmd_checkout.c: git checkout, switch and restore: branches, commits and files.
 */
#include "checkout.h"
#include "merge.h"
#include "status.h"
#include "worktree.h"

static int quiet, force, detach, merge_, guess = 1, ours, theirs, staged, in_worktree = -1, patch, progress, ignore_skip, ignore_others;
static int overlay, ignore_unmerged, discard;
static bool silent; /* after --: no word on how many paths there were */
static const char *create, *create_forced, *orphan, *source, *track, *conflict;

#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
#define COMMON \
    FLAG('q', "quiet", quiet, "suppress progress reporting"), FLAG(0, "progress", progress, "force progress reporting"), \
    FLAG('m', "merge", merge_, "perform a 3-way merge with the new branch"), \
    STRING(0, "conflict", conflict, "style", "conflict style (merge, diff3, or zdiff3)")
#define BRANCHES \
    FLAG('d', "detach", detach, "detach HEAD at named commit"), \
    {OPT_MAYBE, 't', "track", &track, "(direct|inherit)", "set branch tracking configuration", 0, "direct", NULL, 0}, \
    FLAG('f', "force", force, "force checkout (throw away local modifications)"), \
    STRING(0, "orphan", orphan, "new-branch", "new unparented branch"), \
    FLAG(0, "overwrite-ignore", ignore_skip, "update ignored files (default)"), \
    FLAG(0, "ignore-other-worktrees", ignore_others, "do not check if another worktree is holding the given ref"), \
    FLAG(0, "guess", guess, NULL)
#define FILES \
    {OPT_FLAG, '2', "ours", &ours, NULL, "checkout our version for unmerged files", 0, NULL, NULL, 0}, \
    {OPT_FLAG, '3', "theirs", &theirs, NULL, "checkout their version for unmerged files", 0, NULL, NULL, 0}, \
    FLAG('p', "patch", patch, "select hunks interactively"), FLAG(0, "overlay", overlay, NULL)
#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static const option checkout_table[] = {
    STRING('b', NULL, create, "branch", "create and checkout a new branch"),
    STRING('B', NULL, create_forced, "branch", "create/reset and checkout a branch"),
    COMMON, BRANCHES, FILES, END};
static const option switch_table[] = {
    STRING('c', "create", create, "branch", "create and switch to a new branch"),
    STRING('C', "force-create", create_forced, "branch", "create/reset and switch to a branch"),
    FLAG(0, "discard-changes", discard, "throw away local modifications"),
    COMMON, BRANCHES, END};
static const option restore_table[] = {
    STRING('s', "source", source, "<tree-ish>", "which tree-ish to checkout from"),
    FLAG('S', "staged", staged, "restore the index"),
    FLAG('W', "worktree", in_worktree, "restore the working tree (default)"),
    FLAG(0, "ignore-unmerged", ignore_unmerged, "ignore unmerged entries"),
    COMMON, FILES, END};

/* ---- branches */

static char *from_name(void) {
    char *branch = current_branch();
    git_oid id;
    if (branch) return branch;
    return git_reference_name_to_id(&id, repo, "HEAD") == 0 ? g_copy_string(full_id(&id)) : g_copy_string("HEAD");
}

static void log_move(const char *to, const git_oid *from, const git_oid *id, const char *was) {
    char log[2100];
    snprintf(log, sizeof log, "checkout: moving from %s to %s", was, to);
    add_reflog("HEAD", from, id, log);
}

static void set_head(const char *ref) {
    g_text text = {0};
    g_text_addf(&text, "ref: %s\n", ref);
    write_git_file("HEAD", text.s);
    g_text_free(&text);
}

static void say_tracking(const char *branch) {
    g_text text = {0};
    add_tracking(&text, branch, true);
    if (text.len) g_out(text.s, text.len - 1);
    g_text_free(&text);
}

void detached_advice(const char *name, git_commit *commit) {
    note("Note: switching to '%s'.\n\n"
         "You are in 'detached HEAD' state. You can look around, make experimental\n"
         "changes and commit them, and you can discard any commits you make in this\n"
         "state without impacting any branches by switching back to a branch.\n\n"
         "If you want to create a new branch to retain commits you create, you may\n"
         "do so (now or later) by using -c with the switch command. Example:\n\n"
         "  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\n"
         "Turn off this advice by setting config variable advice.detachedHead to false\n", name);
    (void)commit;
}

static bool reachable_from_refs(const git_oid *id) {
    git_reference_iterator *at;
    git_reference *ref;
    bool found = false;
    check(git_reference_iterator_new(&at, repo));
    while (!found && git_reference_next(&ref, at) == 0) {
        git_object *object, *commit;
        if (git_revparse_single(&object, repo, git_reference_name(ref)) < 0) continue;
        if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) continue;
        found = git_oid_equal(git_object_id(commit), id) || git_graph_descendant_of(repo, git_object_id(commit), id) == 1;
    }
    git_reference_iterator_free(at);
    return found;
}

/* What leaving a detached HEAD leaves behind. */
static void leave(git_commit *old, const git_oid *to) {
    if (git_oid_equal(git_commit_id(old), to)) return;
    bool lost = !reachable_from_refs(git_commit_id(old)) && git_graph_descendant_of(repo, to, git_commit_id(old)) != 1;
    if (!lost) {
        head_position("Previous HEAD position was", old);
        return;
    }
    git_revwalk *walk;
    git_oid id;
    size_t count = 0;
    g_text list = {0};
    check(git_revwalk_new(&walk, repo));
    git_revwalk_push(walk, git_commit_id(old));
    git_revwalk_hide_glob(walk, "refs/*");
    git_revwalk_hide(walk, to);
    while (git_revwalk_next(&id, walk) == 0)
        if (++count <= 4) g_text_addf(&list, "  %s %s\n", short_id(&id), subject_of(git_commit_message(commit_of(&id))));
    if (count > 4) g_text_addf(&list, " ... and %zu more.\n", count - 4);
    note("Warning: you are leaving %zu commit%s behind, not connected to\nany of your branches:\n\n%s", count, count == 1 ? "" : "s", list.s);
    note("If you want to keep %s by creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> %s\n",
         count == 1 ? "it" : "them", short_id(git_commit_id(old)));
}

static void refuse_in_operation(bool switching) {
    if (!switching) return;
    if (git_file_exists("MERGE_HEAD")) die("cannot switch branch while merging\nConsider \"git merge --quit\" or \"git worktree add\".");
    if (git_file_exists("CHERRY_PICK_HEAD")) die("cannot switch branch while cherry-picking\nConsider \"git cherry-pick --quit\" or \"git worktree add\".");
    if (git_file_exists("REVERT_HEAD")) die("cannot switch branch while reverting\nConsider \"git revert --quit\" or \"git worktree add\".");
    if (git_file_exists("rebase-merge")) die("cannot switch branch while rebasing\nConsider \"git rebase --quit\" or \"git worktree add\".");
}

/* post-checkout: where HEAD was, where it is, and whether branches were changed (1) or files (0). */
static int after_checkout(const git_oid *from, bool branches) {
    git_oid now = {0};
    git_reference_name_to_id(&now, repo, "HEAD");
    char *before = g_copy_string(full_id(from)), *after = g_copy_string(full_id(&now));
    return run_hook("post-checkout", (char *[]){before, after, branches ? "1" : "0", NULL}, NULL);
}

static int move_head(const char *ref, git_commit *commit, const char *name, const char *made) {
    git_commit *old = head_commit();
    char *was = from_name();
    char *old_ref = head_target();
    git_oid none = {0};
    if (git_index_has_conflicts(index_of_repo()) && !force) {
        git_index_conflict_iterator *at;
        const git_index_entry *a, *b, *c;
        check(git_index_conflict_iterator_new(&at, index_of_repo()));
        while (git_index_conflict_next(&a, &b, &c, at) == 0) g_outf("%s: needs merge\n", a ? a->path : b ? b->path : c->path);
        error("you need to resolve your current index first");
        return 1;
    }
    if (force) checkout_forced(tree_of(commit));
    else if (!checkout_safely(tree_of(commit), "checkout")) return 1;
    if (!quiet && !force && old) list_local_changes(tree_of(commit));
    if (ref) set_head(ref);
    else {
        g_text text = {0};
        g_text_addf(&text, "%s\n", full_id(git_commit_id(commit)));
        write_git_file("HEAD", text.s);
    }
    if (!quiet && old && !old_ref) leave(old, git_commit_id(commit));
    log_move(ref ? ref + 11 : strcmp(name, "HEAD") == 0 ? full_id(git_commit_id(commit)) : name, old ? git_commit_id(old) : &none, git_commit_id(commit), was);
    if (quiet) return 0;
    if (!ref) {
        if (old_ref && !detach && config_bool("advice.detachedhead", true)) detached_advice(name, commit);
        head_position("HEAD is now at", commit);
    } else if (made) {
        note(made, ref + 11);
    } else if (old_ref && strcmp(old_ref, ref) == 0) {
        note("Already on '%s'", ref + 11);
    } else {
        note("Switched to branch '%s'", ref + 11);
    }
    if (ref && !made) say_tracking(ref + 11);
    return 0;
}

static int go_to(const char *ref, git_commit *commit, const char *name, const char *made) {
    git_oid from = {0};
    git_reference_name_to_id(&from, repo, "HEAD");
    int status = move_head(ref, commit, name, made);
    return status ? status : after_checkout(&from, true);
}

static void set_tracking(const char *branch, const char *start) {
    git_reference *ref, *up;
    char full[1000];
    if (track == NULL && !config_bool("branch.autosetupmerge", true)) return;
    if (git_branch_lookup(&up, repo, start, GIT_BRANCH_REMOTE) < 0 && (!track || git_branch_lookup(&up, repo, start, GIT_BRANCH_LOCAL) < 0)) return;
    snprintf(full, sizeof full, "refs/heads/%s", branch);
    check(git_reference_lookup(&ref, repo, full));
    check(git_branch_set_upstream(ref, start));
    if (!quiet) g_outf("branch '%s' set up to track '%s'.\n", branch, start);
}

static int switch_to_new(const char *name, const char *start, bool forced) {
    char full[1000], log[1000];
    git_oid id;
    snprintf(full, sizeof full, "refs/heads/%s", name);
    if (!valid_branch_name(name)) die("'%s' is not a valid branch name", name);
    bool exists = git_reference_name_to_id(&id, repo, full) == 0;
    if (exists && !forced) die("a branch named '%s' already exists", name);
    git_commit *commit = commit_named(start);
    if (!commit) {
        if (strcmp(start, "HEAD") == 0) { /* unborn: another name for it */
            set_head(full);
            if (!quiet) note("Switched to a new branch '%s'", name);
            return 0;
        }
        if (object_named(start)) die("Cannot switch branch to a non-commit '%s'", start);
        if (strcmp(command, "switch") == 0) die("invalid reference: %s", start);
        die("'%s' is not a commit and a branch '%s' cannot be created from it", start, name);
    }
    char *head = head_target();
    bool same = exists && head && strcmp(head, full) == 0;
    if (force) checkout_forced(tree_of(commit));
    else if (!checkout_safely(tree_of(commit), "checkout")) return 1;
    snprintf(log, sizeof log, exists ? "branch: Reset to %s" : "branch: Created from %s", start);
    update_ref(full, git_commit_id(commit), log);
    set_tracking(name, start);
    return go_to(full, commit, name, same ? "Reset branch '%s'" : exists ? "Switched to and reset branch '%s'" : "Switched to a new branch '%s'");
}

static int start_orphan(const char *name, const char *start) {
    char full[1000];
    git_oid id;
    snprintf(full, sizeof full, "refs/heads/%s", name);
    if (git_reference_name_to_id(&id, repo, full) == 0) die("a branch named '%s' already exists", name);
    if (strcmp(command, "switch") == 0) {
        git_oid empty;
        git_treebuilder *builder;
        git_tree *tree;
        check(git_treebuilder_new(&builder, repo, NULL));
        check(git_treebuilder_write(&empty, builder));
        check(git_tree_lookup(&tree, repo, &empty));
        if (!checkout_safely(tree, "checkout")) return 1;
    } else if (start) {
        git_tree *tree = tree_named(start);
        if (!tree) die("'%s' is not a commit and a branch '%s' cannot be created from it", start, name);
        if (!checkout_safely(tree, "checkout")) return 1;
    }
    set_head(full);
    if (!quiet) note("Switched to a new branch '%s'", name);
    return 0;
}

/* A branch of one remote only, by its bare name. */
static char *guessed(const char *name) {
    git_strarray remotes;
    char *found = NULL;
    if (!guess || git_remote_list(&remotes, repo) < 0) return NULL;
    for (size_t i = 0; i < remotes.count; i++) {
        char full[1000];
        git_oid id;
        snprintf(full, sizeof full, "refs/remotes/%s/%s", remotes.strings[i], name);
        if (git_reference_name_to_id(&id, repo, full) < 0) continue;
        if (found) return NULL;
        found = g_copy_string(full + 13);
    }
    return found;
}

static int switch_to_branch(const char *name) {
    char full[1000];
    git_oid id;
    char *previous = NULL;
    bool is_switch = strcmp(command, "switch") == 0;
    if (strcmp(name, "-") == 0 || strncmp(name, "@{-", 3) == 0) {
        git_reference *ref;
        git_object *object = NULL;
        const char *spec = strcmp(name, "-") == 0 ? "@{-1}" : name;
        if (git_revparse_ext(&object, &ref, repo, spec) < 0) die("invalid reference: %s", spec);
        if (ref) previous = g_copy_string(git_reference_name(ref) + 11);
        else previous = g_copy_string(full_id(git_object_id(object)));
        name = previous;
    }
    snprintf(full, sizeof full, "refs/heads/%s", name);
    refuse_in_operation(true);
    if (!detach && git_reference_name_to_id(&id, repo, full) == 0) {
        const worktree *other = ignore_others ? NULL : worktree_of_branch(full);
        if (other) die("'%s' is already checked out at '%s'", name, other->path);
        return go_to(full, commit_of(&id), name, NULL);
    }
    git_commit *commit = commit_named(name);
    if (!commit) {
        char *remote = guessed(name);
        if (remote) {
            track = "direct";
            return switch_to_new(g_copy_string(name), remote, false);
        }
        if (is_switch) die("invalid reference: %s", name);
        return -1;
    }
    if (is_switch && !detach && !previous) {
        git_reference *ref;
        const char *kind = "commit";
        if (git_reference_dwim(&ref, repo, name) == 0)
            kind = git_reference_is_tag(ref) ? "tag" : git_reference_is_remote(ref) ? "remote branch" : "commit";
        die("a branch is expected, got %s '%s'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.", kind, name);
    }
    return go_to(NULL, commit, name, NULL);
}

/* ---- files */

static int restore_from_tree(git_tree *tree, pathspec *paths, bool to_index, bool to_files) {
    git_index *from, *index = index_of_repo();
    int count = 0, failed = 0;
    check(git_index_new(&from));
    check(git_index_read_tree(from, tree));
    for (size_t i = 0; i < git_index_entrycount(from); i++) pathspec_match(paths, git_index_get_byindex(from, i)->path);
    for (size_t i = 0; i < git_index_entrycount(index); i++) pathspec_match(paths, git_index_get_byindex(index, i)->path);
    if (pathspec_unmatched(paths)) return 1;
    bool removing = strcmp(command, "restore") == 0;
    string_list gone = {0};
    for (size_t i = 0; removing && i < git_index_entrycount(index); i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        if (pathspec_match(paths, path) && !git_index_get_bypath(from, path, 0)) list_add(&gone, path);
    }
    for (int i = 0; i < gone.count; i++) {
        if (to_index) git_index_remove_bypath(index, gone.items[i]);
        if (to_files) remove_file(gone.items[i]);
    }
    for (size_t i = 0; i < git_index_entrycount(from); i++) {
        git_index_entry e = *git_index_get_byindex(from, i);
        if (!pathspec_match(paths, e.path)) continue;
        const git_index_entry *have = git_index_get_bypath(index, e.path, 0);
        bool same = have && git_oid_equal(&have->id, &e.id) && have->mode == e.mode;
        if (to_files && same && !file_changed(have) && file_exists(in_workdir(e.path))) continue;
        count++;
        if (to_index) {
            git_index_conflict_remove(index, e.path);
            if (!same) check(git_index_add(index, &e));
        }
        if (to_files && !checkout_entry(&e)) failed = 1;
        if (to_files && to_index && !failed) git_index_add_bypath(index, e.path);
    }
    check(git_index_write(index));
    if (!removing && !quiet && !silent) note("Updated %d path%s from %s", count, count == 1 ? "" : "s", short_id(git_tree_id(tree)));
    return failed;
}

static bool write_conflict_side(const char *path, int stage) {
    const git_index_entry *e = git_index_get_bypath(index_of_repo(), path, stage);
    if (!e) {
        error("path '%s' does not have %s version", path, stage == 2 ? "our" : "their");
        return false;
    }
    return checkout_entry(e);
}

/* The merge again, with its markers. */
static bool write_conflict(const char *path) {
    const git_index_entry *a, *o, *t;
    git_merge_file_options opts = GIT_MERGE_FILE_OPTIONS_INIT;
    git_merge_file_result result = {0};
    if (git_index_conflict_get(&a, &o, &t, index_of_repo(), path) < 0 || !o || !t) return false;
    opts.our_label = "ours", opts.their_label = "theirs";
    opts.ancestor_label = "base";
    opts.flags |= merge_style(conflict);
    check(git_merge_file_from_index(&result, repo, a, o, t, &opts));
    write_file(in_workdir(path), result.ptr, result.len);
    return true;
}

static int restore_from_index(pathspec *paths) {
    git_index *index = index_of_repo();
    int count = 0, failed = 0, again = 0;
    string_list unmerged = {0};
    for (size_t i = 0; i < git_index_entrycount(index); i++) pathspec_match(paths, git_index_get_byindex(index, i)->path);
    if (pathspec_unmatched(paths)) return 1;
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!GIT_INDEX_ENTRY_STAGE(e) || !pathspec_match(paths, e->path)) continue;
        if (!unmerged.count || strcmp(unmerged.items[unmerged.count - 1], e->path) != 0) list_add(&unmerged, e->path);
    }
    for (int i = 0; i < unmerged.count; i++) {
        const char *path = unmerged.items[i];
        if (ours || theirs) failed |= !write_conflict_side(path, ours ? 2 : 3);
        else if (merge_ || conflict) failed |= !write_conflict(path), again++;
        else if (force || ignore_unmerged) warning("path '%s' is unmerged", path);
        else failed |= error("path '%s' is unmerged", path) != 0;
        count++;
    }
    if (failed) return 1;
    git_diff *diff;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
    check(git_diff_index_to_workdir(&diff, repo, index, &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const char *path = git_diff_get_delta(diff, i)->old_file.path;
        const git_index_entry *e = git_index_get_bypath(index, path, 0);
        if (!e || !pathspec_match(paths, path)) continue;
        count++;
        if (!checkout_entry(e)) failed = 1;
        else git_index_add_bypath(index, g_copy_string(path));
    }
    check(git_index_write(index));
    if (strcmp(command, "checkout") != 0 || quiet || silent) return failed;
    if (again) note("Recreated %d merge conflict%s", again, again == 1 ? "" : "s");
    if (count > again || !again) note("Updated %d path%s from the index", count - again, count - again == 1 ? "" : "s");
    return failed;
}

/* ---- commands */

static int checkout_paths(const char *tree_name, int count, char **argv) {
    pathspec paths;
    pathspec_parse(&paths, count, argv);
    int status = tree_name ? restore_from_tree(tree_named(tree_name), &paths, true, true) : restore_from_index(&paths);
    git_oid head = {0};
    git_reference_name_to_id(&head, repo, "HEAD");
    return status ? status : after_checkout(&head, false);
}

int cmd_checkout(int argc, char **argv) {
    static const char usage[] = "git checkout [<options>] <branch>\ngit checkout [<options>] [<branch>] -- <file>...";
    int n = options(argc, argv, checkout_table, usage, KEEP_DASHDASH), dashes = -1;
    if (patch) die("--patch needs a terminal, and there is none: use 'git apply'");
    for (int i = 0; i < n && dashes < 0; i++)
        if (strcmp(argv[i], "--") == 0) dashes = i;
    int before = dashes >= 0 ? dashes : n;
    if (create || create_forced || orphan) {
        const char *start = before ? argv[0] : NULL;
        if (before > 1) die("'%s' is not a commit and a branch '%s' cannot be created from it", argv[0], create ? create : create_forced);
        if (orphan) return start_orphan(orphan, start);
        return switch_to_new(create ? create : create_forced, start ? start : "HEAD", create_forced != NULL);
    }
    if (track && before) {
        const char *slash = strchr(argv[0], '/');
        if (!slash) die("missing branch name; try -b");
        return switch_to_new(slash + 1, argv[0], false);
    }
    if (dashes >= 0) {
        if (dashes && !tree_named(argv[0])) die("invalid reference: %s", argv[0]);
        if (dashes + 1 == n && dashes) return switch_to_branch(argv[0]);
        silent = true;
        return checkout_paths(dashes ? argv[0] : NULL, n - dashes - 1, argv + dashes + 1);
    }
    if (!n) {
        git_commit *head = head_commit();
        if (detach) return head ? go_to(NULL, head, "HEAD", NULL) : 128;
        if (!head) return 0;
        if (force) checkout_forced(tree_of(head));
        else if (!quiet) list_local_changes(tree_of(head));
        char *branch = current_branch();
        if (branch && !quiet) say_tracking(branch);
        return 0;
    }
    bool is_rev = tree_named(argv[0]) != NULL || strcmp(argv[0], "-") == 0;
    if (n == 1 && (is_rev || !file_exists(argv[0])) && !ours && !theirs) {
        int status = switch_to_branch(argv[0]);
        if (status >= 0) return status;
    }
    if (is_rev && n > 1) return checkout_paths(argv[0], n - 1, argv + 1);
    return checkout_paths(NULL, n, argv);
}

int cmd_switch(int argc, char **argv) {
    static const char usage[] = "git switch [<options>] [<branch>]";
    int n = options(argc, argv, switch_table, usage, 0);
    force |= discard;
    if (orphan) return start_orphan(orphan, n ? argv[0] : NULL);
    if (create || create_forced) {
        if (n > 1) die("only one reference expected, %d given.", n);
        return switch_to_new(create ? create : create_forced, n ? argv[0] : "HEAD", create_forced != NULL);
    }
    if (track && n == 1 && strchr(argv[0], '/')) return switch_to_new(strchr(argv[0], '/') + 1, argv[0], false);
    if (!n && detach) return go_to(NULL, head_commit(), "HEAD", NULL);
    if (!n) die("missing branch or commit argument");
    if (n > 1) die("only one reference expected, %d given.", n);
    return switch_to_branch(argv[0]);
}

int cmd_restore(int argc, char **argv) {
    static const char usage[] = "git restore [<options>] [--source=<branch>] <file>...";
    int n = options(argc, argv, restore_table, usage, 0);
    pathspec paths;
    if (patch) die("--patch needs a terminal, and there is none: use 'git apply'");
    if (!n) die("you must specify path(s) to restore");
    if (in_worktree < 0) in_worktree = !staged;
    pathspec_parse(&paths, n, argv);
    if (!staged && !source) return restore_from_index(&paths);
    git_tree *tree = source ? tree_named(source) : head_tree();
    if (!tree) {
        if (source) die("could not resolve %s", source);
        git_oid empty;
        git_treebuilder *builder;
        check(git_treebuilder_new(&builder, repo, NULL));
        check(git_treebuilder_write(&empty, builder));
        check(git_tree_lookup(&tree, repo, &empty));
    }
    return restore_from_tree(tree, &paths, staged, in_worktree);
}
