"""Sources that come from Debian: only the file that is named, and of it only what is asked for."""

import hashlib
import importlib.util
import io
import pathlib
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("debian", ROOT / "third_party" / "debian.py")
debian = importlib.util.module_from_spec(spec)
spec.loader.exec_module(debian)


def archive(folder, members):
    path = folder / "thing_1.orig.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, kind in members.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member, io.BytesIO(b""))
    return path


def package(path, **more):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "pool": f"pool/main/t/thing/{path.name}",
        "snapshot": "20230301T000000Z",
        "sha256": digest,
        "folders": ["Lib"],
        "leave": ["Lib/test"],
        **more,
    }


def test_only_the_folders_that_are_named_are_unpacked(tmp_path):
    names = [
        "thing/LICENSE",
        "thing/configure",
        "thing/Lib/a.py",
        "thing/Lib/test/b.py",
        "thing/Doc/c.rst",
    ]
    path = archive(tmp_path, dict.fromkeys(names, tarfile.REGTYPE))
    debian.unpack(path, package(path), tmp_path / "out")
    found = sorted(
        str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file()
    )
    assert found == ["LICENSE", "Lib/a.py"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("thing/Lib/l", tarfile.SYMTYPE), ("thing/../up", tarfile.REGTYPE), ("/abs", tarfile.REGTYPE)],
)
def test_an_archive_that_leads_out_is_refused(tmp_path, name, kind):
    path = archive(tmp_path, {"thing/Lib/a.py": tarfile.REGTYPE, name: kind})
    with pytest.raises(SystemExit, match="no plain file"):
        debian.unpack(path, package(path), tmp_path / "out")


def test_a_kept_archive_is_taken_only_if_it_is_the_one(tmp_path, monkeypatch):
    path = archive(tmp_path, {"thing/Lib/a.py": tarfile.REGTYPE})
    asked = []
    monkeypatch.setattr(
        debian, "download", lambda url, to, checksum: asked.append(url) or "no network"
    )
    assert debian.fetch(package(path), tmp_path) == path and not asked
    with pytest.raises(SystemExit) as refused:
        debian.fetch(package(path, sha256="0" * 64), tmp_path)
    assert "could not be fetched" in str(refused.value) and "PF_PROGRAMS" in str(refused.value)
    assert any(url.startswith(debian.OFFICIAL) for url in asked)
    assert asked[-1].startswith(debian.SNAPSHOT)
