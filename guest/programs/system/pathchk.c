/*
 * pathchk.c: tells names that are not portable or cannot exist.
 *
 * help pathchk:
 *   Usage: pathchk [OPTION]... NAME...
 *   Diagnose invalid or unportable file names.
 *
 *     -p                  check for most POSIX systems
 *     -P                  check for empty names and leading "-"
 *         --portability   check for all POSIX systems (equivalent to -p -P)
 *         --help          display this help and exit
 *         --version       output version information and exit
 */
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MOST = 255, PATH_MOST = 4095, PORTABLE_NAME = 14, PORTABLE_PATH = 255, BOTH = 256 };

static bool check(const char *path, bool portable, bool strange) {
    static const char set[] = "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t len = strlen(path), most = portable ? PORTABLE_PATH : PATH_MOST;
    if (strange && *path == '-') {
        g_warn("leading '-' in a component of file name %s", g_quoteaf(path));
        return false;
    }
    for (const char *p = path; strange && (p = strstr(p, "/-")); p++) {
        g_warn("leading '-' in a component of file name %s", g_quoteaf(path));
        return false;
    }
    if ((portable || strange) && len == 0) {
        g_warn("empty file name");
        return false;
    }
    size_t good = strspn(path, set);
    if (portable && path[good]) {
        size_t n = 1;
        while (((unsigned char)path[good + n] & 0xc0) == 0x80) n++;
        char *bad = g_copy_bytes(path + good, n);
        g_warn("nonportable character %s in file name %s", g_quote(bad), g_quoteaf(path));
        return false;
    }
    if (!portable) {
        struct stat st;
        if (lstat(path, &st) == 0) return true;
        if (errno != ENOENT || len == 0) {
            g_warn_errno(errno, "%s", g_quotef(path));
            return false;
        }
    }
    if (len > most) {
        g_warn("limit %zu exceeded by length %zu of file name %s", most, len, g_quoteaf(path));
        return false;
    }
    size_t part_most = portable ? PORTABLE_NAME : NAME_MOST;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n > part_most) {
            char *part = g_copy_bytes(p, n);
            g_warn("limit %zu exceeded by length %zu of file name component %s", part_most, n,
                   g_quote(part));
            return false;
        }
        p += n + strspn(p + n, "/");
    }
    return true;
}

static const g_long longs[] = {{"portability", BOTH, G_NONE}, {0}};

int pathchk_main(int argc, char **argv) {
    bool portable = false, strange = false;
    int status = 0;
    g_options o = g_options_of(argc, argv, "+pP", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        portable |= option != 'P';
        strange |= option != 'p';
    }
    if (o.at == argc) g_missing_operand(NULL);
    for (int i = o.at; i < argc; i++)
        if (!check(argv[i], portable, strange)) status = 1;
    return status;
}
