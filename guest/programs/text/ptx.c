/*
 * ptx.c: permuted indexes: every keyword of the input in its context, sorted.
 *
 * help ptx:
 *   Usage: ptx [OPTION]... [INPUT]...   (without -G)
 *     or:  ptx -G [OPTION]... [INPUT [OUTPUT]]
 *   Output a permuted index, including context, of the words in the input files.
 *
 *     -A, --auto-reference           output automatically generated references
 *     -G, --traditional              behave more like System V 'ptx'
 *     -F, --flag-truncation=STRING   use STRING for flagging line truncations; '/' by default
 *     -M, --macro-name=STRING        macro name to use instead of 'xx'
 *     -O, --format=roff              generate output as roff directives
 *     -R, --right-side-refs          put references at right, not counted in -w
 *     -S, --sentence-regexp=REGEXP   for end of lines or end of sentences
 *     -T, --format=tex               generate output as TeX directives
 *     -W, --word-regexp=REGEXP       use REGEXP to match each keyword
 *     -b, --break-file=FILE          word break characters in this FILE
 *     -f, --ignore-case              fold lower case to upper case for sorting
 *     -g, --gap-size=NUMBER          gap size in columns between output fields
 *     -i, --ignore-file=FILE         read ignore word list from FILE
 *     -o, --only-file=FILE           read only word list from this FILE
 *     -r, --references               first field of each line is a reference
 *     -t, --typeset-mode             accepted, changes nothing
 *     -w, --width=NUMBER             output width in columns, reference excluded
 *         --help                     display this help and exit
 *         --version                  output version information and exit
 */
#include "ptx.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_regex.h"
#include "g_text.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ptx_span *words;
    size_t count, cap;
    bool used;
} word_list;

typedef struct {
    ptx_options o;
    const char *sentence_text, *word_text; /* regular expressions, as given */
    struct pf_regex *sentence;
    const char *break_file, *ignore_file, *only_file;
    word_list ignore, only;
    ptx_file *files;
    size_t file_count;
    ptx_occurrence *found;
    size_t found_count, found_cap;
} index_of;

static bool folds; /* --ignore-case, for qsort() */

static int compare_words(ptx_span a, ptx_span b) {
    size_t a_len = (size_t)(a.end - a.start), b_len = (size_t)(b.end - b.start);
    for (size_t i = 0; i < a_len && i < b_len; i++) {
        int x = (unsigned char)a.start[i], y = (unsigned char)b.start[i];
        if (folds) x = toupper(x), y = toupper(y);
        if (x != y) return x < y ? -1 : 1;
    }
    return (a_len > b_len) - (a_len < b_len);
}

static int by_word(const void *a, const void *b) {
    return compare_words(*(const ptx_span *)a, *(const ptx_span *)b);
}

static int by_key(const void *a, const void *b) {
    const ptx_occurrence *x = a, *y = b;
    int order = compare_words(x->key, y->key);
    if (order) return order;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->key.start > y->key.start) - (x->key.start < y->key.start);
}

/* A regular expression of Emacs's kind, as ptx has them: groups are \( \), alternatives \|, and
 * + and ? are operators. */
static struct pf_regex *compile(const char *text) {
    g_text extended = {0};
    for (const char *s = text; *s; s++) {
        if (*s == '\\' && s[1]) {
            s++;
            if (!strchr("()|", *s)) g_text_addc(&extended, '\\');
            g_text_addc(&extended, *s);
        } else if (*s == '[') {
            const char *end = s + 1 + (s[1] == '^');
            if (*end) end = strchr(end + 1, ']');
            if (!end || !*end) end = s + strlen(s) - 1;
            g_text_add(&extended, s, (size_t)(end - s) + 1);
            s = end;
        } else {
            if (strchr("(){}|", *s)) g_text_addc(&extended, '\\');
            g_text_addc(&extended, *s);
        }
    }
    struct pf_regex *re;
    const char *problem;
    unsigned flags = PF_RE_EXTENDED | PF_RE_NEWLINE | PF_RE_BYTES | (folds ? PF_RE_ICASE : 0);
    if (pf_regex_compile(&re, extended.s ? extended.s : "", extended.len, flags, &g_regex_host,
                         &problem) != PF_RE_OK)
        g_die(1, "%s (for regexp %s)", problem, g_quote(text));
    g_text_free(&extended);
    return re;
}

