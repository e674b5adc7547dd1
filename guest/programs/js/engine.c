/*
 * engine.c: the runtime, the way into the library, jobs, and what happens to errors.
 *
 * engine_boot() runs before anything of the particular process is known; its memory is copied into
 * every later process. So nothing here may look at time, randomness, arguments or files until
 * engine_wake().
 */
#include "engine.h"
#include "memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "pf.h"
#include "quickjs_open.h"

/* Stack that QuickJS may use: some 12 000 calls of plain functions. The linear stack of the image
 * is 640 KiB longer (CMakeLists.txt), so that a RangeError always comes before a fault. Only what
 * is touched costs memory. */
#ifdef __wasm__
#define STACK_BYTES (7u << 20)
#else /* the twin's frames are larger, and the system gives it 8 MiB */
#define STACK_BYTES ((15u << 20) / 2)
#endif

/* Free memory that a process starts with. */
#define ROOM_BYTES (96u << 10)

struct engine engine;

/*
 * Rejected promises without a handler so far; looked at when all jobs have run. One that was
 * reported and gets its handler now comes once more, with JS_UNINITIALIZED in place of the reason.
 */
static struct {
    JSValue *items; /* promise, reason, promise, reason … */
    size_t count, size;
} rejections;

static bool awake;     /* false while booting */
static bool ticks_due; /* process.nextTick() was called: the hook `ticks` has something to run */

/*
 * QuickJS calls this in place of gettimeofday() (quickjs_open.c): it reads the clock when it makes
 * a context, which happens while booting, when there is no clock.
 */
int engine_gettimeofday(struct timeval *now, void *zone);
int engine_gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    if (awake) {
        struct timespec precise;
        clock_gettime(CLOCK_REALTIME, &precise);
        now->tv_sec = precise.tv_sec;
        now->tv_usec = precise.tv_nsec / 1000;
    } else {
        now->tv_sec = 1;
        now->tv_usec = 0;
    }
    return 0;
}

static int64_t deadline; /* of the running script of vm, in ns of the monotonic clock; 0: none */

static int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t engine_deadline(double limit_ms) {
    int64_t outer = deadline,
            own = limit_ms > 0 ? monotonic_ns() + (int64_t)(fmin(limit_ms, 1e9) * 1e6) : 0;
    if (own != 0 && (outer == 0 || own < outer)) deadline = own;
    return outer;
}

void engine_restore_deadline(int64_t outer) {
    deadline = outer;
}

/* Every few thousand steps of JavaScript: others run, signals strike, limits end the process. */
static int on_interrupt(JSContext *ctx, void *opaque) {
    (void)ctx, (void)opaque;
    if (!awake) return 0;
    memory_restock();
    if (output_pending()) output_flush();
    pf_yield();
    return deadline != 0 && monotonic_ns() > deadline;
}

#define FOREVER_MS 1000000000000 /* thirty years: such times add up without overflow */

/* Atomics.wait(): as no thread could wake this one, it always takes its time. */
static void wait_for(int64_t ms) {
    if (ms > FOREVER_MS) ms = FOREVER_MS;
    output_flush();
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) pf_yield();
}

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled,
                         void *opaque) {
    (void)opaque;
    for (size_t i = 0; handled && i < rejections.count; i += 2) {
        if (JS_VALUE_GET_PTR(rejections.items[i]) != JS_VALUE_GET_PTR(promise)) continue;
        JS_FreeValue(ctx, rejections.items[i]);
        JS_FreeValue(ctx, rejections.items[i + 1]);
        rejections.count -= 2;
        memmove(&rejections.items[i], &rejections.items[i + 2],
                (rejections.count - i) * sizeof *rejections.items);
        return;
    }
    if (rejections.count == rejections.size) {
        size_t size = rejections.size ? rejections.size * 2 : 16;
        JSValue *items = realloc(rejections.items, size * sizeof *items);
        if (!items) return; /* out of memory: the rejection goes unreported, the program goes on */
        rejections.items = items;
        rejections.size = size;
    }
    rejections.items[rejections.count++] = JS_DupValue(ctx, promise);
    rejections.items[rejections.count++] = handled ? JS_UNINITIALIZED : JS_DupValue(ctx, reason);
}

