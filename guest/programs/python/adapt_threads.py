# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_threads: the lines of CPython that let threads take turns. threads.h says how."""

from adapt_waits import LEAF, on_entry

LOCK = "a lock knows whether it is waited for on the way"
DEADLOCK = "what nobody can release is told"
OTHERS = "others run while one waits"

# Of thread_pthread.h what is locks.c's here.
NAMES = (
    "PyThread_start_new_thread PyThread_get_thread_ident PyThread_get_thread_native_id PyThread_exit_thread "
    "PyThread_allocate_lock PyThread_free_lock PyThread_acquire_lock_timed PyThread_release_lock "
    "_PyThread_at_fork_reinit PyThread_acquire_lock"
).split()

CHANGES = [
    (
        "Python/thread_pthread_stubs.h",
        "threads and locks are those of locks.c",
        '#include "thread_pthread.h"\n',
        "#undef PY_HAVE_THREAD_NATIVE_ID\n"
        + "".join(f"#define {name} stub_{name}\n" for name in NAMES)
        + '#include "thread_pthread.h"\n'
        + "".join(f"#undef {name}\n" for name in NAMES)
        + "#define PY_HAVE_THREAD_NATIVE_ID\n"
        + "\nstatic int\npython_stack_size(size_t size)\n{\n"
        "    if (size && size < 0x8000) return -1;\n"
        "    _PyInterpreterState_GET()->threads.stacksize = size;\n    return 0;\n}\n"
        "#define THREAD_SET_STACKSIZE(size) python_stack_size(size)\n",
    ),
    (
        "Python/thread_pthread_stubs.h",
        "each thread has values of its own",
        "    return py_tls_entries[key].value;\n",
        "    return python_thread_keys()[key];\n",
    ),
    (
        "Python/thread_pthread_stubs.h",
        "as above",
        "    py_tls_entries[key].value = (void *)value;\n",
        "    python_thread_keys()[key] = (void *)value;\n",
    ),
    (
        "Python/thread.c",
        "sys.thread_info says what threads are",
        '#   define PYTHREAD_NAME "pthread-stubs"\n#   include "thread_pthread_stubs.h"\n',
        '#   define PYTHREAD_NAME "pthread"\n#   include "thread_pthread_stubs.h"\n',
    ),
    (
        "Python/ceval.c",
        "a thread's turn is over",
        "        drop_gil(ceval, ceval2, tstate);\n\n        /* Other threads may run now */\n",
        "        int on_way = python_on_way();\n        drop_gil(ceval, ceval2, tstate);\n\n"
        "        python_offer(on_way);\n",
    ),
    # Locks.
    (
        "Modules/_threadmodule.c",
        LOCK,
        "    _PyTime_t endtime = 0;\n    if (timeout > 0) {\n        endtime = _PyDeadline_Init(timeout);\n    }\n\n    PyLockStatus r;\n",
        "    int on_way = python_lock_way;\n    python_lock_way = 0;\n"
        "    _PyTime_t endtime = 0;\n    if (timeout > 0) {\n        endtime = _PyDeadline_Init(timeout);\n    }\n\n    PyLockStatus r;\n",
    ),
    (
        "Modules/_threadmodule.c",
        LOCK,
        "            r = PyThread_acquire_lock_timed(lock, microseconds, 1);\n",
        "            python_lock_way = on_way;\n            r = PyThread_acquire_lock_timed(lock, microseconds, 1);\n",
    ),
    (
        "Modules/_threadmodule.c",
        DEADLOCK,
        "        if (r == PY_LOCK_INTR) {\n            /* Run signal handlers",
        "        if (r == PY_LOCK_INTR && python_deadlocked) {\n            python_deadlocked = false;\n"
        "            PyErr_SetString(PyExc_RuntimeError, PYTHON_DEADLOCK);\n            return PY_LOCK_INTR;\n        }\n"
        "        if (r == PY_LOCK_INTR) {\n            /* Run signal handlers",
    ),
    on_entry(
        "Modules/_threadmodule.c",
        "lock_PyThread_acquire_lock(lockobject *self, PyObject *args, PyObject *kwds)\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Modules/_threadmodule.c",
        LOCK,
        "    PyLockStatus r = acquire_timed(self->lock_lock, timeout);\n",
        "    python_lock_way = on_way;\n    PyLockStatus r = acquire_timed(self->lock_lock, timeout);\n",
    ),
    on_entry(
        "Modules/_threadmodule.c",
        "rlock_acquire(rlockobject *self, PyObject *args, PyObject *kwds)\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Modules/_threadmodule.c",
        LOCK,
        "    r = acquire_timed(self->rlock_lock, timeout);\n",
        "    python_lock_way = on_way;\n    r = acquire_timed(self->rlock_lock, timeout);\n",
    ),
    on_entry(
        "Modules/_threadmodule.c",
        "rlock_acquire_restore(rlockobject *self, PyObject *args)\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Modules/_threadmodule.c",
        LOCK,
        "        r = PyThread_acquire_lock(self->rlock_lock, 1);\n",
        "        python_lock_way = on_way;\n        r = PyThread_acquire_lock(self->rlock_lock, 1);\n",
    ),
    on_entry(
        "Modules/_queuemodule.c",
        "/*[clinic end generated code: output=5c2cca914cd1e55b input=5b4047bfbc645ec1]*/\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Modules/_queuemodule.c",
        LOCK,
        "            r = PyThread_acquire_lock_timed(self->lock, microseconds, 1);\n",
        "            python_lock_way = on_way;\n            r = PyThread_acquire_lock_timed(self->lock, microseconds, 1);\n",
    ),
    (
        "Modules/_queuemodule.c",
        DEADLOCK,
        "        if (r == PY_LOCK_INTR && Py_MakePendingCalls() < 0) {\n",
        "        if (r == PY_LOCK_INTR && python_deadlocked) {\n            python_deadlocked = false;\n"
        "            PyErr_SetString(PyExc_RuntimeError, PYTHON_DEADLOCK);\n            return NULL;\n        }\n"
        "        if (r == PY_LOCK_INTR && Py_MakePendingCalls() < 0) {\n",
    ),
    # The ways of a thread.
    (
        "Modules/_threadmodule.c",
        "a thread's function runs on the way",
        "    PyObject *res = PyObject_Call(boot->func, boot->args, boot->kwargs);\n",
        "    python_pass(1, boot->func);\n    PyObject *res = PyObject_Call(boot->func, boot->args, boot->kwargs);\n",
    ),
    (
        "Python/pylifecycle.c",
        "the end of a program waits for its threads on the way",
        "    result = PyObject_CallMethodNoArgs(threading, &_Py_ID(_shutdown));\n",
        "    PyObject *join = PyObject_GetAttr(threading, &_Py_ID(_shutdown));\n"
        "    python_pass(python_ending && python_depth == 0, join);\n"
        "    result = join ? PyObject_CallNoArgs(join) : NULL;\n    Py_XDECREF(join);\n",
    ),
    (
        "Modules/main.c",
        "as above; sys.exit() ends a program from below other C",
        "    if (Py_FinalizeEx() < 0) {\n",
        "    python_ending = 1;\n    if (Py_FinalizeEx() < 0) {\n",
    ),
    (
        "Modules/posixmodule.c",
        "a child has one thread",
        "        PyOS_AfterFork_Child();\n    } else {\n        /* parent: release the import lock. */\n"
        "        PyOS_AfterFork_Parent();\n    }\n    errno = error;\n",
        "        python_threads_forked();\n"
        "        PyOS_AfterFork_Child();\n    } else {\n        /* parent: release the import lock. */\n"
        "        PyOS_AfterFork_Parent();\n    }\n    errno = error;\n",
    ),
    # Reads and writes below other C.
    (
        "Python/fileutils.c",
        OTHERS,
        "        n = read(fd, buf, count);\n#endif\n        /* save/restore",
        "        n = python_before_read(fd) < 0 ? -1 : read(fd, buf, count);\n#endif\n        /* save/restore",
    ),
    (
        "Python/fileutils.c",
        OTHERS,
        "            n = write(fd, buf, count);\n#endif\n            /* save/restore",
        "            n = python_before_write(fd, count);\n            if (n >= 0) n = write(fd, buf, n);\n"
        "#endif\n            /* save/restore",
    ),
    (
        "Modules/selectmodule.c",
        LEAF,
        "        pf_set_unwindable(on_way);\n        n = select(\n            max,",
        "        int before = python_before_select(on_way, max, imax ? &ifdset : NULL, omax ? &ofdset : NULL,\n"
        "                                          emax ? &efdset : NULL, tvp);\n"
        "        if (before > 0) {\n            tv.tv_sec = tv.tv_usec = 0;\n            tvp = &tv;\n        }\n"
        "        pf_set_unwindable(on_way && !python_pinned);\n        n = before < 0 ? -1 : select(\n            max,",
    ),
]
