"""The client that waits."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, Callable, Dict, Optional, TypeVar

import httpx

from .action import Action, members_of, told_of
from .agent import AgentRecord
from .circuit_breaker import CircuitBreakerOptions
from .conversation import Attempt, Conversation, Pause, Talk
from .deadline import deadline, with_deadlines
from .errors import ActionDeniedError, CountersignError
from .options import DEFAULT_BASE_URL, ClientOptions, FailMode, Outcome
from .result import Answer, CheckResult
from .transport import TooLarge, TooLate, add_chunk, answer_of, failure_of, unsent
from .whole import require_whole, whole

T = TypeVar("T")

logger = logging.getLogger("countersign")

_RAISED = "on_report_failed raised; that %s %s was not reported"


class Countersign:
    """Asks before an agent acts: ``POST /v1/check``, and what belongs to it.

    One client may be used by many threads, and by processes that are forked afterwards, unless its ``http_client`` is
    one of your own.

    :param api_key: ``csn_live_…``
    :param agent_id: UUID of the agent that acts
    :param base_url: address of the service, with or without ``/v1``
    :param timeout: for one call with all its tries, seconds
    :param attempt_timeout: for one try, seconds: twice the service's own deadline
    :param retries: how often a call is tried again that had no decision; its Idempotency-Key makes it count once
    :param fail_mode: what an action may do when no decision was had
    :param circuit_breaker: ``None``: a service that does not decide is asked all the same
    :param on_denied: called as ``on_denied(result, action)`` with every result that is not allowed, before the call
        ends; ``action`` is a dict of all members, however they were given (``{"action_type": …, "url": …}``)
    :param on_report_failed: called as ``on_report_failed(error, event_id, outcome)`` where ``guard`` could not report
        an outcome; default: a warning of the logger ``countersign``. What it raises is logged: what was executed stays
        executed
    :param http_client: one of your own, which you close; its settings for proxies and TLS are used
    :raises ValueError: the key, the agent's id, the address or an option is missing or malformed
    """

    def __init__(
        self,
        api_key: str,
        agent_id: str,
        base_url: str = DEFAULT_BASE_URL,
        *,
        timeout: float = 5.0,
        attempt_timeout: float = 2.0,
        retries: int = 2,
        fail_mode: FailMode = "closed",
        circuit_breaker: Optional[CircuitBreakerOptions] = CircuitBreakerOptions(),  # noqa: B008 - it is frozen
        on_denied: Optional[Callable[[CheckResult, Dict[str, Any]], Any]] = None,
        on_report_failed: Optional[Callable[[CountersignError, str, Outcome], Any]] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        options = ClientOptions(base_url, timeout, attempt_timeout, retries, fail_mode, circuit_breaker)
        self._talk = Conversation(api_key, agent_id, options)
        self._on_denied = on_denied
        self._on_report_failed = on_report_failed or _warn
        if http_client is not None and not isinstance(http_client, httpx.Client):
            raise TypeError("http_client: an httpx.Client")
        self._owns_http = http_client is None
        self._http = http_client or with_deadlines(httpx.Client())
        self._process = os.getpid()

    def __enter__(self) -> Countersign:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless they are those of a client of your own."""
        if self._owns_http:
            self._http.close()

    @property
    def timeout(self) -> float:
        """For one call with all its tries, seconds."""
        return self._talk.timeout

    def check(
        self,
        action: Optional[Action] = None,
        *,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        **members: Any,
    ) -> CheckResult:
        """Whether the action is allowed. Every answer, and that there was none, is a result; never allowed by mistake.

        ``check("http_call", url=…)``, ``check(action_type="http_call", url=…)`` and ``check({"action_type": …})`` are
        the same. Members: ``action_type``, ``url``, ``tool_name``, ``qualified_tool_name``, ``data_scope``,
        ``estimated_cost`` (US dollars), ``payload``, ``metadata``, and any of your own.

        :param agent_id: another agent than the constructor's
        :param idempotency_key: 1 to 255 visible characters: the same key with the same action within 24 hours is the
            same check
        :raises TypeError: the action is not one
        :raises ValueError: it has no JSON form
        :raises CountersignError: no decision was had, and the fail mode is ``throw``
        """
        wire = members_of(action, members)
        result = self._run(self._talk.check(wire, agent_id, idempotency_key))
        if not result.allowed and self._on_denied is not None:
            self._on_denied(result, told_of(wire))
        return result

    def guard(
        self,
        action: Action,
        fn: Callable[..., T],
        *arguments: Any,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> T:
        """Checks, calls ``fn(*arguments)`` where the action is allowed, and reports what became of it.

        ``fn`` is over when it returns: a generator or a coroutine, which is executed later, is refused.

        :returns: what ``fn`` gives
        :raises TypeError: ``fn`` is no function, or one of generators or coroutines, and nothing was asked; or it gives
            a generator or coroutine, which is closed
        :raises ActionDeniedError: it is not allowed, and ``fn`` was not called
        :raises: what ``fn`` raises; else as :meth:`check`
        """
        require_whole(fn, awaited=False)
        result = self.check(action, agent_id=agent_id, idempotency_key=idempotency_key)
        if not result.allowed:
            raise ActionDeniedError(result)
        outcome: Outcome = "failed"
        try:
            value = whole(fn(*arguments), awaited=False)
            outcome = "succeeded"
            return value
        finally:
            self._report_of(result.event_id, outcome, agent_id)

    def report_outcome(
        self, event_id: str, outcome: Outcome, detail: Optional[str] = None, *, agent_id: Optional[str] = None
    ) -> None:
        """Says what became of a checked action: ``POST /v1/mcp/log``. What was reported before stays.

        :param detail: what happened, in words: content, which is committed and not in the leaf
        :raises CountersignError: it was not taken
        """
        self._run(self._talk.report(event_id, outcome, detail, agent_id))

    def scan(self, text: str, *, agent_id: Optional[str] = None) -> CheckResult:
        """Judges a text by the agent's output rules alone: ``POST /v1/mcp/scan``. Nothing is recorded or counted."""
        return self._run(self._talk.scan(text, agent_id))

    def register(
        self,
        name: str,
        *,
        type: Optional[str] = None,
        purpose: Optional[str] = None,
        version: Optional[str] = None,
    ) -> AgentRecord:
        """Makes an agent of the key's account: ``POST /v1/mcp/register``.

        It is checked by a key that names it, which an admin issues, or by the account's first key where a call names
        its id as ``agent_id``. One try, for which there is all of ``timeout``: another would make another agent.

        :raises CountersignError: it was refused, or it is not known whether it was made (``is_unavailable``)
        """
        return self._run(self._talk.register(name, type, purpose, version))

    def _report_of(self, event_id: Optional[str], outcome: Outcome, agent_id: Optional[str]) -> None:
        if event_id is None:
            return
        try:
            self.report_outcome(event_id, outcome, agent_id=agent_id)
        except Exception as error:
            try:
                self._on_report_failed(unsent(error), event_id, outcome)
            except Exception:
                logger.exception(_RAISED, event_id, outcome)

    def _run(self, talk: Talk[T]) -> T:
        answer: Optional[Answer] = None
        failure: Optional[CountersignError] = None
        try:
            while True:
                step = talk.send(answer) if failure is None else talk.throw(failure)
                answer = failure = None
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    continue
                try:
                    answer = self._exchange(step)
                except CountersignError as error:
                    failure = error
        except StopIteration as end:
            value: T = end.value
            return value
        finally:
            talk.close()

    def _connections(self) -> httpx.Client:
        # A process that went on with the connections of the one it was forked from would read that one's answers.
        if self._owns_http and self._process != os.getpid() and not self._http.is_closed:
            # Kept, since closing takes locks that a thread may have held which is not in this process.
            self._inherited = self._http
            self._http, self._process = with_deadlines(httpx.Client()), os.getpid()
        return self._http

    def _exchange(self, attempt: Attempt) -> Answer:
        ends_at = time.monotonic() + attempt.timeout
        content = bytearray()
        try:
            with (
                deadline(ends_at),
                self._connections().stream(
                    "POST",
                    attempt.url,
                    content=attempt.body,
                    headers=attempt.headers,
                    timeout=attempt.timeout,
                    follow_redirects=False,
                ) as response,
            ):
                for chunk in response.iter_bytes():
                    add_chunk(content, chunk)
                    if time.monotonic() > ends_at:
                        raise TooLate
                return answer_of(response, content)
        except (httpx.HTTPError, httpx.StreamError, TooLarge, TooLate, OSError) as error:
            raise failure_of(error, attempt.timeout) from error


def _warn(error: CountersignError, event_id: str, outcome: Outcome) -> None:
    logger.warning("that %s %s was not reported: %s", event_id, outcome, error)
