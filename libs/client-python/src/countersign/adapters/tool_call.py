"""Common parts of the adapters: a tool call as an action, and a denial as text for the model."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Awaitable, Callable, Dict, Iterator, Mapping, Optional, TypedDict, TypeVar, Union

import anyio
import anyio.to_thread

from ..action import body_of
from ..async_client import AsyncCountersign
from ..client import Countersign
from ..errors import UNAVAILABLE_CODES, ActionDeniedError
from ..options import Outcome
from ..result import CheckResult
from ..whole import whole
from .text_pieces import in_pieces

T = TypeVar("T")
#: Rules do not read longer ones.
_LONGEST_URL = 65_536
_URL_NAMES = frozenset(("url", "uri", "href"))
#: Below this no text of a body exceeds the service's limit.
_LONGEST_TEXT = 262_144
#: Limit for the body of ``POST /v1/check``, less the members other than the action.
_MOST_BYTES = 1024 * 1024 - 1024
AnyCountersign = Union[Countersign, AsyncCountersign]


@dataclass(frozen=True)
class ToolCall:
    """A model's call of a tool, as a framework passes it."""

    tool_name: str
    input: Any
    """The arguments of the model, parsed by the tool's schema if the framework does so."""
    tool_call_id: Optional[str] = None
    """The framework's id; not globally unique: some models count from 0 in each run."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Further facts from the framework."""
    injected: Mapping[str, Any] = field(default_factory=dict)
    """Arguments injected by the framework, such as a graph's state: not sent, unless ``action`` includes them."""
    qualified_tool_name: Optional[str] = None
    """The name with its namespace, if it has one: checked in addition to ``tool_name``."""

    @property
    def full_name(self) -> str:
        """The name that is unique across namespaces."""
        return self.qualified_tool_name or self.tool_name


class NotExecutedError(Exception):
    """A call that was not executed; the message gives the model the reason and advice. ``result``: its check."""

    def __init__(self, message: str, result: Optional[CheckResult] = None) -> None:
        super().__init__(message)
        self.result = result


class CallOptions(TypedDict):
    """Named arguments of a check."""

    agent_id: Optional[str]
    idempotency_key: Optional[str]
    wait_for_approval: Optional[float]


@dataclass(frozen=True)
class ToolGuard:
    """Defines how tool calls are checked.

    :param action: members of the action that replace the defaults: ``action_type="tool_use"``, ``tool_name``,
        ``qualified_tool_name`` of a tool in a namespace, the input as ``payload``, its argument ``url`` as ``url``, the
        call's id in ``metadata``. A spending limit counts the ``estimated_cost`` given here.
    :param agent_id: the acting agent, if it is not the client's
    :param idempotency_key: of the check. Default: a new one for each execution, so that each is judged, counted and
        reported separately. Give one that names the run as well as the call if a repeated execution is to be
        the same check.
    """

    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None

    def action_of(self, call: ToolCall) -> Dict[str, Any]:
        """The action to check. The service looks for addresses in its ``payload``; ``url`` repeats the
        argument ``url``, ``uri`` or ``href``, so that records show it if the payload is not kept.

        :raises NotExecutedError: it has no JSON form, or is too large
        """
        members: Dict[str, Any] = {"action_type": "tool_use", "tool_name": call.tool_name}
        if call.qualified_tool_name is not None:
            members["qualified_tool_name"] = call.qualified_tool_name
        if call.input is not None:
            members["payload"] = call.input
        metadata = dict(call.metadata)
        if call.tool_call_id is not None:
            metadata["toolCallId"] = call.tool_call_id
        if metadata:
            members["metadata"] = metadata
        own = {} if self.action is None else self.action(call)
        members.update(own)
        if "url" not in own:
            url = _url_argument(call.input)
            if url is not None:
                members["url"] = url
        try:
            body = body_of(members)
            if len(body) > _LONGEST_TEXT and "payload" in members:
                # The service could not parse the pieces of a JSON text.
                members["payload"] = _held(members["payload"])
                members["payload"], pieced = in_pieces(members["payload"])
                if pieced:
                    members["metadata"] = {**(members.get("metadata") or {}), "inPieces": pieced}
                    body = body_of(members)
            if len(body) > _MOST_BYTES:
                raise ValueError(
                    f"its arguments take {len(body)} bytes, and a check takes {_MOST_BYTES}: call it several times "
                    "with less"
                )
        except (TypeError, ValueError, RecursionError) as error:
            raise NotExecutedError(
                f"Not executed: whether {call.full_name} may be called cannot be asked. {_sentence(str(error))} "
                "Call it with other arguments."
            ) from error
        return members

    def call_options_of(self, call: ToolCall, wait_for_approval: Optional[float] = None) -> CallOptions:
        """Options of a check. ``wait_for_approval``: seconds, instead of the client's."""
        return {
            "agent_id": None if self.agent_id is None else self.agent_id(call),
            "idempotency_key": None if self.idempotency_key is None else self.idempotency_key(call),
            "wait_for_approval": wait_for_approval,
        }

    def execute(
        self, countersign: Countersign, call: ToolCall, fn: Callable[[], T], wait_for_approval: Optional[float] = None
    ) -> T:
        """Calls ``fn`` if the call is allowed, and reports the outcome.

        :raises NotExecutedError: it is not allowed, or cannot be checked, and ``fn`` was not called
        :raises CountersignError: there was no decision, and the fail mode is ``throw``
        :raises: errors of ``fn``
        """
        action = self.action_of(call)
        with _denials_as_messages(call) as begun:

            def begin() -> T:
                begun.append(True)
                return fn()

            return countersign.guard(action, begin, **self.call_options_of(call, wait_for_approval))

    async def execute_async(
        self,
        countersign: AnyCountersign,
        call: ToolCall,
        fn: Callable[[], Awaitable[T]],
        wait_for_approval: Optional[float] = None,
    ) -> T:
        """Like :meth:`execute`; a synchronous client runs in a thread. A cancelled call is reported as failed."""
        action = self.action_of(call)
        with _denials_as_messages(call) as begun:

            async def begin() -> T:
                begun.append(True)
                return await fn()

            options = self.call_options_of(call, wait_for_approval)
            if isinstance(countersign, AsyncCountersign):
                return await countersign.guard(action, begin, **options)
            return await _guard_in_threads(countersign, action, begin, **options)

    async def begin_async(
        self, countersign: AnyCountersign, call: ToolCall, wait_for_approval: Optional[float] = None
    ) -> BegunCall:
        """Checks a call that the framework executes itself; a synchronous client runs in a thread.

        :returns: the allowed call, whose outcome is reported by :meth:`BegunCall.end`
        :raises NotExecutedError: it is not allowed, or cannot be checked
        :raises CountersignError: there was no decision, and the fail mode is ``throw``
        """
        options = self.call_options_of(call, wait_for_approval)
        action = self.action_of(call)
        if isinstance(countersign, AsyncCountersign):
            result = await countersign.check(action, **options)
        else:
            result = await anyio.to_thread.run_sync(partial(countersign.check, action, **options))
        if not result.allowed:
            raise NotExecutedError(denial_message(call, result), result)
        return BegunCall(countersign, result.event_id, options["agent_id"])


