/*
 * simple.c: simple commands: expansion, assignments, then a function, a builtin or a program.
 */
#include "sh.h"

#include <unistd.h>

/* ------------------------------------------------------------------ arguments */

static bool is_declaration_name(const struct word *w) {
    static const char *const names[] = {"declare", "typeset",  "local",
                                        "export",  "readonly", "alias"};
    if (!(w->flags & W_PLAIN)) return false;
    for (int i = 0; i < DIM(names); i++)
        if (strcmp(w->text, names[i]) == 0) return true;
    return false;
}

/* Are the arguments that look like assignments to be expanded as such? */
static bool is_declaration(const struct node *n) {
    for (int i = 0; i < n->simple.count; i++) {
        const struct word *w = n->simple.words[i];
        if (is_declaration_name(w)) return true;
        if (!(w->flags & W_PLAIN)) return false;
        if (strcmp(w->text, "command") != 0 && strcmp(w->text, "builtin") != 0) return false;
    }
    return false;
}

/* name=value as one argument: no splitting, no globbing. Of name=(…) only the name. */
static bool expand_declaration(struct shell *sh, const struct word *w, struct strings *out) {
    const struct assign *as = w->assign;
    sb text = sb_in(&sh->tmp);
    sb_puts(&text, as->name);
    if (as->index) {
        char *sub = expand_single(sh, as->index);
        if (!sub) return false;
        sb_printf(&text, "[%s]", sub);
    }
    if (!as->compound) {
        sb_puts(&text, as->append ? "+=" : "=");
        char *value = expand_single(sh, as->value);
        if (!value) return false;
        sb_puts(&text, value);
    }
    strings_add(sh, out, sb_str(&text));
    return true;
}

struct command {
    struct node *node;
    struct strings args;
    struct compound **assigns; /* a=(…) among the first assign_count arguments, or NULL */
    int assign_count;
    struct strings refs; /* those of args that were written as name[subscript] */
};

/* Notes that the last argument is a reference whose subscript must not be expanded again. */
static void note_reference(struct shell *sh, struct command *c, const struct word *w) {
    if (!(w->flags & W_PLAIN) && strchr(w->text, '[') && assign_valid_lhs(w->text))
        strings_add(sh, &c->refs, c->args.v[c->args.n - 1]);
}

/* Will the declaration at hand make an associative array of `name`? */
static bool declares_assoc(struct shell *sh, const struct strings *args, const char *name) {
    bool global = false, local = true;
    for (int i = 0; i < args->n; i++) {
        const char *s = args->v[i];
        if (*s == '-' && strchr(s, 'A')) return true;
        if (*s == '-' && strchr(s, 'g')) global = true;
        if (strcmp(s, "export") == 0 || strcmp(s, "readonly") == 0) local = false;
    }
    const struct var *v = var_find(sh, name);
    bool fresh = local && !global && sh->function_depth > 0;
    return v && (v->flags & V_ASSOC) && !(fresh && v->level < sh->level);
}

/* Notes the compound assignment of the argument just added; NULL for all before it. It is expanded
 * here, before any of the variables is made: local a=("${a[@]}" x) sees the a outside. */
static bool note_compound(struct shell *sh, struct command *c, const struct assign *as) {
    struct compound *expanded = assign_expand(sh, as, declares_assoc(sh, &c->args, as->name));
    if (!expanded) return false;
    if (sh->opt[OPT_XTRACE]) assign_trace_expanded(sh, expanded);
    size_t size = (size_t)c->args.n * sizeof *c->assigns;
    size_t had = (size_t)c->assign_count * sizeof *c->assigns;
    c->assigns = arena_extend(&sh->tmp, c->assigns, had, size);
    memset((char *)c->assigns + had, 0, size - had);
    c->assign_count = c->args.n;
    c->assigns[c->args.n - 1] = expanded;
    return true;
}

/* declare x={a,b} is declare x=a x=b. False: no braces that expand, or flow is set. */
static bool expand_braced(struct shell *sh, const struct word *w, struct strings *out) {
    struct strings texts = {0};
    if (!(w->flags & W_BRACE) || !sh->opt[OPT_BRACEEXPAND] || w->assign->compound ||
        !brace_expand(sh, w->text, &texts) || texts.n < 2)
        return false;
    struct tree *t = tree_new();
    for (int i = 0; i < texts.n && sh->flow == FLOW_NONE; i++) {
        struct word *piece = parse_word_text(sh, t, texts.v[i], strlen(texts.v[i]), WM_ALL);
        char *text = piece ? expand_single(sh, piece) : NULL;
        if (text) strings_add(sh, out, arena_strdup(&sh->tmp, text));
    }
    tree_drop(t);
    return true;
}

