/*
 * make_function_file.c: functions that look at files, run programs or print.
 */
#include "make.h"
#include "g_file.h"
#include "g_in.h"
#include "g_out.h"
#include "g_spawn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void call_wildcard(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        char *pattern = g_copy_bytes(word, len);
        glob_words(out, &any, pattern);
        free(pattern);
    }
}

void call_realpath(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) {
        char *name = g_copy_bytes(word, len), *real = realpath(name, NULL);
        if (real) add_word(out, &any, real, strlen(real));
        free(name), free(real);
    }
}

/* Without looking at files: no ".", no "..", no double slashes. */
static void add_absolute(g_text *out, bool *any, const char *word, size_t len) {
    g_text path = {0};
    if (*word != '/') {
        char *folder = getcwd(NULL, 0);
        if (folder && folder[1]) g_text_adds(&path, folder);
        free(folder);
    }
    for (const char *s = word, *end = word + len; s < end;) {
        const char *slash = memchr(s, '/', (size_t)(end - s));
        size_t part = (size_t)((slash ? slash : end) - s);
        if (part == 2 && s[0] == '.' && s[1] == '.') {
            while (path.len && path.s[--path.len] != '/') {
            }
        } else if (part && !(part == 1 && *s == '.')) {
            g_text_addc(&path, '/');
            g_text_add(&path, s, part);
        }
        s += part + (slash != NULL);
    }
    if (!path.len) g_text_addc(&path, '/');
    add_word(out, any, path.s, path.len);
    g_text_free(&path);
}

void call_abspath(g_text *out, char **args, int count) {
    (void)count;
    const char *s = args[0], *word;
    size_t len;
    bool any = false;
    while (next_word(&s, &word, &len)) add_absolute(out, &any, word, len);
}

void call_error(g_text *out, char **args, int count) {
    (void)out, (void)count;
    make_fatal(&now_at, "%s", args[0]);
}

void call_warning(g_text *out, char **args, int count) {
    (void)out, (void)count;
    make_error(&now_at, "%s", args[0]);
}

void call_info(g_text *out, char **args, int count) {
    (void)out, (void)count;
    g_outs(args[0]);
    g_outc('\n');
    g_out_flush();
}

void shell_output(g_text *out, const char *command) {
    int fds[2];
    char status_text[16], *bytes;
    while (isspace((unsigned char)*command)) command++;
    if (!*command) return;
    if (pipe2(fds, O_CLOEXEC) != 0) make_fatal(&now_at, "pipe: %s", strerror(errno));
    pid_t pid = run_command(command, environ, false, fds[1]);
    close(fds[1]);
    g_reader in;
    g_reader_init(&in, fds[0], '\n');
    size_t start = out->len, len;
    while ((len = g_read_some(&in, &bytes)) > 0) g_text_add(out, bytes, len);
    g_reader_free(&in);
    close(fds[0]);
    int status = pid < 0 ? 127 : g_exit_status(g_wait(pid));
    while (out->len > start && out->s[out->len - 1] == '\n') out->s[--out->len] = '\0';
    for (size_t i = start; i < out->len; i++)
        if (out->s[i] == '\n') out->s[i] = ' ';
    snprintf(status_text, sizeof status_text, "%d", status);
    variable_set(&global_scope, ".SHELLSTATUS", 12, status_text, FROM_OVERRIDE, false);
}

void call_shell(g_text *out, char **args, int count) {
    (void)count;
    shell_output(out, args[0]);
}

void call_file(g_text *out, char **args, int count) {
    char *name = args[0];
    while (isspace((unsigned char)*name)) name++;
    bool write_it = *name == '>', add = name[0] == '>' && name[1] == '>', read_it = *name == '<';
    if (!write_it && !read_it) make_fatal(&now_at, "file: invalid file operation: %s", name);
    name += 1 + add;
    while (isspace((unsigned char)*name)) name++;
    for (size_t len = strlen(name); len && isspace((unsigned char)name[len - 1]);)
        name[--len] = '\0';
    if (!*name) make_fatal(&now_at, "file: missing filename");
    if (read_it) {
        size_t len;
        if (count > 1) make_fatal(&now_at, "file: too many arguments");
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT) return;
        char *text = fd < 0 ? NULL : g_read_all(fd, &len);
        if (!text) make_fatal(&now_at, "open: %s: %s", name, strerror(errno));
        close(fd);
        if (len && text[len - 1] == '\n') len--;
        g_text_add(out, text, len);
        free(text);
        return;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (add ? O_APPEND : O_TRUNC), 0666);
    if (fd < 0) make_fatal(&now_at, "open: %s: %s", name, strerror(errno));
    g_sink sink = {.fd = fd};
    if (count > 1) {
        size_t len = strlen(args[1]);
        g_sink_put(&sink, args[1], len);
        if (!len || args[1][len - 1] != '\n') g_sink_put(&sink, "\n", 1);
    }
    int error = g_sink_flush(&sink);
    if (error) make_fatal(&now_at, "write: %s: %s", name, strerror(error));
    close(fd);
}
