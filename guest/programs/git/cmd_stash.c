/*
 * cmd_stash.c: git stash: local changes put aside, and taken back.
 */
#include "checkout.h"
#include "commit.h"
#include "merge.h"
#include "revs.h"

#include <sys/stat.h>

#include "g_file.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}
static const char usage[] = "git stash list [<log-options>]\ngit stash show [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]\n"
                            "git stash drop [-q | --quiet] [<stash>]\ngit stash pop [--index] [-q | --quiet] [<stash>]\n"
                            "git stash apply [--index] [-q | --quiet] [<stash>]\ngit stash branch <branchname> [<stash>]\n"
                            "git stash [push [-k | --[no-]keep-index] [-u | --include-untracked] [-a | --all] [-q | --quiet] [(-m | --message) <message>]] [--] [<pathspec>...]\n"
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

static git_oid stash_part(git_index *index, const char *message_, const git_oid *parents, size_t count) {
    const git_commit **list = g_zalloc((count + 1) * sizeof *list);
    git_signature *author = committer_for_log(), *committer = committer_for_log();
    git_oid tree, id;
    git_tree *result;
    for (size_t i = 0; i < count; i++) list[i] = commit_of(&parents[i]);
    check(git_index_write_tree_to(&tree, index, repo));
    check(git_tree_lookup(&result, repo, &tree));
    check(git_commit_create(&id, repo, NULL, author, committer, NULL, message_, result, count, list));
    return id;
}

static git_index *copy_of(git_index *from) {
    git_index *to;
    check(git_index_new(&to));
    for (size_t i = 0; i < git_index_entrycount(from); i++) check(git_index_add(to, git_index_get_byindex(from, i)));
    return to;
}

static unsigned mode_of(const char *path) {
    struct stat st;
    if (lstat(path, &st) < 0) return GIT_FILEMODE_BLOB;
    return S_ISLNK(st.st_mode) ? GIT_FILEMODE_LINK : st.st_mode & 0100 ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
}

/* The files as they are now, of those that git knows and that are asked for; whether any differ. */
static bool take_files(git_index *into, git_tree *head, pathspec *paths, string_list *touched) {
    bool any = false;
    diff_defaults();
    diffs.renames = 0;
    diffs.paths = *paths;
    git_diff *diff = diff_tree_workdir(head);
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
        git_index_entry e = {0};
        if (diff_skip(diff, i)) continue;
        any = true;
        list_add(touched, path);
        if (!file_exists(in_workdir(path))) {
            git_index_remove(into, path, 0);
            continue;
        }
        e.path = path;
        e.mode = d->new_file.mode ? d->new_file.mode : mode_of(in_workdir(path)); /* 0: gone from the index alone */
        if (git_blob_create_from_workdir(&e.id, repo, path) < 0) die("%s", git_message());
        check(git_index_add(into, &e));
    }
    git_diff_free(diff);
    return any;
}

static bool take_untracked(git_index *into, pathspec *paths, string_list *touched) {
    git_status_options o = GIT_STATUS_OPTIONS_INIT;
    git_status_list *list;
    o.show = GIT_STATUS_SHOW_WORKDIR_ONLY;
    o.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
              (all ? GIT_STATUS_OPT_INCLUDE_IGNORED | GIT_STATUS_OPT_RECURSE_IGNORED_DIRS : 0);
    check(git_status_list_new(&list, repo, &o));
    for (size_t i = 0; i < git_status_list_entrycount(list); i++) {
        const git_status_entry *s = git_status_byindex(list, i);
        git_index_entry e = {0};
        if (!(s->status & (GIT_STATUS_WT_NEW | GIT_STATUS_IGNORED)) || !s->index_to_workdir) continue;
        e.path = s->index_to_workdir->new_file.path;
        e.mode = s->index_to_workdir->new_file.mode;
        if (!pathspec_match(paths, e.path) || git_blob_create_from_workdir(&e.id, repo, e.path) < 0) continue;
        check(git_index_add(into, &e));
        list_add(touched, e.path);
    }
    return touched->count > 0;
}

/* The named paths as a tree has them, in the index and among the files. */
static void put_back(git_tree *tree, const string_list *touched) {
    git_index *index = index_of_repo();
    for (int i = 0; i < touched->count; i++) {
        git_tree_entry *found;
        const char *path = touched->items[i];
        if (git_tree_entry_bypath(&found, tree, path) < 0) {
            git_index_remove_bypath(index, path);
            remove_file(path);
            continue;
        }
        git_index_entry e = {0};
        e.path = path;
        e.mode = git_tree_entry_filemode(found);
        e.id = *git_tree_entry_id(found);
        checkout_entry(&e);
        if (e.mode == 0160000) check(git_index_add(index, &e));
        else check(git_index_add_bypath(index, path));
    }
    check(git_index_write(index));
}

static void refuse_conflicts(void) {
    git_index_conflict_iterator *at;
    const git_index_entry *a, *b, *c;
    if (!git_index_has_conflicts(index_of_repo())) return;
    check(git_index_conflict_iterator_new(&at, index_of_repo()));
    while (git_index_conflict_next(&a, &b, &c, at) == 0) g_outf("%s: needs merge\n", a ? a->path : b ? b->path : c->path);
    error("could not write index");
    g_exit(1);
}

