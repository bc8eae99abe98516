"""``hours(time, zone, days, times)``."""

from __future__ import annotations

import re
from typing import Callable, List

from ..cel.syntax import Refused

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_MINUTES = 1440
_TIMES = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9])")


def compile_hours(days: str, times: str) -> Callable[[int], bool]:
    """A test of local times, in seconds since 1970 plus the offset of the zone.

    The end is excluded. Where it is not after the beginning, it is that of the next day, and the day is that of the
    beginning.

    :param days: ``mon-fri``, ``sat,sun`` or ``daily``
    :param times: ``07:00-19:00``
    :raises Refused: for other texts
    """
    chosen = _days_of(days)
    found = _TIMES.fullmatch(times)
    if found is None:
        raise Refused("hours has other times than 07:00-19:00")
    begin_hour, begin_minute, end_hour, end_minute = map(int, found.groups())
    begin, end = begin_hour * 60 + begin_minute, end_hour * 60 + end_minute
    if end > _DAY_MINUTES:
        raise Refused("hours has a time after 24:00")

    def is_inside(local_seconds: int) -> bool:
        day, minute = divmod(local_seconds // 60, _DAY_MINUTES)
        # 1970-01-01 was a Thursday.
        weekday = (day + 4) % 7
        if begin < end:
            return chosen[weekday] and begin <= minute < end
        return (chosen[weekday] and minute >= begin) or (chosen[(weekday + 6) % 7] and minute < end)

    return is_inside


def _days_of(text: str) -> List[bool]:
    if text == "daily":
        return [True] * 7
    chosen = [False] * 7
    for part in text.split(","):
        names = part.split("-")
        if len(names) > 2 or any(name not in _DAYS for name in names):
            raise Refused("hours has other days than mon-fri, sat,sun or daily")
        day, last = _DAYS.index(names[0]), _DAYS.index(names[-1])
        while True:
            chosen[day] = True
            if day == last:
                break
            day = (day + 1) % 7
    return chosen
