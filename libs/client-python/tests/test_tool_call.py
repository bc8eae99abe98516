"""The common parts of the adapters."""

from __future__ import annotations

import asyncio
import json
from typing import Any, List

import pytest
from client_cases import cases
from played_service import AGENT, DENIED, PlayedService

from countersign import ActionDeniedError, AsyncCountersign, CheckResult, Countersign
from countersign.adapters.tool_call import NotExecutedError, ToolCall, ToolGuard, denial_message

CALL = ToolCall("wire", {"amount": 1}, "c")


@pytest.mark.parametrize(
    ("violations", "instead"),
    [
        (None, "Not executed: this call of wire was denied. Use orders.create."),
        (("unreachable",), "Go on without it, or try again later."),
        (("circuit_open",), "Go on without it, or try again later."),
        (("agent_frozen",), "Another try will not change that: say so to the user."),
        (("unauthorized",), "Another try will not change that: say so to the user."),
    ],
)
def test_the_message_has_the_reason_and_advice(violations: Any, instead: str) -> None:
    message = denial_message(CALL, CheckResult(False, reason="use orders.create", violations=violations))
    assert message.startswith("Not executed: ")
    assert "Use orders.create." in message
    assert message.endswith(instead)


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
    assert played.reported() == {"wire": ["failed", "failed"]}


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


@pytest.mark.parametrize("case", cases("tool-calls.json"), ids=lambda case: str(case["name"]))
def test_the_address_of_a_call(case: Any) -> None:
    call = ToolCall("tool", case["input"])
    action = ToolGuard().action_of(call)
    assert (action.get("url"), action.get("payload")) == (case.get("url"), case["input"])


def test_a_caller_says_another_address() -> None:
    guard = ToolGuard(action=lambda _: {"url": "https://b.example/"})
    assert guard.action_of(ToolCall("fetch", {"url": ["https://a.example/"]}))["url"] == "https://b.example/"


def test_the_url_that_a_record_shows_is_one_that_rules_read() -> None:
    for none in ({"to": "https://a.example/"}, {"url": "https://a.example/" + "x" * 65_536}, ["x"], "x", None):
        assert "url" not in ToolGuard().action_of(ToolCall("fetch", none))


def test_a_long_json_text_is_sent_as_what_it_holds() -> None:
    value = {"url": "https://a.example/", "content": "x" * 200_000, "more": "y" * 100_000}
    assert ToolGuard().action_of(ToolCall("write", json.dumps(value)))["payload"] == value
    for text in ("[" + "NaN," * 90_000 + "1]", "x" * 300_000):
        assert "".join(ToolGuard().action_of(ToolCall("write", text))["payload"]).startswith(text[:64_000])


def test_a_long_text_is_sent_in_pieces_of_which_nothing_is_left_out() -> None:
    text = "é€😀x" * 40_000
    call = ToolCall("write", {"a/b~c": [text], "short": "y" * 262_144}, "c")
    action = ToolGuard().action_of(call)
    assert action["metadata"] == {"toolCallId": "c", "inPieces": ["/a~1b~0c/0"]}
    assert action["payload"]["short"] == call.input["short"]
    (pieces,) = action["payload"]["a/b~c"]
    assert max(len(piece.encode("utf-8")) for piece in pieces) <= 262_144
    assert pieces[0] + "".join(piece[4_000:] for piece in pieces[1:]) == text


def test_what_is_larger_than_a_check_is_not_executed() -> None:
    call = ToolCall("write", {"content": "x" * 1_100_000})
    with pytest.raises(NotExecutedError, match=r"take \d+ bytes, and a check takes 1047552"):
        ToolGuard().action_of(call)
    assert ToolGuard(action=lambda _: {"payload": {"sha256": "ab"}}).action_of(call)["payload"] == {"sha256": "ab"}
