/*
 * cmd_rm.c: git rm and mv.
 */
#include "checkout.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"

static int dry, quiet, cached, force, recursive, ignore_unmatch, verbose, keep_going;

static const option rm_table[] = {
    {OPT_FLAG, 'n', "dry-run", &dry, NULL, "dry run", 0, NULL, NULL, 0},
    {OPT_FLAG, 'q', "quiet", &quiet, NULL, "do not list removed files", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "cached", &cached, NULL, "only remove from the index", 0, NULL, NULL, 0},
    {OPT_FLAG, 'f', "force", &force, NULL, "override the up-to-date check", 0, NULL, NULL, 0},
    {OPT_FLAG, 'r', NULL, &recursive, NULL, "allow recursive removal", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "ignore-unmatch", &ignore_unmatch, NULL, "exit with a zero status even if nothing matched", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const option mv_table[] = {
    {OPT_FLAG, 'v', "verbose", &verbose, NULL, "be verbose", 0, NULL, NULL, 0},
    {OPT_FLAG, 'n', "dry-run", &dry, NULL, "dry run", 0, NULL, NULL, 0},
    {OPT_FLAG, 'f', "force", &force, NULL, "force move/rename even if target exists", 0, NULL, NULL, 0},
    {OPT_FLAG, 'k', NULL, &keep_going, NULL, "skip move/rename errors", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static void report(const string_list *files, const char *one, const char *many, const char *how) {
    g_text text = {0};
    if (!files->count) return;
    for (int i = 0; i < files->count; i++) g_text_addf(&text, "\n    %s", files->items[i]);
    error("%s%s\n%s", files->count == 1 ? one : many, text.s, how);
}

/* Files whose content would be lost: neither in HEAD nor in the index as they are. */
static bool would_lose(const string_list *names) {
    string_list both = {0}, staged = {0}, local = {0};
    git_index *index = index_of_repo();
    git_tree *head = head_tree();
    for (int i = 0; i < names->count; i++) {
        const char *path = names->items[i];
        const git_index_entry *e = git_index_get_bypath(index, path, 0);
        git_tree_entry *in_head;
        git_oid id;
        struct stat st;
        char *full = in_workdir(path);
        if (!e || lstat(full, &st) != 0) continue;
        bool in_tree = head && git_tree_entry_bypath(&in_head, head, path) == 0 && git_oid_equal(git_tree_entry_id(in_head), &e->id);
        bool is_link = S_ISLNK(st.st_mode), same_file = is_link;
        if (!is_link && git_repository_hashfile(&id, repo, full, GIT_OBJECT_BLOB, path) == 0) same_file = git_oid_equal(&id, &e->id);
        if (!same_file && !in_tree) list_add(&both, path);
        else if (!in_tree && !cached) list_add(&staged, path);
        else if (!same_file && !cached) list_add(&local, path);
    }
    report(&both, "the following file has staged content different from both the\nfile and the HEAD:",
           "the following files have staged content different from both the\nfile and the HEAD:", "(use -f to force removal)");
    report(&staged, "the following file has changes staged in the index:", "the following files have changes staged in the index:",
           "(use --cached to keep the file, or -f to force removal)");
    report(&local, "the following file has local modifications:", "the following files have local modifications:",
           "(use --cached to keep the file, or -f to force removal)");
    return both.count || staged.count || local.count;
}

int cmd_rm(int argc, char **argv) {
    static const char usage[] = "git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch]\n"
                                "       [--quiet] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
                                "       [--] [<pathspec>...]";
    int n = options(argc, argv, rm_table, usage, 0);
    git_index *index = index_of_repo();
    string_list names = {0};
    pathspec paths;
    if (!n) die("No pathspec was given. Which files should I remove?");
    pathspec_parse(&paths, n, argv);
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        if (pathspec_match(&paths, path) && (!names.count || strcmp(names.items[names.count - 1], path) != 0)) list_add(&names, path);
    }
    for (size_t i = 0; i < paths.count; i++) {
        pathspec_item *item = &paths.items[i];
        if (!item->matched && !ignore_unmatch && !item->exclude) die("pathspec '%s' did not match any files", item->original);
        if (item->matched && !recursive && !item->pattern[item->plain] && !git_index_get_bypath(index, item->pattern, 0)) {
            bool unmerged = false;
            for (int s = 1; s <= 3; s++) unmerged |= git_index_get_bypath(index, item->pattern, s) != NULL;
            if (!unmerged) die("not removing '%s' recursively without -r", item->original);
        }
    }
    if (!force && would_lose(&names)) return 1;
    for (int i = 0; i < names.count; i++) {
        if (!quiet) {
            g_outs("rm '");
            g_outs(names.items[i]);
            g_outs("'\n");
        }
        if (dry) continue;
        git_index_remove_bypath(index, names.items[i]);
        if (!cached) remove_file(names.items[i]);
    }
    if (!dry) check(git_index_write(index));
    return 0;
}

static int move_failed(const char *why, const char *from, const char *to) {
    if (keep_going) return 0;
    die("%s, source=%s, destination=%s", why, from, to);
}

static bool is_dir(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void move_entries(git_index *index, const char *from, const char *to) {
    size_t len = strlen(from);
    string_list olds = {0};
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        if (strncmp(path, from, len) == 0 && (!path[len] || path[len] == '/')) list_add(&olds, path);
    }
    for (int i = 0; i < olds.count; i++) {
        git_index_entry e = *git_index_get_bypath(index, olds.items[i], 0);
        g_text name = {0};
        g_text_addf(&name, "%s%s", to, olds.items[i] + len);
        e.path = name.s;
        check(git_index_add(index, &e));
        check(git_index_remove_bypath(index, olds.items[i]));
    }
}

static void move_one(git_index *index, const char *source, const char *target, bool into) {
    char *from = repo_path(source), *to, *dest = repo_path(target);
    g_strip_slashes(from);
    g_strip_slashes(dest);
    to = into ? *dest ? g_join(dest, g_last_part(from)) : g_copy_string(g_last_part(from)) : dest;
    if (dry) g_outf("Checking rename of '%s' to '%s'\n", from, to);
    size_t len = strlen(from);
    bool tracked = false;
    for (size_t i = 0; i < git_index_entrycount(index) && !tracked; i++) {
        const char *path = git_index_get_byindex(index, i)->path;
        tracked = strncmp(path, from, len) == 0 && (!path[len] || path[len] == '/');
    }
    if (!file_exists(in_workdir(from))) { move_failed("bad source", from, to); return; }
    if (strncmp(to, from, len) == 0 && (!to[len] || to[len] == '/')) { move_failed("can not move directory into itself", from, to); return; }
    if (!tracked) {
        move_failed(is_dir(in_workdir(from)) ? "source directory is empty" : "not under version control", from, to);
        return;
    }
    if (file_exists(in_workdir(to)) && (!force || is_dir(in_workdir(to)))) { move_failed("destination exists", from, to); return; }
    if (verbose || dry) g_outf("Renaming %s to %s\n", from, to);
    if (dry) return;
    if (rename(in_workdir(from), in_workdir(to)) != 0) die("renaming '%s' failed: %s", from, strerror(errno));
    move_entries(index, from, to);
}

int cmd_mv(int argc, char **argv) {
    static const char usage[] = "git mv [<options>] <source>... <destination>";
    int n = options(argc, argv, mv_table, usage, 0);
    git_index *index = index_of_repo();
    if (n < 2) usage_error(NULL);
    const char *target = argv[n - 1];
    bool into = is_dir(target);
    if (n > 2 && !into) die("destination '%s' is not a directory", target);
    if (!into && target[strlen(target) - 1] == '/' && !is_dir(argv[0])) move_failed("destination directory does not exist", repo_path(argv[0]), target);
    for (int i = 0; i < n - 1; i++) move_one(index, argv[i], target, into);
    if (!dry) check(git_index_write(index));
    return 0;
}
