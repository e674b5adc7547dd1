/*
 * chown.c: chown and chgrp: change who owns files.
 *
 * help chown:
 *   Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
 *     or:  chown [OPTION]... --reference=RFILE FILE...
 *   Change the owner and/or group of each FILE to OWNER and/or GROUP.
 *
 *     -c, --changes          like verbose but report only when a change is made
 *     -f, --silent, --quiet  suppress most error messages
 *     -v, --verbose          output a diagnostic for every file processed
 *         --dereference      affect the referent of each symbolic link (the default)
 *     -h, --no-dereference   affect symbolic links instead of any referenced file
 *         --from=OWNER:GROUP  change only what has this owner and group
 *         --no-preserve-root  do not treat '/' specially (the default)
 *         --preserve-root    fail to operate recursively on '/'
 *         --reference=RFILE  use RFILE's owner and group
 *     -R, --recursive        operate on files and directories recursively
 *     -H                     with -R: traverse a link to a directory among the operands
 *     -L                     with -R: traverse every symbolic link to a directory
 *     -P                     with -R: do not traverse any symbolic links (default)
 *         --help             display this help and exit
 *         --version          output version information and exit
 *
 * help chgrp:
 *   Usage: chgrp [OPTION]... GROUP FILE...
 *     or:  chgrp [OPTION]... --reference=RFILE FILE...
 *   Change the group of each FILE to GROUP.
 *
 *     -c, --changes          like verbose but report only when a change is made
 *     -f, --silent, --quiet  suppress most error messages
 *     -v, --verbose          output a diagnostic for every file processed
 *         --dereference      affect the referent of each symbolic link (the default)
 *     -h, --no-dereference   affect symbolic links instead of any referenced file
 *         --no-preserve-root  do not treat '/' specially (the default)
 *         --preserve-root    fail to operate recursively on '/'
 *         --reference=RFILE  use RFILE's group
 *     -R, --recursive        operate on files and directories recursively
 *     -H                     with -R: traverse a link to a directory among the operands
 *     -L                     with -R: traverse every symbolic link to a directory
 *     -P                     with -R: do not traverse any symbolic links (default)
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOBODY UINT32_MAX /* no change, or any */

typedef struct {
    bool group_only, recursive, silent, changes, verbose, links, preserve_root;
    unsigned walk;
    uint32_t uid, gid, from_uid, from_gid;
    const char *user, *group; /* as they were given */
} owner;

static uint32_t parse_id(const char *text, uint32_t known, bool *good) {
    uint64_t value;
    if (known != NOBODY) return known;
    *good = g_parse_unsigned(text, "", &value, NULL) == G_NUMBER_OK && value < NOBODY;
    return *good ? (uint32_t)value : NOBODY;
}

static uint32_t group_named(const char *name, bool *good) {
    struct group *g = getgrnam(name);
    return parse_id(name, g ? g->gr_gid : NOBODY, good);
}

/* "OWNER", "OWNER:", "OWNER:GROUP", ":GROUP"; the end for what is none. */
static void parse_owner(const char *text, uint32_t *uid, uint32_t *gid, const char **user,
                        const char **group) {
    const char *colon = strchr(text, ':');
    if (!colon && !getpwnam(text) && (colon = strchr(text, '.')))
        g_warn("warning: '.' should be ':': %s", g_quote(text));
    char *name = colon ? g_copy_bytes(text, (size_t)(colon - text)) : g_copy_string(text);
    bool good = true;
    *uid = *gid = NOBODY;
    if (*name) {
        struct passwd *p = getpwnam(name);
        *uid = parse_id(name, p ? p->pw_uid : NOBODY, &good);
        if (!good) g_die(1, "invalid user: %s", g_quote(text));
        if (colon && !colon[1]) {
            if (!p) g_die(1, "invalid spec: %s", g_quote(text));
            struct group *g = getgrgid(*gid = p->pw_gid);
            if (g) *group = g_copy_string(g->gr_name);
        }
        *user = name;
    }
    if (colon && colon[1]) {
        *gid = group_named(colon + 1, &good);
        if (!good) g_die(1, "invalid group: %s", g_quote(text));
        *group = colon + 1;
    }
}

