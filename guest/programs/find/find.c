/*
 * find.c: looks for files in directories.
 *
 * Goes through the starting points and evaluates the expression for every file. Deviations: -D and
 * -O are accepted and have no effect; -fstype and %F know only tmpfs.
 *
 * help find:
 *   Usage: find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]
 *
 *   Default path is the current directory; default expression is -print.
 *   Operators (decreasing precedence): ( EXPR )  ! EXPR  -not EXPR  EXPR1 -a EXPR2  EXPR1 -and EXPR2
 *         EXPR1 -o EXPR2  EXPR1 -or EXPR2  EXPR1 , EXPR2
 *   Positional options: -daystart -follow -nowarn -regextype -warn
 *   Normal options: -depth -files0-from FILE -maxdepth LEVELS -mindepth LEVELS -mount -noleaf -xdev
 *         -ignore_readdir_race -noignore_readdir_race
 *   Tests (N can be +N or -N or N): -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty
 *         -false -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN -inum N -iwholename
 *         PATTERN -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE
 *         -newerXY REFERENCE -nouser -nogroup -path PATTERN -perm [-/]MODE -regex PATTERN -readable
 *         -writable -executable -wholename PATTERN -size N[bcwkMG] -true -type [bcdpfls] -uid N
 *         -used N -user NAME -xtype [bcdpfls] -samefile FILE
 *   Actions: -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print -fprint0 FILE -fprint FILE -ls
 *         -fls FILE -prune -quit -exec COMMAND ; -exec COMMAND {} + -ok COMMAND ; -execdir COMMAND ;
 *         -execdir COMMAND {} + -okdir COMMAND ;
 *   Other common options: --help --version
 */
#include "find.h"
#include "g_in.h"
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void visit(find_file *file, const g_entry *e) {
    find_state *f = file->f;
    if (e->depth < f->min_depth || (f->max_depth >= 0 && e->depth > f->max_depth)) return;
    file->e = e;
    find_eval(file, f->root);
}

static void report(find_state *f, const g_entry *e) {
    g_warn_errno(e->error, "%s", g_quote(e->path));
    f->status = 1;
}

/* One starting point; false when -quit was met. */
static bool walk(find_state *f, const char *start) {
    unsigned flags = f->follow ? G_WALK_FOLLOW : f->follow_operands ? G_WALK_FOLLOW_ROOT : 0;
    if (f->same_device) flags |= G_WALK_SAME_DEVICE;
    find_file file = {.f = f, .start = start};
    file.walk = g_walk_start(start, flags);
    for (const g_entry *e; !file.quit && (e = g_walk_next(file.walk));) {
        switch (e->kind) {
        case G_WALK_FILE: visit(&file, e); break;
        case G_WALK_DIR:
            if (f->max_depth >= 0 && e->depth >= f->max_depth) {
                g_walk_skip(file.walk);
                visit(&file, e);
            } else if (!f->depth_first) {
                visit(&file, e);
            }
            break;
        case G_WALK_DIR_END:
            if (f->depth_first) visit(&file, e);
            break;
        case G_WALK_CYCLE:
            g_warn("File system loop detected; %s is part of the same file system loop as %s.",
                   g_quote(e->path), g_quote(start));
            f->status = 1;
            break;
        case G_WALK_DIR_ERROR: case G_WALK_STAT_ERROR: report(f, e); break;
        }
    }
    g_walk_end(file.walk);
    return !file.quit;
}

/* The starting points of -files0-from, NUL-terminated. */
static void walk_listed(find_state *f) {
    const char *list = f->files_from;
    int fd = strcmp(list, "-") == 0 ? STDIN_FILENO : open(list, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(1, errno, "cannot open %s for reading", g_quote(list));
    size_t len;
    char *names = g_read_all(fd, &len);
    if (!names) g_die_errno(1, errno, "%s: read error", list);
    for (size_t at = 0; at < len; at += strlen(names + at) + 1)
        if (!walk(f, names + at)) return;
}

int find_main(int argc, char **argv) {
    find_state f = {.min_depth = -1, .max_depth = -1, .regex_type = REGEX_EMACS};
    g_set_write_error(1, "‘standard output’: %s\nfind: write error");
    f.warn = isatty(STDIN_FILENO);
    f.now = g_now();
    f.day_start = f.now;
    f.day_start.seconds -= 86400;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        const char *s = argv[at];
        if (strcmp(s, "-H") == 0) {
            f.follow_operands = true;
            f.follow = false;
        } else if (strcmp(s, "-L") == 0) {
            f.follow = true;
        } else if (strcmp(s, "-P") == 0) {
            f.follow = f.follow_operands = false;
        } else if (strcmp(s, "-D") == 0) {
            if (++at == argc) g_die(1, "Missing argument after the -D option.");
        } else if (strcmp(s, "--") == 0) {
            at++;
            break;
        } else if (strncmp(s, "-O", 2) != 0) {
            break;
        }
    }
    int first = at;
    while (at < argc && !find_is_expression(argv[at])) at++;
    int starts = at - first;
    find_parse(&f, argc, argv, at);
    if (f.files_from) {
        if (starts) {
            g_warn("extra operand %s", g_quote(argv[first]));
            g_die(1, "file operands cannot be combined with -files0-from");
        }
        walk_listed(&f);
    } else if (starts == 0) {
        walk(&f, ".");
    }
    for (int i = 0; i < starts && walk(&f, argv[first + i]); i++) {
    }
    find_exec_finish(&f);
    find_flush_outputs(&f);
    return f.status;
}
