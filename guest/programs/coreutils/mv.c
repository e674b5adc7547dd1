/*
 * mv.c: renames and moves files.
 *
 * Between file systems: copy everything, then remove the source.
 *
 * help mv:
 *   Usage: mv [OPTION]... [-T] SOURCE DEST
 *     or:  mv [OPTION]... SOURCE... DIRECTORY
 *     or:  mv [OPTION]... -t DIRECTORY SOURCE...
 *   Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.
 *
 *         --backup[=CONTROL]       make a backup of each existing destination file
 *     -b                           like --backup but does not accept an argument
 *     -f, --force                  do not prompt before overwriting
 *     -i, --interactive            prompt before overwrite
 *     -n, --no-clobber             do not overwrite an existing file
 *         --strip-trailing-slashes  remove any trailing slashes from each SOURCE argument
 *     -S, --suffix=SUFFIX          override the usual backup suffix
 *     -t, --target-directory=DIRECTORY  move all SOURCE arguments into DIRECTORY
 *     -T, --no-target-directory    treat DEST as a normal file
 *     -u, --update                 move only when the SOURCE file is newer than the destination
 *                                    file or when the destination file is missing
 *     -v, --verbose                explain what is being done
 *         --help                   display this help and exit
 *         --version                output version information and exit
 *
 *   If you specify more than one of -i, -f, -n, only the final one takes effect.
 */
#include "copy_tree.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "remove_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between file systems: a copy of everything, in place of what is at `to`. */
static int copy_and_remove(const copy_options *c, copy_memory *memory, const copy_item *item) {
    int removed = item->there && S_ISDIR(item->there->st_mode) ? rmdir(item->to)
                                                               : unlink(item->to);
    if (removed < 0 && errno != ENOENT) {
        g_warn_errno(errno, "inter-device move failed: %s to %s; unable to remove target",
                     g_quoteaf(item->from), g_quoteaf(item->to));
        return 1;
    }
    copy_options whole = *c;
    whole.recursive = whole.keep_mode = whole.keep_owner = whole.keep_times = true;
    whole.keep_links = true;
    whole.overwrite = COPY_OVERWRITE;
    whole.update = false;
    whole.backup.mode = BACKUP_NONE;
    int status = copy_path(&whole, memory, item->from, item->to);
    if (status) return status;
    remove_options r = {.recursive = true, .force = true, .verbose = c->verbose};
    return remove_path(&r, item->from);
}

/* The rename failed: the copy, or the message. */
static int move_otherwise(const copy_options *c, copy_memory *memory, copy_item *item, int error) {
    if (error == EXDEV) return copy_and_remove(c, memory, item);
    if (error == EINVAL)
        g_warn("cannot move %s to a subdirectory of itself, %s", g_quoteaf(item->from),
               g_quoteaf(item->to));
    else
        g_warn_errno(error, "cannot move %s to %s", g_quoteaf(item->from), g_quoteaf(item->to));
    return 1;
}

static int move(const copy_options *c, copy_memory *memory, const char *from, const char *to) {
    copy_item item = {.from = from, .to = to, .operand = true};
    if (lstat(from, &item.st) < 0) {
        g_warn_errno(errno, "cannot stat %s", g_quoteaf(from));
        return 1;
    }
    enum copy_way way = copy_prepare(c, memory, &item);
    if (way != COPY_GO) return way == COPY_FAILED;
    int status = 0;
    if (rename(from, to) < 0) {
        status = move_otherwise(c, memory, &item, errno);
        if (status) copy_put_back(c, &item);
    } else {
        if (c->verbose) {
            g_outf("renamed %s -> %s", g_quoteaf(from), g_quoteaf(to));
            if (item.kept) g_outf(" (backup: %s)", g_quoteaf(item.kept));
            g_outc('\n');
        }
        copy_note_made(memory, to, &item.st);
    }
    free(item.kept);
    return status;
}

static int move_into(const copy_options *c, char **sources, int count, const char *dir) {
    copy_memory *memory = copy_memory_new();
    int status = 0;
    for (int i = 0; i < count; i++) {
        char *base = g_base(sources[i]);
        char *name = g_join(dir, base);
        status |= move(c, memory, sources[i], name);
        free(base);
        free(name);
    }
    copy_memory_free(memory);
    return status;
}

static int move_one(const copy_options *c, const char *from, const char *to) {
    copy_memory *memory = copy_memory_new();
    int status = move(c, memory, from, to);
    copy_memory_free(memory);
    return status;
}

enum { STRIP = 256 };
static const g_long longs[] = {
    {"backup", 'b', G_OPTIONAL}, {"context", 'Z', G_NONE}, {"force", 'f', G_NONE},
    {"interactive", 'i', G_NONE}, {"no-clobber", 'n', G_NONE},
    {"no-target-directory", 'T', G_NONE}, {"strip-trailing-slashes", STRIP, G_NONE},
    {"suffix", 'S', G_REQUIRED}, {"target-directory", 't', G_REQUIRED}, {"update", 'u', G_NONE},
    {"verbose", 'v', G_NONE}, {0}};

int mv_main(int argc, char **argv) {
    copy_options c = {.moving = true};
    const char *dir = NULL;
    backup_request backup = {0};
    bool no_dir = false, strip = false;
    g_options o = g_options_of(argc, argv, "bfint:uvS:TZ", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b':
        case 'S': backup_option(&backup, option, o.arg); break;
        case 'f': c.overwrite = COPY_OVERWRITE; break;
        case 'i': c.overwrite = COPY_ASK; break;
        case 'n': c.overwrite = COPY_NEVER; break;
        case 't': dir = o.arg; break;
        case 'T': no_dir = true; break;
        case 'u': c.update = true; break;
        case 'v': c.verbose = true; break;
        case STRIP: strip = true; break;
        }
    if (backup.wanted && c.overwrite == COPY_NEVER)
        g_usage("options --backup and --no-clobber are mutually exclusive");
    c.backup = backup_choose(&backup);
    copy_operands to = copy_operands_of(&c, &o, dir, no_dir, strip);
    if (to.dir) return move_into(&c, to.files, to.count, to.dir);
    return move_one(&c, to.files[0], to.files[1]);
}
