"""Plays a model of CrewAI: calls the tools of a script, and ends when it has their results."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

from crewai import BaseLLM


class Playing(BaseLLM):
    """A model that makes the calls of the agent that asks, by the role of its backstory, and ends when it has their
    results: calls at once where it is ``native``, and one after another as text otherwise. ``read`` gets the results.
    """

    calls: Dict[str, List[Tuple[str, Dict[str, Any]]]]
    native: bool = True
    read: List[str]

    def supports_function_calling(self) -> bool:
        return self.native

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        texts = [str(message["content"]) for message in messages]
        (calls,) = [calls for role, calls in self.calls.items() if f"You are {role}." in texts[0]]
        said = [message for message in messages if message["role"] == "assistant"]
        self.read[:] = [*self.read, *(text for text in texts[1:] if text not in self.read)]
        if self.native:
            if said or not calls:
                return "done"
            return [
                {"id": name, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for name, given in calls
            ]
        if len(said) == len(calls):
            return "Thought: I now can give a great answer\nFinal Answer: done"
        name, given = calls[len(said)]
        return f"Thought: next\nAction: {name}\nAction Input: {json.dumps(given)}\n"
