"""Steps 6, 7 and 9 of a package: single events, agent sequences, statuses and figures."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from .commitment import COMMITMENTS
from .context import what_is_wrong_with_context
from .findings import Findings
from .forms import milliseconds
from .leaf import what_is_wrong_with_leaf
from .opening import Shown, opened_commitment, shown_by
from .oversight import oversight_of
from .proof import check_proof
from .status import Story, summary_of
from .strict_json import canonical_bytes, sha256_hex


def check_entries(package: Mapping[str, Any], findings: Findings) -> List[int]:
    """Checks leaves, openings, marks, controls and proofs; gives indexes of events with a valid anchored proof."""
    start, end = milliseconds(package["range"]["from"]), milliseconds(package["range"]["to"])
    seen: Dict[str, int] = {}
    proven: List[int] = []
    for index, entry in enumerate(package["events"]):
        path, event = f"events[{index}]", entry["event"]
        wrong = what_is_wrong_with_leaf(event)
        if wrong is not None:
            findings.add("leaf-invalid", f"{path}.event", wrong)
            continue
        if seen.setdefault(event["eventId"], index) != index:
            findings.add("duplicate-event", path, f"the event is there as events[{seen[event['eventId']]}] too")
        _check_openings(entry, path, findings)
        at = milliseconds(event["occurredAt"])
        inside = at is not None and start is not None and end is not None and start <= at < end
        if inside == ("outsideRange" in entry):
            findings.add("range-mark-wrong", path, "outsideRange does not say where the event lies")
        for at, control in enumerate(entry["controls"]):
            if control["status"] != entry["status"]:
                findings.add("control-status-differs", f"{path}.controls[{at}]", "its status is not the event's")
            if control["framework"] not in package["frameworks"]:
                findings.add("structure", f"{path}.controls[{at}]", "it is of a framework that was not asked for")
        proof = package["inclusionProofs"][index]
        if check_proof(event, proof, entry["sequence"], f"inclusionProofs[{index}]", findings):
            proven.append(index)
    return proven


def _check_openings(entry: Mapping[str, Any], path: str, findings: Findings) -> None:
    event, opened = entry["event"], entry["opened"]
    if "erased" in entry:
        if any(name in opened for name in COMMITMENTS):
            findings.add("opening-inconsistent", path, "what was erased is opened")
        elif all(event.get(name) is None for name in COMMITMENTS):
            findings.add("opening-inconsistent", path, "there was nothing to erase")
    for name in COMMITMENTS:
        if name in opened:
            _check_opening(event, name, opened[name], f"{path}.opened.{name}", findings)


def _check_opening(
    event: Mapping[str, Any], name: str, opening: Mapping[str, Any], path: str, findings: Findings
) -> None:
    shown = shown_by(opening)
    if event.get(name) is None:
        findings.add("opening-inconsistent", path, "nothing was committed there")
    elif "members" in opening and event["v"] == 1:
        findings.add("opening-wrong", path, "members open nothing of a leaf of version 1")
    elif shown is None:
        return
    elif opened_commitment(name, opening, event["v"]) != event[name]:
        findings.add("opening-wrong", path, "it is not what was committed")
    elif name == "context":
        wrong = what_is_wrong_with_context(event, shown)
        if wrong is not None:
            findings.add("opening-inconsistent", path, wrong)
    elif name == "action" and event["type"] == "profile.changed":
        _check_profile(event, shown, path, findings)
    elif name == "action" and event["type"].startswith("account."):
        _check_actor(event, shown, path, findings)


def _check_profile(event: Mapping[str, Any], shown: Shown, path: str, findings: Findings) -> None:
    if shown.may_have("profile"):
        return
    profile = shown.value.get("profile") if isinstance(shown.value, dict) else None
    version = profile.get("version") if isinstance(profile, dict) else None
    same_version = type(version) is int and version == event["profileVersion"]
    if not same_version or sha256_hex(canonical_bytes(profile)) != event["profileSha256"]:
        findings.add("profile-differs", path, "profileVersion and profileSha256 are those of another profile")


def _check_actor(event: Mapping[str, Any], shown: Shown, path: str, findings: Findings) -> None:
    if shown.may_have("by"):
        return
    by = shown.value.get("by") if isinstance(shown.value, dict) else None
    if not isinstance(by, dict) or _pseudonym_of(by) != event["detail"]:
        findings.add("opening-inconsistent", path, "it shows another person than the leaf names")


def _pseudonym_of(by: Mapping[str, Any]) -> Optional[str]:
    kind, identity = by.get("kind"), by.get("id", "")
    if not isinstance(kind, str) or not isinstance(identity, str):
        return None
    return f"{kind}:{identity}" if "id" in by else kind


def check_runs(package: Mapping[str, Any], findings: Findings) -> None:
    """Step 7: each agent has every number once, and ``agents`` counts them."""
    runs: Dict[str, Dict[int, Mapping[str, Any]]] = {}
    for index, entry in enumerate(package["events"]):
        run = runs.setdefault(entry["event"]["agentId"], {})
        if entry["sequence"] in run:
            findings.add("sequence-duplicate", f"events[{index}].sequence", f"{entry['sequence']} is there twice")
        run[entry["sequence"]] = entry
    for run in runs.values():
        missing = _missing_of(run)
        if missing:
            findings.add("sequence-missing", "events", f"{missing} missing")
    listed: Dict[str, int] = {}
    for index, agent in enumerate(package["agents"]):
        path = f"agents[{index}]"
        if listed.setdefault(agent["id"], index) != index:
            findings.add("agent-figures-differ", path, f"the agent is there as agents[{listed[agent['id']]}] too")
        _check_figures(agent, runs.get(agent["id"], {}), path, findings)
    for agent_id in runs:
        if agent_id not in listed:
            findings.add("agent-unknown", "agents", f"{agent_id} has events and is not listed")


def _missing_of(run: Mapping[int, Any]) -> str:
    """The missing numbers between the first and the last, as ranges."""
    numbers = sorted(run)
    gaps = [(before + 1, after - 1) for before, after in zip(numbers, numbers[1:]) if after > before + 1]
    return ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in gaps)


def _check_figures(
    agent: Mapping[str, Any], run: Mapping[int, Mapping[str, Any]], path: str, findings: Findings
) -> None:
    first, last = (min(run), max(run)) if run else (None, None)
    if (agent["firstSequence"], agent["lastSequence"], agent["count"]) != (first, last, len(run)):
        findings.add("agent-figures-differ", path, "first, last or count is not that of its events")
    for number in {first, last} - {None}:
        if number is not None and "outsideRange" in run[number]:
            findings.add("range-mark-wrong", path, f"its run has an end outside the range, {number}")


def check_statuses(package: Mapping[str, Any], anchored: int, findings: Findings) -> None:
    """Step 9: statuses and figures follow from the events."""
    entries = package["events"]
    story = Story(entries)
    for index, entry in enumerate(entries):
        if (entry["status"], entry["statusReason"]) not in story.statuses(entry):
            findings.add("status-differs", f"events[{index}].status", "it does not follow from the events")
    claimed = package["summary"]
    for name, figure in summary_of(entries, anchored, story).items():
        if not _is_same(claimed.get(name), figure):
            findings.add("summary-differs", f"summary.{name}", f"the entries give {figure}")
    if "oversight" in package:
        stated = package["oversight"]
        for name, value in oversight_of(entries).items():
            if canonical_bytes(stated[name]) != canonical_bytes(value):
                findings.add("oversight-differs", f"oversight.{name}", "the entries give another value")


def _is_same(claimed: Any, figure: Any) -> bool:
    if isinstance(figure, dict):
        return (
            isinstance(claimed, dict)
            and claimed.keys() >= figure.keys()
            and all(_is_same(claimed[name], figure.get(name)) for name in claimed)
        )
    return type(claimed) is int and claimed == figure