static int push(int argc, char **argv) {
    int n = options(argc, argv, push_table, usage, 0);
    git_commit *head = head_commit();
    git_index *index = index_of_repo(), *files, *others;
    git_oid parents[3], id;
    pathspec paths;
    string_list touched = {0}, loose = {0};
    g_text where = {0}, text = {0};
    if (patch) die("--patch needs a terminal, and there is none: stash paths instead");
    if (!head) {
        note("You do not have the initial commit yet");
        return 1;
    }
    refuse_conflicts();
    pathspec_parse(&paths, n, argv);
    if (n && !untracked && !all) {
        for (size_t i = 0; i < git_index_entrycount(index); i++) pathspec_match(&paths, git_index_get_byindex(index, i)->path);
        for (size_t i = 0; i < paths.count; i++) {
            g_text shown = {0};
            g_text_addf(&shown, ":(,prefix:%zu)%s", strlen(prefix), paths.items[i].pattern);
            paths.items[i].original = shown.s;
        }
        if (pathspec_unmatched(&paths)) {
            note("Did you forget to 'git add'?");
            return 1;
        }
    }
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        if (!intended(index, path) || !pathspec_match(&paths, path)) continue;
        error("Entry '%s' not uptodate. Cannot merge.", path);
        note("Cannot save the current worktree state");
        return 1;
    }
    files = copy_of(index);
    check(git_index_new(&others));
    bool any = staged ? false : take_files(files, tree_of(head), &paths, &touched);
    diff_defaults();
    diffs.renames = 0;
    diffs.paths = paths;
    git_diff *cached = diff_tree_index(tree_of(head));
    for (size_t i = 0; i < git_diff_num_deltas(cached); i++) {
        const git_diff_delta *d = git_diff_get_delta(cached, i);
        if (diff_skip(cached, i)) continue;
        any = true;
        list_add(&touched, d->new_file.path ? d->new_file.path : d->old_file.path);
    }
    bool extra = (untracked || all) && take_untracked(others, &paths, &loose);
    if (!any && !extra) {
        if (!quiet) g_outs("No local changes to save\n");
        return 0;
    }
    char *branch = current_branch();
    g_text_addf(&where, "%s: %s %s", branch ? branch : "(no branch)", short_id(git_commit_id(head)), subject_of(git_commit_message(head)));
    parents[0] = *git_commit_id(head);
    g_text_addf(&text, "index on %s\n", where.s);
    parents[1] = stash_part(index, text.s, parents, 1);
    text.len = 0;
    g_text_addf(&text, "untracked files on %s\n", where.s);
    if (extra) parents[2] = stash_part(others, text.s, NULL, 0);
    text.len = 0;
    if (message) g_text_addf(&text, "On %s: %s", branch ? branch : "(no branch)", message);
    else g_text_addf(&text, "WIP on %s", where.s);
    id = stash_part(files, text.s, parents, extra ? 3 : 2);
    char *subject = subject_of(text.s), *log = git_file("logs/refs/stash");
    g_make_parents(log);
    if (!file_exists(log)) write_file(log, "", 0);
    update_ref("refs/stash", &id, subject);
    if (!quiet) g_outf("Saved working directory and index state %s\n", subject);
    if (!n && !staged) checkout_forced(tree_of(head)), add_reflog("HEAD", &parents[0], &parents[0], "reset: moving to HEAD");
    else put_back(tree_of(head), &touched);
    for (int i = 0; i < loose.count; i++) remove_file(loose.items[i]);
    if (keep_index) put_back(tree_of(commit_of(&parents[1])), &touched);
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
static int stash_apply(size_t at) {
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
    merge_job job = {tree_of(base), ours, tree_of(stash), "Updated upstream", "Stashed changes", "merge", 0, false, false, "Stash base"};
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
        int status = stash_apply(at);
        if (status == 2 && pop) g_outs("The stash entry is kept in case you need it again.\n");
        else if (!status && pop) drop_at(at, n ? argv[0] : NULL);
        return status != 0;
    }
    if (strcmp(what, "drop") == 0) {
        int n = options(argc, argv, take_table, usage, 0);
        drop_at(place(n, argv), n ? argv[0] : NULL);
        return 0;
    }
    if (strcmp(what, "branch") == 0) {
        int n = options(argc, argv, take_table, usage, 0);
        git_commit *base;
        if (!n) die_status(129, "No branch name specified");
        size_t at = place(n - 1, argv + 1);
        check(git_commit_parent(&base, stash_commit(at), 0));
        char *words[] = {"checkout", "-b", argv[0], (char *)full_id(git_commit_id(base)), NULL};
        int status = run_command("checkout", 4, words);
        if (status) return status;
        index_ = 1;
        status = stash_apply(at);
        if (!status) drop_at(at, n > 1 ? argv[1] : NULL);
        return status != 0;
    }
    die("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", what);
}
