/*
 * cond.c: [[ … ]], and the primaries that it shares with test and [.
 */
#include "sh.h"

#include <sys/stat.h>
#include <unistd.h>

static bool stat_mode(const char *path, mode_t type, bool link) {
    struct stat st;
    if ((link ? lstat(path, &st) : stat(path, &st)) < 0) return false;
    return (st.st_mode & S_IFMT) == type;
}

static bool mode_bit(const char *path, mode_t bit) {
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & bit);
}

static bool is_set(struct shell *sh, const char *ref) {
    char *name, *sub;
    if (*ref && ref[strspn(ref, "0123456789")] == 0) {
        long n = strtol(ref, NULL, 10);
        return n >= 0 && n <= sh->frame->nargs;
    }
    if (!assign_split_ref(sh, ref, &name, &sub)) return false;
    struct var *v = var_find(sh, name);
    if (v && (v->flags & V_ASSOC) && sub && assign_is_argument(sh, ref))
        return assoc_get(var_assoc(v), sub) != NULL;
    if (!v) return !sub && assign_get_text(sh, ref) != NULL;
    var_refresh(sh, v);
    if (sub && (strcmp(sub, "@") == 0 || strcmp(sub, "*") == 0)) {
        if (v->flags & V_ARRAY) return array_count(var_array(v)) > 0;
        if (v->flags & V_ASSOC) return assoc_get(var_assoc(v), sub) != NULL;
        return v->flags & V_SET;
    }
    if (!sub) return var_get(sh, name) != NULL;
    return assign_get_text(sh, ref) != NULL;
}

static int file_unary(char op, const char *arg) {
    struct stat st;
    switch (op) {
    case 'a':
    case 'e': return stat(arg, &st) == 0;
    case 'b': return stat_mode(arg, S_IFBLK, false);
    case 'c': return stat_mode(arg, S_IFCHR, false);
    case 'd': return stat_mode(arg, S_IFDIR, false);
    case 'f': return stat_mode(arg, S_IFREG, false);
    case 'p': return stat_mode(arg, S_IFIFO, false);
    case 'S': return stat_mode(arg, S_IFSOCK, false);
    case 'h':
    case 'L': return stat_mode(arg, S_IFLNK, true);
    case 'g': return mode_bit(arg, S_ISGID);
    case 'u': return mode_bit(arg, S_ISUID);
    case 'k': return mode_bit(arg, S_ISVTX);
    case 'r': return access(arg, R_OK) == 0;
    case 'w': return access(arg, W_OK) == 0;
    case 'x': return access(arg, X_OK) == 0;
    case 's': return stat(arg, &st) == 0 && st.st_size > 0;
    case 'O': return stat(arg, &st) == 0 && st.st_uid == geteuid();
    case 'G': return stat(arg, &st) == 0 && st.st_gid == getegid();
    case 'N':
        return stat(arg, &st) == 0 && (st.st_mtim.tv_sec > st.st_atim.tv_sec ||
                                       (st.st_mtim.tv_sec == st.st_atim.tv_sec &&
                                        st.st_mtim.tv_nsec > st.st_atim.tv_nsec));
    default: return -1;
    }
}

int cond_unary(struct shell *sh, const char *op, const char *arg) {
    if (op[0] != '-' || !op[1] || op[2]) return -1;
    switch (op[1]) {
    case 'n': return *arg != 0;
    case 'z': return *arg == 0;
    case 'v': return is_set(sh, arg);
    case 'R': {
        struct var *v = var_find_raw(sh, arg);
        return v && (v->flags & V_NAMEREF) && (v->flags & V_SET);
    }
    case 'o': {
        int option = option_find(arg);
        return option >= 0 && sh->opt[option];
    }
    case 't': {
        int64_t fd;
        if (!parse_int64(arg, &fd)) {
            sh_error(sh, "%s: integer expression expected", arg);
            return 0;
        }
        return isatty((int)fd);
    }
    default: return file_unary(op[1], arg);
    }
}

static int compare_files(const char *a, const char *op, const char *b) {
    struct stat sa, sb_;
    bool has_a = stat(a, &sa) == 0, has_b = stat(b, &sb_) == 0;
    if (strcmp(op, "-ef") == 0)
        return has_a && has_b && sa.st_dev == sb_.st_dev && sa.st_ino == sb_.st_ino;
    if (op[1] == 'o') { /* older: swap the sides */
        struct stat t = sa;
        sa = sb_;
        sb_ = t;
        bool h = has_a;
        has_a = has_b;
        has_b = h;
    }
    if (!has_a) return 0;
    if (!has_b) return 1;
    if (sa.st_mtim.tv_sec != sb_.st_mtim.tv_sec) return sa.st_mtim.tv_sec > sb_.st_mtim.tv_sec;
    return sa.st_mtim.tv_nsec > sb_.st_mtim.tv_nsec;
}

