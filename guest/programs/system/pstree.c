/*
 * pstree.c: the processes as a tree.
 *
 * help pstree:
 *   Usage: pstree [-aAcglnps] [PID | USER]
 *   Display a tree of processes.
 *
 *     -a, --arguments     show command line arguments
 *     -A, --ascii         use ASCII line drawing characters
 *     -c, --compact-not   don't compact identical subtrees
 *     -g, --show-pgids    show process group ids; implies -c
 *     -U, --unicode       use UTF-8 line drawing characters
 *     -l, --long, -T, --hide-threads, -h  (ignored)
 *     -n, --numeric-sort  sort output by PID
 *     -p, --show-pids     show PIDs; implies -c
 *     -s, --show-parents  show parents of the selected process
 *         --help          display this help and exit
 *     -V, --version       display version information
 *
 *     PID    start at this PID; default is 1 (init)
 *     USER   show only trees rooted at processes of this user
 */
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "proc.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    process *list;
    size_t count;
    bool arguments, ascii, plain, pids, groups, by_pid;
} form;

static const g_long longs[] = {{"arguments", 'a', G_NONE},
                               {"ascii", 'A', G_NONE},
                               {"compact-not", 'c', G_NONE},
                               {"show-pgids", 'g', G_NONE},
                               {"long", 'l', G_NONE},
                               {"hide-threads", 'T', G_NONE},
                               {"unicode", 'U', G_NONE},
                               {"numeric-sort", 'n', G_NONE},
                               {"show-pids", 'p', G_NONE},
                               {"show-parents", 's', G_NONE},
                               {0}};

static const form *sorting;

static int by_name(const void *a, const void *b) {
    const process *x = *(process *const *)a, *y = *(process *const *)b;
    int order = sorting->by_pid ? 0 : strcmp(x->name, y->name);
    return order ? order : x->pid < y->pid ? -1 : x->pid > y->pid;
}

static process **children(const form *f, const process *p, size_t *count) {
    process **found = g_resize(NULL, f->count + 1, sizeof *found);
    *count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].ppid == p->pid && f->list[i].pid != p->pid) found[(*count)++] = &f->list[i];
    sorting = f;
    if (*count) qsort(found, *count, sizeof *found, by_name);
    return found;
}

static void label(const form *f, const process *p, g_text *out) {
    g_text_adds(out, f->arguments && *p->command && *p->command != '[' ? p->command : p->name);
    if (f->pids && !f->arguments) g_text_addf(out, "(%d", (int)p->pid);
    if (f->pids && f->arguments) g_text_addf(out, ",%d", (int)p->pid);
    if (f->groups) g_text_addf(out, "%s%d", f->pids || f->arguments ? "," : "(", (int)p->pgid);
    if ((f->pids || f->groups) && !f->arguments) g_text_addc(out, ')');
}

/* A subtree as text, for comparing. */
static void shape(const form *f, const process *p, g_text *out) {
    size_t count;
    process **below = children(f, p, &count);
    label(f, p, out);
    g_text_addc(out, '{');
    for (size_t i = 0; i < count; i++) shape(f, below[i], out);
    g_text_addc(out, '}');
    free(below);
}

static bool same(const form *f, const process *a, const process *b) {
    g_text x = {0}, y = {0};
    shape(f, a, &x), shape(f, b, &y);
    bool equal = x.len == y.len && memcmp(x.s, y.s, x.len) == 0;
    g_text_free(&x), g_text_free(&y);
    return equal;
}

