# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_streams: more of adapt_waits: the waits of streams, select() and children."""

from adapt_waits import LEAF, on_entry

CHANGES = []

# Methods of buffered streams that read.
STREAM = "python_reader = python_leaf ? self : 0;"
CHANGES += [
    on_entry("Modules/_io/bufferedio.c", head + "]*/\n{", STREAM, LEAF)
    for head in (
        "output=ba7a097ca230102b input=37ffb97d06ff4adb",
        "output=f41c78bb15b9bbe9 input=7df81e82e08a68a2",
        "output=bcc4fb4e54d103a3 input=7d22de9630b61774",
        "output=24dd2aa6e33be83c input=673b6240e315ef8a",
    )
]
CHANGES += [
    on_entry(
        "Modules/_io/bufferedio.c",
        "_buffered_readinto_generic(buffered *self, Py_buffer *buffer, char readinto1)\n{",
        STREAM,
        LEAF,
    ),
    on_entry(
        "Modules/_io/bufferedio.c",
        "buffered_iternext(buffered *self)\n{",
        "python_reader = python_take(self) ? self : 0;",
        LEAF,
    ),
    (
        "Modules/_io/bufferedio.c",
        LEAF,
        "        res = PyObject_CallMethodOneArg(self->raw, &_Py_ID(readinto), memobj);\n",
        "        int on_way = python_reader == self;\n"
        "        if (on_way) python_wait_raw(self->raw);\n"
        "        res = PyObject_CallMethodOneArg(self->raw, &_Py_ID(readinto), memobj);\n"
        "        if (on_way) python_reader = self;\n",
    ),
    (
        "Modules/_io/bufferedio.c",
        LEAF,
        "        tmp = _PyObject_CallNoArgs(readall);\n",
        "        if (python_reader == self && python_is_stream(python_raw_fd(self->raw)))\n"
        "            tmp = python_read_all(self->raw);\n"
        "        else\n"
        "            tmp = _PyObject_CallNoArgs(readall);\n",
    ),
    (
        "Modules/_io/bufferedio.c",
        LEAF,
        "static Py_ssize_t\n_bufferedreader_raw_read(buffered *self, char *start, Py_ssize_t len)\n{",
        "void python_wait_buffered(void *stream)\n{\n"
        "    buffered *self = stream;\n"
        "    if (Py_IS_TYPE(self, &PyBufferedReader_Type) && self->ok > 0 && READAHEAD(self) == 0)\n"
        "        python_wait_raw(self->raw);\n}\n\n"
        "static Py_ssize_t\n_bufferedreader_raw_read(buffered *self, char *start, Py_ssize_t len)\n{",
    ),
    # Text on them.
    on_entry(
        "Modules/_io/textio.c",
        "/*[clinic end generated code: output=7e651ce6cc6a25a6 input=123eecbfe214aeb8]*/\n{",
        STREAM,
        LEAF,
    ),
    on_entry(
        "Modules/_io/textio.c",
        "/*[clinic end generated code: output=344afa98804e8b25 input=56c7172483b36db6]*/\n{",
        STREAM,
        LEAF,
    ),
    on_entry(
        "Modules/_io/textio.c",
        "textiowrapper_iternext(textio *self)\n{",
        "python_reader = python_take(self) ? self : 0;",
        LEAF,
    ),
    (
        "Modules/_io/textio.c",
        LEAF,
        "    input_chunk = PyObject_CallMethodOneArg(self->buffer,\n",
        "    int on_way = python_reader == self && Py_IS_TYPE(self->buffer, &PyBufferedReader_Type);\n"
        "    if (on_way) python_wait_buffered(self->buffer);\n"
        "    input_chunk = PyObject_CallMethodOneArg(self->buffer,\n",
    ),
    (
        "Modules/_io/textio.c",
        LEAF,
        "    Py_DECREF(chunk_size);\n    if (input_chunk == NULL)\n        goto fail;\n\n    if (PyObject_GetBuffer(input_chunk",
        "    Py_DECREF(chunk_size);\n    if (on_way) python_reader = self;\n"
        "    if (input_chunk == NULL)\n        goto fail;\n\n    if (PyObject_GetBuffer(input_chunk",
    ),
    (
        "Modules/_io/textio.c",
        LEAF,
        "        PyObject *bytes = PyObject_CallMethodNoArgs(self->buffer, &_Py_ID(read));\n",
        "        PyObject *bytes;\n"
        "        if (python_reader == self && !self->seekable && Py_IS_TYPE(self->buffer, &PyBufferedReader_Type))\n"
        "            bytes = python_read_buffered(self->buffer);\n"
        "        else\n"
        "            bytes = PyObject_CallMethodNoArgs(self->buffer, &_Py_ID(read));\n",
    ),
    (
        "Modules/_io/textio.c",
        LEAF,
        "/* Seek and Tell */\n",
        "void *python_text_line(void *stream)\n{\n"
        "    textio *self = stream;\n"
        "    if (!Py_IS_TYPE(self, &PyTextIOWrapper_Type) || self->ok <= 0 || self->detached) return NULL;\n"
        "    python_reader = self;\n"
        "    return _textiowrapper_readline(self, -1);\n}\n\n"
        "/* Seek and Tell */\n",
    ),
    (
        "Modules/signalmodule.c",
        "a handler runs within a wait that is unwound, and is not on the list itself",
        "    _Py_atomic_store_relaxed(&Handlers[sig_num].tripped, 1);\n\n    /* Set is_tripped",
        "    pf_set_unwindable(0);\n    _Py_atomic_store_relaxed(&Handlers[sig_num].tripped, 1);\n\n    /* Set is_tripped",
    ),
]

