"""What is asked for: `name[extra]>=1.0; python_version < "3.12"`, as PEP 508 has it."""

import os
import re
import sys

from ._versions import Specifier, Version

_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*"
    r"(@\s*\S+|[^;]*)\s*(?:;(.*))?\s*"
)
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'[^']*'|"[^"]*")|(?P<operator>===|==|~=|!=|<=|>=|<|>|\(|\))"""
    r"|(?P<word>[A-Za-z_.]+))"
)


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


class Requirement:
    """ValueError for what is none."""

    def __init__(self, text):
        found = _REQUIREMENT.fullmatch(text)
        if not found:
            raise ValueError(f"Invalid requirement: {text!r}")
        self.text = text.strip()
        self.name, extras, wanted, self.marker = found.groups()
        self.extras = {canonical(e.strip()) for e in (extras or "").split(",") if e.strip()}
        self.url = wanted[1:].strip() if wanted.startswith("@") else None
        self.specifier = Specifier("" if self.url else wanted)

    @property
    def key(self):
        return canonical(self.name)

    def __str__(self):
        return self.name + str(self.specifier)

    def applies(self, extras=()):
        """Is it asked for here, of a package that is wanted with these extras?"""
        if not self.marker:
            return True
        return any(Marker(self.marker, extra).value for extra in [*extras, ""])


def environment(extra):
    import platform

    version = platform.python_version()
    return {
        "os_name": os.name,
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_python_implementation": "CPython",
        "platform_release": platform.release(),
        "platform_system": "Linux",
        "platform_version": platform.version(),
        "python_version": ".".join(version.split(".")[:2]),
        "python_full_version": version,
        "implementation_name": "cpython",
        "implementation_version": version,
        "extra": extra,
    }


class Marker:
    """A condition of a requirement, evaluated."""

    def __init__(self, text, extra):
        self.text, self.at, self.words = text, 0, environment(extra)
        self.token = None
        self.next()
        self.value = self.either()
        if self.token:
            self.refuse()

    def refuse(self):
        raise ValueError(f"Invalid marker: {self.text.strip()!r}")

    def next(self):
        if not self.text[self.at :].strip():
            self.token = None
            return
        found = _TOKEN.match(self.text, self.at)
        if not found:
            self.refuse()
        self.at = found.end()
        self.token = found.lastgroup, found[found.lastgroup]

    def take(self, *values):
        if self.token and self.token[1] in values and self.token[0] != "text":
            value = self.token[1]
            self.next()
            return value
        return None

    def either(self):
        value = self.all()
        while self.take("or"):
            value = self.all() or value
        return value

    def all(self):
        value = self.one()
        while self.take("and"):
            value = self.one() and value
        return value

    def one(self):
        if self.take("("):
            value = self.either()
            if not self.take(")"):
                self.refuse()
            return value
        left, left_is_word = self.operand()
        operator = self.take("===", "==", "~=", "!=", "<=", ">=", "<", ">", "in", "not")
        if not operator or (operator == "not" and not self.take("in")):
            self.refuse()
        right, _ = self.operand()
        if operator in ("in", "not"):
            return (left in right) == (operator == "in")
        return compare(left, operator, right)

    def operand(self):
        if not self.token or self.token[0] == "operator":
            self.refuse()
        kind, value = self.token
        self.next()
        if kind == "text":
            return value[1:-1], False
        if value not in self.words:
            self.refuse()
        return self.words[value], True


def compare(left, operator, right):
    try:
        return Specifier(operator + right).allows(Version(left))
    except ValueError:
        pass
    if operator in ("==", "==="):
        return canonical(left) == canonical(right)
    if operator == "!=":
        return canonical(left) != canonical(right)
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}.get(
        operator, False
    )
