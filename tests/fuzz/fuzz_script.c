/*
 * Any text as a script that the shell runs, natively and in a cage (cage.h): whatever it is, the
 * shell and its children end by themselves or at a limit, without a fault. The first byte chooses
 * options: its bits are 1 script from a stream (else -c), 2 -e, 4 -u, 8 -x, 16 extglob.
 */
#include "cage.h"
#include "program.h"

#include <string.h>

int shell_main(int argc, char **argv);

static int caged_main(int argc, char **argv) {
    cage_enter();
    return shell_main(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char output[OUTPUT_MAX];
    if (size < 1 || size > 8192 || memchr(data, '\0', size)) return 0;
    char *text = strndup((const char *)data + 1, size - 1), *argv[12];
    int n = 0;
    argv[n++] = (char *)"bash";
    if (data[0] & 2) argv[n++] = (char *)"-e";
    if (data[0] & 4) argv[n++] = (char *)"-u";
    if (data[0] & 8) argv[n++] = (char *)"-x";
    if (data[0] & 16) argv[n++] = (char *)"-O", argv[n++] = (char *)"extglob";
    if (data[0] & 1) {
        argv[n++] = (char *)"-s";
    } else {
        argv[n++] = (char *)"-c";
        argv[n++] = text;
        argv[n++] = (char *)"name";
    }
    argv[n++] = (char *)"p q";
    argv[n] = NULL;
    struct program shell = {caged_main, argv};
    if (data[0] & 1)
        program_run(&shell, data + 1, size - 1, 7, output);
    else
        program_run(&shell, (const uint8_t *)"a b\nc\\\nd", 8, 8, output);
    free(text);
    return 0;
}
