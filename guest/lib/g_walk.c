/*
 * g_walk.c: visiting everything below a path.
 *
 * The stack holds, per open directory, the block of its names not visited yet. Paths are built in
 * one growing buffer. Where one becomes long, the directory it leads to stays open and what is
 * below is reached from there, so that a tree may be deeper than a path may be long.
 */
#include "g_walk.h"
#include "pf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *names;       /* NUL-terminated one after another */
    char **sorted;     /* with SORTED: pointers into names */
    size_t count, next;
    const char *at;    /* next name, when not sorted */
    size_t path_len;   /* of the directory */
    struct stat st;
} level;

/* A directory that is kept open. */
typedef struct {
    int fd;
    size_t len;   /* of its path with a slash behind */
    size_t depth; /* of walk when it is the innermost directory */
} base;

/* How long a path from a base may get, and a name longer. Short ones are found quickly, but an open
 * directory costs a file descriptor: the deeper, the longer. */
enum { NEAR_FIRST = 128, NEAR_MORE = 16, NEAR_MAX = 2048 };

struct g_walk {
    unsigned flags;
    char *path;
    size_t path_cap;
    level *levels;
    size_t depth, cap;
    base *bases;
    size_t base_count, base_cap;
    dev_t device;
    bool started, enter; /* enter: the entry just given is a directory to open next */
    g_entry entry;
};

g_walk *g_walk_start(const char *root, unsigned flags) {
    g_walk *walk = g_zalloc(sizeof *walk);
    walk->flags = flags;
    walk->path_cap = strlen(root) + 256;
    walk->path = g_alloc(walk->path_cap);
    strcpy(walk->path, root);
    return walk;
}

static void free_level(level *l) {
    free(l->names);
    free(l->sorted);
}

void g_walk_end(g_walk *walk) {
    while (walk->depth > 0) free_level(&walk->levels[--walk->depth]);
    while (walk->base_count > 0) close(walk->bases[--walk->base_count].fd);
    free(walk->bases);
    free(walk->levels);
    free(walk->path);
    free(walk);
}

void g_walk_skip(g_walk *walk) { walk->enter = false; }

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(level *l) {
    l->sorted = g_resize(NULL, l->count, sizeof *l->sorted);
    char *at = l->names;
    for (size_t i = 0; i < l->count; i++) {
        l->sorted[i] = at;
        at += strlen(at) + 1;
    }
    qsort(l->sorted, l->count, sizeof *l->sorted, compare_names);
}

/* Where the entry is found: see g_walk.h. */
static void locate(g_walk *walk) {
    const base *b = walk->base_count > 0 ? &walk->bases[walk->base_count - 1] : NULL;
    walk->entry.dir = b ? b->fd : AT_FDCWD;
    walk->entry.at = walk->path + (b ? b->len : 0);
}

