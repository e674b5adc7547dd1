/*
 * rsync.c: copies files and directories within the sandbox, and only what differs.
 *
 * There is one host, so nothing is sent: a file that differs is copied whole, and what is counted
 * as sent are the bytes of contents. Names of other hosts are refused.
 *
 * help rsync:
 *   Usage: rsync [OPTION]... SRC [SRC]... DEST
 *
 *   Copy files between paths. SRC/ stands for what is in SRC. Without DEST files are listed.
 *
 *   --verbose, -v            increase verbosity
 *   --quiet, -q              suppress non-error messages
 *   --checksum, -c           skip based on contents, not mod-time & size
 *   --archive, -a            archive mode is -rlptgoD
 *   --no-OPTION              turn off an implied OPTION (e.g. --no-perms)
 *   --recursive, -r          recurse into directories
 *   --relative, -R           use relative path names
 *   --backup, -b             make backups (see --suffix & --backup-dir)
 *   --backup-dir=DIR         make backups into hierarchy based in DIR
 *   --suffix=SUFFIX          backup suffix (default ~ w/o --backup-dir)
 *   --update, -u             skip files that are newer on the receiver
 *   --inplace                update destination files in-place
 *   --dirs, -d               transfer directories without recursing
 *   --mkpath                 create destination's missing path components
 *   --links, -l              copy symlinks as symlinks
 *   --copy-links, -L         transform symlink into referent file/directory
 *   --hard-links, -H         preserve hard links
 *   --perms, -p              preserve permissions
 *   --owner, -o              preserve owner (super-user only)
 *   --group, -g              preserve group
 *   --devices, --specials, -D  preserve device files and special files
 *   --times, -t              preserve modification times
 *   --omit-dir-times, -O     omit directories from --times
 *   --dry-run, -n            perform a trial run with no changes made
 *   --one-file-system, -x    don't cross filesystem boundaries
 *   --existing               skip creating new files on receiver
 *   --ignore-existing        skip updating files that exist on receiver
 *   --remove-source-files    sender removes synchronized files (non-directory)
 *   --delete, --del          delete extraneous files from dest directories
 *   --delete-before, --delete-during, --delete-delay, --delete-after  when to do that
 *   --delete-excluded        also delete excluded files from dest directories
 *   --force                  force deletion of directories even if not empty
 *   --max-delete=NUM         don't delete more than NUM files
 *   --max-size=SIZE          don't transfer any file larger than SIZE
 *   --min-size=SIZE          don't transfer any file smaller than SIZE
 *   --prune-empty-dirs, -m   prune empty directory chains from file-list
 *   --ignore-times, -I       don't skip files that match size and time
 *   --size-only              skip files that match in size
 *   --link-dest=DIR          hardlink to files in DIR when unchanged
 *   --filter=RULE, -f        add a rule: '- PATTERN' or '+ PATTERN'
 *   --exclude=PATTERN        exclude files matching PATTERN
 *   --exclude-from=FILE      read exclude patterns from FILE
 *   --include=PATTERN        don't exclude files matching PATTERN
 *   --include-from=FILE      read include patterns from FILE
 *   --files-from=FILE        read list of source-file names from FILE
 *   --from0, -0              all *-from/filter files are delimited by 0s
 *   --stats                  give some file-transfer stats
 *   --human-readable, -h     output numbers in a human-readable format
 *   --progress, -P           show progress during transfer
 *   --itemize-changes, -i    output a change-summary for all updates
 *   --list-only              list the files instead of copying them
 *   -e, -z, -W, -S, -A, -X, --bwlimit, --compress-level, --numeric-ids, --partial, --partial-dir,
 *   --timeout, --whole-file  (ignored)
 *   --version, -V            print the version and exit
 *   --help, -h (*)           show this help (* -h is help only on its own)
 */
