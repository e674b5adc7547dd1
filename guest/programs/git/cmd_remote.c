/*
 * cmd_remote.c: git remote: other repositories by name.
 */
#include "fetch.h"

static int verbose, fetch, tags = -1, push, all, add_, delete_, automatic, cached, dry_run, prune;
static const char *mirror, *master;
static string_list branches;
#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}
static const option table[] = {FLAG('v', "verbose", verbose, "be verbose; must be placed before a subcommand"), END};
static const option add_table[] = {
    FLAG('f', "fetch", fetch, "fetch the remote branches"), FLAG(0, "tags", tags, "import all tags and associated objects when fetching\n                          or do not fetch any tag at all (--no-tags)"),
    {OPT_LIST, 't', "track", &branches, "branch", "branch(es) to track", 0, NULL, NULL, 0},
    {OPT_STRING, 'm', "master", &master, "branch", "master branch", 0, NULL, NULL, 0},
    {OPT_MAYBE, 0, "mirror", &mirror, "(push|fetch)", "set up remote as a mirror to push to or fetch from", 0, "both", NULL, 0}, END};
static const option url_table[] = {FLAG(0, "push", push, "manipulate push URLs"), FLAG(0, "add", add_, "add URL"), FLAG(0, "delete", delete_, "delete URLs"), FLAG(0, "all", all, "return all URLs"), END};
static const option head_table[] = {FLAG('a', "auto", automatic, "set refs/remotes/<name>/HEAD according to remote"), FLAG('d', "delete", delete_, "delete refs/remotes/<name>/HEAD"), END};
static const option other_table[] = {FLAG('n', NULL, cached, "do not query remotes"), FLAG(0, "dry-run", dry_run, "dry run"), FLAG('p', "prune", prune, "prune remotes after fetching"), FLAG(0, "add", add_, "add branch"), END};
static const char usage[] = "git remote [-v | --verbose]\ngit remote add [-t <branch>] [-m <master>] [-f] [--tags | --no-tags] [--mirror=<fetch|push>] <name> <url>\n"
                            "git remote rename [--[no-]progress] <old> <new>\ngit remote remove <name>\ngit remote set-head <name> (-a | --auto | -d | --delete | <branch>)\n"
                            "git remote [-v | --verbose] show [-n] <name>\ngit remote prune [-n | --dry-run] <name>\ngit remote [-v | --verbose] update [-p | --prune] [(<group> | <remote>)...]\n"
                            "git remote set-branches [--add] <name> <branch>...\ngit remote get-url [--push] [--all] <name>\ngit remote set-url [--push] <name> <newurl> [<oldurl>]\n"
                            "git remote set-url --add <name> <newurl>\ngit remote set-url --delete <name> <url>";

static git_remote *named(const char *name) {
    git_remote *remote;
    if (git_remote_lookup(&remote, repo, name) == 0) return remote;
    error("No such remote '%s'", name);
    g_exit(2);
}

static git_config *config_of_repo(void) {
    git_config *config, *local;
    check(git_repository_config(&config, repo));
    return git_config_open_level(&local, config, GIT_CONFIG_LEVEL_LOCAL) == 0 ? local : config;
}

static const char *key_of(const char *name, const char *what) {
    static char key[1000];
    snprintf(key, sizeof key, "remote.%s.%s", name, what);
    return key;
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
        const char *url = git_remote_pushurl(remote);
        g_outf("%s\t%s (fetch)\n", names.strings[i], git_remote_url(remote));
        g_outf("%s\t%s (push)\n", names.strings[i], url ? url : git_remote_url(remote));
    }
    return 0;
}

static int get(const char *name, bool with_tags) {
    fetch_opts how = {.prune = prune ? 1 : -1, .tags = with_tags, .log = "fetch"};
    if (fetch) g_outf("Updating %s\n", name);
    g_out_flush();
    return fetch_from(name, NULL, 0, &how);
}

