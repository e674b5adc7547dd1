#!/usr/bin/env python3
# ruff: noqa: E501 (texts of CPython stand as they are)
"""adapt_cpython: the few lines of CPython that must be otherwise here, changed at build time.

    adapt_cpython.py CPYTHON OUTPUT

Each change says why, and must find exactly what it expects: another version of CPython stops the build
instead of being changed by accident.
"""

import pathlib
import sys

import adapt_boot
import adapt_streams
import adapt_waits

# (file, why, old, new), and how often it is there, if not once.
CHANGES = [
    (
        "Modules/_threadmodule.c",
        "there are no threads: who asks for one hears what to use",
        'PyErr_SetString(ThreadError, "can\'t start new thread");',
        'PyErr_SetString(ThreadError, "can\'t start new thread: a sandbox has none; use asyncio, or "\n'
        '                        "subprocess for work beside this process");',
    ),
    (
        "Modules/posixmodule.c",
        "what is not plain bytes cannot fork (waits.h): who does hears what to use",
        "    if (pid == -1)\n        return posix_error();\n    return PyLong_FromPid(pid);\n}\n#endif /* HAVE_FORK */",
        "    if (pid == -1 && errno == ENOSYS) {\n"
        '        PyErr_SetString(PyExc_OSError, "[Errno 38] python cannot fork below other C, such as a key of sort() or map(): use subprocess, "\n'
        '                        "os.posix_spawn, or a shell\'s &");\n'
        "        return NULL;\n    }\n"
        "    if (pid == -1)\n        return posix_error();\n    return PyLong_FromPid(pid);\n}\n#endif /* HAVE_FORK */",
    ),
    (
        "Parser/parser.c",
        "the stack is as deep as elsewhere: nesting ends at the tokenizer's bound, with its message",
        "#ifdef __wasi__\n",
        "#if 0\n",
    ),
    (
        "Lib/asyncio/unix_events.py",
        "a thread for each child cannot be; SIGCHLD tells of them",
        "                self._watcher = ThreadedChildWatcher()\n",
        "                self._watcher = SafeChildWatcher()\n",
    ),
    (
        "Lib/http/client.py",
        "connections are calls of the tool http/request, where there is one",
        "try:\n    import ssl\nexcept ImportError:\n    pass\nelse:\n",
        "try:\n    import ssl\nexcept ImportError:\n    import _http_tool\n"
        "    if _http_tool.is_there():\n"
        "        HTTPSConnection = _http_tool.connect_by_tool(HTTPConnection)\n"
        '        __all__.append("HTTPSConnection")\n'
        "else:\n",
    ),
    (
        "Lib/asyncio/base_events.py",
        "threads take turns: lib/_turns.py",
        "        event_list = self._selector.select(timeout)\n",
        "        event_list = self._selector.select(_turns.before_select(timeout))\n",
    ),
    (
        "Lib/asyncio/base_events.py",
        "threads take turns: lib/_turns.py",
        "import collections\nimport collections.abc\n",
        "import _turns\nimport collections\nimport collections.abc\n",
    ),
    (
        "Lib/threading.py",
        "threads take turns: lib/_turns.py",
        "_start_new_thread = _thread.start_new_thread\n_allocate_lock = _thread.allocate_lock\n"
        "_set_sentinel = _thread._set_sentinel\nget_ident = _thread.get_ident\ntry:\n",
        "import _turns\n_allocate_lock = _turns.Lock\nget_ident = _turns.get_ident\ntry:\n",
    ),
    (
        "Lib/threading.py",
        "a lock of _turns is one of Python",
        "try:\n    _CRLock = _thread.RLock\nexcept AttributeError:\n    _CRLock = None\n",
        "_CRLock = None\n",
    ),
    (
        "Lib/threading.py",
        "a thread that did not run yet counts as started",
        "            _start_new_thread(self._bootstrap, ())\n",
        "            self._ident = _turns.next_ident()\n"
        "            self._set_tstate_lock()\n"
        "            _turns.start_new_thread(self._bootstrap, (), daemon=self._daemonic)\n"
        "            self._started.set()\n"
        "            with _active_limbo_lock:\n"
        "                _active[self._ident] = self\n"
        "                _limbo.pop(self, None)\n",
    ),
    ("Lib/threading.py", "it counts as started", "        self._started.wait()\n\n    def run", "\n    def run"),
    (
        "Lib/threading.py",
        "its start did this",
        "            self._set_ident()\n            self._set_tstate_lock()\n",
        "            self._set_ident()\n",
    ),
    (
        "Lib/threading.py",
        "its start did this",
        "                _active[self._ident] = self\n                del _limbo[self]\n",
        "                _active[self._ident] = self\n                _limbo.pop(self, None)\n",
    ),
    (
        "Lib/threading.py",
        "_turns releases it when the thread has ended",
        "        self._tstate_lock = _set_sentinel()\n",
        "        self._tstate_lock = _turns.sentinel(self._ident)\n",
    ),
    (
        "Lib/threading.py",
        "who asks in a loop waits for it",
        "        if self._is_stopped or not self._started.is_set():\n            return False\n",
        "        if self._ident != get_ident():\n            _turns.run_one()\n"
        "        if self._is_stopped or not self._started.is_set():\n            return False\n",
    ),
    (
        "Lib/threading.py",
        "_thread's would be of the only thread there is",
        "try:\n    from _thread import _local as local\nexcept ImportError:\n    from _threading_local import local\n",
        "from _threading_local import local\n",
    ),
    (
        "Lib/queue.py",
        "a lock of _turns is one of Python",
        "try:\n    from _queue import SimpleQueue\nexcept ImportError:\n    SimpleQueue = None\n",
        "SimpleQueue = None\n",
    ),
    (
        "Lib/multiprocessing/queues.py",
        "there is no thread that feeds the pipe: who puts something in does",
        "        with self._notempty:\n            if self._thread is None:\n                self._start_thread()\n"
        "            self._buffer.append(obj)\n            self._notempty.notify()\n\n    def get",
        "        obj = _ForkingPickler.dumps(obj)\n        with self._wlock:\n"
        "            self._writer.send_bytes(obj)\n\n    def get",
    ),
    (
        "Lib/multiprocessing/queues.py",
        "as above",
        "        with self._notempty, self._cond:\n            if self._thread is None:\n"
        "                self._start_thread()\n            self._buffer.append(obj)\n"
        "            self._unfinished_tasks.release()\n            self._notempty.notify()\n",
        "        obj = _ForkingPickler.dumps(obj)\n        with self._cond, self._wlock:\n"
        "            self._writer.send_bytes(obj)\n            self._unfinished_tasks.release()\n",
    ),
    (
        "Lib/multiprocessing/connection.py",
        "a socketpair() is two pipes, with two descriptors at each end",
        "            s1, s2 = socket.socketpair()\n",
        "            raise OSError(95, 'a Pipe() goes one way here: use Pipe(duplex=False), or a Queue')\n"
        "            s1, s2 = socket.socketpair()\n",
    ),
    (
        "Objects/abstract.c",
        "a size that fits 64 bits is too much memory, as it is elsewhere",
        "    else {\n        /* Otherwise replace the error with caller's error object. */\n",
        "    else if (err == PyExc_OverflowError && _PyLong_NumBits(value) < 64) {\n"
        "        if (_PyLong_Sign(value) < 0)\n            result = PY_SSIZE_T_MIN;\n"
        "        else\n            _PyErr_NoMemory(tstate);\n    }\n"
        "    else {\n        /* Otherwise replace the error with caller's error object. */\n",
    ),
    (
        "Objects/abstract.c",
        "as above; nothing, repeated, is nothing",
        "        count = PyNumber_AsSsize_t(n, PyExc_OverflowError);\n        if (count == -1 && PyErr_Occurred()) {\n"
        "            return NULL;\n        }\n",
        "        count = PyNumber_AsSsize_t(n, PyExc_OverflowError);\n        if (count == -1 && PyErr_Occurred()) {\n"
        "            if (!PyErr_ExceptionMatches(PyExc_MemoryError)) {\n                return NULL;\n            }\n"
        "            PyErr_Clear();\n            count = PySequence_Size(seq);\n"
        "            if (count != 0) {\n                return count < 0 ? NULL : PyErr_NoMemory();\n            }\n"
        "        }\n",
    ),
    (
        "Objects/bytesobject.c",
        "as above",
        '        PyErr_SetString(PyExc_OverflowError,\n            "repeated bytes are too long");\n',
        "        PyErr_NoMemory();\n",
        2,
    ),
    (
        "Objects/unicodeobject.c",
        "as above",
        '        PyErr_SetString(PyExc_OverflowError,\n                        "repeated string is too long");\n',
        "        PyErr_NoMemory();\n",
    ),
    ("Python/marshal.c", "as above", "#elif defined(__wasi__)\n", "#elif 0\n"),
]


def main() -> None:
    source, output = map(pathlib.Path, sys.argv[1:])
    texts: dict[str, str] = {}
    for name, why, old, new, *count in CHANGES + adapt_waits.CHANGES + adapt_streams.CHANGES + adapt_boot.CHANGES:
        text = texts.get(name) or (source / name).read_text()
        found, wanted = text.count(old), count[0] if count else 1
        if found != wanted:
            sys.exit(f"adapt_cpython: {name} has {found} times, not {wanted}, what is to change ({why}): {old}")
        texts[name] = text.replace(old, new)
    for path in (output / "adapted").rglob("*.*"):  # of another series of changes
        if path.is_file() and path.relative_to(output / "adapted").as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        path = output / "adapted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
