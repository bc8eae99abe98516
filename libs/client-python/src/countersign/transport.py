"""Common parts of both clients at the transport: answers and errors of httpx as the client's own."""

from __future__ import annotations

import math
import re
from typing import Optional

import httpx

from .errors import CountersignError
from .result import MAX_ANSWER_BYTES, Answer

#: Messages of TLS for an answer without TLS.
_SPOKEN_HTTP = re.compile("wrong version number|packet length too long|record layer failure", re.IGNORECASE)


class TooLarge(Exception):
    """The answer exceeds the largest one of the service."""


class TooLate(Exception):
    """The answer did not end within the timeout."""


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
    message = str(error) or type(error).__name__
    if _SPOKEN_HTTP.search(message):
        message = "the service speaks http here, and base_url says https"
    return CountersignError("unreachable", f"the service cannot be reached: {message}")


def unsent(error: Exception) -> CountersignError:
    """The error of a report; one that is not of the service, such as a closed client, is converted."""
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
