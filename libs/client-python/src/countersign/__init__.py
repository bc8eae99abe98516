"""Countersign: checks before an AI agent acts. ``countersign.verify`` verifies signed packages independently."""

from __future__ import annotations

from .action import Action
from .agent import AgentRecord
from .async_client import AsyncCountersign
from .circuit_breaker import CircuitBreakerOptions
from .client import Countersign
from .errors import REFUSAL_CODES, UNAVAILABLE_CODES, ActionDeniedError, CountersignError
from .modified_action import modified_action
from .options import DEFAULT_BASE_URL, FailMode, Outcome
from .result import CheckResult, LimitBudget
from .signing import SigningKey

__all__ = [
    "DEFAULT_BASE_URL",
    "REFUSAL_CODES",
    "UNAVAILABLE_CODES",
    "Action",
    "ActionDeniedError",
    "AgentRecord",
    "AsyncCountersign",
    "CheckResult",
    "CircuitBreakerOptions",
    "Countersign",
    "CountersignError",
    "FailMode",
    "LimitBudget",
    "Outcome",
    "SigningKey",
    "modified_action",
]