#include "rsync.h"
#include "g_file.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_time.h"
#include "remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BACKUP_DIR = 256,
    SUFFIX,
    INPLACE,
    MKPATH,
    NO_PERMS,
    NO_TIMES,
    NO_OWNER,
    NO_GROUP,
    NO_LINKS,
    NO_DEVICES,
    NO_RECURSIVE,
    NO_RELATIVE,
    EXISTING,
    IGNORE_EXISTING,
    REMOVE_SOURCE,
    DELETE,
    DELETE_BEFORE_IT,
    DELETE_LATE,
    DELETE_EXCLUDED,
    FORCE,
    MAX_DELETE,
    MAX_SIZE,
    MIN_SIZE,
    SIZE_ONLY,
    LINK_DEST,
    EXCLUDE,
    EXCLUDE_FROM,
    INCLUDE,
    INCLUDE_FROM,
    FILES_FROM,
    STATS,
    PROGRESS,
    LIST_ONLY,
    IGNORED
};
static const g_long longs[] = {{"verbose", 'v', G_NONE},
                               {"quiet", 'q', G_NONE},
                               {"checksum", 'c', G_NONE},
                               {"archive", 'a', G_NONE},
                               {"recursive", 'r', G_NONE},
                               {"relative", 'R', G_NONE},
                               {"backup", 'b', G_NONE},
                               {"backup-dir", BACKUP_DIR, G_REQUIRED},
                               {"suffix", SUFFIX, G_REQUIRED},
                               {"update", 'u', G_NONE},
                               {"inplace", INPLACE, G_NONE},
                               {"dirs", 'd', G_NONE},
                               {"mkpath", MKPATH, G_NONE},
                               {"links", 'l', G_NONE},
                               {"copy-links", 'L', G_NONE},
                               {"hard-links", 'H', G_NONE},
                               {"perms", 'p', G_NONE},
                               {"owner", 'o', G_NONE},
                               {"group", 'g', G_NONE},
                               {"devices", 'D', G_NONE},
                               {"specials", 'D', G_NONE},
                               {"times", 't', G_NONE},
                               {"omit-dir-times", 'O', G_NONE},
                               {"dry-run", 'n', G_NONE},
                               {"one-file-system", 'x', G_NONE},
                               {"existing", EXISTING, G_NONE},
                               {"ignore-non-existing", EXISTING, G_NONE},
                               {"ignore-existing", IGNORE_EXISTING, G_NONE},
                               {"remove-source-files", REMOVE_SOURCE, G_NONE},
                               {"delete", DELETE, G_NONE},
                               {"del", DELETE, G_NONE},
                               {"delete-before", DELETE_BEFORE_IT, G_NONE},
                               {"delete-during", DELETE, G_NONE},
                               {"delete-delay", DELETE_LATE, G_NONE},
                               {"delete-after", DELETE_LATE, G_NONE},
                               {"delete-excluded", DELETE_EXCLUDED, G_NONE},
                               {"force", FORCE, G_NONE},
                               {"max-delete", MAX_DELETE, G_REQUIRED},
                               {"max-size", MAX_SIZE, G_REQUIRED},
                               {"min-size", MIN_SIZE, G_REQUIRED},
                               {"prune-empty-dirs", 'm', G_NONE},
                               {"ignore-times", 'I', G_NONE},
                               {"size-only", SIZE_ONLY, G_NONE},
                               {"link-dest", LINK_DEST, G_REQUIRED},
                               {"filter", 'f', G_REQUIRED},
                               {"exclude", EXCLUDE, G_REQUIRED},
                               {"exclude-from", EXCLUDE_FROM, G_REQUIRED},
                               {"include", INCLUDE, G_REQUIRED},
                               {"include-from", INCLUDE_FROM, G_REQUIRED},
                               {"files-from", FILES_FROM, G_REQUIRED},
                               {"from0", '0', G_NONE},
                               {"stats", STATS, G_NONE},
                               {"human-readable", 'h', G_NONE},
                               {"progress", PROGRESS, G_NONE},
                               {"itemize-changes", 'i', G_NONE},
                               {"list-only", LIST_ONLY, G_NONE},
                               {"no-perms", NO_PERMS, G_NONE},
                               {"no-p", NO_PERMS, G_NONE},
                               {"no-times", NO_TIMES, G_NONE},
                               {"no-t", NO_TIMES, G_NONE},
                               {"no-owner", NO_OWNER, G_NONE},
                               {"no-o", NO_OWNER, G_NONE},
                               {"no-group", NO_GROUP, G_NONE},
                               {"no-g", NO_GROUP, G_NONE},
                               {"no-links", NO_LINKS, G_NONE},
                               {"no-l", NO_LINKS, G_NONE},
                               {"no-D", NO_DEVICES, G_NONE},
                               {"no-devices", NO_DEVICES, G_NONE},
                               {"no-specials", NO_DEVICES, G_NONE},
                               {"no-recursive", NO_RECURSIVE, G_NONE},
                               {"no-r", NO_RECURSIVE, G_NONE},
                               {"no-relative", NO_RELATIVE, G_NONE},
                               {"no-R", NO_RELATIVE, G_NONE},
                               {"compress", IGNORED, G_NONE},
                               {"compress-level", IGNORED, G_REQUIRED},
                               {"whole-file", IGNORED, G_NONE},
                               {"no-whole-file", IGNORED, G_NONE},
                               {"no-inc-recursive", IGNORED, G_NONE},
                               {"sparse", IGNORED, G_NONE},
                               {"acls", IGNORED, G_NONE},
                               {"xattrs", IGNORED, G_NONE},
                               {"rsh", IGNORED, G_REQUIRED},
                               {"bwlimit", IGNORED, G_REQUIRED},
                               {"numeric-ids", IGNORED, G_NONE},
                               {"partial", IGNORED, G_NONE},
                               {"partial-dir", IGNORED, G_REQUIRED},
                               {"timeout", IGNORED, G_REQUIRED},
                               {"fsync", IGNORED, G_NONE},
                               {"version", 'V', G_NONE},
                               {0}};

