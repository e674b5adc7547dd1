/*
 * tail.c: the last part of files, and following them as they grow.
 *
 * Regular files are read from their end. -f looks at the files again and again, sleeping between.
 *
 * help tail:
 *   Usage: tail [OPTION]... [FILE]...
 *   Print the last 10 lines of each FILE to standard output.
 *   With more than one FILE, precede each with a header giving the file name.
 *
 *     -c, --bytes=[+]NUM       output the last NUM bytes; or use -c +NUM to output starting with
 *                                byte NUM of each file
 *     -f, --follow[={name|descriptor}]  output appended data as the file grows
 *     -F                       same as --follow=name --retry
 *     -n, --lines=[+]NUM       output the last NUM lines, instead of the last 10; or use -n +NUM to
 *                                skip NUM-1 lines at the start
 *         --max-unchanged-stats=N  (ignored)
 *         --pid=PID            with -f, terminate after process ID, PID dies
 *     -q, --quiet, --silent    never output headers giving file names
 *         --retry              keep trying to open a file if it is inaccessible
 *     -s, --sleep-interval=N   with -f, sleep for approximately N seconds (default 1.0) between
 *                                iterations
 *     -v, --verbose            always output headers giving file names
 *     -z, --zero-terminated    line delimiter is NUL, not newline
 *         --help               display this help and exit
 *         --version            output version information and exit
 *
 *   NUM may have a multiplier suffix: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on.
 *   The old forms -NUM[bcl][f] and +NUM[bcl][f] are accepted.
 */
#include "g_file.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (64u << 10)

typedef struct {
    uint64_t count;
    bool bytes, from_start;
    char end;
    bool follow, by_name, retry;
    double pause;
    pid_t watched;
} options;

typedef struct {
    const char *name; /* as shown */
    int fd;           /* -1: cannot be read now */
    off_t size;
    struct stat st;
    bool ignored;
} file;

