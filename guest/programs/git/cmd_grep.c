/*
 * cmd_grep.c: git grep: lines of tracked files, of the index or of trees.
 */
#include "color.h"

#include <sys/stat.h>

#include "g_file.h"
#include "g_regex.h"

static int number, icase, list, list_not, count, word, invert, extended, fixed, basic, perl, no_name, with_name, only, quiet, after = 0, before = 0, around = -1, cached, untracked, no_index, heading, break_, null, text, no_binary, full_name, column, recursive = 1, depth = -1, all_match, threads, max_count = -1, function, whole, ignored_, textconv;
static string_list patterns;
static const char *pager;
static int color = COLOR_UNSET;
static const char *code_name, *code_number, *code_column, *code_between, *code_match, *code_selected, *code_context, *reset;

static void take_pattern_file(const option *o, const char *argument, bool unset) {
    size_t len;
    char *data = read_file(argument, &len);
    (void)o, (void)unset;
    if (!data) die("cannot open '%s': No such file or directory", argument);
    for (char *at = data, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        list_add(&patterns, g_copy_bytes(at, (size_t)(end - at)));
    }
}

static void set_color(const option *o, const char *argument, bool unset) {
    color = unset ? COLOR_NEVER : color_when(argument, o->name);
}

static void prepare_colors(void) {
    bool wanted = color_wanted(color, "grep");
    reset = wanted ? COLOR_RESET : "";
    code_name = color_of(wanted, "grep.filename", "magenta");
    code_number = color_of(wanted, "grep.linenumber", "green");
    code_column = color_of(wanted, "grep.column", "green");
    code_between = color_of(wanted, "grep.separator", "cyan");
    code_match = color_of(wanted, "grep.match", "bold red");
    if (wanted && config_string("color.grep.matchselected")) code_match = color_of(wanted, "grep.matchselected", "bold red");
    code_selected = color_of(wanted, "grep.selected", "normal");
    code_context = color_of(wanted, "grep.context", "normal");
}

/* Text in a colour: without one as it is. */
static void colored(const char *code, const char *text, size_t len) {
    if (*code) g_outs(code);
    g_out(text, len);
    if (*code) g_outs(reset);
}

static void not_there(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    die("git grep %s%s is not there: pipe through another grep", o->letter ? "-" : "--", o->name ? o->name : "");
}

