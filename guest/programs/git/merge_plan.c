/*
 * merge_plan.c: see merge_plan.h. The cases and their words are those of git's `ort`.
 */
#include "merge_plan.h"
#include "diff.h"

#include <stdarg.h>
#include <sys/stat.h>

enum { BASE, OURS, THEIRS };

typedef struct {
    git_oid id;
    uint32_t mode;    /* 0: it is not there */
    const char *name; /* what it is called there */
} version;

typedef struct {
    char *path; /* at last, where the file stands: it may have to make room */
    version side[3];
    bool folder[3]; /* has a directory there */
    bool gone;      /* the old name of a file that has another one now */
    bool odd;       /* is in conflict, whatever its content */
    version result;
    bool clean;
} node;

typedef struct {
    char *from, *to;
} renamed;

static const merge_job *job;
static merge_plan *plan;
static node *nodes;
static size_t node_count, node_cap;
static renamed *renames[3];
static size_t rename_count[3];

static void tell(const char *path, bool hint, const char *format, ...) G_PRINTF(3, 4);
static void tell(const char *path, bool hint, const char *format, ...) {
    char *text;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0) abort();
    va_end(ap);
    if (plan->note_count == plan->note_cap) plan->notes = g_more(plan->notes, &plan->note_cap, sizeof *plan->notes);
    plan->notes[plan->note_count++] = (merge_note){g_copy_string(path), text, hint};
}

static const char *branch(int side) { return side == OURS ? job->our_label : job->their_label; }
static bool same(const version *a, const version *b) {
    return a->mode == b->mode && (!a->mode || git_oid_equal(&a->id, &b->id));
}
static uint32_t kind(const version *v) { return v->mode & S_IFMT; }

/* ---- what changed */

static int by_path(const void *a, const void *b) { return strcmp(((const node *)a)->path, ((const node *)b)->path); }

static node *find(const char *path) {
    node key = {.path = (char *)(uintptr_t)path};
    return bsearch(&key, nodes, node_count, sizeof *nodes, by_path);
}

static void add_node(const char *path) {
    if (node_count == node_cap) nodes = g_more(nodes, &node_cap, sizeof *nodes);
    nodes[node_count++] = (node){.path = g_copy_string(path)};
}

/* Each path once, and what the three trees have there. */
static void look_up(void) {
    git_tree *trees[3] = {job->base, job->ours, job->theirs};
    size_t kept = 0;
    qsort(nodes, node_count, sizeof *nodes, by_path);
    for (size_t i = 0; i < node_count; i++)
        if (!kept || strcmp(nodes[kept - 1].path, nodes[i].path) != 0) nodes[kept++] = nodes[i];
    node_count = kept;
    for (size_t k = 0; k < kept * 3; k++) {
        node *n = &nodes[k / 3];
        git_tree_entry *e;
        int i = (int)(k % 3);
        n->side[i].name = n->path;
        if (!trees[i] || git_tree_entry_bypath(&e, trees[i], n->path) < 0) continue;
        n->folder[i] = git_tree_entry_type(e) == GIT_OBJECT_TREE;
        if (!n->folder[i]) n->side[i] = (version){*git_tree_entry_id(e), git_tree_entry_filemode(e), n->path};
        git_tree_entry_free(e);
    }
}

static void collect(int side, git_tree *tree) {
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    git_diff_find_options find_ = GIT_DIFF_FIND_OPTIONS_INIT;
    git_diff *diff;
    check(git_diff_tree_to_tree(&diff, repo, job->base, tree, &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) add_node(git_diff_get_delta(diff, i)->new_file.path);
    find_.flags = GIT_DIFF_FIND_RENAMES;
    find_.metric = &diff_metric;
    find_.rename_limit = 7000;
    check(git_diff_find_similar(diff, &find_));
    size_t cap = 0;
    renames[side] = NULL;
    rename_count[side] = 0;
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (d->status != GIT_DELTA_RENAMED) continue;
        if (rename_count[side] == cap) renames[side] = g_more(renames[side], &cap, sizeof **renames);
        renames[side][rename_count[side]++] = (renamed){g_copy_string(d->old_file.path), g_copy_string(d->new_file.path)};
    }
    git_diff_free(diff);
}

