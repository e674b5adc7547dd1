"""Sandboxes on a Ray cluster: ``pip install "pinfold[ray]"``.

`Pool` has actors, each of which drives many sandboxes; sessions lie in a store, so they outlive
actors and nodes. `Script` is for ``Dataset.map_batches``. On a laptop ``ray.init()`` is all there
is to do first, on a cluster nothing changes.
"""

from __future__ import annotations

from .driver import in_driver
from .pool import Pool, PoolError, PoolSession
from .script import Script
from .tools import on_cluster

__all__ = ["Pool", "PoolError", "PoolSession", "Script", "in_driver", "on_cluster"]
