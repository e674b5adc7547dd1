/*
 * awk.c: pattern scanning and text processing: POSIX awk with gawk's extensions.
 *
 * This file reads the options; see awk.h for the parts. Deviations: -i, -l, -M and the debugger,
 * the profiler and the pretty-printer are refused; there are no namespaces, no SYMTAB and no /inet;
 * --lint is accepted and without effect.
 *
 * help awk gawk:
 *   Usage: @NAME@ [OPTION]... [--] 'program' [FILE | VAR=VALUE]...
 *     or:  @NAME@ [OPTION]... -f PROGFILE [--] [FILE | VAR=VALUE]...
 *   Run the program on each record of the FILEs, or of standard input.
 *
 *     -f, --file=PROGFILE       read the program from PROGFILE (may be repeated)
 *     -e, --source='program'    the program's text (may be repeated and mixed with -f)
 *     -E, --exec=PROGFILE       as -f, and end the options
 *     -F, --field-separator=FS  separate fields by FS
 *     -v, --assign=VAR=VALUE    set a variable before the program begins
 *     -b, --characters-as-bytes  a character is a byte
 *     -n, --non-decimal-data    take 0x11 and 011 in the input for numbers
 *     -c, --traditional         no extensions
 *     -P, --posix               as --traditional, and stricter
 *     -r, --re-interval         (always on)
 *     -S, --sandbox             no system() and no redirections
 *     -i, --include=inplace     what is printed takes the place of the file that is read; a copy
 *                               stays when -v inplace::suffix=SUFFIX says so
 *     -W OPTION                 the long option of that name
 *     -s, -O, -t, -L, -N        (accepted, without effect)
 *     -h, --help                display this help and exit
 *     -V, --version             output version information and exit
 */
#include "awk.h"
#include "compile.h"
#include "g_in.h"
#include "g_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct awk_state awk;

static const g_long longs[] = {{"assign", 'v', G_REQUIRED},
                               {"bignum", 'M', G_NONE},
                               {"characters-as-bytes", 'b', G_NONE},
                               {"copyright", 'C', G_NONE},
                               {"csv", 'k', G_NONE},
                               {"debug", 'D', G_OPTIONAL},
                               {"dump-variables", 'd', G_OPTIONAL},
                               {"exec", 'E', G_REQUIRED},
                               {"field-separator", 'F', G_REQUIRED},
                               {"file", 'f', G_REQUIRED},
                               {"gen-pot", 'g', G_NONE},
                               {"include", 'i', G_REQUIRED},
                               {"lint", 'L', G_OPTIONAL},
                               {"lint-old", 't', G_NONE},
                               {"load", 'l', G_REQUIRED},
                               {"no-optimize", 's', G_NONE},
                               {"non-decimal-data", 'n', G_NONE},
                               {"optimize", 'O', G_NONE},
                               {"posix", 'P', G_NONE},
                               {"pretty-print", 'o', G_OPTIONAL},
                               {"profile", 'p', G_OPTIONAL},
                               {"re-interval", 'r', G_NONE},
                               {"sandbox", 'S', G_NONE},
                               {"source", 'e', G_REQUIRED},
                               {"traditional", 'c', G_NONE},
                               {"trace", 'I', G_NONE},
                               {"use-lc-numeric", 'N', G_NONE},
                               {"version", 'V', G_NONE},
                               {0}};

static void report(const char *kind, const char *format, va_list args, char *text, size_t size) {
    g_text where = {0};
    run_where(&where);
    int len = snprintf(text, size, "%s%s: ", where.s ? where.s : "", kind);
    if (len > 0 && (size_t)len < size) vsnprintf(text + len, size - (size_t)len, format, args);
    g_text_free(&where);
}

_Noreturn void awk_fatal(const char *format, ...) {
    char text[2000];
    va_list args;
    va_start(args, format);
    report("fatal", format, args, text, sizeof text);
    va_end(args);
    g_die(2, "%s", text);
}

void awk_warn(const char *format, ...) {
    char text[2000];
    va_list args;
    va_start(args, format);
    report("warning", format, args, text, sizeof text);
    va_end(args);
    g_warn("%s", text);
}

static lex_source read_program(const char *file) {
    lex_source source = {.name = strcmp(file, "-") == 0 ? "-" : file};
    int fd = strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? g_read_all(fd, &source.len) : NULL;
    if (!text) {
        int error = errno;
        g_die_errno(2, error, "fatal: cannot open source file `%s' for reading", file);
    }
    g_close_input(fd);
    source.text = text;
    return source;
}

_Noreturn static void refused(const char *what, const char *instead) {
    g_die(2, "fatal: %s is not supported: %s", what, instead);
}

/* What the options gave. */
typedef struct {
    lex_source *sources;
    size_t source_count;
    const char **assignments;
    size_t assignment_count;
    const char *separator;
} options;

