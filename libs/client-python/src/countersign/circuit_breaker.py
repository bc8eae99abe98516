"""Leaves a service alone that did not decide several times in a row."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Callable

from .errors import CountersignError


@dataclass(frozen=True)
class CircuitBreakerOptions:
    """After ``failures`` calls in a row without a decision the service is left alone for ``cooldown`` seconds."""

    failures: int = 5
    cooldown: float = 10.0


class CircuitBreaker:
    """May be asked from several threads.

    :param now: seconds of a clock that never goes back
    """

    def __init__(self, options: CircuitBreakerOptions, now: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._now = now
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._open_until = 0.0
        self._is_trying = False
        self._last_failure = ""

    def admits(self) -> bool:
        """Whether a call may be sent; one that may has to tell how it ended."""
        with self._lock:
            if self._in_a_row < self._options.failures:
                return True
            if self._is_trying or self._now() < self._open_until:
                return False
            self._is_trying = True
            return True

    def ended(self, decided: bool) -> None:
        """There was a decision, or the caller gave up: that says nothing against the service."""
        with self._lock:
            self._is_trying = False
            if decided:
                self._in_a_row = 0

    def error(self) -> CountersignError:
        """What is answered in place of a call that is not admitted: why, and when the service is asked again."""
        with self._lock:
            wait = max(0.0, self._open_until - self._now())
            following = "once the attempt under way has ended" if self._is_trying else f"in {wait:.1f} s"
            why = f"; the last one: {self._last_failure}" if self._last_failure else "."
            words = f"the service did not decide {self._in_a_row} times in a row{why} It is asked again {following}"
        return CountersignError("circuit_open", words, retry_after=wait)

    def failed(self, why: str) -> None:
        """:param why: in words, with or without a full stop"""
        with self._lock:
            self._is_trying = False
            self._last_failure = why if why.endswith((".", "!", "?")) else f"{why}."
            self._in_a_row += 1
            if self._in_a_row >= self._options.failures:
                self._open_until = self._now() + self._options.cooldown
