/*
 * yes.c: prints a line until it is stopped.
 *
 * help yes:
 *   Usage: yes [STRING]...
 *     or:  yes OPTION
 *   Repeatedly output a line with all specified STRING(s), or 'y'.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "pf.h"

int yes_main(int argc, char **argv) {
    int first = g_no_options(argc, argv);
    g_text block = {0};
    g_set_write_error(1, "standard output: %s");
    for (int i = first; i < argc; i++) {
        if (i > first) g_text_addc(&block, ' ');
        g_text_adds(&block, argv[i]);
    }
    if (first == argc) g_text_addc(&block, 'y');
    g_text_addc(&block, '\n');
    size_t line = block.len;
    /* Byte by byte: growing the text may move what is being copied. */
    while (block.len + line <= 16384)
        for (size_t i = 0; i < line; i++) g_text_addc(&block, block.s[i]);
    for (;;) {
        g_out_block(block.s, block.len);
        pf_yield();
    }
}
