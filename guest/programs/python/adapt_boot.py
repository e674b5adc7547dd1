# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_boot: what an interpreter that is booted at build time needs of CPython. boot.c says how.

A change of adapt_cpython.py's kind each.
"""

CHANGES = [
    (
        "Lib/importlib/_bootstrap.py",
        "an import asks for what was imported at build time: boot.py",
        "        child = name.rpartition('.')[2]\n    spec = _find_spec(name, path)\n",
        "        child = name.rpartition('.')[2]\n"
        "    if _take is not None:\n"
        "        module = _take(name)\n"
        "        if module is not None:\n"
        "            return module\n"
        "    spec = _find_spec(name, path)\n",
    ),
    (
        "Lib/importlib/_bootstrap.py",
        "as above",
        "_NEEDS_LOADING = object()\n",
        "_NEEDS_LOADING = object()\n_take = None  # boot.py's\n",
    ),
    (
        "Python/pylifecycle.c",
        "what is the template's is not taken apart: boot.c",
        "            STORE_MODULE_WEAKREF(name, mod); \\\n",
        "            if (!python_is_booted_module(name, mod)) { \\\n"
        "                STORE_MODULE_WEAKREF(name, mod); \\\n"
        "            } \\\n",
    ),
    (
        "Python/pylifecycle.c",
        "a program that put nothing into builtins has nothing there that must go",
        "    finalize_restore_builtins(tstate);\n",
        "    if (!python_booted || PyDict_GET_SIZE(interp->builtins) != python_booted_builtins) {\n"
        "        finalize_restore_builtins(tstate);\n    }\n",
    ),
    (
        "Python/pylifecycle.c",
        "what is the template's is not taken apart: boot.c",
        "    // Clear sys and builtins modules dict\n    finalize_clear_sys_builtins_dict(interp, verbose);\n",
        "    if (python_booted) {\n        python_part();\n        return;\n    }\n"
        "    // Clear sys and builtins modules dict\n    finalize_clear_sys_builtins_dict(interp, verbose);\n",
    ),
    (
        "Python/pylifecycle.c",
        "a process that ends frees nothing; what it writes when it fails now, nobody told it before, either",
        "    /* Print debug stats if any */\n    _PyEval_Fini();\n",
        "    if (python_booted) {\n"
        '        static const char *const names[] = {"stdout", "stderr"};\n'
        "        for (int i = 0; i < 2; i++) {\n"
        "            PyObject *file = PySys_GetObject(names[i]);\n"
        '            PyObject *done = file ? PyObject_CallMethod(file, "flush", NULL) : NULL;\n'
        "            Py_XDECREF(done);\n            PyErr_Clear();\n        }\n"
        "        call_ll_exitfuncs(runtime);\n"
        "        return status;\n    }\n\n"
        "    /* Print debug stats if any */\n    _PyEval_Fini();\n",
    ),
    (
        "Python/pylifecycle.c",
        "streams and __main__ are a process's own: boot.c",
        "void _Py_NO_RETURN\nPy_Exit(int sts)\n{",
        "PyStatus\npython_wake_main(PyThreadState *tstate)\n{\n"
        "    PyStatus status = init_sys_streams(tstate);\n"
        "    if (!_PyStatus_EXCEPTION(status)) {\n"
        "        status = add_main_module(tstate->interp);\n"
        "    }\n"
        "    return status;\n}\n\n"
        "void _Py_NO_RETURN\nPy_Exit(int sts)\n{",
    ),
    (
        "Python/pylifecycle.c",
        "boot.h",
        '#include "Python.h"\n',
        '#include "Python.h"\n#include "boot.h"\n',
    ),
    (
        "Modules/signalmodule.c",
        "handlers are a process's own: boot.c",
        "int\n_PyOS_IsMainThread(void)\n{",
        "int\npython_wake_signals(void)\n{\n"
        "    PyOS_setsig(SIGPIPE, SIG_IGN);\n"
        "    PyOS_setsig(SIGXFSZ, SIG_IGN);\n"
        '    PyObject *module = PyImport_ImportModule("_signal");\n'
        "    if (!module) {\n        return -1;\n    }\n"
        "    int result = signal_get_set_handlers(&signal_global_state, PyModule_GetDict(module));\n"
        "    Py_DECREF(module);\n"
        "    return result;\n}\n\n"
        "int\n_PyOS_IsMainThread(void)\n{",
    ),
    (
        "Objects/obmalloc.c",
        "pages of the template stay as they are: boot.c",
        "static void\ninsert_to_usedpool(poolp pool)\n{",
        "void\npython_retire_pools(void)\n{\n"
        "    for (int i = 0; i < NB_SMALL_SIZE_CLASSES; i++) {\n"
        "        poolp head = usedpools[i + i], pool = head->nextpool;\n"
        "        while (pool != head) {\n"
        "            poolp next = pool->nextpool;\n"
        "            pool->nextpool = pool->prevpool = pool;\n"
        "            pool = next;\n"
        "        }\n"
        "        head->nextpool = head->prevpool = head;\n"
        "    }\n}\n\n"
        "static void\ninsert_to_usedpool(poolp pool)\n{",
    ),
]
