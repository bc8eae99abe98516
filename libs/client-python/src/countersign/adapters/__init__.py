"""Checks before the tools of agent frameworks are called: one module per framework, imported by its own name.

``countersign.adapters.langchain``, ``countersign.adapters.openai_agents``, ``countersign.adapters.claude_agent_sdk``.
No framework is needed to install or import this package; each module imports its own when it is used.
"""
