"""Results: decisions of the service, or of the fail mode."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .errors import CountersignError
from .modified_action import patch_of

MAX_ANSWER_BYTES = 1024 * 1024

_BY_STATUS = {
    400: "invalid_request",
    401: "unauthorized",
    402: "sandbox_expired",
    404: "agent_not_found",
}
# Only with a body that denies (``allowed: false``): other programs send these statuses as well.
_BY_DENIAL = {403: "agent_frozen", 429: "plan_action_cap"}
_BY_BODY = frozenset(("sandbox_expired", "sandbox_action_cap", "plan_action_cap", "agent_frozen"))


@dataclass(frozen=True)
class LimitBudget:
    """The window of a limit before the check that it denied. Amounts are decimals: ``"2.5"``."""

    unit: str
    """``count`` or ``sum``."""
    window_seconds: int
    limit: str
    consumed: str
    remaining: str
    resets_at: Optional[str]
    """ISO 8601 time before which the balance does not decrease; ``None``: the amount alone exceeds the limit."""


@dataclass(frozen=True)
class CheckResult:
    """``allowed`` says whether to act; ``violations`` is set if no policy decided, ``error`` then has details."""

    allowed: bool
    reason: Optional[str] = None
    """Why not, and what can be done."""
    severity: Optional[str] = None
    violations: Optional[Tuple[str, ...]] = None
    """The plan, the credentials, the request, or a missing answer: a code of ``countersign.errors``."""
    violation_type: Optional[str] = None
    """The kind of rule that was broken: ``api_not_allowed``, ``spending_limit_exceeded``…"""
    rule: Optional[str] = None
    detail: Optional[str] = None
    category: Optional[str] = None
    """Of ``unsafe_output``: ``pii``, ``secret``, ``topic`` or ``length``."""
    pii_kind: Optional[str] = None
    """For ``pii``: the kind that was found."""
    matched_topic: Optional[str] = None
    """For ``topic``: the one that was found."""
    length: Optional[int] = None
    """For ``length``: the length of the text."""
    upgrade_url: Optional[str] = None
    event_id: Optional[str] = None
    """The event that records the check: needed to report an outcome."""
    coverage: Optional[str] = None
    """``none``: no rule of the profile applies to this kind of action; else ``governed``."""
    failed_open: bool = False
    """There was no decision, and the fail mode is ``open``."""
    error: Optional[CountersignError] = None
    would_deny: Optional[str] = None
    """In observe mode, the denial that was not enforced: ``<violation type>; rule=<rule, percent-encoded>``."""
    idempotent_replay: bool = False
    """The decision and event of an earlier check with the same idempotency key; nothing was counted again."""
    budget: Optional[LimitBudget] = None
    """For ``limit_exceeded``: the window of the limit before the check."""
    decision: Optional[str] = None
    """How else it may go on: ``step_up`` after a person's approval, ``modify`` in another form, ``defer`` later."""
    code: Optional[str] = None
    """For ``approval_required``: ``approval_pending``, ``approval_denied``, ``approval_expired``, ``out_of_scope``…"""
    next_action: Optional[str] = None
    """``retry`` later, ``request`` by checking again, ``modify`` by checking ``modified_action``, ``none``."""
    approval_id: Optional[str] = None
    """For ``approval_required``: the request that a person decides."""
    approval_url: Optional[str] = None
    """Where it is decided."""
    expires_at: Optional[str] = None
    """ISO 8601 time of its end."""
    retry_after: Optional[float] = None
    """Seconds after which the service asks to try again."""
    patch: Optional[Tuple[Mapping[str, Any], ...]] = None
    """For ``modify``: the change after which the action is to be checked again, as ``modified_action`` makes it."""
    missing: Optional[Tuple[str, ...]] = None
    """For ``defer``: what has to come true first."""

    def __bool__(self) -> bool:
        return self.allowed

    def __repr__(self) -> str:
        shown = [f"allowed={self.allowed}"]
        shown += [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self)[1:] if getattr(self, one.name)]
        return f"CheckResult({', '.join(shown)})"


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, read to its end."""

    status: int
    content: bytes
    event_id: Optional[str] = None
    coverage: Optional[str] = None
    would_deny: Optional[str] = None
    idempotent_replay: bool = False
    retry_after: Optional[float] = None


def read_check(answer: Answer) -> CheckResult:
    """Reads the result in the answer to a check.

    :raises CountersignError: it contains no decision; ``is_unavailable`` is true
    """
    if answer.status == 200:
        body = members_of_answer(answer)
        if type(body.get("allowed")) is not bool:
            raise invalid(answer, "it does not say whether the action is allowed")
        return _result(answer, body, body["allowed"])
    error = read_refusal(answer)
    if error.is_unavailable:
        raise error
    return _result(answer, members_of_answer(answer), False, error)


def read_refusal(answer: Answer) -> CountersignError:
    """The error for an unsuccessful answer. One that is not the service's own is unavailable, whatever its status."""
    if 200 <= answer.status < 400:
        return invalid(answer, f"its status is {answer.status}")
    try:
        body = members_of_answer(answer)
    except CountersignError:
        body = {}
    said = _text(body.get("error")) or _text(body.get("reason"))
    code = _text(body.get("code"))
    if answer.status >= 500:
        known = "deadline_exceeded" if code == "deadline_exceeded" else "unavailable"
        said = said or f"the service answered {answer.status}"
    elif said is None:
        return invalid(answer, f"it is a {answer.status} that is not the service's: check base_url")
    elif answer.status == 404 and not said.startswith("no such "):
        known, said = "not_countersign", _elsewhere(said)
    elif code is not None and code in _BY_BODY:
        known = code
    else:
        denies = code is None and body.get("allowed") is False
        known = _BY_STATUS.get(answer.status) or (denies and _BY_DENIAL.get(answer.status)) or "refused"
    return CountersignError(known, said, status=answer.status, event_id=answer.event_id, retry_after=answer.retry_after)


