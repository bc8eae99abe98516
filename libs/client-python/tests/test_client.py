"""Specific to the Python clients: arguments, threads, connections, cancellation, slow answers."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

import httpx
import pytest
from fault_server import FaultServer

from countersign import ActionDeniedError, AsyncCountersign, CheckResult, Countersign, CountersignError
from countersign.circuit_breaker import CircuitBreaker, CircuitBreakerOptions

AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
EVENT = "01890a5d-ac96-774b-bcce-b302099a8057"
ALLOWED = {"status": 200, "body": {"allowed": True}, "headers": {"x-event-id": EVENT}}
REPORTED = {"status": 201, "body": {"eventId": EVENT}}


@pytest.mark.parametrize(
    ("api_key", "agent_id", "options"),
    [
        ("", AGENT, {}),
        ("csn_live_a b", AGENT, {}),
        ("key", "", {}),
        ("key", AGENT, {"base_url": "ftp://127.0.0.1"}),
        ("key", AGENT, {"base_url": "127.0.0.1:8080"}),
        ("key", AGENT, {"base_url": "http://"}),
        ("key", AGENT, {"base_url": "http://[::1"}),
        ("key", AGENT, {"timeout": 0}),
        ("key", AGENT, {"retries": -1}),
        ("key", AGENT, {"fail_mode": "ajar"}),
        ("key", AGENT, {"circuit_breaker": CircuitBreakerOptions(0, 1)}),
        ("key", AGENT, {"circuit_breaker": CircuitBreakerOptions(1, -1)}),
    ],
)
def test_a_client_is_not_made_of_what_is_malformed(api_key: str, agent_id: str, options: Dict[str, Any]) -> None:
    for kind in (Countersign, AsyncCountersign):
        with pytest.raises(ValueError, match=r"\w"):
            kind(api_key, agent_id, **options)


def test_a_client_is_not_made_of_what_is_of_another_kind() -> None:
    for kind, other in ((Countersign, httpx.AsyncClient()), (AsyncCountersign, httpx.Client())):
        with pytest.raises(TypeError, match="http_client"):
            kind("key", AGENT, http_client=other)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="circuit_breaker"):
            kind("key", AGENT, circuit_breaker=True)  # type: ignore[arg-type]


def test_the_ways_to_name_an_action_are_one() -> None:
    with FaultServer([ALLOWED]) as server, Countersign("key", AGENT, server.address + "/v1/") as client:
        client.check("http_call", url="https://a.example/")
        client.check(action_type="http_call", url="https://a.example/")
        client.check({"action_type": "http_call", "url": "https://a.example/"})
        client.check({"type": "http_call"}, url="https://a.example/")
    assert len(server.seen) == 4
    assert all(one.path == "/v1/check" for one in server.seen)
    assert all(one.body == server.seen[0].body for one in server.seen)


@pytest.mark.parametrize(
    ("action", "members", "error"),
    [
        (None, {}, TypeError),
        (7, {}, TypeError),
        ([1], {}, TypeError),
        ("", {}, TypeError),
        ({"url": "https://a.example/"}, {}, TypeError),
        ({"action_type": 7}, {}, TypeError),
        ("a", {"action_type": "b"}, TypeError),
        ("a", {"payload": object()}, TypeError),
        ("a", {"payload": float("nan")}, ValueError),
        ("a", {"payload": "\ud800"}, ValueError),
        ("a", {"idempotency_key": "two words"}, ValueError),
        ("a", {"agent_id": ""}, ValueError),
        ("a", {"agent_id": 7}, ValueError),
    ],
)
def test_what_is_no_action_is_not_sent(action: Any, members: Dict[str, Any], error: type) -> None:
    with FaultServer([ALLOWED]) as server:
        with Countersign("key", AGENT, server.address) as client, pytest.raises(error):
            client.check(action, **members)
        assert server.seen == []


def test_connections_are_used_again() -> None:
    with FaultServer([ALLOWED]) as server, Countersign("key", AGENT, server.address) as client:
        for _ in range(20):
            assert client.check("a")
        assert server.connections == 1


def test_many_threads_use_one_client() -> None:
    with FaultServer([ALLOWED]) as server, Countersign("key", AGENT, server.address) as client:
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: client.check("a"), range(64)))
        assert all(result.allowed for result in results)
        assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 64


def test_a_client_of_your_own_stays_open() -> None:
    with FaultServer([ALLOWED]) as server, httpx.Client() as http:
        with Countersign("key", AGENT, server.address, http_client=http) as client:
            assert client.check("a")
        assert not http.is_closed


def test_guard_hands_arguments_on_and_reports_what_was_raised() -> None:
    failures: List[Any] = []
    with FaultServer([ALLOWED, {"status": 500, "body": ""}]) as server:
        options: Dict[str, Any] = {"retries": 0, "on_report_failed": lambda *arguments: failures.append(arguments)}
        with Countersign("key", AGENT, server.address, **options) as client:
            assert client.guard("a", lambda one, two: one + two, 1, 2) == 3
    ((error, event_id, outcome),) = failures
    assert isinstance(error, CountersignError)
    assert (error.code, event_id, outcome) == ("unavailable", EVENT, "succeeded")


def test_a_report_that_fails_replaces_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("in a hook")

    async def run(address: str) -> int:
        async with AsyncCountersign("key", AGENT, address, retries=0, on_report_failed=fail) as client:
            return await client.guard("a", lambda: 2)

    with FaultServer([ALLOWED, {"status": 500, "body": ""}] * 2 + [ALLOWED]) as server:
        with Countersign("key", AGENT, server.address, retries=0, on_report_failed=fail) as client:
            assert client.guard("a", lambda: 1) == 1
            with pytest.raises(ZeroDivisionError):
                client.guard("a", lambda: 1 / 0)
        assert asyncio.run(run(server.address)) == 2
    assert [one.exc_info is not None for one in caplog.records] == [True] * 3


def test_what_is_executed_by_a_client_that_was_closed_is_given_and_said_to_be_unreported() -> None:
    calls: List[Any] = []
    with FaultServer([ALLOWED]) as server:
        client = Countersign("key", AGENT, server.address, on_report_failed=lambda *one: calls.append(one))

        def close() -> int:
            client.close()
            return 3

        assert client.guard("a", close) == 3
    ((error, event_id, outcome),) = calls
    assert (error.code, event_id, outcome) == ("unreachable", EVENT, "succeeded")


def test_a_service_that_speaks_http_is_named_where_https_is_asked_for() -> None:
    with FaultServer([ALLOWED]) as server:
        address = server.address.replace("http:", "https:")
        with Countersign("key", AGENT, address, retries=0) as client:
            result = client.check("a")
    assert not result.allowed
    assert "the service speaks http here" in str(result.error)


def test_an_agent_id_is_required() -> None:
    with FaultServer([ALLOWED]) as server, Countersign("key", AGENT, server.address) as client:
        for call in (
            lambda: client.guard("a", pytest.fail, agent_id=""),
            lambda: client.scan("text", agent_id=""),
            lambda: client.report_outcome(EVENT, "failed", agent_id=""),
        ):
            with pytest.raises(ValueError, match="agent_id"):
                call()
        assert server.seen == []


def test_a_hook_is_given_the_whole_action_however_it_was_named() -> None:
    calls: List[Any] = []

    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address, on_denied=lambda _, action: calls.append(action)) as client:
            await client.check("http_call", url="u", tool_name="t")

    with FaultServer([{"status": 200, "body": {"allowed": False, "reason": "no", "severity": "P1"}}]) as server:
        with Countersign("key", AGENT, server.address, on_denied=lambda _, action: calls.append(action)) as client:
            client.check("http_call", url="u", tool_name="t")
            client.check(action_type="http_call", url="u", tool_name="t")
            client.check({"type": "http_call", "url": "u"}, toolName="t")
        asyncio.run(run(server.address))
    assert calls == [{"action_type": "http_call", "url": "u", "tool_name": "t"}] * 4


def test_a_denial_says_why() -> None:
    denied = {"status": 200, "body": {"allowed": False, "reason": "off limits", "severity": "P1"}}
    with FaultServer([denied]) as server, Countersign("key", AGENT, server.address) as client:
        with pytest.raises(ActionDeniedError, match="off limits") as caught:
            client.guard("a", pytest.fail)
        assert caught.value.result.severity == "P1"


def test_what_is_cancelled_is_reported_and_stays_cancelled() -> None:
    async def run(address: str) -> None:
        async with AsyncCountersign("key", AGENT, address) as client:
            begun = asyncio.Event()

            async def act() -> None:
                begun.set()
                await asyncio.sleep(3600)

            task = asyncio.ensure_future(client.guard("a", act))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with FaultServer([ALLOWED, REPORTED]) as server:
        asyncio.run(run(server.address))
    assert [seen.path for seen in server.seen] == ["/v1/check", "/v1/mcp/log"]
    assert server.seen[1].body["outcome"] == "failed"


def test_many_tasks_use_one_client() -> None:
    async def run(address: str) -> List[CheckResult]:
        async with AsyncCountersign("key", AGENT, address) as client:
            return await asyncio.gather(*(client.check("a") for _ in range(32)))

    with FaultServer([ALLOWED]) as server:
        assert all(asyncio.run(run(server.address)))


def test_one_call_tries_after_the_cooldown() -> None:
    now = 100.0
    breaker = CircuitBreaker(CircuitBreakerOptions(failures=2, cooldown=10.0), lambda: now)
    breaker.failed("no answer")
    assert breaker.admits()
    breaker.failed("no answer")
    assert not breaker.admits()
    now = 110.0
    assert (breaker.admits(), breaker.admits()) == (True, False)
    breaker.ended(False)
    assert breaker.admits()
    breaker.failed("no answer")
    assert not breaker.admits()
    now = 120.0
    assert breaker.admits()
    breaker.ended(True)
    assert (breaker.admits(), breaker.admits()) == (True, True)
