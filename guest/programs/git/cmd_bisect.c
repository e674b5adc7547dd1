/*
 * cmd_bisect.c: git bisect: the commit that brought a change, by halving. Its state are git's own files:
 * refs/bisect, BISECT_LOG, BISECT_START, BISECT_TERMS.
 */
#include "git.h"
#include "checkout.h"
#include "revs.h"

#include "g_spawn.h"

static const char usage[] = "git bisect start [--term-{new,bad}=<term> --term-{old,good}=<term>] [--no-checkout] [--first-parent] [<bad> [<good>...]] [--] [<pathspec>...]\n"
                            "git bisect (bad|good|new|old|skip) [<rev>...]\ngit bisect reset [<commit>]\ngit bisect log\ngit bisect run <cmd>...\ngit bisect terms\ngit bisect view";
static char *bad_term = "bad", *good_term = "good";

static void append_log(const char *text) {
    char *before = read_git_file("BISECT_LOG");
    g_text log = {0};
    g_text_addf(&log, "%s%s", before ? before : "", text);
    write_git_file("BISECT_LOG", log.s);
    g_text_free(&log);
}

static void load_terms(void) {
    char *text = read_git_file("BISECT_TERMS"), *second = text ? strchr(text, '\n') : NULL;
    if (!second) return;
    *second++ = '\0';
    second[strcspn(second, "\n")] = '\0';
    bad_term = text;
    good_term = second;
}

static git_commit *commit_or_die(const char *name) {
    git_commit *commit = commit_named(name);
    if (!commit) die_status(1, "error: Bad rev input: %s", name);
    return commit;
}

static bool bad_commit(git_oid *id) {
    char name[200];
    snprintf(name, sizeof name, "refs/bisect/%s", bad_term);
    return git_reference_name_to_id(id, repo, name) == 0;
}

/* The commits that are called good or skipped; how many. */
static size_t marked(const char *term, git_oid *out, size_t room) {
    git_strarray names;
    char begin[200];
    size_t count = 0;
    snprintf(begin, sizeof begin, "refs/bisect/%s-", term);
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count && count < room; i++)
        if (strncmp(names.strings[i], begin, strlen(begin)) == 0 && git_reference_name_to_id(&out[count], repo, names.strings[i]) == 0) count++;
    git_strarray_dispose(&names);
    return count;
}

static void mark(const char *term, git_commit *commit, bool starting) {
    g_text ref = {0}, log = {0};
    const char *id = full_id(git_commit_id(commit));
    bool bad = strcmp(term, bad_term) == 0;
    g_text_addf(&ref, bad ? "refs/bisect/%s" : "refs/bisect/%s-%s", term, id);
    git_reference *made;
    check(git_reference_create(&made, repo, ref.s, git_commit_id(commit), true, NULL));
    g_text_addf(&log, "# %s: [%s] %s\n", term, id, subject_of(git_commit_message(commit)));
    if (!starting) g_text_addf(&log, "git bisect %s %s\n", term, id);
    append_log(log.s);
}

enum { ROOM = 4096 };
typedef struct {
    git_oid id;
    git_oid parents[8];
    unsigned count;
    size_t weight;
    bool skipped;
} candidate;

static int estimate(size_t all) {
    int n = 0, e;
    size_t x;
    if (all < 3) return 0;
    while ((size_t)1 << (n + 1) <= all) n++;
    e = n;
    x = all - ((size_t)1 << n);
    return ((size_t)1 << n) < 3 * x ? e : e - 1;
}

