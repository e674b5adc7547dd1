/*
 * diff.c: compares files line by line.
 *
 * This file reads the options; diff.h maps the others. Left out: -l.
 *
 * help diff:
 *   Usage: diff [OPTION]... FILES
 *   Compare FILES line by line.
 *
 *         --normal                  output a normal diff (the default)
 *     -q, --brief                   report only when files differ
 *     -s, --report-identical-files  report when two files are the same
 *     -c, -C NUM, --context[=NUM]   output NUM (default 3) lines of copied context
 *     -u, -U NUM, --unified[=NUM]   output NUM (default 3) lines of unified context
 *     -e, --ed                      output an ed script
 *     -f, --forward-ed              output something like an ed script in forward order
 *     -n, --rcs                     output an RCS format diff
 *     -y, --side-by-side            output in two columns
 *     -W, --width=NUM               output at most NUM (default 130) print columns
 *         --left-column             output only the left column of common lines
 *         --suppress-common-lines   do not output common lines
 *
 *     -p, --show-c-function         show which C function each change is in
 *     -F, --show-function-line=RE   show the most recent line matching RE
 *     -L, --label LABEL             use LABEL instead of file name and timestamp (can be repeated)
 *     -t, --expand-tabs             expand tabs to spaces in output
 *     -T, --initial-tab             make tabs line up by prepending a tab
 *         --tabsize=NUM             tab stops every NUM (default 8) print columns
 *         --suppress-blank-empty    suppress space or tab before empty output lines
 *
 *     -r, --recursive               recursively compare any subdirectories found
 *         --no-dereference          don't follow symbolic links
 *     -N, --new-file                treat absent files as empty
 *     -P, --unidirectional-new-file  treat absent first files as empty
 *         --ignore-file-name-case   ignore case when comparing file names
 *     -x, --exclude=PAT             exclude files that match PAT
 *     -X, --exclude-from=FILE       exclude files that match any pattern in FILE
 *     -S, --starting-file=FILE      start with FILE when comparing directories
 *         --from-file=FILE1         compare FILE1 to all operands
 *         --to-file=FILE2           compare all operands to FILE2
 *
 *     -i, --ignore-case             ignore case differences in file contents
 *     -E, --ignore-tab-expansion    ignore changes due to tab expansion
 *     -Z, --ignore-trailing-space   ignore white space at line end
 *     -b, --ignore-space-change     ignore changes in the amount of white space
 *     -w, --ignore-all-space        ignore all white space
 *     -B, --ignore-blank-lines      ignore changes where lines are all blank
 *     -I, --ignore-matching-lines=RE  ignore changes where all lines match RE
 *     -a, --text                    treat all files as text
 *         --strip-trailing-cr       strip trailing carriage return on input
 *
 *     -D, --ifdef=NAME              output merged file with '#ifdef NAME' diffs
 *         --GTYPE-group-format=GFMT  format GTYPE input groups with GFMT
 *         --line-format=LFMT        format all input lines with LFMT
 *         --LTYPE-line-format=LFMT  format LTYPE input lines with LFMT; LTYPE is 'old', 'new', or
 *                                     'unchanged', GTYPE is LTYPE or 'changed'
 *         GFMT: %< %> %= are lines of FILE1, of FILE2, of both; %[-][WIDTH][.[PREC]]{doxX}LETTER
 *           a number: F first line, L last line, N number of lines, E F-1, M L+1, in lower case of
 *           the old group; %(A=B?T:E) is T if A equals B, else E
 *         LFMT: %L contents of line, %l the same without its end, %[-][WIDTH][.[PREC]]{doxX}n
 *           number of line; both: %% is %, %c'C' the character C, %c'\\OOO' with octal code OOO
 *
 *     -d, --minimal                 try hard to find a smaller set of changes
 *         --horizon-lines=NUM       keep NUM lines of the common prefix and suffix
 *     -H, --speed-large-files       accepted, without effect
 *         --color[=WHEN]            color output; WHEN is 'never', 'always', or 'auto'
 *         --help                    display this help and exit
 *     -v, --version                 output version information and exit
 *
 *   FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.
 *   If a FILE is '-', read standard input.
 *   Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
 */
