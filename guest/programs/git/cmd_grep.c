/*
 * cmd_grep.c: git grep: lines of tracked files, of the index or of trees.
 */
#include "grep.h"

#include <dirent.h>
#include <sys/stat.h>

#include "g_file.h"

static int cached, untracked, no_index, full_name, recursive = 1, depth = -1, around = -1, threads, textconv, any_or;
static int exclude = -1; /* what .gitignore names: -1 as it is usual */
static const char *pager;
static int color = COLOR_UNSET;

static void take_pattern_file(const option *o, const char *argument, bool unset) {
    size_t len;
    char *data = read_file(argument, &len);
    (void)o, (void)unset;
    if (!data) die("cannot open '%s': No such file or directory", argument);
    for (char *at = data, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        grep_add(GREP_PATTERN, g_copy_bytes(at, (size_t)(end - at)));
    }
}

static void take_around(const option *o, const char *argument, bool unset) {
    long n = 0;
    if (!unset && !parse_number(argument, &n)) option_not_a_number(o, argument);
    grep_how.before = grep_how.after = (int)n;
}

static void set_color(const option *o, const char *argument, bool unset) {
    color = unset ? COLOR_NEVER : color_when(argument, o->name);
}

static void take_token(const option *o, const char *argument, bool unset) {
    (void)unset;
    grep_add((enum grep_token)o->number, argument);
}

