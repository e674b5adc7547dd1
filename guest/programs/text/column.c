/*
 * column.c: lists and tables in columns.
 *
 * Deviations: of the table options those below; --tree and -W are refused.
 *
 * help column:
 *   Usage:
 *    column [options] [<file>...]
 *
 *   Columnate lists.
 *
 *   Options:
 *    -t, --table                      create a table
 *    -N, --table-columns <names>      comma separated columns names
 *    -l, --table-columns-limit <num>  maximal number of input columns
 *    -d, --table-noheadings           don't print header
 *    -o, --output-separator <string>  columns separator for table output (default is two spaces)
 *    -s, --separator <string>         possible table delimiters
 *    -O, --table-order <columns>      specify order of output columns
 *    -H, --table-hide <columns>       don't print the columns
 *    -R, --table-right <columns>      right align text in these columns
 *    -T, --table-truncate <columns>   (ignored)
 *    -E, --table-noextreme <columns>  (ignored)
 *    -n, --table-name <name>          table name for JSON output
 *    -J, --json                       use JSON output format for table
 *    -c, --output-width <width>       width of output in number of characters
 *    -x, --fillrows                   fill rows before columns
 *    -L, --keep-empty-lines           don't ignore empty lines
 *        --help                       display this help
 *        --version                    display version
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char **cells;
    size_t count;
} row;

typedef struct {
    bool table, rows_first, keep_empty, json, no_heading;
    const char *separators, *between, *table_name;
    const char *names, *order, *hidden, *right;
    size_t width, limit;
    row *rows;
    size_t count, cap, columns; /* columns: of the widest row */
    char **headings;
    size_t heading_count;
    bool *is_hidden, *is_right;
    size_t *shown, shown_count; /* columns in order of output */
} layout;

static void add_row(layout *l, row r) {
    if (l->count == l->cap) l->rows = g_more(l->rows, &l->cap, sizeof *l->rows);
    l->rows[l->count++] = r;
    if (r.count > l->columns) l->columns = r.count;
}

static void add_cell(row *r, size_t *cap, const char *s, size_t len) {
    if (r->count == *cap) r->cells = g_more(r->cells, cap, sizeof *r->cells);
    r->cells[r->count++] = g_copy_bytes(s, len);
}

/* Blanks separate cells together; characters of -s each for itself. The last cell allowed takes the
 * rest. */
static row split_line(const layout *l, const char *s, size_t len) {
    row r = {0};
    size_t cap = 0, at = 0;
    const char *blanks = " \t";
    if (!l->separators)
        while (at < len && strchr(blanks, s[at]) && s[at]) at++;
    while (at < len) {
        const char *ends = l->separators ? l->separators : blanks;
        size_t end = at;
        while (end < len && !(s[end] && strchr(ends, s[end]))) end++;
        if (l->limit && r.count + 1 == l->limit) end = len;
        add_cell(&r, &cap, s + at, end - at);
        if (end == len) return r;
        at = end + 1;
        if (!l->separators)
            while (at < len && s[at] && strchr(blanks, s[at])) at++;
        else if (at == len)
            add_cell(&r, &cap, "", 0);
    }
    return r;
}

static bool read_file(layout *l, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) return false;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        size_t blank = 0;
        while (blank < line.len && isspace((unsigned char)line.s[blank])) blank++;
        if (blank == line.len) {
            if (l->keep_empty) add_row(l, (row){0});
            continue;
        }
        if (l->table) {
            add_row(l, split_line(l, line.s, line.len));
            continue;
        }
        row r = {0};
        size_t cap = 0;
        add_cell(&r, &cap, line.s, line.len);
        add_row(l, r);
    }
    g_reader_free(&in);
    g_close_input(fd);
    return true;
}

/* Lists of columns, by number or by name */

/* As big as l->columns for a number that no line has. */
static size_t column_named(const layout *l, const char *name) {
    for (size_t i = 0; i < l->heading_count; i++)
        if (strcmp(l->headings[i], name) == 0) return i;
    uint64_t number;
    if (g_parse_unsigned(name, "", &number, NULL) == G_NUMBER_OK && number > 0)
        return number <= l->columns ? (size_t)number - 1 : l->columns;
    g_die(1, "undefined column name '%s'", name);
}

static char **split_list(const char *text, size_t *count) {
    row r = {0};
    size_t cap = 0;
    for (const char *s = text, *end;; s = end + 1) {
        end = strchr(s, ',');
        add_cell(&r, &cap, s, end ? (size_t)(end - s) : strlen(s));
        if (!end) break;
    }
    *count = r.count;
    return r.cells;
}

