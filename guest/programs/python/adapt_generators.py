# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_generators: a for loop runs a generator in the loop of the interpreter that it is in.

CPython 3.11 calls itself for each value, as 3.12 does not any more; here each such call costs more
than there. A generator that FOR_ITER starts is a frame that is no entry: it goes back to the loop's
frame when it yields, returns or raises. All else that runs generators is as it was.

A change of adapt_cpython.py's kind each.
"""

WHY = "a for loop runs a generator without another activation"

CHANGES = [
    (
        "Python/ceval.c",
        WHY,
        "#ifdef Py_STATS\n            extern int _PySpecialization_ClassifyIterator(PyObject *);\n",
        "            if (PyGen_CheckExact(iter) && oparg < 256 && !cframe.use_tracing &&\n"
        "                ((PyGenObject *)iter)->gi_frame_state < FRAME_EXECUTING) {\n"
        "                PyGenObject *gen = (PyGenObject *)iter;\n"
        "                _PyInterpreterFrame *inner = (_PyInterpreterFrame *)gen->gi_iframe;\n"
        "                Py_INCREF(Py_None);\n"
        "                _PyFrame_StackPush(inner, Py_None);\n"
        "                gen->gi_exc_state.previous_item = tstate->exc_info;\n"
        "                tstate->exc_info = &gen->gi_exc_state;\n"
        "                gen->gi_frame_state = FRAME_EXECUTING;\n"
        "                _PyFrame_SetStackPointer(frame, stack_pointer);\n"
        "                inner->previous = frame;\n"
        "                inner->is_entry = false;\n"
        "                frame = cframe.current_frame = inner;\n"
        "                goto start_frame;\n"
        "            }\n"
        "#ifdef Py_STATS\n            extern int _PySpecialization_ClassifyIterator(PyObject *);\n",
    ),
    (
        "Python/ceval.c",
        WHY,
        "            assert(frame->is_entry);\n            PyObject *retval = POP();\n"
        "            _PyFrame_GetGenerator(frame)->gi_frame_state = FRAME_SUSPENDED;\n"
        "            _PyFrame_SetStackPointer(frame, stack_pointer);\n            TRACE_FUNCTION_EXIT();\n"
        "            DTRACE_FUNCTION_EXIT();\n            _Py_LeaveRecursiveCallTstate(tstate);\n",
        "            PyObject *retval = POP();\n"
        "            _PyFrame_GetGenerator(frame)->gi_frame_state = FRAME_SUSPENDED;\n"
        "            _PyFrame_SetStackPointer(frame, stack_pointer);\n            TRACE_FUNCTION_EXIT();\n"
        "            DTRACE_FUNCTION_EXIT();\n            _Py_LeaveRecursiveCallTstate(tstate);\n"
        "            if (!frame->is_entry) {\n"
        "                _PyInterpreterFrame *inner = frame;\n"
        "                PyGenObject *gen = _PyFrame_GetGenerator(inner);\n"
        "                tstate->exc_info = gen->gi_exc_state.previous_item;\n"
        "                gen->gi_exc_state.previous_item = NULL;\n"
        "                frame = cframe.current_frame = inner->previous;\n"
        "                inner->previous = NULL;\n"
        "                _PyFrame_StackPush(frame, retval);\n"
        "                goto resume_frame;\n"
        "            }\n",
    ),
    (
        "Python/ceval.c",
        WHY,
        "                _PyEvalFrameClearAndPop(tstate, dying);\n                _PyFrame_StackPush(frame, retval);\n"
        "                goto resume_frame;\n            }\n            /* Restore previous cframe and return. */\n",
        "                if (dying->owner == FRAME_OWNED_BY_GENERATOR) { /* the loop ends */\n"
        "                    end_generator(tstate, dying);\n"
        "                    Py_DECREF(retval);\n"
        "                    frame->prev_instr += _Py_OPARG(*frame->prev_instr);\n"
        "                    PyObject *iter = _PyFrame_StackPop(frame);\n"
        "                    Py_DECREF(iter);\n"
        "                    goto resume_frame;\n"
        "                }\n"
        "                _PyEvalFrameClearAndPop(tstate, dying);\n                _PyFrame_StackPush(frame, retval);\n"
        "                goto resume_frame;\n            }\n            /* Restore previous cframe and return. */\n",
    ),
    (
        "Python/ceval.c",
        WHY,
        "    frame = cframe.current_frame = dying->previous;\n    _PyEvalFrameClearAndPop(tstate, dying);\n\nresume_with_error:\n",
        "    frame = cframe.current_frame = dying->previous;\n"
        "    if (dying->owner == FRAME_OWNED_BY_GENERATOR) {\n"
        "        end_generator(tstate, dying);\n"
        "    }\n"
        "    else {\n"
        "        _PyEvalFrameClearAndPop(tstate, dying);\n"
        "    }\n\nresume_with_error:\n",
    ),
    (
        "Python/ceval.c",
        WHY,
        "PyObject *python_get_attr(int way, PyObject *owner, PyObject *name);\n",
        "/* As the end of gen_send_ex2(): a generator that FOR_ITER ran has returned or raised. */\n"
        "static __attribute__((noinline)) void\nend_generator(PyThreadState *tstate, _PyInterpreterFrame *frame)\n{\n"
        "    PyGenObject *gen = _PyFrame_GetGenerator(frame);\n"
        "    tstate->exc_info = gen->gi_exc_state.previous_item;\n"
        "    gen->gi_exc_state.previous_item = NULL;\n"
        "    frame->previous = NULL;\n"
        "    if (_PyErr_Occurred(tstate) && _PyErr_ExceptionMatches(tstate, PyExc_StopIteration)) {\n"
        '        _PyErr_FormatFromCause(PyExc_RuntimeError, "%s", "generator raised StopIteration");\n'
        "    }\n"
        "    _PyErr_ClearExcState(&gen->gi_exc_state);\n"
        "    gen->gi_frame_state = FRAME_CLEARED;\n"
        "    _PyFrame_Clear(frame);\n}\n\n"
        "PyObject *python_get_attr(int way, PyObject *owner, PyObject *name);\n",
    ),
]