static const char *user_text(uint32_t id, char *space) {
    struct passwd *p = getpwuid(id);
    snprintf(space, 64, "%s", p ? p->pw_name : "");
    if (!p) snprintf(space, 64, "%lu", (unsigned long)id);
    return space;
}

static const char *group_text(uint32_t id, char *space) {
    struct group *g = getgrgid(id);
    snprintf(space, 64, "%s", g ? g->gr_name : "");
    if (!g) snprintf(space, 64, "%lu", (unsigned long)id);
    return space;
}

static void report(const owner *o, const char *path, const struct stat *st, bool failed) {
    bool changes =
        (o->uid != NOBODY && o->uid != st->st_uid) || (o->gid != NOBODY && o->gid != st->st_gid);
    if (!o->verbose && !(o->changes && changes && !failed)) return;
    char before[140], after[140];
    const char *what = o->group_only ? "group" : "ownership";
    if (o->group_only || o->uid == NOBODY) {
        group_text(st->st_gid, before);
        snprintf(after, sizeof after, "%s", o->group ? o->group : "");
        what = "group";
    } else {
        char user[64], group[64];
        bool both = o->gid != NOBODY;
        snprintf(before, sizeof before, "%s%s%s", user_text(st->st_uid, user), both ? ":" : "",
                 both ? group_text(st->st_gid, group) : "");
        snprintf(after, sizeof after, "%s%s%s", o->user ? o->user : "", both ? ":" : "",
                 both && o->group ? o->group : "");
    }
    if (o->uid == NOBODY && o->gid == NOBODY) {
        g_outf("ownership of %s retained\n", g_quoteaf(path));
    } else if (failed) {
        g_outf("failed to change %s of %s from %s to %s\n", what, g_quoteaf(path), before, after);
    } else if (changes) {
        g_outf("changed %s of %s from %s to %s\n", what, g_quoteaf(path), before, after);
    } else {
        g_outf("%s of %s retained as %s\n", what, g_quoteaf(path), before);
    }
}

/* -v about what could not be looked at. */
static void report_unseen(const owner *o, const char *path) {
    if (!o->verbose) return;
    if (o->uid == NOBODY && o->gid == NOBODY) {
        g_outf("failed to change ownership of %s\n", g_quoteaf(path));
        return;
    }
    bool owned = o->uid != NOBODY;
    g_outf("failed to change %s of %s to %s%s%s\n", owned ? "ownership" : "group", g_quoteaf(path),
           owned && o->user ? o->user : "", owned && o->gid != NOBODY ? ":" : "",
           o->gid != NOBODY && o->group ? o->group : "");
}

static int change_one(const owner *o, const g_entry *e) {
    struct stat st = e->st;
    if (S_ISLNK(st.st_mode) && !o->links) {
        if (e->depth > 0 && !(o->walk & G_WALK_FOLLOW)) return 0;
        if (fstatat(e->dir, e->at, &st, 0) < 0) {
            if (!o->silent) g_warn_errno(errno, "cannot dereference %s", g_quoteaf(e->path));
            return 1;
        }
    }
    if ((o->from_uid != NOBODY && o->from_uid != st.st_uid) ||
        (o->from_gid != NOBODY && o->from_gid != st.st_gid))
        return 0;
    int result = fchownat(e->dir, e->at, o->uid, o->gid, o->links ? AT_SYMLINK_NOFOLLOW : 0);
    int error = errno;
    if (result < 0 && !o->silent)
        g_warn_errno(error, "changing %s of %s",
                     o->group_only || o->uid == NOBODY ? "group" : "ownership", g_quoteaf(e->path));
    report(o, e->path, &st, result < 0);
    return result < 0;
}

