/*
 * print.c: the tree as text again, laid out as bash does it: declare -f, jobs, BASH_COMMAND.
 *
 * Inside a function commands stand on lines of their own; elsewhere on one line as far as their
 * kind allows. Bodies of here-documents follow the line that asked for them.
 */
#include "sh.h"

struct printer {
    sb *out;
    int indent, step;
    bool in_function;
    bool skip_indent;          /* the next command goes on on this line */
    bool after_here;           /* a here-document has just ended the line */
    int connections;           /* lists and pipelines around: a document waits for the end of its line */
    const struct redir *here[8];
    int here_count;
};

static void put_node(struct printer *p, const struct node *n);

static void put(struct printer *p, const char *s) { sb_puts(p->out, s); }

static void put_indent(struct printer *p) {
    if (p->skip_indent) {
        p->skip_indent = false;
        return;
    }
    for (int i = 0; i < p->indent; i++) sb_putc(p->out, ' ');
}

static void newline(struct printer *p, const char *text) {
    sb_putc(p->out, '\n');
    for (int i = 0; *text && i < p->indent; i++) sb_putc(p->out, ' ');
    put(p, text);
}

static void semicolon(struct printer *p) {
    char last = p->out->n ? p->out->s[p->out->n - 1] : 0;
    if (last != '&' && last != '\n') sb_putc(p->out, ';');
}

/* ------------------------------------------------------------------ words */

/* The word's text from `from` to `to`, but $'…' as what it stands for and $"…" without its dollar,
 * as bash's parser leaves them. */
static void put_text(sb *out, const struct word *w, uint32_t from, uint32_t to) {
    for (const struct dollar_quote *d = w->dollars; d; d = d->next) {
        if (d->at < from || d->end > to) continue;
        sb_put(out, w->text + from, d->at - from);
        from = d->end;
        if (w->text[d->at + 1] != '\'') continue;
        sb text = {0};
        quote_unescape(&text, w->text + d->at + 2, d->end - d->at - 3, '$');
        quote_single(out, sb_str(&text));
        sb_free(&text);
    }
    sb_put(out, w->text + from, to - from);
}

/* $( ) in a word is printed anew; everything else as it was written. */
static void put_parts(sb *out, const struct word *w, const struct part *parts, uint32_t *done) {
    for (; parts; parts = parts->next) {
        if (parts->kind == PART_DQ) put_parts(out, w, parts->inner, done);
        if (parts->kind != PART_CMD && parts->kind != PART_PROC_IN && parts->kind != PART_PROC_OUT)
            continue;
        if (parts->end > w->len || parts->at < *done) continue;
        put_text(out, w, *done, parts->at);
        sb_put(out, w->text + parts->at, 2);
        if (!(parts->cmd->kind == N_LIST && !parts->cmd->list.first)) print_command(out, parts->cmd);
        sb_putc(out, ')');
        *done = parts->end;
    }
}

void print_word(sb *out, const struct word *w) {
    uint32_t done = 0;
    if (!(w->flags & W_PURE)) put_parts(out, w, w->parts, &done);
    put_text(out, w, done, w->len);
}

static void put_assign(struct printer *p, const struct assign *as) { print_word(p->out, as->word); }

/* ------------------------------------------------------------------ redirections */

static void put_redir_fd(struct printer *p, const struct redir *r, int usual) {
    if (r->fd_var) sb_printf(p->out, "{%s}", r->fd_var);
    else if (r->fd >= 0 && r->fd != usual) sb_printf(p->out, "%d", r->fd);
}

static void put_file_redir(struct printer *p, const struct redir *r, const char *op, int usual) {
    put_redir_fd(p, r, usual);
    put(p, op);
    sb_putc(p->out, ' ');
    print_word(p->out, r->target);
}

static void put_dup(struct printer *p, const struct redir *r) {
    bool input = r->kind == R_DUP_IN;
    bool closes = strcmp(r->target->text, "-") == 0;
    const char *to = r->target->text;
    bool number = closes || (*to >= '0' && *to <= '9'); /* then the descriptor is always shown */
    if (r->fd_var) sb_printf(p->out, "{%s}", r->fd_var);
    else if (number || (r->fd >= 0 && r->fd != !input))
        sb_printf(p->out, "%d", r->fd >= 0 ? r->fd : !input);
    put(p, input && !closes ? "<&" : ">&");
    print_word(p->out, r->target);
}

