"""One event's inclusion proof: its form, its event, and its root."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .findings import Findings
from .forms import is_base58, is_count, is_event_id, is_hash, is_name, milliseconds
from .memo import window_seconds
from .merkle import agent_key, leaf_hash, root_from_path, window_leaf
from .strict_json import canonical_bytes

_UNANCHORED = frozenset(("eventId", "anchored"))


def check_proof(event: Mapping[str, Any], proof: Any, sequence: Optional[int], path: str, findings: Findings) -> bool:
    """Checks one proof except its transaction; ``True`` if it is anchored and holds so far.

    :param event: a leaf event
    :param sequence: its number, if known
    """
    before = len(findings)
    if not _has_form(proof):
        findings.add("proof-form", path, "the proof has not its form")
        return False
    if proof["eventId"] != event["eventId"]:
        findings.add("proof-event-differs", path, "the proof names another event")
        return False
    if proof["anchored"] is False:
        return False
    agent = proof["agent"]
    if agent["agentKey"] != agent_key(event["agentId"]):
        findings.add("proof-agent-differs", path, "the proof is of another agent")
        return False
    count = agent["lastSequence"] - agent["firstSequence"] + 1
    position_differs = sequence is not None and proof["leafIndex"] != sequence - agent["firstSequence"]
    if proof["treeSize"] != count or position_differs:
        findings.add("proof-place-differs", path, "the place in the tree is not that of the event")
        return False
    leaf = leaf_hash(canonical_bytes(event))
    if root_from_path(leaf, proof["leafIndex"], proof["treeSize"], proof["path"]) != agent["agentRoot"]:
        findings.add("proof-root-differs", f"{path}.path", "the event does not lead to the root of its agent")
        return False
    in_window = window_leaf(agent["agentKey"], agent["agentRoot"], count, agent["firstSequence"], agent["lastSequence"])
    if root_from_path(in_window, agent["leafIndex"], agent["treeSize"], agent["path"]) != proof["merkleRoot"]:
        findings.add("proof-root-differs", f"{path}.agent.path", "the agent does not lead to the root of the window")
    return len(findings) == before


def _has_form(proof: Any) -> bool:
    if not isinstance(proof, dict) or not is_event_id(proof.get("eventId")):
        return False
    if proof.get("anchored") is False:
        return proof.keys() == _UNANCHORED
    agent = proof.get("agent")
    return (
        proof.get("anchored") is True
        and _is_place(proof)
        and isinstance(agent, dict)
        and _is_place(agent)
        and is_hash(agent.get("agentKey"))
        and is_hash(agent.get("agentRoot"))
        and is_count(agent.get("firstSequence"), 1)
        and is_count(agent.get("lastSequence"), 1)
        and is_hash(proof.get("merkleRoot"))
        and is_base58(proof.get("txSignature"))
        and is_name(proof.get("network"))
        and is_window(proof.get("windowStart"), proof.get("windowEnd"))
    )


def _is_place(value: Mapping[str, Any]) -> bool:
    path = value.get("path")
    return (
        is_count(value.get("leafIndex"))
        and is_count(value.get("treeSize"), 1)
        and isinstance(path, list)
        and all(is_hash(item) for item in path)
    )


def is_window(start: Any, end: Any) -> bool:
    """Two times that define a window: whole seconds apart, the first a multiple of that since 1970."""
    first, last = milliseconds(start), milliseconds(end)
    return first is not None and last is not None and window_seconds(first, last) is not None
