"""Stops calls to a service that did not decide several times in a row."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Callable

from .errors import CountersignError


@dataclass(frozen=True)
class CircuitBreakerOptions:
    """After ``failures`` calls in a row without a decision no call is sent for ``cooldown`` seconds."""

    failures: int = 5
    cooldown: float = 10.0


class CircuitBreaker:
    """Thread-safe.

    :param now: monotonic clock, seconds
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
        """True if a call may be sent; its caller must report how it ended."""
        with self._lock:
            if self._in_a_row < self._options.failures:
                return True
            if self._is_trying or self._now() < self._open_until:
                return False
            self._is_trying = True
            return True

    def ended(self, decided: bool) -> None:
        """Records a decision, or a call that the caller gave up, which does not count against the service."""
        with self._lock:
            self._is_trying = False
            if decided:
                self._in_a_row = 0

    def error(self) -> CountersignError:
        """The error for a call that is not admitted: the reason, and the time of the next attempt."""
        with self._lock:
            wait = max(0.0, self._open_until - self._now())
            following = "once the attempt under way has ended" if self._is_trying else f"in {wait:.1f} s"
            why = f"; the last one: {self._last_failure}" if self._last_failure else "."
            message = f"the service did not decide {self._in_a_row} times in a row{why} It is asked again {following}"
        return CountersignError("circuit_open", message, retry_after=wait)

    def failed(self, why: str) -> None:
        """:param why: as text, with or without a full stop"""
        with self._lock:
            self._is_trying = False
            self._last_failure = why if why.endswith((".", "!", "?")) else f"{why}."
            self._in_a_row += 1
            if self._in_a_row >= self._options.failures:
                self._open_until = self._now() + self._options.cooldown
