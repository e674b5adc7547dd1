/*
 * stream.c: redirections, pipes and coprocesses, found again by their names until close().
 */
#include "g_in.h"
#include "awk.h"
#include "g_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct stream {
    struct stream *next;
    awk_text *name;
    uint8_t how;   /* enum redirection; TO_APPEND counts as TO_FILE, a coprocess as one kind */
    bool standard; /* writes to our standard output */
    bool at_once;  /* not to be buffered: standard error */
    bool parked;   /* a file that was closed to make room; opened again when it is used */
    g_sink out;    /* fd -1: not for writing */
    awk_reader *in;
    pid_t pid;
};

static stream *streams;

/* What standard output is flushed for. */
static enum { TO_PRINT, TO_FLUSH, TO_FINISH } flushing;

static void cannot_write(int error) {
    if (flushing == TO_FINISH) {
        awk_warn("error writing standard output: %s", strerror(error));
        g_exit(awk.exit_status ? awk.exit_status : 1);
    }
    awk_fatal(flushing == TO_FLUSH ? "fflush: cannot flush standard output: %s"
                                   : "print to \"standard output\" failed: %s",
              strerror(error));
}

void stream_begin(void) {
    g_on_write_error(cannot_write);
}

static void flush_output(void) {
    flushing = TO_FLUSH;
    g_out_flush();
    flushing = TO_PRINT;
}

void stream_set_errno(int error) {
    value_assign(&awk.globals[V_ERRNO], value_text(text_ofs(strerror(error))));
}

/* Hands bytes (or what is buffered, for NULL) to a stream. A command that ended is an error here,
 * not our end by SIGPIPE, which it is for standard output. */
static void send(stream *s, const char *bytes, size_t len) {
    bool may_send = !bytes || len >= s->out.cap - s->out.len;
    void (*before)(int) = s->pid > 0 && may_send ? signal(SIGPIPE, SIG_IGN) : SIG_ERR;
    if (bytes)
        g_sink_put(&s->out, bytes, len);
    else
        g_sink_flush(&s->out);
    if (before != SIG_ERR) signal(SIGPIPE, before);
    if (!s->out.error) return;
    int error = s->out.error;
    s->out.error = 0;
    awk_fatal("print to \"%s\" failed: %s", s->name->s, strerror(error));
}

static void flush(stream *s) {
    if (s->standard)
        g_out_flush();
    else if (s->out.fd >= 0)
        send(s, NULL, 0);
}

static void flush_all(void) {
    flush_output();
    for (stream *s = streams; s; s = s->next) flush(s);
}

/* Too many are open: closes the output file that was not used for the longest time, until it is
 * used again. False when there is none. */
static bool make_room(void) {
    if (errno != EMFILE && errno != ENFILE) return false;
    stream *oldest = NULL;
    for (stream *s = streams; s; s = s->next)
        if (s->how == TO_FILE && s->out.fd > STDERR_FILENO) oldest = s;
    if (!oldest) {
        errno = EMFILE;
        return false;
    }
    flush(oldest);
    g_sink_free(&oldest->out);
    close(oldest->out.fd);
    oldest->out.fd = -1;
    oldest->parked = true;
    return true;
}

static int open_file(const char *name, int flags) {
    int fd;
    do fd = open(name, flags | O_CLOEXEC, 0666);
    while (fd < 0 && make_room());
    return fd;
}

static bool open_pipe(int fds[2]) {
    int result;
    do result = pipe2(fds, O_CLOEXEC);
    while (result < 0 && make_room());
    return result == 0;
}

