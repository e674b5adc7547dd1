/*
 * loop.c: for, select, for ((;;)), while, until, case.
 */
#include "sh.h"

/* After a body: what break and continue mean for this loop. true: it ends. */
bool exec_loop_flow(struct shell *sh) {
    if (sh->flow == FLOW_NONE) return false;
    if (sh->flow != FLOW_BREAK && sh->flow != FLOW_CONTINUE) return true;
    if (--sh->flow_levels > 0) return true; /* meant for an outer one */
    bool ends = sh->flow == FLOW_BREAK;
    sh->flow = FLOW_NONE;
    return ends;
}

static int run_body(struct shell *sh, struct node *body) {
    exec_step(sh);
    if (sh->flow != FLOW_NONE) return sh->status;
    return exec_node(sh, body);
}

struct loop_state {
    bool can_exec;
};

static struct loop_state enter_loop(struct shell *sh) {
    struct loop_state s = {sh->can_exec};
    sh->can_exec = false;
    sh->loop_depth++;
    return s;
}

static void leave_loop(struct shell *sh, struct loop_state s) {
    sh->loop_depth--;
    sh->can_exec = s.can_exec;
}

/* The words of for and select: "$@" without `in`. Copied, as the body may change what they are. */
static bool loop_words(struct shell *sh, struct node *n, struct strings *out) {
    if (!(n->flags & NF_FOR_ARGS)) return expand_words(sh, n->each.words, n->each.count, out);
    for (int i = 0; i < sh->frame->nargs; i++)
        strings_add(sh, out, arena_strdup(&sh->tmp, sh->frame->args[i]));
    return true;
}

static void trace_for(struct shell *sh, const struct node *n, const char *keyword) {
    sb text = sb_in(&sh->tmp);
    sb_printf(&text, "%s %s in", keyword, n->each.name);
    if (n->flags & NF_FOR_ARGS) sb_puts(&text, " \"$@\"");
    for (int i = 0; i < n->each.count; i++) sb_printf(&text, " %s", n->each.words[i]->text);
    exec_trace_text(sh, sb_str(&text));
}

/* Sets the loop variable; a nameref is made to refer to each word in turn. */
static bool set_loop_variable(struct shell *sh, const char *name, const char *value) {
    struct var *v = var_find_raw(sh, name);
    if (v && (v->flags & V_NAMEREF)) {
        if (v->flags & V_READONLY) return var_readonly_error(sh, v);
        if (!assign_valid_lhs(value)) {
            sh_error(sh, "`%s': not a valid identifier", value);
            return false;
        }
        var_put(sh, v, value);
        return true;
    }
    return var_set(sh, name, value);
}

int exec_for(struct shell *sh, struct node *n) {
    arena_mark mark = arena_here(&sh->tmp);
    struct procsub *subs = procsub_mark(sh);
    struct strings words = {0};
    int status = 0;
    sh->line = n->line + sh->line_shift;
    if (!sh->in_trap) sh->command = n;
    if (!name_ok(n->each.name)) {
        sh_error(sh, "`%s': not a valid identifier", n->each.name);
        if (!sh->posix || sh->interactive) return sh->status = 1;
        sh->flow = FLOW_EXIT;
        return sh->status = 2;
    }
    if (!loop_words(sh, n, &words)) {
        arena_release(&sh->tmp, mark);
        return sh->status;
    }
    struct loop_state state = enter_loop(sh);
    for (int i = 0; i < words.n; i++) {
        sh->line = n->line + sh->line_shift;
        if (sh->opt[OPT_XTRACE]) trace_for(sh, n, "for");
        if (sh->trap_set[TRAP_DEBUG]) {
            if (!sh->in_trap) sh->command = n;
            trap_run(sh, TRAP_DEBUG);
            if (sh->flow != FLOW_NONE) break;
        }
        if (!set_loop_variable(sh, n->each.name, words.v[i])) {
            status = sh->status = 1;
            if (sh->posix && !sh->interactive) sh_give_up(sh);
            break;
        }
        status = run_body(sh, n->each.body);
        if (exec_loop_flow(sh)) break;
    }
    leave_loop(sh, state);
    if (words.n == 0) sh->status = 0;
    procsub_close(sh, subs);
    arena_release(&sh->tmp, mark);
    return sh->flow == FLOW_NONE ? (sh->status = status) : sh->status;
}

