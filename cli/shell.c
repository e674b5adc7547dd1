/*
 * shell.c: `pinfold shell`: a session, line by line.
 *
 * Each line is one run of the session's shell; a line that is not complete (an open quote, `do`
 * without `done`) is joined with those that follow. Lines come from the terminal as the terminal
 * edits them. Ctrl-C interrupts what runs and keeps the session; Ctrl-D ends it.
 */
#include "commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "text.h"

static void help(void) {
    fputs(
        "usage: pinfold shell [OPTION]...\n"
        "\n"
        "Runs each line in one lasting session: variables, functions, the working directory and "
        "jobs\n"
        "stay. A line that ends in the middle of a quote or a command goes on with the next. "
        "Ctrl-C\n"
        "interrupts what runs and keeps the session; `exit` or Ctrl-D leaves.\n"
        "\n"
        "Options are those of `pinfold run` (`pinfold run --help`) that are not about one script:\n"
        "  --tool --policy --file --env --limit --clock --seed --record --redact --restore\n"
        "  --snapshot --key\n"
        "\n"
        "The exit status is that of the last line, or of `exit`.\n",
        stdout);
}

static void on_output(void *user, int stream, const char *data, size_t len) {
    (void)user;
    while (len) {
        ssize_t n = write(stream == 1 ? STDOUT_FILENO : STDERR_FILENO, data, len);
        if (n < 0 && errno != EINTR) return;
        if (n > 0) data += n, len -= (size_t)n;
    }
}

static const pf_result *run_text(pf_sandbox *sandbox, const struct arguments *arguments,
                                 const struct text *code, bool show) {
    pf_run run = {.language = "shell",
                  .code = code->data,
                  .code_len = code->len,
                  .on_output = show ? on_output : NULL};
    pf_error error;
    if (pf_sandbox_start(sandbox, &run, &error) != PF_OK) die("%s", error.message);
    drive(sandbox, arguments);
    return pf_sandbox_result(sandbox);
}

/* Would the shell want more? It says so itself: it reads the text without running it. */
static bool incomplete(pf_sandbox *sandbox, const struct arguments *arguments,
                       const struct text *code) {
    struct text check = {0};
    text_puts(&check, "bash -n <<'pinfold-end-of-line'\n");
    text_add(&check, code->data, code->len);
    text_puts(&check, "\npinfold-end-of-line\n");
    const pf_result *result = run_text(sandbox, arguments, &check, false);
    bool more = strstr(result->stderr_data, "unexpected end of file") ||
                strstr(result->stderr_data, "unexpected EOF") ||
                strstr(result->stderr_data, "delimited by end-of-file");
    free(check.data);
    size_t end = code->len;
    while (end && code->data[end - 1] == '\n') end--;
    return more || (end && code->data[end - 1] == '\\');
}

static volatile sig_atomic_t struck;
static void on_sigint_at_prompt(int number) {
    (void)number;
    struck = 1;
}

/* False at the end of input. An interrupt gives an empty line. */
static bool read_line(struct text *line, const char *prompt, bool *interrupted) {
    char *data = NULL;
    size_t size = 0;
    struck = 0;
    /* Without SA_RESTART: reading ends. */
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_sigint_at_prompt}, NULL);
    if (prompt) fputs(prompt, stderr);
    ssize_t len = getline(&data, &size, stdin);
    *interrupted = struck;
    if (struck) {
        clearerr(stdin);
        fputc('\n', stderr);
    } else if (len > 0)
        text_add(line, data, (size_t)len);
    free(data);
    return len > 0 || *interrupted;
}

static bool leaves(const pf_result *result) {
    return result->session_lost;
}

int shell_command(int argc, char **argv) {
    struct arguments arguments;
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        help();
        return 0;
    }
    arguments_parse(&arguments, argc, argv, "shell");
    if (arguments.code || arguments.json || arguments.input)
        die("-c, --json and --stdin are for one script: see pinfold run --help");
    pf_sandbox *sandbox = sandbox_of(&arguments);
    bool terminal = isatty(STDIN_FILENO);
    int status = 0;
    struct text code = {0};
    for (;;) {
        bool interrupted = false;
        const char *prompt = !terminal ? NULL : code.len ? "> " : "pinfold$ ";
        if (!read_line(&code, prompt, &interrupted)) break;
        if (interrupted) {
            code.len = 0;
            continue;
        }
        interrupt_by_keyboard(sandbox);
        if (incomplete(sandbox, &arguments, &code)) continue;
        bool exits = code.len >= 4 && !strncmp(code.data, "exit", 4) &&
                     (code.len == 4 || strchr(" \t\n;", code.data[4]));
        const pf_result *result = run_text(sandbox, &arguments, &code, true);
        status = result->exit_code;
        explain(result);
        if (leaves(result)) fputs("pinfold: the session was lost; a new one begins\n", stderr);
        code.len = 0;
        if (exits) break;
    }
    if (code.len)
        status = run_text(sandbox, &arguments, &code, true)->exit_code; /* says what lacks */
    if (terminal) fputc('\n', stderr);
    interrupt_by_keyboard(NULL);
    if (arguments.snapshot) save_snapshot(sandbox, arguments.snapshot);
    pf_sandbox_free(sandbox);
    free(code.data);
    return status;
}
