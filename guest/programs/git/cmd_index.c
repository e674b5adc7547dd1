/*
 * cmd_index.c: git write-tree, read-tree, mktree, commit-tree, checkout-index.
 */
#include "checkout.h"
#include "commit.h"
#include "merge.h"

#include <sys/stat.h>

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

int cmd_write_tree(int argc, char **argv) {
    static int missing;
    static const char *below;
    static const option table[] = {
        FLAG(0, "missing-ok", missing, "allow missing objects"),
        {OPT_STRING, 0, "prefix", &below, "prefix>/", "write tree object for a subdirectory <prefix>", 0, NULL, NULL, 0}, END};
    options(argc, argv, table, "git write-tree [--missing-ok] [--prefix=<prefix>/]", 0);
    git_index *index = index_of_repo();
    bool open = false;
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!GIT_INDEX_ENTRY_STAGE(e)) continue;
        note("%s: unmerged (%s)", e->path, full_id(&e->id));
        open = true;
    }
    if (open) die("git-write-tree: error building trees");
    git_oid id;
    check(git_index_write_tree_to(&id, without_intents(index), repo));
    if (below && *below) {
        git_tree *tree;
        git_tree_entry *entry;
        char *path = g_copy_string(below);
        while (*path && path[strlen(path) - 1] == '/') path[strlen(path) - 1] = '\0';
        check(git_tree_lookup(&tree, repo, &id));
        if (git_tree_entry_bypath(&entry, tree, path) < 0 || git_tree_entry_type(entry) != GIT_OBJECT_TREE)
            die("git-write-tree: prefix %s not found", below);
        id = *git_tree_entry_id(entry);
    }
    g_outf("%s\n", full_id(&id));
    return 0;
}

/* ---- read-tree */

static int merging, reset_, update, index_only, dry, empty_, trivial, aggressive, quiet, verbose, no_sparse;
static const char *below, *output, *excludes;

static const option read_table[] = {
    {OPT_STRING, 0, "index-output", &output, "file", "write resulting index to <file>", 0, NULL, NULL, 0},
    FLAG(0, "empty", empty_, "only empty the index"), FLAG('v', "verbose", verbose, "be verbose"),
    {OPT_GROUP, 0, NULL, NULL, NULL, "Merging", 0, NULL, NULL, 0},
    FLAG('m', NULL, merging, "perform a merge in addition to a read"),
    FLAG(0, "trivial", trivial, "3-way merge if no file level merging required"),
    FLAG(0, "aggressive", aggressive, "3-way merge in presence of adds and removes"),
    FLAG(0, "reset", reset_, "same as -m, but discard unmerged entries"),
    {OPT_STRING, 0, "prefix", &below, "subdirectory>/", "read the tree into the index under <subdirectory>/", 0, NULL, NULL, 0},
    FLAG('u', NULL, update, "update working tree with merge result"),
    {OPT_STRING, 0, "exclude-per-directory", &excludes, "gitignore", "allow explicitly ignored files to be overwritten", 0, NULL, NULL, 0},
    FLAG('i', NULL, index_only, "don't check the working tree after merging"),
    FLAG('n', "dry-run", dry, "don't update the index or the work tree"),
    FLAG(0, "no-sparse-checkout", no_sparse, "skip applying sparse checkout filter"),
    FLAG('q', "quiet", quiet, "suppress feedback messages"), END};

static void write_index(git_index *index) {
    if (!dry) check(git_index_write(index));
}

static int read_below(git_tree *tree) {
    git_index *index = index_of_repo(), *other;
    char *path = g_copy_string(below);
    if (*path == '/') die("prefix cannot start with '/'");
    while (*path && path[strlen(path) - 1] == '/') path[strlen(path) - 1] = '\0';
    size_t len = strlen(path);
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const char *there = git_index_get_byindex(index, i)->path;
        if (strncmp(there, path, len) == 0 && (!len || there[len] == '/' || !there[len]) && len)
            die_status(128, "error: Entry '%s' overlaps with '%s'.  Cannot bind.", there, there);
    }
    check(git_index_new(&other));
    check(git_index_read_tree(other, tree));
    for (size_t i = 0; i < git_index_entrycount(other); i++) {
        git_index_entry e = *git_index_get_byindex(other, i);
        g_text full = {0};
        g_text_addf(&full, "%s%s%s", path, len ? "/" : "", e.path);
        e.path = full.s;
        check(git_index_add(index, &e));
        if (update && !dry) checkout_entry(&e);
        g_text_free(&full);
    }
    write_index(index);
    return 0;
}

