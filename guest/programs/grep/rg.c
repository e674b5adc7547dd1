/*
 * rg.c: searches directories for a pattern, as ripgrep does.
 *
 * This file reads the options; rg.h maps the others. Files come in the order of their paths. Left
 * out:
 * --json, --pre, -z, --engine, --debug, --stats, --null-data.
 *
 * help rg:
 *   Usage: rg [OPTIONS] PATTERN [PATH ...]
 *   Recursively searches the current directory for lines matching a regex pattern. Ignore rules
 *   (.gitignore, .ignore, .rgignore), hidden files and binary files are respected by default.
 *
 *     -e, --regexp PATTERN        a pattern to search for (several may be given)
 *     -f, --file FILE             patterns from a file, one per line
 *     -F, --fixed-strings         treat the pattern as a literal string
 *     -i, --ignore-case           case insensitive search
 *     -S, --smart-case            -i, unless the pattern has capital letters
 *     -s, --case-sensitive        case sensitive search (default)
 *     -w, --word-regexp           only show matches surrounded by word boundaries
 *     -x, --line-regexp           only show matches surrounded by line boundaries
 *     -v, --invert-match          invert matching
 *     -U, --multiline             matches may go over several lines
 *         --multiline-dotall      . matches line ends
 *     -P, --pcre2                 accepted; look-around and back-references are then allowed
 *     -m, --max-count NUM         limit the number of matching lines per file
 *
 *     -A, -B, -C NUM              lines of context after, before, around each match
 *     -c, --count                 only show the count of matching lines for each file
 *         --count-matches         only show the count of matches for each file
 *     -l, --files-with-matches    only print the paths with at least one match
 *         --files-without-match   only print the paths that contain no matches
 *     -o, --only-matching         print only the matched parts of a line
 *     -r, --replace TEXT          replace matches ($1, ${name})
 *     -n, --line-number  -N, --no-line-number  --column  -b, --byte-offset
 *     -H, --with-filename  -I, --no-filename  --heading  --no-heading
 *     -0, --null  --vimgrep  --trim  --passthru  --context-separator TEXT  --no-context-separator
 *     -M, --max-columns NUM       leave out lines longer than NUM bytes
 *         --max-columns-preview   show how they begin
 *         --field-match-separator TEXT  --field-context-separator TEXT  --path-separator CHAR
 *     -q, --quiet                 do not print anything
 *         --color WHEN            never, auto, always or ansi
 *
 *         --files                 print each file that would be searched
 *     -g, --glob GLOB             include or (with !) exclude files
 *         --iglob GLOB            the same, without regard to case
 *     -t, --type TYPE  -T, --type-not TYPE  --type-list
 *         --type-add NAME:GLOB  --type-clear NAME
 *     -., --hidden                search hidden files and directories
 *     -u, --unrestricted          --no-ignore; twice --hidden too; three times binary files too
 *         --no-ignore  --no-ignore-vcs  --no-ignore-parent  --no-require-git  --ignore-file PATH
 *     -L, --follow                follow symbolic links
 *     -a, --text                  search binary files as if they were text
 *     -d, --max-depth NUM  --max-filesize NUM  --one-file-system  --no-messages
 *         --sort KEY              accepted; paths are always sorted
 */
