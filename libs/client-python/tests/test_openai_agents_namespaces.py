"""Tools of the OpenAI Agents SDK that are grouped in namespaces."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import Countersign
from countersign.adapters.openai_agents import guard_tools

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


@pytest.mark.parametrize("guarded_first", [True, False])
def test_a_tool_is_asked_about_with_its_namespace(played: PlayedService, guarded_first: bool) -> None:
    played.denied["crm.delete"] = DENIED
    with Countersign("key", AGENT, played.address) as client:

        def guarded(namespace: str) -> FunctionTool:
            if guarded_first:
                return tool_namespace(name=namespace, description="…", tools=[*guard_tools(client, [delete])])[0]
            return guard_tools(client, tool_namespace(name=namespace, description="…", tools=[delete]))[0]

        assert str(called(guarded("crm"), "crm")).startswith("Not executed: this call of crm.delete was denied.")
        assert called(guarded("billing"), "billing") == "deleted 7"
        assert called(guard_tools(client, [delete])[0], None) == "deleted 7"
    assert [one["toolName"] for one in played.checks] == ["crm.delete", "billing.delete", "delete"]
