/*
 * grep.c: prints lines that match patterns.
 *
 * This file reads the options; grep_match.c finds, grep_file.c prints, grep_tree.c goes through
 * directories. egrep and fgrep are grep -E and grep -F.
 *
 * help grep egrep fgrep:
 *   Usage: @NAME@ [OPTION]... PATTERNS [FILE]...
 *   Search for PATTERNS in each FILE. PATTERNS can contain multiple patterns separated by newlines.
 *   Example: @NAME@ -i 'hello world' menu.h main.c
 *
 *   Pattern selection and interpretation:
 *     -E, --extended-regexp     PATTERNS are extended regular expressions
 *     -F, --fixed-strings       PATTERNS are strings
 *     -G, --basic-regexp        PATTERNS are basic regular expressions
 *     -P, --perl-regexp         PATTERNS are Perl regular expressions
 *     -e, --regexp=PATTERNS     use PATTERNS for matching
 *     -f, --file=FILE           take PATTERNS from FILE
 *     -i, --ignore-case         ignore case distinctions in patterns and data
 *         --no-ignore-case      do not ignore case distinctions (default)
 *     -w, --word-regexp         match only whole words
 *     -x, --line-regexp         match only whole lines
 *     -z, --null-data           a data line ends in 0 byte, not newline
 *
 *   Miscellaneous:
 *     -s, --no-messages         suppress error messages
 *     -v, --invert-match        select non-matching lines
 *     -V, --version             display version information and exit
 *         --help                display this help text and exit
 *
 *   Output control:
 *     -m, --max-count=NUM       stop after NUM selected lines
 *     -b, --byte-offset         print the byte offset with output lines
 *     -n, --line-number         print line number with output lines
 *         --line-buffered       flush output on every line
 *     -H, --with-filename       print file name with output lines
 *     -h, --no-filename         suppress the file name prefix on output
 *         --label=LABEL         use LABEL as the standard input file name prefix
 *     -o, --only-matching       show only nonempty parts of lines that match
 *     -q, --quiet, --silent     suppress all normal output
 *         --binary-files=TYPE   assume that binary files are TYPE: binary, text, or without-match
 *     -a, --text                equivalent to --binary-files=text
 *     -I                        equivalent to --binary-files=without-match
 *     -d, --directories=ACTION  how to handle directories: read, recurse, or skip
 *     -D, --devices=ACTION      how to handle devices, FIFOs and sockets: read or skip
 *     -r, --recursive           like --directories=recurse
 *     -R, --dereference-recursive  likewise, but follow all symlinks
 *         --include=GLOB        search only files that match GLOB (a file pattern)
 *         --exclude=GLOB        skip files that match GLOB
 *         --exclude-from=FILE   skip files that match any file pattern from FILE
 *         --exclude-dir=GLOB    skip directories that match GLOB
 *     -L, --files-without-match  print only names of FILEs with no selected lines
 *     -l, --files-with-matches  print only names of FILEs with selected lines
 *     -c, --count               print only a count of selected lines per FILE
 *     -T, --initial-tab         make tabs line up (if needed)
 *     -Z, --null                print 0 byte after FILE name
 *
 *   Context control:
 *     -B, --before-context=NUM  print NUM lines of leading context
 *     -A, --after-context=NUM   print NUM lines of trailing context
 *     -C, --context=NUM         print NUM lines of output context
 *     -NUM                      same as --context=NUM
 *         --group-separator=SEP  print SEP on line between matches with context
 *         --no-group-separator  do not print separator for matches with context
 *         --color[=WHEN], --colour[=WHEN]  use markers to highlight the matching strings;
 *                               WHEN is 'always', 'never', or 'auto'
 *     -U, --binary              do not strip CR characters at EOL (no effect)
 *
 *   When FILE is '-', read standard input. With no FILE, read '.' if recursive, '-' otherwise.
 *   Exit status is 0 if any line is selected, 1 otherwise; if any error occurs and -q is not given,
 *   the exit status is 2.
 */
#include "grep.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BINARY_FILES = 256, LINE_BUFFERED, LABEL, INCLUDE, EXCLUDE, EXCLUDE_FROM, EXCLUDE_DIR, COLOR,
       GROUP_SEPARATOR, NO_GROUP_SEPARATOR, NO_IGNORE_CASE };
