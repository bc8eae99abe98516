import os

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt

from countersign import Countersign
from countersign.adapters.langchain import guard_tools


@tool
def wire_money(amount: float) -> str:
    """Sends so many dollars."""
    return f"sent {amount}"


countersign = Countersign(
    os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
)
tools = guard_tools(countersign, [wire_money], interrupt=interrupt)

# What a model asked for. Each call is a task of its own, as in create_agent: a resumed graph repeats whole tasks.
call = {"name": "wire_money", "args": {"amount": 900}, "id": "call-1"}
builder = StateGraph(MessagesState)
builder.add_node("tools", ToolNode(tools))
builder.add_conditional_edges(
    START, lambda state: [Send("tools", [one]) for one in state["messages"][-1].tool_calls], ["tools"]
)
graph = builder.compile(checkpointer=InMemorySaver())  # yours: one that is stored

config: RunnableConfig = {"configurable": {"thread_id": "1"}}
state = graph.invoke({"messages": [AIMessage("", tool_calls=[call])]}, config)
while "__interrupt__" in state:
    waits = state["__interrupt__"][0].value
    print(f"{waits['tool_name']} waits: decide at {waits['approval_url']}", flush=True)
    input()  # yours: the webhook approval.decided
    state = graph.invoke(Command(resume=True), config)
print(state["messages"][-1].content)
