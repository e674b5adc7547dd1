/*
 * rg_walk.c: the files below a directory that are not ignored, in the order of their paths.
 */
#include "rg.h"
#include "g_file.h"
#include "g_walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the ignore files of one directory say. */
typedef struct {
    char *path; /* of the directory, as the walk names it; absolute for those above the start */
    rg_globs own, git; /* .ignore and .rgignore; .gitignore */
    bool is_repository;
} level;

typedef struct {
    rg_options *o;
    level *levels; /* from the outermost on */
    size_t count, cap;
    size_t above; /* of them, so many are above the start */
    char *start;  /* the start's absolute path */
    size_t root_len;
    rg_globs explicit_files;
} state;

static bool exists(const char *dir, const char *name) {
    char *path = g_join(dir, name);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void read_into(rg_globs *list, const char *dir, const char *name) {
    char *path = g_join(dir, name);
    rg_globs_read(list, path);
    free(path);
}

static void push_level(state *s, const char *dir) {
    const rg_options *o = s->o;
    if (s->count == s->cap) s->levels = g_more(s->levels, &s->cap, sizeof *s->levels);
    level *l = &s->levels[s->count++];
    *l = (level){.path = g_copy_string(dir)};
    if (o->no_ignore) return;
    read_into(&l->own, dir, ".ignore");
    read_into(&l->own, dir, ".rgignore");
    if (o->no_vcs_ignore) return;
    l->is_repository = exists(dir, ".git");
    if (l->is_repository) read_into(&l->git, dir, ".git/info/exclude");
    read_into(&l->git, dir, ".gitignore");
}

static void pop_level(state *s) {
    level *l = &s->levels[--s->count];
    free(l->path);
    rg_globs_free(&l->own);
    rg_globs_free(&l->git);
}

static void push_above(state *s) {
    if (s->o->no_parent_ignore || s->o->no_ignore || !s->start || strcmp(s->start, "/") == 0)
        return;
    push_level(s, "/");
    for (char *p = s->start + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        push_level(s, s->start);
        *p = '/';
    }
    s->above = s->count;
}

/* The path as the level's patterns see it. */
static const char *relative(const state *s, size_t at, const char *path, char *absolute) {
    const level *l = &s->levels[at];
    const char *of = at < s->above ? absolute : path;
    size_t len = strlen(l->path);
    if (strcmp(l->path, "/") == 0) len = 0;
    if (strncmp(of, l->path, len) == 0 && of[len] == '/') of += len + 1;
    return of;
}

static bool is_ignored(state *s, const g_entry *e) {
    const rg_options *o = s->o;
    bool directory = e->kind == G_WALK_DIR;
    const char *below = e->path + (e->path_len > s->root_len ? s->root_len : 0);
    while (*below == '/') below++;
    int said = rg_globs_match(&o->overrides, below, directory, o->ignore_name_case);
    if (said) return said > 0;
    bool listed = false;
    for (size_t i = 0; i < o->overrides.count; i++) listed |= o->overrides.globs[i].include;
    if (listed && !directory) return true; /* -g names what is wanted */
    char *absolute = s->start ? g_join(s->start, below) : g_copy_string(below);
    bool in_repository = o->no_require_git;
    for (size_t i = 0; i < s->count; i++) in_repository |= s->levels[i].is_repository;
    for (size_t i = s->count; i-- > 0 && !said;)
        said =
            rg_globs_match(&s->levels[i].own, relative(s, i, e->path, absolute), directory, false);
    for (size_t i = s->count; i-- > 0 && !said && in_repository;) {
        said =
            rg_globs_match(&s->levels[i].git, relative(s, i, e->path, absolute), directory, false);
        if (s->levels[i].is_repository) break;
    }
    if (!said) said = rg_globs_match(&s->explicit_files, below, directory, false);
    free(absolute);
    if (said) return said > 0;
    return !o->hidden && e->name[0] == '.';
}

static bool has_type(const rg_options *o, const char *name) {
    for (size_t at = 0; at < o->not_types.len; at += strlen(o->not_types.s + at) + 1)
        if (rg_glob_fits(o->not_types.s + at, name, false)) return false;
    if (!o->has_types) return true;
    for (size_t at = 0; at < o->types.len; at += strlen(o->types.s + at) + 1)
        if (rg_glob_fits(o->types.s + at, name, false)) return true;
    return false;
}

static void report(rg_options *o, int error, const char *path) {
    if (!o->no_messages) fprintf(stderr, "%s: %s (os error %d)\n", path, strerror(error), error);
    o->failed = true;
}

static bool is_wanted(state *s, const g_entry *e) {
    const rg_options *o = s->o;
    if (e->depth == 0) return true;
    if (is_ignored(s, e)) return false;
    if (e->kind == G_WALK_DIR) return true;
    if (o->max_size >= 0 && (int64_t)e->st.st_size > o->max_size) return false;
    return S_ISREG(e->st.st_mode) && has_type(o, e->name);
}

void rg_walk(rg_options *o, const char *root, bool implicit,
             void (*visit)(rg_options *o, const char *path)) {
    state s = {.o = o, .root_len = strlen(root), .start = g_canonicalize(root, G_ALL_EXIST, false)};
    push_above(&s);
    for (size_t at = 0; at < o->ignore_files.len; at += strlen(o->ignore_files.s + at) + 1)
        rg_globs_read(&s.explicit_files, o->ignore_files.s + at);
    unsigned flags = G_WALK_SORTED | (o->follow ? G_WALK_FOLLOW : G_WALK_FOLLOW_ROOT) |
                     (o->one_device ? G_WALK_SAME_DEVICE : 0);
    g_walk *walk = g_walk_start(root, flags);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        const char *shown = implicit && strncmp(e->path, "./", 2) == 0 ? e->path + 2 : e->path;
        switch (e->kind) {
        case G_WALK_DIR:
            if (!is_wanted(&s, e) || (o->max_depth >= 0 && e->depth >= o->max_depth)) {
                g_walk_skip(walk);
                break;
            }
            push_level(&s, e->path);
            break;
        case G_WALK_DIR_END: pop_level(&s); break;
        case G_WALK_FILE:
            if (is_wanted(&s, e)) visit(o, shown);
            break;
        case G_WALK_DIR_ERROR:
        case G_WALK_STAT_ERROR: report(o, e->error, shown); break;
        case G_WALK_CYCLE: break;
        }
        if (o->quiet && o->matched) break;
    }
    g_walk_end(walk);
    while (s.count > 0) pop_level(&s);
    free(s.levels);
    free(s.start);
    rg_globs_free(&s.explicit_files);
}
