/*
 * cmd_plumbing.c: git cat-file, hash-object, ls-tree, describe, clean; gc and submodule.
 */
#include "reflog.h"
#include "revs.h"
#include "checkout.h"

#include <sys/stat.h>
#include <unistd.h>


#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static void print_tree(git_tree *tree, const char *before, bool recursive, bool trees, bool only_trees, bool names, bool sizes, pathspec *paths, char end) {
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *e = git_tree_entry_byindex(tree, i);
        g_text path = {0};
        g_text_addf(&path, "%s%s", before, git_tree_entry_name(e));
        bool is_tree = git_tree_entry_type(e) == GIT_OBJECT_TREE, hit = pathspec_match(paths, path.s);
        bool into = is_tree && (recursive || (!hit && paths->count && pathspec_below(paths, path.s)) ||
                                (hit && paths->count && pathspec_exact_dir(paths, path.s) && strchr(paths->items[0].original, '/') &&
                                 paths->items[0].original[strlen(paths->items[0].original) - 1] == '/'));
        if (hit && (!is_tree || !into || trees) && (!only_trees || is_tree)) {
            if (!names) {
                g_outf("%06o %s %s", git_tree_entry_filemode(e), git_object_type2string(git_tree_entry_type(e)), full_id(git_tree_entry_id(e)));
                git_blob *blob;
                if (sizes && !is_tree && git_blob_lookup(&blob, repo, git_tree_entry_id(e)) == 0) g_outf(" %7lld", (long long)git_blob_rawsize(blob));
                else if (sizes) g_outs("       -");
                g_outc('\t');
            }
            out_path(relative(path.s), end);
        }
        if (into) {
            git_tree *inner;
            check(git_tree_lookup(&inner, repo, git_tree_entry_id(e)));
            g_text_addc(&path, '/');
            print_tree(inner, path.s, recursive, trees, only_trees, names, sizes, paths, end);
        }
        g_text_free(&path);
    }
}

int cmd_ls_tree(int argc, char **argv) {
    static int recursive, trees, only_trees, names, sizes, null, full_tree, full_name;
    static const option table[] = {
        FLAG('d', NULL, only_trees, "only show trees"), FLAG('r', NULL, recursive, "recurse into subtrees"),
        FLAG('t', NULL, trees, "show trees when recursing"), FLAG('z', NULL, null, "terminate entries with NUL byte"),
        FLAG('l', "long", sizes, "include object size"), FLAG(0, "name-only", names, "list only filenames"),
        FLAG(0, "name-status", names, "list only filenames"), FLAG(0, "full-name", full_name, "use full path names"),
        FLAG(0, "full-tree", full_tree, "list entire tree; not just current directory (implies --full-name)"), END};
    int n = options(argc, argv, table, "git ls-tree [<options>] <tree-ish> [<path>...]", 0);
    pathspec paths;
    if (!n) usage_error(NULL);
    if (!object_named(argv[0])) die("Not a valid object name %s", argv[0]);
    git_tree *tree = tree_named(argv[0]);
    if (!tree) die("not a tree object");
    if (full_tree) prefix = "";
    pathspec_parse(&paths, n - 1, argv + 1);
    if (n == 1 && *prefix) pathspec_parse(&paths, 1, (char *[]){"./"});
    if (full_name) prefix = "";
    print_tree(tree, "", recursive, trees || only_trees, only_trees, names, sizes, &paths, null ? '\0' : '\n');
    return 0;
}

static void print_object(git_object *object, bool pretty_) {
    pathspec none = {0};
    git_odb *odb;
    git_odb_object *raw;
    if (pretty_ && git_object_type(object) == GIT_OBJECT_TREE) {
        const char *saved = prefix;
        prefix = "";
        print_tree((git_tree *)object, "", false, false, false, false, false, &none, '\n');
        prefix = saved;
        return;
    }
    check(git_repository_odb(&odb, repo));
    check(git_odb_read(&raw, odb, git_object_id(object)));
    g_out(git_odb_object_data(raw), git_odb_object_size(raw));
    git_odb_object_free(raw);
    git_odb_free(odb);
}

