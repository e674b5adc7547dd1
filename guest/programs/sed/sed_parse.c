/*
 * sed_parse.c: from scripts to commands.
 *
 * Texts of several -e options are joined by newlines, as POSIX says, so that a text of `a` may
 * begin in one and end in the next; positions in messages count in each -e by itself, or by lines
 * of a file.
 */
#include "sed.h"
#include "g_quote.h"
#include "lib/hex/hex.h"
#include "lib/utf8/utf8.h"
#include "g_regex.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sed_program *p;
    const char *s, *end; /* what is left of the text */
    const char *start;
    const char *file;      /* of -f, or NULL */
    unsigned line, number; /* number: which -e */
} parser;

/* What has been read before, for text that goes on in the next -e. */
static struct {
    unsigned expressions;
    bool text_open; /* the last command's text ended in a backslash-newline */
    size_t command;
    size_t blocks[256]; /* open { commands, with their place for the message */
    unsigned block_number[256], block_char[256];
    size_t block_count;
} pending;

_Noreturn static void bad(const parser *p, const char *what) {
    if (p->file) g_die(1, "file %s line %u: %s", p->file, p->line, what);
    g_die(1, "-e expression #%u, char %u: %s", p->number, (unsigned)(p->s - p->start), what);
}

static int peek(const parser *p) {
    return p->s < p->end ? (unsigned char)*p->s : -1;
}

static int take(parser *p) {
    if (p->s >= p->end) return -1;
    if (*p->s == '\n') p->line++;
    return (unsigned char)*p->s++;
}

static void untake(parser *p, int c) {
    if (c < 0) return;
    p->s--;
    if (c == '\n') p->line--;
}

static int skip_blanks(parser *p) {
    int c;
    while ((c = take(p)) >= 0 && isblank(c)) {
    }
    return c;
}

static int skip_spaces(parser *p) {
    int c;
    while ((c = take(p)) >= 0 && isspace(c)) {
    }
    return c;
}

static uint64_t read_number(parser *p, int c) {
    uint64_t value = 0;
    for (; c >= 0 && isdigit(c); c = take(p)) value = value * 10 + (uint64_t)(c - '0');
    untake(p, c);
    return value;
}

/* A bracket expression behind its '[': the delimiter is a character like others in it. */
static bool read_bracket(parser *p, g_text *out) {
    int c = take(p);
    g_text_addc(out, '[');
    if (c == '^') {
        g_text_addc(out, '^');
        c = take(p);
    }
    for (bool first = true; c >= 0 && c != '\n'; first = false, c = take(p)) {
        g_text_addc(out, (char)c);
        if (c == ']' && !first) return true;
        int kind = c == '[' ? peek(p) : 0;
        if (kind != ':' && kind != '.' && kind != '=') continue;
        g_text_addc(out, (char)take(p));
        for (int last = 0; (c = take(p)) >= 0 && c != '\n'; last = c) {
            g_text_addc(out, (char)c);
            if (c == ']' && last == kind) break;
        }
    }
    return false;
}

/*
 * Text up to an unescaped `delimiter`. \DELIMITER becomes the delimiter; with `regex` "\n" stays
 * for the regex, otherwise it becomes a newline. False when the end comes first.
 */
static bool read_delimited(parser *p, int delimiter, bool regex, g_text *out) {
    g_text_add(out, "", 0);
    for (int c; (c = take(p)) >= 0;) {
        if (c == delimiter) return true;
        if (c == '[' && regex) {
            if (!read_bracket(p, out)) return false;
            continue;
        }
        if (c == '\n') {
            untake(p, c);
            return false;
        }
        if (c == '\\') {
            c = take(p);
            if (c < 0) return false;
            if (c == delimiter) { /* in a regex it may be special then: s.a\.b.X. means a.b */
                if (!regex && c == '&') g_text_addc(out, '\\');
                g_text_addc(out, (char)c);
                continue;
            }
            if (c == 'n' && regex) {
                g_text_adds(out, "\\n");
                continue;
            }
            if (c == '\n' && regex) {
                g_text_addc(out, '\\');
                g_text_addc(out, '\n');
                continue;
            }
            g_text_addc(out, '\\');
        }
        g_text_addc(out, (char)c);
    }
    return false;
}

