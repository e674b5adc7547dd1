"""What the tests of an installation share: the tree, its build, and commands that must succeed."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PINFOLD", ROOT / "build" / "pinfold")).parent


def run(*command, **how):
    """A stranger's environment leads nowhere else."""
    how.setdefault("env", {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"})
    done = subprocess.run(command, text=True, capture_output=True, timeout=300, **how)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout
