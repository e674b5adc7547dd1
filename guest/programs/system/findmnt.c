/*
 * findmnt.c: finds and shows mounted file systems.
 *
 * help findmnt:
 *   Usage:
 *    findmnt [options] [<device> | <mountpoint>]
 *    findmnt [options] <device> <mountpoint>
 *
 *   Find a (mounted) filesystem.
 *
 *   Options:
 *    -b, --bytes            print sizes in bytes rather than in human readable format
 *    -f, --first-only       print the first found filesystem only
 *    -J, --json             use JSON output format
 *    -l, --list             use list format output
 *    -M, --mountpoint <dir> the mountpoint directory
 *    -n, --noheadings       don't print column headings
 *    -o, --output <list>    the output columns to be shown
 *    -P, --pairs            use key="value" output format
 *    -r, --raw              use raw output format
 *    -S, --source <string>  the device to mount
 *    -T, --target <path>    the path to the filesystem to use
 *    -t, --types <list>     limit the set of filesystems by FS types
 *    -a -A -k -m -u -v -U -C -c  (ignored)
 *    -h, --help             display this help
 *    -V, --version          display version
 *
 *   Available output columns: TARGET, SOURCE, FSTYPE, OPTIONS, SIZE, USED, AVAIL, USE%
 */
#include "g_file.h"
#include "g_human.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "mount_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/statvfs.h>

enum column { TARGET, SOURCE, FSTYPE, OPTIONS, SIZE, USED, AVAIL, USE, COLUMNS };
static const char *const headings[COLUMNS] = {"TARGET", "SOURCE", "FSTYPE", "OPTIONS",
                                              "SIZE",   "USED",   "AVAIL",  "USE%"};
enum form { FORM_TREE, FORM_LIST, FORM_RAW, FORM_PAIRS, FORM_JSON };

typedef struct {
    enum form form;
    bool bare, bytes, first;
    const char *types, *source, *target, *mountpoint, *either;
    enum column columns[16];
    size_t column_count, count;
    mount_entry *table;
    bool *chosen;
} finder;

static void read_columns(finder *f, const char *list) {
    f->column_count = 0;
    if (*list == '+') g_die(1, "-o +LIST is not supported: name all columns");
    while (*list) {
        size_t len = strcspn(list, ",");
        enum column c = TARGET;
        while (c < COLUMNS &&
               !(strlen(headings[c]) == len && strncasecmp(headings[c], list, len) == 0))
            c++;
        if (c == COLUMNS) g_die(1, "unknown column: %.*s", (int)len, list);
        if (f->column_count < sizeof f->columns / sizeof *f->columns)
            f->columns[f->column_count++] = c;
        list += len + (list[len] == ',');
    }
}

static bool in_list(const char *word, const char *list) {
    for (size_t len; *list; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        if (strlen(word) == len && strncmp(word, list, len) == 0) return true;
    }
    return false;
}

static bool is_at(const mount_entry *m, const char *path) {
    char *full = g_canonicalize(path, G_ANY_MISSING, false);
    bool same = strcmp(m->target, full ? full : path) == 0;
    free(full);
    return same;
}

static bool matches(const finder *f, const mount_entry *m) {
    if (f->types && !in_list(m->type, f->types)) return false;
    if (f->source && strcmp(m->source, f->source) != 0) return false;
    if (f->mountpoint && !is_at(m, f->mountpoint)) return false;
    if (f->target && m != mount_of_path(f->table, f->count, f->target)) return false;
    return !f->either || strcmp(m->source, f->either) == 0 || is_at(m, f->either);
}

static char *amount(const finder *f, uint64_t bytes) {
    char text[G_HUMAN_SIZE];
    if (f->bytes) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
        return g_copy_string(text);
    }
    static const char letters[] = "BKMGTPE";
    int power = 0;
    double value = (double)bytes;
    for (; value >= 1024 && letters[power + 1]; power++) value /= 1024;
    snprintf(text, sizeof text, "%.1f", value);
    char *point = strstr(text, ".0");
    if (point || power == 0) text[point ? (size_t)(point - text) : strlen(text)] = '\0';
    size_t len = strlen(text);
    if (bytes) snprintf(text + len, sizeof text - len, "%c", letters[power]);
    return g_copy_string(text);
}

