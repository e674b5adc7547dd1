/*
 * diff_options.c: the options of the diff family.
 */
#include "color.h"
#include "diff_color.h"
#include "libgit2/xdiff_wishes.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "g_regex.h"

diff_opts diffs;

static void set_format(const option *o, const char *argument, bool unset) {
    (void)argument;
    if (unset) diffs.format &= ~o->number;
    else diffs.format |= o->number;
    if (!unset && (o->number & DIFF_PATCH)) diffs.format &= ~DIFF_NONE;
}

static int number_of(const option *o, const char *text) {
    long n;
    if (!parse_number(text, &n)) option_not_a_number(o, text);
    return (int)n;
}

static void context(const option *o, const char *argument, bool unset) {
    if (unset) return;
    diffs.format |= DIFF_PATCH;
    diffs.context = number_of(o, argument);
}

static void stat(const option *o, const char *argument, bool unset) {
    (void)o;
    if (unset) {
        diffs.format &= ~DIFF_STAT;
        return;
    }
    diffs.format |= DIFF_STAT;
    if (!argument) return;
    char *end;
    diffs.stat_width = (int)strtol(argument, &end, 10);
    if (*end == ',') diffs.stat_name_width = (int)strtol(end + 1, &end, 10);
    if (*end == ',') diffs.stat_count = (int)strtol(end + 1, &end, 10);
    if (*end) die_status(129, "error: invalid --stat value: %s", argument);
}

static void stat_number(const option *o, const char *argument, bool unset) {
    int *const places[] = {&diffs.stat_width, &diffs.stat_name_width, &diffs.stat_graph_width, &diffs.stat_count};
    (void)unset;
    diffs.format |= DIFF_STAT;
    *places[o->number] = number_of(o, argument);
}

static int score(const char *text) {
    char *end;
    double n = strtod(text, &end);
    if (*end == '%') return (int)n;
    if (strchr(text, '.')) return (int)(n * 100);
    /* -M9 is 90%, as 0.9 */
    double scale = 1;
    for (const char *p = text; *p >= '0' && *p <= '9'; p++) scale *= 10;
    return (int)(n * 100 / scale);
}

static void renames(const option *o, const char *argument, bool unset) {
    if (unset) {
        diffs.renames = 0;
        return;
    }
    diffs.renames = o->number == 2 && diffs.renames == 2 && o->letter == 'C' ? 3 : o->number;
    if (argument) diffs.rename_score = score(argument);
}

static void white(const option *o, const char *argument, bool unset) {
    (void)argument;
    if (unset) diffs.flags &= ~(unsigned)o->number;
    else diffs.flags |= (unsigned)o->number;
}

static void algorithm(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    diffs.flags &= ~(unsigned)(GIT_DIFF_PATIENCE | GIT_DIFF_MINIMAL);
    xdiff_wishes.histogram = strcmp(argument, "histogram") == 0;
    if (strcmp(argument, "patience") == 0)
        diffs.flags |= GIT_DIFF_PATIENCE;
    else if (strcmp(argument, "minimal") == 0) diffs.flags |= GIT_DIFF_MINIMAL;
    else if (!xdiff_wishes.histogram && strcmp(argument, "myers") != 0 && strcmp(argument, "default") != 0)
        usage_error("error: option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and "
                    "\"histogram\"");
}

static void pickaxe(const option *o, const char *argument, bool unset) {
    (void)unset;
    diffs.pickaxe = argument;
    diffs.pickaxe_lines = o->letter == 'G';
}

static void find_object(const option *o, const char *argument, bool unset) {
    git_object *object = repo ? object_named(argument) : NULL;
    (void)o, (void)unset;
    if (!object) {
        error("unable to resolve '%s'", argument);
        g_exit(129);
    }
    diffs.find_object = argument;
    diffs.object = *git_object_id(object);
}

static void color(const option *o, const char *argument, bool unset) {
    diffs.color = unset ? COLOR_NEVER : color_when(argument, o->name);
}

static void word_diff(const option *o, const char *argument, bool unset) {
    (void)o;
    if (!argument || unset) argument = unset ? "none" : "plain";
    if (strcmp(argument, "color") == 0) {
        diffs.color = COLOR_ALWAYS;
        diffs.words = WORDS_COLOR;
        return;
    }
    if (strcmp(argument, "plain") != 0 && strcmp(argument, "porcelain") != 0 && strcmp(argument, "none") != 0)
        usage_error("error: bad --word-diff argument: %s", argument);
    diffs.words = *argument == 'n' ? 0 : strcmp(argument, "plain") == 0 ? WORDS_PLAIN : WORDS_PORCELAIN;
}

