"""Tools of the OpenAI Agents SDK that are grouped in namespaces."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional

import pytest
from played_service import AGENT, PlayedService
from service import Service

from countersign import Countersign
from countersign.adapters.openai_agents import ToolCall, guard_tools

pytest.importorskip("agents")

from agents import FunctionTool, function_tool, tool_namespace
from agents.tool_context import ToolContext


@function_tool
def delete(number: int) -> str:
    """Deletes one."""
    return f"deleted {number}"


def called(tool: FunctionTool, namespace: Optional[str]) -> Any:
    arguments = '{"number":7}'
    context: ToolContext[Any] = ToolContext(
        context=None, tool_name=tool.name, tool_call_id="c", tool_arguments=arguments, tool_namespace=namespace
    )
    return asyncio.run(_called(tool, context, arguments))


async def _called(tool: FunctionTool, context: ToolContext[Any], arguments: str) -> Any:
    return await tool.on_invoke_tool(context, arguments)


def in_namespace(tool: FunctionTool, name: str) -> FunctionTool:
    return tool_namespace(name=name, description="…", tools=[tool])[0]


@pytest.mark.parametrize("guarded_first", [True, False])
def test_a_tool_is_asked_about_by_both_names(played: PlayedService, guarded_first: bool) -> None:
    seen: List[ToolCall] = []

    def action(call: ToolCall) -> Dict[str, Any]:
        seen.append(call)
        return {}

    with Countersign("key", AGENT, played.address) as client:

        def guarded(namespace: str) -> FunctionTool:
            if guarded_first:
                return in_namespace(guard_tools(client, [delete], action=action)[0], namespace)
            return guard_tools(client, [in_namespace(delete, namespace)], action=action)[0]

        assert called(guarded("crm"), "crm") == "deleted 7"
        assert called(guarded("billing"), "billing") == "deleted 7"
        assert called(guard_tools(client, [delete])[0], None) == "deleted 7"
    asked = [(one["toolName"], one.get("tool_name")) for one in played.checks]
    assert asked == [("delete", "crm.delete"), ("delete", "billing.delete"), ("delete", None)]
    assert [(one.tool_name, one.qualified_tool_name) for one in seen] == [
        ("delete", "crm.delete"),
        ("delete", "billing.delete"),
    ]


@pytest.mark.parametrize(
    ("profile", "allowed"),
    [
        ({"off_limits_actions": ["delete"]}, False),
        ({"off_limits_actions": ["crm.delete"]}, False),
        ({"off_limits_actions": ["billing.delete"]}, True),
        ({"blocked_apis": ["delete"]}, False),
        ({"allowed_actions": ["delete"]}, False),
        ({"allowed_actions": ["delete", "crm.delete"]}, True),
    ],
    ids=str,
)
def test_rules_on_either_name_hold(service: Service, profile: Dict[str, Any], allowed: bool) -> None:
    actions: List[Any] = []
    agent_id = service.new_agent(profile)
    with Countersign(
        service.api_key, agent_id, service.address, on_denied=lambda _, action: actions.append(action)
    ) as client:
        said = str(called(guard_tools(client, [in_namespace(delete, "crm")])[0], "crm"))
    assert said.startswith("deleted 7" if allowed else "Not executed: this call of crm.delete was denied.")
    names = [(action["tool_name"], action["qualified_tool_name"]) for action in actions]
    assert names == ([] if allowed else [("delete", "crm.delete")])
