"""Agents of Microsoft Agent Framework (``agent-framework``), whose tool calls are checked before they are executed.

.. code-block:: python

    agent = Agent(client, tools=[create_order], middleware=[guard_middleware(countersign)])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, Mapping, Optional

from ..options import Outcome
from .argument_forms import form_of_given
from .interrupt import RESUMED_WAIT, PendingApproval, pending_of
from .tool_call import AnyCountersign, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from agent_framework import FunctionInvocationContext, FunctionMiddleware

__all__ = ["PendingApproval", "ToolCall", "guard_middleware"]

_ASKS_ITSELF = "It cannot wait for that approval here, since the tool asks for an approval of its own."


def guard_middleware(
    countersign: AnyCountersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    agent: Optional[str] = None,
    interrupt: bool = False,
) -> FunctionMiddleware:
    """Middleware that checks each call of an agent's tools: functions, those of MCP servers that the agent connects
    to, and agents that are tools.

    A call that is not allowed has the denial as its result: the model reads the reason and advice. A tool that raises,
    or is cancelled, is reported as failed; one for which middleware after this one requests an approval, as skipped.

    An agent that is a tool of another (``as_tool``), or takes part in a workflow, is an agent of its own: give it
    middleware as well, with ``agent_id`` if it has a record of its own. Put this middleware last, and give a run none
    (``run(middleware=…)``, or in its ``client_kwargs``); that of context providers always runs later: what runs after
    this one could change a call that was checked.

    Not checked here: tools that the model's provider executes, tools without an implementation, which the application
    executes itself, and calls of tools outside of an agent's run.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param agent: name of the agent, in the metadata as ``agent``: the framework does not tell it
    :param interrupt: a call that a person has to approve is a request in ``user_input_requests`` of the response; its
        ``additional_properties["countersign"]`` is a :class:`countersign.adapters.interrupt.PendingApproval`. A call
        with an approving answer is checked again, and executed only if it is allowed then, and otherwise denied; one
        with a refusing answer is not executed, nor checked. A tool with ``approval_mode="always_require"``, for which
        the framework has asked before the check, is denied instead.
    """
    from agent_framework import Content, FunctionMiddleware

    guard = ToolGuard(action, agent_id, idempotency_key)
    metadata = {} if agent is None else {"agent": agent}

    def request_of(context: FunctionInvocationContext, call: ToolCall, pending: PendingApproval) -> Any:
        occurrence = context.metadata.get("function_call_occurrence_id") or call.tool_call_id
        asked = Content.from_function_call(
            call_id=str(call.tool_call_id), name=call.tool_name, arguments=dict(context.arguments), id=occurrence
        )
        return Content.from_function_approval_request(
            id=str(occurrence), function_call=asked, additional_properties={"countersign": dict(pending)}
        )

    class Guard(FunctionMiddleware):
        async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
            given = _arguments_of(context)
            call = ToolCall(context.function.name, form_of_given(given), context.metadata.get("call_id"), metadata)
            is_resumed = interrupt and "approval_response" in context.metadata
            try:
                begun = await guard.begin_async(countersign, call, RESUMED_WAIT if is_resumed else None)
            except NotExecutedError as denied:
                pending = pending_of(call, denied) if interrupt else None
                if pending is None or is_resumed:
                    asks = pending is not None and context.function.approval_mode == "always_require"
                    context.result = f"{denied} {_ASKS_ITSELF}" if asks else str(denied)
                else:
                    context.result = request_of(context, call, pending)
                return
            outcome: Outcome = "failed"
            try:
                await call_next()
                outcome = "skipped" if _is_request(context.result) else "succeeded"
            finally:
                await begun.end(outcome)

    return Guard()


def _is_request(result: Any) -> bool:
    return getattr(result, "type", None) == "function_approval_request"


def _arguments_of(context: FunctionInvocationContext) -> Any:
    arguments: Any = context.arguments
    return dict(arguments) if isinstance(arguments, Mapping) else arguments
