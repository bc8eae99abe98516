"""The changes that a series states, as lines for its reader."""

from __future__ import annotations

from collections import Counter
from typing import List, Mapping, Sequence

_SHOWN = 10
# They leave something out of the packages from there on.
_FIRST = ("agents", "scope")


def change_lines(changes: Sequence[Mapping[str, str]]) -> List[str]:
    """The first changes, those of agents and of the scope before others, and the number of the rest by member.

    :param changes: of a series that has its form
    """

    def rank(change: Mapping[str, str]) -> int:
        return _FIRST.index(change["member"]) if change["member"] in _FIRST else len(_FIRST)

    ordered = sorted(changes, key=rank)
    lines = [f"{one['member']} changed with report {one['reportId']}" for one in ordered[:_SHOWN]]
    others = Counter(one["member"] for one in ordered[_SHOWN:])
    if others:
        counts = ", ".join(f"{member} {count}" for member, count in others.items())
        lines.append(f"and {len(ordered) - _SHOWN} more changes: {counts}")
    return lines
