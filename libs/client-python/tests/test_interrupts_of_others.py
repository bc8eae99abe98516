"""Runs of Strands and Google ADK that wait for a person, with the real frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, AsyncIterator, Dict, List

import pytest
from played_service import AGENT, PlayedService, waiting

from countersign import AsyncCountersign, Countersign

pytest.importorskip("strands")
pytest.importorskip("google.adk")

import strands
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from played_strands import Playing
from strands.session.file_session_manager import FileSessionManager

from countersign.adapters import google_adk as of_adk
from countersign.adapters import strands as of_strands

done: List[str] = []
KINDS = [Countersign, AsyncCountersign]
BOTH: List[Any] = [("lookup", {}), ("refund", {"usd": 40.5})]
DECISIONS = ["approved", "denied", "expired", "pending"]
PENDING = {
    "approval_id": "apr_refund",
    "tool_name": "refund",
    "approval_url": waiting("refund")["approval_url"],
    "expires_at": waiting("refund")["expires_at"],
    "reason": "A person approves.",
}


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done.clear()
    monkeypatch.setattr(of_adk, "RESUMED_WAIT", 0.2)
    monkeypatch.setattr(of_strands, "RESUMED_WAIT", 0.2)


def lookup() -> str:
    """Looks up."""
    done.append("lookup")
    return "found"


def refund(usd: float) -> str:
    """Pays back."""
    done.append("refund")
    return f"paid {usd}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decision", DECISIONS)
def test_an_agent_of_strands_is_interrupted_until_the_person_has_decided(
    played: PlayedService, kind: Any, decision: str, tmp_path: Path
) -> None:
    played.approvals["refund"] = "pending"
    read: Dict[str, str] = {}

    async def run(given: Any) -> Any:
        # Another agent each time, with the session that was stored, as in another process.
        client = kind("key", AGENT, played.address)
        agent = strands.Agent(
            Playing(BOTH, read),
            tools=[strands.tool(lookup), strands.tool(refund)],
            plugins=[of_strands.guard_plugin(client, interrupt=True)],
            session_manager=FileSessionManager(session_id="one", storage_dir=str(tmp_path)),
            agent_id="clerk",
            callback_handler=None,
        )
        try:
            return await agent.invoke_async(given)
        finally:
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()

    def answer(result: Any) -> Any:
        return [{"interruptResponse": {"interruptId": one.id, "response": "go on"}} for one in result.interrupts]

    result = asyncio.run(run("Pay."))
    for _ in range(2):
        assert result.stop_reason == "interrupt"
        assert [one.reason for one in result.interrupts] == [{**PENDING, "tool_call_id": "refund"}]
        result = asyncio.run(run(answer(result)))
    assert done == ["lookup"]
    played.approvals["refund"] = decision
    result = asyncio.run(run(answer(result)))
    if decision == "approved":
        assert read["refund"] == "paid 40.5"
    elif decision == "denied":
        assert "A person has denied this." in read["refund"]
    else:
        assert result.stop_reason == "interrupt"
    assert done == (["lookup", "refund"] if decision == "approved" else ["lookup"])


class PlayingAdk(BaseLlm):
    """Calls the tools once, and ends when it has their results, which go to ``read``."""

    model: str = "playing"
    read: Dict[str, Any]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[Any]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        results = [part.function_response for part in parts if part.function_response]
        self.read.update({one.name: one.response for one in results})
        said = [types.Part(text="done")]
        if not results:
            said = [types.Part(function_call=types.FunctionCall(name=name, args=given)) for name, given in BOTH]
        yield LlmResponse(content=types.Content(role="model", parts=said))


class AppOfAdk:
    """An app with one session; each run has a client and an app of its own, as in another process."""

    def __init__(self, kind: Any, played: PlayedService, tools: List[Any], *, interrupt: bool = True) -> None:
        self.read: Dict[str, Any] = {}
        self._sessions = InMemorySessionService()
        self._kind, self._played, self._tools, self._interrupt = kind, played, tools, interrupt

    async def begin(self) -> List[Any]:
        await self._sessions.create_session(app_name="shop", user_id="ann", session_id="one")
        return await self._run([types.Part(text="Pay.")])

    async def answer(self, asked: List[Any], *, confirmed: bool) -> List[Any]:
        given = {"confirmed": confirmed}
        responses = [types.FunctionResponse(id=one.id, name=one.name, response=given) for one in asked]
        return await self._run([types.Part(function_response=one) for one in responses])

    async def _run(self, parts: List[Any]) -> List[Any]:
        """The confirmations that are asked for."""
        client = self._kind("key", AGENT, self._played.address)
        model = PlayingAdk(read={})
        model.read = self.read
        agent = LlmAgent(name="clerk", model=model, tools=self._tools)
        plugin = of_adk.guard_plugin(client, interrupt=self._interrupt)
        runner = Runner(app=App(name="shop", root_agent=agent, plugins=[plugin]), session_service=self._sessions)
        asked = []
        try:
            message = types.Content(role="user", parts=parts)
            async for event in runner.run_async(user_id="ann", session_id="one", new_message=message):
                calls = event.get_function_calls()
                asked += [one for one in calls if one.name == "adk_request_confirmation"]
        finally:
            await runner.close()
            await client.aclose() if isinstance(client, AsyncCountersign) else client.close()
        return asked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decision", DECISIONS)
def test_an_app_of_adk_asks_for_a_confirmation_until_the_person_has_decided(
    played: PlayedService, kind: Any, decision: str
) -> None:
    played.approvals["refund"] = "pending"
    app = AppOfAdk(kind, played, [lookup, refund])
    read = app.read

    async def all_runs() -> List[Any]:
        asked = await app.begin()
        payload = asked[0].args["toolConfirmation"]["payload"]
        assert {**payload, "tool_call_id": ""} == {**PENDING, "tool_call_id": ""}
        assert done == ["lookup"]
        played.approvals["refund"] = decision
        return await app.answer(asked, confirmed=True)

    asked = asyncio.run(all_runs())
    if decision == "approved":
        assert read["refund"] == {"result": "paid 40.5"}
    elif decision == "denied":
        assert "A person has denied this." in read["refund"]["error"]
    else:
        assert "A person approves." in read["refund"]["error"]
    assert [asked, done] == [[], ["lookup", "refund"] if decision == "approved" else ["lookup"]]
    assert all("invocationId" not in check["metadata"] for check in played.checks)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_call_of_adk_that_its_user_does_not_confirm_is_not_executed(played: PlayedService, decision: str) -> None:
    played.approvals["refund"] = "pending"
    app = AppOfAdk(AsyncCountersign, played, [lookup, refund])

    async def all_runs() -> None:
        asked = await app.begin()
        played.approvals["refund"] = decision
        assert await app.answer(asked, confirmed=False) == []

    asyncio.run(all_runs())
    assert done == ["lookup"]
    assert "this call of refund was not confirmed" in app.read["refund"]["error"]
    # The approval is not used up.
    assert played.approvals["refund"] == decision


@pytest.mark.parametrize("asks", [True, lambda usd: usd > 1])
def test_a_tool_of_adk_that_asks_for_a_confirmation_is_denied_instead_of_interrupted(
    played: PlayedService, asks: Any
) -> None:
    played.approvals["refund"] = "pending"
    app = AppOfAdk(AsyncCountersign, played, [lookup, FunctionTool(refund, require_confirmation=asks)])
    assert asyncio.run(app.begin()) == []
    assert done == ["lookup"]
    assert "since the tool asks for a confirmation of its own" in app.read["refund"]["error"]


@pytest.mark.parametrize("interrupt", [True, False])
@pytest.mark.parametrize("confirmed", [True, False])
def test_the_own_question_of_a_tool_of_adk_is_asked_where_no_approval_is_needed(
    played: PlayedService, interrupt: bool, confirmed: bool
) -> None:
    tools = [lookup, FunctionTool(refund, require_confirmation=True)]
    app = AppOfAdk(AsyncCountersign, played, tools, interrupt=interrupt)

    async def all_runs() -> None:
        asked = await app.begin()
        assert [len(asked), done] == [1, ["lookup"]]
        assert await app.answer(asked, confirmed=confirmed) == []

    asyncio.run(all_runs())
    assert done == (["lookup", "refund"] if confirmed else ["lookup"])