#include "rg.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DOT_ALL = 256,
    COUNT_MATCHES,
    FILES_WITHOUT,
    COLUMN,
    HEADING,
    NO_HEADING,
    VIMGREP,
    TRIM,
    PASSTHRU,
    SEPARATOR,
    NO_SEPARATOR,
    COLOR,
    FILES,
    IGLOB,
    TYPE_LIST,
    NO_IGNORE,
    NO_IGNORE_VCS,
    NO_IGNORE_PARENT,
    NO_REQUIRE_GIT,
    IGNORE_FILE,
    MAX_SIZE,
    ONE_DEVICE,
    NO_MESSAGES,
    IGNORED,
    IGNORED_VALUE,
    REFUSED,
    NO_HIDDEN,
    NO_CONFIG,
    GLOB_CASE,
    TYPE_ADD,
    TYPE_CLEAR,
    PREVIEW,
    NO_PREVIEW,
    MATCH_SEPARATOR,
    CONTEXT_SEPARATOR,
    PATH_SEPARATOR,
    NO_COLUMN
};
static const g_long longs[] = {{"regexp", 'e', G_REQUIRED},
                               {"file", 'f', G_REQUIRED},
                               {"fixed-strings", 'F', G_NONE},
                               {"ignore-case", 'i', G_NONE},
                               {"smart-case", 'S', G_NONE},
                               {"case-sensitive", 's', G_NONE},
                               {"word-regexp", 'w', G_NONE},
                               {"line-regexp", 'x', G_NONE},
                               {"invert-match", 'v', G_NONE},
                               {"multiline", 'U', G_NONE},
                               {"multiline-dotall", DOT_ALL, G_NONE},
                               {"pcre2", 'P', G_NONE},
                               {"max-count", 'm', G_REQUIRED},
                               {"after-context", 'A', G_REQUIRED},
                               {"before-context", 'B', G_REQUIRED},
                               {"context", 'C', G_REQUIRED},
                               {"count", 'c', G_NONE},
                               {"count-matches", COUNT_MATCHES, G_NONE},
                               {"files-with-matches", 'l', G_NONE},
                               {"files-without-match", FILES_WITHOUT, G_NONE},
                               {"only-matching", 'o', G_NONE},
                               {"replace", 'r', G_REQUIRED},
                               {"line-number", 'n', G_NONE},
                               {"no-line-number", 'N', G_NONE},
                               {"column", COLUMN, G_NONE},
                               {"byte-offset", 'b', G_NONE},
                               {"with-filename", 'H', G_NONE},
                               {"no-filename", 'I', G_NONE},
                               {"heading", HEADING, G_NONE},
                               {"no-heading", NO_HEADING, G_NONE},
                               {"null", '0', G_NONE},
                               {"vimgrep", VIMGREP, G_NONE},
                               {"trim", TRIM, G_NONE},
                               {"passthru", PASSTHRU, G_NONE},
                               {"passthrough", PASSTHRU, G_NONE},
                               {"context-separator", SEPARATOR, G_REQUIRED},
                               {"no-context-separator", NO_SEPARATOR, G_NONE},
                               {"quiet", 'q', G_NONE},
                               {"color", COLOR, G_REQUIRED},
                               {"colors", IGNORED_VALUE, G_REQUIRED},
                               {"files", FILES, G_NONE},
                               {"glob", 'g', G_REQUIRED},
                               {"iglob", IGLOB, G_REQUIRED},
                               {"type", 't', G_REQUIRED},
                               {"type-not", 'T', G_REQUIRED},
                               {"type-list", TYPE_LIST, G_NONE},
                               {"hidden", '.', G_NONE},
                               {"no-hidden", NO_HIDDEN, G_NONE},
                               {"unrestricted", 'u', G_NONE},
                               {"no-ignore", NO_IGNORE, G_NONE},
                               {"no-ignore-vcs", NO_IGNORE_VCS, G_NONE},
                               {"no-ignore-parent", NO_IGNORE_PARENT, G_NONE},
                               {"no-require-git", NO_REQUIRE_GIT, G_NONE},
                               {"ignore-file", IGNORE_FILE, G_REQUIRED},
                               {"follow", 'L', G_NONE},
                               {"text", 'a', G_NONE},
                               {"max-depth", 'd', G_REQUIRED},
                               {"maxdepth", 'd', G_REQUIRED},
                               {"max-filesize", MAX_SIZE, G_REQUIRED},
                               {"one-file-system", ONE_DEVICE, G_NONE},
                               {"no-messages", NO_MESSAGES, G_NONE},
                               {"sort", IGNORED_VALUE, G_REQUIRED},
                               {"sortr", IGNORED_VALUE, G_REQUIRED},
                               {"sort-files", IGNORED, G_NONE},
                               {"threads", 'j', G_REQUIRED},
                               {"no-config", IGNORED, G_NONE},
                               {"mmap", IGNORED, G_NONE},
                               {"no-mmap", IGNORED, G_NONE},
                               {"line-buffered", IGNORED, G_NONE},
                               {"block-buffered", IGNORED, G_NONE},
                               {"pretty", 'p', G_NONE},
                               {"max-columns", 'M', G_REQUIRED},
                               {"no-ignore-messages", IGNORED, G_NONE},
                               {"no-ignore-global", IGNORED, G_NONE},
                               {"no-ignore-dot", IGNORED, G_NONE},
                               {"no-ignore-exclude", IGNORED, G_NONE},
                               {"no-unicode", IGNORED, G_NONE},
                               {"crlf", IGNORED, G_NONE},
                               {"encoding", 'E', G_REQUIRED},
                               {"regex-size-limit", IGNORED_VALUE, G_REQUIRED},
                               {"dfa-size-limit", IGNORED_VALUE, G_REQUIRED},
                               {"auto-hybrid-regex", IGNORED, G_NONE},
                               {"engine", IGNORED_VALUE, G_REQUIRED},
                               {"binary", IGNORED, G_NONE},
                               {"glob-case-insensitive", GLOB_CASE, G_NONE},
                               {"json", REFUSED, G_NONE},
                               {"stats", REFUSED, G_NONE},
                               {"debug", REFUSED, G_NONE},
                               {"pre", REFUSED, G_REQUIRED},
                               {"search-zip", REFUSED, G_NONE},
                               {"null-data", REFUSED, G_NONE},
                               {"type-add", TYPE_ADD, G_REQUIRED},
                               {"type-clear", TYPE_CLEAR, G_REQUIRED},
                               {"max-columns-preview", PREVIEW, G_NONE},
                               {"no-max-columns-preview", NO_PREVIEW, G_NONE},
                               {"field-match-separator", MATCH_SEPARATOR, G_REQUIRED},
                               {"field-context-separator", CONTEXT_SEPARATOR, G_REQUIRED},
                               {"path-separator", PATH_SEPARATOR, G_REQUIRED},
                               {"no-column", NO_COLUMN, G_NONE},
                               {0}};