static void mark(const layout *l, const char *list, bool *flags) {
    size_t count;
    if (!list) return;
    char **names = split_list(list, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "-") == 0) {
            for (size_t k = l->heading_count; k < l->columns; k++) flags[k] = true;
        } else {
            flags[column_named(l, names[i])] = true;
        }
    }
}

static void choose_columns(layout *l) {
    if (l->names) l->headings = split_list(l->names, &l->heading_count);
    if (l->heading_count > l->columns) l->columns = l->heading_count;
    l->is_hidden = g_zalloc(l->columns + 1);
    l->is_right = g_zalloc(l->columns + 1);
    mark(l, l->hidden, l->is_hidden);
    mark(l, l->right, l->is_right);
    bool *placed = g_zalloc(l->columns + 1);
    l->shown = g_resize(NULL, l->columns + 1, sizeof *l->shown);
    if (l->order) {
        size_t count;
        char **names = split_list(l->order, &count);
        for (size_t i = 0; i < count; i++) {
            size_t column = column_named(l, names[i]);
            if (column == l->columns) continue;
            if (!placed[column] && !l->is_hidden[column]) l->shown[l->shown_count++] = column;
            placed[column] = true;
        }
    }
    for (size_t i = 0; i < l->columns; i++)
        if (!placed[i] && !l->is_hidden[i]) l->shown[l->shown_count++] = i;
    free(placed);
}

static const char *cell(const row *r, size_t column) {
    return column < r->count ? r->cells[column] : "";
}

static size_t width_of(const char *s) {
    return g_text_width(s, strlen(s));
}

static void put_row(const layout *l, const row *r, const size_t *widths) {
    for (size_t i = 0; i < l->shown_count; i++) {
        size_t column = l->shown[i];
        const char *text = cell(r, column);
        size_t pad = widths[column] - width_of(text);
        bool last = i + 1 == l->shown_count;
        if (l->is_right[column] && !(last && !*text)) g_out_fill(' ', pad);
        g_outs(text);
        if (!last && !l->is_right[column]) g_out_fill(' ', pad);
        if (!last) g_outs(l->between);
    }
    g_outc('\n');
}

static void print_table(const layout *l) {
    size_t *widths = g_zalloc((l->columns + 1) * sizeof *widths);
    row heading = {l->headings, l->heading_count};
    bool headed = l->heading_count > 0 && !l->no_heading;
    for (size_t i = 0; i < l->columns; i++) {
        if (headed) widths[i] = width_of(cell(&heading, i));
        for (size_t k = 0; k < l->count; k++) {
            size_t width = width_of(cell(&l->rows[k], i));
            if (width > widths[i]) widths[i] = width;
        }
    }
    if (headed) put_row(l, &heading, widths);
    for (size_t k = 0; k < l->count; k++) put_row(l, &l->rows[k], widths);
    free(widths);
}

static void put_json(const char *s, bool lower) {
    g_outc('"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            g_outf("\\%c", c);
        else if (c < 32)
            g_outf("\\u%04x", c);
        else
            g_outc(lower ? (char)tolower(c) : *s);
    }
    g_outc('"');
}

static void print_json(const layout *l) {
    g_outs("{\n   ");
    put_json(l->table_name ? l->table_name : "table", false);
    g_outs(": [\n");
    for (size_t k = 0; k < l->count; k++) {
        g_outs(k == 0 ? "      {\n" : ",{\n");
        for (size_t i = 0; i < l->shown_count; i++) {
            size_t column = l->shown[i];
            const row *r = &l->rows[k];
            if (i > 0) g_outs(",\n");
            g_outs("         ");
            put_json(l->headings[column], true);
            g_outs(": ");
            if (*cell(r, column))
                put_json(cell(r, column), false);
            else
                g_outs("null");
        }
        g_outs("\n      }");
    }
    g_outs(l->count ? "\n   ]\n}\n" : "\n   ]\n}\n");
}

