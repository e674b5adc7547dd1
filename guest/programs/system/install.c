/*
 * install.c: copies files and sets their attributes.
 *
 * help install:
 *   Usage: install [OPTION]... [-T] SOURCE DEST
 *     or:  install [OPTION]... SOURCE... DIRECTORY
 *     or:  install [OPTION]... -t DIRECTORY SOURCE...
 *     or:  install [OPTION]... -d DIRECTORY...
 *   Copy files into destination locations and set permission mode and owner/group.
 *
 *     -b                     make a backup of each existing destination file (FILE~)
 *     -c                     (ignored)
 *     -C, --compare          compare content of source and destination files, and do nothing if
 * same -d, --directory        treat all arguments as directory names; create all components -D
 * create all leading components of DEST except the last, or of --target -g, --group=GROUP      set
 * group ownership -m, --mode=MODE        set permission mode (as in chmod), instead of rwxr-xr-x
 *     -o, --owner=OWNER      set ownership
 *     -p, --preserve-timestamps  apply access/modification times of SOURCE files
 *     -s, --strip            (ignored: there is nothing to strip)
 *     -S, --suffix=SUFFIX    override the usual backup suffix
 *     -t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY
 *     -T, --no-target-directory  treat DEST as a normal file
 *     -v, --verbose          print the name of each directory as it is created
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_file.h"
#include "g_in.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    bool directories, parents, compare, times, verbose, plain_target, backup;
    mode_t mode;
    const char *target, *suffix;
    uid_t owner;
    gid_t group; /* -1: as they are */
} installer;

static bool set_attributes(const installer *in, const char *path) {
    if ((in->owner != (uid_t)-1 || in->group != (gid_t)-1) &&
        chown(path, in->owner, in->group) < 0) {
        g_warn_errno(errno, "cannot change ownership of %s", g_quoteaf(path));
        return false;
    }
    if (chmod(path, in->mode) < 0) {
        g_warn_errno(errno, "cannot change permissions of %s", g_quoteaf(path));
        return false;
    }
    return true;
}

/* Creates the directory and what leads to it; `attributes`: with the mode asked for. */
static bool make_directories(const installer *in, const char *path, bool attributes) {
    char *copy = g_copy_string(path);
    for (char *s = copy + 1;; s++) {
        if (*s && *s != '/') continue;
        bool last = !*s || !s[strspn(s, "/")];
        char kept = *s;
        *s = '\0';
        if (mkdir(copy, 0755) == 0) {
            if (in->verbose) g_outf("install: creating directory %s\n", g_quoteaf(copy));
        } else {
            int error = errno;
            struct stat st;
            if (error != EEXIST || stat(copy, &st) < 0 || !S_ISDIR(st.st_mode)) {
                g_warn_errno(error, "cannot create directory %s", g_quote(copy));
                free(copy);
                return false;
            }
        }
        *s = kept;
        if (last) break;
    }
    free(copy);
    return !attributes || set_attributes(in, path);
}

static bool same_contents(const char *a, const char *b) {
    int x = open(a, O_RDONLY | O_CLOEXEC), y = open(b, O_RDONLY | O_CLOEXEC);
    bool same = x >= 0 && y >= 0;
    while (same) {
        char p[4096], q[4096];
        ssize_t n = g_read(x, p, sizeof p), m = g_read(y, q, sizeof q);
        same = n == m && n >= 0 && memcmp(p, q, (size_t)n) == 0;
        if (n <= 0) break;
    }
    if (x >= 0) close(x);
    if (y >= 0) close(y);
    return same;
}

static bool unchanged(const installer *in, const char *from, const char *to) {
    struct stat st;
    return in->compare && lstat(to, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_mode & 07777) == in->mode && same_contents(from, to);
}

static bool copy_contents(const char *from, const char *to) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(from));
        return false;
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0) {
        g_warn_errno(errno, "cannot create regular file %s", g_quoteaf(to));
        close(in);
        return false;
    }
    bool reading;
    int error = g_copy_data(in, out, &reading);
    close(in);
    close(out);
    if (error)
        g_warn_errno(error, "error %s %s", reading ? "reading" : "writing",
                     g_quoteaf(reading ? from : to));
    return error == 0;
}

