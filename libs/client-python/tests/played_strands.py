"""Plays a model of Strands: calls the tools of a script, and ends when it has their results."""

from __future__ import annotations

import json
from typing import Any, AsyncIterator, Dict, Sequence, Tuple

from strands.models import Model


class Playing(Model):
    """A model that makes these calls at once, and ends when it has their results, which go to ``read``."""

    def __init__(self, calls: Sequence[Tuple[str, Any]], read: Dict[str, str]) -> None:
        self.calls, self.read = calls, read

    def update_config(self, **_: Any) -> None:
        """Has none."""

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("never asked")

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        results = [part["toolResult"] for part in messages[-1]["content"] if "toolResult" in part]
        yield {"messageStart": {"role": "assistant"}}
        if results:
            self.read.update({one["toolUseId"]: one["content"][0]["text"] for one in results})
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        for name, given in [] if results else self.calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": name}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if results else "tool_use"}}
