/*
 * ln.c: makes links between files.
 *
 * help ln:
 *   Usage: ln [OPTION]... [-T] TARGET LINK_NAME
 *     or:  ln [OPTION]... TARGET
 *     or:  ln [OPTION]... TARGET... DIRECTORY
 *     or:  ln [OPTION]... -t DIRECTORY TARGET...
 *   In the 1st form, create a link to TARGET with the name LINK_NAME.
 *   In the 2nd form, create a link to TARGET in the current directory.
 *   In the 3rd and 4th forms, create links to each TARGET in DIRECTORY.
 *   Create hard links by default, symbolic links with --symbolic.
 *
 *         --backup[=CONTROL]      make a backup of each existing destination file
 *     -b                          like --backup but does not accept an argument
 *     -d, -F, --directory         allow hard links to directories (will fail)
 *     -f, --force                 remove existing destination files
 *     -i, --interactive           prompt whether to remove destinations
 *     -L, --logical               dereference TARGETs that are symbolic links
 *     -n, --no-dereference        treat LINK_NAME as a normal file if it is a symbolic link to
 *                                   a directory
 *     -P, --physical              make hard links directly to symbolic links
 *     -r, --relative              with -s, create links relative to link location
 *     -s, --symbolic              make symbolic links instead of hard links
 *     -S, --suffix=SUFFIX         override the usual backup suffix
 *     -t, --target-directory=DIRECTORY  specify the DIRECTORY in which to create the links
 *     -T, --no-target-directory   treat LINK_NAME as a normal file always
 *     -v, --verbose               print name of each linked file
 *         --help                  display this help and exit
 *         --version               output version information and exit
 */
#include "backup.h"
#include "copy_link.h"
#include "copy_memory.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    bool symbolic, relative, force, ask, verbose, logical, no_deref_link, allow_directories;
    backup_options backup;
} linker;

/* The target as seen from the directory of the link. */
static char *relative_target(const char *target, const char *link_name) {
    char *dir = g_copy_bytes(link_name, (size_t)(g_last_part(link_name) - link_name));
    char *from = g_canonicalize(*dir ? dir : ".", G_ANY_MISSING, false);
    char *to = g_canonicalize(target, G_ANY_MISSING, false);
    free(dir);
    if (!from || !to) return g_copy_string(target);
    g_text out = {0};
    size_t common = 0, i = 0;
    while (from[i] && from[i] == to[i]) {
        if (from[i] == '/') common = i;
        i++;
    }
    if ((!from[i] && (!to[i] || to[i] == '/')) || (!to[i] && from[i] == '/')) common = i;
    for (const char *p = from + common; *p;) {
        p += strspn(p, "/");
        if (!*p) break;
        g_text_adds(&out, out.len ? "/.." : "..");
        p += strcspn(p, "/");
    }
    const char *rest = to + common + strspn(to + common, "/");
    if (*rest && out.len) g_text_addc(&out, '/');
    g_text_adds(&out, *rest || out.len ? rest : ".");
    free(from);
    free(to);
    return out.s;
}

static int make_link(const linker *l, const char *target, const char *link_name, bool replace) {
    if (l->symbolic) return copy_make_symlink(target, link_name, replace);
    return copy_make_hard_link(target, link_name, l->logical ? AT_SYMLINK_FOLLOW : 0, replace);
}

/* Whether the link would take the place of its own target. */
static bool is_target(const linker *l, const char *target, const char *link_name,
                      const struct stat *there) {
    struct stat source;
    if (l->symbolic && l->backup.mode) return false;
    if ((l->symbolic || l->logical ? stat : lstat)(target, &source) < 0) return false;
    return source.st_ino == there->st_ino && source.st_dev == there->st_dev &&
           (source.st_nlink == 1 || g_same_entry(target, link_name));
}

enum way { WAY_GO, WAY_LEAVE, WAY_FAILED };

/* Something is where the link is to be: whether it may go. A backup is made here. */
static enum way clear_way(const linker *l, const copy_memory *made, const char *target,
                          const char *link_name, char **kept) {
    struct stat there;
    if (lstat(link_name, &there) < 0) {
        if (errno == ENOENT) return WAY_GO;
        g_warn_errno(errno, "failed to access %s", g_quoteaf(link_name));
        return WAY_FAILED;
    }
    if (S_ISDIR(there.st_mode)) {
        g_warn("%s: cannot overwrite directory", g_quotef(link_name));
        return WAY_FAILED;
    }
    bool overwrites = l->force && !l->symbolic && l->backup.mode != BACKUP_NUMBERED;
    if (overwrites && copy_was_made(made, link_name, &there)) {
        g_warn("will not overwrite just-created %s with %s", g_quoteaf(link_name),
               g_quoteaf(target));
        return WAY_FAILED;
    }
    if (is_target(l, target, link_name, &there)) {
        g_warn("%s and %s are the same file", g_quoteaf(target), g_quoteaf(link_name));
        return WAY_FAILED;
    }
    if (l->ask) {
        g_out_flush();
        fprintf(stderr, "%s: replace %s? ", g_name(), g_quoteaf(link_name));
        if (!g_yes()) return WAY_LEAVE;
    }
    if (l->backup.mode) *kept = backup_file(&l->backup, link_name);
    return WAY_GO;
}

static void tell_failure(const linker *l, int error, const char *shown, const char *link_name) {
    if (l->symbolic && error != ENAMETOOLONG && *shown)
        g_warn_errno(error, "failed to create symbolic link %s", g_quoteaf(link_name));
    else if (l->symbolic)
        g_warn_errno(error, "failed to create symbolic link %s -> %s", g_quoteaf(link_name),
                     g_quoteaf(shown));
    else if (error == EEXIST || error == EDQUOT || error == ENOSPC || error == EROFS)
        g_warn_errno(error, "failed to create hard link %s", g_quoteaf(link_name));
    else
        g_warn_errno(error, "failed to create hard link %s => %s", g_quoteaf(link_name),
                     g_quoteaf(shown));
}

