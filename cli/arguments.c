/* arguments.c: the options of `pinfold run` and `pinfold -c`, and the help text. */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void usage(void) {
    fputs("usage: pinfold run [OPTION]... FILE [--] [ARGUMENT]...\n"
          "       pinfold [OPTION]... -c CODE      run a piece of code\n"
          "       pinfold shell [OPTION]...        a session, line by line\n"
          "\n"
          "Runs code in a sandbox that reaches nothing but the tools given here. FILE - is "
          "standard\n"
          "input. Arguments of the script that begin with - come after --.\n"
          "\n"
          "  -l, --language NAME       shell, javascript, typescript or python; otherwise by\n"
          "                            the file's name or its #! line, or shell\n"
          "  -t, --tool NAME=COMMAND   a tool: COMMAND is run without a shell, gets the arguments\n"
          "                            as JSON on its standard input and prints the result\n"
          "  -p, --policy FILE         what the tools may be called with (see docs/policy.md);\n"
          "                            without it every --tool is granted\n"
          "      --http RULE           let the script make requests (curl, fetch): a rule is like\n"
          "                            'GET https://*.example.com/v1/**' (see docs/http.md)\n"
          "      --secret NAME=env:VARIABLE@HOST  a secret of the host's that requests may send in\n"
          "                            Authorization headers, and the script never sees\n"
          "                            ([,HOST]... and [#HEADER[,HEADER]...] may follow)\n"
          "      --approve             ask at the terminal about calls, those of each --tool or those\n"
          "                            that the policy asks about, and show what would come of them\n"
          "      --pure NAME           a --tool that changes nothing: it may be run for that\n"
          "      --simulate NAME=COMMAND  what is run for that instead of a --tool\n"
          "  -f, --file HOST:GUEST     copy a file in\n"
          "  -o, --out HOST:GUEST      copy a file or directory out when the script has ended; a\n"
          "                            directory of the host for one must be new or empty\n"
          "      --mount HOST:GUEST[:MODE] a directory, read when the script looks into it: ro,\n"
          "                            read-only, or copy, one that the script may change;\n"
          "                            the host's files stay as they are\n"
          "      --changes FILE        what the script changed in mounts: a tar archive (-: a list "
          "on\n"
          "                            standard output)\n"
          "  -e, --env NAME=VALUE      set a variable of the sandbox\n"
          "      --cwd DIRECTORY           where the script runs, instead of /workspace\n"
          "      --stdin FILE          standard input of the script; otherwise pinfold's own, if\n"
          "                            that is a pipe or a file\n"
          "      --limit NAME=VALUE    cpu_seconds, wall_seconds, memory_bytes,\n"
          "                            process_memory_bytes, filesystem_bytes, files, processes,\n"
          "                            open_files, output_bytes, tool_calls, tool_result_bytes,\n"
          "                            tool_argument_bytes, code_bytes, stdin_bytes,\n"
          "                            trace_bytes; bytes may end in K, M or G; none lifts a "
          "limit\n"
          "      --clock TIME          fix the clock at TIME (seconds since 1970); sleeping then "
          "takes\n"
          "                            no time\n"
          "      --seed NUMBER         fix the randomness\n"
          "      --record FILE         write a trace for `pinfold replay`\n"
          "      --redact              leave tool results out of the trace\n"
          "      --restore SNAPSHOT    go on from a snapshot: a file, or the text pinfold:… that\n"
          "                            Sandbox.to_url() gives, which needs --key\n"
          "      --snapshot FILE       save the sandbox when the script has ended\n"
          "      --portable            as what any later version of pinfold restores\n"
          "      --key FILE            authenticate snapshots with the bytes of FILE\n"
          "      --counter NUMBER      put a number into the snapshot, which the key protects\n"
          "      --min-counter NUMBER  restore no snapshot with a smaller one, which is older\n"
          "      --json                print one JSON object with output, status, value and usage\n"
          "      --help\n"
          "\n"
          "The exit status is the script's; 125 when pinfold itself could not run it.\n",
          stdout);
}

enum {
    OPTION_STDIN = 256,
    OPTION_LIMIT,
    OPTION_JSON,
    OPTION_CLOCK,
    OPTION_SEED,
    OPTION_RECORD,
    OPTION_REDACT,
    OPTION_RESTORE,
    OPTION_SNAPSHOT,
    OPTION_PORTABLE,
    OPTION_KEY,
    OPTION_COUNTER,
    OPTION_MIN_COUNTER,
    OPTION_HELP,
    OPTION_MOUNT,
    OPTION_CHANGES,
    OPTION_CWD,
    OPTION_HTTP,
    OPTION_SECRET,
    OPTION_APPROVE,
    OPTION_PURE,
    OPTION_SIMULATE
};

