"""Splits texts that are longer than the service's limit into pieces."""

from __future__ import annotations

from typing import Any, List, Tuple

#: The service's limit for one text, in UTF-8.
_LONGEST_BYTES = 262_144
#: Characters of a piece: in UTF-8 at most 256,000 bytes.
_PIECE = 64_000
#: Overlap of two pieces, so that output rules miss nothing at a boundary.
_OVERLAP = 4_000


def in_pieces(value: Any, pointer: str = "") -> Tuple[Any, List[str]]:
    """``value`` with a list of pieces for each text that is too long, and the JSON pointers of those."""
    if isinstance(value, str):
        if len(value) * 4 <= _LONGEST_BYTES or len(value.encode("utf-8", "surrogatepass")) <= _LONGEST_BYTES:
            return value, []
        step = _PIECE - _OVERLAP
        return [value[start : start + _PIECE] for start in range(0, len(value) - _OVERLAP, step)], [pointer]
    if isinstance(value, dict):
        members = {name: in_pieces(one, f"{pointer}/{_escaped(str(name))}") for name, one in value.items()}
        pieced = [one for _, found in members.values() for one in found]
        return ({name: one for name, (one, _) in members.items()} if pieced else value), pieced
    if isinstance(value, (list, tuple)):
        items = [in_pieces(one, f"{pointer}/{index}") for index, one in enumerate(value)]
        pieced = [one for _, found in items for one in found]
        return ([one for one, _ in items] if pieced else value), pieced
    return value, []


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
