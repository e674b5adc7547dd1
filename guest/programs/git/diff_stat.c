/*
 * diff_stat.c: --stat, --numstat, --shortstat, --summary, and --check.
 */
#include "diff_color.h"

#include <ctype.h>

typedef struct {
    char *name;
    const git_diff_delta *delta;
    size_t added, deleted;
    bool binary, unmerged;
} entry;

typedef struct {
    entry *entries;
    size_t count;
} table;

void diff_counts(git_diff *diff, size_t i, size_t *added, size_t *deleted, bool *binary) {
    git_patch *patch = NULL;
    size_t context;
    *added = *deleted = 0;
    *binary = false;
    if (git_diff_get_delta(diff, i)->status == GIT_DELTA_CONFLICTED) return;
    check(git_patch_from_diff(&patch, diff, i));
    if (!patch) return;
    const git_diff_delta *d = git_patch_get_delta(patch);
    if ((d->flags & GIT_DIFF_FLAG_BINARY) && !diffs.text) {
        *binary = true;
        *added = (size_t)d->new_file.size;
        *deleted = (size_t)d->old_file.size;
        if (git_oid_equal(&d->old_file.id, &d->new_file.id)) *added = *deleted = 0;
    } else {
        check(git_patch_line_stats(&context, added, deleted, patch));
    }
    git_patch_free(patch);
}

char *diff_rename_name(const char *from, const char *to) {
    g_text out = {0};
    size_t start = 0, a = strlen(from), b = strlen(to), tail = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') start = i + 1;
    /* the common end begins with a slash, which the common beginning may share */
    size_t floor = start ? start - 1 : 0;
    for (size_t n = 1; n <= a - floor && n <= b - floor && from[a - n] == to[b - n]; n++)
        if (from[a - n] == '/') tail = n;
    size_t old_mid = a > start + tail ? a - start - tail : 0, new_mid = b > start + tail ? b - start - tail : 0;
    if (!start && !tail) {
        g_text_addf(&out, "%s => %s", from, to);
        return out.s;
    }
    g_text_addf(&out, "%.*s{%.*s => %.*s}%s", (int)start, from, (int)old_mid, from + start, (int)new_mid,
                to + start, from + a - tail);
    return out.s;
}

static char *name_of(const git_diff_delta *d) {
    if (d->status == GIT_DELTA_RENAMED || d->status == GIT_DELTA_COPIED) {
        char *a = quoted(d->old_file.path, ""), *b = quoted(d->new_file.path, "");
        if (a[0] != '"' && b[0] != '"') return diff_rename_name(a, b);
        g_text out = {0};
        g_text_addf(&out, "%s => %s", a, b);
        return out.s;
    }
    if (d->old_file.path != d->new_file.path && strcmp(d->old_file.path, d->new_file.path) != 0) /* two blobs */
        return diff_rename_name(quoted(d->old_file.path, ""), quoted(d->new_file.path, ""));
    const char *path = d->status == GIT_DELTA_DELETED ? d->old_file.path : d->new_file.path;
    return quoted(diffs.relative ? path + strlen(prefix) : path, "");
}

static void add_entry(table *t, git_diff *diff, size_t i) {
    entry *e = &t->entries[t->count];
    const git_diff_delta *d = git_diff_get_delta(diff, i);
    memset(e, 0, sizeof *e);
    e->delta = d;
    diff_counts(diff, i, &e->added, &e->deleted, &e->binary);
    if (d->status == GIT_DELTA_MODIFIED && !e->binary && !e->added && !e->deleted &&
        d->old_file.mode == d->new_file.mode)
        return;
    e->unmerged = d->status == GIT_DELTA_CONFLICTED;
    e->name = name_of(d);
    t->count++;
}

static table collect(git_diff *diff) {
    table t = {0};
    size_t count = git_diff_num_deltas(diff);
    t.entries = g_zalloc((2 * count + 1) * sizeof *t.entries);
    for (size_t i = 0; i < count; i++) {
        if (!diff_skip(diff, i)) add_entry(&t, diff, i);
        size_t file = diff_beside_stage(git_diff_get_delta(diff, i));
        if (file != SIZE_MAX) add_entry(&t, diff_conflicts, file);
    }
    return t;
}

static int digits(size_t n) {
    int d = 1;
    while (n >= 10) n /= 10, d++;
    return d;
}

static int scaled(size_t it, int width, size_t max) {
    return it ? 1 + (int)(it * (size_t)(width - 1) / max) : 0;
}

static void add_total(g_text *out, const table *t) {
    size_t files = 0, added = 0, deleted = 0;
    for (size_t i = 0; i < t->count; i++) {
        const entry *e = &t->entries[i];
        if (e->unmerged) continue;
        files++;
        if (!e->binary) added += e->added, deleted += e->deleted;
    }
    if (!files) {
        g_text_adds(out, " 0 files changed\n");
        return;
    }
    g_text_addf(out, " %zu file%s changed", files, files == 1 ? "" : "s");
    if (added || !deleted) g_text_addf(out, ", %zu insertion%s(+)", added, added == 1 ? "" : "s");
    if (deleted || !added) g_text_addf(out, ", %zu deletion%s(-)", deleted, deleted == 1 ? "" : "s");
    g_text_addc(out, '\n');
}