static int open_directory(const g_walk *walk) {
    return openat(walk->entry.dir, walk->entry.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_far(const g_walk *walk) {
    size_t near = NEAR_FIRST + walk->base_count * NEAR_MORE;
    return strlen(walk->entry.at) > (near < NEAR_MAX ? near : NEAR_MAX);
}

/* Makes the directory of the entry, which was just entered, the base of what is below. */
static int add_base(g_walk *walk) {
    int fd = open_directory(walk);
    if (fd < 0) return errno;
    if (walk->base_count == walk->base_cap)
        walk->bases = g_more(walk->bases, &walk->base_cap, sizeof *walk->bases);
    size_t len = walk->entry.path_len;
    if (walk->path[len - 1] != '/') len++;
    walk->bases[walk->base_count++] = (base){fd, len, walk->depth};
    return 0;
}

/* Reads all names of the directory of the entry; 0 or an errno value. */
static int read_names(g_walk *walk, level *l) {
    int fd = open_directory(walk);
    if (fd < 0) return errno;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int error = errno;
        close(fd);
        return error;
    }
    size_t used = 0, cap = 0;
    struct dirent *d;
    errno = 0;
    while ((d = readdir(dir))) {
        const char *n = d->d_name;
        if (n[0] == '.' && (n[1] == '\0' || (n[1] == '.' && n[2] == '\0'))) continue;
        size_t len = strlen(n) + 1;
        if (cap - used < len) {
            cap = cap * 2 + 1024;
            l->names = g_realloc(l->names, cap);
        }
        memcpy(l->names + used, n, len);
        used += len;
        if (++l->count % 256 == 0) pf_yield();
        errno = 0;
    }
    int error = errno;
    closedir(dir);
    if (used < cap / 2) l->names = g_realloc(l->names, used ? used : 1);
    if (walk->flags & G_WALK_SORTED) sort_names(l);
    l->at = l->names;
    return error;
}

static void look(g_walk *walk, const char *name, size_t path_len) {
    g_entry *e = &walk->entry;
    bool follow = walk->flags & G_WALK_FOLLOW ||
                  (walk->depth == 0 && walk->flags & G_WALK_FOLLOW_ROOT);
    e->path = walk->path;
    e->path_len = path_len;
    e->name = name;
    e->depth = (int)walk->depth;
    e->error = 0;
    e->kind = G_WALK_FILE;
    locate(walk);
    int result = fstatat(e->dir, e->at, &e->st, follow ? 0 : AT_SYMLINK_NOFOLLOW);
    if (result < 0 && follow && (errno == ENOENT || errno == ELOOP))
        result = fstatat(e->dir, e->at, &e->st, AT_SYMLINK_NOFOLLOW);
    if (result < 0) {
        e->error = errno;
        e->kind = G_WALK_STAT_ERROR;
        memset(&e->st, 0, sizeof e->st);
        return;
    }
    if (!S_ISDIR(e->st.st_mode)) return;
    e->kind = G_WALK_DIR;
    walk->enter = true;
    if (walk->depth == 0) walk->device = e->st.st_dev;
    else if (walk->flags & G_WALK_SAME_DEVICE && e->st.st_dev != walk->device) walk->enter = false;
    for (size_t i = 0; walk->flags & G_WALK_FOLLOW && i < walk->depth; i++) {
        const struct stat *above = &walk->levels[i].st;
        if (above->st_ino != e->st.st_ino || above->st_dev != e->st.st_dev) continue;
        e->kind = G_WALK_CYCLE;
        walk->enter = false;
        return;
    }
}

/* Opens the directory just given as an entry. */
static const g_entry *open_level(g_walk *walk) {
    if (walk->depth == walk->cap)
        walk->levels = g_more(walk->levels, &walk->cap, sizeof *walk->levels);
    level *l = &walk->levels[walk->depth++];
    memset(l, 0, sizeof *l);
    l->path_len = walk->entry.path_len;
    l->st = walk->entry.st;
    walk->enter = false;
    int error = read_names(walk, l);
    if (!error && l->count > 0 && is_far(walk)) {
        error = add_base(walk);
        if (error) l->count = 0;
    }
    if (!error) return NULL;
    walk->entry.kind = G_WALK_DIR_ERROR;
    walk->entry.error = error;
    return &walk->entry;
}

static const g_entry *close_level(g_walk *walk) {
    if (walk->base_count > 0 && walk->bases[walk->base_count - 1].depth == walk->depth)
        close(walk->bases[--walk->base_count].fd);
    level *l = &walk->levels[--walk->depth];
    g_entry *e = &walk->entry;
    walk->path[l->path_len] = '\0';
    char *slash = walk->depth ? memrchr(walk->path, '/', l->path_len) : NULL;
    locate(walk);
    e->kind = G_WALK_DIR_END;
    e->error = 0;
    e->depth = (int)walk->depth;
    e->path = walk->path;
    e->path_len = l->path_len;
    e->name = slash ? slash + 1 : walk->path;
    e->st = l->st;
    free_level(l);
    return e;
}

const g_entry *g_walk_next(g_walk *walk) {
    pf_yield();
    if (!walk->started) {
        walk->started = true;
        look(walk, walk->path, strlen(walk->path));
        return &walk->entry;
    }
    if (walk->enter) {
        const g_entry *failed = open_level(walk);
        if (failed) return failed;
    }
    if (walk->depth == 0) return NULL;
    level *l = &walk->levels[walk->depth - 1];
    if (l->next == l->count) return close_level(walk);
    const char *name = l->sorted ? l->sorted[l->next] : l->at;
    size_t name_len = strlen(name), at = l->path_len;
    l->next++;
    l->at += name_len + 1;
    if (walk->path_cap < at + name_len + 2) {
        walk->path_cap = (at + name_len) * 2 + 2;
        walk->path = g_realloc(walk->path, walk->path_cap);
    }
    if (at > 0 && walk->path[at - 1] != '/') walk->path[at++] = '/';
    memcpy(walk->path + at, name, name_len + 1);
    look(walk, walk->path + at, at + name_len);
    return &walk->entry;
}
