# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_signals: lines of CPython about signals that are waited for, waitid(), and the time of a thread.

A change of adapt_cpython.py's kind each.
"""

from adapt_waits import LEAF, on_entry

WORDS = "signals.h has what guest/libc has not"
SIGNALS = "Modules/signalmodule.c"

CHANGES = [
    (
        "Modules/faulthandler.c",
        "signals are blocked for a process, not for a thread",
        "#if defined(HAVE_PTHREAD_SIGMASK) && !defined(HAVE_BROKEN_PTHREAD_SIGMASK)\n    sigset_t set;\n",
        "#if 0\n    sigset_t set;\n",
    ),
    (
        SIGNALS,
        WORDS,
        "#ifdef HAVE_SIGNAL_H\n#  include <signal.h>\n#endif\n",
        '#include "signals.h"\n',
    ),
    (
        "Modules/posixmodule.c",
        WORDS,
        "#ifdef HAVE_SYS_WAIT_H\n#  include <sys/wait.h>           // WNOHANG\n#endif\n",
        '#include "signals.h"\n',
    ),
    on_entry(
        "Modules/posixmodule.c",
        "/*[clinic end generated code: output=5d2e1c0bde61f4d8 input=d8e7f76e052b7920]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/posixmodule.c",
        LEAF,
        "        res = waitid(idtype, id, &si, options);\n",
        "        res = python_waitid(on_way, idtype, id, &si, options);\n",
    ),
    on_entry(
        SIGNALS,
        "/*[clinic end generated code: output=f43770699d682f96 input=a6fbd47b1086d119]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        SIGNALS,
        LEAF,
        "    err = sigwait(&sigset, &signum);\n",
        "    siginfo_t si;\n"
        "    do signum = python_sigwait(on_way, &sigset, &si, -1);\n"
        "    while (signum < 0 && errno == EINTR);\n"
        "    err = signum < 0 ? errno : 0;\n",
    ),
    on_entry(
        SIGNALS,
        "/*[clinic end generated code: output=1eb2f1fa236fdbca input=3d1a7e1f27fc664c]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        SIGNALS,
        LEAF,
        "        err = sigwaitinfo(&sigset, &si);\n",
        "        err = python_sigwait(on_way, &sigset, &si, -1);\n",
    ),
    on_entry(
        SIGNALS,
        "/*[clinic end generated code: output=59c8971e8ae18a64 input=87fd39237cf0b7ba]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        SIGNALS,
        LEAF,
        "        struct timespec ts;\n        if (_PyTime_AsTimespec(timeout, &ts) < 0) {\n            return NULL;\n        }\n\n"
        "        int res;\n        Py_BEGIN_ALLOW_THREADS\n        res = sigtimedwait(&sigset, &si, &ts);\n",
        "        int res;\n        Py_BEGIN_ALLOW_THREADS\n"
        "        res = python_sigwait(on_way, &sigset, &si, _PyTime_AsNanoseconds(timeout));\n",
    ),
    (
        SIGNALS,
        "threads are threads.h's",
        "    err = pthread_kill((pthread_t)thread_id, signalnum);\n",
        "    err = python_thread_kill(thread_id, signalnum);\n",
    ),
    (
        "Modules/timemodule.c",
        "threads are threads.h's",
        "      !defined(__EMSCRIPTEN__) && !defined(__wasi__)\n#define HAVE_THREAD_TIME\n",
        "      !defined(__EMSCRIPTEN__)\n#define HAVE_THREAD_TIME\n",
    ),
    (
        "Modules/timemodule.c",
        "threads are threads.h's",
        "    const char *function = \"clock_gettime(CLOCK_THREAD_CPUTIME_ID)\";\n\n    if (clock_gettime(clk_id, &ts)) {\n        PyErr_SetFromErrno(PyExc_OSError);\n        return -1;\n    }\n",
        "    const char *function = \"clock_gettime(CLOCK_THREAD_CPUTIME_ID)\";\n\n    python_thread_time(&ts);\n",
    ),
]
