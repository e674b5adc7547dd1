/*
 * cmd_fsck.c: git fsck: whether all objects are whole, and which of them nothing leads to.
 *
 * What the objects say is read as far as libgit2 reads it; git's further complaints about their form (bad modes,
 * dates, zero-padded numbers) are not made.
 */
#include "git.h"

#include <sys/stat.h>

static int unreachable, dangling = 1, tags, roots, cache, reflogs = 1, full, connectivity, strict, lost_found, progress, verbose, names;
static const char usage[] = "git fsck [--tags] [--root] [--unreachable] [--cache] [--no-reflogs]\n"
                            "         [--[no-]full] [--strict] [--verbose] [--lost-found]\n"
                            "         [--[no-]dangling] [--[no-]progress] [--connectivity-only]\n"
                            "         [--[no-]name-objects] [<object>...]";
enum { ERROR_OBJECT = 1, ERROR_REACHABLE = 2 };
static int found_errors;

typedef struct {
    git_oid id;
    git_object_t type;
    bool there, reachable, used;
} node;

static node *nodes; /* sorted; those that are missing are added behind */
static size_t count, sorted, cap;
static size_t *pending, pending_count, pending_cap;

static int by_id(const void *a, const void *b) { return git_oid_cmp(&((const node *)a)->id, &((const node *)b)->id); }

static size_t add_node(const git_oid *id, git_object_t type, bool there) {
    if (count == cap) nodes = g_more(nodes, &cap, sizeof *nodes);
    nodes[count] = (node){*id, type, there, false, false};
    return count++;
}

/* The place of an object; one that nobody has seen is missing. */
static size_t node_of(const git_oid *id, git_object_t type) {
    const node *found = sorted ? bsearch(&(node){.id = *id}, nodes, sorted, sizeof *nodes, by_id) : NULL;
    if (found) return (size_t)(found - nodes);
    for (size_t i = sorted; i < count; i++)
        if (git_oid_equal(&nodes[i].id, id)) return i;
    return add_node(id, type, false);
}

static const char *type_name(git_object_t type) { return git_object_type2string(type); }

/* ---- links between objects */

typedef void (*each_link)(size_t from, const git_oid *to, git_object_t type);

static void links(size_t from, each_link visit) {
    git_object *object;
    git_oid id = nodes[from].id;
    if (nodes[from].type == GIT_OBJECT_BLOB || git_object_lookup(&object, repo, &id, nodes[from].type) < 0) return;
    if (nodes[from].type == GIT_OBJECT_TREE) {
        git_tree *tree = (git_tree *)object;
        for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
            const git_tree_entry *e = git_tree_entry_byindex(tree, i);
            if (git_tree_entry_type(e) != GIT_OBJECT_COMMIT) visit(from, git_tree_entry_id(e), git_tree_entry_type(e));
        }
    } else if (nodes[from].type == GIT_OBJECT_COMMIT) {
        git_commit *commit = (git_commit *)object;
        visit(from, git_commit_tree_id(commit), GIT_OBJECT_TREE);
        for (unsigned i = 0; i < git_commit_parentcount(commit); i++) visit(from, git_commit_parent_id(commit, i), GIT_OBJECT_COMMIT);
    } else if (nodes[from].type == GIT_OBJECT_TAG) {
        visit(from, git_tag_target_id((git_tag *)object), git_tag_target_type((git_tag *)object));
    }
    git_object_free(object);
}

static void mark_used(size_t from, const git_oid *to, git_object_t type) {
    (void)from;
    nodes[node_of(to, type)].used = true;
}

static bool mark(size_t i) {
    if (nodes[i].reachable) return false;
    nodes[i].reachable = true;
    if (!nodes[i].there) return true;
    if (pending_count == pending_cap) pending = g_more(pending, &pending_cap, sizeof *pending);
    pending[pending_count++] = i;
    return true;
}

static void follow(size_t from, const git_oid *to, git_object_t type) {
    size_t i = node_of(to, type);
    if (!mark(i) || nodes[i].there) return;
    g_outf("broken link from %7s %s\n", type_name(nodes[from].type), full_id(&nodes[from].id));
    g_outf("              to %7s %s\n", type_name(type), full_id(to));
    found_errors |= ERROR_REACHABLE;
}

static void traverse(void) {
    while (pending_count) links(pending[--pending_count], follow);
}

