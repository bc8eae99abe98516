"""Hooks of the Claude Agent SDK (``claude-agent-sdk``), which check each tool call before it is made.

.. code-block:: python

    options = ClaudeAgentOptions(hooks=guard_hooks(countersign))
"""

from __future__ import annotations

import dataclasses
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple

from ..async_client import AsyncCountersign
from ..options import Outcome
from .tool_call import NotExecutedError, ToolCall, ToolGuard, denial_message

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher

__all__ = ["ToolCall", "guard_hooks"]

logger = logging.getLogger("countersign")

_PENDING = 10_000
_HOOK_MARGIN = 60.0


def guard_hooks(
    countersign: AsyncCountersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
) -> Dict[Any, List[HookMatcher]]:
    """Hooks for ``ClaudeAgentOptions(hooks=…)``, for all tools: Claude's own, yours, and those of MCP servers.

    A call that is not allowed is denied, with a reason and advice for Claude; so is one that could not be
    checked, for whatever reason. A call that is allowed still needs the permissions that it needed before: nothing is
    granted here. Later hooks report its outcome, also for a call that was denied and made
    anyway.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :raises TypeError: the client is synchronous
    """
    from claude_agent_sdk import HookMatcher

    if not isinstance(countersign, AsyncCountersign):
        raise TypeError("hooks are awaited: give them an AsyncCountersign")
    hooks = _Hooks(countersign, ToolGuard(action, agent_id, idempotency_key))
    waits = countersign.timeout + _HOOK_MARGIN
    # The program behind the SDK continues without a hook that does not answer, unless it is configured to block.
    can_block = "on_failure" in {field.name for field in dataclasses.fields(HookMatcher)}
    blocks: Dict[str, Any] = {"on_failure": "block"} if can_block else {}

    def matcher(hook: Any, **more: Any) -> HookMatcher:
        return HookMatcher(hooks=[hook], timeout=waits, **more)

    return {
        "PreToolUse": [matcher(hooks.before, **blocks)],
        "PostToolUse": [matcher(hooks.succeeded)],
        "PostToolUseFailure": [matcher(hooks.failed)],
    }


class _Hooks:
    def __init__(self, countersign: AsyncCountersign, guard: ToolGuard) -> None:
        self._countersign = countersign
        self._guard = guard
        #: Event and agent of checks without a reported outcome, by session and call; as calls may end unseen, the
        #: oldest are dropped.
        self._pending: OrderedDict[Tuple[Any, Any], Tuple[str, Optional[str]]] = OrderedDict()

    async def before(self, said: Any, tool_use_id: Optional[str], _: Any) -> Dict[str, Any]:
        # An exception in a hook is no denial to the program behind the SDK: it would make the call.
        try:
            return await self._checked(said, tool_use_id)
        except NotExecutedError as denied:
            return _denied(str(denied))
        except Exception as error:
            logger.exception("a tool call was denied because it could not be checked")
            why = f"{type(error).__name__}: {error}".rstrip(": ")
            return _denied(f"Not executed: it could not be checked whether this may be done ({why}). Tell the user.")

    async def _checked(self, said: Mapping[str, Any], tool_use_id: Optional[str]) -> Dict[str, Any]:
        call = _call_of(said, tool_use_id)
        options = self._guard.call_options_of(call)
        result = await self._countersign.check(self._guard.action_of(call), **options)
        # Also for a denied call: if it is made anyway, the evidence must say so.
        if result.event_id is not None:
            self._pending[_key_of(said, tool_use_id)] = (result.event_id, options["agent_id"])
            while len(self._pending) > _PENDING:
                self._pending.popitem(last=False)
        if not result.allowed:
            raise NotExecutedError(denial_message(call, result))
        return {}

    async def succeeded(self, said: Any, tool_use_id: Optional[str], _: Any) -> Dict[str, Any]:
        return await self._report(said, tool_use_id, "succeeded")

    async def failed(self, said: Any, tool_use_id: Optional[str], _: Any) -> Dict[str, Any]:
        return await self._report(said, tool_use_id, "failed")

    async def _report(self, said: Any, tool_use_id: Optional[str], outcome: Outcome) -> Dict[str, Any]:
        event_id, agent_id = self._pending.pop(_key_of(said, tool_use_id), (None, None))
        await self._countersign._report_of(event_id, outcome, agent_id)
        return {}


def _call_of(said: Mapping[str, Any], tool_use_id: Optional[str]) -> ToolCall:
    metadata = {"session": said["session_id"]} if isinstance(said.get("session_id"), str) else {}
    return ToolCall(said["tool_name"], said.get("tool_input"), tool_use_id or said.get("tool_use_id"), metadata)


def _key_of(said: Mapping[str, Any], tool_use_id: Optional[str]) -> Tuple[Any, Any]:
    return said.get("session_id"), tool_use_id or said.get("tool_use_id")


def _denied(reason: str) -> Dict[str, Any]:
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": decision}
