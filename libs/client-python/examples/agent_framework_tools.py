import asyncio
import json
import os
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message, tool

from countersign import AsyncCountersign
from countersign.adapters.agent_framework import guard_middleware


@tool(approval_mode="never_require")
def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


@tool(approval_mode="never_require")
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """In place of a model, such as OpenAIChatClient()."""

    async def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
        results = [part for part in messages[-1].contents if part.type == "function_result"]
        calls = [] if results else [("create_order", 12.5), ("wire_money", 900)]
        said = [
            Content.from_function_call(call_id=name, name=name, arguments=json.dumps({"amount": amount}))
            for name, amount in calls
        ]
        text = "\n".join(f"{one.call_id}: {one.result}" for one in results)
        return ChatResponse(messages=[Message("assistant", said or [text])])


async def main() -> None:
    async with AsyncCountersign(
        os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
    ) as countersign:
        guard = guard_middleware(countersign, action=lambda call: {"estimated_cost": call.input["amount"]})
        agent = Agent(Scripted(), tools=[create_order, wire_money], middleware=[guard])
        print(await agent.run("Order, then pay."))


asyncio.run(main())
