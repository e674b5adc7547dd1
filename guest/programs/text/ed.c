/*
 * ed.c: the line editor of POSIX, with GNU's options and words.
 *
 * help ed:
 *   Usage: ed [options] [file]
 *
 *   Options:
 *     -h, --help                 display this help and exit
 *     -V, --version              output version information and exit
 *     -E, --extended-regexp      use extended regular expressions
 *     -G, --traditional          run in compatibility mode
 *     -l, --loose-exit-status    exit with 0 status even if a command fails
 *     -p, --prompt=STRING        use STRING as an interactive prompt
 *     -q, --quiet, --silent      suppress diagnostics written to stderr
 *     -r, --restricted           run in restricted mode
 *     -s, --script               suppress byte counts and '!' prompt
 *     -v, --verbose              be verbose; equivalent to the 'H' command
 */
#include "ed.h"

#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const g_long longs[] = {{"extended-regexp", 'E', G_NONE},
                               {"traditional", 'G', G_NONE},
                               {"loose-exit-status", 'l', G_NONE},
                               {"prompt", 'p', G_REQUIRED},
                               {"quiet", 'q', G_NONE},
                               {"silent", 'q', G_NONE},
                               {"restricted", 'r', G_NONE},
                               {"script", 's', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {0}};

static enum ed_result fail(struct ed *ed, const char *why) {
    ed->error = why;
    return FAILED;
}

static enum ed_result verdict(bool ok) { return ok ? DONE : FAILED; }

/* ------------------------------------------------------------------ input */

bool ed_next_line(struct ed *ed, g_text *line) {
    line->len = 0;
    if (ed->global) {
        if (ed->global_at >= ed->global->len) return false;
        const char *s = ed->global->s + ed->global_at;
        const char *end = memchr(s, '\n', ed->global->len - ed->global_at);
        size_t len = end ? (size_t)(end - s) : ed->global->len - ed->global_at;
        g_text_add(line, s, len);
        ed->global_at += len + 1;
        return true;
    }
    g_line read;
    g_out_flush();
    if (!g_read_line(ed->input, &read)) return false;
    g_text_add(line, read.s, read.len);
    g_text_reserve(line, 1);
    line->s[line->len] = '\0';
    return true;
}

/* Lines of text up to a single `.`. */
static void take_text(struct ed *ed, struct ed_lines *lines) {
    g_text line = {0};
    while (ed_next_line(ed, &line)) {
        if (line.len == 1 && line.s[0] == '.') break;
        ed_lines_add(lines, ed_line_new(line.len ? line.s : "", line.len));
    }
    g_text_free(&line);
}

/* ------------------------------------------------------------------ output */

static void list_line(const struct ed_line *line) {
    static const char escapes[] = "\a\b\f\n\r\t\v\\", letters[] = "abfnrtv\\";
    size_t column = 0;
    for (size_t i = 0; i < line->len; i++) {
        unsigned char c = (unsigned char)line->text[i];
        char text[8];
        const char *escape = c ? strchr(escapes, c) : NULL;
        if (escape) snprintf(text, sizeof text, "\\%c", letters[escape - escapes]);
        else if (c == '$') snprintf(text, sizeof text, "\\$");
        else if (c < 32 || c >= 127) snprintf(text, sizeof text, "\\%03o", c);
        else snprintf(text, sizeof text, "%c", c);
        if (column + strlen(text) > 72) {
            g_outs("\\\n");
            column = 0;
        }
        g_outs(text);
        column += strlen(text);
    }
    g_outs("$\n");
}

static void print_lines(struct ed *ed, size_t first, size_t last, int how) {
    for (size_t i = first; i <= last && i >= 1; i++) {
        const struct ed_line *line = ed->now.line[i];
        if (how & 2) g_outf("%zu\t", i);
        if (how & 4) {
            list_line(line);
        } else {
            g_out(line->text, line->len);
            g_outc('\n');
        }
        ed->now.dot = i;
    }
}

bool ed_suffix(struct ed *ed) {
    for (; *ed->at && strchr("pnl", *ed->at); ed->at++)
        ed->print |= *ed->at == 'p' ? 1 : *ed->at == 'n' ? 2 : 4;
    if (*ed->at) ed->error = "Invalid command suffix";
    return *ed->at == '\0';
}

/* ------------------------------------------------------------------ commands */

static enum ed_result run(struct ed *ed);

