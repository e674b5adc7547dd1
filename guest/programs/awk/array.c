/*
 * array.c: arrays, whose subscripts come in the order in which gawk yields them.
 *
 * POSIX leaves the order of `for (k in a)` open, yet scripts are read and compared with what gawk
 * prints. So the layout follows what gawk can be observed to do:
 *   - whole numbers from 0 lie in pages and come in ascending order. A number that would make the
 *     pages too empty (SPARSE) goes to the overflow;
 *   - the overflow holds numbers, with other texts beside them, or only texts, as its first
 *     subscript decides. Tables are chains in a prime number of buckets; they grow when an
 * insertion makes the chains longer than 2 on average. Texts are hashed as sdbm does;
 *   - an array whose first subscript is no number holds texts only;
 *   - the order is: texts, overflowing numbers, pages.
 * Elements stay where they are while others come and go.
 */
#include "awk.h"

#include <stdlib.h>

enum { SPARSE = 2048, SMALL = 10 /* numbers below 2^10 are paged alike */ };

typedef struct element {
    struct element *next;
    awk_text *text; /* NULL in a table of numbers */
    uint32_t hash;
    int32_t number;
    value v;
} element;

typedef struct {
    element **buckets;
    uint32_t size, count;
    uint8_t step; /* index into sizes */
} table;

typedef struct {
    int32_t base;
    uint32_t size, count;
    value slots[]; /* ABSENT or an element */
} page;

enum overflow { NO_OVERFLOW, NUMBERS, TEXTS };

struct awk_array {
    uint32_t refs;
    bool paged;
    uint8_t overflow; /* enum overflow */
    size_t count;
    table numbers, texts;
    page **pages; /* open addressing by base; page_slots is a power of 2 */
    uint32_t page_slots, page_count;
    size_t paged_count, capacity; /* elements in pages, and room for them */
    page *last;
};

static const uint32_t sizes[] = {13,      127,     1021,     8191,     16381,   32749,
                                 65497,   131101,  262147,   524309,   1048583, 2097169,
                                 4194319, 8388617, 16777259, 33554467, 67108879};

awk_array *array_new(void) {
    awk_array *a = g_zalloc(sizeof *a);
    a->refs = 1;
    return a;
}

void array_keep(awk_array *a) {
    a->refs++;
}

void array_drop(awk_array *a) {
    if (--a->refs) return;
    array_clear(a);
    free(a);
}

size_t array_count(const awk_array *a) {
    return a->count;
}

/* Tables */

uint32_t text_hash(const char *s, size_t len) {
    uint32_t h = 0;
    for (size_t i = 0; i < len; i++) h = (uint32_t)(signed char)s[i] + 65599u * h;
    return h;
}

/* The mixing at the end of Paul Hsieh's hash. */
static uint32_t number_hash(int32_t number) {
    uint32_t k = (uint32_t)number;
    k ^= k << 3;
    k += k >> 5;
    k ^= k << 4;
    k += k >> 17;
    k ^= k << 25;
    k += k >> 6;
    return k;
}

/* Texts come newest first; numbers in pairs, the newest pair first. */
static void link_in(table *t, element *e) {
    element **at = &t->buckets[e->hash % t->size];
    if (!e->text) {
        unsigned length = 0;
        for (element *i = *at; i; i = i->next) length++;
        if (length % 2) at = &(*at)->next;
    }
    e->next = *at;
    *at = e;
}

static element *insert(table *t, uint32_t hash) {
    t->count++;
    if (t->size == 0 || (t->count / t->size > 2 && t->step + 1u < sizeof sizes / sizeof *sizes)) {
        table old = *t;
        if (t->size) t->step++;
        t->size = sizes[t->step];
        t->buckets = g_zalloc(t->size * sizeof *t->buckets);
        for (uint32_t i = 0; i < old.size; i++) {
            for (element *e = old.buckets[i], *next; e; e = next) {
                next = e->next;
                link_in(t, e);
            }
        }
        free(old.buckets);
    }
    element *e = g_alloc(sizeof *e);
    e->hash = hash;
    e->text = NULL;
    e->v = value_unset();
    return e;
}

static element **find_text(const table *t, const char *s, size_t len, uint32_t hash) {
    if (t->count == 0) return NULL;
    for (element **at = &t->buckets[hash % t->size]; *at; at = &(*at)->next) {
        element *e = *at;
        if (e->hash == hash && e->text->len == len && memcmp(e->text->s, s, len) == 0) return at;
    }
    return NULL;
}

