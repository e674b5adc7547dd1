/*
 * special.c: variables that the shell computes when they are read, or acts on when they change.
 */
#include "sh.h"

#include "history.h"

#include <fcntl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <pf.h>

/* ------------------------------------------------------------------ computed ones */

static void put_number(struct shell *sh, struct var *v, int64_t n) {
    char text[ARITH_DIGITS];
    arith_digits(text, n);
    var_put(sh, v, text);
}

static void get_lineno(struct shell *sh, struct var *v) {
    put_number(sh, v, sh->line);
}
static void get_bashpid(struct shell *sh, struct var *v) {
    put_number(sh, v, getpid());
}
static void get_subshell(struct shell *sh, struct var *v) {
    put_number(sh, v, sh->subshell + sh->subshell_shift);
}
static bool set_subshell(struct shell *sh, struct var *v, const char *value) {
    int64_t n = 0;
    (void)v;
    parse_int64(value, &n);
    sh->subshell_shift = (int)n - sh->subshell;
    return true;
}

static void get_random(struct shell *sh, struct var *v) {
    if (sh->random == 0) sh->random = 123459876;
    int64_t h = (int64_t)sh->random / 127773, l = (int64_t)sh->random - 127773 * h;
    int64_t t = 16807 * l - 2836 * h; /* Park and Miller's minimal standard generator */
    sh->random = (uint32_t)(t < 0 ? t + 0x7fffffff : t);
    put_number(sh, v, ((sh->random >> 16) ^ (sh->random & 65535)) & 32767);
}

static bool set_random(struct shell *sh, struct var *v, const char *value) {
    int64_t n = 0;
    (void)v;
    parse_int64(value, &n);
    sh->random = (uint32_t)n;
    return true;
}

static void get_srandom(struct shell *sh, struct var *v) {
    uint32_t n;
    pf_random(&n, sizeof n);
    put_number(sh, v, n);
}

static int64_t now_us(void) {
    struct timeval tv;
    gettimeofday(&tv, NULL);
    return (int64_t)tv.tv_sec * 1000000 + tv.tv_usec;
}

static void get_seconds(struct shell *sh, struct var *v) {
    put_number(sh, v, now_us() / 1000000 - sh->seconds_base);
}

static bool set_seconds(struct shell *sh, struct var *v, const char *value) {
    int64_t n = 0;
    (void)v;
    parse_int64(value, &n);
    sh->seconds_base = now_us() / 1000000 - n;
    return true;
}

static void get_epochseconds(struct shell *sh, struct var *v) {
    put_number(sh, v, now_us() / 1000000);
}

static void get_epochrealtime(struct shell *sh, struct var *v) {
    char text[48];
    int64_t us = now_us();
    snprintf(text, sizeof text, "%" PRId64 ".%06d", us / 1000000, (int)(us % 1000000));
    var_put(sh, v, text);
}

static void get_command(struct shell *sh, struct var *v) {
    if (!sh->command) {
        if (sh->command_text) var_put(sh, v, sh->command_text);
        return;
    }
    sb text = {0};
    print_head(&text, sh->command);
    var_put(sh, v, sb_str(&text));
    sb_free(&text);
}

static void get_argv0(struct shell *sh, struct var *v) {
    var_put(sh, v, sh->name);
}

static bool set_argv0(struct shell *sh, struct var *v, const char *value) {
    (void)v;
    sh->name = xstrdup(value); /* the old one may be in use; it is set once or twice in a life */
    return true;
}

static void get_shellopts(struct shell *sh, struct var *v) {
    sb text = {0};
    option_list(sh, strcmp(v->entry.key, "BASHOPTS") == 0, &text);
    var_put(sh, v, sb_str(&text));
    sb_free(&text);
}

/* FUNCNAME BASH_SOURCE BASH_LINENO from the frames; the outermost counts when it is a script. */
static void get_stack(struct shell *sh, struct var *v) {
    const char *key = v->entry.key;
    bool names = key[0] == 'F', lines = key[5] == 'L', in_function = false;
    int64_t i = 0;
    struct array *a = var_empty_array(sh, v);
    for (const struct frame *f = sh->frame; f; f = f->up) in_function |= f->is_function;
    if (names && !in_function) {
        v->flags &= (uint16_t)~V_SET;
        return;
    }
    for (const struct frame *f = sh->frame; f && (f->up || f->file); f = f->up) {
        char number[16];
        snprintf(number, sizeof number, "%d", f->line);
        array_set(a, i++, lines ? number : names ? f->name : f->file);
    }
}

