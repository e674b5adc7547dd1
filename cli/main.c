/* main.c: the program `pinfold`: which command was meant. */
#include <stdio.h>
#include <string.h>

#include "run.h"

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "";
    if (!strcmp(first, "--version")) {
        printf("pinfold %s\n", pf_version());
        return 0;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || argc < 2) {
        usage();
        return argc < 2 ? 125 : 0;
    }
    if (!strcmp(first, "policy")) return policy_command(argc - 1, argv + 1);

    struct arguments arguments;
    bool run = !strcmp(first, "run");
    arguments_parse(&arguments, run ? argc - 1 : argc, run ? argv + 1 : argv, run);
    return run_script(&arguments);
}
