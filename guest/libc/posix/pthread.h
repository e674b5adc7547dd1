/*
 * pthread.h: locks for code that has them. There is one thread, so every lock is free; a thread
 * cannot be made, and pthread_create() is not there.
 */
#ifndef PF_POSIX_PTHREAD_H
#define PF_POSIX_PTHREAD_H

#define __NEED_pthread_t
#define __NEED_pthread_once_t
#define __NEED_pthread_key_t
#define __NEED_pthread_attr_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_mutexattr_t
#define __NEED_pthread_cond_t
#define __NEED_pthread_condattr_t
#define __NEED_pthread_rwlock_t
#define __NEED_pthread_rwlockattr_t
#include <bits/alltypes.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTHREAD_MUTEX_INITIALIZER  {{{0}}}
#define PTHREAD_COND_INITIALIZER   {{{0}}}
#define PTHREAD_RWLOCK_INITIALIZER {{{0}}}
#define PTHREAD_ONCE_INIT          0
#define PTHREAD_MUTEX_NORMAL       0
#define PTHREAD_MUTEX_RECURSIVE    1
#define PTHREAD_MUTEX_ERRORCHECK   2
#define PTHREAD_MUTEX_DEFAULT      0

static inline pthread_t pthread_self(void) { return (pthread_t)1; }
static inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
#define PF_FREE_LOCK(name, type)                 \
    static inline int name(type *lock) {         \
        (void)lock;                              \
        return 0;                                \
    }
PF_FREE_LOCK(pthread_mutex_destroy, pthread_mutex_t)
PF_FREE_LOCK(pthread_mutex_lock, pthread_mutex_t)
PF_FREE_LOCK(pthread_mutex_trylock, pthread_mutex_t)
PF_FREE_LOCK(pthread_mutex_unlock, pthread_mutex_t)
PF_FREE_LOCK(pthread_mutexattr_init, pthread_mutexattr_t)
PF_FREE_LOCK(pthread_mutexattr_destroy, pthread_mutexattr_t)
PF_FREE_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
PF_FREE_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
PF_FREE_LOCK(pthread_rwlock_unlock, pthread_rwlock_t)
PF_FREE_LOCK(pthread_rwlock_destroy, pthread_rwlock_t)
PF_FREE_LOCK(pthread_cond_destroy, pthread_cond_t)
PF_FREE_LOCK(pthread_cond_signal, pthread_cond_t)
PF_FREE_LOCK(pthread_cond_broadcast, pthread_cond_t)
#undef PF_FREE_LOCK
static inline int pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *how) {
    (void)lock;
    (void)how;
    return 0;
}
static inline int pthread_mutexattr_settype(pthread_mutexattr_t *how, int type) {
    (void)how;
    (void)type;
    return 0;
}
static inline int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *how) {
    (void)lock;
    (void)how;
    return 0;
}
static inline int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *how) {
    (void)cond;
    (void)how;
    return 0;
}
static inline int pthread_once(pthread_once_t *once, void (*run)(void)) {
    if (!*once) {
        *once = 1;
        run();
    }
    return 0;
}

int pthread_key_create(pthread_key_t *key,
                       void (*destroy)(void *)); /* never called: no thread ends */
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

#ifdef __cplusplus
}
#endif

#endif
