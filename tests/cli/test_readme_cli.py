"""The commands that the README shows for a terminal, as they stand there."""

import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICY = {"capabilities": [{"method": "pay", "constraints": [{"param": "n", "op": "<=", "value": 5}]}]}


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


def sh_blocks():
    return re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)


def test_first_command(pinfold):
    """What follows the installation; that itself is in tests/install."""
    install, command = sh_blocks()[0].splitlines()
    assert install.startswith("make wheels && pip install dist/*.whl ")
    command, printed = command.split("# prints ")
    command = command.replace("pinfold", str(pinfold.program), 1)
    assert subprocess.check_output(command, shell=True, text=True) == printed + "\n"


def test_readme_commands(pinfold):
    folder = pinfold.folder
    (folder / "build").mkdir()
    (folder / "build" / "pinfold").symlink_to(pinfold.program)
    executable(folder / "weather.py", "#!/bin/sh\ncat >&2\necho '{\"celsius\": 21}'\n")
    executable(folder / "pay", "#!/bin/sh\ncat\n")
    (folder / "script.sh").write_text("echo from a script\n")
    (folder / "script.js").write_text("return await pay({n: 3})\n")
    (folder / "policy.json").write_text(json.dumps(POLICY))
    _, block = sh_blocks()
    done = subprocess.run(
        ["bash", "-e", "-c", block],
        cwd=folder,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done
    weather, script, result = done.stdout.splitlines()
    assert (weather, script) == ("21", "from a script")
    assert json.loads(result)["value"] == {"n": 3}
    assert 'id="trace"' in (folder / "run.jsonl.html").read_text()
