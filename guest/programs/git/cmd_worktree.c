/*
 * cmd_worktree.c: git worktree: several working trees of one repository.
 */
#include "worktree.h"

#include <errno.h>
#include <unistd.h>

#include "g_file.h"

static int force, detach, no_checkout, lock, quiet, verbose, porcelain, null, dry, track = -1, guess = -1;
static const char *new_branch, *forced_branch, *reason, *expire;
static const char usage[] =
    "git worktree add [-f] [--detach] [--checkout] [--lock [--reason <string>]]\n"
    "                 [-b <new-branch>] <path> [<commit-ish>]\n"
    "git worktree list [-v | --porcelain [-z]]\ngit worktree lock [--reason <string>] <worktree>\n"
    "git worktree move <worktree> <new-path>\ngit worktree prune [-n] [-v] [--expire <expire>]\n"
    "git worktree remove [-f] <worktree>\ngit worktree repair [<path>...]\ngit worktree unlock <worktree>";
#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static void set_checkout(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    no_checkout = unset;
}

/* ---- add */

/* The name that it gets below worktrees/: the path's last part, and a number where that is taken. */
static char *make_folder(const char *path) {
    char *base = g_base(path), *name = g_copy_string(base);
    for (char *p = name; *p; p++)
        if (strchr(" ~^:?*[\\", *p) || (unsigned char)*p < 32) *p = '-';
    if (!*name || *name == '.' || *name == '/') die("could not figure out worktree name for '%s'", path);
    g_text candidate = {0};
    g_text_adds(&candidate, name);
    mkdir(worktree_file("", ""), 0777);
    for (unsigned n = 1; mkdir(worktree_file(candidate.s, ""), 0777) < 0; n++) {
        if (errno != EEXIST) die("could not create directory of '%s': %s", worktree_file(candidate.s, ""), strerror(errno));
        candidate.len = 0;
        g_text_addf(&candidate, "%s%u", name, n);
    }
    free(base);
    free(name);
    return candidate.s;
}

static void write_line(const char *path, const char *text) {
    g_text line = {0};
    g_text_addf(&line, "%s\n", text);
    write_file(path, line.s, line.len);
    g_text_free(&line);
}

static bool is_empty_folder(const char *path) {
    struct stat st;
    if (lstat(path, &st) < 0) return errno == ENOENT;
    return S_ISDIR(st.st_mode) && rmdir(path) == 0;
}

static void check_path(const char *path, const char *shown) {
    const worktree *there = worktree_named(path);
    if (!is_empty_folder(path)) die("'%s' already exists", shown);
    if (!there || !there->id || strcmp(there->path, path) != 0) return;
    if (force && !there->locked) {
        unlink(worktree_file(there->id, "gitdir"));
        return;
    }
    if (there->locked)
        die("'%s' is a missing but locked worktree;\nuse '%s -f -f' to override, or 'unlock' and 'prune' or 'remove' to clear", shown, "add");
    die("'%s' is a missing but already registered worktree;\nuse '%s -f' to override, or 'prune' or 'remove' to clear", shown, "add");
}

typedef struct {
    const char *ref; /* that is checked out; NULL: detached */
    git_commit *commit;
    bool made;
} target;

static bool branch_exists(const char *name, char **full) {
    git_oid id;
    g_text ref = {0};
    g_text_addf(&ref, "refs/heads/%s", name);
    *full = ref.s;
    return git_reference_name_to_id(&id, repo, ref.s) == 0;
}

static void refuse_checked_out(const char *ref) {
    const worktree *other = worktree_of_branch(ref);
    char *head = head_target();
    if (force) return;
    if (other) die("'%s' is already checked out at '%s'", ref + 11, other->path);
    if (head && strcmp(head, ref) == 0 && git_repository_workdir(repo))
        die("'%s' is already checked out at '%.*s'", ref + 11, (int)strlen(workdir()) - 1, workdir());
}

/* The one branch of a remote that a name stands for, "origin/x"; NULL. */
static char *remote_branch(const char *name) {
    git_strarray remotes = {0};
    char *found = NULL;
    if (git_remote_list(&remotes, repo) < 0) return NULL;
    for (size_t i = 0; i < remotes.count; i++) {
        git_oid id;
        g_text ref = {0};
        g_text_addf(&ref, "refs/remotes/%s/%s", remotes.strings[i], name);
        if (git_reference_name_to_id(&id, repo, ref.s) < 0) continue;
        if (found) return NULL;
        found = ref.s + 13;
    }
    git_strarray_dispose(&remotes);
    return found;
}