static bool step_expression(struct shell *sh, const struct word *w, int64_t *value) {
    if (!w) {
        *value = 1;
        return true;
    }
    arena_mark mark = arena_here(&sh->tmp);
    if (sh->opt[OPT_XTRACE]) exec_trace_text(sh, arena_printf(&sh->tmp, "(( %s ))", w->text));
    if (sh->trap_set[TRAP_DEBUG] && !sh->in_trap) {
        free(sh->command_text);
        const char *text = w->text + strspn(w->text, " \t\n");
        sh->command_text = xstrdup(arena_printf(&sh->tmp, "((%s))", text));
        sh->command = NULL;
        trap_run(sh, TRAP_DEBUG);
    }
    bool ok = expand_arith(sh, w, value, "((");
    arena_release(&sh->tmp, mark);
    if (!ok && sh->flow == FLOW_DISCARD) sh->flow = FLOW_NONE;
    if (!ok && sh->flow == FLOW_NONE) sh->status = 1;
    return ok;
}

int exec_arith_for(struct shell *sh, struct node *n) {
    int64_t value;
    int status = 0;
    sh->line = n->line + sh->line_shift;
    if (!sh->in_trap) sh->command = n;
    if (!step_expression(sh, n->afor.init, &value)) return sh->status;
    struct loop_state state = enter_loop(sh);
    for (;;) {
        sh->line = n->line + sh->line_shift;
        if (!step_expression(sh, n->afor.cond, &value)) {
            status = sh->status;
            break;
        }
        if (!value) break;
        status = run_body(sh, n->afor.body);
        if (exec_loop_flow(sh)) break;
        sh->line = n->line + sh->line_shift;
        if (!step_expression(sh, n->afor.step, &value)) {
            status = sh->status;
            break;
        }
    }
    leave_loop(sh, state);
    return sh->flow == FLOW_NONE ? (sh->status = status) : sh->status;
}

int exec_while(struct shell *sh, struct node *n) {
    int status = 0;
    bool until = n->kind == N_UNTIL;
    struct loop_state state = enter_loop(sh);
    for (;;) {
        exec_step(sh);
        if (sh->flow != FLOW_NONE) break;
        sh->ignore_errors++;
        int test = exec_node(sh, n->loop.cond);
        sh->ignore_errors--;
        if (sh->flow != FLOW_NONE) {
            if (exec_loop_flow(sh)) break;
            continue;
        }
        if ((test == 0) == until) break;
        status = exec_node(sh, n->loop.body);
        if (exec_loop_flow(sh)) {
            if (sh->flow == FLOW_NONE) status = sh->status;
            break;
        }
    }
    leave_loop(sh, state);
    return sh->flow == FLOW_NONE ? (sh->status = status) : sh->status;
}

/* ------------------------------------------------------------------ select */

static int number_width(int n) {
    int width = 1;
    while (n >= 10) {
        n /= 10;
        width++;
    }
    return width;
}

static void print_menu(struct shell *sh, const struct strings *words) {
    const char *columns_text = var_get(sh, "COLUMNS");
    int64_t columns = 80;
    if (columns_text) parse_int64(columns_text, &columns);
    int longest = 0, width = number_width(words->n);
    for (int i = 0; i < words->n; i++) {
        int w = u8_width(words->v[i], strlen(words->v[i]));
        if (w > longest) longest = w;
    }
    int cell = longest + width + 4; /* "1) word" and two blanks */
    int across = columns > cell ? (int)(columns / cell) : 1;
    if (across > words->n) across = words->n;
    int rows = words->n > 0 ? (words->n + across - 1) / across : 0;
    if (rows == 1 && words->n > 1) {
        rows = words->n;
    }
    /* As bash: columns begin after tabs, and the first one's numbers are no wider than they need be. */
    const int tab = 8;
    sb out = {0};
    for (int row = 0; row < rows; row++) {
        for (int i = row, begin = 0; i < words->n; i += rows, begin += cell) {
            int digits = i == row ? number_width(rows) : width;
            int at = begin + digits + 2 + u8_width(words->v[i], strlen(words->v[i]));
            sb_printf(&out, "%*d) %s", digits, i + 1, words->v[i]);
            if (i + rows >= words->n) break;
            while (at < begin + cell) {
                bool fits = (begin + cell) / tab > at / tab;
                sb_putc(&out, fits ? '\t' : ' ');
                at = fits ? (at / tab + 1) * tab : at + 1;
            }
        }
        sb_putc(&out, '\n');
    }
    sh_write_err(out.s, out.n);
    sb_free(&out);
}

