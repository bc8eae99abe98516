"""Tools of LangChain that its decorator did not create: classes, and tools from a schema or from a text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from played_service import AGENT, PlayedService

from countersign import AsyncCountersign, Countersign
from countersign.adapters.langchain import guard_tools

pytest.importorskip("langchain_core")

from langchain_core.tools import BaseTool, StructuredTool, Tool


class Whole(BaseTool):
    """A tool that is a class."""

    name: str = "whole"
    description: str = "Echoes."

    def _run(self, text: str) -> str:
        return f"whole {text}"


SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}}
OF_A_SCHEMA = StructuredTool(name="by_schema", description="…", args_schema=SCHEMA, func=lambda **given: str(given))
OF_A_TEXT = Tool(name="by_text", description="…", func=lambda text: f"text {text}")
KINDS = [
    (Whole(), {"text": "t"}, "whole t", {"text": "t"}),
    (OF_A_SCHEMA, {"amount": 1}, "{'amount': 1}", {"amount": 1}),
    (OF_A_TEXT, {"__arg1": "t"}, "text t", "t"),
]


@pytest.mark.parametrize(("kind", "given", "content", "payload"), KINDS, ids=[one[0].name for one in KINDS])
def test_tools_of_every_kind(played: PlayedService, kind: BaseTool, given: Any, content: str, payload: Any) -> None:
    call = {"name": kind.name, "args": given, "id": "1", "type": "tool_call"}

    async def run() -> Any:
        async with AsyncCountersign("key", AGENT, played.address) as client:
            return await guard_tools(client, [kind])[0].ainvoke(call)

    with Countersign("key", AGENT, played.address) as client:
        messages = [guard_tools(client, [kind])[0].invoke(call), asyncio.run(run())]
    assert [(one.status, one.content) for one in messages] == [("success", content)] * 2
    assert [one["payload"] for one in played.checks] == [payload] * 2
    assert played.reported() == {kind.name: ["succeeded"] * 2}
