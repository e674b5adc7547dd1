/*
 * parallel.c: runs a command for each of many arguments, several at a time.
 *
 * GNU parallel's common use. Not there: other machines (-S), {= perl =}, --plus, --results,
 * --semaphore, --tmux; --line-buffer is -u.
 *
 * help parallel:
 *   Usage:
 *
 *   parallel [options] [command [arguments]] < list_of_arguments
 *   parallel [options] [command [arguments]] (::: arguments|:::: argfile(s))...
 *   cat ... | parallel --pipe [options] [command [arguments]]
 *
 *   {} {.} {/} {//} {/.}     the argument; without its ending; its last part; its directory; its
 *                            last part without the ending
 *   {3} {-1.} {name}         a positional argument, with the same endings; by its --header
 *   {#} {%}                  number of the job; of its slot
 *   ::: a b, :::+ a b        arguments; linked to the list in front of them
 *   :::: f, ::::+ f          the same from the lines of files
 *
 *   -0, --null               arguments end in NUL
 *   -a, --arg-file=FILE      read arguments from FILE
 *       --block=SIZE         with --pipe: bytes for each job (1M)
 *   -C, --colsep=REGEXP      split arguments into columns {1} {2} …
 *   -d, --delimiter=CHAR     arguments end in CHAR
 *       --delay=SECS         wait between two starts
 *       --dry-run            print the commands only
 *       --halt=WHEN          never, or soon|now,fail|success=N (or N%);
 *                            1: soon,fail=1  2: now,fail=1
 *       --header=:           the first values are names for {name}
 *   -I REPLACE               use REPLACE instead of {}
 *   -j, --jobs=N             at a time; N%, +N or -N of the processors; 0: as many as there are
 *       --joblog=FILE        write what became of each job
 *   -k, --keep-order         output in the order of the arguments
 *       --link               take lists side by side
 *   -m, -X                   as many arguments as the jobs allow; -X repeats the word around {}
 *   -n, -N, -L, --max-args=N   so many arguments for each job
 *       --pipe               give standard input to the jobs, in blocks of lines
 *   -q, --quote              quote the command
 *   -r, --no-run-if-empty    skip empty arguments
 *       --resume             skip what the --joblog names
 *       --retries=N          try up to N times
 *       --tag                put the arguments in front of each line; --tagstring=TEXT: TEXT
 *       --timeout=SECS       end jobs that take longer
 *   -t, --verbose            print each command to standard error
 *       --trim=n|l|r|lr|rl   cut blanks off arguments
 *   -u, --ungroup            do not hold output back until a job has ended
 *   -v                       print each command in front of its output
 *       --wd=DIR             run in DIR
 *       --help, --version
 */
#include "parallel.h"
#include "g_interval.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    BLOCK = 256,
    DELAY,
    DRY_RUN,
    HALT,
    HEADER,
    JOBLOG,
    LINK,
    PIPE,
    RESUME,
    RETRIES,
    TAG,
    TAGSTRING,
    TIMEOUT,
    TRIM,
    WD,
    NOTHING,
    NOTHING_1,
    REFUSED,
    REFUSED_1,
    LOUD
};

