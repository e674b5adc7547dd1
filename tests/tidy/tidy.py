#!/usr/bin/env python3
"""How the sources are written: rules that no compiler knows, each with what to do instead.

usage: tidy.py [FOLDER]      prints what is against a rule, a line each; exit status 1 if anything is

Known exceptions are exact: one that is not needed any more is an error as well.
"""
import pathlib
import re
import subprocess
import sys

COLUMNS, FUNCTION_LINES = 100, 120

#: Functions over FUNCTION_LINES, by file.
LONG_FUNCTIONS: set[str] = set()
#: Files of wide tables and of texts, in which a row is a line.
WIDE = {"cli/arguments.c", "cli/completion.c", "cli/policy.c", "cli/replay.c", "cli/shell.c", "cli/verify.c",
        "cli/web_request.c", "guest/programs/archive/zgrep.c"}
#: Where lines have at most COLUMNS. Other folders follow, one at a time.
LAID_OUT = ("bench/", "cli/", "guest/kernel/", "guest/lib/", "guest/libc/", "guest/programs/archive/",
            "guest/programs/awk/", "guest/programs/bc/", "guest/programs/diff/", "guest/programs/digest/",
            "guest/programs/grep/", "guest/programs/jq/", "guest/programs/js/", "guest/programs/make/",
            "guest/programs/sed/", "guest/programs/sqlite3/", "guest/programs/system/", "guest/programs/text/",
            "guest/programs/tool/", "host/", "lib/")

#: What the files of a folder may include from other folders, besides the system. Who is not listed
#: may include anything.
LAYERS = {
    "abi": ["abi"],
    "lib": ["abi", "lib"],
    "guest/kernel": ["abi", "lib", "guest/kernel"],
    "guest": ["abi", "lib", "guest"],
    "host/base": ["lib", "host/base"],
    "host/http": ["abi", "lib", "host/base", "host/http"],
    "host/capability": ["abi", "lib", "include", "host/base", "host/http", "host/capability"],
    "host/cpu": ["abi", "lib", "include", "host/base", "host/cpu"],
    "cli": ["include", "cli"],
    "host": ["abi", "lib", "include", "host"],
}
#: Includes against LAYERS, as "FILE: INCLUDE".
KNOWN_INCLUDES: set[str] = set()

#: Headers whose functions have their documentation elsewhere: what POSIX, libraries or tables say.
DOCUMENTED_ELSEWHERE = ("guest/libc/", "guest/programs/js/quickjs_", "guest/programs/python/pyconfig.h")

#: Where the limits of LIMITS are told again, for those who do not read it.
LIMITS = "host/machine/machine.h"
LIMITS_TOLD = ("include/pinfold.h", "cli/arguments.c", "docs/pinfold.1", "python/pinfold/limits.py")

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
FUNCTION = re.compile(r"^(?!#|/|\s|typedef|struct \w+ \{|enum|union)[^;={}]*?(\w+)\([^;{}]*\)[^;={}]*\{$", re.MULTILINE)

PROTOTYPE = re.compile(r"^(?!typedef|return)[A-Za-z_][\w *]*[ *](\w+)\([^;{}]*\);", re.MULTILINE)
#: A comment that only says in which file the functions are.
PLACE = re.compile(r"/\*[-\s]*[\w./, ]+\.[ch][\s-]*\*/")


def problems(name, text, files):
    """What is against a rule in one file, as (rule, where, what to do)."""
    if not text.strip():
        return
    if name.endswith((".c", ".h")):
        if not text.startswith("/*"):
            yield "purpose", name, "begins without a comment that says what it is for"
        if name.startswith(LAID_OUT) and name not in WIDE:
            for number, line in enumerate(text.split("\n"), 1):
                if len(line) > COLUMNS:
                    yield "columns", f"{name}:{number}", f"has {len(line)} columns: `make format`"
        if name.endswith(".h") and not name.startswith(DOCUMENTED_ELSEWHERE):
            yield from undocumented(name, text)
        yield from long_functions(name, text)
        yield from includes(name, text, files)
    elif name.endswith(".py"):
        start = text.partition("\n")[2] if text.startswith("#!") else text
        if not start.lstrip().startswith(('"""', 'r"""', "#")):
            yield "purpose", name, "begins without a docstring that says what it is for"


