/* temp.c: files and folders with names that are not in use. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <errno.h>

#include "pf.h"

#define TRIES 100

/* Replaces the XXXXXX before the suffix. */
static void fill(char *template, size_t suffix) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char bytes[6];
    pf_random(bytes, sizeof bytes);
    char *at = template + strlen(template) - suffix - 6;
    for (int i = 0; i < 6; i++) at[i] = letters[bytes[i] % (sizeof letters - 1)];
}

static int check(const char *template, int suffix) {
    size_t len = strlen(template);
    if (suffix >= 0 && len >= 6 + (size_t)suffix &&
        !memcmp(template + len - (size_t)suffix - 6, "XXXXXX", 6))
        return 0;
    errno = EINVAL;
    return -1;
}

int mkostemps(char *template, int suffix, int flags) {
    if (check(template, suffix) < 0) return -1;
    for (int i = 0; i < TRIES; i++) {
        fill(template, (size_t)suffix);
        int fd = open(template, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}
int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkstemp(char *template) { return mkostemps(template, 0, 0); }

char *mkdtemp(char *template) {
    if (check(template, 0) < 0) return NULL;
    for (int i = 0; i < TRIES; i++) {
        fill(template, 0);
        if (mkdir(template, 0700) == 0) return template;
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}

/* Only a name: for callers that make something else than a file of it. */
char *mktemp(char *template) {
    if (check(template, 0) == 0)
        for (int i = 0; i < TRIES; i++) {
            fill(template, 0);
            if (access(template, F_OK) < 0 && errno == ENOENT) return template;
        }
    *template = 0;
    return template;
}

FILE *tmpfile(void) {
    char name[] = "/tmp/tmp.XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) return NULL;
    unlink(name);
    FILE *file = fdopen(fd, "w+");
    if (!file) close(fd);
    return file;
}
