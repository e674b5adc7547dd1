/*
 * crt.c: where a program begins.
 *
 * Compiled once for each program (cmake/WasmProgram.cmake), with PF_ASYNCIFY_STACK, PF_WHOLE_STACK
 * (the whole program is Asyncify's) and PF_BOOT. The host calls pf_start() to begin, and again
 * after every wait; then Asyncify skips over everything up to the call that waited.
 *
 * Until a process makes its first PF_CALL_ARGS nothing outside it was observed: the host freezes
 * every image at that moment and starts later processes from the copy. With PF_BOOT, main(0, NULL)
 * runs first and asks for its arguments itself, through pf_booted().
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "pf.h"
#include "src/internal.h"
#include "src/start.h"

uint32_t __pf_unwindable = PF_WHOLE_STACK ? PF_MSG_UNWIND : 0;

static uint64_t stack[PF_ASYNCIFY_STACK / sizeof(uint64_t)];
static struct {
    uint32_t current, end;
} asyncify = {(uint32_t)stack, (uint32_t)(stack + PF_ASYNCIFY_STACK / sizeof(uint64_t))};

/* For the host: where Asyncify keeps the C stack of a process that waits. */
uint32_t pf_asyncify(void) { return PF_ADDRESS(&asyncify); }

/* clang's names for main(int, char **) and main(void); a program has one of them. */
__attribute__((weak)) int __main_argc_argv(int argc, char **argv);
__attribute__((weak)) int __main_void(void);
void __wasm_call_ctors(void); /* made by the linker */

__attribute__((noinline)) int __pf_run_main(int argc, char **argv) {
    if (__main_argc_argv) return __main_argc_argv(argc, argv);
    return __main_void();
}

void pf_start(void) {
    int argc = 0;
    char **argv = NULL;
    __wasm_call_ctors();
    setlocale(LC_CTYPE, "C.UTF-8"); /* as LANG says unless a program asks again */
    setvbuf(stdout, NULL, _IOFBF, 0); /* no terminal; musl would write out the first line at once */
    if (!PF_BOOT) __pf_load_args(&argc, &argv);
    exit(__pf_run_main(argc, argv));
}