#define TOKEN(kind, letter, name, token, text) {kind, letter, name, NULL, "pattern", text, token, NULL, take_token, 1}
#define NUMBER(letter, name, field, text) {OPT_NUMBER, letter, name, &(field), "n", text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG(0, "cached", cached, "search in index instead of in the work tree"), FLAG(0, "no-index", no_index, "find in contents not managed by git"),
    FLAG(0, "untracked", untracked, "search in both tracked and untracked files"), FLAG(0, "exclude-standard", exclude, "ignore files specified via '.gitignore'"),
    FLAG('v', "invert-match", grep_how.invert, "show non-matching lines"), FLAG('i', "ignore-case", grep_icase, "case insensitive matching"),
    FLAG('w', "word-regexp", grep_word, "match patterns only at word boundaries"), FLAG('a', "text", grep_how.text, "process binary files as text"),
    FLAG('I', NULL, grep_how.no_binary, "don't match patterns in binary files"), FLAG(0, "textconv", textconv, "process binary files with textconv filters"),
    FLAG('r', "recursive", recursive, "search in subdirectories (default)"), NUMBER(0, "max-depth", depth, "descend at most <depth> levels"),
    {OPT_SET, 'E', "extended-regexp", &grep_kind, NULL, "use extended POSIX regular expressions", GREP_EXTENDED, NULL, NULL, 0}, {OPT_SET, 'G', "basic-regexp", &grep_kind, NULL, "use basic POSIX regular expressions (default)", GREP_BASIC, NULL, NULL, 0},
    {OPT_SET, 'F', "fixed-strings", &grep_kind, NULL, "interpret patterns as fixed strings", GREP_FIXED, NULL, NULL, 0}, {OPT_SET, 'P', "perl-regexp", &grep_kind, NULL, "use Perl-compatible regular expressions", GREP_EXTENDED, NULL, NULL, 0},
    FLAG('n', "line-number", grep_how.number, "show line numbers"), FLAG(0, "column", grep_how.column, "show column number of first match"),
    FLAG('h', NULL, grep_how.no_name, "don't show filenames"), {OPT_SET, 'H', NULL, &grep_how.no_name, NULL, "show filenames", 0, NULL, NULL, 1}, FLAG(0, "full-name", full_name, "show filenames relative to top directory"),
    FLAG('l', "files-with-matches", grep_how.list, "show only filenames instead of matching lines"), FLAG(0, "name-only", grep_how.list, "synonym for --files-with-matches"),
    FLAG('L', "files-without-match", grep_how.list_not, "show only the names of files without match"), FLAG('z', "null", grep_how.null, "print NUL after filenames"),
    FLAG('o', "only-matching", grep_how.only, "show only matching parts of a line"), FLAG('c', "count", grep_how.count, "show the number of matches instead of matching lines"),
    {OPT_CALL_MAYBE, 0, "color", NULL, "when", "highlight matches", 0, NULL, set_color, 0}, FLAG(0, "break", grep_how.break_, "print empty line between matches from different files"),
    FLAG(0, "heading", grep_how.heading, "show filename only once above matches from same file"), {OPT_CALL, 'C', "context", NULL, "n", "show <n> context lines before and after matches", 0, NULL, take_around, 0},
    NUMBER('B', "before-context", grep_how.before, "show <n> context lines before matches"), NUMBER('A', "after-context", grep_how.after, "show <n> context lines after matches"),
    NUMBER('#', NULL, around, "shortcut for -C NUM"), NUMBER(0, "threads", threads, "use <n> worker threads"),
    FLAG('p', "show-function", grep_how.function, "show a line with the function name before matches"), FLAG('W', "function-context", grep_how.whole, "show the surrounding function"),
    {OPT_CALL, 'f', NULL, NULL, "file", "read patterns from file", 0, NULL, take_pattern_file, 0}, TOKEN(OPT_CALL, 'e', NULL, GREP_PATTERN, "match <pattern>"),
    TOKEN(OPT_CALL_NONE, 0, "and", GREP_AND, "combine patterns specified with -e"), FLAG(0, "or", any_or, ""), TOKEN(OPT_CALL_NONE, 0, "not", GREP_NOT, ""),
    TOKEN(OPT_CALL_BARE, '(', NULL, GREP_OPEN, ""), TOKEN(OPT_CALL_BARE, ')', NULL, GREP_CLOSE, ""),
    FLAG(0, "all-match", grep_how.all_match, "show only matches from files that match all patterns"), FLAG('q', "quiet", grep_how.quiet, "indicate hit with exit status without output"),
    NUMBER('m', "max-count", grep_how.max_count, "maximum number of results per file"),
    {OPT_MAYBE, 'O', "open-files-in-pager", &pager, "pager", "show matching files in the pager", 0, "", NULL, 0}, {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static bool any; /* a hit */
static pathspec paths;

/* Whether a path is at most so deep below what an item names. A pattern and a file have no depth. */
static bool deep_enough(const char *path, const char *top) {
    size_t len = strlen(top);
    int slashes = 0;
    if (len && top[len - 1] == '/') len--;
    if (strncmp(path, top, len) != 0 || (len && path[len] != '/')) return true;
    for (const char *p = path + len + (len > 0); *p; p++) slashes += *p == '/';
    return slashes <= depth;
}

static bool wanted(const char *path) {
    if (!pathspec_match(&paths, path)) return false;
    bool here = !paths.count || paths.only_exclude;
    if (here && *prefix && strncmp(path, prefix, strlen(prefix)) != 0) return false;
    if (depth < 0) return true;
    if (here) return deep_enough(path, prefix);
    for (size_t i = 0; i < paths.count; i++) {
        pathspec_item item = paths.items[i];
        pathspec alone = {&item, 1, false};
        if (!item.exclude && pathspec_match(&alone, path) && (item.pattern[item.plain] || deep_enough(path, item.pattern))) return true;
    }
    return false;
}

static char *named(const char *tree, const char *path) {
    g_text out = {0};
    char *near = full_name ? g_copy_string(path) : relative(path), *text = grep_how.null ? near : quoted(near, "");
    if (tree) g_text_addf(&out, "%s%s", tree, tree[strlen(tree) - 1] == ':' || tree[strlen(tree) - 1] == '/' ? "" : ":");
    g_text_adds(&out, text);
    return out.s;
}

static void search(const char *name, const char *path, const char *data, size_t len) {
    any |= grep_text(name, path, data, len);
    if (any && grep_how.quiet) g_exit(0);
}

static void search_blob(const char *name, const char *path, const git_oid *id) {
    git_blob *blob;
    if (git_blob_lookup(&blob, repo, id) < 0) return;
    search(name, path, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
}

static void search_file(const char *path, const char *full) {
    struct stat st;
    size_t len;
    if (lstat(full, &st) < 0 || !S_ISREG(st.st_mode)) return;
    char *data = read_file(full, &len);
    if (data) search(named(NULL, path), path, data, len);
    free(data);
}

static void search_index(void) {
    git_index *index = index_of_repo();
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (e->mode == 0160000 || e->mode == 0120000 || !wanted(e->path)) continue;
        if (i && strcmp(git_index_get_byindex(index, i - 1)->path, e->path) == 0) continue;
        if (cached) search_blob(named(NULL, e->path), e->path, &e->id);
        else search_file(e->path, in_workdir(e->path));
    }
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Files below a directory, tracked or not; `path` ends with a slash, "" is the top. */
static void add_files(string_list *found, const char *path) {
    char *full = repo ? in_workdir(path) : g_copy_string(*path ? path : ".");
    DIR *dir = opendir(full);
    struct dirent *e;
    while (dir && (e = readdir(dir)) != NULL) {
        struct stat st;
        char below[4096];
        int ignored = 0;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, ".git") == 0) continue;
        if ((size_t)snprintf(below, sizeof below, "%s%s", path, e->d_name) >= sizeof below - 1) continue;
        if (lstat(repo ? in_workdir(below) : below, &st) < 0) continue;
        if (repo && (exclude < 0 ? !no_index : exclude)) git_ignore_path_is_ignored(&ignored, repo, below);
        if (ignored) continue;
        if (S_ISDIR(st.st_mode)) add_files(found, strcat(below, "/"));
        else if (S_ISREG(st.st_mode) && wanted(below)) list_add(found, below);
    }
    if (dir) closedir(dir);
    free(full);
}

