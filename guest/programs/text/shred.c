/*
 * shred.c: overwrites files, and removes them when that is asked for.
 *
 * Files here lie in the memory of the sandbox: what is overwritten is gone.
 *
 * help shred:
 *   Usage: shred [OPTION]... FILE...
 *   Overwrite the specified FILE(s) repeatedly.
 *
 *   If FILE is -, shred standard output.
 *
 *     -f, --force    change permissions to allow writing if necessary
 *     -n, --iterations=N  overwrite N times instead of the default (3)
 *         --random-source=FILE  get random bytes from FILE
 *     -s, --size=N   shred this many bytes (suffixes like K, M, G accepted)
 *     -u             deallocate and remove file after overwriting
 *         --remove[=HOW]  like -u but give control on HOW to delete;  See below
 *     -v, --verbose  show progress
 *     -x, --exact    do not round file sizes up to the next full block;
 *                      this is the default for non-regular files
 *     -z, --zero     add a final overwrite with zeros to hide shredding
 *         --help        display this help and exit
 *         --version     output version information and exit
 *
 *   The optional HOW parameter indicates how to remove a directory entry:
 *   'unlink' => use a standard unlink call.
 *   'wipe' => also first obfuscate bytes in the name.
 *   'wipesync' => also sync each obfuscated byte to the device (the default).
 */
#include "g_file.h"
#include "g_number.h"
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_SOURCE = 256, REMOVE };
enum how { KEEP, UNLINK, WIPE, WIPE_SYNC };

typedef struct {
    uint64_t passes, size;
    bool force, has_size, exact, verbose, zero;
    enum how how;
    const char *source;
    int source_fd;
} form;

static const g_long longs[] = {{"force", 'f', G_NONE},
                               {"iterations", 'n', G_REQUIRED},
                               {"size", 's', G_REQUIRED},
                               {"verbose", 'v', G_NONE},
                               {"exact", 'x', G_NONE},
                               {"zero", 'z', G_NONE},
                               {"remove", REMOVE, G_OPTIONAL},
                               {"random-source", RANDOM_SOURCE, G_REQUIRED},
                               {0}};

/* One pass over the first `size` bytes. */
static bool pass(const form *f, int fd, const char *name, uint64_t size, bool zero) {
    char block[4096];
    if (lseek(fd, 0, SEEK_SET) < 0) {
        g_warn_errno(errno, "%s: cannot rewind", name);
        return false;
    }
    memset(block, 0, sizeof block);
    for (uint64_t done = 0; done < size;) {
        size_t len = size - done < sizeof block ? (size_t)(size - done) : sizeof block;
        if (!zero && read(f->source_fd, block, len) != (ssize_t)len)
            g_die(1, "%s: end of file", g_quote(f->source ? f->source : "/dev/urandom"));
        ssize_t n = write(fd, block, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            g_warn_errno(errno, "%s: error writing at offset %llu", name, (unsigned long long)done);
            return false;
        }
        done += (uint64_t)n;
    }
    return true;
}

static bool overwrite(const form *f, int fd, const char *name) {
    struct stat st;
    if (fstat(fd, &st) != 0) {
        g_warn_errno(errno, "%s: fstat failed", name);
        return false;
    }
    if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISDIR(st.st_mode) ||
        (S_ISCHR(st.st_mode) && isatty(fd))) {
        g_warn("%s: invalid file type", name);
        return false;
    }
    uint64_t size = f->has_size ? f->size : (uint64_t)st.st_size;
    if (!f->has_size && !f->exact && S_ISREG(st.st_mode) && size % 4096) size += 4096 - size % 4096;
    uint64_t total = f->passes + f->zero;
    for (uint64_t i = 1; i <= total; i++) {
        bool zero = f->zero && i == total;
        if (f->verbose)
            fprintf(stderr, "%s: %s: pass %llu/%llu (%s)...\n", g_name(), name,
                    (unsigned long long)i, (unsigned long long)total, zero ? "000000" : "random");
        if (!pass(f, fd, name, size, zero)) return false;
    }
    if (f->how != KEEP && ftruncate(fd, 0) != 0 && S_ISREG(st.st_mode)) {
        g_warn_errno(errno, "%s: error truncating", name);
        return false;
    }
    return true;
}

