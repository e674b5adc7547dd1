/*
 * guest/programs/jq/main.c: jq 1.7.1, the real one.
 *
 * Its sources come from a crate and are not changed: the files beside this one include them with a
 * few names replaced. jq's own test runner is left out.
 */
#include <stdio.h>

#include "pf.h"
#include "src/jv.h"

int pf_jq_main(int argc, char **argv);

/* jq --run-tests */
int jq_testsuite(jv directories, int verbose, int argc, char **argv) {
    (void)verbose;
    (void)argc;
    (void)argv;
    jv_free(directories);
    fprintf(stderr, "jq: error: --run-tests is not part of this build\n");
    return 2;
}

int main(int argc, char **argv) {
    return pf_jq_main(argc, argv);
}
