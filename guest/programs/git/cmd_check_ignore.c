/*
 * cmd_check_ignore.c: git check-ignore, which names the rule that decides.
 */
#include "git.h"

#include <sys/stat.h>

#include "g_file.h"

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);
enum { PATHS = 2, NO_CASE = 1 };

typedef struct {
    const char *source; /* the file as it is shown */
    char *whole;        /* the line */
    char *pattern;
    int line;
    bool negative, folders, anchored;
} rule;

static int quiet, verbose, input, no_index, null, non_matching;

static bool read_rule(rule *r, char *line) {
    size_t len = strlen(line);
    if (len && line[len - 1] == '\r') line[--len] = '\0';
    while (len && line[len - 1] == ' ' && !(len > 1 && line[len - 2] == '\\')) line[--len] = '\0';
    if (!*line || *line == '#') return false;
    r->whole = g_copy_string(line);
    if (*line == '!') r->negative = true, line++;
    else if (*line == '\\' && (line[1] == '!' || line[1] == '#')) line++;
    len = strlen(line);
    if (len && line[len - 1] == '/') r->folders = true, line[--len] = '\0';
    r->anchored = strchr(line, '/') != NULL;
    if (*line == '/') line++;
    r->pattern = g_copy_string(line);
    return len > 0;
}

/* The last line of a file that says something about `path`, which is within the file's folder. */
static bool match_file(rule *found, const char *file, const char *shown, const char *path, bool folder) {
    size_t len;
    bool any = false;
    char *text = read_file(file, &len);
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    unsigned flags = PATHS | (config_bool("core.ignorecase", false) ? NO_CASE : 0);
    int number = 0;
    for (char *line = text, *end; line && *line; line = end ? end + 1 : NULL) {
        rule r = {.source = shown, .line = ++number};
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        if (!read_rule(&r, line) || (r.folders && !folder)) continue;
        if (wildmatch(r.pattern, r.anchored ? path : base, flags) != 0) continue;
        *found = r;
        any = true;
    }
    free(text);
    return any;
}

/* The rule for this path alone: of the nearest .gitignore, then of the repository, then of the user. */
static bool match_path(rule *found, const char *path, bool folder) {
    size_t cut = strlen(path);
    for (;;) {
        while (cut && path[cut - 1] != '/') cut--;
        g_text shown = {0};
        g_text_addf(&shown, "%.*s.gitignore", (int)cut, path);
        if (match_file(found, in_workdir(shown.s), shown.s, path + cut, folder)) return true;
        if (!cut) break;
        cut--;
    }
    if (match_file(found, git_file("info/exclude"), ".git/info/exclude", path, folder)) return true;
    char *own = config_string("core.excludesfile");
    if (own && own[0] == '~' && own[1] == '/' && getenv("HOME")) own = g_join(getenv("HOME"), own + 2);
    return own && match_file(found, own, own, path, folder);
}

static bool find_rule(rule *found, const char *path, bool folder) {
    for (const char *slash = path; (slash = strchr(slash, '/')) != NULL; slash++) {
        char *above = g_copy_bytes(path, (size_t)(slash - path));
        if (match_path(found, above, true) && !found->negative) return true;
        free(above);
    }
    return match_path(found, path, folder);
}

static bool show(const char *name) {
    struct stat st;
    rule r = {0};
    char *path = repo_path(name);
    size_t len = strlen(path);
    bool folder = (lstat(in_workdir(path), &st) == 0 && S_ISDIR(st.st_mode)) || (*name && name[strlen(name) - 1] == '/');
    if (len && path[len - 1] == '/') path[len - 1] = '\0';
    bool found = *path && (no_index || !git_index_get_bypath(index_of_repo(), path, 0)) && find_rule(&r, path, folder);
    if (found && r.negative && !verbose) found = false;
    if (!found && !non_matching) return false;
    if (quiet) return found;
    if (verbose && null) {
        if (found) g_outs(r.source);
        g_outc('\0');
        if (found) g_outf("%d", r.line);
        g_outc('\0');
        if (found) g_outs(r.whole);
        g_outc('\0');
    } else if (verbose && found) {
        g_outf("%s:%d:%s\t", r.source, r.line, r.whole);
    } else if (verbose) {
        g_outs("::\t");
    }
    out_path(name, null ? '\0' : '\n');
    return found;
}

int cmd_check_ignore(int argc, char **argv) {
    static const option table[] = {
        FLAG('q', "quiet", quiet, "suppress progress reporting"), FLAG('v', "verbose", verbose, "be verbose"),
        {OPT_GROUP, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
        FLAG(0, "stdin", input, "read file names from stdin"), FLAG('z', NULL, null, "terminate input and output records by a NUL character"),
        FLAG('n', "non-matching", non_matching, "show non-matching input paths"),
        FLAG(0, "no-index", no_index, "ignore index when checking"), {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}};
    int n = options(argc, argv, table, "git check-ignore [<options>] <pathname>...\ngit check-ignore [<options>] --stdin", 0);
    bool found = false;
    g_text in = {0};
    if (input && n) die("cannot specify pathnames with --stdin");
    if (!input && null) die("-z only makes sense with --stdin");
    if (!input && !n) die("no path specified");
    if (quiet && n > 1) die("--quiet is only valid with a single pathname");
    if (quiet && verbose) die("cannot have both --quiet and --verbose");
    if (non_matching && !verbose) die("--non-matching is only valid with --verbose");
    for (int i = 0; i < n; i++) found |= show(argv[i]);
    if (input) read_stdin(&in);
    for (char *line = in.s, *stop = in.s + in.len; line < stop;) {
        char *end = memchr(line, null ? '\0' : '\n', (size_t)(stop - line));
        if (end) *end = '\0';
        found |= show(line);
        line = end ? end + 1 : stop;
    }
    return !found;
}
