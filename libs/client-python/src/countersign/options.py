"""Options of a client."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, Literal, Optional

from .circuit_breaker import CircuitBreakerOptions
from .signing import SigningKey

#: What an action may do without a decision. ``closed``: it is denied. ``open``: it is allowed, and
#: ``failed_open`` says so. ``throw``: the call raises. A refusal (credentials, plan, frozen or unknown agent) is a
#: decision: never open.
FailMode = Literal["closed", "open", "throw"]

#: Outcome of an action.
Outcome = Literal["succeeded", "failed", "skipped"]

#: Address of ``npm start``.
DEFAULT_BASE_URL = "http://127.0.0.1:8080"

_KEY = re.compile(r"[\x21-\x7e]+")


_ORIGIN = {
    "session": "x-countersign-session",
    "principal": "x-countersign-principal",
    "traceparent": "traceparent",
}
#: What the service takes in these headers.
_HEADER_TEXT = re.compile(r"(?=.{1,200}\Z)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def origin_headers(**origin: Optional[str]) -> Dict[str, str]:
    """The headers that name ``session``, ``principal`` and ``traceparent`` of a check.

    :raises TypeError, ValueError: one is no text that a header can have
    """
    headers = {}
    for name, value in origin.items():
        if value is None:
            continue
        if not isinstance(value, str):
            raise TypeError(f"{name}: text, not {type(value).__name__}")
        if _HEADER_TEXT.fullmatch(value) is None:
            elsewhere = "" if name == "traceparent" else f'; other text goes into metadata["{name}"] of the action'
            raise ValueError(f"{name}: 1 to 200 visible ASCII characters, with blanks inside{elsewhere}")
        headers[_ORIGIN[name]] = value
    return headers


def require_wait(seconds: object) -> None:
    """:raises TypeError, ValueError: it is no number from zero"""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"wait_for_approval: a number, not {type(seconds).__name__}")
    if not seconds >= 0:
        raise ValueError("wait_for_approval: not below zero")


def require_agent(agent_id: object) -> None:
    """:raises ValueError: it is not text, or empty"""
    if not isinstance(agent_id, str) or agent_id == "":
        raise ValueError("agent_id: the id of an agent is needed, as text")


@dataclass(frozen=True)
class ClientOptions:
    """Times are seconds: ``timeout`` for one call with all its attempts, ``attempt_timeout`` for one attempt."""

    base_url: str = DEFAULT_BASE_URL
    timeout: float = 5.0
    attempt_timeout: float = 2.0
    retries: int = 2
    fail_mode: FailMode = "closed"
    circuit_breaker: Optional[CircuitBreakerOptions] = field(default_factory=CircuitBreakerOptions)
    wait_for_approval: float = 0.0
    session: Optional[str] = None
    principal: Optional[str] = None
    signing_key: Optional[SigningKey] = None

    def validate(self, api_key: str, agent_id: str) -> None:
        """:raises TypeError, ValueError: the key, the agent's id or an option is missing or malformed"""
        if not isinstance(api_key, str) or api_key == "":
            found = "an empty text" if api_key == "" else type(api_key).__name__
            raise ValueError(f"api_key: an API key is needed, not {found}: is COUNTERSIGN_API_KEY set?")
        if _KEY.fullmatch(api_key) is None:
            raise ValueError("api_key: an API key has no blanks and only ASCII characters")
        require_agent(agent_id)
        for name in ("timeout", "attempt_timeout", "retries"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name}: a number, not {type(value).__name__}")
        if not (self.timeout > 0 and self.attempt_timeout > 0):
            raise ValueError("timeout, attempt_timeout: above zero")
        if self.retries < 0:
            raise ValueError("retries: not below zero")
        require_wait(self.wait_for_approval)
        origin_headers(session=self.session, principal=self.principal)
        if self.signing_key is not None and not isinstance(self.signing_key, SigningKey):
            raise TypeError("signing_key: a SigningKey, or None")
        breaker = self.circuit_breaker
        if breaker is not None and not isinstance(breaker, CircuitBreakerOptions):
            raise TypeError("circuit_breaker: CircuitBreakerOptions, or None")
        if breaker is not None and not (breaker.failures >= 1 and breaker.cooldown >= 0):
            raise ValueError("circuit_breaker: failures from 1, and a cooldown not below zero")
        if self.fail_mode not in ("closed", "open", "throw"):
            raise ValueError('fail_mode: "closed", "open" or "throw"')