static bool expand_declarations(struct shell *sh, struct command *c) {
    struct node *n = c->node;
    for (int i = 0; i < n->simple.count; i++) {
        struct word *w = n->simple.words[i];
        if (!(w->flags & W_ASSIGN)) {
            if (!expand_word(sh, w, &c->args)) return false;
        } else if (!expand_braced(sh, w, &c->args)) {
            if (sh->flow != FLOW_NONE || !expand_declaration(sh, w, &c->args)) return false;
            if (w->assign->compound && !note_compound(sh, c, w->assign)) return false;
        }
    }
    return true;
}

static bool expand_command(struct shell *sh, struct command *c) {
    struct node *n = c->node;
    if (is_declaration(n)) return expand_declarations(sh, c);
    for (int i = 0; i < n->simple.count; i++) {
        struct word *w = n->simple.words[i];
        if (w->assign && w->assign->compound)
            strings_add(sh, &c->args, (char *)w->text);
        else if (!expand_word(sh, w, &c->args))
            return false;
        if (i > 0 && c->args.n > 0) note_reference(sh, c, w);
    }
    return true;
}

/* ------------------------------------------------------------------ assignments */

/* A=1 B=2 alone: they last. */
static void remember_last_argument(struct shell *sh, const char *text) {
    struct var *v = var_find_raw(sh, "_");
    if (!v) v = var_make_local(sh, "_", 0);
    v->flags &= (uint16_t)~V_EXPORT;
    var_put(sh, v, text);
}

/* Redirections alone. A process of its own has those of {name}>file, whose variable nobody gets. */
static int redirs_only(struct shell *sh, const struct node *n) {
    struct redir_undo *undo = NULL;
    bool named = false;
    for (const struct redir *r = n->redirs; r; r = r->next) named |= r->fd_var != NULL;
    pid_t pid = named ? process_fork(sh, FORK_FOREGROUND, 0) : 0;
    if (pid < 0) return 254;
    if (pid > 0) return job_wait_pid(sh, pid, n);
    bool ok = redir_do(sh, n->redirs, &undo);
    if (named) _exit(!ok);
    if (ok) redir_undo(sh, undo);
    return !ok;
}

static int assign_only(struct shell *sh, struct node *n) {
    bool ok = true;
    for (const struct assign *as = n->simple.assigns; as && ok; as = as->next)
        ok = assign_one(sh, as, 0);
    if (!ok) {
        sh->status = sh->flow == FLOW_EXIT ? sh->status : 1;
        if (sh->flow == FLOW_NONE) sh_give_up(sh);
        return sh->status;
    }
    int failed = n->redirs ? redirs_only(sh, n) : 0;
    if (failed) return sh->status = failed;
    sh->status = sh->last_cmdsub_status >= 0 ? sh->last_cmdsub_status : 0;
    return sh->status;
}

static bool temp_assign(struct shell *sh, const struct assign *as) {
    if (as->index) { /* elements cannot be given to a command */
        sh_error(sh, "`%s[%s]': not a valid identifier", as->name, as->index->text);
        return true;
    }
    struct var *old = var_find_raw(sh, as->name);
    char *value =
        as->compound ? (char *)(strchr(as->word->text, '=') + 1) : expand_single(sh, as->value);
    if (!value) return false;
    if (old && (old->flags & V_READONLY)) {
        var_readonly_error(sh, old);
        if (!sh->posix || sh->interactive) return true;
        sh->status = 1;
        sh->flow = FLOW_EXIT;
        return false;
    }
    if (as->append && old && !(value = (char *)var_appended(sh, old, value))) return false;
    if (sh->opt[OPT_XTRACE]) {
        sb text = sb_in(&sh->tmp);
        sb_printf(&text, "%s=", as->name);
        if (*value) quote_trace(&text, value);
        exec_trace_text(sh, sb_str(&text));
    }
    struct var *v = var_make_local(sh, as->name, sh->level);
    v->flags |= V_TEMP | V_EXPORT;
    return var_assign(sh, v, value, false);
}