/* BASH_ARGC and BASH_ARGV: of every call with shopt extdebug, else of the script alone. */
static void get_arguments(struct shell *sh, struct var *v) {
    bool counts = v->entry.key[8] == 'C';
    int64_t i = 0;
    struct array *a = var_empty_array(sh, v);
    for (const struct frame *f = sh->frame; f; f = f->up) {
        if (f->up && !sh->shopt[SHOPT_EXTDEBUG]) continue;
        char number[16];
        snprintf(number, sizeof number, "%d", f->nargs);
        if (counts) array_set(a, i++, number);
        for (int k = f->nargs; !counts && k > 0; k--) array_set(a, i++, f->args[k - 1]);
    }
}

static void get_pipestatus(struct shell *sh, struct var *v) {
    struct array *a = var_empty_array(sh, v);
    for (int i = 0; i < sh->pipe_count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", sh->pipe_status[i]);
        array_set(a, i, text);
    }
}

static void get_groups(struct shell *sh, struct var *v) {
    struct array *a = var_empty_array(sh, v);
    char text[16];
    snprintf(text, sizeof text, "%d", (int)getgid());
    array_set(a, 0, text);
}

static void get_dirstack(struct shell *sh, struct var *v) {
    struct array *a = var_empty_array(sh, v);
    const char *pwd = var_get(sh, "PWD");
    array_set(a, 0, pwd ? pwd : "");
    int64_t i = 1;
    for (size_t at = 0; at < sh->dirs.n; at += strlen(sh->dirs.s + at) + 1)
        array_set(a, i++, sh->dirs.s + at);
}

static void get_aliases(struct shell *sh, struct var *v) {
    struct assoc *a = var_empty_assoc(sh, v);
    arena_mark mark = arena_here(&sh->tmp);
    int count;
    struct entry **list = table_sorted(sh->aliases, &sh->tmp, &count);
    for (int i = 0; i < count; i++)
        assoc_set(a, list[i]->key, ((struct alias *)list[i])->value);
    arena_release(&sh->tmp, mark);
}

/* BASH_ALIASES[name]=… is an alias as `alias` makes it. */
static void alias_element(struct shell *sh, const char *key, const char *value) {
    if (alias_name_ok(key, strlen(key))) alias_set(sh, key, strlen(key), value);
    else sh_error(sh, "`%s': invalid alias name", key);
}

static void command_element(struct shell *sh, const char *key, const char *value) {
    path_hash_keep(sh, key, value, 0);
}

static void get_commands(struct shell *sh, struct var *v) {
    struct assoc *a = var_empty_assoc(sh, v);
    arena_mark mark = arena_here(&sh->tmp);
    int count;
    struct entry **list = table_sorted(sh->hash, &sh->tmp, &count);
    for (int i = 0; i < count; i++)
        if (path_hashed(sh, list[i]->key))
            assoc_set(a, list[i]->key, ((struct hashed *)list[i])->path);
    arena_release(&sh->tmp, mark);
}

/* ------------------------------------------------------------------ watched ones */

static void ifs_changed(struct shell *sh, struct var *v) {
    const char *ifs = v ? var_str(sh, v) : NULL;
    bool wide = false;
    if (!ifs) ifs = " \t\n";
    memset(sh->ifs_class, 0, sizeof sh->ifs_class);
    for (const char *p = ifs; *p;) {
        int n = u8_len(p, strlen(p));
        bool space = *p == ' ' || *p == '\t' || *p == '\n';
        sh->ifs_class[(unsigned char)*p] = space ? 1 : n > 1 ? 3 : 2;
        wide |= n > 1;
        p += n;
    }
    free(sh->ifs);
    sh->ifs = wide ? xstrdup(ifs) : NULL;
    int n = *ifs ? u8_len(ifs, strlen(ifs)) : 0;
    memcpy(sh->ifs_first, ifs, (size_t)n);
    sh->ifs_first[n] = 0;
    sh->ifs_null = !*ifs;
}