static void word_regex(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    diffs.word_regex = argument;
    if (!diffs.words) diffs.words = WORDS_PLAIN;
}

static void color_words(const option *o, const char *argument, bool unset) {
    if (unset) return;
    word_diff(o, "color", false);
    if (argument) diffs.word_regex = argument;
}

static void color_moved(const option *o, const char *argument, bool unset) {
    (void)o;
    diffs.color_moved = !unset && !(argument && strcmp(argument, "no") == 0);
}

static void white_lines(const option *o, const char *argument, bool unset) {
    static const struct { const char *name; unsigned bits; } names[] = {
        {"old", 1u << PART_OLD}, {"new", 1u << PART_NEW}, {"context", 1u << PART_CONTEXT}, {"none", 0}, {"default", 1u << PART_NEW},
        {"all", 1u << PART_OLD | 1u << PART_NEW | 1u << PART_CONTEXT}};
    char *copy = g_copy_string(argument), *at = copy;
    (void)o, (void)unset;
    diffs.white_lines = 0;
    for (char *word; (word = strsep(&at, ",")) != NULL;) {
        size_t i = 0, count = sizeof names / sizeof *names;
        while (i < count && strcmp(names[i].name, word) != 0) i++;
        if (i == count) {
            error("unknown value after ws-error-highlight=%.*s", (int)strlen(word), word);
            g_exit(129);
        }
        if (i >= 3) diffs.white_lines = 0;
        diffs.white_lines |= names[i].bits;
    }
    free(copy);
}

static void ignored(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
}

static void ignore_lines(const option *o, const char *argument, bool unset) {
    static size_t cap;
    pf_regex *regexp;
    const char *message;
    (void)o, (void)unset;
    if (pf_regex_compile(&regexp, argument, strlen(argument), PF_RE_EXTENDED | PF_RE_NEWLINE, &g_regex_host, &message) != PF_RE_OK) {
        error("invalid regex given to -I: '%s'", argument);
        g_exit(129);
    }
    if (xdiff_wishes.ignored_count == cap) xdiff_wishes.ignored = g_more(xdiff_wishes.ignored, &cap, sizeof *xdiff_wishes.ignored);
    xdiff_wishes.ignored[xdiff_wishes.ignored_count++] = regexp;
}

static void anchored(const option *o, const char *argument, bool unset) {
    static string_list anchors;
    (void)o;
    if (unset) anchors.count = 0;
    else list_add(&anchors, argument);
    xdiff_wishes.anchors = anchors.items;
    xdiff_wishes.anchor_count = (size_t)anchors.count;
}

static void histogram(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    diffs.flags &= ~(unsigned)(GIT_DIFF_PATIENCE | GIT_DIFF_MINIMAL);
    xdiff_wishes.histogram = !unset;
}

static void cr_at_eol(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    xdiff_wishes.cr_at_eol = !unset;
}

static void dirstat(const option *o, const char *argument, bool unset) {
    (void)unset;
    diffs.format |= DIFF_DIRSTAT;
    if (o->number) diff_dirstat_how("cumulative");
    if (argument) diff_dirstat_how(argument);
}

/* All that is printed from here on goes there. */
static void output(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    int fd = open(argument, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) die("could not open '%s' for writing: %s", argument, strerror(errno));
    g_out_flush();
    dup2(fd, 1);
    close(fd);
    if (diffs.color != COLOR_ALWAYS) diffs.color = COLOR_NEVER;
}

static void not_there(const option *o, const char *argument, bool unset) {
    (void)argument;
    if (!unset) die("--%s is not there", o->name);
}

static void functions(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    diffs.functions = !unset;
}

static void set_relative(const option *o, const char *argument, bool unset) {
    (void)o;
    diffs.relative = !unset;
    if (!argument || unset) return;
    g_text dir = {0};
    g_text_addf(&dir, "%s%s", argument, *argument && argument[strlen(argument) - 1] != '/' ? "/" : "");
    prefix = dir.s;
}

static void abbrev(const option *o, const char *argument, bool unset) {
    diffs.abbrev = unset ? OID_HEX : argument ? number_of(o, argument) : 7;
}

#define FORMAT(letter, name, bit) {OPT_CALL_NONE, letter, name, NULL, NULL, NULL, bit, NULL, set_format, 0}
#define CALL(kind, letter, name, argument, number, call) \
    {kind, letter, name, NULL, argument, NULL, number, NULL, call, 0}
#define DIFF_FLAG(letter, name, field) {OPT_FLAG, letter, name, INT_OPTION(&diffs.field), NULL, NULL, 0, NULL, NULL, 0}

