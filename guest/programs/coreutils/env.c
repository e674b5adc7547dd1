/*
 * env.c: runs a command in a changed environment.
 *
 * help env:
 *   Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
 *   Set each NAME to VALUE in the environment and run COMMAND.
 *
 *     -i, --ignore-environment  start with an empty environment
 *     -0, --null                end each output line with NUL, not newline
 *     -u, --unset=NAME          remove variable from the environment
 *     -C, --chdir=DIR           change working directory to DIR
 *     -S, --split-string=S      process and split S into separate arguments; used to pass multiple
 *                                 arguments on shebang lines
 *         --block-signal[=SIG]    block delivery of SIG signal(s) to COMMAND
 *         --default-signal[=SIG]  reset handling of SIG signal(s) to the default
 *         --ignore-signal[=SIG]   set handling of SIG signal(s) to do nothing
 *         --list-signal-handling  list non default signal handling to stderr
 *     -v, --debug               print verbose information for each processing step
 *         --help                display this help and exit
 *         --version             output version information and exit
 *
 *   A mere - implies -i. If no COMMAND, print the resulting environment.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_signal.h"
#include "g_text.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* What -v says, as GNU without the name in front. */
#define tell(...) fprintf(stderr, __VA_ARGS__)

enum { BLOCK_SIGNAL = 256, DEFAULT_SIGNAL, IGNORE_SIGNAL, LIST_SIGNALS };
static const g_long longs[] = {{"ignore-environment", 'i', G_NONE},
                               {"null", '0', G_NONE},
                               {"unset", 'u', G_REQUIRED},
                               {"chdir", 'C', G_REQUIRED},
                               {"default-signal", DEFAULT_SIGNAL, G_OPTIONAL},
                               {"ignore-signal", IGNORE_SIGNAL, G_OPTIONAL},
                               {"block-signal", BLOCK_SIGNAL, G_OPTIONAL},
                               {"list-signal-handling", LIST_SIGNALS, G_NONE},
                               {"debug", 'v', G_NONE},
                               {"split-string", 'S', G_REQUIRED},
                               {0}};

static bool debug; /* -v */

/* One argument of a -S string, from *at, into `out`; false at the end. */
static bool split_word(const char **at, g_text *out) {
    const char *p = *at;
    while (isspace((unsigned char)*p)) p++;
    if (!*p || *p == '#') return false;
    out->len = 0;
    g_text_adds(out, "");
    char quote = 0;
    bool quoted = false;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? 0 : *p;
            quoted = true;
        } else if (*p == '\\' && quote != '\'') {
            static const char letters[] = "fnrtv#$\"\\'_", bytes[] = "\f\n\r\t\v#$\"\\' ";
            p++;
            if (!*p) g_die(125, "invalid backslash at end of string in -S");
            if (*p == 'c') {
                if (quote) g_die(125, "'\\c' must not appear in double-quoted -S string");
                p += strlen(p);
                if (out->len == 0 && !quoted) return false;
                break;
            }
            const char *known = strchr(letters, *p);
            if (!known) g_die(125, "invalid sequence '\\%c' in -S", *p);
            if (*p == '_' && !quote) break;
            g_text_addc(out, bytes[known - letters]);
        } else if (*p == '$' && quote != '\'') {
            const char *close = p[1] == '{' ? strchr(p, '}') : NULL;
            if (!close || close == p + 2 || isdigit((unsigned char)p[2]))
                g_die(125, "only ${VARNAME} expansion is supported, error at: %s", p);
            char *name = g_copy_bytes(p + 2, (size_t)(close - p - 2));
            const char *value = getenv(name);
            if (debug)
                tell(value ? "expanding ${%s} into %s\n" : "replacing ${%s} with null string\n",
                     name, value ? g_quote(value) : "");
            if (value) g_text_adds(out, value);
            free(name);
            p = close;
        } else {
            g_text_addc(out, *p);
        }
    }
    if (quote) g_die(125, "no terminating quote in -S string");
    *at = *p ? p + (*p != '_' ? 0 : 1) : p;
    return true;
}

/* argv with the arguments of `text` put in the place of what comes before argv[at]. */
static void splice(const char *text_given, int *argc, char ***argv, int at) {

    char **out = NULL;
    size_t count = 0, cap = 0;
    g_text word = {0};
    const char *text = text_given;
    out = g_more(out, &cap, sizeof *out);
    out[count++] = (*argv)[0];
    while (split_word(&text, &word)) {
        if (count + 1 >= cap) out = g_more(out, &cap, sizeof *out);
        out[count++] = g_copy_string(word.s);
    }
    size_t from_text = count;
    for (int i = at; i <= *argc; i++) {
        if (count + 1 >= cap) out = g_more(out, &cap, sizeof *out);
        out[count++] = (*argv)[i];
    }
    if (debug && from_text > 1) tell("split -S:  %s\n", g_quote(text_given));
    for (size_t i = 1; debug && i < count; i++)
        if (i == 1 || i < from_text)
            tell("%s%s\n", i == 1 ? " into:    " : "     &    ", g_quote(out[i]));
    g_text_free(&word);
    *argc = (int)count - 1;
    *argv = out;
}

