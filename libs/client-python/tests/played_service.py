"""A service that answers by the name of the tool, for adapters: records their requests and reports, in order."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
ALLOWED: Mapping[str, Any] = {"allowed": True}
DENIED: Mapping[str, Any] = {
    "allowed": False,
    "reason": "off_limits_actions: use orders.create",
    "severity": "P1",
    "violation_type": "off_limits_action",
}


class PlayedService:
    """Denies the tools of ``denied``; requests are in ``checks``, reports in ``outcomes``."""

    def __init__(self) -> None:
        self.denied: Dict[str, Mapping[str, Any]] = {}
        self.checks: List[Dict[str, Any]] = []
        self.keys: List[Optional[str]] = []
        self.agents: List[str] = []
        self.outcomes: List[Tuple[str, str]] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def reported(self) -> Dict[str, List[str]]:
        """The outcomes of each tool, in the order of their reports."""
        found: Dict[str, List[str]] = {}
        for tool, outcome in self.outcomes:
            found.setdefault(tool, []).append(outcome)
        return found

    def _answer(self, path: str, key: Optional[str], body: Dict[str, Any]) -> Tuple[int, Mapping[str, Any], str]:
        with self._lock:
            if path == "/v1/mcp/log":
                tool = self.checks[int(body["eventId"][-12:])]["toolName"]
                self.outcomes.append((tool, body["outcome"]))
                return 201, {"eventId": "e"}, ""
            self.checks.append(body["action"])
            self.keys.append(key)
            self.agents.append(body["agentId"])
            event = f"01890a5d-ac96-774b-bcce-{len(self.checks) - 1:012d}"
            return 200, self.denied.get(body["action"]["toolName"], ALLOWED), event

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, answer, event = service._answer(self.path, self.headers.get("idempotency-key"), body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                if event:
                    self.send_header("x-event-id", event)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Suppresses the request log."""

        return Handler
