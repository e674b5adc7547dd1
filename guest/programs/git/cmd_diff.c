/*
 * cmd_diff.c: git diff: working tree, index, commits, blobs and, outside of a repository, files.
 */
#include "diff_combined.h"

static int cached, merge_base, no_index, merges = MERGES_DENSE;

static const option table[] = {
    {OPT_FLAG, 0, "cached", &cached, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "staged", &cached, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "merge-base", &merge_base, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "no-index", &no_index, NULL, NULL, 0, NULL, NULL, 1},
    {OPT_SET, '1', "base", &diffs.stage, NULL, NULL, 1, NULL, NULL, 1},
    {OPT_SET, '2', "ours", &diffs.stage, NULL, NULL, 2, NULL, NULL, 1},
    {OPT_SET, '3', "theirs", &diffs.stage, NULL, NULL, 3, NULL, NULL, 1},
    {OPT_SET, 'c', NULL, &merges, NULL, NULL, MERGES_COMBINED, NULL, NULL, 0},
    {OPT_SET, 0, "cc", &merges, NULL, NULL, MERGES_DENSE, NULL, NULL, 1},
    {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git diff [<options>] [<commit>] [--] [<path>...]\n"
                            "git diff [<options>] --cached [--merge-base] [<commit>] [--] [<path>...]\n"
                            "git diff [<options>] [--merge-base] <commit> [<commit>...] <commit> [--] [<path>...]\n"
                            "git diff [<options>] <commit>...<commit> [--] [<path>...]\n"
                            "git diff [<options>] <blob> <blob>\n"
                            "git diff [<options>] --no-index [--] <path> <path>";

static const char *argument_now; /* what is read, for messages */
static bool behind_dashes; /* it is a revision and no path */

static _Noreturn void die_unknown(void) {
    if (behind_dashes) die("bad revision '%s'", argument_now);
    die_unknown_revision(argument_now);
}

static git_tree *tree_or_die(const char *name) {
    git_tree *tree = tree_named(*name ? name : "HEAD");
    if (!tree) die_unknown();
    return tree;
}

static git_tree *base_tree(const char *a, const char *b) {
    git_commit *one = commit_named(*a ? a : "HEAD"), *two = commit_named(*b ? b : "HEAD");
    git_oid base;
    if (!one || !two) die_unknown();
    if (git_merge_base(&base, repo, git_commit_id(one), git_commit_id(two)) < 0)
        die("%s...%s: no merge base", a, b);
    return tree_of(commit_of(&base));
}

static git_diff *of_range(const char *range, const char *dots) {
    char *from = g_copy_bytes(range, (size_t)(dots - range));
    bool three = dots[2] == '.';
    const char *to = dots + 2 + three;
    return diff_trees(three ? base_tree(from, to) : tree_or_die(from), tree_or_die(to));
}

/* How many of the operands are revisions; the others are paths. */
static int revisions(int count, char **operands, int *paths_at) {
    for (int i = 0; i < count; i++) {
        if (strcmp(operands[i], "--") == 0) {
            for (int j = 0; j < i; j++)
                if (!strstr(operands[j], "..") && !object_named(operands[j]))
                    die("bad revision '%s'", operands[j]);
            *paths_at = i + 1;
            behind_dashes = true;
            return i;
        }
    }
    int i = 0;
    for (; i < count; i++) {
        git_object *object = object_named(operands[i]);
        const char *dots = strstr(operands[i], "..");
        if (!object && dots && (dots != operands[i] || dots[2]) && operands[i][0] != '.') {
            char *from = g_copy_bytes(operands[i], (size_t)(dots - operands[i]));
            if ((!*from || object_named(from)) && !file_exists(operands[i])) continue;
        }
        if (!object) break;
        if (i && strchr(operands[i], '/') && !object) break;
    }
    *paths_at = i;
    for (int j = i; j < count; j++)
        if (!names_path(operands[j])) die_unknown_revision(operands[j]);
    return i;
}

static bool is_blob(const char *name) {
    git_object *object = object_named(name);
    return object && git_object_type(object) == GIT_OBJECT_BLOB;
}

static int end(git_diff *diff) {
    g_text out = {0};
    int format = diffs.format ? diff_names_alone(diffs.format) : DIFF_PATCH;
    bool any = (diffs.exit_code || diffs.quiet) && diff_any(diff), bad = false;
    if (!diffs.quiet && (format & DIFF_PATCH) && diff_conflicts && !diffs.stage)
        diff_write_conflicts(&out, diff, merges == MERGES_DENSE);
    if (!diffs.quiet && !(format & DIFF_NONE)) diff_write(&out, diff, format);
    if (format & DIFF_CHECK) bad = out.len > 0;
    g_out(out.s ? out.s : "", out.len);
    if (bad) return 2;
    return any;
}

/* Files outside of any repository: the sandbox's own diff does that. */
static int of_files(int count, char **operands) {
    if (count != 2) usage_error(NULL);
    size_t a_len, b_len;
    char *a = read_file(operands[0], &a_len), *b = read_file(operands[1], &b_len);
    if (!a || !b) die_status(1, "error: Could not access '%s'", a ? operands[1] : operands[0]);
    git_patch *patch;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    git_buf text = {0};
    o.context_lines = (uint32_t)diffs.context;
    o.flags = diffs.flags;
    check(git_patch_from_buffers(&patch, a, a_len, operands[0], b, b_len, operands[1], &o));
    check(git_patch_to_buf(&text, patch));
    g_out(text.ptr, text.size);
    return text.size > 0;
}

int cmd_diff(int argc, char **argv) {
    diff_defaults();
    diffs.rotate_strictly = true;
    int count = options(argc, argv, table, usage, KEEP_DASHDASH | INVALID), paths_at;
    if (diffs.reverse) {
        const char *src = diffs.src;
        diffs.src = diffs.dst;
        diffs.dst = src;
    }
    if (no_index || !repo) {
        if (!repo && !no_index && count != 2)
            warning("Not a git repository. Use --no-index to compare two paths outside a working tree");
        return of_files(count - (count && strcmp(argv[0], "--") == 0), argv + (count && strcmp(argv[0], "--") == 0));
    }
    int revs = revisions(count, argv, &paths_at);
    pathspec_parse(&diffs.paths, count - paths_at, argv + paths_at);
    if (diffs.relative && *prefix && !diffs.paths.count) pathspec_parse(&diffs.paths, 1, (char *[]){"."});
    argument_now = revs ? argv[0] : "HEAD";
    const char *dots = revs ? strstr(argv[0], "..") : NULL;
    if (revs && object_named(argv[0])) dots = NULL;
    if (merge_base && dots) die("--merge-base does not work with ranges");
    if (cached && (dots || revs > 1)) usage_error(NULL);
    if (merge_base && !revs && !cached) {
        error("invalid option: --merge-base");
        return 255;
    }
    if (cached) {
        git_tree *tree = !revs ? head_tree() : merge_base ? base_tree(argv[0], "HEAD") : tree_or_die(argv[0]);
        return end(diff_tree_index(tree));
    }
    if (!revs) {
        workdir();
        return end(diff_index_workdir());
    }
    if (dots) return end(of_range(argv[0], dots));
    if (revs == 1) return end(diff_tree_workdir(merge_base ? base_tree(argv[0], "HEAD") : tree_or_die(argv[0])));
    if (is_blob(argv[0]) && is_blob(argv[1])) {
        if (diffs.paths.count || merge_base) usage_error(NULL);
        return end(diff_blobs(argv[0], argv[1]));
    }
    return end(diff_trees(merge_base ? base_tree(argv[0], argv[1]) : tree_or_die(argv[0]), tree_or_die(argv[1])));
}
