/*
 * file.c: tells what files are.
 *
 * By a small table of its own (file_magic.c, file_text.c), not by libmagic's: the formats that come
 * up in a sandbox, in the words of file(1) 5.44. Left out: -C, -m, -e, -p, -z.
 *
 * help file:
 *   Usage: file [OPTION...] [FILE...]
 *   Determine type of FILEs.
 *
 *     -b, --brief                do not prepend filenames to output lines
 *     -f, --files-from FILE      read the filenames to be examined from FILE
 *     -F, --separator STRING     use string as separator instead of `:'
 *     -i, --mime                 output MIME type strings (--mime-type and --mime-encoding)
 *         --mime-type            output the MIME type
 *         --mime-encoding        output the MIME encoding
 *     -h, --no-dereference       don't follow symlinks (default)
 *     -L, --dereference          follow symlinks
 *     -N, --no-pad               do not pad output
 *     -0, --print0               terminate filenames with ASCII NUL
 *     -s, --special-files        accepted, without effect
 *         --help                 display this help and exit
 *     -v, --version              output version information and exit
 */
#include "file.h"
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { LOOK = 1 << 20 };

typedef struct {
    bool brief, mime_type, mime_encoding, follow, no_pad, print0;
    const char *separator;
    size_t width;
} options;

static void set(file_kind *k, const char *words, const char *mime, const char *encoding) {
    g_text_adds(&k->words, words);
    k->mime = mime;
    k->encoding = encoding;
}

static void look_into(int fd, file_kind *k) {
    char *b = g_alloc(LOOK);
    size_t len = 0;
    for (ssize_t n; len < LOOK && (n = g_read(fd, b + len, LOOK - len)) > 0;) len += (size_t)n;
    const unsigned char *bytes = (const unsigned char *)b;
    if (len == 0)
        set(k, "empty", "inode/x-empty", "binary");
    else if (!file_magic(bytes, len, k))
        file_text(bytes, len, len < LOOK, k);
    /* gzip keeps the plain size at the very end. */
    if (len >= 18 && len < LOOK && bytes[0] == 0x1f && bytes[1] == 0x8b) {
        const unsigned char *t = bytes + len - 4;
        g_text_addf(&k->words, ", original size modulo 2^32 %u",
                    (unsigned)((uint32_t)t[0] | (uint32_t)t[1] << 8 | (uint32_t)t[2] << 16 |
                               (uint32_t)t[3] << 24));
    }
    free(b);
}

static void link_kind(const char *name, file_kind *k) {
    struct stat st;
    char *to = g_read_link(name);
    bool broken = stat(name, &st) < 0;
    g_text_addf(&k->words, "%s to %s", broken ? "broken symbolic link" : "symbolic link",
                to ? to : "?");
    k->mime = "inode/symlink";
    k->encoding = broken ? NULL : "binary";
    free(to);
}

/* False when the file cannot be looked at; the words then say why. */
static bool examine(const options *o, const char *name, file_kind *k) {
    struct stat st;
    bool standard = strcmp(name, "-") == 0;
    if (standard) {
        look_into(STDIN_FILENO, k);
        return true;
    }
    if ((o->follow ? stat(name, &st) : lstat(name, &st)) < 0) {
        g_text_addf(&k->words, "cannot open `%s' (%s)", name, strerror(errno));
        return false;
    }
    switch (st.st_mode & S_IFMT) {
    case S_IFDIR: set(k, "directory", "inode/directory", "binary"); return true;
    case S_IFLNK: link_kind(name, k); return true;
    case S_IFIFO: set(k, "fifo (named pipe)", "inode/fifo", "binary"); return true;
    case S_IFSOCK: set(k, "socket", "inode/socket", "binary"); return true;
    case S_IFCHR:
    case S_IFBLK:
        g_text_addf(&k->words, "%s special (%u/%u)", S_ISCHR(st.st_mode) ? "character" : "block",
                    (unsigned)major(st.st_rdev), (unsigned)minor(st.st_rdev));
        k->mime = S_ISCHR(st.st_mode) ? "inode/chardevice" : "inode/blockdevice";
        k->encoding = "binary";
        return true;
    }
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        g_text_addf(&k->words, "regular file, no read permission");
        k->mime = "inode/x-unreadable";
        k->encoding = "binary";
        return true;
    }
    look_into(fd, k);
    close(fd);
    return true;
}

