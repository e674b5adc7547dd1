"""Traces that somebody altered who can compute their sums: a replay of one always comes to an end."""

import hashlib
import re
import signal
import subprocess

TIMES = "echo hello > a; for i in 1 2; do (sleep 0.0$i; date +%N; echo $i) & done; wait; cat a"


def with_sums(lines):
    """The lines of a trace, as bytes, with their numbers and sums made anew."""
    state, out = bytes(16), []
    for number, line in enumerate(lines):
        body = re.sub(rb'^\{"n":\d+', b'{"n":%d' % number, line[: line.rindex(b',"sum"')])
        state = hashlib.blake2b(state + body, digest_size=16).digest()
        out.append(body + b',"sum":"' + state.hex()[:8].encode() + b'"}\n')
    return b"".join(out)


def mutants(lines):
    for number, line in enumerate(lines[1:], start=1):
        before, after = lines[:number], lines[number + 1 :]
        yield before + after
        yield before + [line, line] + after
        yield before + after[:1] + [line] + after[1:]
        for value in (b"0", b"18446744073709551615"):
            yield before + [re.sub(rb'"at":\d+', b'"at":' + value, line)] + after
            if b'"ns":' in line:
                yield before + [re.sub(rb'"ns":\d+', b'"ns":' + value, line)] + after


def test_a_replay_of_any_trace_ends(pinfold, tmp_path):
    trace = tmp_path / "trace"
    assert pinfold("--record", trace, "-c", TIMES).returncode == 0
    lines = trace.read_bytes().splitlines(keepends=True)
    assert with_sums(lines) == trace.read_bytes()
    differ = 0
    for number, mutant in enumerate(mutants(lines)):
        (tmp_path / "mutant").write_bytes(with_sums(mutant))
        done = pinfold("replay", *["--partial"][: number % 2], "mutant")
        assert done.returncode in (0, 1, 125), mutant
        differ += done.returncode == 1
    assert differ > len(lines)


def test_a_trace_that_was_cut_is_replayed_as_far_as_it_goes(pinfold, tmp_path):
    trace = tmp_path / "trace"
    pinfold("--record", trace, "-c", "echo begun; sleep 0.01; echo done")
    lines = trace.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):
        for half in (b"", lines[count][:20]):
            (tmp_path / "cut").write_bytes(b"".join(lines[:count]) + half)
            done = pinfold("replay", "--partial", "cut")
            assert (done.returncode, done.stderr) == (0, ""), count
    assert done.stdout == "begun\ndone\n"


def endless(pinfold, program):
    """A trace of a run without limits that never ends: of one that was stopped, where that is not."""
    session = f"echo begun\n{program}\nexit\n"
    pinfold("shell", "--record", "trace", "--limit", "cpu_seconds=0.1", input=session)
    lines = (pinfold.folder / "trace").read_bytes().splitlines(keepends=True)
    lines[0] = re.sub(rb'"cpu_ms":\d+', b'"cpu_ms":18446744073709551615', lines[0])
    at = next(i for i, line in enumerate(lines) if b'"cpu_limit"' in line or b'"cut"' in line)
    lines[at] = re.sub(rb'"at":\d+', b'"at":18446744073709551615', lines[at])
    (pinfold.folder / "endless").write_bytes(with_sums(lines[: at + 1]))


