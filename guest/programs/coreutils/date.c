/*
 * date.c: prints the date. It cannot be set here.
 *
 * help date:
 *   Usage: date [OPTION]... [+FORMAT]
 *   Display date and time in the given FORMAT.
 *
 *     -d, --date=STRING         display time described by STRING, not 'now'
 *         --debug               (ignored)
 *     -f, --file=DATEFILE       like --date; once for each line of DATEFILE
 *     -I[FMT], --iso-8601[=FMT]  output date/time in ISO 8601 format; FMT='date' (the default),
 *                                 'hours', 'minutes', 'seconds', or 'ns'
 *     -R, --rfc-email           output date and time in RFC 5322 format
 *         --rfc-3339=FMT        output date/time in RFC 3339 format; FMT='date', 'seconds', or 'ns'
 *     -r, --reference=FILE      display the last modification time of FILE
 *     -u, --utc, --universal    print Coordinated Universal Time (UTC)
 *         --help                display this help and exit
 *         --version             output version information and exit
 *
 *   FORMAT: %% %a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %N %p %P %q %r %R %s
 *   %S %t %T %u %U %V %w %W %x %X %y %Y %z %:z %::z %:::z %Z, with flags - _ 0 + ^ # and a width.
 */
#include "g_file.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_time.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the exit status. */
static int put_date(const char *format, g_moment t) {
    g_civil c = {0};
    size_t len;
    const int64_t days = 400000, last = 67768036191676799, first = -67768040609740800;
    bool known = t.seconds > first - days && t.seconds < last + days;
    if (known) g_civil_local(t.seconds, &c);
    if (!known || c.year - 1900 > INT_MAX || c.year - 1900 < INT_MIN) { /* as in struct tm */
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, t.seconds);
        g_warn("time %s is out of range", g_quote(number));
        return 1;
    }
    char *text = g_strftime(format, &c, t.seconds, t.nanoseconds, &len);
    g_out(text, len);
    g_outc('\n');
    free(text);
    return 0;
}

static int put_file(const char *name, const char *format) {
    int fd = g_open_input(name), status = 0;
    if (fd < 0) return 1;
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line)) {
        char *text = g_copy_bytes(line.s, line.len);
        g_moment t;
        if (g_date_parse(text, g_now(), &t)) {
            status |= put_date(format, t);
        } else {
            g_warn("invalid date %s", g_quote(text));
            status = 1;
        }
        free(text);
    }
    g_reader_free(&in);
    g_close_input(fd);
    return status;
}

enum { RFC3339 = 256, DEBUG, RESOLUTION };
static const g_long longs[] = {{"date", 'd', G_REQUIRED},
                               {"debug", DEBUG, G_NONE},
                               {"file", 'f', G_REQUIRED},
                               {"iso-8601", 'I', G_OPTIONAL},
                               {"reference", 'r', G_REQUIRED},
                               {"resolution", RESOLUTION, G_NONE},
                               {"rfc-822", 'R', G_NONE},
                               {"rfc-2822", 'R', G_NONE},
                               {"rfc-email", 'R', G_NONE},
                               {"rfc-3339", RFC3339, G_REQUIRED},
                               {"set", 's', G_REQUIRED},
                               {"uct", 'u', G_NONE},
                               {"utc", 'u', G_NONE},
                               {"universal", 'u', G_NONE},
                               {0}};
enum { HOURS, MINUTES, DATE, SECONDS, NANOSECONDS };
static const g_word iso_words[] = {{"hours", HOURS},     {"minutes", MINUTES}, {"date", DATE},
                                   {"seconds", SECONDS}, {"ns", NANOSECONDS},  {0}};
static const g_word rfc_words[] = {{"date", DATE}, {"seconds", SECONDS}, {"ns", NANOSECONDS}, {0}};
static const char *const iso_formats[] = {"%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%d",
                                          "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S,%N%:z"};
static const char *const rfc_formats[] = {"", "", "%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z",
                                          "%Y-%m-%d %H:%M:%S.%N%:z"};

int date_main(int argc, char **argv) {
    const char *date = NULL, *file = NULL, *reference = NULL, *format = NULL;
    bool several = false, set = false, resolution = false;
    g_options o = g_options_of(argc, argv, "d:f:I::r:Rs:u", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        const char *new_format = NULL;
        switch (option) {
        case 'd': date = o.arg; break;
        case 'f': file = o.arg; break;
        case 'r': reference = o.arg; break;
        case 's': set = true; break;
        case 'u':
            setenv("TZ", "UTC0", 1); /* for what comes after a zone of -d's, too */
            g_zone_set(NULL);
            break;
        case 'R': new_format = "%a, %d %b %Y %H:%M:%S %z"; break;
        case 'I':
            new_format = iso_formats[o.arg ? g_match_word("--iso-8601", o.arg, iso_words) : DATE];
            break;
        case RFC3339: new_format = rfc_formats[g_match_word("--rfc-3339", o.arg, rfc_words)]; break;
        case RESOLUTION: resolution = true; break;
        }
        if (new_format) {
            if (format) several = true;
            format = new_format;
        }
    }
    if (several) g_die(1, "multiple output formats specified");
    if ((date != NULL) + (file != NULL) + (reference != NULL) + resolution > 1)
        g_usage("the options to specify dates for printing are mutually exclusive");
    if (o.at < argc) {
        const char *operand = argv[o.at];
        if (argc - o.at > 1) g_usage("extra operand %s", g_quote(argv[o.at + 1]));
        if (*operand == '+') {
            if (format) g_die(1, "multiple output formats specified");
            format = operand + 1;
        } else if (date || file || reference) {
            g_warn("the argument %s lacks a leading '+';\nwhen using an option to specify date(s), "
                   "any non-option\nargument must be a format string beginning with '+'",
                   g_quote(operand));
            g_try_help(1);
        } else {
            size_t digits = strspn(operand, "0123456789.");
            if (operand[digits] || digits < 8) g_die(1, "invalid date %s", g_quote(operand));
            set = true;
        }
    }
    if (set) g_die_errno(1, EPERM, "cannot set date");
    if (!format) format = resolution ? "%s.%N" : "%a %b %e %H:%M:%S %Z %Y";
    if (file) return put_file(file, format);
    g_moment t = g_now();
    if (resolution) t = (g_moment){0, 1};
    if (reference) {
        struct stat st;
        if (stat(reference, &st) < 0) g_die_errno(1, errno, "%s", g_quotef(reference));
        t = (g_moment){st.st_mtim.tv_sec, (int)st.st_mtim.tv_nsec};
    } else if (date && !g_date_parse(date, t, &t)) {
        g_die(1, "invalid date %s", g_quote(date));
    }
    return put_date(format, t);
}
