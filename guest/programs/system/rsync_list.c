/*
 * rsync_list.c: collects what is to be copied, in the order in which it is.
 */
#include "g_file.h"
#include "g_in.h"
#include "g_out.h"
#include "pf.h"
#include "rsync.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

/* Part by part; in one directory the files come before the directories. */
static int compare_names(const char *a, bool a_dir, const char *b, bool b_dir) {
    if (strcmp(a, ".") == 0) a = "", a_dir = true;
    if (strcmp(b, ".") == 0) b = "", b_dir = true;
    for (;;) {
        size_t m = strcspn(a, "/"), n = strcspn(b, "/");
        if (m == 0 || n == 0) return m == n ? 0 : m == 0 ? -1 : 1;
        bool in_a = a[m] == '/' || a_dir, in_b = b[n] == '/' || b_dir;
        if (in_a != in_b) return in_a ? 1 : -1;
        int order = memcmp(a, b, m < n ? m : n);
        if (order) return order;
        if (m != n) return m < n ? -1 : 1;
        a += m + (a[m] == '/');
        b += n + (b[n] == '/');
    }
}

static int compare_items(const void *a, const void *b) {
    const rsync_item *x = a, *y = b;
    int order = compare_names(x->name, S_ISDIR(x->st.st_mode), y->name, S_ISDIR(y->st.st_mode));
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

const rsync_item *rsync_find(const rsync_work *w, const char *name, bool directory) {
    size_t low = 0, high = w->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const rsync_item *item = &w->items[middle];
        int order = compare_names(item->name, S_ISDIR(item->st.st_mode), name, directory);
        if (order == 0) return item;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int look(const rsync_work *w, const char *path, struct stat *st) {
    return w->o.copy_links ? stat(path, st) : lstat(path, st);
}

static rsync_item *add_item(rsync_work *w, const char *name, const char *path,
                            const struct stat *st) {
    if (w->count == w->room) w->items = g_more(w->items, &w->room, sizeof *w->items);
    rsync_item *item = &w->items[w->count];
    *item = (rsync_item){
        .name = g_copy_string(name), .path = g_copy_string(path), .st = *st, .order = w->count++};
    if (S_ISLNK(st->st_mode) && w->o.links) item->link = g_read_link(path);
    return item;
}

static void walk(rsync_work *w, const char *path, const char *name, dev_t device) {
    DIR *dir = opendir(path);
    if (!dir) {
        w->read_failed = true;
        rsync_failed(w, errno, "[sender] opendir", path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *below = g_join(path, entry->d_name);
        char *shown =
            strcmp(name, ".") == 0 ? g_copy_string(entry->d_name) : g_join(name, entry->d_name);
        struct stat st;
        if (look(w, below, &st) != 0) {
            w->read_failed = true;
            bool dangling = errno == ENOENT && lstat(below, &st) == 0;
            rsync_failed(w, dangling ? 0 : errno,
                         dangling ? "symlink has no referent:" : "[sender] readlink_stat", below);
        } else if (!rsync_filter_excludes(shown, S_ISDIR(st.st_mode))) {
            rsync_item *item = add_item(w, shown, below, &st);
            bool enters = S_ISDIR(st.st_mode) && w->o.recursive &&
                          (!w->o.one_file_system || st.st_dev == device);
            item->contents = enters;
            if (enters) walk(w, below, shown, device);
        }
        free(below);
        free(shown);
        pf_yield();
    }
    closedir(dir);
}

/* The directories on the way to a name, with --relative. */
static void add_parents(rsync_work *w, const char *base, const char *name) {
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *part = g_copy_bytes(name, (size_t)(slash - name)), *path = g_join(base, part);
        struct stat st;
        if (stat(path, &st) == 0) add_item(w, part, path, &st);
        free(part);
        free(path);
    }
}

static const char *without_dots(const char *path) {
    for (;;) {
        if (*path == '/')
            path++;
        else if (path[0] == '.' && path[1] == '/')
            path += 2;
        else
            return path;
    }
}

static void add_source(rsync_work *w, const char *source) {
    size_t len = strlen(source);
    char *path = g_copy_string(len ? source : "."), *name;
    bool inside = len > 0 && path[len - 1] == '/';
    g_strip_slashes(path);
    const char *last = g_last_part(path);
    inside |= strcmp(last, "/") == 0 || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
    if (w->o.relative) {
        char *cut = strstr(path, "/./");
        char *base = cut ? g_copy_bytes(path, (size_t)(cut - path)) : NULL;
        name = g_copy_string(without_dots(cut ? cut + 3 : path));
        g_strip_slashes(name);
        if (!*name || strcmp(name, ".") == 0) strcpy(name = g_alloc(2), ".");
        add_parents(w, base ? base : *path == '/' ? "/" : ".", name);
        free(base);
    } else {
        name = inside ? g_copy_string(".") : g_base(path);
    }
    struct stat st;
    if ((inside ? stat(path, &st) : look(w, path, &st)) != 0) {
        w->read_failed = true;
        rsync_failed(w, errno, "[sender] link_stat", path);
    } else if (inside && !S_ISDIR(st.st_mode)) {
        rsync_failed(w, ENOTDIR, "[sender] change_dir", path);
    } else if (S_ISDIR(st.st_mode) && !w->o.recursive && !w->o.dirs) {
        if (!w->o.quiet) g_outf("skipping directory %s\n", name);
    } else if (strcmp(name, ".") == 0 || !rsync_filter_excludes(name, S_ISDIR(st.st_mode))) {
        rsync_item *item = add_item(w, name, path, &st);
        item->contents = S_ISDIR(st.st_mode) && (w->o.recursive || (w->o.dirs && inside));
        if (item->contents) walk(w, path, name, st.st_dev);
    }
    free(path);
    free(name);
}

/* The names in a file are below the one source. */
static void add_listed(rsync_work *w, const char *source) {
    int fd = g_open_input(w->o.files_from);
    if (fd < 0) g_exit(RSYNC_FILES);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, w->o.from0 ? '\0' : '\n');
    while (g_read_line(&in, &line)) {
        if (line.len == 0 || (!w->o.from0 && (*line.s == '#' || *line.s == ';'))) continue;
        g_text path = {0};
        g_text_addf(&path, "%s/./%.*s", source, (int)line.len, line.s);
        add_source(w, path.s);
        g_text_free(&path);
    }
    g_reader_free(&in);
    g_close_input(fd);
}

/* Directories without a file below them are left out: one is wanted when the next item that stays
 * is below it. */
static void prune(rsync_work *w) {
    size_t kept = w->count;
    for (size_t i = w->count; i-- > 0;) {
        rsync_item *item = &w->items[i];
        size_t len = strlen(item->name);
        bool wanted = !S_ISDIR(item->st.st_mode) || strcmp(item->name, ".") == 0;
        if (!wanted && kept < w->count)
            wanted = strncmp(w->items[kept].name, item->name, len) == 0 &&
                     w->items[kept].name[len] == '/';
        if (wanted) w->items[--kept] = *item;
    }
    w->count -= kept;
    memmove(w->items, w->items + kept, w->count * sizeof *w->items);
}

/* Of a file and a directory with one name, which two sources had, the directory counts. */
static void drop_hidden(rsync_work *w) {
    for (size_t i = 0; i < w->count; i++)
        w->items[i].hidden =
            !S_ISDIR(w->items[i].st.st_mode) && rsync_find(w, w->items[i].name, true);
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!w->items[i].hidden) w->items[kept++] = w->items[i];
    w->count = kept;
}

void rsync_collect(rsync_work *w, int count, char **sources) {
    if (w->o.files_from)
        add_listed(w, sources[0]);
    else
        for (int i = 0; i < count; i++) add_source(w, sources[i]);
    if (w->count == 0) return;
    qsort(w->items, w->count, sizeof *w->items, compare_items);
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        rsync_item *item = &w->items[i];
        if (kept > 0 && strcmp(w->items[kept - 1].name, item->name) == 0)
            w->items[kept - 1].contents |= item->contents;
        else
            w->items[kept++] = *item;
    }
    w->count = kept;
    if (count > 1) drop_hidden(w);
    if (w->o.prune) prune(w);
    for (size_t i = 0; i < w->count; i++)
        if (!S_ISDIR(w->items[i].st.st_mode)) w->total_size += (uint64_t)w->items[i].st.st_size;
}
