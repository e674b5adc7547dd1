/*
 * cksum.c: cksum and sum: checksums and sizes of files; digests by name.
 *
 * help cksum:
 *   Usage: cksum [OPTION]... [FILE]...
 *   Print or verify checksums. By default use the 32 bit CRC algorithm.
 *
 *     -a, --algorithm=TYPE  select the digest type: sysv, bsd, crc, md5, sha1, sha224, sha256,
 *                             sha384, sha512, blake2b, sm3
 *     -c, --check           read checksums from the FILEs and check them
 *     -l, --length=BITS     digest length in bits of blake2b; a multiple of 8
 *         --tag             create a BSD-style checksum (the default)
 *         --untagged        create a reversed style checksum, without digest type
 *     -z, --zero            end each output line with NUL, not newline, and do not escape names
 *         --ignore-missing  don't fail or report status for missing files
 *         --quiet           don't print OK for each successfully verified file
 *         --status          don't output anything, status code shows success
 *         --strict          exit non-zero for improperly formatted checksum lines
 *     -w, --warn            warn about improperly formatted checksum lines
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 * help sum:
 *   Usage: sum [OPTION]... [FILE]...
 *   Print checksum and block counts for each FILE.
 *
 *     -r              use BSD sum algorithm (the default), use 1K blocks
 *     -s, --sysv      use System V sum algorithm, use 512 bytes blocks
 *         --help      display this help and exit
 *         --version   output version information and exit
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
    bool checking, untagged, chosen;
} job;

static unsigned long long blocks(const digest *d, unsigned size) {
    return (d->length + size - 1) / size;
}

/* `named`: an operand was given; then GNU shows the name. */
static bool print_sum(const job *j, const char *name, bool named) {
    digest d;
    if (!digest_file(name, j->check.kind, j->check.size, &d)) return false;
    bool escaped = false;
    char *shown = j->check.end ? digest_escape_name(name, &escaped) : g_copy_string(name);
    switch (j->check.kind) {
    case DIGEST_CRC:
        g_outf("%u %llu", d.checksum, (unsigned long long)d.length);
        if (named) g_outf(" %s", name);
        break;
    case DIGEST_BSD:
        g_outf("%05u %5llu", d.checksum, blocks(&d, 1024));
        if (named) g_outf(" %s", name);
        break;
    case DIGEST_SYSV:
        g_outf("%u %llu", d.checksum, blocks(&d, 512));
        if (named) g_outf(" %s", name);
        break;
    default:
        if (escaped) g_outc('\\');
        if (!j->untagged) {
            digest_put_tagged(j->check.kind, &d, shown);
        } else {
            digest_put_hex(&d);
            g_outf("  %s", shown);
        }
    }
    g_outc(j->check.end);
    free(shown);
    return true;
}

static const g_word algorithms[] = {
    {"bsd", DIGEST_BSD},         {"sysv", DIGEST_SYSV},     {"crc", DIGEST_CRC},
    {"md5", DIGEST_MD5},         {"sha1", DIGEST_SHA1},     {"sha224", DIGEST_SHA224},
    {"sha256", DIGEST_SHA256},   {"sha384", DIGEST_SHA384}, {"sha512", DIGEST_SHA512},
    {"blake2b", DIGEST_BLAKE2B}, {"sm3", DIGEST_SM3},       {0}};

enum { TAG = 256, UNTAGGED, IGNORE_MISSING, QUIET, STATUS, STRICT, DEBUG };
static const g_long cksum_longs[] = {
    {"algorithm", 'a', G_REQUIRED}, {"length", 'l', G_REQUIRED},
    {"check", 'c', G_NONE},         {"ignore-missing", IGNORE_MISSING, G_NONE},
    {"debug", DEBUG, G_NONE},
    {"quiet", QUIET, G_NONE},       {"status", STATUS, G_NONE},
    {"strict", STRICT, G_NONE},     {"tag", TAG, G_NONE},
    {"untagged", UNTAGGED, G_NONE}, {"warn", 'w', G_NONE},
    {"zero", 'z', G_NONE},          {0}};
static const g_long sum_longs[] = {{"sysv", 's', G_NONE}, {0}};

static void read_options(job *j, g_options *o) {
    for (int option; (option = g_option(o)) >= 0;) {
        switch (option) {
        case 'a':
            j->check.kind = (enum digest_kind)g_match_whole_word("--algorithm", o->arg,
                                                                 algorithms);
            j->chosen = true;
            break;
        case 'l': {
            uint64_t bits = g_number(o->arg, "", 0, 512, "invalid length");
            if (bits % 8) {
                g_warn("invalid length: %s", g_quote(o->arg));
                g_die(1, "length is not a multiple of 8");
            }
            j->check.size = bits ? (size_t)bits / 8 : DIGEST_MAX;
            j->check.fixed_size = bits > 0;
            break;
        }
        case 'c': j->checking = true; break;
        case 'r': j->check.kind = DIGEST_BSD; break;
        case 's': j->check.kind = DIGEST_SYSV; break;
        case 'w': j->check.warn = true; break;
        case 'z': j->check.end = '\0'; break;
        case 'b':
        case 't': g_usage(NULL); /* md5sum's, as GNU */
        case TAG: j->untagged = false; break;
        case UNTAGGED: j->untagged = true; break;
        case IGNORE_MISSING: j->check.ignore_missing = true; break;
        case QUIET: j->check.quiet = true; break;
        case STATUS: j->check.status_only = true; break;
        case STRICT: j->check.strict = true; break;
        case DEBUG: break; /* no implementation to choose between */
        }
    }
}

int cksum_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/');
    bool sum = strcmp(slash ? slash + 1 : g_name(), "sum") == 0;
    job j = {.check = {.kind = sum ? DIGEST_BSD : DIGEST_CRC, .size = DIGEST_MAX, .end = '\n'}};
    g_set_write_error(1, "write error");
    g_options o = sum ? g_options_of(argc, argv, "rs", sum_longs)
                      : g_options_of(argc, argv, "a:bl:ctwz", cksum_longs);
    read_options(&j, &o);
    if (j.check.fixed_size && j.check.kind != DIGEST_BLAKE2B)
        g_die(1, "--length is only supported with --algorithm=blake2b");
    if (j.checking && j.chosen && j.check.kind >= DIGEST_CRC)
        g_die(1, "--check is not supported with --algorithm={bsd,sysv,crc}");
    if (!j.checking) digest_check_unused(&j.check);
    j.check.any_kind = !j.chosen;
    bool good = true;
    if (o.at == argc)
        good = j.checking ? digest_check_list(&j.check, "-")
                          : print_sum(&j, "-", j.check.kind < DIGEST_CRC);
    for (int i = o.at; i < argc; i++)
        if (!(j.checking ? digest_check_list(&j.check, argv[i]) : print_sum(&j, argv[i], true)))
            good = false;
    return !good;
}
