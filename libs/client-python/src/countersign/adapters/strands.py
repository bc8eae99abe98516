"""Agents of Strands (``strands-agents``), whose tool calls are checked before they are executed.

.. code-block:: python

    agent = Agent(model, tools=[create_order], plugins=[guard_plugin(countersign)])
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Mapping, Optional

from .argument_forms import form_of_given
from .interrupt import RESUMED_WAIT, PendingApproval, pending_of
from .tool_call import AnyCountersign, BegunCall, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from strands import Agent
    from strands.middleware import ExecuteToolContext
    from strands.plugins import Plugin

__all__ = ["PendingApproval", "ToolCall", "guard_plugin"]


def guard_plugin(
    countersign: AnyCountersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    interrupt: bool = False,
) -> Plugin:
    """A plugin that checks each call of an agent's tools: functions, those of MCP servers, agents that are tools, calls
    by ``agent.tool`` and those in the background.

    A call that is not allowed is a result with the status ``error``: the model reads the reason and advice. A tool
    whose result has that status is reported as failed; so is one that interrupts its agent, and it is checked again
    when it is resumed. Where a hook repeats a call, each repetition is checked.

    An agent that is a tool of another, or a node of a graph or a swarm, is an agent of its own: give it a plugin as
    well, with ``agent_id`` if it has a record of its own. One plugin may serve several agents. The name of the agent is
    in the metadata as ``agent``. Put the plugin last: middleware that is added after it could change a call that was
    checked.

    Not checked here: tools that the model's provider executes.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param interrupt: a call that a person has to approve interrupts the agent (``stop_reason == "interrupt"``); the
        ``reason`` of the interrupt is a :class:`countersign.adapters.interrupt.PendingApproval`. A resumed call is
        checked again, and executed only if it is allowed then: the response decides nothing.
    """
    from strands.middleware import ExecuteToolStage
    from strands.plugins import Plugin
    from strands.types.events import ToolResultEvent

    guard = ToolGuard(action, agent_id, idempotency_key)

    async def begin(context: ExecuteToolContext) -> BegunCall:
        call = _call_of(context)
        wait: Optional[float] = None
        for answers in count():
            try:
                return await guard.begin_async(countersign, call, wait)
            except NotExecutedError as denied:
                pending = pending_of(call, denied) if interrupt else None
                if pending is None:
                    raise
                # Raises until the agent is resumed; each resumption without a decision is another interrupt.
                context.interrupt(f"countersign-approval-{answers}", reason=dict(pending))
                wait = RESUMED_WAIT
        raise AssertionError("unreachable")

    async def checked(context: ExecuteToolContext, execute: Callable[[Any], AsyncIterator[Any]]) -> AsyncIterator[Any]:
        try:
            begun = await begin(context)
        except NotExecutedError as denied:
            given = {
                "toolUseId": str(context.tool_use.get("toolUseId")),
                "status": "error",
                "content": [{"text": str(denied)}],
            }
            yield ToolResultEvent(given)
            return
        succeeded = False
        try:
            async for event in execute(context):
                if isinstance(event, ToolResultEvent):
                    succeeded = event.tool_result["status"] == "success"
                yield event
        finally:
            await begun.end("succeeded" if succeeded else "failed")

    class Guard(Plugin):
        name = "countersign"

        def init_agent(self, agent: Agent) -> None:
            agent.add_middleware(ExecuteToolStage, checked)

    return Guard()


def _call_of(context: ExecuteToolContext) -> ToolCall:
    use = context.tool_use
    agent = getattr(context.agent, "name", None)
    # A hook or other middleware may have selected another tool than the model asked for: that one is executed.
    name = use["name"] if context.tool is None else context.tool.tool_name
    asked = {} if name == use["name"] else {"askedTool": use["name"]}
    metadata = {**({} if agent is None else {"agent": agent}), **asked}
    return ToolCall(name, form_of_given(use["input"]), use.get("toolUseId"), metadata)
