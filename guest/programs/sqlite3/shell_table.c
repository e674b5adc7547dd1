/*
 * shell_table.c: prints results as tables: column, table, box, markdown.
 *
 * All rows are kept first, because the widest text decides how wide a column is. A text may have
 * several lines, by its line ends or because it is wider than the column may be.
 */
#include "shell.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <stdlib.h>

typedef struct {
    char **cells; /* row after row; the first row is the headers */
    size_t count, cap;
    int columns;
    int *width;
    shell *sh;
} table;

static void add(table *t, char *text) {
    if (t->count == t->cap) t->cells = g_more(t->cells, &t->cap, sizeof *t->cells);
    t->cells[t->count++] = text;
}

/* The next line of a text: its bytes up to a line end or, with a limit, up to as many columns. */
static size_t line_of(const char *s, int limit, size_t *next, size_t *columns) {
    size_t at = 0, width = 0;
    while (s[at] && s[at] != '\n') {
        uint32_t code;
        int n = pf_utf8_decode(s + at, strlen(s + at) < 4 ? strlen(s + at) : 4, &code);
        size_t size = n > 0 ? (size_t)n : 1, w = g_text_width(s + at, size);
        if (s[at] == '\r' && s[at + 1] == '\n') break;
        if (limit > 0 && width + w > (size_t)limit) break;
        width += w;
        at += size;
    }
    *columns = width;
    *next = s[at] == '\r' ? at + 2 : s[at] == '\n' ? at + 1 : at;
    return at;
}

static int limit_of(const table *t, int column) {
    int w = column < 64 ? t->sh->widths[column] : 0;
    if (w) return w < 0 ? -w : w;
    return t->sh->wrap;
}

static void measure(table *t) {
    for (size_t i = 0; i < t->count; i++) {
        int column = (int)(i % (size_t)t->columns), limit = limit_of(t, column);
        const char *s = t->cells[i];
        size_t next, columns;
        do {
            line_of(s, limit, &next, &columns);
            if ((int)columns > t->width[column]) t->width[column] = (int)columns;
            s += next;
        } while (*s && next > 0);
    }
    for (int c = 0; c < t->columns && c < 64; c++) {
        int w = t->sh->widths[c];
        if (w && t->width[c] < abs(w)) t->width[c] = abs(w);
    }
}

static void fill(FILE *out, const char *what, int count) {
    while (count-- > 0) fputs(what, out);
}

/* A line across: left end, line, crossing, right end. */
static void rule(const table *t, const char *left, const char *line, const char *cross,
                 const char *right) {
    fputs(left, t->sh->out);
    for (int c = 0; c < t->columns; c++) {
        fill(t->sh->out, line, t->width[c] + 2);
        fputs(c + 1 == t->columns ? right : cross, t->sh->out);
    }
    fputc('\n', t->sh->out);
}

typedef struct {
    const char *left, *between, *right;
} frame;

/* One row, of as many lines as its texts have. True when there was more than one. */
static bool put_row(const table *t, size_t row, const frame *f, bool center) {
    const char **rest = g_zalloc((size_t)t->columns * sizeof *rest);
    for (int c = 0; c < t->columns; c++) rest[c] = t->cells[row * (size_t)t->columns + (size_t)c];
    bool more = true, several = false;
    for (bool first = true; more; first = false) {
        more = false;
        several |= !first;
        fputs(f->left, t->sh->out);
        for (int c = 0; c < t->columns; c++) {
            size_t next, columns, len = line_of(rest[c], limit_of(t, c), &next, &columns);
            int pad = t->width[c] - (int)columns;
            bool right = c < 64 && t->sh->widths[c] < 0;
            int before = center ? pad / 2 : right ? pad : 0;
            fill(t->sh->out, " ", before);
            fwrite(rest[c], 1, len, t->sh->out);
            fill(t->sh->out, " ", pad - before);
            fputs(c + 1 == t->columns ? f->right : f->between, t->sh->out);
            rest[c] += next;
            more |= *rest[c] && next > 0;
        }
        fputc('\n', t->sh->out);
    }
    free(rest);
    return several;
}