static void search_directory(void) {
    string_list found = {0};
    add_files(&found, "");
    if (found.count) qsort(found.items, (size_t)found.count, sizeof *found.items, by_name);
    for (int i = 0; i < found.count; i++)
        search_file(found.items[i], repo ? in_workdir(found.items[i]) : found.items[i]);
}

static const char *tree_label;

static int in_tree(const char *root, const git_tree_entry *e, void *payload) {
    char path[4096];
    (void)payload;
    snprintf(path, sizeof path, "%s%s", root, git_tree_entry_name(e));
    if (git_tree_entry_type(e) == GIT_OBJECT_TREE) return 0;
    if (git_tree_entry_type(e) == GIT_OBJECT_BLOB && git_tree_entry_filemode(e) != GIT_FILEMODE_LINK && wanted(path))
        search_blob(named(tree_label, path), path, git_tree_entry_id(e));
    return 0;
}

/* The operands behind the pattern that are revisions; how many. */
static int revisions(char **operands, int count) {
    int trees = 0, dashes = -1;
    for (int i = 0; i < count && dashes < 0; i++)
        if (strcmp(operands[i], "--") == 0) dashes = i;
    if ((no_index || untracked) && dashes > 0) die("--no-index or --untracked cannot be used with revs");
    if (no_index || untracked) return 0;
    for (; trees < count && trees != dashes && object_named(operands[trees]); trees++)
        if (dashes < 0 && file_exists(operands[trees]) && !strpbrk(operands[trees], "~^@:"))
            die("ambiguous argument '%s': both revision and filename\n"
                "Use '--' to separate paths from revisions, like this:\n"
                "'git <command> [<revision>...] -- [<file>...]'", operands[trees]);
    if (dashes >= 0 && trees < dashes) die("unable to resolve revision: %s", operands[trees]);
    return trees;
}

static void search_trees(char **names, int count) {
    for (int i = 0; i < count; i++) {
        git_tree *tree = tree_named(names[i]);
        tree_label = names[i];
        if (tree) git_tree_walk(tree, GIT_TREEWALK_PRE, in_tree, NULL);
        else search_blob(names[i], names[i], git_object_id(object_named(names[i])));
    }
}

int cmd_grep(int argc, char **argv) {
    static const char usage[] = "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]";
    grep_how.max_count = -1;
    int n = options(argc, argv, table, usage, KEEP_DASHDASH | NUMBERS | STOP_AT_OPERAND), at = 0;
    if (!grep_has_patterns()) {
        if (!n || strcmp(argv[0], "--") == 0) die("no pattern given");
        grep_add(GREP_PATTERN, argv[at++]);
    }
    if (!repo && config_bool("grep.fallbacktonoindex", false)) no_index = 1;
    if (!repo && !no_index) die("not a git repository (or any of the parent directories): .git");
    if (around >= 0) grep_how.before = grep_how.after = around;
    if (grep_how.invert) grep_how.only = 0;
    if (repo && config_bool("grep.linenumber", false)) grep_how.number = 1;
    grep_compile(grep_how.all_match);
    grep_colors(color);
    argv += at;
    n -= at;
    int trees = revisions(argv, n);
    bool dashes = trees < n && strcmp(argv[trees], "--") == 0;
    for (int i = trees; i < n && !dashes; i++) {
        if (argv[i][0] == '-') die("option '%s' must come before non-option arguments", argv[i]);
        if (names_path(argv[i])) continue;
        if (i == trees && !no_index && !untracked) die_unknown_revision(argv[i]);
        die("%s: no such path in the working tree.\n"
            "Use 'git <command> -- <path>...' to specify paths that do not exist locally.", argv[i]);
    }
    pathspec_parse(&paths, n - trees - dashes, argv + trees + dashes);
    if (no_index && untracked) die("options '--no-index' and '--untracked' cannot be used together");
    if (no_index && cached) die("options '--no-index' and '--cached' cannot be used together");
    if (untracked && cached) die("options '--untracked' and '--cached' cannot be used together");
    if (exclude >= 0 && !no_index && !untracked) die("--[no-]exclude-standard cannot be used for tracked contents");
    if (trees && cached) die("both --cached and trees are given");
    if (trees) search_trees(argv, trees);
    else if (no_index || untracked) search_directory();
    else search_index();
    return !any;
}
