/*
 * builtin/trapcmd.c: trap.
 */
#include "builtin.h"

static void print_trap(struct shell *sh, int which) {
    const char *command = sh->traps[which];
    bool known = sh->trap_set[which] || sh->trap_inherited;
    if (!command || !known) {
        if (which > 0 && which < 65 && sh->ignored_at_start[which]) command = "";
        else return;
    }
    sb text = {0};
    sb_puts(&text, "trap -- ");
    quote_single(&text, command);
    const char *name = signal_name(which);
    bool pseudo = which == 0 || which > 64;
    sb_printf(&text, " %s%s\n", pseudo || sh->posix ? "" : "SIG", name);
    out_put(sh, text.s, text.n);
    sb_free(&text);
}

static int bad_signal(struct shell *sh, const char *spec) {
    sh_builtin_error(sh, "%s: invalid signal specification", spec);
    return 1;
}

BUILTIN(trap) {
    struct bopt o = bopt_new(argc, argv);
    bool print = false;
    for (int c; (c = bopt_next(sh, &o, "lpP", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'l') {
            signal_table(sh);
            return 0;
        }
        print = true;
    }
    int i = o.index, status = 0;
    if (i >= argc || print) {
        for (int which = 0; i >= argc && which < TRAP_COUNT; which++) print_trap(sh, which);
        for (; i < argc; i++) {
            int which = signal_number(argv[i]);
            if (which < 0) status = bad_signal(sh, argv[i]);
            else if (sh->posix && !sh->traps[which] && !(which < 65 && sh->ignored_at_start[which]))
                out_printf(sh, "trap -- - %s\n", signal_name(which));
            else print_trap(sh, which);
        }
        return status;
    }
    const char *command = argv[i];
    bool reset = strcmp(command, "-") == 0;
    if (argc - i == 1) { /* one argument: a signal to reset */
        bool number = command[strspn(command, "0123456789")] == 0;
        if (signal_number(command) < 0 || (sh->posix && !number)) return sh_usage(sh);
        reset = true;
    } else if (command[0] && command[strspn(command, "0123456789")] == 0 &&
               signal_number(command) >= 0) {
        reset = true; /* trap 2 15: all of them are signals */
    } else {
        i++;
    }
    for (; i < argc; i++) {
        int which = signal_number(argv[i]);
        if (which < 0) status = bad_signal(sh, argv[i]);
        else trap_set_command(sh, which, reset ? NULL : command);
    }
    return status;
}
