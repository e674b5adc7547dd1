/*
 * diff_show.c: differences as lists of names, and which of them are shown.
 */
#include "diff.h"

#include <ctype.h>

#include "g_regex.h"

char diff_letter(const git_diff_delta *delta) {
    switch (delta->status) {
    case GIT_DELTA_ADDED:
    case GIT_DELTA_UNTRACKED: return 'A';
    case GIT_DELTA_DELETED: return 'D';
    case GIT_DELTA_RENAMED: return 'R';
    case GIT_DELTA_COPIED: return 'C';
    case GIT_DELTA_TYPECHANGE: return 'T';
    case GIT_DELTA_CONFLICTED: return 'U';
    case GIT_DELTA_MODIFIED: return 'M';
    default: return 'X';
    }
}

int diff_similarity(const git_diff_delta *delta) {
    return git_oid_equal(&delta->old_file.id, &delta->new_file.id) ? 100 : delta->similarity;
}

static size_t occurrences(const char *text, size_t len, pf_regex *re) {
    size_t count = 0, at = 0;
    if (re) {
        pf_range found[1];
        while (at < len && pf_regex_search(re, text, len, at, 0, found, 1) == PF_RE_OK) {
            count++;
            at = (size_t)found[0].end + (found[0].end == found[0].start);
        }
        return count;
    }
    size_t size = strlen(diffs.pickaxe);
    for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), diffs.pickaxe, size)) != NULL; p += size)
        count++;
    return count;
}

static pf_regex *pickaxe_regex(void) {
    static pf_regex *re;
    const char *message;
    if (!diffs.pickaxe_lines && !diffs.pickaxe_regex) return NULL;
    if (!re && pf_regex_compile(&re, diffs.pickaxe, strlen(diffs.pickaxe), PF_RE_EXTENDED | PF_RE_NEWLINE,
                                &g_regex_host, &message) != PF_RE_OK)
        die("invalid regex: %s", message);
    return re;
}

static size_t count_in(const git_diff_file *file, bool there) {
    git_blob *blob;
    size_t count, len;
    if (!there) return 0;
    if (git_blob_lookup(&blob, repo, &file->id) == 0) {
        count = occurrences(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob), pickaxe_regex());
        git_blob_free(blob);
        return count;
    }
    char *text = git_repository_workdir(repo) ? read_file(in_workdir(file->path), &len) : NULL;
    return text ? occurrences(text, len, pickaxe_regex()) : 0;
}

void diff_content(g_text *out, const git_diff_file *file, bool there) {
    git_blob *blob;
    size_t len;
    g_text_adds(out, "");
    if (!there) return;
    if (git_blob_lookup(&blob, repo, &file->id) == 0) {
        g_text_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
        git_blob_free(blob);
        return;
    }
    char *text = git_repository_workdir(repo) ? read_file(in_workdir(file->path), &len) : NULL;
    if (text) g_text_add(out, text, len);
    free(text);
}

static bool pickaxe_hit(git_diff *diff, size_t i) {
    const git_diff_delta *d = git_diff_get_delta(diff, i);
    if (!diffs.pickaxe_lines)
        return count_in(&d->old_file, d->status != GIT_DELTA_ADDED) !=
               count_in(&d->new_file, d->status != GIT_DELTA_DELETED);
    git_patch *patch;
    bool hit = false;
    if (git_patch_from_diff(&patch, diff, i) < 0 || !patch) return false;
    for (size_t h = 0; h < git_patch_num_hunks(patch) && !hit; h++) {
        int lines = git_patch_num_lines_in_hunk(patch, h);
        for (int l = 0; l < lines && !hit; l++) {
            const git_diff_line *line;
            git_patch_get_line_in_hunk(&line, patch, h, (size_t)l);
            pf_range found[1];
            hit = (line->origin == '+' || line->origin == '-') &&
                  pf_regex_search(pickaxe_regex(), line->content,
                                  line->content_len - (line->content_len && line->content[line->content_len - 1] == '\n'),
                                  0, 0, found, 1) == PF_RE_OK;
        }
    }
    git_patch_free(patch);
    return hit;
}

