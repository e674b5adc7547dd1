/*
 * tar.c: archives of files.
 *
 * This file reads the options; tar.h maps the others. Archives are GNU's unless --format says
 * otherwise; GNU's long names, POSIX's extended headers and old archives are read, packed or not.
 * Left out: several volumes, incremental archives, sparse files, -A, -d, --delete, other programs
 * that pack.
 *
 * help tar:
 *   Usage: tar [OPTION...] [FILE]...
 *   Examples:
 *     tar -cf archive.tar foo bar  # Create archive.tar from files foo and bar.
 *     tar -tvf archive.tar         # List all files in archive.tar verbosely.
 *     tar -xf archive.tar          # Extract all files from archive.tar.
 *
 *   Main operation mode:
 *     -c, --create               create a new archive
 *     -r, --append               append files to the end of an archive
 *     -t, --list                 list the contents of an archive
 *     -u, --update               only append files newer than copy in archive
 *     -x, --extract, --get       extract files from an archive
 *
 *   Device and compression:
 *     -f, --file=ARCHIVE         use archive file; - is standard input or output
 *     -a, --auto-compress        use archive suffix to determine the compression program
 *     -z, --gzip  -j, --bzip2  -J, --xz  --lzma  --zstd  -I, --use-compress-program=PROG
 *
 *   Which files:
 *     -C, --directory=DIR        change to directory DIR
 *         --exclude=PATTERN      exclude files, given as a PATTERN
 *     -X, --exclude-from=FILE    exclude patterns listed in FILE
 *         --exclude-vcs          exclude version control system directories
 *     -T, --files-from=FILE      get names to extract or create from FILE
 *         --null                 names in it end in a 0 byte
 *         --no-recursion         avoid descending automatically in directories
 *         --wildcards            use wildcards for the members to extract or list
 *     -h, --dereference          follow symlinks; archive and dump the files they point to
 *         --one-file-system      stay in local file system when creating archive
 *         --sort=ORDER           directory sorting order: none (default) or name
 *         --remove-files         remove files after adding them to the archive
 *
 *   Names and attributes:
 *         --strip-components=NUMBER  strip NUMBER leading components from file names
 *         --transform, --xform=EXPRESSION  use sed replace EXPRESSION to transform file names
 *         --show-transformed-names   show file or archive names after transformation
 *         --one-top-level[=DIR]  create a subdirectory to extract into
 *     -P, --absolute-names       don't strip leading '/'s from file names
 *         --owner=NAME[:UID]  --group=NAME[:GID]  --numeric-owner  --mode=CHANGES
 *         --mtime=DATE-OR-FILE   set mtime for added files
 *     -m, --touch                don't extract file modified time
 *     -p, --preserve-permissions  extract information about file permissions
 *     -o, --no-same-owner        extract files as yourself
 *     -H, --format=FORMAT        gnu, oldgnu, pax, posix, ustar or v7
 *
 *   Extraction:
 *     -k, --keep-old-files       don't replace existing files, treat them as errors
 *         --skip-old-files       don't replace existing files, silently skip over them
 *         --keep-newer-files     don't replace files that are newer than their copies
 *         --overwrite            overwrite existing files
 *     -O, --to-stdout            extract files to standard output
 *
 *         --totals               print the bytes that were read or written
 *     -v, --verbose              verbosely list files processed
 *         --full-time            print file time to its full resolution
 *     -?, --help                 give this help list
 *         --version              print program version
 */
