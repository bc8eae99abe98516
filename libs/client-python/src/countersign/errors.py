"""What goes wrong, by codes of a closed list."""

from __future__ import annotations

from typing import TYPE_CHECKING, FrozenSet, Optional

if TYPE_CHECKING:
    from .result import CheckResult

#: The service refused for a reason that another try does not change.
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

#: No decision was had: what becomes of the action is for the fail mode to say.
UNAVAILABLE_CODES: FrozenSet[str] = frozenset(
    ("unavailable", "deadline_exceeded", "timeout", "unreachable", "invalid_response", "circuit_open")
)


class CountersignError(Exception):
    """What went wrong. ``code`` is one of :data:`REFUSAL_CODES`, :data:`UNAVAILABLE_CODES` or ``action_denied``.

    ``status`` is the answer's where there was one, ``event_id`` that of the header ``x-event-id``: the event that
    records, or may record, the check. ``retry_after`` is how many seconds the service asks to wait.
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
        """Whether no decision was had, so that the same call may succeed later."""
        return self.code in UNAVAILABLE_CODES


class ActionDeniedError(CountersignError):
    """Raised by ``guard`` where the action may not be executed; ``result`` says why."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__("action_denied", result.reason or "the action is not allowed", event_id=result.event_id)
        self.result = result
        self.__cause__ = result.error
