"""Plays the OpenAI Responses API: calls the tools of a script, and answers with their results in the next turn."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type


class PlayedOpenAi:
    """``with PlayedOpenAi([(name, arguments), …]) as model``: ``model.address`` is for ``OPENAI_BASE_URL``."""

    def __init__(self, calls: Sequence[Tuple[str, Dict[str, Any]]]) -> None:
        self._calls = calls

    def __enter__(self) -> PlayedOpenAi:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                content = json.dumps(model._answer(asked)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Suppresses the request log."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, asked: Dict[str, Any]) -> Dict[str, Any]:
        read = [one["output"] for one in asked["input"] if one.get("type") == "function_call_output"]
        said = [_message("\n".join(read))] if read else [_call(n, *call) for n, call in enumerate(self._calls)]
        usage = {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        }
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": asked["model"],
            "output": said,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }


def _call(n: int, name: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{n}",
        "call_id": f"call_{n}",
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def _message(text: str) -> Dict[str, Any]:
    content: List[Dict[str, Any]] = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
