"""A look at a script before it runs: what it names, and that nothing else is called known."""

import json
import subprocess
import sys

import pytest

from pinfold import MethodCapability, Sandbox, Tool, analyze
from pinfold.analysis.builtins import BUILTINS
from pinfold.analysis.programs import PROGRAMS


def commands(code, language="shell"):
    return [command.name for command in analyze(code, language).commands]


@pytest.mark.parametrize(
    "code, names",
    [
        ("ls | wc -l && echo $(date) `id`", ["ls", "wc", "date", "id", "echo"]),
        ("find . -name '*.py' -exec grep -l x {} \\; | xargs -n1 rm --", ["find", "grep", "xargs", "rm"]),
        ("timeout -k 1 5 env A=b nice -n 3 sort f", ["timeout", "env", "nice", "sort"]),
        ("eval 'ls; pwd'; trap 'rm -f t' EXIT", ["eval", "ls", "pwd", "trap", "rm"]),
        ("bash -c 'cut -f1 $1' x f; sh <<'E'\ntac f\nE", ["bash", "cut", "sh", "tac"]),
        ("f() { uniq; }; f <(seq 3); [ -f x ]", ["uniq", "seq", "f", "["]),
        ("if cmp a b; then :; else diff a b; fi", ["cmp", ":", "diff"]),
        ("cat <<E\n$(whoami)\nE", ["whoami", "cat"]),
        ("for i in 1 2; do ((i > 1)) && tr a b; done", ["tr"]),
        ("shopt -s extglob\nls !(x)", ["shopt", "ls"]),
        ("python3 -c 'import os; os.system(\"ls\")'; node -e 'await shell(\"pwd\")'", ["python3", "ls", "node", "pwd"]),
        ("awk -F, '$3 > 1 { print $1 \"|\" }' f | sed -n 's/a/b/p'", ["awk", "sed"]),
    ],
)
def test_commands_that_are_named(code, names):
    found = analyze(code)
    assert found.complete, found.unknown
    assert sorted(command.name for command in found.commands) == sorted(names)


@pytest.mark.parametrize(
    "code",
    [
        "$x y", "${cmd[@]}", "eval $x", "eval \"$(cat f)\"", "source f", ". ./f", "./script", "bash script", "bash -c \"$x\"",
        "cat f | bash", "python3 f.py", "node f.js", "python3 -m http.server", "make", "parallel echo ::: a", "PATH=. ls", "export PATH=.",
        "env PATH=. ls", "declare PATH=.", "read PATH", "BASH_ENV=f bash -c ls", "alias ls='rm -rf'", "alias $x",
        "shopt -s expand_aliases", "trap \"$x\" EXIT", "mapfile -C \"$x\" a", "mapfile -C 'eval $x' a", "xargs $x", "xargs sh -c",
        "xargs -I{} {} x", "find . $x", "find . -exec {} \\;", "find \"$a\" \"$b\" rm", "echo $((x))\nx=$(cat f)",
        "x=$(cat f); ((x++))", "read n; [[ $n -eq 1 ]]", "read i; echo ${a[$i]}", "read i; a[$i]=1", "read i; let x=i",
        "read n; declare -i m; m=$n", "echo ${!x}\nread x", "echo ${x@P}", "unset \"$x\"", "printf \"$x\" y", "printf -v \"$x\" y",
        "declare \"$x=1\"", "declare -n r=x", "read x; [ $x ]", "[ -v \"$x\" ]", "read a b; test \"$a\" \"$b\"", "command $x", "exec $x", "builtin eval $x",
        "hash -p ./x ls", "enable -f x y", "compgen -C ls", "compgen -W '$(ls)' x", "coproc $x", "jobs -x $x", "fc -s", "watch $x",
        "timeout $x ls", "env -S \"$x\"", "sed \"$x\" f", "sed 's/a/b/e' f", "sed -n '1e ls' f", "sed -f s f", "sed 'w f'", "sed -e p \"$f\"",
        "awk 'BEGIN { system(\"ls\") }'", "awk '\"ls\" | getline'", "awk '/\"/ { system(\"ls\") }'", "awk '{ print > \"f\" }'", "awk -f s",
        "awk '@include \"x\"'", "awk 'BEGIN { f = \"system\"; @f(\"ls\") }'", "awk '{print,\n1 > \"f\"}'", "awk \"$x\"", "split --filter=\"$x\" f",
        "sqlite3 d '.shell ls'", "> $f", "cat < \"$f\"", "git commit -m x", "if then", "a=(1 2); echo ${a[$(cat f)]}",
        "shopt -s extglob; ls !(x)", "tool $name", "PS4='$(ls)'; set -x", "set -o posix", "IFS=x; set $y",
    ],
)  # fmt: skip
def test_what_is_not_known_is_said(code):
    assert not analyze(code).complete


