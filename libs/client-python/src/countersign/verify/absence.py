"""Proofs that an agent had no event in an anchored window."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .chain import ChainCheck, ChainFacts
from .findings import NO_VOUCHER, Findings, Verification, Vouched
from .forms import is_base58, is_count, is_hash, is_name, is_uuid
from .merkle import agent_key, root_from_path, window_leaf
from .proof import is_window


def verify_absence(absence: Any, chain: Optional[ChainFacts] = None) -> Verification:
    """Verifies that two adjacent agents enclose the agent; the chain vouches for the root."""
    findings = Findings()
    check = ChainCheck(chain, findings)
    holds = _check_tree(absence, findings)
    if holds:
        check.check_window(absence, absence["treeSize"], "txSignature")
    answered = holds and check.unanswered == 0
    known = chain is not None and chain.authorities is not None
    not_checked = [] if answered else ["the chain: without it nothing is proven"]
    if answered and not known:
        not_checked.append("who anchored: no authority was given")
    checked = ["two adjacent agents enclose the agent"] if holds else []
    if answered:
        not_checked += check.network_notes()
    vouched = NO_VOUCHER if findings.problems else Vouched(issuer=False, anchor=answered and known)
    return Verification(findings.problems, checked, not_checked, False, answered, answered and known, vouched=vouched)


def _check_tree(absence: Any, findings: Findings) -> bool:
    if not _has_form(absence):
        findings.add("absence-form", "", "the proof of absence has not its form")
        return False
    key, size = absence["agentKey"], absence["treeSize"]
    before, after = absence["before"], absence["after"]
    if key != agent_key(absence["agentId"]):
        findings.add("absence-agent-differs", "agentKey", "it is the key of another agent")
        return False
    if (before is not None and before["leaf"]["agentKey"] >= key) or (
        after is not None and key >= after["leaf"]["agentKey"]
    ):
        findings.add("absence-order-differs", "before", "the two agents do not enclose it")
        return False
    if not _are_adjacent(before, after, size):
        findings.add("absence-neighbours-apart", "after", "the two agents are not adjacent")
        return False
    for name, adjacent in (("before", before), ("after", after)):
        if adjacent is not None and not _leads(adjacent, size, absence["merkleRoot"]):
            findings.add("absence-root-differs", name, "the leaf does not lead to the root")
            return False
    return True


def _are_adjacent(before: Optional[Mapping[str, Any]], after: Optional[Mapping[str, Any]], size: int) -> bool:
    if before is None:
        return after is not None and after["leafIndex"] == 0
    following: int = before["leafIndex"] + 1
    if after is None:
        return following == size
    return bool(after["leafIndex"] == following)


def _leads(adjacent: Mapping[str, Any], size: int, root: str) -> bool:
    leaf = adjacent["leaf"]
    hashed = window_leaf(
        leaf["agentKey"], leaf["agentRoot"], leaf["count"], leaf["firstSequence"], leaf["lastSequence"]
    )
    return root_from_path(hashed, adjacent["leafIndex"], size, adjacent["path"]) == root


def _has_form(absence: Any) -> bool:
    return (
        isinstance(absence, dict)
        and type(absence.get("v")) is int
        and absence["v"] == 1
        and absence.get("kind") == "absence"
        and is_uuid(absence.get("agentId"))
        and is_hash(absence.get("agentKey"))
        and all(name in absence and _is_leaf_with_path(absence[name]) for name in ("before", "after"))
        and is_count(absence.get("treeSize"), 1)
        and is_hash(absence.get("merkleRoot"))
        and is_base58(absence.get("txSignature"))
        and is_name(absence.get("network"))
        and is_window(absence.get("windowStart"), absence.get("windowEnd"))
    )


def _is_leaf_with_path(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not isinstance(value.get("leaf"), dict):
        return False
    leaf, path = value["leaf"], value.get("path")
    counts = all(is_count(leaf.get(name), 1) for name in ("count", "firstSequence", "lastSequence"))
    return (
        counts
        and leaf["count"] == leaf["lastSequence"] - leaf["firstSequence"] + 1
        and is_hash(leaf.get("agentKey"))
        and is_hash(leaf.get("agentRoot"))
        and is_count(value.get("leafIndex"))
        and isinstance(path, list)
        and all(is_hash(item) for item in path)
    )
