"""Arguments of LangChain's tools that cannot be read, or not twice: the check leaves them unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Dict, Iterable, List, Optional

import pytest
from played_service import AGENT, PlayedService

from countersign import Countersign
from countersign.adapters.langchain import guard_tools

pytest.importorskip("langchain_core")

from langchain_core.tools import BaseTool, InjectedToolArg, tool
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_serializer, model_serializer

executed: List[Any] = []


@tool
def load(table: str, rows: Annotated[Any, InjectedToolArg]) -> str:
    """Loads rows that the model does not see."""
    executed.append(rows)
    return f"loaded {table}"


@tool
def total(rows: Iterable[int]) -> str:
    """Adds the numbers of an iterator."""
    return f"is {sum(rows)}"


@tool
def keep(document: Dict[str, Any]) -> str:
    """Keeps a document."""
    return "kept"


@dataclass
class Node:
    name: str
    next: Optional[Node] = None


class Batch(BaseModel):
    model_config = ConfigDict(extra="allow")

    table: str
    card: str = "4111"
    rows: Any = Field(default=None, serialization_alias="lines")
    token: Any = Field(default=None, exclude=True)

    @field_serializer("card")
    def _without_digits(self, card: str) -> str:
        return "*" * len(card)


class Rows(RootModel[Any]):
    """A model with a root field only."""


class Summed(BaseModel):
    rows: Any

    @model_serializer
    def _sum(self) -> int:
        return sum(self.rows)


@pytest.fixture
def client(played: PlayedService) -> Any:
    executed.clear()
    with Countersign("key", AGENT, played.address) as one:
        yield one


def guarded(client: Countersign, one: BaseTool, **options: Any) -> BaseTool:
    return guard_tools(client, [one], **options)[0]


def cyclic_node() -> Node:
    node = Node("a")
    node.next = Node("b", node)
    return node


def cyclic_list() -> List[Any]:
    items: List[Any] = [1]
    items.append(items)
    return items


def deep_list() -> List[Any]:
    items: List[Any] = []
    for _ in range(5000):
        items = [items]
    return items


UNREADABLE = [
    (iter([1, 2, 3]), "<list_iterator>"),
    ((n for n in [1, 2]), "<generator>"),
    ([1, {"of": map(str, [1])}], [1, {"of": "<map>"}]),
    (("a", b"\xff"), ["a", "<bytes>"]),
    (b"\xff\xfe", "<bytes>"),
    (bytearray(b"\xff"), "<bytearray>"),
    (b"text", "text"),
    (cyclic_node(), {"name": "a", "next": "<Node>"}),
    (cyclic_list(), [1, "<list>"]),
    (deep_list(), "<list>"),
    (
        Batch(table="t", rows=iter([1]), token=iter([2]), more=iter([3])),  # type: ignore[call-arg]
        {"table": "t", "card": "****", "rows": "<list_iterator>", "more": "<list_iterator>"},
    ),
    (Batch(table="t", rows=[1]), {"table": "t", "card": "****", "lines": [1]}),
    (Rows(iter([1])), "<Rows>"),
    (Summed(rows=iter([1])), "<Summed>"),
    (Summed(rows=[1, 2]), 3),
]


@pytest.mark.parametrize(("rows", "sent"), UNREADABLE, ids=[str(n) for n in range(len(UNREADABLE))])
def test_what_is_injected_is_executed_as_it_was(played: PlayedService, client: Any, rows: Any, sent: Any) -> None:
    assert guarded(client, load).invoke({"table": "t", "rows": rows}) == "loaded t"
    assert played.checks[0]["payload"] == {"table": "t", "rows": sent}
    assert executed[0] is rows


def test_an_iterator_still_gives_all_of_it(client: Any) -> None:
    guarded(client, load).invoke({"table": "t", "rows": iter([1, 2, 3])})
    nested = Batch(table="t", rows=iter([4, 5]), token=(n for n in [6]))
    guarded(client, load).invoke({"table": "t", "rows": [nested, iter([7])]})
    assert list(executed[0]) == [1, 2, 3]
    assert [list(executed[1][0].rows), list(executed[1][0].token), list(executed[1][1])] == [[4, 5], [6], [7]]


def test_what_the_model_gives_is_not_executed_where_it_could_not_be_sent(played: PlayedService, client: Any) -> None:
    said = guarded(client, total).invoke({"rows": [1, 2]})
    assert said.startswith(
        "Not executed: whether total may be called cannot be asked. Payload.rows: a ValidatorIterator is not JSON"
    )
    assert played.checks == []
    replaced = guarded(client, total, action=lambda _: {"payload": {"rows": "not read"}})
    assert replaced.invoke({"rows": [1, 2]}) == "is 3"
    assert played.checks[0]["payload"] == {"rows": "not read"}


def test_what_the_model_nests_is_sent_to_its_depth(played: PlayedService, client: Any) -> None:
    document: Dict[str, Any] = {"card": "4111"}
    for _ in range(280):
        document = {"in": document}
    assert guarded(client, keep).invoke({"document": document}) == "kept"
    assert played.checks[0]["payload"] == {"document": document}
