"""HTTP as a granted tool: the requests that scripts may make, and the secrets that go with them.

A sandbox has no network. `Http` is a tool, ``http/request``, whose calls are judged, recorded and
replayed like any other's; ``curl``, ``wget``, JavaScript's ``fetch()`` and Python's ``urllib.request``
make such calls. What is allowed is decided by the C engine (docs/http.md); `pinfold.transport` makes the
connection, and needs httpx: ``pip install 'pinfold[http]'``.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode

from . import _native
from .capability import Constraint, ConstraintSet, MethodCapability, Param
from .errors import ToolError
from .tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .transport import Answer, Transport

#: The id of the tool.
METHOD = "http/request"
_MIB = 1 << 20


class Secret:
    """A value that a sandbox may use and never sees.

    Scripts have a placeholder in a variable of the environment. On the host it is exchanged for the
    value, in requests to ``hosts`` (``api.example.com``, ``*.example.com``, with ``https``; another scheme
    or port is written out: ``http://localhost:8000``), in these ``headers``. Anywhere else a request
    with it is refused. Answers are scrubbed of the value.

    >>> Secret(value="sk_live_123456", hosts=["api.stripe.com"])
    Secret(hosts=['api.stripe.com'], headers=['Authorization'])
    """

    __slots__ = ("hosts", "headers", "_value")

    def __init__(
        self,
        *,
        env: str | None = None,
        value: str | None = None,
        hosts: Iterable[str],
        headers: Iterable[str] = ("Authorization",),
    ) -> None:
        if (env is None) == (value is None):
            raise TypeError("a Secret has either env, the name of a variable, or its value")
        if env is not None:
            value = os.environ.get(env)
            if value is None:
                raise ValueError(f"a Secret is in the variable {env}, which is not set")
        self._value = value
        self.hosts = _texts("hosts", hosts)
        self.headers = _texts("headers", headers)

    def __repr__(self) -> str:
        return f"Secret(hosts={self.hosts!r}, headers={self.headers!r})"

    def __reduce__(self) -> Any:
        raise TypeError("a Secret stays in its process: it cannot be pickled or copied")


class Http(Tool):
    """The tool ``http/request``, which allows the requests that ``allow`` is about.

    A rule is a pattern with or without methods: ``"https://api.example.com/v1/**"``,
    ``"GET,HEAD https://*.wikipedia.org/**"``. Given to a sandbox it grants them by itself; a capability
    for ``http/request`` takes that into its own hands (``ask``, ``max_calls``, ``Param("url.host")``), and
    these rules hold besides.

    Addresses that are not public are refused unless a rule has them written out
    (``"http://127.0.0.1:8000/**"``, ``"http://localhost:8000/**"``) or ``addresses`` names their networks:
    ``"10.0.0.0/8"``, ``"private"``, ``"loopback"``. ``ca`` is a file of certificates, or an
    ``ssl.SSLContext``, instead of the system's store. Of an answer at most ``max_bytes`` come in, and
    ``timeout`` is the time for all of it in seconds; at most ``concurrency`` requests are on at once.

    >>> Http(allow=["GET https://*.wikipedia.org/**"]).name
    'http/request'
    >>> Http(allow=["wikipedia.org"])
    Traceback (most recent call last):
    ValueError: ...
    """

    __slots__ = (
        "allow",
        "secrets",
        "timeout_seconds",
        "max_bytes",
        "_engine",
        "_options",
        "_transport",
    )

    def __init__(
        self,
        allow: Iterable[str],
        *,
        secrets: Mapping[str, Secret] | None = None,
        addresses: Iterable[str] = (),
        ca: str | os.PathLike[str] | ssl.SSLContext | None = None,
        timeout: float = 30.0,
        max_bytes: int = 7 * _MIB,
        concurrency: int = 8,
    ) -> None:
        description, text = _native.http_tool()
        schema = json.loads(text)
        returns = schema.pop("x-returns")
        super().__init__(
            METHOD,
            description,
            schema,
            self._request,
            async_handler=self._arequest,
            returns=returns,
        )
        self.allow = _texts("allow", allow)
        self.secrets = dict(secrets or {})
        for name, secret in self.secrets.items():
            if not isinstance(secret, Secret):
                raise TypeError(f"the secret {name!r} is a Secret, not {type(secret).__name__}")
        if not timeout > 0:
            raise ValueError(f"timeout is a number of seconds, not {timeout!r}")
        if not max_bytes > 0 or not concurrency > 0:
            raise ValueError("max_bytes and concurrency are at least 1")
        self.timeout_seconds = float(timeout)
        self.max_bytes = int(max_bytes)
        self._options = (ca, int(concurrency))
        self._transport: Transport | None = None
        self._engine = _native.Http(
            json.dumps(
                {
                    "allow": self.allow,
                    "addresses": _texts("addresses", addresses),
                    "secrets": {
                        name: {"value": s._value, "hosts": s.hosts, "headers": s.headers}
                        for name, s in self.secrets.items()
                    },
                }
            )
        )

    # ------------------------------------------------------------------ what a sandbox asks

    @property
    def concurrent(self) -> bool:
        """Several calls are answered at once, also in ``run()``."""
        return True

    def own_capabilities(
        self, constraints: Any = (), max_calls: int | None = None
    ) -> list[MethodCapability]:
        """What the rules grant, as a capability."""
        if not self.allow:
            return []
        # One list also for one rule: a denial then shows all of it.
        rules = Constraint({"any": [_constraint(rule).to_dict() for rule in self.allow]})
        both = ConstraintSet([rules]).merge(constraints)
        return [MethodCapability(METHOD, both, max_calls)]

    def environment(self, seed: int | None) -> dict[str, str]:
        """The placeholders of a new sandbox, which are others in each."""
        return {name: f"pfsecret_{name}_{_digits(seed, name)}" for name in self.secrets}

    # ------------------------------------------------------------------ a call

    def _request(self, **params: Any) -> dict[str, Any]:
        outcome, text = self._engine.request(json.dumps(params))
        if outcome != "ok":
            raise ToolError(text, outcome)
        seconds = min(float(params.get("timeout", self.timeout_seconds)), self.timeout_seconds)
        plan = json.loads(text)
        try:
            answer = self._sender().send(plan, _body(params), seconds)
        except ToolError as error:
            raise ToolError(self._clean(str(error)), error.code) from None
        except Exception as error:  # a library's, which may show what was sent
            text = self._clean(f"{type(error).__name__}: {error}")
            raise ToolError(f"Failure when receiving data from the peer: {text}") from None
        return self._result(plan, answer)

    async def _arequest(self, **params: Any) -> dict[str, Any]:
        from .adrive import in_thread

        answer: dict[str, Any] = await in_thread(lambda: self._request(**params))
        return answer

    def _sender(self) -> Transport:
        if self._transport is None:
            from .transport import Transport

            ca, concurrency = self._options
            self._transport = Transport(self._engine, ca, concurrency, self.max_bytes)
        return self._transport

    def _result(self, plan: dict[str, Any], answer: Answer) -> dict[str, Any]:
        body = answer.decoded(bool(self.secrets), self.max_bytes)
        if self.secrets:
            self._look_into(body)
            body = self._engine.clean(body)
        result: dict[str, Any] = {
            "status": answer.status,
            "reason": self._clean(answer.reason),
            "url": plan["url"],
            "headers": [[self._clean(n), self._clean(v)] for n, v in answer.headers],
        }
        text = _text(body)
        if text is None:
            result["body_base64"] = b64encode(body).decode()
        elif text or answer.status not in (204, 304):
            result["body"] = text
        return result

    def _look_into(self, body: bytes) -> None:
        """A secret in a file of gzip cannot be taken out of it."""
        from .transport import unpacked_start

        inner = unpacked_start(body, self.max_bytes)
        if inner is None or (inner and self._engine.clean(inner) != inner):
            what = "that is damaged" if inner is None else "with a secret in it"
            raise ToolError(f"http/request is denied: the answer is a packed file {what}", "denied")

    def _clean(self, text: str) -> str:
        if not self.secrets:
            return text
        return self._engine.clean(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def __getstate__(self) -> Any:
        raise TypeError("an Http cannot be pickled or copied: it may hold secrets")

    def __repr__(self) -> str:
        return f"Http(allow={self.allow!r}, secrets={sorted(self.secrets)!r})"


def _texts(what: str, given: Iterable[str]) -> list[str]:
    if isinstance(given, (str, bytes)):
        raise TypeError(f"{what} is a list of texts, not {given!r}")
    texts = list(given)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{what} is a list of texts, not of {type(text).__name__}")
    return texts


def _constraint(rule: str) -> Constraint:
    methods, blank, url = rule.partition(" ")
    if not blank:
        return Param("url").matches_url(rule)
    where = Param("url").matches_url(url.strip())
    if methods == "*":
        return where
    names = methods.split(",")
    method = Param("method").is_in(names)
    if "GET" in names:  # a call that leaves it out is one
        method = Param("method").optional().is_in(names)
    return method & where


def _digits(seed: int | None, name: str) -> str:
    if seed is None:
        from secrets import token_hex

        return token_hex(16)
    from hashlib import blake2b

    return blake2b(f"{seed} {name}".encode(), digest_size=16).hexdigest()


def _body(params: Mapping[str, Any]) -> bytes | None:
    if "body_base64" in params:
        text = params["body_base64"]
        return b64decode(text + "=" * (-len(text) % 4))
    return params["body"].encode() if "body" in params else None


def _text(body: bytes) -> str | None:
    """The body as text, if it is one, and is no longer so than it would be in Base64."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    controls = sum(map(body.count, _CONTROLS))
    return text if controls * 5 <= len(body) // 4 + 64 else None


_CONTROLS = [bytes([c]) for c in range(32) if c not in (9, 10, 13)]
