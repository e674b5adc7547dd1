/*
 * basename.c: the last part of a path, without a suffix.
 *
 * help basename:
 *   Usage: basename NAME [SUFFIX]
 *     or:  basename OPTION... NAME...
 *   Print NAME with any leading directory components removed.
 *   If specified, also remove a trailing SUFFIX.
 *
 *     -a, --multiple       support multiple arguments and treat each as a NAME
 *     -s, --suffix=SUFFIX  remove a trailing SUFFIX; implies -a
 *     -z, --zero           end each output line with NUL, not newline
 *         --help           display this help and exit
 *         --version        output version information and exit
 */
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>

static void put_base(const char *path, const char *suffix, char end) {
    char *base = g_base(path);
    size_t len = strlen(base), cut = suffix ? strlen(suffix) : 0;
    if (cut < len && strcmp(base, "/") != 0 && memcmp(base + len - cut, suffix ? suffix : "", cut) == 0)
        len -= cut;
    g_out(base, len);
    g_outc(end);
    free(base);
}

static const g_long longs[] = {
    {"multiple", 'a', G_NONE}, {"suffix", 's', G_REQUIRED}, {"zero", 'z', G_NONE}, {0}};

int basename_main(int argc, char **argv) {
    bool multiple = false;
    const char *suffix = NULL;
    char end = '\n';
    g_options o = g_options_of(argc, argv, "+as:z", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'a') multiple = true;
        if (option == 'z') end = '\0';
        if (option == 's') {
            suffix = o.arg;
            multiple = true;
        }
    }
    if (o.at == argc) g_missing_operand(NULL);
    if (!multiple && argc - o.at > 2) g_extra_operand(argv[o.at + 2]);
    if (!multiple) {
        put_base(argv[o.at], argc - o.at == 2 ? argv[o.at + 1] : NULL, end);
        return 0;
    }
    for (int i = o.at; i < argc; i++) put_base(argv[i], suffix, end);
    return 0;
}
