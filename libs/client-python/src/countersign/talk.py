"""Steps of a conversation with the service.

A conversation is a generator. It yields an :class:`Attempt`, and is sent the :class:`Answer` or thrown the
``CountersignError`` of that attempt; or a :class:`Pause`. Its return value is the result of the call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generator, Mapping, Optional, TypeVar, Union

from .result import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Attempt:
    """One request: POST, or GET without a body. ``timeout`` covers the whole answer, in seconds."""

    url: str
    body: Optional[bytes]
    headers: Mapping[str, str]
    timeout: float

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"


@dataclass(frozen=True)
class Pause:
    seconds: float


Step = Union[Attempt, Pause]
Talk = Generator[Step, Optional[Answer], T]
