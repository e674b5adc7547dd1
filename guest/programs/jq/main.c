/*
 * guest/programs/jq/main.c: jq 1.7.1, the real one.
 *
 * Its sources come from a crate: the files beside this one include them with a few names replaced,
 * and adapt_jq.py changes the few lines that must be otherwise.
 */
#include "jq_boot.h"
#include "pf.h"

int pf_jq_main(int argc, char **argv);

int main(int argc, char **argv) {
#ifdef __wasm__ /* elsewhere no process begins as a copy of another */
    pf_jq_boot();
#endif
    pf_booted(&argc, &argv);
    return pf_jq_main(argc, argv);
}