def _elsewhere(said: str) -> str:
    """The meaning of a 404 that is not about an agent or event."""
    message = "Countersign has no such route"
    if said != "there is no such route":
        message = f'what answered is not Countersign ("{said[:200]}")'
    return f"{message}: check base_url, which is the address of the service without a path such as /v1/check"


def undecided(error: CountersignError, allowed: bool) -> CheckResult:
    """The result without a decision, by fail mode."""
    return CheckResult(
        allowed,
        reason=f"No decision: {error.message}",
        severity="P1",
        violations=(error.code,),
        event_id=error.event_id,
        failed_open=allowed,
        error=error,
    )


def _result(
    answer: Answer, body: Mapping[str, Any], allowed: bool, error: Optional[CountersignError] = None
) -> CheckResult:
    return CheckResult(
        allowed,
        reason=_reason_of(body, error),
        severity=_text(body.get("severity")),
        violations=None if error is None else (error.code,),
        violation_type=_text(body.get("violation_type")),
        rule=_text(body.get("rule")),
        detail=_text(body.get("detail")),
        category=_text(body.get("category")),
        pii_kind=_text(body.get("pii_kind")),
        matched_topic=_text(body.get("matched_topic")),
        length=_count(body.get("length")),
        upgrade_url=_text(body.get("upgrade_url")),
        event_id=answer.event_id,
        coverage=answer.coverage,
        would_deny=answer.would_deny,
        idempotent_replay=answer.idempotent_replay,
        budget=_budget(body.get("budget")),
        decision=_text(body.get("decision")),
        code=None if allowed or error is not None else _text(body.get("code")),
        next_action=_text(body.get("next_action")),
        approval_id=_text(body.get("approval_id")),
        approval_url=_text(body.get("approval_url")),
        expires_at=_text(body.get("expires_at")),
        retry_after=answer.retry_after if error is None else None,
        patch=patch_of(body.get("patch")),
        missing=_texts(body.get("missing")),
        error=error,
    )


def _reason_of(body: Mapping[str, Any], error: Optional[CountersignError]) -> Optional[str]:
    if error is None:
        return _text(body.get("reason"))
    return error.message if error.code == "not_countersign" else _text(body.get("reason")) or error.message


def members_of_answer(answer: Answer) -> Dict[str, Any]:
    """:raises CountersignError: the answer is not a JSON object"""
    try:
        body = json.loads(answer.content.decode("utf-8"), object_pairs_hook=_object_of)
    except (ValueError, RecursionError) as cause:
        raise invalid(answer, "it is not JSON") from cause
    if not isinstance(body, dict):
        raise invalid(answer, "it is not a JSON object")
    return body


def _object_of(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object repeats a key")
    return members


def invalid(answer: Answer, why: str) -> CountersignError:
    """The error for an answer that is not the service's own."""
    return CountersignError("invalid_response", f"the answer is not one of the service: {why}", status=answer.status)


def _budget(value: Any) -> Optional[LimitBudget]:
    if not isinstance(value, dict) or value.get("unit") not in ("count", "sum"):
        return None
    seconds, resets_at = _count(value.get("window_seconds")), value.get("resets_at")
    limit, consumed, remaining = (_text(value.get(name)) for name in ("limit", "consumed", "remaining"))
    if seconds is None or limit is None or consumed is None or remaining is None:
        return None
    if resets_at is not None and not isinstance(resets_at, str):
        return None
    return LimitBudget(value["unit"], seconds, limit, consumed, remaining, resets_at)


def _count(value: Any) -> Optional[int]:
    return value if type(value) is int else None


def _texts(value: Any) -> Optional[Tuple[str, ...]]:
    return tuple(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None
