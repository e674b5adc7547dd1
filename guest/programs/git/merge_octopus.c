/*
 * merge_octopus.c: several branches in one commit, as git's strategy `octopus` makes it: one after the other, and
 * only the last may be in conflict.
 */
#include "merge.h"
#include "checkout.h"

static bool is_ancestor(const git_oid *of, const git_oid *which) {
    return git_oid_equal(of, which) || git_graph_descendant_of(repo, which, of) == 1;
}

void octopus_reduce(const git_oid *head, octopus *o) {
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++) {
        bool inside = is_ancestor(&o->ids[i], head);
        for (size_t k = 0; k < o->count && !inside; k++)
            inside = k != i && is_ancestor(&o->ids[i], &o->ids[k]) && (k < i || !git_oid_equal(&o->ids[i], &o->ids[k]));
        if (inside) continue;
        o->names[kept] = o->names[i];
        o->ids[kept++] = o->ids[i];
    }
    o->count = kept;
}

bool octopus_holds(const git_oid *head, const octopus *o) {
    for (size_t i = 0; i < o->count; i++)
        if (is_ancestor(head, &o->ids[i])) return true;
    return false;
}

static const char *kind_of(const char *name) {
    git_reference *ref;
    if (git_reference_dwim(&ref, repo, name) < 0) return "commit";
    const char *kind = git_reference_is_branch(ref) ? "branch"
                       : git_reference_is_remote(ref) ? "remote-tracking branch" : git_reference_is_tag(ref) ? "tag" : "commit";
    git_reference_free(ref);
    return kind;
}

/* "branches 'a', 'b' and 'c'" of those of one kind. */
static void add_kind(g_text *text, const octopus *o, const char *kind, const char *plural) {
    const char *names[OCTOPUS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(kind_of(o->names[i]), kind) == 0) names[count++] = o->names[i];
    if (!count) return;
    g_text_addf(text, "%s%s ", text->len > 6 ? ", " : "", count > 1 ? plural : kind);
    for (size_t i = 0; i < count; i++) g_text_addf(text, "%s'%s'", !i ? "" : i + 1 == count ? " and " : ", ", names[i]);
}

char *octopus_message(const octopus *o) {
    g_text text = {0};
    char *branch = current_branch();
    g_text_adds(&text, "Merge ");
    add_kind(&text, o, "branch", "branches");
    add_kind(&text, o, "remote-tracking branch", "remote-tracking branches");
    add_kind(&text, o, "tag", "tags");
    add_kind(&text, o, "commit", "commits");
    if (branch && strcmp(branch, "main") != 0 && strcmp(branch, "master") != 0) g_text_addf(&text, " into %s", branch);
    g_text_addc(&text, '\n');
    return text.s;
}

/* Tells the paths that both changed, whose lines have to be merged. */
static void tell_both_changed(git_tree *base, git_tree *ours, git_tree *theirs) {
    merge_job job = {base, ours, theirs, "", "", "merge", 0, false, false, NULL};
    string_list paths = {0};
    merge_both_changed(&job, &paths);
    if (paths.count) g_outs("Simple merge did not work, trying automatic merge.\n");
    for (int i = 0; i < paths.count; i++) g_outf("Auto-merging %s\n", paths.items[i]);
}

static void tell_conflicts(git_index *merged) {
    const char *last = "";
    for (size_t i = 0; i < git_index_entrycount(merged); i++) {
        const git_index_entry *e = git_index_get_byindex(merged, i);
        if (!GIT_INDEX_ENTRY_STAGE(e) || strcmp(last, e->path) == 0) continue;
        note("ERROR: content conflict in %s", e->path);
        last = e->path;
    }
    note("fatal: merge program failed");
}

enum merge_outcome octopus_merge(git_commit *head, const octopus *o, git_oid *tree, string_list *conflicts) {
    git_oid seen[OCTOPUS_MAX + 1];
    git_tree *now = tree_of(head);
    size_t seen_count = 1;
    bool forwarded = true;
    seen[0] = *git_commit_id(head);
    for (size_t i = 0; i < o->count; i++) {
        git_commit *theirs = commit_of(&o->ids[i]);
        git_merge_options options = GIT_MERGE_OPTIONS_INIT;
        git_index *merged;
        git_oid base;
        memmove(seen + 1, seen, seen_count * sizeof *seen);
        seen[0] = o->ids[i];
        if (git_merge_base_many(&base, repo, seen_count + 1, seen) < 0) {
            g_outf("Unable to find common commit with %s\n", o->names[i]);
            return MERGE_REFUSED;
        }
        if (forwarded && git_oid_equal(&base, &seen[seen_count])) {
            g_outf("Fast-forwarding to: %s\n", o->names[i]);
            seen_count = 1;
            now = tree_of(theirs);
            continue;
        }
        forwarded = false;
        seen_count++;
        g_outf("Trying simple merge with %s\n", o->names[i]);
        git_tree *from = tree_of(commit_of(&base));
        options.flags = 0;
        check(git_merge_trees(&merged, repo, from, now, tree_of(theirs), &options));
        tell_both_changed(from, now, tree_of(theirs));
        if (git_index_has_conflicts(merged)) {
            if (i + 1 < o->count) {
                tell_conflicts(merged);
                g_outs("Automated merge did not work.\nShould not be doing an octopus.\n");
                return MERGE_REFUSED;
            }
            merge_job job = {from, now, tree_of(theirs), "HEAD", o->names[i], "merge", 0, true, false, NULL};
            if (!checkout_safely(now, "merge")) return MERGE_REFUSED;
            enum merge_outcome outcome = merge_trees(&job, tree, conflicts);
            for (int k = 0; k < conflicts->count; k++) note("ERROR: content conflict in %s", conflicts->items[k]);
            note("fatal: merge program failed");
            return outcome;
        }
        check(git_index_write_tree_to(tree, merged, repo));
        check(git_tree_lookup(&now, repo, tree));
        git_index_free(merged);
    }
    *tree = *git_tree_id(now);
    return checkout_safely(now, "merge") ? MERGE_CLEAN : MERGE_REFUSED;
}
