/*
 * zmore.c: shows compressed files. As `less` and `more` do here, it prints them.
 *
 * help zless zmore bzless bzmore xzless xzmore lzless lzmore zstdless:
 *   Usage: @NAME@ [OPTION]... [FILE]...
 *   Display the uncompressed contents of FILEs.
 *
 *   Options are those of 'less', and without effect.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "through.h"

#include <string.h>
#include <unistd.h>

static bool show(const char *file) {
    int from;
    pid_t unpack = through_open(file, &from);
    char *argv[] = {(char *)"cat", NULL};
    pid_t cat = through_start(argv, from, -1, -1);
    close(from);
    g_wait(cat);
    return through_ended(unpack);
}

int zmore_main(int argc, char **argv) {
    int files = 0, status = 0;
    bool more = strstr(g_name(), "more") != NULL;
    bool arrows = strncmp(g_name(), "bz", 2) == 0 || (more && g_name()[0] != 'z');
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            g_outs(g_help());
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            g_print_version();
            return 0;
        }
        if (argv[i][0] != '-' && argv[i][0] != '+') files++;
    }
    if (files == 0) return show("-") ? 0 : 1;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' || argv[i][0] == '+') continue;
        if (arrows)
            g_outf("------> %s <------\n", argv[i]);
        else if (more && files > 1)
            g_outf("::::::::::::::\n%s\n::::::::::::::\n", argv[i]);
        if (!show(argv[i])) status = 1;
    }
    return status;
}