/*
 * \cX, \dNNN, \oNNN, \xHH at s (behind the backslash): how many bytes they take, 0 for none; the
 * character in *value.
 */
static size_t numeric_escape(const char *s, size_t len, int *value) {
    int base = *s == 'd' ? 10 : *s == 'o' ? 8 : *s == 'x' ? 16 : 0;
    size_t most = *s == 'x' ? 2 : 3, n = 1;
    if (*s == 'c' && len > 1) {
        *value = toupper((unsigned char)s[1]) ^ 0x40;
        return 2;
    }
    if (!base) return 0;
    *value = 0;
    for (; n <= most && n < len; n++) {
        int digit = pf_hex(s[n]);
        if (digit < 0 || digit >= base) break;
        *value = *value * base + digit;
    }
    *value &= 0xff;
    return n > 1 ? n : 0;
}

/* \n \t \xHH … as characters; what the regex reads itself stays. */
static void expand_escapes(const g_text *in, g_text *out, bool plain) {
    bool in_set = false;
    size_t set_start = 0;
    g_text_add(out, "", 0);
    for (size_t i = 0; i < in->len; i++) {
        char c = in->s[i];
        if (in_set && c == ']' && i > set_start) {
            in_set = false;
        } else if (!in_set && c == '[') {
            in_set = true;
            set_start = i + 1;
            if (i + 1 < in->len && in->s[i + 1] == '^') set_start++;
        } else if (in_set && c == '[' && i + 1 < in->len && strchr(":.=", in->s[i + 1])) {
            char close = in->s[i + 1];
            size_t end = i + 2;
            while (end + 1 < in->len && !(in->s[end] == close && in->s[end + 1] == ']')) end++;
            if (end + 1 < in->len) {
                g_text_add(out, in->s + i, end + 2 - i);
                i = end + 1;
                continue;
            }
        }
        if (c != '\\' || i + 1 == in->len) {
            g_text_addc(out, c);
            continue;
        }
        static const char letters[] = "afnrtv", bytes[] = "\a\f\n\r\t\v";
        char next = in->s[i + 1];
        const char *known = next ? strchr(letters, next) : NULL;
        int value;
        size_t n = numeric_escape(in->s + i + 1, in->len - i - 1, &value);
        if (known) {
            g_text_addc(out, bytes[known - letters]);
            i++;
        } else if (n) {
            g_text_addc(out, (char)value);
            i += n;
        } else if (in_set) {
            g_text_addc(out, c);
            if (next == c) {
                g_text_addc(out, c);
                i++;
            }
        } else if (next == '\n') {
            g_text_addc(out, '\n');
            i++;
        } else {
            /* \|, \+ and \? are GNU's: POSIX's basic expressions have them as themselves. */
            if (!plain || !next || !strchr("|+?", next)) g_text_addc(out, c);
            g_text_addc(out, next);
            i++;
        }
    }
}

/* Whether a set is written [:name:], which is meant to be [[:name:]]. */
static bool lacks_brackets(const g_text *pattern) {
    for (size_t i = 0; i < pattern->len; i++) {
        if (pattern->s[i] == '\\') {
            i++;
            continue;
        }
        if (pattern->s[i] != '[') continue;
        size_t start = i + 1;
        i = start + (start < pattern->len && pattern->s[start] == '^');
        if (i < pattern->len && pattern->s[i] == ']') i++;
        for (; i < pattern->len && pattern->s[i] != ']'; i++) {
            if (pattern->s[i] != '[' || i + 1 == pattern->len || !strchr(":.=", pattern->s[i + 1]))
                continue;
            const char *end = strchr(pattern->s + i + 2, ']');
            if (end) i = (size_t)(end - pattern->s);
        }
        if (i - start > 2 && i < pattern->len && pattern->s[start] == ':' &&
            pattern->s[i - 1] == ':')
            return true;
    }
    return false;
}

