"""Agents of Microsoft Agent Framework, with the real framework and a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Dict, List, Sequence, Tuple

import pytest
from played_service import AGENT, DENIED, PlayedService, waiting

from countersign import AsyncCountersign, Countersign
from countersign.adapters import agent_framework as adapter
from countersign.adapters.agent_framework import guard_middleware

pytest.importorskip("agent_framework")

from agent_framework import Agent, FunctionInvocationContext, FunctionMiddleware, Message, MiddlewareTermination, tool
from played_agent_framework import Playing

Call = Tuple[str, Dict[str, Any]]
done: List[str] = []
KINDS = [AsyncCountersign, Countersign]


@tool(approval_mode="never_require")
def order(amount: float) -> str:
    """Orders."""
    done.append("order")
    return f"ordered for {amount}"


@tool(approval_mode="never_require")
async def order_later(amount: float) -> str:
    """Orders, asynchronously."""
    done.append("order_later")
    return "ordered later"


@tool(approval_mode="never_require")
def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


@tool(approval_mode="never_require")
def fail(why: str) -> str:
    """Fails."""
    done.append("fail")
    raise RuntimeError(why)


@tool(approval_mode="always_require")
def refund(usd: float) -> str:
    """Pays back."""
    done.append("refund")
    return "paid"


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done.clear()
    monkeypatch.setattr(adapter, "RESUMED_WAIT", 0.2)


def agent_of(calls: Sequence[Call], read: Dict[str, str], *middleware: Any, **more: Any) -> Agent:
    tools = more.pop("tools", [order, order_later, wire, fail, refund])
    return Agent(Playing(calls, read), tools=tools, middleware=list(middleware), name=more.pop("name", "clerk"))


def play(client: Any, run: Callable[[], Awaitable[Any]]) -> Any:
    """The result of ``run``; closes the client."""

    async def whole() -> Any:
        try:
            return await run()
        finally:
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    return asyncio.run(whole())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_allowed_is_executed_and_the_model_reads_why_not(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, str] = {}
    calls: List[Call] = [("order", {"amount": 1}), ("wire", {"amount": 3}), ("order_later", {"amount": 2})]
    client = kind("key", AGENT, played.address)
    agent = agent_of([*calls, ("fail", {"why": "no luck"})], read, guard_middleware(client, agent="clerk"))
    play(client, lambda: agent.run("Buy."))
    assert read["order"] == "ordered for 1.0"
    assert read["order_later"] == "ordered later"
    assert "Not executed: this call of wire was denied. Off_limits_actions: use orders.create." in read["wire"]
    assert "failed" in read["fail"]
    assert sorted(done) == ["fail", "order", "order_later"]
    assert played.reported() == {"order": ["succeeded"], "order_later": ["succeeded"], "fail": ["failed"]}
    (checked,) = [one for one in played.checks if one["toolName"] == "order"]
    assert checked["payload"] == {"amount": 1}
    assert checked["metadata"] == {"agent": "clerk", "toolCallId": "order"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_tools_of_a_sub_agent_are_checked_as_calls_of_that_agent(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    read: Dict[str, str] = {}
    client = kind("key", AGENT, played.address)
    calls: List[Call] = [("wire", {"amount": 900}), ("order", {"amount": 1})]
    guard = guard_middleware(client, agent="payer", agent_id=lambda _: "payer-id")
    payer = agent_of(calls, read, guard, name="payer")
    clerk = agent_of(
        [("payer", {"task": "pay"})], read, guard_middleware(client, agent="clerk"), tools=[payer.as_tool()]
    )

    async def stream() -> None:
        async for _ in clerk.run("Buy.", stream=True):
            pass

    play(client, stream)
    assert read["payer"] == "done"
    assert "Not executed" in read["wire"]
    assert done == ["order"]
    acting = {one["toolName"]: (one["metadata"]["agent"], played.agents[n]) for n, one in enumerate(played.checks)}
    assert acting == {"payer": ("clerk", AGENT), "wire": ("payer", "payer-id"), "order": ("payer", "payer-id")}
    assert played.reported() == {"order": ["succeeded"], "payer": ["succeeded"]}


def test_arguments_that_a_tool_does_not_take_are_checked_as_they_were_written(played: PlayedService) -> None:
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, played.address)
    play(client, lambda: agent_of([("order", {"amount": "much"})], read, guard_middleware(client)).run("Buy."))
    assert played.checks[0]["payload"] == {"amount": "much"}
    assert done == []
    assert played.reported() == {"order": ["failed"]}


def test_what_earlier_middleware_makes_of_a_call_is_what_is_checked(played: PlayedService) -> None:
    class Repairing(FunctionMiddleware):
        async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
            context.arguments = {"amount": 7}
            await call_next()

    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, played.address)
    agent = agent_of([("order", {"amount": "much"})], read, Repairing(), guard_middleware(client))
    play(client, lambda: agent.run("Buy."))
    assert played.checks[0]["payload"] == {"amount": 7}
    assert read["order"] == "ordered for 7.0"


def test_a_call_that_later_middleware_ends_is_reported_as_failed(played: PlayedService) -> None:
    class Ending(FunctionMiddleware):
        async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
            raise MiddlewareTermination("enough")

    client = Countersign("key", AGENT, played.address)
    agent = agent_of([("order", {"amount": 1})], {}, guard_middleware(client), Ending())
    play(client, lambda: agent.run("Buy."))
    assert (done, played.reported()) == ([], {"order": ["failed"]})


@pytest.mark.parametrize("mode", ["closed", "throw"])
def test_nothing_is_executed_while_the_service_is_gone(mode: Any) -> None:
    read: Dict[str, str] = {}
    client = Countersign("key", AGENT, "http://127.0.0.1:9", retries=0, fail_mode=mode)
    play(client, lambda: agent_of([("wire", {"amount": 1})], read, guard_middleware(client)).run("Buy."))
    assert ("was not decided, so nothing was done" if mode == "closed" else "Error") in read["wire"]
    assert done == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decision", ["approved", "denied", "expired", "pending"])
def test_a_run_requests_an_approval_until_the_person_has_decided(
    played: PlayedService, kind: Any, decision: str
) -> None:
    played.approvals["wire"] = "pending"
    read: Dict[str, str] = {}
    calls: List[Call] = [("order", {"amount": 1}), ("wire", {"amount": 40.5})]

    async def runs(client: Any) -> None:
        agent = agent_of(calls, read, guard_middleware(client, interrupt=True))
        session = agent.create_session()
        (asked,) = (await agent.run("Pay.", session=session)).user_input_requests
        pending = {name: waiting("wire")[name] for name in ("approval_id", "approval_url", "expires_at", "reason")}
        expected = {**pending, "tool_name": "wire", "tool_call_id": "wire"}
        assert asked.additional_properties["countersign"] == expected
        assert done == ["order"]
        played.approvals["wire"] = decision
        answer = Message("user", [asked.to_function_approval_response(approved=True)])
        assert (await agent.run(answer, session=session)).user_input_requests == []

    client = kind("key", AGENT, played.address)
    play(client, lambda: runs(client))
    if decision == "approved":
        assert read["wire"] == "sent"
    else:
        assert ("A person has denied this." if decision == "denied" else "A person approves.") in read["wire"]
    assert done == (["order", "wire"] if decision == "approved" else ["order"])
    assert played.reported()["order"] == ["succeeded"]


def test_a_call_that_the_user_refuses_is_not_executed(played: PlayedService) -> None:
    played.approvals["wire"] = "pending"

    async def runs(client: Any) -> None:
        agent = agent_of([("wire", {"amount": 1})], {}, guard_middleware(client, interrupt=True))
        session = agent.create_session()
        (asked,) = (await agent.run("Pay.", session=session)).user_input_requests
        played.approvals["wire"] = "approved"
        await agent.run(Message("user", [asked.to_function_approval_response(approved=False)]), session=session)

    client = AsyncCountersign("key", AGENT, played.address)
    play(client, lambda: runs(client))
    # The approval is not used up.
    assert (done, played.approvals["wire"], len(played.checks)) == ([], "approved", 1)


@pytest.mark.parametrize("decision", ["approved", "pending"])
def test_a_tool_that_asks_for_an_approval_itself_is_checked_after_it(played: PlayedService, decision: str) -> None:
    played.approvals["refund"] = decision
    read: Dict[str, str] = {}

    async def runs(client: Any) -> None:
        agent = agent_of([("refund", {"usd": 1})], read, guard_middleware(client, interrupt=True))
        session = agent.create_session()
        (asked,) = (await agent.run("Pay.", session=session)).user_input_requests
        assert played.checks == []
        await agent.run(Message("user", [asked.to_function_approval_response(approved=True)]), session=session)

    client = AsyncCountersign("key", AGENT, played.address)
    play(client, lambda: runs(client))
    assert done == (["refund"] if decision == "approved" else [])
    if decision == "pending":
        assert "since the tool asks for an approval of its own" in read["refund"]
