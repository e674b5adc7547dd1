/*
 * zstd.c: compresses files in the Zstandard format.
 *
 * Left out: dictionaries, benchmarks, --patch-from, several threads (accepted, without effect).
 *
 * help zstd unzstd zstdcat:
 *   Usage: @NAME@ [OPTION]... [INPUT-FILE]... [-o OUTPUT]
 *   Compress or decompress INPUT-FILEs; with no INPUT-FILE, or when it is -, read standard input.
 *
 *     -#                  compression level # (1-19, default 3); --fast[=#] for faster ones
 *     --ultra             levels beyond 19, up to 22
 *     -d, --decompress    decompress
 *     -z, --compress      compress
 *     -t, --test          test compressed file integrity
 *     -c, --stdout        write to standard output
 *     -o OUTPUT           write output to a single file
 *     -k, --keep          keep input files (default)
 *         --rm            remove input files after success
 *     -f, --force         overwrite without asking
 *     -q, --quiet         show errors only
 *     -v, --verbose       be verbose
 *     -T#, --threads=#    accepted, without effect
 *     -h, --help          show this help
 *     -V, --version       show the version
 */
#include "files.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool show_progress; /* one summary line for each file, as with a terminal or one operand */

static void put_size(char out[32], uint64_t bytes) {
    static const char *const units[] = {"B  ", "KiB", "MiB", "GiB"};
    double amount = (double)bytes;
    size_t unit = 0;
    while (amount >= 1024 && unit < 3) {
        amount /= 1024;
        unit++;
    }
    int digits = unit == 0 ? 0 : amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
    snprintf(out, 32, "%6.*f %s", digits, amount, units[unit]);
}

static int say(const single_options *s, const files_report *r) {
    switch (r->event) {
    case FILES_NO_INPUT:
        g_warn("can't stat %s : %s -- ignored ", r->name, strerror(r->number));
        return 1;
    case FILES_DIRECTORY: g_warn("%s is a directory -- ignored ", r->name); return 1;
    case FILES_HAS_SUFFIX: return 0;
    case FILES_NO_SUFFIX:
        g_warn("%s: unknown suffix (.zst/.tzst expected). Can't derive the output file name. "
               "Specify it with -o dstFileName. Ignoring.",
               r->name);
        return 1;
    case FILES_EXISTS:
        if (s->quiet)
            g_warn("%s already exists; not overwritten  ", r->output);
        else
            fprintf(stderr, "%s: %s already exists; overwrite (y/n) ? Not overwritten  \n \n",
                    g_name(), r->output);
        return 1;
    case FILES_NO_OUTPUT: g_warn("%s: %s", r->output, strerror(r->number)); return 1;
    case FILES_WRITE:
        if (r->output) {
            g_warn("error 70 : Write error : cannot write block : %s ", strerror(r->number));
            return 70;
        }
        g_warn("/*stdout*\\: %s ", strerror(r->number));
        return 1;
    case FILES_BAD:
        if (r->result->error == UNPACK_EOF && r->result->taken == 0)
            g_warn("%s: unexpected end of file ", r->name);
        else if (r->result->error == UNPACK_EOF)
            fprintf(stderr, "%s : Read error (39) : premature end \n", r->name);
        else if (r->result->error == UNPACK_FORMAT)
            g_warn("%s: unsupported format ", r->name);
        else if (r->result->error == UNPACK_READ)
            g_warn("%s: %s", r->name, strerror(r->number));
        else
            fprintf(stderr, "%s : Decoding error (36) : Data corruption detected \n", r->name);
        return 1;
    case FILES_GARBAGE: g_warn("%s: unsupported format ", r->name); return 1;
    case FILES_DONE: {
        if (s->quiet || s->to_stdout || !show_progress) return 0;
        const single_result *x = r->result;
        if (s->decompress) {
            fprintf(stderr, "%-20s: %llu bytes \n", r->name, (unsigned long long)x->given);
            return 0;
        }
        char in[32], out[32];
        put_size(in, x->taken);
        put_size(out, x->given);
        double percent = x->taken ? 100.0 * (double)x->given / (double)x->taken : 0;
        fprintf(stderr, "%-20s :%6.2f%%   (%s => %s, %s) \n", r->name, percent, in, out,
                r->output ? r->output : "/*stdout*\\");
        return 0;
    }
    }
    return 0;
}

enum { ULTRA = 256, FAST, RM, IGNORED };
static const g_long longs[] = {{"decompress", 'd', G_NONE},
                               {"uncompress", 'd', G_NONE},
                               {"compress", 'z', G_NONE},
                               {"test", 't', G_NONE},
                               {"stdout", 'c', G_NONE},
                               {"keep", 'k', G_NONE},
                               {"rm", RM, G_NONE},
                               {"force", 'f', G_NONE},
                               {"quiet", 'q', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"version", 'V', G_NONE},
                               {"ultra", ULTRA, G_NONE},
                               {"fast", FAST, G_OPTIONAL},
                               {"threads", 'T', G_REQUIRED},
                               {"no-progress", IGNORED, G_NONE},
                               {"progress", IGNORED, G_NONE},
                               {"check", IGNORED, G_NONE},
                               {"no-check", IGNORED, G_NONE},
                               {"long", IGNORED, G_OPTIONAL},
                               {"adapt", IGNORED, G_NONE},
                               {"single-thread", IGNORED, G_NONE},
                               {0}};

/* The short options are read here, because levels have several digits. */
int zstd_main(int argc, char **argv) {
    static const char *const suffixes[][2] = {{".zst", ""}, {".tzst", ".tar"}, {NULL, NULL}};
    files_job job = {.codec = CODEC_ZSTD,
                     .s = {.level = -1, .suffix = ".zst", .keep = true},
                     .stdin_name = "/*stdin*\\",
                     .suffixes = suffixes,
                     .keep_always = true,
                     .zstd_suffix_free = true,
                     .say = say};
    const char *name = g_last_part(g_name());
    job.s.decompress = strcmp(name, "zstd") != 0;
    job.s.to_stdout = strcmp(name, "zstdcat") == 0;
    bool ultra = false;
    int digits = -1;
    g_options o = g_options_of(argc, argv, "dztcko:fqvhVT:rlC0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        int digit;
        if (single_level(option, &digit)) {
            digits = (digits < 0 ? 0 : digits % 100) * 10 + digit;
            continue;
        }
        switch (option) {
        case 'd': job.s.decompress = true; break;
        case 'z': job.s.decompress = false; break;
        case 't': job.s.test = job.s.decompress = true; break;
        case 'c': job.s.to_stdout = true; break;
        case 'k': job.remove = false; break;
        case RM: job.remove = true; break;
        case 'o': job.output = o.arg; break;
        case 'f': job.s.force = true; break;
        case 'q': job.s.quiet = true; break;
        case 'v': job.s.verbose = true; break;
        case 'r':
            g_die(1, "-r is not supported; give the files, as in find DIR -type f -exec zstd {} +");
        case 'l': g_die(1, "-l is not supported; use -t");
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        case ULTRA: ultra = true; break;
        case FAST: digits = 1; break;
        }
    }
    if (digits > (ultra ? 22 : 19)) digits = ultra ? 22 : 19;
    if (digits > 0) job.s.level = digits;
    show_progress = argc - o.at == 1 || job.s.test;
    return files_run(&job, argc - o.at, argv + o.at);
}