static sed_regex compile(parser *p, const g_text *pattern, unsigned flags) {
    sed_regex r = {0};
    const char *message;
    if (pattern->len == 0) {
        if (flags & (PF_RE_ICASE | PF_RE_NEWLINE))
            bad(p, "cannot specify modifiers on empty regexp");
        return r;
    }
    if (p->p->end == '\0') flags &= ~PF_RE_NEWLINE; /* GNU: the lines are those that NUL ends */
    if (lacks_brackets(pattern)) g_die(4, "character class syntax is [[:space:]], not [:space:]");
    g_text expanded = {0};
    expand_escapes(pattern, &expanded, p->p->posix && !p->p->extended);
    if (p->p->extended) flags |= PF_RE_EXTENDED | PF_RE_STRICT;
    /* Bytes that are no text match bytes, within characters too, as long as no set is about. */
    bool bytes =
        pf_utf8_valid_len(expanded.s, expanded.len) < expanded.len && !strpbrk(expanded.s, ".[");
    if (bytes || !g_utf8_locale()) flags |= PF_RE_BYTES;
    if (pf_regex_compile(&r.re, expanded.s, expanded.len, flags, &g_regex_host, &message) !=
        PF_RE_OK)
        bad(p, message);
    g_text_free(&expanded);
    return r;
}

/* Letters behind a regex address. */
static unsigned regex_flags(parser *p) {
    unsigned flags = 0;
    for (;;) {
        int c = skip_blanks(p);
        if (c == 'I' && !p->p->posix)
            flags |= PF_RE_ICASE;
        else if (c == 'M' && !p->p->posix)
            flags |= PF_RE_NEWLINE;
        else {
            untake(p, c);
            return flags;
        }
    }
}

/* An address, if one stands here. */
static bool read_address(parser *p, sed_address *a, bool second) {
    int c = skip_spaces(p);
    if (c == '/' || c == '\\') {
        if (c == '\\') c = take(p);
        g_text pattern = {0};
        if (c < 0 || !read_delimited(p, c, true, &pattern)) bad(p, "unterminated address regex");
        a->kind = ADDRESS_REGEX;
        a->regex = compile(p, &pattern, regex_flags(p));
        g_text_free(&pattern);
        return true;
    }
    if (c >= 0 && isdigit(c)) {
        a->kind = ADDRESS_LINE;
        a->first = read_number(p, c);
        c = skip_blanks(p);
        if (c != '~' || p->p->posix) {
            untake(p, c);
            return true;
        }
        c = skip_blanks(p);
        a->kind = ADDRESS_STEP;
        a->step = c >= 0 && isdigit(c) ? read_number(p, c) : (untake(p, c), 0);
        return true;
    }
    if ((c == '+' || c == '~') && second && !p->p->posix) {
        int digit = skip_blanks(p);
        a->kind = c == '+' ? ADDRESS_PLUS : ADDRESS_MULTIPLE;
        if (digit >= 0 && isdigit(digit))
            a->first = read_number(p, digit);
        else
            untake(p, digit);
        return true;
    }
    if ((c == '+' || c == '~') && !p->p->posix) {
        take(p);
        bad(p, "invalid usage of +N or ~N as first address");
    }
    if (c == '$') {
        a->kind = ADDRESS_LAST;
        return true;
    }
    untake(p, c);
    return false;
}

static void read_addresses(parser *p, sed_command *c) {
    if (!read_address(p, &c->from, false)) return;
    int next = skip_spaces(p);
    bool zero = c->from.kind == ADDRESS_LINE && c->from.first == 0;
    if (next == ',') {
        if (!read_address(p, &c->to, true)) {
            take(p);
            bad(p, "unexpected `,'");
        }
    } else {
        untake(p, next);
    }
    if (zero && p->p->posix) {
        take(p);
        bad(p, "invalid usage of line address 0");
    }
    if (zero && c->to.kind != ADDRESS_REGEX) {
        int command = skip_spaces(p);
        if (command != 'r' || c->to.kind != ADDRESS_NONE) bad(p, "invalid usage of line address 0");
        untake(p, command);
        c->from.kind = ADDRESS_ZERO;
    } else if (zero) {
        c->from.kind = ADDRESS_ZERO;
        c->active = true;
    }
}

/* What may follow a command: blanks, then ; } # or the end of the line. */
static void end_of_command(parser *p) {
    int c = skip_blanks(p);
    if (c == '}' || c == '#') {
        untake(p, c);
        return;
    }
    if (c >= 0 && c != '\n' && c != ';') bad(p, "extra characters after command");
}

/* A file name or label: up to the end of the line (labels: also up to ';'). */
static char *read_word(parser *p, bool label) {
    int c = skip_blanks(p);
    g_text word = {0};
    g_text_add(&word, "", 0);
    for (; c >= 0 && c != '\n' && !(label && (c == ';' || c == '}' || isspace(c))); c = take(p))
        g_text_addc(&word, (char)c);
    if (label) untake(p, c);
    return word.s;
}