/* Escapes of the options' texts: those of C. */
static char *unescape(const char *s) {
    static const char letters[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
    char *out = g_alloc(strlen(s) + 1), *to = out;
    while (*s) {
        if (*s != '\\' || !s[1]) {
            *to++ = *s++;
            continue;
        }
        s++;
        const char *known = strchr(letters, *s);
        int value = 0, digits = 0;
        if (known && *known != '\\') {
            *to++ = values[known - letters];
            s++;
        } else if (*s == 'x') {
            for (s++; digits < 3 && isxdigit((unsigned char)*s); digits++, s++)
                value = value * 16 + (isdigit((unsigned char)*s) ? *s - '0' : (*s | 32) - 'a' + 10);
            if (digits) {
                *to++ = (char)value;
            } else {
                *to++ = '\\';
                *to++ = 'x';
            }
        } else if (*s == '0') {
            for (s++; digits < 3 && *s >= '0' && *s <= '7'; digits++, s++)
                value = value * 8 + *s - '0';
            *to++ = (char)value;
        } else if (*s == 'c') {
            break;
        } else {
            *to++ = '\\';
            *to++ = *s++;
        }
    }
    *to = '\0';
    return out;
}

static ptx_span read_file(const char *name) {
    int fd = g_open_input(name ? name : "-");
    if (fd < 0) g_exit(1);
    size_t len;
    char *all = g_read_all(fd, &len);
    if (!all) g_die_errno(1, errno, "%s", g_quotef(name ? name : "-"));
    g_close_input(fd);
    return (ptx_span){all, all + len};
}

static const char *optional_name(const char *name) {
    return !*name || strcmp(name, "-") == 0 ? NULL : name;
}

static void read_breaks(index_of *x) {
    memset(x->o.word, 1, sizeof x->o.word);
    ptx_span all = read_file(optional_name(x->break_file));
    for (const char *s = all.start; s < all.end; s++) x->o.word[(unsigned char)*s] = false;
    if (!x->o.gnu) x->o.word[' '] = x->o.word['\t'] = x->o.word['\n'] = false;
}

static void read_words(word_list *list, const char *name) {
    ptx_span all = read_file(optional_name(name));
    for (const char *s = all.start; s < all.end;) {
        const char *stop = memchr(s, '\n', (size_t)(all.end - s));
        if (!stop) stop = all.end;
        if (stop > s) {
            if (list->count == list->cap)
                list->words = g_more(list->words, &list->cap, sizeof *list->words);
            list->words[list->count++] = (ptx_span){s, stop};
        }
        s = stop + 1;
    }
    list->used = true;
    if (list->count) qsort(list->words, list->count, sizeof *list->words, by_word);
}

static bool has_word(const word_list *list, ptx_span word) {
    return list->count && bsearch(&word, list->words, list->count, sizeof word, by_word);
}

/* Behind the end of a sentence: a mark, closing ones, and the end of the line or two blanks. */
static const char *sentence_end(const char *at, const char *limit) {
    for (; at < limit; at++) {
        if (!strchr(".?!", *at) || !*at) continue;
        const char *s = at + 1;
        while (s < limit && *s && strchr("]\"')}", *s)) s++;
        bool end =
            s == limit || *s == '\n' || *s == '\t' || (*s == ' ' && s + 1 < limit && s[1] == ' ');
        if (!end) continue;
        while (s < limit && (*s == ' ' || *s == '\t' || *s == '\n')) s++;
        return s;
    }
    return limit;
}

static const char *context_end(const index_of *x, const char *at, ptx_span text) {
    if (x->sentence) {
        pf_range range;
        size_t len = (size_t)(text.end - text.start);
        if (pf_regex_search(x->sentence, text.start, len, (size_t)(at - text.start), 0, &range,
                            1) == PF_RE_OK) {
            if (range.end == at - text.start)
                g_die(1, "error: regular expression has a match of length zero: %s",
                      g_quote(x->sentence_text));
            return text.start + range.end;
        }
        return text.end;
    }
    if (x->sentence_text) return text.end; /* an empty expression: all is one context */
    if (x->o.gnu && !x->o.input_reference) return sentence_end(at, text.end);
    const char *stop = memchr(at, '\n', (size_t)(text.end - at));
    return stop ? stop + 1 : text.end;
}

bool ptx_find_word(const ptx_options *o, ptx_span range, ptx_span *word) {
    if (o->word_regex) {
        pf_range match;
        if (pf_regex_search(o->word_regex, range.start, (size_t)(range.end - range.start), 0, 0,
                            &match, 1) != PF_RE_OK)
            return false;
        *word = (ptx_span){range.start + match.start, range.start + match.end};
        return true;
    }
    const char *s = range.start;
    while (s < range.end && !o->word[(unsigned char)*s]) s++;
    word->start = s;
    while (s < range.end && o->word[(unsigned char)*s]) s++;
    word->end = s;
    return word->start < word->end;
}

/* The line that a file's reading is in, for references. */
typedef struct {
    const char *start, *reference_end;
    uint64_t number;
} line_state;

static const char *skip_word(const char *s, const char *limit) {
    while (s < limit && !isspace((unsigned char)*s)) s++;
    return s;
}

/* Goes to the line that `at` is in. */
static void follow_lines(const index_of *x, line_state *line, const char *at, const char *limit) {
    if (!x->o.auto_reference && !x->o.input_reference) return;
    for (const char *stop; (stop = memchr(line->start, '\n', (size_t)(at - line->start)));) {
        line->number++;
        line->start = stop + 1;
        line->reference_end = skip_word(line->start, limit);
    }
}

static void add(index_of *x, ptx_occurrence o) {
    if (x->found_count == x->found_cap)
        x->found = g_more(x->found, &x->found_cap, sizeof *x->found);
    x->found[x->found_count++] = o;
}

static void find_in_context(index_of *x, const ptx_file *file, ptx_span context, line_state *line) {
    ptx_span rest = context, word;
    while (ptx_find_word(&x->o, rest, &word)) {
        rest.start = word.end;
        if (word.end == word.start) { /* of length zero: the next byte */
            if (rest.start == rest.end) return;
            rest.start++;
            continue;
        }
        if (word.end - word.start > x->o.longest_word) x->o.longest_word = word.end - word.start;
        follow_lines(x, line, word.start, file->text.end);
        if (x->o.input_reference && line->reference_end > word.start) continue;
        if (x->ignore.used && has_word(&x->ignore, word)) continue;
        if (x->only.used && !has_word(&x->only, word)) continue;
        ptx_occurrence found = {
            word, context, {line->start, line->reference_end}, file, line->number};
        if (x->o.input_reference) {
            int64_t width = found.reference.end - found.reference.start;
            if (width > x->o.reference_width) x->o.reference_width = width;
            if (context.start <= line->start && line->start < context.end) {
                /* What a line begins with stands in no context. */
                const char *s = line->reference_end;
                while (s < context.end && isspace((unsigned char)*s)) s++;
                if (context.start == line->start) found.context.start = s;
            }
        }
        add(x, found);
    }
}

static void find_in_file(index_of *x, const ptx_file *file) {
    const char *limit = file->text.end;
    line_state line = {file->text.start, skip_word(file->text.start, limit), 0};
    for (const char *at = file->text.start, *next; at < limit; at = next) {
        pf_yield();
        next = context_end(x, at, file->text);
        ptx_span context = {at, next};
        while (context.end > context.start && isspace((unsigned char)context.end[-1]))
            context.end--;
        find_in_context(x, file, context, &line);
    }
}

enum { OUTPUT_ROFF = 1, OUTPUT_TEX };
static const g_word formats[] = {{"roff", PTX_ROFF}, {"tex", PTX_TEX}, {0}};
static const g_long longs[] = {{"auto-reference", 'A', G_NONE},
                               {"break-file", 'b', G_REQUIRED},
                               {"flag-truncation", 'F', G_REQUIRED},
                               {"ignore-case", 'f', G_NONE},
                               {"gap-size", 'g', G_REQUIRED},
                               {"ignore-file", 'i', G_REQUIRED},
                               {"macro-name", 'M', G_REQUIRED},
                               {"only-file", 'o', G_REQUIRED},
                               {"references", 'r', G_NONE},
                               {"right-side-refs", 'R', G_NONE},
                               {"format", 10, G_REQUIRED},
                               {"sentence-regexp", 'S', G_REQUIRED},
                               {"traditional", 'G', G_NONE},
                               {"typeset-mode", 't', G_NONE},
                               {"width", 'w', G_REQUIRED},
                               {"word-regexp", 'W', G_REQUIRED},
                               {0}};

static int64_t read_size(const char *text, const char *what) {
    int64_t value;
    char *end;
    errno = 0;
    value = strtoll(text, &end, 0);
    if (end == text || *end || errno || value <= 0)
        g_die(1, "invalid %s width: %s", what, g_quote(text));
    return value;
}

static void set_option(index_of *x, int option, const char *arg) {
    ptx_options *o = &x->o;
    switch (option) {
    case 'A': o->auto_reference = true; break;
    case 'b': x->break_file = arg; break;
    case 'F': o->truncation = unescape(arg); break;
    case 'f': o->fold = true; break;
    case 'G': o->gnu = false; break;
    case 'g': o->gap = read_size(arg, "gap"); break;
    case 'i': x->ignore_file = arg; break;
    case 'M': o->macro = arg; break;
    case 'O': o->format = PTX_ROFF; break;
    case 'o': x->only_file = arg; break;
    case 'R': o->right_reference = true; break;
    case 'r': o->input_reference = true; break;
    case 'S': x->sentence_text = unescape(arg); break;
    case 'T': o->format = PTX_TEX; break;
    case 'W': x->word_text = unescape(arg); break;
    case 'w': o->width = read_size(arg, "line"); break;
    case 10: o->format = (enum ptx_format)g_match_word("--format", arg, formats); break;
    }
}

static void open_output(const char *name) {
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) g_die_errno(1, errno, "%s", g_quotef(name));
    dup2(fd, STDOUT_FILENO);
}

