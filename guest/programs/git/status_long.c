/*
 * status_long.c: status in sentences, as `git status` and the comment of a commit's message say it.
 */
#include "color.h"
#include "status.h"

bool status_of_commit;
static bool show_hints;

static void section(g_text *out, const char *title, const char *const *lines) {
    g_text_addf(out, "%s\n", title);
    for (; show_hints && *lines; lines++) g_text_addf(out, "  (%s)\n", *lines);
}

bool status_colored;

/* A line of a list in the colour of color.status.SLOT. */
static void add_entry(g_text *out, const char *slot, const char *otherwise, const char *text) {
    const char *code = color_of(status_colored, slot, otherwise);
    g_text_addf(out, "\t%s%s%s\n", code, text, *code ? COLOR_RESET : "");
}

static const char *label(char letter) {
    switch (letter) {
    case 'A': return "new file:";
    case 'D': return "deleted:";
    case 'R': return "renamed:";
    case 'C': return "copied:";
    case 'T': return "typechange:";
    default: return "modified:";
    }
}

static char *shown(const char *path) {
    char *near = relative(path), *out = quoted(near, "");
    free(near);
    return out;
}

static void staged(g_text *out, const status_list *list, bool amend) {
    bool any = false;
    for (size_t i = 0; i < list->count; i++) any |= list->changes[i].x != ' ' && !list->changes[i].unmerged;
    if (!any) return;
    bool merging = git_file_exists("MERGE_HEAD") || git_file_exists("CHERRY_PICK_HEAD");
    const char *restore = list->initial ? "use \"git rm --cached <file>...\" to unstage"
                          : amend       ? "use \"git restore --source=HEAD^1 --staged <file>...\" to unstage"
                                        : "use \"git restore --staged <file>...\" to unstage";
    const char *slot = status_colored && config_string("color.status.updated") ? "status.updated" : "status.added";
    section(out, "Changes to be committed:", (const char *const[]){merging ? NULL : restore, NULL});
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (c->x == ' ' || c->unmerged) continue;
        g_text line = {0};
        if (c->from) g_text_addf(&line, "%-12s%s -> %s", label(c->x), shown(c->from), shown(c->path));
        else g_text_addf(&line, "%-12s%s", label(c->x), shown(c->path));
        add_entry(out, slot, "green", line.s);
        g_text_free(&line);
    }
    g_text_addc(out, '\n');
}

static void unmerged(g_text *out, const status_list *list) {
    static const struct { const char *code, *text; } words[] = {
        {"DD", "both deleted:"}, {"AU", "added by us:"}, {"UD", "deleted by them:"},
        {"UA", "added by them:"}, {"DU", "deleted by us:"}, {"AA", "both added:"}, {"UU", "both modified:"},
    };
    bool deleted = false, both_deleted = false, not_deleted = false;
    if (!status_unmerged(list)) return;
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (!c->unmerged) continue;
        if (c->x == 'D' && c->y == 'D') both_deleted = true;
        else if (c->x == 'D' || c->y == 'D') deleted = true;
        else not_deleted = true;
    }
    const char *restore = git_file_exists("MERGE_HEAD") || git_file_exists("CHERRY_PICK_HEAD") ? NULL
                          : list->initial ? "use \"git rm --cached <file>...\" to unstage"
                                          : "use \"git restore --staged <file>...\" to unstage";
    const char *what = !deleted && !both_deleted ? "use \"git add <file>...\" to mark resolution"
                       : deleted || not_deleted  ? "use \"git add/rm <file>...\" as appropriate to mark resolution"
                                                 : "use \"git rm <file>...\" to mark resolution";
    section(out, "Unmerged paths:", restore ? (const char *const[]){restore, what, NULL} : (const char *const[]){what, NULL});
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (!c->unmerged) continue;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (words[k].code[0] == c->x && words[k].code[1] == c->y) {
                g_text line = {0};
                g_text_addf(&line, "%-17s%s", words[k].text, shown(c->path));
                add_entry(out, "status.unmerged", "red", line.s);
                g_text_free(&line);
            }
    }
    g_text_addc(out, '\n');
}

