/*
 * dump.c: bash --dump-tree: prints what standard input parses to as JSON; nothing runs.
 *
 * The output is one array with an object for each complete command, in the names of tree.h. An
 * object {"error": TEXT} ends it where the grammar does. Bytes of strings that are not ASCII stand
 * as they are: whoever reads it decides what they mean.
 */
#include "sh.h"

static void put_node(const struct node *n);
static void put_word(const struct word *w);
static void put_assigns(const struct assign *as);

static void put_string(const char *s, size_t n) {
    putchar('"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < ' ' || c == 127) printf("\\u%04x", c);
        else putchar(c);
    }
    putchar('"');
}

static void put_text(const char *key, const char *s) {
    printf(",\"%s\":", key);
    if (s) put_string(s, strlen(s));
    else fputs("null", stdout);
}

static void put_flag(const char *key, bool on) {
    if (on) printf(",\"%s\":true", key);
}

static void put_child(const char *key, const struct node *n) {
    if (!n) return;
    printf(",\"%s\":", key);
    put_node(n);
}

static void put_word_at(const char *key, const struct word *w) {
    if (!w) return;
    printf(",\"%s\":", key);
    put_word(w);
}

/* ------------------------------------------------------------------ texts */

struct dump {
    struct shell *sh;
    int count;
};

static struct shell *dumping; /* for texts within texts: `…` */

/* shopt -s extglob, as a command of its own, counts for how the lines after it are read. */
static void take_option(struct shell *sh, const struct node *n) {
    while (n && n->kind == N_LIST && n->list.count == 1) n = n->list.first;
    if (!n || n->kind != N_SIMPLE || n->simple.count != 3 || n->redirs) return;
    struct word **w = n->simple.words;
    if (strcmp(w[0]->text, "shopt") != 0 || strcmp(w[2]->text, "extglob") != 0) return;
    if (strcmp(w[1]->text, "-s") == 0) sh->shopt[SHOPT_EXTGLOB] = true;
    if (strcmp(w[1]->text, "-u") == 0) sh->shopt[SHOPT_EXTGLOB] = false;
}

static void put_command(void *arg, const struct node *n) {
    struct dump *d = arg;
    if (d->count++) putchar(',');
    put_node(n);
    putchar('\n');
    take_option(d->sh, n);
}

static void put_source(const char *text, size_t n) {
    struct dump d = {.sh = dumping};
    putchar('[');
    if (!parse_each(d.sh, text, n, put_command, &d))
        printf("%s{\"kind\":\"error\",\"line\":%d}", d.count ? "," : "", d.sh->line);
    putchar(']');
}

/* ------------------------------------------------------------------ words */

static void put_param(const struct param *pm) {
    static const char *const ops[] = {
        [OP_NONE] = "", [OP_DEFAULT] = "-", [OP_ASSIGN] = "=", [OP_ERROR] = "?",
        [OP_ALTERNATE] = "+", [OP_PREFIX] = "#", [OP_PREFIX_LONG] = "##", [OP_SUFFIX] = "%",
        [OP_SUFFIX_LONG] = "%%", [OP_REPLACE] = "/", [OP_CASE] = "^", [OP_SLICE] = ":",
        [OP_TRANSFORM] = "@",
    };
    fputs("{\"name\":", stdout);
    put_string(pm->name, strlen(pm->name));
    put_text("op", ops[pm->op]);
    if (pm->op == OP_TRANSFORM) put_text("mode", (char[]){pm->mode, 0});
    put_flag("length", pm->length);
    put_flag("indirect", pm->indirect);
    put_flag("names", pm->names);
    put_flag("every", pm->sub_all);
    put_word_at("sub", pm->sub);
    put_word_at("arg", pm->arg);
    put_word_at("arg2", pm->arg2);
    putchar('}');
}