static bool install_file(const installer *in, const char *from, const char *to) {
    struct stat st, there;
    if (stat(from, &st) < 0) {
        g_warn_errno(errno, "cannot stat %s", g_quoteaf(from));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        g_warn("omitting directory %s", g_quoteaf(from));
        return false;
    }
    char *backup = NULL;
    if (lstat(to, &there) == 0) {
        if (S_ISDIR(there.st_mode)) {
            g_warn("cannot overwrite directory %s with non-directory", g_quoteaf(to));
            return false;
        }
        if (there.st_dev == st.st_dev && there.st_ino == st.st_ino) {
            g_warn("%s and %s are the same file", g_quoteaf(from), g_quoteaf(to));
            return false;
        }
        if (unchanged(in, from, to)) return true;
        if (in->backup) {
            g_text name = {0};
            g_text_addf(&name, "%s%s", to, in->suffix);
            backup = name.s;
            rename(to, backup);
        } else {
            unlink(to);
        }
        if (in->verbose && !backup) g_outf("removed %s\n", g_quoteaf(to));
    }
    if (in->verbose) {
        g_outf("%s -> %s", g_quoteaf(from), g_quoteaf(to));
        if (backup) g_outf(" (backup: %s)", g_quoteaf(backup));
        g_outc('\n');
    }
    if (!copy_contents(from, to)) return false;
    if (in->times) utimensat(AT_FDCWD, to, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
    return set_attributes(in, to);
}

static uid_t user_named(const char *name) {
    struct passwd *user = getpwnam(name);
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    if (user) return user->pw_uid;
    if (*end || !*name) g_die(1, "invalid user %s", g_quoteaf(name));
    return (uid_t)id;
}

static gid_t group_named(const char *name) {
    struct group *group = getgrnam(name);
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    if (group) return group->gr_gid;
    if (*end || !*name) g_die(1, "invalid group %s", g_quoteaf(name));
    return (gid_t)id;
}

static bool is_directory(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool install_into(const installer *in, char **sources, int count, const char *directory) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        char *base = g_base(sources[i]), *to = g_join(directory, base);
        if (!install_file(in, sources[i], to)) good = false;
        free(base);
        free(to);
    }
    return good;
}

static bool run(const installer *in, char **operands, int count) {
    bool good = true;
    if (in->directories) {
        for (int i = 0; i < count; i++)
            if (!make_directories(in, operands[i], true)) good = false;
        return good;
    }
    if (in->target) {
        if (in->parents && !make_directories(in, in->target, false)) return false;
        if (!is_directory(in->target)) {
            struct stat st;
            int error = stat(in->target, &st) < 0 ? errno : ENOTDIR;
            g_die_errno(1, error, "failed to access %s", g_quoteaf(in->target));
        }
        return install_into(in, operands, count, in->target);
    }
    const char *last = operands[count - 1];
    if (!in->plain_target && is_directory(last)) return install_into(in, operands, count - 1, last);
    if (count > 2) {
        if (in->plain_target) g_extra_operand(operands[2]);
        g_die(1, "target %s: %s", g_quoteaf(last),
              access(last, F_OK) < 0 ? "No such file or directory" : "Not a directory");
    }
    if (in->parents && strchr(last, '/')) {
        char *directory = g_copy_bytes(last, (size_t)(g_last_part(last) - last));
        g_strip_slashes(directory);
        good = !*directory || make_directories(in, directory, false);
        free(directory);
        if (!good) return false;
    }
    return install_file(in, operands[0], last);
}

static const g_long longs[] = {{"backup", 'b', G_OPTIONAL},
                               {"compare", 'C', G_NONE},
                               {"directory", 'd', G_NONE},
                               {"group", 'g', G_REQUIRED},
                               {"mode", 'm', G_REQUIRED},
                               {"no-target-directory", 'T', G_NONE},
                               {"owner", 'o', G_REQUIRED},
                               {"preserve-timestamps", 'p', G_NONE},
                               {"strip", 's', G_NONE},
                               {"suffix", 'S', G_REQUIRED},
                               {"target-directory", 't', G_REQUIRED},
                               {"verbose", 'v', G_NONE},
                               {0}};

int install_main(int argc, char **argv) {
    installer in = {.mode = 0755, .suffix = "~", .owner = (uid_t)-1, .group = (gid_t)-1};
    const char *mode = NULL;
    g_options o;
    g_options_init(&o, argc, argv, "bcCdDg:m:o:psS:t:Tv", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'b': in.backup = true; break;
        case 'C': in.compare = true; break;
        case 'd': in.directories = true; break;
        case 'D': in.parents = true; break;
        case 'g': in.group = group_named(o.arg); break;
        case 'm': mode = o.arg; break;
        case 'o': in.owner = user_named(o.arg); break;
        case 'p': in.times = true; break;
        case 'S':
            in.suffix = o.arg;
            in.backup = true;
            break;
        case 't': in.target = o.arg; break;
        case 'T': in.plain_target = true; break;
        case 'v': in.verbose = true; break;
        }
    }
    if (in.directories && in.target)
        g_die(1, "target directory not allowed when installing a directory");
    if (mode) {
        g_mode_change *change = g_mode_parse(mode);
        if (!change) g_die(1, "invalid mode %s", g_quote(mode));
        in.mode = g_mode_apply(change, 0, in.directories, 0) & 07777;
        free(change);
    }
    int count = argc - o.at;
    if (count <= (in.directories || in.target ? 0 : 1)) {
        if (count == 0) g_usage("missing file operand");
        g_usage("missing destination file operand after %s", g_quoteaf(argv[o.at]));
    }
    umask(0);
    return !run(&in, argv + o.at, count);
}
