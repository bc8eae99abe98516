"""Errors with a closed list of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, FrozenSet, Optional

if TYPE_CHECKING:
    from .result import CheckResult

#: The service refused for a reason that a retry does not change.
REFUSAL_CODES: FrozenSet[str] = frozenset(
    (
        "invalid_request",
        "unauthorized",
        "sandbox_expired",
        "sandbox_action_cap",
        "plan_action_cap",
        "agent_frozen",
        "agent_not_found",
        # Another program, or another path of the service, has answered: the address is wrong.
        "not_countersign",
        "refused",
    )
)

#: There was no decision: the fail mode decides about the action.
UNAVAILABLE_CODES: FrozenSet[str] = frozenset(
    ("unavailable", "deadline_exceeded", "timeout", "unreachable", "invalid_response", "circuit_open")
)


class CountersignError(Exception):
    """``code`` is one of :data:`REFUSAL_CODES`, :data:`UNAVAILABLE_CODES` or ``action_denied``.

    ``status`` is the answer's, if there was one, ``event_id`` that of the header ``x-event-id``: the event that
    records, or may record, the check. ``retry_after``: seconds to wait, as the service asks.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        event_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.event_id = event_id
        self.retry_after = retry_after

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code}: {self.message})"

    @property
    def is_unavailable(self) -> bool:
        """True if there was no decision, so that the same call may succeed later."""
        return self.code in UNAVAILABLE_CODES


class ActionDeniedError(CountersignError):
    """Raised by ``guard`` if the action may not be executed; ``result`` has the reason."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__("action_denied", result.reason or "the action is not allowed", event_id=result.event_id)
        self.result = result
        self.__cause__ = result.error
