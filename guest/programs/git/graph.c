/*
 * graph.c: --graph: the lines beside the commits, as git draws them.
 *
 * Each column is a commit that is still to come. A commit stands in its column; its parents take its
 * place, a merge opens columns to the right, and columns of the same commit run together. Lines that
 * only shift columns follow the commit's text.
 */
#include "revs.h"

enum { MOST = 200 };

static rev *columns[MOST], *after[MOST]; /* what is to come: before and after this commit */
static int count, after_count;
static int at;          /* the commit's column; `count` for a new one */
static int parents;     /* that are drawn */
static int target[2 * MOST]; /* per screen place: the column its line runs to, or -1 */
static int places;      /* screen places in use */
static int width;       /* that every line of this commit is filled to */
static int layout;      /* 0: the first parent of a merge is to the left; 1: below */
static int edges;       /* columns that a merge adds to its right */
static bool pending_merge, pending_collapse;
static bool first_text;

void graph_start(void) { count = 0; }

static bool interesting(rev *p) { return !p->bad || p->boundary || p->child_shown; }

static int place_of(rev *r) {
    for (int i = 0; i < after_count; i++)
        if (after[i] == r) return i;
    if (after_count < MOST) after[after_count++] = r;
    return after_count - 1;
}

/* A line to column `to`; `from` is the commit's own column, -1 for others. */
static void add_line(int to, int from) {
    int place = width;
    if (width > 2 * MOST - 4) return;
    if (parents > 1 && from >= 0 && layout < 0) {
        int distance = from - to, shift = distance > 1 ? 2 * distance - 3 : 1;
        layout = distance > 0 ? 0 : 1;
        edges = parents + layout - 2;
        place = width + (layout - 2) * shift;
        width += 2 * layout;
    } else if (edges > 0 && width >= 2 && to == target[width - 2]) {
        place = width - 2; /* runs along with the line beside it */
        edges = -1;
    } else {
        width += 2;
    }
    if (place < 0) place = 0;
    target[place] = to;
}

/* Where each line goes: columns before the commit, its parents, columns behind it. */
static void plan(rev *r) {
    bool met = false;
    after_count = places = width = edges = 0;
    layout = 1;
    parents = 0;
    at = count;
    for (unsigned k = 0; k < r->count; k++) parents += interesting(r->parents[k]);
    for (int i = 0; i < 2 * MOST; i++) target[i] = -1;
    for (int i = 0; i <= count; i++) {
        if (i == count && met) break;
        if (i < count && columns[i] != r) {
            add_line(place_of(columns[i]), -1);
            continue;
        }
        met = true;
        at = i;
        layout = -1;
        for (unsigned k = 0; k < r->count; k++)
            if (interesting(r->parents[k])) add_line(place_of(r->parents[k]), i);
        if (!parents) width += 2;
        if (layout < 0) layout = 1;
    }
    places = 2 * MOST;
    while (places && target[places - 1] < 0) places--;
}

static void pad(g_text *out, size_t from) {
    while ((int)(out->len - from) < width) g_text_addc(out, ' ');
}

static bool straight(void) {
    for (int i = 0; i < places; i++)
        if (target[i] >= 0 && target[i] != i / 2) return false;
    return true;
}

/* The line behind a merge: |\ or / where the first parent is to the left, and what it shifts. */
static void merge_line(g_text *out, rev *first) {
    bool met = false, under = false;
    for (int i = 0; i < count + (at == count); i++) {
        if (i == at) {
            int which = layout;
            met = true;
            for (int k = 0; k < parents; k++) {
                g_text_addc(out, "/|\\"[which]);
                if (which < 2) which++;
                else if (edges > 0 || k < parents - 1) g_text_addc(out, ' ');
            }
            if (edges == 0) g_text_addc(out, ' ');
        } else if (met) {
            g_text_adds(out, edges > 0 ? "\\ " : "| ");
        } else {
            if (first && columns[i] == first) under = true;
            g_text_addc(out, '|');
            if (layout != 0 || i != at - 1) g_text_addc(out, under ? '_' : ' ');
        }
    }
}