static bool temp_assigns(struct shell *sh, const struct assign *as) {
    for (; as; as = as->next)
        if (!temp_assign(sh, as)) return false;
    return true;
}

/* The assignments in front of a command, then the command's own line of set -x. */
static bool begin_command(struct shell *sh, const struct command *c) {
    if (!temp_assigns(sh, c->node->simple.assigns)) return false;
    if (sh->opt[OPT_XTRACE]) exec_trace(sh, (const char *const *)c->args.v, c->args.n);
    return true;
}

/* The redirections of a command do not see the assignments in front of it. */
bool exec_redirs(struct shell *sh, const struct node *n, struct redir_undo **undo) {
    if (!n->redirs) return true;
    bool temps = n->simple.assigns != NULL;
    if (temps) var_show_temps(sh, false);
    bool ok = redir_do(sh, n->redirs, undo);
    if (temps) var_show_temps(sh, true);
    return ok;
}

/* ------------------------------------------------------------------ functions */

static void hide_traps(struct shell *sh, struct func *f, char *saved[3], bool was_set[3]) {
    static const int which[3] = {TRAP_DEBUG, TRAP_ERR, TRAP_RETURN};
    for (int i = 0; i < 3; i++) {
        bool inherited =
            f->traced || (which[i] == TRAP_ERR ? sh->opt[OPT_ERRTRACE] : sh->opt[OPT_FUNCTRACE]);
        saved[i] = NULL;
        was_set[i] = sh->trap_set[which[i]] && !inherited;
        if (!was_set[i]) continue;
        saved[i] = sh->traps[which[i]];
        sh->traps[which[i]] = NULL;
        sh->trap_set[which[i]] = false;
    }
}

static void restore_traps(struct shell *sh, char *saved[3], const bool was_set[3]) {
    static const int which[3] = {TRAP_DEBUG, TRAP_ERR, TRAP_RETURN};
    for (int i = 0; i < 3; i++) {
        if (!was_set[i]) continue;
        if (sh->trap_set[which[i]]) { /* the function set its own, which stays */
            free(saved[i]);
            continue;
        }
        sh->traps[which[i]] = saved[i];
        sh->trap_set[which[i]] = true;
    }
}

static int depth_limit(struct shell *sh) {
    const char *text = var_get(sh, "FUNCNEST");
    int64_t n = 0;
    if (text && parse_int64(text, &n) && n > 0 && n < FUNCTION_DEPTH_MAX) return (int)n;
    return FUNCTION_DEPTH_MAX;
}

/* The caller has made the scope. */
static int exec_function_here(struct shell *sh, struct func *f, int argc, char **argv) {
    if (sh->function_depth >= FUNCTION_DEPTH_MAX ||
        (sh->function_depth > 0 && sh->function_depth >= depth_limit(sh))) {
        sh_expand_error(sh, "%s: maximum function nesting level exceeded (%d)", argv[0],
                        depth_limit(sh));
        return sh->status;
    }
    if (sh_deep(sh)) return sh->status;
    struct frame frame = {.up = sh->frame,
                          .name = f->entry.key,
                          .file = f->file,
                          .line = sh->line,
                          .is_function = true,
                          .args = argv + 1,
                          .nargs = argc - 1};
    char *saved[3];
    bool was_set[3];
    int loop_depth = sh->loop_depth;
    bool can_exec = sh->can_exec;
    hide_traps(sh, f, saved, was_set);
    int line_shift = sh->line_shift;
    sh->line_shift = 0;
    frame.level = sh->level;
    sh->frame = &frame;
    sh->function_depth++;
    sh->loop_depth = 0;
    sh->can_exec = false;
    f->running++;
    sh->line = f->body_line;
    trap_run(sh, TRAP_DEBUG);
    int status = sh->flow == FLOW_NONE ? exec_node(sh, f->body) : sh->status;
    if (sh->flow == FLOW_RETURN) {
        sh->flow = FLOW_NONE;
        status = sh->status;
        sh->status = sh->status_before_return;
    } else {
        if (sh->flow == FLOW_BREAK || sh->flow == FLOW_CONTINUE) sh->flow = FLOW_NONE;
        sh->line = f->body_line;
    }
    if (sh->flow == FLOW_NONE) trap_run(sh, TRAP_RETURN);
    f->running--;
    sh->function_depth--;
    sh->loop_depth = loop_depth;
    sh->can_exec = can_exec;
    sh->frame = frame.up;
    sh->line = frame.line;
    sh->line_shift = line_shift;
    free(frame.owned);
    if (frame.saved_options) memcpy(sh->opt, frame.saved_options, sizeof sh->opt);
    free(frame.saved_options);
    restore_traps(sh, saved, was_set);
    if (f->dead && f->running == 0) func_drop(sh, f);
    return sh->status = status;
}

