/*
 * cmd_fetch.c: git fetch and git ls-remote.
 */
#include "fetch.h"

static fetch_opts how;
static int all, multiple, keep, progress, set_upstream, ipv4, ipv6, auto_gc, jobs, heads, tags_only, get_url, symref, exit_code, refs_only, quiet_list;
static const char *depth, *pack, *recurse, *since, *server, *sort;

#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}
static const option table[] = {
    {OPT_FLAG, 0, "no-tags", &how.no_tags, NULL, NULL, 0, NULL, NULL, 1}, FLAG('v', "verbose", how.verbose, "be more verbose"), FLAG('q', "quiet", how.quiet, "be more quiet"),
    FLAG(0, "all", all, "fetch from all remotes"), FLAG(0, "set-upstream", set_upstream, "set upstream for git pull/fetch"),
    FLAG('a', "append", how.append, "append to .git/FETCH_HEAD instead of overwriting"),
    STRING(0, "upload-pack", pack, "path", "path to upload pack on remote end"), FLAG('f', "force", how.force, "force overwrite of local reference"),
    FLAG('m', "multiple", multiple, "fetch from multiple remotes"), FLAG('t', "tags", how.tags, "fetch all tags and associated objects"),
    FLAG('n', NULL, how.no_tags, "do not fetch all tags (--no-tags)"),
    {OPT_NUMBER, 'j', "jobs", &jobs, "n", "number of submodules fetched in parallel", 0, NULL, NULL, 0},
    FLAG('p', "prune", how.prune, "prune remote-tracking branches no longer on remote"),
    FLAG('P', "prune-tags", how.prune_tags, "prune local tags no longer on remote and clobber changed tags"),
    {OPT_MAYBE, 0, "recurse-submodules", &recurse, "on-demand", "control recursive fetching of submodules", 0, "", NULL, 0},
    FLAG(0, "dry-run", how.dry_run, "dry run"), FLAG('k', "keep", keep, "keep downloaded pack"),
    FLAG('u', "update-head-ok", how.update_head, "allow updating of HEAD ref"), FLAG(0, "progress", progress, "force progress reporting"),
    STRING(0, "depth", depth, "depth", "deepen history of shallow clone"), STRING(0, "shallow-since", since, "time", "deepen history of shallow repository based on time"),
    FLAG(0, "unshallow", how.unshallow, "convert to a complete repository"), FLAG('4', "ipv4", ipv4, "use IPv4 addresses only"),
    FLAG('6', "ipv6", ipv6, "use IPv6 addresses only"), FLAG(0, "auto-gc", auto_gc, "run 'gc --auto' after fetching"), END,
};
static const char usage[] = "git fetch [<options>] [<repository> [<refspec>...]]\ngit fetch [<options>] <group>\n"
                            "git fetch --multiple [<options>] [(<repository> | <group>)...]\ngit fetch --all [<options>]";

/* What stands in reflogs: the command as it was typed. */
static const char *log_of(int argc, char **argv) {
    g_text text = {0};
    g_text_adds(&text, "fetch");
    for (int i = 1; i < argc; i++) g_text_addf(&text, " %s", argv[i]);
    return text.s;
}

int cmd_fetch(int argc, char **argv) {
    const char *log = log_of(argc, argv);
    how.prune = -1;
    int n = options(argc, argv, table, usage, 0), status = 0;
    how.log = log;
    if (depth && (how.depth = atoi(depth)) <= 0) die("depth %s is not a positive number", depth);
    if (since) die("--shallow-since is not there: use --depth");
    if (all || multiple) {
        git_strarray names;
        if (all && n) die("fetch --all does not %s", n > 1 ? "make sense with refspecs" : "take a repository argument");
        check(git_remote_list(&names, repo));
        for (size_t i = 0; i < (all ? names.count : (size_t)n); i++) {
            const char *name = all ? names.strings[i] : argv[i];
            if (!how.quiet && (all ? names.count : (size_t)n) > 1) g_outf("Fetching %s\n", name), g_out_flush();
            status |= fetch_from(name, NULL, 0, &how);
            how.append = 1;
        }
        return status;
    }
    char *name = n ? argv[0] : default_remote();
    git_remote *remote;
    git_strarray names;
    if (!n && git_remote_lookup(&remote, repo, name) < 0) {
        check(git_remote_list(&names, repo));
        if (!names.count) return 0; /* so says git, and nothing else */
    }
    return fetch_from(name, argv + 1, n > 1 ? n - 1 : 0, &how);
}

static const option list_table[] = {
    FLAG('q', "quiet", quiet_list, "do not print remote URL"), STRING(0, "upload-pack", pack, "exec", "path of git-upload-pack on the remote host"),
    FLAG('t', "tags", tags_only, "limit to tags"), FLAG('h', "heads", heads, "limit to heads"), FLAG(0, "refs", refs_only, "do not show peeled tags"),
    FLAG(0, "get-url", get_url, "take url.<base>.insteadOf into account"), STRING(0, "sort", sort, "key", "field name to sort on"),
    FLAG(0, "exit-code", exit_code, "exit with exit code 2 if no matching refs are found"), FLAG(0, "symref", symref, "show underlying ref in addition to the object pointed by it"),
    STRING('o', "server-option", server, "server-specific", "option to transmit"), END,
};

static bool asked_for(const char *name, int count, char **patterns) {
    extern int wildmatch(const char *pattern, const char *text, unsigned flags);
    for (int i = 0; i < count; i++) {
        g_text pattern = {0}, path = {0};
        g_text_addf(&pattern, "*/%s", patterns[i]);
        g_text_addf(&path, "/%s", name);
        if (wildmatch(pattern.s, path.s, 0) == 0) return true;
    }
    return !count;
}

int cmd_ls_remote(int argc, char **argv) {
    int n = options(argc, argv, list_table, "git ls-remote [--heads] [--tags] [--refs] [--upload-pack=<exec>]\n              [-q | --quiet] [--exit-code] [--get-url] [--sort=<key>]\n              [--symref] [<repository> [<refs>...]]", 0);
    char *name = n ? argv[0] : default_remote();
    git_remote *remote;
    bool any = false, by_default = !n;
    if (by_default && git_remote_lookup(&remote, repo, name) < 0) die("No remote configured to list refs from.");
    char *url = link_url(name, false);
    if (get_url) return g_outf("%s\n", url), 0;
    remote_link *link = link_open(url, false, NULL);
    if (by_default && !quiet_list) note("From %s", link->shown);
    for (size_t i = 0; i < link->count; i++) {
        const link_ref *r = &link->refs[i];
        bool head = strncmp(r->name, "refs/heads/", 11) == 0, tag = strncmp(r->name, "refs/tags/", 10) == 0;
        if ((heads || tags_only) && !(heads && head) && !(tags_only && tag)) continue;
        if (refs_only && strncmp(r->name, "refs/", 5) != 0) continue;
        if (!asked_for(r->name, n > 1 ? n - 1 : 0, argv + 1)) continue;
        any = true;
        if (symref && r->target) g_outf("ref: %s\t%s\n", r->target, r->name);
        g_outf("%s\t%s\n", full_id(&r->id), r->name);
        if (!refs_only && !git_oid_equal(&r->id, &r->peeled) && n < 2) g_outf("%s\t%s^{}\n", full_id(&r->peeled), r->name);
    }
    return exit_code && !any ? 2 : 0;
}