static enum ed_result append(struct ed *ed, size_t after) {
    struct ed_lines made = {0};
    if (!ed_suffix(ed)) return FAILED;
    take_text(ed, &made);
    ed_remember(ed);
    if (made.count) ed_insert(ed, after, made.line + 1, made.count);
    else ed->now.dot = after;
    free(made.line);
    return DONE;
}

/* What was deleted or yanked, for x. */
static void cut(struct ed *ed, size_t first, size_t last) {
    ed->cut.count = 0;
    for (size_t i = first; i <= last; i++) ed_lines_add(&ed->cut, ed->now.line[i]);
}

static enum ed_result change(struct ed *ed, struct ed_addresses *a) {
    if (a->count == 0) a->first = a->last = ed->now.dot;
    bool nothing = a->first == 0 && a->last == 0;
    if (nothing && (a->count == 1 || ed->now.count == 0)) return append(ed, 0);
    if (!ed_check(ed, a, ed->now.dot, ed->now.dot) || !ed_suffix(ed)) return FAILED;
    struct ed_lines made = {0};
    take_text(ed, &made);
    ed_remember(ed);
    cut(ed, a->first, a->last);
    ed_delete(ed, a->first, a->last);
    if (made.count) ed_insert(ed, a->first - 1, made.line + 1, made.count);
    free(made.line);
    return DONE;
}

static enum ed_result join(struct ed *ed, struct ed_addresses *a) {
    if (!ed_check(ed, a, ed->now.dot, ed->now.dot + 1) || !ed_suffix(ed)) return FAILED;
    if (a->first == a->last) return DONE;
    g_text text = {0};
    for (size_t i = a->first; i <= a->last; i++)
        g_text_add(&text, ed->now.line[i]->text, ed->now.line[i]->len);
    struct ed_line *line = ed_line_new(text.len ? text.s : "", text.len);
    g_text_free(&text);
    ed_remember(ed);
    cut(ed, a->first, a->last);
    ed_delete(ed, a->first, a->last);
    ed_insert(ed, a->first - 1, &line, 1);
    return DONE;
}

/* The address behind m and t, or the current line. */
static bool destination(struct ed *ed, size_t *to) {
    struct ed_addresses a;
    if (!ed_addresses(ed, &a)) return false;
    *to = a.last;
    return ed_suffix(ed);
}

static enum ed_result move_or_copy(struct ed *ed, struct ed_addresses *a, bool moves) {
    size_t to = 0;
    if (!ed_check(ed, a, ed->now.dot, ed->now.dot) || !destination(ed, &to)) return FAILED;
    if (moves && to >= a->first && to < a->last) return fail(ed, "Invalid destination");
    size_t count = a->last - a->first + 1;
    struct ed_lines made = {0};
    for (size_t i = a->first; i <= a->last; i++) {
        const struct ed_line *line = ed->now.line[i];
        ed_lines_add(&made, moves ? ed->now.line[i] : ed_line_new(line->text, line->len));
    }
    ed_remember(ed);
    if (!moves) {
        ed_insert(ed, to, made.line + 1, count);
    } else if (to != a->last && to + 1 != a->first) {
        const struct ed_line *marks[26];
        memcpy(marks, ed->marks, sizeof marks);
        ed_delete(ed, a->first, a->last);
        memcpy(ed->marks, marks, sizeof marks);
        ed_insert(ed, to > a->last ? to - count : to, made.line + 1, count);
    } else {
        ed->now.dot = a->last;
    }
    free(made.line);
    return DONE;
}

/* The commands of g, up to a line without a backslash at its end. */
static void take_commands(struct ed *ed, g_text *list) {
    g_text line = {0};
    g_text_adds(list, *ed->at ? ed->at : "p");
    while (list->len && list->s[list->len - 1] == '\\' && ed_next_line(ed, &line)) {
        list->s[list->len - 1] = '\n';
        g_text_add(list, line.len ? line.s : "", line.len);
    }
    g_text_free(&line);
}

static enum ed_result run_list(struct ed *ed, g_text *list) {
    enum ed_result result = DONE;
    ed->global = list;
    ed->global_at = 0;
    g_text line = {0};
    while (result == DONE && ed_next_line(ed, &line)) {
        ed->at = line.len ? line.s : "";
        result = run(ed);
    }
    g_text_free(&line);
    ed->global = NULL;
    return result;
}

/* G and V show each line and ask for its command; & is the last one. */
static bool ask_commands(struct ed *ed, g_text *list) {
    g_text line = {0};
    print_lines(ed, ed->now.dot, ed->now.dot, 1);
    if (!ed_next_line(ed, &line)) return false;
    if (!(line.len == 1 && line.s[0] == '&')) {
        list->len = 0;
        g_text_add(list, line.len ? line.s : "", line.len);
    }
    g_text_free(&line);
    return true;
}