/* GLOBIGNORE brings dotglob with it, which can be taken away again. */
static void globignore_changed(struct shell *sh, struct var *v) {
    const char *value = v ? var_str(sh, v) : NULL;
    if (!value || *value) sh->shopt[SHOPT_DOTGLOB] = value != NULL;
}

static void path_changed(struct shell *sh, struct var *v) {
    (void)v;
    path_hash_clear(sh);
}

static void tz_changed(struct shell *sh, struct var *v) {
    const char *tz = v ? var_str(sh, v) : NULL;
    if (tz)
        setenv("TZ", tz, 1);
    else
        unsetenv("TZ");
    tzset();
    (void)sh;
}

static void locale_changed(struct shell *sh, struct var *v) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = "";
    (void)v;
    for (int i = 0; i < DIM(names) && !*value; i++) {
        const char *one = var_get(sh, names[i]);
        if (one) value = one;
    }
    u8_set_locale(value);
}

static void optind_changed(struct shell *sh, struct var *v) {
    const char *s = v ? var_str(sh, v) : NULL;
    int64_t n = 0;
    if (s) parse_int64(s, &n);
    if (n != sh->getopts.index || n == 1) {
        sh->getopts.index = n > 0 ? (int)n : 1;
        sh->getopts.offset = 0;
    }
}

static void posix_changed(struct shell *sh, struct var *v) {
    option_set(sh, OPT_POSIX, v && (v->flags & V_SET));
}

static void xtracefd_changed(struct shell *sh, struct var *v) {
    const char *s = v ? var_str(sh, v) : NULL;
    int64_t fd = 2;
    bool wrong = s && *s && !(parse_int64(s, &fd) && fd == (int)fd && fcntl((int)fd, F_GETFD) >= 0);
    if (wrong) sh_error(sh, "%s: %s: invalid value for trace file descriptor", v->entry.key, s);
    if (wrong) return;
    if (sh->trace_fd > 2 && !(s && *s)) close(sh->trace_fd); /* as bash does */
    sh->trace_fd = (int)fd;
}

static void ignoreeof_changed(struct shell *sh, struct var *v) {
    sh->opt[OPT_IGNOREEOF] = v && (v->flags & V_SET);
}

/* Both count at once, as in bash: for the list, and for the file that HISTFILE names. */
static void histsize_changed(struct shell *sh, struct var *v) {
    (void)v;
    history_shrink(sh);
}

static void histfilesize_changed(struct shell *sh, struct var *v) {
    const char *text = v ? var_str(sh, v) : NULL, *path = var_get(sh, "HISTFILE");
    int64_t n;
    if (text && *text && path && *path && parse_int64(text, &n) && n >= 0)
        history_cut_file(sh, path, n);
}

static void get_wordbreaks(struct shell *sh, struct var *v) {
    if (!(v->flags & V_SET)) var_put(sh, v, " \t\n\"'@><=;|&(:");
}

static void get_histcmd(struct shell *sh, struct var *v) {
    put_number(sh, v, sh->opt[OPT_HISTORY] ? sh->history.base + sh->history.n : 0);
}

static void get_execution_string(struct shell *sh, struct var *v) {
    if (sh->command_string) var_put(sh, v, sh->command_string);
}

