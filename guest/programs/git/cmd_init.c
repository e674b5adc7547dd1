/*
 * cmd_init.c: git init.
 */
#include "git.h"

#include "g_file.h"

static const char *template_, *separate, *branch, *object_format, *shared;
static int quiet, bare;

static const option table[] = {
    {OPT_STRING, 0, "template", &template_, "template-directory",
     "directory from which templates will be used", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "bare", &bare, NULL, "create a bare repository", 0, NULL, NULL, 0},
    {OPT_MAYBE, 0, "shared", &shared, "permissions",
     "specify that the git repository is to be shared amongst several users", 0, "group", NULL, 0},
    {OPT_FLAG, 'q', "quiet", &quiet, NULL, "be quiet", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "separate-git-dir", &separate, "gitdir", "separate git dir from working tree", 0,
     NULL, NULL, 0},
    {OPT_STRING, 'b', "initial-branch", &branch, "name", "override the name of the initial branch", 0,
     NULL, NULL, 0},
    {OPT_STRING, 0, "object-format", &object_format, "hash", "specify the hash algorithm to use", 0,
     NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git init [-q | --quiet] [--bare] [--template=<template-directory>]\n"
                            "         [--separate-git-dir <git-dir>] [--object-format=<format>]\n"
                            "         [-b <branch-name> | --initial-branch=<branch-name>]\n"
                            "         [--shared[=<permissions>]] [<directory>]";

static void advise(void) {
    hint("Using 'master' as the name for the initial branch. This default branch name\n"
         "is subject to change. To configure the initial branch name to use in all\n"
         "of your new repositories, which will suppress this warning, call:\n"
         "\n"
         "\tgit config --global init.defaultBranch <name>\n"
         "\n"
         "Names commonly chosen instead of 'master' are 'main', 'trunk' and\n"
         "'development'. The just-created branch can be renamed via this command:\n"
         "\n"
         "\tgit branch -m <name>");
}

/* Where the repository is to be: DIR/.git, or DIR itself when bare. */
static bool is_there(const char *dir) {
    char *head = g_join(dir, "HEAD"), *objects = g_join(dir, "objects");
    bool there = file_exists(head) && file_exists(objects);
    free(head);
    free(objects);
    return there;
}

void write_first_config(bool bare_) {
    g_text text = {0};
    char *worktree = config_string("core.worktree");
    g_text_addf(&text, "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = %s\n%s",
                bare_ ? "true" : "false", bare_ ? "" : "\tlogallrefupdates = true\n");
    if (worktree) g_text_addf(&text, "\tworktree = %s\n", worktree);
    write_git_file("config", text.s);
    g_text_free(&text);
}

int cmd_init(int argc, char **argv) {
    int count = options(argc, argv, table, usage, 0);
    git_repository_init_options o = GIT_REPOSITORY_INIT_OPTIONS_INIT;
    if (count > 1) usage_error(NULL);
    const char *dir = count ? argv[0] : ".";
    const char *env = getenv("GIT_DIR");
    if (object_format && strcmp(object_format, "sha1") != 0)
        die("unknown hash algorithm '%s'", object_format);
    char *wanted = branch ? g_copy_string(branch) : config_string("init.defaultbranch");
    char *target = separate ? g_copy_string(separate) : env ? g_copy_string(env) : bare ? g_copy_string(dir) : g_join(dir, ".git");
    bool again = is_there(target);
    if (branch && !valid_branch_name(branch)) die("invalid initial branch name: '%s'", branch);
    if (again && branch) warning("re-init: ignored --initial-branch=%s", branch);
    if (!again && !wanted && !quiet) advise();
    o.flags = GIT_REPOSITORY_INIT_MKPATH | (bare ? GIT_REPOSITORY_INIT_BARE : 0);
    if (shared) o.mode = GIT_REPOSITORY_INIT_SHARED_GROUP;
    if (env || separate) {
        o.flags |= GIT_REPOSITORY_INIT_NO_DOTGIT_DIR;
        o.workdir_path = bare ? NULL : dir;
    }
    o.initial_head = again ? NULL : wanted ? wanted : "master";
    if (git_repository_init_ext(&repo, env || separate ? target : dir, &o) < 0)
        die("cannot mkdir %s: %s", dir, git_message());
    if (!again) {
        git_config *config;
        write_first_config(bare);
        check(git_repository_config(&config, repo));
        if (shared) check(git_config_set_string(config, "receive.denyNonFastforwards", "true"));
    }
    if (!quiet)
        g_outf("%s %sGit repository in %s\n", again ? "Reinitialized existing" : "Initialized empty",
               shared ? "shared " : "", git_repository_path(repo));
    return 0;
}
