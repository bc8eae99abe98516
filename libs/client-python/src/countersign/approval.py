"""Waiting for a person who decides about an action."""

from __future__ import annotations

import math
import time
import uuid
from dataclasses import replace
from typing import Callable
from urllib.parse import quote

from .errors import CountersignError
from .result import Answer, CheckResult, invalid, members_of_answer, read_refusal
from .talk import Pause, Talk

#: How often an action is checked after its approval, and the pause after the first check, seconds; each is twice the
#: one before: 3.1 s in all.
CHECKS_AFTER_APPROVAL = 6
FIRST_CHECK_PAUSE = 0.1

_STATES = frozenset(("pending", "approved", "denied", "expired", "consumed"))

#: Seconds for which the service holds one request for a decision, and within which its answer must follow.
_LONGEST_WAIT = 30
_ANSWER = 5.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0


def needs_approval(result: CheckResult) -> bool:
    """Reports whether a person can still approve the action of a denial."""
    return not result.allowed and result.code == "approval_pending" and result.approval_id is not None


def over(denied: CheckResult, state: str) -> CheckResult:
    """The denial of an action whose approval is ``denied`` or ``expired``."""
    next_action = "none" if state == "denied" else "request"
    return replace(denied, code=f"approval_{state}", next_action=next_action, retry_after=None)


def key_after_approval(key: str, approval_id: str, attempt: int) -> str:
    """Key of a check after an approval: the same for a repetition of the same call, so that it counts once."""
    derived = f"{approval_id}.{attempt}.{key}"
    return derived if len(derived) <= 255 else str(uuid.uuid4())


def until_decided(ask: Callable[[str, float], Talk[Answer]], approval_id: str, wait: float) -> Talk[str]:
    """Waits until an approval is decided or over, for at most ``wait`` seconds. Failures are retried until then.

    :param ask: sends a GET request for a path
    :returns: its state; ``pending`` when the time is over, or where the service refuses to say it
    """
    ends_at = time.monotonic() + wait
    pause = _FIRST_PAUSE
    while True:
        left = ends_at - time.monotonic()
        if left <= 0:
            return "pending"
        seconds = min(_LONGEST_WAIT, math.ceil(left))
        asked_at = time.monotonic()
        retry_after = 0.0
        try:
            path = f"/v1/approvals/{quote(approval_id, safe='')}?wait={seconds}"
            state = _state_in((yield from ask(path, min(left, seconds + _ANSWER))))
            if state != "pending":
                return state
            # An answer before its time must not become a loop without pauses.
            if time.monotonic() - asked_at >= _FIRST_PAUSE:
                pause = 0.0
        except CountersignError as error:
            if not error.is_unavailable and error.status != 429:
                return "pending"
            retry_after = error.retry_after or 0.0
        yield Pause(min(max(pause, retry_after), max(0.0, ends_at - time.monotonic())))
        pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2))


def _state_in(answer: Answer) -> str:
    """:raises CountersignError: the answer does not say it"""
    if answer.status != 200:
        raise read_refusal(answer)
    state = members_of_answer(answer).get("state")
    if isinstance(state, str) and state in _STATES:
        return state
    raise invalid(answer, "it names no state")
