/*
 * tests/mutation/mutant.c: see mutant.h.
 */
#include "mutant.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mutant_number = -1;
unsigned char *mutant_seen;
static const char *wanted;

/* Before main(): what the tests replace and count (mmap(), malloc()) is not theirs yet. Shared, so
 * that children and those that are killed tell as well. */
__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("MUTANT"), *seen = getenv("MUTANT_SEEN");
    wanted = getenv("MUTANT_TEST");
    if (number) mutant_number = atoi(number);
    if (!seen) return;
    struct stat st;
    int fd = open(seen, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) abort();
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) abort();
    close(fd);
    mutant_seen = map;
}

int mutant_wants(const char *name) {
    return !wanted || strcmp(name, wanted) == 0;
}

void mutant_noticed(const char *file, int line) {
    fprintf(stderr, "%s:%d: not so\n", file, line);
    _exit(1);
}
