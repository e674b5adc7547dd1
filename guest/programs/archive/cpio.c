/*
 * cpio.c: archives of the files that standard input names.
 *
 * This file reads the options; cpio.h maps the others. Deviations: tar's formats, devices on other
 * machines, several volumes, -A, -r, -R, -b, -s and -S are not there.
 *
 * help cpio:
 *   Usage: cpio [OPTION...] [destination-directory]
 *   Copy files to and from archives.
 *
 *   Examples:
 *     # Copy files named in name-list to the archive
 *     cpio -o < name-list [> archive]
 *     # Extract files from the archive
 *     cpio -i [< archive]
 *     # Copy files named in name-list to destination-directory
 *     cpio -p destination-directory < name-list
 *
 *   Main operation mode:
 *     -i, --extract              extract files from an archive (copy-in)
 *     -o, --create               create the archive (copy-out)
 *     -p, --pass-through         copy files to a directory (copy-pass)
 *     -t, --list                 print a table of contents of the input
 *
 *   In any mode:
 *         --block-size=N         the archive is a multiple of N * 512 bytes
 *     -B                         the same of 5120 bytes
 *     -c                         use the portable (ASCII) format, as -H odc
 *     -C, --io-size=NUMBER       the archive is a multiple of NUMBER bytes
 *     -D, --directory=DIR        change to directory DIR
 *         --force-local          accepted, without effect
 *     -H, --format=FORMAT        bin (usual), odc, newc or crc
 *         --quiet                do not print the number of blocks copied
 *     -v, --verbose              list the files processed; with -t as ls -l does
 *     -V, --dot                  print a "." for each file processed
 *     -W, --warning=FLAG         accepted, without effect
 *
 *   With -i and -o:
 *     -F, --file=FILE            use this FILE instead of standard input or output
 *         --absolute-filenames   do not strip anything from the names (usual)
 *         --no-absolute-filenames  create all files relative to the current directory
 *
 *   With -i:
 *     -f, --nonmatching          only those that match none of the patterns
 *     -I FILE                    the archive
 *     -n, --numeric-uid-gid      show numeric owners
 *         --to-stdout            extract files to standard output
 *     -E, --pattern-file=FILE    read additional patterns from FILE
 *
 *   With -o:
 *         --reproducible, --device-independent  --ignore-devno --renumber-inodes
 *         --ignore-devno         don't store device numbers
 *         --renumber-inodes      count the inodes from 1
 *     -O FILE                    the archive
 *
 *   With -o and -p:
 *     -0, --null                 names end in NUL instead of newline
 *     -a, --reset-access-time    accepted, without effect
 *     -L, --dereference          copy the files that symbolic links point to
 *
 *   With -p:
 *     -l, --link                 link files instead of copying them, when possible
 *
 *   With -i and -p:
 *     -d, --make-directories     create leading directories where needed
 *     -m, --preserve-modification-time  retain modification times
 *         --no-preserve-owner    do not change the ownership of the files
 *         --sparse               accepted, without effect
 *     -u, --unconditional        replace all files unconditionally
 *
 *     -?, --help                 give this help list
 *         --version              print program version
 */
#include "cpio.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 256,
    ABSOLUTE,
    RELATIVE,
    TO_STDOUT,
    QUIET,
    REPRODUCIBLE,
    IGNORE_DEVNO,
    RENUMBER,
    NO_OWNER,
    NOTHING
};

static const g_long longs[] = {{"extract", 'i', G_NONE},
                               {"create", 'o', G_NONE},
                               {"pass-through", 'p', G_NONE},
                               {"list", 't', G_NONE},
                               {"block-size", BLOCK_SIZE, G_REQUIRED},
                               {"io-size", 'C', G_REQUIRED},
                               {"directory", 'D', G_REQUIRED},
                               {"force-local", NOTHING, G_NONE},
                               {"format", 'H', G_REQUIRED},
                               {"quiet", QUIET, G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"dot", 'V', G_NONE},
                               {"warning", 'W', G_REQUIRED},
                               {"file", 'F', G_REQUIRED},
                               {"absolute-filenames", ABSOLUTE, G_NONE},
                               {"no-absolute-filenames", RELATIVE, G_NONE},
                               {"nonmatching", 'f', G_NONE},
                               {"numeric-uid-gid", 'n', G_NONE},
                               {"to-stdout", TO_STDOUT, G_NONE},
                               {"pattern-file", 'E', G_REQUIRED},
                               {"reproducible", REPRODUCIBLE, G_NONE},
                               {"device-independent", REPRODUCIBLE, G_NONE},
                               {"ignore-devno", IGNORE_DEVNO, G_NONE},
                               {"renumber-inodes", RENUMBER, G_NONE},
                               {"null", '0', G_NONE},
                               {"reset-access-time", 'a', G_NONE},
                               {"dereference", 'L', G_NONE},
                               {"link", 'l', G_NONE},
                               {"make-directories", 'd', G_NONE},
                               {"preserve-modification-time", 'm', G_NONE},
                               {"no-preserve-owner", NO_OWNER, G_NONE},
                               {"sparse", NOTHING, G_NONE},
                               {"unconditional", 'u', G_NONE},
                               {0}};