static void put_redir(struct printer *p, const struct redir *r) {
    switch (r->kind) {
    case R_IN: put_file_redir(p, r, "<", 0); break;
    case R_OUT: put_file_redir(p, r, ">", 1); break;
    case R_CLOBBER: put_file_redir(p, r, ">|", 1); break;
    case R_APPEND: put_file_redir(p, r, ">>", 1); break;
    case R_INOUT: /* its descriptor is always shown */
        put_file_redir(p, r, r->fd >= 0 || r->fd_var ? "<>" : "0<>", -1);
        break;
    case R_BOTH: put_file_redir(p, r, "&>", -1); break;
    case R_BOTH_APPEND: put_file_redir(p, r, "&>>", -1); break;
    case R_HERE_STRING: put_file_redir(p, r, "<<<", 0); break;
    case R_HERE_DOC:
        put_redir_fd(p, r, 0);
        put(p, r->strip ? "<<-" : "<<");
        if (r->here_quoted) quote_single(p->out, r->delimiter);
        else put(p, r->delimiter);
        if (p->here_count < DIM(p->here)) p->here[p->here_count++] = r;
        break;
    default: put_dup(p, r);
    }
}

/* The documents that the line asked for. */
static void put_documents(struct printer *p) {
    if (p->here_count == 0) return;
    sb_putc(p->out, '\n');
    for (int i = 0; i < p->here_count; i++) {
        const struct redir *r = p->here[i];
        if (r->target) put(p, r->target->text);
        put(p, r->delimiter);
        sb_putc(p->out, '\n');
    }
    p->here_count = 0;
    p->after_here = true;
}

/* What stands on the rest of the line, then its documents and, as bash has it, a blank. */
static void put_here(struct printer *p, const char *rest) {
    bool any = p->here_count > 0;
    put(p, rest);
    put_documents(p);
    if (any && *rest) sb_putc(p->out, ' ');
}

static void put_redirs_from(struct printer *p, const struct redir *r, bool first) {
    if (r) p->after_here = false;
    for (; r; r = r->next) {
        if (!first) sb_putc(p->out, ' ');
        first = false;
        put_redir(p, r);
    }
    if (p->connections == 0) put_documents(p);
}

static void put_redirs(struct printer *p, const struct redir *r) { put_redirs_from(p, r, false); }

/* ------------------------------------------------------------------ commands */

static void put_simple(struct printer *p, const struct node *n) {
    bool first = true;
    const struct redir *redirs = n->redirs;
    /* `<file done` runs a command named done, which must not come to stand first. */
    if (redirs && redirs->kind != R_HERE_DOC && !n->simple.assigns && n->simple.count &&
        sh_is_keyword(n->simple.words[0]->text)) {
        put_redir(p, redirs);
        redirs = redirs->next;
        first = false;
    }
    for (const struct assign *as = n->simple.assigns; as; as = as->next) {
        if (!first) sb_putc(p->out, ' ');
        first = false;
        put_assign(p, as);
    }
    for (int i = 0; i < n->simple.count; i++) {
        if (!first) sb_putc(p->out, ' ');
        first = false;
        print_word(p->out, n->simple.words[i]);
    }
    put_redirs_from(p, redirs, first);
}

/* A body on lines of its own, one level further in. */
static void put_body(struct printer *p, const struct node *body) {
    p->indent += p->step;
    sb_putc(p->out, '\n');
    put_node(p, body);
    put_documents(p);
    semicolon(p);
    p->indent -= p->step;
}

/* A command that goes on on this line. */
static void put_inline(struct printer *p, const struct node *n) {
    p->skip_indent = true;
    put_node(p, n);
}

static void put_group(struct printer *p, const struct node *n) {
    put(p, "{ ");
    if (!p->in_function) {
        put_inline(p, n->wrap.body);
        put_documents(p);
        semicolon(p);
        put(p, " }");
        return;
    }
    sb_putc(p->out, '\n');
    p->indent += p->step;
    put_node(p, n->wrap.body);
    put_documents(p);
    p->indent -= p->step;
    newline(p, "}");
}

