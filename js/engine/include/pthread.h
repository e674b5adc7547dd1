/*
 * js/engine/include/pthread.h: the locks of host/, for a module that has one thread.
 */
#ifndef PF_ENGINE_PTHREAD_H
#define PF_ENGINE_PTHREAD_H

typedef int pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes) {
    (void)attributes;
    *mutex = 0;
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) { return (void)mutex, 0; }

/* Of tests: a thread runs to its end when it is made. */
typedef void *pthread_t; /* what it returned */
static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *),
                                 void *argument) {
    (void)attributes;
    *thread = start(argument);
    return 0;
}
static inline int pthread_join(pthread_t thread, void **result) {
    if (result) *result = thread;
    return 0;
}

#endif
