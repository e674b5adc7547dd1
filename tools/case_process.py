"""One script of a recorded case, run in a session of its own that ends with it."""

import os
import signal
import subprocess


def run_to_end(command, timeout, text=b"", **options):
    """Runs `command` with `text` as its input for at most `timeout` seconds; `options` are those of Popen.

    Returns its status ("timeout" when it took too long, negative for a signal), standard output and
    standard error, as bytes. What it left running in the background is killed. What sanitizers are told
    in this environment they are told in that of the script, too.
    """
    told = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    if told and options.get("env") is not None:
        options["env"] = {**options["env"], **told}
    process = subprocess.Popen(command, stdin=subprocess.PIPE if text else subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, **options)
    try:
        out, err = process.communicate(text or None, timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = "timeout"
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return status, out, err
