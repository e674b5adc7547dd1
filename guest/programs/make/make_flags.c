/*
 * make_flags.c: options, from the command line and from MAKEFLAGS, and what of them makes below
 * see.
 */
#include "make_flags.h"
#include "g_option.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { NO_PRINT = 256, TRACE, WARN, NO_SILENT, JOBSERVER, SYNC };
#define SHORTS "bBC:deE:f:hiI:j::kl::Lmno:O::pqrRsStvwW:"

static const g_long longs[] = {{"always-make", 'B', G_NONE},
                               {"directory", 'C', G_REQUIRED},
                               {"environment-overrides", 'e', G_NONE},
                               {"eval", 'E', G_REQUIRED},
                               {"file", 'f', G_REQUIRED},
                               {"makefile", 'f', G_REQUIRED},
                               {"ignore-errors", 'i', G_NONE},
                               {"include-dir", 'I', G_REQUIRED},
                               {"jobs", 'j', G_OPTIONAL},
                               {"keep-going", 'k', G_NONE},
                               {"load-average", 'l', G_OPTIONAL},
                               {"max-load", 'l', G_OPTIONAL},
                               {"check-symlink-times", 'L', G_NONE},
                               {"just-print", 'n', G_NONE},
                               {"dry-run", 'n', G_NONE},
                               {"recon", 'n', G_NONE},
                               {"old-file", 'o', G_REQUIRED},
                               {"assume-old", 'o', G_REQUIRED},
                               {"output-sync", SYNC, G_OPTIONAL},
                               {"print-data-base", 'p', G_NONE},
                               {"question", 'q', G_NONE},
                               {"no-builtin-rules", 'r', G_NONE},
                               {"no-builtin-variables", 'R', G_NONE},
                               {"silent", 's', G_NONE},
                               {"quiet", 's', G_NONE},
                               {"no-silent", NO_SILENT, G_NONE},
                               {"no-keep-going", 'S', G_NONE},
                               {"stop", 'S', G_NONE},
                               {"touch", 't', G_NONE},
                               {"print-directory", 'w', G_NONE},
                               {"no-print-directory", NO_PRINT, G_NONE},
                               {"what-if", 'W', G_REQUIRED},
                               {"new-file", 'W', G_REQUIRED},
                               {"assume-new", 'W', G_REQUIRED},
                               {"warn-undefined-variables", WARN, G_NONE},
                               {"trace", TRACE, G_NONE},
                               {"debug", 'd', G_OPTIONAL},
                               {"jobserver-auth", JOBSERVER, G_REQUIRED},
                               {0}};

static void add(string_list *l, const char *s) {
    if (l->count == l->cap) l->list = g_more(l->list, &l->cap, sizeof *l->list);
    l->list[l->count++] = g_copy_string(s);
}

static void set_jobs(make_arguments *a, const char *text) {
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    if (text && (*end || !*text || n < 1))
        g_usage("the '-j' option requires a positive integer argument");
    job_slots = (unsigned)n;
    a->jobs_given = true;
}

static void set_jobserver(const char *text) {
    char *end;
    long from = strtol(text, &end, 10);
    if (*end != ',') return;
    long to = strtol(end + 1, &end, 10);
    if (*end || fcntl((int)from, F_GETFD) < 0 || fcntl((int)to, F_GETFD) < 0) return;
    jobserver[0] = (int)from;
    jobserver[1] = (int)to;
}

static void take_option(make_arguments *a, int option, const char *arg) {
    switch (option) {
    case 'B': opt.always = true; break;
    case 'C': add(&a->folders, arg); break;
    case 'd': g_die(2, "-d and --debug are not supported; --trace says why a target is made");
    case 'e': opt.environment = true; break;
    case 'E': add(&a->evals, arg); break;
    case 'f': add(&a->files, arg); break;
    case 'h': g_outs(g_help()); g_exit(0);
    case 'i': opt.ignore = true; break;
    case 'I': add(&a->includes, arg); break;
    case 'j': set_jobs(a, arg); break;
    case 'k': opt.keep_going = true; break;
    case 'L': opt.check_symlinks = true; break;
    case 'n': opt.dry_run = true; break;
    case 'o': add(&a->old_files, arg); break;
    case 'O':
    case SYNC:
        if (!arg || strcmp(arg, "none") != 0)
            g_die(2, "--output-sync is not supported; without -j, output is never mixed");
        break;
    case 'p': opt.print_database = true; break;
    case 'q': opt.question = true; break;
    case 'R': opt.no_builtin_variables = true; /* fall through */
    case 'r': opt.no_builtin_rules = true; break;
    case 's': opt.silent = true; break;
    case NO_SILENT: opt.silent = false; break;
    case 'S': opt.keep_going = false; break;
    case 't': opt.touch = true; break;
    case 'v': g_print_version(); g_exit(0);
    case 'w': opt.print_directory = true; break;
    case NO_PRINT: opt.no_print_directory = true; break;
    case 'W': add(&a->new_files, arg); break;
    case WARN: opt.warn_undefined = true; break;
    case TRACE: opt.trace = true; break;
    case JOBSERVER: set_jobserver(arg); break;
    }
}

