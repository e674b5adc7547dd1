#!/usr/bin/env python3
"""Random shell scripts, run with our shell and with GNU bash 5.2, which must print the same.

usage: generate.py --shell PATH [--oracle /bin/bash] [--seed N] [--count N] [--keep FOLDER] [--print]

The script of a number is always the same one: a failing run names it, and `--seed N --count 1` runs it again.
Scripts are a few statements, each from one corner of the language, over the same few variables, so that states
meet that nobody thought of together. Exits 77 (skipped) when there is no bash 5.2 to ask.
"""

import argparse
import concurrent.futures
import random
import subprocess
import sys

from run import run

NAMES = ["a", "b", "x", "s", "n", "arr", "h", "unset_"]
TEXTS = [
    "", "a", "abc", "foo bar", " lead", "trail ", "a:b:c", "x=1", "*", "?", "[a-c]", "a/b/c.txt", "-n", "-e", "--", "01", "7", "-3",
    "0x1f", "1+2", "tab\there", "new\nline", "q'q", 'd"q', "b\\s", "é", "日本", "$x", "`", "~", "~/p", "{a,b}", "!", "#", "a b  c", "::",
    ":a:", "AbC", "$(", "}", ";", "|", "&", "(", ")", "<", ">",
]
PATTERNS = [
    "*", "?", "a*", "*a", "*b*", "[a-c]", "[!a]*", "[[:alpha:]]", "[[:upper:]]*", "?(a)b", "*(a|b)", "+([0-9])", "@(a|foo)*", "!(a)",
    "!(*b*)", "\\*", "'*'", '"$x"', "$s", "a?c", "*:", ":*", "*[/.]*", "[]a]", "[^a-z]", "[a", "\\a", "*' '*", "é", "?本", "[[:space:]]*",
    "@()", "*(?)",
]
WORDS = [
    "a", "$a", '"$a"', "$x", '"$s"', "${arr[@]}", '"${arr[@]}"', '"${arr[*]}"', "$*", '"$@"', "$@", '"$*"', "''", '""', "a'b c'd", "~",
    "$'t\\tx'", "$(echo c d)", '"$(echo c  d)"', "`echo e`", "$((n+1))", "{1..3}", "x{a,b}y", "${#s}", "${unset_-d e}", '"${unset_-d e}"',
    "*", "[ab]*", "\\*", '"\\$a"', "${h[k]}", "$n", "a\\ b", "-$n", "pre$x$a", "'$a'", '"a$(printf "%s" "$b")"', "${a}${b}", '$"loc"',
    "${!arr[@]}", "=", "a=b", "#c", "x#y", "{a,b", "{}", "${s:-$a}", "\"${x+'q'}\"", "${x+'q r'}", '${x+"q $b"}',
]


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = 0

    def one(self, items):
        return self.r.choice(items)

    def maybe(self, p):
        return self.r.random() < p

    def quoted(self, text):
        """The text as a word, quoted in one of the ways there are."""
        how = self.r.randrange(4)
        if how == 0:
            return "'" + text.replace("'", "'\\''") + "'"
        if how == 1:
            return '"' + "".join("\\" + c if c in '"\\$`' else c for c in text) + '"'
        if how == 2:
            return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t") + "'"
        return "'" + text.replace("'", "'\"'\"'") + "'"

    def text(self):
        return self.one(TEXTS)

    def name(self):
        return self.one(NAMES)

    def word(self):
        k = self.r.randrange(10)
        if k < 4:
            return self.one(WORDS)
        if k < 8:
            return self.expansion()
        return self.quoted(self.text())

    def words(self, low=0, high=4):
        return " ".join(self.word() for _ in range(self.r.randint(low, high)))

    def pattern(self):
        return self.one(PATTERNS)

    def target(self):
        return self.one(
            [
                "a", "b", "x", "s", "n", "unset_", "arr[@]", "arr[*]", "arr[1]", "arr[-1]", "arr", "@", "*", "1", "2", "h[k]", "h[@]",
                "#", "?", "arr[n]", "h[$b]", "10", "0",
            ][: self.r.choice([6, 21])]
        )

    def expansion(self):
        t = self.target()
        op = self.r.randrange(12)
        if op == 0:
            e = "${%s%s%s}" % (t, self.one([":-", "-", ":+", "+"]), self.simple())
        elif op == 1:
            e = "${%s%s%s}" % (t, self.one(["#", "##", "%", "%%"]), self.pattern())
        elif op == 2:
            e = "${%s%s%s%s}" % (
                t,
                self.one(["/", "//", "/#", "/%"]),
                self.pattern(),
                self.one(["", "/", "/Z", "/[&]", "/\\&", "/$a", '/"$s"', "/'q'", "/a/b"]),
            )
        elif op == 3:
            e = "${%s:%s}" % (
                t,
                self.one(
                    ["0", "1", "2", " -1", " -2", "n", "0:1", "1:2", "1:-1", " -3:2", "(-1)", "1:n", "n>2?1:0:1", "9", "0:0", ":1", "1:"]
                ),
            )
        elif op == 4:
            e = "${%s%s}" % (t, self.one(["^", "^^", ",", ",,", "^[a-c]", "^^[b]", ",,[A-Z]", "~", "~~"]))
        elif op == 5:
            e = "${%s@%s}" % (t, self.one("QEPAaUuLKk"))
        elif op == 6:
            e = "${#%s}" % t
        elif op == 7:
            e = "${!%s}" % self.one(["x", "a", "ref", "arr[@]", "h[@]", "a@", "ar*", "ref2", "1"])
        elif op == 8:
            e = "$((%s))" % self.arith()
        elif op == 9:
            e = "$(%s)" % self.one(["echo %s" % self.one(WORDS), "printf '%s\\n\\n' a b", "echo $?", "false", "cd /; pwd"])
        else:
            e = "${%s}" % t
        return self.one([e, '"%s"' % e, "P%sS" % e, '"P %s S"' % e])

    def simple(self):
        return self.one(["", "v1", "v1 v2", "'q r'", '"q r"', "$a", '"$s"', "$(echo sub)", "a\\ b", "*", "~", "\\}", "{a,b}", "$'\\t'"])

    def arith(self, depth=0):
        if depth > 2 or self.maybe(0.3):
            return self.one(
                [
                    "0", "1", "2", "7", "10", "n", "x", "unset_", "arr[1]", "010", "0xff", "2#101", "-1", "$n", "n++", "--n", "h[k]",
                    "36#z", "'3'", '"2"', "arr[n]",
                ]
            )
        k = self.r.randrange(6)
        a = self.arith(depth + 1)
        if k == 0:
            return "(%s)" % a
        if k == 1:
            return self.one(["-", "!", "~", "+"]) + a
        b = self.arith(depth + 1)
        if k == 2:
            return "%s?%s:%s" % (a, b, self.arith(depth + 1))
        if k == 3:
            return "%s %s %s" % (self.one(["n", "x", "arr[1]", "m"]), self.one(["=", "+=", "-=", "*=", "|=", "<<="]), b)
        return self.one(["%s%s%s", "%s %s %s"]) % (
            a,
            self.one(["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "<<", ">>", "**", ","]),
            b,
        )

    # ---------------------------------------------------------------- statements

    def statement(self):
        kinds = [
            self.show,
            self.show,
            self.show,
            self.assign,
            self.assign,
            self.array,
            self.declare,
            self.cond,
            self.case,
            self.loop,
            self.function,
            self.redirect,
            self.here,
            self.printf,
            self.read,
            self.errexit,
            self.trap,
            self.ifs,
            self.misc,
            self.subshell,
            self.pipeline,
            self.test,
            self.nameref,
            self.getopts,
            self.set_args,
            self.mapfile,
            self.glob,
            self.local,
            self.error,
            self.assoc,
            self.brace,
            self.evals,
        ]
        self.depth += 1
        text = self.one(kinds)()
        self.depth -= 1
        return text

    def block(self, low=1, high=2):
        if self.depth > 3:
            return "echo %s" % self.word()
        return (
            "; ".join(self.statement() for _ in range(self.r.randint(low, high)))
            if self.maybe(0.5)
            else "\n".join(self.statement() for _ in range(self.r.randint(low, high)))
        )

    def show(self):
        return self.one(["show %s", "show %s", "echo %s", "printf '<%%s>' %s; echo"]) % self.words(1, 4)

    def value(self):
        return self.word() if self.maybe(0.6) else self.quoted(self.text())

    def assign(self):
        name = self.one(["a", "b", "x", "s", "n", "arr[1]", "arr[n]", "h[k]"])
        return "%s%s%s" % (name, self.one(["=", "=", "+="]), self.value()) + self.one(["", "; echo $?", '; show "$%s"' % name[0]])

    def array(self):
        return self.one(
            [
                lambda: 'arr=(%s); show "${arr[@]}"' % self.words(0, 4),
                lambda: 'arr+=(%s); show ${#arr[@]} "${arr[*]}"' % self.words(0, 3),
                lambda: "arr=([%s]=%s %s); declare -p arr" % (self.one(["2", "n", "5", "1+1"]), self.value(), self.words(0, 2)),
                lambda: "unset 'arr[%s]'; declare -p arr; echo ${#arr[@]} ${!arr[@]}" % self.one(["0", "1", "-1", "n", "9", "@"]),
                lambda: 'for i in "${!arr[@]}"; do show $i "${arr[i]}"; done',
                lambda: 'show "${arr[@]:%s}"' % self.one(["1", "0:2", "-1", " -1", "1:1", "n"]),
                lambda: 'show "${arr[@]%s}"' % self.one(["/a/b", "#?", "%%*", "^", "@Q", "@A", "//[a-c]/_", "@k", "@K", ",,"]),
                lambda: "arr[%s]=%s; declare -p arr" % (self.one(["3", "-1", "n", "7", "-9", "n+1"]), self.value()),
                lambda: "show ${arr[%s]}" % self.one(["0", "1", "-1", "-9", "n", "99", "$n", "arr[0]"]),
            ]
        )()

    def assoc(self):
        return self.one(
            [
                lambda: 'h[%s]=%s; show "${h[k]}" ${#h[@]}' % (self.one(["k", "'a b'", "$a", '"$x"', "*", "@", "1+1"]), self.value()),
                lambda: "unset 'h[k]'; show ${#h[@]}",
                lambda: "declare -A m=([%s]=%s); declare -p m" % (self.one(["k", "'a b'", "$a", '"$x"']), self.value()),
                lambda: 'declare -A m=(k1 v1 k2); show "${m[k1]}" "${m[k2]-none}"',
                lambda: "declare -A m=([z]=1); m+=([z]+=%s); declare -p m" % self.value(),
                lambda: "[[ -v h[%s] ]]; echo $?" % self.one(["k", "none", "@", "$a"]),
                lambda: 'for k in "${!h[@]}"; do show "$k" "${h[$k]}"; done',
            ]
        )()

    def declare(self):
        name = self.one(["a", "b", "x", "s", "n", "arr", "unset_"])
        return self.one(
            [
                lambda: "declare -p %s" % name,
                lambda: (
                    "declare %s %s=%s; declare -p %s"
                    % (self.one(["-i", "-u", "-l", "-x", "-c", "-il", "-t", ""]), name, self.value(), name)
                ),
                lambda: "declare %s %s; declare -p %s" % (self.one(["+x", "+i", "-a", "-i", "+u", "-r", "-A"]), name, name),
                lambda: "export %s; declare -p %s; echo ${%s@a}" % (name, name, name),
                lambda: "readonly %s; %s=9; echo st $?" % (name, name),
                lambda: "unset %s; declare -p %s; echo $?" % (name, name),
                lambda: "typeset -a arr=(%s); declare -p arr" % self.words(0, 3),
                lambda: "declare -i n; n=%s; show $n" % self.one(["3+4", "x", "'2 * 3'", "abc", "$n", "1+"]),
            ]
        )()

    def cond(self):
        left, right = self.word(), self.word()
        op = self.one(["==", "!=", "=", "<", ">", "=~", "-eq", "-lt"])
        if op in ("==", "!=", "="):
            right = self.pattern()
        elif op == "=~":
            right = self.one(
                ["a", "^a", "b$", "[a-c]+", "(a)(b)?", "'a.c'", "$a", '"$s"', "^(.)(.*)$", "a|b", "[[:digit:]]", "\\.", "x{2}", "()"]
            )
        elif op.startswith("-"):
            left, right = self.arith(3), self.arith(3)
        return "[[ %s%s %s %s ]]; echo %s" % (self.one(["", "", "! "]), left, op, right, self.one(["$?", '$? "${BASH_REMATCH[@]}"']))

    def test(self):
        return self.one(
            [
                lambda: "[ %s ]; echo $?" % self.words(0, 4),
                lambda: "test %s %s %s; echo $?" % (self.word(), self.one(["=", "!=", "-eq", "-gt", "<", "-a", "-o", "-nt"]), self.word()),
                lambda: "[ %s %s ]; echo $?" % (self.one(["-n", "-z", "-e", "-v", "!", "-t", "-f"]), self.word()),
                lambda: (
                    "[[ %s %s ]]; echo $?"
                    % (self.one(["-n", "-z", "-e", "-d", "-v"]), self.one(["a", "arr", "arr[1]", "unset_", "$a", '"$s"', "/", "n"]))
                ),
            ]
        )()

    def case(self):
        arms = []
        for _ in range(self.r.randint(1, 3)):
            arms.append(
                "%s) echo %s %s"
                % (
                    "|".join(self.pattern() for _ in range(self.r.randint(1, 2))),
                    self.one(["p1", "p2", "p3"]),
                    self.one([";;", ";;", ";&", ";;&"]),
                )
            )
        return "case %s in %s *) echo default;; esac" % (self.word(), " ".join(arms))

    def loop(self):
        return self.one(
            [
                lambda: (
                    "for i in %s; do %s; done"
                    % (
                        self.words(0, 3),
                        self.one(["show $i", 'show "$i"; [[ $i == a ]] && continue; echo after', "break", "echo $i; false"]),
                    )
                ),
                lambda: "for ((i=%s; i<%s; i++)); do echo $i; done" % (self.r.randrange(3), self.r.randrange(5)),
                lambda: (
                    "i=0; while ((i++ < 3)); do %s; done"
                    % self.one(["echo $i", "[ $i = 2 ] && continue; echo $i", "[ $i = 2 ] && break; echo $i"])
                ),
                lambda: "i=3; until ((i-- <= 0)); do echo $i; done; echo $?",
                lambda: "for i; do show $i; done",
                lambda: (
                    "for i in 1 2; do for j in a b; do %s; echo $i$j; done; done"
                    % self.one(["[ $j = b ] && continue 2", "[ $j = b ] && break 2", ":"])
                ),
                lambda: "printf '%s\\n' %s | while read -r l; do show \"$l\"; done" % ("%s", self.words(1, 3)),
                lambda: "select i in %s; do echo $i $REPLY; break; done <<< %s" % (self.words(1, 3), self.one(["1", "2", "x", "''"])),
            ]
        )()

    def function(self):
        return self.one(
            [
                lambda: "f() { %s; }; f %s; echo $?" % (self.block(1, 1), self.words(0, 3)),
                lambda: "f() { return %s; }; f; echo $?" % self.one(["", "3", "256", "-1", "n", "a"]),
                lambda: 'f() { echo $# "$@"; shift; echo $#; }; f %s' % self.words(0, 3),
                lambda: "f() (x=1; echo $x); f; echo $x",
                lambda: "function f { echo ${FUNCNAME[@]} $LINENO; }; f",
                lambda: "f() { %s\n}; declare -f f" % self.block(1, 2),
                lambda: "f() { local a=1; g; echo $a; }; g() { a=2; echo $a; }; f; echo $a",
                lambda: "x=9 f; f() { echo $x; x=8; }; x=9 f; echo $x",
            ]
        )()

    def redirect(self):
        return self.one(
            [
                lambda: "echo %s > out; cat out" % self.word(),
                lambda: (
                    "{ echo o; echo e >&2; } %s"
                    % self.one(["2>&1", ">out 2>&1; cat out", "2>/dev/null", "&>out; cat out", "2>out; cat out", "3>&1 1>&2 2>&3"])
                ),
                lambda: "cat < %s; echo $?" % self.one(["nope", "out", '"$a"', "$unset_", "/dev/null"]),
                lambda: "exec 3>f3; echo hi >&3; exec 3>&-; cat f3; echo x >&3; echo $?",
                lambda: "echo %s >> log; echo b >> log; cat log; rm log" % self.word(),
                lambda: 'exec {fd}<<<%s; read -r l <&$fd; show "$l"; exec {fd}<&-' % self.value(),
                lambda: "set -C; echo a > cc; echo b > cc; echo $?; echo c >| cc; cat cc; set +C; rm cc",
                lambda: "echo a 1>&7; echo $?",
                lambda: ": > %s; echo $?" % self.one(["$unset_", "*", "'a b'", '"$a" ', "$(echo a b)", "/nonexistent/x"]),
                lambda: "cat <<< %s" % self.value(),
                lambda: "while read -r l; do echo $l; done < <(printf '%%s\\n' %s)" % self.words(1, 2),
            ]
        )()

    def here(self):
        body = "\n".join(
            self.one(
                [
                    "plain", "$a and ${b}", "\\$a \\\\ \\x", "$(echo sub)", "`echo bq`", "  ind", "\tt", "'q' \"d\"", '${s:-"x"}',
                    "$((n+1))", "a\\", "${unset_-'q'}", "*", "~",
                ]
            )
            for _ in range(self.r.randint(0, 3))
        )
        mark = self.one(["EOF", "'EOF'", '"EOF"', "E\\OF"])
        dash = self.one(["", "-"])
        return "cat <<%s%s%s\n%s%sEOF\n" % (
            dash,
            mark,
            self.one(["", " | sed s/^/:/", "; echo after"]),
            body and body + "\n",
            "\t" if dash else "",
        )

    def printf(self):
        f = self.one(
            [
                "%s", "%d", "%5s|", "%-5s|", "%05d", "%x", "%o", "%c", "%b", "%q", "%.2s", "%*s", "%i", "%u", "%e", "%.2f", "%g", "%%",
                "%X", "%#x", "%+d", "% d", "%s %s\\n", "\\x41", "\\u00e9", "\\101", "a\\cb", "%(%Y)T", "%z", "%-*d|", "%Q", "%.3q",
                "\\e[", "%s\\0",
            ]
        )
        return (
            "printf '%s\\n' %s; echo $?" % (f, self.words(0, 3))
            if self.maybe(0.8)
            else "printf -v x '%s' %s; show \"$x\"" % (f, self.words(0, 2))
        )

    def read(self):
        opts = self.one(["", "-r", "-a arr", "-d :", "-n 2", "-N 3", "-r -a arr", "-d ''", "-e", "-s"])
        names = "" if "-a" in opts else self.one(["", "x", "x a", "x a b", "arr[2]"])
        return '%sread %s %s <<< %s; echo $?; show "$x" "$a" "$b" "$REPLY" "${arr[@]}"' % (
            self.one(["", "", "IFS=: ", "IFS= ", "IFS=' :' "]),
            opts,
            names,
            self.value(),
        )

    def errexit(self):
        return "(set -e; %s; echo survived); echo $?" % self.one(
            [
                "false", "false || true", "! true", "false | true", "true | false", "if false; then :; fi", "f() { false; echo in; }; f",
                "f() { false; echo in; }; f || echo no", "x=$(false)", "echo $(false)", "((0))", "[[ a == b ]]", "local x=1",
                "while false; do :; done", "false && true", "{ false; } && true", "(false)", "export x=$(false)",
                "set -o pipefail; false | true", "eval false", "eval 'false || true'", ": $(false)", "case $(false) in *) ;; esac",
                "test -f nope", "until true; do :; done", "f() { return 3; }; f", "f() (exit 4); f", "trap 'echo err $?' ERR; false",
                "trap 'echo exit $?' EXIT; false", "command false", "builtin false", "[ 1 = 2 ]", "x=1 false", "readonly r=1; r=2",
                "let 0", "shift 5", "unset -x", "cd /nope", ". /nope", "exec nope_", "$(false)", "a=1 b=$(false)",
                "for i in $(false); do :; done", "! false", "! { false; }", "false; true", "time false", "{ false; true; }",
                "f() { false; }; if f; then :; fi", "f() { false; }; ! f", "wait 99999", "false & wait $!", "read x </dev/null",
                "return 2", "break", ":> /nope/x", "echo a >/nope/x", "type nope_", "arr=($(false))",
            ]
        )

    def trap(self):
        return (
            "(%s)"
            % self.one(
                [
                    "trap 'echo bye' EXIT; %s"
                    % self.one(
                        ["true", "exit 3", "false", "f() { exit 4; }; f", "set -e; false", "kill -TERM $BASHPID", "exec true", "(exit 5)"]
                    ),
                    "trap 'echo E$?' ERR; %s"
                    % self.one(
                        [
                            "false", "false || true", "f() { false; }; f", "(false)", "! true", "set -E; f() { false; }; f",
                            "false | true", "if false; then :; fi", "x=$(false)",
                        ]
                    ),
                    "trap 'echo D $BASH_COMMAND' DEBUG; %s"
                    % self.one(
                        [
                            "echo a", "x=1", "for i in 1 2; do :; done", "if true; then :; fi", "f() { :; }; f", "case a in a) :;; esac",
                            "((1))", "[[ a ]]",
                        ]
                    ),
                    "trap 'echo T' USR1; kill -USR1 $BASHPID; echo after", "trap '' TERM; kill -TERM $BASHPID; echo alive",
                    "trap 'echo R' RETURN; f() { :; }; f; set -T; f", "trap 'x=1' INT TERM; trap; trap -p TERM; trap - INT; trap -p",
                    "trap 'echo 1' EXIT; trap 'echo 2' EXIT", "trap 'echo out; exit 7' EXIT; exit 3", "trap nope BAD; echo $?",
                ]
            )
            + "; echo $?"
        )

    def ifs(self):
        return "IFS=%s; show %s; unset IFS" % (
            self.one(["':'", "' :'", "''", "$'\\n'", "x", "'b '", "$' \\t\\n'", "'\\'", "é", "'::'", "1"]),
            self.words(1, 3),
        )

    def misc(self):
        return self.one(
            [
                "echo $? $#", 'show "${PIPESTATUS[@]}"', 'true | false | true; show "${PIPESTATUS[@]}"', "shift; echo $? $#",
                "shift 9; echo $?", "cd /tmp; cd - >/dev/null; echo $?", "type echo if f cat_ 2>&1", "command -v echo if nope_; echo $?",
                "let n=n+1; echo $n", "((n++)); echo $? $n",
                "eval echo %s" % self.word(),
                "eval %s" % self.value(),
                "set -- %s; echo $#" % self.words(0, 4),
                "echo -e 'a\\tb\\x41\\0101\\c' z", "echo -n x; echo", "echo -E 'a\\n'", "! true; echo $?",
                'exit_=1; : ${x:=%s}; show "$x"' % self.simple(),
                "(: ${unset_?msg}); echo $?", "(: ${unset_:?}); echo $?", "set -u; (echo $unset_); echo $?; set +u",
                "set -f; echo *; set +f", "shopt -s nullglob; echo nope*; shopt -u nullglob",
                "{ echo a; echo b; } | { read x; echo got $x; }; show $x",
                "shopt -s lastpipe; echo z | read x; show $x; shopt -u lastpipe",
                "(set -x; echo %s) 2>&1" % self.word(),
                "(set -x; x=%s; [[ $x == a* ]]; ((n)); for i in 1; do :; done) 2>&1" % self.value(),
                "echo $((n)) $LINENO", "pushd / >/dev/null; dirs -v | tail -1 >/dev/null; popd >/dev/null; echo $?", "hash -r; hash 2>&1",
                "umask; umask -S", "times >/dev/null; echo $?", "echo ${BASH_VERSINFO[0]}", "ulimit -c >/dev/null; echo $?",
                "set -o | grep -c on >/dev/null; echo $?", "shopt -q extglob; echo $?", "wait; echo $?", "sleep 0 & wait $!; echo $?",
                "(exit 3) & wait $!; echo $?", 'echo "$-" | grep -c h',
                "builtin echo %s" % self.word(),
                "printf '%s\\n' \"${!a@}\"", "caller; echo $?", "f() { caller 0; }; f", "enable -n echo; enable echo; echo ok",
                "compgen -W 'ab ac b' a", "echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL)", "time -p : 2>/dev/null; echo $?",
            ]
        )

    def subshell(self):
        return (
            self.one(["(%s); echo $?", "{ %s; }; echo $?", 'x=$(%s); show "$x"', 'show "$(%s)"']) % self.block(1, 1).rstrip("\n")
            if self.depth < 3
            else "(echo s)"
        )

    def pipeline(self):
        return self.one(
            [
                "echo %s | cat", "printf '%%s\\n' %s | sort -u", "%s | cat", "! echo %s | grep -q a; echo $?", "echo %s |& cat",
                "echo %s | tr a-z A-Z | cat -A",
            ]
        ) % self.words(1, 2)

    def nameref(self):
        return self.one(
            [
                'declare -n ref=a; ref=%s; show "$a" "$ref" "${!ref}"; unset -n ref' % self.value(),
                'declare -n r3=arr; r3+=(z); show "${r3[@]}" ${#r3[@]}; unset -n r3',
                "declare -n r4='arr[1]'; r4=%s; declare -p arr; unset -n r4" % self.value(),
                'f() { local -n v=$1; v=%s; }; f x; show "$x"' % self.value(),
                "declare -n l=l; echo $?; l=1", "declare -n r5; r5=x; show $r5; declare -p r5; unset -n r5",
                "declare -n r6=unset_; echo ${r6-no}; r6=1; echo $unset_; unset r6; echo ${unset_-gone}", "declare -n r7=1a; echo $?",
                'for r in a b; do declare -n rr=$r; show "$rr"; done; unset -n rr',
            ]
        )

    def getopts(self):
        return "OPTIND=1; while getopts '%s' o %s; do show $o \"$OPTARG\" $OPTIND; done; echo $OPTIND $?" % (
            self.one(["ab:c", ":ab:", "a", "b:"]),
            self.one(["-a -b x -c", "-abfoo y", "-z", "-b", "-a -- -b", "x -a", "-ab", "-a - b", "%s" % self.word()]),
        )

    def set_args(self):
        return "set -- %s; show $# %s" % (
            self.words(0, 4),
            self.one(
                ['"$@"', "$*", '"$*"', "${@:2}", '"${@:1:2}"', "${*: -1}", "${#@}", '"${@#a}"', "$1 $2", "${@:0:1}", '"${@/a/b}"', '"x$@y"']
            ),
        )

    def mapfile(self):
        return "mapfile %s arr < <(printf '%s'); declare -p arr" % (
            self.one(["", "-t", "-n 1", "-s 1", "-O 2", "-t -d :", "-t -n 2 -s 1", "-d ''"]),
            self.one(["a\\nb\\n", "a\\nb", "", "\\n\\n", "a:b:c", "x y\\nz\\n"]),
        )

    def glob(self):
        return "touch a1 a2 b1 .h 'c d'; mkdir -p d; touch d/e; %s show %s; shopt -u dotglob failglob nocaseglob globstar nullglob" % (
            self.one(
                [
                    "", "", "shopt -s nullglob;", "shopt -s dotglob;", "GLOBIGNORE='a*';", "shopt -s failglob;", "shopt -s nocaseglob;",
                    "shopt -s globstar;",
                ]
            ),
            self.one(
                [
                    "*", "a*", "?1", "[ab]1", "[!a]*", ".*", "*/", "*/*", "d/*", "z*", "A*", "**", "!(a*)", "@(a|b)1", "+(a|1|2)", "'a'*",
                    '"a*"', "a\\*", "{a,b}*", "$a*", "./*", "*[ ]*", "[a-b][1-2]", "nope[", "**/e", "?(a)1", "*d*", "a*1",
                ]
            ),
        )

    def local(self):
        return self.one(
            [
                'f() { local x=%s y; show "$x" "${y-u}"; }; f' % self.value(),
                'f() { local -a arr=(%s); show "${arr[@]}"; }; f; show "${arr[@]}"' % self.words(0, 2),
                "f() { local x; x=1; unset x; echo ${x-none}; }; f", "f() { local -i n=2+3; echo $n; }; f; echo $n",
                "f() { local -; set -f; echo *; }; f; echo $-  | grep -c f", "f() { local -r c=1; c=2; echo no; }; f; echo $?",
                "f() { declare -g x=G; local x=L; echo $x; }; f; echo $x", "f() { local -p; }; f",
                "f() { local -A m=([k]=v); show ${m[k]}; }; f", "x=1; f() { local x=$x$x; g; }; g() { x+=z; show $x; }; f; show $x",
                "f() { local a=b b=$a; show $a $b; }; f", "f() { unset a; a=3; local a; echo ${a-u}; }; f; echo $a",
            ]
        )

    def error(self):
        return self.one(
            [
                "nope_cmd_ %s; echo $?" % self.word(),
                "/; echo $?", "./nope_; echo $?", "cd nope_; echo $?", "(echo ${}); echo $?", "eval 'if'; echo $?",
                "eval 'echo )'; echo $?", "eval 'for'; echo $?", 'eval "echo \'unterminated"; echo $?', "return; echo $?",
                "break; echo $?", "continue 2; echo $?", "unset 1a; echo $?", "export 1a; echo $?", "readonly 'a b'; echo $?",
                "local x; echo $?", "eval 'case x in'; echo $?", "eval 'f() {'; echo $?", "eval 'echo a;; echo b'; echo $?",
                "eval '{ echo a'; echo $?", "eval 'while true; done'; echo $?", "eval 'a=(1 2'; echo $?", "(echo ${x!}); echo $?",
                "eval '[[ a b ]]'; echo $?", "eval '((1+))'; echo $?", "(shift -1); echo $?", "set -q; echo $?", "(exec nope_); echo $?",
                "declare -Z x; echo $?", "test 1 -eq a; echo $?", "[ a; echo $?", "printf; echo $?", "read 1a <<< x; echo $?",
                "getopts; echo $?", "trap x; echo $?", "kill; echo $?", "let; echo $?", "wait %9; echo $?", "fg; echo $?",
                "jobs %3; echo $?", "umask 9; echo $?", "alias nope_; echo $?", "unalias nope_; echo $?", "hash nope_; echo $?",
                "type nope_; echo $?", "shopt nope_; echo $?", "set -o nope_; echo $?", "mapfile -n x; echo $?", ". ; echo $?",
                "source nope_; echo $?", "exit_ 3", "enable nope_; echo $?", "(echo $((1/0)); echo no); echo $?",
                "(echo ${a:1:-9}); echo $?", "(readonly r=1; r=2; echo no); echo $?", "(declare -A q; q=(1); echo $?)",
                "printf %d abc; echo $?", "printf '%z'; echo $?", "builtin nope_; echo $?", "command; echo $?", "pushd; echo $?",
                "popd; echo $?", "dirs +9; echo $?", "ulimit -q; echo $?", "disown %9; echo $?", "bind 2>/dev/null; echo $?",
                "caller x; echo $?", "times x >/dev/null; echo $?", "cd a b; echo $?", "(set -u; echo $1 $9); echo $?",
                "(exit abc); echo $?", "(return 3 4); echo $?", "(logout); echo $?", "complete -q; echo $?", "compgen -A nope; echo $?",
                "suspend; echo $?", "unset -f -v x; echo $?", "declare -n 1=x; echo $?", "(a[1/0]=3; echo no); echo $?",
                "(echo ${arr[1/0]}); echo $?", "(arr[-9]=1; echo no); echo $?", "(echo ${arr[]}); echo $?", "eval 'echo ${'; echo $?",
                "eval '&& a'; echo $?", "eval 'a | | b'; echo $?", "eval '> '; echo $?", "eval 'cat << '; echo $?", "eval 'do'; echo $?",
                "eval '! !'; echo $?", "eval 'function'; echo $?", "eval 'if true; fi'; echo $?", "eval 'esac'; echo $?",
            ]
        )

    def brace(self):
        return "show %s" % self.one(
            [
                "{1..5}", "{5..1..2}", "{a..e..2}", "{01..10..3}", "{-2..2}", "a{b,c{d,e}}f", "{a,b}{1,2}", "{a}", "{,x}", "x{,}y",
                "{$a,$b}", "{'a b',c}", "{1..}", "{a..3}", "\\{a,b}", "{a\\,b,c}", "{a,b", "a,b}", "${a}{x,y}", "{a,${b}}", "{Z..a}",
                "{1..3}{a,b}", '"{a,b}"', '{a,"b c"}', "{{a,b},c}", "{a,{b}}", "~/{a,b}", "{*,z}", "{x..z}$n", "{0..$n}", "{001..3}",
                "{3..1}", "{a,b,}", "{a..a}", "{1..2..0}", "{10..1..-3}", "a{,b}{,c}", "{a,b}c{d", "{}", "{},{}", "a{}b{c,d}",
            ]
        )

    def evals(self):
        return self.one(["eval %s; echo $?", "bash -c %s; echo $?", "bash -c 'echo $0 $@' %s", 'f=%s; eval "$f" ; echo $?']) % self.quoted(
            self.block(1, 1).rstrip("\n") if self.depth < 3 and self.maybe(0.7) else self.text()
        )

    def script(self):
        setup = ['show() { printf \'[%s]\' "$@"; echo " $#"; }']
        if self.maybe(0.5):
            setup.append("shopt -s extglob")
        setup.append("set -- %s" % " ".join(self.quoted(self.text()) for _ in range(self.r.randrange(4))))
        setup.append(
            "a=%s b=%s s=%s x=%s n=%s ref=a ref2='arr[1]'"
            % (
                self.quoted(self.text()),
                self.quoted(self.text()),
                self.quoted(self.text()),
                self.one(["a", "b", "1", "''", "arr"]),
                self.one(["0", "1", "2", "3"]),
            )
        )
        setup.append("arr=(%s)" % " ".join(self.quoted(self.text()) for _ in range(self.r.randrange(4))))
        setup.append("declare -A h=([k]=%s)" % self.quoted(self.text()))
        return "\n".join(setup + [self.statement() for _ in range(self.r.randint(1, 4))]) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--shell", required=True)
    p.add_argument("--oracle", default="/bin/bash")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--show", type=int, default=20)
    p.add_argument("--print", action="store_true")
    p.add_argument("--nostderr", action="store_true")
    a = p.parse_args()
    seeds = range(a.seed, a.seed + a.count)
    if a.print:
        for seed in seeds:
            print(Maker(seed).script())
        return 0
    version = subprocess.run([a.oracle, "-c", "echo $BASH_VERSION"], capture_output=True, text=True).stdout
    if not version.startswith("5.2"):
        print("no bash 5.2 to compare with")
        return 77
    failed = 0

    def both(seed):
        code = Maker(seed).script()
        return seed, code, run(a.shell, code), run(a.oracle, code)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for seed, code, ours, theirs in pool.map(both, seeds):
            if ours == theirs or (a.nostderr and ours[:2] == theirs[:2]):
                continue
            failed += 1
            if failed <= a.show:
                print("### seed %d\n%s" % (seed, "\n".join(code.splitlines()[1:])))
                for what, x, y in zip(("stdout", "status", "stderr"), theirs, ours, strict=True):
                    if x != y:
                        print("--- %s: bash\n%s\n--- ours\n%s" % (what, x, y))
                print()
    print("%d of %d scripts agree" % (a.count - failed, a.count))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
