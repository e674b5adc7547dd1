"""What really ran in recorded cases was named before, or what is not known was said."""

import json
import os
import pathlib

import pytest

from pinfold import Limits, Sandbox, analyze

FOLDER = os.environ.get("PINFOLD_CASES")


def watched():
    """A sandbox in whose PATH each program first writes down that it runs."""
    sandbox = Sandbox(limits=Limits(cpu_seconds=5, wall_seconds=5), env={"PATH": "/tmp/shims:/usr/bin:/bin"})
    made = sandbox.run(
        "mkdir /tmp/shims; cd /usr/bin; for name in *; do"
        ' printf "#!/bin/sh\\necho \'%s\' >>/tmp/ran\\nexec \'/usr/bin/%s\' \\"\\$@\\"\\n" "$name" "$name"'
        ' >"/tmp/shims/$name"; done; chmod +x /tmp/shims/*; cd; > /tmp/ran'
    )
    assert made.ok, made.stderr
    return sandbox


def ran(template, code, stdin=None):
    with template.fork() as sandbox:
        sandbox.run(code, stdin=stdin, isolated=True)
        return set(sandbox.files.get("/tmp/ran", b"").decode().split("\n")) - {""}


@pytest.mark.skipif(not FOLDER, reason="PINFOLD_CASES names no folder of recorded cases")
@pytest.mark.parametrize("name", ["shell_cases", "command_cases"])
def test_what_ran_was_named(name):
    complete, wrong = 0, {}
    with watched() as template:
        for line in (pathlib.Path(FOLDER) / f"{name}.jsonl").read_text().splitlines():
            case = json.loads(line)
            found = analyze(case["code"])
            if not found.complete:
                continue
            complete += 1
            named = {command.name.rpartition("/")[2] for command in found.commands}
            more = ran(template, case["code"], case.get("stdin")) - named
            if more:
                wrong[case["id"]] = sorted(more)
    assert wrong == {}
    assert complete > 300
