/*
 * status.c: collects what status.h says: HEAD against the index, the index against the working tree.
 */
#include "status.h"

static change *change_of(status_list *list, const char *path) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->changes[i].path, path) == 0) return &list->changes[i];
    if (list->count == list->cap) list->changes = g_more(list->changes, &list->cap, sizeof *list->changes);
    change *c = &list->changes[list->count++];
    memset(c, 0, sizeof *c);
    c->path = g_copy_string(path);
    c->x = c->y = ' ';
    return c;
}

static void add_staged(status_list *list, git_diff *diff) {
    size_t count = git_diff_num_deltas(diff);
    for (size_t i = 0; i < count; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (d->status == GIT_DELTA_CONFLICTED || d->status == GIT_DELTA_UNMODIFIED) continue;
        if (list->count == list->cap) list->changes = g_more(list->changes, &list->cap, sizeof *list->changes);
        change *c = &list->changes[list->count++];
        memset(c, 0, sizeof *c);
        c->path = g_copy_string(d->status == GIT_DELTA_DELETED ? d->old_file.path : d->new_file.path);
        c->x = diff_letter(d);
        c->y = ' ';
        c->mode_head = d->status == GIT_DELTA_ADDED ? 0 : d->old_file.mode;
        c->mode_index = c->mode_tree = d->status == GIT_DELTA_DELETED ? 0 : d->new_file.mode;
        if (c->mode_head) c->id_head = d->old_file.id;
        if (c->mode_index) c->id_index = d->new_file.id;
        if (c->x == 'R' || c->x == 'C') {
            c->from = g_copy_string(d->old_file.path);
            c->score = diff_similarity(d);
        }
    }
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const change *)a)->path, ((const change *)b)->path);
}

static void add_unstaged(status_list *list, git_diff *diff, pathspec *paths) {
    size_t count = git_diff_num_deltas(diff), staged = list->count;
    for (size_t i = 0; i < count; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (d->status == GIT_DELTA_UNTRACKED || d->status == GIT_DELTA_IGNORED) {
            bool ignored = d->status == GIT_DELTA_IGNORED;
            if (!pathspec_match(paths, d->new_file.path) && !pathspec_below(paths, d->new_file.path)) continue;
            list_add(ignored ? &list->ignored : &list->untracked, d->new_file.path);
            continue;
        }
        if (d->status == GIT_DELTA_CONFLICTED || d->status == GIT_DELTA_UNMODIFIED ||
            d->status == GIT_DELTA_UNREADABLE)
            continue;
        if (!pathspec_match(paths, d->old_file.path)) continue;
        change key = {.path = (char *)d->old_file.path};
        change *c = staged ? bsearch(&key, list->changes, staged, sizeof key, by_path) : NULL;
        if (!c) {
            if (list->count == list->cap) list->changes = g_more(list->changes, &list->cap, sizeof *list->changes);
            c = &list->changes[list->count++];
            memset(c, 0, sizeof *c);
            c->path = g_copy_string(d->old_file.path);
            c->x = ' ';
            c->mode_head = c->mode_index = d->old_file.mode;
            c->id_head = c->id_index = d->old_file.id;
        }
        c->y = diff_letter(d);
        c->mode_tree = c->y == 'D' ? 0 : d->new_file.mode;
    }
}

static void add_conflicts(status_list *list, git_index *index, pathspec *paths) {
    git_index_conflict_iterator *at;
    const git_index_entry *sides[3];
    if (!git_index_has_conflicts(index)) return;
    check(git_index_conflict_iterator_new(&at, index));
    while (git_index_conflict_next(&sides[0], &sides[1], &sides[2], at) == 0) {
        int which = (sides[0] != NULL) | (sides[1] != NULL) << 1 | (sides[2] != NULL) << 2;
        static const char codes[8][3] = {"  ", "DD", "AU", "UD", "UA", "DU", "AA", "UU"};
        const char *path = sides[0] ? sides[0]->path : sides[1] ? sides[1]->path : sides[2]->path;
        if (!pathspec_match(paths, path)) continue;
        change *c = change_of(list, path);
        c->unmerged = true;
        c->x = codes[which][0];
        c->y = codes[which][1];
        for (int i = 0; i < 3; i++) {
            if (!sides[i]) continue;
            c->modes[i] = sides[i]->mode;
            c->ids[i] = sides[i]->id;
        }
        c->mode_tree = file_exists(in_workdir(path)) ? (sides[1] ? sides[1]->mode : 0100644) : 0;
    }
    git_index_conflict_iterator_free(at);
}

