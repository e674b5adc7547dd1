/*
 * diff_combined.c: a result beside all that it was made from, as `git show` of a merge and `git diff`
 * in the middle of a conflict write it ("COMBINED DIFF FORMAT" in git-diff(1)).
 *
 * Each line of the result knows which parents lack it and which lines of parents were lost before it.
 * What is lost from several parents is written once. The dense form leaves out places where the result
 * is one of the parents' versions.
 */
#include "diff_color.h"
#include "diff_combined.h"

#include <ctype.h>

enum { MAX_PARENTS = 60, MAX_TABLE = 1 << 24 };

typedef struct lost_line lost_line;
struct lost_line {
    lost_line *next;
    const char *text;
    size_t len; /* without the line end */
    uint64_t parents;
};

typedef struct {
    const char *text;
    size_t len;
    uint64_t lacking;       /* parents without this line */
    lost_line *lost, **end; /* before this line: of the parents so far, and of the one at work */
    lost_line *fresh;
    bool shown;
    bool keeps_lost;        /* context: what was lost before it is not shown */
} result_line;

typedef struct {
    const combined_path *path;
    result_line *lines; /* count, and one behind them for what was lost at the end */
    size_t count;
    size_t *numbers;    /* [parent * (count + 2) + line]: the line's number there */
    uint64_t all;
    uint64_t parent;    /* the one at work */
    result_line *bucket;
} combination;

/* ---- equal lines */

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* The next byte that counts, under the options about white space; -1 at the end. */
static int next_byte(const lost_line *line, size_t *at) {
    size_t start = *at;
    while (*at < line->len && blank(line->text[*at])) ++*at;
    if (*at == line->len) return -1;
    if (*at > start && (diffs.flags & GIT_DIFF_IGNORE_WHITESPACE_CHANGE)) return ' ';
    if (*at > start && !(diffs.flags & GIT_DIFF_IGNORE_WHITESPACE)) *at = start;
    return (unsigned char)line->text[(*at)++];
}

static bool same_line(const lost_line *a, const lost_line *b) {
    unsigned white = GIT_DIFF_IGNORE_WHITESPACE | GIT_DIFF_IGNORE_WHITESPACE_CHANGE | GIT_DIFF_IGNORE_WHITESPACE_EOL;
    size_t i = 0, j = 0;
    if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0) return true;
    if (!(diffs.flags & white)) return false;
    for (;;) {
        int x = next_byte(a, &i), y = next_byte(b, &j);
        if (x != y) return false;
        if (x < 0) return true;
    }
}

/* ---- what each parent lacks and lost */

static int at_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload) {
    combination *c = payload;
    size_t line = (size_t)hunk->new_start;
    (void)delta;
    /* without new lines it names the line before */
    c->bucket = &c->lines[hunk->new_lines ? line - 1 : line];
    return 0;
}

static int at_line(const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *line, void *payload) {
    combination *c = payload;
    (void)delta, (void)hunk;
    if (line->origin == GIT_DIFF_LINE_ADDITION) {
        c->lines[line->new_lineno - 1].lacking |= c->parent;
    } else if (line->origin == GIT_DIFF_LINE_DELETION) {
        lost_line *lost = g_zalloc(sizeof *lost), **end = &c->bucket->fresh;
        lost->text = line->content;
        lost->len = line->content_len - (line->content_len && line->content[line->content_len - 1] == '\n');
        lost->parents = c->parent;
        if (c->bucket->end && *end) end = c->bucket->end;
        *end = lost;
        c->bucket->end = &lost->next;
    }
    return 0;
}

static size_t length(const lost_line *list) {
    size_t n = 0;
    for (; list; list = list->next) n++;
    return n;
}

static lost_line **as_array(lost_line *list, size_t n) {
    lost_line **array = g_alloc((n + 1) * sizeof *array);
    for (size_t i = 0; i < n; i++, list = list->next) array[i] = list;
    return array;
}

