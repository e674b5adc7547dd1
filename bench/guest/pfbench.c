/*
 * bench/guest/pfbench.c: the basic acts of a Unix process, N times each.
 *
 * The same source runs in the sandbox and as a Linux process; bench/mechanism.c times both from
 * outside. It is a TEST image: the product does not have it.
 *
 * usage: pfbench calls N | fork N | pipe MEGABYTES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[4096];

static int calls(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += getppid();
    return sum == -1;
}

static int forks(long n) {
    for (long i = 0; i < n; i++) {
        pid_t pid = fork();
        if (pid == 0) _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) != pid) return 1;
    }
    return 0;
}

static int write_all(int fd, long long left) {
    while (left > 0) {
        ssize_t n = write(fd, block, sizeof block);
        if (n <= 0) return 1;
        left -= n;
    }
    return 0;
}

static int pipes(long megabytes) {
    int fds[2];
    long long want = (long long)megabytes << 20, have = 0;
    if (pipe(fds) != 0) return 1;
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
        close(fds[0]);
        _exit(write_all(fds[1], want));
    }
    close(fds[1]);
    for (ssize_t n; (n = read(fds[0], block, sizeof block)) > 0;) have += n;
    waitpid(pid, NULL, 0);
    return have != want;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    long n = atol(argv[2]);
    if (strcmp(argv[1], "calls") == 0) return calls(n);
    if (strcmp(argv[1], "fork") == 0) return forks(n);
    if (strcmp(argv[1], "pipe") == 0) return pipes(n);
    return 2;
}