static void handle_signals(const char *list, int option) {
    sigset_t set;
    sigemptyset(&set);
    for (const char *p = list; p && *p;) {
        size_t len = strcspn(p, ",");
        char *word = g_copy_bytes(p, len);
        int number = g_signal_number(word);
        if (number <= 0) g_usage("%s: invalid signal", g_quote(word));
        free(word);
        if (option == BLOCK_SIGNAL) sigaddset(&set, number);
        else if (signal(number, option == DEFAULT_SIGNAL ? SIG_DFL : SIG_IGN) == SIG_ERR)
            g_die_errno(125, errno, "failed to set signal action for signal %d", number);
        p += len + (p[len] == ',');
    }
    for (int number = 1; !list && number < 32; number++) {
        if (number == SIGKILL || number == SIGSTOP) continue;
        if (option == BLOCK_SIGNAL) sigaddset(&set, number);
        else signal(number, option == DEFAULT_SIGNAL ? SIG_DFL : SIG_IGN);
    }
    if (option == BLOCK_SIGNAL) sigprocmask(SIG_BLOCK, &set, NULL);
}

int env_main(int argc, char **argv) {
    bool ignore = false;
    char end = '\n';
    const char *dir = NULL;
    char **unset = g_resize(NULL, (size_t)argc + 1, sizeof *unset);
    size_t unset_count = 0;
    int splits = 0;
    g_set_failure(125);
    g_options o = g_options_of(argc, argv, "+C:iS:u:v0 \t", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'i': ignore = true; break;
        case '0': end = '\0'; break;
        case 'C': dir = o.arg; break;
        case 'v': debug = true; break;
        case 'u':
            unset = g_resize(unset, unset_count + 1, sizeof *unset);
            unset[unset_count++] = (char *)o.arg;
            break;
        case 'S':
            if (++splits > 100) g_die(125, "-S: too many nested strings");
            splice(o.arg, &argc, &argv, o.at);
            o = g_options_of(argc, argv, "+C:iS:u:v0 \t", longs);
            break;
        case BLOCK_SIGNAL: case DEFAULT_SIGNAL: case IGNORE_SIGNAL:
            handle_signals(o.arg, option);
            break;
        case LIST_SIGNALS: break;
        default: g_usage("invalid option -- '%c'", option);
        }
    int at = o.at;
    if (at < argc && strcmp(argv[at], "-") == 0) {
        ignore = true;
        at++;
    }
    static char *none[] = {NULL};
    if (ignore) {
        if (debug) tell("cleaning environ\n");
        environ = none;
    }
    for (size_t i = 0; i < unset_count; i++) {
        if (debug && !ignore) tell("unset:    %s\n", unset[i]);
        if (unsetenv(unset[i]) < 0) g_die_errno(125, errno, "cannot unset %s", g_quote(unset[i]));
    }
    for (; at < argc && strchr(argv[at], '='); at++) {
        if (debug) tell("setenv:   %s\n", argv[at]);
        char *equals = strchr(argv[at], '=');
        char *name = g_copy_bytes(argv[at], (size_t)(equals - argv[at]));
        if (!*name || setenv(name, equals + 1, 1) < 0) {
            /* A name that the C library refuses is still passed on. */
            if (putenv(argv[at]) != 0) g_die_errno(125, errno, "cannot set %s", g_quote(name));
        }
        free(name);
    }
    if (at == argc) {
        if (dir) g_usage("must specify command with --chdir (-C)");
        for (char **e = environ; e && *e; e++) {
            g_outs(*e);
            g_outc(end);
        }
        return 0;
    }
    if (end == '\0') g_usage("cannot specify --null (-0) with command");
    if (dir && debug) tell("chdir:    %s\n", g_quoteaf(dir));
    if (dir && chdir(dir) < 0)
        g_die_errno(125, errno, "cannot change directory to %s", g_quoteaf(dir));
    if (debug) tell("executing: %s\n", argv[at]);
    for (int i = at; debug && i < argc; i++) tell("   arg[%d]= %s\n", i - at, g_quote(argv[i]));
    g_out_flush();
    execvp(argv[at], argv + at);
    int error = errno;
    g_warn_errno(error, "%s", g_quote(argv[at]));
    if (error == ENOENT && strchr(argv[at], ' '))
        g_warn("use -[v]S to pass options in shebang lines");
    return error == ENOENT ? 127 : 126;
}