/* -r, which -a stands for as well. */
enum { BY_NAME = 2 };

void rsync_failed(rsync_work *w, int error, const char *what, const char *path) {
    if (!w->status) w->status = RSYNC_PARTIAL;
    char *here = *path == '/' ? NULL : g_working_directory();
    char *whole = here ? g_join(here, path) : NULL;
    if (error)
        g_warn("%s \"%s\" failed: %s (%d)", what, whole ? whole : path, strerror(error), error);
    else
        g_warn("%s \"%s\"", what, path);
    free(here);
    free(whole);
}

_Noreturn void rsync_end(int status, const char *why) {
    g_out_flush();
    fprintf(stderr, "rsync error: %s (code %d)\n", why, status);
    g_exit(status);
}

static uint64_t size_of(const char *text, const char *option) {
    uint64_t size;
    if (g_parse_unsigned(text, G_SIZES, &size, NULL) == G_NUMBER_OK) return size;
    g_warn("%s=%s is invalid", option, text);
    rsync_end(RSYNC_SYNTAX, "syntax or usage error");
}

static void set_archive(rsync_options *o) {
    o->recursive = o->links = o->perms = o->times = o->group = o->owner = o->devices = true;
}

/* Options that set one thing; false for others. */
static bool simple_option(rsync_options *o, int option) {
    switch (option) {
    case 'v': o->verbose++; break;
    case 'q': o->quiet = true; break;
    case 'c': o->checksum = true; break;
    case 'a': set_archive(o); break;
    case 'r': o->recursive = BY_NAME; break;
    case 'R': o->relative = true; break;
    case 'b': o->backup = true; break;
    case 'u': o->update = true; break;
    case 'd': o->dirs = true; break;
    case 'l': o->links = true; break;
    case 'L': o->copy_links = true; break;
    case 'H': o->hard_links = true; break;
    case 'p': o->perms = true; break;
    case 'o': o->owner = true; break;
    case 'g': o->group = true; break;
    case 'D': o->devices = true; break;
    case 't': o->times = true; break;
    case 'O': o->omit_dir_times = true; break;
    case 'n': o->dry_run = true; break;
    case 'x': o->one_file_system = true; break;
    case 'm': o->prune = true; break;
    case 'I': o->ignore_times = true; break;
    case '0': o->from0 = true; break;
    case 'h': o->human = true; break;
    case 'i': o->itemize = true; break;
    case 'P':
    case PROGRESS: o->progress = true; break;
    case INPLACE: o->inplace = true; break;
    case MKPATH: o->make_path = true; break;
    case NO_PERMS: o->perms = false; break;
    case NO_TIMES: o->times = false; break;
    case NO_OWNER: o->owner = false; break;
    case NO_GROUP: o->group = false; break;
    case NO_LINKS: o->links = false; break;
    case NO_DEVICES: o->devices = false; break;
    case NO_RECURSIVE: o->recursive = false; break;
    case NO_RELATIVE: o->relative = false; break;
    case EXISTING: o->existing = true; break;
    case IGNORE_EXISTING: o->ignore_existing = true; break;
    case REMOVE_SOURCE: o->remove_source = true; break;
    case SIZE_ONLY: o->size_only = true; break;
    case FORCE: o->force = true; break;
    case STATS: o->stats = true; break;
    case LIST_ONLY: o->list_only = true; break;
    default: return false;
    }
    return true;
}