static long object_size(git_object *object) {
    git_odb *odb;
    size_t size;
    git_object_t type;
    check(git_repository_odb(&odb, repo));
    check(git_odb_read_header(&size, &type, odb, git_object_id(object)));
    git_odb_free(odb);
    return (long)size;
}

static int batch(bool contents) {
    g_text in = {0};
    read_stdin(&in);
    for (char *line = in.s, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        if (*end) *end++ = '\0';
        git_object *object = object_named(line);
        if (!object) {
            g_outf("%s missing\n", line);
            continue;
        }
        g_outf("%s %s %ld\n", full_id(git_object_id(object)), git_object_type2string(git_object_type(object)), object_size(object));
        if (contents) print_object(object, false), g_outc('\n');
    }
    return 0;
}

int cmd_cat_file(int argc, char **argv) {
    static int type, size, exists, pretty_, batch_, batch_check;
    static const option table[] = {
        FLAG('e', NULL, exists, "check if <object> exists"), FLAG('p', NULL, pretty_, "pretty-print <object> content"),
        FLAG('t', NULL, type, "show object type (one of 'blob', 'tree', 'commit', 'tag', ...)"), FLAG('s', NULL, size, "show object size"),
        FLAG(0, "batch", batch_, "show full <object> or <rev> contents"), FLAG(0, "batch-check", batch_check, "like --batch, but don't emit <contents>"), END};
    int n = options(argc, argv, table, "git cat-file <type> <object>\ngit cat-file (-e | -p) <object>\ngit cat-file (-t | -s) [--allow-unknown-type] <object>", 0);
    if (batch_ || batch_check) return batch(batch_);
    bool plain = !type && !size && !exists && !pretty_;
    if (n != (plain ? 2 : 1)) usage_error(NULL);
    const char *name = argv[n - 1];
    git_object *object = object_named(name);
    if (!object && exists && strlen(name) == OID_HEX) return 1;
    if (!object) die("Not a valid object name %s", name);
    if (exists) return 0;
    if (type) g_outf("%s\n", git_object_type2string(git_object_type(object)));
    else if (size) g_outf("%ld\n", object_size(object));
    else if (pretty_) print_object(object, true);
    else {
        git_object_t wanted = git_object_string2type(argv[0]);
        git_object *peeled;
        if (wanted == GIT_OBJECT_INVALID) die("invalid object type \"%s\"", argv[0]);
        if (git_object_peel(&peeled, object, wanted) < 0) die("git cat-file %s: bad file", name);
        print_object(peeled, false);
    }
    return 0;
}

int cmd_hash_object(int argc, char **argv) {
    static int write, input, literally, no_filters;
    static const char *type = "blob", *path;
    static const option table[] = {
        {OPT_STRING, 't', NULL, &type, "type", "object type", 0, NULL, NULL, 0}, FLAG('w', NULL, write, "write the object into the object database"),
        FLAG(0, "stdin", input, "read the object from stdin"), FLAG(0, "no-filters", no_filters, "store file as is without filters"),
        FLAG(0, "literally", literally, "just hash any random garbage to create corrupt objects for debugging Git"),
        {OPT_STRING, 0, "path", &path, "file", "process file as it were from this path", 0, NULL, NULL, 0}, END};
    int n = options(argc, argv, table, "git hash-object [-t <type>] [-w] [--path=<file> | --no-filters] [--stdin [--literally]] [--] <file>...", 0);
    git_object_t kind = git_object_string2type(type);
    if (kind == GIT_OBJECT_INVALID) die("invalid object type \"%s\"", type);
    for (int i = input ? -1 : 0; i < n; i++) {
        g_text text = {0};
        git_oid id;
        size_t len;
        if (i < 0) {
            read_stdin(&text);
        } else {
            text.s = read_file(argv[i], &len);
            text.len = len;
            if (!text.s) die("could not open '%s' for reading: No such file or directory", argv[i]);
        }
        if (!write) {
            check(git_odb_hash(&id, text.s, text.len, kind));
        } else {
            git_odb *odb;
            if (!repo) die("not a git repository (or any of the parent directories): .git");
            check(git_repository_odb(&odb, repo));
            check(git_odb_write(&id, odb, text.s, text.len, kind));
        }
        g_outf("%s\n", full_id(&id));
    }
    return 0;
}

