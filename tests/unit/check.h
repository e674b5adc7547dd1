/*
 * tests/unit/check.h: the few words a unit test needs. A test file is one program: CHECK as often
 * as it likes, then `return check_report()`.
 */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int check_passed, check_failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (condition) {                                                                           \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
        }                                                                                          \
    } while (0)

/* Both as int64_t; the message shows them. */
#define CHECK_EQ(actual, wanted)                                                                   \
    do {                                                                                           \
        int64_t actual_ = (actual), wanted_ = (wanted);                                            \
        if (actual_ == wanted_) {                                                                  \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %s (%" PRId64 ")\n", __FILE__,          \
                    __LINE__, #actual, actual_, #wanted, wanted_);                                 \
        }                                                                                          \
    } while (0)

static inline int check_report(void) {
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed != 0;
}

#endif
