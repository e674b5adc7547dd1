/*
 * A program, a NUL, and its input: awk on a stream (program.h).
 */
#include "program.h"

#include <string.h>

int awk_main(int argc, char **argv);

/* Words whose results differ from run to run. */
static bool is_repeatable(const char *program) {
    static const char *const words[] = {"systime",  "strftime", "srand",
                                        "PROCINFO", "ENVIRON",  "/dev"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(program, words[i])) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = memchr(data, '\0', size);
    if (!end || size > 8192) return 0;
    char *text = strndup((const char *)data, (size_t)(end - data));
    char *argv[] = {"awk", "--sandbox", "--", text, NULL};
    struct program awk = {awk_main, argv};
    program_streams_alike(&awk, end + 1, size - (size_t)(end - data) - 1, is_repeatable(text));
    free(text);
    return 0;
}
