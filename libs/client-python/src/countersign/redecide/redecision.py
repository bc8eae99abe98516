"""Re-decision: every verdict of a package, computed again (FORMAT.md, "Re-decision")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from .balances import Break, breaks_of
from .cel.values import ABSENT, PartialObject, Unknown
from .check import Difference, Opened, Verdict, judge, judged_rules, read
from .members import NotDecided
from .openings import opened_check
from .profiles import Profiles
from .rules import Judged
from .step import Doubts, Step, step_of
from .windows import missing_orders

VERDICTS = ("same", "different", "withheld", "erased", "not_checked")
# The version of engine and detectors whose rules this verifier has.
_ENGINE = {"engine": "1", "detectors": "1"}
_NO_ROOM = ("facts:no room", ", no room to count more")
# A verdict depends on a payload by these members of a profile.
_READS_PAYLOAD = ("allowed_apis", "blocked_apis", "rules", "facts", "limits", "require")
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class Redecided(NamedTuple):
    """One check. ``reason`` is a code of FORMAT.md; ``words`` say more, and are not part of the format.

    ``differences`` are empty except with ``different``; ``other_engine``: another version of the engine judged it.
    """

    event_id: str
    agent_id: str
    sequence: int
    verdict: str
    reason: Optional[str] = None
    words: Optional[str] = None
    differences: Tuple[Difference, ...] = ()
    other_engine: bool = False


class _Answer(NamedTuple):
    verdict: str
    reason: Optional[str] = None
    words: Optional[str] = None
    differences: Tuple[Difference, ...] = ()


class _Check(NamedTuple):
    """The shown parts of a check, and its judgement by the rules where it was judged again."""

    opened: Opened
    judged: Optional[Judged]


class AgentBalances(NamedTuple):
    """``balances`` is ``continuous``, ``broken`` or ``not_checked``; ``missing`` are numbers of ``order``."""

    agent_id: str
    checks: int
    balances: str
    breaks: List[Break]
    missing: int


@dataclass
class Redecision:
    """The checks of a package in its order, and the balances of its agents."""

    checks: List[Redecided] = field(default_factory=list)
    agents: List[AgentBalances] = field(default_factory=list)

    def totals(self) -> Dict[str, int]:
        """The number of checks by verdict."""
        return {verdict: sum(one.verdict == verdict for one in self.checks) for verdict in VERDICTS}

    @property
    def wrong(self) -> bool:
        """True where a verdict differs or a balance breaks."""
        return any(one.verdict == "different" for one in self.checks) or any(
            agent.balances == "broken" for agent in self.agents
        )

    @property
    def complete(self) -> bool:
        """True where every verdict and every balance was computed."""
        return all(one.verdict in ("same", "different") for one in self.checks) and not any(
            agent.balances == "not_checked" or agent.missing > 0 for agent in self.agents
        )


def redecide(package: Mapping[str, Any]) -> Redecision:
    """Computes the verdict of every check again, and compares the balances.

    :param package: a signed package in which ``verify_package`` finds nothing wrong
    """
    entries: List[Mapping[str, Any]] = package["events"]
    profiles = Profiles(entries)
    done = Redecision()
    found: Dict[str, _Check] = {}
    for entry in entries:
        event = entry["event"]
        if event["type"] == "action.checked":
            opened = opened_check(entry)
            answer, judged = _verdict(entry, opened, profiles)
            done.checks.append(
                Redecided(event["eventId"], event["agentId"], entry["sequence"], *answer, _other_engine(opened))
            )
            found[event["eventId"]] = _Check(opened, judged)
    for agent_id in dict.fromkeys(one.agent_id for one in done.checks):
        own = sorted((entry for entry in entries if entry["event"]["agentId"] == agent_id), key=_sequence)
        done.agents.append(_balances(agent_id, own, profiles, found))
    return done


def _sequence(entry: Mapping[str, Any]) -> int:
    return int(entry["sequence"])


def _balances(
    agent_id: str, entries: List[Mapping[str, Any]], profiles: Profiles, found: Mapping[str, _Check]
) -> AgentBalances:
    unanswered, skipped = _doubts(entries)
    steps: List[Step] = []
    hidden: List[int] = []
    without_order = 0
    unknown_costs: Set[str] = set()
    checks = [entry for entry in entries if entry["event"]["type"] == "action.checked"]
    for entry in checks:
        event = entry["event"]
        name = event["eventId"]
        opened, judged = found[name]
        if isinstance(opened.shown_action, (Unknown, PartialObject)):
            unknown_costs.add(name)
        if not isinstance(opened.context, dict) or "erased" in entry:
            hidden.append(entry["sequence"])
            without_order += event["v"] >= 2
            continue
        profile = profiles.of(event)
        doubts = Doubts(name in unanswered, skipped.get(name))
        steps.append(step_of(entry, opened, None if isinstance(profile, Unknown) else profile, judged, doubts))
    known = {entry["event"]["eventId"] for entry in entries}
    unknown_returns = [place for name, place in skipped.items() if name not in known or name in unknown_costs]
    breaks = breaks_of(agent_id, steps, hidden, unknown_returns, profiles)
    missing = missing_orders(steps) - without_order - len(unanswered - known)
    balances = "broken" if breaks else "continuous" if steps else "not_checked"
    return AgentBalances(agent_id, len(checks), balances, breaks, max(0, missing))


def _doubts(entries: List[Mapping[str, Any]]) -> Tuple[Set[str], Dict[str, int]]:
    """Checks whose answer may not have arrived, and the places of outcomes by the checks whose action was skipped."""
    unanswered: Set[str] = set()
    skipped: Dict[str, int] = {}
    for entry in entries:
        event = entry["event"]
        if event["refersTo"] is None:
            continue
        if event["type"] == "action.unanswered":
            unanswered.add(event["refersTo"])
        if event["type"] == "action.outcome" and event["outcome"] == "skipped":
            skipped.setdefault(event["refersTo"], entry["sequence"])
    return unanswered, skipped


def _verdict(entry: Mapping[str, Any], opened: Opened, profiles: Profiles) -> Tuple[_Answer, Optional[Judged]]:
    """The answer by the first row of the table that applies, and the judgement of a check that was judged again."""
    event = entry["event"]
    if "erased" in entry:
        return _Answer("erased"), None
    if event["v"] < 2:
        return _Answer("not_checked", "version", "it is of version 1, which has no balances"), None
    for name, value in (("context", opened.context), ("action", opened.shown_action)):
        if isinstance(value, (Unknown, PartialObject)):
            return _Answer("withheld", name, f"its {name} is not shown whole"), None
    contradiction = profiles.contradiction(entry)
    if contradiction is not None:
        return _different("profile", (contradiction,)), None
    profile = profiles.of(event)
    if isinstance(profile, Unknown):
        return _Answer("withheld" if profile.withheld else "not_checked", "profile", profile.reason), None
    if isinstance(opened.payload, (Unknown, PartialObject)) and _reads_payload(profile.content):
        return _Answer("withheld", "payload", "its payload is not shown whole"), None
    return _compared(entry, opened, profile)


def _compared(entry: Mapping[str, Any], opened: Opened, profile: Any) -> Tuple[_Answer, Optional[Judged]]:
    event = entry["event"]
    if isinstance(opened.payload, (Unknown, PartialObject)):
        # No rule of the profile reads it.
        opened = opened._replace(action=opened.shown_action, args={})
    try:
        judged = judged_rules(profile, opened)
        verdict = judge(profile, opened, judged)
        recorded = _recorded(event, opened)
    except NotDecided as error:
        return _Answer("not_checked", "rule", error.unknown.reason), None
    except _MALFORMED:
        return _Answer("not_checked", "profile", "the profile or the context is malformed"), None
    no_room = event["rule"] == _NO_ROOM[0] or str(event["detail"]).endswith(_NO_ROOM[1])
    if no_room and (verdict.effect in ("allow", "observe") or verdict.violation_type == "limit_exceeded"):
        return _Answer("not_checked", "no_room", "the counters had no room, which no package shows"), judged
    differences = _differences(event, recorded, verdict)
    if not differences:
        return _Answer("same"), judged
    if _other_engine(opened):
        # It may judge otherwise, and count otherwise.
        return _Answer("not_checked", "engine", "another version of the engine judged it, with another verdict"), None
    return _different("verdict", differences), judged


def _other_engine(opened: Opened) -> bool:
    return isinstance(opened.context, dict) and opened.context.get("engine") != _ENGINE


def _different(reason: str, differences: Tuple[Difference, ...]) -> _Answer:
    words = "; ".join(f"{one.member}: {one.recorded} and not {one.recomputed}" for one in differences)
    return _Answer("different", reason, words, differences)


def _differences(event: Mapping[str, Any], recorded: Verdict, computed: Verdict) -> Tuple[Difference, ...]:
    compared = (
        ("outcome", recorded.outcome, computed.outcome),
        ("allowed", event["allowed"], computed.outcome == "allowed"),
        ("severity", recorded.severity, computed.severity),
        ("violation_type", recorded.violation_type, computed.violation_type),
        ("rule", recorded.rule, computed.rule),
        ("actionKind", recorded.action_kind, computed.action_kind),
        ("coverage", list(recorded.coverage), list(computed.coverage)),
        ("effect", recorded.effect, computed.effect),
        ("seen.limits", list(recorded.limits), list(computed.limits)),
    )
    return tuple(Difference(*one) for one in compared if one[1] != one[2])


def _reads_payload(profile: Mapping[str, Any]) -> bool:
    return any(profile.get(name) for name in _READS_PAYLOAD) or any(
        profile.get(name) is not None for name in ("output_rules", "spending_limit")
    )


def _recorded(event: Mapping[str, Any], opened: Opened) -> Verdict:
    effect = read(opened.context, "effect")
    seen = read(opened.context, "seen")
    return Verdict(
        event["outcome"],
        event["severity"],
        event["violation_type"],
        event["rule"],
        "" if effect is ABSENT else str(effect),
        event["actionKind"],
        tuple(event["coverage"]),
        tuple(sorted(seen["limits"])),
    )
