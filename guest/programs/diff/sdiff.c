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

struct args {
    char **items; /* and a NULL */
    int count;
    size_t room;
};

static void args_add(struct args *args, const char *name, const char *value) {
    g_text text = {0};
    g_text_addf(&text, "%s%s", name, value ? value : "");
    if ((size_t)args->count + 2 > args->room)
        args->items = g_more(args->items, &args->room, sizeof *args->items);
    args->items[args->count++] = text.s ? text.s : g_copy_string("");
    args->items[args->count] = NULL;
}

int sdiff_main(int argc, char **argv) {
    struct args args = {0};
    g_set_failure(2);
    g_set_usage_line("sdiff: ");
    args_add(&args, "diff", NULL);
    args_add(&args, "--side-by-side", NULL);
    g_options o = g_options_of(argc, argv, "abBdEHiI:lo:stvw:WZ", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        char letter[3] = {'-', (char)option, '\0'};
        switch (option) {
        case 'l': args_add(&args, "--left-column", NULL); break;
        case 's': args_add(&args, "--suppress-common-lines", NULL); break;
        case 'w': args_add(&args, "--width=", o.arg); break;
        case 'W': args_add(&args, "--ignore-all-space", NULL); break;
        case STRIP_CR: args_add(&args, "--strip-trailing-cr", NULL); break;
        case TABSIZE: args_add(&args, "--tabsize=", o.arg); break;
        case 'v': g_print_version(); return 0;
        case 'o':
            g_die(2, "-o is not supported: there is nobody to ask; use diff and patch, or diff -y");
        default: args_add(&args, letter, option == 'I' ? o.arg : NULL);
        }
    }
    if (argc - o.at < 2) g_usage("missing operand after '%s'", argv[argc - 1]);
    if (argc - o.at > 2) g_usage("extra operand '%s'", argv[o.at + 2]);
    args_add(&args, "--", NULL);
    for (int i = o.at; i < argc; i++) args_add(&args, argv[i], NULL);
    g_set_usage_line("");
    g_begin("diff", g_help()); /* which is what does it */
    return diff_main(args.count, args.items);
}
