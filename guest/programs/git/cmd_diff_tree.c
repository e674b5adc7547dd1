/*
 * cmd_diff_tree.c: git diff-tree, diff-index and diff-files: differences for scripts, raw unless asked for
 * otherwise, and without renames.
 */
#include "color.h"
#include "diff_combined.h"
#include "revs.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static int recursive, show_trees, root, no_commit_id, from_stdin, always, cached, merge_base, ignore_missing, silent;
static bool pretty_given;

static void take_pretty(const option *o, const char *argument, bool unset) {
    (void)unset;
    pretty_given = true;
    if (strcmp(o->name ? o->name : "", "oneline") == 0) pretty.kind = PRETTY_ONELINE;
    else pretty_named(argument ? argument : "medium");
}

static void merges(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    diffs.merges = o->number;
}

static const option tree_table[] = {
    FLAG('r', NULL, recursive, NULL), FLAG('t', NULL, show_trees, NULL), FLAG(0, "root", root, NULL),
    FLAG(0, "no-commit-id", no_commit_id, NULL), FLAG(0, "stdin", from_stdin, NULL), FLAG(0, "always", always, NULL),
    FLAG(0, "merge-base", merge_base, NULL),
    {OPT_CALL_MAYBE, 0, "pretty", NULL, "format", NULL, 0, NULL, take_pretty, 0},
    {OPT_CALL_MAYBE, 0, "format", NULL, "format", NULL, 0, NULL, take_pretty, 0},
    {OPT_CALL_NONE, 0, "oneline", NULL, NULL, NULL, 0, NULL, take_pretty, 0},
    {OPT_CALL_NONE, 'v', NULL, NULL, NULL, NULL, 0, NULL, take_pretty, 0},
    {OPT_CALL_NONE, 'm', NULL, NULL, NULL, NULL, MERGES_EACH, NULL, merges, 0},
    {OPT_CALL_NONE, 'c', NULL, NULL, NULL, NULL, MERGES_COMBINED, NULL, merges, 0},
    {OPT_CALL_NONE, 0, "cc", NULL, NULL, NULL, MERGES_DENSE, NULL, merges, 0},
    {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0}, END};

#define COMMON_OPTIONS \
    "\n\ncommon diff options:\n" \
    "  -z            output diff-raw with lines terminated with NUL.\n" \
    "  -p            output patch format.\n" \
    "  -u            synonym for -p.\n" \
    "  --patch-with-raw\n" \
    "                output both a patch and the diff-raw format.\n" \
    "  --stat        show diffstat instead of patch.\n" \
    "  --numstat     show numeric diffstat instead of patch.\n" \
    "  --patch-with-stat\n" \
    "                output a patch and prepend its diffstat.\n" \
    "  --name-only   show only names of changed files.\n" \
    "  --name-status show names and status of changed files.\n" \
    "  --full-index  show full object name on index lines.\n" \
    "  --abbrev=<n>  abbreviate object names in diff-tree header and diff-raw.\n" \
    "  -R            swap input file pairs.\n" \
    "  -B            detect complete rewrites.\n" \
    "  -M            detect renames.\n" \
    "  -C            detect copies.\n" \
    "  --find-copies-harder\n" \
    "                try unchanged files as candidate for copy detection.\n" \
    "  -l<n>         limit rename attempts up to <n> paths.\n" \
    "  -O<file>      reorder diffs according to the <file>.\n" \
    "  -S<string>    find filepair whose only one side contains the string.\n" \
    "  --pickaxe-all\n" \
    "                show all files diff when -S is used and hit is found.\n" \
    "  -a  --text    treat all files as text.\n"

static _Noreturn void usage(const char *text) {
    g_out_flush();
    fprintf(stderr, "usage: %s%s\n", text, COMMON_OPTIONS);
    g_exit(129);
}

static void defaults(void) {
    diff_defaults();
    revs_defaults();
    pretty_defaults();
    pretty.kind = PRETTY_MEDIUM;
    diffs.renames = 0;
    diffs.context = 3;
    diffs.raw_full = 1;
    diffs.color = COLOR_NEVER;
}

/* ---- trees, folder by folder */

static const git_tree_entry *entry_at(git_tree *tree, size_t i) {
    return tree && i < git_tree_entrycount(tree) ? git_tree_entry_byindex(tree, i) : NULL;
}

