"""Texts that are longer than the service takes, as lists of their pieces."""

from __future__ import annotations

from typing import Any, List, Tuple

#: What the service takes of one text, in UTF-8.
_LONGEST_BYTES = 262_144
#: Characters of a piece of a longer one: in UTF-8 at most 256,000 bytes.
_PIECE = 64_000
#: What two pieces share, so that output rules miss nothing where one ends.
_OVERLAP = 4_000


def in_pieces(value: Any, place: str = "") -> Tuple[Any, List[str]]:
    """``value`` with a list in the place of each text that is too long, and the JSON pointers of those."""
    if isinstance(value, str):
        if len(value) * 4 <= _LONGEST_BYTES or len(value.encode("utf-8", "surrogatepass")) <= _LONGEST_BYTES:
            return value, []
        step = _PIECE - _OVERLAP
        return [value[start : start + _PIECE] for start in range(0, len(value) - _OVERLAP, step)], [place]
    if isinstance(value, dict):
        members = {name: in_pieces(one, f"{place}/{_escaped(str(name))}") for name, one in value.items()}
        pieced = [one for _, found in members.values() for one in found]
        return ({name: one for name, (one, _) in members.items()} if pieced else value), pieced
    if isinstance(value, (list, tuple)):
        items = [in_pieces(one, f"{place}/{index}") for index, one in enumerate(value)]
        pieced = [one for _, found in items for one in found]
        return ([one for one, _ in items] if pieced else value), pieced
    return value, []


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
