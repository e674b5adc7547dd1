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
    if (o->number) revs.until = approxidate(text);
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
    snprintf(glob, sizeof glob, "%.*s%s%s", (int)len, o->number == 4 ? "" : globs[o->number], argument,
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
    REV_FLAG(0, "full-history", full_history),
    CALL(OPT_CALL_NONE, "dense", NULL, 0, nothing),
    REV_FLAG(0, "parents", parents),
    REV_FLAG(0, "no-walk", no_walk),
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
