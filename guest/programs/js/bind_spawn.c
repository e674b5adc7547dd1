/*
 * bind_spawn.c: child processes: posix_spawn with pipes, and waiting for them.
 *
 * The asynchronous forms poll the pipes in the event loop (loop.c); SIGCHLD tells of the end. The
 * …Sync forms wait right here, with JavaScript on the stack, so they park the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"

extern char **environ;

static void free_strings(JSContext *ctx, char **strings) {
    for (size_t i = 0; strings && strings[i]; i++) js_free(ctx, strings[i]);
    js_free(ctx, strings);
}

/* A NULL-terminated copy of an array of strings. */
static char **copy_strings(JSContext *ctx, JSValueConst array) {
    int64_t count;
    if (JS_GetLength(ctx, array, &count) < 0) return NULL;
    char **strings = js_mallocz(ctx, ((size_t)count + 1) * sizeof *strings);
    for (uint32_t i = 0; strings && i < count; i++) {
        JSValue item = JS_GetPropertyUint32(ctx, array, i);
        size_t len;
        strings[i] = text_utf8(ctx, item, &len);
        JS_FreeValue(ctx, item);
        if (!strings[i]) {
            free_strings(ctx, strings);
            return NULL;
        }
    }
    return strings;
}

/* spawn(file, argv, env or undefined, cwd or undefined, fds, flags): pid or -errno. The child's
 * descriptor i is fds[i]; -1 closes it. flags: 1 a process group of its own. */
static JSValue spawn_start(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int64_t fd_count;
    int flags;
    JSValue value = JS_EXCEPTION;
    const char *file = JS_ToCString(ctx, argv[0]);
    const char *cwd = JS_IsUndefined(argv[3]) ? NULL : JS_ToCString(ctx, argv[3]);
    char **args = copy_strings(ctx, argv[1]);
    char **env = JS_IsUndefined(argv[2]) ? NULL : copy_strings(ctx, argv[2]);
    if (!file || !args || (!env && !JS_IsUndefined(argv[2])) ||
        JS_GetLength(ctx, argv[4], &fd_count) < 0 || JS_ToInt32(ctx, &flags, argv[5]))
        goto out;
    output_flush();
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int fds[16];
    if (fd_count > 16) fd_count = 16;
    for (uint32_t i = 0; i < fd_count; i++) {
        JSValue item = JS_GetPropertyUint32(ctx, argv[4], i);
        JS_ToInt32(ctx, &fds[i], item);
        JS_FreeValue(ctx, item);
    }
    /* First out of the way of the targets, then into place. */
    for (int i = 0; i < fd_count; i++) {
        if (fds[i] >= 0 && fds[i] != i && fds[i] < fd_count) {
            posix_spawn_file_actions_adddup2(&actions, fds[i], 40 + i);
            fds[i] = 40 + i;
        }
    }
    for (int i = 0; i < fd_count; i++) {
        if (fds[i] < 0)
            posix_spawn_file_actions_addclose(&actions, i);
        else
            posix_spawn_file_actions_adddup2(&actions, fds[i], i);
    }
    for (int i = 0; i < fd_count; i++) {
        if (fds[i] >= 40 && fds[i] < 40 + 16) posix_spawn_file_actions_addclose(&actions, fds[i]);
    }
    if (cwd) posix_spawn_file_actions_addchdir_np(&actions, cwd);
    if (flags & 1) {
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    }
    pid_t pid;
    int error = posix_spawnp(&pid, file, &actions, &attributes, args, env ? env : environ);
    value = JS_NewInt32(ctx, error ? -error : (int)pid);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
out:
    free_strings(ctx, args);
    free_strings(ctx, env);
    JS_FreeCString(ctx, file);
    JS_FreeCString(ctx, cwd);
    return value;
}

/* wait(pid, block): [pid, exit code or -1, signal or 0], 0 when it still runs, or -errno */
static JSValue spawn_wait(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int pid, status;
    if (JS_ToInt32(ctx, &pid, argv[0])) return JS_EXCEPTION;
    int options = JS_ToBool(ctx, argv[1]) > 0 ? 0 : WNOHANG;
    pid_t got;
    do got = waitpid(pid, &status, options);
    while (got < 0 && errno == EINTR && options == 0);
    if (got <= 0) return JS_NewInt32(ctx, got < 0 ? -errno : 0);
    JSValue array = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, array, 0, JS_NewInt32(ctx, (int)got));
    JS_SetPropertyUint32(ctx, array, 1,
                         JS_NewInt32(ctx, WIFEXITED(status) ? WEXITSTATUS(status) : -1));
    JS_SetPropertyUint32(ctx, array, 2,
                         JS_NewInt32(ctx, WIFSIGNALED(status) ? WTERMSIG(status) : 0));
    return array;
}

/* pipe(): [read end, write end], close-on-exec, or -errno */
static JSValue spawn_pipe(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    int ends[2];
    if (pipe(ends) != 0) return JS_NewInt32(ctx, -errno);
    JSValue array = JS_NewArray(ctx);
    for (uint32_t i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        JS_SetPropertyUint32(ctx, array, i, JS_NewInt32(ctx, ends[i]));
    }
    return array;
}

