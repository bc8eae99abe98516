"""All vectors of libs/evidence: the same verdict, and the same first problem."""

from __future__ import annotations

import pytest
import vectors

from countersign.verify import PROBLEM_CODES


@pytest.mark.parametrize("name", vectors.names())
def test_a_vector_is_judged_as_it_says(name: str) -> None:
    vector = vectors.load(name)
    result = vectors.judge(vector)
    told = {"ok": result.ok, "firstProblem": result.first_problem}
    assert told == vector["expected"], [str(problem) for problem in result.problems]


def test_there_are_vectors() -> None:
    assert len(vectors.names()) > 80


def test_the_codes_are_those_of_the_format() -> None:
    text = (vectors.FOLDER.parent / "FORMAT.md").read_text("utf-8")
    assert [code for code in PROBLEM_CODES if f"`{code}`" not in text] == []


def test_what_the_chain_did_not_answer_is_named() -> None:
    result = vectors.judge(vectors.load("chain-no-answer.json"))
    assert result.ok
    assert not result.chain_checked
    assert any("no answer for 3 of 3" in line for line in result.not_checked)


def test_without_an_authority_nobody_is_said_to_have_anchored() -> None:
    result = vectors.judge(vectors.load("chain-no-authority.json"))
    assert result.chain_checked
    assert not result.authority_checked


def test_a_sound_package_was_checked_whole() -> None:
    result = vectors.judge(vectors.load("valid-airline.json"))
    assert (result.issuer_checked, result.chain_checked, result.authority_checked) == (True, True, True)
    assert (result.anchored, result.unanchored, result.not_checked) == (18, 2, [])