static candidate *collect(size_t *count) {
    static git_oid good[ROOM], skipped[ROOM];
    git_revwalk *walk;
    git_oid bad, id;
    candidate *list = NULL;
    size_t cap = 0, goods = marked(good_term, good, ROOM), skips = marked("skip", skipped, ROOM);
    *count = 0;
    bad_commit(&bad);
    check(git_revwalk_new(&walk, repo));
    git_revwalk_sorting(walk, GIT_SORT_TIME);
    check(git_revwalk_push(walk, &bad));
    for (size_t i = 0; i < goods; i++) git_revwalk_hide(walk, &good[i]);
    while (git_revwalk_next(&id, walk) == 0) {
        git_commit *commit = commit_of(&id);
        if (*count == cap) list = g_more(list, &cap, sizeof *list);
        candidate *c = &list[(*count)++];
        memset(c, 0, sizeof *c);
        c->id = id;
        c->count = git_commit_parentcount(commit) < 8 ? git_commit_parentcount(commit) : 8;
        for (unsigned k = 0; k < c->count; k++) c->parents[k] = *git_commit_parent_id(commit, k);
        for (size_t k = 0; k < skips; k++) c->skipped |= git_oid_equal(&skipped[k], &id);
        git_commit_free(commit);
    }
    git_revwalk_free(walk);
    return list;
}

static size_t place(const candidate *list, size_t count, const git_oid *id) {
    for (size_t i = 0; i < count; i++)
        if (git_oid_equal(&list[i].id, id)) return i;
    return count;
}

/* How many candidates each one reaches, itself counted. */
static void weigh(candidate *list, size_t count) {
    bool *seen = g_zalloc(count + 1);
    size_t *stack = g_zalloc((count + 1) * sizeof *stack);
    for (size_t i = count; i-- > 0;) {
        if (list[i].count == 1) {
            size_t k = place(list, count, &list[i].parents[0]);
            if (k == count || list[k].weight) {
                list[i].weight = (k == count ? 0 : list[k].weight) + 1;
                continue;
            }
        }
        memset(seen, 0, count);
        size_t depth = 0;
        stack[depth++] = i;
        seen[i] = true;
        while (depth) {
            const candidate *c = &list[stack[--depth]];
            list[i].weight++;
            for (unsigned k = 0; k < c->count; k++) {
                size_t at = place(list, count, &c->parents[k]);
                if (at < count && !seen[at]) seen[at] = true, stack[depth++] = at;
            }
        }
    }
    free(seen);
    free(stack);
}

static void show_found(const git_oid *id) {
    char name[OID_HEX + 1];
    git_oid_tostr(name, sizeof name, id);
    g_outf("%s is the first %s commit\n", name, bad_term);
    run_command("show", 5, (char *[]){"show", "--stat", "--summary", "--no-abbrev-commit", name, NULL});
}