static void put_if(struct printer *p, const struct node *n) {
    put(p, "if ");
    put_inline(p, n->branch.cond);
    semicolon(p);
    put(p, " then");
    put_body(p, n->branch.then);
    if (n->branch.otherwise) {
        newline(p, "else");
        put_body(p, n->branch.otherwise);
    }
    newline(p, "fi");
}

static void put_while(struct printer *p, const struct node *n) {
    put(p, n->kind == N_WHILE ? "while " : "until ");
    put_inline(p, n->loop.cond);
    put_documents(p);
    semicolon(p);
    put(p, " do");
    put_body(p, n->loop.body);
    newline(p, "done");
}

static void put_for_head(struct printer *p, const struct node *n) {
    sb_printf(p->out, "%s %s in ", n->kind == N_FOR ? "for" : "select", n->each.name);
    if (n->flags & NF_FOR_ARGS) put(p, "\"$@\"");
    for (int i = 0; i < n->each.count; i++) {
        if (i) sb_putc(p->out, ' ');
        print_word(p->out, n->each.words[i]);
    }
}

static void put_for(struct printer *p, const struct node *n) {
    put_for_head(p, n);
    sb_putc(p->out, ';');
    newline(p, "do");
    put_body(p, n->each.body);
    newline(p, "done");
}

/* An expression of for (( )): bash drops the blanks before it only. */
static void put_expression(struct printer *p, const struct word *w) {
    if (!w) {
        sb_putc(p->out, '1');
        return;
    }
    const char *s = w->text + strspn(w->text, " \t\n");
    put(p, *s ? s : "1");
}

static void put_arith_for(struct printer *p, const struct node *n) {
    put(p, "for ((");
    put_expression(p, n->afor.init);
    put(p, "; ");
    put_expression(p, n->afor.cond);
    put(p, "; ");
    put_expression(p, n->afor.step);
    put(p, "))");
    newline(p, "do");
    put_body(p, n->afor.body);
    newline(p, "done");
}

static void put_case(struct printer *p, const struct node *n) {
    put(p, "case ");
    print_word(p->out, n->choice.subject);
    put(p, " in ");
    p->indent += p->step;
    for (const struct case_item *item = n->choice.items; item; item = item->next) {
        newline(p, "");
        for (int i = 0; i < p->indent; i++) sb_putc(p->out, ' ');
        for (int i = 0; i < item->count; i++) {
            if (i) put(p, " | ");
            print_word(p->out, item->patterns[i]);
        }
        put(p, ")\n");
        p->indent += p->step;
        if (item->body) put_node(p, item->body);
        p->indent -= p->step;
        put_documents(p);
        newline(p, item->end == ';' ? ";;" : item->end == '&' ? ";&" : ";;&");
    }
    p->indent -= p->step;
    newline(p, "esac");
}

static void put_cond(struct printer *p, const struct cond *c) {
    switch (c->kind) {
    case COND_AND:
    case COND_OR:
        put_cond(p, c->left);
        put(p, c->kind == COND_AND ? " && " : " || ");
        put_cond(p, c->right);
        break;
    case COND_NOT:
        put(p, "! ");
        put_cond(p, c->left);
        break;
    case COND_GROUP:
        put(p, "( ");
        put_cond(p, c->left);
        put(p, " )");
        break;
    case COND_BINARY:
        print_word(p->out, c->a);
        sb_printf(p->out, " %s ", c->op);
        print_word(p->out, c->b);
        break;
    default:
        sb_printf(p->out, "%s ", c->kind == COND_UNARY ? c->op : "-n");
        print_word(p->out, c->a);
    }
}

/* name () and the body in braces. */
static void put_function(struct printer *p, const char *name, const struct node *body) {
    bool was = p->in_function;
    if (name) sb_printf(p->out, "%s () \n", name);
    p->skip_indent = false;
    put_indent(p);
    put(p, "{ \n");
    p->in_function = true;
    p->indent += p->step;
    put_node(p, body->kind == N_GROUP ? body->wrap.body : body);
    put_documents(p);
    p->indent -= p->step;
    p->in_function = was;
    newline(p, "}");
    if (body->kind == N_GROUP) put_redirs(p, body->redirs);
    put_documents(p);
}

