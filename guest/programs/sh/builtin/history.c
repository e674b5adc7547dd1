/*
 * builtin/history.c: history, and the builtins of line editing, which a script has no use for.
 */
#include "builtin.h"

/* A shell that reads no terminal keeps no history: the list is empty. */
BUILTIN(history) {
    struct bopt o = bopt_new(argc, argv);
    for (int c; (c = bopt_next(sh, &o, "acd:npsrw", NULL));) {
        if (bopt_over(c)) return 2;
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
    (void)argc, (void)argv;
    if (strcmp(sh->builtin, "bind") == 0) {
        sh_builtin_error(sh, "warning: line editing not enabled");
        return 1;
    }
    if (strcmp(sh->builtin, "compopt") == 0) {
        sh_builtin_error(sh, "not currently executing completion function");
        return 1;
    }
    sh_builtin_error(sh, "history specification out of range");
    return 1;
}
