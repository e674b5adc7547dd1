/*
 * tests/fuzz/replay.c: runs inputs through a fuzzer, without libFuzzer.
 *
 *     fuzz_NAME FILE...                          each file
 *     fuzz_NAME --seconds N [--seed S] FILE...   then changes of them, at random, for N seconds
 *
 * The second is for fuzzers of the whole machine, which libFuzzer's instrumentation does not reach.
 * A failure prints the seed of its input: `--seconds 0 --seed S` runs that one alone.
 */
#include "fuzz.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE_MAX_BYTES = 1 << 20, CHANGES = 8 };

static uint8_t data[SIZE_MAX_BYTES];
static volatile uint64_t current; /* seed of the input that runs */

static uint64_t state;
static uint32_t any(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static size_t load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return size;
}

static void on_end(int number) {
    char text[] = "the input was --seed                     \n";
    uint64_t seed = current;
    for (size_t at = sizeof text - 3; seed; seed /= 10) text[at--] = (char)('0' + seed % 10);
    if (write(2, text, sizeof text - 1) < 0) _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static size_t change(size_t size) {
    for (uint32_t n = 1 + any() % CHANGES; n > 0; n--) {
        size_t at = any() % (size + 1), len = any() % 12;
        switch (any() % 4) {
        case 0:
            if (size) data[at % size] ^= (uint8_t)(1 << any() % 8);
            break;
        case 1: /* more */
            if (size + len > 4096) break;
            memmove(data + at + len, data + at, size - at);
            for (size_t i = 0; i < len; i++) data[at + i] = (uint8_t)any();
            size += len;
            break;
        case 2: /* less */
            if (at + len > size) len = size - at;
            memmove(data + at, data + at + len, size - at - len);
            size -= len;
            break;
        default:
            if (size) data[at % size] = (uint8_t)any();
        }
    }
    return size;
}

static void run_changed(uint64_t seed, char **files, int count) {
    current = seed;
    state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
    for (int i = 0; i < 4; i++) any();
    size_t size = change(load(files[any() % (uint32_t)count]));
    LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv) {
    long seconds = -1;
    uint64_t seed = (uint64_t)time(NULL) << 20, done = 0;
    while (argc > 2 && strncmp(argv[1], "--", 2) == 0) {
        if (strcmp(argv[1], "--seconds") == 0) seconds = atol(argv[2]);
        if (strcmp(argv[1], "--seed") == 0) seed = strtoull(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    for (int i = 1; i < argc && seconds != 0; i++) {
        size_t size = load(argv[i]);
        LLVMFuzzerTestOneInput(data, size);
    }
    if (argc > 1 && seconds >= 0) {
        signal(SIGABRT, on_end);
        signal(SIGSEGV, on_end);
        time_t end = time(NULL) + seconds;
        do run_changed(seed + done++, argv + 1, argc - 1);
        while (time(NULL) < end);
    }
    printf("%d inputs, %llu changed ones\n", argc - 1, (unsigned long long)done);
    return argc < 2;
}