/* Starts a command with our ends of pipes at *to_it and *from_it (-1: no such pipe). */
static pid_t start(const char *command, int *to_it, int *from_it) {
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    flush_all();
    if ((to_it && !open_pipe(down)) || (from_it && !open_pipe(up))) return -1;
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    char *argv[] = {"sh", "-c", (char *)command, NULL};
    int error = posix_spawn_file_actions_init(&actions);
    if (!error && to_it) error = posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
    if (!error && from_it) error = posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
    if (!error) error = posix_spawnp(&pid, "sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (to_it) close(down[0]);
    if (from_it) close(up[1]);
    if (error) {
        if (to_it) close(down[1]);
        if (from_it) close(up[0]);
        errno = error;
        return -1;
    }
    if (to_it) *to_it = down[1];
    if (from_it) *from_it = up[0];
    return pid;
}

/* /dev/stdout and the like, which may not exist as files. */
static bool open_special(stream *s, bool writes) {
    const char *name = s->name->s;
    int fd = -1;
    if (strcmp(name, "/dev/stdout") == 0 || (writes && strcmp(name, "-") == 0))
        fd = 1;
    else if (strcmp(name, "/dev/stderr") == 0)
        fd = 2;
    else if (strcmp(name, "/dev/stdin") == 0 || strcmp(name, "-") == 0)
        fd = 0;
    else if (strncmp(name, "/dev/fd/", 8) == 0 && name[8] >= '0' && name[8] <= '9')
        fd = atoi(name + 8);
    else
        return false;
    if (writes) {
        s->standard = fd == 1;
        s->at_once = fd == 2;
        s->out.fd = fd;
    } else {
        s->in = reader_new(fd > 0 ? dup(fd) : fd);
    }
    return true;
}

static bool open_stream(stream *s, bool append) {
    const char *name = s->name->s;
    s->out.fd = -1;
    int from = -1;
    switch (s->how) {
    case TO_FILE:
        if (open_special(s, true)) return true;
        s->out.fd = open_file(name, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC));
        return s->out.fd >= 0;
    case FROM_FILE: {
        if (open_special(s, false)) return true;
        int fd = open_file(name, O_RDONLY);
        if (fd < 0) return false;
        struct stat st;
        if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
            close(fd);
            errno = EISDIR;
            return false;
        }
        s->in = reader_new(fd);
        return true;
    }
    case TO_PIPE: s->pid = start(name, &s->out.fd, NULL); return s->pid >= 0;
    case FROM_PIPE:
        s->pid = start(name, NULL, &from);
        if (s->pid >= 0) s->in = reader_new(from);
        return s->pid >= 0;
    default:
        if (strncmp(name, "/inet", 5) == 0) awk_fatal("%s: there is no network here", name);
        s->pid = start(name, &s->out.fd, &from);
        if (s->pid >= 0) s->in = reader_new(from);
        return s->pid >= 0;
    }
}

stream *stream_get(enum redirection how, value *name) {
    bool append = how == TO_APPEND;
    if (append) how = TO_FILE;
    if (how == FROM_COPROCESS) how = TO_COPROCESS;
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *bytes = value_bytes(name, awk.convfmt, room, &len);
    for (stream *s = streams, *before = NULL; s; before = s, s = s->next) {
        if (s->how != how || s->name->len != len || memcmp(s->name->s, bytes, len) != 0) continue;
        if (before) { /* the one in use comes first */
            before->next = s->next;
            s->next = streams;
            streams = s;
        }
        if (s->parked) {
            s->out.fd = open_file(s->name->s, O_WRONLY | O_CREAT | O_APPEND);
            if (s->out.fd < 0)
                awk_fatal("cannot redirect to `%s': %s", s->name->s, strerror(errno));
            s->parked = false;
        }
        return s;
    }
    static const char *const words[] = {"", ">", ">>", "|", "|&", "<", "|", "|&"};
    if (len == 0)
        awk_fatal("expression for `%s' redirection has null string value",
                  words[append ? TO_APPEND : how]);
    if (awk.sandbox) awk_fatal("redirection not allowed in sandbox mode");
    stream *s = g_zalloc(sizeof *s);
    s->name = text_of(bytes, len);
    s->how = (uint8_t)how;
    if (!open_stream(s, append)) {
        int error = errno;
        stream_set_errno(error);
        text_drop(s->name);
        free(s);
        if (how == FROM_FILE) return NULL;
        if (how == TO_FILE)
            awk_fatal("cannot redirect to `%.*s': %s", (int)len, bytes, strerror(error));
        awk_fatal("cannot open %s `%.*s' for %s: %s", how == TO_COPROCESS ? "two way pipe" : "pipe",
                  (int)len, bytes,
                  how == FROM_PIPE ? "input"
                  : how == TO_PIPE ? "output"
                                   : "input/output",
                  strerror(error));
    }
    s->next = streams;
    streams = s;
    return s;
}

