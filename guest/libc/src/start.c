/*
 * start.c: arguments, environment and applet name, from the start block (abi/types.h).
 *
 * The block stays where it is: argv, environ and pf_applet() point into it.
 */
#include <stdlib.h>

#include "internal.h"
#include "pf.h"
#include "start.h"

extern char **environ;

/* Most processes fit; a longer block goes to the heap. */
static union {
    struct pf_start_block block;
    char bytes[1024];
} small;

static const char *applet = "";

const char *pf_applet(void) { return applet; }

/* The arguments cannot be had: nothing to report it to. */
static _Noreturn void fail(void) { __pf_exit(127); }

static char **strings(char **at, uint32_t count, char **cursor) {
    for (uint32_t i = 0; i < count; i++) {
        *at++ = *cursor;
        *cursor += strlen(*cursor) + 1;
    }
    *at++ = NULL;
    return at;
}

__attribute__((noinline)) void __pf_load_args(int *argc, char ***argv) {
    struct pf_message message = {.call = PF_CALL_ARGS, PF_OUT(&small, sizeof small)};
    int64_t len = __pf_call_unwind(&message);
    if (len < (int64_t)sizeof small.block) fail();
    struct pf_start_block *block = &small.block;
    if (len > (int64_t)sizeof small) {
        block = malloc((size_t)len);
        if (!block) fail();
        memcpy(block, &small, sizeof small);
        for (int64_t at = message.out_len; at < len; at += message.out_len) {
            message = (struct pf_message){.call = PF_CALL_ARGS, .arg = {at},
                                          PF_OUT((char *)block + at, len - at)};
            if (__pf_call(&message) != len || !message.out_len) fail();
        }
    }
    char **pointers = malloc((block->argc + block->envc + 2) * sizeof *pointers);
    if (!pointers) fail();
    char *cursor = (char *)(block + 1);
    applet = cursor;
    cursor += strlen(cursor) + 1; /* the path executed follows; nobody has asked for it yet */
    cursor += strlen(cursor) + 1;
    *argc = (int)block->argc;
    *argv = pointers;
    environ = strings(pointers, block->argc, &cursor);
    strings(environ, block->envc, &cursor);
    extern char *program_invocation_name, *program_invocation_short_name;
    if (block->argc) {
        program_invocation_name = program_invocation_short_name = pointers[0];
        for (char *p = pointers[0]; *p; p++)
            if (*p == '/') program_invocation_short_name = p + 1;
    }
}