/* In test a number is decimal; in [[ it is an arithmetic expression. -1: not a number. */
static int compare_numbers(struct shell *sh, const char *a, const char *op, const char *b,
                           bool in_test) {
    int64_t x, y;
    if (in_test) {
        const char *bad = !parse_int64(a, &x) ? a : !parse_int64(b, &y) ? b : NULL;
        if (bad) {
            sh_builtin_error(sh, "%s: integer expression expected", bad);
            return -2;
        }
    } else if (!arith_eval(sh, a, &x, "[[") || !arith_eval(sh, b, &y, "[[")) {
        return sh->flow == FLOW_NONE ? 0 : -2; /* false, which ! inverts */
    }
    if (strcmp(op, "-eq") == 0) return x == y;
    if (strcmp(op, "-ne") == 0) return x != y;
    if (strcmp(op, "-lt") == 0) return x < y;
    if (strcmp(op, "-le") == 0) return x <= y;
    if (strcmp(op, "-gt") == 0) return x > y;
    return x >= y;
}

int cond_binary(struct shell *sh, const char *a, const char *op, const char *b, bool in_test) {
    if (strcmp(op, "=") == 0 || strcmp(op, "==") == 0) return strcmp(a, b) == 0;
    if (strcmp(op, "!=") == 0) return strcmp(a, b) != 0;
    if (strcmp(op, "<") == 0) return strcmp(a, b) < 0;
    if (strcmp(op, ">") == 0) return strcmp(a, b) > 0;
    if (op[0] != '-' || strlen(op) != 3) return -1;
    static const char *const numeric[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    for (int i = 0; i < DIM(numeric); i++)
        if (strcmp(op, numeric[i]) == 0) return compare_numbers(sh, a, op, b, in_test);
    if (strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0 || strcmp(op, "-ef") == 0)
        return compare_files(a, op, b);
    return -1;
}

/* ------------------------------------------------------------------ [[ ]] */

static void trace_cond(struct shell *sh, const struct cond *c, const char *a, const char *b,
                       bool negated) {
    sb text = sb_in(&sh->tmp);
    sb_puts(&text, negated ? "[[ ! " : "[[ ");
    if (c->kind != COND_BINARY) sb_printf(&text, "%s ", c->kind == COND_UNARY ? c->op : "-n");
    sb_puts(&text, *a ? a : "''");
    if (c->kind == COND_BINARY) sb_printf(&text, " %s %s", c->op, *b ? b : "''");
    sb_puts(&text, " ]]");
    exec_trace_text(sh, sb_str(&text));
}

static int eval_binary(struct shell *sh, const struct cond *c, const char *a, bool negated) {
    bool equal = strcmp(c->op, "==") == 0 || strcmp(c->op, "=") == 0;
    bool unequal = strcmp(c->op, "!=") == 0, regex = strcmp(c->op, "=~") == 0;
    char *b = regex                ? expand_regex(sh, c->b)
              : equal || unequal ? expand_pattern(sh, c->b)
                                   : expand_single(sh, c->b);
    if (!b) return -2;
    if (sh->opt[OPT_XTRACE]) trace_cond(sh, c, a, b, negated);
    if (regex) {
        int hit = regex_match(sh, a, b);
        return hit < 0 ? -2 : hit;
    }
    if (equal || unequal) {
        unsigned flags = PAT_EXT | (sh->shopt[SHOPT_NOCASEMATCH] ? PAT_ICASE : 0);
        return pattern_match(b, a, strlen(a), flags) == equal;
    }
    return cond_binary(sh, a, c->op, b, false);
}

/* 1 true, 0 false, -2 an error was printed. negated: a ! is before it, which set -x shows. */
static int eval_cond(struct shell *sh, const struct cond *c, bool negated) {
    if (sh_deep(sh)) return -2;
    int left;
    switch (c->kind) {
    case COND_AND:
        left = eval_cond(sh, c->left, false);
        return left == 1 ? eval_cond(sh, c->right, false) : left;
    case COND_OR:
        left = eval_cond(sh, c->left, false);
        return left == 0 ? eval_cond(sh, c->right, false) : left;
    case COND_NOT:
        left = eval_cond(sh, c->left, !negated);
        return left < 0 ? left : !left;
    case COND_GROUP: return eval_cond(sh, c->left, false);
    default: break;
    }
    char *a = expand_single(sh, c->a);
    if (!a) return -2;
    if (c->kind == COND_BINARY) return eval_binary(sh, c, a, negated);
    if (sh->opt[OPT_XTRACE]) trace_cond(sh, c, a, NULL, negated);
    if (c->kind == COND_UNARY) {
        bool before = sh->subscript_final;
        sh->subscript_final = true;
        int result = cond_unary(sh, c->op, a);
        sh->subscript_final = before;
        return result;
    }
    return *a != 0;
}

int exec_cond(struct shell *sh, struct node *n) {
    arena_mark mark = arena_here(&sh->tmp);
    if (!exec_begin(sh, n, false)) return sh->status;
    int result = eval_cond(sh, n->test.expr, false);
    arena_release(&sh->tmp, mark);
    if (sh->flow != FLOW_NONE) return sh->status;
    bool bad_pattern = result == -2 && sh->regex_failed;
    sh->regex_failed = false;
    sh->status = result == 1 ? 0 : result == 0 ? 1 : bad_pattern ? 2 : 1;
    exec_set_pipestatus(sh, &sh->status, 1);
    return sh->status;
}