static bool is_binary(const version *v) {
    git_blob *blob;
    if (kind(v) != S_IFREG || git_blob_lookup(&blob, repo, &v->id) < 0) return false;
    bool binary = git_blob_is_binary(blob);
    git_blob_free(blob);
    return binary;
}

static bool is_needed(void) {
    if (rename_count[OURS] + rename_count[THEIRS]) return true;
    for (size_t i = 0; i < node_count; i++) {
        const node *n = &nodes[i];
        const version *a = &n->side[OURS], *b = &n->side[THEIRS];
        if ((a->mode && n->folder[THEIRS]) || (b->mode && n->folder[OURS])) return true;
        if (!a->mode || !b->mode || same(a, b) || same(a, &n->side[BASE]) || same(b, &n->side[BASE])) continue;
        if (kind(a) != S_IFREG || kind(a) != kind(b) || is_binary(a) || is_binary(b)) return true;
    }
    return false;
}

/* ---- contents */

static char *label(const char *name, const char *path, bool with_path) {
    g_text text = {0};
    g_text_addf(&text, with_path ? "%s:%s" : "%s", name, path);
    return text.s;
}

static git_index_entry entry_of(const version *v, const char *path) {
    git_index_entry e = {.mode = v->mode, .id = v->id, .path = path};
    return e;
}

/* Both sides' lines in one; whether they go together. Marks of what is merged once more are longer. */
static bool merge_lines(const char *path, const version *base, const version *a, const version *b, int longer, version *out) {
    git_merge_file_options o = GIT_MERGE_FILE_OPTIONS_INIT;
    git_merge_file_result result = {0};
    bool several = strcmp(base->name, a->name) != 0 || strcmp(a->name, b->name) != 0;
    bool ancestor = base->mode && kind(base) == kind(a);
    char *first = label(job->our_label, a->name, several);
    char *second = label(job->their_label, b->name, several);
    git_index_entry sides[3] = {entry_of(base, path), entry_of(a, path), entry_of(b, path)};
    o.ancestor_label = label(job->base_label ? job->base_label : "ancestor", base->name, several);
    o.our_label = first;
    o.their_label = second;
    o.favor = (git_merge_file_favor_t)job->favor;
    o.marker_size = (unsigned short)(GIT_MERGE_CONFLICT_MARKER_SIZE + longer);
    o.flags |= merge_style(NULL);
    bool text = git_merge_file_from_index(&result, repo, ancestor ? &sides[0] : NULL, &sides[1], &sides[2], &o) == 0;
    if (!text || !result.ptr) {
        bool theirs = job->favor == GIT_MERGE_FILE_FAVOR_THEIRS, ours = job->favor == GIT_MERGE_FILE_FAVOR_OURS;
        if (!ours && !theirs) tell(path, false, "warning: Cannot merge binary files: %s (%s vs. %s)", path, first, second);
        tell(path, true, "Auto-merging %s", path);
        *out = theirs ? *b : *a;
        return ours || theirs;
    }
    tell(path, true, "Auto-merging %s", path);
    check(git_blob_create_from_buffer(&out->id, repo, result.ptr, result.len));
    bool clean = result.automergeable;
    git_merge_file_result_free(&result);
    return clean;
}

static bool merge_content(const char *path, const version *base, const version *a, const version *b, int longer, version *out) {
    bool clean = true;
    *out = *b;
    out->name = path;
    if (a->mode != b->mode && a->mode != base->mode) {
        out->mode = a->mode;
        clean = b->mode == base->mode;
    }
    uint32_t mode = out->mode;
    if (git_oid_equal(&a->id, &b->id) || (base->mode && git_oid_equal(&a->id, &base->id))) {
        out->id = b->id;
    } else if (base->mode && git_oid_equal(&b->id, &base->id)) {
        out->id = a->id;
    } else if (kind(a) == S_IFREG) {
        clean &= merge_lines(path, base, a, b, longer, out);
    } else {
        out->id = job->favor == GIT_MERGE_FILE_FAVOR_THEIRS ? b->id : a->id;
        clean &= job->favor != GIT_MERGE_FILE_FAVOR_NORMAL;
    }
    out->mode = mode;
    return clean;
}

/* ---- renames */

