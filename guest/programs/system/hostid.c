/*
 * hostid.c: the number of this host: that of 127.0.0.1, as there is no other address.
 *
 * help hostid:
 *   Usage: hostid [OPTION]
 *   Print the numeric identifier (in hexadecimal) for the current host.
 *
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_option.h"
#include "g_out.h"

int hostid_main(int argc, char **argv) {
    int at = g_no_options(argc, argv);
    if (at < argc) g_extra_operand(argv[at]);
    g_outs("007f0100\n");
    return 0;
}
