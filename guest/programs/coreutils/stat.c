/*
 * stat.c: what is known about files.
 *
 * help stat:
 *   Usage: stat [OPTION]... FILE...
 *   Display file or file system status.
 *
 *     -L, --dereference     follow links
 *     -f, --file-system     display file system status instead of file status
 *     -c, --format=FORMAT   use the specified FORMAT instead of the default; output a newline after
 *                             each use of FORMAT
 *         --printf=FORMAT   like --format, but interpret backslash escapes, and do not output a
 *                             mandatory trailing newline
 *     -t, --terse           print the information in terse form
 *         --cached=MODE     (ignored)
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 *   The valid format sequences for files:
 *     %a permission bits in octal       %A permission bits and file type as text
 *     %b number of blocks               %B size of each block that %b reports
 *     %d device number in decimal       %D device number in hex    %f raw mode in hex
 *     %F file type    %g %G group       %h number of hard links    %i inode number
 *     %m mount point  %n file name      %N quoted file name with dereference
 *     %o optimal I/O transfer size      %s total size, in bytes
 *     %r %R %t %T device type           %u %U owner
 *     %w %W time of birth, %x %X last access, %y %Y last data modification, %z %Z last status
 *     change: small letters as text, capitals as seconds since the Epoch
 *   For file systems: %a %b %c %d %f %i %l %n %s %S %t %T
 */
#include "g_escape.h"
#include "g_file.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_time.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct {
    const char *name;
    struct stat st;
    struct timespec birth;
    bool has_birth;
    bool plain; /* the default output: names are quoted only when they must be */
    struct statvfs fs;
} subject;

/* A number or text with the flags and width of its directive. */
static void put_text(const char *flags, int width, int precision, const char *text) {
    char format[32];
    snprintf(format, sizeof format, "%%%s*.*s", strchr(flags, '-') ? "-" : "");
    g_outf(format, width < 0 ? 0 : width, precision < 0 ? (int)strlen(text) : precision, text);
}

/* With base 'd' signs are shown where flags ask for them. */
static void put_number(const char *flags, int width, int precision, char base, uint64_t value) {
    char format[32], keep[8];
    size_t n = 0;
    for (const char *p = flags; *p && n < sizeof keep - 1; p++)
        if (*p != '\'' && (base == 'd' || (*p != '+' && *p != ' '))) keep[n++] = *p;
    keep[n] = '\0';
    snprintf(format, sizeof format, "%%%s*.*ll%c", keep, base);
    g_outf(format, width < 0 ? 0 : width, precision, (unsigned long long)value);
}

/* Digits, with the sign and the zeros that the flags ask for. */
static void put_seconds(const char *flags, int width, const char *digits) {
    const char *sign = *digits == '-'       ? "-"
                       : strchr(flags, '+') ? "+"
                       : strchr(flags, ' ') ? " "
                                            : "";
    if (*digits == '-') digits++;
    int fill = width - (int)(strlen(sign) + strlen(digits));
    g_text text = {0};
    g_text_adds(&text, sign);
    if (strchr(flags, '0') && !strchr(flags, '-'))
        while (fill-- > 0) g_text_addc(&text, '0');
    g_text_adds(&text, digits);
    put_text(flags, width, -1, text.s);
    g_text_free(&text);
}

static void put_time(const char *flags, int width, int precision, bool seconds, struct timespec t,
                     bool known) {
    if (!known) {
        put_text(flags, width, -1, seconds ? "0" : "-");
        return;
    }
    if (!seconds) {
        g_civil c;
        g_civil_local(t.tv_sec, &c);
        char *text = g_strftime("%Y-%m-%d %H:%M:%S.%N %z", &c, t.tv_sec, (int)t.tv_nsec, NULL);
        put_text(flags, width, precision, text);
        free(text);
        return;
    }
    char text[48];
    int n = snprintf(text, sizeof text, "%lld", (long long)t.tv_sec);
    if (precision >= 0) {
        int digits = precision;
        n += snprintf(text + n, sizeof text - (size_t)n, ".%09ld", (long)t.tv_nsec);
        if (digits < 9) n -= 9 - digits + (digits == 0);
        text[n] = '\0';
        if (digits > 9) { /* the clock has no more */
            g_text longer = {0};
            g_text_addf(&longer, "%s%0*d", text, digits - 9, 0);
            put_seconds(flags, width, longer.s);
            g_text_free(&longer);
            return;
        }
    }
    put_seconds(flags, width, text);
}