/* Reads a line into REPLY; false at the end of input. */
static bool read_reply(struct shell *sh) {
    char *argv[] = {(char *)"read", NULL};
    const struct builtin *read = builtin_find_any("read");
    const char *was = sh->builtin;
    sh->builtin = "read";
    int status = read->run(sh, 1, argv);
    sh->builtin = was;
    return status == 0;
}

static void prompt_select(struct shell *sh) {
    const char *ps3 = var_get(sh, "PS3");
    if (!ps3) ps3 = "#? ";
    sh_write_err(ps3, strlen(ps3));
}

int exec_select(struct shell *sh, struct node *n) {
    arena_mark mark = arena_here(&sh->tmp);
    struct strings words = {0};
    int status = 0;
    sh->line = n->line + sh->line_shift;
    if (!loop_words(sh, n, &words) || words.n == 0) {
        arena_release(&sh->tmp, mark);
        return sh->flow == FLOW_NONE ? (sh->status = 0) : sh->status;
    }
    if (!sh->in_trap) sh->command = n;
    trap_run(sh, TRAP_DEBUG);
    if (sh->opt[OPT_XTRACE]) trace_for(sh, n, "select");
    struct loop_state state = enter_loop(sh);
    bool show = true;
    for (;;) {
        if (show) print_menu(sh, &words);
        prompt_select(sh);
        if (!read_reply(sh)) {
            out_putc(sh, '\n');
            out_flush(sh);
            status = sh->status = 1;
            break;
        }
        const char *reply = var_get(sh, "REPLY");
        show = !reply || !*reply;
        if (show) continue;
        int64_t choice = 0;
        bool ok = parse_int64(reply, &choice) && choice >= 1 && choice <= words.n;
        if (!var_set(sh, n->each.name, ok ? words.v[choice - 1] : "")) {
            status = sh->status = 1;
            break;
        }
        status = run_body(sh, n->each.body);
        if (exec_loop_flow(sh)) break;
        reply = var_get(sh, "REPLY");
        show = !reply || !*reply;
    }
    leave_loop(sh, state);
    arena_release(&sh->tmp, mark);
    return sh->flow == FLOW_NONE ? (sh->status = status) : sh->status;
}

/* ------------------------------------------------------------------ case */

static bool item_matches(struct shell *sh, const struct case_item *item, const char *subject) {
    unsigned flags = pattern_flags(sh, sh->shopt[SHOPT_NOCASEMATCH]);
    size_t n = strlen(subject);
    for (int i = 0; i < item->count; i++) {
        const struct word *w = item->patterns[i];
        if ((w->flags & W_PLAIN) && !(flags & PAT_ICASE)) {
            if (strcmp(w->text, subject) == 0) return true;
            continue;
        }
        char *pattern = expand_pattern(sh, w);
        if (!pattern) return false;
        if (pattern_match(pattern, subject, n, flags)) return true;
    }
    return false;
}

int exec_case(struct shell *sh, struct node *n) {
    arena_mark mark = arena_here(&sh->tmp);
    if (!exec_begin(sh, n, true)) return sh->status;
    if (sh->opt[OPT_XTRACE])
        exec_trace_text(sh, arena_printf(&sh->tmp, "case %s in", n->choice.subject->text));
    char *subject = expand_single(sh, n->choice.subject);
    int status = 0;
    bool ran = false;
    bool fall = false;
    for (struct case_item *item = subject ? n->choice.items : NULL; item; item = item->next) {
        bool hit = fall || item_matches(sh, item, subject);
        if (sh->flow != FLOW_NONE) break;
        if (!hit) continue;
        ran = true;
        status = item->body ? exec_node(sh, item->body) : (sh->status = 0);
        if (sh->flow != FLOW_NONE || item->end == ';') break;
        fall = item->end == '&';
    }
    arena_release(&sh->tmp, mark);
    if (sh->flow != FLOW_NONE) return sh->status;
    return sh->status = ran ? status : 0;
}