static void set_fetch_specs(const char *name, bool adding) {
    git_config *config = config_of_repo();
    char value[1000];
    if (!adding) git_config_delete_multivar(config, key_of(name, "fetch"), ".*");
    for (int i = 0; i < branches.count; i++) {
        snprintf(value, sizeof value, "+refs/heads/%s:refs/remotes/%s/%s", branches.items[i], name, branches.items[i]);
        check(git_config_set_multivar(config, key_of(name, "fetch"), "^$", value));
    }
}

static int remote_add(int argc, char **argv) {
    int n = options(argc, argv, add_table, "git remote add [<options>] <name> <url>", 0), valid = 0;
    git_remote *remote;
    git_config *config = config_of_repo();
    if (n != 2) usage_error(NULL);
    git_remote_name_is_valid(&valid, argv[0]);
    if (git_remote_lookup(&remote, repo, argv[0]) == 0) {
        error("remote %s already exists.", argv[0]);
        return 3;
    }
    if (!valid) die("'%s' is not a valid remote name", argv[0]);
    if (mirror && strcmp(mirror, "both") == 0) warning("--mirror is dangerous and deprecated; please\n\t use --mirror=fetch or --mirror=push instead");
    bool mirrors = mirror && strcmp(mirror, "push") != 0;
    if (mirror && branches.count && !mirrors) die("specifying branches to track makes sense only with fetch mirrors");
    check(git_config_set_string(config, key_of(argv[0], "url"), argv[1]));
    if (mirrors && !branches.count) check(git_config_set_string(config, key_of(argv[0], "fetch"), "+refs/*:refs/*"));
    else if (!mirror && !branches.count) list_add(&branches, "*");
    set_fetch_specs(argv[0], true);
    if (mirror && strcmp(mirror, "fetch") != 0) check(git_config_set_bool(config, key_of(argv[0], "mirror"), true));
    if (tags >= 0) check(git_config_set_string(config, key_of(argv[0], "tagopt"), tags ? "--tags" : "--no-tags"));
    int status = fetch ? get(argv[0], tags > 0) : 0;
    if (master) {
        char from[1000], to[1000];
        git_reference *ref;
        snprintf(from, sizeof from, "refs/remotes/%s/HEAD", argv[0]);
        snprintf(to, sizeof to, "refs/remotes/%s/%s", argv[0], master);
        check(git_reference_symbolic_create(&ref, repo, from, to, true, "remote add"));
    }
    return status != 0;
}

/* Sections that nothing is left in go; that of the remote `old` gets another name, and what names it. */
static void tidy_config(const char *old, const char *new_) {
    size_t len;
    char *path = git_file("config"), *text = read_file(path, &len), header[1000], space[1000];
    g_text out = {0};
    if (!text) return;
    snprintf(header, sizeof header, "[remote \"%s\"]", old ? old : "");
    snprintf(space, sizeof space, ":refs/remotes/%s/", old ? old : "");
    g_text_adds(&out, "");
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        n += line[n] == '\n';
        char *next = line + n, *copy = g_copy_bytes(line, n), *found;
        bool empty = *line == '[' && (!*next || *next == '[') && (strncmp(line, "[remote ", 8) == 0 || strncmp(line, "[branch ", 8) == 0);
        if (old && strncmp(line, header, strlen(header)) == 0) g_text_addf(&out, "[remote \"%s\"]\n", new_);
        else if (old && (found = strstr(copy, space)) != NULL)
            g_text_addf(&out, "%.*s:refs/remotes/%s/%s", (int)(found - copy), copy, new_, found + strlen(space));
        else if (!empty) g_text_adds(&out, copy);
        free(copy);
        line = next;
    }
    write_file(path, out.s, out.len);
    g_text_free(&out);
    free(text);
}

static void rename_refs(const char *old, const char *new_) {
    git_strarray names;
    char begin[500], to[1000];
    snprintf(begin, sizeof begin, "refs/remotes/%s/", old);
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count; i++) {
        git_reference *ref, *made;
        const char *name = names.strings[i];
        if (strncmp(name, begin, strlen(begin)) != 0 || git_reference_lookup(&ref, repo, name) < 0) continue;
        snprintf(to, sizeof to, "refs/remotes/%s/%s", new_, name + strlen(begin));
        if (git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) {
            char target[1000];
            snprintf(target, sizeof target, "refs/remotes/%s/%s", new_, git_reference_symbolic_target(ref) + strlen(begin));
            check(git_reference_symbolic_create(&made, repo, to, target, true, "remote: renamed"));
            check(git_reference_delete(ref));
        } else {
            check(git_reference_rename(&made, ref, to, true, "remote: renamed"));
        }
    }
}

