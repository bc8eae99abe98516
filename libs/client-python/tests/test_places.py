"""Clients that are used in another process, or another event loop, than before."""

from __future__ import annotations

import asyncio
import gc
import os
from typing import Any

import httpx
import pytest
from fault_server import FaultServer

from countersign import AsyncCountersign, Countersign

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
ALLOWED = {"status": 200, "body": {"allowed": True}}
OTHER_PROCESS = os.getpid() + 1


def test_a_forked_process_has_connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer([ALLOWED]) as server, Countersign("key", AGENT, server.address) as client:
        assert client.check("a")
        before = client._http
        with monkeypatch.context() as forked:
            forked.setattr("os.getpid", lambda: OTHER_PROCESS)
            assert client.check("a")
            assert client.check("a")
        assert server.connections == 2
        assert not before.is_closed
        before.close()


def test_a_client_of_your_own_stays_yours_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer([ALLOWED]) as server, httpx.Client() as http:
        client = Countersign("key", AGENT, server.address, http_client=http)
        assert client.check("a")
        monkeypatch.setattr("os.getpid", lambda: OTHER_PROCESS)
        assert client.check("a")
        assert client._http is http


def test_a_client_that_was_closed_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Countersign("key", AGENT)
    client.close()
    monkeypatch.setattr("os.getpid", lambda: OTHER_PROCESS)
    with pytest.raises(RuntimeError, match="closed"):
        client.check("a")


# asyncio itself reports connections that an ended loop left open.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_client_that_awaits_goes_from_loop_to_loop() -> None:
    with FaultServer([ALLOWED]) as server:
        client = AsyncCountersign("key", AGENT, server.address, retries=0)

        async def ask() -> Any:
            return [await client.check("a"), await client.check("a")]

        async def end() -> None:
            assert await client.check("a")
            await client.aclose()
            with pytest.raises(RuntimeError, match="closed"):
                await client.check("a")

        assert all(asyncio.run(ask()))
        assert all(asyncio.run(ask()))
        asyncio.run(end())
        assert server.connections == 3
    gc.collect()


def test_a_forked_process_that_awaits_has_connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address) as client:
            assert await client.check("a")
            before = client._http
            with monkeypatch.context() as forked:
                forked.setattr("os.getpid", lambda: OTHER_PROCESS)
                assert await client.check("a")
                assert client._http is not before
                await client._http.aclose()
            await before.aclose()

    with FaultServer([ALLOWED]) as server:
        asyncio.run(run(server.address))
        assert server.connections == 2
