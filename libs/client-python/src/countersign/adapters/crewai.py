"""Crews of CrewAI (``crewai``), whose tool calls are checked before they are executed.

.. code-block:: python

    with guard_hooks(countersign):
        crew.kickoff()
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional

from ..client import Countersign
from ..options import Outcome
from .argument_forms import form_of_given
from .tool_call import NotExecutedError, ToolCall, ToolGuard, denial_message

if TYPE_CHECKING:
    from crewai.hooks import ToolCallHookContext

__all__ = ["ToolCall", "guard_hooks"]

#: Calls that have begun and not ended: the oldest are dropped.
_PENDING = 10_000
#: Beginnings of results that the framework writes itself, for calls that raised and calls that were not executed.
_FAILED = ("Error executing tool: ", "\nI encountered an error while trying to use the tool.")
_SKIPPED = ("Tool execution blocked by hook.",)


class _Begun(NamedTuple):
    #: Keeps the arguments, by whose identity the call is found again.
    arguments: Any
    #: Text for the model; ``None``: the call is allowed.
    denial: Optional[str]
    event_id: Optional[str] = None
    agent_id: Optional[str] = None


def guard_hooks(
    countersign: Countersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
) -> ExitStack:
    """Hooks that check each tool call of all agents in this process: functions, those of MCP servers, delegation to
    coworkers (``delegate_work_to_coworker``) and the tools of those coworkers.

    A call that is not allowed is blocked, and the model reads the reason and advice instead of a result. So is one
    that could not be checked for any reason. A tool that raises is reported as failed; a result from the cache of the
    framework is reported as succeeded. Where the framework repeats a call that raised, without asking the model, the
    repetitions belong to the one check.

    The name of a tool is that which the model sees, such as ``create_order``; the role of the agent is in the metadata
    as ``agent``: ``agent_id`` may give each agent a record of its own. Register these hooks last: one that is
    registered after them could change the arguments of a call that was checked.

    Not checked here: tools that the model's provider executes, ``available_functions`` of ``LLM.call``, and agents of
    other frameworks in a crew, which have adapters of their own. The framework cannot interrupt a call until a person
    has approved it: let the client wait, with ``wait_for_approval``.

    :param countersign: a synchronous client, since the hooks of the framework are synchronous
    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :returns: what removes the hooks: use it in a ``with`` statement, or call its ``close()``
    :raises TypeError: the client is asynchronous
    """
    from crewai.hooks.dispatch import HookAborted, InterceptionPoint, register, unregister

    if not isinstance(countersign, Countersign):
        raise TypeError("countersign: a synchronous client, since the hooks of CrewAI are synchronous")
    guard = ToolGuard(action, agent_id, idempotency_key)
    pending: OrderedDict[int, _Begun] = OrderedDict()
    lock = threading.Lock()

    def checked(context: ToolCallHookContext) -> _Begun:
        call = _call_of(context)
        options = guard.call_options_of(call)
        result = countersign.check(guard.action_of(call), **options)
        denial = None if result.allowed else denial_message(call, result)
        return _Begun(context.tool_input, denial, result.event_id, options["agent_id"])

    def before(context: ToolCallHookContext) -> None:
        # The framework executes a call whose hook raises anything else than HookAborted.
        try:
            begun = checked(context)
        except NotExecutedError as error:
            begun = _Begun(context.tool_input, str(error))
        except Exception as error:
            begun = _Begun(context.tool_input, f"Not executed: this call could not be checked. {error}")
        with lock:
            pending[id(context.tool_input)] = begun
            while len(pending) > _PENDING:
                pending.popitem(last=False)
        if begun.denial is not None:
            raise HookAborted(begun.denial, "countersign")

    def after(context: ToolCallHookContext) -> Optional[str]:
        with lock:
            begun = pending.pop(id(context.tool_input), None)
        if begun is None:
            return None
        if begun.denial is not None:
            return begun.denial
        countersign._report_of(begun.event_id, _outcome_of(context), begun.agent_id)
        return None

    hooks = ExitStack()
    for point, hook in ((InterceptionPoint.PRE_TOOL_CALL, before), (InterceptionPoint.POST_TOOL_CALL, after)):
        register(point, hook)
        hooks.callback(unregister, point, hook)
    return hooks


def _call_of(context: ToolCallHookContext) -> ToolCall:
    role = getattr(context.agent, "role", None)
    metadata = {} if role is None else {"agent": str(role).strip()}
    return ToolCall(context.tool_name, form_of_given(dict(context.tool_input)), None, metadata)


def _outcome_of(context: ToolCallHookContext) -> Outcome:
    from crewai.tools.tool_failure import detect_tool_failure

    raw = context.raw_tool_result
    if detect_tool_failure(raw) is not None:
        return "failed"
    if not isinstance(raw, str) or raw != context.tool_result:
        return "succeeded"
    if raw.startswith(_SKIPPED):
        return "skipped"
    return "failed" if raw.startswith(_FAILED) else "succeeded"
