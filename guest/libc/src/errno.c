/*
 * errno.c: the two error numbers and the texts.
 *
 * wasi-libc's own objects (strtol, mbrtowc, fopen …) store WASI numbers in the symbol `errno`.
 * Everything here and in programs goes through __pf_errno(), which takes over what they left.
 * Numbers and texts are Linux's, from abi/errno.def.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wasi/api.h>

#include "abi/types.h"

_Thread_local int errno; /* wasi-libc's: 0, or a WASI number that was not translated yet */

static int linux_errno;

static const uint8_t from_wasi[] = {
#define N(name) [__WASI_ERRNO_##name] = PF_E##name
    [__WASI_ERRNO_2BIG] = PF_E2BIG,
    N(ACCES), N(ADDRINUSE), N(ADDRNOTAVAIL), N(AFNOSUPPORT), N(AGAIN), N(ALREADY), N(BADF),
    N(BADMSG), N(BUSY), N(CANCELED), N(CHILD), N(CONNABORTED), N(CONNREFUSED), N(CONNRESET),
    N(DEADLK), N(DESTADDRREQ), N(DOM), N(DQUOT), N(EXIST), N(FAULT), N(FBIG), N(HOSTUNREACH),
    N(IDRM), N(ILSEQ), N(INPROGRESS), N(INTR), N(INVAL), N(IO), N(ISCONN), N(ISDIR), N(LOOP),
    N(MFILE), N(MLINK), N(MSGSIZE), N(MULTIHOP), N(NAMETOOLONG), N(NETDOWN), N(NETRESET),
    N(NETUNREACH), N(NFILE), N(NOBUFS), N(NODEV), N(NOENT), N(NOEXEC), N(NOLCK), N(NOLINK),
    N(NOMEM), N(NOMSG), N(NOPROTOOPT), N(NOSPC), N(NOSYS), N(NOTCONN), N(NOTDIR), N(NOTEMPTY),
    N(NOTRECOVERABLE), N(NOTSOCK), N(NOTTY), N(NXIO), N(OVERFLOW), N(OWNERDEAD), N(PERM),
    N(PIPE), N(PROTO), N(PROTONOSUPPORT), N(PROTOTYPE), N(RANGE), N(ROFS), N(SPIPE), N(SRCH),
    N(STALE), N(TIMEDOUT), N(TXTBSY), N(XDEV),
    [__WASI_ERRNO_NOTSUP] = PF_EOPNOTSUPP,
    [__WASI_ERRNO_NOTCAPABLE] = PF_EPERM,
#undef N
};

int *__pf_errno(void) {
    if (__builtin_expect(errno, 0)) {
        unsigned left = (unsigned)errno;
        errno = 0;
        linux_errno = left < sizeof from_wasi && from_wasi[left] ? from_wasi[left] : PF_EINVAL;
    }
    return &linux_errno;
}

static const struct {
    int number;
    const char *text;
} texts[] = {
    {0, "Success"},
#define X(number, name, text) {number, text},
#include "abi/errno.def"
#undef X
};

char *strerror(int number) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].number == number) return (char *)texts[i].text;
    static char unknown[40];
    snprintf(unknown, sizeof unknown, "Unknown error %d", number);
    return unknown;
}

/* The GNU one: the text, which may or may not be in `buf`. */
char *strerror_r(int number, char *buf, size_t size) {
    (void)buf;
    (void)size;
    return strerror(number);
}

void perror(const char *what) {
    const char *text = strerror(*__pf_errno());
    if (what && *what) fprintf(stderr, "%s: %s\n", what, text);
    else fprintf(stderr, "%s\n", text);
}
