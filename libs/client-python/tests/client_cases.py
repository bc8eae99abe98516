"""Runs a case of test-e2e/client-cases with either client, and compares the result."""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from vectors import REPOSITORY

from countersign import (
    ActionDeniedError,
    AgentRecord,
    AsyncCountersign,
    CheckResult,
    CircuitBreakerOptions,
    Countersign,
    CountersignError,
)

_FOLDER = REPOSITORY / "test-e2e" / "client-cases"
_SNAKE = {
    "actionType": "action_type",
    "toolName": "tool_name",
    "dataScope": "data_scope",
    "estimatedCost": "estimated_cost",
    "eventId": "event_id",
    "violationType": "violation_type",
    "piiKind": "pii_kind",
    "matchedTopic": "matched_topic",
    "upgradeUrl": "upgrade_url",
    "failedOpen": "failed_open",
    "nextAction": "next_action",
    "wouldDeny": "would_deny",
    "idempotentReplay": "idempotent_replay",
    "createdAt": "created_at",
    "blockchainSsn": "blockchain_ssn",
    "behaviorProfile": "behavior_profile",
    "registeredByKey": "registered_by_key",
}
RESULT_MEMBERS = (
    "allowed violations violationType rule severity category piiKind matchedTopic length "
    "coverage upgradeUrl failedOpen wouldDeny idempotentReplay reason eventId decision nextAction patch missing"
).split()


class Failed(Exception):
    """Raised by an executed action if a case says that it fails."""


@dataclass
class Happened:
    results: List[CheckResult]
    raised: Optional[BaseException]
    executed: bool
    denied: int = 0
    reports_failed: int = 0
    registered: Optional[AgentRecord] = None

    def member(self, name: str) -> Any:
        """A member of the last result, ``None`` if it is not set."""
        value = getattr(self.results[-1], _SNAKE.get(name, name))
        if name in ("failedOpen", "idempotentReplay"):
            return value or None
        return list(value) if isinstance(value, tuple) else value

    def count_failed_report(self, *_: Any) -> None:
        self.reports_failed += 1

    def error(self) -> Dict[str, Any]:
        found = self.raised if isinstance(self.raised, CountersignError) else self.results[-1].error
        assert found is not None, "no error"
        wait = None if found.retry_after is None else found.retry_after * 1000
        return {"code": found.code, "status": found.status, "retryAfterMs": wait}


def cases(file: str) -> List[Any]:
    found: List[Any] = json.loads((_FOLDER / file).read_text("utf-8"))["cases"]
    return found


def run_sync(case: Mapping[str, Any], address: str, api_key: str, agent_id: str) -> Happened:
    denials: List[CheckResult] = []
    happened = Happened([], None, False)

    def execute() -> str:
        happened.executed = True
        if case.get("fails"):
            raise Failed
        return "done"

    arguments, options = _constructor(case, address, api_key, agent_id)
    key = _key_of(case)
    options["on_report_failed"] = happened.count_failed_report
    with Countersign(*arguments, on_denied=lambda result, _: denials.append(result), **options) as client:
        for _ in range(case.get("times", 1)):
            _collect(happened, lambda: _call(client, case, execute, key))
    happened.denied = len(denials)
    return happened


def run_async(case: Mapping[str, Any], address: str, api_key: str, agent_id: str) -> Happened:
    denials: List[CheckResult] = []
    happened = Happened([], None, False)

    async def execute() -> str:
        happened.executed = True
        if case.get("fails"):
            raise Failed
        return "done"

    async def on_denied(result: CheckResult, _: Any) -> None:
        denials.append(result)

    async def run() -> None:
        arguments, options = _constructor(case, address, api_key, agent_id)
        key = _key_of(case)
        options["on_report_failed"] = happened.count_failed_report
        async with AsyncCountersign(*arguments, on_denied=on_denied, **options) as client:
            for _ in range(case.get("times", 1)):
                try:
                    value = await _call(client, case, execute, key)
                    _keep(happened, value)
                except (CountersignError, Failed) as error:
                    _keep_error(happened, error)

    asyncio.run(run())
    happened.denied = len(denials)
    return happened