static void put_parts(const struct part *part) {
    static const char *const kinds[] = {
        [PART_TEXT] = "text", [PART_QUOTED] = "quoted", [PART_DQ] = "double", [PART_PARAM] = "param",
        [PART_CMD] = "command", [PART_BACKQUOTE] = "backquote", [PART_ARITH] = "arith",
        [PART_PROC_IN] = "command", [PART_PROC_OUT] = "command", [PART_TILDE] = "tilde",
        [PART_SUBSCRIPT] = "subscript", [PART_BAD] = "bad",
    };
    putchar('[');
    for (; part; part = part->next) {
        printf("{\"part\":\"%s\",\"is\":", kinds[part->kind]);
        switch (part->kind) {
        case PART_DQ:
        case PART_SUBSCRIPT: put_parts(part->inner); break;
        case PART_PARAM: put_param(part->param); break;
        case PART_CMD:
        case PART_PROC_IN:
        case PART_PROC_OUT:
            if (part->cmd) put_node(part->cmd);
            else fputs("null", stdout);
            break;
        case PART_BACKQUOTE: put_source(part->s, part->n); break;
        case PART_ARITH: put_word(part->expr); break;
        default: put_string(part->s ? part->s : "", part->n);
        }
        printf(part->next ? "}," : "}");
    }
    putchar(']');
}

static void put_word(const struct word *w) {
    fputs("{\"text\":", stdout);
    put_string(w->text, w->len);
    put_flag("brace", w->flags & W_BRACE);
    printf(",\"line\":%d,\"parts\":", w->line);
    put_parts(w->parts);
    if (w->assign) {
        fputs(",\"assigns\":", stdout);
        put_assigns(w->assign);
    }
    putchar('}');
}

static void put_words(const char *key, struct word *const *words, int count) {
    printf(",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        if (i) putchar(',');
        put_word(words[i]);
    }
    putchar(']');
}

static void put_assigns(const struct assign *as) {
    putchar('[');
    for (; as; as = as->next) {
        fputs("{\"name\":", stdout);
        put_string(as->name, strlen(as->name));
        put_flag("append", as->append);
        put_flag("compound", as->compound);
        put_word_at("index", as->index);
        put_word_at("value", as->compound ? NULL : as->value);
        fputs(",\"elements\":[", stdout);
        for (const struct element *e = as->compound ? as->elements : NULL; e; e = e->next) {
            fputs("{\"element\":true", stdout);
            put_word_at("index", e->index);
            put_word_at("whole", e->whole);
            put_word_at("value", e->value);
            printf(e->next ? "}," : "}");
        }
        printf(as->next ? "]}," : "]}");
    }
    putchar(']');
}

/* ------------------------------------------------------------------ commands */

static void put_redirs(const struct redir *r) {
    static const char *const ops[] = {
        [R_IN] = "<", [R_OUT] = ">", [R_CLOBBER] = ">|", [R_APPEND] = ">>", [R_INOUT] = "<>",
        [R_DUP_IN] = "<&", [R_DUP_OUT] = ">&", [R_BOTH] = "&>", [R_BOTH_APPEND] = "&>>",
        [R_HERE_DOC] = "<<", [R_HERE_STRING] = "<<<",
    };
    fputs(",\"redirs\":[", stdout);
    for (; r; r = r->next) {
        printf("{\"op\":\"%s\",\"line\":%d", ops[r->kind], r->line);
        put_flag("raw", r->kind == R_HERE_DOC && r->here_quoted);
        if (r->fd_var) put_text("variable", r->fd_var);
        put_word_at("target", r->target);
        printf(r->next ? "}," : "}");
    }
    putchar(']');
}

static void put_cond(const struct cond *c) {
    static const char *const kinds[] = {
        [COND_AND] = "and",     [COND_OR] = "or",     [COND_NOT] = "not",    [COND_UNARY] = "unary",
        [COND_BINARY] = "binary", [COND_WORD] = "word", [COND_GROUP] = "group",
    };
    printf("{\"cond\":\"%s\"", kinds[c->kind]);
    if (c->op) put_text("op", c->op);
    put_word_at("a", c->a);
    put_word_at("b", c->b);
    for (int right = 0; right < 2; right++) {
        const struct cond *side = right ? c->right : c->left;
        if (!side) continue;
        printf(",\"%s\":", right ? "right" : "left");
        put_cond(side);
    }
    putchar('}');
}

