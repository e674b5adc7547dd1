/*
 * rename.c: replaces a text in files' names, as util-linux does.
 *
 * help rename:
 *   Usage:
 *    rename [options] <expression> <replacement> <file>...
 *
 *   Rename files.
 *
 *   Options:
 *    -v, --verbose       explain what is being done
 *    -s, --symlink       act on the target of symlinks
 *    -n, --no-act        do not make any changes
 *    -a, --all           replace all occurrences
 *    -l, --last          replace only the last occurrence
 *    -o, --no-overwrite  don't overwrite existing files
 *    -i, --interactive   prompt before overwrite
 *
 *    -h, --help          display this help
 *    -V, --version       display version
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    bool verbose, symlink, dry_run, all, last, keep, ask;
    const char *from, *to;
} form;

static const g_long longs[] = {{"verbose", 'v', G_NONE},     {"symlink", 's', G_NONE},
                               {"no-act", 'n', G_NONE},      {"all", 'a', G_NONE},
                               {"last", 'l', G_NONE},        {"no-overwrite", 'o', G_NONE},
                               {"interactive", 'i', G_NONE}, {0}};

/* The name with the text replaced, in fresh memory; NULL when it is not in there. The folder counts
 * only when the text has a slash. */
static char *replaced(const form *f, const char *name) {
    size_t len = strlen(f->from);
    const char *start = strchr(f->from, '/') || strchr(f->to, '/') ? name : g_last_part(name);
    const char *at = strstr(start, f->from), *next;
    if (!at) return NULL;
    if (f->last && !len) at = start + strlen(start);
    for (; f->last && len && (next = strstr(at + 1, f->from));) at = next;
    g_text out = {0};
    g_text_add(&out, name, (size_t)(at - name));
    do {
        g_text_adds(&out, f->to);
        at += len;
        next = f->all ? len ? strstr(at, f->from) : *at ? at + 1 : NULL : NULL;
        g_text_add(&out, at, next ? (size_t)(next - at) : strlen(at));
        at = next;
    } while (at);
    if (f->all && !len) g_text_adds(&out, f->to);
    return out.s;
}

static bool may_overwrite(const form *f, const char *to) {
    if (access(to, F_OK) != 0) return true;
    if (f->keep) {
        if (f->verbose) g_outf("Skipping existing file: `%s'\n", to);
        return false;
    }
    if (!f->ask) return true;
    g_out_flush();
    fprintf(stderr, "%s: overwrite `%s'? ", g_name(), to);
    return g_yes();
}

/* 1: renamed, 0: nothing to do, -1: failed. */
static int rename_link(const form *f, const char *name) {
    char *target = g_read_link(name);
    if (!target) {
        if (errno == EINVAL)
            g_warn("%s: not a symbolic link", name);
        else
            g_warn_errno(errno, "%s: not accessible", name);
        return -1;
    }
    char *to = replaced(f, target);
    int result = 0;
    if (to && strcmp(to, target) != 0 && may_overwrite(f, to)) {
        result = 1;
        if (!f->dry_run && (unlink(name) != 0 || symlink(to, name) != 0)) {
            g_warn_errno(errno, "%s: symlinking to %s failed", name, to);
            result = -1;
        } else if (f->verbose) {
            g_outf("%s: `%s' -> `%s'\n", name, target, to);
        }
    }
    free(target), free(to);
    return result;
}

static bool is_link(const char *name) {
    char *target = g_read_link(name);
    free(target);
    return target != NULL;
}

static int rename_one(const form *f, const char *name) {
    if (access(name, F_OK) != 0 && !is_link(name)) {
        g_warn_errno(errno, "%s: not accessible", name);
        return -1;
    }
    if (f->symlink) return rename_link(f, name);
    char *to = replaced(f, name);
    int result = 0;
    if (to && strcmp(to, name) != 0 && may_overwrite(f, to)) {
        result = 1;
        if (!f->dry_run && rename(name, to) != 0) {
            g_warn_errno(errno, "%s: rename to %s failed", name, to);
            result = -1;
        } else if (f->verbose) {
            g_outf("`%s' -> `%s'\n", name, to);
        }
    }
    free(to);
    return result;
}

int rename_main(int argc, char **argv) {
    form f = {0};
    g_options o = g_options_of(argc, argv, "vsnaloihV", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'v': f.verbose = true; break;
        case 's': f.symlink = true; break;
        case 'n': f.dry_run = true; break;
        case 'a': f.all = true; break;
        case 'l': f.last = true; break;
        case 'o': f.keep = true; break;
        case 'i': f.ask = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    if (argc - o.at < 3) g_usage("not enough arguments");
    f.from = argv[o.at];
    f.to = argv[o.at + 1];
    int done = 0, failed = 0;
    for (int i = o.at + 2; i < argc; i++) {
        int result = rename_one(&f, argv[i]);
        done += result > 0;
        failed += result < 0;
    }
    if (failed) return done ? 2 : 1;
    return done ? 0 : 4;
}