/* v VERSION: at most the version of GNU sed that this is like. */
static void check_version(parser *p) {
    char *word = read_word(p, true), *at = word;
    int parts[3] = {0, 0, 0};
    const int ours[3] = {4, 9, 0};
    bool good = true;
    for (int i = 0; i < 3 && *at; i++) {
        good = good && isdigit((unsigned char)*at);
        parts[i] = (int)strtol(at, &at, 10);
        if (*at == '.') at++;
        else break;
    }
    good = good && !*at;
    int i = 0;
    while (i < 2 && parts[i] == ours[i]) i++;
    free(word);
    if (!good || parts[i] > ours[i]) bad(p, "expected newer version of sed");
}

/* Text of a, i, c from p->s on; a backslash before a newline continues it. */
static void read_text(parser *p, sed_command *c) {
    g_text *text = &c->text;
    g_text_add(text, "", 0);
    for (int ch; (ch = take(p)) >= 0;) {
        if (ch == '\\') {
            ch = take(p);
            if (ch < 0) {
                pending.text_open = true;
                g_text_addc(text, '\n');
                return;
            }
            static const char letters[] = "afnrtv", bytes[] = "\a\f\n\r\t\v";
            const char *known = strchr(letters, ch);
            int value;
            size_t n = p->s - 1 < p->end
                           ? numeric_escape(p->s - 1, (size_t)(p->end - p->s + 1), &value)
                           : 0;
            if (known && ch) {
                g_text_addc(text, bytes[known - letters]);
            } else if (n) {
                g_text_addc(text, (char)value);
                p->s += n - 1;
            } else {
                g_text_addc(text, (char)ch);
            }
            continue;
        }
        g_text_addc(text, (char)ch);
        if (ch == '\n') return;
    }
    g_text_addc(text, '\n');
}

/* a, i and c: "a\" NEWLINE text, or GNU's one-line form "a text". */
static void text_command(parser *p, sed_command *c) {
    int ch = skip_blanks(p);
    if (ch < 0) bad(p, "expected \\ after `a', `c' or `i'");
    if (ch == '\\') {
        const char *blanks = p->s; /* "a\  text" in one line keeps its blanks */
        ch = skip_blanks(p);
        if (ch < 0) { /* the text is in the next -e */
            pending.text_open = true;
            g_text_add(&c->text, "", 0);
            return;
        }
        if (ch != '\n') p->s = blanks;
        read_text(p, c);
        return;
    }
    if (ch == '\n' || p->p->posix) bad(p, "expected \\ after `a', `c' or `i'");
    untake(p, ch);
    read_text(p, c);
}

static void add_piece(sed_command *c, size_t *cap, g_text *text, size_t *from, int group,
                      enum sed_case change) {
    if (c->piece_count == *cap) c->pieces = g_more(c->pieces, cap, sizeof *c->pieces);
    sed_piece *piece = &c->pieces[c->piece_count++];
    piece->len = text->len - *from;
    piece->text = (const char *)(uintptr_t)*from; /* an offset until the text is complete */
    piece->group = group;
    piece->change = change;
    *from = text->len;
    if (group > c->max_group) c->max_group = group;
    if (change != CASE_KEEP) c->changes_case = true;
}

/* The right side of s: text, groups and changes of case. */
static void read_replacement(parser *p, sed_command *c, const g_text *raw) {
    g_text text = {0};
    size_t cap = 0, from = 0;
    g_text_add(&text, "", 0);
    for (size_t i = 0; i < raw->len; i++) {
        char ch = raw->s[i];
        if (ch == '&') {
            add_piece(c, &cap, &text, &from, 0, CASE_KEEP);
            continue;
        }
        if (ch != '\\' || i + 1 == raw->len) {
            g_text_addc(&text, ch);
            continue;
        }
        char next = raw->s[++i];
        static const char letters[] = "afnrtv", bytes[] = "\a\f\n\r\t\v";
        static const char cases[] = "EULul";
        static const enum sed_case changes[] = {CASE_NONE, CASE_UPPER, CASE_LOWER, CASE_UPPER_ONE,
                                                CASE_LOWER_ONE};
        const char *known = next ? strchr(letters, next) : NULL,
                   *change = next ? strchr(cases, next) : NULL;
        int value;
        size_t n = numeric_escape(raw->s + i, raw->len - i, &value);
        if (isdigit((unsigned char)next)) {
            add_piece(c, &cap, &text, &from, next - '0', CASE_KEEP);
        } else if (change && !p->p->posix) {
            add_piece(c, &cap, &text, &from, -1, changes[change - cases]);
        } else if (known) {
            g_text_addc(&text, bytes[known - letters]);
        } else if (n) {
            g_text_addc(&text, (char)value);
            i += n - 1;
        } else {
            g_text_addc(&text, next);
        }
    }
    add_piece(c, &cap, &text, &from, -1, CASE_KEEP);
    for (size_t i = 0; i < c->piece_count; i++)
        c->pieces[i].text = text.s + (uintptr_t)c->pieces[i].text;
}

