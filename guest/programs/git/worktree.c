/*
 * worktree.c: which working trees there are, and what each has checked out.
 */
#include "worktree.h"

#include <dirent.h>
#include <errno.h>

#include "g_file.h"

static worktree *trees;
static size_t tree_count, tree_cap;
static bool known;

char *worktree_file(const char *id, const char *name) {
    g_text path = {0};
    g_text_addf(&path, "%sworktrees/%s%s%s", git_repository_commondir(repo), id, *name ? "/" : "", name);
    return path.s;
}

/* A small file's first line, or NULL. */
static char *line_of(const char *path) {
    size_t len;
    char *text = read_file(path, &len);
    if (!text) return NULL;
    while (len && strchr(" \t\r\n", text[len - 1])) text[--len] = '\0';
    return text;
}

static void read_head(worktree *tree, const char *path) {
    char *text = line_of(path);
    if (!text) return;
    if (strncmp(text, "ref: ", 5) == 0) {
        tree->ref = text + 5;
        if (git_reference_name_to_id(&tree->head, repo, tree->ref) < 0) memset(&tree->head, 0, sizeof tree->head);
    } else if (git_oid_fromstr(&tree->head, text) < 0) {
        memset(&tree->head, 0, sizeof tree->head);
    }
}

static worktree *add_tree(void) {
    if (tree_count == tree_cap) trees = g_more(trees, &tree_cap, sizeof *trees);
    memset(&trees[tree_count], 0, sizeof *trees);
    return &trees[tree_count++];
}

static void add_main(void) {
    worktree *tree = add_tree();
    char *path = g_copy_string(git_repository_commondir(repo));
    size_t len = strlen(path);
    if (len > 1 && path[len - 1] == '/') path[--len] = '\0';
    tree->bare = config_bool("core.bare", false);
    if (!tree->bare && len > 5 && strcmp(path + len - 5, "/.git") == 0) path[len - 5] = '\0';
    tree->path = path;
    read_head(tree, g_join(git_repository_commondir(repo), "HEAD"));
}

static void add_linked(const char *id) {
    worktree *tree = add_tree();
    char *path = line_of(worktree_file(id, "gitdir"));
    size_t len = path ? strlen(path) : 0;
    tree->id = g_copy_string(id);
    if (!path) tree->lost = "gitdir file does not exist";
    else if (!file_exists(path)) tree->lost = "gitdir file points to non-existent location";
    if (len > 5 && strcmp(path + len - 5, "/.git") == 0) path[len - 5] = '\0';
    tree->path = path ? path : worktree_file(id, "");
    tree->locked = line_of(worktree_file(id, "locked"));
    if (tree->locked) tree->lost = NULL;
    read_head(tree, worktree_file(id, "HEAD"));
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const worktree *)a)->path, ((const worktree *)b)->path);
}

const worktree *worktrees(size_t *count) {
    if (!known) {
        struct dirent *e;
        DIR *dir = opendir(worktree_file("", ""));
        tree_count = 0;
        add_main();
        while (dir && (e = readdir(dir)) != NULL)
            if (e->d_name[0] != '.') add_linked(e->d_name);
        if (dir) closedir(dir);
        qsort(trees + 1, tree_count - 1, sizeof *trees, by_path);
        known = true;
    }
    *count = tree_count;
    return trees;
}

void worktrees_changed(void) { known = false; }

const worktree *worktree_named(const char *name) {
    size_t count, len = strlen(name);
    const worktree *all = worktrees(&count), *found = NULL;
    while (len > 1 && name[len - 1] == '/') len--;
    for (size_t i = 0; i < count; i++) {
        size_t own = strlen(all[i].path);
        bool end = own > len && all[i].path[own - len - 1] == '/' && strncmp(all[i].path + own - len, name, len) == 0;
        if (!end || !len) continue;
        if (found) found = NULL, i = count; /* more than one */
        else found = &all[i];
    }
    if (found) return found;
    char *path = g_canonicalize(name, G_ANY_MISSING, false);
    for (size_t i = 0; path && i < count && !found; i++)
        if (strcmp(all[i].path, path) == 0) found = &all[i];
    free(path);
    return found;
}

const worktree *worktree_of_branch(const char *ref) {
    size_t count;
    if (!git_repository_is_worktree(repo) && !file_exists(worktree_file("", ""))) return NULL;
    const worktree *all = worktrees(&count);
    const char *here = git_repository_workdir(repo);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(all[i].path);
        bool this_one = here && strncmp(here, all[i].path, len) == 0 && strcmp(here + len, "/") == 0;
        if (!this_one && !all[i].bare && all[i].ref && strcmp(all[i].ref, ref) == 0) return &all[i];
    }
    return NULL;
}
