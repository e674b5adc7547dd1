"""Programs that try to run forever, to take all memory or all of anything else.

Each ends as documented, leaves the sandbox's files and, where that is possible, its session, and
disturbs neither another sandbox nor the host's memory.
"""

import time

import pytest

from pinfold import Limits, MethodCapability, Sandbox, Tool

SMALL = {
    "memory_bytes": 96 << 20,
    "process_memory_bytes": 64 << 20,
    "filesystem_bytes": 32 << 20,
    "files": 5000,
}
#: Far more than any limit of these tests: only a hang takes that long.
HANG_SECONDS = 60


def nested(opening, inner, closing, depth):
    return opening * depth + inner + closing * depth


#: Endless work of the processor: name, language, program, is the session kept (None: it depends)?
ENDLESS = [
    ("loop", "javascript", "while (true) {}", True),
    ("regex", "javascript", 'return /^(a+)+\\1c$/.test("a".repeat(40))', True),
    ("sort comparison", "javascript", "[1, 2, 3].sort(() => { while (1) {} })", True),
    ("console.log", "javascript", 'while (true) console.log("x".repeat(1000))', True),
    ("console.error", "javascript", 'while (true) console.error("x".repeat(1000))', True),
    ("buffers", "javascript", "for (;;) Buffer.alloc(1 << 20, 1)", True),
    ("huge join", "javascript", 'return Array(1e9).join("x").length', True),
    ("loop", "shell", "while :; do :; done", True),
    ("loop in the background", "shell", "while :; do :; done & wait", None),
    ("many loops", "shell", "for i in 1 2 3 4; do while :; do :; done & done; echo on", None),
    ("EXIT trap", "shell", "trap 'while :; do :; done' EXIT; exit", False),
    ("ignored signals", "shell", "trap '' INT TERM; while :; do :; done", False),
    ("INT trap", "shell", "trap 'while :; do :; done' INT; while :; do :; done", False),
    ("fork bomb", "shell", ":(){ :|:& };:", False),
    ("yes", "shell", "yes", True),
    ("yes on stderr", "shell", "yes >&2", True),
    ("endless input", "shell", "cat /dev/zero | tail -c 1", True),
    ("one endless line", "shell", "grep x /dev/zero", True),
    ("jq", "shell", "jq -n 'def f: f; f'", True),
    ("sed", "shell", "echo a | sed ':a;s/a/a/;ta'", True),
    ("awk", "shell", "awk 'BEGIN { while (1) n++ }'", True),
    ("awk function", "shell", "awk 'function f(n) { while (1) n++ } BEGIN { f(1) }'", True),
    ("find -exec", "shell", "find / -exec sh -c 'while :; do :; done' \\;", True),
    ("exec of itself", "shell", "echo 'exec bash /tmp/e' > /tmp/e; bash /tmp/e", True),
    ("seq", "shell", "seq 1e18 | tail -1", True),
]

#: Nothing left to do but wait: name, language, program.
WAITING = [
    ("timers", "javascript", "setInterval(() => {}, 10); await new Promise(() => {})"),
    ("timer", "javascript", "await new Promise(r => setTimeout(r, 1e9))"),
    ("sleep", "shell", "sleep 1000"),
    ("fifo", "shell", "mkfifo /tmp/p; cat /tmp/p"),
    ("background", "shell", "sleep 1000 & wait"),
    ("read", "shell", "mkfifo /tmp/p; read x <> /tmp/p"),
    ("read in time", "shell", "mkfifo /tmp/p; read -t 1000 x <> /tmp/p"),
    ("full pipe", "shell", "mkfifo /tmp/p; exec 3<> /tmp/p; while :; do echo xxxxxxxxx >&3; done"),
]