static element **find_number(const table *t, int32_t number, uint32_t hash) {
    if (t->count == 0) return NULL;
    for (element **at = &t->buckets[hash % t->size]; *at; at = &(*at)->next)
        if ((*at)->number == number) return at;
    return NULL;
}

static void unlink_element(table *t, element **at) {
    element *e = *at;
    *at = e->next;
    t->count--;
    if (e->text) text_drop(e->text);
    value_drop(&e->v);
    free(e);
}

/* Unlinks a number. Its pair, unless it is the newest, is filled up with the last of the newest. */
static void unlink_number(table *t, element **at) {
    element **head = &t->buckets[(*at)->hash % t->size];
    unsigned length = 0, index = 0;
    for (element **i = head; *i; i = &(*i)->next, length++)
        if (i == at) index = length;
    unsigned newest = length % 2 ? 1 : 2;
    element *e = *at;
    if (index < newest) {
        unlink_element(t, at);
        return;
    }
    element **donor = newest == 1 ? head : &(*head)->next, *moved = *donor;
    if ((index - newest) % 2 == 0) { /* the first of its pair: the other moves up */
        element *other = e->next;
        moved = *donor;
        unlink_element(t, at);
        *donor = moved->next;
        moved->next = other->next;
        other->next = moved;
    } else { /* takes its place */
        element *rest = e->next, *other;
        unlink_element(t, at);
        *donor = moved->next;
        for (other = *head; other && other->next != rest; other = other->next) {
        }
        moved->next = rest;
        if (other)
            other->next = moved;
        else
            *head = moved;
    }
}

static void table_clear(table *t) {
    for (uint32_t i = 0; t->buckets && i < t->size; i++)
        while (t->buckets[i]) unlink_element(t, &t->buckets[i]);
    free(t->buckets);
    memset(t, 0, sizeof *t);
}

/* Pages */

static int log2_of(int32_t number) {
    int log = 0;
    while (number >>= 1) log++;
    return log;
}

/* Elements in the page of a number: 32 for small ones, then more with the number's size. */
static uint32_t page_size(int32_t number) {
    if (number < 1 << SMALL) return 32;
    int log = log2_of(number);
    do log = (log + 1) / 2;
    while (log > SMALL);
    return 1u << log;
}

/* What a new page would add, as it is estimated for the decision. */
static uint32_t page_estimate(int32_t number) {
    int log = number < 1 << SMALL ? SMALL : log2_of(number);
    while (log >= SMALL) log = (log + 1) / 2;
    return 1u << log;
}

static uint32_t page_slot(const awk_array *a, int32_t base) {
    uint32_t mask = a->page_slots - 1, at = (((uint32_t)base >> 5) * 0x9e3779b1u) >> 8 & mask;
    while (a->pages[at] && a->pages[at]->base != base) at = (at + 1) & mask;
    return at;
}

static page *find_page(awk_array *a, int32_t number) {
    page *p = a->last;
    if (p && (uint32_t)(number - p->base) < p->size) return p;
    if (a->page_count == 0) return NULL;
    p = a->pages[page_slot(a, (int32_t)((uint32_t)number & ~(page_size(number) - 1)))];
    if (p) a->last = p;
    return p;
}

static value *find_paged(awk_array *a, int32_t number) {
    if (!a->paged || number < 0) return NULL;
    page *p = find_page(a, number);
    if (!p) return NULL;
    value *v = &p->slots[number - p->base];
    return v->kind == ABSENT ? NULL : v;
}

static value *insert_paged(awk_array *a, int32_t number) {
    page *p = find_page(a, number);
    if (!p) {
        if (a->page_count * 2 >= a->page_slots) {
            page **old = a->pages;
            uint32_t old_slots = a->page_slots;
            a->page_slots = old_slots ? old_slots * 2 : 8;
            a->pages = g_zalloc(a->page_slots * sizeof *a->pages);
            for (uint32_t i = 0; i < old_slots; i++)
                if (old[i]) a->pages[page_slot(a, old[i]->base)] = old[i];
            free(old);
        }
        uint32_t size = page_size(number);
        p = g_zalloc(sizeof *p + size * sizeof *p->slots);
        p->base = (int32_t)((uint32_t)number & ~(size - 1));
        p->size = size;
        a->pages[page_slot(a, p->base)] = p;
        a->page_count++;
        a->capacity += size;
        a->last = p;
    }
    p->count++;
    a->paged_count++;
    value *v = &p->slots[number - p->base];
    *v = value_unset();
    return v;
}

