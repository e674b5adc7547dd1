/*
 * host/cpu/context.h: switching between native stacks, in a few instructions and no system call.
 *
 * A context is a stack pointer below which the callee-saved registers lie. The host's own context
 * is saved when it enters guest code; a trap, a finished process or one that parks goes back to it.
 */
#ifndef PF_CPU_CONTEXT_H
#define PF_CPU_CONTEXT_H

#include <stdint.h>

/* Saves the running context in *save and goes on with `load`, where the matching call returns
 * `value`. Returns the value of whoever switches back. */
intptr_t cpu_switch(void **save, void *load, intptr_t value);

/* Goes on with `load` and forgets the running context. */
_Noreturn void cpu_escape(void *load, intptr_t value);

/* Calls function(argument) on the stack that ends at `top` (a multiple of 16) with the context
 * saved in *save, so that cpu_escape(*save, v) returns v from here in its place. */
intptr_t cpu_guarded(void **save, intptr_t (*function)(void *), void *argument, void *top);

/* A context at the top of a fresh stack [.., top) whose first act is entry(). It must not
 * return. */
void *cpu_context(void *top, void (*entry)(void));

#endif
