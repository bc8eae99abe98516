"""Tools of the OpenAI Agents SDK (``openai-agents``), checked before they are executed.

.. code-block:: python

    agent = Agent(name="clerk", tools=guard_tools(countersign, [create_order, send_mail]))
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence

from .tool_call import AnyCountersign, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from agents import FunctionTool
    from agents.tool_context import ToolContext

__all__ = ["ToolCall", "guard_tools"]


def guard_tools(
    countersign: AnyCountersign,
    tools: Sequence[FunctionTool],
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
) -> List[FunctionTool]:
    """The same tools, each checked before it is executed. They keep their schemas, guardrails, approvals and time-outs.

    A call that is not allowed gives the model a text as the tool's output: the reason and advice. A tool
    that fails is reported as failed, and then handled by its ``failure_error_function``. A tool's time-out includes
    the check. A tool of a namespace is checked by its name and by ``namespace.name``: a rule against either
    forbids it, and lists of allowed names need both.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :raises TypeError: a tool is not executed here, such as one of the model's provider, so that it
        cannot be checked first; or the version of the SDK is not known
    """
    guard = ToolGuard(action, agent_id, idempotency_key)
    return [_guarded(countersign, tool, guard) for tool in tools]


def _guarded(countersign: AnyCountersign, tool: FunctionTool, guard: ToolGuard) -> FunctionTool:
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
            return await guard.execute_async(countersign, call, lambda: raising.on_invoke_tool(context, arguments))
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
    return guarded


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
