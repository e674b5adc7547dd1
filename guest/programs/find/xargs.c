/*
 * xargs.c: builds and runs commands from standard input.
 *
 * help xargs:
 *   Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
 *   Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.
 *
 *     -0, --null                   items are separated by a null, not whitespace; disables quote and
 *                                    backslash processing and logical EOF processing
 *     -a, --arg-file=FILE          read arguments from FILE, not standard input
 *     -d, --delimiter=CHARACTER    items in input stream are separated by CHARACTER, not by
 *                                    whitespace; disables quote and backslash processing
 *     -E END                       set logical EOF string; if END occurs as a line of input, the
 *                                    rest of the input is ignored
 *     -e, --eof[=END]              equivalent to -E END if END is specified
 *     -I R                         same as --replace=R
 *     -i, --replace[=R]            replace R in INITIAL-ARGS with names read from standard input,
 *                                    split at newlines; if R is unspecified, assume {}
 *     -L, --max-lines=MAX-LINES    use at most MAX-LINES non-blank input lines per command line
 *     -l[MAX-LINES]                similar to -L but defaults to at most one non-blank input line
 *     -n, --max-args=MAX-ARGS      use at most MAX-ARGS arguments per command line
 *     -o, --open-tty               reopen stdin as /dev/tty in the child process
 *     -P, --max-procs=MAX-PROCS    run at most MAX-PROCS processes at a time
 *     -p, --interactive            prompt before running commands
 *         --process-slot-var=VAR   set environment variable VAR in child processes
 *     -r, --no-run-if-empty        if there are no arguments, then do not run COMMAND
 *     -s, --max-chars=MAX-CHARS    limit length of command line to MAX-CHARS
 *         --show-limits            show limits on command-line length
 *     -t, --verbose                print commands before executing them
 *     -x, --exit                   exit if the size (see -s) is exceeded
 *         --help                   display this help and exit
 *         --version                output version information and exit
 */
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_spawn.h"
#include "g_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_BYTES (128u << 10) /* GNU's default, and its upper limit here */

typedef struct {
    /* What was asked for */
    int delimiter; /* -1: blanks and quotes */
    const char *end_text, *replace, *slot_name;
    uint64_t max_args, max_lines; /* 0: no limit */
    size_t max_bytes;
    int max_procs;
    bool exit_when_long, no_run_if_empty, ask, verbose, open_tty, from_file;
    char **initial;
    int initial_count;
    /* Input */
    g_reader in;
    char *bytes;
    size_t left;
    /* The command that is being put together */
    char **args;
    size_t arg_count, arg_cap, byte_count, initial_bytes;
    uint64_t lines;
    bool any_run;
    /* Children */
    pid_t *slots;
    int running, status;
    bool stop, warned_of_nul;
} xargs;

static int next_byte(xargs *x) {
    if (x->left == 0) {
        x->left = g_read_some(&x->in, &x->bytes);
        if (x->left == 0) {
            if (x->in.error) g_die_errno(1, x->in.error, "read error");
            return -1;
        }
    }
    x->left--;
    return (unsigned char)*x->bytes++;
}

/* Children */

static void ended(xargs *x, pid_t pid, int status) {
    for (int i = 0; i < x->max_procs; i++)
        if (x->slots[i] == pid) x->slots[i] = 0;
    x->running--;
    const char *command = x->initial[0];
    if (WIFSIGNALED(status)) {
        g_warn("%s: terminated by signal %d", command, WTERMSIG(status));
        x->status = 125;
        x->stop = true;
    } else if (WEXITSTATUS(status) == 255) {
        g_warn("%s: exited with status 255; aborting", command);
        x->status = 124;
        x->stop = true;
    } else if (WEXITSTATUS(status)) {
        x->status = 123;
    }
}

static void wait_one(xargs *x, bool block) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, block ? 0 : WNOHANG)) < 0 && errno == EINTR) {
    }
    if (pid > 0) ended(x, pid, status);
    else if (pid < 0) x->running = 0;
}

static void wait_all(xargs *x) {
    while (x->running > 0) wait_one(x, true);
}