static git_commit *start_commit(const char *name) {
    git_commit *commit = commit_named(name);
    if (!commit) die("invalid reference: %s", name);
    return commit;
}

static void make_branch(const char *name, const char *ref, const char *start, git_commit *commit, bool exists) {
    git_reference *made;
    char *upstream = track == 0 || strncmp(start, "refs/", 5) == 0 ? NULL : g_copy_string(start);
    g_text remote_ref = {0};
    git_oid id;
    if (exists && forced_branch) refuse_checked_out(ref);
    if (!quiet && exists && forced_branch) {
        git_oid was;
        check(git_reference_name_to_id(&was, repo, ref));
        note("Preparing worktree (resetting branch '%s'; was at %s)", name, short_id(&was));
    } else if (!quiet) {
        note("Preparing worktree (new branch '%s')", name);
    }
    if (exists && !forced_branch) die("a branch named '%s' already exists", name);
    check(git_branch_create(&made, repo, name, commit, forced_branch != NULL));
    g_text_addf(&remote_ref, "refs/remotes/%s", upstream ? upstream : "");
    if (!upstream || git_reference_name_to_id(&id, repo, remote_ref.s) < 0) return;
    check(git_branch_set_upstream(made, upstream));
    if (!quiet) g_outf("branch '%s' set up to track '%s'.\n", name, upstream);
}

static target choose(const char *path, const char *start) {
    const char *name = new_branch ? new_branch : forced_branch;
    char *ref;
    if (start && strcmp(start, "-") == 0) start = "@{-1}";
    if (!name && !detach && !start) {
        name = g_base(path);
        if (branch_exists(name, &ref)) start = name, name = NULL;
        else if (config_bool("worktree.guessremote", guess > 0) && remote_branch(name)) start = remote_branch(name);
    } else if (!name && !detach && start && !commit_named(start) && remote_branch(start)) {
        name = start;
        start = remote_branch(name);
    }
    if (!start) start = "HEAD";
    if (name) {
        bool exists = branch_exists(name, &ref);
        if (!valid_branch_name(name)) die("'%s' is not a valid branch name", name);
        git_commit *commit = start_commit(start);
        make_branch(name, ref, start, commit, exists);
        return (target){ref, commit, true};
    }
    git_commit *commit = start_commit(start);
    if (!detach && branch_exists(start, &ref)) {
        if (!quiet) note("Preparing worktree (checking out '%s')", start);
        return (target){ref, commit, false};
    }
    if (!quiet) note("Preparing worktree (detached HEAD %s)", short_id(git_commit_id(commit)));
    return (target){NULL, commit, false};
}

static int fill(const char *path) {
    if (chdir(path) < 0) die("cannot change to '%s': %s", path, strerror(errno));
    git_repository_free(repo);
    check(git_repository_open(&repo, "."));
    add_settings();
    prefix = "";
    return run_command("reset", quiet ? 3 : 2, (char *[]){"reset", "--hard", "--quiet", NULL});
}

static int worktree_new(int n, char **operands) {
    static const char *const forms[] = {"-b", "-B", "--detach"};
    int chosen = (new_branch != NULL) + (forced_branch != NULL) + detach;
    if (chosen > 1) die("options '%s', '%s', and '%s' cannot be used together", forms[0], forms[1], forms[2]);
    if (reason && !lock) die("the option '%s' requires '%s'", "--reason", "--lock");
    if (n < 1 || n > 2) usage_error(NULL);
    char *path = g_canonicalize(operands[0], G_ANY_MISSING, false);
    if (!path) die("could not create leading directories of '%s': %s", operands[0], strerror(errno));
    target to = choose(path, n > 1 ? operands[1] : NULL);
    check_path(path, operands[0]); /* a branch that was made stays, as git leaves it */
    if (to.ref && !to.made) refuse_checked_out(to.ref);
    char *id = make_folder(path), *link = g_join(path, ".git");
    g_make_parents(path);
    if (mkdir(path, 0777) < 0) die("could not create leading directories of '%s': %s", link, strerror(errno));
    g_text line = {0};
    g_text_addf(&line, "gitdir: %s", worktree_file(id, ""));
    write_line(link, line.s);
    line.len = 0;
    g_text_addf(&line, "%s%s", to.ref ? "ref: " : "", to.ref ? to.ref : full_id(git_commit_id(to.commit)));
    write_line(worktree_file(id, "gitdir"), link);
    write_line(worktree_file(id, "commondir"), "../..");
    write_line(worktree_file(id, "HEAD"), line.s);
    if (lock) write_line(worktree_file(id, "locked"), reason ? reason : "added with --lock");
    worktrees_changed();
    return no_checkout ? 0 : fill(path);
}

