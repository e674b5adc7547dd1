"""Where a `Store` keeps its rows on PostgreSQL: ``Store("postgresql://…")``.

`server` is the connection and what `pinfold.store_file` is for SQLite, `schema` the tables and
their migrations, `deltas` how a snapshot is written as what differs from its parent, `contents` the
bytes of snapshots, `locks` who drives a name. Needs ``pip install "pinfold[postgres]"``.
"""