static void option_with_value(rsync_options *o, int option, const char *value) {
    switch (option) {
    case DELETE: o->deletion = DELETE_DURING; break;
    case DELETE_BEFORE_IT: o->deletion = DELETE_BEFORE; break;
    case DELETE_LATE: o->deletion = DELETE_AFTER; break;
    case DELETE_EXCLUDED:
        o->delete_excluded = true;
        if (!o->deletion) o->deletion = DELETE_DURING;
        break;
    case BACKUP_DIR: o->backup_dir = value; break;
    case SUFFIX: o->suffix = value; break;
    case MAX_DELETE: o->max_delete = size_of(value, "--max-delete"); break;
    case MAX_SIZE: o->max_size = size_of(value, "--max-size"); break;
    case MIN_SIZE: o->min_size = size_of(value, "--min-size"); break;
    case LINK_DEST: o->link_dest = value; break;
    case 'f': rsync_filter_rule(value); break;
    case EXCLUDE: rsync_filter_add(false, value); break;
    case INCLUDE: rsync_filter_add(true, value); break;
    case EXCLUDE_FROM: rsync_filter_read(false, value, o->from0); break;
    case INCLUDE_FROM: rsync_filter_read(true, value, o->from0); break;
    case FILES_FROM:
        o->files_from = value;
        o->relative = o->dirs = true;
        break;
    case 'V': g_print_version(); g_exit(0);
    }
}

/* Settles where files go to: into a directory, which is made when it is not there, or to a name. */
static void settle_target(rsync_work *w, const char *to) {
    struct stat st;
    size_t len = strlen(to);
    bool one = w->count == 0 || (w->count == 1 && !S_ISDIR(w->items[0].st.st_mode));
    w->target = g_copy_string(len ? to : ".");
    g_strip_slashes(w->target);
    if (stat(len ? to : ".", &st) == 0) {
        if (S_ISDIR(st.st_mode)) return;
        if (!one) {
            g_warn("ERROR: destination must be a directory when copying more than 1 file");
            rsync_end(RSYNC_SELECT, "errors selecting input/output files, dirs");
        }
        w->single = true;
        return;
    }
    if (w->o.make_path && !w->o.dry_run) g_make_parents(w->target);
    if (one && (!len || to[len - 1] != '/')) {
        w->single = true;
        const char *last = g_last_part(w->target);
        char *parent = last == w->target ? g_copy_string(".")
                                         : g_copy_bytes(w->target, (size_t)(last - w->target));
        if (stat(parent, &st) != 0 && !w->o.dry_run) {
            g_strip_slashes(parent);
            g_warn("change_dir \"%s\" failed: %s (%d)", parent, strerror(errno), errno);
            rsync_end(RSYNC_SELECT, "errors selecting input/output files, dirs");
        }
        free(parent);
        return;
    }
    if (!w->o.dry_run && mkdir(w->target, 0777) != 0) {
        g_warn("mkdir \"%s\" failed: %s (%d)", w->target, strerror(errno), errno);
        rsync_end(RSYNC_FILES, "error in file IO");
    }
    if (!w->o.quiet && (w->o.verbose || w->o.itemize || w->o.progress))
        g_outf("created directory %s\n", w->target);
    if (w->count > 0 && strcmp(w->items[0].name, ".") == 0) w->items[0].fresh = true;
}

static bool deletes_in(const rsync_work *w, const rsync_item *item) {
    return item->contents && !w->single && !w->read_failed;
}

static void delete_all(rsync_work *w) {
    for (size_t i = 0; i < w->count; i++)
        if (deletes_in(w, &w->items[i])) rsync_delete_extra(w, &w->items[i]);
}

/* What is deleted changes the directory's time: whether that differed is looked at before. */
static void delete_in(rsync_work *w, rsync_item *item) {
    char *path = rsync_target(w, item->name);
    item->looked = stat(path, &item->before) == 0 && S_ISDIR(item->before.st_mode);
    free(path);
    rsync_delete_extra(w, item);
}

