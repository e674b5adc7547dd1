/*
 * zdiff.c: compares compressed files by what is in them.
 *
 * help zdiff bzdiff xzdiff lzdiff:
 *   Usage: @NAME@ [OPTION]... FILE1 [FILE2]
 *   Compare FILE1 to FILE2, using their uncompressed contents if they are
 *   compressed.  If FILE2 is omitted, then the files compared are FILE1 and
 *   FILE1 without its ending, or FILE1.gz where it has none.
 *
 *   OPTIONs are the same as for 'diff'.
 *
 * help zcmp bzcmp xzcmp lzcmp:
 *   Usage: @NAME@ [OPTION]... FILE1 [FILE2]
 *   Compare FILE1 to FILE2, using their uncompressed contents if they are
 *   compressed.  If FILE2 is omitted, then the files compared are FILE1 and
 *   FILE1 without its ending, or FILE1.gz where it has none.
 *
 *   OPTIONs are the same as for 'cmp'.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_spawn.h"
#include "through.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name that goes with a single operand. */
static char *partner(const char *file, bool packed) {
    static const char *const added[][2] = {
        {"gzip", ".gz"}, {"bzip2", ".bz2"}, {"xz", ".xz"}, {"zstd", ".zst"}};
    char *name = g_alloc(strlen(file) + 8);
    strcpy(name, file);
    if (!packed) {
        for (size_t i = 0; i < 4; i++)
            if (strcmp(through_codec(file), added[i][0]) == 0) strcat(name, added[i][1]);
        return name;
    }
    char *end = strrchr(name, '.'), *dash = strrchr(name, '-');
    if (end && end[1] == 't')
        strcpy(end, ".tar");
    else if (end)
        *end = '\0';
    else if (dash)
        *dash = '\0';
    return name;
}

int zdiff_main(int argc, char **argv) {
    char **args = g_alloc(((size_t)argc + 4) * sizeof *args), *files[3];
    int count = 0, file_count = 0;
    args[count++] = (char *)(strstr(g_name(), "cmp") ? "cmp" : "diff");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            g_outs(g_help());
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            g_print_version();
            return 0;
        }
        if (file_count == 0 && argv[i][0] == '-' && argv[i][1])
            args[count++] = argv[i];
        else if (file_count < 2)
            files[file_count++] = argv[i];
        else
            g_die(2, "extra operand '%s'", argv[i]);
    }
    if (file_count == 0) g_die(2, "missing operand");
    bool packed[2] = {through_packed(files[0]), false};
    if (file_count == 1) files[1] = partner(files[0], packed[0]);
    packed[1] = file_count == 1 ? !packed[0] : through_packed(files[1]);
    for (int i = 0; i < 2; i++)
        if (strcmp(files[i], "-") != 0 && access(files[i], R_OK) < 0)
            g_die_errno(2, errno, "%s", files[i]);
    int from[2] = {-1, -1};
    pid_t pids[2];
    for (int i = 0; i < 2; i++)
        if (packed[i]) pids[i] = through_open(files[i], &from[i]);
    bool both = packed[0] && packed[1];
    args[count++] = packed[0] ? (char *)"-" : files[0];
    args[count++] = both ? (char *)"/dev/fd/5" : packed[1] ? (char *)"-" : files[1];
    args[count] = NULL;
    pid_t compare = through_start(args, packed[0] ? from[0] : from[1], -1, both ? from[1] : -1);
    for (int i = 0; i < 2; i++)
        if (from[i] >= 0) close(from[i]);
    int status = g_exit_status(g_wait(compare));
    for (int i = 0; i < 2; i++)
        if (packed[i] && !through_ended(pids[i])) status = 2;
    if (file_count == 1) free(files[1]);
    free(args);
    return status;
}