/* What --posix takes for a mistake. */
static void gnu_only(const parser *p, const char *message) {
    if (p->p->posix) bad(p, message);
}

static void substitute_flags(parser *p, sed_command *c, unsigned *flags) {
    bool number = false;
    for (;;) {
        int ch = take(p);
        switch (ch) {
        case 'i':
        case 'I':
            gnu_only(p, "unknown option to `s'");
            *flags |= PF_RE_ICASE;
            break;
        case 'm':
        case 'M':
            gnu_only(p, "unknown option to `s'");
            *flags |= PF_RE_NEWLINE;
            break;
        case 'e':
            gnu_only(p, "unknown option to `s'");
            if (p->p->sandbox) bad(p, "e/r/w commands disabled in sandbox mode");
            c->evaluate = true;
            c->print_before = c->print;
            break;
        case 'p':
            if (c->print) bad(p, "multiple `p' options to `s' command");
            c->print = true;
            break;
        case 'g':
            if (c->global) bad(p, "multiple `g' options to `s' command");
            c->global = true;
            break;
        case 'w': {
            if (p->p->sandbox) bad(p, "e/r/w commands disabled in sandbox mode");
            char *name = read_word(p, false);
            if (!*name) bad(p, "missing filename in r/R/w/W commands");
            c->out = sed_open_output(p->p, name);
            return;
        }
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9':
            if (number) bad(p, "multiple number options to `s' command");
            c->occurrence = read_number(p, ch);
            if (c->occurrence == 0) bad(p, "number option to `s' command may not be zero");
            number = true;
            break;
        case '}':
        case '#': untake(p, ch); return;
        case -1:
        case '\n':
        case ';': return;
        case '\r':
            if (peek(p) == '\n' || peek(p) < 0) break;
            bad(p, "unknown option to `s'");
        default:
            if (isblank(ch)) {
                int next = skip_blanks(p);
                untake(p, next);
                if (next < 0 || strchr("\n;}#", next)) break;
                if (strchr("iImMepgw0123456789", next)) break;
            }
            bad(p, "unknown option to `s'");
        }
    }
}

static void substitute(parser *p, sed_command *c) {
    g_text pattern = {0}, replacement = {0};
    int delimiter = take(p);
    if (delimiter < 0) bad(p, "unterminated `s' command");
    if (!read_delimited(p, delimiter, true, &pattern)) bad(p, "unterminated `s' command");
    if (!read_delimited(p, delimiter, false, &replacement)) bad(p, "unterminated `s' command");
    unsigned flags = 0;
    c->max_group = 0;
    read_replacement(p, c, &replacement);
    substitute_flags(p, c, &flags);
    c->regex = compile(p, &pattern, flags);
    if (c->regex.re && c->max_group > pf_regex_groups(c->regex.re)) {
        char text[64] = "invalid reference \\0 on `s' command's RHS";
        text[19] = (char)('0' + c->max_group);
        bad(p, text);
    }
    g_text_free(&pattern);
    g_text_free(&replacement);
}

