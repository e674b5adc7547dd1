"""``pinfold mcp``: the command line of the MCP server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .approval import NeverAsked
from .capability import load_policy
from .command_options import (
    command_tool,
    declare_simulated,
    guest_file,
    http_tool,
    limit,
    mount_of,
    pair,
)
from .limits import DEFAULTS, Limits
from .mcp_server import LANGUAGES, create_server, serve_http
from .tool import Tool


def main(argv: Sequence[str] | None = None) -> int:
    """Gives the exit status; serves until the client goes or Ctrl-C comes."""
    options = _parser().parse_args(argv)
    try:
        server = create_server(**_settings(options))
    except NeverAsked as error:
        reason = error.reason or (
            "give a --tool"
            if options.policy is None
            else f'no capability in {options.policy} has "ask": true'
        )
        print(f"pinfold mcp: --approve asks about no call: {reason}", file=sys.stderr)
        return 2
    except (ImportError, ValueError, OSError) as error:
        print(f"pinfold mcp: {error}", file=sys.stderr)
        return 2
    if "" not in options.http:
        server.run("stdio")
        return 0
    if options.host not in ("127.0.0.1", "localhost", "::1"):
        print("pinfold mcp: --host is a loopback address: 127.0.0.1 or ::1", file=sys.stderr)
        return 2
    serve_http(server, options.host, options.port)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pinfold mcp",
        description="Serves a sandbox to an MCP client, over standard input and output or HTTP.",
    )
    add = parser.add_argument

    def several(*names: str, metavar: str, help: str, **more: Any) -> None:
        add(*names, action="append", default=[], metavar=metavar, help=help, **more)

    several(
        "--http",
        nargs="?",
        const="",
        metavar="RULE",
        help="without a rule: serve HTTP on loopback at /mcp; with one, like"
        " 'GET https://*.example.com/v1/**': let scripts make requests (docs/http.md)",
    )
    several(
        "--secret",
        metavar="NAME=env:VARIABLE@HOST",
        help="a secret of the host's that requests may send in their Authorization header; scripts"
        " see a placeholder in the variable NAME (NAME=env:VARIABLE@HOST[,HOST]...[#HEADER,...])",
    )
    add("--port", type=int, default=8000, help="of HTTP; default 8000")
    add("--host", default="127.0.0.1", help="of HTTP; a loopback address")
    several(
        *("-t", "--tool"),
        metavar="NAME=COMMAND",
        help="a tool of scripts: COMMAND is run without a shell, gets the arguments as JSON on its"
        " standard input and prints the result",
    )
    add(
        *("-p", "--policy"),
        metavar="FILE",
        help="what the tools may be called with (docs/policy.md); without it every --tool is granted",
    )
    add(
        "--approve",
        action="store_true",
        help="ask the client's user about calls, those of each --tool or those that the policy asks"
        " about, and show what would come of them (docs/approval.md)",
    )
    several("--pure", metavar="NAME", help="a --tool that changes nothing: a preview may call it")
    several(
        "--simulate",
        metavar="NAME=COMMAND",
        help="what a preview runs instead of a --tool: as COMMAND there, and it changes nothing",
    )
    several("-f", "--file", metavar="HOST:GUEST", help="copy a file into each sandbox")
    several(
        "--mount",
        metavar="HOST:GUEST[:MODE]",
        help="a directory, read when a script looks into it: ro, or copy, one that it may change",
    )
    several("-e", "--env", metavar="NAME=VALUE", help="set a variable of each sandbox")
    several(
        *("-l", "--language"),
        metavar="NAME",
        help=f"what scripts may be written in, of {', '.join(LANGUAGES)}; more than once: the first"
        " is that of a call that says none",
    )
    add("--cpu-seconds", type=float, default=10.0, help="per run; default 10")
    add("--wall-seconds", type=float, default=60.0, help="per run; default 60")
    several(
        "--limit",
        metavar="NAME=VALUE",
        help=f"another limit, of {', '.join(DEFAULTS)}; none lifts it",
    )
    add("--isolation", choices=["process"], help="each sandbox in a worker process of its own")
    add("--audit", metavar="FILE", help="append what happens to FILE, in JSON Lines")
    return parser


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of `create_server` that the command line gives."""
    settings: dict[str, Any] = {
        "limits": Limits(**_limits(options)),
        "isolation": options.isolation,
        "tools": _tools(options),
        "files": {guest: Path(host) for host, guest in map(guest_file, options.file)},
        "env": dict(pair("--env", text, "=") for text in options.env),
    }
    if options.language:
        settings["languages"] = tuple(dict.fromkeys(options.language))
    if options.mount:
        settings["mounts"] = dict(map(mount_of, options.mount))
    if options.policy is not None:
        settings["capabilities"] = load_policy(Path(options.policy))
    rules = [rule for rule in options.http if rule]
    if rules:
        http = http_tool(rules, options.secret)
        settings["tools"].append(http)
        if options.policy is not None:
            settings["capabilities"] += http.own_capabilities()
    elif options.secret:
        raise ValueError("--secret is for --http RULE")
    if options.approve:
        settings["elicit"] = True
    if options.audit is not None:
        from .audit import AuditLog

        settings["audit"] = AuditLog(options.audit)
    return settings


def _tools(options: argparse.Namespace) -> list[Tool]:
    tools = [command_tool(*pair("--tool", text, "=")) for text in options.tool]
    declare_simulated(tools, options.pure, options.simulate)
    return tools


def _limits(options: argparse.Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {
        "cpu_seconds": options.cpu_seconds,
        "wall_seconds": options.wall_seconds,
    }
    for text in options.limit:
        name, given[name] = limit(text)
    return given
