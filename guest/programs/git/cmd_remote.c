/*
 * cmd_remote.c: git remote: their names and addresses.
 */
#include "git.h"

static int verbose;
static bool removing; /* one colon more in its message */
static const option table[] = {
    {OPT_FLAG, 'v', "verbose", &verbose, NULL, "be verbose; must be placed before a subcommand", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git remote [-v | --verbose]\ngit remote add [-t <branch>] [-m <master>] [-f] [--tags | --no-tags] [--mirror=<fetch|push>] <name> <url>\n"
                            "git remote rename [--[no-]progress] <old> <new>\ngit remote remove <name>\ngit remote get-url [--push] [--all] <name>\n"
                            "git remote set-url [--push] <name> <newurl> [<oldurl>]";

static git_remote *named(const char *name) {
    git_remote *remote;
    if (git_remote_lookup(&remote, repo, name) == 0) return remote;
    error("No such remote%s '%s'", removing ? ":" : "", name);
    g_exit(2);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int list(void) {
    git_strarray names;
    check(git_remote_list(&names, repo));
    if (names.count) qsort(names.strings, names.count, sizeof *names.strings, by_name);
    for (size_t i = 0; i < names.count; i++) {
        if (!verbose) {
            g_outf("%s\n", names.strings[i]);
            continue;
        }
        git_remote *remote = named(names.strings[i]);
        const char *push = git_remote_pushurl(remote);
        g_outf("%s\t%s (fetch)\n", names.strings[i], git_remote_url(remote));
        g_outf("%s\t%s (push)\n", names.strings[i], push ? push : git_remote_url(remote));
    }
    return 0;
}

int cmd_remote(int argc, char **argv) {
    int n = options(argc, argv, table, usage, STOP_AT_OPERAND), valid = 0;
    git_remote *remote;
    git_strarray problems;
    if (!n) return list();
    const char *what = argv[0];
    if (strcmp(what, "add") == 0) {
        if (n != 3) usage_error(NULL);
        git_remote_name_is_valid(&valid, argv[1]);
        if (!valid) die("'%s' is not a valid remote name", argv[1]);
        int rc = git_remote_create(&remote, repo, argv[1], argv[2]);
        if (rc == GIT_EEXISTS) {
            error("remote %s already exists.", argv[1]);
            return 3;
        }
        return check(rc);
    }
    if (strcmp(what, "remove") == 0 || strcmp(what, "rm") == 0) {
        if (n != 2) usage_error(NULL);
        removing = true;
        named(argv[1]);
        return check(git_remote_delete(repo, argv[1]));
    }
    if (strcmp(what, "rename") == 0) {
        if (n != 3) usage_error(NULL);
        named(argv[1]);
        return check(git_remote_rename(&problems, repo, argv[1], argv[2]));
    }
    if (strcmp(what, "get-url") == 0) {
        if (n != 2) usage_error(NULL);
        g_outf("%s\n", git_remote_url(named(argv[1])));
        return 0;
    }
    if (strcmp(what, "set-url") == 0) {
        bool push = n > 1 && strcmp(argv[1], "--push") == 0;
        if (n != 3 + push) usage_error(NULL);
        named(argv[1 + push]);
        return check(push ? git_remote_set_pushurl(repo, argv[2], argv[3]) : git_remote_set_url(repo, argv[1], argv[2]));
    }
    error("unknown subcommand: `%s'", what);
    usage_error(NULL);
}
