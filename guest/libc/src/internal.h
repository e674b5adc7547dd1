/*
 * internal.h: declarations that the files of this libc share.
 *
 * Every system function is one message: fill it, send it, turn a negative result into errno.
 * call.c is the only way out of the program; signal handlers run there and nowhere else.
 */
#ifndef PF_LIBC_INTERNAL_H
#define PF_LIBC_INTERNAL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/limits.h"
#include "abi/message.h"
#include "abi/types.h"

/* Sends the message, runs handlers of signals that arrived, and sends it again where POSIX says
 * that the call goes on. The result: >= 0 or a negated Linux errno. */
int64_t __pf_call(struct pf_message *message);
/* The same, always with PF_MSG_UNWIND: only from stacks that are on ASYNCIFY_ONLY as a whole. */
int64_t __pf_call_unwind(struct pf_message *message);
/* Once, and without running handlers: for what runs them. */
int64_t __pf_call_plain(struct pf_message *message);
/* Ends the process without any clean-up. */
_Noreturn void __pf_exit(int status);
/* PF_MSG_UNWIND or 0: whether the program's whole stack is Asyncify's. In crt.c. */
extern uint32_t __pf_unwindable;

/* A message with fields by name: PF_SEND(READ, .arg = {fd}, .out = …). */
#define PF_SEND(NAME, ...) __pf_call(&(struct pf_message){.call = PF_CALL_##NAME, __VA_ARGS__})
#define PF_ADDRESS(pointer) ((uint32_t)(uintptr_t)(pointer))
#define PF_IN(pointer, len)  .in = PF_ADDRESS(pointer), .in_len = (uint32_t)(len)
#define PF_OUT(pointer, len) .out = PF_ADDRESS(pointer), .out_cap = (uint32_t)(len)
#define PF_PATH(path)        PF_IN(path, strlen(path))

/* A kernel result as POSIX functions give it. */
static inline int64_t __pf_result64(int64_t result) {
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
}
static inline int __pf_result(int64_t result) { return (int)__pf_result64(result); }

/* Seconds and nanoseconds to nanoseconds, as far as they go. */
#define PF_NS_PER_S 1000000000ll
static inline int64_t __pf_ns(int64_t seconds, int64_t ns) {
    int64_t total;
    if (__builtin_mul_overflow(seconds, PF_NS_PER_S, &total) ||
        __builtin_add_overflow(total, ns, &total))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return total;
}

/* Two paths in one message: "old NUL new NUL". NULL with errno ENAMETOOLONG, ENOMEM. */
struct __pf_pair {
    char *bytes;
    size_t len;
    char small[512];
};
/* 0, or -1: no memory. Uses `small` where that is enough. */
int __pf_pair_make(struct __pf_pair *pair, const char *first, const char *second);
void __pf_pair_free(struct __pf_pair *pair); /* Frees what __pf_pair_make() allocated. */

/* lock.c: F_SETLK and its like, of fcntl(). */
struct flock;
int __pf_record_lock(int fd, int command, struct flock *lock);

/* Runs the handlers of caught signals. In signal.c; absent in programs that never catch any. */
__attribute__((weak)) void __pf_deliver_signals(void);

#endif
