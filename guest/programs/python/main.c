/*
 * main.c: python3, which is CPython 3.11 on guest/libc. README.md maps the folder.
 *
 * Which waits are plain bytes: waits.h.
 */
#include <Python.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot.h"
#include "pf.h"
#include "threads.h"

int python_steps = PYTHON_TURN;

/* Others run, signals arrive, limits strike. A handler that ran has set CPython's own flag. */
void python_turn(void) {
    python_steps = PYTHON_TURN;
    pf_yield();
    python_slice();
}

/* libbz2 without stdio asks for this when it finds itself damaged. */
void bz_internal_error(int number) {
    (void)number;
    Py_FatalError("bzip2: internal error");
}

/* The library is without shared caches; turning them off is no mistake. */
int sqlite3_enable_shared_cache(int on) {
    return on ? 1 /* SQLITE_ERROR */ : 0;
}

/* Options of the embedder's runs: its text, or its texts. */
static void take_run(int *argc, char ***argv) {
    static char *run[] = {"python3", "-c", "import _cell; _cell.run()", NULL};
    static char *session[] = {"python3", "-c", "import _cell; _cell.session()", NULL};
    bool is_run = *argc == 2 && strcmp((*argv)[1], "--run") == 0;
    if (!is_run && !(*argc == 2 && strcmp((*argv)[1], "--session") == 0)) return;
    *argc = 3;
    *argv = is_run ? run : session;
}

/* The image is started twice: one has a clock and boots, the other asks for its arguments at once. */
static bool is_to_boot(void) {
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0;
}

__attribute__((noinline)) int run_woken(int argc, char **argv) {
    (void)argc, (void)argv;
    return Py_RunMain();
}

int main(int argc, char **argv) {
    pf_set_unwindable(0);
    if (argc == 0) {
        if (is_to_boot()) python_boot();
        pf_booted(&argc, &argv);
    }
    char **given = argv;
    take_run(&argc, &argv);
    if (!python_booted) return python_threads_run(Py_BytesMain, argc, argv);
    if (python_wake(argc, argv)) return python_threads_run(run_woken, argc, argv);
    execv(PYTHON_BARE, given);
    fprintf(stderr, "%s: %s: %s\n", given[0], PYTHON_BARE, strerror(errno));
    return 126;
}
