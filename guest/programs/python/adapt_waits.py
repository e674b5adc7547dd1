# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_waits: the lines of CPython that tell which waits can be unwound. waits.h says how.

A change of adapt_cpython.py's kind each; the functions that are changed here are on the list WAY of
CMakeLists.txt, together with those between them.
"""

LOOP = "the loop says whom it calls"
TAKEN = "a listed function learns whether it was called on the way"
LEAF = "a wait on the way is unwound"


def on_entry(file, head, statement, why=TAKEN):
    """A statement at the start of a function whose text is `head` up to its {."""
    return (file, why, head, head.replace("{", "{\n    " + statement, 1))


def before(file, call, object, count=1):
    """A call for an object, from a function that knows whether it is on the way."""
    indent = call[: len(call) - len(call.lstrip())]
    return (file, TAKEN, call, f"{indent}python_pass(on_way, {object});\n{call}", count)


def in_loop(old, object, count=1):
    """A call of the loop, for an object."""
    call = old.lstrip()
    return (
        "Python/ceval.c",
        LOOP,
        old,
        f"python_pass(python_on_way(), {object});\n            {call}\n            python_next = 0;",
        count,
    )


def leaf_in_loop(old, count):
    return ("Python/ceval.c", LOOP, old, "python_leaf = python_on_way();\n            " + old, count)


CHANGES = [
    (
        "Python/ceval.c",
        "activations are counted",
        "    tstate->cframe = &cframe;\n\n    frame->is_entry = true;",
        "    tstate->cframe = &cframe;\n    python_enter(frame);\n\n    frame->is_entry = true;",
    ),
    (
        "Python/ceval.c",
        "activations are counted",
        "tstate->cframe->use_tracing = cframe.use_tracing;",
        "tstate->cframe->use_tracing = cframe.use_tracing;\n            python_leave();",
        4,
    ),
    in_loop("gen_status = PyIter_Send(receiver, v, &retval);", "receiver"),
    in_loop("PyObject *next = (*Py_TYPE(iter)->tp_iternext)(iter);", "iter"),
    in_loop("res = _PyObject_CallNoArgs(enter);", "enter", 2),
    in_loop(
        "res = PyObject_Vectorcall(exit_func, stack + 1,\n"
        "                    3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);",
        "exit_func",
    ),
    in_loop(
        "res = PyObject_Vectorcall(\n"
        "                    function, stack_pointer-total_args,\n"
        "                    positional_args | PY_VECTORCALL_ARGUMENTS_OFFSET,\n"
        "                    call_shape.kwnames);",
        "function",
    ),
    in_loop("result = do_call_core(tstate, func, callargs, kwargs, cframe.use_tracing);", "func"),
    leaf_in_loop("PyObject *res = _PyCFunction_TrampolineCall(cfunc, ", 3),
    leaf_in_loop("PyObject *res = cfunc(", 3),
    leaf_in_loop("PyObject *res = ((_PyCFunctionFast)(void(*)(void))cfunc)(", 1),
    (
        "Python/ceval.c",
        TAKEN,
        "    /* _PyEvalFramePushAndInit consumes the references\n     * to func and all its arguments */\n",
        "    int on_way = python_take(func);\n",
    ),
    before("Python/ceval.c", "    PyObject *retval = _PyEval_EvalFrame(tstate, frame, 0);\n", "frame"),
    (
        "Python/ceval.c",
        TAKEN,
        "    if (locals == NULL) {\n        locals = globals;\n    }\n"
        "    PyObject *builtins = _PyEval_BuiltinsFromGlobals(tstate, globals); // borrowed ref\n"
        "    if (builtins == NULL) {\n        return NULL;\n    }\n    PyFrameConstructor",
        "    int on_way = python_take(co);\n    if (locals == NULL) {\n        locals = globals;\n    }\n"
        "    PyObject *builtins = _PyEval_BuiltinsFromGlobals(tstate, globals); // borrowed ref\n"
        "    if (builtins == NULL) {\n        return NULL;\n    }\n    PyFrameConstructor",
    ),
    before("Python/ceval.c", "    PyObject *res = _PyEval_Vector(tstate, func, locals, NULL, 0, NULL);\n", "func"),
    # From main: no Python is on the stack, so what runs is the program's own text.
    (
        "Python/pythonrun.c",
        "a program's own text runs on the way",
        "    v = PyEval_EvalCode((PyObject*)co, globals, locals);\n",
        "    python_pass(python_depth == 0, co);\n"
        "    v = PyEval_EvalCode((PyObject*)co, globals, locals);\n",
    ),
    (
        "Modules/main.c",
        "a program's own text runs on the way",
        "    result = PyObject_Call(runmodule, runargs, NULL);\n",
        "    python_pass(python_depth == 0, runmodule);\n"
        "    result = PyObject_Call(runmodule, runargs, NULL);\n",
    ),
    # Text that eval() and exec() compile: not from main, though it may look so at exit.
    (
        "Python/bltinmodule.c",
        "run_eval_code_obj() is main's only while no Python runs",
        "    result = PyRun_StringFlags(str, Py_eval_input, globals, locals, &cf);\n",
        "    python_depth++;\n"
        "    result = PyRun_StringFlags(str, Py_eval_input, globals, locals, &cf);\n"
        "    python_depth--;\n",
    ),
    (
        "Python/bltinmodule.c",
        "run_eval_code_obj() is main's only while no Python runs",
        "        if (PyEval_MergeCompilerFlags(&cf))\n            v = PyRun_StringFlags(str, Py_file_input, globals,\n",
        "        python_depth++;\n"
        "        if (PyEval_MergeCompilerFlags(&cf))\n            v = PyRun_StringFlags(str, Py_file_input, globals,\n",
    ),
    (
        "Python/bltinmodule.c",
        "run_eval_code_obj() is main's only while no Python runs",
        "            v = PyRun_String(str, Py_file_input, globals, locals);\n",
        "            v = PyRun_String(str, Py_file_input, globals, locals);\n        python_depth--;\n",
    ),
    on_entry(
        "Python/bltinmodule.c",
        "/*[clinic end generated code: output=0a0824aa70093116 input=11ee718a8640e527]*/\n{",
        "int on_way = python_leaf;",
    ),
    before("Python/bltinmodule.c", "        return PyEval_EvalCode(source, globals, locals);\n", "source"),
    on_entry(
        "Python/bltinmodule.c",
        "/*[clinic end generated code: output=7579eb4e7646743d input=f13a7e2b503d1d9a]*/\n{",
        "int on_way = python_leaf;",
    ),
    before("Python/bltinmodule.c", "            v = PyEval_EvalCode(source, globals, locals);\n", "source"),
    on_entry(
        "Python/bltinmodule.c",
        "builtin_next(PyObject *self, PyObject *const *args, Py_ssize_t nargs)\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Python/bltinmodule.c",
        TAKEN,
        "    res = (*Py_TYPE(it)->tp_iternext)(it);\n    if (res != NULL) {\n        return res;\n    } else if (nargs > 1) {",
        "    python_pass(on_way, it);\n    res = (*Py_TYPE(it)->tp_iternext)(it);\n    python_next = 0;\n"
        "    if (res != NULL) {\n        return res;\n    } else if (nargs > 1) {",
    ),
    on_entry(
        "Python/bltinmodule.c",
        "/*[clinic end generated code: output=83db5a191e7a0d60 input=159c46d4ae40977e]*/\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Python/bltinmodule.c",
        LEAF,
        "    return PyFile_GetLine(fin, -1);\n}",
        "    if (on_way && (tmp = python_text_line(fin)) != NULL) {\n"
        "        python_reader = 0;\n"
        "        Py_ssize_t len = PyUnicode_GET_LENGTH(tmp);\n"
        "        if (len == 0) {\n"
        "            Py_DECREF(tmp);\n"
        '            PyErr_SetString(PyExc_EOFError, "EOF when reading a line");\n'
        "            return NULL;\n"
        "        }\n"
        "        if (PyUnicode_READ_CHAR(tmp, len - 1) != '\\n') return tmp;\n"
        "        PyObject *line = PyUnicode_Substring(tmp, 0, len - 1);\n"
        "        Py_DECREF(tmp);\n"
        "        return line;\n"
        "    }\n"
        "    if (PyErr_Occurred()) return NULL;\n"
        "    return PyFile_GetLine(fin, -1);\n}",
    ),
    # Ways from the loop to the loop.
    (
        "Objects/methodobject.c",
        TAKEN,
        "    return (funcptr)PyCFunction_GET_FUNCTION(func);\n}",
        "    python_leaf = python_take(func);\n    return (funcptr)PyCFunction_GET_FUNCTION(func);\n}",
    ),
    (
        "Objects/methodobject.c",
        TAKEN,
        "    PyCFunction meth = PyCFunction_GET_FUNCTION(func);\n    PyObject *self = PyCFunction_GET_SELF(func);\n\n    PyObject *result;",
        "    PyCFunction meth = PyCFunction_GET_FUNCTION(func);\n    PyObject *self = PyCFunction_GET_SELF(func);\n\n"
        "    python_leaf = python_take(func);\n    PyObject *result;",
    ),
    (
        "Objects/descrobject.c",
        TAKEN,
        "    return (funcptr)((PyMethodDescrObject *)func)->d_method->ml_meth;\n",
        "    python_leaf = python_take(func);\n"
        "    return (funcptr)((PyMethodDescrObject *)func)->d_method->ml_meth;\n",
    ),
    on_entry(
        "Objects/classobject.c",
        "                  size_t nargsf, PyObject *kwnames)\n{\n    assert(Py_IS_TYPE(method, &PyMethod_Type));\n",
        "int on_way = python_take(method);",
    ),
    before("Objects/classobject.c", "        result = _PyObject_VectorcallTstate(tstate, func,", "func", 2),
    before(
        "Objects/classobject.c",
        "            return _PyObject_VectorcallTstate(tstate, func, &self, 1, NULL);",
        "func",
    ),
    on_entry(
        "Objects/genobject.c",
        "             int exc, int closing)\n{\n    PyThreadState *tstate = _PyThreadState_GET();\n"
        "    _PyInterpreterFrame *frame",
        "int on_way = python_take(gen);",
    ),
    before("Objects/genobject.c", "    result = _PyEval_EvalFrame(tstate, frame, exc);\n", "frame"),
    (
        "Objects/genobject.c",
        TAKEN,
        "    return gen_send_ex(gen, arg, 0, 0);\n}\n\nPyDoc_STRVAR(close_doc",
        "    python_pass(python_leaf, gen);\n    return gen_send_ex(gen, arg, 0, 0);\n}\n\nPyDoc_STRVAR(close_doc",
    ),
    on_entry(
        "Objects/typeobject.c",
        "type_call(PyTypeObject *type, PyObject *args, PyObject *kwds)\n{",
        "int on_way = python_take(type);",
    ),
    before("Objects/typeobject.c", "        int res = type->tp_init(obj, args, kwds);\n", "obj"),
    on_entry(
        "Objects/typeobject.c",
        "slot_tp_call(PyObject *self, PyObject *args, PyObject *kwds)\n{",
        "int on_way = python_take(self);",
    ),
    on_entry(
        "Objects/typeobject.c",
        "slot_tp_init(PyObject *self, PyObject *args, PyObject *kwds)\n{",
        "int on_way = python_take(self);",
    ),
    (
        "Objects/typeobject.c",
        TAKEN,
        "    PyObject *res;\n    if (unbound) {\n        res = _PyObject_Call_Prepend(tstate, meth, self, args, kwds);",
        "    PyObject *res;\n    python_pass(on_way, meth);\n"
        "    if (unbound) {\n        res = _PyObject_Call_Prepend(tstate, meth, self, args, kwds);",
        2,
    ),
    # Waits.
    on_entry(
        "Modules/timemodule.c",
        "time_sleep(PyObject *self, PyObject *timeout_obj)\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/timemodule.c",
        LEAF,
        "    if (pysleep(timeout) != 0) {",
        "    if ((on_way || python_threads > 1 ? python_sleep(on_way, timeout) : pysleep(timeout)) != 0) {",
    ),
    on_entry(
        "Modules/posixmodule.c",
        "/*[clinic end generated code: output=dafbe9a5cddb987b input=1df2eaa27c0bf1d3]*/\n{",
        "if (python_leaf) python_wait_fd(fd);",
        LEAF,
    ),
    on_entry(
        "Modules/posixmodule.c",
        "/*[clinic end generated code: output=5c37c06887a20270 input=0bf1666b8758fda3]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/posixmodule.c",
        LEAF,
        "        res = waitpid(pid, &status, options);\n",
        "        res = python_waitpid(on_way, pid, &status, options);\n",
    ),
    on_entry(
        "Modules/selectmodule.c",
        "/*[clinic end generated code: output=876e837d193ed7e4 input=c2f6953ec45e5622]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/selectmodule.c",
        LEAF,
        "        poll_result = poll(self->ufds, self->ufd_len, (int)ms);\n",
        "        poll_result = python_poll(on_way, self->ufds, self->ufd_len, ms < 0 ? -1 : ms * 1000000);\n",
    ),
    on_entry(
        "Modules/_io/fileio.c",
        "/*[clinic end generated code: output=b01a5a22c8415cb4 input=4721d7b68b154eaf]*/\n{",
        "if (python_leaf && self->fd >= 0) python_wait_fd(self->fd);",
        LEAF,
    ),
    on_entry(
        "Modules/_io/fileio.c",
        "/*[clinic end generated code: output=42528d39dd0ca641 input=bec9a2c704ddcbc9]*/\n{",
        "int on_way = python_leaf;\n    if (on_way && self->fd >= 0 && size >= 0) python_wait_fd(self->fd);",
        LEAF,
    ),
    (
        "Modules/_io/fileio.c",
        LEAF,
        "    if (size < 0)\n        return _io_FileIO_readall_impl(self);\n",
        "    if (size < 0 && on_way && python_is_stream(self->fd)) return python_read_all(self);\n"
        "    if (size < 0)\n        return _io_FileIO_readall_impl(self);\n",
    ),
]

# Tasks of asyncio: Handle._run() calls them through their context.
CHANGES += [
    on_entry(
        "Python/context.c",
        "context_run(PyContext *self, PyObject *const *args,\n"
        "            Py_ssize_t nargs, PyObject *kwnames)\n{",
        "int on_way = python_leaf;",
    ),
    (
        "Python/context.c",
        TAKEN,
        "    PyObject *call_result = _PyObject_VectorcallTstate(",
        "    python_pass(on_way, args[0]);\n    PyObject *call_result = _PyObject_VectorcallTstate(",
    ),
    (
        "Modules/_asynciomodule.c",
        TAKEN,
        "    return task_step(o->sw_task, o->sw_arg);",
        "    python_pass(python_take(o), o->sw_task);\n    return task_step(o->sw_task, o->sw_arg);",
    ),
    (
        "Modules/_asynciomodule.c",
        TAKEN,
        "    PyObject *res;\n\n    if (enter_task(task->task_loop, (PyObject*)task) < 0) {\n"
        "        return NULL;\n    }\n\n    res = task_step_impl(task, exc);",
        "    PyObject *res;\n    int on_way = python_take(task);\n\n"
        "    if (enter_task(task->task_loop, (PyObject*)task) < 0) {\n"
        "        return NULL;\n    }\n\n    python_pass(on_way, task);\n    res = task_step_impl(task, exc);",
    ),
    on_entry(
        "Modules/_asynciomodule.c",
        "task_step_impl(TaskObj *task, PyObject *exc)\n{",
        "int on_way = python_take(task);",
    ),
    (
        "Modules/_asynciomodule.c",
        TAKEN,
        "        gen_status = PyIter_Send(coro, Py_None, &result);",
        "        python_pass(on_way, coro);\n        gen_status = PyIter_Send(coro, Py_None, &result);",
    ),
    on_entry(
        "Modules/_asynciomodule.c",
        "task_wakeup(TaskObj *task, PyObject *o)\n{\n    PyObject *et",
        "int on_way = python_leaf;",
    ),
]
CHANGES += [
    ("Modules/_asynciomodule.c", TAKEN, old, f"{old[:indent]}python_pass(on_way, task);\n{old}", count)
    for old, indent, count in (
        ("            return task_step(task, NULL);", 12, 2),
        ("            result = task_step(task, fut_result);", 12, 1),
        ("    result = task_step(task, ev);", 4, 1),
    )
]

# A module that waits while it is imported.
CHANGES += [
    in_loop("res = import_name(tstate, frame, name, fromlist, level);", "name"),
    (
        "Python/import.c",
        TAKEN,
        "    PyObject *package = NULL;\n    PyInterpreterState *interp = tstate->interp;\n    int has_from;\n",
        "    PyObject *package = NULL;\n    PyInterpreterState *interp = tstate->interp;\n    int has_from;\n"
        "    int on_way = python_take(name);\n",
    ),
    (
        "Python/import.c",
        TAKEN,
        "        Py_XDECREF(mod);\n        mod = import_find_and_load(tstate, abs_name);\n        if (mod == NULL) {\n            goto error;",
        "        Py_XDECREF(mod);\n        python_pass(on_way, abs_name);\n"
        "        mod = import_find_and_load(tstate, abs_name);\n        if (mod == NULL) {\n            goto error;",
    ),
    on_entry(
        "Python/import.c",
        "import_find_and_load(PyThreadState *tstate, PyObject *abs_name)\n{",
        "int on_way = python_take(abs_name);",
    ),
    (
        "Python/import.c",
        TAKEN,
        "    mod = PyObject_CallMethodObjArgs(interp->importlib, &_Py_ID(_find_and_load),\n"
        "                                     abs_name, interp->import_func, NULL);\n",
        "    PyObject *find = PyObject_GetAttr(interp->importlib, &_Py_ID(_find_and_load));\n"
        "    python_pass(on_way, find);\n"
        "    if (find) mod = PyObject_CallFunctionObjArgs(find, abs_name, interp->import_func, NULL);\n"
        "    Py_XDECREF(find);\n",
    ),
]