static void rename_in_branches(const char *old, const char *new_) {
    git_strarray names;
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count; i++) {
        char key[1000];
        if (strncmp(names.strings[i], "refs/heads/", 11) != 0) continue;
        snprintf(key, sizeof key, "branch.%s.remote", names.strings[i] + 11);
        char *of = config_string(key);
        if (of && strcmp(of, old) == 0) check(git_config_set_string(config_of_repo(), key, new_));
    }
}

static int remove_(const char *name) {
    git_remote *remote;
    if (git_remote_lookup(&remote, repo, name) < 0) {
        error("No such remote: '%s'", name);
        return 2;
    }
    check(git_remote_delete(repo, name));
    tidy_config(NULL, NULL);
    return 0;
}

static int rename_(int n, char **argv) {
    int valid = 0;
    if (n != 2) usage_error(NULL);
    git_remote *remote;
    if (git_remote_lookup(&remote, repo, argv[0]) < 0) {
        error("No such remote: '%s'", argv[0]);
        return 2;
    }
    if (strcmp(argv[0], argv[1]) != 0 && git_remote_lookup(&remote, repo, argv[1]) == 0) {
        error("remote %s already exists.", argv[1]);
        return 3;
    }
    git_remote_name_is_valid(&valid, argv[1]);
    if (!valid) die("'%s' is not a valid remote name", argv[1]);
    rename_in_branches(argv[0], argv[1]);
    tidy_config(argv[0], argv[1]);
    rename_refs(argv[0], argv[1]);
    return 0;
}

static int set_url(int argc, char **argv) {
    int n = options(argc, argv, url_table, "git remote set-url [--push] <name> <newurl> [<oldurl>]\ngit remote set-url --add <name> <newurl>\ngit remote set-url --delete <name> <url>", 0);
    git_config *config = config_of_repo();
    if (n < 2 || n > 3 || ((add_ || delete_) && n > 2)) usage_error(NULL);
    named(argv[0]);
    const char *key = key_of(argv[0], push ? "pushurl" : "url");
    if (add_) return check(git_config_set_multivar(config, key, "^$", argv[1]));
    if (delete_) {
        if (!push && strcmp(git_remote_url(named(argv[0])), argv[1]) == 0) die("Will not delete all non-push URLs");
        if (git_config_delete_multivar(config, key, argv[1]) < 0) die("No such URL found: %s", argv[1]);
        return 0;
    }
    if (n == 3 && strcmp(git_remote_url(named(argv[0])), argv[2]) != 0) die("No such URL found: %s", argv[2]);
    return check(git_config_set_string(config, key, argv[1]));
}

static int print_url(const git_config_entry *entry, void *payload) {
    (void)payload;
    g_outf("%s\n", entry->value);
    return 0;
}

static int get_url(int argc, char **argv) {
    int n = options(argc, argv, url_table, "git remote get-url [--push] [--all] <name>", 0);
    if (n != 1) usage_error(NULL);
    git_remote *remote = named(argv[0]);
    if (all) {
        git_config *config;
        check(git_repository_config(&config, repo));
        const char *key = key_of(argv[0], push && git_remote_pushurl(remote) ? "pushurl" : "url");
        return git_config_get_multivar_foreach(config, key, NULL, print_url, NULL);
    }
    g_outf("%s\n", push && git_remote_pushurl(remote) ? git_remote_pushurl(remote) : git_remote_url(remote));
    return 0;
}

