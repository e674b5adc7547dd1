/*
 * tr.c: translates, squeezes and deletes bytes.
 *
 * As GNU's, it works on bytes. Sets become lists of items first, because [:upper:] and [c*] mean
 * something only in view of the other set.
 *
 * help tr:
 *   Usage: tr [OPTION]... STRING1 [STRING2]
 *   Translate, squeeze, and/or delete characters from standard input, writing to standard output.
 *
 *     -c, -C, --complement    use the complement of STRING1
 *     -d, --delete            delete characters in STRING1, do not translate
 *     -s, --squeeze-repeats   replace each sequence of a repeated character that is listed in the
 *                               last specified STRING with a single occurrence of that character
 *     -t, --truncate-set1     first truncate STRING1 to length of STRING2
 *         --help              display this help and exit
 *         --version           output version information and exit
 *
 *   Interpreted sequences are: \NNN (1 to 3 octal digits) \\ \a \b \f \n \r \t \v, CHAR1-CHAR2,
 *   [CHAR*] (in STRING2, copies of CHAR until length of STRING1), [CHAR*REPEAT] (octal if it starts
 *   with 0), [:alnum:] [:alpha:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:] [:print:]
 *   [:punct:] [:space:] [:upper:] [:xdigit:] and [=CHAR=].
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum item_kind { RANGE, CLASS, REPEAT };

typedef struct {
    enum item_kind kind;
    unsigned char first, last; /* RANGE; REPEAT: first */
    int class;                 /* index into classes */
    size_t count;              /* REPEAT: 0 means "as many as needed" */
} item;

typedef struct {
    item *items;
    size_t count, cap;
    bool has_equivalence, has_class, has_unbounded;
    size_t unbounded; /* index of the [c*] item */
} set;

static const struct {
    const char *name;
    int (*test)(int);
} classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
               {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
               {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
enum { CLASSES = sizeof classes / sizeof *classes, LOWER = 6, UPPER = 10 };

/* A set's text after escapes: bytes, and which of them were escaped (and so are not special). */
typedef struct {
    unsigned char *s;
    bool *escaped;
    size_t len;
} raw;

static raw unescape(const char *text) {
    size_t len = strlen(text);
    raw r = {g_alloc(len + 1), g_zalloc(len + 1), 0};
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i++];
        bool escaped = false;
        if (c == '\\') {
            static const char letters[] = "abfnrtv\\", bytes[] = "\a\b\f\n\r\t\v\\";
            const char *known = i < len ? strchr(letters, text[i]) : NULL;
            escaped = true;
            if (i == len) {
                g_warn("warning: an unescaped backslash at end of string is not portable");
                escaped = false;
            } else if (known) {
                c = (unsigned char)bytes[known - letters];
                i++;
            } else if (text[i] >= '0' && text[i] <= '7') {
                int value = 0, digits = 0;
                while (digits < 3 && text[i] >= '0' && text[i] <= '7') {
                    if (value * 8 + (text[i] - '0') > 255) {
                        g_warn("warning: the ambiguous octal escape \\%c%c%c is being\n"
                               "\tinterpreted as the 2-byte sequence \\0%c%c, %c",
                               text[i - 2], text[i - 1], text[i], text[i - 2], text[i - 1],
                               text[i]);
                        break;
                    }
                    value = value * 8 + (text[i++] - '0');
                    digits++;
                }
                c = (unsigned char)value;
            } else {
                c = (unsigned char)text[i++];
            }
        }
        r.s[r.len] = c;
        r.escaped[r.len++] = escaped;
    }
    return r;
}

static void add(set *s, item it) {
    if (s->count == s->cap) s->items = g_more(s->items, &s->cap, sizeof *s->items);
    s->items[s->count++] = it;
}

static bool is_at(const raw *r, size_t i, char c) {
    return i < r->len && r->s[i] == (unsigned char)c && !r->escaped[i];
}

/* The index of the first unescaped `a` directly followed by ']' from i on; r->len for none. */
static size_t find_close(const raw *r, size_t i, char a) {
    for (; i + 1 < r->len; i++)
        if (is_at(r, i, a) && is_at(r, i + 1, ']')) return i;
    return r->len;
}