#include "diff.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_quote.h"
#include "g_regex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    NORMAL = 256,
    LEFT_COLUMN,
    HIDE_COMMON,
    TABSIZE,
    BARE_EMPTY,
    NO_DEREFERENCE,
    NAME_CASE,
    NO_NAME_CASE,
    FROM_FILE,
    TO_FILE,
    STRIP_CR,
    HORIZON,
    COLOR,
    PALETTE,
    LINE_FORMAT,
    OLD_LINE, /* these three and the four behind them as enum diff_group */
    NEW_LINE,
    UNCHANGED_LINE,
    OLD_GROUP,
    NEW_GROUP,
    UNCHANGED_GROUP,
    CHANGED_GROUP
};
static const g_long longs[] = {{"brief", 'q', G_NONE},
                               {"changed-group-format", CHANGED_GROUP, G_REQUIRED},
                               {"color", COLOR, G_OPTIONAL},
                               {"context", 'C', G_OPTIONAL},
                               {"ed", 'e', G_NONE},
                               {"exclude", 'x', G_REQUIRED},
                               {"exclude-from", 'X', G_REQUIRED},
                               {"expand-tabs", 't', G_NONE},
                               {"forward-ed", 'f', G_NONE},
                               {"from-file", FROM_FILE, G_REQUIRED},
                               {"horizon-lines", HORIZON, G_REQUIRED},
                               {"ifdef", 'D', G_REQUIRED},
                               {"ignore-all-space", 'w', G_NONE},
                               {"ignore-blank-lines", 'B', G_NONE},
                               {"ignore-case", 'i', G_NONE},
                               {"ignore-file-name-case", NAME_CASE, G_NONE},
                               {"ignore-matching-lines", 'I', G_REQUIRED},
                               {"ignore-space-change", 'b', G_NONE},
                               {"ignore-tab-expansion", 'E', G_NONE},
                               {"ignore-trailing-space", 'Z', G_NONE},
                               {"initial-tab", 'T', G_NONE},
                               {"label", 'L', G_REQUIRED},
                               {"left-column", LEFT_COLUMN, G_NONE},
                               {"line-format", LINE_FORMAT, G_REQUIRED},
                               {"minimal", 'd', G_NONE},
                               {"new-file", 'N', G_NONE},
                               {"new-group-format", NEW_GROUP, G_REQUIRED},
                               {"new-line-format", NEW_LINE, G_REQUIRED},
                               {"no-dereference", NO_DEREFERENCE, G_NONE},
                               {"no-ignore-file-name-case", NO_NAME_CASE, G_NONE},
                               {"normal", NORMAL, G_NONE},
                               {"old-group-format", OLD_GROUP, G_REQUIRED},
                               {"old-line-format", OLD_LINE, G_REQUIRED},
                               {"paginate", 'l', G_NONE},
                               {"palette", PALETTE, G_REQUIRED},
                               {"rcs", 'n', G_NONE},
                               {"recursive", 'r', G_NONE},
                               {"report-identical-files", 's', G_NONE},
                               {"show-c-function", 'p', G_NONE},
                               {"show-function-line", 'F', G_REQUIRED},
                               {"side-by-side", 'y', G_NONE},
                               {"speed-large-files", 'H', G_NONE},
                               {"starting-file", 'S', G_REQUIRED},
                               {"strip-trailing-cr", STRIP_CR, G_NONE},
                               {"suppress-blank-empty", BARE_EMPTY, G_NONE},
                               {"suppress-common-lines", HIDE_COMMON, G_NONE},
                               {"tabsize", TABSIZE, G_REQUIRED},
                               {"text", 'a', G_NONE},
                               {"to-file", TO_FILE, G_REQUIRED},
                               {"unchanged-group-format", UNCHANGED_GROUP, G_REQUIRED},
                               {"unchanged-line-format", UNCHANGED_LINE, G_REQUIRED},
                               {"unidirectional-new-file", 'P', G_NONE},
                               {"unified", 'U', G_OPTIONAL},
                               {"version", 'v', G_NONE},
                               {"width", 'W', G_REQUIRED},
                               {0}};

/* What is put together once all options are read. */
typedef struct {
    g_text ignore_lines, function_lines; /* one pattern per line */
    int64_t context, old_context;        /* -1: not given; old_context: -NUM */
    bool c_functions, brief;
    const char *from, *to;
} choices;