static void copy_all(rsync_work *w) {
    bool deletes = w->o.deletion != DELETE_NONE;
    if (deletes && w->read_failed) g_warn("IO error encountered -- skipping file deletion");
    if (w->o.deletion == DELETE_BEFORE) delete_all(w);
    for (w->at = 0; w->at < w->count; w->at++) {
        rsync_item *item = &w->items[w->at];
        if (w->o.deletion == DELETE_DURING && deletes_in(w, item)) delete_in(w, item);
        rsync_update(w, item);
    }
    if (w->o.deletion == DELETE_AFTER) delete_all(w);
    rsync_finish_directories(w);
    if (w->skipped_deletes > 0) {
        g_out_flush();
        fprintf(stderr, "Deletions stopped due to --max-delete limit (%llu skipped)\n",
                (unsigned long long)w->skipped_deletes);
    }
}

static void check(const rsync_work *w, int count) {
    const rsync_options *o = &w->o;
    const char *wrong = NULL;
    if (o->deletion && !o->recursive && !o->dirs)
        wrong = "--delete does not work without --recursive (-r) or --dirs (-d).";
    if (o->files_from && count != 2 && !o->list_only)
        wrong = "--files-from takes one source and the destination.";
    if (!wrong) return;
    g_out_flush();
    fprintf(stderr, "%s\n", wrong);
    rsync_end(RSYNC_SYNTAX, "syntax or usage error");
}

int rsync_main(int argc, char **argv) {
    rsync_work w = {.o = {.max_size = UINT64_MAX, .max_delete = UINT64_MAX}};
    g_set_failure(RSYNC_SYNTAX);
    g_set_hint("rsync error: syntax or usage error (code 1)");
    if (argc == 2 && strcmp(argv[1], "-h") == 0) {
        g_outs(g_help());
        return 0;
    }
    g_options g = g_options_of(argc, argv, "vqcarRbudlLHpogDtOnxmI0hiPe:zWSAXf:V", longs);
    for (int option; (option = g_option(&g)) >= 0;)
        if (!simple_option(&w.o, option)) option_with_value(&w.o, option, g.arg);
    /* Names in a file stand for themselves, unless -r was given by itself. */
    if (w.o.files_from && w.o.recursive != BY_NAME) w.o.recursive = 0;
    int count = argc - g.at;
    char **operands = argv + g.at;
    if (count == 0) {
        fputs(g_help(), stderr);
        rsync_end(RSYNC_SYNTAX, "syntax or usage error");
    }
    remote_refuse(count, operands, RSYNC_REMOTE);
    check(&w, count);
    if (!w.o.suffix) w.o.suffix = w.o.backup_dir ? "" : "~";
    if (w.o.backup && !*w.o.suffix && !w.o.backup_dir)
        rsync_end(RSYNC_SYNTAX, "--suffix cannot be empty without --backup-dir");
    w.umask = umask(0);
    umask(w.umask);
    g_moment start = g_now();
    bool lists = w.o.list_only || count == 1;
    if (lists && !w.o.recursive) w.o.dirs = true;
    if (lists) w.o.links = w.o.devices = true;
    bool at_once = w.o.deletion == DELETE_BEFORE || w.o.deletion == DELETE_AFTER || w.o.prune;
    if (!lists && (w.o.verbose || w.o.progress) && w.o.recursive && !w.o.quiet)
        g_outs(at_once ? "building file list ... done\n" : "sending incremental file list\n");
    rsync_collect(&w, count > 1 ? count - 1 : count, operands);
    if (lists)
        rsync_show_list(&w);
    else {
        settle_target(&w, operands[count - 1]);
        copy_all(&w);
    }
    g_moment end = g_now();
    if (!lists)
        rsync_show_end(&w, (double)(end.seconds - start.seconds) +
                               (end.nanoseconds - start.nanoseconds) / 1e9);
    if (w.status == RSYNC_PARTIAL)
        rsync_end(w.status, "some files/attrs were not transferred (see previous errors)");
    if (w.skipped_deletes > 0)
        rsync_end(RSYNC_MAX_DELETE, "the --max-delete limit stopped deletions");
    return w.status;
}
