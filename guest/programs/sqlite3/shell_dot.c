/*
 * shell_dot.c: the commands that begin with a dot.
 */
#include "shell.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>

enum { WORDS_MAX = 50 };

/* Words apart, with quotes and, in double ones, backslashes. */
static int split(char *line, char **words) {
    int count = 0;
    for (char *p = line; count < WORDS_MAX;) {
        while (isspace((unsigned char)*p)) p++;
        if (!*p) break;
        if (*p == '\'' || *p == '"') {
            char quote = *p++, *to = p;
            words[count++] = p;
            for (; *p && *p != quote; p++) {
                if (quote == '"' && *p == '\\' && p[1]) {
                    p++;
                    *to++ = (char)(*p == 'n' ? '\n' : *p == 't' ? '\t' : *p == 'r' ? '\r' : *p);
                } else {
                    *to++ = *p;
                }
            }
            if (*p) p++;
            *to = '\0';
        } else {
            words[count++] = p;
            while (*p && !isspace((unsigned char)*p)) p++;
            if (*p) *p++ = '\0';
        }
    }
    return count;
}

/* \t and the like, as separators are written without quotes. */
static void set_text(char *to, size_t size, const char *from) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++) {
        if (*from == '\\' && from[1]) {
            from++;
            to[n++] = (char)(*from == 'n'   ? '\n'
                             : *from == 't' ? '\t'
                             : *from == 'r' ? '\r'
                                            : *from);
        } else {
            to[n++] = *from;
        }
    }
    to[n] = '\0';
}

static bool boolean(const char *text) {
    if (isdigit((unsigned char)*text)) return atoi(text) != 0;
    if (sqlite3_stricmp(text, "on") == 0 || sqlite3_stricmp(text, "yes") == 0) return true;
    if (sqlite3_stricmp(text, "off") == 0 || sqlite3_stricmp(text, "no") == 0) return false;
    fprintf(stderr, "ERROR: Not a boolean value: \"%s\". Assuming \"no\".\n", text);
    return false;
}

void shell_output_reset(shell *sh) {
    if (sh->out != stdout) fclose(sh->out);
    sh->out = stdout;
    sh->out_once = false;
    free(sh->out_name);
    sh->out_name = NULL;
}

static int set_output(shell *sh, const char *name, bool once) {
    shell_output_reset(sh);
    if (!name || strcmp(name, "stdout") == 0) return 0;
    if (*name == '|') {
        fprintf(stderr, "Error: output to a program is not supported: \"%s\"\n", name);
        return 1;
    }
    FILE *out = strcmp(name, "off") == 0 ? fopen("/dev/null", "w") : fopen(name, "wb");
    if (!out) {
        fprintf(stderr, "Error: cannot open \"%s\"\n", name);
        return 1;
    }
    sh->out = out;
    sh->out_once = once;
    sh->out_name = g_copy_string(name);
    return 0;
}

/* Names in columns, as ls does: for .tables and .indexes. */
static int put_names(shell *sh, const char *sql, const char *pattern) {
    sqlite3_stmt *stmt;
    char **names = NULL;
    size_t count = 0, cap = 0, widest = 0;
    if (!shell_open(sh)) return 1;
    if (sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        fprintf(stderr, "Error: %s\n", sqlite3_errmsg(sh->db));
        return 1;
    }
    sqlite3_bind_text(stmt, 1, pattern ? pattern : "%", -1, SQLITE_TRANSIENT);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        if (count == cap) names = g_more(names, &cap, sizeof *names);
        names[count] = g_copy_string((const char *)sqlite3_column_text(stmt, 0));
        if (strlen(names[count]) > widest) widest = strlen(names[count]);
        count++;
    }
    sqlite3_finalize(stmt);
    size_t columns = 80 / (widest + 2);
    if (columns == 0) columns = 1;
    size_t rows = (count + columns - 1) / columns;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = i; j < count; j += rows)
            fprintf(sh->out, "%s%-*s", j < rows ? "" : "  ", (int)widest, names[j]);
        fputc('\n', sh->out);
    }
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return 0;
}

