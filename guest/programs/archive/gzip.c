/*
 * gzip.c: compresses files in the gzip format.
 *
 * help gzip gunzip zcat:
 *   Usage: gzip [OPTION]... [FILE]...
 *   Compress or uncompress FILEs (by default, compress FILES in-place).
 *
 *     -c, --stdout      write on standard output, keep original files unchanged
 *     -d, --decompress  decompress (gunzip)
 *     -f, --force       force overwrite of output file; with -dc pass on what is not compressed
 *     -k, --keep        keep (don't delete) input files
 *     -l, --list        list compressed file contents
 *     -n, --no-name     do not save or restore the original name and timestamp
 *     -N, --name        save or restore the original name and timestamp
 *     -q, --quiet       suppress all warnings
 *     -r, --recursive   operate recursively on directories
 *         --rsyncable   accepted, without effect
 *     -S, --suffix=SUF  use suffix SUF on compressed files
 *     -t, --test        test compressed file integrity
 *     -v, --verbose     verbose mode
 *     -1, --fast        compress faster
 *     -9, --best        compress better
 *         --help        give this help
 *     -V, --version     display version number
 *
 *   With no FILE, or when FILE is -, read standard input.
 */
#include "single.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_time.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    single_options s;
    bool list, recursive, no_name, name;
    int status; /* 1 error, 2 warning */
    bool listed;
    uint64_t total_in, total_out;
    uint64_t header; /* bytes of the last file that are not data */
    unsigned files;
} gzip;

static void error(gzip *g) {
    g->status = 1;
}
static void warn_status(gzip *g) {
    if (g->status == 0) g->status = 2;
}

static double ratio(uint64_t plain, uint64_t packed, uint64_t header) {
    if (plain == 0) return 0;
    return 100.0 * ((double)plain - ((double)packed - (double)header)) / (double)plain;
}

/* What went wrong with the data; true when nothing did. */
static bool report(gzip *g, const char *name, const single_result *r) {
    static const char *const texts[] = {[UNPACK_FORMAT] = "not in gzip format",
                                        [UNPACK_DATA] = "invalid compressed data--format violated",
                                        [UNPACK_LENGTH] = "invalid compressed data--length error",
                                        [UNPACK_CRC] = "invalid compressed data--crc error",
                                        [UNPACK_EOF] = "unexpected end of file",
                                        [UNPACK_MEMORY] = "memory exhausted"};
    if (r->write_failed) {
        fputc('\n', stderr);
        g_warn_errno(r->error_number, "%s", g->s.to_stdout ? "stdout" : name);
        error(g);
        return false;
    }
    if (r->error == UNPACK_READ) {
        g_warn_errno(r->error_number, "%s", name);
        error(g);
        return false;
    }
    if (r->error) {
        fputs("\n", stderr);
        g_warn("%s: %s", name, texts[r->error]);
        error(g);
        return false;
    }
    if (r->trailing_garbage) {
        if (!g->s.quiet) {
            fputs("\n", stderr);
            g_warn("%s: decompression OK, trailing garbage ignored", name);
        }
        warn_status(g);
    }
    return true;
}

static void put_ratio(const char *name, double percent) {
    fprintf(stderr, "%s:\t%5.1f%%", name, percent);
}

static void put_list_line(gzip *g, uint64_t packed, uint64_t plain, const char *name, uint32_t crc,
                          int64_t mtime) {
    if (!g->listed && !g->s.quiet) {
        if (g->s.verbose) g_outs("method  crc     date  time  ");
        g_outs("         compressed        uncompressed  ratio uncompressed_name\n");
    }
    g->listed = true;
    if (g->s.verbose) {
        g_civil civil;
        g_civil_local(mtime, &civil);
        size_t len;
        char *date = g_strftime("%b %e %H:%M", &civil, mtime, 0, &len);
        g_outf("defla %08x %s ", (unsigned)crc, date);
        free(date);
    }
    g_outf("%19llu %19llu %5.1f%% %s\n", (unsigned long long)packed, (unsigned long long)plain,
           ratio(plain, packed, g->header), name);
}

/* The last 8 bytes of a file that can be moved in: checksum and length. */
static void read_trailer(int fd, uint32_t out[2]) {
    unsigned char t[8] = {0};
    if (lseek(fd, -8, SEEK_END) >= 0 && read(fd, t, 8) == 8)
        for (int i = 0; i < 2; i++)
            out[i] = (uint32_t)t[i * 4] | (uint32_t)t[i * 4 + 1] << 8 |
                     (uint32_t)t[i * 4 + 2] << 16 | (uint32_t)t[i * 4 + 3] << 24;
}

static void list_one(gzip *g, int fd, const char *name, const struct stat *st) {
    single_result r;
    single_unpack(fd, -1, CODEC_GZIP, false, &r);
    if (!report(g, name, &r)) return;
    uint32_t trailer[2] = {0};
    read_trailer(fd, trailer);
    g->header = 18 + (r.name ? strlen(r.name) + 1 : 0);
    uint64_t packed = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : r.taken;
    char *plain = strcmp(name, "stdin") == 0 ? g_copy_string("stdout")
                                             : single_replace_suffix(name, g->s.suffix, "");
    put_list_line(g, packed, r.given,
                  g->name && r.name ? r.name
                  : plain           ? plain
                                    : name,
                  trailer[0], r.mtime ? r.mtime : (int64_t)st->st_mtim.tv_sec);
    g->total_in += packed;
    g->total_out += r.given;
    g->files++;
    free(plain);
    free(r.name);
}