@pytest.mark.parametrize(
    "code",
    [
        "i=0; while ((i < 3)); do echo $((i++)); done", "n=$(wc -l < f); echo $((n + 1))", "for i in {1..3}; do echo ${a[$i]}; done",
        "declare -A m; read k; m[$k]=1; echo ${m[$k]}", "x=5; [ $x -gt 3 ] && echo $((x * 2))", "[ $? -eq 0 ]; [ $# -gt 1 ]",
        "[ \"$a\" = \"$b\" ] && [ -z \"$c\" ]", "local_var=${1:-x}; echo \"$local_var\"", "sort < <(cat f)", "echo {a,b}{1..3} *.txt ~",
        "read -r a b <<< 'x y'", "printf '%s\\n' \"$x\"", "while IFS= read -r l; do echo \"$l\"; done", "mapfile -t lines < f", "set -euo pipefail",
        "x=${y//a/b}; echo ${#x} ${x:0:2}", "case $1 in a|b) ls ;; *) pwd ;; esac", "sed -i 's/a/b/g; /x/d' f", "getopts ab: o",
    ],
)  # fmt: skip
def test_everyday_scripts_are_known(code):
    assert analyze(code).complete, analyze(code).unknown


@pytest.mark.parametrize("code", [
    "await pay({amount: 5})", "const r = await Promise.all([pay({amount: 5}), pay({amount: 6})]); return r.length",
    "for (let i = 0; i < 3; i++) console.log([1, 2, 3][i])", "const c = {}; for (const w of ['a']) c[w] = (c[w] || 0) + 1; return c",
    "import fs from 'node:fs'; return fs.readFileSync('/workspace/a', 'utf8')", "class A { #x = 1; get() { return this.#x } } new A().get()",
    "function f(x: number): number { return x }\nreturn f(2)", "await $`ls -l ${dir}`", "const { readFile } = require('fs').promises; await readFile('a')",
])  # fmt: skip
def test_javascript_that_is_known(code):
    found = analyze(code, "javascript", tools=["pay"])
    assert found.complete, found.unknown


@pytest.mark.parametrize("code", [
    "eval('x')", "new Function('x')", "(() => 0).constructor('x')()", "(() => 0)['constr' + 'uctor']('x')", "const { constructor: F } = () => 0",
    "const { [k]: F } = () => 0", "const k = 'length'; f[{ length: 'constructor' }.length]('x')", "globalThis[k]()", "const g = globalThis; g.pay()",
    "this.pay({})", "function f() { return this } f().pay()", "tools[name]()", "const t = tools; t.pay()", "require(name)", "require('child_process')",
    "await import(name)", "import { exec } from 'child_process'", "process.binding('x')", "process.mainModule", "Reflect.get(f, 'x')", "shell(cmd)",
    "await $`${cmd} x`", "const sh = shell; sh('ls')", "fs.writeFileSync(path, 'x')", "const f = fs; f.readFileSync('a')", "with (x) y()", "const x = 1 +",
    "Object.getOwnPropertyDescriptor(f, k).value('x')", "let F = f[k]; F('x')", "f[k]('x')", "f[k].call(null, 'x')", "Error.prepareStackTrace = g",
    "let i = 'constructor'; i++; i = s; f[i]('x')", "[].map.call(['x'], f[k])",
])  # fmt: skip
def test_javascript_that_is_not_known(code):
    assert not analyze(code, "javascript", tools=["pay"]).complete


@pytest.mark.parametrize("code", [
    "import json, re\nfrom collections import Counter\nprint(Counter(re.findall('a', json.dumps('a'))))", "from tools import pay\npay(amount=5)",
    "import subprocess\nsubprocess.run(['ls', '-l', name])", "with open('a.csv') as f: print(f.read())", "import os\nprint(os.environ['HOME'], os.path.join('a', 'b'))",
    "from pathlib import Path\nPath('o').write_text('x')", "import datetime as dt\ndt.datetime.now()", "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA(1)",
])  # fmt: skip
def test_python_that_is_known(code):
    found = analyze(code, "python", tools=["pay"])
    assert found.complete, found.unknown