static const renamed *rename_of(int side, const char *from) {
    for (size_t i = 0; i < rename_count[side]; i++)
        if (strcmp(renames[side][i].from, from) == 0) return &renames[side][i];
    return NULL;
}

static void both_renamed(node *old, const char *ours, const char *theirs) {
    node *a = find(ours), *b = find(theirs);
    if (a == b) {
        a->side[BASE] = old->side[BASE];
        old->gone = true;
        return;
    }
    version merged;
    merge_content(old->path, &old->side[BASE], &a->side[OURS], &b->side[THEIRS], 1, &merged);
    merged.name = a->path, a->side[OURS] = merged;
    merged.name = b->path, b->side[THEIRS] = merged;
    old->odd = a->odd = b->odd = true;
    tell(old->path, false, "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.", old->path, ours, job->our_label,
         theirs, job->their_label);
}

static void one_renamed(node *old, const char *to, int side) {
    int other = OURS + THEIRS - side;
    node *new_ = find(to);
    bool deleted = !old->side[other].mode, collides = new_->side[other].mode != 0;
    old->gone = true;
    if (collides && !deleted) {
        version merged, *sides[3] = {&old->side[BASE], &new_->side[side], &old->side[other]};
        bool clean = merge_content(to, sides[0], side == OURS ? sides[1] : sides[2], side == OURS ? sides[2] : sides[1], 1, &merged);
        if (!clean)
            tell(to, false, "CONFLICT (rename involved in collision): rename of %s -> %s has content conflicts AND collides with "
                 "another path; this may result in nested conflict markers.", old->path, to);
        new_->side[side] = merged;
        return;
    }
    if (!collides) new_->side[BASE] = old->side[BASE];
    if (deleted) {
        new_->odd = true;
        tell(to, false, "CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.", old->path, to, branch(side), branch(other));
    } else if (!collides) {
        new_->side[other] = old->side[other];
    }
}

static void follow_renames(void) {
    for (size_t i = 0; i < node_count; i++) {
        node *n = &nodes[i];
        const renamed *a = rename_of(OURS, n->path), *b = rename_of(THEIRS, n->path);
        if (a && b) both_renamed(n, a->to, b->to);
        else if (a || b) one_renamed(n, a ? a->to : b->to, a ? OURS : THEIRS);
    }
}

/* ---- what becomes of each path */

static bool is_taken(const char *path) {
    git_tree_entry *e;
    git_tree *trees[2] = {job->ours, job->theirs};
    for (int i = 0; i < 2; i++)
        if (trees[i] && git_tree_entry_bypath(&e, trees[i], path) == 0) return git_tree_entry_free(e), true;
    for (size_t i = 0; i < node_count; i++)
        if (strcmp(nodes[i].path, path) == 0) return true;
    return false;
}

static char *beside(const char *path, const char *label_) {
    g_text text = {0};
    g_text_addf(&text, "%s~%s", path, label_);
    for (char *p = text.s + strlen(path); *p; p++)
        if (*p == '/') *p = '_';
    size_t len = text.len;
    for (int i = 0; is_taken(text.s); i++) {
        text.len = len;
        g_text_addf(&text, "_%d", i);
    }
    return text.s;
}

static void keep_conflict(const node *n) {
    if (plan->count == plan->cap) plan->conflicts = g_more(plan->conflicts, &plan->cap, sizeof *plan->conflicts);
    merge_conflict *c = &plan->conflicts[plan->count++];
    *c = (merge_conflict){.path = n->path};
    for (int i = 0; i < 3; i++) {
        c->have[i] = n->side[i].mode != 0;
        c->side[i] = entry_of(&n->side[i], n->path);
    }
}

static void settle(const char *path, const version *v) {
    if (!v->mode) return;
    git_index_entry e = entry_of(v, path);
    check(git_index_add(plan->merged, &e));
}

