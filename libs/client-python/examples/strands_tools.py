import json
import os
from typing import Any, AsyncIterator

from strands import Agent, tool
from strands.models import Model

from countersign import Countersign
from countersign.adapters.strands import guard_plugin


@tool
def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


@tool
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


class Scripted(Model):
    """In place of a model, such as BedrockModel(…)."""

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        results = [part["toolResult"] for part in messages[-1]["content"] if "toolResult" in part]
        calls = [] if results else [("create_order", 12.5), ("wire_money", 900)]
        yield {"messageStart": {"role": "assistant"}}
        for name, amount in calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": name}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps({"amount": amount})}}}}
            yield {"contentBlockStop": {}}
        if results:
            text = "\n".join(f"{one['toolUseId']}: {one['content'][0]['text']}" for one in results)
            yield {"contentBlockDelta": {"delta": {"text": text}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if results else "tool_use"}}


with Countersign(
    os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
) as countersign:
    guard = guard_plugin(countersign, action=lambda call: {"estimated_cost": call.input["amount"]})
    agent = Agent(Scripted(), tools=[create_order, wire_money], plugins=[guard], callback_handler=None)
    print(agent("Order, then pay."))
