/*
 * cpio_pass.c: cpio -p: copies the files that are named below a directory.
 */
#include "cpio.h"
#include "g_file.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void copy(cpio_options *o, const cpio_member *m, const char *from, const char *to) {
    const char *first = m->nlink > 1 ? cpio_known_link(m, to) : NULL;
    if (o->link_files && cpio_make_link(o, from, to)) return;
    if (first && cpio_make_link(o, first, to)) return;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        cpio_error(o, errno, "%s: Cannot open", g_quotef(from));
        return;
    }
    int out = cpio_make_file(o, to);
    if (out >= 0) {
        bool reading;
        int error = g_copy_data(in, out, &reading);
        if (error)
            cpio_error(o, error, "%s: Cannot %s", g_quotef(reading ? from : to),
                       reading ? "read" : "write");
        cpio_finish(o, m, to, out);
    }
    close(in);
}

static uint64_t pass(cpio_options *o, const char *from, const char *to) {
    struct stat st, there;
    cpio_member m;
    if ((o->dereference ? stat : lstat)(from, &st) < 0) {
        cpio_error(o, errno, "%s: Cannot stat", g_quotef(from));
        return 0;
    }
    cpio_of_stat(&st, &m);
    bool same = lstat(to, &there) == 0 && there.st_ino == st.st_ino && there.st_dev == st.st_dev;
    if (same && !S_ISDIR(st.st_mode)) {
        g_warn("%s not created: newer or same age version exists", g_quotef(to));
        return 0;
    }
    if (S_ISREG(st.st_mode)) {
        if (!cpio_clear_way(o, &m, to)) return 0;
        copy(o, &m, from, to);
        bool copied = lstat(to, &there) == 0 && there.st_nlink == 1;
        cpio_show(o, to);
        return copied ? m.size : 0;
    }
    if (S_ISLNK(st.st_mode)) {
        char *target = g_read_link(from);
        if (target)
            cpio_make_symlink(o, &m, to, target);
        else
            cpio_error(o, errno, "%s: Cannot readlink", g_quotef(from));
        free(target);
    } else if (!(o->link_files && !S_ISDIR(st.st_mode) && cpio_clear_way(o, &m, to) &&
                 cpio_make_link(o, from, to))) {
        cpio_make_special(o, &m, to);
    }
    cpio_show(o, to);
    return 0;
}

void cpio_pass(cpio_options *o) {
    g_reader names;
    uint64_t bytes = 0;
    if (o->directory && chdir(o->directory) < 0)
        g_die_errno(2, errno, "cannot change to directory `%s'", o->directory);
    g_reader_init(&names, STDIN_FILENO, o->null_names ? '\0' : '\n');
    for (char *name; (name = cpio_next_name(o, &names));) {
        char *to = g_join(o->destination, *name == '/' ? name + 1 : name);
        bytes += pass(o, name, to);
        free(to);
        free(name);
    }
    g_reader_free(&names);
    cpio_finish_directories(o);
    cpio_show_blocks(o, bytes);
}
