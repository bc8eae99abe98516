"""Agents of Pydantic AI, with the real framework and a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.pydantic_ai import guard_capability

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import Tool
from pydantic_ai.toolsets import FunctionToolset

Call = Tuple[str, Dict[str, Any]]
done: List[str] = []


class Item(BaseModel):
    sku: str
    count: int


def order(amount: float, item: Item) -> str:
    """Orders."""
    done.append("order")
    return f"ordered {item.count} for {amount}"


async def order_later(amount: float) -> str:
    """Orders, asynchronously."""
    await asyncio.sleep(0)
    done.append("order_later")
    return "ordered later"


def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


def ask_again(amount: float) -> str:
    """Wants other arguments."""
    raise ModelRetry("another amount")


def fail(why: str) -> str:
    """Fails."""
    raise RuntimeError(why)


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


def playing(calls: Sequence[Call], read: Dict[str, Any]) -> FunctionModel:
    """A model that makes these calls at once, and ends when it has their results, which go to ``read``."""

    def respond(messages: List[ModelMessage], _: AgentInfo) -> ModelResponse:
        results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if results:
            read.update({part.tool_name: part.content for part in results})
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, given, tool_call_id=name) for name, given in calls])

    return FunctionModel(respond)


def play(client: Any, calls: Sequence[Call], **more: Any) -> Dict[str, Any]:
    """The results of the calls, as the model reads them."""
    read: Dict[str, Any] = {}

    async def run() -> None:
        agent = Agent(
            playing(calls, read),
            name="clerk",
            tools=[order, wire, ask_again, fail],
            capabilities=[guard_capability(client)],
        )
        try:
            await agent.run("Buy.", **more)
        finally:
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    asyncio.run(run())
    return read


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_what_is_allowed_is_executed_and_the_model_reads_why_not(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    calls: List[Call] = [("order", {"amount": 1, "item": {"sku": "a", "count": 2}}), ("wire", {"amount": 3})]
    read = play(kind("key", AGENT, played.address), [*calls, ("ask_again", {"amount": 0})])
    assert read["order"] == "ordered 2 for 1.0"
    assert "Not executed: this call of wire was denied. Off_limits_actions: use orders.create." in str(read["wire"])
    assert "another amount" in str(read["ask_again"])
    assert done == ["order"]
    assert played.reported() == {"order": ["succeeded"], "ask_again": ["failed"]}
    (checked,) = [one for one in played.checks if one["toolName"] == "order"]
    assert checked["payload"] == {"amount": 1.0, "item": {"sku": "a", "count": 2}}
    assert checked["metadata"]["toolCallId"] == "order"
    assert checked["metadata"]["agent"] == "clerk"


def test_toolsets_of_a_run_are_checked_too(played: PlayedService) -> None:
    played.denied["order_later"] = DENIED
    client = AsyncCountersign("key", AGENT, played.address)
    read = play(client, [("order_later", {"amount": 1})], toolsets=[FunctionToolset([order_later])])
    assert str(read["order_later"]).count("Not executed") == 1
    assert done == []


def test_a_tool_that_raises_is_reported_as_failed_and_raises(played: PlayedService) -> None:
    with pytest.raises(RuntimeError, match="no luck"):
        play(AsyncCountersign("key", AGENT, played.address), [("fail", {"why": "no luck"})])
    assert played.reported() == {"fail": ["failed"]}


def test_nothing_is_executed_while_the_service_is_gone() -> None:
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0)
    read = play(client, [("wire", {"amount": 1})])
    assert "was not decided, so nothing was done" in str(read["wire"])
    assert done == []


def test_the_tools_of_a_sub_agent_are_checked_as_calls_of_that_agent(played: PlayedService) -> None:
    """A parent that may only delegate: what its sub-agent does is checked under the record of the sub-agent."""
    played.denied["wire"] = DENIED
    read: Dict[str, Any] = {}

    async def run() -> None:
        async with AsyncCountersign("key", AGENT, played.address) as client:
            payer = Agent(
                playing([("wire", {"amount": 900}), ("order_later", {"amount": 1})], read),
                name="payer",
                tools=[wire, order_later],
                capabilities=[guard_capability(client, agent_id=lambda _: "payer-id")],
            )

            async def delegate(task: str) -> str:
                """Gives a task to the payer."""
                return (await payer.run(task)).output

            clerk = Agent(
                playing([("delegate", {"task": "pay"})], read),
                name="clerk",
                tools=[delegate],
                capabilities=[guard_capability(client)],
            )
            await clerk.run("Pay.")

    asyncio.run(run())
    assert read["delegate"] == "done"
    assert done == ["order_later"]
    acting = {one["toolName"]: one["metadata"]["agent"] for one in played.checks}
    assert acting == {"delegate": "clerk", "wire": "payer", "order_later": "payer"}
    assert [played.agents[n] for n, one in enumerate(played.checks) if one["toolName"] == "wire"] == ["payer-id"]
    assert played.reported() == {"order_later": ["succeeded"], "delegate": ["succeeded"]}


def test_a_call_that_waits_for_an_approval_of_the_framework_is_checked_when_it_is_made(played: PlayedService) -> None:
    client = AsyncCountersign("key", AGENT, played.address)
    read: Dict[str, Any] = {}

    async def run() -> None:
        async with client:
            agent = Agent(
                playing([("wire", {"amount": 1})], read),
                output_type=[str, DeferredToolRequests],
                tools=[Tool(wire, requires_approval=True)],
                capabilities=[guard_capability(client)],
            )
            waiting = await agent.run("Pay.")
            assert played.checks == []
            assert isinstance(waiting.output, DeferredToolRequests)
            approved = waiting.output.build_results(approve_all=True)
            await agent.run(message_history=waiting.all_messages(), deferred_tool_results=approved)

    asyncio.run(run())
    assert (read["wire"], done) == ("sent", ["wire"])
    assert played.reported() == {"wire": ["succeeded"]}