@dataclass(frozen=True)
class BegunCall:
    """An allowed call that a framework executes."""

    _countersign: AnyCountersign
    _event_id: Optional[str]
    _agent_id: Optional[str]

    async def end(self, outcome: Outcome) -> None:
        """Reports the outcome, also of a cancelled call. A report that fails is the client's ``on_report_failed``."""
        with anyio.CancelScope(shield=True):
            if isinstance(self._countersign, Countersign):
                report = self._countersign._report_of
                await anyio.to_thread.run_sync(report, self._event_id, outcome, self._agent_id)
            else:
                await self._countersign._report_of(self._event_id, outcome, self._agent_id)


def _url_argument(arguments: Any) -> Optional[str]:
    """The first argument with the name of a URL, in any letter case."""
    if not isinstance(arguments, Mapping):
        return None
    for name, value in arguments.items():
        folded = re.sub(r"[_\-. ]", "", str(name).lower())
        if folded in _URL_NAMES and isinstance(value, str) and value.strip() and _utf16(value) <= _LONGEST_URL:
            return str(value)
    return None


def _utf16(text: str) -> int:
    """Length in UTF-16 code units, as the service counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _held(payload: Any) -> Any:
    """The value of a JSON text if it is a list or an object; ``payload`` otherwise."""
    if not isinstance(payload, str):
        return payload
    try:
        value = json.loads(payload)
        body_of({"payload": value})
    except (TypeError, ValueError, RecursionError):
        return payload
    return value if isinstance(value, (dict, list)) else payload


def denial_message(call: ToolCall, result: CheckResult) -> str:
    """The text for the model instead of a result: that nothing was done, why, and what to do instead."""
    name, why = call.full_name, _sentence(result.reason or "no reason was given")
    code = None if result.violations is None else result.violations[0]
    if code is None:
        return f"Not executed: this call of {name} was denied. {why}"
    if code == "invalid_request":
        return f"Not executed: {name} cannot be called so. {why} Change its arguments."
    if code in UNAVAILABLE_CODES:
        return (
            f"Not executed: whether {name} may be called was not decided, so nothing was done. {why} "
            "Go on without it, or try again later."
        )
    return f"Not executed: {name} may not be called. {why} Another try will not change that: say so to the user."


@contextmanager
def _denials_as_messages(call: ToolCall) -> Iterator[list[bool]]:
    """Converts a denial of this call, but not of one that it makes itself, to a message for the model."""
    begun: list[bool] = []
    try:
        yield begun
    except ActionDeniedError as denied:
        if begun:
            raise
        raise NotExecutedError(denial_message(call, denied.result), denied.result) from denied


async def _guard_in_threads(
    countersign: Countersign,
    action: Mapping[str, Any],
    fn: Callable[[], Awaitable[T]],
    *,
    agent_id: Optional[str],
    idempotency_key: Optional[str],
    wait_for_approval: Optional[float],
) -> T:
    options: CallOptions = {
        "agent_id": agent_id,
        "idempotency_key": idempotency_key,
        "wait_for_approval": wait_for_approval,
    }
    result = await anyio.to_thread.run_sync(partial(countersign.check, action, **options))
    if not result.allowed:
        raise ActionDeniedError(result)
    outcome: Outcome = "failed"
    try:
        value = whole(await fn(), awaited=True)
        outcome = "succeeded"
        return value
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(countersign._report_of, result.event_id, outcome, agent_id)


def _sentence(text: str) -> str:
    first = text[:1].upper() + text[1:]
    return first if first.endswith((".", "!", "?")) else f"{first}."
