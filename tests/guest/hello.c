/*
 * hello.c: the smallest program: output through stdio, its arguments, its environment.
 *
 * For the tests of the toolchain; `hello NAME…` greets, and exits with the number of names.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    printf("hello from %s\n", argv[0]);
    for (int i = 1; i < argc; i++) printf("hello, %s\n", argv[i]);
    const char *home = getenv("HOME");
    if (home) printf("HOME is %s\n", home);
    return argc - 1;
}
