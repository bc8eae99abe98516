"""Tools of LangChain and LangGraph (``langchain-core``), checked before they are executed.

.. code-block:: python

    tools = guard_tools(countersign, [create_order, send_mail])
    agent = create_agent(model, tools)  # or ToolNode(tools), or tool.invoke(call)
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from types import MethodType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..client import Countersign
from .interrupt import Interrupt, PendingApproval, interruptible, interruptible_async
from .langchain_arguments import Arguments
from .tool_call import AnyCountersign, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = ["PendingApproval", "ToolCall", "guard_tools"]

_tool_call_id: ContextVar[Optional[str]] = ContextVar("countersign_tool_call_id", default=None)


def guard_tools(
    countersign: AnyCountersign,
    tools: Sequence[BaseTool],
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    interrupt: Optional[Interrupt] = None,
) -> List[BaseTool]:
    """The same tools, each checked before it is executed, for agents, ``ToolNode``, ``invoke`` and ``ainvoke``.

    A tool's input is parsed first: only the arguments of the execution are checked, and all of them, also those
    that a caller injects (``InjectedToolArg``). Injected iterators, bytes that are not text and cycles are
    sent as the name of their type; a tool is not executed if a model's input has some, unless ``action`` provides the
    payload. Arguments that the framework injects, such as a graph's state, are not sent: their names
    are in the metadata as ``notSent``, their values in ``ToolCall.injected``.

    A call that is not allowed gives a ``ToolMessage`` with ``status="error"``, or a text if the tool was called
    without a tool call: the reason and advice. An exception in a tool is reported as failed, and then handled as
    before. With a ``Countersign``, asynchronous tools wait for it in a thread; an ``AsyncCountersign`` is only for
    asynchronous tools.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param interrupt: ``langgraph.types.interrupt``, to interrupt the graph where a person has to approve a call. Its
        value is a :class:`countersign.adapters.interrupt.PendingApproval`. A resumed call is checked again, and
        executed only if it is allowed then: the value of ``Command(resume=…)`` decides nothing. Needs a checkpointer.
    :raises TypeError: a tool is not a ``BaseTool``, so it cannot be checked first
    """
    guard = ToolGuard(action, agent_id, idempotency_key)
    return [_guarded(countersign, tool, guard, interrupt) for tool in tools]


def _guarded(countersign: AnyCountersign, tool: BaseTool, guard: ToolGuard, interrupt: Optional[Interrupt]) -> BaseTool:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool, Tool

    if not isinstance(tool, BaseTool):
        raise TypeError(f"{tool!r} is no BaseTool: make it one, as with @tool, before it is guarded")
    kind, execute, execute_async = type(tool), tool._run, tool._arun
    guarded = tool.model_copy()
    arguments = Arguments.of(tool)

    def call_of(positional: Tuple[Any, ...], named: Dict[str, Any]) -> ToolCall:
        given = arguments.sent(positional, named)
        metadata = {"notSent": arguments.not_sent} if arguments.not_sent else {}
        return ToolCall(tool.name, given, _tool_call_id.get(), metadata, arguments.injected(named))

    @wraps(execute)
    def _run(*positional: Any, **named: Any) -> Any:
        if not isinstance(countersign, Countersign):
            raise TypeError(f"{tool.name} is guarded by a client that awaits: await it, or guard it by a Countersign")
        call = call_of(positional, named)

        def attempt(wait: Optional[float]) -> Any:
            return guard.execute(countersign, call, lambda: execute(*positional, **named), wait)

        return interruptible(interrupt, call, attempt)

    @wraps(execute_async)
    async def _arun(*positional: Any, **named: Any) -> Any:
        call = call_of(positional, named)

        async def attempt(wait: Optional[float]) -> Any:
            return await guard.execute_async(countersign, call, lambda: execute_async(*positional, **named), wait)

        return await interruptible_async(interrupt, call, attempt)

    def output_of(denied: NotExecutedError, tool_call_id: Optional[str]) -> Any:
        if tool_call_id is None:
            return str(denied)
        return ToolMessage(str(denied), tool_call_id=tool_call_id, name=tool.name, status="error")

    def run(tool_input: Any, *rest: Any, tool_call_id: Optional[str] = None, **named: Any) -> Any:
        token = _tool_call_id.set(tool_call_id)
        try:
            return kind.run(guarded, tool_input, *rest, tool_call_id=tool_call_id, **named)
        except NotExecutedError as denied:
            return output_of(denied, tool_call_id)
        finally:
            _tool_call_id.reset(token)

    async def arun(tool_input: Any, *rest: Any, tool_call_id: Optional[str] = None, **named: Any) -> Any:
        token = _tool_call_id.set(tool_call_id)
        try:
            return await kind.arun(guarded, tool_input, *rest, tool_call_id=tool_call_id, **named)
        except NotExecutedError as denied:
            return output_of(denied, tool_call_id)
        finally:
            _tool_call_id.reset(token)

    methods: Dict[str, Any] = {"_run": _run, "_arun": _arun, "run": run, "arun": arun}
    if not isinstance(countersign, Countersign) and isinstance(tool, (StructuredTool, Tool)):
        # The inherited one would call a tool without a coroutine by `invoke` in a thread, where nothing can be awaited.
        methods["ainvoke"] = MethodType(BaseTool.ainvoke, guarded)
    for name, method in methods.items():
        object.__setattr__(guarded, name, method)
    return guarded