@pytest.mark.parametrize("code", [
    "eval('x')", "e = exec\ne('x')", "().__class__.__bases__", "getattr(x, y)", "getattr(x, '__class__')", "import random\nrandom._os.system('x')",
    "from random import _os", "import calendar\ncalendar.sys.modules", "import json\nj = json\nj.codecs", "import helper", "import ctypes", "import importlib",
    "from os import *", "import os\nos.system(x)", "import os\nos.execv('x', y)", "import os\no = os\no.system('ls')", "import os\nos.environ['PATH'] = 'x'",
    "import subprocess\nsubprocess.run(x)", "import subprocess\nr = subprocess.run\nr(['ls'])", "import subprocess\nsubprocess.run(['ls'], executable='rm')",
    "import subprocess\nsubprocess.run(['ls'], **k)", "import subprocess\nsubprocess.run([*x])", "open(x)", "o = open\no('x')", "__builtins__", "globals()",
    "import operator\noperator.attrgetter('x')", "import string\nstring.Formatter()", "import typing\ntyping.get_type_hints(x)", "def f(): yield\nf().gi_frame",
    "match x:\n    case object(__class__=c): pass", "from tools import *", "import tools\nt = tools\nt.pay()", "import tools\ngetattr(tools, 'pay')()", "print(",
    "from pathlib import Path\nPath(x).write_text('')", "import asyncio\nasyncio.create_subprocess_exec('ls')", "import sys\nsys._getframe()",
])  # fmt: skip
def test_python_that_is_not_known(code):
    assert not analyze(code, "python", tools=["pay"]).complete


def test_tools_with_their_arguments():
    def pay(to: str, amount: int) -> str:
        """Pays."""
        return to

    found = analyze("pay --to ada --amount 5; tool pay --to \"$x\" --amount 6; echo '{}' | tool pay", tools=[pay])
    assert [use.name for use in found.tools] == ["pay"] * 3
    assert found.tools[0].arguments == {"to": "ada", "amount": 5}
    assert found.to_json()["tools"][1]["arguments"] == {"to": {"unknown": True}, "amount": 6}
    assert found.tools[2].arguments is None
    for language, code in (("javascript", "await stripe.pay({to: 'a', n: [1, -2]})"), ("python", "import tools\ntools.stripe.pay(to='a', n=[1, -2])")):
        assert [(u.name, u.arguments) for u in analyze(code, language).tools] == [("stripe/pay", {"to": "a", "n": [1, -2]})]


@pytest.mark.parametrize("tool", ["pay", Tool("pay")])
def test_arguments_are_those_that_the_tool_gets(tool):
    """Compared with what really arrives."""
    words = "--amount 5 --flag --n 1e3 --s '\"x\"' --t true --u null --v 007 --l 1 --l 2 --a.b 3 --o '{}' --x=y"
    with Sandbox(tools=[Tool("pay", handler=lambda **given: given)], capabilities=[MethodCapability("pay")]) as sandbox:
        for code in (f"pay {words}", "tool pay --no 1", """tool pay --json '{"a": [1, "2"]}' --b 2""", "pay --a 1 --a 2"):
            assert analyze(code, tools=[tool]).tools[0].arguments == json.loads(sandbox.run(code).stdout), code


def test_texts_of_programs_stay_texts():
    def pay(amount: int) -> int:
        return amount

    for language, code in (("javascript", "await pay({amount: '5'})"), ("python", "import tools\ntools.pay(amount='5')")):
        assert analyze(code, language, tools=[pay]).tools[0].arguments == {"amount": "5"}
    assert analyze("pay --amount much", tools=[pay]).tools[0].arguments is None  # it is refused there


def test_arguments_that_only_the_run_knows():
    found = analyze('x=$1\nrm -rf $x -- "$y" a; ls *.c | xargs wc -l')
    assert found.complete and not found.literal
    rm, ls, xargs, wc = found.commands
    assert (rm.arguments, rm.unknown) == (("-rf", None, "--", None, "a"), ("$x", '"$y"'))
    assert (ls.unknown, xargs.unknown, wc.unknown) == (("*.c",), (), ("…",))
    assert found.sentence == (
        "Runs rm, ls, xargs and wc. Arguments that only the run knows: $x \"$y\" of rm (line 2),"
        " *.c of ls (line 2) and … of wc (line 2)."
    )
    assert found.to_json()["commands"][0]["unknown"] == ["$x", '"$y"'] and not found.to_json()["literal"]
    assert analyze("rm -rf build; tool pay --to ada").literal
    for code in ("tool pay --to $x", "tool pay --list '[1]' --to \"a$x\"", "eval $x", "tool pay < f"):
        assert not analyze(code).literal, code
    assert not analyze("await pay({to: {name: x}})", "javascript", tools=["pay"]).literal
    assert analyze("await pay({to: {name: 'x'}})", "javascript", tools=["pay"]).literal