/* The words of MAKEFLAGS: letters without a dash, options, and "-- NAME=value". */
static char **flag_words(const char *text, int *count) {
    char **words = g_zalloc((strlen(text) + 3) * sizeof *words);
    *count = 1;
    words[0] = g_copy_string(g_name());
    while (*text) {
        g_text word = {0};
        while (isspace((unsigned char)*text)) text++;
        if (!*text) break;
        g_text_adds(&word, "");
        bool first = *count == 1 && *text != '-' && !memchr(text, '=', strcspn(text, " "));
        if (first) g_text_addc(&word, '-');
        for (; *text && !isspace((unsigned char)*text); text++) {
            if (*text == '\\' && text[1]) text++;
            g_text_addc(&word, *text);
        }
        words[(*count)++] = word.s;
    }
    return words;
}

static void take_operand(make_arguments *a, char *word, bool goals) {
    assignment as = {0};
    if (parse_plain_assignment(word, &as))
        add(&a->assignments, word);
    else if (goals)
        add(&a->goals, word);
}

static void take_words(make_arguments *a, int argc, char **argv, bool goals) {
    g_options o = g_options_of(argc, argv, SHORTS, longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if ((option == 'f' || option == 'C' || option == 'p') && !goals) continue;
        take_option(a, option, o.arg);
    }
    for (int i = o.at; i < argc; i++) take_operand(a, argv[i], goals);
}

void flags_from_environment(make_arguments *a) {
    const char *text = getenv("MAKEFLAGS");
    if (!text || !*text) return;
    int count;
    char **words = flag_words(text, &count);
    take_words(a, count, words, false);
    a->jobs_given = false;
}

/* -j 4 is one option: its number may be a word of its own. */
static bool is_number_of_jobs(const char *option, const char *next) {
    size_t len = strlen(option);
    if (!next || !*next || next[strspn(next, "0123456789")]) return false;
    if (strcmp(option, "--jobs") == 0) return true;
    return option[0] == '-' && option[1] != '-' && len > 1 && option[len - 1] == 'j' &&
           strspn(option + 1, "bBeikLmnpqrRsStwj") == len - 1;
}

void flags_from_arguments(make_arguments *a, int argc, char **argv) {
    char **words = g_zalloc(((size_t)argc + 1) * sizeof *words);
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (i && is_number_of_jobs(argv[i], argv[i + 1])) {
            g_text word = {0};
            g_text_addf(&word, "%s%s%s", argv[i], argv[i][1] == '-' ? "=" : "", argv[i + 1]);
            words[count++] = word.s;
            i++;
        } else {
            words[count++] = argv[i];
        }
    }
    take_words(a, count, words, true);
    include_folders = a->includes.list;
    include_count = a->includes.count;
    if (a->jobs_given) jobserver[0] = jobserver[1] = -1; /* a number of its own */
    if (jobserver[0] < 0 && job_slots > 1) {
        if (pipe(jobserver) != 0) make_fatal(NULL, "pipe: %s", strerror(errno));
        fcntl(jobserver[0], F_SETFL, O_NONBLOCK);
        for (unsigned i = 1; i < job_slots; i++)
            if (write(jobserver[1], "+", 1) != 1) break;
    }
}

