/*
 * shell_run.c: takes input apart and runs statements.
 */
#include "shell.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

int shell_quit_status = -1;

/* Statement by statement; others get their turn every so many steps of the engine. */
enum { STEPS = 1000, DEPTH_MAX = 25 };

static int yield(void *unused) {
    (void)unused;
    pf_yield();
    return 0;
}

bool shell_open(shell *sh) {
    if (sh->db) return true;
    int flags = sh->readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const char *file = sh->file ? sh->file : ":memory:";
    if (sqlite3_open_v2(file, &sh->db, flags, NULL) != SQLITE_OK) {
        fflush(sh->out);
        fprintf(stderr, "Error: unable to open database \"%s\": %s\n", file,
                sqlite3_errmsg(sh->db));
        sqlite3_close(sh->db);
        sh->db = NULL;
        return false;
    }
    shell_functions_add(sh->db);
    sqlite3_progress_handler(sh->db, STEPS, yield, NULL);
    return true;
}

/* The statement with a mark below the place of the mistake; an empty text when that is not known.
 */
static char *context_of(sqlite3 *db, const char *sql) {
    int offset = sqlite3_error_offset(db);
    if (offset < 0 || offset >= (int)strlen(sql)) return sqlite3_mprintf("");
    while (offset > 50) {
        offset--;
        sql++;
        while (((unsigned char)*sql & 0xc0) == 0x80) {
            sql++;
            offset--;
        }
    }
    size_t len = strlen(sql);
    if (len > 78) {
        len = 78;
        while (((unsigned char)sql[len] & 0xc0) == 0x80) len--;
    }
    char *code = sqlite3_mprintf("%.*s", (int)len, sql);
    for (char *p = code; *p; p++)
        if (isspace((unsigned char)*p)) *p = ' ';
    char *made = offset < 25
                     ? sqlite3_mprintf("\n  %s\n  %*s^--- error here", code, offset, "")
                     : sqlite3_mprintf("\n  %s\n  %*serror here ---^", code, offset - 14, "");
    sqlite3_free(code);
    return made;
}

static void set_message(sqlite3 *db, const char *phase, int code, const char *sql, char **message) {
    char *context = context_of(db, sql);
    *message = code > 1 ? sqlite3_mprintf("%s, %s (%d)%s", phase, sqlite3_errmsg(db), code, context)
                        : sqlite3_mprintf("%s, %s%s", phase, sqlite3_errmsg(db), context);
    sqlite3_free(context);
}

/* EXPLAIN QUERY PLAN as a tree. */
typedef struct {
    int id, parent;
    char *text;
} plan_row;

static void put_plan(shell *sh, const plan_row *rows, size_t count, int parent, g_text *prefix) {
    if (prefix->len > 200) return;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].parent != parent) continue;
        bool last = true;
        for (size_t j = i + 1; j < count; j++) last &= rows[j].parent != parent;
        fprintf(sh->out, "%s%s%s\n", prefix->len ? prefix->s : "", last ? "`--" : "|--",
                rows[i].text);
        size_t len = prefix->len;
        g_text_adds(prefix, last ? "   " : "|  ");
        put_plan(sh, rows, count, rows[i].id, prefix);
        prefix->len = len;
        prefix->s[len] = '\0';
    }
}

static void run_plan(shell *sh, sqlite3_stmt *stmt, int *code) {
    plan_row *rows = NULL;
    size_t count = 0, cap = 0;
    while ((*code = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (count == cap) rows = g_more(rows, &cap, sizeof *rows);
        rows[count++] = (plan_row){sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1),
                                   g_copy_string((const char *)sqlite3_column_text(stmt, 3))};
    }
    g_text prefix = {0};
    if (count > 0) fputs("QUERY PLAN\n", sh->out);
    put_plan(sh, rows, count, 0, &prefix);
    for (size_t i = 0; i < count; i++) free(rows[i].text);
    free(rows);
    g_text_free(&prefix);
}