static int free_slot(xargs *x) {
    while (x->running >= x->max_procs) wait_one(x, true);
    for (int i = 0; i < x->max_procs; i++)
        if (!x->slots[i]) return i;
    return 0;
}

static bool confirmed(xargs *x, char **argv) {
    g_text line = {0};
    for (char **a = argv; *a; a++) {
        if (a > argv) g_text_addc(&line, ' ');
        char *quoted = g_shell_quote(*a, strlen(*a), false, false, NULL);
        g_text_adds(&line, quoted);
        free(quoted);
    }
    if (!x->ask) {
        fprintf(stderr, "%s\n", line.s);
        g_text_free(&line);
        return true;
    }
    fprintf(stderr, "%s?...", line.s);
    g_text_free(&line);
    int tty = open("/dev/tty", O_RDONLY | O_CLOEXEC);
    if (tty < 0) {
        fputc('\n', stderr);
        g_die_errno(1, errno, "failed to open /dev/tty for reading");
    }
    char c = 0, first = 0;
    while (read(tty, &c, 1) == 1 && c != '\n')
        if (!first) first = c;
    close(tty);
    return first == 'y' || first == 'Y';
}

static void run(xargs *x, char **argv) {
    if ((x->verbose || x->ask) && !confirmed(x, argv)) return;
    int slot = free_slot(x);
    if (x->stop) return;
    if (x->slot_name) {
        char number[12];
        snprintf(number, sizeof number, "%d", slot);
        setenv(x->slot_name, number, 1);
    }
    pid_t pid = g_spawn(argv, NULL, x->from_file ? G_STDIN_SAME : G_STDIN_NULL);
    if (pid < 0) {
        int error = errno;
        g_warn_errno(error, "%s", argv[0]);
        x->status = error == ENOENT ? 127 : 126;
        x->stop = true;
        return;
    }
    x->slots[slot] = pid;
    x->running++;
    if (x->max_procs == 1) wait_all(x);
    else wait_one(x, false);
}

static void run_collected(xargs *x) {
    char **argv = g_resize(NULL, (size_t)x->initial_count + x->arg_count + 1, sizeof *argv);
    memcpy(argv, x->initial, (size_t)x->initial_count * sizeof *argv);
    if (x->arg_count) memcpy(argv + x->initial_count, x->args, x->arg_count * sizeof *argv);
    argv[(size_t)x->initial_count + x->arg_count] = NULL;
    run(x, argv);
    free(argv);
    for (size_t i = 0; i < x->arg_count; i++) free(x->args[i]);
    x->arg_count = 0;
    x->lines = 0;
    x->byte_count = x->initial_bytes;
    x->any_run = true;
}

/* -I: every word of the command with the text put in. */
static void run_replaced(xargs *x, const char *text) {
    char **argv = g_resize(NULL, (size_t)x->initial_count + 1, sizeof *argv);
    size_t len = strlen(x->replace), total = 0;
    for (int i = 0; i < x->initial_count; i++) {
        g_text out = {0};
        const char *word = x->initial[i];
        g_text_adds(&out, "");
        for (const char *p; len && (p = strstr(word, x->replace)); word = p + len) {
            g_text_add(&out, word, (size_t)(p - word));
            g_text_adds(&out, text);
        }
        g_text_adds(&out, word);
        argv[i] = out.s;
        total += out.len + 1;
    }
    argv[x->initial_count] = NULL;
    if (total > x->max_bytes) g_die(1, "argument list too long");
    run(x, argv);
    for (int i = 0; i < x->initial_count; i++) free(argv[i]);
    free(argv);
}

static void add(xargs *x, const char *text, size_t len) {
    size_t need = len + 1;
    bool full = x->byte_count + need > x->max_bytes || (x->max_args && x->arg_count >= x->max_args);
    if (full && x->arg_count > 0) {
        if (x->exit_when_long && x->byte_count + need > x->max_bytes &&
            !(x->max_args && x->arg_count >= x->max_args)) {
            wait_all(x);
            g_die(1, "argument list too long");
        }
        run_collected(x);
        if (x->stop) return;
    }
    if (x->byte_count + need > x->max_bytes) {
        wait_all(x);
        g_die(1, "argument line too long");
    }
    if (x->arg_count == x->arg_cap) x->args = g_more(x->args, &x->arg_cap, sizeof *x->args);
    x->args[x->arg_count++] = g_copy_bytes(text, len);
    x->byte_count += need;
}

