/*
 * diff_order.c: the order of the files in a difference: -O, --rotate-to, --skip-to.
 */
#include "diff.h"

#include <errno.h>

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

static string_list patterns;

static void read_patterns(void) {
    size_t len;
    char *text = read_file(diffs.order_file, &len);
    if (!text) die("failed to read orderfile '%s': %s", diffs.order_file, strerror(errno));
    for (char *at = text, *end; *at; at = end) {
        end = strchrnul(at, '\n');
        char *line = g_copy_bytes(at, (size_t)(end - at));
        if (*line && *line != '#') list_add(&patterns, line);
        if (*end) end++;
    }
    free(text);
}

/* The number of the first pattern that the path, or a directory above it, has. */
static int rank_of(const char *path) {
    for (int i = 0; i < patterns.count; i++) {
        char *name = g_copy_string(path);
        for (char *slash = name; slash; slash = strrchr(name, '/')) {
            if (slash != name) *slash = '\0';
            if (wildmatch(patterns.items[i], name, 0) == 0) return i;
        }
        free(name);
    }
    return patterns.count;
}

typedef struct {
    git_diff_delta delta;
    int rank;
    size_t at;
} place;

static int by_rank(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The file that shall come first; `count`: there is none. */
static size_t first_file(const place *places, size_t count) {
    const char *wanted = diffs.rotate_to ? diffs.rotate_to : diffs.skip_to;
    for (size_t i = 0; i < count; i++) {
        int order = strcmp(wanted, places[i].delta.new_file.path);
        if (order == 0 || (order < 0 && !diffs.rotate_strictly)) return i;
    }
    if (count && diffs.rotate_strictly) die("No such path '%s' in the diff", wanted);
    return count;
}

void diff_arrange(git_diff *diff) {
    size_t count = git_diff_num_deltas(diff), first = 0;
    if (!count || (!diffs.order_file && !diffs.rotate_to && !diffs.skip_to)) return;
    if (diffs.order_file && !patterns.count) read_patterns();
    place *places = g_zalloc((count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        places[i].delta = *git_diff_get_delta(diff, i);
        places[i].at = i;
        if (diffs.order_file) places[i].rank = rank_of(places[i].delta.new_file.path);
    }
    qsort(places, count, sizeof *places, by_rank);
    if (diffs.rotate_to || diffs.skip_to) first = first_file(places, count);
    if (first == count) first = 0;
    /* libgit2 finds what differs by its place: the contents of the places move */
    for (size_t i = 0; i < count; i++) {
        size_t from = (first + i) % count;
        if (diffs.skip_to && first + i >= count) places[from].delta.status = GIT_DELTA_UNMODIFIED;
        *(git_diff_delta *)git_diff_get_delta(diff, i) = places[from].delta;
    }
    free(places);
}
