/*
 * diff_words.c: --word-diff: a hunk's lines with what changed within them.
 *
 * Lines that went and lines that came are compared word by word; the text between the words is that of
 * the lines that came (git-diff(1), --word-diff).
 */
#include "diff_color.h"

#include <ctype.h>

#include "g_regex.h"

typedef struct {
    size_t begin, end; /* in the side's text */
} word;

typedef struct {
    g_text text;
    word *words; /* the first, empty one stands for the beginning of the text */
    size_t count, cap;
    g_text lines; /* a word a line */
} word_side;

/* How a piece of text is written; `line` instead of each of its line ends. */
typedef struct {
    const char *before, *after;
} style;
static const style plain[] = {{"", ""}, {"[-", "-]"}, {"{+", "+}"}};
static const style porcelain[] = {{" ", "\n"}, {"-", "\n"}, {"+", "\n"}};
enum { KEPT, REMOVED, ADDED };

static word_side minus, plus;
static size_t written; /* of plus.text */
static g_text *to;

static void write_piece(int kind, const char *text, size_t len) {
    static const int parts[] = {PART_CONTEXT, PART_OLD, PART_NEW};
    const style *s = diffs.words == WORDS_PORCELAIN ? &porcelain[kind] : diffs.words == WORDS_COLOR ? &plain[KEPT] : &plain[kind];
    const char *code = diff_code(parts[kind]), *reset = *code ? diff_reset() : "";
    while (len) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) : len;
        if (line) {
            g_text_addf(to, "%s%s", code, s->before);
            g_text_add(to, text, line);
            g_text_addf(to, "%s%s", s->after, reset);
        }
        if (!end) return;
        g_text_adds(to, diffs.words == WORDS_PORCELAIN ? "~\n" : "\n");
        len -= line + 1;
        text = end + 1;
    }
}

static pf_regex *word_regex(void) {
    static pf_regex *re;
    const char *message, *text = diffs.word_regex;
    if (!re && text &&
        pf_regex_compile(&re, text, strlen(text), PF_RE_EXTENDED | PF_RE_NEWLINE, &g_regex_host, &message) != PF_RE_OK)
        die("invalid regular expression: %s", text);
    return re;
}

/* The next word at or behind `from`; false at the end. A word ends with its line. */
static bool next_word(const g_text *text, size_t from, word *found) {
    pf_regex *re = word_regex();
    pf_range range[1];
    if (!re) {
        while (from < text->len && isspace((unsigned char)text->s[from])) from++;
        found->begin = from;
        while (from < text->len && !isspace((unsigned char)text->s[from])) from++;
        found->end = from;
        return found->begin < found->end;
    }
    while (from < text->len && pf_regex_search(re, text->s, text->len, from, 0, range, 1) == PF_RE_OK) {
        size_t begin = (size_t)range[0].start, end = (size_t)range[0].end;
        const char *line = memchr(text->s + begin, '\n', end - begin);
        if (line) end = (size_t)(line - text->s);
        *found = (word){begin, end};
        if (begin < end) return true;
        from = begin + 1;
    }
    return false;
}

static void add_word(word_side *side, word w) {
    if (side->count == side->cap) side->words = g_more(side->words, &side->cap, sizeof *side->words);
    side->words[side->count++] = w;
    if (w.begin == w.end) return;
    g_text_add(&side->lines, side->text.s + w.begin, w.end - w.begin);
    g_text_addc(&side->lines, '\n');
}

static void split(word_side *side) {
    word w = {0, 0};
    side->count = side->lines.len = 0;
    add_word(side, w);
    while (next_word(&side->text, w.end, &w)) add_word(side, w);
}

/* From where to where `count` words lie; without any it is the end of the word before. */
static word stretch(const word_side *side, int first, int count) {
    if (!count) return (word){side->words[first].end, side->words[first].end};
    return (word){side->words[first].begin, side->words[first + count - 1].end};
}

static int at_change(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload) {
    word old = stretch(&minus, hunk->old_start, hunk->old_lines);
    word new_ = stretch(&plus, hunk->new_start, hunk->new_lines);
    (void)delta, (void)payload;
    write_piece(KEPT, plus.text.s + written, new_.begin - written);
    write_piece(REMOVED, minus.text.s + old.begin, old.end - old.begin);
    write_piece(ADDED, plus.text.s + new_.begin, new_.end - new_.begin);
    written = new_.end;
    return 0;
}

static int each_line(const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *line, void *payload) {
    (void)delta, (void)hunk, (void)line, (void)payload;
    return 0;
}

/* What was gathered since the last line that both sides have. */
static void flush(void) {
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    if (!plus.text.len) {
        write_piece(REMOVED, minus.text.s, minus.text.len);
    } else {
        split(&minus);
        split(&plus);
        written = 0;
        o.context_lines = 0;
        o.flags = GIT_DIFF_FORCE_TEXT;
        check(git_diff_buffers(minus.lines.s, minus.lines.len, NULL, plus.lines.s, plus.lines.len, NULL, &o, NULL,
                               NULL, at_change, each_line, NULL));
        write_piece(KEPT, plus.text.s + written, plus.text.len - written);
    }
    minus.text.len = plus.text.len = 0;
}

static void add_line(g_text *text, const git_diff_line *line) {
    g_text_add(text, line->content, line->content_len);
    if (!line->content_len || line->content[line->content_len - 1] != '\n') g_text_addc(text, '\n');
}

void diff_write_words(g_text *out, git_patch *patch, size_t hunk, size_t lines) {
    to = out;
    for (size_t l = 0; l < lines; l++) {
        const git_diff_line *line;
        check(git_patch_get_line_in_hunk(&line, patch, hunk, l));
        if (line->origin == '-') add_line(&minus.text, line);
        if (line->origin == '+') add_line(&plus.text, line);
        if (line->origin != ' ') continue;
        flush();
        size_t before = out->len;
        if (diffs.words == WORDS_PORCELAIN) g_text_addc(out, ' ');
        add_line(out, line);
        diff_paint(out, before, PART_CONTEXT);
        if (diffs.words == WORDS_PORCELAIN) g_text_adds(out, "~\n");
    }
    flush();
}