/* [:name:] or [=c=] at i: adds it and returns the index behind it; 0 when it is neither. */
static size_t read_class(set *s, const raw *r, size_t i) {
    bool equivalence = is_at(r, i + 1, '=');
    if (!equivalence && !is_at(r, i + 1, ':')) return 0;
    size_t close = find_close(r, i + 2, equivalence ? '=' : ':');
    if (close == r->len) return 0;
    size_t len = close - (i + 2);
    const unsigned char *name = r->s + i + 2;
    if (len == 0) {
        if (equivalence) g_die(1, "missing equivalence class character '[==]'");
        g_die(1, "missing character class name '[::]'");
    }
    if (equivalence) {
        if (len != 1) {
            if (is_at(r, i + 2, '*')) return 0;
            g_die(1, "%s: equivalence class operand must be a single character",
                  g_copy_bytes((const char *)name, len));
        }
        add(s, (item){.kind = RANGE, .first = *name, .last = *name});
        s->has_equivalence = true;
        return close + 2;
    }
    for (int class = 0; class < CLASSES; class++) {
        if (strlen(classes[class].name) == len && memcmp(classes[class].name, name, len) == 0) {
            add(s, (item){.kind = CLASS, .class = class});
            s->has_class = true;
            return close + 2;
        }
    }
    if (is_at(r, i + 2, '*')) return 0;
    g_die(1, "invalid character class %s", g_quote_bytes((const char *)name, len));
}

/* [c*] or [c*n] at i: as read_class. */
static size_t read_repeat(set *s, const raw *r, size_t i) {
    if (i + 2 >= r->len || !is_at(r, i + 2, '*')) return 0;
    size_t close = i + 3;
    while (close < r->len && !is_at(r, close, ']')) {
        if (r->escaped[close]) return 0;
        close++;
    }
    if (close >= r->len) return 0;
    size_t count = 0, base = is_at(r, i + 3, '0') ? 8 : 10;
    for (size_t d = i + 3; d < close; d++) {
        size_t digit = (size_t)(r->s[d] - '0');
        if (r->s[d] < '0' || digit >= base || count > SIZE_MAX / 16)
            g_die(1, "invalid repeat count %s in [c*n] construct",
                  g_quote_bytes((const char *)r->s + i + 3, close - i - 3));
        count = count * base + digit;
    }
    if (count == 0) {
        if (s->has_unbounded)
            g_die(1, "only one [c*] repeat construct may appear in string2");
        s->has_unbounded = true;
        s->unbounded = s->count;
    }
    add(s, (item){.kind = REPEAT, .first = r->s[i + 1], .count = count});
    return close + 1;
}

static _Noreturn void refuse_range(unsigned char first, unsigned char last) {
    char shown[2][8];
    for (int i = 0; i < 2; i++) {
        unsigned char c = i ? last : first;
        snprintf(shown[i], sizeof shown[i], c >= ' ' && c < 0x7f ? "%c" : "\\%03o", c);
    }
    g_die(1, "range-endpoints of '%s-%s' are in reverse collating sequence order", shown[0],
          shown[1]);
}

static set read_set(const char *text) {
    raw r = unescape(text);
    set s = {0};
    for (size_t i = 0; i < r.len;) {
        size_t next = 0;
        if (is_at(&r, i, '[')) {
            next = read_class(&s, &r, i);
            if (!next) next = read_repeat(&s, &r, i);
        }
        if (!next && i + 2 < r.len && is_at(&r, i + 1, '-')) {
            if (r.s[i + 2] < r.s[i]) refuse_range(r.s[i], r.s[i + 2]);
            add(&s, (item){.kind = RANGE, .first = r.s[i], .last = r.s[i + 2]});
            next = i + 3;
        }
        if (!next) {
            add(&s, (item){.kind = RANGE, .first = r.s[i], .last = r.s[i]});
            next = i + 1;
        }
        i = next;
    }
    free(r.s);
    free(r.escaped);
    return s;
}