static void show(const options *o, const char *name) {
    file_kind k = {0};
    bool known = examine(o, name, &k);
    const char *shown = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
    if (!o->brief) {
        g_outs(shown);
        if (o->print0) g_outc('\0');
        g_outs(o->separator);
        size_t width = g_text_width(shown, strlen(shown));
        if (!o->no_pad && o->width > width) g_out_fill(' ', o->width - width);
        g_outc(' ');
    }
    if (!known || (!o->mime_type && !o->mime_encoding))
        g_outs(k.words.s);
    else {
        if (o->mime_type) g_outs(k.mime);
        if (o->mime_type && o->mime_encoding && k.encoding) g_outs("; charset=");
        if (o->mime_encoding && k.encoding) g_outs(k.encoding);
    }
    g_outc('\n');
    g_text_free(&k.words);
}

static void show_listed(const options *o, const char *list) {
    int fd = g_open_input(list);
    if (fd < 0) g_exit(1);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *name = g_copy_bytes(line.s, line.len);
        show(o, name);
        free(name);
    }
    g_reader_free(&in);
    g_close_input(fd);
}

enum { MIME_TYPE = 256, MIME_ENCODING, REFUSED };
static const g_long longs[] = {{"brief", 'b', G_NONE},
                               {"files-from", 'f', G_REQUIRED},
                               {"separator", 'F', G_REQUIRED},
                               {"mime", 'i', G_NONE},
                               {"mime-type", MIME_TYPE, G_NONE},
                               {"mime-encoding", MIME_ENCODING, G_NONE},
                               {"no-dereference", 'h', G_NONE},
                               {"dereference", 'L', G_NONE},
                               {"no-pad", 'N', G_NONE},
                               {"print0", '0', G_NONE},
                               {"special-files", 's', G_NONE},
                               {"keep-going", 'k', G_NONE},
                               {"raw", 'r', G_NONE},
                               {"version", 'v', G_NONE},
                               {"uncompress", 'z', G_NONE},
                               {"magic-file", 'm', G_REQUIRED},
                               {"extension", REFUSED, G_NONE},
                               {"compile", 'C', G_NONE},
                               {0}};

int file_main(int argc, char **argv) {
    options o = {.separator = ":"};
    const char *list = NULL;
    g_options g = g_options_of(argc, argv, "bf:F:ihLN0skrvzm:CEnS", longs);
    for (int option; (option = g_option(&g)) >= 0;)
        switch (option) {
        case 'b': o.brief = true; break;
        case 'f': list = g.arg; break;
        case 'F': o.separator = g.arg; break;
        case 'i': o.mime_type = o.mime_encoding = true; break;
        case MIME_TYPE: o.mime_type = true; break;
        case MIME_ENCODING: o.mime_encoding = true; break;
        case 'h': o.follow = false; break;
        case 'L': o.follow = true; break;
        case 'N': o.no_pad = true; break;
        case '0': o.print0 = true; break;
        case 'v': g_print_version(); return 0;
        case 'z':
        case 'm':
        case 'C':
        case REFUSED: g_die(1, "-%c is not supported", option == REFUSED ? '-' : option);
        }
    if (g.at == argc && !list) {
        g_out_flush();
        static const char usage[] =
            "Usage: file [-bhiLNs0] [--mime-encoding] [--mime-type] [-F <separator>]\n"
            "            [-f <namefile>] <file> ...\n       file [--help]\n";
        if (write(STDERR_FILENO, usage, sizeof usage - 1) < 0) return 1;
        return 1;
    }
    for (int i = g.at; i < argc; i++) {
        size_t width = g_text_width(argv[i], strlen(argv[i]));
        if (width > o.width) o.width = width;
    }
    if (list) show_listed(&o, list);
    for (int i = g.at; i < argc; i++) show(&o, argv[i]);
    return 0;
}
