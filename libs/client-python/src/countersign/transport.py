"""What the clients that wait and that await have in common at the wire: answers and failures of httpx in our words."""

from __future__ import annotations

import math
import re
from typing import Optional

import httpx

from .errors import CountersignError
from .result import MAX_ANSWER_BYTES, Answer

#: What TLS makes of an answer in clear.
_SPOKEN_HTTP = re.compile("wrong version number|packet length too long|record layer failure", re.IGNORECASE)


class TooLarge(Exception):
    """The answer is larger than any of the service."""


class TooLate(Exception):
    """The answer did not end in time."""


def add_chunk(content: bytearray, chunk: bytes) -> None:
    """:raises TooLarge: beyond :data:`MAX_ANSWER_BYTES`"""
    content += chunk
    if len(content) > MAX_ANSWER_BYTES:
        raise TooLarge


def answer_of(response: httpx.Response, content: bytearray) -> Answer:
    coverage = response.headers.get("x-policy-coverage")
    return Answer(
        response.status_code,
        bytes(content),
        event_id=response.headers.get("x-event-id"),
        coverage=coverage if coverage in ("governed", "none") else None,
        would_deny=response.headers.get("x-would-deny"),
        idempotent_replay=response.headers.get("x-idempotent-replay") == "true",
        retry_after=_seconds(response.headers.get("retry-after")),
    )


def failure_of(error: Exception, timeout: float) -> CountersignError:
    """``timeout``, ``invalid_response`` or ``unreachable``."""
    if isinstance(error, (httpx.TimeoutException, TooLate, TimeoutError)):
        return CountersignError("timeout", f"no answer within {timeout:.3g} s")
    if isinstance(error, (httpx.DecodingError, TooLarge)):
        return CountersignError("invalid_response", "the answer is not one of the service: it cannot be read")
    words = str(error) or type(error).__name__
    if _SPOKEN_HTTP.search(words):
        words = "the service speaks http here, and base_url says https"
    return CountersignError("unreachable", f"the service cannot be reached: {words}")


def unsent(error: Exception) -> CountersignError:
    """Why a report was not taken; what is no failure of the service, such as a client that was closed, in our words."""
    if isinstance(error, CountersignError):
        return error
    failure = CountersignError("unreachable", f"the report was not sent: {error or type(error).__name__}")
    failure.__cause__ = error
    return failure


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        seconds = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None