/* ---- all objects */

static int each_id(const git_oid *id, void *payload) {
    (void)payload;
    add_node(id, GIT_OBJECT_ANY, true);
    return 0;
}

static void check_object(git_odb *odb, node *n) {
    git_odb_object *raw;
    git_object *object;
    size_t len;
    if (connectivity) {
        n->there = git_odb_read_header(&len, &n->type, odb, &n->id) == 0;
        if (n->there) return;
    } else if (git_odb_read(&raw, odb, &n->id) == 0) {
        n->type = git_odb_object_type(raw);
        git_odb_object_free(raw);
        if (git_object_lookup(&object, repo, &n->id, n->type) == 0) {
            const git_commit *commit = n->type == GIT_OBJECT_COMMIT ? (git_commit *)object : NULL;
            if (roots && commit && git_commit_parentcount(commit) == 0) g_outf("root %s\n", full_id(&n->id));
            if (tags && n->type == GIT_OBJECT_TAG)
                g_outf("tagged %s %s (%s) in %s\n", type_name(git_tag_target_type((git_tag *)object)),
                       full_id(git_tag_target_id((git_tag *)object)), git_tag_name((git_tag *)object), full_id(&n->id));
            git_object_free(object);
            return;
        }
        error("%s: object could not be parsed: %s", full_id(&n->id), git_message());
        found_errors |= ERROR_OBJECT;
        return;
    }
    const char *hex = full_id(&n->id);
    error("%s", git_message());
    error("%s: object corrupt or missing: .git/objects/%.2s/%s", hex, hex, hex + 2);
    n->there = false;
    n->type = GIT_OBJECT_BLOB;
    found_errors |= ERROR_OBJECT;
}

static void read_objects(void) {
    git_odb *odb;
    size_t kept = 0;
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
    check(git_repository_odb(&odb, repo));
    check(git_odb_foreach(odb, each_id, NULL));
    if (count) qsort(nodes, count, sizeof *nodes, by_id);
    for (size_t i = 0; i < count; i++) /* some are in several places */
        if (!kept || git_oid_cmp(&nodes[kept - 1].id, &nodes[i].id) != 0) nodes[kept++] = nodes[i];
    sorted = count = kept;
    for (size_t i = 0; i < sorted; i++) check_object(odb, &nodes[i]);
    for (size_t i = 0; i < sorted; i++)
        if (nodes[i].there) links(i, mark_used);
    git_odb_free(odb);
}

/* ---- what everything starts from */

static bool start_at(const git_oid *id) {
    size_t i = node_of(id, GIT_OBJECT_COMMIT);
    if (!nodes[i].there) {
        count -= i + 1 == count && i >= sorted; /* it is named as a wrong reference, not as a missing object */
        return false;
    }
    nodes[i].used = true;
    mark(i);
    return true;
}

static void start_at_log(const char *name) {
    git_reflog *log;
    if (!reflogs || git_reflog_read(&log, repo, name) < 0) return;
    for (size_t i = git_reflog_entrycount(log); i-- > 0;) {
        const git_reflog_entry *e = git_reflog_entry_byindex(log, i);
        const git_oid *ids[] = {git_reflog_entry_id_old(e), git_reflog_entry_id_new(e)};
        for (int k = 0; k < 2; k++)
            if (!git_oid_is_zero(ids[k]) && !start_at(ids[k])) {
                error("%s: invalid reflog entry %s", name, full_id(ids[k]));
                found_errors |= ERROR_REACHABLE;
            }
    }
    git_reflog_free(log);
}

static int each_ref(const char *name, void *payload) {
    git_oid id;
    if (git_reference_name_to_id(&id, repo, name) < 0) return 0;
    ++*(size_t *)payload;
    if (!start_at(&id)) {
        error("%s: invalid sha1 pointer %s", name, full_id(&id));
        found_errors |= ERROR_REACHABLE;
    }
    start_at_log(name);
    return 0;
}

static void start_at_refs(void) {
    size_t refs = 0;
    git_oid id;
    char *head = head_target();
    if (git_reference_name_to_id(&id, repo, "HEAD") < 0) {
        if (head && strncmp(head, "refs/heads/", 11) == 0) note("notice: HEAD points to an unborn branch (%s)", head + 11);
    } else if (!start_at(&id)) {
        error("HEAD: invalid sha1 pointer %s", full_id(&id));
        found_errors |= ERROR_REACHABLE;
    }
    check(git_reference_foreach_name(repo, each_ref, &refs));
    start_at_log("HEAD");
    if (!refs) note("notice: No default references");
}