#include "tar.h"
#include "g_file.h"
#include "g_in.h"
#include "g_mode.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LZMA = 256,
    ZSTD,
    EXCLUDE,
    EXCLUDE_VCS,
    NO_RECURSION,
    NULL_NAMES,
    NO_NULL,
    WILDCARDS,
    NO_WILDCARDS,
    ONE_FILE_SYSTEM,
    SORT,
    REMOVE_FILES,
    STRIP,
    TRANSFORM,
    SHOW_NAMES,
    TOP_LEVEL,
    OWNER,
    GROUP,
    NUMERIC_OWNER,
    MODE,
    MTIME,
    CLAMP,
    SKIP_OLD,
    KEEP_NEWER,
    OVERWRITE,
    FULL_TIME,
    IGNORED,
    IGNORED_VALUE,
    TOTALS,
    IGNORE_FAILED,
    RECURSION,
    IGNORE_CASE,
    ANCHORED,
    NO_ANCHORED,
    REFUSED,
    REFUSED_VALUE,
    FORMAT_POSIX,
    FORMAT_V7
};
static const g_long longs[] = {{"create", 'c', G_NONE},
                               {"append", 'r', G_NONE},
                               {"list", 't', G_NONE},
                               {"update", 'u', G_NONE},
                               {"extract", 'x', G_NONE},
                               {"get", 'x', G_NONE},
                               {"file", 'f', G_REQUIRED},
                               {"auto-compress", 'a', G_NONE},
                               {"gzip", 'z', G_NONE},
                               {"gunzip", 'z', G_NONE},
                               {"ungzip", 'z', G_NONE},
                               {"bzip2", 'j', G_NONE},
                               {"xz", 'J', G_NONE},
                               {"lzma", LZMA, G_NONE},
                               {"zstd", ZSTD, G_NONE},
                               {"use-compress-program", 'I', G_REQUIRED},
                               {"no-auto-compress", IGNORED, G_NONE},
                               {"directory", 'C', G_REQUIRED},
                               {"exclude", EXCLUDE, G_REQUIRED},
                               {"exclude-from", 'X', G_REQUIRED},
                               {"exclude-vcs", EXCLUDE_VCS, G_NONE},
                               {"files-from", 'T', G_REQUIRED},
                               {"null", NULL_NAMES, G_NONE},
                               {"no-null", NO_NULL, G_NONE},
                               {"no-recursion", NO_RECURSION, G_NONE},
                               {"recursion", RECURSION, G_NONE},
                               {"wildcards", WILDCARDS, G_NONE},
                               {"no-wildcards", NO_WILDCARDS, G_NONE},
                               {"wildcards-match-slash", IGNORED, G_NONE},
                               {"dereference", 'h', G_NONE},
                               {"one-file-system", ONE_FILE_SYSTEM, G_NONE},
                               {"sort", SORT, G_REQUIRED},
                               {"remove-files", REMOVE_FILES, G_NONE},
                               {"strip-components", STRIP, G_REQUIRED},
                               {"transform", TRANSFORM, G_REQUIRED},
                               {"xform", TRANSFORM, G_REQUIRED},
                               {"show-transformed-names", SHOW_NAMES, G_NONE},
                               {"show-stored-names", SHOW_NAMES, G_NONE},
                               {"one-top-level", TOP_LEVEL, G_OPTIONAL},
                               {"absolute-names", 'P', G_NONE},
                               {"owner", OWNER, G_REQUIRED},
                               {"group", GROUP, G_REQUIRED},
                               {"numeric-owner", NUMERIC_OWNER, G_NONE},
                               {"mode", MODE, G_REQUIRED},
                               {"mtime", MTIME, G_REQUIRED},
                               {"clamp-mtime", CLAMP, G_NONE},
                               {"touch", 'm', G_NONE},
                               {"preserve-permissions", 'p', G_NONE},
                               {"same-permissions", 'p', G_NONE},
                               {"no-same-permissions", IGNORED, G_NONE},
                               {"same-owner", IGNORED, G_NONE},
                               {"no-same-owner", 'o', G_NONE},
                               {"preserve-order", IGNORED, G_NONE},
                               {"same-order", IGNORED, G_NONE},
                               {"format", 'H', G_REQUIRED},
                               {"posix", FORMAT_POSIX, G_NONE},
                               {"old-archive", FORMAT_V7, G_NONE},
                               {"portability", FORMAT_V7, G_NONE},
                               {"keep-old-files", 'k', G_NONE},
                               {"skip-old-files", SKIP_OLD, G_NONE},
                               {"keep-newer-files", KEEP_NEWER, G_NONE},
                               {"overwrite", OVERWRITE, G_NONE},
                               {"unlink-first", 'U', G_NONE},
                               {"to-stdout", 'O', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"full-time", FULL_TIME, G_NONE},
                               {"ignore-failed-read", IGNORE_FAILED, G_NONE},
                               {"ignore-case", IGNORE_CASE, G_NONE},
                               {"no-ignore-case", IGNORED, G_NONE},
                               {"anchored", ANCHORED, G_NONE},
                               {"no-anchored", NO_ANCHORED, G_NONE},
                               {"ignore-zeros", IGNORED, G_NONE},
                               {"blocking-factor", IGNORED_VALUE, G_REQUIRED},
                               {"record-size", IGNORED_VALUE, G_REQUIRED},
                               {"warning", IGNORED_VALUE, G_REQUIRED},
                               {"checkpoint", IGNORED, G_OPTIONAL},
                               {"totals", TOTALS, G_OPTIONAL},
                               {"quoting-style", IGNORED_VALUE, G_REQUIRED},
                               {"no-overwrite-dir", IGNORED, G_NONE},
                               {"overwrite-dir", IGNORED, G_NONE},
                               {"delay-directory-restore", IGNORED, G_NONE},
                               {"no-xattrs", IGNORED, G_NONE},
                               {"xattrs", IGNORED, G_NONE},
                               {"acls", IGNORED, G_NONE},
                               {"no-acls", IGNORED, G_NONE},
                               {"selinux", IGNORED, G_NONE},
                               {"no-selinux", IGNORED, G_NONE},
                               {"force-local", IGNORED, G_NONE},
                               {"atime-preserve", IGNORED, G_OPTIONAL},
                               {"sparse", IGNORED, G_NONE},
                               {"pax-option", IGNORED_VALUE, G_REQUIRED},
                               {"catenate", REFUSED, G_NONE},
                               {"concatenate", REFUSED, G_NONE},
                               {"delete", REFUSED, G_NONE},
                               {"diff", REFUSED, G_NONE},
                               {"compare", REFUSED, G_NONE},
                               {"test-label", REFUSED, G_NONE},
                               {"multi-volume", REFUSED, G_NONE},
                               {"listed-incremental", REFUSED_VALUE, G_REQUIRED},
                               {"incremental", REFUSED, G_NONE},
                               {"newer", REFUSED_VALUE, G_REQUIRED},
                               {"after-date", REFUSED_VALUE, G_REQUIRED},
                               {"to-command", REFUSED_VALUE, G_REQUIRED},
                               {"interactive", REFUSED, G_NONE},
                               {"verify", REFUSED, G_NONE},
                               {"compress", REFUSED, G_NONE},
                               {"backup", REFUSED, G_OPTIONAL},
                               {"suffix", REFUSED_VALUE, G_REQUIRED},
                               {0}};