/* Input with a delimiter: everything between two of them. */
static void read_delimited(xargs *x) {
    g_text item = {0};
    bool any = false;
    for (int c; !x->stop && (c = next_byte(x)) >= 0;) {
        if (c != x->delimiter) {
            g_text_addc(&item, (char)c);
            any = true;
            continue;
        }
        g_text_add(&item, "", 0);
        if (x->replace) run_replaced(x, item.s);
        else add(x, item.s, item.len);
        if (!x->replace && x->max_lines && ++x->lines == x->max_lines) run_collected(x);
        item.len = 0;
        any = false;
    }
    if (any && !x->stop) {
        if (x->replace) run_replaced(x, item.s);
        else add(x, item.s, item.len);
    }
    g_text_free(&item);
}

/* What was complete still runs: before the message, or after it at the end of the input. */
_Noreturn static void unmatched(xargs *x, int quote, bool at_end) {
    if (!at_end && x->arg_count > 0) run_collected(x);
    wait_all(x);
    g_warn("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option",
           quote == '"' ? "double" : "single");
    if (at_end && x->arg_count > 0) run_collected(x);
    wait_all(x);
    g_exit(1);
}

/* Arguments are strings: one that has a NUL ends there. */
static void warn_of_nul(xargs *x) {
    if (!x->warned_of_nul)
        g_warn(
            "WARNING: a NUL character occurred in the input.  It cannot be passed through in the "
            "argument list.  Did you mean to use the --null option?");
    x->warned_of_nul = true;
}

/*
 * One item of input with quotes and backslashes: false at the end. With -I an item is a line
 * without blanks at its start.
 */
static bool read_quoted(xargs *x, g_text *item) {
    int c, quote = 0;
    bool any = false;
    item->len = 0;
    g_text_add(item, "", 0);
    while ((c = next_byte(x)) >= 0) {
        if (c == '\0') warn_of_nul(x);
        if (quote) {
            if (c == '\n') unmatched(x, quote, false);
            if (c == quote) quote = 0;
            else g_text_addc(item, (char)c);
            continue;
        }
        if (c == '\n') {
            if (any) return true;
            continue;
        }
        if (c == '"' || c == '\'') {
            quote = c;
            any = true;
        } else if (c == '\\') {
            c = next_byte(x);
            if (c < 0) break;
            g_text_addc(item, (char)c);
            any = true;
        } else if (isblank(c) || (!any && isspace(c))) {
            if (x->replace) {
                if (any) g_text_addc(item, (char)c);
                continue;
            }
            if (any) return true;
        } else {
            g_text_addc(item, (char)c);
            any = true;
        }
    }
    if (quote) unmatched(x, quote, true);
    return any;
}

static bool is_end(const xargs *x, const g_text *item) {
    return x->end_text && strcmp(item->s, x->end_text) == 0;
}

static void read_blanks(xargs *x) {
    g_text item = {0};
    while (!x->stop && read_quoted(x, &item) && !is_end(x, &item)) {
        if (x->replace) run_replaced(x, item.s);
        else
            add(x, item.s, strlen(item.s));
    }
    g_text_free(&item);
}

/* With -L, lines count: an item at a time, and whether blanks or a newline came behind it. */
static void read_lines(xargs *x) {
    g_text item = {0};
    int c, quote = 0;
    bool any = false, blank_last = false, line_has_items = false;
    g_text_add(&item, "", 0);
    while (!x->stop) {
        c = next_byte(x);
        if (c == '\0') warn_of_nul(x);
        if (quote && c >= 0) {
            if (c == '\n') unmatched(x, quote, false);
            if (c == quote) quote = 0;
            else g_text_addc(&item, (char)c);
            continue;
        }
        if (quote) unmatched(x, quote, true);
        bool separator = c < 0 || c == '\n' || isblank(c);
        if (separator && any) {
            if (is_end(x, &item)) break;
            add(x, item.s, strlen(item.s));
            item.len = 0;
            item.s[0] = '\0';
            any = false;
            line_has_items = true;
        }
        if (c < 0) break;
        if (c == '\n') {
            if (line_has_items && !blank_last && ++x->lines == x->max_lines) run_collected(x);
            if (!blank_last) line_has_items = false;
            blank_last = false;
        } else if (isblank(c)) {
            blank_last = true;
        } else if (!any && isspace(c)) {
            blank_last = false; /* in front of an item, any space is skipped */
        } else {
            blank_last = false;
            any = true;
            if (c == '"' || c == '\'') quote = c;
            else if (c == '\\') {
                if ((c = next_byte(x)) < 0) continue;
                g_text_addc(&item, (char)c);
            } else {
                g_text_addc(&item, (char)c);
            }
        }
    }
    g_text_free(&item);
}

