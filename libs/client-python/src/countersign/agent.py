"""The record of an agent, as its registration returns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from .result import Answer, invalid, members_of_answer, read_refusal

_ALWAYS = ("id", "name", "status", "created_at", "updated_at")
_OPTIONAL = (
    "type",
    "purpose",
    "version",
    "blockchain_ssn",
    "wallet_address",
    "chain_tx_signature",
    "registered_by_key",
)
_STATES = ("active", "frozen", "inactive")


@dataclass(frozen=True)
class AgentRecord:
    """An agent as the service stores it; ``None``: not set."""

    id: str
    """UUID: the ``agent_id`` of its checks."""
    name: str
    status: str
    """``active``, ``frozen`` or ``inactive``."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    behavior_profile: Mapping[str, Any]
    """Its rules, by the names of the service (``allowed_apis``, ``spending_limit``…)."""
    type: Optional[str] = None
    purpose: Optional[str] = None
    version: Optional[str] = None
    blockchain_ssn: Optional[str] = None
    wallet_address: Optional[str] = None
    chain_tx_signature: Optional[str] = None
    registered_by_key: Optional[str] = None
    """The key that registered it, unless that is the account's first: only a key that names the agent can act as it."""


def read_agent(answer: Answer) -> AgentRecord:
    """Reads the agent in the answer to a registration.

    :raises CountersignError: it was not registered, or the answer is not the service's
    """
    if answer.status != 201:
        raise read_refusal(answer)
    body = members_of_answer(answer)
    profile = body.get("behavior_profile")
    named = {name: body.get(name) for name in (*_ALWAYS, *_OPTIONAL)}
    is_whole = all(isinstance(named[name], str) and named[name] != "" for name in _ALWAYS)
    if not is_whole or named["status"] not in _STATES or not isinstance(profile, dict):
        raise invalid(answer, "it is no agent")
    texts = {name: value for name, value in named.items() if isinstance(value, str)}
    return AgentRecord(behavior_profile=profile, **texts)
