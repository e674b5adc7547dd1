/*
 * merge.c: three-way merges into the index and the working tree.
 */
#include "merge_plan.h"
#include "checkout.h"
#include "diff.h"

static const git_oid *id_in(git_tree *tree, const char *path, git_oid *id) {
    git_tree_entry *e;
    if (!tree || git_tree_entry_bypath(&e, tree, path) < 0) return NULL;
    *id = *git_tree_entry_id(e);
    git_tree_entry_free(e);
    return id;
}

/* Whether both sides changed the file, each in its own way. */
static bool both_changed(const merge_job *job, const char *path) {
    git_oid base, ours, theirs;
    const git_oid *b = id_in(job->base, path, &base), *o = id_in(job->ours, path, &ours), *t = id_in(job->theirs, path, &theirs);
    if (!o || !t || git_oid_equal(o, t)) return false;
    return !b || (!git_oid_equal(b, o) && !git_oid_equal(b, t));
}

typedef merge_conflict conflict;

static conflict *conflicts_of(git_index *index, size_t *count) {
    conflict *list = NULL;
    size_t cap = 0;
    git_index_conflict_iterator *at;
    const git_index_entry *sides[3];
    *count = 0;
    check(git_index_conflict_iterator_new(&at, index));
    while (git_index_conflict_next(&sides[0], &sides[1], &sides[2], at) == 0) {
        if (*count == cap) list = g_more(list, &cap, sizeof *list);
        conflict *c = &list[(*count)++];
        memset(c, 0, sizeof *c);
        for (int i = 0; i < 3; i++) {
            if (!sides[i]) continue;
            c->side[i] = *sides[i];
            c->have[i] = true;
            if (!c->path) c->path = g_copy_string(sides[i]->path);
            c->side[i].path = c->path;
        }
    }
    git_index_conflict_iterator_free(at);
    return list;
}

static void say(const merge_job *job, const conflict *c) {
    if (job->quiet) return;
    if (c->have[1] && c->have[2])
        g_outf("CONFLICT (%s): Merge conflict in %s\n", c->have[0] ? "content" : "add/add", c->path);
    else if (c->have[1])
        g_outf("CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.\n", c->path,
               job->their_label, job->our_label, job->our_label, c->path);
    else if (c->have[2])
        g_outf("CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.\n", c->path,
               job->our_label, job->their_label, job->their_label, c->path);
}

uint32_t merge_style(const char *name) {
    const char *style = name ? name : config_string("merge.conflictstyle");
    if (style && strcmp(style, "diff3") == 0) return GIT_MERGE_FILE_STYLE_DIFF3;
    return style && strcmp(style, "zdiff3") == 0 ? GIT_MERGE_FILE_STYLE_ZDIFF3 : 0;
}

static void write_conflict(const merge_job *job, const conflict *c) {
    git_merge_file_options o = GIT_MERGE_FILE_OPTIONS_INIT;
    git_merge_file_result result = {0};
    if (!c->have[1] || !c->have[2]) {
        checkout_entry(c->have[1] ? &c->side[1] : &c->side[2]);
        return;
    }
    o.our_label = job->our_label;
    o.their_label = job->their_label;
    o.ancestor_label = job->base_label ? job->base_label : "ancestor";
    o.flags |= merge_style(NULL);
    bool text = git_merge_file_from_index(&result, repo, c->have[0] ? &c->side[0] : NULL, &c->side[1], &c->side[2], &o) == 0;
    if (!text || !result.ptr) {
        if (!job->quiet) warning("Cannot merge binary files: %s (%s vs. %s)", c->path, job->our_label, job->their_label);
        checkout_entry(&c->side[1]);
        return;
    }
    checkout_entry(&c->side[1]); /* its mode */
    write_file(in_workdir(c->path), result.ptr, result.len);
    git_merge_file_result_free(&result);
}

void merge_both_changed(const merge_job *job, string_list *paths) {
    git_diff *diff;
    check(git_diff_tree_to_tree(&diff, repo, job->base, job->theirs, NULL));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const char *path = git_diff_get_delta(diff, i)->new_file.path;
        if (both_changed(job, path)) list_add(paths, path);
    }
    git_diff_free(diff);
}