/* Options */

static uint64_t number(const char *text, char option, uint64_t min, uint64_t max) {
    int64_t value;
    enum g_number_result result = g_parse_signed(text, "", &value, NULL);
    if (result != G_NUMBER_OK && result != G_NUMBER_OVERFLOW)
        g_usage("invalid number \"%s\" for -%c option", text, option);
    if (value < 0 || (uint64_t)value < min)
        g_usage("value %s for -%c option should be >= %llu", text, option, (unsigned long long)min);
    if ((uint64_t)value > max) {
        g_warn("value %s for -%c option should be <= %llu", text, option, (unsigned long long)max);
        return max;
    }
    return (uint64_t)value;
}

static int read_delimiter(const char *text) {
    static const char letters[] = "abfnrtv\\", bytes[] = "\a\b\f\n\r\t\v\\";
    if (strlen(text) == 1) return (unsigned char)*text;
    if (*text == '\\') {
        const char *known = text[1] ? strchr(letters, text[1]) : NULL;
        if (known && !text[2]) return (unsigned char)bytes[known - letters];
        char *end;
        unsigned long value = 256;
        if (text[1] == 'x' && text[2]) value = strtoul(text + 2, &end, 16);
        else if (text[1] >= '0' && text[1] <= '7') value = strtoul(text + 1, &end, 8);
        else g_die(1, "Invalid escape sequence %s in input delimiter specification.", text);
        if (*end) g_die(1, "Invalid escape sequence %s in input delimiter specification; trailing "
                           "characters %s not recognised.", text, end);
        if (value > 255) g_die(1, "Invalid escape sequence %s in input delimiter specification; "
                                  "character values must not exceed %s.", text, text[1] == 'x' ? "ff" : "0377");
        return (int)value;
    }
    g_die(1, "Invalid input delimiter specification %s: the delimiter must be either a single "
             "character or an escape sequence starting with \\.", text);
}

static void show_limits(const xargs *x) {
    fprintf(stderr, "Your environment variables take up %u bytes\n"
                    "POSIX upper limit on argument length (this system): %u\n"
                    "POSIX smallest allowable upper limit on argument length (all systems): 4096\n"
                    "Maximum length of command we could actually use: %u\n"
                    "Size of command buffer we are actually using: %u\n"
                    "Maximum parallelism (--max-procs must be no greater): %d\n",
            0u, 2097152u, 2097152u, (unsigned)x->max_bytes, INT32_MAX);
}

static void exclusive(const char *one, const char *other) {
    g_warn("warning: options %s and %s are mutually exclusive, ignoring previous %s value", one, other,
           one);
}

enum { SLOT = 256, LIMITS };
static const g_long longs[] = {
    {"null", '0', G_NONE},           {"arg-file", 'a', G_REQUIRED},
    {"delimiter", 'd', G_REQUIRED},  {"eof", 'e', G_OPTIONAL},
    {"replace", 'i', G_OPTIONAL},    {"max-lines", 'l', G_OPTIONAL},
    {"max-args", 'n', G_REQUIRED},   {"open-tty", 'o', G_NONE},
    {"interactive", 'p', G_NONE},    {"no-run-if-empty", 'r', G_NONE},
    {"max-chars", 's', G_REQUIRED},  {"verbose", 't', G_NONE},
    {"show-limits", LIMITS, G_NONE}, {"exit", 'x', G_NONE},
    {"max-procs", 'P', G_REQUIRED},  {"process-slot-var", SLOT, G_REQUIRED},
    {0}};

