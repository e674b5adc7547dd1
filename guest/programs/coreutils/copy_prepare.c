/*
 * copy_prepare.c: what happens with a file that is already where a copy is to go.
 *
 * cp, mv and install decide here. Nothing is removed before every reason to refuse was looked at.
 */
#include "copy_same.h"
#include "g_file.h"
#include "g_mode.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "cp: overwrite 'x'? " and the answer. */
static bool may_overwrite(const copy_options *o, const char *to, const struct stat *there) {
    g_out_flush();
    if (!S_ISLNK(there->st_mode) && access(to, W_OK) < 0) {
        char text[11];
        g_mode_string(there->st_mode, text);
        bool replaces = o->moving || o->force || o->remove_first;
        fprintf(stderr, replaces ? "%s: replace %s, overriding mode %04lo (%s)? "
                                 : "%s: unwritable %s (mode %04lo, %s); try anyway? ",
                g_name(), g_quoteaf(to), (unsigned long)(there->st_mode & 07777), text + 1);
    } else {
        fprintf(stderr, "%s: overwrite %s? ", g_name(), g_quoteaf(to));
    }
    return g_yes();
}

/* Whether the user, by option or by answer, leaves what is there. */
static bool left_alone(const copy_options *o, const copy_item *item) {
    if (o->overwrite == COPY_NEVER) return o->moving || !S_ISDIR(item->st.st_mode);
    bool ask = o->overwrite == COPY_ASK;
    if (!o->moving) {
        return ask && !S_ISDIR(item->st.st_mode) && !may_overwrite(o, item->to, item->there);
    }
    bool guarded = o->overwrite == COPY_UNSAID && !S_ISLNK(item->there->st_mode) &&
                   access(item->to, W_OK) < 0 && isatty(STDIN_FILENO);
    return (ask || guarded) && !may_overwrite(o, item->to, item->there);
}

static bool newer_or_same(const struct stat *there, const struct stat *st) {
    if (there->st_mtim.tv_sec != st->st_mtim.tv_sec)
        return there->st_mtim.tv_sec > st->st_mtim.tv_sec;
    return there->st_mtim.tv_nsec >= st->st_mtim.tv_nsec;
}

/* A directory in the way of a file, or the other way round. Only a move with a backup may do that. */
static bool kinds_clash(const copy_options *o, const copy_item *item) {
    bool from_dir = S_ISDIR(item->st.st_mode), to_dir = S_ISDIR(item->there->st_mode);
    if (from_dir == to_dir || (o->moving && o->backup.mode)) return false;
    if (from_dir)
        g_warn("cannot overwrite non-directory %s with directory %s", g_quoteaf(item->to),
               g_quoteaf(item->from));
    else
        g_warn("cannot overwrite directory %s with non-directory", g_quoteaf(item->to));
    return true;
}

/* Whether the backup of the destination would take the source's name. */
static bool backup_hits_source(const copy_options *o, const copy_item *item) {
    if (o->backup.mode == BACKUP_NUMBERED) return false;
    g_text name = {0};
    g_text_adds(&name, item->to);
    g_text_adds(&name, o->backup.suffix);
    struct stat st;
    char *base = g_base(item->from);
    bool hits = strcmp(base, g_last_part(name.s)) == 0 && stat(name.s, &st) == 0 &&
                copy_same_file(&st, &item->st);
    free(base);
    g_text_free(&name);
    return hits;
}

static bool is_dots(const char *path) {
    char *base = g_base(path);
    bool dots = strcmp(base, ".") == 0 || strcmp(base, "..") == 0;
    free(base);
    return dots;
}

