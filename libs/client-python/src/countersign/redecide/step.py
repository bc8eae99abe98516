"""One check that shows its context, with what it counted."""

from __future__ import annotations

import hashlib
from typing import Any, List, Mapping, NamedTuple, Optional

from .cel.values import Unknown
from .check import Opened, Profile, cost_of, read
from .members import NotDecided
from .rules import Charge, FactSet, Judged

# Facts of a session are set under it, or, by a check that names none, for every session; and in both cases for checks
# that name none.
_OF_AGENT = "agent"
_NO_SESSION = "none"
_EVERY_SESSION = "@every"
_ANY_SESSION = "@any"


class FactRead(NamedTuple):
    """A fact that a check compares, and the places in which it may be set."""

    id: str
    places: List[str]


class FactSetting(NamedTuple):
    """A fact that a check sets, if it counts."""

    place: str
    ttl_seconds: int
    on_checked: bool


class Trip(NamedTuple):
    """The facts and limits of a profile for one check; the charges are those of an allowed one."""

    charges: List[Charge]
    facts: List[FactRead]
    sets: List[FactSetting]


class Step(NamedTuple):
    """One check as balances need it. ``trip`` and ``cost`` are ``None`` where they are not known."""

    event_id: str
    sequence: int
    order: int
    at_ms: int
    # UTC, as ``2026-01-31`` and ``2026-01``.
    day: str
    month: str
    seen: Mapping[str, Any]
    facts: List[str]
    allowed: bool
    counts_action: bool
    cost: Optional[int]
    # Of its profile.
    version: int
    rate_ms: Optional[int]
    trip: Optional[Trip]
    # There was no room for a fact that it set: from then on, any fact may be set.
    forgot_facts: bool
    unanswered: bool
    skipped_at: Optional[int]


class Doubts(NamedTuple):
    """The doubts that other events raise about a check."""

    unanswered: bool
    skipped_at: Optional[int]


def step_of(
    entry: Mapping[str, Any], opened: Opened, profile: Optional[Profile], judged: Optional[Judged], doubts: Doubts
) -> Step:
    """A check whose context is shown.

    :param profile: the profile of the check, where it can be read
    :param judged: its ``judged_rules`` by that profile; ``None`` where it was not judged again
    """
    event = entry["event"]
    seen = read(opened.context, "seen")
    facts = read(opened.context, "facts")
    rate = None if profile is None else profile.rate
    allowed = event["outcome"] == "allowed"
    return Step(
        event["eventId"],
        entry["sequence"],
        int(seen["order"]),
        opened.at_ms,
        event["occurredAt"][:10],
        event["occurredAt"][:7],
        seen,
        facts if isinstance(facts, list) else [],
        allowed,
        allowed or event["outcome"] == "denied",
        _cost_of(opened) if allowed else 0,
        int(event["profileVersion"] or 0),
        None if rate is None else int(rate["per_seconds"]) * 1000,
        None if judged is None or profile is None else _trip(profile, judged),
        event["rule"] == "facts:no room",
        doubts.unanswered,
        doubts.skipped_at,
    )


def _cost_of(opened: Opened) -> Optional[int]:
    try:
        return None if isinstance(opened.action, Unknown) else cost_of(opened)
    except NotDecided:
        return None


def _trip(profile: Profile, judged: Judged) -> Optional[Trip]:
    if profile.rules is None or judged.given is None:
        return Trip([], [], [])
    try:
        read_facts = profile.rules.facts_read(judged.given)
    except NotDecided:
        return None
    charges: List[Charge] = []
    sets: List[FactSet] = []
    for charge in judged.charges:
        if isinstance(charge, Unknown):
            return None
        charges.append(charge)
    for setting in judged.settings:
        if isinstance(setting, Unknown):
            return None
        sets.append(setting)
    session = None if judged.given.session is None else str(judged.given.session)
    return Trip(charges, _facts(read_facts, sets, session), _settings(sets, session))


def _own_place(session: Optional[str]) -> str:
    if session is None:
        return _NO_SESSION
    return "s:" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _facts(read_facts: List[FactSet], sets: List[FactSet], session: Optional[str]) -> List[FactRead]:
    found = {}
    for fact in read_facts:
        if fact.of_agent:
            found[fact.id] = [f"{_OF_AGENT} {fact.id}"]
        else:
            shared = _ANY_SESSION if session is None else _EVERY_SESSION
            found[fact.id] = [f"{_own_place(session)} {fact.id}", f"{shared} {fact.id}"]
    for fact in sets:
        if fact.of_agent:
            found.setdefault(fact.id, [f"{_OF_AGENT} {fact.id}"])
        elif session is not None:
            found.setdefault(fact.id, [f"{_own_place(session)} {fact.id}"])
    return [FactRead(name, places) for name, places in found.items()]


def _settings(sets: List[FactSet], session: Optional[str]) -> List[FactSetting]:
    found = []
    for fact in sets:
        own = _EVERY_SESSION if session is None else _own_place(session)
        places = [_OF_AGENT] if fact.of_agent else [own, _ANY_SESSION]
        found += [FactSetting(f"{place} {fact.id}", fact.ttl_seconds, fact.on_checked) for place in places]
    return found
