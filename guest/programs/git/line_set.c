/*
 * line_set.c: see line_set.h.
 */
#include "line_set.h"

void line_set_add(line_set *set, long begin, long end) {
    if (set->count == set->cap) set->items = g_more(set->items, &set->cap, sizeof *set->items);
    set->items[set->count++] = (span_){begin, end};
}

line_set line_set_union(const line_set *a, const line_set *b) {
    line_set out = {0};
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        bool first = k == b->count;
        if (i < a->count && k < b->count) {
            span_ x = a->items[i], y = b->items[k];
            first = x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
        }
        span_ next = first ? a->items[i++] : b->items[k++];
        span_ *last = out.count ? &out.items[out.count - 1] : NULL;
        if (next.begin == next.end) continue;
        if (!last || last->end < next.begin) line_set_add(&out, next.begin, next.end);
        else if (last->end < next.end) last->end = next.end;
    }
    return out;
}

static line_set difference(const line_set *a, const line_set *b) {
    line_set out = {0};
    size_t k = 0;
    for (size_t i = 0; i < a->count; i++) {
        long begin = a->items[i].begin, end = a->items[i].end;
        while (begin < end) {
            while (k < b->count && begin >= b->items[k].end) k++;
            if (k == b->count || end <= b->items[k].begin) {
                line_set_add(&out, begin, end);
                break;
            }
            if (begin < b->items[k].begin) line_set_add(&out, begin, b->items[k].begin);
            begin = b->items[k].end;
        }
    }
    return out;
}

/* Lines that did not change, where they were before. */
static line_set shifted(const line_set *set, const line_changes *changes) {
    line_set out = {0};
    long offset = 0;
    size_t k = 0;
    for (size_t i = 0; i < set->count; i++) {
        for (; k < changes->new_.count && set->items[i].begin >= changes->new_.items[k].begin; k++)
            offset += (changes->old.items[k].end - changes->old.items[k].begin) -
                      (changes->new_.items[k].end - changes->new_.items[k].begin);
        line_set_add(&out, set->items[i].begin + offset, set->items[i].end + offset);
    }
    return out;
}

line_set line_set_before(const line_set *set, const line_changes *changes, line_changes *touched) {
    *touched = (line_changes){{0}, {0}};
    for (size_t i = 0, k = 0; i < changes->new_.count && set->count; i++) {
        span_ change = changes->new_.items[i];
        while (k < set->count && change.begin > set->items[k].end) k++;
        if (k == set->count) break;
        if (change.end <= set->items[k].begin || set->items[k].end <= change.begin) continue;
        line_set_add(&touched->old, changes->old.items[i].begin, changes->old.items[i].end);
        line_set_add(&touched->new_, change.begin, change.end);
    }
    line_set kept = difference(set, &touched->new_);
    line_set before = shifted(&kept, changes);
    line_set all = line_set_union(&before, &touched->old);
    free(kept.items);
    free(before.items);
    return all;
}

line_changes line_changes_of(const char *old, size_t old_len, const char *new_, size_t new_len) {
    line_changes out = {{0}, {0}};
    git_patch *patch;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.context_lines = 0;
    o.flags = GIT_DIFF_FORCE_TEXT;
    check(git_patch_from_buffers(&patch, old, old_len, "file", new_, new_len, "file", &o));
    for (size_t h = 0; h < git_patch_num_hunks(patch); h++) {
        const git_diff_hunk *hunk;
        check(git_patch_get_hunk(&hunk, NULL, patch, h));
        /* a side without lines stands behind the line that it names */
        long old_at = hunk->old_lines ? hunk->old_start - 1 : hunk->old_start;
        long new_at = hunk->new_lines ? hunk->new_start - 1 : hunk->new_start;
        line_set_add(&out.old, old_at, old_at + hunk->old_lines);
        line_set_add(&out.new_, new_at, new_at + hunk->new_lines);
    }
    git_patch_free(patch);
    return out;
}