/* Views and virtual tables get their columns as a comment. */
static void put_columns_of(shell *sh, const char *name) {
    char *sql = sqlite3_mprintf("SELECT group_concat(name, ',') FROM pragma_table_info(%Q)", name);
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
        fprintf(sh->out, "\n/* %s(%s) */", name, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
}

static int do_schema(shell *sh, int count, char **words) {
    const char *pattern = NULL;
    for (int i = 1; i < count; i++)
        if (words[i][0] != '-') pattern = words[i];
    if (!shell_open(sh)) return 1;
    if (pattern && (sqlite3_stricmp(pattern, "sqlite_schema") == 0 ||
                    sqlite3_stricmp(pattern, "sqlite_master") == 0)) {
        fprintf(sh->out,
                "CREATE TABLE %s (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage "
                "integer,\n  sql text\n);\n",
                pattern);
        return 0;
    }
    sqlite3_stmt *stmt;
    const char *sql = "SELECT sql, type, name FROM sqlite_schema WHERE sql NOT NULL AND "
                      "lower(tbl_name) LIKE lower(?1) ORDER BY rowid";
    if (sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        fprintf(stderr, "Error: in prepare, %s (%d)\n", sqlite3_errmsg(sh->db),
                sqlite3_errcode(sh->db));
        return 1;
    }
    sqlite3_bind_text(stmt, 1, pattern ? pattern : "%", -1, SQLITE_TRANSIENT);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0),
                   *type = (const char *)sqlite3_column_text(stmt, 1);
        if (sqlite3_strglob("CREATE TABLE ['\"]*", text) == 0)
            fprintf(sh->out, "CREATE TABLE IF NOT EXISTS %s", text + 13);
        else
            fputs(text, sh->out);
        if (strcmp(type, "view") == 0 || sqlite3_strnicmp(text, "CREATE VIRTUAL", 14) == 0)
            put_columns_of(sh, (const char *)sqlite3_column_text(stmt, 2));
        fputs(";\n", sh->out);
    }
    sqlite3_finalize(stmt);
    return 0;
}

static int do_databases(shell *sh) {
    sqlite3_stmt *stmt;
    if (!shell_open(sh)) return 1;
    if (sqlite3_prepare_v2(sh->db, "PRAGMA database_list", -1, &stmt, NULL) != SQLITE_OK) return 1;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 1),
                   *file = (const char *)sqlite3_column_text(stmt, 2);
        fprintf(sh->out, "%s: %s %s\n", name, file && *file ? file : "\"\"",
                sqlite3_db_readonly(sh->db, name) ? "r/o" : "r/w");
    }
    sqlite3_finalize(stmt);
    return 0;
}

static const char *mode_name(enum shell_mode mode) {
    static const char *const names[] = {
        [MODE_LIST] = "list",   [MODE_LINE] = "line",     [MODE_COLUMN] = "column",
        [MODE_TABLE] = "table", [MODE_BOX] = "box",       [MODE_MARKDOWN] = "markdown",
        [MODE_CSV] = "csv",     [MODE_TABS] = "list",     [MODE_ASCII] = "ascii",
        [MODE_JSON] = "json",   [MODE_INSERT] = "insert", [MODE_QUOTE] = "quote",
        [MODE_HTML] = "html",   [MODE_TCL] = "tcl"};
    return names[mode];
}

static int do_mode(shell *sh, int count, char **words) {
    const char *name = NULL, *table = NULL;
    int wrap = 0;
    bool quote = false;
    for (int i = 1; i < count; i++) {
        const char *w = words[i][0] == '-' && words[i][1] == '-' ? words[i] + 1 : words[i];
        if (strcmp(w, "-wrap") == 0 && i + 1 < count)
            wrap = atoi(words[++i]);
        else if (strcmp(w, "-quote") == 0)
            quote = true;
        else if (w[0] == '-')
            continue;
        else if (!name)
            name = w;
        else
            table = w;
    }
    enum shell_mode mode;
    if (!name) {
        fprintf(sh->out, "current output mode: %s\n", mode_name(sh->mode));
        return 0;
    }
    if (strcmp(name, "qbox") == 0) {
        shell_mode_set(sh, MODE_BOX);
        sh->wrap = 60;
        sh->quote_cells = true;
        return 0;
    }
    if (!shell_mode_named(name, &mode)) {
        fprintf(stderr, "Error: mode should be one of: ascii box column csv html insert json line "
                        "list markdown qbox quote table tabs tcl\n");
        return 1;
    }
    shell_mode_set(sh, mode);
    if (mode == MODE_COLUMN && !sh->headers_set) sh->headers = true;
    sh->wrap = wrap;
    sh->quote_cells = quote;
    if (mode == MODE_INSERT) {
        free(sh->insert_table);
        sh->insert_table = g_copy_string(table ? table : "table");
    }
    return 0;
}

static void put_text_setting(FILE *out, const char *s) {
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '\n')
            fputs("\\n", out);
        else if (*s == '\r')
            fputs("\\r", out);
        else if (*s == '\t')
            fputs("\\t", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(out, "\\%03o", *s);
        else
            fputc(*s, out);
    }
    fputs("\"\n", out);
}

