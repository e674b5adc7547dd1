/*
 * shell.h: what the parts of the sqlite3 shell share.
 *
 * main.c reads the options, shell_run.c takes input apart and runs statements, shell_mode.c and
 * shell_table.c print rows, shell_dot.c knows the commands that begin with a dot, of which
 * shell_dump.c and shell_import.c do the longer ones. shell_functions.c and shell_series.c add
 * functions to SQL.
 */
#ifndef SHELL_H
#define SHELL_H

#include "g_program.h"
#include "g_text.h"

#include <stdio.h>

#include "sqlite3/sqlite3.h"

enum shell_mode {
    MODE_LIST,
    MODE_LINE,
    MODE_COLUMN,
    MODE_TABLE,
    MODE_BOX,
    MODE_MARKDOWN,
    MODE_CSV,
    MODE_TABS,
    MODE_ASCII,
    MODE_JSON,
    MODE_INSERT,
    MODE_QUOTE,
    MODE_HTML,
    MODE_TCL
};

typedef struct {
    sqlite3 *db;
    char *file; /* of the database */
    bool readonly, echo, bail, headers, headers_set, changes;
    enum shell_mode mode;
    char column_separator[32], row_separator[32], null_text[64];
    char *insert_table;
    int widths[64];
    int wrap;         /* of columns in the tables; 0: not */
    bool quote_cells; /* .mode qbox */
    FILE *out;        /* never NULL */
    bool out_once;    /* back to standard output after the next statement */
    char *out_name;
    /* Where input comes from, for messages. */
    const char *input_name; /* NULL: standard input */
    int line, depth;
    int64_t errors;
} shell;

/* shell_run.c */
/* Runs SQL from the command line or a dot command. 0 or an SQLite code; *message is for the caller
 * to print and sqlite3_free. */
int shell_exec(shell *sh, const char *sql, char **message);
/* Reads statements and dot commands until the end: how many errors. -1: .quit was given. */
int shell_read(shell *sh, FILE *in);
bool shell_open(shell *sh); /* Opens the database unless it is open; false: said. */

/* shell_functions.c, shell_series.c: what SQL has in the shell only */
void shell_functions_add(sqlite3 *db);
/* Gives a database generate_series(); called by shell_functions_add(). */
void shell_series_add(sqlite3 *db);

/* .quit's status; -1 while none was given. */
extern int shell_quit_status;

/* shell_mode.c: one result. */
typedef struct {
    shell *sh;
    sqlite3_stmt *stmt;
    int columns;
    int64_t rows;
} shell_result;
/* Prints a statement's rows in the shell's mode; *code is what the last step gave. */
void shell_rows(shell *sh, sqlite3_stmt *stmt, int *code);
void shell_mode_set(shell *sh, enum shell_mode mode); /* Chooses a mode and its separators. */
/* The mode whose name begins so; false: there is none. */
bool shell_mode_named(const char *name, enum shell_mode *mode);
/* A literal as SQL reads it back. `escape`: line ends by way of replace(). */
void shell_put_literal(FILE *out, sqlite3_stmt *stmt, int column, bool escape);
/* A name as SQL reads it: quoted when it has to be. */
void shell_put_identifier(FILE *out, const char *name);

/* shell_table.c: column, table, box and markdown, which need all rows first. */
void shell_table_rows(shell *sh, sqlite3_stmt *stmt, int *code);

/* shell_dot.c: 0 fine, 1 error (said), 2 quit. */
int shell_dot(shell *sh, char *line);
/* The output goes back to standard output. */
void shell_output_reset(shell *sh);

/* shell_dump.c: .dump of the tables that are LIKE `pattern`; NULL: of all. */
void shell_dump(shell *sh, const char *pattern);
/* shell_import.c: .import with its words; 0 or 1 as a dot command's status. */
int shell_import(shell *sh, int count, char **words);

#endif
