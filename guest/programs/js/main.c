/*
 * main.c: js, also called node: runs JavaScript as Node does.
 *
 *     js [options] [FILE | -] [arguments]      js -e CODE      js -p EXPRESSION
 *
 * The life of a process: boot (once, then copied), wake, hand the arguments to the library, which
 * starts the user's program, and the event loop until nothing is left to do. README.md in this
 * folder maps the files. What the options mean is in lib/main.js.
 */
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "loop.h"
#include "pf.h"

/* Enters the library. False: the program ended with an error that was reported. */
static bool start_program(char **argv) {
    JSContext *ctx = engine.context;
    JSValue args = engine_strings(ctx, argv);
    bool ok = engine_call(engine.hooks.main, 1, &args);
    JS_FreeValue(ctx, args);
    return ok;
}

int main(int argc, char **argv) {
    pf_set_unwindable(0);
    if (!engine_boot()) return 70;
    pf_booted(&argc, &argv);
    engine_wake();
    bool ok = start_program(argv);
    if (ok) ok = loop_run();
    double status = 1;
    JSValue failed = JS_NewBool(engine.context, !ok);
    JSValue result = JS_Call(engine.context, engine.hooks.exit, JS_UNDEFINED, 1, &failed);
    if (JS_IsException(result))
        engine_fatal("uncaughtException");
    else
        JS_ToFloat64(engine.context, &status, result);
    engine_exit((int)status);
}
