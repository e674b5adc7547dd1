/*
 * state.c: writes the state of the session's shell as records (state.h).
 *
 * Asked between two runs, when no function and no command is on: all variables are global, and a
 * trap for EXIT has run. What only this process has is named in records "left".
 */
#include "state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pf.h>

#include "builtin/builtin.h"

bool state_is_own(const char *name) {
    static const char *const own[] = {"BASH",      "BASH_VERSION", "BASH_VERSINFO",
                                      "EUID",      "PPID",         "UID"};
    for (int i = 0; i < DIM(own); i++)
        if (strcmp(name, own[i]) == 0) return true;
    return false;
}

/* ------------------------------------------------------------------ records */

static void put_number(sb *out, uint32_t n) {
    for (int i = 0; i < 4; i++) sb_putc(out, (char)(n >> (8 * i)));
}

static void put_field(sb *out, const char *s) {
    size_t n = strlen(s);
    put_number(out, (uint32_t)n);
    sb_put(out, s, n);
}

void state_put(sb *out, const char *const *fields) {
    uint32_t count = 0;
    while (fields[count]) count++;
    put_number(out, count);
    for (uint32_t i = 0; i < count; i++) put_field(out, fields[i]);
}

#define PUT(out, ...) state_put(out, (const char *const[]){__VA_ARGS__, NULL})

void state_leave(sb *out, const char *what, const char *name) {
    sb text = {0};
    sb_puts(&text, what);
    if (name) sb_printf(&text, " %s", name);
    PUT(out, "left", sb_str(&text));
    sb_free(&text);
}

static void put_int(sb *out, const char *kind, int64_t n) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, n);
    PUT(out, kind, text);
}

/* ------------------------------------------------------------------ variables */

static void put_array(sb *out, const char *name, const char *letters, const struct array *a) {
    int count = array_count(a);
    put_number(out, 3 + 2 * (uint32_t)count);
    put_field(out, "var");
    put_field(out, name);
    put_field(out, letters);
    for (int i = 0; i < count; i++) {
        int64_t index;
        const char *value = array_at(a, i, &index);
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, index);
        put_field(out, text);
        put_field(out, value);
    }
}

/* The last first: who adds them in this order gets the order of this one. */
static void put_assoc(struct shell *sh, sb *out, const char *name, const char *letters,
                      const struct assoc *a) {
    char **keys, **values;
    int count = assoc_count(a);
    assoc_list(a, &sh->tmp, &keys, &values);
    put_number(out, 3 + 2 * (uint32_t)count);
    put_field(out, "var");
    put_field(out, name);
    put_field(out, letters);
    for (int i = count - 1; i >= 0; i--) {
        put_field(out, keys[i]);
        put_field(out, values[i]);
    }
}

static void put_var(struct shell *sh, sb *out, struct var *v) {
    char letters[20];
    const char *name = v->entry.key;
    if (state_is_own(name)) return;
    var_attributes(v, letters);
    if (v->special && v->special->get) { /* its value is computed, or has a record of its own */
        PUT(out, "attr", name, letters);
        return;
    }
    if (v->flags & V_SET) strcat(letters, "s");
    if (v->flags & V_ARRAY)
        put_array(out, name, letters, var_array(v));
    else if (v->flags & V_ASSOC)
        put_assoc(sh, out, name, letters, var_assoc(v));
    else if (v->flags & V_SET)
        PUT(out, "var", name, letters, var_text(v));
    else
        PUT(out, "var", name, letters);
}

/* What each shell has when it starts, and this one has not any more. */
static void put_gone(struct shell *sh, sb *out) {
    static const char *const names[] = {
        "BASHPID",      "BASH_ARGV0", "BASH_COMMAND", "BASH_SUBSHELL", "COMP_WORDBREAKS", "DIRSTACK",
        "EPOCHREALTIME", "EPOCHSECONDS", "FUNCNAME",  "GROUPS",        "HISTCMD",         "HOSTNAME",
        "HOSTTYPE",     "IFS",        "LINENO",       "MACHTYPE",      "OLDPWD",          "OPTERR",
        "OPTIND",       "OSTYPE",     "PATH",         "PIPESTATUS",    "PS4",             "PWD",
        "RANDOM",       "SECONDS",    "SHELL",        "SHLVL",         "SRANDOM",         "TERM",
        "_"};
    for (int i = 0; i < DIM(names); i++)
        if (!var_find_raw(sh, names[i])) PUT(out, "gone", names[i]);
}

static void put_vars(struct shell *sh, sb *out) {
    int count;
    put_gone(sh, out);
    struct entry **list = table_sorted(sh->vars, &sh->tmp, &count);
    for (int i = 0; i < count; i++) put_var(sh, out, (struct var *)list[i]);
    struct var *seconds = var_find_raw(sh, "SECONDS");
    if (seconds && seconds->special) PUT(out, "seconds", var_str(sh, seconds));
    put_int(out, "random", sh->random);
}

/* ------------------------------------------------------------------ functions, aliases and the like */

