/*
 * bzip2.c: compresses files in the bzip2 format.
 *
 * help bzip2 bunzip2 bzcat:
 *   usage: @NAME@ [flags and input files in any order]
 *
 *     -h --help           print this message
 *     -d --decompress     force decompression
 *     -z --compress       force compression
 *     -k --keep           keep (don't delete) input files
 *     -f --force          overwrite existing output files
 *     -t --test           test compressed file integrity
 *     -c --stdout         output to standard out
 *     -q --quiet          suppress noncritical error messages
 *     -v --verbose        be verbose
 *     -V --version        display software version
 *     -s --small          accepted, without effect
 *     -1 .. -9            set block size to 100k .. 900k
 *     --fast, --best      alias for -1, -9
 *
 *   If no file names are given, @NAME@ compresses or decompresses from standard input to standard
 *   output. bunzip2 decompresses, bzcat to standard output.
 */
#include "files.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <stdio.h>
#include <string.h>

static int bad(const files_report *r) {
    switch (r->result->error) {
    case UNPACK_READ:
        g_warn("I/O or other error, bailing out.  Possible reason follows.");
        g_warn_errno(r->number, "%s", r->name);
        return 1;
    case UNPACK_FORMAT: g_warn("%s is not a bzip2 file.", r->name); return 2;
    case UNPACK_MEMORY: g_warn("couldn't allocate enough memory"); return 1;
    case UNPACK_EOF:
        fprintf(stderr,
                "\n%s: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* "
                "reason follows.\n"
                "%s: Success\n",
                g_name(), g_name());
        break;
    default: fprintf(stderr, "\n%s: Data integrity error when decompressing.\n", g_name()); break;
    }
    fprintf(stderr,
            "\tInput file = %s, output file = %s\n\n"
            "It is possible that the compressed file(s) have become corrupted.\n"
            "You can use the -tvv option to test integrity of such files.\n\n"
            "You can use the `bzip2recover' program to attempt to recover\n"
            "data from undamaged sections of corrupted files.\n\n",
            r->name, r->output ? r->output : "(stdout)");
    return 2;
}

/* Names are filled up to the width of "(stdin)". */
static int pad(const char *name) {
    return strlen(name) < 7 ? 7 - (int)strlen(name) : 0;
}

static void done(const single_options *s, const files_report *r) {
    const single_result *x = r->result;
    if (!s->verbose) return;
    if (s->decompress) {
        fprintf(stderr, "  %s:%*s %s\n", r->name, pad(r->name), "", s->test ? "ok" : "done");
    } else if (x->taken == 0) {
        fprintf(stderr, "  %s:%*s  no data compressed.\n", r->name, pad(r->name), "");
    } else {
        double in = (double)x->taken, out = (double)x->given;
        fprintf(stderr, "  %s:%*s %6.3f:1, %6.3f bits/byte, %5.2f%% saved, %llu in, %llu out.\n",
                r->name, pad(r->name), "", in / out, 8 * out / in, 100 * (1 - out / in),
                (unsigned long long)x->taken, (unsigned long long)x->given);
    }
}

static int say(const single_options *s, const files_report *r) {
    switch (r->event) {
    case FILES_NO_INPUT:
        g_warn("Can't open input %s%s: %s.", s->test ? "" : "file ", r->name, strerror(r->number));
        return 1;
    case FILES_DIRECTORY: g_warn("Input file %s is a directory.", r->name); return 1;
    case FILES_HAS_SUFFIX:
        g_warn("Input file %s already has %s suffix.", r->name, r->output);
        return 1;
    case FILES_NO_SUFFIX:
        if (!s->quiet) g_warn("Can't guess original name for %s -- using %s", r->name, r->output);
        return 0;
    case FILES_EXISTS: g_warn("Output file %s already exists.", r->output); return 1;
    case FILES_NO_OUTPUT:
        g_warn("Can't create output file %s: %s.", r->output, strerror(r->number));
        return 1;
    case FILES_WRITE:
        fprintf(stderr,
                "\n%s: I/O or other error, bailing out.  Possible reason follows.\n"
                "%s: %s\n\tInput file = %s, output file = %s\n",
                g_name(), g_name(), strerror(r->number), r->name,
                r->output ? r->output : "(stdout)");
        return 1;
    case FILES_BAD: return bad(r);
    case FILES_GARBAGE:
        if (!s->quiet)
            fprintf(stderr, "\n%s: %s: trailing garbage after EOF ignored\n", g_name(), r->name);
        return 0;
    case FILES_DONE: done(s, r); return 0;
    }
    return 0;
}

static const g_long longs[] = {{"decompress", 'd', G_NONE}, {"compress", 'z', G_NONE},
                               {"keep", 'k', G_NONE},       {"force", 'f', G_NONE},
                               {"test", 't', G_NONE},       {"stdout", 'c', G_NONE},
                               {"quiet", 'q', G_NONE},      {"verbose", 'v', G_NONE},
                               {"version", 'V', G_NONE},    {"license", 'L', G_NONE},
                               {"small", 's', G_NONE},      {"fast", '1', G_NONE},
                               {"best", '9', G_NONE},       {0}};

int bzip2_main(int argc, char **argv) {
    static const char *const suffixes[][2] = {
        {".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}, {NULL, NULL}};
    files_job job = {.codec = CODEC_BZIP2,
                     .s = {.level = -1, .suffix = ".bz2"},
                     .stdin_name = "(stdin)",
                     .suffixes = suffixes,
                     .guess = ".out",
                     .say = say};
    const char *name = g_last_part(g_name());
    job.s.decompress = strcmp(name, "bzip2") != 0;
    job.s.to_stdout = strcmp(name, "bzcat") == 0;
    g_options o = g_options_of(argc, argv, "dzkftcqvVLsh123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (single_level(option, &job.s.level)) continue;
        switch (option) {
        case 'd': job.s.decompress = true; break;
        case 'z': job.s.decompress = false; break;
        case 'k': job.s.keep = true; break;
        case 'f': job.s.force = true; break;
        case 't': job.s.test = job.s.decompress = true; break;
        case 'c': job.s.to_stdout = true; break;
        case 'q': job.s.quiet = true; break;
        case 'v': job.s.verbose = true; break;
        case 'V':
        case 'L': g_print_version(); return 0;
        case 'h': g_outs(g_help()); return 0;
        }
    }
    return files_run(&job, argc - o.at, argv + o.at);
}
