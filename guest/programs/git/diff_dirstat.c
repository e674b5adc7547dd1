/*
 * diff_dirstat.c: --dirstat: how much of all changes lies in each directory.
 */
#include "diff.h"

#include <ctype.h>

typedef struct {
    char *name;
    unsigned long damage;
} changed_file;

static struct {
    changed_file *files;
    size_t count;
} left; /* what was not counted yet, by name */
static unsigned long all;

void diff_dirstat_how(const char *text) {
    char *copy = g_copy_string(text), *at = copy;
    for (char *word; (word = strsep(&at, ",")) != NULL;) {
        if (!*word) continue;
        if (strcmp(word, "changes") == 0) diffs.dirstat = DIRSTAT_CHANGES;
        else if (strcmp(word, "lines") == 0) diffs.dirstat = DIRSTAT_LINES;
        else if (strcmp(word, "files") == 0) diffs.dirstat = DIRSTAT_FILES;
        else if (strcmp(word, "cumulative") == 0) diffs.dirstat_cumulative = 1;
        else if (strcmp(word, "noncumulative") == 0) diffs.dirstat_cumulative = 0;
        else if (isdigit((unsigned char)*word)) {
            char *end;
            unsigned long permille = strtoul(word, &end, 10) * 10;
            if (*end == '.' && isdigit((unsigned char)end[1])) permille += (unsigned long)(end[1] - '0'), end++;
            while (end[0] == '.' || isdigit((unsigned char)end[0])) end++;
            if (*end) die("Failed to parse --dirstat/-X option parameter:\n  Failed to parse dirstat cut-off percentage '%s'\n", word);
            diffs.dirstat_permille = permille;
        } else {
            die("Failed to parse --dirstat/-X option parameter:\n  Unknown dirstat parameter '%s'\n", word);
        }
    }
    free(copy);
}

static unsigned long damage_of(git_diff *diff, size_t i) {
    const git_diff_delta *d = git_diff_get_delta(diff, i);
    size_t added = 0, deleted = 0, kept = 0;
    bool binary;
    if (d->status != GIT_DELTA_ADDED && d->status != GIT_DELTA_DELETED && git_oid_equal(&d->old_file.id, &d->new_file.id)) return 0;
    if (diffs.dirstat == DIRSTAT_FILES) return 1;
    if (diffs.dirstat == DIRSTAT_LINES) {
        diff_counts(diff, i, &added, &deleted, &binary);
        return binary ? (added + deleted + 63) / 64 : added + deleted;
    }
    g_text old = {0}, new_ = {0};
    diff_content(&old, &d->old_file, d->status != GIT_DELTA_ADDED);
    diff_content(&new_, &d->new_file, d->status != GIT_DELTA_DELETED);
    if (d->status == GIT_DELTA_ADDED) added = new_.len;
    else if (d->status != GIT_DELTA_DELETED) diff_copied(old.s, old.len, new_.s, new_.len, &kept, &added);
    unsigned long damage = (unsigned long)(old.len - kept + added);
    g_text_free(&old);
    g_text_free(&new_);
    return damage ? damage : 1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const changed_file *)a)->name, ((const changed_file *)b)->name);
}

/* What lies below `base`; of the top, and of what has one directory alone in it, nothing is said. */
static unsigned long gather(g_text *out, const char *base, size_t len) {
    unsigned long sum = 0;
    unsigned sources = 0;
    while (left.count) {
        changed_file *file = left.files;
        if (strncmp(file->name, base, len) != 0) break;
        const char *slash = strchr(file->name + len, '/');
        if (slash) {
            sum += gather(out, file->name, (size_t)(slash + 1 - file->name));
            sources++;
        } else {
            sum += file->damage;
            left.files++;
            left.count--;
            sources += 2;
        }
    }
    if (!len || sources == 1 || !sum) return sum;
    unsigned long permille = (unsigned long)((unsigned long long)sum * 1000 / all);
    if (permille < diffs.dirstat_permille) return sum;
    g_text_addf(out, "%4lu.%01lu%% %.*s\n", permille / 10, permille % 10, (int)len, base);
    return diffs.dirstat_cumulative ? sum : 0;
}

void diff_write_dirstat(g_text *out, git_diff *diff) {
    size_t count = git_diff_num_deltas(diff);
    changed_file *files = g_zalloc((count + 1) * sizeof *files);
    left.files = files;
    left.count = all = 0;
    for (size_t i = 0; i < count; i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (diff_skip(diff, i) || d->status == GIT_DELTA_CONFLICTED) continue;
        changed_file *file = &files[left.count++];
        file->name = g_copy_string(d->new_file.path ? d->new_file.path : d->old_file.path);
        file->damage = damage_of(diff, i);
        all += file->damage;
    }
    if (all) {
        qsort(files, left.count, sizeof *files, by_name);
        gather(out, "", 0);
    }
    free(files);
}
