/*
 * realpath.c: the absolute path of a file without links and dots.
 *
 * help realpath:
 *   Usage: realpath [OPTION]... FILE...
 *   Print the resolved absolute file name; all but the last component must exist.
 *
 *     -e, --canonicalize-existing  all components of the path must exist
 *     -m, --canonicalize-missing   no path components need exist or be a directory
 *     -L, --logical                resolve '..' components before symlinks
 *     -P, --physical               resolve symlinks as encountered (default)
 *     -q, --quiet                  suppress most error messages
 *         --relative-to=DIR        print the resolved path relative to DIR
 *         --relative-base=DIR      print absolute paths unless paths below DIR
 *     -s, --strip, --no-symlinks   don't expand symlinks
 *     -z, --zero                   end each output line with NUL, not newline
 *         --help                   display this help and exit
 *         --version                output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RELATIVE_TO = 256, RELATIVE_BASE };

typedef struct {
    enum g_canonical mode;
    bool keep_links, logical;
} resolver;

/* Both absolute and canonical: is `path` `base` or below it? */
static bool is_below(const char *base, const char *path) {
    size_t len = strlen(base);
    if (len == 1) return true;
    return strncmp(base, path, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static char *relative(const char *from, const char *path) {
    size_t i = 0, common = 0; /* common: bytes up to the last shared part's end */
    while (from[i] && from[i] == path[i]) {
        if (from[i] == '/') common = i;
        i++;
    }
    if ((!from[i] && (!path[i] || path[i] == '/')) || (!path[i] && from[i] == '/')) common = i;
    g_text out = {0};
    for (const char *p = from + common; *p;) {
        p += strspn(p, "/");
        if (!*p) break;
        g_text_adds(&out, out.len ? "/.." : "..");
        p += strcspn(p, "/");
    }
    const char *rest = path + common;
    while (*rest == '/') rest++;
    if (*rest) {
        if (out.len) g_text_addc(&out, '/');
        g_text_adds(&out, rest);
    }
    if (!out.len) g_text_addc(&out, '.');
    return out.s;
}

static char *resolve(const resolver *r, const char *path) {
    if (!r->logical) return g_canonicalize(path, r->mode, r->keep_links);
    char *first = g_canonicalize(path, r->mode, true);
    if (!first) return NULL;
    char *second = g_canonicalize(first, r->mode, false);
    free(first);
    return second;
}

static char *resolve_option(const resolver *r, const char *path, bool must_be_dir) {
    char *resolved = resolve(r, path);
    struct stat st;
    if (!resolved) g_die_errno(1, errno, "%s", g_quotef(path));
    if (must_be_dir && r->mode == G_ALL_EXIST && (stat(resolved, &st) < 0 || !S_ISDIR(st.st_mode)))
        g_die_errno(1, ENOTDIR, "%s", g_quotef(path));
    return resolved;
}

static const g_long longs[] = {
    {"canonicalize-existing", 'e', G_NONE}, {"canonicalize-missing", 'm', G_NONE},
    {"relative-to", RELATIVE_TO, G_REQUIRED}, {"relative-base", RELATIVE_BASE, G_REQUIRED},
    {"quiet", 'q', G_NONE}, {"strip", 's', G_NONE}, {"no-symlinks", 's', G_NONE},
    {"zero", 'z', G_NONE}, {"logical", 'L', G_NONE}, {"physical", 'P', G_NONE}, {0}};

int realpath_main(int argc, char **argv) {
    resolver r = {.mode = G_ALL_BUT_LAST};
    const char *to = NULL, *base = NULL;
    bool quiet = false;
    char end = '\n';
    int status = 0;
    g_options o = g_options_of(argc, argv, "eLmPqsz", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'e': r.mode = G_ALL_EXIST; break;
        case 'm': r.mode = G_ANY_MISSING; break;
        case 'L': r.logical = true; r.keep_links = false; break;
        case 'P': r.logical = false; r.keep_links = false; break;
        case 's': r.logical = false; r.keep_links = true; break;
        case 'q': quiet = true; break;
        case 'z': end = '\0'; break;
        case RELATIVE_TO: to = o.arg; break;
        case RELATIVE_BASE: base = o.arg; break;
        }
    if (o.at == argc) g_missing_operand(NULL);
    if (base && !to) to = base;
    if (to) to = resolve_option(&r, to, true);
    if (base) base = resolve_option(&r, base, true);
    if (base && to && !is_below(base, to)) to = NULL, base = NULL;
    for (int i = o.at; i < argc; i++) {
        char *path = resolve(&r, argv[i]);
        if (!path) {
            status = 1;
            if (!quiet) g_warn_errno(errno, "%s", g_quotef(argv[i]));
            continue;
        }
        bool absolute = !to || (base && !is_below(base, path));
        char *shown = absolute ? path : relative(to, path);
        g_outs(shown);
        g_outc(end);
        if (shown != path) free(shown);
        free(path);
    }
    return status;
}