static int change_path(const owner *o, const char *path) {
    int status = 0;
    struct stat st, root;
    if (o->recursive && o->preserve_root && stat(path, &st) == 0 && stat("/", &root) == 0 &&
        st.st_ino == root.st_ino && st.st_dev == root.st_dev) {
        g_warn("it is dangerous to operate recursively on %s", g_quoteaf(path));
        g_warn("use --no-preserve-root to override this failsafe");
        return 1;
    }
    g_walk *walk = g_walk_start(path, o->recursive ? o->walk : 0);
    for (const g_entry *e; (e = g_walk_next(walk));) {
        switch (e->kind) {
        case G_WALK_DIR:
            if (o->recursive) break; /* after what is in it */
            g_walk_skip(walk);
            status |= change_one(o, e);
            break;
        case G_WALK_DIR_END:
        case G_WALK_FILE: status |= change_one(o, e); break;
        case G_WALK_DIR_ERROR:
            if (!o->silent) g_warn_errno(e->error, "cannot read directory %s", g_quoteaf(e->path));
            status = 1;
            break;
        case G_WALK_STAT_ERROR:
            if (!o->silent) g_warn_errno(e->error, "cannot access %s", g_quoteaf(e->path));
            report_unseen(o, e->path);
            status = 1;
            break;
        case G_WALK_CYCLE: break;
        }
    }
    g_walk_end(walk);
    return status;
}

enum { REFERENCE = 256, PRESERVE, NO_PRESERVE, FROM, DEREFERENCE };
static const g_long longs[] = {{"changes", 'c', G_NONE},
                               {"silent", 'f', G_NONE},
                               {"quiet", 'f', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"recursive", 'R', G_NONE},
                               {"no-dereference", 'h', G_NONE},
                               {"dereference", DEREFERENCE, G_NONE},
                               {"no-preserve-root", NO_PRESERVE, G_NONE},
                               {"preserve-root", PRESERVE, G_NONE},
                               {"reference", REFERENCE, G_REQUIRED},
                               {"from", FROM, G_REQUIRED},
                               {0}};

int chown_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/');
    owner o = {.uid = NOBODY, .gid = NOBODY, .from_uid = NOBODY, .from_gid = NOBODY};
    o.group_only = strcmp(slash ? slash + 1 : g_name(), "chgrp") == 0;
    const char *reference = NULL, *ignored;
    g_options options = g_options_of(argc, argv, "HLPRcfhv", longs);
    for (int option; (option = g_option(&options)) >= 0;)
        switch (option) {
        case 'H': o.walk = G_WALK_FOLLOW_ROOT; break;
        case 'L': o.walk = G_WALK_FOLLOW; break;
        case 'P': o.walk = 0; break;
        case 'R': o.recursive = true; break;
        case 'c': o.changes = true; break;
        case 'f': o.silent = true; break;
        case 'v': o.verbose = true; break;
        case 'h': o.links = true; break;
        case DEREFERENCE: o.links = false; break;
        case REFERENCE: reference = options.arg; break;
        case PRESERVE: o.preserve_root = true; break;
        case NO_PRESERVE: o.preserve_root = false; break;
        case FROM: parse_owner(options.arg, &o.from_uid, &o.from_gid, &ignored, &ignored); break;
        }
    int at = options.at;
    if (argc - at < (reference ? 1 : 2)) g_missing_operand(at < argc ? argv[argc - 1] : NULL);
    if (reference) {
        struct stat st;
        if (stat(reference, &st) < 0)
            g_die_errno(1, errno, "failed to get attributes of %s", g_quoteaf(reference));
        o.uid = o.group_only ? NOBODY : st.st_uid;
        o.gid = st.st_gid;
        char text[64];
        o.user = g_copy_string(user_text(st.st_uid, text));
        o.group = g_copy_string(group_text(st.st_gid, text));
    } else if (o.group_only) {
        bool good = true;
        if (*argv[at]) o.gid = group_named(o.group = argv[at], &good);
        if (!good) g_die(1, "invalid group: %s", g_quote(argv[at]));
        at++;
    } else {
        parse_owner(argv[at++], &o.uid, &o.gid, &o.user, &o.group);
    }
    if (o.recursive && !o.walk) o.links = true; /* links that are met are not followed */
    int status = 0;
    for (; at < argc; at++) status |= change_path(&o, argv[at]);
    return status;
}
