/*
 * sed.c: a stream editor.
 *
 * This file reads the options; see sed.h for the parts. Deviation: --debug is refused.
 *
 * help sed:
 *   Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...
 *
 *     -n, --quiet, --silent    suppress automatic printing of pattern space
 *     -e script, --expression=script  add the script to the commands to be executed
 *     -f script-file, --file=script-file  add the contents of script-file to the commands
 *         --follow-symlinks    follow symlinks when processing in place
 *     -i[SUFFIX], --in-place[=SUFFIX]  edit files in place (makes backup if SUFFIX supplied)
 *     -l N, --line-length=N    specify the desired line-wrap length for the `l' command
 *         --posix              disable all GNU extensions
 *     -E, -r, --regexp-extended  use extended regular expressions in the script
 *     -s, --separate           consider files as separate rather than as a single long stream
 *         --sandbox            operate in sandbox mode (disable e/r/w commands)
 *     -u, --unbuffered         load minimal amounts of data and flush the output buffers more often
 *     -z, --null-data          separate lines by NUL characters
 *         --help               display this help and exit
 *         --version            output version information and exit
 *
 *   If no -e, --expression, -f, or --file option is given, then the first non-option argument is
 *   taken as the sed script to interpret. All remaining arguments are names of input files; if no
 *   input files are specified, then the standard input is read.
 */
#include "g_number.h"
#include "g_option.h"
#include "g_quote.h"
#include "sed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { DEBUG = 256, FOLLOW, POSIX, SANDBOX };
static const g_long longs[] = {{"binary", 'b', G_NONE},
                               {"regexp-extended", 'r', G_NONE},
                               {"debug", DEBUG, G_NONE},
                               {"in-place", 'i', G_OPTIONAL},
                               {"expression", 'e', G_REQUIRED},
                               {"file", 'f', G_REQUIRED},
                               {"line-length", 'l', G_REQUIRED},
                               {"null-data", 'z', G_NONE},
                               {"zero-terminated", 'z', G_NONE},
                               {"quiet", 'n', G_NONE},
                               {"posix", POSIX, G_NONE},
                               {"silent", 'n', G_NONE},
                               {"sandbox", SANDBOX, G_NONE},
                               {"separate", 's', G_NONE},
                               {"unbuffered", 'u', G_NONE},
                               {"follow-symlinks", FOLLOW, G_NONE},
                               {0}};

/* Options first: behind a script that is the first operand they hold for it too. -E holds for what
 * comes after it. */
/* Input and output failed is status 4. */
static void cannot_write(int error) {
    g_die_errno(4, error, "couldn't %s stdout", error == EBADF ? "close" : "flush");
}

int sed_main(int argc, char **argv) {
    g_on_write_error(cannot_write);
    sed_program p = {.end = '\n', .line_width = 70};
    struct {
        const char *text;
        bool file, extended;
    } *scripts = g_zalloc((size_t)(argc + 1) * sizeof *scripts);
    size_t script_count = 0;
    g_options o = g_options_of(argc, argv, "bsnrzuEe:f:l:i::V:", longs);
    for (int option; (option = g_option(&o)) >= 0;) switch (option) {
        case 'n': p.quiet = true; break;
        case 'e':
        case 'f':
            scripts[script_count].text = o.arg;
            scripts[script_count].extended = p.extended;
            scripts[script_count++].file = option == 'f';
            break;
        case 'E':
        case 'r': p.extended = true; break;
        case 'i':
            p.in_place = o.arg ? o.arg : "";
            p.separate = true;
            break;
        case 'l': p.line_width = g_number(o.arg, "", 0, UINT32_MAX, "invalid line length"); break;
        case 's': p.separate = true; break;
        case 'u': p.unbuffered = true; break;
        case 'z': p.end = '\0'; break;
        case DEBUG: g_die(1, "--debug is not supported");
        case FOLLOW: p.follow_links = true; break;
        case POSIX: p.posix = true; break;
        case SANDBOX: p.sandbox = true; break;
        }
    int at = o.at;
    if (script_count == 0) {
        if (at == argc) {
            g_out_flush();
            g_stdout.fd = STDERR_FILENO;
            g_outs(g_help());
            g_out_flush();
            return 1;
        }
        scripts[script_count].extended = p.extended;
        scripts[script_count++].text = argv[at++];
    }
    for (size_t i = 0; i < script_count; i++) {
        p.extended = scripts[i].extended;
        if (scripts[i].file)
            sed_add_file(&p, scripts[i].text);
        else
            sed_add_expression(&p, scripts[i].text);
    }
    sed_finish(&p);
    if (p.in_place && at == argc) g_die(4, "no input files");
    static char *only_stdin[] = {"-"};
    return at < argc ? sed_run(&p, argv + at, argc - at) : sed_run(&p, only_stdin, 1);
}
