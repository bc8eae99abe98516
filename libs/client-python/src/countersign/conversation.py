"""The protocol of a client without I/O, shared by the synchronous and the asynchronous client.

A conversation is a generator of the steps of :mod:`countersign.talk`. Its return value is the result of the call.
"""

from __future__ import annotations

import random
import re
import time
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar

import httpx

from .action import body_of
from .agent import AgentRecord, read_agent
from .approval import (
    CHECKS_AFTER_APPROVAL,
    FIRST_CHECK_PAUSE,
    key_after_approval,
    needs_approval,
    over,
    until_decided,
)
from .circuit_breaker import CircuitBreaker
from .errors import CountersignError
from .options import ClientOptions, origin_headers, require_agent, require_wait
from .result import Answer, CheckResult, read_check, read_refusal, undecided
from .signing import Signer
from .talk import Attempt, Pause, Talk

T = TypeVar("T")

_CHECK = "/v1/check"
_FIRST_WAIT = 0.05
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class Conversation:
    """The calls of one client.

    :raises TypeError, ValueError: the key, the agent's id, the address or an option is missing or malformed
    """

    def __init__(self, api_key: str, agent_id: str, options: ClientOptions) -> None:
        # Strips blanks that come with a key read from a file.
        api_key = api_key.strip() if isinstance(api_key, str) else api_key
        options.validate(api_key, agent_id)
        self.agent_id = agent_id
        self._options = options
        self._address = _address_of(options.base_url)
        self._origin = origin_headers(session=options.session, principal=options.principal)
        self._signer = None if options.signing_key is None else Signer(options.signing_key)
        breaker = options.circuit_breaker
        self._breaker = None if breaker is None else CircuitBreaker(breaker)
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "accept-encoding": "identity",
            "x-service-key": api_key,
            "authorization": f"Bearer {api_key}",
        }

    @property
    def timeout(self) -> float:
        return self._options.timeout

    def check(
        self,
        members: Mapping[str, Any],
        agent_id: Optional[str],
        idempotency_key: Optional[str],
        wait_for_approval: Optional[float],
        origin: Mapping[str, Optional[str]],
    ) -> Talk[CheckResult]:
        """``POST /v1/check``; where the action needs an approval and a wait is given, once more after it."""
        body = body_of({"agentId": self._acting(agent_id), "action": members})
        if idempotency_key is not None and _IDEMPOTENCY_KEY.fullmatch(idempotency_key) is None:
            raise ValueError("idempotency_key: 1 to 255 visible characters")
        if wait_for_approval is not None:
            require_wait(wait_for_approval)
        wait = self._options.wait_for_approval if wait_for_approval is None else wait_for_approval
        named = {**self._origin, **origin_headers(**origin)}
        return self._checked(body, idempotency_key or str(uuid.uuid4()), wait, named)

    def _checked(self, body: bytes, key: str, wait: float, named: Mapping[str, str]) -> Talk[CheckResult]:
        result = yield from self._decided(_CHECK, body, {**named, "idempotency-key": key})
        approval_id = result.approval_id
        if not needs_approval(result) or approval_id is None or wait <= 0:
            return result
        state = yield from until_decided(self._state_of, approval_id, wait)
        # A repeated call may find that its own check has used it: the same key gets that answer again.
        if state in ("approved", "consumed"):
            return (yield from self._approved(body, key, approval_id, named))
        return result if state == "pending" else over(result, state)

    def _approved(self, body: bytes, key: str, approval_id: str, named: Mapping[str, str]) -> Talk[CheckResult]:
        """A gateway learns of a decision a moment after it was made: until then, the action is checked again."""
        for attempt in range(1, CHECKS_AFTER_APPROVAL + 1):
            attempt_key = key_after_approval(key, approval_id, attempt)
            headers = {**named, "idempotency-key": attempt_key, "x-approval-id": approval_id}
            result = yield from self._decided(_CHECK, body, headers)
            if not (needs_approval(result) and result.approval_id == approval_id):
                break
            if attempt < CHECKS_AFTER_APPROVAL:
                yield Pause(FIRST_CHECK_PAUSE * 2 ** (attempt - 1))
        return result

    def _state_of(self, path: str, timeout: float) -> Talk[Answer]:
        return self._ask(path, None, {}, timeout)

    def scan(self, text: str, agent_id: Optional[str]) -> Talk[CheckResult]:
        """``POST /v1/mcp/scan``."""
        return self._decided("/v1/mcp/scan", body_of({"agentId": self._acting(agent_id), "text": text}), {})

    def report(self, event_id: str, outcome: str, detail: Optional[str], agent_id: Optional[str]) -> Talk[None]:
        """``POST /v1/mcp/log``."""
        report: Dict[str, Any] = {"agentId": self._acting(agent_id), "eventId": event_id, "outcome": outcome}
        if detail is not None:
            report["detail"] = detail
        yield from self._with_retries("/v1/mcp/log", body_of(report), {}, _read_report)

    def register(
        self, name: str, type: Optional[str], purpose: Optional[str], version: Optional[str]
    ) -> Talk[AgentRecord]:
        """``POST /v1/mcp/register``, attempted once: a retry would create another agent."""
        given = {"name": name, "type": type, "purpose": purpose, "version": version}
        body = body_of({member: value for member, value in given.items() if value is not None})
        return read_agent((yield from self._ask("/v1/mcp/register", body, {}, self._options.timeout)))

    def _acting(self, agent_id: Optional[str]) -> str:
        if agent_id is None:
            return self.agent_id
        require_agent(agent_id)
        return agent_id

    def _decided(self, path: str, body: bytes, headers: Mapping[str, str]) -> Talk[CheckResult]:
        breaker = self._breaker
        if breaker is not None and not breaker.admits():
            return self._undecided(breaker.error())
        try:
            result = yield from self._with_retries(path, body, headers, read_check)
        except CountersignError as error:
            if breaker is not None:
                breaker.failed(error.message)
            return self._undecided(error)
        except BaseException:
            if breaker is not None:
                breaker.ended(False)
            raise
        if breaker is not None:
            breaker.ended(True)
        return result

    def _undecided(self, error: CountersignError) -> CheckResult:
        if self._options.fail_mode == "throw":
            raise error
        return undecided(error, self._options.fail_mode == "open")

    def _with_retries(self, path: str, body: bytes, headers: Mapping[str, str], read: Callable[[Answer], T]) -> Talk[T]:
        """Retries if nothing was decided and time is left: after 50 ms, then twice that, or as the service asks."""
        options = self._options
        started_at = time.monotonic()
        ends_at = started_at + options.timeout
        tried = timed_out = 0
        while True:
            left = max(0.001, min(options.attempt_timeout, ends_at - time.monotonic()))
            try:
                return read((yield from self._ask(path, body, headers, left)))
            except CountersignError as error:
                wait = max(_FIRST_WAIT * 2**tried * (0.5 + random.random() / 2), error.retry_after or 0)  # noqa: S311
                timed_out += error.code == "timeout"
                if not error.is_unavailable:
                    raise
                if tried >= options.retries or time.monotonic() + wait >= ends_at:
                    raise self._summed(error, tried + 1, timed_out, time.monotonic() - started_at) from error
            tried += 1
            yield Pause(wait)

    def _summed(self, error: CountersignError, attempts: int, timed_out: int, total: float) -> CountersignError:
        """The last error of a call, with a message for all its attempts."""
        message = error.message
        if error.code == "unreachable":
            message = f"{message}. Does Countersign run at {self._address}?"
        elif error.code == "timeout":
            which = str(attempts) if attempts == timed_out else f"{timed_out} of {attempts}"
            noun = "attempt" if attempts == 1 else "attempts"
            message = f"{which} {noun} timed out ({total:.1f} s total). Is {self._address} reachable?"
        return CountersignError(
            error.code, message, status=error.status, event_id=error.event_id, retry_after=error.retry_after
        )

    def _ask(self, path: str, body: Optional[bytes], headers: Mapping[str, str], timeout: float) -> Talk[Answer]:
        # Each attempt, because a nonce is used once.
        signer = self._signer if path == _CHECK else None
        signed = {} if signer is None or body is None else signer.headers_for(path, headers, body)
        answer = yield Attempt(self._address + path, body, {**self._headers, **headers, **signed}, timeout)
        if answer is None:
            raise RuntimeError("an attempt has an answer")
        return answer


def _read_report(answer: Answer) -> None:
    # 409: an earlier attempt, or another process, has reported it.
    if answer.status not in (201, 409):
        raise read_refusal(answer)


def _address_of(base_url: str) -> str:
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        raise ValueError(f"base_url: {base_url} is no address") from None
    if url.scheme not in ("http", "https") or not url.host:
        hint = "" if "://" in base_url else f": add http:// or https:// before it, as in http://{base_url}"
        raise ValueError(f"base_url: {base_url} does not begin with http:// or https://{hint}")
    address = str(url.copy_with(query=None, fragment=None, username=None, password=None)).rstrip("/")
    return address[: -len("/v1")] if address.endswith("/v1") else address
