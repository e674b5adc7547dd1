/*
 * diff_color.c: colours of differences; see diff_color.h.
 */
#include "diff_color.h"
#include "color.h"

#include <ctype.h>

static bool ready, colored;
static const char *codes[PARTS];

static void prepare(void) {
    static const struct { const char *slot, *otherwise; } parts[PARTS] = {
        {"diff.context", "normal"}, {"diff.meta", "bold"}, {"diff.frag", "cyan"}, {"diff.func", "normal"},
        {"diff.old", "red"}, {"diff.new", "green"}, {"diff.commit", "yellow"}, {"diff.whitespace", "normal red"}};
    if (ready) return;
    ready = true;
    colored = color_wanted(diffs.color, "diff");
    for (int i = 0; i < PARTS; i++) codes[i] = color_of(colored, parts[i].slot, parts[i].otherwise);
    if (colored && diffs.color_moved) die("--color-moved is not there: moved lines have the colours of others");
}

bool diff_colored(void) {
    prepare();
    return colored;
}

const char *diff_code(int part) {
    prepare();
    return codes[part];
}

const char *diff_reset(void) { return diff_colored() ? COLOR_RESET : ""; }

void diff_paint(g_text *out, size_t from, int part) {
    g_text painted = {0};
    if (!diff_colored() || from >= out->len) return;
    for (size_t at = from; at < out->len;) {
        const char *end = memchr(out->s + at, '\n', out->len - at);
        size_t len = end ? (size_t)(end - out->s) - at : out->len - at;
        g_text_addf(&painted, "%s%.*s%s", codes[part], (int)len, out->s + at, COLOR_RESET);
        if (end) g_text_addc(&painted, '\n');
        at += len + 1;
    }
    out->len = from;
    g_text_add(out, painted.s, painted.len);
    g_text_free(&painted);
}

void diff_add_hunk_head(g_text *out, const char *head, size_t len) {
    if (!diff_colored()) {
        g_text_add(out, head, len);
        return;
    }
    size_t marks = 0, end = len;
    while (marks < len && head[marks] == '@') marks++;
    for (size_t i = marks; i + marks <= len; i++)
        if (head[i] == '@' && (end = i) != 0) break;
    end += end < len ? marks : 0;
    g_text_addf(out, "%s%.*s%s", codes[PART_FRAG], (int)end, head, COLOR_RESET);
    size_t stop = len;
    while (stop > end && (head[stop - 1] == '\n' || head[stop - 1] == '\r')) stop--;
    if (stop > end) {
        g_text_addf(out, "%s %s", codes[PART_CONTEXT], COLOR_RESET);
        g_text_addf(out, "%s%.*s%s", codes[PART_FUNC], (int)(stop - end - 1), head + end + 1, COLOR_RESET);
    }
    g_text_addc(out, '\n');
}

/* ---- white space */

static unsigned tab_width = 8;

unsigned white_rule(void) {
    static unsigned rule;
    static bool known;
    static const struct { const char *name; unsigned bits; } names[] = {
        {"trailing-space", WHITE_AT_EOL | WHITE_AT_EOF}, {"blank-at-eol", WHITE_AT_EOL}, {"blank-at-eof", WHITE_AT_EOF},
        {"space-before-tab", WHITE_BEFORE_TAB}, {"indent-with-non-tab", WHITE_NO_TAB}, {"tab-in-indent", WHITE_TAB},
        {"cr-at-eol", WHITE_CR}};
    if (known) return rule;
    known = true;
    rule = WHITE_AT_EOL | WHITE_AT_EOF | WHITE_BEFORE_TAB;
    char *setting = repo ? config_string("core.whitespace") : NULL, *at = setting;
    for (char *word; (word = strsep(&at, ", \t\n")) != NULL;) {
        bool off = *word == '-';
        if (off) word++;
        if (strncmp(word, "tabwidth=", 9) == 0 && atoi(word + 9) > 0 && atoi(word + 9) < 64) tab_width = (unsigned)atoi(word + 9);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (*word && strncmp(names[i].name, word, strlen(word)) == 0) {
                if (off) rule &= ~names[i].bits;
                else rule |= names[i].bits;
                break;
            }
    }
    if ((rule & WHITE_TAB) && (rule & WHITE_NO_TAB)) die("cannot enforce both tab-in-indent and indent-with-non-tab");
    free(setting);
    return rule;
}

