/*
 * main.c: python3, which is CPython 3.11 on guest/libc. README.md maps the folder.
 *
 * Which waits are plain bytes: waits.h.
 */
#include <Python.h>

#include <string.h>

#include "pf.h"

int python_steps = PYTHON_TURN;

/* Others run, signals arrive, limits strike. A handler that ran has set CPython's own flag. */
void python_turn(void) {
    python_steps = PYTHON_TURN;
    pf_yield();
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

int main(int argc, char **argv) {
    /* The embedder's text, or its texts. */
    static char *run[] = {"python3", "-c", "import _cell; _cell.run()", NULL};
    static char *session[] = {"python3", "-c", "import _cell; _cell.session()", NULL};
    pf_set_unwindable(0);
    if (argc == 2 && strcmp(argv[1], "--run") == 0) return Py_BytesMain(3, run);
    if (argc == 2 && strcmp(argv[1], "--session") == 0) return Py_BytesMain(3, session);
    return Py_BytesMain(argc, argv);
}