void cpio_error(cpio_options *o, int error, const char *format, ...) {
    char text[9000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (error)
        g_warn_errno(error, "%s", text);
    else
        g_warn("%s", text);
    o->status = 2;
}

static void say(const char *text, size_t len) {
    g_out_flush();
    if (write(STDERR_FILENO, text, len) < 0) return;
}

void cpio_show(const cpio_options *o, const char *name) {
    if (o->dots)
        say(".", 1);
    else if (o->verbose) {
        g_text line = {0};
        g_text_adds(&line, name);
        g_text_addc(&line, '\n');
        say(line.s, line.len);
        g_text_free(&line);
    }
}

void cpio_show_blocks(const cpio_options *o, uint64_t bytes) {
    if (o->dots) say("\n", 1);
    if (o->quiet) return;
    unsigned long long blocks = (bytes + 511) / 512;
    g_text line = {0};
    g_text_addf(&line, "%llu block%s\n", blocks, blocks == 1 ? "" : "s");
    say(line.s, line.len);
    g_text_free(&line);
}

char *cpio_next_name(const cpio_options *o, g_reader *in) {
    g_line line;
    while (g_read_line(in, &line)) {
        if (line.len == 0) {
            g_warn("blank line ignored");
            continue;
        }
        const char *s = line.s;
        size_t n = line.len;
        while (n > 1 && s[n - 1] == '/') n--;
        while (o->mode == 'o' && n > 2 && s[0] == '.' && s[1] == '/')
            for (s += 2, n -= 2; n > 1 && *s == '/'; s++) n--;
        return g_copy_bytes(s, n);
    }
    return NULL;
}

static void add_pattern(cpio_options *o, const char *text) {
    if (o->pattern_count == o->pattern_cap)
        o->patterns = g_more(o->patterns, &o->pattern_cap, sizeof *o->patterns);
    o->patterns[o->pattern_count++] = g_copy_string(text);
}

static void read_patterns(cpio_options *o, const char *name) {
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(2, errno, "%s", name);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *text = g_copy_bytes(line.s, line.len);
        add_pattern(o, text);
        free(text);
    }
    g_reader_free(&in);
    close(fd);
}

static enum cpio_format format_named(const char *name) {
    static const struct {
        const char *name;
        enum cpio_format format;
    } known[] = {{"crc", CPIO_CRC}, {"CRC", CPIO_CRC}, {"newc", CPIO_NEWC}, {"NEWC", CPIO_NEWC},
                 {"odc", CPIO_ODC}, {"ODC", CPIO_ODC}, {"bin", CPIO_BIN},   {"BIN", CPIO_BIN}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].format;
    g_set_failure(2);
    g_usage("invalid archive format `%s'; valid formats are:\ncrc newc odc bin (all-caps also "
            "recognized)",
            name);
}

static size_t block_size(const char *text, uint64_t unit) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || end == text || *end || n == 0 || n > (1u << 30) / unit)
        g_usage("invalid block size");
    return (size_t)(n * unit);
}

/* Wrong operands are another failure than wrong options. */
static _Noreturn void usage_error(const char *text) {
    g_set_failure(2);
    g_usage("%s", text);
}

static void set_mode(cpio_options *o, int mode) {
    if (mode == 't' && (!o->mode || o->mode == 'i'))
        o->mode = 't';
    else if (mode == 'i' && o->mode == 't')
        return;
    else if (o->mode)
        usage_error("Mode already defined");
    else
        o->mode = (char)mode;
}

static void set_option(cpio_options *o, int option, const char *arg) {
    switch (option) {
    case 'i':
    case 'o':
    case 'p':
    case 't': set_mode(o, option); break;
    case BLOCK_SIZE: o->block = block_size(arg, 512); break;
    case 'B': o->block = 5120; break;
    case 'C': o->block = block_size(arg, 1); break;
    case 'c': o->format = CPIO_ODC; break;
    case 'D': o->directory = arg; break;
    case 'H': o->format = format_named(arg); break;
    case QUIET: o->quiet = true; break;
    case 'v': o->verbose = true; break;
    case 'V': o->dots = true; break;
    case 'F':
    case 'I':
    case 'O': o->archive = arg; break;
    case RELATIVE: o->relative_names = true; break;
    case ABSOLUTE: o->relative_names = false; break;
    case 'f': o->nonmatching = true; break;
    case 'n': o->numeric = true; break;
    case TO_STDOUT: o->to_stdout = true; break;
    case 'E': read_patterns(o, arg); break;
    case REPRODUCIBLE: o->renumber = o->no_device = true; break;
    case IGNORE_DEVNO: o->no_device = true; break;
    case RENUMBER: o->renumber = true; break;
    case '0': o->null_names = true; break;
    case 'L': o->dereference = true; break;
    case 'l': o->link_files = true; break;
    case 'd': o->make_directories = true; break;
    case 'm': o->keep_time = true; break;
    case NO_OWNER: o->no_owner = true; break;
    case 'u': o->unconditional = true; break;
    case '?': g_outs(g_help()); g_exit(0);
    }
}

int cpio_main(int argc, char **argv) {
    cpio_options options = {.block = 512}, *o = &options;
    g_set_failure(64);
    g_set_hint("Try 'cpio --help' or 'cpio --usage' for more information.");
    g_options parser = g_options_of(argc, argv, "+0aBcC:dD:E:fF:H:iI:lLmnoO:ptuvVW:?", longs);
    for (int option; (option = g_option(&parser)) >= 0;) set_option(o, option, parser.arg);
    g_set_failure(2);
    int left = argc - parser.at;
    if (!o->mode) usage_error("You must specify one of -oipt options.");
    if (o->mode == 'p' && left == 0) usage_error("Not enough arguments");
    if ((o->mode == 'p' && left > 1) || (o->mode == 'o' && left > 0))
        usage_error("Too many arguments");
    if (o->mode == 'p')
        o->destination = argv[parser.at];
    else
        for (int i = 0; i < left; i++) add_pattern(o, argv[parser.at + i]);
    if (geteuid() != 0) o->no_owner = true;
    if (o->mode == 'p')
        cpio_pass(o);
    else if (o->mode == 'o')
        cpio_create(o);
    else
        cpio_extract(o);
    return o->status;
}
