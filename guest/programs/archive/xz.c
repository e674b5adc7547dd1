/*
 * xz.c: compresses files in the xz format, and in the older one of lzma.
 *
 * Left out: --list, threads (accepted, without effect), filter chains.
 *
 * help xz unxz xzcat lzma unlzma lzcat:
 *   Usage: @NAME@ [OPTION]... [FILE]...
 *   Compress or decompress FILEs in the .xz format.
 *
 *     -z, --compress      force compression
 *     -d, --decompress    force decompression
 *     -t, --test          test compressed file integrity
 *     -k, --keep          keep (don't delete) input files
 *     -f, --force         force overwrite of output file
 *     -c, --stdout        write to standard output and don't delete input files
 *     -0 ... -9           compression preset; default is 6
 *     -e, --extreme       accepted, without effect
 *     -T, --threads=NUM   accepted, without effect
 *     -F, --format=FMT    xz, lzma or auto
 *     -S, --suffix=.SUF   use the suffix .SUF on compressed files
 *     -q, --quiet         suppress warnings
 *     -v, --verbose       be verbose
 *     -h, --help          display this help and exit
 *     -V, --version       display the version number and exit
 *
 *   With no FILE, or when FILE is -, read standard input.
 */
#include "files.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <stdio.h>
#include <string.h>

static void put_size(uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double amount = (double)bytes;
    size_t unit = 0;
    while (amount >= 10000 && unit < 3) {
        amount /= 1024;
        unit++;
    }
    if (unit == 0)
        fprintf(stderr, "%llu B", (unsigned long long)bytes);
    else
        fprintf(stderr, "%.1f %s", amount, units[unit]);
}

static int say(const single_options *s, const files_report *r) {
    static const char *const texts[] = {[UNPACK_FORMAT] = "File format not recognized",
                                        [UNPACK_DATA] = "Compressed data is corrupt",
                                        [UNPACK_LENGTH] = "Compressed data is corrupt",
                                        [UNPACK_CRC] = "Compressed data is corrupt",
                                        [UNPACK_EOF] = "Unexpected end of input",
                                        [UNPACK_MEMORY] = "Memory usage limit reached"};
    switch (r->event) {
    case FILES_NO_INPUT: g_warn_errno(r->number, "%s", r->name); return 1;
    case FILES_DIRECTORY: g_warn("%s: Is a directory, skipping", r->name); return 2;
    case FILES_HAS_SUFFIX:
        g_warn("%s: File already has `%s' suffix, skipping", r->name, r->output);
        return 2;
    case FILES_NO_SUFFIX: g_warn("%s: Filename has an unknown suffix, skipping", r->name); return 2;
    case FILES_EXISTS:
    case FILES_NO_OUTPUT: g_warn_errno(r->number, "%s", r->output); return 1;
    case FILES_WRITE:
        g_warn_errno(r->number, "%s: Write error", r->output ? r->output : "(stdout)");
        return 1;
    case FILES_BAD:
        if (r->result->error == UNPACK_READ)
            g_warn_errno(r->number, "%s: Read error", r->name);
        else if (r->result->error == UNPACK_EOF && r->result->taken == 0)
            g_warn("%s: %s", r->name, texts[UNPACK_FORMAT]);
        else
            g_warn("%s: %s", r->name, texts[r->result->error]);
        return 1;
    case FILES_GARBAGE: return 0;
    case FILES_DONE: {
        if (!s->verbose) return 0;
        uint64_t packed = s->decompress ? r->result->taken : r->result->given,
                 plain = s->decompress ? r->result->given : r->result->taken;
        fprintf(stderr, "%s: ", r->name);
        put_size(packed);
        fputs(" / ", stderr);
        put_size(plain);
        fprintf(stderr, " = %.3f\n", plain ? (double)packed / (double)plain : 0.0);
        return 0;
    }
    }
    return 0;
}

enum { LIST = 256 };
static const g_long longs[] = {{"compress", 'z', G_NONE},     {"decompress", 'd', G_NONE},
                               {"uncompress", 'd', G_NONE},   {"test", 't', G_NONE},
                               {"list", LIST, G_NONE},        {"keep", 'k', G_NONE},
                               {"force", 'f', G_NONE},        {"stdout", 'c', G_NONE},
                               {"to-stdout", 'c', G_NONE},    {"extreme", 'e', G_NONE},
                               {"fast", '0', G_NONE},         {"best", '9', G_NONE},
                               {"threads", 'T', G_REQUIRED},  {"format", 'F', G_REQUIRED},
                               {"suffix", 'S', G_REQUIRED},   {"check", 'C', G_REQUIRED},
                               {"memlimit", 'M', G_REQUIRED}, {"quiet", 'q', G_NONE},
                               {"verbose", 'v', G_NONE},      {"no-warn", 'Q', G_NONE},
                               {"version", 'V', G_NONE},      {0}};

static void set_lzma(files_job *job) {
    job->codec = CODEC_LZMA;
    if (strcmp(job->s.suffix, ".xz") == 0) job->s.suffix = ".lzma";
}

int xz_main(int argc, char **argv) {
    static const char *const suffixes[][2] = {
        {".xz", ""}, {".txz", ".tar"}, {".lzma", ""}, {".tlz", ".tar"}, {NULL, NULL}};
    files_job job = {.codec = CODEC_XZ,
                     .s = {.level = -1, .suffix = ".xz"},
                     .stdin_name = "(stdin)",
                     .suffixes = suffixes,
                     .say = say};
    const char *name = g_last_part(g_name());
    job.s.decompress = strncmp(name, "un", 2) == 0 || strstr(name, "cat");
    job.s.to_stdout = strstr(name, "cat") != NULL;
    if (strncmp(name, "lz", 2) == 0 || strstr(name, "unlzma")) set_lzma(&job);
    char line[160];
    snprintf(line, sizeof line, "%.40s: Try `%.40s --help' for more information.", g_name(),
             g_name());
    g_set_hint(line);
    g_options o = g_options_of(argc, argv, "zdtlkfcehT:F:S:C:M:qvQV0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (single_level(option, &job.s.level)) continue;
        switch (option) {
        case 'z': job.s.decompress = false; break;
        case 'd': job.s.decompress = true; break;
        case 't': job.s.test = job.s.decompress = true; break;
        case 'l':
        case LIST: g_die(1, "--list is not supported; use -tv for sizes");
        case 'k': job.s.keep = true; break;
        case 'f': job.s.force = true; break;
        case 'c': job.s.to_stdout = true; break;
        case 'F':
            if (strcmp(o.arg, "lzma") == 0 || strcmp(o.arg, "alone") == 0)
                set_lzma(&job);
            else if (strcmp(o.arg, "xz") != 0 && strcmp(o.arg, "auto") != 0)
                g_die(1, "%s: Unknown file format type", o.arg);
            break;
        case 'S': job.s.suffix = o.arg; break;
        case 'q': job.s.quiet = true; break;
        case 'v': job.s.verbose = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    }
    return files_run(&job, argc - o.at, argv + o.at);
}