static pack_hints hints_of(const gzip *g, const struct stat *st, const char *name) {
    bool named = !g->no_name && S_ISREG(st->st_mode);
    return (pack_hints){g->s.level, S_ISREG(st->st_mode) ? (int64_t)st->st_size : -1,
                        named && name ? g_last_part(name) : NULL,
                        named ? (int64_t)st->st_mtim.tv_sec : 0};
}

/* Between descriptors; `shown` is the name in messages. */
static bool convert(gzip *g, int in, int out, const char *shown, const char *name,
                    const struct stat *st) {
    single_result r;
    if (g->s.decompress) {
        single_unpack(in, g->s.test ? -1 : out, CODEC_GZIP, g->s.force && g->s.to_stdout, &r);
        g->header = 18 + (r.name ? strlen(r.name) + 1 : 0);
    } else {
        pack_hints hints = hints_of(g, st, name);
        single_pack(in, out, CODEC_GZIP, &hints, &r);
        g->header = 18 + (hints.name ? strlen(hints.name) + 1 : 0);
    }
    bool ok = report(g, shown, &r);
    if (ok && g->s.verbose) {
        if (g->s.test)
            fprintf(stderr, "%s:\t OK", shown);
        else if (g->s.decompress)
            put_ratio(shown, ratio(r.given, r.taken, g->header));
        else
            put_ratio(shown, ratio(r.taken, r.given, g->header));
        if (g->s.to_stdout && !g->s.test && !g->s.decompress)
            fputs(" -- replaced with stdout", stderr);
        if (g->s.test || g->s.to_stdout) fputs("\n", stderr);
    }
    free(r.name);
    return ok;
}

static void do_stdin(gzip *g) {
    struct stat st;
    fstat(STDIN_FILENO, &st);
    if (g->list) {
        list_one(g, STDIN_FILENO, "stdin", &st);
        return;
    }
    g->s.to_stdout = true;
    convert(g, STDIN_FILENO, STDOUT_FILENO, "stdin", NULL, &st);
}

/* Opens the operand, or with a suffix behind it what is to be decompressed. Sets *found. */
static int open_input(const gzip *g, const char *name, char **found) {
    static const char *const more[] = {NULL, ".gz", ".z", "-gz", "-z", "_z"};
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    *found = g_copy_string(name);
    if (fd >= 0 || errno != ENOENT || !g->s.decompress) return fd;
    for (size_t i = 0; i < sizeof more / sizeof *more && fd < 0; i++) {
        char *tried = g_alloc(strlen(name) + 40 + strlen(g->s.suffix));
        sprintf(tried, "%s%s", name, i == 0 ? g->s.suffix : more[i]);
        fd = open(tried, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            free(tried);
            continue;
        }
        free(*found);
        *found = tried;
    }
    if (fd < 0) {
        char *tried = g_alloc(strlen(name) + strlen(g->s.suffix) + 1);
        sprintf(tried, "%s%s", name, g->s.suffix);
        free(*found);
        *found = tried;
        errno = ENOENT;
    }
    return fd;
}

/* The name of the file to be made; NULL when the suffix does not allow it. */
static char *output_name(gzip *g, const char *name) {
    if (!g->s.decompress) {
        char *has = single_replace_suffix(name, g->s.suffix, "");
        if (!has) has = single_replace_suffix(name, ".tgz", "");
        if (has) {
            const char *suffix = strrchr(name, '.');
            if (!g->s.quiet && !g->recursive)
                g_warn("%s already has %s suffix -- unchanged", name,
                       suffix ? suffix : g->s.suffix);
            free(has);
            return NULL;
        }
        char *made = g_alloc(strlen(name) + strlen(g->s.suffix) + 1);
        sprintf(made, "%s%s", name, g->s.suffix);
        return made;
    }
    static const char *const known[][2] = {{".gz", ""}, {".tgz", ".tar"}, {".taz", ".tar"},
                                           {".z", ""},  {"-gz", ""},      {"-z", ""},
                                           {"_z", ""},  {".Z", ""}};
    char *made = single_replace_suffix(name, g->s.suffix, "");
    for (size_t i = 0; !made && i < sizeof known / sizeof *known; i++)
        made = single_replace_suffix(name, known[i][0], known[i][1]);
    if (!made && !g->recursive) {
        if (!g->s.quiet) g_warn("%s: unknown suffix -- ignored", name);
        warn_status(g);
    }
    return made;
}

