/*
 * builtin/history.c: history, and the builtins of line editing, which a script has no use for.
 */
#include "builtin.h"

/* No list is kept: line editing is the host's, and a script has none. It lists as empty; what would
 * put something into it, or read or write a file, says so. */
BUILTIN(history) {
    struct bopt o = bopt_new(argc, argv);
    for (int c; (c = bopt_next(sh, &o, "acd:npsrw", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'p') break;
        if (c == 'c' || c == 'd') continue;
        sh_builtin_error(sh, "-%c: this shell keeps no history list", c);
        return 1;
    }
    if (o.index > 1 && strchr(argv[o.index - 1], 'p')) {
        for (int i = o.index; i < argc; i++) out_printf(sh, "%s\n", argv[i]);
        return 0;
    }
    int64_t n;
    if (o.index < argc && !parse_int64(argv[o.index], &n)) {
        sh_builtin_error(sh, "%s: numeric argument required", argv[o.index]);
        return 1;
    }
    if (argc - o.index > 1) {
        sh_builtin_error(sh, "too many arguments");
        return 1;
    }
    return 0;
}

BUILTIN(unsupported) {
    if (strcmp(sh->builtin, "bind") == 0) {
        sh_builtin_error(sh, "warning: line editing not enabled");
        return 0;
    }
    if (strcmp(sh->builtin, "compopt") == 0) {
        sh_builtin_error(sh, "not currently executing completion function");
        return 1;
    }
    if (argc == 1 || strcmp(argv[1], "-l") == 0) return 0; /* fc: as history, an empty list */
    sh_builtin_error(sh, "history specification out of range");
    return 1;
}
