"""A sandbox that a LangGraph state carries, so that a checkpoint has all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..sandbox import Sandbox


class Carried:
    """A sandbox in the state of a graph, as a snapshot under one name.

    Authority does not come from a checkpoint: ``settings`` (tools, capabilities, limits, a ``key``
    that authenticates) are those of the process that goes on with the graph.
    """

    def __init__(self, name: str = "sandbox", **settings: Any) -> None:
        self.name = name
        self._settings = settings

    @contextmanager
    def using(self, state: Mapping[str, Any], update: dict[str, Any]) -> Iterator[Sandbox]:
        """The sandbox of a state, in a node; what it has become goes into the node's ``update``."""
        data = state.get(self.name)
        made = Sandbox(**self._settings) if data is None else self._restored(data)
        with made as sandbox:
            yield sandbox
            update[self.name] = sandbox.snapshot()

    def _restored(self, data: bytes) -> Sandbox:
        return Sandbox.restore(data, **self._settings)
