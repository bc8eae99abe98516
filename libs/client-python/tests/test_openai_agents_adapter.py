"""Tools of the OpenAI Agents SDK, with the real framework and a scripted model."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any, Dict, List, Sequence

import pytest
from played_service import AGENT, DENIED, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.openai_agents import guard_tools

pytest.importorskip("agents")

from agents import (
    Agent,
    FunctionTool,
    ModelResponse,
    Runner,
    ToolGuardrailFunctionOutput,
    Usage,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
    tool_input_guardrail,
)
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)
done: List[str] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


@function_tool
def order(amount: float) -> str:
    """Orders."""
    done.append("order")
    return f"ordered {amount}"


@function_tool
async def order_later(amount: float) -> str:
    """Orders, asynchronously."""
    await asyncio.sleep(0)
    done.append("order_later")
    return f"ordered {amount} later"


@function_tool
def fail(why: str) -> str:
    """Fails."""
    raise RuntimeError(why)


@function_tool(failure_error_function=lambda _, error: f"in other words: {error}")
def fail_in_words(why: str) -> str:
    """Fails."""
    raise RuntimeError(why)


@function_tool(failure_error_function=None)
def fail_loudly(why: str) -> str:
    """Fails."""
    raise RuntimeError(why)


@function_tool
def wire(amount: float) -> str:
    """Sends money."""
    done.append("wire")
    return "sent"


class Playing(Model):
    """Calls tools in its first turn, and ends in its second."""

    def __init__(self, calls: Sequence[Sequence[str]]) -> None:
        self._calls = calls
        self.read: Dict[str, Any] = {}

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        outputs = [one for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"]
        self.read = {one["call_id"]: one["output"] for one in outputs}
        said: List[Any] = [
            ResponseFunctionToolCall(call_id=call_id, name=name, arguments=arguments, type="function_call")
            for call_id, name, arguments in self._calls
        ]
        if outputs:
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            said = [ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")]
        return ModelResponse(output=said, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def play(client: Any, tools: Sequence[FunctionTool], *calls: Sequence[str], **options: Any) -> Dict[str, Any]:
    """The results of its calls, as the model reads them."""
    model = Playing(calls)

    async def run() -> None:
        agent = Agent(name="clerk", model=model, tools=list(guard_tools(client, tools, **options)))
        try:
            result = await Runner.run(agent, "Buy.")
            assert result.final_output == "done"
        finally:
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    asyncio.run(run())
    return model.read


ALL = [order, order_later, fail, fail_in_words, wire]


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_what_is_allowed_is_executed_and_the_model_reads_why_not(played: PlayedService, kind: Any) -> None:
    played.denied["wire"] = DENIED
    read = play(
        kind("key", AGENT, played.address),
        ALL,
        ("1", "order", '{"amount":1}'),
        ("2", "order_later", '{"amount":2}'),
        ("3", "fail", '{"why":"no luck"}'),
        ("4", "fail_in_words", '{"why":"no luck"}'),
        ("5", "wire", '{"amount":3}'),
    )
    assert (read["1"], read["2"]) == ("ordered 1.0", "ordered 2.0 later")
    assert "An error occurred" in read["3"]
    assert read["4"] == "in other words: no luck"
    assert read["5"] == "Not executed: this call of wire was denied. Off_limits_actions: use orders.create."
    assert sorted(done) == ["order", "order_later"]
    failed, succeeded = ["failed"], ["succeeded"]
    assert played.reported() == {
        "order": succeeded,
        "order_later": succeeded,
        "fail": failed,
        "fail_in_words": failed,
    }
    checks = {one["toolName"]: one for one in played.checks}
    assert checks["order"] == {
        "type": "tool_use",
        "toolName": "order",
        "payload": {"amount": 1},
        "metadata": {"toolCallId": "1"},
    }


def test_a_tool_that_is_to_end_the_run_does(played: PlayedService) -> None:
    with pytest.raises(Exception, match="no luck"):
        play(AsyncCountersign("key", AGENT, played.address), [fail_loudly], ("1", "fail_loudly", '{"why":"no luck"}'))
    assert played.reported() == {"fail_loudly": ["failed"]}


@pytest.mark.parametrize("kind", [AsyncCountersign, Countersign])
def test_what_is_cancelled_is_reported_as_failed(played: PlayedService, kind: Any) -> None:
    async def run() -> None:
        begun = asyncio.Event()

        @function_tool
        async def wait(hours: int) -> str:
            """Waits."""
            begun.set()
            await asyncio.sleep(hours * 3600)
            return "over"

        client = kind("key", AGENT, played.address)
        agent = Agent(
            name="clerk", model=Playing([("1", "wait", '{"hours":1}')]), tools=list(guard_tools(client, [wait]))
        )
        task = asyncio.ensure_future(Runner.run(agent, "Wait."))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(500):
            if played.outcomes:
                break
            await asyncio.sleep(0.02)
        await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    asyncio.run(run())
    assert played.reported() == {"wait": ["failed"]}


def test_nothing_is_executed_where_the_service_is_not_there() -> None:
    client = AsyncCountersign("key", AGENT, "http://127.0.0.1:1", retries=0)
    read = play(client, [order], ("1", "order", '{"amount":1}'))
    assert read["1"].startswith("Not executed: whether order may be called was not decided")
    assert done == []


def test_arguments_that_are_no_json_are_asked_about_as_they_are(played: PlayedService) -> None:
    read = play(AsyncCountersign("key", AGENT, played.address), [order], ("1", "order", '{"amount":'))
    assert (played.checks[0]["payload"], done) == ('{"amount":', [])
    assert played.reported() == {"order": ["failed"]}
    assert "1" in read


def test_arguments_that_cannot_be_sent_are_not_executed(played: PlayedService) -> None:
    read = play(AsyncCountersign("key", AGENT, played.address), [order], ("1", "order", '{"amount":NaN}'))
    assert read["1"].startswith("Not executed: whether order may be called cannot be asked.")
    assert (played.checks, done) == ([], [])


def test_the_same_call_id_in_two_runs_is_two_checks(played: PlayedService) -> None:
    for _ in range(2):
        play(AsyncCountersign("key", AGENT, played.address), [order], ("call_0", "order", '{"amount":1}'))
    assert len(set(played.keys)) == 2
    named = {"idempotency_key": lambda call: f"run-7/{call.tool_call_id}", "action": lambda call: {"estimated_cost": 1}}
    play(AsyncCountersign("key", AGENT, played.address), [order], ("call_0", "order", '{"amount":1}'), **named)
    assert (played.keys[2], played.checks[2]["estimatedCost"]) == ("run-7/call_0", 1)


def test_a_tool_keeps_its_guardrails_and_its_schema(played: PlayedService) -> None:
    @tool_input_guardrail
    def no_more_than_ten(data: Any) -> ToolGuardrailFunctionOutput:
        if json.loads(data.context.tool_arguments)["amount"] > 10:
            return ToolGuardrailFunctionOutput.reject_content("too much")
        return ToolGuardrailFunctionOutput.allow()

    @function_tool(tool_input_guardrails=[no_more_than_ten])
    def buy(amount: float) -> str:
        """Buys."""
        return "bought"

    client = AsyncCountersign("key", AGENT, played.address)
    (guarded,) = guard_tools(client, [buy])
    assert (guarded.name, guarded.params_json_schema) == (buy.name, buy.params_json_schema)
    assert play(client, [buy], ("1", "buy", '{"amount":11}'))["1"] == "too much"
    assert played.checks == []


def test_a_tool_whose_executions_or_failures_would_not_be_seen_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    client = AsyncCountersign("key", AGENT, "http://127.0.0.1:1")
    with pytest.raises(TypeError, match="no FunctionTool"):
        guard_tools(client, [WebSearchTool()])  # type: ignore[list-item]
    older = copy.copy(order)
    del older._failure_error_function
    monkeypatch.delattr(FunctionTool, "_failure_error_function")
    with pytest.raises(TypeError, match="not known"):
        guard_tools(client, [older])
