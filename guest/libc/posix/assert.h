/*
 * assert.h: assertions (C11 7.2). As wasi-libc's, but a file is named without its folders, so that
 * an image is the same wherever the tree lies and however the compiler was called.
 *
 * No include guard: each inclusion takes the NDEBUG that is defined there.
 */
#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression)                                                                         \
    ((void)((expression) || (__assert_fail(#expression, __FILE_NAME__, __LINE__, __func__), 0)))
#endif

#ifndef static_assert
#define static_assert _Static_assert
#endif

_Noreturn void __assert_fail(const char *expression, const char *file, int line,
                             const char *function);
