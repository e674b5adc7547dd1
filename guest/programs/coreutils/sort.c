/*
 * sort.c: sorts lines.
 *
 * This file reads the options; sort_key.c compares, sort_run.c sorts. Text compares by bytes, which
 * in UTF-8 is the order of code points. -S, -T, --parallel, --batch-size, --compress-program are
 * accepted and have no effect: everything is sorted in memory.
 *
 * help sort:
 *   Usage: sort [OPTION]... [FILE]...
 *     or:  sort [OPTION]... --files0-from=F
 *   Write sorted concatenation of all FILE(s) to standard output.
 *
 *   Ordering options:
 *     -b, --ignore-leading-blanks  ignore leading blanks
 *     -d, --dictionary-order      consider only blanks and alphanumeric characters
 *     -f, --ignore-case           fold lower case to upper case characters
 *     -g, --general-numeric-sort  compare according to general numerical value
 *     -i, --ignore-nonprinting    consider only printable characters
 *     -M, --month-sort            compare (unknown) < 'JAN' < ... < 'DEC'
 *     -h, --human-numeric-sort    compare human readable numbers (e.g., 2K 1G)
 *     -n, --numeric-sort          compare according to string numerical value
 *     -R, --random-sort           shuffle, but group identical keys. See shuf(1)
 *         --random-source=FILE    get random bytes from FILE
 *     -r, --reverse               reverse the result of comparisons
 *         --sort=WORD             general-numeric -g, human-numeric -h, month -M, numeric -n,
 *                                   random -R, version -V
 *     -V, --version-sort          natural sort of (version) numbers within text
 *   Other options:
 *         --batch-size=NMERGE     (ignored)
 *     -c, --check, --check=diagnose-first  check for sorted input; do not sort
 *     -C, --check=quiet, --check=silent  like -c, but do not report first bad line
 *         --compress-program=PROG  (ignored)
 *         --files0-from=F         read input from the files specified by NUL-terminated names in F
 *     -k, --key=KEYDEF            sort via a key; KEYDEF gives location and type
 *     -m, --merge                 merge already sorted files; do not sort
 *     -o, --output=FILE           write result to FILE instead of standard output
 *     -s, --stable                stabilize sort by disabling last-resort comparison
 *     -S, --buffer-size=SIZE      (ignored)
 *     -t, --field-separator=SEP   use SEP instead of non-blank to blank transition
 *     -T, --temporary-directory=DIR  (ignored)
 *         --parallel=N            (ignored)
 *     -u, --unique                output only the first of an equal run; with -c, check for strict
 *                                   ordering
 *     -z, --zero-terminated       line delimiter is NUL, not newline
 *         --help                  display this help and exit
 *         --version               output version information and exit
 *
 *   KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a field number and C
 *   a character position in the field; both are origin 1. OPTS is one or more single-letter
 *   ordering options [bdfgiMhnRrV]. The old form +F[.C] [-F[.C]] (origin 0) is accepted.
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"
#include "sort.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn static void bad_spec(const char *spec, const char *why) {
    g_die(2, "%s: invalid field specification %s", why, g_quote(spec));
}

static const char *read_count(const char *text, size_t *out, const char *what) {
    uint64_t value;
    const char *end;
    if (!isdigit((unsigned char)*text)) g_die(2, "%s: invalid count at start of %s", what, g_quote(text));
    enum g_number_result result = g_parse_unsigned(text, NULL, &value, &end);
    *out = result == G_NUMBER_OVERFLOW || value > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)value;
    return end;
}

/* Those that exclude each other, and f; in the order in which they are named. */
static const char orderings[] = "dfghiMnRV";

enum where { AT_START, AT_END, AT_BOTH };

/* Ordering letters at `s`; returns the first byte that is none. */
static const char *read_ordering(const char *s, sort_key *k, enum where where) {
    for (;; s++) {
        switch (*s) {
        case 'b':
            if (where != AT_END) k->skip_start_blanks = true;
            if (where != AT_START) k->skip_end_blanks = true;
            break;
        case 'd': k->dictionary = true; break;
        case 'f': k->fold = true; break;
        case 'g': k->kind = SORT_GENERAL; break;
        case 'h': k->kind = SORT_HUMAN; break;
        case 'i':
            if (!k->dictionary) k->printable = true;
            break;
        case 'M': k->kind = SORT_MONTH; break;
        case 'n': k->kind = SORT_NUMERIC; break;
        case 'R': k->kind = SORT_RANDOM; break;
        case 'r': k->reverse = true; break;
        case 'V': k->kind = SORT_VERSION; break;
        default: return s;
        }
        const char *known = strchr(orderings, *s);
        if (known) k->letters |= 1u << (known - orderings);
        k->own_options = true;
    }
}

