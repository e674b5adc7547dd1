"""pip in a sandbox: wheels that lie there, without a network."""

import io
import zipfile

import pytest

from pinfold import Sandbox


def wheel(name, version, *requires, tag="py3-none-any", **files):
    """A wheel: its file's name and its bytes. `files` are texts below its package."""
    buffer = io.BytesIO()
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}/__init__.py", f"version = {version!r}\ndef main(): print('{name} {version}')\n")
        for file, text in files.items():
            archive.writestr(f"{name}/{file}.py", text)
        lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: A thing.\n"]
        lines += [f"Requires-Dist: {text}\n" for text in requires]
        archive.writestr(f"{info}/METADATA", "".join(lines))
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/entry_points.txt", f"[console_scripts]\n{name}-run = {name}:main\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}-{version}-{tag}.whl", buffer.getvalue()


WHEELS = [
    wheel("alpha", "1.0", "beta>=1.0,<2", 'gamma; python_version<"3.0"', 'delta[y]; extra=="x"'),
    wheel("beta", "1.5"),
    wheel("beta", "1.10"),
    wheel("beta", "1.11rc1"),
    wheel("beta", "2.0"),
    wheel("delta", "0.1", 'alpha; extra=="y"'),
    wheel("lost", "1", "nowhere>3"),
    wheel("native", "1", tag="cp311-cp311-manylinux_2_17_x86_64"),
]


@pytest.fixture
def sandbox():
    with Sandbox(seed=1) as made:
        for name, data in WHEELS:
            made.files[f"/workspace/w/{name}"] = data
        yield made


def test_a_wheel_and_what_it_requires(sandbox):
    result = sandbox.run("pip install --no-index --find-links w 'alpha[x]'")
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "Processing w/alpha-1.0-py3-none-any.whl",
        "Processing w/beta-1.10-py3-none-any.whl (from alpha)",
        "Processing w/delta-0.1-py3-none-any.whl (from alpha)",
        "Installing collected packages: beta, delta, alpha",
        "Successfully installed beta-1.10 delta-0.1 alpha-1.0",
    ]
    assert sandbox.run("python3 -c 'import alpha, beta; print(beta.version)'; ~/.local/bin/alpha-run").stdout == (
        "1.10\nalpha 1.0\n"
    )
    assert sandbox.run("pip list").stdout == (
        "Package Version\n------- -------\nalpha   1.0\nbeta    1.10\ndelta   0.1\n"
    )
    assert sandbox.run("pip3 freeze").stdout == "alpha==1.0\nbeta==1.10\ndelta==0.1\n"
    shown = sandbox.run("python3 -m pip show -f beta").stdout
    assert "Version: 1.10\nSummary: A thing.\n" in shown and "Required-by: alpha\n" in shown
    assert "  beta/__init__.py\n" in shown and "  ../../../bin/beta-run\n" in shown
    assert sandbox.run("pip check").stdout == "No broken requirements found.\n"
    again = sandbox.run("pip install --no-index -f w alpha")
    assert again.stdout.startswith("Requirement already satisfied: alpha in /workspace/.local/lib/")
    removed = sandbox.run("pip uninstall -y alpha delta && pip uninstall -y beta zeta; find ~/.local -type f")
    assert "  Successfully uninstalled alpha-1.0\n" in removed.stdout
    assert removed.stderr == "WARNING: Skipping zeta as it is not installed.\n"
    assert ".local/lib" not in removed.stdout and ".local/bin" not in removed.stdout


def test_versions_are_chosen_as_pip_does(sandbox):
    for asked, version in [
        ("'beta<2'", "1.10"), ("beta", "2.0"), ("'beta==1.*,!=1.10'", "1.5"), ("'beta>=1.11rc1,<1.12'", "1.11rc1"),
        ("'beta~=1.2'", "1.10"), ("./w/beta-1.5-py3-none-any.whl", "1.5"), ("--pre 'beta<2'", "1.11rc1"),
    ]:  # fmt: skip
        result = sandbox.run(f"pip install -q -U --no-index -f w -t t {asked} && ls t && rm -r t")
        assert f"beta-{version}.dist-info" in result.stdout, (asked, result)


def test_a_file_of_requirements(sandbox):
    sandbox.files["/workspace/r.txt"] = "# what is needed\nbeta<2  # old\n-f w\n\nalpha ; python_version > '3'\n"
    sandbox.files["/workspace/c.txt"] = "beta==1.5\n"
    result = sandbox.run("pip install --no-index -r r.txt -c c.txt; pip freeze")
    assert result.stdout.endswith("Successfully installed beta-1.5 alpha-1.0\nalpha==1.0\nbeta==1.5\n")


def test_what_is_not_there_is_said_with_what_can_be_done(sandbox):
    result = sandbox.run("pip install requests")
    assert result.exit_code == 1 and result.stdout == ""
    first, second, third, *rest = result.stderr.splitlines()
    assert first == (
        "ERROR: Could not find a version that satisfies the requirement requests (from versions: none)"
    )
    assert second == "ERROR: No matching distribution found for requests"
    assert third == "There is no network in this sandbox, and so no package index. What can be done:"
    assert any("urllib.request" in line for line in rest)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("install --no-index -f w lost", "No matching distribution found for nowhere>3"),
        ("install --no-index -f w 'beta>5'", "(from versions: 1.5, 1.10, 1.11rc1, 2.0)"),
        ("install ./w/native-1-cp311-cp311-manylinux_2_17_x86_64.whl", "is not a supported wheel on this platform."),
        ("install ./missing.whl", "File 'missing.whl' does not exist."),
        ("install .", "nothing is built in this sandbox"),
        ("install 'beta>>1'", "Invalid"),
        ("install", "You must give at least one requirement to install"),
        ("install https://x.test/a-1-py3-none-any.whl", "There is no network in this sandbox"),
        ("download beta", "this pip has no command 'download'. There is no network"),
        ("instal", 'unknown command "instal"'),
        ("install --bogus beta", "no such option: --bogus"),
        ("install -r none.txt", "Could not open requirements file: [Errno 2] No such file or directory: 'none.txt'"),
        ("show nothing", "WARNING: Package(s) not found: nothing"),
    ],
)
def test_mistakes(sandbox, words, text):
    result = sandbox.run(f"pip {words}")
    assert result.exit_code == 1 and text in result.stderr, result
    assert "Traceback" not in result.stderr


def test_a_wheel_that_would_write_elsewhere_is_refused(sandbox):
    name, data = wheel("evil", "1", **{"../../../../../tmp/x": "1"})
    sandbox.files[f"/workspace/{name}"] = data
    result = sandbox.run(f"pip install ./{name}; ls /tmp")
    assert "has a file outside of where it is installed" in result.stderr and result.stdout.split()[-1] != "x.py"
