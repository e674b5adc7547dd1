/*
 * head.c: the first part of files.
 *
 * help head:
 *   Usage: head [OPTION]... [FILE]...
 *   Print the first 10 lines of each FILE to standard output.
 *   With more than one FILE, precede each with a header giving the file name.
 *
 *     -c, --bytes=[-]NUM       print the first NUM bytes of each file; with the leading '-', print
 *                                all but the last NUM bytes of each file
 *     -n, --lines=[-]NUM       print the first NUM lines instead of the first 10; with the leading
 *                                '-', print all but the last NUM lines of each file
 *     -q, --quiet, --silent    never print headers giving file names
 *     -v, --verbose            always print headers giving file names
 *     -z, --zero-terminated    line delimiter is NUL, not newline
 *         --help               display this help and exit
 *         --version            output version information and exit
 *
 *   NUM may have a multiplier suffix: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on
 *   for G, T, P, E, Z, Y. The old form -NUM[bkm][cqv] is accepted.
 */
#include "g_file.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"


#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (64u << 10)

typedef struct {
    uint64_t count;
    bool bytes, all_but; /* all_but: leave out that many at the end */
    char end;
} range;

/* After reading too much from a file, step back so that the next reader gets the rest. */
static void give_back(int fd, size_t unused) {
    if (unused) lseek(fd, -(off_t)unused, SEEK_CUR);
}

static int first_bytes(int fd, uint64_t count, char *block) {
    while (count > 0) {
        ssize_t n = g_read(fd, block, count < BLOCK ? (size_t)count : BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        g_out(block, (size_t)n);
        count -= (uint64_t)n;
    }
    return 0;
}

static int first_lines(int fd, uint64_t count, char end, char *block) {
    while (count > 0) {
        ssize_t n = g_read(fd, block, BLOCK);
        if (n <= 0) return n < 0 ? errno : 0;
        char *stop = block + n, *at = g_skip_lines(block, stop, end, &count);
        g_out(block, (size_t)(at - block));
        if (count == 0) give_back(fd, (size_t)(stop - at));
    }
    return 0;
}

/* A queue of what has been read and may still be part of the end. */
typedef struct {
    char *s;
    size_t start, len, cap;
} queue;

static int fill(queue *q, int fd) {
    if (q->start > q->cap / 2) {
        memmove(q->s, q->s + q->start, q->len - q->start);
        q->len -= q->start;
        q->start = 0;
    }
    if (q->cap - q->len < BLOCK) {
        q->cap = q->cap * 2 + BLOCK;
        q->s = g_realloc(q->s, q->cap);
    }
    ssize_t n = g_read(fd, q->s + q->len, BLOCK);
    if (n < 0) return -errno;
    q->len += (size_t)n;
    return n > 0;
}

static int all_but_bytes(int fd, uint64_t count) {
    queue q = {0};
    int more;
    while ((more = fill(&q, fd)) > 0) {
        size_t have = q.len - q.start;
        if (have <= count) continue;
        size_t give = have - (size_t)count;
        g_out(q.s + q.start, give);
        q.start += give;
    }
    free(q.s);
    return -more;
}

/* A line leaves the queue when `count` line ends follow it. */
static int all_but_lines(int fd, uint64_t count, char end) {
    queue q = {0};
    uint64_t lines = 0; /* line ends in the queue */
    int more;
    size_t scanned = 0; /* from q.start */
    while ((more = fill(&q, fd)) > 0) {
        char *at = q.s + q.start + scanned, *stop = q.s + q.len;
        while ((at = memchr(at, end, (size_t)(stop - at)))) {
            at++;
            if (++lines <= count) continue;
            /* One line at the front is certainly not among the last. */
            char *front = memchr(q.s + q.start, end, q.len - q.start);
            size_t give = (size_t)(front + 1 - (q.s + q.start));
            g_out(q.s + q.start, give);
            q.start += give;
            lines--;
        }
        scanned = q.len - q.start;
    }
    /* A last line without its end counts as a line too. */
    if (more == 0 && q.len > q.start && q.s[q.len - 1] != end && lines == count && count > 0) {
        char *front = memchr(q.s + q.start, end, q.len - q.start);
        if (front) g_out(q.s + q.start, (size_t)(front + 1 - (q.s + q.start)));
    } else if (count == 0 && q.len > q.start) {
        g_out(q.s + q.start, q.len - q.start);
    }
    free(q.s);
    return -more;
}

static int head(int fd, const range *r, char *block) {
    if (r->all_but) return r->bytes ? all_but_bytes(fd, r->count) : all_but_lines(fd, r->count, r->end);
    return r->bytes ? first_bytes(fd, r->count, block) : first_lines(fd, r->count, r->end, block);
}

static int head_file(const char *name, const range *r, bool header, bool *first, char *block) {
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        g_warn_errno(errno, "cannot open %s for reading", g_quoteaf(name));
        return 1;
    }
    if (header) {
        g_outf("%s==> %s <==\n", *first ? "" : "\n", standard ? "standard input" : name);
        *first = false;
    }
    int error = head(fd, r, block);
    if (error) g_warn_errno(error, "error reading %s", g_quoteaf(standard ? "standard input" : name));
    g_close_input(fd);
    return error != 0;
}

