/*
 * shell_series.c: generate_series(START, STOP, STEP), a table of whole numbers.
 *
 * The arguments are hidden columns; without STOP it goes to 2^32 - 1, without STEP by 1. A negative
 * STEP counts down from STOP to START.
 */
#include "shell.h"

enum { VALUE, START, STOP, STEP };

typedef struct {
    sqlite3_vtab_cursor base;
    sqlite3_int64 start, stop, step; /* as asked for */
    sqlite3_int64 by;                /* from row to row: the step, or its opposite */
    sqlite3_int64 value, row;
    sqlite3_uint64 left; /* rows after this one */
    bool end;
} cursor;

/* How xBestIndex tells xFilter which arguments come, and the order. */
enum { HAS_START = 1, HAS_STOP = 2, HAS_STEP = 4, DOWN = 8, UP = 16 };

static int connect(sqlite3 *db, void *user, int argc, const char *const *argv, sqlite3_vtab **table,
                   char **message) {
    (void)user, (void)argc, (void)argv, (void)message;
    int code =
        sqlite3_declare_vtab(db, "CREATE TABLE x(value,start hidden,stop hidden,step hidden)");
    if (code != SQLITE_OK) return code;
    *table = sqlite3_malloc(sizeof **table);
    if (!*table) return SQLITE_NOMEM;
    **table = (sqlite3_vtab){0};
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **opened) {
    (void)table;
    cursor *c = sqlite3_malloc(sizeof *c);
    if (!c) return SQLITE_NOMEM;
    *c = (cursor){.end = true};
    *opened = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    sqlite3_free(base);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    int at[3] = {-1, -1, -1}, plan = 0, arguments = 0;
    bool has_start = false;
    unsigned unusable = 0, usable = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        int column = c->iColumn - START;
        if (column < 0) continue;
        if (column == 0) has_start = true;
        if (!c->usable) {
            unusable |= 1u << column;
        } else if (c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
            usable |= 1u << column;
            at[column] = i;
        }
    }
    for (int column = 0; column < 3; column++) {
        if (at[column] < 0) continue;
        info->aConstraintUsage[at[column]].argvIndex = ++arguments;
        info->aConstraintUsage[at[column]].omit = 1;
        plan |= HAS_START << column;
    }
    if (!has_start) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg =
            sqlite3_mprintf("first argument to \"generate_series()\" missing or unusable");
        return SQLITE_ERROR;
    }
    if (unusable & ~usable) return SQLITE_CONSTRAINT;
    if ((plan & (HAS_START | HAS_STOP)) == (HAS_START | HAS_STOP)) {
        info->estimatedCost = plan & HAS_STEP ? 1 : 2;
        info->estimatedRows = 1000;
        if (info->nOrderBy >= 1 && info->aOrderBy[0].iColumn == VALUE) {
            plan |= info->aOrderBy[0].desc ? DOWN : UP;
            info->orderByConsumed = 1;
        }
    } else {
        info->estimatedRows = 2147483647;
    }
    info->idxNum = plan;
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int argc,
                  sqlite3_value **argv) {
    (void)unused;
    cursor *c = (cursor *)base;
    int next = 0;
    c->start = plan & HAS_START ? sqlite3_value_int64(argv[next++]) : 0;
    c->stop = plan & HAS_STOP ? sqlite3_value_int64(argv[next++]) : 0xffffffff;
    c->step = plan & HAS_STEP ? sqlite3_value_int64(argv[next++]) : 1;
    if (c->step == 0) c->step = 1;
    c->row = 1;
    c->by = c->step;
    c->end = c->step > 0 ? c->start > c->stop : c->start < c->stop;
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) c->end = true;
    if (c->end) return SQLITE_OK;
    sqlite3_uint64 from = (sqlite3_uint64)c->start, to = (sqlite3_uint64)c->stop;
    sqlite3_uint64 size = c->step > 0 ? (sqlite3_uint64)c->step : -(sqlite3_uint64)c->step;
    c->left = (c->step > 0 ? to - from : from - to) / size;
    c->value = c->start;
    if (plan & (c->step > 0 ? DOWN : UP)) { /* the other way round */
        c->value = (sqlite3_int64)(from + c->left * (sqlite3_uint64)c->step);
        c->by = (sqlite3_int64) - (sqlite3_uint64)c->step;
    }
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base) {
    cursor *c = (cursor *)base;
    c->row++;
    if (c->left-- == 0)
        c->end = true;
    else
        c->value = (sqlite3_int64)((sqlite3_uint64)c->value + (sqlite3_uint64)c->by);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base) {
    return ((cursor *)base)->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int which) {
    cursor *c = (cursor *)base;
    sqlite3_result_int64(context, which == START  ? c->start
                                  : which == STOP ? c->stop
                                  : which == STEP ? c->step
                                                  : c->value);
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
    *row = ((cursor *)base)->row;
    return SQLITE_OK;
}

void shell_series_add(sqlite3 *db) {
    static const sqlite3_module module = {.xConnect = connect,
                                          .xBestIndex = best_index,
                                          .xDisconnect = disconnect,
                                          .xOpen = open_cursor,
                                          .xClose = close_cursor,
                                          .xFilter = filter,
                                          .xNext = next_row,
                                          .xEof = at_end,
                                          .xColumn = column,
                                          .xRowid = row_number};
    sqlite3_create_module(db, "generate_series", &module, NULL);
}
