"""`Script`: a script for the rows of a Ray Dataset."""

from __future__ import annotations

import json
from typing import Any

from ..sandbox import Sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Script:
    """``ds.map_batches(Script(code))``: each row is given to the script as JSON on its standard
    input, in a new sandbox; what it prints as a JSON object (or what a JavaScript program returns)
    is the new row. Another output is the column ``stdout``, a failure the column ``error``.

    >>> import numpy
    >>> double = Script("jq '{n: (.n * 2)}'")
    >>> double({"n": numpy.array([1, 2])})["n"].tolist()
    [2, 4]
    """

    def __init__(self, code: str, language: str = "shell", **settings: Any) -> None:
        self._code, self._language, self._settings = code, language, settings

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        import numpy

        columns = {name: list(values) for name, values in batch.items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        made = [self._row(row) for row in rows]
        names = list(dict.fromkeys(name for row in made for name in row))
        return {name: numpy.array([row.get(name) for row in made]) for name in names}

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        with Sandbox(**self._settings) as sandbox:
            text = json.dumps(row, default=_plain)
            result = sandbox.run(self._code, self._language, text)
        if not result.ok:
            return {"error": result.stderr or f"exit status {result.exit_code}"}
        value = result.value
        if value is None:
            try:
                value = json.loads(result.stdout)
            except ValueError:
                pass
        return value if isinstance(value, dict) else {"stdout": result.stdout}


def _plain(value: Any) -> Any:
    """A value of numpy's as Python has it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no JSON")
