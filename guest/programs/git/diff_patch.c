/*
 * diff_patch.c: one difference as a patch, as git writes it.
 */
#include "diff_color.h"
#include "diff_combined.h"
#include "libgit2/xdiff_wishes.h"

/* "a/path", quoted where it must be */
static char *side(const char *before, const char *path) {
    if (diffs.relative) path += strlen(prefix);
    return quoted(path, diffs.no_prefix ? "" : before);
}

static bool binary_now; /* of --binary only binary files have whole names */

static const char *blob_name(const git_oid *id, bool absent) {
    static const char zeros[] = "0000000000000000000000000000000000000000";
    git_oid none = {0};
    if (diffs.full_index || (diffs.binary && binary_now)) return absent ? zeros : full_id(id);
    int length = diffs.abbrev ? diffs.abbrev : 0;
    if (absent) id = &none;
    return length ? abbreviated(id, length) : short_id(id);
}

enum part { WHOLE, OLD_ONLY, NEW_ONLY };

static void add_header(g_text *out, const git_diff_delta *d, enum part part) {
    bool added = d->status == GIT_DELTA_ADDED || part == NEW_ONLY;
    bool deleted = d->status == GIT_DELTA_DELETED || part == OLD_ONLY;
    char *a = side(diffs.src, added ? d->new_file.path : d->old_file.path);
    char *b = side(diffs.dst, deleted ? d->old_file.path : d->new_file.path);
    binary_now = d->flags & GIT_DIFF_FLAG_BINARY;
    size_t before = out->len;
    bool moved = d->status == GIT_DELTA_RENAMED || d->status == GIT_DELTA_COPIED;
    g_text_addf(out, "diff --git %s %s\n", a, b);
    if (added) g_text_addf(out, "new file mode %06o\n", d->new_file.mode);
    else if (deleted) g_text_addf(out, "deleted file mode %06o\n", d->old_file.mode);
    else if (d->old_file.mode != d->new_file.mode)
        g_text_addf(out, "old mode %06o\nnew mode %06o\n", d->old_file.mode, d->new_file.mode);
    if (moved) {
        const char *word = d->status == GIT_DELTA_RENAMED ? "rename" : "copy";
        char *from = quoted(d->old_file.path, ""), *to = quoted(d->new_file.path, "");
        g_text_addf(out, "similarity index %d%%\n%s from %s\n%s to %s\n", diff_similarity(d), word, from,
                    word, to);
    }
    if (!git_oid_equal(&d->old_file.id, &d->new_file.id) || added || deleted) {
        const char *old = blob_name(&d->old_file.id, added), *new_ = blob_name(&d->new_file.id, deleted);
        size_t longer = strlen(old) > strlen(new_) ? strlen(old) : strlen(new_);
        if (strlen(old) < longer) old = abbreviated(&d->old_file.id, (int)longer);
        if (strlen(new_) < longer) new_ = abbreviated(&d->new_file.id, (int)longer);
        g_text_addf(out, "index %s..%s", old, new_);
        if (!added && !deleted && d->old_file.mode == d->new_file.mode)
            g_text_addf(out, " %06o", d->new_file.mode);
        g_text_addc(out, '\n');
    }
    diff_paint(out, before, PART_META);
    free(a);
    free(b);
}

static void add_names(g_text *out, const git_diff_delta *d, bool added, bool deleted) {
    char *a = added ? g_copy_string("/dev/null") : side(diffs.src, d->old_file.path);
    char *b = deleted ? g_copy_string("/dev/null") : side(diffs.dst, d->new_file.path);
    size_t before = out->len;
    /* a tab ends names with spaces, for programs that look for one */
    g_text_addf(out, "--- %s%s\n", a, strchr(a, ' ') ? "\t" : "");
    g_text_addf(out, "+++ %s%s\n", b, strchr(b, ' ') ? "\t" : "");
    diff_paint(out, before, PART_META);
    free(a);
    free(b);
}

/* The first of the lines with nothing in them that are new at the end of the file; 0: there is none. */
static size_t new_at_end(const git_diff_delta *d) {
    g_text texts[2] = {{0}, {0}};
    if (!diff_colored()) return 0;
    diff_content(&texts[0], &d->old_file, d->status != GIT_DELTA_ADDED);
    diff_content(&texts[1], &d->new_file, d->status != GIT_DELTA_DELETED);
    size_t line = white_new_at_end(texts[0].s, texts[0].len, texts[1].s, texts[1].len);
    g_text_free(&texts[0]);
    g_text_free(&texts[1]);
    return line;
}

