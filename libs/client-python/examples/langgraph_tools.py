import os

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from countersign import Countersign
from countersign.adapters.langchain import guard_tools


@tool
def create_order(amount: float) -> str:
    """Orders goods for so many dollars."""
    return f"order-1 over {amount}"


@tool
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    raise AssertionError("never reached: it is off limits")


countersign = Countersign(
    os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
)
tools = guard_tools(
    countersign,
    [create_order, wire_money],
    action=lambda call: {"estimated_cost": call.input["amount"]},
)

# A scripted model; yours is a chat model with .bind_tools(tools).
calls = [
    {"name": "create_order", "args": {"amount": 12.5}, "id": "call-1"},
    {"name": "wire_money", "args": {"amount": 900}, "id": "call-2"},
]
model = GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=calls), AIMessage("I ordered.")]))

graph = StateGraph(MessagesState)
graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
graph.add_node("tools", ToolNode(tools))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")

for message in graph.compile().invoke({"messages": [HumanMessage("Order, then pay.")]})["messages"]:
    print(f"{message.type}: {message.content}")
