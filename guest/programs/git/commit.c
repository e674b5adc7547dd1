/*
 * commit.c: making commits and reporting them.
 */
#include "commit.h"
#include "revs.h"

void forget_operation(void) {
    static const char *const files[] = {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD",
                                        "REVERT_HEAD", "SQUASH_MSG", "AUTO_MERGE"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_git_file(files[i]);
}

git_oid tree_of_index(git_index *index) {
    git_oid id;
    if (git_index_has_conflicts(index)) die_unmerged("Committing");
    check(git_index_write_tree_to(&id, without_intents(index), repo));
    return id;
}

void die_unmerged(const char *doing) {
    git_index_conflict_iterator *at;
    const git_index_entry *a, *b, *c;
    if (strcmp(doing, "Committing") == 0 && git_index_conflict_iterator_new(&at, index_of_repo()) == 0)
        while (git_index_conflict_next(&a, &b, &c, at) == 0)
            g_outf("U\t%s\n", a ? a->path : b ? b->path : c->path);
    error("%s is not possible because you have unmerged files.", doing);
    hint("Fix them up in the work tree, and then use 'git add/rm <file>'\n"
         "as appropriate to mark resolution and make a commit.");
    die("Exiting because of an unresolved conflict.");
}

void make_commit(const new_commit *c, git_oid *id) {
    const git_commit **parents = g_zalloc((c->parent_count + 1) * sizeof *parents);
    git_tree *tree;
    g_text log = {0};
    char *subject = subject_of(c->message), *branch = head_target();
    for (size_t i = 0; i < c->parent_count; i++) parents[i] = commit_of(&c->parents[i]);
    check(git_tree_lookup(&tree, repo, c->tree));
    check(git_commit_create(id, repo, NULL, c->author, c->committer, NULL, c->message, tree, c->parent_count, parents));
    g_text_addf(&log, "%s: %s", c->log, subject);
    if (branch) update_ref(branch, id, log.s);
    else set_head_detached(id, log.s);
    free(parents);
    free(subject);
    g_text_free(&log);
}

void report_commit(const git_oid *id, bool show_date) {
    git_commit *commit = commit_of(id), *parent = NULL;
    char *branch = current_branch(), *subject = subject_of(git_commit_message(commit));
    const git_signature *author = git_commit_author(commit), *committer = git_commit_committer(commit);
    g_text out = {0};
    g_text_addf(&out, "[%s%s %s] %s\n", branch ? branch : "detached HEAD",
                git_commit_parentcount(commit) ? "" : " (root-commit)", short_id(id), subject);
    if (strcmp(author->name, committer->name) != 0 || strcmp(author->email, committer->email) != 0) {
        g_text_adds(&out, " Author: ");
        add_person(&out, author);
        g_text_addc(&out, '\n');
    }
    if (show_date) {
        date_style style = {0};
        g_text_adds(&out, " Date: ");
        add_date(&out, &author->when, &style);
        g_text_addc(&out, '\n');
    }
    if (git_commit_parentcount(commit) < 2) {
        git_tree *old = NULL;
        if (git_commit_parentcount(commit)) {
            check(git_commit_parent(&parent, commit, 0));
            old = tree_of(parent);
        }
        diff_defaults();
        git_diff *diff = diff_trees(old, tree_of(commit));
        diff_write(&out, diff, DIFF_SHORTSTAT | DIFF_SUMMARY);
        git_diff_free(diff);
    }
    g_out(out.s, out.len);
    g_text_free(&out);
}