static int go_to(const candidate *c, size_t count) {
    git_commit *commit = commit_of(&c->id);
    size_t left = count - c->weight > 0 ? count - c->weight - 1 : 0;
    int steps = estimate(count);
    g_outf("Bisecting: %zu revision%s left to test after this (roughly %d step%s)\n", left, left == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
    if (!checkout_safely(tree_of(commit), "checkout")) return 1;
    g_text log = {0}, expected = {0};
    char *branch = current_branch();
    g_text_addf(&log, "checkout: moving from %s to %s", branch ? branch : full_id(git_commit_id(head_commit())), full_id(&c->id));
    set_head_detached(&c->id, log.s);
    g_text_addf(&expected, "%s\n", full_id(&c->id));
    write_git_file("BISECT_EXPECTED_REV", expected.s);
    g_outf("[%s] %s\n", full_id(&c->id), subject_of(git_commit_message(commit)));
    return 0;
}

/* 0 goes on, 10 found, otherwise an exit status. */
static int bisect_next(void) {
    static git_oid good[ROOM];
    git_oid bad;
    bool has_bad = bad_commit(&bad);
    size_t goods = marked(good_term, good, ROOM), count;
    if (!has_bad || !goods) {
        g_text text = {0};
        if (!has_bad && !goods) g_text_adds(&text, "status: waiting for both good and bad commits\n");
        else if (has_bad) g_text_adds(&text, "status: waiting for good commit(s), bad commit known\n");
        else if (goods == 1) g_text_adds(&text, "status: waiting for bad commit, 1 good commit known\n");
        else g_text_addf(&text, "status: waiting for bad commit, %zu good commits known\n", goods);
        g_outs(text.s);
        g_text line = {0};
        g_text_addf(&line, "# %s", text.s);
        append_log(line.s);
        return 0;
    }
    candidate *list = collect(&count);
    weigh(list, count);
    size_t best = count, value = 0, tried = 0;
    for (size_t i = 0; i < count; i++) {
        size_t far = list[i].weight < count - list[i].weight ? list[i].weight : count - list[i].weight;
        if (list[i].skipped) {
            tried++;
            continue;
        }
        if (best == count || far > value) best = i, value = far;
    }
    if (count == 1 || (count && best < count && count - tried == 1 && !tried)) {
        show_found(&list[0].id);
        g_text line = {0};
        g_text_addf(&line, "# first %s commit: [%s] %s\n", bad_term, full_id(&list[0].id), subject_of(git_commit_message(commit_of(&list[0].id))));
        append_log(line.s);
        return 10;
    }
    if (!count) {
        g_outf("%s was both %s and %s\n", full_id(&bad), good_term, bad_term);
        return 1;
    }
    if (best == count || git_oid_equal(&list[best].id, &bad)) {
        g_outf("There are only 'skip'ped commits left to test.\nThe first %s commit could be any of:\n", bad_term);
        for (size_t i = count; i-- > 0;) g_outf("%s\n", full_id(&list[i].id));
        g_outs("We cannot bisect more!\n");
        return 2;
    }
    return go_to(&list[best], count);
}

static int reset(const char *to) {
    char *start = read_git_file("BISECT_START");
    static const char *const files[] = {"BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_NAMES", "BISECT_ANCESTORS_OK"};
    git_strarray names;
    int status = 0;
    if (!start) {
        g_outs("We are not bisecting.\n");
        return 0;
    }
    start[strcspn(start, "\n")] = '\0';
    if (to && !commit_named(to)) die_status(1, "error: '%s' is not a valid commit", to);
    char *words[] = {"checkout", (char *)(to ? to : start), NULL};
    status = run_command("checkout", 2, words);
    if (status) return status;
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count; i++)
        if (strncmp(names.strings[i], "refs/bisect/", 12) == 0) git_reference_remove(repo, names.strings[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_git_file(files[i]);
    return status;
}

static int finish(int status) { return status == 10 ? 0 : status; }

static int start(int n, char **argv) {
    g_text log = {0}, line = {0}, names = {0};
    int at = 0;
    for (; at < n && strncmp(argv[at], "--", 2) == 0 && argv[at][2]; at++) {
        char *equals = strchr(argv[at], '=');
        bool bad = strncmp(argv[at], "--term-new", 10) == 0 || strncmp(argv[at], "--term-bad", 10) == 0;
        bool good = strncmp(argv[at], "--term-old", 10) == 0 || strncmp(argv[at], "--term-good", 11) == 0;
        if ((bad || good) && equals) *(bad ? &bad_term : &good_term) = equals + 1;
        else die("git bisect start %s is not there", argv[at]);
    }
    char *branch = current_branch();
    if (!git_file_exists("BISECT_START")) g_text_addf(&line, "%s\n", branch ? branch : full_id(git_commit_id(head_commit())));
    else g_text_adds(&line, read_git_file("BISECT_START"));
    for (int i = at; i < n; i++)
        if (strcmp(argv[i], "--") == 0) die("git bisect start with paths is not there");
    for (int i = at; i < n; i++) commit_or_die(argv[i]);
    write_git_file("BISECT_START", line.s);
    g_text_addf(&names, "%s\n%s\n", bad_term, good_term);
    write_git_file("BISECT_TERMS", names.s);
    write_git_file("BISECT_NAMES", "\n");
    write_git_file("BISECT_LOG", "");
    g_text_adds(&log, "git bisect start");
    for (int i = at; i < n; i++) mark(i == at ? bad_term : good_term, commit_or_die(argv[i]), true);
    for (int i = 0; i < n; i++) g_text_addf(&log, " '%s'", argv[i]);
    g_text_addc(&log, '\n');
    append_log(log.s);
    return finish(bisect_next());
}

static int bisect_run(int n, char **argv) {
    g_text line = {0};
    git_oid bad;
    static git_oid good[1];
    if (!n) die_status(1, "error: 'git bisect run' failed: no command provided.");
    if (!bad_commit(&bad) || !marked(good_term, good, 1)) return bisect_next(), 1;
    for (int i = 0; i < n; i++) {
        g_text_adds(&line, " '");
        for (const char *p = argv[i]; *p; p++)
            if (*p == '\'') g_text_adds(&line, "'\\''");
            else g_text_addc(&line, *p);
        g_text_addc(&line, '\'');
    }
    for (;;) {
        g_outf("running %s\n", line.s);
        char *words[] = {"sh", "-c", line.s, NULL};
        pid_t pid = g_spawn(words, git_repository_workdir(repo), G_STDIN_SAME);
        int status = pid < 0 ? 127 : g_exit_status(wait_child(pid));
        if (status >= 128) {
            error("bisect run failed: exit code %d from %s is < 0 or >= 128", status, line.s);
            return 1;
        }
        mark(status == 125 ? "skip" : status ? bad_term : good_term, head_commit(), false);
        int more = bisect_next();
        if (more == 10) {
            g_outs("bisect found first bad commit");
            return 0;
        }
        if (more) {
            if (more == 2) error("bisect run cannot continue any more");
            return more;
        }
    }
}

int cmd_bisect(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc - 2;
    static const option none[] = {{OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}};
    char *help[] = {"bisect", "-h", NULL};
    if (argc < 2 || strcmp(what, "-h") == 0) options(2, help, none, usage, 0);
    argv += 2;
    if (strcmp(what, "start") == 0) return start(n, argv);
    if (strcmp(what, "reset") == 0) return reset(n > 0 ? argv[0] : NULL);
    load_terms();
    bool on = git_file_exists("BISECT_START");
    if (strcmp(what, "log") == 0) {
        if (!on) die_status(1, "error: We are not bisecting.");
        g_outs(read_git_file("BISECT_LOG"));
        return 0;
    }
    if (!on) {
        note("You need to start by \"git bisect start\"\n");
        return 1;
    }
    if (strcmp(what, "terms") == 0) {
        g_outf("Your current terms are %s for the old state\nand %s for the new state.\n", good_term, bad_term);
        return 0;
    }
    if (strcmp(what, "run") == 0) return bisect_run(n, argv);
    if (strcmp(what, "next") == 0) return finish(bisect_next());
    if (strcmp(what, "view") == 0 || strcmp(what, "visualize") == 0) return run_command("log", 3, (char *[]){"log", (char *)bad_term, "--", NULL});
    bool bad = strcmp(what, bad_term) == 0 || (strcmp(what, "new") == 0 && strcmp(bad_term, "bad") == 0);
    bool good = strcmp(what, good_term) == 0 || (strcmp(what, "old") == 0 && strcmp(good_term, "good") == 0);
    if (!bad && !good && strcmp(what, "skip") != 0) {
        error("Invalid command: you're currently in a %s/%s bisect", bad_term, good_term);
        return 1;
    }
    if (bad && n > 1) die_status(1, "error: 'git bisect %s' can take only one argument.", bad_term);
    const char *term = bad ? bad_term : good ? good_term : "skip";
    for (int i = 0; i < n; i++) commit_or_die(argv[i]);
    for (int i = 0; i < n; i++) mark(term, commit_or_die(argv[i]), false);
    if (n <= 0) mark(term, head_commit(), false);
    return finish(bisect_next());
}
