/*
 * histexpand.c: !! !$ !name ^old^new: history expansion, as `set -H` asks for it.
 *
 * A line is expanded before the lexer sees it, as in bash: event, words of it, modifiers. What
 * `:s` and `!?text?` had last is kept in struct history.
 */
#include "history.h"

struct expansion {
    struct shell *sh;
    const char *s;   /* the line */
    size_t i;        /* where in it */
    sb *out;         /* the new line so far; after a failure the message */
    bool print_only; /* :p */
};

static bool blank(char c) { return c == ' ' || c == '\t'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

/* A message that shows the text from `start` to `end`. */
static bool complain(struct expansion *x, size_t start, size_t end, const char *what) {
    size_t n = strlen(x->s);
    if (end > n) end = n;
    if (start > end) start = end;
    x->out->n = 0;
    sb_printf(x->out, "%.*s: %s", (int)(end - start), x->s + start, what);
    return false;
}

/* ------------------------------------------------------------------ words of an event */

/* The offset behind the quotes, the substitution or the plain text of a word from `i` on. */
static size_t word_rest(const char *s, size_t i, char close, int depth) {
    char open = depth ? '(' : 0;
    for (; s[i]; i++) {
        if (s[i] == '\\' && s[i + 1] == '\n') {
            i++;
        } else if (s[i] == '\\' && close != '\'' && (close != '"' || strchr("\\`\"$\n", s[i + 1]))) {
            if (!s[++i]) return i;
        } else if (depth && s[i] == open) {
            depth++;
        } else if (depth && s[i] == close) {
            if (--depth == 0) close = 0;
        } else if (close && s[i] == close) {
            close = 0;
        } else if (!depth && !close && strchr("<>$!@?+*", s[i]) && s[i + 1] == '(') {
            i++;
            open = '(', close = ')', depth = 1;
        } else if (!close && strchr(" \t\n;&()|<>", s[i])) {
            return i;
        } else if (!close && strchr("\"'`", s[i])) {
            close = s[i];
        }
    }
    return i;
}

/* The offset behind the operator or word that starts at i. */
static size_t word_end(const char *s, size_t i) {
    if (strchr("()\n", s[i])) return i + 1;
    if (digit(s[i])) {
        size_t j = i + strspn(s + i, "0123456789");
        if (!s[j]) return j;
        if (s[j] != '<' && s[j] != '>') return word_rest(s, j, 0, 0);
        i = j;
    }
    if (!strchr("<>;&|", s[i])) return word_rest(s, i, 0, 0);
    char next = s[i + 1];
    if (next == s[i]) return i + 2 + (next == '<' && (s[i + 2] == '-' || s[i + 2] == '<'));
    if (next == '&' && (s[i] == '<' || s[i] == '>')) {
        i += 2 + strspn(s + i + 2, "0123456789");
        return i + (s[i] == '-');
    }
    if ((next == '>' && s[i] == '&') || (next == '|' && s[i] == '>')) return i + 2;
    if (next == '(' && (s[i] == '<' || s[i] == '>')) return word_rest(s, i + 2, ')', 1);
    return i + 1;
}

static void split(struct shell *sh, const char *s, struct strings *words) {
    for (size_t i = 0;;) {
        while (blank(s[i]) || s[i] == '\n') i++;
        if (!s[i]) return;
        size_t end = word_end(s, i);
        if (end == i) end++;
        strings_add(sh, words, arena_strndup(&sh->tmp, s + i, end - i));
        i = end;
    }
}

enum { LAST_WORD = -2, NEXT_TO_LAST = -1 };

/* Words `first` to `last` of an event; NULL: it has not so many. */
static char *words_of(struct shell *sh, int first, int last, const char *event) {
    struct strings words = {0};
    split(sh, event, &words);
    if (words.n == 0) return NULL;
    if (last == LAST_WORD) last = words.n - 1;
    else if (last < 0) last = words.n - 2;
    if (first == LAST_WORD) first = words.n - 1;
    if (first >= words.n || last >= words.n || last < -1 || first > last + 1) return NULL;
    sb out = sb_in(&sh->tmp);
    for (int i = first; i <= last; i++) sb_printf(&out, "%s%s", i > first ? " " : "", words.v[i]);
    return sb_str(&out);
}

/* The word of the line in which the text at `at` stands. */
static char *word_at(struct shell *sh, const char *line, size_t at) {
    for (size_t i = 0;;) {
        while (blank(line[i]) || line[i] == '\n') i++;
        if (!line[i]) return NULL;
        size_t end = word_end(line, i);
        if (end == i) end++;
        if (at < end) return arena_strndup(&sh->tmp, line + i, end - i);
        i = end;
    }
}

/* ------------------------------------------------------------------ events */

static void keep(char **kept, const char *value) {
    char *copy = value ? xstrdup(value) : NULL;
    free(*kept);
    *kept = copy;
}

/* !name and !?text?: the newest command that begins with it, or has it in it. */
static const char *search_event(struct expansion *x, char quote) {
    struct shell *sh = x->sh;
    struct history *h = &sh->history;
    const char *s = x->s;
    bool inside = s[x->i] == '?';
    size_t from = x->i += inside;
    for (char c; (c = s[x->i]) && c != '\n'; x->i++) {
        if (inside ? c == '?' : blank(c) || c == ':' || strchr(";&()|<>", c) || c == quote) break;
    }
    char *text = arena_strndup(&sh->tmp, s + from, x->i - from);
    if (inside && s[x->i] == '?') x->i++;
    if (inside && !*text) text = h->searched;
    if (!text || !*text) return NULL;
    size_t n = strlen(text);
    for (int k = h->n - 1; k >= 0; k--) {
        const char *hit = h->v[k] + (inside && strlen(h->v[k]) > n ? strlen(h->v[k]) - n : 0);
        while (hit > h->v[k] && strncmp(hit, text, n) != 0) hit--; /* the last one in the line */
        if (strncmp(hit, text, n) != 0) continue;
        if (inside) {
            char *word = word_at(sh, h->v[k], (size_t)(hit - h->v[k]));
            if (text != h->searched) keep(&h->searched, text);
            keep(&h->searched_word, word);
        }
        return h->v[k];
    }
    return NULL;
}

/* What stands behind the ! at x->i; NULL: there is no such event. */
static const char *event_of(struct expansion *x, char quote) {
    struct history *h = &x->sh->history;
    const char *s = x->s;
    x->i++;
    if (s[x->i] && strchr(":$*%^", s[x->i])) return h->n ? h->v[h->n - 1] : NULL;
    if (s[x->i] == '#') {
        x->i++;
        return arena_strdup(&x->sh->tmp, sb_str(x->out));
    }
    if (s[x->i] == '!') {
        x->i++;
        return h->n ? h->v[h->n - 1] : NULL;
    }
    bool back = s[x->i] == '-' && digit(s[x->i + 1]);
    if (!back && !digit(s[x->i])) return search_event(x, quote);
    x->i += back;
    int64_t n = 0;
    for (; digit(s[x->i]); x->i++)
        if (n < HISTORY_MAX * 1000) n = n * 10 + (s[x->i] - '0');
    n = back ? h->n - n : n - h->base - 1;
    return n >= 0 && n < h->n ? h->v[n] : NULL;
}

/* ------------------------------------------------------------------ word designators */

/* One end of a range: a number, ^ or $; false: it is none of them. */
static bool range_end(struct expansion *x, int *out) {
    char c = x->s[x->i];
    if (digit(c)) {
        for (*out = 0; digit(x->s[x->i]); x->i++)
            if (*out < HISTORY_MAX * 1000) *out = *out * 10 + (x->s[x->i] - '0');
        return true;
    }
    if (c != '^' && c != '$') return false;
    *out = c == '^' ? 1 : LAST_WORD;
    x->i++;
    return true;
}

/* The words that the designator at x->i picks; *found is false where there is none. NULL: the
 * event has no such words. */
static char *pick_words(struct expansion *x, const char *event, bool *found) {
    struct shell *sh = x->sh;
    const char *s = x->s;
    size_t start = x->i;
    bool colon = s[x->i] == ':';
    x->i += colon;
    *found = true;
    char c = s[x->i], *words;
    if (c == '%') {
        x->i++;
        return sh->history.searched_word ? sh->history.searched_word : (char *)"";
    }
    if (c == '*') {
        x->i++;
        words = words_of(sh, 1, LAST_WORD, event);
        return words ? words : (char *)"";
    }
    if (c == '$') {
        x->i++;
        return words_of(sh, LAST_WORD, LAST_WORD, event);
    }
    int first = 0, last;
    if (c == '^' || (digit(c) && colon)) {
        range_end(x, &first);
    } else if (c != '-') {
        x->i = start;
        *found = false;
        return NULL;
    }
    last = first;
    if (s[x->i] == '*' || s[x->i] == '^') {
        last = s[x->i++] == '*' ? LAST_WORD : 1;
    } else if (s[x->i] == '-') {
        x->i++;
        if (!range_end(x, &last)) last = NEXT_TO_LAST;
    }
    return last >= first || last < 0 ? words_of(sh, first, last, event) : NULL;
}

/* ------------------------------------------------------------------ modifiers */

/* A side of :s/old/new/; NULL: it is empty, and not the right one. */
static char *pattern_side(struct expansion *x, char end, bool right) {
    sb text = sb_in(&x->sh->tmp);
    size_t i = x->i;
    for (; x->s[i] && x->s[i] != end; i++) {
        if (x->s[i] == '\\' && x->s[i + 1] == end) i++;
        sb_putc(&text, x->s[i]);
    }
    bool empty = i == x->i;
    x->i = i + (x->s[i] != 0);
    return empty && !right ? NULL : sb_str(&text);
}

/* & in the new text stands for the old one. */
static char *with_old(struct shell *sh, const char *text, const char *old) {
    sb out = sb_in(&sh->tmp);
    for (; *text; text++) {
        if (*text == '\\' && text[1] == '&') sb_putc(&out, *++text);
        else if (*text == '&') sb_puts(&out, old);
        else sb_putc(&out, *text);
    }
    return sb_str(&out);
}

enum substitute_where { ONCE, EVERYWHERE, EACH_WORD };

/* :s and :&. NULL: nothing was replaced. */
static char *substitute(struct expansion *x, const char *text, enum substitute_where where) {
    struct history *h = &x->sh->history;
    if (!h->old || !*h->old || !h->new) return NULL;
    sb out = sb_in(&x->sh->tmp);
    size_t n = strlen(h->old);
    bool done = false, word_done = false;
    while (*text) {
        if (blank(*text)) word_done = false;
        bool may = where == EVERYWHERE || (where == ONCE ? !done : !word_done);
        if (may && strncmp(text, h->old, n) == 0) {
            sb_puts(&out, h->new);
            text += n;
            done = word_done = true;
        } else {
            sb_putc(&out, *text++);
        }
    }
    return done ? sb_str(&out) : NULL;
}

/* :s/old/new/ as it is written at x->i, which is the s. */
static void read_substitution(struct expansion *x) {
    struct history *h = &x->sh->history;
    char end = x->s[x->i + 1];
    if (!end) {
        x->i++;
        return;
    }
    x->i += 2;
    char *old = pattern_side(x, end, false);
    if (!old && !h->old) old = h->searched;
    if (old) keep(&h->old, old);
    char *new = pattern_side(x, end, true);
    keep(&h->new, strchr(new, '&') && h->old ? with_old(x->sh, new, h->old) : new);
}

static char *quoted(struct shell *sh, const char *text, bool words) {
    sb out = sb_in(&sh->tmp);
    if (!words) {
        quote_single(&out, text);
        return sb_str(&out);
    }
    sb_putc(&out, '\'');
    for (; *text; text++) {
        if (*text == '\'') sb_puts(&out, "'\\''");
        else if (blank(*text) || *text == '\n') sb_printf(&out, "'%c'", *text);
        else sb_putc(&out, *text);
    }
    sb_putc(&out, '\'');
    return sb_str(&out);
}

/* :h :t :r :e: what they leave of the text. */
static char *path_part(char *text, char c) {
    char *at = strrchr(text, c == 'h' || c == 't' ? '/' : '.');
    if (!at) return text;
    if (c == 't') return at + 1;
    if (c == 'e') return at;
    *at = 0;
    return text;
}

/* All modifiers at x->i; NULL: one of them failed, which was said. */
static char *modify(struct expansion *x, char *text) {
    char quotes = 0;
    size_t start = x->i;
    while (x->s[x->i] == ':') {
        enum substitute_where where = ONCE;
        x->i++;
        if (x->s[x->i] == 'g' || x->s[x->i] == 'a') where = EVERYWHERE;
        else if (x->s[x->i] == 'G') where = EACH_WORD;
        x->i += where != ONCE;
        char c = x->s[x->i];
        switch (c) {
        case 'q':
        case 'x': quotes = c; break;
        case 'p': x->print_only = true; break;
        case 'h':
        case 't':
        case 'r':
        case 'e': text = path_part(text, c); break;
        case 's':
        case '&': {
            if (c == 's') read_substitution(x);
            else x->i++;
            char *changed = substitute(x, text, where);
            if (!changed) return complain(x, start, x->i, "substitution failed"), NULL;
            text = changed;
            continue;
        }
        default: return complain(x, x->i, x->i + 1, "unrecognized history modifier"), NULL;
        }
        x->i++;
    }
    return quotes ? quoted(x->sh, text, quotes == 'x') : text;
}

/* ------------------------------------------------------------------ lines */

/* One ! that counts, with what belongs to it. */
static bool expand_one(struct expansion *x, char quote) {
    size_t start = x->i;
    const char *event = event_of(x, quote);
    if (!event) return complain(x, start, x->i, "event not found");
    size_t at = x->i;
    bool found;
    char *text = pick_words(x, event, &found);
    if (found && !text) return complain(x, at, x->i, "bad word specifier");
    text = modify(x, arena_strdup(&x->sh->tmp, found ? text : event));
    if (text) sb_puts(x->out, text);
    return text != NULL;
}

/* Is the ! at i one of the shell's own, or does it stand for itself? */
static bool plain(const struct shell *sh, const char *s, size_t i, bool quoted) {
    char next = s[i + 1];
    if (!next || strchr(" \t\n\r=", next) || (quoted && next == '"')) return true;
    if (i > 0 && s[i - 1] == '[' && strchr(s + i + 1, ']')) return true;
    if (i > 1 && s[i - 1] == '{' && s[i - 2] == '$' && strchr(s + i + 1, '}')) return true;
    if (i > 1 && s[i - 1] == '$') return true;
    return sh->shopt[SHOPT_EXTGLOB] && i > 1 && next == '(' && strchr(s + i + 2, ')');
}

enum history_expanded history_expand(struct shell *sh, const char *line, char quote, sb *out) {
    struct expansion x = {.sh = sh, .s = line, .out = out};
    bool changed = false;
    if (*line == '^') {
        x.s = arena_printf(&sh->tmp, "!!:s%s", line);
        quote = 0;
    }
    bool doubly = quote == '"', singly = quote == '\'', expands = *line == '^';
    while (x.s[x.i]) {
        char c = x.s[x.i];
        bool word_starts = x.i == 0 || strchr(" \t\n;&()|<>", x.s[x.i - 1]);
        if (singly) {
            singly = c != '\'';
        } else if (c == '\\' && x.s[x.i + 1]) {
            sb_putc(out, c);
            x.i++;
        } else if (c == '"') {
            doubly = !doubly;
        } else if (c == '\'' && !doubly) {
            singly = true;
        } else if (c == '#' && !doubly && word_starts) {
            sb_puts(out, x.s + x.i);
            break;
        } else if (c == '!' && (expands || !plain(sh, x.s, x.i, doubly))) {
            expands = false;
            if (!expand_one(&x, doubly ? '"' : 0)) return HISTORY_FAILED;
            changed = true;
            continue;
        }
        sb_putc(out, x.s[x.i++]);
    }
    return x.print_only ? HISTORY_PRINT : changed ? HISTORY_CHANGED : HISTORY_SAME;
}
