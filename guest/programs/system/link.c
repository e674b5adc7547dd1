/*
 * link.c: link and unlink: the system calls of that name.
 *
 * help link:
 *   Usage: link FILE1 FILE2
 *     or:  link OPTION
 *   Call the link function to create a link named FILE2 to an existing FILE1.
 *
 *         --help       display this help and exit
 *         --version    output version information and exit
 *
 * help unlink:
 *   Usage: unlink FILE
 *     or:  unlink OPTION
 *   Call the unlink function to remove the specified FILE.
 *
 *         --help       display this help and exit
 *         --version    output version information and exit
 */
#include "g_option.h"
#include "g_quote.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int link_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    int operands = strcmp(name, "unlink") == 0 ? 1 : 2;
    int at = g_no_options(argc, argv);
    if (argc - at < operands) g_missing_operand(at < argc ? argv[at] : NULL);
    if (argc - at > operands) g_extra_operand(argv[at + operands]);
    if (operands == 1) {
        if (unlink(argv[at]) < 0) g_die_errno(1, errno, "cannot unlink %s", g_quoteaf(argv[at]));
        return 0;
    }
    if (link(argv[at], argv[at + 1]) < 0)
        g_die_errno(1, errno, "cannot create link %s to %s", g_quoteaf(argv[at + 1]),
                    g_quoteaf(argv[at]));
    return 0;
}
