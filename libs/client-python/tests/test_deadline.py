"""Servers that send or accept a little now and then: a call ends at its deadline anyway."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any, Dict, Iterator, Optional

import httpcore
import pytest

from countersign import AsyncCountersign, CheckResult, Countersign
from countersign.deadline import _Stream, deadline

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n"
BEGINNINGS = {"the status line": b"HTTP/1.1 200 ", "a header": HEAD + b"x-more: ", "the body": HEAD + b"\r\n"}


@pytest.fixture(params=list(BEGINNINGS))
def trickling(request: pytest.FixtureRequest) -> Iterator[str]:
    """An address whose answer never ends: it sends a byte now and then."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=trickle, args=(connection,), daemon=True).start()

    def trickle(connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(BEGINNINGS[request.param])
                while not ended.wait(0.02):
                    connection.sendall(b" ")
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    ended.set()
    listener.close()


def test_an_answer_that_never_ends_is_too_late(trickling: str) -> None:
    options: Dict[str, Any] = {"attempt_timeout": 0.3, "retries": 0}

    async def run() -> CheckResult:
        async with AsyncCountersign("key", AGENT, trickling, **options) as client:
            return await client.check("a")

    with Countersign("key", AGENT, trickling, **options) as client:
        assert client.check("a").violations == ("timeout",)
    assert asyncio.run(run()).violations == ("timeout",)


class Slow(httpcore.NetworkStream):
    """Accepts 64 KiB a second; each write takes less than httpx's timeout."""

    def __init__(self) -> None:
        self.now = 0.0
        self.taken = 0

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        assert timeout is not None
        assert timeout > 0
        self.now += len(buffer) / 65_536
        self.taken += len(buffer)


def test_a_request_that_is_taken_slowly_is_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr("countersign.deadline.time.monotonic", lambda: slow.now)
    with deadline(2.0):
        _Stream(slow).write(b"x" * 65_536, 2.0)
        with pytest.raises(httpcore.WriteTimeout):
            _Stream(slow).write(b"x" * 6_553_600, 2.0)
    assert slow.taken == 2 * 65_536
    with deadline(200.0):
        _Stream(slow).write(b"x" * 100_001, 200.0)
    assert slow.taken == 2 * 65_536 + 100_001