#: What is refused or runs out: name, language, program, part of standard error, session kept?
REFUSED = [
    ("recursion", "javascript", "const f = () => f() + 1; f()", "RangeError", True),
    ("getter", "javascript", "const o = {get x() { return this.x }}; return o.x", "RangeError", True),
    ("JSON.parse", "javascript", 'return JSON.parse("[".repeat(1e6))', "RangeError", True),
    ("proxies", "javascript", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});"
     " return p.x", "RangeError", True),
    ("parentheses", "javascript", 'eval("(".repeat(1e5) + ")".repeat(1e5))', "RangeError", True),
    ("groups", "javascript", 'RegExp("(".repeat(1e5) + ")".repeat(1e5))', "SyntaxError", True),
    ("arrays", "javascript", "const a = []; for (;;) a.push(new Array(1000).fill(1))",
     "InternalError: out of memory", True),
    ("strings", "javascript", 'let s = "x"; for (;;) s += s', "Error", True),
    ("children", "javascript", 'const {spawn} = require("child_process");'
     ' for (;;) spawn("sleep", ["100"])', "EMFILE", True),
    ("recursion", "shell", "f() { f; }; f", "maximum function nesting level exceeded", True),
    ("forks that recurse", "shell", "f() { f & f; }; f", "maximum function nesting", True),
    ("eval", "shell", "x='eval \"$x\"'; eval \"$x\"", "maximum eval nesting level", True),
    ("source", "shell", "echo '. /tmp/r' > /tmp/r; . /tmp/r", "maximum eval nesting level", True),
    ("arithmetic", "shell", "a=a+1; echo $((a))", "recursion level exceeded", True),
    ("substitutions", "shell", "echo " + nested("$(echo ", "", ")", 3000), "nested deeper", True),
    ("parameters", "shell", "echo " + nested("${a:-", "", "}", 20000), "nested deeper", True),
    ("conditions", "shell", f"[[ {nested('( ', 'a', ' )', 20000)} ]]", "nested deeper", True),
    ("ifs", "shell", nested("if :; then ", ":", "; fi", 5000), "nested deeper", True),
    ("braces", "shell", "echo {a,b}" + "{a,b}" * 29 + " | wc -c", "cannot allocate", True),
    ("doubling", "shell", "x=x; while :; do x=$x$x; done", "cannot allocate", False),
    ("array", "shell", "while :; do a+=(1 2 3 4 5 6 7 8 9); done", "cannot allocate", False),
    ("jq array", "shell", "jq -n '[range(1e12)]'", "cannot allocate memory", True),
    ("jq recursion", "shell", "jq -n 'def f(x): [f(x)]; f(1)'", "cannot allocate memory", True),
    ("jq depth", "shell", "printf '%0100000d' 0 | tr 0 '[' | jq .", "depth limit", True),
    ("awk recursion", "shell", "awk 'function f() { f() } BEGIN { f() }'", "awk: ", True),
    ("awk parentheses", "shell", "awk 'BEGIN { x = " + nested("(", "1", ")", 20000) + " }'",
     "awk: ", True),
    ("awk string", "shell", "awk 'BEGIN { s = \"x\"; while (1) s = s s }'", "awk: ", True),
    ("full disk", "shell", "yes > /tmp/big", "No space left on device", True),
    ("files", "shell", "i=0; while : > /tmp/f$((i++)); do :; done; false",
     "No space left on device", True),
    ("long name", "shell", 'touch /tmp/$(printf "%05000d" 0)', "File name too long", True),
    ("processes", "shell", "while sleep 100 & do :; done; false", "fork: ", True),
    ("link to itself", "shell", "ln -s /tmp/l /tmp/l; cat /tmp/l", "Too many levels", True),
    ("interpreter of itself", "shell", "printf '#!/tmp/x\\n' > /tmp/x; chmod +x /tmp/x; /tmp/x",
     "Too many levels", True),
    ("everyone", "shell", "kill -9 1", "Operation not permitted", True),
]


def name_of(case):
    return f"{case[1]} {case[0]}".replace(" ", "-")


@pytest.fixture(scope="module")
def neighbour():
    with Sandbox() as sandbox:
        sandbox.run("n=0; echo mine > /workspace/file")
        yield sandbox


def attack(neighbour, language, program, **limits):
    """Runs it; the result, and what is left of the session and the files."""
    with Sandbox(limits=Limits(**SMALL, **limits)) as sandbox:
        sandbox.run("kept=yes; echo there > /workspace/file")
        started = time.monotonic()
        result = sandbox.run(program, language=language)
        assert time.monotonic() - started < HANG_SECONDS
        assert result.usage.memory_bytes <= SMALL["memory_bytes"]
        assert len(result.stdout_bytes) <= 1 << 20
        after = sandbox.run("echo ${kept-no}; cat /workspace/file")
    count = neighbour.run("n=$((n + 1)); echo $n $(cat /workspace/file)").stdout.split()
    assert count[1] == "mine" and neighbour.run("echo $n").stdout.split() == count[:1]
    kept, *files = after.stdout.split()
    assert files == ["there"]
    return result, kept == "yes"


@pytest.mark.parametrize("case", ENDLESS, ids=name_of)
def test_endless_work_ends_at_the_limit(neighbour, case):
    _, language, program, keeps = case
    result, kept = attack(neighbour, language, program, cpu_seconds=0.3, wall_seconds=30)
    assert (result.limit, result.exit_code) == ("cpu_seconds", 137)
    assert kept == (not result.session_lost)
    assert keeps is None or kept == keeps