static const g_long longs[] = {
    {"basic-regexp", 'G', G_NONE}, {"extended-regexp", 'E', G_NONE},
    {"fixed-regexp", 'F', G_NONE}, {"fixed-strings", 'F', G_NONE}, {"perl-regexp", 'P', G_NONE},
    {"after-context", 'A', G_REQUIRED}, {"before-context", 'B', G_REQUIRED},
    {"binary-files", BINARY_FILES, G_REQUIRED}, {"binary", 'U', G_NONE},
    {"byte-offset", 'b', G_NONE}, {"context", 'C', G_REQUIRED}, {"color", COLOR, G_OPTIONAL},
    {"colour", COLOR, G_OPTIONAL}, {"count", 'c', G_NONE}, {"devices", 'D', G_REQUIRED},
    {"directories", 'd', G_REQUIRED}, {"exclude", EXCLUDE, G_REQUIRED},
    {"exclude-from", EXCLUDE_FROM, G_REQUIRED}, {"exclude-dir", EXCLUDE_DIR, G_REQUIRED},
    {"file", 'f', G_REQUIRED}, {"files-with-matches", 'l', G_NONE},
    {"files-without-match", 'L', G_NONE}, {"group-separator", GROUP_SEPARATOR, G_REQUIRED},
    {"ignore-case", 'i', G_NONE}, {"include", INCLUDE, G_REQUIRED},
    {"initial-tab", 'T', G_NONE}, {"label", LABEL, G_REQUIRED},
    {"line-buffered", LINE_BUFFERED, G_NONE}, {"line-number", 'n', G_NONE},
    {"line-regexp", 'x', G_NONE}, {"max-count", 'm', G_REQUIRED},
    {"no-filename", 'h', G_NONE}, {"no-group-separator", NO_GROUP_SEPARATOR, G_NONE},
    {"no-ignore-case", NO_IGNORE_CASE, G_NONE}, {"no-messages", 's', G_NONE},
    {"null", 'Z', G_NONE}, {"null-data", 'z', G_NONE}, {"only-matching", 'o', G_NONE},
    {"quiet", 'q', G_NONE}, {"recursive", 'r', G_NONE}, {"dereference-recursive", 'R', G_NONE},
    {"regexp", 'e', G_REQUIRED}, {"invert-match", 'v', G_NONE}, {"silent", 'q', G_NONE},
    {"text", 'a', G_NONE}, {"word-regexp", 'w', G_NONE}, {"with-filename", 'H', G_NONE}, {0}};

static void add_patterns(grep_options *o, const char *text, size_t len) {
    if (o->any_pattern) g_text_addc(&o->patterns, '\n');
    g_text_add(&o->patterns, text, len);
    o->any_pattern = true;
}

/* Every line of the file is a pattern; an empty file has none. */
static void add_pattern_file(grep_options *o, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    size_t len;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) g_die_errno(2, errno, "%s", name);
    g_close_input(fd);
    if (len > 0 && text[len - 1] == '\n') len--;
    else if (len == 0) {
        free(text);
        return;
    }
    add_patterns(o, text, len);
    free(text);
}

static void add_glob(g_text *list, const char *pattern) {
    size_t len = strlen(pattern);
    while (len > 1 && pattern[len - 1] == '/') len--;
    g_text_add(list, pattern, len);
    g_text_addc(list, '\0');
}

static void add_glob_file(g_text *list, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(2, errno, "%s", name);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        while (line.len > 0 && isspace((unsigned char)line.s[line.len - 1])) line.len--;
        if (line.len == 0) continue;
        char *pattern = g_copy_bytes(line.s, line.len);
        add_glob(list, pattern);
        free(pattern);
    }
    g_reader_free(&in);
    g_close_input(fd);
}

static int64_t context_length(const char *text) {
    int64_t value;
    enum g_number_result result = g_parse_signed(text, "", &value, NULL);
    if ((result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW) || value < 0)
        g_die(2, "%s: invalid context length argument", text);
    return value;
}