#define NUMBER(letter, name, field, text) {OPT_NUMBER, letter, name, &(field), "n", text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG(0, "cached", cached, "search in index instead of in the work tree"), FLAG(0, "no-index", no_index, "find in contents not managed by git"),
    FLAG(0, "untracked", untracked, "search in both tracked and untracked files"), FLAG(0, "exclude-standard", ignored_, "ignore files specified via '.gitignore'"),
    FLAG('v', "invert-match", invert, "show non-matching lines"), FLAG('i', "ignore-case", icase, "case insensitive matching"),
    FLAG('w', "word-regexp", word, "match patterns only at word boundaries"), FLAG('a', "text", text, "process binary files as text"),
    FLAG('I', NULL, no_binary, "don't match patterns in binary files"), FLAG(0, "textconv", textconv, "process binary files with textconv filters"),
    FLAG('r', "recursive", recursive, "search in subdirectories (default)"), NUMBER(0, "max-depth", depth, "descend at most <depth> levels"),
    FLAG('E', "extended-regexp", extended, "use extended POSIX regular expressions"), FLAG('G', "basic-regexp", basic, "use basic POSIX regular expressions (default)"),
    FLAG('F', "fixed-strings", fixed, "interpret patterns as fixed strings"), FLAG('P', "perl-regexp", perl, "use Perl-compatible regular expressions"),
    FLAG('n', "line-number", number, "show line numbers"), FLAG(0, "column", column, "show column number of first match"),
    FLAG('h', NULL, no_name, "don't show filenames"), FLAG('H', NULL, with_name, "show filenames"), FLAG(0, "full-name", full_name, "show filenames relative to top directory"),
    FLAG('l', "files-with-matches", list, "show only filenames instead of matching lines"), FLAG(0, "name-only", list, "synonym for --files-with-matches"),
    FLAG('L', "files-without-match", list_not, "show only the names of files without match"), FLAG('z', "null", null, "print NUL after filenames"),
    FLAG('o', "only-matching", only, "show only matching parts of a line"), FLAG('c', "count", count, "show the number of matches instead of matching lines"),
    {OPT_CALL_MAYBE, 0, "color", NULL, "when", "highlight matches", 0, NULL, set_color, 0}, FLAG(0, "break", break_, "print empty line between matches from different files"),
    FLAG(0, "heading", heading, "show filename only once above matches from same file"), NUMBER('C', "context", around, "show <n> context lines before and after matches"),
    NUMBER('B', "before-context", before, "show <n> context lines before matches"), NUMBER('A', "after-context", after, "show <n> context lines after matches"),
    NUMBER('#', NULL, around, "shortcut for -C NUM"), NUMBER(0, "threads", threads, "use <n> worker threads"),
    FLAG('p', "show-function", function, "show a line with the function name before matches"), FLAG('W', "function-context", whole, "show the surrounding function"),
    {OPT_CALL, 'f', NULL, NULL, "file", "read patterns from file", 0, NULL, take_pattern_file, 0}, {OPT_LIST, 'e', NULL, &patterns, "pattern", "match <pattern>", 0, NULL, NULL, 0},
    {OPT_CALL_NONE, 0, "and", NULL, NULL, "combine patterns specified with -e", 0, NULL, not_there, 1}, {OPT_CALL_NONE, 0, "not", NULL, NULL, "", 0, NULL, not_there, 1},
    FLAG(0, "all-match", all_match, "show only matches from files that match all patterns"), FLAG('q', "quiet", quiet, "indicate hit with exit status without output"),
    NUMBER('m', "max-count", max_count, "maximum number of results per file"),
    {OPT_MAYBE, 'O', "open-files-in-pager", &pager, "pager", "show matching files in the pager", 0, "", NULL, 0}, {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static pf_regex *regex;
static bool any;

static void compile(void) {
    g_text whole_text = {0};
    const char *message;
    unsigned flags = (icase ? PF_RE_ICASE : 0) | (fixed ? PF_RE_LITERAL : extended || perl ? PF_RE_EXTENDED : 0) | PF_RE_GREP | PF_RE_NEWLINE;
    for (int i = 0; i < patterns.count; i++) g_text_addf(&whole_text, "%s%s", i ? "\n" : "", patterns.items[i]);
    if (pf_regex_compile(&regex, whole_text.s ? whole_text.s : "", whole_text.len, flags, &g_regex_host, &message) != PF_RE_OK)
        die("command line, '%s': %s", patterns.items[0], message);
}

static bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The first match at or behind `from`. */
static bool match(const char *line, size_t len, size_t from, pf_range *found) {
    while (from <= len && pf_regex_search(regex, line, len, from, 0, found, 1) == PF_RE_OK) {
        size_t s = (size_t)found->start, e = (size_t)found->end;
        if (!word || (e > s && (s == 0 || !is_word(line[s - 1])) && (e == len || !is_word(line[e])))) return true;
        from = s + 1;
    }
    return false;
}

typedef struct {
    const char *s;
    size_t len;
} text_line;

static void name_out(const char *name) { colored(code_name, name, strlen(name)); }

/* The line with all its matches in their colour. */
static void out_line(const text_line *line, char mark) {
    const char *code = mark == ':' ? code_selected : code_context;
    size_t from = 0, at = 0;
    pf_range found;
    while (*code_match && mark == ':' && !invert && match(line->s, line->len, from, &found)) {
        size_t start = (size_t)found.start, end = (size_t)found.end;
        if (end == start) {
            from = end + 1;
            continue;
        }
        if (start > at) colored(code, line->s + at, start - at);
        colored(code_match, line->s + start, end - start);
        from = at = end;
    }
    if (line->len > at) colored(code, line->s + at, line->len - at);
}

static void between(char mark) { colored(code_between, &mark, 1); }

static void show(const char *name, const text_line *line, size_t at, char mark, const pf_range *found) {
    if (!no_name && !heading) {
        name_out(name);
        if (null) g_outc('\0');
        else between(mark);
    }
    char digits[32];
    if (number) {
        colored(code_number, digits, (size_t)snprintf(digits, sizeof digits, "%zu", at + 1));
        between(mark);
    }
    if (column && found) {
        colored(code_column, digits, (size_t)snprintf(digits, sizeof digits, "%zd", (ptrdiff_t)found->start + 1));
        between(mark);
    }
    if (only && found && mark == ':') colored(code_match, line->s + found->start, (size_t)(found->end - found->start));
    else out_line(line, mark);
    g_outc('\n');
}

static bool shown_before; /* a block of lines with context */

static void search(const char *name, const char *data, size_t size) {
    bool binary = !text && memchr(data, 0, size < 8000 ? size : 8000) != NULL;
    text_line *lines = NULL;
    size_t total = 0, cap = 0, hits = 0, last = 0, until = 0;
    bool printed = false;
    if (binary && no_binary) return;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t len = end ? (size_t)(end - data) - at : size - at;
        if (total == cap) lines = g_more(lines, &cap, sizeof *lines);
        lines[total++] = (text_line){data + at, len};
        at += len + 1;
    }
    for (size_t i = 0; i < total; i++) {
        pf_range found = {0, 0};
        bool hit = match(lines[i].s, lines[i].len, 0, &found);
        if (hit == invert) {
            if (!(count || list || list_not || quiet) && printed && i < until) show(name, &lines[i], i, '-', NULL), last = i + 1;
            continue;
        }
        if (max_count >= 0 && hits >= (size_t)max_count) break;
        hits++;
        any |= !list_not;
        if (quiet) g_exit(0);
        if (list || list_not || (binary && !count)) break;
        if (count) continue;
        if (!printed && break_ && shown_before) g_outc('\n');
        if (!printed && heading && !no_name) name_out(name), g_outc('\n');
        size_t first = i > (size_t)before ? i - (size_t)before : 0;
        if (printed && first < last) first = last;
        if ((before || after) && shown_before && !(printed && first <= last) && !(break_ && !printed)) colored(code_between, "--", 2), g_outc('\n');
        for (size_t k = first; k < i; k++) show(name, &lines[k], k, '-', NULL);
        printed = shown_before = true;
        if (only && !invert) {
            for (size_t from = 0; match(lines[i].s, lines[i].len, from, &found);) {
                if (found.end > found.start) show(name, &lines[i], i, ':', &found);
                from = (size_t)found.end + (found.end == found.start);
            }
        } else {
            show(name, &lines[i], i, ':', hit ? &found : NULL);
        }
        last = i + 1;
        until = i + 1 + (size_t)after;
    }
    free(lines);
    if (list_not && !hits) any = true;
    if ((list && hits) || (list_not && !hits)) {
        name_out(name);
        g_outc(null ? '\0' : '\n');
    } else if (count && hits) {
        if (!no_name) {
            name_out(name);
            if (null) g_outc('\0');
            else between(':');
        }
        g_outf("%zu\n", hits);
    } else if (binary && hits && !list_not && !list) {
        g_outf("Binary file %s matches\n", name);
    }
}

