"""Human oversight: what people decided about the agents' actions, counted from the events of a package."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from .forms import is_count, is_text, milliseconds, utf16_order
from .opening import shown_by

FAST_MS = 3000
_ENDS = ("approved", "denied", "expired", "pending")

Entry = Mapping[str, Any]
Key = Tuple[Optional[str], Optional[str]]


class _Figures:
    """Counts of one person, or of one rule."""

    def __init__(self) -> None:
        self.count = dict.fromkeys((*_ENDS, "shown"), 0)
        self.times: List[int] = []

    def of(self, *names: str) -> Dict[str, int]:
        return {name: self.count[name] for name in names}

    def speed(self) -> Dict[str, Optional[int]]:
        ordered = sorted(self.times)
        median = ordered[(len(ordered) - 1) // 2] if ordered else None
        return {"medianMs": median, "under3s": sum(ms < FAST_MS for ms in ordered)}


class _Approval:
    """The events of one approval, of each type the first in the package."""

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.rule: Key = (event["agentId"], event["rule"])
        self.events: Dict[str, Entry] = {}

    @property
    def end(self) -> str:
        decided, expired = self.events.get("approval.decided"), self.events.get("approval.expired")
        if decided is not None:
            return str(decided["event"]["outcome"])
        if expired is None:
            return "pending"
        return "approved" if expired["event"]["outcome"] in ("unused", "used") else "expired"

    @property
    def latency(self) -> Optional[int]:
        requested, decided = self.events.get("approval.requested"), self.events.get("approval.decided")
        if requested is None or decided is None:
            return None
        start, end = (milliseconds(one["event"]["occurredAt"]) for one in (requested, decided))
        return None if start is None or end is None else max(0, end - start)


def oversight_of(entries: List[Entry]) -> Dict[str, Any]:
    """The member ``oversight`` that the entries of a package give, as "Human oversight" of FORMAT.md says."""
    totals = dict.fromkeys(("requested", "earlier", *_ENDS), 0)
    not_shown = {"withheld": 0, "erased": 0}
    every = _Figures()
    rules: Dict[Key, _Figures] = {}
    people: Dict[Key, _Figures] = {}
    for approval in _approvals(entries):
        of_rule = rules.setdefault(approval.rule, _Figures())
        totals["requested" if "approval.requested" in approval.events else "earlier"] += 1
        totals[approval.end] += 1
        of_rule.count[approval.end] += 1
        latency = approval.latency
        if latency is not None:
            of_rule.times.append(latency)
            every.times.append(latency)
        last = approval.events.get("approval.decided", approval.events.get("approval.expired"))
        if last is None:
            continue
        decisions = _decisions(last)
        if decisions is None:
            not_shown["erased" if "erased" in last else "withheld"] += 1
        for one in decisions or []:
            person = people.setdefault((one["by"], one["role"]), _Figures())
            person.count["approved" if one["decision"] == "approve" else "denied"] += 1
            person.count["shown"] += is_text(one.get("shownSha256"))
            person.times.append(one["latencyMs"])
    return {
        "totals": totals,
        "consumed": sum(entry["event"]["type"] == "approval.consumed" for entry in entries),
        "latency": {"of": len(every.times), **every.speed()},
        "people": [
            {"by": key[0], "role": key[1], **found.of("approved", "denied", "shown"), **found.speed()}
            for key, found in _listed(people)
        ],
        "rules": [
            {"agentId": key[0], "rule": key[1], **found.of(*_ENDS), **found.speed()} for key, found in _listed(rules)
        ],
        "notShown": not_shown,
    }


def _approvals(entries: List[Entry]) -> List[_Approval]:
    found: Dict[Tuple[str, str], _Approval] = {}
    for entry in sorted(entries, key=lambda one: one["sequence"]):
        event = entry["event"]
        kind, check = event["type"], event["refersTo"]
        is_end = kind == "approval.expired" or (
            kind == "approval.decided" and event["outcome"] in ("approved", "denied")
        )
        if check is not None and (is_end or kind == "approval.requested"):
            approval = found.setdefault((event["agentId"], check), _Approval(event))
            approval.events.setdefault(kind, entry)
    return list(found.values())


def _decisions(entry: Entry) -> Optional[List[Mapping[str, Any]]]:
    """The decisions that an end commits to; ``None``: they are not shown, or contradict the leaf."""
    opening = entry["opened"].get("action")
    shown = None if opening is None else shown_by(opening)
    if shown is None or not shown.whole or not isinstance(shown.value, dict):
        return None
    kind, outcome = entry["event"]["type"], entry["event"]["outcome"]
    if kind == "approval.expired" and outcome not in ("unused", "used") and "by" not in shown.value:
        return []
    earlier = shown.value.get("earlier", [])
    if not isinstance(earlier, list):
        return None
    decisions = [*earlier, shown.value]
    if not all(map(_is_decision, decisions)):
        return None
    contradicts = kind == "approval.decided" and (decisions[-1]["decision"] == "approve") != (outcome == "approved")
    return None if contradicts else decisions


def _is_decision(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and is_text(value.get("by"))
        and is_text(value.get("role"))
        and is_count(value.get("latencyMs"))
        and is_text(value.get("decision"))
        and value["decision"] in ("approve", "deny")
    )


def _listed(figures: Mapping[Key, _Figures]) -> List[Tuple[Key, _Figures]]:
    """Ascending by the parts of their keys; ``None`` precedes all text."""
    return sorted(figures.items(), key=lambda item: [(part is not None, utf16_order(part or "")) for part in item[0]])
