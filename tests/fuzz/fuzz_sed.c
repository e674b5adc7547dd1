/*
 * Options, a script, a NUL, and its input: sed on a stream (program.h). The first byte is n, E, z,
 * s or anything else for that option or none.
 */
#include "program.h"

#include <string.h>

int sed_main(int argc, char **argv);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 8192) return 0;
    const uint8_t *end = memchr(data + 1, '\0', size - 1);
    if (!end) return 0;
    char option[] = "-u";
    if (strchr("nEzs", data[0]) && data[0]) option[1] = (char)data[0];
    char *text = strndup((const char *)data + 1, (size_t)(end - data) - 1);
    char *argv[] = {"sed", "--sandbox", option, "-e", text, NULL};
    struct program sed = {sed_main, argv};
    program_streams_alike(&sed, end + 1, size - (size_t)(end - data) - 1, true);
    free(text);
    return 0;
}
