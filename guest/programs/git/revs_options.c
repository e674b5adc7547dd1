/*
 * revs_options.c: options that choose commits.
 */
#include "revs.h"

rev_opts revs;
static bool negated;
static int turns[100], turn_count; /* operands before each --not */

bool revs_negated(int operand) {
    bool not_ = false;
    for (int i = 0; i < turn_count; i++) not_ ^= turns[i] <= operand;
    return not_;
}

static void since(const option *o, const char *text, bool unset) {
    (void)unset;
    if (o->number == 2) revs.since = (git_time_t)strtoll(text, NULL, 10);
    else if (o->number == 3) revs.until = (git_time_t)strtoll(text, NULL, 10);
    else if (o->number) revs.until = approxidate(text);
    else revs.since = approxidate(text);
}

static void refs(const option *o, const char *argument, bool unset) {
    static const char *const globs[] = {"*", "refs/heads/*", "refs/tags/*", "refs/remotes/*"};
    char glob[1000];
    (void)unset;
    revs.any = true;
    if (!argument) {
        if (o->number == 0) revs.all = 1;
        revs_add_refs(globs[o->number], negated);
        return;
    }
    size_t len = strlen(globs[o->number]) - 1;
    snprintf(glob, sizeof glob, "%.*s%s%s%s", (int)len, globs[o->number], !o->number && strncmp(argument, "refs/", 5) != 0 ? "refs/" : "", argument,
             strpbrk(argument, "*?[") ? "" : "/*");
    revs_add_refs(glob, negated);
}

static void not_(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
    if (turn_count == 100) die("too many --not");
    turns[turn_count++] = options_operands;
    negated = !negated;
}

static void nothing(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
}

static void not_there(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    die("--%s is not there", o->name);
}

static void cherry(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
    revs.cherry_mark = revs.right_only = revs.no_merges = 1;
}

static void ancestry_path(const option *o, const char *argument, bool unset) {
    (void)o;
    revs.ancestry_path = !unset;
    if (argument) list_add(&revs.path_of, argument);
}

static void any_parents(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    if (o->number) revs.max_parents = -1;
    else revs.min_parents = 0;
}

static void exclude(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    list_add(&revs.excluded, argument);
}

static void no_walk(const option *o, const char *argument, bool unset) {
    (void)unset;
    if (argument && strcmp(argument, "sorted") != 0 && strcmp(argument, "unsorted") != 0) die("invalid argument to --no-walk");
    revs.no_walk = !o->number ? 0 : argument && *argument == 'u' ? 2 : 1;
}

/* Names of revisions, one a line. */
static void from_stdin(const option *o, const char *argument, bool unset) {
    g_text in = {0};
    (void)o, (void)argument, (void)unset;
    read_stdin_within(&in);
    for (char *line = in.s, *end; line && *line; line = end ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        if (!*line) continue;
        if (strcmp(line, "--") == 0) break;
        if (strcmp(line, "--all") == 0) revs_add_refs("*", negated);
        else if (*line == '-') die("options not supported in --stdin mode");
        else if (!revs_add(line, negated)) die("bad revision '%s'", line);
        revs.any = true;
    }
}

#define REV_FLAG(letter, name, field) {OPT_FLAG, letter, name, INT_OPTION(&revs.field), NULL, NULL, 0, NULL, NULL, 0}
#define SET(name, field, value) {OPT_SET, 0, name, &revs.field, NULL, NULL, value, NULL, NULL, 1}
#define NUMBER(letter, name, field) {OPT_NUMBER, letter, name, &revs.field, "n", NULL, 0, NULL, NULL, 1}
#define LIST(name, field) {OPT_LIST, 0, name, &revs.field, "pattern", NULL, 0, NULL, NULL, 1}
#define CALL(kind, name, argument, number, call) {kind, 0, name, NULL, argument, NULL, number, NULL, call, 1}

