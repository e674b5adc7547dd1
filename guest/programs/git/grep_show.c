/*
 * grep_show.c: the lines of one text that git grep shows, with what is around them.
 */
#include "function.h"
#include "grep.h"

#include <ctype.h>

grep_options grep_how;

static const char *code_name, *code_number, *code_column, *code_between, *code_match, *code_match_context;
static const char *code_selected, *code_context, *code_function, *reset;

void grep_colors(int when) {
    bool wanted = color_wanted(when, "grep");
    reset = wanted ? COLOR_RESET : "";
    code_name = color_of(wanted, "grep.filename", "magenta");
    code_number = color_of(wanted, "grep.linenumber", "green");
    code_column = color_of(wanted, "grep.column", "green");
    code_between = color_of(wanted, "grep.separator", "cyan");
    code_match = code_match_context = color_of(wanted, "grep.match", "bold red");
    if (wanted && config_string("color.grep.matchselected")) code_match = color_of(wanted, "grep.matchselected", "bold red");
    if (wanted && config_string("color.grep.matchcontext")) code_match_context = color_of(wanted, "grep.matchcontext", "bold red");
    code_selected = color_of(wanted, "grep.selected", "normal");
    code_context = color_of(wanted, "grep.context", "normal");
    code_function = color_of(wanted, "grep.function", "normal");
}

/* Text in a colour: without one as it is. */
static void colored(const char *code, const char *text, size_t len) {
    if (!len) return;
    if (*code) g_outs(code);
    g_out(text, len);
    if (*code) g_outs(reset);
}

static const char *name_now;
static const grep_line *lines;
static size_t total, last_shown; /* the number of a line, from 1; 0: none yet */
static bool marks_wanted; /* something was shown of a text before this one */

static void between(char mark) {
    if (grep_how.null) g_outc('\0');
    else colored(code_between, &mark, 1);
}

static void show_name(char behind) {
    colored(code_name, name_now, strlen(name_now));
    if (behind == '\n') g_outc(grep_how.null ? '\0' : '\n');
    else between(behind);
}

static void show_head(size_t number, long column, char mark) {
    char digits[32];
    if (grep_how.heading && !last_shown) colored(code_name, name_now, strlen(name_now)), g_outc('\n');
    last_shown = number;
    if (!grep_how.heading && !grep_how.no_name) show_name(mark);
    if (grep_how.number) {
        colored(code_number, digits, (size_t)snprintf(digits, sizeof digits, "%zu", number));
        between(mark);
    }
    if (grep_how.column && column) {
        colored(code_column, digits, (size_t)snprintf(digits, sizeof digits, "%ld", column));
        between(mark);
    }
}

static void show_mark(void) {
    bool blocks = grep_how.before || grep_how.after || grep_how.whole;
    if (grep_how.break_ && !last_shown) {
        if (marks_wanted) g_outc('\n');
        return;
    }
    if (!blocks || (last_shown ? false : !marks_wanted)) return;
    colored(code_between, "--", 2);
    g_outc('\n');
}

/* A line with its number from 1; `column` from 1, 0: it has none. */
static void show_line(size_t number, long column, char mark) {
    const grep_line *line = &lines[number - 1];
    const char *code = mark == ':' ? code_selected : mark == '-' ? code_context : code_function;
    const char *match = mark == ':' ? code_match : code_match_context;
    size_t at = 0;
    pf_range found;
    if (!last_shown || number > last_shown + 1) show_mark();
    if (!grep_how.only) show_head(number, column, mark);
    while ((*code_match || grep_how.only) && at <= line->len && grep_next(line, at, &found)) {
        size_t start = (size_t)found.start, end = (size_t)found.end;
        if (end == start) break;
        if (grep_how.only) show_head(number, column, mark);
        else colored(code, line->s + at, start - at);
        colored(match, line->s + start, end - start);
        if (grep_how.only) g_outc('\n');
        column += (long)(end - at);
        at = end;
    }
    if (grep_how.only) return;
    colored(code, line->s + at, line->len - at);
    g_outc('\n');
}

static bool is_empty(size_t number) {
    const grep_line *line = &lines[number - 1];
    for (size_t i = 0; i < line->len; i++)
        if (!isspace((unsigned char)line->s[i])) return false;
    return true;
}

static bool is_head(size_t number) { return is_function_head(lines[number - 1].s, lines[number - 1].len); }

/* The head of the function that line `number` is in, unless it was shown. */
static void show_function_line(size_t number) {
    while (number > 1) {
        if (--number <= last_shown) return;
        if (!is_head(number)) continue;
        show_line(number, 0, '=');
        return;
    }
}