/* What a hard link is made of must be there and be no directory. */
static bool may_link_hard(const linker *l, const char *target) {
    struct stat st;
    if ((l->logical ? stat : lstat)(target, &st) < 0) {
        g_warn_errno(errno, "failed to access %s", g_quoteaf(target));
        return false;
    }
    if (!S_ISDIR(st.st_mode) || l->allow_directories) return true;
    g_warn("%s: hard link not allowed for directory", g_quotef(target));
    return false;
}

static void link_made(const linker *l, copy_memory *made, const char *shown,
                      const char *link_name, const char *kept) {
    struct stat st;
    if (lstat(link_name, &st) == 0) copy_note_made(made, link_name, &st);
    if (!l->verbose) return;
    if (kept) g_outf("%s ~ ", g_quoteaf(kept));
    g_outf("%s %s %s\n", g_quoteaf(link_name), l->symbolic ? "->" : "=>", g_quoteaf(shown));
}

static int link_one(const linker *l, copy_memory *made, const char *target,
                    const char *link_name) {
    if (!l->symbolic && !may_link_hard(l, target)) return 1;
    char *shown = l->symbolic && l->relative ? relative_target(target, link_name)
                                             : g_copy_string(target);
    char *kept = NULL;
    bool replace = l->force || l->ask || l->backup.mode;
    enum way way = WAY_GO;
    if (make_link(l, shown, link_name, false) < 0) {
        int error = errno;
        if (replace) {
            way = clear_way(l, made, target, link_name, &kept);
            error = way == WAY_GO && make_link(l, shown, link_name, true) < 0 ? errno : 0;
        }
        if (error) {
            tell_failure(l, error, shown, link_name);
            way = WAY_FAILED;
            if (kept && rename(kept, link_name) < 0)
                g_warn_errno(errno, "cannot un-backup %s", g_quoteaf(link_name));
        }
    }
    if (way == WAY_GO) link_made(l, made, shown, link_name, kept);
    free(shown);
    free(kept);
    return way == WAY_FAILED;
}

static bool is_directory(const linker *l, const char *path) {
    struct stat st;
    if (l->no_deref_link && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) return false;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int link_into(const linker *l, char **targets, int count, const char *dir) {
    copy_memory *made = copy_memory_new();
    int status = 0;
    for (int i = 0; i < count; i++) {
        char *base = g_base(targets[i]);
        char *name = g_join(dir, base);
        status |= link_one(l, made, targets[i], name);
        free(base);
        free(name);
    }
    copy_memory_free(made);
    return status;
}

static int link_pair(const linker *l, const char *target, const char *link_name) {
    copy_memory *made = copy_memory_new();
    int status = link_one(l, made, target, link_name);
    copy_memory_free(made);
    return status;
}

static const g_long longs[] = {
    {"backup", 'b', G_OPTIONAL},        {"directory", 'F', G_NONE},
    {"no-dereference", 'n', G_NONE},    {"no-target-directory", 'T', G_NONE},
    {"force", 'f', G_NONE},             {"interactive", 'i', G_NONE},
    {"suffix", 'S', G_REQUIRED},        {"target-directory", 't', G_REQUIRED},
    {"logical", 'L', G_NONE},           {"physical", 'P', G_NONE},
    {"relative", 'r', G_NONE},          {"symbolic", 's', G_NONE},
    {"verbose", 'v', G_NONE},           {0}};

int ln_main(int argc, char **argv) {
    linker l = {0};
    const char *dir = NULL;
    backup_request backup = {0};
    bool no_dir = false;
    g_options o = g_options_of(argc, argv, "bdfinrst:vFLPS:T", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b':
        case 'S': backup_option(&backup, option, o.arg); break;
        case 'd': case 'F': l.allow_directories = true; break;
        case 'f': l.force = true; l.ask = false; break;
        case 'i': l.ask = true; l.force = false; break;
        case 'L': l.logical = true; break;
        case 'n': l.no_deref_link = true; break;
        case 'P': l.logical = false; break;
        case 'r': l.relative = true; break;
        case 's': l.symbolic = true; break;
        case 't': dir = o.arg; break;
        case 'T': no_dir = true; break;
        case 'v': l.verbose = true; break;
        }
    char **files = argv + o.at;
    int count = argc - o.at;
    if (count == 0) g_usage("missing file operand");
    if (l.relative && !l.symbolic) g_die(1, "cannot do --relative without --symbolic");
    l.backup = backup_choose(&backup);
    struct stat st;
    if (dir && stat(dir, &st) < 0) g_die_errno(1, errno, "failed to access %s", g_quoteaf(dir));
    if (dir && !S_ISDIR(st.st_mode)) g_die(1, "target %s is not a directory", g_quoteaf(dir));
    if (no_dir) {
        if (dir) g_die(1, "cannot combine --target-directory and --no-target-directory");
        if (count == 1) g_usage("missing destination file operand after %s", g_quoteaf(files[0]));
        if (count > 2) g_usage("extra operand %s", g_quoteaf(files[2]));
        return link_pair(&l, files[0], files[1]);
    }
    if (dir) return link_into(&l, files, count, dir);
    if (count == 1) return link_into(&l, files, 1, ".");
    const char *last = files[count - 1];
    errno = 0;
    if (is_directory(&l, last)) return link_into(&l, files, count - 1, last);
    if (count == 2) return link_pair(&l, files[0], last);
    int error = stat(last, &st) < 0 ? errno : ENOTDIR;
    g_die_errno(1, error, "target %s", g_quoteaf(last));
}
