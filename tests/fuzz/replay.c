/*
 * tests/fuzz/replay.c: runs the files that are its arguments through a fuzzer, without a fuzzer.
 */
#include "fuzz.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        static uint8_t data[1 << 20];
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", argc - 1);
    return argc < 2;
}
