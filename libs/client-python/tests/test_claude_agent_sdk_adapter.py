"""Hooks of the Claude Agent SDK, with the real SDK; the program behind it is played by ``played_claude.py``."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.claude_agent_sdk import guard_hooks

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, HookMatcher, TextBlock, query

PLAYED_CLAUDE = Path(__file__).parent / "played_claude.py"
SESSION = "9f8b7c6d-0000-4000-8000-000000000001"
NOWHERE = "http://127.0.0.1:1"


def program_in(folder: Path) -> Path:
    """``claude``, where the SDK looks for it."""
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{PLAYED_CLAUDE}" "$@"\n', "utf-8")
    program.chmod(0o755)
    return program


class Played:
    """A session of calls: ``read`` has the results for the model, in order; ``executed`` names the executed calls."""

    def __init__(self, folder: Path, calls: List[Dict[str, Any]]) -> None:
        self._log = folder / "log"
        self._environment = {"PLAYED_CALLS": json.dumps(calls), "PLAYED_LOG": str(self._log)}
        self._program = program_in(folder)
        self.read: List[str] = []

    def run(self, client: AsyncCountersign, **options: Any) -> Played:
        hooks = guard_hooks(client, **options)
        return self.run_hooks(hooks, client)

    def run_hooks(self, hooks: Any, client: AsyncCountersign) -> Played:
        async def run() -> None:
            async with client:
                options = ClaudeAgentOptions(hooks=hooks, cli_path=self._program, env=self._environment)
                async for message in query(prompt="Do it.", options=options):
                    if isinstance(message, AssistantMessage):
                        self.read += [block.text for block in message.content if isinstance(block, TextBlock)]

        asyncio.run(run())
        return self

    @property
    def executed(self) -> List[str]:
        return self._log.read_text("utf-8").split() if self._log.exists() else []


def call(name: str, call_id: str, **more: Any) -> Dict[str, Any]:
    return {"id": call_id, "name": name, "input": {"command": "ls"}, **more}


def test_what_is_allowed_is_done_and_claude_reads_why_not(played: PlayedService, tmp_path: Path) -> None:
    played.denied["Bash"] = DENIED
    session = Played(tmp_path, [call("Read", "t1"), call("Bash", "t2"), call("Edit", "t3", fails=True)])
    session.run(AsyncCountersign("key", AGENT, played.address))
    assert session.read == [
        "Read: done",
        "Bash: Not executed: this call of Bash was denied. Off_limits_actions: use orders.create.",
        "Edit: no luck",
    ]
    assert session.executed == ["Read", "Edit"]
    assert played.reported() == {"Read": ["succeeded"], "Edit": ["failed"]}
    assert played.checks[0] == {
        "type": "tool_use",
        "toolName": "Read",
        "payload": {"command": "ls"},
        "metadata": {"session": SESSION, "toolCallId": "t1"},
    }


def test_a_denied_call_that_is_made_all_the_same_is_reported(played: PlayedService, tmp_path: Path) -> None:
    played.denied["Bash"] = DENIED
    session = Played(tmp_path, [call("Bash", "t1", anyway=True), call("Bash", "t2", anyway=True, fails=True)])
    session.run(AsyncCountersign("key", AGENT, played.address))
    assert session.executed == ["Bash", "Bash"]
    assert played.reported() == {"Bash": ["succeeded", "failed"]}


@pytest.mark.parametrize("fail_mode", ["closed", "throw"])
def test_nothing_is_done_where_the_service_is_not_there(tmp_path: Path, fail_mode: Any) -> None:
    session = Played(tmp_path, [call("Bash", "t1")])
    session.run(AsyncCountersign("key", AGENT, NOWHERE, retries=0, fail_mode=fail_mode))
    assert "Not executed" in session.read[0]
    assert session.executed == []


def test_nothing_is_done_where_a_caller_fails_to_name_the_action(played: PlayedService, tmp_path: Path) -> None:
    session = Played(tmp_path, [call("Bash", "t1")])
    session.run(AsyncCountersign("key", AGENT, played.address), action=lambda one: {"cost": one.input["nothing"]})
    assert session.read == [
        "Bash: Not executed: it could not be checked whether this may be done (KeyError: 'nothing'). Tell the user."
    ]
    assert (session.executed, played.checks) == ([], [])


def test_what_is_let_through_without_a_decision_is_done(tmp_path: Path) -> None:
    session = Played(tmp_path, [call("Bash", "t1")])
    session.run(AsyncCountersign("key", AGENT, NOWHERE, retries=0, fail_mode="open"))
    assert (session.read, session.executed) == (["Bash: done"], ["Bash"])


def test_the_same_id_in_two_sessions_is_two_checks(played: PlayedService, tmp_path: Path) -> None:
    for _ in range(2):
        Played(tmp_path, [call("Read", "t1")]).run(AsyncCountersign("key", AGENT, played.address))
    named = {"idempotency_key": lambda one: f"{one.metadata['session']}/{one.tool_call_id}"}
    Played(tmp_path, [call("Read", "t1")]).run(AsyncCountersign("key", AGENT, played.address), **named)
    assert len(set(played.keys)) == 3
    assert played.keys[2] == f"{SESSION}/t1"
    assert played.reported() == {"Read": ["succeeded"] * 3}


def test_hooks_of_others_stand_beside_them(played: PlayedService, tmp_path: Path) -> None:
    seen: List[str] = []

    async def see(said: Any, *_: Any) -> Any:
        seen.append(said["tool_name"])
        return {}

    client = AsyncCountersign("key", AGENT, played.address)
    hooks = guard_hooks(client)
    hooks["PreToolUse"].append(HookMatcher(hooks=[see]))
    session = Played(tmp_path, [call("Read", "t1")]).run_hooks(hooks, client)
    assert (session.executed, seen) == (["Read"], ["Read"])


def test_the_program_is_configured_to_block_if_a_hook_does_not_answer() -> None:
    (before,) = guard_hooks(AsyncCountersign("key", AGENT, NOWHERE))["PreToolUse"]
    assert before.on_failure == "block"
    assert before.matcher is None
    assert before.timeout is not None
    assert before.timeout > 5
    with pytest.raises(TypeError, match="AsyncCountersign"):
        guard_hooks(Countersign("key", AGENT, NOWHERE))  # type: ignore[arg-type]