/* ---- list */

static void list_porcelain(const worktree *tree) {
    char end = null ? '\0' : '\n';
    g_outf("worktree %s%c", tree->path, end);
    if (tree->bare) {
        g_outf("bare%c", end);
    } else {
        g_outf("HEAD %s%c", full_id(&tree->head), end);
        if (tree->ref) g_outf("branch %s%c", tree->ref, end);
        else g_outf("detached%c", end);
    }
    if (tree->locked) g_outf("locked%s%s%c", *tree->locked ? " " : "", tree->locked, end);
    if (tree->lost) g_outf("prunable %s%c", tree->lost, end);
    g_outc(end);
}

static void list_one(const worktree *tree, size_t width, int hex) {
    g_outf("%s", tree->path);
    g_out_fill(' ', width + 1 - g_text_width(tree->path, strlen(tree->path)));
    if (tree->bare) g_outf("(bare)");
    else g_outf("%-*s ", hex, git_oid_is_zero(&tree->head) ? "0000000" : short_id(&tree->head));
    if (!tree->bare && tree->ref) g_outf("[%s]", short_ref(tree->ref));
    else if (!tree->bare) g_outf("(detached HEAD)");
    if (tree->locked && verbose && *tree->locked) g_outf("\n\tlocked: %s", tree->locked);
    else if (tree->locked) g_outf(" locked");
    if (tree->lost && verbose) g_outf("\n\tprunable: %s", tree->lost);
    else if (tree->lost) g_outf(" prunable");
    g_outc('\n');
}

static int list(int n, char **operands) {
    size_t count, width = 0;
    int hex = 7;
    (void)operands;
    if (n) usage_error(NULL);
    if (verbose && porcelain) die("options '%s' and '%s' cannot be used together", "--verbose", "--porcelain");
    if (null && !porcelain) die("the option '%s' requires '%s'", "-z", "--porcelain");
    const worktree *all = worktrees(&count);
    for (size_t i = 0; i < count; i++) {
        size_t len = g_text_width(all[i].path, strlen(all[i].path));
        int name = git_oid_is_zero(&all[i].head) ? 7 : (int)strlen(short_id(&all[i].head));
        if (len > width) width = len;
        if (name > hex) hex = name;
    }
    for (size_t i = 0; i < count; i++) {
        if (porcelain) list_porcelain(&all[i]);
        else list_one(&all[i], width + 1, hex);
    }
    return 0;
}

/* ---- remove, prune, lock */

static void forget(const worktree *tree) {
    remove_tree(worktree_file(tree->id, ""));
    rmdir(worktree_file("", "")); /* with the last one */
    worktrees_changed();
}

static const worktree *linked(const char *name) {
    const worktree *tree = worktree_named(name);
    if (!tree) die("'%s' is not a working tree", name);
    return tree;
}

/* Whether something in it would be lost. */
static bool is_changed(const worktree *tree) {
    git_repository *there;
    git_status_list *list_;
    git_status_options o = GIT_STATUS_OPTIONS_INIT;
    if (git_repository_open(&there, tree->path) < 0) die("validation failed, cannot remove working tree: '%s' is not a repository", tree->path);
    o.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
    check(git_status_list_new(&list_, there, &o));
    bool changed = git_status_list_entrycount(list_) > 0;
    git_status_list_free(list_);
    git_repository_free(there);
    return changed;
}

static int remove_(int n, char **operands) {
    if (n != 1) usage_error(NULL);
    const worktree *tree = linked(operands[0]);
    if (!tree->id) die("'%s' is a main working tree", operands[0]);
    if (tree->locked && force < 2) {
        if (*tree->locked) die("cannot remove a locked working tree, lock reason: %s\nuse 'remove -f -f' to override or unlock first", tree->locked);
        die("cannot remove a locked working tree;\nuse 'remove -f -f' to override or unlock first");
    }
    if (file_exists(tree->path)) {
        if (!force && is_changed(tree)) die("'%s' contains modified or untracked files, use --force to delete it", operands[0]);
        if (!remove_tree(tree->path)) die("failed to delete '%s'", tree->path);
    }
    forget(tree);
    return 0;
}

