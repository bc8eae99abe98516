import asyncio
import os

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from countersign import AsyncCountersign
from countersign.adapters.pydantic_ai import guard_capability


def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """In place of a model, such as Agent("anthropic:…")."""
    results = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    if results:
        return ModelResponse(parts=[TextPart("\n".join(f"{part.tool_name}: {part.content}" for part in results))])
    calls = [ToolCallPart("create_order", {"amount": 12.5}), ToolCallPart("wire_money", {"amount": 900})]
    return ModelResponse(parts=calls)


async def main() -> None:
    async with AsyncCountersign(
        os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
    ) as countersign:
        guard = guard_capability(countersign, action=lambda call: {"estimated_cost": call.input["amount"]})
        agent = Agent(FunctionModel(scripted), tools=[create_order, wire_money], capabilities=[guard])
        print((await agent.run("Order, then pay.")).output)


asyncio.run(main())