def test_ctrl_c_ends_a_replay(pinfold):
    for program in ("while :; do :; done", "js -e 'while (true);'", "jq -n 'last(range(1e18))'"):
        endless(pinfold, program)
        child = subprocess.Popen(
            [pinfold.program, "replay", "--partial", "endless"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=pinfold.folder,
        )
        try:
            assert child.stdout.readline() == "begun\n"
            child.send_signal(signal.SIGINT)
            assert child.wait(30) == 130
            assert "interrupted" in child.stderr.read()
        finally:
            child.kill()


def test_a_stop_that_was_left_out_is_a_difference(pinfold, tmp_path):
    trace = tmp_path / "trace"
    for program in ("while :; do :; done", "js -e 'while (true);'"):
        pinfold("--record", trace, "--limit", "cpu_seconds=0.1", "-c", program)
        lines = trace.read_bytes().splitlines(keepends=True)
        stops = [line for line in lines if b'"cpu_limit"' in line or b'"cut"' in line]
        assert stops
        kept = [line for line in lines if line not in stops]
        late = re.sub(rb'"at":\d+', b'"at":18446744073709551615', kept[-2])
        (tmp_path / "mutant").write_bytes(with_sums([*kept[:-2], late, kept[-1]]))
        done = pinfold("replay", "mutant")
        assert done.returncode == 1 and "differs" in done.stderr


# ---- bounds are the embedder's, never the trace's alone


def with_limit(lines, name, value):
    head = re.sub(rb'"%s":\d+' % name.encode(), b'"%s":%d' % (name.encode(), value), lines[0])
    assert head != lines[0]
    return with_sums([head, *lines[1:]])


def test_a_trace_that_asks_for_more_is_refused(pinfold, tmp_path):
    trace = tmp_path / "trace"
    assert pinfold("--record", trace, "-c", "echo once").returncode == 0
    lines = trace.read_bytes().splitlines(keepends=True)
    everything = (1 << 64) - 1
    for name in ("memory_bytes", "process_memory_bytes", "filesystem_bytes", "files", "processes",
                 "open_files", "output_bytes", "tool_calls", "tool_result_bytes",
                 "tool_argument_bytes", "code_bytes", "stdin_bytes"):
        for value in (1 << 40, everything):
            (tmp_path / "more").write_bytes(with_limit(lines, name, value))
            done = pinfold("replay", "more")
            assert done.returncode == 125 and done.stdout == "", name
            asked = "no limit" if value == everything else str(value)
            assert f"asks for {asked} as {name}" in done.stderr and "--limit" in done.stderr
        if name not in ("memory_bytes", "process_memory_bytes"):
            done = pinfold("replay", "--limit", f"{name}=none", "more")
            assert (done.returncode, done.stdout) == (0, "once\n"), done.stderr
    (tmp_path / "more").write_bytes(with_limit(lines, "memory_bytes", 1 << 30))
    assert pinfold("replay", "more").returncode == 125
    done = pinfold("replay", "--limit", "memory_bytes=1G", "more")
    assert (done.returncode, done.stdout) == (0, "once\n"), done.stderr
    done = pinfold("replay", "--limit", "memory_bytes=1M", trace)
    assert done.returncode == 125 and "asks for 536870912 as memory_bytes" in done.stderr


def test_the_time_of_a_replay_is_bounded(pinfold):
    for program in ("while :; do :; done", "js -e 'while (true);'"):
        endless(pinfold, program)
        done = pinfold("replay", "--partial", "--max-seconds", "0.5", "endless")
        assert (done.returncode, done.stdout) == (125, "begun\n"), done.stderr
        assert "max_seconds, 0.5" in done.stderr and "--max-seconds" in done.stderr
    pinfold("--record", "quick", "-c", "echo quick")
    for forever in ("none", "1e300"):
        assert pinfold("replay", "--max-seconds", forever, "quick").stdout == "quick\n"
    for nonsense in ("0", "-1", "soon", "nan", ""):
        done = pinfold("replay", "--max-seconds", nonsense, "quick")
        assert done.returncode == 125 and "--max-seconds" in done.stderr


def test_recorded_reading_costs_a_replay_nothing(pinfold, tmp_path):
    trace = tmp_path / "trace"
    pinfold("--record", trace, "-c", "truncate -s 2000M hole")
    lines = trace.read_bytes().splitlines(keepends=True)
    at = int(re.search(rb'"at":(\d+)', lines[-1])[1])
    line = b'{"n":1,"at":%d,"do":"read","path":"/workspace/hole","sum":"00000000"}\n'
    reads = [line % (at + i) for i in range(50)]
    end = re.sub(rb'"at":\d+', b'"at":%d' % (at + 50), lines[-1])
    (tmp_path / "reads").write_bytes(with_sums([*lines[:-1], *reads, end]))
    done = pinfold("replay", "--max-seconds", "20", "reads")
    assert done.returncode == 0, done.stderr