/* The highest directory of the file's file system. */
static char *mount_point(const char *path) {
    char *at = g_canonicalize(path, G_ANY_MISSING, false);
    struct stat here, above;
    if (!at || stat(at, &here) < 0) return g_copy_string("?");
    while (strcmp(at, "/") != 0) {
        char *parent = g_copy_bytes(at, (size_t)(g_last_part(at) - at));
        g_strip_slashes(parent);
        if (stat(parent, &above) < 0 || above.st_dev != here.st_dev) {
            free(parent);
            break;
        }
        free(at);
        at = parent;
    }
    return at;
}

static void put_quoted_name(const char *flags, int width, int precision, const subject *s) {
    g_text text = {0};
    const char *style = getenv("QUOTING_STYLE");
    bool literal = style && strcmp(style, "literal") == 0;
    bool as_needed = style && (strcmp(style, "shell") == 0 || strcmp(style, "shell-escape") == 0);
    bool always = !s->plain && !as_needed;
    char *quoted = g_shell_quote(s->name, strlen(s->name), always, false, NULL);
    g_text_adds(&text, literal ? s->name : quoted);
    free(quoted);
    if (S_ISLNK(s->st.st_mode)) {
        char *target = g_read_link(s->name);
        char *shown = target ? g_shell_quote(target, strlen(target), always, false, NULL) : NULL;
        g_text_addf(&text, " -> %s", !target ? "?" : literal ? target : shown);
        free(target);
        free(shown);
    }
    put_text(flags, width, precision, text.s);
    g_text_free(&text);
}

/* One directive for a file; `modifier` is H or L before d and r, else 0. */
static void put_file(const subject *s, char directive, char modifier, const char *flags, int width,
                     int precision) {
    const struct stat *st = &s->st;
    char text[16];
    switch (directive) {
    case 'n': put_text(flags, width, precision, s->name); break;
    case 'N': put_quoted_name(flags, width, precision, s); break;
    case 'd': case 'r': {
        dev_t dev = directive == 'd' ? st->st_dev : st->st_rdev;
        uint64_t value = modifier == 'H' ? major(dev) : modifier == 'L' ? minor(dev) : (uint64_t)dev;
        put_number(flags, width, precision, 'u', value);
        break;
    }
    case 'D': put_number(flags, width, precision, 'x', (uint64_t)st->st_dev); break;
    case 'R': put_number(flags, width, precision, 'x', (uint64_t)st->st_rdev); break;
    case 'i': put_number(flags, width, precision, 'u', st->st_ino); break;
    case 'a': put_number(flags, width, precision, 'o', st->st_mode & 07777); break;
    case 'A':
        g_mode_string(st->st_mode, text);
        put_text(flags, width, precision, text);
        break;
    case 'f': put_number(flags, width, precision, 'x', st->st_mode); break;
    case 'F': put_text(flags, width, precision, g_type_name(st)); break;
    case 'h': put_number(flags, width, precision, 'u', (uint64_t)st->st_nlink); break;
    case 'u': put_number(flags, width, precision, 'u', st->st_uid); break;
    case 'U': {
        struct passwd *user = getpwuid(st->st_uid);
        put_text(flags, width, precision, user ? user->pw_name : "UNKNOWN");
        break;
    }
    case 'g': put_number(flags, width, precision, 'u', st->st_gid); break;
    case 'G': {
        struct group *group = getgrgid(st->st_gid);
        put_text(flags, width, precision, group ? group->gr_name : "UNKNOWN");
        break;
    }
    case 'm': {
        char *mount = mount_point(s->name);
        put_text(flags, width, precision, mount);
        free(mount);
        break;
    }
    case 's': put_number(flags, width, precision, 'd', (uint64_t)st->st_size); break;
    case 't': put_number(flags, width, precision, 'x', major(st->st_rdev)); break;
    case 'T': put_number(flags, width, precision, 'x', minor(st->st_rdev)); break;
    case 'B': put_number(flags, width, precision, 'u', 512); break;
    case 'b': put_number(flags, width, precision, 'u', (uint64_t)st->st_blocks); break;
    case 'o': put_number(flags, width, precision, 'u', (uint64_t)st->st_blksize); break;
    case 'C': put_text(flags, width, precision, "?"); break;
    case 'w': case 'W':
        put_time(flags, width, precision, directive == 'W', s->birth, s->has_birth);
        break;
    case 'x': case 'X':
        put_time(flags, width, precision, directive == 'X', st->st_atim, true);
        break;
    case 'y': case 'Y':
        put_time(flags, width, precision, directive == 'Y', st->st_mtim, true);
        break;
    case 'z': case 'Z':
        put_time(flags, width, precision, directive == 'Z', st->st_ctim, true);
        break;
    default: g_outc('?'); break;
    }
}