static int64_t number(const char *text, int64_t min, const char *what) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result == G_NUMBER_OVERFLOW || (result == G_NUMBER_OK && value > INT64_MAX))
        return INT64_MAX;
    if (result != G_NUMBER_OK || (int64_t)value < min) g_usage("invalid %s '%s'", what, text);
    return (int64_t)value;
}

static void set_style(diff_options *o, enum diff_style style) {
    if (o->style != STYLE_NONE && o->style != style) g_usage("conflicting output style options");
    o->style = style;
}

static void set_space(diff_options *o, enum diff_space space) {
    bool both = (o->space == SPACE_TAB_EXPANSION && space == SPACE_TRAILING) ||
                (o->space == SPACE_TRAILING && space == SPACE_TAB_EXPANSION);
    if (both)
        o->space = SPACE_TABS_AND_TRAILING;
    else if (o->space < space)
        o->space = space;
}

static void add_line(g_text *list, const char *pattern) {
    if (list->s) g_text_addc(list, '\n');
    g_text_adds(list, pattern);
    if (!list->s) g_text_reserve(list, 0);
}

static void add_patterns_of(g_text *list, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) g_exit(2);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        if (line.len == 0) continue;
        g_text_add(list, line.s, line.len);
        g_text_addc(list, '\0');
    }
    g_reader_free(&in);
    g_close_input(fd);
}

static pf_regex *compile(const g_text *patterns, bool ignore_case) {
    if (!patterns->s) return NULL;
    pf_regex *re;
    const char *message;
    unsigned flags =
        PF_RE_GREP | (ignore_case ? PF_RE_ICASE : 0) | (g_utf8_locale() ? 0 : PF_RE_BYTES);
    if (pf_regex_compile(&re, patterns->s, patterns->len, flags, &g_regex_host, &message))
        g_die(2, "%s: %s", patterns->s, message);
    return re;
}

static bool use_color(const char *when) {
    if (!when || strcmp(when, "auto") == 0) return isatty(STDOUT_FILENO);
    if (strcmp(when, "always") == 0) return true;
    if (strcmp(when, "never") == 0) return false;
    g_usage("invalid color '%s'", when);
}

static void take_format(diff_options *o, int option, const g_options *g) {
    char name[40];
    snprintf(name, sizeof name, "--%s", g->name);
    set_style(o, STYLE_FORMATS);
    if (option >= OLD_GROUP)
        diff_set_group_format(o, (enum diff_group)(option - OLD_GROUP), name, g->arg);
    for (int i = 0; i < DIFF_CHANGED; i++)
        if (option == LINE_FORMAT || option == OLD_LINE + i)
            diff_set_line_format(o, (enum diff_group)i, name, g->arg);
}

