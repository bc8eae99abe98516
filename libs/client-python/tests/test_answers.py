"""The meaning of answers, in addition to the shared cases."""

from __future__ import annotations

from typing import Any, List

import pytest
from fault_server import FaultServer

from countersign import CheckResult, Countersign, CountersignError, LimitBudget
from countersign.result import undecided

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"


def test_findings_in_a_text_are_returned() -> None:
    found = {"category": "length", "pii_kind": "email", "matched_topic": "merger", "length": 7}
    denied = {"status": 200, "body": {"allowed": False, "reason": "no", "severity": "P1", **found}}
    with FaultServer([denied]) as server, Countersign("key", AGENT, server.address) as client:
        result = client.check("llm_response")
    assert (result.category, result.pii_kind, result.matched_topic, result.length) == ("length", "email", "merger", 7)


def _budget_read(budget: object) -> object:
    denied = {"status": 200, "body": {"allowed": False, "reason": "no", "severity": "P2", "budget": budget}}
    with FaultServer([denied]) as server, Countersign("key", AGENT, server.address) as client:
        return client.check("tool_use").budget


def test_the_budget_of_a_limit_is_returned_whole_or_not_at_all() -> None:
    budget = {"unit": "sum", "window_seconds": 60, "limit": "5", "consumed": "4.5", "remaining": "0.5"}
    assert _budget_read({**budget, "resets_at": None}) == LimitBudget("sum", 60, "5", "4.5", "0.5", None)
    at = "2026-11-21T12:00:10.000Z"
    assert _budget_read({**budget, "resets_at": at}) == LimitBudget("sum", 60, "5", "4.5", "0.5", at)
    malformed: List[Any] = [{**budget, "limit": 5}, {**budget, "unit": "other"}, {**budget, "resets_at": 5}, [], "x"]
    for wrong in malformed:
        assert _budget_read(wrong) is None


def test_a_result_shows_what_it_says_and_no_more() -> None:
    assert repr(CheckResult(True, event_id="e")) == "CheckResult(allowed=True, event_id='e')"
    result = undecided(CountersignError("timeout", "no answer within 2 s"), False)
    assert repr(result) == (
        "CheckResult(allowed=False, reason='No decision: no answer within 2 s', severity='P1', "
        "violations=('timeout',), error=CountersignError(timeout: no answer within 2 s))"
    )


@pytest.mark.parametrize("status", [403, 429])
def test_a_refusal_without_a_code_is_none_of_the_agent_or_the_plan(status: int) -> None:
    refusal = {"status": status, "body": {"error": "too many requests from this address"}}
    with FaultServer([refusal]) as server, Countersign("key", AGENT, server.address, fail_mode="open") as client:
        result = client.check("a")
        assert (result.allowed, result.violations, len(server.seen)) == (False, ("refused",), 1)


def test_an_answer_that_is_too_large_is_none() -> None:
    large = {"status": 200, "body": '{"allowed":true,"x":"' + "x" * 2_000_000 + '"}'}
    with FaultServer([large]) as server, Countersign("key", AGENT, server.address, retries=0) as client:
        assert client.check("a").violations == ("invalid_response",)


def test_a_key_that_is_repeated_is_no_answer() -> None:
    twice = {"status": 200, "body": '{"allowed":false,"allowed":true}'}
    with FaultServer([twice]) as server, Countersign("key", AGENT, server.address, retries=0) as client:
        assert client.check("a").violations == ("invalid_response",)
