#!/usr/bin/env python3
"""adapt_cpython: the few lines of CPython that must be otherwise here, changed at build time.

    adapt_cpython.py CPYTHON OUTPUT

Each change says why, and must find exactly what it expects: another version of CPython stops the build
instead of being changed by accident.
"""

import pathlib
import sys

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
        "an engine cannot fork (guest/libc/README.md): who does hears what to use",
        "    if (pid == -1)\n        return posix_error();\n    return PyLong_FromPid(pid);\n}\n#endif /* HAVE_FORK */",
        "    if (pid == -1 && errno == ENOSYS) {\n"
        '        PyErr_SetString(PyExc_OSError, "[Errno 38] python cannot fork in a sandbox: use subprocess, "\n'
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
    ("Python/marshal.c", "as above", "#elif defined(__wasi__)\n", "#elif 0\n"),
]


def main() -> None:
    source, output = map(pathlib.Path, sys.argv[1:])
    texts: dict[str, str] = {}
    for name, why, old, new, *count in [*CHANGES, *adapt_waits.CHANGES]:
        text = texts.get(name) or (source / name).read_text()
        found, wanted = text.count(old), count[0] if count else 1
        if found != wanted:
            sys.exit(f"adapt_cpython: {name} has {found} times, not {wanted}, what is to change ({why}): {old}")
        texts[name] = text.replace(old, new)
    for name, text in texts.items():
        path = output / "adapted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
