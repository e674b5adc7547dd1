/*
 * unzip.c: lists, tests and extracts zip archives.
 *
 * Names that lead out of the directory lose what leads out. Questions are not asked: without -o,
 * files that exist are kept, as when nobody answers. Left out: encryption, zipinfo but for -Z1.
 *
 * help unzip:
 *   Usage: unzip [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]
 *     -p  extract files to pipe, no messages     -l  list files (short format)
 *     -f  freshen existing files, create none    -t  test compressed archive data
 *     -u  update files, create if necessary      -v  list verbosely
 *     -x  exclude files that follow (in xlist)   -d  extract files into exdir
 *     -c  extract to standard output with names  -Z1 list names only
 *   modifiers:
 *     -n  never overwrite existing files         -q  quiet mode (-qq => quieter)
 *     -o  overwrite files WITHOUT prompting      -j  junk paths (do not make directories)
 *     -C  match filenames case-insensitively     -L  make names lowercase
 */
#include "zip_format.h"
#include "g_file.h"
#include "g_in.h"
#include "g_out.h"
#include "g_time.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    bool list, verbose, test, pipe, show, names_only, freshen, update, never, overwrite, junk,
        any_case, lower;
    int quiet;
    const char *archive, *directory;
    char **wanted, **exclude;
    size_t wanted_count, exclude_count;
    bool *found;
    zip_archive z;
    int status;
} unzipper;

static bool fits(const unzipper *u, const char *pattern, const char *name) {
    return fnmatch(pattern, name, u->any_case ? FNM_CASEFOLD : 0) == 0;
}

static bool is_wanted(unzipper *u, const zip_entry *e) {
    bool wanted = u->wanted_count == 0;
    for (size_t i = 0; i < u->wanted_count; i++)
        if (fits(u, u->wanted[i], e->name)) wanted = u->found[i] = true;
    for (size_t i = 0; i < u->exclude_count && wanted; i++)
        if (fits(u, u->exclude[i], e->name)) wanted = false;
    return wanted;
}

static int percent(uint64_t packed, uint64_t size) {
    if (size == 0) return 0;
    return (int)(100.0 - 100.0 * (double)packed / (double)size + (packed <= size ? 0.5 : -0.5));
}

static void put_date(const zip_entry *e) {
    g_civil c;
    if (e->mtime >= 0)
        g_civil_local(e->mtime, &c);
    else
        g_civil_local(zip_unix_time(e->dos_time), &c);
    g_outf("%04d-%02d-%02d %02d:%02d", (int)c.year, c.month + 1, c.day, c.hour, c.minute);
}

