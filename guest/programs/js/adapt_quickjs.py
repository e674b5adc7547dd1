#!/usr/bin/env python3
"""adapt_quickjs: the few lines of QuickJS that must be otherwise here, changed at build time.

    adapt_quickjs.py QUICKJS.c OUTPUT.c

Each change says why, and must find exactly what it expects: another version of QuickJS stops the build
instead of being changed by accident.
"""
import pathlib
import sys

# (why, how often, old, new)
CHANGES = [
    ("programs may catch InternalError: running out of memory is theirs to handle; nothing here "
     "relies on errors that cannot be caught (a process is ended from outside)", 1,
     "    return p->class_id == JS_CLASS_ERROR && p->is_uncatchable_error;",
     "    (void)p;\n    return false;"),
    ("the wording that Node's users know", 2,
     "\"cannot read property '%s' of null\"", "\"Cannot read properties of null (reading '%s')\""),
    ("the wording that Node's users know", 2,
     "\"cannot read property '%s' of undefined\"",
     "\"Cannot read properties of undefined (reading '%s')\""),
    ("the wording that Node's users know", 1,
     "\"cannot set property '%s' of null\"", "\"Cannot set properties of null (setting '%s')\""),
    ("the wording that Node's users know", 1,
     "\"cannot set property '%s' of undefined\"",
     "\"Cannot set properties of undefined (setting '%s')\""),
]


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    text = source.read_text()
    for why, count, old, new in CHANGES:
        found = text.count(old)
        if found != count:
            sys.exit(f"{source}: expected {count} times, found {found} times: {old!r} ({why})")
        text = text.replace(old, new)
    output.write_text(text)


main()
