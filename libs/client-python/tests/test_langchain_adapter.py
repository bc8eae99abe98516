"""Tools of LangChain and LangGraph, with the real frameworks: called by ToolNode, by agents' graphs, and directly."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Dict, List, Sequence

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.langchain import guard_tools

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode

done: List[Any] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


@tool
def order(amount: float, note: str = "none") -> str:
    """Orders."""
    done.append(amount)
    return f"ordered {amount}"


@tool
async def order_later(amount: float) -> str:
    """Orders, asynchronously."""
    await asyncio.sleep(0)
    done.append(amount)
    return f"ordered {amount} later"


@tool
def fail(why: str) -> str:
    """Fails."""
    raise RuntimeError(why)


@tool
def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


@tool
def look(
    query: str,
    state: Annotated[Dict[str, Any], InjectedState],
    call_id: Annotated[str, InjectedToolCallId],
    config: RunnableConfig,
) -> str:
    """Reads an argument that the model does not see."""
    return f"{query} {len(state['messages'])} {call_id} {config['configurable']['thread_id']}"


def call(name: str, call_id: str = "c", **arguments: Any) -> Dict[str, Any]:
    return {"name": name, "args": arguments, "id": call_id, "type": "tool_call"}


def graph_of(tools: Sequence[BaseTool]) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile()


def asked(*calls: Dict[str, Any]) -> Dict[str, Any]:
    return {"messages": [AIMessage("", tool_calls=list(calls))]}


def read(state: Dict[str, Any]) -> Dict[str, Any]:
    """The results for the model, by call."""
    return {one.tool_call_id: (one.status, one.content) for one in state["messages"] if isinstance(one, ToolMessage)}


ALL = [order, order_later, fail, wire]
SOME = [
    call("order", "1", amount=1.5),
    call("fail", "2", why="no luck"),
    call("wire", "3", amount=9),
]
DENIED_MESSAGE = "Not executed: this call of wire was denied. Off_limits_actions: use orders.create."


def check_some(results: Dict[str, Any], played: PlayedService) -> None:
    assert results["1"] == ("success", "ordered 1.5")
    assert results["2"][0] == "error"
    assert "no luck" in results["2"][1]
    assert results["3"] == ("error", DENIED_MESSAGE)
    assert "wire" not in done
    assert played.reported() == {"order": ["succeeded"], "fail": ["failed"]}
    checks = {one["toolName"]: one for one in played.checks}
    assert checks["order"] == {
        "type": "tool_use",
        "toolName": "order",
        "payload": {"amount": 1.5, "note": "none"},
        "metadata": {"toolCallId": "1"},
    }


def test_a_tool_node_calls_what_is_allowed_and_the_model_reads_why_not(played: PlayedService) -> None:
    played.denied["wire"] = DENIED
    with Countersign("key", AGENT, played.address) as client:
        check_some(read(graph_of(guard_tools(client, ALL)).invoke(asked(*SOME))), played)


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_a_tool_node_awaits_tools_of_both_kinds_by_clients_of_both_kinds(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED

    async def run() -> Dict[str, Any]:
        client = kind("key", AGENT, played.address)
        state = await graph_of(guard_tools(client, ALL)).ainvoke(asked(*SOME, call("order_later", "4", amount=2)))
        await client.aclose() if isinstance(client, AsyncCountersign) else client.close()
        return read(state)

    results = asyncio.run(run())
    assert results.pop("4") == ("success", "ordered 2.0 later")
    assert played.reported().pop("order_later") == ["succeeded"]
    played.outcomes = [one for one in played.outcomes if one[0] != "order_later"]
    check_some(results, played)


def test_what_is_not_the_models_is_not_sent(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        graph = graph_of(guard_tools(client, [look]))
        state = graph.invoke(asked(call("look", "7", query="q")), {"configurable": {"thread_id": "t"}})
    assert read(state) == {"7": ("success", "q 1 7 t")}
    assert [one["payload"] for one in played.checks] == [{"query": "q"}]


def test_a_tool_that_is_called_by_hand_gives_a_text(played: PlayedService) -> None:
    played.denied["wire"] = DENIED
    with Countersign("key", AGENT, played.address) as client:
        guarded_order, guarded_wire = guard_tools(client, [order, wire])
        assert guarded_order.invoke({"amount": 3}) == "ordered 3.0"
        assert guarded_wire.invoke({"amount": 3}) == DENIED_MESSAGE
        assert guarded_wire.invoke(call("wire", "9", amount=1)).tool_call_id == "9"
        assert (guarded_order.name, guarded_order.args) == (order.name, order.args)
    assert wire.invoke({"amount": 1}) == "sent"


def test_an_execution_that_is_repeated_is_asked_about_again(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        (guarded,) = guard_tools(client, [order])
        for _ in range(2):
            guarded.invoke(call("order", "0", amount=1))
        (again,) = guard_tools(client, [order], idempotency_key=lambda one: f"run-1/{one.tool_call_id}")
        again.invoke(call("order", "0", amount=1))
    assert len(set(played.keys)) == 3
    assert played.keys[2] == "run-1/0"
    assert played.reported() == {"order": ["succeeded"] * 3}


def test_a_caller_names_the_action(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        (guarded,) = guard_tools(client, [order], action=lambda one: {"estimated_cost": one.input["amount"]})
        guarded.invoke({"amount": 7})
    assert played.checks[0]["estimatedCost"] == 7
    assert played.checks[0]["toolName"] == "order"


def test_nothing_is_executed_where_the_service_is_not_there() -> None:
    with Countersign("key", AGENT, "http://127.0.0.1:1", retries=0) as client:
        message = guard_tools(client, [order])[0].invoke(call("order", "1", amount=1))
    assert message.status == "error"
    assert message.content.startswith("Not executed: whether order may be called was not decided")
    assert done == []


def test_nothing_is_executed_where_nothing_can_be_asked(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        said = guard_tools(client, [fail])[0].invoke({"why": "\ud800"})
    assert said.startswith("Not executed: whether fail may be called cannot be asked.")
    awaiting = AsyncCountersign("key", AGENT, played.address)
    with pytest.raises(TypeError, match="await it"):
        guard_tools(awaiting, [order])[0].invoke({"amount": 1})
    with pytest.raises(TypeError, match="no BaseTool"):
        guard_tools(awaiting, [print])  # type: ignore[list-item]
    assert (done, played.checks) == ([], [])


def test_arguments_that_the_tool_does_not_take_are_not_asked_about(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        results = read(graph_of(guard_tools(client, [order])).invoke(asked(call("order", "1", amount="many"))))
    assert results["1"][0] == "error"
    assert played.checks == []


def test_what_is_cancelled_is_reported_as_failed(played: PlayedService) -> None:
    async def run() -> None:
        begun = asyncio.Event()

        @tool
        async def wait(hours: int) -> str:
            """Waits."""
            begun.set()
            await asyncio.sleep(hours * 3600)
            return "over"

        async with AsyncCountersign("key", AGENT, played.address) as client:
            task = asyncio.ensure_future(guard_tools(client, [wait])[0].ainvoke({"hours": 1}))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
    assert played.reported() == {"wait": ["failed"]}