static void add_line(g_text *out, const char *path, const git_tree_entry *old, const git_tree_entry *new_) {
    git_diff_delta d = {.status = !old ? GIT_DELTA_ADDED : !new_ ? GIT_DELTA_DELETED : GIT_DELTA_MODIFIED};
    if (old && new_ && (git_tree_entry_filemode_raw(old) & 0170000) != (git_tree_entry_filemode_raw(new_) & 0170000))
        d.status = GIT_DELTA_TYPECHANGE;
    d.old_file.path = d.new_file.path = path;
    d.new_file.flags = d.old_file.flags = GIT_DIFF_FLAG_VALID_ID;
    if (old) d.old_file.id = *git_tree_entry_id(old), d.old_file.mode = git_tree_entry_filemode_raw(old);
    if (new_) d.new_file.id = *git_tree_entry_id(new_), d.new_file.mode = git_tree_entry_filemode_raw(new_);
    diff_write_delta(out, &d, diffs.format);
}

static bool is_tree(const git_tree_entry *e) { return e && git_tree_entry_type(e) == GIT_OBJECT_TREE; }

/* git's order of names in a tree: a folder's has a slash behind it. */
static int name_order(const git_tree_entry *a, const git_tree_entry *b) {
    g_text x = {0}, y = {0};
    g_text_addf(&x, "%s%s", git_tree_entry_name(a), is_tree(a) ? "/" : "");
    g_text_addf(&y, "%s%s", git_tree_entry_name(b), is_tree(b) ? "/" : "");
    int order = strcmp(x.s, y.s);
    g_text_free(&x);
    g_text_free(&y);
    return order;
}

static void walk(g_text *out, git_tree *old, git_tree *new_, const char *folder, int depth);

static void pair(g_text *out, const char *folder, const git_tree_entry *a, const git_tree_entry *b, int depth) {
    g_text path = {0};
    bool trees = is_tree(a ? a : b);
    if (a && b && git_oid_equal(git_tree_entry_id(a), git_tree_entry_id(b)) &&
        git_tree_entry_filemode_raw(a) == git_tree_entry_filemode_raw(b)) return;
    g_text_addf(&path, "%s%s", folder, git_tree_entry_name(a ? a : b));
    bool hit = pathspec_match(&diffs.paths, path.s), below = trees && (recursive || (diffs.paths.count && !hit));
    if (hit && (!below || show_trees)) add_line(out, path.s, a, b);
    if (below && (hit || pathspec_below(&diffs.paths, path.s))) {
        git_tree *x = NULL, *y = NULL;
        if (a) check(git_tree_lookup(&x, repo, git_tree_entry_id(a)));
        if (b) check(git_tree_lookup(&y, repo, git_tree_entry_id(b)));
        g_text_addc(&path, '/');
        walk(out, x, y, path.s, depth + 1);
        git_tree_free(x);
        git_tree_free(y);
    }
    g_text_free(&path);
}

static void walk(g_text *out, git_tree *old, git_tree *new_, const char *folder, int depth) {
    if (depth > 1000) die("the tree nests too deeply");
    for (size_t i = 0, j = 0;;) {
        const git_tree_entry *a = entry_at(old, i), *b = entry_at(new_, j);
        if (!a && !b) return;
        int order = !a ? 1 : !b ? -1 : name_order(a, b);
        if (order <= 0) i++;
        if (order >= 0) j++;
        pair(out, folder, order <= 0 ? a : NULL, order >= 0 ? b : NULL, depth);
    }
}

static bool by_folder(void) {
    return !(diffs.format & ~(DIFF_RAW | DIFF_NAME_ONLY | DIFF_NAME_STATUS)) && !diffs.renames && !diffs.filter && !diffs.pickaxe &&
           !diffs.reverse && (!recursive || show_trees);
}

static void add_trees(g_text *out, git_tree *old, git_tree *new_) {
    if (by_folder()) {
        walk(out, old, new_, "", 0);
        return;
    }
    git_diff *diff = diff_trees(old, new_);
    if (!(diffs.format & DIFF_NONE)) diff_write(out, diff, diffs.format);
    else if (diff_any(diff)) g_text_adds(out, " ");
    git_diff_free(diff);
}

/* ---- commits */

static bool any_difference;

static void add_head(g_text *out, rev *r, bool differs) {
    if (no_commit_id) return;
    if (!pretty_given) {
        g_text_addf(out, "%s%c", full_id(&r->id), diffs.null ? '\0' : '\n');
        return;
    }
    pretty_commit(out, r, "");
    if (pretty.kind == PRETTY_ONELINE) return;
    if (pretty.kind == PRETTY_FORMAT) {
        g_text_addc(out, '\n');
        return;
    }
    if (differs && !(diffs.format & DIFF_NONE)) g_text_adds(out, diffs.format & DIFF_PATCH && diffs.format & DIFF_STAT ? "---\n" : "\n");
}

