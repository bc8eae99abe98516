"""Runs of LangGraph, the OpenAI Agents SDK and Pydantic AI that wait for a person, with the real frameworks."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from played_service import AGENT, PlayedService, waiting

from countersign import AsyncCountersign, Countersign
from countersign.adapters import interrupt as interrupts

pytest.importorskip("langgraph")
pytest.importorskip("agents")
pytest.importorskip("pydantic_ai")

from agents import Agent, ModelResponse, Runner, RunState, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.messages import ModelResponse as Said
from pydantic_ai.models.function import FunctionModel

from countersign.adapters.langchain import guard_tools as guard_langchain
from countersign.adapters.openai_agents import guard_tools as guard_agents
from countersign.adapters.pydantic_ai import guard_capability
from countersign.adapters.tool_call import NotExecutedError, ToolCall, ToolGuard

set_tracing_disabled(True)
done: List[str] = []
KINDS = [Countersign, AsyncCountersign]
BOTH = [("lookup", {}), ("refund", {"usd": 40.5})]
PENDING = {
    "approval_id": "apr_refund",
    "tool_name": "refund",
    "tool_call_id": "call_1",
    "approval_url": waiting("refund")["approval_url"],
    "expires_at": waiting("refund")["expires_at"],
    "reason": "A person approves.",
}


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done.clear()
    for module in (interrupts, __import__("countersign.adapters.pydantic_ai", fromlist=["_"])):
        monkeypatch.setattr(module, "RESUMED_WAIT", 0.2)


def lookup() -> str:
    """Looks up."""
    done.append("lookup")
    return "found"


def refund(usd: float) -> str:
    """Pays back."""
    done.append("refund")
    return f"paid {usd}"


async def close(clients: List[Any]) -> None:
    for client in clients:
        await client.aclose() if isinstance(client, AsyncCountersign) else client.close()


class Graph:
    """An agent of LangGraph whose calls have a task each; another instance continues from the same checkpoints."""

    def __init__(self, client: Any, saver: InMemorySaver) -> None:
        tools = guard_langchain(client, [tool(lookup), tool(refund)], interrupt=interrupt)

        def tasks(state: MessagesState) -> Any:
            calls = state["messages"][-1].tool_calls  # type: ignore[union-attr]
            return [Send("tools", [call]) for call in calls]

        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda _: {"messages": [AIMessage("", tool_calls=_calls())]})
        graph.add_node("tools", ToolNode(tools))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tasks, ["tools"])
        graph.add_edge("tools", END)
        self.graph: Any = graph.compile(checkpointer=saver)
        self.client = client

    def run(self, given: Any, is_async: bool) -> Tuple[List[Any], List[str]]:
        config = {"configurable": {"thread_id": "one"}}

        async def run() -> Any:
            async with self.client:
                return await self.graph.ainvoke(given, config)

        if is_async:
            state = asyncio.run(run())
        else:
            with self.client:
                state = self.graph.invoke(given, config)
        waits = [one.value for one in state.get("__interrupt__", ())]
        return waits, [one.content for one in state["messages"] if one.type == "tool"]


def _calls() -> List[Dict[str, Any]]:
    return [{"name": name, "args": given, "id": f"call_{n}"} for n, (name, given) in enumerate(BOTH)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decision", ["approved", "denied", "expired"])
def test_a_graph_is_interrupted_until_the_person_has_decided(played: PlayedService, kind: Any, decision: str) -> None:
    played.approvals["refund"] = "pending"
    saver = InMemorySaver()

    def graph() -> Graph:
        return Graph(kind("key", AGENT, played.address), saver)

    is_async = kind is AsyncCountersign
    assert graph().run({"messages": [("user", "Pay.")]}, is_async)[0] == [PENDING]
    for _ in range(2):
        assert graph().run(Command(resume=True), is_async)[0] == [PENDING]
    assert done == ["lookup"]
    played.approvals["refund"] = decision
    waits, said = graph().run(Command(resume=True), is_async)
    if decision == "expired":
        assert waits == [PENDING]
    elif decision == "denied":
        assert "A person has denied this." in said[1]
    else:
        assert said == ["found", "paid 40.5"]
    assert done == (["lookup", "refund"] if decision == "approved" else ["lookup"])


def test_a_function_that_does_not_interrupt_is_refused(played: PlayedService) -> None:
    played.approvals["refund"] = "pending"
    with Countersign("key", AGENT, played.address) as client:
        (guarded,) = guard_langchain(client, [tool(refund)], interrupt=lambda _: None)
        with pytest.raises(TypeError, match="that of LangGraph"):
            guarded.invoke({"usd": 1})
    assert done == []


class Playing(Model):
    """Calls tools in its first turn, and repeats what they said in its second."""

    def __init__(self, calls: Sequence[Tuple[str, Any]]) -> None:
        self._calls = calls

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        outputs = [one for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"]
        said: List[Any] = [
            ResponseFunctionToolCall(call_id=f"call_{n}", name=name, arguments=json.dumps(given), type="function_call")
            for n, (name, given) in enumerate(self._calls)
        ]
        if outputs:
            text = ResponseOutputText(
                text=" | ".join(str(one["output"]) for one in outputs), type="output_text", annotations=[]
            )
            said = [ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")]
        return ModelResponse(output=said, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("this one does not stream")


def clerk_of(client: Any, waits: List[Any]) -> Any:
    tools = guard_agents(client, [function_tool(lookup), function_tool(refund)], interrupt=waits.append)
    return Agent(name="clerk", model=Playing(BOTH), tools=list(tools))


def manager_of(client: Any, waits: List[Any]) -> Any:
    ask = clerk_of(client, waits).as_tool(tool_name="ask_clerk", tool_description="Asks the clerk.")
    return Agent(name="manager", model=Playing([("ask_clerk", {"input": "Pay."})]), tools=[ask])


@pytest.mark.parametrize("agent_of", [clerk_of, manager_of])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("approves", [True, False])
@pytest.mark.parametrize("decision", ["approved", "denied", "expired", "pending"])
def test_a_run_of_the_agents_sdk_is_interrupted_until_the_person_has_decided(
    played: PlayedService, kind: Any, decision: str, approves: bool, agent_of: Any
) -> None:
    played.approvals["refund"] = "pending"
    waits: List[Any] = []

    clients = [kind("key", AGENT, played.address) for _ in range(2)]

    async def run() -> Any:
        result: Any = await Runner.run(agent_of(clients[0], waits), "Pay.")
        assert len(result.interruptions) == 1
        assert [waits, done] == [[PENDING], ["lookup"]]
        played.approvals["refund"] = decision
        agent = agent_of(clients[1], waits)
        state = await RunState.from_string(agent, result.to_state().to_string())
        if approves:
            state.approve(state.get_interruptions()[0])
        ended = await Runner.run(agent, state)
        await close(clients)
        return ended

    result = asyncio.run(run())
    if not approves:
        # Resuming is up to the application: an unanswered interruption is not judged again.
        assert [len(result.interruptions), done, len(played.checks)] == [1, ["lookup"], 2]
        return
    if decision == "approved":
        assert "paid 40.5" in result.final_output
        assert played.reported() == {"lookup": ["succeeded"], "refund": ["succeeded"]}
    elif decision == "denied":
        assert "A person has denied this." in result.final_output
    else:
        assert "Not executed" in result.final_output
    assert done == (["lookup", "refund"] if decision == "approved" else ["lookup"])


def answering(messages: List[Any], _: Any) -> Said:
    results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    if results:
        return Said([TextPart(" | ".join(str(one.content) for one in results))])
    return Said([ToolCallPart(name, given, f"call_{n}") for n, (name, given) in enumerate(BOTH)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decision", ["approved", "denied", "expired", "pending"])
def test_a_run_of_pydantic_ai_is_deferred_until_the_person_has_decided(
    played: PlayedService, kind: Any, decision: str
) -> None:
    played.approvals["refund"] = "pending"

    clients: List[Any] = []

    def clerk() -> Any:
        clients.append(kind("key", AGENT, played.address))
        guard = guard_capability(clients[-1], interrupt=True)
        return PydanticAgent(
            FunctionModel(answering),
            tools=[lookup, refund],
            capabilities=[guard],
            output_type=[str, DeferredToolRequests],
        )

    async def run() -> Any:
        deferred = await clerk().run("Pay.")
        assert deferred.output.metadata == {"call_1": PENDING}
        assert [one.tool_call_id for one in deferred.output.approvals] == ["call_1"]
        assert done == ["lookup"]
        played.approvals["refund"] = decision
        history = ModelMessagesTypeAdapter.validate_json(deferred.all_messages_json())
        results = DeferredToolResults(approvals={"call_1": True})
        ended = await clerk().run(message_history=history, deferred_tool_results=results)
        await close(clients)
        return ended

    output = asyncio.run(run()).output
    if decision == "approved":
        assert output == "found | paid 40.5"
    elif decision == "denied":
        assert "A person has denied this." in output
    else:
        assert output.metadata == {"call_1": PENDING}
    assert done == (["lookup", "refund"] if decision == "approved" else ["lookup"])
    assert all("runId" not in check.get("metadata", {}) for check in played.checks)


def test_the_check_of_a_resumed_call_names_its_approval_under_a_new_key(played: PlayedService) -> None:
    played.approvals["refund"] = "pending"
    call = ToolCall("refund", {"usd": 1}, "call_1")
    guard = ToolGuard()
    client = Countersign("key", AGENT, played.address)
    checked = interrupts.CheckedCalls(client, guard, lambda _: None)

    class Run:
        """Of a framework."""

    async def run() -> None:
        assert await checked.is_pending(Run(), call)
        played.decided_while_waiting["refund"] = "approved"
        begun = await checked.begin(Run(), call)
        await begun.end("succeeded")
        await close([client])

    asyncio.run(run())
    assert len(set(played.keys)) == len(played.keys)
    assert played.named == [None, None, "apr_refund", None]


class Run:
    """Of a framework."""


CALL = ToolCall("refund", {"usd": 1}, "call_1")


@pytest.mark.parametrize(
    ("executed", "acting", "later", "checks"),
    [
        (CALL, "one", 59.0, 1),
        (CALL, "one", 60.0, 2),
        (CALL, "other", 0.0, 2),
        (ToolCall("delete", {"usd": 1}, "call_1"), "one", 0.0, 2),
        (ToolCall("refund", {"usd": 2}, "call_1"), "one", 0.0, 2),
        (ToolCall("refund", {"usd": 1}, "call_2"), "one", 0.0, 2),
    ],
)
def test_a_verdict_is_of_one_call_of_one_agent_for_a_short_time(
    played: PlayedService, executed: ToolCall, acting: str, later: float, checks: int
) -> None:
    client = Countersign("key", AGENT, played.address)
    state: Dict[str, Any] = {"agent": "one", "now": 5.0}
    guard = ToolGuard(agent_id=lambda _: str(state["agent"]))
    calls = interrupts.CheckedCalls(client, guard, lambda _: None, lambda: float(state["now"]))
    run = Run()

    async def play() -> None:
        assert not await calls.is_pending(run, CALL)
        state.update(agent=acting, now=5.0 + later)
        await calls.begin(run, executed)
        assert len(played.checks) == checks
        await calls.begin(run, executed)
        assert len(played.checks) == checks + 1
        await close([client])

    asyncio.run(play())


def test_each_of_two_calls_with_one_id_and_one_input_is_checked(played: PlayedService) -> None:
    client = Countersign("key", AGENT, played.address)
    calls = interrupts.CheckedCalls(client, ToolGuard(), lambda _: None)
    run = Run()

    async def play() -> None:
        await calls.is_pending(run, CALL)
        await calls.is_pending(run, CALL)
        assert len(played.checks) == 2
        await calls.begin(run, CALL)
        played.denied["refund"] = {"allowed": False, "reason": "Once."}
        with pytest.raises(NotExecutedError, match="Once"):
            await calls.begin(run, CALL)
        await close([client])

    asyncio.run(play())


@pytest.mark.parametrize("first", ["look", "delete"])
@pytest.mark.parametrize("decision", ["approved", "denied", "pending"])
def test_a_call_does_not_use_the_verdict_of_one_that_was_never_executed(
    played: PlayedService, decision: str, first: str
) -> None:
    """A guardrail of the tool stops the first call after its check; the second has its id and its input."""
    client = Countersign("key", AGENT, played.address)
    waits: List[Any] = []
    calls = interrupts.CheckedCalls(client, ToolGuard(), waits.append)
    run = Run()
    second = ToolCall("delete", {"id": 1}, "call_0")

    async def play() -> None:
        assert not await calls.is_pending(run, ToolCall(first, {"id": 1}, "call_0"))
        played.approvals["delete"] = "pending"
        assert await calls.is_pending(run, second)
        assert len(waits) == 1
        played.approvals["delete"] = decision
        if decision == "approved":
            await calls.begin(run, second)
        else:
            with pytest.raises(NotExecutedError):
                await calls.begin(run, second)
        await close([client])

    asyncio.run(play())
    assert [check["toolName"] for check in played.checks][:3] == [first, "delete", "delete"]
