"""The status table: the status of an event, derived from a package."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

from .forms import is_name
from .opening import shown_by

GAP, PREVENTED, SATISFIED = "Gap, review required", "Prevented", "Satisfied"
OBSERVED = (GAP, "Observe mode let a violation pass.")
EXECUTED = (GAP, "The check was refused, and its execution was reported.")
REPORTS_EXECUTION = (GAP, "The outcome reports the execution of a check that was refused.")
UNANSWERED = (GAP, "The answer to the check may not have reached its caller.")
NO_SCOPE = (GAP, "The data access names no data scope.")
UNGOVERNED = (GAP, "The check is ungoverned: no rule and no list of the profile applied to it.")
UNDECIDED = (GAP, "An approval was requested, and nobody decided about it in time.")
TOO_FEW = (GAP, "An approval was requested, and too few people approved it in time.")
REFUSED = (PREVENTED, "The check was refused, and no execution was reported.")
NOTHING = (SATISFIED, None)

Status = Tuple[str, Optional[str]]


class Story:
    """Relations between the events of one package."""

    def __init__(self, entries: List[Mapping[str, Any]]) -> None:
        self._checks: Dict[str, Mapping[str, Any]] = {}
        self._executed: Set[str] = set()
        self._unanswered: Set[str] = set()
        self._reported: Set[str] = set()
        # Only outcomes of the event's own agent: those of others change no status.
        self._own_outcomes: Set[str] = set()
        self._others: Set[str] = set()
        agents = {entry["event"]["eventId"]: entry["event"]["agentId"] for entry in entries}
        for entry in entries:
            event = entry["event"]
            kind, refers_to = event["type"], event["refersTo"]
            is_own = agents.get(refers_to) == event["agentId"]
            if kind == "action.checked":
                self._checks[event["eventId"]] = event
            else:
                self._others.add(event["eventId"])
            if kind == "action.unanswered" and is_own:
                self._unanswered.add(refers_to)
            elif kind == "action.outcome":
                self._reported.add(refers_to)
                if is_own:
                    self._own_outcomes.add(refers_to)
                if is_own and event["outcome"] != "skipped":
                    self._executed.add(refers_to)

    @property
    def checks(self) -> int:
        return len(self._checks)

    @property
    def reported(self) -> int:
        """How many of the checks have an outcome in the package."""
        return len(self._reported & self._checks.keys())

    def statuses(self, entry: Mapping[str, Any]) -> Set[Status]:
        """Each status that the event may have, depending on events outside of the package."""
        event = entry["event"]
        kind = event["type"]
        if kind == "action.checked":
            return self._of_check(event, entry["opened"].get("action"))
        if kind == "action.unanswered":
            return {UNANSWERED}
        if kind == "approval.expired" and event["outcome"] == "undecided":
            return {UNDECIDED}
        if kind == "approval.expired" and event["outcome"] == "too_few":
            return {TOO_FEW}
        if kind == "action.outcome" and event["outcome"] != "skipped":
            check = self._checks.get(event["refersTo"])
            if event["refersTo"] in self._others:
                return {NOTHING}
            if check is None:
                return {REPORTS_EXECUTION, NOTHING}
            return {NOTHING if check["allowed"] else REPORTS_EXECUTION}
        return {NOTHING}

    def _of_check(self, event: Mapping[str, Any], opening: Optional[Mapping[str, Any]]) -> Set[Status]:
        if event["allowed"] and event["violation_type"] is not None:
            return {OBSERVED}
        refused, event_id = not event["allowed"], event["eventId"]
        if refused and event_id in self._executed:
            return {EXECUTED}
        # A check has one outcome: the one that the package reports is the only one.
        possible: Set[Status] = {EXECUTED} if refused and event_id not in self._own_outcomes else set()
        if event_id in self._unanswered:
            return possible | {UNANSWERED}
        possible.add(UNANSWERED)
        if event["actionKind"] == "data_access":
            shown = None if opening is None else shown_by(opening)
            if shown is None or shown.may_have("dataScope"):
                possible.add(NO_SCOPE)
            elif not _names_scope(shown.value):
                return possible | {NO_SCOPE}
        if refused:
            return possible | {REFUSED}
        # Leaves of version 1 have no coverage.
        return possible | {UNGOVERNED if event.get("coverage") == [] else NOTHING}


def _names_scope(action: Any) -> bool:
    """A non-empty string, as in ``event-status.ts``."""
    return isinstance(action, dict) and is_name(action.get("dataScope"))


def summary_of(entries: List[Mapping[str, Any]], anchored: int, story: Story) -> Dict[str, Any]:
    """The figures of a package: statuses and anchors count all entries, the rest only checks."""
    checks = [entry["event"] for entry in entries if entry["event"]["type"] == "action.checked"]
    outcomes = [event["outcome"] for event in checks]
    statuses = [entry["status"] for entry in entries]
    violations: Dict[str, int] = {}
    for event in checks:
        if event["violation_type"] is not None:
            violations[event["violation_type"]] = violations.get(event["violation_type"], 0) + 1
    return {
        "events": len(entries),
        "allowed": outcomes.count("allowed"),
        "denied": outcomes.count("denied"),
        "frozen": outcomes.count("frozen"),
        "capped": outcomes.count("sandbox_expired") + outcomes.count("action_cap"),
        "satisfied": statuses.count(SATISFIED),
        "prevented": statuses.count(PREVENTED),
        "gap": statuses.count(GAP),
        "anchored": anchored,
        "unanchored": len(entries) - anchored,
        "byViolation": violations,
        "outcomes": {"reported": story.reported, "of": story.checks},
    }
