/*
 * run.c: one script: its sandbox, and what it prints.
 *
 * Its calls are answered by calls.c. Ctrl-C interrupts the guest; a reader of our output that goes
 * away does the same.
 */
#include "run.h"

#include "files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job.h"
#include "url.h"
#include "web.h"

static pf_sandbox *volatile interruptible; /* for the signal handler; NULL: none */
static volatile sig_atomic_t strokes;      /* how often the signal came to what runs */

/* The first may be trapped, as in any shell; the second kills what is still there a second later,
 * the third at once. */
static void on_sigint(int number) {
    (void)number;
    if (!interruptible) return;
    switch (strokes++) {
    case 0: pf_sandbox_interrupt(interruptible); break;
    case 1: pf_sandbox_stop(interruptible); break;
    default: pf_sandbox_kill(interruptible);
    }
}

/* ------------------------------------------------------------------ the sandbox */

/* Seconds since 1970, with a fraction. */
static int64_t clock_ns(const char *text) {
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > -9e9) || seconds > 9e9)
        die("--clock %s: not a number of seconds since 1970", text);
    return (int64_t)(seconds * 1e9);
}

static void add_durability(pf_options *options, const struct arguments *arguments) {
    pf_error error;
    if (arguments->clock) pf_options_clock(options, clock_ns(arguments->clock));
    if (arguments->seed) {
        char *end;
        errno = 0;
        uint64_t seed = strtoull(arguments->seed, &end, 0);
        if (end == arguments->seed || *end || errno || arguments->seed[0] == '-')
            die("--seed %s: not a number of 64 bits", arguments->seed);
        pf_options_seed(options, seed);
    }
    if (arguments->record &&
        pf_options_record(options, arguments->record, arguments->redact, &error) != PF_OK)
        die("--record %s: %s", arguments->record, error.message);
    for (int copy = 0; copy < 2; copy++) {
        const struct pairs *mounts = copy ? &arguments->copies : &arguments->mounts;
        for (size_t i = 0; i < mounts->count; i++)
            if (pf_options_mount(options, mounts->items[i].name, mounts->items[i].value,
                                 copy ? PF_MOUNT_COPY : PF_MOUNT_READ_ONLY, &error) != PF_OK)
                die("--mount: %s", error.message);
    }
    if (arguments->key) {
        struct text key = {0};
        if (!text_read_file(&key, arguments->key)) die("%s: %s", arguments->key, strerror(errno));
        if (pf_options_key(options, key.data, key.len, &error) != PF_OK)
            die("--key %s: %s", arguments->key, error.message);
        free(key.data);
    }
    pf_options_min_counter(options, arguments->min_counter);
}

pf_options *options_of(const struct arguments *arguments) {
    pf_options *options = pf_options_new();
    if (!options) die("out of memory");
    pf_error error;
    add_limits(options, &arguments->limits);
    for (size_t i = 0; i < arguments->env.count; i++) {
        const struct pair *env = &arguments->env.items[i];
        if (pf_options_env(options, env->name, env->value, &error) != PF_OK)
            die("--env %s: %s", env->name, error.message);
    }
    for (size_t i = 0; i < arguments->tools.count; i++) {
        const struct pair *tool = &arguments->tools.items[i];
        char **words = split_command(tool->value);
        if (!words || !words[0]) die("--tool %s: '%s' is no command", tool->name, tool->value);
        free(words);
        if (pf_options_tool(options, tool->name, tool->value, NULL, 0, &error) != PF_OK)
            die("--tool %s: %s", tool->name, error.message);
    }
    web_add(options, arguments);
    add_policy(options, arguments);
    add_durability(options, arguments);
    return options;
}

static void copy_in(pf_sandbox *sandbox, const struct arguments *arguments) {
    const struct pairs *files = &arguments->files;
    uint64_t most = files->count ? limit_of(&arguments->limits, "filesystem_bytes") : 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct pair *file = &files->items[i];
        struct text text = {0};
        pf_error error;
        read_within(&text, file->name, file->name, "filesystem_bytes", most);
        if (pf_file_write(sandbox, file->value, text.data, text.len, &error) != PF_OK)
            die("--file %s: %s", file->value, error.message);
        free(text.data);
    }
}

