/*
 * cmd_commit.c: git commit.
 */
#include "commit.h"
#include "status.h"

static string_list messages, trailers;
static const char *file, *author_text, *date_text, *reuse, *reedit, *fixup, *squash, *cleanup, *template_;
static const char *sign, *untracked;
static int reset_author, signoff, edit = -1, quiet, verbose, all, include, only, no_verify, dry, amend;
static int allow_empty, allow_empty_message, short_, porcelain, null, no_status, post_rewrite, long_, branch_;

static const option table[] = {
    {OPT_FLAG, 'q', "quiet", &quiet, NULL, "suppress summary after successful commit", 0, NULL, NULL, 0},
    {OPT_COUNT, 'v', "verbose", &verbose, NULL, "show diff in commit message template", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Commit message options", 0, NULL, NULL, 0},
    {OPT_STRING, 'F', "file", &file, "file", "read message from file", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "author", &author_text, "author", "override author for commit", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "date", &date_text, "date", "override date for commit", 0, NULL, NULL, 0},
    {OPT_LIST, 'm', "message", &messages, "message", "commit message", 0, NULL, NULL, 0},
    {OPT_STRING, 'c', "reedit-message", &reedit, "commit", "reuse and edit message from specified commit", 0, NULL, NULL, 0},
    {OPT_STRING, 'C', "reuse-message", &reuse, "commit", "reuse message from specified commit", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "fixup", &fixup, "[(amend|reword):]commit", "use autosquash formatted message to fixup or amend/reword specified commit", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "squash", &squash, "commit", "use autosquash formatted message to squash specified commit", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "reset-author", &reset_author, NULL, "the commit is authored by me now (used with -C/-c/--amend)", 0, NULL, NULL, 0},
    {OPT_LIST, 0, "trailer", &trailers, "trailer", "add custom trailer(s)", 0, NULL, NULL, 0},
    {OPT_FLAG, 's', "signoff", &signoff, NULL, "add a Signed-off-by trailer", 0, NULL, NULL, 0},
    {OPT_STRING, 't', "template", &template_, "file", "use specified template file", 0, NULL, NULL, 0},
    {OPT_FLAG, 'e', "edit", &edit, NULL, "force edit of commit", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "cleanup", &cleanup, "mode", "how to strip spaces and #comments from message", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "no-status", &no_status, NULL, "include status in commit message template", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'S', "gpg-sign", &sign, "key-id", "GPG sign commit", 0, "", NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Commit contents options", 0, NULL, NULL, 0},
    {OPT_FLAG, 'a', "all", &all, NULL, "commit all changed files", 0, NULL, NULL, 0},
    {OPT_FLAG, 'i', "include", &include, NULL, "add specified files to index for commit", 0, NULL, NULL, 0},
    {OPT_FLAG, 'o', "only", &only, NULL, "commit only specified files", 0, NULL, NULL, 0},
    {OPT_FLAG, 'n', "no-verify", &no_verify, NULL, "bypass pre-commit and commit-msg hooks", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "dry-run", &dry, NULL, "show what would be committed", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "short", &short_, NULL, "show status concisely", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "branch", &branch_, NULL, "show branch information", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "porcelain", &porcelain, NULL, "machine-readable output", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "long", &long_, NULL, "show status in long format (default)", 0, NULL, NULL, 0},
    {OPT_FLAG, 'z', "null", &null, NULL, "terminate entries with NUL", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "amend", &amend, NULL, "amend previous commit", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "no-post-rewrite", &post_rewrite, NULL, "bypass post-rewrite hook", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'u', "untracked-files", &untracked, "mode", "show untracked files, optional modes: all, normal, no. (Default: all)", 0, "all", NULL, 0},
    {OPT_FLAG, 0, "allow-empty", &allow_empty, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "allow-empty-message", &allow_empty_message, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>] [--amend]\n"
                            "           [--dry-run] [(-c | -C | --squash) <commit> | --fixup [(amend|reword):]<commit>)]\n"
                            "           [-F <file> | -m <msg>] [--reset-author] [--allow-empty]\n"
                            "           [--allow-empty-message] [--no-verify] [-e] [--author=<author>]\n"
                            "           [--date=<date>] [--cleanup=<mode>] [--[no-]status]\n"
                            "           [-i | -o] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
                            "           [(--trailer <token>[(=|:)<value>])...] [-S[<keyid>]]\n"
                            "           [--] [<pathspec>...]";

static void take_changes(git_index *index, pathspec *paths, bool tracked_only) {
    git_diff *diff;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
    (void)tracked_only;
    check(git_diff_index_to_workdir(&diff, repo, index, &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        const char *path = d->old_file.path ? d->old_file.path : d->new_file.path;
        if (!pathspec_match(paths, path)) continue;
        if (d->status == GIT_DELTA_DELETED || !file_exists(in_workdir(path))) git_index_remove_bypath(index, path);
        else check(git_index_add_bypath(index, path));
    }
    git_diff_free(diff);
}

/* HEAD with the named paths as they are in the working tree; the index gets them, too. */
static git_index *index_of_paths(git_index *index, pathspec *paths) {
    git_index *alone;
    git_tree *head = head_tree();
    for (size_t i = 0; i < git_index_entrycount(index); i++)
        pathspec_match(paths, git_index_get_byindex(index, i)->path);
    if (pathspec_unmatched(paths)) g_exit(1);
    take_changes(index, paths, true);
    check(git_index_new(&alone));
    if (head) check(git_index_read_tree(alone, head));
    for (size_t i = git_index_entrycount(alone); i-- > 0;) {
        const git_index_entry *e = git_index_get_byindex(alone, i);
        if (pathspec_match(paths, e->path) && !git_index_get_bypath(index, e->path, 0))
            git_index_remove(alone, e->path, 0);
    }
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (pathspec_match(paths, e->path)) check(git_index_add(alone, e));
    }
    return alone;
}

static char *joined_messages(void) {
    g_text text = {0};
    for (int i = 0; i < messages.count; i++)
        g_text_addf(&text, "%s%s%s", i ? "\n" : "", messages.items[i],
                    messages.items[i][0] && messages.items[i][strlen(messages.items[i]) - 1] == '\n' ? "" : "\n");
    return text.s;
}

static git_commit *commit_or_die(const char *name) {
    git_commit *commit = commit_named(name);
    if (!commit) die("could not lookup commit %s", name);
    return commit;
}

/* The message before it is edited; *ready when no editor is wanted for it. */
static char *first_message(git_commit *old, bool *ready) {
    char *text;
    size_t len;
    g_text all_ = {0};
    *ready = true;
    if (fixup) {
        const char *name = strchr(fixup, ':') ? strchr(fixup, ':') + 1 : fixup;
        g_text_addf(&all_, "%s! %s\n", name == fixup ? "fixup" : "amend", subject_of(git_commit_message(commit_or_die(name))));
        if (messages.count) g_text_addf(&all_, "\n%s", joined_messages());
        return all_.s;
    }
    if (squash) {
        g_text_addf(&all_, "squash! %s\n\n", subject_of(git_commit_message(commit_or_die(squash))));
        if (messages.count) g_text_adds(&all_, joined_messages());
        else *ready = false;
        return all_.s;
    }
    if (messages.count) return joined_messages();
    if (file) {
        if (strcmp(file, "-") == 0) {
            read_stdin(&all_);
            return all_.s;
        }
        text = read_file(*file == '/' ? file : g_copy_string(file), &len);
        if (!text) die("could not read log file '%s': No such file or directory", file);
        return text;
    }
    if (reuse) return g_copy_string(git_commit_message(commit_or_die(reuse)));
    *ready = false;
    if (reedit) return g_copy_string(git_commit_message(commit_or_die(reedit)));
    if (old) return g_copy_string(git_commit_message(old));
    if ((text = read_git_file("MERGE_MSG")) != NULL) return text;
    if ((text = read_git_file("SQUASH_MSG")) != NULL) return text;
    if (template_ || (template_ = config_string("commit.template")) != NULL) {
        text = read_file(template_, &len);
        if (!text) die("could not read '%s': No such file or directory", template_);
        return text;
    }
    return g_copy_string("");
}

static bool is_trailer_block(const char *text) {
    const char *last = strrchr(text, '\n') ? text : NULL, *paragraph = text;
    (void)last;
    for (const char *p = text; (p = strstr(p, "\n\n")) != NULL; p++) paragraph = p + 2;
    if (paragraph == text) return false;
    while (*paragraph) {
        size_t len = strcspn(paragraph, "\n"), key = strcspn(paragraph, ": ");
        bool origin = strncmp(paragraph, "(cherry picked from commit ", 27) == 0;
        if (len && !origin && (key >= len || paragraph[key] != ':')) return false;
        paragraph += len + (paragraph[len] != 0);
    }
    return true;
}

char *with_trailer(char *text, const char *line) {
    g_text out = {0};
    size_t len = strlen(text);
    while (len && text[len - 1] == '\n') len--;
    g_text_add(&out, text, len);
    g_text_addc(&out, '\n');
    char *found = strstr(out.s, line);
    if (found && (found == out.s || found[-1] == '\n') && found[strlen(line)] == '\n') return out.s;
    if (!is_trailer_block(out.s)) g_text_addc(&out, '\n');
    g_text_addf(&out, "%s\n", line);
    return out.s;
}

static char *edited(char *text, const status_list *list) {
    g_text whole = {0};
    char *path = git_file("COMMIT_EDITMSG");
    g_text_addf(&whole, "%s%s", text, *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
    g_text_adds(&whole, "\n# Please enter the commit message for your changes. Lines starting\n"
                        "# with '#' will be ignored, and an empty message aborts the commit.\n#\n");
    if (amend) {
        const git_signature *author = git_commit_author(head_commit());
        g_text_adds(&whole, "# Date:      ");
        add_date(&whole, &author->when, &(date_style){0});
        g_text_adds(&whole, "\n#\n");
    }
    if (!no_status) status_long(&whole, list, true, UNTRACKED_NORMAL, false, amend);
    if (verbose) {
        g_text_adds(&whole, "# ------------------------ >8 ------------------------\n"
                            "# Do not modify or remove the line above.\n# Everything below it will be ignored.\n");
        diff_defaults();
        diff_write(&whole, diff_tree_index(head_tree()), DIFF_PATCH);
    }
    write_file(path, whole.s, whole.len);
    return edit_file(path);
}

static int show_status(const status_list *list) {
    g_text out = {0};
    status_long(&out, list, false, UNTRACKED_NORMAL, config_bool("advice.statushints", true), amend);
    g_out(out.s, out.len);
    return 1;
}

static git_signature *author_of(git_commit *old) {
    git_signature *author;
    const char *from = reuse ? reuse : reedit;
    git_commit *source = from ? commit_or_die(from) : amend ? old : NULL;
    git_oid picked;
    char *pick = read_git_file("CHERRY_PICK_HEAD");
    if (!source && pick && git_oid_fromstr(&picked, pick) == 0) source = commit_of(&picked);
    if (source && !reset_author) check(git_signature_dup(&author, git_commit_author(source)));
    else author = author_now();
    if (author_text) {
        git_signature *other = ident_parse(author_text);
        if (!other) {
            /* a name that some commit's author has */
            die("--author '%s' is not 'Name <email>' and matches no existing author", author_text);
        }
        other->when = author->when;
        author = other;
    }
    if (date_text && !parse_date(date_text, &author->when)) die("invalid date format: %s", date_text);
    return author;
}

static size_t parents_of(git_commit *old, git_oid *parents) {
    size_t count = 0;
    if (amend) {
        for (unsigned i = 0; i < git_commit_parentcount(old) && i < 16; i++) parents[count++] = *git_commit_parent_id(old, i);
        return count;
    }
    git_commit *head = head_commit();
    if (head) parents[count++] = *git_commit_id(head);
    char *merging = read_git_file("MERGE_HEAD");
    for (char *line = merging; line && *line && count < 16; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (git_oid_fromstr(&parents[count], line) == 0) count++;
    return count;
}

/* Message, hooks and all: NULL when the commit is not to be. */
static char *message_of(git_commit *old, const status_list *list, bool merging, git_index *own) {
    bool ready;
    char *text = first_message(old, &ready), *path = git_file("COMMIT_EDITMSG");
    bool editing = edit >= 0 ? edit : !ready;
    if (merging && edit < 0 && !messages.count && !file) editing = true;
    if (signoff) {
        g_text line = {0};
        g_text_adds(&line, "Signed-off-by: ");
        git_signature *who = committer_now();
        g_text_addf(&line, "%s <%s>", who->name, who->email);
        text = with_trailer(text, line.s);
    }
    for (int i = 0; i < trailers.count; i++) {
        char *line = trailers.items[i], *equals = strpbrk(line, "=:");
        g_text made = {0};
        if (equals) g_text_addf(&made, "%.*s: %s", (int)(equals - line), line, equals + 1 + strspn(equals + 1, " "));
        text = with_trailer(text, equals ? made.s : line);
    }
    write_file(path, text, strlen(text));
    char *arguments[] = {".git/COMMIT_EDITMSG", messages.count || file ? "message" : merging ? "merge" : old ? "commit" : NULL, NULL};
    if (run_hook_on(own, "prepare-commit-msg", arguments) != 0) g_exit(1);
    size_t len;
    text = read_file(path, &len);
    if (editing) text = edited(text, list);
    if (!no_verify) {
        write_file(path, text, strlen(text));
        if (run_hook_on(own, "commit-msg", (char *[]){".git/COMMIT_EDITMSG", NULL}) != 0) g_exit(1);
        text = read_file(path, &len);
    }
    const char *mode = cleanup ? cleanup : config_string("commit.cleanup");
    bool verbatim = mode && strcmp(mode, "verbatim") == 0;
    bool comments = editing && !(mode && (strcmp(mode, "whitespace") == 0)) ;
    if (mode && strcmp(mode, "strip") == 0) comments = true;
    if (!verbatim) text = clean_message(text, comments);
    if (!*text && !allow_empty_message) {
        note("Aborting commit due to empty commit message.");
        g_exit(1);
    }
    write_file(path, text, strlen(text));
    return text;
}

static void check_usage(int paths) {
    if (sign) die("commits cannot be signed: there are no keys in the sandbox");
    if (all && paths) die("paths '%s ...' with -a does not make sense", "");
    if (messages.count && (reuse || reedit)) die("options '-m' and '%s' cannot be used together", reuse ? "-C" : "-c");
    if (messages.count && file) die("options '-m' and '-F' cannot be used together");
    if (author_text && reset_author) die("options '--reset-author' and '--author' cannot be used together");
}

int cmd_commit(int argc, char **argv) {
    status_of_commit = true;
    int count = options(argc, argv, table, usage, 0);
    git_index *index = index_of_repo();
    git_oid parents[17], id, tree;
    pathspec paths, none = {0};
    status_list list;
    git_commit *old = NULL;
    if (all && count) die("paths '%s ...' with -a does not make sense", argv[0]);
    check_usage(0);
    if (amend && !(old = head_commit())) die("You have nothing to amend.");
    if (amend && git_file_exists("MERGE_HEAD")) die("You are in the middle of a merge -- cannot amend.");
    if (amend && git_file_exists("CHERRY_PICK_HEAD")) die("You are in the middle of a cherry-pick -- cannot amend.");
    bool merging = git_file_exists("MERGE_HEAD"), picking = git_file_exists("CHERRY_PICK_HEAD");
    if (count && merging && !include) die("cannot do a partial commit during a merge.");
    pathspec_parse(&paths, count, argv);
    if (all || include) take_changes(index, all ? &none : &paths, true);
    if (git_index_has_conflicts(index)) die_unmerged("Committing");
    git_index *next = count && !include ? index_of_paths(index, &paths) : index;
    bool own = all || count; /* it differs from the repository's until the commit is made */
    if (!no_verify && !dry && run_hook_on(own ? next : NULL, "pre-commit", NULL) != 0) return 1;
    if (!own) check(git_index_read(index, false));
    tree = tree_of_index(next);
    git_commit *base = amend ? git_commit_parentcount(old) ? commit_of(git_commit_parent_id(old, 0)) : NULL : head_commit();
    status_collect(&list, base ? tree_of(base) : NULL, UNTRACKED_NORMAL, false, &none);
    if (dry || short_ || porcelain || long_) {
        if (short_ || porcelain) {
            char *again[] = {"status", porcelain ? "--porcelain" : "--short", NULL};
            run_command("status", 2, again);
        } else {
            show_status(&list);
        }
        return !status_staged(&list);
    }
    bool same = base ? git_oid_equal(&tree, git_commit_tree_id(base)) : git_index_entrycount(index) == 0;
    if (same && !allow_empty && !merging && !amend) {
        show_status(&list);
        return 1;
    }
    if (same && amend && base && !allow_empty && git_commit_parentcount(old) == 1 && !git_oid_equal(git_commit_tree_id(old), &tree)) {
        show_status(&list);
        note("\nYou asked to amend the most recent commit, but doing so would make\n"
             "it empty. You can repeat your command with --allow-empty, or you can\n"
             "remove the commit entirely with \"git reset HEAD^\".");
        return 1;
    }
    git_signature *author = author_of(old), *committer = committer_now();
    char *message = message_of(old, &list, merging, own ? next : NULL);
    size_t parent_count = parents_of(old, parents);
    const char *log = amend ? "commit (amend)" : merging ? "commit (merge)" : picking ? "commit (cherry-pick)"
                      : parent_count ? "commit" : "commit (initial)";
    new_commit c = {author, committer, message, &tree, parents, parent_count, log};
    make_commit(&c, &id);
    check(git_index_write(index));
    forget_operation();
    run_hook("post-commit", NULL, NULL);
    if (amend && old) {
        g_text lines = {0};
        g_text_addf(&lines, "%s %s\n", full_id(git_commit_id(old)), full_id(&id));
        run_hook("post-rewrite", (char *[]){"amend", NULL}, lines.s);
        g_text_free(&lines);
    }
    if (!quiet) report_commit(&id, (amend && !reset_author) || date_text || reuse || reedit || picking);
    return 0;
}