void engine_bind(JSContext *ctx, JSValueConst native, const char *name,
                 const JSCFunctionListEntry *tab, int count) {
    JSValue object = JS_NewObject(ctx);
    JS_SetPropertyFunctionList(ctx, object, tab, count);
    JS_SetPropertyStr(ctx, native, name, object);
}

JSValue engine_strings(JSContext *ctx, char **strings) {
    JSValue array = JS_NewArray(ctx);
    for (uint32_t i = 0; strings && strings[i]; i++)
        JS_SetPropertyUint32(ctx, array, i,
                             text_decode(ctx, (const uint8_t *)strings[i], strlen(strings[i])));
    return array;
}

static JSValue make_native(JSContext *ctx) {
    JSValue native = JS_NewObject(ctx);
    bind_engine(ctx, native);
    bind_fs(ctx, native);
    bind_hash(ctx, native);
    bind_inspect(ctx, native);
    bind_loop(ctx, native);
    bind_process(ctx, native);
    bind_program(ctx, native);
    bind_spawn(ctx, native);
    bind_text(ctx, native);
    bind_time(ctx, native);
    bind_tool(ctx, native);
    bind_vm(ctx, native);
    bind_zlib(ctx, native);
    bind_brotli(ctx, native);
    return native;
}

static bool take_hooks(JSContext *ctx, JSValueConst hooks) {
    struct engine_hooks *h = &engine.hooks;
    const struct {
        const char *name;
        JSValue *value;
    } table[] = {
        {"main", &h->main},   {"ticks", &h->ticks},       {"turn", &h->turn},
        {"fatal", &h->fatal}, {"rejected", &h->rejected}, {"finish", &h->finish},
        {"exit", &h->exit},   {"signal", &h->signal},     {"resolve", &h->resolve},
        {"load", &h->load},   {"global", &h->global},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *table[i].value = JS_GetPropertyStr(ctx, hooks, table[i].name);
        if (!JS_IsFunction(ctx, *table[i].value)) {
            JS_ThrowTypeError(ctx, "the library has no hook '%s'", table[i].name);
            return false;
        }
    }
    return true;
}

static bool run_library(JSContext *ctx) {
    JSValue boot = library_load(ctx, "boot");
    if (JS_IsException(boot)) return false;
    JSValue hooks = JS_NewObject(ctx), native = make_native(ctx);
    JSValue args[] = {hooks, JS_UNDEFINED, JS_UNDEFINED, native};
    JSValue result = JS_Call(ctx, boot, JS_UNDEFINED, 4, args);
    bool ok = !JS_IsException(result) && take_hooks(ctx, hooks);
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, boot);
    JS_FreeValue(ctx, hooks);
    JS_FreeValue(ctx, native);
    return ok;
}

static void complain(JSContext *ctx) {
    JSValue error = JS_GetException(ctx), stack = JS_GetPropertyStr(ctx, error, "stack");
    const char *message = JS_ToCString(ctx, error), *where = JS_ToCString(ctx, stack);
    fprintf(stderr, "js: %s\n%s", message ? message : "unknown error", where ? where : "");
    JS_FreeCString(ctx, message);
    JS_FreeCString(ctx, where);
    JS_FreeValue(ctx, stack);
    JS_FreeValue(ctx, error);
}

JSContext *engine_new_context(JSRuntime *rt) {
    JSContext *ctx = JS_NewContextRaw(rt);
    if (!ctx) return NULL;
    if (JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) || JS_AddIntrinsicEval(ctx) ||
        JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) || JS_AddIntrinsicProxy(ctx) ||
        JS_AddIntrinsicMapSet(ctx) || JS_AddIntrinsicTypedArrays(ctx) ||
        JS_AddIntrinsicPromise(ctx) || JS_AddIntrinsicWeakRef(ctx)) {
        JS_FreeContext(ctx);
        return NULL;
    }
    return ctx;
}

