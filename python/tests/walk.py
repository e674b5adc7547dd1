"""A random walk through a sandbox, undisturbed or disturbed. See test_random_walk.py.

`python python/tests/walk.py STEPS SEED` walks as far as one likes.
"""

import hashlib
import json
import multiprocessing
import os
import random
import sys
import tempfile

from pinfold import MethodCapability, Sandbox, Tool, replay

SHELL = [
    "x=$((x * 31 + RANDOM % 100)); echo $x; date +%s%N",
    "echo line $RANDOM >> log; wc -l < log; tail -n 3 log | md5sum",
    "tool ask --n $((RANDOM % 50)) | jq -c .n; echo status $?",
    "for i in 1 2 3; do tool ask --n $i & done; wait; date +%s%N",
    "f$((RANDOM % 5))() { echo in f $x $*; }; declare -F | sort | tail -2; f1 a b 2> /dev/null",
    "(sleep 0.$((RANDOM % 9)); echo background >> log) &",
    "seq $((RANDOM % 500)) | sort -R | head -3 | paste -sd,",
    "trap 'echo bye $?' EXIT; tool ask --n 3 | tr a-z A-Z; (exit $((RANDOM % 3)))",
    "mkdir -p d$((RANDOM % 9)); touch d$((RANDOM % 9))/t 2> /dev/null; find d* | sort | md5sum",
    'while read -r l; do echo "<$l>"; tool ask --n ${#l}; done <<END\nabc\nde$RANDOM\nEND\n',
    "rm -f p; mkfifo p; tool ask --n 1 > p & cat p; wait $!; ls -l p | cut -c1",
    "tail -n 50 log > l2 2> /dev/null; mv -f l2 log; stat -c '%s %Y' log 2> /dev/null",
    "local_() { local x=$1; tool ask --n $x; echo $x; }; local_ $((RANDOM % 9)); echo $x",
    "awk -v s=$RANDOM 'BEGIN { srand(s); for (i = 0; i < 3; i++) print rand() }'",
    "set -- $(tool ask --n 7 | jq -r '.n, .twice'); echo $# $1 $2; cd ..; cd - > /dev/null; pwd",
    "kill %% 2> /dev/null; jobs > j; wc -l < j; uuidgen",
    "cat /m/d$((RANDOM % 4))/f$((RANDOM % 5)); tool ask --n 1 < /dev/null; ls -l /m/d1 | md5sum",
    "mv /m/d$((RANDOM % 4)) /m/e$((RANDOM % 9)) 2> /dev/null; find /m | sort | md5sum",
    "echo $x >> /m/d2/f$((RANDOM % 5)); rm -f /m/d3/f1; (cat /m/*/f3 &) | wc -c; df -i /m | md5sum",
]
SCRIPT = [
    "const r = await Promise.all([ask({n: 1}), ask({n: Math.floor(Math.random() * 9)})]);"
    "console.log(JSON.stringify(r), Date.now())",
    "fs.appendFileSync('log', Math.random() + '\\n');"
    "console.log(fs.readFileSync('log', 'utf8').length, crypto.randomUUID())",
    "const h = await $`tool ask --n 5`; return h.stdout.length + performance.now()",
    "let s = 0; for (let i = 0; i < 2000; i++) s += i % 7; setTimeout(() => console.log(s), 50)",
    "console.log(fs.readFileSync('/m/top', 'utf8') + fs.readdirSync('/m').join())",
    "try { await ask({n: 'bad'}) } catch (e) { console.log(e.name, (await ask({n: 2})).twice) }",
]
GRANTED = [MethodCapability("ask")]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def authority(mounted):
    mounts = {"/m": (mounted, "copy")}
    return {"tools": [Tool("ask", schema=SCHEMA)], "capabilities": GRANTED, "mounts": mounts}


def make_mounted(folder):
    """A host directory that is the same whenever it is made."""
    mounted = os.path.join(folder, "mounted")
    for d in range(4):
        os.makedirs(os.path.join(mounted, f"d{d}"))
        for f in range(5):
            with open(os.path.join(mounted, f"d{d}", f"f{f}"), "w") as file:
                file.write(f"{d} {f}\n" * 100)
    with open(os.path.join(mounted, "top"), "w") as file:
        file.write("top")
    for directory, directories, names in os.walk(mounted):
        for name in [".", *directories, *names]:
            os.utime(os.path.join(directory, name), (1_600_000_000, 1_600_000_000))
    return mounted


def answer(call):
    call.resume({"n": call.params["n"], "twice": 2 * call.params["n"]})


