/*
 * tests/api/harness.h: what the tests of the C interface share: a few checks, a way to run a text.
 *
 * A test program is one executable; it prints each failure with its place and, last, a line
 * `N passed, N failed`.
 */
#ifndef PF_TEST_HARNESS_H
#define PF_TEST_HARNESS_H

#include "pinfold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int checks_passed, checks_failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (condition) checks_passed++;                                                            \
        else {                                                                                     \
            checks_failed++;                                                                       \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
        }                                                                                          \
    } while (0)

/* Fails with both texts shown. */
void check_text(const char *file, int line, const char *got, const char *want);
#define CHECK_TEXT(got, want) check_text(__FILE__, __LINE__, got, want)

/* Dies when the call does not give PF_OK: the rest of the test would make no sense. */
void must(const char *file, int line, pf_status status, const pf_error *error);
#define MUST(call) must(__FILE__, __LINE__, (call), &test_error)
extern pf_error test_error;

/* A sandbox in which every tool named in `tools` (space-separated) is declared and granted. */
pf_sandbox *make_sandbox(const char *tools);
pf_options *make_options(const char *tools);
/* Starts a text and, where it needs no answers, runs it to its end. */
void start(pf_sandbox *sandbox, const char *language, const char *code);
const pf_result *run(pf_sandbox *sandbox, const char *language, const char *code);
/* Checks stdout and exit code; prints stderr when they differ. */
void check_run(const char *file, int line, pf_sandbox *sandbox, const char *language,
               const char *code, const char *want_stdout, int want_status);
#define CHECK_RUN(sandbox, language, code, out, status)                                            \
    check_run(__FILE__, __LINE__, sandbox, language, code, out, status)

/* Prints how many checks passed and failed; the exit status of the test. */
int finish_tests(void);

#endif
