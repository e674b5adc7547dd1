"""Runs of the embedder in Python: each text a notebook's cell.

Names are those of __main__, await works at the top level, and the value of a last expression goes
to the embedder when JSON can hold it; other values but None are printed. What the text raises is
told with the text's own lines.

A session is one process that runs one cell after the other: names, imports, tasks and the working
directory last. A cell that ends with SystemExit ends alone.
"""

import sys

import _pinfold

ARGUMENTS = b"#!pinfold-argv "
STDIN, PLACE = 1, 4  # abi/types.h: PF_RUN_STDIN, PF_RUN_PLACE
FUTURE = 0x1FF0000  # what `from __future__ import` turns on, for the cells that follow
COROUTINE = 0x80  # of a code object: CO_COROUTINE
CELLS = 1000  # whose texts are kept for tracebacks


class Cells:
    """The cells of one interpreter."""

    def __init__(self):
        import __main__

        self.names = __main__.__dict__
        self.names.pop("_cell", None)
        self.count = 0
        self.future = 0
        self.runner = None  # of cells that wait; one loop, so that tasks go on in later cells
        self.shown = []  # the names of cells whose text is kept
        self.name = ""

    def run(self, text, name):
        """Runs a cell: its exit status."""
        sys.argv[:] = [""]
        self.name = name
        try:
            value = self.evaluate(text)
            if value is not None:
                give(value)
            return 0
        except SystemExit as leaving:
            return exit_status(leaving.code)
        except BaseException as error:
            self.tell(error)
            return 130 if isinstance(error, KeyboardInterrupt) else 1
        finally:
            flush()

    def evaluate(self, text):
        if text.startswith(ARGUMENTS):  # of `pinfold run FILE ARGUMENT...`
            import json

            words, _, text = text.removeprefix(ARGUMENTS).partition(b"\n")
            sys.argv[:] = json.loads(words)
            self.name = sys.argv[0]
        if text[:1] in b" \t\n#":
            text = unindented(text.decode()).encode()
        self.keep(text)
        code, last = _pinfold.compile_cell(text, self.name, self.future)
        parts = [part for part in (code, last) if part is not None]
        for part in parts:
            self.future |= part.co_flags & FUTURE
        if any(part.co_flags & COROUTINE for part in parts):
            value = self.run_in_loop(parts)
        else:
            for part in parts:
                value = eval(part, self.names)
        return None if last is None else value

    def run_in_loop(self, parts):
        if self.runner is None:
            import asyncio

            self.runner = asyncio.Runner()
            import atexit

            atexit.register(self.runner.close)
        return self.runner.run(self.awaited(parts))

    async def awaited(self, parts):
        for part in parts:
            value = eval(part, self.names)
            if part.co_flags & COROUTINE:
                value = await value
        return value

    def keep(self, text):
        """The text's lines, for tracebacks."""
        import linecache

        lines = text.decode(errors="replace").splitlines(True)
        linecache.cache[self.name] = (len(text), None, lines, self.name)
        self.shown.append(self.name)
        if len(self.shown) > CELLS:
            linecache.cache.pop(self.shown.pop(0), None)

    def tell(self, error):
        """Prints a traceback without the frames of this file and what runs it."""
        import traceback

        flush()
        inner = error.__traceback__
        while inner is not None and inner.tb_frame.f_code.co_filename != self.name:
            inner = inner.tb_next
        try:
            traceback.print_exception(type(error), error, inner)
        except BaseException:  # an exception that cannot be printed
            sys.__stderr__.write(f"{type(error).__name__}\n")


def run():
    """The one cell of a process of its own."""
    try:
        text = _pinfold.run_text()
    except OSError:
        sys.stderr.write("unknown option --run\nTry `python3 -h' for more information.\n")
        sys.exit(2)
    status = Cells().run(text, "<cell>")
    if status == 130:
        interrupted()
    sys.exit(status)


def session():
    """Cells, until the sandbox is closed."""
    import os

    cells, status, had_input, own = Cells(), -1, False, os.getpid()
    while os.getpid() == own:
        try:
            flags = _pinfold.run_next(status)
        except PermissionError:
            sys.stderr.write("unknown option --session\nTry `python3 -h' for more information.\n")
            sys.exit(2)
        has_input = bool(flags & STDIN)
        renew_streams(has_input or had_input)
        had_input = has_input
        tools = sys.modules.get("tools")
        if tools is not None:
            tools._refresh()
        cells.count += 1
        name, text = f"<cell {cells.count}>", _pinfold.run_text()
        status = placed(cells, text, name) if flags & PLACE else cells.run(text, name)
    sys.exit(status)  # a child that a cell forked


def placed(cells, text, name):
    """Runs a cell with a working directory and variables of its own, which stand before its text."""
    import os

    cwd, _, text = text.partition(b"\0")
    before, variables = os.getcwd(), dict(os.environb)
    try:
        while not text.startswith(b"\0"):
            variable, _, text = text.partition(b"\0")
            key, _, value = variable.partition(b"=")
            os.environb[key] = value
        if cwd:
            os.chdir(cwd)
    except OSError as error:
        print(f"python3: {cwd.decode(errors='replace')}: {error.strerror}", file=sys.stderr)
        flush()
        return 1
    try:
        return cells.run(text[1:], name)
    finally:
        os.chdir(before)
        for key in {*os.environb, *variables}:
            if key not in variables:
                del os.environb[key]
            elif os.environb.get(key) != variables[key]:
                os.environb[key] = variables[key]


def renew_streams(with_input):
    """Each run has its own streams; an earlier cell may have closed, replaced or used up what was there."""
    if with_input or sys.stdin is not sys.__stdin__ or closed(sys.stdin):
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    for name, fd in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if closed(stream):
            errors, buffering = ("backslashreplace", 1) if fd == 2 else ("strict", -1)
            stream = open(fd, "w", buffering, "utf-8", errors, closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def closed(stream):
    try:
        return stream is None or stream.closed
    except (AttributeError, ValueError):
        return False


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


def exit_status(code):
    """As sys.exit() says it."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    flush()
    print(code, file=sys.stderr)
    return 1


def unindented(source):
    """As a notebook takes a cell that stands indented elsewhere: without its first line's indent."""
    lines = source.splitlines(True)
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = first[: len(first) - len(first.lstrip())]
    if not indent:
        return source
    return "".join(line.removeprefix(indent) for line in lines)


def give(value):
    if type(value) is int and -(1 << 53) < value < 1 << 53:
        _pinfold.run_value(b"%d" % value)
        return
    import json

    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        print(repr(value))
    else:
        _pinfold.run_value(text.encode("utf-8", "surrogatepass"))


def interrupted():
    import os
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