static pathspec paths;

static bool wanted(const char *path) {
    if (!pathspec_match(&paths, path)) return false;
    if (!paths.count && *prefix && strncmp(path, prefix, strlen(prefix)) != 0) return false;
    if (depth < 0) return true;
    int slashes = 0;
    const char *below = path + (strncmp(path, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0);
    for (size_t i = 0; i < paths.count; i++) {
        size_t len = strlen(paths.items[i].pattern);
        if (len && strncmp(path, paths.items[i].pattern, len) == 0 && path[len] == '/') below = path + len + 1;
    }
    for (; *below; below++) slashes += *below == '/';
    return slashes <= depth;
}

static char *named(const char *tree, const char *path) {
    g_text out = {0};
    char *near = full_name ? g_copy_string(path) : relative(path);
    if (tree) g_text_addf(&out, "%s%s", tree, tree[strlen(tree) - 1] == ':' || tree[strlen(tree) - 1] == '/' ? "" : ":");
    g_text_adds(&out, quoted(near, ""));
    return out.s;
}

static void search_blob(const char *name, const git_oid *id) {
    git_blob *blob;
    if (git_blob_lookup(&blob, repo, id) < 0) return;
    search(name, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
}

static void search_file(const char *path, const char *full) {
    struct stat st;
    size_t len;
    if (lstat(full, &st) < 0 || !S_ISREG(st.st_mode)) return;
    char *data = read_file(full, &len);
    if (data) search(named(NULL, path), data, len);
    free(data);
}

static void search_index(void) {
    git_index *index = index_of_repo();
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (e->mode == 0160000 || e->mode == 0120000 || !wanted(e->path)) continue;
        if (i && strcmp(git_index_get_byindex(index, i - 1)->path, e->path) == 0) continue;
        if (cached) search_blob(named(NULL, e->path), &e->id);
        else search_file(e->path, in_workdir(e->path));
    }
}

static int on_untracked(const char *path, unsigned status, void *payload) {
    (void)payload;
    if ((status & GIT_STATUS_WT_NEW) && wanted(path)) search_file(path, in_workdir(path));
    return 0;
}

static void search_untracked(void) {
    git_status_options o = GIT_STATUS_OPTIONS_INIT;
    o.show = GIT_STATUS_SHOW_WORKDIR_ONLY;
    o.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS;
    git_status_foreach_ext(repo, &o, on_untracked, NULL);
}

static const char *tree_label;

static int in_tree(const char *root, const git_tree_entry *e, void *payload) {
    char path[4096];
    (void)payload;
    snprintf(path, sizeof path, "%s%s", root, git_tree_entry_name(e));
    if (git_tree_entry_type(e) == GIT_OBJECT_TREE) return 0;
    if (git_tree_entry_type(e) == GIT_OBJECT_BLOB && git_tree_entry_filemode(e) != GIT_FILEMODE_LINK && wanted(path))
        search_blob(named(tree_label, path), git_tree_entry_id(e));
    return 0;
}

int cmd_grep(int argc, char **argv) {
    static const char usage[] = "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]";
    int n = options(argc, argv, table, usage, KEEP_DASHDASH | NUMBERS), at = 0;
    if (!patterns.count) {
        if (!n || strcmp(argv[0], "--") == 0) die("no pattern given");
        list_add(&patterns, argv[at++]);
    }
    if (no_index || !repo) die(no_index ? "--no-index is not there: use grep -r" : "not a git repository (or any of the parent directories): .git");
    if (function || whole) die("git grep %s is not there: use -A and -B", function ? "-p" : "-W");
    if (all_match) die("git grep --all-match is not there");
    if (around >= 0) before = after = around;
    if (config_bool("grep.linenumber", false)) number = 1;
    compile();
    prepare_colors();
    int first = at;
    for (; at < n && strcmp(argv[at], "--") != 0; at++) {
        git_object *object = object_named(argv[at]);
        if (!object) break;
    }
    int trees = at - first, skip = at < n && strcmp(argv[at], "--") == 0;
    for (int i = at; i < n && !skip; i++)
        if (!file_exists(argv[i]) && !strpbrk(argv[i], "*?[:")) die_unknown_revision(argv[i]);
    pathspec_parse(&paths, n - at - skip, argv + at + skip);
    for (int i = 0; i < trees; i++) {
        git_tree *tree = tree_named(argv[first + i]);
        if (tree) {
            tree_label = argv[first + i];
            git_tree_walk(tree, GIT_TREEWALK_PRE, in_tree, NULL);
        } else {
            search_blob(argv[first + i], git_object_id(object_named(argv[first + i])));
        }
    }
    if (!trees) {
        search_index();
        if (untracked) search_untracked();
    }
    return !any;
}
