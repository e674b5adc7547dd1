"""Signed capabilities: issued, narrowed, passed on; bad, expired and widened ones refused."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from pinfold import CapabilityError, MethodCapability, Param, Sandbox, Tool
from pinfold.tokens import Issuer, Token

ISSUER = Issuer(bytes(range(32)))
BANK = [MethodCapability("bank/**", [Param("amount") <= 100], max_calls=10)]
PAY = [MethodCapability("bank/pay", [Param("amount") <= 50], max_calls=2)]
HOUR = {"expires_in": 3600}


def granted(token, **how):
    return token.verify([ISSUER.public_key], **how).capabilities


def test_a_key_is_the_same_everywhere():
    # RFC 8032, section 7.1, test 1
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert Issuer(seed).public_key.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    from pinfold import _native

    signature = _native.ed25519_sign(seed, b"")
    assert signature.hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155")
    assert _native.ed25519_verify(Issuer(seed).public_key, b"", signature)
    assert not _native.ed25519_verify(Issuer(seed).public_key, b"x", signature)


def test_issued_and_verified():
    token = ISSUER.issue(BANK, **HOUR)
    grant = token.verify([Issuer().public_key, ISSUER.public_key])
    assert grant.capabilities == BANK and 3500 < grant.expires - time.time() <= 3600
    with Sandbox(tools=[Tool("bank/pay", handler=lambda amount: amount)], capabilities=grant.capabilities) as sandbox:
        assert sandbox.run("tool bank.pay --amount 7").stdout == "7\n"
        assert sandbox.run("tool bank.pay --amount 700").exit_code == 126


def test_narrowed_and_passed_on():
    token = Token(ISSUER.issue(BANK, **HOUR).data)
    once = token.narrow(PAY)
    twice = once.narrow([MethodCapability("bank/pay", [Param("amount") < 5], max_calls=1)], expires_in=60)
    assert granted(token) == BANK and granted(once) == PAY
    grant = twice.verify([ISSUER.public_key])
    assert grant.capabilities[0].max_calls == 1 and grant.expires - time.time() <= 60
    assert granted(once.seal()) == PAY and granted(once.seal().seal()) == PAY


@pytest.mark.parametrize(
    "wider",
    [
        BANK,
        [MethodCapability("**", [Param("amount") <= 50], max_calls=1)],
        [MethodCapability("bank/pay", [Param("amount") <= 51], max_calls=2)],
        [MethodCapability("bank/pay", [Param("amount") <= 50])],
        [MethodCapability("bank/pay", [Param("amount") <= 50], max_calls=3)],
        [MethodCapability("bank/pay", max_calls=1)],
    ],
)
def test_nobody_widens(wider):
    token = ISSUER.issue(PAY, **HOUR)
    with pytest.raises(CapabilityError, match="widened"):
        token.narrow(wider)
    with pytest.raises(CapabilityError, match="expire later"):
        token.narrow(PAY, expires_in=7200)


def test_expired():
    token = ISSUER.issue(BANK, expires=datetime.now(UTC) - timedelta(seconds=1))
    with pytest.raises(CapabilityError, match="expired"):
        granted(token)
    token = ISSUER.issue(BANK, expires=1000)
    assert granted(token, now=999) == BANK
    with pytest.raises(CapabilityError, match="expired"):
        granted(token, now=1000)


@pytest.mark.parametrize("before", [-1, -1.5, -2, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)])
def test_what_expired_before_1970_is_not_as_long_as_before(before):
    token = ISSUER.issue(PAY, **HOUR)
    for make in (token.narrow, ISSUER.issue):
        with pytest.raises(CapabilityError, match="1970"):
            make(PAY, expires=before)


def test_a_stranger():
    with pytest.raises(CapabilityError, match="trusted"):
        granted(Issuer().issue(BANK, **HOUR))
    with pytest.raises(CapabilityError, match="trusted"):
        ISSUER.issue(BANK, **HOUR).verify([])


def test_every_changed_byte_is_noticed():
    for token in (ISSUER.issue(PAY, **HOUR).narrow(PAY), ISSUER.issue(PAY, **HOUR).narrow(PAY).seal()):
        for at in range(len(token.data)):
            data = bytearray(token.data)
            data[at] ^= 1 << at % 8
            with pytest.raises(CapabilityError):
                granted(Token(bytes(data)))
        for cut in range(0, len(token.data), 7):
            with pytest.raises(CapabilityError):
                granted(Token(token.data[:cut]))
        with pytest.raises(CapabilityError):
            granted(Token(token.data + b"\0"))


def test_a_narrowing_cannot_be_undone():
    """Who holds the narrowed token has the blocks of the wide one, but not its key."""
    wide = ISSUER.issue(BANK, **HOUR)
    narrow = wide.narrow(PAY)
    # [1, [block, ...], end]: one block less, with each end that the holder can think of.
    first = wide.data[3 : -(2 + 32)]
    assert wide.data[:3] == b"\x83\x01\x81" and narrow.data[3:].startswith(first)
    for end in (narrow.data[-34:], narrow.seal().data[-66:], b"\x58\x20" + bytes(32)):
        with pytest.raises(CapabilityError, match="does not end in the key"):
            granted(Token(b"\x83\x01\x81" + first + end))
    # The real thing, to see that it is only the end that is wrong.
    assert granted(Token(b"\x83\x01\x81" + first + wide.data[-34:])) == BANK


def test_a_sealed_token_ends_there():
    with pytest.raises(CapabilityError, match="sealed"):
        ISSUER.issue(BANK, **HOUR).seal().narrow(PAY)


def test_it_cannot_be_narrowed_for_ever():
    token = ISSUER.issue(PAY, **HOUR)
    with pytest.raises(CapabilityError, match="narrowed 15 times"):
        for _ in range(20):
            token = token.narrow(PAY)
    assert granted(token) == PAY


def test_wrong_arguments():
    for bad in ({}, {"expires_in": 1, "expires": 2}):
        with pytest.raises(ValueError):
            ISSUER.issue(BANK, **bad)
    with pytest.raises(ValueError):
        Issuer(b"short")
    with pytest.raises(ValueError):
        ISSUER.issue(BANK, **HOUR).verify([b"short"])
    with pytest.raises(ValueError):
        ISSUER.issue(BANK, expires=datetime(2040, 1, 1))
    with pytest.raises(TypeError):
        Token("text")
    assert "secret" not in repr(ISSUER) and ISSUER.seed.hex() not in repr(ISSUER)
