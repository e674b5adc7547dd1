/*
 * copy_tree.c: copying files and whole directories; cp, install and mv between file systems use it.
 *
 * A tree is walked once; each entry's destination is the destination root plus the rest of its
 * path. Directories get their final mode and times when the walk leaves them.
 */
#include "copy_tree.h"
#include "copy_link.h"
#include "copy_same.h"
#include "g_file.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(const copy_options *o, const copy_item *item) {
    if (!o->verbose) return;
    g_outf("%s%s -> %s", o->moving ? "copied " : "", g_quoteaf(item->from), g_quoteaf(item->to));
    if (item->kept) g_outf(" (backup: %s)", g_quoteaf(item->kept));
    g_outc('\n');
}

static int hard_link(const copy_options *o, const char *target, const char *to, bool replace,
                     bool tell) {
    int follow = o->links == COPY_FOLLOW_ALL ? AT_SYMLINK_FOLLOW : 0;
    int result = copy_make_hard_link(target, to, follow, replace);
    if (result < 0) {
        g_warn_errno(errno, "cannot create hard link %s to %s", g_quoteaf(to), g_quoteaf(target));
        return 1;
    }
    if (result > 0 && tell) g_outf("removed %s\n", g_quoteaf(to));
    return 0;
}

static int symbolic_link(const copy_options *o, const char *from, const char *to) {
    if (*from != '/' && strchr(to, '/') && strncmp(to, "./", 2) != 0) {
        g_warn("%s: can make relative symbolic links only in current directory", g_quotef(to));
        return 1;
    }
    if (copy_make_symlink(from, to, o->force) >= 0) return 0;
    g_warn_errno(errno, "cannot create symbolic link %s to %s", g_quoteaf(to), g_quoteaf(from));
    return 1;
}

static int copy_symlink(const copy_options *o, const copy_item *item) {
    char *target = g_read_link(item->from);
    if (!target) {
        g_warn_errno(errno, "cannot read symbolic link %s", g_quoteaf(item->from));
        return 1;
    }
    int failed = copy_make_symlink(target, item->to, o->force), error = errno;
    free(target);
    if (failed >= 0) return copy_attributes(o, -1, item->to, &item->st);
    g_warn_errno(error, "cannot create symbolic link %s", g_quoteaf(item->to));
    return 1;
}

static int copy_special(const copy_options *o, const copy_item *item) {
    mode_t mode = item->st.st_mode;
    bool fifo = S_ISFIFO(mode);
    if ((fifo ? mkfifo(item->to, mode & 0777) : mknod(item->to, mode, item->st.st_rdev)) == 0)
        return copy_attributes(o, -1, item->to, &item->st);
    g_warn_errno(errno, fifo ? "cannot create fifo %s" : "cannot create special file %s",
                 g_quoteaf(item->to));
    return 1;
}

/* Whether another copy of the same source may stand for this one as a hard link. */
static bool may_be_twin(const copy_options *o, const copy_item *item) {
    if (o->moving && item->st.st_nlink == 1) return true;
    if (!o->keep_links || o->hard_link) return false;
    return item->st.st_nlink > 1 || o->links == COPY_FOLLOW_ALL ||
           (item->operand && o->links == COPY_FOLLOW_OPERANDS);
}

static int make_copy(const copy_options *o, copy_memory *memory, copy_item *item) {
    const char *twin = may_be_twin(o, item) ? copy_recall(memory, &item->st) : NULL;
    if (twin) return hard_link(o, twin, item->to, true, o->verbose);
    if (may_be_twin(o, item)) copy_remember(memory, &item->st, item->to);
    if (o->symbolic_link) return symbolic_link(o, item->from, item->to);
    if (o->hard_link)
        return hard_link(o, item->from, item->to, o->force || o->overwrite == COPY_ASK, false);
    if (S_ISLNK(item->st.st_mode)) return copy_symlink(o, item);
    if (S_ISREG(item->st.st_mode) || o->content_special || !o->recursive)
        return copy_regular(o, item);
    return copy_special(o, item);
}