const option rev_option_table[] = {
    NUMBER('n', "max-count", max),
    NUMBER('#', NULL, max),
    NUMBER(0, "skip", skip),
    CALL(OPT_CALL, "since", "date", 0, since),
    CALL(OPT_CALL, "after", "date", 0, since),
    CALL(OPT_CALL, "until", "date", 1, since),
    CALL(OPT_CALL, "before", "date", 1, since),
    LIST("author", authors),
    LIST("committer", committers),
    LIST("grep", grep),
    REV_FLAG(0, "invert-grep", invert_grep),
    REV_FLAG(0, "all-match", all_match),
    REV_FLAG('i', "regexp-ignore-case", ignore_case),
    REV_FLAG('E', "extended-regexp", extended),
    REV_FLAG('F', "fixed-strings", fixed),
    REV_FLAG('P', "perl-regexp", extended),
    CALL(OPT_CALL, "since-as-filter", "date", 0, since),
    CALL(OPT_CALL, "max-age", "time", 2, since),
    CALL(OPT_CALL, "min-age", "time", 3, since),
    SET("merges", min_parents, 2),
    REV_FLAG(0, "no-merges", no_merges),
    NUMBER(0, "min-parents", min_parents),
    NUMBER(0, "max-parents", max_parents),
    REV_FLAG(0, "first-parent", first_parent),
    REV_FLAG(0, "reverse", reverse),
    SET("topo-order", order, ORDER_GRAPH),
    SET("date-order", order, ORDER_TOPO),
    SET("author-date-order", order, ORDER_AUTHOR),
    REV_FLAG(0, "boundary", boundary),
    REV_FLAG(0, "left-right", left_right),
    REV_FLAG(0, "cherry-pick", cherry_pick),
    REV_FLAG(0, "cherry-mark", cherry_mark),
    REV_FLAG(0, "left-only", left_only),
    REV_FLAG(0, "right-only", right_only),
    CALL(OPT_CALL_NONE, "cherry", NULL, 0, cherry),
    REV_FLAG(0, "children", children),
    CALL(OPT_CALL_MAYBE, "ancestry-path", "commit", 0, ancestry_path),
    REV_FLAG(0, "simplify-by-decoration", by_decoration),
    REV_FLAG(0, "sparse", sparse),
    CALL(OPT_CALL_NONE, "no-min-parents", NULL, 0, any_parents),
    CALL(OPT_CALL_NONE, "no-max-parents", NULL, 1, any_parents),
    CALL(OPT_CALL, "exclude", "pattern", 0, exclude),
    CALL(OPT_CALL_NONE, "stdin", NULL, 0, from_stdin),
    CALL(OPT_CALL_NONE, "simplify-merges", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "show-pulls", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "remove-empty", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "show-linear-break", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "bisect", NULL, 0, not_there),
    CALL(OPT_CALL, "exclude-hidden", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "reflog", NULL, 0, not_there),
    CALL(OPT_CALL_NONE, "alternate-refs", NULL, 0, nothing),
    CALL(OPT_CALL_NONE, "ignore-missing", NULL, 0, nothing),
    CALL(OPT_CALL_NONE, "do-walk", NULL, 0, no_walk),
    REV_FLAG(0, "full-history", full_history),
    CALL(OPT_CALL_NONE, "dense", NULL, 0, nothing),
    REV_FLAG(0, "parents", parents),
    CALL(OPT_CALL_MAYBE, "no-walk", "how", 1, no_walk),
    REV_FLAG('g', "walk-reflogs", reflog),
    CALL(OPT_CALL_NONE, "all", NULL, 0, refs),
    CALL(OPT_CALL_MAYBE, "branches", "pattern", 1, refs),
    CALL(OPT_CALL_MAYBE, "tags", "pattern", 2, refs),
    CALL(OPT_CALL_MAYBE, "remotes", "pattern", 3, refs),
    CALL(OPT_CALL, "glob", "pattern", 0, refs),
    CALL(OPT_CALL_NONE, "not", NULL, 0, not_),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

void revs_defaults(void) {
    memset(&revs, 0, sizeof revs);
    revs.max = -1;
    revs.max_parents = -1;
}