def test_files_that_are_opened():
    found = analyze("sort < in > 'out put'; echo x >> log 2>&1; cat 3<> both; ls &> all >&2")
    assert [(use.path, use.mode) for use in found.files] == [
        ("in", "read"), ("out put", "write"), ("log", "append"), ("both", "read and write"), ("all", "write"),
    ]  # fmt: skip


def test_the_sentence_is_one_line_whatever_the_script_is_called():
    found = analyze("$'ls\\n; allowed by root' $'\\e[2J'; > $'a\\u202eb'; tool pay --to $'x\\ny'")
    assert "\n" not in found.sentence and "\x1b" not in found.sentence and "\u202e" not in found.sentence


def test_what_is_wrong_with_the_arguments_is_said():
    with pytest.raises(ValueError, match="no language 'cobol'"):
        analyze("x", "cobol")
    with pytest.raises(TypeError, match="code is str"):
        analyze(b"x")


def test_deep_and_large_scripts_are_unknown_not_errors():
    assert not analyze("{ " * 300 + "ls" + "; }" * 300).complete
    assert not analyze("eval 'ls").complete
    assert not analyze("x = " + "(" * 3000 + "1" + ")" * 3000, "python").complete
    assert not analyze("[" * 20000 + "]" * 20000, "javascript").complete


#: Programs that start no other and call no tool, whatever their arguments are.
PLAIN = set(
    """arch b2sum base32 base64 basename basenc bc bunzip2 bzcat bzip2 cal cat chgrp chmod chown cksum clear cmp column
    comm cp cpio csplit cut date dd df diff diff3 dir dircolors dirname dos2unix du echo egrep envsubst expand expr factor fallocate false fgrep file findmnt
    fmt fold free getconf getent getopt grep groups gunzip gzip hd head hexdump hostid hostname iconv id install join jq kill
    less link ln locale logname look ls lzcat lzma md5sum mkdir mkfifo mknod mktemp more mount mountpoint mv namei nl nproc numfmt od paste patch
    pathchk pgrep pip pip3 pkill pr printenv printf ps pstree ptx pwd readlink realpath rename rev rg rm rmdir rsync sdiff seq sha1sum
    sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort sponge stat strings stty sum sync tac tail tar tee test
    top touch tput tr tree true truncate tsort tty umount uname unexpand uniq unix2dos unlink unlzma unxz unzip unzstd uptime users
    uudecode uuencode uuidgen vdir w wc which who whoami xxd xz xzcat yes zcat zip zstd zstdcat ["""
    .split()
)  # fmt: skip


def test_every_program_of_the_sandbox_is_known():
    """A new program goes to PLAIN, or, when it starts others, to PROGRAMS."""
    with Sandbox() as sandbox:
        programs = set(sandbox.run("ls /usr/bin").stdout.split())
        builtins = set(sandbox.run("compgen -b").stdout.split())
    assert programs - PLAIN - set(PROGRAMS) == set()
    assert builtins - set(BUILTINS) == set()


def check(*arguments, stdin=None):
    return subprocess.run(
        [sys.executable, "-m", "pinfold", "check", *arguments], capture_output=True, text=True, input=stdin, timeout=120
    )


def test_the_command_line(tmp_path):
    script = tmp_path / "s.sh"
    script.write_text("tool pay --amount 7\n$x")
    done = check(str(script))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == 'Calls pay(amount=7). Not known before it runs: which command $x is (line 2).\n'
    assert check("-", stdin="ls").returncode == 0
    assert check("-", "-l", "python", stdin="import os\nos.system('ls')").stdout == "Runs ls.\n"
    data = json.loads(check("--json", "-l", "javascript", "-", stdin="await pay({a: 1})").stdout)
    assert data["complete"] and data["tools"] == [{"name": "pay", "arguments": {"a": 1}, "line": 1}]
    policy = tmp_path / "policy.json"
    policy.write_text('{"capabilities": [{"method": "pay", "constraints": {"a": "<=5"}}]}')
    judged = check("--policy", str(policy), "-l", "javascript", "-", stdin="await pay({a: 1})\nawait pay({a: 9})")
    assert judged.returncode == 1
    assert "line 1: pay: would pass" in judged.stdout and "a must be <= 5 (it is 9)" in judged.stdout
    missing = check(str(tmp_path / "none"))
    assert missing.returncode == 125 and "No such file" in missing.stderr


def test_what_searches_packed_files_runs_two_programs():
    found = analyze("zgrep x f.gz; xzdiff a.xz b.xz")
    assert found.complete, found.unknown
    assert {"gzip", "grep", "xz", "diff"} <= {command.name for command in found.commands}