/* The set as bytes in order; at most `limit` of them. Repeats without a number count 0. */
static size_t list_bytes(const set *s, unsigned char *out, size_t limit) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const item *it = &s->items[i];
        if (it->kind == RANGE) {
            for (int c = it->first; c <= it->last && n < limit; c++) out[n++] = (unsigned char)c;
        } else if (it->kind == CLASS) {
            for (int c = 0; c < 256 && n < limit; c++)
                if (c < 128 && classes[it->class].test(c)) out[n++] = (unsigned char)c;
        } else {
            for (size_t k = 0; k < it->count && n < limit; k++) out[n++] = it->first;
        }
    }
    return n;
}

static size_t length_of(const set *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const item *it = &s->items[i];
        if (it->kind == RANGE) n += (size_t)(it->last - it->first) + 1;
        else if (it->kind == REPEAT) n += it->count;
        else
            for (int c = 0; c < 128; c++) n += classes[it->class].test(c) != 0;
    }
    return n;
}

static void membership(const set *s, bool complement, bool in[256]) {
    size_t len = length_of(s);
    unsigned char *bytes = g_alloc(len);
    len = list_bytes(s, bytes, len);
    memset(in, complement, 256);
    for (size_t i = 0; i < len; i++) in[bytes[i]] = !complement;
    free(bytes);
}

/* Classes in STRING2 are only allowed as [:upper:] and [:lower:] against their counterpart. */
static void check_classes(const set *s2) {
    for (size_t i = 0; i < s2->count; i++) {
        if (s2->items[i].kind == CLASS && s2->items[i].class != UPPER && s2->items[i].class != LOWER)
            g_die(1, "when translating, the only character classes that may appear in\n"
                     "string2 are 'upper' and 'lower'");
    }
}

static void check_end(const set *s2, bool shorter) {
    if (shorter && s2->count && s2->items[s2->count - 1].kind == CLASS)
        g_die(1, "when translating with string1 longer than string2,\nthe latter string must not "
                 "end with a character class");
}

/* Pairs the sets up: to[c] for every byte c. */
static void make_map(const set *s1, set *s2, bool complement, bool truncate,
                     unsigned char to[256]) {
    for (int c = 0; c < 256; c++) to[c] = (unsigned char)c;
    bool in[256];
    unsigned char *from;
    size_t from_len;
    if (complement) {
        membership(s1, true, in);
        from = g_alloc(256);
        from_len = 0;
        for (int c = 0; c < 256; c++)
            if (in[c]) from[from_len++] = (unsigned char)c;
    } else {
        from_len = length_of(s1);
        from = g_alloc(from_len);
        list_bytes(s1, from, from_len);
    }
    size_t len2 = length_of(s2);
    if (s2->has_unbounded && len2 < from_len)
        s2->items[s2->unbounded].count = from_len - len2;
    len2 = length_of(s2);
    if (len2 == 0 && !truncate) g_die(1, "when not truncating set1, string2 must be non-empty");
    unsigned char *into = g_alloc(len2 ? len2 : 1);
    list_bytes(s2, into, len2);
    bool shorter = len2 < from_len && !truncate;
    if (complement) check_end(s2, shorter);
    if (complement && s1->has_class) {
        bool one = truncate ? len2 == from_len : len2 <= from_len;
        for (size_t i = 1; i < len2; i++) one = one && into[i] == into[0];
        if (!one)
            g_die(1, "when translating with complemented character classes,\nstring2 must map all "
                     "characters in the domain to one");
    }
    for (size_t i = 0; i < from_len; i++) {
        if (i < len2) to[from[i]] = into[i];
        else if (!truncate) to[from[i]] = into[len2 - 1];
    }
    /* [:lower:] against [:upper:] is a change of case whatever else their lengths are. */
    size_t at1 = 0, at2 = 0;
    for (size_t i = 0, j = 0; !complement && i < s1->count && j < s2->count;) {
        const item *a = &s1->items[i], *b = &s2->items[j];
        set one = {.items = (item *)a, .count = 1}, two = {.items = (item *)b, .count = 1};
        if (b->kind == CLASS) {
            if (at1 != at2 || a->kind != CLASS || (a->class != LOWER && a->class != UPPER))
                g_die(1, "misaligned [:upper:] and/or [:lower:] construct");
            at1 += length_of(&one);
            at2 += length_of(&two);
            i++;
            j++;
            continue;
        }
        if (at1 + length_of(&one) <= at2 + length_of(&two)) {
            at1 += length_of(&one);
            i++;
            if (at1 == at2 + length_of(&two)) {
                at2 = at1;
                j++;
            }
        } else {
            at2 += length_of(&two);
            j++;
        }
    }
    check_end(s2, shorter);
    free(from);
    free(into);
}