/* More than one of the orderings that exclude each other is an error. */
static void check_letters(unsigned seen) {
#define SEEN(letter) (seen >> (strchr(orderings, letter) - orderings) & 1)
    unsigned kinds = SEEN('g') + SEEN('h') + SEEN('M') + SEEN('n') +
                     (SEEN('V') || SEEN('R') || SEEN('d') || SEEN('i'));
    if (kinds <= 1) return;
    char text[16];
    size_t at = 0;
    for (const char *p = orderings; *p; p++)
        if (SEEN(*p) && *p != 'f' && !(*p == 'i' && SEEN('d'))) text[at++] = *p;
#undef SEEN
    text[at] = '\0';
    g_die(2, "options '-%s' are incompatible", text);
}

static sort_key read_key(const char *spec) {
    sort_key k = {.end_field = SIZE_MAX};
    const char *s = read_count(spec, &k.start_field, "invalid number at field start");
    if (k.start_field-- == 0) bad_spec(spec, "field number is zero");
    if (*s == '.') {
        s = read_count(s + 1, &k.start_char, "invalid number after '.'");
        if (k.start_char-- == 0) bad_spec(spec, "character offset is zero");
    }
    s = read_ordering(s, &k, AT_START);
    if (*s == ',') {
        s = read_count(s + 1, &k.end_field, "invalid number after ','");
        if (k.end_field-- == 0) bad_spec(spec, "field number is zero");
        if (*s == '.') s = read_count(s + 1, &k.end_char, "invalid number after '.'");
        s = read_ordering(s, &k, AT_END);
    }
    if (*s) bad_spec(spec, "stray character in field spec");
    return k;
}

/* "+F[.C][opts]" and the "-F[.C][opts]" that may follow it, counted from zero. */
static bool old_key(const char *arg, const char *next, sort_key *k, bool *used_next) {
    if (*arg != '+' || !isdigit((unsigned char)arg[1])) return false;
    if (g_plus_is_a_name()) return false;
    *k = (sort_key){.end_field = SIZE_MAX, .obsolescent = true};
    const char *s = read_count(arg + 1, &k->start_field, "");
    if (*s == '.') s = read_count(s + 1, &k->start_char, "invalid number after '.'");
    s = read_ordering(s, k, AT_START);
    if (*s) return false;
    *used_next = next && *next == '-' && isdigit((unsigned char)next[1]);
    if (!*used_next) return true;
    size_t field, offset = 0;
    s = read_count(next + 1, &field, "invalid number after '-'");
    if (*s == '.') s = read_count(s + 1, &offset, "invalid number after '.'");
    if (offset == 0 && field == 0) bad_spec(next, "field number is zero");
    k->end_field = offset ? field : field - 1;
    k->end_char = offset;
    s = read_ordering(s, k, AT_END);
    if (*s) bad_spec(next, "stray character in field spec");
    return true;
}

static int read_tab(const char *text) {
    if (!*text) g_die(2, "empty tab");
    if (text[1]) {
        if (strcmp(text, "\\0") != 0) g_die(2, "multi-character tab %s", g_quote(text));
        return 0;
    }
    return (unsigned char)*text;
}

static void check_size(const char *text) {
    uint64_t value;
    const char *end;
    if (g_parse_unsigned(text, "bEGKkMmPTYZ", &value, &end) == G_NUMBER_BAD)
        g_die(2, "invalid -S argument '%s'", text);
    if (*end && strcmp(end, "%") != 0) g_die(2, "invalid suffix in -S argument '%s'", text);
}

/* How many files are merged at once: here always all of them. */
#define BATCH_MAX 4093 /* files that may be open, but the standard ones */
static void check_batch(const char *text) {
    uint64_t value;
    const char *end;
    enum g_number_result result = g_parse_unsigned(text, "", &value, &end);
    if (result == G_NUMBER_BAD || *end) g_die(2, "invalid --batch-size argument '%s'", text);
    if (value > BATCH_MAX) {
        g_warn("--batch-size argument %s too large", g_quote(text));
        g_die(2, "maximum --batch-size argument with current rlimit is %d", BATCH_MAX);
    }
    if (value >= 2) return;
    g_warn("invalid --batch-size argument %s", g_quote(text));
    g_die(2, "minimum --batch-size argument is %s", g_quote("2"));
}

static void check_parallel(const char *text) {
    uint64_t value;
    const char *end;
    enum g_number_result result = g_parse_unsigned(text, "", &value, &end);
    if (result == G_NUMBER_BAD || *end) g_die(2, "invalid --parallel argument '%s'", text);
    if (result == G_NUMBER_OK && value == 0) g_die(2, "number in parallel must be nonzero");
}