/* ------------------------------------------------------------------ texts */

static struct text code_of(const struct arguments *arguments) {
    struct text code = {0};
    if (arguments->code)
        text_puts(&code, arguments->code);
    else
        read_within(&code, arguments->file,
                    strcmp(arguments->file, "-") ? arguments->file : "standard input",
                    "code_bytes", limit_of(&arguments->limits, "code_bytes"));
    return code;
}

static void quote_for_shell(struct text *out, const char *word) {
    text_puts(out, "'");
    for (const char *rest; (rest = strchr(word, '\'')); word = rest + 1) {
        text_add(out, word, (size_t)(rest - word));
        text_puts(out, "'\\''");
    }
    text_puts(out, word);
    text_puts(out, "' ");
}

/* As a line of its own, which lib/_cell.py of guest/programs/python takes away: no statement can
 * stand before any first line of Python. */
static void give_python_words(struct text *code, const struct arguments *arguments) {
    struct text out = {0};
    text_puts(&out, "#!pinfold-argv [");
    text_json(&out, arguments->file, strlen(arguments->file));
    for (size_t i = 0; i < arguments->word_count; i++) {
        text_puts(&out, ", ");
        text_json(&out, arguments->words[i], strlen(arguments->words[i]));
    }
    text_puts(&out, "]\n");
    text_add(&out, code->data, code->len);
    free(code->data);
    *code = out;
}

/* The script's arguments, as a statement before its first line that is none of #!: the numbers of
 * its lines stay. */
static void give_words(struct text *code, const struct arguments *arguments, const char *language) {
    struct text out = {0};
    bool shell = !strcmp(language, "shell");
    size_t from = 0;
    if (!code->data) return;
    if (!strcmp(language, "python")) { /* a traceback names the file, too */
        if (arguments->word_count || (arguments->file && strcmp(arguments->file, "-")))
            give_python_words(code, arguments);
        return;
    }
    if (!arguments->word_count) return;
    if (!strncmp(code->data, "#!", 2)) from = strcspn(code->data, "\n") + 1;
    if (from > code->len) from = code->len;
    text_add(&out, code->data, from);
    text_puts(&out, shell ? "set -- " : "process.argv.push(");
    if (!shell) text_json(&out, arguments->file, strlen(arguments->file));
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (shell) {
            quote_for_shell(&out, arguments->words[i]);
        } else {
            text_puts(&out, ", ");
            text_json(&out, arguments->words[i], strlen(arguments->words[i]));
        }
    }
    text_puts(&out, shell ? "; " : "); ");
    text_add(&out, code->data + from, code->len - from);
    free(code->data);
    *code = out;
}

/* Our standard input is the script's if somebody put something there: not a terminal, and not
 * already read as the script. */
static struct text input_of(const struct arguments *arguments) {
    struct text input = {0};
    struct stat info;
    const char *path = arguments->input;
    if (!path && !(arguments->file && !strcmp(arguments->file, "-")) &&
        fstat(STDIN_FILENO, &info) == 0 && !S_ISCHR(info.st_mode))
        path = "-";
    if (path)
        read_within(&input, path, strcmp(path, "-") ? path : "standard input", "stdin_bytes",
                    limit_of(&arguments->limits, "stdin_bytes"));
    return input;
}

struct output {
    pf_sandbox *sandbox;
    int error; /* errno of a write that failed, once one has */
};

static void on_output(void *user, int stream, const char *data, size_t len) {
    struct output *output = user;
    while (len && !output->error) {
        ssize_t count = write(stream == 1 ? STDOUT_FILENO : STDERR_FILENO, data, len);
        if (count < 0 && errno != EINTR) {
            output->error = errno;
            pf_sandbox_interrupt(output->sandbox);
        }
        if (count > 0) data += count, len -= (size_t)count;
    }
}

/* ------------------------------------------------------------------ the whole */

static void expect(pf_status status, const pf_error *error) {
    if (status != PF_OK) die("%s", error->message);
}

