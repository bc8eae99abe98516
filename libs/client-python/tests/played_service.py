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


def waiting(tool: str) -> Mapping[str, Any]:
    """The answer to a check of a tool that a person has still to approve."""
    return {
        "allowed": False,
        "reason": "A person approves.",
        "violation_type": "approval_required",
        "code": "approval_pending",
        "approval_id": f"apr_{tool}",
        "approval_url": f"https://console.example/#/approvals/apr_{tool}",
        "expires_at": "2030-01-01T00:00:00.000Z",
    }


class PlayedService:
    """Denies the tools of ``denied``; requests are in ``checks``, reports in ``outcomes``.

    A person has decided about the tools in ``approvals``: ``pending``, ``approved``, ``denied`` or ``expired``. An
    approval is used by one check, and an expired one asked for again.
    """

    def __init__(self) -> None:
        self.denied: Dict[str, Mapping[str, Any]] = {}
        self.approvals: Dict[str, str] = {}
        self.decided_while_waiting: Dict[str, str] = {}
        self.named: List[Optional[str]] = []
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
            return 200, self._decided(body["action"]["toolName"]), event

    def _decided(self, tool: str) -> Mapping[str, Any]:
        state = self.approvals.get(tool)
        if state is None:
            return self.denied.get(tool, ALLOWED)
        if state == "approved":
            self.approvals[tool] = "consumed"
            return ALLOWED
        if state == "denied":
            return {**waiting(tool), "reason": "A person has denied this.", "code": "approval_denied"}
        self.approvals[tool] = "pending"
        return waiting(tool)

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                tool = self.path.split("?")[0].rsplit("apr_", 1)[-1]
                service.approvals[tool] = service.decided_while_waiting.pop(tool, service.approvals[tool])
                self._say(200, {"state": service.approvals[tool]}, "")

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                service.named.append(self.headers.get("x-approval-id"))
                status, answer, event = service._answer(self.path, self.headers.get("idempotency-key"), body)
                self._say(status, answer, event)

            def _say(self, status: int, answer: Mapping[str, Any], event: str) -> None:
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
