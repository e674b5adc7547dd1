"""hot_image.py: the functions that most of a program's time goes to, as gcc makes them fast.

For split_image.py, which puts them into part 1 (HOT in cmake/WasmProgram.cmake): that one is compiled
with more care than the others.

Asyncify asks the instance at every turn whether the program unwinds. Here a function asks when it
begins and after each call that may unwind, and keeps the answer in a variable of its own: behind the
question after a call it is 0, so that the compiler knows most answers. What is not followed by that
question, as Asyncify writes it, is asked for again.
"""

import re

from wasm_image import Refused

STATE = re.compile(r"^static u32 w2c_asyncify_get_state\([^;]*\) \{\n(?:.*\n){2}"
                   r"  w2c_i0 = (instance->w2c_\w+);$", re.M)
PROLOGUE = "  FUNC_PROLOGUE;"
CALL = re.compile(r"\b(?:CALL_INDIRECT|w2c_\w+|Z_\w+)\(")
DIRECT = re.compile(r"^ *(?:w2c_\w+ = )?(w2c_\w+)\(instance\b")
PLAIN = re.compile(r"^ *w2c_[a-z]+\d+ = [^()?]*;$")
MISSING = 0.1  # so many of the names may be of another compiler's functions


def read_names(text: str, functions: dict[str, str]) -> set[str]:
    """The functions that a list names, one a line; # begins a comment."""
    names = {"w2c_" + line for line in text.split("\n") if line and not line.startswith("#")}
    found = names & functions.keys()
    if len(names - found) > MISSING * len(names):
        missing = sorted(name[4:] for name in names - found)
        raise Refused(f"has not {len(missing)} of {len(names)} hot functions: {', '.join(missing[:9])} …")
    return found


def state_of(text: str) -> str | None:
    """How the C of a module names Asyncify's state; None: it has none."""
    found = STATE.findall(text)
    if len(found) > 1:
        raise Refused("has more than one state of Asyncify")
    return found[0] if found else None


def question(lines: list[str], at: int, state: str) -> bool:
    """Is this the question that Asyncify asks after a call?"""
    read = re.match(rf" *(w2c_i\d+) = {state};$", lines[at])
    if not read or at + 3 >= len(lines):
        return False
    one, same, leave = (line.strip() for line in lines[at + 1:at + 4])
    other = re.match(r"(w2c_i\d+) = 1u;$", one)
    return bool(other and same == f"{read[1]} = {read[1]} == {other[1]};"
                and re.match(rf"if \({read[1]}\) \{{goto w2c_B\w+;\}}$", leave))


def keep_state(body: str, state: str, unwinds: set[str]) -> str:
    """A function that keeps the state in a variable. `unwinds`: the functions that may change it."""
    if state not in body:
        return body
    if f"{state} = " in body:
        raise Refused("changes Asyncify's state where nobody thought of it")
    refresh = f"pf_state = {state};"
    head, rest = body.split(f"\n{PROLOGUE}\n")
    lines, out, at, asked = rest.split("\n"), [head, PROLOGUE, f"  u32 {refresh}"], 0, True
    while at < len(lines):
        line = lines[at]
        if question(lines, at, state):
            leave = re.sub(r"if \((\w+)\)", r"if (UNLIKELY(\1))", lines[at + 3])
            out += [*lines[at:at + 3], leave, "pf_state = 0;"]
            at, asked = at + 4, True
            continue
        if not asked and not PLAIN.match(line):
            out.append(refresh)
            asked = True
        out.append(line.replace(state, "pf_state"))
        if CALL.search(line):
            asked = DIRECT.findall(line) != [] and not unwinds & set(DIRECT.findall(line))
        at += 1
    return "\n".join(out)
