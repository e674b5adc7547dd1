/* lock.c: locks of files. */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <unistd.h>

#include "internal.h"

/* On the list of Python (guest/programs/python): calls nothing that waits but the kernel. */
__attribute__((noinline)) int __pf_record_lock(int fd, int command, struct flock *lock) {
    bool of_file = command >= F_OFD_GETLK;
    int how = command - (of_file ? F_OFD_GETLK : F_GETLK);
    if (!lock || lock->l_type < F_RDLCK || lock->l_type > F_UNLCK || lock->l_whence < 0) {
        errno = lock ? EINVAL : EFAULT;
        return -1;
    }
    struct pf_lock given = {.type = (uint32_t)lock->l_type, .whence = (uint32_t)lock->l_whence,
                            .start = lock->l_start, .len = lock->l_len}, answer;
    struct pf_message message = {.call = PF_CALL_LOCK,
                                 .arg = {fd, how, of_file},
                                 PF_IN(&given, sizeof given),
                                 PF_OUT(&answer, sizeof answer)};
    int result = __pf_result(__pf_call(&message));
    if (result < 0 || how != PF_LOCK_TEST) return result;
    lock->l_type = (short)answer.type;
    if (answer.type == PF_LOCK_NONE) return 0;
    lock->l_whence = (short)answer.whence;
    lock->l_start = answer.start;
    lock->l_len = answer.len;
    lock->l_pid = answer.pid;
    return 0;
}

/* As above. */
__attribute__((noinline)) int flock(int fd, int operation) {
    struct pf_lock given = {0};
    switch (operation & ~LOCK_NB) {
    case LOCK_SH: given.type = PF_LOCK_READ; break;
    case LOCK_EX: given.type = PF_LOCK_WRITE; break;
    case LOCK_UN: given.type = PF_LOCK_NONE; break;
    default: errno = EINVAL; return -1;
    }
    struct pf_message message = {
        .call = PF_CALL_LOCK, PF_IN(&given, sizeof given),
        .arg = {fd, operation & LOCK_NB ? PF_LOCK_SET : PF_LOCK_WAIT, PF_LOCK_OF_WHOLE}};
    return __pf_result(__pf_call(&message));
}

int lockf(int fd, int function, off_t size) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = size};
    switch (function) {
    case F_ULOCK: lock.l_type = F_UNLCK; return fcntl(fd, F_SETLK, &lock);
    case F_LOCK: return fcntl(fd, F_SETLKW, &lock);
    case F_TLOCK: return fcntl(fd, F_SETLK, &lock);
    case F_TEST:
        if (fcntl(fd, F_GETLK, &lock) < 0) return -1;
        if (lock.l_type == F_UNLCK || lock.l_pid == getpid()) return 0;
        errno = EACCES;
        return -1;
    default: errno = EINVAL; return -1;
    }
}