static const struct option options[] = {
    /* usage() and completion.c name them, too */
    {"language", required_argument, NULL, 'l'},
    {"tool", required_argument, NULL, 't'},
    {"policy", required_argument, NULL, 'p'},
    {"http", required_argument, NULL, OPTION_HTTP},
    {"secret", required_argument, NULL, OPTION_SECRET},
    {"approve", no_argument, NULL, OPTION_APPROVE},
    {"pure", required_argument, NULL, OPTION_PURE},
    {"simulate", required_argument, NULL, OPTION_SIMULATE},
    {"file", required_argument, NULL, 'f'},
    {"out", required_argument, NULL, 'o'},
    {"env", required_argument, NULL, 'e'},
    {"cwd", required_argument, NULL, OPTION_CWD},
    {"stdin", required_argument, NULL, OPTION_STDIN},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"clock", required_argument, NULL, OPTION_CLOCK},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"redact", no_argument, NULL, OPTION_REDACT},
    {"restore", required_argument, NULL, OPTION_RESTORE},
    {"snapshot", required_argument, NULL, OPTION_SNAPSHOT},
    {"portable", no_argument, NULL, OPTION_PORTABLE},
    {"key", required_argument, NULL, OPTION_KEY},
    {"counter", required_argument, NULL, OPTION_COUNTER},
    {"min-counter", required_argument, NULL, OPTION_MIN_COUNTER},
    {"mount", required_argument, NULL, OPTION_MOUNT},
    {"changes", required_argument, NULL, OPTION_CHANGES},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

void add_pair(struct pairs *pairs, const char *option, char *text, char *separator,
              const char *form) {
    if (!separator || separator == text) die("--%s %s: expected %s", option, text, form);
    *separator = '\0';
    struct pair *items = realloc(pairs->items, (pairs->count + 1) * sizeof *items);
    if (!items) die("out of memory");
    items[pairs->count++] = (struct pair){text, separator + 1};
    pairs->items = items;
}

static void add_word(char ***words, size_t *count, char *text) {
    char **items = realloc(*words, (*count + 1) * sizeof *items);
    if (!items) die("out of memory");
    items[(*count)++] = text;
    *words = items;
}

static void add_file(struct pairs *files, const char *option, char *text) {
    /* The guest path is absolute; a colon inside the host's path is no separator. */
    char *separator = NULL;
    for (char *p = strstr(text, ":/"); p; p = strstr(p + 1, ":/")) separator = p;
    add_pair(files, option, text, separator, "HOST:GUEST with an absolute GUEST");
}

/* HOST:GUEST[:MODE]; the name of the pair is HOST, its value GUEST. */
static void add_mount(struct arguments *out, char *text) {
    char *separator = NULL;
    for (char *p = strstr(text, ":/"); p; p = strstr(p + 1, ":/")) separator = p;
    char *mode = separator ? strrchr(separator + 1, ':') : NULL;
    if (mode && strchr(mode, '/')) mode = NULL; /* it belongs to a name in GUEST */
    bool copy = mode && !strcmp(mode, ":copy");
    if (mode && !copy && strcmp(mode, ":ro"))
        die("--mount %s: '%s' is no mode: ro, which is what it is without one, or copy; the host's "
            "files are never written to",
            text, mode + 1);
    if (mode) *mode = '\0';
    add_pair(copy ? &out->copies : &out->mounts, "mount", text, separator,
             "HOST:GUEST[:copy] or HOST:GUEST[:ro] with an absolute GUEST");
}

/* As Python's snapshot(counter=) and restore(min_counter=) take it. */
static uint64_t counter_of(const char *option, const char *text) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || !number || number > INT64_MAX)
        die("--%s %s: not a number from 1 on, below 2^63", option, text);
    return number;
}

static void restore_usage(void) {
    fputs("usage: pinfold restore [OPTION]... SNAPSHOT\n"
          "\n"
          "Lets a sandbox that waits in a snapshot go on to the end of its run. SNAPSHOT is a file (- is\n"
          "standard input) or the text pinfold:… that Sandbox.to_url() gives. Tools, policy and limits\n"
          "are those given here, never the snapshot's: a call that waits and that they do not allow is\n"
          "denied. The options are those of `pinfold run`, but for those of a script; a text needs --key.\n"
          "\n"
          "The exit status is the script's; 125 when pinfold itself could not go on, or when nothing\n"
          "waits in the snapshot.\n",
          stdout);
}

static void take_snapshot(struct arguments *out, const char *name) {
    if (!name || out->restore) die("restore: which SNAPSHOT? See pinfold restore --help");
    if (out->code || out->language || out->input || out->cwd || out->env.count || out->clock || out->seed)
        die("restore: the run is in the snapshot, with its language, stdin, directory and variables: "
            "-c, --language, --stdin, --cwd, --env, --clock and --seed are for pinfold run");
    out->restore = name;
}