static void add_text(options *o, const char *text) {
    o->sources[o->source_count++] = (lex_source){.text = text, .len = strlen(text)};
}

_Noreturn static void bad_assignment(const char *arg) {
    const char *equals = strchr(arg, '=');
    if (equals) g_die(2, "fatal: `%.*s' is not a legal variable name", (int)(equals - arg), arg);
    g_usage("`%s' argument to `-v' not in `var=value' form\n", arg);
}

static void one_option(options *o, int option, const char *arg);

/* -W posix is --posix, -W assign=x=1 --assign=x=1. */
static void one_word(options *o, const char *text) {
    size_t len = strcspn(text, "=");
    for (const g_long *l = longs; l->name; l++) {
        if (strncmp(l->name, text, len) != 0 || l->name[len]) continue;
        one_option(o, l->value, text[len] ? text + len + 1 : NULL);
        return;
    }
    g_warn("option `-W %s' unrecognized, ignored", text);
}

static void one_option(options *o, int option, const char *arg) {
    switch (option) {
    case 'f':
    case 'E': o->sources[o->source_count++] = read_program(arg); break;
    case 'e': add_text(o, arg); break;
    case 'F': o->separator = arg; break;
    case 'W': one_word(o, arg); break;
    case 'v':
        for (int i = 0; i < 2; i++) {
            const char *name = i ? "INPLACE_SUFFIX=" : "inplace::suffix=";
            if (strncmp(arg, name, strlen(name)) == 0) awk.inplace_suffix = arg + strlen(name);
        }
        if (strncmp(arg, "inplace::suffix=", 16) == 0) break;
        if (!awk_is_assignment(arg)) bad_assignment(arg);
        o->assignments[o->assignment_count++] = arg;
        break;
    case 'b': awk.bytes = true; break;
    case 'c':
    case 'P': awk.posix = true; break;
    case 'n': awk.non_decimal = true; break;
    case 'S': awk.sandbox = true; break;
    case 'i':
        if (strcmp(arg, "inplace") == 0) {
            awk.inplace = true;
            break;
        }
        refused("-i", "use -f, or @include in the program");
    case 'l': refused("-l", "there are no extension libraries");
    case 'M': refused("-M", "numbers are doubles; for more digits use bc");
    case 'k': refused("--csv", "set FPAT, as in FPAT = \"([^,]*)|(\\\"[^\\\"]*\\\")\"");
    case 'D':
    case 'd':
    case 'g':
    case 'I':
    case 'o':
    case 'p': refused("this option", "there is no debugger, profiler or pretty-printer");
    case 'C':
    case 'V': g_outf("%s (pinfold) 5.2.1, compatible with GNU Awk 5.2.1\n", g_name()); g_exit(0);
    case 'h': g_outs(g_help()); g_exit(0);
    }
}

static void assign_separator(const char *arg) {
    g_text operand = {0};
    g_text_adds(&operand, "FS=");
    g_text_adds(&operand, arg);
    awk_assign_operand(operand.s);
    g_text_free(&operand);
}

int awk_main(int argc, char **argv) {
    options opts = {0};
    opts.sources = g_zalloc((size_t)(argc + 1) * sizeof *opts.sources);
    opts.assignments = g_zalloc((size_t)(argc + 1) * sizeof *opts.assignments);
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    g_begin(name, g_help());
    awk.bytes = !g_utf8_locale();
    g_options o =
        g_options_of(argc, argv, "+F:f:v:e:E:bcCd::D::ghi:Il:L::MnNo::Op::PrsStVkW:", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        one_option(&opts, option, o.arg);
        if (option == 'E') break;
    }
    g_set_failure(2);
    int at = o.at;
    if (opts.source_count == 0) {
        if (at >= argc) {
            g_stdout.fd = STDERR_FILENO;
            g_outs(g_help());
            g_out_flush();
            return 1;
        }
        add_text(&opts, argv[at++]);
    }
    tree program;
    parse_begin(&program);
    for (size_t i = 0; i < opts.source_count; i++) parse_source(&program, &opts.sources[i]);
    parse_finish(&program);
    struct program *code = compile(&program);

    run_begin(code);
    stream_begin();
    record_begin();
    variables_begin(code, argc, argv, name);
    value *args = &awk.globals[V_ARGV];
    for (int i = at; i < argc; i++)
        *array_at_int(args->array, i - at + 1) = value_input(text_ofs(argv[i]));
    awk.globals[V_ARGC] = value_number(argc - at + 1);
    if (opts.separator) assign_separator(opts.separator);
    for (size_t i = 0; i < opts.assignment_count; i++) awk_assign_operand(opts.assignments[i]);

    run_program();
    int status = stream_finish();
    return awk.exit_status ? awk.exit_status : status;
}
