"""What the page of `pinfold debug` asks, and who answers: a replay, and branches of it."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..errors import SandboxStateError
from ..whatif import Recorded
from .branches import Branch, Origin
from .looking import content, looked_at, mounts_of, processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..events import Event
    from ..replaying import Replay
    from .looking import Looked

#: Branches that may be there at once, and replays that stand ready at a line.
_BRANCHES = 64
_READY = 8


class Session:
    """One person's. Threads may ask at the same time: each thing is done by one of them."""

    def __init__(self, run: Replay, events: list[Event], settings: dict[str, Any]) -> None:
        self._run = run
        self._lines = len(events)
        self._settings = settings
        self._recorded = Recorded(run._history.opening)
        self._all_recorded = self._recorded.answers(0)
        self._mounts = mounts_of(events)
        self._lock = threading.RLock()
        self._ready: OrderedDict[int, tuple[Replay, Looked, contextlib.ExitStack]] = OrderedDict()
        self._branches: dict[int, Branch] = {}
        self._number = 0
        self._questions: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "files": self._files,
            "file": self._file,
            "processes": self._processes,
            "branch": self._branch,
            "branches": lambda given: self._all(),
            "run": self._type,
            "go": lambda given: self._act(given, Branch.go),
            "recorded": lambda given: self._act(given, Branch.go_recorded),
            "end": lambda given: self._act(given, Branch.end),
            "answer": self._answer,
            "preview": self._preview,
            "accept": self._accept,
            "drop": lambda given: self._act(given, Branch.drop_preview),
            "close": self._close,
        }

    def answer(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Answers a question of the page. What it raises is told there."""
        if name == "interrupt":  # while another thread waits for the run
            branch = self._branches.get(_whole(given, "branch"))
            if branch is not None:
                branch.sandbox.interrupt()
            return {}
        if name not in self._questions:
            raise ValueError(f"there is no question {name!r}")
        with self._lock:
            return self._questions[name](given)

    def close(self) -> None:
        """Ends what still runs, and frees all."""
        for branch in [*self._branches.values()]:
            branch.kill()
        with self._lock:
            for branch in self._branches.values():
                branch.close()
            self._branches.clear()
            for _, _, opened in self._ready.values():
                opened.close()
            self._ready.clear()

    # ------------------------------------------------------------------ looking

    def _looked(self, state: Any) -> Looked:
        if not isinstance(state, dict):
            raise ValueError("a state is {line} or {branch}")
        if "branch" in state:
            return self._find(state).look(self._mounts)
        return self._at(_whole(state, "line"))[1]

    def _at(self, line: int) -> tuple[Replay, Looked]:
        """The recording after a line."""
        if line not in self._ready:
            if not 0 <= line < self._lines:
                raise ValueError(f"the trace has the lines 0 to {self._lines - 1}, not {line}")
            with contextlib.ExitStack() as opened:
                replay = opened.enter_context(self._run.at(min(line + 1, self._lines)))
                looked = opened.enter_context(looked_at(replay, self._mounts))
                self._ready[line] = replay, looked, opened.pop_all()
            if len(self._ready) > _READY:
                self._ready.popitem(last=False)[1][2].close()
        self._ready.move_to_end(line)
        return self._ready[line][:2]

    def _files(self, given: dict[str, Any]) -> dict[str, Any]:
        _, entries = self._looked(given.get("state"))
        return {"entries": {path: list(entry) for path, entry in entries.items()}}

    def _file(self, given: dict[str, Any]) -> dict[str, Any]:
        tree, entries = self._looked(given.get("state"))
        path = given.get("path")
        if not isinstance(path, str) or path not in entries:
            return {"why": "it is not there"}
        return content(tree, path)

    def _processes(self, given: dict[str, Any]) -> dict[str, Any]:
        state = given.get("state")
        if not isinstance(state, dict):
            raise ValueError("a state is {line} or {branch}")
        if "branch" in state:
            return {"processes": self._find(state).processes()}
        return {"processes": processes(self._at(_whole(state, "line"))[0]._machine)}

    # ------------------------------------------------------------------ branches

    def _find(self, given: dict[str, Any]) -> Branch:
        number = _whole(given, "branch")
        if number not in self._branches:
            raise LookupError(f"there is no branch {number} any more")
        return self._branches[number]

    def _all(self) -> dict[str, Any]:
        return {"branches": [branch.shown() for branch in self._branches.values()]}

    def _branch(self, given: dict[str, Any]) -> dict[str, Any]:
        if len(self._branches) >= _BRANCHES:
            raise SandboxStateError(f"there are {_BRANCHES} branches: close one first")
        state = given.get("from")
        if not isinstance(state, dict):
            raise ValueError("from is {line} or {branch}")
        number = self._number + 1
        if "branch" in state:
            branch = self._find(state).fork(number)
        else:
            line = _whole(state, "line")
            replay, _ = self._at(line)
            without: dict[str, Any] = dict.fromkeys(self._mounts)  # as far as they were read
            sandbox = replay.branch(**{**self._settings, "mounts": without})
            answers = self._recorded.answers(line + 1)
            branch = Branch(number, Origin(line, None), sandbox, answers, self._all_recorded)
        self._number = number
        self._branches[number] = branch
        return {"branch": branch.shown()}

    def _act(self, given: dict[str, Any], act: Callable[[Branch], None]) -> dict[str, Any]:
        branch = self._find(given)
        act(branch)
        return {"branch": branch.shown()}

    def _type(self, given: dict[str, Any]) -> dict[str, Any]:
        code, language = given.get("code"), given.get("language", "shell")
        if not isinstance(code, str) or not isinstance(language, str):
            raise ValueError("code and language are texts")
        return self._act(given, lambda branch: branch.run(code, language))

    def _answer(self, given: dict[str, Any]) -> dict[str, Any]:
        id, kind = _call(given), str(given.get("kind"))
        return self._act(given, lambda branch: branch.answer(id, kind, given.get("value")))

    def _preview(self, given: dict[str, Any]) -> dict[str, Any]:
        answers = given.get("answers")
        if not isinstance(answers, list) or not all(isinstance(a, dict) for a in answers):
            raise ValueError("answers is a list of objects")
        return {"preview": self._find(given).preview(_call(given), answers[:8])}

    def _accept(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._act(given, lambda branch: branch.accept(str(given.get("label"))))

    def _close(self, given: dict[str, Any]) -> dict[str, Any]:
        branch = self._find(given)
        for other in self._branches.values():  # what came from it stays, as a branch of its own
            if other.origin.branch == branch.id:
                other.origin = branch.origin
        del self._branches[branch.id]
        branch.close()
        return self._all()


def _whole(given: dict[str, Any], name: str) -> int:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} is a number, not {value!r}")
    return value


def _call(given: dict[str, Any]) -> int:
    id = given.get("call")
    if not isinstance(id, str) or not id.isascii() or not id.isdigit() or len(id) > 20:
        raise ValueError(f"call is the id of a call, as a text, not {id!r}")
    return int(id)
