"""``pinfold serve``: the command line of the service, and tokens for it."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ..command_options import Parser, run_command
from ..errors import PinfoldError

_ABOUT = """\
Serves sandboxes over HTTP: sessions, runs with streamed output, tool calls that are answered by
requests or a webhook, files, snapshots and forks. Sessions outlive the server, in its store.
docs/service.md describes it; GET /openapi.json, too.

  pinfold serve key FILE                 make a key that issues tokens; prints its public half
  pinfold serve token --key FILE         print a token for a tenant of that key
  pinfold serve prune --store X          remove what no session needs
  pinfold serve --config FILE --store X  serve
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Gives the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    work = {"key": _key, "token": _token, "prune": _prune}.get(arguments[0] if arguments else "")
    if work is not None:
        return run_command(f"serve {arguments[0]}", lambda: work(arguments[1:]))
    return run_command("serve", lambda: _serve(arguments))


def _key(arguments: list[str]) -> int:
    from ..tokens import Issuer

    parser = Parser("serve key", "Makes a key that issues tokens; prints its public half.")
    parser.add_argument("file", metavar="FILE", help="where the secret half goes; it is not there")
    given = parser.parse_args(arguments)
    issuer = Issuer()
    descriptor = os.open(given.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(issuer.seed.hex() + "\n")
    print(issuer.public_key.hex())
    return 0


def _token(arguments: list[str]) -> int:
    from ..capability import load_policy
    from ..tokens import Issuer
    from .authority import encoded

    parser = Parser("serve token", "Prints a token, for the header Authorization: Bearer TOKEN.")
    add = parser.add_argument
    add("--key", required=True, metavar="FILE", help="what `pinfold serve key` wrote")
    add(
        *("-p", "--policy"),
        required=True,
        metavar="FILE",
        help="what it grants (docs/policy.md): requests below pinfold/sessions/, and tools",
    )
    add("--hours", type=float, default=24.0, metavar="N", help="until it expires; default 24")
    given = parser.parse_args(arguments)
    try:
        seed = bytes.fromhex(Path(given.key).read_text())
    except ValueError:
        raise ValueError(f"{given.key}: this is no key") from None
    issuer = Issuer(seed)
    print(encoded(issuer.issue(load_policy(Path(given.policy)), expires_in=given.hours * 3600)))
    return 0


def _prune(arguments: list[str]) -> int:
    """Servers may be at work meanwhile: what they drive is named, so it stays."""
    parser = Parser("serve prune", "Removes snapshots and traces that no session needs.")
    _store_options(parser)
    add = parser.add_argument
    add("--keep", type=int, default=1, metavar="N", help="snapshots of each session; default 1")
    add(
        "--hours",
        type=float,
        default=0.0,
        metavar="N",
        help="leave all that is not so old, by the store's clock; default 0",
    )
    add("--traces", type=int, metavar="N", help="and all but the newest N traces of each session")
    given = parser.parse_args(arguments)
    if not given.hours >= 0 or (given.traces is not None and given.traces < 0):
        raise ValueError("--hours and --traces are numbers from 0 on")
    older = given.hours * 3600
    with _store(given) as store:
        gone = store.prune(given.keep, older=older)
        print(f"{gone} snapshots removed")
        if given.traces is not None:
            print(f"{store.drop_traces(keep=given.traces, older=older or None)} traces removed")
    return 0


def _store_options(parser: Parser) -> None:
    add = parser.add_argument
    add(
        "--store",
        metavar="PLACE",
        help="a file, or postgresql://…; default: the variable PINFOLD_STORE",
    )
    add("--large", metavar="URL", help="where large snapshots go, of a store on PostgreSQL")
    add("--store-key", metavar="FILE", help="a secret that authenticates what is in the store")


def _store(given: Any, **how: Any) -> Any:
    from ..store import Store

    place = given.store or os.environ.get("PINFOLD_STORE") or ""
    if not place:
        raise ValueError("--store is needed; see pinfold serve --help")
    key = None if given.store_key is None else Path(given.store_key).read_bytes().strip()
    return Store(place, key=key, large=given.large, **how)


def _parser() -> Parser:
    parser = Parser("serve", _ABOUT)
    add = parser.add_argument
    add("--config", metavar="FILE", help="tenants, their keys and quotas, in TOML")
    _store_options(parser)
    add("--host", default="127.0.0.1", help="default 127.0.0.1")
    add("--port", type=int, default=8080, help="default 8080; 0: any free one, which is printed")
    add(
        "--advertise",
        metavar="URL",
        help="where other servers of the store reach this one, if it is one of their peers",
    )
    add(
        "--admin-token",
        metavar="FILE",
        help="serve a page for operators at /admin, for who has the token in this file",
    )
    add("--openapi", action="store_true", help="print the description of the interface, and end")
    return parser


def _serve(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    try:
        import uvicorn

        from .admin import SHORTEST
        from .api import create_app, openapi
        from .sessions import Sessions
    except ImportError as error:
        raise PinfoldError(f"{error.name} is missing: pip install 'pinfold[service]'") from None
    from .addresses import known
    from .config import config, read
    from .logs import to_stderr

    if given.openapi:
        nobody = config({"tenants": {"x": {"keys": ["00" * 32]}}})
        print(openapi(create_app(nobody, cast(Any, _Nothing()))))
        return 0
    if not given.config:
        raise ValueError("--config is needed; see pinfold serve --help")
    read_config = read(given.config)
    admin = given.admin_token and Path(given.admin_token).read_text("utf-8").strip()
    if admin is not None and len(admin) < SHORTEST:
        raise ValueError(f"{given.admin_token}: an admin token has {SHORTEST} characters or more")
    holder = given.advertise
    if holder is not None and not known(holder, read_config.peers):
        raise ValueError(f"--advertise {holder}: the configuration's peers do not name it")
    store = _store(given, lease_seconds=read_config.lease_seconds)
    listening = _listen(given.host, given.port)
    port = listening.getsockname()[1]
    home = Sessions(read_config, store, holder or f"{socket.gethostname()}:{port}")
    app = create_app(read_config, home, admin)
    to_stderr()
    server = _server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=int(read_config.grace_seconds) + 5,
        ),
        home,
    )
    for number in (signal.SIGTERM, signal.SIGINT):  # which comes again when all is over
        signal.signal(number, _over)
    print(f"http://{given.host}:{port}", flush=True)
    server.run(sockets=[listening])
    return 0


def _over(number: int, frame: Any) -> None:
    raise SystemExit(0)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    return listening


def _server(settings: Any, home: Any) -> Any:
    """One that drains from the first moment of a stop, so that streams come to their end."""
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: Any) -> None:
            home.stop_soon()
            super().handle_exit(sig, frame)

    return Server(settings)


class _Nothing:
    """In the place of sessions where only the description is wanted."""

    log = None
