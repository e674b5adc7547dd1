/* replay.c: `pinfold replay`: a recording, run again and compared. */
#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "pinfold.h"
#include "run.h"
#include "text.h"

static void help(void) {
    fputs(
        "usage: pinfold replay [OPTION]... FILE\n"
        "\n"
        "Runs what `pinfold run --record FILE` recorded, without tools, clock or randomness, "
        "prints\n"
        "its output and compares everything it does with the trace.\n"
        "\n"
        "      --until LINE          stop at this line of the trace, also in the middle of a run\n"
        "      --files               list the sandbox's files where the replay stopped\n"
        "      --get GUEST           print one of these files instead of the output\n"
        "      --result ID=JSON      the result of a call that was left out by --redact\n"
        "      --partial             accept a trace whose program was killed\n"
        "      --limit NAME=VALUE    what the trace's limits may be at most, as for pinfold run; default:\n"
        "                            those that pinfold run has by default, with any cpu_seconds and\n"
        "                            wall_seconds. none: anything\n"
        "      --max-seconds N       give up after this time (300); none: never\n"
        "      --json                print the last result as JSON, as `pinfold run --json` does\n"
        "      --help\n"
        "\n"
        "Exit status: 0 when everything was as recorded; 1 at the first difference, which is "
        "shown\n"
        "with both sides; 125 when the trace cannot be replayed; 130 after Ctrl-C.\n",
        stdout);
}

enum { INTERRUPTED = 130 /* as a shell says it of Ctrl-C */ };
enum { UNTIL = 256, FILES, GET, RESULT, PARTIAL, LIMIT, MAX_SECONDS, JSON, HELP };
static const struct option options[] = {
    {"until", required_argument, NULL, UNTIL}, {"files", no_argument, NULL, FILES},
    {"get", required_argument, NULL, GET},     {"result", required_argument, NULL, RESULT},
    {"partial", no_argument, NULL, PARTIAL},   {"limit", required_argument, NULL, LIMIT},
    {"json", no_argument, NULL, JSON},         {"max-seconds", required_argument, NULL, MAX_SECONDS},
    {"help", no_argument, NULL, HELP},         {NULL, 0, NULL, 0},
};

struct request {
    const char *file, *get;
    size_t until;
    struct {
        uint64_t id;
        const char *json;
    } results[256];
    size_t result_count;
    bool has_until, files, partial, json;
    struct pairs limits;
    double max_seconds;
};

static void add_result(struct request *r, const char *text) {
    char *end;
    uint64_t id = strtoull(text, &end, 10);
    if (end == text || *end != '=') die("--result %s: expected ID=JSON", text);
    if (r->result_count == sizeof r->results / sizeof *r->results) die("too many --result");
    r->results[r->result_count].id = id;
    r->results[r->result_count++].json = end + 1;
}

static struct request parse(int argc, char **argv) {
    struct request r = {0};
    int option;
    char *end;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case UNTIL:
            r.until = strtoull(optarg, &end, 10);
            if (end == optarg || *end) die("--until %s: not a number of a line", optarg);
            r.has_until = true;
            break;
        case FILES: r.files = true; break;
        case GET: r.get = optarg; break;
        case RESULT: add_result(&r, optarg); break;
        case PARTIAL: r.partial = true; break;
        case LIMIT: 
            add_pair(&r.limits, "limit", optarg, strchr(optarg, '='), "NAME=VALUE");
            break;
        case MAX_SECONDS: r.max_seconds = seconds_of(optarg); break;
        case JSON: r.json = true; break;
        case HELP:
        case 'h': help(); exit(0);
        default: fputs("Try 'pinfold replay --help'.\n", stderr); exit(CLI_FAILURE);
        }
    }
    if (optind != argc - 1) die("replay: which FILE? See pinfold replay --help");
    r.file = argv[optind];
    return r;
}

static pf_replay *open_replay(const struct request *r) {
    struct text trace = {0};
    pf_replay *replay = NULL;
    pf_error error;
    pf_options *limits = replay_limits(&r->limits);
    pf_replay_bounds bounds = {.size = sizeof bounds, .limits = limits, .max_seconds = r->max_seconds};
    if (!text_read_file(&trace, r->file)) die("%s: %s", r->file, strerror(errno));
    if (pf_replay_open_within(trace.data ? trace.data : "", trace.len, r->partial, &bounds, &replay,
                              &error) != PF_OK)
        die("%s: %s", r->file, error.message);
    pf_options_free(limits);
    free(trace.data);
    if (r->has_until) pf_replay_until(replay, r->until);
    for (size_t i = 0; i < r->result_count; i++)
        if (pf_replay_answer(replay, r->results[i].id, r->results[i].json,
                             strlen(r->results[i].json), &error) != PF_OK)
            die("--result %llu: %s", (unsigned long long)r->results[i].id, error.message);
    return replay;
}

static void print(const pf_result *result) {
    fwrite(result->stdout_data, 1, result->stdout_len, stdout);
    fflush(stdout);
    fwrite(result->stderr_data, 1, result->stderr_len, stderr);
}

/* How far it is, on a terminal, of a replay that takes a while; NULL wipes it away. */
static void show_progress(const pf_replay *replay) {
    static struct timespec begun;
    static bool shown;
    struct timespec now;
    if (!isatty(STDERR_FILENO)) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!begun.tv_sec) begun = now;
    if (replay && now.tv_sec - begun.tv_sec >= 1) {
        fprintf(stderr, "\rreplaying, line %zu\033[K", pf_replay_line(replay));
        shown = true;
    } else if (!replay && shown) {
        fputs("\r\033[K", stderr);
        shown = false;
    }
}

/* The message has several lines when it shows two sides; each is printable. */
static void explain_end(const char *file, const pf_error *error) {
    struct text name = {0};
    text_printable(&name, file, strlen(file));
    fprintf(stderr, "pinfold: %s: %s\n", name.data, error->message);
    free(name.data);
}

int replay_command(int argc, char **argv) {
    struct request r = parse(argc, argv);
    pf_replay *replay = open_replay(&r);
    pf_sandbox *sandbox = pf_replay_sandbox(replay);
    size_t printed = 0;
    interrupt_by_keyboard(sandbox);
    pf_error error;
    pf_status status;
    while ((status = pf_replay_next(replay, &error)) == PF_OK) {
        if (pf_replay_results(replay) > printed && !r.json && !r.get) {
            printed = pf_replay_results(replay);
            show_progress(NULL);
            print(pf_sandbox_result(sandbox));
        }
        show_progress(replay);
    }
    show_progress(NULL);
    interrupt_by_keyboard(NULL);
    int exit_status = status == PF_DONE       ? 0
                      : status == PF_DIVERGED ? 1
                      : status == PF_INTERRUPTED ? INTERRUPTED
                                              : CLI_FAILURE;
    if (status != PF_DONE) explain_end(r.file, &error);
    if (r.json && pf_sandbox_result(sandbox)) report_json(pf_sandbox_result(sandbox));
    if (r.files) files_list(sandbox, "/workspace"), files_list(sandbox, "/tmp");
    if (r.get && !files_print(sandbox, r.get)) exit_status = CLI_FAILURE;
    pf_replay_free(replay);
    return exit_status;
}