/* Joins what one more parent lost with what others lost: a longest common subsequence is kept once. */
static lost_line *join(lost_line *old, lost_line *fresh) {
    size_t n = length(old), m = length(fresh), width = m + 1;
    lost_line **a = as_array(old, n), **b = as_array(fresh, m), *list = NULL;
    /* too much for a table of lengths: all of it is shown, unjoined */
    bool table_fits = n < MAX_TABLE / width;
    uint32_t *longest = table_fits ? g_zalloc((n + 1) * width * sizeof *longest) : NULL;
    for (size_t i = 1; table_fits && i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            uint32_t up = longest[(i - 1) * width + j], left = longest[i * width + j - 1];
            longest[i * width + j] = same_line(a[i - 1], b[j - 1]) ? longest[(i - 1) * width + j - 1] + 1
                                     : left >= up                  ? left
                                                                   : up;
        }
    for (size_t i = n, j = m; i || j;) {
        lost_line *line;
        if (table_fits && i && j && same_line(a[i - 1], b[j - 1])) {
            line = a[--i];
            line->parents |= b[--j]->parents;
        } else if (j && (!i || !table_fits || longest[i * width + j - 1] >= longest[(i - 1) * width + j])) {
            line = b[--j];
        } else {
            line = a[--i];
        }
        line->next = list;
        list = line;
    }
    free(longest);
    free(a);
    free(b);
    return list;
}

static void number_lines(combination *c, unsigned parent) {
    size_t *numbers = c->numbers + parent * (c->count + 2), number = 1;
    uint64_t bit = 1ULL << parent;
    for (size_t i = 0; i <= c->count; i++) {
        numbers[i] = number;
        for (lost_line *lost = c->lines[i].lost; lost; lost = lost->next) number += (lost->parents & bit) != 0;
        number += i < c->count && !(c->lines[i].lacking & bit);
    }
    numbers[c->count + 1] = number;
}

static void compare(combination *c, unsigned parent) {
    const combined_side *old = &c->path->parents[parent], *new_ = &c->path->result;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.flags = diffs.flags | GIT_DIFF_FORCE_TEXT;
    o.context_lines = 0;
    c->parent = 1ULL << parent;
    c->bucket = c->lines;
    check(git_diff_buffers(old->text, old->len, NULL, new_->text, new_->len, NULL, &o, NULL, NULL, at_hunk,
                           at_line, c));
    for (size_t i = 0; i <= c->count; i++) {
        result_line *line = &c->lines[i];
        if (line->fresh) line->lost = line->lost ? join(line->lost, line->fresh) : line->fresh;
        line->fresh = NULL;
        line->end = NULL;
    }
}

static void split_result(combination *c) {
    const char *text = c->path->result.text, *end = text + c->path->result.len;
    for (const char *p = text; p < end; p++) c->count += *p == '\n' || p + 1 == end;
    c->lines = g_zalloc((c->count + 1) * sizeof *c->lines);
    for (size_t i = 0; i < c->count; i++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        c->lines[i].text = text;
        c->lines[i].len = (size_t)((stop ? stop : end) - text);
        text = stop ? stop + 1 : end;
    }
}

/* ---- which lines are shown; line c->count stands for the end */

static size_t find(const combination *c, size_t from, bool shown) {
    while (from <= c->count && c->lines[from].shown != shown) from++;
    return from;
}