static char *value_of(const finder *f, const mount_entry *m, enum column c) {
    struct statvfs fs;
    switch (c) {
    case TARGET: return g_copy_string(m->target);
    case SOURCE: return g_copy_string(m->source);
    case FSTYPE: return g_copy_string(m->type);
    case OPTIONS: return g_copy_string(m->options);
    default: break;
    }
    if (statvfs(m->target, &fs) != 0) return g_copy_string("");
    uint64_t unit = fs.f_frsize, used = fs.f_blocks - fs.f_bfree;
    if (c == SIZE) return amount(f, fs.f_blocks * unit);
    if (c == AVAIL) return amount(f, fs.f_bavail * unit);
    if (c == USED) return amount(f, used * unit);
    char text[16];
    if (fs.f_blocks == 0) return g_copy_string("-");
    snprintf(text, sizeof text, "%.0f%%", (double)used / (double)fs.f_blocks * 100);
    return g_copy_string(text);
}

static bool is_below(const char *path, const char *above) {
    size_t len = strcmp(above, "/") == 0 ? 0 : strlen(above);
    return strncmp(path, above, len) == 0 && path[len] == '/' && path[len + 1];
}

/* The file system that is shown above `m`: of those it lies in, the one with the longest name. */
static const mount_entry *parent_of(const finder *f, const mount_entry *m) {
    const mount_entry *best = NULL;
    for (size_t i = 0; i < f->count; i++)
        if (f->chosen[i] && is_below(m->target, f->table[i].target) &&
            (!best || strlen(f->table[i].target) > strlen(best->target)))
            best = &f->table[i];
    return best;
}

typedef struct {
    char *cells[16];
    const mount_entry *entry;
    size_t depth;
} row;

typedef struct {
    row *rows;
    size_t count, room;
} rows;

/* What is below `parent`, each with the lines that lead to it. */
static void add_rows(const finder *f, rows *to, const mount_entry *parent, const char *lead,
                     size_t depth) {
    size_t last = f->count;
    for (size_t i = 0; i < f->count; i++)
        if (f->chosen[i] && parent_of(f, &f->table[i]) == parent) last = i;
    for (size_t i = 0; i < f->count; i++) {
        const mount_entry *m = &f->table[i];
        bool tree = f->form == FORM_TREE || f->form == FORM_JSON;
        if (!f->chosen[i] || (tree && parent_of(f, m) != parent)) continue;
        if (to->count == to->room) to->rows = g_more(to->rows, &to->room, sizeof *to->rows);
        row *r = &to->rows[to->count++];
        *r = (row){.entry = m, .depth = depth};
        for (size_t c = 0; c < f->column_count; c++) {
            r->cells[c] = value_of(f, m, f->columns[c]);
            if (f->form != FORM_TREE || f->columns[c] != TARGET || !parent) continue;
            g_text text = {0};
            g_text_addf(&text, "%s%s%s", lead, i == last ? "└─" : "├─", r->cells[c]);
            free(r->cells[c]);
            r->cells[c] = text.s;
        }
        if (!tree) continue;
        g_text below = {0};
        g_text_addf(&below, "%s%s", lead, parent ? i == last ? "  " : "│ " : "");
        add_rows(f, to, m, below.s, depth + 1);
        g_text_free(&below);
    }
}

static void put_padded(const char *text, size_t width, bool right, bool last) {
    size_t have = g_text_width(text, strlen(text)), pad = width > have ? width - have : 0;
    if (right) g_out_fill(' ', pad);
    g_outs(text);
    if (!right && !last) g_out_fill(' ', pad);
    g_outc(last ? '\n' : ' ');
}

static void put_table(const finder *f, const rows *all) {
    size_t widths[16];
    for (size_t c = 0; c < f->column_count; c++) {
        widths[c] = strlen(headings[f->columns[c]]); /* also when they are not shown */
        for (size_t i = 0; i < all->count; i++) {
            size_t width = g_text_width(all->rows[i].cells[c], strlen(all->rows[i].cells[c]));
            if (width > widths[c]) widths[c] = width;
        }
        if (f->form == FORM_RAW) widths[c] = 0;
    }
    for (size_t i = f->bare; i <= all->count; i++)
        for (size_t c = 0; c < f->column_count; c++)
            put_padded(i == 0 ? headings[f->columns[c]] : all->rows[i - 1].cells[c], widths[c],
                       f->columns[c] >= SIZE, c + 1 == f->column_count);
}

static void put_quoted(const char *s) {
    g_outc('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') g_outc('\\');
        g_outc(*s);
    }
    g_outc('"');
}

static void put_pairs(const finder *f, const rows *all) {
    for (size_t i = 0; i < all->count; i++)
        for (size_t c = 0; c < f->column_count; c++) {
            g_outf("%s=", headings[f->columns[c]]);
            put_quoted(all->rows[i].cells[c]);
            g_outc(c + 1 < f->column_count ? ' ' : '\n');
        }
}