bool engine_boot(void) {
    engine.runtime = JS_NewRuntime2(&memory_functions, NULL);
    if (!engine.runtime) {
        fprintf(stderr, "js: out of memory\n");
        return false;
    }
    JS_SetMaxStackSize(engine.runtime, STACK_BYTES);
    JS_SetInterruptHandler(engine.runtime, on_interrupt, NULL);
    JS_SetCanBlock(engine.runtime, true);
    quickjs_wait = wait_for;
    JS_SetHostPromiseRejectionTracker(engine.runtime, on_rejection, NULL);
    module_init(engine.runtime);
    engine.context = engine_new_context(engine.runtime);
    if (!engine.context) {
        fprintf(stderr, "js: out of memory\n");
        return false;
    }
    quickjs_keep_spare_error(engine.context);
    if (!run_library(engine.context) || !global_init(engine.context)) {
        complain(engine.context);
        return false;
    }
    JS_RunGC(engine.runtime);
    /* A small program finds memory there: to grow it costs more than to zero it. */
    free(malloc(ROOM_BYTES));
    return true;
}

void engine_wake(void) {
    uint64_t seed;
    awake = true;
    JS_UpdateStackTop(engine.runtime);
    pf_random(&seed, sizeof seed);
    quickjs_seed(engine.context, seed);
}

bool engine_fatal(const char *origin) {
    JSContext *ctx = engine.context;
    JSValue args[] = {JS_GetException(ctx), JS_NewString(ctx, origin)};
    JS_ResetUncatchableError(ctx);
    JSValue result = JS_Call(ctx, engine.hooks.fatal, JS_UNDEFINED, 2, args);
    JS_FreeValue(ctx, args[0]);
    JS_FreeValue(ctx, args[1]);
    if (JS_IsException(result)) { /* memory is out, or the handler itself threw */
        output_flush();
        complain(ctx);
        return false;
    }
    return JS_ToBool(ctx, result) > 0;
}

bool engine_call(JSValueConst hook, int argc, JSValueConst *argv) {
    JSValue result = JS_Call(engine.context, hook, JS_UNDEFINED, argc, argv);
    bool ok = !JS_IsException(result) || engine_fatal("uncaughtException");
    JS_FreeValue(engine.context, result);
    return ok;
}

bool engine_ask(JSValueConst hook, double *answer) {
    JSValue result = JS_Call(engine.context, hook, JS_UNDEFINED, 0, NULL);
    *answer = 0;
    bool ok = !JS_IsException(result);
    if (ok)
        JS_ToFloat64(engine.context, answer, result);
    else
        ok = engine_fatal("uncaughtException"), *answer = NAN; /* a macrotask ran */
    JS_FreeValue(engine.context, result);
    return ok;
}

/* One rejection at a time: its handler may handle, or make, others. */
static bool report_rejection(JSContext *ctx) {
    JSValue args[] = {rejections.items[0], rejections.items[1], JS_FALSE};
    if (JS_VALUE_GET_TAG(args[1]) == JS_TAG_UNINITIALIZED) {
        args[1] = JS_UNDEFINED;
        args[2] = JS_TRUE;
    }
    rejections.count -= 2;
    memmove(rejections.items, rejections.items + 2, rejections.count * sizeof *rejections.items);
    JSValue result = JS_Call(ctx, engine.hooks.rejected, JS_UNDEFINED, 3, args);
    bool ok =
        JS_IsException(result) ? engine_fatal("unhandledRejection") : JS_ToBool(ctx, result) > 0;
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, args[0]);
    JS_FreeValue(ctx, args[1]);
    return ok;
}

bool engine_jobs(void) {
    quickjs_set_context(engine.context, JS_UNDEFINED); /* of the macrotask that is over */
    quickjs_forget_thrown_context(engine.context);
    for (;;) {
        bool due = ticks_due;
        ticks_due = false;
        if (due && !engine_call(engine.hooks.ticks, 0, NULL)) return false;
        JSContext *ctx;
        int ran = 0, result;
        while ((result = JS_ExecutePendingJob(engine.runtime, &ctx)) > 0) ran++;
        if (result < 0 && !engine_fatal("uncaughtException")) return false;
        if (ran > 0 || result < 0) continue; /* the jobs may have made ticks */
        if (rejections.count == 0) return true;
        if (!report_rejection(engine.context)) return false;
    }
}

_Noreturn void engine_exit(int status) {
    output_flush();
    if (output_lost() != 0) {
        fprintf(stderr, "js: output was lost: %s\n", strerror(output_lost()));
        if (status == 0) status = 1;
    }
    exit(status & 0xff);
}

static JSValue native_gc(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JS_RunGC(JS_GetRuntime(ctx));
    return JS_UNDEFINED;
}

