/*
 * rsync_delete.c: removes from the destination what the source has not.
 */
#include "g_file.h"
#include "g_out.h"
#include "rsync.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char *name; /* below the destination */
    bool directory;
} extra;

/* The reverse of the order in which files are copied. */
static int compare(const void *a, const void *b) {
    const extra *x = a, *y = b;
    if (x->directory != y->directory) return x->directory ? -1 : 1;
    return strcmp(y->name, x->name);
}

static extra *entries(const char *path, const char *name, size_t *count) {
    DIR *dir = opendir(path);
    extra *list = NULL;
    size_t room = 0;
    *count = 0;
    if (!dir) return NULL;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *below = g_join(path, entry->d_name);
        struct stat st;
        if (lstat(below, &st) == 0) {
            if (*count == room) list = g_more(list, &room, sizeof *list);
            list[(*count)++] = (extra){strcmp(name, ".") == 0 ? g_copy_string(entry->d_name)
                                                              : g_join(name, entry->d_name),
                                       S_ISDIR(st.st_mode)};
        }
        free(below);
    }
    closedir(dir);
    if (list) qsort(list, *count, sizeof *list, compare);
    return list;
}

static bool is_kept(const rsync_work *w, const extra *e) {
    if (!w->o.delete_excluded && rsync_filter_excludes(e->name, e->directory)) return true;
    size_t len = strlen(e->name), suffix = strlen(w->o.suffix);
    if (!w->o.backup || w->o.backup_dir) return false;
    return len > suffix && strcmp(e->name + len - suffix, w->o.suffix) == 0;
}

bool rsync_remove(rsync_work *w, const char *path, const char *name, bool shown) {
    struct stat st;
    if (lstat(path, &st) != 0) return true;
    bool directory = S_ISDIR(st.st_mode), empty = true;
    if (directory) {
        size_t count;
        extra *list = entries(path, name, &count);
        for (size_t i = 0; i < count; i++) {
            char *below = g_join(path, g_last_part(list[i].name));
            bool gone = !is_kept(w, &list[i]) && rsync_remove(w, below, list[i].name, true);
            empty &= gone;
            free(below);
            free(list[i].name);
        }
        free(list);
        if (!empty) {
            if (!w->o.quiet) g_outf("cannot delete non-empty directory: %s\n", name);
            return false;
        }
    }
    if (w->deleted >= w->o.max_delete) {
        w->skipped_deletes++;
        return false;
    }
    if (shown) rsync_show_deleted(w, name, directory);
    w->deleted++;
    if (w->o.dry_run) return true;
    if (w->o.backup && !directory) return rsync_back_up(w, path, name);
    if ((directory ? rmdir(path) : unlink(path)) == 0) return true;
    rsync_failed(w, errno, "delete_file", path);
    return false;
}

void rsync_delete_extra(rsync_work *w, const rsync_item *directory) {
    char *path = rsync_target(w, directory->name);
    size_t count;
    extra *list = entries(path, directory->name, &count);
    for (size_t i = 0; i < count; i++) {
        extra *e = &list[i];
        bool wanted = rsync_find(w, e->name, e->directory) || rsync_find(w, e->name, !e->directory);
        if (!wanted && !is_kept(w, e)) {
            char *below = rsync_target(w, e->name);
            rsync_remove(w, below, e->name, true);
            free(below);
        }
        free(e->name);
    }
    free(list);
    free(path);
}
