/*
 * module.h: what bind_program.c offers of module.c to the library.
 *
 * A main module is compiled and evaluated in two steps, so that a text can be tried as a module
 * without running it.
 */
#ifndef JS_MODULE_H
#define JS_MODULE_H

#include "quickjs.h"

/* compile(source, filename, meta): keeps the module for evaluate(); throws SyntaxError, or what the
 * resolution of its imports threw. */
JSValue module_compile(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
/* evaluate(): a promise */
JSValue module_evaluate(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
/* import(file): a promise of the namespace of another module */
JSValue module_import(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);

#endif
