# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_iterators: what takes an iterator's values, or calls another callable, in C is on the way (waits.h).

`list(pool.map(f, xs))`, `for i, x in enumerate(...)`, a partial or a cached function in a thread: who waits below one
of these would be pinned, and two such threads can wait for one another for ever. A change of adapt_cpython.py's kind each.
"""

from adapt_waits import TAKEN, before, in_loop, on_entry

BUILTINS, FUNCTOOLS = "Python/bltinmodule.c", "Modules/_functoolsmodule.c"


CHANGES = [
    # list(), tuple(), sorted(), [*x]
    in_loop(
        "            PyObject *none_val = _PyList_Extend((PyListObject *)list, iterable);", "iterable"
    ),
    on_entry(
        "Objects/listobject.c",
        "/*[clinic end generated code: output=630fb3bca0c8e789 input=9ec5ba3a81be3a4d]*/\n{",
        "int on_way = python_take(iterable);",
    ),
    (
        "Objects/listobject.c",
        TAKEN,
        "    /* Run iterator to exhaustion. */\n    for (;;) {\n        PyObject *item = iternext(it);\n",
        "    /* Run iterator to exhaustion. */\n    for (;;) {\n        python_pass(on_way, it);\n        PyObject *item = iternext(it);\n",
    ),
    on_entry(
        "Objects/listobject.c",
        "list_vectorcall(PyObject *type, PyObject * const*args,\n                size_t nargsf, PyObject *kwnames)\n{",
        "int on_way = python_take(type);",
    ),
    before(
        "Objects/listobject.c",
        "        if (list___init___impl((PyListObject *)list, args[0])) {\n",
        "args[0]",
    ),
    on_entry(
        "Objects/abstract.c", "PySequence_Tuple(PyObject *v)\n{", "int on_way = python_take(v);"
    ),
    (
        "Objects/abstract.c",
        TAKEN,
        "    for (j = 0; ; ++j) {\n        PyObject *item = PyIter_Next(it);\n",
        "    for (j = 0; ; ++j) {\n        python_pass(on_way, it);\n        PyObject *item = PyIter_Next(it);\n",
    ),
    on_entry(
        "Objects/tupleobject.c",
        "tuple_vectorcall(PyObject *type, PyObject * const*args,\n                 size_t nargsf, PyObject *kwnames)\n{",
        "int on_way = python_take(type);",
    ),
    before("Objects/tupleobject.c", "        return tuple_new_impl(_PyType_CAST(type), args[0]);\n", "args[0]"),
    on_entry(
        BUILTINS,
        "builtin_sorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)\n{",
        "int on_way = python_leaf;",
    ),
    before(BUILTINS, "    newlist = PySequence_List(seq);\n", "seq"),
    on_entry("Objects/abstract.c", "PySequence_List(PyObject *v)\n{", "int on_way = python_take(v);"),
    before("Objects/abstract.c", "    rv = _PyList_Extend((PyListObject *)result, v);\n", "v"),
    # sum(), any(), all()
    on_entry(
        BUILTINS,
        "/*[clinic end generated code: output=df758cec7d1d302f input=162b50765250d222]*/\n{",
        "int on_way = python_leaf;",
    ),
    before(BUILTINS, "            item = PyIter_Next(iter);\n", "iter", 2),
    (BUILTINS, TAKEN, "    for(;;) {\n        item = PyIter_Next(iter);\n", "    for(;;) {\n        python_pass(on_way, iter);\n        item = PyIter_Next(iter);\n"),
    on_entry(
        BUILTINS,
        "/*[clinic end generated code: output=ca2a7127276f79b3 input=1a7c5d1bc3438a21]*/\n{",
        "int on_way = python_leaf;",
    ),
    on_entry(
        BUILTINS,
        "/*[clinic end generated code: output=fa65684748caa60e input=41d7451c23384f24]*/\n{",
        "int on_way = python_leaf;",
    ),
    # filter(), map(), zip(), enumerate()
    on_entry(BUILTINS, "filter_next(filterobject *lz)\n{", "int on_way = python_take(lz);"),
    before(BUILTINS, "        item = iternext(it);\n", "it", 3),
    before(BUILTINS, "            good = PyObject_CallOneArg(lz->func, item);\n", "lz->func"),
    on_entry(BUILTINS, "map_next(mapobject *lz)\n{", "int on_way = python_take(lz);"),
    before(BUILTINS, "        PyObject *val = Py_TYPE(it)->tp_iternext(it);\n", "it"),
    before(
        BUILTINS,
        "    result = _PyObject_VectorcallTstate(tstate, lz->func, stack, nargs, NULL);\n",
        "lz->func",
    ),
    on_entry(BUILTINS, "zip_next(zipobject *lz)\n{", "int on_way = python_take(lz);"),
    before(BUILTINS, "            item = (*Py_TYPE(it)->tp_iternext)(it);\n", "it", 2),
    on_entry("Objects/enumobject.c", "enum_next(enumobject *en)\n{", "int on_way = python_take(en);"),
    before("Objects/enumobject.c", "    next_item = (*Py_TYPE(it)->tp_iternext)(it);\n    if (next_item == NULL)\n        return NULL;\n", "it"),
    # functools.partial, functools.lru_cache
    on_entry(
        FUNCTOOLS,
        "partial_vectorcall(partialobject *pto, PyObject *const *args,\n                   size_t nargsf, PyObject *kwnames)\n{",
        "int on_way = python_take(pto);",
    ),
    before(FUNCTOOLS, "        return partial_vectorcall_fallback(tstate, pto, args, nargsf, kwnames);\n", "pto"),
    before(FUNCTOOLS, "        return _PyObject_VectorcallTstate(tstate, pto->fn,\n", "pto->fn"),
    before(FUNCTOOLS, "        PyObject *ret = _PyObject_VectorcallTstate(tstate, pto->fn,\n", "pto->fn"),
    before(FUNCTOOLS, "    ret = _PyObject_VectorcallTstate(tstate, pto->fn,\n", "pto->fn"),
    on_entry(
        FUNCTOOLS,
        "partial_call(partialobject *pto, PyObject *args, PyObject *kwargs)\n{",
        "int on_way = python_take(pto);",
    ),
    before(FUNCTOOLS, "    PyObject *res = PyObject_Call(pto->fn, args2, kwargs2);\n", "pto->fn"),
    on_entry(
        FUNCTOOLS,
        "lru_cache_call(lru_cache_object *self, PyObject *args, PyObject *kwds)\n{",
        "python_pass(python_take(self), self);",
    ),
    *(
        on_entry(
            FUNCTOOLS,
            f"{kind}_lru_cache_wrapper(lru_cache_object *self, PyObject *args, PyObject *kwds)\n{{",
            "int on_way = python_take(self);",
        )
        for kind in ("uncached", "infinite", "bounded")
    ),
    before(FUNCTOOLS, "    result = PyObject_Call(self->func, args, kwds);\n", "self->func", 3),
]
