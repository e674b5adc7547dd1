# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_system: lines of CPython about files and processes of a sandbox: locks, connections, attributes.

A change of adapt_cpython.py's kind each.
"""

from adapt_waits import LEAF, TAKEN, on_entry

LOCKS = "Modules/clinic/fcntlmodule.c.h"
KEPT = "fileno() of a file, which is called before, is a call, too"

CHANGES = [
    on_entry(
        LOCKS,
        "fcntl_flock(PyObject *module, PyObject *const *args, Py_ssize_t nargs)\n{",
        "int on_way = python_leaf;",
        KEPT,
    ),
    (
        LOCKS,
        KEPT,
        "    return_value = fcntl_flock_impl(",
        "    python_leaf = on_way;\n    return_value = fcntl_flock_impl(",
    ),
    on_entry(
        LOCKS,
        "fcntl_lockf(PyObject *module, PyObject *const *args, Py_ssize_t nargs)\n{",
        "int on_way = python_leaf;",
        KEPT,
    ),
    (
        LOCKS,
        KEPT,
        "    return_value = fcntl_lockf_impl(",
        "    python_leaf = on_way;\n    return_value = fcntl_lockf_impl(",
    ),
    on_entry(
        "Modules/fcntlmodule.c",
        "/*[clinic end generated code: output=84059e2b37d2fc64 input=0bfc00f795953452]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/fcntlmodule.c",
        LEAF,
        "        ret = flock(fd, code);\n",
        "        ret = python_flock(on_way, fd, code);\n",
    ),
    on_entry(
        "Modules/fcntlmodule.c",
        "/*[clinic end generated code: output=4985e7a172e7461a input=5480479fc63a04b8]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/fcntlmodule.c",
        LEAF,
        "        l.l_whence = whence;\n        do {\n            Py_BEGIN_ALLOW_THREADS\n"
        "            ret = fcntl(fd, (code & LOCK_NB) ? F_SETLK : F_SETLKW, &l);\n",
        "        l.l_whence = whence;\n        do {\n            Py_BEGIN_ALLOW_THREADS\n"
        "            ret = python_lockf(on_way, fd, (code & LOCK_NB) ? F_SETLK : F_SETLKW, &l);\n",
    ),
    (
        "Modules/_sqlite/module.c",
        "other threads run while one waits for a database",
        "    int rc = sqlite3_initialize();\n",
        "    int rc = sqlite3_initialize();\n    python_sqlite_pauses();\n",
    ),
    (
        "Modules/posixmodule.c",
        "there are no system calls by number",
        "#  include <sys/syscall.h>\n",
        "#  include <sys/random.h>\n",
    ),
    (
        "Modules/posixmodule.c",
        "there are no system calls by number",
        "        n = syscall(SYS_getrandom,\n",
        "        n = getrandom(\n",
    ),
    (
        "Lib/os.py",
        "a sandbox has one processor, the same for all",
        "def _fscodec():\n",
        "def sched_getaffinity(pid, /):\n"
        '    """The processors on which a process may run."""\n'
        "    return {0}\n\n"
        "def sched_setaffinity(pid, mask, /):\n"
        '    """Says on which processors a process may run: there is one, 0."""\n'
        "    if 0 not in set(mask):\n"
        "        raise OSError(22, 'Invalid argument')\n\n"
        "__all__.extend(['sched_getaffinity', 'sched_setaffinity'])\n\n"
        "def _fscodec():\n",
    ),
    (
        "Lib/subprocess.py",
        "a process is started in one call, but for what runs in it before",
        "                    self.pid = _fork_exec(\n",
        "                    start = _fork_exec\n"
        "                    if preexec_fn is not None:\n"
        "                        from _preexec import fork_exec as start\n"
        "                    self.pid = start(\n",
    ),
    (
        "Lib/multiprocessing/connection.py",
        "connections rest on pipes, and listeners on FIFOs",
        "            s1, s2 = socket.socketpair()\n            s1.setblocking(True)\n            s2.setblocking(True)\n"
        "            c1 = Connection(s1.detach())\n            c2 = Connection(s2.detach())\n",
        "            from ._fifos import pair\n            c1, c2 = pair()\n",
    ),
    (
        "Lib/multiprocessing/connection.py",
        "as above",
        "        else:\n            self._listener = SocketListener(address, family, backlog)\n",
        "        elif family == 'AF_UNIX':\n            from ._fifos import FifoListener\n"
        "            self._listener = FifoListener(address, family, backlog)\n"
        "        else:\n            self._listener = SocketListener(address, family, backlog)\n",
    ),
    (
        "Lib/multiprocessing/connection.py",
        "as above",
        "    else:\n        c = SocketClient(address)\n",
        "    elif family == 'AF_UNIX':\n        from ._fifos import FifoClient\n        c = FifoClient(address)\n"
        "    else:\n        c = SocketClient(address)\n",
    ),
    (
        "Lib/multiprocessing/synchronize.py",
        "processes share no memory, but files",
        "        from .heap import BufferWrapper\n        wrapper",
        "        from ._fifos import Numbers as BufferWrapper\n        wrapper",
    ),
    # Iterators that Python computes: Pool's threads wait in one.
    on_entry(
        "Objects/iterobject.c",
        "calliter_iternext(calliterobject *it)\n{",
        "int on_way = python_take(it);",
    ),
    (
        "Objects/iterobject.c",
        TAKEN,
        "    result = _PyObject_CallNoArgs(it->it_callable);\n",
        "    python_pass(on_way, it->it_callable);\n"
        "    result = _PyObject_CallNoArgs(it->it_callable);\n",
    ),
    (
        "Objects/typeobject.c",
        TAKEN,
        "    PyObject *stack[1] = {self};\n    return vectorcall_method(&_Py_ID(__next__), stack, 1);\n",
        "    int unbound, on_way = python_take(self);\n"
        "    PyObject *func = lookup_method(self, &_Py_ID(__next__), &unbound);\n"
        "    if (func == NULL) {\n        return NULL;\n    }\n"
        "    python_pass(on_way, func);\n"
        "    PyObject *result = unbound ? PyObject_Vectorcall(func, &self, 1, NULL)\n"
        "                               : PyObject_Vectorcall(func, NULL, 0, NULL);\n"
        "    Py_DECREF(func);\n    return result;\n",
    ),
    # Attributes that Python computes.
    (
        "Python/ceval.c",
        "a property runs on the way",
        "            PyObject *res = PyObject_GetAttr(owner, name);\n            if (res == NULL) {\n                goto error;\n            }\n"
        "            Py_DECREF(owner);\n            SET_TOP(res);\n            JUMPBY(INLINE_CACHE_ENTRIES_LOAD_ATTR);\n",
        "            PyObject *res = python_get_attr(python_on_way(), owner, name);\n            python_next = 0;\n"
        "            if (res == NULL) {\n                goto error;\n            }\n"
        "            Py_DECREF(owner);\n            SET_TOP(res);\n            JUMPBY(INLINE_CACHE_ENTRIES_LOAD_ATTR);\n",
    ),
    (
        "Python/ceval.c",
        "as above",
        "#if USE_COMPUTED_GOTOS\n#define TARGET(op)",
        "PyObject *python_get_attr(int way, PyObject *owner, PyObject *name);\n\n#if USE_COMPUTED_GOTOS\n#define TARGET(op)",
    ),
    (
        "Objects/descrobject.c",
        "as above",
        "static void\nproperty_dealloc(PyObject *self)\n",
        "/* What computes a property, borrowed; NULL: it is none, or nothing does. */\n"
        "PyObject *\npython_property_get(PyObject *self)\n{\n"
        "    return Py_IS_TYPE(self, &PyProperty_Type) ? ((propertyobject *)self)->prop_get : NULL;\n}\n\n"
        "static void\nproperty_dealloc(PyObject *self)\n",
    ),
    (
        "Objects/object.c",
        "as above",
        "    if (result == NULL) {\n        set_attribute_error_context(v, name);\n    }\n    return result;\n}\n",
        "    if (result == NULL) {\n        set_attribute_error_context(v, name);\n    }\n    return result;\n}\n\n"
        "PyObject *python_property_get(PyObject *self);\n\n"
        "/* The function of Python that computes an attribute, and what it gets besides the object; borrowed. */\n"
        "static __attribute__((noinline)) PyObject *\n"
        "computes(PyObject *v, PyObject *name, PyObject **descriptor)\n{\n"
        "    PyTypeObject *type = Py_TYPE(v);\n    *descriptor = NULL;\n"
        "    if (type->tp_getattro != PyObject_GenericGetAttr || !PyUnicode_CheckExact(name)) return NULL;\n"
        "    PyObject *descr = _PyType_Lookup(type, name);\n    if (descr == NULL) return NULL;\n"
        "    PyObject *get = python_property_get(descr);\n"
        "    if (get != NULL) return PyFunction_Check(get) ? get : NULL;\n"
        "    if (!_PyType_HasFeature(Py_TYPE(descr), Py_TPFLAGS_HEAPTYPE)) return NULL;\n"
        "    get = _PyType_Lookup(Py_TYPE(descr), &_Py_ID(__get__));\n"
        "    if (get == NULL || !PyFunction_Check(get)) return NULL;\n"
        "    if (Py_TYPE(descr)->tp_descr_set == NULL) { /* what the object has comes first */\n"
        "        PyObject **dict = _PyObject_GetDictPtr(v);\n"
        "        if (dict && *dict && PyDict_GetItemWithError(*dict, name)) return NULL;\n"
        "        if (PyErr_Occurred()) {\n            PyErr_Clear();\n            return NULL;\n        }\n    }\n"
        "    *descriptor = descr;\n    return get;\n}\n\n"
        "/* As PyObject_GetAttr(). What Python computes is called on the way. */\n"
        "__attribute__((noinline)) PyObject *\n"
        "python_get_attr(int way, PyObject *v, PyObject *name)\n{\n"
        "    PyObject *descr, *get = way ? computes(v, name, &descr) : NULL;\n"
        "    if (get == NULL) return PyObject_GetAttr(v, name);\n"
        "    PyObject *arguments[] = {descr ? descr : v, v, (PyObject *)Py_TYPE(v)};\n"
        "    Py_INCREF(get);\n    Py_INCREF(arguments[0]);\n"
        "    python_pass(way, get);\n"
        "    PyObject *result = PyObject_Vectorcall(get, arguments, descr ? 3 : 1, NULL);\n"
        "    python_next = 0;\n"
        "    Py_DECREF(get);\n    Py_DECREF(arguments[0]);\n"
        "    if (result == NULL) set_attribute_error_context(v, name);\n"
        "    return result;\n}\n",
    ),
]
