"""The memos on the chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from .forms import is_count, milliseconds

_NUMBER = r"([1-9][0-9]{0,15})"
_WINDOW = re.compile(
    r"countersign/1 root=([0-9a-f]{64}) prev=(0|[0-9a-f]{64}) window=([^ /]+)/PT([1-9][0-9]{0,9})([HMS])"
    rf" agents={_NUMBER} events={_NUMBER}"
)
_REPORT = re.compile(r"countersign/1 report=([0-9a-f]{64})")
_SECONDS = {"H": 3600, "M": 60, "S": 1}


@dataclass(frozen=True)
class WindowMemo:
    root: str
    prev: Optional[str]
    """Root of the previous window; ``None`` for the first."""
    start: int
    """Milliseconds since 1970."""
    seconds: int
    agents: int
    events: int


def read_window_memo(text: str) -> Optional[WindowMemo]:
    found = _WINDOW.fullmatch(text)
    if found is None:
        return None
    root, prev, start_text, amount, unit, agents, events = found.groups()
    start = milliseconds(start_text)
    seconds = int(amount) * _SECONDS[unit]
    if start is None or duration_text(seconds) != f"PT{amount}{unit}":
        return None
    if not is_count(int(agents), 1) or not is_count(int(events), 1):
        return None
    return WindowMemo(root, None if prev == "0" else prev, start, seconds, int(agents), int(events))


def read_report_memo(text: str) -> Optional[str]:
    """The content hash that a report's memo names."""
    found = _REPORT.fullmatch(text)
    return None if found is None else found.group(1)


def duration_text(seconds: int) -> str:
    """ISO 8601 in the largest whole unit of hours, minutes and seconds."""
    for unit, length in _SECONDS.items():
        if seconds % length == 0:
            return f"PT{seconds // length}{unit}"
    raise ValueError("a duration has whole seconds")


def window_seconds(start: int, end: int) -> Optional[int]:
    """The length of a window, in seconds; ``None`` unless its start is a multiple of it since 1970."""
    length = end - start
    if length <= 0 or length % 1000 != 0 or start % length != 0:
        return None
    return length // 1000