static bool unstaged(g_text *out, const status_list *list) {
    bool any = false, deleted = false;
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (c->unmerged || c->y == ' ') continue;
        any = true;
        deleted |= c->y == 'D';
    }
    if (!any) return false;
    section(out, "Changes not staged for commit:",
            (const char *const[]){deleted ? "use \"git add/rm <file>...\" to update what will be committed"
                                          : "use \"git add <file>...\" to update what will be committed",
                                  "use \"git restore <file>...\" to discard changes in working directory", NULL});
    for (size_t i = 0; i < list->count; i++) {
        const change *c = &list->changes[i];
        if (c->unmerged || c->y == ' ') continue;
        g_text line = {0};
        g_text_addf(&line, "%-12s%s", label(c->y), shown(c->path));
        add_entry(out, "status.changed", "red", line.s);
        g_text_free(&line);
    }
    g_text_addc(out, '\n');
    return true;
}

static void others(g_text *out, const char *title, const char *how, const string_list *names) {
    if (!names->count) return;
    section(out, title, (const char *const[]){how, NULL});
    for (int i = 0; i < names->count; i++) add_entry(out, "status.untracked", "red", shown(names->items[i]));
    g_text_addc(out, '\n');
}

static char *one_line(const char *name) {
    char *text = read_git_file(name);
    if (text) text[strcspn(text, "\n")] = '\0';
    return text;
}

static void commit_in_progress(g_text *out, const status_list *list, const char *file, const char *doing, const char *verb) {
    char *id = one_line(file);
    git_oid oid;
    if (!id || git_oid_fromstr(&oid, id) < 0) return;
    g_text_addf(out, "You are currently %s commit %s.\n", doing, short_id(&oid));
    if (show_hints) {
        if (status_unmerged(list)) g_text_addf(out, "  (fix conflicts and run \"git %s --continue\")\n", verb);
        else g_text_addf(out, "  (all conflicts fixed: run \"git %s --continue\")\n", verb);
        g_text_addf(out, "  (use \"git %s --skip\" to skip this patch)\n", verb);
        g_text_addf(out, "  (use \"git %s --abort\" to cancel the %s operation)\n", verb, verb);
    }
    g_text_addc(out, '\n');
}

/* A line of a rebase's list, its commit's name cut short. */
static void add_command(g_text *out, const char *line) {
    const char *space = strchr(line, ' ');
    git_oid id;
    if (space && strncmp(line, "exec", 4) != 0 && git_oid_fromstr(&id, space + 1) == 0)
        g_text_addf(out, "   %.*s %s%s\n", (int)(space - line), line, short_id(&id), space + 1 + OID_HEX);
    else g_text_addf(out, "   %s\n", line);
}

static string_list commands_of(const char *file) {
    string_list list = {0};
    for (char *text = read_git_file(file), *end; text && *text; text = end ? end + 1 : NULL) {
        end = strchr(text, '\n');
        if (end) *end = '\0';
        if (*text && *text != '#') list_add(&list, text);
    }
    return list;
}

/* What a rebase has done and has to do. */
static void rebase_commands(g_text *out) {
    if (!git_file_exists("rebase-merge/interactive")) return;
    string_list done = commands_of("rebase-merge/done"), todo = commands_of("rebase-merge/git-rebase-todo");
    if (!done.count) g_text_adds(out, "No commands done.\n");
    else g_text_addf(out, done.count == 1 ? "Last command done (%d command done):\n" : "Last commands done (%d commands done):\n", done.count);
    for (int i = done.count > 2 ? done.count - 2 : 0; i < done.count; i++) add_command(out, done.items[i]);
    if (done.count > 2 && show_hints) g_text_adds(out, "  (see more in file .git/rebase-merge/done)\n");
    if (!todo.count) g_text_adds(out, "No commands remaining.\n");
    else g_text_addf(out, todo.count == 1 ? "Next command to do (%d remaining command):\n" : "Next commands to do (%d remaining commands):\n", todo.count);
    for (int i = 0; i < todo.count && i < 2; i++) add_command(out, todo.items[i]);
    if (todo.count && show_hints) g_text_adds(out, "  (use \"git rebase --edit-todo\" to view and edit)\n");
}

