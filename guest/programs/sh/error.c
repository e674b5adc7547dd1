/*
 * error.c: messages, worded and placed as bash does, and what an error does to the commands around.
 */
#include "sh.h"

#include <unistd.h>

void sh_write_err(const char *s, size_t n) {
    int saved = errno;
    if (write_all(2, s, n) < 0) { /* there is no other place to report it */
    }
    errno = saved;
}

/* What stands before a message: the script and the line. */
static void put_where(struct shell *sh, sb *out) {
    const char *name = sh->name;
    if (!sh->interactive && sh->frame && sh->frame->file && *sh->frame->file) name = sh->frame->file;
    sb_puts(out, name);
    int line = sh->error_line > 0 ? sh->error_line : sh->line;
    if (!sh->interactive && line > 0) sb_printf(out, ": line %d", line);
    sb_puts(out, ": ");
}

static void put_error(struct shell *sh, const char *who, const char *format, va_list args) {
    sb out = {0};
    int saved = errno;
    out_flush_lines(sh);
    put_where(sh, &out);
    if (who) sb_printf(&out, "%s: ", who);
    errno = saved;
    sb_vprintf(&out, format, args);
    sb_putc(&out, '\n');
    sh_write_err(out.s, out.n);
    sb_free(&out);
}

void sh_error(struct shell *sh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_error(sh, NULL, format, args);
    va_end(args);
}

void sh_builtin_error(struct shell *sh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_error(sh, sh->builtin, format, args);
    va_end(args);
}

void sh_expand_error(struct shell *sh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_error(sh, NULL, format, args);
    va_end(args);
    sh_give_up(sh);
}

void sh_give_up(struct shell *sh) {
    bool ends = sh->posix && !sh->interactive;
    sh->status = 1;
    sh->fatal = ends && !sh->opt[OPT_ERREXIT];
    sh->flow = ends || sh->opt[OPT_ERREXIT] ? FLOW_EXIT : FLOW_DISCARD;
}

void sh_fatal_expand_error(struct shell *sh, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_error(sh, NULL, format, args);
    va_end(args);
    sh->status = 1;
    sh->fatal = !sh->opt[OPT_ERREXIT];
    sh->flow = sh->interactive ? FLOW_DISCARD : FLOW_EXIT;
}

void sh_abandon(struct shell *sh, int status) {
    if (sh->flow != FLOW_NONE && sh->flow != FLOW_DISCARD) return;
    sh->status = status;
    sh->flow = FLOW_ABANDON;
}

/* Where it ends a -c command (or a stage of a pipeline in one), such an error counts as 127. */
int sh_fatal_status(struct shell *sh, int status) {
    if (sh->flow == FLOW_EXIT && sh->fatal && sh->command_string) return 127;
    return status;
}

void sh_syntax_error(struct shell *sh, const char *where, int line, const char *text) {
    sb out = {0};
    const char *name = sh->name;
    if (!sh->interactive && sh->frame && sh->frame->file && *sh->frame->file) name = sh->frame->file;
    sb_printf(&out, "%s: ", name);
    if (where && !sh->session) sb_printf(&out, "%s: ", where);
    if (!sh->interactive) sb_printf(&out, "line %d: ", line);
    sb_printf(&out, "%s\n", text);
    sh_write_err(out.s, out.n);
    sb_free(&out);
}

int sh_usage(struct shell *sh) {
    sh->misused = true;
    const struct builtin *b = builtin_find_any(sh->builtin);
    sb out = {0};
    sb_printf(&out, "%s: usage: %s\n", sh->builtin, b && b->usage ? b->usage : sh->builtin);
    sh_write_err(out.s, out.n);
    sb_free(&out);
    return 2;
}

int sh_bad_option(struct shell *sh, const char *option) {
    sh_builtin_error(sh, "%s: invalid option", option);
    return sh_usage(sh);
}

int sh_restricted(struct shell *sh, const char *what) {
    sh_builtin_error(sh, "%s%srestricted", what ? what : "", what ? ": " : "");
    return 1;
}

void sh_restrict(struct shell *sh) {
    static const char *const fixed[] = {"PATH", "SHELL", "ENV", "BASH_ENV"};
    sh->restricted = true;
    for (int i = 0; i < DIM(fixed); i++) var_make_local(sh, fixed[i], 0)->flags |= V_READONLY;
}

bool sh_deep(struct shell *sh) {
    char here;
    ptrdiff_t used = sh->stack_base - &here;
    if (used < 0) used = -used;
    if ((size_t)used < sh->stack_limit) return false;
    if (sh->flow == FLOW_NONE) {
        sh_error(sh, "commands nested too deeply: the shell's stack is used up");
        sh->status = 1;
        sh->flow = FLOW_DISCARD;
    }
    return true;
}