static enum ed_result global(struct ed *ed, struct ed_addresses *a, char how) {
    if (ed->global) return fail(ed, "Cannot nest global commands");
    if (!ed_check(ed, a, 1, ed->now.count)) return FAILED;
    char delimiter = *ed->at;
    if (delimiter) ed->at++;
    if (!ed_pattern(ed, delimiter)) return FAILED;
    if (*ed->at == delimiter) ed->at++;
    bool wanted = how == 'g' || how == 'G', asks = how == 'G' || how == 'V';
    struct ed_lines found = {0};
    for (size_t i = a->first; i <= a->last; i++)
        if (ed_matches(ed, ed->now.line[i]) == wanted) ed_lines_add(&found, ed->now.line[i]);
    g_text list = {0};
    if (!asks) take_commands(ed, &list);
    enum ed_result result = DONE;
    ed_remember(ed);
    for (size_t i = 1, at = 1; result == DONE && i <= found.count; i++) {
        for (at = 1; at <= ed->now.count && ed->now.line[at] != found.line[i]; at++) continue;
        if (at > ed->now.count) continue;
        ed->now.dot = at;
        if (asks && !ask_commands(ed, &list)) break;
        if (list.len) result = run_list(ed, &list);
    }
    free(found.line);
    g_text_free(&list);
    return result;
}

static enum ed_result scroll(struct ed *ed, struct ed_addresses *a) {
    static size_t rows = 22;
    if (a->count == 0) a->first = a->last = ed->now.dot + !ed->global;
    a->count = 1;
    if (!ed_check(ed, a, 1, 1)) return FAILED;
    if (isdigit((unsigned char)*ed->at)) rows = (size_t)strtol(ed->at, (char **)&ed->at, 10);
    if (!ed_suffix(ed)) return FAILED;
    size_t last = a->last + rows - 1;
    if (last > ed->now.count) last = ed->now.count;
    print_lines(ed, a->last, last, ed->print ? ed->print : 1);
    ed->print = 0;
    return DONE;
}

static enum ed_result name_file(struct ed *ed) {
    const char *name;
    if (!ed_name(ed, &name)) return FAILED;
    if (*name == '!') return fail(ed, "Invalid redirection");
    if (name != ed->file) ed_set_file(ed, name);
    g_outf("%s\n", ed->file);
    return DONE;
}

static enum ed_result show_lines(struct ed *ed, struct ed_addresses *a, char how) {
    if (!ed_check(ed, a, ed->now.dot, ed->now.dot) || !ed_suffix(ed)) return FAILED;
    print_lines(ed, a->first, a->last, ed->print | (how == 'p' ? 1 : how == 'n' ? 2 : 4));
    ed->print = 0;
    return DONE;
}

static enum ed_result mark(struct ed *ed, struct ed_addresses *a) {
    char letter = *ed->at;
    if (a->count == 0) a->last = ed->now.dot;
    if (a->last == 0) return fail(ed, "Invalid address");
    if (!letter) return fail(ed, "Invalid command suffix");
    if (!islower((unsigned char)letter)) return fail(ed, "Invalid mark character");
    ed->at++;
    if (!ed_suffix(ed)) return FAILED;
    ed->marks[letter - 'a'] = ed->now.line[a->last];
    return DONE;
}

static enum ed_result yank(struct ed *ed, struct ed_addresses *a, char c) {
    if (c == 'x') {
        if (!ed_suffix(ed)) return FAILED;
        if (ed->cut.count == 0) return fail(ed, "Nothing to put");
        ed_remember(ed);
        ed_insert(ed, a->last, ed->cut.line + 1, ed->cut.count);
        return DONE;
    }
    if (!ed_check(ed, a, ed->now.dot, ed->now.dot) || !ed_suffix(ed)) return FAILED;
    cut(ed, a->first, a->last);
    if (c == 'y') return DONE;
    ed_remember(ed);
    ed_delete(ed, a->first, a->last);
    return DONE;
}

/* A command that has no addresses and nothing behind it but p, n and l. */
static enum ed_result setting(struct ed *ed, char c) {
    if (!ed_suffix(ed)) return FAILED;
    switch (c) {
    case 'h':
        if (ed->said) g_outf("%s\n", ed->said);
        return DONE;
    case 'H':
        ed->help = !ed->help;
        if (ed->help && ed->said) g_outf("%s\n", ed->said);
        return DONE;
    case 'P': ed->prompting = !ed->prompting; return DONE;
    case 'u': return verdict(ed_undo(ed));
    case 'Q': return QUIT;
    default: return ed->modified && !ed->warned ? WARNED : QUIT;
    }
}

