"""The members of a package, schemaVersion 1.0.0, and the form of each."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from .commitment import COMMITMENTS
from .forms import is_base58, is_count, is_hash, is_name, is_text, is_time, is_uuid
from .opening import is_opening
from .proof import is_window

FRAMEWORKS = ("soc2", "euaiact", "hipaa", "sr11-7", "sr26-2", "nydfs")
STATUSES = ("Satisfied", "Prevented", "Gap, review required")
RELATIONS = ("direct", "supporting", "contextual")

Form = Callable[[Any], bool]


def _or_null(form: Form) -> Form:
    return lambda value: value is None or form(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_hash_list(value: Any) -> bool:
    return isinstance(value, list) and all(is_hash(item) for item in value)


def _one_of(*values: str) -> Form:
    return lambda value: is_text(value) and value in values


_SCOPE = frozenset(("soc2", "hipaa", "euaiact", "nydfs"))
_PACKAGE: Mapping[str, Form] = {
    "reportId": is_uuid,
    "generator": _is_object,
    "range": _is_object,
    "frameworks": lambda value: _is_list(value) and all(is_text(item) and item in FRAMEWORKS for item in value),
    "mapping": _is_object,
    "scope": lambda value: _is_object(value) and value.keys() >= _SCOPE,
    "statements": _is_list,
    "anchorAuthorities": _is_list,
    "agents": _is_list,
    "events": _is_list,
    "inclusionProofs": _is_list,
    "windows": _is_list,
    "summary": _is_object,
    "timestamp": _is_object,
}
_OPTIONAL: Mapping[str, Form] = {
    "signedPages": lambda value: value is True,
    "audit": _is_object,
    "mappingRows": _is_list,
    "redecision": _is_object,
    "oversight": _is_object,
}
_PREPARER: Mapping[str, Form] = {"id": is_name, "name": is_text}
_REVIEW: Mapping[str, Form] = {"by": is_text, "on": is_text}
_AUDIT: Mapping[str, Form] = {
    "organisation": is_text,
    "system": _or_null(is_text),
    "environment": _or_null(is_text),
    "preparedBy": _is_object,
    "mappingReview": _or_null(_is_object),
}
_REDECISION: Mapping[str, Form] = {
    "rule": is_text,
    "engine": _is_object,
    "totals": _is_object,
    "breaks": _is_list,
}
_ENGINE: Mapping[str, Form] = {"engine": is_text, "detectors": is_text}
_VERDICTS = ("same", "different", "withheld", "erased", "not_checked")
_TOTALS: Mapping[str, Form] = dict.fromkeys(
    ("checks", *_VERDICTS, "otherEngine", "agents", "continuous", "broken", "missing"), is_count
)
_BREAK: Mapping[str, Form] = {
    "agentId": is_uuid,
    "sequence": lambda value: is_count(value, 1),
    "balance": is_text,
}
_FIGURES_OF_DECISIONS: Mapping[str, Form] = {
    "approved": is_count,
    "denied": is_count,
    "medianMs": _or_null(is_count),
    "under3s": is_count,
}
_OVERSIGHT: Mapping[str, Form] = {
    "totals": _is_object,
    "consumed": is_count,
    "latency": _is_object,
    "people": _is_list,
    "rules": _is_list,
    "notShown": _is_object,
}
_OVERSIGHT_PARTS: Mapping[str, Mapping[str, Form]] = {
    "totals": dict.fromkeys(("requested", "earlier", "approved", "denied", "expired", "pending"), is_count),
    "latency": {"of": is_count, "medianMs": _or_null(is_count), "under3s": is_count},
    "notShown": {"withheld": is_count, "erased": is_count},
}
_OVERSIGHT_LISTS: Mapping[str, Mapping[str, Form]] = {
    "people": {"by": is_text, "role": is_text, "shown": is_count, **_FIGURES_OF_DECISIONS},
    "rules": {
        "agentId": is_uuid,
        "rule": _or_null(is_text),
        "expired": is_count,
        "pending": is_count,
        **_FIGURES_OF_DECISIONS,
    },
}
_MAPPING_ROW: Mapping[str, Form] = {
    "framework": _one_of(*FRAMEWORKS),
    "controlId": is_name,
    "relation": _one_of(*RELATIONS),
    "rationale": is_text,
    "source": _is_object,
}
_SOURCE: Mapping[str, Form] = {"edition": is_text, "url": is_text}
_TEXTS: Tuple[Tuple[str, Mapping[str, Form]], ...] = (
    ("generator", {"name": is_text, "version": is_text}),
    ("range", {"from": is_time, "to": is_time}),
    ("mapping", {"version": is_text, "sha256": is_hash}),
)
_STATEMENT: Mapping[str, Form] = {"framework": _one_of(*FRAMEWORKS), "text": is_text}
_AUTHORITY: Mapping[str, Form] = {
    "address": is_base58,
    "network": is_name,
    "validFrom": _or_null(is_time),
    "validTo": _or_null(is_time),
}
_AGENT: Mapping[str, Form] = {
    "id": is_uuid,
    "name": is_text,
    "type": _or_null(is_text),
    "purpose": _or_null(is_text),
    "version": _or_null(is_text),
    "status": is_text,
    "blockchain_ssn": _or_null(is_text),
    "wallet_address": _or_null(is_base58),
    "chain_tx_signature": _or_null(is_base58),
    "firstSequence": _or_null(lambda value: is_count(value, 1)),
    "lastSequence": _or_null(lambda value: is_count(value, 1)),
    "count": is_count,
    "anchors": _is_list,
}
_ANCHOR: Mapping[str, Form] = {
    "merkle_root": is_hash,
    "chain_tx_signature": is_base58,
    "chain_block_height": is_count,
    "anchored_at": is_time,
    "window_start": is_time,
    "window_end": is_time,
}
_ENTRY: Mapping[str, Form] = {
    "event": _is_object,
    "sequence": lambda value: is_count(value, 1),
    "opened": _is_object,
    "status": _one_of(*STATUSES),
    "statusReason": _or_null(is_text),
    "controls": _is_list,
}
_CONTROL: Mapping[str, Form] = {
    "framework": _one_of(*FRAMEWORKS),
    "controlId": is_name,
    "title": is_text,
    "relation": _one_of(*RELATIONS),
    "status": _one_of(*STATUSES),
}
_WINDOW: Mapping[str, Form] = {
    "agentId": is_uuid,
    "windowStart": is_time,
    "windowEnd": is_time,
    "merkleRoot": is_hash,
    "txSignature": is_base58,
    "network": is_name,
    "leaf": _is_object,
    "leafIndex": is_count,
    "treeSize": lambda value: is_count(value, 1),
    "path": _is_hash_list,
}
_WINDOW_LEAF: Mapping[str, Form] = {
    "agentKey": is_hash,
    "agentRoot": is_hash,
    "count": lambda value: is_count(value, 1),
    "firstSequence": lambda value: is_count(value, 1),
    "lastSequence": lambda value: is_count(value, 1),
}
_FIGURES = "events allowed denied frozen capped satisfied prevented gap anchored unanchored".split()
_TIMESTAMP: Mapping[str, Form] = {
    "issued_at": is_time,
    "anchor": is_name,
    "anchor_tx_signature": _or_null(is_base58),
    "anchor_block_height": _or_null(is_count),
    "message": is_text,
}


def misshapen(package: Mapping[str, Any]) -> Optional[str]:
    """The path of the first missing or malformed member; ``None`` if there is none."""
    return next((path for path in _paths(package) if path is not None), None)


def _paths(package: Mapping[str, Any]) -> Iterator[Optional[str]]:
    """Each check relies on those before it."""
    yield _wrong_member(package, _PACKAGE, "")
    yield next((name for name, form in _OPTIONAL.items() if name in package and not form(package[name])), None)
    for name, forms in _TEXTS:
        yield _wrong_member(package[name], forms, name)
    yield _wrong_in_list(package["statements"], _STATEMENT, "statements")
    yield _wrong_in_list(package["anchorAuthorities"], _AUTHORITY, "anchorAuthorities")
    yield _wrong_in_list(package["agents"], _AGENT, "agents", _wrong_agent)
    yield _wrong_in_list(package["events"], _ENTRY, "events", _wrong_entry)
    yield "inclusionProofs" if len(package["inclusionProofs"]) != len(package["events"]) else None
    yield _wrong_in_list(package["windows"], _WINDOW, "windows", _wrong_window)
    yield _wrong_summary(package["summary"])
    yield _wrong_timestamp(package["timestamp"])
    if "audit" in package:
        yield wrong_audit(package["audit"])
    if "mappingRows" in package:
        yield _wrong_in_list(package["mappingRows"], _MAPPING_ROW, "mappingRows", _wrong_mapping_row)
        yield _unlisted_control(package["mappingRows"], package["events"])
    if "redecision" in package:
        yield _wrong_redecision(package["redecision"])
    if "oversight" in package:
        yield _wrong_oversight(package["oversight"])


def _wrong_member(value: Any, forms: Mapping[str, Form], path: str) -> Optional[str]:
    if not isinstance(value, dict):
        return path
    for name, form in forms.items():
        if name not in value or not form(value[name]):
            return f"{path}.{name}" if path else name
    return None


def _wrong_in_list(
    items: List[Any],
    forms: Mapping[str, Form],
    path: str,
    further: Optional[Callable[[Dict[str, Any], str], Optional[str]]] = None,
) -> Optional[str]:
    for index, item in enumerate(items):
        item_path = f"{path}[{index}]"
        found = _wrong_member(item, forms, item_path)
        if found is None and further is not None:
            found = further(item, item_path)
        if found is not None:
            return found
    return None


def _wrong_agent(agent: Dict[str, Any], path: str) -> Optional[str]:
    return _wrong_in_list(agent["anchors"], _ANCHOR, f"{path}.anchors")


def _wrong_entry(entry: Dict[str, Any], path: str) -> Optional[str]:
    for mark in ("erased", "outsideRange"):
        if mark in entry and entry[mark] is not True:
            return f"{path}.{mark}"
    for name in COMMITMENTS:
        if name in entry["opened"] and not is_opening(name, entry["opened"][name]):
            return f"{path}.opened.{name}"
    return _wrong_in_list(entry["controls"], _CONTROL, f"{path}.controls")


def _wrong_window(window: Dict[str, Any], path: str) -> Optional[str]:
    leaf = window["leaf"]
    found = _wrong_member(leaf, _WINDOW_LEAF, f"{path}.leaf")
    if found is None and leaf["count"] != leaf["lastSequence"] - leaf["firstSequence"] + 1:
        return f"{path}.leaf.count"
    if found is None and not is_window(window["windowStart"], window["windowEnd"]):
        return f"{path}.windowStart"
    return found


def _wrong_summary(summary: Mapping[str, Any]) -> Optional[str]:
    for name in _FIGURES:
        if not is_count(summary.get(name)):
            return f"summary.{name}"
    violations, outcomes = summary.get("byViolation"), summary.get("outcomes")
    if not isinstance(violations, dict) or not all(is_count(figure) for figure in violations.values()):
        return "summary.byViolation"
    if not isinstance(outcomes, dict) or not all(is_count(outcomes.get(name)) for name in ("reported", "of")):
        return "summary.outcomes"
    return None


def wrong_audit(audit: Dict[str, Any]) -> Optional[str]:
    """The first member of ``audit`` that is missing or has not its form."""
    found = _wrong_member(audit, _AUDIT, "audit")
    if found is None:
        found = _wrong_member(audit["preparedBy"], _PREPARER, "audit.preparedBy")
    if found is None and audit["mappingReview"] is not None:
        found = _wrong_member(audit["mappingReview"], _REVIEW, "audit.mappingReview")
    return found


def _wrong_redecision(stated: Dict[str, Any]) -> Optional[str]:
    """The verdicts add up to the checks, and there is a break for each agent with broken balances."""
    found = _wrong_member(stated, _REDECISION, "redecision")
    if found is None:
        found = _wrong_member(stated["engine"], _ENGINE, "redecision.engine")
    if found is None:
        found = _wrong_member(stated["totals"], _TOTALS, "redecision.totals")
    if found is None:
        found = _wrong_in_list(stated["breaks"], _BREAK, "redecision.breaks")
    if found is None and sum(stated["totals"][name] for name in _VERDICTS) != stated["totals"]["checks"]:
        return "redecision.totals"
    if found is None and len(stated["breaks"]) != stated["totals"]["broken"]:
        return "redecision.breaks"
    return found


def _wrong_oversight(stated: Dict[str, Any]) -> Optional[str]:
    found = _wrong_member(stated, _OVERSIGHT, "oversight")
    for name, forms in _OVERSIGHT_PARTS.items():
        if found is None:
            found = _wrong_member(stated[name], forms, f"oversight.{name}")
    for name, forms in _OVERSIGHT_LISTS.items():
        if found is None:
            found = _wrong_in_list(stated[name], forms, f"oversight.{name}")
    return found


def _wrong_mapping_row(row: Dict[str, Any], path: str) -> Optional[str]:
    return _wrong_member(row["source"], _SOURCE, f"{path}.source")


def _unlisted_control(rows: List[Any], entries: List[Any]) -> Optional[str]:
    """One row for each control of an entry, and none twice."""
    listed = {_row_key(row) for row in rows}
    if len(listed) != len(rows):
        return "mappingRows"
    if any(_row_key(control) not in listed for entry in entries for control in entry["controls"]):
        return "mappingRows"
    return None


def _row_key(row: Mapping[str, Any]) -> Tuple[str, str, str]:
    return row["framework"], row["controlId"], row["relation"]


def _wrong_timestamp(timestamp: Dict[str, Any]) -> Optional[str]:
    found = _wrong_member(timestamp, _TIMESTAMP, "timestamp")
    if found is not None:
        return found
    named = [timestamp[name] is not None for name in ("anchor_tx_signature", "anchor_block_height")]
    return None if named == [timestamp["anchor"] != "pending"] * 2 else "timestamp.anchor"
