/*
 * statetake.c: takes the records of another shell over (state.h): data, and nothing of it runs.
 *
 * The session is fresh. Functions come first, because aliases and options of the other shell would
 * change how their texts are read; flags like readonly are set last on each variable.
 */
#include "state.h"

#include <sys/stat.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "history.h"

struct record {
    char **fields; /* copies, each ended by a NUL; in sh->tmp */
    uint32_t count;
};

struct source {
    const char *at, *end;
    bool bad;
};

static uint32_t get_number(struct source *s) {
    if (s->end - s->at < 4) {
        s->bad = true;
        return 0;
    }
    const unsigned char *p = (const unsigned char *)s->at;
    s->at += 4;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The next record; false at the end, or where it is malformed. */
static bool next_record(struct shell *sh, struct source *s, struct record *r) {
    if (s->at == s->end) return false;
    r->count = get_number(s);
    /* Each field has four bytes at least. */
    if (s->bad || r->count == 0 || r->count > (size_t)(s->end - s->at) / 4) s->bad = true;
    if (s->bad) return false;
    r->fields = arena_alloc(&sh->tmp, ((size_t)r->count + 1) * sizeof *r->fields);
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t n = get_number(s);
        if (s->bad || n > (size_t)(s->end - s->at) || memchr(s->at, 0, n)) s->bad = true;
        if (s->bad) return false;
        r->fields[i] = arena_strndup(&sh->tmp, s->at, n);
        s->at += n;
    }
    r->fields[r->count] = NULL;
    return true;
}

/* ------------------------------------------------------------------ variables */

static unsigned flags_of(const char *letters) {
    static const struct {
        char letter;
        unsigned flag;
    } table[] = {{'i', V_INTEGER}, {'n', V_NAMEREF}, {'r', V_READONLY}, {'t', V_TRACE},
                 {'x', V_EXPORT},  {'c', V_CAPITAL}, {'l', V_LOWER},    {'u', V_UPPER}};
    unsigned flags = 0;
    for (int i = 0; i < DIM(table); i++)
        if (strchr(letters, table[i].letter)) flags |= table[i].flag;
    return flags;
}

static void set_flags(struct shell *sh, struct var *v, const char *letters) {
    v->flags = (uint16_t)((v->flags & ~(unsigned)V_ATTRIBUTES) | flags_of(letters));
    var_export(sh, v, v->flags & V_EXPORT); /* the environment is made anew */
}

static bool take_array(struct shell *sh, struct var *v, const struct record *r) {
    struct array *a = var_empty_array(sh, v);
    for (uint32_t i = 3; i + 1 < r->count; i += 2) {
        int64_t index;
        if (!parse_int64(r->fields[i], &index) || index < 0) return false;
        array_set(a, index, r->fields[i + 1]);
    }
    return true;
}

static bool take_var(struct shell *sh, const struct record *r) {
    const char *name = r->fields[1], *letters = r->fields[2];
    if (!name_ok(name) || state_is_own(name)) return false;
    struct var *v = var_find_raw(sh, name);
    if (v) var_remove(sh, v);
    v = var_make_local(sh, name, 0);
    bool ok = true;
    if (strchr(letters, 'a')) {
        ok = take_array(sh, v, r);
    } else if (strchr(letters, 'A')) {
        struct assoc *a = var_empty_assoc(sh, v);
        for (uint32_t i = 3; i + 1 < r->count; i += 2) assoc_set(a, r->fields[i], r->fields[i + 1]);
    } else if (r->count > 3) {
        var_put(sh, v, r->fields[3]);
    }
    if (!strchr(letters, 's')) v->flags &= (uint16_t)~V_SET;
    set_flags(sh, v, letters);
    var_changed(sh, v);
    return ok;
}

static bool take_attr(struct shell *sh, const struct record *r) {
    struct var *v = var_find_raw(sh, r->fields[1]);
    if (!v || !v->special || !v->special->get) return false;
    set_flags(sh, v, r->fields[2]);
    return true;
}

static bool take_gone(struct shell *sh, const struct record *r) {
    struct var *v = var_find_raw(sh, r->fields[1]);
    if (v && !state_is_own(r->fields[1])) var_remove(sh, v);
    return true;
}

/* What the environment of this session brought is not the other's. */
static void forget_imported(struct shell *sh) {
    int count;
    struct entry **list = table_sorted(sh->vars, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)list[i];
        if (v->flags & V_IMPORTED && !(v->special && v->special->get)) var_remove(sh, v);
    }
}