static void letters(g_text *out) {
    const struct {
        char letter;
        bool on;
    } all[] = {{'B', opt.always},
               {'e', opt.environment},
               {'i', opt.ignore},
               {'k', opt.keep_going},
               {'L', opt.check_symlinks},
               {'n', opt.dry_run},
               {'q', opt.question},
               {'r', opt.no_builtin_rules},
               {'R', opt.no_builtin_variables},
               {'s', opt.silent},
               {'t', opt.touch},
               {'w', opt.print_directory && !opt.no_print_directory}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].on) g_text_addc(out, all[i].letter);
}

static void set(const char *name, const char *value, enum origin origin, bool recursive) {
    variable_set(&global_scope, name, strlen(name), value, origin, recursive);
}

/* NAME=value as a word of MAKEFLAGS. */
static void add_quoted(g_text *out, const char *s) {
    for (; *s; s++) {
        if (isspace((unsigned char)*s) || *s == '\\') g_text_addc(out, '\\');
        if (*s == '$') g_text_addc(out, '$');
        g_text_addc(out, *s);
    }
}

static void publish(make_arguments *a) {
    g_text flags = {0}, overrides = {0}, dashed = {0};
    g_text_adds(&flags, ""), g_text_adds(&overrides, "");
    letters(&flags);
    for (size_t i = 0; i < a->includes.count; i++)
        g_text_addf(&flags, " -I%s", a->includes.list[i]);
    if (job_slots != 1) {
        if (job_slots)
            g_text_addf(&flags, " -j%u", job_slots);
        else
            g_text_adds(&flags, " -j");
        if (jobserver[0] >= 0)
            g_text_addf(&flags, " --jobserver-auth=%d,%d", jobserver[0], jobserver[1]);
    }
    if (opt.trace) g_text_adds(&flags, " --trace");
    if (opt.no_print_directory) g_text_adds(&flags, " --no-print-directory");
    if (opt.warn_undefined) g_text_adds(&flags, " --warn-undefined-variables");
    for (size_t i = a->assignments.count; i-- > 0;) { /* the last one first, as GNU make does */
        if (overrides.len) g_text_addc(&overrides, ' ');
        add_quoted(&overrides, a->assignments.list[i]);
    }
    if (*flags.s && *flags.s != ' ') g_text_addc(&dashed, '-');
    g_text_adds(&dashed, *flags.s == ' ' ? flags.s + 1 : flags.s);
    set("MFLAGS", dashed.s, FROM_DEFAULT, true);
    set("MAKEOVERRIDES", overrides.s, FROM_DEFAULT, true);
    if (overrides.len) g_text_adds(&flags, " -- $(MAKEOVERRIDES)");
    variable *v = variable_find("MAKEFLAGS", 9);
    set("MAKEFLAGS", flags.s, v && v->origin == FROM_FILE ? FROM_FILE : FROM_DEFAULT, true);
    v = variable_find("MAKEFLAGS", 9);
    if (v) v->exporting = EXPORT_YES;
    g_text_free(&flags), g_text_free(&overrides), g_text_free(&dashed);
}

void flags_variables(make_arguments *a) {
    g_text goals = {0};
    publish(a);
    for (size_t i = 0; i < a->assignments.count; i++) {
        assignment as = {0};
        char *copy = g_copy_string(a->assignments.list[i]);
        if (!parse_plain_assignment(copy, &as)) continue;
        char *name = expanded(as.name);
        variable_assign(&global_scope, name, as.op, as.value, FROM_COMMAND_LINE);
    }
    g_text_adds(&goals, "");
    for (size_t i = 0; i < a->goals.count; i++)
        g_text_addf(&goals, "%s%s", i ? " " : "", a->goals.list[i]);
    set("MAKECMDGOALS", goals.s, a->goals.count ? FROM_DEFAULT : FROM_DEFAULT, false);
    g_text_free(&goals);
}

void flags_from_makefile(make_arguments *a) {
    variable *v = variable_find("MAKEFLAGS", 9);
    if (!v || v->origin != FROM_FILE) return;
    char *text = variable_value("MAKEFLAGS");
    int count;
    char **words = flag_words(text, &count);
    unsigned slots = job_slots;
    make_arguments ignored = {0};
    take_words(&ignored, count, words, false);
    if (jobserver[0] >= 0) job_slots = slots;
    if (opt.no_print_directory) opt.print_directory = false;
    for (rule **at = &rules; opt.no_builtin_rules && *at;) {
        if ((*at)->builtin)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    publish(a);
    free(text);
}