static void start_at_index(void) {
    git_index *index = index_of_repo();
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (e->mode == GIT_FILEMODE_COMMIT) continue;
        size_t at = node_of(&e->id, GIT_OBJECT_BLOB);
        nodes[at].used = true;
        mark(at);
    }
}

/* ---- what is said of them */

static void keep_lost(const node *n) {
    bool commit = n->type == GIT_OBJECT_COMMIT;
    g_text name = {0};
    mkdir(git_file("lost-found"), 0777);
    mkdir(git_file(commit ? "lost-found/commit" : "lost-found/other"), 0777);
    g_text_addf(&name, "lost-found/%s/%s", commit ? "commit" : "other", full_id(&n->id));
    if (n->type == GIT_OBJECT_BLOB) {
        git_blob *blob;
        check(git_blob_lookup(&blob, repo, &n->id));
        write_file(git_file(name.s), git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
        git_blob_free(blob);
    } else {
        g_text line = {0};
        g_text_addf(&line, "%s\n", full_id(&n->id));
        write_git_file(name.s, line.s);
        g_text_free(&line);
    }
    g_text_free(&name);
}

static void report(const node *n) {
    if (n->reachable) {
        if (n->there) return;
        g_outf("missing %s %s\n", type_name(n->type), full_id(&n->id));
        found_errors |= ERROR_REACHABLE;
        return;
    }
    if (!n->there) return;
    if (unreachable) {
        g_outf("unreachable %s %s\n", type_name(n->type), full_id(&n->id));
        return;
    }
    if (n->used) return;
    if (dangling) g_outf("dangling %s %s\n", type_name(n->type), full_id(&n->id));
    if (lost_found) keep_lost(n);
}

/* git's own order: that of its table of objects. */
static size_t table_size;
static uint32_t slot(const node *n) {
    uint32_t hash = (uint32_t)n->id.id[0] | (uint32_t)n->id.id[1] << 8 | (uint32_t)n->id.id[2] << 16 | (uint32_t)n->id.id[3] << 24;
    return hash & (uint32_t)(table_size - 1);
}
static int by_slot(const void *a, const void *b) {
    uint32_t x = slot(a), y = slot(b);
    return x != y ? (x < y ? -1 : 1) : by_id(a, b);
}

static const option table[] = {
    FLAG('v', "verbose", verbose, "be verbose"), FLAG(0, "unreachable", unreachable, "show unreachable objects"),
    FLAG(0, "dangling", dangling, "show dangling objects"), FLAG(0, "tags", tags, "report tags"),
    FLAG(0, "root", roots, "report root nodes"), FLAG(0, "cache", cache, "make index objects head nodes"),
    FLAG(0, "reflogs", reflogs, "make reflogs head nodes (default)"),
    FLAG(0, "full", full, "also consider packs and alternate objects"),
    FLAG(0, "connectivity-only", connectivity, "check only connectivity"),
    FLAG(0, "strict", strict, "enable more strict checking"),
    FLAG(0, "lost-found", lost_found, "write dangling objects in .git/lost-found"),
    FLAG(0, "progress", progress, "show progress"),
    FLAG(0, "name-objects", names, "show verbose names for reachable objects"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

int cmd_fsck(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    if (names) die("git fsck --name-objects is not there");
    if (lost_found) reflogs = 0;
    read_objects();
    for (int i = 0; i < n; i++) {
        git_object *object = object_named(argv[i]);
        if (object && start_at(git_object_id(object))) continue;
        if (object) error("%s: object missing", full_id(git_object_id(object)));
        else error("invalid parameter: expected sha1, got '%s'", argv[i]);
        found_errors |= ERROR_OBJECT;
    }
    if (!n) start_at_refs();
    if (!n || cache) start_at_index();
    traverse();
    for (table_size = 32; table_size - 1 <= count * 2; table_size *= 2) continue;
    if (count) qsort(nodes, count, sizeof *nodes, by_slot);
    for (size_t i = 0; i < count; i++) report(&nodes[i]);
    return found_errors;
}
