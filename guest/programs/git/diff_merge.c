/*
 * diff_merge.c: which paths of a merge differ from all its parents, and what a conflict consists of.
 */
#include "diff_combined.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* One side's content; for a submodule what git shows in its place. */
static void load(combined_side *side) {
    git_blob *blob;
    if (S_ISDIR(side->mode & S_IFMT) || (side->mode & S_IFMT) == GIT_FILEMODE_COMMIT) {
        g_text text = {0};
        g_text_addf(&text, "Subproject commit %s\n", full_id(&side->id));
        side->text = text.s;
        side->len = text.len;
    } else if (side->mode && git_blob_lookup(&blob, repo, &side->id) == 0) {
        side->text = git_blob_rawcontent(blob);
        side->len = (size_t)git_blob_rawsize(blob);
    } else {
        side->text = "";
    }
}

/* ---- merges */

typedef struct {
    const char *name;
    const git_diff_delta *delta;
} changed;

typedef struct {
    changed *items;
    size_t count;
} changes;

static int by_path(const void *a, const void *b) {
    return strcmp(((const changed *)a)->name, ((const changed *)b)->name);
}

static changes changes_of(git_diff *diff) {
    size_t all = git_diff_num_deltas(diff);
    changes list = {g_alloc((all + 1) * sizeof *list.items), 0};
    for (size_t i = 0; i < all; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (diff_skip(diff, i)) continue;
        list.items[list.count++] =
            (changed){d->status == GIT_DELTA_DELETED ? d->old_file.path : d->new_file.path, d};
    }
    qsort(list.items, list.count, sizeof *list.items, by_path);
    return list;
}

static combined_side parent_side(const git_diff_delta *d) {
    combined_side side = {.letter = diff_letter(d)};
    if (d->status != GIT_DELTA_ADDED) {
        side.mode = d->old_file.mode;
        side.id = d->old_file.id;
    }
    return side;
}

static combined_side result_side(const git_diff_delta *d) {
    combined_side side = {0};
    if (d->status != GIT_DELTA_DELETED) {
        side.mode = d->new_file.mode;
        side.id = d->new_file.id;
    }
    return side;
}

typedef struct {
    combined_path *items;
    size_t count;
} merged_paths;

/* The paths that are in all lists. */
static merged_paths in_all(const changes *lists, unsigned count) {
    merged_paths paths = {g_alloc((lists[0].count + 1) * sizeof *paths.items), 0};
    for (size_t i = 0; i < lists[0].count; i++) {
        const changed *first = &lists[0].items[i];
        combined_path path = {first->name, result_side(first->delta), g_alloc(count * sizeof *path.parents), 0};
        for (; path.count < count; path.count++) {
            const changes *list = &lists[path.count];
            const changed *found = bsearch(first, list->items, list->count, sizeof *found, by_path);
            if (!found) break;
            path.parents[path.count] = parent_side(found->delta);
        }
        if (path.count == count) paths.items[paths.count++] = path;
        else free(path.parents);
    }
    return paths;
}

static void add_letters(g_text *out, const combined_path *path) {
    for (unsigned i = 0; i < path->count; i++) g_text_addc(out, path->parents[i].letter);
    g_text_addc(out, diffs.null ? '\0' : '\t');
}

static void add_raw(g_text *out, const combined_path *path) {
    int length = diffs.abbrev ? diffs.abbrev : 7;
    bool full = diffs.full_index || diffs.abbrev == OID_HEX || (diffs.raw_full && !diffs.abbrev);
    for (unsigned i = 0; i < path->count; i++) g_text_addc(out, ':');
    for (unsigned i = 0; i <= path->count; i++)
        g_text_addf(out, "%06o ", (i < path->count ? &path->parents[i] : &path->result)->mode);
    for (unsigned i = 0; i <= path->count; i++) {
        const git_oid *id = &(i < path->count ? &path->parents[i] : &path->result)->id;
        g_text_addf(out, "%s ", full ? full_id(id) : abbreviated(id, length));
    }
}

