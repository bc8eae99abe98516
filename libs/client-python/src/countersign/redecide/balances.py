"""Follows the balances of one agent from check to check (FORMAT.md, "Re-decision", "Balances")."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .check import balance_of
from .profiles import Profiles
from .step import Step
from .windows import Bounds, SlidingWindow, Spending, Unknowns


class Break(NamedTuple):
    """A balance that is outside of its bounds: as text in decimal, ``most`` ``None`` where it is not known."""

    agent_id: str
    event_id: str
    sequence: int
    balance: str
    recorded: str
    least: str
    most: Optional[str]

    @property
    def reason(self) -> str:
        """In words."""
        if self.most is None:
            return f"{self.balance} is {self.recorded}, and at least {self.least} by the checks before"
        between = self.least if self.most == self.least else f"{self.least} to {self.most}"
        return f"{self.balance} is {self.recorded}, and {between} by the checks before"


def breaks_of(
    agent_id: str, steps: List[Step], hidden: List[int], unknown_returns: List[int], profiles: Profiles
) -> List[Break]:
    """The balances that break.

    :param steps: the checks that show their context
    :param hidden: places of checks that do not, ascending
    :param unknown_returns: places of outcomes that give back a cost which is not known
    :param profiles: of the package
    """
    ordered = sorted(steps, key=lambda step: (step.order, step.sequence))
    if not ordered:
        return []
    balances = _Balances(agent_id, ordered[0], hidden, unknown_returns, profiles)
    before: Optional[Step] = None
    for step in ordered:
        balances.follow(step, before)
        before = step
    return balances.breaks


class _Balances:
    def __init__(
        self, agent_id: str, first: Step, hidden: List[int], unknown_returns: List[int], profiles: Profiles
    ) -> None:
        self._shortest_between = partial(profiles.shortest_between, agent_id)
        self.breaks: List[Break] = []
        self._agent_id = agent_id
        self._hidden = hidden
        self._spending = {window: Spending(window, unknown_returns) for window in ("day", "month")}
        self._rate = SlidingWindow(first.at_ms)
        self._limits: Dict[str, SlidingWindow] = {}
        self._actions: Dict[str, int] = {}
        # By place and id: until when a fact holds, and whether it may have been taken back.
        self._facts: Dict[str, Set[Tuple[int, bool]]] = {}
        self._facts_unknown = first.order != 1
        self._unknown = Unknowns(first.at_ms)
        self._unknown_rules = Unknowns(first.at_ms)

    def follow(self, step: Step, before: Optional[Step]) -> None:
        unknown = before is not None and (step.order > before.order + 1 or self._hides(before.sequence, step.sequence))
        if unknown:
            self._unknown.note(step.at_ms)
            self._note_unknown_rules(step.at_ms)
        if before is not None and before.order == step.order and not (before.unanswered or step.unanswered):
            self._report(step, "order", str(step.order), Bounds(step.order + 1, None))
        for window, spending in self._spending.items():
            recorded = str(int(step.seen["spent"][window]))
            self._report(step, f"spent.{window}", recorded, spending.compare(step, unknown))
        used, least = int(step.seen["plan"]["used"]), self._actions.get(step.month, 0)
        self._report(step, "plan.used", str(used), Bounds(least, None) if used < least else None)
        self._compare_rate(step)
        self._compare_limits(step)
        self._compare_facts(step)
        self._count(step)

    def _hides(self, one: int, other: int) -> bool:
        """Reports whether a check that does not show its context lies between two places."""
        at = bisect_right(self._hidden, min(one, other))
        return at < len(self._hidden) and self._hidden[at] < max(one, other)

    def _note_unknown_rules(self, at_ms: int) -> None:
        self._unknown_rules.note(at_ms)
        self._facts_unknown = True

    def _compare_rate(self, step: Step) -> None:
        rate = step.seen["rate"]
        if rate is not None and step.rate_ms is not None:
            between = partial(self._shortest_between, limit_id=None)
            bounds = self._rate.compare(step, int(rate), step.rate_ms, self._unknown, between)
            self._report(step, "rate", str(rate), bounds)

    def _compare_limits(self, step: Step) -> None:
        for limit in [] if step.trip is None else step.trip.charges:
            if limit.id not in step.seen["limits"]:
                continue
            window = self._window(limit.key, step)
            between = partial(self._shortest_between, limit_id=limit.id)
            recorded, window_ms = balance_of(step.seen, limit), limit.window_seconds * 1000
            bounds = window.compare(step, recorded, window_ms, self._unknown_rules, between)
            self._report(step, f"limits.{limit.id}", step.seen["limits"][limit.id], bounds, _decimal)

    def _compare_facts(self, step: Step) -> None:
        for fact in [] if step.trip is None else step.trip.facts:
            settings = [one for place in fact.places for one in self._facts.get(place, ())]
            holding = [doubtful for expires_ms, doubtful in settings if expires_ms > step.at_ms]
            is_set = fact.id in step.facts
            wrong = (not holding and not self._facts_unknown) if is_set else not all(holding)
            right = 0 if is_set else 1
            self._report(step, f"facts.{fact.id}", str(1 - right), Bounds(right, right) if wrong else None)

    def _window(self, key: str, step: Step) -> SlidingWindow:
        if key not in self._limits:
            self._limits[key] = SlidingWindow(min(step.at_ms, self._unknown_rules.at_ms))
        return self._limits[key]

    def _count(self, step: Step) -> None:
        if step.counts_action and not step.unanswered:
            self._actions[step.month] = self._actions.get(step.month, 0) + 1
        if step.allowed and step.seen["rate"] is not None:
            self._rate.add(step, 1, step.rate_ms or 0, False)
        self._facts_unknown = self._facts_unknown or step.forgot_facts
        if step.trip is None:
            if step.counts_action:
                self._note_unknown_rules(step.at_ms)
            return
        for charge in step.trip.charges if step.allowed else []:
            if charge.amount > 0:
                window = self._window(charge.key, step)
                window.add(step, charge.amount, charge.window_seconds * 1000, charge.reserve)
        for fact in step.trip.sets if step.counts_action else []:
            if step.allowed or fact.on_checked:
                setting = (step.at_ms + fact.ttl_seconds * 1000, step.unanswered)
                self._facts.setdefault(fact.place, set()).add(setting)

    def _report(
        self, step: Step, balance: str, recorded: str, bounds: Optional[Bounds], text: Callable[[int], str] = str
    ) -> None:
        if bounds is not None:
            least, most = text(bounds.least), None if bounds.most is None else text(bounds.most)
            self.breaks.append(Break(self._agent_id, step.event_id, step.sequence, balance, recorded, least, most))


def _decimal(nanos: int) -> str:
    """Units of 10^-9 as text in decimal."""
    whole, fraction = divmod(nanos, 10**9)
    return str(whole) if fraction == 0 else f"{whole}.{fraction:09d}".rstrip("0")