static void take_operands(index_of *x, int count, char **names) {
    static char *standard[] = {NULL};
    if (count == 0 || !x->o.gnu) {
        if (count > 2) g_extra_operand(names[2]);
        if (count == 2) open_output(names[1]);
        if (count == 0) names = standard;
        count = 1;
    }
    x->files = g_zalloc((size_t)count * sizeof *x->files);
    x->file_count = (size_t)count;
    for (int i = 0; i < count; i++) x->files[i].name = names[i] ? optional_name(names[i]) : NULL;
}

static void prepare_words(index_of *x) {
    folds = x->o.fold;
    if (x->sentence_text && *x->sentence_text) x->sentence = compile(x->sentence_text);
    if (x->word_text && *x->word_text)
        x->o.word_regex = compile(x->word_text);
    else if (x->break_file)
        read_breaks(x);
    else
        for (int c = 0; c < 256; c++)
            x->o.word[c] = x->o.gnu ? isalpha(c) : c != ' ' && c != '\t' && c != '\n';
    if (x->ignore_file) read_words(&x->ignore, x->ignore_file);
    if (x->only_file) read_words(&x->only, x->only_file);
}

int ptx_main(int argc, char **argv) {
    index_of x = {.o = {.gnu = true, .truncation = "/", .macro = "xx", .gap = 3, .width = 72}};
    g_options o = g_options_of(argc, argv, "AF:GM:ORS:TW:b:i:fg:o:trw:", longs);
    for (int option; (option = g_option(&o)) >= 0;) set_option(&x, option, o.arg);
    take_operands(&x, argc - o.at, argv + o.at);
    if (!x.o.gnu && x.o.format == PTX_DUMB) x.o.format = PTX_ROFF;
    prepare_words(&x);
    for (size_t i = 0; i < x.file_count; i++) {
        ptx_file *file = &x.files[i];
        file->text = read_file(file->name);
        find_in_file(&x, file);
        if (!x.o.auto_reference) continue;
        uint64_t lines = 0;
        for (const char *s = file->text.start; (s = memchr(s, '\n', (size_t)(file->text.end - s)));
             s++)
            lines++;
        g_text width = {0};
        g_text_addf(&width, "%s:%llu", file->name ? file->name : "", (unsigned long long)lines + 1);
        if ((int64_t)width.len > x.o.reference_width) x.o.reference_width = (int64_t)width.len;
        g_text_free(&width);
    }
    if (x.found_count) qsort(x.found, x.found_count, sizeof *x.found, by_key);
    ptx_prepare_layout(&x.o);
    for (size_t i = 0; i < x.found_count; i++) ptx_put(&x.o, &x.found[i]);
    return 0;
}
