/*
 * cmd_rev_parse.c: git rev-parse and merge-base.
 */
#include "git.h"

#include <unistd.h>

#include "g_file.h"

static char *without_slash(const char *path) {
    char *copy = g_copy_string(path);
    size_t len = strlen(copy);
    if (len > 1 && copy[len - 1] == '/') copy[len - 1] = '\0';
    return copy;
}

/* The repository's folder as git names it from here. */
static char *git_dir(void) {
    char *full = without_slash(git_repository_path(repo)), *here = g_working_directory();
    const char *given = getenv("GIT_DIR");
    if (given) return g_copy_string(given);
    size_t len = strlen(here);
    if (strcmp(full, here) == 0) return g_copy_string(".");
    if (strncmp(full, here, len) == 0 && strcmp(full + len, "/.git") == 0) return g_copy_string(".git");
    return full;
}

static bool say(const char *o) {
    if (strcmp(o, "--show-toplevel") == 0) g_outf("%s\n", without_slash(workdir()));
    else if (strcmp(o, "--git-dir") == 0) g_outf("%s\n", git_dir());
    else if (strcmp(o, "--absolute-git-dir") == 0) g_outf("%s\n", without_slash(git_repository_path(repo)));
    else if (strcmp(o, "--git-common-dir") == 0) {
        bool same = strcmp(git_repository_commondir(repo), git_repository_path(repo)) == 0;
        g_outf("%s\n", same ? git_dir() : without_slash(git_repository_commondir(repo)));
    } else if (strcmp(o, "--show-prefix") == 0) g_outf("%s\n", prefix);
    else if (strcmp(o, "--show-cdup") == 0) {
        for (const char *p = prefix; *p; p++)
            if (*p == '/') g_outs("../");
        g_outc('\n');
    } else if (strcmp(o, "--is-inside-work-tree") == 0) {
        char *here = g_working_directory();
        const char *top = git_repository_workdir(repo), *dir = git_repository_path(repo);
        bool in_git = strncmp(here, dir, strlen(dir) - 1) == 0;
        g_outs(top && !in_git ? "true\n" : "false\n");
    } else if (strcmp(o, "--is-inside-git-dir") == 0) {
        char *here = g_working_directory();
        const char *dir = git_repository_path(repo);
        g_outs(strncmp(here, dir, strlen(dir) - 1) == 0 ? "true\n" : "false\n");
    } else if (strcmp(o, "--is-bare-repository") == 0) g_outs(git_repository_is_bare(repo) ? "true\n" : "false\n");
    else if (strcmp(o, "--is-shallow-repository") == 0) g_outs("false\n");
    else if (strcmp(o, "--show-object-format") == 0) g_outs("sha1\n");
    else return false;
    return true;
}

typedef struct {
    bool verify, quiet, short_, symbolic, abbrev_ref, symbolic_full, not_;
    int length;
} wish;

static void out_id(const git_oid *id, const wish *w, bool bad) {
    g_outf("%s%s\n", bad != w->not_ ? "^" : "", !w->short_ ? full_id(id) : w->length ? abbreviated(id, w->length) : short_id(id));
}

static bool out_name(const char *text, const wish *w) {
    git_object *object = NULL;
    git_reference *ref = NULL;
    if (w->abbrev_ref || w->symbolic_full) {
        char *head = head_target();
        if ((strcmp(text, "HEAD") == 0 || strcmp(text, "@") == 0) && head && git_reference_lookup(&ref, repo, head) == 0) {
            g_outf("%s\n", w->abbrev_ref ? short_ref(head) : head);
            return true;
        }
        if (strcmp(text, "HEAD") == 0 && object_named("HEAD")) {
            g_outs("HEAD\n");
            return true;
        }
        if (git_revparse_ext(&object, &ref, repo, text) == 0) {
            if (ref) g_outf("%s\n", w->abbrev_ref ? short_ref(git_reference_name(ref)) : git_reference_name(ref));
            return true;
        }
        return false;
    }
    const char *dots = strstr(text, "..");
    if (dots && !w->verify && (dots != text || dots[2])) {
        char *from = g_copy_bytes(text, (size_t)(dots - text));
        bool three = dots[2] == '.';
        const char *to = dots + 2 + three;
        git_object *a = object_named(*from ? from : "HEAD"), *b = object_named(*to ? to : "HEAD");
        git_oid base;
        if (a && b) {
            out_id(git_object_id(b), w, false);
            out_id(git_object_id(a), w, !three);
            if (three && git_merge_base(&base, repo, git_object_id(a), git_object_id(b)) == 0) out_id(&base, w, true);
            return true;
        }
    }
    bool bad = *text == '^';
    object = object_named(text + bad);
    if (!object) {
        git_oid id;
        size_t len = strlen(text);
        if (len != OID_HEX || git_oid_fromstr(&id, text) < 0) return false;
        out_id(&id, w, false);
        return true;
    }
    if (w->symbolic) g_outf("%s\n", text);
    else out_id(git_object_id(object), w, bad);
    return true;
}

