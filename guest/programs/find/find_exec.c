/*
 * find_exec.c: -exec, -execdir, -ok and their batches.
 *
 * A batch collects names until the arguments would be too long and runs at the end of find, or for
 * -execdir when the directory changes.
 */
#include "find.h"
#include "g_file.h"
#include "g_quote.h"
#include "g_spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of arguments of one command, as GNU find allows. */
#define BATCH_BYTES (128u << 10)

struct find_exec {
    find_state *f;
    char **words;
    int count;
    bool batch, in_dir, ask;
    char **names; /* of the batch */
    size_t name_count, name_cap, bytes;
    char *dir;    /* -execdir: where the names of the batch are */
    find_exec *next;
};

find_exec *find_exec_new(find_state *f, char **words, int count, bool batch, bool in_dir, bool ask) {
    find_exec *x = g_zalloc(sizeof *x);
    x->f = f;
    x->words = words;
    x->count = count;
    x->batch = batch;
    x->in_dir = in_dir;
    x->ask = ask;
    find_exec **last = &f->execs;
    while (*last) last = &(*last)->next;
    *last = x;
    return x;
}

/* Runs and waits; true for status 0. */
static bool run(find_exec *x, char **argv, const char *dir) {
    find_flush_outputs(x->f);
    pid_t pid = g_spawn(argv, dir, x->ask ? G_STDIN_NULL : G_STDIN_SAME);
    if (pid < 0) {
        g_warn_errno(errno, "%s", g_quote(argv[0]));
        if (x->batch) x->f->status = 1;
        return false;
    }
    int status = g_exit_status(g_wait(pid));
    if (x->batch && status) x->f->status = 1;
    return status == 0;
}

static bool run_batch(find_exec *x) {
    if (x->name_count == 0) return true;
    char **argv = g_resize(NULL, (size_t)x->count + x->name_count + 1, sizeof *argv);
    memcpy(argv, x->words, (size_t)x->count * sizeof *argv);
    memcpy(argv + x->count, x->names, x->name_count * sizeof *argv);
    argv[(size_t)x->count + x->name_count] = NULL;
    bool good = run(x, argv, x->in_dir ? x->dir : NULL);
    for (size_t i = 0; i < x->name_count; i++) free(x->names[i]);
    x->name_count = 0;
    x->bytes = 0;
    free(argv);
    return good;
}

void find_exec_finish(find_state *f) {
    for (find_exec *x = f->execs; x; x = x->next)
        if (x->batch) run_batch(x);
}

/* Every {} of a word becomes the name. */
static char *replaced(const char *word, const char *name) {
    g_text out = {0};
    g_text_adds(&out, "");
    for (const char *p; (p = strstr(word, "{}")); word = p + 2) {
        g_text_add(&out, word, (size_t)(p - word));
        g_text_adds(&out, name);
    }
    g_text_adds(&out, word);
    return out.s;
}

static void add_to_batch(find_exec *x, const char *name, char *dir) {
    size_t len = strlen(name) + 1;
    bool elsewhere = x->in_dir && x->dir && strcmp(x->dir, dir) != 0;
    if (x->name_count && (elsewhere || x->bytes + len > BATCH_BYTES - 4096)) run_batch(x);
    if (x->in_dir) {
        free(x->dir);
        x->dir = dir;
    }
    if (x->name_count == x->name_cap) x->names = g_more(x->names, &x->name_cap, sizeof *x->names);
    x->names[x->name_count++] = g_copy_string(name);
    x->bytes += len + sizeof(char *);
}

static bool ask(find_exec *x, const char *name) {
    g_out_flush();
    fprintf(stderr, "< %s ... %s > ? ", x->words[0], name);
    return g_yes();
}

bool find_exec_run(find_file *file, find_exec *x) {
    const g_entry *e = file->e;
    char *dir = NULL, *short_name = NULL;
    const char *name = e->path;
    if (x->in_dir) {
        char *base = g_base(e->path);
        short_name = strcmp(base, "/") == 0 ? g_copy_string(base) : g_join(".", base);
        free(base);
        size_t above = (size_t)(g_last_part(e->path) - e->path);
        dir = above ? g_copy_bytes(e->path, above) : g_copy_string(".");
        name = short_name;
    }
    bool good = true;
    if (x->batch) {
        add_to_batch(x, name, dir);
    } else if (!x->ask || ask(x, e->path)) {
        char **argv = g_resize(NULL, (size_t)x->count + 1, sizeof *argv);
        for (int i = 0; i < x->count; i++) argv[i] = replaced(x->words[i], name);
        argv[x->count] = NULL;
        good = run(x, argv, dir);
        for (int i = 0; i < x->count; i++) free(argv[i]);
        free(argv);
    } else {
        good = false;
    }
    if (!x->batch) free(dir);
    free(short_name);
    return good;
}