/* The tree in place of the index; what is unchanged keeps what it knows about its file. */
static void replace_index(git_tree *tree) {
    git_index *index = index_of_repo();
    if (dry) return;
    check(git_index_read_tree(index, tree));
    check(git_index_write(index));
}

/* Three trees: what both sides changed is a conflict with all its stages, as git leaves it. */
static int merge_three(git_tree **trees) {
    git_index *result, *index = index_of_repo();
    git_merge_options o = GIT_MERGE_OPTIONS_INIT;
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        git_tree_entry *ours = NULL;
        bool same = git_tree_entry_bypath(&ours, trees[1], e->path) == 0 && git_oid_equal(git_tree_entry_id(ours), &e->id);
        if (!same) die_status(128, "error: Entry '%s' would be overwritten by merge. Cannot merge.", e->path);
    }
    o.flags = 0;
    o.file_flags = 0;
    check(git_merge_trees(&result, repo, trees[0], trees[1], trees[2], &o));
    git_index_clear(index);
    for (size_t i = 0; i < git_index_entrycount(result); i++) {
        const git_index_entry *e = git_index_get_byindex(result, i);
        check(git_index_add(index, e));
        if (update && !dry && !GIT_INDEX_ENTRY_STAGE(e)) checkout_entry(e);
    }
    write_index(index);
    return 0;
}

int cmd_read_tree(int argc, char **argv) {
    git_tree *trees[3];
    int n = options(argc, argv, read_table,
                    "git read-tree [(-m [--trivial] [--aggressive] | --reset | --prefix=<prefix>)\n"
                    "              [-u | -i]] [--index-output=<file>] [--no-sparse-checkout]\n"
                    "              (--empty | <tree-ish1> [<tree-ish2> [<tree-ish3>]])", 0);
    if (output) die("--index-output is not there: set GIT_INDEX_FILE");
    if (excludes) die("--exclude-per-directory is not there");
    for (int i = 0; i < n && i < 3; i++) {
        if (!object_named(argv[i])) die("Not a valid object name %s", argv[i]);
        if ((trees[i] = tree_named(argv[i])) == NULL) die("failed to unpack tree object %s", argv[i]);
    }
    if ((merging || reset_) + (below != NULL) > 1) die("Which one? -m, --reset, or --prefix?");
    if (update && !merging && !reset_ && !below) die("-u is meaningless without -m, --reset, or --prefix");
    if (empty_ && n) die("passing trees as arguments contradicts --empty");
    if (!n && !empty_) {
        if (merging || reset_) die("just how do you expect me to merge %d trees?", n);
        warning("read-tree: emptying the index with no arguments is deprecated; use --empty");
    }
    if (!n) {
        git_index *index = index_of_repo();
        git_index_clear(index);
        write_index(index);
        return 0;
    }
    if (below) return read_below(trees[0]);
    if (n > 3) die("I cannot read more than 3 trees");
    if (reset_ && update) {
        if (!dry) checkout_forced(trees[n - 1]);
    } else if (merging && n == 3) {
        return merge_three(trees);
    } else if (merging && update && !dry) {
        return checkout_safely(trees[n - 1], "merge") ? 0 : 128;
    } else {
        replace_index(trees[n - 1]);
    }
    return 0;
}

/* ---- mktree */

