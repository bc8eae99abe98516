"""All vectors of libs/evidence: the same verdict, and the same first problem."""

from __future__ import annotations

import json

import mutations
import pytest
import vectors

from countersign.verify import PROBLEM_CODES, verify_absence, verify_event, verify_package


@pytest.mark.parametrize("name", vectors.names())
def test_a_vector_is_judged_as_it_says(name: str) -> None:
    vector = vectors.load(name)
    result = vectors.judge(vector)
    verdict = {"ok": result.ok, "firstProblem": result.first_problem, **vectors.vouched(result, vector["expected"])}
    assert verdict == vector["expected"], [str(problem) for problem in result.problems]


def test_the_chain_says_when_the_windows_were_anchored() -> None:
    times = vectors.judge(vectors.load("walk-valid.json")).window_times
    assert [time.seconds_after_end for time in times] == [700, 401, 102]


def test_there_are_vectors() -> None:
    assert len(vectors.names()) > 80


def test_the_codes_are_those_of_the_format() -> None:
    text = (vectors.FOLDER.parent / "FORMAT.md").read_text("utf-8")
    assert [code for code in PROBLEM_CODES if f"`{code}`" not in text] == []


@pytest.mark.parametrize("value", ["\ud800", object(), float("nan"), [], {}, True, 1.5])
def test_what_has_no_form_is_named_and_never_raised(value: object) -> None:
    event = vectors.load("event-valid.json")
    absence = vectors.load("absence-valid.json")["absence"]
    package = vectors.load("valid-small.json")["package"]
    assert verify_event({**event["event"], "reason": value}, event["proof"]).first_problem == "leaf-invalid"
    assert verify_event(event["event"], {**event["proof"], "path": value}).first_problem in (
        "proof-form",
        "proof-root-differs",
    )
    assert verify_absence({**absence, "before": value}).first_problem == "absence-form"
    assert not verify_package({**package, "generator": value}).ok
    assert not verify_package(value).ok
    assert verify_event(value, value).first_problem == "leaf-invalid"


def test_what_the_chain_did_not_answer_is_named() -> None:
    result = vectors.judge(vectors.load("chain-no-answer.json"))
    assert result.ok
    assert not result.chain_checked
    assert any("no answer for 3 of 3" in line for line in result.not_checked)


def test_without_an_authority_no_anchor_is_vouched_for() -> None:
    result = vectors.judge(vectors.load("chain-no-authority.json"))
    assert result.chain_checked
    assert not result.authority_checked


def test_a_sound_package_was_checked_whole() -> None:
    result = vectors.judge(vectors.load("walk-valid.json"))
    assert (result.issuer_checked, result.chain_checked, result.authority_checked) == (True, True, True)
    assert (result.anchored, result.unanchored, result.not_checked) == (7, 0, [])


@pytest.mark.parametrize(("network", "said"), [("solana:localnet", True), ("solana:devnet", False)])
@pytest.mark.parametrize("name", ["valid-small.json", "absence-valid.json"])
def test_a_private_network_is_not_called_public(name: str, network: str, said: bool) -> None:
    vector = json.loads(json.dumps(vectors.load(name)).replace("solana:devnet", network))
    if "package" in vector:
        mutations.sign(vector["package"])
    result = vectors.judge({**vector, "keys": None})
    assert any("a public network: solana:localnet" in line for line in result.not_checked) is said
