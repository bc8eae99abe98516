"""The hosted server of the tool protocol at ``/mcp``, with the protocol's official client."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, Dict

import pytest
from service import Service

pytest.importorskip("mcp")

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

PROFILE: Dict[str, Any] = {
    "off_limits_actions": ["wire"],
    "output_rules": {"blocked_pii": ["email"], "block_secrets": False, "blocked_topics": [], "max_length": None},
}


@asynccontextmanager
async def connected(service: Service, key: str, mode: str = "legacy") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        transport = streamable_http_client(f"{service.address}/mcp", http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=30) as client:
            yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_it_introduces_itself_and_lists_its_tools(service: Service, mode: str) -> None:
    async def run() -> None:
        async with connected(service, service.api_key, mode) as client:
            assert client.server_info is not None
            assert client.server_info.name == "countersign"
            assert "check_action" in (client.instructions or "")
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["register_agent", "check_action", "log_action", "scan_output"]
        for tool in tools.values():
            assert tool.description
            assert tool.input_schema["type"] == "object"
        hints = [tool.annotations.read_only_hint for tool in tools.values() if tool.annotations is not None]
        assert hints == [False, False, False, True]

    asyncio.run(run())


def test_its_tools_do_what_their_routes_do(service: Service) -> None:
    async def run() -> None:
        async with connected(service, service.api_key) as client:

            async def result_of(tool: str, **arguments: Any) -> Any:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result
                (content,) = result.content
                assert isinstance(content, TextContent)
                assert json.loads(content.text) == result.structured_content
                return result.structured_content

            made = await result_of("register_agent", name="made by a model")
            assert (made["name"], made["status"]) == ("made by a model", "active")
            agent_id = service.new_agent(PROFILE)
            allowed = await result_of("check_action", agentId=agent_id, action={"type": "pay"})
            assert allowed["allowed"] is True
            logged = await result_of("log_action", agentId=agent_id, eventId=allowed["eventId"], outcome="succeeded")
            assert logged["eventId"] != allowed["eventId"]
            denied = await result_of("check_action", agentId=agent_id, action={"type": "wire"})
            assert (denied["allowed"], denied["violation_type"]) == (False, "off_limits_action")
            assert denied["reason"]
            scanned = await result_of("scan_output", agentId=agent_id, text="write to someone@shop.example")
            assert (scanned["allowed"], scanned["category"]) == (False, "pii")
            again = await client.call_tool(
                "log_action", {"agentId": agent_id, "eventId": allowed["eventId"], "outcome": "failed"}
            )
            assert again.is_error

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_wrong_key_is_an_error_at_once(service: Service, mode: str) -> None:
    async def run() -> None:
        async with connected(service, "csn_live_0000000000000000000000000000000000000000", mode):
            pytest.fail("it was accepted")

    with pytest.raises(Exception) as caught:  # noqa: PT011 - the client's task groups wrap it
        asyncio.run(asyncio.wait_for(run(), 60))
    assert isinstance(innermost(caught.value), MCPError)


def innermost(error: BaseException) -> BaseException:
    wrapped = getattr(error, "exceptions", None)
    return error if wrapped is None else innermost(wrapped[0])
