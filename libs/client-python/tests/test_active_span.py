"""Decisions on the active span, with the SDK of OpenTelemetry itself and a running service."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable, Dict, List, Optional

import pytest
from service import Service

from countersign import AsyncCountersign, CheckResult, Countersign
from countersign.active_span import ActiveSpan

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
PROFILE = {"off_limits_actions": ["wire_money"]}


def checked(service: Service, agent_id: str, tool: str, **more: Any) -> CheckResult:
    with Countersign(service.api_key, agent_id, service.address) as client:
        return client.check("tool_use", tool_name=tool, **more)


def checked_later(service: Service, agent_id: str, tool: str, **more: Any) -> CheckResult:
    async def ask() -> CheckResult:
        async with AsyncCountersign(service.api_key, agent_id, service.address) as client:
            return await client.check("tool_use", tool_name=tool, **more)

    return asyncio.run(ask())


def events_of(service: Service, trace: str, newest: Optional[str]) -> List[str]:
    """The events of a trace, once the newest is among them: lists follow the log a moment later."""
    end = time.monotonic() + 30
    while True:
        found = [one["eventId"] for one in service.ask("GET", f"/v1/events?trace={trace}")["events"]]
        if newest in found or time.monotonic() >= end:
            return found
        time.sleep(0.05)


def decisions_on(span: ReadableSpan) -> List[Dict[str, Any]]:
    return [dict(one.attributes or {}) for one in span.events if one.name == "countersign.decision"]


@pytest.mark.parametrize("ask", [checked, checked_later])
def test_a_span_has_the_decision_and_its_trace_finds_the_event(
    service: Service, ask: Callable[..., CheckResult]
) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    agent_id = service.new_agent(PROFILE)
    with provider.get_tracer("test").start_as_current_span("execute_tool") as span:
        allowed = ask(service, agent_id, "lookup")
        denied = ask(service, agent_id, "wire_money")
        elsewhere = ask(service, agent_id, "lookup", traceparent=OTHER)
        trace = f"{span.get_span_context().trace_id:032x}"
    provider.shutdown()
    (ended,) = exporter.get_finished_spans()
    first, second, third = decisions_on(ended)
    assert first.pop("countersign.latency_ms") > 0
    assert first == {"countersign.event_id": allowed.event_id, "countersign.allowed": True}
    assert second["countersign.allowed"] is False
    assert second["countersign.violation_type"] == "off_limits_action"
    assert second["countersign.rule"] == denied.rule
    assert third["countersign.event_id"] == elsewhere.event_id
    assert events_of(service, trace, denied.event_id) == [denied.event_id, allowed.event_id]
    assert elsewhere.event_id in events_of(service, OTHER[3:35], elsewhere.event_id)


def test_there_is_none_outside_of_a_span() -> None:
    assert ActiveSpan.of_now() is None


def test_a_span_that_fails_changes_nothing() -> None:
    class Failing:
        def is_recording(self) -> bool:
            raise RuntimeError("no")

    ActiveSpan(Failing(), OTHER).record(CheckResult(allowed=True))