static void do_show(shell *sh) {
    FILE *out = sh->out;
    fprintf(out, "%12.12s: %s\n", "echo", sh->echo ? "on" : "off");
    fprintf(out, "%12.12s: off\n%12.12s: auto\n", "eqp", "explain");
    fprintf(out, "%12.12s: %s\n%12.12s: %s\n%12.12s: ", "headers", sh->headers ? "on" : "off",
            "mode", mode_name(sh->mode), "nullvalue");
    put_text_setting(out, sh->null_text);
    fprintf(out, "%12.12s: %s\n%12.12s: ", "output", sh->out_name ? sh->out_name : "stdout",
            "colseparator");
    put_text_setting(out, sh->column_separator);
    fprintf(out, "%12.12s: ", "rowseparator");
    put_text_setting(out, sh->row_separator);
    fprintf(out, "%12.12s: off\n%12.12s: ", "stats", "width");
    for (int i = 0; i < 64 && sh->widths[i]; i++) fprintf(out, "%d ", sh->widths[i]);
    fprintf(out, "\n%12.12s: %s\n", "filename", sh->file ? sh->file : ":memory:");
}

static int do_copy(shell *sh, const char *file, bool into) {
    sqlite3 *other;
    if (!shell_open(sh)) return 1;
    int code =
        sqlite3_open_v2(file, &other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        sqlite3 *to = into ? other : sh->db, *from = into ? sh->db : other;
        sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
        if (backup) {
            while (sqlite3_backup_step(backup, 100) == SQLITE_OK) pf_yield();
            sqlite3_backup_finish(backup);
        }
        code = sqlite3_errcode(to);
        if (code != SQLITE_OK) fprintf(stderr, "Error: %s\n", sqlite3_errmsg(to));
    } else {
        fprintf(stderr, "Error: cannot open \"%s\"\n", file);
    }
    sqlite3_close(other);
    return code != SQLITE_OK;
}

static int do_read(shell *sh, const char *name) {
    FILE *in = fopen(name, "rb");
    if (!in) {
        fprintf(stderr, "Error: cannot open \"%s\"\n", name);
        return 1;
    }
    int line = sh->line, result = shell_read(sh, in);
    sh->line = line;
    fclose(in);
    return result < 0 ? 2 : result > 0;
}

static const char help[] =
    ".backup FILE             Backup the database to FILE\n"
    ".bail on|off             Stop after hitting an error.  Default OFF\n"
    ".changes on|off          Show number of rows changed by SQL\n"
    ".databases               List names and files of attached databases\n"
    ".dump ?PATTERN?          Render database content as SQL\n"
    ".echo on|off             Turn command echo on or off\n"
    ".exit ?CODE?             Exit this program with return-code CODE\n"
    ".headers on|off          Turn display of headers on or off\n"
    ".help                    Show this text\n"
    ".import FILE TABLE       Import data from FILE into TABLE (--csv, --skip N)\n"
    ".indexes ?TABLE?         Show names of indexes\n"
    ".mode MODE ?OPTIONS?     Set output mode: ascii box column csv html insert json\n"
    "                         line list markdown qbox quote table tabs tcl\n"
    ".nullvalue STRING        Use STRING in place of NULL values\n"
    ".once FILE               Output for the next SQL command only to FILE\n"
    ".open FILE               Close existing database and open FILE\n"
    ".output ?FILE?           Send output to FILE or stdout if FILE is omitted\n"
    ".print STRING...         Print literal STRING\n"
    ".quit                    Exit this program\n"
    ".read FILE               Read input from FILE\n"
    ".restore FILE            Restore the database from FILE\n"
    ".schema ?PATTERN?        Show the CREATE statements matching PATTERN\n"
    ".separator COL ?ROW?     Change the column and row separators\n"
    ".show                    Show the current values for various settings\n"
    ".tables ?TABLE?          List names of tables matching LIKE pattern TABLE\n"
    ".version                 Show the version of the library\n"
    ".width NUM1 NUM2 ...     Set minimum column widths for columnar output\n";

static int usage(const char *text) {
    fprintf(stderr, "Usage: %s\n", text);
    return 1;
}

static int set_flag(bool *flag, int count, char **words, const char *text) {
    if (count != 2) return usage(text);
    *flag = boolean(words[1]);
    return 0;
}