/* What stands before a hit: lines of context, or all of its function and the comment above that. */
static void show_before(size_t hit) {
    size_t at = hit, head = 0, from = (size_t)grep_how.before < hit ? hit - (size_t)grep_how.before : 1, first;
    bool wants_head = grep_how.function, wants_comment = false;
    if (from <= last_shown) from = last_shown + 1;
    first = from;
    if (grep_how.whole) {
        if (is_head(hit)) wants_comment = true;
        else wants_head = true;
        from = last_shown + 1;
    }
    while (at > 1 && at > from) {
        at--;
        if (wants_comment && (is_empty(at) || is_head(at))) {
            wants_comment = false;
            from = first;
            if (at < from) {
                at++;
                break;
            }
        }
        if (!wants_head || !is_head(at)) continue;
        head = at;
        wants_head = false;
        if (grep_how.whole) wants_comment = true;
        else from = first;
    }
    if (grep_how.function && wants_head) show_function_line(at);
    for (; at < hit; at++) show_line(at, 0, at == head ? '=' : '-');
}

/* Whether the function that is shown goes on in line `number`: empty lines belong to what follows them. */
static bool goes_on(size_t number) {
    while (number <= total && is_empty(number)) number++;
    return number <= total && !is_head(number);
}

static grep_line *split(const char *data, size_t size) {
    grep_line *list = NULL;
    size_t cap = 0;
    total = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t len = end ? (size_t)(end - data) - at : size - at;
        if (total == cap) list = g_more(list, &cap, sizeof *list);
        list[total++] = (grep_line){data + at, len};
        at += len + 1;
    }
    return list;
}

/* The hits of the text and what is around them; how many, or -1: the answer is known. */
static long show_hits(bool binary, bool *answer) {
    long count = 0;
    size_t last_hit = 0;
    bool in_function = false;
    for (size_t number = 1; number <= total; number++) {
        long column, inverted;
        bool hit = grep_hit(&lines[number - 1], &column, &inverted) != grep_how.invert;
        if (grep_how.list_not && hit) return *answer = false, -1;
        if (grep_how.list_not) continue;
        if (hit && (grep_how.max_count < 0 || count < grep_how.max_count)) {
            count++;
            *answer = true;
            if (grep_how.quiet) return -1;
            if (grep_how.list) return show_name('\n'), -1;
            if (grep_how.count) continue;
            if (binary) {
                g_outs("Binary file ");
                colored(code_name, name_now, strlen(name_now));
                g_outs(" matches\n");
                return -1;
            }
            if (grep_how.before || grep_how.whole) show_before(number);
            else if (grep_how.function) show_function_line(number);
            if (grep_how.invert) column = inverted;
            show_line(number, (column < 0 ? 0 : column) + 1, ':');
            last_hit = number;
            in_function = grep_how.whole;
            continue;
        }
        if (in_function) in_function = goes_on(number);
        if (in_function || (last_hit && number <= last_hit + (size_t)grep_how.after)) show_line(number, column + 1, '-');
    }
    return count;
}

/* The attribute `diff` says it, else whether there is a zero byte. */
static bool is_binary(const char *path, const char *data, size_t size) {
    const char *value = NULL;
    if (grep_how.text) return false;
    if (repo && git_attr_get(&value, repo, 0, path, "diff") == 0) {
        if (git_attr_value(value) == GIT_ATTR_VALUE_FALSE) return true;
        if (git_attr_value(value) == GIT_ATTR_VALUE_TRUE) return false;
    }
    return memchr(data, 0, size < 8000 ? size : 8000) != NULL;
}

bool grep_text(const char *name, const char *path, const char *data, size_t size) {
    bool binary = is_binary(path, data, size), hit = false;
    if (binary && grep_how.no_binary) return false;
    grep_line *list = split(data, size);
    lines = list;
    name_now = name;
    if (last_shown) marks_wanted = true;
    last_shown = 0;
    if (grep_how.function || grep_how.whole) function_rules(path);
    if (grep_how.all_match) {
        grep_clear_hits();
        for (size_t i = 0; i < total; i++) grep_collect(&lines[i]);
    }
    if (!grep_how.all_match || grep_all_hit()) {
        long count = show_hits(binary, &hit);
        if (count >= 0 && grep_how.list_not) {
            hit = true;
            if (!grep_how.quiet) show_name('\n');
        } else if (count > 0 && grep_how.count && !grep_how.quiet) {
            if (!grep_how.no_name) show_name(':');
            g_outf("%ld\n", count);
        }
    }
    free(list);
    return hit;
}
