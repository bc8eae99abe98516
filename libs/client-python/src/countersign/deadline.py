"""A deadline for all reads and writes of the synchronous client.

httpx bounds each read and write of a socket, not their sum: a server that sends or accepts a little now and then would
block its caller for ever. Here each gets no more than the time left until the deadline of the call, in this thread.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Optional

import httpcore
import httpx

_of_this_thread = threading.local()

#: A writable socket accepts at most this much at once, so that a slow write ends within the time that is left.
_PIECE_BYTES = 4096


@contextmanager
def deadline(ends_at: float) -> Iterator[None]:
    """Deadline for reads and writes inside, by ``time.monotonic``."""
    _of_this_thread.ends_at = ends_at
    try:
        yield
    finally:
        _of_this_thread.ends_at = None


def with_deadlines(client: httpx.Client) -> httpx.Client:
    """Makes the client's connections end by :func:`deadline`. Transports that are not httpx's own are unchanged."""
    for transport in (getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()):
        pool = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if pool is not None and isinstance(backend, httpcore.NetworkBackend):
            pool._network_backend = _Backend(backend)
    return client


def _left(timeout: Optional[float], late: type[Exception]) -> Optional[float]:
    ends_at: Optional[float] = getattr(_of_this_thread, "ends_at", None)
    if ends_at is None:
        return timeout
    left = ends_at - time.monotonic()
    if left <= 0:
        raise late("the time of the call is over")
    return left if timeout is None else min(timeout, left)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: Optional[float] = None,
        local_address: Optional[str] = None,
        socket_options: Optional[Iterable[Any]] = None,
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._backend.connect_tcp(host, port, left, local_address, socket_options))

    def connect_unix_socket(
        self, path: str, timeout: Optional[float] = None, socket_options: Optional[Iterable[Any]] = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._backend.connect_unix_socket(path, left, socket_options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        for at in range(0, len(buffer), _PIECE_BYTES):
            self._stream.write(buffer[at : at + _PIECE_BYTES], _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: Optional[str] = None, timeout: Optional[float] = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