int cmd_describe(int argc, char **argv) {
    static int tags, all, long_, always, exact, abbrev = 7, first_parent, contains;
    static const char *match, *dirty;
    static const option table[] = {
        FLAG(0, "contains", contains, "find the tag that comes after the commit"), FLAG(0, "all", all, "use any ref"),
        FLAG(0, "tags", tags, "use any tag, even unannotated"), FLAG(0, "long", long_, "always use long format"),
        FLAG(0, "first-parent", first_parent, "only follow first parent"),
        {OPT_NUMBER, 0, "abbrev", &abbrev, "n", "use <n> digits to display object names", 0, NULL, NULL, 0},
        FLAG(0, "exact-match", exact, "only output exact matches"), FLAG(0, "always", always, "show abbreviated commit object as fallback"),
        {OPT_STRING, 0, "match", &match, "pattern", "only consider tags matching <pattern>", 0, NULL, NULL, 0},
        {OPT_MAYBE, 0, "dirty", &dirty, "mark", "append <mark> on dirty working tree (default: \"-dirty\")", 0, "-dirty", NULL, 0}, END};
    int n = options(argc, argv, table, "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]\ngit describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]", 0);
    if (contains) die("--contains is not there: use git tag --contains");
    for (int i = 0; i < (n ? n : 1); i++) {
        const char *name = n ? argv[i] : "HEAD";
        git_commit *commit = commit_named(name);
        git_describe_options o = GIT_DESCRIBE_OPTIONS_INIT;
        git_describe_format_options f = GIT_DESCRIBE_FORMAT_OPTIONS_INIT;
        git_describe_result *result;
        git_buf text = {0};
        if (!commit) die("Not a valid object name %s", name);
        o.describe_strategy = all ? GIT_DESCRIBE_ALL : tags ? GIT_DESCRIBE_TAGS : GIT_DESCRIBE_DEFAULT;
        o.show_commit_oid_as_fallback = always;
        o.only_follow_first_parent = first_parent;
        o.pattern = match;
        if (exact) o.max_candidates_tags = 0;
        f.always_use_long_format = long_;
        f.abbreviated_size = (unsigned)abbrev;
        if (git_describe_commit(&result, (git_object *)commit, &o) < 0) {
            git_strarray list = {0};
            const char *id = full_id(git_commit_id(commit));
            git_tag_list(&list, repo);
            if (exact && list.count) die("no tag exactly matches '%s'", id);
            if (!tags && list.count) die("No annotated tags can describe '%s'.\nHowever, there were unannotated tags: try --tags.", id);
            if (!list.count) die("No names found, cannot describe anything.");
            die("No tags can describe '%s'.\nTry --always, or create some tags.", id);
        }
        check(git_describe_format(&text, result, &f));
        bool changed = false;
        if (dirty) {
            diff_defaults();
            changed = diff_any(diff_tree_workdir(head_tree()));
        }
        g_outf("%s%s\n", text.ptr, changed ? dirty : "");
    }
    return 0;
}

