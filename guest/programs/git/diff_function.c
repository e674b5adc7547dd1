/*
 * diff_function.c: --function-context: hunks that hold the whole functions in which something changed.
 *
 * The patch has all lines of the file in one hunk; here it is cut, by the rules of git's own library:
 * a line that begins with a letter, _ or $ is the head of a function.
 */
#include "diff_color.h"

#include <ctype.h>

typedef struct {
    const git_diff_line **lines; /* of both sides, in order */
    size_t count;
    const git_diff_line **sides[2]; /* what the old and the new side have */
    size_t counts[2];
} whole;

typedef struct {
    size_t begin[2], lines[2]; /* per side, from 0 */
} group;

static bool is_head(const git_diff_line *line) {
    return line->content_len && (isalpha((unsigned char)line->content[0]) || line->content[0] == '_' || line->content[0] == '$');
}

static bool is_blank(const git_diff_line *line) {
    for (size_t i = 0; i < line->content_len; i++)
        if (!isspace((unsigned char)line->content[i])) return false;
    return true;
}

/* The nearest head from `start` towards `limit` of the old side; -1: none. */
static long find_head(const whole *w, long start, long limit) {
    long step = start > limit ? -1 : 1;
    for (long l = start; l != limit && l >= 0 && l < (long)w->counts[0]; l += step)
        if (is_head(w->sides[0][l])) return l;
    return -1;
}

static long least(long a, long b) { return a < b ? a : b; }

/* Where the hunk of a change begins: `begin` per side. */
static void extend_up(const whole *w, const group *change, long begin[2]) {
    long context = diffs.context, i = (long)change->begin[0], total = (long)w->counts[0];
    begin[0] = i > context ? i - context : 0;
    begin[1] = (long)change->begin[1] > context ? (long)change->begin[1] - context : 0;
    if (i >= total) {
        for (size_t k = change->begin[1]; k < w->counts[1]; k++)
            if (is_head(w->sides[1][k])) return;
        i = total - 1;
    }
    long head = find_head(w, i, -1);
    while (head > 0 && !is_blank(w->sides[0][head - 1]) && !is_head(w->sides[0][head - 1])) head--;
    if (head < 0) head = 0;
    if (head >= begin[0]) return;
    begin[1] -= begin[0] - head;
    if (begin[1] < 0) begin[1] = 0;
    begin[0] = head;
}

/* The last change of the hunk that begins with `first`, and where the hunk ends. */
static size_t extend_down(const whole *w, const group *changes, size_t count, size_t first, long end[2]) {
    size_t at = first;
    long total = (long)w->counts[0];
    for (;;) {
        const group *c = &changes[at];
        long last = (long)(c->begin[0] + c->lines[0]), last_new = (long)(c->begin[1] + c->lines[1]);
        long context = least(diffs.context, least(total - last, (long)w->counts[1] - last_new));
        end[0] = last + context;
        end[1] = last_new + context;
        long head = find_head(w, last, total);
        while (head > 0 && is_blank(w->sides[0][head - 1])) head--;
        if (head < 0) head = total;
        if (head > end[0]) {
            end[1] = least(end[1] + head - end[0], (long)w->counts[1]);
            end[0] = head;
        }
        if (at + 1 == count) return at;
        long next = least((long)changes[at + 1].begin[0], total - 1);
        if (next - diffs.context > end[0] && find_head(w, next, end[0]) >= 0) return at;
        at++;
    }
}

static void add_head(g_text *out, const whole *w, const long begin[2], const long end[2], long *searched, long *known) {
    g_text head = {0};
    long found = find_head(w, begin[0] - 1, *searched);
    if (found >= 0) *known = found;
    *searched = begin[0] - 1;
    g_text_adds(&head, "@@");
    for (int side = 0; side < 2; side++) {
        long lines = end[side] - begin[side];
        g_text_addf(&head, " %c%ld", side ? '+' : '-', begin[side] + (lines > 0));
        if (lines != 1) g_text_addf(&head, ",%ld", lines);
    }
    g_text_adds(&head, " @@");
    if (*known >= 0) {
        const git_diff_line *line = w->sides[0][*known];
        size_t len = line->content_len < 80 ? line->content_len : 80;
        while (len && isspace((unsigned char)line->content[len - 1])) len--;
        g_text_addf(&head, " %.*s", (int)len, line->content);
    }
    g_text_addc(&head, '\n');
    diff_add_hunk_head(out, head.s, head.len);
    g_text_free(&head);
}

static void add_lines(g_text *out, const whole *w, const long begin[2], const long end[2]) {
    long at[2] = {0, 0};
    bool shown = false;
    for (size_t i = 0; i < w->count; i++) {
        const git_diff_line *line = w->lines[i];
        char mark = line->origin;
        if (mark != ' ' && mark != '+' && mark != '-') {
            if (shown) g_text_add(out, line->content, line->content_len);
            continue;
        }
        int side = mark == '+';
        shown = at[side] >= begin[side] && at[side] < end[side];
        if (shown) diff_add_line(out, mark, line->content, line->content_len, false);
        if (mark != '+') at[0]++;
        if (mark != '-') at[1]++;
    }
}

void diff_write_functions(g_text *out, git_patch *patch) {
    whole w = {0};
    group *changes = NULL;
    size_t change_count = 0, cap = 0, room = 0;
    for (size_t h = 0; h < git_patch_num_hunks(patch); h++) room += (size_t)git_patch_num_lines_in_hunk(patch, h);
    w.lines = g_zalloc((room + 1) * sizeof *w.lines);
    w.sides[0] = g_zalloc((room + 1) * sizeof *w.lines);
    w.sides[1] = g_zalloc((room + 1) * sizeof *w.lines);
    char before = ' ';
    for (size_t h = 0; h < git_patch_num_hunks(patch); h++) {
        int lines = git_patch_num_lines_in_hunk(patch, h);
        for (int l = 0; l < lines; l++) {
            const git_diff_line *line;
            check(git_patch_get_line_in_hunk(&line, patch, h, (size_t)l));
            w.lines[w.count++] = line;
            char mark = line->origin;
            if (mark != ' ' && mark != '+' && mark != '-') continue;
            if (mark != ' ' && before == ' ') {
                if (change_count == cap) changes = g_more(changes, &cap, sizeof *changes);
                changes[change_count++] = (group){{w.counts[0], w.counts[1]}, {0, 0}};
            }
            if (mark != ' ') changes[change_count - 1].lines[mark == '+']++;
            before = mark;
            if (mark != '+') w.sides[0][w.counts[0]++] = line;
            if (mark != '-') w.sides[1][w.counts[1]++] = line;
        }
    }
    long searched = -1, known = -1;
    for (size_t i = 0; i < change_count;) {
        long begin[2], end[2];
        extend_up(&w, &changes[i], begin);
        i = extend_down(&w, changes, change_count, i, end) + 1;
        add_head(out, &w, begin, end, &searched, &known);
        add_lines(out, &w, begin, end);
    }
    free(w.lines);
    free(w.sides[0]);
    free(w.sides[1]);
    free(changes);
}