static void put_funcs(struct shell *sh, sb *out) {
    int count;
    struct entry **list = table_sorted(sh->funcs, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        const struct func *f = (const struct func *)list[i];
        sb body = {0};
        char letters[4], line[16];
        snprintf(letters, sizeof letters, "%s%s%s", f->exported ? "x" : "", f->readonly ? "r" : "",
                 f->traced ? "t" : "");
        snprintf(line, sizeof line, "%d", f->line);
        print_function(&body, NULL, f->body);
        PUT(out, "func", f->entry.key, letters, f->file, line, sb_str(&body));
        sb_free(&body);
    }
}

static void put_tables(struct shell *sh, sb *out) {
    int count;
    struct entry **list = table_sorted(sh->aliases, &sh->tmp, &count);
    for (int i = 0; i < count; i++)
        PUT(out, "alias", list[i]->key, ((const struct alias *)list[i])->value);
    list = table_sorted(sh->hash, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        const struct hashed *h = (const struct hashed *)list[i];
        char hits[16];
        snprintf(hits, sizeof hits, "%d", h->hits);
        PUT(out, "hash", h->entry.key, h->path, hits);
    }
    int known;
    const struct builtin *table = builtin_table(&known);
    for (int i = 0; i < known; i++)
        if (!builtin_enabled(sh, i)) PUT(out, "disabled", table[i].name);
    complete_give(sh, out);
}

static void put_options(struct shell *sh, sb *out) {
    for (int i = 0; i < OPT_COUNT; i++) PUT(out, "set", option_name(i), sh->opt[i] ? "1" : "0");
    for (int i = 0; i < SHOPT_COUNT; i++) PUT(out, "shopt", shopt_name(i), sh->shopt[i] ? "1" : "0");
    if (sh->restricted) PUT(out, "restricted");
}

static void put_traps(struct shell *sh, sb *out) {
    for (int i = 0; i < TRAP_COUNT; i++)
        if (sh->trap_set[i] && sh->traps[i] && signal_name(i))
            PUT(out, "trap", signal_name(i), sh->traps[i]);
}

/* ------------------------------------------------------------------ what is where it is */

static void put_strings(sb *out, const char *kind, char *const *v, int n) {
    put_number(out, 1 + (uint32_t)n);
    put_field(out, kind);
    for (int i = 0; i < n; i++) put_field(out, v[i]);
}

static void put_place(struct shell *sh, sb *out) {
    char number[24];
    char *cwd = arena_alloc(&sh->tmp, PATH_MAX);
    if (getcwd(cwd, PATH_MAX)) PUT(out, "cwd", cwd);
    else state_leave(out, "the shell's working directory, which is not there any more", NULL);
    mode_t mask = umask(0);
    umask(mask);
    snprintf(number, sizeof number, "%o", (unsigned)mask);
    PUT(out, "umask", number);
    put_strings(out, "args", sh->frame->args, sh->frame->nargs);
    for (size_t at = 0; at < sh->dirs.n; at += strlen(sh->dirs.s + at) + 1)
        PUT(out, "dir", sh->dirs.s + at);
    snprintf(number, sizeof number, "%d", sh->getopts.offset);
    PUT(out, "getopts", arena_printf(&sh->tmp, "%d", sh->getopts.index), number);
    put_int(out, "history-base", sh->history.base);
    put_int(out, "history-unsaved", sh->history.unsaved);
    for (int i = 0; i < sh->history.n; i++) PUT(out, "history", sh->history.v[i]);
    for (int i = 0; i < sh->pipe_count; i++) put_int(out, "pipe", sh->pipe_status[i]);
    put_int(out, "status", sh->status);
    PUT(out, "name", sh->name);
}

/* What only a process has. */
static void put_left(struct shell *sh, sb *out) {
    for (int fd = 3; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC)) continue;
        state_leave(out, "the shell's open descriptor", arena_printf(&sh->tmp, "%d", fd));
    }
    for (const struct job *j = sh->jobs->first; j; j = j->next)
        state_leave(out, "the shell's job", arena_printf(&sh->tmp, "%%%d", j->id));
    if (sh->last_background)
        state_leave(out, "$!, the process", arena_printf(&sh->tmp, "%d", (int)sh->last_background));
}

void state_give(struct shell *sh, sb *out) {
    put_vars(sh, out);
    put_funcs(sh, out);
    put_tables(sh, out);
    put_options(sh, out);
    put_traps(sh, out);
    put_place(sh, out);
    put_left(sh, out);
}

bool state_run(struct shell *sh, const char *text, size_t n, int *status) {
    size_t head = sizeof STATE_TAKE - 1;
    bool give = n == sizeof STATE_GIVE - 1 && memcmp(text, STATE_GIVE, n) == 0;
    if (!give && (n < head || memcmp(text, STATE_TAKE, head) != 0)) return false;
    sb out = {0};
    arena_mark mark = arena_here(&sh->tmp);
    bool ok = true;
    if (give) state_give(sh, &out);
    else ok = state_take(sh, text + head, n - head, &out);
    ok = ok && pf_run_value(out.n ? out.s : "", out.n) == 0;
    arena_release(&sh->tmp, mark);
    sb_free(&out);
    *status = ok ? 0 : 1;
    return true;
}
