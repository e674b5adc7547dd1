/*
 * touch.c: changes file times, and makes files.
 *
 * help touch:
 *   Usage: touch [OPTION]... FILE...
 *   Update the access and modification times of each FILE to the current time.
 *   A FILE argument that does not exist is created empty, unless -c or -h is supplied.
 *
 *     -a                     change only the access time
 *     -c, --no-create        do not create any files
 *     -d, --date=STRING      parse STRING and use it instead of current time
 *     -f                     (ignored)
 *     -h, --no-dereference   affect each symbolic link instead of any referenced file
 *     -m                     change only the modification time
 *     -r, --reference=FILE   use this file's times instead of current time
 *     -t STAMP               use [[CC]YY]MMDDhhmm[.ss] instead of current time
 *         --time=WORD        change the specified time: access, atime, use (like -a);
 *                              modify, mtime (like -m)
 *         --help             display this help and exit
 *         --version          output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_time.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int two_digits(const char *s) {
    if (s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9') return -1;
    return (s[0] - '0') * 10 + s[1] - '0';
}

/* [[CC]YY]MMDDhhmm[.ss] in local time. */
static bool read_stamp(const char *text, g_moment now, int64_t *out) {
    size_t len = strcspn(text, ".");
    g_civil c;
    g_civil_local(now.seconds, &c);
    c.second = 0;
    c.dst = -1;
    if (text[len] == '.') {
        if (strlen(text + len) != 3 || (c.second = two_digits(text + len + 1)) < 0 || c.second > 60)
            return false;
    }
    int part[6];
    if (len != 8 && len != 10 && len != 12) return false;
    for (size_t i = 0; i < len; i += 2)
        if ((part[i / 2] = two_digits(text + i)) < 0) return false;
    int *p = part;
    if (len == 12) {
        c.year = p[0] * 100 + p[1];
        p += 2;
    } else if (len == 10) {
        c.year = p[0] + (p[0] < 69 ? 2000 : 1900);
        p += 1;
    }
    if (p[0] < 1 || p[0] > 12 || p[1] < 1 || p[1] > g_days_in_month(c.year, p[0] - 1) ||
        p[2] > 23 || p[3] > 59) {
        return false;
    }
    c.month = p[0] - 1;
    c.day = p[1];
    c.hour = p[2];
    c.minute = p[3];
    return g_time_from_local(&c, out);
}

static int touch(const char *path, const struct timespec times[2], bool create, bool no_deref) {
    int fd = -1;
    if (strcmp(path, "-") == 0) {
        if (futimens(STDOUT_FILENO, times) == 0) return 0;
        g_warn_errno(errno, "setting times of %s", g_quoteaf(path));
        return 1;
    }
    int open_error = 0;
    if (create && !no_deref) {
        fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
        if (fd < 0) open_error = errno;
    }
    int result = fd >= 0 ? futimens(fd, times)
                         : utimensat(AT_FDCWD, path, times, no_deref ? AT_SYMLINK_NOFOLLOW : 0);
    int error = errno;
    if (fd >= 0) close(fd);
    if (result == 0) return 0;
    if (open_error && open_error != EISDIR && open_error != EPERM && open_error != EACCES &&
        !(open_error == EINVAL)) {
        g_warn_errno(open_error, "cannot touch %s", g_quoteaf(path));
        return 1;
    }
    if (!create && error == ENOENT) return 0;
    if (open_error == EACCES && error == ENOENT) error = open_error;
    g_warn_errno(error,
                 open_error && open_error != EISDIR ? "cannot touch %s" : "setting times of %s",
                 g_quoteaf(path));
    return 1;
}

enum { TIME = 256 };
static const g_long longs[] = {
    {"time", TIME, G_REQUIRED},     {"no-create", 'c', G_NONE}, {"date", 'd', G_REQUIRED},
    {"reference", 'r', G_REQUIRED}, {"no-dereference", 'h', G_NONE}, {0}};
static const g_word words[] = {{"atime", 'a'}, {"access", 'a'}, {"use", 'a'},
                               {"mtime", 'm'}, {"modify", 'm'}, {0}};

int touch_main(int argc, char **argv) {
    bool atime = false, mtime = false, create = true, no_deref = false;
    const char *date = NULL, *reference = NULL, *stamp = NULL;
    g_moment now = g_now();
    int64_t stamped = 0;
    g_options o = g_options_of(argc, argv, "acd:fhmr:t:", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == TIME) option = g_match_word("--time", o.arg, words);
        switch (option) {
        case 'a': atime = true; break;
        case 'm': mtime = true; break;
        case 'c': create = false; break;
        case 'd': date = o.arg; break;
        case 'h': no_deref = true; break;
        case 'r': reference = o.arg; break;
        case 't':
            if (!read_stamp(o.arg, now, &stamped))
                g_die(1, "invalid date format %s", g_quote(o.arg));
            stamp = o.arg;
            break;
        }
    }
    if (!atime && !mtime) atime = mtime = true;
    if (stamp && (date || reference)) g_usage("cannot specify times from more than one source");
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    if (reference) {
        struct stat st;
        if ((no_deref ? lstat : stat)(reference, &st) < 0)
            g_die_errno(1, errno, "failed to get attributes of %s", g_quoteaf(reference));
        times[0] = st.st_atim;
        times[1] = st.st_mtim;
    }
    if (stamp) {
        times[0].tv_sec = times[1].tv_sec = (time_t)stamped;
        times[0].tv_nsec = times[1].tv_nsec = 0;
    }
    for (int i = 0; date && i < 2; i++) {
        g_moment base = now, result;
        if (reference) base = (g_moment){times[i].tv_sec, (int)times[i].tv_nsec};
        if (!g_date_parse(date, base, &result))
            g_die(1, "invalid date format %s", g_quote(date));
        times[i].tv_sec = (time_t)result.seconds;
        times[i].tv_nsec = result.nanoseconds;
    }
    if (!atime) times[0].tv_nsec = UTIME_OMIT;
    if (!mtime) times[1].tv_nsec = UTIME_OMIT;
    if (o.at == argc) g_usage("missing file operand");
    int status = 0;
    for (int i = o.at; i < argc; i++) status |= touch(argv[i], times, create, no_deref);
    return status;
}
