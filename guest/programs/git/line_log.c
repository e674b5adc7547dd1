/*
 * line_log.c: log -L: follows lines from commit to commit, through renames, and shows what changed them.
 */
#include "line_log.h"
#include "diff_color.h"
#include "line_range.h"
#include "line_set.h"

/* Lines of a file as one commit has them; for one that is shown also what they were before. */
typedef struct followed followed;
struct followed {
    char *path, *old_path;
    line_set lines;
    line_changes touched;
    git_oid old_id, new_id; /* old zero: the file is new */
    bool changed;
    followed *next;
};

typedef struct tracked tracked;
struct tracked {
    const rev *r;
    followed *files;
    bool merged; /* several parents have their share: nothing is shown but the commit */
    tracked *next;
};

enum { SLOTS = 1024 };
static tracked *slots[SLOTS];

static tracked *tracked_of(const rev *r) {
    tracked **at = &slots[((uintptr_t)r >> 4) % SLOTS];
    for (; *at; at = &(*at)->next)
        if ((*at)->r == r) return *at;
    *at = g_zalloc(sizeof **at);
    (*at)->r = r;
    return *at;
}

static char *blob_text(const git_oid *id, size_t *len) {
    git_blob *blob;
    *len = 0;
    if (git_oid_is_zero(id) || git_blob_lookup(&blob, repo, id) < 0) return g_copy_string("");
    *len = (size_t)git_blob_rawsize(blob);
    char *text = g_copy_bytes(git_blob_rawcontent(blob), *len);
    git_blob_free(blob);
    return text;
}

static bool find_blob(git_tree *tree, const char *path, git_oid *id) {
    git_tree_entry *entry;
    if (!tree || git_tree_entry_bypath(&entry, tree, path) < 0) return false;
    bool is_blob = git_tree_entry_type(entry) == GIT_OBJECT_BLOB;
    *id = *git_tree_entry_id(entry);
    git_tree_entry_free(entry);
    return is_blob;
}

static followed *file_of(followed **list, const char *path) {
    int order = 1;
    while (*list && (order = strcmp((*list)->path, path)) < 0) list = &(*list)->next;
    if (order == 0) return *list;
    followed *file = g_zalloc(sizeof *file);
    file->path = g_copy_string(path);
    file->next = *list;
    return *list = file;
}

static void add_lines(followed **list, const char *path, const line_set *lines) {
    followed *file = file_of(list, path);
    file->lines = line_set_union(&file->lines, lines);
}

static followed *start;

static int by_begin(const void *a, const void *b) {
    const span_ *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void line_log_start(const string_list *arguments, git_commit *tip) {
    git_tree *tree = tree_of(tip);
    for (int i = 0; i < arguments->count; i++) {
        const char *argument = arguments->items[i], *colon = range_end(argument);
        git_oid id;
        size_t len;
        long first, last;
        if (!colon) die("-L argument not 'start,end:file' or ':funcname:file': %s", argument);
        char *range = g_copy_bytes(argument, (size_t)(colon - argument)), *path = repo_path(colon + 1);
        if (!find_blob(tree, path, &id)) die("There is no path %s in the commit", path);
        char *data = blob_text(&id, &len);
        ranged_text text = lines_of(data, len, path);
        followed *file = file_of(&start, path);
        long anchor = file->lines.count ? file->lines.items[file->lines.count - 1].end + 1 : 1;
        if (!read_range(&text, range, anchor, &first, &last)) die("malformed -L argument '%s'", range);
        if (text.count < first || (!text.count && last))
            die("file %s has only %ld line%s", colon + 1, text.count, text.count == 1 ? "" : "s");
        if (first < 1) first = 1;
        if (last < 1 || last > text.count) last = text.count;
        line_set_add(&file->lines, first - 1, last);
    }
    for (followed *file = start; file; file = file->next) {
        line_set none = {0};
        qsort(file->lines.items, file->lines.count, sizeof *file->lines.items, by_begin);
        file->lines = line_set_union(&file->lines, &none);
    }
}

/* The path that a file had in the parent: another one when this commit renamed it. NULL: it is new. */
static char *path_before(git_tree *old, git_tree *new_, const char *path, git_oid *id) {
    char *found = NULL;
    if (find_blob(old, path, id)) return g_copy_string(path);
    if (!old) return NULL;
    diff_opts saved = diffs;
    diffs.paths.count = 0;
    diffs.order_file = diffs.rotate_to = diffs.skip_to = NULL;
    diffs.reverse = 0;
    git_diff *diff = diff_trees(old, new_);
    diffs = saved;
    for (size_t i = 0; i < git_diff_num_deltas(diff) && !found; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if ((d->status != GIT_DELTA_RENAMED && d->status != GIT_DELTA_COPIED) || strcmp(d->new_file.path, path) != 0) continue;
        found = g_copy_string(d->old_file.path);
        *id = d->old_file.id;
    }
    git_diff_free(diff);
    return found;
}

/* Where the lines were in one parent (NULL: none), into `out`; whether any changed. `note_`: keeps how. */
static bool step(tracked *here, git_tree *old, git_tree *new_, followed **out, bool note_) {
    bool changed = false;
    for (followed *file = here->files; file; file = file->next) {
        git_oid old_id = {0}, new_id;
        line_changes touched = {{0}, {0}};
        if (!file->lines.count) continue;
        if (!find_blob(new_, file->path, &new_id)) {
            add_lines(out, file->path, &file->lines);
            continue;
        }
        char *before = path_before(old, new_, file->path, &old_id);
        if (before && git_oid_equal(&old_id, &new_id)) {
            add_lines(out, before, &file->lines);
            continue;
        }
        size_t old_len, new_len;
        char *old_text = blob_text(&old_id, &old_len), *new_text = blob_text(&new_id, &new_len);
        line_changes changes = line_changes_of(old_text, old_len, new_text, new_len);
        line_set lines = line_set_before(&file->lines, &changes, &touched);
        add_lines(out, before ? before : file->path, &lines);
        if (touched.new_.count) {
            changed = true;
            if (note_) {
                file->changed = true;
                file->old_path = before ? before : file->path;
                file->touched = touched;
                file->old_id = old_id;
                file->new_id = new_id;
            }
        }
        free(old_text);
        free(new_text);
    }
    return changed;
}

static git_tree *parent_tree(rev *parent) {
    rev_parse(parent);
    return tree_of(parent->commit);
}

static void pass_on(rev *parent, const followed *files) {
    for (; files; files = files->next) add_lines(&tracked_of(parent)->files, files->path, &files->lines);
}

/* Of a merge one parent that has all the lines as they are is followed alone. */
static bool step_merge(rev *r, tracked *here) {
    followed **shares = g_zalloc(r->count * sizeof *shares);
    for (unsigned i = 0; i < r->count; i++) {
        if (step(here, parent_tree(r->parents[i]), tree_of(r->commit), &shares[i], false)) continue;
        pass_on(r->parents[i], shares[i]);
        r->parents[0] = r->parents[i];
        r->count = 1;
        return false;
    }
    for (unsigned i = 0; i < r->count; i++) pass_on(r->parents[i], shares[i]);
    here->merged = true;
    return true;
}

void line_log_narrow(rev **items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rev *r = items[i];
        tracked *here = tracked_of(r);
        bool changed = false;
        if (!i) here->files = start;
        if (here->files && r->count > 1) {
            changed = step_merge(r, here);
        } else if (here->files) {
            followed *before = NULL;
            changed = step(here, r->count ? parent_tree(r->parents[0]) : NULL, tree_of(r->commit), &before, true);
            if (r->count) pass_on(r->parents[0], before);
            here->merged = changed && git_commit_parentcount(r->commit) > 1; /* --first-parent */
        }
        r->same = !changed;
    }
}