/* One side of y: the characters, with \\, \n and \DELIMITER undone. */
static uint32_t *y_characters(const g_text *text, size_t *count) {
    uint32_t *out = g_resize(NULL, text->len + 1, sizeof *out);
    bool utf8 = g_utf8_locale();
    *count = 0;
    for (size_t i = 0; i < text->len;) {
        uint32_t code = (unsigned char)text->s[i];
        int n = 1;
        if (code == '\\' && i + 1 < text->len) {
            static const char letters[] = "afnrtv\\", bytes[] = "\a\f\n\r\t\v\\";
            const char *known = strchr(letters, text->s[i + 1]);
            int value;
            size_t taken = numeric_escape(text->s + i + 1, text->len - i - 1, &value);
            if (known)
                code = (unsigned char)bytes[known - letters];
            else if (taken)
                code = (uint32_t)value | (value >= 0x80 && utf8 ? Y_BYTE : 0);
            else
                code = (unsigned char)text->s[i + 1];
            n = taken && !known ? 1 + (int)taken : 2;
        } else if (code >= 0x80 && utf8) {
            n = pf_utf8_decode(text->s + i, text->len - i, &code);
            if (n <= 0) {
                n = 1;
                code = (unsigned char)text->s[i] | Y_BYTE;
            }
        }
        out[(*count)++] = code;
        i += (size_t)n;
    }
    return out;
}

static void transliterate(parser *p, sed_command *c) {
    g_text from = {0}, to = {0};
    int delimiter = take(p);
    if (delimiter < 0 || !read_delimited(p, delimiter, false, &from) ||
        !read_delimited(p, delimiter, false, &to)) {
        bad(p, "unterminated `y' command");
    }
    size_t from_count, to_count;
    uint32_t *a = y_characters(&from, &from_count), *b = y_characters(&to, &to_count);
    if (from_count != to_count) bad(p, "strings for `y' command are different lengths");
    c->table = g_alloc(256);
    for (int i = 0; i < 256; i++) c->table[i] = (unsigned char)i;
    bool wide = false;
    for (size_t i = from_count; i-- > 0;) {
        if (g_utf8_locale() ? a[i] < 0x80 && b[i] < 0x80 : true)
            c->table[a[i] & 0xff] = (unsigned char)b[i];
        else
            wide = true;
    }
    if (wide) {
        c->map = g_resize(NULL, from_count * 2, sizeof *c->map);
        for (size_t i = 0; i < from_count; i++) {
            c->map[2 * i] = a[i];
            c->map[2 * i + 1] = b[i];
        }
        c->map_count = from_count;
    }
    free(a);
    free(b);
    end_of_command(p);
}

static void open_block(parser *p) {
    if (pending.block_count == sizeof pending.blocks / sizeof *pending.blocks)
        bad(p, "blocks nested too deeply");
    pending.block_number[pending.block_count] = p->file ? p->line : p->number;
    pending.block_char[pending.block_count] = (unsigned)(p->s - p->start);
    pending.blocks[pending.block_count++] = p->p->count - 1;
}

_Noreturn static void unknown_command(const parser *p, char name) {
    char text[] = "unknown command: `x'";
    text[18] = name;
    bad(p, text);
}

static void read_arguments(parser *p, sed_command *c) {
    if (p->p->posix && c->name && strchr("eFvzQTRW", c->name)) unknown_command(p, c->name);
    switch (c->name) {
    case '{': open_block(p); break;
    case '}':
        if (pending.block_count == 0) bad(p, "unexpected `}'");
        if (c->from.kind != ADDRESS_NONE) bad(p, "`}' doesn't want any addresses");
        p->p->commands[pending.blocks[--pending.block_count]].target = p->p->count;
        end_of_command(p);
        break;
    case ':': {
        if (c->from.kind != ADDRESS_NONE) bad(p, ": doesn't want any addresses");
        int ch = skip_blanks(p);
        g_text label = {0};
        for (; ch >= 0 && ch != '\n' && ch != ';' && ch != '}' && !isspace(ch); ch = take(p))
            g_text_addc(&label, (char)ch);
        untake(p, ch);
        if (!label.len) bad(p, "\":\" lacks a label");
        c->label = label.s;
        break;
    }
    case 'a':
    case 'i':
    case 'c': text_command(p, c); break;
    case 'b':
    case 't':
    case 'T': c->label = read_word(p, true); break;
    case 'r':
    case 'R':
    case 'w':
    case 'W': {
        if (p->p->sandbox) bad(p, "e/r/w commands disabled in sandbox mode");
        char *name = read_word(p, false);
        if (!*name) bad(p, "missing filename in r/R/w/W commands");
        if (c->name == 'r')
            g_text_adds(&c->text, name);
        else if (c->name == 'R')
            c->read = sed_open_read(p->p, name);
        else
            c->out = sed_open_output(p->p, name);
        break;
    }
    case 's': substitute(p, c); break;
    case 'y': transliterate(p, c); break;
    case 'q':
    case 'Q':
    case 'l': {
        if ((c->name == 'q' || c->name == 'Q') && c->to.kind != ADDRESS_NONE)
            bad(p, "command only uses one address");
        int ch = skip_blanks(p);
        c->number = c->name == 'q' || c->name == 'Q' ? 0 : UINT64_MAX;
        if (ch >= 0 && isdigit(ch) && !p->p->posix)
            c->number = read_number(p, ch);
        else
            untake(p, ch);
        end_of_command(p);
        break;
    }
    case '=':
    case 'd':
    case 'D':
    case 'F':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'z':
    case 'x': end_of_command(p); break;
    case 'v': check_version(p); break;
    case 'e': {
        if (p->p->sandbox) bad(p, "e/r/w commands disabled in sandbox mode");
        char *command = read_word(p, false);
        g_text_adds(&c->text, command);
        free(command);
        break;
    }
    default: unknown_command(p, c->name);
    }
}