static void put_list(struct printer *p, const struct node *n) {
    const struct node *first = n->list.first;
    bool connects = first && (first->next || (first->flags & NF_BACKGROUND));
    p->skip_indent = true;
    p->connections += connects;
    for (const struct node *c = first; c; c = c->next) {
        put_node(p, c);
        if (c->flags & NF_BACKGROUND) {
            put_here(p, " &");
            if (c->next) {
                sb_putc(p->out, ' ');
                p->skip_indent = true;
            }
        } else if (c->next) {
            if (p->here_count > 0) put_documents(p);
            else if (!p->after_here) sb_putc(p->out, ';');
            p->after_here = false;
            sb_putc(p->out, p->in_function ? '\n' : ' ');
            p->skip_indent = !p->in_function;
        }
    }
    if (connects) put_documents(p);
    p->connections -= connects;
}

static void put_pipe(struct printer *p, const struct node *n) {
    p->skip_indent = true;
    p->connections++;
    for (const struct node *c = n->list.first; c; c = c->next) {
        put_node(p, c);
        if (!c->next) break;
        if (c->flags & NF_PIPE_ERR) put(p, " 2>&1");
        put_here(p, " |");
        sb_putc(p->out, ' ');
        p->skip_indent = true;
    }
    put_documents(p);
    p->connections--;
}

static void put_pair(struct printer *p, const struct node *n) {
    p->connections++;
    put_inline(p, n->pair.left);
    put_here(p, n->kind == N_AND ? " && " : " || ");
    put_inline(p, n->pair.right);
    put_documents(p);
    p->connections--;
}

static void put_kind(struct printer *p, const struct node *n) {
    switch (n->kind) {
    case N_SIMPLE: put_simple(p, n); return;
    case N_LIST: put_list(p, n); break;
    case N_PIPE: put_pipe(p, n); break;
    case N_AND:
    case N_OR: put_pair(p, n); break;
    case N_NOT:
        put(p, "! ");
        if (n->wrap.body) put_inline(p, n->wrap.body);
        break;
    case N_TIME:
        put(p, n->flags & NF_POSIX_TIME ? "time -p " : "time ");
        if (n->wrap.body) put_inline(p, n->wrap.body);
        break;
    case N_SUBSHELL:
        put(p, "( ");
        put_inline(p, n->wrap.body);
        put_documents(p);
        put(p, " )");
        break;
    case N_GROUP: put_group(p, n); break;
    case N_IF: put_if(p, n); break;
    case N_WHILE:
    case N_UNTIL: put_while(p, n); break;
    case N_FOR:
    case N_SELECT: put_for(p, n); break;
    case N_ARITH_FOR: put_arith_for(p, n); break;
    case N_CASE: put_case(p, n); break;
    case N_FUNCTION:
        put(p, "function ");
        put_function(p, n->func.name, n->func.body);
        break;
    case N_ARITH: sb_printf(p->out, "((%s))", n->arith.expr->text); break;
    case N_COND:
        put(p, "[[ ");
        put_cond(p, n->test.expr);
        put(p, " ]]");
        break;
    case N_TEXT: sb_put(p->out, n->text.source, n->text.n); break;
    case N_COPROC:
        sb_printf(p->out, "coproc %s ", n->wrap.name);
        put_inline(p, n->wrap.body);
        break;
    default: break;
    }
    put_redirs(p, n->redirs);
}

static void put_node(struct printer *p, const struct node *n) {
    put_indent(p);
    put_kind(p, n);
}

void print_command(sb *out, const struct node *n) {
    struct printer p = {.out = out, .step = 4};
    put_kind(&p, n);
    put_documents(&p);
}

void print_head(sb *out, const struct node *n) {
    struct printer p = {.out = out, .step = 4, .skip_indent = true};
    switch (n->kind) {
    case N_FOR:
    case N_SELECT: put_for_head(&p, n); break;
    case N_CASE:
        put(&p, "case ");
        print_word(out, n->choice.subject);
        put(&p, " in ");
        break;
    default: print_command(out, n);
    }
}

void print_function(sb *out, const char *name, const struct node *body) {
    struct printer p = {.out = out, .step = 4};
    put_function(&p, name, body);
}

void print_exported_function(sb *out, const struct node *body) {
    struct printer p = {.out = out, .indent = 1, .in_function = true};
    bool group = body->kind == N_GROUP;
    put(&p, "{ ");
    put_node(&p, group ? body->wrap.body : body);
    put_documents(&p);
    put(&p, "\n}");
    if (group) put_redirs(&p, body->redirs);
}
