import os
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

from countersign import Countersign
from countersign.adapters.crewai import guard_hooks


@tool
def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


@tool
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


class Scripted(BaseLLM):
    """In place of a model, such as LLM("openai/…")."""

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        results = [f"{one['name']}: {one['content']}" for one in messages if one["role"] == "tool"]
        calls = [("create_order", 12.5), ("wire_money", 900)]
        asked = [{"id": name, "function": {"name": name, "arguments": {"amount": amount}}} for name, amount in calls]
        return "\n".join(results) or asked


with Countersign(
    os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
) as countersign:
    clerk = Agent(
        role="Clerk",
        goal="buy goods",
        backstory="a careful buyer",
        llm=Scripted(model="scripted"),
        tools=[create_order, wire_money],
    )
    task = Task(description="Order, then pay.", expected_output="what was done", agent=clerk)
    with guard_hooks(countersign, action=lambda call: {"estimated_cost": call.input["amount"]}):
        print(Crew(agents=[clerk], tasks=[task]).kickoff())