static void make_salt(sort_order *o, const char *source) {
    if (!source) {
        pf_random(o->salt, sizeof o->salt);
        return;
    }
    int fd = open(source, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(2, errno, "open failed: %s", g_quotef(source));
    ssize_t n = g_read(fd, o->salt, sizeof o->salt);
    if (n < (ssize_t)sizeof o->salt)
        g_die(2, "%s: end of file", g_quotef(source));
    close(fd);
}

static char **names_from(const char *list, int *count) {
    int fd = strcmp(list, "-") == 0 ? STDIN_FILENO : open(list, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(2, errno, "open failed: %s", g_quotef(list));
    size_t len, cap = 0;
    char *bytes = g_read_all(fd, &len), **names = NULL;
    if (!bytes) g_die(2, "cannot read file names from %s", g_quoteaf(list));
    *count = 0;
    for (size_t at = 0; at < len; at += strlen(bytes + at) + 1) {
        if (!bytes[at]) g_die(2, "%s:%d: invalid zero-length file name", list, *count + 1);
        if (fd == STDIN_FILENO && strcmp(bytes + at, "-") == 0)
            g_die(2, "when reading file names from stdin, no file name of %s allowed",
                  g_quoteaf("-"));
        if ((size_t)*count == cap) names = g_more(names, &cap, sizeof *names);
        names[(*count)++] = bytes + at;
    }
    if (*count == 0) g_die(2, "no input from %s", g_quoteaf(list));
    return names;
}

enum { BATCH = 256, CHECK, COMPRESS, DEBUG, FILES0, PARALLEL, SOURCE, SORT };
static const g_long longs[] = {
    {"ignore-leading-blanks", 'b', G_NONE}, {"check", CHECK, G_OPTIONAL},
    {"compress-program", COMPRESS, G_REQUIRED}, {"debug", DEBUG, G_NONE},
    {"dictionary-order", 'd', G_NONE}, {"ignore-case", 'f', G_NONE},
    {"files0-from", FILES0, G_REQUIRED}, {"general-numeric-sort", 'g', G_NONE},
    {"ignore-nonprinting", 'i', G_NONE}, {"key", 'k', G_REQUIRED}, {"merge", 'm', G_NONE},
    {"month-sort", 'M', G_NONE}, {"numeric-sort", 'n', G_NONE},
    {"human-numeric-sort", 'h', G_NONE}, {"version-sort", 'V', G_NONE},
    {"random-sort", 'R', G_NONE}, {"random-source", SOURCE, G_REQUIRED}, {"sort", SORT, G_REQUIRED},
    {"output", 'o', G_REQUIRED}, {"reverse", 'r', G_NONE}, {"stable", 's', G_NONE},
    {"batch-size", BATCH, G_REQUIRED}, {"buffer-size", 'S', G_REQUIRED},
    {"field-separator", 't', G_REQUIRED}, {"temporary-directory", 'T', G_REQUIRED},
    {"unique", 'u', G_NONE}, {"zero-terminated", 'z', G_NONE}, {"parallel", PARALLEL, G_REQUIRED},
    {0}};
static const g_word check_words[] = {{"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}, {0}};
static const g_word sort_words[] = {{"general-numeric", 'g'}, {"human-numeric", 'h'},
                                    {"month", 'M'},           {"numeric", 'n'},
                                    {"random", 'R'},          {"version", 'V'},
                                    {0}};

typedef struct {
    sort_order order;
    sort_key global;
    size_t key_cap;
    int check; /* 0, 'c', 'C' */
    bool merge;
    const char *output, *source, *list, *compressor;
} choices;

static void add_key(choices *c, sort_key k) {
    if (c->order.key_count == c->key_cap)
        c->order.keys = g_more(c->order.keys, &c->key_cap, sizeof *c->order.keys);
    c->order.keys[c->order.key_count++] = k;
}

static void one_option(choices *c, int option, const char *arg) {
    switch (option) {
    case SORT: option = g_match_word("--sort", arg, sort_words); /* fallthrough */
    case 'b': case 'd': case 'f': case 'g': case 'h': case 'i': case 'M': case 'n': case 'r':
    case 'R': case 'V': {
        char letter[2] = {(char)option, 0};
        read_ordering(letter, &c->global, AT_BOTH);
        break;
    }
    case CHECK: option = arg ? g_match_word("--check", arg, check_words) : 'c'; /* fallthrough */
    case 'c': case 'C':
        if (c->check && c->check != option) g_die(2, "options '-cC' are incompatible");
        c->check = option;
        break;
    case 'k': add_key(c, read_key(arg)); break;
    case 'm': c->merge = true; break;
    case 'o':
        if (c->output && strcmp(c->output, arg) != 0) g_die(2, "multiple output files specified");
        c->output = arg;
        break;
    case SOURCE:
        if (c->source && strcmp(c->source, arg) != 0)
            g_die(2, "multiple random sources specified");
        c->source = arg;
        break;
    case 's': c->order.stable = true; break;
    case 'S': check_size(arg); break;
    case 't': {
        int tab = read_tab(arg);
        if (c->order.tab >= 0 && c->order.tab != tab) g_die(2, "incompatible tabs");
        c->order.tab = tab;
        break;
    }
    case 'u': c->order.unique = true; break;
    case 'z': c->order.end = '\0'; break;
    case FILES0: c->list = arg; break;
    case BATCH: check_batch(arg); break;
    case PARALLEL:
        check_parallel(arg);
        break;
    case COMPRESS:
        if (c->compressor && strcmp(c->compressor, arg) != 0)
            g_die(2, "multiple compress programs specified");
        c->compressor = arg;
        break;
    case DEBUG: c->order.debug = true; break;
    }
}

/* Keys without options of their own take the global ones; without keys the line is the key. The
 * last resort is the whole line by bytes. */
static void settle(choices *c) {
    sort_order *o = &c->order;
    o->reverse = c->global.reverse;
    bool random = false;
    size_t given = o->key_count;
    if (o->key_count == 0) {
        sort_key whole = c->global;
        whole.end_field = SIZE_MAX;
        whole.whole_line = true;
        add_key(c, whole);
    }
    for (size_t i = 0; i < o->key_count; i++) {
        sort_key *k = &o->keys[i], from = c->global;
        if (!k->own_options && !k->whole_line) {
            k->kind = from.kind;
            k->dictionary = from.dictionary;
            k->fold = from.fold;
            k->printable = from.printable;
            k->reverse = from.reverse;
            k->skip_start_blanks = from.skip_start_blanks;
            k->skip_end_blanks = from.skip_end_blanks;
            k->letters = from.letters;
        }
        check_letters(k->letters);
        random = random || k->kind == SORT_RANDOM;
    }
    if (random) make_salt(o, c->source);
    if (o->debug) {
        if (c->check || c->output)
            g_die(2, "options '-%c --debug' are incompatible", c->check ? c->check : 'o');
        sort_tell_keys(o, &c->global, given);
    }
    const sort_key *only = &o->keys[0];
    bool complete = o->key_count == 1 && only->whole_line && only->kind == SORT_TEXT &&
                    !only->dictionary && !only->printable && !only->fold && !only->skip_start_blanks;
    if (!o->stable && !o->unique && !complete)
        add_key(c, (sort_key){.end_field = SIZE_MAX, .whole_line = true, .reverse = o->reverse});
}

/* Takes old style keys out of argv: they would look like operands and options. */
static int take_old_keys(choices *c, int argc, char **argv) {
    int kept = 1;
    bool options_end = false;
    for (int i = 1; i < argc; i++) {
        sort_key k;
        bool used_next = false;
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--") == 0) options_end = true;
        bool value = i > 1 && !options_end && argv[i - 1][0] == '-' && argv[i - 1][1] &&
                     argv[i - 1][1] != '-' && !argv[i - 1][2] && strchr("kotST", argv[i - 1][1]);
        if (!options_end && !value && old_key(argv[i], next, &k, &used_next)) {
            add_key(c, k);
            i += used_next;
        } else {
            argv[kept++] = argv[i];
        }
    }
    argv[kept] = NULL;
    return kept;
}

int sort_main(int argc, char **argv) {
    choices c = {.order = {.tab = -1, .end = '\n'}, .global = {0}};
    g_set_failure(2);
    g_set_write_error(2, "fflush failed: 'standard output': %s\nsort: write error");
    argc = take_old_keys(&c, argc, argv);
    g_options o = g_options_of(argc, argv, "bcCdfghik:mMno:rRsS:t:T:uVyz", longs);
    for (int option; (option = g_option(&o)) >= 0;) one_option(&c, option, o.arg);
    settle(&c);
    static char *only_stdin[] = {"-"};
    char **names = o.at < argc ? argv + o.at : only_stdin;
    int count = o.at < argc ? argc - o.at : 1;
    if (c.list) {
        if (o.at < argc) {
            g_warn("extra operand %s\nfile operands cannot be combined with --files0-from",
                   g_quoteaf(argv[o.at]));
            g_try_help(2);
        }
        names = names_from(c.list, &count);
    }
    if (c.check) {
        if (count > 1) g_die(2, "extra operand %s not allowed with -%c", g_quoteaf(names[1]), c.check);
        if (c.output) g_die(2, "options '-%co' are incompatible", c.check);
        return sort_check(&c.order, names[0], c.check == 'C');
    }
    if (c.merge) return sort_merge(&c.order, names, count, c.output);
    return sort_files(&c.order, names, count, c.output);
}
