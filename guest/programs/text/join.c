/*
 * join.c: joins lines of two sorted files on a common field.
 *
 * help join:
 *   Usage: join [OPTION]... FILE1 FILE2
 *   For each pair of input lines with identical join fields, write a line to standard output. The
 *   default join field is the first, delimited by blanks.
 *
 *     -a FILENUM             also print unpairable lines from file FILENUM, where FILENUM is 1 or 2
 *     -e STRING              replace missing (empty) input fields with STRING
 *     -i, --ignore-case      ignore differences in case when comparing fields
 *     -j FIELD               equivalent to '-1 FIELD -2 FIELD'
 *     -o FORMAT              obey FORMAT while constructing output line
 *     -t CHAR                use CHAR as input and output field separator
 *     -v FILENUM             like -a FILENUM, but suppress joined output lines
 *     -1 FIELD               join on this FIELD of file 1
 *     -2 FIELD               join on this FIELD of file 2
 *         --check-order      check that the input is correctly sorted
 *         --nocheck-order    do not check that the input is correctly sorted
 *         --header           treat the first line in each file as field headers
 *     -z, --zero-terminated  line delimiter is NUL, not newline
 *         --help             display this help and exit
 *         --version          output version information and exit
 *
 *   FORMAT is one or more comma or blank separated specifications, each being 'FILENUM.FIELD' or
 *   '0'. With FORMAT 'auto', the first line of each file determines the number of fields output.
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t start, len;
} field;

typedef struct row {
    g_text text;
    field *fields;
    size_t count, cap;
    struct row *spare;
} row;

/* Rows of one file that have the same key, and the row behind them. */
typedef struct {
    const char *name;
    g_reader in;
    row **rows;
    size_t count, cap; /* rows in use */
    row *next;         /* read ahead; NULL at the end */
    row *before; /* the row before `next`, for the check of order; it may be the last of `rows` */
    row *spare;        /* rows that are not in use, to be filled again: each names the next */
    uint64_t line;
    size_t key; /* the field to join on, from 0 */
    size_t auto_count;
    bool told;
} side;

typedef struct {
    int file;     /* 0: the key, 1, 2 */
    size_t field; /* from 0 */
} output_field;

enum check { CHECK_UNPAIRED, CHECK_ALWAYS, CHECK_NEVER };

typedef struct {
    side sides[2];
    bool unpairable[2], paired, ignore_case, header, auto_format, seen_unpairable;
    enum check check;
    const char *empty;
    int separator; /* -1: blanks; -2: the whole line is one field */
    char end;
    output_field *format;
    size_t format_count, format_cap;
} joiner;

static void split(const joiner *j, row *r) {
    const char *s = r->text.s;
    size_t len = r->text.len, at = 0;
    r->count = 0;
    if (len == 0) return;
    if (j->separator < 0 && j->separator != -2)
        while (at < len && (isblank((unsigned char)s[at]) || s[at] == '\n')) at++;
    if (at == len && j->separator == -1) return;
    for (;;) {
        size_t end = at;
        if (j->separator >= 0) {
            const char *found = memchr(s + at, j->separator, len - at);
            end = found ? (size_t)(found - s) : len;
        } else if (j->separator == -1) {
            while (end < len && !isblank((unsigned char)s[end]) && s[end] != '\n') end++;
        } else {
            end = len;
        }
        if (r->count == r->cap) r->fields = g_more(r->fields, &r->cap, sizeof *r->fields);
        r->fields[r->count++] = (field){at, end - at};
        if (end == len) return;
        at = end + 1;
        if (j->separator == -1) {
            while (at < len && (isblank((unsigned char)s[at]) || s[at] == '\n')) at++;
        }
    }
}

static const char *field_of(const row *r, size_t index, size_t *len) {
    if (!r || index >= r->count) {
        *len = 0;
        return "";
    }
    *len = r->fields[index].len;
    return r->text.s + r->fields[index].start;
}

static int compare(const joiner *j, const row *a, size_t a_key, const row *b, size_t b_key) {
    size_t a_len, b_len;
    const char *x = field_of(a, a_key, &a_len), *y = field_of(b, b_key, &b_len);
    size_t len = a_len < b_len ? a_len : b_len;
    if (!j->ignore_case) {
        int order = len ? memcmp(x, y, len) : 0;
        return order ? order : (a_len > b_len) - (a_len < b_len);
    }
    for (size_t i = 0; i < len; i++) {
        int p = toupper((unsigned char)x[i]), q = toupper((unsigned char)y[i]);
        if (p != q) return p < q ? -1 : 1;
    }
    return (a_len > b_len) - (a_len < b_len);
}

static void check_order(joiner *j, side *s) {
    if (j->check == CHECK_NEVER || s->told || !s->before || !s->next) return;
    if (j->check == CHECK_UNPAIRED && !j->seen_unpairable) return;
    if (compare(j, s->before, s->key, s->next, s->key) <= 0) return;
    size_t len = s->next->text.len;
    s->told = true;
    g_warn("%s:%llu: is not sorted: %.*s", s->name, (unsigned long long)s->line, (int)len,
           s->next->text.s);
    if (j->check == CHECK_ALWAYS) g_exit(1);
}