/* Writes the line when `out` is there: what is wrong in the colour of white space. */
static unsigned walk_line(g_text *out, const char *line, size_t len, unsigned rule, const char *set) {
    unsigned wrong = 0;
    size_t end = len, written = 0, i = 0;
    const char *white = out ? diff_code(PART_WHITE) : "", *reset = out ? diff_reset() : "";
    bool cr = (rule & WHITE_CR) && len && line[len - 1] == '\r';
    if (cr) end = --len;
    if (rule & WHITE_AT_EOL) {
        while (end && isspace((unsigned char)line[end - 1])) end--;
        if (end < len) wrong |= WHITE_AT_EOL;
    }
    for (; i < end; i++) {
        if (line[i] == ' ') continue;
        if (line[i] != '\t') break;
        size_t spaces = i - written;
        if ((rule & WHITE_BEFORE_TAB) && spaces) {
            wrong |= WHITE_BEFORE_TAB;
            if (out) g_text_addf(out, "%s%.*s%s\t", white, (int)spaces, line + written, reset);
        } else if (rule & WHITE_TAB) {
            wrong |= WHITE_TAB;
            if (out) g_text_addf(out, "%.*s%s\t%s", (int)spaces, line + written, white, reset);
        } else if (out) {
            g_text_addf(out, "%.*s\t", (int)spaces, line + written);
        }
        written = i + 1;
    }
    if ((rule & WHITE_NO_TAB) && i - written >= tab_width) {
        wrong |= WHITE_NO_TAB;
        if (out) g_text_addf(out, "%s%.*s%s", white, (int)(i - written), line + written, reset);
        written = i;
    }
    if (!out) return wrong;
    if (end > written) g_text_addf(out, "%s%.*s%s", set, (int)(end - written), line + written, reset);
    if (end < len) {
        g_text_adds(out, white);
        g_text_add(out, line + end, len - end);
        g_text_adds(out, reset);
    }
    if (cr) g_text_addc(out, '\r');
    return wrong;
}

unsigned white_check(const char *line, size_t len, unsigned rule) { return walk_line(NULL, line, len, rule, ""); }

char *white_text(unsigned wrong) {
    static const struct { unsigned bit; const char *text; } names[] = {
        {WHITE_AT_EOL, "trailing whitespace"}, {WHITE_AT_EOF, "new blank line at EOF"}, {WHITE_BEFORE_TAB, "space before tab in indent"},
        {WHITE_NO_TAB, "indent with spaces"}, {WHITE_TAB, "tab in indent"}};
    g_text text = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wrong & names[i].bit) g_text_addf(&text, "%s%s", text.len ? ", " : "", names[i].text);
    return text.s;
}

/* How many lines a text has, and how many at its end are empty. */
static size_t count_lines(const char *text, size_t len, size_t *empty) {
    size_t lines = 0;
    *empty = 0;
    for (const char *at = text, *stop = text + len; at < stop;) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        const char *last = end ? end : stop;
        bool blank = true;
        for (; at < last; at++) blank &= isspace((unsigned char)*at) != 0;
        *empty = blank ? *empty + 1 : 0;
        lines++;
        at = end ? end + 1 : stop;
    }
    return lines;
}

size_t white_new_at_end(const char *old, size_t old_len, const char *new_, size_t new_len) {
    size_t old_empty, new_empty, lines;
    count_lines(old, old_len, &old_empty);
    lines = count_lines(new_, new_len, &new_empty);
    return new_empty > old_empty ? lines - new_empty + 1 : 0;
}

void diff_add_line(g_text *out, char mark, const char *text, size_t len, bool at_end) {
    unsigned rule = white_rule();
    int part = mark == '+' ? PART_NEW : mark == '-' ? PART_OLD : PART_CONTEXT;
    if (!diff_colored()) {
        g_text_addc(out, mark);
        g_text_add(out, text, len);
        return;
    }
    const char *set = codes[part];
    bool ended = len && text[len - 1] == '\n', white = diffs.white_lines >> part & 1, cr;
    if (ended) len--;
    if (white && at_end && (rule & WHITE_AT_EOF)) {
        g_text_addf(out, "%s%c", codes[PART_WHITE], mark);
        g_text_add(out, text, len);
        g_text_adds(out, COLOR_RESET);
    } else if (white) {
        g_text_addf(out, "%s%c%s", set, mark, COLOR_RESET);
        walk_line(out, text, len, rule, set);
    } else {
        cr = len && text[len - 1] == '\r';
        if (cr) len--;
        g_text_addf(out, "%s%c", set, mark);
        g_text_add(out, text, len);
        g_text_adds(out, COLOR_RESET);
        if (cr) g_text_addc(out, '\r');
    }
    if (ended) g_text_addc(out, '\n');
}
