/*
 * diff3.c: compares three files line by line, and merges them.
 *
 * Two of them are compared with the third as diff does it. Changes that touch or overlap in the
 * third become one block, of which it is then asked which file differs from the other two.
 *
 * help diff3:
 *   Usage: diff3 [OPTION]... MYFILE OLDFILE YOURFILE
 *   Compare three files line by line.
 *
 *   -A, --show-all              output all changes, bracketing conflicts
 *   -e, --ed                    output ed script incorporating changes
 *                                 from OLDFILE to YOURFILE into MYFILE
 *   -E, --show-overlap          like -e, but bracket conflicts
 *   -3, --easy-only             like -e, but incorporate only nonoverlapping changes
 *   -x, --overlap-only          like -e, but incorporate only overlapping changes
 *   -X                          like -x
 *   -i                          append 'w' and 'q' commands to ed scripts
 *   -m, --merge                 output actual merged file, according to
 *                                 -A if no other options are given
 *   -a, --text                  treat all files as text
 *       --strip-trailing-cr     strip trailing carriage return on input
 *   -T, --initial-tab           make tabs line up by prepending a tab
 *   -L, --label=LABEL           use LABEL instead of file name
 *                                 (can be repeated up to three times)
 *       --help                  display this help and exit
 *   -v, --version               output version information and exit
 *
 *   If a FILE is '-', read standard input.
 *   Exit status is 0 if successful, 1 if conflicts, 2 if trouble.
 */
#include "diff3.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <stdlib.h>

enum { STRIP_CR = 256, DIFF_PROGRAM };
static const g_long longs[] = {{"show-all", 'A', G_NONE},
                               {"ed", 'e', G_NONE},
                               {"show-overlap", 'E', G_NONE},
                               {"easy-only", '3', G_NONE},
                               {"overlap-only", 'x', G_NONE},
                               {"merge", 'm', G_NONE},
                               {"text", 'a', G_NONE},
                               {"strip-trailing-cr", STRIP_CR, G_NONE},
                               {"initial-tab", 'T', G_NONE},
                               {"label", 'L', G_REQUIRED},
                               {"diff-program", DIFF_PROGRAM, G_REQUIRED},
                               {0}};

/* How many common lines at the ends take part in the comparison. */
enum { HORIZON = 100 };

typedef struct {
    diff3_work work;
    diff_options diff;
    diff_side files[FILES];
    bool script, merge;
    /* The file that both others are compared with, and which these are. */
    int base, others[2];
    diff_pair pairs[2]; /* side 0: others[i], side 1: the base */
} comparison;

/* The changes of one pair that lie in one block: [first .. end). */
typedef struct {
    const diff_pair *pair;
    size_t first, end;
    size_t before; /* lines of the base that the last change left behind it … */
    size_t other;  /* … and where that is in the other file */
} thread;

static bool more_changes(const thread *t) {
    return t->end < t->pair->change_count;
}

static const diff_change *next_change(const thread *t) {
    return &t->pair->changes[t->end];
}

/* Takes the next change that begins before or at `end` of the base; grows `end`. */
static bool take_change(thread *t, size_t *end) {
    if (!more_changes(t) || next_change(t)->line1 > *end) return false;
    const diff_change *c = next_change(t);
    if (c->line1 + c->inserted > *end) *end = c->line1 + c->inserted;
    t->end++;
    return true;
}

/* What the range of the base is in the other file. */
static diff3_range other_range(thread *t, diff3_range base) {
    diff3_range range = {t->other + (base.first - t->before), t->other + (base.end - t->before)};
    if (t->first == t->end) return range;
    const diff_change *c = &t->pair->changes[t->first], *last = &t->pair->changes[t->end - 1];
    range.first = c->line0 - (c->line1 - base.first);
    t->before = last->line1 + last->inserted;
    t->other = last->line0 + last->deleted;
    range.end = t->other + (base.end - t->before);
    return range;
}

static bool same_lines(const diff3_work *w, const diff3_block *b, int one, int two, bool open) {
    const diff3_range *r = &b->range[one], *s = &b->range[two];
    if (r->end - r->first != s->end - s->first) return false;
    for (size_t i = 0; i < r->end - r->first; i++) {
        const diff_line *x = &w->lines[one][r->first + i], *y = &w->lines[two][s->first + i];
        size_t m = x->len, n = y->len;
        if (open) {
            m -= m > 0 && x->s[m - 1] == '\n';
            n -= n > 0 && y->s[n - 1] == '\n';
        }
        if (m != n || memcmp(x->s, y->s, m) != 0) return false;
    }
    return true;
}