static int copy_file(const copy_options *o, copy_memory *memory, copy_item *item) {
    if (item->operand && !o->backup.mode && !o->moving &&
        copy_given_before(memory, item->from, &item->st)) {
        g_warn("warning: source file %s specified more than once", g_quoteaf(item->from));
        return 0;
    }
    enum copy_way way = copy_prepare(o, memory, item);
    if (way != COPY_GO) return way == COPY_FAILED;
    show(o, item);
    int status = make_copy(o, memory, item);
    struct stat made;
    if (status) copy_put_back(o, item);
    else if (item->operand && lstat(item->to, &made) == 0) copy_note_made(memory, item->to, &made);
    return status;
}

/* Makes the directory where there is none; *made: it was. COPY_SKIP: what is in it is not copied. */
static enum copy_way begin_directory(const copy_options *o, copy_memory *memory, copy_item *item,
                                     bool *made) {
    *made = false;
    enum copy_way way = copy_prepare(o, memory, item);
    if (way != COPY_GO) return way;
    const char *earlier = item->operand ? copy_recall(memory, &item->st) : NULL;
    if (earlier && g_same_entry(earlier, item->to)) {
        g_warn("warning: source directory %s specified more than once", g_quoteaf(item->from));
        return COPY_SKIP;
    }
    if (earlier && o->links == COPY_NO_FOLLOW) {
        g_warn("will not create hard link %s to directory %s", g_quoteaf(item->to),
               g_quoteaf(earlier));
        return COPY_FAILED;
    }
    if (item->operand) copy_remember(memory, &item->st, item->to);
    if (item->there && S_ISDIR(item->there->st_mode)) return COPY_GO;
    mode_t mode = (o->no_mode ? 0777 : item->st.st_mode & 0777) | 0700;
    if (mkdir(item->to, mode) < 0) {
        g_warn_errno(errno, "cannot create directory %s", g_quoteaf(item->to));
        copy_put_back(o, item);
        return COPY_FAILED;
    }
    *made = true;
    if (o->moving && o->verbose) g_outf("created directory %s\n", g_quoteaf(item->to));
    else show(o, item);
    return COPY_GO;
}

static int end_directory(const copy_options *o, const char *to, const struct stat *st, bool made) {
    int status = copy_attributes(o, -1, to, st);
    if (made && !o->keep_mode && !o->no_mode && (st->st_mode & 0700) != 0700)
        chmod(to, st->st_mode & 0777 & ~o->mask);
    return status;
}

/* Whether the destination lies in the directory to be copied: it would grow for ever. */
static bool inside_itself(const char *from, const char *to) {
    char *a = g_canonicalize(from, G_ANY_MISSING, false);
    char *b = g_canonicalize(to, G_ANY_MISSING, false);
    size_t len = a ? strlen(a) : 0;
    bool inside = a && b && strncmp(a, b, len) == 0 && (b[len] == '/' || b[len] == '\0') &&
                  strcmp(a, "/") != 0;
    free(a);
    free(b);
    return inside;
}

/* One call of copy_path: a tree on its way. */
typedef struct {
    const copy_options *o;
    copy_memory *memory;
    const char *from, *to;
    g_walk *walk;
    g_text path;     /* where the entry at hand goes */
    bool *made;      /* per depth: whether that directory was made here */
    size_t made_cap; /* of `made` */
    bool loops;      /* the destination lies in the source */
} tree_copy;

static int copy_directory(tree_copy *t, const g_entry *e, copy_item *item) {
    struct stat copy;
    if (t->loops && e->depth > 0 && stat(t->to, &copy) == 0 && copy_same_file(&copy, &e->st)) {
        g_walk_skip(t->walk);
        return 0;
    }
    enum copy_way way = begin_directory(t->o, t->memory, item, &t->made[e->depth]);
    if (way != COPY_GO) {
        g_walk_skip(t->walk);
        return way == COPY_FAILED;
    }
    if (!t->loops || e->depth > 0) return 0;
    g_warn("cannot copy a directory, %s, into itself, %s", g_quoteaf(t->from), g_quoteaf(t->to));
    return 1;
}