/* Renames or removes what is at the destination, where the options ask for it. */
static enum copy_way make_room(const copy_options *o, copy_item *item) {
    struct stat *t = item->there;
    if (o->backup.mode && !is_dots(item->from) && (o->moving || !S_ISDIR(t->st_mode))) {
        if (backup_hits_source(o, item)) {
            g_warn("backing up %s might destroy source;  %s not %s", g_quoteaf(item->to),
                   g_quoteaf(item->from), o->moving ? "moved" : "copied");
            return COPY_FAILED;
        }
        item->kept = backup_file(&o->backup, item->to);
        item->there = NULL;
        return COPY_GO;
    }
    bool breaks_links = o->keep_links && t->st_nlink > 1;
    bool replaces = o->links == COPY_NO_FOLLOW && !S_ISREG(item->st.st_mode);
    bool removes = o->remove_first || (!o->attributes_only && (breaks_links || replaces));
    if (S_ISDIR(t->st_mode) || o->moving || !removes) return COPY_GO;
    if (unlink(item->to) < 0 && errno != ENOENT) {
        g_warn_errno(errno, "cannot remove %s", g_quoteaf(item->to));
        return COPY_FAILED;
    }
    if (o->verbose) g_outf("removed %s\n", g_quoteaf(item->to));
    item->there = NULL;
    return COPY_GO;
}

/* Whether a link at the destination is to be looked at itself. */
static bool looks_at_link(const copy_options *o, const struct stat *st) {
    bool as_regular = o->content_special || !o->recursive;
    if (S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) return true;
    if (!S_ISREG(st->st_mode) && !as_regular) return true;
    return o->moving || o->symbolic_link || o->hard_link || o->backup.mode || o->remove_first;
}

static enum copy_way prepare_existing(const copy_options *o, const copy_memory *memory,
                                      copy_item *item) {
    struct stat *t = item->there;
    bool done = false;
    if (o->overwrite != COPY_NEVER) {
        enum copy_sameness sameness = copy_compare(o, item->from, &item->st, item->to, t);
        if (sameness == COPY_SAME) {
            g_warn("%s and %s are the same file", g_quoteaf(item->from), g_quoteaf(item->to));
            return COPY_FAILED;
        }
        done = sameness == COPY_DONE;
    }
    if (o->update && !S_ISDIR(item->st.st_mode) && newer_or_same(t, &item->st)) return COPY_SKIP;
    if (left_alone(o, item) || done) return COPY_SKIP;
    if (kinds_clash(o, item)) return COPY_FAILED;
    if (item->operand && !S_ISDIR(t->st_mode) && copy_was_made(memory, item->to, t)) {
        g_warn("will not overwrite just-created %s with %s", g_quoteaf(item->to),
               g_quoteaf(item->from));
        return COPY_FAILED;
    }
    return make_room(o, item);
}

enum copy_way copy_prepare(const copy_options *o, const copy_memory *memory, copy_item *item) {
    bool itself = looks_at_link(o, &item->st);
    item->there = &item->there_buf;
    if ((itself ? lstat : stat)(item->to, item->there) < 0) {
        item->there = NULL;
        if (errno != ENOENT && !(errno == ELOOP && o->force)) {
            g_warn_errno(errno, "cannot stat %s", g_quoteaf(item->to));
            return COPY_FAILED;
        }
        if (errno == ELOOP) item->there = &item->there_buf, lstat(item->to, item->there);
    } else {
        enum copy_way way = prepare_existing(o, memory, item);
        if (way != COPY_GO) return way;
    }
    struct stat link;
    if (item->operand && !o->moving && !o->backup.mode && lstat(item->to, &link) == 0 &&
        S_ISLNK(link.st_mode) && copy_was_made(memory, item->to, &link)) {
        g_warn("will not copy %s through just-created symlink %s", g_quoteaf(item->from),
               g_quoteaf(item->to));
        return COPY_FAILED;
    }
    return COPY_GO;
}

void copy_put_back(const copy_options *o, copy_item *item) {
    if (!item->kept) return;
    if (rename(item->kept, item->to) < 0)
        g_warn_errno(errno, "cannot un-backup %s", g_quoteaf(item->to));
    else if (o->verbose)
        g_outf("%s -> %s (unbackup)\n", g_quoteaf(item->kept), g_quoteaf(item->to));
}
