/*
 * make_run.c: a command as a process.
 *
 * A command that needs nothing of a shell is run without one, as GNU make does: it is quicker, and
 * the message about a program that is not there is make's own.
 */
#include "make.h"
#include "g_out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const shell_commands[] = {
    ".",        ":",       "alias", "bg",   "break",  "case",   "cd",   "command",
    "continue", "eval",    "exec",  "exit", "export", "fc",     "fg",   "for",
    "getopts",  "hash",    "if",    "jobs", "login",  "logout", "read", "readonly",
    "return",   "set",     "shift", "test", "times",  "trap",   "type", "ulimit",
    "umask",    "unalias", "unset", "wait", "while",  NULL};

static bool needs_shell(const char *command) {
    if (strpbrk(command, "#;\"'*?[]&|<>(){}$`^~!\\\n")) return true;
    const char *s = command, *word;
    size_t len;
    if (!next_word(&s, &word, &len)) return false;
    if (memchr(word, '=', len)) return true;
    for (const char *const *c = shell_commands; *c; c++)
        if (strncmp(*c, word, len) == 0 && !(*c)[len]) return true;
    return false;
}

static char **words_of(const char *text, const char *last) {
    char **words = NULL;
    size_t count = 0, cap = 0, len;
    const char *word;
    while (next_word(&text, &word, &len)) {
        if (count + 2 >= cap) words = g_resize(words, cap = cap * 2 + 8, sizeof *words);
        words[count++] = g_copy_bytes(word, len);
    }
    if (!words) words = g_resize(NULL, 3, sizeof *words);
    if (last) words[count++] = g_copy_string(last);
    words[count] = NULL;
    return words;
}

char **shell_words(const char *command, bool shell_always) {
    char *shell = variable_value("SHELL"), *flags = variable_value(".SHELLFLAGS");
    bool usual = strcmp(shell, "/bin/sh") == 0 && (!*flags || strcmp(flags, "-c") == 0);
    char **words;
    if (usual && !shell_always && !needs_shell(command)) {
        words = words_of(command, NULL);
    } else {
        g_text line = {0};
        g_text_addf(&line, "%s %s", *shell ? shell : "/bin/sh", *flags ? flags : "-c");
        words = words_of(line.s, command);
        g_text_free(&line);
    }
    free(shell), free(flags);
    return words;
}

pid_t run_command(const char *command, char **environment, bool shell_always, int out) {
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    char **words = shell_words(command, shell_always);
    g_out_flush();
    int error = posix_spawn_file_actions_init(&actions);
    if (!error && out >= 0) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error) error = posix_spawnp(&pid, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error) make_error(NULL, "%s: %s", words[0], strerror(error));
    for (char **w = words; *w; w++) free(*w);
    free(words);
    return error ? -1 : pid;
}