static int all_refs(const char *glob, const wish *w) {
    git_reference_iterator *at;
    const char *name;
    check(git_reference_iterator_glob_new(&at, repo, glob));
    while (git_reference_next_name(&name, at) == 0) out_name(name, w);
    return 0;
}

int cmd_rev_parse(int argc, char **argv) {
    wish w = {0};
    bool names_only = false;
    const char *otherwise = NULL;
    int shown = 0;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i];
        if (strcmp(o, "--") == 0) {
            g_outs("--\n");
            names_only = true;
        } else if (names_only) g_outf("%s\n", o);
        else if (strcmp(o, "--verify") == 0) w.verify = true;
        else if (strcmp(o, "-q") == 0 || strcmp(o, "--quiet") == 0) w.quiet = true;
        else if (strcmp(o, "--short") == 0) w.short_ = w.verify = true;
        else if (strncmp(o, "--short=", 8) == 0) w.short_ = w.verify = true, w.length = atoi(o + 8);
        else if (strcmp(o, "--symbolic") == 0) w.symbolic = true;
        else if (strcmp(o, "--symbolic-full-name") == 0) w.symbolic_full = true;
        else if (strncmp(o, "--abbrev-ref", 12) == 0) w.abbrev_ref = true;
        else if (strcmp(o, "--not") == 0) w.not_ = !w.not_;
        else if (strcmp(o, "--all") == 0) all_refs("*", &w);
        else if (strcmp(o, "--branches") == 0) all_refs("refs/heads/*", &w);
        else if (strcmp(o, "--tags") == 0) all_refs("refs/tags/*", &w);
        else if (strcmp(o, "--remotes") == 0) all_refs("refs/remotes/*", &w);
        else if (strcmp(o, "--default") == 0 && i + 1 < argc) otherwise = argv[++i];
        else if (strcmp(o, "--git-path") == 0 && i + 1 < argc) g_outf("%s\n", g_join(git_dir(), argv[++i]));
        else if (strcmp(o, "--revs-only") == 0 || strcmp(o, "--no-revs") == 0 || strcmp(o, "--flags") == 0 || strcmp(o, "--no-flags") == 0) continue;
        else if (*o == '-' && o[1]) {
            if (say(o)) continue;
            if (w.verify) die("Needed a single revision");
            g_outf("%s\n", o);
        } else {
            shown++;
            if (out_name(o, &w)) continue;
            if (w.verify && w.quiet) return 1;
            if (w.verify) die("Needed a single revision");
            if (file_exists(o)) {
                g_outf("%s\n", o);
                continue;
            }
            g_outf("%s\n", o);
            die_unknown_revision(o);
        }
    }
    if (w.verify && !shown && !otherwise && !w.quiet) die("Needed a single revision");
    if (!shown && otherwise && !out_name(otherwise, &w)) die("bad default revision '%s'", otherwise);
    return 0;
}

int cmd_merge_base(int argc, char **argv) {
    static int is_ancestor, all, octopus, fork_point;
    static const option table[] = {
        {OPT_FLAG, 'a', "all", &all, NULL, "output all common ancestors", 0, NULL, NULL, 0},
        {OPT_FLAG, 0, "octopus", &octopus, NULL, "find ancestors for a single n-way merge", 0, NULL, NULL, 0},
        {OPT_FLAG, 0, "is-ancestor", &is_ancestor, NULL, "is the first one ancestor of the other?", 0, NULL, NULL, 0},
        {OPT_FLAG, 0, "fork-point", &fork_point, NULL, "find where <commit> forked from reflog of <ref>", 0, NULL, NULL, 0},
        {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
    };
    int n = options(argc, argv, table, "git merge-base [-a | --all] <commit> <commit>...\ngit merge-base --is-ancestor <commit> <commit>", 0);
    git_oidarray bases = {0};
    git_oid ids[32];
    if (n < 2) usage_error(NULL);
    for (int i = 0; i < n && i < 32; i++) {
        git_commit *commit = commit_named(argv[i]);
        if (!commit) die("Not a valid object name %s", argv[i]);
        ids[i] = *git_commit_id(commit);
    }
    if (is_ancestor) return !(git_oid_equal(&ids[0], &ids[1]) || git_graph_descendant_of(repo, &ids[1], &ids[0]) == 1);
    if (git_merge_bases_many(&bases, repo, (size_t)(n < 32 ? n : 32), ids) < 0 || !bases.count) return 1;
    for (size_t i = 0; i < (all ? bases.count : 1); i++) g_outf("%s\n", full_id(&bases.ids[i]));
    return 0;
}
