"""What a session of Python holds, for a portable snapshot: run inside a sandbox by guests.c.

`_take` is the records of another session in Base64, or None to give those of this one. A record is
as in guest/programs/sh/state.h. Modules are imported again, functions and classes of cells run again
from their source, other values go through pickle. What does not is named in records "left".
"""

import ast
import base64
import io
import linecache
import os
import pickle
import struct
import sys
import threading
import types

import _pinfold

KINDS = {"count", "future", "cwd", "env", "path", "name", "import", "source", "cell", "values",
         "left"}
OWN = {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__", "__file__",
       "__cached__"}


def the_cells():
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "session" and "cells" in frame.f_locals:
            return frame.f_locals["cells"]
        frame = frame.f_back
    raise RuntimeError("this is no session")


class Records:
    def __init__(self):
        self.data = bytearray()

    def put(self, *fields):
        self.data += struct.pack("<I", len(fields))
        for field in fields:
            raw = field if isinstance(field, bytes) else field.encode("utf-8", "surrogateescape")
            self.data += struct.pack("<I", len(raw)) + raw

    def leave(self, what, error=None):
        text = f"of Python: {what}"
        if error is not None:
            text += f" ({type(error).__name__})"
        self.put("left", text.replace("\0", "?"))


def records_of(data):
    at = 0
    while at < len(data):
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
        fields = []
        for _ in range(count):
            (size,) = struct.unpack_from("<I", data, at)
            at += 4
            if size > len(data) - at:
                raise ValueError("a record is cut short")
            fields.append(data[at : at + size])
            at += size
        yield fields


# ---------------------------------------------------------------------- giving


def definitions(cells):
    """The functions and classes at the top of cells, the newest of a name: cell, first line, source."""
    found = {}
    for cell in cells.shown:
        lines = linecache.cache.get(cell, (0, None, []))[2]
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                source = "".join(lines[first - 1 : node.end_lineno])
                found[node.name] = cell, first, source
    return found


def is_defined(value, name):
    return (
        getattr(value, "__module__", None) == "__main__"
        and getattr(value, "__qualname__", None) == name
    )


def give_values(out, values):
    """Together, so that what is one stays one; what cannot be pickled is left."""
    good = {}
    for name, value in values.items():
        try:
            pickle.dumps(value, 4)
            good[name] = value
        except BaseException as error:
            out.leave(f"the name {name}", error)
    try:
        out.put("values", pickle.dumps(good, 4))
    except BaseException as error:
        for name in good:
            out.leave(f"the name {name}", error)


def give(out, cells):
    names, values, kept = cells.names, {}, set()
    known = definitions(cells)
    out.put("count", str(cells.count - 1))
    out.put("future", str(cells.future))
    out.put("cwd", os.getcwd())
    for key, value in os.environb.items():
        out.put("env", key, value)
    for entry in sys.path:
        if isinstance(entry, str):
            out.put("path", entry)
    for name, value in list(names.items()):
        if name in OWN or not isinstance(name, str):
            continue
        out.put("name", name)
        if isinstance(value, types.ModuleType):
            if sys.modules.get(value.__name__) is value:
                out.put("import", name, value.__name__)
            else:
                out.leave(f"the module {name}")
        elif is_defined(value, name) and name in known:
            cell, first, source = known[name]
            kept.add(cell)
            out.put("source", name, cell, str(first), source)
        elif name != "__annotations__" or value:
            values[name] = value
    for cell in cells.shown:
        if cell in kept:
            out.put("cell", cell, "".join(linecache.cache[cell][2]))
    give_values(out, values)
    if cells.runner is not None:
        out.leave("its event loop and tasks")
    if threading.active_count() > 1:
        out.leave("its threads")


# ---------------------------------------------------------------------- taking


class Missing:
    """In the place of a class that is not there."""

    def __new__(cls, *args, **how):
        return object.__new__(cls)

    def __setstate__(self, state):
        pass


class Unpickler(pickle.Unpickler):
    missing: set

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except (AttributeError, ImportError):
            self.missing.add(f"{module}.{name}")
            return Missing


def take_values(out, names, data):
    unpickler = Unpickler(io.BytesIO(data))
    unpickler.missing = set()
    try:
        values = unpickler.load()
    except BaseException as error:
        out.leave("the values of its names", error)
        return
    for what in sorted(unpickler.missing):
        out.leave(f"{what}, which values are made of")
    for name, value in values.items():
        if not isinstance(value, Missing) and value is not Missing:
            names[name] = value


def take_source(names, fields):
    name, cell, first, source = fields
    code = compile("\n" * (int(first) - 1) + source, cell, "exec", dont_inherit=True)
    exec(code, names)


def take_sources(out, names, sources):
    """Each may need another one, so those that fail come again while others do not."""
    while sources:
        failed = []
        for fields in sources:
            try:
                take_source(names, fields)
            except BaseException as error:
                failed.append((fields, error))
        if len(failed) == len(sources):
            return failed
        sources = [fields for fields, _ in failed]
    return []


def take_import(out, names, name, module):
    import importlib

    try:
        names[name] = importlib.import_module(module)
    except BaseException as error:
        out.leave(f"the module {module}", error)


def take_place(out, kinds):
    for (cwd,) in kinds.get("cwd", ()):
        try:
            os.chdir(cwd)
        except OSError as error:
            out.leave(f"its working directory {cwd.decode(errors='replace')}", error)
    if "env" in kinds:
        for key in list(os.environb):
            del os.environb[key]
        for key, value in kinds["env"]:
            os.environb[key] = value
    if "path" in kinds:
        sys.path[:] = [entry.decode("utf-8", "surrogateescape") for (entry,) in kinds["path"]]


def take(out, cells, data):
    kinds, names = {}, cells.names
    for kind, *fields in records_of(data):
        kinds.setdefault(kind.decode(errors="replace"), []).append(fields)
    for kind in kinds:
        if kind not in KINDS:
            out.leave(f"what {kind} says, which is not known here")
    take_place(out, kinds)
    for name, text in kinds.get("cell", ()):
        cells.name = name.decode()
        cells.keep(text)
    for name, module in kinds.get("import", ()):
        take_import(out, names, name.decode(), module.decode())
    sources = [[field.decode("utf-8", "surrogateescape") for field in fields]
               for fields in kinds.get("source", ())]
    late = take_sources(out, names, sources)
    for (values,) in kinds.get("values", ()):
        take_values(out, names, values)
    for fields, error in take_sources(out, names, [fields for fields, _ in late]):
        out.leave(f"the name {fields[0]}", error)
    order = [name.decode("utf-8", "surrogateescape") for (name,) in kinds.get("name", ())]
    for name in order:
        if name in names:
            names[name] = names.pop(name)
    for (number,) in kinds.get("future", ()):
        cells.future = int(number) & 0x1FF0000
    for (number,) in kinds.get("count", ()):
        cells.count = int(number)


def main(data):
    cells, out = the_cells(), Records()
    shown = cells.shown.pop()  # the text of this run
    linecache.cache.pop(shown, None)
    if data is None:
        give(out, cells)
    else:
        take(out, cells, base64.b64decode(data))
    _pinfold.run_value(bytes(out.data))


main(globals()["_take"])
