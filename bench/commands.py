"""Prints how the sandbox's commands do beside the machine's on the same files, measured in one run.

usage: commands.py [--only WORD] [--rounds N] [--megabytes N]

Each command line runs in a shell of both and writes into a file; the figure is the best of several
rounds. Output that differs is shown as an error, not as a time. Sorting is compared with one thread.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import pinfold

#: (what, command line)
WORK = [
    ("sort", "sort --parallel=1 log"),
    ("sort -n", "sort --parallel=1 -n numbers"),
    ("sort -k (second field, numeric)", "sort --parallel=1 -t, -k2,2n table"),
    ("grep, literal", "grep user4711 log"),
    ("grep -c, common literal", "grep -c INFO log"),
    ("grep, no match", "grep nothinglikethis log"),
    ("grep -E, regex", "grep -E 'user[0-9]+7 .*(login|logout)' log"),
    ("grep -i", "grep -ic error log"),
    ("awk, sum", "awk -F, '{ s += $3 } END { print s }' table"),
    ("awk, group by", "awk -F, '{ n[$4] += $3 } END { for (k in n) print k, n[k] }' table | sort"),
    ("awk, regex count", "awk '/user[0-9]*7/ { n++ } END { print n }' log"),
    ("awk, gsub", "awk '{ gsub(/user/, \"u\") } 1' log"),
    ("awk, fields", "awk '{ print $2, $4 }' log"),
    ("sed, substitute", "sed 's/user\\([0-9]*\\)/<\\1>/g' log"),
    ("sed -n, one line", "sed -n '100p' log"),
    ("cut -f", "cut -d, -f2,4 table"),
    ("cut -c", "cut -c 5-20 log"),
    ("tr", "tr a-z A-Z < log"),
    ("tr -d", "tr -d 0-9 < log"),
    ("uniq -c", "uniq -c numbers"),
    ("wc", "wc log"),
    ("wc -l", "wc -l log"),
    ("head -n -5", "head -n -5 log"),
    ("tail -n 5", "tail -n 5 log"),
    ("tac", "tac log"),
    ("nl", "nl log"),
    ("jq, filter", "jq -c 'select(.value > 90) | .user' records"),
    ("sha256sum", "sha256sum log"),
    ("md5sum", "md5sum log"),
    ("cksum", "cksum log"),
    ("base64", "base64 log"),
    ("base64 -d", "base64 -d coded"),
    ("gzip and back", "gzip -c log | gzip -dc"),
    ("od", "od -An -tx1 numbers"),
    ("diff", "diff numbers numbers2"),
]


def make_files(megabytes):
    """The files, by name: the same bytes in every run."""
    rng = random.Random(7)
    log, table, records, numbers = [], [], [], []
    size = 0
    actions = ["login", "logout", "view page", "update record", "delete"]
    levels = ["INFO"] * 8 + ["WARN", "ERROR"]
    while size < megabytes * 1_000_000:
        user = f"user{rng.randrange(20000)}"
        line = (
            f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02} {rng.choice(levels)} "
            f"{user} {rng.choice(actions)} id={rng.randrange(10**6)} took {rng.random() * 9:.3f}s"
        )
        log.append(line)
        table.append(f"{len(log)},{rng.randrange(10**6)},{rng.randrange(1000)},{user[:6]},x")
        numbers.append(str(rng.randrange(50)))
        if len(log) % 3 == 0:
            records.append(json.dumps({"user": user, "value": rng.randrange(100), "text": line}))
        size += len(line) + 1
    files = {"log": log, "table": table, "records": records, "numbers": numbers}
    files["numbers2"] = [n if i % 1000 else "changed" for i, n in enumerate(numbers)]
    return {name: ("\n".join(lines) + "\n").encode() for name, lines in files.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=20)
    options = parser.parse_args()
    if not shutil.which("bash"):
        sys.exit("there is no bash on this machine to compare with")
    files = make_files(options.megabytes)
    limits = pinfold.Limits(
        cpu_seconds=600,
        wall_seconds=600,
        filesystem_bytes=40 * options.megabytes * 1_000_000,
        memory_bytes=60 * options.megabytes * 1_000_000,
    )
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
    print(f"{f'{options.megabytes} MB':32}{'pinfold':>12}{'GNU':>12}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder, pinfold.Sandbox(limits=limits) as sandbox:
        for name, data in files.items():
            sandbox.files[name] = data
            with open(os.path.join(folder, name), "wb") as out:
                out.write(data)

        def here(line):
            return sandbox.run(f"export LC_ALL=C; {line}")

        def there(line):
            return subprocess.run(
                ["bash", "-c", line], cwd=folder, env=environment, capture_output=True
            )

        for run in here, there:
            run("base64 log > coded")
        for what, line in WORK:
            if options.only not in what:
                continue
            times = []
            for run in here, there:
                least = float("inf")
                for _ in range(options.rounds):
                    started = time.perf_counter()
                    done = run(f"{line} > out")
                    least = min(least, time.perf_counter() - started)
                times.append(least * 1e3)
            sums = [
                here("sha256sum < out").stdout_bytes,
                there("sha256sum < out").stdout,
            ]
            if sums[0] != sums[1]:
                print(f"{what:32}differs from what the machine's commands print")
                continue
            ratio = times[0] / times[1]
            print(f"{what:32}{times[0]:9.1f} ms{times[1]:9.1f} ms{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
