import asyncio
import os

from agents import Agent, Runner, function_tool

from countersign import AsyncCountersign
from countersign.adapters.openai_agents import guard_tools


@function_tool
def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    print(f"ordered for {amount}")
    return "order-1"


@function_tool
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


async def main() -> None:
    async with AsyncCountersign(
        os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
    ) as countersign:
        tools = guard_tools(countersign, [create_order, wire_money])
        agent = Agent(name="clerk", instructions="Buy what is asked for.", tools=[*tools])
        result = await Runner.run(agent, "Order for 12.50 dollars, then pay.")
        print(result.final_output)


asyncio.run(main())