static enum ed_result dispatch(struct ed *ed, struct ed_addresses *a, char c) {
    bool addressed = a->count > 0;
    if (c && addressed && strchr("eEfhHPqQu", c)) return fail(ed, "Unexpected address");
    switch (c) {
    case 'a': return append(ed, a->last);
    case 'i': return append(ed, a->last > 0 ? a->last - 1 : 0);
    case 'c': return change(ed, a);
    case 'd': case 'y': case 'x': return yank(ed, a, c);
    case 'e': return ed_edit(ed, false);
    case 'E': return ed_edit(ed, true);
    case 'f': return name_file(ed);
    case 'g': case 'v': case 'G': case 'V': return global(ed, a, c);
    case 'h': case 'H': case 'P': case 'q': case 'Q': case 'u': return setting(ed, c);
    case 'j': return join(ed, a);
    case 'k': return mark(ed, a);
    case 'm': case 't': return move_or_copy(ed, a, c == 'm');
    case 'p': case 'n': case 'l': return show_lines(ed, a, c);
    case 'r': return ed_read(ed, addressed ? a->last : ed->now.count);
    case 's':
        return verdict(ed_check(ed, a, ed->now.dot, ed->now.dot) &&
                       ed_substitute(ed, a->first, a->last));
    case 'w': case 'W': return ed_write(ed, a, c);
    case 'z': return scroll(ed, a);
    case '!': return addressed ? fail(ed, "Unexpected address") : ed_shell(ed);
    case '#': return DONE;
    case '=':
        if (!ed_suffix(ed)) return FAILED;
        g_outf("%zu\n", addressed ? a->last : ed->now.count);
        return DONE;
    case '\0':
        a->first = addressed ? a->last : ed->now.dot + !ed->global;
        a->last = a->first;
        a->count = 1;
        return show_lines(ed, a, 'p');
    default: return fail(ed, "Unknown command");
    }
}

static enum ed_result run(struct ed *ed) {
    struct ed_addresses a;
    ed->print = 0;
    if (!ed_addresses(ed, &a)) return FAILED;
    ed_blanks(ed);
    char c = *ed->at;
    if (c) ed->at++;
    enum ed_result result = dispatch(ed, &a, c);
    if (result == DONE && ed->print && ed->now.dot)
        print_lines(ed, ed->now.dot, ed->now.dot, ed->print);
    return result;
}

/* ------------------------------------------------------------------ the editor */

static void complain(struct ed *ed, enum ed_result result) {
    if (result == WARNED) ed->error = "Warning: buffer modified";
    ed->said = ed->error;
    g_outs("?\n");
    if (ed->help) g_outf("%s\n", ed->said);
}

/* The exit status. */
static int session(struct ed *ed, bool loose) {
    int status = 0;
    g_text line = {0};
    for (;;) {
        if (ed->prompting) g_outs(ed->prompt ? ed->prompt : "*");
        enum ed_result result;
        if (ed_next_line(ed, &line)) {
            ed->at = line.s;
            result = run(ed);
        } else if (ed->modified && !ed->warned) {
            complain(ed, WARNED);
            return loose ? 0 : 2;
        } else {
            return status;
        }
        if (result == QUIT) return status;
        ed->warned = result == WARNED;
        if (result == DONE) continue;
        complain(ed, result);
        if (!loose) status = 1;
    }
}

int ed_main(int argc, char **argv) {
    struct ed ed = {0};
    bool loose = false;
    g_options o = g_options_of(argc, argv, "EGhlp:qrsvV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'E': ed.extended = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'l': loose = true; break;
        case 'p':
            ed.prompt = g_copy_string(o.arg);
            ed.prompting = true;
            break;
        case 'q': ed.silent = true; break;
        case 'r': ed.restricted = true; break;
        case 's': ed.quiet = true; break;
        case 'v': ed.help = true; break;
        case 'V': g_print_version(); return 0;
        }
    g_reader input;
    g_reader_init(&input, STDIN_FILENO, '\n');
    ed.input = &input;
    for (int i = o.at; i < argc && !ed.file; i++) {
        ed.at = argv[i];
        ed_start(&ed, argv[i]);
    }
    return session(&ed, loose);
}