/* Entries side by side, with tabs between them. */
static void print_list(const layout *l) {
    size_t widest = 0;
    for (size_t i = 0; i < l->count; i++) {
        size_t width = l->rows[i].count ? width_of(l->rows[i].cells[0]) : 0;
        if (width > widest) widest = width;
    }
    if (widest >= l->width) {
        for (size_t i = 0; i < l->count; i++) g_outf("%s\n", cell(&l->rows[i], 0));
        return;
    }
    size_t step = (widest + 8) / 8 * 8, columns = l->width / step;
    if (columns == 0) columns = 1;
    size_t lines = (l->count + columns - 1) / columns;
    for (size_t line = 0; line < lines; line++) {
        size_t column = 0;
        for (size_t i = 0; i < columns; i++) {
            size_t index = l->rows_first ? line * columns + i : line + i * lines;
            if (index >= l->count) break;
            const char *text = cell(&l->rows[index], 0);
            size_t next = l->rows_first ? index + 1 : index + lines;
            g_outs(text);
            column += width_of(text);
            if (i + 1 == columns || next >= l->count) break;
            for (; column / 8 * 8 + 8 <= (i + 1) * step; column = column / 8 * 8 + 8) g_outc('\t');
        }
        g_outc('\n');
    }
}

enum { REFUSED = 256 };
static const g_long longs[] = {{"columns", 'c', G_REQUIRED},
                               {"fillrows", 'x', G_NONE},
                               {"json", 'J', G_NONE},
                               {"keep-empty-lines", 'L', G_NONE},
                               {"output-separator", 'o', G_REQUIRED},
                               {"output-width", 'c', G_REQUIRED},
                               {"separator", 's', G_REQUIRED},
                               {"table", 't', G_NONE},
                               {"table-columns", 'N', G_REQUIRED},
                               {"table-columns-limit", 'l', G_REQUIRED},
                               {"table-header-repeat", 'e', G_NONE},
                               {"table-hide", 'H', G_REQUIRED},
                               {"table-name", 'n', G_REQUIRED},
                               {"table-noextreme", 'E', G_REQUIRED},
                               {"table-noheadings", 'd', G_NONE},
                               {"table-order", 'O', G_REQUIRED},
                               {"table-right", 'R', G_REQUIRED},
                               {"table-truncate", 'T', G_REQUIRED},
                               {"table-wrap", 'W', G_REQUIRED},
                               {"tree", REFUSED, G_REQUIRED},
                               {"tree-id", REFUSED, G_REQUIRED},
                               {"tree-parent", REFUSED, G_REQUIRED},
                               {0}};

/* \t and such in a separator. */
static char *unescape(const char *text) {
    g_text out = {0};
    g_text_add(&out, "", 0);
    for (; *text; text++) {
        static const char letters[] = "tn\\0", bytes[] = "\t\n\\\0";
        const char *known = *text == '\\' && text[1] ? strchr(letters, text[1]) : NULL;
        if (known) text++;
        g_text_addc(&out, known ? bytes[known - letters] : *text);
    }
    return out.s;
}

int column_main(int argc, char **argv) {
    layout l = {.between = "  ", .width = 80};
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0) l.width = (size_t)atoi(columns);
    bool good = true;
    g_options o = g_options_of(argc, argv, "c:dE:eH:hJl:LN:n:O:o:p:R:r:s:T:tVW:x", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c':
            l.width = (size_t)g_number(o.arg, "", 1, 1 << 20, "invalid columns argument");
            break;
        case 'd': l.no_heading = true; break;
        case 'E':
        case 'T':
        case 'e': break;
        case 'H': l.hidden = o.arg; break;
        case 'J': l.json = l.table = true; break;
        case 'l':
            l.limit = (size_t)g_number(o.arg, "", 1, 1 << 20, "invalid columns limit argument");
            break;
        case 'L': l.keep_empty = true; break;
        case 'N': l.names = o.arg; break;
        case 'n': l.table_name = o.arg; break;
        case 'O': l.order = o.arg; break;
        case 'o': l.between = o.arg; break;
        case 'R': l.right = o.arg; break;
        case 's': l.separators = unescape(o.arg); break;
        case 't': l.table = true; break;
        case 'x': l.rows_first = true; break;
        case 'h': g_outs(g_help()); return 0;
        default:
            g_die(1, "option '%s%s' is not supported", o.name ? "--" : "-",
                  o.name ? o.name : (char[]){(char)option, 0});
        }
    if (!l.table && (l.names || l.order || l.hidden || l.right))
        g_die(1, "option --table required for all --table-*");
    if (l.json && !l.names) g_die(1, "option --table-columns required for --json");
    if (o.at == argc) good = read_file(&l, "-");
    for (int i = o.at; i < argc; i++)
        if (!read_file(&l, argv[i])) good = false;
    if (l.table) {
        choose_columns(&l);
        if (l.json && l.heading_count < l.columns)
            g_die(1, "line 1: for JSON the name of the column %zu is required",
                  l.heading_count + 1);
        if (l.json)
            print_json(&l);
        else if (l.count > 0)
            print_table(&l);
    } else {
        print_list(&l);
    }
    return !good;
}
