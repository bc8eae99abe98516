"""Agents of Strands, with the real framework and a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.strands import guard_plugin

pytest.importorskip("strands")

from played_strands import Playing
from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent

Call = Tuple[str, Dict[str, Any]]
done: List[str] = []


@tool
def order(amount: float) -> str:
    """Orders."""
    done.append("order")
    return f"ordered for {amount}"


@tool
async def order_later(amount: float) -> str:
    """Orders, asynchronously."""
    done.append("order_later")
    return "ordered later"


@tool
def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


@tool
def fail(why: str) -> str:
    """Fails."""
    done.append("fail")
    raise RuntimeError(why)


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


def agent_of(calls: Sequence[Call], read: Dict[str, str], plugin: Any, name: str = "clerk", **more: Any) -> Agent:
    tools = more.pop("tools", [order, order_later, wire, fail])
    return Agent(Playing(calls, read), tools=tools, plugins=[plugin], name=name, callback_handler=None, **more)


def play(client: Any, agent: Agent) -> None:
    """Runs the agent once, and closes the client."""

    async def run() -> None:
        try:
            await agent.invoke_async("Buy.")
        finally:
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    asyncio.run(run())


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_what_is_allowed_is_executed_and_the_model_reads_why_not(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, str] = {}
    calls: List[Call] = [("order", {"amount": 1}), ("wire", {"amount": 3}), ("order_later", {"amount": 2})]
    client = kind("key", AGENT, played.address)
    play(client, agent_of([*calls, ("fail", {"why": "no luck"})], read, guard_plugin(client)))
    assert read["order"] == "ordered for 1.0"
    assert read["order_later"] == "ordered later"
    assert "Not executed: this call of wire was denied. Off_limits_actions: use orders.create." in read["wire"]
    assert "no luck" in read["fail"]
    assert sorted(done) == ["fail", "order", "order_later"]
    assert played.reported() == {"order": ["succeeded"], "order_later": ["succeeded"], "fail": ["failed"]}
    (checked,) = [one for one in played.checks if one["toolName"] == "order"]
    assert checked["payload"] == {"amount": 1}
    assert checked["metadata"] == {"agent": "clerk", "toolCallId": "order"}


def test_a_tool_that_is_called_directly_is_checked_too(played: PlayedService) -> None:
    played.denied["wire"] = DENIED
    with Countersign("key", AGENT, played.address) as client:
        agent = agent_of([], {}, guard_plugin(client))
        assert agent.tool.order(amount=1)["status"] == "success"
        denied = agent.tool.wire(amount=1)
    assert (denied["status"], done) == ("error", ["order"])
    assert "Not executed" in denied["content"][0]["text"]


def test_a_call_that_a_hook_repeats_is_checked_each_time(played: PlayedService) -> None:
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, played.address)
    agent = agent_of([("fail", {"why": "busy"})], read, guard_plugin(client))

    def again(event: AfterToolCallEvent[Any]) -> None:
        event.retry = len(done) < 2

    agent.add_hook(again, AfterToolCallEvent)
    play(client, agent)
    assert done == ["fail", "fail"]
    assert played.reported() == {"fail": ["failed", "failed"]}


def test_the_tool_that_a_hook_selects_is_the_one_that_is_checked(played: PlayedService) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, played.address)
    agent = agent_of([("order", {"amount": 3})], read, guard_plugin(client))

    def select(event: BeforeToolCallEvent[Any]) -> None:
        event.selected_tool = wire

    agent.add_hook(select, BeforeToolCallEvent)
    play(client, agent)
    assert done == []
    assert "Not executed: this call of wire was denied." in read["order"]
    (checked,) = played.checks
    assert checked["metadata"] == {"agent": "clerk", "askedTool": "order", "toolCallId": "order"}


def test_nothing_is_executed_while_the_service_is_gone() -> None:
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0)
    play(client, agent_of([("wire", {"amount": 1})], read, guard_plugin(client)))
    assert "was not decided, so nothing was done" in read["wire"]
    assert done == []


def test_nothing_is_executed_where_the_client_raises(played: PlayedService) -> None:
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0, fail_mode="throw")
    play(client, agent_of([("wire", {"amount": 1})], read, guard_plugin(client)))
    assert (done, "Error" in read["wire"]) == ([], True)


def test_the_tools_of_a_sub_agent_are_checked_as_calls_of_that_agent(played: PlayedService) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, played.address)
    calls: List[Call] = [("wire", {"amount": 900}), ("order", {"amount": 1})]
    payer = agent_of(calls, read, guard_plugin(client, agent_id=lambda _: "payer-id"), name="payer")
    clerk = agent_of([("payer", {"input": "pay"})], read, guard_plugin(client), tools=[payer.as_tool()])
    play(client, clerk)
    assert "done" in read["payer"]
    assert "Not executed" in read["wire"]
    assert done == ["order"]
    acting = {one["toolName"]: (one["metadata"]["agent"], played.agents[n]) for n, one in enumerate(played.checks)}
    assert acting == {"payer": ("clerk", AGENT), "wire": ("payer", "payer-id"), "order": ("payer", "payer-id")}
    assert played.reported() == {"order": ["succeeded"], "payer": ["succeeded"]}
