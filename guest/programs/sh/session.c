/*
 * session.c: the shell of a sandbox, which runs one text after another and keeps its state.
 *
 * The host clones a shell that waits in its first pf_run_next(), so nothing that a run decides
 * (environment, clock, random numbers) may be looked at before that returns.
 */
#include "sh.h"

#include <unistd.h>

#include <pf.h>

#include "abi/types.h"

extern char **environ;

/* What `set` and `shopt` made of the options, to be put back. */
struct options {
    bool set[OPT_COUNT], shopt[SHOPT_COUNT];
};

static void options_keep(const struct shell *sh, struct options *kept) {
    memcpy(kept->set, sh->opt, sizeof kept->set);
    memcpy(kept->shopt, sh->shopt, sizeof kept->shopt);
}

static void options_put_back(struct shell *sh, const struct options *kept) {
    if (sh->opt[OPT_POSIX] != kept->set[OPT_POSIX]) option_set(sh, OPT_POSIX, kept->set[OPT_POSIX]);
    memcpy(sh->opt, kept->set, sizeof kept->set);
    memcpy(sh->shopt, kept->shopt, sizeof kept->shopt);
}

/* One run: its text, then what must not outlive it. */
static int run_once(struct shell *sh) {
    size_t n;
    char *text = pf_run_text(&n);
    if (!text) {
        sh_error(sh, "cannot read the run's text: %s", strerror(errno));
        return 1;
    }
    sh->command_string = text;
    sh->flow = FLOW_NONE;
    sh->line = 0;
    int status = run_text(sh, text, n, 1, NULL);
    if (sh->flow != FLOW_NONE) status = sh_fatal_status(sh, sh->status);
    bool ends = sh->flow == FLOW_EXIT;
    if (sh->trap_set[TRAP_EXIT]) {
        sh->status = status;
        trap_exit(sh);
        status = sh->status;
    }
    out_flush(sh);
    free(text);
    if (ends) _exit(status & 255);
    sh->flow = FLOW_NONE;
    sh->status = status;
    sh->loop_depth = sh->ignore_errors = 0;
    if (sh->jobs->pending_children > 0) job_reap(sh);
    return status;
}

int session_main(struct shell *sh) {
    int status = -1, flags;
    struct options kept;
    sh->command_string = "";
    /* What is left of an interrupt was for the run that is over; what comes from here on is not. */
    while (signal_interrupted(), (flags = pf_run_next(status)) >= 0) {
        if (sh->pid == 0) shell_startup(sh, environ);
        options_keep(sh, &kept);
        status = run_once(sh);
        if (flags & PF_RUN_END_OPTIONS) options_put_back(sh, &kept);
    }
    sh_error(sh, "--session: %s", strerror(errno));
    return 1;
}