/* One step of the lines that lead left. */
static void collapse_line(g_text *out) {
    int old[2 * MOST], edge = -1, edge_target = -1;
    bool used = false;
    memcpy(old, target, sizeof old);
    for (int i = 0; i < 2 * MOST; i++) target[i] = -1;
    for (int i = 0; i < places; i++) {
        int t = old[i];
        if (t < 0) continue;
        if (t * 2 == i) {
            target[i] = t;
            continue;
        }
        if (target[i - 1] == t) continue; /* runs into the line beside it, to the same column */
        bool crosses = target[i - 1] >= 0 && i > 1;
        target[i - (crosses ? 2 : 1)] = t;
        if (edge >= 0) continue;
        edge = crosses ? i - 1 : i;
        edge_target = t;
        for (int j = t * 2 + 3; j < i - 2; j += 2) target[j] = t;
    }
    if (places && target[places - 1] < 0) places--;
    for (int i = 0; i < places; i++) {
        int t = target[i];
        if (t < 0) {
            g_text_addc(out, ' ');
        } else if (t * 2 == i) {
            g_text_addc(out, '|');
        } else if (t == edge_target && i != edge - 1) {
            if (i != t * 2 + 3) target[i] = -1; /* the rest does not go on in the next line */
            used = true;
            g_text_addc(out, '_');
        } else {
            if (used && i < edge) target[i] = -1;
            g_text_addc(out, '/');
        }
    }
}

static rev *first_parent; /* of the commit that is drawn */

static void commit_line(g_text *out, rev *r) {
    for (int i = 0; i < count + (at == count); i++) {
        if (i != at) {
            g_text_adds(out, i > at && edges > 1 ? "\\ " : "| ");
            continue;
        }
        g_text_addc(out, r->boundary ? 'o' : revs.left_right ? (r->left ? '<' : '>') : '*');
        for (int k = 0, dashes = parents + layout - 3; parents > 2 && k < dashes; k++)
            g_text_adds(out, k == dashes - 1 ? "-." : "--");
        g_text_addc(out, ' ');
    }
}

/* Columns to the right make room for more than two parents. */
static void room_lines(g_text *out) {
    int rows = (parents + layout - 3) * 2;
    if (parents < 3 || at >= count - 1) return;
    for (int row = 0; row < rows; row++) {
        size_t from = out->len;
        for (int i = 0; i < count; i++) {
            g_text_addc(out, i > at && row > 0 ? '\\' : '|');
            if (i == at)
                for (int k = 0; k < row; k++) g_text_addc(out, ' ');
            g_text_addc(out, ' ');
        }
        pad(out, from);
        g_text_addc(out, '\n');
    }
}

void graph_commit(g_text *out, rev *r) {
    size_t from;
    plan(r);
    first_parent = NULL;
    for (unsigned k = 0; k < r->count && !first_parent; k++)
        if (interesting(r->parents[k])) first_parent = r->parents[k];
    room_lines(out);
    from = out->len;
    commit_line(out, r);
    pad(out, from);
    pending_merge = parents > 1;
    pending_collapse = !pending_merge && !straight();
    first_text = true;
}

/* The beginning of the next line of the commit's text. */
static void next_line(g_text *out) {
    size_t from = out->len;
    if (pending_merge) {
        merge_line(out, first_parent);
        pending_merge = false;
        pending_collapse = !straight();
    } else if (pending_collapse) {
        collapse_line(out);
        pending_collapse = !straight();
    } else {
        for (int i = 0; i < after_count; i++) g_text_adds(out, "| ");
    }
    pad(out, from);
}

void graph_text(g_text *out, const char *text, size_t len) {
    for (size_t i = 0; i < len;) {
        size_t line = 0;
        while (i + line < len && text[i + line] != '\n') line++;
        if (!first_text) next_line(out);
        first_text = false;
        g_text_add(out, text + i, line);
        g_text_addc(out, '\n');
        i += line + 1;
    }
}

void graph_pending(g_text *out) {
    while (pending_merge || pending_collapse) {
        next_line(out);
        g_text_addc(out, '\n');
    }
}

void graph_rest(g_text *out) {
    graph_pending(out);
    memcpy(columns, after, sizeof columns);
    count = after_count;
}

void graph_gap(g_text *out, rev *next) {
    size_t from = out->len;
    plan(next);
    for (int i = 0; i < count; i++) {
        g_text_adds(out, "| ");
        for (int k = 2; columns[i] == next && k < parents; k++) g_text_adds(out, "  ");
    }
    pad(out, from);
    g_text_addc(out, '\n');
}