static void set_count(range *r, const char *text) {
    r->all_but = *text == '-';
    if (r->all_but) text++;
    uint64_t value;
    enum g_number_result result = g_parse_unsigned(text, "bEGKkMmPTYZ0", &value, NULL);
    const char *what = r->bytes ? "invalid number of bytes" : "invalid number of lines";
    if (result == G_NUMBER_OVERFLOW) g_die_errno(1, EOVERFLOW, "%s: %s", what, g_quote(text));
    if (result != G_NUMBER_OK) g_die(1, "%s: %s", what, g_quote(text));
    r->count = value;
}

/* -NUM[bkm][cqvz]..., as the first argument only. Returns true when it was one. */
static bool old_style(const char *arg, range *r, int *header) {
    if (arg[0] != '-' || !isdigit((unsigned char)arg[1])) return false;
    const char *p = arg + 1 + strspn(arg + 1, "0123456789");
    char number[64];
    size_t digits = (size_t)(p - arg - 1);
    if (digits > 40) digits = 40;
    memcpy(number, arg + 1, digits);
    number[digits] = '\0';
    char multiplier = 0;
    for (; *p; p++) {
        switch (*p) {
        case 'c': r->bytes = true; multiplier = 0; break;
        case 'b': case 'k': case 'm': r->bytes = true; multiplier = *p; break;
        case 'l': r->bytes = false; break;
        case 'q': *header = 0; break;
        case 'v': *header = 1; break;
        case 'z': r->end = '\0'; break;
        default: g_usage("invalid trailing option -- %c", *p);
        }
    }
    if (multiplier) {
        number[digits] = multiplier;
        number[digits + 1] = '\0';
    }
    set_count(r, number);
    return true;
}

static const g_long longs[] = {{"bytes", 'c', G_REQUIRED}, {"lines", 'n', G_REQUIRED},
                               {"quiet", 'q', G_NONE},     {"silent", 'q', G_NONE},
                               {"verbose", 'v', G_NONE},   {"zero-terminated", 'z', G_NONE},
                               {0}};

int head_main(int argc, char **argv) {
    range r = {.count = 10, .end = '\n'};
    int header = -1; /* unless told: with several files */
    if (argc > 1 && old_style(argv[1], &r, &header)) {
        argv++;
        argc--;
        argv[0] = (char *)g_name();
    }
    g_options o = g_options_of(argc, argv, "c:n:qvz0123456789", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c':
            r.bytes = true;
            set_count(&r, o.arg);
            break;
        case 'n':
            r.bytes = false;
            set_count(&r, o.arg);
            break;
        case 'q': header = 0; break;
        case 'v': header = 1; break;
        case 'z': r.end = '\0'; break;
        default: g_usage("invalid trailing option -- %c", option);
        }
    char *block = g_alloc(BLOCK);
    bool show = header >= 0 ? header : argc - o.at > 1, first = true;
    int status = 0;
    if (o.at == argc) status = head_file("-", &r, show, &first, block);
    for (int i = o.at; i < argc; i++) status |= head_file(argv[i], &r, show, &first, block);
    return status;
}