static void put_fs(const subject *s, char directive, char modifier, const char *flags, int width,
                   int precision) {
    (void)modifier;
    switch (directive) {
    case 'n': put_text(flags, width, precision, s->name); break;
    case 'i': put_number(flags, width, precision, 'x', s->fs.f_fsid); break;
    case 'l': put_number(flags, width, precision, 'u', s->fs.f_namemax); break;
    case 't': put_number(flags, width, precision, 'x', 0x01021994); break;
    case 'T': put_text(flags, width, precision, "tmpfs"); break;
    case 'b': put_number(flags, width, precision, 'u', s->fs.f_blocks); break;
    case 'f': put_number(flags, width, precision, 'u', s->fs.f_bfree); break;
    case 'a': put_number(flags, width, precision, 'u', s->fs.f_bavail); break;
    case 's': put_number(flags, width, precision, 'u', s->fs.f_bsize); break;
    case 'S': put_number(flags, width, precision, 'u', s->fs.f_frsize); break;
    case 'c': put_number(flags, width, precision, 'u', s->fs.f_files); break;
    case 'd': put_number(flags, width, precision, 'u', s->fs.f_ffree); break;
    default: g_outc('?'); break;
    }
}

static void put_formatted(const subject *s, const char *format, bool fs, bool escapes) {
    g_text bytes = {0};
    for (const char *p = format; *p;) {
        if (*p == '\\' && escapes) {
            bool stop = false;
            const char *bad = NULL;
            bytes.len = 0;
            size_t n = g_escape(p + 1, strlen(p + 1), G_ESCAPE_FORMAT, &bytes, &stop, &bad);
            if (n == 0) {
                if (p[1]) g_warn("warning: unrecognized escape '\\%c'", p[1]);
                else g_warn("warning: backslash at end of format");
                if (p[1]) g_outc(*++p);
                else g_outc('\\');
                p++;
                continue;
            }
            g_out(bytes.s, bytes.len);
            p += 1 + n;
            continue;
        }
        if (*p != '%') {
            g_outc(*p++);
            continue;
        }
        const char *start = p++;
        char flags[8] = "", modifier = 0;
        size_t n = 0;
        while (*p && strchr("'-+ #0I", *p)) {
            if (n < sizeof flags - 1 && !memchr(flags, *p, n) && *p != 'I') flags[n++] = *p;
            p++;
        }
        int width = -1, precision = -1;
        if (isdigit((unsigned char)*p)) width = (int)strtol(p, (char **)&p, 10);
        if (*p == '.') {
            p++;
            bool digits = isdigit((unsigned char)*p);
            bool time = strchr("WXYZ", *p) && *p; /* %.Y: all that the clock has */
            precision = digits ? (int)strtol(p, (char **)&p, 10) : time ? 9 : 0;
        }
        if ((*p == 'H' || *p == 'L') && (p[1] == 'd' || p[1] == 'r')) modifier = *p++;
        if (*p == '\0' || *p == '%') {
            if (p - start > 1 && *p == '%')
                g_die(1, "%s: invalid directive", g_quote_bytes(start, (size_t)(p - start) + 1));
            g_outc('%');
            if (*p) p++;
            else if (p - start > 1)
                g_die(1, "%s: invalid directive", g_quote_bytes(start, (size_t)(p - start)));
            continue;
        }
        if (fs) put_fs(s, *p, modifier, flags, width, precision);
        else put_file(s, *p, modifier, flags, width, precision);
        p++;
    }
    g_text_free(&bytes);
}

