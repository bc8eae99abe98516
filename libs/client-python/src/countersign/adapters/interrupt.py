"""Runs that a framework interrupts while a person decides about a tool call in Countersign."""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Dict, NoReturn, Optional, Tuple, TypedDict, TypeVar, Union, cast

from ..approval import needs_approval
from .tool_call import AnyCountersign, BegunCall, NotExecutedError, ToolCall, ToolGuard

T = TypeVar("T")
#: Seconds for which a resumed call waits: a decision reaches a gateway a moment after a person has made it.
RESUMED_WAIT = 3.0
#: Most answers without a decision that one call of a graph is given.
_MOST_ANSWERS = 1000


class PendingApproval(TypedDict, total=False):
    """A call that a person has still to decide about. No arguments of the call: plain JSON, for any store."""

    approval_id: str
    tool_name: str
    #: The framework's id, by which its own interruption is found.
    tool_call_id: str
    #: Where a person decides, after a login.
    approval_url: str
    #: ISO 8601 time after which the action has to be asked for again.
    expires_at: str
    reason: str


Interrupt = Callable[[PendingApproval], Any]


def pending_of(call: ToolCall, denied: NotExecutedError) -> Optional[PendingApproval]:
    """The approval that a denied call waits for; ``None``: it waits for none."""
    result = denied.result
    if result is None or not needs_approval(result):
        return None
    known = {
        "approval_id": result.approval_id,
        "tool_name": call.full_name,
        "tool_call_id": call.tool_call_id,
        "approval_url": result.approval_url,
        "expires_at": result.expires_at,
        "reason": result.reason,
    }
    return cast(PendingApproval, {name: value for name, value in known.items() if value is not None})


def interruptible(interrupt: Optional[Interrupt], call: ToolCall, attempt: Callable[[Optional[float]], T]) -> T:
    """Attempts a call of a graph that is repeated from its start when it is resumed.

    :param interrupt: raises until the graph is resumed, and then returns each earlier answer in turn
    :param attempt: checks and executes the call, waiting for a decision for these seconds
    :raises NotExecutedError: it is not allowed, and no person can still allow it
    """
    try:
        return attempt(None)
    except NotExecutedError as denied:
        _interrupt(interrupt, call, denied)
    try:
        return attempt(RESUMED_WAIT)
    except NotExecutedError as denied:
        _interrupt_again(interrupt, call, denied)


async def interruptible_async(
    interrupt: Optional[Interrupt], call: ToolCall, attempt: Callable[[Optional[float]], Awaitable[T]]
) -> T:
    """Like :func:`interruptible`."""
    try:
        return await attempt(None)
    except NotExecutedError as denied:
        _interrupt(interrupt, call, denied)
    try:
        return await attempt(RESUMED_WAIT)
    except NotExecutedError as denied:
        _interrupt_again(interrupt, call, denied)


def _interrupt(interrupt: Optional[Interrupt], call: ToolCall, denied: NotExecutedError) -> None:
    pending = pending_of(call, denied)
    if interrupt is None or pending is None:
        raise denied
    interrupt(pending)


def _interrupt_again(interrupt: Optional[Interrupt], call: ToolCall, denied: NotExecutedError) -> NoReturn:
    for _ in range(_MOST_ANSWERS):
        _interrupt(interrupt, call, denied)
    raise TypeError("interrupt: that of LangGraph, which raises until the graph is resumed; this one returns")


#: Seconds for which an allowed call may still be executed: a later execution is checked again.
_VERDICT_SECONDS = 60.0


@dataclass(frozen=True)
class _Checked:
    call: ToolCall
    agent_id: Optional[str]
    verdict: Union[BegunCall, Exception]
    until: float


class CheckedCalls:
    """Calls that are checked where a framework asks whether they need an approval, until it executes them.

    :param now: seconds of a monotonic clock
    """

    def __init__(
        self,
        countersign: AnyCountersign,
        guard: ToolGuard,
        interrupt: Interrupt,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._countersign = countersign
        self._guard = guard
        self._interrupt = interrupt
        self._now = now
        #: By the identity of the framework's object of the run, while that exists.
        self._runs: Dict[int, Tuple[weakref.ref[Any], Dict[str, _Checked]]] = {}

    async def is_pending(self, run: Any, call: ToolCall) -> bool:
        """Checks a call, each time that it is asked about. A denial, or the lack of a decision, is kept for
        :meth:`begin`.

        :returns: ``True`` if the run is to be interrupted
        :raises: errors of ``interrupt``
        """
        calls = self._calls_of(run)
        key = str(call.tool_call_id)
        # Of an earlier call of this id that was never executed.
        calls.pop(key, None)
        verdict: Union[BegunCall, Exception]
        try:
            verdict = await self._guard.begin_async(self._countersign, call)
        except Exception as error:
            pending = pending_of(call, error) if isinstance(error, NotExecutedError) else None
            if pending is not None:
                # Of a call of this id that was checked meanwhile.
                calls.pop(key, None)
                self._interrupt(pending)
                return True
            verdict = error
        calls[key] = _Checked(call, self._agent_of(call), verdict, self._now() + _VERDICT_SECONDS)
        return False

    async def begin(self, run: Any, call: ToolCall) -> BegunCall:
        """The check of :meth:`is_pending`, once, and only of the same call a short time ago; otherwise a new one, as of
        a call that was resumed.

        :raises NotExecutedError: it is not allowed, or cannot be checked
        """
        checked = self._calls_of(run).pop(str(call.tool_call_id), None)
        if (
            checked is None
            or (checked.call, checked.agent_id) != (call, self._agent_of(call))
            or self._now() >= checked.until
        ):
            return await self._guard.begin_async(self._countersign, call, RESUMED_WAIT)
        if isinstance(checked.verdict, Exception):
            raise checked.verdict
        return checked.verdict

    def _agent_of(self, call: ToolCall) -> Optional[str]:
        return None if self._guard.agent_id is None else self._guard.agent_id(call)

    def _calls_of(self, run: Any) -> Dict[str, _Checked]:
        key = id(run)
        if key not in self._runs:
            self._runs[key] = (weakref.ref(run, lambda _: self._runs.pop(key, None)), {})
        return self._runs[key][1]