static void give_back(side *s, row *r) {
    r->spare = s->spare;
    s->spare = r;
}

static row *take_spare(side *s) {
    row *r = s->spare;
    if (!r) return g_zalloc(sizeof *r);
    s->spare = r->spare;
    r->text.len = 0;
    return r;
}

/* Reads the row behind `next`; the caller has taken `next` or it becomes `before`. */
static void read_next(joiner *j, side *s, bool check) {
    g_line line;
    if (!g_read_line(&s->in, &line)) {
        if (s->in.error) g_die_errno(1, s->in.error, "read error");
        s->next = NULL;
        return;
    }
    row *r = take_spare(s);
    g_text_add(&r->text, line.s, line.len);
    split(j, r);
    s->line++;
    s->next = r;
    if (check) check_order(j, s);
}

/* Moves on by one row, which is kept for the check of order. */
static void advance(joiner *j, side *s) {
    s->before = s->next;
    read_next(j, s, true);
}

/* Takes `next` and every row behind it with the same key. */
static void take_group(joiner *j, side *s) {
    s->count = 0;
    if (s->before) give_back(s, s->before);
    do {
        if (s->count == s->cap) s->rows = g_more(s->rows, &s->cap, sizeof *s->rows);
        s->rows[s->count++] = s->next;
        advance(j, s);
        pf_yield();
    } while (s->next && compare(j, s->rows[0], s->key, s->next, s->key) == 0);
}

/* The last row of the group stays, as the one before `next`. */
static void drop_group(side *s) {
    for (size_t i = 0; i + 1 < s->count; i++) give_back(s, s->rows[i]);
    s->count = 0;
}

static void put_field(const joiner *j, const row *r, size_t index) {
    size_t len;
    const char *s = field_of(r, index, &len);
    if (len > 0)
        g_out(s, len);
    else if (j->empty)
        g_outs(j->empty);
}

static void put_others(const joiner *j, const row *r, size_t key, size_t count, char separator) {
    for (size_t i = 0; i < count; i++) {
        if (i == key) continue;
        g_outc(separator);
        put_field(j, r, i);
    }
}

/* One line of output; a row may be NULL. */
static void put(const joiner *j, const row *a, const row *b) {
    char separator = j->separator == -2 ? '\n' : j->separator < 0 ? ' ' : (char)j->separator;
    const side *left = &j->sides[0], *right = &j->sides[1];
    if (j->format_count > 0) {
        for (size_t i = 0; i < j->format_count; i++) {
            const output_field *f = &j->format[i];
            if (i > 0) g_outc(separator);
            if (f->file == 0)
                put_field(j, a ? a : b, a ? left->key : right->key);
            else
                put_field(j, f->file == 1 ? a : b, f->field);
        }
    } else {
        put_field(j, a ? a : b, a ? left->key : right->key);
        if (a || j->auto_format)
            put_others(j, a, left->key, j->auto_format ? left->auto_count : a->count, separator);
        if (b || j->auto_format)
            put_others(j, b, right->key, j->auto_format ? right->auto_count : b->count, separator);
    }
    g_outc(j->end);
}

static void put_unpairable(joiner *j, int which) {
    side *s = &j->sides[which];
    if (j->unpairable[which]) put(j, which == 0 ? s->next : NULL, which == 0 ? NULL : s->next);
    if (s->before) give_back(s, s->before);
    advance(j, s);
    if (j->sides[!which].next) j->seen_unpairable = true;
}

static int run(joiner *j) {
    side *a = &j->sides[0], *b = &j->sides[1];
    read_next(j, a, false);
    read_next(j, b, false);
    a->auto_count = a->next ? a->next->count : 0;
    b->auto_count = b->next ? b->next->count : 0;
    if (j->header && (a->next || b->next)) {
        put(j, a->next, b->next);
        for (int i = 0; i < 2; i++) {
            if (!j->sides[i].next) continue;
            give_back(&j->sides[i], j->sides[i].next);
            read_next(j, &j->sides[i], false);
        }
    }
    while (a->next && b->next) {
        int order = compare(j, a->next, a->key, b->next, b->key);
        if (order < 0)
            put_unpairable(j, 0);
        else if (order > 0)
            put_unpairable(j, 1);
        else {
            take_group(j, a);
            take_group(j, b);
            for (size_t i = 0; j->paired && i < a->count; i++)
                for (size_t k = 0; k < b->count; k++) put(j, a->rows[i], b->rows[k]);
            drop_group(a);
            drop_group(b);
        }
    }
    /* GNU reads on only to print or to check. */
    for (int i = 0; i < 2; i++) {
        side *s = &j->sides[i];
        if (!s->next) continue;
        if (j->check == CHECK_NEVER && !j->unpairable[i]) continue;
        while (s->next && (j->unpairable[i] || !s->told)) put_unpairable(j, i);
    }
    if (a->told || b->told) g_die(1, "input is not in sorted order");
    return 0;
}