/* Leaves the scope of a call. Where OPTIND was local, getopts goes on where it was before. */
static void leave_call(struct shell *sh, struct getopts_state before) {
    const struct var *index = var_find_raw(sh, "OPTIND");
    bool own = index && index->level >= sh->level;
    var_pop_level(sh);
    if (own) sh->getopts = before;
}

int exec_function(struct shell *sh, struct func *f, int argc, char **argv) {
    struct getopts_state before = sh->getopts;
    var_push_level(sh);
    int status = exec_function_here(sh, f, argc, argv);
    leave_call(sh, before);
    return status;
}

static int call_function(struct shell *sh, struct func *f, struct command *c) {
    struct redir_undo *undo = NULL;
    struct getopts_state before = sh->getopts;
    int status = 1;
    /* A=1 f: A belongs to the scope of the call, which `local A` then takes over */
    var_push_level(sh);
    if (begin_command(sh, c) && exec_redirs(sh, c->node, &undo))
        status = exec_function_here(sh, f, c->args.n, c->args.v);
    leave_call(sh, before);
    redir_undo(sh, undo);
    return status;
}

/* ------------------------------------------------------------------ builtins */

/* After a special builtin in POSIX mode its assignments last. */
static void keep_assigns(struct shell *sh, const struct assign *as) {
    for (; as; as = as->next) {
        struct var *v = var_find_raw(sh, as->name);
        if (!v || !(v->flags & V_TEMP) || v->level != sh->level || !var_text(v)) continue;
        char *value = arena_strdup(&sh->tmp, var_text(v));
        var_remove(sh, v);
        var_set(sh, as->name, value);
    }
}

static int call_builtin(struct shell *sh, const struct builtin *b, struct command *c) {
    struct redir_undo *undo = NULL;
    const struct assign *as = c->node->simple.assigns;
    bool special = sh->posix && (b->flags & B_SPECIAL);
    int status = 1;
    if (as) var_push_level(sh);
    bool ok = begin_command(sh, c);
    if (special && !ok && sh->flow == FLOW_EXIT) sh->fatal = !sh->opt[OPT_ERREXIT];
    if (ok && (ok = exec_redirs(sh, c->node, &undo))) {
        struct arg_assigns was = sh->arg_assigns;
        sh->arg_assigns = (struct arg_assigns){c->args.v, c->assigns, c->assign_count, c->refs};
        status = builtin_run(sh, b, c->args.n, c->args.v);
        sh->arg_assigns = was;
    }
    bool keep = ok && sh->redirs_kept;
    sh->redirs_kept = false;
    if (keep)
        redir_keep(sh, undo);
    else
        redir_undo(sh, undo);
    if (as && special) keep_assigns(sh, as);
    if (as) var_pop_level(sh);
    if (special && !sh->interactive && (!ok || sh->misused) && sh->flow == FLOW_NONE) {
        sh->status = status;
        sh->flow = FLOW_EXIT;
    }
    return status;
}

/* ------------------------------------------------------------------ the command */

static int call_external(struct shell *sh, struct command *c) {
    const struct assign *as = c->node->simple.assigns;
    int status = 1;
    if (as) var_push_level(sh);
    if (begin_command(sh, c)) status = exec_external(sh, c->args.v, c->node);
    if (as) var_pop_level(sh);
    return status;
}

static int dispatch(struct shell *sh, struct command *c) {
    const char *name = c->args.v[0];
    const struct builtin *b = builtin_find(sh, name);
    if (b && sh->posix && (b->flags & B_SPECIAL)) return call_builtin(sh, b, c);
    struct func *f = func_find(sh, name);
    if (f) return call_function(sh, f, c);
    if (b) return call_builtin(sh, b, c);
    if (*name == '%' && name[1] && sh->opt[OPT_MONITOR]) {
        struct job *j = job_find(sh, name, true);
        if (j) return job_continue(sh, j, true);
    }
    return call_external(sh, c);
}