const option diff_option_table[] = {
    FORMAT('p', "patch", DIFF_PATCH),
    FORMAT('u', NULL, DIFF_PATCH),
    FORMAT('s', "no-patch", DIFF_NONE),
    FORMAT(0, "raw", DIFF_RAW),
    FORMAT(0, "numstat", DIFF_NUMSTAT),
    FORMAT(0, "shortstat", DIFF_SHORTSTAT),
    FORMAT(0, "summary", DIFF_SUMMARY),
    FORMAT(0, "name-only", DIFF_NAME_ONLY),
    FORMAT(0, "name-status", DIFF_NAME_STATUS),
    FORMAT(0, "check", DIFF_CHECK),
    FORMAT(0, "patch-with-stat", DIFF_PATCH | DIFF_STAT),
    FORMAT(0, "patch-with-raw", DIFF_PATCH | DIFF_RAW),
    FORMAT(0, "compact-summary", DIFF_STAT | DIFF_COMPACT),
    CALL(OPT_CALL_MAYBE, 0, "stat", "<width>", 0, stat),
    CALL(OPT_CALL, 0, "stat-width", "width", 0, stat_number),
    CALL(OPT_CALL, 0, "stat-name-width", "width", 1, stat_number),
    CALL(OPT_CALL, 0, "stat-graph-width", "width", 2, stat_number),
    CALL(OPT_CALL, 0, "stat-count", "count", 3, stat_number),
    CALL(OPT_CALL, 'U', "unified", "n", 0, context),
    {OPT_NUMBER, 0, "inter-hunk-context", &diffs.interhunk, "n", NULL, 0, NULL, NULL, 0},
    CALL(OPT_CALL_MAYBE, 'M', "find-renames", "n", 1, renames),
    CALL(OPT_CALL_MAYBE, 'C', "find-copies", "n", 2, renames),
    CALL(OPT_CALL_NONE, 0, "find-copies-harder", NULL, 3, renames),
    CALL(OPT_CALL_NONE, 0, "renames", NULL, 1, renames),
    CALL(OPT_CALL_NONE, 0, "rename-empty", NULL, 1, ignored),
    CALL(OPT_CALL_MAYBE, 'B', "break-rewrites", "n", 0, not_there),
    CALL(OPT_CALL, 'l', NULL, "n", 0, ignored),
    CALL(OPT_CALL_NONE, 'w', "ignore-all-space", NULL, GIT_DIFF_IGNORE_WHITESPACE, white),
    CALL(OPT_CALL_NONE, 'b', "ignore-space-change", NULL, GIT_DIFF_IGNORE_WHITESPACE_CHANGE, white),
    CALL(OPT_CALL_NONE, 0, "ignore-space-at-eol", NULL, GIT_DIFF_IGNORE_WHITESPACE_EOL, white),
    CALL(OPT_CALL_NONE, 0, "ignore-cr-at-eol", NULL, 0, cr_at_eol),
    CALL(OPT_CALL_NONE, 0, "ignore-blank-lines", NULL, GIT_DIFF_IGNORE_BLANK_LINES, white),
    CALL(OPT_CALL_NONE, 0, "indent-heuristic", NULL, GIT_DIFF_INDENT_HEURISTIC, white),
    CALL(OPT_CALL_NONE, 0, "patience", NULL, GIT_DIFF_PATIENCE, white),
    CALL(OPT_CALL_NONE, 0, "histogram", NULL, 0, histogram),
    CALL(OPT_CALL_NONE, 0, "minimal", NULL, GIT_DIFF_MINIMAL, white),
    CALL(OPT_CALL, 0, "diff-algorithm", "algorithm", 0, algorithm),
    {OPT_CALL_NONE, 'W', "function-context", NULL, NULL, NULL, 0, NULL, functions, 0},
    CALL(OPT_CALL_MAYBE, 'X', "dirstat", "how", 0, dirstat),
    CALL(OPT_CALL_NONE, 0, "cumulative", NULL, 1, dirstat),
    DIFF_FLAG('D', "irreversible-delete", no_deleted),
    {OPT_STRING, 'O', NULL, &diffs.order_file, "file", NULL, 0, NULL, NULL, 0},
    {OPT_STRING, 0, "skip-to", &diffs.skip_to, "path", NULL, 0, NULL, NULL, 1},
    {OPT_STRING, 0, "rotate-to", &diffs.rotate_to, "path", NULL, 0, NULL, NULL, 1},
    CALL(OPT_CALL, 0, "output", "file", 0, output),
    CALL(OPT_CALL, 0, "anchored", "text", 0, anchored),
    CALL(OPT_CALL, 'I', "ignore-matching-lines", "regex", 0, ignore_lines),
    CALL(OPT_CALL_NONE, 0, "ita-invisible-in-index", NULL, 0, ignored),
    DIFF_FLAG('a', "text", text),
    DIFF_FLAG(0, "binary", binary),
    DIFF_FLAG(0, "full-index", full_index),
    CALL(OPT_CALL_MAYBE, 0, "abbrev", "n", 0, abbrev),
    DIFF_FLAG('R', NULL, reverse),
    DIFF_FLAG(0, "exit-code", exit_code),
    DIFF_FLAG(0, "quiet", quiet),
    DIFF_FLAG('z', NULL, null),
    DIFF_FLAG(0, "no-prefix", no_prefix),
    CALL(OPT_CALL_MAYBE, 0, "relative", "path", 0, set_relative),
    {OPT_STRING, 0, "src-prefix", &diffs.src, "prefix", NULL, 0, NULL, NULL, 0},
    {OPT_STRING, 0, "dst-prefix", &diffs.dst, "prefix", NULL, 0, NULL, NULL, 0},
    {OPT_STRING, 0, "line-prefix", &diffs.line_prefix, "prefix", NULL, 0, NULL, NULL, 0},
    {OPT_STRING, 0, "diff-filter", &diffs.filter, "letters", NULL, 0, NULL, NULL, 0},
    CALL(OPT_CALL, 'S', NULL, "string", 0, pickaxe),
    CALL(OPT_CALL, 'G', NULL, "regex", 0, pickaxe),
    CALL(OPT_CALL, 0, "find-object", "object", 0, find_object),
    DIFF_FLAG(0, "pickaxe-regex", pickaxe_regex),
    DIFF_FLAG(0, "pickaxe-all", pickaxe_all),
    CALL(OPT_CALL_MAYBE, 0, "color", "when", 0, color),
    CALL(OPT_CALL_MAYBE, 0, "word-diff", "mode", 0, word_diff),
    CALL(OPT_CALL, 0, "word-diff-regex", "regex", 0, word_regex),
    CALL(OPT_CALL_MAYBE, 0, "color-words", "regex", 0, color_words),
    CALL(OPT_CALL_MAYBE, 0, "color-moved", "mode", 0, color_moved),
    CALL(OPT_CALL, 0, "ws-error-highlight", "kind", 0, white_lines),
    CALL(OPT_CALL_MAYBE, 0, "ignore-submodules", "when", 0, ignored),
    CALL(OPT_CALL_MAYBE, 0, "submodule", "format", 0, ignored),
    CALL(OPT_CALL_NONE, 0, "textconv", NULL, 0, ignored),
    CALL(OPT_CALL_NONE, 0, "ext-diff", NULL, 0, ignored),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

void diff_defaults(void) {
    char *renames_ = repo ? config_string("diff.renames") : NULL;
    memset(&diffs, 0, sizeof diffs);
    diffs.context = repo ? config_int("diff.context", 3) : 3;
    diffs.interhunk = repo ? config_int("diff.interhunkcontext", 0) : 0;
    diffs.renames = 1;
    if (renames_ && (strcmp(renames_, "copies") == 0 || strcmp(renames_, "copy") == 0)) diffs.renames = 2;
    else if (renames_) diffs.renames = config_bool("diff.renames", true);
    diffs.word_regex = repo ? config_string("diff.wordregex") : NULL;
    diffs.rename_score = 50;
    diffs.flags = GIT_DIFF_INDENT_HEURISTIC;
    diffs.color = COLOR_UNSET;
    diffs.white_lines = 1u << PART_NEW;
    diffs.dirstat_permille = 30;
    char *dirstat_ = repo ? config_string("diff.dirstat") : NULL;
    if (dirstat_) diff_dirstat_how(dirstat_);
    diffs.order_file = repo ? config_string("diff.orderfile") : NULL;
    if (repo) {
        char *algorithm_ = config_string("diff.algorithm");
        if (algorithm_ && strcmp(algorithm_, "patience") == 0) diffs.flags |= GIT_DIFF_PATIENCE;
        if (algorithm_ && strcmp(algorithm_, "minimal") == 0) diffs.flags |= GIT_DIFF_MINIMAL;
        xdiff_wishes.histogram = algorithm_ && strcmp(algorithm_, "histogram") == 0;
    }
    diffs.src = "a/";
    diffs.dst = "b/";
    if (repo && config_bool("diff.noprefix", false)) diffs.no_prefix = 1;
}