static size_t field_number(const char *text) {
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "", &value, NULL);
    if (result == G_NUMBER_OVERFLOW) return SIZE_MAX - 1;
    if (result != G_NUMBER_OK || value == 0) g_die(1, "invalid field number: %s", g_quote(text));
    return (size_t)value - 1;
}

static void add_output(joiner *j, const char *text) {
    output_field f = {0, 0};
    switch (*text) {
    case '0':
        if (text[1]) g_die(1, "invalid field specifier: %s", g_quote(text));
        break;
    case '1':
    case '2':
        if (text[1] != '.') g_die(1, "invalid field specifier: %s", g_quote(text));
        f.file = *text - '0';
        f.field = field_number(text + 2);
        break;
    default: g_die(1, "invalid file number in field spec: %s", g_quote(text));
    }
    if (j->format_count == j->format_cap)
        j->format = g_more(j->format, &j->format_cap, sizeof *j->format);
    j->format[j->format_count++] = f;
}

static void add_outputs(joiner *j, const char *list) {
    char *copy = g_copy_string(list);
    for (char *s = copy, *end; s; s = end) {
        end = strpbrk(s, ", \t");
        if (end) *end++ = '\0';
        add_output(j, s);
    }
    free(copy);
}

static void set_key(side *s, const char *text, bool *set) {
    size_t key = field_number(text);
    if (*set && s->key != key) g_die(1, "incompatible join fields %zu, %zu", s->key + 1, key + 1);
    s->key = key;
    *set = true;
}

static int file_number(const char *text) {
    if (strcmp(text, "1") == 0) return 0;
    if (strcmp(text, "2") == 0) return 1;
    g_die(1, "invalid field number: %s", g_quote(text));
}

static void set_separator(joiner *j, const char *text) {
    int separator = (unsigned char)*text;
    if (!*text)
        separator = -2; /* '' makes the whole line the key */
    else if (text[1]) {
        if (strcmp(text, "\\0") != 0) g_die(1, "multi-character tab %s", g_quote(text));
        separator = 0;
    }
    if (j->separator != -1 && j->separator != separator) g_die(1, "incompatible tabs");
    j->separator = separator;
}

enum { CHECK = 256, NOCHECK, HEADER };
static const g_long longs[] = {{"ignore-case", 'i', G_NONE},       {"check-order", CHECK, G_NONE},
                               {"nocheck-order", NOCHECK, G_NONE}, {"zero-terminated", 'z', G_NONE},
                               {"header", HEADER, G_NONE},         {0}};

int join_main(int argc, char **argv) {
    joiner j = {.paired = true, .separator = -1, .end = '\n'};
    bool set[2] = {false, false};
    int format_at = 0;
    g_options o = g_options_of(argc, argv, "a:e:i1:2:j:o:t:v:z", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'v': j.paired = false; /* fall through */
        case 'a': j.unpairable[file_number(o.arg)] = true; break;
        case 'e':
            if (j.empty && strcmp(j.empty, o.arg) != 0)
                g_die(1, "conflicting empty-field replacement strings");
            j.empty = o.arg;
            break;
        case 'i': j.ignore_case = true; break;
        case '1':
        case '2': set_key(&j.sides[option - '1'], o.arg, &set[option - '1']); break;
        case 'j':
            /* Old style: -j1 FIELD and -j2 FIELD, where that leaves enough operands. */
            if ((*o.arg == '1' || *o.arg == '2') && !o.arg[1] && o.arg == argv[o.at - 1] + 2 &&
                argc - o.at > 2 && isdigit((unsigned char)*argv[o.at])) {
                int which = *o.arg - '1';
                set_key(&j.sides[which], argv[o.at++], &set[which]);
                break;
            }
            set_key(&j.sides[0], o.arg, &set[0]);
            set_key(&j.sides[1], o.arg, &set[1]);
            break;
        case 'o':
            if (strcmp(o.arg, "auto") == 0)
                j.auto_format = true;
            else
                add_outputs(&j, o.arg);
            format_at = o.at;
            break;
        case 't': set_separator(&j, o.arg); break;
        case 'z': j.end = '\0'; break;
        case CHECK: j.check = CHECK_ALWAYS; break;
        case NOCHECK: j.check = CHECK_NEVER; break;
        case HEADER: j.header = true; break;
        }
    /* Old style: further fields of -o may stand apart. */
    while (format_at && argc - o.at > 2 && strchr("012", argv[o.at][0]) && argv[o.at][0])
        add_outputs(&j, argv[o.at++]);
    if (argc - o.at < 2) g_missing_operand(argc > 1 ? argv[argc - 1] : NULL);
    if (argc - o.at > 2) g_usage("extra operand %s", g_quoteaf(argv[o.at + 2]));
    if (strcmp(argv[o.at], "-") == 0 && strcmp(argv[o.at + 1], "-") == 0)
        g_die(1, "both files cannot be standard input");
    for (int i = 0; i < 2; i++) {
        j.sides[i].name = argv[o.at + i];
        int fd = g_open_input(argv[o.at + i]);
        if (fd < 0) return 1;
        g_reader_init(&j.sides[i].in, fd, j.end);
    }
    return run(&j);
}
