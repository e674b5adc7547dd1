"""Programs that embed pinfold can be looked at with Valgrind, and it has nothing to say of pinfold."""

import shutil
import subprocess

import pytest
from stranger import BUILD, ROOT, run

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")

CODE = {
    "a pipeline": ("shell", "echo a b | tr ' ' '\\n' | sort -r | xargs -n 1 echo; (exit 3) | cat"),
    "an engine": ("javascript", "const f = n => n && f(n - 1); f(2000); console.log([1, 2].map(String))"),
    "a fault": ("javascript", "function f() { f() } try { f() } catch (e) { console.log(e.name) }"),
    "a limit": ("shell", "while :; do :; done"),
}


@pytest.mark.parametrize("what", CODE)
def test_runs(what, tmp_path):
    language, code = CODE[what]
    script = tmp_path / "script"
    script.write_text(code)
    valgrind = ["valgrind", "-q", "--error-exitcode=99"]
    command = [BUILD / "pinfold", "run", "--language", language, "--limit", "cpu_seconds=1", script]
    done = subprocess.run([*valgrind, *command], capture_output=True, text=True, timeout=600)
    assert "==" not in done.stderr, done.stderr
    assert done.returncode != 99


def test_an_embedder_has_no_leak(tmp_path):
    """The example in C, whole: all that pinfold took it gave back."""
    run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    run("cmake", "-S", ROOT / "examples" / "c", "-B", tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    run("cmake", "--build", tmp_path / "build")
    valgrind = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=99"]
    for program in ("hello", "branches"):
        run(*valgrind, tmp_path / "build" / program)
