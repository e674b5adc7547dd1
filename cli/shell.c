/*
 * shell.c: `pinfold shell`: a session, line by line.
 *
 * Each line is one run of the session's shell; a line that is not complete (an open quote, `do`
 * without `done`) is joined with those that follow. Ctrl-C interrupts what runs and keeps the
 * session; Ctrl-D ends it. What is asked of the sandbox besides (is it complete? what can this word
 * become?) runs in a shell of its own, so that the session's $? and traps do not see it.
 */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "run.h"

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
        "On a terminal lines are edited by libedit where the machine has it (~/.editrc counts): "
        "arrow\n"
        "keys, Ctrl-R to search the history, Tab to complete commands and files. The history is "
        "kept in\n"
        "PINFOLD_HISTORY (empty: nowhere), else in $XDG_STATE_HOME/pinfold/history or\n"
        "~/.local/state/pinfold/history; a line that begins with a blank is left out.\n"
        "\n"
        "Options are those of `pinfold run` (`pinfold run --help`) that are not about one script:\n"
        "  --tool --approve --pure --simulate --policy --file --mount --env --limit --clock --seed --record --redact\n"
        "  --restore --snapshot --key --counter --min-counter\n"
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

static const pf_result *run(pf_sandbox *sandbox, const struct arguments *arguments,
                            const pf_run *what) {
    pf_error error;
    if (pf_sandbox_start(sandbox, what, &error) != PF_OK) die("%s", error.message);
    drive(sandbox, arguments);
    return pf_sandbox_result(sandbox);
}

static const pf_result *run_line(pf_sandbox *sandbox, const struct arguments *arguments,
                                 const struct text *code) {
    return run(sandbox, arguments,
               &(pf_run){.size = sizeof(pf_run),
                         .language = "shell",
                         .code = code->data,
                         .code_len = code->len,
                         .on_output = on_output});
}

/* Runs a question in a shell of its own. */
static const pf_result *ask(pf_sandbox *sandbox, const struct arguments *arguments,
                            const char *code, const struct text *input) {
    return run(sandbox, arguments,
               &(pf_run){.size = sizeof(pf_run),
                         .language = "shell",
                         .code = code,
                         .code_len = strlen(code),
                         .stdin_data = input->data,
                         .stdin_len = input->len,
                         .isolated = true});
}

/* Would the shell want more? It says so itself: it reads the text without running it. */
static bool incomplete(pf_sandbox *sandbox, const struct arguments *arguments,
                       const struct text *code) {
    const pf_result *result = ask(sandbox, arguments, "bash -O extglob -n", code);
    bool more = strstr(result->stderr_data, "unexpected end of file") ||
                strstr(result->stderr_data, "unexpected EOF") ||
                strstr(result->stderr_data, "delimited by end-of-file");
    size_t end = code->len, slashes = 0;
    while (end && code->data[end - 1] == '\n') end--;
    while (slashes < end && code->data[end - 1 - slashes] == '\\') slashes++;
    return more || slashes % 2;
}

/* In the session's directory: that of the other process that no process is the parent of. */
#define HERE                                                                                       \
    "for p in /proc/[1-9]*; do [[ $p != /proc/$$ && $(< $p/status) == *PPid:?[01]$'\\n'* ]] && "   \
    "cd -P $p/cwd && break; done; "
#define WORD     "IFS= read -r word; "
#define COMMANDS HERE WORD "compgen -A command -- \"$word\" | sort -u"
/* Folders end in a slash. */
#define FILES                                                                                      \
    HERE WORD "compgen -f -- \"$word\" | sort | while IFS= read -r f; do [ -d \"$f\" ] && f+=/; "  \
              "echo \"$f\"; done"

struct session {
    pf_sandbox *sandbox;
    const struct arguments *arguments;
};

/* The shell's own `compgen` knows: commands at the start of a command, otherwise files. */
static size_t complete(void *user, const char *line, struct text *found) {
    const struct session *session = user;
    size_t end = strlen(line), start = end;
    while (start && !strchr(" \t\n|&;()<>=\"'`", line[start - 1])) start--;
    size_t before = start;
    while (before && strchr(" \t", line[before - 1])) before--;
    bool command = !before || strchr("|&;(`\n", line[before - 1]);
    struct text word = {0};
    text_add(&word, line + start, end - start);
    const char *code = command && !strchr(word.data, '/') && word.len ? COMMANDS : FILES;
    const pf_result *result = ask(session->sandbox, session->arguments, code, &word);
    text_add(found, result->stdout_data, result->stdout_len);
    free(word.data);
    return start;
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
    struct session session = {sandbox, &arguments};
    edit_open(complete, &session);
    int status = 0;
    uint64_t limit = limit_of(&arguments.limits, "code_bytes");
    size_t most = limit < SIZE_MAX ? (size_t)limit + 1 : SIZE_MAX;
    struct text code = {0};
    for (;;) {
        enum edit_line got = edit_read(&code, code.len ? "> " : "pinfold$ ", most);
        if (got == EDIT_END) break;
        if (got == EDIT_INTERRUPT) {
            code.len = 0;
            continue;
        }
        if (code.len >= most)
            die("what was typed has more bytes than the limit code_bytes (%zu); see --limit",
                most - 1);
        interrupt_by_keyboard(sandbox);
        if (incomplete(sandbox, &arguments, &code)) continue;
        edit_remember(code.data);
        const pf_result *result = run_line(sandbox, &arguments, &code);
        status = result->exit_code;
        explain(result);
        if (result->session_lost)
            fputs("pinfold: the session was lost; a new one begins\n", stderr);
        code.len = 0;
        if (result->session_ended && !result->session_lost) break; /* by `exit` */
    }
    if (code.len) status = run_line(sandbox, &arguments, &code)->exit_code; /* says what lacks */
    if (isatty(STDIN_FILENO)) fputc('\n', stderr);
    edit_close();
    interrupt_by_keyboard(NULL);
    if (arguments.snapshot) save_snapshot(sandbox, &arguments);
    free(code.data);
    end_sandbox(sandbox);
    return status;
}
