/* random.c: the sandbox's random stream, seeded by the embedder. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#include "internal.h"
#include "pf.h"

static int64_t fill(void *buf, size_t len) {
    for (size_t done = 0; done < len;) {
        uint32_t now = len - done < PF_IO_MAX ? (uint32_t)(len - done) : PF_IO_MAX;
        int64_t n = PF_SEND(RANDOM, PF_OUT((char *)buf + done, now));
        if (n < 0) return n;
        done += (size_t)n;
    }
    return 0;
}

void pf_random(void *buf, size_t len) {
    if (fill(buf, len) < 0) abort();
}

ssize_t getrandom(void *buf, size_t len, unsigned flags) {
    (void)flags;
    int64_t result = fill(buf, len);
    return result < 0 ? __pf_result(result) : (ssize_t)len;
}
int getentropy(void *buf, size_t len) {
    if (len > 256) {
        errno = EIO;
        return -1;
    }
    return __pf_result(fill(buf, len));
}

uint32_t arc4random(void) {
    uint32_t value;
    pf_random(&value, sizeof value);
    return value;
}
void arc4random_buf(void *buf, size_t len) { pf_random(buf, len); }
uint32_t arc4random_uniform(uint32_t bound) {
    if (bound < 2) return 0;
    uint32_t value, low = -bound % bound; /* what makes the range a multiple of bound */
    do value = arc4random();
    while (value < low);
    return value % bound;
}
