"""Crews of CrewAI (``crewai``), whose tool calls are checked before they are executed.

.. code-block:: python

    with guard_hooks(countersign):
        crew.kickoff()
"""

from __future__ import annotations

import logging
import re
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
#: Beginnings of results that the framework writes itself, for calls that raised and calls that it did not execute.
#: A tool may return such a text, so it never means ``skipped``: that would refund what the call has spent.
_FAILED = (
    "Error executing tool: ",
    "\nI encountered an error while trying to use the tool.",
    "I tried reusing the same input",
    "Tool execution blocked by hook.",
    "Tool not found",
)
_LIMIT_REACHED = re.compile(r"Tool '[^']*' has reached its (?:maximum )?usage limit")
_NOT_CHECKED = (
    "Not executed: whether this tool may be called could not be checked, so nothing was done. Go on without it, or try "
    "again later."
)
_log = logging.getLogger("countersign")
_registered = threading.Lock()


class _Begun(NamedTuple):
    #: Keeps the arguments, by whose identity the call is found again.
    arguments: Any
    #: As they were checked.
    checked: Any
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
    """Hooks that check each tool call of all crews in this process, also of those that run beside the ``with``
    statement: functions, those of MCP servers, delegation to coworkers (``delegate_work_to_coworker``) and the tools of
    those coworkers. In a process that serves several requests register them once, at its start.

    A call that is not allowed is blocked, and the model reads the reason and advice instead of a result. So is one
    that could not be checked for any reason. A tool that raises, and a call that the framework does not execute after
    the check, are reported as failed; a result from the cache of the framework is reported as succeeded. The framework
    gives a hook nothing but the text of a result: one that begins like an error of the framework is taken for one.
    Where the framework repeats a call that raised, without asking the model, the repetitions belong to the one check.

    The name of a tool is that which the model sees, such as ``create_order``; the role of the agent is in the metadata
    as ``agent``: ``agent_id`` may give each agent a record of its own. Register these hooks after the crews are built,
    and after all others: hooks that are registered later, and those of ``scoped_hooks``, run after the check. If one
    changes the arguments of a call, that is logged as an error of the logger ``countersign``, and the call is executed.
    ``clear_all_tool_call_hooks()`` of the framework removes these hooks as well.

    Not checked here: tools that the model's provider executes, ``available_functions`` of ``LLM.call``, tools as
    actions of a flow, ``tool.run()`` in code of the application, and agents of other frameworks in a crew, which have
    adapters of their own. The framework cannot interrupt a call until a person has approved it: let the client wait,
    with ``wait_for_approval``.

    :param countersign: a synchronous client, since the hooks of the framework are synchronous
    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :returns: what removes the hooks: use it in a ``with`` statement, or call its ``close()``
    :raises TypeError: the client is asynchronous
    :raises RuntimeError: there are such hooks already: each call would be checked by both clients
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
        try:
            result = countersign.check(guard.action_of(call), **options)
        except NotExecutedError as error:
            return _Begun(context.tool_input, call.input, str(error))
        denial = None if result.allowed else denial_message(call, result)
        return _Begun(context.tool_input, call.input, denial, result.event_id, options["agent_id"])

    def keep(begun: _Begun) -> None:
        with lock:
            pending[id(begun.arguments)] = begun
            while len(pending) > _PENDING:
                pending.popitem(last=False)

    def before(context: ToolCallHookContext) -> None:
        # The framework executes a call whose hook raises anything else than HookAborted.
        begun = _Begun(context.tool_input, None, _NOT_CHECKED)
        try:
            begun = checked(context)
        except Exception as error:
            _log.error("a call of %s could not be checked, and is not executed: %s", context.tool_name, type(error))
        keep(begun)
        if begun.denial is not None:
            raise HookAborted(begun.denial, "countersign")

    def after(context: ToolCallHookContext) -> Optional[str]:
        with lock:
            begun = pending.pop(id(context.tool_input), None)
        if begun is None:
            return None
        if begun.denial is not None:
            return begun.denial
        if form_of_given(dict(context.tool_input)) != begun.checked:
            _log.error("the arguments of a call of %s were changed after it was checked", context.tool_name)
        countersign._report_of(begun.event_id, _outcome_of(context), begun.agent_id)
        return None

    if not _registered.acquire(blocking=False):
        raise RuntimeError(
            "guard_hooks: there are such hooks already, for all crews of this process: close those first"
        )
    hooks = ExitStack()
    hooks.callback(_registered.release)
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
    is_failed = isinstance(raw, str) and (raw.startswith(_FAILED) or _LIMIT_REACHED.match(raw) is not None)
    return "failed" if is_failed else "succeeded"
