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
 *         --backup[=CONTROL]     make a backup of each existing destination file
 *     -b                         like --backup but does not accept an argument
 *     -c                         (ignored)
 *     -C, --compare              compare contents, and do nothing if they are the same
 *     -d, --directory            treat all arguments as directory names; create all components
 *     -D                         create all leading components of DEST except the last, or of
 *                                  --target-directory
 *     -g, --group=GROUP          set group ownership
 *     -m, --mode=MODE            set permission mode (as in chmod), instead of rwxr-xr-x
 *     -o, --owner=OWNER          set ownership
 *     -p, --preserve-timestamps  apply access/modification times of SOURCE files
 *     -s, --strip                (ignored: there is nothing to strip)
 *         --strip-program=PROGRAM  (ignored)
 *     -S, --suffix=SUFFIX        override the usual backup suffix
 *     -t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY
 *     -T, --no-target-directory  treat DEST as a normal file
 *     -v, --verbose              print the name of each directory as it is created
 *         --help                 display this help and exit
 *         --version              output version information and exit
 */
#include "copy_tree.h"
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
    bool directories, parents, compare, plain_target, strip;
    mode_t mode;
    const char *target;
    copy_options copy;
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
    for (char *s = copy + (*copy != 0);; s++) { /* "" has nothing behind its start */
        if (*s && *s != '/') continue;
        bool last = !*s || !s[strspn(s, "/")];
        char kept = *s;
        *s = '\0';
        if (mkdir(copy, 0755) == 0) {
            if (in->copy.verbose) g_outf("install: creating directory %s\n", g_quoteaf(copy));
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
    if (in->mode & ~(mode_t)0777) return false;
    return in->compare && lstat(to, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_mode & 07777) == in->mode && same_contents(from, to);
}

static bool install_file(const installer *in, copy_memory *memory, const char *from,
                         const char *to) {
    if (unchanged(in, from, to)) return true;
    if (copy_path(&in->copy, memory, from, to)) return false;
    return set_attributes(in, to);
}

static uid_t user_named(const char *name) {
    struct passwd *user = getpwnam(name);
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    if (user) return user->pw_uid;
    if (*end || !*name) g_die(1, "invalid user %s", g_quote(name));
    return (uid_t)id;
}

static gid_t group_named(const char *name) {
    struct group *group = getgrnam(name);
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    if (group) return group->gr_gid;
    if (*end || !*name) g_die(1, "invalid group %s", g_quote(name));
    return (gid_t)id;
}

static bool is_directory(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool install_into(const installer *in, char **sources, int count, const char *directory) {
    copy_memory *memory = copy_memory_new();
    bool good = true;
    for (int i = 0; i < count; i++) {
        char *base = g_base(sources[i]), *to = g_join(directory, base);
        if (!install_file(in, memory, sources[i], to)) good = false;
        free(base);
        free(to);
    }
    copy_memory_free(memory);
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
        if (in->plain_target) g_usage("extra operand %s", g_quoteaf(operands[2]));
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
    copy_memory *memory = copy_memory_new();
    good = install_file(in, memory, operands[0], last);
    copy_memory_free(memory);
    return good;
}

enum { STRIP_PROGRAM = 256, KEEP_CONTEXT };
static const g_long longs[] = {{"backup", 'b', G_OPTIONAL},
                               {"compare", 'C', G_NONE},
                               {"context", 'Z', G_OPTIONAL},
                               {"directory", 'd', G_NONE},
                               {"group", 'g', G_REQUIRED},
                               {"mode", 'm', G_REQUIRED},
                               {"no-target-directory", 'T', G_NONE},
                               {"owner", 'o', G_REQUIRED},
                               {"preserve-context", KEEP_CONTEXT, G_NONE},
                               {"preserve-timestamps", 'p', G_NONE},
                               {"strip", 's', G_NONE},
                               {"strip-program", STRIP_PROGRAM, G_REQUIRED},
                               {"suffix", 'S', G_REQUIRED},
                               {"target-directory", 't', G_REQUIRED},
                               {"verbose", 'v', G_NONE},
                               {0}};

/* Options that exclude each other. */
static void check(const installer *in) {
    if (in->directories && in->strip)
        g_die(1, "the strip option may not be used when installing a directory");
    if (in->directories && in->target)
        g_die(1, "target directory not allowed when installing a directory");
    if (in->target) {
        struct stat st;
        int error = stat(in->target, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
        if (error && !(in->parents && error == ENOENT))
            g_die_errno(1, error, "failed to access %s", g_quoteaf(in->target));
    }
}

static void check_compare(installer *in) {
    if (!in->compare) return;
    if (in->copy.keep_times)
        g_usage("options --compare (-C) and --preserve-timestamps are mutually exclusive");
    if (in->strip) g_usage("options --compare (-C) and --strip are mutually exclusive");
    if (in->mode & ~(mode_t)0777)
        g_warn("the --compare (-C) option is ignored when you specify a mode with "
               "non-permission bits");
}

static mode_t read_mode(const char *text, bool directory) {
    g_mode_change *change = g_mode_parse(text);
    if (!change) g_die(1, "invalid mode %s", g_quote(text));
    mode_t mode = g_mode_apply(change, 0, directory, 0) & 07777;
    free(change);
    return mode;
}

int install_main(int argc, char **argv) {
    installer in = {.mode = 0755, .owner = (uid_t)-1, .group = (gid_t)-1};
    in.copy = (copy_options){.installing = true, .links = COPY_FOLLOW_ALL, .remove_first = true};
    const char *mode = NULL, *stripper = NULL;
    backup_request backup = {0};
    g_options o = g_options_of(argc, argv, "bcCsDdg:m:o:pt:TvS:Z", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b':
        case 'S': backup_option(&backup, option, o.arg); break;
        case 'C': in.compare = true; break;
        case 'd': in.directories = true; break;
        case 'D': in.parents = true; break;
        case 'g': in.group = group_named(o.arg); break;
        case 'm': mode = o.arg; break;
        case 'o': in.owner = user_named(o.arg); break;
        case 'p': in.copy.keep_times = true; break;
        case 's': in.strip = true; break;
        case STRIP_PROGRAM: stripper = o.arg; break;
        case KEEP_CONTEXT:
            g_warn("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled");
            break;
        case 't': in.target = o.arg; break;
        case 'T': in.plain_target = true; break;
        case 'v': in.copy.verbose = true; break;
        case 'Z':
            if (o.arg)
                g_warn("warning: ignoring --context; it requires an SELinux-enabled kernel");
            break;
        }
    check(&in);
    in.copy.backup = backup_choose(&backup);
    int count = argc - o.at;
    if (count <= (in.directories || in.target ? 0 : 1)) {
        if (count == 0) g_usage("missing file operand");
        g_usage("missing destination file operand after %s", g_quoteaf(argv[o.at]));
    }
    if (in.target && in.plain_target)
        g_usage("cannot combine --target-directory (-t) and --no-target-directory (-T)");
    if (mode) in.mode = read_mode(mode, in.directories);
    if (stripper && !in.strip)
        g_warn("WARNING: ignoring --strip-program option as -s option was not specified");
    check_compare(&in);
    umask(0);
    return !run(&in, argv + o.at, count);
}
