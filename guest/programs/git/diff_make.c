/*
 * diff_make.c: differences of trees, the index and the working tree, with renames measured as git
 * measures them.
 */
#include "diff.h"

#include <fcntl.h>
#include <unistd.h>

#include "g_in.h"

/* ---- similarity: how much of the old content is in the new one, by lines (or 64 bytes) */

enum { CHUNK = 64, BUCKETS = 107927 };

typedef struct {
    uint32_t hash, bytes;
} span;
typedef struct {
    span *spans;
    size_t count, size;
} signature;

static int by_hash(const void *a, const void *b) {
    const span *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static int measure(void **out, const git_diff_file *file, const char *buf, size_t len, void *payload) {
    signature *s = g_zalloc(sizeof *s);
    size_t cap = 0, n = 0;
    uint32_t one = 0, two = 0;
    bool text = !memchr(buf, 0, len < 8000 ? len : 8000);
    (void)file, (void)payload;
    s->size = len;
    for (size_t i = 0; i < len; i++) {
        uint32_t c = (unsigned char)buf[i], old = one;
        if (text && c == '\r' && i + 1 < len && buf[i + 1] == '\n') continue;
        one = (one << 7) ^ (two >> 25);
        two = (two << 7) ^ (old >> 25);
        one += c;
        if (++n < CHUNK && c != '\n') continue;
        if (s->count == cap) s->spans = g_more(s->spans, &cap, sizeof *s->spans);
        s->spans[s->count++] = (span){(one + two * 0x61) % BUCKETS, (uint32_t)n};
        n = one = two = 0;
    }
    qsort(s->spans, s->count, sizeof *s->spans, by_hash);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (kept && s->spans[kept - 1].hash == s->spans[i].hash) s->spans[kept - 1].bytes += s->spans[i].bytes;
        else s->spans[kept++] = s->spans[i];
    }
    s->count = kept;
    *out = s;
    return 0;
}

static int measure_file(void **out, const git_diff_file *file, const char *path, void *payload) {
    size_t len;
    char *text = read_file(path, &len);
    if (!text) return GIT_EBUFS;
    int rc = measure(out, file, text, len, payload);
    free(text);
    return rc;
}

static void release(void *sig, void *payload) {
    (void)payload;
    free(((signature *)sig)->spans);
    free(sig);
}

static int similarity(int *score, void *a, void *b, void *payload) {
    signature *old = a, *new_ = b;
    size_t larger = old->size > new_->size ? old->size : new_->size, copied = 0, j = 0;
    (void)payload;
    for (size_t i = 0; i < old->count; i++) {
        while (j < new_->count && new_->spans[j].hash < old->spans[i].hash) j++;
        if (j == new_->count || new_->spans[j].hash != old->spans[i].hash) continue;
        copied += old->spans[i].bytes < new_->spans[j].bytes ? old->spans[i].bytes : new_->spans[j].bytes;
    }
    *score = larger ? (int)((uint64_t)copied * 60000 / larger * 100 / 60000) : 0;
    return 0;
}

void diff_copied(const char *old, size_t old_len, const char *new_, size_t new_len, size_t *kept, size_t *added) {
    void *sides[2];
    size_t k = 0;
    measure(&sides[0], NULL, old, old_len, NULL);
    measure(&sides[1], NULL, new_, new_len, NULL);
    signature *one = sides[0], *two = sides[1];
    *kept = *added = 0;
    for (size_t i = 0; i < one->count; i++) {
        for (; k < two->count && two->spans[k].hash < one->spans[i].hash; k++) *added += two->spans[k].bytes;
        uint32_t had = one->spans[i].bytes, has = 0;
        if (k < two->count && two->spans[k].hash == one->spans[i].hash) has = two->spans[k++].bytes;
        *kept += had < has ? had : has;
        if (has > had) *added += has - had;
    }
    for (; k < two->count; k++) *added += two->spans[k].bytes;
    release(one, NULL);
    release(two, NULL);
}

git_diff_similarity_metric diff_metric = {measure_file, measure, release, similarity, NULL};

/* ---- making them */

static int limit(const git_diff *so_far, const git_diff_delta *delta, const char *matched, void *payload) {
    (void)so_far, (void)matched, (void)payload;
    bool old = delta->status != GIT_DELTA_ADDED && delta->old_file.path;
    return !pathspec_match(&diffs.paths, old ? delta->old_file.path : delta->new_file.path);
}

/* Lines of context, more than any file has; libgit2 doubles it in a long, which has 32 bits inside. */
enum { WHOLE_FILE = 1 << 28 };

static git_diff_options make_options(void) {
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.flags = diffs.flags | GIT_DIFF_INCLUDE_TYPECHANGE;
    if (diffs.text) o.flags |= GIT_DIFF_FORCE_TEXT;
    if (diffs.binary) o.flags |= GIT_DIFF_SHOW_BINARY;
    if (diffs.reverse) o.flags |= GIT_DIFF_REVERSE;
    if (diffs.renames == 3) o.flags |= GIT_DIFF_INCLUDE_UNMODIFIED;
    o.context_lines = diffs.functions ? (uint32_t)WHOLE_FILE : (uint32_t)diffs.context;
    o.interhunk_lines = (uint32_t)diffs.interhunk;
    o.id_abbrev = 7;
    o.max_size = -1;
    o.notify_cb = diffs.paths.count ? limit : NULL;
    return o;
}

