/*
 * cmd_rebase.c: git rebase: which commits, onto what. The work is done by rebase_todo.c.
 */
#include "rebase.h"
#include "checkout.h"
#include "commit.h"
#include "revs.h"

#include "g_spawn.h"

static const char *onto_name, *strategy, *keep;
static string_list execs, strategy_options;
static int root, continue_, skip, abort_, quit, edit_todo, show_patch, interactive, quiet, verbose, autosquash = -1, autostash = -1, force, no_ff, keep_empty, reapply, stat, no_stat, keep_base, update_refs, signoff, apply_, merge_, no_verify, fork_point;
static const char *empty;

static const option table[] = {
    {OPT_STRING, 0, "onto", &onto_name, "revision", "rebase onto given branch instead of upstream", 0, NULL, NULL, 0},
    FLAG(0, "keep-base", keep_base, "use the merge-base of upstream and branch as the current base"),
    FLAG(0, "no-verify", no_verify, "allow pre-rebase hook to run"), FLAG('q', "quiet", quiet, "be quiet. implies --no-stat"),
    FLAG('v', "verbose", verbose, "display a diffstat of what changed upstream"), FLAG('n', "no-stat", no_stat, "do not show diffstat of what changed upstream"),
    FLAG(0, "stat", stat, NULL), FLAG(0, "signoff", signoff, "add a Signed-off-by trailer to each commit"),
    FLAG('f', "force-rebase", force, "cherry-pick all commits, even if unchanged"), FLAG(0, "no-ff", no_ff, "cherry-pick all commits, even if unchanged"),
    FLAG(0, "continue", continue_, "continue"), FLAG(0, "skip", skip, "skip current patch and continue"),
    FLAG(0, "abort", abort_, "abort and check out the original branch"), FLAG(0, "quit", quit, "abort but keep HEAD where it is"),
    FLAG(0, "edit-todo", edit_todo, "edit the todo list during an interactive rebase"), FLAG(0, "show-current-patch", show_patch, "show the patch file being applied or merged"),
    FLAG(0, "apply", apply_, "use apply strategies to rebase"), FLAG('m', "merge", merge_, "use merging strategies to rebase"),
    FLAG('i', "interactive", interactive, "let the user edit the list of commits to rebase"),
    {OPT_MAYBE, 'r', "rebase-merges", &keep, "mode", "try to rebase merges instead of skipping them", 0, "", NULL, 0},
    {OPT_STRING, 0, "empty", &empty, "(drop|keep|ask)", "how to handle commits that become empty", 0, NULL, NULL, 0},
    FLAG('k', "keep-empty", keep_empty, NULL), FLAG(0, "autosquash", autosquash, "move commits that begin with squash!/fixup! under -i"),
    FLAG(0, "update-refs", update_refs, "update branches that point to commits that are being rebased"),
    {OPT_LIST, 'x', "exec", &execs, "exec", "add exec lines after each commit of the editable list", 0, NULL, NULL, 0},
    FLAG(0, "autostash", autostash, "automatically stash/stash pop before and after"),
    FLAG(0, "fork-point", fork_point, "use 'merge-base --fork-point' to refine upstream"),
    {OPT_STRING, 's', "strategy", &strategy, "strategy", "use the given merge strategy", 0, NULL, NULL, 0},
    {OPT_LIST, 'X', "strategy-option", &strategy_options, "option", "pass the argument through to the merge strategy", 0, NULL, NULL, 0},
    FLAG(0, "root", root, "rebase all reachable commits up to the root(s)"),
    FLAG(0, "reapply-cherry-picks", reapply, "apply all changes, even those already present upstream"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git rebase [-i] [options] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> [<branch>]]\n"
                            "git rebase [-i] [options] [--exec <cmd>] [--onto <newbase>] --root [<branch>]\n"
                            "git rebase --continue | --abort | --skip | --edit-todo";

/* ---- the list in an editor */

enum edited { EDITED, EDITED_AWAY, EDITED_BADLY };

static void advise_edit(void) {
    note("You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\n"
         "Or you can abort the rebase with 'git rebase --abort'.");
}

/* Has the user's editor change the list; NULL: it failed. */
static char *todo_edit(void) {
    const char *editor = getenv("GIT_SEQUENCE_EDITOR");
    char *path = git_file("rebase-merge/git-rebase-todo");
    size_t len;
    if (!editor) editor = config_string("sequence.editor");
    if (!editor) return edit_file(path);
    g_text line = {0};
    g_text_addf(&line, "%s \"$@\"", editor);
    char *argv[] = {"sh", "-c", line.s, (char *)editor, path, NULL};
    pid_t pid = strcmp(editor, ":") == 0 ? 0 : g_spawn(argv, NULL, G_STDIN_SAME);
    if (pid && (pid < 0 || g_exit_status(wait_child(pid)) != 0)) {
        error("There was a problem with the editor '%s'.", editor);
        return NULL;
    }
    return read_file(path, &len);
}

/* Whether each line of the list is a command; says which are not. */
static bool todo_is_good(void) {
    todo_list list = {0};
    char *text = read_git_file("rebase-merge/git-rebase-todo");
    return text && todo_parse(&list, text);
}

static int change_todo(void) {
    todo_is_good();
    if (!todo_edit()) return 1;
    if (todo_is_good()) return 0;
    advise_edit();
    return 1;
}

/* ---- going on and giving up */

static int give_up(rebase_state *state, bool back) {
    if (back) {
        git_commit *commit = commit_of(&state->orig_head);
        g_text log = {0};
        git_reference *ref;
        checkout_forced(tree_of(commit));
        if (strncmp(state->head_name, "refs/", 5) == 0) {
            git_oid head = *git_commit_id(head_commit());
            (void)ref;
            g_text head_text = {0};
            g_text_addf(&head_text, "ref: %s\n", state->head_name);
            write_git_file("HEAD", head_text.s);
            g_text_addf(&log, "rebase (abort): returning to %s", state->head_name);
            add_reflog("HEAD", &head, &state->orig_head, log.s);
        } else {
            g_text_addf(&log, "rebase (abort): returning to %s", full_id(&state->orig_head));
            set_head_detached(&state->orig_head, log.s);
        }
    }
    bool stashed = git_file_exists("rebase-merge/autostash");
    forget_operation();
    rebase_forget();
    if (stashed && back) {
        run_command("stash", 3, (char *[]){"stash", "pop", "-q", NULL});
        note("Applied autostash.");
    }
    return 0;
}

static int go_on(void) {
    rebase_state state;
    if (!rebase_load(&state)) die("No rebase in progress?");
    if (quit) return give_up(&state, false);
    if (abort_) return give_up(&state, true);
    if (show_patch) return run_command("show", 3, (char *[]){"show", "REBASE_HEAD", "--", NULL});
    if (edit_todo) return change_todo();
    if (!todo_is_good()) return error("please fix this using 'git rebase --edit-todo'."), 1;
    if (skip) {
        checkout_forced(tree_of(head_commit()));
        forget_operation();
        remove_git_file("rebase-merge/stopped-sha");
        remove_git_file("rebase-merge/amend");
    } else {
        int status = rebase_take_up(&state);
        if (status) return status;
    }
    return rebase_run(&state);
}

/* ---- what is to be done */

static bool patch_id(git_commit *commit, git_oid *id) {
    git_commit *parent = NULL;
    git_diff *diff;
    if (git_commit_parentcount(commit) > 1) return false;
    if (git_commit_parentcount(commit)) check(git_commit_parent(&parent, commit, 0));
    diff_defaults();
    diff = diff_trees(parent ? tree_of(parent) : NULL, tree_of(commit));
    bool any = git_diff_num_deltas(diff) > 0 && git_diff_patchid(id, diff, NULL) == 0;
    git_diff_free(diff);
    return any;
}

static rev_list walk(const git_oid *from, const git_oid *without) {
    revs_defaults();
    revs.order = ORDER_GRAPH;
    revs_add_id(from, false);
    if (without) revs_add_id(without, true);
    revs_start();
    rev_list list = revs_all();
    return list;
}

static void collect(todo_list *todo, const git_oid *head, const git_oid *upstream) {
    git_revwalk *walk;
    git_oid id, *known = NULL;
    size_t count = 0, cap = 0;
    bool advised = false;
    for (int side = 0; side < 2; side++) {
        check(git_revwalk_new(&walk, repo));
        git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
        if (!side && (!upstream || reapply)) continue;
        check(git_revwalk_push(walk, side ? head : upstream));
        if (upstream) check(git_revwalk_hide(walk, side ? upstream : head));
        while (git_revwalk_next(&id, walk) == 0) {
            git_commit *commit = commit_of(&id);
            git_oid patch;
            if (git_commit_parentcount(commit) > 1) continue;
            bool has = count || !side ? patch_id(commit, &patch) : false, dropped = false;
            if (!side) {
                if (count == cap) known = g_more(known, &cap, sizeof *known);
                if (has) known[count++] = patch;
                continue;
            }
            for (size_t i = 0; has && i < count && !dropped; i++) dropped = git_oid_equal(&known[i], &patch);
            if (dropped) {
                warning("skipped previously applied commit %s", short_id(&id));
                advised = true;
                continue;
            }
            todo_add(todo, TODO_PICK, &id, subject_of(git_commit_message(commit)));
        }
        git_revwalk_free(walk);
    }
    if (advised) hint("use --reapply-cherry-picks to include skipped commits\nDisable this message with \"git config advice.skippedCherryPicks false\"");
}

/* fixup! and squash! commits behind the ones that they mean. */
static void squash(todo_list *todo) {
    todo_list out = {0};
    bool *used = g_zalloc((todo->count + 1) * sizeof *used);
    for (size_t i = 0; i < todo->count; i++) {
        const char *subject = todo->items[i].rest;
        bool follows = strncmp(subject, "fixup! ", 7) == 0 || strncmp(subject, "squash! ", 8) == 0;
        for (size_t k = 0; follows && k < i; k++)
            if (strncmp(todo->items[k].rest, strchr(subject, ' ') + 1, strlen(strchr(subject, ' ') + 1)) == 0) used[i] = true;
    }
    for (size_t i = 0; i < todo->count; i++) {
        if (used[i]) continue;
        todo_add(&out, TODO_PICK, &todo->items[i].id, todo->items[i].rest);
        for (size_t k = i + 1; k < todo->count; k++) {
            const char *subject = todo->items[k].rest;
            if (!used[k]) continue;
            while (strncmp(subject, "fixup! ", 7) == 0 || strncmp(subject, "squash! ", 8) == 0) subject = strchr(subject, ' ') + 1;
            if (strncmp(todo->items[i].rest, subject, strlen(subject)) != 0) continue;
            todo_add(&out, todo->items[k].rest[0] == 'f' ? TODO_FIXUP : TODO_SQUASH, &todo->items[k].id, todo->items[k].rest);
        }
    }
    *todo = out;
}

static void add_execs(todo_list *todo) {
    todo_list out = {0};
    for (size_t i = 0; i < todo->count; i++) {
        bool group = i + 1 < todo->count && (todo->items[i + 1].kind == TODO_FIXUP || todo->items[i + 1].kind == TODO_SQUASH);
        todo_add(&out, todo->items[i].kind, &todo->items[i].id, todo->items[i].rest);
        for (int k = 0; k < execs.count && !group; k++) todo_add(&out, TODO_EXEC, NULL, execs.items[k]);
    }
    *todo = out;
}

/* The list as the user's editor leaves it: nothing may be left to do, or something that is no command. */
static enum edited todo_edited(todo_list *todo) {
    g_text text = {0};
    g_text_adds(&text, todo_text(todo, 0, false));
    g_text_addf(&text, "\n# Rebase of %zu command%s\n#\n# Commands:\n# p, pick <commit> = use commit\n# r, reword <commit> = use commit, but edit the commit message\n"
                       "# e, edit <commit> = use commit, but stop for amending\n# s, squash <commit> = use commit, but meld into previous commit\n"
                       "# f, fixup <commit> = like \"squash\" but keep only the previous\n#                    commit's log message\n# x, exec <command> = run command (the rest of the line) using shell\n"
                       "# b, break = stop here (continue rebase later with 'git rebase --continue')\n# d, drop <commit> = remove commit\n#\n"
                       "# These lines can be re-ordered; they are executed from top to bottom.\n#\n# If you remove a line here THAT COMMIT WILL BE LOST.\n#\n"
                       "# However, if you remove everything, the rebase will be aborted.\n#\n", todo->count, todo->count == 1 ? "" : "s");
    write_git_file("rebase-merge/git-rebase-todo", text.s);
    char *result = todo_edit();
    if (!result) {
        rebase_forget();
        g_exit(1);
    }
    todo_list fresh = {0};
    if (!todo_parse(&fresh, result)) return EDITED_BADLY;
    *todo = fresh;
    return todo->count ? EDITED : EDITED_AWAY;
}

static void require_clean(void) {
    diff_defaults();
    bool unstaged = diff_any(diff_index_workdir()), staged = diff_any(diff_tree_index(head_tree()));
    if (!unstaged && !staged) return;
    if (autostash > 0) {
        run_command("stash", 5, (char *[]){"stash", "push", "-q", "-m", "autostash", NULL});
        g_outf("Created autostash: %s\n", short_id(git_commit_id(commit_named("refs/stash"))));
        return;
    }
    if (unstaged) error("cannot rebase: You have unstaged changes.");
    if (staged) error(unstaged ? "additionally, your index contains uncommitted changes." : "cannot rebase: Your index contains uncommitted changes.");
    error("Please commit or stash them.");
    g_exit(1);
}

static git_commit *upstream_of(int *n, char ***argv, char **name) {
    if (root) return NULL;
    if (*n) {
        *name = strcmp((*argv)[0], "-") == 0 ? "@{-1}" : (*argv)[0];
        git_commit *commit = commit_named(*name);
        if (!commit) die("invalid upstream '%s'", *name);
        (*n)--, (*argv)++;
        return commit;
    }
    git_object *up = object_named("@{upstream}");
    char *branch = current_branch();
    if (!up) {
        const char *shown = "<remote>";
        git_strarray names;
        if (!branch) {
            g_outs("You are not currently on a branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n");
            g_exit(1);
        }
        check(git_remote_list(&names, repo));
        if (names.count == 1) shown = names.strings[0];
        g_outf("There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n"
                      "If you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=%s/<branch> %s\n\n", shown, branch);
        g_exit(1);
    }
    *name = "@{upstream}";
    return commit_named("@{upstream}");
}

static git_commit *onto_of(git_commit *upstream, git_commit *head, const char *upstream_name) {
    git_oid base;
    if (keep_base) {
        if (git_merge_base(&base, repo, git_commit_id(upstream), git_commit_id(head)) < 0) die("'%s': need exactly one merge base with branch", upstream_name);
        return commit_of(&base);
    }
    if (!onto_name) return upstream;
    char *dots = strstr(onto_name, "...");
    if (dots) {
        char *a = g_copy_bytes(onto_name, (size_t)(dots - onto_name));
        git_commit *one = commit_named(*a ? a : "HEAD"), *two = commit_named(dots[3] ? dots + 3 : "HEAD");
        if (!one || !two || git_merge_base(&base, repo, git_commit_id(one), git_commit_id(two)) < 0) die("'%s': need exactly one merge base", onto_name);
        return commit_of(&base);
    }
    git_commit *onto = commit_named(onto_name);
    if (!onto) die("Does not point to a valid commit '%s'", onto_name);
    return onto;
}

static void take_strategy(void) {
    for (int i = 0; i < strategy_options.count; i++) {
        /* as git: ours is what is rebased onto */
        if (strcmp(strategy_options.items[i], "ours") == 0) rebase_strategy_favor = GIT_MERGE_FILE_FAVOR_OURS;
        if (strcmp(strategy_options.items[i], "theirs") == 0) rebase_strategy_favor = GIT_MERGE_FILE_FAVOR_THEIRS;
    }
}

int cmd_rebase(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    rebase_state state = {0}, running;
    char *upstream_name = NULL;
    git_reference *ref;
    git_oid base;
    if (continue_ + skip + abort_ + quit + edit_todo + show_patch) {
        if (n || continue_ + skip + abort_ + quit + edit_todo + show_patch > 1) usage_error(NULL);
        return go_on();
    }
    if (rebase_load(&running))
        die("It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\n"
            "If that is not the case, please\n\trm -fr \"%s\"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n", ".git/rebase-merge");
    if (git_file_exists("rebase-apply/applying")) die("It looks like 'git am' is in progress. Cannot rebase.");
    if (keep) die("--rebase-merges is not there: merges are left out, as without it");
    if (n > (root ? 1 : 2)) usage_error(NULL);
    if (autostash < 0) autostash = config_bool("rebase.autostash", false);
    if (autosquash < 0) autosquash = interactive && config_bool("rebase.autosquash", false);
    take_strategy();
    char **rest = argv;
    git_commit *upstream = upstream_of(&n, &rest, &upstream_name);
    if (n) {
        char full[1000];
        snprintf(full, sizeof full, "refs/heads/%s", rest[0]);
        git_commit *commit = git_reference_lookup(&ref, repo, full) == 0 ? commit_named(full) : commit_named(rest[0]);
        if (!commit) die("no such branch/commit '%s'", rest[0]);
        require_clean();
        if (!checkout_safely(tree_of(commit), "checkout")) return 1;
        if (git_reference_lookup(&ref, repo, full) == 0) check(git_reference_symbolic_create(&ref, repo, "HEAD", full, true, NULL));
        else set_head_detached(git_commit_id(commit), "rebase: checkout");
    }
    git_commit *head = head_commit();
    if (!head) die("your current branch appears to be broken");
    require_clean();
    git_commit *onto = root && !onto_name ? NULL : onto_of(upstream, head, upstream_name);
    if (!no_verify && run_hook("pre-rebase", (char *[]){upstream_name ? upstream_name : "--root", n ? rest[0] : NULL, NULL}, NULL) != 0)
        die("The pre-rebase hook refused to rebase.");
    char *branch = head_target();
    bool linear = onto && git_merge_base(&base, repo, git_commit_id(onto), git_commit_id(head)) == 0 && git_oid_equal(&base, git_commit_id(onto));
    git_oid up_base;
    if (linear && upstream && !(git_merge_base(&up_base, repo, git_commit_id(upstream), git_commit_id(head)) == 0 && git_oid_equal(&up_base, &base))) linear = false;
    rev_list between = linear ? walk(git_commit_id(head), git_commit_id(onto)) : (rev_list){0};
    for (size_t i = 0; i < between.count; i++) linear &= git_commit_parentcount(between.items[i]->commit) < 2;
    if (linear && !interactive && !execs.count && !force && !no_ff && autosquash <= 0 && !(root)) {
        const char *name = branch ? short_ref(branch) : "HEAD";
        if (!quiet) g_outf(branch ? "Current branch %s is up to date.\n" : "%s is up to date.\n", name);
        if (autostash > 0 && commit_named("refs/stash") && strcmp(subject_of(git_commit_message(commit_named("refs/stash"))), "") != 0 && strstr(git_commit_message(commit_named("refs/stash")), "autostash"))
            run_command("stash", 3, (char *[]){"stash", "pop", "-q", NULL}), note("Applied autostash.");
        return 0;
    }
    if (linear && !root && !interactive && !quiet && (force || no_ff))
        g_outf("Current branch %s is up to date, rebase forced.\n", branch ? short_ref(branch) : "HEAD");
    todo_list todo = {0};
    collect(&todo, git_commit_id(head), upstream ? git_commit_id(upstream) : NULL);
    if (autosquash > 0) squash(&todo);
    if (execs.count) add_execs(&todo);
    state = (rebase_state){branch ? branch : "detached HEAD", {{0}}, *git_commit_id(head), quiet};
    if (onto) state.onto = *git_commit_id(onto);
    else if (todo.count) state.onto = todo.items[0].id; /* the root stays as it is */
    rebase_save(&state);
    if (autostash > 0 && commit_named("refs/stash") && strstr(git_commit_message(commit_named("refs/stash")), "autostash")) write_git_file("rebase-merge/autostash", "1\n");
    enum edited how = interactive ? todo_edited(&todo) : EDITED;
    if (how == EDITED_AWAY) {
        error("nothing to do");
        rebase_forget();
        return 1;
    }
    if (!todo.count) todo_add(&todo, TODO_NOOP, NULL, "");
    if (how == EDITED) write_git_file("rebase-merge/git-rebase-todo", todo_text(&todo, 0, true));
    g_text saved = {0}, log = {0};
    g_text_addf(&saved, "%s\n", full_id(git_commit_id(head)));
    write_git_file("ORIG_HEAD", saved.s);
    g_text_addf(&log, "rebase (start): checkout %s", onto_name ? onto_name : upstream_name ? upstream_name : full_id(&state.onto));
    git_commit *start = commit_of(&state.onto);
    if (!checkout_safely(tree_of(start), "checkout")) {
        rebase_forget();
        error("could not detach HEAD");
        return 1;
    }
    set_head_detached(&state.onto, log.s);
    if (how == EDITED_BADLY) advise_edit();
    return how == EDITED_BADLY ? 1 : rebase_run(&state);
}