static void state(g_text *out, const status_list *list) {
    bool open = status_unmerged(list);
    char *branch;
    if (git_file_exists("MERGE_HEAD")) {
        if (open) {
            g_text_adds(out, "You have unmerged paths.\n");
            if (show_hints)
                g_text_adds(out, "  (fix conflicts and run \"git commit\")\n"
                                 "  (use \"git merge --abort\" to abort the merge)\n");
        } else {
            g_text_adds(out, "All conflicts fixed but you are still merging.\n");
            if (show_hints) g_text_adds(out, "  (use \"git commit\" to conclude merge)\n");
        }
        g_text_addc(out, '\n');
    } else if (git_file_exists("rebase-merge") || git_file_exists("rebase-apply")) {
        rebase_commands(out);
        char *name = one_line("rebase-merge/head-name"), *onto = one_line("rebase-merge/onto");
        git_oid id;
        const char *short_name = name && strncmp(name, "refs/heads/", 11) == 0 ? name + 11 : NULL;
        if (git_file_exists("rebase-apply/applying")) {
            g_text_adds(out, "You are in the middle of an am session.\n");
            if (show_hints)
                g_text_adds(out, "  (fix conflicts and then run \"git am --continue\")\n"
                                 "  (use \"git am --skip\" to skip this patch)\n"
                                 "  (use \"git am --abort\" to restore the original branch)\n");
            g_text_addc(out, '\n');
            return;
        }
        if (!open && !git_file_exists("MERGE_MSG") && git_file_exists("rebase-merge/interactive") && short_name && onto && git_oid_fromstr(&id, onto) == 0) {
            g_text_addf(out, "You are currently editing a commit while rebasing branch '%s' on '%s'.\n", short_name, short_id(&id));
            if (show_hints)
                g_text_adds(out, "  (use \"git commit --amend\" to amend the current commit)\n"
                                 "  (use \"git rebase --continue\" once you are satisfied with your changes)\n");
            g_text_addc(out, '\n');
            return;
        }
        if (short_name && onto && git_oid_fromstr(&id, onto) == 0)
            g_text_addf(out, "You are currently rebasing branch '%s' on '%s'.\n", short_name, short_id(&id));
        else g_text_adds(out, "You are currently rebasing.\n");
        if (show_hints && open)
            g_text_adds(out, "  (fix conflicts and then run \"git rebase --continue\")\n"
                             "  (use \"git rebase --skip\" to skip this patch)\n"
                             "  (use \"git rebase --abort\" to check out the original branch)\n");
        else if (show_hints) g_text_adds(out, "  (all conflicts fixed: run \"git rebase --continue\")\n");
        g_text_addc(out, '\n');
    } else {
        commit_in_progress(out, list, "CHERRY_PICK_HEAD", "cherry-picking", "cherry-pick");
        commit_in_progress(out, list, "REVERT_HEAD", "reverting", "revert");
    }
    if (git_file_exists("BISECT_LOG") && (branch = one_line("BISECT_START")) != NULL) {
        g_text_addf(out, "You are currently bisecting, started from branch '%s'.\n", branch);
        if (show_hints) g_text_adds(out, "  (use \"git bisect reset\" to get back to the original branch)\n");
        g_text_addc(out, '\n');
    }
}