static bool take_line(git_treebuilder *builder, char *line, bool missing) {
    unsigned mode;
    char kind[20], hex[100];
    int used = 0;
    git_oid id;
    git_odb *odb;
    git_object_t type;
    size_t size;
    if (sscanf(line, "%o %19s %99[0-9a-f]%n", &mode, kind, hex, &used) != 3 || strlen(hex) != OID_HEX || line[used] != '\t' ||
        git_oid_fromstr(&id, hex) < 0)
        die("input format error: %s", line);
    char *path = line + used + 1;
    if (strchr(path, '/')) die("path %s contains slash", path);
    git_object_t wanted = git_object_string2type(kind);
    git_object_t of_mode = mode == GIT_FILEMODE_TREE ? GIT_OBJECT_TREE : mode == GIT_FILEMODE_COMMIT ? GIT_OBJECT_COMMIT : GIT_OBJECT_BLOB;
    if (wanted != of_mode)
        die("entry '%s' object type (%s) doesn't match mode type (%s)", path, kind, git_object_type2string(of_mode));
    check(git_repository_odb(&odb, repo));
    bool there = git_odb_read_header(&size, &type, odb, &id) == 0;
    if (!there && !missing && of_mode != GIT_OBJECT_COMMIT) die("entry '%s' object %s is unavailable", path, hex);
    if (there && type != of_mode)
        die("entry '%s' object %s is a %s but specified type was (%s)", path, hex, git_object_type2string(type), kind);
    git_odb_free(odb);
    if (git_treebuilder_insert(NULL, builder, path, &id, mode) < 0) die("%s", git_message());
    return true;
}

int cmd_mktree(int argc, char **argv) {
    static int null, missing, batch;
    static const option table[] = {FLAG('z', NULL, null, "input is NUL terminated"), FLAG(0, "missing", missing, "allow missing objects"),
                                   FLAG(0, "batch", batch, "allow creation of more than one tree"), END};
    options(argc, argv, table, "git mktree [-z] [--missing] [--batch]", 0);
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    g_text in = {0};
    read_stdin(&in);
    char *at = in.s, *stop = in.s + in.len;
    do {
        git_treebuilder *builder;
        git_oid id;
        bool any = false;
        check(git_treebuilder_new(&builder, repo, NULL));
        while (at < stop) {
            char *line = at, *end = memchr(at, null ? '\0' : '\n', (size_t)(stop - at));
            at = end ? end + 1 : stop;
            if (end) *end = '\0';
            if (!*line && batch) break;
            if (!*line) die("input format error: (blank line only valid in batch mode)");
            any = take_line(builder, line, missing);
        }
        if (batch && !any && at == stop) break;
        check(git_treebuilder_write(&id, builder));
        git_treebuilder_free(builder);
        g_outf("%s\n", full_id(&id));
        g_out_flush();
    } while (batch && at < stop);
    return 0;
}

/* ---- commit-tree */

static git_commit *parents[64];
static size_t parent_count;
static g_text message;
static bool has_message;

static void add_parent(const option *o, const char *name, bool unset) {
    (void)o, (void)unset;
    git_commit *commit = commit_named(name);
    if (!commit) die("not a valid object name %s", name);
    for (size_t i = 0; i < parent_count; i++)
        if (git_oid_equal(git_commit_id(parents[i]), git_commit_id(commit))) {
            error("duplicate parent %s ignored", full_id(git_commit_id(commit)));
            return;
        }
    if (parent_count == sizeof parents / sizeof *parents) die("too many parents");
    parents[parent_count++] = commit;
}

static void add_message(const option *o, const char *text, bool unset) {
    size_t len;
    (void)unset;
    has_message = true;
    if (message.len) g_text_addc(&message, '\n');
    if (o->letter == 'm') {
        g_text_adds(&message, text);
    } else if (strcmp(text, "-") == 0) {
        read_stdin_within(&message);
    } else {
        char *read = read_file(text, &len);
        if (!read) die("git commit-tree: failed to open '%s': No such file or directory", text);
        g_text_add(&message, read, len);
    }
    if (message.len && message.s[message.len - 1] != '\n') g_text_addc(&message, '\n');
}

