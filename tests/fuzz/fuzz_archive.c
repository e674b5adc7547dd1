/*
 * Any bytes as an archive, read by what the first byte says: t lists and x prints a tar archive, g
 * b X Z unpack gzip, bzip2, xz and zstd from a stream, l lists and p prints a zip file. Streams
 * print alike however they arrive (program.h). Nothing is written to disk.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

int tar_main(int argc, char **argv);
int gzip_main(int argc, char **argv);
int bzip2_main(int argc, char **argv);
int xz_main(int argc, char **argv);
int zstd_main(int argc, char **argv);
int unzip_main(int argc, char **argv);

static const struct {
    char letter;
    bool file; /* needs to seek */
    int (*main)(int argc, char **argv);
    char *argv[5];
} ways[] = {
    {'t', false, tar_main, {"tar", "-tvf", "-"}},
    {'x', false, tar_main, {"tar", "-xOf", "-"}},
    {'g', false, gzip_main, {"gzip", "-dc"}},
    {'b', false, bzip2_main, {"bzip2", "-dc"}},
    {'X', false, xz_main, {"xz", "-dc"}},
    {'Z', false, zstd_main, {"zstd", "-dc"}},
    {'l', true, unzip_main, {"unzip", "-l", "/dev/stdin"}},
    {'p', true, unzip_main, {"unzip", "-p", "/dev/stdin"}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char output[OUTPUT_MAX];
    if (size == 0 || size > 1 << 16) return 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].letter != (char)data[0]) continue;
        struct program program = {ways[i].main, ways[i].argv};
        if (ways[i].file)
            program_run(&program, data + 1, size - 1, 0, output);
        else
            program_streams_alike(&program, data + 1, size - 1, true);
    }
    return 0;
}