bool status_no_renames;

void status_collect(status_list *list, git_tree *against, int untracked, bool ignored, pathspec *paths) {
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    git_diff *diff;
    git_index *index = index_of_repo();
    memset(list, 0, sizeof *list);
    diff_defaults();
    diffs.paths = *paths;
    if (status_no_renames) diffs.renames = 0;
    list->initial = !head_commit();
    diff = diff_tree_index(against);
    add_staged(list, diff);
    git_diff_free(diff);
    if (list->count > 1) qsort(list->changes, list->count, sizeof *list->changes, by_path);
    o.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
    if (!status_of_commit) o.flags |= GIT_DIFF_UPDATE_INDEX; /* a commit's is not to be written yet */
    if (untracked != UNTRACKED_NO) o.flags |= GIT_DIFF_INCLUDE_UNTRACKED;
    if (untracked == UNTRACKED_ALL) o.flags |= GIT_DIFF_RECURSE_UNTRACKED_DIRS;
    if (ignored) o.flags |= GIT_DIFF_INCLUDE_IGNORED;
    check(git_diff_index_to_workdir(&diff, repo, index, &o));
    settle_intents(diff, index, false);
    add_unstaged(list, diff, paths);
    git_diff_free(diff);
    add_conflicts(list, index, paths);
    if (list->count > 1) qsort(list->changes, list->count, sizeof *list->changes, by_path);
}

bool status_staged(const status_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->changes[i].x != ' ' || list->changes[i].unmerged) return true;
    return false;
}

bool status_unmerged(const status_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->changes[i].unmerged) return true;
    return false;
}

bool tracking(const char *branch, char **upstream, size_t *ahead, size_t *behind, bool *gone) {
    git_buf name = {0};
    git_oid here, there;
    char full[1000];
    snprintf(full, sizeof full, "refs/heads/%s", branch);
    if (git_branch_upstream_name(&name, repo, full) < 0) return false;
    *upstream = short_ref(name.ptr);
    *ahead = *behind = 0;
    *gone = git_reference_name_to_id(&there, repo, name.ptr) < 0;
    if (!*gone && git_reference_name_to_id(&here, repo, full) == 0)
        check(git_graph_ahead_behind(ahead, behind, repo, &here, &there));
    git_buf_dispose(&name);
    return true;
}

void add_tracking(g_text *out, const char *branch, bool hints) {
    char *name;
    size_t ahead, behind;
    bool gone;
    if (!tracking(branch, &name, &ahead, &behind, &gone)) return;
    if (gone) {
        g_text_addf(out, "Your branch is based on '%s', but the upstream is gone.\n", name);
        if (hints) g_text_adds(out, "  (use \"git branch --unset-upstream\" to fixup)\n");
    } else if (!ahead && !behind) {
        g_text_addf(out, "Your branch is up to date with '%s'.\n", name);
    } else if (!behind) {
        g_text_addf(out, "Your branch is ahead of '%s' by %zu commit%s.\n", name, ahead, ahead == 1 ? "" : "s");
        if (hints) g_text_adds(out, "  (use \"git push\" to publish your local commits)\n");
    } else if (!ahead) {
        g_text_addf(out, "Your branch is behind '%s' by %zu commit%s, and can be fast-forwarded.\n", name, behind,
                    behind == 1 ? "" : "s");
        if (hints) g_text_adds(out, "  (use \"git pull\" to update your local branch)\n");
    } else {
        g_text_addf(out, "Your branch and '%s' have diverged,\nand have %zu and %zu different commits each, respectively.\n",
                    name, ahead, behind);
        if (hints) g_text_adds(out, "  (use \"git pull\" to merge the remote branch into yours)\n");
    }
    g_text_addc(out, '\n');
}
