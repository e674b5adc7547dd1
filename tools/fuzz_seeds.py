"""Seeds for fuzzers out of the cases that commands and shell are compared with (tests/spec).

A fuzzer that knows how real scripts look comes further than one that starts with noise. fuzz.py
calls make() before it starts one; what each takes is said at the top of its fuzz_NAME.c.
"""

import hashlib
import re
import shlex
from pathlib import Path

SPEC = Path(__file__).resolve().parent.parent / "tests/spec"
INPUT = b"a b c\n1 2.5 x,y\n\nkey=value  \xc3\xa9\nlast"
# What takes no argument of its own, in bundles of one letter each.
SIZE_MAX = 2048
PLAIN_OPTIONS = {"sed": "nErszu", "awk": "", "grep": "EFPGaiocvnwxlLqhHszbyr"}


def scripts(folder):
    """The scripts of a folder's cases."""
    for path in sorted((SPEC / folder / "cases").glob("*.cases")):
        case = None
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.startswith("### "):
                if case:
                    yield case
                case = ""
            elif line.startswith("=> "):
                if case:
                    yield case
                case = None
            elif case is not None:
                case += line
        if case:
            yield case


def commands(script):
    """Simple commands in it, as lists of words; lines that are more than that are left out."""
    for line in script.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split, words.commenters = True, ""
        try:
            command = []
            for word in words:
                if re.fullmatch(r"[();<>|&]+", word):
                    yield command
                    command = []
                else:
                    command.append(word)
            yield command
        except ValueError:
            continue


def split(command, plain):
    """Its options' letters, and its first argument."""
    letters, script = "", []
    words = iter(command[1:])
    for word in words:
        if word == "-e":
            script.append(next(words, ""))
        elif word.startswith("-") and len(word) > 1:
            letters += word[1:]
            if word[1] not in plain and len(word) == 2:
                next(words, None)
        elif not script:
            return letters, word
    return letters, "\n".join(script)


def awk(command):
    _, program = split(command, PLAIN_OPTIONS["awk"])
    yield program.encode() + b"\0" + INPUT


def sed(command):
    letters, script = split(command, PLAIN_OPTIONS["sed"])
    option = next((c for c in letters if c in "nEzs"), "E" if "r" in letters else "u")
    yield option.encode() + script.encode() + b"\0" + INPUT


def regex_of_sed(command):
    letters, script = split(command, PLAIN_OPTIONS["sed"])
    for pattern in re.findall(r"[s; ]/([^/\n]*)/", " " + script):
        yield bytes(["E" in letters or "r" in letters]) + pattern.encode() + b"\0" + INPUT


def regex(command):
    letters, pattern = split(command, PLAIN_OPTIONS["grep"])
    flags = ("E" in letters or command[0] == "egrep") + 2 * ("i" in letters)
    yield bytes([flags]) + pattern.encode() + b"\0" + INPUT


def shell(script):
    yield b"s" + script.encode()
    for word in re.findall(r"\$\{[^ {}]*\}", script):
        yield b"w" + word.encode()
    for expression in re.findall(r"\(\(([^()]*)\)\)", script):
        yield b"a" + expression.encode()
    for pattern in re.findall(r"[?*+@!]\([^() ]*\)", script):
        yield b"m" + pattern.encode() + b"\nabc"


def script(text):
    yield b"@" + text.encode()
    yield b"A" + text.encode()


OF_SCRIPTS = {"shell": shell, "script": script}
OF_COMMANDS = {
    "awk": [(("awk", "gawk"), awk)],
    "sed": [(("sed",), sed)],
    "regex": [(("grep", "egrep"), regex), (("sed",), regex_of_sed)],
}


def make(name, folder, most):
    """Writes seeds of fuzz_NAME into `folder`, `most` of them, in place of what is there."""
    seeds = set()
    if name in OF_SCRIPTS:
        for text in scripts("shell"):
            seeds.update(OF_SCRIPTS[name](text))
    if name in OF_COMMANDS:
        for command in (c for text in scripts("commands") for c in commands(text) if c):
            for names, make_seeds in OF_COMMANDS[name]:
                if command[0] in names:
                    seeds.update(make_seeds(command))
    files = {hashlib.sha1(seed).hexdigest(): seed for seed in seeds if len(seed) <= SIZE_MAX}
    for old in folder.iterdir():
        old.unlink()
    for file in sorted(files)[:most]:
        (folder / file).write_bytes(files[file])
