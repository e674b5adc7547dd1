/*
 * sdiff.c: two files side by side: diff -y under another name, with options of its own.
 *
 * Without -o, that is: merging interactively needs somebody at a terminal.
 *
 * help sdiff:
 *   Usage: sdiff [OPTION]... FILE1 FILE2
 *   Side-by-side merge of differences between FILE1 and FILE2.
 *
 *     -i, --ignore-case            consider upper- and lower-case to be the same
 *     -E, --ignore-tab-expansion   ignore changes due to tab expansion
 *     -Z, --ignore-trailing-space  ignore white space at line end
 *     -b, --ignore-space-change    ignore changes in the amount of white space
 *     -W, --ignore-all-space       ignore all white space
 *     -B, --ignore-blank-lines     ignore changes whose lines are all blank
 *     -I, --ignore-matching-lines=RE  ignore changes all whose lines match RE
 *         --strip-trailing-cr      strip trailing carriage return on input
 *     -a, --text                   treat all files as text
 *     -w, --width=NUM              output at most NUM (default 130) print columns
 *     -l, --left-column            output only the left column of common lines
 *     -s, --suppress-common-lines  do not output common lines
 *     -t, --expand-tabs            expand tabs to spaces in output
 *         --tabsize=NUM            tab stops at every NUM (default 8) print columns
 *     -d, --minimal                try hard to find a smaller set of changes
 *     -H, --speed-large-files      assume large files, many scattered small changes
 *         --help                   display this help and exit
 *     -v, --version                output version information and exit
 */
#include "g_option.h"
#include "g_text.h"

#include <stdlib.h>

int diff_main(int argc, char **argv);

enum { STRIP_CR = 256, TABSIZE };
static const g_long longs[] = {{"ignore-case", 'i', G_NONE},
                               {"ignore-tab-expansion", 'E', G_NONE},
                               {"ignore-trailing-space", 'Z', G_NONE},
                               {"ignore-space-change", 'b', G_NONE},
                               {"ignore-all-space", 'W', G_NONE},
                               {"ignore-blank-lines", 'B', G_NONE},
                               {"ignore-matching-lines", 'I', G_REQUIRED},
                               {"strip-trailing-cr", STRIP_CR, G_NONE},
                               {"text", 'a', G_NONE},
                               {"width", 'w', G_REQUIRED},
                               {"left-column", 'l', G_NONE},
                               {"suppress-common-lines", 's', G_NONE},
                               {"expand-tabs", 't', G_NONE},
                               {"tabsize", TABSIZE, G_REQUIRED},
                               {"minimal", 'd', G_NONE},
                               {"speed-large-files", 'H', G_NONE},
                               {"output", 'o', G_REQUIRED},
                               {0}};

static char *option_text(const char *name, const char *value) {
    g_text text = {0};
    g_text_addf(&text, "%s%s", name, value ? value : "");
    return text.s;
}

int sdiff_main(int argc, char **argv) {
    char **args = g_resize(NULL, (size_t)argc + 4, sizeof *args);
    int count = 0;
    g_set_failure(2);
    g_set_usage_line("sdiff: ");
    args[count++] = option_text("diff", NULL);
    args[count++] = option_text("--side-by-side", NULL);
    g_options o;
    g_options_init(&o, argc, argv, "abBdEHiI:lo:stvw:WZ", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        char letter[3] = {'-', (char)option, '\0'};
        switch (option) {
        case 'l': args[count++] = option_text("--left-column", NULL); break;
        case 's': args[count++] = option_text("--suppress-common-lines", NULL); break;
        case 'w': args[count++] = option_text("--width=", o.arg); break;
        case 'W': args[count++] = option_text("--ignore-all-space", NULL); break;
        case STRIP_CR: args[count++] = option_text("--strip-trailing-cr", NULL); break;
        case TABSIZE: args[count++] = option_text("--tabsize=", o.arg); break;
        case 'v': g_print_version(); return 0;
        case 'o':
            g_die(2, "-o is not supported: there is nobody to ask; use diff and patch, or diff -y");
        default: args[count++] = option_text(letter, option == 'I' ? o.arg : NULL);
        }
    }
    if (argc - o.at < 2) g_usage("missing operand after '%s'", argv[argc - 1]);
    if (argc - o.at > 2) g_usage("extra operand '%s'", argv[o.at + 2]);
    args[count++] = option_text("--", NULL);
    for (int i = o.at; i < argc; i++) args[count++] = argv[i];
    args[count] = NULL;
    g_set_usage_line("");
    g_begin("diff", g_help()); /* which is what does it */
    return diff_main(count, args);
}
