/*
 * bind_process.c: what a program knows about and does to its own process: output, working
 * directory, clocks, ids, signals, the text and the value of a run.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "pf.h"

#define PATH_BYTES 4096

extern char **environ;

/* write(fd, text or bytes): 0 or -errno; buffered (output.c) */
static JSValue process_write(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd;
    size_t len;
    if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
    if (JS_IsString(argv[1])) {
        char *text = text_utf8(ctx, argv[1], &len);
        if (!text) return JS_EXCEPTION;
        int result = output_write(fd, text, len);
        js_free(ctx, text);
        return JS_NewInt32(ctx, result);
    }
    uint8_t *data;
    if (!text_bytes(ctx, argv[1], &data, &len)) return JS_EXCEPTION;
    return JS_NewInt32(ctx, output_write(fd, (const char *)data, len));
}

static JSValue process_flush(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return JS_NewInt32(ctx, output_flush());
}

static JSValue process_exit(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int status;
    if (JS_ToInt32(ctx, &status, argv[0])) return JS_EXCEPTION;
    engine_exit(status);
}

static JSValue process_cwd(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    char path[PATH_BYTES];
    if (!getcwd(path, sizeof path)) return JS_NewInt32(ctx, -errno);
    return text_decode(ctx, (const uint8_t *)path, strlen(path));
}

static JSValue process_chdir(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    int result = chdir(path) == 0 ? 0 : -errno;
    JS_FreeCString(ctx, path);
    return JS_NewInt32(ctx, result);
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* now(): milliseconds of the monotonic clock, with fractions */
static JSValue process_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return JS_NewFloat64(ctx, (double)clock_ns(CLOCK_MONOTONIC) / 1e6);
}

static JSValue process_hrtime(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return JS_NewBigInt64(ctx, clock_ns(CLOCK_MONOTONIC));
}

/* cpu(): microseconds of processor time */
static JSValue process_cpu(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return JS_NewFloat64(ctx, (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000));
}

enum id { ID_PID, ID_PPID, ID_UID, ID_GID };

static JSValue process_id(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                          int which) {
    (void)this_val, (void)argc, (void)argv;
    switch (which) {
    case ID_PID: return JS_NewInt64(ctx, getpid());
    case ID_PPID: return JS_NewInt64(ctx, getppid());
    case ID_UID: return JS_NewInt64(ctx, getuid());
    default: return JS_NewInt64(ctx, getgid());
    }
}

static JSValue process_umask(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val;
    int mask;
    if (argc > 0 && !JS_IsUndefined(argv[0])) {
        if (JS_ToInt32(ctx, &mask, argv[0])) return JS_EXCEPTION;
        return JS_NewInt32(ctx, (int)umask((mode_t)mask));
    }
    mask = (int)umask(0);
    umask((mode_t)mask);
    return JS_NewInt32(ctx, mask);
}

static JSValue process_kill(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int pid, number;
    if (JS_ToInt32(ctx, &pid, argv[0]) || JS_ToInt32(ctx, &number, argv[1])) return JS_EXCEPTION;
    output_flush();
    return JS_NewInt32(ctx, kill(pid, number) == 0 ? 0 : -errno);
}

static JSValue process_isatty(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd;
    if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
    return JS_NewBool(ctx, isatty(fd) == 1);
}

/* executable(): the path of this program, in the sandbox that of the command `node` */
static JSValue process_executable(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
#ifndef __wasm__
    char path[PATH_BYTES];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    if (len > 0) return text_decode(ctx, (const uint8_t *)path, (size_t)len);
#endif
    return JS_NewString(ctx, "/usr/bin/node");
}

/* environment(prefix or undefined): NAME=value strings, of the names that begin so */
static JSValue process_environment(JSContext *ctx, JSValueConst this_val, int argc,
                                   JSValueConst *argv) {
    (void)this_val, (void)argc;
    if (JS_IsUndefined(argv[0])) return engine_strings(ctx, environ);
    const char *prefix = JS_ToCString(ctx, argv[0]);
    if (!prefix) return JS_EXCEPTION;
    char *found[32] = {NULL};
    size_t count = 0;
    for (char **entry = environ; *entry && count < 31; entry++)
        if (strncmp(*entry, prefix, strlen(prefix)) == 0) found[count++] = *entry;
    JS_FreeCString(ctx, prefix);
    return engine_strings(ctx, found);
}

/* setenv(name, value or undefined): for children of this process, and TZ for its own dates */
static JSValue process_setenv(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name) return JS_EXCEPTION;
    if (JS_IsUndefined(argv[1])) {
        unsetenv(name);
    } else {
        const char *value = JS_ToCString(ctx, argv[1]);
        if (value) setenv(name, value, 1);
        JS_FreeCString(ctx, value);
    }
    if (strcmp(name, "TZ") == 0) tzset();
    JS_FreeCString(ctx, name);
    return JS_UNDEFINED;
}

/* runText(): the program text of the embedder's run, or -errno */
static JSValue process_run_text(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    size_t len;
    char *text = pf_run_text(&len);
    if (!text) return JS_NewInt32(ctx, -errno);
    JSValue result = text_decode(ctx, (const uint8_t *)text, len);
    free(text);
    return result;
}

/* runValue(json): hands the value that the run returned to the embedder */
static JSValue process_run_value(JSContext *ctx, JSValueConst this_val, int argc,
                                 JSValueConst *argv) {
    (void)this_val, (void)argc;
    size_t len;
    char *json = text_utf8(ctx, argv[0], &len);
    if (!json) return JS_EXCEPTION;
    int result = pf_run_value(json, len) >= 0 ? 0 : -errno;
    js_free(ctx, json);
    return JS_NewInt32(ctx, result);
}

static JSValue process_hostname(JSContext *ctx, JSValueConst this_val, int argc,
                                JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    char name[256];
    if (gethostname(name, sizeof name) != 0) return JS_NewInt32(ctx, -errno);
    name[sizeof name - 1] = 0;
    return JS_NewString(ctx, name);
}

void bind_process(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("write", 2, process_write),
        JS_CFUNC_DEF("flush", 0, process_flush),
        JS_CFUNC_DEF("exit", 1, process_exit),
        JS_CFUNC_DEF("cwd", 0, process_cwd),
        JS_CFUNC_DEF("chdir", 1, process_chdir),
        JS_CFUNC_DEF("now", 0, process_now),
        JS_CFUNC_DEF("hrtime", 0, process_hrtime),
        JS_CFUNC_DEF("cpu", 0, process_cpu),
        JS_CFUNC_MAGIC_DEF("pid", 0, process_id, ID_PID),
        JS_CFUNC_MAGIC_DEF("ppid", 0, process_id, ID_PPID),
        JS_CFUNC_MAGIC_DEF("uid", 0, process_id, ID_UID),
        JS_CFUNC_MAGIC_DEF("gid", 0, process_id, ID_GID),
        JS_CFUNC_DEF("umask", 1, process_umask),
        JS_CFUNC_DEF("kill", 2, process_kill),
        JS_CFUNC_DEF("isatty", 1, process_isatty),
        JS_CFUNC_DEF("executable", 0, process_executable),
        JS_CFUNC_DEF("environment", 1, process_environment),
        JS_CFUNC_DEF("setenv", 2, process_setenv),
        JS_CFUNC_DEF("runText", 0, process_run_text),
        JS_CFUNC_DEF("runValue", 1, process_run_value),
        JS_CFUNC_DEF("hostname", 0, process_hostname)};
    engine_bind(ctx, native, "process", functions, sizeof functions / sizeof *functions);
}