static bool take_special(struct shell *sh, const char *name, const char *value) {
    struct var *v = var_find_raw(sh, name);
    return v && v->special && v->special->set && v->special->set(sh, v, value);
}

/* ------------------------------------------------------------------ functions and tables */

static bool take_func(struct shell *sh, const struct record *r) {
    sb text = {0};
    int64_t line = 1;
    bool extglob = sh->shopt[SHOPT_EXTGLOB], aliases = sh->shopt[SHOPT_EXPAND_ALIASES];
    sb_printf(&text, "_ () %s\n", r->fields[5]);
    parse_int64(r->fields[4], &line);
    sh->shopt[SHOPT_EXTGLOB] = true;
    sh->shopt[SHOPT_EXPAND_ALIASES] = false;
    struct tree *t = parse_text(sh, text.s, text.n, 1, NULL);
    sh->shopt[SHOPT_EXTGLOB] = extglob;
    sh->shopt[SHOPT_EXPAND_ALIASES] = aliases;
    bool ok = t && t->root && t->root->kind == N_FUNCTION && strcmp(t->root->func.name, "_") == 0;
    if (ok) {
        struct node named = *t->root;
        named.func.name = r->fields[1];
        named.line = (int)line;
        func_define(sh, &named, t);
        struct func *f = func_find(sh, r->fields[1]);
        free(f->file);
        f->file = xstrdup(r->fields[3]);
        f->exported = strchr(r->fields[2], 'x');
        f->readonly = strchr(r->fields[2], 'r');
        f->traced = strchr(r->fields[2], 't');
    }
    tree_drop(t);
    sb_free(&text);
    return ok;
}

static bool take_alias(struct shell *sh, const struct record *r) {
    alias_set(sh, r->fields[1], strlen(r->fields[1]), r->fields[2]);
    return true;
}

static bool take_hash(struct shell *sh, const struct record *r) {
    int64_t hits = 0;
    if (table_find(sh->hash, r->fields[1], strlen(r->fields[1]))) return false;
    struct hashed *h = xcalloc(1, sizeof *h);
    parse_int64(r->fields[3], &hits);
    h->entry.key = xstrdup(r->fields[1]);
    h->path = xstrdup(r->fields[2]);
    h->hits = (int)(hits & 0x7fffffff);
    table_add(sh->hash, &h->entry);
    return true;
}

static bool take_disabled(struct shell *sh, const struct record *r) {
    int count;
    const struct builtin *table = builtin_table(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(table[i].name, r->fields[1]) != 0) continue;
        builtin_enable(sh, i, false);
        return true;
    }
    return false;
}

static bool take_complete(struct shell *sh, const struct record *r) {
    complete_keep(sh, r->fields[1], r->fields[2]);
    return true;
}

static bool take_set(struct shell *sh, const struct record *r) {
    int option = option_find(r->fields[1]);
    if (option < 0) return false;
    bool on = *r->fields[2] == '1';
    if (option == OPT_POSIX && sh->posix != on) option_set(sh, option, on);
    sh->opt[option] = on;
    return true;
}

static bool take_shopt(struct shell *sh, const struct record *r) {
    int option = shopt_find(r->fields[1]);
    if (option >= 0) sh->shopt[option] = *r->fields[2] == '1';
    return option >= 0;
}

static bool take_trap(struct shell *sh, const struct record *r) {
    int which = signal_number(r->fields[1]);
    if (which >= 0) trap_set_command(sh, which, r->fields[2]);
    return which >= 0;
}

/* ------------------------------------------------------------------ what is where it is */

static bool take_cwd(struct shell *sh, const struct record *r) {
    (void)sh;
    return chdir(r->fields[1]) == 0;
}

static bool take_umask(struct shell *sh, const struct record *r) {
    (void)sh;
    umask((mode_t)strtoul(r->fields[1], NULL, 8) & 0777);
    return true;
}

static bool take_args(struct shell *sh, const struct record *r) {
    shell_set_args(sh, r->fields + 1, (int)r->count - 1);
    return true;
}

static bool take_dir(struct shell *sh, const struct record *r) {
    sb_put(&sh->dirs, r->fields[1], strlen(r->fields[1]) + 1);
    return true;
}

static bool take_history(struct shell *sh, const struct record *r) {
    history_add(sh, r->fields[1]);
    return true;
}

