/*
 * mktemp.c: makes a file or directory with a name that is not taken.
 *
 * help mktemp:
 *   Usage: mktemp [OPTION]... [TEMPLATE]
 *   Create a temporary file or directory, safely, and print its name.
 *   TEMPLATE must contain at least 3 consecutive 'X's in last component.
 *   If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.
 *
 *     -d, --directory     create a directory, not a file
 *     -u, --dry-run       do not create anything; merely print a name (unsafe)
 *     -q, --quiet         suppress diagnostics about file/dir-creation failure
 *         --suffix=SUFF   append SUFF to TEMPLATE; SUFF must not contain a slash
 *     -p DIR, --tmpdir[=DIR]  interpret TEMPLATE relative to DIR; if DIR is not specified,
 *                           use $TMPDIR if set, else /tmp
 *     -t                  interpret TEMPLATE as a single file name component, relative to a
 *                           directory: $TMPDIR, if set; else the directory specified via -p;
 *                           else /tmp [deprecated]
 *         --help          display this help and exit
 *         --version       output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replaces `count` X's at s with random letters. */
static void fill(char *s, size_t count) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[64];
    for (size_t i = 0; i < count;) {
        pf_random(random, sizeof random);
        for (size_t j = 0; j < sizeof random && i < count; j++) {
            if (random[j] < 248) s[i++] = letters[random[j] % 62];
        }
    }
}

/* Makes one of the names that the template allows; 0 or an errno value. */
static int make(char *path, size_t x_start, size_t x_count, bool directory, bool dry_run) {
    struct stat st;
    for (int attempt = 0; attempt < 1000; attempt++) {
        fill(path + x_start, x_count);
        if (dry_run) {
            if (lstat(path, &st) < 0) return errno == ENOENT ? 0 : errno;
        } else if (directory) {
            if (mkdir(path, 0700) == 0) return 0;
            if (errno != EEXIST) return errno;
        } else {
            int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (fd >= 0) {
                close(fd);
                return 0;
            }
            if (errno != EEXIST) return errno;
        }
    }
    return EEXIST;
}

enum { SUFFIX = 256, TMPDIR };
static const g_long longs[] = {
    {"directory", 'd', G_NONE}, {"quiet", 'q', G_NONE},       {"dry-run", 'u', G_NONE},
    {"suffix", SUFFIX, G_REQUIRED}, {"tmpdir", TMPDIR, G_OPTIONAL}, {0}};

int mktemp_main(int argc, char **argv) {
    bool directory = false, dry_run = false, quiet = false, use_dir = false, old_t = false;
    const char *suffix = NULL, *dir_arg = NULL;
    g_options o = g_options_of(argc, argv, "dp:qtuV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'd': directory = true; break;
        case 'u': dry_run = true; break;
        case 'q': quiet = true; break;
        case 't': use_dir = old_t = true; break;
        case 'p': case TMPDIR:
            dir_arg = o.arg;
            use_dir = true;
            break;
        case SUFFIX: suffix = o.arg; break;
        }
    if (argc - o.at > 1) g_usage("too many templates");
    const char *given = o.at < argc ? argv[o.at] : NULL;
    if (!given) use_dir = true;
    const char *pattern = given ? given : "tmp.XXXXXXXXXX";
    g_text name = {0};
    const char *last_x = strrchr(pattern, 'X');
    size_t pattern_len = strlen(pattern);
    if (suffix) {
        if (!pattern_len || pattern[pattern_len - 1] != 'X')
            g_die(1, "with --suffix, template %s must end in X", g_quote(pattern));
        g_text_adds(&name, pattern);
    } else {
        size_t keep = last_x ? (size_t)(last_x + 1 - pattern) : pattern_len;
        suffix = pattern + keep;
        g_text_add(&name, pattern, keep);
    }
    if (strchr(suffix, '/'))
        g_die(1, "invalid suffix %s, contains directory separator", g_quote(suffix));
    size_t x_count = 0;
    while (x_count < name.len && name.s[name.len - 1 - x_count] == 'X') x_count++;
    if (x_count < 3) g_die(1, "too few X's in template %s", g_quote(pattern));
    const char *env = getenv("TMPDIR");
    if (use_dir) {
        const char *dir;
        if (old_t) dir = env && *env ? env : dir_arg ? dir_arg : "/tmp";
        else dir = dir_arg && *dir_arg ? dir_arg : env && *env ? env : "/tmp";
        if (old_t && strchr(pattern, '/'))
            g_die(1, "invalid template, %s, contains directory separator", g_quote(pattern));
        if (!old_t && *pattern == '/')
            g_die(1, "invalid template, %s; with --tmpdir, it may not be absolute",
                  g_quote(pattern));
        char *joined = g_join(dir, name.s);
        g_text_free(&name);
        g_text_adds(&name, joined);
        free(joined);
    }
    size_t x_start = name.len - x_count;
    g_text_adds(&name, suffix);
    char *wanted = g_copy_string(name.s);
    int error = make(name.s, x_start, x_count, directory, dry_run);
    if (error) {
        if (!quiet)
            g_warn_errno(error, directory ? "failed to create directory via template %s"
                                          : "failed to create file via template %s",
                         g_quote(wanted));
        return 1;
    }
    g_outs(name.s);
    g_outc('\n');
    return 0;
}