def check_expected(case: Mapping[str, Any], happened: Happened) -> None:
    """Compares the call itself with the case; the requests to its server are compared by the test."""
    expected = case["expect"]
    for name in RESULT_MEMBERS:
        if name not in expected:
            continue
        if expected[name] == "same":
            ids = {result.event_id for result in happened.results}
            assert len(happened.results) > 1
            assert len(ids) == 1
            assert None not in ids
        else:
            _compare(name, expected[name], happened.member(name))
    for name, value in expected.get("registered", {}).items():
        _compare(f"registered.{name}", value, getattr(happened.registered, _SNAKE.get(name, name)))
    for name, value in expected.get("error", {}).items():
        _compare(f"error.{name}", value, happened.error()[name])
    for part in expected.get("reasonHas", []):
        assert part in (happened.member("reason") or "")
    if "throws" in expected:
        thrown = None if happened.raised is None else type(happened.raised).__name__
        assert thrown == expected["throws"]
    elif happened.raised is not None:
        raise happened.raised
    figures = {"executed": happened.executed, "denied": happened.denied, "reportsFailed": happened.reports_failed}
    for name, actual in figures.items():
        if name in expected:
            assert actual == expected[name], name


def _compare(name: str, expected: Any, actual: Any) -> None:
    if expected == "*":
        assert isinstance(actual, str), name
        assert actual != "", name
    else:
        assert actual == expected, name
        assert type(actual) is type(expected) or isinstance(actual, float), name


def _constructor(
    case: Mapping[str, Any], address: str, api_key: str, agent_id: str
) -> Tuple[Tuple[str, str, str], Dict[str, Any]]:
    given = dict(case.get("client", {}))
    arguments = (given.pop("apiKey", api_key), given.pop("agentId", agent_id), address)
    options: Dict[str, Any] = {}
    for name, value in given.items():
        if name == "failMode":
            options["fail_mode"] = value
        elif name == "retries":
            options["retries"] = value
        elif name == "circuitBreaker":
            options["circuit_breaker"] = (
                CircuitBreakerOptions(value["failures"], value["cooldownMs"] / 1000) if value else None
            )
        elif name in ("timeoutMs", "attemptTimeoutMs"):
            options["timeout" if name == "timeoutMs" else "attempt_timeout"] = value / 1000
        else:
            raise AssertionError(f"{name} is no option of the cases")
    return arguments, options


def _key_of(case: Mapping[str, Any]) -> Optional[str]:
    return str(uuid.uuid4()) if case.get("times", 1) > 1 else None


def _call(client: Any, case: Mapping[str, Any], execute: Callable[[], Any], key: Optional[str]) -> Any:
    call = case.get("call", "check")
    if call == "scan":
        return client.scan(case["text"])
    if call == "reportOutcome":
        report = {_SNAKE.get(name, name): value for name, value in case["report"].items()}
        return client.report_outcome(**report)
    if call == "register":
        return client.register(**case["register"])
    action = {_SNAKE.get(name, name): value for name, value in case["action"].items()}
    if call == "guard":
        return client.guard(action, execute)
    return client.check(action, idempotency_key=key)


def _collect(happened: Happened, call: Callable[[], Any]) -> None:
    try:
        _keep(happened, call())
    except (CountersignError, Failed) as error:
        _keep_error(happened, error)


def _keep(happened: Happened, value: Any) -> None:
    if isinstance(value, CheckResult):
        happened.results.append(value)
    if isinstance(value, AgentRecord):
        happened.registered = value


def _keep_error(happened: Happened, error: BaseException) -> None:
    happened.raised = error
    if isinstance(error, ActionDeniedError):
        happened.results.append(error.result)
