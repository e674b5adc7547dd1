/*
 * cmd_pick.c: git cherry-pick and revert. What is left of a sequence that stopped stands in
 * .git/sequencer/todo, one commit a line.
 */
#include "merge.h"
#include "checkout.h"
#include "commit.h"
#include "revs.h"

#include <sys/stat.h>
#include <unistd.h>

static int no_commit, note_origin, edit, mainline, signoff, abort_, continue_, skip, quit, allow_empty, keep, ff, allow_message;
static const char *strategy;
static string_list strategy_options;
static bool reverting;

static const option table[] = {
    FLAG(0, "quit", quit, "end revert or cherry-pick sequence"), FLAG(0, "continue", continue_, "resume revert or cherry-pick sequence"),
    FLAG(0, "abort", abort_, "cancel revert or cherry-pick sequence"), FLAG(0, "skip", skip, "skip current commit and continue"),
    FLAG('n', "no-commit", no_commit, "don't automatically commit"), FLAG('e', "edit", edit, "edit the commit message"),
    FLAG('s', "signoff", signoff, "add a Signed-off-by trailer"),
    {OPT_NUMBER, 'm', "mainline", &mainline, "parent-number", "select mainline parent", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "strategy", &strategy, "strategy", "merge strategy", 0, NULL, NULL, 0},
    {OPT_LIST, 'X', "strategy-option", &strategy_options, "option", "option for merge strategy", 0, NULL, NULL, 0},
    FLAG('x', NULL, note_origin, "append commit name"), FLAG(0, "ff", ff, "allow fast-forward"),
    FLAG(0, "allow-empty", allow_empty, "preserve initially empty commits"), FLAG(0, "allow-empty-message", allow_message, "allow commits with empty messages"),
    FLAG(0, "keep-redundant-commits", keep, "keep redundant, empty commits"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static const char *verb(void) { return reverting ? "revert" : "cherry-pick"; }
static const char *state_file(void) { return reverting ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"; }

/* The message with what -s and -x add. */
static char *with_notes(char *message, const git_commit *origin) {
    g_text line = {0};
    if (origin) {
        g_text_addf(&line, "(cherry picked from commit %s)", full_id(git_commit_id(origin)));
        message = with_trailer(message, line.s);
        line.len = 0;
    }
    if (signoff) {
        git_signature *who = committer_now();
        g_text_addf(&line, "Signed-off-by: %s <%s>", who->name, who->email);
        message = with_trailer(message, line.s);
        git_signature_free(who);
    }
    g_text_free(&line);
    return message;
}

static char *message_for(git_commit *commit) {
    g_text text = {0};
    const char *message = git_commit_message(commit);
    if (!reverting) return with_notes(g_copy_string(message), note_origin ? commit : NULL);
    g_text_addf(&text, "Revert \"%s\"\n\nThis reverts commit %s", subject_of(message), full_id(git_commit_id(commit)));
    if (mainline) g_text_addf(&text, ", reversing\nchanges made to %s", full_id(git_commit_parent_id(commit, (unsigned)(mainline == 1 ? 0 : mainline - 1))));
    g_text_adds(&text, ".\n");
    return with_notes(text.s, NULL);
}

static void advise(void) {
    hint("After resolving the conflicts, mark them with\n\"git add/rm <pathspec>\", then run\n\"git %s --continue\".\n"
         "You can instead skip this commit with \"git %s --skip\".\nTo abort and get back to the state before \"git %s\",\n"
         "run \"git %s --abort\".", verb(), verb(), verb(), verb());
}

static void save_todo(const rev_list *list, size_t from, const git_oid *head) {
    g_text text = {0};
    char *dir = git_file("sequencer");
    if (list->count - from < 1 && !git_file_exists("sequencer/head")) return;
    mkdir(dir, 0777);
    g_text_adds(&text, "");
    for (size_t i = from; i < list->count; i++)
        g_text_addf(&text, "%s %s %s\n", reverting ? "revert" : "pick", short_id(&list->items[i]->id), subject_of(git_commit_message(list->items[i]->commit)));
    write_git_file("sequencer/todo", text.s);
    text.len = 0;
    g_text_addf(&text, "%s\n", full_id(head));
    if (!git_file_exists("sequencer/head")) write_git_file("sequencer/head", text.s);
}

static void forget_todo(void) {
    remove_git_file("sequencer/todo");
    remove_git_file("sequencer/head");
    rmdir(git_file("sequencer"));
}

/* 0 done, 1 stopped with conflicts; dies or returns 128 when nothing could begin. */
static int pick_commit(git_commit *commit) {
    git_commit *head = head_commit(), *parent = NULL;
    unsigned parents = git_commit_parentcount(commit);
    const char *id = short_id(git_commit_id(commit));
    char *subject = subject_of(git_commit_message(commit)), label[1000], parent_label[1100];
    string_list conflicts = {0};
    git_oid tree, made;
    if (parents > 1 && !mainline) {
        error("commit %s is a merge but no -m option was given.", full_id(git_commit_id(commit)));
        die("%s failed", verb());
    }
    if (mainline && (unsigned)mainline > parents) {
        error("commit %s does not have parent %d", full_id(git_commit_id(commit)), mainline);
        die("%s failed", verb());
    }
    if (parents) check(git_commit_parent(&parent, commit, mainline ? (unsigned)mainline - 1 : 0));
    snprintf(label, sizeof label, "%s (%s)", id, subject);
    snprintf(parent_label, sizeof parent_label, "parent of %s", label);
    git_tree *before = parent ? tree_of(parent) : NULL, *after = tree_of(commit), *ours = head ? tree_of(head) : NULL;
    merge_job job = {reverting ? after : before, ours, reverting ? before : after, "HEAD", reverting ? parent_label : label, "merge", 0, false, false,
                     reverting ? label : parent_label};
    for (int i = 0; i < strategy_options.count; i++)
        job.favor = strcmp(strategy_options.items[i], "ours") == 0 ? GIT_MERGE_FILE_FAVOR_OURS : strcmp(strategy_options.items[i], "theirs") == 0 ? GIT_MERGE_FILE_FAVOR_THEIRS : job.favor;
    char *message = message_for(commit);
    enum merge_outcome outcome = merge_trees(&job, &tree, &conflicts);
    if (outcome == MERGE_REFUSED) die("%s failed", verb());
    if (no_commit && outcome == MERGE_CLEAN) {
        write_git_file("MERGE_MSG", message);
        return 0;
    }
    g_text text = {0};
    g_text_addf(&text, "%s\n", full_id(git_commit_id(commit)));
    if (outcome == MERGE_CONFLICTS) {
        g_text saved = {0};
        if (!no_commit) write_git_file(state_file(), text.s);
        g_text_adds(&saved, message);
        add_conflicts(&saved, &conflicts);
        write_git_file("MERGE_MSG", saved.s);
        error("could not %s %s... %s", reverting ? "revert" : "apply", id, subject);
        advise();
        return 1;
    }
    if (git_oid_equal(&tree, git_commit_tree_id(head)) && !keep && !(allow_empty && git_oid_equal(git_commit_tree_id(commit), git_tree_id(before)))) {
        if (!reverting) write_git_file(state_file(), text.s);
        write_git_file("MERGE_MSG", message);
        if (git_file_exists("CHERRY_PICK_HEAD")) {
            note("The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n"
                 "Otherwise, please use 'git cherry-pick --skip'");
        }
        run_command("status", 1, (char *[]){"status", NULL});
        return 1;
    }
    git_signature *author = NULL, *committer = committer_now();
    if (reverting) author = author_now();
    else check(git_signature_dup(&author, git_commit_author(commit)));
    if (edit && has_editor()) {
        char *path = git_file("COMMIT_EDITMSG");
        write_file(path, message, strlen(message));
        message = clean_message(edit_file(path), true);
    }
    new_commit c = {author, committer, message, &tree, git_commit_id(head), 1, verb()};
    make_commit(&c, &made);
    forget_operation();
    report_commit(&made, true);
    return 0;
}

static int give_up(void) {
    char *saved = read_git_file("sequencer/head");
    git_oid id;
    git_commit *to = head_commit();
    if (!git_file_exists(state_file()) && !saved) {
        error("no cherry-pick or revert in progress");
        die("%s failed", verb());
    }
    if (saved && git_oid_fromstr(&id, saved) == 0) {
        to = commit_of(&id);
        char *branch = head_target();
        if (branch && !git_oid_equal(&id, git_commit_id(head_commit()))) update_ref(branch, &id, "reset: moving to the state before");
    }
    checkout_forced(tree_of(to));
    forget_operation();
    forget_todo();
    return 0;
}

/* The commits that were left when the sequence stopped. */
static int go_on(bool skipping) {
    char *todo = read_git_file("sequencer/todo");
    bool stopped = git_file_exists(state_file());
    if (!stopped && !todo) {
        error("no %s in progress", skipping ? verb() : "cherry-pick or revert");
        die("%s failed", verb());
    }
    if (skipping) {
        checkout_forced(tree_of(head_commit()));
        forget_operation();
    } else if (stopped) {
        if (git_index_has_conflicts(index_of_repo())) die_unmerged("Committing");
        char *again[] = {"commit", "--no-edit", "--cleanup=strip", NULL};
        int status = run_command("commit", 3, again);
        if (status) return status;
    }
    rev_list list = {0};
    size_t cap = 0;
    for (char *line = todo; line && *line; line = strchr(line, '\n') + 1) {
        char *name = strchr(line, ' ') + 1;
        git_commit *commit = commit_named(g_copy_bytes(name, strcspn(name, " \n")));
        if (list.count == cap) list.items = g_more(list.items, &cap, sizeof *list.items);
        rev *r = rev_of(git_commit_id(commit));
        rev_parse(r);
        list.items[list.count++] = r;
    }
    for (size_t i = 0; i < list.count; i++) {
        git_oid before = *git_commit_id(head_commit());
        int status = pick_commit(list.items[i]->commit);
        if (!status) continue;
        save_todo(&list, i + 1, &before);
        return status;
    }
    forget_todo();
    return 0;
}

static int pick_run(int argc, char **argv, const char *usage) {
    int n = options(argc, argv, table, usage, 0);
    if (abort_) return give_up();
    if (continue_ || skip) return go_on(skip);
    if (quit) return forget_operation(), forget_todo(), 0;
    if (!n) usage_error(NULL);
    if (git_index_has_conflicts(index_of_repo())) {
        error("%s is not possible because you have unmerged files.", reverting ? "Reverting" : "Cherry-picking");
        hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.");
        die("%s failed", verb());
    }
    diff_defaults();
    if (!no_commit && head_tree() && diff_any(diff_tree_index(head_tree()))) {
        error("your local changes would be overwritten by %s.", verb());
        hint("commit your changes or stash them to proceed.");
        die("%s failed", verb());
    }
    revs_defaults();
    bool ranges = false;
    for (int i = 0; i < n; i++) {
        ranges |= strstr(argv[i], "..") != NULL;
        if (!revs_add(argv[i], false)) die("bad revision '%s'", argv[i]);
    }
    if (!ranges) revs.no_walk = 1;
    else if (!reverting) revs.reverse = 1;
    revs_start();
    rev_list list = revs_all();
    git_oid start = *git_commit_id(head_commit());
    if (!list.count) {
        error("empty commit set passed");
        die("%s failed", verb());
    }
    for (size_t i = 0; i < list.count; i++) {
        int status = pick_commit(list.items[i]->commit);
        if (!status) continue;
        if (status == 1 && list.count > 1) save_todo(&list, i + 1, &start);
        return status;
    }
    return 0;
}

int cmd_cherry_pick(int argc, char **argv) {
    return pick_run(argc, argv, "git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff]\n                [-S[<keyid>]] <commit>...\n"
                           "git cherry-pick (--continue | --skip | --abort | --quit)");
}

int cmd_revert(int argc, char **argv) {
    reverting = true;
    return pick_run(argc, argv, "git revert [--[no-]edit] [-n] [-m <parent-number>] [-s] [-S[<keyid>]] <commit>...\n"
                           "git revert (--continue | --skip | --abort | --quit)");
}
