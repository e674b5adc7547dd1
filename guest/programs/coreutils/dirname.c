/*
 * dirname.c: a path without its last part.
 *
 * help dirname:
 *   Usage: dirname [OPTION] NAME...
 *   Output each NAME with its last non-slash component and trailing slashes removed;
 *   if NAME contains no /'s, output '.' (meaning the current directory).
 *
 *     -z, --zero     end each output line with NUL, not newline
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

static const g_long longs[] = {{"zero", 'z', G_NONE}, {0}};

int dirname_main(int argc, char **argv) {
    char end = '\n';
    g_options o = g_options_of(argc, argv, "z", longs);
    while (g_option(&o) >= 0) end = '\0';
    if (o.at == argc) g_missing_operand(NULL);
    for (int i = o.at; i < argc; i++) {
        const char *path = argv[i];
        size_t len = (size_t)(g_last_part(path) - path);
        while (len > 1 && path[len - 1] == '/') len--;
        if (len == 0 && *path == '/') len = 1;
        if (len == 0) g_outc('.');
        else g_out(path, len);
        g_outc(end);
    }
    return 0;
}