static bool filtered(const git_diff_delta *d) {
    if (!diffs.filter) return false;
    char letter = diff_letter(d);
    bool upper = false;
    for (const char *p = diffs.filter; *p; p++) {
        if (*p == toupper((unsigned char)*p) && *p == letter) return false;
        if (*p == tolower((unsigned char)letter) && *p != letter) return true;
        if (isupper((unsigned char)*p)) upper = true;
    }
    return upper;
}

bool diff_skip(git_diff *diff, size_t i) {
    const git_diff_delta *d = git_diff_get_delta(diff, i);
    if (d->status == GIT_DELTA_UNMODIFIED || d->status == GIT_DELTA_IGNORED ||
        d->status == GIT_DELTA_UNTRACKED || d->status == GIT_DELTA_UNREADABLE)
        return true;
    if (d->status == GIT_DELTA_MODIFIED && d->old_file.mode == d->new_file.mode &&
        git_oid_equal(&d->old_file.id, &d->new_file.id) && (d->new_file.flags & GIT_DIFF_FLAG_VALID_ID))
        return true;
    if (diffs.relative && strncmp(d->new_file.path, prefix, strlen(prefix)) != 0) return true;
    if (filtered(d)) return true;
    if (diffs.only && strcmp(d->new_file.path, diffs.only) != 0) return true;
    if (diffs.find_object && !git_oid_equal(&d->old_file.id, &diffs.object) && !git_oid_equal(&d->new_file.id, &diffs.object)) return true;
    return diffs.pickaxe && !pickaxe_hit(diff, i);
}

bool diff_any(git_diff *diff) {
    size_t count = git_diff_num_deltas(diff);
    for (size_t i = 0; i < count; i++)
        if (!diff_skip(diff, i)) return true;
    return false;
}

static const char *shown(const char *path) { return diffs.relative ? path + strlen(prefix) : path; }

void diff_write_name(g_text *out, const char *path, char end) {
    char *text = end ? quoted(shown(path), "") : g_copy_string(shown(path));
    g_text_adds(out, text);
    g_text_addc(out, end);
    free(text);
}

static void add_status(g_text *out, const git_diff_delta *d, bool raw) {
    char letter = diff_letter(d), line = diffs.null ? '\0' : '\n', tab = diffs.null ? '\0' : '\t';
    bool two = letter == 'R' || letter == 'C';
    g_text_addc(out, letter);
    if (two) g_text_addf(out, "%03d", diff_similarity(d));
    g_text_addc(out, tab);
    (void)raw;
    if (two) diff_write_name(out, d->old_file.path, tab);
    diff_write_name(out, two || letter == 'A' || !d->old_file.path ? d->new_file.path : d->old_file.path, line);
}

static void add_raw(g_text *out, const git_diff_delta *d) {
    const git_oid *new_id = &d->new_file.id;
    git_oid none = {0};
    int length = diffs.abbrev ? diffs.abbrev : 7;
    /* what was not looked into has no name yet */
    if (!(d->new_file.flags & GIT_DIFF_FLAG_VALID_ID) && d->status != GIT_DELTA_DELETED) new_id = &none;
    bool full = diffs.full_index || diffs.abbrev == OID_HEX || (diffs.raw_full && !diffs.abbrev);
    bool old = d->status != GIT_DELTA_ADDED && d->status != GIT_DELTA_CONFLICTED;
    const git_oid *old_id = old ? &d->old_file.id : &none;
    g_text_addf(out, ":%06o %06o %s ", old ? d->old_file.mode : 0, d->status == GIT_DELTA_DELETED ? 0 : d->new_file.mode,
                full ? full_id(old_id) : abbreviated(old_id, length));
    g_text_addf(out, "%s ", full ? full_id(new_id) : abbreviated(new_id, length));
    add_status(out, d, true);
}

