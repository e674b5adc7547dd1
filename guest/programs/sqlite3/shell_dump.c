/*
 * shell_dump.c: .dump: a database as SQL.
 */
#include "shell.h"

#include <stdlib.h>

/* "CREATE TABLE IF NOT EXISTS" where the name is quoted, as the original shell has it. */
static void put_create(FILE *out, const char *sql) {
    if (sqlite3_strglob("CREATE TABLE ['\"]*", sql) == 0)
        fprintf(out, "CREATE TABLE IF NOT EXISTS %s;\n", sql + 13);
    else
        fprintf(out, "%s;\n", sql);
}

static void dump_rows(shell *sh, const char *table, bool *failed) {
    /* Hidden and generated columns are left out by the pragma. */
    char *sql = sqlite3_mprintf("SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"') "
                                "FROM pragma_table_info(%Q)",
                                table);
    sqlite3_stmt *stmt = NULL;
    char *columns = NULL;
    if (sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
        columns = g_copy_string((const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    sql = sqlite3_mprintf("SELECT %s FROM \"%w\"", columns ? columns : "*", table);
    free(columns);
    int code = sqlite3_prepare_v2(sh->db, sql, -1, &stmt, NULL);
    sqlite3_free(sql);
    if (code == SQLITE_OK) {
        char *kept = sh->insert_table;
        enum shell_mode mode = sh->mode;
        bool headers = sh->headers;
        sh->insert_table = g_copy_string(table);
        sh->mode = MODE_INSERT;
        sh->headers = false;
        shell_rows(sh, stmt, &code);
        free(sh->insert_table);
        sh->insert_table = kept;
        sh->mode = mode;
        sh->headers = headers;
    }
    if (code != SQLITE_DONE) {
        fprintf(sh->out, "/**** ERROR: (%d) %s *****/\n", code, sqlite3_errmsg(sh->db));
        *failed = true;
    }
    sqlite3_finalize(stmt);
}

static void dump_table(shell *sh, const char *name, const char *sql, bool *writable, bool *failed) {
    if (strcmp(name, "sqlite_sequence") == 0) {
        fputs("DELETE FROM sqlite_sequence;\n", sh->out);
    } else if (strncmp(name, "sqlite_stat", 11) == 0) {
        fputs("ANALYZE sqlite_schema;\n", sh->out);
    } else if (strncmp(name, "sqlite_", 7) == 0) {
        return;
    } else if (sqlite3_strnicmp(sql, "CREATE VIRTUAL TABLE", 20) == 0) {
        if (!*writable) fputs("PRAGMA writable_schema=ON;\n", sh->out);
        *writable = true;
        char *insert = sqlite3_mprintf(
            "INSERT INTO "
            "sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','%q','%q',0,'%q');",
            name, name, sql);
        fprintf(sh->out, "%s\n", insert);
        sqlite3_free(insert);
        return;
    } else {
        put_create(sh->out, sql);
    }
    dump_rows(sh, name, failed);
}

void shell_dump(shell *sh, const char *pattern) {
    if (!shell_open(sh)) return;
    bool writable = false, failed = false;
    fputs("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", sh->out);
    sqlite3_exec(sh->db, "SAVEPOINT dump; PRAGMA writable_schema=ON", NULL, NULL, NULL);
    sqlite3_stmt *stmt;
    for (int part = 0; part < 2; part++) {
        const char *what = part == 0 ? "SELECT name, sql FROM sqlite_schema WHERE type='table' AND "
                                       "sql NOT NULL AND name LIKE ?1"
                                       " ORDER BY tbl_name='sqlite_sequence', rowid"
                                     : "SELECT name, sql FROM sqlite_schema WHERE type IN "
                                       "('index','trigger','view') AND sql NOT NULL"
                                       " AND name LIKE ?1";
        if (sqlite3_prepare_v2(sh->db, what, -1, &stmt, NULL) != SQLITE_OK) {
            fprintf(sh->out, "/**** ERROR: (%d) %s *****/\n", sqlite3_errcode(sh->db),
                    sqlite3_errmsg(sh->db));
            failed = true;
            continue;
        }
        sqlite3_bind_text(stmt, 1, pattern ? pattern : "%", -1, SQLITE_TRANSIENT);
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(stmt, 0),
                       *sql = (const char *)sqlite3_column_text(stmt, 1);
            if (part == 0)
                dump_table(sh, name, sql, &writable, &failed);
            else
                fprintf(sh->out, "%s;\n", sql);
        }
        sqlite3_finalize(stmt);
    }
    if (writable) fputs("PRAGMA writable_schema=OFF;\n", sh->out);
    sqlite3_exec(sh->db, "PRAGMA writable_schema=OFF; RELEASE dump", NULL, NULL, NULL);
    fputs(failed ? "ROLLBACK; -- due to errors\n" : "COMMIT;\n", sh->out);
}
