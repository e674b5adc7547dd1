/*
 * wrap.c: nohup, nice, stdbuf: commands that start another one.
 *
 * Deviations: priorities exist in name only, nothing can be raised or lowered; programs of the
 * sandbox decide on their buffers themselves, so stdbuf only checks its options.
 *
 * help nohup:
 *   Usage: nohup COMMAND [ARG]...
 *     or:  nohup OPTION
 *   Run COMMAND, ignoring hangup signals.
 *
 *         --help       display this help and exit
 *         --version    output version information and exit
 *
 * help nice:
 *   Usage: nice [OPTION] [COMMAND [ARG]...]
 *   Run COMMAND with an adjusted niceness. With no COMMAND, print the current niceness.
 *
 *     -n, --adjustment=N   add integer N to the niceness (default 10)
 *         --help           display this help and exit
 *         --version        output version information and exit
 *
 * help stdbuf:
 *   Usage: stdbuf OPTION... COMMAND
 *   Run COMMAND, with modified buffering operations for its standard streams.
 *
 *     -i, --input=MODE    adjust standard input stream buffering
 *     -o, --output=MODE   adjust standard output stream buffering
 *     -e, --error=MODE    adjust standard error stream buffering
 *         --help          display this help and exit
 *         --version       output version information and exit
 *
 *   MODE is L for line buffered, 0 for unbuffered, or a number of bytes.
 */
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* GNU's nohup and stdbuf name what failed, nice does not; each has its own quotes. */
static int execute(char **argv, const char *problem, const char *shown) {
    g_out_flush();
    execvp(argv[0], argv);
    int error = errno;
    g_die_errno(error == ENOENT ? 127 : 126, error, "%s%s", problem, shown);
}

static int nohup(int argc, char **argv) {
    g_set_failure(getenv("POSIXLY_CORRECT") ? 127 : 125);
    g_options o = g_options_of(argc, argv, "+", NULL);
    while (g_option(&o) >= 0) {
    }
    if (o.at == argc) g_usage("missing operand");
    if (isatty(STDIN_FILENO)) {
        int fd = open("/dev/null", O_WRONLY);
        if (fd >= 0) dup2(fd, STDIN_FILENO);
    }
    if (isatty(STDOUT_FILENO)) {
        int fd = open("nohup.out", O_CREAT | O_WRONLY | O_APPEND, 0600);
        if (fd < 0) g_die_errno(125, errno, "failed to open %s", g_quoteaf("nohup.out"));
        g_warn("ignoring input and appending output to %s", g_quoteaf("nohup.out"));
        dup2(fd, STDOUT_FILENO);
    }
    if (isatty(STDERR_FILENO)) dup2(STDOUT_FILENO, STDERR_FILENO);
    signal(SIGHUP, SIG_IGN);
    return execute(argv + o.at, "failed to run command ", g_quoteaf(argv[o.at]));
}

static const g_long nice_longs[] = {{"adjustment", 'n', G_REQUIRED}, {0}};

static int nice_command(int argc, char **argv) {
    const char *adjustment = NULL;
    g_set_failure(125);
    /* The old forms -5 and --5. */
    while (argc > 1 && argv[1][0] == '-' &&
           isdigit((unsigned char)argv[1][1 + (argv[1][1] == '-' || argv[1][1] == '+')])) {
        adjustment = argv[1] + 1;
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    g_options o = g_options_of(argc, argv, "+n:", nice_longs);
    while (g_option(&o) >= 0) adjustment = o.arg;
    int64_t value;
    if (adjustment && g_parse_signed(*adjustment == '+' ? adjustment + 1 : adjustment, "", &value,
                                     NULL) == G_NUMBER_BAD)
        g_die(125, "invalid adjustment %s", g_quote(adjustment));
    if (o.at == argc) {
        if (adjustment) g_usage("a command must be given with an adjustment");
        g_outs("0\n");
        return 0;
    }
    return execute(argv + o.at, "", g_quote(argv[o.at]));
}

static const g_long stdbuf_longs[] = {
    {"input", 'i', G_REQUIRED}, {"output", 'o', G_REQUIRED}, {"error", 'e', G_REQUIRED}, {0}};

static int stdbuf(int argc, char **argv) {
    bool any = false;
    g_set_failure(125);
    g_options o = g_options_of(argc, argv, "+i:o:e:", stdbuf_longs);
    for (int option; (option = g_option(&o)) >= 0; any = true) {
        uint64_t size;
        if (option == 'i' && strcasecmp(o.arg, "L") == 0)
            g_usage("line buffering stdin is meaningless");
        if (strcasecmp(o.arg, "L") != 0 &&
            g_parse_unsigned(o.arg, "EGkKMPTYZ0", &size, NULL) != G_NUMBER_OK)
            g_die(125, "invalid mode %s", g_quote(o.arg));
    }
    if (o.at == argc) g_usage("missing operand");
    if (!any) g_usage("you must specify a buffering mode option");
    return execute(argv + o.at, "failed to run command ", g_quote(argv[o.at]));
}

int wrap_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    if (strcmp(name, "nohup") == 0) return nohup(argc, argv);
    if (strcmp(name, "nice") == 0) return nice_command(argc, argv);
    return stdbuf(argc, argv);
}