void end_sandbox(pf_sandbox *sandbox) {
    pf_error error;
    pf_status status = pf_sandbox_end_record(sandbox, &error);
    pf_sandbox_free(sandbox);
    expect(status, &error);
}

void explain(const pf_result *result) {
    if (result->limit) complain("stopped at the limit %s", result->limit);
    if (result->stdout_truncated || result->stderr_truncated)
        fputs("pinfold: output was cut; see --limit output_bytes=…\n", stderr);
}

/* What a portable snapshot is without: scripts chose some of the words. */
static void tell_left_out(const char *path, const char *what, const char *left, size_t len) {
    for (size_t at = 0; at < len; at += strlen(left + at) + 1)
        show(stderr, "pinfold: %s: the portable snapshot %s: %s", path, what, left + at);
}

pf_sandbox *sandbox_of(const struct arguments *arguments) {
    pf_options *options = options_of(arguments);
    pf_sandbox *sandbox = NULL;
    pf_error error;
    if (arguments->restore) {
        struct text data = {0};
        const char *name = snapshot_name(arguments->restore);
        if (snapshot_read(&data, arguments->restore) && !arguments->key)
            die("%s: a sandbox as text has a key: --key FILE", name);
        if (pf_sandbox_restore(options, data.data ? data.data : "", data.len, &sandbox, &error) !=
            PF_OK)
            die("%s: %s", name, error.message);
        free(data.data);
        size_t len;
        const char *left = pf_sandbox_left_out(sandbox, &len);
        tell_left_out(name, "did not bring", left, len);
    } else
        expect(pf_sandbox_new(options, &sandbox, &error), &error);
    pf_options_free(options);
    copy_in(sandbox, arguments);
    signal(SIGPIPE, SIG_IGN); /* for the pipes of jobs */
    return sandbox;
}

void interrupt_by_keyboard(pf_sandbox *sandbox) {
    if (sandbox) pf_sandbox_expect_run(sandbox, true);
    strokes = 0;
    interruptible = sandbox;
    sigaction(SIGINT, &(struct sigaction){.sa_handler = sandbox ? on_sigint : SIG_DFL}, NULL);
}

void save_snapshot(pf_sandbox *sandbox, const struct arguments *arguments) {
    const char *path = arguments->snapshot;
    char *data, *left = NULL;
    size_t len, left_len = 0;
    uint64_t counter = arguments->counter;
    pf_error error;
    expect(arguments->portable ? pf_sandbox_snapshot_portable(sandbox, counter, &data, &len, &left,
                                                              &left_len, &error)
                               : pf_sandbox_snapshot_counted(sandbox, counter, &data, &len, &error),
           &error);
    tell_left_out(path, "does not hold", left, left_len);
    pf_free(left);
    if (!text_write_file(path, data, len)) die("%s: %s", path, strerror(errno));
    pf_free(data);
}

static void list_changes(pf_sandbox *sandbox, const char *guest) {
    char *changes;
    size_t len;
    pf_error error;
    expect(pf_mount_changes(sandbox, guest, &changes, &len, &error), &error);
    for (const char *at = changes; at < changes + len; at += strlen(at) + 1)
        show(stdout, "%c %s", at[0], at + 1);
    fflush(stdout);
    pf_free(changes);
}

static void save_changes(pf_sandbox *sandbox, const struct arguments *arguments) {
    if (arguments->copies.count == 0) die("--changes is for --mount HOST:GUEST:copy");
    bool list = !strcmp(arguments->changes, "-");
    for (size_t i = 0; list && i < arguments->copies.count; i++)
        list_changes(sandbox, arguments->copies.items[i].value);
    if (list) return;
    if (arguments->copies.count > 1) die("--changes FILE is for one mount; use --changes -");
    char *data;
    size_t len;
    pf_error error;
    expect(pf_mount_tar(sandbox, arguments->copies.items[0].value, true, &data, &len, &error),
           &error);
    if (!text_write_file(arguments->changes, data, len))
        die("%s: %s", arguments->changes, strerror(errno));
    pf_free(data);
}

