/*
 * cmd_pull.c: git pull: fetch, then merge or rebase.
 */
#include "fetch.h"

static fetch_opts how;
static int verbose, quiet, progress, stat_, no_stat, commit = -1, squash, ff = -1, no_ff, ff_only, autostash, unrelated, signoff, edit = -1, no_verify, all, dry_run;
static const char unset[] = ""; /* --no-rebase makes it NULL */
static const char *rebase = unset, *recurse, *strategy, *depth, *log_;
static string_list strategy_options;

static void take_ff(const option *o, const char *argument, bool unset) {
    (void)argument;
    ff = !o->number && !unset;
    no_ff = !o->number && unset;
    ff_only = o->number && !unset;
}

#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG('v', "verbose", verbose, "be more verbose"), FLAG('q', "quiet", quiet, "be more quiet"), FLAG(0, "progress", progress, "force progress reporting"),
    {OPT_MAYBE, 0, "recurse-submodules", &recurse, "on-demand", "control for recursive fetching of submodules", 0, "", NULL, 0},
    {OPT_FLAG, 0, "no-tags", &how.no_tags, NULL, NULL, 0, NULL, NULL, 1}, {OPT_GROUP, 0, NULL, NULL, NULL, "Options related to merging", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'r', "rebase", &rebase, "(false|true|merges|interactive)", "incorporate changes by rebasing rather than merging", 0, "true", NULL, 0},
    FLAG('n', NULL, no_stat, "do not show a diffstat at the end of the merge"), FLAG(0, "stat", stat_, "show a diffstat at the end of the merge"),
    {OPT_MAYBE, 0, "log", &log_, "n", "add (at most <n>) entries from shortlog to merge commit message", 0, "20", NULL, 0},
    FLAG(0, "signoff", signoff, "add a Signed-off-by trailer"), FLAG(0, "squash", squash, "create a single commit instead of doing a merge"),
    FLAG(0, "commit", commit, "perform a commit if the merge succeeds (default)"), FLAG('e', "edit", edit, "edit message before committing"),
    {OPT_CALL_NONE, 0, "ff", NULL, NULL, "allow fast-forward", 0, NULL, take_ff, 0},
    {OPT_CALL_NONE, 0, "ff-only", NULL, NULL, "abort if fast-forward is not possible", 1, NULL, take_ff, 1},
    FLAG(0, "no-verify", no_verify, "control use of pre-merge-commit and commit-msg hooks"),
    FLAG(0, "autostash", autostash, "automatically stash/stash pop before and after"),
    STRING('s', "strategy", strategy, "strategy", "merge strategy to use"),
    {OPT_LIST, 'X', "strategy-option", &strategy_options, "option=value", "option for selected merge strategy", 0, NULL, NULL, 0},
    FLAG(0, "allow-unrelated-histories", unrelated, "allow merging unrelated histories"),
    {OPT_GROUP, 0, NULL, NULL, NULL, "Options related to fetching", 0, NULL, NULL, 0},
    FLAG(0, "all", all, "fetch from all remotes"), FLAG('a', "append", how.append, "append to .git/FETCH_HEAD instead of overwriting"),
    FLAG('f', "force", how.force, "force overwrite of local branch"), FLAG('t', "tags", how.tags, "fetch all tags and associated objects"),
    FLAG('p', "prune", how.prune, "prune remote-tracking branches no longer on remote"),
    FLAG(0, "dry-run", dry_run, "dry run"), STRING(0, "depth", depth, "depth", "deepen history of shallow clone"),
    FLAG(0, "unshallow", how.unshallow, "convert to a complete repository"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static _Noreturn void nothing_to_merge(const char *remote, int specs) {
    char *branch = current_branch(), key[1000];
    git_strarray names;
    if (specs) die_status(1, rebase ? "There is no candidate for rebasing against among the refs that you just fetched.\nGenerally this means that you provided a wildcard refspec which had no\nmatches on the remote end."
                                    : "There are no candidates for merging among the refs that you just fetched.\nGenerally this means that you provided a wildcard refspec which had no\nmatches on the remote end.");
    const char *verb = rebase ? "rebase against" : "merge with", *page = "git-pull(1)";
    if (!head_target()) die_status(1, "You are not currently on a branch.\nPlease specify which branch you want to %s.\nSee %s for details.\n\n    git pull <remote> <branch>\n", verb, page);
    snprintf(key, sizeof key, "branch.%s.merge", branch);
    char *merge = config_string(key);
    snprintf(key, sizeof key, "branch.%s.remote", branch);
    char *of = config_string(key);
    if (merge && of && strcmp(of, remote) == 0)
        die_status(1, "Your configuration specifies to merge with the ref '%s'\nfrom the remote, but no such ref was fetched.", merge);
    check(git_remote_list(&names, repo));
    if (of && strcmp(of, remote) != 0)
        die_status(1, "You asked to pull from the remote '%s', but did not specify\na branch. Because this is not the default configured remote\nfor your current branch, you must specify a branch on the command line.", remote);
    const char *shown = names.count == 1 ? names.strings[0] : "<remote>";
    die_status(1, "There is no tracking information for the current branch.\nPlease specify which branch you want to %s.\nSee %s for details.\n\n    git pull <remote> <branch>\n\n"
                  "If you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=%s/<branch> %s\n", verb, page, shown, branch);
}

/* The commits that FETCH_HEAD has for a merge; how many. */
static int fetched(git_oid *first) {
    char *text = read_git_file("FETCH_HEAD");
    int count = 0;
    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char *tab = strchr(line, '\t');
        if (!tab || tab[1] != '\t') continue;
        if (!count++) git_oid_fromstr(first, line);
    }
    return count;
}

