/*
 * builtin/table.c: the list of builtins with their usage lines, and how one is run.
 */
#include "builtin.h"

#define S B_SPECIAL
#define A B_ASSIGN

/* Sorted by name. */
static const struct builtin table[] = {
    {".", b_source, S, ". filename [arguments]"},
    {":", b_true, S, ": "},
    {"[", b_test, 0, "[ arg... ]"},
    {"alias", b_alias, A, "alias [-p] [name[=value] ... ]"},
    {"bg", b_bg, 0, "bg [job_spec ...]"},
    {"bind", b_unsupported, 0, "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name]"},
    {"break", b_break, S, "break [n]"},
    {"builtin", b_builtin, 0, "builtin [shell-builtin [arg ...]]"},
    {"caller", b_caller, 0, "caller [expr]"},
    {"cd", b_cd, 0, "cd [-L|[-P [-e]] [-@]] [dir]"},
    {"command", b_command, 0, "command [-pVv] command [arg ...]"},
    {"compgen", b_compgen, 0,
     "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] "
     "[-C command] [-X filterpat] [-P prefix] [-S suffix] [word]"},
    {"complete", b_complete, 0,
     "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] "
     "[-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]"},
    {"compopt", b_compopt, 0, "compopt [-o|+o option] [-DEI] [name ...]"},
    {"continue", b_break, S, "continue [n]"},
    {"declare", b_declare, A, "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]"},
    {"dirs", b_dirs, 0, "dirs [-clpv] [+N] [-N]"},
    {"disown", b_disown, 0, "disown [-h] [-ar] [jobspec ... | pid ...]"},
    {"echo", b_echo, 0, "echo [-neE] [arg ...]"},
    {"enable", b_enable, 0, "enable [-a] [-dnps] [-f filename] [name ...]"},
    {"eval", b_eval, S, "eval [arg ...]"},
    {"exec", b_exec, S, "exec [-cl] [-a name] [command [argument ...]] [redirection ...]"},
    {"exit", b_exit, S, "exit [n]"},
    {"export", b_export, S | A, "export [-fn] [name[=value] ...] or export -p"},
    {"false", b_false, 0, "false"},
    {"fc", b_fc, 0, "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]"},
    {"fg", b_fg, 0, "fg [job_spec]"},
    {"getopts", b_getopts, 0, "getopts optstring name [arg ...]"},
    {"hash", b_hash, 0, "hash [-lr] [-p pathname] [-dt] [name ...]"},
    {"help", b_help, 0, "help [-dms] [pattern ...]"},
    {"history", b_history, 0,
     "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]"},
    {"jobs", b_jobs, 0, "jobs [-lnprs] [jobspec ...] or jobs -x command [args]"},
    {"kill", b_kill, 0, "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"},
    {"let", b_let, 0, "let arg [arg ...]"},
    {"local", b_local, A, "local [option] name[=value] ..."},
    {"logout", b_logout, 0, "logout [n]"},
    {"mapfile", b_mapfile, 0,
     "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"},
    {"popd", b_popd, 0, "popd [-n] [+N | -N]"},
    {"printf", b_printf, 0, "printf [-v var] format [arguments]"},
    {"pushd", b_pushd, 0, "pushd [-n] [+N | -N | dir]"},
    {"pwd", b_pwd, 0, "pwd [-LP]"},
    {"read", b_read, 0,
     "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]"},
    {"readarray", b_mapfile, 0,
     "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"},
    {"readonly", b_readonly, S | A, "readonly [-aAf] [name[=value] ...] or readonly -p"},
    {"return", b_return, S, "return [n]"},
    {"set", b_set, S, "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]"},
    {"shift", b_shift, S, "shift [n]"},
    {"shopt", b_shopt, 0, "shopt [-pqsu] [-o] [optname ...]"},
    {"source", b_source, S, "source filename [arguments]"},
    {"suspend", b_suspend, 0, "suspend [-f]"},
    {"test", b_test, 0, "test [expr]"},
    {"times", b_times, S, "times"},
    {"tool", b_tool, 0, "tool NAME [--PARAM VALUE]... or tool --list|--search WORD|--help [NAME]"},
    {"trap", b_trap, S, "trap [-lp] [[arg] signal_spec ...]"},
    {"true", b_true, 0, "true"},
    {"type", b_type, 0, "type [-afptP] name [name ...]"},
    {"typeset", b_declare, A, "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]"},
    {"ulimit", b_ulimit, 0, "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]"},
    {"umask", b_umask, 0, "umask [-p] [-S] [mode]"},
    {"unalias", b_unalias, 0, "unalias [-a] name [name ...]"},
    {"unset", b_unset, S, "unset [-f] [-v] [-n] [name ...]"},
    {"wait", b_wait, 0, "wait [-fn] [-p var] [id ...]"},
};

