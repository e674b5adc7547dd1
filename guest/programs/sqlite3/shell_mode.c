/*
 * shell_mode.c: prints rows as they come.
 */
#include "shell.h"
#include "pf.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    enum shell_mode mode;
} modes[] = {{"list", MODE_LIST},     {"line", MODE_LINE},         {"lines", MODE_LINE},
             {"column", MODE_COLUMN}, {"columns", MODE_COLUMN},    {"table", MODE_TABLE},
             {"box", MODE_BOX},       {"markdown", MODE_MARKDOWN}, {"csv", MODE_CSV},
             {"tabs", MODE_TABS},     {"ascii", MODE_ASCII},       {"json", MODE_JSON},
             {"insert", MODE_INSERT}, {"quote", MODE_QUOTE},       {"html", MODE_HTML},
             {"tcl", MODE_TCL}};

bool shell_mode_named(const char *name, enum shell_mode *mode) {
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strncmp(modes[i].name, name, len < 3 ? 3 : len) == 0) {
            *mode = modes[i].mode;
            return true;
        }
    return false;
}

static void separators(shell *sh, const char *column, const char *row) {
    snprintf(sh->column_separator, sizeof sh->column_separator, "%s", column);
    snprintf(sh->row_separator, sizeof sh->row_separator, "%s", row);
}

void shell_mode_set(shell *sh, enum shell_mode mode) {
    sh->mode = mode;
    sh->wrap = 0;
    sh->quote_cells = false;
    if (mode == MODE_CSV)
        separators(sh, ",", "\r\n");
    else if (mode == MODE_TABS)
        separators(sh, "\t", "\n");
    else if (mode == MODE_ASCII)
        separators(sh, "\x1f", "\x1e");
    else if (mode == MODE_LIST)
        separators(sh, "|", "\n");
    else if (mode == MODE_QUOTE)
        separators(sh, ",", "\n");
    else if (mode == MODE_TCL)
        separators(sh, " ", "\n");
}

static void put_csv(shell *sh, const char *s, bool last) {
    bool quote = !*s || (sh->column_separator[0] && strstr(s, sh->column_separator));
    for (const unsigned char *p = (const unsigned char *)s; *p && !quote; p++)
        quote = *p <= ' ' || *p == '"' || *p == '\'' || *p >= 0x7f;
    if (quote) {
        fputc('"', sh->out);
        for (const char *p = s; *p; p++) {
            if (*p == '"') fputc('"', sh->out);
            fputc(*p, sh->out);
        }
        fputc('"', sh->out);
    } else {
        fputs(s, sh->out);
    }
    if (!last) fputs(sh->column_separator, sh->out);
}

