"""Rules, facts and limits of a profile, judged as ``libs/rules`` specifies (README, "A judgement")."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from .cel.checker import Variable, check
from .cel.evaluate import evaluate
from .cel.parser import parse
from .cel.syntax import Node, Refused, Type, path_of
from .cel.values import WRONG_TYPE, Fault, PartialObject, Timestamp, Unknown, is_inexact, member_of, units
from .host.decimals import nanos_of, number_text
from .matchers import matchers_of
from .members import NotDecided

_BOOL = Variable(Type("bool"))
_TEXT = Variable(Type("string"))
_MAX_KEY = 4096
_DEFAULT_TTL_SECONDS = 86_400
_EFFECTS = {"deny": 0, "deny_unless": 0, "modify": 1, "defer": 2, "approve": 3}
_OWN_EFFECTS = ("modify", "defer", "approve")
_SEVERITIES = {"P1": 0, "P2": 1, "P3": 2}


class Finding(NamedTuple):
    """A denial. ``place`` orders those of one effect and severity; ``detail`` is the code of a ``rule_error``."""

    violation_type: str
    severity: str
    rule: Optional[str]
    detail: Optional[str]
    rank: tuple = ()  # type: ignore[type-arg]
    observe: bool = False
    effect: str = "deny"
    """Of the context, where it denies the check."""


class Charge(NamedTuple):
    """The amount that an allowed check adds to a limit, in units of 10^-9: a count adds 10^9."""

    finding: Finding
    id: str
    key: str
    amount: int
    most: int
    window_seconds: int
    reserve: bool


class FactSet(NamedTuple):
    """A fact that a check reads or sets."""

    id: str
    of_agent: bool
    ttl_seconds: int
    on_checked: bool


class Input(NamedTuple):
    """``action`` and ``args`` as dicts or partial objects, ``facts`` the ids of those that were set."""

    action: Any
    args: Any
    agent_id: str
    principal: Any
    session: Any
    issuer: Any
    actors: Any
    seconds: Any
    offsets: Mapping[str, int]
    facts: Any


class Judged(NamedTuple):
    """The judgement of the rules: findings, charges in the order of the profile, the facts that are set."""

    findings: List[Union[Finding, Unknown]]
    charges: List[Union[Charge, Unknown]]
    settings: List[Union[FactSet, Unknown]]
    rules_apply: bool
    limits_apply: bool
    given: Optional[Input]


class Rules:
    """The members ``rules``, ``facts`` and ``limits`` of a profile, with their expressions."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        """:raises Refused: for an expression that the dialect does not have"""
        self._rules: List[Mapping[str, Any]] = profile.get("rules") or []
        self._facts: List[Mapping[str, Any]] = profile.get("facts") or []
        self._limits: List[Mapping[str, Any]] = profile.get("limits") or []
        self._variables = _variables([fact["id"] for fact in self._facts])
        self._matchers = [self._checked(matchers_of(rule), f"rules:{rule['id']}") for rule in self._rules]
        self._when = [self._parsed(rule.get("when"), f"rules:{rule['id']}") for rule in self._rules]
        self._reads = [
            {name for node in (one, other) for name in _facts_of(node)}
            for one, other in zip(self._matchers, self._when)
        ]
        self._set_when = [self._parsed(fact["set_when"], f"facts:{fact['id']}") for fact in self._facts]
        self._keys = [self._parsed(limit.get("key"), f"limits:{limit['id']}") for limit in self._limits]
        self._sums = [self._parsed(limit.get("sum"), f"limits:{limit['id']}") for limit in self._limits]

    def judge(self, judged: Input) -> Judged:
        """The findings of all rules and limits that apply to an action, and the facts that it sets."""
        values = _values(judged, [fact["id"] for fact in self._facts])
        findings: List[Union[Finding, Unknown]] = []
        for at, rule in enumerate(self._rules):
            applies = _applies(rule, judged.action)
            if applies is False:
                continue
            outcome = self._outcome(at, values, judged.offsets)
            if isinstance(outcome, Unknown) or (isinstance(applies, Unknown) and outcome is not None):
                findings.append(outcome if isinstance(outcome, Unknown) else _as_unknown(applies))
            elif outcome is not None:
                findings.append(_finding_of(rule, at, outcome))
        charges: List[Union[Charge, Unknown]] = []
        for at, limit in enumerate(self._limits):
            applies = _applies(limit, judged.action)
            if applies is False:
                continue
            charge = applies if isinstance(applies, Unknown) else self._charge(at, limit, values, judged.offsets)
            if isinstance(charge, Finding):
                findings.append(charge)
            else:
                charges.append(charge)
        return Judged(
            findings,
            charges,
            self._sets(judged, values),
            any(_applies(rule, judged.action) is not False for rule in self._rules),
            any(_applies(limit, judged.action) is not False for limit in self._limits),
            judged,
        )

    def facts_read(self, judged: Input) -> List[FactSet]:
        """The facts of rules that apply to an action and find something for some values of their facts.

        :raises NotDecided: where what a rule finds is not known
        """
        found: Dict[str, FactSet] = {}
        for at, rule in enumerate(self._rules):
            reads = [fact for fact in self._facts if fact["id"] in self._reads[at]]
            if reads and _applies(rule, judged.action) is not False and self._may_find(at, reads, judged):
                found.update({fact["id"]: _fact_set(fact) for fact in reads})
        return list(found.values())

    def _may_find(self, at: int, reads: List[Mapping[str, Any]], judged: Input) -> bool:
        may = False
        for assignment in range(2 ** len(reads)):
            held = [fact["id"] for bit, fact in enumerate(reads) if assignment >> bit & 1]
            values = _values(judged._replace(facts=held), [fact["id"] for fact in self._facts])
            outcome = self._outcome(at, values, judged.offsets)
            if isinstance(outcome, Unknown):
                raise NotDecided(outcome)
            may = may or outcome is not None
        return may

    def _sets(self, judged: Input, values: Mapping[str, Any]) -> List[Union[FactSet, Unknown]]:
        sets: List[Union[FactSet, Unknown]] = []
        for fact, condition in zip(self._facts, self._set_when):
            applies = _applies(fact, judged.action)
            if applies is False or condition is None:
                continue
            result = evaluate(condition, values, judged.offsets)
            if isinstance(applies, Unknown) or isinstance(result, Unknown):
                sets.append(_as_unknown(applies if isinstance(applies, Unknown) else result))
            elif result is not False:
                # An error sets the fact.
                sets.append(_fact_set(fact))
        return sets

    def _outcome(self, at: int, values: Mapping[str, Any], offsets: Mapping[str, int]) -> Union[str, Fault, None]:
        """``denied``, an error, or ``None`` where the rule finds nothing."""
        matched = _condition(self._matchers[at], values, offsets)
        if self._rules[at]["effect"] == "deny_unless":
            # What is missing or of another type proves nothing.
            if matched is not True:
                return matched if isinstance(matched, Unknown) else "denied"
            when = _condition(self._when[at], values, offsets)
            return None if when is True else "denied" if when is False else _fault(when)
        if matched is False:
            return None
        when = _condition(self._when[at], values, offsets)
        if when is False:
            return None
        if isinstance(matched, Unknown) or isinstance(when, Unknown):
            return matched if isinstance(matched, Unknown) else _fault(when)
        if isinstance(matched, Fault):
            return matched
        return "denied" if when is True else _fault(when)

    def _charge(
        self, at: int, limit: Mapping[str, Any], values: Mapping[str, Any], offsets: Mapping[str, int]
    ) -> Union[Charge, Finding, Unknown]:
        place = len(self._rules) + at
        name, observe = f"limits:{limit['id']}", limit.get("mode") == "observe"
        key_node, sum_node = self._keys[at], self._sums[at]
        key = None if key_node is None else _key(evaluate(key_node, values, offsets))
        amount = 10**9 if sum_node is None else _amount(evaluate(sum_node, values, offsets))
        for value in (key, amount):
            if isinstance(value, Unknown):
                return value
            if isinstance(value, Fault):
                return Finding("rule_error", "P1", name, value.code, (0, 0, place), observe)
        severity = limit.get("severity", "P2")
        finding = Finding("limit_exceeded", severity, name, None, (0, _SEVERITIES[severity], place), observe)
        most = int(limit["max_count"]) * 10**9 if sum_node is None else nanos_of(limit["max_sum"])
        if most is None or not isinstance(amount, int):
            raise Refused("a limit has no maximum")
        digest = hashlib.sha256(_key_text(limit["id"], key).encode("utf-8")).hexdigest()
        window = int(limit["window_seconds"])
        return Charge(finding, limit["id"], digest, amount, most, window, limit.get("reserve") is True)

    def _parsed(self, text: Any, name: str) -> Optional[Node]:
        try:
            return None if text is None else self._checked(parse(text), name)
        except Refused as refused:
            raise Refused(f"{name}: {refused}") from None

    def _checked(self, node: Optional[Node], name: str) -> Optional[Node]:
        try:
            if node is not None:
                check(node, self._variables)
        except Refused as refused:
            raise Refused(f"{name}: {refused}") from None
        return node


def _fact_set(fact: Mapping[str, Any]) -> FactSet:
    ttl = int(fact.get("ttl_seconds", _DEFAULT_TTL_SECONDS))
    return FactSet(fact["id"], fact.get("scope") == "agent", ttl, fact.get("on") == "checked")


def _facts_of(node: Optional[Node]) -> List[str]:
    """The facts that an expression reads."""
    if node is None:
        return []
    path = path_of(node)
    if path is not None and len(path) > 1 and path[0] == "facts":
        return [path[1]]
    return [name for part in node.parts for name in _facts_of(part)]


def _variables(facts: List[str]) -> Dict[str, Variable]:
    return {
        "action": Variable(sure=("type",)),
        "args": Variable(),
        "agent": Variable(members={"id": _TEXT, "labels": Variable()}),
        "principal": _TEXT,
        "session": _TEXT,
        "issuer": _TEXT,
        "actors": Variable(),
        "facts": Variable(members={fact: _BOOL for fact in facts}),
        "request": Variable(members={"time": Variable(Type("timestamp"))}),
    }


def _values(judged: Input, facts: List[str]) -> Dict[str, Any]:
    def text(value: Any) -> Any:
        return "" if value is None else value

    def fact(name: str) -> Any:
        return judged.facts if isinstance(judged.facts, Unknown) else name in judged.facts

    seconds = judged.seconds
    time = seconds if isinstance(seconds, Unknown) else Timestamp(seconds * 10**9)
    return {
        "action": judged.action,
        "args": judged.args,
        "agent": {"id": judged.agent_id, "labels": {}},
        "principal": text(judged.principal),
        "session": text(judged.session),
        "issuer": text(judged.issuer),
        "actors": [] if judged.actors is None else judged.actors,
        "facts": {name: fact(name) for name in facts},
        "request": {"time": time},
    }


def _condition(node: Optional[Node], values: Mapping[str, Any], offsets: Mapping[str, int]) -> Union[bool, Fault]:
    if node is None:
        return True
    result = evaluate(node, values, offsets)
    if isinstance(result, (bool, Fault)):
        return result
    return WRONG_TYPE


def _fault(value: Any) -> Fault:
    return value if isinstance(value, Fault) else WRONG_TYPE


def _as_unknown(value: Any) -> Unknown:
    return value if isinstance(value, Unknown) else Unknown("what the rule applies to is not known")


def _applies(element: Mapping[str, Any], action: Any) -> Union[bool, Unknown]:
    """Reports whether a rule, fact or limit applies to an action: its ``tools`` and its ``types`` both do."""
    unknown: Optional[Unknown] = None
    for member, names in (("tools", ("tool_name", "toolName")), ("types", ("type",))):
        if member not in element:
            continue
        found: Union[bool, Unknown] = False
        for name in names:
            value = member_of(action, name) if isinstance(action, (dict, PartialObject)) else action
            if isinstance(value, Unknown):
                found = value if found is False else found
            elif isinstance(value, str) and any(_matches(entry, value) for entry in element[member]):
                found = True
        if found is False:
            return False
        unknown = found if isinstance(found, Unknown) else unknown
    return True if unknown is None else unknown


def _matches(entry: str, name: str) -> bool:
    return name.startswith(entry[:-1]) if entry.endswith("*") else name == entry


def _finding_of(rule: Mapping[str, Any], place: int, outcome: Union[str, Fault]) -> Finding:
    name, observe = f"rules:{rule['id']}", rule.get("mode") == "observe"
    if isinstance(outcome, Fault):
        return Finding("rule_error", "P1", name, outcome.code, (0, 0, place), observe)
    effect, severity = rule["effect"], rule.get("severity", "P2")
    kind = "approval_required" if effect == "approve" else "rule_denied"
    rank = (_EFFECTS[effect], _SEVERITIES[severity], place)
    return Finding(kind, severity, name, None, rank, observe, effect if effect in _OWN_EFFECTS else "deny")


def _key(value: Any) -> Any:
    if isinstance(value, Fault):
        return value
    if isinstance(value, str):
        return Fault("text_too_long") if units(value) > _MAX_KEY else value
    if isinstance(value, bool):
        return value
    if type(value) in (int, float):
        return Fault("number_too_large") if is_inexact(float(value)) else float(value)
    return Fault("not_a_key")


def _key_text(limit: str, key: Any) -> str:
    """The canonical form of ``[id, key]``."""
    text = number_text(key) if type(key) is float else json.dumps(key, ensure_ascii=False)
    return f"[{json.dumps(limit, ensure_ascii=False)},{text}]"


def _amount(value: Any) -> Union[int, Fault]:
    if isinstance(value, Fault):
        return value
    if type(value) not in (str, int, float):
        return WRONG_TYPE
    if is_inexact(value):
        return Fault("number_too_large")
    nanos = nanos_of(value)
    if nanos is None:
        return Fault("not_convertible")
    return Fault("negative_sum") if nanos < 0 else nanos