static const char shorts[] = "e:f:FiSswxvUPm:A:B:C:clor:nNbHI0qg:t:T:.uLad:j:pM:E:zhV";

static void add_pattern(rg_options *o, const char *text, size_t len) {
    if (o->any_pattern) g_text_addc(&o->pattern, '\n');
    g_text_add(&o->pattern, text, len);
    o->any_pattern = true;
}

static void add_pattern_file(rg_options *o, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    size_t len;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) {
        fprintf(stderr, "%s: %s (os error %d)\n", name, strerror(errno), errno);
        g_exit(2);
    }
    if (len > 0 && text[len - 1] == '\n') len--;
    add_pattern(o, text, len);
    free(text);
}

/* -g: what has no ! in front is wanted, the other way round than in an ignore file. */
static void add_override(rg_options *o, const char *glob) {
    rg_globs_add(&o->overrides, glob, strlen(glob));
    if (o->overrides.count > 0) {
        rg_glob *last = &o->overrides.globs[o->overrides.count - 1];
        last->include = !last->include;
    }
}

static int64_t number(const char *text, const char *option) {
    uint64_t value;
    if (g_parse_unsigned(text, "KMG", &value, NULL) != G_NUMBER_OK || value > INT64_MAX) {
        fprintf(stderr, "error: Invalid value for '%s': invalid digit found in string\n", option);
        g_exit(2);
    }
    return (int64_t)value;
}

static void add_types(g_text *globs, const g_text *names) {
    for (size_t i = 0; i < names->len; i += strlen(names->s + i) + 1) {
        if (rg_type_globs(names->s + i, globs)) continue;
        fprintf(stderr, "unrecognized file type: %s\n", names->s + i);
        g_exit(2);
    }
}

