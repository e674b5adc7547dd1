"""Versions and what is asked of them, as PEP 440 has it."""

import re

_VERSION = re.compile(
    r"""v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)
    (?:[-_.]?(?P<pre>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?P<pre_n>\d*))?
    (?P<post>-(?P<post_1>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post_2>\d*))?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_n>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*(===|==|~=|!=|<=|>=|<|>)\s*([^\s,;)]+)\s*")
_PHASES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_LAST = 1 << 62


class Version:
    """Ordered as PEP 440 says; ValueError for what is none."""

    def __init__(self, text):
        found = _VERSION.fullmatch(text.strip())
        if not found:
            raise ValueError(f"Invalid version: {text!r}")
        self.text = text.strip()
        self.epoch = int(found["epoch"] or 0)
        self.release = tuple(map(int, found["release"].split(".")))
        self.pre = found["pre"] and (_PHASES[found["pre"].lower()], int(found["pre_n"] or 0))
        self.post = int(found["post_1"] or found["post_2"] or 0) if found["post"] else None
        self.dev = int(found["dev_n"] or 0) if found["dev"] else None
        parts = re.split("[-_.]", (found["local"] or "").lower())
        self.local = tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in parts if p)
        short = list(self.release)
        while short and short[-1] == 0:
            short.pop()
        pre = self.pre
        if not pre:
            only_dev = self.post is None and self.dev is not None
            pre = (-1, 0) if only_dev else (3, 0)
        self.public = (
            self.epoch,
            tuple(short),
            pre,
            -1 if self.post is None else self.post,
            _LAST if self.dev is None else self.dev,
        )

    @property
    def is_prerelease(self):
        return bool(self.pre) or self.dev is not None

    def key(self):
        return self.public, self.local

    def __lt__(self, other):
        return self.key() < other.key()

    def __eq__(self, other):
        return self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def __str__(self):
        return self.text


class Specifier:
    """What is asked, such as >=1.0,!=1.5; ValueError for what is none."""

    def __init__(self, text):
        self.text = text.strip().strip("()").strip()
        self.clauses = []
        for part in filter(None, (part.strip() for part in self.text.split(","))):
            found = _CLAUSE.fullmatch(part)
            if not found:
                raise ValueError(f"Invalid specifier: {part!r}")
            operator, version = found.groups()
            if operator != "===":
                Version(version.removesuffix(".*"))
            self.clauses.append((operator, version))

    def __str__(self):
        return ",".join(sorted(operator + version for operator, version in self.clauses))

    def allows(self, version):
        return all(_holds(version, *clause) for clause in self.clauses)

    @property
    def names_prerelease(self):
        return any(
            not v.endswith(".*") and op != "===" and Version(v).is_prerelease
            for op, v in self.clauses
        )


def _begins(version, release):
    """Does its release begin so? 1 begins as 1.0."""
    own = version.release + (0,) * (len(release) - len(version.release))
    return own[: len(release)] == release


def _holds(version, operator, text):
    if operator == "===":
        return version.text.lower() == text.lower()
    if text.endswith(".*") and operator in ("==", "!="):
        wanted = Version(text[:-2])
        begins = version.epoch == wanted.epoch and _begins(version, wanted.release)
        return begins == (operator == "==")
    wanted = Version(text)
    own = version.key() if wanted.local else (version.public, ())
    if operator in ("==", "!="):
        return (own == wanted.key()) == (operator == "==")
    if operator == "~=":
        return version.public >= wanted.public and _begins(version, wanted.release[:-1])
    if operator == ">=":
        return version.public >= wanted.public
    if operator == "<=":
        return version.public <= wanted.public
    same = version.epoch == wanted.epoch and _begins(version, wanted.release)
    if operator == ">":
        if same and version.post is not None and wanted.post is None:
            return False
        return version.public > wanted.public
    if same and version.is_prerelease and not wanted.is_prerelease:
        return False
    return version.public < wanted.public
