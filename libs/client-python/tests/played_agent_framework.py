"""Plays a model of Microsoft Agent Framework: calls the tools of a script, and ends when it has their results."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Sequence, Tuple

from agent_framework import BaseChatClient, ChatResponse, ChatResponseUpdate, Content, FunctionInvocationLayer, Message


class Playing(FunctionInvocationLayer, BaseChatClient):
    """A model that makes these calls at once, and ends when it has their results, which go to ``read``."""

    def __init__(self, calls: Sequence[Tuple[str, Any]], read: Dict[str, str]) -> None:
        super().__init__()
        self.calls, self.read = calls, read

    def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, **_: Any) -> Any:
        results = [part for message in messages for part in message.contents if part.type == "function_result"]
        self.read.update({str(one.call_id): str(one.result) for one in results})
        said: List[Content] = [Content.from_text("done")]
        if not results:
            said = [
                Content.from_function_call(call_id=name, name=name, arguments=json.dumps(given))
                for name, given in self.calls
            ]

        async def whole() -> ChatResponse[Any]:
            return ChatResponse(messages=[Message("assistant", said)])

        async def pieces() -> Any:
            yield ChatResponseUpdate(role="assistant", contents=said)

        return self._build_response_stream(pieces()) if stream else whole()
