/*
 * shell_import.c: .import: rows of a file into a table, which is made when it is not there.
 */
#include "shell.h"
#include "g_in.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *file, *s;
    size_t len, at;
    int line;
    char column, row; /* separators */
    bool csv, end_of_row;
} source;

/* The next field; NULL at the end of the text. Sets end_of_row. */
static char *field(source *f) {
    g_text out = {0};
    g_text_reserve(&out, 1);
    out.s[0] = '\0';
    if (f->at >= f->len) {
        free(out.s);
        return NULL;
    }
    bool quoted = f->csv && f->s[f->at] == '"';
    if (quoted) {
        int start = f->line;
        for (f->at++; f->at < f->len; f->at++) {
            char c = f->s[f->at];
            if (c == '\n') f->line++;
            if (c == '"') {
                if (f->at + 1 < f->len && f->s[f->at + 1] == '"')
                    f->at++;
                else
                    break;
            }
            g_text_addc(&out, c);
        }
        if (f->at >= f->len)
            fprintf(stderr, "%s:%d: unterminated %c-quoted field\n", f->file, start, '"');
        else
            f->at++;
    }
    while (f->at < f->len && f->s[f->at] != f->column && f->s[f->at] != f->row)
        g_text_addc(&out, f->s[f->at++]);
    f->end_of_row = f->at >= f->len || f->s[f->at] == f->row;
    if (f->end_of_row && f->at < f->len && f->row == '\n') {
        f->line++;
        if (out.len > 0 && out.s[out.len - 1] == '\r') out.s[--out.len] = '\0';
    }
    f->at++;
    return out.s;
}

static int column_count(shell *sh, const char *table) {
    char *sql = sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q)", table);
    sqlite3_stmt *stmt = NULL;
    int count = 0;
    if (sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        count = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return count;
}

/* The table with the first row's fields as its columns. */
static bool create_table(shell *sh, source *f, const char *table) {
    g_text sql = {0};
    char *name = sqlite3_mprintf("CREATE TABLE \"%w\"", table), *one;
    g_text_adds(&sql, name);
    sqlite3_free(name);
    const char *before = "(\n";
    while ((one = field(f))) {
        char *column = sqlite3_mprintf("%s\"%w\" TEXT", before, one);
        g_text_adds(&sql, column);
        sqlite3_free(column);
        free(one);
        before = ", ";
        if (f->end_of_row) break;
    }
    if (*before == '(') {
        fprintf(stderr, "%s: empty file\n", f->file);
        g_text_free(&sql);
        return false;
    }
    g_text_addc(&sql, ')');
    bool ok = sqlite3_exec(sh->db, sql.s, NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        fprintf(stderr, "CREATE TABLE \"%s\"(...) failed: %s\n", table, sqlite3_errmsg(sh->db));
    g_text_free(&sql);
    return ok;
}

static void import_row(shell *sh, source *f, sqlite3_stmt *stmt, int columns) {
    int start = f->line, got = 0;
    f->end_of_row = false;
    for (char *one; !f->end_of_row && (one = field(f)); free(one)) {
        got++;
        if (got <= columns) sqlite3_bind_text(stmt, got, one, -1, SQLITE_TRANSIENT);
    }
    if (got == 0) return;
    if (got < columns) {
        fflush(sh->out);
        fprintf(stderr, "%s:%d: expected %d columns but found %d - filling the rest with NULL\n",
                f->file, start, columns, got);
        for (int i = got + 1; i <= columns; i++) sqlite3_bind_null(stmt, i);
    } else if (got > columns) {
        fflush(sh->out);
        fprintf(stderr, "%s:%d: expected %d columns but found %d - extras ignored\n", f->file,
                start, columns, got);
    }
    sqlite3_step(stmt);
    if (sqlite3_reset(stmt) != SQLITE_OK)
        fprintf(stderr, "%s:%d: INSERT failed: %s\n", f->file, start, sqlite3_errmsg(sh->db));
}

static int import_all(shell *sh, source *f, const char *table, int skip) {
    for (int i = 0; i < skip && f->at < f->len; i++) {
        f->end_of_row = false;
        for (char *one; !f->end_of_row && (one = field(f));) free(one);
    }
    int columns = column_count(sh, table);
    if (columns == 0) {
        if (!create_table(sh, f, table)) return 1;
        columns = column_count(sh, table);
    }
    g_text sql = {0};
    char *name = sqlite3_mprintf("INSERT INTO \"%w\" VALUES(?", table);
    g_text_adds(&sql, name);
    sqlite3_free(name);
    for (int i = 1; i < columns; i++) g_text_adds(&sql, ",?");
    g_text_addc(&sql, ')');
    sqlite3_stmt *stmt;
    if (sqlite3_prepare_v2(sh->db, sql.s, -1, &stmt, NULL) != SQLITE_OK) {
        fprintf(stderr, "Error: %s\n", sqlite3_errmsg(sh->db));
        g_text_free(&sql);
        return 1;
    }
    bool own = sqlite3_get_autocommit(sh->db);
    if (own) sqlite3_exec(sh->db, "BEGIN", NULL, NULL, NULL);
    while (f->at < f->len) {
        import_row(sh, f, stmt, columns);
        pf_yield();
    }
    sqlite3_finalize(stmt);
    if (own) sqlite3_exec(sh->db, "COMMIT", NULL, NULL, NULL);
    g_text_free(&sql);
    return 0;
}

int shell_import(shell *sh, int count, char **words) {
    const char *file = NULL, *table = NULL;
    int skip = 0;
    source f = {
        .line = 1, .column = sh->column_separator[0], .row = '\n', .csv = sh->mode != MODE_ASCII};
    if (sh->mode == MODE_ASCII) f.row = sh->row_separator[0];
    for (int i = 1; i < count; i++) {
        const char *w = words[i];
        if (w[0] == '-' && w[1] == '-') w++;
        if (w[0] != '-') {
            if (!file)
                file = w;
            else if (!table)
                table = w;
            else {
                fprintf(stderr, "ERROR: extra argument: \"%s\".  Usage:\n.import FILE TABLE\n", w);
                return 1;
            }
        } else if (strcmp(w, "-csv") == 0) {
            f.csv = true;
            f.column = ',';
            f.row = '\n';
        } else if (strcmp(w, "-skip") == 0 && i + 1 < count) {
            skip = atoi(words[++i]);
        } else if (strcmp(w, "-v") != 0) {
            fprintf(
                stderr,
                "ERROR: unknown option: \"%s\".  Usage:\n.import [--csv] [--skip N] FILE TABLE\n",
                words[i]);
            return 1;
        }
    }
    /* The original leaves the row separator for input in place of the one for output. */
    if (sh->mode == MODE_CSV && strcmp(sh->row_separator, "\r\n") == 0)
        strcpy(sh->row_separator, "\n");
    if (!table) {
        fprintf(stderr, "ERROR: missing %s argument. Usage:\n.import FILE TABLE\n",
                file ? "TABLE" : "FILE");
        return 1;
    }
    if (!shell_open(sh)) return 1;
    f.file = file;
    if (*file == '|') {
        fprintf(stderr, "Error: reading from a program is not supported: \"%s\"\n", file);
        return 1;
    }
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    char *s = fd < 0 ? NULL : g_read_all(fd, &f.len);
    if (fd >= 0) close(fd);
    if (!s) {
        fprintf(stderr, "Error: cannot open \"%s\"\n", file);
        return 1;
    }
    f.s = s;
    if (f.csv && f.len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) f.at = 3; /* a byte order mark */
    int status = import_all(sh, &f, table, skip);
    free(s);
    return status;
}
