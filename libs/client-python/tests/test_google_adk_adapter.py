"""Agents of Google's Agent Development Kit, with the real framework and a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Dict, List, Sequence, Tuple

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.google_adk import guard_plugin

pytest.importorskip("google.adk")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

Call = Tuple[str, Dict[str, Any]]
done: List[str] = []


def order(amount: float) -> str:
    """Orders."""
    done.append("order")
    return f"ordered for {amount}"


async def order_later(amount: float) -> Dict[str, Any]:
    """Orders, asynchronously."""
    done.append("order_later")
    return {"ordered": amount}


def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


def fail(why: str) -> str:
    """Fails."""
    done.append("fail")
    raise RuntimeError(why)


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


class Playing(BaseLlm):
    """A model that makes these calls at once, and ends when it has their results, which go to ``read``."""

    model: str = "playing"
    calls: List[Any]
    read: Dict[str, Any]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[Any]:
        results = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
        self.read.update({one.name: one.response for one in results})
        parts = [types.Part(text="done")]
        if not results:
            parts = [types.Part(function_call=types.FunctionCall(name=n, args=given)) for n, given in self.calls]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def agent_of(
    calls: Sequence[Call], read: Dict[str, Any], tools: Sequence[Any], name: str = "clerk", **more: Any
) -> Any:
    model = Playing(calls=list(calls), read={})
    model.read = read
    return LlmAgent(name=name, model=model, tools=list(tools), description="pays", **more)


def play(client: Any, agent: Any, **options: Any) -> None:
    """Runs the agent once, and closes the client."""

    async def run() -> None:
        app = App(name="shop", root_agent=agent, plugins=[guard_plugin(client, **options)])
        runner = InMemoryRunner(app=app)
        session = await runner.session_service.create_session(app_name="shop", user_id="ann")
        asked = types.Content(role="user", parts=[types.Part(text="Buy.")])
        try:
            async for _ in runner.run_async(user_id="ann", session_id=session.id, new_message=asked):
                pass
        finally:
            await runner.close()
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    asyncio.run(run())


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_what_is_allowed_is_executed_and_the_model_reads_why_not(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, Any] = {}
    calls: List[Call] = [("order", {"amount": 1}), ("wire", {"amount": 3}), ("order_later", {"amount": 2})]
    play(kind("key", AGENT, played.address), agent_of(calls, read, [order, wire, order_later]))
    assert read["order"]["result"].startswith("ordered for 1")
    assert read["order_later"] == {"ordered": 2}
    assert "Not executed: this call of wire was denied. Off_limits_actions: use orders.create." in read["wire"]["error"]
    assert sorted(done) == ["order", "order_later"]
    assert played.reported() == {"order": ["succeeded"], "order_later": ["succeeded"]}
    (checked,) = [one for one in played.checks if one["toolName"] == "order"]
    assert checked["payload"] == {"amount": 1}
    assert checked["metadata"]["agent"] == "clerk"
    assert checked["metadata"]["toolCallId"]
    assert checked["metadata"]["invocationId"]


def test_a_tool_that_raises_is_reported_as_failed_and_raises(played: PlayedService) -> None:
    with pytest.raises(RuntimeError, match="no luck"):
        play(AsyncCountersign("key", AGENT, played.address), agent_of([("fail", {"why": "no luck"})], {}, [fail]))
    assert (done, played.reported()) == (["fail"], {"fail": ["failed"]})


def test_nothing_is_executed_while_the_service_is_gone() -> None:
    read: Dict[str, Any] = {}
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0)
    play(client, agent_of([("wire", {"amount": 1})], read, [wire]))
    assert "was not decided, so nothing was done" in read["wire"]["error"]
    assert done == []


def test_nothing_is_executed_where_the_client_raises() -> None:
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0, fail_mode="throw")
    with pytest.raises(RuntimeError):
        play(client, agent_of([("wire", {"amount": 1})], {}, [wire]))
    assert done == []


def test_a_call_that_waits_for_a_confirmation_is_reported_as_skipped(played: PlayedService) -> None:
    tool = FunctionTool(wire, require_confirmation=True)
    play(AsyncCountersign("key", AGENT, played.address), agent_of([("wire", {"amount": 1})], {}, [tool]))
    assert (done, played.reported()) == ([], {"wire": ["skipped"]})


# The framework itself uses the argument where an agent is a tool.
@pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning")
@pytest.mark.parametrize("form", ["tool", "transfer"])
def test_the_tools_of_a_sub_agent_are_checked_as_calls_of_that_agent(played: PlayedService, form: str) -> None:
    """One plugin of the runner is enough, for an agent that is a tool and for one that takes over."""
    played.denied["wire"] = DENIED
    read: Dict[str, Any] = {}
    payer = agent_of([("wire", {"amount": 900}), ("order", {"amount": 1})], read, [wire, order], "payer")
    if form == "tool":
        clerk = agent_of([("payer", {"request": "pay"})], read, [AgentTool(payer)])
    else:
        clerk = agent_of([("transfer_to_agent", {"agent_name": "payer"})], read, [], sub_agents=[payer])
    ids = {"payer": "payer-id"}
    client = AsyncCountersign("key", AGENT, played.address)
    play(client, clerk, agent_id=lambda call: ids.get(call.metadata["agent"]))
    assert "Not executed" in read["wire"]["error"]
    assert done == ["order"]
    acting = {one["toolName"]: (one["metadata"]["agent"], played.agents[n]) for n, one in enumerate(played.checks)}
    first = "payer" if form == "tool" else "transfer_to_agent"
    assert acting == {first: ("clerk", AGENT), "wire": ("payer", "payer-id"), "order": ("payer", "payer-id")}
    assert played.reported() == {"order": ["succeeded"], first: ["succeeded"]}