static git_diff *finish(git_diff *diff) {
    git_diff_find_options find = GIT_DIFF_FIND_OPTIONS_INIT;
    if (!diffs.renames) {
        diff_arrange(diff);
        return diff;
    }
    find.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_REMOVE_UNMODIFIED;
    if (diffs.renames >= 2) find.flags |= GIT_DIFF_FIND_COPIES;
    if (diffs.renames == 3) find.flags |= GIT_DIFF_FIND_COPIES_FROM_UNMODIFIED;
    if (diffs.rename_score >= 100) find.flags |= GIT_DIFF_FIND_EXACT_MATCH_ONLY;
    find.rename_threshold = find.copy_threshold = (uint16_t)diffs.rename_score;
    find.rename_limit = 1000;
    find.metric = &diff_metric;
    check(git_diff_find_similar(diff, &find));
    diff_arrange(diff);
    return diff;
}

git_diff *diff_trees(git_tree *old, git_tree *new_) {
    git_diff *diff;
    git_diff_options o = make_options();
    check(git_diff_tree_to_tree(&diff, repo, old, new_, &o));
    return finish(diff);
}

git_diff *diff_tree_index(git_tree *old) {
    git_diff *diff;
    git_diff_options o = make_options();
    check(git_diff_tree_to_index(&diff, repo, old, without_intents(index_of_repo()), &o));
    return finish(diff);
}

/* An index in memory with one file. */
static git_index *one_file(const git_oid *id, unsigned mode) {
    git_index *index;
    git_index_entry e = {.path = "file", .mode = mode, .id = *id};
    check(git_index_new(&index));
    check(git_index_add(index, &e));
    return index;
}

/* "HEAD:path" has the path's mode; a name alone stands for itself. */
static git_index *named_blob(const char *name, const char **path) {
    git_object *object = object_named(name);
    const char *colon = strchr(name, ':');
    unsigned mode = GIT_FILEMODE_BLOB;
    *path = colon ? g_copy_string(colon + 1) : g_copy_string(name);
    git_tree *tree = colon && colon > name ? tree_named(g_copy_bytes(name, (size_t)(colon - name))) : NULL;
    git_tree_entry *entry;
    if (colon) {
        char *full = strncmp(colon + 1, "./", 2) == 0 || strncmp(colon + 1, "../", 3) == 0 ? repo_path(colon + 1) : g_copy_string(colon + 1);
        *path = full;
        if (tree && git_tree_entry_bypath(&entry, tree, full) == 0) mode = git_tree_entry_filemode(entry);
    }
    return one_file(git_object_id(object), mode);
}

git_diff *diff_blobs(const char *old_name, const char *new_name) {
    git_diff *diff;
    git_diff_options o = make_options();
    const char *old_path, *new_path;
    git_index *old = named_blob(old_name, &old_path), *new_ = named_blob(new_name, &new_path);
    check(git_diff_index_to_index(&diff, repo, old, new_, &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        git_diff_delta *d = (git_diff_delta *)git_diff_get_delta(diff, i);
        d->old_file.path = diffs.reverse ? new_path : old_path;
        d->new_file.path = diffs.reverse ? old_path : new_path;
    }
    return diff;
}

/* ---- in the middle of a conflict libgit2 says only that there is one */

git_diff *diff_conflicts;

/* The stage of a path in conflict that is looked at: the one asked for, else ours or what there is. */
static const git_index_entry *chosen(int stage, const git_index_entry *base, const git_index_entry *ours,
                                     const git_index_entry *theirs) {
    if (stage) return stage == 1 ? base : stage == 2 ? ours : theirs;
    return ours ? ours : theirs;
}

/* An index in memory without conflicts: a stage for each, and everything else with `whole`. */
static git_index *settled_index(int stage, bool whole) {
    git_index *from = index_of_repo(), *to;
    git_index_conflict_iterator *conflicts;
    const git_index_entry *base, *ours, *theirs;
    check(git_index_new(&to));
    for (size_t i = 0; whole && i < git_index_entrycount(from); i++) {
        const git_index_entry *e = git_index_get_byindex(from, i);
        if (git_index_entry_stage(e) == 0) check(git_index_add(to, e));
    }
    check(git_index_conflict_iterator_new(&conflicts, from));
    while (git_index_conflict_next(&base, &ours, &theirs, conflicts) == 0) {
        const git_index_entry *e = chosen(stage, base, ours, theirs);
        if (!e) continue;
        git_index_entry settled = *e;
        settled.flags &= (uint16_t)~GIT_INDEX_ENTRY_STAGEMASK;
        check(git_index_add(to, &settled));
    }
    git_index_conflict_iterator_free(conflicts);
    return to;
}

git_diff *diff_index_workdir(void) {
    git_diff *diff;
    git_diff_options o = make_options();
    if (git_index_has_conflicts(index_of_repo()))
        check(git_diff_index_to_workdir(&diff_conflicts, repo, settled_index(diffs.stage ? diffs.stage : 2, false), &o));
    o.flags |= GIT_DIFF_UPDATE_INDEX;
    check(git_diff_index_to_workdir(&diff, repo, index_of_repo(), &o));
    settle_intents(diff, index_of_repo(), diffs.reverse);
    return finish(diff);
}

git_diff *diff_tree_workdir(git_tree *old) {
    git_diff *diff, *rest;
    git_diff_options o = make_options();
    if (git_index_has_conflicts(index_of_repo())) {
        git_index *settled = settled_index(0, true);
        check(git_diff_tree_to_index(&diff, repo, old, settled, &o));
        check(git_diff_index_to_workdir(&rest, repo, settled, &o));
        check(git_diff_merge(diff, rest));
        return finish(diff);
    }
    check(git_diff_tree_to_workdir_with_index(&diff, repo, old, &o));
    return finish(diff);
}