static enum merge_outcome carry_out(const merge_job *job, const merge_plan *plan, git_oid *tree, string_list *names) {
    git_tree *result;
    check(git_index_write_tree_to(tree, plan->merged, repo));
    check(git_tree_lookup(&result, repo, tree));
    if (!checkout_safely(result, job->by)) return MERGE_REFUSED;
    for (size_t i = 0; i < plan->note_count && !job->quiet; i++)
        if (!plan->notes[i].hint || plan->count || !job->hush) g_outf("%s\n", plan->notes[i].text);
    if (!plan->count) return MERGE_CLEAN;
    git_index *index = index_of_repo();
    for (size_t i = 0; i < plan->count; i++) {
        const merge_conflict *c = &plan->conflicts[i];
        git_index_remove(index, c->path, 0);
        check(git_index_conflict_add(index, c->have[0] ? &c->side[0] : NULL, c->have[1] ? &c->side[1] : NULL, c->have[2] ? &c->side[2] : NULL));
        list_add(names, c->path);
    }
    check(git_index_write(index));
    return MERGE_CONFLICTS;
}

enum merge_outcome merge_trees(const merge_job *job, git_oid *tree, string_list *names) {
    merge_plan plan;
    if (merge_plan_make(job, &plan)) return carry_out(job, &plan, tree, names);
    git_merge_options o = GIT_MERGE_OPTIONS_INIT;
    git_index *merged, *index;
    git_tree *result;
    size_t count;
    o.flags = GIT_MERGE_FIND_RENAMES;
    o.metric = &diff_metric;
    o.file_favor = (git_merge_file_favor_t)job->favor;
    check(git_merge_trees(&merged, repo, job->base, job->ours, job->theirs, &o));
    conflict *list = conflicts_of(merged, &count);
    string_list mixed = {0};
    for (size_t i = 0; i < git_index_entrycount(merged); i++) {
        const char *path = git_index_get_byindex(merged, i)->path;
        if (mixed.count && strcmp(mixed.items[mixed.count - 1], path) == 0) continue;
        if (both_changed(job, path)) list_add(&mixed, path);
    }
    for (size_t i = 0; i < count; i++) {
        git_index_conflict_remove(merged, list[i].path);
        git_index_entry kept = list[i].side[1];
        kept.flags = 0;
        if (list[i].have[1]) check(git_index_add(merged, &kept));
    }
    check(git_index_write_tree_to(tree, merged, repo));
    check(git_tree_lookup(&result, repo, tree));
    if (!checkout_safely(result, job->by)) return MERGE_REFUSED;
    size_t next = 0;
    for (int i = 0; i < mixed.count || next < count;) {
        int order = i >= mixed.count ? 1 : next >= count ? -1 : strcmp(mixed.items[i], list[next].path);
        if (order <= 0 && !job->quiet && (count || !job->hush)) g_outf("Auto-merging %s\n", mixed.items[i]);
        if (order >= 0) say(job, &list[next]);
        i += order <= 0;
        next += order >= 0;
    }
    if (!count) return MERGE_CLEAN;
    index = index_of_repo();
    for (size_t i = 0; i < count; i++) {
        conflict *c = &list[i];
        write_conflict(job, c);
        for (int k = 0; k < 3; k++) c->side[k].flags = 0;
        git_index_remove(index, c->path, 0);
        check(git_index_conflict_add(index, c->have[0] ? &c->side[0] : NULL, c->have[1] ? &c->side[1] : NULL, c->have[2] ? &c->side[2] : NULL));
        list_add(names, c->path);
    }
    check(git_index_write(index));
    return MERGE_CONFLICTS;
}

void add_conflicts(g_text *message, const string_list *conflicts) {
    g_text_adds(message, "\n# Conflicts:\n");
    for (int i = 0; i < conflicts->count; i++) g_text_addf(message, "#\t%s\n", conflicts->items[i]);
}