int cmd_commit_tree(int argc, char **argv) {
    static const char *sign;
    static const option table[] = {
        {OPT_CALL, 'p', NULL, NULL, "parent", "id of a parent commit object", 0, NULL, add_parent, 0},
        {OPT_CALL, 'm', NULL, NULL, "message", "commit message", 0, NULL, add_message, 0},
        {OPT_CALL, 'F', NULL, NULL, "file", "read commit log message from file", 0, NULL, add_message, 0},
        {OPT_MAYBE, 'S', "gpg-sign", &sign, "key-id", "GPG sign commit", 0, "", NULL, 0}, END};
    int n = options(argc, argv, table,
                    "git commit-tree <tree> [(-p <parent>)...]\n"
                    "git commit-tree [(-p <parent>)...] [-S[<keyid>]] [(-m <message>)...]\n"
                    "                [(-F <file>)...] <tree>", 0);
    if (sign) die("commits cannot be signed: there are no keys in the sandbox");
    if (n != 1) die("must give exactly one tree");
    git_object *object = object_named(argv[0]);
    if (!object) die("not a valid object name %s", argv[0]);
    if (git_object_type(object) != GIT_OBJECT_TREE) die("%s is not a valid 'tree' object", full_id(git_object_id(object)));
    if (!has_message) read_stdin(&message);
    git_oid id;
    check(git_commit_create(&id, repo, NULL, author_now(), committer_now(), NULL, message.s ? message.s : "", (git_tree *)object,
                            parent_count, (const git_commit **)parents));
    g_outf("%s\n", full_id(&id));
    return 0;
}

/* ---- checkout-index */

static int all, force, no_create, refresh, null_, from_stdin, temp;
static const char *before, *stage;
static const option out_table[] = {
    FLAG('a', "all", all, "check out all files in the index"), FLAG('f', "force", force, "force overwrite of existing files"),
    FLAG('q', "quiet", quiet, "no warning for existing files and files not in index"),
    FLAG('n', "no-create", no_create, "don't checkout new files"), FLAG('u', "index", refresh, "update stat information in the index file"),
    FLAG('z', NULL, null_, "paths are separated with NUL character"), FLAG(0, "stdin", from_stdin, "read list of paths from the standard input"),
    FLAG(0, "temp", temp, "write the content to temporary files"),
    {OPT_STRING, 0, "prefix", &before, "string", "when creating files, prepend <string>", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "stage", &stage, "(1|2|3|all)", "copy out the files from named stage", 0, NULL, NULL, 0}, END};

static int copy_out(const git_index_entry *e) {
    git_index_entry to = *e;
    g_text path = {0};
    g_text_addf(&path, "%s%s", before ? before : "", e->path);
    to.path = path.s;
    char *full = in_workdir(path.s);
    bool there = file_exists(full);
    if (there && !force) {
        if (!quiet && (before || file_changed(e))) note("%s already exists, no checkout", path.s);
        return before || file_changed(e);
    }
    if (!there && no_create) return 0;
    return !checkout_entry(&to);
}

static int copy_named(git_index *index, const char *name) {
    char *path = repo_path(name);
    const git_index_entry *e = git_index_get_bypath(index, path, stage ? atoi(stage) : 0);
    if (e) return copy_out(e);
    bool open = git_index_get_bypath(index, path, 2) || git_index_get_bypath(index, path, 3);
    if (!quiet) note("git checkout-index: %s is %s", name, open ? "unmerged" : "not in the cache");
    return 1;
}

int cmd_checkout_index(int argc, char **argv) {
    int n = options(argc, argv, out_table, "git checkout-index [<options>] [--] [<file>...]", 0), status = 0;
    if (temp || (stage && strcmp(stage, "all") == 0)) die("--temp and --stage=all are not there: use git cat-file");
    git_index *index = index_of_repo();
    for (int i = 0; i < n; i++) status |= copy_named(index, argv[i]);
    if (from_stdin) {
        g_text in = {0};
        read_stdin(&in);
        for (char *line = in.s, *stop = in.s + in.len; line < stop;) {
            char *end = memchr(line, null_ ? '\0' : '\n', (size_t)(stop - line));
            if (end) *end = '\0';
            status |= copy_named(index, line);
            line = end ? end + 1 : stop;
        }
    }
    for (size_t i = 0; all && i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (GIT_INDEX_ENTRY_STAGE(e) == (stage ? atoi(stage) : 0)) status |= copy_out(e);
    }
    return status;
}