/* Objects with their children in them, three blanks a level. */
static size_t put_json(const finder *f, const rows *all, size_t at, int indent) {
    size_t depth = all->rows[at].depth;
    while (at < all->count && all->rows[at].depth == depth) {
        g_outf("%*s{\n", indent, "");
        for (size_t c = 0; c < f->column_count; c++) {
            char key[16];
            size_t len = 0;
            for (const char *h = headings[f->columns[c]]; *h; h++)
                key[len++] = (char)tolower((unsigned char)*h);
            g_outf("%s%*s\"%.*s\": ", c ? ",\n" : "", indent + 3, "", (int)len, key);
            put_quoted(all->rows[at].cells[c]);
        }
        size_t next = at + 1;
        if (next < all->count && all->rows[next].depth > depth) {
            g_outf(",\n%*s\"children\": [\n", indent + 3, "");
            next = put_json(f, all, next, indent + 6);
            g_outf("%*s]", indent + 3, "");
        }
        at = next;
        bool more = at < all->count && all->rows[at].depth == depth;
        g_outf("\n%*s}%s\n", indent, "", more ? "," : "");
    }
    return at;
}

static void one_option(finder *f, int option, const char *value) {
    switch (option) {
    case 'b': f->bytes = true; break;
    case 'f': f->first = true; break;
    case 'J': f->form = FORM_JSON; break;
    case 'l': f->form = FORM_LIST; break;
    case 'M': f->mountpoint = value; break;
    case 'n': f->bare = true; break;
    case 'o': read_columns(f, value); break;
    case 'P': f->form = FORM_PAIRS; break;
    case 'r': f->form = FORM_RAW; break;
    case 'S': f->source = value; break;
    case 'T': f->target = value; break;
    case 't': f->types = value; break;
    case 'h': g_outs(g_help()); g_exit(0);
    case 'V': g_print_version(); g_exit(0);
    case 's':
    case 'F': g_die(1, "there is no /etc/fstab here: only what is mounted is listed");
    }
}

int findmnt_main(int argc, char **argv) {
    static const g_long longs[] = {
        {"bytes", 'b', G_NONE},      {"first-only", 'f', G_NONE},     {"json", 'J', G_NONE},
        {"list", 'l', G_NONE},       {"mountpoint", 'M', G_REQUIRED}, {"noheadings", 'n', G_NONE},
        {"output", 'o', G_REQUIRED}, {"pairs", 'P', G_NONE},          {"raw", 'r', G_NONE},
        {"source", 'S', G_REQUIRED}, {"target", 'T', G_REQUIRED},     {"types", 't', G_REQUIRED},
        {"kernel", 'k', G_NONE},     {"fstab", 's', G_NONE},          {"tab-file", 'F', G_REQUIRED},
        {"version", 'V', G_NONE},    {"help", 'h', G_NONE},           {0}};
    finder f = {.columns = {TARGET, SOURCE, FSTYPE, OPTIONS}, .column_count = 4};
    g_options o = g_options_of(argc, argv, "aAbCcfF:hJklmM:no:PrsS:T:t:uUvV", longs);
    for (int option; (option = g_option(&o)) >= 0;) one_option(&f, option, o.arg);
    if (argc - o.at > 2) return 1;
    if (argc - o.at == 2) {
        f.source = argv[o.at];
        f.mountpoint = argv[o.at + 1];
    } else if (argc - o.at == 1) {
        f.either = argv[o.at];
    }
    f.table = mount_table(&f.count);
    f.chosen = g_zalloc(f.count + 1);
    bool some = false;
    for (size_t i = 0; i < f.count && !(some && f.first); i++)
        some |= f.chosen[i] = matches(&f, &f.table[i]);
    if (!some) return 1;
    /* What was asked for is a list: its place among the others is not shown. */
    bool asked = f.either || f.source || f.target || f.mountpoint || f.types;
    if (asked && f.form == FORM_TREE) f.form = FORM_LIST;
    rows all = {0};
    add_rows(&f, &all, NULL, "", 0);
    if (f.form == FORM_JSON) {
        g_outs("{\n   \"filesystems\": [\n");
        put_json(&f, &all, 0, 6);
        g_outs("   ]\n}\n");
    } else if (f.form == FORM_PAIRS) {
        put_pairs(&f, &all);
    } else {
        put_table(&f, &all);
    }
    return 0;
}