def long_functions(name, text):
    for match in FUNCTION.finditer(text):
        end = text.find("\n}", match.end())
        lines = text.count("\n", match.start(), end) + 2
        if end >= 0 and lines > FUNCTION_LINES:
            yield "function", f"{name}: {match[1]}", f"has {lines} lines, of {FUNCTION_LINES}"


def undocumented(name, text):
    """Prototypes with no comment behind them, nor above them or the lines that they stand among."""
    for match in PROTOTYPE.finditer(text):
        block = text[text.rfind("\n\n", 0, match.start()) + 1:match.start()]
        behind = text[match.start():(text + "\n").index("\n", match.end())]
        if "/*" not in PLACE.sub("", block) and "/*" not in behind:
            yield "comment", f"{name}: {match[1]}", "has no comment: say what it does, and what its caller must know"


def includes(name, text, files):
    layer = max((folder for folder in LAYERS if name.startswith(folder + "/")), key=len, default=None)
    if layer is None:
        return
    for include in INCLUDE.findall(text):
        beside = str(pathlib.PurePosixPath(name).parent / include)
        target = beside if beside in files else include
        if target not in files or any(target.startswith(one + "/") for one in LAYERS[layer]):
            continue
        yield "include", f"{name}: {include}", f"a file of {layer} includes only from {LAYERS[layer]}"


def limits(sources):
    """A limit that is not told everywhere, or with another default."""
    told = dict(re.findall(r"^    X\((\w+), (.*?)\)", sources.get(LIMITS, ""), re.MULTILINE))
    defaults = dict(re.findall(r'^    "(\w+)": (.*),$', sources.get("python/pinfold/limits.py", ""), re.MULTILINE))
    for name, value in told.items():
        spoken = name.replace("_ms", "_seconds")
        for place in LIMITS_TOLD:
            if place in sources and not re.search(rf"\b({name}|{spoken})\b", sources[place]):
                yield place, f"does not tell of the limit {name} of {LIMITS}"
        known, unit = eval(value.replace("ull", "")), 1000 if name.endswith("_ms") else 1
        if defaults and eval(defaults.get(spoken, "0").replace("MIB", "2**20")) * unit != known:
            yield "python/pinfold/limits.py", f"has another default of {spoken} than {LIMITS}: {known / unit:g}"


def listed(root):
    """The sources below a folder, by name."""
    out = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    names = [name for name in out.split("\n") if name.endswith((".c", ".h", ".py")) or name in LIMITS_TOLD]
    return {name: (root / name).read_text(encoding="utf-8", errors="replace") for name in names if (root / name).is_file()}


def check(sources):
    """Lines about everything that is against a rule, and about exceptions that nothing needs."""
    known = {"function": LONG_FUNCTIONS, "include": KNOWN_INCLUDES}
    needed, wrong = set(), []
    for name, text in sources.items():
        if name.startswith(("tests/spec/", "third_party/", "js/node_modules/")):
            continue
        for rule, where, what in problems(name, text, sources.keys()):
            if where in known.get(rule, ()):
                needed.add(where)
            else:
                wrong.append(f"{where}: {what}")
    wrong += [f"{place}: {what}" for place, what in limits(sources)]
    unused = set().union(*known.values()) - needed
    return wrong + [f"tests/tidy/tidy.py: the exception {one!r} is not needed any more" for one in sorted(unused)]


if __name__ == "__main__":
    found = check(listed(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found))
    sys.exit(1 if found else 0)
