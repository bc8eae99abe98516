"""Arguments of LangChain's tools that are hidden from the model: a caller's are sent, the framework's are named."""

from __future__ import annotations

from typing import Annotated, Any, Dict, List, Optional, Type

import pytest
from played_service import AGENT, PlayedService

from countersign import Countersign
from countersign.adapters.langchain import ToolCall, guard_tools

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, Tool, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, InjectedStore, ToolNode, ToolRuntime
from pydantic import BaseModel


class OfMyOwn(InjectedToolArg):
    """An injection class that is not the framework's."""


class Session:
    """Has no JSON form."""


@tool
def wire(amount: float, account: Annotated[str, InjectedToolArg], session: Annotated[Any, OfMyOwn()] = None) -> str:
    """Sends money."""
    return f"{amount} to {account}"


class WireInput(BaseModel):
    amount: float
    account: Annotated[str, InjectedToolArg]


class Wire(BaseTool):
    """A tool that is a class."""

    name: str = "wire"
    description: str = "Sends money."
    args_schema: Type[BaseModel] = WireInput

    def _run(self, amount: float, account: str, config: Optional[RunnableConfig] = None) -> str:
        return f"{amount} to {account}"


@tool
def look(
    query: str,
    user: Annotated[str, InjectedState("user")],
    call_id: Annotated[str, InjectedToolCallId],
    store: Annotated[Any, InjectedStore()],
    runtime: ToolRuntime,
    settings: RunnableConfig,
) -> str:
    """Reads an argument that the model does not see."""
    return f"{query} of {user}"


class State(MessagesState):
    user: str


def call(name: str, **arguments: Any) -> Dict[str, Any]:
    return {"name": name, "args": arguments, "id": "1", "type": "tool_call"}


@pytest.mark.parametrize(("kind", "not_sent"), [(wire, None), (Wire(), ["config"])], ids=["function", "class"])
def test_what_a_caller_injects_is_executed_and_sent(played: PlayedService, kind: BaseTool, not_sent: Any) -> None:
    with Countersign("key", AGENT, played.address) as client:
        (guarded,) = guard_tools(client, [kind])
        assert "account" not in guarded.args
        assert guarded.invoke({"amount": 3, "account": "DE7"}) == "3.0 to DE7"
        guarded.invoke(call("wire", amount=4, account="DE8"))
    sent = [{name: one["payload"].get(name) for name in ("amount", "account")} for one in played.checks]
    assert sent == [{"amount": 3.0, "account": "DE7"}, {"amount": 4.0, "account": "DE8"}]
    assert [one.get("metadata", {}).get("notSent") for one in played.checks] == [not_sent] * 2


def test_what_has_no_json_form_is_sent_by_the_name_of_its_type(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        guard_tools(client, [wire])[0].invoke({"amount": 3, "account": "DE7", "session": Session()})
    assert played.checks[0]["payload"] == {"amount": 3.0, "account": "DE7", "session": "<Session>"}


def test_what_the_framework_gives_is_named_and_can_be_sent(played: PlayedService) -> None:
    from langgraph.store.memory import InMemoryStore

    seen: List[ToolCall] = []

    def action(one: ToolCall) -> Dict[str, Any]:
        seen.append(one)
        return {"payload": {**one.input, "user": one.injected["user"]}}

    with Countersign("key", AGENT, played.address) as client:
        graph = StateGraph(State)
        graph.add_node("tools", ToolNode(guard_tools(client, [look], action=action)))
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        asked = {"messages": [AIMessage("", tool_calls=[call("look", query="q")])], "user": "ann"}
        compiled: Any = graph.compile(store=InMemoryStore())
        state = compiled.invoke(asked)
    assert state["messages"][-1].content == "q of ann"
    assert played.checks[0]["payload"] == {"query": "q", "user": "ann"}
    named = ["runtime", "settings", "store", "user"]
    assert played.checks[0]["metadata"] == {"toolCallId": "1", "notSent": named}
    assert seen[0].input == {"query": "q"}
    assert set(seen[0].injected) == {*named, "call_id"}
    assert "configurable" in seen[0].injected["settings"]


def test_a_tool_without_any_names_none(played: PlayedService) -> None:
    with Countersign("key", AGENT, played.address) as client:
        guard_tools(client, [Tool(name="say", description="…", func=lambda text: text)])[0].invoke("hello")
    assert (played.checks[0]["payload"], "metadata" in played.checks[0]) == ("hello", False)