static const g_long longs[] = {{"null", '0', G_NONE},
                               {"arg-file", 'a', G_REQUIRED},
                               {"block", BLOCK, G_REQUIRED},
                               {"colsep", 'C', G_REQUIRED},
                               {"delimiter", 'd', G_REQUIRED},
                               {"delay", DELAY, G_REQUIRED},
                               {"dry-run", DRY_RUN, G_NONE},
                               {"dryrun", DRY_RUN, G_NONE},
                               {"halt", HALT, G_REQUIRED},
                               {"halt-on-error", HALT, G_REQUIRED},
                               {"header", HEADER, G_REQUIRED},
                               {"jobs", 'j', G_REQUIRED},
                               {"max-procs", 'j', G_REQUIRED},
                               {"joblog", JOBLOG, G_REQUIRED},
                               {"keep-order", 'k', G_NONE},
                               {"link", LINK, G_NONE},
                               {"xapply", LINK, G_NONE},
                               {"xargs", 'm', G_NONE},
                               {"max-args", 'N', G_REQUIRED},
                               {"max-replace-args", 'N', G_REQUIRED},
                               {"max-lines", 'N', G_REQUIRED},
                               {"pipe", PIPE, G_NONE},
                               {"spreadstdin", PIPE, G_NONE},
                               {"quote", 'q', G_NONE},
                               {"no-run-if-empty", 'r', G_NONE},
                               {"resume", RESUME, G_NONE},
                               {"retries", RETRIES, G_REQUIRED},
                               {"tag", TAG, G_NONE},
                               {"tagstring", TAGSTRING, G_REQUIRED},
                               {"timeout", TIMEOUT, G_REQUIRED},
                               {"verbose", 't', G_NONE},
                               {"trim", TRIM, G_REQUIRED},
                               {"ungroup", 'u', G_NONE},
                               {"line-buffer", 'u', G_NONE},
                               {"linebuffer", 'u', G_NONE},
                               {"lb", 'u', G_NONE},
                               {"wd", WD, G_REQUIRED},
                               {"workdir", WD, G_REQUIRED},
                               {"group", NOTHING, G_NONE},
                               {"bar", NOTHING, G_NONE},
                               {"eta", NOTHING, G_NONE},
                               {"progress", NOTHING, G_NONE},
                               {"will-cite", NOTHING, G_NONE},
                               {"no-notice", NOTHING, G_NONE},
                               {"gnu", NOTHING, G_NONE},
                               {"plain", NOTHING, G_NONE},
                               {"env", NOTHING_1, G_REQUIRED},
                               {"nice", NOTHING_1, G_REQUIRED},
                               {"tmpdir", NOTHING_1, G_REQUIRED},
                               {"citation", NOTHING, G_NONE},
                               {"sshlogin", REFUSED_1, G_REQUIRED},
                               {"sshloginfile", REFUSED_1, G_REQUIRED},
                               {"results", REFUSED_1, G_REQUIRED},
                               {"semaphore", REFUSED, G_NONE},
                               {"tmux", REFUSED, G_NONE},
                               {"plus", REFUSED, G_NONE},
                               {0}};

static _Noreturn void refuse(const char *text) {
    g_die(255, "Error: %s", text);
}

static int job_count(const char *text) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), n = strtol(text, NULL, 10);
    if (cpus < 1) cpus = 1;
    if (*text == '+' || *text == '-')
        n = cpus + n;
    else if (strchr(text, '%'))
        n = cpus * n / 100;
    else if (n == 0 && *text == '0')
        n = 252;
    return n < 1 ? 1 : n > 1000 ? 1000 : (int)n;
}

static void read_halt(parallel *p, const char *text) {
    const char *count = strchr(text, '=');
    p->halt_count = 1;
    if (strcmp(text, "0") == 0 || strcmp(text, "never") == 0) {
        p->halt = HALT_NEVER;
        return;
    }
    if (strcmp(text, "1") == 0 || strcmp(text, "2") == 0) {
        p->halt = *text == '1' ? HALT_SOON : HALT_NOW;
        return;
    }
    if (strncmp(text, "soon", 4) && strncmp(text, "now", 3))
        refuse("--halt must have 'never', 'soon', or 'now'.");
    p->halt = *text == 's' ? HALT_SOON : HALT_NOW;
    const char *what = strchr(text, ',');
    p->halt_success = what && strncmp(what + 1, "success", 7) == 0;
    if (!what || !count) return;
    double n = strtod(count + 1, NULL);
    p->halt_count = strchr(count, '%') ? n / 100 : n;
    if (p->halt_count <= 0) refuse("--halt: a number above 0 is wanted");
}

static char delimiter(const char *text) {
    if (text[0] != '\\') return text[0];
    return text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1] == '0' ? '\0' : text[1];
}

static double seconds(const char *text) {
    double value;
    if (!g_interval(text, &value)) g_die(255, "Error: %s is no time", g_quote(text));
    return value;
}

