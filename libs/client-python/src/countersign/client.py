"""The synchronous client."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, Callable, Dict, Optional, TypeVar

import httpx

from .action import Action, members_of, named_members
from .active_span import ActiveSpan
from .agent import AgentRecord
from .circuit_breaker import CircuitBreakerOptions
from .conversation import Conversation
from .deadline import deadline, with_deadlines
from .errors import ActionDeniedError, CountersignError
from .options import DEFAULT_BASE_URL, ClientOptions, FailMode, Outcome
from .result import Answer, CheckResult
from .signing import SigningKey
from .talk import Attempt, Pause, Talk
from .transport import TooLarge, TooLate, add_chunk, answer_of, failure_of, unsent
from .whole import require_whole, whole

T = TypeVar("T")

logger = logging.getLogger("countersign")

_RAISED = "on_report_failed raised; that %s %s was not reported"


class Countersign:
    """Checks actions before an agent acts: ``POST /v1/check`` and its companions.

    One client may be used by many threads, and by processes that are forked afterwards, unless its ``http_client`` is
    your own.

    :param api_key: ``csn_live_…``
    :param agent_id: UUID of the agent that acts
    :param base_url: address of the service, with or without ``/v1``
    :param timeout: for one call with all its attempts, seconds
    :param attempt_timeout: for one attempt, seconds: twice the service's own deadline
    :param retries: how often a call without a decision is retried; its Idempotency-Key makes it count once
    :param fail_mode: what an action may do without a decision
    :param circuit_breaker: ``None``: calls are always sent
    :param wait_for_approval: how long a call waits for a person where the action needs an approval, seconds; once it
        is approved, the action is checked again
    :param session: of every check; a call may name its own
    :param principal: on whose behalf the agent acts, likewise
    :param signing_key: signs each check (RFC 9421)
    :param on_denied: called as ``on_denied(result, action)`` with every result that is not allowed, before the call
        ends; ``action`` is a dict of all members, however they were given (``{"action_type": …, "url": …}``)
    :param on_report_failed: called as ``on_report_failed(error, event_id, outcome)`` if ``guard`` could not report
        an outcome; default: a warning of the logger ``countersign``. Exceptions in it are logged, and do not affect
        the result
    :param http_client: your own, which you close; its settings for proxies and TLS are used
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
        wait_for_approval: float = 0.0,
        session: Optional[str] = None,
        principal: Optional[str] = None,
        signing_key: Optional[SigningKey] = None,
        on_denied: Optional[Callable[[CheckResult, Dict[str, Any]], Any]] = None,
        on_report_failed: Optional[Callable[[CountersignError, str, Outcome], Any]] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        options = ClientOptions(
            base_url,
            timeout,
            attempt_timeout,
            retries,
            fail_mode,
            circuit_breaker,
            wait_for_approval,
            session,
            principal,
            signing_key,
        )
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
        """Closes the connections, unless they belong to a client of your own."""
        if self._owns_http:
            self._http.close()

    @property
    def timeout(self) -> float:
        """For one call with all its attempts, seconds."""
        return self._talk.timeout

    def check(
        self,
        action: Optional[Action] = None,
        *,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        wait_for_approval: Optional[float] = None,
        session: Optional[str] = None,
        principal: Optional[str] = None,
        traceparent: Optional[str] = None,
        **members: Any,
    ) -> CheckResult:
        """Checks an action. Every answer, and the lack of one, is a result; no failure makes it allowed.

        ``check("http_call", url=…)``, ``check(action_type="http_call", url=…)`` and ``check({"action_type": …})`` are
        the same. Members: ``action_type``, ``url``, ``tool_name``, ``qualified_tool_name``, ``data_scope``,
        ``estimated_cost`` (US dollars), ``payload``, ``metadata``, and any of your own.

        :param agent_id: another agent than the constructor's
        :param idempotency_key: 1 to 255 visible characters: the same key with the same action within 24 hours is the
            same check
        :param wait_for_approval: another wait than the constructor's, seconds
        :param session: the conversation or run of the check: 1 to 200 visible ASCII characters, with blanks inside
        :param principal: on whose behalf the agent acts, in the same characters
        :param traceparent: W3C Trace Context, which is committed with the verdict. Default: that of the active span of
            OpenTelemetry, which gets the event ``countersign.decision``
        :raises TypeError: the action is not one
        :raises ValueError: it has no JSON form
        :raises CountersignError: there was no decision, and the fail mode is ``throw``
        """
        wire = members_of(action, members)
        span = ActiveSpan.of_now()
        if traceparent is None and span is not None:
            traceparent = span.traceparent
        origin = {"session": session, "principal": principal, "traceparent": traceparent}
        result = self._run(self._talk.check(wire, agent_id, idempotency_key, wait_for_approval, origin))
        if span is not None:
            span.record(result)
        if not result.allowed and self._on_denied is not None:
            self._on_denied(result, named_members(wire))
        return result

    def guard(
        self,
        action: Action,
        fn: Callable[..., T],
        *arguments: Any,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        wait_for_approval: Optional[float] = None,
        session: Optional[str] = None,
        principal: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> T:
        """Checks, calls ``fn(*arguments)`` if the action is allowed, and reports the outcome.

        ``fn`` must be finished when it returns: a generator or a coroutine, which is executed later, is refused.

        :returns: the result of ``fn``
        :raises TypeError: ``fn`` is not a function, or one of generators or coroutines (nothing is checked); it returns
            a generator or coroutine, which is closed
        :raises ActionDeniedError: it is not allowed, and ``fn`` was not called
        :raises: errors of ``fn``; otherwise as :meth:`check`
        """
        require_whole(fn, awaited=False)
        result = self.check(
            action,
            agent_id=agent_id,
            idempotency_key=idempotency_key,
            wait_for_approval=wait_for_approval,
            session=session,
            principal=principal,
            traceparent=traceparent,
        )
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
        """Reports the outcome of a checked action: ``POST /v1/mcp/log``. An earlier report stays.

        :param detail: a description: content, which is committed and not in the leaf
        :raises CountersignError: it was not accepted
        """
        self._run(self._talk.report(event_id, outcome, detail, agent_id))

    def scan(self, text: str, *, agent_id: Optional[str] = None) -> CheckResult:
        """Judges a text by the agent's output rules: ``POST /v1/mcp/scan``. Nothing is recorded or counted."""
        return self._run(self._talk.scan(text, agent_id))

    def register(
        self,
        name: str,
        *,
        type: Optional[str] = None,
        purpose: Optional[str] = None,
        version: Optional[str] = None,
    ) -> AgentRecord:
        """Creates an agent of the key's account: ``POST /v1/mcp/register``.

        It is checked by a key that names it, which an admin issues, or by the account's first key if a call names
        its id as ``agent_id``. A single attempt, within ``timeout``: a retry would create another agent.

        :raises CountersignError: it was refused, or it is not known whether it was created (``is_unavailable``)
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
        # A forked process that reused the connections of its parent would read its answers.
        if self._owns_http and self._process != os.getpid() and not self._http.is_closed:
            # Kept open: closing takes locks that may be held by a thread of the parent process.
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
                    attempt.method,
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