void stream_put(stream *s, const char *bytes, size_t len) {
    if (s->standard)
        g_out(bytes, len);
    else if (s->out.fd < 0)
        awk_fatal("attempt to write to closed write end of two-way pipe");
    else
        send(s, bytes, len);
}

void stream_done(stream *s) {
    if (s->at_once || s->how == TO_COPROCESS) flush(s);
}

int stream_read(stream *s, const char **bytes, size_t *len) {
    if (!s->in) return -1;
    if (s->how == TO_COPROCESS) flush(s);
    int got = reader_next(s->in, bytes, len);
    if (got < 0) stream_set_errno(errno);
    return got;
}

/* As gawk tells them: the exit status, or 256 and the signal. */
static double status_number(int status) {
    if (WIFSIGNALED(status)) return 256 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

static void close_output(stream *s) {
    if (s->out.fd < 0) return;
    flush(s);
    g_sink_free(&s->out);
    if (!s->standard && s->out.fd > 2) close(s->out.fd);
    s->out.fd = -1;
}

static double close_one(stream **at) {
    stream *s = *at;
    *at = s->next;
    double result = 0;
    close_output(s);
    if (s->in) reader_free(s->in);
    if (s->pid > 0) result = status_number(g_wait(s->pid));
    text_drop(s->name);
    free(s);
    return result;
}

double stream_close(const char *name, size_t len, const char *how) {
    double result = -1;
    for (stream **at = &streams; *at;) {
        stream *s = *at;
        if (s->name->len != len || memcmp(s->name->s, name, len) != 0) {
            at = &s->next;
            continue;
        }
        if (how && s->how == TO_COPROCESS) {
            if (strcmp(how, "to") == 0) {
                close_output(s);
                return 0;
            }
            if (s->in) reader_free(s->in);
            s->in = NULL;
            return 0;
        }
        result = close_one(at);
    }
    if (result < 0)
        value_assign(&awk.globals[V_ERRNO],
                     value_text(text_ofs("close of redirection that was never opened")));
    return result;
}

double stream_flush(value *name, bool all) {
    if (all) {
        flush_all();
        return 0;
    }
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *s = value_bytes(name, awk.convfmt, room, &len);
    double result = -1;
    for (stream *i = streams; i; i = i->next) {
        if (i->name->len != len || memcmp(i->name->s, s, len) != 0 || i->out.fd < 0) continue;
        flush(i);
        result = 0;
    }
    if (result < 0 && len == 11 && memcmp(s, "/dev/stdout", 11) == 0) {
        flush_output();
        result = 0;
    }
    if (result < 0) awk_warn("fflush: `%.*s' is not an open file, pipe or co-process", (int)len, s);
    return result;
}

int stream_finish(void) {
    int status = 0;
    while (streams) close_one(&streams);
    flushing = TO_FINISH;
    g_out_flush();
    return status;
}

double stream_system(const char *command, size_t len) {
    if (awk.sandbox) awk_fatal("'system' function not allowed in sandbox mode");
    char *text = g_copy_bytes(command, len);
    char *argv[] = {"sh", "-c", text, NULL};
    flush_all();
    pid_t pid = g_spawn(argv, NULL, G_STDIN_SAME);
    int error = errno;
    free(text);
    if (pid < 0) {
        stream_set_errno(error);
        awk_warn("system: cannot run `%.*s': %s", (int)len, command, strerror(error));
        return 127;
    }
    return status_number(g_wait(pid));
}
