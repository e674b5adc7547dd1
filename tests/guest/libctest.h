/* libctest.h: what the files of libctest share. */
#ifndef LIBCTEST_H
#define LIBCTEST_H

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) fail(__LINE__, #condition);                                              \
    } while (0)

/* Says what does not hold, and counts it. */
void fail(int line, const char *what);

/* A section of a file of its own. */
void search(void);

#endif
