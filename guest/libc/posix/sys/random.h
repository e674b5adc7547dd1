/* sys/random.h: the sandbox's random stream, seeded by the embedder. */
#ifndef PF_POSIX_SYS_RANDOM_H
#define PF_POSIX_SYS_RANDOM_H

#define __NEED_size_t
#define __NEED_ssize_t
#include <bits/alltypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRND_NONBLOCK 1
#define GRND_RANDOM   2
ssize_t getrandom(void *, size_t, unsigned);
int getentropy(void *, size_t);

#ifdef __cplusplus
}
#endif

#endif