static void fill(g_text *out, char c, int n) {
    while (n-- > 0) g_text_addc(out, c);
}

typedef struct {
    int name, number, graph;
    size_t max;
} columns;

static columns layout(const table *t, size_t shown) {
    int total = diffs.stat_width ? diffs.stat_width : getenv("COLUMNS") ? atoi(getenv("COLUMNS")) : 80;
    int longest = 0, binary = 0;
    columns c = {0};
    if (total <= 0) total = 80;
    for (size_t i = 0; i < shown; i++) {
        const entry *e = &t->entries[i];
        int len = (int)g_text_width(e->name, strlen(e->name));
        if (len > longest) longest = len;
        if (e->unmerged) {
            if (binary < 8) binary = 8;
        } else if (e->binary) {
            int w = 14 + digits(e->added) + digits(e->deleted);
            if (w > binary) binary = w;
            c.number = 3;
        } else if (e->added + e->deleted > c.max) {
            c.max = e->added + e->deleted;
        }
    }
    if (digits(c.max) > c.number) c.number = digits(c.max);
    if (total < 16 + 6 + c.number) total = 16 + 6 + c.number;
    c.graph = (int)c.max + 4 > binary ? (int)c.max : binary - 4;
    if (diffs.stat_graph_width && diffs.stat_graph_width < c.graph) c.graph = diffs.stat_graph_width;
    c.name = diffs.stat_name_width > 0 && diffs.stat_name_width < longest ? diffs.stat_name_width : longest;
    if (c.name + c.number + 6 + c.graph > total) {
        if (c.graph > total * 3 / 8 - c.number - 6) {
            c.graph = total * 3 / 8 - c.number - 6;
            if (c.graph < 6) c.graph = 6;
        }
        if (diffs.stat_graph_width && c.graph > diffs.stat_graph_width) c.graph = diffs.stat_graph_width;
        if (c.name > total - c.number - 6 - c.graph) c.name = total - c.number - 6 - c.graph;
        else c.graph = total - c.number - 6 - c.name;
    }
    return c;
}

static void fill_colored(g_text *out, char c, int n, int part) {
    if (n <= 0) return;
    g_text_adds(out, diff_code(part));
    fill(out, c, n);
    g_text_adds(out, diff_reset());
}

static void add_name(g_text *out, const char *name, int width) {
    int len = (int)g_text_width(name, strlen(name));
    bool cut = len > width;
    if (cut) {
        name += len - (width - 3);
        const char *slash = strchr(name, '/');
        if (slash) name = slash;
        g_text_adds(out, "...");
        width -= 3;
    }
    g_text_adds(out, name);
    fill(out, ' ', width - (int)g_text_width(name, strlen(name)));
}

static void add_row(g_text *out, const entry *e, const columns *c) {
    g_text_addc(out, ' ');
    add_name(out, e->name, c->name);
    g_text_adds(out, " | ");
    if (e->unmerged) {
        g_text_adds(out, "Unmerged\n");
        return;
    }
    if (e->binary) {
        g_text_addf(out, "%*s", c->number, "Bin");
        if (e->added || e->deleted) g_text_addf(out, " %zu -> %zu bytes", e->deleted, e->added);
        g_text_addc(out, '\n');
        return;
    }
    int add = (int)e->added, del = (int)e->deleted;
    if (c->graph <= (int)c->max) {
        int total = scaled(e->added + e->deleted, c->graph, c->max);
        if (total < 2 && add && del) total = 2;
        if (add < del) {
            add = scaled(e->added, c->graph, c->max);
            del = total - add;
        } else {
            del = scaled(e->deleted, c->graph, c->max);
            add = total - del;
        }
    }
    g_text_addf(out, "%*zu%s", c->number, e->added + e->deleted, e->added + e->deleted ? " " : "");
    fill_colored(out, '+', add, PART_NEW);
    fill_colored(out, '-', del, PART_OLD);
    g_text_addc(out, '\n');
}

static void note_compact(entry *e) {
    const git_diff_delta *d = e->delta;
    g_text name = {0};
    const char *what = NULL;
    if (d->status == GIT_DELTA_ADDED)
        what = d->new_file.mode == 0100755 ? " (new +x)" : d->new_file.mode == 0120000 ? " (new +l)" : " (new)";
    else if (d->status == GIT_DELTA_DELETED) what = " (gone)";
    else if (d->old_file.mode != d->new_file.mode)
        what = d->new_file.mode == 0100755 ? " (mode +x)" : " (mode -x)";
    if (!what) return;
    g_text_addf(&name, "%s%s", e->name, what);
    e->name = name.s;
}