/* Sorted by name. */
static const struct special specials[] = {
    {"BASHOPTS", get_shellopts, NULL, NULL, 0, NULL},
    {"BASHPID", get_bashpid, NULL, NULL, 1, NULL},
    {"BASH_ALIASES", get_aliases, NULL, NULL, 0, alias_element},
    {"BASH_ARGC", get_arguments, NULL, NULL, 1, NULL},
    {"BASH_ARGV", get_arguments, NULL, NULL, 1, NULL},
    {"BASH_ARGV0", get_argv0, set_argv0, NULL, 1, NULL},
    {"BASH_CMDS", get_commands, NULL, NULL, 0, command_element},
    {"BASH_COMMAND", get_command, NULL, NULL, 1, NULL},
    {"BASH_EXECUTION_STRING", get_execution_string, NULL, NULL, 0, NULL},
    {"BASH_LINENO", get_stack, NULL, NULL, 0, NULL},
    {"BASH_SOURCE", get_stack, NULL, NULL, 0, NULL},
    {"BASH_SUBSHELL", get_subshell, set_subshell, NULL, 1, NULL},
    {"BASH_XTRACEFD", NULL, NULL, xtracefd_changed, 0, NULL},
    {"COMP_WORDBREAKS", get_wordbreaks, NULL, NULL, 1, NULL},
    {"DIRSTACK", get_dirstack, NULL, NULL, 1, dirs_element},
    {"EPOCHREALTIME", get_epochrealtime, NULL, NULL, 1, NULL},
    {"EPOCHSECONDS", get_epochseconds, NULL, NULL, 1, NULL},
    {"FUNCNAME", get_stack, NULL, NULL, 0, NULL},
    {"GLOBIGNORE", NULL, NULL, globignore_changed, 0, NULL},
    {"GROUPS", get_groups, NULL, NULL, 1, NULL},
    {"HISTCMD", get_histcmd, NULL, NULL, 1, NULL},
    {"HISTFILESIZE", NULL, NULL, histfilesize_changed, 0, NULL},
    {"HISTSIZE", NULL, NULL, histsize_changed, 0, NULL},
    {"IFS", NULL, NULL, ifs_changed, 0, NULL},
    {"IGNOREEOF", NULL, NULL, ignoreeof_changed, 0, NULL},
    {"LANG", NULL, NULL, locale_changed, 0, NULL},
    {"LC_ALL", NULL, NULL, locale_changed, 0, NULL},
    {"LC_CTYPE", NULL, NULL, locale_changed, 0, NULL},
    {"LINENO", get_lineno, NULL, NULL, 1, NULL},
    {"OPTIND", NULL, NULL, optind_changed, 0, NULL},
    {"PATH", NULL, NULL, path_changed, 0, NULL},
    {"PIPESTATUS", get_pipestatus, NULL, NULL, 0, NULL},
    {"POSIXLY_CORRECT", NULL, NULL, posix_changed, 0, NULL},
    {"RANDOM", get_random, set_random, NULL, 1, NULL},
    {"SECONDS", get_seconds, set_seconds, NULL, 1, NULL},
    {"SHELLOPTS", get_shellopts, NULL, NULL, 0, NULL},
    {"SRANDOM", get_srandom, NULL, NULL, 1, NULL},
    {"TZ", NULL, NULL, tz_changed, 0, NULL},
};

const struct special *special_find(const char *name) {
    if (*name < 'B' || *name > 'T') return NULL;
    int low = 0, high = DIM(specials);
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(name, specials[middle].name);
        if (order == 0) return &specials[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool special_is_fixed(const char *name) {
    static const char *const names[] = {"BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE",
                                        "FUNCNAME", "GROUPS"};
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

void special_init(struct shell *sh) {
    for (int i = 0; i < DIM(specials); i++)
        if (specials[i].get) var_make_local(sh, specials[i].name, 0);
    ifs_changed(sh, NULL);
    sh->seconds_base = now_us() / 1000000;
    uint32_t seed;
    pf_random(&seed, sizeof seed);
    sh->random = seed & 0x7fffffff;
    sh->getopts.index = 1;
    static const char *const readonly[] = {"BASHOPTS", "SHELLOPTS"};
    for (int i = 0; i < DIM(readonly); i++)
        var_make_local(sh, readonly[i], 0)->flags |= V_READONLY | V_SET;
    static const char *const integers[] = {"BASHPID", "HISTCMD", "RANDOM", "SECONDS", "SRANDOM"};
    for (int i = 0; i < DIM(integers); i++) var_make_local(sh, integers[i], 0)->flags |= V_INTEGER;
    static const char *const arrays[] = {"BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE",
                                         "FUNCNAME",  "DIRSTACK",  "GROUPS",      "PIPESTATUS"};
    for (int i = 0; i < DIM(arrays); i++) {
        struct var *v = var_make_local(sh, arrays[i], 0);
        var_to_array(sh, v);
        if (strcmp(arrays[i], "FUNCNAME") != 0) v->flags |= V_SET;
    }
    static const char *const tables[] = {"BASH_ALIASES", "BASH_CMDS"};
    for (int i = 0; i < DIM(tables); i++) {
        struct var *v = var_make_local(sh, tables[i], 0);
        v->value.assoc = assoc_new_sized(i ? HASH_BUCKETS : ALIAS_BUCKETS);
        v->flags |= V_ASSOC;
    }
    sh->specials_made = true;
}
