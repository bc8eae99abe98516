"""Audit samples: the vectors of libs/evidence, and malformed samples."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import vectors

from countersign.verify import check_sample, draw_sample, parse_json_strict

FOLDER = vectors.FOLDER / "sample"
NAMES = sorted(path.name for path in FOLDER.glob("*.json"))


def load(name: str) -> Any:
    return parse_json_strict((FOLDER / name).read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_judged_as_it_says(name: str) -> None:
    vector = load(name)
    result = check_sample(vector["sample"], vectors.load(vector["packageOf"])["package"])
    assert {"ok": result.ok, "firstProblem": result.first_problem} == vector["expected"]


def test_there_are_vectors() -> None:
    assert len(NAMES) > 10


def test_a_larger_sample_begins_with_the_smaller() -> None:
    package = vectors.load("valid-airline.json")["package"]
    blockhash = load("valid-events.json")["sample"]["block"]["blockhash"]
    larger = draw_sample(package, blockhash, 9)
    assert draw_sample(package, blockhash, 5) == larger[:5] == load("valid-events.json")["sample"]["selected"]
    assert {one["type"] for one in draw_sample(package, blockhash, 100, "checks")} == {"action.checked"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rule",), "countersign/sample/2"),
        (("request", "size"), 0),
        (("request", "population"), "denials"),
        (("request", "notBefore"), "tomorrow"),
        (("block", "slot"), None),
        (("block", "blockhash"), "0OIl"),
        (("anchor", "slot"), "1"),
        (("seed",), "0"),
        (("selected",), None),
        (("package",), None),
    ],
)
def test_what_is_no_sample_is_refused(path: Any, value: Any) -> None:
    vector = load("valid-events.json")
    sample = copy.deepcopy(vector["sample"])
    holder = sample
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value
    package = vectors.load(vector["packageOf"])["package"]
    with pytest.raises(ValueError, match="form"):
        check_sample(sample, package)
    with pytest.raises(ValueError, match="form"):
        check_sample(vector["sample"], {})