static void show(git_commit *commit) {
    rev *r = rev_of(git_commit_id(commit));
    unsigned parents = git_commit_parentcount(commit);
    rev_parse(r);
    if (!parents && !root && !always) return;
    if (parents > 1 && !diffs.merges) {
        if (!always) return;
    }
    for (unsigned i = 0; i < (diffs.merges == MERGES_EACH && parents ? parents : 1); i++) {
        git_tree *old = NULL, *new_ = tree_of(commit);
        git_commit *parent = NULL;
        g_text body = {0}, out = {0};
        if (parents && git_commit_parent(&parent, commit, i) == 0) old = tree_of(parent);
        if (parents > 1 && diffs.merges >= MERGES_COMBINED) {
            if (diffs.format & (DIFF_STAT | DIFF_NUMSTAT | DIFF_SHORTSTAT | DIFF_SUMMARY)) add_trees(&body, old, new_);
            diff_write_merge(&body, commit, diffs.merges == MERGES_DENSE);
        } else if ((parents || root) && !(parents > 1 && !diffs.merges)) {
            add_trees(&body, old, new_);
        }
        any_difference |= body.len > 0;
        if (body.len || always) {
            add_head(&out, r, body.len > 0);
            if (!(diffs.format & DIFF_NONE) && !diffs.quiet) g_text_add(&out, body.s ? body.s : "", body.len);
            g_out(out.s ? out.s : "", out.len);
        }
        g_text_free(&body);
        g_text_free(&out);
    }
}

static void two_trees(git_tree *a, git_tree *b) {
    g_text out = {0};
    add_trees(&out, a, b);
    any_difference |= out.len > 0;
    if (!(diffs.format & DIFF_NONE) && !diffs.quiet) g_out(out.s ? out.s : "", out.len);
    g_text_free(&out);
}

static void read_lines(void) {
    g_text in = {0};
    read_stdin(&in);
    for (char *line = in.s, *end; line && *line; line = end ? end + 1 : NULL) {
        git_oid id, second;
        git_commit *commit;
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        size_t len = strlen(line);
        bool first = len >= OID_HEX && git_oid_fromstrn(&id, line, OID_HEX) == 0 && (line[OID_HEX] == ' ' || !line[OID_HEX]);
        if (first && git_commit_lookup(&commit, repo, &id) == 0) {
            show(commit);
        } else if (first && len >= 2 * OID_HEX + 1 && git_oid_fromstrn(&second, line + OID_HEX + 1, OID_HEX) == 0) {
            git_tree *a, *b;
            check(git_tree_lookup(&a, repo, &id));
            check(git_tree_lookup(&b, repo, &second));
            g_outf("%s %s\n", full_id(&id), full_id(&second));
            two_trees(a, b);
        } else {
            g_outf("%s\n", line);
        }
        g_out_flush();
    }
}

static int operands(int count, char **argv, int most, const char *text) {
    int named = 0, skip;
    while (named < count && named < most && strcmp(argv[named], "--") != 0) {
        if (!object_named(argv[named])) {
            if (named && file_exists(argv[named])) break;
            die_unknown_revision(argv[named]);
        }
        named++;
    }
    if (!named && most && !from_stdin) usage(text);
    skip = named + (named < count && strcmp(argv[named], "--") == 0);
    for (int i = skip; i < count && skip == named; i++)
        if (!file_exists(argv[i]) && !strpbrk(argv[i], "*?[:")) die_unknown_revision(argv[i]);
    pathspec_parse(&diffs.paths, count - skip, argv + skip);
    return named;
}

static git_tree *tree_or_die(const char *name) {
    git_tree *tree = tree_named(name);
    if (!tree) die("%s: not a tree", name);
    return tree;
}

static git_tree *base_of(const char *a, const char *b) {
    git_commit *one = commit_named(a), *two = commit_named(b);
    git_oid base;
    if (!one || !two || git_merge_base(&base, repo, git_commit_id(one), git_commit_id(two)) < 0) die("no merge base found");
    return tree_of(commit_of(&base));
}

static bool failing(void) { return (diffs.exit_code || diffs.quiet) && any_difference; }

