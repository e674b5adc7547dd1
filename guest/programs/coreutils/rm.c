/*
 * rm.c: removes files and directories.
 *
 * help rm:
 *   Usage: rm [OPTION]... [FILE]...
 *   Remove (unlink) the FILE(s). By default, rm does not remove directories.
 *
 *     -f, --force           ignore nonexistent files and arguments, never prompt
 *     -i                    prompt before every removal
 *     -I                    prompt once before removing more than three files, or when removing
 *                             recursively
 *         --interactive[=WHEN]  prompt according to WHEN: never, once (-I), or always (-i)
 *         --one-file-system  when removing a hierarchy, stay on its file system
 *         --no-preserve-root  do not treat '/' specially
 *         --preserve-root[=all]  do not remove '/' (default)
 *     -r, -R, --recursive   remove directories and their contents recursively
 *     -d, --dir             remove empty directories
 *     -v, --verbose         explain what is being done
 *         --help            display this help and exit
 *         --version         output version information and exit
 *
 *   To remove a file whose name starts with a '-', for example '-foo', use 'rm -- -foo' or
 *   'rm ./-foo'.
 */
#include "g_file.h"
#include "g_option.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_out.h"
#include "remove_tree.h"

#include <sys/stat.h>
#include <stdio.h>
#include <unistd.h>

enum { ONE_FS = 256, NO_PRESERVE, PRESERVE, INTERACTIVE, NEVER };
static const g_long longs[] = {{"force", 'f', G_NONE},
                               {"interactive", INTERACTIVE, G_OPTIONAL},
                               {"one-file-system", ONE_FS, G_NONE},
                               {"no-preserve-root", NO_PRESERVE, G_NONE},
                               {"preserve-root", PRESERVE, G_OPTIONAL},
                               {"recursive", 'r', G_NONE},
                               {"dir", 'd', G_NONE},
                               {"verbose", 'v', G_NONE},
                               {0}};

static const g_word whens[] = {{"never", NEVER},
                               {"no", NEVER},
                               {"none", NEVER},
                               {"once", 'I'},
                               {"always", 'i'},
                               {"yes", 'i'},
                               {0}};

/* A file whose name looks like options: the message about wrong ones says how to remove it. */
static void hint_at_hyphens(int argc, char **argv) {
    struct stat st;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1] || lstat(argv[i], &st) != 0) continue;
        g_text text = {0};
        g_text_addf(&text, "Try '%s ./%s' to remove the file %s.\nTry '%s --help' for more information.",
                    g_name(), argv[i], g_quoteaf(argv[i]), g_name());
        g_set_hint(text.s);
        return;
    }
}

int rm_main(int argc, char **argv) {
    remove_options r = {0};
    bool once = false;
    hint_at_hyphens(argc, argv);
    g_options o = g_options_of(argc, argv, "dfirvIR", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == INTERACTIVE)
            option = o.arg ? g_match_word("--interactive", o.arg, whens) : 'i';
        switch (option) {
        case NEVER: r.ask = once = false; break;
        case 'd': r.directories = true; break;
        case 'f':
            r.force = true;
            r.ask = once = false;
            break;
        case 'i':
            r.ask = true;
            r.force = once = false;
            break;
        case 'I':
            once = true;
            r.ask = r.force = false;
            break;
        case 'r': case 'R': r.recursive = true; break;
        case 'v': r.verbose = true; break;
        case ONE_FS: r.same_device = true; break;
        case NO_PRESERVE: r.allow_root = true; break;
        case PRESERVE:
            if (o.arg && strcmp(o.arg, "all") != 0)
                g_die(1, "unrecognized --preserve-root argument: %s", g_quoteaf(o.arg));
            r.allow_root = false;
            break;
        }
    }
    int count = argc - o.at;
    if (count == 0 && r.force) return 0;
    if (count == 0) g_missing_operand(NULL);
    r.ask_protected = isatty(STDIN_FILENO);
    if (once && (r.recursive || count > 3)) {
        fprintf(stderr, "%s: remove %d argument%s%s? ", g_name(), count, count == 1 ? "" : "s",
                r.recursive ? " recursively" : "");
        if (!g_yes()) return 0;
    }
    int status = 0;
    for (int i = o.at; i < argc; i++) status |= remove_path(&r, argv[i]);
    return status;
}
