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
import adapt_generators
import adapt_iterators
import adapt_signals
import adapt_streams
import adapt_system
import adapt_threads
import adapt_waits

# (file, why, old, new), and how often it is there, if not once.
CHANGES = [
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
        "Modules/posixmodule.c",
        "links have no modes, as on Linux: shutil knows of that",
        '#include "Python.h"\n',
        '#include "Python.h"\n#undef HAVE_LCHMOD\n',
    ),
    (
        "Modules/posixmodule.c",
        "a sandbox has one processor",
        "    int ncpu = 0;\n#ifdef MS_WINDOWS\n",
        "    int ncpu = 1;\n#ifdef MS_WINDOWS\n",
    ),
    (
        "Modules/_localemodule.c",
        "there is C and C.UTF-8; musl takes any name, and stays what it is",
        "        result = setlocale(category, locale);\n",
        '        static const char *const there[] = {"", "C", "POSIX", "C.UTF-8", "C.utf8"};\n'
        "        result = NULL;\n"
        "        for (int i = 0; i < 5; i++)\n"
        "            if (strcmp(locale, there[i]) == 0 || strchr(locale, ';')) result = setlocale(category, locale);\n",
    ),
    (
        "Lib/hashlib.py",
        "there is no OpenSSL, whose pbkdf2_hmac() is to be preferred",
        "        _warn(\n"
        '            "Python implementation of pbkdf2_hmac() is deprecated.",\n'
        "            category=DeprecationWarning,\n            stacklevel=2\n        )\n",
        "",
    ),
    (
        "Lib/hashlib.py",
        "as above; scrypt() is lib/_scrypt.py's",
        "try:\n    # OpenSSL's scrypt requires OpenSSL 1.1+\n    from _hashlib import scrypt\nexcept ImportError:\n    pass\n",
        'def scrypt(password, *, salt=b"", n=None, r=None, p=None, maxmem=0, dklen=64):\n'
        '    """scrypt password-based key derivation function."""\n'
        "    from _scrypt import derive\n"
        "    return derive(password, salt, n, r, p, maxmem, dklen)\n",
    ),
    (
        "Parser/parser.c",
        "the stack is as deep as elsewhere: nesting ends at the tokenizer's bound, with its message",
        "#ifdef __wasi__\n",
        "#if 0\n",
    ),
    (
        "Lib/http/client.py",
        "connections are calls of the tool http/request, where there is one",
        "try:\n    import ssl\nexcept ImportError:\n    pass\nelse:\n",
        "try:\n    import ssl\nexcept ImportError:\n    import _http_tool\n"
        "    HTTPSConnection = _http_tool.https_beside(HTTPConnection)\n"
        '    __all__.append("HTTPSConnection")\n'
        "else:\n",
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
    (
        "Python/pythonrun.c",
        "a status is cut off as it is where C's long has 64 bits",
        "        exitcode = (int)PyLong_AsLong(value);\n",
        "        exitcode = (int)PyLong_AsLongLong(value);\n",
    ),
    (
        "Modules/timemodule.c",
        "GNU's strftime() knows more",
        "#define format_time wcsftime\n",
        '#include "strftime.h"\n#define format_time python_strftime\n',
    ),
    ("Python/marshal.c", "as above", "#elif defined(__wasi__)\n", "#elif 0\n"),
]


def main() -> None:
    source, output = map(pathlib.Path, sys.argv[1:])
    texts: dict[str, str] = {}
    series = (adapt_waits, adapt_streams, adapt_threads, adapt_boot, adapt_system, adapt_generators, adapt_iterators, adapt_signals)
    for name, why, old, new, *count in CHANGES + [
        change for one in series for change in one.CHANGES
    ]:
        text = texts.get(name) or (source / name).read_text()
        found, wanted = text.count(old), count[0] if count else 1
        if found != wanted:
            sys.exit(
                f"adapt_cpython: {name} has {found} times, not {wanted}, what is to change ({why}): {old}"
            )
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
