"""Plays the program behind the Claude Agent SDK: makes scripted tool calls, and asks the hooks about each.

The calls are in ``PLAYED_CALLS``, a list of ``{"id", "name", "input", "fails"?, "anyway"?}`` (``anyway``: made even if
denied); executed calls are written to the file ``PLAYED_LOG``, one per line. Like the real program, it
makes a call whose hook fails.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, List

ABLE = {"commands": [], "hook_on_failure_supported": True, "hooks_applied": True}
SESSION = "9f8b7c6d-0000-4000-8000-000000000001"


def say(message: Dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def hear() -> Dict[str, Any]:
    line = sys.stdin.readline()
    if line == "":
        sys.exit(0)
    message: Dict[str, Any] = json.loads(line)
    return message


def answer(request: Dict[str, Any]) -> None:
    response = {"subtype": "success", "request_id": request["request_id"], "response": ABLE}
    say({"type": "control_response", "response": response})


class Hooks:
    def __init__(self, asked: Dict[str, Any]) -> None:
        self._ids = {
            event: [one for matcher in matchers for one in matcher["hookCallbackIds"]]
            for event, matchers in (asked.get("hooks") or {}).items()
        }
        self._count = 0

    def ask(self, event: str, call: Dict[str, Any], **more: Any) -> List[Dict[str, Any]]:
        """The answers of the hooks of an event; ``{}`` for one that fails."""
        given = {"session_id": SESSION, "transcript_path": "t", "cwd": os.getcwd(), "hook_event_name": event}
        given.update({"tool_name": call["name"], "tool_input": call["input"], "tool_use_id": call["id"]}, **more)
        answers = []
        for callback in self._ids.get(event, []):
            self._count += 1
            request = {"subtype": "hook_callback", "callback_id": callback, "input": given, "tool_use_id": call["id"]}
            say({"type": "control_request", "request_id": f"cli-{self._count}", "request": request})
            while (heard := hear()).get("type") != "control_response":
                if heard.get("type") == "control_request":
                    answer(heard)
            answers.append(heard["response"].get("response") or {})
        return answers


def make(call: Dict[str, Any], hooks: Hooks) -> str:
    """The result of a call, as the model reads it."""
    for one in hooks.ask("PreToolUse", call):
        decision = one.get("hookSpecificOutput") or {}
        if decision.get("permissionDecision") == "deny" and not call.get("anyway"):
            return str(decision["permissionDecisionReason"])
    with open(os.environ["PLAYED_LOG"], "a", encoding="utf-8") as log:
        log.write(call["name"] + "\n")
    if call.get("fails"):
        hooks.ask("PostToolUseFailure", call, error="no luck")
        return "no luck"
    hooks.ask("PostToolUse", call, tool_response="done")
    return "done"


def main() -> None:
    if "-v" in sys.argv or "--version" in sys.argv:
        print("9.9.9 (Claude Code)")
        return
    hooks = Hooks({})
    while (heard := hear()).get("type") != "user":
        if heard.get("type") == "control_request":
            hooks = Hooks(heard["request"])
            answer(heard)
    for call in json.loads(os.environ["PLAYED_CALLS"]):
        text = f"{call['name']}: {make(call, hooks)}"
        content = [{"type": "text", "text": text}]
        message = {"role": "assistant", "model": "played", "content": content}
        say({"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": SESSION})
    figures = {"duration_ms": 1, "duration_api_ms": 1, "is_error": False, "num_turns": 1, "total_cost_usd": 0.0}
    say({"type": "result", "subtype": "success", "session_id": SESSION, "result": "over", **figures})
    while True:
        heard = hear()
        if heard.get("type") == "control_request":
            answer(heard)


main()
