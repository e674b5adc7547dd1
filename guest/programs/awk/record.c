/*
 * record.c: $0, the fields and NF.
 *
 * The record is bytes in the reader's buffer and is cut only as far as the program asks. A field
 * becomes a value when it is used as one; a change to a field leaves $0 to be joined again later.
 */
#include "awk.h"

#include <stdlib.h>

typedef struct {
    size_t start, len; /* in the record, while not `made` */
    value v;
    bool made; /* v holds the field */
} field;

static struct {
    const char *s; /* the record's bytes: in the reader's buffer, or in `text` */
    size_t len;
    awk_text *text; /* holds the bytes, when not NULL */
    value whole;    /* $0 as a value; ABSENT: not made yet */
    field *fields;  /* [0] is not used */
    size_t cap;
    int64_t nf; /* fields found so far */
    split_state state;
    bool split; /* all were found */
    bool stale; /* a field changed: $0 must be joined */
} rec;

void record_begin(void) {
    rec.s = "";
    rec.split = true;
    rec.fields = g_more(NULL, &rec.cap, sizeof *rec.fields);
}

static void drop_fields(void) {
    for (int64_t i = 1; i <= rec.nf; i++) {
        field *f = &rec.fields[i];
        if (f->made) value_drop(&f->v);
    }
    rec.nf = 0;
}

static void forget(void) {
    if (rec.nf) drop_fields();
    if (rec.whole.kind != ABSENT) value_drop(&rec.whole);
    rec.whole.kind = ABSENT;
    if (rec.text) text_drop(rec.text);
    rec.text = NULL;
    rec.state = (split_state){0};
    rec.split = rec.stale = false;
}

void record_set_borrowed(const char *s, size_t len) {
    forget();
    rec.s = s;
    rec.len = len;
}

void record_set(awk_text *text) {
    forget();
    rec.text = text;
    rec.s = text->s;
    rec.len = text->len;
}

void record_own(void) {
    if (rec.text || rec.stale) return;
    /* While stale, fields that are not made still lie in the buffer. */
    rec.text = text_of(rec.s, rec.len);
    rec.s = rec.text->s;
}

static void need_field(int64_t n) {
    if ((size_t)n + 1 < rec.cap) return;
    while ((size_t)n + 1 >= rec.cap) rec.cap = rec.cap * 2 + 64;
    rec.fields = g_resize(rec.fields, rec.cap, sizeof *rec.fields);
}

/* Cuts until field n is there, or the end. */
static void split_to(int64_t n) {
    const splitter *sp = split_current();
    range r, separator;
    while (rec.nf < n) {
        if (!split_next(sp, rec.s, rec.len, &rec.state, &r, &separator)) {
            rec.split = true;
            return;
        }
        need_field(++rec.nf);
        field *f = &rec.fields[rec.nf];
        f->start = (size_t)r.start;
        f->len = (size_t)(r.end - r.start);
        f->made = false;
    }
}

void record_split_all(void) {
    if (!rec.split) split_to(INT64_MAX);
}

int64_t record_nf(void) {
    if (!rec.split) split_to(INT64_MAX);
    return rec.nf;
}

static const char *field_bytes(field *f, size_t *len, char room[NUMBER_TEXT_MAX]) {
    if (f->made) return value_bytes(&f->v, awk.convfmt, room, len);
    *len = f->len;
    return rec.s + f->start;
}

/* Joins the fields by OFS. */
static void rebuild(void) {
    char room[NUMBER_TEXT_MAX];
    size_t len, total = 0;
    for (int64_t i = 1; i <= rec.nf; i++) {
        field_bytes(&rec.fields[i], &len, room);
        total += len;
    }
    if (rec.nf > 1) total += (size_t)(rec.nf - 1) * awk.ofs->len;
    awk_text *text = text_new(total);
    size_t at = 0;
    for (int64_t i = 1; i <= rec.nf; i++) {
        field *f = &rec.fields[i];
        if (i > 1) {
            memcpy(text->s + at, awk.ofs->s, awk.ofs->len);
            at += awk.ofs->len;
        }
        const char *s = field_bytes(f, &len, room);
        memcpy(text->s + at, s, len);
        f->start = at;
        f->len = len;
        at += len;
    }
    if (rec.text) text_drop(rec.text);
    rec.text = text;
    rec.s = text->s;
    rec.len = total;
    rec.stale = false;
    if (rec.whole.kind != ABSENT) value_drop(&rec.whole);
    rec.whole = value_text(text_keep(text)); /* what was joined is no input */
}

const char *record_bytes(size_t *len) {
    if (rec.stale) rebuild();
    *len = rec.len;
    return rec.s;
}

static value *whole(void) {
    if (rec.stale) rebuild();
    if (rec.whole.kind == ABSENT) {
        record_own();
        rec.whole = value_input(text_keep(rec.text));
    }
    return &rec.whole;
}

static value unset_field;

value *record_field(int64_t n) {
    if (n == 0) return whole();
    if (n > rec.nf && !rec.split) split_to(n);
    if (n > rec.nf) {
        /* A field that is not there compares as text. */
        unset_field = (value){.num = 1, .text = text_empty(), .kind = STRING};
        text_drop(unset_field.text);
        return &unset_field;
    }
    field *f = &rec.fields[n];
    if (!f->made) {
        f->v = value_input(text_of(rec.s + f->start, f->len));
        f->made = true;
    }
    return &f->v;
}

double record_field_number(int64_t n) {
    size_t end;
    if (n == 0) {
        if (rec.stale) rebuild();
        return rec.whole.kind != ABSENT ? value_to_number(&rec.whole)
                                        : number_read(rec.s, rec.len, &end);
    }
    if (n > rec.nf && !rec.split) split_to(n);
    if (n > rec.nf) return 0;
    field *f = &rec.fields[n];
    if (f->made) return value_to_number(&f->v);
    return number_read(rec.s + f->start, f->len, &end);
}

static void extend(int64_t nf) {
    need_field(nf);
    for (int64_t i = rec.nf + 1; i <= nf; i++)
        rec.fields[i] =
            (field){.v = {.num = 1, .text = text_empty(), .kind = STRING}, .made = true};
    rec.nf = nf;
}

void record_assign(int64_t n, value v) {
    if (n == 0) {
        awk_text *text = value_to_text(&v, awk.convfmt);
        record_set(text);
        if (v.kind == NUMBER)
            rec.whole = v;
        else if (v.kind != INPUT && v.kind != STRNUM)
            rec.whole = value_text(text_keep(text));
        value_drop(&v);
        return;
    }
    if (n > AWK_FIELD_MAX) awk_fatal("field number %.0f is too large", (double)n);
    record_split_all();
    record_own();
    if (n > rec.nf) extend(n);
    field *f = &rec.fields[n];
    value old = f->made ? f->v : value_unset();
    if (v.kind == UNSET) v = value_text(text_empty());
    f->v = v;
    f->made = true;
    value_drop(&old);
    rec.stale = true;
}

void record_set_nf(double n) {
    if (!(n >= 0)) awk_fatal("NF set to negative value");
    if (n > AWK_FIELD_MAX) awk_fatal("NF set to %.0f, which is too large", n);
    record_split_all();
    record_own();
    int64_t nf = (int64_t)n;
    for (int64_t i = nf + 1; i <= rec.nf; i++)
        if (rec.fields[i].made) value_drop(&rec.fields[i].v);
    if (nf > rec.nf) extend(nf);
    rec.nf = nf;
    rec.stale = true;
}