int cmd_diff_tree(int argc, char **argv) {
    static const char text[] =
        "git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty]\n"
        "              [-t] [-r] [-c | --cc] [--combined-all-paths] [--root] [--merge-base]\n"
        "              [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]\n\n"
        "  -r            diff recursively\n"
        "  -c            show combined diff for merge commits\n"
        "  --cc          show combined diff for merge commits removing uninteresting hunks\n"
        "  --combined-all-paths\n"
        "                show name of file in all parents for combined diffs\n"
        "  --root        include the initial commit as diff against /dev/null";
    defaults();
    int n = options(argc, argv, tree_table, "git diff-tree", KEEP_DASHDASH | INVALID);
    char *dots = n ? strstr(argv[0], "..") : NULL;
    char *both[2];
    if (dots && !object_named(argv[0]) && dots[2] != '.') {
        both[0] = dots == argv[0] ? g_copy_string("HEAD") : g_copy_bytes(argv[0], (size_t)(dots - argv[0]));
        both[1] = dots[2] ? dots + 2 : g_copy_string("HEAD");
        operands(n - 1, argv + 1, 0, text);
        if (!object_named(both[0]) || !object_named(both[1])) die_unknown_revision(argv[0]);
        n = 2;
        argv = both;
    } else {
        n = operands(n, argv, from_stdin ? 0 : 2, text);
    }
    if (!diffs.format) diffs.format = diffs.merges == MERGES_DENSE ? DIFF_PATCH : DIFF_RAW;
    if (diffs.format & ~(DIFF_RAW | DIFF_NAME_ONLY | DIFF_NAME_STATUS | DIFF_NONE) || show_trees) recursive = 1;
    if (from_stdin) {
        read_lines();
    } else if (n == 2) {
        two_trees(merge_base ? base_of(argv[0], argv[1]) : tree_or_die(argv[0]), tree_or_die(argv[1]));
    } else {
        git_commit *commit = commit_named(argv[0]);
        if (!commit) die("%s: not a commit", argv[0]);
        show(commit);
    }
    return failing();
}

static int write_all(git_diff *diff) {
    g_text out = {0};
    any_difference = diff_any(diff);
    if (!diffs.quiet && !(diffs.format & DIFF_NONE)) diff_write(&out, diff, diffs.format);
    g_out(out.s ? out.s : "", out.len);
    return failing();
}

int cmd_diff_index(int argc, char **argv) {
    static const option table[] = {FLAG(0, "cached", cached, NULL), FLAG(0, "staged", cached, NULL), FLAG('m', NULL, ignore_missing, NULL),
                                   FLAG('r', NULL, recursive, NULL), FLAG(0, "merge-base", merge_base, NULL),
                                   {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0}, END};
    static const char text[] = "git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]";
    defaults();
    int n = options(argc, argv, table, "git diff-index", KEEP_DASHDASH | INVALID);
    operands(n, argv, 1, text);
    if (!diffs.format) diffs.format = DIFF_RAW;
    git_tree *tree = merge_base ? base_of(argv[0], "HEAD") : tree_or_die(argv[0]);
    return write_all(cached ? diff_tree_index(tree) : diff_tree_workdir(tree));
}

static void stage(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    diffs.stage = o->number;
}

int cmd_diff_files(int argc, char **argv) {
    static const option table[] = {
        FLAG('q', NULL, silent, NULL), FLAG('r', NULL, recursive, NULL),
        {OPT_CALL_NONE, '0', NULL, NULL, NULL, NULL, 0, NULL, stage, 0}, {OPT_CALL_NONE, '1', "base", NULL, NULL, NULL, 1, NULL, stage, 0},
        {OPT_CALL_NONE, '2', "ours", NULL, NULL, NULL, 2, NULL, stage, 0}, {OPT_CALL_NONE, '3', "theirs", NULL, NULL, NULL, 3, NULL, stage, 0},
        {OPT_CALL_NONE, 'c', NULL, NULL, NULL, NULL, MERGES_COMBINED, NULL, merges, 0},
        {OPT_CALL_NONE, 0, "cc", NULL, NULL, NULL, MERGES_DENSE, NULL, merges, 0},
        {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0}, END};
    static const char text[] = "git diff-files [-q] [-0 | -1 | -2 | -3 | -c | --cc] [<common-diff-options>] [<path>...]";
    defaults();
    int n = options(argc, argv, table, "git diff-files", KEEP_DASHDASH | INVALID);
    operands(n, argv, 0, text);
    if (!diffs.format) diffs.format = DIFF_RAW;
    git_diff *diff = diff_index_workdir();
    g_text out = {0};
    if (!diffs.quiet && (diffs.format & DIFF_PATCH) && diff_conflicts && !diffs.stage)
        diff_write_conflicts(&out, diff, diffs.merges == MERGES_DENSE);
    g_out(out.s ? out.s : "", out.len);
    return write_all(diff);
}
