"""One script of a recorded case, run in a session of its own that ends with it; and how many of them agree."""

import collections
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


def compare(cases, results, skip, show, group_of):
    """Prints some of the cases whose output or status is another, from number `skip` on.

    `results` are (output, status, errors) in the order of the cases. Returns all that failed, as (case, output,
    status, errors), and a text that says how many agree, in each group of ids that is not whole and together.
    """
    groups, failures = collections.defaultdict(lambda: [0, 0]), []
    for case, (out, status, err) in zip(cases, results):
        ok = out == case["stdout"] and status == case["status"]
        group = groups[group_of(case["id"])]
        group[0] += ok
        group[1] += 1
        if not ok:
            failures.append((case, out, status, err))
    for case, out, status, err in failures[skip:skip + show]:
        print(f"--- {case['id']}\n{case['code']}--- expected (status {case['status']})\n{case['stdout']}"
              f"--- got (status {status})\n{out}--- stderr\n{err[:2000]}")
    passed = len(cases) - len(failures)
    counts = "".join(f"{name}: {good}/{total}  " for name, (good, total) in sorted(groups.items()) if good < total)
    return failures, f"{counts}\n{passed} of {len(cases)} cases agree ({100 * passed / max(1, len(cases)):.1f} %)"