def script(chance):
    if chance.random() < 0.25:
        return chance.choice(SCRIPT), "javascript"
    return chance.choice(SHELL), "shell"


def seen(result):
    value = json.dumps(result.value, sort_keys=True)
    return result.stdout, result.stderr, result.exit_code, value, result.limit


def undisturbed(steps, seed):
    chance, out = random.Random(seed), []
    with (
        tempfile.TemporaryDirectory() as folder,
        Sandbox(clock=1_700_000_000, seed=seed, **authority(make_mounted(folder))) as sandbox,
    ):
        for _ in range(steps):
            sandbox.start(*script(chance))
            while sandbox.result is None:
                answer(sandbox.pending[0])
            out.append(seen(sandbox.result))
        return out, files(sandbox)


def files(sandbox):
    return {path: hashlib.sha256(data).hexdigest() for path, data in sandbox.files.items()}


def finish_elsewhere(data, mounted):
    """In another process: the run that is on comes to its end there."""
    with Sandbox.restore(data, **authority(mounted)) as sandbox:
        while sandbox.result is None:
            answer(sandbox.pending[0])
        return seen(sandbox.result), sandbox.snapshot()


class Disturbed:
    """The same walk, through bytes, branches, other processes and recordings."""

    def __init__(self, seed, pool, folder):
        self.chance = random.Random(seed + 1)
        self.pool = pool
        self.trace = self.first_trace = os.path.join(folder, "trace")
        self.recorded = None  # what the runs of the trace that is being written gave
        self.counts = dict.fromkeys(["restore", "branch", "leave", "elsewhere", "replay"], 0)
        self.authority = authority(make_mounted(folder))
        self.sandbox = Sandbox(clock=1_700_000_000, seed=seed, **self.authority)

    def replace(self, sandbox):
        self.end_recording()
        self.sandbox.close()
        self.sandbox = sandbox

    def end_recording(self):
        if self.recorded is None:
            return
        self.sandbox.close()
        with replay(self.trace) as again:
            assert [seen(result) for result in again.results] == self.recorded
        self.recorded = None
        self.counts["replay"] += 1

    def disturb(self):
        what = self.chance.choice(["none", "none", "restore", "branch", "leave", "record"])
        if what in ("restore", "record"):
            data = self.sandbox.snapshot()
            self.end_recording()
            record = self.first_trace if what == "record" else None
            self.trace = self.first_trace
            self.replace(Sandbox.restore(data, record=record, **self.authority))
            self.recorded = [] if record else None
            self.counts["restore"] += 1
        elif what == "branch":  # go on in a branch, and in a recorded one where that was recorded
            recorded = self.recorded is not None
            self.replace(self.sandbox.fork())
            if recorded:
                self.trace, self.recorded = self.sandbox._durable[1], []
            self.counts["branch"] += 1
        elif what == "leave":  # let a branch go another way
            with self.sandbox.fork() as branch:
                if branch.result is not None or not branch.pending:
                    branch.run("rm -rf *; x=gone", isolated=True)
            self.counts["leave"] += 1

    def step(self, code, language):
        self.sandbox.start(code, language)
        while self.sandbox.result is None:
            if self.chance.random() < 0.1:
                return self.elsewhere()
            self.disturb()
            answer(self.sandbox.pending[0])
        out = seen(self.sandbox.result)
        if self.recorded is not None:
            self.recorded.append(out)
        self.disturb()
        return out

    def elsewhere(self):
        data = self.sandbox.snapshot()
        self.end_recording()
        out, data = self.pool.apply(finish_elsewhere, (data, self.authority["mounts"]["/m"][0]))
        self.replace(Sandbox.restore(data, **self.authority))
        self.counts["elsewhere"] += 1
        return out


def disturbed(steps, seed, wanted):
    chance = random.Random(seed)
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool, tempfile.TemporaryDirectory() as folder:
        walk = Disturbed(seed, pool, folder)
        for number in range(steps):
            code, language = script(chance)
            out = walk.step(code, language)
            assert out == wanted[number], (
                f"step {number} of seed {seed}: {language}\n{code}\n"
                f"undisturbed: {wanted[number]}\ndisturbed:   {out}"
            )
        found = files(walk.sandbox)
        walk.end_recording()
        return found, walk.counts


def main():
    steps, seed = int(sys.argv[1]), int(sys.argv[2])
    out, wanted_files = undisturbed(steps, seed)
    found, counts = disturbed(steps, seed, out)
    assert found == wanted_files
    print(steps, "steps of seed", seed, "are the same:", counts)


if __name__ == "__main__":
    main()