/* A file and a link of one name: the file makes room. */
static void distinct_types(node *n) {
    version none = {0};
    bool ours = kind(&n->side[OURS]) == S_IFREG, theirs = !ours && kind(&n->side[THEIRS]) == S_IFREG;
    tell(n->path, false, "CONFLICT (distinct types): %s had different types on each side; renamed %s of them so each can be recorded somewhere.",
         n->path, ours || theirs ? "one" : "both");
    for (int side = OURS; side <= THEIRS; side++) {
        bool moves = (!ours && !theirs) || (side == OURS ? ours : theirs);
        node part = *n;
        part.side[OURS + THEIRS - side] = none;
        if (kind(&part.side[BASE]) != kind(&part.side[side])) part.side[BASE] = none;
        if (moves) part.path = beside(n->path, branch(side));
        settle(part.path, &part.side[side]);
        keep_conflict(&part);
    }
}

/* Is a directory left where the file shall be? Those below it were settled before. */
static bool folder_stays(const node *n) {
    g_text below = {0};
    size_t at;
    g_text_addf(&below, "%s/", n->path);
    bool stays = git_index_find_prefix(&at, plan->merged, below.s) == 0;
    g_text_free(&below);
    return stays;
}

static void resolve(node *n) {
    version *base = &n->side[BASE], *a = &n->side[OURS], *b = &n->side[THEIRS];
    bool in_the_way = false;
    if (n->gone) return;
    if ((a->mode || b->mode) && (n->folder[OURS] || n->folder[THEIRS]) && folder_stays(n)) {
        int side = n->folder[OURS] ? THEIRS : OURS;
        char *to = beside(n->path, branch(side));
        tell(to, false, "CONFLICT (file/directory): directory in the way of %s from %s; moving it to %s instead.", n->path, branch(side), to);
        n->path = to;
        in_the_way = true;
    }
    bool one_side = !a->mode != !b->mode;
    if (same(a, b)) {
        n->result = *a;
        n->clean = a->mode || !n->odd;
    } else if (base->mode && one_side) {
        int side = a->mode ? OURS : THEIRS;
        bool unchanged = same(base, &n->side[side]);
        n->clean = unchanged && !n->odd && !in_the_way;
        n->result = n->clean ? (version){0} : n->side[side];
        if (!unchanged)
            tell(n->path, false, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.", n->path,
                 branch(OURS + THEIRS - side), branch(side), branch(side), n->path);
    } else if (one_side) {
        n->result = a->mode ? *a : *b;
        n->clean = !n->odd && !in_the_way;
    } else if (same(base, a) || same(base, b)) {
        n->result = same(base, a) ? *b : *a;
        n->clean = !n->odd;
    } else if (kind(a) != kind(b)) {
        distinct_types(n);
        return;
    } else {
        n->clean = merge_content(n->path, base, a, b, 0, &n->result);
        if (!n->clean)
            tell(n->path, false, "CONFLICT (%s): Merge conflict in %s",
                 !base->mode ? "add/add" : a->mode == GIT_FILEMODE_COMMIT ? "submodule" : "content", n->path);
        n->clean &= !n->odd;
    }
    settle(n->path, &n->result);
    if (!n->clean) keep_conflict(n);
}

static int by_note(const void *a, const void *b) { return strcmp(((const merge_note *)a)->path, ((const merge_note *)b)->path); }
static int by_conflict(const void *a, const void *b) {
    return strcmp(((const merge_conflict *)a)->path, ((const merge_conflict *)b)->path);
}

/* qsort() may change the order of what is equal. */
static void sort_notes(void) {
    for (size_t i = 1; i < plan->note_count; i++)
        for (size_t k = i; k && by_note(&plan->notes[k - 1], &plan->notes[k]) > 0; k--) {
            merge_note held = plan->notes[k];
            plan->notes[k] = plan->notes[k - 1];
            plan->notes[k - 1] = held;
        }
}

bool merge_plan_make(const merge_job *job_, merge_plan *plan_) {
    job = job_;
    plan = plan_;
    *plan = (merge_plan){0};
    node_count = 0;
    collect(OURS, job->ours);
    collect(THEIRS, job->theirs);
    look_up();
    if (!is_needed()) return false;
    follow_renames();
    check(git_index_new(&plan->merged));
    if (job->ours) check(git_index_read_tree(plan->merged, job->ours));
    for (size_t i = 0; i < node_count; i++) git_index_remove(plan->merged, nodes[i].path, 0);
    for (size_t i = node_count; i-- > 0;) resolve(&nodes[i]);
    sort_notes();
    qsort(plan->conflicts, plan->count, sizeof *plan->conflicts, by_conflict);
    return true;
}
