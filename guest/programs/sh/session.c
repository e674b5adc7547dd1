/*
 * session.c: the shell of a sandbox, which runs one text after another and keeps its state.
 *
 * The host clones a shell that waits in its first pf_run_next(), so nothing that a run decides
 * (environment, clock, random numbers) may be looked at before that returns.
 */
#include "state.h"

#include <fcntl.h>
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

/* A variable as it was before a run that has its own. */
struct kept_var {
    char *name;
    struct var_kept kept;
};

/* What a run with PF_RUN_PLACE found, to be put back. */
struct place {
    struct kept_var *vars;
    size_t count;
    int cwd; /* descriptor of the directory; -1: it stays */
};

static void place_set(struct shell *sh, struct place *was, char *name, const char *value) {
    was->vars = xrealloc(was->vars, (was->count + 1) * sizeof *was->vars);
    struct kept_var *kept = &was->vars[was->count++];
    kept->name = name;
    var_keep(sh, name, &kept->kept);
    if (value) var_import_one(sh, name, value);
}

/* Takes the place that stands before the text; the text is what is behind it, NULL: it cannot be. */
static char *place_take(struct shell *sh, char *text, size_t *n, struct place *was) {
    char *cwd = text, *at = text + strlen(text) + 1;
    if (*cwd) {
        const char *pwd = var_get(sh, "PWD");
        char *old = xstrdup(pwd ? pwd : "");
        int here = open(".", O_RDONLY | O_CLOEXEC);
        if (here >= 0 && here < 10) {
            was->cwd = fcntl(here, F_DUPFD_CLOEXEC, 100);
            close(here);
        } else {
            was->cwd = here;
        }
        bool there = was->cwd >= 0 && chdir(cwd) == 0;
        if (there) {
            place_set(sh, was, xstrdup("OLDPWD"), old);
            place_set(sh, was, xstrdup("PWD"), cwd);
        } else {
            sh_error(sh, "%s: %s", cwd, strerror(errno));
        }
        free(old);
        if (!there) return NULL;
    }
    for (; *at; at += strlen(at) + 1) {
        char *equals = strchr(at, '=');
        place_set(sh, was, xstrndup(at, (size_t)(equals - at)), equals + 1);
    }
    at++;
    *n -= (size_t)(at - text);
    return at;
}

static void place_put_back(struct shell *sh, struct place *was) {
    if (was->cwd >= 0) {
        if (fchdir(was->cwd) < 0) sh_error(sh, "cannot go back: %s", strerror(errno));
        close(was->cwd);
    }
    while (was->count > 0) { /* the last first: a name may stand there twice */
        struct kept_var *kept = &was->vars[--was->count];
        var_put_back(sh, kept->name, &kept->kept);
        free(kept->name);
    }
    free(was->vars);
}

/* One run: its text, then what must not outlive it. */
static int run_once(struct shell *sh, int flags) {
    size_t n;
    char *text = pf_run_text(&n), *program = text;
    if (!text) {
        sh_error(sh, "cannot read the run's text: %s", strerror(errno));
        return 1;
    }
    int asked;
    if (state_run(sh, text, n, &asked)) {
        free(text);
        return asked;
    }
    struct place was = {.cwd = -1};
    sh->command_string = "";
    if (flags & PF_RUN_PLACE) program = place_take(sh, text, &n, &was);
    sh->command_string = program ? program : "";
    sh->flow = FLOW_NONE;
    sh->line = 0;
    int status = program ? run_text(sh, program, n, 1, NULL) : 1;
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
    place_put_back(sh, &was);
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
    /* An interrupt that is still pending was for the run that is over; one that comes from here on
     * is for the next. */
    while (signal_interrupted(), (flags = pf_run_next(status)) >= 0) {
        if (sh->pid == 0) shell_startup(sh, environ);
        options_keep(sh, &kept);
        status = run_once(sh, flags);
        if (flags & PF_RUN_END_OPTIONS) options_put_back(sh, &kept);
    }
    sh_error(sh, "--session: %s", strerror(errno));
    return 1;
}
