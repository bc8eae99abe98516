import asyncio
import os

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, TextBlock, query

from countersign import AsyncCountersign
from countersign.adapters.claude_agent_sdk import guard_hooks


async def main() -> None:
    async with AsyncCountersign(
        os.environ["COUNTERSIGN_API_KEY"], os.environ["COUNTERSIGN_AGENT_ID"], os.environ["COUNTERSIGN_BASE_URL"]
    ) as countersign:
        options = ClaudeAgentOptions(allowed_tools=["Read", "Bash"], hooks=guard_hooks(countersign))
        async for message in query(prompt="What does notes.txt say? Then remove it.", options=options):
            if isinstance(message, AssistantMessage):
                for block in message.content:
                    if isinstance(block, TextBlock):
                        print(block.text)


asyncio.run(main())