static bool wants_rebase(void) {
    char key[1000];
    char *branch = current_branch(), *value = NULL;
    if (!rebase) return false;
    if (rebase != unset) return strcmp(rebase, "false") != 0;
    snprintf(key, sizeof key, "branch.%s.rebase", branch ? branch : "");
    value = config_string(key);
    if (!value) value = config_string("pull.rebase");
    return value && strcmp(value, "false") != 0 && strcmp(value, "no") != 0;
}

static bool chosen(void) {
    char key[1000], *branch = current_branch();
    snprintf(key, sizeof key, "branch.%s.rebase", branch ? branch : "");
    return rebase != unset || ff >= 0 || no_ff || ff_only || squash || config_string(key) || config_string("pull.rebase") || config_string("pull.ff");
}

static int begin_branch(const git_oid *id) {
    extern void checkout_forced(git_tree *tree);
    extern bool checkout_safely(git_tree *tree, const char *by);
    if (!checkout_safely(tree_of(commit_of(id)), "merge")) return 1;
    char *branch = head_target();
    if (branch) update_ref(branch, id, "initial pull");
    else set_head_detached(id, "initial pull");
    return 0;
}

static int pull_merge(void) {
    string_list words = {0};
    char *setting = config_string("pull.ff");
    list_add(&words, "merge");
    if (quiet) list_add(&words, "-q");
    if (no_stat) list_add(&words, "-n");
    if (!commit) list_add(&words, "--no-commit");
    if (squash) list_add(&words, "--squash");
    if (ff_only || (setting && strcmp(setting, "only") == 0 && ff < 0 && !no_ff && !rebase)) list_add(&words, "--ff-only");
    if (no_ff || (setting && strcmp(setting, "false") == 0 && ff < 0 && !ff_only)) list_add(&words, "--no-ff");
    if (unrelated) list_add(&words, "--allow-unrelated-histories");
    if (strategy) list_add(&words, "-s"), list_add(&words, strategy);
    for (int i = 0; i < strategy_options.count; i++) list_add(&words, "-X"), list_add(&words, strategy_options.items[i]);
    if (edit >= 0) list_add(&words, edit ? "--edit" : "--no-edit");
    list_add(&words, "FETCH_HEAD");
    return run_command("merge", words.count, words.items);
}

int cmd_pull(int argc, char **argv) {
    how.prune = -1;
    int n = options(argc, argv, table, "git pull [<options>] [<repository> [<refspec>...]]", 0);
    git_oid there, base;
    how.log = "pull";
    how.quiet = quiet;
    how.verbose = verbose;
    how.dry_run = dry_run;
    how.update_head = head_commit() == NULL;
    if (depth) how.depth = atoi(depth);
    if (git_index_has_conflicts(index_of_repo())) {
        error("Pulling is not possible because you have unmerged files.");
        hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.");
        die("Exiting because of an unresolved conflict.");
    }
    if (git_file_exists("MERGE_HEAD")) {
        error("You have not concluded your merge (MERGE_HEAD exists).");
        hint("Please, commit your changes before merging.");
        die("Exiting because of unfinished merge.");
    }
    char *remote = n ? argv[0] : default_remote();
    git_remote *configured;
    git_strarray names;
    bool free_choice = !chosen(), rebasing = wants_rebase();
    rebase = rebasing ? "true" : NULL;
    if (!n && git_remote_lookup(&configured, repo, remote) < 0 && git_remote_list(&names, repo) == 0 && !names.count)
        nothing_to_merge(remote, 0);
    fatal_status = 1; /* git's is that of a child that failed */
    int status = fetch_from(remote, argv + 1, n > 1 ? n - 1 : 0, &how);
    fatal_status = 128;
    if (status) return status;
    if (dry_run) return 0;
    int count = fetched(&there);
    if (!count) nothing_to_merge(remote, n > 1);
    git_commit *head = head_commit();
    if (!head) return begin_branch(&there);
    if (count > 1) die("Cannot %s.", rebasing ? "rebase onto multiple branches" : "merge multiple branches: pull them one by one");
    bool related = git_merge_base(&base, repo, git_commit_id(head), &there) == 0;
    bool can = related && (git_oid_equal(&base, git_commit_id(head)) || git_oid_equal(&base, &there));
    if (!can && free_choice) {
        hint("You have divergent branches and need to specify how to reconcile them.\nYou can do so by running one of the following commands sometime before\nyour next pull:\n\n"
             "  git config pull.rebase false  # merge\n  git config pull.rebase true   # rebase\n  git config pull.ff only       # fast-forward only\n\n"
             "You can replace \"git config\" with \"git config --global\" to set a default\npreference for all repositories. You can also pass --rebase, --no-rebase,\nor --ff-only on the command line to override the configured default per\ninvocation.");
        die("Need to specify how to reconcile divergent branches.");
    }
    if (!rebasing || (ff_only && can)) return pull_merge();
    if (can && git_oid_equal(&base, git_commit_id(head)) && !git_oid_equal(&base, &there)) {
        ff_only = 1; /* as git: no rebase where a fast-forward does */
        return pull_merge();
    }
    string_list words = {0};
    list_add(&words, "rebase");
    if (quiet) list_add(&words, "-q");
    if (autostash) list_add(&words, "--autostash");
    list_add(&words, full_id(&there));
    return run_command("rebase", words.count, words.items);
}
