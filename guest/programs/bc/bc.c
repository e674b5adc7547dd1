/*
 * bc.c: an arbitrary precision calculator. This file reads the options; see bc.h for the parts.
 *
 * Deviations: the address in run-time errors is always 0; arrays are handed over as copies.
 *
 * help bc:
 *   usage: bc [options] [file ...]
 *     -h  --help         print this usage and exit
 *     -i  --interactive  (ignored)
 *     -l  --mathlib      use the predefined math routines
 *     -q  --quiet        don't print initial banner (there is none)
 *     -s  --standard     (ignored)
 *     -w  --warn         (ignored)
 *     -v  --version      print version information and exit
 */
#include "bc.h"
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "pf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const g_long longs[] = {{"interactive", 'i', G_NONE}, {"mathlib", 'l', G_NONE},
                               {"quiet", 'q', G_NONE},       {"standard", 's', G_NONE},
                               {"warn", 'w', G_NONE},        {0}};

int bc_main(int argc, char **argv) {
    static bc_state st = {.ibase = 10, .obase = 10, .line_length = 70};
    const char *length = getenv("BC_LINE_LENGTH");
    bool library = false;
    if (length && *length) {
        long value = atol(length);
        st.line_length = value == 0 ? 0 : value < 3 ? 70 : (size_t)value;
    }
    g_options o = g_options_of(argc, argv, "hilqswv", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'l') library = true;
        if (option == 'h') {
            g_outs(g_help());
            return 0;
        }
        if (option == 'v') {
            g_print_version();
            return 0;
        }
    }
    st.last = bc_from(0);
    st.result = bc_from(0);
    if (library) bc_interpret(&st, bc_math_library, strlen(bc_math_library), "(library)");
    for (int i = o.at; i < argc; i++) {
        int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0) g_die(1, "File %s is unavailable.", argv[i]);
        size_t len;
        char *text = g_read_all(fd, &len);
        if (!text) g_die_errno(1, errno, "%s", argv[i]);
        close(fd);
        bc_interpret(&st, text, len, argv[i]);
    }
    bc_interpret_input(&st, STDIN_FILENO, "(standard_in)");
    return 0;
}
