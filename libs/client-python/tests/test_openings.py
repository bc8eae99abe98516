"""Openings of both versions: whole values, members that are shown or withheld, erased content."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import leaf_v2
import pytest
from leaf_v2 import ACTION, CONTEXT, PAYLOADS, check, commit, entry, first_problem, judge, members, part, whole, without


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda value: str(value)[:20])
def test_a_payload_of_any_kind_is_opened(payload: Any) -> None:
    assert first_problem(check(payload=payload)) is None
    assert first_problem(check(payload=payload, shown={"payload": {"salt": leaf_v2.SALTS["payload"]}})) is None
    assert first_problem(check(payload=payload, shown={"payload": whole("payload", "another")})) == "opening-wrong"
    if isinstance(payload, dict) and 1 <= len(payload) <= 32:
        for name in payload:
            opening = part("payload", payload, [name])
            assert first_problem(check(payload=payload, shown={"payload": opening})) is None
        one_by_one = {"salt": leaf_v2.SALTS["payload"], "value": without(payload, *list(payload)[:1])}
        assert first_problem(check(payload=payload, shown={"payload": one_by_one})) == "opening-wrong"


def test_a_value_of_more_members_is_not_opened_by_members() -> None:
    payload = members(33)
    assert first_problem(check(payload=payload, shown={"payload": part("payload", payload, payload)})) == "structure"


def test_versions_commit_in_their_own_ways() -> None:
    assert first_problem(check(), check(v=1, payload={"a": 1}), check(v=1, payload=7), check(payload=7)) is None
    for version, other in ((1, 2), (2, 1)):
        one = check(v=version)
        one["event"]["action"] = commit("action", ACTION, other)
        assert first_problem(one) == "opening-wrong"


def test_what_is_withheld_is_named_and_is_no_problem() -> None:
    payload = {"seat": "12A", "row": 12}
    shown = {
        "action": part("action", ACTION, ["type"]),
        "payload": part("payload", payload, ["row"]),
        "context": part("context", CONTEXT, ["effect", "seen"]),
    }
    result = judge(check(payload=payload, shown=shown), check())
    assert result.problems == []
    assert result.shown_in_part == 3
    assert "members that are withheld: 3 openings are shown in part" in result.not_checked
    all_shown = judge(check(shown={"action": part("action", ACTION, ACTION)}))
    assert (all_shown.problems, all_shown.shown_in_part) == ([], 0)
    assert not any("withheld" in line for line in all_shown.not_checked)


Change = Callable[[List[Any]], Any]
TAMPERED: Dict[str, Tuple[Change, str]] = {
    "a withheld digest changed": (lambda list_: list_.__setitem__(0, "0" * 64), "opening-wrong"),
    "a shown value changed": (lambda list_: list_[2].update(value="http_call"), "opening-wrong"),
    "a member's salt changed": (lambda list_: list_[2].update(salt="0" * 32), "opening-wrong"),
    "a member renamed": (lambda list_: list_[2].update(name="typo"), "opening-wrong"),
    "a digest put elsewhere": (lambda list_: list_.insert(2, list_.pop(0)), "opening-wrong"),
    "a digest left out": (lambda list_: list_.pop(0), "opening-wrong"),
    "a digest repeated": (lambda list_: list_.append(list_[0]), "opening-wrong"),
    "names out of order": (lambda list_: list_.reverse(), "structure"),
    "a name repeated": (lambda list_: list_.append(list_[2]), "structure"),
    "nothing shown": (lambda list_: list_.__setitem__(slice(1, None), []), "structure"),
    "no members": (lambda list_: list_.clear(), "structure"),
    "a salt in upper case": (lambda list_: list_[2].update(salt="A" * 32), "structure"),
    "a salt of a whole value": (lambda list_: list_[2].update(salt="jxMA184UQEPlI_Eqh8dMsg"), "structure"),
    "a digest in upper case": (lambda list_: list_.__setitem__(0, "A" * 64), "structure"),
    "a digest of half the length": (lambda list_: list_.__setitem__(0, "a" * 32), "structure"),
    "a member without a value": (lambda list_: list_[2].pop("value"), "structure"),
    "a member without a name": (lambda list_: list_[2].pop("name"), "structure"),
    "a name that is no text": (lambda list_: list_[2].update(name=None), "structure"),
    "null for a member": (lambda list_: list_.__setitem__(0, None), "structure"),
}


@pytest.mark.parametrize(("change", "code"), TAMPERED.values(), ids=TAMPERED.keys())
def test_a_tampered_member_is_refused(change: Change, code: str) -> None:
    opening = part("action", ACTION, ["tool_name", "type"])
    change(opening["members"])
    assert first_problem(check(shown={"action": opening})) == code


OPENINGS: List[Tuple[str, Any, str]] = [
    ("payload", whole("payload", 7), "opening-inconsistent"),
    ("action", {"salt": leaf_v2.SALTS["action"]}, "structure"),
    ("context", {"salt": leaf_v2.SALTS["context"]}, "structure"),
    ("context", None, ""),
    ("context", [], "structure"),
    ("action", {**whole("action", ACTION), **part("action", ACTION, ["type"])}, "structure"),
    ("payload", {"salt": leaf_v2.SALTS["payload"], "members": None}, "structure"),
    ("payload", {"members": {}}, "structure"),
    ("action", {"value": ACTION, **part("action", ACTION, ["type"])}, "structure"),
    ("action", {"salt": leaf_v2.SALTS["action"], **part("action", ACTION, ["type"])}, "structure"),
    ("action", {"more": 1, **part("action", ACTION, ["type"])}, ""),
]


@pytest.mark.parametrize(("name", "opening", "code"), OPENINGS)
def test_an_opening_has_one_form(name: str, opening: Any, code: str) -> None:
    assert first_problem(check(shown={name: opening})) == (code or None)


def test_members_open_nothing_of_a_leaf_of_version_1() -> None:
    for version in (1, 2):
        one = check(v=version, shown={"action": part("action", ACTION, ["type"])})
        one["event"]["action"] = commit("action", ACTION)
        assert first_problem(one) == ("opening-wrong" if version == 1 else None)
    assert first_problem(check(v=1, shown={"context": whole("context", CONTEXT)})) == "opening-inconsistent"


def test_erased_means_that_nothing_is_opened() -> None:
    assert first_problem({**check(shown={"action": None, "context": None}), "erased": True}) is None
    for name in ("action", "context"):
        assert first_problem({**check(shown={name: None}), "erased": True}) == "opening-inconsistent"
    committed = entry(leaf_v2.event("agent.erased", {"context": CONTEXT}), {})
    assert first_problem({**committed, "erased": True}) is None
    assert first_problem({**entry(leaf_v2.event("agent.erased", {}), {}), "erased": True}) == "opening-inconsistent"


def test_a_profile_is_compared_where_it_is_shown() -> None:
    profile = {"version": 2, "mode": "enforce"}
    value = {"profile": profile, "by": {"kind": "user", "id": "user-1"}}
    named = {"profileVersion": 2, "profileSha256": leaf_v2.hash_of(profile)}
    other = {"profileVersion": 3, "profileSha256": leaf_v2.hash_of(profile)}
    for shown, code in ((["profile"], "profile-differs"), (["by"], None), (["by", "profile"], "profile-differs")):
        opened = {"action": part("action", value, shown)}
        assert first_problem(entry(leaf_v2.event("profile.changed", {"action": value}, **named), opened)) is None
        assert first_problem(entry(leaf_v2.event("profile.changed", {"action": value}, **other), opened)) == code
