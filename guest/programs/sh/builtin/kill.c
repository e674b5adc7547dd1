/*
 * builtin/kill.c: kill.
 */
#include "builtin.h"

#include <signal.h>
#include <strings.h>
#include <unistd.h>

void signal_table(struct shell *sh) {
    int column = 0;
    for (int i = 1; i < 65; i++) {
        const char *name = signal_name(i);
        if (!name) continue;
        out_printf(sh, "%2d) SIG%s", i, name);
        if (++column < 5) {
            out_putc(sh, '\t');
        } else {
            out_putc(sh, '\n');
            column = 0;
        }
    }
    if (column) out_putc(sh, '\n');
}

static int list_signals(struct shell *sh, int n, char **specs) {
    if (n == 0 && sh->posix) {
        for (int i = 1; i < 65; i++)
            if (signal_name(i)) out_printf(sh, "%s%s", i > 1 ? " " : "", signal_name(i));
        out_putc(sh, '\n');
        return 0;
    }
    if (n == 0) {
        signal_table(sh);
        return 0;
    }
    int status = 0;
    for (int i = 0; i < n; i++) {
        int64_t number;
        if (parse_int64(specs[i], &number)) {
            const char *name = NULL;
            if (number > 128) number -= 128;
            if (number >= 0 && number < 65) name = signal_name((int)number);
            if (name) {
                out_printf(sh, "%s\n", name);
                continue;
            }
        } else {
            int sig = signal_number(specs[i]);
            if (sh->posix && strncasecmp(specs[i], "SIG", 3) == 0) sig = -1;
            if (sig >= 0) {
                out_printf(sh, "%d\n", sig > 64 ? sig : sig);
                continue;
            }
        }
        sh_builtin_error(sh, "%s: invalid signal specification", specs[i]);
        status = 1;
    }
    return status;
}

static int kill_job(struct shell *sh, const char *spec, int sig) {
    struct job *j = job_find(sh, spec, false);
    if (!j) return 1;
    int failed = 0;
    if (j->job_control) {
        failed = killpg(j->group, sig);
        if (failed == 0 && job_state(j) == JOB_STOPPED && (sig == SIGTERM || sig == SIGHUP))
            killpg(j->group, SIGCONT);
    } else {
        for (int i = 0; i < j->count; i++)
            if (j->processes[i].state != JOB_DONE && kill(j->processes[i].pid, sig) < 0) failed = -1;
    }
    if (failed < 0) {
        sh_builtin_error(sh, "%s: %s", spec, strerror(errno));
        return 1;
    }
    return 0;
}

static int kill_one(struct shell *sh, const char *arg, int sig) {
    int64_t pid;
    if (*arg == '%') return kill_job(sh, arg, sig);
    if (!*arg) {
        sh_builtin_error(sh, "`': not a pid or valid job spec");
        return 1;
    }
    if (!parse_int64(arg, &pid) || pid != (pid_t)pid) {
        sh_builtin_error(sh, "%s: arguments must be process or job IDs", arg);
        return 1;
    }
    if (kill((pid_t)pid, sig) < 0) {
        sh_builtin_error(sh, "(%ld) - %s", (long)pid, strerror(errno));
        return 1;
    }
    return 0;
}

/* In POSIX mode names come without SIG. */
static int number_of(struct shell *sh, const char *name) {
    bool prefixed = (name[0] | 32) == 's' && (name[1] | 32) == 'i' && (name[2] | 32) == 'g';
    return sh->posix && prefixed ? -1 : signal_number(name);
}

static int bad_signal(struct shell *sh, const char *spec) {
    sh_builtin_error(sh, "%s: invalid signal specification", spec);
    return 1;
}

BUILTIN(kill) {
    int sig = SIGTERM, i = 1;
    if (argc == 1) return sh_usage(sh);
    for (; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "-l") == 0 || strcmp(arg, "-L") == 0) {
            i += i + 1 < argc && strcmp(argv[i + 1], "--") == 0;
            return list_signals(sh, argc - i - 1, argv + i + 1);
        }
        if (strcmp(arg, "-s") == 0 || strcmp(arg, "-n") == 0) {
            if (++i >= argc) {
                sh_builtin_error(sh, "%s: option requires an argument", arg);
                return 1;
            }
            sig = number_of(sh, argv[i]);
            if (sig < 0 || sig > 64) return bad_signal(sh, argv[i]);
        } else if (strcmp(arg, "--") == 0) {
            i++;
            break;
        } else if (arg[0] == '-' && arg[1]) {
            const char *name = arg + 1;
            bool option = (arg[1] == 's' || arg[1] == 'n') && number_of(sh, name) < 0;
            if (option && arg[2]) name++;
            sig = number_of(sh, name);
            if (sig < 0 || sig > 64) return bad_signal(sh, name);
            i++;
            if (i < argc && strcmp(argv[i], "--") == 0) i++;
            break;
        } else {
            break;
        }
    }
    if (i >= argc) return sh_usage(sh);
    int status = 0;
    out_flush(sh);
    for (; i < argc; i++)
        if (kill_one(sh, argv[i], sig)) status = 1;
    return status;
}