/* due(): there are ticks to run */
static JSValue native_due(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    ticks_due = true;
    return JS_UNDEFINED;
}

static JSValue native_context(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return quickjs_context(ctx);
}

static JSValue native_set_context(JSContext *ctx, JSValueConst this_val, int argc,
                                  JSValueConst *argv) {
    (void)this_val, (void)argc;
    quickjs_set_context(ctx, argv[0]);
    return JS_UNDEFINED;
}

static JSValue native_thrown_context(JSContext *ctx, JSValueConst this_val, int argc,
                                     JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    return quickjs_thrown_context(ctx);
}

static JSValue promise_hook; /* what setPromiseHook() was given, while there is one */

static void call_promise_hook(JSContext *ctx, JSPromiseHookType type, JSValueConst promise,
                              JSValueConst parent, void *opaque) {
    (void)opaque;
    JSValue args[] = {JS_NewInt32(ctx, type), JS_DupValue(ctx, promise), JS_DupValue(ctx, parent)};
    JSValue hook = JS_DupValue(ctx, promise_hook); /* it may disable itself */
    JSValue result = JS_Call(ctx, hook, JS_UNDEFINED, 3, args);
    if (JS_IsException(result)) JS_FreeValue(ctx, JS_GetException(ctx)); /* memory ran out */
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, hook);
    for (int i = 0; i < 3; i++) JS_FreeValue(ctx, args[i]);
}

/* setPromiseHook(f or undefined): f(event, promise, parent) is called for each promise's events, as
 * JSPromiseHookType numbers them */
static JSValue native_set_promise_hook(JSContext *ctx, JSValueConst this_val, int argc,
                                       JSValueConst *argv) {
    (void)this_val, (void)argc;
    static bool has_hook;
    JSRuntime *rt = JS_GetRuntime(ctx);
    JS_SetPromiseHook(rt, NULL, NULL);
    if (has_hook) JS_FreeValue(ctx, promise_hook);
    has_hook = JS_IsFunction(ctx, argv[0]);
    if (has_hook) {
        promise_hook = JS_DupValue(ctx, argv[0]);
        JS_SetPromiseHook(rt, call_promise_hook, NULL);
    }
    return JS_UNDEFINED;
}

/* define(object, name, value): as an assignment makes it, but not enumerable */
static JSValue native_define(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[1]);
    if (!name) return JS_EXCEPTION;
    int done = JS_DefinePropertyValueStr(ctx, argv[0], name, JS_DupValue(ctx, argv[2]),
                                         JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    JS_FreeCString(ctx, name);
    return done < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static JSValue native_keep(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    return quickjs_keep_context(ctx, argv[0]);
}

static JSValue native_library(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name) return JS_EXCEPTION;
    JSValue result = library_load(ctx, name);
    if (!awake) library_forget(name);
    JS_FreeCString(ctx, name);
    return result;
}

static JSValue native_memory(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc, (void)argv;
    JSMemoryUsage usage;
    JS_ComputeMemoryUsage(JS_GetRuntime(ctx), &usage);
    return JS_NewInt64(ctx, usage.malloc_size);
}

static JSValue native_set_stack_maker(JSContext *ctx, JSValueConst this_val, int argc,
                                      JSValueConst *argv) {
    (void)this_val, (void)argc;
    quickjs_set_stack_maker(ctx, argv[0]);
    return JS_UNDEFINED;
}

void bind_engine(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("context", 0, native_context),
        JS_CFUNC_DEF("define", 3, native_define),
        JS_CFUNC_DEF("due", 0, native_due),
        JS_CFUNC_DEF("gc", 0, native_gc),
        JS_CFUNC_DEF("keep", 1, native_keep),
        JS_CFUNC_DEF("library", 1, native_library),
        JS_CFUNC_DEF("memory", 0, native_memory),
        JS_CFUNC_DEF("setContext", 1, native_set_context),
        JS_CFUNC_DEF("setPromiseHook", 1, native_set_promise_hook),
        JS_CFUNC_DEF("setStackMaker", 1, native_set_stack_maker),
        JS_CFUNC_DEF("thrownContext", 0, native_thrown_context),
        JS_PROP_STRING_DEF("version", "0.18.0", 0)};
    engine_bind(ctx, native, "engine", functions, sizeof functions / sizeof *functions);
}