static int copy_entry(tree_copy *t, const g_entry *e) {
    copy_item item = {.from = e->path, .to = t->path.s, .st = e->st, .operand = e->depth == 0};
    int status = 1;
    switch (e->kind) {
    case G_WALK_DIR: status = copy_directory(t, e, &item); break;
    case G_WALK_DIR_END: status = end_directory(t->o, item.to, &e->st, t->made[e->depth]); break;
    case G_WALK_FILE:
        if (S_ISLNK(e->st.st_mode) && t->o->links == COPY_FOLLOW_ALL) {
            struct stat behind;
            int error = stat(e->path, &behind) < 0 ? errno : ENOENT;
            g_warn_errno(error, "cannot stat %s", g_quoteaf(e->path));
        } else {
            status = copy_file(t->o, t->memory, &item);
        }
        break;
    case G_WALK_CYCLE: g_warn("cannot copy cyclic symbolic link %s", g_quoteaf(e->path)); break;
    case G_WALK_DIR_ERROR: g_warn_errno(e->error, "cannot access %s", g_quoteaf(e->path)); break;
    case G_WALK_STAT_ERROR: g_warn_errno(e->error, "cannot stat %s", g_quoteaf(e->path)); break;
    }
    free(item.kept);
    return status;
}

static int walk_tree(tree_copy *t, unsigned flags) {
    int status = 0;
    size_t from_len = strlen(t->from);
    t->walk = g_walk_start(t->from, flags);
    for (const g_entry *e; (e = g_walk_next(t->walk));) {
        t->path.len = 0;
        g_text_adds(&t->path, t->to);
        if (e->depth > 0) {
            if (t->path.s[t->path.len - 1] != '/') g_text_addc(&t->path, '/');
            const char *rest = e->path + from_len;
            g_text_adds(&t->path, rest + strspn(rest, "/"));
        }
        if (e->depth >= (int)t->made_cap) t->made = g_more(t->made, &t->made_cap, sizeof *t->made);
        status |= copy_entry(t, e);
    }
    g_walk_end(t->walk);
    g_text_free(&t->path);
    free(t->made);
    return status;
}

int copy_path(const copy_options *o, copy_memory *memory, const char *from, const char *to) {
    unsigned flags = o->same_device ? G_WALK_SAME_DEVICE : 0;
    if (o->links == COPY_FOLLOW_ALL) flags |= G_WALK_FOLLOW;
    if (o->links == COPY_FOLLOW_OPERANDS) flags |= G_WALK_FOLLOW_ROOT;
    struct stat first;
    if ((o->links == COPY_NO_FOLLOW ? lstat : stat)(from, &first) < 0) {
        g_warn_errno(errno, "cannot stat %s", g_quoteaf(from));
        return 1;
    }
    if (S_ISDIR(first.st_mode) && !o->recursive) {
        g_warn(o->installing ? "omitting directory %s" : "-r not specified; omitting directory %s",
               g_quoteaf(from));
        return 1;
    }
    tree_copy t = {.o = o, .memory = memory, .from = from, .to = to};
    t.loops = S_ISDIR(first.st_mode) && inside_itself(from, to);
    return walk_tree(&t, flags);
}

static int not_a_directory(const char *path) {
    struct stat st;
    return stat(path, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

copy_operands copy_operands_of(copy_options *options, const g_options *o, const char *dir,
                               bool no_dir, bool strip) {
    copy_operands all = {o->argv + o->at, o->argc - o->at, dir};
    options->mask = umask(0);
    umask(options->mask);
    if (all.count == 0) g_usage("missing file operand");
    if (all.count == 1 && !dir)
        g_usage("missing destination file operand after %s", g_quoteaf(all.files[0]));
    for (int i = 0; strip && i < all.count; i++) g_strip_slashes(all.files[i]);
    if (dir && no_dir) g_die(1, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
    int error = dir ? not_a_directory(dir) : 0;
    if (error) g_die_errno(1, error, "target directory %s", g_quoteaf(dir));
    if (dir) return all;
    if (no_dir && all.count > 2) g_usage("extra operand %s", g_quoteaf(all.files[2]));
    const char *last = all.files[all.count - 1];
    error = no_dir ? ENOTDIR : not_a_directory(last);
    if (error && all.count > 2) g_die_errno(1, error, "target %s", g_quoteaf(last));
    if (!error) {
        all.count--;
        all.dir = last;
    }
    return all;
}