static void remove_page(awk_array *a, page *p) {
    uint32_t mask = a->page_slots - 1, hole = page_slot(a, p->base);
    a->pages[hole] = NULL;
    a->page_count--;
    a->capacity -= p->size;
    a->last = NULL;
    free(p);
    for (uint32_t i = (hole + 1) & mask; a->pages[i]; i = (i + 1) & mask) {
        page *moved = a->pages[i];
        a->pages[i] = NULL;
        a->pages[page_slot(a, moved->base)] = moved;
    }
}

/* Subscripts */

/* A subscript is a whole number when its text is just what such a number is written as. */
static bool read_number(const char *s, size_t len, int32_t *out) {
    bool negative = len > 0 && s[0] == '-';
    size_t at = negative;
    if (len == at || len - at > 10 || (s[at] == '0' && len > 1)) return false;
    int64_t n = 0;
    for (; at < len; at++) {
        unsigned digit = (unsigned char)s[at] - '0';
        if (digit > 9) return false;
        n = n * 10 + digit;
    }
    if (n > (int64_t)INT32_MAX + negative) return false;
    *out = (int32_t)(negative ? -n : n);
    return true;
}

/* What a value is as a subscript: a number, or bytes. */
typedef struct {
    bool is_number;
    int32_t number;
    const char *s;
    size_t len;
    awk_text *text; /* when the value has it */
    char room[NUMBER_TEXT_MAX];
} subscript;

static void read_subscript(value *v, subscript *out) {
    out->text = NULL;
    if (v->kind == NUMBER && v->num >= INT32_MIN && v->num <= INT32_MAX &&
        v->num == (double)(int32_t)v->num) {
        out->is_number = true;
        out->number = (int32_t)v->num;
        out->s = NULL;
        return;
    }
    if (v->kind >= STRING && v->kind <= STRNUM) {
        out->text = v->text;
        out->s = v->text->s;
        out->len = v->text->len;
    } else {
        out->s = value_bytes(v, awk.convfmt, out->room, &out->len);
    }
    out->is_number = read_number(out->s, out->len, &out->number);
}

static void need_bytes(subscript *sub) {
    if (sub->s) return;
    sub->len = number_put_integer(sub->number, sub->room);
    sub->s = sub->room;
}

static value *find(awk_array *a, subscript *sub) {
    if (a->count == 0) return NULL;
    if (sub->is_number) {
        value *v = find_paged(a, sub->number);
        if (v) return v;
        if (a->overflow == NUMBERS) {
            element **e = find_number(&a->numbers, sub->number, number_hash(sub->number));
            return e ? &(*e)->v : NULL;
        }
    }
    if (a->texts.count == 0) return NULL;
    need_bytes(sub);
    element **e = find_text(&a->texts, sub->s, sub->len, text_hash(sub->s, sub->len));
    return e ? &(*e)->v : NULL;
}

static value *add(awk_array *a, subscript *sub) {
    if (a->count == 0) {
        a->paged = sub->is_number && sub->number >= 0;
        a->overflow = a->paged ? NO_OVERFLOW : sub->is_number ? NUMBERS : TEXTS;
    }
    a->count++;
    if (a->paged && sub->is_number && sub->number >= 0 &&
        a->capacity + page_estimate(sub->number) <= a->paged_count + SPARSE)
        return insert_paged(a, sub->number);
    if (a->overflow == NO_OVERFLOW) a->overflow = sub->is_number ? NUMBERS : TEXTS;
    if (a->overflow == NUMBERS && sub->is_number) {
        element *e = insert(&a->numbers, number_hash(sub->number));
        e->number = sub->number;
        link_in(&a->numbers, e);
        return &e->v;
    }
    need_bytes(sub);
    element *e = insert(&a->texts, text_hash(sub->s, sub->len));
    e->text = sub->text ? text_keep(sub->text) : text_of(sub->s, sub->len);
    link_in(&a->texts, e);
    return &e->v;
}

value *array_find(awk_array *a, value *v) {
    subscript sub;
    read_subscript(v, &sub);
    return find(a, &sub);
}

value *array_at(awk_array *a, value *v) {
    if (v->kind >= STRING && v->kind <= STRNUM && !a->paged && a->overflow == TEXTS && a->count) {
        /* The usual case: counting words. */
        awk_text *t = v->text;
        uint32_t hash = text_hash(t->s, t->len);
        element **at = find_text(&a->texts, t->s, t->len, hash);
        if (at) return &(*at)->v;
        a->count++;
        element *e = insert(&a->texts, hash);
        e->text = text_keep(t);
        link_in(&a->texts, e);
        return &e->v;
    }
    subscript sub;
    read_subscript(v, &sub);
    value *found = find(a, &sub);
    return found ? found : add(a, &sub);
}