/* The name becomes zeroes, ever fewer of them, before it goes. */
static bool wipe(const form *f, const char *path, const char *shown) {
    char *from = g_copy_string(path);
    size_t len = strlen(g_last_part(path)), start = strlen(path) - len;
    if (f->verbose) fprintf(stderr, "%s: %s: removing\n", g_name(), shown);
    for (; f->how == WIPE && len > 0; len--) {
        char *to = g_copy_string(path);
        memset(to + start, '0', len);
        to[start + len] = '\0';
        struct stat st;
        if (lstat(to, &st) == 0 || rename(from, to) != 0) {
            free(to);
            continue;
        }
        if (f->verbose) fprintf(stderr, "%s: %s: renamed to %s\n", g_name(), from, to);
        free(from);
        from = to;
    }
    bool good = unlink(from) == 0;
    if (!good)
        g_warn_errno(errno, "%s: failed to remove", shown);
    else if (f->verbose)
        fprintf(stderr, "%s: %s: removed\n", g_name(), shown);
    free(from);
    return good;
}

static bool shred(const form *f, const char *path) {
    const char *shown = g_quotef(path);
    if (strcmp(path, "-") == 0) {
        int flags = fcntl(STDOUT_FILENO, F_GETFL);
        if (flags >= 0 && flags & O_APPEND) {
            g_warn("%s: cannot shred append-only file descriptor", shown);
            return false;
        }
        return overwrite(f, STDOUT_FILENO, shown);
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && f->force && chmod(path, S_IWUSR) == 0)
        fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        g_warn_errno(errno, "%s: failed to open for writing", shown);
        return false;
    }
    bool good = overwrite(f, fd, shown);
    if (close(fd) != 0 && good) {
        g_warn_errno(errno, "%s: failed to close", shown);
        good = false;
    }
    return good && (f->how == KEEP || wipe(f, path, shown));
}

static enum how how_of(const char *text) {
    static const g_word words[] = {
        {"unlink", UNLINK}, {"wipe", WIPE}, {"wipesync", WIPE_SYNC}, {0}};
    int how = text ? g_match_word("--remove", text, words) : WIPE;
    return how == WIPE_SYNC ? WIPE : (enum how)how;
}

int shred_main(int argc, char **argv) {
    form f = {.passes = 3, .source_fd = -1};
    g_options o = g_options_of(argc, argv, "fn:s:uvxz", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'f': f.force = true; break;
        case 'n':
            if (g_parse_unsigned(o.arg, "", &f.passes, NULL) != G_NUMBER_OK ||
                f.passes > 0x3fffffff)
                g_die(1, "invalid number of passes: %s", g_quote(o.arg));
            break;
        case 's':
            if (g_parse_unsigned(o.arg, "cbBkKMGTPEZYRQ0", &f.size, NULL) != G_NUMBER_OK ||
                f.size > INT64_MAX)
                g_die(1, "invalid file size: %s", g_quote(o.arg));
            f.has_size = true;
            break;
        case 'u': f.how = WIPE; break;
        case 'v': f.verbose = true; break;
        case 'x': f.exact = true; break;
        case 'z': f.zero = true; break;
        case REMOVE: f.how = how_of(o.arg); break;
        case RANDOM_SOURCE:
            if (f.source && strcmp(f.source, o.arg) != 0)
                g_die(1, "multiple random sources specified");
            f.source = o.arg;
            break;
        }
    if (o.at == argc) {
        g_warn("missing file operand");
        g_try_help(1);
    }
    f.source_fd = open(f.source ? f.source : "/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (f.source_fd < 0)
        g_die_errno(1, errno, "%s", g_quotef(f.source ? f.source : "/dev/urandom"));
    bool good = true;
    for (int i = o.at; i < argc; i++) good = shred(&f, argv[i]) && good;
    return !good;
}