/* A hunk's last line that only has something lost before it is context itself. */
static size_t tail(const combination *c, size_t begin, size_t end) {
    return begin < end && !c->lines[end - 1].lacking ? end - 1 : end;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t hunk_end(const combination *c, size_t begin) {
    size_t context = (size_t)diffs.context, end = begin + 1;
    for (; end <= c->count; end++) {
        if (c->lines[end].shown) continue;
        size_t ahead = least(tail(c, begin, end) + context, c->count + 1);
        while (ahead > end && !c->lines[ahead - 1].shown) ahead--;
        if (ahead <= end) break;
        end = ahead - 1;
    }
    return end;
}

/* Whether something here is no parent's version: parents differ from it in different places. */
static bool worth_showing(const combination *c, size_t begin, size_t end) {
    uint64_t all = 0;
    for (size_t i = begin; i < end; i++) {
        uint64_t here = c->lines[i].lacking;
        if (here && all && here != all) return true;
        if (here) all = here;
        for (lost_line *lost = c->lines[i].lost; lost; lost = lost->next) {
            if (all && lost->parents != all) return true;
            all = lost->parents;
        }
    }
    return all == c->all;
}

static void drop_uninteresting(combination *c) {
    for (size_t begin = find(c, 0, true), end; begin <= c->count; begin = find(c, end, true)) {
        end = hunk_end(c, begin);
        if (worth_showing(c, begin, end)) continue;
        for (size_t i = begin; i < end; i++) c->lines[i].shown = false;
    }
}

static bool add_context(combination *c) {
    size_t context = (size_t)diffs.context, i = find(c, 0, true);
    if (i > c->count) return false;
    while (i <= c->count) {
        for (size_t j = i > context ? i - context : 0; j < i; j++) {
            c->lines[j].keeps_lost |= !c->lines[j].shown;
            c->lines[j].shown = true;
        }
        size_t stop, next;
        for (;;) {
            stop = find(c, i, false);
            if (stop > c->count) return true;
            next = find(c, stop, true);
            stop = tail(c, i, stop);
            if (next >= stop + context) break;
            while (stop < next) c->lines[stop++].shown = true; /* the gap is small */
            i = next;
        }
        i = next;
        for (size_t until = least(stop + context, c->count + 1); stop < until; stop++) c->lines[stop].shown = true;
    }
    return true;
}

static bool choose(combination *c, bool dense) {
    for (size_t i = 0; i <= c->count; i++) c->lines[i].shown = c->lines[i].lacking || c->lines[i].lost;
    if (dense) drop_uninteresting(c);
    return add_context(c);
}

/* ---- writing */

static void add_marks(g_text *out, const combination *c, uint64_t parents, char mark) {
    for (unsigned i = 0; i < c->path->count; i++) g_text_addc(out, parents >> i & 1 ? mark : ' ');
}

/* The last line between this hunk and the one before that looks like the head of a function; cut as git cuts it. */
static void add_function(g_text *out, const result_line *line) {
    size_t used = 0;
    if (!line) return;
    for (size_t i = 0; i < 40 && i < line->len; i++)
        if (!isspace((unsigned char)line->text[i])) used = i;
    if (used) g_text_addf(out, " %.*s", (int)used, line->text);
}

static void add_hunk_head(g_text *out, const combination *c, size_t begin, size_t end, const result_line *function) {
    size_t rows = end - begin - (end > c->count), hidden = 0;
    for (size_t i = begin; !diffs.context && i < end; i++) hidden += !c->lines[i].lacking;
    for (unsigned i = 0; i <= c->path->count; i++) g_text_addc(out, '@');
    for (unsigned i = 0; i < c->path->count; i++) {
        const size_t *numbers = c->numbers + i * (c->count + 2);
        g_text_addf(out, " -%zu,%zu", numbers[begin], numbers[end] - numbers[begin] - hidden);
    }
    g_text_addf(out, " +%zu,%zu ", begin + 1, rows - hidden);
    for (unsigned i = 0; i <= c->path->count; i++) g_text_addc(out, '@');
    add_function(out, function);
    g_text_addc(out, '\n');
}

static void add_rows(g_text *out, const combination *c, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        const result_line *line = &c->lines[i];
        for (lost_line *lost = line->keeps_lost ? NULL : line->lost; lost; lost = lost->next) {
            add_marks(out, c, lost->parents, '-');
            g_text_add(out, lost->text, lost->len);
            g_text_addc(out, '\n');
        }
        if (i == c->count || (!diffs.context && !line->lacking)) continue;
        add_marks(out, c, line->lacking, '+');
        g_text_add(out, line->text, line->len);
        g_text_addc(out, '\n');
    }
}