static void list(unzipper *u) {
    uint64_t size = 0, packed = 0;
    size_t count = 0;
    if (u->quiet < 2 && !u->verbose)
        g_outs("  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
    if (u->quiet < 2 && u->verbose)
        g_outs(" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  "
               "------- ---- ---------- ----- --------  ----\n");
    for (size_t i = 0; i < u->z.count; i++) {
        const zip_entry *e = &u->z.entries[i];
        if (!is_wanted(u, e)) continue;
        size += e->size;
        packed += e->packed;
        count++;
        if (u->verbose) {
            g_outf("%8u  %-6s %8u %3d%% ", e->size,
                   e->method == ZIP_STORED     ? "Stored"
                   : e->method == ZIP_DEFLATED ? "Defl:N"
                                               : "Unk:??",
                   e->packed, percent(e->packed, e->size));
            put_date(e);
            g_outf(" %08x  %s\n", e->crc, e->name);
        } else {
            g_outf("%9u  ", e->size);
            put_date(e);
            g_outf("   %s\n", e->name);
        }
    }
    const char *plural = count == 1 ? "" : "s";
    if (u->quiet >= 2) return;
    if (u->verbose)
        g_outf("--------          -------  ---                            -------\n%8llu         "
               "%8llu %3d%%                            %zu file%s\n",
               (unsigned long long)size, (unsigned long long)packed, percent(packed, size), count,
               plural);
    else
        g_outf("---------                     -------\n%9llu                     %zu file%s\n",
               (unsigned long long)size, count, plural);
}

static void test(unzipper *u) {
    bool bad = false;
    for (size_t i = 0; i < u->z.count; i++) {
        const zip_entry *e = &u->z.entries[i];
        if (!is_wanted(u, e)) continue;
        const char *why;
        char *bytes = zip_unpack(e, &why);
        if (!u->quiet || !bytes) g_outf("    testing: %-22s   %s\n", e->name, bytes ? "OK" : why);
        bad |= !bytes;
        free(bytes);
    }
    if (bad) {
        g_outf("At least one error was detected in %s.\n", u->archive);
        u->status = 2;
    } else if (u->quiet < 2) {
        g_outf("No errors detected in compressed data of %s.\n", u->archive);
    }
}

/* Where a member goes, in fresh memory; NULL: nowhere. */
static char *target_of(unzipper *u, const zip_entry *e) {
    const char *name = e->name;
    g_text out = {0};
    bool warned = false, directory = name[0] && name[strlen(name) - 1] == '/';
    if (u->junk && directory) return NULL;
    if (u->directory) {
        g_text_adds(&out, u->directory);
        if (out.len > 0 && out.s[out.len - 1] != '/') g_text_addc(&out, '/');
    }
    size_t prefix = out.len;
    if (u->junk) name = g_last_part(name);
    if (*name == '/') fprintf(stderr, "warning:  stripped absolute path spec from %s\n", e->name);
    for (const char *p = name; *p;) {
        size_t len = strcspn(p, "/");
        bool up = len == 2 && p[0] == '.' && p[1] == '.';
        if (up && !warned) {
            g_out_flush();
            fprintf(stderr, "warning:  skipped \"../\" path component(s) in %s\n", e->name);
            warned = true;
            if (u->status == 0) u->status = 1;
        }
        if (len > 0 && !up && !(len == 1 && *p == '.')) {
            if (out.len > prefix) g_text_addc(&out, '/');
            for (size_t i = 0; i < len; i++)
                g_text_addc(&out, u->lower ? (char)tolower((unsigned char)p[i]) : p[i]);
        }
        p += len;
        while (*p == '/') p++;
    }
    if (out.len == prefix) {
        g_text_free(&out);
        return NULL;
    }
    return out.s;
}

static int64_t time_of(const zip_entry *e) {
    return e->mtime >= 0 ? e->mtime : zip_unix_time(e->dos_time);
}

/* Whether the file may be written, seen what is there. */
static bool may_write(unzipper *u, const zip_entry *e, const char *name) {
    struct stat st;
    bool exists = lstat(name, &st) == 0;
    if (!exists) return !u->freshen;
    if ((u->freshen || u->update) && (int64_t)st.st_mtim.tv_sec >= time_of(e)) return false;
    if (u->overwrite) {
        unlink(name);
        return true;
    }
    if (u->never) return false;
    g_out_flush();
    fprintf(stderr,
            "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL\n(EOF or read error, treating "
            "as \"[N]one\" ...)\n",
            name);
    u->never = true;
    u->status = 1;
    return false;
}

static void write_member(unzipper *u, const zip_entry *e, const char *name, const char *bytes) {
    g_make_parents(name);
    if (S_ISLNK(e->mode)) {
        if (!u->quiet) g_outf("    linking: %-22s  -> %s \n", name, bytes);
        if (symlink(bytes, name) < 0) {
            fprintf(stderr, "error:  cannot create symlink %s: %s\n", name, strerror(errno));
            u->status = 2;
        }
        return;
    }
    if (!u->quiet)
        g_outf("%s: %-22s  \n", e->method == ZIP_STORED ? " extracting" : "  inflating", name);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    g_sink sink = {.fd = fd};
    if (fd >= 0) g_sink_put(&sink, bytes, e->size);
    int error = fd < 0 ? errno : g_sink_flush(&sink);
    g_sink_free(&sink);
    if (error) {
        g_out_flush();
        fprintf(stderr,
                fd < 0 ? "error:  cannot create %s\n        %s\n" : "%s:  write error: %s\n", name,
                strerror(error));
        u->status = 50;
    }
    if (fd < 0) return;
    if (e->mode) fchmod(fd, e->mode & 0777);
    struct timespec times[2] = {{.tv_sec = (time_t)time_of(e)}, {.tv_sec = (time_t)time_of(e)}};
    futimens(fd, times);
    close(fd);
}

static void extract_one(unzipper *u, const zip_entry *e) {
    const char *why;
    bool directory = e->name[0] && e->name[strlen(e->name) - 1] == '/';
    char *name = u->pipe || u->show ? g_copy_string(e->name) : target_of(u, e);
    if (!name) return;
    if (directory && !u->pipe && !u->show) {
        struct stat st;
        g_make_parents(name);
        if (mkdir(name, 0777) == 0) {
            if (!u->quiet) g_outf("   creating: %s/\n", name);
            if (e->mode) chmod(name, (e->mode & 0777) | 0700);
        } else if (stat(name, &st) < 0 || !S_ISDIR(st.st_mode)) {
            fprintf(stderr, "checkdir error:  %s exists but is not directory\n", name);
            u->status = 2;
        }
    } else if (!directory && (u->pipe || u->show || may_write(u, e, name))) {
        char *bytes = zip_unpack(e, &why);
        if (!bytes) {
            g_out_flush();
            fprintf(stderr, "  error:  %s: %s\n", e->name, why);
            u->status = 2;
        } else if (u->pipe) {
            g_out(bytes, e->size);
        } else if (u->show) {
            g_outf("%s: %-22s  \n", e->method == ZIP_STORED ? " extracting" : "  inflating",
                   e->name);
            g_out(bytes, e->size);
            if (e->size == 0 || bytes[e->size - 1] != '\n') g_outc('\n');
            g_outc('\n');
        } else {
            write_member(u, e, name, bytes);
        }
        free(bytes);
    }
    free(name);
}

static void load(unzipper *u) {
    static const char *const ends[] = {"", ".zip", ".ZIP"};
    size_t len = 0;
    char *s = NULL, *name = g_alloc(strlen(u->archive) + 5);
    for (size_t i = 0; i < 3 && !s; i++) {
        struct stat st;
        sprintf(name, "%s%s", u->archive, ends[i]);
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode)) s = g_read_all(fd, &len);
        if (fd >= 0) close(fd);
    }
    if (!s) {
        fprintf(stderr, "unzip:  cannot find or open %s, %s.zip or %s.ZIP.\n", u->archive,
                u->archive, u->archive);
        g_exit(9);
    }
    enum zip_result result = zip_read(&u->z, s, len);
    if (!u->pipe && !u->names_only && (u->quiet == 0 || (u->quiet < 2 && u->list)))
        g_outf("Archive:  %s\n", name);
    if (result == ZIP_NO_DIRECTORY) {
        g_out_flush();
        fprintf(stderr,
                "  End-of-central-directory signature not found.  Either this file is not\n"
                "  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"
                "  latter case the central directory and zipfile comment will be found on\n"
                "  the last disk(s) of this archive.\n"
                "unzip:  cannot find zipfile directory in one of %s or\n        %s.zip, and cannot "
                "find %s.ZIP, period.\n",
                u->archive, u->archive, u->archive);
        g_exit(9);
    }
    if (result == ZIP_DAMAGED) {
        g_out_flush();
        fprintf(stderr, "error [%s]:  the archive's directory is damaged\n", name);
        g_exit(3);
    }
    u->archive = name;
}