static void set_option(parallel *p, const g_options *o, int option) {
    const char *arg = o->arg;
    switch (option) {
    case '0': p->end = '\0'; break;
    case 'C': p->separator = arg; break;
    case 'd': p->end = delimiter(arg); break;
    case 'I': p->replace = arg; break;
    case 'j':
    case 'P': p->jobs = job_count(arg); break;
    case 'k': p->keep_order = true; break;
    case 'm': p->spread = true; break;
    case 'X': p->spread = p->context = true; break;
    case 'n':
    case 'N':
    case 'L':
        p->per_job = (size_t)g_number(arg, "", 0, 1u << 20, "invalid number of arguments");
        p->no_arguments = p->per_job == 0;
        break;
    case 'q': p->quote = true; break;
    case 'r': p->skip_empty = true; break;
    case 't': p->trace = true; break;
    case 'u': p->ungrouped = true; break;
    case 'v': p->verbose = true; break;
    case BLOCK: p->block = g_number(arg, "kKmMgG", 1, 1u << 30, "invalid block size"); break;
    case DELAY: p->delay = seconds(arg); break;
    case DRY_RUN: p->dry_run = true; break;
    case HALT: read_halt(p, arg); break;
    case HEADER: p->header = true; break;
    case JOBLOG: p->joblog = arg; break;
    case LINK: p->link = true; break;
    case PIPE: p->pipe = true; break;
    case RESUME: p->resume = true; break;
    case RETRIES: p->tries = g_number(arg, "", 0, 1u << 20, "invalid number of tries"); break;
    case TAG: p->tagged = true; break;
    case TAGSTRING:
        p->tagged = true;
        p->tag = arg;
        break;
    case TIMEOUT: p->timeout = seconds(arg); break;
    case TRIM: p->trim = arg; break;
    case WD: p->directory = arg; break;
    case REFUSED:
    case REFUSED_1:
    case 'S': g_die(255, "Error: %s%s is not there", o->name ? "--" : "-", o->name ? o->name : "S");
    }
}

/* ":::", "::::" and each with a +; 0: another word. The number of colons, negative when linked. */
static int separator_of(const char *word) {
    size_t colons = strspn(word, ":");
    if ((colons != 3 && colons != 4) || (word[colons] && strcmp(word + colons, "+") != 0)) return 0;
    return word[colons] ? -(int)colons : (int)colons;
}

static void read_operands(parallel *p, int argc, char **argv, int at, words *files) {
    g_text command = {0};
    int kind = 0;
    for (; at < argc; at++) {
        int next = separator_of(argv[at]);
        if (next) {
            kind = next;
            parallel_add_source(p, kind < 0);
            if (p->source_count == 1) p->sources[0].linked = false;
        } else if (kind == 3 || kind == -3) {
            words_add(&p->sources[p->source_count - 1].values, g_copy_string(argv[at]));
        } else if (kind) {
            if (p->sources[p->source_count - 1].values.n > 0) parallel_add_source(p, kind < 0);
            parallel_read(p, argv[at]);
        } else {
            if (command.len) g_text_addc(&command, ' ');
            bool quote = p->quote && strcmp(argv[at], "{}") != 0;
            g_text_adds(&command, quote ? g_quotef(argv[at]) : argv[at]);
        }
    }
    p->command = command.s;
    for (size_t i = 0; i < files->n; i++) {
        parallel_add_source(p, false);
        parallel_read(p, files->v[i]);
    }
    if (p->source_count == 0 && !p->pipe) {
        parallel_add_source(p, false);
        parallel_read(p, "-");
    }
}

int parallel_main(int argc, char **argv) {
    parallel p = {.end = '\n', .jobs = job_count("100%"), .block = 1 << 20, .tries = 1};
    words files = {0};
    g_set_failure(255);
    g_options o = g_options_of(argc, argv, "+0a:C:d:I:j:P:kmXn:N:L:qrtuvS:", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'a')
            words_add(&files, (char *)o.arg);
        else
            set_option(&p, &o, option);
    }
    read_operands(&p, argc, argv, o.at, &files);
    if (p.command && strstr(p.command, "{="))
        refuse("{= =} runs Perl, which is not here; awk or sed in the command can do it");
    if (!p.pipe) parallel_make_records(&p);
    return parallel_run(&p);
}
