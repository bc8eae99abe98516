"""Tools of the OpenAI Agents SDK (``openai-agents``), checked before they are executed.

.. code-block:: python

    agent = Agent(name="clerk", tools=guard_tools(countersign, [create_order, send_mail]))
"""

from __future__ import annotations

import copy
import inspect
import json
from typing import TYPE_CHECKING, Any, Awaitable, Callable, List, Mapping, Optional, Sequence

from ..options import Outcome
from ..whole import whole
from .interrupt import CheckedCalls, Interrupt, PendingApproval
from .tool_call import AnyCountersign, BegunCall, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from agents import FunctionTool
    from agents.tool_context import ToolContext

__all__ = ["PendingApproval", "ToolCall", "guard_tools"]


def guard_tools(
    countersign: AnyCountersign,
    tools: Sequence[FunctionTool],
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    interrupt: Optional[Interrupt] = None,
) -> List[FunctionTool]:
    """The same tools, each checked before it is executed. They keep their schemas, guardrails, approvals and time-outs.

    A call that is not allowed gives the model a text as the tool's output: the reason and advice. A tool
    that fails is reported as failed, and then handled by its ``failure_error_function``. A tool's time-out includes
    the check. A tool of a namespace is checked by its name and by ``namespace.name``: a rule against either
    forbids it, and lists of allowed names need both.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param interrupt: called with what waits, before a call that a person has to approve interrupts the run
        (``result.interruptions``), as ``needs_approval`` of the SDK does. Once the person has decided, ``approve`` it
        in the state and run that: the call is checked again, and executed only if it is allowed then. Otherwise the
        model gets the denial.
    :raises TypeError: a tool is not executed here, such as one of the model's provider, so that it
        cannot be checked first; or the version of the SDK is not known
    """
    guard = ToolGuard(action, agent_id, idempotency_key)
    checked = None if interrupt is None else CheckedCalls(countersign, guard, interrupt)
    return [_guarded(countersign, tool, guard, checked) for tool in tools]


def _guarded(
    countersign: AnyCountersign, tool: FunctionTool, guard: ToolGuard, checked: Optional[CheckedCalls]
) -> FunctionTool:
    from agents import FunctionTool
    from agents.tool import maybe_invoke_function_tool_failure_error_function

    if not isinstance(tool, FunctionTool):
        raise TypeError(
            f"{getattr(tool, 'name', tool)} is no FunctionTool: nothing could be asked before it is executed"
        )
    raising = _that_raises(tool)
    guarded = copy.copy(tool)

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        # The context distinguishes tools of one name in two namespaces.
        name = getattr(context, "qualified_tool_name", None) or tool.name
        qualified = None if name == tool.name else name
        call = ToolCall(tool.name, _parsed(arguments), context.tool_call_id, qualified_tool_name=qualified)
        try:
            if checked is None:
                return await guard.execute_async(countersign, call, lambda: raising.on_invoke_tool(context, arguments))
            return await _executed(await checked.begin(context.usage, call), raising, context, arguments)
        except NotExecutedError as denied:
            return str(denied)
        except Exception as error:
            said = await maybe_invoke_function_tool_failure_error_function(
                function_tool=guarded, context=context, error=error
            )
            if said is None:
                raise
            return said

    guarded.on_invoke_tool = invoke
    if checked is not None:
        guarded.needs_approval = _approval_of(tool, checked)
    return guarded


async def _executed(begun: BegunCall, tool: FunctionTool, context: ToolContext[Any], arguments: str) -> Any:
    outcome: Outcome = "failed"
    try:
        value = whole(await tool.on_invoke_tool(context, arguments), awaited=True)
        outcome = "succeeded"
        return value
    finally:
        await begun.end(outcome)


def _approval_of(tool: FunctionTool, checked: CheckedCalls) -> Callable[[Any, Any, str], Awaitable[bool]]:
    """The tool's own need of an approval first; then that of the check."""
    from agents._tool_identity import get_function_tool_trace_name

    own = tool.needs_approval

    async def needs_approval(context: Any, arguments: Any, call_id: str) -> bool:
        needs_own: Any = own(context, arguments, call_id) if callable(own) else own
        if inspect.isawaitable(needs_own):
            needs_own = await needs_own
        name = get_function_tool_trace_name(tool) or tool.name
        qualified = None if name == tool.name else name
        call = ToolCall(tool.name, arguments, call_id, qualified_tool_name=qualified)
        return bool(needs_own) or await checked.is_pending(context.usage, call)

    return needs_approval


def _that_raises(tool: FunctionTool) -> FunctionTool:
    """A copy of the tool that raises errors instead of returning them, so that a failed execution is recognized."""
    raising = copy.copy(tool)
    for name in ("_failure_error_function", "_use_default_failure_error_function"):
        if not hasattr(raising, name):
            raise TypeError(f"this version of openai-agents is not known: its tools have no {name}")
    raising._failure_error_function = None
    raising._use_default_failure_error_function = False
    return raising


def _parsed(arguments: str) -> Any:
    """Parses arguments as the tool does; text that is not JSON, which the tool refuses, is returned unchanged."""
    if not arguments:
        return None
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