# More waits.
CHANGES += [
    on_entry(
        "Modules/posixmodule.c",
        "/*[clinic end generated code: output=6bc419ac32fb364b input=03b0182d4a4700ce]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/posixmodule.c",
        LEAF,
        "        pid = wait(&status);\n",
        "        pid = python_waitpid(on_way, -1, &status, 0);\n",
    ),
    on_entry(
        "Modules/selectmodule.c",
        "/*[clinic end generated code: output=2b3cfa824f7ae4cf input=e467f5d68033de00]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    (
        "Modules/selectmodule.c",
        LEAF,
        "        n = select(\n            max,",
        "        pf_set_unwindable(on_way);\n        n = select(\n            max,",
    ),
    on_entry(
        "Modules/_io/iobase.c",
        "/*[clinic end generated code: output=2f50421677fa3dea input=9400c786ea9dc416]*/\n{",
        "int on_way = python_leaf;",
        LEAF,
    ),
    ("Modules/_io/iobase.c", LEAF, "    if (hint <= 0) {\n        /* XXX", "    if (hint <= 0 && !on_way) {\n        /* XXX"),
    (
        "Modules/_io/iobase.c",
        LEAF,
        "        PyObject *line = PyIter_Next(it);\n",
        "        python_pass(on_way, it);\n        PyObject *line = PyIter_Next(it);\n        python_next = 0;\n",
    ),
    (
        "Modules/_io/iobase.c",
        LEAF,
        "        if (line_length > hint - length)",
        "        if (hint > 0 && line_length > hint - length)",
    ),
    (
        "Modules/selectmodule.c",
        LEAF,
        "            tvp);\n        Py_END_ALLOW_THREADS",
        "            tvp);\n        pf_set_unwindable(0);\n        Py_END_ALLOW_THREADS",
    ),
    on_entry(
        "Modules/posixmodule.c",
        "/*[clinic end generated code: output=3626c81f98985d49 input=13c956413110eeaa]*/\n{",
        "int on_way = python_leaf;",
        "a process that forks must be plain bytes",
    ),
    (
        "Modules/posixmodule.c",
        "a process that forks must be plain bytes",
        "    PyOS_BeforeFork();\n    pid = fork();\n    if (pid == 0) {\n"
        "        /* child: this clobbers and resets the import lock. */\n"
        "        PyOS_AfterFork_Child();\n    } else {\n"
        "        /* parent: release the import lock. */\n"
        "        PyOS_AfterFork_Parent();\n    }\n    if (pid == -1 && errno == ENOSYS) {",
        "    PyOS_BeforeFork();\n    pid = PYTHON_UNWOUND(on_way, fork());\n    int error = errno;\n    if (pid == 0) {\n"
        "        /* child: this clobbers and resets the import lock. */\n"
        "        PyOS_AfterFork_Child();\n    } else {\n"
        "        /* parent: release the import lock. */\n"
        "        PyOS_AfterFork_Parent();\n    }\n    errno = error;\n"
        "    if (pid == -1 && errno == ENOSYS) {",
    ),
]