static int prune(int n, char **operands) {
    size_t count;
    (void)operands;
    if (n) usage_error(NULL);
    if (expire && strcmp(expire, "now") != 0 && strcmp(expire, "all") != 0)
        die("git worktree prune --expire=%s is not there: only 'now'", expire);
    for (bool again = true; again;) {
        const worktree *all = worktrees(&count);
        again = false;
        for (size_t i = 1; i < count && !again; i++) {
            if (!all[i].lost) continue;
            if (verbose || dry) note("Removing worktrees/%s: %s", all[i].id, all[i].lost);
            if (dry) continue;
            forget(&all[i]);
            again = true; /* the list is another one now */
        }
    }
    return 0;
}

static int lock_(int n, char **operands) {
    if (n != 1) usage_error(NULL);
    const worktree *tree = linked(operands[0]);
    if (!tree->id) die("The main working tree cannot be locked or unlocked");
    if (tree->locked && *tree->locked) die("'%s' is already locked, reason: %s", operands[0], tree->locked);
    if (tree->locked) die("'%s' is already locked", operands[0]);
    if (reason) write_line(worktree_file(tree->id, "locked"), reason);
    else write_file(worktree_file(tree->id, "locked"), "", 0);
    return 0;
}

static int unlock(int n, char **operands) {
    if (n != 1) usage_error(NULL);
    const worktree *tree = linked(operands[0]);
    if (!tree->id) die("The main working tree cannot be locked or unlocked");
    if (!tree->locked) die("'%s' is not locked", operands[0]);
    return unlink(worktree_file(tree->id, "locked")) < 0;
}

int cmd_worktree(int argc, char **argv) {
    static const option adding[] = {
        {OPT_COUNT, 'f', "force", &force, NULL, "checkout <branch> even if already checked out in other worktree", 0, NULL, NULL, 0},
        {OPT_STRING, 'b', NULL, &new_branch, "branch", "create a new branch", 0, NULL, NULL, 0},
        {OPT_STRING, 'B', NULL, &forced_branch, "branch", "create or reset a branch", 0, NULL, NULL, 0},
        FLAG('d', "detach", detach, "detach HEAD at named commit"),
        {OPT_CALL_NONE, 0, "checkout", NULL, NULL, "populate the new working tree", 0, NULL, set_checkout, 0},
        FLAG(0, "lock", lock, "keep the new working tree locked"),
        {OPT_STRING, 0, "reason", &reason, "string", "reason for locking", 0, NULL, NULL, 0},
        FLAG('q', "quiet", quiet, "suppress progress reporting"),
        FLAG(0, "track", track, "set up tracking mode (see git-branch(1))"),
        FLAG(0, "guess-remote", guess, "try to match the new branch name with a remote-tracking branch"), END};
    static const option listing[] = {FLAG(0, "porcelain", porcelain, "machine-readable output"),
        FLAG('v', "verbose", verbose, "show extended annotations and reasons, if available"),
        FLAG('z', NULL, null, "terminate records with a NUL character"), END};
    static const option removing[] = {
        {OPT_COUNT, 'f', "force", &force, NULL, "force removal even if worktree is dirty or locked", 0, NULL, NULL, 0}, END};
    static const option pruning[] = {FLAG('n', "dry-run", dry, "do not remove, show only"),
        FLAG('v', "verbose", verbose, "report pruned working trees"),
        {OPT_STRING, 0, "expire", &expire, "expiry-date", "expire working trees older than <time>", 0, NULL, NULL, 0}, END};
    static const option locking[] = {{OPT_STRING, 0, "reason", &reason, "string", "reason for locking", 0, NULL, NULL, 0}, END};
    static const option none[] = {END};
    static const struct {
        const char *name;
        const option *table;
        int (*run)(int n, char **operands);
    } verbs[] = {{"add", adding, worktree_new}, {"list", listing, list}, {"remove", removing, remove_},
                 {"prune", pruning, prune}, {"lock", locking, lock_}, {"unlock", none, unlock}};
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) {
            int n = options(argc - 1, argv + 1, verbs[i].table, usage, 0);
            return verbs[i].run(n, argv + 1);
        }
    if (argc > 1 && (strcmp(argv[1], "move") == 0 || strcmp(argv[1], "repair") == 0))
        die("git worktree %s is not there: remove the tree and add it again", argv[1]);
    options(1, argv, none, usage, 0);
    if (argc > 1) usage_error("error: unknown subcommand: `%s'", argv[1]);
    usage_error("error: need a subcommand");
}