static void letters(unzipper *u, const char *s) {
    for (; *s; s++) {
        switch (*s) {
        case 'l': u->list = true; break;
        case 'v': u->list = u->verbose = true; break;
        case 't': u->test = true; break;
        case 'p': u->pipe = true; break;
        case 'c': u->show = true; break;
        case 'f': u->freshen = true; break;
        case 'u': u->update = true; break;
        case 'n': u->never = true; break;
        case 'o': u->overwrite = true; break;
        case 'j': u->junk = true; break;
        case 'q': u->quiet++; break;
        case 'C': u->any_case = true; break;
        case 'L': u->lower = true; break;
        case 'Z':
            if (s[1] == '1') {
                u->list = u->names_only = true;
                s++;
                break;
            }
            g_die(10, "zipinfo (-Z) is not supported but for -Z1; use -v");
        case 'a':
        case 'b':
        case 'X':
        case 'K':
        case 'B':
        case ':': break;
        case 'h': g_outs(g_help()); g_exit(0);
        default: g_outs(g_help()); g_exit(10);
        }
    }
}

int unzip_main(int argc, char **argv) {
    unzipper u = {0};
    u.wanted = g_zalloc((size_t)argc * sizeof *u.wanted);
    u.exclude = g_zalloc((size_t)argc * sizeof *u.exclude);
    u.found = g_zalloc((size_t)argc * sizeof *u.found);
    bool excluding = false;
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        if (a[0] == '-' && a[1] == 'd') {
            if (!a[2] && i + 1 == argc) g_die(10, "-d needs a directory");
            u.directory = a[2] ? a + 2 : argv[++i];
        } else if (a[0] == '-' && a[1] == 'x' && !a[2]) {
            excluding = true;
        } else if (a[0] == '-' && a[1]) {
            letters(&u, a + 1);
        } else if (!u.archive) {
            u.archive = a;
        } else if (excluding) {
            u.exclude[u.exclude_count++] = a;
        } else {
            u.wanted[u.wanted_count++] = a;
        }
    }
    if (!u.archive) {
        g_outs(g_help());
        return argc > 1 ? 10 : 0;
    }
    load(&u);
    if (u.names_only) {
        for (size_t i = 0; i < u.z.count; i++)
            if (is_wanted(&u, &u.z.entries[i])) g_outf("%s\n", u.z.entries[i].name);
    } else if (u.list) {
        list(&u);
    } else if (u.test) {
        test(&u);
    } else {
        for (size_t i = 0; i < u.z.count; i++)
            if (is_wanted(&u, &u.z.entries[i])) extract_one(&u, &u.z.entries[i]);
    }
    g_out_flush();
    for (size_t i = 0; i < u.wanted_count; i++) {
        if (u.found[i]) continue;
        fprintf(stderr, "caution: filename not matched:  %s\n", u.wanted[i]);
        u.status = 11;
    }
    return u.status;
}
