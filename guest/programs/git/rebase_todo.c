/*
 * rebase_todo.c: the commands of a rebase, see rebase.h.
 */
#include "rebase.h"
#include "checkout.h"
#include "commit.h"
#include "merge.h"

#include <sys/stat.h>
#include <unistd.h>

#include "g_spawn.h"

static const struct { const char *name; char letter; } kinds[] = {
    [TODO_PICK] = {"pick", 'p'}, [TODO_REWORD] = {"reword", 'r'}, [TODO_EDIT] = {"edit", 'e'}, [TODO_SQUASH] = {"squash", 's'},
    [TODO_FIXUP] = {"fixup", 'f'}, [TODO_EXEC] = {"exec", 'x'}, [TODO_BREAK] = {"break", 'b'}, [TODO_DROP] = {"drop", 'd'}, [TODO_NOOP] = {"noop", 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

int rebase_strategy_favor;

void todo_add(todo_list *list, enum todo_kind kind, const git_oid *id, const char *rest) {
    if (list->count == list->cap) list->items = g_more(list->items, &list->cap, sizeof *list->items);
    todo_item *item = &list->items[list->count++];
    memset(item, 0, sizeof *item);
    item->kind = kind;
    if (id) item->id = *id;
    item->rest = g_copy_string(rest);
}

static int kind_of(const char *word, size_t len) {
    for (int i = 0; i < KINDS; i++)
        if ((strlen(kinds[i].name) == len && strncmp(kinds[i].name, word, len) == 0) || (len == 1 && *word == kinds[i].letter)) return i;
    return -1;
}

bool todo_parse(todo_list *list, const char *text) {
    int number = 0;
    bool good = true;
    while (*text) {
        size_t len = strcspn(text, "\n");
        char *line = g_copy_bytes(text, len), *at = line;
        text += len + (text[len] == '\n');
        number++;
        at += strspn(at, " \t");
        if (!*at || *at == '#') continue;
        size_t word = strcspn(at, " \t");
        int kind = kind_of(at, word);
        char *rest = at + word + strspn(at + word, " \t");
        bool plain = kind == TODO_EXEC || kind == TODO_BREAK || kind == TODO_NOOP;
        git_commit *commit = NULL;
        if (kind >= 0 && !plain) {
            if ((kind == TODO_FIXUP) && rest[0] == '-' && (rest[1] == 'C' || rest[1] == 'c')) rest += 2 + strspn(rest + 2, " ");
            char *name = g_copy_bytes(rest, strcspn(rest, " \t"));
            commit = commit_named(name);
            if (!commit) error("could not parse '%s'", name);
            rest += strlen(name);
            rest += strspn(rest, " \t");
        }
        if (kind < 0 || (!plain && !commit)) {
            error("invalid line %d: %s", number, line);
            good = false;
            continue;
        }
        if (commit) todo_add(list, (enum todo_kind)kind, git_commit_id(commit), rest);
        else todo_add(list, (enum todo_kind)kind, NULL, rest);
    }
    return good;
}

static void add_item(g_text *out, const todo_item *item, bool full) {
    g_text_adds(out, kinds[item->kind].name);
    if (item->kind != TODO_EXEC && item->kind != TODO_BREAK && item->kind != TODO_NOOP)
        g_text_addf(out, " %s", full ? full_id(&item->id) : short_id(&item->id));
    if (*item->rest) g_text_addf(out, " %s", item->rest);
    g_text_addc(out, '\n');
}

char *todo_text(const todo_list *list, size_t from, bool full) {
    g_text out = {0};
    g_text_adds(&out, "");
    for (size_t i = from; i < list->count; i++) add_item(&out, &list->items[i], full);
    return out.s;
}

/* ---- files */

static void write_line(const char *name, const char *text) {
    g_text line = {0};
    g_text_addf(&line, "%s\n", text);
    write_git_file(name, line.s);
    g_text_free(&line);
}

static char *read_line(const char *name) {
    char *text = read_git_file(name);
    if (text) text[strcspn(text, "\n")] = '\0';
    return text;
}

void rebase_save(const rebase_state *state) {
    char *dir = git_file("rebase-merge");
    mkdir(dir, 0777);
    free(dir);
    write_line("rebase-merge/head-name", state->head_name);
    write_line("rebase-merge/onto", full_id(&state->onto));
    write_line("rebase-merge/orig-head", full_id(&state->orig_head));
    write_git_file("rebase-merge/interactive", "");
    if (state->quiet) write_git_file("rebase-merge/quiet", "");
}

bool rebase_load(rebase_state *state) {
    char *onto = read_line("rebase-merge/onto"), *orig = read_line("rebase-merge/orig-head");
    memset(state, 0, sizeof *state);
    state->head_name = read_line("rebase-merge/head-name");
    if (!onto || !orig || !state->head_name || git_oid_fromstr(&state->onto, onto) < 0 || git_oid_fromstr(&state->orig_head, orig) < 0)
        return false;
    state->quiet = git_file_exists("rebase-merge/quiet");
    return true;
}

void rebase_forget(void) {
    static const char *const files[] = {"head-name", "onto", "orig-head", "interactive", "quiet", "git-rebase-todo", "done", "msgnum",
                                        "end", "stopped-sha", "message", "amend", "author-script", "patch", "autostash", "message-squash", "todo-count",
                                        "git-rebase-todo.backup"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[100];
        snprintf(name, sizeof name, "rebase-merge/%s", files[i]);
        remove_git_file(name);
    }
    remove_git_file("REBASE_HEAD");
    rmdir(git_file("rebase-merge"));
}

static void append_done(const todo_item *item) {
    g_text done = {0};
    char *before = read_git_file("rebase-merge/done");
    g_text_adds(&done, before ? before : "");
    add_item(&done, item, true);
    write_git_file("rebase-merge/done", done.s);
    g_text_free(&done);
}

/* ---- commands */

static void forget_picked(void) {
    remove_git_file("CHERRY_PICK_HEAD");
    remove_git_file("MERGE_MSG");
    remove_git_file("rebase-merge/message");
    remove_git_file("rebase-merge/stopped-sha");
    remove_git_file("rebase-merge/amend");
    remove_git_file("REBASE_HEAD");
}

static void stop_at(const git_oid *id, const char *message) {
    write_line("rebase-merge/stopped-sha", full_id(id));
    write_line("REBASE_HEAD", full_id(id));
    if (message) write_git_file("rebase-merge/message", message);
}

static void clear_line(bool quiet) {
    if (!quiet) fprintf(stderr, "\r%80s\r", "");
}

static void commit_tree(git_commit *from, const git_oid *tree, const char *message, const char *log) {
    git_commit *head = head_commit();
    git_oid made;
    git_signature *committer = committer_now();
    new_commit c = {git_commit_author(from), committer, message, tree, git_commit_id(head), 1, log};
    make_commit(&c, &made);
}

/* The message of a commit and of those that were squashed into it, without comments. */
static char *squash_message(git_commit *head, git_commit *commit, enum todo_kind kind, bool last) {
    g_text text = {0};
    g_text_adds(&text, git_commit_message(head));
    if (kind == TODO_FIXUP) return text.s;
    if (text.len && text.s[text.len - 1] != '\n') g_text_addc(&text, '\n');
    g_text_addf(&text, "\n%s", git_commit_message(commit));
    if (!last) return text.s;
    char *path = git_file("COMMIT_EDITMSG");
    write_file(path, text.s, text.len);
    return clean_message(edit_file(path), true);
}

static void rebase_amend(git_commit *commit, const git_oid *tree, enum todo_kind kind, bool last) {
    git_commit *head = head_commit();
    git_oid made, parents[16];
    size_t count = git_commit_parentcount(head) < 16 ? git_commit_parentcount(head) : 16;
    git_signature *committer = committer_now();
    for (size_t i = 0; i < count; i++) parents[i] = *git_commit_parent_id(head, (unsigned)i);
    char *message = squash_message(head, commit, kind, last);
    new_commit c = {git_commit_author(head), committer, message, tree, parents, count, kind == TODO_FIXUP ? "rebase (fixup)" : "rebase (squash)"};
    make_commit(&c, &made);
    if (kind == TODO_SQUASH && last) report_commit(&made, true);
}

static void reword(void) {
    git_commit *head = head_commit();
    git_oid made, parents[16];
    size_t count = git_commit_parentcount(head) < 16 ? git_commit_parentcount(head) : 16;
    for (size_t i = 0; i < count; i++) parents[i] = *git_commit_parent_id(head, (unsigned)i);
    char *path = git_file("COMMIT_EDITMSG");
    write_file(path, git_commit_message(head), strlen(git_commit_message(head)));
    char *message = clean_message(edit_file(path), true);
    new_commit c = {git_commit_author(head), committer_now(), message, git_commit_tree_id(head), parents, count, "rebase (reword)"};
    make_commit(&c, &made);
    report_commit(&made, true);
}

static void advise(const git_oid *id, const char *subject, const char *what) {
    error("could not apply %s... %s", short_id(id), subject);
    hint("Resolve all conflicts manually, mark them as resolved with\n\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
         "You can instead skip this commit: run \"git rebase --skip\".\nTo abort and get back to the state before \"git rebase\", run \"git rebase --abort\".");
    note("Could not apply %s... %s", short_id(id), what);
}

/* 0 done, 1 stopped. */
static int rebase_pick(const todo_item *item, enum todo_kind next) {
    git_commit *commit = commit_of(&item->id), *head = head_commit(), *parent = NULL;
    char label[1000], parent_label[1020], *subject = subject_of(git_commit_message(commit));
    string_list conflicts = {0};
    git_oid tree;
    if (git_oid_equal(&item->id, git_commit_id(head))) return 0; /* the root, or where it stands already */
    bool melts = item->kind == TODO_SQUASH || item->kind == TODO_FIXUP;
    unsigned parents = git_commit_parentcount(commit);
    if (!melts && parents == 1 && git_oid_equal(git_commit_parent_id(commit, 0), git_commit_id(head)) && checkout_safely(tree_of(commit), "merge")) {
        g_text log = {0};
        g_text_addf(&log, "rebase (%s): %s", item->kind == TODO_PICK ? "pick" : kinds[item->kind].name, subject);
        set_head_detached(&item->id, log.s);
        return 0;
    }
    if (parents) check(git_commit_parent(&parent, commit, 0));
    snprintf(label, sizeof label, "%s (%s)", short_id(&item->id), subject);
    snprintf(parent_label, sizeof parent_label, "parent of %s", label);
    merge_job job = {parent ? tree_of(parent) : NULL, tree_of(head), tree_of(commit), "HEAD", label, "merge", rebase_strategy_favor, false, true, parent_label};
    enum merge_outcome outcome = merge_trees(&job, &tree, &conflicts);
    if (outcome == MERGE_REFUSED) {
        stop_at(&item->id, git_commit_message(commit));
        return 1;
    }
    if (outcome == MERGE_CONFLICTS) {
        g_text saved = {0};
        g_text_adds(&saved, git_commit_message(commit));
        add_conflicts(&saved, &conflicts);
        write_git_file("MERGE_MSG", saved.s);
        if (melts) write_line("rebase-merge/amend", full_id(git_commit_id(head)));
        stop_at(&item->id, git_commit_message(commit));
        advise(&item->id, subject, subject);
        return 1;
    }
    if (melts) {
        rebase_amend(commit, &tree, item->kind, next != TODO_SQUASH && next != TODO_FIXUP);
        return 0;
    }
    bool was_empty = parent && git_oid_equal(git_commit_tree_id(parent), git_commit_tree_id(commit));
    if (git_oid_equal(&tree, git_commit_tree_id(head)) && !was_empty) {
        note("dropping %s %s -- patch contents already upstream", full_id(&item->id), subject);
        return 0;
    }
    commit_tree(commit, &tree, git_commit_message(commit), "rebase (pick)");
    return 0;
}

static int execute(const todo_item *item) {
    char *argv[] = {"sh", "-c", item->rest, NULL};
    note("Executing: %s", item->rest);
    pid_t pid = g_spawn(argv, git_repository_workdir(repo), G_STDIN_SAME);
    int status = pid < 0 ? 127 : g_exit_status(wait_child(pid));
    if (!status) return 0;
    warning("execution failed: %s\nYou can fix the problem, and then run\n\n  git rebase --continue\n\n", item->rest);
    return 1;
}

static int edit_stop(const todo_item *item) {
    git_commit *commit = commit_of(&item->id);
    write_line("rebase-merge/amend", full_id(git_commit_id(head_commit())));
    stop_at(&item->id, git_commit_message(commit));
    note("Stopped at %s...  %s\nYou can amend the commit now, with\n\n  git commit --amend \n\nOnce you are satisfied with your changes, run\n\n  git rebase --continue",
         short_id(&item->id), subject_of(git_commit_message(commit)));
    return 0;
}

static void count_done(size_t *done, size_t *all, size_t left) {
    char *text = read_git_file("rebase-merge/done");
    *done = 0;
    for (char *p = text; p && *p; p++) *done += *p == '\n';
    *all = *done + left;
}

static int finish(rebase_state *state) {
    git_oid head = *git_commit_id(head_commit());
    bool branch = strncmp(state->head_name, "refs/", 5) == 0;
    char *stash = read_line("rebase-merge/autostash");
    if (branch) {
        g_text log = {0}, back = {0};
        g_text head_text = {0};
        g_text_addf(&log, "rebase (finish): %s onto %s", state->head_name, full_id(&state->onto));
        update_ref(state->head_name, &head, log.s);
        g_text_addf(&head_text, "ref: %s\n", state->head_name);
        write_git_file("HEAD", head_text.s);
        g_text_addf(&back, "rebase (finish): returning to %s", state->head_name);
        add_reflog("HEAD", &head, &head, back.s);
    }
    rebase_forget();
    if (stash) run_command("stash", 3, (char *[]){"stash", "pop", "-q", NULL}), note("Applied autostash.");
    clear_line(state->quiet);
    if (!state->quiet) note("Successfully rebased and updated %s.", branch ? state->head_name : "detached HEAD");
    return 0;
}

int rebase_run(rebase_state *state) {
    todo_list list = {0};
    char *text = read_git_file("rebase-merge/git-rebase-todo");
    if (!text || !todo_parse(&list, text)) return 1;
    for (size_t i = 0; i < list.count; i++) {
        todo_item *item = &list.items[i];
        enum todo_kind next = i + 1 < list.count ? list.items[i + 1].kind : TODO_NOOP;
        size_t done, all;
        append_done(item);
        char *rest = todo_text(&list, i + 1, true), number[30];
        write_git_file("rebase-merge/git-rebase-todo", rest);
        count_done(&done, &all, list.count - i - 1);
        snprintf(number, sizeof number, "%zu", done);
        write_line("rebase-merge/msgnum", number);
        snprintf(number, sizeof number, "%zu", all);
        write_line("rebase-merge/end", number);
        if (!state->quiet && item->kind != TODO_NOOP && item->kind != TODO_DROP) fprintf(stderr, "Rebasing (%zu/%zu)\r", done, all);
        int status = 0;
        switch (item->kind) {
        case TODO_DROP:
        case TODO_NOOP: break;
        case TODO_EXEC: clear_line(state->quiet), status = execute(item); break;
        case TODO_BREAK:
            clear_line(state->quiet);
            note("Stopped at %s (%s)", short_id(git_commit_id(head_commit())), subject_of(git_commit_message(head_commit())));
            return 0;
        default: status = rebase_pick(item, next); break;
        }
        if (status) return status;
        if (item->kind == TODO_EDIT) return clear_line(state->quiet), edit_stop(item);
        if (item->kind == TODO_REWORD) reword();
    }
    return finish(state);
}

int rebase_take_up(rebase_state *state) {
    char *stopped = read_line("rebase-merge/stopped-sha"), *amended = read_line("rebase-merge/amend");
    git_index *index = index_of_repo();
    git_oid id, tree;
    (void)state;
    if (git_index_has_conflicts(index)) {
        git_index_conflict_iterator *at;
        const git_index_entry *a, *b, *c;
        check(git_index_conflict_iterator_new(&at, index));
        while (git_index_conflict_next(&a, &b, &c, at) == 0) g_outf("%s: needs merge\n", a ? a->path : b ? b->path : c->path);
        g_outs("You must edit all merge conflicts and then\nmark them as resolved using git add\n");
        return 1;
    }
    check(git_index_write_tree(&tree, index));
    git_commit *head = head_commit();
    if (!stopped || git_oid_fromstr(&id, stopped) < 0 || git_oid_equal(&tree, git_commit_tree_id(head))) {
        forget_picked();
        return 0;
    }
    git_commit *commit = commit_of(&id);
    if (amended) {
        git_oid was;
        bool same = git_oid_fromstr(&was, amended) == 0 && git_oid_equal(&was, git_commit_id(head));
        if (same) rebase_amend(commit, &tree, TODO_FIXUP, true), report_commit(git_commit_id(head_commit()), true);
        else commit_tree(head, &tree, git_commit_message(commit), "rebase (continue)");
    } else {
        char *message = read_git_file("MERGE_MSG");
        if (!has_editor()) {
            error("Terminal is dumb, but EDITOR unset");
            note("Please supply the message using either -m or -F option.");
            return error("could not commit staged changes."), 1;
        }
        char *path = git_file("COMMIT_EDITMSG");
        if (message) write_file(path, message, strlen(message)), message = edit_file(path);
        message = clean_message(message ? message : git_commit_message(commit), true);
        commit_tree(commit, &tree, message, "rebase (continue)");
        report_commit(git_commit_id(head_commit()), false);
    }
    forget_picked();
    return 0;
}