/* nonblock(fd, on) */
static JSValue spawn_nonblock(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd;
    if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return JS_NewInt32(ctx, -errno);
    flags = JS_ToBool(ctx, argv[1]) > 0 ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return JS_NewInt32(ctx, fcntl(fd, F_SETFL, flags) == 0 ? 0 : -errno);
}

/* One stream of a child during communicate(). */
struct stream {
    int fd;
    uint8_t *data; /* owned, grows; for input: borrowed */
    size_t used, size;
};

static int pump_in(struct stream *s) {
    if (s->size - s->used < 4096) {
        size_t size = s->size ? s->size * 2 : 16384;
        uint8_t *data = realloc(s->data, size);
        if (!data) return -ENOMEM;
        s->data = data;
        s->size = size;
    }
    ssize_t got = read(s->fd, s->data + s->used, s->size - s->used);
    if (got < 0) return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    if (got == 0) {
        close(s->fd);
        s->fd = -1;
    }
    s->used += (size_t)got;
    return 0;
}

static void pump_out(struct stream *s) {
    ssize_t put = s->used < s->size ? write(s->fd, s->data + s->used, s->size - s->used) : 0;
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put > 0) s->used += (size_t)put;
    if (put < 0 || s->used == s->size) { /* all written, or nobody reads it */
        close(s->fd);
        s->fd = -1;
    }
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* communicate(stdin fd or -1, input, stdout fd or -1, stderr fd or -1, timeout ms or -1, limit):
 * feeds and drains a child's pipes until all are closed: [stdout, stderr, reason]; reason 0 done,
 * 1 timeout, 2 more output than limit. Closes the descriptors. */
static JSValue spawn_communicate(JSContext *ctx, JSValueConst this_val, int argc,
                                 JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct stream streams[3] = {{0}, {0}, {0}};
    double timeout, limit;
    uint8_t *input = NULL;
    size_t input_len = 0;
    if (JS_ToInt32(ctx, &streams[0].fd, argv[0]) || JS_ToInt32(ctx, &streams[1].fd, argv[2]) ||
        JS_ToInt32(ctx, &streams[2].fd, argv[3]) || JS_ToFloat64(ctx, &timeout, argv[4]) ||
        JS_ToFloat64(ctx, &limit, argv[5]) ||
        (!JS_IsUndefined(argv[1]) && !text_bytes(ctx, argv[1], &input, &input_len)))
        return JS_EXCEPTION;
    streams[0].data = input;
    streams[0].size = input_len;
    if (streams[0].fd >= 0)
        fcntl(streams[0].fd, F_SETFL, fcntl(streams[0].fd, F_GETFL) | O_NONBLOCK);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGPIPE, &ignore, &old); /* a child need not read its input */
    int64_t end = timeout >= 0 ? now_ms() + (int64_t)timeout : -1;
    int reason = 0, error = 0;
    while (reason == 0 && error == 0 &&
           (streams[0].fd >= 0 || streams[1].fd >= 0 || streams[2].fd >= 0)) {
        struct pollfd fds[3];
        for (int i = 0; i < 3; i++)
            fds[i] = (struct pollfd){.fd = streams[i].fd, .events = i == 0 ? POLLOUT : POLLIN};
        int64_t left = end < 0 ? -1 : end - now_ms();
        if (end >= 0 && left <= 0) {
            reason = 1;
            break;
        }
        if (poll(fds, 3, (int)left) < 0) continue;
        if (streams[0].fd >= 0 && fds[0].revents) pump_out(&streams[0]);
        for (int i = 1; i < 3; i++) {
            if (streams[i].fd >= 0 && fds[i].revents && error == 0) error = pump_in(&streams[i]);
            if ((double)streams[i].used > limit) {
                streams[i].used = (size_t)limit;
                reason = 2;
            }
        }
    }
    sigaction(SIGPIPE, &old, NULL);
    JSValue result = JS_NewArray(ctx);
    for (uint32_t i = 1; i < 3; i++)
        JS_SetPropertyUint32(ctx, result, i - 1,
                             JS_NewArrayBufferCopy(ctx, streams[i].data, streams[i].used));
    JS_SetPropertyUint32(ctx, result, 2, JS_NewInt32(ctx, error ? error : reason));
    for (int i = 0; i < 3; i++) {
        if (streams[i].fd >= 0) close(streams[i].fd);
    }
    free(streams[1].data);
    free(streams[2].data);
    return result;
}

void bind_spawn(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("start", 6, spawn_start), JS_CFUNC_DEF("wait", 2, spawn_wait),
        JS_CFUNC_DEF("pipe", 0, spawn_pipe), JS_CFUNC_DEF("nonblock", 2, spawn_nonblock),
        JS_CFUNC_DEF("communicate", 6, spawn_communicate)};
    engine_bind(ctx, native, "spawn", functions, sizeof functions / sizeof *functions);
}
