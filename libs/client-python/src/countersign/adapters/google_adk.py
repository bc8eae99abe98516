"""Agents of Google's Agent Development Kit (``google-adk``), whose tool calls are checked before they are executed.

.. code-block:: python

    app = App(name="shop", root_agent=agent, plugins=[guard_plugin(countersign)])
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple

from ..options import Outcome
from .argument_forms import form_of_given
from .interrupt import RESUMED_WAIT, PendingApproval, pending_of
from .tool_call import AnyCountersign, BegunCall, NotExecutedError, ToolCall, ToolGuard

if TYPE_CHECKING:
    from google.adk.plugins.base_plugin import BasePlugin

__all__ = ["PendingApproval", "ToolCall", "guard_plugin"]

#: Calls without a reported outcome: the framework may end a run without a callback, so the oldest are dropped.
_PENDING = 10_000
_NO_OTHER_TRY = "Another try will not change that: say so to the user."
_ASKS_ITSELF = "It cannot wait for that approval here, since the tool asks for a confirmation of its own."


def guard_plugin(
    countersign: AnyCountersign,
    *,
    action: Optional[Callable[[ToolCall], Mapping[str, Any]]] = None,
    agent_id: Optional[Callable[[ToolCall], Optional[str]]] = None,
    idempotency_key: Optional[Callable[[ToolCall], Optional[str]]] = None,
    interrupt: bool = False,
) -> BasePlugin:
    """A plugin of an app that checks each tool call of all its agents: the root, its sub-agents, and agents that are
    tools (``AgentTool``, which takes over the plugins of its parent unless ``include_plugins=False``).

    A call that is not allowed has the result ``{"error": …}``: the model reads the reason and advice. A tool that
    raises or is cancelled is reported as failed, then handled as before. One that waits for a confirmation of the
    framework is reported as skipped, and checked again once it is confirmed. One whose confirmation is answered by
    ``{"confirmed": False}`` is not executed, nor checked. A long-running tool is reported when it is started.

    The name of the agent and the id of the invocation are in the metadata as ``agent`` and ``invocationId``:
    ``agent_id`` may give each agent a record of its own. The transfer to a sub-agent is a call of the tool
    ``transfer_to_agent``, and checked as well.

    A ``before_tool_callback`` of an agent runs after the plugin: one that changes the arguments changes what was
    checked, and one that answers the call itself leaves a tool that never ran reported as succeeded. Put the plugin
    last, so that no other plugin changes a call that was checked. A plugin before it that handles the error of a tool
    (``ReflectAndRetryToolPlugin``) hides it: the call is then reported as succeeded; and one that replaces the result
    of a tool leaves the call without an outcome. Verdicts are not affected. Not checked here: tools that the model's
    provider executes. Live (bidirectional) runs were not tried.

    :param action, agent_id, idempotency_key: as :class:`countersign.adapters.tool_call.ToolGuard`
    :param interrupt: a call that a person has to approve requests a confirmation (``adk_request_confirmation``), whose
        ``payload`` is a :class:`countersign.adapters.interrupt.PendingApproval`. A confirmed call is checked again, and
        executed only if it is allowed then, and otherwise denied. A tool with ``require_confirmation`` is denied
        instead, since one answer would be that to both questions; one that requests a confirmation in its own code
        cannot be recognized, and would take this answer for its own. The metadata of actions have no
        ``invocationId`` then, since that of a resumed call is another.
    """
    from google.adk.plugins.base_plugin import BasePlugin

    guard = ToolGuard(action, agent_id, idempotency_key)
    pending: OrderedDict[Tuple[Any, Any], BegunCall] = OrderedDict()

    async def end(context: Any, outcome: Outcome) -> None:
        begun = pending.pop(_key_of(context), None)
        if begun is not None:
            await begun.end(outcome)

    class Guard(BasePlugin):
        async def before_tool_callback(
            self, *, tool: Any, tool_args: Dict[str, Any], tool_context: Any
        ) -> Optional[Dict[str, Any]]:
            answer = tool_context.tool_confirmation
            if answer is not None and not answer.confirmed:
                return {"error": f"Not executed: this call of {tool.name} was not confirmed. {_NO_OTHER_TRY}"}
            call = _call_of(tool.name, tool_args, tool_context, names_run=not interrupt)
            # The framework asks once: a call that was confirmed without a decision is denied.
            is_resumed = interrupt and answer is not None
            wait = RESUMED_WAIT if is_resumed else None
            try:
                begun = await guard.begin_async(countersign, call, wait)
            except NotExecutedError as denied:
                waits = pending_of(call, denied) if interrupt and not is_resumed else None
                if waits is not None and await tool.check_require_confirmation(tool_args, tool_context):
                    # Its answer would also be that to the tool's own question, which would never have been asked.
                    return {"error": f"{denied} {_ASKS_ITSELF}"}
                if waits is not None:
                    tool_context.request_confirmation(hint=waits.get("reason"), payload=dict(waits))
                    tool_context.actions.skip_summarization = True
                return {"error": str(denied)}
            pending[_key_of(tool_context)] = begun
            while len(pending) > _PENDING:
                pending.popitem(last=False)
            return None

        async def after_tool_callback(
            self, *, tool: Any, tool_args: Dict[str, Any], tool_context: Any, result: Any
        ) -> Optional[Dict[str, Any]]:
            waits = tool_context.function_call_id in tool_context.actions.requested_tool_confirmations
            await end(tool_context, "skipped" if waits else "succeeded")
            return None

        async def on_tool_error_callback(
            self, *, tool: Any, tool_args: Dict[str, Any], tool_context: Any, error: Any
        ) -> Optional[Dict[str, Any]]:
            await end(tool_context, "failed")
            return None

    return Guard(name="countersign")


def _call_of(name: str, tool_args: Mapping[str, Any], context: Any, *, names_run: bool) -> ToolCall:
    run = {"invocationId": context.invocation_id} if names_run else {}
    metadata = {"agent": context.agent_name, **run}
    return ToolCall(name, form_of_given(dict(tool_args)), context.function_call_id, metadata)


def _key_of(context: Any) -> Tuple[Any, Any]:
    return context.invocation_id, context.function_call_id
