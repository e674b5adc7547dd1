/* pthread.c: values of the one thread. */
#include <errno.h>
#include <pthread.h>

#define KEYS 32
static const void *values[KEYS];
static unsigned char used[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
    (void)destroy;
    for (unsigned i = 0; i < KEYS; i++) {
        if (used[i]) continue;
        used[i] = 1;
        values[i] = NULL;
        *key = i;
        return 0;
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key) {
    if (key >= KEYS || !used[key]) return EINVAL;
    used[key] = 0;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) { return key < KEYS ? (void *)values[key] : NULL; }

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= KEYS || !used[key]) return EINVAL;
    values[key] = value;
    return 0;
}
