"""Re-decision: verdicts and balances of packages that are built from the text of FORMAT.md."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

import pytest
import vectors
from leaf_v2 import AGENT, check, entry, event, hash_of, part

from countersign.redecide import Redecision, redecide, wrong_statement

_SECONDS = 1772445661
_EMPTY: Dict[str, Any] = {
    "agent_id": AGENT,
    "version": 2,
    "mode": "enforce",
    "allowed_apis": [],
    "blocked_apis": [],
    "spending_limit": None,
    "spending_window": "day",
    "rate_limit": None,
    "off_limits_actions": [],
    "allowed_actions": [],
    "allowed_data_scopes": [],
    "blocked_data_scopes": [],
    "freeze_on_violation": False,
    "store_payload": True,
    "output_rules": None,
}
_REFUND = {
    "id": "refund-cap",
    "tools": ["refund"],
    "args": {"amount": {"max": 100}},
    "effect": "deny_unless",
    "severity": "P2",
}


class Series:
    """A package with a profile and checks of one agent, each with the balances that the test says."""

    def __init__(self, **profile: Any) -> None:
        self.profile = {**_EMPTY, **profile}
        self.entries: List[Dict[str, Any]] = []
        self._log_profile()

    def change(self, **profile: Any) -> None:
        """Makes the next version of the profile, in force from then on."""
        self.profile = {**self.profile, **profile, "version": self.profile["version"] + 1}
        self._log_profile()

    def _log_profile(self) -> None:
        action = {"profile": self.profile, "by": {"kind": "user", "id": "user-1"}}
        version, digest = self.profile["version"], hash_of(self.profile)
        name = "profile" if version == 2 else f"profile-{version}"
        leaf = event("profile.changed", {"action": action}, profileVersion=version, profileSha256=digest, eventId=name)
        self._add(entry(leaf, {"action": {"salt": "jxMA184UQEPlI_Eqh8dMsg", "value": action}}))

    def _add(self, one: Dict[str, Any]) -> Dict[str, Any]:
        one["sequence"] = len(self.entries) + 1
        self.entries.append(one)
        return one

    def check(
        self,
        action: Any,
        payload: Any = None,
        seen: Optional[Mapping[str, Any]] = None,
        context: Optional[Mapping[str, Any]] = None,
        coverage: Any = (),
        denied: Any = None,
        second: int = 0,
        **changes: Any,
    ) -> Dict[str, Any]:
        """An entry with a check; ``denied`` is its violation, severity and rule."""
        effect = "allow" if denied is None else "approve" if denied[0] == "approval_required" else "deny"
        given: Dict[str, Any] = {
            "request_time": {"seconds": _SECONDS + second, "offsets": {}},
            "effect": effect,
            "engine": {"engine": "1", "detectors": "1"},
            "seen": {
                "order": len(self.entries),
                "frozen": False,
                "plan": {"used": len(self.entries), "cap": None, "expires": None},
                "spent": {"day": 0, "month": 0},
                "rate": None,
                "limits": {},
                **(seen or {}),
            },
            **(context or {}),
        }
        broken = dict(zip(("violation_type", "severity", "rule"), denied or ()))
        members: Dict[str, Any] = {
            "outcome": "allowed" if denied is None else "denied",
            "actionKind": action["type"] if isinstance(action, dict) else "other",
            "profileVersion": self.profile["version"],
            "profileSha256": hash_of(self.profile),
            "coverage": list(coverage),
            "occurredAt": f"2026-03-02T10:{1 + second // 60:02}:{second % 60:02}.000Z",
            "eventId": f"check-{len(self.entries)}",
            **broken,
            **changes,
        }
        return self._add(check(action, payload, given, **members))

    def redecide(self) -> Redecision:
        return redecide({"events": self.entries})

    def verdicts(self) -> List[Any]:
        return [(one.verdict, one.reason) for one in self.redecide().checks]


def refunds(**rules: Any) -> Series:
    return Series(rules=[{**_REFUND, **rules}])


_TOOL = {"type": "tool_use", "tool_name": "refund"}
_DENIED = ("rule_denied", "P2", "rules:refund-cap")


def test_rules_give_the_verdicts_that_were_recorded() -> None:
    series = refunds()
    series.check(_TOOL, {"amount": 100}, coverage=["rules"])
    series.check(_TOOL, {"amount": 100.5}, coverage=["rules"], denied=_DENIED)
    series.check(_TOOL, {}, coverage=["rules"], denied=_DENIED)
    series.check({"type": "tool_use", "tool_name": "other"})
    done = series.redecide()
    assert done.totals()["same"] == 4, done.checks
    assert [agent.balances for agent in done.agents] == ["continuous"]
    assert done.complete
    assert not done.wrong


def test_an_approval_satisfies_its_rule_where_it_was_used_or_could_have_been() -> None:
    asks = {"id": "person", "tools": ["refund"], "effect": "approve"}
    needs = ("approval_required", "P2", "rules:person")
    given = {"id": "0198a1b2-0000-4000-8000-000000000001", "rule": "person"}
    also = [{**given, "state": "consumed"}]
    series = Series(rules=[asks])
    series.check(_TOOL, {}, coverage=["rules"], denied=needs, context={"approval": {**given, "state": "pending"}})
    series.check(_TOOL, {}, coverage=["rules"], context={"approval": {**given, "state": "consumed"}})
    series.check(
        _TOOL, {}, coverage=["rules"], context={"approval": {**given, "rule": "x", "state": "used", "also": also}}
    )
    for state, rule in (("pending", "person"), ("denied", "person"), ("consumed", "other")):
        series.check(_TOOL, {}, coverage=["rules"], context={"approval": {**given, "rule": rule, "state": state}})
    assert [verdict for verdict, _ in series.verdicts()] == ["same"] * 3 + ["different"] * 3


def test_rules_that_modify_or_defer_have_effects_of_their_own() -> None:
    patch = [{"op": "remove", "path": "/payload/bcc"}]
    modifies = {
        "id": "copies",
        "tools": ["refund"],
        "args": {"bcc": {"present": True}},
        "effect": "modify",
        "patch": patch,
    }
    defers = {"id": "kyc", "tools": ["refund"], "args": {"amount": {"min": 0}}, "effect": "defer"}
    asks = {"id": "person", "tools": ["refund"], "effect": "approve"}
    series = Series(rules=[asks, defers, modifies])
    both = {"amount": 1, "bcc": "a@acme.com"}
    copies, kyc = ("rule_denied", "P2", "rules:copies"), ("rule_denied", "P2", "rules:kyc")
    series.check(_TOOL, both, coverage=["rules"], denied=copies, context={"effect": "modify"})
    series.check(_TOOL, {"amount": 1}, coverage=["rules"], denied=kyc, context={"effect": "defer"})
    series.check(_TOOL, both, coverage=["rules"], denied=copies)
    series.check(_TOOL, both, coverage=["rules"], denied=kyc, context={"effect": "defer"})
    assert [verdict for verdict, _ in series.verdicts()] == ["same", "same", "different", "different"]


def test_a_flipped_verdict_is_found() -> None:
    series = refunds()
    series.check(_TOOL, {"amount": 101}, coverage=["rules"])
    series.check(_TOOL, {"amount": 1}, coverage=["rules"], denied=_DENIED)
    assert series.verdicts() == [("different", "verdict")] * 2
    assert series.redecide().wrong


@pytest.mark.parametrize(
    "change",
    [{"severity": "P1"}, {"rule": "rules:other"}, {"coverage": []}, {"actionKind": "other"}, {"outcome": "frozen"}],
)
def test_each_compared_member_counts(change: Dict[str, Any]) -> None:
    series = refunds()
    series.check(_TOOL, {"amount": 101}, **{"coverage": ["rules"], "denied": _DENIED, **change})
    assert series.verdicts() == [("different", "verdict")]


def test_an_altered_profile_is_found() -> None:
    series = refunds()
    series.check(_TOOL, {"amount": 101}, coverage=["rules"])
    # The profile that is shown allows it, but is not the one that the check names.
    series.entries[1]["event"]["profileSha256"] = hash_of("another")
    assert series.verdicts() == [("different", "profile")]


def test_what_is_not_shown_is_withheld_and_what_is_erased_is_erased() -> None:
    series = refunds()
    for _ in range(6):
        series.check(_TOOL, {"amount": 1}, coverage=["rules"])
    opened = [one["opened"] for one in series.entries]
    opened[1].pop("context")
    opened[2]["action"] = part("action", _TOOL, ["type"])
    opened[3]["payload"] = {"salt": opened[3]["payload"]["salt"]}
    series.entries[4]["erased"] = True
    series.entries[4]["opened"] = {}
    series.entries[5]["event"]["v"] = 1
    assert series.verdicts() == [
        ("withheld", "context"),
        ("withheld", "action"),
        ("withheld", "payload"),
        ("erased", None),
        ("not_checked", "version"),
        ("same", None),
    ]
    done = series.redecide()
    assert not done.wrong
    assert not done.complete
    series.entries[0]["opened"] = {}
    assert series.verdicts()[-1] == ("withheld", "profile")


def test_a_payload_that_no_rule_reads_may_be_withheld() -> None:
    series = Series(off_limits_actions=["wire_*"])
    one = series.check({"type": "tool_use"}, {"a": 1}, coverage=["off_limits_actions"])
    one["opened"].pop("payload")
    assert series.verdicts() == [("same", None)]


def test_the_empty_profile_of_a_new_agent_needs_no_event() -> None:
    series = Series()
    series.profile = {**_EMPTY, "version": 1, "store_payload": False}
    series.entries.clear()
    series.check({"type": "something"}, actionKind="other", profileVersion=1)
    assert series.verdicts() == [("same", None)]


_LISTS: List[Any] = [
    (
        {"off_limits_actions": ["wire_*"]},
        {"type": "wire_now"},
        ("off_limits_action", "P1", "off_limits_actions:wire_*"),
    ),
    ({"allowed_actions": ["a"]}, {"type": "b"}, ("off_limits_action", "P1", "allowed_actions:not listed")),
    ({"allowed_actions": ["a", "tool"]}, {"type": "x", "tool_name": "tool"}, None),
    (
        {"off_limits_actions": ["x"]},
        {"type": "tool_use", "tool": "x"},
        ("off_limits_action", "P1", "off_limits_actions:no tool_name given"),
    ),
    (
        {"allowed_apis": ["api.example.com"]},
        {"type": "http_call", "url": "https://api.example.com/v1"},
        None,
    ),
    (
        {"allowed_apis": ["https://api.example.com/v1/"]},
        {"type": "http_call", "url": "https://api.example.com/v2"},
        ("api_not_allowed", "P2", "allowed_apis:not listed"),
    ),
    (
        {"blocked_apis": ["*.example.net"]},
        {"type": "http_call", "url": "https://a.example.net/"},
        ("api_not_allowed", "P2", "blocked_apis:*.example.net"),
    ),
    ({"blocked_apis": ["a.example"]}, {"type": "http_call"}, ("api_not_allowed", "P2", "blocked_apis:no url given")),
    (
        {"allowed_data_scopes": ["crm.*"]},
        {"type": "data_access", "dataScope": "hr.read"},
        ("data_scope_denied", "P1", "allowed_data_scopes:not listed"),
    ),
    ({"require": ["cost"]}, {"type": "tool_use"}, ("spending_limit_exceeded", "P2", "require:cost")),
]


@pytest.mark.parametrize(("profile", "action", "denied"), _LISTS)
def test_lists_are_judged(profile: Dict[str, Any], action: Dict[str, Any], denied: Any) -> None:
    series = Series(**profile)
    kind = action["type"] if action["type"] in ("http_call", "data_access", "tool_use") else "other"
    coverage = sorted(profile)
    series.check(action, coverage=coverage, denied=denied, actionKind=kind)
    series.check(action, coverage=coverage, denied=_DENIED, actionKind=kind)
    assert series.verdicts() == [("same", None), ("different", "verdict")]


@pytest.mark.parametrize(
    ("profile", "action", "payload"),
    [
        ({"output_rules": {"blocked_pii": ["email"]}}, {"type": "llm_response"}, "text"),
        ({"allowed_apis": ["a.example"]}, {"type": "http_call", "url": "https://a.example@b.example/"}, None),
        ({"allowed_apis": ["a.example"]}, {"type": "tool_use", "tool_name": "t"}, {"x": "https://b.example"}),
        ({"require": ["url"]}, {"type": "tool_use", "arguments": {"url": "https://a.example"}}, None),
        ({"rules": [{**_REFUND, "args": {"q": {"read_only_sql": True}}}]}, _TOOL, {"q": "SELECT 1"}),
        ({"rules": [{**_REFUND, "args": {"q": {"later": True}}}]}, _TOOL, {"q": 1}),
    ],
)
def test_what_is_not_computed_is_not_checked(profile: Any, action: Any, payload: Any) -> None:
    series = Series(**profile)
    series.check(action, payload)
    assert [verdict for verdict, _ in series.verdicts()] == ["not_checked"]
    assert not series.redecide().complete


def test_plans_and_freezes_are_judged_first() -> None:
    series = Series(off_limits_actions=["*"])
    covered = ["off_limits_actions"]
    plans = (
        ({"plan": {"used": 5, "cap": 5, "expires": None}}, "action_cap", "P3"),
        ({"plan": {"used": 5, "cap": 5, "expires": "2026-03-02T10:01:00.000Z"}}, "sandbox_expired", "P3"),
        ({"frozen": True}, "frozen", "P1"),
    )
    for seen, outcome, severity in plans:
        series.check(
            {"type": "a"},
            None,
            seen,
            {"effect": "deny"},
            covered,
            outcome=outcome,
            severity=severity,
            actionKind="other",
        )
    assert series.verdicts() == [("same", None)] * 3


def test_spending_is_judged_by_its_balance_and_continues() -> None:
    def series_of(second: int) -> Series:
        series = Series(spending_limit=10)
        action = {"type": "tool_use", "estimatedCost": 4.5}
        covered = ["spending_limit"]
        series.check(action, None, {"spent": {"day": 0, "month": 0}}, None, covered)
        series.check(action, None, {"spent": {"day": 4500000, "month": 4500000}}, None, covered, second=1)
        over = ("spending_limit_exceeded", "P2", "spending_limit:10")
        third = {"spent": {"day": second, "month": second}}
        series.check(action, None, third, None, covered, over if second > 5500000 else None, second=2)
        return series

    assert series_of(9000000).verdicts() == [("same", None)] * 3
    assert series_of(9000000).redecide().agents[0].balances == "continuous"
    skipped = series_of(4500000).redecide()
    assert [one.verdict for one in skipped.checks] == ["same"] * 3
    bounds = ("4500000", "9000000", "9000000")
    assert [one[2:] for one in skipped.agents[0].breaks] == [(4, "spent.day", *bounds), (4, "spent.month", *bounds)]
    assert skipped.wrong


def test_a_debit_that_was_given_back_is_no_break() -> None:
    series = Series()
    action = {"type": "tool_use", "estimatedCost": 4.5}
    first = series.check(action)
    leaf = event("action.outcome", {}, refersTo=first["event"]["eventId"], outcome="skipped", eventId="skipped")
    series._add(entry(leaf, {}))
    series.check(action, seen={"order": 2}, second=1)
    assert series.redecide().agents[0].balances == "continuous"
    del series.entries[2]
    assert series.redecide().agents[0].balances == "broken"


def test_rates_and_limits_are_judged_by_their_balances_and_continue() -> None:
    limit = {"id": "mail", "tools": ["send"], "key": "args.to", "max_count": 2, "window_seconds": 60}
    series = Series(rate_limit={"max": 3, "per_seconds": 60}, limits=[limit])
    action, covered = {"type": "tool_use", "tool_name": "send"}, ["limits", "rate_limit"]
    for count in range(3):
        seen = {"rate": count, "limits": {"mail": str(count)}}
        over = ("limit_exceeded", "P2", "limits:mail") if count == 2 else None
        series.check(action, {"to": "a"}, seen, None, covered, over, second=count)
    series.check(action, {"to": "b"}, {"rate": 2, "limits": {"mail": "0"}}, None, covered, second=3)
    missing = ("rule_error", "P1", "limits:mail")
    series.check(action, {}, {"rate": 3}, None, covered, missing, second=4)
    series.check(action, {"to": "a"}, {"rate": 0, "limits": {"mail": "0"}}, None, covered, second=64)
    done = series.redecide()
    assert [one.verdict for one in done.checks] == ["same"] * 6, done.checks
    assert done.agents[0].balances == "continuous", done.agents
    for name, wrong in (("rate", {"rate": 1}), ("limits", {"limits": {"mail": "1"}})):
        broken = copy.deepcopy(series.entries)
        broken[3]["opened"]["context"]["value"]["seen"].update(wrong)
        assert redecide({"events": broken}).agents[0].balances == "broken", name


@pytest.mark.parametrize(
    ("between", "rate", "balances"),
    [
        ({"rate_limit": {"max": 9, "per_seconds": 30}}, 0, "continuous"),
        ({"rate_limit": {"max": 9, "per_seconds": 30}}, 1, "continuous"),
        ({"rate_limit": {"max": 9, "per_seconds": 50}}, 0, "broken"),
        ({"rate_limit": None}, 0, "broken"),
    ],
)
def test_a_rate_may_lack_what_a_version_without_checks_has_dropped(
    between: Dict[str, Any], rate: int, balances: str
) -> None:
    series = Series(rate_limit={"max": 9, "per_seconds": 60})
    action = {"type": "tool_use", "tool_name": "send"}
    series.check(action, None, {"rate": 0}, None, ["rate_limit"])
    series.change(**between)
    series.change(rate_limit={"max": 9, "per_seconds": 60})
    series.check(action, None, {"rate": rate, "order": 2}, None, ["rate_limit"], second=40)
    done = series.redecide()
    assert [one.verdict for one in done.checks] == ["same"] * 2, done.checks
    assert done.agents[0].balances == balances, done.agents


def test_facts_decide_and_observed_rules_deny_nothing() -> None:
    rules = [
        {
            "id": "no-exfil",
            "types": ["http_call"],
            "when": "facts.secret && action.type == 'http_call'",
            "effect": "deny",
        },
        {"id": "tried", "types": ["http_call"], "when": "principal == 'anna'", "effect": "deny", "mode": "observe"},
    ]
    facts = [{"id": "secret", "set_when": "has(args.path) && args.path.startsWith('/secrets/')"}]
    series = Series(rules=rules, facts=facts)
    action = {"type": "http_call"}
    series.check(action, coverage=["rules"])
    series.check(action, None, None, {"facts": ["secret"]}, ["rules"], ("rule_denied", "P2", "rules:no-exfil"))
    observed: Dict[str, Any] = {"violation_type": "rule_denied", "severity": "P2", "rule": "rules:tried"}
    series.check(action, None, None, {"principal": "anna", "effect": "observe"}, ["rules"], **observed)
    assert series.verdicts() == [("same", None)] * 3


def test_any_fact_may_be_set_once_one_could_not_be_kept() -> None:
    facts = [{"id": "secret", "scope": "agent", "set_when": "has(args.path)"}]
    rules = [{"id": "no-send", "types": ["http_call"], "when": "facts.secret", "effect": "deny"}]
    denied = ("rule_denied", "P2", "rules:no-send")
    for rule, balances in (("facts:no room", "continuous"), ("rules:other", "broken")):
        series = Series(rules=rules, facts=facts)
        series.check({"type": "tool_use"}, coverage=["facts"], denied=("rule_error", "P1", rule))
        series.check({"type": "http_call"}, None, None, {"facts": ["secret"]}, ["rules"], denied, second=1)
        assert series.redecide().agents[0].balances == balances


def test_facts_continue_within_their_sessions() -> None:
    rule = {"id": "no-send", "types": ["http_call"], "when": "facts.secret", "effect": "deny"}
    fact = {"id": "secret", "types": ["data_access"], "set_when": "true", "ttl_seconds": 10}
    denied = ("rule_denied", "P2", "rules:no-send")
    cases: List[Any] = [
        ("a", "a", 9, True, "continuous"),
        ("a", "a", 9, False, "broken"),
        ("a", "b", 9, False, "continuous"),
        ("a", "b", 9, True, "broken"),
        ("a", None, 9, True, "continuous"),
        (None, "b", 9, False, "broken"),
        ("a", "a", 11, True, "broken"),
        ("a", "a", 11, False, "continuous"),
    ]
    for setter, reader, second, is_set, balances in cases:
        series = Series(rules=[rule], facts=[fact])
        sessions = [{} if session is None else {"session": session} for session in (setter, reader)]
        series.check({"type": "data_access"}, context=sessions[0])
        seen = {"plan": {"used": 1, "cap": None, "expires": None}}
        held = {**sessions[1], **({"facts": ["secret"]} if is_set else {})}
        series.check({"type": "http_call"}, None, seen, held, ["rules"], denied if is_set else None, second=second)
        done = series.redecide()
        assert [one.verdict for one in done.checks] == ["same", "same"], (setter, reader, second, is_set)
        assert done.agents[0].balances == balances, (setter, reader, second, is_set)


def test_a_gap_in_the_order_leaves_the_balances_open() -> None:
    series = Series()
    series.check({"type": "tool_use"})
    series.check({"type": "tool_use"}, seen={"order": 4}, second=1)
    done = series.redecide()
    agent = done.agents[0]
    assert (agent.balances, agent.missing, done.complete, done.wrong) == ("continuous", 2, False, False)
    series.check({"type": "tool_use"}, seen={"order": 4}, second=2)
    assert series.redecide().agents[0].balances == "broken"


_STORIES = sorted((vectors.FOLDER / "redecide").glob("*.json"))


def test_there_are_packages_with_results() -> None:
    assert len(_STORIES) > 10


@pytest.mark.parametrize("file", _STORIES, ids=lambda file: str(file.stem))
def test_packages_are_decided_again_with_the_results_of_the_vectors(file: Path) -> None:
    vector = json.loads(file.read_text("utf-8"))
    expected = vector["redecided"]
    done = redecide(vector["package"])
    lines: List[List[Any]] = [
        [
            one.sequence,
            one.verdict,
            one.reason,
            *([[found.member for found in one.differences]] if one.differences else []),
        ]
        for one in done.checks
    ]
    assert lines == expected["events"]
    assert [list(one[2:]) for agent in done.agents for one in agent.breaks] == expected["breaks"]
    assert sum(agent.missing for agent in done.agents) == expected["missing"]
    stated = wrong_statement(vector["package"], done)
    assert stated == expected.get("stated")
    assert (1 if done.wrong or stated else 0 if done.complete else 2) == expected["exitCode"]