static bool looks_like_function(const result_line *line) {
    return line->len && (isalpha((unsigned char)*line->text) || *line->text == '_' || *line->text == '$');
}

static void add_combined_hunks(g_text *out, const combination *c) {
    for (size_t at = 0, end;; at = end) {
        const result_line *function = NULL;
        for (; at <= c->count && !c->lines[at].shown; at++)
            if (looks_like_function(&c->lines[at])) function = &c->lines[at];
        if (at > c->count) return;
        end = find(c, at, false);
        add_hunk_head(out, c, at, end, function);
        add_rows(out, c, at, end);
    }
}

static void add_modes(g_text *out, const combined_path *path, bool added) {
    if (added) {
        g_text_addf(out, "new file mode %06o\n", path->result.mode);
        return;
    }
    g_text_adds(out, path->result.mode ? "mode " : "deleted file mode ");
    for (unsigned i = 0; i < path->count; i++) g_text_addf(out, "%s%06o", i ? "," : "", path->parents[i].mode);
    if (path->result.mode) g_text_addf(out, "..%06o", path->result.mode);
    g_text_addc(out, '\n');
}

static const char *id_name(const git_oid *id) { return diffs.full_index ? full_id(id) : short_id(id); }

static void add_side_name(g_text *out, const char *mark, const char *before, const char *path, bool absent) {
    char *name = absent ? g_copy_string("/dev/null") : quoted(path, diffs.no_prefix ? "" : before);
    g_text_addf(out, "%s %s\n", mark, name);
    free(name);
}

static void add_combined_head(g_text *out, const combined_path *path, bool dense, bool modes_differ, bool names) {
    bool added = path->result.mode != 0;
    size_t before = out->len;
    char *name = quoted(path->name, "");
    g_text_addf(out, "diff --%s %s\nindex ", dense ? "cc" : "combined", name);
    for (unsigned i = 0; i < path->count; i++) {
        added &= path->parents[i].mode == 0;
        g_text_addf(out, "%s%s", i ? "," : "", id_name(&path->parents[i].id));
    }
    g_text_addf(out, "..%s\n", id_name(&path->result.id));
    if (modes_differ) add_modes(out, path, added);
    if (names) {
        /* the result stays the result, also of --reverse */
        add_side_name(out, "---", diffs.reverse ? diffs.dst : diffs.src, path->name, added);
        add_side_name(out, "+++", diffs.reverse ? diffs.src : diffs.dst, path->name, path->result.mode == 0);
    }
    diff_paint(out, before, PART_META);
    free(name);
}

static bool is_binary(const combined_side *side) {
    return !diffs.text && side->len && memchr(side->text, 0, least(side->len, 8000));
}

void diff_write_combined(g_text *out, const combined_path *path, bool dense, bool in_workdir_) {
    combination c = {.path = path, .all = (1ULL << path->count) - 1};
    bool modes_differ = false, binary = is_binary(&path->result);
    if (path->count > MAX_PARENTS) die("a combined difference of more than %d parents is not there", MAX_PARENTS);
    for (unsigned i = 0; i < path->count; i++) {
        modes_differ |= path->parents[i].mode != path->result.mode;
        binary |= is_binary(&path->parents[i]);
    }
    if (binary) {
        add_combined_head(out, path, dense, modes_differ, false);
        g_text_adds(out, "Binary files differ\n");
        return;
    }
    split_result(&c);
    c.numbers = g_zalloc(path->count * (c.count + 2) * sizeof *c.numbers);
    for (unsigned i = 0; i < path->count; i++) compare(&c, i);
    for (unsigned i = 0; i < path->count; i++) number_lines(&c, i);
    bool any = choose(&c, dense);
    if (any || modes_differ || in_workdir_) add_combined_head(out, path, dense, modes_differ, true);
    if (any && (path->result.mode || !in_workdir_)) add_combined_hunks(out, &c);
    free(c.numbers);
    free(c.lines);
}
