/*
 * cmd_blame.c: git blame and git annotate: which commit each line is from.
 */
#include "line_range.h"
#include "revs.h"

static int long_, raw, suppress, email, show_name, show_number, porcelain, line_porcelain, blank, root, white, incremental, stats, abbrev, score, first_parent;
static const char *date, *contents, *ignore_rev, *ignore_file, *since;
static string_list ranges;
static int annotate;

#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const char *moved_text, *copied_text;
static const option table[] = {
    FLAG(0, "incremental", incremental, "show blame entries as we find them, incrementally"), FLAG('b', NULL, blank, "do not show object names of boundary commits (Default: off)"),
    FLAG(0, "root", root, "do not treat root commits as boundaries (Default: off)"), FLAG(0, "show-stats", stats, "show work cost statistics"),
    FLAG(0, "score-debug", score, "show output score for blame entries"), FLAG('f', "show-name", show_name, "show original filename (Default: auto)"),
    FLAG('n', "show-number", show_number, "show original linenumber (Default: off)"), FLAG('p', "porcelain", porcelain, "show in a format designed for machine consumption"),
    FLAG(0, "line-porcelain", line_porcelain, "show porcelain format with per-line commit information"), FLAG('c', NULL, annotate, "use the same output mode as git-annotate (Default: off)"),
    FLAG('t', NULL, raw, "show raw timestamp (Default: off)"), FLAG('l', NULL, long_, "show long commit SHA1 (Default: off)"),
    FLAG('s', NULL, suppress, "suppress author name and timestamp (Default: off)"), FLAG('e', "show-email", email, "show author email instead of name (Default: off)"),
    FLAG('w', NULL, white, "ignore whitespace differences"), STRING(0, "ignore-rev", ignore_rev, "rev", "ignore <rev> when blaming"),
    STRING(0, "ignore-revs-file", ignore_file, "file", "ignore revisions from <file>"), STRING(0, "contents", contents, "file", "use <file>'s contents as the final image"),
    STRING(0, "date", date, "format", NULL), STRING(0, "since", since, "date", NULL), FLAG(0, "first-parent", first_parent, NULL),
    {OPT_MAYBE, 'C', NULL, &copied_text, "score", "find line copies within and across files", 0, "", NULL, 0}, {OPT_MAYBE, 'M', NULL, &moved_text, "score", "find line movements within and across files", 0, "", NULL, 0},
    {OPT_LIST, 'L', NULL, &ranges, "range", "process only line range <start>,<end> or function :<funcname>", 0, NULL, NULL, 0},
    {OPT_NUMBER, 0, "abbrev", &abbrev, "n", "use <n> digits to display object names", 0, NULL, NULL, 0}, {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static range_line *lines;
static size_t line_count;
static bool *chosen;
static const char *path;

static void choose(void) {
    ranged_text text = {lines, (long)line_count, path, false};
    long anchor = 1;
    chosen = g_zalloc(line_count + 1);
    if (!ranges.count) memset(chosen, 1, line_count);
    for (int i = 0; i < ranges.count; i++) {
        long first, last;
        if (!read_range(&text, ranges.items[i], anchor, &first, &last))
            die_status(129, "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>");
        if (first > text.count || (!text.count && last)) die("file %s has only %zu line%s", path, line_count, line_count == 1 ? "" : "s");
        if (first < 1) first = 1;
        if (last < 1 || last > text.count) last = text.count;
        for (long k = first; k <= last; k++) chosen[k - 1] = true;
        anchor = last + 1;
    }
}

static bool is_boundary(const git_blame_hunk *h) {
    git_commit *commit;
    if (git_oid_is_zero(&h->final_commit_id) || root) return false;
    if (h->boundary) return true;
    bool first = git_commit_lookup(&commit, repo, &h->final_commit_id) == 0 && git_commit_parentcount(commit) == 0;
    return first;
}

static git_signature nobody = {"Not Committed Yet", "not.committed.yet", {0, 0, '+'}};

static const git_signature *author_of(const git_blame_hunk *h, git_commit **commit) {
    *commit = NULL;
    if (git_oid_is_zero(&h->final_commit_id) || git_commit_lookup(commit, repo, &h->final_commit_id) < 0) return &nobody;
    return git_commit_author(*commit);
}

static void porcelain_line(const git_blame_hunk *h, size_t i, bool first_of_group, size_t group, git_oid *seen, size_t *seen_count) {
    git_commit *commit;
    const git_signature *author = author_of(h, &commit);
    size_t original = h->orig_start_line_number + (i + 1 - h->final_start_line_number);
    bool known = false;
    for (size_t k = 0; k < *seen_count; k++) known |= git_oid_equal(&seen[k], &h->final_commit_id);
    g_outf("%s %zu %zu", full_id(&h->final_commit_id), original, i + 1);
    if (first_of_group) g_outf(" %zu", group);
    g_outc('\n');
    if (!known || line_porcelain) {
        if (!known) seen[(*seen_count)++] = h->final_commit_id;
        const git_signature *committer = commit ? git_commit_committer(commit) : &nobody;
        const char *roles[] = {"author", "committer"};
        const git_signature *who[] = {author, committer};
        for (int k = 0; k < 2; k++) {
            int offset = who[k]->when.offset, size = offset < 0 ? -offset : offset;
            g_outf("%s %s\n%s-mail <%s>\n%s-time %lld\n%s-tz %c%02d%02d\n", roles[k], who[k]->name, roles[k], who[k]->email, roles[k],
                   (long long)who[k]->when.time, roles[k], offset < 0 ? '-' : '+', size / 60, size % 60);
        }
        if (commit) g_outf("summary %s\n", subject_of(git_commit_message(commit)));
        else g_outf("summary Version of %s from %s\n", path, path);
        if (commit && git_commit_parentcount(commit) == 0) g_outs("boundary\n");
        else if (commit) g_outf("previous %s %s\n", full_id(git_commit_parent_id(commit, 0)), h->orig_path);
        g_outf("filename %s\n", h->orig_path ? h->orig_path : path);
    }
    g_outc('\t');
    g_out(lines[i].s, lines[i].len);
    g_outc('\n');
}

typedef struct {
    int id, author, name, original, number;
} widths;

static int digits(size_t n) {
    int count = 1;
    while (n >= 10) n /= 10, count++;
    return count;
}

static void plain_line(const git_blame_hunk *h, size_t i, const widths *w, bool names, const date_style *style) {
    git_commit *commit;
    const git_signature *author = author_of(h, &commit);
    const char *id = full_id(&h->final_commit_id);
    g_text when = {0};
    int length = long_ ? OID_HEX : w->id;
    git_time time = author->when;
    if (raw) {
        date_style plain = {DATE_RAW, false, NULL};
        add_date(&when, &time, &plain);
    } else {
        add_date(&when, &time, style);
    }
    if (annotate) {
        g_outf("%.*s\t(%10s\t%10s\t%zu)", long_ ? OID_HEX : 8, id, email ? author->email : author->name, when.s, i + 1);
        g_out(lines[i].s, lines[i].len);
        g_outc('\n');
        return;
    }
    bool boundary = is_boundary(h);
    if (boundary && blank) g_out_fill(' ', (size_t)length);
    else if (boundary) g_outf("^%.*s", length - 1, id);
    else g_outf("%.*s", length, id);
    if (names) g_outf(" %-*s", w->name, h->orig_path ? h->orig_path : path);
    if (show_number) g_outf(" %*zu", w->original, h->orig_start_line_number + (i + 1 - h->final_start_line_number));
    if (!suppress) {
        char mail[300];
        snprintf(mail, sizeof mail, "<%s>", author->email);
        const char *shown = email ? mail : author->name;
        int pad = w->author - (int)g_text_width(shown, strlen(shown));
        g_outf(" (%s%*s %s", shown, pad > 0 ? pad : 0, "", when.s);
    }
    g_outf(suppress ? " %*zu) " : " %*zu) ", w->number, i + 1);
    g_out(lines[i].s, lines[i].len);
    g_outc('\n');
    g_text_free(&when);
}

static void show(git_blame *blame) {
    git_oid *seen = g_zalloc((line_count + 1) * sizeof *seen);
    size_t seen_count = 0, group_end = 0, most = 0;
    widths w = {0};
    bool names = show_name;
    char *mode = config_string("blame.date");
    date_style style = date_style_named(date ? date : mode ? mode : "iso");
    w.id = abbrev ? abbrev + 1 : 8;
    if (w.id > OID_HEX) w.id = OID_HEX;
    for (size_t i = 0; i < line_count; i++) {
        const git_blame_hunk *h = git_blame_hunk_byline(blame, i + 1);
        git_commit *commit;
        if (!h || !chosen[i]) continue;
        const git_signature *who = author_of(h, &commit);
        int len = (int)g_text_width(email ? who->email : who->name, strlen(email ? who->email : who->name)) + (email ? 2 : 0);
        if (len > w.author) w.author = len;
        if (h->orig_path && strcmp(h->orig_path, path) != 0) names = true;
        if (h->orig_path && (int)strlen(h->orig_path) > w.name) w.name = (int)strlen(h->orig_path);
        size_t original = h->orig_start_line_number + (i + 1 - h->final_start_line_number);
        if (digits(original) > w.original) w.original = digits(original);
        most = i + 1;
    }
    w.number = digits(most);
    for (size_t i = 0; i < line_count; i++) {
        const git_blame_hunk *h = git_blame_hunk_byline(blame, i + 1);
        if (!h || !chosen[i]) continue;
        if (!porcelain && !line_porcelain) {
            plain_line(h, i, &w, names, &style);
            continue;
        }
        bool starts = i >= group_end || !i || !chosen[i - 1] || git_blame_hunk_byline(blame, i) != h;
        size_t group = 0;
        if (starts) {
            size_t k = i;
            while (k < line_count && chosen[k] && git_blame_hunk_byline(blame, k + 1) == h) k++, group++;
            group_end = k;
        }
        porcelain_line(h, i, starts, group, seen, &seen_count);
    }
}

int cmd_blame(int argc, char **argv) {
    int n = options(argc, argv, table, "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", KEEP_DASHDASH);
    git_blame_options o = GIT_BLAME_OPTIONS_INIT;
    git_blame *blame, *whole;
    const char *file = NULL, *rev = NULL;
    size_t len = 0;
    if (strcmp(command, "annotate") == 0) annotate = 1;
    if (incremental) die("--incremental is not there: use --porcelain");
    if (ignore_rev || ignore_file) die("--ignore-rev is not there");
    for (int i = 0; i < n; i++) {
        if (strcmp(argv[i], "--") == 0) continue;
        if (i + 1 == n) file = argv[i];
        else rev = argv[i];
    }
    if (!file) usage_error(NULL);
    /* the file may come first, the revision behind it */
    if (rev && !commit_named(rev) && file_exists(rev) && commit_named(file)) {
        const char *swap = rev;
        rev = file;
        file = swap;
    }
    path = repo_path(file);
    char *dots = rev ? strstr(rev, "..") : NULL;
    const char *newest = dots ? (dots[2] ? dots + 2 : "HEAD") : rev;
    git_commit *commit = commit_named(newest ? newest : "HEAD");
    if (rev && !commit) die("bad revision '%s'", rev);
    if (!commit) die("no such path '%s' in HEAD", path);
    git_tree_entry *entry;
    bool there = git_tree_entry_bypath(&entry, tree_of(commit), path) == 0;
    if (!there && (rev || !git_index_get_bypath(index_of_repo(), path, 0))) die(rev ? "no such path %s in %s" : "no such path '%s' in %s", path, rev ? rev : "HEAD");
    o.newest_commit = *git_commit_id(commit);
    if (dots && dots != rev) {
        git_commit *oldest = commit_named(g_copy_bytes(rev, (size_t)(dots - rev)));
        if (oldest) o.oldest_commit = *git_commit_id(oldest);
    }
    o.flags = (white ? GIT_BLAME_IGNORE_WHITESPACE : 0) | (first_parent ? GIT_BLAME_FIRST_PARENT : 0);
    char *data = NULL;
    if (contents) data = read_file(contents, &len);
    else if (!rev) data = read_file(in_workdir(path), &len);
    if (!data && !rev) die("cannot stat path '%s': No such file or directory", path);
    git_blob *blob = NULL;
    if (there) check(git_blob_lookup(&blob, repo, git_tree_entry_id(entry)));
    if (there && git_blame_file(&blame, repo, path, &o) < 0) die("%s", git_message());
    if (!there) die("no such path '%s' in HEAD", path);
    bool same = !data || (len == (size_t)git_blob_rawsize(blob) && memcmp(data, git_blob_rawcontent(blob), len) == 0);
    ranged_text text = lines_of(same ? git_blob_rawcontent(blob) : data, same ? (size_t)git_blob_rawsize(blob) : len, path);
    lines = text.lines;
    line_count = (size_t)text.count;
    choose();
    nobody.when.time = committer_for_log()->when.time;
    if (!same) {
        check(git_blame_buffer(&whole, blame, data, len));
        blame = whole;
    }
    show(blame);
    return 0;
}

int cmd_annotate(int argc, char **argv) { return cmd_blame(argc, argv); }
