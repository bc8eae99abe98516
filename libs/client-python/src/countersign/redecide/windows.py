"""Balances of one agent that follow from check to check: spending by day and month, and sliding windows.

Each names the bounds that a balance is outside of (FORMAT.md, "Re-decision", "Balances").
"""

from __future__ import annotations

import math
from typing import Callable, List, NamedTuple, Optional, Set

from .step import Step

_MAX_MICROS = 2**53 - 1


class Bounds(NamedTuple):
    """The least and the most that a balance can be; ``most`` is ``None`` where it is not known."""

    least: int
    most: Optional[int]


def is_doubtful(step: Step, sequence: int, given_back: bool) -> bool:
    """Reports whether what a check counted may have been taken back before the check at ``sequence``."""
    skipped = step.skipped_at is not None and step.skipped_at < sequence
    return step.unanswered or (given_back and skipped)


class Spending:
    """The spending of an agent in its calendar windows of one kind, ``day`` or ``month`` (UTC)."""

    def __init__(self, window: str, unknown_returns: List[int]) -> None:
        """:param unknown_returns: places of outcomes that give back a cost which is not known"""
        self._window = window
        self._unknown_returns = unknown_returns
        self._period: Optional[str] = None
        # Balance after the last check, and the checks of this period whose cost may be taken back.
        self._after = 0
        self._doubts: List[Step] = []
        self._cost_unknown = False
        # By how much the balance was lower than the costs so far, and by how much more it may be.
        self._taken = 0
        self._loose = 0
        self._first_period: Optional[str] = None
        self._first_balance = 0

    def compare(self, step: Step, unknown: bool) -> Optional[Bounds]:
        """:param unknown: something unknown lies between this check and the one before"""
        recorded = int(step.seen["spent"][self._window])
        period = step.month if self._window == "month" else step.day
        first = self._period is None
        if first:
            self._first_period, self._first_balance = period, recorded
        if period != self._period:
            self._period, self._after, self._doubts, self._taken, self._loose = period, 0, [], 0, 0
        is_open = first or unknown or self._cost_unknown
        expected = min(self._after, _MAX_MICROS)
        doubtful = sum(one.cost or 0 for one in self._doubts if is_doubtful(one, step.sequence, True))
        lower = max(0, doubtful - self._taken) + self._loose + self._returned(step.sequence)
        least = 0 if first else max(0, expected - lower)
        self._taken += max(0, expected - recorded)
        if is_open and not first:
            self._loose += max(0, recorded - expected)
        self._cost_unknown = step.cost is None
        self._after = recorded + (step.cost or 0)
        if step.cost and (step.unanswered or step.skipped_at is not None):
            self._doubts.append(step)
        if recorded < least or (not is_open and recorded > expected):
            return Bounds(least, None if is_open else expected)
        return None

    def _returned(self, sequence: int) -> int:
        """The amount that outcomes of checks before the package may have given back."""
        if self._first_period != self._period or not any(place < sequence for place in self._unknown_returns):
            return 0
        return self._first_balance


class _Entry:
    def __init__(self, step: Step, amount: int, window_ms: int, reserve: bool) -> None:
        self.step = step
        self.amount = amount
        self.reserve = reserve
        # The shortest window since it was counted: what is older may have been dropped.
        self.shortest_ms: float = window_ms


class SlidingWindow:
    """One sliding window of an agent: what its checks have counted, and how much more it may hold."""

    def __init__(self, unknown_at_ms: int) -> None:
        """:param unknown_at_ms: until then something may have been counted that the package does not show"""
        self._entries: List[_Entry] = []
        self._excess: Optional[int] = None
        self._unknown_at_ms = unknown_at_ms
        self._unknowns = 0
        self._length_ms = 0
        # The version of the profile of the newest check that was compared or counted.
        self._version: Optional[int] = None

    def add(self, step: Step, amount: int, window_ms: int, reserve: bool) -> None:
        """Counts ``amount`` for a check."""
        self._version = step.version
        self._entries.append(_Entry(step, amount, window_ms, reserve))

    def compare(
        self,
        step: Step,
        recorded: int,
        window_ms: int,
        unknown: Unknowns,
        shortest_between: Callable[[int, int], float],
    ) -> Optional[Bounds]:
        """Compares the balance that a check saw, and takes it as the balance from then on.

        :param shortest_between: the shortest window of the versions of the profile between two, in ms
        """
        passed_ms = math.inf if self._version is None else shortest_between(self._version, step.version)
        self._version = step.version
        if unknown.count > self._unknowns or window_ms > self._length_ms:
            self._excess = None
        self._unknowns = unknown.count
        self._unknown_at_ms = max(self._unknown_at_ms, unknown.at_ms)
        self._length_ms = window_ms
        least = 0
        most = self._excess if step.at_ms - self._unknown_at_ms < window_ms else 0
        for entry in self._entries:
            age = step.at_ms - entry.step.at_ms
            entry.shortest_ms = min(entry.shortest_ms, passed_ms)
            if age < window_ms:
                most = None if most is None else most + entry.amount
                if age < entry.shortest_ms and not is_doubtful(entry.step, step.sequence, entry.reserve):
                    least += entry.amount
            entry.shortest_ms = min(entry.shortest_ms, window_ms)
        self._excess = max(0, recorded - least)
        broken = recorded < least or (most is not None and recorded > most)
        return Bounds(least, most) if broken else None


class Unknowns:
    """How often something was counted that is not known, and until when."""

    def __init__(self, at_ms: int) -> None:
        self.count = 0
        self.at_ms = at_ms

    def note(self, at_ms: int) -> None:
        """Something unknown was counted until ``at_ms``."""
        self.count += 1
        self.at_ms = max(self.at_ms, at_ms)


def missing_orders(steps: List[Step]) -> int:
    """How many numbers of ``order`` between the first and the last check are not shown."""
    orders: Set[int] = {step.order for step in steps}
    return max(orders) - min(orders) + 1 - len(orders) if orders else 0