int shell_exec(shell *sh, const char *sql, char **message) {
    *message = NULL;
    if (!shell_open(sh)) return SQLITE_CANTOPEN;
    int code = SQLITE_OK;
    while (*sql && code == SQLITE_OK) {
        sqlite3_stmt *stmt;
        const char *rest;
        while (isspace((unsigned char)*sql)) sql++;
        code = sqlite3_prepare_v2(sh->db, sql, -1, &stmt, &rest);
        if (code != SQLITE_OK) {
            set_message(sh->db, "in prepare", code, sql, message);
            break;
        }
        if (!stmt) { /* a comment or nothing */
            sql = rest;
            continue;
        }
        if (sh->echo) fprintf(sh->out, "%s\n", sqlite3_sql(stmt));
        if (sqlite3_stmt_isexplain(stmt) == 2)
            run_plan(sh, stmt, &code);
        else
            shell_rows(sh, stmt, &code);
        int failed = sqlite3_finalize(stmt);
        code = code == SQLITE_DONE ? SQLITE_OK : failed ? failed : code;
        if (code != SQLITE_OK) set_message(sh->db, "stepping", code, sql, message);
        sql = rest;
        while (isspace((unsigned char)*sql)) sql++;
    }
    return code;
}

static bool is_blank(const char *s) {
    while (isspace((unsigned char)*s)) s++;
    return !*s;
}

/* Runs what was collected; `line` is where it began. */
static int run_collected(shell *sh, const char *sql, int line) {
    char *message;
    int code = shell_exec(sh, sql, &message);
    if (code == SQLITE_OK && !message) {
        if (sh->changes)
            fprintf(sh->out, "changes: %3lld   total_changes: %lld\n",
                    (long long)sqlite3_changes64(sh->db),
                    (long long)sqlite3_total_changes64(sh->db));
        if (sh->out_once) shell_output_reset(sh);
        return 0;
    }
    if (sh->out_once) shell_output_reset(sh);
    fflush(sh->out);
    const char *kind = "Error", *text = message ? message : "";
    if (strncmp(text, "in prepare, ", 12) == 0) {
        kind = "Parse error";
        text += 12;
    } else if (strncmp(text, "stepping, ", 10) == 0) {
        kind = "Runtime error";
        text += 10;
    }
    if (message) fprintf(stderr, "%s near line %d: %s\n", kind, line, text);
    sqlite3_free(message);
    return 1;
}

/* The next line without its end; NULL at the end. Fresh memory. */
static char *read_line(FILE *in) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = getline(&line, &cap, in);
    if (n <= 0) {
        free(line);
        return NULL;
    }
    if (line[n - 1] == '\n') line[--n] = '\0';
    if (n > 0 && line[n - 1] == '\r') line[--n] = '\0';
    return line;
}

static int run_dot(shell *sh, char *line, int *errors) {
    if (sh->echo) fprintf(sh->out, "%s\n", line);
    if (line[0] == '#') return 0;
    int result = shell_dot(sh, line);
    if (result == 1) ++*errors;
    return result;
}

int shell_read(shell *sh, FILE *in) {
    g_text sql = {0};
    int errors = 0, line = 0, start = 1, quit = 0;
    if (sh->depth >= DEPTH_MAX) {
        fprintf(stderr, "Input nesting limit (%d) reached at line %d. Check recursion.\n",
                DEPTH_MAX, sh->line);
        return 1;
    }
    sh->depth++;
    struct stat st; /* who asks through a pipe waits for the answer */
    bool dialog = fstat(fileno(in), &st) == 0 && !S_ISREG(st.st_mode);
    for (char *text; !quit && !(errors > 0 && sh->bail) && (text = read_line(in)); free(text)) {
        sh->line = ++line;
        if (sql.len == 0) {
            if (is_blank(text)) continue;
            if (text[0] == '.' || text[0] == '#') {
                quit = run_dot(sh, text, &errors) == 2;
                if (dialog) fflush(sh->out);
                continue;
            }
            start = line;
            char *p = text;
            while (isspace((unsigned char)*p)) p++;
            g_text_adds(&sql, p);
        } else {
            g_text_addc(&sql, '\n');
            g_text_adds(&sql, text);
        }
        if (strchr(text, ';') && sqlite3_complete(sql.s)) {
            errors += run_collected(sh, sql.s, start);
            sql.len = 0;
            sql.s[0] = '\0';
            if (dialog) fflush(sh->out);
        }
        pf_yield();
    }
    if (!quit && sql.len > 0 && !is_blank(sql.s) && !(errors > 0 && sh->bail))
        errors += run_collected(sh, sql.s, start);
    sh->depth--;
    g_text_free(&sql);
    return quit ? -1 : errors;
}
