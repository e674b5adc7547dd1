"""What random_git.py says to git: the script of a repository, commands that look, commands that change."""

import os

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho".split()
NAMES = [
    "a.c",
    "b.txt",
    "d/e.txt",
    "d/f/g.c",
    "run.sh",
    "sp ace.txt",
    "z.md",
    "d/h.py",
    "ü.txt",
    "crlf.txt",
    "x/y/z.txt",
]
CODE = [
    "int main(void) {",
    "    return 0;",
    "}",
    "",
    "static int f(int x) {",
    "    x++;",
    "    return x;",
    "}",
    "def g():",
    "    pass",
    "# part",
]


def lines_of(rng):
    pool = WORDS + CODE
    return [rng.choice(pool) for _ in range(rng.randint(0, 30))]


def write(folder, name, data, executable=None):
    path = os.path.join(folder, name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.islink(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(data)
        if executable is not None:
            os.chmod(path, 0o755 if executable else 0o644)
    except OSError:
        pass


class Repository:
    """Names and texts that a script makes, for the commands that follow."""

    def __init__(self, rng):
        self.rng, self.zone, self.author = rng, rng.choice(["+0000", "+0100", "-0330"]), "A U Thor"
        self.branches, self.tags, self.texts = ["main"], [], {}
        self.when = 1_700_000_000
        self.subjects = []

    def tick(self):
        self.when += self.rng.choice([0, 1, 60, 3600, 86400, 86400 * 9])
        return self.when

    def edit(self, names=None):
        """An edit of some files, as a function of the folder."""
        rng = self.rng
        jobs = []
        for name in rng.sample(names or NAMES, rng.randint(1, 3)):
            lines = list(self.texts.get(name) or lines_of(rng))
            for _ in range(rng.randint(1, 4)):
                what, at = rng.random(), rng.randint(0, len(lines))
                if what < 0.5:
                    lines.insert(at, rng.choice(WORDS) + f" {rng.randint(0, 9)}")
                elif lines and what < 0.75:
                    lines[min(at, len(lines) - 1)] = rng.choice(CODE + WORDS)
                elif lines:
                    del lines[min(at, len(lines) - 1)]
            self.texts[name] = lines
            end = "\r\n" if name == "crlf.txt" else "\n"
            data = (end.join(lines) + (end if rng.random() < 0.95 and lines else "")).encode()
            if rng.random() < 0.02:
                data += b"\0bin\xff"
            jobs.append((name, data, rng.random() < 0.1 or name.endswith(".sh") if rng.random() < 0.3 else None))

        def act(folder):
            for name, data, executable in jobs:
                write(folder, name, data, executable)

        act.__doc__ = "edit " + ", ".join(job[0] for job in jobs)
        return act

    def commit(self):
        rng = self.rng
        subject = (
            rng.choice(["Add", "Fix", "fix:", "Change", "WIP"]) + " " + " ".join(rng.sample(WORDS, rng.randint(1, 3)))
        )
        self.subjects.append(subject)
        body = "\n\n" + " ".join(rng.sample(WORDS, 4)) + "\n\nSigned-off-by: S <s@z>" if rng.random() < 0.3 else ""
        self.author = rng.choice(["A U Thor", "Bob", "Çelik"])
        yield ["add", "-A"], self.when
        yield ["commit", "-q", "-m", subject + body, *(["--allow-empty"] if rng.random() < 0.1 else [])], self.tick()

    def script(self):
        rng = self.rng
        yield ["init", "-q", "-b", "main"], self.when
        for name, value in (
            ("user.name", "A U Thor"),
            ("user.email", "a@example.com"),
            ("advice.detachedHead", "false"),
        ):
            yield ["config", name, value], self.when
        if rng.random() < 0.3:
            yield lambda folder: write(folder, ".gitattributes", b"*.txt text=auto\n*.md -diff\n*.py diff=python\n")
        yield lambda folder: write(folder, ".gitignore", b"*.o\n/build/\n!keep.o\ntmp*\n")
        current = "main"
        for _ in range(rng.randint(4, 14)):
            what = rng.random()
            if what < 0.55 or not self.subjects:
                yield self.edit()
                yield from self.commit()
            elif what < 0.65:
                old, new = rng.sample(NAMES, 2)
                yield ["mv", old, new], self.when
                self.texts[new] = self.texts.pop(old, [])
                yield from self.commit()
            elif what < 0.7:
                yield ["rm", "-q", "-f", rng.choice(NAMES)], self.when
                yield from self.commit()
            elif what < 0.8 and len(self.branches) < 4:
                name = f"topic{len(self.branches)}"
                yield ["checkout", "-q", "-b", name, rng.choice(["HEAD", "HEAD~1", "main"])], self.when
                self.branches.append(name)
                current = name
            elif what < 0.87 and len(self.branches) > 1:
                current = rng.choice(self.branches)
                yield ["checkout", "-q", current], self.when
            elif what < 0.95 and len(self.branches) > 1:
                other = rng.choice([b for b in self.branches if b != current])
                yield ["merge", "-q", "--no-edit", *rng.choice([[], ["--no-ff"], ["-X", "ours"]]), other], self.tick()
                if rng.random() < 0.9:
                    yield ["add", "-A"], self.when
                    yield ["commit", "-q", "--no-edit", "-m", f"Merge {other}"], self.tick()
            else:
                name = f"v{len(self.tags)}.0"
                yield ["tag", *rng.choice([[], ["-a", "-m", f"tag {name}"]]), name], self.tick()
                self.tags.append(name)
        if rng.random() < 0.7:
            yield self.edit()
        if rng.random() < 0.4:
            yield ["add", rng.choice(NAMES)], self.when
        if rng.random() < 0.2:
            yield ["stash", "-q"], self.tick()
            yield self.edit()
        if rng.random() < 0.3:
            yield lambda folder: write(folder, "new file.txt", b"new\n")
            yield lambda folder: write(folder, "build/x.o", b"o\n")
        if rng.random() < 0.1:
            yield ["rm", "-q", "--cached", "-f", rng.choice(NAMES)], self.when


def rev(rng, r):
    base = rng.choice(["HEAD", "HEAD", "@", *r.branches, *r.tags, "main"])
    return rng.choice(
        [
            base,
            base,
            base,
            base + "~1",
            base + "^",
            base + "~2",
            base + "^2",
            "@{-1}",
            base + "@{0}",
            base + "^0",
            base + "~3",
            ":/" + rng.choice(WORDS),
            base + "^{/" + rng.choice(["Add", "fix", *WORDS]) + "}",
            base + "^{commit}",
            base + "@{1}",
            "@{1}",
            base + "^{}",
            "refs/heads/main",
            "heads/main",
            "v9.9",
            "nothing",
        ]
        if rng.random() < 0.5
        else [base, base + "~1", base + "^"]
    )


def range_(rng, r):
    a, b = rev(rng, r), rev(rng, r)
    return rng.choice(
        [
            [a],
            [a, b],
            [f"{a}..{b}"],
            [f"{a}...{b}"],
            ["^" + a, b],
            ["--all"],
            [f"{a}.."],
            [],
            [],
            ["--branches"],
            ["--tags"],
            [a + "^!"],
            [a + "^@"],
            [b, "--not", a],
            [a + "^-"],
        ]
    )


def paths(rng):
    if rng.random() < 0.6:
        return []
    some = [
        *NAMES,
        "d",
        "d/",
        "*.c",
        ":(glob)**/*.txt",
        ":!d",
        ":(icase)A.C",
        ":/d",
        ":(exclude)*.txt",
        "d/*",
        "nope",
        ":(top)x",
        ".",
    ]
    return ["--", *rng.sample(some, rng.randint(1, 2))]


def some(rng, pool, most=2):
    return [
        w for group in rng.sample(pool, rng.randint(0, most)) for w in (group if isinstance(group, list) else [group])
    ]


DATES = [
    "--date=" + d
    for d in (
        "iso",
        "iso-strict",
        "rfc",
        "short",
        "raw",
        "unix",
        "local",
        "format:%Y-%m-%d %H:%M",
        "iso-local",
        "default",
    )
]
FORMATS = [
    "%h %s",
    "%H%n%T%n%P",
    "%an <%ae> %ad",
    "%cn %ce %cd",
    "%d",
    "%D",
    "%b",
    "%B",
    "%s%n%b",
    "%f",
    "%ar"[:0] + "%at %ct",
    "%h%x09%s",
    "%<(20)%s|",
    "%<(10,trunc)%s|",
    "%>(30)%an|",
    "%><(30)%s|",
    "%(trailers)",
    "%(trailers:key=Signed-off-by,valueonly)",
    "%aI %cI",
    "%as %cs",
    "%aD",
    "%p %t",
    "%w(20,2,4)%B",
    "%S",
    "%gd %gs",
    "%m %h",
    "%e%N",
    "%C(red)%h%Creset",
    "%+s%-b",
    "% b",
    "%%",
    "%n",
    "%(describe)",
    "%aN %aE %al",
    "%>>(12)%h",
    "%<|(30)%h|",
    "%G?",
    "%(decorate)",
    "%cr"[:0] + "%ai",
    "%q",
]
LOG = [
    "--oneline",
    "--graph",
    "-p",
    "--stat",
    "-n2",
    "-1",
    "-3",
    "--name-only",
    "--name-status",
    "--no-merges",
    "--merges",
    "--first-parent",
    "--reverse",
    "--topo-order",
    "--date-order",
    "--author-date-order",
    "--decorate",
    "--decorate=full",
    "--author=Bob",
    "--grep=fix",
    ["-i", "--grep=ADD"],
    "--invert-grep",
    "--full-history",
    "--parents",
    "--children",
    "--boundary",
    "--left-right",
    "--cherry-pick",
    "--cherry-mark",
    "--skip=1",
    "--since=2023-11-20",
    "--until=2023-11-25",
    "-Salpha",
    "-Gbeta",
    "--follow",
    "--shortstat",
    "--numstat",
    "--summary",
    "--raw",
    "-m",
    "-c",
    "--cc",
    "--abbrev-commit",
    "--no-abbrev-commit",
    "--abbrev=10",
    "--source",
    "--simplify-by-decoration",
    "--ancestry-path",
    "--diff-filter=M",
    "--diff-filter=AD",
    "-M",
    "-C",
    "--no-renames",
    "-U1",
    "--word-diff",
    "--full-diff",
    "--patch-with-stat",
    "--format=oneline",
    "--format=short",
    "--format=full",
    "--format=fuller",
    "--format=raw",
    "--format=email",
    "--format=reference",
    "--dirstat",
    "--simplify-merges",
    "-z",
    "--relative",
    "--sparse",
    "--dense",
    "--show-pulls",
    "--log-size",
    "--min-parents=2",
    "--max-parents=1",
    "--no-walk",
    "-g",
    "--compact-summary",
    "--encoding=UTF-8",
    "--all-match",
    "-E",
    "-F",
    "--perl-regexp",
    "--no-patch",
    "-s",
    "-L1,3:a.c",
    "-L:main:a.c",
    "--line-prefix=> ",
    "--color",
    "--remove-empty",
]
DIFF = [
    "--stat",
    "--numstat",
    "--shortstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--raw",
    "-U0",
    "-U1",
    "-w",
    "-b",
    "--ignore-blank-lines",
    "--word-diff",
    "--word-diff=porcelain",
    "--color-words",
    "-R",
    "-M",
    "-C",
    ["-C", "-C"],
    "--no-renames",
    "--diff-filter=M",
    "--diff-filter=d",
    "--check",
    "--exit-code",
    "--quiet",
    "-z",
    "--full-index",
    "--abbrev=5",
    "--binary",
    "--text",
    "--no-prefix",
    "--src-prefix=x/",
    "--relative",
    "--patience",
    "--histogram",
    "--minimal",
    "-W",
    "--inter-hunk-context=3",
    "-Salpha",
    "-Gx",
    "--pickaxe-all",
    "--dirstat",
    "--dirstat=lines,0",
    "-Ialpha",
    "--cumulative",
    "--compact-summary",
    "--stat=40",
    "--stat-count=1",
    "--patch-with-stat",
    "--patch-with-raw",
    "--color",
    "--line-prefix=> ",
    "--cached",
    "--staged",
    "--merge-base",
    "--ignore-space-at-eol",
    "--ignore-cr-at-eol",
    "--irreversible-delete",
    "-D",
    "-O.gitignore",
    "--rotate-to=d/e.txt",
    "--skip-to=d/e.txt",
    "--no-color",
    "--indent-heuristic",
    "--no-indent-heuristic",
    "--anchored=alpha",
    "--output=/dev/stdout",
    "--ext-diff",
    "--no-ext-diff",
    "--find-renames=90%",
    "-M100%",
    "--color-moved",
    "--ws-error-highlight=all",
    "--submodule",
    "--ita-invisible-in-index",
]


def look(rng, r):
    """A command that only looks."""
    name = rng.choices(*zip(*LOOKS))[0]
    return name(rng, r)


def log(rng, r):
    words = ["log", *some(rng, LOG, 3)]
    if rng.random() < 0.3:
        words.append(
            "--"
            + rng.choice(["format", "pretty"])
            + "="
            + rng.choice(["", "tformat:", "format:"])
            + rng.choice(FORMATS)
        )
    if rng.random() < 0.2:
        words.append(rng.choice(DATES))
    return words + range_(rng, r) + paths(rng)


def rev_list(rng, r):
    pool = [
        w
        for w in LOG
        if isinstance(w, str) and not w.startswith(("-p", "--stat", "-U", "-L", "--name", "-S", "-G", "--color"))
    ]
    return [
        "rev-list",
        *some(rng, [*pool, "--count", "--objects", "--timestamp", "--header", "--no-commit-header", "--disk-usage"], 3),
        *range_(rng, r),
        *paths(rng),
    ]


def diff(rng, r):
    return [
        "diff",
        *some(rng, DIFF, 3),
        *rng.choice(
            [
                [],
                [],
                [rev(rng, r)],
                [rev(rng, r), rev(rng, r)],
                [f"{rev(rng, r)}..{rev(rng, r)}"],
                [f"{rev(rng, r)}...{rev(rng, r)}"],
                [rev(rng, r) + ":a.c", rev(rng, r) + ":b.txt"],
            ]
        ),
        *paths(rng),
    ]


def show(rng, r):
    target = rng.choice(
        [
            [rev(rng, r)],
            [rev(rng, r)],
            [rev(rng, r) + ":" + rng.choice([*NAMES, "", "d", "./a.c"])],
            [rev(rng, r), rev(rng, r)],
            [],
            ["stash"],
            [":" + rng.choice(NAMES)],
            [rev(rng, r) + "^{tree}"],
            *([[t] for t in r.tags]),
        ]
    )
    return ["show", *some(rng, LOG, 2), *target]


def status(rng, r):
    return [
        "status",
        *some(
            rng,
            [
                "-s",
                "--short",
                "-b",
                "--porcelain",
                "--porcelain=v2",
                "-uall",
                "-uno",
                "--ignored",
                "-z",
                "--long",
                "-v",
                "--branch",
                "--show-stash",
                "--ahead-behind",
                "--no-renames",
                "--ignored=matching",
                "--column",
                "-vv",
                "--untracked-files=normal",
            ],
            3,
        ),
        *paths(rng),
    ]


def blame(rng, r):
    return [
        "blame",
        *some(
            rng,
            [
                "-s",
                "-l",
                "-e",
                "-w",
                "-p",
                "--porcelain",
                "--line-porcelain",
                "-L1,3",
                "-L2,+2",
                "-L/a/,+1",
                "-n",
                "-f",
                "-t",
                "--root",
                "-b",
                "-M",
                "-C",
                "--date=short",
                "--abbrev=6",
                "--show-stats",
                "-c",
                "--first-parent",
                "--reverse",
                "--incremental",
                "-L:main",
                "--score-debug",
            ],
            2,
        ),
        *rng.choice([[], [rev(rng, r)]]),
        "--",
        rng.choice(NAMES),
    ]


def grep(rng, r):
    pattern = rng.choice(["alpha", "a.*a", "int", "^}", "x++", "(a|b)", "RETURN", "0$", "[a-e]l"])
    return [
        "grep",
        *some(
            rng,
            [
                "-n",
                "-i",
                "-c",
                "-l",
                "-L",
                "-w",
                "-v",
                "-h",
                "-H",
                "-E",
                "-F",
                "-o",
                "-q",
                "-A1",
                "-B1",
                "-C2",
                "--heading",
                "--break",
                "--column",
                "-p",
                "-W",
                "-m1",
                "--cached",
                "--untracked",
                "--full-name",
                "-z",
                "--max-depth=0",
                "--count",
                "-a",
                "-I",
                "--textconv",
                "-P",
                "--color",
                "--no-index",
                "--show-function",
            ],
            3,
        ),
        *rng.choice(
            [
                ["-e", pattern],
                ["-e", pattern, "--and", "-e", "a"],
                ["-e", pattern, "--and", "--not", "-e", "b"],
                ["-e", "eta", "--or", "-e", "pi"],
                [pattern],
                ["--all-match", "-e", pattern, "-e", "e"],
                ["--not", "-e", pattern],
                ["(", "-e", "a", "--or", "-e", "b", ")", "--and", "-e", "c"][0:0] + [pattern],
            ]
        ),
        *rng.choice([[], [], [rev(rng, r)]]),
        *paths(rng),
    ]


def small(rng, r):
    a, b = rev(rng, r), rev(rng, r)
    return rng.choice(
        [
            [
                "rev-parse",
                *some(
                    rng,
                    [
                        "--short",
                        "--verify",
                        "--abbrev-ref",
                        "--symbolic",
                        "--symbolic-full-name",
                        "-q",
                        "--short=4",
                        "--not",
                        "--revs-only",
                        "--no-revs",
                    ],
                    2,
                ),
                a,
            ],
            ["rev-parse", *range_(rng, r)],
            ["rev-parse", "--show-toplevel", "--git-dir", "--show-prefix", "--show-cdup", "--is-inside-work-tree"],
            [
                "ls-files",
                *some(
                    rng,
                    [
                        "-s",
                        "-o",
                        "-m",
                        "-d",
                        "-c",
                        "-i",
                        "--exclude-standard",
                        "-z",
                        "-t",
                        "-v",
                        "-u",
                        "--others",
                        "--directory",
                        "--eol",
                        "-k",
                        "--full-name",
                        "--deduplicate",
                        "--error-unmatch",
                        "--format=%(objectname) %(path)",
                        "--no-empty-directory",
                        "--stage",
                    ],
                    3,
                ),
                *paths(rng),
            ],
            [
                "ls-tree",
                *some(
                    rng,
                    [
                        "-r",
                        "-t",
                        "-d",
                        "-l",
                        "--name-only",
                        "--full-name",
                        "--full-tree",
                        "-z",
                        "--abbrev=7",
                        "--object-only",
                        "--format=%(path)",
                    ],
                    2,
                ),
                a,
                *rng.choice([[], ["d"], ["d/"], ["a.c"]]),
            ],
            [
                "cat-file",
                rng.choice(["-t", "-s", "-p", "-e", "commit", "tree", "blob"]),
                a + rng.choice(["", ":a.c", "^{tree}", ":d"]),
            ],
            [
                "merge-base",
                *some(rng, ["-a", "--all", "--is-ancestor", "--fork-point", "--octopus", "--independent"], 1),
                a,
                b,
            ],
            [
                "describe",
                *some(
                    rng,
                    [
                        "--tags",
                        "--all",
                        "--always",
                        "--long",
                        "--abbrev=4",
                        "--dirty",
                        "--contains",
                        "--exact-match",
                        "--match=v*",
                        "--first-parent",
                        "--candidates=1",
                    ],
                    2,
                ),
                *rng.choice([[], [a]]),
            ],
            ["name-rev", *some(rng, ["--tags", "--name-only", "--always"], 1), a],
            [
                "for-each-ref",
                *some(
                    rng,
                    [
                        "--count=2",
                        "--sort=-committerdate",
                        "--sort=refname",
                        "--merged",
                        "--no-merged",
                        "--contains=" + a,
                        "--points-at=HEAD",
                        "--ignore-case",
                    ],
                    2,
                ),
                *rng.choice(
                    [
                        [],
                        ["--format=%(refname:short) %(objecttype) %(subject)"],
                        ["--format=%(HEAD)%(upstream:track)%(authordate:iso) %(contents:lines=1)"],
                        ["--format=%(if)%(HEAD)%(then)*%(else)-%(end)%(align:20,right)%(refname:lstrip=2)%(end)|"],
                        ["--format=%(tree:short) %(parent) %(numparent)"],
                        ["--format=%(taggername)%(creatordate:short)%(body)"],
                        ["--format=%(*objectname) %(objectsize)"],
                    ]
                ),
                *rng.choice([[], ["refs/heads"], ["refs/tags/v*"]]),
            ],
            [
                "show-ref",
                *some(rng, ["--heads", "--tags", "-d", "--head", "-s", "--abbrev=6", "--verify", "-q"], 2),
                *rng.choice([[], ["main"], ["refs/heads/main"]]),
            ],
            [
                "branch",
                *rng.choice(
                    [
                        [],
                        ["-v"],
                        ["-vv"],
                        ["-a"],
                        ["-r"],
                        ["--merged"],
                        ["--no-merged", a],
                        ["--contains", a],
                        ["--show-current"],
                        ["--list", "t*"],
                        ["--sort=-committerdate"],
                        ["--points-at", a],
                        ["--format=%(refname:short) %(objectname:short)"],
                        ["--column"],
                        ["-v", "--abbrev=5"],
                    ]
                ),
            ],
            [
                "tag",
                *rng.choice(
                    [
                        [],
                        ["-l"],
                        ["-n"],
                        ["-n2"],
                        ["-l", "v*"],
                        ["--contains", a],
                        ["--points-at", a],
                        ["--merged", a],
                        ["--sort=-v:refname"],
                        ["--format=%(tag) %(subject)"],
                    ]
                ),
            ],
            [
                "shortlog",
                *some(rng, ["-s", "-n", "-e", "-c", "--group=author", "-w20", "--no-merges", "--format=%h %s"], 3),
                *rng.choice([["HEAD"], [f"{a}..{b}"], ["--all"], [a]]),
                *paths(rng),
            ],
            [
                "reflog",
                *rng.choice(
                    [
                        [],
                        ["show", a],
                        ["-3"],
                        ["exists", "HEAD"],
                        ["--all"],
                        ["--date=iso"],
                        ["main"],
                        ["--format=%gd %gs %h"],
                    ]
                ),
            ],
            [
                "stash",
                *rng.choice(
                    [
                        ["list"],
                        ["show"],
                        ["show", "-p"],
                        ["show", "--stat"],
                        ["show", "--name-only"],
                        ["show", "stash@{1}"],
                    ]
                ),
            ],
            [
                "diff-tree",
                *some(
                    rng,
                    [
                        "-r",
                        "-p",
                        "--stat",
                        "--root",
                        "-t",
                        "-m",
                        "-c",
                        "--cc",
                        "--name-only",
                        "--no-commit-id",
                        "-M",
                        "--pretty=oneline",
                        "-s",
                        "-z",
                        "-v",
                    ],
                    3,
                ),
                *rng.choice([[a], [a, b]]),
                *paths(rng),
            ],
            [
                "diff-index",
                *some(rng, ["--cached", "-p", "--stat", "-M", "--name-status", "--quiet", "-m"], 2),
                a,
                *paths(rng),
            ],
            ["diff-files", *some(rng, ["-p", "--stat", "--name-only", "-q", "-0"], 2), *paths(rng)],
            [
                "check-ignore",
                *some(rng, ["-v", "-n", "-q", "--no-index"], 2),
                *rng.sample(["x.o", "keep.o", "build/x", "a.c", "d/tmp1", "build"], 2),
            ],
            [
                "check-attr",
                *rng.choice([["-a"], ["text", "diff", "--"]]),
                *rng.sample(["a.c", "z.md", "d/h.py", "crlf.txt"], 2),
            ],
            ["cherry", *some(rng, ["-v", "--abbrev"], 1), a, b],
            ["count-objects"],
            ["range-diff", f"{a}..{b}", f"{b}..{a}"],
            ["range-diff", f"{a}...{b}"],
            ["whatchanged", *some(rng, LOG, 2), *range_(rng, r)],
            ["archive", "--format=tar", a, *paths(rng)[1:]],
            [
                "fsck",
                *some(
                    rng,
                    [
                        "--full",
                        "--lost-found"[:0] + "--no-reflogs",
                        "--tags",
                        "--root",
                        "--unreachable",
                        "--connectivity-only",
                    ],
                    2,
                ),
            ],
            [
                "config",
                *rng.choice(
                    [
                        ["--list", "--local"],
                        ["user.name"],
                        ["--get-regexp", "^user"],
                        ["nope.x"],
                        ["--get", "core.bare"],
                        ["--type=bool", "core.bare"],
                        ["--show-origin", "user.name"],
                    ]
                ),
            ],
            [
                "format-patch",
                "--stdout",
                *some(
                    rng,
                    [
                        "-1",
                        "-2",
                        "--cover-letter",
                        "--thread",
                        "-n",
                        "-N",
                        "--no-stat",
                        "-k",
                        "--signoff",
                        "-v2",
                        "--subject-prefix=X",
                        "--root",
                        "--numbered",
                        "--base=" + b,
                        "--attach",
                        "--inline",
                        "--no-signature",
                        "--signature=z",
                        "--start-number=3",
                        "--rfc",
                        "--zero-commit",
                        "--from",
                        "--to=x@y",
                        "--cc=z@w",
                        "-M",
                        "-p",
                    ],
                    3,
                ),
                rng.choice([f"{a}..{b}", a]),
            ],
            ["var", rng.choice(["GIT_AUTHOR_IDENT", "GIT_EDITOR", "GIT_COMMITTER_IDENT"])],
            ["symbolic-ref", *some(rng, ["--short", "-q"], 1), "HEAD"],
            ["remote", *rng.choice([[], ["-v"], ["show"]])],
            ["worktree", "list", *some(rng, ["--porcelain", "-v"], 1)],
            ["bisect", "log"],
            ["notes", "list"],
            ["submodule", *rng.choice([[], ["status"], ["summary"], ["foreach", "true"], ["update"]])],
            ["merge-tree", a, b],
            ["bundle", "list-heads", "nope"],
            ["ls-files", "--" + rng.choice(["bad", "unmerged", "killed"])],
            ["verify-pack", "-v", "nope"],
            ["clean", "-n", *some(rng, ["-d", "-x", "-X", "-q", "-f"], 2), *paths(rng)],
            ["add", "-n", *some(rng, ["-A", "-u", "-f", "-v"], 1), *(paths(rng)[1:] or ["."])],
            ["rm", "-n", *some(rng, ["-r", "-f", "--cached", "-q", "--ignore-unmatch"], 2), *(paths(rng)[1:] or ["d"])],
            ["commit", "--dry-run", *some(rng, ["-a", "--short", "--porcelain", "-v"], 2)],
            ["push", "--dry-run"],
            ["fetch"],
            ["pull"],
            ["mv", "-n", "a.c", "q.c"],
        ]
    )


LOOKS = [(log, 6), (rev_list, 2), (diff, 5), (show, 3), (status, 2), (blame, 2), (grep, 3), (small, 12)]


def change(rng, r):
    """A command that changes something, or an edit."""
    a, b = rev(rng, r), rng.choice([*r.branches, "main"])
    name, other = rng.choice(NAMES), rng.choice([*NAMES, "new/n.txt"])
    if rng.random() < 0.3:
        return r.edit()
    return rng.choice(CHANGES)(rng, a, b, name, other)


CHANGES = [
    lambda rng, a, b, n, o: [
        "add",
        *some(rng, ["-A", "-u", "-f", "-v", "-N", "--chmod=+x", "--renormalize", "--ignore-errors", "--refresh"], 2),
        rng.choice([n, ".", "d", "*.c", "nope"]),
    ],
    lambda rng, a, b, n, o: [
        "commit",
        *some(
            rng,
            [
                "-a",
                "-q",
                "--amend",
                "--allow-empty",
                "-v",
                "-s",
                "--no-verify",
                "--dry-run",
                "--reset-author",
                "-o",
                "-i",
                "--author=X <x@y>",
                "--date=@1700400000",
                "--short",
                "--no-edit",
                "--fixup=HEAD",
                "--squash=HEAD",
                "-C" + "HEAD",
                "--trailer=A: b",
                "--cleanup=verbatim",
            ],
            3,
        ),
        *rng.choice([["-m", "message"], ["-m", "subject", "-m", "body"], []]),
        *rng.choice([[], [], [n]]),
    ],
    lambda rng, a, b, n, o: [
        "checkout",
        *some(rng, ["-q", "-f", "-m", "--detach", "--ours", "--theirs"], 1),
        rng.choice([a, b, b, "-"]),
    ],
    lambda rng, a, b, n, o: [
        "checkout",
        *rng.choice(
            [
                ["--", n],
                [a, "--", n],
                ["-b", "made", a],
                ["-B", "main", a],
                ["--orphan", "o"],
                ["-p"][:0] + ["."],
                [a, "--", "d"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "switch",
        *some(rng, ["-q", "-f", "--detach", "-m", "--discard-changes"], 1),
        *rng.choice([[b], ["-"], ["-c", "made"], ["-c", "made", a], ["-C", "main", a], [a]]),
    ],
    lambda rng, a, b, n, o: [
        "restore",
        *some(
            rng,
            ["--staged", "--worktree", "--source=" + a, "-q", "--ours", "--theirs", "--overlay", "--no-overlay", "-m"],
            2,
        ),
        rng.choice([n, ".", "d", "nope"]),
    ],
    lambda rng, a, b, n, o: [
        "reset",
        *some(rng, ["--hard", "--soft", "--mixed", "--merge", "--keep", "-q", "-N"], 1),
        *rng.choice([[a], [], ["--", n], [a, "--", n], ["HEAD~1"], ["--", "d"]]),
    ],
    lambda rng, a, b, n, o: [
        "merge",
        *some(
            rng,
            [
                "--no-ff",
                "--ff-only",
                "--squash",
                "--no-commit",
                "-q",
                "-m msg",
                "-Xours",
                "-Xtheirs",
                "-sours",
                "--stat",
                "-n",
                "--no-edit",
                "--log",
                "-v",
                "--signoff",
                "--allow-unrelated-histories",
                "-srecursive",
                "-sresolve",
                "-Xpatience",
                "-Xignore-space-change",
                "--no-verify",
            ],
            2,
        ),
        *rng.choice([[b], [a], [b, a]]),
    ],
    lambda rng, a, b, n, o: ["merge", rng.choice(["--abort", "--continue", "--quit"])],
    lambda rng, a, b, n, o: [
        "rebase",
        *some(
            rng,
            [
                "-q",
                "--onto=" + a,
                "-f",
                "--no-ff",
                "--keep-base",
                "--autosquash",
                "--autostash",
                "-v",
                "--signoff",
                "--stat",
                "--rebase-merges",
                "-r",
                "--update-refs",
                "--apply",
                "--committer-date-is-author-date",
                "--root",
                "--reapply-cherry-picks",
                "-Xtheirs",
                "--exec=true",
                "-i",
            ],
            2,
        ),
        b,
        *rng.choice([[], [], [b]]),
    ],
    lambda rng, a, b, n, o: [
        "rebase",
        rng.choice(["--abort", "--continue", "--skip", "--quit", "--edit-todo", "--show-current-patch"]),
    ],
    lambda rng, a, b, n, o: [
        "cherry-pick",
        *some(rng, ["-n", "-x", "-s", "--allow-empty", "-m1", "--ff", "-Xtheirs", "--keep-redundant-commits", "-e"], 2),
        *rng.choice([[a], [b], [f"{a}..{b}"], ["--abort"], ["--continue"], ["--skip"], ["--quit"]]),
    ],
    lambda rng, a, b, n, o: [
        "revert",
        *some(rng, ["-n", "--no-edit", "-m1", "-s"], 2),
        *rng.choice([[a], ["HEAD"], [f"{a}..{b}"], ["--abort"], ["--continue"], ["--skip"]]),
    ],
    lambda rng, a, b, n, o: [
        "stash",
        *rng.choice(
            [
                [],
                ["push"],
                ["pop"],
                ["apply"],
                ["drop"],
                ["-u"],
                ["-k"],
                ["push", "-m", "msg"],
                ["push", "--", n],
                ["branch", "sb"],
                ["clear"],
                ["pop", "--index"],
                ["-a"],
                ["push", "--staged"],
                ["apply", "--index"],
                ["store", "-m", "x", a],
                ["create"],
                ["save", "text"],
                ["push", "-q", "-u"],
                ["apply", "stash@{1}"],
                ["drop", "-q"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "rm",
        *some(rng, ["-r", "-f", "--cached", "-q", "--ignore-unmatch"], 2),
        rng.choice([n, "d", "*.c", "nope"]),
    ],
    lambda rng, a, b, n, o: ["mv", *some(rng, ["-f", "-k", "-v"], 1), n, rng.choice([o, "d", "new", "d/"])],
    lambda rng, a, b, n, o: [
        "branch",
        *rng.choice(
            [
                ["made", a],
                ["-d", b],
                ["-D", b],
                ["-m", "named"],
                ["-m", b, "named"],
                ["-f", "main", a],
                ["-c", b, "copy"],
                ["-u", b],
                ["--unset-upstream"],
                ["-M", b, "main"],
                ["--edit-description"],
                ["made"],
                ["-t", "made", b],
                ["bad..name"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "tag",
        *rng.choice(
            [
                ["t1"],
                ["t1", a],
                ["-a", "-m", "x", "t2"],
                ["-d", "v0.0"],
                ["-f", "v0.0", a],
                ["-m", "x", "t3", a],
                ["bad name"],
                ["-d", "nope"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "clean",
        *some(rng, ["-f", "-d", "-x", "-X", "-q", "-n"], 3),
        *rng.choice([[], [n], ["d"]]),
    ],
    lambda rng, a, b, n, o: [
        "update-ref",
        *rng.choice(
            [["refs/heads/made", a], ["-d", "refs/heads/" + b], ["HEAD", a], ["-m", "why", "refs/heads/main", a]]
        ),
    ],
    lambda rng, a, b, n, o: [
        "notes",
        *rng.choice(
            [["add", "-m", "note", a], ["show", a], ["remove", a], ["append", "-m", "more", a], ["copy", a, b]]
        ),
    ],
    lambda rng, a, b, n, o: [
        "bisect",
        *rng.choice([["start", a, b], ["good"], ["bad"], ["reset"], ["start"], ["skip"], ["start", "HEAD", "HEAD~2"]]),
    ],
    lambda rng, a, b, n, o: [
        "update-index",
        *rng.choice(
            [
                ["--assume-unchanged", n],
                ["--chmod=+x", n],
                ["--refresh"],
                ["--add", n],
                ["--remove", n],
                ["--force-remove", n],
                ["--skip-worktree", n],
                ["--really-refresh"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "read-tree",
        *rng.choice(
            [
                [a],
                ["-m", a],
                ["-u", "-m", a],
                ["--reset", "-u", a],
                ["--empty"],
                ["--prefix=sub/", a],
                ["-m", "-u", a, b],
                ["-m", a, b, "HEAD"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "worktree",
        *rng.choice(
            [
                ["add", "../w", b],
                ["add", "-b", "wb", "../w"],
                ["list"],
                ["prune"],
                ["remove", "../w"],
                ["add", "--detach", "../w"],
                ["move", "../w", "../w2"],
                ["lock", "../w"],
                ["repair"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "config",
        *rng.choice(
            [
                ["a.b", "c"],
                ["--unset", "user.name"],
                ["--add", "a.b", "d"],
                ["--rename-section", "user", "u"],
                ["--bool", "a.flag", "yes"],
                ["--remove-section", "advice"],
                ["core.autocrlf", "true"],
                ["merge.conflictStyle", "diff3"],
            ]
        ),
    ],
    lambda rng, a, b, n, o: [
        "reflog",
        *rng.choice(
            [["expire", "--expire=now", "--all"], ["delete", "HEAD@{0}"], ["expire", "--expire=2023-11-20", "main"]]
        ),
    ],
    lambda rng, a, b, n, o: [
        "checkout-index",
        *some(rng, ["-a", "-f", "-u", "-q", "--prefix=out/"], 2),
        *rng.choice([[], [n]]),
    ],
    lambda rng, a, b, n, o: ["symbolic-ref", "HEAD", "refs/heads/" + b],
]