static const char shorts[] = "crtuxf:azjJI:C:X:T:hPmpoH:kUOvwWAdZMS?iBb:lsRnN:g:GV:K:L:F:";

void tar_error(tar_options *o, int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = g_alloc((size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    if (error)
        g_warn_errno(error, "%s", text);
    else
        g_warn("%s", text);
    free(text);
    o->failed = true;
}

void tar_fatal(int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = g_alloc((size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    if (error) g_die_errno(2, error, "%s", text);
    g_die(2, "%s", text);
}

static void add_operand(tar_options *o, const char *name, const char *directory) {
    if (o->operand_count == o->operand_cap)
        o->operands = g_more(o->operands, &o->operand_cap, sizeof *o->operands);
    o->operands[o->operand_count++] = (tar_operand){name, directory, false};
}

static void set_action(tar_options *o, char action) {
    if (o->action && o->action != action) {
        g_warn(
            "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
        g_try_help(2);
    }
    o->action = action;
}

static void set_codec(tar_options *o, enum codec codec) {
    if (o->codec_given && o->codec != codec) tar_fatal(0, "Conflicting compression options");
    o->codec = codec;
    o->codec_given = true;
}

/* -I PROGRAM: one of those that are built in, perhaps with a level. */
static void set_program(tar_options *o, const char *command) {
    size_t len = strcspn(command, " ");
    char *program = g_copy_bytes(command, len);
    const char *name = g_last_part(program);
    static const struct {
        const char *name;
        enum codec codec;
    } known[] = {{"gzip", CODEC_GZIP},    {"pigz", CODEC_GZIP},  {"bzip2", CODEC_BZIP2},
                 {"pbzip2", CODEC_BZIP2}, {"xz", CODEC_XZ},      {"lzma", CODEC_LZMA},
                 {"zstd", CODEC_ZSTD},    {"zstdmt", CODEC_ZSTD}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) != 0) continue;
        set_codec(o, known[i].codec);
        for (const char *p = command + len; *p; p++)
            if (*p == '-' && isdigit((unsigned char)p[1])) o->level = (int)strtol(p + 1, NULL, 10);
        free(program);
        return;
    }
    tar_fatal(0, "%s: other programs that compress are not supported; use a pipe", command);
}

/* NAME, NAME:ID or ID, as --owner and --group want them. */
static void set_owner(const char *text, const char **name, int64_t *id) {
    const char *colon = strchr(text, ':');
    char *end;
    long long number = strtoll(colon ? colon + 1 : text, &end, 10);
    bool numeric = *(colon ? colon + 1 : text) && !*end;
    if (numeric) *id = number;
    if (colon)
        *name = g_copy_bytes(text, (size_t)(colon - text));
    else if (!numeric)
        *name = text;
    else
        *name = "";
    if (!numeric && !colon && strcmp(text, "root") == 0) *id = 0;
}

static void set_mtime(tar_options *o, const char *text) {
    g_moment when;
    struct stat st;
    if (*text == '/' || *text == '.') {
        if (stat(text, &st) < 0) tar_fatal(errno, "%s: Cannot stat", text);
        o->mtime = (int64_t)st.st_mtim.tv_sec;
    } else if (g_date_parse(text, g_now(), &when)) {
        o->mtime = when.seconds;
    } else {
        tar_fatal(0, "Invalid mtime specification: %s",
                  g_quote(text)); /* GNU's words differ by the parser */
    }
    o->mtime_given = true;
}

static void set_format(tar_options *o, const char *name) {
    static const g_word words[] = {{"gnu", TAR_GNU},   {"oldgnu", TAR_GNU},  {"pax", TAR_PAX},
                                   {"posix", TAR_PAX}, {"ustar", TAR_USTAR}, {"v7", TAR_V7},
                                   {NULL, 0}};
    for (const g_word *w = words; w->word; w++)
        if (strcmp(w->word, name) == 0) {
            o->format = (enum tar_format)w->value;
            return;
        }
    g_warn("%s: Invalid archive format", name);
    g_try_help(2);
}

/* The lines of a file: names or patterns. */
static void each_line(tar_options *o, const char *file, bool patterns) {
    int fd = g_open_input(file);
    if (fd < 0) tar_fatal(0, "Error is not recoverable: exiting now");
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, o->null_names && !patterns ? '\0' : '\n');
    while (g_read_line(&in, &line)) {
        if (line.len == 0) continue;
        char *text = g_copy_bytes(line.s, line.len);
        if (patterns) {
            g_text_add(&o->exclude, text, line.len + 1);
            free(text);
        } else if (!o->null_names && strncmp(text, "-C", 2) == 0) {
            add_operand(o, NULL, text + 2 + strspn(text + 2, " "));
        } else {
            if (!o->null_names)
                while (line.len > 1 && text[line.len - 1] == '/') text[--line.len] = '\0';
            add_operand(o, text, NULL);
        }
    }
    g_reader_free(&in);
    g_close_input(fd);
}

static void exclude_vcs(tar_options *o) {
    static const char names[] =
        "CVS\0.cvsignore\0RCS\0SCCS\0.git\0.gitignore\0.gitattributes\0.gitmodules\0.svn\0.arch-"
        "ids\0{arch}\0=RELEASE-ID\0"
        "=meta-update\0=update\0.bzr\0.bzrignore\0.bzrtags\0.hg\0.hgignore\0.hgtags\0_darcs\0";
    g_text_add(&o->exclude, names, sizeof names - 1);
}

static void refuse(const g_options *g, int option) {
    if (g->name) tar_fatal(0, "--%s is not supported", g->name);
    tar_fatal(0, "-%c is not supported", option);
}

static void other_option(tar_options *o, int option, const g_options *g) {
    const char *arg = g->arg;
    switch (option) {
    case LZMA: set_codec(o, CODEC_LZMA); break;
    case ZSTD: set_codec(o, CODEC_ZSTD); break;
    case EXCLUDE: g_text_add(&o->exclude, arg, strlen(arg) + 1); break;
    case EXCLUDE_VCS: exclude_vcs(o); break;
    case NO_RECURSION: o->no_recursion = true; break;
    case RECURSION: o->no_recursion = false; break;
    case NULL_NAMES: o->null_names = true; break;
    case NO_NULL: o->null_names = false; break;
    case WILDCARDS: o->wildcards = true; break;
    case NO_WILDCARDS: o->wildcards = false; break;
    case ONE_FILE_SYSTEM: o->one_file_system = true; break;
    case SORT:
        if (strcmp(arg, "name") == 0)
            o->sort = true;
        else if (strcmp(arg, "none") != 0 && strcmp(arg, "inode") != 0)
            tar_fatal(0, "invalid argument %s for %s", g_quote(arg), g_quote("--sort"));
        break;
    case REMOVE_FILES: o->remove_files = true; break;
    case STRIP:
        if (g_parse_unsigned(arg, "", &o->strip, NULL) != G_NUMBER_OK)
            tar_fatal(0, "%s: Invalid number of elements", g_quotef(arg));
        break;
    case TRANSFORM: tar_add_transform(o, arg); break;
    case SHOW_NAMES: o->show_transformed = true; break;
    case TOP_LEVEL: o->top_level = arg ? arg : ""; break;
    case OWNER: set_owner(arg, &o->owner, &o->owner_id); break;
    case GROUP: set_owner(arg, &o->group, &o->group_id); break;
    case NUMERIC_OWNER: o->numeric_owner = true; break;
    case MODE:
        if (!(o->mode = g_mode_parse(arg))) tar_fatal(0, "Invalid mode given on option");
        break;
    case MTIME: set_mtime(o, arg); break;
    case CLAMP: o->clamp = true; break;
    case SKIP_OLD: o->skip_old = true; break;
    case KEEP_NEWER: o->keep_newer = true; break;
    case OVERWRITE: o->overwrite = true; break;
    case FULL_TIME: o->full_time = true; break;
    case IGNORE_FAILED: o->ignore_failed = true; break;
    case IGNORE_CASE: o->ignore_case = true; break;
    case ANCHORED: o->anchored = true; break;
    case NO_ANCHORED: o->anchored = false; break;
    case FORMAT_POSIX: o->format = TAR_PAX; break;
    case FORMAT_V7: o->format = TAR_V7; break;
    case REFUSED:
    case REFUSED_VALUE: refuse(g, option); break;
    }
}

static void one_option(tar_options *o, int option, const g_options *g) {
    switch (option) {
    case 'c':
    case 'r':
    case 't':
    case 'u':
    case 'x': set_action(o, (char)option); break;
    case 'f': o->archive = g->arg; break;
    case 'a': o->auto_codec = true; break;
    case 'z': set_codec(o, CODEC_GZIP); break;
    case 'j': set_codec(o, CODEC_BZIP2); break;
    case 'J': set_codec(o, CODEC_XZ); break;
    case 'I': set_program(o, g->arg); break;
    case 'C': add_operand(o, NULL, g->arg); break;
    case 'X': each_line(o, g->arg, true); break;
    case 'T': each_line(o, g->arg, false); break;
    case 'h': o->dereference = true; break;
    case 'P': o->absolute_names = true; break;
    case 'm': o->no_mtime = true; break;
    case 'p': o->same_permissions = true; break;
    case 'o': o->no_same_owner = true; break;
    case 'H': set_format(o, g->arg); break;
    case 'k': o->keep_old = true; break;
    case 'U': o->unlink_first = true; break;
    case 'O': o->to_stdout = true; break;
    case 'v': o->verbose++; break;
    case TOTALS:
        if (g->arg) g_die(2, "--totals at a signal is not supported");
        o->totals = true;
        break;
    case '?': g_outs(g_help()); g_exit(0);
    case 'S':
    case 'i':
    case 'B':
    case 'b':
    case 'l':
    case 's':
    case 'n':
    case 'R': break;
    case 'A':
    case 'd':
    case 'M':
    case 'g':
    case 'G':
    case 'N':
    case 'V':
    case 'K':
    case 'L':
    case 'F':
    case 'w':
    case 'W':
    case 'Z': refuse(g, option); break;
    default: other_option(o, option, g);
    }
}

/* "tar czf a.tgz x": a first argument without a dash is letters, whose values follow in their
 * order. */
static char **old_style(int *argc, char **argv) {
    if (*argc < 2 || argv[1][0] == '-' || !*argv[1]) return argv;
    const char *letters = argv[1];
    size_t count = strlen(letters), n = 0;
    char **made = g_resize(NULL, (size_t)*argc + count + 1, sizeof *made);
    int next = 2;
    made[n++] = argv[0];
    for (size_t i = 0; i < count; i++) {
        const char *known = strchr(shorts, letters[i]);
        char *option = g_alloc(3);
        sprintf(option, "-%c", letters[i]);
        made[n++] = option;
        if (!known || known[1] != ':') continue;
        if (next == *argc) {
            g_warn("Old option '%c' requires an argument.", letters[i]);
            g_try_help(2);
        }
        made[n++] = argv[next++];
    }
    while (next < *argc) made[n++] = argv[next++];
    made[n] = NULL;
    *argc = (int)n;
    return made;
}

/* --one-top-level without a name: the archive's, without its endings. */
static void name_top_level(tar_options *o) {
    static const char *const ends[] = {".tar.gz",   ".tar.bz2", ".tar.xz", ".tar.zst",
                                       ".tar.lzma", ".tgz",     ".tbz2",   ".tbz",
                                       ".txz",      ".tzst",    ".tar"};
    char *name = g_base(o->archive);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strlen(name), n = strlen(ends[i]);
        if (len <= n || strcmp(name + len - n, ends[i]) != 0) continue;
        name[len - n] = '\0';
        break;
    }
    o->top_level = name;
}

/* Operands are taken in their place among the options: a -C is for those behind it. */
static void read_arguments(tar_options *o, int argc, char **argv) {
    g_options g;
    char *stops = g_alloc(sizeof shorts + 1);
    sprintf(stops, "+%s", shorts);
    int from = 0;
    bool only_operands = false;
    while (from < argc - 1) {
        g = g_options_of(argc - from, argv + from, stops, longs);
        for (int option; (option = g_option(&g)) >= 0;) one_option(o, option, &g);
        int at = from + g.at;
        if (at > from + 1 && strcmp(argv[at - 1], "--") == 0) only_operands = true;
        if (at >= argc) break;
        do add_operand(o, argv[at++], NULL);
        while (only_operands && at < argc);
        from = at - 1;
    }
}

static void warn_of_wildcards(const tar_options *o) {
    for (size_t i = 0; i < o->operand_count && !o->wildcards; i++) {
        if (!o->operands[i].name || !strpbrk(o->operands[i].name, "*?[")) continue;
        g_warn("Pattern matching characters used in file names");
        g_warn("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this "
               "warning");
        return;
    }
}

int tar_main(int argc, char **argv) {
    tar_options o = {.level = -1, .owner_id = -1, .group_id = -1};
    g_set_failure(2);
    g_begin("tar", g_help());
    g_set_hint("Try 'tar --help' or 'tar --usage' for more information.");
    argv = old_style(&argc, argv);
    g_set_failure(64); /* sysexits' EX_USAGE, for unknown options */
    read_arguments(&o, argc, argv);
    g_set_failure(2);
    if (!o.action) {
        g_warn("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
        g_try_help(2);
    }
    if (!o.archive) o.archive = getenv("TAPE") ? getenv("TAPE") : "-";
    if (o.top_level && !*o.top_level) name_top_level(&o);
    bool any = false;
    for (size_t i = 0; i < o.operand_count; i++) any |= o.operands[i].name != NULL;
    if (o.action == 'c' && !any) {
        g_warn("Cowardly refusing to create an empty archive");
        g_try_help(2);
    }
    if (o.action == 't' || o.action == 'x') warn_of_wildcards(&o);
    if (o.action == 't')
        tar_list(&o);
    else if (o.action == 'x')
        tar_extract(&o);
    else
        tar_create(&o);
    for (size_t i = 0; i < o.operand_count && (o.action == 't' || o.action == 'x'); i++)
        if (o.operands[i].name && !o.operands[i].found)
            tar_error(&o, 0, "%s: Not found in archive", o.operands[i].name);
    if (o.failed) g_die(2, "Exiting with failure status due to previous errors");
    return 0;
}
