/*
 * engine.h: the JavaScript engine of this program, shared by every file in this folder.
 *
 * One runtime, one context, one process. The library (lib/) is loaded while the program boots and
 * leaves behind a few functions, the hooks, through which C enters JavaScript: nothing else in C
 * knows names that live in JavaScript. In the other direction each bind_*.c puts one object of
 * functions on `native`, which only the library sees.
 *
 * Bindings report a failed system call by returning -errno as a number; the library makes Node's
 * errors of it. They throw only for wrong arguments and for want of memory.
 */
#ifndef JS_ENGINE_H
#define JS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

/* What the library answers to; filled by engine_boot(), read-only afterwards. */
struct engine_hooks {
    JSValue main;     /* (argv): starts the user's program */
    JSValue ticks;    /* (): runs process.nextTick callbacks until none is left */
    JSValue turn;     /* (): runs one due macrotask and answers NaN; when none is due in this round,
                         how long the loop may wait, in milliseconds: w >= 0 (Infinity: for ever),
                         or -1 - w when no timer, child or the like keeps the process alive */
    JSValue fatal;    /* (error, origin): reports an uncaught error; true when a handler took it */
    JSValue rejected; /* (promise, reason, late): a rejection that nobody handled, or too late */
    JSValue finish;   /* (): beforeExit; true when that made new work */
    JSValue exit;     /* (): 'exit' handlers; returns the exit status */
    JSValue signal;   /* (number): a caught signal */
    JSValue resolve;  /* (specifier, referrer): file name or "node:name" of an ES module */
    JSValue load;     /* (name, attributes): what stands behind it */
    JSValue global;   /* (name): a tool under a name that no global has; undefined for none */
};

struct engine {
    JSRuntime *runtime;
    JSContext *context;
    struct engine_hooks hooks;
};
extern struct engine engine;

/* Makes runtime and context and evaluates the library. Observes nothing outside this program.
 * False: the library is broken or memory ran out, and the reason is on stderr. */
bool engine_boot(void);

/* As JS_NewContext(), without `performance`, which would look at the clock. NULL: out of memory. */
JSContext *engine_new_context(JSRuntime *rt);

/* JavaScript that runs longer than this from now on gets InternalError "interrupted"; 0 leaves it
 * at the time that an outer caller set. Answers what engine_restore_deadline() takes. */
int64_t engine_deadline(double limit_ms);
/* Ends what set the deadline; `outer` is what it returned. */
void engine_restore_deadline(int64_t outer);

/* What a process does first after it was copied from the booted one: random seed, stack bounds. */
void engine_wake(void);

/* Calls a hook and drops its result. False when it threw; the error was reported and the process is
 * to end with status 1. */
bool engine_call(JSValueConst hook, int argc, JSValueConst *argv);
/* As engine_call(), for hooks that answer with a truth value or a number. */
bool engine_ask(JSValueConst hook, double *answer);

/* Runs ticks and promise jobs until none is left, then looks for unhandled rejections. False: an
 * error ended the program. */
bool engine_jobs(void);

/* The pending exception goes to the fatal hook. True when a handler of the program took it. */
bool engine_fatal(const char *origin);

/* Ends the process: buffered output first. Output that was lost is a failure, too. Never returns.
 */
_Noreturn void engine_exit(int status);

/* A NULL-terminated list of strings as an array. */
JSValue engine_strings(JSContext *ctx, char **strings);

/* Properties of the `native` object, one function per file of bindings. */
typedef void binding(JSContext *ctx, JSValueConst native);
binding bind_brotli, bind_engine, bind_fs, bind_hash, bind_inspect, bind_loop, bind_process,
    bind_program, bind_spawn, bind_text, bind_time, bind_tool, bind_vm, bind_zlib;

/* Defines `tab` as the property `name` of `native`. */
void engine_bind(JSContext *ctx, JSValueConst native, const char *name,
                 const JSCFunctionListEntry *tab, int count);

/* module.c: installs the loader of ES modules. */
void module_init(JSRuntime *rt);

/* global.c: the object behind globalThis that finds tools by name. */
bool global_init(JSContext *ctx);

/* library.c: the function (exports, require, module, native) of a library file; JS_UNDEFINED for a
 * name that is not embedded. */
JSValue library_load(JSContext *ctx, const char *name);
/* Zeroes the bytes of a file that will not be loaded again. */
void library_forget(const char *name);

/* bind_text.c: arguments and results as bytes. */

/* The bytes of an ArrayBuffer, typed array or DataView; false (and an exception) otherwise.
 * Borrowed from `value`, valid until JavaScript runs again. */
bool text_bytes(JSContext *ctx, JSValueConst value, uint8_t **data, size_t *len);
/* A string as UTF-8 with lone surrogates replaced; js_free() it. NULL with an exception. */
char *text_utf8(JSContext *ctx, JSValueConst value, size_t *len);
/* UTF-8 to a string, invalid sequences replaced as the Encoding Standard says. */
JSValue text_decode(JSContext *ctx, const uint8_t *data, size_t len);

/* bind_zlib.c: an ArrayBuffer that owns `out`, of which `used` bytes count. */
JSValue zlib_output(JSContext *ctx, uint8_t *out, size_t used);

/* output.c: standard output and error, in the order they were written. */

/* Appends to the stream (1 or 2); 0 or -errno of an earlier write to it that failed. */
int output_write(int fd, const char *data, size_t len);
/* Writes what is buffered. 0 or -errno. */
int output_flush(void);
bool output_pending(void); /* Is something buffered? */
/* The errno of the first write that failed, whoever made it; 0: all of the output has arrived. */
int output_lost(void);

#endif
