/*
 * loop.c: timers, descriptors, signals and tool answers become calls into JavaScript.
 *
 * A round: everything that is due (the library decides the order, one macrotask at a time, with all
 * ticks and promise jobs in between), then one wait for whatever comes next. Only here does the
 * process wait without JavaScript on its stack.
 */
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/limits.h"
#include "abi/types.h"
#include "engine.h"
#include "pf.h"

struct watch {
    int id, fd;
    short events;
    bool alive; /* keeps the loop running */
    JSValue callback;
};

static struct {
    struct watch *items;
    int count, size, next_id;
} watches;

static int tools;                   /* calls in flight */
static int wake_pipe[2] = {-1, -1}; /* a caught signal writes here, so that no wait misses it */
static volatile sig_atomic_t caught[PF_SIGNALS];

void loop_tools(int change) {
    tools += change;
}

void loop_signal(int signal) {
    int saved = errno;
    caught[signal] = 1;
    if (wake_pipe[1] >= 0) {
        ssize_t ignored = write(wake_pipe[1], "", 1);
        (void)ignored;
    }
    errno = saved;
}

static bool call_signals(void) {
    char drain[64];
    while (read(wake_pipe[0], drain, sizeof drain) > 0) continue;
    for (int signal = 1; signal < PF_SIGNALS; signal++) {
        if (!caught[signal]) continue;
        caught[signal] = 0;
        JSValue number = JS_NewInt32(engine.context, signal);
        if (!engine_call(engine.hooks.signal, 1, &number) || !engine_jobs()) return false;
    }
    return true;
}

static struct watch *find(int id) {
    for (int i = 0; i < watches.count; i++) {
        if (watches.items[i].id == id) return &watches.items[i];
    }
    return NULL;
}

static bool call_watch(int id, short revents) {
    struct watch *watch = find(id); /* gone when an earlier callback removed it */
    if (!watch) return true;
    JSContext *ctx = engine.context;
    JSValue callback = JS_DupValue(ctx, watch->callback), arg = JS_NewInt32(ctx, revents);
    bool ok = engine_call(callback, 1, &arg) && engine_jobs();
    JS_FreeValue(ctx, callback);
    return ok;
}

bool tool_answer(int id); /* bind_tool.c */

static bool call_tools(void) {
    int id;
    while (tools > 0 && (id = pf_tool_next()) > 0) {
        if (!tool_answer(id) || !engine_jobs()) return false;
    }
    return true;
}

/* Everything due in this round; then *wait is the last answer of the hook `turn`. */
static bool run_due(double *wait) {
    do {
        if (!engine_ask(engine.hooks.turn, wait)) return false;
        if (isnan(*wait) && !engine_jobs()) return false;
    } while (isnan(*wait));
    return true;
}

/* The descriptors of all watches, then the wake pipe, then the tools; ids[i] names fds[i]. */
static int gather(struct pollfd *fds, int *ids, bool *alive) {
    int count = 0;
    for (int i = 0; i < watches.count; i++) {
        const struct watch *watch = &watches.items[i];
        if (watch->events == 0) continue;
        *alive |= watch->alive;
        ids[count] = watch->id;
        fds[count++] = (struct pollfd){.fd = watch->fd, .events = watch->events};
    }
    if (wake_pipe[0] >= 0) {
        ids[count] = -1;
        fds[count++] = (struct pollfd){.fd = wake_pipe[0], .events = POLLIN};
    }
    if (tools > 0) {
        *alive = true;
        ids[count] = -2;
        fds[count++] = (struct pollfd){.fd = PF_POLL_OPS, .events = POLLIN};
    }
    return count;
}

static bool dispatch(const struct pollfd *fds, const int *ids, int count) {
    for (int i = 0; i < count; i++) {
        if (fds[i].revents == 0) continue;
        bool ok = ids[i] == -1   ? call_signals()
                  : ids[i] == -2 ? call_tools()
                                 : call_watch(ids[i], fds[i].revents);
        if (!ok) return false;
    }
    return true;
}

/* What `turn` answered, for pf_wait_unwound(): -1 for ever, -2 when there is nothing to wait for.
 */