/* With set -k, what looks like an assignment is one wherever it stands: a copy of the command that
 * has those words in front. */
static struct node *with_keywords(struct shell *sh, const struct node *n) {
    struct node *copy = arena_alloc(&sh->tmp, sizeof *copy);
    *copy = *n;
    struct assign **tail = &copy->simple.assigns;
    *tail = NULL;
    for (const struct assign *as = n->simple.assigns; as; as = as->next) {
        *tail = arena_alloc(&sh->tmp, sizeof **tail);
        **tail = *as;
        tail = &(*tail)->next;
    }
    copy->simple.words = arena_alloc(&sh->tmp, (size_t)n->simple.count * sizeof(struct word *));
    copy->simple.count = 0;
    for (int i = 0; i < n->simple.count; i++) {
        struct word *w = n->simple.words[i];
        if (!w->assign || w->assign->compound) {
            copy->simple.words[copy->simple.count++] = w;
            continue;
        }
        *tail = arena_alloc(&sh->tmp, sizeof **tail);
        **tail = *w->assign;
        (*tail)->next = NULL;
        tail = &(*tail)->next;
    }
    *tail = NULL;
    return copy;
}

static int run_command(struct shell *sh, struct node *n) {
    if (sh->opt[OPT_KEYWORD] && n->simple.count > 0) n = with_keywords(sh, n);
    struct command c = {.node = n};
    sh->last_cmdsub_status = -1;
    if (n->simple.count > 0 && !expand_command(sh, &c)) {
        if (sh->status == 0) sh->status = 1;
        return sh->status;
    }
    if (c.args.n == 0) {
        int status = assign_only(sh, n);
        remember_last_argument(sh, "");
        return status;
    }
    int status = dispatch(sh, &c);
    if (sh->flow == FLOW_NONE) sh->status = status;
    remember_last_argument(sh, c.args.v[c.args.n - 1]);
    return status;
}

int exec_simple(struct shell *sh, struct node *n) {
    sh->line = n->line + sh->line_shift;
    if (!sh->in_trap) sh->command = n; /* BASH_COMMAND in a trap is what it struck */
    exec_step(sh);
    if (sh->flow != FLOW_NONE) return sh->status;
    bool debugged = sh->debug_done;
    sh->debug_done = false;
    if (sh->trap_set[TRAP_DEBUG] && !debugged) {
        int before = sh->status;
        int said = trap_run(sh, TRAP_DEBUG);
        if (sh->flow != FLOW_NONE) return sh->status;
        if (sh->shopt[SHOPT_EXTDEBUG] && said) return sh->status;
        sh->status = before;
    }
    arena_mark mark = arena_here(&sh->tmp);
    struct procsub *subs = procsub_mark(sh);
    const char *builtin = sh->builtin;
    bool has_err_trap = sh->trap_set[TRAP_ERR];
    sh->builtin = NULL;
    int status = run_command(sh, n);
    sh->builtin = builtin;
    if (sh->procsubs != subs) procsub_close(sh, subs);
    arena_release(&sh->tmp, mark);
    if (sh->flow != FLOW_NONE) return sh->status;
    sh->status = status;
    exec_set_pipestatus(sh, &status, 1);
    if (sh->jobs->pending_children > 0) job_reap(sh);
    if (signal_pending()) signal_check(sh);
    if (status != 0) { /* an ERR trap that the command itself set is not for it */
        bool busy = sh->in_err_trap;
        sh->in_err_trap |= !has_err_trap;
        exec_failed(sh);
        sh->in_err_trap = busy;
    }
    return sh->status;
}

/* As `command` and `builtin` run their arguments: aliases and redirections are done with. */
int exec_argv(struct shell *sh, int argc, char **argv, unsigned how) {
    const struct builtin *b = strchr(argv[0], '/') ? NULL : builtin_find(sh, argv[0]);
    if (!(how & EXEC_NO_FUNCTIONS)) {
        struct func *f = func_find(sh, argv[0]);
        if (f) return exec_function(sh, f, argc, argv);
    }
    if (b) return builtin_run(sh, b, argc, argv);
    if (how & EXEC_BUILTIN_ONLY) return -1;
    return exec_external(sh, argv, NULL);
}
