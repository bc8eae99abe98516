import asyncio
import os
from typing import Any, AsyncIterator

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from countersign import AsyncCountersign
from countersign.adapters.google_adk import guard_plugin


def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


class Scripted(BaseLlm):
    """In place of a model, such as "gemini-…"."""

    model: str = "scripted"

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        results = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
        calls = [] if results else [("create_order", 12.5), ("wire_money", 900)]
        parts = [types.Part.from_function_call(name=name, args={"amount": amount}) for name, amount in calls]
        text = "\n".join(f"{one.name}: {' '.join(one.response.values())}" for one in results)
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text=text)]))


async def main() -> None:
    async with AsyncCountersign(
        os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
    ) as countersign:
        guard = guard_plugin(countersign, action=lambda call: {"estimated_cost": call.input["amount"]})
        agent = LlmAgent(name="clerk", model=Scripted(), tools=[create_order, wire_money])
        runner = InMemoryRunner(app=App(name="shop", root_agent=agent, plugins=[guard]))
        session = await runner.session_service.create_session(app_name="shop", user_id="ann")
        asked = types.Content(role="user", parts=[types.Part(text="Order, then pay.")])
        async for event in runner.run_async(user_id="ann", session_id=session.id, new_message=asked):
            if event.is_final_response():
                print(event.content.parts[0].text)
        await runner.close()


asyncio.run(main())