static void tree(const form *f, const process *p, const char *before, size_t times) {
    size_t count, i = 0;
    process **below = children(f, p, &count);
    const char *single = f->ascii ? "---" : "───", *first = f->ascii ? "-+-" : "─┬─";
    const char *more = f->ascii ? "|-" : "├─", *last = f->ascii ? "`-" : "└─";
    g_text line = {0}, name = {0};
    if (times > 1) g_text_addf(&name, "%zu*[", times);
    label(f, p, &name);
    if (times > 1) g_text_addc(&name, ']');
    g_outs(name.s);
    if (!count) g_outc('\n');
    g_text_adds(&line, before);
    if (f->arguments && count) g_outc('\n');
    if (!f->arguments) {
        size_t width = g_text_width(name.s, name.len) + 1;
        for (size_t k = 0; k < width; k++) g_text_addc(&line, ' ');
    } else {
        g_text_adds(&line, "  ");
    }
    while (i < count) {
        size_t alike = 1;
        bool compact = !f->plain && !f->pids && !f->groups && !f->arguments;
        while (compact && i + alike < count && same(f, below[i], below[i + alike])) alike++;
        bool at_end = i + alike >= count;
        if (f->arguments)
            g_outf("%s%s", line.s, at_end ? last : more);
        else if (i == 0)
            g_outs(at_end ? single : first);
        else
            g_outf("%s%s", line.s, at_end ? last : more);
        g_text next = {0};
        g_text_adds(&next, line.s);
        g_text_adds(&next, at_end ? "  " : f->ascii ? "| " : "│ ");
        tree(f, below[i], next.s, alike);
        g_text_free(&next);
        i += alike;
    }
    g_text_free(&line), g_text_free(&name);
    free(below);
}

static const process *of_pid(const form *f, pid_t pid) {
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].pid == pid) return &f->list[i];
    return NULL;
}

/* All but the line from init to the process, and what is below it, is taken out. */
static const process *with_parents(form *f, const process *p) {
    bool *keep = g_zalloc(f->count + 1), more = true;
    for (const process *up = p; up; up = up->ppid == up->pid ? NULL : of_pid(f, up->ppid))
        keep[up - f->list] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < f->count; i++) {
            const process *up = of_pid(f, f->list[i].ppid);
            bool below = up && keep[up - f->list] && !keep[i];
            for (const process *x = up; below && x != p; x = of_pid(f, x->ppid))
                if (!x || x->ppid == x->pid) below = false;
            if (below) keep[i] = more = true;
        }
    }
    const process *top = p;
    for (const process *up; (up = of_pid(f, top->ppid)) && up != top;) top = up;
    pid_t first = top->pid;
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++)
        if (keep[i]) f->list[n++] = f->list[i];
    f->count = n;
    free(keep);
    return of_pid(f, first);
}

static _Noreturn void no_user(const char *name) {
    fprintf(stderr, "No such user name: %s\n", name);
    g_exit(1);
}

int pstree_main(int argc, char **argv) {
    form f = {.ascii = true}; /* lines of other characters are for terminals, or -U */
    bool parents = false;
    g_options o = g_options_of(argc, argv, "aAcglTUnpshV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a': f.arguments = true; break;
        case 'A': f.ascii = true; break;
        case 'c': f.plain = true; break;
        case 'g': f.groups = true; break;
        case 'n': f.by_pid = true; break;
        case 'p': f.pids = true; break;
        case 's': parents = true; break;
        case 'U': f.ascii = false; break;
        case 'V': g_print_version(); return 0;
        }
    if (argc - o.at > 1) g_extra_operand(argv[o.at + 1]);
    f.list = proc_list(&f.count);
    const char *who = o.at < argc ? argv[o.at] : "1";
    if (!isdigit((unsigned char)*who)) {
        struct passwd *user = getpwnam(who);
        bool any = false;
        if (!user) no_user(who);
        for (size_t i = 0; i < f.count; i++) {
            const process *up = of_pid(&f, f.list[i].ppid);
            if (f.list[i].uid != user->pw_uid || (up && up->uid == user->pw_uid)) continue;
            if (any) g_outc('\n');
            tree(&f, &f.list[i], "", 1);
            any = true;
        }
        if (!any) g_die(1, "No processes found.");
        return 0;
    }
    const process *start = of_pid(&f, (pid_t)strtol(who, NULL, 10));
    if (!start) return 0;
    if (parents) start = with_parents(&f, start);
    tree(&f, start, "", 1);
    return 0;
}
