"""The Python client as rows of the table of ``test-e2e/src/clients/surfaces.test.ts``: what its checks are named by."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable, Dict

import httpx
import pytest
from service import Service

from countersign import AsyncCountersign, Countersign

WHO: Dict[str, Any] = {"session": "s-1", "principal": "ann@shop.example"}
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
PROFILE = {
    "facts": [{"id": "asked", "set_when": "true"}],
    "limits": [{"id": "by-session", "key": "session", "max_count": 2, "window_seconds": 3600}],
    "rules": [
        {
            "id": "who",
            "when": "session == 's-1' && principal == 'ann@shop.example'",
            "effect": "deny_unless",
        }
    ],
}


def by_call(service: Service, agent_id: str) -> bool:
    with Countersign(service.api_key, agent_id, service.address) as client:
        return client.check("tool_use", tool_name="lookup", traceparent=TRACE, **WHO).allowed


def by_constructor(service: Service, agent_id: str) -> bool:
    with Countersign(
        service.api_key, agent_id, service.address, session="another", principal=WHO["principal"]
    ) as client:
        return client.guard("tool_use", lambda: True, session="s-1", traceparent=TRACE)


def asynchronously(service: Service, agent_id: str) -> bool:
    async def checked() -> bool:
        async def done() -> bool:
            return True

        async with AsyncCountersign(service.api_key, agent_id, service.address, **WHO) as client:
            return await client.guard("tool_use", done, traceparent=TRACE)

    return asyncio.run(checked())


@pytest.mark.parametrize("ask", [by_call, by_constructor, asynchronously])
def test_facts_limits_rules_and_who_asks_reach_it(service: Service, ask: Callable[[Service, str], bool]) -> None:
    agent_id = service.new_agent(PROFILE)
    assert [ask(service, agent_id), ask(service, agent_id)] == [True, True]
    ends_at = time.monotonic() + 30
    events: Any = []
    while len(events) < 2 and time.monotonic() < ends_at:
        events = service.ask("GET", f"/v1/events?agentId={agent_id}&type=action.checked")["events"]
    context = service.ask("GET", f"/v1/events/{events[0]['eventId']}")["opened"]["context"]["value"]
    assert context["seen"]["limits"] == {"by-session": "1"}
    expected = {"effect": "allow", "facts": ["asked"], "trace": TRACE, **WHO}
    assert {name: context[name] for name in expected} == expected


@pytest.mark.parametrize("name", ["session", "principal", "traceparent"])
def test_text_that_no_header_can_have_is_refused_before_a_request(name: str) -> None:
    def no_request(_: httpx.Request) -> httpx.Response:
        raise AssertionError("a request was sent")

    with httpx.Client(transport=httpx.MockTransport(no_request)) as http:
        client = Countersign("k", "a", http_client=http)

        def refused(value: Any) -> None:
            given: Dict[str, Any] = {name: value}
            client.check("tool_use", **given)

        for value in ("", " a", "a\n", "ä", "x" * 201):
            with pytest.raises(ValueError, match=name):
                refused(value)
        with pytest.raises(TypeError, match=name):
            refused(1)
        if name != "traceparent":
            constructed: Dict[str, Any] = {name: "ä"}
            with pytest.raises(ValueError, match=name):
                Countersign("k", "a", **constructed)