static void read_colors(grep_options *o) {
    o->color_match = "01;31";
    o->color_file = "35";
    o->color_line = o->color_byte = "32";
    o->color_separator = "36";
    const char *p = getenv("GREP_COLORS");
    while (p && *p) {
        size_t len = strcspn(p, ":"), key = strcspn(p, "=:");
        if (p[key] == '=') {
            char *value = g_copy_bytes(p + key + 1, len - key - 1);
            if (strncmp(p, "mt", 2) == 0 || strncmp(p, "ms", 2) == 0) o->color_match = value;
            if (strncmp(p, "fn", 2) == 0) o->color_file = value;
            if (strncmp(p, "ln", 2) == 0) o->color_line = value;
            if (strncmp(p, "bn", 2) == 0) o->color_byte = value;
            if (strncmp(p, "se", 2) == 0) o->color_separator = value;
        }
        p += len + (p[len] == ':');
    }
}

static bool use_color(const char *when) {
    if (!when || strcmp(when, "auto") == 0 || strcmp(when, "tty") == 0 ||
        strcmp(when, "if-tty") == 0) {
        const char *term = getenv("TERM");
        return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    }
    if (strcmp(when, "always") == 0 || strcmp(when, "yes") == 0 || strcmp(when, "force") == 0)
        return true;
    if (strcmp(when, "never") == 0 || strcmp(when, "no") == 0 || strcmp(when, "none") == 0)
        return false;
    g_die(2, "invalid argument %s for %s", g_quote(when), g_quote("--color"));
}

/* What the options say before they are put together. */
typedef struct {
    int64_t before, after, both; /* -1: not given */
    int matcher;                 /* E, F, P, G or, as long as none is asked for, 0 */
    g_text digits;               /* -NUM */
    int names;                   /* 0: not given, else H or h */
    bool pattern_given;
} choices;

static void one_option(grep_options *o, choices *c, int option, const char *arg) {
    switch (option) {
    case 'A': c->after = context_length(arg); break;
    case 'B': c->before = context_length(arg); break;
    case 'C': c->both = context_length(arg); break;
    case 'D':
        if (strcmp(arg, "read") == 0) o->read_devices = true;
        else if (strcmp(arg, "skip") == 0) o->skip_devices = true;
        else g_die(2, "unknown devices method");
        break;
    case 'd':
        if (strcmp(arg, "recurse") == 0) o->recursive = true;
        else if (strcmp(arg, "skip") == 0) o->skip_directories = true;
        else if (strcmp(arg, "read") != 0)
            g_usage("invalid argument %s for %s\nValid arguments are:\n  - %s\n  - %s\n  - %s",
                    g_quote(arg), "‘--directories’", "‘read’", "‘recurse’", "‘skip’");
        break;
    case 'E': case 'F': case 'G': case 'P':
        if (c->matcher && c->matcher != option) g_die(2, "conflicting matchers specified");
        c->matcher = option;
        break;
    case 'e':
        add_patterns(o, arg, strlen(arg));
        c->pattern_given = true;
        break;
    case 'f':
        add_pattern_file(o, arg);
        c->pattern_given = true;
        break;
    case 'H': case 'h': c->names = option; break;
    case 'I': o->binary = BINARY_SKIP; break;
    case 'T': o->align_tabs = true; break;
    case 'U': case 'u': break;
    case 'a': o->binary = BINARY_TEXT; break;
    case 'b': o->byte_offsets = true; break;
    case 'c': o->count = true; break;
    case 'i': case 'y': o->ignore_case = true; break;
    case NO_IGNORE_CASE: o->ignore_case = false; break;
    case 'L': o->list = LIST_OTHERS; break;
    case 'l': o->list = LIST_MATCHING; break;
    case 'm': {
        enum g_number_result result = g_parse_signed(arg, "", &o->max_count, NULL);
        if (result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW) g_die(2, "invalid max count");
        break;
    }
    case 'n': o->line_numbers = true; break;
    case 'o': o->only_matching = true; break;
    case 'q': o->quiet = true; break;
    case 'R': o->recursive = o->follow = true; break;
    case 'r':
        o->recursive = true;
        o->follow = false;
        break;
    case 's': o->no_messages = true; break;
    case 'v': o->invert = true; break;
    case 'w': o->whole_word = true; break;
    case 'x': o->whole_line = true; break;
    case 'Z': o->name_nul = true; break;
    case 'z': o->end = '\0'; break;
    case BINARY_FILES:
        if (strcmp(arg, "binary") == 0) o->binary = BINARY_REPORT;
        else if (strcmp(arg, "text") == 0) o->binary = BINARY_TEXT;
        else if (strcmp(arg, "without-match") == 0) o->binary = BINARY_SKIP;
        else g_die(2, "unknown binary-files type");
        break;
    case COLOR: o->color = use_color(arg); break;
    case EXCLUDE: add_glob(&o->exclude, arg); break;
    case INCLUDE:
        add_glob(&o->include, arg);
        o->has_include = true;
        break;
    case EXCLUDE_FROM: add_glob_file(&o->exclude, arg); break;
    case EXCLUDE_DIR: add_glob(&o->exclude_dirs, arg); break;
    case GROUP_SEPARATOR: o->separator = arg; break;
    case NO_GROUP_SEPARATOR: o->separator = NULL; break;
    case LINE_BUFFERED: o->line_buffered = true; break;
    case LABEL: o->label = arg; break;
    case 'V':
        g_print_version();
        g_exit(0);
    default: /* -NUM: digits of one cluster belong together */
        g_text_addc(&c->digits, (char)option);
        c->both = context_length(c->digits.s);
        return;
    }
    c->digits.len = 0;
}