static void put_list(const char *key, const struct node *first) {
    printf(",\"%s\":[", key);
    for (; first; first = first->next) {
        put_node(first);
        if (first->next) putchar(',');
    }
    putchar(']');
}

static void put_items(const struct case_item *item) {
    fputs(",\"items\":[", stdout);
    for (; item; item = item->next) {
        fputs("{\"item\":true", stdout);
        put_words("patterns", item->patterns, item->count);
        put_child("body", item->body);
        printf(item->next ? "}," : "}");
    }
    putchar(']');
}

static void put_fields(const struct node *n) {
    switch (n->kind) {
    case N_SIMPLE:
        fputs(",\"assigns\":", stdout);
        put_assigns(n->simple.assigns);
        put_words("words", n->simple.words, n->simple.count);
        break;
    case N_LIST:
    case N_PIPE: put_list("commands", n->list.first); break;
    case N_AND:
    case N_OR:
        put_child("left", n->pair.left);
        put_child("right", n->pair.right);
        break;
    case N_NOT:
    case N_TIME:
    case N_SUBSHELL:
    case N_GROUP:
    case N_COPROC:
        if (n->kind == N_COPROC) put_text("name", n->wrap.name);
        put_child("body", n->wrap.body);
        break;
    case N_IF:
        put_child("test", n->branch.cond);
        put_child("then", n->branch.then);
        put_child("otherwise", n->branch.otherwise);
        break;
    case N_WHILE:
    case N_UNTIL:
        put_child("test", n->loop.cond);
        put_child("body", n->loop.body);
        break;
    case N_FOR:
    case N_SELECT:
        put_text("name", n->each.name);
        put_flag("positional", n->flags & NF_FOR_ARGS);
        put_words("words", n->each.words, n->each.count);
        put_child("body", n->each.body);
        break;
    case N_ARITH_FOR:
        put_word_at("init", n->afor.init);
        put_word_at("arithmetic", n->afor.cond);
        put_word_at("step", n->afor.step);
        put_child("body", n->afor.body);
        break;
    case N_CASE:
        put_word_at("subject", n->choice.subject);
        put_items(n->choice.items);
        break;
    case N_FUNCTION:
        put_text("name", n->func.name);
        put_child("body", n->func.body);
        break;
    case N_ARITH: put_word_at("arithmetic", n->arith.expr); break;
    case N_COND:
        fputs(",\"test\":", stdout);
        put_cond(n->test.expr);
        break;
    default: break; /* N_TEXT comes of aliases, which are off */
    }
}

static void put_node(const struct node *n) {
    static const char *const kinds[] = {
        [N_SIMPLE] = "simple", [N_LIST] = "list", [N_PIPE] = "pipe", [N_AND] = "and", [N_OR] = "or",
        [N_NOT] = "not", [N_TIME] = "time", [N_SUBSHELL] = "subshell", [N_GROUP] = "group",
        [N_IF] = "if", [N_WHILE] = "while", [N_UNTIL] = "until", [N_FOR] = "for",
        [N_SELECT] = "select", [N_ARITH_FOR] = "arith_for", [N_CASE] = "case",
        [N_FUNCTION] = "function", [N_ARITH] = "arith", [N_COND] = "cond", [N_COPROC] = "coproc",
        [N_TEXT] = "text",
    };
    printf("{\"kind\":\"%s\",\"line\":%d", kinds[n->kind], n->line);
    put_flag("background", n->flags & NF_BACKGROUND);
    put_fields(n);
    put_redirs(n->redirs);
    putchar('}');
}

int dump_main(struct shell *sh) {
    size_t n;
    char *text = read_file(sh, 0, &n);
    if (!text) {
        sh_error(sh, "--dump-tree: %s", strerror(errno));
        return 1;
    }
    dumping = sh;
    put_source(text, n);
    putchar('\n');
    free(text);
    return fflush(stdout) ? 1 : 0;
}