static int copy_rest(int fd, char *block) {
    for (;;) {
        ssize_t n = g_read(fd, block, BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        g_out(block, (size_t)n);
    }
}

static int skip_bytes(int fd, uint64_t count, char *block) {
    while (count > 0) {
        ssize_t n = g_read(fd, block, count < BLOCK ? (size_t)count : BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        count -= (uint64_t)n;
    }
    return copy_rest(fd, block);
}

static int skip_lines(int fd, uint64_t count, char end, char *block) {
    while (count > 0) {
        ssize_t n = g_read(fd, block, BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        char *stop = block + n, *at = g_skip_lines(block, stop, end, &count);
        if (count == 0) g_out(at, (size_t)(stop - at));
    }
    return copy_rest(fd, block);
}

/* Reads all of a stream, keeping only what can be the end. Most are short, and memory that a process
 * did not begin with costs more than all of its calls. */
static int end_of_stream(int fd, const options *o) {
    size_t cap = BLOCK / 2, len = 0;
    char *s = g_alloc(cap);
    ssize_t n;
    size_t limit = o->bytes && o->count < SIZE_MAX / 4 ? (size_t)o->count : SIZE_MAX / 4;
    uint64_t lines = 0;
    for (;;) {
        if (cap - len < (cap < BLOCK ? cap / 8 : BLOCK)) {
            size_t drop = 0;
            if (o->bytes) {
                drop = len > limit ? len - limit : 0;
            } else if (lines > o->count + 1) {
                for (uint64_t extra = lines - o->count - 1; extra > 0; extra--, lines--)
                    drop = (size_t)((char *)memchr(s + drop, o->end, len - drop) + 1 - s);
            }
            if (drop > cap / 4) {
                memmove(s, s + drop, len - drop);
            } else {
                memmove(s, s + drop, len - drop);
                cap = cap < BLOCK ? 2 * BLOCK : cap * 2;
                s = g_realloc(s, cap);
            }
            len -= drop;
        }
        n = g_read(fd, s + len, cap - len < BLOCK ? cap - len : BLOCK);
        if (n <= 0) break;
        if (!o->bytes) {
            char *at = s + len, *stop = at + n;
            while ((at = memchr(at, o->end, (size_t)(stop - at)))) {
                at++;
                lines++;
            }
        }
        len += (size_t)n;
    }
    int error = n < 0 ? errno : 0;
    size_t start = 0;
    if (o->bytes) {
        if (len > limit) start = len - limit;
    } else {
        uint64_t want = o->count;
        start = len;
        if (len > 0 && s[len - 1] == o->end) start--;
        while (want > 0) {
            char *before = start ? memrchr(s, o->end, start) : NULL;
            if (!before) {
                start = 0;
                break;
            }
            start = (size_t)(before - s);
            if (--want == 0) start++;
        }
        if (o->count == 0) start = len;
    }
    if (len > start) g_out(s + start, len - start);
    free(s);
    return error;
}

/* Finds where the last `count` lines of a seekable file begin, reading from its end. */
static int seek_lines(int fd, off_t begin, off_t size, uint64_t count, char end, char *block) {
    off_t at = size;
    bool last = true; /* the file's very last byte does not end a line before it */
    if (count == 0) return lseek(fd, size, SEEK_SET) < 0 ? errno : 0;
    while (at > begin) {
        size_t len = (at - begin) % BLOCK ? (size_t)((at - begin) % BLOCK) : BLOCK;
        at -= (off_t)len;
        ssize_t n = pread(fd, block, len, at);
        pf_yield();
        if (n < 0) return errno;
        if ((size_t)n < len) len = (size_t)n;
        size_t i = len;
        if (last && len > 0 && block[len - 1] == end) i--;
        last = false;
        for (char *p; i > 0 && (p = memrchr(block, end, i)); i = (size_t)(p - block)) {
            if (--count > 0) continue;
            return lseek(fd, at + (p - block) + 1, SEEK_SET) < 0 ? errno : 0;
        }
    }
    return lseek(fd, begin, SEEK_SET) < 0 ? errno : 0;
}

static int tail(int fd, const options *o, char *block) {
    uint64_t skip = o->count ? o->count - 1 : 0;
    if (o->from_start && o->bytes) return skip_bytes(fd, skip, block);
    if (o->from_start) return skip_lines(fd, skip, o->end, block);
    struct stat st;
    off_t begin = lseek(fd, 0, SEEK_CUR);
    if (begin >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)BLOCK &&
        begin < st.st_size) {
        if (o->bytes) {
            uint64_t have = (uint64_t)(st.st_size - begin);
            uint64_t want = o->count < have ? o->count : have;
            if (lseek(fd, st.st_size - (off_t)want, SEEK_SET) < 0) return errno;
        } else {
            int error = seek_lines(fd, begin, st.st_size, o->count, o->end, block);
            if (error) return error;
        }
        return copy_rest(fd, block);
    }
    return end_of_stream(fd, o);
}

static void put_header(const char *name, bool *first) {
    g_outf("%s==> %s <==\n", *first ? "" : "\n", name);
    *first = false;
}

static int tail_file(file *f, const char *operand, const options *o, bool header, bool *first,
                     char *block) {
    bool standard = strcmp(operand, "-") == 0;
    f->name = standard ? "standard input" : operand;
    f->fd = standard ? STDIN_FILENO : open(operand, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) {
        g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(operand));
        if (!o->retry) f->ignored = true;
        return 1;
    }
    if (header) put_header(f->name, first);
    int error = tail(f->fd, o, block);
    if (error) {
        g_warn_errno(error, "error reading %s", g_quoteaf(f->name));
        f->ignored = true;
        if (o->follow && error == EISDIR)
            g_warn("%s: cannot follow end of this type of file%s", g_quotef(f->name),
                   o->retry ? "" : "; giving up on this name");
    }
    if (fstat(f->fd, &f->st) == 0) f->size = f->st.st_size;
    if (standard && !S_ISREG(f->st.st_mode)) f->ignored = true;
    if (!o->follow) g_close_input(f->fd);
    return error != 0;
}

/* With --follow=name: has the name come to mean another file? */
static void reopen(file *f, const options *o) {
    struct stat st;
    if (f->fd == STDIN_FILENO) return;
    if (stat(f->name, &st) < 0) {
        if (f->fd >= 0) {
            g_warn_errno(errno, "%s has become inaccessible", g_quoteaf(f->name));
            close(f->fd);
            f->fd = -1;
            if (!o->retry) f->ignored = true;
        }
        return;
    }
    if (f->fd >= 0 && st.st_ino == f->st.st_ino && st.st_dev == f->st.st_dev) return;
    bool replaced = f->fd >= 0;
    if (f->fd >= 0) close(f->fd);
    f->fd = open(f->name, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) return;
    g_warn(replaced ? "%s has been replaced;  following new file"
                    : "%s has appeared;  following new file",
           g_quoteaf(f->name));
    f->st = st;
    f->size = 0;
}

/* Waits between two looks. Nothing may come for ever, so a reader that is gone has to be noticed
 * here. */
static void wait_a_while(double seconds) {
    struct stat st;
    bool pipe = fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
    struct pollfd out = {.fd = pipe ? STDOUT_FILENO : -1};
    time_t whole = (time_t)seconds;
    struct timespec pause = {whole, (long)((seconds - (double)whole) * 1e9)};
    if (ppoll(&out, 1, &pause, NULL) <= 0) return;
    raise(SIGPIPE);
    g_exit(1); /* the signal is ignored */
}

static int follow(file *files, int count, const options *o, bool header, bool *first,
                  char *block) {
    int shown = count - 1;
    for (;;) {
        int alive = 0;
        bool any = false;
        for (int i = 0; i < count; i++) {
            file *f = &files[i];
            if (f->ignored) continue;
            if (o->by_name) reopen(f, o);
            if (f->ignored) continue;
            alive++;
            if (f->fd < 0) continue;
            struct stat st;
            if (fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < f->size) {
                g_warn("%s: file truncated", g_quotef(f->name));
                lseek(f->fd, 0, SEEK_SET);
                f->size = 0;
            }
            ssize_t n;
            while ((n = g_read(f->fd, block, BLOCK)) > 0) {
                if (header && shown != i) put_header(f->name, first);
                shown = i;
                g_out(block, (size_t)n);
                f->size += n;
                any = true;
            }
        }
        g_out_flush();
        if (!alive) {
            g_warn("no files remaining");
            return 1;
        }
        if (any) continue;
        if (o->watched > 0 && kill(o->watched, 0) < 0 && errno == ESRCH) return 0;
        wait_a_while(o->pause);
    }
}

static void set_count(options *t, const char *text) {
    t->from_start = *text == '+';
    const char *digits = *text == '+' || *text == '-' ? text + 1 : text;
    enum g_number_result result = g_parse_unsigned(digits, "bEGKkMmPTYZ0", &t->count, NULL);
    const char *what = t->bytes ? "invalid number of bytes" : "invalid number of lines";
    if (result == G_NUMBER_OVERFLOW) g_die_errno(1, EOVERFLOW, "%s: %s", what, g_quote(text));
    if (result != G_NUMBER_OK) g_die(1, "%s: %s", what, g_quote(text));
}

/* -NUM[bcl][f] or +NUM[bcl][f] as the only argument, or followed by one file. */
static bool old_style(int argc, char **argv, options *t) {
    if (argc < 2 || argc > 4) return false;
    const char *p = argv[1];
    bool plus = *p == '+';
    if (!plus && *p != '-') return false;
    if (plus && g_plus_is_a_name()) return false;
    p++;
    size_t digits = strspn(p, "0123456789");
    const char *after = p + digits;
    bool bytes = *after == 'c' || *after == 'b', unit = bytes || *after == 'l';
    if (!plus && digits == 0 && !(unit && (*after != 'c' || after[1]))) return false;
    if (plus && digits == 0 && !unit && *after != 'f' && *after != '\0') return false;
    if (plus && argc == 2 && *after == '\0' && digits == 0) return false;
    char scale = *after;
    after += unit;
    bool follow = *after == 'f';
    after += follow;
    if (*after) return false;
    if (argc == 4 && strcmp(argv[2], "--") != 0) return false;
    if (argc == 3 && argv[2][0] == '-' && argv[2][1] && strcmp(argv[2], "--") != 0) return false;
    t->bytes = bytes;
    t->follow = follow;
    t->from_start = plus;
    char number[48] = "10";
    if (digits && digits < 40) {
        memcpy(number, p, digits);
        number[digits] = '\0';
    }
    g_parse_unsigned(number, NULL, &t->count, NULL);
    if (scale == 'b') t->count *= 512;
    return true;
}

enum { FOLLOW = 256, RETRY, PID, UNCHANGED, QUIET };
static const g_long longs[] = {
    {"bytes", 'c', G_REQUIRED}, {"follow", FOLLOW, G_OPTIONAL}, {"lines", 'n', G_REQUIRED},
    {"max-unchanged-stats", UNCHANGED, G_REQUIRED}, {"pid", PID, G_REQUIRED},
    {"quiet", 'q', G_NONE}, {"retry", RETRY, G_NONE}, {"silent", 'q', G_NONE},
    {"sleep-interval", 's', G_REQUIRED}, {"verbose", 'v', G_NONE},
    {"zero-terminated", 'z', G_NONE}, {0}};
static const g_word follow_words[] = {{"descriptor", 'd'}, {"name", 'n'}, {0}};

int tail_main(int argc, char **argv) {
    options t = {.count = 10, .end = '\n', .pause = 1.0};
    int header = -1;
    if (old_style(argc, argv, &t)) {
        argv++;
        argc--;
        argv[0] = (char *)g_name();
    }
    g_options o = g_options_of(argc, argv, "c:n:fFqs:vz0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c': case 'n':
            t.bytes = option == 'c';
            set_count(&t, o.arg);
            break;
        case 'F': t.follow = t.by_name = t.retry = true; break;
        case 'f': t.follow = true; break;
        case FOLLOW:
            t.follow = true;
            t.by_name = o.arg && g_match_word("--follow", o.arg, follow_words) == 'n';
            break;
        case 'q': header = 0; break;
        case 'v': header = 1; break;
        case 'z': t.end = '\0'; break;
        case RETRY: t.retry = true; break;
        case UNCHANGED:
            g_number(o.arg, "", 0, INT64_MAX,
                     "invalid maximum number of unchanged stats between opens");
            break;
        case PID: t.watched = (pid_t)g_number(o.arg, "", 0, INT32_MAX, "invalid PID"); break;
        case 's':
            if (!g_parse_real(o.arg, &t.pause) || t.pause < 0)
                g_die(1, "invalid number of seconds: %s", g_quote(o.arg));
            break;
        default: g_die(1, "option used in invalid context -- %c", option);
        }
    if (t.retry && !t.follow)
        g_warn("warning: --retry ignored; --retry is useful only when following");
    if (t.watched && !t.follow)
        g_warn("warning: PID ignored; --pid=PID is useful only when following");
    static char *only_stdin[] = {"-"};
    char **names = o.at < argc ? argv + o.at : only_stdin;
    int count = o.at < argc ? argc - o.at : 1, status = 0;
    if (t.count == 0 && !t.from_start && !t.follow) return 0;
    bool show = header >= 0 ? header : count > 1, first = true;
    char *block = g_alloc(BLOCK);
    file *files = g_zalloc((size_t)count * sizeof *files);
    for (int i = 0; i < count; i++)
        status |= tail_file(&files[i], names[i], &t, show, &first, block);
    if (!t.follow) return status;
    g_out_flush();
    bool any = false;
    for (int i = 0; i < count; i++) any = any || !files[i].ignored;
    if (!any) {
        if (status) g_warn("no files remaining");
        return status;
    }
    return follow(files, count, &t, show, &first, block) | status;
}