static void one_option(diff_options *o, choices *c, int option, const g_options *g) {
    const char *arg = g->arg;
    switch (option) {
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        if (c->old_context < 0) c->old_context = 0;
        if (c->old_context < INT32_MAX) c->old_context = c->old_context * 10 + (option - '0');
        break;
    case 'a': o->text = true; break;
    case 'b': set_space(o, SPACE_AMOUNT); break;
    case 'B': o->ignore_blank_lines = true; break;
    case 'c':
    case 'C':
    case 'u':
    case 'U':
        set_style(o, option == 'c' || option == 'C' ? STYLE_CONTEXT : STYLE_UNIFIED);
        if (arg)
            c->context = number(arg, 0, "context length");
        else if (c->context < 3)
            c->context = 3;
        break;
    case 'd': o->minimal = true; break;
    case 'e': set_style(o, STYLE_ED); break;
    case 'E': set_space(o, SPACE_TAB_EXPANSION); break;
    case 'F': add_line(&c->function_lines, arg); break;
    case 'h':
    case 'H':
    case PALETTE: break;
    case 'i': o->ignore_case = true; break;
    case 'I': add_line(&c->ignore_lines, arg); break;
    case 'L':
        if (o->labels[1]) g_die(2, "too many file label options");
        o->labels[o->labels[0] != NULL] = arg;
        break;
    case 'n': set_style(o, STYLE_RCS); break;
    case 'N': o->new_file = true; break;
    case 'p':
        c->c_functions = true;
        add_line(&c->function_lines, "^[[:alpha:]$_]");
        break;
    case 'P': o->new_second_only = true; break;
    case 'q': c->brief = true; break;
    case 'r': o->recursive = true; break;
    case 's': o->report_identical = true; break;
    case 'S': o->starting_file = arg; break;
    case 't': o->expand_tabs = true; break;
    case 'T': o->initial_tab = true; break;
    case 'v': g_print_version(); g_exit(0);
    case 'w': set_space(o, SPACE_NONE); break;
    case 'W': o->width = (size_t)number(arg, 1, "width"); break;
    case 'x': g_text_add(&o->exclude, arg, strlen(arg) + 1); break;
    case 'X': add_patterns_of(&o->exclude, arg); break;
    case 'y': set_style(o, STYLE_SIDE); break;
    case 'Z': set_space(o, SPACE_TRAILING); break;
    case NORMAL: set_style(o, STYLE_NORMAL); break;
    case LEFT_COLUMN: o->left_column = true; break;
    case HIDE_COMMON: o->hide_common = true; break;
    case HORIZON: o->horizon = number(arg, 0, "horizon length"); break;
    case TABSIZE: o->tab = (size_t)number(arg, 1, "tabsize"); break;
    case BARE_EMPTY: o->bare_empty = true; break;
    case NO_DEREFERENCE: o->no_dereference = true; break;
    case NAME_CASE: o->ignore_name_case = true; break;
    case NO_NAME_CASE: o->ignore_name_case = false; break;
    case FROM_FILE: c->from = arg; break;
    case TO_FILE: c->to = arg; break;
    case STRIP_CR: o->strip_cr = true; break;
    case COLOR: o->color = use_color(arg); break;
    case 'D':
        set_style(o, STYLE_FORMATS);
        diff_set_ifdef(o, arg);
        break;
    case 'f': set_style(o, STYLE_FORWARD_ED); break;
    case 'l': g_die(2, "-l is not supported; pipe the output into pr");
    default: take_format(o, option, g);
    }
}

static void finish(diff_options *o, choices *c) {
    if (c->c_functions && o->style == STYLE_NONE) {
        o->style = STYLE_CONTEXT;
        if (c->context < 0) c->context = 3;
    }
    bool has_context = o->style == STYLE_CONTEXT || o->style == STYLE_UNIFIED;
    if (o->style == STYLE_NONE) o->style = STYLE_NORMAL;
    if (c->brief) o->style = STYLE_BRIEF;
    if (o->style == STYLE_FORMATS) diff_settle_formats(o);
    o->context = has_context ? c->context : 0;
    if (has_context && c->old_context >= 0) o->context = c->old_context;
    if (o->horizon < o->context) o->horizon = o->context;
    o->ignore_lines = compile(&c->ignore_lines, o->ignore_case);
    o->function_lines = compile(&c->function_lines, false);
}

int diff_main(int argc, char **argv) {
    diff_options o = {.width = 130, .tab = 8};
    choices c = {.context = -1, .old_context = -1};
    g_set_failure(2);
    g_set_write_error(2, "standard output: %s");
    g_set_usage_line("diff: ");
    g_options g =
        g_options_of(argc, argv, "0123456789abBcC:dD:eEfF:hHiI:lL:nNpPqrsS:tTuU:vwW:x:X:yZ",
                   longs);
    for (int option; (option = g_option(&g)) >= 0;) one_option(&o, &c, option, &g);
    finish(&o, &c);
    for (int i = 1; i < g.at && strcmp(argv[i], "--") != 0; i++)
        g_text_addf(&o.switches, " %s", g_quotef(argv[i]));

    int status = 0, operands = argc - g.at;
    char **operand = argv + g.at;
    if (c.from || c.to) {
        if (c.from && c.to) g_die(2, "--from-file and --to-file both specified");
        for (int i = 0; i < operands; i++) {
            int one = c.from ? diff_operands(&o, c.from, operand[i])
                             : diff_operands(&o, operand[i], c.to);
            if (one > status) status = one;
        }
        return status;
    }
    if (operands < 2) g_usage("missing operand after '%s'", argv[argc - 1]);
    if (operands > 2) g_usage("extra operand '%s'", operand[2]);
    return diff_operands(&o, operand[0], operand[1]);
}
