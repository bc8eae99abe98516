"""The asynchronous client."""

from __future__ import annotations

import inspect
import os
from typing import Any, Awaitable, Callable, Dict, Optional, TypeVar, overload

import anyio
import anyio.lowlevel
import httpx

from .action import Action, members_of, named_members
from .active_span import ActiveSpan
from .agent import AgentRecord
from .circuit_breaker import CircuitBreakerOptions
from .client import _RAISED, _warn, logger
from .conversation import Conversation
from .errors import ActionDeniedError, CountersignError
from .options import DEFAULT_BASE_URL, ClientOptions, FailMode, Outcome
from .result import Answer, CheckResult
from .signing import SigningKey
from .talk import Attempt, Pause, Talk
from .transport import TooLarge, add_chunk, answer_of, failure_of, unsent
from .whole import require_whole, whole

T = TypeVar("T")


class AsyncCountersign:
    """Asynchronous form of :class:`countersign.Countersign`. Hooks and guarded functions may be coroutines.

    One client may be used in one event loop after another, as by ``asyncio.run``; not in several concurrently.
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
        http_client: Optional[httpx.AsyncClient] = None,
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
        if http_client is not None and not isinstance(http_client, httpx.AsyncClient):
            raise TypeError("http_client: an httpx.AsyncClient")
        self._owns_http = http_client is None
        self._http = http_client or httpx.AsyncClient()
        self._owner: Any = None

    async def __aenter__(self) -> AsyncCountersign:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections, unless they belong to a client of your own."""
        if self._owns_http:
            await self._http.aclose()

    @property
    def timeout(self) -> float:
        """For one call with all its attempts, seconds."""
        return self._talk.timeout

    async def check(
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
        """See :meth:`countersign.Countersign.check`."""
        wire = members_of(action, members)
        span = ActiveSpan.of_now()
        if traceparent is None and span is not None:
            traceparent = span.traceparent
        origin = {"session": session, "principal": principal, "traceparent": traceparent}
        result = await self._run(self._talk.check(wire, agent_id, idempotency_key, wait_for_approval, origin))
        if span is not None:
            span.record(result)
        if not result.allowed and self._on_denied is not None:
            await _settled(self._on_denied(result, named_members(wire)))
        return result

    @overload
    async def guard(
        self,
        action: Action,
        fn: Callable[..., Awaitable[T]],
        *arguments: Any,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        wait_for_approval: Optional[float] = None,
        session: Optional[str] = None,
        principal: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> T: ...

    @overload
    async def guard(
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
    ) -> T: ...

    async def guard(
        self,
        action: Action,
        fn: Callable[..., Any],
        *arguments: Any,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        wait_for_approval: Optional[float] = None,
        session: Optional[str] = None,
        principal: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Any:
        """See :meth:`countersign.Countersign.guard`. A cancelled call is reported as ``failed``."""
        require_whole(fn, awaited=True)
        result = await self.check(
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
            value = whole(await _settled(fn(*arguments)), awaited=True)
            outcome = "succeeded"
            return value
        finally:
            with anyio.CancelScope(shield=True):
                await self._report_of(result.event_id, outcome, agent_id)

    async def report_outcome(
        self, event_id: str, outcome: Outcome, detail: Optional[str] = None, *, agent_id: Optional[str] = None
    ) -> None:
        """See :meth:`countersign.Countersign.report_outcome`."""
        await self._run(self._talk.report(event_id, outcome, detail, agent_id))

    async def scan(self, text: str, *, agent_id: Optional[str] = None) -> CheckResult:
        """See :meth:`countersign.Countersign.scan`."""
        return await self._run(self._talk.scan(text, agent_id))

    async def register(
        self,
        name: str,
        *,
        type: Optional[str] = None,
        purpose: Optional[str] = None,
        version: Optional[str] = None,
    ) -> AgentRecord:
        """See :meth:`countersign.Countersign.register`."""
        return await self._run(self._talk.register(name, type, purpose, version))

    async def _report_of(self, event_id: Optional[str], outcome: Outcome, agent_id: Optional[str]) -> None:
        if event_id is None:
            return
        try:
            await self.report_outcome(event_id, outcome, agent_id=agent_id)
        except Exception as error:
            try:
                await _settled(self._on_report_failed(unsent(error), event_id, outcome))
            except Exception:
                logger.exception(_RAISED, event_id, outcome)

    async def _run(self, talk: Talk[T]) -> T:
        answer: Optional[Answer] = None
        failure: Optional[CountersignError] = None
        try:
            while True:
                step = talk.send(answer) if failure is None else talk.throw(failure)
                answer = failure = None
                if isinstance(step, Pause):
                    await anyio.sleep(step.seconds)
                    continue
                try:
                    answer = await self._exchange(step)
                except CountersignError as error:
                    failure = error
        except StopIteration as end:
            value: T = end.value
            return value
        finally:
            talk.close()

    def _connections(self) -> httpx.AsyncClient:
        # Connections of an event loop that has ended, or of another process, cannot be used.
        owner = (os.getpid(), anyio.lowlevel.current_token())
        if self._owns_http and self._owner not in (None, owner) and not self._http.is_closed:
            self._http = httpx.AsyncClient()
        self._owner = owner
        return self._http

    async def _exchange(self, attempt: Attempt) -> Answer:
        content = bytearray()
        try:
            with anyio.fail_after(attempt.timeout):
                async with self._connections().stream(
                    attempt.method,
                    attempt.url,
                    content=attempt.body,
                    headers=attempt.headers,
                    timeout=attempt.timeout,
                    follow_redirects=False,
                ) as response:
                    async for chunk in response.aiter_bytes():
                        add_chunk(content, chunk)
                    return answer_of(response, content)
        except (httpx.HTTPError, httpx.StreamError, TooLarge, OSError) as error:
            raise failure_of(error, attempt.timeout) from error


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
