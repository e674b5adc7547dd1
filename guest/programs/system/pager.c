/*
 * pager.c: less, more: there is no terminal to page on, so they do what they do into a pipe: print
 * the files. Options are accepted and have no effect.
 *
 * help less more:
 *   Usage: @NAME@ [options] [file]...
 *   Print files. Options of the usual pager are accepted; without a terminal they do nothing.
 *
 *         --help      display this help and exit
 *         --version   output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_file(const char *name, bool is_more) {
    bool standard = strcmp(name, "-") == 0;
    struct stat st;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        if (is_more)
            g_warn("cannot open %s: %s", name, strerror(errno));
        else
            g_outf("%s: %s\n", name, strerror(errno));
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        g_outf(is_more ? "\n*** %s: directory ***\n\n" : "%s is a directory\n", name);
        close(fd);
        return;
    }
    if (is_more && !standard) g_outf("::::::::::::::\n%s\n::::::::::::::\n", name);
    g_reader in;
    char *bytes;
    g_reader_init(&in, fd, '\n');
    for (size_t n; (n = g_read_some(&in, &bytes)) > 0;) g_out(bytes, n);
    g_reader_free(&in);
    g_close_input(fd);
}

/* Options whose value is the next argument. */
static bool takes_value(const char *option, bool is_more) {
    return strlen(option) == 2 && strchr(is_more ? "n" : "bDhjkoOpPtTxyz", option[1]) != NULL;
}

int pager_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    bool is_more = strcmp(name, "more") == 0, only_files = false;
    int files = 0;
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (!only_files && strcmp(s, "--") == 0) {
            only_files = true;
        } else if (!only_files && (*s == '+' || (*s == '-' && s[1]))) {
            if (strcmp(s, "--help") == 0 || strcmp(s, "--version") == 0) g_no_options(argc, argv);
            i += takes_value(s, is_more);
        } else {
            argv[files++] = argv[i];
        }
    }
    if (files == 0) {
        if (isatty(STDIN_FILENO))
            g_die(1, is_more ? "bad usage" : "Missing filename (\"less --help\" for help)");
        print_file("-", is_more);
    }
    for (int i = 0; i < files; i++) print_file(argv[i], is_more);
    return 0;
}