@pytest.mark.parametrize("case", WAITING, ids=name_of)
def test_endless_waiting_ends_at_the_limit(neighbour, case):
    _, language, program = case
    result, kept = attack(neighbour, language, program, cpu_seconds=30, wall_seconds=0.3)
    assert (result.limit, result.exit_code) == ("wall_seconds", 137)
    assert kept and not result.session_lost


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_what_runs_out_is_an_error(neighbour, case):
    _, language, program, text, keeps = case
    result, kept = attack(neighbour, language, program, cpu_seconds=40, wall_seconds=60)
    assert result.limit is None
    assert result.exit_code != 0 or text == "cannot allocate"
    assert text in result.stderr
    assert kept == keeps


def resident_bytes():
    with open("/proc/self/smaps_rollup") as report:
        for line in report:
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    raise AssertionError("no Pss in /proc/self/smaps_rollup")


def test_the_host_keeps_nothing_of_an_attack(neighbour):
    attacks = [
        ("javascript", "const a = []; for (;;) a.push(new Array(1000).fill(1))"),
        ("shell", "x=x; while :; do x=$x$x; done"),
        ("shell", ":(){ :|:& };:"),
        ("shell", "yes > /tmp/big"),
    ]

    def round_of_attacks():
        for language, program in attacks:
            attack(neighbour, language, program, cpu_seconds=0.3, wall_seconds=30)

    round_of_attacks()
    before = resident_bytes()
    for _ in range(4):
        round_of_attacks()
    assert resident_bytes() - before < 16 << 20


#: Of the sandboxes that are filled.
MEMORY = 128 << 20

FILL = """
const fs = require("fs"), file = fs.openSync("/tmp/log", "w"), block = Buffer.alloc(1000);
let n = 0;
try { for (;; n++) fs.writeSync(file, block); } catch (e) { console.log(e.code); }
return n > 1000;
"""


def test_files_that_take_all_memory_leave_enough_to_go_on():
    """Their contents are the sandbox's memory. Whoever writes is told, nobody's output is lost, and
    there is room for the program that removes them, which gives all of it back."""
    half = f"return Buffer.alloc({MEMORY // 2}).length"
    with Sandbox(limits=Limits(memory_bytes=MEMORY)) as sandbox:
        for _ in range(3):
            result = sandbox.run(FILL, language="javascript")
            assert (result.exit_code, result.stdout, result.value) == (0, "ENOSPC\ntrue\n", True)
            result = sandbox.run("head -c 1G /dev/zero > /tmp/more; echo $?; ls /tmp; rm /tmp/*")
            assert result.stdout.split() == ["1", "log", "more"], result
            assert "No space left" in result.stderr
            result = sandbox.run(half, language="javascript")
            assert result.value == MEMORY // 2, result


def test_a_program_that_does_not_fit_says_which_limit_that_was():
    with Sandbox(limits=Limits(memory_bytes=MEMORY)) as sandbox:
        sandbox.run("js -e 'a = []; try { for (;;) a.push(Buffer.alloc(1 << 16)) } catch {}"
                    " setTimeout(() => {}, 1e6)' & sleep 0.5")
        result = sandbox.run("return 1", language="javascript")
        assert (result.exit_code, result.limit) == (137, "memory_bytes"), result
        assert sandbox.run("kill %1; wait; js -e 'console.log(2)'").stdout == "2\n"


def test_a_sandbox_without_room_for_a_process_gives_results():
    """It is what its scripts did, and not the embedder's mistake."""
    with Sandbox() as sandbox:
        sandbox.run("for i in {1..200}; do sleep 1000 & done 2> /dev/null")
        for how in ({"language": "javascript"}, {"isolated": True}):
            result = sandbox.run("echo", **how)
            assert (result.exit_code, result.limit) == (137, "processes"), result
            assert "cannot start: Resource temporarily unavailable" in result.stderr
        assert sandbox.run("echo the session is there").stdout == "the session is there\n"


def test_calls_that_are_pending_at_a_limit_are_cancelled():
    asking = {"tools": [Tool("ask")], "capabilities": [MethodCapability("ask")]}
    with Sandbox(limits=Limits(cpu_seconds=0.5), **asking) as sandbox:
        sandbox.start("tool ask & while :; do :; done")
        result = sandbox.finish()
        assert (result.limit, sandbox.pending) == ("cpu_seconds", [])
        assert "cancelled: the run reached its limit cpu_seconds" in result.stderr
        assert sandbox.run("echo next").stdout == "next\n"
