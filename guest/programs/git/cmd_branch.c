/*
 * cmd_branch.c: git branch.
 */
#include "color.h"
#include "ref_format.h"
#include "revs.h"
#include "status.h"
#include "worktree.h"

static int remotes, all, delete_, move, copy, force, verbose, list, show_current, quiet, unset_upstream, edit;
static const char *upstream, *track, *format, *column, *points_at;
static int color = COLOR_UNSET;
static string_list contains, no_contains, merged, no_merged;
static int ignore_case, abbrev, create_reflog;

static void add_name(const option *o, const char *argument, bool unset) {
    (void)unset;
    list = 1;
    list_add(o->value, argument ? argument : "HEAD");
}

static void add_sort(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    ref_sort_by(argument);
}

static void set_color(const option *o, const char *argument, bool unset) {
    color = unset ? COLOR_NEVER : color_when(argument, o->name);
}

static const option table[] = {
    {OPT_GROUP, 0, NULL, NULL, NULL, "Generic options", 0, NULL, NULL, 0},
    {OPT_COUNT, 'v', "verbose", &verbose, NULL, "show hash and subject, give twice for upstream branch", 0, NULL, NULL, 0},
    FLAG('q', "quiet", quiet, "suppress informational messages"),
    {OPT_MAYBE, 't', "track", &track, "(direct|inherit)", "set branch tracking configuration", 0, "direct", NULL, 0},
    {OPT_STRING, 'u', "set-upstream-to", &upstream, "upstream", "change the upstream info", 0, NULL, NULL, 0},
    FLAG(0, "unset-upstream", unset_upstream, "unset the upstream info"),
    {OPT_CALL_MAYBE, 0, "color", NULL, "when", "use colored output", 0, NULL, set_color, 0},
    {OPT_SET, 'r', "remotes", &remotes, NULL, "act on remote-tracking branches", 1, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "contains", &contains, "commit", "print only branches that contain the commit", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-contains", &no_contains, "commit", "print only branches that don't contain the commit", 0, "last", add_name, 0},
    {OPT_NUMBER, 0, "abbrev", &abbrev, "n", "use <n> digits to display object names", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Specific git-branch actions:", 0, NULL, NULL, 0},
    FLAG('a', "all", all, "list both remote-tracking and local branches"),
    {OPT_SET, 'd', "delete", &delete_, NULL, "delete fully merged branch", 1, NULL, NULL, 0},
    {OPT_SET, 'D', NULL, &delete_, NULL, "delete branch (even if not merged)", 2, NULL, NULL, 0},
    {OPT_SET, 'm', "move", &move, NULL, "move/rename a branch and its reflog", 1, NULL, NULL, 0},
    {OPT_SET, 'M', NULL, &move, NULL, "move/rename a branch, even if target exists", 2, NULL, NULL, 0},
    {OPT_SET, 'c', "copy", &copy, NULL, "copy a branch and its reflog", 1, NULL, NULL, 0},
    {OPT_SET, 'C', NULL, &copy, NULL, "copy a branch, even if target exists", 2, NULL, NULL, 0},
    FLAG('l', "list", list, "list branch names"),
    FLAG(0, "show-current", show_current, "show current branch name"),
    FLAG(0, "create-reflog", create_reflog, "create the branch's reflog"),
    FLAG(0, "edit-description", edit, "edit the description for the branch"),
    FLAG('f', "force", force, "force creation, move/rename, deletion"),
    {OPT_CALL_MAYBE, 0, "merged", &merged, "commit", "print only branches that are merged", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-merged", &no_merged, "commit", "print only branches that are not merged", 0, "last", add_name, 0},
    {OPT_MAYBE, 0, "column", &column, "style", "list branches in columns", 0, "", NULL, 0},
    {OPT_CALL, 0, "sort", NULL, "key", "field name to sort on", 0, NULL, add_sort, 0},
    {OPT_STRING, 0, "points-at", &points_at, "object", "print only branches of the object", 0, NULL, NULL, 0},
    FLAG('i', "ignore-case", ignore_case, "sorting and filtering are case insensitive"),
    {OPT_STRING, 0, "format", &format, "format", "format to use for the output", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git branch [<options>] [-r | -a] [--merged] [--no-merged]\n"
                            "git branch [<options>] [-f] [--recurse-submodules] <branch-name> [<start-point>]\n"
                            "git branch [<options>] [-l] [<pattern>...]\n"
                            "git branch [<options>] [-r] (-d | -D) <branch-name>...\n"
                            "git branch [<options>] (-m | -M) [<old-branch>] <new-branch>\n"
                            "git branch [<options>] (-c | -C) [<old-branch>] <new-branch>\n"
                            "git branch [<options>] [-r | -a] [--points-at]\n"
                            "git branch [<options>] [-r | -a] [--format]";

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

typedef struct {
    ref_item item;
    char *target;
    git_oid id;
    bool current;
} row;
static row *rows;
static size_t count, cap;

static git_oid commit_id(const char *name) {
    git_commit *commit = commit_named(name);
    if (!commit) die("malformed object name %s", name);
    return *git_commit_id(commit);
}

static bool chosen(const git_oid *id) {
    for (int i = 0; i < contains.count; i++) {
        git_oid c = commit_id(contains.items[i]);
        if (!git_oid_equal(id, &c) && git_graph_descendant_of(repo, id, &c) != 1) return false;
    }
    for (int i = 0; i < no_contains.count; i++) {
        git_oid c = commit_id(no_contains.items[i]);
        if (git_oid_equal(id, &c) || git_graph_descendant_of(repo, id, &c) == 1) return false;
    }
    for (int i = 0; i < merged.count; i++) {
        git_oid c = commit_id(merged.items[i]);
        if (!git_oid_equal(id, &c) && git_graph_descendant_of(repo, &c, id) != 1) return false;
    }
    for (int i = 0; i < no_merged.count; i++) {
        git_oid c = commit_id(no_merged.items[i]);
        if (git_oid_equal(id, &c) || git_graph_descendant_of(repo, &c, id) == 1) return false;
    }
    if (points_at) {
        git_oid c = commit_id(points_at);
        return git_oid_equal(id, &c);
    }
    return true;
}

static bool matches(const char *name, int argc, char **argv) {
    if (!argc) return true;
    for (int i = 0; i < argc; i++)
        if (wildmatch(argv[i], name, 2 | (ignore_case ? 1 : 0)) == 0) return true;
    return false;
}

static void add_row(const char *full, const git_oid *id, const char *name, const char *target) {
    if (count == cap) rows = g_more(rows, &cap, sizeof *rows);
    rows[count] = (row){{g_copy_string(full), g_copy_string(name), NULL}, target ? g_copy_string(target) : NULL, *id, false};
    ref_prepare(&rows[count++].item);
}

static void collect(int argc, char **argv) {
    git_reference_iterator *at;
    git_reference *ref;
    char *head = head_target();
    check(git_reference_iterator_new(&at, repo));
    while (git_reference_next(&ref, at) == 0) {
        const char *full = git_reference_name(ref);
        bool remote = strncmp(full, "refs/remotes/", 13) == 0;
        git_oid id;
        if (!remote && strncmp(full, "refs/heads/", 11) != 0) continue;
        if (remote ? !remotes && !all : remotes && !all) continue;
        const char *name = full + (remote ? 13 : 11), *target = NULL;
        if (git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) target = git_reference_symbolic_target(ref) + 13;
        if (git_reference_name_to_id(&id, repo, full) < 0 || !chosen(&id) || !matches(name, argc, argv)) continue;
        add_row(full, &id, name, target);
        rows[count - 1].current = head && strcmp(head, full) == 0;
    }
    if (count) qsort(rows, count, sizeof *rows, ref_order);
}

static char *detached_name(void) {
    status_list none = {0};
    g_text text = {0};
    char *rebasing = read_git_file("rebase-merge/head-name");
    if (rebasing) {
        rebasing[strcspn(rebasing, "\n")] = '\0';
        g_text_addf(&text, "(no branch, rebasing %s)", strncmp(rebasing, "refs/heads/", 11) == 0 ? rebasing + 11 : rebasing);
        return text.s;
    }
    none.initial = false;
    status_long(&text, &none, false, UNTRACKED_NORMAL, false, false);
    text.s[strcspn(text.s, "\n")] = '\0';
    g_text out = {0};
    g_text_addf(&out, "(%s)", strncmp(text.s, "Not", 3) == 0 ? "no branch" : text.s);
    return out.s;
}

static const char *upstream_color = "";

static void add_verbose(const row *r) {
    char *up;
    size_t ahead, behind;
    bool gone;
    g_outf(" %s ", short_id(&r->id));
    if (strncmp(r->item.full, "refs/heads/", 11) == 0 && tracking(r->item.name, &up, &ahead, &behind, &gone)) {
        g_text t = {0};
        if (verbose > 1) g_text_addf(&t, "%s%s%s", upstream_color, up, *upstream_color ? COLOR_RESET : "");
        const char *sep = verbose > 1 ? ": " : "";
        if (gone) g_text_addf(&t, "%sgone", sep);
        else if (ahead && behind) g_text_addf(&t, "%sahead %zu, behind %zu", sep, ahead, behind);
        else if (ahead) g_text_addf(&t, "%sahead %zu", sep, ahead);
        else if (behind) g_text_addf(&t, "%sbehind %zu", sep, behind);
        if (t.len) g_outf("[%s] ", t.s);
    }
    g_outs(subject_of(git_commit_message(commit_of(&r->id))));
}

static int show_list(int argc, char **argv) {
    git_oid id;
    size_t width = 0;
    ref_sort_configured("branch.sort");
    ref_ignore_case = ignore_case;
    ref_color = color_wanted(color, "branch");
    collect(argc, argv);
    bool detached = !head_target() && git_reference_name_to_id(&id, repo, "HEAD") == 0 && !argc && (!remotes || all) && chosen(&id);
    char *here = detached ? detached_name() : NULL;
    if (here) width = strlen(here);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(rows[i].item.name) + (all && strncmp(rows[i].item.full, "refs/remotes/", 13) == 0 ? 8 : 0);
        if (len > width) width = len;
    }
    if (format) {
        for (size_t i = 0; i < count; i++) {
            g_text line = {0};
            ref_format(&line, format, rows[i].item.full, rows[i].item.name);
            g_outf("%s\n", line.s ? line.s : "");
            g_text_free(&line);
        }
        return 0;
    }
    const char *current = color_of(ref_color, "branch.current", "green"), *local = color_of(ref_color, "branch.local", "normal");
    const char *remote = color_of(ref_color, "branch.remote", "red"), *elsewhere = color_of(ref_color, "branch.worktree", "cyan");
    const char *reset = ref_color ? COLOR_RESET : "";
    upstream_color = color_of(ref_color, "branch.upstream", "blue");
    if (here) {
        row r = {{(char *)"HEAD", here, NULL}, NULL, id, true};
        g_outf("* %s%s", current, here);
        if (verbose) g_out_fill(' ', width - strlen(here));
        g_outs(reset);
        if (verbose) add_verbose(&r);
        g_outc('\n');
    }
    for (size_t i = 0; i < count; i++) {
        const char *before = all && strncmp(rows[i].item.full, "refs/remotes/", 13) == 0 ? "remotes/" : "";
        bool is_remote = strncmp(rows[i].item.full, "refs/remotes/", 13) == 0, other = !is_remote && worktree_of_branch(rows[i].item.full);
        const char *shade = rows[i].current ? current : other ? elsewhere : is_remote ? remote : local;
        g_outf("%c %s%s%s", rows[i].current ? '*' : other ? '+' : ' ', shade, before, rows[i].item.name);
        if (verbose) g_out_fill(' ', width - strlen(before) - strlen(rows[i].item.name));
        g_outs(reset);
        if (rows[i].target) g_outf(" -> %s", rows[i].target);
        else if (verbose) add_verbose(&rows[i]);
        g_outc('\n');
    }
    return 0;
}

static int remove_branches(int argc, char **argv) {
    int failed = 0;
    char *head = head_target();
    if (!argc) die("branch name required");
    for (int i = 0; i < argc; i++) {
        char full[1000];
        git_reference *ref;
        git_oid id, base;
        const char *name = strcmp(argv[i], "-") == 0 ? "@{-1}" : argv[i];
        snprintf(full, sizeof full, "refs/%s/%s", remotes ? "remotes" : "heads", name);
        if (head && strcmp(head, full) == 0) {
            char *top = g_copy_string(git_repository_workdir(repo) ? git_repository_workdir(repo) : git_repository_path(repo));
            top[strlen(top) - 1] = '\0';
            error("Cannot delete branch '%s' checked out at '%s'", name, top);
            failed = 1;
            continue;
        }
        const worktree *other = remotes ? NULL : worktree_of_branch(full);
        if (other) {
            error("Cannot delete branch '%s' checked out at '%s'", name, other->path);
            failed = 1;
            continue;
        }
        if (git_reference_lookup(&ref, repo, full) < 0 || git_reference_name_to_id(&id, repo, full) < 0) {
            error("%sbranch '%s' not found.", remotes ? "remote-tracking " : "", name);
            failed = 1;
            continue;
        }
        git_buf up = {0};
        bool against = !remotes && git_branch_upstream_name(&up, repo, full) == 0 && git_reference_name_to_id(&base, repo, up.ptr) == 0;
        if (!against && git_reference_name_to_id(&base, repo, "HEAD") < 0) base = id;
        if (delete_ == 1 && !force && !remotes && !git_oid_equal(&id, &base) && git_graph_descendant_of(repo, &base, &id) != 1) {
            error("The branch '%s' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D %s'.", name, name);
            failed = 1;
            continue;
        }
        if (!remotes) check(git_branch_delete(ref));
        else check(git_reference_delete(ref));
        if (!quiet) g_outf("Deleted %sbranch %s (was %s).\n", remotes ? "remote-tracking " : "", name, short_id(&id));
    }
    return failed;
}

static int rename_branch(int argc, char **argv, bool copying) {
    char *current = current_branch();
    const char *from = argc == 2 ? argv[0] : current, *to = argc == 2 ? argv[1] : argc == 1 ? argv[0] : NULL;
    char old_full[1000], new_full[1000], log[2100];
    git_reference *ref, *made;
    git_oid id;
    if (!to) die("branch name required");
    if (!from) die("cannot %s the current branch while not on any.", copying ? "copy" : "rename");
    snprintf(old_full, sizeof old_full, "refs/heads/%s", from);
    snprintf(new_full, sizeof new_full, "refs/heads/%s", to);
    if (!valid_branch_name(to)) die("'%s' is not a valid branch name", to);
    bool is_current = current && strcmp(current, from) == 0;
    if (git_reference_lookup(&ref, repo, old_full) < 0) {
        if (!is_current || copying) die("No branch named '%s'.", from);
        check(git_reference_symbolic_create(&made, repo, "HEAD", new_full, true, NULL)); /* unborn */
        return 0;
    }
    int rc;
    bool forced = force || move == 2 || copy == 2;
    if (strcmp(from, to) != 0 && !forced && git_reference_name_to_id(&id, repo, new_full) == 0) die("a branch named '%s' already exists", to);
    if (copying) {
        check(git_reference_name_to_id(&id, repo, old_full));
        snprintf(log, sizeof log, "Branch: copied %s to %s", old_full, new_full);
        rc = git_reference_create(&made, repo, new_full, &id, forced, log);
    } else {
        snprintf(log, sizeof log, "Branch: renamed %s to %s", old_full, new_full);
        rc = strcmp(from, to) == 0 ? 0 : git_branch_move(&made, ref, to, forced);
    }
    check(rc);
    return 0;
}

static int set_upstream(int argc, char **argv) {
    char *current = current_branch();
    const char *name = argc ? argv[0] : current;
    git_reference *ref, *up;
    if (argc > 1) die("too many arguments to set new upstream");
    if (!name) die("could not set upstream of HEAD to %s when it does not point to any branch.", upstream);
    if (git_branch_lookup(&ref, repo, name, GIT_BRANCH_LOCAL) < 0) {
        if (!argc) die("no commit on branch '%s' yet", name);
        die("branch '%s' does not exist", name);
    }
    if (git_branch_lookup(&up, repo, upstream, GIT_BRANCH_REMOTE) < 0 && git_branch_lookup(&up, repo, upstream, GIT_BRANCH_LOCAL) < 0) {
        note("fatal: the requested upstream branch '%s' does not exist", upstream);
        hint("\nIf you are planning on basing your work on an upstream\nbranch that already exists at the remote, you may need to\n"
             "run \"git fetch\" to retrieve it.\n\nIf you are planning to push out a new local branch that\n"
             "will track its remote counterpart, you may want to use\n\"git push -u\" to set the upstream config as you push.\n"
             "Disable this message with \"git config advice.setUpstreamFailure false\"");
        return 128;
    }
    check(git_branch_set_upstream(ref, upstream));
    g_outf("branch '%s' set up to track '%s'.\n", name, upstream);
    return 0;
}

static int drop_upstream(int argc, char **argv) {
    const char *name = argc ? argv[0] : current_branch();
    git_reference *ref;
    if (!name) die("could not unset upstream of HEAD when it does not point to any branch.");
    if (git_branch_lookup(&ref, repo, name, GIT_BRANCH_LOCAL) < 0) die("branch '%s' does not exist", name);
    if (git_branch_set_upstream(ref, NULL) < 0) die("Branch '%s' has no upstream information", name);
    return 0;
}

static int create(int argc, char **argv) {
    const char *start = argc > 1 ? argv[1] : "HEAD";
    char full[1000], log[1000];
    git_reference *made, *remote;
    git_oid id;
    if (argc > 2) usage_error(NULL);
    if (!valid_branch_name(argv[0])) die("'%s' is not a valid branch name", argv[0]);
    snprintf(full, sizeof full, "refs/heads/%s", argv[0]);
    bool exists = git_reference_name_to_id(&id, repo, full) == 0;
    if (exists && !force) die("a branch named '%s' already exists", argv[0]);
    char *head = head_target();
    if (exists && head && strcmp(head, full) == 0) die("cannot force update the branch '%s' checked out at '%.*s'", argv[0], (int)strlen(workdir()) - 1, workdir());
    git_commit *commit = commit_named(start);
    if (!commit) die("not a valid object name: '%s'", strcmp(start, "HEAD") == 0 && current_branch() ? current_branch() : start);
    snprintf(log, sizeof log, exists ? "branch: Reset to %s" : "branch: Created from %s", strcmp(start, "HEAD") == 0 && current_branch() ? current_branch() : start);
    check(git_reference_create(&made, repo, full, git_commit_id(commit), force, log));
    bool is_remote = git_branch_lookup(&remote, repo, start, GIT_BRANCH_REMOTE) == 0;
    bool is_local = !is_remote && track && git_branch_lookup(&remote, repo, start, GIT_BRANCH_LOCAL) == 0;
    if ((is_remote && config_bool("branch.autosetupmerge", true)) || is_local) {
        check(git_branch_set_upstream(made, start));
        if (!quiet) g_outf("branch '%s' set up to track '%s'.\n", argv[0], start);
    }
    return 0;
}

int cmd_branch(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    if (edit) die("--edit-description needs a terminal: use git config branch.<name>.description");
    if (show_current) {
        char *branch = current_branch();
        if (branch) g_outf("%s\n", branch);
        return 0;
    }
    if (delete_) return remove_branches(n, argv);
    if (move) return rename_branch(n, argv, false);
    if (copy) return rename_branch(n, argv, true);
    if (upstream) return set_upstream(n, argv);
    if (unset_upstream) return drop_upstream(n, argv);
    if (!n || list || ((remotes || all) && n)) return show_list(list ? n : 0, argv);
    return create(n, argv);
}