static int remote_set_head(int argc, char **argv) {
    int n = options(argc, argv, head_table, "git remote set-head <name> (-a | --auto | -d | --delete | <branch>)", 0);
    char from[1000], to[1000];
    git_reference *ref;
    git_oid id;
    if (!n || (!automatic && !delete_ && n != 2)) usage_error(NULL);
    snprintf(from, sizeof from, "refs/remotes/%s/HEAD", argv[0]);
    if (delete_) {
        if (git_reference_lookup(&ref, repo, from) < 0) return error("Could not delete %s", from), 1;
        return check(git_reference_delete(ref));
    }
    const char *branch = n > 1 ? argv[1] : NULL;
    if (automatic) {
        remote_link *link = link_open(link_url(argv[0], false), false, NULL);
        const link_ref *head = link_find(link, "HEAD");
        if (!head || !head->target) return error("Cannot determine remote HEAD"), 1;
        branch = pretty_ref(head->target);
    }
    snprintf(to, sizeof to, "refs/remotes/%s/%s", argv[0], branch);
    if (git_reference_name_to_id(&id, repo, to) < 0) return error("Not a valid ref: %s", to), 1;
    check(git_reference_symbolic_create(&ref, repo, from, to, true, "remote set-head"));
    if (automatic) g_outf("%s/HEAD set to %s\n", argv[0], branch);
    return 0;
}

/* ---- show */

/* The branches here that follow this remote; how many. `width` 0: they are only measured. */
static int pulls(const char *name, int *width, bool print) {
    git_strarray refs;
    int count = 0;
    check(git_reference_list(&refs, repo));
    for (size_t i = 0; i < refs.count; i++) {
        char key[1000];
        if (strncmp(refs.strings[i], "refs/heads/", 11) != 0) continue;
        snprintf(key, sizeof key, "branch.%s.remote", refs.strings[i] + 11);
        char *of = config_string(key);
        snprintf(key, sizeof key, "branch.%s.merge", refs.strings[i] + 11);
        char *merge = config_string(key);
        if (!of || !merge || strcmp(of, name) != 0) continue;
        int len = (int)strlen(refs.strings[i] + 11);
        if (len > *width) *width = len;
        if (print) g_outf("    %-*s merges with remote %s\n", *width, refs.strings[i] + 11, pretty_ref(merge));
        count++;
    }
    return count;
}

static void show_pushes(const remote_link *link) {
    int count = 0, width = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < link->count; i++) {
            const link_ref *r = &link->refs[i];
            git_oid id;
            git_odb *odb;
            if (strncmp(r->name, "refs/heads/", 11) != 0 || git_reference_name_to_id(&id, repo, r->name) < 0) continue;
            int len = (int)strlen(r->name + 11);
            if (!round) {
                if (len > width) width = len;
                count++;
                continue;
            }
            check(git_repository_odb(&odb, repo));
            bool known = git_odb_exists(odb, &r->id);
            const char *state = git_oid_equal(&id, &r->id) ? "up to date" : known && git_graph_descendant_of(repo, &id, &r->id) > 0 ? "fast-forwardable" : "local out of date";
            if (i && count) g_outf("  Local ref%s configured for 'git push':\n", count > 1 ? "s" : "");
            count = 0;
            g_outf("    %-*s pushes to %-*s (%s)\n", width, r->name + 11, width, r->name + 11, state);
        }
}

static int remote_show(int argc, char **argv) {
    int n = options(argc, argv, other_table, "git remote show [<options>] <name>", 0);
    if (!n) return list();
    for (int i = 0; i < n; i++) {
        git_remote *remote;
        bool known = git_remote_lookup(&remote, repo, argv[i]) == 0;
        remote_link *link = cached ? NULL : link_open(link_url(argv[i], false), false, NULL);
        const char *url = known ? git_remote_url(remote) : argv[i], *other = known && git_remote_pushurl(remote) ? git_remote_pushurl(remote) : url;
        const link_ref *head = link ? link_find(link, "HEAD") : NULL;
        size_t shown = 0;
        int width = 0;
        g_outf("* remote %s\n  Fetch URL: %s\n  Push  URL: %s\n", argv[i], url, other);
        g_outf("  HEAD branch: %s\n", cached ? "(not queried)" : head && head->target ? pretty_ref(head->target) : "(unknown)");
        for (int round = 0; link && round < 2; round++)
            for (size_t k = 0; k < link->count; k++) {
                const link_ref *r = &link->refs[k];
                char full[1000];
                git_oid id;
                if (strncmp(r->name, "refs/heads/", 11) != 0) continue;
                int len = (int)strlen(r->name + 11);
                if (!round) {
                    if (len > width) width = len;
                    shown++;
                    continue;
                }
                if (shown) g_outf("  Remote branch%s:\n", shown > 1 ? "es" : "");
                shown = 0;
                snprintf(full, sizeof full, "refs/remotes/%s/%s", argv[i], r->name + 11);
                if (git_reference_name_to_id(&id, repo, full) < 0) g_outf("    %-*s new (next fetch will store in remotes/%s)\n", width, r->name + 11, argv[i]);
                else g_outf("    %-*s tracked\n", width, r->name + 11);
            }
        int longest = 0, count = pulls(argv[i], &longest, false);
        if (count) g_outf("  Local branch%s configured for 'git pull':\n", count > 1 ? "es" : "");
        pulls(argv[i], &longest, true);
        if (link) show_pushes(link);
    }
    return 0;
}