/* One command; false at the end of the text. */
static bool read_command(parser *p) {
    int ch;
    while ((ch = take(p)) >= 0 && (isspace(ch) || ch == ';')) {
    }
    if (ch < 0) return false;
    if (ch == '#') {
        /* "#n" as the very first line is -n. */
        bool first = p->p->count == 0 && p->s - p->start == 1;
        if (first && p->s < p->end && *p->s == 'n' && (p->s + 1 == p->end || p->s[1] == '\n'))
            p->p->quiet = true;
        while ((ch = take(p)) >= 0 && ch != '\n') {
        }
        return true;
    }
    untake(p, ch);
    sed_program *program = p->p;
    if (program->count == program->cap)
        program->commands = g_more(program->commands, &program->cap, sizeof *program->commands);
    size_t index = program->count;
    memset(&program->commands[index], 0, sizeof *program->commands);
    sed_command c = {0};
    read_addresses(p, &c);
    ch = skip_spaces(p);
    if (ch == '!') {
        c.negated = true;
        ch = skip_spaces(p);
        if (ch == '!') bad(p, "multiple `!'s");
    }
    if (ch < 0) bad(p, "missing command");
    if (ch == '#' && c.from.kind != ADDRESS_NONE) bad(p, "comments don't accept any addresses");
    c.name = (char)ch;
    program->count++;
    pending.command = index;
    read_arguments(p, &c);
    /* The block's end was written into the array while `c` was read; keep both. */
    size_t target = program->commands[index].target;
    program->commands[index] = c;
    if (c.name == '{') program->commands[index].target = target;
    return true;
}

static void parse(parser *p) {
    if (pending.text_open) {
        pending.text_open = false;
        read_text(p, &p->p->commands[pending.command]);
    }
    while (read_command(p)) {
    }
}

void sed_add_expression(sed_program *program, const char *text) {
    parser p = {.p = program, .line = 1, .number = ++pending.expressions};
    p.s = p.start = text;
    p.end = text + strlen(text);
    parse(&p);
}

void sed_add_file(sed_program *program, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) g_die_errno(4, errno, "couldn't open file %s", name);
    g_close_input(fd);
    parser p = {.p = program, .line = 1, .file = name};
    p.s = p.start = text;
    if (len > 0 && text[len - 1] == '\n') len--;
    p.end = text + len;
    /* "#!" lines are comments like any other. */
    parse(&p);
}

void sed_finish(sed_program *p) {
    if (pending.block_count > 0) {
        size_t last = pending.block_count - 1;
        g_die(1, "-e expression #%u, char 0: unmatched `{'", pending.block_number[last]);
    }
    for (size_t i = 0; i < p->count; i++) {
        sed_command *c = &p->commands[i];
        if (!strchr("btT", c->name)) continue;
        c->target = p->count;
        if (!*c->label) continue;
        bool found = false;
        for (size_t j = 0; j < p->count && !found; j++) {
            if (p->commands[j].name != ':' || strcmp(p->commands[j].label, c->label) != 0) continue;
            c->target = j;
            found = true;
        }
        if (!found) g_die(4, "can't find label for jump to `%s'", c->label);
    }
}
