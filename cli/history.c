/*
 * history.c: keeps what was typed into `pinfold shell` from one session to the next.
 *
 * PINFOLD_HISTORY names the file; set but empty: no file. Otherwise it is
 * $XDG_STATE_HOME/pinfold/history, or ~/.local/state/pinfold/history. Commands are appended one by
 * one, so sessions side by side lose nothing. Only its owner may read it (mode 0600): people type
 * secrets. A history that cannot be kept is no reason to stop anyone: failures are silent.
 */
#include "edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 1000 }; /* commands; a file of twice as many is cut */

/* The path, to be freed; NULL: none is kept. Makes its folders. */
static char *history_path(void) {
    struct text path = {0};
    const char *given = getenv("PINFOLD_HISTORY");
    if (given) return *given ? strdup(given) : NULL;
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/') {
        text_puts(&path, state);
    } else {
        if (!home || *home != '/') return NULL;
        text_puts(&path, home);
        text_puts(&path, "/.local/state");
    }
    text_puts(&path, "/pinfold/history");
    for (char *slash = path.data + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path.data, 0700);
        *slash = '/';
    }
    return path.data;
}

static bool write_all(int fd, const char *data, size_t len) {
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) data += n, len -= (size_t)n;
    }
    return true;
}

/* The last KEPT lines take the file's place. */
static void cut(const char *path, const char *data, size_t len) {
    struct text part = {0};
    text_puts(&part, path);
    text_puts(&part, ".part");
    int fd = open(part.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        bool written = write_all(fd, data, len);
        close(fd);
        if (!written || rename(part.data, path) != 0) unlink(part.data);
    }
    free(part.data);
}

/* In place: \n and \\ become what they stand for. */
static void unescape(char *s) {
    char *to = s;
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++, *to++ = *s == 'n' ? '\n' : *s;
        else
            *to++ = *s;
    }
    *to = '\0';
}

void history_load(void (*add)(const char *command)) {
    char *path = history_path();
    struct text text = {0};
    if (!path || !text_read_file(&text, path)) {
        free(path);
        return;
    }
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) lines += text.data[i] == '\n';
    char *at = text.data;
    for (size_t skip = lines > KEPT ? lines - KEPT : 0; skip; skip--) at = strchr(at, '\n') + 1;
    if (lines > 2 * KEPT) cut(path, at, text.len - (size_t)(at - text.data));
    for (char *end; at && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        unescape(at);
        if (*at) add(at);
    }
    free(text.data);
    free(path);
}

void history_append(const char *command) {
    char *path = history_path();
    if (!path) return;
    struct text line = {0};
    for (const char *c = command; *c; c++) {
        if (*c == '\n' || *c == '\\') text_add(&line, "\\", 1);
        text_add(&line, *c == '\n' ? "n" : c, 1);
    }
    text_add(&line, "\n", 1);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
        write_all(fd, line.data, line.len);
        close(fd);
    }
    free(line.data);
    free(path);
}