static bool take_pipe(struct shell *sh, const struct record *r) {
    int64_t n;
    if (!parse_int64(r->fields[1], &n) || sh->pipe_count > 1000) return false;
    int count = sh->pipe_count;
    int *all = xmalloc(((size_t)count + 1) * sizeof *all);
    if (count) memcpy(all, sh->pipe_status, (size_t)count * sizeof *all);
    all[count] = (int)n;
    exec_set_pipestatus(sh, all, count + 1);
    free(all);
    return true;
}

static bool take_number(struct shell *sh, const struct record *r) {
    int64_t n = 0, offset = 0;
    const char *kind = r->fields[0];
    if (!parse_int64(r->fields[1], &n)) return false;
    if (strcmp(kind, "random") == 0) sh->random = (uint32_t)n;
    else if (strcmp(kind, "status") == 0) sh->status = (int)(n & 255);
    else if (strcmp(kind, "seconds") == 0) return take_special(sh, "SECONDS", r->fields[1]);
    else if (strcmp(kind, "history-base") == 0) sh->history.base = (int)(n & 0x7fffffff);
    else if (strcmp(kind, "history-unsaved") == 0)
        sh->history.unsaved = n < 0 ? 0 : n > sh->history.n ? sh->history.n : (int)n;
    else if (r->count > 2 && parse_int64(r->fields[2], &offset) && n > 0 && offset >= 0)
        sh->getopts = (struct getopts_state){(int)(n & 0xffff), (int)(offset & 0xffff)};
    return true;
}

static bool take_name(struct shell *sh, const struct record *r) {
    if (strcmp(sh->name, r->fields[1]) != 0) sh->name = xstrdup(r->fields[1]);
    return true;
}

static bool take_restricted(struct shell *sh, const struct record *r) {
    (void)r;
    sh_restrict(sh);
    return true;
}

static bool take_nothing(struct shell *sh, const struct record *r) {
    (void)sh, (void)r;
    return true;
}

/* ------------------------------------------------------------------ all of it */

/* In the order in which they are taken: a variable that changes acts on what comes later. */
static const struct kind {
    const char *name;
    uint32_t fields; /* at least */
    bool (*take)(struct shell *sh, const struct record *r);
} kinds[] = {
    {"func", 6, take_func},         {"gone", 2, take_gone},
    {"var", 3, take_var},           {"attr", 3, take_attr},
    {"alias", 3, take_alias},       {"hash", 4, take_hash},
    {"disabled", 2, take_disabled}, {"complete", 3, take_complete},
    {"set", 3, take_set},           {"shopt", 3, take_shopt},
    {"trap", 3, take_trap},         {"cwd", 2, take_cwd},
    {"umask", 2, take_umask},       {"args", 1, take_args},
    {"dir", 2, take_dir},           {"getopts", 3, take_number},
    {"history", 2, take_history},   {"history-base", 2, take_number},
    {"history-unsaved", 2, take_number},
    {"pipe", 2, take_pipe},         {"seconds", 2, take_number},
    {"random", 2, take_number},     {"status", 2, take_number},
    {"name", 2, take_name},         {"left", 2, take_nothing},
    {"restricted", 1, take_restricted},
};

static int kind_of(const struct record *r) {
    for (int i = 0; i < DIM(kinds); i++)
        if (strcmp(kinds[i].name, r->fields[0]) == 0) return r->count >= kinds[i].fields ? i : -1;
    return -1;
}

static void leave(struct shell *sh, const struct record *r, sb *out) {
    const char *name = r->count > 1 ? r->fields[1] : "";
    state_leave(out, arena_printf(&sh->tmp, "of the shell: %s", r->fields[0]), name);
}

/* One pass for each kind, so that records may come in any order. */
bool state_take(struct shell *sh, const char *text, size_t n, sb *out) {
    for (int pass = -1; pass < DIM(kinds); pass++) {
        struct source s = {.at = text, .end = text + n};
        if (pass == 0) forget_imported(sh);
        for (struct record r;;) {
            arena_mark mark = arena_here(&sh->tmp);
            if (!next_record(sh, &s, &r)) break;
            int kind = kind_of(&r);
            bool taken = pass < 0 ? kind >= 0 : kind != pass || kinds[kind].take(sh, &r);
            if (!taken) leave(sh, &r, out);
            arena_release(&sh->tmp, mark);
        }
        if (s.bad) return false;
    }
    sh->flow = FLOW_NONE;
    return true;
}
