"""The cases shared by all clients, with the synchronous and the asynchronous client."""

from __future__ import annotations

import logging
from typing import Any, Callable

import pytest
from client_cases import Happened, cases, check_expected, run_async, run_sync
from fault_server import FaultServer
from service import Service

Run = Callable[[Any, str, str, str], Happened]
AGENT = "0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77"
FLAVOURS = pytest.mark.parametrize("run", [run_sync, run_async], ids=["sync", "async"])


def _named(case: Any) -> str:
    return str(case["name"])


@FLAVOURS
@pytest.mark.parametrize("case", cases("faults.json"), ids=_named)
def test_a_server_that_plays(case: Any, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    with FaultServer(case["answers"]) as server:
        happened = run(case, server.address, "csn_live_key", AGENT)
    check_expected(case, happened)
    expected = case["expect"]
    checks = [seen for seen in server.seen if seen.path == "/v1/check"]
    if "requests" in expected:
        assert [seen.path for seen in server.seen] == expected["requests"]
    if "sentAction" in expected:
        assert checks[0].body == {"agentId": AGENT, "action": expected["sentAction"]}
    if "sentReport" in expected:
        assert server.seen[-1].body == {"agentId": AGENT, **expected["sentReport"]}
    if "sentAgent" in expected:
        assert server.seen[-1].body == expected["sentAgent"]
    if "idempotencyKeys" in expected:
        assert len({seen.headers.get("idempotency-key") for seen in checks}) == expected["idempotencyKeys"]
    for seen in server.seen:
        assert seen.headers.get("x-service-key") == "csn_live_key"
        assert seen.headers.get("authorization") == "Bearer csn_live_key"


@FLAVOURS
@pytest.mark.parametrize("case", cases("service.json"), ids=_named)
def test_a_service_that_runs(case: Any, run: Run, service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    agent_id = service.new_agent(**case.get("agent", {}))
    check_expected(case, run(case, service.address, service.api_key, agent_id))


def test_the_names_of_the_cases_are_unique() -> None:
    for file in ("faults.json", "service.json"):
        names = [case["name"] for case in cases(file)]
        assert len(names) == len(set(names)) > 20