static void add_hunks(g_text *out, git_patch *patch) {
    if (diffs.functions && !diffs.words) {
        diff_write_functions(out, patch);
        return;
    }
    size_t hunks = git_patch_num_hunks(patch), end = new_at_end(git_patch_get_delta(patch));
    for (size_t h = 0; h < hunks; h++) {
        const git_diff_hunk *hunk;
        size_t lines;
        check(git_patch_get_hunk(&hunk, &lines, patch, h));
        diff_add_hunk_head(out, hunk->header, hunk->header_len);
        if (diffs.words) diff_write_words(out, patch, h, lines);
        for (size_t l = 0; l < lines && !diffs.words; l++) {
            const git_diff_line *line;
            check(git_patch_get_line_in_hunk(&line, patch, h, l));
            if (line->origin == ' ' || line->origin == '+' || line->origin == '-') {
                bool empty = end && line->origin == '+' && (size_t)line->new_lineno >= end;
                diff_add_line(out, line->origin, line->content, line->content_len, empty);
                continue;
            }
            /* the line end that is missing, and what says so */
            size_t before = out->len;
            g_text_add(out, line->content, line->content_len);
            if (before < out->len && out->s[before] == '\n') diff_paint(out, before + 1, PART_CONTEXT);
            else diff_paint(out, before, PART_CONTEXT);
        }
    }
}

static void add_binary(g_text *out, git_patch *patch, const git_diff_delta *d, bool added, bool deleted) {
    if (diffs.binary) {
        git_buf whole = {0};
        check(git_patch_to_buf(&whole, patch));
        const char *at = strstr(whole.ptr, "GIT binary patch");
        if (at) g_text_adds(out, at);
        git_buf_dispose(&whole);
        return;
    }
    char *a = added ? g_copy_string("/dev/null") : side(diffs.src, d->old_file.path);
    char *b = deleted ? g_copy_string("/dev/null") : side(diffs.dst, d->new_file.path);
    g_text_addf(out, "Binary files %s and %s differ\n", a, b);
    free(a);
    free(b);
}

/* A change of type is a deletion and a creation. */
static void add_type_change(g_text *out, const git_diff_delta *d) {
    git_blob *old = NULL, *new_ = NULL;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    git_patch *patch;
    g_text content = {0};
    git_oid id = d->new_file.id;
    git_blob_lookup(&old, repo, &d->old_file.id);
    if (git_blob_lookup(&new_, repo, &id) < 0 && git_repository_workdir(repo) &&
        git_blob_create_from_workdir(&id, repo, d->new_file.path) == 0)
        git_blob_lookup(&new_, repo, &id);
    git_diff_delta copy = *d;
    copy.new_file.id = id;
    add_header(out, &copy, OLD_ONLY);
    add_names(out, d, false, true);
    check(git_patch_from_blobs(&patch, old, NULL, NULL, NULL, &o));
    add_hunks(out, patch);
    git_patch_free(patch);
    add_header(out, &copy, NEW_ONLY);
    add_names(out, d, true, false);
    check(git_patch_from_blobs(&patch, NULL, NULL, new_, NULL, &o));
    add_hunks(out, patch);
    git_patch_free(patch);
    git_blob_free(old);
    git_blob_free(new_);
    g_text_free(&content);
}

/* A file of the working tree on the old side (-R) has not been given its name. */
static void name_file(git_diff_file *file, bool there) {
    if (there && git_oid_is_zero(&file->id) && git_repository_workdir(repo))
        git_repository_hashfile(&file->id, repo, in_workdir(file->path), GIT_OBJECT_BLOB, file->path);
}

void diff_write_patch(g_text *out, git_diff *diff, size_t i) {
    git_patch *patch;
    const git_diff_delta *d = git_diff_get_delta(diff, i);
    if (d->status == GIT_DELTA_CONFLICTED) {
        const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
        if (!diff_is_combined(path)) g_text_addf(out, "* Unmerged path %s\n", path);
        return;
    }
    if (d->status == GIT_DELTA_TYPECHANGE) {
        add_type_change(out, d);
        return;
    }
    check(git_patch_from_diff(&patch, diff, i));
    if (!patch) return;
    git_diff_delta whole = *git_patch_get_delta(patch);
    name_file(&whole.old_file, whole.status != GIT_DELTA_ADDED);
    name_file(&whole.new_file, whole.status != GIT_DELTA_DELETED);
    d = &whole;
    bool added = d->status == GIT_DELTA_ADDED, deleted = d->status == GIT_DELTA_DELETED;
    bool binary = (d->flags & GIT_DIFF_FLAG_BINARY) && !git_oid_equal(&d->old_file.id, &d->new_file.id);
    bool same = git_oid_equal(&d->old_file.id, &d->new_file.id) && !added && !deleted;
    bool white = diffs.flags & (GIT_DIFF_IGNORE_WHITESPACE | GIT_DIFF_IGNORE_WHITESPACE_CHANGE |
                                GIT_DIFF_IGNORE_WHITESPACE_EOL | GIT_DIFF_IGNORE_BLANK_LINES);
    white |= xdiff_wishes.ignored_count || xdiff_wishes.cr_at_eol;
    bool header_alone = added || deleted || d->status == GIT_DELTA_RENAMED ||
                        d->status == GIT_DELTA_COPIED || d->old_file.mode != d->new_file.mode;
    /* only the time of the file changed, or nothing but what is ignored */
    if (!binary && !git_patch_num_hunks(patch) && !header_alone && (same || white)) {
        git_patch_free(patch);
        return;
    }
    add_header(out, d, WHOLE);
    if (binary) {
        add_binary(out, patch, d, added, deleted);
    } else if (git_patch_num_hunks(patch) && !(deleted && diffs.no_deleted)) {
        add_names(out, d, added, deleted);
        add_hunks(out, patch);
    }
    git_patch_free(patch);
}