value *array_at_int(awk_array *a, int32_t number) {
    value *found = find_paged(a, number);
    if (found) return found;
    subscript sub = {.is_number = true, .number = number};
    found = find(a, &sub);
    return found ? found : add(a, &sub);
}

static void text_subscript(const char *s, size_t len, subscript *sub) {
    sub->text = NULL;
    sub->s = s;
    sub->len = len;
    sub->is_number = read_number(s, len, &sub->number);
}

value *array_at_text(awk_array *a, const char *s, size_t len) {
    subscript sub;
    text_subscript(s, len, &sub);
    value *found = find(a, &sub);
    return found ? found : add(a, &sub);
}

value *array_find_text(awk_array *a, const char *s, size_t len) {
    subscript sub;
    text_subscript(s, len, &sub);
    return find(a, &sub);
}

static bool delete_paged(awk_array *a, int32_t number) {
    value *v = find_paged(a, number);
    if (!v) return false;
    page *p = find_page(a, number);
    value old = *v;
    v->kind = ABSENT;
    a->paged_count--;
    if (--p->count == 0) remove_page(a, p);
    value_drop(&old);
    return true;
}

void array_delete(awk_array *a, value *v) {
    if (a->count == 0) return;
    subscript sub;
    read_subscript(v, &sub);
    element **e = NULL;
    table *t = &a->numbers;
    if (!(sub.is_number && delete_paged(a, sub.number))) {
        if (sub.is_number && a->overflow == NUMBERS) {
            e = find_number(t, sub.number, number_hash(sub.number));
        } else {
            need_bytes(&sub);
            t = &a->texts;
            e = find_text(t, sub.s, sub.len, text_hash(sub.s, sub.len));
        }
        if (!e) return;
        if ((*e)->text)
            unlink_element(t, e);
        else
            unlink_number(t, e);
    }
    a->count--;
    if (a->count == 0)
        array_clear(a);
    else if (a->paged && a->numbers.count + a->texts.count == 0) {
        table_clear(&a->numbers);
        table_clear(&a->texts);
        a->overflow = NO_OVERFLOW;
    }
}

void array_clear(awk_array *a) {
    table_clear(&a->numbers);
    table_clear(&a->texts);
    for (uint32_t i = 0; i < a->page_slots; i++) {
        page *p = a->pages[i];
        if (!p) continue;
        for (uint32_t j = 0; j < p->size; j++) value_drop(&p->slots[j]);
        free(p);
    }
    free(a->pages);
    uint32_t refs = a->refs;
    memset(a, 0, sizeof *a);
    a->refs = refs;
}

/* All elements */

static int by_base(const void *x, const void *y) {
    int32_t a = (*(page *const *)x)->base, b = (*(page *const *)y)->base;
    return (a > b) - (a < b);
}

static page **sorted_pages(const awk_array *a) {
    page **pages = g_alloc((a->page_count + 1) * sizeof *pages);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->page_slots; i++)
        if (a->pages[i]) pages[count++] = a->pages[i];
    qsort(pages, count, sizeof *pages, by_base);
    return pages;
}

static value number_subscript(int32_t number) {
    char room[NUMBER_TEXT_MAX];
    size_t len = number_put_integer(number, room);
    return (value){.num = number, .text = text_of(room, len), .kind = STRING};
}

value *array_subscripts(const awk_array *a, size_t *count) {
    value *out = g_alloc((a->count + 1) * sizeof *out);
    size_t n = 0;
    for (uint32_t i = 0; i < a->texts.size; i++)
        for (element *e = a->texts.buckets[i]; e; e = e->next)
            out[n++] = value_text(text_keep(e->text));
    for (uint32_t i = 0; i < a->numbers.size; i++)
        for (element *e = a->numbers.buckets[i]; e; e = e->next)
            out[n++] = number_subscript(e->number);
    page **pages = sorted_pages(a);
    for (uint32_t i = 0; i < a->page_count; i++)
        for (uint32_t j = 0; j < pages[i]->size; j++)
            if (pages[i]->slots[j].kind != ABSENT)
                out[n++] = number_subscript(pages[i]->base + (int32_t)j);
    free(pages);
    *count = n;
    return out;
}
