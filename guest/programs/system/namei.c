/*
 * namei.c: follows a path, part by part, to where it ends.
 *
 * help namei:
 *   Usage:
 *    namei [options] <pathname>...
 *
 *   Follow a pathname until a terminal point is found.
 *
 *   Options:
 *    -x, --mountpoints   show mount point directories with a 'D'
 *    -m, --modes         show the mode bits of each file
 *    -o, --owners        show owner and group name of each file
 *    -l, --long          use a long listing format (-m -o -v)
 *    -n, --nosymlinks    don't follow symlinks
 *    -v, --vertical      vertical align of modes and owners
 *    -h, --help          display this help
 *    -V, --version       display version
 */
#include "g_file.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_out.h"
#include "mount_table.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINKS = 20, NAME_ROOM = 64 };

typedef struct {
    char *shown; /* the part */
    char *link;
    struct stat st;
    int error, level;
    bool mountpoint;
} part;

typedef struct {
    bool mountpoints, modes, owners, vertical, keep_links;
    part *parts;
    size_t count, room;
    mount_entry *table;
    size_t table_count;
} follower;

static void name_of(uint32_t id, bool group, char out[NAME_ROOM]) {
    struct passwd *user = group ? NULL : getpwuid(id);
    struct group *owner = group ? getgrgid(id) : NULL;
    const char *name = user ? user->pw_name : owner ? owner->gr_name : NULL;
    if (name)
        snprintf(out, NAME_ROOM, "%s", name);
    else
        snprintf(out, NAME_ROOM, "%u", (unsigned)id);
}

static bool is_mountpoint(const follower *f, const char *path) {
    char *full = g_canonicalize(path, G_ALL_EXIST, false);
    bool is = false;
    for (size_t i = 0; full && i < f->table_count; i++) is |= strcmp(f->table[i].target, full) == 0;
    free(full);
    return is;
}

/* Adds the parts of `path`, which is seen from `base`, and those of the links in it. Returns where
 * that leads to, in fresh memory, or NULL when it leads nowhere. */
static char *follow(follower *f, const char *base, const char *path, int level) {
    char *at = g_copy_string(*path == '/' ? "/" : base);
    while (at && *path) {
        size_t len = *path == '/' ? strspn(path, "/") : strcspn(path, "/");
        bool root = *path == '/' && (f->count == 0 || level >= 0) && strcmp(at, "/") == 0;
        char *name = *path == '/' ? g_copy_string("/") : g_copy_bytes(path, len);
        bool separator = *path == '/' && !root;
        path += len;
        if (separator) {
            free(name);
            continue;
        }
        char *here = *name == '/' ? g_copy_string("/") : g_join(at, name);
        part p = {.shown = name, .level = level};
        if (lstat(here, &p.st) != 0) p.error = errno;
        if (!p.error && S_ISLNK(p.st.st_mode)) p.link = g_read_link(here);
        if (!p.error && f->mountpoints && S_ISDIR(p.st.st_mode))
            p.mountpoint = is_mountpoint(f, here);
        if (f->count == f->room) f->parts = g_more(f->parts, &f->room, sizeof *f->parts);
        f->parts[f->count++] = p;
        bool ends = p.error != 0 || (p.link && level >= MAX_LINKS);
        if (p.link && !f->keep_links && !ends) {
            char *target = follow(f, at, p.link, level + 1);
            free(here);
            here = target;
        }
        free(at);
        at = here;
        if (ends) {
            free(at);
            return NULL;
        }
    }
    return at;
}

static char letter(const follower *f, const part *p) {
    char text[11];
    g_mode_string(p->st.st_mode, text);
    return f->mountpoints && p->mountpoint ? 'D' : *text;
}

static void put_owners(const part *p, size_t user_width, size_t group_width, bool pad) {
    char user[NAME_ROOM], group[NAME_ROOM];
    name_of(p->st.st_uid, false, user);
    name_of(p->st.st_gid, true, group);
    if (pad)
        g_outf("%-*s %-*s ", (int)user_width, user, (int)group_width, group);
    else
        g_outf("%s %s ", user, group);
}

static void put_part(const follower *f, const part *p, size_t user_width, size_t group_width) {
    int blanks = p->level * 2;
    if (!f->vertical) g_out_fill(' ', (size_t)blanks + 1);
    if (p->error) {
        if (f->vertical) g_out_fill(' ', (size_t)blanks);
        size_t width = (f->modes ? 10 : 1) + (f->owners ? user_width + group_width + 2 : 0);
        g_out_fill(' ', width + 1);
        g_outf("%s - %s\n", p->shown, strerror(p->error));
        return;
    }
    char mode[11];
    g_mode_string(p->st.st_mode, mode);
    mode[0] = letter(f, p);
    if (!f->modes) mode[1] = '\0';
    g_outf("%s ", mode);
    if (f->owners) put_owners(p, user_width, group_width, true);
    if (f->vertical) g_out_fill(' ', (size_t)blanks);
    g_outs(p->shown);
    if (p->link) g_outf(" -> %s", p->link);
    g_outc('\n');
}

static int show(follower *f, const char *path) {
    size_t user_width = 0, group_width = 0;
    char name[NAME_ROOM];
    f->count = 0;
    char *end = follow(f, ".", path, 0);
    int status = 0;
    for (size_t i = 0; i < f->count; i++) {
        const part *p = &f->parts[i];
        status |= p->error != 0;
        if (p->error) continue;
        name_of(p->st.st_uid, false, name);
        if (strlen(name) > user_width) user_width = strlen(name);
        name_of(p->st.st_gid, true, name);
        if (strlen(name) > group_width) group_width = strlen(name);
    }
    if (!end && !status) {
        g_warn("%s: exceeded limit of symlinks", path);
        status = 1;
    }
    free(end);
    g_outf("f: %s\n", path);
    for (size_t i = 0; i < f->count; i++) put_part(f, &f->parts[i], user_width, group_width);
    return status;
}

int namei_main(int argc, char **argv) {
    static const g_long longs[] = {{"mountpoints", 'x', G_NONE}, {"modes", 'm', G_NONE},
                                   {"owners", 'o', G_NONE},      {"long", 'l', G_NONE},
                                   {"nolinks", 'n', G_NONE},     {"nosymlinks", 'n', G_NONE},
                                   {"vertical", 'v', G_NONE},    {"version", 'V', G_NONE},
                                   {"help", 'h', G_NONE},        {0}};
    follower f = {0};
    g_options o = g_options_of(argc, argv, "hlmnovVx", longs);
    for (int option; (option = g_option(&o)) >= 0;) switch (option) {
        case 'x': f.mountpoints = true; break;
        case 'm': f.modes = true; break;
        case 'o': f.owners = true; break;
        case 'l': f.modes = f.owners = f.vertical = true; break;
        case 'n': f.keep_links = true; break;
        case 'v': f.vertical = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    if (o.at == argc) g_usage("pathname argument is missing");
    f.table = mount_table(&f.table_count);
    int status = 0;
    for (int i = o.at; i < argc; i++) status |= show(&f, argv[i]);
    return status;
}