static void add_block(comparison *c, const diff3_block *b, size_t *room) {
    diff3_work *w = &c->work;
    if (w->block_count == *room) w->blocks = g_more(w->blocks, room, sizeof *w->blocks);
    w->blocks[w->block_count++] = *b;
}

static void find_blocks(comparison *c) {
    thread threads[2] = {{.pair = &c->pairs[0]}, {.pair = &c->pairs[1]}};
    size_t room = 0;
    while (more_changes(&threads[0]) || more_changes(&threads[1])) {
        int begins = !more_changes(&threads[0]) ? 1 : 0;
        if (more_changes(&threads[0]) && more_changes(&threads[1]))
            begins = next_change(&threads[0])->line1 > next_change(&threads[1])->line1;
        for (int i = 0; i < 2; i++) threads[i].first = threads[i].end;
        diff3_range base = {next_change(&threads[begins])->line1, 0};
        base.end = base.first;
        take_change(&threads[begins], &base.end);
        while (take_change(&threads[!begins], &base.end) ||
               take_change(&threads[begins], &base.end))
            continue;
        diff3_block block = {.odd = ODD_ALL};
        block.range[c->base] = base;
        bool changed[2];
        for (int i = 0; i < 2; i++) {
            changed[i] = threads[i].first != threads[i].end;
            block.range[c->others[i]] = other_range(&threads[i], base);
        }
        if (!changed[0] || !changed[1])
            block.odd = (enum diff3_odd)c->others[changed[1]];
        else if (same_lines(&c->work, &block, c->others[0], c->others[1], c->script))
            block.odd = (enum diff3_odd)c->base;
        add_block(c, &block, &room);
    }
}

static void load_file(comparison *c, int i) {
    diff_side *file = &c->files[i];
    file->is_stdin = strcmp(file->name, "-") == 0;
    if (!file->is_stdin && stat(file->name, &file->st) != 0)
        g_die_errno(2, errno, "%s", file->name);
    if (!file->is_stdin && S_ISDIR(file->st.st_mode)) g_die_errno(2, EISDIR, "%s", file->name);
    if (!diff_load(file)) g_exit(2);
}

/* What an ed script cannot say is told instead, once for each change that has such a line. */
static void warn_of_open_lines(const diff_pair *pair) {
    if (pair->change_count == 0) return;
    const diff_change *last = &pair->changes[pair->change_count - 1];
    const size_t ends[2] = {last->line0 + last->deleted, last->line1 + last->inserted};
    const size_t counts[2] = {last->deleted, last->inserted};
    for (int f = 0; f < 2; f++)
        if (pair->side[f].no_newline && counts[f] > 0 && ends[f] == pair->side[f].line_count)
            g_warn("No newline at end of file");
}

static void compare_pair(comparison *c, int i) {
    diff_pair *pair = &c->pairs[i];
    *pair = (diff_pair){.o = &c->diff, .side = {c->files[c->others[i]], c->files[c->base]}};
    diff_side *a = &pair->side[0], *b = &pair->side[1];
    bool same = a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
    if (!same && !c->diff.text && (diff_is_binary(a) || diff_is_binary(b)))
        g_die(2, "diff failed: Binary files %s and %s differ", a->name, b->name);
    diff_match(pair, diff_classify(pair));
    if (c->script) warn_of_open_lines(pair);
    for (int f = 0; f < 2; f++) {
        int file = f ? c->base : c->others[i];
        c->work.lines[file] = pair->side[f].lines;
        c->work.line_count[file] = pair->side[f].line_count;
    }
}

static void put_range(int file, const diff3_range *r) {
    size_t count = r->end - r->first;
    g_outf("%d:%zu", file + 1, count == 0 ? r->first : r->first + 1);
    if (count > 1) g_outf(",%zu", r->end);
    g_outs(count == 0 ? "a\n" : "c\n");
}

