/*
 * builtin/getopts.c: getopts.
 */
#include "builtin.h"

static void set_index(struct shell *sh, int index) {
    char text[16];
    snprintf(text, sizeof text, "%d", index);
    sh->getopts.index = index; /* so that the hook on OPTIND sees no change */
    int offset = sh->getopts.offset;
    var_set(sh, "OPTIND", text);
    sh->getopts.index = index;
    sh->getopts.offset = offset;
}

static int finish(struct shell *sh, const char *name, int index) {
    sh->getopts.offset = 0;
    set_index(sh, index);
    var_unset(sh, "OPTARG");
    if (!name_ok(name)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", name);
        return 1;
    }
    var_set(sh, name, "?");
    return 1;
}

/* What the option is; *arg its argument. ':' missing argument, '?' unknown. */
static char next_option(struct shell *sh, const char *spec, int n, char **args, int *index,
                        const char **arg, char *letter) {
    const char *word = args[*index - 1];
    int at = sh->getopts.offset ? sh->getopts.offset : 1;
    *letter = word[at];
    *arg = NULL;
    const char *found = *letter == ':' ? NULL : strchr(spec, *letter);
    bool last = word[at + 1] == 0;
    if (!found || found[1] != ':') {
        sh->getopts.offset = last ? 0 : at + 1;
        if (last) (*index)++;
        return found ? *letter : '?';
    }
    sh->getopts.offset = 0;
    (*index)++;
    if (!last) {
        *arg = word + at + 1;
    } else if (*index <= n) {
        *arg = args[*index - 1];
        (*index)++;
    } else {
        return ':';
    }
    return *letter;
}

static void complain(struct shell *sh, char result, char letter) {
    const char *opterr = var_get(sh, "OPTERR");
    if (opterr && strcmp(opterr, "0") == 0) return;
    sb out = {0};
    if (result == '?') sb_printf(&out, "%s: illegal option -- %c\n", sh->name, letter);
    else sb_printf(&out, "%s: option requires an argument -- %c\n", sh->name, letter);
    sh_write_err(out.s, out.n);
    sb_free(&out);
}

/* One that is readonly stays, which nobody is told. */
static void unset_argument(struct shell *sh) {
    struct var *v = var_find_raw(sh, "OPTARG");
    if (v && !(v->flags & V_READONLY)) var_unset(sh, "OPTARG");
}

BUILTIN(getopts) {
    struct bopt o = bopt_new(argc, argv);
    int c = bopt_next(sh, &o, "", NULL);
    if (c) return 2;
    argc -= o.index;
    argv += o.index;
    if (argc < 2) return sh_usage(sh);
    const char *spec = argv[0], *name = argv[1];
    bool silent = *spec == ':';
    if (silent) spec++;
    char **args = argc > 2 ? argv + 2 : sh->frame->args;
    int n = argc > 2 ? argc - 2 : sh->frame->nargs;
    int index = sh->getopts.index < 1 ? 1 : sh->getopts.index;
    if (index > n) return finish(sh, name, n + 1);
    const char *word = args[index - 1];
    if (sh->getopts.offset == 0 || (size_t)sh->getopts.offset >= strlen(word)) {
        sh->getopts.offset = 0;
        if (word[0] != '-' || !word[1]) return finish(sh, name, index);
        if (strcmp(word, "--") == 0) return finish(sh, name, index + 1);
    }
    const char *arg;
    char letter, result = next_option(sh, spec, n, args, &index, &arg, &letter);
    char text[2] = {result, 0}, bad[2] = {letter, 0};
    set_index(sh, index);
    if (result == '?' || result == ':') {
        if (silent) {
            var_set(sh, "OPTARG", bad);
        } else {
            complain(sh, result, letter);
            unset_argument(sh);
            text[0] = '?';
        }
    } else if (arg) {
        var_set(sh, "OPTARG", arg);
    } else {
        unset_argument(sh);
    }
    if (!name_ok(name)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", name);
        return 1;
    }
    return var_set(sh, name, text) ? 0 : 2;
}
