/*
 * chmod.c: changes the mode of files.
 *
 * Options that look like modes (chmod -x FILE, chmod -w,+r FILE) are modes, as in GNU.
 *
 * help chmod:
 *   Usage: chmod [OPTION]... MODE[,MODE]... FILE...
 *     or:  chmod [OPTION]... OCTAL-MODE FILE...
 *     or:  chmod [OPTION]... --reference=RFILE FILE...
 *   Change the mode of each FILE to MODE.
 *
 *     -c, --changes          like verbose but report only when a change is made
 *     -f, --silent, --quiet  suppress most error messages
 *     -v, --verbose          output a diagnostic for every file processed
 *         --no-preserve-root  do not treat '/' specially (the default)
 *         --preserve-root    fail to operate recursively on '/'
 *         --reference=RFILE  use RFILE's mode instead of MODE values
 *     -R, --recursive        change files and directories recursively
 *         --help             display this help and exit
 *         --version          output version information and exit
 *
 *   Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.
 */
#include "g_mode.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool recursive, silent, changes, verbose, preserve_root;
    bool surprising; /* the mode came as an option: say so when the umask kept bits */
    const g_mode_change *change;
    mode_t mask;
} changer;

static void report(const changer *c, const char *path, mode_t old, mode_t now, bool failed) {
    if (!c->verbose && (!c->changes || old == now)) return;
    char before[11], after[11];
    g_mode_string(old, before);
    g_mode_string(now, after);
    unsigned o = old & 07777, n = now & 07777;
    if (failed)
        g_outf("failed to change mode of %s from %04o (%s) to %04o (%s)\n", g_quoteaf(path), o,
               before + 1, n, after + 1);
    else if (o == n)
        g_outf("mode of %s retained as %04o (%s)\n", g_quoteaf(path), n, after + 1);
    else
        g_outf("mode of %s changed from %04o (%s) to %04o (%s)\n", g_quoteaf(path), o, before + 1,
               n, after + 1);
}

static void report_unseen(const changer *c, const char *path) {
    if (c->verbose) g_outf("%s could not be accessed\n", g_quoteaf(path));
}

static int change_one(const changer *c, const g_entry *e) {
    struct stat st = e->st;
    if (S_ISLNK(st.st_mode)) {
        if (e->depth > 0) {
            if (c->verbose)
                g_outf("neither symbolic link %s nor referent has been changed\n",
                       g_quoteaf(e->path));
            return 0;
        }
        if (fstatat(e->dir, e->at, &st, 0) < 0) {
            int error = errno;
            if (!c->silent && error == ENOENT)
                g_warn("cannot operate on dangling symlink %s", g_quoteaf(e->path));
            else if (!c->silent)
                g_warn_errno(error, "cannot access %s", g_quoteaf(e->path));
            report_unseen(c, e->path);
            return 1;
        }
    }
    mode_t mode = g_mode_apply(c->change, st.st_mode, S_ISDIR(st.st_mode), c->mask);
    if (fchmodat(e->dir, e->at, mode, 0) < 0) {
        int error = errno;
        if (!c->silent) g_warn_errno(error, "changing permissions of %s", g_quoteaf(e->path));
        report(c, e->path, st.st_mode, mode, true);
        return 1;
    }
    report(c, e->path, st.st_mode, mode | (st.st_mode & S_IFMT), false);
    if (!c->surprising) return 0;
    mode_t naively = g_mode_apply(c->change, st.st_mode, S_ISDIR(st.st_mode), 0);
    if (!(mode & ~naively)) return 0;
    char got[11], expected[11];
    g_mode_string(mode, got);
    g_mode_string(naively, expected);
    g_warn("%s: new permissions are %s, not %s", g_quotef(e->path), got + 1, expected + 1);
    return 1;
}

static int change_path(const changer *c, const char *path) {
    int status = 0;
    struct stat st, root;
    if (c->recursive && c->preserve_root && stat(path, &st) == 0 && stat("/", &root) == 0 &&
        st.st_ino == root.st_ino && st.st_dev == root.st_dev) {
        g_warn("it is dangerous to operate recursively on %s", g_quoteaf(path));
        g_warn("use --no-preserve-root to override this failsafe");
        return 1;
    }
    g_walk *walk = g_walk_start(path, G_WALK_FOLLOW_ROOT);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        switch (e->kind) {
        case G_WALK_DIR:
            if (!c->recursive) g_walk_skip(walk);
            status |= change_one(c, e);
            break;
        case G_WALK_FILE: status |= change_one(c, e); break;
        case G_WALK_DIR_ERROR:
            if (!c->silent) g_warn_errno(e->error, "cannot read directory %s", g_quoteaf(e->path));
            status = 1;
            break;
        case G_WALK_STAT_ERROR:
            if (!c->silent) g_warn_errno(e->error, "cannot access %s", g_quoteaf(e->path));
            report_unseen(c, e->path);
            status = 1;
            break;
        case G_WALK_DIR_END: case G_WALK_CYCLE: break;
        }
    }
    g_walk_end(walk);
    return status;
}

enum { REFERENCE = 256, PRESERVE, NO_PRESERVE };
static const g_long longs[] = {{"changes", 'c', G_NONE},
                               {"silent", 'f', G_NONE},
                               {"quiet", 'f', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"recursive", 'R', G_NONE},
                               {"no-preserve-root", NO_PRESERVE, G_NONE},
                               {"preserve-root", PRESERVE, G_NONE},
                               {"reference", REFERENCE, G_REQUIRED},
                               {0}};

int chmod_main(int argc, char **argv) {
    changer c = {0};
    const char *reference = NULL;
    g_text mode = {0};
    g_options o =
        g_options_of(argc, argv, "Rcfvr::w::x::X::s::t::u::g::o::a::,::+::=::0::1::2::3::4::5::6::7::",
                   longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'R': c.recursive = true; break;
        case 'c': c.changes = true; break;
        case 'f': c.silent = true; break;
        case 'v': c.verbose = true; break;
        case REFERENCE: reference = o.arg; break;
        case PRESERVE: c.preserve_root = true; break;
        case NO_PRESERVE: c.preserve_root = false; break;
        default:
            if (mode.len) g_text_addc(&mode, ',');
            g_text_addc(&mode, '-');
            g_text_addc(&mode, (char)option);
            if (o.arg) g_text_adds(&mode, o.arg);
            c.surprising = true;
            break;
        }
    int at = o.at;
    if (reference && mode.len) g_usage("cannot combine mode and --reference options");
    const char *text = mode.s;
    if (!reference && !mode.len && at < argc) text = argv[at++];
    if (at >= argc) {
        if (!text || text != argv[at - 1]) g_missing_operand(NULL);
        g_missing_operand(argv[at - 1]);
    }
    struct stat st;
    if (reference) {
        if (stat(reference, &st) < 0)
            g_die_errno(1, errno, "failed to get attributes of %s", g_quoteaf(reference));
        c.change = g_mode_exactly(st.st_mode);
    } else if (!(c.change = g_mode_parse(text))) {
        g_usage("invalid mode: %s", g_quote(text));
    }
    c.mask = umask(0);
    umask(c.mask);
    int status = 0;
    for (int i = at; i < argc; i++) status |= change_path(&c, argv[i]);
    return status;
}
