"""What a Dockerfile copies from the tree has to reach the builder: .dockerignore must not hold it back."""

import fnmatch
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILES = [ROOT / "Dockerfile", ROOT / "examples/serve/Dockerfile"]


def ignored() -> list[str]:
    return (ROOT / ".dockerignore").read_text().split()


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_copied_is_not_ignored(path):
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", path.read_text(), re.M)
    assert copied
    for source in " ".join(copied).split():
        parts = pathlib.PurePath(source).parts
        above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        held = [rule for rule in ignored() for name in above if fnmatch.fnmatch(name, rule)]
        assert not held, f"{source} is copied by {path.name}, and .dockerignore has {held}"