static void put_block(const diff3_work *w, const diff3_block *b) {
    static const int usual[FILES] = {MINE, OLD, YOURS}, outer_first[FILES] = {MINE, YOURS, OLD};
    const int *order = b->odd == ODD_OLD ? outer_first : usual;
    /* Of two that are equal the second is shown. */
    int hidden = b->odd == ODD_ALL ? FILES : b->odd == ODD_MINE ? OLD : MINE;
    g_outs("====");
    if (b->odd != ODD_ALL) g_outf("%d", (int)b->odd + 1);
    g_outc('\n');
    for (int n = 0; n < FILES; n++) {
        int file = order[n];
        const diff3_range *r = &b->range[file];
        put_range(file, r);
        if (file == hidden) continue;
        for (size_t i = r->first; i < r->end; i++) {
            const diff_line *line = &w->lines[file][i];
            g_outs(w->initial_tab ? "\t" : "  ");
            g_out(line->s, line->len);
            if (line->s[line->len - 1] != '\n') g_outs("\n\\ No newline at end of file\n");
        }
    }
}

static void read_options(comparison *c, int argc, char **argv, int *at) {
    int modes = 0, labels = 0;
    diff3_work *w = &c->work;
    g_options o = g_options_of(argc, argv, "aeimvx3AEL:TX", longs);
    for (int option; (option = g_option(&o)) >= 0;) switch (option) {
        case 'a': c->diff.text = true; break;
        case 'A': w->show_all = w->bracket = true, modes++; break;
        case 'E': w->bracket = true, modes++; break;
        case 'x':
        case 'X': w->overlap_only = true, modes++; break;
        case '3': w->easy_only = true, modes++; break;
        case 'e': modes++; break;
        case 'i': w->write_and_quit = true; break;
        case 'm': c->merge = true; break;
        case 'T': w->initial_tab = true; break;
        case 'L':
            if (labels == FILES) g_usage("too many file label options");
            w->names[labels++] = o.arg;
            break;
        case STRIP_CR: c->diff.strip_cr = true; break;
        case DIFF_PROGRAM: g_die(2, "--diff-program is not supported: files are compared here");
        case 'v': g_print_version(); g_exit(0);
        }
    c->script = modes > 0 && !c->merge;
    if (c->merge && modes == 0) w->show_all = w->bracket = true;
    bool changes = c->merge || modes > 0;
    if (modes > 1 || (w->write_and_quit && c->merge) || (labels > 0 && !changes))
        g_usage("incompatible options");
    *at = o.at;
}

int diff3_main(int argc, char **argv) {
    comparison c = {.diff = {.style = STYLE_NORMAL, .horizon = HORIZON, .tab = 8}};
    int at;
    g_set_failure(2);
    g_set_write_error(2, "standard output: %s");
    g_set_hint("diff3: Try 'diff3 --help' for more information.");
    read_options(&c, argc, argv, &at);
    if (argc - at < FILES) g_usage("missing operand after '%s'", argv[argc - 1]);
    if (argc - at > FILES) g_usage("extra operand '%s'", argv[at + FILES]);
    int inputs = 0;
    for (int i = 0; i < FILES; i++) {
        c.files[i].name = argv[at + i];
        if (!c.work.names[i]) c.work.names[i] = argv[at + i];
        if (strcmp(argv[at + i], "-") == 0 && ++inputs > 1)
            g_die(2, "'-' specified for more than one input file");
    }
    for (int i = 0; i < FILES; i++) {
        load_file(&c, i);
        if (c.diff.strip_cr) diff_strip_returns(&c.files[i]);
    }
    /* A merge starts from OLD. A comparison takes the last file, so that it is seen as the one that
     * the first two were made of. Standard input could not be compared twice. */
    c.base = c.script || c.merge ? OLD : YOURS;
    if (strcmp(c.files[c.base].name, "-") == 0) c.base = OLD + YOURS - c.base;
    c.others[0] = MINE;
    c.others[1] = OLD + YOURS - c.base;
    for (int i = 0; i < 2; i++) compare_pair(&c, i);
    find_blocks(&c);
    if (c.script) return diff3_put_script(&c.work);
    if (c.merge) return diff3_put_merged(&c.work);
    for (size_t i = 0; i < c.work.block_count; i++) put_block(&c.work, &c.work.blocks[i]);
    return 0;
}