int grep_main(int argc, char **argv) {
    grep_options opt = {.with_names = -1, .max_count = -1, .separator = "--", .end = '\n'};
    choices c = {.before = -1, .after = -1, .both = -1};
    const char *called = strrchr(g_name(), '/');
    called = called ? called + 1 : g_name();
    if (strcmp(called, "egrep") == 0) c.matcher = 'E';
    if (strcmp(called, "fgrep") == 0) c.matcher = 'F';
    if (c.matcher) g_begin("grep", g_help()); /* what they run, and what messages name */
    g_set_failure(2);
    g_set_usage_line("Usage: grep [OPTION]... PATTERNS [FILE]...\n");
    bool in_cluster = false;
    g_options o =
        g_options_of(argc, argv, "0123456789A:B:C:D:EFGHILPTUVX:abcd:e:f:hiLlm:noqRrsuvwxyZz",
                   longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (!in_cluster) c.digits.len = 0; /* -1 -2 is not -12 */
        in_cluster = o.cluster && *o.cluster;
        one_option(&opt, &c, option, o.arg);
    }
    int at = o.at;
    if (!c.pattern_given) {
        if (at >= argc) g_usage(NULL);
        add_patterns(&opt, argv[at], strlen(argv[at]));
        at++;
    }
    opt.extended = c.matcher == 'E';
    opt.fixed = c.matcher == 'F';
    opt.perl = c.matcher == 'P';
    if (opt.max_count < -1) opt.max_count = -1;
    opt.context = c.before >= 0 || c.after >= 0 || c.both >= 0;
    opt.before = c.before >= 0 ? c.before : c.both >= 0 ? c.both : 0;
    opt.after = c.after >= 0 ? c.after : c.both >= 0 ? c.both : 0;
    int count = argc - at;
    opt.with_names = c.names ? c.names == 'H' : count > 1 || opt.recursive;
    if (!c.names && opt.recursive && count == 1) {
        struct stat st;
        opt.with_names =
            strcmp(argv[at], "-") != 0 && stat(argv[at], &st) == 0 && S_ISDIR(st.st_mode);
    }
    if (opt.color) read_colors(&opt);
    else
        opt.color_match = opt.color_file = opt.color_line = opt.color_byte = opt.color_separator =
            "";
    struct stat out;
    if (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode)) {
        opt.out_known = true;
        opt.out_dev = (uint64_t)out.st_dev;
        opt.out_ino = (uint64_t)out.st_ino;
    }
    if (opt.max_count == 0 && opt.list == LIST_NOTHING && !opt.count) return 1;
    grep_matcher *matcher = grep_matcher_new(&opt);
    bool found = false;
    if (count == 0) found = grep_operand(&opt, matcher, opt.recursive ? NULL : "-");
    for (int i = at; i < argc && !(found && opt.quiet); i++)
        found = grep_operand(&opt, matcher, argv[i]) || found;
    if (opt.failed && !(found && opt.quiet)) return 2;
    return !found;
}
