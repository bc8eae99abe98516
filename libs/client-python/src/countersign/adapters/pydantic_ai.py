"""Agents of Pydantic AI (``pydantic-ai``), whose tool calls are checked before they are executed.

.. code-block:: python

    agent = Agent(model, tools=[create_order], capabilities=[guard_capability(countersign)])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional

from .argument_forms import form_of_given
from .interrupt import RESUMED_WAIT, PendingApproval, pending_of
from .tool_call import AnyCountersign, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

__all__ = ["PendingApproval", "ToolCall", "guard_capability"]


def guard_capability(
    countersign: AnyCountersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    interrupt: bool = False,
) -> AbstractCapability[Any]:
    """A capability that checks each call of an agent's tools: functions, toolsets, those of MCP servers, and those that
    a run adds.

    A call that is not allowed is a failed result for the model: the reason and advice, without using up the tool's
    retries. A tool that raises is reported as failed, and then handled as before; so is one that asks for a retry.

    An agent that a tool runs is another agent: give it a capability as well, with ``agent_id`` if it has a record of
    its own. The name of the agent and the id of the run are in the metadata as ``agent`` and ``runId``. Put the
    capability last, so that toolsets wrapped by others are wrapped outside of it.

    Not checked here: tools that the model's provider executes, and calls that the run returns as deferred; check those
    where they are executed.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param interrupt: a call that a person has to approve is deferred: the run ends with ``DeferredToolRequests``, which
        has to be an ``output_type``, and whose ``metadata`` is a
        :class:`countersign.adapters.interrupt.PendingApproval` for each such call. A call with
        ``DeferredToolResults(approvals={id: True})`` is checked again, and executed only if it is allowed then. The
        metadata of actions have no ``runId`` then, since the resumed run has another.
    """
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
    from pydantic_ai.toolsets import WrapperToolset

    guard = ToolGuard(action, agent_id, idempotency_key)

    @dataclass
    class GuardedToolset(WrapperToolset[Any]):
        async def call_tool(
            self, name: str, tool_args: Dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
        ) -> Any:
            call = _call_of(name, tool_args, ctx, names_run=not interrupt)
            wait = RESUMED_WAIT if interrupt and ctx.tool_call_approved else None
            try:
                return await guard.execute_async(
                    countersign, call, lambda: self.wrapped.call_tool(name, tool_args, ctx, tool), wait
                )
            except NotExecutedError as denied:
                pending = pending_of(call, denied) if interrupt else None
                if pending is not None:
                    raise ApprovalRequired(metadata=dict(pending)) from None
                raise ToolFailed(str(denied)) from denied

    class Guard(AbstractCapability[Any]):
        def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
            return GuardedToolset(toolset)

    return Guard()


def _call_of(name: str, tool_args: Mapping[str, Any], ctx: RunContext[Any], *, names_run: bool) -> ToolCall:
    facts = {"agent": getattr(ctx.agent, "name", None), "runId": ctx.run_id if names_run else None}
    metadata = {key: value for key, value in facts.items() if value is not None}
    return ToolCall(name, form_of_given(dict(tool_args)), ctx.tool_call_id, metadata)
