#!/usr/bin/env python3
"""Compares git with the system's: random repositories, random commands, and what they leave behind.

usage: random_git.py --git PATH [--seed N] [--count N] [--repos N] [--only WORD] [--show N]

A repository is made by the system's git from a random script: commits, branches, merges, renames, modes,
attributes. Commands that look (random_git_words.py) are asked of it by both; sequences of commands that change
something run in two copies, and then references, index, files and the state of what was interrupted are
compared as the system's git sees them. What differs is grouped by command, the most frequent first.
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile

from random_git_words import Repository, change, look

REAL = "/usr/bin/git"
STATE = [
    ["status", "--porcelain=v2", "--branch", "--ignored"],
    ["ls-files", "-s"],
    ["for-each-ref"],
    ["reflog", "HEAD"],
    ["stash", "list"],
    ["fsck", "--no-dangling", "--no-progress"],
    ["config", "--list", "--local"],
]


def environment(home, program):
    env = {
        "HOME": home,
        "PATH": os.path.dirname(program) + ":/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for who in ("AUTHOR", "COMMITTER"):
        env |= {
            f"GIT_{who}_NAME": "A U Thor",
            f"GIT_{who}_EMAIL": "a@example.com",
            f"GIT_{who}_DATE": "@1700500000 +0100",
        }
    return env | {"GIT_EDITOR": "true", "GIT_MERGE_AUTOEDIT": "no", "PAGER": "cat"}


def run(program, words, cwd, home, stdin=b""):
    try:
        done = subprocess.run(
            [program, *words], cwd=cwd, env=environment(home, program), input=stdin, capture_output=True, timeout=30
        )
    except subprocess.TimeoutExpired:
        return -1, b"", b"takes for ever"
    return done.returncode, done.stdout, done.stderr


def build(seed, folder, home):
    """A repository of this seed in `folder`; what the generators know of it."""
    repository = Repository(random.Random(seed))
    os.makedirs(folder)
    for step in repository.script():
        if callable(step):
            step(folder)
            continue
        words, when = step
        env = environment(home, REAL)
        env |= {f"GIT_{who}_DATE": f"@{when} {repository.zone}" for who in ("AUTHOR", "COMMITTER")}
        env["GIT_AUTHOR_NAME"] = repository.author
        subprocess.run([REAL, *words], cwd=folder, env=env, capture_output=True)
    return repository


def files_of(folder):
    found = {}
    for root, dirs, names in os.walk(folder):
        dirs[:] = sorted(d for d in dirs if d != ".git")
        for name in names + [d for d in dirs if os.path.islink(os.path.join(root, d))]:
            path = os.path.join(root, name)
            where = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[where] = "-> " + os.readlink(path)
            else:
                with open(path, "rb") as file:
                    found[where] = (os.stat(path).st_mode & 0o111 != 0, file.read())
    return found


def state_of(folder, home):
    state = {" ".join(words): run(REAL, words, folder, home)[:2] for words in STATE}
    state["files"] = files_of(folder)
    inside = os.path.join(folder, ".git")
    for name in (
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "MERGE_MSG",
        "ORIG_HEAD",
        "rebase-merge/head-name",
        "rebase-apply/next",
    ):
        path = os.path.join(inside, name)
        state[name] = open(path, "rb").read() if os.path.exists(path) else None
    return state


class Differences:
    def __init__(self, show):
        self.count, self.show, self.total = collections.defaultdict(list), show, 0

    def add(self, key, seed, commands, what):
        self.count[key].append((seed, commands, what))

    def report(self):
        for key, found in sorted(self.count.items(), key=lambda item: -len(item[1])):
            print(f"== {len(found)} x {key}")
            for seed, commands, what in found[: self.show]:
                print(f"  seed {seed}: {commands}\n{what}")
        print(f"{self.total} runs, {sum(map(len, self.count.values()))} differ")


def brief(ours, real):
    lines = []
    for name, a, b in zip(("status", "stdout", "stderr"), ours, real):
        if a == b:
            continue
        if name == "status":
            lines.append(f"    status ours {a}, git's {b}")
            continue
        one, two = a.split(b"\n"), b.split(b"\n")
        at = next((i for i, (x, y) in enumerate(zip(one, two)) if x != y), min(len(one), len(two)))
        for mark, text in ((b"ours ", one), (b"git's", two)):
            lines.append(f"    {name}:{at} {mark.decode()} " + repr(b"\n".join(text[at : at + 3]))[2:240])
    return "\n".join(lines)


def plain(result, folder, program):
    status, out, err = result
    here = os.path.dirname(folder).encode()
    return status, out.replace(here, b"@"), err.replace(here, b"@").replace(program.encode(), b"git")


def compare_looks(options, seed, differences):
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "r")
        repository = build(seed, folder, top)
        rng = random.Random(seed * 7 + 1)
        for _ in range(options.count):
            words = look(rng, repository)
            while options.only and options.only != words[0]:
                words = look(rng, repository)
            where = (
                os.path.join(folder, "d") if rng.random() < 0.1 and os.path.isdir(os.path.join(folder, "d")) else folder
            )
            real, ours = run(REAL, words, where, top), run(options.git, words, where, top)
            real, ours = plain(real, folder, REAL), plain(ours, folder, options.git)
            differences.total += 1
            if real != ours:
                differences.add(
                    words[0],
                    seed,
                    (" in d: " if where != folder else "") + " ".join(map(repr, words)),
                    brief(ours, real),
                )


def compare_changes(options, seed, differences):
    with tempfile.TemporaryDirectory() as top:
        folders = [os.path.join(top, name, "r") for name in ("one", "two")]
        repository = build(seed, folders[0], top)
        rng = random.Random(seed * 7 + 2)
        shutil.copytree(folders[0], os.path.join(top, "base"), symlinks=True)
        for _ in range(max(1, options.count // 8)):
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(os.path.join(top, "base"), folder, symlinks=True)
                run(REAL, ["update-index", "-q", "--refresh"], folder, top)
            commands = []
            steps = [change(rng, repository) for _ in range(rng.randint(1, 4))]
            for step in steps:
                commands.append(" ".join(map(repr, step)) if not callable(step) else step.__doc__ or "edit")
                if callable(step):
                    for folder in folders:
                        step(folder)
                    continue
                real = plain(run(REAL, step, folders[0], top), folders[0], REAL)
                ours = plain(run(options.git, step, folders[1], top), folders[1], options.git)
                differences.total += 1
                if real != ours:
                    differences.add(step[0], seed, "; ".join(commands), brief(ours, real))
                    break
                one, two = (state_of(folder, top) for folder in folders)
                wrong = [name for name in one if one[name] != two[name]]
                if wrong:
                    name = wrong[0]
                    detail = "" if name == "files" else f"    {two[name]!r}\n    {one[name]!r}"
                    if name == "files":
                        paths = [p for p in sorted({*one[name], *two[name]}) if one[name].get(p) != two[name].get(p)]
                        detail = (
                            f"    {paths[0]}: ours {two[name].get(paths[0])!r}\n    git's {one[name].get(paths[0])!r}"
                        )
                    differences.add(step[0] + " leaves " + name, seed, "; ".join(commands), detail[:1500])
                    break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--git", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repos", type=int, default=10)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only")
    parser.add_argument("--what", choices=["look", "change", "both"], default="both")
    parser.add_argument("--show", type=int, default=2)
    options = parser.parse_args()
    options.git = os.path.abspath(options.git)
    if not os.path.exists(REAL) or b"version 2.39" not in run(REAL, ["version"], "/", "/")[1]:
        print("the system's git is another one")
        return 77
    differences = Differences(options.show)
    for seed in range(options.seed, options.seed + options.repos):
        if options.what != "change":
            compare_looks(options, seed, differences)
        if options.what != "look":
            compare_changes(options, seed, differences)
    differences.report()
    return bool(differences.count)


if __name__ == "__main__":
    sys.exit(main())
