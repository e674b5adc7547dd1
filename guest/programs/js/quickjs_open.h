/*
 * quickjs_open.h: the few things that this program needs from inside QuickJS and that its API does
 * not offer. quickjs_open.c compiles QuickJS itself and has access to its structures.
 */
#ifndef JS_QUICKJS_OPEN_H
#define JS_QUICKJS_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

/* An allocation failed, and no handler has been told yet: set by the allocator. The next error,
 * whatever it is about, is "out of memory" then; its delivery clears this. */
extern bool quickjs_memory_failed;

/* Makes the error that is thrown when memory does not even suffice for one. Once, while booting. */
void quickjs_keep_spare_error(JSContext *ctx);

/* Lets `ms` milliseconds pass, for Atomics.wait(); set by the program before it runs any. */
extern void (*quickjs_wait)(int64_t ms);

/* The global object that scripts of a context have from now on; it may be a Proxy
 * (adapt_global.py). */
void quickjs_set_global(JSContext *ctx, JSValueConst object);

/* Seeds Math.random(). */
void quickjs_seed(JSContext *ctx, uint64_t seed);

/* JS_Eval() for a text whose first line has a number of its own, also 0. A NUL follows the text. */
JSValue quickjs_eval(JSContext *ctx, const char *text, size_t len, const char *filename, int line,
                     int flags);

/* JSON.parse() and JSON.stringify() as tools need them: an integer that a Number does not hold
 * exactly, beyond 2^53, is a BigInt. A NUL follows the text. */
JSValue quickjs_parse_exact(JSContext *ctx, const char *text, size_t len);
/* The other way: a BigInt becomes an integer. */
JSValue quickjs_stringify_exact(JSContext *ctx, JSValueConst value);

/* A promise that C settles; it has no functions that a program could call. */
JSValue quickjs_promise(JSContext *ctx);
/* Once for each: resolves it with a value, which may be a thenable. */
void quickjs_resolve(JSContext *ctx, JSValueConst promise, JSValueConst value);
/* Instead: the function that rejects it. JS_EXCEPTION: memory is out. */
JSValue quickjs_rejecter(JSContext *ctx, JSValueConst promise);

/* What an iterator of a Map or Set would still give, without moving it: an array; *pairs says that
 * keys and values alternate in it. JS_UNDEFINED for anything else. */
JSValue quickjs_iterator_rest(JSContext *ctx, JSValueConst iterator, int *pairs);

/* Functions of the program that are running, innermost first, and where: cheap to keep, for an
 * error that comes when they run no more. Unused: JS_UNDEFINED. */
#define QUICKJS_CALLERS 4
struct quickjs_callers {
    JSValue functions[QUICKJS_CALLERS];
    uint32_t pcs[QUICKJS_CALLERS];
};
/* Keeps the functions that are on the stack, for quickjs_free_callers(). */
void quickjs_keep_callers(JSContext *ctx, struct quickjs_callers *callers);
/* Drops what quickjs_keep_callers() kept. */
void quickjs_free_callers(JSContext *ctx, const struct quickjs_callers *callers);

/* Their lines, as the engine writes them in a stack; JS_EXCEPTION: memory is out. */
JSValue quickjs_callers_text(JSContext *ctx, const struct quickjs_callers *callers);

/* `function` makes the text of an error's `stack` of the error and of its frames as the engine
 * writes them. */
void quickjs_set_stack_maker(JSContext *ctx, JSValueConst function);

/* The context of AsyncLocalStorage, JS_UNDEFINED when the program has none. The caller frees it. */
JSValue quickjs_context(JSContext *ctx);
/* Sets the context; JS_UNDEFINED: there is none from here on. */
void quickjs_set_context(JSContext *ctx, JSValueConst context);
/* The same function bound to the context as it is now; without one, the function itself. The caller
 * frees it. */
JSValue quickjs_keep_context(JSContext *ctx, JSValueConst function);
/* The context in which a kept function threw, since the last macrotask began; JS_UNDEFINED when
 * none did. The caller frees it. */
JSValue quickjs_thrown_context(JSContext *ctx);
/* A macrotask begins: nothing was thrown yet. */
void quickjs_forget_thrown_context(JSContext *ctx);

#endif