typedef void (*each)(g_text *out, const git_diff_delta *d);

static void name_status(g_text *out, const git_diff_delta *d) { add_status(out, d, false); }
static void name_only(g_text *out, const git_diff_delta *d) {
    diff_write_name(out, d->status == GIT_DELTA_DELETED ? d->old_file.path : d->new_file.path, diffs.null ? '\0' : '\n');
}

void diff_write_delta(g_text *out, const git_diff_delta *d, int format) {
    if (format & DIFF_NAME_STATUS) name_status(out, d);
    else if (format & DIFF_NAME_ONLY) name_only(out, d);
    else if (format & DIFF_RAW) add_raw(out, d);
    else g_text_addc(out, ' ');
}

size_t diff_beside_stage(const git_diff_delta *d) {
    const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
    size_t count = diff_conflicts && d->status == GIT_DELTA_CONFLICTED ? git_diff_num_deltas(diff_conflicts) : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(git_diff_get_delta(diff_conflicts, i)->new_file.path, path) == 0)
            return diff_skip(diff_conflicts, i) ? SIZE_MAX : i;
    return SIZE_MAX;
}

static void write_each(g_text *out, git_diff *diff, each write) {
    size_t count = git_diff_num_deltas(diff);
    for (size_t i = 0; i < count; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (!diff_skip(diff, i)) write(out, d);
        size_t file = diff_beside_stage(d);
        if (file != SIZE_MAX) write(out, git_diff_get_delta(diff_conflicts, file));
    }
}

int diff_names_alone(int format) {
    int names = format & (DIFF_NAME_ONLY | DIFF_NAME_STATUS | DIFF_CHECK);
    return names ? names : format;
}

/* --line-prefix: before each line from `from` on. */
void diff_prefix_lines(g_text *out, size_t from, const char *before) {
    g_text text = {0};
    if (!before || !*before || diffs.null) return;
    for (size_t at = from; at < out->len;) {
        const char *end = memchr(out->s + at, '\n', out->len - at);
        size_t len = end ? (size_t)(end - out->s) - at + 1 : out->len - at;
        g_text_adds(&text, before);
        g_text_add(&text, out->s + at, len);
        at += len;
    }
    out->len = from;
    g_text_add(out, text.s ? text.s : "", text.len);
    g_text_free(&text);
}

static void write_formats(g_text *out, git_diff *diff, int format);

void diff_write(g_text *out, git_diff *diff, int format) {
    size_t before = out->len;
    write_formats(out, diff, format);
    diff_prefix_lines(out, before, diffs.line_prefix);
}

static void write_formats(g_text *out, git_diff *diff, int format) {
    size_t before = out->len;
    format = diff_names_alone(format);
    if (format & DIFF_RAW) write_each(out, diff, add_raw);
    if (format & DIFF_NAME_STATUS) write_each(out, diff, name_status);
    if (format & DIFF_NAME_ONLY) write_each(out, diff, name_only);
    if (format & DIFF_CHECK) diff_check(out, diff);
    if (format & (DIFF_STAT | DIFF_NUMSTAT | DIFF_SHORTSTAT)) diff_write_stat(out, diff, format);
    if (format & DIFF_DIRSTAT) diff_write_dirstat(out, diff);
    if ((format & DIFF_SUMMARY) && !(format & DIFF_COMPACT)) diff_write_summary(out, diff);
    if (!(format & DIFF_PATCH)) return;
    if (out->len > before) g_text_addc(out, '\n');
    size_t count = git_diff_num_deltas(diff);
    for (size_t i = 0; i < count; i++) {
        if (!diff_skip(diff, i)) diff_write_patch(out, diff, i);
        size_t file = diffs.stage ? diff_beside_stage(git_diff_get_delta(diff, i)) : SIZE_MAX;
        if (file != SIZE_MAX) diff_write_patch(out, diff_conflicts, file);
    }
}