static void put_json(FILE *out, const char *s, size_t len) {
    fputc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        const char *at = strchr("\"\\\b\f\n\r\t", c);
        if (c && at) {
            fputc('\\', out);
            static const char marks[] = "\"\\\b\f\n\r\t";
            fputc("\"\\bfnrt"[strchr(marks, c) - marks], out);
        } else if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_html(FILE *out, const char *s) {
    for (; *s; s++) {
        if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if (*s == '\'')
            fputs("&#39;", out);
        else
            fputc(*s, out);
    }
}

static void put_tcl(FILE *out, const char *s) {
    fputc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\\' || c == '"')
            fprintf(out, "\\%c", c);
        else if (c == '\t')
            fputs("\\t", out);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\r')
            fputs("\\r", out);
        else if (c < ' ' || c >= 0x7f)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_quoted(FILE *out, const char *s) {
    fputc('\'', out);
    for (; *s; s++) {
        if (*s == '\'') fputc('\'', out);
        fputc(*s, out);
    }
    fputc('\'', out);
}

/* A stand-in for a line end that the text does not have. */
static const char *unused(const char *s, const char *wish, const char *other, char made[24]) {
    if (!strstr(s, wish)) return wish;
    if (!strstr(s, other)) return other;
    for (unsigned n = 0;; n++) {
        snprintf(made, 24, "(%s%u)", wish, n);
        if (!strstr(s, made)) return made;
    }
}

static void put_escaped(FILE *out, const char *s) {
    bool newline = strchr(s, '\n') != NULL, retur = strchr(s, '\r') != NULL;
    char made_n[24], made_r[24];
    const char *n = newline ? unused(s, "\\n", "\\012", made_n) : "",
               *r = retur ? unused(s, "\\r", "\\015", made_r) : "";
    if (newline) fputs("replace(", out);
    if (retur) fputs("replace(", out);
    fputc('\'', out);
    for (; *s; s++) {
        if (*s == '\n')
            fputs(n, out);
        else if (*s == '\r')
            fputs(r, out);
        else {
            if (*s == '\'') fputc('\'', out);
            fputc(*s, out);
        }
    }
    fputc('\'', out);
    if (retur) fprintf(out, ",'%s',char(13))", r);
    if (newline) fprintf(out, ",'%s',char(10))", n);
}

static void put_real(FILE *out, double value, bool json) {
    char text[64];
    if (isinf(value)) {
        fputs(value < 0 ? (json ? "-1e999" : "-9.0e+999") : json ? "1e999" : "9.0e+999", out);
        return;
    }
    /* As few digits as read back to the same number. */
    sqlite3_snprintf(sizeof text, text, "%!.15g", value);
    if (strtod(text, NULL) != value) sqlite3_snprintf(sizeof text, text, "%!.17g", value);
    fputs(text, out);
}

void shell_put_literal(FILE *out, sqlite3_stmt *stmt, int column, bool escape) {
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_NULL: fputs("NULL", out); break;
    case SQLITE_INTEGER: fprintf(out, "%lld", (long long)sqlite3_column_int64(stmt, column)); break;
    case SQLITE_FLOAT: put_real(out, sqlite3_column_double(stmt, column), false); break;
    case SQLITE_TEXT:
        (escape ? put_escaped : put_quoted)(out, (const char *)sqlite3_column_text(stmt, column));
        break;
    case SQLITE_BLOB: {
        const unsigned char *bytes = sqlite3_column_blob(stmt, column);
        int len = sqlite3_column_bytes(stmt, column);
        fputs("X'", out);
        for (int i = 0; i < len; i++) fprintf(out, "%02x", bytes[i]);
        fputc('\'', out);
        break;
    }
    }
}

void shell_put_identifier(FILE *out, const char *name) {
    bool plain = isalpha((unsigned char)*name) || *name == '_';
    for (const char *p = name; *p; p++) plain &= isalnum((unsigned char)*p) || *p == '_';
    if (plain && !sqlite3_keyword_check(name, (int)strlen(name))) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"') fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

static const char *text_of(const shell_result *r, int column) {
    const char *text = (const char *)sqlite3_column_text(r->stmt, column);
    return text ? text : r->sh->null_text;
}

static void put_headers(const shell_result *r) {
    shell *sh = r->sh;
    for (int i = 0; i < r->columns; i++) {
        const char *name = sqlite3_column_name(r->stmt, i);
        bool last = i + 1 == r->columns;
        switch (sh->mode) {
        case MODE_CSV: put_csv(sh, name, last); continue;
        case MODE_HTML:
            fputs(i == 0 ? "<TR><TH>" : "<TH>", sh->out);
            put_html(sh->out, name);
            fputs("</TH>\n", sh->out);
            continue;
        case MODE_QUOTE: put_quoted(sh->out, name); break;
        case MODE_TCL: put_tcl(sh->out, name); break;
        default: fputs(name, sh->out); break;
        }
        if (!last) fputs(sh->column_separator, sh->out);
    }
    if (sh->mode == MODE_HTML)
        fputs("</TR>\n", sh->out);
    else
        fputs(sh->row_separator, sh->out);
}

static void put_separated(const shell_result *r) {
    shell *sh = r->sh;
    if (r->rows == 0 && sh->headers) put_headers(r);
    for (int i = 0; i < r->columns; i++) {
        bool last = i + 1 == r->columns;
        if (sh->mode == MODE_CSV) {
            if (sqlite3_column_type(r->stmt, i) == SQLITE_NULL)
                fprintf(sh->out, "%s%s", sh->null_text, last ? "" : sh->column_separator);
            else
                put_csv(sh, text_of(r, i), last);
            continue;
        }
        if (sh->mode == MODE_QUOTE)
            shell_put_literal(sh->out, r->stmt, i, false);
        else if (sh->mode == MODE_TCL)
            put_tcl(sh->out, text_of(r, i));
        else
            fputs(text_of(r, i), sh->out);
        if (!last) fputs(sh->column_separator, sh->out);
    }
    fputs(sh->row_separator, sh->out);
}

static void put_lines(const shell_result *r) {
    int width = 5;
    for (int i = 0; i < r->columns; i++) {
        int len = (int)g_text_width(sqlite3_column_name(r->stmt, i),
                                    strlen(sqlite3_column_name(r->stmt, i)));
        if (len > width) width = len;
    }
    if (r->rows > 0) fputs("\n", r->sh->out);
    for (int i = 0; i < r->columns; i++)
        fprintf(r->sh->out, "%*s = %s\n", width, sqlite3_column_name(r->stmt, i), text_of(r, i));
}

static void put_object(const shell_result *r) {
    FILE *out = r->sh->out;
    fputs(r->rows == 0 ? "[{" : ",\n{", out);
    for (int i = 0; i < r->columns; i++) {
        const char *name = sqlite3_column_name(r->stmt, i);
        if (i > 0) fputc(',', out);
        put_json(out, name, strlen(name));
        fputc(':', out);
        switch (sqlite3_column_type(r->stmt, i)) {
        case SQLITE_NULL: fputs("null", out); break;
        case SQLITE_INTEGER: fputs(text_of(r, i), out); break;
        case SQLITE_FLOAT: put_real(out, sqlite3_column_double(r->stmt, i), true); break;
        case SQLITE_BLOB: {
            const char *bytes = sqlite3_column_blob(r->stmt, i);
            put_json(out, bytes ? bytes : "", (size_t)sqlite3_column_bytes(r->stmt, i));
            break;
        }
        default: {
            const char *text = text_of(r, i);
            put_json(out, text, (size_t)sqlite3_column_bytes(r->stmt, i));
        }
        }
    }
    fputc('}', out);
}

static void put_insert(const shell_result *r) {
    shell *sh = r->sh;
    fputs("INSERT INTO ", sh->out);
    shell_put_identifier(sh->out, sh->insert_table ? sh->insert_table : "table");
    if (sh->headers) {
        for (int i = 0; i < r->columns; i++) {
            fputc(i == 0 ? '(' : ',', sh->out);
            shell_put_identifier(sh->out, sqlite3_column_name(r->stmt, i));
        }
        fputc(')', sh->out);
    }
    fputs(" VALUES(", sh->out);
    for (int i = 0; i < r->columns; i++) {
        if (i > 0) fputc(',', sh->out);
        shell_put_literal(sh->out, r->stmt, i, true);
    }
    fputs(");\n", sh->out);
}

static void put_html_row(const shell_result *r) {
    FILE *out = r->sh->out;
    if (r->rows == 0 && r->sh->headers) put_headers(r);
    fputs("<TR>", out);
    for (int i = 0; i < r->columns; i++) {
        fputs("<TD>", out);
        put_html(out, text_of(r, i));
        fputs("</TD>\n", out);
    }
    fputs("</TR>\n", out);
}

void shell_rows(shell *sh, sqlite3_stmt *stmt, int *code) {
    if (sh->mode == MODE_COLUMN || sh->mode == MODE_TABLE || sh->mode == MODE_BOX ||
        sh->mode == MODE_MARKDOWN) {
        shell_table_rows(sh, stmt, code);
        return;
    }
    shell_result r = {sh, stmt, sqlite3_column_count(stmt), 0};
    while ((*code = sqlite3_step(stmt)) == SQLITE_ROW) {
        switch (sh->mode) {
        case MODE_LINE: put_lines(&r); break;
        case MODE_JSON: put_object(&r); break;
        case MODE_INSERT: put_insert(&r); break;
        case MODE_HTML: put_html_row(&r); break;
        default: put_separated(&r); break;
        }
        if (++r.rows % 256 == 0) pf_yield();
    }
    if (sh->mode == MODE_JSON && r.rows > 0) fputs("]\n", sh->out);
}
