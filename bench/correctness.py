"""The share of recorded cases, what bash and GNU tools really print, that a contender gets right.

Each case runs in a sandbox of its own, and all of a contender's in a process of their own: one that
hangs or dies has that case wrong and goes on with the next. Output and exit status must be equal.
"""

import json
import multiprocessing
import pathlib

SECONDS = 10  #: for one case
ENV = {
    "PATH": "/tmp/helpers:/usr/bin:/bin",
    "HOME": "/workspace",
    "TMP": "/tmp/spec",
    "SH": "bash",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "USER": "user",
}


def read(folder: pathlib.Path, name: str) -> list[dict]:
    """The cases of one file, each with all the files that it needs."""
    helpers = {
        f"/tmp/helpers/{p.name}": p.read_text() for p in (folder / "helpers/sandbox").iterdir()
    }
    cases = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
    for case in cases:
        own = case.get("files", {}).items()
        case["files"] = helpers | {f"/workspace/{path.lstrip('/')}": text for path, text in own}
    return cases


def agrees(kind: type, case: dict) -> bool:
    try:
        out, status = kind.case(case["code"], case["files"], ENV)
    except Exception:
        return False
    return out == case["stdout"] and status == case["status"]


def serve(kind: type, pipe) -> None:
    while True:
        pipe.send(agrees(kind, pipe.recv()))


def share(kind: type, cases: list[dict]) -> float:
    """Per cent."""
    context = multiprocessing.get_context("fork")
    worker, right = None, 0
    for case in cases:
        if worker is None:
            ours, theirs = context.Pipe()
            worker = context.Process(target=serve, args=(kind, theirs), daemon=True)
            worker.start()
            theirs.close()
        ours.send(case)
        try:
            right += ours.recv() if ours.poll(SECONDS) else stopped(worker)
            if not worker.is_alive():
                worker = None
        except EOFError:  # it died
            worker = None
    if worker:
        worker.kill()
    return 100 * right / len(cases)


def stopped(worker) -> int:
    worker.kill()
    worker.join()
    return 0
