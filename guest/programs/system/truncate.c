/*
 * truncate.c: shrinks or extends files to a size.
 *
 * help truncate:
 *   Usage: truncate OPTION... FILE...
 *   Shrink or extend the size of each FILE to the specified size
 *
 *     -c, --no-create        do not create any files
 *     -o, --io-blocks        treat SIZE as number of IO blocks instead of bytes
 *     -r, --reference=RFILE  base size on RFILE
 *     -s, --size=SIZE        set or adjust the file size by SIZE bytes; SIZE may begin with
 *                              '+' extend by, '-' reduce by, '<' at most, '>' at least,
 *                              '/' round down to multiple of, '%' round up to multiple of
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_number.h"
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char mode; /* 0 absolute, + - < > / % */
    int64_t size;
    bool create, blocks;
    int64_t reference; /* -1: none */
} request;

static bool new_size(const request *r, const char *name, const struct stat *st, int64_t *out) {
    int64_t size = r->size;
    if (r->blocks) {
        int64_t block = st->st_blksize > 0 ? st->st_blksize : 512;
        if (__builtin_mul_overflow(size, block, &size)) {
            g_warn("overflow in %" PRId64 " * %" PRId64 " byte blocks for file %s", r->size, block,
                   g_quoteaf(name));
            return false;
        }
    }
    int64_t base = r->reference >= 0 ? r->reference : st->st_size;
    bool overflow = false;
    switch (r->mode) {
    case '+':
    case '-': overflow = __builtin_add_overflow(base, size, &size); break;
    case '<': size = base < size ? base : size; break;
    case '>': size = base > size ? base : size; break;
    case '/': size = base / size * size; break;
    case '%': overflow = __builtin_add_overflow(base, (size - base % size) % size, &size); break;
    default:
        if (r->reference >= 0 && r->size < 0) size = base;
    }
    if (overflow) {
        g_warn("overflow extending size of file %s", g_quoteaf(name));
        return false;
    }
    *out = size < 0 ? 0 : size;
    return true;
}

static bool resize(const request *r, const char *name) {
    struct stat st;
    int fd = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | (r->create ? O_CREAT : 0), 0666);
    if (fd < 0) {
        if (!r->create && errno == ENOENT) return true;
        g_warn_errno(errno, "cannot open %s for writing", g_quoteaf(name));
        return false;
    }
    int64_t size;
    bool good = fstat(fd, &st) == 0 && new_size(r, name, &st, &size);
    if (good && ftruncate(fd, (off_t)size) < 0) {
        g_warn_errno(errno, "failed to truncate %s at %" PRId64 " bytes", g_quoteaf(name), size);
        good = false;
    }
    close(fd);
    return good;
}

static void read_size(request *r, const char *text) {
    const char *s = text + strspn(text, " \t");
    if (*s && strchr("<>/%", *s)) r->mode = *s++;
    s += strspn(s, " \t");
    if (*s == '+' || *s == '-') {
        if (r->mode) g_usage("multiple relative modifiers specified");
        r->mode = *s;
    }
    int64_t value;
    if (*s == '+' && (s[1] == '-' || s[1] == '+')) g_die(1, "Invalid number: %s", g_quote(s));
    enum g_number_result result =
        g_parse_signed(*s == '+' ? s + 1 : s, "EGKkMmPTYZ0", &value, NULL);
    if (result == G_NUMBER_OVERFLOW) g_die_errno(1, EOVERFLOW, "Invalid number: %s", g_quote(s));
    if (result != G_NUMBER_OK) g_die(1, "Invalid number: %s", g_quote(s));
    if ((r->mode == '/' || r->mode == '%') && value == 0) g_die(1, "division by zero");
    r->size = value;
}

static const g_long longs[] = {{"no-create", 'c', G_NONE},
                               {"io-blocks", 'o', G_NONE},
                               {"reference", 'r', G_REQUIRED},
                               {"size", 's', G_REQUIRED},
                               {0}};

int truncate_main(int argc, char **argv) {
    request r = {.create = true, .size = -1, .reference = -1};
    const char *reference = NULL;
    bool sized = false, good = true;
    g_options o = g_options_of(argc, argv, "cor:s:", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'c': r.create = false; break;
        case 'o': r.blocks = true; break;
        case 'r': reference = o.arg; break;
        case 's':
            read_size(&r, o.arg);
            sized = true;
            break;
        }
    if (!reference && !sized)
        g_usage("you must specify either %s or %s", g_quote("--size"), g_quote("--reference"));
    if (reference && sized && !r.mode)
        g_usage("you must specify a relative %s with %s", g_quote("--size"),
                g_quote("--reference"));
    if (r.blocks && !sized)
        g_usage("%s was specified but %s was not", g_quote("--io-blocks"), g_quote("--size"));
    if (o.at == argc) g_usage("missing file operand");
    if (reference) {
        struct stat st;
        if (stat(reference, &st) < 0) g_die_errno(1, errno, "cannot stat %s", g_quoteaf(reference));
        r.reference = st.st_size;
    }
    for (int i = o.at; i < argc; i++)
        if (!resize(&r, argv[i])) good = false;
    return !good;
}
