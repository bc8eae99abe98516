"""One check, judged again by its profile, its action, and the balances that it saw."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from ..verify.forms import milliseconds
from .cel.values import ABSENT, PartialObject, Unknown
from .coverage import coverage_of
from .lists import judge_lists
from .members import NotDecided, Subject, known, not_decided
from .rules import Charge, Finding, Input, Judged, Rules

_MAX_MICROS = 2**53 - 1
_SATISFIES = ("approved", "consumed", "used")


class Difference(NamedTuple):
    """A member of the leaf or of the context that does not follow from the inputs, as values of JSON."""

    member: str
    recorded: Any
    recomputed: Any


class Verdict(NamedTuple):
    """The compared members: of the leaf, ``effect`` of the context, and the names of ``seen.limits``."""

    outcome: str
    severity: Optional[str]
    violation_type: Optional[str]
    rule: Optional[str]
    effect: str
    action_kind: str
    coverage: Tuple[str, ...]
    limits: Tuple[str, ...]


class Opened(NamedTuple):
    """The shown part of a check: ``action`` with its payload, which is unknown where it is withheld."""

    action: Any
    args: Any
    context: Any
    agent_id: str
    at_ms: int
    shown_action: Any
    payload: Any


class Profile:
    """A version of a profile."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        """:raises Refused: for rules that ``cel/1`` does not have"""
        self.content = content
        self.observes = content.get("mode") == "observe"
        spending = content.get("spending_limit")
        self.limit_micros = None if spending is None else min(_micros(float(spending), False), _MAX_MICROS - 1)
        self.window = content.get("spending_window", "month")
        self.rate: Optional[Mapping[str, Any]] = content.get("rate_limit")
        self.rules = Rules(content) if any(content.get(name) for name in ("rules", "facts", "limits")) else None


def judge(profile: Profile, opened: Opened, judged: Judged) -> Verdict:
    """The verdict of a check whose action and context are shown.

    :param judged: its ``judged_rules``
    :raises NotDecided: where it depends on what this verifier does not compute
    """
    seen = known(read(opened.context, "seen"))
    subject = Subject(opened.action)
    refused = _refusal(seen, opened.at_ms)
    # What applies to a check does not depend on the plan: a refused one is covered by what would have denied it, too.
    listed = judge_lists(profile.content, subject)
    coverage = coverage_of(profile.content, subject, listed, judged)
    limits = tuple(sorted(charge.id for charge in _charges(judged)))
    if refused is not None:
        severity = "P1" if refused == "frozen" else "P3"
        return Verdict(refused, severity, None, None, "deny", subject.kind, coverage, limits)
    finding = listed or _counted(profile, opened, seen, judged)
    if finding is None:
        return Verdict("allowed", None, None, None, "allow", subject.kind, coverage, limits)
    allowed = profile.observes or finding.observe
    effect = "observe" if allowed else finding.effect
    outcome, kind = "allowed" if allowed else "denied", finding.violation_type
    return Verdict(outcome, finding.severity, kind, finding.rule, effect, subject.kind, coverage, limits)


def _refusal(seen: Mapping[str, Any], at_ms: int) -> Optional[str]:
    plan = seen["plan"]
    expires = None if plan.get("expires") is None else milliseconds(plan["expires"])
    if expires is not None and at_ms >= expires:
        return "sandbox_expired"
    if plan.get("cap") is not None and plan["used"] >= plan["cap"]:
        return "action_cap"
    return "frozen" if seen["frozen"] else None


def _counted(profile: Profile, opened: Opened, seen: Mapping[str, Any], judged: Judged) -> Optional[Finding]:
    """The first that denies: rules, spending, rate, limits; then those that are only observed."""
    enforced = (
        _first_rule(judged, False, opened.context)
        or _spending(profile, opened, seen)
        or _rate(profile, seen)
        or _exceeded(judged, seen, False)
    )
    return enforced or _first_rule(judged, True, opened.context) or _exceeded(judged, seen, True)


def _charges(judged: Judged) -> List[Charge]:
    charges: List[Charge] = []
    for charge in judged.charges:
        if isinstance(charge, Unknown):
            raise NotDecided(charge)
        charges.append(charge)
    return charges


def judged_rules(profile: Profile, opened: Opened) -> Judged:
    """The judgement of a check by the rules, facts and limits of a profile."""
    if profile.rules is None:
        return Judged([], [], [], False, False, None)
    context = opened.context
    time = known(read(context, "request_time"))
    facts = read(context, "facts")
    return profile.rules.judge(
        Input(
            opened.action,
            opened.args,
            opened.agent_id,
            _given(read(context, "principal")),
            _given(read(context, "session")),
            _given(read(context, "issuer")),
            _ids(_given(read(context, "actors"))),
            int(time["seconds"]),
            {zone: int(minutes) for zone, minutes in time["offsets"].items()},
            facts if isinstance(facts, Unknown) else [] if facts is ABSENT else facts,
        )
    )


def read(context: Any, name: str) -> Any:
    """A member of a context, ``ABSENT`` or unknown."""
    if isinstance(context, (Unknown, PartialObject)):
        return context if isinstance(context, Unknown) else context.get(name)
    return context.get(name, ABSENT)


def _ids(actors: Any) -> Any:
    return [actor["id"] for actor in actors] if isinstance(actors, list) else actors


def _given(value: Any) -> Any:
    return None if value is ABSENT else value


def _first_rule(judged: Judged, observe: bool, context: Any) -> Optional[Finding]:
    found: List[Finding] = []
    for finding in judged.findings:
        if isinstance(finding, Unknown):
            raise NotDecided(finding)
        needs = finding.violation_type == "approval_required"
        if finding.observe == observe and not (needs and finding.rule in _satisfied(context)):
            found.append(finding)
    return min(found, key=lambda one: one.rank) if found else None


def _satisfied(context: Any) -> List[str]:
    """The rules that an approval satisfied. :raises NotDecided: where the approval is withheld"""
    approval = known(read(context, "approval"))
    if not isinstance(approval, Mapping):
        return []
    also = approval.get("also")
    every = [approval, *(also if isinstance(also, list) else [])]
    given = [one for one in every if isinstance(one, Mapping) and one.get("state") in _SATISFIES]
    return [f"rules:{one.get('rule')}" for one in given]


def cost_of(opened: Opened) -> int:
    """The cost of an action in whole micro-dollars. :raises NotDecided: where it is withheld"""
    cost = Subject(opened.action).given("estimatedCost")
    return _micros(cost, True) if type(cost) is float else 0


def _micros(dollars: float, up: bool) -> int:
    """US dollars in micro-dollars, by the decimal text of the number."""
    if not dollars > 0:
        return _MAX_MICROS if math.isnan(dollars) else 0
    if dollars >= 9_007_199_255:
        return _MAX_MICROS
    scaled = (Decimal(repr(dollars)) * 10**6).to_integral_value(ROUND_CEILING if up else ROUND_FLOOR)
    return min(int(scaled), _MAX_MICROS)


def _dollars(micros: int) -> str:
    whole, fraction = divmod(micros, 10**6)
    return str(whole) if fraction == 0 else f"{whole}.{fraction:06d}".rstrip("0")


def _spending(profile: Profile, opened: Opened, seen: Mapping[str, Any]) -> Optional[Finding]:
    limit = profile.limit_micros
    if limit is None:
        return None
    cost = cost_of(opened)
    spent = 0 if profile.window == "action" else int(seen["spent"][profile.window])
    if cost == 0 or spent + cost <= limit:
        return None
    return Finding("spending_limit_exceeded", "P2", f"spending_limit:{_dollars(limit)}", None)


def _rate(profile: Profile, seen: Mapping[str, Any]) -> Optional[Finding]:
    rate = profile.rate
    if rate is None:
        return None
    if seen["rate"] is None:
        raise not_decided("the balance of the rate limit is missing")
    if seen["rate"] < rate["max"]:
        return None
    return Finding("rate_limit_exceeded", "P3", f"rate_limit:{rate['max']}/{rate['per_seconds']}s", None)


def _exceeded(judged: Judged, seen: Mapping[str, Any], observe: bool) -> Optional[Finding]:
    for charge in _charges(judged):
        if charge.amount == 0 or charge.finding.observe != observe:
            continue
        if balance_of(seen, charge) + charge.amount > charge.most:
            return charge.finding
    return None


def balance_of(seen: Mapping[str, Any], charge: Charge) -> int:
    """The balance of a limit before a check, in units of 10^-9."""
    text = seen["limits"].get(charge.id)
    whole, _, fraction = (text or "").partition(".")
    if text is None:
        raise not_decided(f"the balance of limit {charge.id} is missing")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


def values_of_json(value: Any) -> Any:
    """A value of JSON whose numbers are doubles, as expressions read it."""
    if isinstance(value, dict):
        return {name: values_of_json(held) for name, held in value.items()}
    if isinstance(value, list):
        return [values_of_json(held) for held in value]
    return float(value) if type(value) is int else value
