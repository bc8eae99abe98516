"""Commitments and openings by hand: the functions for a single value or member."""

from __future__ import annotations

from typing import Any

import leaf_v2
import pytest
from leaf_v2 import ACTION, PAYLOADS, check, commit, members, part, whole

from countersign.verify import commitment_of, disclose, member_digest, opening_holds


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda value: str(value)[:20])
def test_a_commitment_is_that_of_the_format(payload: Any) -> None:
    for version in (1, 2):
        assert commitment_of("payload", leaf_v2.SALTS["payload"], payload, version) == commit(
            "payload", payload, version
        )


def test_a_single_member_is_checked_by_hand() -> None:
    leaf = check()["event"]
    opening = disclose("action", leaf_v2.SALTS["action"], ACTION, ["estimatedCost"])
    assert opening == part("action", ACTION, ["estimatedCost"])
    assert opening_holds(leaf, "action", opening)
    shown = opening["members"][0]
    assert shown["value"] == 4.5
    assert member_digest("action", "estimatedCost", shown["salt"], 4.5) == leaf_v2.digest_of("action", shown)
    assert not opening_holds(leaf, "context", opening)
    assert not opening_holds({**leaf, "v": 1}, "action", opening)
    assert not opening_holds({**leaf, "action": None}, "action", opening)
    shown["value"] = 4.6
    assert not opening_holds(leaf, "action", opening)
    assert opening_holds(leaf, "action", whole("action", ACTION))
    assert not opening_holds(leaf, "action", {"salt": leaf_v2.SALTS["action"]})
    assert not opening_holds({**leaf, "other": leaf["action"]}, "other", whole("action", ACTION))


@pytest.mark.parametrize(
    "arguments",
    [
        ("other", leaf_v2.SALTS["action"], ACTION, ["type"]),
        ("action", "short", ACTION, ["type"]),
        ("action", leaf_v2.SALTS["action"], ACTION, []),
        ("action", leaf_v2.SALTS["action"], ACTION, ["absent"]),
        ("action", leaf_v2.SALTS["action"], {}, []),
        ("action", leaf_v2.SALTS["action"], members(33), ["m0"]),
        ("action", leaf_v2.SALTS["action"], "text", ["t"]),
    ],
)
def test_what_is_not_committed_member_by_member_is_not_disclosed(arguments: Any) -> None:
    with pytest.raises(ValueError, match="member"):
        disclose(*arguments)


@pytest.mark.parametrize(("kind", "salt", "version"), [("x", "A" * 22, 2), ("action", "A", 2), ("action", "A" * 22, 3)])
def test_a_commitment_of_something_else_is_refused(kind: str, salt: str, version: int) -> None:
    with pytest.raises(ValueError, match="form"):
        commitment_of(kind, salt, 1, version)