int cmd_clean(int argc, char **argv) {
    static int quiet, dry, force, dirs, with_ignored, only_ignored, interactive;
    static string_list excludes;
    static const option table[] = {
        FLAG('q', "quiet", quiet, "do not print names of files removed"), FLAG('n', "dry-run", dry, "dry run"),
        {OPT_COUNT, 'f', "force", &force, NULL, "force", 0, NULL, NULL, 0}, FLAG('i', "interactive", interactive, "interactive cleaning"),
        FLAG('d', NULL, dirs, "remove whole directories"), {OPT_LIST, 'e', "exclude", &excludes, "pattern", "add <pattern> to ignore rules", 0, NULL, NULL, 0},
        FLAG('x', NULL, with_ignored, "remove ignored files, too"), FLAG('X', NULL, only_ignored, "remove only ignored files"), END};
    int n = options(argc, argv, table, "git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]", 0);
    pathspec paths;
    git_diff *diff;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    if (interactive) die("--interactive needs a terminal: use -n, then -f");
    if (!dry && !force && config_bool("clean.requireforce", true))
        die("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean");
    if (with_ignored && only_ignored) die("-x and -X cannot be used together");
    pathspec_parse(&paths, n, argv);
    if (!n && *prefix) pathspec_parse(&paths, 1, (char *[]){"."});
    for (int i = 0; i < excludes.count; i++) git_ignore_add_rule(repo, excludes.items[i]);
    bool into = false; /* files within untracked folders are named, not the folders */
    for (size_t i = 0; i < paths.count; i++) {
        struct stat st;
        const char *pattern = paths.items[i].pattern;
        into |= *pattern && !(lstat(in_workdir(pattern), &st) == 0 && S_ISDIR(st.st_mode));
    }
    o.flags = GIT_DIFF_INCLUDE_UNTRACKED | (into ? GIT_DIFF_RECURSE_UNTRACKED_DIRS : 0);
    if (with_ignored || only_ignored) o.flags |= GIT_DIFF_INCLUDE_IGNORED;
    check(git_diff_index_to_workdir(&diff, repo, index_of_repo(), &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        const char *path = d->new_file.path;
        bool hidden = d->status == GIT_DELTA_IGNORED, dir = path[strlen(path) - 1] == '/';
        if (d->status != GIT_DELTA_UNTRACKED && !hidden) continue;
        if (only_ignored && !hidden) continue;
        if (!pathspec_match(&paths, path) || (dir && !dirs && !pathspec_exact_dir(&paths, path))) continue;
        char *nested = in_workdir(path), *name = quoted(relative(path), "");
        if (dir) {
            g_text git = {0};
            g_text_addf(&git, "%s.git", nested);
            if (file_exists(git.s) && force < 2) {
                if (!quiet || dry) g_outf(dry ? "Would skip repository %s\n" : "Skipping repository %s\n", name);
                continue;
            }
        }
        if (dry) g_outf("Would remove %s\n", name);
        else if (!quiet) g_outf("Removing %s\n", name);
        if (dry) continue;
        g_out_flush();
        if (dir) remove_tree(nested);
        else unlink(nested);
    }
    return 0;
}

int cmd_gc(int argc, char **argv) {
    (void)argc, (void)argv;
    return 0; /* there is nothing that grows too large in a sandbox */
}

int cmd_submodule(int argc, char **argv) {
    (void)argc, (void)argv;
    die("there are no submodules in the sandbox: clone what you need by its path");
}

int cmd_reflog(int argc, char **argv) {
    char **words = g_zalloc(((size_t)argc + 5) * sizeof *words);
    int n = 0, first = 1;
    if (argc > 1 && strcmp(argv[1], "show") == 0) first = 2;
    else if (argc > 1 && (strcmp(argv[1], "expire") == 0 || strcmp(argv[1], "delete") == 0)) return shorten_reflogs(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "exists") == 0) {
        char path[1000];
        if (argc != 3) die_status(129, "usage: git reflog exists <ref>");
        snprintf(path, sizeof path, "logs/%s", argv[2]);
        return !git_file_exists(path);
    }
    words[n++] = "log";
    words[n++] = "-g";
    words[n++] = "--oneline";
    for (int i = first; i < argc; i++) words[n++] = argv[i];
    return run_command("log", n, words);
}