static void add_line(g_text *out, const ranged_text *text, long at, char mark) {
    if (at < 0 || at >= text->count) return;
    const range_line *line = &text->lines[at];
    size_t before = out->len;
    g_text_addc(out, mark);
    g_text_add(out, line->s, line->len);
    diff_paint(out, before, mark == ' ' ? PART_CONTEXT : mark == '-' ? PART_OLD : PART_NEW);
    g_text_addc(out, '\n');
    if (at == text->count - 1 && text->unended) g_text_adds(out, "\\ No newline at end of file\n");
}

/* One range of lines with the changes k … within it. */
static void add_hunk(g_text *out, const followed *file, span_ lines, size_t k, const ranged_text *old, const ranged_text *new_) {
    const line_set *to = &file->touched.new_, *from = &file->touched.old;
    size_t last = k;
    long at = lines.begin;
    while (last + 1 < to->count && to->items[last + 1].begin < lines.end) last++;
    long old_begin = from->items[k].begin, old_end = from->items[last].end;
    if (lines.begin < to->items[k].begin) old_begin -= to->items[k].begin - lines.begin;
    if (lines.end > to->items[last].end) old_end += lines.end - to->items[last].end;
    if (!old_begin && !old_end) old_begin = old_end = -1;
    size_t before = out->len;
    g_text_addf(out, "@@ -%ld,%ld +%ld,%ld @@", old_begin + 1, old_end - old_begin, lines.begin + 1, lines.end - lines.begin);
    diff_paint(out, before, PART_FRAG);
    g_text_addc(out, '\n');
    for (; k < to->count && to->items[k].begin < lines.end; k++) {
        for (; at < to->items[k].begin; at++) add_line(out, new_, at, ' ');
        for (long i = from->items[k].begin; i < from->items[k].end; i++) add_line(out, old, i, '-');
        for (; at < to->items[k].end && at < lines.end; at++) add_line(out, new_, at, '+');
    }
    for (; at < lines.end; at++) add_line(out, new_, at, ' ');
}

static void add_file(g_text *out, const followed *file) {
    size_t old_len, new_len, before = out->len, k = 0;
    char *old_data = blob_text(&file->old_id, &old_len), *new_data = blob_text(&file->new_id, &new_len);
    ranged_text old = lines_of(old_data, old_len, file->old_path), new_ = lines_of(new_data, new_len, file->path);
    bool is_new = git_oid_is_zero(&file->old_id);
    g_text_addf(out, "diff --git a/%s b/%s\n", file->old_path, file->path);
    g_text_addf(out, "--- %s%s\n+++ b/%s\n", is_new ? "" : "a/", is_new ? "/dev/null" : file->old_path, file->path);
    diff_paint(out, before, PART_META);
    const line_set *to = &file->touched.new_;
    for (size_t i = 0; i < file->lines.count; i++) {
        span_ lines = file->lines.items[i];
        while (k < to->count && to->items[k].end < lines.begin) k++;
        if (k == to->count || to->items[k].begin >= lines.end) continue;
        add_hunk(out, file, lines, k, &old, &new_);
        while (k < to->count && to->items[k].begin < lines.end) k++;
    }
    free(old_data);
    free(new_data);
    free(old.lines);
    free(new_.lines);
}

void line_log_write(g_text *out, const rev *r) {
    const tracked *here = tracked_of(r);
    g_text_addc(out, '\n');
    if (here->merged) return;
    for (const followed *file = here->files; file; file = file->next)
        if (file->changed) add_file(out, file);
}
