"""A server that plays the answers of a case of test-e2e/client-cases."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type


@dataclass
class Seen:
    path: str
    headers: Mapping[str, str]
    body: Dict[str, Any]


@dataclass
class FaultServer:
    """``with FaultServer(answers) as server``: ``server.address``, ``server.seen``. No answers: no server."""

    answers: Sequence[Any]
    seen: List[Seen] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> FaultServer:
        self._released = threading.Event()
        self._lock = threading.Lock()
        if not self.answers:
            self.address = f"http://127.0.0.1:{_free_port()}"
            self._http = None
            return self
        self._http = _Http(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._released.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._thread.join()

    def _next(self, seen: Seen) -> Any:
        with self._lock:
            self.seen.append(seen)
            return self.answers[min(len(self.seen), len(self.answers)) - 1]

    def _handler(self) -> Type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                with server._lock:
                    server.connections += 1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                answer = server._next(Seen(self.path, dict(self.headers), body))
                self.close_connection = self.close_connection or not isinstance(answer, dict)
                if answer == "silent":
                    server._released.wait()
                elif isinstance(answer, dict):
                    self._play(answer)

            def _play(self, answer: Mapping[str, Any]) -> None:
                body = answer["body"]
                content = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(answer["status"])
                headers = {"content-type": "application/json", **answer.get("headers", {})}
                for name, value in headers.items():
                    self.send_header(name, value)
                if answer["status"] != 204:
                    self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: answer.get("cutAt", len(content))])
                self.close_connection = self.close_connection or "cutAt" in answer

            def log_message(self, *_: Any) -> None:
                """Suppresses the request log."""

        return Handler


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