static int remote_update(int argc, char **argv) {
    int n = options(argc, argv, other_table, "git remote update [<options>] [<group> | <remote>]...", 0), status = 0;
    git_strarray names;
    if (!n) {
        check(git_remote_list(&names, repo));
        for (size_t i = 0; i < names.count; i++) {
            if (names.count > 1) g_outf("Fetching %s\n", names.strings[i]);
            status |= get(names.strings[i], false);
        }
    }
    for (int i = 0; i < n; i++) status |= get(argv[i], false);
    return status;
}

static int set_branches(int argc, char **argv) {
    int n = options(argc, argv, other_table, "git remote set-branches <name> <branch>...\ngit remote set-branches --add <name> <branch>...", 0);
    if (!n) usage_error("error: no remote specified");
    named(argv[0]);
    for (int i = 1; i < n; i++) list_add(&branches, argv[i]);
    set_fetch_specs(argv[0], add_);
    return 0;
}

static int remote_prune(int argc, char **argv) {
    static const option prune_table[] = {FLAG('n', "dry-run", dry_run, "dry run"), END};
    int n = options(argc, argv, prune_table, "git remote prune [<options>] <name>", 0);
    if (!n) usage_error(NULL);
    for (int i = 0; i < n; i++) {
        git_remote *remote = named(argv[i]);
        fetch_opts how = {.dry_run = dry_run};
        remote_link *link = link_open(link_url(argv[i], false), false, NULL);
        git_strarray refs;
        size_t gone = 0;
        check(git_reference_list(&refs, repo));
        for (size_t k = 0; k < refs.count; k++) {
            char there[1000], begin[300];
            git_reference *ref;
            snprintf(begin, sizeof begin, "refs/remotes/%s/", argv[i]);
            if (strncmp(refs.strings[k], begin, strlen(begin)) != 0) continue;
            if (git_reference_lookup(&ref, repo, refs.strings[k]) == 0 && git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) continue;
            snprintf(there, sizeof there, "refs/heads/%s", refs.strings[k] + strlen(begin));
            gone += !link_find(link, there);
        }
        if (gone) g_outf("Pruning %s\nURL: %s\n", argv[i], git_remote_url(remote));
        prune_refs(link, remote, &how, false);
    }
    return 0;
}

int cmd_remote(int argc, char **argv) {
    int n = options(argc, argv, table, usage, STOP_AT_OPERAND);
    if (!n) return list();
    const char *what = argv[0];
    static const struct { const char *name; int (*run)(int argc, char **argv); } commands[] = {
        {"add", remote_add}, {"set-url", set_url}, {"get-url", get_url}, {"set-head", remote_set_head}, {"show", remote_show},
        {"update", remote_update}, {"set-branches", set_branches}, {"prune", remote_prune},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(what, commands[i].name) == 0) return commands[i].run(n, argv);
    if (strcmp(what, "remove") == 0 || strcmp(what, "rm") == 0) {
        if (n != 2) usage_error(NULL);
        return remove_(argv[1]);
    }
    if (strcmp(what, "rename") == 0) return rename_(n - 1, argv + 1);
    error("unknown subcommand: `%s'", what);
    usage_error(NULL);
}
