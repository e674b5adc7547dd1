"""Proofs: what anybody can check by running it again."""

import subprocess
import sys

import pytest

from pinfold import (
    BoundError,
    Limits,
    MethodCapability,
    Proof,
    ProofError,
    Sandbox,
    SandboxStateError,
    TraceError,
    replay,
)
from pinfold.tokens import Issuer

ME = Issuer(b"1" * 32)
ANYTHING = [MethodCapability("**")]


def stock(item: str) -> int:
    return len(item)


@pytest.fixture
def sandbox(tmp_path):
    with Sandbox(tools=[stock], capabilities=ANYTHING, record=tmp_path / "run.jsonl") as sandbox:
        sandbox.run("echo $RANDOM $(tool stock --item pen) > a; date +%N > t; sleep 0.01")
        yield sandbox


def test_it_holds_for_whoever_runs_it_again(sandbox):
    proof = sandbox.proof(ME)
    assert proof.public_key == ME.public_key and proof.this_build
    assert proof.before != proof.after and len(proof.inputs) == 32
    Proof(proof.data).verify(trusted=[b"0" * 32, ME.public_key])
    with replay(proof.trace) as again:
        assert again.files["/workspace/a"] == sandbox.files["a"]
    sandbox.run("echo more >> a")  # it goes on, and what was proved stays so
    later = sandbox.proof(ME)
    later.verify()
    assert later.before == proof.before and later.after != proof.after


def test_equal_inputs_have_equal_proofs(sandbox):
    """Nothing that was measured is in one."""
    sandbox.start("x=$(tool stock --item pen); seq 100000 | tail -1; tool stock --item $x")
    proofs = [sandbox.proof(ME) for _ in range(3)]
    assert len({proof.data for proof in proofs}) == 1
    proofs[0].verify()


def test_of_a_sandbox_that_is_closed(sandbox):
    proof = sandbox.proof(ME)
    sandbox.close()
    closed = sandbox.proof(ME)
    closed.verify([ME.public_key])
    assert (closed.before, closed.after) == (proof.before, proof.after)


def test_what_was_altered_does_not_hold(sandbox):
    data = sandbox.proof(ME).data
    head, _, trace = data.partition(b"\n")
    words = head.split()
    assert words[:2] == [b"pinfold-proof", b"1"] and len(words) == 8
    for place in range(2, 8):
        other = bytes([words[place][0] ^ 1]) + words[place][1:]
        changed = b" ".join([*words[:place], other, *words[place + 1 :]]) + b"\n" + trace
        with pytest.raises(ProofError):
            Proof(changed).verify()
    with pytest.raises(ProofError, match="not the one that was signed"):
        Proof(data.replace(b"echo", b"ecko")).verify()
    with pytest.raises(ProofError, match="no key that is trusted"):
        Proof(data).verify(trusted=[Issuer().public_key])
    for nothing in (b"", b"pinfold-proof 1 ", b"x" * 1000, trace):
        with pytest.raises(ProofError, match="no proof"):
            Proof(nothing)


def test_who_lies_about_the_state_is_found_out(sandbox):
    """A signature alone proves nothing: it is run again."""
    proof = sandbox.proof(ME)
    for name in ("before", "after"):
        digests = {n: getattr(proof, n) for n in ("before", "inputs", "after")}
        digests[name] = bytes(32)
        build = bytes.fromhex(proof.build)
        said = b"".join((build, digests["before"], digests["inputs"], digests["after"]))
        from pinfold import _native

        signature = _native.ed25519_sign(ME.seed, b"pinfold-proof 1 \0" + said)
        fields = (build, *digests.values(), ME.public_key, signature)
        lie = b"pinfold-proof 1 " + b" ".join(f.hex().encode() for f in fields) + b"\n" + proof.trace
        with pytest.raises(ProofError, match="is not so"):
            Proof(lie).verify()


def test_a_proof_keeps_to_who_checks_it(tmp_path):
    limits = Limits(memory_bytes=1 << 30)
    with Sandbox(record=tmp_path / "run.jsonl", limits=limits) as sandbox:
        sandbox.run("seq 10")
        with pytest.raises(BoundError, match="memory_bytes"):
            sandbox.proof(ME)
        proof = sandbox.proof(ME, limits=limits)
    with pytest.raises(BoundError, match="memory_bytes"):
        proof.verify()
    proof.verify(limits=limits)
    with pytest.raises(BoundError, match="max_seconds"):
        proof.verify(limits=limits, max_seconds=1e-9)


def test_what_cannot_be_proved_says_so(tmp_path):
    with Sandbox() as sandbox, pytest.raises(ValueError, match="record="):
        sandbox.proof(ME)
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[stock], capabilities=ANYTHING, record=path, redact=True) as sandbox:
        sandbox.run("tool stock --item pen")
        with pytest.raises(ValueError, match="redact"):
            sandbox.proof(ME)
    with pytest.raises(TraceError, match="left out"):
        Proof.of(path, ME)
    with Sandbox(record=path, isolation="process") as sandbox:
        with pytest.raises(ValueError, match="isolation"):
            sandbox.proof(ME)
    with Sandbox(tools=[stock], capabilities=ANYTHING, record=path) as sandbox:
        sandbox.start("require('child_process').execSync('tool stock --item a')", "javascript")
        with pytest.raises(SandboxStateError, match="parked"):
            sandbox.proof(ME)
        with pytest.raises(TypeError, match="Issuer"):
            sandbox.proof(b"1" * 32)


def test_the_command(sandbox, tmp_path):
    proof, trace = tmp_path / "run.proof", tmp_path / "out.jsonl"
    proof.write_bytes(sandbox.proof(ME).data)

    def verify(*arguments):
        words = [sys.executable, "-m", "pinfold", "verify", *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True)

    done = verify("--by", ME.public_key.hex(), "--trace", trace, proof)
    assert done.returncode == 0 and f"{proof}: it holds" in done.stdout, done.stderr
    assert ME.public_key.hex() in done.stdout and "was not asked" not in done.stdout
    with replay(trace) as again:
        assert again.files["/workspace/a"] == sandbox.files["a"]
    assert "was not asked" in verify(proof).stdout
    done = verify("--by", Issuer().public_key.hex(), proof)
    assert done.returncode == 1 and "somebody else" in done.stderr
    proof.write_bytes(proof.read_bytes().replace(b"echo", b"ecko"))
    done = verify("--json", proof)
    assert done.returncode == 1 and '"holds": false' in done.stdout
    assert verify(trace).returncode == 125 and "no proof" in verify(trace).stderr