int shell_dot(shell *sh, char *line) {
    char *words[WORDS_MAX];
    int count = split(line + 1, words);
    if (count == 0) return 0;
    const char *name = words[0], *first = count > 1 ? words[1] : NULL;
    size_t n = strlen(name);
    /* Names may be cut short, as in the original shell. */
#define IS(full, least) (n >= (least) && strncmp(name, full, n) == 0)
    fflush(stdout);
    if (IS("backup", 3) || IS("save", 3))
        return first ? do_copy(sh, words[count - 1], true)
                     : usage(".backup ?DB? ?OPTIONS? FILENAME");
    if (IS("restore", 3))
        return first ? do_copy(sh, words[count - 1], false) : usage(".restore ?DB? FILE");
    if (IS("bail", 3)) return set_flag(&sh->bail, count, words, ".bail on|off");
    if (IS("changes", 3)) return set_flag(&sh->changes, count, words, ".changes on|off");
    if (IS("echo", 1)) return set_flag(&sh->echo, count, words, ".echo on|off");
    if (IS("headers", 1) && !IS("help", 3)) {
        sh->headers_set |= count == 2;
        return set_flag(&sh->headers, count, words, ".headers on|off");
    }
    if (IS("help", 3)) {
        fputs(help, sh->out);
        return 0;
    }
    if (IS("databases", 2)) return do_databases(sh);
    if (IS("dump", 1)) {
        shell_dump(sh, first);
        return 0;
    }
    if (IS("exit", 1)) {
        shell_quit_status = first ? atoi(first) : 0;
        return 2;
    }
    if (IS("quit", 1)) {
        shell_quit_status = 0;
        return 2;
    }
    if (IS("import", 1) && name[1] == 'm') return shell_import(sh, count, words);
    if (IS("indexes", 3) || IS("indices", 3))
        return put_names(
            sh, "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ?1 ORDER BY 1",
            first);
    if (IS("tables", 1) && !(n > 1 && name[1] == 'i'))
        return put_names(sh,
                         "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name "
                         "NOT LIKE 'sqlite_%' AND name LIKE ?1 ORDER BY 1",
                         first);
    if (IS("mode", 1)) return do_mode(sh, count, words);
    if (IS("nullvalue", 1)) {
        if (count != 2) return usage(".nullvalue STRING");
        snprintf(sh->null_text, sizeof sh->null_text, "%s", first);
        return 0;
    }
    if (IS("once", 3)) return first ? set_output(sh, first, true) : usage(".once FILE");
    if (IS("output", 1)) return set_output(sh, first, false);
    if (IS("open", 2)) {
        const char *file = count > 1 ? words[count - 1] : NULL;
        sqlite3_close(sh->db);
        sh->db = NULL;
        free(sh->file);
        sh->file = file ? g_copy_string(file) : NULL;
        return !shell_open(sh);
    }
    if (IS("print", 3)) {
        for (int i = 1; i < count; i++) fprintf(sh->out, "%s%s", i > 1 ? " " : "", words[i]);
        fputc('\n', sh->out);
        return 0;
    }
    if (IS("read", 3)) return first ? do_read(sh, first) : usage(".read FILE");
    if (IS("schema", 2)) return do_schema(sh, count, words);
    if (IS("separator", 3)) {
        if (count < 2 || count > 3) return usage(".separator COL ?ROW?");
        set_text(sh->column_separator, sizeof sh->column_separator, words[1]);
        if (count == 3) set_text(sh->row_separator, sizeof sh->row_separator, words[2]);
        return 0;
    }
    if (IS("show", 2)) {
        do_show(sh);
        return 0;
    }
    if (IS("version", 1)) {
        fprintf(sh->out, "SQLite %s %s\n", sqlite3_libversion(), sqlite3_sourceid());
        return 0;
    }
    if (IS("width", 1)) {
        memset(sh->widths, 0, sizeof sh->widths);
        for (int i = 1; i < count && i <= 64; i++) sh->widths[i - 1] = atoi(words[i]);
        return 0;
    }
    if (IS("timeout", 5) || IS("timer", 5) || IS("explain", 3) || IS("stats", 3) || IS("eqp", 3) ||
        IS("prompt", 3))
        return 0;
    if (IS("shell", 3) || IS("system", 3) || IS("cd", 2) || IS("load", 3) || IS("clone", 3) ||
        IS("recover", 3) || IS("parameter", 3)) {
        fprintf(stderr, "Error: .%s is not supported\n", name);
        return 1;
    }
    fprintf(stderr,
            "Error: unknown command or invalid arguments:  \"%s\". Enter \".help\" for help\n",
            name);
    return 1;
#undef IS
}
