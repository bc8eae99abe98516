"""What the adapters have in common."""

from __future__ import annotations

import asyncio
from typing import Any, List

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import ActionDeniedError, AsyncCountersign, CheckResult, Countersign
from countersign.adapters.tool_call import NotExecutedError, ToolCall, ToolGuard, words_for

CALL = ToolCall("wire", {"amount": 1}, "c")


@pytest.mark.parametrize(
    ("violations", "instead"),
    [
        (None, "Not executed: this call of wire was denied. Use orders.create."),
        (("unreachable",), "Go on without it, or try again later."),
        (("circuit_open",), "Go on without it, or try again later."),
        (("agent_frozen",), "Another try will not change that: say so to whoever asked."),
        (("unauthorized",), "Another try will not change that: say so to whoever asked."),
    ],
)
def test_the_model_is_told_why_and_what_to_do_instead(violations: Any, instead: str) -> None:
    words = words_for(CALL, CheckResult(False, reason="use orders.create", violations=violations))
    assert words.startswith("Not executed: ")
    assert "Use orders.create." in words
    assert words.endswith(instead)


def test_a_denial_inside_of_a_call_is_the_calls_own_failure(played: PlayedService) -> None:
    played.denied["inner"] = DENIED
    guard = ToolGuard()

    def execute() -> None:
        raise ActionDeniedError(CheckResult(False, reason="of something else"))

    async def execute_async() -> None:
        execute()

    async def run() -> None:
        async with AsyncCountersign("key", AGENT, played.address) as client:
            await guard.execute_async(client, CALL, execute_async)

    with Countersign("key", AGENT, played.address) as client, pytest.raises(ActionDeniedError, match="something else"):
        guard.execute(client, CALL, execute)
    with pytest.raises(ActionDeniedError, match="something else"):
        asyncio.run(run())
    assert played.told() == {"wire": ["failed", "failed"]}


@pytest.mark.parametrize("payload", [float("nan"), "\ud800", object(), {1: {2: object()}}])
def test_what_has_no_json_form_is_not_executed(played: PlayedService, payload: Any) -> None:
    executed: List[Any] = []
    with Countersign("key", AGENT, played.address) as client, pytest.raises(NotExecutedError, match="cannot be asked"):
        ToolGuard().execute(client, ToolCall("wire", payload), lambda: executed.append(payload))
    assert (executed, played.checks) == ([], [])


def test_a_caller_says_who_acts_and_which_check_it_is(played: PlayedService) -> None:
    guard = ToolGuard(agent_id=lambda _: "another", idempotency_key=lambda call: f"run/{call.tool_call_id}")
    with Countersign("key", AGENT, played.address) as client:
        assert guard.execute(client, CALL, lambda: 7) == 7
    assert (played.keys, guard.call_options_of(CALL)["agent_id"]) == (["run/c"], "another")
