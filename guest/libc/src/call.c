/*
 * call.c: the program's only way out.
 *
 * Signals that the program catches arrive here: a reply says PF_MSG_SIGNAL, and the handlers run
 * before the call returns, when no message is being made. A call that was woken by them fails with
 * EINTR, or, when all of them were set with SA_RESTART, with ERESTART, which never leaves this
 * file: the message is sent again.
 */
#include "internal.h"

__attribute__((import_module("pf"), import_name("call"))) void
__pf_import_call(struct pf_message *message);

int64_t __pf_call_plain(struct pf_message *message) {
    message->flags = __pf_unwindable;
    __pf_import_call(message);
    return message->result;
}

__attribute__((noinline)) int64_t __pf_call(struct pf_message *message) {
    for (;;) {
        message->flags = __pf_unwindable;
        __pf_import_call(message);
        int64_t result = message->result;
        if (message->flags & PF_MSG_SIGNAL && __pf_deliver_signals) __pf_deliver_signals();
        if (result != -PF_ERESTART) return result;
    }
}

/* On the ASYNCIFY_ONLY list of every engine (cmake/wasm_image.py), so it must call nothing that
 * waits but the import: handlers may, so they are run by the caller's next ordinary call. */
__attribute__((noinline)) int64_t __pf_call_unwind(struct pf_message *message) {
    for (;;) {
        message->flags = PF_MSG_UNWIND;
        __pf_import_call(message);
        if (message->result != -PF_ERESTART) return message->result;
        if (__pf_deliver_signals) __pf_deliver_signals();
    }
}

/* Not Asyncify's (cmake/wasm_image.py): it never returns, so it never needs to be unwound. */
__attribute__((noinline)) _Noreturn void __pf_exit(int status) {
    struct pf_message message = {.call = PF_CALL_EXIT, .arg = {status & 0xff}};
    __pf_import_call(&message);
    __builtin_trap();
}