static void do_in_place(gzip *g, int in, const char *name, const struct stat *st) {
    char *to = output_name(g, name);
    if (!to) return;
    int out = -1;
    if (st->st_nlink > 1 && !g->s.force && !g->s.keep) {
        if (!g->s.quiet)
            g_warn("%s has %d other link%s -- file ignored", name, (int)st->st_nlink - 1,
                   st->st_nlink == 2 ? "" : "s");
        warn_status(g);
    } else if ((out = single_create(to, g->s.force)) < 0) {
        if (errno == EEXIST) {
            g_warn("%s already exists;\tnot overwritten", to);
            warn_status(g);
        } else {
            g_warn_errno(errno, "%s", to);
            error(g);
        }
    }
    if (out >= 0) {
        bool ok = convert(g, in, out, name, name, st);
        if (ok)
            single_finish(out, st);
        else {
            close(out);
            unlink(to);
        }
        if (ok && g->s.verbose)
            fprintf(stderr, " -- %s %s\n", g->s.keep ? "created" : "replaced with", to);
        if (ok && !g->s.keep) unlink(name);
    }
    free(to);
}

static void do_file(gzip *g, const char *operand);

static void do_tree(gzip *g, const char *root) {
    g_walk *walk = g_walk_start(root, G_WALK_SORTED);
    for (const g_entry *e; (e = g_walk_next(walk));)
        if (e->kind == G_WALK_FILE && S_ISREG(e->st.st_mode)) {
            char *path = g_copy_string(e->path);
            do_file(g, path);
            free(path);
        }
    g_walk_end(walk);
}

static void do_file(gzip *g, const char *operand) {
    if (strcmp(operand, "-") == 0) {
        do_stdin(g);
        return;
    }
    char *name;
    int fd = open_input(g, operand, &name);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        g_warn_errno(errno, "%s", name);
        error(g);
    } else if (S_ISDIR(st.st_mode)) {
        if (g->recursive)
            do_tree(g, name);
        else {
            if (!g->s.quiet) g_warn("%s is a directory -- ignored", name);
            warn_status(g);
        }
    } else if (g->list) {
        list_one(g, fd, name, &st);
    } else if (g->s.to_stdout || g->s.test) {
        convert(g, fd, STDOUT_FILENO, name, name, &st);
    } else if (!S_ISREG(st.st_mode)) {
        g_warn("%s is not a directory or a regular file - ignored", name);
        warn_status(g);
    } else {
        do_in_place(g, fd, name, &st);
    }
    if (fd >= 0) close(fd);
    free(name);
}

enum { RSYNCABLE = 256 };
static const g_long longs[] = {{"ascii", 'a', G_NONE},
                               {"to-stdout", 'c', G_NONE},
                               {"stdout", 'c', G_NONE},
                               {"decompress", 'd', G_NONE},
                               {"uncompress", 'd', G_NONE},
                               {"force", 'f', G_NONE},
                               {"keep", 'k', G_NONE},
                               {"list", 'l', G_NONE},
                               {"no-name", 'n', G_NONE},
                               {"name", 'N', G_NONE},
                               {"quiet", 'q', G_NONE},
                               {"silent", 'q', G_NONE},
                               {"recursive", 'r', G_NONE},
                               {"suffix", 'S', G_REQUIRED},
                               {"test", 't', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {"version", 'V', G_NONE},
                               {"fast", '1', G_NONE},
                               {"best", '9', G_NONE},
                               {"rsyncable", RSYNCABLE, G_NONE},
                               {0}};

int gzip_main(int argc, char **argv) {
    gzip g = {.s = {.level = -1, .suffix = ".gz"}};
    const char *name = g_last_part(g_name());
    g.s.decompress = strcmp(name, "gzip") != 0;
    g.s.to_stdout = strcmp(name, "zcat") == 0;
    g_begin("gzip", g_help());
    g_set_hint("Try `gzip --help' for more information.");
    g_options o = g_options_of(argc, argv, "ab:cdfhklLmMnNqrS:tvVZ0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (single_level(option, &g.s.level)) continue;
        switch (option) {
        case 'c': g.s.to_stdout = true; break;
        case 'd': g.s.decompress = true; break;
        case 'f': g.s.force = true; break;
        case 'h': g_outs(g_help()); return 0;
        case 'k': g.s.keep = true; break;
        case 'l': g.list = g.s.decompress = true; break;
        case 'n': g.no_name = true; break;
        case 'N': g.name = true; break;
        case 'q': g.s.quiet = true; break;
        case 'r': g.recursive = true; break;
        case 'S':
            if (!*o.arg) g_die(1, "invalid suffix '%s'", o.arg);
            g.s.suffix = o.arg;
            break;
        case 't': g.s.test = g.s.decompress = true; break;
        case 'v': g.s.verbose = true; break;
        case 'V': g_print_version(); return 0;
        }
    }
    if (g.s.level == 0) g.s.level = 1;
    if (o.at == argc) do_stdin(&g);
    for (int i = o.at; i < argc; i++) do_file(&g, argv[i]);
    if (g.list && g.files > 1 && !g.s.quiet) {
        if (g.s.verbose) g_outs("                            ");
        g_outf("%19llu %19llu %5.1f%% (totals)\n", (unsigned long long)g.total_in,
               (unsigned long long)g.total_out, ratio(g.total_out, g.total_in, g.header));
    }
    return g.status;
}