static bool has_tool(const struct arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->tools.count; i++)
        if (!strcmp(arguments->tools.items[i].name, name)) return true;
    return false;
}

static void check_previews(const struct arguments *arguments) {
    const char *missing = NULL;
    for (size_t i = 0; i < arguments->pure_count; i++)
        if (!has_tool(arguments, arguments->pure[i])) missing = arguments->pure[i];
    for (size_t i = 0; i < arguments->simulated.count; i++)
        if (!has_tool(arguments, arguments->simulated.items[i].name))
            missing = arguments->simulated.items[i].name;
    if (missing) die("--pure and --simulate are for a --tool, and there is none named %s", missing);
    if ((arguments->pure_count || arguments->simulated.count) && !arguments->approve)
        die("--pure and --simulate are for --approve");
}

void arguments_parse(struct arguments *out, int argc, char **argv, const char *command) {
    memset(out, 0, sizeof *out);
    int option;
    while ((option = getopt_long(argc, argv, "c:l:t:p:f:e:o:", options, NULL)) != -1) {
        switch (option) {
        case 'c': out->code = optarg; break;
        case 'l': out->language = optarg; break;
        case 'p': out->policy = optarg; break;
        case 't': add_pair(&out->tools, "tool", optarg, strchr(optarg, '='), "NAME=COMMAND"); break;
        case OPTION_HTTP: add_word(&out->http, &out->http_count, optarg); break;
        case OPTION_SECRET:
            add_pair(&out->secrets, "secret", optarg, strchr(optarg, '='), "NAME=env:VARIABLE@HOST");
            break;
        case OPTION_APPROVE: out->approve = true; break;
        case OPTION_PURE: add_word(&out->pure, &out->pure_count, optarg); break;
        case OPTION_SIMULATE:
            add_pair(&out->simulated, "simulate", optarg, strchr(optarg, '='), "NAME=COMMAND");
            break;
        case 'f': add_file(&out->files, "file", optarg); break;
        case 'o': add_file(&out->outs, "out", optarg); break;
        case 'e': add_pair(&out->env, "env", optarg, strchr(optarg, '='), "NAME=VALUE"); break;
        case OPTION_STDIN: out->input = optarg; break;
        case OPTION_LIMIT:
            add_pair(&out->limits, "limit", optarg, strchr(optarg, '='), "NAME=VALUE");
            break;
        case OPTION_JSON: out->json = true; break;
        case OPTION_CLOCK: out->clock = optarg; break;
        case OPTION_SEED: out->seed = optarg; break;
        case OPTION_RECORD: out->record = optarg; break;
        case OPTION_REDACT: out->redact = true; break;
        case OPTION_RESTORE: out->restore = optarg; break;
        case OPTION_SNAPSHOT: out->snapshot = optarg; break;
        case OPTION_PORTABLE: out->portable = true; break;
        case OPTION_KEY: out->key = optarg; break;
        case OPTION_COUNTER: out->counter = counter_of("counter", optarg); break;
        case OPTION_MIN_COUNTER: out->min_counter = counter_of("min-counter", optarg); break;
        case OPTION_MOUNT: add_mount(out, optarg); break;
        case OPTION_CWD: out->cwd = optarg; break;
        case OPTION_CHANGES: out->changes = optarg; break;
        case OPTION_HELP:
            if (!strcmp(command, "restore")) restore_usage();
            else usage();
            exit(0);
        default:
            fprintf(stderr, "Try 'pinfold %s --help'.\n", strcmp(command, "-c") ? command : "run");
            exit(CLI_FAILURE);
        }
    }
    bool run = !strcmp(command, "run"), shell = !strcmp(command, "shell");
    bool restore = !strcmp(command, "restore");
    if (restore) take_snapshot(out, optind < argc ? argv[optind++] : NULL);
    if (run && optind < argc) out->file = argv[optind++];
    if (run) {
        out->words = argv + optind;
        out->word_count = (size_t)(argc - optind);
        optind = argc;
    }
    if (optind < argc)
        die("unexpected argument '%s'; see pinfold %s --help", argv[optind],
            shell || restore ? command : "run");
    if (out->file && out->code) die("run FILE and -c CODE exclude each other");
    if (!shell && !restore && !out->file && !out->code)
        die(run ? "run: which FILE? See pinfold run --help" : "no code; see pinfold --help");
    if (shell && (out->outs.count || out->cwd)) die("--out and --cwd are for pinfold run");
    check_previews(out);
    if (out->redact && !out->record) die("--redact is for --record");
    if (out->portable && !out->snapshot) die("--portable is for --snapshot");
    if (out->counter && !(out->snapshot && out->key)) die("--counter is for --snapshot with --key");
    if (out->min_counter && !(out->restore && out->key))
        die("--min-counter is for --restore with --key");
}