/* "HEAD detached at v1": what the last checkout in HEAD's log named. */
static void detached(g_text *out) {
    git_reflog *log;
    git_oid head;
    if (git_reference_name_to_id(&head, repo, "HEAD") == 0 && git_reflog_read(&log, repo, "HEAD") == 0) {
        size_t count = git_reflog_entrycount(log);
        for (size_t i = 0; i < count; i++) {
            const git_reflog_entry *e = git_reflog_entry_byindex(log, i);
            const char *message = git_reflog_entry_message(e), *to;
            if (!message || strncmp(message, "checkout: moving from ", 22) != 0) continue;
            to = strstr(message, " to ");
            if (!to) continue;
            const git_oid *then = git_reflog_entry_id_new(e);
            const char *name = to + 4;
            git_oid typed;
            size_t len = strlen(name);
            bool hex = len >= 4 && strspn(name, "0123456789abcdef") == len;
            if (hex || git_oid_fromstr(&typed, name) == 0 || strpbrk(name, "~^")) name = short_id(then);
            const char *code = color_of(status_colored, "status.nobranch", "red");
            g_text_addf(out, "%sHEAD detached %s %s%s\n", code, git_oid_equal(then, &head) ? "at" : "from", *code ? COLOR_RESET : "", name);
            git_reflog_free(log);
            return;
        }
        git_reflog_free(log);
    }
    g_text_adds(out, "Not currently on any branch.\n");
}

static void conclusion(g_text *out, const status_list *list, bool changed, int untracked, bool amend) {
    bool any = false;
    for (size_t i = 0; i < list->count; i++) any |= list->changes[i].x != ' ' && !list->changes[i].unmerged;
    if (any) return;
    const char *text;
    if (amend) text = "No changes\n";
    else if (changed || status_unmerged(list))
        text = show_hints ? "no changes added to commit (use \"git add\" and/or \"git commit -a\")\n"
                          : "no changes added to commit\n";
    else if (list->untracked.count)
        text = show_hints ? "nothing added to commit but untracked files present (use \"git add\" to track)\n"
                          : "nothing added to commit but untracked files present\n";
    else if (list->initial)
        text = show_hints ? "nothing to commit (create/copy files and use \"git add\" to track)\n"
                          : "nothing to commit\n";
    else if (untracked == UNTRACKED_NO)
        text = show_hints ? "nothing to commit (use -u to show untracked files)\n" : "nothing to commit\n";
    else text = "nothing to commit, working tree clean\n";
    g_text_adds(out, text);
}

static void comment_lines(g_text *out, const char *text) {
    while (*text) {
        size_t len = strcspn(text, "\n");
        g_text_addf(out, "#%s%.*s\n", len && *text != '\t' ? " " : "", (int)len, text);
        text += len + (text[len] != 0);
    }
}

void status_long(g_text *out, const status_list *list, bool comment, int untracked, bool hints, bool amend) {
    g_text text = {0};
    char *branch = current_branch();
    show_hints = hints;
    char *onto = one_line("rebase-merge/onto");
    git_oid id;
    if (branch) g_text_addf(&text, "On branch %s\n", branch);
    else if (onto && git_oid_fromstr(&id, onto) == 0)
        g_text_addf(&text, "%srebase in progress; onto %s\n", git_file_exists("rebase-merge/interactive") ? "interactive " : "", short_id(&id));
    else detached(&text);
    if (branch && !list->initial) add_tracking(&text, branch, hints);
    state(&text, list);
    if (list->initial) g_text_adds(&text, comment || status_of_commit ? "\nInitial commit\n\n" : "\nNo commits yet\n\n");
    staged(&text, list, amend);
    unmerged(&text, list);
    bool changed = unstaged(&text, list);
    if (untracked == UNTRACKED_NO && status_staged(list))
        g_text_addf(&text, "Untracked files not listed%s\n", hints ? " (use -u option to show untracked files)" : "");
    others(&text, "Untracked files:", "use \"git add <file>...\" to include in what will be committed", &list->untracked);
    others(&text, "Ignored files:", "use \"git add -f <file>...\" to include in what will be committed", &list->ignored);
    if (comment) {
        comment_lines(out, text.s);
    } else {
        conclusion(&text, list, changed, untracked, amend);
        g_text_add(out, text.s, text.len);
    }
    g_text_free(&text);
}
