/*
 * mkfifo.c: makes named pipes.
 *
 * Deviation: -Z (security contexts) is accepted and has no effect; there are none here.
 *
 * help mkfifo:
 *   Usage: mkfifo [OPTION]... NAME...
 *   Create named pipes (FIFOs) with the given NAMEs.
 *
 *     -m, --mode=MODE   set file permission bits to MODE, not a=rw - umask
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_file.h"
#include "g_mode.h"
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <sys/stat.h>

static const g_long longs[] = {{"mode", 'm', G_REQUIRED}, {"context", 'Z', G_OPTIONAL}, {0}};

int mkfifo_main(int argc, char **argv) {
    const char *text = NULL;
    g_options o = g_options_of(argc, argv, "m:Z", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        if (option == 'm') text = o.arg;
    if (o.at == argc) g_missing_operand(NULL);
    mode_t mode = 0666;
    if (text) {
        const g_mode_change *change = g_mode_parse(text);
        if (!change) g_die(1, "invalid mode");
        mode_t mask = umask(0);
        umask(mask);
        mode = g_mode_apply(change, 0666, false, mask);
        if (mode & ~(mode_t)0777) g_die(1, "mode must specify only file permission bits");
        umask(0); /* the mode that was asked for, exactly */
    }
    int status = 0;
    for (int i = o.at; i < argc; i++)
        if (mkfifo(argv[i], mode) < 0) {
            g_warn_errno(errno, "cannot create fifo %s", g_quoteaf(argv[i]));
            status = 1;
        }
    return status;
}
