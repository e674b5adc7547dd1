/*
 * mknod.c: makes special files. Devices are refused by the system, as they are to any user who is
 * not root; named pipes are not.
 *
 * help mknod:
 *   Usage: mknod [OPTION]... NAME TYPE [MAJOR MINOR]
 *   Create the special file NAME of the given TYPE.
 *
 *     -m, --mode=MODE   set file permission bits to MODE, not a=rw - umask
 *         --help        display this help and exit
 *         --version     output version information and exit
 *
 *   TYPE may be: b (block special), c or u (character special), p (FIFO).
 */
#include "g_file.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const g_long longs[] = {{"mode", 'm', G_REQUIRED}, {"context", 'Z', G_OPTIONAL}, {0}};

static mode_t mode_of(const char *text) {
    const g_mode_change *change = g_mode_parse(text);
    if (!change) g_die(1, "invalid mode");
    mode_t mask = umask(0), mode = g_mode_apply(change, 0666, false, mask);
    if (mode & ~(mode_t)0777) g_die(1, "mode must specify only file permission bits");
    return mode;
}

static unsigned long device_number(const char *text, const char *what) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (*end || end == text || errno || *text == '-')
        g_die(1, "invalid %s device number %s", what, g_quote(text));
    return value;
}

int mknod_main(int argc, char **argv) {
    const char *mode_text = NULL;
    g_options o = g_options_of(argc, argv, "m:Z", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        if (option == 'm') mode_text = o.arg;
    mode_t mode = mode_text ? mode_of(mode_text) : 0666;
    int count = argc - o.at;
    char **words = argv + o.at;
    bool fifo = count >= 2 && words[1][0] == 'p';
    int expected = fifo ? 2 : 4;
    if (count < expected) {
        if (count == 0) g_missing_operand(NULL);
        g_warn("missing operand after %s", g_quote(words[count - 1]));
        if (expected == 4 && count == 2)
            fputs("Special files require major and minor device numbers.\n", stderr);
        g_usage(NULL);
    }
    if (count > expected) {
        g_warn("extra operand %s", g_quote(words[expected]));
        if (fifo && count == 4)
            fputs("Fifos do not have major and minor device numbers.\n", stderr);
        g_usage(NULL);
    }
    if (fifo) {
        if (mkfifo(words[0], mode) < 0) g_die_errno(1, errno, "%s", g_quotef(words[0]));
        return 0;
    }
    if (!strchr("bcu", words[1][0]) || !words[1][0])
        g_usage("invalid device type %s", g_quote(words[1]));
    unsigned long major = device_number(words[2], "major"),
                  minor = device_number(words[3], "minor");
    mode_t type = words[1][0] == 'b' ? S_IFBLK : S_IFCHR;
    if (mknod(words[0], mode | type, (dev_t)(major << 8 | minor)) < 0)
        g_die_errno(1, errno, "%s", g_quotef(words[0]));
    return 0;
}