void diff_write_stat(g_text *out, git_diff *diff, int format) {
    table t = collect(diff);
    if (format & DIFF_NUMSTAT) {
        for (size_t i = 0; i < t.count; i++) {
            const entry *e = &t.entries[i];
            if (e->binary) g_text_adds(out, "-\t-\t");
            else g_text_addf(out, "%zu\t%zu\t", e->added, e->deleted);
            if (!diffs.null) {
                g_text_addf(out, "%s\n", e->name);
                continue;
            }
            bool two = e->delta->status == GIT_DELTA_RENAMED || e->delta->status == GIT_DELTA_COPIED;
            if (two) {
                g_text_addc(out, '\0');
                g_text_add(out, e->delta->old_file.path, strlen(e->delta->old_file.path) + 1);
            }
            g_text_add(out, e->delta->new_file.path, strlen(e->delta->new_file.path) + 1);
        }
    }
    if (format & DIFF_STAT) {
        size_t shown = diffs.stat_count && (size_t)diffs.stat_count < t.count ? (size_t)diffs.stat_count : t.count;
        if (format & DIFF_COMPACT)
            for (size_t i = 0; i < t.count; i++) note_compact(&t.entries[i]);
        columns c = layout(&t, shown);
        for (size_t i = 0; i < shown; i++) add_row(out, &t.entries[i], &c);
        if (shown < t.count) g_text_adds(out, " ...\n");
        if (t.count) add_total(out, &t);
    }
    if ((format & DIFF_SHORTSTAT) && t.count) add_total(out, &t);
    free(t.entries);
}

void diff_write_summary(g_text *out, git_diff *diff) {
    size_t count = git_diff_num_deltas(diff);
    for (size_t i = 0; i < count; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (diff_skip(diff, i)) continue;
        char *name = name_of(d);
        bool modes = d->old_file.mode != d->new_file.mode;
        if (d->status == GIT_DELTA_ADDED) g_text_addf(out, " create mode %06o %s\n", d->new_file.mode, name);
        else if (d->status == GIT_DELTA_DELETED)
            g_text_addf(out, " delete mode %06o %s\n", d->old_file.mode, name);
        else if (d->status == GIT_DELTA_RENAMED || d->status == GIT_DELTA_COPIED) {
            g_text_addf(out, " %s %s (%d%%)\n", d->status == GIT_DELTA_RENAMED ? "rename" : "copy", name,
                        diff_similarity(d));
            if (modes) g_text_addf(out, " mode change %06o => %06o\n", d->old_file.mode, d->new_file.mode);
        } else if (modes) {
            g_text_addf(out, " mode change %06o => %06o %s\n", d->old_file.mode, d->new_file.mode, name);
        }
        free(name);
    }
}

/* Seven times the same of <, =, > and |, then white space. */
static bool is_marker(const char *line, size_t len) {
    if (len < 8 || !memchr("<=>|", line[0], 4)) return false;
    for (int i = 1; i < 7; i++)
        if (line[i] != line[0]) return false;
    return isspace((unsigned char)line[7]);
}

static void check_line(g_text *out, const git_diff_delta *delta, const git_diff_line *line) {
    size_t len = line->content_len;
    if (line->origin != '+') return;
    if (is_marker(line->content, len))
        g_text_addf(out, "%s:%d: leftover conflict marker\n", delta->new_file.path, line->new_lineno);
    while (len && line->content[len - 1] == '\n') len--;
    unsigned wrong = white_check(line->content, len, white_rule());
    if (!wrong) return;
    char *what = white_text(wrong);
    g_text_addf(out, "%s:%d: %s.\n", delta->new_file.path, line->new_lineno, what);
    diff_add_line(out, '+', line->content, len, false);
    g_text_addc(out, '\n');
    free(what);
}

static void check_file(g_text *out, git_diff *diff, size_t i) {
    git_patch *patch = NULL;
    if (git_patch_from_diff(&patch, diff, i) < 0 || !patch) return;
    for (size_t h = 0; h < git_patch_num_hunks(patch); h++) {
        int lines = git_patch_num_lines_in_hunk(patch, h);
        for (int l = 0; l < lines; l++) {
            const git_diff_line *line;
            check(git_patch_get_line_in_hunk(&line, patch, h, (size_t)l));
            check_line(out, git_diff_get_delta(diff, i), line);
        }
    }
    const git_diff_delta *d = git_patch_get_delta(patch);
    g_text texts[2] = {{0}, {0}};
    diff_content(&texts[0], &d->old_file, d->status != GIT_DELTA_ADDED);
    diff_content(&texts[1], &d->new_file, d->status != GIT_DELTA_DELETED);
    size_t end = white_new_at_end(texts[0].s, texts[0].len, texts[1].s, texts[1].len);
    if (end && (white_rule() & WHITE_AT_EOF)) g_text_addf(out, "%s:%zu: new blank line at EOF.\n", d->new_file.path, end);
    g_text_free(&texts[0]);
    g_text_free(&texts[1]);
    git_patch_free(patch);
}

bool diff_check(g_text *out, git_diff *diff) {
    size_t count = git_diff_num_deltas(diff), before = out->len;
    for (size_t i = 0; i < count; i++) {
        size_t file = diff_beside_stage(git_diff_get_delta(diff, i));
        if (!diff_skip(diff, i)) check_file(out, diff, i);
        if (file != SIZE_MAX) check_file(out, diff_conflicts, file);
    }
    return out->len > before;
}