static int64_t choose_timeout(bool alive, double wait) {
    if (wait < 0 && !alive) return -2;
    double ms = wait < 0 ? -1 - wait : wait;
    return isinf(ms) ? -1 : (int64_t)ceil(fmin(ms, 4e9) * 1e6);
}

bool loop_run(void) {
    struct pollfd *fds = NULL;
    int *ids = NULL;
    int room = 0;
    bool ok = engine_jobs();
    while (ok) {
        double wait;
        if (!(ok = run_due(&wait))) break;
        if (watches.count + 2 > room) {
            room = watches.count + 16;
            free(fds);
            free(ids);
            fds = malloc((size_t)room * sizeof *fds);
            ids = malloc((size_t)room * sizeof *ids);
            if (!fds || !ids) {
                JS_ThrowOutOfMemory(engine.context);
                ok = engine_fatal("uncaughtException");
                break;
            }
        }
        bool alive = false;
        int count = gather(fds, ids, &alive);
        int64_t timeout_ns = choose_timeout(alive, wait);
        if (timeout_ns == -2) {
            double more;
            ok = engine_ask(engine.hooks.finish, &more) && engine_jobs();
            if (!(more > 0)) break;
            continue;
        }
        output_flush();
        int ready = pf_wait_unwound(fds, count, timeout_ns);
        if (ready > 0) ok = dispatch(fds, ids, count);
    }
    free(fds);
    free(ids);
    return ok;
}

/* watch(fd, events, callback) -> id */
static JSValue loop_watch(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd, events;
    if (JS_ToInt32(ctx, &fd, argv[0]) || JS_ToInt32(ctx, &events, argv[1])) return JS_EXCEPTION;
    if (watches.count == watches.size) {
        int size = watches.size ? watches.size * 2 : 8;
        struct watch *items = realloc(watches.items, (size_t)size * sizeof *items);
        if (!items) return JS_ThrowOutOfMemory(ctx);
        watches.items = items;
        watches.size = size;
    }
    struct watch *watch = &watches.items[watches.count++];
    *watch = (struct watch){++watches.next_id, fd, (short)events, true, JS_DupValue(ctx, argv[2])};
    return JS_NewInt32(ctx, watch->id);
}

/* update(id, events, alive): events 0 pauses the watch */
static JSValue loop_update(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int id, events;
    if (JS_ToInt32(ctx, &id, argv[0]) || JS_ToInt32(ctx, &events, argv[1])) return JS_EXCEPTION;
    struct watch *watch = find(id);
    if (watch) {
        watch->events = (short)events;
        watch->alive = JS_ToBool(ctx, argv[2]) > 0;
    }
    return JS_UNDEFINED;
}

static JSValue loop_unwatch(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int id;
    if (JS_ToInt32(ctx, &id, argv[0])) return JS_EXCEPTION;
    struct watch *watch = find(id);
    if (watch) {
        JSValue callback = watch->callback;
        *watch = watches.items[--watches.count];
        JS_FreeValue(ctx, callback);
    }
    return JS_UNDEFINED;
}

/* catchSignal(number, how): 0 default, 1 ignore, 2 catch */
static JSValue loop_catch(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int number, how;
    if (JS_ToInt32(ctx, &number, argv[0]) || JS_ToInt32(ctx, &how, argv[1])) return JS_EXCEPTION;
    if (how == 2 && wake_pipe[0] < 0) {
        if (pipe(wake_pipe) != 0) return JS_NewInt32(ctx, -errno);
        for (int i = 0; i < 2; i++) {
            fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
            fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
        }
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = how == 0 ? SIG_DFL : how == 1 ? SIG_IGN : loop_signal;
    action.sa_flags = SA_RESTART;
    return JS_NewInt32(ctx, sigaction(number, &action, NULL) == 0 ? 0 : -errno);
}

void bind_loop(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("watch", 3, loop_watch),     JS_CFUNC_DEF("update", 3, loop_update),
        JS_CFUNC_DEF("unwatch", 1, loop_unwatch), JS_CFUNC_DEF("catchSignal", 2, loop_catch),
        JS_PROP_INT32_DEF("IN", POLLIN, 0),       JS_PROP_INT32_DEF("OUT", POLLOUT, 0)};
    engine_bind(ctx, native, "loop", functions, sizeof functions / sizeof *functions);
}