const struct builtin *builtin_table(int *count) {
    *count = DIM(table);
    return table;
}

const struct builtin *builtin_find_any(const char *name) {
    int low = 0, high = DIM(table);
    if (!name) return NULL;
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(name, table[middle].name);
        if (order == 0) return &table[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

bool builtin_enabled(const struct shell *sh, int index) {
    return !(sh->builtin_off[index / 32] & (1u << (index % 32)));
}

void builtin_enable(struct shell *sh, int index, bool on) {
    uint32_t bit = 1u << (index % 32);
    if (on) sh->builtin_off[index / 32] &= ~bit;
    else sh->builtin_off[index / 32] |= bit;
}

const struct builtin *builtin_find(const struct shell *sh, const char *name) {
    const struct builtin *b = builtin_find_any(name);
    return b && builtin_enabled(sh, (int)(b - table)) ? b : NULL;
}

int builtin_run(struct shell *sh, const struct builtin *b, int argc, char **argv) {
    const char *was = sh->builtin;
    bool can_exec = sh->can_exec;
    if (b->run != b_exec && b->run != b_command) sh->can_exec = false;
    sh->builtin = b->name;
    sh->misused = false;
    int status = b->run(sh, argc, argv);
    sh->builtin = b->name;
    if ((sh->out.n > 0 || sh->out_failed) && out_flush(sh) < 0) {
        if (errno != EINTR) sh_builtin_error(sh, "write error: %s", strerror(errno));
        status = 1;
    }
    sh->builtin = was;
    sh->can_exec = can_exec;
    return status;
}

/* ------------------------------------------------------------------ options */

struct bopt bopt_new(int argc, char **argv) {
    return (struct bopt){.argc = argc, .argv = argv, .index = 1, .rest = ""};
}

int bopt_next(struct shell *sh, struct bopt *o, const char *spec, bool *plus) {
    bool accepts_plus = *spec == '+';
    if (accepts_plus) spec++;
    if (!*o->rest) {
        if (o->index >= o->argc) return 0;
        const char *arg = o->argv[o->index];
        if (!(arg[0] == '-' || (accepts_plus && arg[0] == '+')) || !arg[1]) return 0;
        if (strcmp(arg, "--") == 0) {
            o->index++;
            return 0;
        }
        if (strcmp(arg, "--help") == 0) {
            o->index++;
            b_print_help(sh, sh->builtin);
            o->text = "--help";
            return 'h' | 0x100;
        }
        o->plus = arg[0] == '+';
        o->rest = arg + 1;
        o->index++;
    }
    if (plus) *plus = o->plus;
    char c = *o->rest++;
    const char *at = c == ':' ? NULL : strchr(spec, c);
    if (!at) {
        char text[3] = {o->plus ? '+' : '-', c, 0};
        sh_bad_option(sh, text);
        return '?';
    }
    if (at[1] != ':') return c;
    if (*o->rest) {
        o->arg = o->rest;
        o->rest = "";
    } else if (o->index < o->argc) {
        o->arg = o->argv[o->index++];
    } else {
        sh_builtin_error(sh, "-%c: option requires an argument", c);
        sh_usage(sh);
        return '?';
    }
    return c;
}

bool parse_int64(const char *s, int64_t *out) {
    /* Nearly always it is a number that fits, and nothing else. */
    const char *at = s + (*s == '-');
    int64_t value = 0;
    int count = 0;
    while (count < 18 && at[count] >= '0' && at[count] <= '9')
        value = value * 10 + (at[count++] - '0');
    if (count > 0 && at[count] == 0) {
        *out = *s == '-' ? -value : value;
        return true;
    }
    s += strspn(s, " \t\n\v\f\r");
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    size_t n = strspn(digits, "0123456789");
    if (n == 0) return false;
    if (digits[n + strspn(digits + n, " \t\n\v\f\r")] != 0) return false;
    errno = 0;
    *out = strtoll(s, NULL, 10);
    return errno == 0;
}
