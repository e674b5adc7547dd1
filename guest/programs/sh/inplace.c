/*
 * inplace.c: commands of a $( ) and of a pipeline's first stages that need no process of their own.
 *
 * A builtin that leaves nothing behind in the shell but output and a status runs in the shell itself,
 * its output is gathered. A command that could tell the difference keeps its process: traps, set
 * -x, messages of an expansion, a function or a redirection, and output that could be larger than
 * its arguments.
 */
#include "sh.h"

#include "guest/lib/toolcmd.h"

/* A format whose widths and precisions have three digits at most. */
static bool narrow(const char *format) {
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "-+ #0'");
        for (int i = 0; i < 2; i++) {
            size_t digits = strspn(format, "0123456789");
            if (digits > 3 || format[digits] == '*') return false;
            format += digits;
            if (*format == '.') format++;
        }
        if (*format) format++;
    }
    return true;
}

/* May this one run here? Its output is bounded by its arguments, or by what the host answers. */
static bool leaves_nothing(const struct strings *args) {
    static const char *const names[] = {"echo", ":", "true", "false"};
    const char *name = args->v[0];
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    if (strcmp(name, "pwd") == 0) return args->n == 1;
    if (strcmp(name, "printf") == 0) /* -v is an assignment */
        return args->n > 1 && args->v[1][0] != '-' && narrow(args->v[1]);
    if (strcmp(name, "tool") != 0 || args->n < 2 || args->v[1][0] == '-') return false;
    for (int i = 2; i < args->n; i++)
        if (strcmp(args->v[i], "--help") == 0 || strcmp(args->v[i], "-h") == 0) return false;
    return true;
}

static bool watched(const struct shell *sh) {
    return sh->trap_set[TRAP_DEBUG] || sh->trap_set[TRAP_ERR] || sh->opt[OPT_XTRACE] ||
           sh->opt[OPT_NOUNSET] || sh->opt[OPT_KEYWORD] || sh->opt[OPT_MONITOR] ||
           sh->shopt[SHOPT_FAILGLOB];
}

static sb *tool_output; /* where the tool of inplace_run() prints */

static bool keep_result(const char *text, size_t len) {
    sb_put(tool_output, text, len);
    return true;
}

/* Runs a builtin with its output into `out`. */
static int run_here(struct shell *sh, const struct builtin *b, const struct strings *args, sb *out) {
    sb pending = sh->out, *outer = sh->capture;
    bool failed = sh->out_failed, misused = sh->misused;
    struct arg_assigns assigns = sh->arg_assigns;
    int status_before = sh->status;
    sh->out = (sb){0};
    sh->capture = tool_output = out;
    sh->out_failed = false;
    sh->arg_assigns = (struct arg_assigns){args->v, NULL, 0, {0}};
    toolcmd_result = keep_result;
    int status = builtin_run(sh, b, args->n, args->v);
    toolcmd_result = NULL;
    if (sh->flow != FLOW_NONE) { /* it would have ended its process */
        sh->flow = FLOW_NONE;
        sh->fatal = false;
        status = sh->status;
    }
    sb_free(&sh->out);
    sh->out = pending;
    sh->capture = outer;
    sh->out_failed = failed;
    sh->misused = misused;
    sh->arg_assigns = assigns;
    sh->status = status_before;
    return status;
}

bool inplace_run(struct shell *sh, const struct node *n, bool may_wait, sb *out, int *status) {
    if (n->kind != N_SIMPLE || !(n->flags & NF_PURE) || n->flags & NF_BACKGROUND || n->redirs ||
        n->simple.count == 0)
        return false;
    const struct word *name = n->simple.words[0];
    if (!(name->flags & W_PLAIN) || watched(sh) || sh->flow != FLOW_NONE) return false;
    /* Braces multiply: what they exhaust is a process of its own, and not the shell. */
    for (int i = 1; i < n->simple.count; i++)
        if (n->simple.words[i]->flags & W_BRACE) return false;
    if (!may_wait && strcmp(name->text, "tool") == 0) return false;
    const struct builtin *b = builtin_find(sh, name->text);
    if (!b || func_find(sh, name->text)) return false;
    arena_mark mark = arena_here(&sh->tmp);
    struct strings args = {0};
    int line = sh->line;
    sh->line = n->line + sh->line_shift;
    bool done = expand_words(sh, n->simple.words, n->simple.count, &args);
    if (!done) sh->flow = FLOW_NONE; /* once more in a child, which says so */
    done = done && args.n > 0 && leaves_nothing(&args);
    if (done) *status = run_here(sh, b, &args, out);
    sh->line = line;
    arena_release(&sh->tmp, mark);
    return done;
}