/* A snapshot may hold a run that waited for its tools: that comes to its end first. */
static void finish_restored(pf_sandbox *sandbox, const struct arguments *arguments) {
    pf_error error;
    if (!pf_sandbox_running(sandbox)) return;
    /* Calls that may not be made any more were refused: the guest goes on with that. */
    if (pf_sandbox_wait_ns(sandbox) == 0) expect(pf_sandbox_advance(sandbox, &error), &error);
    drive(sandbox, arguments);
    const pf_result *result = pf_sandbox_result(sandbox);
    if (arguments->json && !arguments->file && !arguments->code)
        return; /* run_restored() reports */
    fwrite(result->stdout_data, 1, result->stdout_len, stdout);
    fflush(stdout);
    fwrite(result->stderr_data, 1, result->stderr_len, stderr);
}

/* A restored sandbox has the environment of its snapshot: what is said here is the run's own. */
static const char *const *env_of(const struct arguments *arguments) {
    const struct pairs *env = &arguments->env;
    if (!arguments->restore || !env->count) return NULL;
    const char **list = calloc(env->count + 1, sizeof *list);
    if (!list) die("out of memory");
    for (size_t i = 0; i < env->count; i++) {
        struct text text = {0};
        text_puts(&text, env->items[i].name);
        text_puts(&text, "=");
        text_puts(&text, env->items[i].value);
        list[i] = text.data;
    }
    return list; /* until the program ends */
}

/* How many of them could not be copied. */
static size_t copy_out(pf_sandbox *sandbox, const struct arguments *arguments) {
    size_t failed = 0;
    for (size_t i = 0; i < arguments->outs.count; i++) {
        const struct pair *out = &arguments->outs.items[i];
        failed += !files_copy_out(sandbox, out->value, out->name);
    }
    return failed;
}

/* What is asked for when the script is over; gives the exit status. */
static int end_run(pf_sandbox *sandbox, const struct arguments *arguments) {
    const pf_result *result = pf_sandbox_result(sandbox);
    int status = result->exit_code;
    if (arguments->json)
        report_json(result);
    else
        explain(result);
    interrupt_by_keyboard(NULL);
    if (copy_out(sandbox, arguments)) status = CLI_FAILURE;
    if (arguments->changes) save_changes(sandbox, arguments);
    if (arguments->snapshot) save_snapshot(sandbox, arguments);
    end_sandbox(sandbox);
    return status;
}

int run_restored(const struct arguments *arguments) {
    pf_sandbox *sandbox = sandbox_of(arguments);
    if (!pf_sandbox_running(sandbox))
        die("%s: nothing waits in it: `pinfold run --restore` and `pinfold shell --restore` go on "
            "from it",
            snapshot_name(arguments->restore));
    interrupt_by_keyboard(sandbox);
    finish_restored(sandbox, arguments);
    return end_run(sandbox, arguments);
}

int run_script(const struct arguments *arguments) {
    struct text code = code_of(arguments), input = input_of(arguments);
    pf_error error;
    pf_sandbox *sandbox = sandbox_of(arguments);
    interrupt_by_keyboard(sandbox);
    finish_restored(sandbox, arguments);
    struct output output = {.sandbox = sandbox};
    const char *language = arguments->language;
    if (!language) language = language_of(arguments->file, code.data);
    if (!language)
        die("%s: its name or first line asks for another language than shell, javascript, "
            "typescript or python; "
            "--language NAME runs it as that",
            arguments->file ? arguments->file : "the code");
    give_words(&code, arguments, language);
    pf_run run = {.size = sizeof run,
                  .language = language,
                  .code = code.data,
                  .code_len = code.len,
                  .stdin_data = input.data,
                  .stdin_len = input.len,
                  .cwd = arguments->cwd,
                  .env = env_of(arguments),
                  .on_output = arguments->json ? NULL : on_output,
                  .user = &output};
    expect(pf_sandbox_start(sandbox, &run, &error), &error);
    free(code.data);
    free(input.data);
    drive(sandbox, arguments);
    int status = end_run(sandbox, arguments);
    if (output.error == EPIPE) { /* end as a program does whose reader went away */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (output.error) die("output: %s", strerror(output.error));
    return status;
}