typedef struct {
    bool delete, squeeze, translate;
    bool gone[256], squeezed[256];
    unsigned char to[256];
} work;

static int run(const work *w) {
    size_t size = 64u << 10;
    unsigned char *block = g_alloc(size);
    int last = -1; /* the last byte written, when it may be squeezed */
    for (;;) {
        ssize_t n = g_read(STDIN_FILENO, block, size);
        if (n < 0) g_die_errno(1, errno, "read error");
        if (n == 0) return 0;
        unsigned char *out = block, *end = block + n;
        if (!w->delete && !w->squeeze) {
            for (unsigned char *p = block; p < end; p++) *p = w->to[*p];
            out = end;
        } else if (!w->squeeze) {
            for (unsigned char *p = block; p < end; p++) {
                *out = *p;
                out += !w->gone[*p];
            }
        } else {
            for (unsigned char *p = block; p < end; p++) {
                if (w->delete && w->gone[*p]) continue;
                unsigned char c = w->translate ? w->to[*p] : *p;
                if (c == last && w->squeezed[c]) continue;
                *out++ = c;
                last = c;
            }
        }
        if (out > block) g_out(block, (size_t)(out - block));
        if ((size_t)n < size) g_out_flush();
    }
}

static const g_long longs[] = {{"complement", 'c', G_NONE},
                               {"delete", 'd', G_NONE},
                               {"squeeze-repeats", 's', G_NONE},
                               {"truncate-set1", 't', G_NONE},
                               {0}};

int tr_main(int argc, char **argv) {
    bool complement = false, truncate = false;
    work w = {0};
    g_options o = g_options_of(argc, argv, "+AcCdst", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'c' || option == 'C') complement = true;
        if (option == 'd') w.delete = true;
        if (option == 's') w.squeeze = true;
        if (option == 't') truncate = true;
    }
    int count = argc - o.at;
    char **sets = argv + o.at;
    w.translate = count == 2 && !w.delete;
    int least = 1 + (w.delete == w.squeeze), most = 1 + (w.delete <= w.squeeze);
    if (count < least) {
        if (count == 0) g_missing_operand(NULL);
        g_warn("missing operand after %s", g_quote(sets[0]));
        fprintf(stderr, "%s\n", w.squeeze ? "Two strings must be given when both deleting and "
                                            "squeezing repeats."
                                          : "Two strings must be given when translating.");
        g_try_help(1);
    }
    if (count > most) {
        g_warn("extra operand %s", g_quote(sets[most]));
        if (count == 2)
            fprintf(stderr, "Only one string may be given when deleting without squeezing "
                            "repeats.\n");
        g_try_help(1);
    }
    set s1 = read_set(sets[0]), s2 = {0};
    if (count == 2) s2 = read_set(sets[1]);
    if (s1.has_unbounded) g_die(1, "the [c*] repeat construct may not appear in string1");
    if (count == 2 && w.translate) {
        if (s2.has_equivalence)
            g_die(1, "[=c=] expressions may not appear in string2 when translating");
        check_classes(&s2);
    } else if (s2.has_unbounded) {
        g_die(1, "the [c*] construct may appear in string2 only when translating");
    }
    membership(&s1, complement, w.gone);
    if (w.translate) make_map(&s1, &s2, complement, truncate, w.to);
    if (w.squeeze) membership(count == 2 ? &s2 : &s1, count == 2 ? false : complement, w.squeezed);
    return run(&w);
}