static const char terse_file[] = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
static const char terse_fs[] = "%n %i %l %t %s %S %b %f %a %c %d\n";
static const char long_fs[] =
    "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: "
    "%S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";

static const char *long_file(const struct stat *st) {
    bool device = S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode);
    return device ? "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
                    "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n"
                    "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
                    "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"
                  : "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
                    "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n"
                    "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
                    "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
}

static void find_birth(subject *s, bool follow) {
#if defined(STATX_BTIME)
    struct statx sx;
    if (statx(AT_FDCWD, s->name, follow ? 0 : AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) == 0 &&
        sx.stx_mask & STATX_BTIME) {
        s->birth = (struct timespec){sx.stx_btime.tv_sec, sx.stx_btime.tv_nsec};
        s->has_birth = true;
    }
#else
    (void)follow;
    (void)s;
#endif
}

enum { PRINTF = 256, CACHED };
static const g_long longs[] = {{"dereference", 'L', G_NONE}, {"file-system", 'f', G_NONE},
                               {"format", 'c', G_REQUIRED},  {"printf", PRINTF, G_REQUIRED},
                               {"terse", 't', G_NONE},       {"cached", CACHED, G_REQUIRED},
                               {0}};

static const g_word cache_modes[] = {{"default", 0}, {"never", 1}, {"always", 2}, {0}};

int stat_main(int argc, char **argv) {
    bool follow = false, fs = false, terse = false, escapes = false;
    const char *format = NULL;
    g_options o = g_options_of(argc, argv, "c:fLt", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'L': follow = true; break;
        case 'f': fs = true; break;
        case 't': terse = true; break;
        case 'c': case PRINTF:
            format = o.arg;
            escapes = option == PRINTF;
            break;
        case CACHED: g_match_word("--cached", o.arg, cache_modes); break;
        }
    if (o.at == argc) g_missing_operand(NULL);
    int status = 0;
    for (int i = o.at; i < argc; i++) {
        subject s = {.name = argv[i]};
        bool standard = strcmp(argv[i], "-") == 0;
        if (fs) {
            if (standard)
                g_die(1, "using %s to denote standard input does not work in file system mode",
                      g_quoteaf("-"));
            if (statvfs(argv[i], &s.fs) < 0) {
                g_warn_errno(errno, "cannot read file system information for %s", g_quoteaf(argv[i]));
                status = 1;
                continue;
            }
        } else if (standard ? fstat(STDIN_FILENO, &s.st) : (follow ? stat : lstat)(argv[i], &s.st)) {
            if (standard) g_warn_errno(errno, "cannot stat standard input");
            else g_warn_errno(errno, "cannot statx %s", g_quoteaf(argv[i]));
            status = 1;
            continue;
        }
        if (!fs && !standard) find_birth(&s, follow);
        if (format) {
            put_formatted(&s, format, fs, escapes);
            if (!escapes) g_outc('\n');
        } else {
            s.plain = true;
            const char *chosen = fs ? (terse ? terse_fs : long_fs) : terse ? terse_file : long_file(&s.st);
            put_formatted(&s, chosen, fs, false);
        }
    }
    return status;
}
