"""A run of the embedder in Python: its text as a notebook's cell.

Names are those of __main__, await works at the top level, and the value of a last expression goes to the
embedder when JSON can hold it; other values but None are printed. What the text raises is told with
the text's own lines.
"""

import sys

NAME = "<cell>"
ARGUMENTS = "#!pinfold-argv "


def run():
    import __main__
    import _pinfold

    try:
        text = _pinfold.run_text()
    except OSError:
        sys.stderr.write("unknown option --run\nTry `python3 -h' for more information.\n")
        sys.exit(2)
    for name in ("_cell",):
        __main__.__dict__.pop(name, None)
    sys.argv[:] = [""]
    try:
        value = evaluate(text, __main__.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        tell(error)
        if isinstance(error, KeyboardInterrupt):
            interrupted()
        sys.exit(1)
    if value is not None:
        give(value)


def evaluate(text, names):
    import ast
    import linecache

    source = text.decode()  # a file may say otherwise, the embedder's text is UTF-8
    if source.startswith(ARGUMENTS):  # of `pinfold run FILE ARGUMENT...`
        import json

        words, _, source = source.removeprefix(ARGUMENTS).partition("\n")
        sys.argv[:] = json.loads(words)
    source = unindented(source)
    linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, NAME, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    execute(compile(tree, NAME, "exec", flags, dont_inherit=True), names)
    if last is None:
        return None
    return execute(
        compile(ast.Expression(last.value), NAME, "eval", flags, dont_inherit=True), names
    )


def unindented(source):
    """As a notebook takes a cell that stands indented in another text: without its first line's indent."""
    lines = source.splitlines(True)
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = first[: len(first) - len(first.lstrip())]
    if not indent:
        return source
    return "".join(line.removeprefix(indent) for line in lines)


runner = None  # of cells that wait; one loop, so that tasks of the first half go on in the second


def execute(code, names):
    global runner
    result = eval(code, names)
    if not code.co_flags & 0x80:  # CO_COROUTINE
        return result
    if runner is None:
        import asyncio

        runner = asyncio.Runner()
        import atexit

        atexit.register(runner.close)
    return runner.run(result)


def give(value):
    import json

    import _pinfold

    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        print(repr(value))
    else:
        _pinfold.run_value(text.encode())


def tell(error):
    """Prints a traceback without the frames of this file and what runs it."""
    import traceback

    sys.stdout.flush()
    inner = error.__traceback__
    while inner is not None and inner.tb_frame.f_code.co_filename != NAME:
        inner = inner.tb_next
    traceback.print_exception(type(error), error, inner)


def interrupted():
    import os
    import signal

    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
