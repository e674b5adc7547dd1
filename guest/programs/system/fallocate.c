/*
 * fallocate.c: makes a file have room.
 *
 * Deviation: files here have no holes and no blocks kept aside; ranges are not taken out or put in.
 *
 * help fallocate:
 *   Usage:
 *    fallocate [options] <filename>
 *
 *   Preallocate space to a file.
 *
 *   Options:
 *    -l, --length <num>   length for range operations, in bytes
 *    -n, --keep-size      maintain the apparent size of the file
 *    -o, --offset <num>   offset for range operations, in bytes
 *    -x, --posix          use posix_fallocate(3) instead of fallocate(2)
 *    -z, --zero-range     zero and ensure allocation of a range
 *    -p, --punch-hole     replace a range with zeroes (implies -n)
 *    -v, --verbose        verbose mode
 *    -h, --help           display this help
 *    -V, --version        display version
 *
 *   <num> arguments may be followed by the suffixes KiB, MiB, GiB ... (the "iB" is
 *   optional), or KB, MB, GB ...
 */
#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const g_long longs[] = {{"length", 'l', G_REQUIRED},
                               {"keep-size", 'n', G_NONE},
                               {"offset", 'o', G_REQUIRED},
                               {"posix", 'x', G_NONE},
                               {"zero-range", 'z', G_NONE},
                               {"punch-hole", 'p', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"collapse-range", 'c', G_NONE},
                               {"dig-holes", 'd', G_NONE},
                               {"insert-range", 'i', G_NONE},
                               {0}};

static int64_t size_of(const char *text, const char *what) {
    static const char letters[] = "KMGTPE";
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (end == text || errno || value < 0) g_die(1, "invalid %s value specified", what);
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    if (*end && !letter) g_die(1, "invalid %s value specified", what);
    if (!letter) return value;
    bool binary = !end[1] || strcmp(end + 1, "iB") == 0;
    if (!binary && strcmp(end + 1, "B") != 0) g_die(1, "invalid %s value specified", what);
    for (const char *s = letters; s <= letter; s++)
        if (__builtin_mul_overflow(value, binary ? 1024 : 1000, &value))
            g_die(1, "invalid %s value specified", what);
    return value;
}

static int write_zeroes(int fd, int64_t from, int64_t to) {
    static const char zeroes[4096];
    while (from < to) {
        size_t len = to - from < (int64_t)sizeof zeroes ? (size_t)(to - from) : sizeof zeroes;
        ssize_t n = pwrite(fd, zeroes, len, from);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        from += n;
    }
    return 0;
}

/* "f: 1.5 KiB (1536 bytes) allocated." */
static void say(const char *name, int64_t bytes, const char *what) {
    static const char letters[] = "BKMGTPE";
    int power = 0;
    int64_t unit = 1;
    while (power < 6 && bytes / unit >= 1024) unit *= 1024, power++;
    int64_t whole = bytes / unit, tenths = unit == 1 ? 0 : (bytes % unit * 10 + unit / 2) / unit;
    if (tenths == 10) whole++, tenths = 0;
    g_outf("%s: %lld", name, (long long)whole);
    if (tenths) g_outf(".%lld", (long long)tenths);
    g_outf(" %c%s (%lld bytes) %s.\n", letters[power], power ? "iB" : "", (long long)bytes, what);
}

int fallocate_main(int argc, char **argv) {
    int64_t length = -1, offset = 0;
    bool keep = false, zero = false, punch = false, verbose = false;
    g_options o = g_options_of(argc, argv, "l:no:xzpvcdihV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'l': length = size_of(o.arg, "length"); break;
        case 'o': offset = size_of(o.arg, "offset"); break;
        case 'n': keep = true; break;
        case 'p': punch = keep = true; break;
        case 'v': verbose = true; break;
        case 'z': zero = true; break;
        case 'c':
        case 'd':
        case 'i': g_die(1, "fallocate failed: Operation not supported");
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    if (o.at == argc) g_die(1, "no filename specified");
    if (argc - o.at > 1) g_die(1, "unexpected number of arguments");
    if (length < 0) g_die(1, "no length argument specified");
    if (length == 0) g_die(1, "invalid length value specified");
    const char *name = argv[o.at];
    int fd = open(name, O_RDWR | O_CLOEXEC | (punch ? 0 : O_CREAT), 0644);
    struct stat st;
    if (fd < 0) g_die_errno(1, errno, "cannot open %s", name);
    if (fstat(fd, &st) != 0) g_die_errno(1, errno, "stat of %s failed", name);
    int64_t end = offset + length, inside = end < st.st_size ? end : st.st_size;
    int error = 0;
    if ((zero || punch) && offset < inside) error = write_zeroes(fd, offset, inside);
    if (!error && !keep && end > st.st_size && ftruncate(fd, end) != 0) error = errno;
    if (error) g_die_errno(1, error, "fallocate failed");
    if (close(fd) != 0) g_die_errno(1, errno, "write failed");
    if (verbose) say(name, length, punch ? "hole created" : zero ? "zeroed" : "allocated");
    return 0;
}
