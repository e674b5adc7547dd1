/*
 * reflog.c: git reflog expire and delete: entries that go.
 */
#include "reflog.h"
#include "git.h"

static int rewrite, updateref, dry_run, verbose, all, single, stale;
static const char *expire, *expire_unreachable;

#define STRING(name, field, arg) {OPT_STRING, 0, name, &field, arg, NULL, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG(0, "dry-run", dry_run, "do not actually prune any entries"),
    FLAG(0, "rewrite", rewrite, "rewrite the old SHA1 with the new SHA1 of the entry that now precedes it"),
    FLAG(0, "updateref", updateref, "update the reference to the value of the top reflog entry"),
    FLAG(0, "verbose", verbose, "print extra information on screen"),
    STRING("expire", expire, "timestamp"),
    STRING("expire-unreachable", expire_unreachable, "timestamp"),
    FLAG(0, "stale-fix", stale, "prune any reflog entries that point to broken commits"),
    FLAG(0, "all", all, "process the reflogs of all references"),
    FLAG(0, "single-worktree", single, "limits processing to reflogs from the current worktree only"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}};

/* "never" is before all time, "all" and "now" behind all of it. */
static git_time_t limit_of(const char *text, const char *setting, git_time_t days) {
    char *configured = text ? NULL : config_string(setting);
    if (!text) text = configured;
    if (!text) return approxidate("now") - days * 86400;
    if (strcmp(text, "never") == 0 || strcmp(text, "false") == 0) return 0;
    if (strcmp(text, "all") == 0 || strcmp(text, "now") == 0) return (git_time_t)1 << 60;
    return approxidate(text);
}

static bool reachable(const git_oid *tip, const git_oid *id) {
    return git_oid_equal(tip, id) || git_graph_descendant_of(repo, tip, id) == 1;
}

static void save(git_reflog *log, const char *name) {
    git_reference *ref;
    check(git_reflog_write(log));
    if (!updateref || !git_reflog_entrycount(log) || git_reference_lookup(&ref, repo, name) < 0) return;
    if (git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) return;
    g_text text = {0};
    g_text_addf(&text, "%s\n", full_id(git_reflog_entry_id_new(git_reflog_entry_byindex(log, 0))));
    write_git_file(name, text.s);
    g_text_free(&text);
}

static void expire_log(const char *name) {
    git_reflog *log;
    git_oid tip;
    git_time_t total = limit_of(expire, "gc.reflogexpire", 90);
    git_time_t lost = limit_of(expire_unreachable, "gc.reflogexpireunreachable", 30);
    if (strcmp(name, "refs/stash") == 0 && !expire && !expire_unreachable) return; /* a stash does not grow old */
    if (git_reflog_read(&log, repo, name) < 0) return;
    bool known = git_reference_name_to_id(&tip, repo, name) == 0;
    for (size_t i = git_reflog_entrycount(log); i-- > 0;) {
        const git_reflog_entry *e = git_reflog_entry_byindex(log, i);
        git_time_t when = git_reflog_entry_committer(e)->when.time;
        bool goes = when < total || (when < lost && known && !reachable(&tip, git_reflog_entry_id_new(e)));
        const char *message = git_reflog_entry_message(e), *word = goes ? dry_run ? "would prune" : "prune" : "keep";
        if (verbose) g_outf("%s %s\n", word, message ? message : "");
        if (goes && !dry_run) check(git_reflog_drop(log, i, rewrite));
    }
    if (!dry_run) save(log, name);
    git_reflog_free(log);
}

/* The name of a reference in full; NULL: there is none. HEAD has a log of its own. */
static char *full_name(const char *text) {
    git_reference *ref;
    if (git_reference_dwim(&ref, repo, text) < 0) return NULL;
    return g_copy_string(strcmp(text, "HEAD") == 0 ? text : git_reference_name(ref));
}

static int delete_entry(const char *spec) {
    const char *at = strstr(spec, "@{");
    git_reflog *log;
    char *end;
    if (!at) return error("not a reflog: %s", spec);
    char *name = full_name(at == spec ? "HEAD" : g_copy_bytes(spec, (size_t)(at - spec)));
    if (!name || git_reference_has_log(repo, name) != 1 || git_reflog_read(&log, repo, name) < 0)
        return error("no reflog for '%s'", spec);
    unsigned long place = strtoul(at + 2, &end, 10);
    bool numbered = end > at + 2 && *end == '}';
    git_time_t until = numbered ? 0 : approxidate(g_copy_bytes(at + 2, strcspn(at + 2, "}")));
    for (size_t i = git_reflog_entrycount(log); i-- > 0;) {
        git_time_t when = git_reflog_entry_committer(git_reflog_entry_byindex(log, i))->when.time;
        if (numbered ? i == place : when < until) check(git_reflog_drop(log, i, rewrite));
    }
    if (!dry_run) save(log, name);
    git_reflog_free(log);
    return 0;
}

static int each(const char *name, void *payload) {
    (void)payload;
    if (git_reference_has_log(repo, name) == 1) expire_log(name);
    return 0;
}

int shorten_reflogs(int argc, char **argv) {
    static const char usage[] = "git reflog expire [--expire=<time>] [--expire-unreachable=<time>]\n"
                                "                         [--rewrite] [--updateref] [--stale-fix]\n"
                                "                         [--dry-run | -n] [--verbose] [--all [--single-worktree] | <refs>...]";
    bool deletes = strcmp(argv[0], "delete") == 0;
    int n = options(argc, argv, table, usage, 0), status = 0;
    if (deletes && !n) return error("no reflog specified to delete"), 255;
    if (all && !deletes) {
        each("HEAD", NULL);
        git_reference_foreach_name(repo, each, NULL);
    }
    for (int i = 0; i < n; i++) {
        char *name = deletes ? NULL : full_name(argv[i]);
        if (deletes) {
            status |= delete_entry(argv[i]);
        } else if (name && git_reference_has_log(repo, name) == 1) {
            expire_log(name);
        } else {
            status = error("%s points nowhere!", argv[i]);
        }
    }
    return status < 0 ? 255 : 0;
}