static const char *one_option(xargs *x, int option, const char *arg, const char *file) {
    switch (option) {
    case '0': x->delimiter = '\0'; break;
    case 'a': return arg;
    case 'd': x->delimiter = read_delimiter(arg); break;
    case 'E': case 'e': x->end_text = arg && *arg ? arg : NULL; break;
    case 'I': case 'i':
        if (x->max_lines) exclusive("--max-lines", "--replace/-I/-i");
        if (x->max_args) exclusive("--max-args", "--replace/-I/-i");
        x->replace = arg ? arg : "{}";
        x->max_args = x->max_lines = 0;
        break;
    case 'L': case 'l':
        if (x->max_args) exclusive("--max-args", option == 'L' ? "-L" : "--max-lines/-l");
        if (x->replace) exclusive("--replace", option == 'L' ? "-L" : "--max-lines/-l");
        x->max_lines = arg ? number(arg, (char)option, 1, UINT32_MAX) : 1;
        x->max_args = 0;
        x->replace = NULL;
        if (option == 'l') x->exit_when_long = true;
        break;
    case 'n': {
        uint64_t value = number(arg, 'n', 1, UINT32_MAX);
        if (x->max_lines) exclusive("--max-lines", "--max-args/-n");
        x->max_lines = 0;
        if (x->replace && value == 1) break; /* harmless together */
        if (x->replace) exclusive("--replace", "--max-args/-n");
        x->replace = NULL;
        x->max_args = value;
        break;
    }
    case 'o': x->open_tty = true; break;
    case 'P': x->max_procs = (int)number(arg, 'P', 0, INT32_MAX); break;
    case 'p': x->ask = true; break;
    case 'r': x->no_run_if_empty = true; break;
    case 's': x->max_bytes = (size_t)number(arg, 's', 1, COMMAND_BYTES); break;
    case 't': x->verbose = true; break;
    case 'x': x->exit_when_long = true; break;
    case SLOT: x->slot_name = arg; break;
    case LIMITS: show_limits(x); break;
    }
    return file;
}

int xargs_main(int argc, char **argv) {
    xargs x = {.delimiter = -1, .max_procs = 1, .max_bytes = COMMAND_BYTES};
    const char *file = NULL;
    g_options o = g_options_of(argc, argv, "+0a:E:e::i::I:l::L:n:prs:txP:d:o", longs);
    for (int option; (option = g_option(&o)) >= 0;) file = one_option(&x, option, o.arg, file);
    static char *echo[] = {"echo"};
    x.initial = o.at < argc ? argv + o.at : echo;
    x.initial_count = o.at < argc ? argc - o.at : 1;
    for (int i = 0; i < x.initial_count; i++) x.initial_bytes += strlen(x.initial[i]) + 1;
    x.byte_count = x.initial_bytes;
    if (x.replace || x.max_lines) x.exit_when_long = true;
    if (x.initial_bytes > x.max_bytes || x.max_bytes < 2)
        g_die(1, "cannot fit single argument within argument list size limit");
    if (x.max_procs == 0) x.max_procs = 1000;
    x.slots = g_zalloc((size_t)x.max_procs * sizeof *x.slots);
    if (x.slot_name && strchr(x.slot_name, '='))
        g_die(1, "option --%s may not be set to a value which includes %s", "process-slot-var", g_quote("="));
    int fd = STDIN_FILENO;
    if (file && strcmp(file, "-") != 0) {
        fd = open(file, O_RDONLY | O_CLOEXEC);
        if (fd < 0) g_die_errno(1, errno, "Cannot open input file %s", g_quote(file));
        x.from_file = true;
    }
    g_reader_init(&x.in, fd, '\n');
    if (x.delimiter >= 0) read_delimited(&x);
    else if (x.max_lines) read_lines(&x);
    else read_blanks(&x);
    bool empty = !x.any_run && x.arg_count == 0 && !x.replace && !x.no_run_if_empty;
    if (!x.stop && (x.arg_count > 0 || empty)) run_collected(&x);
    wait_all(&x);
    return x.status;
}
