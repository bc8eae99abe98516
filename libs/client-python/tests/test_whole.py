"""Functions that ``guard`` refuses: those that would continue after it has reported."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, AsyncIterator, Iterator, List

import pytest
from fault_server import FaultServer

from countersign import AsyncCountersign, Countersign

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
EVENT = "01890a5d-ac96-774b-bcce-b302099a8057"
ANSWERS = [
    {"status": 200, "body": {"allowed": True}, "headers": {"x-event-id": EVENT}},
    {"status": 201, "body": {"eventId": EVENT}},
]
done: List[str] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


def stream(_: Any = None) -> Iterator[str]:
    done.append("stream")
    yield "a"


async def stream_later() -> AsyncIterator[str]:
    done.append("stream_later")
    yield "a"


async def pay() -> str:
    done.append("pay")
    return "paid"


class Payment:
    async def __call__(self) -> str:
        return await pay()


GENERATORS = [stream, stream_later, partial(stream, 1)]
COROUTINES = [pay, partial(pay), Payment()]


@pytest.mark.parametrize("fn", [*GENERATORS, *COROUTINES])
def test_nothing_is_asked_for_what_is_known_to_go_on(fn: Any) -> None:
    with FaultServer(ANSWERS) as server, Countersign("key", AGENT, server.address) as client:
        with pytest.raises(TypeError, match=r"list\(|AsyncCountersign"):
            client.guard("a", fn)
        assert (server.seen, done) == ([], [])


def test_what_was_called_already_is_no_function() -> None:
    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address) as client:
            with pytest.raises(TypeError, match="the function itself"):
                await client.guard("a", pay())  # type: ignore[call-overload]

    with FaultServer(ANSWERS) as server:
        with Countersign("key", AGENT, server.address) as client, pytest.raises(TypeError, match="the function itself"):
            client.guard("a", "paid")  # type: ignore[arg-type]
        asyncio.run(run(server.address))
        assert (server.seen, done) == ([], [])


@pytest.mark.parametrize("fn", [*GENERATORS, *COROUTINES])
def test_what_is_found_to_go_on_has_failed_and_is_not_begun(fn: Any) -> None:
    with FaultServer(ANSWERS) as server, Countersign("key", AGENT, server.address) as client:
        with pytest.raises(TypeError, match=r"list\(|AsyncCountersign"):
            client.guard("a", lambda: fn())
        assert [one.body.get("outcome") for one in server.seen] == [None, "failed"]
        assert done == []


@pytest.mark.parametrize("fn", GENERATORS)
def test_a_client_that_awaits_refuses_generators(fn: Any) -> None:
    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address) as client:
            with pytest.raises(TypeError, match="collect"):
                await client.guard("a", fn)
            with pytest.raises(TypeError, match="collect"):
                await client.guard("a", lambda: fn())

    with FaultServer(ANSWERS) as server:
        asyncio.run(run(server.address))
        assert [one.body.get("outcome") for one in server.seen] == [None, "failed"]
    assert done == []


@pytest.mark.parametrize("fn", COROUTINES)
def test_a_client_that_awaits_awaits_coroutines(fn: Any) -> None:
    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address) as client:
            assert await client.guard("a", fn) == "paid"

    with FaultServer(ANSWERS) as server:
        asyncio.run(run(server.address))
        assert server.seen[1].body["outcome"] == "succeeded"
