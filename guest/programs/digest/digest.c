/*
 * digest.c: md5sum, sha1sum … sha512sum, b2sum: prints or checks digests of files.
 *
 * help md5sum sha1sum sha224sum sha256sum sha384sum sha512sum:
 *   Usage: @NAME@ [OPTION]... [FILE]...
 *   Print or check digests of files. With no FILE, or when FILE is -, read standard input.
 *
 *     -b, --binary          mark the files as read in binary mode
 *     -c, --check           read checksums from the FILEs and check them
 *         --tag             create a BSD-style checksum
 *     -t, --text            mark the files as read in text mode (default)
 *     -z, --zero            end each output line with NUL, not newline, and do not escape names
 *
 *   The following five options are useful only when verifying checksums:
 *         --ignore-missing  don't fail or report status for missing files
 *         --quiet           don't print OK for each successfully verified file
 *         --status          don't output anything, status code shows success
 *         --strict          exit non-zero for improperly formatted checksum lines
 *     -w, --warn            warn about improperly formatted checksum lines
 *
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 * help b2sum:
 *   Usage: b2sum [OPTION]... [FILE]...
 *   Print or check BLAKE2b (512-bit) checksums. With no FILE, or when FILE is -, read standard
 *   input.
 *
 *     -b, --binary          mark the files as read in binary mode
 *     -c, --check           read checksums from the FILEs and check them
 *     -l, --length=BITS     digest length in bits; a multiple of 8, at most 512
 *         --tag             create a BSD-style checksum
 *     -t, --text            mark the files as read in text mode (default)
 *     -z, --zero            end each output line with NUL, not newline, and do not escape names
 *
 *   The following five options are useful only when verifying checksums:
 *         --ignore-missing  don't fail or report status for missing files
 *         --quiet           don't print OK for each successfully verified file
 *         --status          don't output anything, status code shows success
 *         --strict          exit non-zero for improperly formatted checksum lines
 *     -w, --warn            warn about improperly formatted checksum lines
 *
 *         --help            display this help and exit
 *         --version         output version information and exit
 */
#include "digest.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    digest_check check;
    bool checking, tag;
    int mode; /* 'b', 't' or 0: not said */
} job;

static void put_name(const char *name, char end, bool *escaped, char **shown) {
    *escaped = false;
    *shown = end ? digest_escape_name(name, escaped) : g_copy_string(name);
}

static bool print_digest(const job *j, const char *name) {
    digest d;
    if (!digest_file(name, j->check.kind, j->check.size, &d)) return false;
    bool escaped;
    char *shown;
    put_name(name, j->check.end, &escaped, &shown);
    if (escaped) g_outc('\\');
    if (j->tag) {
        digest_put_tagged(j->check.kind, &d, shown);
    } else {
        digest_put_hex(&d);
        g_outf(" %c%s", j->mode == 'b' ? '*' : ' ', shown);
    }
    g_outc(j->check.end);
    free(shown);
    return true;
}

static void check_usage(const job *j) {
    const digest_check *c = &j->check;
    if (j->tag && j->mode == 't') g_usage("--tag does not support --text mode");
    if (j->checking && !c->end)
        g_usage("the --zero option is not supported when verifying checksums");
    if (j->checking && j->tag) g_usage("the --tag option is meaningless when verifying checksums");
    if (j->checking && j->mode)
        g_usage("the --binary and --text options are meaningless when verifying checksums");
    if (j->checking) return;
    digest_check_unused(c);
}

static enum digest_kind kind_of(const char *command) {
    static const char *const names[] = {"md5sum",    "sha1sum",   "sha224sum", "sha256sum",
                                        "sha384sum", "sha512sum", "sm3sum",    "b2sum"};
    const char *slash = strrchr(command, '/');
    const char *name = slash ? slash + 1 : command;
    for (int i = 0; i <= DIGEST_BLAKE2B; i++)
        if (strcmp(name, names[i]) == 0) return (enum digest_kind)i;
    return DIGEST_MD5;
}

enum { TAG = 256, IGNORE_MISSING, QUIET, STATUS, STRICT };
static const g_long longs[] = {{"binary", 'b', G_NONE},
                               {"check", 'c', G_NONE},
                               {"ignore-missing", IGNORE_MISSING, G_NONE},
                               {"quiet", QUIET, G_NONE},
                               {"status", STATUS, G_NONE},
                               {"text", 't', G_NONE},
                               {"warn", 'w', G_NONE},
                               {"strict", STRICT, G_NONE},
                               {"tag", TAG, G_NONE},
                               {"zero", 'z', G_NONE},
                               {0}};
static const g_long b2_longs[] = {
    {"length", 'l', G_REQUIRED}, {"binary", 'b', G_NONE},
    {"check", 'c', G_NONE},      {"ignore-missing", IGNORE_MISSING, G_NONE},
    {"quiet", QUIET, G_NONE},    {"status", STATUS, G_NONE},
    {"text", 't', G_NONE},       {"warn", 'w', G_NONE},
    {"strict", STRICT, G_NONE},  {"tag", TAG, G_NONE},
    {"zero", 'z', G_NONE},       {0}};

static size_t length_in_bytes(const char *text) {
    uint64_t bits = g_number(text, "", 0, SIZE_MAX, "invalid length");
    if (bits > 512) {
        g_warn("invalid length: %s", g_quote(text));
        g_die(1, "maximum digest length for %s is 512 bits", g_quote("BLAKE2b"));
    }
    if (bits % 8) {
        g_warn("invalid length: %s", g_quote(text));
        g_die(1, "length is not a multiple of 8");
    }
    return (size_t)(bits ? bits / 8 : DIGEST_MAX);
}

int digest_main(int argc, char **argv) {
    job j = {.check = {.kind = kind_of(g_name()), .size = DIGEST_MAX, .end = '\n'}};
    g_set_write_error(1, "write error");
    bool blake = j.check.kind == DIGEST_BLAKE2B;
    g_options o = g_options_of(argc, argv, blake ? "l:bctwz" : "bctwz", blake ? b2_longs : longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'l':
            j.check.size = length_in_bytes(o.arg);
            j.check.fixed_size = j.check.size < DIGEST_MAX;
            break;
        case 'b':
        case 't': j.mode = option; break;
        case 'c': j.checking = true; break;
        case 'w':
            j.check.warn = true;
            j.check.status_only = j.check.quiet = false;
            break;
        case 'z': j.check.end = '\0'; break;
        case TAG:
            j.tag = true;
            if (!j.mode) j.mode = 'b';
            break;
        case IGNORE_MISSING: j.check.ignore_missing = true; break;
        case QUIET:
            j.check.quiet = true;
            j.check.status_only = j.check.warn = false;
            break;
        case STATUS:
            j.check.status_only = true;
            j.check.quiet = j.check.warn = false;
            break;
        case STRICT: j.check.strict = true; break;
        }
    check_usage(&j);
    static char *only_stdin[] = {"-"};
    char **names = o.at < argc ? argv + o.at : only_stdin;
    int count = o.at < argc ? argc - o.at : 1;
    bool good = true;
    for (int i = 0; i < count; i++)
        if (!(j.checking ? digest_check_list(&j.check, names[i]) : print_digest(&j, names[i])))
            good = false;
    return !good;
}