static void write_path(g_text *out, combined_path *path, bool dense) {
    load(&path->result);
    for (unsigned i = 0; i < path->count; i++) load(&path->parents[i]);
    diff_write_combined(out, path, dense, false);
}

static void write_paths(g_text *out, merged_paths paths, bool dense) {
    int format = diff_names_alone(diffs.format), lists = DIFF_RAW | DIFF_NAME_ONLY | DIFF_NAME_STATUS;
    int stats = DIFF_STAT | DIFF_SHORTSTAT | DIFF_NUMSTAT | DIFF_SUMMARY;
    for (size_t i = 0; i < paths.count && (format & lists); i++) {
        if (format & DIFF_RAW) add_raw(out, &paths.items[i]);
        if (format & (DIFF_RAW | DIFF_NAME_STATUS)) add_letters(out, &paths.items[i]);
        diff_write_name(out, paths.items[i].name, diffs.null ? '\0' : '\n');
    }
    if (!(format & DIFF_PATCH)) return;
    if (paths.count && (format & (lists | stats))) g_text_addc(out, '\n');
    for (size_t i = 0; i < paths.count; i++) write_path(out, &paths.items[i], dense);
}

void diff_write_merge(g_text *out, git_commit *commit, bool dense) {
    unsigned count = git_commit_parentcount(commit);
    if (count < 2) return;
    changes *lists = g_alloc(count * sizeof *lists);
    git_diff **all = g_alloc(count * sizeof *all);
    git_tree *tree = tree_of(commit);
    for (unsigned i = 0; i < count; i++) {
        git_commit *parent;
        check(git_commit_parent(&parent, commit, i));
        all[i] = diff_trees(tree_of(parent), tree);
        lists[i] = changes_of(all[i]);
    }
    merged_paths paths = in_all(lists, count);
    write_paths(out, paths, dense);
    for (unsigned i = 0; i < count; i++) {
        free(lists[i].items);
        git_diff_free(all[i]);
    }
    for (size_t i = 0; i < paths.count; i++) free(paths.items[i].parents);
    free(paths.items);
    free(lists);
    free(all);
}

/* ---- conflicts */

static bool load_file(combined_side *side, const char *path) {
    struct stat st;
    char *name = in_workdir(path);
    if (lstat(name, &st) < 0) {
        side->text = "";
        return errno == ENOENT;
    }
    if (S_ISLNK(st.st_mode)) {
        char *target = g_zalloc((size_t)st.st_size + 1);
        ssize_t len = readlink(name, target, (size_t)st.st_size);
        side->text = target;
        side->len = len < 0 ? 0 : (size_t)len;
        side->mode = GIT_FILEMODE_LINK;
        return len >= 0;
    }
    side->text = read_file(name, &side->len);
    side->mode = st.st_mode & S_IXUSR ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
    return side->text != NULL;
}

static bool write_conflict(g_text *out, const char *path, bool dense) {
    const git_index_entry *base, *ours, *theirs;
    combined_side sides[2] = {{0}};
    if (git_index_conflict_get(&base, &ours, &theirs, index_of_repo(), path) < 0 || !ours || !theirs) return false;
    sides[0] = (combined_side){.mode = ours->mode, .id = ours->id};
    sides[1] = (combined_side){.mode = theirs->mode, .id = theirs->id};
    combined_path whole = {path, {0}, sides, 2};
    if (!load_file(&whole.result, path)) return false;
    load(&sides[0]);
    load(&sides[1]);
    diff_write_combined(out, &whole, dense, true);
    return true;
}

static string_list written;

void diff_write_conflicts(g_text *out, git_diff *diff, bool dense) {
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
        if (d->status == GIT_DELTA_CONFLICTED && write_conflict(out, path, dense)) list_add(&written, path);
    }
}

bool diff_is_combined(const char *path) {
    for (int i = 0; i < written.count; i++)
        if (strcmp(written.items[i], path) == 0) return true;
    return false;
}