static bool has_lines(const table *t) {
    for (size_t i = (size_t)t->columns; i < t->count; i++) {
        size_t next, columns;
        const char *s = t->cells[i];
        line_of(s, limit_of(t, (int)(i % (size_t)t->columns)), &next, &columns);
        if (s[next]) return true;
    }
    return false;
}

static void put_framed(const table *t, const frame *f, const char *const marks[3][4]) {
    size_t rows = t->count / (size_t)t->columns;
    bool lines = has_lines(t);
    const char *line = marks[1][1];
    if (marks[0][0]) rule(t, marks[0][0], line, marks[0][2], marks[0][3]);
    put_row(t, 0, f, true);
    rule(t, marks[1][0], line, marks[1][2], marks[1][3]);

    for (size_t i = 1; i < rows; i++) {
        if (i > 1 && lines && marks[0][0]) rule(t, marks[1][0], line, marks[1][2], marks[1][3]);
        put_row(t, i, f, false);
        if (i % 256 == 0) pf_yield();
    }
    if (marks[2][0]) rule(t, marks[2][0], line, marks[2][2], marks[2][3]);
}

static void put_columns(const table *t) {
    static const frame f = {"", "  ", ""};
    size_t rows = t->count / (size_t)t->columns;
    bool lines = has_lines(t);
    if (t->sh->headers) {
        put_row(t, 0, &f, false);
        for (int c = 0; c < t->columns; c++) {
            fill(t->sh->out, "-", t->width[c]);
            fputs(c + 1 == t->columns ? "\n" : "  ", t->sh->out);
        }
    }
    for (size_t i = 1; i < rows; i++) {
        if (i > 1 && lines) fputc('\n', t->sh->out);
        put_row(t, i, &f, false);
        if (i % 256 == 0) pf_yield();
    }
}

static void put_table(const table *t) {
    static const frame plain = {"| ", " | ", " |"}, box = {"│ ", " │ ", " │"};
    static const char *const ascii[3][4] = {
        {"+", "-", "+", "+"}, {"+", "-", "+", "+"}, {"+", "-", "+", "+"}};
    static const char *const lines[3][4] = {
        {"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, {"└", "─", "┴", "┘"}};
    static const char *const markdown[3][4] = {
        {NULL, NULL, NULL, NULL}, {"|", "-", "|", "|"}, {NULL, NULL, NULL, NULL}};
    switch (t->sh->mode) {
    case MODE_TABLE: put_framed(t, &plain, ascii); break;
    case MODE_BOX: put_framed(t, &box, lines); break;
    case MODE_MARKDOWN: put_framed(t, &plain, markdown); break;
    default: put_columns(t); break;
    }
}

static char *cell(shell *sh, sqlite3_stmt *stmt, int column) {
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    if (!sh->quote_cells) return g_copy_string(text ? text : sh->null_text);
    char *made = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&made, &len);
    if (!out) return g_copy_string(text ? text : "NULL");
    shell_put_literal(out, stmt, column, false);
    fclose(out);
    return made;
}

void shell_table_rows(shell *sh, sqlite3_stmt *stmt, int *code) {
    table t = {.columns = sqlite3_column_count(stmt), .sh = sh};
    if (t.columns > 0) {
        for (int c = 0; c < t.columns; c++) add(&t, g_copy_string(sqlite3_column_name(stmt, c)));
        t.width = g_zalloc((size_t)t.columns * sizeof *t.width);
    }
    while ((*code = sqlite3_step(stmt)) == SQLITE_ROW)
        for (int c = 0; c < t.columns; c++) add(&t, cell(sh, stmt, c));
    if (t.count > (size_t)t.columns) {
        measure(&t);
        put_table(&t);
    }
    for (size_t i = 0; i < t.count; i++) free(t.cells[i]);
    free(t.cells);
    free(t.width);
}
