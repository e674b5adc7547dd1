/*
 * histnote.c: how the lines of a command become one entry of the history, as bash joins them.
 */
#include "history.h"

/* What is open at the end of a line. */
struct open_text {
    char quote;       /* ' " or `, or 0 */
    int parens;       /* $( and what nests in it */
    int cases;        /* case without its esac */
    char *here[8];    /* delimiters of here-documents to come */
    int here_count;
    bool in_here;
};

static bool blank(char c) { return c == ' ' || c == '\t'; }

static bool word_at(const char *s, size_t i, size_t n, const char *word) {
    size_t len = strlen(word);
    if (i + len > n || memcmp(s + i, word, len) != 0) return false;
    bool starts = i == 0 || strchr(" \t;&|(", s[i - 1]);
    return starts && (i + len == n || strchr(" \t;&|)", s[i + len]));
}

/* The delimiter behind << at s[i]. */
static void note_here(struct shell *sh, struct open_text *o, const char *s, size_t i, size_t n) {
    i += 2 + (i + 2 < n && s[i + 2] == '-');
    while (i < n && blank(s[i])) i++;
    sb word = sb_in(&sh->tmp);
    for (; i < n && !strchr(" \t;&|<>()", s[i]); i++)
        if (!strchr("'\"\\", s[i])) sb_putc(&word, s[i]);
    if (o->here_count < DIM(o->here)) o->here[o->here_count++] = sb_str(&word);
}

/* Keeps count of what a line opens and closes. */
static void scan_line(struct shell *sh, struct open_text *o, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        if (c == '\\' && o->quote != '\'') {
            i++;
        } else if (o->quote) {
            if (c == o->quote) o->quote = 0;
        } else if (strchr("'\"`", c)) {
            o->quote = c;
        } else if (c == '#' && (i == 0 || blank(s[i - 1]))) {
            return;
        } else if (c == '$' && i + 1 < n && s[i + 1] == '(') {
            o->parens++;
            i++;
        } else if (o->parens && (c == '(' || c == ')')) {
            o->parens += c == '(' ? 1 : -1;
        } else if (c == '<' && i + 1 < n && s[i + 1] == '<') {
            bool string = i + 2 < n && s[i + 2] == '<';
            if (!string) note_here(sh, o, s, i, n);
            i += 1 + string;
        } else if (word_at(s, i, n, "case")) {
            o->cases++;
        } else if (word_at(s, i, n, "esac") && o->cases) {
            o->cases--;
        }
    }
}

/* What joins a finished line to the next one: a blank behind words like `do`, else "; ". */
static const char *joint(const struct open_text *o, const char *line, size_t n) {
    static const char *const open[] = {"do", "then", "else", "if", "while", "until", "in", "{",
                                       "(",  "|",    "&&",   "||", ";",     "&"};
    while (n && blank(line[n - 1])) n--;
    if (n && line[n - 1] == ')' && (o->cases || (n > 1 && line[n - 2] == '('))) return " ";
    if (word_at(line, 0, n, "function") && !memchr(line + 9, ' ', n > 9 ? n - 9 : 0)) return " ";
    for (int i = 0; i < DIM(open); i++) {
        size_t len = strlen(open[i]);
        bool word = open[i][0] >= 'a' && open[i][0] <= 'z';
        if (n < len || memcmp(line + n - len, open[i], len) != 0) continue;
        if (!word || n == len || strchr(" \t;", line[n - len - 1])) return " ";
    }
    return "; ";
}

static bool is_comment(const char *s, size_t n) {
    while (n && blank(*s)) s++, n--;
    return n && *s == '#';
}

/* Steps over a line of a here-document; it may be its last. */
static void step_here(struct open_text *o, const char *s, size_t n) {
    while (n && *s == '\t') s++, n--;
    if (strlen(o->here[0]) != n || memcmp(o->here[0], s, n) != 0) return;
    memmove(o->here, o->here + 1, sizeof o->here - sizeof *o->here);
    o->in_here = --o->here_count > 0;
}

/* Appends one line of a command, and before it what joins it to the last one. */
static void add_line(struct shell *sh, struct open_text *o, sb *out, const char *s, size_t n,
                     const char **join) {
    if (o->in_here) {
        sb_puts(out, "\n");
        sb_put(out, s, n);
        step_here(o, s, n);
        *join = "\n";
        return;
    }
    bool inside = o->quote || o->parens;
    if (!inside && out->n && (n == 0 || is_comment(s, n))) {
        if (n) *join = "\n";
        return;
    }
    if (out->n) sb_puts(out, inside ? "\n" : *join);
    sb_put(out, s, n);
    scan_line(sh, o, s, n);
    bool goes_on = n && s[n - 1] == '\\' && o->quote != '\'' && (n < 2 || s[n - 2] != '\\');
    if (goes_on) out->n--;
    o->in_here = o->here_count > 0;
    *join = goes_on ? "" : sh->shopt[SHOPT_LITHIST] ? "\n" : joint(o, s, n);
}

void history_note(struct shell *sh, const char *text, size_t n) {
    arena_mark mark = arena_here(&sh->tmp);
    struct open_text o = {0};
    sb out = sb_in(&sh->tmp);
    const char *join = "";
    for (const char *end = text + n; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);
        bool alone = out.n == 0 && is_comment(text, len);
        if (len || out.n) add_line(sh, &o, &out, text, len, &join);
        if (alone || (!sh->shopt[SHOPT_CMDHIST] && out.n)) {
            history_offer(sh, sb_str(&out));
            out.n = 0;
        }
        text += len + (stop != NULL);
    }
    if (out.n) {
        if (strstr(sb_str(&out), "<<") && strcmp(join, "\n") == 0) sb_putc(&out, '\n');
        history_offer(sh, sb_str(&out));
    }
    arena_release(&sh->tmp, mark);
}