/* A separator with its escapes \t, \n, \r, \\ and \xHH undone; what is none stays. Fresh memory. */
static char *separator(const char *text) {
    char *s = g_copy_string(text), *to = s;
    for (const char *p = s; *p; p++) {
        static const char letters[] = "tnr\\", bytes[] = "\t\n\r\\";
        const char *letter = *p == '\\' && p[1] ? strchr(letters, p[1]) : NULL;
        if (letter) {
            *to++ = bytes[letter - letters];
            p++;
        } else if (*p == '\\' && p[1] == 'x' && isxdigit((unsigned char)p[2]) &&
                   isxdigit((unsigned char)p[3])) {
            *to++ = (char)strtoul((char[3]){p[2], p[3], '\0'}, NULL, 16);
            p += 3;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
    return s;
}

static char path_separator(const char *text) {
    const char *byte = separator(text);
    if (strlen(byte) == 1) return *byte;
    if (!*byte) return '\0';
    fprintf(stderr,
            "A path separator must be exactly one byte, but the given separator is %zu bytes: %s\n"
            "In some shells on Windows '/' is automatically expanded. Use '//' instead.\n",
            strlen(byte), text);
    g_exit(2);
}

static void one_option(rg_options *o, int option, const g_options *g, int *restrictions,
                       bool *perl) {
    const char *arg = g->arg;
    switch (option) {
    case 'e': add_pattern(o, arg, strlen(arg)); break;
    case 'f': add_pattern_file(o, arg); break;
    case 'F': o->fixed = true; break;
    case 'i': o->ignore_case = true; break;
    case 'S': o->smart_case = true; break;
    case 's': o->ignore_case = o->smart_case = false; break;
    case 'w': o->whole_word = true; break;
    case 'x': o->whole_line = true; break;
    case 'v': o->invert = true; break;
    case 'U': o->multiline = true; break;
    case DOT_ALL: o->dot_all = true; break;
    case 'P': *perl = true; break;
    case 'm': o->max_count = number(arg, "--max-count"); break;
    case 'A': o->after = number(arg, "--after-context"); break;
    case 'B': o->before = number(arg, "--before-context"); break;
    case 'C': o->before = o->after = number(arg, "--context"); break;
    case 'c': o->count = true; break;
    case COUNT_MATCHES: o->count_matches = true; break;
    case 'l': o->files_with = true; break;
    case FILES_WITHOUT: o->files_without = true; break;
    case 'o': o->only_matching = true; break;
    case 'r': o->replacement = arg; break;
    case 'n': o->line_numbers = 1; break;
    case 'N': o->line_numbers = 0; break;
    case COLUMN: o->column = true; break;
    case 'b': o->byte_offset = true; break;
    case 'H': o->names = 1; break;
    case 'I': o->names = 0; break;
    case HEADING: o->heading = true; break;
    case NO_HEADING: o->heading = false; break;
    case '0': o->null_names = true; break;
    case VIMGREP: o->vimgrep = o->column = true; break;
    case TRIM: o->trim = true; break;
    case PASSTHRU: o->passthru = true; break;
    case SEPARATOR: o->separator = separator(arg); break;
    case NO_SEPARATOR: o->separator = NULL; break;
    case 'q': o->quiet = true; break;
    case COLOR: o->color = strcmp(arg, "always") == 0 || strcmp(arg, "ansi") == 0; break;
    case 'p':
        o->color = o->heading = true;
        o->line_numbers = 1;
        break;
    case FILES: o->files = true; break;
    case 'g': add_override(o, arg); break;
    case IGLOB:
        o->ignore_name_case = true;
        add_override(o, arg);
        break;
    case GLOB_CASE: o->ignore_name_case = true; break;
    case 't':
        o->has_types = true;
        g_text_add(&o->type_names, arg, strlen(arg) + 1);
        break;
    case 'T': g_text_add(&o->not_type_names, arg, strlen(arg) + 1); break;
    case TYPE_ADD:
        if (rg_type_add(arg)) break;
        fprintf(stderr, "invalid definition (format is type:glob, e.g., html:*.html)\n");
        g_exit(2);
    case TYPE_CLEAR: rg_type_clear(arg); break;
    case 'M': o->max_columns = number(arg, "--max-columns"); break;
    case PREVIEW: o->preview = true; break;
    case NO_PREVIEW: o->preview = false; break;
    case MATCH_SEPARATOR: o->match_separator = separator(arg); break;
    case CONTEXT_SEPARATOR: o->context_separator = separator(arg); break;
    case PATH_SEPARATOR: o->path_separator = path_separator(arg); break;
    case NO_COLUMN: o->column = false; break;
    case TYPE_LIST: rg_type_list(); g_exit(0);
    case '.': o->hidden = true; break;
    case NO_HIDDEN: o->hidden = false; break;
    case 'u':
        if (++*restrictions >= 1) o->no_ignore = true;
        if (*restrictions >= 2) o->hidden = true;
        if (*restrictions >= 3) o->text = true;
        break;
    case NO_IGNORE: o->no_ignore = true; break;
    case NO_IGNORE_VCS: o->no_vcs_ignore = true; break;
    case NO_IGNORE_PARENT: o->no_parent_ignore = true; break;
    case NO_REQUIRE_GIT: o->no_require_git = true; break;
    case IGNORE_FILE: g_text_add(&o->ignore_files, arg, strlen(arg) + 1); break;
    case 'L': o->follow = true; break;
    case 'a': o->text = true; break;
    case 'd': o->max_depth = number(arg, "--max-depth"); break;
    case MAX_SIZE: o->max_size = number(arg, "--max-filesize"); break;
    case ONE_DEVICE: o->one_device = true; break;
    case NO_MESSAGES: o->no_messages = true; break;
    case 'h': g_outs(g_help()); g_exit(0);
    case 'V': g_print_version(); g_exit(0);
    case 'z': g_die(2, "-z is not supported; use zcat FILE | rg PATTERN");
    case REFUSED: g_die(2, "--%s is not supported", g->name);
    }
}

static void visit(rg_options *o, const char *path) {
    if (o->files) {
        o->matched = o->searched = true;
        if (o->quiet) return;
        rg_put_path(o, path);
        g_outc(o->null_names ? '\0' : '\n');
        return;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (!o->no_messages)
            fprintf(stderr, "%s: %s (os error %d)\n", path, strerror(errno), errno);
        o->failed = true;
        return;
    }
    rg_search_file(o, fd, path, false);
    close(fd);
}

static void given_file(rg_options *o, const char *path) {
    if (o->files) {
        visit(o, path);
        return;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (!o->no_messages)
            fprintf(stderr, "%s: %s (os error %d)\n", path, strerror(errno), errno);
        o->failed = true;
        return;
    }
    rg_search_file(o, fd, path, true);
    close(fd);
}

static bool stdin_is_input(void) {
    struct stat st;
    return fstat(STDIN_FILENO, &st) == 0 &&
           (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

int rg_main(int argc, char **argv) {
    rg_options o = {.line_numbers = -1,
                    .names = -1,
                    .max_count = -1,
                    .max_depth = -1,
                    .max_size = -1,
                    .separator = "--",
                    .match_separator = ":",
                    .context_separator = "-"};
    int restrictions = 0;
    bool perl = false;
    g_set_failure(2);
    g_options g = g_options_of(argc, argv, shorts, longs);
    for (int option; (option = g_option(&g)) >= 0;)
        one_option(&o, option, &g, &restrictions, &perl);
    add_types(&o.types, &o.type_names);
    add_types(&o.not_types, &o.not_type_names);
    if (!o.any_pattern && !o.files) {
        if (g.at == argc) {
            fprintf(stderr, "error: The following required arguments were not provided:\n    "
                            "<PATTERN>\n\nUSAGE:\n    rg [OPTIONS] PATTERN [PATH ...]\n\n"
                            "For more information try --help\n");
            return 2;
        }
        add_pattern(&o, argv[g.at], strlen(argv[g.at]));
        g.at++;
    }
    if (o.count && o.only_matching) {
        o.count = false;
        o.count_matches = true;
    }
    if (o.vimgrep && o.line_numbers < 0) o.line_numbers = 1;
    if (o.column && o.line_numbers < 0) o.line_numbers = 1;
    if (!o.files) rg_regex_init(&o, perl);
    int paths = argc - g.at;
    struct stat st;
    bool tree = paths == 0 || paths > 1 || (stat(argv[g.at], &st) == 0 && S_ISDIR(st.st_mode));
    if (paths == 0 && !o.files && stdin_is_input()) {
        o.show_names = o.names > 0;
        rg_search_file(&o, STDIN_FILENO, NULL, true);
    } else {
        o.show_names = o.names >= 0 ? o.names > 0 : tree || o.vimgrep;
        if (paths == 0) rg_walk(&o, ".", true, visit);
        for (int i = g.at; i < argc && !(o.quiet && o.matched); i++) {
            if (strcmp(argv[i], "-") == 0) {
                if (paths == 1) o.show_names = o.names > 0;
                rg_search_file(&o, STDIN_FILENO, NULL, true);
            } else if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
                rg_walk(&o, argv[i], false, visit);
            } else {
                given_file(&o, argv[i]);
            }
        }
    }
    if (o.failed && !(o.quiet && o.matched)) return 2;
    return o.matched ? 0 : 1;
}
