/*
 * inplace.c: -i inplace: what is printed while a file is read takes its place.
 *
 * Standard output is a new file beside it, which gets its name when the next file begins, or END.
 */
#include "awk.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *target, *made; /* of the file that is being written; NULL: none is */
static int standard = -1;   /* what standard output was */

void inplace_end(void) {
    if (!target) return;
    g_out_flush();
    if (dup2(standard, STDOUT_FILENO) < 0) awk_fatal("inplace::end: dup2: %s", strerror(errno));
    close(standard);
    if (awk.inplace_suffix && *awk.inplace_suffix) {
        g_text backup = {0};
        g_text_adds(&backup, target);
        g_text_adds(&backup, awk.inplace_suffix);
        unlink(backup.s);
        if (link(target, backup.s) < 0)
            awk_fatal("inplace::end: link(`%s', `%s') failed: %s", target, backup.s,
                      strerror(errno));
        g_text_free(&backup);
    }
    if (rename(made, target) < 0)
        awk_fatal("inplace::end: rename(`%s', `%s') failed: %s", made, target, strerror(errno));
    free(target);
    free(made);
    target = made = NULL;
}

void inplace_begin(const char *name, int fd) {
    struct stat st;
    inplace_end();
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        awk_warn("inplace::begin: `%s' is not a regular file", name);
        return;
    }
    g_text path = {0};
    g_text_addf(&path, "%s.gawk.XXXXXX", name);
    int out = mkstemp(path.s);
    if (out < 0) awk_fatal("inplace::begin: mkstemp(`%s') failed: %s", path.s, strerror(errno));
    fchmod(out, st.st_mode & 07777);
    g_out_flush();
    standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (standard < 0 || dup2(out, STDOUT_FILENO) < 0)
        awk_fatal("inplace::begin: dup2: %s", strerror(errno));
    close(out);
    target = g_copy_string(name);
    made = path.s;
}
