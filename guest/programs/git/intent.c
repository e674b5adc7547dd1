/*
 * intent.c: files of which only the name is in the index (git add -N): there they count as absent, in the
 * working tree as new. libgit2 takes them for empty files.
 */
#include "git.h"

static bool is_intent(const git_index_entry *e) { return e && (e->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD); }

bool has_intents(git_index *index) {
    for (size_t i = 0; i < git_index_entrycount(index); i++)
        if (is_intent(git_index_get_byindex(index, i))) return true;
    return false;
}

bool intended(git_index *index, const char *path) { return is_intent(git_index_get_bypath(index, path, 0)); }

git_index *without_intents(git_index *index) {
    git_index *rest;
    if (!has_intents(index)) return index;
    check(git_index_new(&rest));
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!is_intent(e)) check(git_index_add(rest, e));
    }
    return rest;
}

void settle_intents(git_diff *diff, git_index *index, bool reversed) {
    if (!has_intents(index)) return;
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        git_diff_delta *d = (git_diff_delta *)git_diff_get_delta(diff, i);
        if (d->status != GIT_DELTA_MODIFIED || !intended(index, d->new_file.path)) continue;
        git_diff_file *absent = reversed ? &d->new_file : &d->old_file;
        d->status = reversed ? GIT_DELTA_DELETED : GIT_DELTA_ADDED;
        absent->mode = 0;
        absent->flags &= ~(uint32_t)GIT_DIFF_FLAG_EXISTS;
        memset(&absent->id, 0, sizeof absent->id);
    }
}
